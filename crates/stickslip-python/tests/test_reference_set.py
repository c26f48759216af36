"""The reference set: its cases, and scores of simulators."""

from __future__ import annotations

import pytest
import stickslip as ss


def exact(case):
    """The certified values themselves, which a simulator is not given."""
    assert case.events == [] and all(set(s) == {"t", "where"} for s in case.certified["states"])
    case = ss.reference.case(case.name)
    events = [(e["event"], e["t"], e["where"], e["x"], e["v"]) for e in case.events]
    states = [{"event": "state", **{k: s[k] for k in ("t", "where", "x", "v")}} for s in case.certified["states"]]
    return [*events, *states]


def test_cases_have_models_statements_and_numbers():
    cases = ss.reference.cases()
    assert len(cases) >= 40
    assert {c.grade for c in cases} == {"lower", "average", "higher", "adversarial"}
    shaw = ss.reference.case("shaw")
    assert isinstance(shaw.model, ss.Oscillator) and shaw.end == 40.0 and shaw.nodes == [""]
    assert "ẍ" in shaw.statement and shaw.times[-1] == 40.0
    assert [e["event"] for e in shaw.events][:3] == ["slip", "reversal", "stick"]
    assert all(c.grade == "lower" for c in ss.reference.cases("lower"))


def test_our_own_solutions_have_twelve_digits():
    names = ["shaw", "peer-p3", "cascade-four", "two-blocks", "bouncing-ball", "limit-touched"]
    scores = ss.reference.score(cases=names)
    assert [s["case"] for s in scores] == names
    for s in scores:
        assert s["missed"] == s["invented"] == 0 and s["creep"] == 0.0
        assert s["digits"] >= 12 if s["unique"] else s["reported"]


def test_the_certified_values_have_all_digits():
    cases = [c for c in ss.reference.cases("average") if c.unique]
    for s in ss.reference.score(exact, cases):
        assert (s["digits"], s["missed"], s["invented"], s["states_missing"]) == (16.0, 0, 0, 0)
        assert s["seconds"] >= 0.0


def test_what_a_simulator_cannot_do_is_part_of_its_score():
    def nothing(case):
        raise NotImplementedError("no networks")

    (s,) = ss.reference.score(nothing, ["two-blocks"])
    assert s["error"] == "NotImplementedError: no networks" and s["missed"] == 20 and s["digits"] == 0.0


def test_results_come_as_text_and_as_frames():
    pandas = pytest.importorskip("pandas")
    rows = [("stick", 4.0, "", 4.0, 0.0)]
    frame = pandas.DataFrame(rows, columns=ss.reference.COLUMNS)
    text = "event,t,x,v\nstick,4.0,4.0,0.0\n"
    for results in (rows, frame, text):
        (s,) = ss.reference.score(lambda case, r=results: r, ["free-slide"])
        assert (s["missed"], s["invented"], s["digits_times"]) == (0, 0, 16.0)
        # The states that the case asks for were not given.
        assert s["digits"] == 0.0 and s["states_missing"] > 0
    assert list(ss.reference.score(lambda case: rows, ["free-slide"]).to_frame()["case"]) == ["free-slide"]


def test_wrong_arguments_are_named():
    with pytest.raises(ss.InputError, match="no case 'shwa'"):
        ss.reference.case("shwa")
    with pytest.raises(ss.InputError, match="`grade` is 'easy'"):
        ss.reference.cases("easy")


def test_one_case_that_fails_does_not_end_the_table():
    def rows(case):
        if case.name == "shaw":
            yield ("state", case.times[0], "", 6.0, 0.0)
            raise RuntimeError("out of memory")
        if case.name == "free-slide":
            yield (1.0, 2.0)
        if case.name == "free-decay":
            yield ("slip", "soon", "", 0.0, 0.0)
        yield ("state", 1.0, "", float("nan"), float("nan"))

    scores = ss.reference.score(rows, ["shaw", "free-slide", "free-decay", "incline-hold"])
    said = [s["error"] for s in scores]
    assert said[0] == "RuntimeError: out of memory" and "a row of results" in said[1]
    assert "soon" in said[2] and said[3] is None
    assert [s["digits"] for s in scores] == [0.0] * 4
    assert all(s["states_missing"] > 0 for s in scores)


def test_false_reports_are_inventions():
    (s,) = ss.reference.score(lambda case: [("not-unique", 0.1 * k, "", None, None) for k in range(10)], ["shaw"])
    assert s["invented"] == 10


def test_derivatives_are_scored():
    case = ss.reference.case("shaw")
    assert "oscillator.mass" in case.wrt and len(case.wrt) >= 8

    def simulate(asked, wrt=None):
        assert asked.wrt == case.wrt and set(asked.certified["derivatives"]) == {"wrt"}
        keys = wrt or asked.wrt
        s = ss.sensitivity(asked.model, keys, asked.end, t=asked.times)
        rows = [{k: e[k] for k in ("event", "t", "where", "x", "v")} for e in s.events]
        for row, of in zip(rows, s.event_times):
            row |= {f"dt/{key}": d for key, d in zip(keys, of)}
        x, v = s.path(asked.times)
        for i, t in enumerate(asked.times):
            of = {f"d{c}/{key}": d for c, table in (("x", s.x), ("v", s.v)) for key, d in zip(keys, table[i])}
            rows.append({"event": "state", "t": t, "where": "", "x": x[i], "v": v[i], **of})
        return rows

    (all_,) = ss.reference.score(simulate, ["shaw"])
    assert all_["error"] is None and all_["digits_derivatives"] > 11 and all_["derivatives_missing"] == 0
    (few,) = ss.reference.score(lambda c: simulate(c, case.wrt[:2]), ["shaw"])
    # Ten events and four states.
    assert few["digits_derivatives"] > 11 and few["derivatives_missing"] == (len(case.wrt) - 2) * (10 + 8)

    def wrong(asked):
        return [{**row, **({"dt/oscillator.mass": row["dt/oscillator.mass"] * (1 + 1e-5)} if "dt/oscillator.mass" in row else {})} for row in simulate(asked)]

    (off,) = ss.reference.score(wrong, ["shaw"])
    assert 4.9 < off["digits_derivatives"] < 5.1
    (none,) = ss.reference.score(lambda c: [("slip", 1.0, "", 0.0, 0.0)], ["shaw"])
    assert none["digits_derivatives"] is None and none["derivatives_missing"] == 0

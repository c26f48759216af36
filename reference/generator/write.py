"""Writes reference/NAME/{model.toml, statement.md, certified.json}.

    python write.py            all cases
    python write.py NAME …     these
    python write.py --derivatives [NAME …]  only the derivatives, added to the numbers that are there
    python write.py --statements    only the statements, from the numbers that are there

Needs Python 3.11 and mpmath (gmpy2 makes it several times faster). Nothing here is shared with the library.
"""

import json
import sys
import time
import tomllib
from pathlib import Path

from mpmath import mp, mpf, nstr

import blocks
import cascades
import cases
import check
import closed
import derivatives
import machines
import statement
from signals import exact

HERE = Path(__file__).resolve().parent.parent
#: Digits and order of the certified run, and of the one that it is compared with.
FIRST, SECOND = (64, 60), (52, 44)
#: Impacts slower than this are infinitely many: 16 digits list as many as they can tell.
SLOW = mpf(10) ** -5


def text(a):
    """Twenty digits; what is left of a zero by rounding is zero."""
    if abs(a) < mpf(10) ** -25:
        return "0"
    return nstr(a, 20, min_fixed=-6, max_fixed=20, strip_zeros=True)


def short(t, digits=9):
    return float(f"{float(t):.{digits}g}")


def solve(case, document, setting, wanted, most=None):
    mp.dps, order = setting
    if "cascade" in document:
        model = cascades.Cascade(document)
        return model, cascades.Run(model, order, [exact(t) for t in wanted]).run()
    if statement.is_machine(document):
        model = machines.Machine(document)
        return model, machines.Run(model, order, [exact(t) for t in wanted]).run()
    model = blocks.Model(document)
    return model, blocks.Run(model, order, [exact(t) for t in wanted], case.get("touch", "ignore")).run()


def instants(end, rests):
    """When states are certified: equally spaced, and twice in every rest."""
    out = {short(end * k / 12, 6) for k in range(1, 12)} | {float(end)}
    for _, a, b in rests:
        a, b = float(a), float(b)
        if b - a > 1e-6 * float(end):
            out |= {short(a + 0.1 * (b - a)), short(a + 0.9 * (b - a))}
    return sorted(out)


def agreement(case, one, two):
    """The digits to which two runs agree, times and states."""
    (first, _), (second, _) = zeno(case, one.events), zeno(case, two.events)
    assert [(e["event"], e["where"]) for e in first] == [(e["event"], e["where"]) for e in second]
    worst = mpf(0)
    ends = [max([abs(s[k][i]) for s in one.states for i in range(len(s[k]))] + [mpf(0)]) or mpf(1) for k in (1, 2)]
    for a, b in zip(first, second):
        worst = max(worst, abs(a["t"] - b["t"]) / max(abs(a["t"]), mpf(10) ** -9))
    for a, b in zip(one.states, two.states):
        for k in (1, 2):
            worst = max([worst, *(abs(p - q) / ends[k - 1] for p, q in zip(a[k], b[k]))])
    return int(min(40, -mp.log10(worst))) if worst else 40


def zeno(case, events):
    """Impacts that are too slow to be listed one by one, as intervals in which impacts, and what they do to sliders, are not counted."""
    if not case.get("zeno"):
        return events, []
    kept, windows, begin = [], [], {}
    for e in events:
        place = e["where"]
        if e["event"] == "impact" and abs(e["v"]) < SLOW:
            begin.setdefault(place, e["t"])
            continue
        if e["event"] in ("rest", "contact") and place in begin:
            windows.append(["impact", text(begin.pop(place) * (1 - mpf(10) ** -9)), text(e["t"] * (1 + mpf(10) ** -9))])
        kept.append(e)
    assert not begin, "bounces that are not over at the end"
    return kept, windows


def path(case, document):
    """The certified run of a case that has one solution."""
    if "closed" in case:
        mp.dps = 50
        way = closed.WAYS[case["closed"]]
        end = exact(document["run"]["end"])
        _, rests, _ = way(document, [])
        states, rests, events = way(document, [exact(t) for t in instants(end, rests)])
        name = [""]
        return pack(case, document, name, events, states, rests, [], 40, "a closed form")
    model, draft = solve(case, document, (36, 30), [])
    wanted = instants(model.end, draft.rests)
    one, two = case.get("settings", (FIRST, SECOND))
    _, second = solve(case, document, two, wanted)
    model, first = solve(case, document, one, wanted)
    digits = agreement(case, first, second)
    how = [f"Taylor series of order {one[1]} in {one[0]} digits against order {two[1]} in {two[0]}: {digits} digits"]
    if "cascade" not in document and not statement.is_machine(document) and check.linear(model) and model.n < 4:
        gap, arcs = check.worst(model, first)
        if arcs:
            other = int(-mp.log10(gap)) if gap else 60
            how.append(f"matrix exponentials of {arcs} arcs: {min(40, other)} digits")
            digits = min(digits, other)
    events, windows = zeno(case, first.events)
    states = [(s[0], s[1], s[2]) for s in first.states]
    return pack(case, document, model.names, events, states, first.rests, model.energy_terms(), digits, "; ".join(how), windows)


def pack(case, document, names, events, states, rests, energy, digits, how, windows=()):
    rows = []
    for t, xs, vs in states:
        rows += [{"t": repr(float(t)), "where": n, "x": text(x), "v": text(v)} for n, x, v in zip(names, xs, vs)]
    counts = {}
    for e in events:
        counts[e["event"]] = counts.get(e["event"], 0) + 1
    terms = [
        {"weight": float(w), "of": next(iter(c))[0], "nodes": {k[2:]: s for k, s in c.items()}} for w, c in energy
    ]
    return {
        "unique": True,
        "digits": min(20, digits - 1),
        "how": how,
        "counts": counts,
        "events": [{"event": e["event"], "t": text(e["t"]), "where": e["where"], "x": text(e["x"]), "v": text(e["v"])} for e in events],
        "uncounted": [*case.get("uncounted", []), *windows],
        "multiple": case.get("multiple", []),
        "rests": [{"where": names[i], "from": text(a), "to": text(b)} for i, a, b in rests],
        "states": rows,
        "energy": terms,
    }


def certified(case, document):
    head = {"case": case["name"], "grade": case["grade"], "title": case["title"], "end": document["run"]["end"]}
    if "report" in case:
        what, since = case["report"]
        return head | {"unique": False, "report": {"what": what, "from": since}}
    if "law" in case:
        mp.dps = 40
        end = exact(document["run"]["end"])
        points = [k / 8 for k in range(-24, 25)]
        law = [{"v": repr(z), "probability": text(closed.brownian(exact(z), end))} for z in points]
        return head | {"unique": False, "law": {"t": repr(float(end)), "distribution": law}, "how": "the law of Karatzas and Shreve, integrated"}
    return head | path(case, document)


#: What has no derivatives here: closed forms at an edge, infinitely many bounces, and problems without one motion.
WITHOUT = ("closed", "law", "report", "zeno")


def with_derivatives(case, document, result):
    """The numbers of a case and their derivatives at the quarters of the run; machines are left out, they would take days."""
    if any(k in case for k in WITHOUT) or statement.is_machine(document):
        return result
    end = exact(document["run"]["end"])
    quarters = [short(end * k / 12, 6) for k in derivatives.QUARTERS[:-1]] + [float(end)]

    def run(changed, setting, wanted):
        model, done = solve(case, changed, setting, wanted)
        return model.names, done

    table, unsure = derivatives.derivatives(run, document, quarters, text)
    for key, digits in unsure:
        print(f"{case['name']}: {key} is left out, both ways agree to {digits} digits only")
    return {**{k: v for k, v in result.items() if k != "derivatives"}, "derivatives": table} if table["wrt"] else result


RETURN = """
## What to return

A table with the columns `event,t,where,x,v`: a row for every event ({kinds}), and a row `state` for every instant that is
certified (below{nodes}). Events at the same instant may stand in any order."""


def of_derivatives(table):
    """What is certified of the derivatives, and what to return of them."""
    named = lambda keys: ", ".join(f"`{key}`" for key in keys)
    times = ", ".join(dict.fromkeys(s["t"] for s in table["states"]))
    events = f"of the times of the first {len(table['event_times'])} events (`dt/KEY`) and " if table["event_times"] else ""
    lines = ["", "## Derivatives", "", f"Who has derivatives returns them in more columns: {events}of displacement and velocity (`dx/KEY`, `dv/KEY`) in the "
             f"states at t = {times} s, for each KEY of {named(table['wrt'])}. They are certified by {table['how']}."]
    if table["without"]:
        lines += ["", f"With respect to {named(table['without'])} none are certified: a motion next to this one has other events, or the two ways agree to too few digits."]
    return lines


def page(case, document, result):
    lines = [f"# {case['title']}", "", f"`{case['name']}`, grade *{case['grade']}*", "", statement.body(document, result["unique"]), ""]
    if "report" in result:
        words = {"not-unique": "It has more than one solution", "no-solution": "It has no solution"}[result["report"]["what"]]
        lines += ["## What to return", "", f"{words} from t = {result['report']['from']} s on. What counts is that this is "
                  f"reported: a row `{result['report']['what']}` with its instant `t`."]
    elif "law" in result:
        lines += ["## What to return", "", f"The velocities at t = {result['law']['t']} s of independent paths, at least a thousand, as rows "
                  "`sample` with `v`. They are compared with the distribution function of the law (`certified.json`)."]
    else:
        kinds = ", ".join(f"{n} × {k}" for k, n in result["counts"].items()) or "there is none"
        network = "network" in document
        nodes = "; `where` is the node; of an event it is the slider, and x and v are those of its first end relative to its second" if network else ""
        if statement.is_machine(document):
            nodes = "; `where` is the node, and of an event the slider, stop or gear"
        if "cascade" in document:
            nodes = "; `where` of a yield is the number of the element, of a reversal `mass`"
        lines += [RETURN.format(kinds=kinds, nodes=nodes).strip(), ""]
        times = list(dict.fromkeys(s["t"] for s in result["states"]))
        lines += ["Instants of the states, s: " + ", ".join(times), ""]
        for kind, a, b in result["uncounted"]:
            lines += [f"Events `{kind}` from t = {a} s to {b} s are neither missed nor invented: arithmetic with 16 digits cannot decide them.", ""]
        for t, order in result["multiple"]:
            lines += [f"The root at t = {t} s has the order {order}: a time is determined to 1/{order} of the digits there, and counts {order}-fold.", ""]
        if result["rests"]:
            lines += [f"The mass rests {len(result['rests'])} time{'s' if len(result['rests']) > 1 else ''}; whatever moves there is creep.", ""]
        lines += [f"Certified to {result['digits']} digits: {result['how']}."]
        if "derivatives" in result:
            lines += of_derivatives(result["derivatives"])
    lines += ["", "## What usually goes wrong", "", case["wrong"], ""]
    return "\n".join(lines)


def main():
    chosen = [a for a in sys.argv[1:] if not a.startswith("--")]
    for case in cases.ALL:
        if chosen and case["name"] not in chosen:
            continue
        begin = time.time()
        folder = HERE / case["name"]
        folder.mkdir(exist_ok=True)
        model = f'title = "{case["title"]}"\n\n{case["model"]}'
        document = tomllib.loads(model)
        if "--statements" in sys.argv:
            result = json.loads((folder / "certified.json").read_text())
            (folder / "statement.md").write_text(page(case, document, result))
            continue
        known = "--derivatives" in sys.argv
        result = json.loads((folder / "certified.json").read_text()) if known else certified(case, document)
        result = with_derivatives(case, document, result)
        (folder / "model.toml").write_text(model)
        (folder / "statement.md").write_text(page(case, document, result))
        (folder / "certified.json").write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n")
        print(case["name"], result.get("counts", ""), result.get("digits", ""), result.get("how", ""), f"{time.time() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()

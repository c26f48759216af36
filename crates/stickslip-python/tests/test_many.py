"""Many motions at once: the numbers of single calls, to the bit, in arrays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import stickslip as ss


def singles(models, t_end, **more):
    return [ss.solve(m, t_end=t_end, **more) for m in models]


def test_rows_have_the_bits_of_single_calls(shaw):
    masses, amplitudes = np.linspace(0.8, 1.3, 150), np.linspace(5.0, 7.0, 150)
    t = np.linspace(0.0, 40.0, 13)
    many = ss.solve_many(
        shaw, {"oscillator.mass": masses, "oscillator.drive.0.harmonic.amplitude": amplitudes}, t_end=40, t=t
    )
    assert many.x.shape == many.v.shape == (150, 13) and many.count == len(many) == 150
    assert many.columns == ("x", "v", "friction") and many.units["friction"] == "N"
    for i in (0, 1, 63, 64, 149):
        one = ss.solve(shaw.replace(mass=masses[i], drive=ss.harmonic(amplitudes[i], 0.5)), t_end=40)
        assert many.x[i].tobytes() == one(t)[0].tobytes() and many.v[i].tobytes() == one(t)[1].tobytes()


def test_a_slide_to_rest_by_the_closed_form():
    # v₀²/(2 a) until it rests, at v₀/a: a = μ g.
    block = ss.Oscillator(mass=2.0, stiffness=0, friction=ss.coulomb(0.3), normal=2.0 * 9.81)
    v0, mu = np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3])
    vary = {"oscillator.initial.velocity": v0, "oscillator.friction.coulomb.force": mu}
    many = ss.solve_many(block, vary, t_end=9, final=True)
    assert many.x == pytest.approx(v0**2 / (2.0 * mu * 9.81), rel=1e-14)
    assert many.x.shape == (3,) and (many.v == 0.0).all() and many.t is None
    happened = ss.solve_many(block, vary, t_end=9, events=True)
    assert happened.events["t"] == pytest.approx(v0 / (mu * 9.81), rel=1e-14)
    assert (happened.events["motion"] == [0, 1, 2]).all() and (happened.event_counts == 1).all()


def test_events_have_the_bits_of_single_calls(shaw):
    masses = np.linspace(0.5, 2.0, 70)
    many = ss.solve_many(shaw, {"oscillator.mass": masses}, t_end=40, events=True)
    ones = singles([shaw.replace(mass=m) for m in masses], 40)
    assert len({len(p.events) for p in ones}) > 1
    assert (many.event_counts == [len(p.events) for p in ones]).all()
    for i, one in enumerate(ones):
        mine = many.events_of(i)
        assert all((mine[name] == one.events[name]).all() for name in ("event", "t", "where", "x", "v"))
        assert (mine["motion"] == i).all()
    with pytest.raises(ss.InputError, match="expected a number from 0 to 69"):
        many.events_of(70)
    with pytest.raises(ss.InputError, match="their events were asked for"):
        many["x"]


def test_impulses_of_many_are_those_of_one(ball):
    many = ss.solve_many(ball, {"impact.restitution": [0.3, 0.5, 0.9]}, t_end=2.0, events=True)
    for i, e in enumerate((0.3, 0.5, 0.9)):
        one = ss.solve(ball.replace(restitution=e), t_end=2.0).events
        assert (many.events_of(i)["impulse"] == one["impulse"]).all() and len(one)


def test_initial_states_of_every_kind(shaw, ball, cascade, network):
    y0 = np.array([[0.5, 0.1], [1.0, -0.2]])
    for model in (shaw, ball, cascade):
        many = ss.solve_many(model, {}, t_end=1.5, final=True, y0=y0)
        for i, (x, v) in enumerate(y0):
            one = ss.solve(model.replace(x0=x, v0=v), t_end=1.5)
            assert (many.x[i], many.v[i]) == (one.x[-1], one.v[-1])
    y0 = np.array([[0.0, 0.1, 0.2, 0.0], [0.3, 0.1, 0.0, -0.1]])
    t = [0.0, 1.0, 2.0]
    many = ss.solve_many(network, {"network.slider.0.static": 1.3}, t_end=2, t=t, y0=y0)
    assert many.x.shape == (2, 2, 3)
    for i, y in enumerate(y0):
        first, second = network.nodes
        nodes = [ss.node("a", 1.0, y[0], y[2]), ss.node("b", 2.0, y[1], y[3])]
        one = ss.solve(network.replace(nodes=nodes, sliders=[ss.slider("a", "ground", 1.3, 1.0)]), t_end=2)
        assert (many.x[i] == one(t)[:2]).all() and (many.v[i] == one(t)[2:]).all()


def test_a_path_of_a_noise_is_that_of_the_seed(noisy):
    many = ss.solve_many(noisy, {"run.seed": [1, 2, 3]}, t_end=2, step=0.01, final=True)
    ones = [ss.solve(noisy, t_end=2, step=0.01, seed=s).x[-1] for s in (1, 2, 3)]
    assert many.x.tolist() == ones and len(set(ones)) == 3


def test_chosen_columns(shaw):
    many = ss.solve_many(shaw, {"oscillator.mass": [1.0, 2.0]}, t_end=4, t=[1.0, 3.0], columns="friction")
    assert many.columns == ("friction",) and many["friction"].shape == (2, 2)
    with pytest.raises(AttributeError, match="columns friction"):
        many.x
    with pytest.raises(ss.InputError, match="no column `frction`; they have x, v, friction"):
        ss.solve_many(shaw, {"oscillator.mass": [1.0]}, t_end=4, final=True, columns=["frction"])


def test_a_motion_that_fails_is_named(shaw):
    masses = np.ones(200)
    masses[[130, 190]] = -1.0
    with pytest.raises(ss.InputError, match=r"motion 130 of 200: `oscillator.mass` is -1; expected .* > 0"):
        ss.solve_many(shaw, {"oscillator.mass": masses}, t_end=4, final=True)
    many = ss.solve_many(shaw, {"oscillator.mass": masses}, t_end=4, final=True, errors="nan")
    assert list(many.failed) == [130, 190] and "`mass`" in many.failed[130]
    assert (np.flatnonzero(np.isnan(many.x)) == [130, 190]).all()
    happened = ss.solve_many(shaw, {"oscillator.mass": masses}, t_end=4, events=True, errors="nan")
    assert happened.event_counts[130] == 0 and happened.event_counts[131] > 0
    assert "2 of them failed" in repr(many)


def test_warnings_name_their_motions(shaw):
    # At 1.2 = K·1.2 the drive's least load touches the limit; the others do not.
    block = ss.Oscillator(mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.harmonic(1.2, 1.0))
    with pytest.warns(ss.MotionWarning, match="1 of 3 motions should not be read without their warnings; the first: motion 1"):
        many = ss.solve_many(block, {"oscillator.drive.0.harmonic.amplitude": [1.1, 1.2, 1.0]}, t_end=9, final=True)
    assert many.warned.tolist() == [1] and many.warnings[0].startswith("motion 1: ")


@pytest.mark.parametrize("what", [{"final": True}, {"t": [0.5, 2.0]}, {"events": True}])
def test_parts_on_workers_are_the_whole(shaw, what):
    vary = {"oscillator.mass": np.linspace(0.5, 2.0, 23)}
    whole = ss.solve_many(shaw, vary, t_end=20, **what)
    with ThreadPoolExecutor(2) as executor:
        parts = ss.solve_many(shaw, vary, t_end=20, executor=executor, **what)
    if "events" in what:
        assert (whole.events == parts.events).all() and (whole.event_counts == parts.event_counts).all()
    else:
        assert whole.x.tobytes() == parts.x.tobytes()


def test_motions_that_fail_on_workers_are_those_of_the_whole(shaw):
    masses = np.linspace(0.5, 2.0, 23)
    with ThreadPoolExecutor(2) as executor:
        masses[14] = -1.0
        with pytest.raises(ss.InputError, match=r"motion 14 of 23: `oscillator.mass` is -1"):
            ss.solve_many(shaw, {"oscillator.mass": masses}, t_end=4, final=True, executor=executor)
        # The first two parts, of two motions and of three, hold no motion that can be solved.
        masses[:6] = -1.0
        vary = {"oscillator.mass": masses}
        for what in ({"t": [1.0, 2.0]}, {"events": True}):
            whole = ss.solve_many(shaw, vary, t_end=4, errors="nan", **what)
            parts = ss.solve_many(shaw, vary, t_end=4, errors="nan", executor=executor, **what)
            assert list(parts.failed) == list(whole.failed) == [0, 1, 2, 3, 4, 5, 14] and parts.columns == whole.columns
            if "t" in what:
                assert parts.x.tobytes() == whole.x.tobytes() and np.isnan(parts.x[:6]).all()
            else:
                assert (parts.events == whole.events).all() and (parts.event_counts == whole.event_counts).all()
        for on in (None, executor):
            with pytest.raises(ss.InputError, match=r"motion 0 of 23: `oscillator.mass` is -1"):
                ss.solve_many(shaw, {"oscillator.mass": -np.ones(23)}, t_end=4, final=True, errors="nan", executor=on)


def test_progress_and_its_exceptions(shaw):
    told = []
    ss.solve_many(shaw, {"oscillator.mass": np.linspace(1, 2, 100)}, t_end=4, final=True, progress=lambda *a: told.append(a))
    assert told[-1] == (100, 100)

    def stop(done, total):
        raise RuntimeError("enough")

    # Longer than the time after which progress is told first.
    with pytest.raises(RuntimeError, match="enough"):
        ss.solve_many(shaw, {"oscillator.mass": np.linspace(1, 2, 2000)}, t_end=4000, final=True, progress=stop)


def test_more_than_fits_into_the_memory_is_an_error(shaw):
    with pytest.raises(ss.InputError, match="do not fit into the memory"):
        ss.solve_many(shaw, {"oscillator.mass": np.ones(2**20)}, t_end=4, t=np.zeros(2**27))


@pytest.mark.parametrize(
    ("vary", "more", "match"),
    [
        ({}, {"final": True}, "expected one value for each motion"),
        ([], {"final": True}, "expected a dictionary"),
        ({"oscillator.mass": []}, {"final": True}, "expected 1 or more"),
        ({"oscillator.mass": 2.0}, {"final": True}, "expected one value for each motion"),
        ({"oscillator.mass": [1.0, 2.0], "oscillator.damping": [0.0]}, {"final": True}, "has 1 values and `oscillator.mass` 2"),
        ({"mass": [1.0]}, {"final": True}, "did you mean `oscillator.mass`"),
        ({"oscillator.mas": [1.0]}, {"final": True}, "unknown key `oscillator.mas`; did you mean `oscillator.mass`"),
        ({"oscillator.mass": [1.0]}, {}, "expected one of t="),
        ({"oscillator.mass": [1.0]}, {"final": True, "events": True}, "expected one of t="),
        ({"oscillator.mass": [1.0]}, {"t": [5.0]}, "a time is 5.0 s; the motion lasts from 0 to 4.0 s"),
        ({"oscillator.mass": [1.0]}, {"t": [float("nan")]}, "a time is NaN"),
        ({"oscillator.mass": [1.0]}, {"final": True, "y0": [[1.0]]}, r"shape \(1, 1\); expected \(N, 2\)"),
        ({"oscillator.initial.displacement": [1.0]}, {"final": True, "y0": [[1.0, 0.0]]}, "and `y0` sets it too"),
        ({"oscillator.mass": [1.0]}, {"final": True, "errors": "ignore"}, "expected one of raise, nan"),
        ({"oscillator.mass": [1.0]}, {"events": True, "columns": ["x"]}, "columns are named, but events are asked for"),
        ({"oscillator.mass": [1.0]}, {"final": True, "columns": []}, "expected a list of names"),
        ({"oscillator.mass": [1.0]}, {"final": True, "columns": 3}, "expected a list of names"),
    ],
)
def test_what_is_wrong_is_said(shaw, vary, more, match):
    with pytest.raises(ss.InputError, match=match):
        ss.solve_many(shaw, vary, t_end=4, **more)

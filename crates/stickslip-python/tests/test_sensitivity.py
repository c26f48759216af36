"""Derivatives of motions: by closed forms, by differences of exact motions, and where there are none."""

from __future__ import annotations

import numpy as np
import pytest
import stickslip as ss

#: Distances of differences of order four, relative to the number, and their weights.
AT, WEIGHTS = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([1.0, -8.0, 8.0, -1.0]) / 12.0


def differences(model, key, value, t_end, t, h, **more):
    """Derivatives by four motions around; None where their events are not the same."""
    vary = {key: value + h * AT}
    states = ss.solve_many(model, vary, t_end=t_end, t=t, **more)
    happened = ss.solve_many(model, vary, t_end=t_end, events=True, **more)
    kinds = [happened.events_of(i)[["event", "where"]].tolist() for i in range(4)]
    if any(k != kinds[0] for k in kinds):
        return None
    times = np.stack([happened.events_of(i)["t"] for i in range(4)])
    return states.x.T @ WEIGHTS / h, states.v.T @ WEIGHTS / h, times.T @ WEIGHTS / h


def compared(model, keys, t_end, t, share, own, **more):
    """How many numbers of a model were compared; derivatives are as near to differences as these are to those of a quarter of
    their distance, times 10, and `own` besides: both relative to the largest derivative of their kind.
    """
    s, used = ss.sensitivity(model, keys, t_end=t_end, t=t, **more), 0
    if s.doubtful:
        return 0
    for k, key in enumerate(keys):
        h = share * (abs(s.values[k]) or 1.0)
        far, near = (differences(model, key, s.values[k], t_end, t, d, **more) for d in (h, h / 4))
        if far is None or near is None:
            continue
        for mine, a, b in zip((s.x[:, k], s.v[:, k], s.event_times[:, k]), far, near):
            size = max(np.abs(b).max(initial=0.0), 1e-3)
            known = np.abs(a - b).max(initial=0.0) / size
            if known < 1e-5:
                used += 1
                assert np.abs(mine - b).max(initial=0.0) / size <= 10 * known + own, (model, key)
    return used


def away(path, t, gap):
    """Those of the times that are not within `gap` of an event."""
    events = path.events["t"]
    return np.array([u for u in t if not len(events) or np.abs(events - u).min() > gap])


def test_a_slide_to_rest_by_the_closed_form():
    # x = m v₀²/(2 f) and t* = m v₀/f; before it x = v₀ t − f t²/(2 m).
    block = ss.Oscillator(mass=2.0, stiffness=0, friction=ss.coulomb(0.5), v0=3.0)
    keys = ["oscillator.mass", "oscillator.friction.coulomb.force", "oscillator.initial.velocity"]
    s = ss.sensitivity(block, keys, t_end=20, t=[2.0, 20.0])
    m, f, v, t = 2.0, 0.5, 3.0, 2.0
    assert s.x[0] == pytest.approx([f * t**2 / (2 * m**2), -(t**2) / (2 * m), t], rel=1e-13)
    assert s.v[0] == pytest.approx([f * t / m**2, -t / m, 1.0], rel=1e-13)
    assert s.x[1] == pytest.approx([v**2 / (2 * f), -m * v**2 / (2 * f**2), m * v / f], rel=1e-13)
    assert (s.v[1] == 0.0).all() and s.values.tolist() == [m, f, v]
    assert s.event_times[0] == pytest.approx([v / f, -m * v / f**2, m / f], rel=1e-13)
    assert s.events["event"].tolist() == ["stick"] and not s.doubtful
    assert repr(s).startswith("<Sensitivity of 2 states and 1 events to oscillator.mass")


def test_energies_of_a_slide_by_the_closed_form():
    # m v₀²/2 goes into friction; the spring is not there.
    block = ss.Oscillator(mass=2.0, stiffness=0, friction=ss.coulomb(0.5), v0=3.0)
    keys = ["oscillator.mass", "oscillator.friction.coulomb.force", "oscillator.initial.velocity"]
    s = ss.sensitivity(block, keys, t_end=20, t=[20.0])
    exact = [4.5, 0.0, 6.0]
    assert s.energy.friction == pytest.approx(exact, abs=1e-8) and s.energy.kinetic == pytest.approx([-x for x in exact], abs=1e-8)
    assert (s.energy.work == 0.0).all() and not s.energy.doubtful
    assert all(worth < 1e-9 for worth in s.energy.worth.values()) and s.energy is s.energy


def test_energies_without_derivatives_say_why():
    # Just at the limit: with more of the load the mass slips, with less it does not.
    block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0), drive=ss.harmonic(1.0, 1.0))
    s = ss.sensitivity(block, "oscillator.drive.0.harmonic.amplitude", t_end=9, t=[9.0])
    assert np.isnan(s.energy.friction).all() and "other events" in s.energy.doubtful[0]


def test_a_ball_between_stops_by_the_closed_form():
    # Between stops without forces: flights of L/v, L/(e v), …; the impact n is at L/v (1 + 1/e + …).
    ball = ss.Oscillator(
        mass=1, stiffness=0, friction=ss.coulomb(0.0), stops=ss.Stops(lower=0.0, upper=2.0, restitution=0.8), x0=0.0, v0=1.0
    )
    keys = ["oscillator.stops.upper", "oscillator.stops.restitution", "oscillator.initial.velocity"]
    s = ss.sensitivity(ball.replace(x0=1e-3), keys, t_end=9, t=[1.0, 4.0, 8.0])
    length, e, v, x0 = 2.0, 0.8, 1.0, 1e-3
    first, second = (length - x0) / v, (length - x0) / v + length / (e * v)
    assert s.events["t"][:2] == pytest.approx([first, second], rel=1e-13)
    assert s.event_times[0] == pytest.approx([1 / v, 0.0, -first / v], rel=1e-12, abs=1e-13)
    assert s.event_times[1] == pytest.approx([1 / v + 1 / (e * v), -length / (e**2 * v), -second / v], rel=1e-12)
    # After the first impact x = L − e v (t − t₁).
    t = 4.0
    assert s.x[1] == pytest.approx([1 + e, -v * (t - first), -e * (t - first) - e * first], rel=1e-12)


def test_shaw_against_differences(shaw):
    keys = [
        "oscillator.mass",
        "oscillator.stiffness",
        "oscillator.damping",
        "oscillator.friction.static-dynamic.static",
        "oscillator.friction.static-dynamic.dynamic",
        "oscillator.drive.0.harmonic.amplitude",
        "oscillator.drive.0.harmonic.angular_frequency",
        "oscillator.drive.0.harmonic.phase",
        "oscillator.initial.displacement",
    ]
    t = away(ss.solve(shaw, t_end=40), np.linspace(0.5, 40, 80), 0.01)
    assert compared(shaw.replace(damping=0.05), keys, 40, t, 1e-4, 1e-9) == 3 * len(keys)


#: Kinds of random models.
KINDS = ("constant friction", "stops", "soft stops", "a belt", "speed", "normal", "nonlinear", "steps")


def any_model(kind, rng):
    """A random model of a kind, and keys of its numbers."""
    u = rng.uniform
    fs = u(0.4, 1.4)
    given = dict(mass=u(0.5, 2), stiffness=u(0.5, 4), damping=u(0.02, 0.3), x0=u(-1, 1), v0=u(0.2, 1))
    law = ss.static_dynamic(fs, u(0.5, 0.95) * fs)
    given["force"] = ss.harmonic(u(1.5, 3), u(0.4, 1.6), u(-3, 3)) + ss.ramp(u(-0.05, 0.05), u(-0.3, 0.3))
    keys = ["mass", "stiffness", "damping", "initial.displacement", "initial.velocity"]
    keys += [f"force.0.harmonic.{k}" for k in ("amplitude", "angular_frequency", "phase")] + ["force.1.ramp.rate"]
    of_law = ["friction.static-dynamic.static", "friction.static-dynamic.dynamic"]
    if kind == "stops":
        given["stops"] = ss.Stops(lower=-u(0.6, 1.2), upper=u(0.6, 1.2), restitution=u(0.3, 0.9))
        given["x0"] = u(-0.5, 0.5)
        keys += ["stops.lower", "stops.upper", "stops.restitution"]
    if kind == "soft stops":
        given["stops"] = ss.Stops(upper=u(0.3, 0.8), stiffness=u(10, 40), damping=u(0.2, 1.0))
        given["x0"] = u(-0.5, 0.2)
        keys += ["stops.upper", "stops.stiffness", "stops.damping"]
    if kind == "a belt":
        given["support"] = ss.ramp(0.02 * u(-1, 1), u(0.2, 0.6)) + ss.harmonic(0.1, u(0.5, 2))
        keys += ["support.0.ramp.offset", "support.0.ramp.rate", "support.1.harmonic.amplitude"]
    if kind == "speed":
        law = ss.stribeck_exponential(fs, 0.7 * fs, u(0.2, 0.6), u(1.0, 2.0), u(0.0, 0.1))
        of_law = [f"friction.stribeck-exponential.{k}" for k in ("static", "dynamic", "velocity", "exponent", "viscous")]
    if kind == "normal":
        given["normal"] = ss.constant(u(1.0, 1.5)) + ss.harmonic(u(0.1, 0.5), u(0.3, 2))
        keys += ["normal.0.constant", "normal.1.harmonic.amplitude", "normal.1.harmonic.angular_frequency"]
    if kind == "nonlinear":
        given["stiffness"], given["quadratic_damping"] = [u(0.5, 2), u(-0.1, 0.1), u(0.1, 0.5)], u(0.01, 0.1)
        given["drive"] = ss.harmonic(0.3, u(0.3, 1))
        keys[1] = "stiffness.2"
        keys += ["stiffness.0", "stiffness.1", "quadratic_damping", "drive.0.harmonic.amplitude"]
    if kind == "steps":
        given["drive"] = ss.step(u(3, 6), u(-1, 1)) + ss.step(u(9, 14), u(-1, 1))
        keys += ["drive.0.step.time", "drive.0.step.after", "drive.1.step.time"]
    return ss.Oscillator(friction=law, **given), [f"oscillator.{k}" for k in keys + of_law]


@pytest.mark.parametrize("kind", KINDS)
def test_random_models_against_differences(kind):
    rng, checked = np.random.default_rng(20 + KINDS.index(kind)), 0
    for _ in range(12):
        model, keys = any_model(kind, rng)
        scheme = {} if ss.solve(model, t_end=0.01).scheme == "exact" else {"rtol": 1e-12, "atol": 1e-14}
        t = away(ss.solve(model, t_end=20, **scheme), np.linspace(0.3, 20, 30), 0.02)
        # By tolerances both have errors of their own.
        share, own = (2e-4, 1e-7) if scheme else (1e-4, 1e-9)
        checked += compared(model, keys, 20, t, share, own, **scheme)
    assert checked > 250, checked


def test_a_push_at_the_limit_has_no_derivative():
    # At rest under a pull between sliding and static friction, a push sends the mass off one way only.
    block = ss.Oscillator(mass=1, stiffness=0, friction=ss.static_dynamic(1.0, 0.5), force=0.8)
    with pytest.warns(ss.MotionWarning, match="no derivative"):
        s = ss.sensitivity(block, ["oscillator.initial.velocity", "oscillator.mass"], t_end=2.0, t=[1.0])
    assert np.isnan(s.x[0, 0]) and s.x[0, 1] == 0.0
    assert len(s.doubtful) == 1 and "starts at rest" in s.doubtful[0].why
    # Ahead it slips off with a = 0.3, so that ∂x/∂v₀ = t; back it comes to rest at once.
    assert s.above.x[0, 0] == pytest.approx(1.0, rel=1e-9)
    assert s.below.x[0, 0] == pytest.approx(0.0, abs=1e-6)
    # Where sliding friction stops a push there is a derivative: 0.
    s = ss.sensitivity(block.replace(force=0.3), "oscillator.initial.velocity", t_end=2.0, t=[1.0])
    assert s.x[0, 0] == 0.0 and not s.doubtful


def test_a_slip_that_ends_at_the_limit_has_no_derivative():
    # A pull of 1 N that holds just what static friction holds, and a mass that comes to rest under it.
    block = ss.Oscillator(mass=1, stiffness=0, friction=ss.static_dynamic(1.0, 0.5), force=1.0, v0=-1.0)
    with pytest.warns(ss.MotionWarning):
        s = ss.sensitivity(block, ["oscillator.force.0.constant"], t_end=4.0, t=[0.3, 2.0])
    # Before it the derivative exists: a = 1.5, x = −t + 0.75 t².
    assert s.x[0, 0] == pytest.approx(0.3**2 / 2, rel=1e-12) and np.isnan(s.x[1, 0]) and s.doubtful
    # With more force it slips on with a = f − 0.5 from the end of the slip; with less it stays.
    stop = 1.0 / 1.5
    assert np.isfinite(s.above.x[1, 0]) and np.isfinite(s.below.x[1, 0])
    # x at rest is −v₀²/(2 (f + 0.5)): its derivative is v₀²/(2 · 1.5²).
    assert s.below.x[1, 0] == pytest.approx(1.0 / (2 * 1.5**2), rel=1e-6)
    assert s.above.x[1, 0] == pytest.approx(1.0 / (2 * 1.5**2) + (2 - stop) ** 2 / 2 + 0.5 * (2 - stop) / 1.5**2, rel=1e-6)


def test_a_number_at_the_end_of_its_range_has_a_derivative_to_one_side():
    free = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.0), x0=1.0)
    s = ss.sensitivity(free, ["oscillator.damping"], t_end=3, t=[2.0])
    # x″ + c x′ + x = 0 from x = 1: ∂x/∂c at c = 0 is (sin t − t cos t)/2.
    assert s.sides == {"oscillator.damping": "above"}
    assert s.x[0, 0] == pytest.approx((np.sin(2.0) - 2.0 * np.cos(2.0)) / 2.0, rel=1e-9)
    assert np.isnan(s.below.x[0, 0]) and s.above.x[0, 0] == pytest.approx(s.x[0, 0], rel=1e-6)


@pytest.mark.parametrize(
    ("wrt", "more", "match"),
    [
        ("oscillator.mas", {}, "no number of this model; did you mean"),
        ("mass", {}, "did you mean `oscillator.mass`"),
        ([], {}, "expected a list of keys"),
        (3, {}, "expected a list of keys"),
        ("oscillator.mass", {"t": [5.0]}, "a time is 5.0 s; the motion lasts from 0 to 4.0 s"),
        ("oscillator.mass", {"t": [2.0, 1.0]}, "expected times in order"),
    ],
)
def test_what_is_wrong_is_said(shaw, wrt, more, match):
    with pytest.raises(ss.InputError, match=match):
        ss.sensitivity(shaw, wrt, t_end=4, **more)


def test_models_and_schemes_without_derivatives_say_so(shaw, cascade, noisy):
    with pytest.raises(ss.UnsolvableError, match="kind `cascade` are those of the schemes `exact` and `adaptive`"):
        ss.sensitivity(cascade.replace(run={"step": 0.01}), "cascade.mass", t_end=4, scheme="implicit-euler")
    with pytest.raises(ss.InputError, match="has noise"):
        ss.sensitivity(noisy.replace(run={"step": 0.01}), "oscillator.mass", t_end=4)
    with pytest.raises(ss.InputError, match="Python function"):
        pull = ss.function(lambda t: t, bounds=(9.0, 1.0, 0.0))
        ss.sensitivity(shaw.replace(force=pull), "oscillator.mass", t_end=4)
    with pytest.raises(ss.UnsolvableError, match="exact and adaptive"):
        ss.sensitivity(shaw.replace(run={"step": 0.1}), "oscillator.mass", t_end=4, scheme="implicit-euler")


def test_networks_by_their_equation(network):
    s = ss.sensitivity(network, ["network.slider.0.static", "network.node.0.mass"], t_end=9, t=[1.0, 5.0, 8.5])
    assert s.x.shape == s.v.shape == (3, 2, 2) and s.event_times.shape == (len(s.events), 2)
    assert s.worth is None and not s.doubtful


def test_cascades_by_their_arcs_and_impacts_by_those_that_move_alike(cascade, ball):
    # Where no element slips a cascade is its first spring: x = (F/(k₀ − ω²)) (cos ω t − cos √k₀ t).
    free = cascade.replace(threshold=[1e3] * 4, force=ss.harmonic(1.0, 0.9))
    s = ss.sensitivity(free, ["cascade.force.0.harmonic.amplitude", "cascade.mass"], t_end=10, t=[2.0, 7.0])
    k, w, t = free.stiffness[0], 0.9, np.array([2.0, 7.0])
    assert s.x[:, 0] == pytest.approx((np.cos(w * t) - np.cos(np.sqrt(k) * t)) / (k - w * w), rel=1e-9)
    assert s.worth is None
    s = ss.sensitivity(cascade, "cascade.threshold.0", t_end=12, t=[5.0, 11.0])
    many = ss.solve_many(cascade, {"cascade.threshold.0": 0.5 + 1e-5 * AT}, t_end=12, t=[5.0, 11.0])
    assert s.x[:, 0] == pytest.approx(many.x.T @ WEIGHTS / 1e-5, rel=1e-5, abs=1e-8) and len(s.events) > 5
    # The same where it starts under load and away from 0, in both modes.
    loaded = cascade.replace(prestress=[0.1, -0.2, 0.05, 0.3], x0=0.2, v0=-0.3)
    keys = ["cascade.prestress.1", "cascade.initial.displacement", "cascade.stiffness.2"]
    s = ss.sensitivity(loaded, keys, t_end=12, t=[11.0])
    assert s.worth is None and not s.doubtful
    for i, key in enumerate(keys):
        value = [-0.2, 0.2, loaded.stiffness[2]][i]
        many = ss.solve_many(loaded, {key: value + 1e-5 * AT}, t_end=12, t=[11.0])
        assert s.x[0, i] == pytest.approx(many.x[:, 0] @ WEIGHTS / 1e-5, rel=1e-5, abs=1e-8)
    back = ss.value_and_grad(loaded, lambda u: (u.x[0], {"x": [1.0]}), keys, t_end=12, t=[11.0], method="reverse")
    assert list(back.grad) == pytest.approx(s.x[0], rel=1e-9)
    s = ss.sensitivity(ball, "impact.initial.displacement", t_end=0.7, t=[0.2])
    # It falls from h until √(2h/g).
    assert s.event_times[0, 0] == pytest.approx(1.0 / np.sqrt(2 * 9.81), rel=1e-9)
    # Above a floor that rises its derivatives are differences, which have no one value at an event.
    rising = ball.replace(wall=ss.ramp(0.1))
    at = ss.sensitivity(rising, "impact.initial.displacement", t_end=0.7)
    assert max(at.worth.values()) < 1e-7
    assert np.isnan(at.x[np.isin(at.t, at.events["t"])]).all() and np.isfinite(s.x).all()

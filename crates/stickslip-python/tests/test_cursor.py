"""Runs in pieces: as `solve` where nothing is changed, and as the solution with the same loads where they are."""

from __future__ import annotations

import numpy as np
import pytest
import stickslip as ss


def block(**changes):
    return ss.Oscillator(**{"mass": 1, "stiffness": 1, "friction": ss.static_dynamic(1.2, 1.0), **changes})


def shaw():
    return block(drive=ss.harmonic(6.0, 0.5), x0=6.0)


@pytest.mark.parametrize("scheme, step", [("exact", None), ("adaptive", None), ("euler", 0.01)])
def test_pieces_are_the_motion(scheme, step):
    path = ss.solve(shaw(), 40.0, scheme, step=step)
    c = ss.cursor(shaw(), 40.0, scheme, step=step)
    events = []
    for t in np.linspace(0.1, 40.0, 400):
        events += c.advance(t)
        assert abs(c.x - path(t)[0]) < 1e-9 and c.time == t
    assert [e[0] for e in events] == path.events["event"].tolist()
    assert np.abs(np.array([e[1] for e in events]) - path.events["t"]).max() < 1e-9
    assert c["x"] == c.x and c["friction"] == pytest.approx(path.sample([40.0])["friction"][0], abs=1e-9)


def test_added_loads_are_those_of_the_sampled_signal():
    times = np.linspace(0.0, 20.0, 201)
    force = 3.0 * np.sin(1.3 * times)
    want = ss.solve(block(force=ss.sampled(times, force)), 20.0)
    c = ss.cursor(block(), 20.0)
    for k, t in enumerate(times[:-1]):
        c.set_input("force", force[k], (force[k + 1] - force[k]) / (times[k + 1] - t))
        c.advance(times[k + 1])
        assert np.abs(c.state - want(times[k + 1])).max() < 1e-9
    # Held: a force of 1.5 N against 1 N of friction moves 1 kg by 0.25 m in a second.
    held = ss.cursor(block(stiffness=0), 10.0)
    held.advance(4.0)
    held.set_input("force", 1.5)
    held.advance(5.0)
    assert held.x == pytest.approx(0.25, abs=1e-14) and held.v == pytest.approx(0.5, abs=1e-14) and held.phase == "slip+"


@pytest.mark.parametrize("quantity, sample_time", [("displacement", None), ("velocity", None), ("displacement", 0.125)])
def test_references_and_speeds_of_surfaces_are_inputs(quantity, sample_time):
    times = np.linspace(0.0, 10.0, 41)
    goal, speed = 0.3 * np.sin(1.3 * times), 0.2 * np.sin(0.7 * times)

    def servo(reference, surface):
        gains = {"proportional": 8.0, "integral": 1.0, "derivative": 1.5, "filter": 0.05}
        return ss.Network(
            nodes=[ss.node("a", 1.0), ss.node("b", 2.0, x0=0.1)],
            springs=[ss.spring("a", "b", 30.0)],
            sliders=[ss.slider("a", "ground", 1.2, 1.0, name="belt", support=surface)],
            controllers=[ss.controller(of="b", on="b", name="pid", reference=reference, quantity=quantity, sample_time=sample_time, **gains)],
        )

    want = ss.solve(servo(ss.sampled(times, goal), ss.constant(0.3) + ss.sampled(times, speed)), 10.0)
    c = ss.cursor(servo(None, 0.3), 10.0)
    assert c.inputs[-2:] == ("support_belt", "reference_pid")
    for k, t in enumerate(times[:-1]):
        for name, values in (("reference_pid", goal), ("support_belt", speed)):
            c.set_input(name, values[k], (values[k + 1] - values[k]) / (times[k + 1] - t))
        c.advance(times[k + 1])
        assert np.abs(np.concatenate([c.x, c.v]) - want(times[k + 1])).max() < 1e-9


def test_own_signals_go_on_under_what_is_added():
    own = ss.sampled([0.0, 1.0, 3.0, 10.0], [0.0, 2.0, -1.0, 3.0])
    want = ss.solve(block(drive=own, force=0.3), 10.0)
    c = ss.cursor(block(drive=own), 10.0)
    c.set_input("force", 0.3)
    for t in (0.5, 2.0, 7.0, 10.0):
        c.advance(t)
        assert np.abs(c.state - want(t)).max() < 1e-9


def test_states_are_set_kept_and_put_back():
    c = ss.cursor(shaw(), 40.0)
    c.advance(3.0)
    c.set_input("force", 0.2)
    kept = c.save()
    c.advance(20.0)
    first = c.state
    c.set_state([1.0, 2.0])
    assert c.state.tolist() == [1.0, 2.0]
    c.restore(kept)
    assert c.time == 3.0
    c.advance(20.0)
    assert (c.state == first).all()
    # A free mass that is set in motion: x = sin t.
    free = ss.cursor(block(friction=ss.coulomb(0.0)), 10.0)
    free.set_state([0.0, 1.0])
    free.advance(1.0)
    assert free.state == pytest.approx([np.sin(1.0), np.cos(1.0)], abs=1e-12)


def test_networks_have_a_state_for_each_node():
    net = ss.Network(
        nodes=[ss.node("a", 1.0), ss.node("b", 2.0)],
        springs=[ss.spring("a", "b", 3.0), ss.spring("b", "ground", 1.0)],
        sliders=[ss.slider("a", "ground", 1.2, 1.0)],
        forces={"a": ss.harmonic(2.0, 1.0)},
    )
    want = ss.solve(net.replace(forces={"a": ss.harmonic(2.0, 1.0), "b": ss.constant(0.5)}), 10.0)
    c = ss.cursor(net, 10.0)
    c.set_input("force_b", 0.5)
    c.advance(10.0)
    assert np.abs(c.state - want(10.0)).max() < 1e-9 and c.x.shape == c.v.shape == (2,)


@pytest.mark.parametrize(
    "call",
    [
        lambda c: c.advance(1.0),
        lambda c: c.advance(50.0),
        lambda c: c.advance(np.nan),
        lambda c: c.set_state([1.0]),
        lambda c: c.set_state([1.0, np.nan]),
        lambda c: c.set_input("forc", 1.0),
        lambda c: c.set_input("force", np.nan),
        lambda c: c.set_input("force", 1.0, np.inf),
        lambda c: c.set_input(3, 1.0),
        lambda c: c.restore(3),
        lambda c: c["y"],
    ],
)
def test_what_cannot_be_is_said(call):
    c = ss.cursor(shaw(), 40.0)
    c.advance(2.0)
    before = c.state
    with pytest.raises(ss.InputError):
        call(c)
    assert (c.state == before).all() and c.advance(3.0) is not None


def test_a_machine_of_linear_parts_is_exact_in_pieces_and_has_derivatives():
    drive = ss.Network(
        nodes=[ss.node("motor", 0.4), ss.node("load", 1.0), ss.node("b", 2.0)],
        gears=[ss.gear("motor", "load", 2.0)],
        springs=[ss.spring("load", "b", 30.0), ss.spring("b", "ground", 2.0)],
        sliders=[ss.slider("b", "ground", 0.8, 0.5)],
        stops=[ss.stop("load", "b", lower=-0.1, upper=0.06, restitution=0.4)],
        forces={"motor": ss.harmonic(2.0, 1.3), "b": ss.harmonic(2.5, 0.7)},
    )
    path = ss.solve(drive, 20.0, scheme="exact")
    near = ss.solve(drive, 20.0, scheme="adaptive", rtol=1e-12, atol=1e-14)
    assert path.scheme == "exact" and len(path.events) > 50
    assert np.abs(path(20.0) - near(20.0)).max() < 1e-9
    c = ss.cursor(drive, 20.0, scheme="exact")
    events = [e for t in np.linspace(0.125, 20.0, 160) for e in c.advance(t)]
    assert [e[0] for e in events] == path.events["event"].tolist()
    assert np.abs(c.x - path(20.0)[:3]).max() < 1e-12
    # What is added acts as by the other scheme, and a run goes on from what was saved.
    runs = [ss.cursor(drive, 20.0, scheme="exact"), ss.cursor(drive, 20.0, scheme="adaptive", rtol=1e-12, atol=1e-14)]
    for t in np.linspace(0.5, 10.0, 20):
        for run in runs:
            run.set_input("force_motor", 0.1 * np.sin(t))
            run.advance(t)
    assert np.abs(runs[0].x - runs[1].x).max() < 1e-9
    kept = runs[0].save()
    runs[0].advance(15.0)
    after = runs[0].x.copy()
    runs[0].restore(kept)
    runs[0].advance(15.0)
    assert (runs[0].x == after).all()
    # It slips from the start and never rests before 1 s: what it holds at rest has no effect.
    keys = ["network.spring.0.stiffness", "network.slider.0.static"]
    s = ss.sensitivity(drive, keys, t_end=1.0, scheme="exact", t=[1.0])
    other = ss.sensitivity(drive, keys, t_end=1.0, scheme="adaptive", t=[1.0])
    assert s.x[..., 0] == pytest.approx(other.x[..., 0], rel=1e-6) and (s.x[..., 1] == 0.0).all()

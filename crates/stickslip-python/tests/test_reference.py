"""Against 30-digit references: every event, every time, every displacement."""

from __future__ import annotations

import numpy as np
import pytest
import stickslip as ss
from conftest import REFERENCE


def cases(name):
    file = REFERENCE / name
    if not file.is_file():
        pytest.skip("the references are not there: this is not a checkout")
    return file.read_text().split("case ")[1:]


def head(line):
    words = [w for w in line.split() if "=" in w]
    return {k: float(v) for k, v in (w.split("=") for w in words)}


def close(got, want):
    return abs(got - want) <= 1e-12 * max(abs(want), 1e-3)


@pytest.mark.parametrize("number", range(4))
def test_oscillators(number):
    block = cases("oscillator.txt")[number]
    first, *rest = block.splitlines()
    of = head(first)
    model = ss.Oscillator(
        mass=of["m"],
        stiffness=of["K"],
        damping=of["c"],
        friction=ss.static_dynamic(of["fs"], of["fd"]),
        drive=ss.harmonic(of["A"], of["w"], of["phi"]),
        x0=of["x0"],
        v0=of["v0"],
    )
    path = ss.solve(model, of["T"])
    want = [line.split(" ") for line in rest if line]
    *events, end = want
    assert path.events["event"].tolist() == [e[0] for e in events]
    for got, (_, t, x) in zip(path.events, events):
        assert close(got["t"], float(t)) and close(got["x"], float(x))
    x, v = path(of["T"])
    assert close(x, float(end[1])) and close(v, float(end[2]))
    assert path.energy.relative_defect < 1e-12


def test_free_decay_loses_two_friction_travels_each_half_period():
    # From x₀ the amplitude falls by 2 f/K in each half period, and stops once it is within f/K.
    model = ss.Oscillator(mass=2.0, stiffness=8.0, friction=ss.coulomb(2.0), x0=2.125)
    path = ss.solve(model, 20.0)
    assert path.events["x"] == pytest.approx([-1.625, 1.125, -0.625, 0.125], abs=1e-13)
    assert path.events["t"] == pytest.approx(np.pi / 2.0 * np.arange(1, 5), rel=1e-13)
    assert path.energy.friction == pytest.approx(4.0 * (2.125**2 - 0.125**2), rel=1e-13)


def test_a_ball_comes_to_rest_after_a_geometric_series(ball):
    # Zeno: t = √(2h/g) (1 + e)/(1 − e).
    path = ss.solve(ball, 5.0)
    assert path.events["event"][-1] == "rest"
    assert path.events["t"][-1] == pytest.approx(np.sqrt(2.0 / 9.81) * 3.0, rel=1e-9)
    first = path.events[0]
    assert first["v"] == pytest.approx(0.5 * np.sqrt(2.0 * 9.81), rel=1e-13)
    assert first["impulse"] == pytest.approx(1.5 * np.sqrt(2.0 * 9.81), rel=1e-13)


def test_a_cascade_yields_where_the_formulas_say(cascade):
    # While every element sticks the mass is an oscillator of stiffness k₀ under A cos ωt; the first one yields
    # where the displacement reaches α₁/k₀.
    path = ss.solve(cascade, 20.0)
    first = path.events[0]
    omega, natural = 0.9, np.sqrt(3.0)
    t = first["t"]
    x = 2.5 / (natural**2 - omega**2) * (np.cos(omega * t) - np.cos(natural * t))
    assert first["event"] == "yield" and first["where"] == "1"
    assert x == pytest.approx(0.5 / 3.0, rel=1e-12) and first["x"] == pytest.approx(0.5 / 3.0, rel=1e-12)
    assert path.columns == ("x", "v", "force", "w1", "w2", "w3", "w4")


def test_one_node_is_an_oscillator(shaw):
    net = ss.Network(
        nodes=[ss.node("a", 1.0, x0=6.0), ss.node("d")],
        springs=[ss.spring("a", "d", 1.0)],
        sliders=[ss.slider("a", "ground", 1.2, 1.0)],
        motions={"d": ss.harmonic(6.0, 0.5)},
    )
    one, other = ss.solve(shaw, 40.0), ss.solve(net, 40.0, "exact")
    assert other.events["event"].tolist() == one.events["event"].tolist()
    assert other.events["t"] == pytest.approx(one.events["t"], rel=1e-10)
    assert other["x_a"].shape == other.t.shape


def test_the_euler_scheme_is_of_the_first_order(shaw):
    table = ss.converge(shaw, 10.0, "euler", step=0.01, halvings=5, against="exact")
    # The last error has no next one to be compared with.
    assert table.order[:-1] == pytest.approx(1.0, abs=0.1) and np.isnan(table.order[-1])
    assert len(table.h) >= 5 and (np.diff(table.h) < 0.0).all()

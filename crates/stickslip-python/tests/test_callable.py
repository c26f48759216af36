"""Laws and signals are functions that can be drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
import stickslip as ss


def test_signals_are_functions_of_time():
    t = np.linspace(-1.0, 9.0, 101)
    known = [
        (ss.constant(2.0), 2.0 + 0.0 * t),
        (ss.ramp(0.5, 1.0), 1.0 + 0.5 * t),
        (ss.harmonic(2.0, 1.5, 0.3) - 1, 2.0 * np.cos(1.5 * t + 0.3) - 1),
        (ss.step(3.05, 2.0, before=-1.0), np.where(t < 3.05, -1.0, 2.0)),
        (ss.function(np.sin, bounds=(1.0, 1.0, 1.0)) * 3 + ss.ramp(1.0), 3 * np.sin(t) + t),
    ]
    for signal, right in known:
        assert signal(t) == pytest.approx(right, abs=1e-13)
    grid = ss.ramp(2.0)([[0.0, 1.0], [2.0, 3.0]])
    assert grid.tolist() == [[0.0, 2.0], [4.0, 6.0]]
    one = ss.ramp(2.0)(1.5)
    assert one == 3.0 and type(one) is float
    assert ss.step(3.0, 2.0)(3.0) == 2.0 and ss.constant(1.0)([]).shape == (0,)


def test_samples_are_lines_or_held():
    times, values = [0.0, 1.0, 3.0], [1.0, 2.0, -2.0]
    assert ss.sampled(times, values)([0.5, 2.0, 3.0]).tolist() == [1.5, 0.0, -2.0]
    assert ss.sampled(times, values, hold="zero")([0.5, 1.0, 2.9]).tolist() == [1.0, 2.0, 2.0]
    with pytest.raises(ss.Error):
        ss.sampled(times, values)(4.0)


def test_laws_are_functions_of_the_velocity():
    w = np.array([-2.0, -0.3, 0.3, 2.0])
    s, side = np.abs(w), np.sign(w)
    known = [
        (ss.coulomb(1.5), 1.5 + 0 * s),
        (ss.static_dynamic(1.2, 1.0), 1.0 + 0 * s),
        (ss.stribeck_exponential(2.0, 1.0, 0.5, 2, 0.1), 1.0 + np.exp(-((s / 0.5) ** 2)) + 0.1 * s),
        (ss.table([0.0, 1.0, 3.0], [2.0, 1.0, 2.0]), np.interp(s, [0.0, 1.0, 3.0], [2.0, 1.0, 2.0])),
        (ss.directional(ss.coulomb(2.0), ss.coulomb(1.0)), np.where(w > 0, 2.0, 1.0)),
        (ss.law_of(lambda v: 2.0 / (1.0 + v), (-2.0, 0.0)), 2.0 / (1.0 + s)),
    ]
    for law, size in known:
        assert law(w) == pytest.approx(side * size, rel=1e-13)
        assert math.isnan(law(0.0)) and type(law(1.0)) is float


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: ss.white(1.0)(0.0), "is a noise, which has no value"),
        (lambda: (ss.ramp(1.0) + ss.ornstein_uhlenbeck(1.0, 1.0))(0.0), "is a noise, which has no value"),
        (lambda: ss.ramp(1.0)(math.nan), "expected finite times"),
        (lambda: ss.dahl(1.0, 100.0)(1.0), "has a memory"),
        (lambda: ss.coulomb(1.0)(math.nan), "expected numbers, in m/s"),
    ],
)
def test_what_has_no_value_says_so(call, match):
    with pytest.raises(ss.InputError, match=match):
        call()


def test_they_are_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    ax = ss.stribeck_exponential(2.0, 1.0, 0.1).plot(to=0.5)
    (line,) = ax.get_lines()
    assert line.get_xdata()[[0, -1]].tolist() == [-0.5, 0.5] and "N" in ax.get_ylabel()
    assert np.isnan(line.get_ydata()[1000]) and line.get_ydata()[-1] == pytest.approx(1.0 + math.exp(-5.0))
    (line,) = ss.ramp(2.0).plot(to=3.0).get_lines()
    assert line.get_ydata()[-1] == 6.0

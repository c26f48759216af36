"""Responses with many sets of numbers: those of the energy balance and of single calls, in arrays."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
import stickslip as ss

KEY = "oscillator.force.0.harmonic.angular_frequency"
FRICTION = "oscillator.friction.coulomb.force"
SPAN = (0.8, 1.2)


def damped(friction: float = 0.1) -> ss.Oscillator:
    return ss.Oscillator(mass=1, stiffness=1, damping=0.1, friction=ss.coulomb(friction), force=ss.harmonic(1.0, 1.0))


@pytest.fixture(scope="module")
def found():
    return ss.response_many(damped(), {FRICTION: [0.1, 0.3, 0.5]}, KEY, SPAN, count=20, columns=["value", "amplitude", "kind", "stable"])


def test_peaks_are_those_of_the_energy_balance(found):
    # Where the force is in phase with the velocity, π F X = π c ω X² + 4 f X.
    expected = (1.0 - 4.0 * np.array([0.1, 0.3, 0.5]) / np.pi) / 0.1
    assert np.abs(found.peak / expected - 1.0).max() < 0.02
    assert np.abs(found.peak_value - 1.0).max() < 0.03


def test_rows_are_single_calls(found):
    assert len(found) == found.count == 3 and found.columns == ("value", "amplitude", "kind", "stable")
    for i, friction in enumerate([0.1, 0.3, 0.5]):
        one = ss.response(damped(friction), KEY, SPAN, count=20)
        for name in ("value", "amplitude", "kind"):
            assert (found.of(i)[name] == one[name]).all(), name
        assert (found.of(i)["stable"] == one.stable).all() and found.bifurcations[i] == one.bifurcations
        assert found.rows[i] == len(one["value"])
    assert len(found["amplitude"]) == found.rows.sum()


def test_workers_progress_and_what_fails():
    told = []
    with ProcessPoolExecutor(2) as executor:
        parts = ss.response_many(
            damped(), {"oscillator.mass": [1.0, -1.0, 1.1]}, KEY, SPAN, count=8, errors="nan", executor=executor, progress=lambda *a: told.append(a)
        )
    assert told[-1] == (3, 3) and list(parts.failed) == [1] and parts.rows[1] == 0 and np.isnan(parts.peak[1])
    whole = ss.response_many(damped(), {"oscillator.mass": [1.0, 1.1]}, KEY, SPAN, count=8)
    assert whole["amplitude"].tobytes() == parts["amplitude"].tobytes()
    assert (whole.of(1)["value"] == parts.of(2)["value"]).all() and "1 of them failed" in repr(parts)
    with pytest.raises(ss.InputError, match="response 1 could not be computed: `mass`"):
        parts.of(1)
    with pytest.raises(ss.InputError, match="response 1 of 2: `mass` is -1"):
        ss.response_many(damped(), {"oscillator.mass": [1.0, -1.0]}, KEY, SPAN, count=8)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"vary": {}}, "expected one value for each motion"),
        ({"vary": {KEY: [1.0]}}, "expected it once"),
        ({"columns": ["amplitud"]}, "did you mean `amplitude`"),
        ({"columns": "amplitude"}, "expected a list of names"),
        ({"range": (1.0,)}, "expected the first value and the last"),
        ({"key": "angular_frequency"}, f"did you mean `{KEY}`"),
    ],
)
def test_what_is_wrong_is_said(change, match):
    call = {"vary": {FRICTION: [0.1]}, "key": KEY, "range": SPAN, **change}
    with pytest.raises(ss.InputError, match=match):
        ss.response_many(damped(), **call)

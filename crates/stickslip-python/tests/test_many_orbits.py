"""Periodic orbits with many sets of numbers: those of closed forms and of single calls, in arrays."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import stickslip as ss

KEY = "oscillator.force.0.harmonic.angular_frequency"


def den_hartog(beta: float, f: float) -> ss.Oscillator:
    return ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(f), force=ss.harmonic(1.0, beta))


def test_amplitudes_are_den_hartogs():
    beta, f = np.linspace(1.3, 2.0, 40), 0.4
    found = ss.orbit_many(den_hartog(1.25, f), {KEY: beta})
    v, u = 1 / (1 - beta**2), np.tan(np.pi / 2 / beta) / beta
    assert np.allclose(found.amplitude, np.sqrt(v**2 - (f * u) ** 2), rtol=0, atol=1e-11)
    assert found.period == pytest.approx(2 * np.pi / beta, rel=1e-14)
    # Motions near an orbit with friction and no stop come to it, and it has no stick in it.
    assert found.stable.all() and (found.stops == 0).all() and found.multipliers.shape == (40, 2)
    assert len(found) == found.count == 40 and not found.failed and repr(found) == "<40 orbits, 40 of them stable>"


def test_rows_are_single_calls():
    forces, damping = [0.1, 0.5, 0.9], 0.05
    found = ss.orbit_many(den_hartog(0.5, 0.4), {"oscillator.friction.coulomb.force": forces, "oscillator.damping": damping})
    for i, f in enumerate(forces):
        one = ss.orbit(den_hartog(0.5, f).replace(damping=damping))
        for name in ("period", "amplitude", "max", "min", "dissipated", "stuck_fraction", "stable", "stops", "complete"):
            assert getattr(found, name)[i] == getattr(one, name), name
        assert (found.multipliers[i] == one.multipliers).all() and found.others[i] == len(one.others)
    assert len(set(found.stops.tolist())) > 1


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_parts_on_workers_are_the_whole(pool):
    vary = {KEY: np.linspace(1.3, 2.0, 9)}
    whole = ss.orbit_many(den_hartog(1.25, 0.4), vary)
    with pool(2) as executor:
        parts = ss.orbit_many(den_hartog(1.25, 0.4), vary, executor=executor)
    assert whole.amplitude.tobytes() == parts.amplitude.tobytes() and (whole.multipliers == parts.multipliers).all()


def test_what_has_no_orbit_is_named():
    vary = {"oscillator.mass": [1.0, -1.0, 2.0]}
    with pytest.raises(ss.InputError, match="orbit 1 of 3: `mass` is -1"):
        ss.orbit_many(den_hartog(1.25, 0.4), vary)
    found = ss.orbit_many(den_hartog(1.25, 0.4), vary, errors="nan")
    assert list(found.failed) == [1] and "`mass`" in found.failed[1] and "1 of them failed" in repr(found)
    assert np.isnan(found.amplitude).tolist() == [False, True, False] and found.stops[1] == -1 and not found.stable[1]
    with pytest.raises(ss.InputError, match="no orbit of 2 could be found; the first: `mass` is -1"):
        ss.orbit_many(den_hartog(1.25, 0.4), {"oscillator.mass": [-1.0, -2.0]}, errors="nan")


def test_progress_and_its_exceptions():
    told = []
    ss.orbit_many(den_hartog(1.25, 0.4), {KEY: np.linspace(1.3, 2, 30)}, progress=lambda *a: told.append(a))
    assert told[-1] == (30, 30) and len(told) > 1

    def stop(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ss.orbit_many(den_hartog(1.25, 0.4), {KEY: np.linspace(1.3, 2, 500)}, progress=stop)


@pytest.mark.parametrize(
    ("vary", "more", "match"),
    [
        ({}, {}, "expected one value for each motion"),
        ({"mass": [1.0]}, {}, "did you mean `oscillator.mass`"),
        ({"oscillator.mass": [1.0, 2.0], "oscillator.damping": [0.0]}, {}, "has 1 values and `oscillator.mass` 2"),
        ({"oscillator.mass": [1.0]}, {"errors": "ignore"}, "expected one of raise, nan"),
        ({"oscillator.mass": [1.0]}, {"periods": 0}, "expected a whole number ≥ 1"),
    ],
)
def test_what_is_wrong_is_said(vary, more, match):
    with pytest.raises(ss.InputError, match=match):
        ss.orbit_many(den_hartog(1.25, 0.4), vary, **more)

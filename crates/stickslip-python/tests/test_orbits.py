"""Periodic orbits and responses."""

from __future__ import annotations

import numpy as np
import pytest
import stickslip as ss


def den_hartog(beta: float, f: float) -> ss.Oscillator:
    return ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(f), force=ss.harmonic(1.0, beta))


def test_an_orbit_has_den_hartogs_amplitude_and_shaws_multipliers() -> None:
    orbit = ss.orbit(den_hartog(1.25, 0.4))
    assert orbit.amplitude == pytest.approx(1.48004969692525, abs=1e-12)
    assert orbit.multipliers[0] == pytest.approx(0.2463452769 + 0.6606423998j, abs=1e-9)
    assert orbit.stable and not orbit.family and orbit.stops == 0
    assert orbit.x.max() == pytest.approx(orbit.max, abs=1e-4)


def test_a_response_follows_den_hartogs_curve() -> None:
    found = ss.response(den_hartog(1.25, 0.4), "oscillator.force.0.harmonic.angular_frequency", (1.3, 2.0), count=30)
    beta, f = found.value, 0.4
    v, u = 1 / (1 - beta**2), np.tan(np.pi / 2 / beta) / beta
    assert np.allclose(found.amplitude, np.sqrt(v**2 - (f * u) ** 2), rtol=0, atol=1e-11)
    assert found.stable.all() and found.bifurcations == []


def test_what_a_response_cannot_take_is_said() -> None:
    with pytest.raises(ss.InputError, match="range"):
        ss.response(den_hartog(1.25, 0.4), "oscillator.mass", 3)  # type: ignore[arg-type]

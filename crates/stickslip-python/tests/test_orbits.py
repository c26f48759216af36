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


def test_a_second_number_makes_den_hartogs_limit_a_curve() -> None:
    betas = [0.7, 1.25, 2.0, 2.6]
    second = {"oscillator.force.0.harmonic.angular_frequency": betas}
    found = ss.response(den_hartog(1.25, 0.4), "oscillator.friction.coulomb.force", (0.4, 0.9), count=20, second=second)
    rows = found.table("boundaries")
    stops = rows["kind"] == "stops"
    beta = rows["oscillator.force.0.harmonic.angular_frequency"][stops]
    assert beta.tolist() == betas and len(set(rows["curve"][stops])) == 1
    v, u = 1 / (1 - beta**2), np.tan(np.pi / 2 / beta) / beta
    limit = np.abs(v) / np.sqrt(u**2 + beta**-4)
    assert np.allclose(rows["oscillator.friction.coulomb.force"][stops], limit, rtol=0, atol=1e-9)


def test_what_a_response_cannot_take_is_said() -> None:
    with pytest.raises(ss.InputError, match="range"):
        ss.response(den_hartog(1.25, 0.4), "oscillator.mass", 3)  # type: ignore[arg-type]


def loop(**more: object) -> ss.Network:
    return ss.Network(
        nodes=[ss.node("axis", 1.0)],
        sliders=[ss.slider("axis", "ground", 1.0, 0.7, name="guide")],
        controllers=[ss.controller("axis", "axis", reference=1.0, proportional=6.5, derivative=3.0, **more)],
    )


def test_an_integral_hunts_and_a_loop_without_rests() -> None:
    found = ss.hunt(loop(integral=8.5), t_end=20)
    (cycle,) = found.cycles
    # Of an independent program in quadruple precision.
    assert found.verdict == "hunts" and cycle["period"] == pytest.approx(14.99567536641, abs=1e-8)
    assert set(found.outcome) == {"hunts"} and cycle["attracts"] and found.within is None
    rests = ss.hunt(loop(), t_end=20, starts=[0.5, -0.5])
    # It stays where |P e| is at most the breakaway force.
    assert rests.verdict == "rests" and 0 < rests.within <= 1.0 / 6.5 and rests.cycles == []
    table = ss.hunt(loop(integral=8.5), t_end=20, vary={"network.controller.0.integral": [0.0, 8.5]})
    assert table.rests.tolist() == [1, 0] and table.hunts.tolist() == [0, 1]
    with pytest.raises(ss.InputError, match="one or two keys"):
        ss.hunt(loop(), t_end=20, vary={})


def test_starts_lead_to_rest_or_to_motion() -> None:
    # f_d < P < f_s: at resonance the load cannot set the mass in motion, and a moving mass is not stopped
    law = ss.static_dynamic(1.1, 0.6)
    model = ss.Oscillator(mass=1, stiffness=1, damping=0.2, friction=law, force=ss.harmonic(1.0, 1.0))
    found = ss.basins(model, (-4, 4, 9), (-4, 4, 7))
    assert found.grid.shape == (7, 9) and sorted(set(found.orbit)) == [1, 2]
    stops = {o["orbit"]: o["stuck_fraction"] for o in found.orbits}
    assert sorted(stops.values()) == [0.0, 1.0]
    assert found.orbits[0]["share"] + found.orbits[1]["share"] == pytest.approx(1.0)
    with pytest.raises(ss.InputError, match="first, last, count"):
        ss.basins(model, (1.0, 2.0))  # type: ignore[arg-type]


def test_exponents_of_an_orbit_are_the_logarithms_of_its_multipliers() -> None:
    beta = 0.55
    found = ss.sweep(den_hartog(beta, 0.3), {"oscillator.friction.coulomb.force": [0.3]}, 1.0, lyapunov=300)
    want = np.log([0.5692859525, 0.05639660295]) * beta / (2 * np.pi)
    assert found.lyapunov1[0] == pytest.approx(want[0], rel=2e-3)
    assert found.lyapunov2[0] == pytest.approx(want[1], rel=2e-3)


def test_machines_are_followed_by_exact_where_it_is_asked_for() -> None:
    axis = ss.Network(
        nodes=[ss.node("axis", 1.0)],
        sliders=[ss.slider("axis", "ground", 1.0, 0.7)],
        controllers=[ss.controller("axis", "axis", reference=1.0, proportional=6.5, integral=8.5, derivative=3.0)],
    )
    exact, adaptive = (ss.hunt(axis, t_end=20, scheme=scheme).cycles[0] for scheme in ("exact", "adaptive"))
    assert exact["period"] == pytest.approx(adaptive["period"], abs=1e-11)
    bouncing = ss.Network(
        nodes=[ss.node("a", 1.0)],
        springs=[ss.spring("a", "ground", 1.0)],
        stops=[ss.stop("a", "ground", lower=-0.1, restitution=0.6)],
        forces={"a": ss.harmonic(1.0, 2.3)},
    )
    by = [ss.orbit(bouncing, scheme=scheme) for scheme in ("exact", "adaptive")]
    product = [np.prod(orbit.multipliers).real for orbit in by]
    # An impact multiplies areas by the square of its restitution.
    assert product == pytest.approx([0.36, 0.36], abs=1e-8)

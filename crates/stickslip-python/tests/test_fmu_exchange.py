"""FMUs in model exchange: FMPy integrates, and the contacts decide."""

from __future__ import annotations

import numpy as np
import pytest
from fmu_tools import BOTH, ball, cascade, exported, fmpy, network, run, shaw

import stickslip as ss

from fmpy.validation import validate_fmu


@BOTH
def test_model_exchange_to_the_importers_tolerance(fmi, tmp_path):
    for name, law in (("two", ss.static_dynamic(1.2, 1.0)), ("one", ss.coulomb(1.0))):
        model = shaw(friction=law)
        path = exported(model, tmp_path, fmi, name=name)
        result = fmpy.simulate_fmu(
            path, fmi_type="ModelExchange", stop_time=40.0, output_interval=0.5, relative_tolerance=1e-10
        )
        ours = ss.solve(model, t_end=40.0)
        assert np.abs(result["x"] - ours(result["time"])[0]).max() < 1e-6
        stick = result["phase"] == 0
        assert not result["v"][stick].any()
        assert result["slips"][-1] == sum(ours.events["event"] == "slip")
        assert result["sticks"][-1] == sum(ours.events["event"] == "stick")


@BOTH
def test_model_exchange_of_every_kind_of_model(fmi, tmp_path):
    bouncing = shaw(stops=ss.Stops(lower=-2.0, upper=6.5, restitution=0.5))
    slides = ("slips", "sticks", "reversals")
    for name, model, counts in (
        ("stops", bouncing, ("impacts",)),
        ("cascade", cascade(), ("yields", "reversals")),
        ("network", network(1.5, 1.2), slides),
        ("ball", ball(), ("impacts", "rests")),
    ):
        path = exported(model, tmp_path, fmi, 20.0, name)
        assert not validate_fmu(path)
        result = fmpy.simulate_fmu(
            path, fmi_type="ModelExchange", stop_time=20.0, output_interval=0.5, relative_tolerance=1e-10
        )
        ours = ss.solve(model, t_end=20.0)
        place = "x_a" if name == "network" else "x"
        # Bounces add up the errors of their times; the ball has lain still since 2.6 s.
        near = 1e-5 if name == "ball" else 1e-6
        assert np.abs(result[place] - ours(result["time"])[0]).max() < near
        # Bounces at a stop are infinitely many: each run counts them as far as it tells them apart.
        for count in counts:
            expected = sum(ours.events["event"] == count.removesuffix("s"))
            assert result[count][-1] == expected or count == "impacts" and result[count][-1] > 10
        together = run(path, stop_time=20.0, output_interval=0.5)
        assert abs(result["energy_lost"][-1] - together["energy_lost"][-1]) < 1e-5
        if name == "network":
            stick = result["phase_s"] == 0
            assert stick.any() and not result["v_a"][stick].any(), "what sticks to the ground rests"


CART = """
[[network.node]]
name = "cart"
mass = 1.0
[[network.slider]]
name = "rail"
between = ["cart", "ground"]
static = 0.5
dynamic = 0.4
[[network.stop]]
name = "end"
between = ["cart", "ground"]
lower = -0.5
upper = 0.6
restitution = 0.3
[[network.controller]]
name = "pid"
of = "cart"
on = "cart"
proportional = 20.0
integral = 10.0
derivative = 4.0
filter = 0.02
reference = [{ harmonic = { amplitude = 1.0, angular_frequency = 2.0 } }]
[run]
end = 10.0
"""


@BOTH
def test_model_exchange_of_a_machine(fmi, tmp_path):
    (tmp_path / "cart.toml").write_text(CART)
    model = ss.load(tmp_path / "cart.toml")
    path = exported(model, tmp_path, fmi, 10.0, "cart")
    assert not validate_fmu(path)
    result = fmpy.simulate_fmu(
        path, fmi_type="ModelExchange", stop_time=10.0, output_interval=0.1, relative_tolerance=1e-10
    )
    ours = ss.solve(model, t_end=10.0)
    assert np.abs(result["x_cart"] - ours(result["time"])[0]).max() < 1e-6
    assert result["sticks"][-1] == sum(ours.events["event"] == "stick") > 3
    # Bounces that are too small to be followed are summed where each run tells them no more apart.
    assert result["contacts"][-1] == sum(ours.events["event"] == "contact") > 3
    assert result["impacts"][-1] > 50


@BOTH
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_an_importer_tells_a_controller_where_to_go(fmi, kind, tmp_path):
    of_its_own = "reference = [{ harmonic = { amplitude = 1.0, angular_frequency = 2.0 } }]\n"
    (tmp_path / "cart.toml").write_text(CART.replace(of_its_own, ""))
    path = exported(ss.load(tmp_path / "cart.toml"), tmp_path, fmi, 10.0, "cart")
    assert not validate_fmu(path)
    times = np.linspace(0.0, 10.0, 2001)
    told = np.zeros(len(times), dtype=[("time", float), ("reference_pid", float), ("reference_pid_rate", float)])
    told["time"], told["reference_pid"], told["reference_pid_rate"] = times, np.sin(2 * times), 2 * np.cos(2 * times)
    result = fmpy.simulate_fmu(
        path, fmi_type=kind, stop_time=10.0, output_interval=0.005, input=told, relative_tolerance=1e-10
    )
    # A harmonic is a cosine.
    (tmp_path / "own.toml").write_text(CART.replace("angular_frequency = 2.0 }", f"angular_frequency = 2.0, phase = {-np.pi / 2} }}"))
    ours = ss.solve(ss.load(tmp_path / "own.toml"), t_end=10.0)
    # Between two of these times the reference is 0.005²/8 · 4 m off, or it is taken as it was told last.
    assert np.abs(result["x_cart"] - ours(result["time"])[0]).max() < 1e-4
    # An importer that integrates changes the reference in every step, and where the cart hardly rests it slips at some of these changes.
    sticks = sum(ours.events["event"] == "stick")
    assert result["sticks"][-1] >= sticks > 3 and (kind == "ModelExchange" or result["sticks"][-1] == sticks)


def led(**changes):
    """A cascade whose displacement is prescribed: there is nothing to integrate, only events to find."""
    model = ss.Cascade(mass=1, stiffness=[100, 50, 20], threshold=[1, 2], displacement=ss.harmonic(0.3, 1.0))
    return ss.load({**model.replace(**changes).to_dict(), "run": {"end": 20.0, "scheme": "quasi-static"}})


@BOTH
def test_model_exchange_of_a_prescribed_cascade(fmi, tmp_path):
    path = exported(led(), tmp_path, fmi, 20.0)
    assert not validate_fmu(path)
    result = fmpy.simulate_fmu(path, fmi_type="ModelExchange", stop_time=20.0, output_interval=0.1)
    ours, together = ss.solve(led(), t_end=20.0), run(path, stop_time=20.0, output_interval=0.1)
    time = result["time"]
    assert np.abs(result["x"] - ours(time)[0]).max() < 1e-12
    for name in ("spring_force", "w1", "w2", "energy_lost"):
        # At events FMPy notes a row more.
        assert np.abs(result[name] - np.interp(time, together["time"], together[name]))[np.isin(time, together["time"])].max() < 1e-9
    for name in ("yield", "reversal"):
        assert result[f"{name}s"][-1] == sum(ours.events["event"] == name) > 5
    assert abs(result["energy_lost"][-1] - ours.energy.friction) < 1e-9


@BOTH
def test_model_exchange_of_a_cascade_that_the_importer_leads(fmi, tmp_path):
    still = led(displacement=ss.constant(0.0))
    path = exported(still, tmp_path, fmi, 20.0)
    times = np.linspace(0.0, 20.0, 4001)
    moved = np.zeros(len(times), dtype=[("time", float), ("displacement", float)])
    moved["time"], moved["displacement"] = times, 0.3 * np.sin(times)
    result = fmpy.simulate_fmu(path, fmi_type="ModelExchange", stop_time=20.0, output_interval=0.005, input=moved)
    whole = ss.solve(led(displacement=ss.sampled(times, moved["displacement"])), t_end=20.0)
    # It says no rate, so a turn is known as closely as its steps are: 0.3 · 0.005²/8 m, under 100 N/m.
    assert result["reversals"][-1] == sum(whole.events["event"] == "reversal")
    assert abs(result["energy_lost"][-1] - whole.energy.friction) < 1e-3 * whole.energy.friction

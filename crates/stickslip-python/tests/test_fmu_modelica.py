"""Published runs of the Modelica Standard Library, reproduced through FMUs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fmu_tools import BOTH, exported, run

import stickslip as ss


#: Every row of the published runs, where they are beside the checkout.
WHOLE = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "modelica"
#: Every hundredth of them, which goes with the tests.
EXCERPT = Path(__file__).with_name("modelica.csv")


def published(whole, name, column):
    """Times (s) and displacements (m) of a published run (Dymola, tolerance 1e-6)."""
    if whole:
        path = WHOLE / f"{name}.csv"
        if not path.exists():
            pytest.skip(f"{path} is not here")
        table = np.genfromtxt(path, delimiter=",", names=True, deletechars="")
        return table["time"], table[column]
    lines = [line.split(",") for line in EXCERPT.read_text().splitlines() if line.startswith(f"{name},{column},")]
    return np.array([[float(time), float(x)] for *_, time, x in lines]).T


SLIDING = {"velocity": 0.5, "exponent": 1, "viscous": 1}


PUSHED = ss.harmonic(25.0, np.pi / 2, -np.pi / 2)


def brake():
    return ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(1.0), normal=ss.step(0.1, 1.0), v0=1.0)


def tabulated():
    """The friction of the first mass in 50 points, linear between them."""
    speed = np.linspace(0.0, 12.0, 50)
    law = ss.table(speed.tolist(), (5 + speed + 10 * np.exp(-2 * speed)).tolist())
    return ss.Oscillator(mass=1, stiffness=0, friction=law, force=PUSHED)


def pushed():
    law = ss.stribeck_exponential(static=15, dynamic=5, **SLIDING)
    return ss.Oscillator(mass=1, stiffness=0, friction=law, force=PUSHED)


def stopped():
    """A mass of 1 m length between stops at ±0.9 m, on a spring that is at rest where its middle is at −0.25 m."""
    law = ss.stribeck_exponential(static=8, dynamic=3, **SLIDING)
    stops = ss.Stops(lower=-0.4, upper=0.4, restitution=0.0)
    return ss.Oscillator(mass=1, stiffness=500, friction=law, drive=ss.constant(-0.25), v0=-5.0, stops=stops)


@BOTH
@pytest.mark.parametrize("whole", [False, True], ids=["excerpt", "whole"])
@pytest.mark.parametrize(
    ("make", "name", "mass", "near", "events"),
    [
        (brake, "Translational_Brake", "mass1", 1e-6, (0, 1, 0)),
        (pushed, "Translational_Friction", "stop1", 1e-4, (1, 0, 2)),
        (stopped, "Translational_Friction", "stop2", 1e-5, (0, 1, 6)),
        (tabulated, "Translational_Friction", "mass", 1e-4, (1, 0, 2)),
    ],
)
def test_published_modelica_runs(fmi, make, name, mass, near, events, whole, tmp_path):
    time, x = published(whole, name, f"{mass}.s")
    model, end = make(), float(time[-1])
    model = ss.load({**model.to_dict(), "run": {"end": end, "scheme": "adaptive", "rtol": 1e-11}})
    result = run(exported(model, tmp_path, fmi, end, mass), stop_time=end, output_interval=end / 2000)
    # Where both have a row.
    both = np.isin(np.round(result["time"], 9), np.round(time, 9))
    assert both.sum() > 40
    assert np.abs(result["x"] - np.interp(result["time"], time, x))[both].max() < near
    # Nothing creeps, and the events are those of the published modes.
    stick = result["phase"] == 0
    assert stick.any() and not result["v"][stick].any()
    assert tuple(result[n][-1] for n in ("slips", "sticks", "reversals")) == events
    # What is lost is what is missing.
    energy = 0.5 * result["v"] ** 2 + 0.5 * model.stiffness * (result["x"] + 0.25) ** 2
    force = 25.0 * np.sin(np.pi / 2 * result["time"]) if make in (pushed, tabulated) else 0.0 * result["v"]
    work = np.trapezoid(force * result["v"], result["time"])
    assert abs(energy[-1] - energy[0] + result["energy_lost"][-1] - work) < 1e-5 * max(energy[0], abs(work))

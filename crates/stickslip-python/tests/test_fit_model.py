"""Any model fitted from arrays and frames: the truth of twins, the covariance of linear least squares, the fitted model back."""

from __future__ import annotations

import pathlib
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import stickslip as ss

Columns = dict[str, Any]
STATIC = "oscillator.friction.static-dynamic.static"
DYNAMIC = "oscillator.friction.static-dynamic.dynamic"
UNKNOWN = {"oscillator.stiffness": (1.0, 10.0), STATIC: (0.0, 5.0), DYNAMIC: (0.0, 5.0)}
TRUTH = {"oscillator.stiffness": 4.0, STATIC: 2.0, DYNAMIC: 1.4}


def rig() -> ss.Oscillator:
    """A mass on a base; the numbers that are sought have wrong values."""
    return ss.Oscillator(mass=1.0, stiffness=3.0, damping=0.3, friction=ss.static_dynamic(1.0, 1.0))


def record(noise: float = 0.01, seed: int = 1) -> Columns:
    """Base and mass, mm; the mass by another rig with the true numbers."""
    t = np.arange(700) * 0.04
    base = np.sin(1.3 * t) + 0.5 * np.sin(0.37 * t + 0.4)
    true = ss.Oscillator(mass=1.0, stiffness=4.0, damping=0.3, friction=ss.static_dynamic(2.0, 1.4), drive=ss.sampled(t, base))
    x = ss.solve(true, float(t[-1]))(t)[0] + np.random.default_rng(seed).normal(0.0, noise, len(t))
    return {"time": t, "base_mm": 1e3 * base, "mass_mm": 1e3 * x}


def fitted(data: Any, **more: Any) -> ss.Fit:
    given: dict[str, Any] = {"unknown": UNKNOWN, "compare": False, "seed": 1, **more}
    base, mass = ({"column": name, "unit": "mm"} for name in ("base_mm", "mass_mm"))
    return ss.fit(rig(), data, drive={"oscillator.drive": base}, measured={"x": mass}, **given)


@pytest.fixture(scope="module")
def fit() -> ss.Fit:
    return fitted(record())


def test_the_numbers_are_those_that_made_the_record(fit: ss.Fit) -> None:
    for name, truth in TRUTH.items():
        e = fit.parameters[name]
        assert e.value is not None and e.stderr is not None
        assert abs(e.value - truth) < 4.0 * e.stderr and e.stderr < 0.05 * truth, f"{name}: {e}"
    assert fit.get_params() == {name: fit.parameters[name].value for name in UNKNOWN}


def test_the_fitted_model_moves_as_the_fit_does(fit: ss.Fit) -> None:
    x = ss.solve(fit.model, float(fit.t[-1]))(fit.t)[0]
    assert np.abs(x - fit.fitted).max() < 1e-10
    # In SI units, and with the numbers that were found; it serves another motion, too.
    assert fit.model.stiffness == fit.get_params()["oscillator.stiffness"]  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(fit)).model == fit.model


def test_the_fit_is_that_of_a_file_to_the_bit(fit: ss.Fit, tmp_path: pathlib.Path) -> None:
    data = record()
    rows = zip(*(c.tolist() for c in data.values()))
    (tmp_path / "rig.csv").write_text("\n".join([",".join(data), *(",".join(map(repr, row)) for row in rows)]) + "\n")
    rig().to_toml(tmp_path / "model.toml")
    unknown = "\n".join(f"{key} = {{ from = {low}, to = {high} }}" for key, (low, high) in UNKNOWN.items())
    (tmp_path / "rig.toml").write_text(f"""
data.file = "rig.csv"
data.time = "time"
data.drive = [{{ into = "oscillator.drive", column = "base_mm", unit = "mm" }}]
data.measured = [{{ what = "x", column = "mass_mm", unit = "mm" }}]
model = {{ kind = "model", file = "model.toml" }}
[fit]
compare = false
seed = 1
[fit.unknown]
{unknown}
""")
    from_file = ss.calibrate(tmp_path / "rig.toml")
    assert from_file.parameters == fit.parameters
    assert from_file.fitted.tobytes() == fit.fitted.tobytes()


def test_frames_tables_and_arrays_give_the_same_bits(fit: ss.Fit) -> None:
    data = record()
    frames: list[Any] = []
    for name in ("pandas", "polars"):
        library = pytest.importorskip(name)
        frames.append(library.DataFrame(data))
    frames.append(pytest.importorskip("pyarrow").table(data))
    for frame in frames:
        assert fitted(frame).parameters == fit.parameters
    arrays = ss.fit(
        rig(),
        time=data["time"],
        drive={"oscillator.drive": {"column": data["base_mm"], "unit": "mm"}},
        measured={"x": {"column": data["mass_mm"], "unit": "mm"}},
        unknown=UNKNOWN,
        compare=False,
        seed=1,
    )
    assert arrays.parameters == fit.parameters


def test_covariances_are_those_of_linear_least_squares() -> None:
    """x = x₀ + v₀ t + F t²/(2 m), whose covariances are σ² (Xᵀ X)⁻¹."""
    t = np.arange(400) * 0.01
    x = 0.3 + 0.2 * t + 0.5 * 0.7 * t**2 + np.random.default_rng(5).normal(0.0, 1e-3, len(t))
    free = ss.Oscillator(mass=1.0, stiffness=0.0, friction=ss.coulomb(0.0), force=ss.constant(0.1), x0=0.3, v0=0.2)
    force = "oscillator.force.0.constant"
    fit = ss.fit(free, {"t": t, "x": x}, time="t", measured={"x": "x"}, unknown={force: (0.0, 5.0)}, compare=False)
    assert fit.names == (force, "start of x", "start of v")
    design = np.stack([0.5 * t**2, np.ones_like(t), t], axis=1)
    left = x - design @ np.linalg.lstsq(design, x, rcond=None)[0]
    expected = np.linalg.inv(design.T @ design) * (left @ left) / (len(t) - 3)
    size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    found = fit.covariance
    assert np.abs(found / np.sqrt(np.outer(np.diag(found), np.diag(found))) - expected / size).max() < 1e-6
    # The standard errors allow for residuals that resemble their neighbours: their scale comes from 0.41 n^(2/3) = 22 cosines, hence
    # is known to 1/√44 = 15 %, and Student's t with 22 degrees widens it by 6 %. Three of them, to three standard deviations.
    assert np.abs(np.sqrt(np.diag(found) / np.diag(expected)) / 1.06 - 1.0).max() < 0.45
    assert np.sqrt(np.diag(found))[0] == pytest.approx(fit.parameters[force].stderr)


def test_what_is_not_fixed_has_no_covariance_and_no_model() -> None:
    """From displacements alone mass, stiffness and friction have one common factor."""
    unknown = {"oscillator.mass": (0.5, 2.0), "oscillator.stiffness": (2.0, 8.0), "oscillator.damping": (0.15, 0.6), STATIC: (1.0, 4.0)}
    fit = fitted(record(), unknown={**unknown, DYNAMIC: (0.7, 2.8)})
    assert np.isnan(list(fit.get_params().values())).all() and np.isnan(np.diag(fit.covariance)[:5]).all()
    with pytest.raises(ss.InputError, match="does not fix oscillator.mass"):
        fit.model


def test_a_node_of_a_network_with_a_sensor_that_is_late() -> None:
    t = np.arange(600) * 0.02
    pull = 3.0 * np.sin(1.1 * t) + np.sin(3.0 * t)

    def pair(friction: float, force: Any) -> ss.Network:
        nodes = [ss.node("a", 1.0), ss.node("b", 0.5)]
        springs = [ss.spring("a", "ground", 20.0), ss.spring("a", "b", 30.0)]
        return ss.Network(nodes=nodes, springs=springs, sliders=[ss.slider("b", "ground", friction)], forces={"a": force})

    path = ss.solve(pair(0.8, ss.sampled(t, pull)), float(t[-1]))
    x = path(np.maximum(t - 0.013, 0.0))[1] + np.random.default_rng(3).normal(0.0, 1e-4, len(t))
    fit = ss.fit(
        pair(0.3, ss.constant(0.0)),
        {"time": t, "pull": pull, "b": x},
        drive={"network.force.0": "pull"},
        measured={"x_b": {"column": "b", "delay": (0.0, 0.1)}},
        unknown={"network.slider.0.static": {"from": 0.0, "to": 3.0, "tied": ["network.slider.0.dynamic"]}},
        compare=False,
    )
    e = fit.parameters["network.slider.0.static"]
    assert e.value is not None and e.stderr is not None and abs(e.value - 0.8) < 4.0 * e.stderr and e.stderr < 0.02
    tuned = fit.measured[0]["tuned"][0]["estimate"]
    assert abs(tuned["value"] - 0.013) < 4.0 * tuned["stderr"]
    assert fit.names == ("network.slider.0.static", "delay of x_b")
    again = ss.solve(fit.model, float(t[-1]))(t)[1]
    truth = path(t)[1]
    assert np.abs(again - truth).max() < 2e-3 * np.abs(truth).max()


def test_many_records_are_fitted_alike(fit: ss.Fit) -> None:
    base, mass = ({"column": name, "unit": "mm"} for name in ("base_mm", "mass_mm"))
    options: dict[str, Any] = {"drive": {"oscillator.drive": base}, "measured": {"x": mass}, "unknown": UNKNOWN, "compare": False, "seed": 1}
    records = {"one": record(), "other": record(seed=2), "broken": {"time": [0.0, 1.0]}}
    told: list[tuple[int, int]] = []
    with pytest.warns(ss.RecordWarning, match="'broken' could not be calibrated"):
        here = ss.fit_all(rig(), records, progress=lambda *done: told.append(done), **options)
    assert list(here) == ["one", "other"] and list(here.failed) == ["broken"] and told[-1] == (3, 3)
    assert here["one"].parameters == fit.parameters != here["other"].parameters
    for name, truth in TRUTH.items():
        e = here["other"].parameters[name]
        assert e.value is not None and e.stderr is not None and abs(e.value - truth) < 4.0 * e.stderr
    with ProcessPoolExecutor(2) as pool, pytest.warns(ss.RecordWarning):
        there = ss.fit_all(rig(), records, executor=pool, **options)
    assert there["other"].parameters == here["other"].parameters and there["one"].model == here["one"].model
    with pytest.raises(TypeError, match="did you mean `measured`"):
        ss.fit_all(rig(), records, mesured={})


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"measured": {}}, "`measured` is"),
    ({"unknown": {}}, "`unknown` is"),
    ({"drive": ["base_mm"]}, "`drive` is"),
    ({"measured": {"x": "mas_mm"}}, "no column 'mas_mm' .*did you mean"),
    ({"measured": {"y": "mass_mm"}}, "does not show `y`"),
    ({"measured": {"x": {"name": "mass_mm"}}}, "expected column, unit"),
    ({"measured": {"x": {"unit": "mm"}}}, "has no `column`"),
    ({"measured": {"x": {"column": "mass_mm", "average": 0.04}}}, "average.*expected"),
    ({"measured": {"x": {"column": "mass_mm", "unit": "furlong"}}}, "furlong"),
    ({"drive": {"oscillator.mass": "base_mm"}}, "`oscillator.mass` is no signal"),
    ({"unknown": {"oscillator.stifness": (1, 2)}}, "no number `oscillator.stifness`.*did you mean `oscillator.stiffness`"),
    ({"unknown": {"stiffness": (1, 2)}}, "did you mean `oscillator.stiffness`"),
    ({"unknown": {"oscillator.stiffness": (2, 1)}}, "from the smaller to the larger"),
    ({"unknown": {"oscillator.stiffness": 3.0}}, "expected a pair"),
    ({"scheme": "exakt"}, "exakt"),
    ({"time": "t"}, "no column 't'"),
]


@pytest.mark.parametrize("change, said", WRONG)
def test_wrong_calls_say_what_is_expected(change: dict[str, Any], said: str) -> None:
    call: dict[str, Any] = {"measured": {"x": "mass_mm"}, "unknown": UNKNOWN, **change}
    with pytest.raises(ss.InputError, match=f"(?s){said}"):
        ss.fit(rig(), record(), **call)


def test_functions_of_python_and_missing_times_are_refused() -> None:
    bent = rig().replace(friction=ss.law_of(lambda v: 1.0, lambda a, b: (0.0, 0.0), limit=1.0))
    with pytest.raises(ss.InputError, match="Python function"):
        ss.fit(bent, record(), measured={"x": "mass_mm"}, unknown={"oscillator.stiffness": (1, 5)})
    with pytest.raises(ss.InputError, match="`time` is missing"):
        ss.fit(rig(), measured={"x": record()["mass_mm"]}, unknown=UNKNOWN)
    with pytest.raises(ss.InputError, match="no covariances"):
        t = np.arange(400) * 0.01
        ss.hysteresis(t, np.sin(t), np.sign(np.cos(t))).covariance

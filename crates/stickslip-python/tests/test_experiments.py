"""Records of every kind from arrays and frames: the fit is that of the same numbers in a file, to the bit."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stickslip as ss

Columns = dict[str, "np.ndarray[Any, Any]"]


def damper() -> Columns:
    """80 N·sign(v) + 600 N·s/m·v, and 0.5 N of noise."""
    t = np.arange(0.0, 6.0, 0.005)
    x = 0.03 * np.sin(2 * np.pi * 0.7 * t)
    v = 0.03 * 2 * np.pi * 0.7 * np.cos(2 * np.pi * 0.7 * t)
    noise = np.random.default_rng(1).normal(0.0, 0.5, len(t))
    return {"time": t, "displacement": x, "force": 80.0 * np.sign(v) + 600.0 * v + noise}


def joint() -> Columns:
    """0.4 N·m·sign(v) + 0.2 N·m·s/rad·v at constant speeds, and 0.01 N·m of noise."""
    v = np.concatenate([np.linspace(-2.0, -0.05, 200), np.linspace(0.05, 2.0, 200)])
    noise = np.random.default_rng(2).normal(0.0, 0.01, len(v))
    return {"velocity": v, "effort": 0.4 * np.sign(v) + 0.2 * v + noise}


def loop() -> Columns:
    """A proportional-integral controller, a lag, and a valve that moves when it is told to by 3 % more than it is."""
    rng = np.random.default_rng(3)
    rows, at, y, integral = 6000, 52.0, 52.0, 52.0
    out = {"time": np.arange(rows) * 1.0, "output": np.empty(rows), "process_variable": np.empty(rows)}
    for i in range(rows):
        measured = y + rng.normal(0.0, 0.05)
        error = 50.0 - measured
        integral += 0.01 * error
        told = 0.1 * error + integral
        if abs(told - at) > 3.0:
            at = told
        y += (at - y) / 5.0
        out["output"][i], out["process_variable"][i] = told, measured
    return out


def servo(seed: int = 4) -> Columns:
    """A motor whose load of 0.01 kg·m² is driven by currents, against friction of 0.05 N·m, and 1e-4 rad of noise."""
    h, rows = 1e-3, 4000
    t = np.arange(rows) * h
    current = 0.6 * np.sin(2 * np.pi * 0.8 * t + seed)
    q, w, angle = 0.0, 0.0, np.empty(rows)
    for i in range(rows):
        angle[i] = q
        free = w + h * 0.3 * current[i] / 0.011
        w = np.sign(free) * max(abs(free) - h * 0.05 / 0.011, 0.0)
        q += h * w
    angle = angle + np.random.default_rng(seed).normal(0.0, 1e-4, rows)
    return {"time": t[::10], "position": angle[::10], "current": current[::10]}


def as_csv(columns: Columns) -> str:
    rows = zip(*(c.tolist() for c in columns.values()))
    return "\n".join([",".join(columns), *(",".join(map(repr, row)) for row in rows)]) + "\n"


SERVO = {"drive": "current", "torque_constant": 0.3, "armature": 0.001, "friction": ss.coulomb(0.03), "load": {"inertia": 0.01}}
SERVO_FIT = {"unknown": {"friction.coulomb.force": (0.0, 0.2)}, "compare": False, "seed": 1}
SERVO_TEXT = """kind = "servo"
torque_constant = 0.3
armature = 0.001
friction.coulomb = { force = 0.03 }
load.inertia = 0.01
[fit]
compare = false
seed = 1
unknown.friction.coulomb.force = { from = 0.0, to = 0.2 }
"""

KINDS: dict[str, tuple[Callable[[], Columns], Callable[..., ss.Fit], str, str]] = {
    "hysteresis": (
        damper,
        lambda c, **k: ss.hysteresis(c["time"], c["displacement"], c["force"], **k),
        'time = "time"\ntime_unit = "s"\ndisplacement = "displacement"\ndisplacement_unit = "m"\nforce = "force"\n',
        'kind = "hysteresis"\n',
    ),
    "friction-curve": (
        joint,
        lambda c, **k: ss.friction_curve(c["velocity"], c["effort"], **k),
        'velocity = "velocity"\nvelocity_unit = "rad/s"\neffort = "effort"\neffort_unit = "N·m"\n',
        'kind = "friction-curve"\n',
    ),
    "valve": (
        loop,
        lambda c, **k: ss.valve(c["time"], c["output"], c["process_variable"], **k),
        'time = "time"\ntime_unit = "s"\noutput = "output"\nprocess_variable = "process_variable"\n',
        'kind = "valve"\n',
    ),
    "servo": (
        servo,
        lambda c, **k: ss.servo(
            (c["time"], c["position"], c["current"]) if "data" not in k else k.pop("data"), **SERVO, **SERVO_FIT, **k
        ),
        'time = "time"\ntime_unit = "s"\nposition = "position"\nposition_unit = "rad"\ncurrent = "current"\n',
        SERVO_TEXT,
    ),
}


def found(fit: ss.Fit) -> dict[str, Any]:
    """All that was found, without how long it took."""
    return {k: v for k, v in fit.summary["fit"].items() if k != "seconds"}


@pytest.fixture(scope="module")
def fits() -> dict[str, ss.Fit]:
    return {name: fit(record()) for name, (record, fit, _, _) in KINDS.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_of_arrays_is_that_of_a_file(kind: str, fits: dict[str, ss.Fit], tmp_path: pathlib.Path) -> None:
    record, _, data, model = KINDS[kind]
    (tmp_path / "record.csv").write_text(as_csv(record()))
    (tmp_path / "fit.toml").write_text(f'[data]\nfile = "record.csv"\n{data}[model]\n{model}')
    file = ss.calibrate(tmp_path / "fit.toml")
    assert found(fits[kind]) == found(file)


def test_the_numbers_are_those_of_the_records(fits: dict[str, ss.Fit]) -> None:
    assert fits["valve"].verdict == "sticks" and fits["valve"].stiction.value == pytest.approx(3.0, rel=0.25)
    assert repr(fits["valve"]).startswith("<Fit: the valve sticks, stiction = ")

    def near(kind: str, name: str, truth: float, share: float) -> None:
        found = fits[kind].parameters[name]
        assert found.value == pytest.approx(truth, rel=share), (kind, name, found)

    near("hysteresis", "friction", 80.0, 0.02)
    near("hysteresis", "damping", 600.0, 0.02)
    near("friction-curve", "coulomb", 0.4, 0.02)
    near("friction-curve", "viscous", 0.2, 0.02)
    near("servo", "friction.coulomb.force", 0.05, 0.03)


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow", "dict", "numpy"])
@pytest.mark.parametrize("kind", KINDS)
def test_frames(kind: str, library: str, fits: dict[str, ss.Fit]) -> None:
    record, fit, _, _ = KINDS[kind]
    columns = record()
    if library == "pandas":
        frame: Any = pytest.importorskip("pandas").DataFrame(columns)
    elif library == "polars":
        frame = pytest.importorskip("polars").DataFrame(columns)
    elif library == "arrow":
        frame = pytest.importorskip("pyarrow").table(columns)
    elif library == "numpy":
        frame = np.rec.fromarrays(list(columns.values()), names=list(columns))
    else:
        frame = columns
    named = fit({name: name for name in columns}, data=frame)
    assert found(named) == found(fits[kind])
    if library in ("pandas", "polars") and kind != "servo":
        # Columns by themselves, and with what is missing in their own manner.
        assert found(fit({name: frame[name] for name in columns})) == found(fits[kind])


def test_several_logs_of_a_servo(fits: dict[str, ss.Fit]) -> None:
    logs = [servo(4), servo(5)]
    both = ss.servo([tuple(log.values()) for log in logs], **SERVO, **SERVO_FIT)
    assert both.parameters["friction.coulomb.force"].value == pytest.approx(0.05, rel=0.03)
    assert ss.servo(logs, **SERVO, **SERVO_FIT).parameters == both.parameters
    # Three logs are not the three columns of one.
    three = ss.servo([tuple(log.values()) for log in (*logs, servo(6))], **SERVO, **SERVO_FIT)
    assert three.parameters["friction.coulomb.force"].value == pytest.approx(0.05, rel=0.03)


def test_bearings_sliders_and_drives_take_frames() -> None:
    pandas = pytest.importorskip("pandas")
    t = np.arange(0.0, 60.0, 0.01)
    force = 8.0 + t % 4.0
    frame = pandas.DataFrame({"t": t, "F": force})
    options = {"velocity": 1e-3, "stiffness": 1e3, "mass": 1.0}
    pulled = ss.pulled_slider("t", "F", data=frame, **options)
    assert pulled.text == ss.pulled_slider(t, force, **options).text
    x = 0.1 * np.sin(3.0 * t)
    v, a = 0.3 * np.cos(3.0 * t), -0.9 * np.sin(3.0 * t)
    frame = pandas.DataFrame({"t": t, "x": x, "F": 2.0 * a + 5.0 * np.sign(v)})
    assert ss.rigid_drive("t", "x", "F", data=frame).parameters == ss.rigid_drive(t, x, frame["F"]).parameters


WRONG: list[tuple[str, Callable[[], object]]] = [
    ("`force` is 'F'; expected an array, or the name of a column and `data`", lambda: ss.hysteresis([0, 1], [0, 1], "F")),
    ("no column 'tme' for `time`; did you mean `time`", lambda: ss.hysteresis("tme", "displacement", "force", data=damper())),
    ("`data` is int; expected a frame", lambda: ss.valve("t", "o", "p", data=3)),
    ("`force` holds 1 numbers and `time` 2", lambda: ss.hysteresis([0, 1], [0, 1], [1])),
    ("different numbers of rows: `velocity` 2, `effort` 1", lambda: ss.friction_curve([0, 1], [1])),
    ("`effort` is missing", lambda: ss.friction_curve([0, 1], None)),
    ("`law` is 'dry'", lambda: ss.friction_curve([0, 1], [0, 1], law="dry")),
    ("unknown unit of velocity `furlong`", lambda: ss.friction_curve([0, 1], [0, 1], velocity_unit="furlong")),
    ("effort_constant", lambda: ss.friction_curve([0.0, 1.0], [0.0, 1.0], effort_unit="A")),
    ("`elements` is 1", lambda: ss.hysteresis([0, 1], [0, 1], [0, 1], elements=1)),
    ("the log has 2 columns", lambda: ss.servo([([0, 1], [0, 1])], **SERVO, **SERVO_FIT)),
    ("`logs` is", lambda: ss.servo([], **SERVO, **SERVO_FIT)),
    ("log 2: `data` has no column 'current'", lambda: ss.servo([servo(), {"time": [0.0], "position": [0.0]}], **SERVO, **SERVO_FIT)),
    ("`friction` is 3", lambda: ss.servo(servo(), **{**SERVO, "friction": 3}, **SERVO_FIT)),
    ("`unknown` is {}", lambda: ss.servo(servo(), **SERVO, unknown={})),
    ("expected a pair", lambda: ss.servo(servo(), **SERVO, unknown={"resistance": 3.0})),
    ("`drive` is 'power'", lambda: ss.servo(servo(), **{**SERVO, "drive": "power"}, **SERVO_FIT)),
]


@pytest.mark.parametrize("said, call", WRONG, ids=[said for said, _ in WRONG])
def test_wrong_calls_say_what_is_wrong(said: str, call: Callable[[], object]) -> None:
    with pytest.raises(ss.InputError) as raised:
        call()
    assert said in str(raised.value), str(raised.value)

"""Joints from frames: the fit is that of the same logs in files, and the numbers are those that made the logs."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import stickslip as ss

Columns = dict[str, Any]
#: R, ohm; dry friction, N·m; viscous friction, N·m·s/rad.
TRUTH = {"resistance": 4.0, "friction.coulomb.force": 0.06, "damping": 0.02}


def log(seed: float) -> Columns:
    """Two seconds of a servo with 12 V, 0.5 of duty for each radian, and a load of 0.01 kg·m² that weighs 0.6 N·m."""
    step, every = 1e-4, 100
    t = np.arange(200) * step * every
    wave = lambda at: 0.6 * np.sin((2.0 + seed) * at) + 0.3 * np.sin(7.0 * at + seed)  # noqa: E731
    goal = wave(np.arange(200 * every) * step)
    q, w, angle = 0.3 * np.sin(seed), 0.0, np.empty(200)
    for i in range(200 * every):
        if i % every == 0:
            angle[i // every] = q
        volts = 12.0 * min(max(0.5 * (goal[i] - q), -1.0), 1.0)
        pull = 0.8 / 4.0 * (volts - 0.8 * w) - 0.02 * w - 0.6 * np.sin(q)
        free = w + step / 0.014 * pull
        w = np.sign(free) * max(abs(free) - step / 0.014 * 0.06, 0.0)
        q += step * w
    return {"time": t, "goal": wave(t), "position": angle}


MODEL: dict[str, Any] = {
    "supply": 12.0,
    "gain": 0.5,
    "torque_constant": 0.8,
    "resistance": 3.0,
    "armature": 0.004,
    "damping": 0.01,
    "friction": ss.coulomb(0.02),
    "unknown": {"resistance": (1.0, 20.0), "friction.coulomb.force": (0.0, 0.5), "damping": (0.0, 0.5)},
    "terms": False,
}
INDEX = {"load.inertia": [0.01] * 4, "load.gravity_torque": [0.6] * 4, "rep": [0, 0, 0, 1]}


@pytest.fixture(scope="module")
def logs() -> list[Columns]:
    return [log(0.4 * i) for i in range(4)]


@pytest.fixture(scope="module")
def fit(logs: list[Columns]) -> ss.Fit:
    return ss.joint(logs, index=INDEX, hold_out={"rep": [1]}, **MODEL)


def test_the_numbers_are_those_that_made_the_logs(fit: ss.Fit) -> None:
    for key, value in TRUTH.items():
        assert fit.parameters[key].value == pytest.approx(value, rel=0.03)
    assert fit.error["held_out"] < 1e-3


def test_a_rigid_gear_has_no_bristle(fit: ss.Fit, logs: list[Columns]) -> None:
    seek = {**MODEL["unknown"], "friction.dahl.force": (0.001, 0.5), "friction.dahl.stiffness": (5.0, 5000.0)}
    del seek["friction.coulomb.force"]
    model = {**MODEL, "friction": ss.dahl(0.02, 100.0), "unknown": seek}
    with_bristle = ss.joint(logs, index=INDEX, hold_out={"rep": [1]}, **model)
    assert with_bristle.bristle["seen"] is False
    # The dry friction of 0.06 N·m would bend a bristle of 30 N·m/rad by 2 mrad, and these logs have no noise.
    assert with_bristle.bristle["stiffness_at_least"] > 30.0
    assert with_bristle.parameters["friction.dahl.stiffness"].value is None
    assert with_bristle.parameters["resistance"].value == pytest.approx(fit.parameters["resistance"].value, rel=1e-3)


def test_one_frame_holds_every_log(fit: ss.Fit, logs: list[Columns]) -> None:
    long = {name: np.concatenate([one[name] for one in logs]) for name in logs[0]}
    long["run"] = np.repeat(["a", "b", "c", "d"], 200)
    long["J"], long["mgl"] = np.full(800, 0.01), np.full(800, 0.6)
    long["rep"] = np.repeat([0, 0, 0, 1], 200)
    index = {"load.inertia": "J", "load.gravity_torque": "mgl", "rep": "rep"}
    whole = ss.joint(long, log="run", index=index, hold_out={"rep": [1]}, **MODEL)
    assert whole.parameters == fit.parameters
    long["J"][3] = 0.02
    with pytest.raises(ss.InputError, match="column 'J' has 2 values in the log 'a'"):
        ss.joint(long, log="run", index=index, **MODEL)


def test_files_say_the_same(fit: ss.Fit, logs: list[Columns], tmp_path: pathlib.Path) -> None:
    rows = ["file,load.inertia,load.gravity_torque,rep"]
    for i, one in enumerate(logs):
        lines = [",".join(map(repr, row)) for row in zip(*(column.tolist() for column in one.values()))]
        (tmp_path / f"{i}.csv").write_text("\n".join([",".join(one), *lines]) + "\n")
        rows.append(f"{i}.csv,0.01,0.6,{i // 3}")
    (tmp_path / "index.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "fit.toml").write_text(
        """[data]
index = "index.csv"
time = "time"
time_unit = "s"
goal = "goal"
position = "position"
supply = 12.0
[model]
kind = "servo"
gain = 0.5
torque_constant = 0.8
resistance = 3.0
armature = 0.004
damping = 0.01
friction.coulomb.force = 0.02
[fit]
terms = false
hold_out = { column = "rep", values = [1] }
[fit.unknown]
resistance = { from = 1.0, to = 20.0 }
friction.coulomb.force = { from = 0.0, to = 0.5 }
damping = { from = 0.0, to = 0.5 }
"""
    )
    of_file = ss.calibrate(tmp_path / "fit.toml")
    assert of_file.parameters == fit.parameters


def test_the_full_model_steps_like_the_fit(fit: ss.Fit, logs: list[Columns]) -> None:
    # A log begins on the line through its first five rows.
    one = logs[0]
    speed, angle = np.polyfit(one["time"][:5], one["position"][:5], 1)
    servo = ss.JointMotion(fit, step=0.01, load={"inertia": 0.01, "gravity_torque": 0.6}, goal=one["goal"][0], angle=angle, speed=speed)
    angles = [servo.angle, *(servo.step(goal) for goal in one["goal"][1:])]
    shown = fit["fitted"][fit["log"] == fit["log"][0]]
    # Without a delay the corner of a goal at a row is seen half a step, 1.3 ms, later than in a log that is known as a whole.
    assert np.abs(np.array(angles) - shown).max() < 5e-5
    assert servo.time == pytest.approx(1.99)
    # Switched off it swings down and comes to rest where friction holds it: exactly.
    for _ in range(1500):
        servo.step(0.0, enabled=False)
    assert servo.speed == 0.0
    assert 0.6 * abs(np.sin(servo.angle)) <= fit.parameters["friction.coulomb.force"].value
    with pytest.raises(ss.InputError, match="`step` is 0.0"):
        ss.JointMotion(fit, step=0.0)
    with pytest.raises(ss.InputError, match="`load` has the key 'mass'"):
        ss.JointMotion(fit, step=0.01, load={"mass": 1.0})


@pytest.mark.parametrize("fmi", [2, 3])
def test_as_an_fmu_it_steps_like_the_full_model(fmi: int, fit: ss.Fit, logs: list[Columns], tmp_path: pathlib.Path) -> None:
    tools = pytest.importorskip("fmu_tools")
    from fmpy.validation import validate_fmu

    path = tmp_path / "servo.fmu"
    ss.export_fmu(fit, path, fmi=fmi)
    assert not validate_fmu(str(path))
    goals = logs[0]["goal"]
    begin = {"load.inertia": 0.01, "load.gravity_torque": 0.6, "initial.angle": 0.1, "initial.speed": -0.4, "goal": goals[0]}
    one = tools.Instance(str(path), tmp_path, start=False)
    for name, value in begin.items():
        one.set(name, value)
    one.start()
    servo = ss.JointMotion(
        fit, step=0.01, load={"inertia": 0.01, "gravity_torque": 0.6}, goal=goals[0], angle=0.1, speed=-0.4
    )
    for i, goal in enumerate(goals[1:]):
        one.set("goal", goals[i])
        one.set("goal_rate", (goal - goals[i]) / 0.01)
        one.set("enabled", float(i < 150))
        one.step(0.01 * i, 0.01)
        servo.step(goal, enabled=i < 150)
        assert one.get("position", "velocity") == pytest.approx([servo.angle, servo.speed], abs=1e-12, rel=0)
    assert abs(servo.angle) > 1e-3
    one.end()
    with pytest.raises(ss.InputError, match="leave `t_end`, `scheme` and `step` out"):
        ss.export_fmu(fit, path, t_end=3.0)


def test_the_next_logs_are_designed(fit: ss.Fit) -> None:
    made = ss.design(fit, angle=0.8, seconds=2.0, logs=2)
    assert len(made.trajectories) == 2
    assert np.abs(made.goal).max() <= 0.8
    assert sorted(set(made.log)) == [1.0, 2.0]
    for key in TRUTH:
        assert 0.0 < made.expected[key]["then"] < made.expected[key]["now"]
    with pytest.raises(ss.InputError, match="the number of logs is 21"):
        ss.design(fit, logs=21)
    with pytest.raises(ss.InputError, match="expected a Fit or a folder"):
        ss.design(3)  # type: ignore[arg-type]


def test_a_backlash_is_fitted_with(logs: list[Columns]) -> None:
    """The logs are those of a gear without one: it is found at the end where it is off, or too small for them to show."""
    loose = {**MODEL, "backlash": 0.02, "encoder": "motor", "terms": True}
    loose["unknown"] = {**MODEL["unknown"], "backlash": (0.0, 0.05)}
    fit = ss.joint(logs, index=INDEX, **loose)
    assert fit.joint["gear"]["encoder_at_motor"] is True
    assert fit.joint["gear"]["backlash"] < 1e-3
    assert [t["earns_its_place"] for t in fit.terms if t["term"] == "backlash"] == [False]


def test_wrong_calls_are_told(logs: list[Columns]) -> None:
    with pytest.raises(ss.InputError, match="log 2: `data` has no column 'goal'"):
        ss.joint([logs[0], {"time": logs[1]["time"], "position": logs[1]["position"]}], **MODEL)
    with pytest.raises(ss.InputError, match=r"`index\['rep'\]` holds 1 values; expected one for each of the 2 logs"):
        ss.joint(logs[:2], index={"rep": [0]}, **MODEL)
    with pytest.raises(ss.InputError, match="`hold_out` is"):
        ss.joint(logs[:2], index={"rep": [0, 1]}, hold_out={"rep": [1], "other": [2]}, **MODEL)
    with pytest.raises(ss.InputError, match="every log is held out"):
        ss.joint(logs[:2], index={"load.inertia": [0.01, 0.01], "rep": [1, 1]}, hold_out={"rep": [1]}, **MODEL)
    with pytest.raises(ss.InputError, match="an empty list"):
        ss.joint([], **MODEL)
    with pytest.raises(ss.InputError, match="`encoder` has no effect without a backlash"):
        ss.joint(logs[:2], encoder="motor", **MODEL)

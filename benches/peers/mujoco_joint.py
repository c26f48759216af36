"""Replays the logs of a servo in MuJoCo with the joint that `stickslip joint export --to mjcf` prints.

    python mujoco_joint.py FIT.toml FIT_DIR [--program stickslip] [--step 0.0005]

FIT.toml has an index of logs, FIT_DIR is what `stickslip calibrate FIT.toml --out FIT_DIR` wrote. The goals are delayed and
limited in speed as the exported file says. Prints the mean absolute error of the angle in MuJoCo, and what the fit says that it
is, over the logs that were held out, or over all where none was. Of `simplified` in `fit.json` that is `lugre` where the joint
has a bristle, a `dcmotor` of MuJoCo 4.0, and `with-drive` otherwise. With `--within SHARE` the exit code is 1 where the two
differ by more than that share. Without the package `mujoco` nothing is done, with exit code 0.
"""

import argparse
import csv
import json
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as xml
from pathlib import Path

try:
    import mujoco
except ImportError:
    sys.exit(print("mujoco is not installed: nothing is replayed"))

GRAVITY = 9.80665


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fit", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--program", default="stickslip")
    parser.add_argument("--step", type=float, default=5e-4)
    parser.add_argument("--within", type=float)
    return parser.parse_args()


def exported(program, folder):
    """The attributes of the joint, of its actuator and of its bristle; `None` for a rigid gear, which has no bristle."""
    text = subprocess.run([program, "joint", "export", folder, "--to", "mjcf"], check=True, capture_output=True, text=True).stdout
    root = xml.fromstring(text)
    bristle = root.find(".//dcmotor")
    return root.find(".//joint").attrib, root.find(".//position").attrib, None if bristle is None else bristle.attrib


def scene(joint, actuator, bristle, load, step):
    """A pendulum with the inertia and the weight of the load. Half of its inertia is that of its centre of mass."""
    inertia, torque = load
    mass = max(2 * torque**2 / (GRAVITY**2 * inertia), 1e-3) if inertia > 0 else 1e-3
    length, centre = torque / (mass * GRAVITY), max(inertia / 2, 1e-9)

    def text(attributes):
        return " ".join(f'{k}="{v}"' for k, v in attributes.items())

    motor = f'<dcmotor joint="servo" {text(bristle)}/>' if bristle else ""
    return mujoco.MjModel.from_xml_string(f"""
      <mujoco>
        <option timestep="{step}" gravity="0 0 -{GRAVITY}" integrator="implicitfast"/>
        <worldbody><body>
          <joint name="servo" type="hinge" axis="0 -1 0" {text(joint)}/>
          <inertial pos="0 0 {-length}" mass="{mass}" diaginertia="{centre} {centre} {centre}"/>
        </body></worldbody>
        <actuator><position joint="servo" {text(actuator)}/>{motor}</actuator>
      </mujoco>""")


def told(fit):
    """Which of the simplified joints is exported."""
    return "lugre" if any(s["what"] == "lugre" for s in fit["simplified"]) else "with-drive"


class Goals:
    """The goals of a log, delayed and limited in speed: straight between rows, before the first row that of the first."""

    def __init__(self, times, goals, drive):
        self.times, self.goals, self.at = times, goals, 0
        self.delay, self.limit = drive["delay"], drive["speed_limit"] or float("inf")
        self.followed = goals[0]

    def after(self, end, step):
        when = end - self.delay
        while self.at + 2 < len(self.times) and self.times[self.at + 1] <= when:
            self.at += 1
        i = self.at
        share = (when - self.times[i]) / (self.times[i + 1] - self.times[i])
        wanted = self.goals[i] + min(max(share, 0.0), 1.0) * (self.goals[i + 1] - self.goals[i])
        most = self.limit * step
        self.followed += min(max(wanted - self.followed, -most), most)
        return self.followed


def replay(model, log, fit, vertical, viscous):
    """The angle at each row of a log."""
    data = mujoco.MjData(model)
    damping, stiffness = float(model.dof_damping[0]), float(model.actuator_gainprm[0, 0])
    derivative = float(model.actuator_biasprm[0, 2])
    most, is_limited = model.actuator_forcerange[0].copy(), bool(model.actuator_forcelimited[0])
    data.qpos[0] = log["start"] - vertical
    goals, step, angles = Goals(log["time"], log["goal"], fit["joint"]["drive"]), model.opt.timestep, [log["start"]]
    for i in range(1, len(log["time"])):
        supply = log["supply"][i - 1] / fit["usual_supply"]
        on = log["enabled"][i - 1]
        factor = supply * log["gain"] / fit["usual_gain"] * on
        model.actuator_gainprm[0, 0], model.actuator_biasprm[0, 1] = stiffness * factor, -stiffness * factor
        model.actuator_biasprm[0, 2] = derivative * supply * on
        if is_limited:
            model.actuator_forcerange[0] = most * supply
        # A motor that is switched off has no counter-voltage.
        model.dof_damping[0] = damping if on else viscous
        while data.time + step / 2 < log["time"][i]:
            data.ctrl[0] = goals.after(data.time + step, step) - vertical
            mujoco.mj_step(model, data)
        angles.append(data.qpos[0] + vertical)
    return angles


def read(path, names, row, start):
    """One log, with what the index says of it."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))

    def column(key, otherwise):
        name = names.get(key, otherwise)
        return [name] * len(rows) if isinstance(name, (int, float)) else [float(r[name] or "nan") for r in rows]

    time = column("time", None)
    return {
        "time": [t - time[0] for t in time],
        "goal": column("goal", None),
        "position": column("position", None),
        "enabled": [v != 0 for v in column("enabled", 1)],
        "supply": column("supply", 1.0),
        "gain": float(row.get("gain", 1.0)),
        "start": start,
    }


def errors(asked, toml, names, fit):
    """The absolute errors of every row that was fitted or scored, and the time of computing."""
    joint, actuator, bristle = exported(asked.program, asked.folder)
    index = asked.fit.parent / names["index"]
    viscous = next(s["viscous"] for s in fit["simplified"] if s["what"] == told(fit))
    of_file = {log["file"]: log for log in fit["logs"]}
    is_held = any(log["held_out"] for log in fit["logs"])
    first, spikes = {}, set()
    with open(asked.folder / "fit.csv", newline="") as file:
        for row in csv.DictReader(file):
            first.setdefault(row["log"], float(row["fitted"]))
            if not row["measured"]:
                spikes.add((row["log"], row["t"]))
    vertical, model, all_errors = fit["joint"]["vertical"], toml["model"].get("load", {}), []
    if isinstance(vertical, list):
        with open(index, newline="") as file:
            mountings = list(dict.fromkeys(r[names["mounting"]] for r in csv.DictReader(file)))
    with open(index, newline="") as file:
        for row in csv.DictReader(file):
            name = str(Path(names["index"]).parent / row["file"])
            if of_file[name]["held_out"] != is_held:
                continue
            log = read(asked.fit.parent / name, names, row, first[name])
            load = [float(row.get(f"load.{key}", model.get(key, 0.0))) for key in ("inertia", "gravity_torque")]
            hangs = vertical[mountings.index(row[names["mounting"]])] if isinstance(vertical, list) else vertical
            angles = replay(scene(joint, actuator, bristle, load, asked.step), log, fit, hangs, viscous)
            of_row = {t: abs(a - p) for t, a, p in zip(log["time"], angles, log["position"]) if p == p}
            left_out = {t for n, t in spikes if n == name}
            all_errors += [e for t, e in of_row.items() if not any(abs(t - float(s)) < 1e-9 for s in left_out)]
    return all_errors


def main():
    asked = arguments()
    toml = tomllib.loads(asked.fit.read_text())
    fit = json.loads((asked.folder / "fit.json").read_text())
    all_errors = errors(asked, toml, toml["data"], fit)
    error = sum(all_errors) / len(all_errors)
    said = next(s["error"] for s in fit["simplified"] if s["what"] == told(fit))
    print(f"MuJoCo {mujoco.__version__}: {error:.5f} rad over {len(all_errors)} rows; the fit says {said:.5f} rad ({error / said - 1:+.1%})")
    sys.exit(int(asked.within is not None and abs(error / said - 1) > asked.within))


main()

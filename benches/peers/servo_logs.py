"""Fits the logs of a servo by SciPy, replays published numbers on them, and compares both with a fit of stickslip.

    python servo_logs.py FIT.toml FIT_DIR [--published M.json --supply VOLTS] [--evaluations 40] [--step 0.002]

FIT.toml has an index of logs with one friction law `stribeck-exponential`, FIT_DIR is what `stickslip calibrate FIT.toml --out
FIT_DIR` wrote. SciPy (`least_squares`, `soft_l1` at 0.01 rad, differences for derivatives) seeks the same unknowns in the same
ranges from the same numbers, on the same logs, with a simulation of its own: NumPy over all logs and all differences at once,
steps of Euler and Cromer. Its intervals are those of its Jacobian with independent errors, as users take them. M.json holds
numbers in the form of Rhoban's `bam` (models m1 to m5; the package `better-actuator-models` has some), which are replayed as
they are, with its own error gain; with `--supply` at that voltage, or else at that of the logs.

Prints the mean absolute error on the logs that were held out, the time, and the intervals side by side.
"""

import argparse
import csv
import json
import sys
import time
import tomllib
from pathlib import Path

try:
    import numpy as np
    import scipy
    from scipy.optimize import least_squares
except ImportError:
    sys.exit(print("numpy and scipy are not installed: nothing is compared"))

LAW = "friction.stribeck-exponential."
# The keys that a fit may seek here, and what they are without being given.
USUAL = {
    "gain": 1.0, "limit": 1.0, "torque_constant": 1.0, "resistance": 1.0, "armature": 0.0, "vertical": 0.0,
    "drive.delay": 0.0, "drive.speed_limit": np.inf, "drive.start": 0.0, "drive.derivative": 0.0,
    LAW + "static": 0.0, LAW + "dynamic": 0.0, LAW + "velocity": 1.0, LAW + "exponent": 1.0, LAW + "viscous": 0.0,
    "friction.quadratic": 0.0, "friction.load.external": 0.0, "friction.load.motor": 0.0, "friction.load.rest": 0.0,
}  # fmt: skip
START_WITHIN = 5e-4
BELOW = 0.01


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fit", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--published", type=Path, nargs="*", default=[])
    parser.add_argument("--supply", type=float)
    parser.add_argument("--error-gain", type=float, default=0.1649)
    parser.add_argument("--evaluations", type=int, default=40)
    parser.add_argument("--step", type=float, default=2e-3)
    return parser.parse_args()


def flat(table, before=""):
    """`{"drive": {"delay": 1}}` as `{"drive.delay": 1}`."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{before}{key}.")
        elif isinstance(value, (int, float)):
            yield before + key, float(value)


class Logs:
    """Logs side by side on one grid of time: a column is a log, rows beyond its end repeat the last."""

    def __init__(self, toml, folder, files, left_out, step):
        data, model = toml["data"], dict(flat(toml["model"]))
        with open(folder / data["index"], newline="") as file:
            index = [row for row in csv.DictReader(file) if row["file"] in files]
        tables = [self.read(folder / Path(data["index"]).parent / row["file"]) for row in index]
        self.files = [row["file"] for row in index]
        self.time = [t[data["time"]] - t[data["time"]][0] for t in tables]
        self.goal = [t[data["goal"]] for t in tables]
        self.position = [t[data["position"]].copy() for t in tables]
        for name, position in zip(self.files, self.position):
            position[list(left_out.get(name, []))] = np.nan
        self.step, self.steps = step, int(np.ceil(max(t[-1] for t in self.time) / step)) + 1
        grid = step * np.arange(self.steps)

        def held(name, otherwise):
            if name is None or isinstance(name, (int, float)):
                return np.full((self.steps, len(tables)), otherwise if name is None else float(name))
            rows = [np.clip(np.searchsorted(t, grid + 1e-9) - 1, 0, len(t) - 1) for t in self.time]
            return np.stack([table[name][r] for table, r in zip(tables, rows)], axis=1)

        self.enabled, self.supply = held(data.get("enabled"), 1.0) != 0, held(data.get("supply"), 1.0)
        self.grid = grid

        def of(key):
            return np.array([float(row.get(key) or model.get(key, 0.0)) for row in index])

        mass, length = of("load.mass"), of("load.length")
        gravity, inertia = of("load.gravity_torque"), of("load.inertia")
        self.gravity = np.where(gravity > 0, gravity, mass * 9.80665 * length)
        self.inertia = np.where((gravity > 0) & (inertia > 0), inertia, inertia + mass * length**2)
        self.gain = np.array([float(row.get("gain") or 1.0) for row in index])
        self.start = np.array([np.nanmedian(p[:3]) for p in self.position])

    @staticmethod
    def read(path):
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        return {key: np.array([float(r[key] or "nan") for r in rows]) for key in rows[0]}

    def errors(self, angles):
        """Simulated minus measured at the rows of the logs, one vector for each set of numbers; `angles` is (step, set, log)."""
        out = []
        for i, (t, position) in enumerate(zip(self.time, self.position)):
            at = t / self.step
            k = np.minimum(at.astype(int), self.steps - 2)
            share = (at - k)[:, None]
            of_log = angles[k, :, i] * (1 - share) + angles[k + 1, :, i] * share
            out.append((of_log - position[:, None])[~np.isnan(position)])
        return np.concatenate(out).T

    def simulate(self, sets, supply=None):
        """The angles of all logs for each set of numbers: (step, set, log)."""

        def of(key):
            return np.array([s[key] for s in sets])[:, None]

        h, n = self.step, len(self.files)
        supply = self.supply if supply is None else np.full_like(self.supply, supply)
        delays = of("drive.delay")[:, 0]
        goals = np.empty((self.steps, len(sets), n))
        for d in np.unique(delays):
            late = np.stack([np.interp(self.grid - d, t, g) for t, g in zip(self.time, self.goal)], axis=1)
            goals[:, delays == d] = late[:, None]
        k, most = of("torque_constant"), of("drive.speed_limit") * h
        per_volt, armature = k / of("resistance"), of("armature")
        inertia = armature + self.inertia
        fall_from = of(LAW + "static") - of(LAW + "dynamic")
        angle, speed = np.broadcast_to(self.start, goals[0].shape).copy(), np.zeros_like(goals[0])
        followed = goals[0].copy()
        out = np.empty_like(goals)
        for i in range(self.steps):
            out[i] = angle
            followed += np.clip(goals[i] - followed, -most, most)
            error = followed - angle
            duty = of("gain") * self.gain * error + of("drive.start") * error / (np.abs(error) + START_WITHIN)
            duty = np.clip(duty - of("drive.derivative") * speed, -of("limit"), of("limit"))
            motor = np.where(self.enabled[i], per_volt * (supply[i] * duty - k * speed), 0.0)
            external = -self.gravity * np.sin(angle - of("vertical"))
            fast = np.abs(speed)
            fall = np.exp(-((fast / of(LAW + "velocity")) ** of(LAW + "exponent")))
            load = np.abs(of("friction.load.external") * external - of("friction.load.motor") * motor)
            friction = of(LAW + "dynamic") + fall_from * fall + of(LAW + "viscous") * fast
            friction += of("friction.quadratic") * fast**2 + load * (1 + of("friction.load.rest") * fall)
            if "of_load" in sets[0]:
                friction += of("of_load") * fall * np.abs(external - motor)
            free = speed + h / inertia * (motor + external)
            speed = np.sign(free) * np.maximum(np.abs(free) - h / inertia * friction, 0.0)
            angle = angle + h * speed
        return out


def published(path, error_gain):
    """Numbers in the form of bam as numbers of this file."""
    of = json.loads(path.read_text())
    if any(key.endswith("_quad") for key in of):
        raise SystemExit(f"{path}: model m6 has a term that is not replayed here; expected m1 to m5")
    load = of.get("load_friction_base", 0.0)
    ratio = of.get("load_friction_motor_stribeck", 0.0) / (of.get("load_friction_motor") or 1.0)
    return USUAL | {
        "gain": error_gain, "torque_constant": of["kt"], "resistance": of["R"], "armature": of["armature"],
        "vertical": -of.get("q_offset", 0.0),
        LAW + "static": of["friction_base"] + of.get("friction_stribeck", 0.0), LAW + "dynamic": of["friction_base"],
        LAW + "velocity": of.get("dtheta_stribeck", 1.0), LAW + "exponent": of.get("alpha", 1.0),
        LAW + "viscous": of["friction_viscous"], "friction.load.external": of.get("load_friction_external", load),
        "friction.load.motor": of.get("load_friction_motor", load), "friction.load.rest": ratio,
        "of_load": of.get("load_friction_stribeck", 0.0),
    }  # fmt: skip


def by_scipy(logs, start, ranges, evaluations):
    """The numbers, halves of 95 % intervals and passes that SciPy needs."""
    keys = list(ranges)
    low, high = np.array([ranges[k] for k in keys]).T
    scale = high - low
    passes = 0

    def sets(rows):
        nonlocal passes
        passes += len(rows)
        made = [start | dict(zip(keys, low + scale * row)) for row in rows]
        return logs.errors(logs.simulate(made))

    def jacobian(x):
        by = np.where(x < 0.5, 1e-4, -1e-4)
        all_errors = sets([x, *(x + np.diag(by))])
        return ((all_errors[1:] - all_errors[0]) / by[:, None]).T

    x0 = np.clip((np.array([start[k] for k in keys]) - low) / scale, 1e-6, 1 - 1e-6)
    found = least_squares(lambda x: sets([x])[0], x0, jac=jacobian, bounds=(0, 1), loss="soft_l1", f_scale=BELOW, max_nfev=evaluations)
    degrees = len(found.fun) - len(keys)
    covariance = np.linalg.pinv(found.jac.T @ found.jac) * (2 * found.cost / degrees)
    half = 1.96 * np.sqrt(np.diag(covariance)) * scale
    return start | dict(zip(keys, low + scale * found.x)), dict(zip(keys, half)), passes


def main():
    asked = arguments()
    toml = tomllib.loads(asked.fit.read_text())
    fit = json.loads((asked.folder / "fit.json").read_text())
    folder = str(Path(toml["data"]["index"]).parent)
    short = {log["file"]: log["file"].removeprefix("" if folder == "." else folder + "/") for log in fit["logs"]}
    held = {short[log["file"]] for log in fit["logs"] if log["held_out"]}
    left_out, row, last = {}, 0, None
    with open(asked.folder / "fit.csv", newline="") as file:
        for line in csv.DictReader(file):
            row = row + 1 if line["log"] == last else 0
            last = line["log"]
            if not line["measured"]:
                left_out.setdefault(short[last], set()).add(row)
    fitted, scored = (Logs(toml, asked.fit.parent, files, left_out, asked.step) for files in (set(short.values()) - held, held))

    def score(numbers, supply=None):
        return np.abs(scored.errors(scored.simulate([numbers], supply))).mean()

    error = fit["error"]
    print(f"{len(fitted.files)} logs fitted, {len(scored.files)} scored; SciPy {scipy.__version__}, steps of {1e3 * asked.step:g} ms")
    print(f"stickslip: {error['held_out']:.5f} rad, {fit['seconds']:.1f} s with `terms` and all that the report holds")
    for path in asked.published:
        for supply in dict.fromkeys([None, asked.supply]):
            at = "the supply of the logs" if supply is None else f"{supply:g} V"
            print(f"published {path.name}, replayed at {at}: {score(published(path, asked.error_gain), supply):.5f} rad")
    start = USUAL | dict(flat(toml["model"]))
    ranges = {k: (u["from"], u["to"]) for k, u in unknowns(toml["fit"]["unknown"]) if k in USUAL}
    begins, wall = time.process_time(), time.perf_counter()
    numbers, half, passes = by_scipy(fitted, start, ranges, asked.evaluations)
    spent, wall = time.process_time() - begins, time.perf_counter() - wall
    print(f"SciPy: {score(numbers):.5f} rad, {spent:.0f} s of processor time ({wall:.0f} s), {passes} passes over the logs")
    # The same on the logs that were held out: intervals that hold contain the difference of the two, most times.
    other, other_half, _ = by_scipy(scored, start, ranges, asked.evaluations)
    print(f"{'':44} {'stickslip':>22} {'SciPy':>22} {'SciPy, other logs':>22}")
    for key in ranges:
        own = fit["parameters"][key]
        known = "not determined" if own["value"] is None else f"{own['value']:.4f} ± {(own['ci95'][1] - own['ci95'][0]) / 2:.4f}"
        print(f"{key:44} {known:>22} {f'{numbers[key]:.4f} ± {half[key]:.4f}':>22} {f'{other[key]:.4f} ± {other_half[key]:.4f}':>22}")


def unknowns(table, before=""):
    """The keys of `[fit.unknown]` with their ranges."""
    for key, value in table.items():
        if "from" in value:
            yield before + key, value
        else:
            yield from unknowns(value, f"{before}{key}.")


main()

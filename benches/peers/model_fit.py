"""Five unknowns of a shaken rig from 10,000 samples: stickslip, and SciPy's least squares around `solve_ivp`.

    pip install numpy scipy
    cargo build --release
    python benches/peers/model_fit.py

A mass on a spring with a moving end and dry friction (m = 3.08 kg; K, c, f_s, f_d and the offset of the sensor are sought).
stickslip searches the whole ranges, on one thread, and computes intervals. SciPy has a smooth friction in place of the
dry one, f = (f_d + (f_s - f_d) exp(-(v/v_s)^2)) tanh(v/eps), and starts 10 % beside the truth: a local search, which is
less than what stickslip is asked for. It is tried with three settings, and stopped when each has used up its budget of CPU
time; then the best values so far count. Both fit the same record, made by the exact scheme with noise of 0.01 mm; all times
are measured here, in one go.
"""

import csv
import json
import math
import os
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("STICKSLIP", str(ROOT / "target" / "release" / "stickslip"))
MASS, ROWS, STEP, NOISE = 3.08, 10_000, 0.008, 1e-5
NAMES = ["stiffness", "damping", "static", "dynamic", "offset"]
TRUTH = np.array([1191.0, 5.0, 1.3, 1.1, 2e-4])
WAVES = [(1.6e-3, 1.1, 0.3), (0.9e-3, 2.3, 1.0), (0.5e-3, 0.37, 2.0)]
# Of the smooth friction, m/s: the width of the peak.
WIDTH = 1e-3
# What SciPy is tried with: its method, and the slope of the smooth friction at rest (m/s). A smaller slope is nearer to dry
# friction and stiffer. Each may take so many seconds of CPU time, twenty times what stickslip takes.
SETTINGS = [("LSODA", 1e-4), ("LSODA", 1e-3), ("RK45", 1e-3)]
BUDGET = float(os.environ.get("STICKSLIP_BUDGET", "40"))

MODEL = """
[oscillator]
mass = {mass}
stiffness = {stiffness}
damping = {damping}
[[oscillator.drive]]
sampled = {{ file = "base.csv", time = "t", value = "base" }}
[oscillator.friction.static-dynamic]
static = {static}
dynamic = {dynamic}
"""

FIT = """
[data]
file = "record.csv"
time = "t"
time_unit = "s"
[[data.drive]]
into = "oscillator.drive"
column = "base"
[[data.measured]]
what = "x"
column = "x"
offset = {{ from = -1e-3, to = 1e-3 }}
[model]
kind = "model"
[model.oscillator]
mass = {mass}
stiffness = 1000.0
damping = 1.0
[model.oscillator.friction.static-dynamic]
static = 1.0
dynamic = 1.0
[fit]
start = false
compare = false
[fit.unknown]
oscillator.stiffness = {{ from = 500.0, to = 3000.0 }}
oscillator.damping = {{ from = 0.0, to = 20.0 }}
oscillator.friction.static-dynamic.static = {{ from = 0.0, to = 5.0 }}
oscillator.friction.static-dynamic.dynamic = {{ from = 0.0, to = 5.0 }}
"""


def table(path, names, columns):
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=",".join(names), comments="", fmt="%.17g")


def stickslip(*arguments):
    env = dict(os.environ, RAYON_NUM_THREADS="1")
    return subprocess.run([PROGRAM, *map(str, arguments)], env=env, stdout=subprocess.PIPE, check=True).stdout


def record(folder):
    """Base and mass; the motion by the exact scheme."""
    t = STEP * np.arange(ROWS)
    base = sum(a * np.cos(2 * np.pi * f * t + p) for a, f, p in WAVES)
    table(folder / "base.csv", ["t", "base"], [t, base])
    known = dict(zip(NAMES, TRUTH))
    (folder / "model.toml").write_text(MODEL.format(mass=MASS, **known) + f"[run]\nend = {float(t[-1])!r}\nrows = {ROWS}\n")
    stickslip("simulate", folder / "model.toml", "--out", folder / "motion", "-q")
    with open(folder / "motion" / "trajectory.csv", newline="") as file:
        x = np.array([float(row["x"]) for row in csv.DictReader(file)])
    x += TRUTH[4] + NOISE * np.random.default_rng(1).normal(size=ROWS)
    table(folder / "record.csv", ["t", "base", "x"], [t, base, x])
    return t, base, x


def ours(folder):
    (folder / "fit.toml").write_text(FIT.format(mass=MASS))
    begun = time.perf_counter()
    fit = json.loads(stickslip("calibrate", folder / "fit.toml", "--json", "-q"))["fit"]
    seconds = time.perf_counter() - begun
    measured = fit["measured"][0]
    found = {name.split(".")[-1]: p["value"] for name, p in fit["parameters"].items()}
    found |= {t["what"]: t["estimate"]["value"] for t in measured["tuned"]}
    return seconds, found, measured["rmse"]


class Spent(Exception):
    """The budget is spent."""


def theirs(t, base, x, method, slope):
    """Least squares around `solve_ivp`, and the best values when the budget of CPU time is spent."""
    times, ends, last = t.tolist(), base.tolist(), len(t) - 2
    solves, best = 0, (np.inf, None)
    begun = time.process_time()

    def motion(p):
        k, c, static, dynamic, offset = (float(v) for v in p)

        def rate(s, y):
            if time.process_time() - begun > BUDGET:
                raise Spent
            i = min(int(s / STEP), last)
            drive = ends[i] + (ends[i + 1] - ends[i]) * (s - times[i]) / STEP
            v = y[1]
            friction = (dynamic + (static - dynamic) * math.exp(-min((v / WIDTH) ** 2, 700.0))) * math.tanh(v / slope)
            return (v, (k * (drive - y[0]) - c * v - friction) / MASS)

        return solve_ivp(rate, (t[0], t[-1]), [0.0, 0.0], method=method, t_eval=t, rtol=1e-6, atol=1e-9).y[0] + offset

    def residuals(p):
        nonlocal solves, best
        found = motion(p) - x
        solves += 1
        rms = float(np.sqrt(np.mean(found**2)))
        if rms < best[0]:
            best = (rms, np.array(p))
        return found

    start = TRUTH * 1.1
    try:
        least_squares(residuals, start, x_scale=np.abs(start), diff_step=1e-4, max_nfev=30)
        ended = "ended by itself"
    except Spent:
        ended = "stopped when the budget was spent"
    return time.process_time() - begun, best, solves, ended


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        t, base, x = record(folder)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        seconds, found, rmse = ours(folder)
        cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        print(f"stickslip: {seconds:.2f} s, {cpu:.2f} CPU s, all included; {1e6 * rmse:.2f} um rms left (noise {1e6 * NOISE:.2f})")
        print("  " + ", ".join(f"{n} {v:.6g}" for n, v in found.items()))
        for method, slope in SETTINGS:
            spent, (left, p), solves, ended = theirs(t, base, x, method, slope)
            print(f"SciPy, {method}, slope {slope:g} m/s: {spent:.1f} CPU s for {solves} solutions, {ended}", flush=True)
            if p is not None:
                print(f"  {1e6 * left:.2f} um rms left; " + ", ".join(f"{n} {v:.6g}" for n, v in zip(NAMES, p)))


if __name__ == "__main__":
    main()

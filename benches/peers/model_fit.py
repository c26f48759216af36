"""Five unknowns of a shaken rig from 10,000 samples: stickslip, and SciPy's least squares around `solve_ivp`.

    pip install numpy scipy
    cargo build --release
    python benches/peers/model_fit.py

A mass on a spring with a moving end and dry friction (m = 3.08 kg; K, c, f_s, f_d and the offset of the sensor are sought).
stickslip searches the whole ranges, on one thread, and computes intervals. SciPy has a smooth friction in place of the
dry one, f = (f_d + (f_s - f_d) exp(-(v/v_s)^2)) tanh(v/eps), and starts 10 % beside the truth: a local search, which is
less than what stickslip is asked for. Both fit the same record, made by the exact scheme with noise of 0.01 mm; both times
are measured here, in one go.
"""

import csv
import json
import os
import pathlib
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
# Of the smooth friction, m/s: the slope at rest and the width of the peak.
SLOPE, WIDTH = 1e-4, 1e-3

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


def theirs(t, base, x):
    solves = 0

    def motion(p):
        nonlocal solves
        solves += 1
        k, c, static, dynamic, offset = p

        def rate(s, y):
            v = y[1]
            friction = (dynamic + (static - dynamic) * np.exp(-((v / WIDTH) ** 2))) * np.tanh(v / SLOPE)
            return [v, (k * (np.interp(s, t, base) - y[0]) - c * v - friction) / MASS]

        return solve_ivp(rate, (t[0], t[-1]), [0.0, 0.0], method="LSODA", t_eval=t, rtol=1e-6, atol=1e-9).y[0] + offset

    start = TRUTH * 1.1
    begun = time.perf_counter()
    fit = least_squares(lambda p: motion(p) - x, start, x_scale=np.abs(start), diff_step=1e-4, max_nfev=30)
    return time.perf_counter() - begun, fit.x, np.sqrt(np.mean(fit.fun**2)), solves


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        t, base, x = record(folder)
        seconds, found, rmse = ours(folder)
        print(f"stickslip: {seconds:.2f} s, all included; {1e6 * rmse:.2f} um rms left (noise {1e6 * NOISE:.2f})")
        print("  " + ", ".join(f"{n} {v:.6g}" for n, v in found.items()))
        seconds_scipy, p, left, solves = theirs(t, base, x)
        print(f"SciPy:     {seconds_scipy:.2f} s for {solves} solutions; {1e6 * left:.2f} um rms left")
        print("  " + ", ".join(f"{n} {v:.6g}" for n, v in zip(NAMES, p)))
        print(f"ratio: {seconds_scipy / seconds:.0f}")


if __name__ == "__main__":
    main()

"""Ten evolutionary runs of a calibration: SciPy's differential evolution with a numba objective, and stickslip.

    pip install scipy numba
    cargo build --release
    python benches/peers/calibration.py

Both fit the same record of 43,200 samples (300 days every ten minutes), all five parameters, ten runs from random
starts, on one thread, and both times are measured here, in one go. The compilation by numba is not counted, nor
is reading and writing files by stickslip (its `seconds` is the computing).
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from numba import njit
from scipy.optimize import differential_evolution

BEARING = 2.0e9
# z0 in m, K in N/m, f_d/f_s, f_s in N, beta in m/K: near the mean of the ten calibrations of Bensoussan et al. (2021).
# With the ratio as an unknown no search looks where f_d > f_s, here as there.
TRUTH = np.array([9.67e-3, 1.89e8, 0.42 / 0.47, 0.47e6, 3.06e-4])
BOUNDS = [(0.0, 0.02), (1e7, 1e9), (0.1, 1.0), (1e5, 1e6), (1e-4, 1e-3)]
RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 10


@njit
def response(p, drive, first, out):
    """z = z0 + x + K (beta T - x)/K_BP; x jumps by 2 (f_s - f_d)/K while the spring pulls with more than f_s."""
    z0, k, ratio, breakaway, beta = p
    kappa = k / BEARING
    x = (first - z0 - kappa * beta * drive[0]) / (1.0 - kappa)
    rho, jump = breakaway / k, 2.0 * (1.0 - ratio) * breakaway / k
    for i in range(drive.size):
        lead = beta * drive[i] - x
        if abs(lead) > rho:
            if jump > 1e-9:
                x += np.sign(lead) * jump * np.ceil((abs(lead) - rho) / jump)
            else:
                x = beta * drive[i] - np.sign(lead) * rho
        out[i] = z0 + x + kappa * (beta * drive[i] - x)


@njit
def error(p, drive, measured, out):
    response(p, drive, measured[0], out)
    total = 0.0
    for i in range(drive.size):
        total += (out[i] - measured[i]) ** 2
    return total


def record(rng):
    """A year, a day and weather; sensor noise of 0.05 mm."""
    day = np.arange(43_200) / 144.0
    slow, weather = 0.0, np.empty(day.size)
    keep = np.exp(-1.0 / 288.0)
    for i, step in enumerate(rng.normal(size=day.size)):
        slow = keep * slow + 3.5 * np.sqrt(1 - keep**2) * step
        weather[i] = slow
    drive = 11 - 9 * np.cos(2 * np.pi * (day + 20) / 365.25) - 4 * np.cos(2 * np.pi * (day + 0.1)) + weather
    measured = np.empty(day.size)
    response(TRUTH, drive, TRUTH[0] + TRUTH[4] * drive[0], measured)
    return drive, measured + 5e-5 * rng.normal(size=day.size)


def scipy_runs(drive, measured):
    out = np.empty(drive.size)
    error(TRUTH, drive, measured, out)  # compiles
    found = []
    start = time.perf_counter()
    for seed in range(RUNS):
        fit = differential_evolution(error, BOUNDS, args=(drive, measured, out), seed=seed, tol=1e-8, polish=False)
        found.append((np.sqrt(fit.fun / drive.size), fit.nfev))
    return time.perf_counter() - start, found


def stickslip_runs(drive, measured):
    root = pathlib.Path(__file__).resolve().parents[2]
    program = root / "target" / "release" / "stickslip"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        rows = np.column_stack([600.0 * np.arange(drive.size), drive, 1e3 * measured])
        np.savetxt(folder / "record.csv", rows, delimiter=",", header="time,temperature,displacement", comments="", fmt="%.17g")
        (folder / "fit.toml").write_text(
            '[data]\nfile = "record.csv"\ntime = "time"\ntime_unit = "s"\ndrive = "temperature"\n'
            'response = "displacement"\nresponse_unit = "mm"\n\n'
            f'[model]\nkind = "thermal-bearing"\nbearing_stiffness = {BEARING:e}\n\n'
            f'[fit]\nmethod = "evolution"\nruns = {RUNS}\n'
        )
        env = dict(os.environ, RAYON_NUM_THREADS="1")
        done = subprocess.run([program, "calibrate", folder / "fit.toml", "--json", "-q"], env=env, stdout=subprocess.PIPE, check=True)
    fit = json.loads(done.stdout)["fit"]
    return fit["seconds"], [(run["rmse"], None) for run in fit["runs"]]


def main():
    drive, measured = record(np.random.default_rng(1))
    ours, our_runs = stickslip_runs(drive, measured)
    theirs, their_runs = scipy_runs(drive, measured)
    evaluations = sum(n for _, n in their_runs)
    micro = lambda runs: ", ".join(f"{1e6 * r:.1f}" for r, _ in sorted(runs))
    print(f"SciPy + numba: {theirs:.2f} s for {RUNS} runs ({evaluations} paths, {1e6 * theirs / evaluations:.0f} us each)")
    print(f"  rmse of the runs, um: {micro(their_runs)}")
    print(f"stickslip:     {ours:.2f} s for {RUNS} runs, with intervals and profiles of the best")
    print(f"  rmse of the runs, um: {micro(our_runs)}")
    print(f"ratio: {theirs / ours:.0f}")


if __name__ == "__main__":
    main()

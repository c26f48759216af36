"""A response curve of 400 points with stability: stickslip, SciPy's time integration, and harmonic balance with tanh.

    pip install numpy scipy
    cargo build --release
    python benches/peers/response.py

Shaw's oscillator (m = K = 1, static 1.2, dynamic 1.0, drive 6 cos wt) over w from 1.2 to 2.4. stickslip follows the
branch with its multipliers (processor time of the whole program on one thread, the least of five runs). SciPy integrates each of some points from the
last state of the one before until a period repeats to 1e-8, with an event at each reversal; its time is scaled to 400
points. Harmonic balance (nine odd harmonics, friction f_d tanh(v/eps)) solves the same points; its amplitudes are
compared with the orbits. All are measured here, in one go; times of SciPy are processor time.

With `--large`, two studies more, each on one thread and on two: the basins of 10^6 starts of an oscillator whose mass may stay
at rest, and a bifurcation diagram of 1,000 values with 500 states each; their processor time and the time on the clock.
"""

import csv
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("STICKSLIP", str(ROOT / "target" / "release" / "stickslip"))
STATIC, DYNAMIC, DRIVE = 1.2, 1.0, 6.0
FROM, TO, COUNT = 1.2, 2.4, 400
POINTS = 20

MODEL = f"""
[oscillator]
mass = 1.0
stiffness = 1.0
friction.static-dynamic = {{ static = {STATIC}, dynamic = {DYNAMIC} }}
[[oscillator.drive]]
harmonic = {{ amplitude = {DRIVE}, angular_frequency = 1.3 }}
[run]
end = 1.0
scheme = "exact"
"""


def spent():
    """Processor time of the programs that were started, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours():
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "shaw.toml"
        model.write_text(MODEL)
        key = "oscillator.drive.0.harmonic.angular_frequency"
        seconds = []
        for run in range(5):
            out = pathlib.Path(folder) / str(run)
            before = spent()
            subprocess.run(
                [PROGRAM, "response", str(model), "--vary", f"{key}={FROM}:{TO}:{COUNT}", "--out", str(out), "-q"],
                check=True,
                env={**os.environ, "RAYON_NUM_THREADS": "1"},
            )
            seconds.append(spent() - before)
        with open(out / "response.csv", newline="") as file:
            rows = [(float(r["value"]), float(r["amplitude"])) for r in csv.DictReader(file) if r["branch"] == "1"]
    return min(seconds), np.array(rows)


RESTING = """
[oscillator]
mass = 1.0
stiffness = 1.0
damping = 0.2
friction.static-dynamic = { static = 1.1, dynamic = 0.6 }
[[oscillator.force]]
harmonic = { amplitude = 1.0, angular_frequency = 1.0 }
[run]
end = 50.0
"""
BELT = """
[oscillator]
mass = 1.0
stiffness = 1.0
damping = 0.1
friction.static-dynamic = { static = 1.5, dynamic = 1.0 }
[[oscillator.support]]
constant = 0.5
[[oscillator.force]]
harmonic = { amplitude = 1.0, angular_frequency = 1.0 }
[run]
end = 50.0
scheme = "exact"
"""


def large():
    key = "oscillator.force.0.harmonic.angular_frequency"
    studies = [
        ("basins of 10^6 starts", RESTING, ["basins", "--x", "-4:4:1000", "--v", "-4:4:1000"]),
        ("diagram of 1,000 x 500", BELT, ["sweep", "--vary", f"{key}=0.5:2.5:1000", "--section", "500"]),
    ]
    for name, text, (command, *options) in studies:
        for threads in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                model = pathlib.Path(folder) / "model.toml"
                model.write_text(text)
                before, start = spent(), time.perf_counter()
                subprocess.run(
                    [PROGRAM, command, str(model), *options, "--out", str(pathlib.Path(folder) / "out"), "-q"],
                    check=True,
                    env={**os.environ, "RAYON_NUM_THREADS": str(threads)},
                )
                cpu, took = spent() - before, time.perf_counter() - start
                print(f"{name}, {threads} thread(s): {cpu:8.1f} s of processor time, {took:8.1f} s", flush=True)


def slip(u, t, w, sign, until):
    """The slip from u at t: its end, and whether the mass has come to rest there."""

    def rest(_, y):
        return y[1]

    rest.terminal, rest.direction = True, -sign
    force = lambda s, y: [y[1], DRIVE * np.cos(w * s) - y[0] - sign * DYNAMIC]
    found = solve_ivp(force, (t, until), u, method="DOP853", rtol=1e-10, atol=1e-12, events=rest)
    return found.y[:, -1], found.t[-1], found.status == 1


def period(u, w):
    """The state after a period, and the largest displacement."""
    t, end, most = 0.0, 2 * np.pi / w, abs(u[0])
    while t < end - 1e-12:
        load = DRIVE * np.cos(w * t) - u[0]
        if abs(u[1]) < 1e-12 and abs(load) <= STATIC:
            # Stuck until the load leaves the limit: on a fine grid, then by bisection.
            s = np.linspace(t, end, 2001)
            beyond = np.flatnonzero(np.abs(DRIVE * np.cos(w * s) - u[0]) > STATIC)
            if beyond.size == 0:
                return np.array([u[0], 0.0]), most
            a, b = s[max(beyond[0] - 1, 0)], s[beyond[0]]
            for _ in range(50):
                middle = 0.5 * (a + b)
                a, b = (a, middle) if abs(DRIVE * np.cos(w * middle) - u[0]) > STATIC else (middle, b)
            t, u = b, np.array([u[0], 0.0])
            sign = np.sign(DRIVE * np.cos(w * t) - u[0])
        else:
            sign = np.sign(u[1]) if abs(u[1]) >= 1e-12 else np.sign(load)
        # Away from the event at the start.
        step = min(1e-6, 0.5 * (end - t))
        a = DRIVE * np.cos(w * t) - u[0] - sign * DYNAMIC
        u = np.array([u[0] + step * u[1] + 0.5 * step**2 * a, u[1] + step * a])
        u, t, rests = slip(u, t + step, w, sign, end)
        if rests:
            u = np.array([u[0], 0.0])
        most = max(most, abs(u[0]))
    return u, most


def by_integration(frequencies):
    start, u, amplitudes = time.process_time(), np.zeros(2), []
    for w in frequencies:
        for _ in range(400):
            after, most = period(u, w)
            near = np.max(np.abs(after - u)) < 1e-8
            u = after
            if near:
                break
        amplitudes.append(most)
    return time.process_time() - start, np.array(amplitudes)


def by_harmonic_balance(frequencies, eps, harmonics=9, samples=1024):
    odd = 2 * np.arange(harmonics) + 1
    phase = 2 * np.pi * np.arange(samples) / samples
    cos, sin = np.cos(np.outer(phase, odd)), np.sin(np.outer(phase, odd))

    def residual(z, w):
        a, b = z[:harmonics], z[harmonics:]
        v = -sin @ (a * odd * w) + cos @ (b * odd * w)
        friction = DYNAMIC * np.tanh(v / eps)
        fc, fs = 2 / samples * cos.T @ friction, 2 / samples * sin.T @ friction
        stiffness = 1 - (odd * w) ** 2
        drive = np.where(odd == 1, DRIVE, 0.0)
        return np.concatenate([stiffness * a + fc - drive, stiffness * b + fs])

    start, z, amplitudes = time.process_time(), np.zeros(2 * harmonics), []
    z[0] = DRIVE / (1 - frequencies[0] ** 2)
    for w in frequencies:
        z = fsolve(residual, z, args=(w,), xtol=1e-10)
        x = cos @ z[:harmonics] + sin @ z[harmonics:]
        amplitudes.append(0.5 * (x.max() - x.min()))
    return time.process_time() - start, np.array(amplitudes)


def main():
    seconds, curve = ours()
    frequencies = np.linspace(FROM, TO, POINTS)
    order = np.argsort(curve[:, 0])
    known = np.interp(frequencies, curve[order, 0], curve[order, 1])
    print(f"stickslip            {1e3 * seconds:10.1f} ms for {len(curve)} orbits with their multipliers")
    took, amplitudes = by_integration(frequencies)
    took *= COUNT / POINTS
    print(f"SciPy, integration   {1e3 * took:10.1f} ms for {COUNT}, {took / seconds:.0f} times as long")
    print(f"                     amplitudes apart by at most {np.max(np.abs(amplitudes - known)):.1e}")
    for eps in (1e-1, 1e-2):
        took, amplitudes = by_harmonic_balance(frequencies, eps)
        took *= COUNT / POINTS
        apart = np.abs(amplitudes - known)
        print(f"tanh(v/{eps:g}), balance {1e3 * took:10.1f} ms for {COUNT}; amplitudes apart by at most {apart.max():.1e}")
    if "--large" in sys.argv:
        large()


if __name__ == "__main__":
    main()

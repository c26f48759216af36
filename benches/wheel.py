"""What the wheel costs beside the program, and Python beside the wheel: both sides in one run, with their ratios.

    pip install numpy target/wheels/dist/*.whl
    python benches/wheel.py [--program target/dist/stickslip] [--quick]

Times are processor times, summed over threads, the least of a few runs: on a machine that is busy compare the ratios. The program
reads the same files as the wheel, its start is measured by itself and taken off.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import stickslip as ss

ROOT = pathlib.Path(__file__).resolve().parents[1]
FIT = """[data]
file = "record.csv"
time = "t"
time_unit = "s"
drive = "temperature"
response = "displacement"
response_unit = "m"
[model]
kind = "thermal-bearing"
bearing_stiffness = 2e9
"""
FLEET = """[data]
file = "record.csv"
time = "t"
time_unit = "s"
drive = "temperature"
responses = [{names}]
response_unit = "m"
[model]
kind = "thermal-bearing"
"""
NOISE = """[oscillator]
mass = 1.0
stiffness = 1.0
damping = 0.0
friction.static-dynamic = { static = 1.2, dynamic = 1.0 }
drive = [{ harmonic = { amplitude = 6.0, angular_frequency = 0.5, phase = 0.0 } }]
force = [{ ornstein-uhlenbeck = { rate = 1.0, intensity = 1.0, scale = 1.5 } }]
initial.displacement = 6.0
[run]
end = 20.0
step = 0.01
seed = 1
scheme = "theta"
"""


def play(stretch, limit):
    """What a bearing shows that sticks until its spring is stretched so far, and jumps on by six tenths of that."""
    x, out = 0.0, np.empty(len(stretch))
    for i, d in enumerate(stretch):
        while abs(d - x) > limit:
            x += np.sign(d - x) * 0.6 * limit
        out[i] = x
    return out


def bearing(rows, step=600.0, seed=1, count=1):
    """Columns of a record: days and years of temperature, and `count` bearings."""
    rng = np.random.default_rng(seed)
    t = step * np.arange(rows)
    day, year = 2 * np.pi / 86400.0, 2 * np.pi / 31.6e6
    temperature = 12.0 - 10.0 * np.cos(year * t) + 6.0 * np.sin(day * t) + 0.02 * rng.standard_normal(rows)
    columns = {"t": t, "temperature": temperature}
    for i in range(count):
        drive = 8e-4 * temperature
        x = play(drive, 5e-3 * (1.0 + 0.1 * i))
        shown = x + 0.05 * (drive - x) + 2e-5 * rng.standard_normal(rows)
        columns["displacement" if count == 1 else f"b{i + 1}"] = shown
    return columns


def written(folder, columns, text):
    folder.mkdir()
    table = np.stack(list(columns.values()), axis=1)
    np.savetxt(folder / "record.csv", table, delimiter=",", header=",".join(columns), comments="", fmt="%.10g")
    (folder / "fit.toml").write_text(text)
    return folder / "fit.toml"


def of_children(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_this(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def row(name, ours, theirs, unit=1e3, word="ms"):
    print(f"{name:58} {unit * ours:10.2f} {unit * theirs:10.2f} {word}  {ours / theirs:6.2f} ×", flush=True)


def beside_the_program(program, folder, quick):
    print(f"{'':58} {'wheel':>10} {'program':>10}")
    sizes = [("a bearing's year, hourly (examples/bearing-year)", None), ("43,200 rows", 43_200)]
    sizes += [] if quick else [("10⁶ rows", 1_000_000)]
    start = min(of_children([program, "--version"]) for _ in range(5))
    runs = 2 if quick else 3

    def least(command, work):
        ours = min(of_this(work) for _ in range(runs))
        return ours, min(of_children(command) for _ in range(runs)) - start

    for i, (name, rows) in enumerate(sizes):
        file = ROOT / "examples" / "bearing-year" / "fit.toml" if rows is None else written(folder / f"fit{i}", bearing(rows), FIT)
        row(name, *least([program, "calibrate", file], lambda f=file: ss.calibrate(f)))
    years, count = (2, 2) if quick else (30, 6)
    columns = bearing(8766 * years, 3600.0, count=count)
    names = ", ".join(f'"b{i + 1}"' for i in range(count))
    file = written(folder / "fleet", columns, FLEET.replace("{names}", names))
    name = f"a fleet of {count} bearings, {years} years, hourly"
    out = [0]

    def fleet(call):
        out[0] += 1
        return call(folder / f"out{out[0]}")

    ours = of_this(lambda: fleet(lambda to: ss.fleet(file, out=to)))
    row(name, ours, fleet(lambda to: of_children([program, "fleet", file, "--out", to])) - start)
    model = folder / "noise.toml"
    model.write_text(NOISE)
    command = [program, "ensemble", model, "--paths", "4000"]
    row("an ensemble of 4,000 paths of 2,000 steps", *least(command, lambda: ss.ensemble(model, paths=4000)))


def shaw(m=1.0, k=1.0, fd=1.0, a=6.0, x0=6.0):
    law = ss.static_dynamic(1.2, fd)
    return ss.Oscillator(mass=m, stiffness=k, friction=law, drive=ss.harmonic(a, 0.5), x0=x0)


def each(work, count, repeats=7):
    """The least time of one of `count` calls, s."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        for i in range(count):
            work(i)
        times.append((time.process_time() - start) / count)
    return min(times)


def small_models():
    """Small models in Python: each part, beside the motion itself."""
    model, rest = shaw(), ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0))
    path = ss.solve(model, t_end=40)
    inner = model._problem(path._settings)
    motion = each(lambda i: inner.solve(), 200)
    fresh = [shaw(m=1.0 + 1e-6 * i) for i in range(2000)]
    prepared = iter(fresh)
    first = each(lambda i: ss.solve(next(prepared), t_end=40), 200, 9)
    print(f"\n{'':58} {'µs':>10} {'aim':>10}")
    lines = [
        ("ss.Oscillator(…)", each(lambda i: shaw(m=1.0 + 1e-6 * i), 2000), "≤ 5"),
        ("Shaw's motion, ten events, in the library", motion, ""),
        ("ss.solve of it, again, beyond that", each(lambda i: ss.solve(model, t_end=40), 200) - motion, "≤ 10"),
        ("ss.solve of a fresh model, beyond that", first - motion, ""),
        ("ss.solve of a mass at rest", each(lambda i: ss.solve(rest, t_end=40), 1000), ""),
    ]
    for name, seconds, aim in lines:
        print(f"{name:58} {1e6 * seconds:10.2f} {aim:>10}", flush=True)
    return motion


def many_motions(motion, count):
    rng = np.random.default_rng(1)
    middle = np.array([1.0, 1.0, 1.0, 6.0, 6.0])
    p = middle * (1.0 + 0.02 * rng.uniform(-1.0, 1.0, (count, 5)))
    keys = ["oscillator.mass", "oscillator.stiffness", "oscillator.friction.static-dynamic.dynamic"]
    keys += ["oscillator.drive.0.harmonic.amplitude", "oscillator.initial.displacement"]
    vary = dict(zip(keys, np.ascontiguousarray(p.T)))
    best = (np.inf, np.inf)
    for _ in range(3):
        start, used = time.perf_counter(), time.process_time()
        found = ss.solve_many(shaw(), vary, t_end=40, events=True)
        best = min(best, (time.perf_counter() - start, time.process_time() - used))
    wall, used = best
    cores = os.cpu_count()
    print(f"\nsolve_many, {count} Shaw oscillators with five numbers each ({len(found.events) / count:.1f} events), {cores} cores")
    print(f"  wall time {wall:.2f} s (aim for 10⁵ on two cores: ≤ 1.5 s); {1e6 * used / count:.2f} µs of processor time each")
    print(f"  beside as many motions in the library: {used / (motion * count):.2f} × the processor time,", end=" ")
    print(f"{wall / (motion * count / cores):.2f} × the time of {cores} cores (aim: ≤ 1.2 ×)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=str(ROOT / "target" / "dist" / "stickslip"))
    parser.add_argument("--quick", action="store_true", help="small records and 10⁴ motions")
    asked = parser.parse_args()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"stickslip {ss.__version__}, {os.cpu_count()} cores, {load:.1f} programs waited for them in the last minute\n")
    if os.access(asked.program, os.X_OK):
        with tempfile.TemporaryDirectory() as folder:
            beside_the_program(asked.program, pathlib.Path(folder), asked.quick)
    else:
        print(f"{asked.program} is not there: build it with cargo build --profile dist -p stickslip-cli, or name it by --program")
    many_motions(small_models(), 10_000 if asked.quick else 100_000)


if __name__ == "__main__":
    main()

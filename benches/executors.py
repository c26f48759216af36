"""How much faster a fleet and an ensemble are with two workers than with one, through an executor.

    pip install numpy target/wheels/dist/*.whl
    python benches/executors.py [bearings] [paths]

Both runs follow one another in one sitting, so nothing else should run. The fleet is made from the temperature of
`examples/bearing-year` (a year, hourly), with known friction; one bearing in twenty changes its friction.
"""

import concurrent.futures
import csv
import pathlib
import statistics
import sys
import tempfile
import time

import numpy as np
import stickslip as ss

YEAR = pathlib.Path(__file__).resolve().parents[1] / "examples" / "bearing-year" / "bearing.csv"
FLEET = """
data = { file = "*.csv", time = "time", drive = "temperature", response = "z", response_unit = "mm" }
model = { kind = "thermal-bearing", bearing_stiffness = 2.0e9 }
"""
REPEATS = 2


def displacements(air: np.ndarray, number: int) -> np.ndarray:
    """Of a slider with friction, in mm (Bensoussan et al. 2021, section 2.3.4)."""
    draws = np.random.default_rng(number)
    stiffness = 1.89e8 * np.exp(draws.uniform(-0.2, 0.2))
    breakaway = 4.7e5 * np.exp(0.15 * draws.normal()) / stiffness
    sliding, beta = breakaway * draws.uniform(0.8, 0.95), draws.uniform(2.5e-4, 3.5e-4)
    change = len(air) // 2 if number % 20 == 7 else len(air)
    d, x, z = beta * air, beta * air[0], np.empty(len(air))
    for i in range(len(air)):
        grown = 1.3 if i >= change else 1.0
        while abs(d[i] - x) > grown * breakaway:
            x += 2 * grown * (breakaway - sliding) * np.sign(d[i] - x)
        z[i] = 9.67e-3 + x + stiffness / 2e9 * (d[i] - x)
    return 1e3 * (z + draws.normal(0, 5e-5, len(air)))


def make_fleet(folder: pathlib.Path, bearings: int) -> pathlib.Path:
    with YEAR.open() as file:
        rows = [row for row in csv.DictReader(file) if row["temperature"]]
    air = np.array([float(row["temperature"]) for row in rows])
    for number in range(bearings):
        z = displacements(air, number)
        lines = [f"{row['time']},{row['temperature']},{value:.3f}" for row, value in zip(rows, z)]
        (folder / f"b{number:04}.csv").write_text("\n".join(["time,temperature,z", *lines]) + "\n")
    (folder / "fleet.toml").write_text(FLEET)
    return folder / "fleet.toml"


def seconds(task, workers: int) -> float:
    with concurrent.futures.ProcessPoolExecutor(workers) as executor:
        # A worker imports the package before it works: that is no part of the work.
        list(executor.map(time.sleep, [0.5] * workers))
        list(executor.map(ss.static_dynamic, [1.2] * workers, [1.0] * workers))
        start = time.perf_counter()
        task(executor)
        return time.perf_counter() - start


def compare(name: str, task, repeats: int) -> None:
    pairs = [(seconds(task, 1), seconds(task, 2)) for _ in range(repeats)]
    one, two = (statistics.median(p[i] for p in pairs) for i in (0, 1))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"{name:48} {one:8.2f} s {two:8.2f} s   {ratio:.2f} times as fast")


def main() -> None:
    bearings, paths = (int(sys.argv[i]) if len(sys.argv) > i else usual for i, usual in ((1, 80), (2, 100_000)))
    shaken = ss.Oscillator(
        mass=1,
        stiffness=1,
        friction=ss.static_dynamic(1.2, 1.0),
        drive=ss.harmonic(6.0, 0.5) + 1.5 * ss.ornstein_uhlenbeck(1.0, 1.0),
        x0=6.0,
    )
    asked = {"t_end": 20, "step": 1e-2, "paths": paths, "seed": 1, "rows": 21}
    print(f"{'':48} {'1 worker':>10} {'2 workers':>10}")
    compare(f"ensemble of {paths} paths of 2000 steps", lambda e: ss.ensemble(shaken, executor=e, **asked), REPEATS)
    with tempfile.TemporaryDirectory() as folder:
        fleet = make_fleet(pathlib.Path(folder), bearings)
        compare(f"fleet of {bearings} bearings", lambda e: ss.fleet(fleet, executor=e), 1)


if __name__ == "__main__":
    main()

"""How long common tasks take: processor time, median of several runs after one that is not counted.

    pip install numpy target/wheels/dist/*.whl
    python benches/speed.py

Processor time does not depend much on what else runs on the machine. It is summed over the threads of a task.
"""

import pathlib
import statistics
import time

import stickslip as ss

YEAR = pathlib.Path(__file__).resolve().parents[1] / "examples" / "bearing-year" / "fit.toml"


def processor_time(task, runs):
    task()
    times = []
    for _ in range(runs):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return statistics.median(times)


def main():
    shaw = ss.Oscillator(
        mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.harmonic(6.0, 0.5), x0=6.0
    )
    shaken = shaw.replace(drive=ss.harmonic(6.0, 0.5) + 1.5 * ss.ornstein_uhlenbeck(1.0, 1.0))
    paths, steps = 2000, 2000
    tasks = [
        ("Shaw's oscillator, 40 s, exact", lambda: ss.solve(shaw, t_end=40), 100),
        ("the same, 40 000 s", lambda: ss.solve(shaw, t_end=40_000), 10),
        ("the same by euler, 10^6 steps", lambda: ss.solve(shaw, t_end=1000, scheme="euler", step=1e-3), 5),
        (
            f"{paths} sample paths of {steps} steps under Ornstein-Uhlenbeck noise",
            lambda: ss.ensemble(shaken, t_end=20, step=20 / steps, paths=paths, seed=1, rows=2),
            5,
        ),
        ("calibration of a year of a bearing, hourly", lambda: ss.calibrate(YEAR), 5),
    ]
    events = [len(ss.solve(shaw, t_end=end).events) for end in (40, 40_000)]
    print(f"events: {events[0]} in 40 s, {events[1]} in 40 000 s")
    for name, task, runs in tasks:
        print(f"{name:72} {1e3 * processor_time(task, runs):9.3f} ms")


if __name__ == "__main__":
    main()

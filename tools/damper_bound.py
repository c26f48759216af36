"""How much of a damper's force no sum of springs that slide can have, fitted to the very record that it is compared with.

    python tools/damper_bound.py RECORD.csv

RECORD.csv has a time in s, a displacement in mm and a force in kN. Elements of Maxwell slip that yield at widths of 0.2 to 40 % of the travel are fitted
by linear least squares next to a spring, a damper and a constant force; then the same with other forces for each side.
"""

from __future__ import annotations

import sys

import numpy as np

#: Numbers of elements.
COUNTS = (8, 16, 32)


def stop(displacement: np.ndarray, width: float) -> np.ndarray:
    """The deflection of a spring that slides at ±`width`: the displacement less that of its play."""
    bent, before, all_bent = 0.0, displacement[0], []
    for now in displacement:
        bent = min(max(bent + now - before, -width), width)
        before = now
        all_bent.append(bent)
    return np.array(all_bent)


def left(columns: list[np.ndarray], force: np.ndarray) -> float:
    """The root mean square of what the best sum of the columns leaves, as a share of that of the force."""
    matrix = np.column_stack(columns)
    matrix = matrix / np.abs(matrix).max(axis=0)
    found, *_ = np.linalg.lstsq(matrix, force, rcond=None)
    return float(np.sqrt(np.mean((matrix @ found - force) ** 2) / np.mean(force**2)))


def main(path: str) -> None:
    time, displacement, force, *_ = np.loadtxt(path, delimiter=",", skiprows=1).T
    others = [displacement, np.gradient(displacement, time), np.ones_like(time)]
    for count in COUNTS:
        stops = [stop(displacement, w) for w in np.geomspace(0.002, 0.4, count) * np.ptp(displacement)]
        sides = [np.maximum(s, 0.0) for s in stops] + [np.minimum(s, 0.0) for s in stops]
        alike, each = left(stops + others, force), left(sides + others, force)
        print(f"{count} elements leave {100 * alike:.1f} % of the force, with forces of their own for each side {100 * each:.1f} %")


if __name__ == "__main__":
    main(sys.argv[1])

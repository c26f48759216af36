"""Derivatives of random oscillators by the library, against differences in 28 and 44 digits by the generator.

    pip install mpmath gmpy2 numpy target/wheels/dist/*.whl
    python campaign.py [COUNT [FIRST SEED]]

Each model has a mass, a spring, perhaps a damper, one of three laws of friction, a harmonic drive and a harmonic force or a ramp, with numbers at random; its derivatives are those of the
times of all events and of two states with respect to every number of its file. Errors are relative to the largest derivative of its kind with respect to the same number. Exact motions
must meet 10⁻⁹, motions by `adaptive` (rtol 10⁻¹²) 10⁻⁷. A model whose neighbours have other events, and one that the library calls doubtful, is counted apart.
"""

import random
import sys
import warnings

import numpy as np
import stickslip as ss
from mpmath import mp

import blocks
from derivatives import Edge, called, moved, numbers, size
from signals import exact

#: Digits and order of the motions, and the distance as a power of two. What does not agree in the first way is looked at in the second, which is slower.
WAYS = ((28, 22, 27), (44, 36, 40))
EXACT, ADAPTIVE = 1e-9, 1e-7


def drawn(r):
    """A model file as a dictionary."""
    draw = lambda a, b: round(r.uniform(a, b), 4)  # noqa: E731
    static = draw(0.5, 1.5)
    laws = [
        {"static-dynamic": {"static": static, "dynamic": round(static * r.uniform(0.5, 0.98), 4)}},
        {"coulomb": {"force": static}},
        {"stribeck-exponential": {"static": static, "dynamic": round(static * r.uniform(0.6, 0.98), 4), "velocity": draw(0.2, 1.0), "exponent": r.choice([1, 2]), "viscous": draw(0.01, 0.1)}},
    ]
    o = {"mass": draw(0.5, 2.0), "stiffness": draw(0.5, 6.0), "friction": r.choices(laws, [4, 4, 1])[0]}
    if r.random() < 0.6:
        o["damping"] = draw(0.02, 0.5)
    wave = lambda a: {"harmonic": {"amplitude": draw(0.3 * a, a), "angular_frequency": draw(0.3, 2.5), "phase": draw(0.0, 6.0)}}  # noqa: E731
    o["drive"] = [wave(4.0)] if r.random() < 0.7 else [{"ramp": {"rate": draw(0.1, 0.5), "offset": draw(-1.0, 1.0)}}]
    if r.random() < 0.5:
        o["force"] = [wave(2.0)]
    o["initial"] = {"displacement": draw(-3.0, 3.0), "velocity": draw(-2.0, 2.0)}
    return {"oscillator": o, "run": {"end": draw(4.0, 9.0)}}


def motion(document, wanted, way):
    mp.dps, order, _ = way
    run = blocks.Run(blocks.Model(document), order, [exact(t) for t in wanted]).run()
    names = [e["event"] for e in run.events]
    return names, [e["t"] for e in run.events], [s[1][0] for s in run.states], [s[2][0] for s in run.states]


def rates(document, path, wanted, base, way):
    """Derivatives of times, displacements and velocities with respect to one number."""
    mp.dps = way[0]
    h = size(document, path) / mp.mpf(2) ** way[2]
    above, below = (motion(moved(document, path, s * h), wanted, way) for s in (1, -1))
    if above[0] != base or below[0] != base:
        raise Edge
    return [np.array([float((a - b) / (2 * h)) for a, b in zip(p, q)]) for p, q in zip(above[1:], below[1:])]


def compared(seed):
    """What became of one model: a word, and the largest error."""
    document = drawn(random.Random(seed))
    end = document["run"]["end"]
    wanted = [round(0.61 * end, 3), end]
    adaptive = "stribeck-exponential" in document["oscillator"]["friction"]
    model = ss.load(document)
    keys = [called(path) for path in numbers(document)]
    more = {"rtol": 1e-12, "atol": 1e-14} if adaptive else {}
    found = ss.sensitivity(model, keys, t=wanted, **more)
    least = ADAPTIVE if adaptive else EXACT
    for way in WAYS:
        base = motion(document, wanted, way)[0]
        if [str(e) for e in found.events["event"]] != base:
            return "other events", np.inf
        if found.doubtful:
            return "doubtful", 0.0
        try:
            worst = largest(found, document, wanted, base, way)
        except Edge:
            return "edge", 0.0
        if worst <= least:
            return "adaptive" if adaptive else "exact", worst
    return "DIFFERS", worst


def largest(found, document, wanted, base, way):
    """The largest error of all derivatives, relative to the largest of its kind with respect to the same number."""
    worst = 0.0
    for k, path in enumerate(numbers(document)):
        right = rates(document, path, wanted, base, way)
        for mine, of in zip((found.event_times, found.x, found.v), right):
            if len(of):
                worst = max(worst, np.abs(np.asarray(mine)[:, k] - of).max() / (np.abs(of).max() or 1.0))
    return worst


def main():
    warnings.simplefilter("ignore")
    count, first = (int(sys.argv[i]) if len(sys.argv) > i else usual for i, usual in ((1, 1000), (2, 1)))
    tally, worst = {}, {}
    for seed in range(first, first + count):
        word, off = compared(seed)
        tally[word] = tally.get(word, 0) + 1
        worst[word] = max(worst.get(word, 0.0), off)
        if word in ("DIFFERS", "other events"):
            print(f"seed {seed}: {word}, {off:.1e}", flush=True)
        if (seed - first) % 50 == 49:
            print(seed - first + 1, tally, {k: f"{v:.1e}" for k, v in worst.items()}, flush=True)
    print(tally, {k: f"{v:.1e}" for k, v in worst.items()})


if __name__ == "__main__":
    main()

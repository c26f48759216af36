#!/usr/bin/env python3
"""How many random problems are certified, how many certificates are proved, and how many changed ones are rejected: a table of the guide.

    pip install python-flint pytest hypothesis target/wheels/dist/stickslip-*.whl
    python tools/count_certificates.py [PROBLEMS]

PROBLEMS of each row, 1,000 unless another number is given, are shared out among its kinds; they are those of the tests of the package, with
the seeds 0, 1, 2, …. Of each certificate five copies are checked in which one number has been changed. The last column is the median of the processor
time of a certificate over that of its run, both from Python. The table is printed as the guide
shows it (book/src/how-to/certify.md), in about a quarter of an hour.
"""
import statistics
import sys
import time
import warnings
from pathlib import Path

# Before the checker, which adds the sources of the package to the path; these lack the library.
import stickslip as ss

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "crates" / "stickslip-python" / "tests")]

import check_certificate  # noqa: E402
import test_certificates as oscillators  # noqa: E402
import test_certificates_kinds as others  # noqa: E402

CHANGED = 5


def one_mass(_, seed):
    return *oscillators.any_model(seed), "exact"


def one_mass_further(kind, seed):
    return *oscillators.another_model(kind, seed), "exact"


ROWS = (
    ("one mass under harmonics, steps and sampled loads", ("",), one_mass),
    ("one mass on a support that moves or jumps, between rigid or soft stops, with critical damping, at resonance, or pressed", oscillators.KINDS, one_mass_further),
    ("cascades of one to six elements, led by a displacement or a force, or with their mass", others.KINDS, others.any_cascade),
    ("impact models: balls on walls at rest, shaken or sampled, masses between two walls", others.IMPACTS, others.any_impact),
)


def row(kinds, problem, count):
    """What becomes of about so many problems of these kinds. A certificate that is not proved is named."""
    certified = proved = refused = arcs = changed = rejected = 0
    ratios = []
    for kind in kinds:
        for seed in range(count // len(kinds)):
            model, end, scheme = problem(kind, seed)
            try:
                began = time.process_time()
                path = ss.solve(model, t_end=end, scheme=scheme)
                solved = time.process_time()
                certificate = path.certificate()
            except ss.Error:
                refused += 1
                continue
            ratios.append((time.process_time() - solved) / (solved - began))
            certified += 1
            try:
                check_certificate.check(certificate)
            except check_certificate.Rejected as why:
                print(f"{kind} {seed}: {why}", file=sys.stderr)
                continue
            proved += 1
            arcs += len(certificate["arcs"])
            changed += CHANGED
            rejected += oscillators.counted(certificate, check_certificate, CHANGED)
    counts = (certified + refused, refused, certified, proved, arcs, changed, rejected)
    return [f"{n:,}" for n in counts] + [f"{statistics.median(ratios):.0f}"]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    # That a cascade is led to its first displacement at once.
    warnings.simplefilter("ignore", ss.MotionWarning)
    print("| random problems | made | refused | certified | proved | arcs | certificates with one changed number | of these rejected | time |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, kinds, problem in ROWS:
        print(f"| {name} | {' | '.join(row(kinds, problem, count))} |", flush=True)


if __name__ == "__main__":
    main()

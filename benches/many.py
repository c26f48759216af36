"""Many small motions: by one call, by a loop over `solve`, and by SciPy with events, in one run.

    pip install numpy scipy target/wheels/dist/*.whl
    python benches/many.py [N]

Shaw's oscillator (ten events in forty seconds) with five numbers that differ from motion to motion. What is compared with
is what the same computer needs for a few of them by a loop, times their number. The calls of the library alone, without
Python, are those of `cargo bench`; `exact` there is what one motion costs.
"""

import os
import sys
import time

import numpy as np
import stickslip as ss

KEYS = [
    "oscillator.mass",
    "oscillator.stiffness",
    "oscillator.friction.static-dynamic.dynamic",
    "oscillator.drive.0.harmonic.amplitude",
    "oscillator.initial.displacement",
]
END = 40.0


def numbers(count, seed=1):
    rng = np.random.default_rng(seed)
    middle = np.array([1.0, 1.0, 1.0, 6.0, 6.0])
    return middle * (1.0 + 0.02 * rng.uniform(-1.0, 1.0, (count, 5)))


def model(m, k, fd, a, x0):
    law = ss.static_dynamic(1.2, fd)
    return ss.Oscillator(mass=m, stiffness=k, friction=law, drive=ss.harmonic(a, 0.5), x0=x0)


def scipy_motion(m, k, fd, a, x0, rtol=1e-8, atol=1e-10):
    """The same by solve_ivp, from event to event; returns the number of events."""
    from scipy.integrate import solve_ivp

    t, x, v, side, events = 0.0, x0, 0.0, 0.0, 0
    load = lambda t, x: k * (a * np.cos(0.5 * t) - x)  # noqa: E731
    while t < END:
        if side == 0.0:
            reach = [lambda t, y, x=x, s=s: s * load(t, x) - 1.2 for s in (1.0, -1.0)]
            for r in reach:
                r.terminal, r.direction = True, 1
            rest = lambda t, y: [0.0]  # noqa: E731
            found = solve_ivp(rest, (t, END), [x], events=reach, rtol=rtol, atol=atol, max_step=1.0)
            t = found.t[-1]
            if found.status == 1:
                side, events = (1.0 if len(found.t_events[0]) else -1.0), events + 1
            v = 0.0
            continue
        slip = lambda t, y, s=side: [y[1], (load(t, y[0]) - s * fd) / m]  # noqa: E731
        turn = lambda t, y: y[1]  # noqa: E731
        turn.terminal, turn.direction = True, -side
        found = solve_ivp(slip, (t, END), [x, v], events=turn, rtol=rtol, atol=atol, first_step=1e-4)
        t, (x, v) = found.t[-1], found.y[:, -1]
        if found.status == 1:
            events += 1
            v = 0.0
            side = 0.0 if abs(load(t, x)) <= 1.2 else -side
    return events


def timed(work, runs=3):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - start)
    return min(times), found


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    p = numbers(count)
    vary = dict(zip(KEYS, np.ascontiguousarray(p.T)))
    base = model(1.0, 1.0, 1.0, 6.0, 6.0)
    print(f"{count} Shaw oscillators, 40 s, five numbers each; {os.cpu_count()} cores")
    whole, many = timed(lambda: ss.solve_many(base, vary, t_end=END, events=True))
    each = 1e6 * whole / count
    print(f"solve_many, events        {whole:9.3f} s   {each:9.2f} µs each, {len(many.events) / count:.2f} events each")
    final, _ = timed(lambda: ss.solve_many(base, vary, t_end=END, final=True))
    print(f"solve_many, final states  {final:9.3f} s   {1e6 * final / count:9.2f} µs each")
    few = min(count, 1000)
    loop, ones = timed(lambda: [len(ss.solve(model(*row), t_end=END).events) for row in p[:few]])
    assert ones == many.event_counts[:few].tolist()
    print(f"a loop over solve         {loop / few * count:9.1f} s   {1e6 * loop / few:9.2f} µs each, {loop / few * count / whole:.0f} ×")
    few = min(count, 20)
    loop, ones = timed(lambda: [scipy_motion(*row) for row in p[:few]], 1)
    same = sum(a == b for a, b in zip(ones, many.event_counts[:few]))
    ratio = loop / few * count / whole
    print(f"a loop over SciPy         {loop / few * count:9.1f} s   {1e6 * loop / few:9.2f} µs each, {ratio:.0f} ×")
    print(f"                          (rtol 1e-8; {same} of {few} have the same number of events)")


if __name__ == "__main__":
    main()

"""What users wait for, with both sides in one run: an adaptive motion and an orbit, derivatives, a response, a fleet.

    pip install numpy scipy target/wheels/dist/*.whl
    python benches/aims.py [--program target/dist/stickslip] [--bearings 400]

Processor times, the least of a few runs; of the program and the fleet the time on the clock. `benches/wheel.py` and `benches/many.py` have the other rows
of `docs/speed.md` that are not loops of the library.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import stickslip as ss
from executors import make_fleet
from scipy.integrate import solve_ivp

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHAW = ROOT / "examples" / "shaw" / "model.toml"
#: Shaw's drive and a friction that falls with the speed: f_d + (f_s - f_d) exp(-v/v_s).
STATIC, DYNAMIC, VELOCITY, END = 1.2, 1.0, 0.5, 400.0


def least(work, runs=5):
    """Its least processor time, s, and what it returned."""
    times, found = [], None
    for _ in range(runs):
        start = time.process_time()
        found = work()
        times.append(time.process_time() - start)
    return min(times), found


def stribeck(**more):
    law = ss.stribeck_exponential(STATIC, DYNAMIC, VELOCITY)
    return ss.Oscillator(mass=1, stiffness=1, friction=law, drive=ss.harmonic(6.0, 0.5), x0=6.0, **more)


def by_scipy(rtol):
    """Slips and sticks as smooth equations that end at terminal events; times of events and the last displacement."""
    pull = lambda t, x: 6.0 * np.cos(0.5 * t) - x  # noqa: E731
    t, x, v, side, times = 0.0, 6.0, 0.0, 0.0, []
    options = {"method": "DOP853", "rtol": rtol, "atol": 1e-2 * rtol}
    while t < END:
        if side == 0.0:
            reach = [lambda t, y, s=s: s * pull(t, y[0]) - STATIC for s in (1.0, -1.0)]
            for r in reach:
                r.terminal, r.direction = True, 1
            found = solve_ivp(lambda t, y: [0.0], (t, END), [x], events=reach, max_step=1.0, **options)
            t, v = found.t[-1], 0.0
            if found.status == 1:
                side = 1.0 if len(found.t_events[0]) else -1.0
                times.append(t)
            continue

        def slip(t, y, s=side):
            return [y[1], pull(t, y[0]) - s * (DYNAMIC + (STATIC - DYNAMIC) * np.exp(-abs(y[1]) / VELOCITY))]

        turn = lambda t, y: y[1]  # noqa: E731
        turn.terminal, turn.direction = True, -side
        # At the start of a slip the velocity is zero, which is no event yet.
        found = solve_ivp(slip, (t, END), [x, v], events=turn, first_step=1e-4, **options)
        t, (x, v) = found.t[-1], found.y[:, -1]
        if found.status == 1:
            times.append(t)
            v, side = 0.0, (0.0 if abs(pull(t, x)) <= STATIC else -side)
    return np.array(times), x


def adaptive():
    model = stribeck()
    right = ss.solve(model, END, scheme="adaptive", rtol=1e-13, atol=1e-15)
    events, last = np.asarray(right.events["t"]), right.x[-1]
    sharp, x = by_scipy(1e-12)
    apart = max(np.abs(sharp - events).max(), abs(x - last)) if len(sharp) == len(events) else np.inf
    print(f"\nadaptive, one mass, Stribeck's exponential law, {len(events)} events; SciPy at 1e-12 and ours at 1e-13 differ by {apart:.0e}")
    print(f"{'':36} {'error':>9} {'time':>12}")
    ours, theirs = [], []
    for rtol in (1e-6, 1e-8, 1e-10):
        took, path = least(lambda r=rtol: ss.solve(model, END, scheme="adaptive", rtol=r, atol=1e-2 * r))
        same = len(path.events) == len(events)
        error = max(np.abs(path.events["t"] - events).max(), abs(path.x[-1] - last)) if same else np.inf
        ours.append((error, took))
        print(f"{f'stickslip, rtol {rtol:.0e}':36} {error:9.0e} {1e3 * took:9.3f} ms", flush=True)
    for rtol in (1e-6, 1e-8, 1e-10):
        took, (times, x) = least(lambda r=rtol: by_scipy(r), 1)
        error = max(np.abs(times - events).max(), abs(x - last)) if len(times) == len(events) else np.inf
        theirs.append((error, took))
        print(f"{f'SciPy DOP853 with events, rtol {rtol:.0e}':36} {error:9.0e} {1e3 * took:9.1f} ms", flush=True)
    for error, took in ours:
        equal = [t for e, t in theirs if e <= error]
        if equal:
            print(f"  where SciPy errs by at most {error:.0e}: {min(equal) / took:.0f} × our time (aim: ≥ 100)")


def orbit():
    speeds = np.linspace(0.0, 8.0, 33)
    table = ss.table(speeds, DYNAMIC + (STATIC - DYNAMIC) * np.exp(-speeds / VELOCITY))
    model = ss.Oscillator(mass=1, stiffness=1, friction=table, drive=ss.harmonic(6.0, 0.5), x0=6.0)
    key = "oscillator.drive.0.harmonic.angular_frequency"
    whole, found = least(lambda: ss.orbit(model), 2)
    few, _ = least(lambda: ss.response(model, key, (1.2, 2.4), count=10), 2)
    many, curve = least(lambda: ss.response(model, key, (1.2, 2.4), count=100), 2)
    print(f"\nan orbit on a table of 33 speeds, found from 26 starts: {1e3 * whole:.1f} ms, amplitude {found.amplitude:.6f} m")
    print(f"a point more of a response with {len(curve.value)}: {1e3 * (many - few) / 90:.2f} ms (aim: ≤ 10 ms)")


def derivatives():
    keys = [
        "oscillator.mass",
        "oscillator.stiffness",
        "oscillator.damping",
        "oscillator.friction.static-dynamic.static",
        "oscillator.friction.static-dynamic.dynamic",
        "oscillator.drive.0.harmonic.amplitude",
        "oscillator.drive.0.harmonic.angular_frequency",
        "oscillator.drive.0.harmonic.phase",
        "oscillator.initial.displacement",
        "oscillator.initial.velocity",
    ]
    law = ss.static_dynamic(1.2, 1.0)
    model = ss.Oscillator(mass=1, stiffness=1, damping=0.01, friction=law, drive=ss.harmonic(6.0, 0.5, 0.1), x0=6.0, v0=0.1)
    end = 4000.0
    motion, path = least(lambda: ss.solve(model, end))
    events = len(path.events)
    print(f"\nderivatives of a motion with {events} events")
    print(f"{'the motion':58} {1e3 * motion:9.3f} ms")
    for count in (1, 3, 10):
        both, _ = least(lambda n=count: ss.sensitivity(model, keys[:n], end, t=[end]))
        print(f"{f'… and derivatives with respect to {count} numbers':58} {1e3 * both:9.3f} ms  {both / motion:5.2f} × (aim for 10, without the motion: ≤ 3 ×)")
    times = np.linspace(0.0, 200.0, 1001)
    push = ss.sampled(times, 2.0 * np.sin(1.1 * times) + 0.7 * np.cos(2.9 * times))
    pushed = ss.Oscillator(mass=1.3, stiffness=4.0, damping=0.2, friction=ss.static_dynamic(1.0, 0.7), force=push)
    motion, path = least(lambda: ss.solve(pushed, 200.0))
    loss = lambda out: (out.x[0], {"x": [1.0]})  # noqa: E731
    both, _ = least(lambda: ss.value_and_grad(pushed, loss, "oscillator.force.0.sampled", 200.0, t=[200.0]))
    print(f"{f'a motion under 1,001 samples, {len(path.events)} events':58} {1e3 * motion:9.3f} ms")
    print(f"{'… and the gradient of a loss with respect to all of them':58} {1e3 * both:9.3f} ms  {both / motion:5.2f} × (aim, without the motion: ≤ 5 ×)")


def on_the_clock(command, runs=1):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        times.append(time.perf_counter() - start)
        if done.returncode not in (0, 3):
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return min(times)


def programs(program, bearings):
    start = on_the_clock([program, "--version"], 5)
    vary = "oscillator.drive.0.harmonic.angular_frequency=1.2:2.4:400"
    whole = on_the_clock([program, "response", SHAW, "--vary", vary], 5)
    print(f"\nthe program starts in {1e3 * start:.1f} ms")
    print(f"response of 400 orbits, the whole program: {1e3 * whole:.0f} ms (aim: ≤ 50 ms)", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        fleet = make_fleet(pathlib.Path(folder), bearings)
        whole = on_the_clock([program, "fleet", fleet, "--out", pathlib.Path(folder) / "out"])
    minutes = whole / bearings * 10_000 / 60
    print(f"a fleet of {bearings} bearings, a year hourly, {os.cpu_count()} cores: {whole:.1f} s, so 10,000 take {minutes:.1f} min (aim on two cores: ≤ 8)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=str(ROOT / "target" / "dist" / "stickslip"))
    parser.add_argument("--bearings", type=int, default=400)
    asked = parser.parse_args()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"stickslip {ss.__version__}, {os.cpu_count()} cores, {load:.1f} programs waited for them in the last minute")
    adaptive()
    orbit()
    derivatives()
    if os.access(asked.program, os.X_OK):
        programs(asked.program, asked.bearings)


if __name__ == "__main__":
    main()

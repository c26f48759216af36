"""Two stick-slip oscillators, with 30-digit references: SciPy's solve_ivp, diffrax, and stickslip, in one run.

    pip install scipy diffrax target/wheels/dist/*.whl
    python benches/peers/solve_ivp.py

The equations are m x'' + F = K (d(t) - x) with friction F: at most fs at rest, fd against the motion. For each solver
the table says how many of the reference's events it found, how many it missed and invented (further than 1e-3 s from any),
the largest error of an event's time and of the last displacement, and the processor time of one solution: the median of
several runs, after one that is not counted (diffrax compiles in it). Processor time does not depend on what else runs.

What is compared, each written as its documentation advises:
  * events: stick and slip as two smooth equations, changed over by terminal events (SciPy DOP853, diffrax Dopri8), with
    tolerances of 1e-10; diffrax finds its events by Newton's method;
  * tanh: friction as fd tanh(v/1e-3), for stiff solvers (SciPy Radau, diffrax Kvaerno5), with tolerances of 1e-8. A
    stick is there no event; what is counted are the turning points of the velocity's sign;
  * stickslip: the schemes exact and adaptive.
"""

import pathlib
import statistics
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

import stickslip as ss

REFERENCES = (
    pathlib.Path(__file__).resolve().parents[2] / "crates/stickslip/tests/schemes/reference/oscillator.txt"
)
EPSILON = 1e-3


class Case:
    """A problem and its reference."""

    def __init__(self, name):
        blocks = {b.split()[0]: b for b in REFERENCES.read_text().split("case ")[1:]}
        head, *rest = [line for line in blocks[name].splitlines() if line]
        numbers = {k: float(v) for k, v in (w.split("=") for w in head.split()[1:])}
        self.name = name
        self.m, self.K, self.fd, self.fs = (numbers[k] for k in ("m", "K", "fd", "fs"))
        self.A, self.w, self.phi = (numbers[k] for k in ("A", "w", "phi"))
        self.x0, self.v0, self.T = (numbers[k] for k in ("x0", "v0", "T"))
        self.events = [(line.split()[0], float(line.split()[1])) for line in rest[:-1]]
        self.end = float(rest[-1].split()[1])

    def pull(self, t, x):
        return self.K * (self.A * np.cos(self.w * t + self.phi) - x)


def by_stickslip(case, scheme, **options):
    model = ss.Oscillator(
        mass=case.m, stiffness=case.K, friction=ss.static_dynamic(case.fs, case.fd),
        drive=ss.harmonic(case.A, case.w, case.phi), x0=case.x0, v0=case.v0,
    )
    path = ss.solve(model, case.T, scheme, **options)
    return path.events["t"], path(case.T)[0]


def by_scipy_events(case):
    t, x, v, times = 0.0, case.x0, case.v0, []
    side = 0.0 if v == 0.0 and abs(case.pull(t, x)) <= case.fs else np.sign(v or case.pull(t, x))
    options = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-10}
    while t < case.T:
        if side == 0.0:
            # At rest nothing moves, so only max_step keeps the solver from stepping over the event.
            leave = lambda t, y: abs(case.pull(t, y[0])) - case.fs  # noqa: E731, B023
            leave.terminal, leave.direction = True, 1.0
            found = solve_ivp(lambda t, y: [0.0], (t, case.T), [x], events=leave, max_step=0.5, **options)
            t = found.t[-1]
            if not len(found.t_events[0]):
                break
            times.append(t)
            side, v = np.sign(case.pull(t, x)), 0.0
            continue
        stop = lambda t, y: y[1]  # noqa: E731
        stop.terminal, stop.direction = True, -side
        motion = lambda t, y: [y[1], (case.pull(t, y[0]) - side * case.fd) / case.m]  # noqa: E731, B023
        found = solve_ivp(motion, (t, case.T), [x, v], events=stop, **options)
        t, x, v = found.t[-1], found.y[0, -1], found.y[1, -1]
        if not len(found.t_events[0]):
            break
        times.append(t)
        v = 0.0
        side = 0.0 if abs(case.pull(t, x)) <= case.fs else -side
    return np.array(times), x


def by_scipy_tanh(case):
    motion = lambda t, y: [y[1], (case.pull(t, y[0]) - case.fd * np.tanh(y[1] / EPSILON)) / case.m]  # noqa: E731
    turn = lambda t, y: y[1]  # noqa: E731
    found = solve_ivp(motion, (0, case.T), [case.x0, case.v0], method="Radau", events=turn, rtol=1e-8, atol=1e-8)
    return found.t_events[0], found.y[0, -1]


def diffrax_solvers(case):
    """Both of diffrax's ways, compiled."""
    import diffrax
    import jax
    import jax.numpy as jnp
    import optimistix

    jax.config.update("jax_enable_x64", True)
    pull = lambda t, x: case.K * (case.A * jnp.cos(case.w * t + case.phi) - x)  # noqa: E731
    newton = optimistix.Newton(1e-12, 1e-12)
    control = diffrax.PIDController(rtol=1e-10, atol=1e-10)

    def solved(motion, event, controller, y, t, side):
        return diffrax.diffeqsolve(
            diffrax.ODETerm(motion), diffrax.Dopri8(), t, case.T, None, y, args=side, event=event,
            stepsize_controller=controller, max_steps=100_000, throw=False,
        )

    @jax.jit
    def slip(t, x, v, side):
        motion = lambda t, y, side: jnp.array([y[1], (pull(t, y[0]) - side * case.fd) / case.m])  # noqa: E731
        # The velocity is zero at the start too: what counts is when it turns against the motion.
        event = diffrax.Event(lambda t, y, args, **_: args * y[1], newton, direction=False)
        out = solved(motion, event, control, jnp.array([x, v]), t, side)
        return out.ts[-1], out.ys[-1, 0], out.result == diffrax.RESULTS.event_occurred

    @jax.jit
    def stick(t, x):
        event = diffrax.Event(lambda t, y, args, **_: jnp.abs(pull(t, y[0])) - case.fs, newton, direction=True)
        still = diffrax.PIDController(rtol=1e-10, atol=1e-10, dtmax=0.5)
        out = solved(lambda t, y, _: jnp.zeros(1), event, still, jnp.array([x]), t, 0.0)
        return out.ts[-1], out.result == diffrax.RESULTS.event_occurred

    def events():
        t, x, v, times = 0.0, case.x0, case.v0, []
        side = 0.0 if v == 0.0 and abs(case.pull(t, x)) <= case.fs else np.sign(v or case.pull(t, x))
        while t < case.T:
            if side == 0.0:
                t, hit = stick(t, x)
                if not hit:
                    break
                t = float(t)
                side = float(np.sign(case.pull(t, x)))
            else:
                t, x, hit = slip(t, x, 0.0 if times else v, side)
                if not hit:
                    x = float(x)
                    break
                t, x = float(t), float(x)
                side = 0.0 if abs(case.pull(t, x)) <= case.fs else -side
            times.append(t)
        return np.array(times), x

    @jax.jit
    def rounded():
        motion = lambda t, y, _: jnp.array(  # noqa: E731
            [y[1], (pull(t, y[0]) - case.fd * jnp.tanh(y[1] / EPSILON)) / case.m]
        )
        return diffrax.diffeqsolve(
            diffrax.ODETerm(motion), diffrax.Kvaerno5(), 0.0, case.T, None, jnp.array([case.x0, case.v0]),
            saveat=diffrax.SaveAt(steps=True), max_steps=100_000,
            stepsize_controller=diffrax.PIDController(rtol=1e-8, atol=1e-8),
        )

    def tanh():
        out = rounded()
        known = np.isfinite(out.ts)
        t, v = np.asarray(out.ts)[known], np.asarray(out.ys)[known, 1]
        turns = np.flatnonzero(v[1:] * v[:-1] < 0.0)
        return t[turns] - v[turns] * (t[turns + 1] - t[turns]) / (v[turns + 1] - v[turns]), float(out.ys[known][-1, 0])

    return events, tanh


def judged(case, times, x):
    """Events found, missed, invented; largest errors of the times that were found, and of the end."""
    times, found, errors = list(times), 0, [0.0]
    for _, want in case.events:
        near = min(times, key=lambda t: abs(t - want), default=np.inf)
        if abs(near - want) < 1e-3:
            found += 1
            errors.append(abs(near - want))
            times.remove(near)
    return found, len(case.events) - found, len(times), max(errors), abs(x - case.end)


def main():
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for name, title in (("shaw_x6", "Shaw 1986, figure 8, 40 s"), ("peer_P3", "slow sine, 200 s")):
        case = Case(name)
        events, tanh = diffrax_solvers(case)
        solvers = {
            "stickslip, exact": lambda: by_stickslip(case, "exact"),  # noqa: B023
            "stickslip, adaptive, 1e-10": lambda: by_stickslip(case, "adaptive", rtol=1e-10, atol=1e-10),  # noqa: B023
            "SciPy DOP853 with events, 1e-10": lambda: by_scipy_events(case),  # noqa: B023
            "diffrax Dopri8 with events, 1e-10": events,
            "SciPy Radau, tanh(v/0.001), 1e-8": lambda: by_scipy_tanh(case),  # noqa: B023
            "diffrax Kvaerno5, tanh(v/0.001), 1e-8": tanh,
        }
        print(f"\n{title}: {len(case.events)} events\n")
        print("| solver | found | missed | invented | error of times, s | error at the end, m | processor time |")
        print("|---|---|---|---|---|---|---|")
        for label, solver in solvers.items():
            answer, took = solver(), []
            for _ in range(repeats):
                start = time.process_time()
                answer = solver()
                took.append(time.process_time() - start)
            found, missed, invented, worst, end = judged(case, *answer)
            ms = 1e3 * statistics.median(took)
            shown = f"{1e3 * ms:.0f} µs" if ms < 1.0 else f"{ms:.1f} ms"
            print(f"| {label} | {found} | {missed} | {invented} | {worst:.0e} | {end:.0e} | {shown} |", flush=True)


if __name__ == "__main__":
    main()

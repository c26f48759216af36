"""LuGre's stick-slip and an earthquake cycle of rate and state: SciPy's stiff solvers, fixed steps and stickslip, in one run: error against time.

    pip install scipy target/wheels/dist/*.whl
    python benches/peers/memory.py

For each solver and tolerance: the largest error of the displacement at 400 times, relative to its range, and the processor time of one
solution: the median of five after one that is not counted. Processor time does not depend on what else runs. The reference of each
problem is SciPy's Radau at a tolerance of 1e-13, next to which ours at 1e-11 is printed; they share no code. SciPy's right side is
written with `math`, which is faster for one number than numpy. Fixed steps are those of the classical method of Runge and Kutta, in
Python too, at the longest step that is stable and at half of it; of a cycle, whose slides ask for steps that its rests have
no use for, only their number is told. `implicit-euler` of stickslip is another fixed step. The last lines set the times at equal error next to each other: those
of SciPy's fastest entry that is at least as exact as an entry of ours.
"""

import math
import statistics
import time

import numpy as np
from scipy.integrate import solve_ivp

import stickslip as ss

RUNS = 5
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
# Where the classical method of Runge and Kutta ceases to be stable: h times the fastest rate.
STABLE = 2.785


class Lugre:
    """1 kg is pulled at 0.1 m/s by a spring of 2 N/m (Canudas de Wit et al. 1995)."""

    name = "LuGre, stick-slip"
    end = 40.0
    start = (0.0, 0.0, 0.0)
    atol = (1e-4, 1e-4, 1e-8)
    # The bristle's rate in the fastest slide, sigma_0 |v|/g at 0.37 m/s, 1/s.
    fastest = 3.7e4

    def rhs(self, t, y):
        x, v, z = y
        g = 1.0 + 0.5 * math.exp(-((v / 0.001) ** 2))
        rate = v - 1e5 * abs(v) * z / g
        friction = 1e5 * z + math.sqrt(1e5) * rate + 0.4 * v
        return (v, 2.0 * (0.1 * t - x) - friction, rate)

    def ours(self):
        law = ss.lugre(1.5, 1.0, 0.001, stiffness=1e5, damping=math.sqrt(1e5), viscous=0.4)
        return ss.Oscillator(mass=1.0, stiffness=2.0, friction=law, drive=ss.ramp(0.1))


class Cycle:
    """A block that a spring of half the critical stiffness pulls at 1e-9 m/s: ageing law, quasi-dynamic (a damper stands for the waves)."""

    name = "rate and state, cycle"
    a, b, distance, speed, normal, mu = 0.01, 0.015, 1e-4, 1e-6, 50e6, 0.6
    load, radiation = 1e-9, 5e6
    end = 1.6e7
    # V/D_c in the fastest slide, 0.77 m/s, 1/s.
    fastest = 7.7e3

    def __init__(self):
        self.stiffness = 0.5 * self.normal * (self.b - self.a) / self.distance
        # Steady at a tenth of the load's speed, pulled by what that needs: the cycle begins soon.
        v = 0.1 * self.load
        self.theta = self.distance / v
        mu = self.mu + (self.a - self.b) * math.log(v / self.speed)
        self.pulled = (self.normal * mu + self.radiation * v) / self.stiffness
        self.u0 = math.log(v / self.speed)
        self.start = (0.0, self.u0, math.log(self.speed * self.theta / self.distance))
        self.atol = (1e-4, 1.0, 1.0)

    def rhs(self, t, y):
        _, u, psi = y
        v = self.speed * math.exp(u)
        psi_rate = self.speed / self.distance * (math.exp(-psi) - math.exp(u))
        pull = self.stiffness * (self.load - v)
        return (v, (pull - self.normal * self.b * psi_rate) / (self.normal * self.a + self.radiation * v), psi_rate)

    def ours(self):
        law = ss.rate_and_state(self.mu, self.a, self.b, distance=self.distance, speed=self.speed, evolution="ageing")
        return ss.Oscillator(
            mass=0.0, stiffness=self.stiffness, damping=self.radiation, friction=law, normal=self.normal,
            drive=ss.ramp(self.load, self.pulled), z0=self.theta,
        )


def timed(solve):
    """What it gives, and the median of its processor times."""
    result = solve()
    times = []
    for _ in range(RUNS):
        begin = time.process_time()
        solve()
        times.append(time.process_time() - begin)
    return result, statistics.median(times)


def by_scipy(case, method, rtol, at):
    atol = [rtol * a for a in case.atol]
    found = solve_ivp(case.rhs, (0.0, case.end), case.start, method, t_eval=at, rtol=rtol, atol=atol)
    return found.y[0] if found.success and len(found.y[0]) == len(at) else None


def by_fixed(case, steps, at):
    """The classical method of Runge and Kutta with so many steps between two of the times."""
    y, found = list(case.start), [case.start[0]]
    h = (at[1] - at[0]) / steps
    for begin in at[:-1]:
        for k in range(steps):
            t = begin + k * h
            a = case.rhs(t, y)
            b = case.rhs(t + 0.5 * h, [u + 0.5 * h * d for u, d in zip(y, a)])
            c = case.rhs(t + 0.5 * h, [u + 0.5 * h * d for u, d in zip(y, b)])
            e = case.rhs(t + h, [u + h * d for u, d in zip(y, c)])
            y = [u + h / 6.0 * (p + 2.0 * q + 2.0 * r + s) for u, p, q, r, s in zip(y, a, b, c, e)]
        found.append(y[0])
    return np.array(found)


def by_ours(model, end, rtol, at):
    return ss.solve(model, end, "adaptive", rtol=rtol)(at)[0]


def compare(case):
    at = np.linspace(0.0, case.end, 401)
    model = case.ours()
    reference = by_scipy(case, "Radau", 1e-13, at)
    size = np.ptp(reference)
    off = lambda x: float(np.abs(x - reference).max() / size)  # noqa: E731
    print(f"\n{case.name}; ours at 1e-11 is {off(by_ours(model, case.end, 1e-11, at)):.1e} from the reference")
    print(f"{'solver':<12} {'rtol':>8} {'error':>10} {'time, ms':>10}")
    ours, theirs = [], []
    for rtol in TOLERANCES:
        x, seconds = timed(lambda: by_ours(model, case.end, rtol, at))  # noqa: B023
        ours.append((off(x), seconds))
        print(f"{'stickslip':<12} {rtol:>8.0e} {off(x):>10.1e} {1e3 * seconds:>10.2f}")
    for method in ("BDF", "Radau"):
        for rtol in TOLERANCES:
            x, seconds = timed(lambda: by_scipy(case, method, rtol, at))  # noqa: B023
            if x is None:
                print(f"{method:<12} {rtol:>8.0e} {'fails':>10}")
                continue
            theirs.append((off(x), seconds, method, rtol))
            print(f"{method:<12} {rtol:>8.0e} {off(x):>10.1e} {1e3 * seconds:>10.2f}")
    by_steps(case, model, (at, off), theirs)
    for error, seconds, method, rtol in sorted(theirs):
        enough = [s for e, s in ours if e <= error]
        if enough:
            print(f"at {error:.1e} ({method}, {rtol:.0e}): {seconds / min(enough):.0f} times as fast")


def by_steps(case, model, comparison, theirs):
    """Fixed steps: those that are too many for anybody to wait for are counted only."""
    at, off = comparison
    most = STABLE / case.fastest
    if case.end / most > 1e7:
        print(f"{'Runge-Kutta':<12} needs {case.end / most:.0e} steps of {most:.1e} s to be stable")
        return
    for steps in (1, 2):
        steps *= math.ceil((at[1] - at[0]) / most)
        h = (at[1] - at[0]) / steps
        begin = time.process_time()
        x = by_fixed(case, steps, at)
        seconds = time.process_time() - begin
        error = off(x) if np.isfinite(x).all() else math.inf
        print(f"{'Runge-Kutta':<12} {h:>8.1e} {error:>10.1e} {1e3 * seconds:>10.2f}   (fixed steps)")
        if math.isfinite(error):
            theirs.append((error, seconds, "Runge-Kutta", h))
    for step in (1e-3, 1e-4):
        solve = lambda: ss.solve(model, case.end, "implicit-euler", step=step)(at)[0]  # noqa: B023, E731
        x, seconds = timed(solve)
        print(f"{'ours, fixed':<12} {step:>8.0e} {off(x):>10.1e} {1e3 * seconds:>10.2f}   (implicit-euler)")


if __name__ == "__main__":
    compare(Lugre())
    compare(Cycle())

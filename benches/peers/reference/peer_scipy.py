"""SciPy: solve_ivp with terminal events, and one smooth equation with tanh for Radau."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp

from automaton import simulate
from cases import Unsupported

PACKAGES = ["scipy"]


def advance_with(method, rtol, max_step):
    def advance(f, t, y, until, events, wanted, first):
        functions = []
        for g, direction in events:
            # A function of its own for each: solve_ivp reads the attributes.
            def event(s, z, g=g):
                return g(s, z)

            event.terminal, event.direction = True, direction
            functions.append(event)
        first = min(first, until - t) if first else None
        out = solve_ivp(f, (t, until), y, method=method, rtol=rtol, atol=rtol * 1e-2, dense_output=True, max_step=max_step,
                        events=functions, first_step=first)
        if out.status < 0:
            raise RuntimeError(out.message)
        found = next((i for i, at in enumerate(out.t_events) if len(at)), None) if out.status == 1 else None
        end = out.t[-1]
        here = [s for s in wanted if s < end or (s == end and found is None)]
        return end, out.y[:, -1], [(s, out.sol(s)) for s in here], found

    return advance


def with_events(method, rtol, share):
    """`share` is the largest step as a share of the run."""
    return lambda case: simulate(case, advance_with(method, rtol, share * case.end), rest=max(1e-9, rtol))


def tanh(speed, rtol=1e-8):
    def run(case):
        f, y = smooth(case, speed)
        states = []
        for start, until in case.pieces():
            case.hold(start)
            out = solve_ivp(f, (start, until), y, method="Radau", rtol=rtol, atol=1e-3 * speed * rtol**0.5,
                            t_eval=[*[t for t in case.times if start < t <= until and t < until], until])
            if out.status < 0:
                raise RuntimeError(out.message)
            y = out.y[:, -1]
            states += [(t, z) for t, z in zip(out.t, out.y.T) if t in case.times]
        if case.kind == "network":
            n = len(case.names)
            return [("state", t, name, z[i], z[n + i]) for t, z in states for i, name in enumerate(case.names)]
        return [("state", t, "", *z) for t, z in states]

    return run


def smooth(case, speed):
    """The right-hand side with tanh in the place of the sign, and the start."""
    if getattr(case, "white", 0.0):
        raise Unsupported("it has no stochastic equations")
    if case.kind == "network":
        n = len(case.names)

        def rate(t, y):
            force = case.applied(t, y[:n], y[n:])
            for _, row, static, dynamic in case.sliders:
                force -= row * peaked(row @ y[n:], speed, static, dynamic)
            return np.concatenate([y[n:], force / case.mass])

        return rate, np.concatenate([case.x0, case.v0])
    if case.kind != "oscillator":
        raise Unsupported("a friction that depends on the velocity has no yield of massless elements and no wall")
    if case.stops:
        raise Unsupported("a smooth friction has no impact")
    if case.forward.kind == "ageing":
        raise Unsupported("its friction has no memory")

    def f(t, y):
        w = y[1] - case.support(t)
        sign = math.copysign(1.0, w)
        friction = sign * case.normal(t) * case.law(sign).smooth(abs(w), speed)
        return [y[1], (case.load(t, y[0], y[1]) - friction) / case.m]

    return f, [case.x0, case.v0]


def peaked(w, speed, static, dynamic):
    u = w / speed
    peak = (static - dynamic) * math.sqrt(2 * math.e) * math.exp(-min(700.0, u * u / 18)) * u / 3 / math.sqrt(2)
    return dynamic * math.tanh(u) + peak


COARSE = 1.0
PEERS = {
    "SciPy RK45, events": (True, [with_events("RK45", r, h) for r, h in ((1e-6, COARSE), (1e-11, 1 / 200), (1e-13, 1 / 5000))]),
    "SciPy DOP853, events": (True, [with_events("DOP853", r, h) for r, h in ((1e-6, COARSE), (1e-13, 1 / 200), (1e-13, 1 / 5000))]),
    "SciPy Radau, events": (True, [with_events("Radau", r, h) for r, h in ((1e-6, COARSE), (1e-10, 1 / 200))]),
    "SciPy Radau, tanh": (False, [tanh(s) for s in (1e-3, 1e-5)]),
}

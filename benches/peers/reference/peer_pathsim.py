"""pathsim: an `ODE` block with `ZeroCrossingDown` events that stop the simulation."""

from __future__ import annotations

import numpy as np
from pathsim import Simulation, solvers
from pathsim.blocks import ODE
from pathsim.events import ZeroCrossingDown

from automaton import simulate

PACKAGES = ["pathsim"]


def advance_with(solver, rtol, tolerance, max_step):
    def advance(f, t, y, until, events, wanted, first):
        block = ODE(func=lambda z, u, s: np.array(f(t + s, z)), initial_value=np.array(y, dtype=float))
        found = []

        def stopping(i, g, direction):
            def stop(s):
                found.append(i)
                sim.stop()

            return ZeroCrossingDown(func_evt=lambda s: -direction * g(t + s, block.engine.state), func_act=stop, tolerance=tolerance)

        watchers = [stopping(i, g, d) for i, (g, d) in enumerate(events)]
        step = min(first or max_step, until - t, 1e-3 * max_step)
        sim = Simulation([block], [], watchers, dt=step, dt_max=max_step, Solver=solver, tolerance_lte_rel=rtol,
                         tolerance_lte_abs=rtol * 1e-2, log=False)
        states = []
        for target in [*wanted, *([] if until in wanted else [until])]:
            sim.run(t + (target - t) - t - sim.time, reset=False)
            if found:
                break
            if target in wanted:
                states.append((target, block.engine.state.copy()))
        end = t + sim.time if found else until
        return end, block.engine.state.copy(), states, found[0] if found else None

    return advance


def with_events(solver, rtol, tolerance, share):
    solver = getattr(solvers, solver)
    return lambda case: simulate(case, advance_with(solver, rtol, tolerance, share * case.end), rest=max(1e-9, rtol))


SETTINGS = (("RKDP54", 1e-6, 1e-4, 1 / 50), ("RKCK54", 1e-9, 1e-9, 1 / 200), ("RKDP87", 1e-12, 1e-12, 1 / 200))
PEERS = {"pathsim, events": (True, [with_events(*s) for s in SETTINGS])}

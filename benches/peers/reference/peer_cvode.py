"""CVODE of SUNDIALS by scikit-sundae: root functions that end the integration."""

from __future__ import annotations

import numpy as np
from sksundae.cvode import CVODE

from automaton import simulate

PACKAGES = ["scikit-sundae"]


def advance_with(method, rtol, max_step):
    def advance(f, t, y, until, events, wanted, first):
        span = np.array([t, *wanted, *([] if wanted and wanted[-1] == until else [until])])

        def rate(s, z, zp):
            zp[:] = f(s, z)

        def roots(s, z, g):
            for i, (function, _) in enumerate(events):
                g[i] = function(s, z)

        roots.terminal, roots.direction = [True] * len(events), [d for _, d in events]
        options = {"first_step": min(first, until - t)} if first else {}
        solver = CVODE(rate, method=method, rtol=rtol, atol=rtol * 1e-2, max_step=max_step, eventsfn=roots, num_events=len(events),
                       max_num_steps=1_000_000, **options)
        out = solver.solve(span, np.array(y, dtype=float))
        if not out.success:
            raise RuntimeError(out.message)
        times = getattr(out, "t_events", None)
        found = None
        end, last = until, out.y[-1]
        if times is not None and len(times):
            end, last = float(times[0]), out.y_events[0]
            found = int(np.flatnonzero(out.i_events[0])[0])
        states = {float(s): row for s, row in zip(out.t, out.y)}
        here = [s for s in wanted if (s < end or (s == end and found is None)) and s in states]
        return end, np.array(last), [(s, states[s]) for s in here], found

    return advance


def with_events(method, rtol, share):
    return lambda case: simulate(case, advance_with(method, rtol, share * case.end), rest=max(1e-9, rtol))


SETTINGS = (("BDF", 1e-8, 1.0), ("Adams", 1e-11, 1 / 200), ("Adams", 1e-13, 1 / 5000))
PEERS = {"CVODE, events": (True, [with_events(*s) for s in SETTINGS])}

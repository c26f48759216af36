"""The usual hybrid automata, for integrators that find events.

Each takes `advance(f, t, y, until, events, wanted, first)`: it integrates y' = f(t, y) until an event (function, direction)
or the time `until`, and returns (t, y, states [(s, y)] at the wanted instants, the number of the event or None). `first` is
a length of the first step within which no event can lie, or None.
"""

from __future__ import annotations

import math

import numpy as np

from cases import Unsupported

MOST_EVENTS = 5000
#: Arrivals within this share of the run, and forces within this share of their limit, count as one instant.
TOGETHER = 1e-9


def simulate(case, advance, rest=1e-9):
    """Rows (event, t, where, x, v) of a case. Below the speed `rest` a bounce is a rest."""
    if getattr(case, "white", 0.0):
        raise Unsupported("it has no stochastic equations")
    rows = Rows()
    if case.kind == "oscillator":
        oscillator(case, advance, rows)
    elif case.kind == "impact":
        impact(case, advance, rows, rest)
    elif case.kind == "cascade":
        cascade(case, advance, rows)
    else:
        network(case, advance, rows)
    return rows


class Rows(list):
    """A table of results; too many events end the run."""

    def event(self, *row):
        self.append(row)
        if len(self) > MOST_EVENTS:
            raise RuntimeError(f"more than {MOST_EVENTS} events, the last at t = {row[1]:.6g} s")


def wanted(case, t, until):
    return [s for s in case.times if t < s <= until]


def oscillator(case, advance, rows):
    x, v, sign, since = case.x0, case.v0, 0.0, 0.0
    slip = slipping(case)
    for start, until in case.pieces():
        case.hold(start)
        t = start
        w = v - case.support(t)
        if start == 0.0 or not sign:
            was = sign
            sign = math.copysign(1.0, w) if w and start == 0.0 else leaves(case, t, x, since)
            if start > 0.0 and sign != was:
                rows.event("slip", t, "", x, v)
        while t < until:
            if sign:
                t, x, v, sign, since, ended = slip(advance, rows, t, x, v, sign, until)
            else:
                t, x, v, sign, ended = stick(case, advance, rows, t, x, until, since)
            if not ended:
                break


def needed(case, t, x):
    """The friction that keeps the mass on its support."""
    return case.load(t, x, case.support(t)) - case.m * case.support.derivative(t)


def leaves(case, t, x, since):
    """The direction in which the load exceeds the limit at rest, or 0."""
    force = needed(case, t, x)
    sign = math.copysign(1.0, force)
    return sign if abs(force) > case.normal(t) * case.law(sign).limit(t - since) else 0.0


def stick(case, advance, rows, t, x, until, since):
    def f(s, y):
        return [case.support(s)]

    def margin(sign):
        return lambda s, y: case.normal(s) * case.law(sign).limit(s - since) - sign * needed(case, s, y[0])

    t, (x,), states, found = advance(f, t, [x], until, [(margin(1.0), -1), (margin(-1.0), -1)], wanted(case, t, until), None)
    rows += [("state", s, "", y[0], case.support(s)) for s, y in states]
    sign = {None: 0.0, 0: 1.0, 1: -1.0}[found]
    if sign:
        rows.event("slip", t, "", x, case.support(t))
    return t, x, case.support(t), sign, found is not None


def slipping(case):
    stops = case.stops or {}

    def slip(advance, rows, t, x, v, sign, until):
        law = case.law(sign)

        def f(s, y):
            speed = max(sign * (y[1] - case.support(s)), 0.0)
            return [y[1], (case.load(s, y[0], y[1]) - sign * case.normal(s) * law.force(speed)) / case.m]

        events = [(lambda s, y: y[1] - case.support(s), -int(sign))]
        places = [p for p in ("lower", "upper") if p in stops]
        events += [(lambda s, y, p=p: y[0] - stops[p], -1 if p == "lower" else 1) for p in places]
        t, (x, v), states, found = advance(f, t, [x, v], until, events, wanted(case, t, until), None)
        rows += [("state", s, "", *y) for s, y in states]
        if found is None:
            return t, x, v, sign, t, False
        if found:
            x, v = stops[places[found - 1]], -stops["restitution"] * v
            rows.event("impact", t, places[found - 1], x, v)
            return t, x, v, math.copysign(1.0, v) if v else leaves(case, t, x, t), t, True
        v, before = case.support(t), sign
        sign = leaves(case, t, x, t)
        if sign != before:
            rows.event("reversal" if sign else "stick", t, "", x, v)
        return t, x, v, sign, t, True

    return slip


def impact(case, advance, rows, rest):
    t, x, v, held = 0.0, case.x0, case.v0, None
    inward = {"lower": 1.0, "upper": -1.0}
    places = list(case.walls)

    def flight(s, y):
        return [y[1], case.load(s, *y) / case.m]

    while t < case.end:
        if held:
            wall, side = case.walls[held], inward[held]
            push = lambda s, y: side * case.load(s, wall(s), wall.derivative(s))
            t, _, states, found = advance(lambda s, y: [0.0], t, [0.0], case.end, [(push, 1)], wanted(case, t, case.end), None)
            rows += [("state", s, "", wall(s), wall.derivative(s)) for s, _ in states]
            x, v = wall(t), wall.derivative(t)
            if found is not None:
                rows.event("release", t, held, x, v)
            held = None
            continue
        events = [(lambda s, y, p=p: inward[p] * (y[0] - case.walls[p](s)), -1) for p in places]
        pull = abs(case.load(t, x, v)) / case.m
        near = any(abs(x - case.walls[p](t)) < 1e-12 for p in places)
        first = abs(v) / pull if near and v and pull else None
        t, (x, v), states, found = advance(flight, t, [x, v], case.end, events, wanted(case, t, case.end), first)
        rows += [("state", s, "", *y) for s, y in states]
        if found is None:
            return
        place = places[found]
        wall, side = case.walls[place], inward[place]
        x, v = wall(t), wall.derivative(t) - case.e * (v - wall.derivative(t))
        rows.event("impact", t, place, x, v)
        if abs(v - wall.derivative(t)) <= rest and side * case.load(t, x, v) <= 0.0:
            x, v, held = wall(t), wall.derivative(t), place
            rows.event("rest", t, place, x, v)


def cascade(case, advance, rows):
    n = len(case.threshold)
    k = case.stiffness
    u, moves = np.zeros(n), np.zeros(n)
    t, y = 0.0, [0.0, 0.0]
    heading = math.copysign(1.0, case.force(0.0))
    full = np.diag(k[:-1] + k[1:]) - np.diag(k[1:-1], 1) - np.diag(k[1:-1], -1)
    pull = np.zeros(n)
    pull[0] = k[0]
    while t < case.end:
        # Elements that slip follow the mass: u = a + b x; the load on each is W = c + d x.
        slips = moves != 0
        a, b = np.where(slips, 0.0, u), np.zeros(n)
        if slips.any():
            block = full[np.ix_(slips, slips)]
            a[slips] = np.linalg.solve(block, -(full @ a)[slips] - (moves * case.threshold)[slips])
            b[slips] = np.linalg.solve(block, pull[slips])
        c, d = -full @ a, pull - full @ b

        def f(s, y):
            return [y[1], (case.force(s) - k[0] * (y[0] - a[0] - b[0] * y[0])) / case.m]

        # While the mass moves one way, the loads grow that way.
        stuck = [(int(i), heading) for i in np.flatnonzero(~slips)]
        events = [(lambda s, y: y[1], -int(heading))]
        events += [(lambda s, y, i=i, side=side: case.threshold[i] - side * (c[i] + d[i] * y[0]), -1) for i, side in stuck]
        t, y, states, found = advance(f, t, list(y), case.end, events, wanted(case, t, case.end), None)
        rows += [("state", s, "", *z) for s, z in states]
        u = a + b * y[0]
        if found is None:
            return
        if found:
            i, side = stuck[found - 1]
            moves[i] = side
            rows.event("yield", t, str(i + 1), *y)
            continue
        y = [y[0], 0.0]
        heading = -heading
        if slips.any():
            rows.event("reversal", t, "mass", *y)
        moves = np.zeros(n)


class Phase:
    """Accelerations and forces in the sliders that stick, for one set of phases (0 sticks, ±1 slips)."""

    def __init__(self, case, phases):
        self.case = case
        self.stuck = [i for i, p in enumerate(phases) if not p]
        inverse = np.diag(1.0 / case.mass)
        rows = np.array([case.sliders[i][1] for i in self.stuck]).reshape(-1, len(case.mass))
        self.friction = -sum((p * s[3] * s[1] for p, s in zip(phases, case.sliders)), np.zeros(len(case.mass)))
        middle = np.linalg.pinv(rows @ inverse @ rows.T) if self.stuck else np.zeros((0, 0))
        self.hold = middle @ rows @ inverse
        self.free = inverse @ (np.eye(len(case.mass)) - rows.T @ self.hold)
        self.project = np.eye(len(case.mass)) - inverse @ rows.T @ middle @ rows

    def rate(self, t, y):
        n = len(self.case.mass)
        return np.concatenate([y[n:], self.free @ (self.case.applied(t, y[:n], y[n:]) + self.friction)])

    def held(self, t, x, v):
        """What each slider that sticks transmits."""
        return self.hold @ (self.case.applied(t, x, v) + self.friction)


def network(case, advance, rows):
    n = len(case.mass)
    x, v, t = case.x0.copy(), case.v0.copy(), 0.0
    w = [float(s[1] @ v) for s in case.sliders]
    phases = settle(case, [math.copysign(1.0, a) if a else 0.0 for a in w], t, x, v)
    while t < case.end:
        phase = Phase(case, phases)
        v = phase.project @ v

        def f(s, y):
            return phase.rate(s, np.asarray(y))

        events, meanings = [], []
        for i, (_, row, static, _) in enumerate(case.sliders):
            if phases[i]:
                events.append((lambda s, y, row=row: float(row @ np.asarray(y)[n:]), -int(phases[i])))
                meanings.append((i, 0.0))
                continue
            place = phase.stuck.index(i)
            for side in (1.0, -1.0):
                def margin(s, y, place=place, side=side, static=static):
                    y = np.asarray(y)
                    return float(static - side * phase.held(s, y[:n], y[n:])[place])

                events.append((margin, -1))
                meanings.append((i, side))
        t, y, states, found = advance(f, t, np.concatenate([x, v]), case.end, events, wanted(case, t, case.end), None)
        rows += [("state", s, name, z[j], z[n + j]) for s, z in states for j, name in enumerate(case.names)]
        y = np.array(y)
        x, v = y[:n].copy(), y[n:].copy()
        if found is None:
            return
        phases = change(case, rows, phase, phases, meanings[found], t, x, v)


def change(case, rows, phase, phases, what, t, x, v):
    """The phases after an event, and its rows; what happens within rounding of it happens with it."""
    i, side = what
    rate = phase.rate(t, np.concatenate([x, v]))[len(x):]
    arrived = []
    for j, (_, row, _, _) in enumerate(case.sliders):
        braking = -phases[j] * (row @ rate)
        soon = braking > 0 and abs(row @ v) <= TOGETHER * case.end * braking
        if phases[j] and (soon or (j == i and not side)):
            arrived.append(j)
    held = dict(zip(phase.stuck, phase.held(t, x, v)))
    after = [0.0 if j in arrived else p for j, p in enumerate(phases)]
    broken = {j: math.copysign(1.0, h) for j, h in held.items() if side and abs(h) >= case.sliders[j][2] * (1 - TOGETHER)}
    if side:
        broken[i] = side
    for j, sign in broken.items():
        after[j] = sign
    after = settle(case, after, t, x, v)
    for j, (name, row, _, _) in enumerate(case.sliders):
        if after[j] == phases[j]:
            continue
        kind = "stick" if not after[j] else "reversal" if phases[j] else "slip"
        rows.event(kind, t, name, float(row @ x), 0.0)
    return after


def settle(case, phases, t, x, v):
    """Lets those slip that a set of sticking sliders would overload."""
    phases = list(phases)
    for _ in range(len(phases) + 1):
        phase = Phase(case, phases)
        over = [(j, h) for j, h in zip(phase.stuck, phase.held(t, x, phase.project @ v)) if abs(h) > case.sliders[j][2] * (1 + 1e-12)]
        if not over:
            break
        for j, h in over:
            phases[j] = math.copysign(1.0, h)
    return phases

"""Machines: nodes on lines or shafts with springs, dashpots, dry friction by any law, stops, gears and controllers.

As in blocks.py every arc between events is a Taylor series and events are the first negative values of polynomials. What
is held together (a slider that sticks, a stop that is closed, a gear) is a row of constraints with a force of its own:

    M a − Gᵀ r = b,   G a = c

so that forces need no cases, and the sign of r says when a row lets go.
"""

from mpmath import matrix, mp, mpf

from blocks import Law
from signals import at, breaks, exact, series
from taylor import first_negative, value


def listed(bound):
    """The signals of a bound or a reference that may be written as a number."""
    if bound is None:
        return None
    return bound if isinstance(bound, list) else [{"constant": bound}]


class Slider:
    def __init__(self, t, number):
        self.name, self.ends = t["name"], [number[e] for e in t["between"]]
        two = {"static-dynamic": {"static": t.get("static"), "dynamic": t.get("dynamic", t.get("static"))}}
        self.law, self.support = Law(t.get("friction", two)), t.get("support", [])


class Stop:
    def __init__(self, t, number):
        self.name, self.ends = t["name"], [number[e] for e in t["between"]]
        self.bounds = {1: listed(t.get("upper")), -1: listed(t.get("lower"))}
        self.e = exact(t["restitution"]) if "restitution" in t else None
        self.soft = (exact(t["stiffness"]), exact(t.get("damping", 0))) if "stiffness" in t else None


class Gear:
    """x_a = ratio · x_b; the force T on the second side, −T/ratio on the first, and s (f₀ + μ |T|) against its motion."""

    def __init__(self, t, number):
        self.name, self.ends, self.ratio = t["name"], [number[e] for e in t["between"]], exact(t["ratio"])
        f = t.get("friction")
        self.rubs = f is not None
        f = f or {}
        self.f0, mu = exact(f.get("force", 0)), f.get("coefficient", 0)
        self.mu = {1: exact(f.get("forward", mu)), -1: exact(f.get("backward", mu))}


class Controller:
    """u = P e + I ∫e + D ė, e = reference − measured, with a filter on the derivative or without; or the same at ticks."""

    def __init__(self, t, number):
        of = t["of"] if isinstance(t["of"], list) else [t["of"], "ground"]
        self.of, self.on = [number[e] for e in of], number[t["on"]]
        self.reference = listed(t.get("reference", 0))
        self.p, self.i, self.d = (exact(t.get(k, 0)) for k in ("proportional", "integral", "derivative"))
        self.filter = exact(t.get("filter", 0))
        self.time = exact(t["sample_time"]) if "sample_time" in t else None
        self.delay, self.limit = exact(t.get("delay", 0)), exact(t["limit"]) if "limit" in t else None
        assert self.limit is None or (self.time is not None and t.get("anti_windup") == "none"), "of limits only this"


class Machine:
    def __init__(self, document):
        t = document["network"]
        self.end = exact(document["run"]["end"])
        motions = {}
        for m in t.get("motion", []):
            motions.setdefault(m["on"], []).append({k: v for k, v in m.items() if k != "on"})
        nodes = [n for n in t["node"] if n["name"] not in motions]
        self.names = [n["name"] for n in nodes]
        number = {name: i for i, name in enumerate(self.names)} | {"ground": None}
        self.n = len(nodes)
        self.mass = [exact(n["mass"]) for n in nodes]
        self.x0 = [exact(n.get("displacement", 0)) for n in nodes]
        self.v0 = [exact(n.get("velocity", 0)) for n in nodes]
        self.force = [[] for _ in nodes]
        for f in t.get("force", []):
            self.force[number[f["on"]]].append({k: v for k, v in f.items() if k != "on"})
        #: Springs and dashpots, as (first, second, k, c), and those to a node that is led, as (node, its motion, k, c).
        self.links, self.led = [], []
        for key, place in (("spring", 0), ("dashpot", 1)):
            for s in t.get(key, []):
                k = [mpf(0), mpf(0)]
                k[place] = exact(s["stiffness" if place == 0 else "damping"])
                moved = [e for e in s["between"] if e in motions]
                if moved:
                    (other,) = [e for e in s["between"] if e not in motions]
                    self.led.append((number[other], motions[moved[0]], *k))
                else:
                    self.links.append((*(number[e] for e in s["between"]), *k))
        self.sliders = [Slider(s, number) for s in t.get("slider", [])]
        self.stops = [Stop(s, number) for s in t.get("stop", [])]
        self.gears = [Gear(g, number) for g in t.get("gear", [])]
        self.loops = [Controller(c, number) for c in t.get("controller", [])]
        signals = sum(self.force, []) + sum((m for _, m, *_ in self.led), [])
        signals += sum((s.support for s in self.sliders), []) + sum((c.reference for c in self.loops), [])
        signals += sum((b for s in self.stops for b in s.bounds.values() if b), [])
        self.breaks = sorted({b for b in breaks(signals) if 0 < b < self.end})

    def energy_terms(self):
        """Twice the mechanical energy, without what springs to led nodes and controllers hold."""
        terms = [(m, {f"v_{name}": 1}) for m, name in zip(self.mass, self.names)]
        for a, b, k, _ in self.links:
            if k:
                terms.append((k, {f"x_{self.names[e]}": s for e, s in ((a, 1), (b, -1)) if e is not None}))
        return terms


class Mode:
    """What goes on: sliders 0 or their direction; stops None, the side at which they are closed, or of a soft one (side,
    pushes); gears (direction, sign of T); what sampled controllers apply."""

    def __init__(self, machine):
        self.slips = [0] * len(machine.sliders)
        self.stops = [None] * len(machine.stops)
        self.gears = [(0, 1)] * len(machine.gears)
        self.applied = [mpf(0)] * len(machine.loops)

    def copy(self):
        out = object.__new__(Mode)
        out.slips, out.stops, out.gears, out.applied = ([*part] for part in (self.slips, self.stops, self.gears, self.applied))
        return out

    def key(self):
        return (*self.slips, *map(str, self.stops), *self.gears)


class Run:
    """One exact motion. `order` and the digits of mpmath are those of the series."""

    def __init__(self, machine, order, wanted=(), _touch="ignore", most=20000):
        self.m, self.order, self.wanted, self.most = machine, order, sorted(wanted), most
        self.zero = mpf(10) ** (-int(mp.dps * 0.72))
        self.tiny = mpf(10) ** (-int(mp.dps * 0.55))
        self.events, self.states, self.rests, self.inverse = [], [], [], {}

    # The equations of motion.
    def rows(self, mode):
        """What is held: labels, their rows of G, and how fast each velocity across must change, as signals."""
        m, out = self.m, []

        def row(ends, factor=mpf(-1)):
            line = [mpf(0)] * m.n
            for e, f in zip(ends, (mpf(1), factor)):
                if e is not None:
                    line[e] += f
            return line

        for e, s in enumerate(m.sliders):
            if mode.slips[e] == 0:
                out.append((("slider", e), row(s.ends), s.support, 1))
        for s, stop in enumerate(m.stops):
            if mode.stops[s] in (1, -1):
                out.append((("stop", s), row(stop.ends), stop.bounds[mode.stops[s]], 2))
        for g, gear in enumerate(m.gears):
            out.append((("gear", g), row(gear.ends, -gear.ratio), [], 0))
            if gear.rubs and mode.gears[g][0] == 0:
                out.append((("hold", g), row([gear.ends[0], None]), [], 0))
        return out

    def solver(self, mode, rows):
        """The inverse of the matrix of accelerations and forces of what is held."""
        key = mode.key()
        if key not in self.inverse:
            m, size = self.m, self.m.n + len(rows)
            a = matrix(size, size)
            for i in range(m.n):
                a[i, i] = m.mass[i]
            for k, (label, line, *_) in enumerate(rows):
                for i in range(m.n):
                    a[m.n + k, i] = line[i]
                    a[i, m.n + k] = -line[i]
                if label[0] == "gear":
                    # r is the force on the first side: −T/ratio. Friction grows with |T| = σ T, T = −ratio · r.
                    gear, (s, sign) = m.gears[label[1]], mode.gears[label[1]]
                    if gear.rubs and s:
                        a[gear.ends[0], m.n + k] -= s * gear.mu[s] * sign * gear.ratio
            self.inverse[key] = a**-1
        return self.inverse[key]

    def series(self, t, y, mode, order):
        """Coefficients of everything along the arc that begins at t in the state y = (x, v, q, z)."""
        m = self.m
        rows = self.rows(mode)
        inverse = self.solver(mode, rows)
        xs, vs, qs, zs = ([[c] for c in part] for part in y)
        force = [series(f, t, order) for f in m.force]
        led = [(i, series(d, t, order), series(d, t, order, 1), k, c) for i, d, k, c in m.led]
        slips = [s.law.slip(side) if side else None for s, side in zip(m.sliders, mode.slips)]
        support = [series(s.support, t, order) for s in m.sliders]
        bounds = [{side: series(b, t, order + 2) for side, b in s.bounds.items() if b} for s in m.stops]
        wanted = [series(signals, t, order, derivative) for _, _, signals, derivative in rows]
        reference = [series(c.reference, t, order + 1) for c in m.loops]
        out = {"x": xs, "v": vs, "q": qs, "z": zs, "w": [[] for _ in m.sliders], "bounds": bounds,
               "push": [[] for _ in m.stops], "r": [[] for _ in rows], "rows": [row[0] for row in rows]}
        for k in range(order - 1):
            b = [f[k] for f in force]

            def add(ends, f):
                for e, sign in zip(ends, (1, -1)):
                    if e is not None:
                        b[e] += sign * f

            def across(part, ends):
                first, second = (part[e][k] if e is not None else mpf(0) for e in ends)
                return first - second

            for i, d, rate, stiffness, damping in led:
                b[i] += stiffness * (d[k] - xs[i][k]) + damping * (rate[k] - vs[i][k])
            for i, j, stiffness, damping in m.links:
                add((i, j), -stiffness * across(xs, (i, j)) - damping * across(vs, (i, j)))
            for e, s in enumerate(m.sliders):
                w = across(vs, s.ends) - support[e][k]
                out["w"][e].append(w)
                if mode.slips[e]:
                    add(s.ends, -mode.slips[e] * slips[e].next(w))
            for i, stop in enumerate(m.stops):
                if isinstance(mode.stops[i], tuple):
                    side, pushes = mode.stops[i]
                    bound = bounds[i][side]
                    p = side * (across(xs, stop.ends) - bound[k])
                    rate = side * (across(vs, stop.ends) - (k + 1) * bound[k + 1])
                    f = stop.soft[0] * p + stop.soft[1] * rate
                    out["push"][i].append(f)
                    if pushes:
                        add(stop.ends, -side * f)
            for g, gear in enumerate(m.gears):
                if gear.rubs and k == 0:
                    b[gear.ends[0]] -= mode.gears[g][0] * gear.f0
            for c, loop in enumerate(m.loops):
                b[loop.on] += self.control(c, loop, mode, k, reference[c], out, across)
            right = b + [w[k] for w in wanted]
            size = len(right)
            solved = [sum((inverse[r, c] * right[c] for c in range(size) if inverse[r, c]), mpf(0)) for r in range(size)]
            for i in range(m.n):
                xs[i].append(vs[i][k] / (k + 1))
                vs[i].append(solved[i] / (k + 1))
            for r in range(len(rows)):
                out["r"][r].append(solved[m.n + r])
        return out

    def control(self, c, loop, mode, k, reference, out, across):
        """The k-th coefficient of a controller's force; its inner states go on by one order."""
        if loop.time is not None:
            out["q"][c].append(mpf(0))
            out["z"][c].append(mpf(0))
            return mode.applied[c] if k == 0 else mpf(0)
        e = reference[k] - across(out["x"], loop.of)
        q, z = out["q"][c][k], out["z"][c][k]
        if loop.d and loop.filter:
            d = (e - z) / loop.filter
        else:
            d = (k + 1) * reference[k + 1] - across(out["v"], loop.of) if loop.d else mpf(0)
        out["q"][c].append(e / (k + 1))
        out["z"][c].append((d if loop.filter else mpf(0)) / (k + 1))
        return loop.p * e + loop.i * q + loop.d * d

    def step(self, arc, left):
        """How far the series may be trusted to all digits."""
        h = left
        for c in arc["x"] + arc["v"] + arc["q"] + arc["z"]:
            scale = max(abs(a) for a in c[:8]) or mpf(1)
            for k in (len(c) - 1, len(c) - 2):
                if c[k]:
                    h = min(h, (mpf(10) ** (-mp.dps) * scale / abs(c[k])) ** (mpf(1) / k))
        return h

    # Events.
    def gap(self, arc, s, side):
        """How far a stop is from its bound on this side, as a polynomial."""
        stop, n = self.m.stops[s], self.order
        x = [arc["x"][e] if e is not None else [mpf(0)] * n for e in stop.ends]
        return [side * (b - p + q) for b, p, q in zip(arc["bounds"][s][side], *x)]

    def functions(self, arc, mode):
        """Pairs of a change and the polynomial that becomes negative with it."""
        m, out = self.m, []
        of = dict(zip(arc["rows"], arc["r"]))
        for e, s in enumerate(m.sliders):
            if mode.slips[e]:
                out.append((("stops", e), [mode.slips[e] * a for a in arc["w"][e]]))
                continue
            r = of["slider", e]
            for side in (1, -1):
                out.append((("slips", e, side), [(s.law.limit(side) if k == 0 else 0) + side * a for k, a in enumerate(r)]))
        for i, stop in enumerate(m.stops):
            now = mode.stops[i]
            if now in (1, -1):
                # The force on the first end is against the side that is closed.
                out.append((("opens", i), [-now * a for a in of["stop", i]]))
            elif isinstance(now, tuple):
                side, pushes = now
                out.append((("pushes" if not pushes else "ceases", i), [(1 if pushes else -1) * a for a in arc["push"][i]]))
                if not pushes:
                    out.append((("leaves", i), [-a for a in self.gap(arc, i, side)]))
            else:
                out += [(("hits", i, side), self.gap(arc, i, side)) for side in (1, -1) if stop.bounds[side]]
        for g, gear in enumerate(m.gears):
            if not gear.rubs:
                continue
            side, sign = mode.gears[g]
            load = [-sign * gear.ratio * a for a in of["gear", g]]
            out.append((("turns", g), load))
            if side:
                out.append((("halts", g), [side * a for a in arc["v"][gear.ends[0]][: len(load)]]))
                continue
            for side in (1, -1):
                held = of["hold", g]
                slack = [(gear.f0 if k == 0 else 0) + gear.mu[side] * a for k, a in enumerate(load)]
                out.append((("starts", g, side), [a + side * f for a, f in zip(slack, held)]))
        return out

    def record(self, kind, t, y, what, index):
        """An event; x and v are those of the first end relative to the second, of a gear those of the first side."""
        m = self.m
        part = {"slider": m.sliders, "stop": m.stops, "gear": m.gears}[what][index]
        ends = part.ends if what != "gear" else [part.ends[0], None]
        x, v = ([u[e] if e is not None else mpf(0) for e in ends] for u in y[:2])
        self.events.append({"event": kind, "t": t, "where": part.name, "x": x[0] - x[1], "v": v[0] - v[1]})

    def settle(self, t, y, mode, fresh=()):
        """Lets go what cannot be held, one after the other; `fresh` have just come to rest, from these sides."""
        fresh = dict(fresh)
        for _ in range(4 * (len(mode.slips) + len(mode.stops) + len(mode.gears)) + 4):
            arc = self.series(t, y, mode, 3)
            found = None
            for label, f in self.functions(arc, mode):
                if label[0] in ("slips", "opens", "starts") and f[0] < -self.tiny * (1 + abs(f[0])):
                    found = label
                    break
                if label[0] == "turns" and f[0] < -self.tiny:
                    found = label
                    break
            if found is None:
                return mode
            mode = mode.copy()
            kind, index = found[:2]
            if kind == "slips":
                mode.slips[index] = found[2]
                was = fresh.pop(("slider", index), None)
                if was != "start":
                    self.record("slip" if was is None else "reversal", t, y, "slider", index)
            elif kind == "opens":
                mode.stops[index] = None
                self.record("release", t, y, "stop", index)
            elif kind == "starts":
                mode.gears[index] = (found[2], mode.gears[index][1])
                was = fresh.pop(("gear", index), None)
                if was != "start":
                    self.record("slip" if was is None else "reversal", t, y, "gear", index)
            else:
                side, sign = mode.gears[index]
                mode.gears[index] = (side, -sign)
        raise RuntimeError("no consistent phases")

    def onto(self, t, y, mode):
        """The state with velocities that fit what is held: the least change, weighted by the masses."""
        rows = self.rows(mode)
        if not rows:
            return y
        inverse, m = self.solver(mode, rows), self.m
        x, v, *inner = y
        right = [mpf(0)] * m.n
        for label, line, signals, derivative in rows:
            want = at(signals, t, derivative - 1) if derivative else mpf(0)
            right.append(want - sum(a * b for a, b in zip(line, v)))
        dv = [sum(inverse[i, c] * right[c] for c in range(len(right))) for i in range(m.n)]
        return (x, [a + b for a, b in zip(v, dv)], *inner)

    def begin(self):
        m, mode = self.m, Mode(self.m)
        y = (list(m.x0), list(m.v0), [mpf(0)] * len(m.loops), [mpf(0)] * len(m.loops))
        for c, loop in enumerate(m.loops):
            if loop.d and loop.filter:
                first, second = (y[0][e] if e is not None else mpf(0) for e in loop.of)
                y[3][c] = at(loop.reference, mpf(0)) - first + second
        for e, s in enumerate(m.sliders):
            w = self.across(y[1], s.ends) - at(s.support, mpf(0)) if s.support else self.across(y[1], s.ends)
            mode.slips[e] = (w > 0) - (w < 0)
        for s, stop in enumerate(m.stops):
            for side in (1, -1):
                if stop.bounds[side] and self.across(y[0], stop.ends) == at(stop.bounds[side], mpf(0)):
                    assert stop.soft is None, "a soft stop that is touched at the start"
                    mode.stops[s] = side
        self.ticks = [{"k": 0, "sum": mpf(0), "before": None, "pending": []} for _ in m.loops]
        self.tick(mpf(0), y, mode)
        starts = [("slider", e) for e in range(len(m.sliders))] + [("gear", g) for g in range(len(m.gears))]
        return y, self.settle(mpf(0), y, mode, {label: "start" for label in starts})

    def across(self, u, ends):
        first, second = (u[e] if e is not None else mpf(0) for e in ends)
        return first - second

    # Sampled controllers.
    def due(self):
        out = []
        for loop, now in zip(self.m.loops, self.ticks):
            if loop.time is not None:
                out += [now["k"] * loop.time] + [p[0] for p in now["pending"]]
        return out

    def tick(self, t, y, mode):
        """Reads what is due, then lets forces act that are due; whether a force has changed."""
        changed = False
        for c, (loop, now) in enumerate(zip(self.m.loops, self.ticks)):
            if loop.time is None:
                continue
            if now["k"] * loop.time <= t:
                e = at(loop.reference, t) - self.across(y[0], loop.of)
                now["sum"] += loop.i * loop.time * e
                before = e if now["before"] is None else now["before"]
                u = loop.p * e + now["sum"] + loop.d * (e - before) / loop.time
                if loop.limit is not None:
                    u = max(-loop.limit, min(loop.limit, u))
                now["before"] = e
                now["pending"].append((now["k"] * loop.time + loop.delay, u))
                now["k"] += 1
            while now["pending"] and now["pending"][0][0] <= t:
                mode.applied[c] = now["pending"].pop(0)[1]
                changed = True
        return changed

    # The motion.
    def run(self):
        m = self.m
        t, (y, mode) = mpf(0), self.begin()
        wanted = list(self.wanted)
        self.since = {i: mpf(0) for i in range(m.n)}
        while t < m.end:
            if len(self.events) > self.most:
                raise RuntimeError("too many events")
            until = min([b for b in m.breaks if b > t] + [d for d in self.due() if d > t] + [m.end])
            arc = self.series(t, y, mode, self.order)
            h = self.step(arc, until - t)
            first, what = None, None
            for label, g in self.functions(arc, mode):
                found, _ = first_negative(g, h, self.zero)
                if found and (first is None or found[0] < first):
                    first, what = found[0], label
            s = h if first is None else first
            now = until if first is None and s == until - t else t + s
            # At an instant at which velocities jump the state is the one after: it is that of the next arc.
            while wanted and wanted[0] < now:
                d = wanted.pop(0) - t
                self.states.append((t + d, *([value(c, d) for c in arc[u]] for u in ("x", "v"))))
            before = self.still(mode)
            y = tuple([value(c, s) for c in arc[u]] for u in ("x", "v", "q", "z"))
            t = now
            if what is not None:
                y, mode = self.happen(what, t, y, mode)
            elif t < m.end and (t in m.breaks or t in self.due()):
                mode = mode.copy()
                self.jumps(t, y, mode)
                self.tick(t, y, mode)
                mode = self.settle(t, y, mode)
            self.note_rest(t, before, self.still(mode))
        if wanted:
            self.states.append((wanted.pop(0), [*y[0]], [*y[1]]))
        self.note_rest(m.end, self.still(mode), set())
        return self

    def jumps(self, t, y, mode):
        """Opens what was closed at a bound that jumps away, or begins to move away."""
        for s, stop in enumerate(self.m.stops):
            side = mode.stops[s]
            if side not in (1, -1):
                continue
            away = side * (at(stop.bounds[side], t) - self.across(y[0], stop.ends))
            leaving = side * (at(stop.bounds[side], t, 1) - self.across(y[1], stop.ends))
            assert away > -self.tiny and leaving > -self.tiny, "a bound that jumps into what it stops"
            if away > self.tiny or leaving > self.tiny:
                mode.stops[s] = None
                self.record("release", t, y, "stop", s)

    def happen(self, what, t, y, mode):
        kind, index = what[:2]
        mode = mode.copy()
        if kind == "slips":
            mode.slips[index] = what[2]
            self.record("slip", t, y, "slider", index)
            return y, self.settle(t, y, mode)
        if kind == "starts":
            mode.gears[index] = (what[2], mode.gears[index][1])
            self.record("slip", t, y, "gear", index)
            return y, self.settle(t, y, mode)
        if kind in ("stops", "halts"):
            return self.rest(what, t, y, mode)
        if kind == "turns":
            side, sign = mode.gears[index]
            mode.gears[index] = (side, -sign)
            if side:
                self.record("load-reversal", t, y, "gear", index)
            return y, mode
        if kind == "opens":
            mode.stops[index] = None
            self.record("release", t, y, "stop", index)
            return y, self.settle(t, y, mode)
        if kind in ("pushes", "ceases"):
            mode.stops[index] = (mode.stops[index][0], kind == "pushes")
            self.record("contact" if kind == "pushes" else "release", t, y, "stop", index)
            return y, self.settle(t, y, mode)
        if kind == "leaves":
            mode.stops[index] = None
            return y, mode
        return self.hit(index, what[2], t, y, mode)

    def rest(self, what, t, y, mode):
        """A slider or a gear whose velocity has come to zero: it stays if it can be held."""
        kind, index = what
        trial, group = mode.copy(), "slider" if kind == "stops" else "gear"
        was = mode.slips[index] if kind == "stops" else mode.gears[index][0]
        if kind == "stops":
            trial.slips[index] = 0
        else:
            trial.gears[index] = (0, mode.gears[index][1])
        y = self.onto(t, y, trial)
        place = len(self.events)
        after = self.settle(t, y, trial, {(group, index): was})
        left = after.slips[index] if kind == "stops" else after.gears[index][0]
        if left == 0:
            self.record("stick", t, y, group, index)
            self.events.insert(place, self.events.pop())
        else:
            assert left == -was, "a slip that only touches zero"
        return y, after

    def hit(self, s, side, t, y, mode):
        """Two ends meet: Newton's law, or a contact from here on. Soft stops only begin to push."""
        m, stop = self.m, self.m.stops[s]
        if stop.soft:
            mode.stops[s] = (side, True)
            self.record("contact", t, y, "stop", s)
            return y, self.settle(t, y, mode)
        assert not m.gears and all(held is None for held in mode.stops), "one contact at a time"
        bound = stop.bounds[side]
        x, v, *inner = y
        closing = side * (self.across(v, stop.ends) - at(bound, t, 1))
        ways = [(e, sign / m.mass[e]) for e, sign in zip(stop.ends, (1, -1)) if e is not None]
        weight = sum(abs(w) for _, w in ways)
        gap = self.across(x, stop.ends) - at(bound, t)
        small = closing < mpf(10) ** (-int(mp.dps * 0.5))
        e = mpf(0) if small else stop.e
        late = mpf(0)
        if small and stop.e:
            # What is left of the bounces lasts as long as those of parabolas, but for a share of the square of their speed.
            arc = self.series(t, y, mode, 3)
            pressing = side * (self.across([c[1] for c in arc["v"]], stop.ends) - at(bound, t, 2))
            late = 2 * closing * stop.e / ((1 - stop.e) * pressing)
        x, v = [*x], [*v]
        for i, w in ways:
            x[i] -= gap * w / weight
            v[i] -= side * (1 + e) * closing * w / weight
        y = (x, v, *inner)
        before = [*mode.slips]
        for k, slider in enumerate(m.sliders):
            touched = not small and any(i in slider.ends for i, _ in ways)
            w = self.across(v, slider.ends) - at(slider.support, t) if slider.support else self.across(v, slider.ends)
            if touched and w != 0:
                mode.slips[k] = 1 if w > 0 else -1
        if e:
            self.record("impact", t, y, "stop", s)
        else:
            mode.stops[s] = side
            y = self.onto(t, y, mode)
            self.record("contact", t + late, y, "stop", s)
        for k, was in enumerate(before):
            if was != mode.slips[k]:
                self.record("slip" if was == 0 else "reversal", t, y, "slider", k)
        return y, self.settle(t, y, mode)

    def still(self, mode):
        """Nodes at rest."""
        m = self.m
        out = {s.ends[0] for e, s in enumerate(m.sliders) if mode.slips[e] == 0 and s.ends[1] is None and not s.support}
        for g, gear in enumerate(m.gears):
            if gear.rubs and mode.gears[g][0] == 0:
                out |= set(gear.ends)
        return out

    def note_rest(self, t, before, after):
        for i in before - after:
            if t > self.since[i]:
                self.rests.append((i, self.since[i], t))
        for i in after - before:
            self.since[i] = t

"""Masses with springs, dashpots, loads, dry friction and stops: exact motions, event by event.

Between events the accelerations solve M a + Gᵀ λ = b with the contacts that stick held together. Every arc is a Taylor
series, computed order by order; events are the first negative values of polynomials (taylor.py).
"""

from mpmath import matrix, mp, mpf

from signals import at, breaks, exact, series
from taylor import first_negative, value


class Law:
    """What a contact does: a breakaway force, and the friction of a slip as a function of the relative velocity."""

    def __init__(self, table):
        if "forward" in table:
            self.sides = {1: Law(table["forward"]), -1: Law(table["backward"])}
            return
        self.sides = None
        ((self.kind, p),) = table.items()
        self.p = {k: exact(v) for k, v in p.items()}
        if self.kind == "coulomb":
            self.static = self.dynamic = self.p["force"]
        elif self.kind == "static-dynamic":
            self.static, self.dynamic = self.p["static"], self.p["dynamic"]
        elif self.kind == "stribeck":
            self.static = self.p["d"]
        elif self.kind == "stribeck-exponential":
            self.static = self.p["static"]
            self.power = int(self.p["exponent"])
            assert self.power == self.p["exponent"] and self.power in (1, 2)
        else:
            raise ValueError(self.kind)

    def towards(self, sign):
        return self.sides[sign] if self.sides else self

    def limit(self, sign):
        return self.towards(sign).static

    def slip(self, sign):
        return Slip(self.towards(sign), sign)

    def linear(self):
        return all(law.linear() for law in self.sides.values()) if self.sides else "stribeck" not in self.kind


class Slip:
    """The Taylor coefficients of the size of the friction along a slip, order by order."""

    def __init__(self, law, sign):
        self.law, self.sign, self.u, self.e, self.q = law, sign, [], [], []

    def next(self, w):
        """The next coefficient, when that of the relative velocity is w."""
        law, k = self.law, len(self.u)
        u = self.u
        u.append(self.sign * w)
        if law.kind in ("coulomb", "static-dynamic"):
            return law.dynamic if k == 0 else mpf(0)
        p = law.p
        if law.kind == "stribeck":
            square = sum(u[i] * u[k - i] for i in range(k + 1))
            self.q.append(square)
            cube = sum(u[i] * self.q[k - i] for i in range(k + 1))
            below = p["a"] * cube + p["b"] * square + p["c"] * u[k] + (1 if k == 0 else 0)
            self.below = [*getattr(self, "below", []), below]
            if k == 0:
                self.e.append(p["d"] / below)
            else:
                past = sum(self.below[j] * self.e[k - j] for j in range(1, k + 1))
                self.e.append(-past / self.below[0])
            return self.e[k]
        if law.power == 1:
            self.q.append(u[k] / p["velocity"])
        else:
            self.q.append(sum(u[i] * u[k - i] for i in range(k + 1)) / p["velocity"] ** 2)
        if k == 0:
            self.e.append(mp.exp(-self.q[0]))
        else:
            self.e.append(-sum(j * self.q[j] * self.e[k - j] for j in range(1, k + 1)) / k)
        extra = (p["static"] - p["dynamic"]) * self.e[k] + p.get("viscous", mpf(0)) * u[k]
        return extra + (p["dynamic"] if k == 0 else 0)


class Slider:
    def __init__(self, name, a, b, law, normal, support):
        self.name, self.a, self.b, self.law, self.normal, self.support = name, a, b, law, normal, support

    def row(self, n):
        out = [mpf(0)] * n
        out[self.a] = mpf(1)
        if self.b is not None:
            out[self.b] = mpf(-1)
        return out


class Model:
    """Nodes with masses; everything else refers to their numbers, None being the ground."""

    def __init__(self, document):
        ((self.kind, t),) = [(k, v) for k, v in document.items() if k not in ("title", "run")]
        self.end = exact(document["run"]["end"])
        self.springs, self.dashpots, self.sliders, self.walls = [], [], [], {}
        self.restitution, self.polynomial, self.drive = None, None, []
        {"oscillator": self._oscillator, "impact": self._impact, "network": self._network}[self.kind](t)
        self.n = len(self.mass)
        signals = [*self.drive, *sum(self.force, [])]
        signals += sum((s.normal or [] for s in self.sliders), []) + sum((s.support or [] for s in self.sliders), [])
        signals += sum((m for _, m, _ in self.pulled), [])
        self.breaks = sorted({b for b in breaks(signals) if 0 < b < self.end})

    def _single(self, t):
        start = t.get("initial", {})
        self.names, self.mass = [""], [exact(t["mass"])]
        self.x0, self.v0 = [exact(start.get("displacement", 0))], [exact(start.get("velocity", 0))]
        self.force, self.pulled = [t.get("force", [])], []
        if t.get("damping"):
            self.dashpots.append((0, None, exact(t["damping"])))

    def _oscillator(self, t):
        self._single(t)
        self.drive = t.get("drive", [])
        k = t["stiffness"]
        if isinstance(k, list):
            self.polynomial = [exact(a) for a in k]
        elif k:
            self.pulled.append((0, self.drive, exact(k)))
        self.sliders.append(Slider("", 0, None, Law(t["friction"]), t.get("normal"), t.get("support")))
        if "stops" in t:
            stops = t["stops"]
            self.restitution = exact(stops["restitution"])
            self.walls = {side: exact(stops[side]) for side in ("lower", "upper") if side in stops}

    def _impact(self, t):
        self._single(t)
        if t.get("stiffness"):
            self.pulled.append((0, [], exact(t["stiffness"])))
        self.restitution = exact(t["restitution"])
        places = {"lower": t.get("wall"), "upper": t.get("upper_wall")}
        self.walls = {side: exact(a) for side, a in places.items() if a is not None}

    def _network(self, t):
        motions = {}
        for m in t.get("motion", []):
            motions.setdefault(m["on"], []).append({k: v for k, v in m.items() if k != "on"})
        nodes = [n for n in t["node"] if n["name"] not in motions]
        self.names = [n["name"] for n in nodes]
        number = {name: i for i, name in enumerate(self.names)} | {"ground": None}
        self.mass = [exact(n["mass"]) for n in nodes]
        self.x0 = [exact(n.get("displacement", 0)) for n in nodes]
        self.v0 = [exact(n.get("velocity", 0)) for n in nodes]
        self.force = [[] for _ in nodes]
        for f in t.get("force", []):
            self.force[number[f["on"]]].append({k: v for k, v in f.items() if k != "on"})
        self.pulled = []
        for s in t.get("spring", []):
            ends = s["between"]
            moved = [e for e in ends if e in motions]
            if moved:
                (other,) = [e for e in ends if e not in motions]
                self.pulled.append((number[other], motions[moved[0]], exact(s["stiffness"])))
            else:
                self.springs.append((number[ends[0]], number[ends[1]], exact(s["stiffness"])))
        for d in t.get("dashpot", []):
            self.dashpots.append((*(number[e] for e in d["between"]), exact(d["damping"])))
        for s in t.get("slider", []):
            a, b = (number[e] for e in s["between"])
            turned = a is None
            law = Law({"static-dynamic": {"static": s["static"], "dynamic": s.get("dynamic", s["static"])}})
            assert not turned, "name the node first and the ground second"
            self.sliders.append(Slider(s["name"], a, b, law, s.get("normal"), None))

    def energy_terms(self):
        """Twice the mechanical energy as a sum of weight · (sum of columns)², without the work of moving ends."""
        name = lambda c, i: f"{c}_{self.names[i]}" if self.names[i] else c
        terms = [(m, {name("v", i): 1}) for i, m in enumerate(self.mass)]
        for a, b, k in self.springs:
            terms.append((k, {name("x", e): s for e, s in ((a, 1), (b, -1)) if e is not None}))
        terms += [(k, {name("x", a): 1}) for a, _, k in self.pulled]
        return [] if self.polynomial else terms


class Run:
    """One exact motion. `order` and `digits` are those of the series."""

    def __init__(self, model, order, wanted=(), touch="ignore", most=20000):
        self.m, self.order, self.wanted, self.touch, self.most = model, order, sorted(wanted), touch, most
        self.zero = mpf(10) ** (-int(mp.dps * 0.72))
        self.tiny = mpf(10) ** (-int(mp.dps * 0.62))
        self.events, self.states, self.rests, self.touches, self.arcs = [], [], [], [], []
        self.inverse = {}

    # The equations of motion.
    def kkt(self, stuck, held):
        """The inverse of the matrix of accelerations, contact forces and reaction."""
        key = (tuple(stuck), held)
        if key not in self.inverse:
            m = self.m
            rows = [m.sliders[e].row(m.n) for e in stuck] + ([[mpf(1)]] if held else [])
            size = m.n + len(rows)
            a = matrix(size, size)
            for i in range(m.n):
                a[i, i] = m.mass[i]
            for r, row in enumerate(rows):
                for i in range(m.n):
                    a[m.n + r, i] = a[i, m.n + r] = row[i]
            self.inverse[key] = a**-1
        return self.inverse[key]

    def series(self, t, x, v, mode, held, order):
        """Coefficients of positions, velocities and forces of held contacts, and relative velocities of all."""
        m = self.m
        stuck = [e for e, s in enumerate(mode) if s == 0]
        inverse = self.kkt(stuck, held)
        force = [series(f, t, order) for f in m.force]
        pulled = [(i, series(d, t, order), k) for i, d, k in m.pulled]
        d0 = series(m.drive, t, order) if m.polynomial else None
        normal = [series(s.normal, t, order) if s.normal else None for s in m.sliders]
        support = [series(s.support, t, order) if s.support else None for s in m.sliders]
        support_a = [series(s.support, t, order, 1) if s.support else None for s in m.sliders]
        slips = [s.law.slip(e) if e else None for s, e in zip(m.sliders, mode)]
        sizes = [[] for _ in m.sliders]
        xs, vs = [[c] for c in x], [[c] for c in v]
        z, z2 = [], []
        ws = [[] for _ in m.sliders]
        lambdas = [[] for _ in range(len(stuck) + (1 if held else 0))]
        for k in range(order - 1):
            b = [f[k] for f in force]
            for i, d, stiffness in pulled:
                b[i] += stiffness * (d[k] - xs[i][k])
            if m.polynomial:
                z.append(d0[k] - xs[0][k])
                z2.append(sum(z[i] * z[k - i] for i in range(k + 1)))
                # z = d − x; the spring pulls with k₁ e + k₂ e² + k₃ e³, e = x − d.
                powers = [z[k], -z2[k], sum(z[i] * z2[k - i] for i in range(k + 1))]
                b[0] += sum(c * p for c, p in zip(m.polynomial, powers))
            for i, j, stiffness in m.springs:
                f = stiffness * (xs[i][k] - (xs[j][k] if j is not None else 0))
                b[i] -= f
                if j is not None:
                    b[j] += f
            for i, j, c in m.dashpots:
                f = c * (vs[i][k] - (vs[j][k] if j is not None else 0))
                b[i] -= f
                if j is not None:
                    b[j] += f
            for e, s in enumerate(m.sliders):
                w = vs[s.a][k] - (vs[s.b][k] if s.b is not None else 0)
                if support[e]:
                    w -= support[e][k]
                ws[e].append(w)
                if mode[e]:
                    sizes[e].append(slips[e].next(w))
                    if normal[e]:
                        f = sum(sizes[e][i] * normal[e][k - i] for i in range(k + 1))
                    else:
                        f = sizes[e][k]
                    b[s.a] -= mode[e] * f
                    if s.b is not None:
                        b[s.b] += mode[e] * f
            right = b + [support_a[e][k] if support[e] else mpf(0) for e in stuck] + ([mpf(0)] if held else [])
            size = len(right)
            solved = [sum((inverse[r, c] * right[c] for c in range(size) if inverse[r, c]), mpf(0)) for r in range(size)]
            for i in range(m.n):
                xs[i].append(vs[i][k] / (k + 1))
                vs[i].append(solved[i] / (k + 1))
            for r in range(len(lambdas)):
                lambdas[r].append(solved[m.n + r])
        forces = {e: lambdas[r] for r, e in enumerate(stuck)}
        reaction = lambdas[-1] if held else None
        return xs, vs, ws, forces, reaction, normal

    def step(self, xs, vs, left):
        """How far the series may be trusted to all digits."""
        h = left
        for c in xs + vs:
            scale = max(abs(a) for a in c[:8]) or mpf(1)
            for k in (len(c) - 1, len(c) - 2):
                if c[k]:
                    h = min(h, (mpf(10) ** (-mp.dps) * scale / abs(c[k])) ** (mpf(1) / k))
        return h

    def quiet(self, x, mode, held):
        """Whether one mass at rest stays for ever: the amplitudes of its loads add up to less than the breakaway force."""
        m = self.m
        if m.n != 1 or mode != [0] or held or m.polynomial or m.sliders[0].normal or m.sliders[0].support:
            return False
        signals = [(s, mpf(1)) for s in m.force[0]] + [(s, k) for _, d, k in m.pulled for s in d]
        if any(kind in s for s, _ in signals for kind in ("ramp", "step")):
            return False
        mean = sum(k * exact(s["constant"]) for s, k in signals if "constant" in s) - sum(k for *_, k in m.pulled) * x[0]
        size = sum(k * abs(exact(s["harmonic"]["amplitude"])) for s, k in signals if "harmonic" in s)
        law = m.sliders[0].law
        return mean + size < law.limit(1) and mean - size > -law.limit(-1)

    # Events.
    def functions(self, xs, ws, forces, reaction, normal, mode, held):
        """Pairs of an event and the polynomial that becomes negative with it."""
        m, out = self.m, []
        for e, s in enumerate(m.sliders):
            if mode[e]:
                out.append((("stops", e), [mode[e] * a for a in ws[e]]))
                continue
            n = len(forces[e])
            up, down = s.law.limit(1), s.law.limit(-1)
            load = normal[e][:n] if normal[e] else [mpf(1)] + [mpf(0)] * (n - 1)
            out.append((("slips", e, 1), [up * l - f for l, f in zip(load, forces[e])]))
            out.append((("slips", e, -1), [down * l + f for l, f in zip(load, forces[e])]))
        for side, a in m.walls.items():
            if held == side:
                sign = 1 if side == "lower" else -1
                # The multiplier is minus the reaction along +x.
                out.append((("leaves", side), [-sign * r for r in reaction]))
            elif held is None:
                sign = 1 if side == "lower" else -1
                g = [sign * c for c in xs[0]]
                g[0] -= sign * a
                out.append((("hits", side), g))
        return out

    def loads(self, t, x, v, mode, held):
        """Contact forces, relative accelerations and limits at one instant."""
        _, vs, _, forces, reaction, normal = self.series(t, x, v, mode, held, 3)
        limit = {}
        for e, s in enumerate(self.m.sliders):
            n = normal[e][0] if normal[e] else 1
            limit[e] = (s.law.limit(1) * n, s.law.limit(-1) * n)
        return {e: f[0] for e, f in forces.items()}, limit, vs[0][1] if vs else None

    def exceeding(self, t, x, v, mode, held):
        """A contact that sticks in `mode` beyond its limit, with its direction."""
        forces, limit, _ = self.loads(t, x, v, mode, held)
        for e, f in forces.items():
            up, down = limit[e]
            slack = self.tiny * (1 + abs(up) + abs(down))
            if f > up + slack:
                return e, 1
            if f < -down - slack:
                return e, -1
        return None

    def relative(self, e, t, v):
        s = self.m.sliders[e]
        w = v[s.a] - (v[s.b] if s.b is not None else 0)
        return w - (at(s.support, t) if s.support else 0)

    def record(self, kind, t, x, v, place):
        m = self.m
        if kind in ("impact", "rest", "release"):
            xe, ve = x[0], v[0]
        elif m.kind == "network":
            s = m.sliders[place]
            xe = x[s.a] - (x[s.b] if s.b is not None else 0)
            ve = v[s.a] - (v[s.b] if s.b is not None else 0)
            place = s.name
        else:
            xe, ve, place = x[0], v[0], ""
        self.events.append({"event": kind, "t": t, "where": place, "x": xe, "v": ve})

    def settle(self, t, x, v, mode, held, fresh=None):
        """Contacts that stick beyond their limits slip at once."""
        for _ in range(4 * len(mode) + 4):
            found = self.exceeding(t, x, v, mode, held)
            if found is None:
                return mode
            e, sign = found
            mode = [*mode]
            mode[e] = sign
            if fresh is not None:
                self.record("reversal" if e == fresh else "slip", t, x, v, e)
        raise RuntimeError("no consistent phases")

    def begin(self):
        m = self.m
        x, v = list(m.x0), list(m.v0)
        mode = []
        for e in range(len(m.sliders)):
            w = self.relative(e, mpf(0), v)
            mode.append(0 if w == 0 else (1 if w > 0 else -1))
        return x, v, self.settle(mpf(0), x, v, mode, None)

    def run(self):
        m = self.m
        t, (x, v, mode), held = mpf(0), self.begin(), None
        since, bounce = mpf(0), None
        wanted = list(self.wanted)
        self.since = {i: mpf(0) for i in range(m.n)}
        while t < m.end:
            if len(self.events) > self.most:
                raise RuntimeError("too many events")
            until = min([b for b in m.breaks if b > t] + [m.end])
            xs, vs, ws, forces, reaction, normal = self.series(t, x, v, mode, held, self.order)
            quiet = self.quiet(x, mode, held)
            h = until - t if quiet else self.step(xs, vs, until - t)
            first, what = None, None
            functions = [] if quiet else self.functions(xs, ws, forces, reaction, normal, mode, held)
            for label, g in functions:
                found, touches = first_negative(g, h, self.zero)
                if touches:
                    self.touches += [(label, t + s) for s in touches]
                    if self.touch == "event" and label[0] == "stops" and (found is None or touches[0] < found[0]):
                        found = (touches[0], "touch")
                if found and (first is None or found[0] < first):
                    first, what = found[0], label
            s = h if first is None else first
            now = until if first is None and s == until - t else t + s
            while wanted and wanted[0] <= now:
                d = wanted.pop(0) - t
                self.states.append((t + d, [value(c, d) for c in xs], [value(c, d) for c in vs]))
            before = self.still(mode, held)
            self.arcs.append((t, now, x, v, list(mode), held))
            x, v = [value(c, s) for c in xs], [value(c, s) for c in vs]
            t = now
            if what is not None:
                x, v, mode, held = self.happen(what, t, x, v, mode, held)
            elif t in m.breaks:
                mode = self.settle(t, x, v, mode, held, fresh=-1)
            self.note_rest(t, before, self.still(mode, held))
        self.note_rest(m.end, self.still(mode, held), set())
        return self

    def happen(self, what, t, x, v, mode, held):
        m = self.m
        if what[0] == "slips":
            mode = [*mode]
            mode[what[1]] = what[2]
            self.record("slip", t, x, v, what[1])
            return x, v, self.settle(t, x, v, mode, held, fresh=-1), held
        if what[0] == "stops":
            e = what[1]
            old = mode[e]
            trial = [*mode]
            trial[e] = 0
            x, v = self.project(e, t, x, v)
            forces, limit, _ = self.loads(t, x, v, trial, held)
            up, down = limit[e]
            f, slack = forces[e], self.tiny * (1 + abs(up) + abs(down))
            if -down - slack <= f <= up + slack:
                self.record("stick", t, x, v, e)
                return x, v, self.settle(t, x, v, trial, held, fresh=-1), held
            trial[e] = 1 if f > 0 else -1
            self.record("reversal" if trial[e] != old else "touch", t, x, v, e)
            return x, v, self.settle(t, x, v, trial, held, fresh=-1), held
        if what[0] == "leaves":
            self.record("release", t, x, v, what[1])
            return x, v, mode, None
        return self.hit(what[1], t, x, v, mode)

    def hit(self, side, t, x, v, mode):
        m = self.m
        sign = 1 if side == "lower" else -1
        x = [m.walls[side]]
        after = -m.restitution * v[0]
        small = abs(v[0]) < mpf(10) ** (-int(mp.dps * 0.55))
        rests = small or after == 0
        v = [mpf(0)] if rests else [after]
        if not m.sliders:
            _, _, a = self.loads(t, x, v, mode, None)
            if not small:
                self.record("impact", t, x, v, side)
            if rests and sign * a <= 0:
                self.record("rest", t, x, v, side)
                return x, v, mode, side
            return x, v, mode, None
        self.record("impact", t, x, v, side)
        if rests:
            assert m.restitution == 0, "a block that bounces to rest at a stop"
            forces, limit, _ = self.loads(t, x, v, [0], None)
            assert sign * forces[0] > 0, "a block that is held at a stop"
            return x, v, self.settle(t, x, v, [0], None), None
        return x, v, [1 if self.relative(0, t, v) > 0 else -1], None

    def project(self, e, t, x, v):
        """The relative velocity of a contact that has just stopped, set to zero exactly where one mass moves."""
        s = self.m.sliders[e]
        if s.b is None:
            v = [*v]
            v[s.a] = at(s.support, t) if s.support else mpf(0)
        return x, v

    def still(self, mode, held):
        """Nodes at rest."""
        out = {s.a for e, s in enumerate(self.m.sliders) if mode[e] == 0 and s.b is None and not s.support}
        return out | ({0} if held else set())

    def note_rest(self, t, before, after):
        for i in before - after:
            if t > self.since[i]:
                self.rests.append((i, self.since[i], t))
        for i in after - before:
            self.since[i] = t

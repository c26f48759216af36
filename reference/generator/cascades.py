"""One mass on a row of springs and massless sliders: exact motions.

Between events every slider either rests (its displacement is constant) or slips (the sum of its spring forces is at its
threshold). The displacements of the slipping ones solve a linear system, so the force on the mass is affine in its
displacement; the motion is a Taylor series, and events are the first negative values of polynomials (taylor.py).
"""

from mpmath import lu_solve, matrix, mp, mpf

from signals import exact, series
from taylor import first_negative, value


class Cascade:
    def __init__(self, document):
        t = document["cascade"]
        self.kind, self.end = "cascade", exact(document["run"]["end"])
        self.k = [exact(k) for k in t["stiffness"]]
        self.limit = [exact(a) for a in t["threshold"]]
        self.m, self.force = exact(t["mass"]), t.get("force", [])
        start = t.get("initial", {})
        self.x0, self.v0 = exact(start.get("displacement", 0)), exact(start.get("velocity", 0))
        self.n, self.names = len(self.limit), [""]

    def energy_terms(self):
        return [(self.m, {"v": 1})]


class Run:
    """Events of the mass have no place; those of elements have their number."""

    def __init__(self, model, order, wanted=(), touch="ignore"):
        self.m, self.order, self.wanted = model, order, sorted(wanted)
        self.zero = mpf(10) ** (-int(mp.dps * 0.72))
        self.events, self.states, self.rests, self.touches, self.arcs = [], [], [], [], []

    def affine(self, slipping, sign, u):
        """Displacements of the elements as a + b x, and their loads W likewise."""
        m, n = self.m, self.m.n
        a, b = list(u), [mpf(0)] * n
        if slipping:
            size = len(slipping)
            matrix_, right_a, right_b = matrix(size, size), matrix(size, 1), matrix(size, 1)
            for r, i in enumerate(slipping):
                matrix_[r, r] = m.k[i] + m.k[i + 1]
                # k_i (v_{i-1} − v_i) + k_{i+1} (v_{i+1} − v_i) = sign · limit, with v_{-1} = x and v_n = 0.
                right_a[r] = -sign * m.limit[i]
                for j, k in ((i - 1, m.k[i]), (i + 1, m.k[i + 1])):
                    if j == -1:
                        right_b[r] += k
                    elif j < n:
                        if j in slipping:
                            matrix_[r, slipping.index(j)] -= k
                        else:
                            right_a[r] += k * u[j]
            sa, sb = lu_solve(matrix_, right_a), lu_solve(matrix_, right_b)
            for r, i in enumerate(slipping):
                a[i], b[i] = sa[r], sb[r]
        loads = []
        for i in range(n):
            left = (a[i - 1], b[i - 1]) if i else (mpf(0), mpf(1))
            right = (a[i + 1], b[i + 1]) if i + 1 < n else (mpf(0), mpf(0))
            wa = m.k[i] * (left[0] - a[i]) + m.k[i + 1] * (right[0] - a[i])
            wb = m.k[i] * (left[1] - b[i]) + m.k[i + 1] * (right[1] - b[i])
            loads.append((wa, wb))
        return a, b, loads

    def run(self):
        m = self.m
        t, x, v, u = mpf(0), m.x0, m.v0, [mpf(0)] * m.n
        slipping, sign = [], 0
        wanted = list(self.wanted)
        while t < m.end:
            a, b, loads = self.affine(slipping, sign, u)
            f = series(m.force, t, self.order)
            # Force of the first spring on the mass: k0 (x − v1).
            fa, fb = m.k[0] * -a[0], m.k[0] * (1 - b[0])
            xs, vs = [x], [v]
            for k in range(self.order - 1):
                push = f[k] - fb * xs[k] - (fa if k == 0 else 0)
                xs.append(vs[k] / (k + 1))
                vs.append(push / m.m / (k + 1))
            h = m.end - t
            for c in (xs, vs):
                scale = max(abs(y) for y in c[:8]) or mpf(1)
                for k in (len(c) - 1, len(c) - 2):
                    if c[k]:
                        h = min(h, (mpf(10) ** (-mp.dps) * scale / abs(c[k])) ** (mpf(1) / k))
            if sign == 0:
                sign = 1 if next((y for y in vs if abs(y) > self.zero), mpf(0)) >= 0 else -1
            options = [("reversal", [sign * y for y in vs])]
            for i in range(m.n):
                if i not in slipping:
                    wa, wb = loads[i]
                    g = [-sign * wb * y for y in xs]
                    g[0] += m.limit[i] - sign * wa
                    options.append((i, g))
            first, what = None, None
            for label, g in options:
                found, touches = first_negative(g, h, self.zero)
                self.touches += [(label, t + s) for s in touches]
                if found and (first is None or found[0] < first):
                    first, what = found[0], label
            s = h if first is None else first
            now = m.end if first is None and s == m.end - t else t + s
            while wanted and wanted[0] <= now:
                d = wanted.pop(0) - t
                xw = value(xs, d)
                self.states.append((t + d, [xw], [value(vs, d)], fa + fb * xw))
            self.arcs.append((t, now, x, v, fa, fb))
            x, v, t = value(xs, s), value(vs, s), now
            u = [p + q * x for p, q in zip(a, b)]
            if what == "reversal":
                v = mpf(0)
                self.events.append({"event": "reversal", "t": t, "where": "mass", "x": x, "v": v})
                slipping, sign = [], -sign
            elif what is not None:
                self.events.append({"event": "yield", "t": t, "where": str(what + 1), "x": x, "v": v})
                slipping = sorted([*slipping, what])
        return self

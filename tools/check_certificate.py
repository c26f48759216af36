#!/usr/bin/env python3
"""Checks a certificate of stickslip without stickslip.

    pip install python-flint
    python check_certificate.py certificate.json …

A certificate claims that the motion of one mass with dry friction has exactly the listed events, each within its bracket, in
this order, and no others. This program follows the motion by itself, in ball arithmetic (Arb) of several hundred bits, from the
numbers of the problem alone, and checks every number of the certificate on the way. It accepts only what it can prove.

The problem: m x'' = b - F with b = K (d(t) - x) - c x' + f(t); stick, x' = 0, as long as -f_s(back) <= b <= f_s(ahead); slip with
F = f_d sign x' otherwise. Loads are sums of straight pieces (time, value, rate) and of harmonics (A, w, p): A cos(w t + p).
"""
import json
import math
import sys

from flint import acb, arb, ctx


class Rejected(Exception):
    pass


def require(holds, why):
    if not holds:
        raise Rejected(why)


def inside(ball, pair, tolerance, why):
    """The number lies between the pair, which is not much wider than its rounding."""
    low, high = pair
    require(isinstance(low, float) and isinstance(high, float) and math.isfinite(low) and math.isfinite(high), why)
    require(arb(low) <= ball and ball <= arb(high), why)
    require(arb(high) - arb(low) <= tolerance, why + ": too wide")


class Curve:
    """Re sum c exp(r s) + sum p_k s^k, s = t - start."""

    def __init__(self, start, waves, cubic):
        self.start, self.waves, self.cubic = start, waves, cubic

    def powers(self, s, n, size=lambda p: p):
        total = arb(0)  # Horner: 0^0 of a ball is not a number
        for k in range(len(self.cubic) - 1, n - 1, -1):
            total = total * s + size(self.cubic[k]) * math.perm(k, n)
        return total

    def after(self, s, n):
        """Derivative n, s after the start."""
        return sum((c * r**n * (r * s).exp() for c, r in self.waves), acb(0)).real + self.powers(s, n)

    def at(self, t, n):
        return self.after(arb(t) - self.start, n)

    def bound(self, n, until):
        """Of |derivative n| from the start on (no wave grows)."""
        waves = sum((abs(c) * abs(r) ** n for c, r in self.waves), arb(0))
        return waves + self.powers(abs(arb(until) - self.start), n, abs)


class Positive:
    """g = sign (derivative `base` of the curve) + shift, which is to be positive."""

    def __init__(self, curve, sign, base, shift=arb(0)):
        self.curve, self.sign, self.base, self.shift = curve, sign, base, shift

    def at(self, t, n=0):
        return self.sign * self.curve.at(t, self.base + n) + (self.shift if n == 0 else 0)

    def step(self, start, to, order, least):
        """|g(c)| - |g'(c)| h - h^2 max|g''| / 2 > 0, and it is what the certificate says."""
        falls, order = order == -1, abs(order)
        c = start + 0.5 * (to - start)
        h = max(arb(c) - start, arb(to) - c, key=float)
        g, slope = self.at(c, order), abs(self.at(c, order + 1)) * h
        bend = h * h * self.curve.bound(self.base + order + 2, to) / 2
        value = (-g if falls else g) - slope - bend
        require(least > 0 and arb(least) <= value, "a step does not prove what it says")
        slack = (abs(g) + slope + bend) * 1e-9 + (self.curve.bound(self.base + order, to) + abs(self.shift)) * 1e-12
        require(value - least <= slack, "a step proves more than it says")

    def chain(self, steps, span, rises, falls):
        """The steps follow each other over the span and prove g > 0 inside; at a root next to the end g falls."""
        require(steps and steps[0][0] == span[0] and steps[-1][1] == span[1], "the steps do not cover the arc")
        for i, (start, to, order, least) in enumerate(steps):
            require(start < to and (i == 0 or steps[i - 1][1] == start), "the steps do not follow each other")
            first, last = rises and i == 0, falls and i == len(steps) - 1
            allowed = {1, 2} if first else {-1} if last else {0}
            require(order in allowed, "a step proves something else")
            self.step(start, to, order, least)
        if falls:
            require(not (rises and len(steps) == 1), "one step cannot rise and fall")

    def root(self, low, high, slope_step):
        """The one root in [low, high], inside a step on which g falls."""
        require(slope_step[0] <= low < high <= slope_step[1], "the bracket is not where the function falls")
        require(high - low <= 1e-13 * (1 + abs(high)), "the bracket is too wide")
        require(self.at(low) > 0 and self.at(high) < 0, "the bracket holds no root")
        t = (arb(low) + arb(high)) / 2
        for _ in range(8):
            t = (t - self.at(t) / self.at(t, 1)).mid()
        width = arb(2) ** -(ctx.prec // 2)
        for _ in range(2):
            slope = self.at(t, 1) + arb(0, 1) * width * self.curve.bound(self.base + 2, high)
            exact = t - self.at(t) / slope
            width = abs(exact - t)
        require(arb(low) <= exact and exact <= arb(high), "the root is outside its bracket")
        return exact


class Motion:
    def __init__(self, certificate):
        p = certificate["problem"]
        self.c, self.p = certificate, p
        self.m, self.k, self.d = (arb(float(p[key])) for key in ("mass", "stiffness", "damping"))
        require(self.m > 0 and self.k >= 0 and self.d >= 0, "mass, stiffness or damping")
        self.law = {1: p["friction"]["ahead"], -1: p["friction"]["back"]}
        for law in self.law.values():
            require(0 <= law["dynamic"] <= law["static"], "friction")
        for load in (p["drive"], p["force"]):
            times = [piece[0] for piece in load["pieces"]]
            require(times and times[0] <= 0 and times == sorted(set(times)), "the pieces of a load")
        self.t, self.x, self.v = arb(0), arb(float(p["x"])), arb(float(p["v"]))
        self.bracket, self.lost = [0.0, 0.0], arb(0)

    def fs(self, side):
        return arb(float(self.law[side]["static"]))

    def fd(self, side):
        return arb(float(self.law[side]["dynamic"]))

    def load(self, t0, look, until):
        """K d + f from t0 on, on the pieces that hold after `look`, which reach to `until`."""
        cubic, waves = [arb(0), arb(0)], []
        for factor, load in ((self.k, self.p["drive"]), (arb(1), self.p["force"])):
            held = [i for i, piece in enumerate(load["pieces"]) if piece[0] <= look]
            time, value, rate = (arb(float(n)) for n in load["pieces"][held[-1]])
            after = load["pieces"][held[-1] + 1 :]
            require(not after or until <= after[0][0], "a load has a knot inside an arc")
            cubic[0] += factor * (value + rate * (t0 - time))
            cubic[1] += factor * rate
            for a, w, phase in load["harmonics"]:
                waves.append((factor * float(a) * acb(0, arb(float(w)) * t0 + float(phase)).exp(), acb(0, float(w))))
        return Curve(t0, waves, cubic)

    def slip_curve(self, load, sign):
        """The solution of m x'' + d x' + k x = load - f_d sign from the present state, and the coefficients of its free part."""
        m, d, k, (l0, l1) = self.m, self.d, self.k, load.cubic
        l0 = l0 - sign * self.fd(sign)
        if k > 0:
            cubic = [(l0 - d * l1 / k) / k, l1 / k]
        elif d > 0:
            cubic = [arb(0), (l0 - m * l1 / d) / d, l1 / d / 2]
        else:
            cubic = [arb(0), arb(0), l0 / m / 2, l1 / m / 6]
        waves = [(c / (m * r * r + d * r + k), r) for c, r in load.waves]
        forced = Curve(load.start, waves, cubic)
        q, w = self.x - forced.after(arb(0), 0), self.v - forced.after(arb(0), 1)
        if not (k > 0 or d > 0):
            return Curve(load.start, waves, [q, w, *cubic[2:]]), (q, w)
        root = (acb(d * d - 4 * m * k)).sqrt()
        z1, z2 = (-d + root) / (2 * m), (-d - root) / (2 * m)
        if k.is_zero():
            z1, z2 = acb(0), acb(-d / m)
        c1 = (w - z2 * q) / (z1 - z2)
        c2 = q - c1
        if d * d < 4 * m * k:
            free = q, (w - z1.real * q) / z1.imag
        else:
            free = c1.real, c2.real
        return Curve(load.start, [*waves, (c1, z1), (c2, z2)], cubic), free

    def margins(self, claimed, true, size):
        require(len(claimed) == len(true), "the margins of a rule")
        for says, is_ in zip(claimed, true):
            require(says > 0 and arb(says) <= is_ and is_ - says <= size * 1e-11, "the margin of a rule")

    def follow(self):
        arcs, end = self.c["arcs"], float(self.p["end"])
        require(arcs and arcs[-1]["ending"] == "end" and arcs[-1]["to"] == [end, end], "the end")
        energy = [self.energy()]
        b = self.load(arb(0), 0.0, 0.0).at(0, 0) - self.k * self.x
        phase = {"stick": 0, "slip+": 1, "slip-": -1}
        signs = [phase[a["phase"]] for a in arcs]
        if not self.v.is_zero():
            require(signs[0] * self.v > 0, "the first phase")
        elif signs[0] == 0:
            require(b < self.fs(1) and -b < self.fs(-1), "the first phase")
        else:
            require(signs[0] * b > self.fs(signs[0]), "the first phase")
        size = 0.0
        for arc, sign, following in zip(arcs, signs, [*signs[1:], None]):
            require(arc["from"] == self.bracket, "an arc does not begin where the one before ends")
            load = self.load(self.t, self.bracket[0] if self.t.is_exact() else float(self.t.mid()), arc["to"][0])
            size = max(size, abs(float(self.x.mid())))
            inside(self.x, arc["x"], 1e-12 * size + 1e-150, "the displacement at the start of an arc")
            inside(self.v, arc["v"], 1e-12 * (size + abs(float(self.v.mid()))) + 1e-150, "the velocity at the start of an arc")
            (self.slip if sign else self.stick)(arc, sign, following, load)
        inside(self.x, self.c["x"], 1e-12 * size + 1e-150, "the displacement at the end")
        inside(self.v, self.c["v"], 1e-12 * (size + abs(float(self.v.mid()))) + 1e-150, "the velocity at the end")
        energy.append(self.energy())
        said, scale = self.c["energy"], 1e-12 * (energy[0] + energy[1] + self.lost) + 1e-150
        for key, ball in zip(("first", "last", "friction", "supplied"), (*energy, self.lost, energy[1] - energy[0] + self.lost)):
            inside(ball, said[key], scale, f"the energy `{key}`")

    def energy(self):
        return (self.m * self.v * self.v + self.k * self.x * self.x) / 2

    def arrive(self, arc):
        low, high = arc["to"]
        require(low == high, "a knot or the end is one instant")
        self.bracket, self.t = arc["to"], arb(low)

    def after(self, arc, following, t, x):
        """The rule at a knot where the mass rests, and where a slip ends."""
        b = self.load(t, arc["to"][0], arc["to"][0]).at(t, 0) - self.k * x
        size = abs(b) + self.fs(1) + self.fs(-1)
        true = [self.fs(1) - b, self.fs(-1) + b] if following == 0 else [following * b - self.fs(following)]
        self.margins(arc["margins"], true, size)

    def stick(self, arc, _, following, load):
        require(arc["free"] is None and len(arc["steps"]) == 2, "a stick")
        load.cubic[0] -= self.k * self.x
        limits = {side: Positive(load, -side, 0, self.fs(side)) for side in (1, -1)}
        exits = following if arc["ending"] == "slip" else 0
        for side, steps in zip((1, -1), arc["steps"]):
            limits[side].chain(steps, [self.bracket[0], arc["to"][1]], False, side == exits)
        self.v = arb(0)
        if arc["ending"] == "slip":
            require(following in (1, -1), "what follows a stick")
            leaving = limits[following]
            root = leaving.root(*arc["to"], arc["steps"][(1, -1).index(following)][-1])
            slope = -leaving.at(root, 1)
            width = arb(arc["to"][1]) - arc["to"][0]
            self.margins(arc["margins"], [slope], 1e3 * slope + 1e12 * width * load.bound(2, arc["to"][1]))
            self.bracket, self.t = arc["to"], root
            return
        self.arrive(arc)
        if following is None:
            require(arc["ending"] == "end" and arc["margins"] == [], "the end")
            return
        require(arc["ending"] == ("jump" if following else "knot"), "the end of a stick")
        self.after(arc, following, self.t, self.x)

    def slip(self, arc, sign, following, load):
        curve, free = self.slip_curve(load, sign)
        scale = sum((abs(c) for c in free), arb(0)) + abs(self.x) + curve.bound(0, arc["to"][1])
        require(arc["free"] is not None and len(arc["free"]) == 2 and len(arc["steps"]) == 1, "a slip")
        for ball, pair in zip(free, arc["free"]):
            inside(ball, pair, scale * 1e-10 + 1e-150, "a coefficient")
        speed, steps = Positive(curve, sign, 1), arc["steps"][0]
        rests, rises = arc["ending"] in ("stick", "reversal"), self.v.is_zero()
        speed.chain(steps, [self.bracket[0], arc["to"][1]], rises, rests)
        before = self.x
        if rests:
            require(following == (0 if arc["ending"] == "stick" else -sign), "what follows a slip")
            root = speed.root(*arc["to"], steps[-1])
            self.x, self.v, self.bracket, self.t = curve.at(root, 0), arb(0), arc["to"], root
            b = load.at(root, 0) - self.k * self.x
            size = abs(b) + self.fs(1) + self.fs(-1)
            true = [self.fs(1) - b, self.fs(-1) + b] if following == 0 else [following * b - self.fs(following)]
            self.margins(arc["margins"], true, size)
        else:
            self.arrive(arc)
            self.x, self.v = curve.at(self.t, 0), curve.at(self.t, 1)
            require(arc["ending"] == ("end" if following is None else "knot") and following in (sign, None), "the end of a slip")
            self.margins(arc["margins"], [] if following is None else [sign * self.v], abs(self.v) + curve.bound(1, arc["to"][1]))
        self.lost += self.fd(sign) * abs(self.x - before)


def check(certificate):
    """Raises Rejected if a claim of the certificate is not proved."""
    ctx.prec = 320 + 12 * len(certificate["arcs"])
    require(certificate.get("certificate") == "stickslip 1", "the kind of the certificate")
    try:
        Motion(certificate).follow()
    except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError) as wrong:
        raise Rejected(f"not in the form of a certificate: {wrong!r}") from wrong


if __name__ == "__main__":
    failed = 0
    for path in sys.argv[1:]:
        try:
            with open(path, encoding="utf-8") as file:
                check(json.load(file))
            print(f"{path}: proved")
        except (Rejected, json.JSONDecodeError) as wrong:
            failed += 1
            print(f"{path}: rejected: {wrong}")
    sys.exit(1 if failed else 0)

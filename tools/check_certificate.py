#!/usr/bin/env python3
"""Checks a certificate of stickslip without stickslip.

    pip install python-flint
    python check_certificate.py certificate.json …

A certificate claims that the motion of one mass with dry friction has exactly the listed events, each within its bracket, in
this order, and no others. This program follows the motion by itself, in ball arithmetic (Arb) of several hundred bits, from the
numbers of the problem alone, and checks every number of the certificate on the way. It accepts only what it can prove.

The problem: m x'' = b - F with b = K (d(t) - x) - c x' + f(t). With u = x' - v_s relative to a support of velocity v_s: stick, u = 0,
as long as -f_s(back) <= b - m v_s' <= f_s(ahead); slip with F = f_d sign u otherwise; f_s and f_d are times `normal`. Loads and v_s
are sums of straight pieces (time, value, rate; no rate: straight to the next value) and of harmonics (A, w, p): A cos(w t + p).
Beyond a soft stop at a, b has k (a - x) - c x' more; at a rigid one x' becomes -e x', and a mass at rest there is held by it.
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
    """Re sum (c + p s) exp(r s) + sum p_k s^k, s = t - start; of a wave (c, p, r) no (c + 0 s) exp(r s) grows."""

    def __init__(self, start, waves, cubic):
        self.start, self.waves, self.cubic = start, waves, cubic

    def powers(self, s, n, size=lambda p: p):
        total = arb(0)  # Horner: 0^0 of a ball is not a number
        for k in range(len(self.cubic) - 1, n - 1, -1):
            total = total * s + size(self.cubic[k]) * math.perm(k, n)
        return total

    def after(self, s, n):
        """Derivative n, s after the start."""
        waves = ((c * r**n + (p * (n * r ** (n - 1) + r**n * s) if n else p * s)) * (r * s).exp() for c, p, r in self.waves)
        return sum(waves, acb(0)).real + self.powers(s, n)

    def at(self, t, n):
        return self.after(arb(t) - self.start, n)

    def bound(self, n, until):
        """Of |derivative n| from the start on, and for so little before that a wave is larger by 1e-12 at most."""
        length, waves = abs(arb(until) - self.start), arb(0)
        for c, p, r in self.waves:
            longest = min(length, arb("0.368") / -r.real, key=float) if r.real < 0 else length  # s exp(-q s) <= 1 / (e q)
            waves += abs(c * r**n + (n * p * r ** (n - 1) if n else 0)) + abs(p) * abs(r) ** n * longest
        return waves * (1 + arb("1e-12")) + self.powers(length, n, abs)


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


def number(value):
    require(isinstance(value, (int, float)) and math.isfinite(value), "a number of the problem")
    return arb(float(value))


class Support:
    """Its way (from t = 0 on) and its velocity: pieces (time, way, value, rate), and harmonics."""

    def __init__(self, signal):
        self.pieces, self.waves = [], [tuple(map(number, h)) for h in signal["harmonics"]]
        for i, (time, value, rate) in enumerate(signal["pieces"]):
            time, value = number(time), number(value)
            if rate is None:
                after = signal["pieces"][i + 1]
                rate = (number(after[1]) - value) / (number(after[0]) - time)
            rate, s = number(rate) if not isinstance(rate, arb) else rate, -time
            way = self.line(i - 1, time)[0] if i else -(value + rate * s / 2) * s
            self.pieces.append((time, way, value, rate))
        self.first = sum((a / w * p.sin() for a, w, p in self.waves), arb(0))

    def line(self, i, t):
        time, way, value, rate = self.pieces[i]
        s = t - time
        return way + (value + rate * s / 2) * s, value + rate * s, rate

    def piece(self, look):
        return [i for i, p in enumerate(self.pieces) if p[0] <= look][-1]

    def at(self, t, look):
        way, velocity, _ = self.line(self.piece(look), t)
        for a, w, p in self.waves:
            way, velocity = way + a / w * (w * t + p).sin(), velocity + a * (w * t + p).cos()
        return way - self.first, velocity


class Motion:
    """Follows y = x - way of the support and its velocity u."""

    def __init__(self, certificate):
        p = certificate["problem"]
        self.c, self.p = certificate, p
        self.m, self.d, self.k = (number(p[key]) for key in ("mass", "damping", "stiffness"))
        require(self.m > 0 and self.k >= 0 and self.d >= 0, "mass, stiffness or damping")
        self.law, self.normal = {1: p["friction"]["ahead"], -1: p["friction"]["back"]}, number(p["normal"])
        require(self.normal >= 0, "the normal force")
        for law in self.law.values():
            require(0 <= law["dynamic"] <= law["static"], "friction")
        for load in (p["drive"], p["force"], p["support"]):
            times = [piece[0] for piece in load["pieces"]]
            require(times and times[0] <= 0 and times == sorted(set(times)), "the pieces of a load")
        self.support, self.t = Support(p["support"]), arb(0)
        self.moves = any(piece[1] or piece[2] for piece in p["support"]["pieces"]) or p["support"]["harmonics"]
        self.x, self.v = number(p["x"]), number(p["v"]) - self.support.at(arb(0), 0.0)[1]
        self.bracket, self.lost, self.stop, self.walls = [0.0, 0.0], arb(0), None, {}
        if p["stops"] is not None:
            self.stops()

    def stops(self):
        """The positions by the side: 1 is the upper stop; and where the mass is at first."""
        require(not self.moves, "stops with a support that moves")
        stops, self.e = self.p["stops"], self.p["stops"]["restitution"]
        self.walls = {side: number(stops[key]) for side, key in ((-1, "lower"), (1, "upper")) if stops[key] is not None}
        if self.e is not None:
            self.e = number(self.e)
            require(0 <= self.e <= 1, "the restitution")
        else:
            self.soft = number(stops["stiffness"]), number(stops["damping"])
            require(self.soft[0] > 0 and self.soft[1] >= 0, "the spring of a stop")
        require(len(self.walls) < 2 or self.walls[-1] < self.walls[1], "the stops")
        for side, a in self.walls.items():
            beyond = side * (self.x - a)
            require(self.e is None or beyond <= 0, "the mass begins beyond a stop")
            if beyond > 0 or (beyond == 0 and (self.v == 0 if self.e is not None else side * self.v > 0)):
                self.stop = side
            require(self.e is not None or beyond != 0 or self.v != 0, "the mass begins where a soft stop begins")

    def fs(self, side):
        return number(self.law[side]["static"]) * self.normal

    def fd(self, side):
        return number(self.law[side]["dynamic"]) * self.normal

    def blocked(self, side):
        """Whether a rigid stop is in the way of a mass at rest."""
        return bool(self.walls) and self.e is not None and self.stop == side

    def medium(self):
        inside = self.walls and self.e is None and self.stop is not None
        return (self.m, self.d + self.soft[1], self.k + self.soft[0]) if inside else (self.m, self.d, self.k)

    def load(self, t0, look, until):
        """K d + f, with what a soft stop and the support add, from t0 on, on the pieces that hold after `look`, which reach to `until`."""
        cubic, waves, (m, d, k) = [arb(0)] * 4, [], self.medium()
        if k > self.k:
            cubic[0] += self.soft[0] * self.walls[self.stop]

        def wave(size, w, phase):
            waves.append((size * acb(0, w * t0 + phase).exp(), acb(0), acb(0, w)))

        for factor, load in ((self.k, self.p["drive"]), (arb(1), self.p["force"]), (None, self.p["support"])):
            held = [i for i, piece in enumerate(load["pieces"]) if piece[0] <= look]
            after = load["pieces"][held[-1] + 1 :]
            require(not after or until <= after[0][0], "a load has a knot inside an arc")
            if factor is not None:
                time, value, rate = map(number, load["pieces"][held[-1]])
                cubic[0] += factor * (value + rate * (t0 - time))
                cubic[1] += factor * rate
                for h in load["harmonics"]:
                    wave(factor * number(h[0]), number(h[1]), number(h[2]))
        if self.moves:
            way, velocity, rate = self.support.line(held[-1], t0)
            cubic[0] -= m * rate + d * velocity + k * (way - self.support.first)
            cubic[1] -= d * rate + k * velocity
            cubic[2] -= k * rate / 2
            for a, w, phase in self.support.waves:
                wave(-a * acb(d, m * w - k / w), w, phase)
        return Curve(t0, waves, cubic)

    def slip_curve(self, load, sign):
        """The solution of m y'' + d y' + k y = load - f_d sign from the present state, and the coefficients of its free part."""
        (m, d, k), (l0, l1, l2, _) = self.medium(), load.cubic
        l0 = l0 - sign * self.fd(sign)
        if k > 0:
            bend = l2 / k
            slope = (l1 - 2 * d * bend) / k
            cubic = [(l0 - d * slope - 2 * m * bend) / k, slope, bend]
        elif d > 0:
            cubic = [arb(0), (l0 - m * l1 / d) / d, l1 / d / 2]
        else:
            cubic = [arb(0), arb(0), l0 / m / 2, l1 / m / 6]
        waves = []
        for c, _, r in load.waves:
            resonant = d == 0 and m * r.imag * r.imag == k
            waves.append((acb(0), c / (2 * m * r), r) if resonant else (c / (m * r * r + d * r + k), acb(0), r))
        forced = Curve(load.start, waves, cubic)
        q, w = self.x - forced.after(arb(0), 0), self.v - forced.after(arb(0), 1)
        if not (k > 0 or d > 0):
            return Curve(load.start, waves, [q, w, *cubic[2:]]), (q, w)
        if d * d == 4 * m * k:
            free = q, w + d / (2 * m) * q
            return Curve(load.start, [*waves, (acb(q), acb(free[1]), acb(-d / (2 * m)))], cubic), free
        root = (acb(d * d - 4 * m * k)).sqrt()
        z1, z2 = (-d + root) / (2 * m), (-d - root) / (2 * m)
        if k.is_zero():
            z1, z2 = acb(0), acb(-d / m)
        c1 = (w - z2 * q) / (z1 - z2)
        c2 = q - c1
        free = (q, (w - z1.real * q) / z1.imag) if d * d < 4 * m * k else (c1.real, c2.real)
        return Curve(load.start, [*waves, (c1, acb(0), z1), (c2, acb(0), z2)], cubic), free

    def margins(self, claimed, true, sizes):
        require(len(claimed) == len(true), "the margins of a rule")
        for says, is_, size in zip(claimed, true, sizes):
            require(says > 0 and arb(says) <= is_ and is_ - says <= size * 1e-11, "the margin of a rule")

    def rule(self, following, b):
        """By how much what follows a rest under the load b is so, and the size of the forces."""
        require(following == 0 or not self.blocked(following), "a slip goes through a stop")
        free = [side for side in (1, -1) if not self.blocked(side)]
        true = [self.fs(side) - side * b for side in free] if following == 0 else [following * b - self.fs(following)]
        return true, [abs(b) + self.fs(1) + self.fs(-1)] * 2

    def seen(self, look):
        way, velocity = self.support.at(self.t, look) if self.moves else (0, 0)
        return self.x + way, self.v + velocity

    def state(self, x, v, said, size, when):
        inside(x, said["x"], 1e-12 * size + 1e-150, f"the displacement at the {when}")
        speed = abs(float(v.mid())) + abs(float(self.v.mid()))
        inside(v, said["v"], 1e-12 * (size + speed) + 1e-150, f"the velocity at the {when}")

    def follow(self):
        arcs, end = self.c["arcs"], float(self.p["end"])
        require(arcs and arcs[-1]["ending"] == "end" and arcs[-1]["to"] == [end, end], "the end")
        energy = [self.energy(0.0)]
        phase = {"stick": 0, "slip+": 1, "slip-": -1}
        signs = [phase[a["phase"]] for a in arcs]
        if self.v.is_zero():
            b = self.load(arb(0), 0.0, 0.0).at(0, 0) - self.medium()[2] * self.x
            require(all(margin > 0 for margin in self.rule(signs[0], b)[0]), "the first phase")
        else:
            require(signs[0] * self.v > 0, "the first phase")
        size, look = 0.0, 0.0
        for arc, sign, following in zip(arcs, signs, [*signs[1:], None]):
            require(arc["from"] == self.bracket, "an arc does not begin where the one before ends")
            look = self.bracket[0] if self.t.is_exact() else float(self.t.mid())
            load = self.load(self.t, look, arc["to"][0])
            x, v = self.seen(look)
            size = max(size, abs(float(x.mid())), abs(float(self.x.mid())))
            self.state(x, v, arc, size, "start of an arc")
            (self.slip if sign else self.stick)(arc, sign, following, load)
        x, v = self.seen(look)
        self.state(x, v, self.c, size, "end")
        energy.append(self.energy(look))
        said, scale = self.c["energy"], 1e-12 * (energy[0] + energy[1] + self.lost + self.k * size * size) + 1e-150
        for key, ball in zip(("first", "last", "friction", "supplied"), (*energy, self.lost, energy[1] - energy[0] + self.lost)):
            inside(ball, said[key], scale, f"the energy `{key}`")

    def energy(self, look):
        x, v = self.seen(look)
        return (self.m * v * v + self.k * x * x) / 2

    def arrive(self, arc):
        low, high = arc["to"]
        require(low == high, "a knot or the end is one instant")
        self.bracket, self.t = arc["to"], arb(low)

    def kick(self, arc, following):
        """The support jumps to another velocity."""
        after = self.support.piece(arc["to"][0])
        require(after > 0 and self.p["support"]["pieces"][after - 1][2] is not None, "the support does not jump")
        require(self.support.pieces[after][0] == self.t, "the support does not jump")
        self.v -= self.support.line(after, self.t)[1] - self.support.line(after - 1, self.t)[1]
        require(following in (1, -1), "what follows a kick")
        self.margins(arc["margins"], [following * self.v], [abs(self.v) + abs(self.support.pieces[after][2])])

    def jumps(self, t):
        """Whether the support's velocity jumps at t, according to its pieces."""
        after = self.support.piece(t)
        gap = self.support.line(after, arb(t))[1] - self.support.line(after - 1, arb(t))[1] if after else arb(0)
        return after > 0 and self.support.pieces[after][0] == t and self.p["support"]["pieces"][after - 1][2] is not None and not gap == 0

    def stick(self, arc, _, following, load):
        require(arc["free"] is None and len(arc["steps"]) == 2, "a stick")
        load.cubic[0] -= self.medium()[2] * self.x
        limits = {side: Positive(load, -side, 0, self.fs(side)) for side in (1, -1)}
        exits = following if arc["ending"] == "slip" else 0
        for side, steps in zip((1, -1), arc["steps"]):
            if self.blocked(side):
                require(steps == [] and side != exits, "a slip goes through a stop")
            else:
                limits[side].chain(steps, [self.bracket[0], arc["to"][1]], False, side == exits)
        self.v = arb(0)
        if arc["ending"] == "slip":
            require(following in (1, -1), "what follows a stick")
            leaving = limits[following]
            root = leaving.root(*arc["to"], arc["steps"][(1, -1).index(following)][-1])
            slope = -leaving.at(root, 1)
            width = arb(arc["to"][1]) - arc["to"][0]
            self.margins(arc["margins"], [slope], [1e3 * slope + 1e12 * width * load.bound(2, arc["to"][1])])
            self.bracket, self.t = arc["to"], root
        else:
            self.arrive(arc)
            if following is None:
                require(arc["ending"] == "end" and arc["margins"] == [], "the end")
            elif self.jumps(arc["to"][0]):
                require(arc["ending"] == "kick", "the support jumps")
                self.kick(arc, following)
            else:
                require(arc["ending"] == ("jump" if following else "knot"), "the end of a stick")
                b = self.load(self.t, arc["to"][0], arc["to"][0]).at(self.t, 0) - self.medium()[2] * self.x
                self.margins(arc["margins"], *self.rule(following, b))
        if following and self.walls and self.e is not None:
            self.stop = None

    def slip(self, arc, sign, following, load):
        curve, free = self.slip_curve(load, sign)
        scale = sum((abs(c) for c in free), arb(0)) + abs(self.x) + curve.bound(0, arc["to"][1])
        require(arc["free"] is not None and len(arc["free"]) == 2 and len(arc["steps"]) == 1, "a slip")
        for ball, pair in zip(free, arc["free"]):
            inside(ball, pair, scale * 1e-10 + 1e-150, "a coefficient")
        speed, steps, ending = Positive(curve, sign, 1), arc["steps"][0], arc["ending"]
        rests, rises, meets = ending in ("stick", "reversal"), self.v.is_zero(), ending in ("impact", "touch", "leave")
        ahead = -sign if self.stop == -sign else None if self.stop == sign else sign  # the stop that it comes to next
        speed.chain(steps, [self.bracket[0], arc["to"][1]], rises, rests)
        before = self.x
        if rests:
            require(following == (0 if ending == "stick" else -sign), "what follows a slip")
            root = speed.root(*arc["to"], steps[-1])
            self.x, self.v, self.bracket, self.t = curve.at(root, 0), arb(0), arc["to"], root
            self.margins(arc["margins"], *self.rule(following, load.at(root, 0) - self.medium()[2] * self.x))
        elif meets:
            require(ahead in self.walls, "there is no stop")
            a = self.walls[ahead]
            root = Positive(curve, -sign, 0, sign * a).root(*arc["to"], [self.bracket[0], arc["to"][1]])  # x only grows there
            self.x, self.v, self.bracket, self.t = a, curve.at(root, 1), arc["to"], root
            self.meet(arc, sign, following, ahead, abs(self.v) + curve.bound(1, arc["to"][1]))
        else:
            self.arrive(arc)
            self.x, self.v = curve.at(self.t, 0), curve.at(self.t, 1)
            if following is not None and self.jumps(arc["to"][0]):
                require(ending == "kick", "the support jumps")
                self.kick(arc, following)
            else:
                require(ending == ("end" if following is None else "knot") and following in (sign, None), "the end of a slip")
                true = [] if following is None else [sign * self.v]
                self.margins(arc["margins"], true, [abs(self.v) + curve.bound(1, arc["to"][1])])
        require(meets or ahead not in self.walls or sign * (self.walls[ahead] - self.x) > 0, "a stop is passed")
        self.lost += self.fd(sign) * abs(self.x - before)

    def meet(self, arc, sign, following, ahead, size):
        """The mass is at a stop: a rigid one turns it, a soft one begins or ends."""
        true, sizes = [sign * self.v], [size]
        if self.e is None:
            require(arc["ending"] == ("touch" if self.stop is None else "leave") and following == sign, "what a stop does")
            self.stop = ahead if self.stop is None else None
        else:
            require(arc["ending"] == "impact", "what a stop does")
            self.v = -self.e * self.v
            if self.e > 0:
                require(following == -sign, "what follows an impact")
            else:
                self.v, self.stop = arb(0), ahead
                look = float(self.t.mid())
                margins, scales = self.rule(following, self.load(self.t, look, arc["to"][0]).at(self.t, 0) - self.k * self.x)
                true, sizes, self.stop = true + margins, sizes + scales, None if following else ahead
        self.margins(arc["margins"], true, sizes)


def check(certificate):
    """Raises Rejected if a claim of the certificate is not proved."""
    try:
        require(certificate["certificate"] == "stickslip 2", "the kind of the certificate")
        ctx.prec = 320 + 12 * len(certificate["arcs"])
        Motion(certificate).follow()
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as wrong:
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

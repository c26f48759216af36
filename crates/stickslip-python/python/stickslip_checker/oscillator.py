"""One mass with dry friction.

The problem: m x'' = b - F with b = K (d(t) - x) - c x' + f(t). With u = x' - v_s relative to a support of velocity v_s: stick, u = 0,
as long as -f_s(back) <= b - m v_s' <= f_s(ahead); slip with F = f_d sign u otherwise; f_s and f_d are times `normal`. Loads and v_s
are sums of straight pieces (time, value, rate; no rate: straight to the next value) and of harmonics (A, w, p): A cos(w t + p).
Beyond a soft stop at a, which has no damper, b has k (a - x) more; at a rigid one x' becomes -e x', and a mass at rest there is held by it.
"""
from flint import acb, arb

from .common import Curve, Pieces, Positive, between_knots, in_order, inside, margins, number, require, response


class Support(Pieces):
    """Its way (from t = 0 on) and its velocity."""

    def __init__(self, signal):
        super().__init__(signal)
        self.ways = []
        for i, (time, value, rate) in enumerate(self.lines):
            self.ways.append(self.way(i - 1, time) if i else (value - rate * time / 2) * time)
        self.first = sum((a / w * p.sin() for a, w, p in self.waves), arb(0))
        self.swing = sum(abs(float(a / w)) for a, w, p in self.waves)

    def way(self, i, t):
        time, value, rate = self.lines[i]
        return self.ways[i] + (value + rate * (t - time) / 2) * (t - time)

    def at(self, t, look):
        i = self.piece(look)
        way, velocity = self.way(i, t), self.line(i, t)[0]
        for a, w, p in self.waves:
            way, velocity = way + a / w * (w * t + p).sin(), velocity + a * (w * t + p).cos()
        return way - self.first, velocity


class Motion:
    """Follows y = x - way of the support and its velocity u."""

    def __init__(self, certificate):
        p = certificate["problem"]
        self.c, self.p, self.e = certificate, p, None
        self.m, self.d, self.k = (number(p[key]) for key in ("mass", "damping", "stiffness"))
        require(self.m > 0 and self.k >= 0 and self.d >= 0, "mass, stiffness or damping")
        self.law, self.normal = {1: p["friction"]["ahead"], -1: p["friction"]["back"]}, number(p["normal"])
        require(self.normal >= 0, "the normal force")
        for law in self.law.values():
            require(0 <= law["dynamic"] <= law["static"], "friction")
        self.drive, self.force, self.support, self.t = Pieces(p["drive"]), Pieces(p["force"]), Support(p["support"]), arb(0)
        self.moves = any(piece[1] or piece[2] for piece in p["support"]["pieces"]) or p["support"]["harmonics"]
        self.x, self.v = number(p["x"]), number(p["v"]) - self.support.at(arb(0), 0.0)[1]
        self.bracket, self.lost, self.stop, self.walls = [0.0, 0.0], arb(0), None, {}
        if p["stops"] is not None:
            self.stops()

    def stops(self):
        """The positions by the side: 1 is the upper stop; and where the mass is at first."""
        require(not self.moves, "stops with a support that moves")
        stops, self.e = self.p["stops"], self.p["stops"]["restitution"]
        soft = [stops["stiffness"], stops["damping"]]
        require((self.e is None) == all(n is not None for n in soft) and (self.e is None or soft == [None, None]), "what the stops are made of")
        self.walls = {side: number(stops[key]) for side, key in ((-1, "lower"), (1, "upper")) if stops[key] is not None}
        if self.e is not None:
            self.e = number(self.e)
            require(0 <= self.e <= 1, "the restitution")
        else:
            self.soft = number(stops["stiffness"]), number(stops["damping"])
            # A stop with a damper would cease to push before the mass leaves it, and that instant is not followed.
            require(self.soft[0] > 0 and self.soft[1] == 0, "the spring of a stop")
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
        return (self.m, self.d, self.k + self.soft[0]) if inside else (self.m, self.d, self.k)

    def load(self, t0, look, until):
        """K d + f, with what a soft stop and the support add, from t0 on, on the pieces that hold after `look`, which reach to `until`."""
        (m, d, k), zero = self.medium(), arb(0)
        load = Curve(t0, [], [zero] * 4)
        if k > self.k:
            load.cubic[0] += self.soft[0] * self.walls[self.stop]
        load = load.plus(self.k, self.drive.curve(t0, look, until)).plus(arb(1), self.force.curve(t0, look, until))
        self.support.curve(t0, look, until)
        if self.moves:
            i = self.support.piece(look)
            way, (velocity, rate) = self.support.way(i, t0), self.support.line(i, t0)
            load.cubic[0] -= m * rate + d * velocity + k * (way - self.support.first)
            load.cubic[1] -= d * rate + k * velocity
            load.cubic[2] -= k * rate / 2
            for a, w, phase in self.support.waves:
                load.waves.append((-a * acb(d, m * w - k / w) * acb(0, w * t0 + phase).exp(), acb(0), acb(0, w)))
        return load

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
        arcs, end = self.c["arcs"], self.p["end"]
        in_order(arcs, end)
        energy = [self.energy(0.0)]
        phase = {"stick": 0, "slip+": 1, "slip-": -1}
        signs = [phase[a["phase"]] for a in arcs]
        if self.v.is_zero():
            b = self.load(arb(0), 0.0, 0.0).at(0, 0) - self.medium()[2] * self.x
            require(all(margin > 0 for margin in self.rule(signs[0], b)[0]), "the first phase")
        else:
            require(signs[0] * self.v > 0, "the first phase")
        if signs[0] and self.e is not None:
            self.stop = None  # at a rigid stop, but on the way off it
        size, look = self.support.swing, 0.0
        for arc, sign, following in zip(arcs, signs, [*signs[1:], None]):
            between_knots(arc, (self.drive, self.force, self.support))
            look = self.bracket[0] if self.t.is_exact() else float(self.t.mid())
            load = self.load(self.t, look, arc["to"][0])
            x, v = self.seen(look)
            size = max(size, abs(float(x.mid())), abs(float(self.x.mid())))
            self.state(x, v, arc, size, "start of an arc")
            (self.slip if sign else self.stick)(arc, sign, following, load)
        x, v = self.seen(look)
        size = max(size, abs(float(x.mid())))
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
        jump = self.support.jump(arc["to"][0])
        self.v -= jump
        require(following in (1, -1), "what follows a kick")
        margins(arc["margins"], [following * self.v], [abs(self.v) + abs(jump)])

    def jumps(self, t):
        """Whether the support's velocity jumps at t, according to its pieces."""
        return not self.support.jump(t) == 0

    def stick(self, arc, _, following, load):
        require(arc["free"] is None and len(arc["steps"]) == 2, "a stick")
        load.cubic[0] -= self.medium()[2] * self.x
        limits = {side: Positive(load, -side, 0, self.fs(side)) for side in (1, -1)}
        exits = following if arc["ending"] == "slip" else 0
        for side, steps in zip((1, -1), arc["steps"]):
            if self.blocked(side):
                require(steps == [] and side != exits, "a slip goes through a stop")
            else:
                limits[side].chain(steps, [self.bracket[0], arc["to"][1]], 0, side == exits)
        self.v = arb(0)
        if arc["ending"] == "slip":
            require(following in (1, -1), "what follows a stick")
            leaving = limits[following]
            root = leaving.root(*arc["to"], arc["steps"][(1, -1).index(following)][-1])
            slope = -leaving.at(root, 1)
            width = arb(arc["to"][1]) - arc["to"][0]
            margins(arc["margins"], [slope], [1e3 * slope + 1e12 * width * load.bound(2, arc["to"][1])])
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
                margins(arc["margins"], *self.rule(following, b))
        if following and self.walls and self.e is not None:
            self.stop = None

    def slip(self, arc, sign, following, load):
        pushed = Curve(load.start, load.waves, [load.cubic[0] - sign * self.fd(sign), *load.cubic[1:]])
        curve, free = response(self.medium(), pushed, self.x, self.v)
        scale = sum((abs(c) for c in free), arb(0)) + abs(self.x) + curve.bound(0, arc["to"][1])
        require(arc["free"] is not None and len(arc["free"]) == 2 and len(arc["steps"]) == 1, "a slip")
        for ball, pair in zip(free, arc["free"]):
            inside(ball, pair, scale * 1e-10 + 1e-150, "a coefficient")
        speed, steps, ending = Positive(curve, sign, 1), arc["steps"][0], arc["ending"]
        rests, rises, meets = ending in ("stick", "reversal"), self.v.is_zero(), ending in ("impact", "touch", "leave")
        ahead = -sign if self.stop == -sign else None if self.stop == sign else sign  # the stop that it comes to next
        speed.chain(steps, [self.bracket[0], arc["to"][1]], 2 if rises else 0, rests)
        before = self.x
        if rests:
            require(following == (0 if ending == "stick" else -sign), "what follows a slip")
            root = speed.root(*arc["to"], steps[-1])
            self.x, self.v, self.bracket, self.t = curve.at(root, 0), arb(0), arc["to"], root
            margins(arc["margins"], *self.rule(following, load.at(root, 0) - self.medium()[2] * self.x))
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
                margins(arc["margins"], true, [abs(self.v) + curve.bound(1, arc["to"][1])])
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
                allowed, scales = self.rule(following, self.load(self.t, look, arc["to"][0]).at(self.t, 0) - self.k * self.x)
                true, sizes, self.stop = true + allowed, sizes + scales, None if following else ahead
        margins(arc["margins"], true, sizes)

"""One mass between rigid walls.

The problem: m x'' + c x' + K x = f(t), a(t) <= x above the lower wall and x <= a(t) below the upper one; an impact turns the velocity u
relative to the wall into -e u. As seen from a wall, y = x - a, the load is q = f - m a'' - c a' - K a. A mass at rest on a wall stays
as long as q presses it there.
"""
from flint import acb, arb

from .common import Curve, Pieces, Positive, between_knots, in_order, inside, margins, number, require, response


def at(curve, t):
    """The value at an instant that is not known exactly: by the mean value theorem."""
    return curve.at(t.mid(), 0) + curve.at(t, 1) * (t - t.mid())


def hull(a, b):
    return a.union(b)


class Motion:
    """Follows y and u as seen from the wall that the mass was at last, at first one of those that there are; 1 is the lower wall."""

    def __init__(self, certificate):
        p = certificate["problem"]
        self.c, self.p = certificate, p
        self.m, self.d, self.k, self.e = (number(p[key]) for key in ("mass", "damping", "stiffness", "restitution"))
        require(self.m > 0 and self.d >= 0 and self.k >= 0 and 0 <= self.e <= 1, "the model")
        self.force = Pieces(p["force"])
        self.walls = {side: Pieces(p[key]) for side, key in ((1, "lower"), (-1, "upper")) if p[key] is not None}
        require(self.walls, "there is no wall")
        self.t, self.bracket, self.lost = arb(0), [0.0, 0.0], arb(0)
        x, v = number(p["x"]), number(p["v"])
        seen = {side: (x - at(self.wall(side, 0.0), self.t), v - self.wall(side, 0.0).at(self.t, 1)) for side in self.walls}
        self.side = next((side for side in seen if seen[side][0] == 0), next(iter(seen)))
        self.y, self.u = seen[self.side]
        self.contact, self.leaves = False, 0
        if self.y == 0:
            self.met(0.0)

    def wall(self, side, look):
        return self.walls[side].curve(self.t.mid(), look, look)

    def smooth(self, look, until):
        """Nothing has a knot on the way."""
        for signal in (self.force, *self.walls.values()):
            signal.curve(self.t, look, until)

    def load(self, t0, look):
        i, wall = self.walls[self.side].piece(look), self.walls[self.side]
        value, rate = wall.line(i, t0)
        load = self.force.curve(t0, look, look)
        load.cubic[0] -= self.d * rate + self.k * value
        load.cubic[1] -= self.k * rate
        for a, w, phase in wall.waves:
            load.waves.append((-a * acb(self.k - self.m * w * w, self.d * w) * acb(0, w * t0 + phase).exp(), acb(0), acb(0, w)))
        return load

    def settle(self, look):
        """At rest on the wall: by how much the load presses or lifts the mass."""
        lift = self.side * at(self.load(self.t.mid(), look), self.t)
        require(not lift.contains(0), "whether the load lifts the mass")
        self.y, self.u, self.contact, self.leaves = arb(0), arb(0), bool(lift < 0), 2 if lift > 0 else 0
        return abs(lift)

    def met(self, look):
        """At the wall: the impact if there is one, and what begins, with the margins."""
        speed, self.y, true = self.side * self.u, arb(0), []
        if not speed == 0:
            require(not speed.contains(0), "which way the mass goes at a wall")
            true.append(abs(speed))
            self.contact, self.leaves = False, 2
            if speed < 0:
                self.lost += self.m * speed * speed * (1 - self.e * self.e) / 2
                self.u = -self.e * self.u
        if speed == 0 or (speed < 0 and self.e == 0):
            true.append(self.settle(look))
        return true

    def seen(self, look):
        wall = self.wall(self.side, look)
        return self.y + at(wall, self.t), self.u + wall.at(self.t, 1)

    def energy(self, x, v):
        return (self.m * v * v + self.k * x * x) / 2

    def follow(self):
        arcs = self.c["arcs"]
        in_order(arcs, self.p["end"])
        first, look, self.size, self.speed = self.energy(number(self.p["x"]), number(self.p["v"])), 0.0, arb(0), arb(0)
        for arc in arcs:
            between_knots(arc, (self.force, *self.walls.values()))
            require(arc["phase"] == ({1: "lower", -1: "upper"}[self.side] if self.contact else "flight"), "the phase")
            look = self.bracket[0] if self.t.is_exact() else float(self.t.mid())
            self.smooth(look, arc["to"][0])
            self.state(arc, look, "start of an arc")
            if self.contact:
                self.press(arc, look)
            elif arc["ending"] == "rest":
                self.bounces(arc, look)
            else:
                self.fly(arc, look)
        x, v = self.state(self.c, look, "end")
        last = self.energy(x, v)
        scale = 1e-11 * (first + last + self.lost + self.m * self.speed * self.speed) + 1e-150
        said, true = self.c["energy"], (first, last, self.lost, last - first + self.lost)
        for key, ball in zip(("first", "last", "impacts", "supplied"), true, strict=True):
            inside(ball, said[key], scale, f"the energy `{key}`")

    def state(self, said, look, when):
        x, v = self.seen(look)
        self.size, self.speed = (max(a, abs(b.mid()), key=float) for a, b in ((self.size, x), (self.speed, v)))
        wall = self.wall(self.side, look)
        far = self.size + self.speed * (1 + abs(self.t)) + wall.bound(0, self.bracket[1])
        inside(x, said["x"], 1e-12 * far + 1e-150, f"the displacement at the {when}")
        inside(v, said["v"], 1e-12 * (self.speed + wall.bound(1, self.bracket[1]) + wall.bound(2, self.bracket[1])) + 1e-150, f"the velocity at the {when}")
        return x, v

    def arrive(self, arc):
        low, high = arc["to"]
        require(low == high, "a knot or the end is one instant")
        self.bracket, self.t = arc["to"], arb(low)

    def fly(self, arc, look):
        curve, free = response((self.m, self.d, self.k), self.load(self.t, look), self.y, self.u)
        scale = sum((abs(c) for c in free), arb(0)) + curve.bound(0, arc["to"][1]) + curve.bound(1, arc["to"][1])
        for ball, pair in zip(free, arc["free"], strict=True):
            inside(ball, pair, scale * 1e-10 + 1e-150, "a coefficient")
        own = self.walls[self.side].curve(self.t, look, look)
        gaps = {}
        for side, wall in self.walls.items():
            seen = curve if side == self.side else curve.plus(1, own).plus(-1, wall.curve(self.t, look, look))
            gaps[side] = Positive(seen, side, 0)
        low, high = arc["to"]
        hits = [side for side, gap in gaps.items() if arc["ending"] == "impact" and gap.at(high) < 0]
        require(len(hits) == (arc["ending"] == "impact") and len(arc["steps"]) == len(gaps), "what is met")
        for (side, gap), steps in zip(gaps.items(), arc["steps"]):
            leaves, falls = self.leaves if side == self.side else 0, side in hits
            span = [self.bracket[0], high]
            if falls and leaves and len(steps) == 1:
                require(steps[0][:3] == [*span, -2], "a flight that is not concave")
                gap.step(*steps[0])
            else:
                gap.chain(steps, span, leaves, falls)
        if not hits:
            before, t = self.side, arc["to"][0]
            self.arrive(arc)
            self.y, self.u, self.leaves = curve.at(self.t, 0), curve.at(self.t, 1), 0
            require(arc["ending"] in ("knot", "end"), "how a flight ends")
            if arc["ending"] == "knot":
                self.y -= self.walls[before].jump(t)
                self.u -= self.turn(look, t)
                x = self.seen(t)[0]
                true = [side * (x - at(self.wall(side, t), self.t)) for side in self.walls]
                margins(arc["margins"], true, [abs(gap) + self.size for gap in true])
            else:
                margins(arc["margins"], [], [])
            return
        side, = hits
        # It falls next to its end, or it is concave: so there is one root.
        root = gaps[side].root(low, high, arc["steps"][list(gaps).index(side)][-1])
        self.u, fast = side * gaps[side].at(root, 1), gaps[side].curve.bound(1, high)
        self.side, self.bracket, self.t = side, arc["to"], root
        true = self.met(look)
        margins(arc["margins"], true, [abs(true[0]) + 1e-8 * fast, self.load(root, look).bound(0, high)])

    def turn(self, look, t):
        """By how much the wall's straight piece is faster from t on."""
        wall = self.walls[self.side]
        return wall.lines[wall.piece(t)][2] - wall.lines[wall.piece(look)][2]

    def press(self, arc, look):
        load = self.load(self.t.mid(), look)
        pressed = Positive(load, -self.side, 0)
        require(arc["free"] is None and len(arc["steps"]) == 1, "a contact")
        (low, high), steps = arc["to"], arc["steps"][0]
        releases = arc["ending"] == "release" and low < high
        pressed.chain(steps, [self.bracket[0], high], 0, releases)
        if releases:
            root = pressed.root(low, high, steps[-1])
            slope = -pressed.at(root, 1)
            margins(arc["margins"], [slope], [1e3 * slope + 1e12 * (arb(high) - low) * load.bound(2, high)])
            self.bracket, self.t, self.contact, self.leaves = arc["to"], root, False, 3
            return
        self.arrive(arc)
        if arc["ending"] == "end":
            return margins(arc["margins"], [], [])
        require(self.walls[self.side].jump(low) == 0, "a wall jumps away")
        turn, force = self.turn(look, low), load.bound(0, high)
        if turn == 0:
            true = [self.settle(low)]
            require(arc["ending"] == ("knot" if self.contact else "release"), "what happens at a knot")
        else:
            self.u = -turn
            true = self.met(low)
            require(arc["ending"] == "kick", "the wall turns")
        force += self.load(self.t, low).bound(0, high)
        margins(arc["margins"], true, [abs(turn) + force, force])

    def bounces(self, arc, look):
        """Infinitely many impacts: with an acceleration between p - q and p + q towards the wall, a flight that begins with the speed u
        lasts between 2u/(p + q) and 2u/(p - q) and ends with a speed between u/r and u r, r^2 = (p + q)/(p - q)."""
        require(self.leaves == 2 and 0 < self.e < 1 and arc["free"] is None, "a rest")
        require(arc["steps"] == [[] for _ in self.walls], "the steps of a rest")
        (low, high), load, speed = arc["to"], self.load(self.t.mid(), look), self.side * self.u
        pull = -self.side * load.at(self.t, 0) / self.m
        require(speed > 0 and pull > 0, "the load does not press the mass")
        span, fastest = 4 * speed / pull / (1 - self.e), 2 * speed  # of which all is below, as is proved here
        until = self.t + span
        self.smooth(look, until.upper())
        varies = (load.bound(1, until) * span + self.d * fastest + self.k * fastest * span) / self.m
        weak, strong = pull - varies, pull + varies
        require(weak > 0, "the load does not press the mass")
        ratio, e = (strong / weak).sqrt(), self.e
        require(e * ratio < 1 and speed * ratio < fastest, "the impacts do not end")
        times = hull(2 * speed / strong / (1 - e / ratio), 2 * speed / weak / (1 - e * ratio))
        require(times < span, "the impacts do not end")
        rest = self.t + times
        inside(rest, arc["to"], 1e-13 * (1 + abs(high)), "the bracket of a rest")
        true = [weak * self.m]
        for side in self.walls:
            if side != self.side:
                own, other = self.wall(self.side, look), self.wall(side, look)
                gap = side * (at(own, self.t) - at(other, self.t))
                true.append(gap - (own.bound(1, until) + other.bound(1, until)) * span - fastest * span)
        margins(arc["margins"], true, [self.m * pull + load.bound(0, high), self.size + abs(true[-1])])
        whole = self.m * speed * speed * (1 - e * e) / 2
        self.lost += hull(whole / (ratio * ratio - e * e), whole * ratio * ratio / (1 - e * e * ratio * ratio))
        self.bracket, self.t = arc["to"], rest
        self.y, self.u, self.leaves, self.contact = arb(0), arb(0), 0, True

"""One mass on a cascade of springs and dry-friction elements.

The problem: springs k_0 ... k_n in a row join the mass, the nodes 1 ... n and the ground; node i feels friction of the threshold a_i.
With q_i the pull of its springs, |q_i| <= a_i, and f the force in the first spring: while nodes 1 ... J slip in the direction s of the
mass, df = S_J dx and dq_{J+1} = df, all else stays, 1 / S_J = 1/k_0 + ... + 1/k_J; node J + 1 yields at s q = a. Where the mass
turns, all nodes stick. Without a mass, x(t) or f(t) is led; with one, m x'' = F(t) - f.
"""
from flint import arb

from .common import Curve, Pieces, Positive, between_knots, in_order, inside, margins, number, require, response


class Nodes:
    def __init__(self, p, by_force):
        self.by_force = by_force  # whether the force is led
        self.k, self.a = [number(k) for k in p["stiffness"]], [number(a) for a in p["threshold"]]
        self.q = [-number(w) for w in p["prestress"] or [0.0] * len(self.a)]
        require(len(self.k) == len(self.a) + 1 and len(self.q) == len(self.a) > 0, "the elements")
        require(all(k > 0 for k in self.k) and all(abs(q) <= a for q, a in zip(self.q, self.a)), "the elements")
        self.slope = [self.k[0]]
        for j in range(1, len(self.k)):
            self.slope.append(1 / sum(1 / k for k in self.k[: j + 1]))
        self.x, self.s, self.j, self.lost = number(p["x"]), 1, 0, arb(0)
        last = self.slope[-1]
        self.f = last * self.x + sum((q * (1 - last / s) for q, s in zip(self.q, self.slope)), arb(0))
        self.memory = [None] * len(self.a)  # which way and where the nodes went that stand at their thresholds since the mass turned there
        self.settle()

    def left(self):
        """How far the force is from the next yield; in a list, empty when all slip."""
        return [] if self.j == len(self.a) else [self.a[self.j] - self.s * self.q[self.j]]

    def touches(self, mark):
        """Whether the next node stands just at its threshold where the control is at `mark`, an exact number: it did so before the mass
        turned there, and has not yielded since. The nodes before it then do so, too: the memory of the turning point."""
        memory = self.memory[self.j] if self.j < len(self.a) else None
        return mark is not None and memory is not None and memory[0] == self.s and bool(memory[1] == mark)

    def touch(self):
        self.q[self.j] = self.s * self.a[self.j]

    def settle(self):
        while self.left() and self.left()[0] == 0:
            self.j += 1

    def at(self):
        """What is led: the force or the displacement."""
        return self.f if self.by_force else self.x

    def shift(self, u):
        """To where the control is u, with what slips now."""
        slope = self.slope[self.j]
        dx = (u - self.f) / slope if self.by_force else u - self.x
        if self.j < len(self.a):
            self.q[self.j] += slope * dx
        share = sum((self.a[i] * (1 - slope / self.slope[i]) for i in range(self.j)), arb(0))
        self.lost, self.x, self.f = self.lost + share * self.s * dx, self.x + dx, self.f + slope * dx

    def level(self):
        """Where the control lets the next node yield."""
        require(self.left(), "no node is left to yield")
        return self.at() + self.s * self.left()[0] / (1 if self.by_force else self.slope[self.j])

    def give_way(self):
        self.shift(self.level())
        self.q[self.j] = self.s * self.a[self.j]
        self.j += 1
        self.settle()

    def turn(self, s, mark=None):
        for i in range(self.j):
            self.memory[i] = None if mark is None else (self.s, mark)
        self.s, self.j = s, 0
        self.settle()

    def jump(self, u):
        """To where the control is u without turning on the way."""
        gap = u - self.at()
        if gap.contains(0):
            size = abs(gap) * (1 if self.by_force else self.slope[0])
            require(gap == 0 or (self.j == 0 and size < self.a[0] - abs(self.q[0])), "which way the jump goes")
            return self.shift(u)
        if (gap > 0) != (self.s > 0):
            self.turn(-self.s)
        while self.left():
            rest = self.s * (u - self.level())
            require(not rest.contains(0), "which nodes yield in a jump")
            if rest < 0:
                break
            self.give_way()
        self.shift(u)

    def elastic(self):
        f, total = self.f, self.f * self.f / self.k[0]
        for q, k in zip(self.q, self.k[1:]):
            f -= q
            total += f * f / k
        return total / 2


class Motion:
    def __init__(self, certificate):
        p = certificate["problem"]
        self.c, self.p = certificate, p
        require((p["displacement"] is None) != (p["force"] is None), "what is led")
        self.drive, self.m, self.v = Pieces(p["force"] or p["displacement"]), p["mass"], number(p["v"])
        self.nodes = Nodes(p, self.m is None and p["force"] is not None)
        if self.m is not None:
            self.m = number(self.m)
            require(self.m > 0 and p["force"] is not None, "the mass")
        else:
            require(self.v == 0, "a velocity without a mass")
        self.bracket, self.t = [0.0, 0.0], arb(0)

    def follow(self):
        arcs, nodes = self.c["arcs"], self.nodes
        in_order(arcs, self.p["end"])
        energy = [self.energy()]
        if self.m is None:
            nodes.jump(self.drive.curve(self.t, 0.0, 0.0).at(0, 0))
        self.depart(0.0)
        self.size = abs(nodes.x)  # the largest displacement so far
        for arc in arcs:
            between_knots(arc, [self.drive])
            way = {1: "forwards", 0: "at rest", -1: "backwards"}[self.direction]
            require(arc["phase"] == f"{way}, {nodes.j} slipping", "the phase")
            look = self.bracket[0] if self.t.is_exact() else float(self.t.mid())
            curve, free = self.curve(look, arc["to"][0])
            if free is None:
                require(arc["free"] is None, "a coefficient")
            else:
                scale = sum((abs(c) for c in free), arb(0)) + abs(nodes.x) + curve.bound(0, arc["to"][1])
                for ball, pair in zip(free, arc["free"], strict=True):
                    inside(ball, pair, scale * 1e-10 + 1e-150, "a coefficient")
            self.size = max(self.size, abs(nodes.x), key=float)
            self.state(arc, curve, "start of an arc")
            require(len(arc["steps"]) == 1, "the steps")
            (self.move if self.direction else self.rest)(arc, curve, look)
        self.state(self.c, curve, "end")
        for q, pair in zip(nodes.q, self.c["elements"], strict=True):
            inside(-q, pair, 1e-11 * self.force() + 1e-150, "the friction of an element")
        energy.append(self.energy())
        scale = 1e-11 * (energy[0] + energy[1] + nodes.lost + self.force() * self.size) + 1e-150
        said, true = self.c["energy"], (*energy, nodes.lost, energy[1] - energy[0] + nodes.lost)
        for key, ball in zip(("first", "last", "friction", "supplied"), true, strict=True):
            inside(ball, said[key], scale, f"the energy `{key}`")

    def force(self):
        """The size of the forces."""
        return abs(self.nodes.f) + sum(self.nodes.a) + self.nodes.slope[0] * self.size

    def energy(self):
        return self.nodes.elastic() + (0 if self.m is None else self.m * self.v * self.v / 2)

    def curve(self, look, until):
        drive = self.drive.curve(self.t, look, until)
        if self.m is None or self.direction == 0:
            return drive, None
        k = self.nodes.slope[self.nodes.j]
        load = drive.plus(arb(-1), Curve(self.t, [], [self.nodes.f - k * self.nodes.x]))
        return response((self.m, arb(0), k), load, self.nodes.x, self.v)

    def state(self, said, curve, when):
        nodes, v = self.nodes, self.v
        if self.m is None:
            v = curve.at(self.t, 1) / (nodes.slope[nodes.j] if nodes.by_force else 1)
        inside(nodes.x, said["x"], 1e-11 * (self.size + self.force() / nodes.slope[-1]) + 1e-150, f"the displacement at the {when}")
        speed = curve.bound(1, self.bracket[1]) * (1 / nodes.slope[-1] if nodes.by_force else 1)
        inside(v, said["v"], 1e-11 * (speed + abs(v)) + 1e-150, f"the velocity at the {when}")
        inside(nodes.f, said["force"], 1e-11 * self.force() + 1e-150, f"the force at the {when}")

    def depart(self, look):
        """Which way the motion goes from here on, and whether it begins with a velocity of exactly 0."""
        drive, self.still, at_rest = self.drive.curve(self.t, look, look), False, self.m is not None and self.v == 0
        net = drive.at(self.t, 0) - self.nodes.f
        if self.drive.constant(look) and (self.m is None or (at_rest and net == 0)):
            self.direction = 0
            return
        sign = self.v
        if at_rest:
            sign, self.still = net if not net == 0 else drive.at(self.t, 1), True
        elif self.m is None:
            sign = drive.at(self.t, 1)
            if sign == 0:
                sign, self.still = drive.at(self.t, 2), True
        require(not sign.contains(0), "which way the motion goes")
        self.direction = 1 if sign > 0 else -1
        if self.direction != self.nodes.s:
            self.nodes.turn(self.direction, self.exactly(look))
        else:
            require(not self.touched(), "a node touches its threshold and goes on")

    def touched(self):
        return bool(self.nodes.left()) and self.nodes.left()[0] == 0

    def exactly(self, t):
        """What is led at t, if that is a number known exactly."""
        time, value, rate = self.drive.lines[self.drive.piece(t)]
        if self.m is None and not self.drive.waves and time == t:
            return value
        if self.m is None and len(self.drive.waves) == 1 and rate == 0 and t == 0 and self.drive.waves[0][2] == 0:
            return value + self.drive.waves[0][0]
        return None

    def extreme(self, look, arc):
        """The same where it turns, or at the knot at the end of the arc."""
        i = self.drive.piece(look)
        _, value, rate = self.drive.lines[i]
        if self.m is None and not self.drive.waves and i + 1 < len(self.drive.lines) and self.drive.jump(arc["to"][0]) == 0:
            time, value, _ = self.drive.lines[i + 1]
            return value if time == arc["to"][1] else None
        if self.m is None and len(self.drive.waves) == 1 and rate == 0 and arc["ending"] == "reversal":
            return value + self.direction * abs(self.drive.waves[0][0])
        return None

    def arrive(self, arc):
        low, high = arc["to"]
        require(low == high, "a knot or the end is one instant")
        self.bracket, self.t = arc["to"], arb(low)

    def rest(self, arc, curve, look):
        require(arc["steps"] == [[]] and self.drive.constant(look), "a rest")
        self.arrive(arc)
        self.after(arc)

    def move(self, arc, curve, look):
        nodes, steps, ending, (low, high) = self.nodes, arc["steps"][0], arc["ending"], arc["to"]
        s, velocity = self.direction, Positive(curve, self.direction, 1)
        mark = self.extreme(look, arc)
        touches = ending != "yield" and nodes.touches(mark)
        velocity.chain(steps, [self.bracket[0], high], 2 if self.still else 0, ending == "reversal")
        if ending == "yield":
            gap = Positive(curve, -s, 0, s * nodes.level())
            root = gap.root(low, high, [self.bracket[0], high])  # the control only grows there
            slope, self.v, self.still = -gap.at(root, 1), curve.at(root, 1), False
            nodes.give_way()
            self.margins(arc, slope, curve)
            self.bracket, self.t = arc["to"], root
        elif ending == "reversal":
            root = velocity.root(low, high, steps[-1])
            nodes.shift(curve.at(root, 0) if mark is None else mark)
            if touches:
                nodes.touch()
            self.margins(arc, -velocity.at(root, 1), curve)
            self.bracket, self.t, self.v, self.still, self.direction = arc["to"], root, arb(0), True, -s
            nodes.turn(-s, mark)
        else:
            self.arrive(arc)
            nodes.shift(curve.at(self.t, 0))
            if touches:
                nodes.touch()
            self.v = curve.at(self.t, 1)
            self.after(arc)

    def margins(self, arc, slope, curve):
        """How fast the function falls at its root, and how far the next yield is."""
        low, high = arc["to"]
        size = 1e3 * slope + 1e12 * (arb(high) - low) * (curve.bound(2, high) + curve.bound(3, high))
        left = [] if self.touched() else self.nodes.left()
        margins(arc["margins"], [slope, *left], [size, self.force()])

    def after(self, arc):
        """At a knot or the end: how far the next yield is, before and after a jump."""
        t, true = arc["to"][0], [] if self.touched() else self.nodes.left()
        if arc["ending"] != "end":
            jumps = self.m is None and not self.drive.jump(t) == 0
            require(arc["ending"] == ("jump" if jumps else "knot"), "what happens at a knot")
            if jumps:
                self.nodes.jump(self.drive.curve(self.t, t, t).at(t, 0))
                true = true + self.nodes.left()
            self.depart(t)
        margins(arc["margins"], true, [self.force()] * 2)

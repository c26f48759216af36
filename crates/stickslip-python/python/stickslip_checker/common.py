"""What every certificate is checked with: numbers, curves, chains of steps, roots."""
import bisect
import itertools
import math

from flint import acb, arb, ctx


class Rejected(Exception):
    pass


def require(holds, why):
    if not holds:
        raise Rejected(why)


def inside(ball, pair, tolerance, why):
    """The number lies between the pair, which is not much wider than its rounding."""
    low, high = pair
    require(arb(low) <= ball and ball <= arb(high), why)
    require(arb(high) - arb(low) <= tolerance, why + ": too wide")


def in_order(arcs, end):
    """The arcs follow each other from 0 to the end, and time only goes forward."""
    require(end > 0, "the end of the run is not after its beginning")
    bracket = [0.0, 0.0]
    for arc in arcs:
        require(arc["from"] == bracket, "an arc does not begin where the one before ends")
        require(arc["from"][1] < arc["to"][0] and arc["to"][1] <= end, "an arc does not end after it begins")
        require((arc["ending"] == "end") == (arc is arcs[-1]), "the end")
        bracket = arc["to"]
    require(bracket == [end, end], "the last arc does not end with the run")


def between_knots(arc, signals):
    """No signal has a knot within the arc or in the bracket of the event that ends it. Where an arc ends at one instant there is a knot,
    or the run ends."""
    low, high = arc["to"]
    knots = [t for signal in signals for t in signal.times[1:] if arc["from"][1] < t <= high]
    require(all(t == low == high for t in knots), "a signal has a knot inside an arc or a bracket")
    require(knots or low < high or arc["ending"] == "end", "an arc ends at an instant where nothing happens")


class Curve:
    """Re sum (c + p s) exp(r s) + sum p_k s^k, s = t - start; of a wave (c, p, r) no (c + 0 s) exp(r s) grows."""

    def __init__(self, start, waves, cubic):
        self.start, self.waves, self.cubic = start, waves, cubic

    def plus(self, factor, other):
        """This and `factor` times another that begins with it."""
        waves = [(factor * c, factor * p, r) for c, p, r in other.waves]
        cubic = [a + factor * b for a, b in itertools.zip_longest(self.cubic, other.cubic, fillvalue=arb(0))]
        return Curve(self.start, [*self.waves, *waves], cubic)

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
        falls, order = order < 0, abs(order)
        c = start + 0.5 * (to - start)
        h = max(arb(c) - start, arb(to) - c, key=float)
        g, slope = self.at(c, order), abs(self.at(c, order + 1)) * h
        bend = h * h * self.curve.bound(self.base + order + 2, to) / 2
        value = (-g if falls else g) - slope - bend
        require(least > 0 and arb(least) <= value, "a step does not prove what it says")
        slack = (abs(g) + slope + bend) * 1e-9 + (self.curve.bound(self.base + order, to) + abs(self.shift)) * 1e-12
        require(value - least <= slack, "a step proves more than it says")

    def chain(self, steps, span, rises, falls):
        """The steps follow each other over the span and prove g > 0 inside. Where g begins with 0, it leaves it by a derivative of the
        order `rises` at most; at a root next to the end it falls."""
        require(steps and steps[0][0] == span[0] and steps[-1][1] == span[1], "the steps do not cover the arc")
        # The arc begins in a bracket, the steps at its lower end: so far back no wave may be larger than `bound` takes in.
        before = self.curve.start - span[0]
        require(all(-r.real * before < 9e-13 for _, _, r in self.curve.waves), "the start of an arc is not known well enough")
        for i, (start, to, order, least) in enumerate(steps):
            require(start < to and (i == 0 or steps[i - 1][1] == start), "the steps do not follow each other")
            first, last = rises and i == 0, falls and i == len(steps) - 1
            allowed = range(1, rises + 1) if first else {-1} if last else {0}
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
        # Further around than a step of Newton's, which is as uncertain as the state is where the arc begins.
        near = width = arb(2) ** -(ctx.prec // 2) + 2 * abs(self.at(t) / self.at(t, 1)).upper()
        for _ in range(2):
            slope = self.at(t, 1) + arb(0, 1) * width * self.curve.bound(self.base + 2, high)
            exact = t - self.at(t) / slope
            # By Newton's method in intervals, which is inside the interval in which the slope was taken, the root is there.
            require(abs(exact - t) < near, "the root is not where its slope was taken")
            width = abs(exact - t).upper()
        require(arb(low) <= exact and exact <= arb(high), "the root is outside its bracket")
        return exact


def number(value):
    """A number of the problem: a finite double, as the form has checked."""
    return arb(value)


class Pieces:
    """Straight pieces (time, value, rate; no rate: straight to the next value) and harmonics (A, w, p): A cos(w t + p)."""

    def __init__(self, signal):
        self.times = times = [piece[0] for piece in signal["pieces"]]
        require(times and times[0] <= 0 and times == sorted(set(times)), "the pieces of a signal")
        self.lines, self.waves, self.joined = [], [tuple(map(number, h)) for h in signal["harmonics"]], [True]
        for i, (time, value, rate) in enumerate(signal["pieces"]):
            time, value = number(time), number(value)
            self.joined.append(rate is None)
            if rate is None:
                after = signal["pieces"][i + 1]
                rate = (number(after[1]) - value) / (number(after[0]) - time)
            self.lines.append((time, value, rate if isinstance(rate, arb) else number(rate)))

    def piece(self, look):
        return bisect.bisect_right(self.times, look) - 1

    def line(self, i, t):
        time, value, rate = self.lines[i]
        return value + rate * (t - time), rate

    def jump(self, t):
        """Of the straight pieces at t."""
        i = self.piece(t)
        if self.joined[i] or self.lines[i][0] != t:
            return arb(0)
        return self.line(i, arb(t))[0] - self.line(i - 1, arb(t))[0]

    def constant(self, look):
        return not self.waves and self.lines[self.piece(look)][2] == 0

    def curve(self, t0, look, until):
        """From t0 on, on the pieces that hold after `look`, which reach to `until`."""
        i = self.piece(look)
        require(i + 1 == len(self.lines) or arb(until) <= self.lines[i + 1][0], "a signal has a knot inside an arc")
        waves = [(a * acb(0, w * t0 + p).exp(), acb(0), acb(0, w)) for a, w, p in self.waves]
        return Curve(t0, waves, [*self.line(i, t0), arb(0), arb(0)])


def margins(claimed, true, sizes):
    """By how much rules hold: greater than 0, no more than it is, and little less."""
    require(len(claimed) == len(true), "the margins of a rule")
    for says, is_, size in zip(claimed, true, sizes):
        require(says > 0 and arb(says) <= is_ and is_ - says <= size * 1e-11, "the margin of a rule")


def response(medium, load, x, v):
    """The solution of m y'' + d y' + k y = load from (x, v) on, and the coefficients of its free part."""
    (m, d, k), (l0, l1, l2, _) = medium, load.cubic
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
    q, w = x - forced.after(arb(0), 0), v - forced.after(arb(0), 1)
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

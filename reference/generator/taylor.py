"""Polynomials in high precision: the first instant at which one of them becomes negative, with a proof.

A motion is a sequence of Taylor polynomials; an event is the first negative value of a function of it, which is a
polynomial too. Its Bernstein coefficients on an interval bound it from both sides, so an interval without an event is
discarded by proof and no event can be missed, however close two of them are.
"""

from math import comb

from mpmath import mp, mpf

#: An interval this small, relative to the step, that still cannot be decided holds a root of even order.
SMALLEST = mpf(10) ** -24


def value(c, s):
    """The polynomial with the coefficients c at s."""
    total = mpf(0)
    for a in reversed(c):
        total = total * s + a
    return total


def derivative(c):
    return [k * c[k] for k in range(1, len(c))]


def product(a, b, n):
    """The first n coefficients of a product."""
    return [sum((a[i] * b[k - i] for i in range(k + 1) if a[i] and b[k - i]), mpf(0)) for k in range(n)]


def bernstein(c, h):
    """Coefficients on [0, h] in Bernstein's basis."""
    n = len(c) - 1
    while n > 1 and c[n] == 0:
        n -= 1
    c = c[: n + 1]
    scaled, power = [], mpf(1)
    for k, a in enumerate(c):
        scaled.append(a * power / comb(n, k))
        power *= h
    b = list(scaled)
    # Repeated differences, turned round.
    for level in range(1, n + 1):
        for i in range(n, level - 1, -1):
            b[i] += b[i - 1]
    return b


def halves(b):
    """Coefficients on both halves of the interval, by de Casteljau."""
    left, right, work = [b[0]], [b[-1]], list(b)
    while len(work) > 1:
        work = [(x + y) / 2 for x, y in zip(work, work[1:])]
        left.append(work[0])
        right.append(work[-1])
    return left, right[::-1]


def refine(c, low, high):
    """The root between low (positive) and high (negative): Newton's method held inside a shrinking bracket."""
    d = derivative(c)
    s = (low + high) / 2
    for _ in range(400):
        g = value(c, s)
        if g > 0:
            low = s
        elif g < 0:
            high = s
        else:
            return s
        slope = value(d, s)
        new = s - g / slope if slope else (low + high) / 2
        if not low < new < high:
            new = (low + high) / 2
        if abs(new - s) <= mp.eps * max(abs(s), mpf(10) ** -30) * 4:
            return new
        s = new
    return s


def bottom(c, s):
    """The minimum next to s, by Newton's method on the derivative."""
    d = derivative(c)
    second = derivative(d)
    for _ in range(8):
        curve = value(second, s)
        if curve == 0:
            break
        s -= value(d, s) / curve
    return s


def first_negative(c, h, zero):
    """(s, "crossing") or (s, "touch") for the first s in [0, h] at which the polynomial is negative, or touches zero.

    Values below `zero` in size at s = 0 are zero: the polynomial is divided by s, as often as need be, so that a
    function that begins at zero and grows is positive at once, and one that falls is negative at once. A touch at
    which the polynomial does not become negative is listed, not returned: the caller decides.
    """
    c = list(c)
    scale = max([abs(a) * h**k for k, a in enumerate(c)] + [mpf(0)])
    if scale <= zero:
        return None, []
    taken = 0
    while len(c) > 1 and abs(c[0]) <= zero * max(1, h ** -taken if h < 1 else 1):
        c, taken = c[1:], taken + 1
    if c[0] < 0:
        return (mpf(0), "crossing"), []
    rest = sum((abs(a) * h**k for k, a in enumerate(c) if k), mpf(0))
    if rest < c[0]:
        return None, []
    touches, todo = [], [(mpf(0), h, bernstein(c, h))]
    while todo:
        low, high, b = todo.pop()
        if min(b) > zero:
            continue
        changes = sum(1 for x, y in zip(b, b[1:]) if (x > 0) != (y > 0))
        if b[0] > 0 and b[-1] < 0 and changes == 1:
            return (refine(c, low, high), "crossing"), touches
        if b[0] <= zero and b[-1] < -zero and max(b) <= zero:
            # The root is of an odd order: it lies in the stretch that could not be decided.
            return (touches.pop() if touches else low, "crossing"), touches
        if high - low < SMALLEST * h or max(abs(y) for y in b) <= zero:
            at = bottom(c, (low + high) / 2)
            if not touches or abs(at - touches[-1]) > h * mpf(10) ** -9:
                touches.append(at)
            continue
        left, right = halves(b)
        middle = (low + high) / 2
        todo += [(middle, high, right), (low, middle, left)]
    return None, touches

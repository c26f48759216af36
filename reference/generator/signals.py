"""Functions of time as the model files write them, and their Taylor coefficients.

Numbers are the doubles nearest to the decimals of the model file, taken exactly.
"""

from mpmath import cos, factorial, mpf, pi


def exact(number):
    """The double nearest to a decimal, exactly; a number that is moved to find a derivative has all its digits."""
    return number if isinstance(number, mpf) else mpf(float(number))


def breaks(signals):
    """Instants at which the sum of these signals jumps."""
    out = [exact(s["step"]["time"]) for s in signals if "step" in s]
    return out + [t for s in signals if "trapezoids" in s for t, *_ in corners(s["trapezoids"])]


def corners(p):
    """The pieces of one trapezoid: (from when, value there, rate of change), the last without an end."""
    assert p.get("count") == 1, "of trains only one trapezoid"
    rise, top, fall = (exact(p.get(k, 0)) for k in ("rise", "top", "fall"))
    low, size = exact(p.get("offset", 0)), exact(p["amplitude"])
    t, out = exact(p.get("start", 0)), []
    for length, value, change in ((rise, low, size), (top, low + size, mpf(0)), (fall, low + size, -size)):
        if length:
            out.append((t, value, change / length))
        t += length
    return [*out, (t, low, mpf(0))]


def trapezoid(p, t):
    """Value and rate to the right of t."""
    pieces = [(begin, value, rate) for begin, value, rate in corners(p) if begin <= t]
    if not pieces:
        return exact(p.get("offset", 0)), mpf(0)
    begin, value, rate = pieces[-1]
    return value + rate * (t - begin), rate


def series(signals, t, n, order=0):
    """The first n Taylor coefficients at t of the order-th derivative of the sum; to the right of a jump."""
    out = [mpf(0)] * n
    for signal in signals:
        ((kind, p),) = signal.items()
        full = n + order
        if kind == "constant":
            c = [exact(p)] + [mpf(0)] * (full - 1)
        elif kind == "ramp":
            c = [exact(p.get("offset", 0)) + exact(p["rate"]) * t, exact(p["rate"])] + [mpf(0)] * full
        elif kind == "step":
            c = [exact(p["before"] if t < exact(p["time"]) else p["after"])] + [mpf(0)] * (full - 1)
        elif kind == "trapezoids":
            c = [*trapezoid(p, t)] + [mpf(0)] * full
        elif kind == "harmonic":
            a, w, phase = exact(p["amplitude"]), exact(p["angular_frequency"]), exact(p.get("phase", 0))
            angle = w * t + phase
            quarter = [cos(angle + k * pi / 2) for k in range(4)]
            c = [a * w**k / factorial(k) * quarter[k % 4] for k in range(full)]
        else:
            raise ValueError(kind)
        for _ in range(order):
            c = [k * c[k] for k in range(1, len(c))]
        out = [x + y for x, y in zip(out, c)]
    return out


def at(signals, t, order=0):
    """The value at t."""
    return series(signals, t, 1, order)[0]

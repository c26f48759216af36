"""Cases whose motion is written down at once."""

from mpmath import mp, mpf

from signals import exact


def ageing_above(document, times):
    """m ẍ = F − f_d from the first instant, F = a + b t."""
    t = document["oscillator"]
    (f,) = t["force"]
    a, b, m = exact(f["ramp"]["offset"]), exact(f["ramp"]["rate"]), exact(t["mass"])
    over = a - exact(t["friction"]["ageing"]["dynamic"])
    return [(s, [(over * s**2 / 2 + b * s**3 / 6) / m], [(over * s + b * s**2 / 2) / m]) for s in times], [], []


def at_rest(document, times):
    """Nothing moves."""
    return [(s, [mpf(0)], [mpf(0)]) for s in times], [(0, mpf(0), exact(document["run"]["end"]))], []


def triple_root(document, times):
    """x = (2 − t)³ until it reaches the wall, where it stays: F = 6 (2 − t) then presses it on."""
    end, two = exact(document["run"]["end"]), mpf(2)
    states = [(s, [(two - s) ** 3 if s < 2 else mpf(0)], [-3 * (two - s) ** 2 if s < 2 else mpf(0)]) for s in times]
    return states, [(0, two, end)], [{"event": "rest", "t": two, "where": "lower", "x": mpf(0), "v": mpf(0)}]


WAYS = {"ageing-above": ageing_above, "at-rest": at_rest, "triple-root": triple_root}


def brownian(z, t):
    """The distribution function at z of u(t), du + σ(u) dt ∋ dB, u(0) = 0 (Karatzas and Shreve, section 6.5)."""
    normal = lambda y: mp.ncdf(y)
    density = lambda y: mp.npdf(abs(y) + t, 0, mp.sqrt(t)) + mp.exp(-2 * abs(y)) * normal((t - abs(y)) / mp.sqrt(t))
    half = mp.quad(density, [0, abs(z) / 2, abs(z)]) if z else mpf(0)
    return mpf(1) / 2 + (half if z >= 0 else -half)

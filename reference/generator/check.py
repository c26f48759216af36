"""A second way to the same numbers: every arc of a linear model by one matrix exponential.

The state, the harmonics, 1 and t solve one autonomous linear system, so an arc from one event to the next is a single
matrix exponential (scaling and squaring), whatever its length. The arcs of the first computation are Taylor series.
"""

from mpmath import cos, expm, matrix, mp, mpf, sin

from signals import at, exact


def linear(model):
    return not model.polynomial and all(s.law.linear() and not s.normal for s in model.sliders)


def harmonics(model):
    """The angular frequencies of all signals."""
    lists = [*model.force, *(d for _, d, _ in model.pulled), *(s.support or [] for s in model.sliders)]
    return sorted({exact(s["harmonic"]["angular_frequency"]) for signals in lists for s in signals if "harmonic" in s})


def coefficients(signals, t, frequencies, order=0):
    """The order-th derivative of a sum of signals after t as a combination of 1, s, cos ω s and sin ω s, s = time − t."""
    out = [mpf(0)] * (2 + 2 * len(frequencies))
    for signal in signals:
        ((kind, p),) = signal.items()
        if kind == "harmonic":
            a, w = exact(p["amplitude"]), exact(p["angular_frequency"])
            angle = w * t + exact(p.get("phase", 0))
            c, s = a * cos(angle), -a * sin(angle)
            for _ in range(order):
                c, s = w * s, -w * c
            j = 2 + 2 * frequencies.index(w)
            out[j] += c
            out[j + 1] += s
        elif kind == "ramp" and order == 0:
            out[0] += at([signal], t)
            out[1] += exact(p["rate"])
        elif kind == "ramp" and order == 1:
            out[0] += exact(p["rate"])
        elif order == 0:
            out[0] += at([signal], t)
    return out


def arc(model, run, t0, t1, x, v, mode, held):
    """Positions and velocities at t1."""
    n, w = model.n, harmonics(model)
    extra = 2 + 2 * len(w)
    size = 2 * n + extra
    stuck = [e for e, s in enumerate(mode) if s == 0]
    inverse = run.kkt(stuck, held)
    rows = n + len(stuck) + (1 if held else 0)
    right = matrix(rows, size)

    def add(i, column, factor):
        right[i, column] += factor

    def load(i, c, factor=mpf(1)):
        for j, a in enumerate(c):
            right[i, 2 * n + j] += factor * a

    for i, f in enumerate(model.force):
        load(i, coefficients(f, t0, w))
    for i, d, k in model.pulled:
        load(i, coefficients(d, t0, w), k)
        add(i, i, -k)
    for shift, parts in ((0, model.springs), (n, model.dashpots)):
        for i, j, k in parts:
            add(i, shift + i, -k)
            if j is not None:
                add(i, shift + j, k)
                add(j, shift + i, k)
                add(j, shift + j, -k)
    for e, s in enumerate(model.sliders):
        if mode[e]:
            law = s.law.towards(mode[e])
            right[s.a, 2 * n] -= mode[e] * law.dynamic
            if s.b is not None:
                right[s.b, 2 * n] += mode[e] * law.dynamic
        elif s.support:
            load(n + stuck.index(e), coefficients(s.support, t0, w, 1))
    system = matrix(size, size)
    for i in range(n):
        system[i, n + i] = mpf(1)
        for c in range(size):
            system[n + i, c] = sum(inverse[i, r] * right[r, c] for r in range(rows))
    system[2 * n + 1, 2 * n] = mpf(1)
    for j, frequency in enumerate(w):
        a = 2 * n + 2 + 2 * j
        system[a, a + 1], system[a + 1, a] = -frequency, frequency
    start = matrix(size, 1)
    for i in range(n):
        start[i], start[n + i] = x[i], v[i]
    start[2 * n] = mpf(1)
    for j in range(len(w)):
        start[2 * n + 2 + 2 * j] = mpf(1)
    end = expm(system * (t1 - t0), method="taylor") * start
    return [end[i] for i in range(n)], [end[n + i] for i in range(n)]


def worst(model, run, most=60):
    """The largest difference of the two computations over the longest arcs between events, relative to the sizes."""
    phases = []
    for a in run.arcs:
        last = phases[-1] if phases else None
        if last and last["mode"] == a[4] and last["held"] == a[5] and not last["closed"]:
            last["to"] = a[1]
        else:
            phases.append({"from": a[0], "to": a[1], "x": a[2], "v": a[3], "mode": a[4], "held": a[5], "closed": False})
        ends = any(e["t"] == a[1] for e in run.events) or a[1] in model.breaks
        phases[-1]["closed"] = ends
    starts = {a[0]: (a[2], a[3]) for a in run.arcs}
    scale_x = max([abs(c) for a in run.arcs for c in a[2]] + [mpf(10) ** -9])
    scale_v = max([abs(c) for a in run.arcs for c in a[3]] + [mpf(10) ** -9])
    total, done = mpf(0), 0
    impacts = {e["t"] for e in run.events if e["event"] in ("impact", "rest")}
    for p in sorted(phases, key=lambda p: p["from"] - p["to"])[:most]:
        if p["to"] not in starts or p["to"] in impacts:
            continue
        x, v = arc(model, run, p["from"], p["to"], p["x"], p["v"], p["mode"], p["held"])
        x1, v1 = starts[p["to"]]
        gaps = [abs(a - b) / scale_x for a, b in zip(x, x1)] + [abs(a - b) / scale_v for a, b in zip(v, v1)]
        total, done = max([total, *gaps]), done + 1
    return total, done

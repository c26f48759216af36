"""Two masses that rub by laws with memory, integrated by SciPy from turn to turn: the numbers of `bristles.rs`.

Mass a (1 kg) on a spring of 30 N/m to the ground and by a slider of Maxwell slip with a falling limit; mass b (2 kg) on a spring of
20 N/m to a and by a slider of Bouc and Wen with an elastic share; the force 4 sin(2.5 t) on b.

    python3 memory_networks.py
"""

import numpy as np
from scipy.integrate import solve_ivp

FS, FD, VS = 1.5, 1.0, 0.05
K = np.array([2e3, 800.0, 150.0])
ALPHA = np.array([0.5, 0.3, 0.2])
C, S2 = 60.0, 0.4
BK, RATIO, A, BETA, GAMMA, N = 40.0, 0.3, 1.0, 20.0, 10.0, 1.7


def limit(w):
    return FD + (FS - FD) * np.exp(-((w / VS) ** 2))


def rates(t, y, sides, slides, bent):
    xa, va, xb, vb = y[:4]
    z, zb = y[4:7], y[7]
    w = va
    g = limit(w)
    dz = np.where(slides, sides[0] * C * (ALPHA - sides[0] * K * z / g) / K, w)
    rail = K @ z + S2 * w
    u = vb - va
    dzb = u * (A - (bent * zb) ** N * (GAMMA + BETA * sides[1] * bent)) if bent * zb > 0 else u * A
    joint = BK * (RATIO * (xb - xa) + (1 - RATIO) * zb)
    pull = 20.0 * (xb - xa) + joint
    aa = -30.0 * xa - rail + pull
    ab = (4.0 * np.sin(2.5 * t) - pull) / 2.0
    return np.concatenate([[va, aa, vb, ab], dz, [dzb]])


def main():
    y = np.zeros(8)
    y[1], y[3] = 0.3, -0.2
    t, end = 0.0, 10.0
    sides = [1.0, -1.0]
    slides = np.array([False] * 3)
    bent = -1.0
    shown = list(np.arange(1.0, 11.0))
    events = 0
    while t < end:
        args = (sides, slides.copy(), bent)
        guards = [
            lambda t, y, *_: sides[0] * y[1],
            lambda t, y, *_: sides[1] * (y[3] - y[1]),
            lambda t, y, *_: bent * y[7],
        ]
        for i in range(3):
            guards.append(
                lambda t, y, *_, i=i: 1.0 if slides[i] else ALPHA[i] * limit(y[1]) - sides[0] * K[i] * y[4 + i]
            )
        for g in guards:
            g.terminal, g.direction = True, -1
        out = solve_ivp(rates, (t, end), y, "DOP853", rtol=1e-13, atol=1e-15, events=guards, args=args, dense_output=True)
        last = out.t[-1]
        while shown and shown[0] <= last:
            s = out.sol(shown[0]) if shown[0] < last else out.y[:, -1]
            print(f"({shown[0]:.1f}, [" + ", ".join(f"{v:.13e}" for v in s) + "]),")
            shown.pop(0)
        t, y = last, out.y[:, -1].copy()
        hit = [i for i, e in enumerate(out.t_events) if len(e)]
        if out.status != 1:
            break
        events += 1
        for i in hit:
            if i == 0:
                sides[0] = -sides[0]
                slides[:] = False
                y[1] = 0.0
            elif i == 1:
                sides[1] = -sides[1]
                y[3] = y[1]
            elif i == 2:
                bent = -bent
                y[7] = 0.0
            else:
                slides[i - 3] = True
    print(events, "events")


main()

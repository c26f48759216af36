"""Two masses that rub by rate and state, integrated by SciPy in logarithms: the numbers of `rocks.rs`.

Mass a (1 kg) on the ground under 100 N, drawn by a spring of 2000 N/m whose end goes 45 mm + 10 mm/s t; mass b (2 kg) on a under
60 N, drawn back by a spring of 8000 N/m whose end goes -30 mm/s t. mu = A asinh(w e^psi/2 V0), psi = (MU0 + B ln(V0 theta/D))/A; the
state is x, u with w = 2 V0 e^-psi sinh u, and ln theta of each; printed are x, v and ln theta. No sliding velocity turns.

    python3 rock_networks.py          the ageing law
    python3 rock_networks.py slip     the slip law
"""

import sys

import numpy as np
from scipy.integrate import solve_ivp

MU0, A, B, D, V0 = 0.6, 0.01, 0.015, 1e-4, 1e-3
NA, NB = 100.0, 60.0
MA, MB = 1.0, 2.0
slip_law = "slip" in sys.argv


def psi(l):
    return (MU0 + B * (l + np.log(V0 / D))) / A


def speed(u, l):
    return V0 * (np.exp(u - psi(l)) - np.exp(-u - psi(l)))


def steep(u, l):
    r = abs(u)
    return np.exp(psi(l) - r - np.log1p(np.exp(-2 * r)) + np.log(2)) / (2 * V0)


def ages(w, l):
    pace = abs(w) / D
    return -pace * (np.log(pace) + l) if slip_law else np.exp(-l) - pace


def rates(t, y):
    xa, ua, la, xb, ub, lb = y
    va = speed(ua, la)
    w = speed(ub, lb)
    vb = va + w
    rail, joint = NA * A * ua, NB * A * ub
    aa = (2000.0 * (0.045 + 0.01 * t - xa) - rail + joint) / MA
    ab = (8000.0 * (-0.03 * t - xb) - joint) / MB
    dla, dlb = ages(va, la), ages(w, lb)
    return [
        va,
        steep(ua, la) * aa + np.tanh(ua) * (B / A) * dla,
        dla,
        vb,
        steep(ub, lb) * (ab - aa) + np.tanh(ub) * (B / A) * dlb,
        dlb,
    ]


def main(method, rtol):
    va, vb, theta = 1e-6, -0.03, 1.0
    la, lb = np.log(theta), np.log(D / 0.03)
    level = lambda w, l: np.arcsinh(w * np.exp(psi(l)) / (2 * V0))
    y = [0.0, level(va, la), la, 0.0045, level(vb - va, lb), lb]
    times = np.arange(0.5, 4.01, 0.5)
    out = solve_ivp(rates, (0, 4), y, method, t_eval=times, rtol=rtol, atol=rtol * 1e-2, first_step=1e-12)
    assert out.success, out.message
    print(method, rtol, out.nfev)
    for t, (xa, ua, la, xb, ub, lb) in zip(out.t, out.y.T):
        va, w = speed(ua, la), speed(ub, lb)
        print(f"({t:.1f}, [" + ", ".join(f"{v:.12e}" for v in [xa, va, la, xb, va + w, lb]) + "]),")


for method, rtol in [("Radau", 1e-9), ("Radau", 1e-11)]:
    main(method, rtol)

#!/usr/bin/env python3
"""Makes drive.csv: position, force and reference of a controlled drive with known mass and friction.

    python3 make.py > drive.csv

Standard library only, and nothing shared with stickslip: small steps of Euler's scheme with dry friction as
a clamp. The same input gives the same file.
"""

import math
import random

M, F_V, F_C, OFFSET = 95.0, 200.0, 20.0, -3.0  # kg, N s/m, N, N
K_P, K_V, GAIN = 160.0, 240.0, 35.0  # 1/s, V s/m, N/V
STEP, PARTS, END = 2e-3, 100, 16.0
NOISE_X, NOISE_F = 2e-6, 0.5  # m, N

draw = random.Random(1)


def reference(t):
    return 0.1 * (1.0 - math.cos(0.8 * t)) + 0.02 * math.sin(3.0 * t)


x, v, h = 0.0, 0.06, STEP / PARTS
print("time,position,force,reference")
for i in range(int(END / STEP)):
    t = i * STEP
    force = GAIN * K_V * (K_P * (reference(t) - x) - v)
    print(
        f"{t:.3f},{x + draw.gauss(0.0, NOISE_X):.7f},{force + draw.gauss(0.0, NOISE_F):.3f},"
        f"{reference(t):.8f}"
    )
    for j in range(PARTS):
        force = GAIN * K_V * (K_P * (reference(t + j * h) - x) - v)
        free = v + h / M * (force - F_V * v - OFFSET)
        grip = h / M * F_C
        v = 0.0 if abs(free) <= grip else free - math.copysign(grip, free)
        x += h * v

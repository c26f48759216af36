#!/usr/bin/env python3
"""Makes force.csv: the spring force of a slider pulled at constant speed, with known friction.

    python3 make.py > force.csv

Standard library only, and nothing shared with stickslip: the force rises with kV while the slider sticks,
breaks away at mu_s (a little different for each slip, and greater after a longer rest), and falls on half a
cosine to 2 mu_d - mu_s. The same input gives the same file.
"""

import math
import random

K, V, M, G = 170.0, 50e-6, 0.030, 9.80665  # N/m, m/s, kg, m/s2
MU_S, PER_DECADE, SCATTER = 0.32, 0.008, 0.001
MU_D = (0.296, 0.308)  # each slip its own
STEP, NOISE, SPIKES, SLIPS = 2e-3, 7e-4, 1e-3, 60

draw = random.Random(2019)
weight = M * G
rate, duration = K * V / weight, math.pi * math.sqrt(M / K)

print("time,force")
start, bottom, sample = 0.0, 0.285, 0
for _ in range(SLIPS):
    mu_s, wait = MU_S + draw.gauss(0.0, SCATTER), 1.0
    for _ in range(60):
        wait = (mu_s + PER_DECADE * math.log10(max(wait, 1e-3)) - bottom) / rate
    top = bottom + rate * wait
    after = 2.0 * draw.uniform(*MU_D) - top
    while sample * STEP < start + wait + duration:
        t = sample * STEP - start
        if t < wait:
            f = bottom + rate * t
        else:
            f = 0.5 * (top + after) + 0.5 * (top - after) * math.cos(math.pi * (t - wait) / duration)
        f += draw.gauss(0.0, NOISE)
        if draw.random() < SPIKES:
            f += draw.uniform(-0.02, 0.02)
        print(f"{sample * STEP:.3f},{1e3 * f * weight:.3f}")
        sample += 1
    start, bottom = start + wait + duration, after

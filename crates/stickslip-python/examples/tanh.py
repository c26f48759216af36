"""Why a smooth friction law creeps: tanh by SciPy beside the exact stick."""

# %%
import numpy as np
import stickslip as ss
from scipy.integrate import solve_ivp

# A block that friction of 1 N holds against a pull of 0.9 N. It does not move.
block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(1.0), force=0.9)
path = ss.solve(block, t_end=100)
print("exact:", path(100.0)[0], "m after 100 s")
assert path(100.0)[0] == 0.0

# %% The usual smoothing: friction = tanh(v/ε)
for epsilon in (1e-1, 1e-2, 1e-3):
    smooth = solve_ivp(
        lambda t, y, e=epsilon: [y[1], 0.9 - np.tanh(y[1] / e)], (0, 100), [0, 0], method="LSODA", rtol=1e-8, atol=1e-10
    )
    # At rest the load must be carried by a velocity: 0.9 = tanh(v/ε).
    creep = epsilon * np.arctanh(0.9) * 100
    print(f"tanh(v/{epsilon:g}): {smooth.y[0, -1]:.6f} m, by the formula {creep:.6f} m, {smooth.nfev} evaluations")
    assert abs(smooth.y[0, -1] - creep) < 0.1 * creep + 5 * epsilon

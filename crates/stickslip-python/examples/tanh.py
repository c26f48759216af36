# %% [markdown]
# # Why tanh creeps
#
# Friction of up to 1 N holds a block against a pull of 0.9 N. The block never moves, because Coulomb's law allows a whole interval
# of friction forces at rest.

# %%
import numpy as np
import stickslip as ss
from scipy.integrate import solve_ivp

block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(1.0), force=0.9)
path = ss.solve(block, t_end=100)
print(f"after 100 s it has moved {path(100.0)[0]} m")

# %% [markdown]
# A general-purpose ODE solver needs friction as a function of the velocity, so the jump is often smoothed: F = tanh(v/ε).
# Then only a nonzero velocity can balance the pull, 0.9 = tanh(v/ε), and the block creeps at v = ε artanh 0.9. A smaller ε gives
# less creep but a stiffer equation.

# %%
smooth = {}
for epsilon in (1e-1, 1e-2, 1e-3):
    smooth[epsilon] = solve_ivp(
        lambda t, y: [y[1], 0.9 - np.tanh(y[1] / epsilon)], (0, 100), [0, 0],
        method="LSODA", rtol=1e-8, atol=1e-10, dense_output=True,
    )
    creep = smooth[epsilon].y[0, -1]
    print(f"ε = {epsilon:g} m/s: moved {creep:.4f} m, by the formula {100 * epsilon * np.arctanh(0.9):.4f} m")

# %%
import matplotlib.pyplot as plt

t = np.linspace(0, 100, 501)
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for (epsilon, solution), dash in zip(smooth.items(), ("--", "-.", ":")):
    ax.plot(t, solution.sol(t)[0], label=f"tanh(v/{epsilon:g})", linestyle=dash)
ax.plot(t, path(t)[0], color="black", label="exact")
ax.set_xlabel("time (s)")
ax.set_ylabel("displacement of the block (m)")
ax.set_ylim(-0.05, 1.6)
ax.legend()
plt.show()

# %% [markdown]
# Where the mass does move, smoothing costs computing time too, because at each stop the solver must resolve the steep part of
# tanh. The exact scheme evaluates closed forms and finds each stop as a root of one of them.

# %%
shaw = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0), drive=ss.harmonic(6.0, 0.5), x0=6.0)
exact = ss.solve(shaw, t_end=40)
rounded = solve_ivp(
    lambda t, y: [y[1], 6 * np.cos(t / 2) - y[0] - np.tanh(y[1] / 1e-3)], (0, 40), [6, 0],
    method="Radau", rtol=1e-8, atol=1e-10,
)
print(f"exact: {exact.counts['segments']} closed forms; Radau on tanh(v/0.001): some {round(rounded.nfev, -4)} evaluations")
print(f"displacements at the end differ by {abs(rounded.y[0, -1] - exact(40.0)[0]):.0e} m")

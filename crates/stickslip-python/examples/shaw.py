# %% [markdown]
# # Stick and slip, exactly
#
# A mass of 1 kg rubs on the floor, and a spring of 1 N/m pulls it; the far end of the spring moves as
# 6 cos(t/2) m. Friction holds 1.2 N before it lets go, and drags with 1 N while the mass slides: figure 8 of Shaw
# (1986).

# %%
import stickslip as ss

drive = ss.harmonic(6.0, 0.5)
shaw = ss.Oscillator(mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=drive, x0=6.0)
path = ss.solve(shaw, t_end=40)
print(path)

# %% [markdown]
# Between two events the motion is known in closed form, and so the events are known to rounding:

# %%
for event in path.events:
    print(f"{event['t']:15.12f} s  {event['event']:8}  x = {event['x']:15.12f} m")

# %% [markdown]
# The path is a function of time. `plot` draws it on axes of matplotlib, with the events as dots; whatever else belongs
# in the figure can be drawn on the same axes.

# %%
import matplotlib.pyplot as plt
import numpy as np

fig, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
t = np.linspace(0, 40, 2001)
top.plot(t, 6 * np.cos(t / 2), color="0.7", label="far end of the spring")
path.plot(top, label="mass")
top.set_xlabel("")
top.set_ylim(-11, 11)
top.legend(loc="upper right", ncols=2)
path.plot(bottom, columns="friction", color="tab:red")
bottom.set_ylabel("friction (N)")
plt.show()

# %% [markdown]
# The energy balance: the energy lost to friction, and the defect, which is rounding:

# %%
energy = path.energy
print(f"lost to dry friction {energy.friction:.6f} J, of {energy.gross_work:.6f} J that went in and out")
print(f"what does not balance: less than 1e-12 of it: {energy.relative_defect < 1e-12}")

# %% [markdown]
# The share of time at rest, from the stretches in one phase:

# %%
at_rest = sum(end - start for phase, start, end in path.phases() if phase == "stick")
print(f"at rest for {at_rest / path.t_end:.1%} of the time")

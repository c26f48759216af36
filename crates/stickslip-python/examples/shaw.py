# %% [markdown]
# # Stick and slip, exactly
#
# A mass of 1 kg slides on the floor with dry friction. A spring of 1 N/m pulls it, and the far end of the spring moves as
# 6 cos(t/2) m. The breakaway force is 1.2 N, and the friction in slip is 1 N. This is figure 8 of Shaw (1986).

# %%
import stickslip as ss

drive = ss.harmonic(6.0, 0.5)
shaw = ss.Oscillator(mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=drive, x0=6.0)
path = ss.solve(shaw, t_end=40)
print(path)

# %% [markdown]
# Between two events the motion has a closed form, so the times of the events are exact up to rounding:

# %%
for event in path.events:
    print(f"{event['t']:15.12f} s  {event['event']:8}  x = {event['x']:15.12f} m")

# %% [markdown]
# The path is a function of time. `plot` draws it on Matplotlib axes, with the events as dots and the sticks shaded. More lines
# can be drawn on the same axes.

# %%
import matplotlib.pyplot as plt
import numpy as np

fig, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
t = np.linspace(0, 40, 2001)
top.plot(t, 6 * np.cos(t / 2), "--", color="0.5", label="far end of the spring")
path.plot(top, label="mass")
top.set_xlabel("")
path.plot(bottom, columns="friction", color="tab:red")
bottom.get_legend().remove()
plt.show()

# %% [markdown]
# The energy balance shows the energy lost to friction and the error of the balance, which is rounding:

# %%
energy = path.energy
print(f"lost to dry friction: {energy.friction:.6f} J of the {energy.gross_work:.6f} J exchanged with the spring's far end")
print(f"error of the balance below 1e-12: {energy.relative_defect < 1e-12}")

# %% [markdown]
# The fraction of the time at rest, from the intervals in each phase:

# %%
at_rest = sum(end - start for phase, start, end in path.phases() if phase == "stick")
print(f"at rest for {at_rest / path.t_end:.1%} of the time")

# %% [markdown]
# # Every slip of a pulled slider
#
# A spring of 100 N/m pulls a slider of 1 kg at 1 mm/s, and a gauge records the spring's force a hundred times a second
# for five minutes. The record is synthetic: the exact motion and a noise of 2 mN, so that its parameters are known.

# %%
import numpy as np
import stickslip as ss

velocity, stiffness, mass = 1e-3, 100.0, 1.0
rig = ss.Oscillator(mass=mass, stiffness=stiffness, friction=ss.static_dynamic(3.0, 2.5), drive=ss.ramp(velocity))
path = ss.solve(rig, t_end=300)
t = np.arange(0.0, 300.0, 0.01)
force = stiffness * (velocity * t - path(t)[0]) + np.random.default_rng(1).normal(0, 2e-3, len(t))
print(path)

# %% [markdown]
# `pulled_slider` needs the record and the known properties of the rig:

# %%
fit = ss.pulled_slider(t, force, velocity=velocity, stiffness=stiffness, mass=mass)
slips = fit.table("slips")
print(f"{len(slips['t'])} slips found, {np.sum(path.events['event'] == 'slip')} true")
print(f"breakaway force {fit.parameters['f_s']}; true: 3")
print(f"sliding force   {fit.parameters['f_d']}; true: 2.5")

# %%
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(8, 3), layout="constrained")
ax.plot(t[:10000:10], force[:10000:10], lw=0.6, color="0.6", label="recorded")
ax.plot(slips["t"], slips["mu_s"] * mass * 9.81, "^", ms=4, color="tab:red", label="start of a slip")
ax.plot(slips["end"], slips["after"] * mass * 9.81, "o", ms=4, color="tab:blue", label="end of a slip")
ax.set_xlim(0, 100)
ax.set_xlabel("time (s)")
ax.set_ylabel("force (N)")
ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False)
plt.show()

# %% [markdown]
# The true values lie in the intervals, and every slip was found. `fit.report("slider.html")` writes the whole report, with the
# distributions of the slips.

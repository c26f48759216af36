# %% [markdown]
# # The amplitude of an oscillator with dry friction
#
# A mass on a spring, with dry friction of 0.5 N, is shaken by a force of 1 N. What is its amplitude at each frequency?
# `sweep` solves the model at every point, on all cores, and gives the energy lost to friction and the share of time at
# rest.

# %%
import numpy as np
import stickslip as ss

model = ss.Oscillator(mass=1, stiffness=1, damping=0.05, friction=ss.coulomb(0.5), force=ss.harmonic(1.0, 1.0))
frequencies = np.linspace(0.3, 2.0, 35)
tab = ss.sweep(model, {"oscillator.force.0.harmonic.angular_frequency": frequencies}, t_end=200)
print(tab)

# %% [markdown]
# The amplitude is that of the periodic motion, which `orbit` finds directly. A simulation would have to run for a long time before
# the transient has decayed: with the damper alone it decays by a factor e in 40 s.

# %%
def amplitude(omega, friction=0.5):
    shaken = model.replace(force=ss.harmonic(1.0, omega), friction=ss.coulomb(friction))
    return ss.orbit(shaken).amplitude


swing = {friction: [amplitude(omega, friction) for omega in frequencies] for friction in (0.5, 0.7, 0.9)}
best = frequencies[int(np.argmax(swing[0.5]))]
print(f"with 0.5 N the largest amplitude is {max(swing[0.5]):.2f} m, at {best:.2f} rad/s")

# %%
import matplotlib.pyplot as plt

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for (friction, amplitudes), dash in zip(swing.items(), ("-", "--", "-.")):
    left.semilogy(frequencies, amplitudes, dash, label=f"friction {friction} N")
left.set_xlabel("angular frequency (rad/s)")
left.set_ylabel("amplitude (m)")
left.legend()
tab.plot(right, column="stick_share", color="tab:green")
right.set_xlabel("angular frequency (rad/s)")
right.set_ylabel("share of time at rest, with 0.5 N")
plt.show()

# %% [markdown]
# There is a peak at the natural frequency, 1 rad/s, as long as the friction is less than π/4 = 0.79 of the force. At an
# amplitude X the force does at most the work π · 1 N · X in a period, and friction takes 4 · f · X (Den Hartog 1931). With 0.9 N
# there is no resonance.

# %%
for friction, amplitudes in swing.items():
    print(f"{friction} N: largest at {frequencies[int(np.argmax(amplitudes))]:.2f} rad/s")

"""How far a rubbing oscillator swings at each frequency: a sweep, and the amplitude by hand."""

# %%
import numpy as np
import stickslip as ss

model = ss.Oscillator(mass=1, stiffness=1, damping=0.05, friction=ss.coulomb(0.5), force=ss.harmonic(1.0, 1.0))
frequencies = np.linspace(0.3, 2.0, 35)
tab = ss.sweep(model, {"oscillator.force.0.harmonic.angular_frequency": frequencies}, t_end=200)
print(tab.to_frame().head())

# %% The amplitude over the last two periods
amplitudes = []
for omega in frequencies:
    path = ss.solve(model.replace(force=ss.harmonic(1.0, omega)), t_end=200)
    x = path(np.linspace(200 - 4 * np.pi / omega, 200, 2001))[0]
    amplitudes.append(0.5 * np.ptp(x))
best = int(np.argmax(amplitudes))
print(f"largest amplitude {amplitudes[best]:.3f} m at {frequencies[best]:.2f} rad/s")
# Friction does not move the peak: it lies where the frequency is the natural one.
assert abs(frequencies[best] - 1.0) < 0.1

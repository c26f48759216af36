"""Every slip of a slider that a spring pulls at constant speed, from the record of the spring's force."""

# %% A record: the exact motion, sampled, with a little noise
import numpy as np
import stickslip as ss

velocity, stiffness, mass = 1e-3, 100.0, 1.0
rig = ss.Oscillator(
    mass=mass, stiffness=stiffness, damping=1.0, friction=ss.static_dynamic(3.0, 2.5), drive=ss.ramp(velocity)
)
t = np.arange(0.0, 300.0, 0.01)
path = ss.solve(rig, t_end=300)
force = stiffness * (velocity * t - path(t)[0]) + np.random.default_rng(1).normal(0, 2e-3, len(t))

# %% What the record says, and what was true
fit = ss.pulled_slider(t, force, velocity=velocity, stiffness=stiffness, mass=mass)
print(fit)
true = int(np.sum(path.events["event"] == "slip"))
print(f"slips: {fit.summary['fit'].get('slips', '?') if not isinstance(fit.summary['fit'].get('slips'), list) else len(fit.summary['fit']['slips'])} found, {true} true")

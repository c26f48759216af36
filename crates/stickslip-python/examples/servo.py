# %% [markdown]
# # A servo, by gradient descent and by Gauss–Newton
#
# A position loop turns an inertia towards a moving goal, against friction in the gear. From a log of goal and angle we want the
# inertia, the damping, the breakaway torque and the sliding torque. The derivatives of the motion through stick and slip are exact,
# so two methods of fitting can be compared fairly. Gradient descent needs the gradient of one number, the misfit. Gauss–Newton
# needs the derivatives of every sample, which cost the same here.

# %%
import numpy as np
import stickslip as ss

GAIN = 40.0  # N·m/rad, known
TRUTH = np.array([0.12, 0.9, 1.6, 1.1])  # inertia (kg·m²), damping (N·m·s), breakaway and sliding torque (N·m)
KEYS = [
    "oscillator.mass",
    "oscillator.damping",
    "oscillator.friction.static-dynamic.static",
    "oscillator.friction.static-dynamic.dynamic",
]


def servo(p):
    goal = ss.harmonic(0.4, 2.0) + ss.harmonic(0.15, 7.3)
    friction = ss.static_dynamic(p[2], p[3])
    return ss.Oscillator(mass=p[0], stiffness=GAIN, damping=p[1], friction=friction, drive=goal, x0=0.55)


t = np.linspace(0.01, 6.0, 600)
path = ss.solve(servo(TRUTH), t_end=6)
log = path(t)[0] + np.random.default_rng(1).normal(0.0, 1e-3, len(t))
print(f"{len(path.events)} events in the log; the encoder has 1 mrad of noise")

# %% [markdown]
# One call gives the misfit and its gradient. The parameters differ in size, so both methods fit their logarithms, which also
# keeps the parameters positive.

# %%


def misfit(out):
    left = out.x - log
    return 0.5 * np.mean(left**2), {"x": left / len(left)}


start = TRUTH * [1.5, 0.6, 1.3, 0.75]


def descend(p, steps, rate=0.03):
    """Adam, on the logarithms."""
    q, mean, square, losses = np.log(p), np.zeros(4), np.zeros(4), []
    for i in range(1, steps + 1):
        found = ss.value_and_grad(servo(np.exp(q)), misfit, KEYS, t_end=6, t=t)
        losses.append(found.value)
        slope = found.grad * np.exp(q)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        q = q - rate * (mean / (1 - 0.9**i)) / (np.sqrt(square / (1 - 0.99**i)) + 1e-12)
    return np.exp(q), losses


def gauss_newton(p, steps):
    """With the step halved until the misfit falls."""
    q, losses = np.log(p), []
    for _ in range(steps):
        s = ss.sensitivity(servo(np.exp(q)), KEYS, t_end=6, t=t)
        left = s.path(t)[0] - log
        losses.append(0.5 * np.mean(left**2))
        step = np.linalg.lstsq(s.x * np.exp(q), -left, rcond=None)[0]
        for _ in range(12):
            trial = np.exp(q + step)
            # The breakaway torque is never below the sliding one.
            if trial[2] >= trial[3] and 0.5 * np.mean((ss.solve(servo(trial), t_end=6)(t)[0] - log) ** 2) < losses[-1]:
                q = q + step
                break
            step = 0.5 * step
    return np.exp(q), losses


by_descent, slow = descend(start, 150)
by_newton, fast = gauss_newton(start, 12)
noise = 0.5 * np.mean((path(t)[0] - log) ** 2)
for name, p, losses in (("descent", by_descent, slow), ("Gauss–Newton", by_newton, fast)):
    near = next((i for i, loss in enumerate(losses) if loss < 1.05 * noise), None)
    print(f"{name:12}  within 5 % of the noise: {'not in ' + str(len(losses)) + ' steps' if near is None else f'after {near} steps'}")
error = np.abs(by_newton / TRUTH - 1)
print(f"Gauss–Newton is right to {100 * error.max():.1f} %")

# %%
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.semilogy(slow, label="gradient descent (Adam)")
ax.semilogy(fast, marker=".", label="Gauss–Newton")
ax.axhline(noise, color="0.6", linewidth=0.8, label="noise")
ax.set_xlabel("step")
ax.set_ylabel("misfit (rad²)")
ax.legend()
plt.show()

# %% [markdown]
# Gauss–Newton uses the derivative of every sample with respect to every parameter and converges in a few steps. Gradient descent
# needs only the gradient, so it remains practical where the parameters are the weights of a neural network.

# %% [markdown]
# # Friction learned by a small network
#
# A block on a spring is shaken, and only its displacement is measured. Its friction law is unknown, so a small network with six
# hidden units represents the friction as a function of the speed. The values of the network at a few speeds make a piecewise linear
# law, and the derivatives of the motion with respect to these values, through every stick and slip, train the network. Nothing is
# smoothed, and no force is measured.

# %%
import numpy as np
import stickslip as ss

SPEEDS = np.array([0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.13, 0.22, 0.36])
KEYS = [f"oscillator.friction.table.force.{i}" for i in range(len(SPEEDS))]
END = 6.0


def rig(law):
    shaken = ss.harmonic(0.012, 9.0) + ss.harmonic(0.006, 16.0)
    return ss.Oscillator(mass=1.2, stiffness=900.0, damping=1.0, friction=law, drive=shaken, x0=0.015)


def stribeck(w):
    return 1.5 + 1.1 * np.exp(-w / 0.03) + 1.2 * w


truth = ss.stribeck_exponential(2.6, 1.5, 0.03, 1.0, 1.2)
t = np.linspace(0.01, END, 800)
path = ss.solve(rig(truth), t_end=END)
x, v = path(t)
record = x + np.random.default_rng(2).normal(0.0, 5e-6, len(t))
print(f"{len(path.events)} events, speeds up to {np.abs(v).max():.2f} m/s, noise 5 µm")

# %% [markdown]
# The input of the network is the speed, on a scale that spreads small speeds. It has six hidden units. Its output is the friction,
# made positive. The derivatives with respect to the nineteen weights are short enough to write out.

# %%
s = np.log1p(SPEEDS / 0.01)
rng = np.random.default_rng(3)
weights = np.concatenate([rng.normal(0, 1.0, 6), rng.normal(0, 0.5, 6), rng.normal(0, 0.1, 6), [1.6]])


def network(w):
    """Friction at the speeds, and its derivatives with respect to the weights."""
    slopes, shifts, outer, last = w[:6], w[6:12], w[12:18], w[18]
    hidden = np.tanh(np.outer(s, slopes) + shifts)
    out = hidden @ outer + last
    inner = outer * (1.0 - hidden**2)
    rates = np.hstack([s[:, None] * inner, inner, hidden, np.ones((len(s), 1))])
    return np.log1p(np.exp(out)), rates / (1.0 + np.exp(-out))[:, None]


# %% [markdown]
# By the chain rule, the derivative of a sample with respect to a weight is its derivative with respect to the friction at each speed
# (from `ss.sensitivity`) times the derivative of that friction with respect to the weight. With these derivatives the network is
# trained by damped least squares (Levenberg–Marquardt).

# %%


def left(w):
    """Residuals of the model, mm."""
    law = ss.table(SPEEDS, network(w)[0])
    return 1e3 * (ss.solve(rig(law), END, rtol=1e-8)(t)[0] - record)


damping, misfits, now = 1e-2, [], left(weights)
for _ in range(12):
    misfits.append(np.sqrt(np.mean(now**2)))
    friction, of_weights = network(weights)
    motion = ss.sensitivity(rig(ss.table(SPEEDS, friction)), KEYS, t_end=END, t=t, rtol=1e-8)
    jacobian = 1e3 * motion.x @ of_weights
    normal = jacobian.T @ jacobian
    for _ in range(8):
        trust = damping * np.trace(normal) / len(weights) * np.eye(len(weights))
        trial = weights - np.linalg.solve(normal + trust, jacobian.T @ now)
        then = left(trial)
        if (then**2).sum() < (now**2).sum():
            weights, now, damping = trial, then, damping / 5
            break
        damping *= 4
misfits.append(np.sqrt(np.mean(now**2)))

learned = network(weights)[0]
print(f"misfit {1e3 * misfits[0]:.0f} µm before, less than {np.ceil(1e3 * misfits[-1]):.0f} µm after {len(misfits) - 1} steps; the noise is 5 µm")
print(f"friction off by less than {np.ceil(1e3 * np.abs(learned - stribeck(SPEEDS)).max() / 10) / 100:.2f} N, of {learned.max():.1f} N")

# %%
import matplotlib.pyplot as plt

fig, (ax, right) = plt.subplots(1, 2, figsize=(7, 3.2), layout="constrained")
ax.semilogy(misfits, marker=".")
ax.axhline(5e-3, color="0.6", linewidth=0.8)
ax.set_xlabel("step")
ax.set_ylabel("misfit, rms (mm)")
u = np.linspace(0, 0.36, 300)
right.plot(u, stribeck(u), color="0.6", linewidth=2.4, label="truth")
right.plot(SPEEDS, learned, marker=".", label="learned")
right.set_xlabel("speed (m/s)")
right.set_ylabel("friction (N)")
right.set_ylim(0, 3)
right.legend()
plt.show()

# %% [markdown]
# The network knows the friction only at speeds that occur in the record. At other speeds it extrapolates.

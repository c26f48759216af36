# %% [markdown]
# # The friction of a bridge bearing, from a CSV file
#
# A bridge deck expands and contracts with temperature. It pushes a bearing along, which sticks and slips. The friction of the
# bearing can be determined from the temperature and the displacement of the bearing (Bensoussan et al. 2021, §4).
#
# First we make a record. It is synthetic, so its parameters are known: 120 days of hourly readings, rounded to 10 µm, with a noise
# of 20 µm.

# %%
import numpy as np
import pandas as pd
import stickslip as ss

hours = np.arange(120 * 24)
rng = np.random.default_rng(1)
weather = np.convolve(rng.normal(0, 1, len(hours)), np.ones(12) / 12, "same")
temperature = 10 + 8 * np.sin(2 * np.pi * hours / (90 * 24)) + 6 * np.sin(2 * np.pi * hours / 24) + weather
beta, f_s, f_d, K, K_BP = 2e-3, 500e3, 350e3, 1e8, 2e9
bearing = ss.Oscillator(
    mass=1, stiffness=K, friction=ss.static_dynamic(f_s, f_d), bearing_stiffness=K_BP,
    drive=ss.sampled(hours * 3600.0, beta * temperature), x0=beta * temperature[0],
)
z = ss.solve(bearing, hours[-1] * 3600.0, "quasi-static").sample(hours * 3600.0)["z"]
frame = pd.DataFrame(
    {
        "time": pd.Timestamp("2024-03-01") + pd.to_timedelta(hours, "h"),
        "temperature": temperature,
        "displacement_mm": (1e3 * (z + rng.normal(0, 2e-5, len(z)))).round(2),
    }
)
frame.to_csv("bearing.csv", index=False)
print(frame.head(3).to_string(index=False))

# %% [markdown]
# From here on we proceed as with any record. Read the file and pass times, temperatures in °C and displacements in m.

# %%
record = pd.read_csv("bearing.csv", parse_dates=["time"])
fit = ss.calibrate(
    record["time"], record["temperature"], record["displacement_mm"] / 1e3, bearing_stiffness=K_BP, title="A bearing"
)
true = {"z0": 0.0, "K": K, "f_d": f_d, "f_s": f_s, "beta": beta}
for name, estimate in fit.parameters.items():
    print(f"{name:5} {str(estimate):42} true: {true[name]:g}")
print(f"displacement before breakaway: {fit.f_s_over_K}; true: {f_s / K:g}")

# %% [markdown]
# A parameter that the record does not determine has no value but a reason (`estimate.reason`). `fit.warnings` has the warnings, and
# `fit.diagnosis` lists other explanations of the residuals:

# %%
print("warnings:", *(fit.warnings or ["none"]), sep="\n  ")
print("diagnosis:", *([d["suggestion"] for d in fit.diagnosis] or ["nothing found"]), sep="\n  ")

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(2, 1, figsize=(8, 5), layout="constrained")
for ax in axes:
    fit.plot(ax)
axes[1].set_xlim(np.datetime64("2024-04-10"), np.datetime64("2024-04-20"))
plt.show()

# %% [markdown]
# Predict the next day, if the temperature falls by ten degrees. The fitted motion continues from its last state.

# %%
later = record["time"].to_numpy()[-1] + np.arange(1, 25) * np.timedelta64(1, "h")
colder = temperature[-1] - 10 * np.arange(1, 25) / 24
print(f"predicted for the end of the next day: {1e3 * fit.predict(later, colder)[-1]:.2f} mm")
fit.report("bearing.html")

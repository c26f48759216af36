"""The friction of a bridge bearing, from temperatures and displacements in a CSV file read by pandas."""

# %% A record. Here it is made up: 120 days, every hour, of a bearing whose friction is known.
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
)  # fmt: skip
z = ss.solve(bearing, hours[-1] * 3600.0, "quasi-static").sample(hours * 3600.0)["z"]
frame = pd.DataFrame(
    {
        "time": pd.Timestamp("2024-03-01") + pd.to_timedelta(hours, "h"),
        "temperature": temperature,
        "displacement": z + rng.normal(0, 2e-5, len(z)),
    }
)
frame.to_csv("bearing.csv", index=False)

# %% Fit it
record = pd.read_csv("bearing.csv", parse_dates=["time"])
fit = ss.calibrate(
    record["time"].to_numpy(), record["temperature"].to_numpy(), record["displacement"].to_numpy(),
    bearing_stiffness=K_BP, title="A bearing",
)  # fmt: skip
for name, estimate in fit.parameters.items():
    print(f"{name:5} {estimate}")
print("travel at breakaway:", fit.f_s_over_K)
for warning in fit.warnings:
    print("note:", warning)
fit.report("bearing.html")

# %% What the next day would show, ten degrees colder
later = record["time"].to_numpy()[-1] + np.arange(1, 25) * np.timedelta64(1, "h")
print("predicted:", fit.predict(later, temperature[-1] - 10 * np.arange(1, 25) / 24)[-1], "m")

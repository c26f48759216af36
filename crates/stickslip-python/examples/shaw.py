"""Stick and slip of Shaw's oscillator (1986, figure 8), with a plot."""

# %%
import stickslip as ss

shaw = ss.Oscillator(
    mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.harmonic(6.0, 0.5), x0=6.0, title="Shaw 1986"
)
path = ss.solve(shaw, t_end=40)
print(path)

# %% Every event, exactly
for event in path.events:
    print(f"{event['t']:12.9f} s  {event['event']:8}  x = {event['x']:12.9f} m")

# %% Where the work went
print(f"lost to dry friction: {path.energy.friction:.6f} J of {path.energy.gross_work:.6f} J that went in and out")

# %% The motion and the drive
axes = path.plot(label="mass")
axes.figure.savefig("shaw.svg")

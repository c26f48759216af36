# %% [markdown]
# # Ten thousand sample paths on any workers
#
# A mass with dry friction moves under a harmonic force and filtered noise. This notebook computes the mean, the quantiles
# and the fraction of paths at rest.

# %%
from concurrent.futures import ThreadPoolExecutor

import stickslip as ss

model = ss.Oscillator(
    mass=1, stiffness=1, friction=ss.coulomb(0.5), force=ss.harmonic(0.8, 1.0) + ss.ornstein_uhlenbeck(1.0, 0.3)
)


def run(executor=None):
    return ss.ensemble(model, t_end=20, step=1e-2, paths=10_000, seed=1, rows=201, executor=executor)


here = run()
print(here)
print(f"at the end: mean {here.mean_x[-1]:.4f} m, variance {here.var_x[-1]:.4f} m², at rest {here.stick_fraction[-1]:.1%}")

# %%
import matplotlib.pyplot as plt

fig, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
here.plot(top)
top.set_xlabel("")
bottom.plot(here.t, here.stick_fraction, color="tab:green")
bottom.set_xlabel("time (s)")
bottom.set_ylabel("fraction at rest")
plt.show()

# %% [markdown]
# The same seed gives the same result to the last bit, whether the paths are computed on the threads of this process or on the
# workers of any executor of `concurrent.futures`. Each part depends only on its own inputs, so a lost part can be computed again.

# %%
with ThreadPoolExecutor(2) as executor:
    print("identical on two workers:", (run(executor).mean_x == here.mean_x).all())

# %% [markdown]
# A Dask client provides such an executor too: `client.get_executor()`.

# %%
try:
    from distributed import Client
except ImportError:
    same = True  # Dask is not installed here
else:
    with Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as client:
        same = (run(client.get_executor()).mean_x == here.mean_x).all()
print("identical on Dask:", same)

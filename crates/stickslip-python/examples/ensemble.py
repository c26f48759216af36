"""Ten thousand paths under noise, on whatever workers there are; with Dask where it is installed."""

# %%
from concurrent.futures import ThreadPoolExecutor

import stickslip as ss

model = ss.Oscillator(
    mass=1, stiffness=1, friction=ss.coulomb(0.5), force=ss.harmonic(0.8, 1.0) + ss.ornstein_uhlenbeck(1.0, 0.3)
)


def run(executor=None):
    return ss.ensemble(model, t_end=10, step=1e-2, paths=10_000, seed=1, rows=101, executor=executor)


if __name__ == "__main__":
    here = run()
    print(here, f"mean {here.mean_x[-1]:.4f} m, variance {here.var_x[-1]:.4f} m²")

    # %% The same bits, wherever the paths are computed
    with ThreadPoolExecutor(2) as executor:
        assert (run(executor).mean_x == here.mean_x).all()
    try:
        from distributed import Client
    except ImportError:
        print("Dask is not installed")
    else:
        with Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as client:
            assert (run(client.get_executor()).mean_x == here.mean_x).all()
        print("the same bits on Dask")

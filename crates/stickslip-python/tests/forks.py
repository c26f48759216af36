"""Every call that computes on several threads, and processes that are made before and after it.

Run as ``python forks.py METHOD``: it prints ``ok`` and the number of calls whose results were compared.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import sys
import tempfile

import numpy as np
import stickslip as ss

DRIVEN = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
NOISY = ss.Oscillator(
    mass=1, stiffness=1, damping=0.2, friction=ss.coulomb(0.4), force=ss.ornstein_uhlenbeck(1.0, 0.5)
)


def _record() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sixty days of a bearing that holds 5 mm and slips by 3 mm."""
    hours = np.arange(60 * 24.0)
    T = 10 + 8 * np.sin(2 * np.pi * hours / (45 * 24)) + 6 * np.sin(2 * np.pi * hours / 24)
    x, z = 2e-3 * T[0], np.empty(len(T))
    for i, d in enumerate(2e-3 * T):
        while abs(d - x) > 5e-3:
            x += 3e-3 * np.sign(d - x)
        z[i] = x
    return hours * 3600.0, T, z + np.random.default_rng(1).normal(0.0, 2e-5, len(T))


def _fleet() -> object:
    """Two bearings in a folder of their own."""
    t, T, z = _record()
    with tempfile.TemporaryDirectory() as folder:
        to = pathlib.Path(folder)
        for k in range(2):
            rows = "".join(f"{a!r},{b!r},{1e3 * (1 + k / 10) * c!r}\n" for a, b, c in zip(t.tolist(), T.tolist(), z.tolist()))
            (to / f"b{k}.csv").write_text("time,temperature,z\n" + rows)
        (to / "fleet.toml").write_text(
            '[data]\nfile = "b*.csv"\ntime = "time"\ntime_unit = "s"\ndrive = "temperature"\nresponse = "z"\n'
            'response_unit = "mm"\n[model]\nkind = "thermal-bearing"\n[fit]\ndiagnose = false\n[fleet]\nchanges = false\n'
        )
        found = ss.fleet(to / "fleet.toml")
        return found["f_s_over_K"], found["status"]


CALLS = {
    "ensemble": lambda: ss.ensemble(NOISY, 1.0, step=0.01, paths=300).var_x,
    "sweep": lambda: ss.sweep(DRIVEN, {"oscillator.stiffness": np.linspace(1.0, 2.0, 9)}, 20.0).dissipated,
    "calibrate": lambda: ss.calibrate(*_record(), diagnose=False).rmse,
    "orbit": lambda: ss.orbit(DRIVEN).multipliers,
    "orbit_many": lambda: ss.orbit_many(DRIVEN, {"oscillator.stiffness": np.linspace(1.0, 1.2, 5)}).amplitude,
    "response": lambda: ss.response(DRIVEN, "oscillator.friction.coulomb.force", (0.5, 0.9), count=10).amplitude,
    "basins": lambda: ss.basins(DRIVEN, (-2, 2, 5), (-2, 2, 5)).grid,
    "fleet": _fleet,
    "solve_many": lambda: ss.solve_many(DRIVEN, {"oscillator.stiffness": np.linspace(1.0, 2.0, 200)}, t_end=20, t=[7.0, 20.0]).x,
    "sensitivity": lambda: ss.sensitivity(DRIVEN, ["oscillator.mass", "oscillator.stiffness"], t_end=20, t=[7.0, 20.0]).x,
    "energy": lambda: ss.sensitivity(DRIVEN, ["oscillator.mass", "oscillator.stiffness"], t_end=20, t=[20.0]).energy.friction,
    "converge": lambda: ss.converge(DRIVEN, 5.0, "implicit-euler", step=0.01, halvings=3).error,
    # One large step is shared between threads, on the calling thread itself once the call is known to be short.
    "cascade": lambda: ss.solve(
        ss.Cascade(mass=1, stiffness=np.ones(140_001), threshold=np.ones(140_000), force=ss.harmonic(2.0, 1.0)),
        0.02,
        "implicit-euler",
        step=0.01,
    ).x,
}


def digest(name: str) -> str:
    """What a call finds, as a text that changes with every bit."""
    found = CALLS[name]()
    parts = found if isinstance(found, tuple) else (found,)
    return hashlib.sha256(b"".join(np.asarray(p).tobytes() for p in parts)).hexdigest()


def all_of_them() -> dict[str, str]:
    return {name: digest(name) for name in CALLS}


def in_a_child_of_its_own() -> dict[str, str]:
    """The same in a process that was forked from this one."""
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(all_of_them)


def compared(method: str) -> int:
    """Compares what children find with what this process finds."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    done = 0
    if method == "fork":
        # Each call before, and every call after it in a child.
        want = {}
        for name in CALLS:
            want[name] = digest(name)
            with multiprocessing.get_context("fork").Pool(1) as pool:
                found = pool.apply(all_of_them)
            done += len(found)
            assert all(found[known] == want[known] for known in want), name
        # A child of a child, and this process again afterwards.
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
            assert pool.submit(in_a_child_of_its_own).result() == want
        assert all_of_them() == want
        return done + 2 * len(CALLS)
    want = all_of_them()
    if method == "executor":
        # The first row of the guide's table: what the platform makes by default.
        with ProcessPoolExecutor(2) as pool:
            parts = ss.ensemble(NOISY, 1.0, step=0.01, paths=300, executor=pool).var_x
        assert hashlib.sha256(parts.tobytes()).hexdigest() == want["ensemble"]
        return 1
    if method == "os.fork":
        pid = os.fork()
        if pid == 0:
            os._exit(0 if all_of_them() == want else 3)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        return len(CALLS)
    if method.startswith("joblib"):
        import joblib

        backend = method.partition("-")[2]
        found = dict(zip(CALLS, joblib.Parallel(2, backend=backend)(joblib.delayed(digest)(name) for name in CALLS)))
    elif method == "torch":
        import torch.utils.data

        loaded = torch.utils.data.DataLoader(list(CALLS), batch_size=None, num_workers=2, collate_fn=digest)
        found = dict(zip(CALLS, loaded))
    else:
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
            found = dict(zip(CALLS, pool.map(digest, CALLS)))
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert dict(zip(CALLS, pool.map(digest, CALLS))) == found
    assert found == want
    return len(found)


if __name__ == "__main__":
    # Children that begin anew must find these functions by their module's name.
    import forks

    print("ok", forks.compared(sys.argv[1]))

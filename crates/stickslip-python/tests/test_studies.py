"""Ensembles, sweeps and their parts: the same bits, however they are computed."""

from __future__ import annotations

import pickle
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import stickslip as ss


class Inline:
    """An executor that computes at once, and counts its parts."""

    def __init__(self, workers=1):
        self._max_workers, self.parts = workers, 0

    def submit(self, f, *args):
        self.parts += 1
        future = Future()
        # As another process would see it.
        f, args = pickle.loads(pickle.dumps((f, args)))
        future.set_result(pickle.loads(pickle.dumps(f(*args))))
        return future


def same(a, b):
    one, other = a.table(), b.table()
    assert list(one) == list(other)
    for name in one:
        assert one[name].tobytes() == other[name].tobytes(), name


def test_an_ensemble_has_the_moments_of_the_theory():
    # Without friction and spring, dη = −η dt + s dB drives m dv = η dt: var v(t) = s² (t − 2(1 − e⁻ᵗ) + (1 − e⁻²ᵗ)/2).
    model = ss.Oscillator(
        mass=1, stiffness=0, friction=ss.coulomb(0.0), force=ss.ornstein_uhlenbeck(1.0, 0.7)
    )
    ens = ss.ensemble(model, 4.0, step=0.01, paths=20_000, seed=3)
    t = ens.t
    want = 0.49 * (t - 2.0 * (1.0 - np.exp(-t)) + 0.5 * (1.0 - np.exp(-2.0 * t)))
    # The variance of 20 000 paths is known to √(2/20000) = 1 %; five of that.
    assert ens.var_v[1:] == pytest.approx(want[1:], rel=0.05, abs=1e-3)
    assert ens.paths == 20_000 and ens.t[-1] == 4.0 and abs(ens.mean_v[-1]) < 5.0 * np.sqrt(want[-1] / 20_000)
    assert repr(ens).startswith("<Ensemble of 20000 paths")


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_an_ensemble_has_the_same_bits_in_parts(noisy, workers):
    whole = ss.ensemble(noisy, 5.0, step=0.01, paths=1000, seed=1, final=True)
    executor = Inline(workers)
    parts = ss.ensemble(noisy, 5.0, step=0.01, paths=1000, seed=1, final=True, executor=executor)
    assert executor.parts > 1
    same(whole, parts)
    assert all((whole.final[n] == parts.final[n]).all() for n in ("path", "x", "v"))
    assert len(whole.final["x"]) == 1000


def test_parts_are_merged_in_any_order(noisy):
    run = lambda paths: ss.ensemble(noisy, 2.0, step=0.01, paths=paths, seed=2, final=True)  # noqa: E731
    whole, parts = run(900), [run((600, 900)), run((0, 300)), run((300, 600))]
    merged = ss.merge(parts)
    same(whole, merged)
    assert (merged.final["x"] == whole.final["x"]).all()
    same(whole, ss.merge([p.partial for p in parts]))
    with pytest.raises(ss.InputError):
        ss.merge([parts[0], parts[0]])
    with pytest.raises(ss.InputError):
        ss.merge([])
    with pytest.raises(ss.InputError, match=r"parts\[0\]"):
        ss.merge([3])


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_pools_of_the_standard_library(noisy, pool):
    import multiprocessing

    more = {"mp_context": multiprocessing.get_context("spawn")} if pool is ProcessPoolExecutor else {}
    with pool(2, **more) as executor:
        told = []
        parts = ss.ensemble(
            noisy, 1.0, step=0.01, paths=300, executor=executor, progress=lambda n, of: told.append((n, of))
        )
        tab = ss.sweep(noisy.replace(force=None), {"oscillator.stiffness": [1.0, 1.5, 2.0]}, 5.0, executor=executor)
    same(ss.ensemble(noisy, 1.0, step=0.01, paths=300), parts)
    same(ss.sweep(noisy.replace(force=None), {"oscillator.stiffness": [1.0, 1.5, 2.0]}, 5.0), tab)
    assert told[-1] == (300, 300)


class Flaky(Inline):
    """An executor whose workers are lost with every second part, after or before they have computed it."""

    class Lost(Exception):
        """As the library of an executor would call it."""

    def submit(self, f, *args):
        future = super().submit(f, *args)
        if self.parts % 2:
            return future
        lost = Future()
        lost.set_exception([self.Lost(), OSError("no connection")][self.parts % 4 == 0])
        return lost


def test_parts_that_are_lost_are_computed_again(noisy, shaw):
    executor = Flaky(3)
    told = []
    parts = ss.ensemble(
        noisy, 2.0, step=0.01, paths=1000, final=True, executor=executor, progress=lambda n, of: told.append((n, of))
    )
    whole = ss.ensemble(noisy, 2.0, step=0.01, paths=1000, final=True)
    same(whole, parts)
    assert (whole.final["x"] == parts.final["x"]).all() and executor.parts > 12
    assert told[-1] == (1000, 1000) and told == sorted(set(told))
    vary = {"oscillator.stiffness": np.linspace(1.0, 2.0, 9)}
    same(ss.sweep(shaw, vary, 10.0), ss.sweep(shaw, vary, 10.0, executor=Flaky(2)))


class Struck(Inline):
    """An executor that fails with the n-th part, or with every n-th; when it takes it, or when it computes it."""

    def __init__(self, n, fault, every=False, taking=False):
        super().__init__(2)
        self.n, self.fault, self.every, self.taking, self.futures = n, fault, every, taking, []

    def submit(self, f, *args):
        number = self.parts + 1
        strikes = number % self.n == 0 if self.every else number == self.n
        if strikes and self.taking:
            self.parts = number
            raise self.fault
        future = super().submit(f, *args)
        if strikes:
            future = Future()
            future.set_exception(self.fault)
        else:
            # Not yet begun, as on a worker that is busy.
            future.cancel = lambda: self.futures.append(number) or True
        return future


PASSING = [OSError("no connection"), EOFError(), ConnectionResetError(), Flaky.Lost()]
LASTING = [MemoryError(), ZeroDivisionError(), RuntimeError("a worker"), KeyError("a"), BrokenExecutor("broken")]


@pytest.mark.parametrize("fault", PASSING, ids=lambda e: type(e).__name__)
def test_a_fault_of_any_part_that_passes_changes_no_bit(shaw, fault):
    vary = {"oscillator.stiffness": np.linspace(1.0, 2.0, 9)}
    whole = ss.sweep(shaw, vary, 5.0)
    parts = Inline(2)
    ss.sweep(shaw, vary, 5.0, executor=parts)
    for n in range(1, parts.parts + 1):
        same(whole, ss.sweep(shaw, vary, 5.0, executor=Struck(n, fault)))
        if n > 1:
            same(whole, ss.sweep(shaw, vary, 5.0, executor=Struck(n, fault, every=True)))


@pytest.mark.parametrize("fault", LASTING, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("taking", [False, True])
def test_a_fault_that_lasts_is_raised_as_it_is(shaw, fault, taking):
    vary = {"oscillator.stiffness": np.linspace(1.0, 2.0, 9)}
    whole = ss.sweep(shaw, vary, 5.0)
    for n in (1, 2, 5, 8):
        executor = Struck(n, fault, taking=taking)
        with pytest.raises(type(fault)) as raised:
            ss.sweep(shaw, vary, 5.0, executor=executor)
        assert raised.value is fault
        # What was handed out before is given up, and a second try succeeds.
        assert len(executor.futures) == executor.parts - 1
        same(whole, ss.sweep(shaw, vary, 5.0, executor=Inline(2)))


def test_what_fails_on_every_worker_fails(noisy):
    class Dead(Inline):
        def submit(self, f, *args):
            self.parts += 1
            future = Future()
            future.set_exception(OSError("no connection"))
            return future

    executor = Dead()
    with pytest.raises(OSError, match="no connection"):
        ss.ensemble(noisy, 1.0, step=0.01, paths=64, executor=executor)
    assert executor.parts == 3
    executor = ThreadPoolExecutor(2)
    with executor, pytest.raises(ss.InputError, match="mas"):
        ss.sweep(noisy, {"oscillator.mas": [1.0, 2.0]}, 1.0, step=0.1, executor=executor)


def test_dask(noisy):
    distributed = pytest.importorskip("distributed")
    with distributed.Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as client:
        parts = ss.ensemble(noisy, 1.0, step=0.01, paths=300, executor=client.get_executor())
    same(ss.ensemble(noisy, 1.0, step=0.01, paths=300), parts)


def test_threads_do_not_change_bits(noisy):
    same(
        ss.ensemble(noisy, 2.0, step=0.01, paths=500, threads=1),
        ss.ensemble(noisy, 2.0, step=0.01, paths=500, threads=3),
    )


def test_a_sweep_is_one_run_at_each_point(shaw):
    values = np.array([0.3, 0.4, 0.55, 0.9])
    key = "oscillator.drive.0.harmonic.angular_frequency"
    tab = ss.sweep(shaw, {key: values}, 40.0)
    assert tab[key].tolist() == values.tolist() and tab.axes[key] is not None
    for i, omega in enumerate(values):
        path = ss.solve(shaw.replace(drive=ss.harmonic(6.0, omega)), 40.0)
        assert tab.slips[i] == np.sum(path.events["event"] == "slip")
        assert tab.dissipated[i] == pytest.approx(path.energy.friction, rel=1e-12)
        assert tab.end_x[i] == path(40.0)[0]


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("scheme", [{}, {"scheme": "euler", "step": 0.01}])
def test_a_sweep_has_the_same_bits_in_parts(shaw, workers, scheme):
    vary = {"oscillator.stiffness": np.linspace(1.0, 2.0, 5), "oscillator.mass": [0.5, 1.0, 1.5]}
    whole = ss.sweep(shaw, vary, 10.0, **scheme)
    parts = ss.sweep(shaw, vary, 10.0, executor=Inline(workers), **scheme)
    same(whole, parts)
    assert whole.grid("slips").shape == (3, 5) and parts._csv("sweep") == whole._csv("sweep")
    assert parts.figures == whole.figures != () and parts.figure() == whole.figure()
    assert parts.text == whole.text and parts.warnings == whole.warnings
    same(whole, pickle.loads(pickle.dumps(whole)))
    same(whole, pickle.loads(pickle.dumps(parts)))


def test_results_are_files_too(noisy, tmp_path):
    ens = ss.ensemble(noisy, 2.0, step=0.01, paths=100)
    ens.write(tmp_path / "out")
    names = {f.name for f in (tmp_path / "out").iterdir()}
    assert {"summary.json", "ensemble.csv", "partial.json", "ensemble.svg"} <= names
    ens.report(tmp_path / "r.html")
    assert "<svg" in (tmp_path / "r.html").read_text() and "<svg" in ens._repr_html_()
    copy = pickle.loads(pickle.dumps(ens))
    same(copy, ens)
    assert copy.figure() == ens.figure() and copy.text == ens.text
    same(ss.merge([tmp_path / "out" / "partial.json"]), ens)


def test_figures(noisy, shaw):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ss.ensemble(noisy, 2.0, step=0.01, paths=100).plot()
    ss.sweep(shaw, {"oscillator.stiffness": [1.0, 2.0]}, 5.0).plot(column="slips")
    ss.sweep(shaw, {"oscillator.stiffness": [1.0, 2.0], "oscillator.mass": [1.0, 2.0]}, 5.0).plot()
    ss.converge(shaw, 5.0, "euler", halvings=2).plot()
    matplotlib.pyplot.close("all")


def test_solutions_of_problems_that_have_several():
    # A load that touches the limit at every instant from 1 s on.
    model = ss.Oscillator(mass=1, stiffness=0, friction=ss.static_dynamic(1.2, 1.0), force=1.2)
    found = ss.solutions(model, 2.0, step=0.1, limit=50)
    assert found.tables and "several" in found.text or found.text
    assert ss.solutions(ss.Corner(angles=10)).tables and ss.solutions(ss.Schatzman(bounces=5)).tables
    with pytest.raises(ss.InputError):
        ss.solutions(ss.Corner(), 2.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: ss.ensemble(m, 1.0, paths=10),
        lambda m: ss.ensemble(m, 1.0, step=0.1, paths=0),
        lambda m: ss.ensemble(m, 1.0, step=0.1, paths=(5, 5)),
        lambda m: ss.ensemble(m, 1.0, step=0.1, paths=10, quantiles=[2.0]),
        lambda m: ss.ensemble(m, 1.0, step=0.1, paths=10, executor=3),
        lambda m: ss.ensemble(m, 1.0, step=0.1, paths=10, progress=3),
        lambda m: ss.sweep(m, {}, 1.0),
        lambda m: ss.sweep(m, 3, 1.0),
        lambda m: ss.sweep(m, {"oscillator.mas": [1.0]}, 1.0, step=0.1),
        lambda m: ss.sweep(m, {"oscillator.mass": []}, 1.0, step=0.1),
        lambda m: ss.sweep(m, {"oscillator.mass": [np.nan]}, 1.0, step=0.1),
        lambda m: ss.converge(m, 1.0, halvings=0),
        lambda m: ss.converge(m, 1.0, against="me"),
    ],
)
def test_what_is_wrong(call, noisy):
    with pytest.raises(ss.InputError) as e:
        call(noisy)
    assert "--" not in str(e.value)

"""What comes in as arrays, and what is handed out."""

from __future__ import annotations

import datetime
import decimal
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import stickslip as ss


@pytest.fixture(scope="module")
def record():
    """Forty days of a bearing that holds 5 mm and slips by 3 mm."""
    hours = np.arange(40 * 24.0)
    T = 10 + 8 * np.sin(2 * np.pi * hours / (30 * 24)) + 6 * np.sin(2 * np.pi * hours / 24)
    x, z = 2e-3 * T[0], np.empty(len(T))
    for i, d in enumerate(2e-3 * T):
        while abs(d - x) > 5e-3:
            x += 3e-3 * np.sign(d - x)
        z[i] = x
    return hours * 3600.0, T, z + np.random.default_rng(1).normal(0.0, 2e-5, len(T))


def shaw(**changes):
    return ss.Oscillator(
        **{"mass": 1, "stiffness": 1, "friction": ss.static_dynamic(1.2, 1.0), "drive": ss.harmonic(6.0, 0.5), "x0": 6.0, **changes}
    )


# --- Masked arrays ---------------------------------------------------------------------------------


@pytest.mark.parametrize("below", [917.0, 0.0, -9999.0, np.nan])
def test_what_is_masked_in_a_record_is_missing(record, below):
    t, T, z = record
    holes, covered = z.copy(), z.copy()
    holes[100:140], covered[100:140] = np.nan, below
    masked = np.ma.MaskedArray(covered, np.isnan(holes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ss.StickslipWarning)
        want = ss.calibrate(t, T, holes, diagnose=False)
        found = ss.calibrate(t, T, masked, diagnose=False)
        others = [
            ss.calibrate(t, T, [None if np.isnan(v) else v for v in holes], diagnose=False),
            ss.calibrate(t, T, [None if np.isnan(v) else decimal.Decimal(float(v)) for v in holes], diagnose=False),
        ]
    assert found.missing == want.missing == 40 and found.rmse == want.rmse
    assert [o.rmse for o in others] == [want.rmse] * 2


def test_masked_integers_and_pandas_na_are_missing_too():
    from stickslip._arguments import numbers

    for given in (
        np.ma.MaskedArray([1, 2, 3], [False, True, False]),
        np.ma.MaskedArray([1.0, 5.0, 3.0], [False, True, False], dtype=np.float32),
        [1, None, 3],
    ):
        assert np.array_equal(numbers("x", given), [1.0, np.nan, 3.0], equal_nan=True)
    pandas = pytest.importorskip("pandas")
    for kind in ("Float64", "Int64"):
        assert np.array_equal(numbers("x", pandas.array([1, None, 3], dtype=kind)), [1.0, np.nan, 3.0], equal_nan=True)
    assert np.array_equal(numbers("x", pandas.Series([1, None, 3], dtype="Int64")), [1.0, np.nan, 3.0], equal_nan=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: ss.sampled([0.0, 1.0, 2.0], m),
        lambda m: ss.sampled(m, [0.0, 1.0, 2.0]),
        lambda m: shaw(stiffness=m),
        lambda m: ss.Cascade(mass=1, stiffness=m, threshold=[1.0, 1.0]),
        lambda m: ss.table(m - 1.0, [1.0, 1.0, 1.0]),
        lambda m: ss.table([0.0, 1.0, 2.0], m),
        lambda m: ss.Network.from_matrices(m, K=np.eye(3)),
        lambda m: ss.Network.from_matrices(np.ones(3), K=np.eye(3), x0=m),
        lambda m: ss.Network.from_matrices(np.ones(3), K=np.eye(3), contacts=[0, 1, 2], limits=m),
        lambda m: ss.solve(shaw(), 5.0)(m),
        lambda m: ss.sweep(shaw(), {"oscillator.mass": m}, 5.0),
        lambda m: ss.solve_ivp(shaw(), (0, 5), t_eval=m),
    ],
)
def test_a_masked_value_is_never_taken_for_what_lies_below_the_mask(call):
    call(np.ma.MaskedArray([1.0, 2.0, 3.0], [False, False, False]))
    with pytest.raises(ss.InputError):
        call(np.ma.MaskedArray([1.0, 2.0, 3.0], [False, True, False]))


# --- Times with zones --------------------------------------------------------------------------------


def test_times_with_a_zone_are_instants_and_numpy_does_not_warn():
    from stickslip._arguments import seconds

    pandas = pytest.importorskip("pandas")
    # Summer time ends at 1:00 UTC on 27 October 2024 in Berlin: the hours before and after it last an hour all the same.
    stamps = pandas.date_range("2024-10-26T22:00", periods=8, freq="h", tz="UTC").tz_convert("Europe/Berlin")
    zone = datetime.timezone(datetime.timedelta(hours=2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in (
            stamps,
            pandas.Series(stamps),
            list(stamps),
            np.array(list(stamps), dtype=object),
            [s.to_pydatetime() for s in stamps],
            [s.to_pydatetime().astimezone(zone) for s in stamps],
        ):
            t, origin = seconds("time", given)
            assert t.tolist() == [3600.0 * i for i in range(8)] and origin == np.datetime64("2024-10-26T22:00")
    mixed = [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2, tzinfo=zone)]
    with pytest.raises(ss.InputError, match="with and without a time zone"):
        seconds("time", mixed)


# --- Warnings ------------------------------------------------------------------------------------------


def test_warnings_are_those_of_python_and_come_once(record):
    t, T, z = record
    shifted = z + np.where(np.arange(len(z)) > 500, 5e-3, 0.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = ss.calibrate(t, T, shifted)
    assert fit.warnings
    assert [str(w.message) for w in caught] == list(fit.warnings)
    assert all(w.category is ss.RecordWarning and w.filename == __file__ for w in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ss.StickslipWarning)
        with pytest.raises(ss.RecordWarning):
            ss.calibrate(t, T, shifted)
        # Looking at it again, or at a copy, warns no more.
        assert pickle.loads(pickle.dumps(fit)).warnings == fit.warnings
        ss.solve(shaw(), 5.0)


def test_a_motion_warns_where_it_is_asked_for():
    # A load that equals the breakaway force from the start: the motion is sensitive there.
    noisy = shaw(force=ss.ornstein_uhlenbeck(100.0, 0.5))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        path = ss.solve(noisy, 5.0, "euler", step=0.1)
    assert path.warnings and [str(w.message) for w in caught] == list(path.warnings)
    assert all(issubclass(w.category, ss.MotionWarning) and w.filename == __file__ for w in caught)


def test_an_executor_does_not_warn_in_its_workers():
    from concurrent.futures import ThreadPoolExecutor

    noisy = shaw(force=ss.ornstein_uhlenbeck(100.0, 0.5))
    with warnings.catch_warnings(record=True) as caught, ThreadPoolExecutor(2) as pool:
        warnings.simplefilter("always")
        found = ss.ensemble(noisy, 1.0, step=0.1, paths=300, executor=pool)
    assert [str(w.message) for w in caught] == list(found.warnings)


# --- Many records ----------------------------------------------------------------------------------------


def test_one_bad_record_of_many_stops_no_other(record):
    from concurrent.futures import ThreadPoolExecutor

    t, T, z = record
    records = {"a": (t, T, z), "bad": (t[::-1], T, z), "short": (t[:5], T[:5], z[:5]), "b": (t, T, z), "two": (t, T)}
    with ThreadPoolExecutor(2) as pool:
        for executor in (None, pool):
            with pytest.warns(ss.RecordWarning, match="the record 'bad' could not be calibrated"):
                fits = ss.calibrate_all(records, diagnose=False, executor=executor)
            assert list(fits) == ["a", "b"] and list(fits.failed) == ["bad", "short", "two"]
            assert fits["a"].parameters == fits["b"].parameters
            assert isinstance(fits.failed["bad"], ss.InputError) and "bad" in repr(fits)
            with pytest.raises(ss.InputError, match="'bad' could not be calibrated"):
                fits["bad"]
            with pytest.raises(KeyError):
                fits["nobody"]
            again = pickle.loads(pickle.dumps(fits))
            assert list(again) == ["a", "b"] and list(again.failed) == list(fits.failed)
    with pytest.raises(ss.InputError, match="none of the 2 records"):
        ss.calibrate_all({"bad": records["bad"], "short": records["short"]})


# --- What is handed out ------------------------------------------------------------------------------------


def test_arrays_that_are_shared_cannot_be_changed():
    path = ss.solve(shaw(), 10.0)
    for array in (path.t, path.x, path.v, path.friction, path.phase, path.events, path["x"]):
        with pytest.raises(ValueError):
            array[0] = array[1]
    copy = path.x.copy()
    copy[0] = 7.0
    path([1.0, 2.0])[0] = 3.0
    found = ss.sweep(shaw(), {"oscillator.mass": [1.0, 2.0]}, 5.0)
    with pytest.raises(ValueError):
        found.slips[0] = 3
    table = found.table()
    table["own"] = table["slips"] + 1
    assert "own" not in found.table()


def test_a_generator_draws_another_path_and_no_seed_the_same():
    noisy = shaw(force=ss.white(0.5))
    ends = [ss.solve(noisy, 1.0, "euler", step=0.01).x[-1] for _ in range(2)]
    assert ends[0] == ends[1]
    rng = np.random.default_rng(5)
    drawn = [ss.solve(noisy, 1.0, "euler", step=0.01, seed=rng).x[-1] for _ in range(2)]
    assert drawn[0] != drawn[1]
    again = np.random.default_rng(5)
    assert [ss.solve(noisy, 1.0, "euler", step=0.01, seed=again).x[-1] for _ in range(2)] == drawn


# --- Files ---------------------------------------------------------------------------------------------------


@pytest.fixture
def driven(tmp_path):
    """A model file in a folder, with its samples in a folder below."""
    (tmp_path / "m" / "data").mkdir(parents=True)
    (tmp_path / "m" / "data" / "d.csv").write_text("t,d\n0,0\n1,2\n5,-1\n")
    sampled = '[[oscillator.drive]]\nsampled = { file = "data/d.csv", time = "t", value = "d", time_unit = "s" }\n'
    text = "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb.force = 0.3\n" + sampled + "[run]\nend = 5.0\n"
    (tmp_path / "m" / "model.toml").write_text(text)
    return tmp_path


def test_relative_paths_are_those_of_the_model(driven, monkeypatch):
    want = ss.solve(ss.load(driven / "m" / "model.toml")).x[-1]
    (driven / "other").mkdir()
    monkeypatch.chdir(driven / "other")
    model = ss.load("../m/model.toml")
    before = model.to_dict()
    model.to_toml("sub.toml")
    model.to_toml(driven / "top.toml")
    assert 'file = "../m/data/d.csv"' in (driven / "other" / "sub.toml").read_text()
    assert 'file = "m/data/d.csv"' in (driven / "top.toml").read_text()
    for where in ("sub.toml", driven / "top.toml"):
        assert ss.solve(ss.load(where)).x[-1] == want
    assert ss.solve(ss.load(model.to_toml())).x[-1] == want
    assert model.to_dict() == before and ss.solve(model).x[-1] == want
    # Made in Python: names are relative to the present folder.
    monkeypatch.chdir(driven)
    made = ss.Oscillator(
        mass=1, stiffness=1, friction=ss.coulomb(0.3), drive=ss.sampled("t", "d", file="m/data/d.csv", time_unit="s")
    )
    made.to_toml("other/made.toml")
    monkeypatch.chdir("/")
    assert ss.solve(ss.load(driven / "other" / "made.toml"), 5.0).x[-1] == want


# --- SciPy's look -----------------------------------------------------------------------------------------------


def test_solve_ivp_takes_the_arguments_of_scipy_in_their_order():
    import inspect

    integrate = pytest.importorskip("scipy.integrate")
    theirs = list(inspect.signature(integrate.solve_ivp).parameters)[1:7]
    assert list(inspect.signature(ss.solve_ivp).parameters)[1:7] == theirs
    # A mass on a spring without friction that matters: x = 2 cos t + 0.5 sin t, ẋ = −2 sin t + 0.5 cos t.
    free = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.0))
    t = np.linspace(0.0, 10.0, 21)
    found = ss.solve_ivp(free, (0, 10), [2.0, 0.5], "exact", t)
    assert np.abs(found.y[0] - (2.0 * np.cos(t) + 0.5 * np.sin(t))).max() < 1e-12
    scipy = integrate.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 10), [2.0, 0.5], t_eval=t, rtol=1e-10, atol=1e-12)
    assert np.abs(found.y - scipy.y).max() < 1e-8
    net = ss.Network(nodes=[ss.node("a", 1.0), ss.node("b", 1.0)], springs=[ss.spring("a", "ground", 1), ss.spring("b", "ground", 4)])
    two = ss.solve_ivp(net, (0, 10), [2.0, 1.0, 0.5, 0.0], t_eval=t)
    assert np.abs(two.y[0] - found.y[0]).max() < 1e-10 and np.abs(two.y[1] - np.cos(2 * t)).max() < 1e-10


def test_no_named_scheme_is_one_that_can():
    weak = shaw(friction=ss.stribeck(1.0, 0.0, 0.5, 1.2))
    assert ss.solve(weak, 5.0).scheme == "adaptive" and ss.solve(shaw(), 5.0).scheme == "exact"
    net = ss.Network(
        nodes=[ss.node("a", 1.0)], springs=[ss.spring("a", "ground", 3.0)], sliders=[ss.slider("a", "ground", 1.2, 1.0)]
    )
    assert ss.solve(net, 5.0).scheme == "exact" and ss.solve(net, 5.0, step=0.01).scheme == "implicit-euler"


def test_importing_warnings_costs_nothing():
    """No module of the package warns when it is imported with warnings as errors."""
    subprocess.run([sys.executable, "-W", "error", "-c", "import stickslip"], check=True)

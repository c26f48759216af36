"""Calibration finds what a record was made with."""

from __future__ import annotations

import pickle
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import stickslip as ss

BETA, F_S, F_D, K, K_BP, Z0 = 2.0e-3, 500e3, 350e3, 1.0e8, 2.0e9, 0.01


@pytest.fixture(scope="module")
def record():
    """A year of temperatures every hour, and the motion of a bearing by its definition.

    Stick while K|βT − x| ≤ f_s, then x jumps by 2(f_s − f_d)/K towards βT: a loop over the rows, independent of
    the library.
    """
    hours = np.arange(0.0, 120 * 24.0)
    rng = np.random.default_rng(5)
    T = 10.0 + 8.0 * np.sin(2 * np.pi * hours / (90 * 24)) + 6.0 * np.sin(2 * np.pi * hours / 24)
    T = T + np.convolve(rng.normal(0.0, 1.0, len(T)), np.ones(12) / 12, "same")
    x, xs = BETA * T[0], []
    for value in T:
        while abs(K * (BETA * value - x)) > F_S:
            x += np.sign(BETA * value - x) * 2.0 * (F_S - F_D) / K
        xs.append(x)
    x = np.array(xs)
    z = Z0 + x + K * (BETA * T - x) / K_BP + rng.normal(0.0, 2e-5, len(T))
    return hours * 3600.0, T, z


@pytest.fixture(scope="module")
def fit(record):
    return ss.calibrate(*record, bearing_stiffness=K_BP)


def test_parameters_are_recovered(fit):
    assert fit.f_s_over_K.value == pytest.approx(F_S / K, rel=0.03)
    assert fit.f_s_over_K.identifiable and fit.f_s_over_K.ci95[0] <= fit.f_s_over_K.value <= fit.f_s_over_K.ci95[1]
    assert fit.f_d_over_K.value == pytest.approx(F_D / K, rel=0.05)
    assert fit.parameters["beta"].value == pytest.approx(BETA, rel=0.01)
    assert fit.parameters["K"].value == pytest.approx(K, rel=0.1)
    assert fit.parameters["z0"].value == pytest.approx(Z0, abs=2e-4)
    assert set(fit.parameters) == {"z0", "K", "f_d", "f_s", "beta"}
    assert float(fit.f_s_over_K) == fit.f_s_over_K.value and "m" in str(fit.f_s_over_K)
    assert isinstance(fit.warnings, tuple) and isinstance(fit.diagnosis, list)
    assert fit.rmse < 1e-3 and "Fit:" in repr(fit)


def test_without_a_bearing_stiffness_forces_are_unknown(record):
    fit = ss.calibrate(*record)
    assert fit.parameters["f_s"].value is None and not fit.parameters["f_s"].identifiable
    assert fit.parameters["f_s"].reason and np.isnan(float(fit.parameters["f_s"]))
    assert fit.f_s_over_K.value == pytest.approx(F_S / K, rel=0.03)


def test_dates_give_the_same_bits(record, fit):
    t, T, z = record
    dates = np.datetime64("2024-01-01T00:00") + (t * 1e9).astype("timedelta64[ns]")
    other = ss.calibrate(dates, T, z, bearing_stiffness=K_BP)
    assert other.origin == dates[0]
    assert other.summary["fit"]["parameters"] == fit.summary["fit"]["parameters"]


def test_the_prediction_of_the_record_is_its_fit(record, fit):
    t, T, _ = record
    z = fit.predict(t, T, x0=float(fit.x[0]))
    known = np.isfinite(fit.fitted)
    # The two differ where a slip falls between rows.
    assert np.sqrt(np.mean((z - fit.fitted)[known] ** 2)) < 0.2 * F_S / K
    later = t[-1] + np.array([3600.0, 7200.0])
    assert fit.predict(later, [T[-1], T[-1]]).shape == (2,)
    with pytest.raises(ss.InputError, match="x0"):
        fit.predict(t - 1e6, T)


def test_a_prediction_passes_over_readings_that_are_missing(record, fit):
    t, T, _ = record
    gaps, straight = T.copy(), T.copy()
    gaps[[0, 7, 8, -1]] = np.nan
    straight[7:9] = np.interp(t[7:9], t[[6, 9]], T[[6, 9]])
    x0 = float(fit.x[0])
    z = fit.predict(t, gaps, x0=x0)
    assert np.isnan(z[[0, -1]]).all() and np.isfinite(z[1:-1]).all()
    assert np.allclose(z[1:-1], fit.predict(t[1:-1], straight[1:-1], x0=x0), rtol=0, atol=1e-12)
    with pytest.raises(ss.InputError, match="fewer than two"):
        fit.predict(t, np.full(len(t), np.nan), x0=x0)


def test_a_fit_is_tables_a_report_and_a_pickle(fit, tmp_path):
    fit.report(tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>") and "http://" not in page.replace("http://www.w3.org", "")
    copy = pickle.loads(pickle.dumps(fit))
    assert copy.parameters == fit.parameters and (copy.fitted == fit.fitted).tolist() == (fit.fitted == fit.fitted).tolist()
    copy.report(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text() == page
    assert {"t", "drive", "measured", "fitted", "x", "phase"} <= set(fit.table("fit"))


def test_missing_values(record):
    t, T, z = record
    holes = z.copy()
    holes[100:140] = np.nan
    fit = ss.calibrate(t, T, holes, bearing_stiffness=K_BP)
    assert fit.missing == 40 and fit.f_s_over_K.value == pytest.approx(F_S / K, rel=0.05)


def test_many_records(record, fit):
    t, T, z = record
    records = {"a": (t, T, z), "b": (t[:1500], T[:1500], z[:1500])}
    one = ss.calibrate_all(records, bearing_stiffness=K_BP)
    with ThreadPoolExecutor(2) as executor:
        other = ss.calibrate_all(records, bearing_stiffness=K_BP, executor=executor)
    assert list(one) == list(other) == ["a", "b"]
    assert one["a"].parameters == other["a"].parameters == fit.parameters
    assert one["b"].parameters == other["b"].parameters


def test_many_records_that_are_frames(record, fit):
    t, T, z = record
    columns = {"when": t, "air": T, "moved": z}
    named = {"time": "when", "temperature": "air", "displacement": "moved"}
    records = {"dictionary": columns, "tuple": (t, T, z)}
    for library in ("pandas", "polars"):
        try:
            records[library] = __import__(library).DataFrame(columns)
        except ImportError:
            continue
    records["without"] = {"when": t, "air": T}
    with pytest.warns(ss.RecordWarning, match="the record 'without' could not be calibrated.*has no column 'moved'"):
        fits = ss.calibrate_all(records, **named, bearing_stiffness=K_BP)
    assert list(fits) == list(records)[:-1] and "dictionary" in fits
    assert all(found.parameters == fit.parameters for found in fits.values())
    own = ss.calibrate_all({"a": {"time": t, "temperature": T, "displacement": z}}, bearing_stiffness=K_BP)
    assert own["a"].parameters == fit.parameters


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda t, T, z: (t[::-1], T, z), "record|time"),
        (lambda t, T, z: (t, T[:-1], z), "`temperature` holds"),
        (lambda t, T, z: (t[:50], T[:50], z[:50]), "expected 100|at least"),
        (lambda t, T, z: (t, np.full(len(t), 3.0), z), "every row"),
        (lambda t, T, z: (t, np.where(T > 15, np.inf, T), z), r"`temperature\["),
        (lambda t, T, z: (np.where(t == 0.0, np.nan, t), T, z), r"`time\[0\]`"),
        (lambda t, T, z: (t, T, None), "`displacement` is missing"),
        (lambda t, T, z: (t, np.stack([T, T]), z), "`temperature` has the shape"),
        (lambda t, T, z: ("fit.toml", T, z), "fit file"),
        (lambda t, T, z: (t,), "missing"),
    ],
)
def test_wrong_records(record, change, message):
    with pytest.raises(ss.Error, match=message) as e:
        ss.calibrate(*change(*record))
    assert "--" not in str(e.value)


def test_wrong_options(record):
    for wrong in ({"method": "globl"}, {"runs": 0}, {"lag": -1.0}, {"windows": "30x"}, {"max_gap": "x"}, {"bearing_stiffness": -1.0}):
        with pytest.raises(ss.InputError):
            ss.calibrate(*record, **wrong)


def test_a_pulled_slider():
    # A sawtooth: force rises with kV and falls by known amounts in half a period π√(m/k).
    k, m, velocity, step = 100.0, 1.0, 1e-3, 0.01
    rng = np.random.default_rng(2)
    falls = rng.uniform(0.8, 1.2, 30)
    slip = np.pi * np.sqrt(m / k)
    force, f = [], 2.0
    for fall in falls:
        while f < 3.0:
            force.append(f)
            f += k * velocity * step
        n = int(slip / step)
        for i in range(n):
            force.append(f - fall * 0.5 * (1 - np.cos(np.pi * i / n)))
        f -= fall
    force = np.array(force) + rng.normal(0.0, 1e-3, len(force))
    fit = ss.pulled_slider(step * np.arange(len(force)), force, velocity=velocity, stiffness=k, mass=m)
    slips = fit.table(fit.tables[0])
    counts = {len(v) for v in fit.table("slips").values()} if "slips" in fit.tables else {len(next(iter(slips.values())))}
    assert any(abs(n - 30) <= 1 for n in counts)


def test_a_rigid_drive():
    # m a + c v + f sign v = force on a sum of sines.
    t = np.arange(0.0, 20.0, 1e-3)
    x = 0.1 * np.sin(1.3 * t) + 0.04 * np.sin(4.1 * t)
    v = 0.13 * np.cos(1.3 * t) + 0.164 * np.cos(4.1 * t)
    a = -0.169 * np.sin(1.3 * t) - 0.6724 * np.sin(4.1 * t)
    force = 90.0 * a + 200.0 * v + 20.0 * np.sign(v)
    fit = ss.rigid_drive(t, x, force)
    found = {k: e.value for k, e in fit.parameters.items()}
    assert any(v == pytest.approx(90.0, rel=0.02) for v in found.values() if v is not None)
    assert any(v == pytest.approx(200.0, rel=0.05) for v in found.values() if v is not None)


def test_a_clock_that_is_an_hour_late_is_found(record):
    t, T, z = record
    late = ss.calibrate(t[1:], T[1:], z[:-1], bearing_stiffness=K_BP, shift="fit")
    assert abs(late.summary["fit"]["shift"]["value"]) == pytest.approx(3600.0, rel=0.1)
    assert late.f_s_over_K.value == pytest.approx(F_S / K, rel=0.03)


def test_a_known_error_of_the_thermometer_widens_the_intervals(record):
    def width(error):
        low, high = ss.calibrate(*record, drive_noise=error, diagnose=False).f_s_over_K.ci95
        return high - low

    assert width(0.5) > 1.5 * width(0.05)


def test_the_error_of_the_bearing_stiffness_enters_the_forces(record, fit):
    unsure = ss.calibrate(*record, bearing_stiffness=K_BP, bearing_stiffness_error=0.1 * K_BP)
    low, high = unsure.parameters["K"].ci95
    # A tenth of K_BP is a tenth of K, whatever else is known.
    assert high - low > 2 * 1.9 * 0.1 * K > fit.parameters["K"].ci95[1] - fit.parameters["K"].ci95[0]


def test_readings_between_those_of_the_thermometer(record):
    t, T, z = record
    both = np.sort(np.concatenate([t, t + 600.0]))
    early = np.isin(both, t)
    air = np.where(early, np.interp(both, t, T), np.nan)
    end = np.where(early, np.nan, np.interp(both - 600.0, t, z))
    fit = ss.calibrate(both, air, end, tolerance="2h", bearing_stiffness=K_BP)
    assert fit.f_s_over_K.value == pytest.approx(F_S / K, rel=0.05)


def test_a_fit_file_on_a_built_in_record(tmp_path):
    file = tmp_path / "fit.toml"
    file.write_text(
        '[data]\nfile = "example:bearing.csv"\ntime = "time"\ndrive = "temperature"\nresponse = "displacement"\n'
        'response_unit = "mm"\n\n[model]\nkind = "thermal-bearing"\n'
    )
    fit = ss.calibrate(file)
    # made with f_s = 0.47 MN, K = 189 MN/m, β = 3.06e-4 m/K
    assert fit.f_s_over_K.value == pytest.approx(0.47e6 / 1.89e8, rel=0.03)
    assert fit.parameters["beta"].value == pytest.approx(3.06e-4, rel=0.03)


RIG = """
[data]
file = "example:rig.csv"
time = "t_s"
time_unit = "s"
[[data.drive]]
into = "oscillator.drive"
column = "base_mm"
unit = "mm"
[[data.measured]]
what = "x"
column = "mass_mm"
unit = "mm"
[model]
kind = "model"
[model.oscillator]
mass = 3.08
stiffness = 1191.0
damping = 1.0
[model.oscillator.friction.static-dynamic]
static = 1.0
dynamic = 1.0
[fit]
compare = false
[fit.unknown]
oscillator.damping = { from = 0.0, to = 20.0 }
oscillator.friction.static-dynamic.static = { from = 0.0, to = 5.0 }
oscillator.friction.static-dynamic.dynamic = { from = 0.0, to = 5.0 }
"""


class Ended(Exception):
    """What a user's Ctrl-C is to a run."""


def again(call):
    """Calls until the run that was ended before has stopped."""
    patience = time.monotonic() + 60.0
    while True:
        try:
            return call()
        except ss.InputError as e:
            if "another run writes to it" not in str(e) or time.monotonic() > patience:
                raise
            time.sleep(0.05)


def test_a_fit_of_a_model_goes_on_where_it_was_ended(tmp_path):
    file, state = tmp_path / "fit.toml", tmp_path / "rig.state"
    # A scheme by which the fit takes longer than many of the looks that somebody who waits takes at it.
    file.write_text(RIG.replace("[fit]\n", '[model.run]\nscheme = "adaptive"\nrtol = 1e-10\n[fit]\n'))

    def bits(fit):
        found = dict(fit.summary["fit"])
        found.pop("seconds")
        return found, fit.fitted.tobytes()

    def kept(state):
        return state.read_text().splitlines() if state.exists() else []

    # All steps, as far as somebody who looks now and then sees them.
    seen = []
    whole = ss.calibrate(file, state=tmp_path / "whole", progress=lambda *_: seen.extend(kept(tmp_path / "whole")[len(seen) :]))
    assert bits(whole) == bits(ss.calibrate(file)) and len(seen) > 3
    for more in (1, 2):
        begun = len(kept(state))

        def progress(done, total, at_least=begun + more):
            if len(kept(state)) >= at_least:
                raise Ended

        with pytest.raises(Ended):
            again(lambda: ss.calibrate(file, state=state, progress=progress))
        # A run that began anew would have written the first steps again.
        both = list(zip(kept(state), seen))
        assert len(both) >= begun + more and all(a == b for a, b in both)
    assert bits(again(lambda: ss.calibrate(file, state=str(state)))) == bits(whole)
    assert not state.exists()


def test_a_state_is_kept_of_fits_that_have_one(record, tmp_path):
    with pytest.raises(ss.InputError, match="`state` was given with arrays"):
        ss.calibrate(*record, state=tmp_path / "fit.state")
    with pytest.raises(ss.InputError, match="`state` belongs to one fit"):
        ss.calibrate_all({"a": record}, state=tmp_path / "fit.state")
    file = tmp_path / "bearing.toml"
    file.write_text(
        '[data]\nfile = "example:bearing.csv"\ntime = "time"\ndrive = "temperature"\nresponse = "displacement"\n'
        'response_unit = "mm"\n\n[model]\nkind = "thermal-bearing"\n'
    )
    with pytest.raises(ss.InputError, match="kinds `model` and `servo`, and this is `thermal-bearing`"):
        ss.calibrate(file, state=tmp_path / "fit.state")
    assert not (tmp_path / "fit.state").exists()
    # The file of somebody is not a state.
    file.write_text(RIG)
    precious = tmp_path / "rig.csv"
    precious.write_text("t_s,base_mm,mass_mm\n0,1,2\n")
    with pytest.raises(ss.InputError, match="holds nothing of an earlier run"):
        ss.calibrate(file, state=precious)
    assert precious.read_text() == "t_s,base_mm,mass_mm\n0,1,2\n"

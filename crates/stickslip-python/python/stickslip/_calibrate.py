"""Friction parameters from measured records."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _plots, _toml
from ._arguments import Array, Number, Numbers, Times, choice, described, number, numbers, seconds, text, whole
from ._errors import ARGUMENTS, InputError, suggesting
from ._models import Oscillator
from ._laws import static_dynamic
from ._results import Progress, Result, progress_of
from ._signals import sampled
from ._solve import solve
from ._stickslip import Document, read_text
from ._stickslip import run as run_
from ._studies import _check_executor, _in_order

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from matplotlib.axes import Axes

#: What a record in memory is called in messages.
RECORD = "record"

#: A duration: a number of seconds, or a text such as ``"6h"``.
Duration = Union[Number, str]


@dataclass(frozen=True)
class Estimate:
    """A number that was found, how sure it is, or why it cannot be known.

    Attributes
    ----------
    value : float or None
        The value; None exactly when it is not identifiable.
    unit : str
        Its unit.
    stderr : float or None
        Standard error.
    ci95 : (float, float) or None
        95 % confidence interval.
    identifiable : bool
        Whether the record fixes it.
    reason : str or None
        Why it does not, or under which assumption it does.
    """

    value: float | None
    unit: str
    stderr: float | None
    ci95: tuple[float, float] | None
    identifiable: bool
    reason: str | None = None

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    def __str__(self) -> str:
        if self.value is None:
            return f"unknown ({self.reason})"
        unit = f" {self.unit}" if self.unit else ""
        within = f" [{self.ci95[0]:.4g}, {self.ci95[1]:.4g}]" if self.ci95 else ""
        return f"{self.value:.4g}{within}{unit}"


def _estimate(found: Mapping[str, Any]) -> Estimate:
    ci95 = found.get("ci95")
    return Estimate(
        value=found.get("value"),
        unit=found.get("unit", ""),
        stderr=found.get("stderr"),
        ci95=(ci95[0], ci95[1]) if ci95 else None,
        identifiable=bool(found.get("identifiable", found.get("value") is not None)),
        reason=found.get("reason"),
    )


def _is_estimate(found: object) -> bool:
    return isinstance(found, Mapping) and {"value", "unit"} <= set(found)


class Fit(Result):
    """A calibrated record.

    Whatever is an estimate in ``summary["fit"]`` is an attribute: of a bearing `f_s_over_K`, `f_d_over_K`, `rho`,
    `delta` and `kappa`.

    Attributes
    ----------
    parameters : dict of str to Estimate
        Of a bearing ``z0``, ``K``, ``f_d``, ``f_s`` and ``beta``.
    diagnosis : list of dict
        What is left over and what may explain it: ``what``, ``strength``, ``estimate``, ``suggestion``.
    rmse : float
        Root mean square of the residuals.
    t, drive, measured, fitted, x : numpy.ndarray, shape (n,)
        The record and the fitted motion.
    events : dict of str to numpy.ndarray
        The slips of the fitted motion.
    origin : numpy.datetime64 or None
        What the times count from, where dates were given.
    """

    origin: np.datetime64 | None = None

    @property
    def _fit(self) -> dict[str, Any]:
        return self.summary["fit"]  # type: ignore[no-any-return]

    @property
    def parameters(self) -> dict[str, Estimate]:
        return {k: _estimate(v) for k, v in self._fit.get("parameters", {}).items() if _is_estimate(v)}

    @property
    def diagnosis(self) -> list[dict[str, Any]]:
        return list(self._fit.get("diagnosis", []))

    @property
    def events(self) -> dict[str, Any]:
        return self.table("events") if "events" in self.tables else {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = self._fit.get(name) if "summary" in self.__dict__.get("_kept", {}) else None
        if found is not None:
            return _estimate(found) if _is_estimate(found) else found
        return super().__getattr__(name)

    def predict(self, time: Times, temperature: Numbers, *, x0: Number | None = None) -> Array:
        """The displacement that the calibrated bearing shows under another record of temperatures.

        Parameters
        ----------
        time : array_like, shape (n,)
            Increasing times, s or ``datetime64``.
        temperature : array_like, shape (n,)
            °C, finite; linear between samples.
        x0 : float, optional
            Displacement of the bearing at the first time, m. Without it, that of the fitted motion at that time;
            after the record, the last one.

        Returns
        -------
        numpy.ndarray, shape (n,)
            z, m.
        """
        p = {k: e.value for k, e in self.parameters.items()}
        beta, z0 = p.get("beta"), p.get("z0")
        over_K = self.f_s_over_K.value, self.f_d_over_K.value
        if beta is None or z0 is None or None in over_K:
            raise InputError("the record does not fix what a prediction needs: beta, z0, f_s/K and f_d/K")
        t, _ = seconds("time", time, self.origin)
        T = numbers("temperature", temperature)
        if len(t) != len(T) or len(t) < 2:
            raise InputError(f"`time` holds {len(t)} numbers and `temperature` {len(T)}; expected as many, two or more")
        start = self._start(t[0]) if x0 is None else number("x0", x0)
        # A spring of unit stiffness: the path depends on the ratios alone.
        bearing = Oscillator(
            mass=1.0,
            stiffness=1.0,
            friction=static_dynamic(float(over_K[0]), float(over_K[1])),
            drive=sampled(t - t[0], beta * T),
            x0=start,
        )
        x = solve(bearing, float(t[-1] - t[0]), "quasi-static")(t - t[0])[0]
        kappa = self.kappa.value if _is_estimate(self._fit.get("kappa")) else None
        z: Array = z0 + x + (kappa or 0.0) * (beta * T - x)
        return z

    def _start(self, t: float) -> float:
        known = np.isfinite(self["x"])
        at, x = self["t"][known], self["x"][known]
        if not len(at):
            raise InputError("`x0` is missing; the fitted motion is nowhere known")
        if t < at[0] - 1e-9:
            raise InputError("`x0` is missing: the times begin before the record, where the bearing's state is not known")
        return float(x[np.searchsorted(at, t, side="right") - 1])

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """Draws what was measured and what was fitted."""
        ax = _plots.axes(ax)
        names = [n for n in ("measured", "fitted") if n in self._columns(self.tables[0])]
        t = self["t"] if self.origin is None else self.origin + (self["t"] * 1e9).astype("timedelta64[ns]")
        for name in names or list(self._columns(self.tables[0]))[1:2]:
            ax.plot(t, self[name], **{"label": name, **kwargs})
        ax.set_xlabel("t (s)" if self.origin is None else "")
        ax.legend()
        return ax

    def __repr__(self) -> str:
        estimates = {**self.parameters}
        for name in ("f_s_over_K", "f_d_over_K"):
            if _is_estimate(self._fit.get(name)):
                estimates[name] = _estimate(self._fit[name])
        known = [f"{k} = {e}" for k, e in estimates.items() if e.value is not None]
        warned = f"; {len(self.warnings)} warning{'s' * (len(self.warnings) > 1)}" if self.warnings else ""
        return f"<Fit: {', '.join(known)}{warned}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(f"<tr><td>{escape(k)}</td><td>{escape(str(e))}</td></tr>" for k, e in self.parameters.items())
        return f"<div><table>{rows}</table>{super()._repr_html_()}</div>"


def _duration(name: str, value: Duration) -> str:
    if isinstance(value, str):
        return value
    found = number(name, value, "a number of seconds, or a text such as \"6h\"")
    if not (np.isfinite(found) and found > 0.0):
        raise InputError(f"`{name}` is {found!r}; expected a duration > 0")
    return f"{found:.17g} s".replace("e+", "e")


def _seconds(name: str, value: Duration) -> float:
    if not isinstance(value, str):
        return number(name, value)
    units = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
    for unit in ("min", "s", "h", "d"):
        if value.strip().endswith(unit):
            try:
                return float(value.strip()[: -len(unit)]) * units[unit]
            except ValueError:
                break
    raise InputError(f"`{name}` is {value!r}; expected a duration such as \"30d\"")


def _series(columns: Mapping[str, Any], times: Times) -> tuple[list[tuple[str, Array]], np.datetime64 | None]:
    """The columns of a record; what was measured may be missing (NaN)."""
    t, origin = seconds("time", times)
    out = [("time", t)]
    for name, values in columns.items():
        found = numbers(name, values)
        if len(found) != len(t):
            raise InputError(f"`{name}` holds {len(found)} numbers and `time` {len(t)}; expected as many: NaN marks a missing value")
        if np.isinf(found).any():
            row = int(np.flatnonzero(np.isinf(found))[0])
            raise InputError(f"`{name}[{row}]` is {found[row]!r}; expected a finite number, or NaN where the value is missing")
        out.append((name, found))
    if not np.isfinite(t).all():
        row = int(np.flatnonzero(~np.isfinite(t))[0])
        raise InputError(f"`time[{row}]` is {t[row]!r}; expected a finite number of seconds")
    return out, origin


def _fitted(
    document: dict[str, Any],
    columns: list[tuple[str, Array]],
    origin: np.datetime64 | None,
    options: Mapping[str, Any],
    progress: Progress,
) -> Fit:
    whole_ = {k: {n: v for n, v in t.items() if v is not None} for k, t in document.items()}
    title = whole_["data"].pop("title", None)
    made = Document(
        ARGUMENTS,
        _toml.dumps({**({"title": title} if title is not None else {}), **whole_}),
        "",
        {},
        {RECORD: columns},
    )
    result = Fit(run_("calibrate", made, {}, dict(options), progress_of(progress)))
    result.origin = origin
    return result


def _from_file(file: str | os.PathLike[str], options: Mapping[str, Any], progress: Progress) -> Fit:
    name = os.fspath(file)
    document = Document(name, read_text(name), os.path.dirname(os.path.abspath(name)), {}, {})
    return Fit(run_("calibrate", document, {}, dict(options), progress_of(progress)))


@suggesting
def calibrate(
    time: Times | str | os.PathLike[str],
    temperature: Numbers | None = None,
    displacement: Numbers | None = None,
    *,
    bearing_stiffness: Number | None = None,
    method: str | None = None,
    runs: int | None = None,
    seed: int | None = None,
    trend: str | None = None,
    steps: Sequence[Any] | None = None,
    lag: Duration | None = None,
    outliers: Number | str | None = None,
    bootstrap: int | None = None,
    max_gap: Duration | None = None,
    windows: Duration | tuple[Duration, Duration] | None = None,
    title: str | None = None,
    progress: Progress = None,
) -> Fit:
    """The friction of a bearing that temperature moves, from a measured record.

    Parameters
    ----------
    time : array_like, shape (n,)
        Increasing times, s or ``datetime64``. Or the path of a fit file of any kind, alone.
    temperature : array_like, shape (n,)
        °C; NaN where it is missing.
    displacement : array_like, shape (n,)
        What was measured, m; NaN where it is missing.
    bearing_stiffness : float, optional
        K_BP, N/m. Without it K, f_d and f_s cannot be known, only f_d/K and f_s/K.
    method : {"global", "evolution"}, optional
        Global search (the default), or independent evolutionary runs of all five parameters.
    runs : int, optional
        Runs of the evolution; 10 without it.
    seed : int, optional
        Seed of the search's random steps.
    trend : {"none", "drift"}, optional
        Whether the reading may drift.
    steps : sequence, optional
        Times at which the reading may have been reset, as `time`.
    lag : float or str, optional
        Time constant of the deck, s or such as ``"4h"``; ``"fit"`` fits it.
    outliers : float or "keep", optional
        Spikes beyond so many robust standard deviations are left out; 6 without it.
    bootstrap : int, optional
        Replicates of a bootstrap of the intervals.
    max_gap : float or str, optional
        Longest gap of temperatures that is bridged, s or such as ``"6h"``.
    windows : duration or (duration, duration), optional
        Length and distance of sliding windows that are fitted too, to see change.
    title : str, optional
        Heading of the report.
    progress : bool or callable, optional
        True for a bar by tqdm; or a function of the numbers of parts that are done and of all parts.

    Returns
    -------
    Fit

    Raises
    ------
    InputError
        If the record or an option is wrong; the message names the row, counted from 1.
    UnsolvableError
        If the record cannot answer the question.
    """
    options: dict[str, Any] = {}
    if windows is not None:
        pair = windows if isinstance(windows, tuple) else (windows, windows)
        if len(pair) != 2:
            raise InputError(f"`windows` is {described(windows)}; expected a length, or a length and a distance")
        options["windows"] = (_seconds("windows", pair[0]), _seconds("windows", pair[1]))
    if temperature is None and displacement is None:
        if not isinstance(time, (str, os.PathLike)):
            raise InputError("`temperature` and `displacement` are missing; or pass the path of a fit file alone")
        return _from_file(time, options, progress)
    if isinstance(time, (str, os.PathLike)):
        raise InputError("a fit file names its data itself; pass it alone")
    for name, given in (("temperature", temperature), ("displacement", displacement)):
        if given is None:
            raise InputError(f"`{name}` is missing; expected an array")
    columns, origin = _series({"temperature": temperature, "displacement": displacement}, time)
    fit: dict[str, Any] = {
        "method": None if method is None else choice("method", method, ("global", "evolution")),
        "runs": None if runs is None else whole("runs", runs, 1),
        "seed": None if seed is None else whole("seed", seed),
        "trend": None if trend is None else choice("trend", trend, ("none", "drift")),
        "bootstrap": None if bootstrap is None else whole("bootstrap", bootstrap),
        "outliers": outliers if outliers is None or isinstance(outliers, str) else number("outliers", outliers),
        "lag": None if lag is None else (lag if isinstance(lag, str) else _duration("lag", lag)),
    }
    if steps is not None:
        at, _ = seconds("steps", np.asarray(steps), origin)
        fit["steps"] = [repr(float(t)) for t in at]
    document = {
        "data": {
            "title": None if title is None else text("title", title),
            "file": RECORD,
            "time": "time",
            "time_unit": "s",
            "drive": "temperature",
            "response": "displacement",
            "response_unit": "m",
            "max_gap": None if max_gap is None else _duration("max_gap", max_gap),
        },
        "model": {
            "kind": "thermal-bearing",
            "bearing_stiffness": None
            if bearing_stiffness is None
            else number("bearing_stiffness", bearing_stiffness),
        },
        "fit": fit,
    }
    return _fitted(document, columns, origin, options, progress)


def _one_of_many(record: Any, options: dict[str, Any]) -> Fit:
    """One record, in a worker."""
    return calibrate(record, **options) if isinstance(record, (str, os.PathLike)) else calibrate(*record, **options)


@suggesting
def calibrate_all(
    records: Mapping[str, Any],
    *,
    executor: Executor | None = None,
    progress: Progress = None,
    **options: Any,
) -> dict[str, Fit]:
    """Many records, each calibrated as `calibrate` does it.

    Parameters
    ----------
    records : dict of str to tuple
        By their names, time, temperature and displacement; or paths of fit files.
    executor : concurrent.futures.Executor, optional
        Spreads the records over its workers.
    progress : bool or callable, optional
        Told of the records that are done.
    **options
        As for `calibrate`, the same for every record.

    Returns
    -------
    dict of str to Fit
        In the order of `records`; the same bits with any executor.
    """
    if not isinstance(records, Mapping):
        raise InputError(f"`records` is {described(records)}; expected a dictionary from names to records")
    if executor is None:
        tell, out = progress_of(progress), {}
        for name, record in records.items():
            out[name] = _one_of_many(record, options)
            if tell:
                tell(len(out), len(records))
        return out
    _check_executor(executor)
    futures = [executor.submit(_one_of_many, record, options) for record in records.values()]
    return dict(zip(records, _in_order(futures, progress, [1] * len(futures))))


@suggesting
def pulled_slider(
    time: Times,
    force: Numbers,
    *,
    velocity: Number,
    stiffness: Number,
    mass: Number,
    gravity: Number | None = None,
    false_alarms: Number | None = None,
    title: str | None = None,
) -> Fit:
    """Every slip of a slider that a spring pulls at constant speed, from the record of the spring's force.

    Parameters
    ----------
    time : array_like, shape (n,)
        Evenly spaced times, s or ``datetime64``.
    force : array_like, shape (n,)
        Force of the spring, N; NaN where it is missing.
    velocity : float
        Speed of the spring's far end, > 0, m/s.
    stiffness : float
        Of the spring, > 0, N/m.
    mass : float
        Of the slider, > 0, kg.
    gravity : float, optional
        m/s², for coefficients of friction.
    false_alarms : float, optional
        Accepted number of false slips in the record.
    title : str, optional
        Heading of the report.

    Returns
    -------
    Fit
        With a table of the slips.
    """
    columns, origin = _series({"force": force}, time)
    model = {"kind": "pulled-slider", "velocity": number("velocity", velocity)}
    model |= {"stiffness": number("stiffness", stiffness), "mass": number("mass", mass)}
    model["gravity"] = None if gravity is None else number("gravity", gravity)
    data = {"title": title, "file": RECORD, "time": "time", "time_unit": "s"}
    data |= {"response": "force", "response_unit": "N"}
    fit = {} if false_alarms is None else {"false_alarms": number("false_alarms", false_alarms)}
    return _fitted({"data": data, "model": model, "fit": fit}, columns, origin, {}, None)


@suggesting
def rigid_drive(
    time: Times,
    position: Numbers,
    force: Numbers,
    reference: Numbers | None = None,
    *,
    position_gain: Number | None = None,
    velocity_gain: Number | None = None,
    force_gain: Number | None = None,
    cutoff: Number | None = None,
    parallel_cutoff: Number | None = None,
    title: str | None = None,
) -> Fit:
    """Mass, viscous and dry friction of a positioning drive, from a record of its position and force.

    Parameters
    ----------
    time : array_like, shape (n,)
        Evenly spaced times, s or ``datetime64``.
    position : array_like, shape (n,)
        m.
    force : array_like, shape (n,)
        N; in the unit that `force_gain` turns into N, if a controller is given.
    reference : array_like, shape (n,), optional
        Where the drive should be, m; with the gains of the controller the record is simulated too.
    position_gain, velocity_gain, force_gain : float, optional
        Of the controller: 1/s, V·s/m and N/V.
    cutoff, parallel_cutoff : float, optional
        Of the filters, Hz.
    title : str, optional
        Heading of the report.

    Returns
    -------
    Fit
    """
    given = {"position": position, "force": force} | ({} if reference is None else {"reference": reference})
    columns, origin = _series(given, time)
    data = {"title": title, "file": RECORD, "time": "time", "time_unit": "s"}
    data |= {"position": "position", "position_unit": "m", "force": "force", "force_unit": "N"}
    data["reference"] = None if reference is None else "reference"
    gains = {"position_gain": position_gain, "velocity_gain": velocity_gain, "force_gain": force_gain}
    controller = {k: number(k, v) for k, v in gains.items() if v is not None}
    model: dict[str, Any] = {"kind": "rigid-drive", "controller": controller or None}
    cut = {"cutoff": cutoff, "parallel_cutoff": parallel_cutoff}
    fit = {k: number(k, v) for k, v in cut.items() if v is not None}
    return _fitted({"data": data, "model": model, "fit": fit}, columns, origin, {}, None)

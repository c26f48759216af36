"""Friction parameters of bearings from measured records."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np

from ._arguments import Array, Number, Numbers, Times, choice, described, flag, number, numbers, seconds, text, whole
from ._errors import ARGUMENTS, Error, InputError, KeywordError, RecordWarning, suggesting, suggestion, warn
from ._executors import check_executor, run_parts
from ._fit import Fit
from ._results import Progress, progress_of
from ._stickslip import Document, read_text
from ._stickslip import run as run_

if TYPE_CHECKING:
    from concurrent.futures import Executor

#: What a record in memory is called in messages.
RECORD = "record"

#: A duration: a number of seconds, or a text such as ``"6h"``.
Duration = Union[Number, str]


def _duration(name: str, value: Duration, negative: bool = False) -> str:
    if isinstance(value, str):
        return value
    found = number(name, value, "a number of seconds, or a text such as \"6h\"")
    if not (np.isfinite(found) and (negative or found > 0.0)):
        raise InputError(f"`{name}` is {found!r}; expected a duration{'' if negative else ' > 0'}")
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


def series_of(columns: Mapping[str, Any], times: Times) -> tuple[list[tuple[str, Array]], np.datetime64 | None]:
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


def named(data: Any, **given: Any) -> dict[str, Any]:
    """The columns that were given as arrays, or as names of columns of `data`."""
    if data is None:
        for name, value in given.items():
            if isinstance(value, str):
                raise InputError(
                    f"`{name}` is {value!r}; expected an array, or the name of a column and `data`, the frame that has it"
                )
        return given
    return {name: _column(data, name, value) for name, value in given.items()}


def _column(data: Any, name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    # A frame of pandas or Polars, a table of Arrow, a structured array, a dictionary.
    known: Any = data if isinstance(data, Mapping) else None
    for owner, attribute in ((data, "column_names"), (data, "columns"), (getattr(data, "dtype", None), "names")):
        known = getattr(owner, attribute, None) if known is None else known
    if known is None:
        raise InputError(
            f"`data` is {type(data).__name__}; expected a frame of pandas or Polars, a table of Arrow, or a dictionary of columns"
        )
    names = [str(k) for k in known]
    if value not in names:
        raise InputError(f"`data` has no column {value!r} for `{name}`{suggestion(value, names)}; it has {', '.join(names)}")
    return data[value]


def fitted(
    document: dict[str, Any],
    columns: list[tuple[str, Array]],
    origin: np.datetime64 | None,
    options: Mapping[str, Any],
    progress: Progress,
    further: Mapping[str, list[tuple[str, Array]]] | None = None,
    folder: str = "",
    samples: Mapping[str, tuple[Array, Array]] | None = None,
) -> Fit:
    """The fit of `columns`, and of `further` tables by their names; other files lie in `folder`, and `samples` are signals of
    a model."""
    whole_ = {k: {n: v for n, v in t.items() if v is not None} for k, t in document.items()}
    title = whole_["data"].pop("title", None)
    made = Document(
        ARGUMENTS,
        {**({"title": title} if title is not None else {}), **whole_},
        folder,
        dict(samples or {}),
        {RECORD: columns, **(further or {})},
    )
    result = Fit(run_("calibrate", made, {}, dict(options), progress_of(progress)))
    result.origin = origin
    return result


def _from_file(file: str | os.PathLike[str], options: Mapping[str, Any], progress: Progress) -> Fit:
    name = os.fspath(file)
    document = Document(name, read_text(name), os.path.dirname(os.path.abspath(name)), {}, {})
    return Fit(run_("calibrate", document, {}, dict(options), progress_of(progress)))


def _telling(function: Callable[..., Fit]) -> Callable[..., Fit]:
    """Lets a function give the warnings of the fit that it returns; without that it is `untold`."""

    @functools.wraps(function)
    def told(*args: Any, **kwargs: Any) -> Fit:
        return function(*args, **kwargs)._told()

    told.untold = function  # type: ignore[attr-defined]
    return told


def bearing_document(
    origin: np.datetime64 | None,
    *,
    bearing_stiffness: Number | None = None,
    bearing_stiffness_error: Number | None = None,
    method: str | None = None,
    runs: int | None = None,
    seed: int | None = None,
    trend: str | None = None,
    steps: Sequence[Any] | None = None,
    lag: Duration | None = None,
    outliers: Number | str | None = None,
    bootstrap: int | None = None,
    max_gap: Duration | None = None,
    shift: Duration | None = None,
    tolerance: Duration | None = None,
    average: bool | Duration | None = None,
    drive_noise: Number | None = None,
    diagnose: bool | None = None,
    title: str | None = None,
) -> dict[str, Any]:
    """The fit file of a bearing's record in memory, with what was given, as `calibrate` takes it; None where nothing was."""
    fit: dict[str, Any] = {
        "method": None if method is None else choice("method", method, ("global", "evolution")),
        "runs": None if runs is None else whole("runs", runs, 1),
        "seed": None if seed is None else whole("seed", seed),
        "trend": None if trend is None else choice("trend", trend, ("none", "drift", "creep")),
        "bootstrap": None if bootstrap is None else whole("bootstrap", bootstrap),
        "outliers": outliers if outliers is None or isinstance(outliers, str) else number("outliers", outliers),
        "lag": None if lag is None else (lag if isinstance(lag, str) else _duration("lag", lag)),
        "diagnose": None if diagnose is None else flag("diagnose", diagnose),
    }
    if steps is not None:
        at, _ = seconds("steps", steps, origin)
        fit["steps"] = [repr(float(t)) for t in at]
    return {
        "data": {
            "title": None if title is None else text("title", title),
            "file": RECORD,
            "time": "time",
            "time_unit": "s",
            "drive": "temperature",
            "response": "displacement",
            "response_unit": "m",
            "max_gap": None if max_gap is None else _duration("max_gap", max_gap),
            "shift": None if shift is None else _duration("shift", shift, negative=True),
            "tolerance": None if tolerance is None else _duration("tolerance", tolerance),
            "average": average if average is None or isinstance(average, bool) else _duration("average", average),
            "drive_noise": None if drive_noise is None else number("drive_noise", drive_noise),
        },
        "model": {
            "kind": "thermal-bearing",
            "bearing_stiffness": None
            if bearing_stiffness is None
            else number("bearing_stiffness", bearing_stiffness),
            "bearing_stiffness_error": None
            if bearing_stiffness_error is None
            else number("bearing_stiffness_error", bearing_stiffness_error),
        },
        "fit": fit,
    }


@suggesting
@_telling
def calibrate(
    time: Times | str | os.PathLike[str],
    temperature: Numbers | None = None,
    displacement: Numbers | None = None,
    *,
    data: Any = None,
    bearing_stiffness: Number | None = None,
    bearing_stiffness_error: Number | None = None,
    method: Literal["global", "evolution"] | None = None,
    runs: int | None = None,
    seed: int | None = None,
    trend: str | None = None,
    steps: Sequence[Any] | None = None,
    lag: Duration | None = None,
    outliers: Number | str | None = None,
    bootstrap: int | None = None,
    max_gap: Duration | None = None,
    shift: Duration | None = None,
    tolerance: Duration | None = None,
    average: bool | Duration | None = None,
    drive_noise: Number | None = None,
    diagnose: bool | None = None,
    windows: Duration | tuple[Duration, Duration] | None = None,
    title: str | None = None,
    state: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> Fit:
    """Friction of a bearing that moves with temperature, from a measured record.

    Parameters
    ----------
    time : array_like, shape (n,)
        Increasing times, s or ``datetime64``. Alternatively the path of a fit file of any kind, as the only argument.
    temperature : array_like, shape (n,)
        °C; NaN where it is missing.
    displacement : array_like, shape (n,)
        Measured displacement, m; NaN where it is missing.
    data : frame, optional
        A pandas or Polars data frame, an Arrow table, or a dictionary of columns. `time`, `temperature` and
        `displacement` are then names of its columns.
    bearing_stiffness : float, optional
        K_BP, N/m. Without it only the ratios f_d/K and f_s/K can be determined, not K, f_d and f_s.
    bearing_stiffness_error : float, optional
        Standard error of K_BP, N/m. It widens the intervals of K, f_d and f_s.
    method : {"global", "evolution"}, optional
        Global search (default), or independent evolutionary searches over all five parameters.
    runs : int, optional
        Number of evolutionary searches, 10 by default.
    seed : int, optional
        Seed of the search.
    trend : {"none", "drift", "creep"}, optional
        Whether the measured displacement may drift linearly, or creep, which means that it settles exponentially from
        the start of the record.
    steps : sequence, optional
        Times at which the sensor may have been reset, in the form of `time`.
    lag : float or str, optional
        Time constant of the deck in seconds, or a text such as ``"4h"``; ``"fit"`` estimates it.
    outliers : float or "keep", optional
        Spikes beyond this number of robust standard deviations are left out; 6 by default. ``"keep"`` leaves none out.
    bootstrap : int, optional
        Number of replicates, if the intervals are to come from a bootstrap.
    max_gap : float or str, optional
        Longest gap in the temperatures that is bridged, in seconds or as a text such as ``"6h"``.
    shift : float or str, optional
        How much later than the temperatures the displacements come, in seconds or as a text such as ``"1h"``; negative
        if they come earlier. ``"fit"`` estimates it.
    tolerance : float or str, optional
        Where displacements and temperatures were measured at different times, a displacement is interpolated if the
        values on either side are within this distance of the temperature's time; in seconds or as a text such as ``"10
        min"``.
    average : bool or float or str, optional
        Whether each row is a mean: True if it is the mean since the previous row; or the averaging interval that ends
        at its time, in seconds or as a text such as ``"1 h"``.
    drive_noise : float, optional
        Standard deviation of the noise of the temperatures, K; by default it is estimated from the record.
    diagnose : bool, optional
        Whether the residuals are searched for an explanation; True by default.
    windows : duration or (duration, duration), optional
        Length and spacing of sliding windows, each of which is fitted as well to show changes over time.
    title : str, optional
        Title of the report.
    state : path, optional
        With a fit file of a model, a rig or a servo: a file that stores each finished step. After an interruption or a
        power failure the same call continues from there, and its result is the same bit for bit. The file is removed
        when the fit is done.
    progress : bool or callable, optional
        True shows a progress bar (tqdm). A function is called with the number of parts that are done and the number of
        all parts.

    Returns
    -------
    Fit

    Raises
    ------
    InputError
        If the record or an option is wrong. The message names the row, counted from 1.
    UnsolvableError
        If the parameters cannot be determined from the record.

    References
    ----------
    Bensoussan et al. (2021), §4.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> rng, hours = np.random.default_rng(1), np.arange(8766.0)
    >>> year, day = 2 * np.pi * hours / 8766, 2 * np.pi * hours / 24
    >>> temperature = 10 - 12 * np.cos(year) - 2 * np.cos(day) + 5 * np.sin(2 * np.pi * hours / 170)
    >>> def bearing(threshold):  # sticks up to this distance from the frictionless position, then slips by 0.4 mm
    ...     x, at = np.empty(8766), 0.0
    ...     for i, free in enumerate(4e-4 * temperature):
    ...         while abs(free - at) > threshold:
    ...             at += 4e-4 * np.sign(free - at)
    ...         x[i] = at
    ...     return x + rng.normal(0, 2e-5, 8766)
    >>> fit = ss.calibrate(3600 * hours, temperature, bearing(2e-3))
    >>> round(fit.f_s_over_K.value, 5), round(fit.f_d_over_K.value, 5), fit.f_s_over_K.ci95[0] < 2e-3 < fit.f_s_over_K.ci95[1]
    (0.002, 0.0018, True)
    """
    options: dict[str, Any] = {}
    if windows is not None:
        pair = windows if isinstance(windows, tuple) else (windows, windows)
        if len(pair) != 2:
            raise InputError(f"`windows` is {described(windows)}; expected a length, or a length and a distance")
        options["windows"] = (_seconds("windows", pair[0]), _seconds("windows", pair[1]))
    if data is not None:
        columns_ = named(data, time=time, temperature=temperature, displacement=displacement)
        time, temperature, displacement = columns_["time"], columns_["temperature"], columns_["displacement"]
    if temperature is None and displacement is None:
        if not isinstance(time, (str, os.PathLike)):
            raise InputError("`temperature` and `displacement` are missing; or pass the path of a fit file alone")
        if state is not None:
            options["state"] = os.fspath(state)
        return _from_file(time, options, progress)
    if isinstance(time, (str, os.PathLike)):
        raise InputError("a fit file names its data itself; pass it alone")
    if state is not None:
        raise InputError("`state` was given with arrays; it keeps the steps of a fit file of a model or a servo")
    for name, given in (("temperature", temperature), ("displacement", displacement)):
        if given is None:
            raise InputError(f"`{name}` is missing; expected an array")
    columns, origin = series_of({"temperature": temperature, "displacement": displacement}, time)
    document = bearing_document(
        origin,
        bearing_stiffness=bearing_stiffness,
        bearing_stiffness_error=bearing_stiffness_error,
        method=method,
        runs=runs,
        seed=seed,
        trend=trend,
        steps=steps,
        lag=lag,
        outliers=outliers,
        bootstrap=bootstrap,
        max_gap=max_gap,
        shift=shift,
        tolerance=tolerance,
        average=average,
        drive_noise=drive_noise,
        diagnose=diagnose,
        title=title,
    )
    return fitted(document, columns, origin, options, progress)


#: `calibrate` without its warnings.
_untold: Callable[..., Fit] = calibrate.untold  # type: ignore[attr-defined]


class Fits(dict[str, Fit]):
    """The fits of many records: a dictionary from the name of a record to its `Fit`.

    Attributes
    ----------
    failed : dict of str to Error
        The errors of the records that could not be fitted, by the name of the record.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> hours = 3600.0 * np.arange(400)
    >>> warm = 10 + 8 * np.sin(hours / 4e4)
    >>> fits = ss.calibrate_all({"north": (hours, warm, 3e-4 * warm), "south": (hours, warm, 2e-4 * warm)})
    >>> sorted(fits), fits.failed
    (['north', 'south'], {})
    """

    failed: dict[str, Error]

    def __init__(self, fits: Mapping[str, Fit] | None = None, failed: Mapping[str, Error] | None = None) -> None:
        super().__init__(fits or {})
        self.failed = dict(failed or {})

    def __missing__(self, name: str) -> Fit:
        if name in self.failed:
            raise InputError(f"the record {name!r} could not be calibrated: {self.failed[name]}") from self.failed[name]
        raise KeyError(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Fits, (dict(self), self.failed)

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed: {', '.join(self.failed)}" if self.failed else ""
        return f"<Fits of {len(self)} records{failed}>"


def _one_of_many(names: Mapping[str, str], record: Any, options: dict[str, Any]) -> Fit | Error:
    """Fits one record in a worker. An error is returned, not raised, so that it does not stop the others."""
    try:
        if isinstance(record, (str, os.PathLike)):
            return _untold(record, **options)
        if isinstance(record, (tuple, list)):
            if len(record) != 3:
                raise InputError(f"the record has {len(record)} parts; expected three: (time, temperature, displacement)")
            return _untold(*record, **options)
        if record is None or np.isscalar(record):
            raise InputError(
                f"the record is {described(record)}; expected (time, temperature, displacement), a frame with these columns, or the "
                "path of a fit file"
            )
        return _untold(data=record, **names, **options)
    except Error as e:
        return e


@suggesting
def calibrate_all(
    records: Mapping[str, Any],
    *,
    time: str | None = None,
    temperature: str | None = None,
    displacement: str | None = None,
    executor: Executor | None = None,
    progress: Progress = None,
    **options: Any,
) -> Fits:
    """Calibrates many records, each with `calibrate`.

    A record that cannot be calibrated does not stop the others: a warning names it, and ``failed`` holds its error.

    Parameters
    ----------
    records : dict of str to record
        The records by name. Each is a tuple (time, temperature, displacement); a pandas or Polars data frame, an Arrow
        table, or a dictionary of columns; or the path of a fit file.
    time, temperature, displacement : str, optional
        Names of these columns in records that are frames; by default ``"time"``, ``"temperature"`` and
        ``"displacement"``.
    executor : concurrent.futures.Executor, optional
        If given, its workers share the records.
    progress : bool or callable, optional
        As for `calibrate`, but counting records.
    **options
        Arguments of `calibrate`, the same for every record.

    Returns
    -------
    Fits
        A dictionary from names to fits, in the order of `records`; the errors of failed records are in ``failed``. The
        result does not depend on the executor, to the last bit.

    Raises
    ------
    InputError
        If an option is wrong, or no record at all can be calibrated.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> rng, hours = np.random.default_rng(1), np.arange(8766.0)
    >>> year, day = 2 * np.pi * hours / 8766, 2 * np.pi * hours / 24
    >>> temperature = 10 - 12 * np.cos(year) - 2 * np.cos(day) + 5 * np.sin(2 * np.pi * hours / 170)
    >>> def bearing(threshold):  # sticks up to this distance from the frictionless position, then slips by 0.4 mm
    ...     x, at = np.empty(8766), 0.0
    ...     for i, free in enumerate(4e-4 * temperature):
    ...         while abs(free - at) > threshold:
    ...             at += 4e-4 * np.sign(free - at)
    ...         x[i] = at
    ...     return x + rng.normal(0, 2e-5, 8766)
    >>> records = {"north": (3600 * hours, temperature, bearing(2e-3)), "south": (3600 * hours, temperature, bearing(3e-3))}
    >>> fits = ss.calibrate_all(records)
    >>> {name: round(fit.f_s_over_K.value, 5) for name, fit in fits.items()}
    {'north': 0.002, 'south': 0.003}

    The same from frames with other column names:

    >>> frames = {name: {"when": t, "air": T, "moved": x} for name, (t, T, x) in records.items()}
    >>> again = ss.calibrate_all(frames, time="when", temperature="air", displacement="moved")
    >>> again["north"].f_s_over_K.value == fits["north"].f_s_over_K.value
    True
    """
    if not isinstance(records, Mapping):
        raise InputError(f"`records` is {described(records)}; expected a dictionary from names to records")
    columns = {"time": time, "temperature": temperature, "displacement": displacement}
    check_options("calibrate_all", calibrate, options, without=(*columns, "data", "progress"))
    # A record that is a frame takes its columns from these names; a tuple is these columns.
    names = {argument: argument if name is None else text(argument, name) for argument, name in columns.items()}
    return fits_of(records, functools.partial(_one_of_many, names), options, executor, progress)


def check_options(name: str, one: Callable[..., Fit], options: Mapping[str, Any], without: tuple[str, ...]) -> None:
    """Refuses options of the function `name` that `one`, which it calls for each record, does not take, or takes `without` it."""
    if options.get("state") is not None:
        raise InputError(f"`state` belongs to one fit; pass it to `{one.__name__}`")
    known = [p for p in inspect.signature(one).parameters if p not in without]
    for option in options:
        if option not in known:
            raise KeywordError(f"{name}() has no argument `{option}`{suggestion(option, known)}")


def fits_of(
    records: Mapping[str, Any],
    one: Callable[..., Fit | Error],
    options: Mapping[str, Any],
    executor: Executor | None,
    progress: Progress,
) -> Fits:
    """`one` of each record with the same options, here or on the workers of an executor."""
    found: list[Fit | Error] = []
    if executor is None:
        tell = progress_of(progress)
        for record in records.values():
            found.append(one(record, options))
            if tell:
                tell(len(found), len(records))
    else:
        check_executor(executor)
        parts = [(record, options) for record in records.values()]
        found = run_parts(executor, one, parts, progress, [1] * len(parts))
    failed = {name: it for name, it in zip(records, found) if isinstance(it, Error)}
    fits = {name: it for name, it in zip(records, found) if isinstance(it, Fit)}
    if failed and not fits:
        name, first = next(iter(failed.items()))
        raise InputError(f"none of the {len(failed)} records could be calibrated; the first, {name!r}: {first}") from first
    messages = [f"the record {name!r} could not be calibrated: {error}" for name, error in failed.items()]
    messages += [f"{name}: {w}" for name, fit in fits.items() for w in fit.warnings]
    warn(messages, RecordWarning)
    return Fits(fits, failed)

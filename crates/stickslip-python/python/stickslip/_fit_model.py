"""Fits of any model to a record of its loads and its motion, given as arrays or data frames."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

from ._arguments import Array, Scheme, Times, described, flag, number, text, whole
from ._calibrate import Fits, _telling, check_options, fits_of, fitted, named, series_of
from ._errors import Error, InputError, suggesting
from ._executors import key_of
from ._experiments import _about, _sought
from ._fit import Fit
from ._laws import PythonLaw
from ._load import ModelLike, load, model_of
from ._model import Model
from ._results import Progress
from ._signals import SAMPLES, Given, sampled

if TYPE_CHECKING:
    from concurrent.futures import Executor

#: A column: its name in the frame, the numbers themselves, or either with what is known of its sensor.
Channel = Union[str, Sequence[Any], "np.typing.NDArray[Any]", Mapping[str, Any]]

#: What may be said of a sensor.
_OF_A_SENSOR = ("column", "unit", "gain", "offset", "delay", "average")


class _Column(NamedTuple):
    """A column of the record and its role in the model."""

    #: A signal of the model, or what was measured.
    what: str
    #: What it is called in the record.
    name: str
    values: Any
    #: Its unit, and gain, offset, delay and interval of its sensor.
    sensor: dict[str, Any]

    def entry(self, own: str) -> dict[str, Any]:
        """The table of a fit file."""
        return {own: self.what, "column": self.name, **self.sensor}


class Asked(NamedTuple):
    """The request of a fit, from which the fitted model is made."""

    #: The model as it was given, as a document.
    document: dict[str, Any]
    folder: str
    drive: list[_Column]
    #: Other keys that have the value of an unknown.
    tied: dict[str, list[str]]

    def model(self, found: Fit) -> Model:
        """The model with the fitted parameters."""
        unknown = [name for name, e in found.parameters.items() if e.value is None]
        if unknown:
            raise InputError(
                f"the record does not fix {', '.join(unknown)}, so there is no one fitted model\n"
                "write what is known of them into the model, and fit the rest"
            )
        document = copy.deepcopy(self.document)
        document["run"] = {**document.get("run", {}), "end": float(found["t"][-1])}
        for i, column in enumerate(self.drive):
            shown = found["drive" if len(self.drive) == 1 else f"drive_{i}"]
            _put(document, column.what, _read(found, column, shown))
        for key, value in found.get_params().items():
            # Numbers of sensors have names of their own: they are no keys of the model.
            if not any(key == f"{c.what}.{of}" for c in self.drive for of in ("gain", "offset", "delay")):
                for each in (key, *self.tied.get(key, ())):
                    _put(document, each, value)
        start = found.start if "start" in found.summary["fit"] else {}
        for name, key in (("x", "displacement"), ("v", "velocity")):
            if name in start:
                _put(document, f"oscillator.initial.{key}", start[name]["value"])
        return load(document).replace(folder=self.folder)


def _read(found: Fit, column: _Column, shown: Array) -> dict[str, Any]:
    """The signal that drove the model; its sensor shows gain · d(t − delay) + offset."""
    usual = {"gain": 1.0, "offset": 0.0, "delay": 0.0}

    def setting(name: str) -> float:
        given = column.sensor.get(name, usual[name])
        return float(found.parameters[f"{column.what}.{name}"]) if isinstance(given, Mapping) else given

    t, values = found["t"] - setting("delay"), (shown - setting("offset")) / setting("gain")
    # Beyond its ends a signal keeps its value, as in the fit.
    t, values = np.r_[min(t[0], 0.0) - 1.0, t, t[-1] + abs(setting("delay")) + 1.0], np.r_[values[0], values, values[-1]]
    ((_, samples),) = sampled(t, values).terms
    return {SAMPLES: samples}


def _put(document: dict[str, Any], key: str, value: Any) -> None:
    """Sets the value at a key path. A signal replaces the whole list, or one entry of it."""
    *path, last = key.split(".")
    at: Any = document
    for part in path:
        at = at[int(part)] if isinstance(at, list) else at.setdefault(part, [] if isinstance(value, dict) and part == path[-1] else {})
    if isinstance(at, list):
        index = int(last)
        at.extend([{}] * (index + 1 - len(at)))
        on = {k: v for k, v in at[index].items() if k == "on"} if isinstance(value, dict) else {}
        at[index] = {**on, **value} if isinstance(value, dict) else value
    else:
        at[last] = [value] if isinstance(value, dict) else value


@suggesting
@_telling
def fit(
    model: ModelLike,
    data: Any = None,
    *,
    time: str | Times = "time",
    drive: Mapping[str, Channel] | None = None,
    measured: Mapping[str, Channel],
    unknown: Mapping[str, Any],
    scheme: Scheme | None = None,
    start: bool | None = None,
    pieces: int | None = None,
    compare: bool | None = None,
    profile: bool | None = None,
    seed: int | None = None,
    title: str | None = None,
    state: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> Fit:
    """Fits parameters of any model to a record of its loads and its measured motion.

    Parameters
    ----------
    model : Oscillator, Cascade, Network, Impact, Planar or Element
        The model, or the path of its file. Its values at the keys of `unknown` are not used.
    data : frame, optional
        A pandas or Polars data frame, an Arrow table, or a dictionary of columns. `time`, `drive` and `measured` then
        name its columns; without `data` they are arrays.
    time : str or array_like, shape (n,), optional
        Increasing times, s or ``datetime64``, counted from the first row.
    drive : dict, optional
        The signals of the model that are replaced by columns of the record, by key: ``{"oscillator.drive.0": "base"}``.
        Signals are interpolated linearly.
    measured : dict
        The measured columns, by the quantity they show: ``x``, ``v``, ``acceleration``, ``friction``, ``x_NAME`` of a
        node, ``force`` of a cascade. NaN where a value is missing. A column, here and in `drive`, is a name, an array,
        or a dictionary with ``column`` and what is known about its sensor: ``unit`` (such as ``"mm"``), ``gain``,
        ``offset`` and ``delay``. Offset and delay, and the gain of a drive, may be pairs (from, to) and are then fitted
        too. ``average`` is for a measured column of means: True if each value is the mean since the previous row, or an
        interval such as ``"20 ms"``.
    unknown : dict
        The parameters to fit, by key of the model file, each with its lower and upper bound:
        ``{"oscillator.friction.coulomb.force": (0.0, 5.0)}``. Several keys can share one value: ``{"from": 0.0, "to":
        5.0, "tied": [KEY, …]}``.
    scheme : {"exact", "adaptive"}, optional
        The scheme that solves the model.
    start : bool, optional
        Whether the initial state is fitted too; by default it is if the displacement of an oscillator is measured.
    pieces : int, optional
        Number of pieces into which the record is split, each with its own initial state.
    compare : bool, optional
        Whether other friction laws are fitted for comparison; True by default.
    profile : bool, optional
        Whether all intervals come from the profile of the sum of squares, which is slower.
    seed : int, optional
        Seed of the search.
    title : str, optional
        Title of the report.
    state : path, optional
        A file that stores each finished step. After an interruption the same call continues from there, and its result
        is the same bit for bit.
    progress : bool or callable, optional
        True shows a progress bar (tqdm). A function is called with the number of parts that are done and the number of
        all parts.

    Returns
    -------
    Fit
        ``fit.parameters`` has the estimates by key, ``fit.covariance`` their covariances, and ``fit.model`` is the
        fitted model.

    Raises
    ------
    InputError
        If the record, the model or an option is wrong.
    UnsolvableError
        If the record determines none of the parameters.

    Examples
    --------
    A mass on a shaken base, measured with 2 mm of noise:

    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.arange(0.0, 20.0, 0.02)
    >>> base = np.sin(1.3 * t) + 0.5 * np.sin(0.7 * t)
    >>> rig = ss.Oscillator(mass=1.0, stiffness=4.0, damping=0.3, friction=ss.coulomb(1.0), drive=ss.sampled(t, base))
    >>> mass = ss.solve(rig, t_end=t[-1])(t)[0] + np.random.default_rng(1).normal(0.0, 0.002, len(t))
    >>> fit = ss.fit(rig, {"time": t, "base": base, "mass": mass}, drive={"oscillator.drive": "base"}, measured={"x": "mass"},
    ...              unknown={"oscillator.friction.coulomb.force": (0.0, 5.0)}, compare=False)
    >>> round(fit.parameters["oscillator.friction.coulomb.force"].value, 2)
    1.0
    >>> bool(abs(ss.solve(fit.model, t_end=t[-1])(t)[0] - fit.fitted).max() < 1e-9)
    True
    """
    found = model_of(model)
    if not isinstance(unknown, Mapping) or not unknown:
        raise InputError(f"`unknown` is {described(unknown)}; expected a dictionary from keys of the model to pairs (from, to)")
    if not isinstance(measured, Mapping) or not measured:
        raise InputError(f"`measured` is {described(measured)}; expected a dictionary such as {{\"x\": \"mass_mm\"}}")
    if drive is not None and not isinstance(drive, Mapping):
        raise InputError(f"`drive` is {described(drive)}; expected a dictionary such as {{\"oscillator.drive.0\": \"base_mm\"}}")
    for key in unknown:
        key_of("unknown", found, key)
    driven = [_channel(f"drive[{key!r}]", key, channel) for key, channel in (drive or {}).items()]
    shown = [_channel(f"measured[{key!r}]", key, channel) for key, channel in measured.items()]
    columns, origin = _columns(data, time, [*driven, *shown])
    about = _about(title) | {"drive": [c.entry("into") for c in driven], "measured": [c.entry("what") for c in shown]}
    given = Given()
    document = _document(found, given, scheme)
    samples = {name: (s.time, s.value) for name, s in given.samples.items()}
    sought: dict[str, Any] = {
        "start": None if start is None else flag("start", start),
        "pieces": None if pieces is None else whole("pieces", pieces, 1),
        "compare": None if compare is None else flag("compare", compare),
        "profile": None if profile is None else flag("profile", profile),
        "seed": None if seed is None else whole("seed", seed),
        "unknown": _sought(unknown),
    }
    whole_ = {"data": about, "model": {"kind": "model", **document}, "fit": sought}
    options = {} if state is None else {"state": os.fspath(state)}
    result = fitted(whole_, columns, origin, options, progress, folder=found.folder, samples=samples)
    tied = {key: _tied(span) for key, span in unknown.items()}
    result._asked = Asked(found.to_dict(), found.folder, [c._replace(values=None) for c in driven], tied)
    return result


#: `fit` without its warnings.
_untold: Callable[..., Fit] = fit.untold  # type: ignore[attr-defined]


def _one(record: Any, options: Mapping[str, Any]) -> Fit | Error:
    """Fits one record in a worker. An error is returned, not raised, so that it does not stop the others."""
    try:
        return _untold(options["model"], record, **{name: value for name, value in options.items() if name != "model"})
    except Error as e:
        return e


@suggesting
def fit_all(
    model: ModelLike,
    records: Mapping[str, Any],
    *,
    executor: Executor | None = None,
    progress: Progress = None,
    **options: Any,
) -> Fits:
    """Fits the same model to many records, each with `fit`.

    A record that cannot be fitted does not stop the others: a warning names it, and ``failed`` holds its error.

    Parameters
    ----------
    model : Oscillator, Cascade, Network, Impact, Planar or Element
        The model, or the path of its file.
    records : dict of str to frame
        The records by name, as data frames; `time`, `drive` and `measured` name their columns.
    executor : concurrent.futures.Executor, optional
        If given, its workers share the records.
    progress : bool or callable, optional
        As for `calibrate`, but counting records.
    **options
        Arguments of `fit`, the same for every record.

    Returns
    -------
    Fits
        A dictionary from names to fits, in the order of `records`; the errors of failed records are in ``failed``. The
        result does not depend on the executor, to the last bit.

    Raises
    ------
    InputError
        If an option is wrong, or no record at all can be fitted.

    Examples
    --------
    Two rigs of the same kind on the same shaking base:

    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.arange(0.0, 20.0, 0.02)
    >>> base = np.sin(1.3 * t) + 0.5 * np.sin(0.7 * t)
    >>> rig = ss.Oscillator(mass=1.0, stiffness=4.0, damping=0.3, friction=ss.coulomb(1.0), drive=ss.sampled(t, base))
    >>> rng, records = np.random.default_rng(1), {}
    >>> for name, force in {"first": 1.0, "second": 1.5}.items():
    ...     moved = ss.solve(rig.replace(friction=ss.coulomb(force)), t_end=t[-1])(t)[0]
    ...     records[name] = {"t": t, "base": base, "mass": moved + rng.normal(0.0, 0.002, len(t))}
    >>> fits = ss.fit_all(rig, records, time="t", drive={"oscillator.drive": "base"}, measured={"x": "mass"},
    ...                   unknown={"oscillator.friction.coulomb.force": (0.0, 5.0)}, compare=False)
    >>> {name: round(fit.parameters["oscillator.friction.coulomb.force"].value, 2) for name, fit in fits.items()}
    {'first': 1.0, 'second': 1.5}
    """
    if not isinstance(records, Mapping) or not records:
        raise InputError(f"`records` is {described(records)}; expected a dictionary from names to frames")
    check_options("fit_all", fit, options, without=("model", "data", "progress"))
    return fits_of(records, _one, {**options, "model": model_of(model)}, executor, progress)


def _tied(span: Any) -> list[str]:
    tied = span.get("tied", ()) if isinstance(span, Mapping) else ()
    return [tied] if isinstance(tied, str) else list(tied)


def _channel(where: str, what: object, given: Channel) -> _Column:
    what = text("a key", what)
    if not isinstance(given, Mapping):
        return _Column(what, _name(given, what), given, {})
    for key in given:
        if key not in _OF_A_SENSOR:
            raise InputError(f"`{where}` has {described(key)}; expected {', '.join(_OF_A_SENSOR)}")
    if "column" not in given:
        raise InputError(f"`{where}` has no `column`; expected the name of a column, or an array")
    sensor: dict[str, Any] = {}
    for key in ("unit", "gain", "offset", "delay"):
        if key in given:
            sensor[key] = text(f"{where}[{key!r}]", given[key]) if key == "unit" else _setting(f"{where}[{key!r}]", given[key])
    if "average" in given:
        interval = given["average"]
        if not isinstance(interval, (bool, str)):
            raise InputError(f"`{where}['average']` is {described(interval)}; expected True, or an interval such as \"20 ms\"")
        sensor["average"] = interval if isinstance(interval, bool) else text(f"{where}['average']", interval)
    return _Column(what, _name(given["column"], what), given["column"], sensor)


def _setting(name: str, value: Any) -> Any:
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return {"from": number(name, value[0]), "to": number(name, value[1])}
    return number(name, value, "a number, or a pair (from, to)")


def _name(column: Any, what: str) -> str:
    """The name of a column in messages and in the record: its name in the frame, where a CSV file can hold it."""
    plain = isinstance(column, str) and column == column.strip() and not set(column) & set(',;"\'\t\r\n')
    return column if plain and column not in ("", "time") else what


def _columns(data: Any, time: Any, channels: list[_Column]) -> tuple[list[tuple[str, Array]], np.datetime64 | None]:
    if data is None and isinstance(time, str):
        if time != "time":
            raise InputError(f"`time` is {time!r}; expected an array, or the name of a column and `data`, the frame that has it")
        raise InputError("`time` is missing; expected an array, or the name of a column and `data`, the frame that has it")
    each: dict[str, Any] = {}
    for c in channels:
        alike = isinstance(c.values, str) and isinstance(each.get(c.name), str) and each[c.name] == c.values
        if c.name in each and not alike:
            raise InputError(f"two columns are called `{c.name}`; give them names of their own")
        each[c.name] = c.values
    found = named(data, time=time, **each)
    return series_of(found, found.pop("time"))


def _document(model: Model, given: Given, scheme: Scheme | None) -> dict[str, Any]:
    """The model in a fit file: its table and its run."""
    document = model._document(given)
    if model._calls_python(given):
        raise InputError("the model holds a Python function; a fit needs a model that a file can hold: sample the function, or tabulate it")
    run = {k: v for k, v in document.get("run", {}).items() if k != "end"}
    if scheme is not None:
        run["scheme"] = text("scheme", scheme)
    return {model.kind: document[model.kind], **({"run": run} if run else {})}

"""The joint of a robot (a servo with its drive and its load), fitted to many logs."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._arguments import Array, Number, described, flag, number, text, whole
from ._calibrate import fitted, named, series_of
from ._errors import InputError, suggesting
from ._experiments import _sought
from ._fit import Fit
from ._laws import Law, PythonLaw
from ._results import Progress

#: What the table of logs is called in messages.
INDEX = "index.csv"


@suggesting
def joint(
    logs: Any,
    *,
    time: str = "time",
    goal: str = "goal",
    position: str = "position",
    enabled: str | None = None,
    supply: str | Number | None = None,
    log: str | None = None,
    index: Any = None,
    mounting: str | None = None,
    hold_out: Mapping[str, Sequence[Any]] | None = None,
    gain: Number | None = None,
    torque_constant: Number,
    friction: Law,
    unknown: Mapping[str, Any],
    drive: Mapping[str, Number] | None = None,
    load_friction: Mapping[str, Any] | None = None,
    quadratic: Number | Mapping[str, Number] | None = None,
    limit: Number | None = None,
    resistance: Number | None = None,
    armature: Number | None = None,
    damping: Number | None = None,
    vertical: Number | None = None,
    backlash: Number | None = None,
    encoder: str | None = None,
    control: str | None = None,
    load: Mapping[str, Number] | None = None,
    starts: int | None = None,
    terms: bool | None = None,
    seed: int | None = None,
    title: str | None = None,
    progress: Progress = None,
) -> Fit:
    """Fits the friction and the drive of a robot's servo to logs of goals sent and angles measured.

    The keywords of the model have the same names in the fit file. The page "Identify a servo in ten minutes"
    explains each term.

    Parameters
    ----------
    logs : frame or list of frames
        Pandas or Polars data frames, Arrow tables, or dictionaries of arrays, one for each log. Or one frame with all
        logs, in which the column `log` tells them apart.
    time, goal, position : str, optional
        Names of the columns: times, s or ``datetime64``; goals sent, rad; measured angles, rad (NaN where one is
        missing).
    enabled : str, optional
        Name of the column that is 0 while the motor is switched off.
    supply : str or float, optional
        Name of the column with the supply voltage, or the voltage itself, V. If it is given, the gain is in duty cycle
        per radian.
    log : str, optional
        If `logs` is one frame: name of the column that says to which log a row belongs.
    index : dict or frame, optional
        What differs from log to log: ``gain``, ``load.inertia``, ``load.mass``, ``load.length``,
        ``load.gravity_torque``, and further columns by which the errors are grouped. Each has one value per log, in the
        order of the logs. If `logs` is one frame: a dictionary from these names to columns of the frame that are
        constant within each log.
    mounting : str, optional
        The column of `index` that tells the mountings of the load apart. A separate ``vertical`` is fitted for each.
    hold_out : dict, optional
        ``{column: values}``: the logs with these values in this column of `index` are not used for the fit, only to
        test it.
    gain : float, optional
        Duty cycle per radian if there is a supply, otherwise V/rad. It is multiplied by the column ``gain`` of `index`.
    torque_constant : float
        Torque per ampere at the shaft, > 0, N·m/A.
    friction : Law
        `coulomb`, `static_dynamic` or `stribeck_exponential`, with torques in N·m and velocities in rad/s; or a law
        that yields before it slips, `dahl`, `lugre` or `elasto_plastic` (stiffness in N·m/rad, ``breakaway_share``). If
        ``friction.lugre.stiffness`` or ``friction.elasto-plastic.breakaway_share`` is in `unknown`, it is kept only if
        the logs support it.
    unknown : dict
        The parameters to fit, by their keys in the fit file, each with its lower and upper bound: ``{"resistance":
        (1.0, 20.0)}``.
    drive : dict, optional
        ``delay`` (s), ``speed_limit`` (rad/s), ``start``, ``derivative``, ``tick`` (s).
    load_friction : dict, optional
        Friction that grows with the load: ``external``, ``motor``, ``rest``, ``transmitted``; or ``forward`` and
        ``backward``, each a dictionary of these.
    quadratic : float or dict, optional
        Drag that grows with the square of the speed, N·m·s²/rad²; or ``{"forward": ..., "backward": ...}``.
    limit, resistance, armature, damping, vertical : float, optional
        The largest duty cycle or voltage; resistance of the motor, Ω; inertia of motor and gear, kg·m²; viscous
        friction, N·m·s/rad; and the angle at which the load hangs straight down, rad.
    backlash : float, optional
        The angle through which the arm can turn while the motor stands still, ≥ 0, rad. To fit it, name it in `unknown`
        as well.
    encoder : str, optional
        With a backlash: ``"output"`` (default) if the angle that is measured and controlled is that of the arm,
        ``"motor"`` if it is that of the motor divided by the gear ratio.
    control : str, optional
        ``"voltage"`` (default) or ``"current"``. With a current, the gain is in A/rad and there is no resistance.
    load : dict, optional
        ``inertia`` (kg·m²) and ``gravity_torque`` (N·m), or ``mass`` (kg) and ``length`` (m), if they are the same in
        all logs.
    starts : int, optional
        Number of starting points of the search.
    terms : bool, optional
        Whether the fit is repeated with each term left out in turn, to show how much the term matters.
    seed : int, optional
        Seed of the starting points.
    title : str, optional
        Title of the report.
    progress : bool or callable, optional
        True shows a progress bar (tqdm). A function is called with the number of parts that are done and the number of
        all parts.

    Returns
    -------
    Fit
        The fit, with `error`, `terms`, `undetermined`, `bristle`, `simplified`, `by` and `joint` of ``fit.json`` as
        attributes. ``fit.write(folder)`` writes the files that ``stickslip joint export`` reads.

    Examples
    --------
    A motor of 1 N·m/A and 1 Ω turns an inertia of 0.014 kg·m² towards its goal with 2 V/rad, against a dry friction of
    0.06 N·m:

    >>> import numpy as np
    >>> import stickslip as ss
    >>> def made(phase):
    ...     t = np.arange(200) * 0.01
    ...     goal = 0.6 * np.sin(3.0 * t + phase)
    ...     angle, q, w = [], 0.0, 0.0
    ...     for i in range(20000):
    ...         if i % 100 == 0:
    ...             angle.append(q)
    ...         wanted = np.interp(1e-4 * i, t, goal)
    ...         free = w + 1e-4 / 0.014 * (2.0 * (wanted - q) - 1.0 * w)
    ...         w = np.sign(free) * max(abs(free) - 1e-4 / 0.014 * 0.06, 0.0)
    ...         q += 1e-4 * w
    ...     return {"time": t, "goal": goal, "position": np.array(angle)}
    >>> fit = ss.joint([made(0.0), made(1.0), made(2.0)], gain=2.0, torque_constant=1.0, resistance=2.0, armature=0.004,
    ...                load={"inertia": 0.01}, friction=ss.coulomb(0.02), terms=False,
    ...                unknown={"resistance": (0.5, 10.0), "friction.coulomb.force": (0.0, 0.5)})
    >>> round(fit.parameters["resistance"].value, 1), round(fit.parameters["friction.coulomb.force"].value, 2)
    (1.0, 0.06)
    """
    if not isinstance(friction, Law) or isinstance(friction, PythonLaw):
        raise InputError(f"`friction` is {described(friction)}; expected a friction law of this package")
    if not isinstance(unknown, Mapping) or not unknown:
        raise InputError(f"`unknown` is {described(unknown)}; expected a dictionary from keys to pairs (from, to)")
    columns = {"goal": goal, "position": position, "enabled": enabled}
    if isinstance(supply, str):
        columns["supply"] = supply
    given = {name: text(name, column) for name, column in {"time": time, **columns}.items() if column is not None}
    frames, rows = _frames(logs, given, log, index)
    tables: dict[str, list[tuple[str, Array]]] = {}
    for i, frame in enumerate(frames):
        try:
            found = named(frame, **given)
            tables[f"log {i + 1}"], _ = series_of(found, found.pop("time"))
        except InputError as wrong:
            raise InputError(f"log {i + 1}: {wrong}") from None
    data: dict[str, Any] = {"title": None if title is None else text("title", title), "index": INDEX}
    data |= {"time": "time", "time_unit": "s"} | {name: name for name in given if name != "time"}
    if supply is not None and not isinstance(supply, str):
        data["supply"] = number("supply", supply)
    data["mounting"] = None if mounting is None else text("mounting", mounting)
    numbers = {"gain": gain, "limit": limit, "resistance": resistance, "armature": armature}
    numbers |= {"damping": damping, "vertical": vertical, "torque_constant": torque_constant, "backlash": backlash}
    model: dict[str, Any] = {"kind": "servo"} | {k: number(k, v) for k, v in numbers.items() if v is not None}
    model["control"] = None if control is None else text("control", control)
    model["encoder"] = None if encoder is None else text("encoder", encoder)
    drag = quadratic if quadratic is None or isinstance(quadratic, Mapping) else number("quadratic", quadratic)
    further = {"load": load_friction, "quadratic": drag}
    model["friction"] = {**friction.document, **{k: v for k, v in further.items() if v is not None}}
    model |= {"drive": None if drive is None else dict(drive), "load": None if load is None else dict(load)}
    fit: dict[str, Any] = {"starts": None if starts is None else whole("starts", starts, 1)}
    fit |= {"terms": None if terms is None else flag("terms", terms), "seed": None if seed is None else whole("seed", seed)}
    fit |= {"hold_out": _held_out(hold_out), "unknown": _sought(unknown)}
    document = {"data": data, "model": model, "fit": fit}
    first = next(iter(tables.values()))
    # A record in memory is a table of numbers; the index holds names, too, and goes by way of a file.
    with tempfile.TemporaryDirectory() as folder:
        _write(os.path.join(folder, INDEX), list(tables), rows)
        result = fitted(document, first, None, {}, progress, tables, folder)
    return result._told()


def _held_out(hold_out: Mapping[str, Sequence[Any]] | None) -> dict[str, Any] | None:
    if hold_out is None:
        return None
    if not isinstance(hold_out, Mapping) or len(hold_out) != 1:
        raise InputError(f"`hold_out` is {described(hold_out)}; expected a column of `index` with its values, as in {{\"rep\": [1]}}")
    ((column, values),) = hold_out.items()
    if isinstance(values, str) or not np.iterable(values):
        values = [values]
    plain = [v.item() if isinstance(v, np.generic) else v for v in values]
    return {"column": text("hold_out", column), "values": [v if isinstance(v, str) else number("hold_out", v) for v in plain]}


def _names(frame: Any) -> list[str]:
    known = frame if isinstance(frame, Mapping) else getattr(frame, "column_names", getattr(frame, "columns", None))
    if known is None:
        raise InputError(f"`index` is {described(frame)}; expected a dictionary of columns, or a frame")
    return [str(k) for k in known]


def _frames(logs: Any, given: Mapping[str, str], log: str | None, index: Any) -> tuple[list[Any], dict[str, list[Any]]]:
    """The logs one by one, and what differs between them."""
    if log is None:
        frames = list(logs) if isinstance(logs, (list, tuple)) else [logs]
        if not frames:
            raise InputError("`logs` is an empty list; expected a frame for each log")
        rows = {} if index is None else {name: list(_plain(index, name)) for name in _names(index)}
        for name, values in rows.items():
            if len(values) != len(frames):
                raise InputError(f"`index[{name!r}]` holds {len(values)} values; expected one for each of the {len(frames)} logs")
        return frames, rows
    if index is not None and not isinstance(index, Mapping):
        raise InputError(f"`index` is {described(index)}; expected a dictionary from keys to columns of the frame that has every log")
    names = list(_plain(logs, log))
    places: dict[Any, list[int]] = {}
    for i, name in enumerate(names):
        places.setdefault(name, []).append(i)
    columns = {column: np.asarray(named(logs, column=column)["column"]) for column in given.values()}
    frames = [{c: values[at] for c, values in columns.items()} for at in places.values()]
    rows = {"log": list(places)}
    for key, column in (index or {}).items():
        values = list(_plain(logs, text(f"index[{key!r}]", column)))
        of_log = [{values[i] for i in at} for at in places.values()]
        for name, found in zip(places, of_log):
            if len(found) != 1:
                raise InputError(f"the column {column!r} has {len(found)} values in the log {name!r}; expected one for each log")
        rows[key] = [found.pop() for found in of_log]
    return frames, rows


def _plain(frame: Any, column: str) -> Any:
    """A column as an array, or as a list of Python numbers and texts."""
    found = named(frame, column=column)["column"]
    found = found.to_numpy() if hasattr(found, "to_numpy") else found
    return np.asarray(found).tolist() if not isinstance(found, list) else found


def _write(path: str, files: list[str], rows: Mapping[str, list[Any]]) -> None:
    """The index as a file."""
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["file", *rows])
        for i, file in enumerate(files):
            writer.writerow([file, *(values[i] for values in rows.values())])

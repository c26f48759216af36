"""Fleets: many bearings, ranked by urgency."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _folder, _parquet
from ._arguments import Number, choice, flag, whole
from ._calibrate import calibrate, check_options
from ._errors import InputError, RecordWarning, suggesting
from ._executors import PARTS_PER_WORKER, check_executor, run_parts, workers
from ._fleet_records import document_of
from ._results import Progress, Result, progress_of
from ._stickslip import Document, read_text
from ._stickslip import merge as merge_parts
from ._stickslip import run as run_

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

#: What `calibrate` takes and a fleet does not: it has columns of its own, and looks for changes in its own way.
_OF_ONE = ("time", "temperature", "displacement", "data", "progress", "state", "windows")
_REPORTS = ("alarms", "watch", "all", "none")


class Fleet(Result):
    """The results for many bearings, one row for each.

    Attributes
    ----------
    bearing : numpy.ndarray
        Their names.
    status : numpy.ndarray
        ``ok``, ``watch``, ``alarm`` or ``unusable``.
    reason : numpy.ndarray
        The reason for the status, in one sentence.
    f_s, f_s_low, f_s_high, … : numpy.ndarray
        Each parameter with its 95 % interval.
    change_time, change_ratio, change_low, change_high : numpy.ndarray
        Time and ratio of a change of the friction, with the interval of the ratio, where a change was found.

    Examples
    --------
    Two bearings that move in proportion to the temperature, so that no friction shows:

    >>> import numpy as np
    >>> import pathlib, tempfile
    >>> import stickslip as ss
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("north", "south"):
    ...     rows = [f"{t},{10 + 8 * np.sin(t / 11):.2f},{3 + 2.4 * np.sin(t / 11):.3f}" for t in range(400)]
    ...     _ = (folder / f"{name}.csv").write_text("\\n".join(["hour,temperature,z", *rows]))
    >>> _ = (folder / "fleet.toml").write_text('''
    ... [data]
    ... file = "*.csv"
    ... time = "hour"
    ... time_unit = "h"
    ... drive = "temperature"
    ... response = "z"
    ... response_unit = "mm"
    ... [model]
    ... kind = "thermal-bearing"
    ... ''')
    >>> found = ss.fleet(folder / "fleet.toml")
    >>> found.bearing.tolist(), sum(found.counts.values()), bool(np.isnan(found.f_s).all())
    (['north', 'south'], 2, True)
    """

    _category = RecordWarning

    @property
    def counts(self) -> dict[str, int]:
        """The number of bearings with each status."""
        return dict(self.summary["status"])

    @property
    def _formats(self) -> list[str]:
        return ["csv", "parquet"] if _parquet.is_there() else ["csv"]

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {status}" for status, n in self.counts.items())
        return f"<Fleet of {self.summary['bearings']} bearings: {counts}>"


def _document(file: str) -> Document:
    return Document(file, read_text(file), os.path.dirname(os.path.abspath(file)), {}, {})


def _fleet_part(file: str, part: tuple[int, int]) -> str:
    """A part of a fleet, in a worker."""
    options = {"part": part, "threads": 1}
    return run_("fleet", _document(file), {}, options, None).content("partial")


@suggesting
def fleet(
    records: Any,
    out: str | os.PathLike[str] | None = None,
    *,
    time: str | None = None,
    drive: str | None = None,
    response: str | Sequence[str] | None = None,
    bearing: str | None = None,
    response_unit: str | None = None,
    drive_unit: str | None = None,
    changes: bool | None = None,
    false_discoveries: Number | None = None,
    resume: bool = False,
    reports: str | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Progress = None,
    **options: Any,
) -> Fleet:
    r"""Calibrates many bearings and ranks them by urgency. A problem with the record of one bearing is reported in its
    row and does not stop the others.

    Parameters
    ----------
    records : path-like, frame or dict
        The path of a fleet file; or the records themselves. A frame of pandas or Polars, a table of Arrow or a dictionary of
        columns holds all bearings: either `bearing` names the column that tells them apart, or `response` is the list of
        their columns. A dictionary from the names of the bearings to their records holds each as (time, drive, response) or
        as a frame.
    time, drive, response : str, optional
        Names of the columns of a frame; by default ``"time"``, ``"temperature"`` and ``"displacement"``. Times are in s or
        ``datetime64``; NaN marks a missing value.
    bearing : str, optional
        Name of the column that says to which bearing a row belongs.
    response_unit, drive_unit : str, optional
        Units of the displacements and of the temperatures, as in a fleet file; by default ``"m"`` and ``"°C"``.
    changes : bool, optional
        Whether to look for changes of the friction over time. Default: True.
    false_discoveries : float, optional
        Accepted share of false alarms among all alarms. Default: 0.05.
    out : path-like, optional
        Folder to which everything is written: the table, the page ``index.html`` and the reports. The result of each
        bearing is saved as soon as it is complete.
    resume : bool
        Whether to continue an earlier run in `out`. Bearings whose records have not changed are not fitted again.
    reports : {"alarms", "watch", "all", "none"}, optional
        Which bearings get a report; ``"watch"`` (default) means alarms and watched bearings. Reports are composed in
        this process, from the records, when they are written.
    threads : int, optional
        Number of threads, if there is no executor; by default one for each core.
    executor : concurrent.futures.Executor, optional
        If given, its workers share the bearings. They must have access to the same files. The result is the same to the
        last bit.
    progress : bool or callable, optional
        True shows a progress bar (tqdm). A function is called with the number of bearings that are done and the number
        of all bearings.
    **options
        Options of `calibrate` for records in memory, the same for every bearing. `bearing_stiffness` and
        `bearing_stiffness_error` may be dictionaries from the names of the bearings to numbers.

    Returns
    -------
    Fleet

    Raises
    ------
    InputError
        If the fleet file or an option is wrong.
    FileError
        If `out` holds something that must not be replaced; see `Result.write`.

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
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("north", "south"):
    ...     rows = [f"{t:.0f},{warm:.2f},{1e3 * x:.3f}" for t, warm, x in zip(hours, temperature, bearing(2e-3))]
    ...     _ = (folder / f"{name}.csv").write_text("\n".join(["time,temperature,z", *rows]))
    >>> _ = (folder / "fleet.toml").write_text('''
    ... [data]
    ... file = "*.csv"
    ... time = "time"
    ... time_unit = "h"
    ... drive = "temperature"
    ... response = "z"
    ... response_unit = "mm"
    ... [model]
    ... kind = "thermal-bearing"
    ... ''')
    >>> found = ss.fleet(folder / "fleet.toml", folder / "found")
    >>> found.bearing.tolist(), found.status.tolist(), found.f_s_over_K.round(5).tolist()
    (['north', 'south'], ['ok', 'ok'], [0.002, 0.002])

    The same from records in memory, displacements in m:

    >>> again = ss.fleet({name: (3600 * hours, temperature, bearing(2e-3)) for name in ("north", "south")})
    >>> again.f_s_over_K.round(5).tolist()
    [0.002, 0.002]
    """
    check_options("fleet", calibrate, options, without=_OF_ONE)
    names: dict[str, Any] = {"time": time, "drive": drive, "response": response, "bearing": bearing, "response_unit": response_unit}
    names |= {"drive_unit": drive_unit, "changes": changes, "false_discoveries": false_discoveries}
    source: str | Document
    if isinstance(records, (str, os.PathLike)):
        source = os.fspath(records)
        for key, value in {**names, **options}.items():
            if value is not None:
                raise InputError(f"`{key}` was given with a fleet file, which says so itself; expected the file alone")
    else:
        if executor is not None:
            raise InputError("`executor` was given with records in memory; expected a fleet file, whose records every worker reads itself")
        if resume:
            raise InputError("`resume` was given with records in memory; expected a fleet file, whose records can be compared")
        usual = {"response_unit": "m", "drive_unit": "°C", "changes": True}
        source = document_of(records, {key: usual.get(key) if value is None else value for key, value in names.items()}, options)
    if reports is not None:
        reports = choice("reports", reports, _REPORTS)
    if resume and out is None:
        raise InputError("`resume` needs `out`, the folder in which the earlier run has left its results")
    if out is None:
        return _fleet(source, None, resume, reports, threads, executor, progress)._told()
    # The folder is looked at before the work.
    with _folder.opened(out, "fleet") as opened:
        done = _fleet(source, os.fspath(out), resume, reports, threads, executor, progress)
        done._write_into(opened, done._formats)
    return done._told()


def _fleet(
    source: str | Document,
    out: str | None,
    resume: bool,
    reports: str | None,
    threads: int | None,
    executor: Executor | None,
    progress: Progress,
) -> Fleet:
    """The bearings of a fleet. The result of each is saved in `out` as soon as it is complete."""
    if executor is None:
        options: dict[str, Any] = {"reports": reports, "resume": flag("resume", resume)}
        options["out"] = out
        options["threads"] = None if threads is None else whole("threads", threads, 1)
        document = _document(source) if isinstance(source, str) else source
        return Fleet(run_("fleet", document, {}, options, progress_of(progress)))
    check_executor(executor)
    if resume:
        raise InputError("`resume` was given with `executor`; a part that was lost is handed out again by itself")
    if threads is not None:
        raise InputError("`threads` was given with `executor`, whose workers have a thread each")
    of = PARTS_PER_WORKER * workers(executor)
    path = os.path.abspath(str(source))
    asked = [(path, (k, of)) for k in range(1, of + 1)]
    parts = run_parts(executor, _fleet_part, asked, progress, [1] * of)
    return Fleet(merge_parts(parts, [], reports or "watch", os.path.dirname(path)))

"""Fleets: many bearings, ranked by urgency."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _folder, _parquet
from ._arguments import choice, described, flag, whole
from ._errors import InputError, RecordWarning, suggesting
from ._executors import PARTS_PER_WORKER, check_executor, run_parts, workers
from ._results import Progress, Result, progress_of
from ._stickslip import Document, read_text
from ._stickslip import merge as merge_parts
from ._stickslip import run as run_

if TYPE_CHECKING:
    from concurrent.futures import Executor

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
    file: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    reports: str | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Progress = None,
) -> Fleet:
    r"""Calibrates many bearings and ranks them by urgency. A problem with the record of one bearing is reported in its
    row and does not stop the others.

    Parameters
    ----------
    file : path-like
        The fleet file.
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
    """
    if not isinstance(file, (str, os.PathLike)):
        raise InputError(f"`file` is {described(file)}; expected the path of a fleet file")
    name = os.fspath(file)
    if reports is not None:
        reports = choice("reports", reports, _REPORTS)
    if resume and out is None:
        raise InputError("`resume` needs `out`, the folder in which the earlier run has left its results")
    if out is None:
        return _fleet(name, None, resume, reports, threads, executor, progress)._told()
    # The folder is looked at before the work.
    with _folder.opened(out, "fleet") as opened:
        done = _fleet(name, os.fspath(out), resume, reports, threads, executor, progress)
        done._write_into(opened, done._formats)
    return done._told()


def _fleet(
    name: str,
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
        return Fleet(run_("fleet", _document(name), {}, options, progress_of(progress)))
    check_executor(executor)
    if resume:
        raise InputError("`resume` was given with `executor`; a part that was lost is handed out again by itself")
    if threads is not None:
        raise InputError("`threads` was given with `executor`, whose workers have a thread each")
    of = PARTS_PER_WORKER * workers(executor)
    path = os.path.abspath(name)
    asked = [(path, (k, of)) for k in range(1, of + 1)]
    parts = run_parts(executor, _fleet_part, asked, progress, [1] * of)
    return Fleet(merge_parts(parts, [], reports or "watch", os.path.dirname(path)))

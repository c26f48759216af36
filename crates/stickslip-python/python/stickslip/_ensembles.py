"""Ensembles: many paths under noise."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _plots
from ._arguments import Number, Scheme, described, flag, number, numbers, read_only, whole
from ._errors import InputError, suggesting
from ._executors import PARTS_PER_WORKER, check_executor, run_model, run_parts, share, workers
from ._load import ModelLike, model_of
from ._model import Model
from ._results import Column, Progress, Result
from ._solve import settings
from ._stickslip import merge as merge_parts

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from matplotlib.axes import Axes

#: Fewer paths than this are not worth a part of their own.
_FEWEST_PATHS = 64


class Ensemble(Result):
    """Statistics of many paths under noise, as returned by `ensemble` and `merge`.

    Attributes
    ----------
    t : numpy.ndarray, shape (rows,)
        Times, s.
    mean_x, var_x, mean_v, var_v : numpy.ndarray, shape (rows,)
        Mean and variance of displacement and velocity. Where the model has several nodes, their names are appended, as
        in ``mean_x_a``.
    p05_x, p50_x, p95_x : numpy.ndarray, shape (rows,)
        5, 50 and 95 % quantiles of the displacement.
    stick_fraction : numpy.ndarray, shape (rows,)
        Fraction of the paths that stick.
    final : dict of str to numpy.ndarray
        The final state of every path, if it was requested with ``final=True``.
    paths : int
        Number of paths.

    Examples
    --------
    >>> import stickslip as ss
    >>> shaken = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), force=ss.white(1.0))
    >>> found = ss.ensemble(shaken, 2.0, step=0.1, paths=100, seed=1, rows=3, final=True)
    >>> found.paths, found.t.tolist(), len(found.final["x"])
    (100, [0.0, 1.0, 2.0], 100)
    """

    @property
    def paths(self) -> int:
        return int(self.summary["paths"])

    @property
    def final(self) -> dict[str, Column]:
        if "final" in self._kept:
            return dict(self._kept["final"])
        if "final" not in self.tables:
            raise AttributeError("the states at the end were not kept; pass final=True")
        return self.table("final")

    @property
    def partial(self) -> str:
        """These paths as a text that `merge` reads, also the `merge` of the command line (``partial.json``)."""
        return self._content("partial")

    def plot(self, ax: Axes | None = None, *, of: str = "x", **kwargs: Any) -> Axes:
        """Plots the mean of a displacement or velocity with the band that contains 90 % of the paths.

        Examples
        --------
        >>> import stickslip as ss
        >>> shaken = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), force=ss.white(1.0))
        >>> axes = ss.ensemble(shaken, 2.0, step=0.1, paths=100, seed=1, rows=3).plot()
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('time (s)', 'displacement (m)')
        """
        ax = _plots.axes(ax)
        if f"mean_{of}" not in self._columns(self.tables[0]):
            raise InputError(f"there is no column mean_{of}")
        (mean,) = ax.plot(self["t"], self[f"mean_{of}"], **{"label": "mean", **kwargs})
        low, high = self[f"p05_{of}"], self[f"p95_{of}"]
        ax.fill_between(self["t"], low, high, alpha=0.25, linewidth=0, color=mean.get_color(), label="5 % to 95 %")
        turning = _plots.turns(self.summary["model"])
        ax.set_xlabel("time (s)")
        ax.set_ylabel(_plots.column_label(of, self.units()[f"mean_{of}"], turning))
        _plots.legend(ax)
        return ax

    def __repr__(self) -> str:
        return f"<Ensemble of {self.paths} paths, {len(self['t'])} rows until {self['t'][-1]:g} s>"


def _ensemble_part(model: Model, chosen: tuple[tuple[str, Any], ...], options: dict[str, Any]) -> tuple[str, Any]:
    """A part of an ensemble, in a worker."""
    product = run_model("ensemble", model, chosen, options)
    final = product.table("final") if options.get("final") else None
    return product.content("partial"), final


@suggesting
def ensemble(
    model: ModelLike,
    t_end: Number | None = None,
    *,
    step: Number | None = None,
    paths: int | tuple[int, int],
    seed: int | np.random.Generator | None = None,
    rows: int | None = None,
    scheme: Scheme | None = None,
    final: bool = False,
    level: Number | None = None,
    explicit_sign: bool = False,
    quantiles: Sequence[Number] = (),
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Progress = None,
) -> Ensemble:
    """Statistics of many paths of a model with noise.

    The same seed gives the same result to the last bit, whatever the number of threads or workers.

    Parameters
    ----------
    model : Oscillator, Cascade or Network
        The model, with its noise.
    t_end : float, optional
        The last instant, s.
    step : float, optional
        Step of the paths, s.
    paths : int or (int, int)
        Number of paths; or a pair (first, end), which computes the paths from `first` up to but not including `end`,
        for `merge`.
    seed : int or numpy.random.Generator, optional
        Seed of the noise. By default the seed of the model file, or 1, so that repeated calls give the same numbers. A
        generator gives new noise at each call.
    rows : int, optional
        Number of rows of the tables, 201 by default.
    scheme : str, optional
        Time-stepping scheme: ``theta`` (default; its stationary variances are right at any step), ``euler``,
        ``implicit-euler`` or ``sign-euler``. Other schemes raise an error.
    final : bool
        Whether to keep the final state of every path.
    level : float, optional
        Record the first time at which \\|x\\| exceeds this level, m.
    explicit_sign : bool
        Whether to compute friction from the sign of the previous velocity, for comparison.
    quantiles : sequence of float
        Further quantiles besides 5, 50 and 95 %, as numbers between 0 and 1.
    threads : int, optional
        Number of threads, if there is no executor; by default one for each core.
    executor : concurrent.futures.Executor, optional
        If given, its workers share the paths.
    progress : bool or callable, optional
        True shows a progress bar (tqdm). A function is called with the number of paths that are done and the number of
        all paths.

    Returns
    -------
    Ensemble

    Raises
    ------
    InputError
        If the model, a number or an option is wrong.

    Examples
    --------
    >>> import stickslip as ss
    >>> shaken = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.0), force=ss.white(1.0))
    >>> paths = ss.ensemble(shaken, 2.0, step=0.1, paths=4000, seed=1, rows=3)
    >>> paths.t.tolist(), bool(abs(paths.var_v[-1] - 2.0) < 0.2)
    ([0.0, 1.0, 2.0], True)
    """
    model = model_of(model)
    chosen = settings(model, t_end, scheme, step, seed=seed, rows=rows)
    if isinstance(paths, tuple) and len(paths) != 2:
        raise InputError(f"`paths` is {paths!r}; expected a number of paths, or two: from … to before …")
    first, last = (0, whole("paths", paths, 1)) if not isinstance(paths, tuple) else (paths[0], paths[1])
    first, last = whole("paths", first), whole("paths", last)
    if first >= last:
        raise InputError(f"`paths` is {paths!r}; expected one path or more")
    shares = numbers("quantiles", quantiles).tolist()
    for q in shares:
        if not 0.0 < q < 1.0:
            raise InputError(f"`quantiles` holds {q!r}; expected shares between 0 and 1")
    options: dict[str, Any] = {"final": flag("final", final), "explicit_sign": flag("explicit_sign", explicit_sign), "quantiles": shares}
    options["threads"] = None if threads is None else whole("threads", threads, 1)
    options["scheme"] = None if scheme is None else dict(chosen)["scheme"]
    options["level"] = None if level is None else number("level", level)
    if executor is None:
        return Ensemble(run_model("ensemble", model, chosen, {**options, "paths": (first, last)}, progress))._told()
    check_executor(executor)
    count = last - first
    parts = max(1, min(PARTS_PER_WORKER * workers(executor), count // _FEWEST_PATHS))
    ranges = [(first + a, first + b) for a, b in share(count, parts)]
    # Each worker is one of many already.
    given = {**options, "threads": options["threads"] or 1}
    asked = [(model, chosen, {**given, "paths": r}) for r in ranges]
    done = run_parts(executor, _ensemble_part, asked, progress, [b - a for a, b in ranges])
    merged = Ensemble(merge_parts([text for text, _ in done], shares))
    if final:
        columns = [{name: values for name, _, _, values in table} for _, table in done]
        merged._kept["final"] = {name: read_only(np.concatenate([c[name] for c in columns])) for name in columns[0]}
    return merged._told()


@suggesting
def merge(parts: Iterable[Ensemble | str | os.PathLike[str]], *, quantiles: Sequence[Number] = ()) -> Ensemble:
    """Merges parts of an ensemble; the result equals that of one run, bit for bit.

    Parameters
    ----------
    parts : iterable of Ensemble, str or path-like
        Ensembles of the same model with different paths, or ``partial.json`` files written by the command line.
    quantiles : sequence of float
        Further quantiles besides 5, 50 and 95 %, as numbers between 0 and 1.

    Returns
    -------
    Ensemble

    Raises
    ------
    InputError
        If the parts are of different ensembles, or overlap.

    Examples
    --------
    >>> import stickslip as ss
    >>> shaken = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), force=ss.white(1.0))
    >>> parts = [ss.ensemble(shaken, 1.0, step=0.1, paths=(n, n + 64), seed=1, rows=2) for n in (0, 64)]
    >>> ss.merge(parts).paths
    128
    """
    texts = []
    kept = []
    if not isinstance(parts, Iterable) or isinstance(parts, (str, bytes)):
        raise InputError(f"`parts` is {described(parts)}; expected a list of ensembles")
    for i, part in enumerate(parts):
        if isinstance(part, Ensemble):
            texts.append(part.partial)
            kept.append(part)
        elif isinstance(part, str) and part.lstrip().startswith("{"):
            texts.append(part)
        elif isinstance(part, (str, os.PathLike)):
            from ._stickslip import read_text

            texts.append(read_text(os.fspath(part)))
        else:
            raise InputError(f"`parts[{i}]` is {described(part)}; expected an Ensemble or the path of a partial.json")
    if not texts:
        raise InputError("`parts` is empty; expected ensembles")
    merged = Ensemble(merge_parts(texts, numbers("quantiles", quantiles).tolist()))
    finals = [p.final for p in kept if "final" in p.tables or "final" in p._kept]
    if finals and len(finals) == len(texts):
        order = np.argsort([f["path"][0] for f in finals], kind="stable")
        merged._kept["final"] = {n: read_only(np.concatenate([finals[i][n] for i in order])) for n in finals[0]}
    return merged._told()

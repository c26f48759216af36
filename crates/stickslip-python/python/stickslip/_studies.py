"""Larger runs: ensembles, sweeps, orders of convergence, solutions of ill-posed problems."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import _plots
from ._arguments import Array, Number, Numbers, choice, described, number, numbers, whole
from ._errors import InputError, suggesting
from ._load import ModelLike, model_of
from ._models import Model
from ._path import Path
from ._results import Column, Progress, Result, progress_of
from ._solve import settings
from ._stickslip import Product
from ._stickslip import merge as merge_parts
from ._stickslip import run as run_

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from matplotlib.axes import Axes

T = TypeVar("T")

#: Parts of a run for each worker: a few, so that none waits long for the last one.
_PARTS_PER_WORKER = 4
#: Fewer paths than this are not worth a part of their own.
_FEWEST_PATHS = 64


def _values(chosen: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    return {f"run.{key}": value for key, value in chosen}


def _run(
    what: str,
    model: Model,
    chosen: tuple[tuple[str, Any], ...],
    options: Mapping[str, Any],
    progress: Progress = None,
) -> Product:
    return run_(what, model._checked, _values(chosen), dict(options), progress_of(progress))


def _share(count: int, parts: int) -> list[tuple[int, int]]:
    """`count` items in about equal ranges."""
    edges = [count * i // parts for i in range(parts + 1)]
    return [(a, b) for a, b in zip(edges, edges[1:]) if a < b]


def _workers(executor: Executor) -> int:
    """How many workers an executor has; executors do not have to say it."""
    for name in ("_max_workers", "max_workers"):
        found = getattr(executor, name, None)
        if isinstance(found, int) and found > 0:
            return found
    client = getattr(executor, "_client", None)
    if client is not None:
        try:
            return max(1, int(sum(client.nthreads().values())))
        except Exception:  # noqa: BLE001 - a client that cannot say it is no reason to fail
            pass
    return os.cpu_count() or 1


def _in_order(futures: Sequence[Future[T]], progress: Progress, weights: Sequence[int]) -> list[T]:
    """The results of all parts, in order; the others are given up when one fails or Ctrl-C comes."""
    tell = progress_of(progress)
    done, total, out = 0, sum(weights), []
    try:
        for future, weight in zip(futures, weights):
            out.append(future.result())
            done += weight
            if tell:
                tell(done, total)
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return out


def _check_executor(executor: object) -> None:
    if not hasattr(executor, "submit"):
        raise InputError(f"`executor` is {described(executor)}; expected an executor as those of concurrent.futures")


# --- Ensembles -------------------------------------------------------------------------------------


class Ensemble(Result):
    """Statistics of many paths under noise: what `ensemble` and `merge` return.

    Attributes
    ----------
    t : numpy.ndarray, shape (rows,)
        Times, s.
    mean_x, var_x, mean_v, var_v : numpy.ndarray, shape (rows,)
        Moments of displacement and velocity; of several points with their names, as ``mean_x_a``.
    p05_x, p50_x, p95_x : numpy.ndarray, shape (rows,)
        Quantiles.
    stick_fraction : numpy.ndarray, shape (rows,)
        Share of the paths that stick.
    final : dict of str to numpy.ndarray
        The state of every path at the end, if it was asked for.
    paths : int
        Number of paths.
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
        """These paths as a text that `merge` takes, also one of the command line (``partial.json``)."""
        return self._content("partial")

    def plot(self, ax: Axes | None = None, *, of: str = "x", **kwargs: Any) -> Axes:
        """Draws the mean of a displacement or velocity and the band that holds 90 % of the paths."""
        ax = _plots.axes(ax)
        if f"mean_{of}" not in self._columns(self.tables[0]):
            raise InputError(f"there is no column mean_{of}")
        lines = ax.plot(self["t"], self[f"mean_{of}"], **kwargs)
        ax.fill_between(self["t"], self[f"p05_{of}"], self[f"p95_{of}"], alpha=0.2, color=lines[0].get_color())
        ax.set_xlabel("t (s)")
        ax.set_ylabel(f"{of} ({self.units()[f'mean_{of}']})")
        return ax

    def __repr__(self) -> str:
        return f"<Ensemble of {self.paths} paths, {len(self['t'])} rows until {self['t'][-1]:g} s>"


def _ensemble_part(model: Model, chosen: tuple[tuple[str, Any], ...], options: dict[str, Any]) -> tuple[str, Any]:
    """A part of an ensemble, in a worker."""
    product = _run("ensemble", model, chosen, options)
    final = product.table("final") if options.get("final") else None
    return product.content("partial"), final


@suggesting
def ensemble(
    model: ModelLike,
    t_end: Number | None = None,
    *,
    step: Number | None = None,
    paths: int | tuple[int, int],
    seed: int | None = None,
    rows: int | None = None,
    scheme: str | None = None,
    final: bool = False,
    level: Number | None = None,
    explicit_sign: bool = False,
    quantiles: Sequence[Number] = (),
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Progress = None,
) -> Ensemble:
    """Statistics of many paths of a model with noise.

    The same seed gives the same bits, whatever the threads, the executor and its number of workers.

    Parameters
    ----------
    model : Oscillator, Cascade or Network
        What moves, its noises included.
    t_end : float, optional
        The last instant, s.
    step : float, optional
        Step of the paths, s.
    paths : int or (int, int)
        How many; or which, from … to before …, for `merge`.
    seed : int, optional
        Which noises.
    rows : int, optional
        Rows of the tables; 201 without it.
    scheme : str, optional
        Must be the scheme in which paths advance.
    final : bool
        Keep the state of every path at the end.
    level : float, optional
        Time the first passage of \\|x\\| over this level, m.
    explicit_sign : bool
        Take friction from the sign of the velocity before, for comparison.
    quantiles : sequence of float
        More quantiles beside 5, 50 and 95 %, as shares.
    threads : int, optional
        Without an executor: threads; one for each core without it.
    executor : concurrent.futures.Executor, optional
        Spreads a few large parts over its workers.
    progress : bool or callable, optional
        True for a bar by tqdm; or a function of the numbers of paths that are done and of all paths.

    Returns
    -------
    Ensemble

    Raises
    ------
    InputError
        If the model, a number or an option is wrong.
    """
    model = model_of(model)
    chosen = settings(model, t_end, scheme, step, seed=seed, rows=rows)
    first, last = (0, whole("paths", paths, 1)) if not isinstance(paths, tuple) else (paths[0], paths[1])
    first, last = whole("paths", first), whole("paths", last)
    if first >= last:
        raise InputError(f"`paths` is {paths!r}; expected one path or more")
    shares = [number("quantiles", q) for q in quantiles]
    for q in shares:
        if not 0.0 < q < 1.0:
            raise InputError(f"`quantiles` holds {q!r}; expected shares between 0 and 1")
    options: dict[str, Any] = {"final": bool(final), "explicit_sign": bool(explicit_sign), "quantiles": shares}
    options["threads"] = None if threads is None else whole("threads", threads, 1)
    options["scheme"] = None if scheme is None else dict(chosen)["scheme"]
    options["level"] = None if level is None else number("level", level)
    if executor is None:
        return Ensemble(_run("ensemble", model, chosen, {**options, "paths": (first, last)}, progress))
    _check_executor(executor)
    count = last - first
    parts = max(1, min(_PARTS_PER_WORKER * _workers(executor), count // _FEWEST_PATHS))
    ranges = [(first + a, first + b) for a, b in _share(count, parts)]
    # Each worker is one of many already.
    given = {**options, "threads": options["threads"] or 1}
    futures = [executor.submit(_ensemble_part, model, chosen, {**given, "paths": r}) for r in ranges]
    done = _in_order(futures, progress, [b - a for a, b in ranges])
    merged = Ensemble(merge_parts([text for text, _ in done], shares))
    if final:
        columns = [{name: values for name, _, values in table} for _, table in done]
        merged._kept["final"] = {name: np.concatenate([c[name] for c in columns]) for name in columns[0]}
    return merged


@suggesting
def merge(parts: Iterable[Ensemble | str | os.PathLike[str]], *, quantiles: Sequence[Number] = ()) -> Ensemble:
    """Parts of one ensemble put together, to the same bits as one run.

    Parameters
    ----------
    parts : iterable of Ensemble, str or path-like
        Ensembles of one model with different paths; or ``partial.json`` files of the command line.
    quantiles : sequence of float
        More quantiles beside 5, 50 and 95 %, as shares.

    Returns
    -------
    Ensemble

    Raises
    ------
    InputError
        If the parts do not belong together, or overlap.
    """
    texts = []
    kept = []
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
    merged = Ensemble(merge_parts(texts, [number("quantiles", q) for q in quantiles]))
    finals = [p.final for p in kept if "final" in p.tables or "final" in p._kept]
    if finals and len(finals) == len(texts):
        order = np.argsort([f["path"][0] for f in finals], kind="stable")
        merged._kept["final"] = {n: np.concatenate([finals[i][n] for i in order]) for n in finals[0]}
    return merged


# --- Sweeps ----------------------------------------------------------------------------------------


class Sweep(Result):
    """What is measured at every point of a sweep: one row for each.

    Attributes
    ----------
    slips : numpy.ndarray
        Number of slips.
    stick_share : numpy.ndarray
        Share of time in stick.
    dissipated : numpy.ndarray
        Lost to dry friction, J.
    end_x, end_sd : numpy.ndarray
        Displacement at the end (m), and its standard deviation under noise.
    axes : dict of str to numpy.ndarray
        The numbers that vary: ``sweep["oscillator.stiffness"]`` has their values at the points.
    """

    axes: dict[str, Array]

    def grid(self, column: str) -> Column:
        """A column in the shape of the axes: the last one varies slowest, so it comes first."""
        shape = tuple(len(v) for v in reversed(self.axes.values()))
        return self[column].reshape(shape)

    def plot(self, ax: Axes | None = None, *, column: str = "dissipated", **kwargs: Any) -> Axes:
        """Draws a column: a curve over one number, a map over two."""
        ax = _plots.axes(ax)
        keys = list(self.axes)
        ax.set_xlabel(keys[0])
        if len(keys) == 1:
            ax.plot(self[keys[0]], self[column], **kwargs)
            ax.set_ylabel(column)
            return ax
        mesh = ax.pcolormesh(self.axes[keys[0]], self.axes[keys[1]], self.grid(column), **kwargs)
        ax.set_ylabel(keys[1])
        if ax.figure is not None:
            ax.figure.colorbar(mesh, ax=ax, label=column)
        return ax


def _sweep_part(
    model: Model, chosen: tuple[tuple[str, Any], ...], options: dict[str, Any]
) -> list[tuple[str, str, Any]]:
    return _run("sweep", model, chosen, options).table("sweep")


@suggesting
def sweep(
    model: ModelLike,
    vary: Mapping[str, Numbers],
    t_end: Number | None = None,
    scheme: str | None = None,
    *,
    step: Number | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    seed: int | None = None,
    paths: int | None = None,
    section: int | None = None,
    executor: Executor | None = None,
    progress: Progress = None,
) -> Sweep:
    """A model over a range of one or two of its numbers.

    Parameters
    ----------
    model : Oscillator, Cascade or Network
        What moves.
    vary : dict of str to array_like
        One or two keys of the model file, such as ``"oscillator.stiffness"`` or
        ``"oscillator.drive.0.harmonic.amplitude"``, and their values. The first varies fastest.
    t_end, scheme, step, rtol, atol, seed
        As for `solve`.
    paths : int, optional
        Paths at each point of a model with noise; 256 without it.
    section : int, optional
        List the states after each of so many periods of the load instead, once the transient is over: the
        columns are the keys, ``x`` and ``v``; the table ``section_down`` has them for falling values.
    executor : concurrent.futures.Executor, optional
        Spreads the points over its workers.
    progress : bool or callable, optional
        As for `ensemble`.

    Returns
    -------
    Sweep

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=5.0)
    >>> ss.sweep(model, {"oscillator.friction.coulomb.force": [0.5, 1.0]}, t_end=60).dissipated.round(3)
    array([12.5, 12. ])
    """
    model = model_of(model)
    if not isinstance(vary, Mapping):
        raise InputError(f"`vary` is {described(vary)}; expected a dictionary from keys to values")
    chosen = settings(model, t_end, scheme, step, rtol, atol, seed)
    axes = {str(key): numbers(f"vary[{key!r}]", values, 1) for key, values in vary.items()}
    if not 1 <= len(axes) <= 2:
        raise InputError(f"`vary` holds {len(axes)} keys; expected one or two")
    options: dict[str, Any] = {"paths": None if paths is None else whole("paths", paths, 1)}
    # The key of a scheme that was asked for matters to noisy models only.
    if scheme is not None:
        options["scheme"] = dict(chosen)["scheme"]
    listed = [(key, values.tolist()) for key, values in axes.items()]
    if section is not None:
        options["section"] = whole("section", section, 1)
        if executor is not None:
            raise InputError("`executor` was given with `section`; a section uses every core by itself")
    if executor is None:
        result = Sweep(_run("sweep", model, chosen, {**options, "axes": listed}, progress))
        result.axes = axes
        return result
    _check_executor(executor)
    # The last number varies slowest: parts of its values are blocks of rows.
    key, values = listed[-1]
    ranges = _share(len(values), min(len(values), _PARTS_PER_WORKER * _workers(executor)))
    asked = [{**options, "axes": [*listed[:-1], (key, values[a:b])]} for a, b in ranges]
    futures = [executor.submit(_sweep_part, model, chosen, one) for one in asked]
    rows = len(listed[0][1]) if len(listed) == 2 else 1
    done = _in_order(futures, progress, [rows * (b - a) for a, b in ranges])
    result = Sweep.__new__(Sweep)
    result.__dict__.update(_product=None, axes=axes)
    columns = {name: np.concatenate([dict((n, v) for n, _, v in part)[name] for part in done]) for name, _, _ in done[0]}
    units = {name: unit for name, unit, _ in done[0]}
    result._kept = {
        "summary": {"command": "sweep", "points": len(next(iter(columns.values())))},
        "names": ([], [], []),
        "tables": ("sweep",),
        "warnings": (),
        "table sweep": columns,
        "units sweep": units,
    }
    result._kept["content text"] = _text(columns)
    result._kept["csv sweep"] = _csv(columns)
    return result


def _csv(columns: Mapping[str, Column]) -> str:
    head = ",".join(f'"{n}"' if "," in n else n for n in columns)
    rows = zip(*(c.tolist() for c in columns.values()))
    return "\n".join([head, *(",".join(repr(x) for x in row) for row in rows)]) + "\n"


def _text(columns: Mapping[str, Column]) -> str:
    head = " ".join(f"{n.rsplit('.', 1)[-1]:>14}" for n in columns)
    rows = zip(*(c.tolist() for c in columns.values()))
    return "\n".join([head, *(" ".join(f"{x:>14.6g}" for x in row) for row in rows)]) + "\n"


# --- Orders ----------------------------------------------------------------------------------------


class Convergence(Result):
    """Errors of a scheme while its step is halved.

    Attributes
    ----------
    h : numpy.ndarray
        Steps, s.
    error : numpy.ndarray
        Largest errors, m.
    ratio, order : numpy.ndarray
        Ratio of an error to the one before, and the order log₂ of it.
    """

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """Draws the error against the step, both logarithmic."""
        ax = _plots.axes(ax)
        first, second = list(self._columns(self.tables[0]))[:2]
        ax.loglog(self[first], self[second], **{"marker": "o", **kwargs})
        ax.set_xlabel(first)
        ax.set_ylabel(second)
        return ax


@suggesting
def converge(
    model: ModelLike,
    t_end: Number | None = None,
    scheme: str | None = None,
    *,
    step: Number | None = None,
    halvings: int = 7,
    against: str | None = None,
    paths: int | None = None,
    seed: int | None = None,
    executor: Executor | None = None,
    progress: Progress = None,
) -> Convergence:
    """The order of a time-stepping scheme, by halving its step.

    Parameters
    ----------
    model : Oscillator, Cascade, Network or Impact
        What moves.
    t_end : float, optional
        The last instant, s.
    scheme : str, optional
        A time-stepping scheme; or ``adaptive``, for the precision and the work of its tolerances.
    step : float, optional
        The coarsest step, s; a hundredth of `t_end` without it.
    halvings : int
        How often the step is halved, 1 … 24.
    against : {"self", "exact"}, optional
        What the scheme is compared with.
    paths : int, optional
        Paths to average over, if the model has noise; 100 without it.
    seed : int, optional
        Which noises.
    executor : concurrent.futures.Executor, optional
        Its worker computes the table, which is one piece of work.
    progress : bool or callable, optional
        As for `ensemble`.

    Returns
    -------
    Convergence
    """
    model = model_of(model)
    chosen = settings(model, t_end, scheme, step, seed=seed)
    if scheme is not None and not {"step"} & {*dict(chosen), *model.run}:
        if dict(chosen)["scheme"] not in ("adaptive", "spring", "yosida"):
            end = dict(chosen).get("end", model.run.get("end"))
            chosen = (*chosen, ("step", number("t_end", end) / 100.0))
    options: dict[str, Any] = {"halvings": whole("halvings", halvings, 1)}
    if options["halvings"] > 24:
        raise InputError(f"`halvings` is {halvings}; expected 1 to 24")
    options["against"] = None if against is None else choice("against", against, ("self", "exact"))
    options["paths"] = None if paths is None else whole("paths", paths, 1)
    options["scheme"] = None if scheme is None else dict(chosen)["scheme"]
    if executor is not None:
        _check_executor(executor)
        return executor.submit(_converged, model, chosen, options).result()
    return Convergence(_run("converge", model, chosen, options, progress))


def _converged(model: Model, chosen: tuple[tuple[str, Any], ...], options: dict[str, Any]) -> Convergence:
    return Convergence(_run("converge", model, chosen, options))


# --- Problems with several solutions ---------------------------------------------------------------


class Solutions(Result):
    """The solutions of a problem that has more than one: tables, figures and a text."""


@suggesting
def solutions(
    model: ModelLike,
    t_end: Number | None = None,
    *,
    step: Number | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    limit: int | None = None,
    progress: Progress = None,
) -> Solutions:
    """The solutions of a problem that has more than one.

    Parameters
    ----------
    model : Oscillator, Corner or Schatzman
        The problem.
    t_end, step, rtol, atol : float, optional
        Of an oscillator, as for `solve`.
    limit : int, optional
        Stop after this many solutions; 1000 without it.

    Returns
    -------
    Solutions
    """
    model = model_of(model)
    options = {"limit": None if limit is None else whole("limit", limit, 1)}
    chosen: tuple[tuple[str, Any], ...] = ()
    if model.kind not in ("corner", "schatzman"):
        chosen = settings(model, t_end, None, step, rtol, atol)
    elif not (t_end is step is rtol is atol is None):
        raise InputError(f"a problem of the kind {model.kind} has no run: leave `t_end`, `step`, `rtol` and `atol` out")
    return Solutions(_run("solutions", model, chosen, options, progress))


class Simulation(Result):
    """Everything that the command line makes of one motion; `path` is the motion itself."""

    path: Path


@suggesting
def simulate(
    model: ModelLike,
    t_end: Number | None = None,
    scheme: str | None = None,
    *,
    step: Number | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    seed: int | None = None,
    rows: int | None = None,
    perturb: Number | None = None,
) -> Simulation:
    """One motion with all its tables and figures, as ``stickslip simulate`` makes them.

    `solve` is quicker and gives the motion as arrays; this is for files and reports.

    Parameters
    ----------
    model, t_end, scheme, step, rtol, atol, seed
        As for `solve`.
    rows : int, optional
        Equally spaced rows of the table ``trajectory``; 2001 without it.
    perturb : float, optional
        Solve also with the force ± this, N, and say where the paths part.

    Returns
    -------
    Simulation
    """
    model = model_of(model)
    chosen = settings(model, t_end, scheme, step, rtol, atol, seed, rows)
    options = {"perturb": None if perturb is None else number("perturb", perturb)}
    result = Simulation(_run("simulate", model, chosen, options))
    # Solved when it is asked for.
    result.path = Path(model, chosen, None)
    return result

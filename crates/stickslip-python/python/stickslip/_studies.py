"""Orders of convergence, solutions of ill-posed problems, and motions with all that the command line makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _plots
from ._arguments import Number, Scheme, choice, number, whole
from ._errors import InputError, suggesting
from ._executors import check_executor, run_model
from ._load import ModelLike, model_of
from ._model import Model
from ._path import Path
from ._results import Progress, Result
from ._solve import settings, used_settings

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from matplotlib.axes import Axes


class Convergence(Result):
    """Errors of a scheme while its step is halved.

    Attributes
    ----------
    h : numpy.ndarray
        Steps, s.
    error : numpy.ndarray
        Largest distances of the states (x, v), in m and m/s.
    ratio, order : numpy.ndarray
        Ratio of an error to that of half the step, in the next row, and the order log₂ of it; NaN in the last row.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> mass = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=5.0)
    >>> found = ss.converge(mass, 10.0, "euler", step=0.01, halvings=3)
    >>> found.h.tolist(), found.order[0].round(1)
    ([0.01, 0.005, 0.0025], np.float64(1.0))
    """

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """Draws the error against the step, both logarithmic.

        Examples
        --------
        >>> import stickslip as ss
        >>> mass = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=5.0)
        >>> axes = ss.converge(mass, 10.0, "euler", step=0.01, halvings=3).plot()
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('step h (s)', 'error (m and m/s)')
        """
        ax = _plots.axes(ax)
        first, second = list(self._columns(self.tables[0]))[:2]
        ax.loglog(self[first], self[second], **{"marker": "o", **kwargs})
        _plots.few_decades(ax, self[first])
        units = self.units()
        # Soft walls have no step: their compliance is halved.
        soft = units[first] == "m/N"
        ax.set_xlabel(_plots.label("1/stiffness" if soft else _plots.words(first), units[first]))
        ax.set_ylabel(_plots.column_label(second, units[second]))
        return ax


@suggesting
def converge(
    model: ModelLike,
    t_end: Number | None = None,
    scheme: Scheme | None = None,
    *,
    step: Number | None = None,
    halvings: int = 7,
    against: str | None = None,
    paths: int | None = None,
    seed: int | np.random.Generator | None = None,
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
    seed : int or numpy.random.Generator, optional
        Which noises. Without it those of the model's file, or of the seed 1: the same call gives the same numbers every time.
        A generator draws others for each call.
    executor : concurrent.futures.Executor, optional
        One of its workers computes the table. It is one piece of work: the smallest step alone costs more than all the
        others together.
    progress : bool or callable, optional
        As for `ensemble`.

    Returns
    -------
    Convergence

    Examples
    --------
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.1), x0=1.0)
    >>> found = ss.converge(block, 5.0, "implicit-euler")
    >>> bool(abs(found.order[-2] - 1.0) < 0.1)
    True
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
        check_executor(executor)
        found: Convergence = executor.submit(_converged, model, chosen, options).result()
        return found._told()
    return Convergence(run_model("converge", model, chosen, options, progress))._told()


def _converged(model: Model, chosen: tuple[tuple[str, Any], ...], options: dict[str, Any]) -> Convergence:
    return Convergence(run_model("converge", model, chosen, options))


# --- Problems with several solutions ---------------------------------------------------------------


class Solutions(Result):
    """The solutions of a problem that has more than one: tables, figures and a text.

    Examples
    --------
    Schatzman's force has two motions, rest and bounces:

    >>> import stickslip as ss
    >>> found = ss.solutions(ss.Schatzman(bounces=10))
    >>> list(found.tables), len(found.table("bounces")["t"])
    (['solutions', 'bounces'], 10)
    """


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

    References
    ----------
    Schatzman, Lamarque, Bastien (1999); Schatzman (1978).

    Examples
    --------
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> set(ss.solutions(block, 9.0).solution.tolist())
    {0}
    """
    model = model_of(model)
    options = {"limit": None if limit is None else whole("limit", limit, 1)}
    chosen: tuple[tuple[str, Any], ...] = ()
    if model.kind not in ("corner", "schatzman"):
        chosen = settings(model, t_end, None, step, rtol, atol)
    elif not (t_end is step is rtol is atol is None):
        raise InputError(f"a problem of the kind {model.kind} has no run: leave `t_end`, `step`, `rtol` and `atol` out")
    return Solutions(run_model("solutions", model, chosen, options, progress))._told()


class Simulation(Result):
    """Everything that the command line makes of one motion; `path` is the motion itself.

    Examples
    --------
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> found = ss.simulate(block, 9.0)
    >>> list(found.tables), found.path.events["t"].tolist()
    (['trajectory', 'events'], [4.0])
    """

    path: Path


@suggesting
def simulate(
    model: ModelLike,
    t_end: Number | None = None,
    scheme: Scheme | None = None,
    *,
    step: Number | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    seed: int | np.random.Generator | None = None,
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

    Examples
    --------
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> float(ss.simulate(block, 9.0).x[-1])
    4.0
    """
    model = model_of(model)
    chosen = used_settings(model, t_end, scheme, step, rtol, atol, seed, rows)
    options = {"perturb": None if perturb is None else number("perturb", perturb)}
    result = Simulation(run_model("simulate", model, chosen, options))
    # Solved when it is asked for.
    result.path = Path(model, chosen, None)
    return result._told()

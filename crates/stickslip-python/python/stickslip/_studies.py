"""Orders of convergence, solutions of ill-posed problems, and motions with all tables and figures of the command line."""

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
    """Errors of a scheme as its step is halved.

    Attributes
    ----------
    h : numpy.ndarray
        Steps, s.
    error : numpy.ndarray
        Largest errors of the states (x, v), in m and m/s.
    ratio, order : numpy.ndarray
        Ratio of an error to the error in the next row, at half the step, and the order, which is log₂ of this ratio;
        NaN in the last row.

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
        """Plots the error against the step, both on logarithmic axes.

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
    """Measures the order of a time-stepping scheme by halving its step.

    Parameters
    ----------
    model : Oscillator, Cascade, Network or Impact
        The model.
    t_end : float, optional
        The last instant, s.
    scheme : str, optional
        A time-stepping scheme; or ``adaptive``, for its accuracy and cost at decreasing tolerances.
    step : float, optional
        The largest step, s; by default a hundredth of `t_end`.
    halvings : int
        Number of halvings of the step, 1 to 24.
    against : {"self", "exact"}, optional
        What the scheme is compared with: itself with a smaller step, or the exact motion.
    paths : int, optional
        Number of paths to average over if the model has noise; 100 by default.
    seed : int or numpy.random.Generator, optional
        Seed of the noise. By default the seed of the model file, or 1, so that repeated calls give the same numbers. A
        generator gives new noise at each call.
    executor : concurrent.futures.Executor, optional
        If given, one of its workers computes the table. The work is not split, because the smallest step alone takes
        longer than all the others together.
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
    """The solutions of a problem with more than one solution, as tables, figures and a text.

    Examples
    --------
    Schatzman's problem has two solutions, rest and a sequence of bounces:

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
    """Lists the solutions of a problem that has more than one.

    Parameters
    ----------
    model : Oscillator, Corner or Schatzman
        The problem.
    t_end, step, rtol, atol : float, optional
        For an oscillator, as for `solve`.
    limit : int, optional
        Largest number of solutions to list; 1000 by default.

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
    """One motion with all tables and figures of the command line; `path` is the motion itself.

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
    """Simulates one motion and makes all tables and figures of ``stickslip simulate``.

    `solve` is faster and gives the motion as arrays; use `simulate` for files and reports.

    Parameters
    ----------
    model, t_end, scheme, step, rtol, atol, seed
        As for `solve`.
    rows : int, optional
        Number of equally spaced rows of the table ``trajectory``; 2001 by default.
    perturb : float, optional
        If given, the model is also solved with this force (N) added and subtracted, to show where the paths separate.

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

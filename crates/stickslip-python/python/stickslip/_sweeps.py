"""Sweeps of a model over one or two of its parameters."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _plots
from ._arguments import Array, Number, Numbers, Scheme, described, numbers, whole
from ._errors import InputError, suggesting
from ._executors import PARTS_PER_WORKER, check_executor, key_of, run_model, run_parts, workers
from ._load import ModelLike, model_of
from ._model import Model
from ._results import Column, Progress, Result
from ._solve import used_settings
from ._stickslip import merge as merge_parts

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from matplotlib.axes import Axes


class Sweep(Result):
    """The results of a sweep, with one row for each point.

    Attributes
    ----------
    slips : numpy.ndarray
        Number of slips, including one in which the run begins.
    stick_share : numpy.ndarray
        Fraction of the time in stick.
    dissipated : numpy.ndarray
        Energy lost to dry friction, J.
    impacts, rest_share, lost_in_impacts : numpy.ndarray
        In place of these three for a mass between walls: number of impacts, fraction of the time at rest on a wall, and
        energy lost in impacts, J.
    peak, residual : numpy.ndarray
        For a mass on a plane also its greatest distance from the origin and its distance at the end, m.
    end_x, end_sd : numpy.ndarray
        Displacement at the end (m), and its standard deviation if there is noise.
    axes : dict of str to numpy.ndarray
        The varied parameters. ``sweep["oscillator.stiffness"]`` has the value of one of them at every point.

    Examples
    --------
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=5.0)
    >>> found = ss.sweep(block, {"oscillator.friction.coulomb.force": [0.5, 1.0]}, t_end=60)
    >>> found["oscillator.friction.coulomb.force"].tolist(), found.dissipated.round(3).tolist()
    ([0.5, 1.0], [12.5, 12.0])
    """

    axes: dict[str, Array]

    def grid(self, column: str) -> Column:
        """A column in the shape of the axes. The last key varies slowest, so its axis comes first.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> found = ss.sweep(block, {"oscillator.stiffness": [1.0, 2.0, 4.0], "oscillator.mass": [1.0, 2.0]}, t_end=60)
        >>> found.grid("dissipated").shape
        (2, 3)
        """
        shape = tuple(len(v) for v in reversed(self.axes.values()))
        return self[column].reshape(shape)

    def plot(self, ax: Axes | None = None, *, column: str | None = None, **kwargs: Any) -> Axes:
        """Plots a column: a curve over one parameter, a map over two.

        By default the energy lost to friction, or in impacts.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> axes = ss.sweep(block, {"oscillator.friction.coulomb.force": [0.5, 1.0]}, t_end=60).plot()
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('friction (N)', 'lost to dry friction (J)')
        """
        ax = _plots.axes(ax)
        if column is None:
            column = "dissipated" if hasattr(self, "dissipated") else "lost_in_impacts"
        keys = list(self.axes)
        turning = _plots.turns(self.summary["model"])
        slab = "isolator" in self.summary["model"].get("planar", {})
        shown = _plots.column_label(column, self.units().get(column, ""), turning, "slab" if slab else "sweep")
        ax.set_xlabel(_plots.key_label(keys[0], turning))
        if len(keys) == 1:
            ax.plot(self[keys[0]], self[column], **kwargs)
            ax.set_ylabel(shown)
            return ax
        mesh = ax.pcolormesh(self.axes[keys[0]], self.axes[keys[1]], self.grid(column), **kwargs)
        ax.set_ylabel(_plots.key_label(keys[1], turning))
        if ax.figure is not None:
            ax.figure.colorbar(mesh, ax=ax, label=shown)
        return ax


def _sweep_part(model: Model, chosen: tuple[tuple[str, Any], ...], options: dict[str, Any]) -> str:
    """A part of a sweep, in a worker."""
    return run_model("sweep", model, chosen, options).content("partial")


@suggesting
def sweep(
    model: ModelLike,
    vary: Mapping[str, Numbers],
    t_end: Number | None = None,
    scheme: Scheme | None = None,
    *,
    step: Number | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    seed: int | np.random.Generator | None = None,
    records: Sequence[str | os.PathLike[str]] | None = None,
    paths: int | None = None,
    section: int | None = None,
    lyapunov: int | None = None,
    executor: Executor | None = None,
    progress: Progress = None,
) -> Sweep:
    """Solves a model over a range of one or two of its parameters.

    Parameters
    ----------
    model : Oscillator, Cascade or Network
        The model.
    vary : dict of str to array_like
        One or two keys of the model file, such as ``"oscillator.stiffness"`` or
        ``"oscillator.drive.0.harmonic.amplitude"``, and their values. The first key varies fastest.
    t_end, scheme, step, rtol, atol, seed
        As for `solve`.
    records : sequence of path-like, optional
        Files that replace every sampled file of the model, one after the other. `vary` then holds one key, such as a
        scale, or none (``{}``). The first column is ``record``, and the table ``quantiles`` has the 16, 50 and 84 %
        quantiles over the records.
    paths : int, optional
        Number of paths at each point, for a model with noise; 256 by default.
    section : int, optional
        Number of periods of the load. If given, the result lists the states after each of these periods, once the
        transient has decayed. The columns are then the keys, ``x`` and ``v``; the table ``section_down`` has them for
        decreasing values.
    lyapunov : int, optional
        Number of periods of the load. If given, the Lyapunov exponents over these periods are computed, once the
        transient has decayed. They are the columns ``lyapunov1`` and ``lyapunov2`` (1/s), in the table ``lyapunov`` if
        a section is requested too. An exponent of −∞, which occurs because a stick contracts one direction completely,
        is given as NaN.
    executor : concurrent.futures.Executor, optional
        If given, its workers share the points.
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
    chosen = used_settings(model, t_end, scheme, step, rtol, atol, seed)
    axes = {key_of("vary", model, key): numbers(f"vary[{key!r}]", values, 1) for key, values in vary.items()}
    if records is None and not 1 <= len(axes) <= 2:
        raise InputError(f"`vary` holds {len(axes)} keys; expected one or two")
    options: dict[str, Any] = {"paths": None if paths is None else whole("paths", paths, 1)}
    if records is not None:
        if isinstance(records, (str, os.PathLike)):
            raise InputError("`records` is one path; expected a list of paths")
        if executor is not None:
            raise InputError("`executor` was given with `records`, which use every core by themselves")
        options["records"] = [os.path.abspath(os.fspath(path)) for path in records]
    # The key of a scheme that was asked for matters to noisy models only.
    if scheme is not None:
        options["scheme"] = dict(chosen)["scheme"]
    listed = [(key, values.tolist()) for key, values in axes.items()]
    for name, count in (("section", section), ("lyapunov", lyapunov)):
        if count is not None:
            options[name] = whole(name, count, 1)
            if executor is not None:
                raise InputError(f"`executor` was given with `{name}`, which uses every core by itself")
    if executor is None:
        result = Sweep(run_model("sweep", model, chosen, {**options, "axes": listed}, progress))
        result.axes = axes
        return result._told()
    check_executor(executor)
    points = math.prod(len(values) for _, values in listed)
    of = max(1, min(points, PARTS_PER_WORKER * workers(executor)))
    given = {**options, "axes": listed}
    asked = [(model, chosen, {**given, "part": (k, of)}) for k in range(1, of + 1)]
    weights = [points * k // of - points * (k - 1) // of for k in range(1, of + 1)]
    result = Sweep(merge_parts(run_parts(executor, _sweep_part, asked, progress, weights), []))
    result.axes = axes
    return result._told()

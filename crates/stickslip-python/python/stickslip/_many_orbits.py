"""Periodic orbits of one model for many sets of its parameters."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._arguments import Array, Number, Numbers, Scheme, choice, read_only
from ._errors import Error, InputError, MotionWarning, suggesting, warn
from ._executors import check_executor, run_parts, share, values_of, workers
from ._load import ModelLike, model_of
from ._many import _varied
from ._model import Model
from ._orbits import Orbit, _chosen, _options
from ._results import Progress
from ._stickslip import run as run_

if TYPE_CHECKING:
    from concurrent.futures import Executor

#: Parts for each worker: an orbit may take a thousand times as long as another one, so they are small.
_PARTS = 32
_NUMBERS = ("period", "amplitude", "max", "min", "dissipated", "stuck_fraction")


class Orbits:
    """Many periodic orbits, as returned by `orbit_many`: one for each set of parameters of the model.

    Attributes
    ----------
    count : int
        N, the number of orbits.
    period, amplitude, max, min, dissipated, stuck_fraction : numpy.ndarray, shape (N,)
        As for `Orbit`.
    stable, complete : numpy.ndarray of bool, shape (N,)
        Whether the orbit is stable, which means that nearby motions approach it; and whether every motion that was
        followed ended at an orbit.
    stops, others : numpy.ndarray of int, shape (N,)
        Number of sticks in a period; number of other orbits that were found.
    multipliers : numpy.ndarray of complex, shape (N, k)
        The Floquet multipliers, largest first. Orbits with fewer multipliers than others are filled up with NaN.
    failed : dict of int to str
        The sets for which no orbit was found, by index, with the reason. The arrays hold NaN, False and -1 there. Empty
        unless ``errors="nan"``.
    warned : numpy.ndarray of int
        Indices of the orbits for which there are warnings.
    warnings : tuple of str
        The first twenty of these warnings, with the indices of their orbits.

    Examples
    --------
    >>> import stickslip as ss
    >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
    >>> found = ss.orbit_many(model, {"oscillator.friction.coulomb.force": [0.2, 0.4]})
    >>> found.count, found.stable.tolist(), found.period.round(6).tolist()
    (2, [True, True], [5.026548, 5.026548])
    """

    def __init__(self, found: list[dict[str, Any] | str]) -> None:
        orbits = [None if isinstance(it, str) else it for it in found]
        self.count = len(found)

        def column(name: str, missing: Any, dtype: type) -> Any:
            return read_only(np.array([missing if it is None else it[name] for it in orbits], dtype=dtype))

        self.period: Array
        self.amplitude: Array
        self.max: Array
        self.min: Array
        self.dissipated: Array
        self.stuck_fraction: Array
        for name in _NUMBERS:
            setattr(self, name, column(name, np.nan, float))
        self.stable: npt.NDArray[np.bool_] = column("stable", False, bool)
        self.complete: npt.NDArray[np.bool_] = column("complete", False, bool)
        self.stops: npt.NDArray[np.int64] = column("stops", -1, int)
        self.others: npt.NDArray[np.int64] = column("others", -1, int)
        most = max((len(it["multipliers"]) for it in orbits if it is not None), default=0)
        table = np.full((self.count, most), complex(np.nan, np.nan))
        for row, it in zip(table, orbits):
            if it is not None:
                row[: len(it["multipliers"])] = it["multipliers"]
        self.multipliers: npt.NDArray[np.complex128] = read_only(table)
        self.failed: dict[int, str] = {i: it for i, it in enumerate(found) if isinstance(it, str)}
        warned = [i for i, it in enumerate(orbits) if it is not None and it["warnings"]]
        self.warned: npt.NDArray[np.int64] = read_only(np.array(warned, dtype=np.int64))
        worded = [f"orbit {i}: {said}" for i, it in enumerate(orbits) if it is not None for said in it["warnings"]]
        self.warnings: tuple[str, ...] = tuple(worded[:20])

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} of them failed" if self.failed else ""
        return f"<{self.count} orbits, {int(self.stable.sum())} of them stable{failed}>"


def each(
    what: str,
    one: Callable[[dict[str, Any]], dict[str, Any]],
    values: dict[str, Any],
    lists: list[tuple[str, Array]],
    at: tuple[int, int],
    goes_on: bool,
    stop: threading.Event | None,
) -> list[dict[str, Any] | str]:
    """Calls `one` for each set of these values. `at` has the index of the first set and the number of all sets."""
    first, whole = at
    out: list[dict[str, Any] | str] = []
    for i in range(len(lists[0][1])):
        if stop is not None and stop.is_set():
            break
        try:
            out.append(one({**values, **{key: float(list_[i]) for key, list_ in lists}}))
        except Error as e:
            if goes_on:
                out.append(str(e))
                continue
            error = type(e)(f"{what} {first + i} of {whole}: {e}")
            error.help = e.help
            raise error from None
    return out


def spread(
    part: Callable[..., list[dict[str, Any] | str]],
    given: tuple[Any, ...],
    lists: list[tuple[str, Array]],
    executor: Executor | None,
    progress: Progress,
) -> list[dict[str, Any] | str]:
    """Calls `part` with `given`, some of the values and their position, on the workers of an executor or on threads."""
    count = len(lists[0][1])

    def parts(workers_: int) -> tuple[list[int], list[tuple[Any, ...]]]:
        ranges = share(count, _PARTS * workers_)
        cut = [[(key, list_[a:b]) for key, list_ in lists] for a, b in ranges]
        return [b - a for a, b in ranges], [(*given, some, (a, count)) for (a, _), some in zip(ranges, cut)]

    if executor is not None:
        check_executor(executor)
        weights, every = parts(workers(executor))
        found = run_parts(executor, part, every, progress, weights)
    else:
        stop = threading.Event()
        with ThreadPoolExecutor() as threads:
            weights, every = parts(workers(threads))
            try:
                found = run_parts(threads, part, [(*it, stop) for it in every], progress, weights)
            finally:
                # After Ctrl-C nobody begins another one.
                stop.set()
    return [it for some in found for it in some]


def _part(
    model: Model,
    values: dict[str, Any],
    options: dict[str, Any],
    goes_on: bool,
    lists: list[tuple[str, Array]],
    at: tuple[int, int],
    stop: threading.Event | None = None,
) -> list[dict[str, Any] | str]:
    """The orbits for these values of the parameters."""

    def one(given: dict[str, Any]) -> dict[str, Any]:
        orbit = Orbit(run_("orbit", model._checked, given, options, None))
        # The orbit itself, with its table, is forgotten.
        names = (*_NUMBERS, "stable", "complete", "stops", "multipliers", "warnings")
        return {**{name: getattr(orbit, name) for name in names}, "others": len(orbit.others)}

    return each("orbit", one, values, lists, at, goes_on, stop)


@suggesting
def orbit_many(
    model: ModelLike,
    vary: Mapping[str, Numbers | Number],
    periods: int = 1,
    scheme: Scheme | None = None,
    *,
    point: str | None = None,
    within: int = 400,
    rtol: Number | None = None,
    atol: Number | None = None,
    errors: str = "raise",
    executor: Executor | None = None,
    progress: Progress = None,
) -> Orbits:
    """Finds periodic orbits of one model for many sets of its parameters, on all cores and without the interpreter's
    lock.

    Each orbit is the one that `orbit` finds for the same parameters. Only its properties are kept, not its motion,
    which saves memory. To follow branches and bifurcations over one parameter, use `response`.

    Parameters
    ----------
    model : Oscillator or Network
        The model.
    vary : dict of str to array_like, shape (N,)
        Keys of the model file, such as ``"oscillator.mass"``, with one value for each orbit. A single number is used
        for all orbits.
    periods, scheme, point, within, rtol, atol
        As for `orbit`.
    errors : {"raise", "nan"}
        What to do if no orbit is found: raise an error at the first one, or continue with NaN in its place.
    executor : concurrent.futures.Executor, optional
        If given, its workers share the orbits; otherwise threads of this process do.
    progress : bool or callable, optional
        As for `ensemble`.

    Returns
    -------
    Orbits

    Raises
    ------
    InputError
        If a key, its values or an argument is wrong.
    InputError, SchemeError, UnsolvableError
        If an orbit cannot be found; the message begins with its index.

    Examples
    --------
    >>> import stickslip as ss
    >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
    >>> ss.orbit_many(model, {"oscillator.friction.coulomb.force": [0.2, 0.4]}).amplitude.round(6)
    array([1.708218, 1.48005 ])
    """
    model = model_of(model)
    lists = _varied(model, vary, None)
    options = _options(periods, point, within)
    values = values_of(_chosen(model, scheme, rtol, atol))
    goes_on = choice("errors", errors, ("raise", "nan")) == "nan"
    count = len(lists[0][1])
    orbits = Orbits(spread(_part, (model, values, options, goes_on), lists, executor, progress))
    if len(orbits.failed) == count:
        raise InputError(f"no orbit of {count} could be found; the first: {orbits.failed[0]}")
    if len(orbits.warned):
        few = f"{len(orbits.warned)} of {count} orbits should not be read without their warnings; the first: {orbits.warnings[0]}"
        warn([few], MotionWarning)
    return orbits


__all__ = ["Orbits", "orbit_many"]

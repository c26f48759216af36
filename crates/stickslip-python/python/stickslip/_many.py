"""Many motions of one model at once, from arrays of its parameters to arrays of motions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arguments import Array, Number, Numbers, Scheme, choice, described, flag, matrix, number, numbers, read_only, text
from ._errors import InputError, MotionWarning, suggesting, suggestion, warn
from ._executors import PARTS_PER_WORKER, check_executor, key_of, run_parts, share, values_of, workers
from ._load import ModelLike, model_of
from ._model import Model
from ._network import Network
from ._results import Progress, progress_of
from ._solve import used_settings
from ._stickslip import Solution
from ._stickslip import many as many_

if TYPE_CHECKING:
    from concurrent.futures import Executor

_KINDS = np.array(Solution.kinds())


class _Asked(NamedTuple):
    """The request to the core, apart from the model."""

    #: Keys and their values.
    vary: list[tuple[str, Array]]
    #: `end`, `events`, or times.
    wanted: str | Array
    columns: list[str] | None
    #: Whether motions that cannot be solved are left out.
    goes_on: bool
    #: How many motions there are, in all parts.
    whole: int

    def part(self, first: int, end: int) -> _Asked:
        """The same for some of the motions."""
        return self._replace(vary=[(key, values[first:end]) for key, values in self.vary])


class Motions:
    """Many motions, as returned by `solve_many`, in arrays whose first axis is the motion.

    Attributes
    ----------
    count : int
        N, the number of motions.
    t : numpy.ndarray, shape (T,), or None
        The requested times, s.
    columns : tuple of str
        Names of the columns. Each, such as ``motions["x"]``, has the shape (N, T), or (N,) if only the end was
        requested.
    units : dict of str to str
        Their units.
    x, v : numpy.ndarray, shape (N, T) or (N,)
        Displacement (m) and velocity (m/s). For a network the nodes are the second axis.
    events : numpy.ndarray, structured
        With ``events=True``: the events of all motions, those of the first motion first. Its fields are ``motion``
        (index), ``event``, ``t`` (s), ``where``, ``x`` (m), ``v`` (m/s, after the event) and ``impulse`` (N·s).
    event_counts : numpy.ndarray of int, shape (N,)
        With ``events=True``: the number of events of each motion.
    failed : dict of int to str
        The motions that could not be solved, by index, with the reason. The arrays hold NaN there. Empty unless
        ``errors="nan"``.
    warned : numpy.ndarray of int
        Indices of the motions for which there are warnings.
    warnings : tuple of str
        The first of these warnings, with the indices of their motions.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> found = ss.solve_many(block, {"oscillator.friction.coulomb.force": np.array([0.5, 1.0, 2.0])}, t_end=9.0, final=True)
    >>> found.count, found.x.tolist()
    (3, [4.0, 2.0, 1.0])
    """

    def __init__(self, count: int, t: Array | None, left: Mapping[str, Any]) -> None:
        self.count, self.t = count, t
        self._left = dict(left)
        self._kept: dict[str, Any] = {}
        self.columns: tuple[str, ...] = tuple(name for name, _ in left["columns"])
        self.units: dict[str, str] = dict(left["columns"])
        self.failed: dict[int, str] = dict(left["failed"])
        self.warned: npt.NDArray[np.int64] = read_only(np.array(left["warned"], dtype=np.int64))
        self.warnings: tuple[str, ...] = tuple(f"motion {i}: {said}" for i, said in left["warnings"])

    def __getitem__(self, name: str) -> Array:
        """A column."""
        if name not in self.columns:
            known = ", ".join(self.columns) or "none, for their events were asked for"
            raise InputError(f"the motions have no column {described(name)}{suggestion(str(name), self.columns)}; they have {known}")
        column: Array = self._left["numbers"][self.columns.index(name)]
        return column[:, 0] if self.t is None else column

    def _of(self, name: str) -> Array:
        if name in self.columns:
            return self[name]
        names = [c for c in self.columns if c.startswith(f"{name}_")]
        if not names:
            raise AttributeError(f"these motions have no `{name}`; they have the columns {', '.join(self.columns) or '(none)'}")
        if name not in self._kept:
            self._kept[name] = read_only(np.stack([self[c] for c in names], axis=1))
        found: Array = self._kept[name]
        return found

    @property
    def x(self) -> Array:
        return self._of("x")

    @property
    def v(self) -> Array:
        return self._of("v")

    def _happened(self) -> tuple[Any, ...]:
        found: tuple[Any, ...] | None = self._left["events"]
        if found is None:
            raise AttributeError("the events of these motions were not asked for: pass events=True")
        return found

    @property
    def event_counts(self) -> npt.NDArray[np.int64]:
        if "counts" not in self._kept:
            self._kept["counts"] = read_only(np.diff(self._happened()[0], prepend=0))
        return self._kept["counts"]  # type: ignore[no-any-return]

    @property
    def events(self) -> npt.NDArray[np.void]:
        if "events" not in self._kept:
            _, kinds, places, (t, x, v, impulse) = self._happened()
            names = np.array(self._left["places"] or ("",))
            dtype: list[tuple[str, Any]] = [("motion", "i8"), ("event", _KINDS.dtype), ("t", "f8"), ("where", names.dtype)]
            out = np.empty(len(t), [*dtype, ("x", "f8"), ("v", "f8"), ("impulse", "f8")])
            out["motion"] = np.repeat(np.arange(self.count), self.event_counts)
            out["event"], out["t"], out["where"] = _KINDS[kinds], t, names[places]
            out["x"], out["v"], out["impulse"] = x, v, impulse
            self._kept["events"] = read_only(out)
        return self._kept["events"]  # type: ignore[no-any-return]

    def events_of(self, motion: int) -> npt.NDArray[np.void]:
        """The events of one motion, by its index.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> many = ss.solve_many(block, {"oscillator.initial.displacement": [0.4, 2.25]}, t_end=10, events=True)
        >>> [many.events_of(i)["event"].tolist() for i in range(2)]
        [[], ['reversal', 'stick']]
        """
        if isinstance(motion, bool) or not isinstance(motion, (int, np.integer)) or not 0 <= motion < self.count:
            raise InputError(f"`motion` is {described(motion)}; expected a number from 0 to {self.count - 1}")
        ends = self._happened()[0]
        return self.events[ends[motion - 1] if motion else 0 : ends[motion]]

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        what = f"columns {', '.join(self.columns)}" if self.columns else "their events"
        at = "" if self.t is None else f" at {len(self.t)} times"
        failed = f", {len(self.failed)} of them failed" if self.failed else ""
        return f"<{self.count} motions: {what}{at}{failed}>"


def _solved(model: Model, chosen: tuple[tuple[str, Any], ...], asked: _Asked, first: int = 0, progress: Progress = None) -> dict[str, Any]:
    """The results of the motions from index `first` on, computed here or in a worker."""
    vary, wanted, columns, goes_on, whole = asked
    found = many_(model._checked, values_of(chosen), vary, wanted, columns, goes_on, first, whole, progress_of(progress))
    return {
        "count": len(vary[0][1]),
        "columns": found.columns(),
        "numbers": found.numbers(),
        "events": found.events(),
        "places": found.places,
        "failed": found.failed(),
        "warned": found.warned,
        "warnings": found.warnings,
    }


def _joined(lefts: list[dict[str, Any]]) -> dict[str, Any]:
    """Joins the results of several workers, as if one had computed them all."""
    # Of a part in which no motion can be solved neither columns nor places are known.
    known = next((left for left in lefts if left["columns"] or left["places"]), lefts[0])
    out = dict(known)
    for name in ("failed", "warned", "warnings"):
        out[name] = [it for left in lefts for it in left[name]]

    def of(left: dict[str, Any], i: int, like: Array) -> Array:
        return left["numbers"][i] if left["numbers"] else np.full((left["count"], like.shape[1]), np.nan)

    out["numbers"] = [np.concatenate([of(left, i, column) for left in lefts]) for i, column in enumerate(known["numbers"])]
    if out["events"] is not None:
        every = [left["events"] for left in lefts]
        before = np.cumsum([0, *(len(kinds) for _, kinds, _, _ in every[:-1])])
        ends = np.concatenate([e[0] + b for e, b in zip(every, before)])
        kinds, places = (np.concatenate([e[i] for e in every]) for i in (1, 2))
        out["events"] = (ends, kinds, places, [np.concatenate(column) for column in zip(*(e[3] for e in every))])
    return out


def _varied(model: Model, vary: object, y0: object) -> list[tuple[str, Array]]:
    """Keys and their values, one for each motion; a single number is used for all motions."""
    if not isinstance(vary, Mapping):
        raise InputError(f"`vary` is {described(vary)}; expected a dictionary from keys to arrays")
    lists: list[tuple[str, Any]] = []
    for key, values in vary.items():
        name = f"vary[{key!r}]"
        one = np.ndim(values) == 0 if isinstance(values, (np.ndarray, np.generic, int, float)) else False
        lists.append((key_of("vary", model, key), number(name, values) if one else numbers(name, values, 1)))
    if y0 is not None:
        lists += _initial(model, matrix("y0", y0))
    named = [(key, values) for key, values in lists if not isinstance(values, float)]
    if not named:
        raise InputError("`vary` holds no array; expected one value for each motion, of one key at least")
    count = len(named[0][1])
    for key, values in named:
        if len(values) != count:
            raise InputError(f"`{key}` has {len(values)} values and `{named[0][0]}` {count}; expected one of each for every motion")
    keys = [key for key, _ in lists]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise InputError(f"`{twice}` is in `vary`, and `y0` sets it too; expected one of them")
    return [(key, np.full(count, values) if isinstance(values, float) else values) for key, values in lists]


def _initial(model: Model, y0: Array) -> list[tuple[str, Array]]:
    """Keys of the initial state, and its columns."""
    if isinstance(model, Network):
        nodes = range(len(model.nodes))
        keys = [f"network.node.{i}.{what}" for what in ("displacement", "velocity") for i in nodes]
    else:
        keys = [f"{model.kind}.initial.{what}" for what in ("displacement", "velocity")]
    if y0.ndim != 2 or y0.shape[1] != len(keys) or len(y0) == 0:
        raise InputError(f"`y0` has the shape {y0.shape}; expected (N, {len(keys)}): displacements (m), then velocities (m/s)")
    return [(key, np.ascontiguousarray(y0[:, i])) for i, key in enumerate(keys)]


def _wanted(t: object, events: object, final: object) -> tuple[str | Array, Array | None]:
    """What is kept of each motion, and the times."""
    events, final = flag("events", events), flag("final", final)
    if (t is not None) + events + final != 1:
        raise InputError("expected one of t=…, events=True and final=True: it says what is kept of each motion")
    if t is None:
        return ("events" if events else "end"), None
    times = numbers("t", t, 1)
    return times, times


def _names(columns: object) -> list[str] | None:
    """Names of columns; None for all of them."""
    if columns is None:
        return None
    names = [columns] if isinstance(columns, str) else columns
    if not isinstance(names, (list, tuple)) or not names:
        raise InputError(f"`columns` is {described(columns)}; expected a list of names, such as [\"x\"]")
    return [text("columns", name) for name in names]


@suggesting
def solve_many(
    model: ModelLike,
    vary: Mapping[str, Numbers | Number],
    t_end: Number | None = None,
    scheme: Scheme | None = None,
    *,
    t: Numbers | None = None,
    events: bool = False,
    final: bool = False,
    y0: Numbers | None = None,
    columns: str | list[str] | tuple[str, ...] | None = None,
    step: Number | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    seed: int | np.random.Generator | None = None,
    errors: str = "raise",
    executor: Executor | None = None,
    progress: Progress = None,
) -> Motions:
    """Solves one model for many sets of its parameters, on all cores and without the interpreter's lock.

    Each motion equals that of ``solve`` with the same parameters, bit for bit. Only the requested arrays are kept, so
    memory holds these arrays and one motion per core.

    Parameters
    ----------
    model : Oscillator, Cascade, Network or Impact
        The model.
    vary : dict of str to array_like, shape (N,)
        Keys of the model file, such as ``"oscillator.mass"`` or ``"oscillator.drive.0.harmonic.amplitude"``, with one
        value for each motion. A single number is used for all motions.
    t_end, scheme, step, rtol, atol, seed
        As for `solve`.
    t : array_like, shape (T,), optional
        Times at which the columns are kept, s.
    events : bool
        Keep the events.
    final : bool
        Keep the columns at the end.
    y0 : array_like, shape (N, 2) or (N, 2 * nodes), optional
        Initial states: displacement (m) and velocity (m/s). For a network, the displacements of all nodes followed by
        their velocities.
    columns : sequence of str, optional
        Columns to keep, such as ``["x"]``; all of them by default. Does not apply to events.
    errors : {"raise", "nan"}
        What to do if a motion cannot be solved: raise an error at the first one, or continue with NaN in its place.
        `Motions.failed` then has the reasons. If no motion at all can be solved, an error is raised in any case.
    executor : concurrent.futures.Executor, optional
        If given, its workers share the motions.
    progress : bool or callable, optional
        As for `ensemble`.

    Returns
    -------
    Motions

    Raises
    ------
    InputError
        If a key, its values or an argument is wrong.
    InputError, SchemeError, UnsolvableError
        If a motion cannot be solved; the message begins with its index.

    Examples
    --------
    A sliding block comes to rest after v₀²/(2 μ g); here for three coefficients of friction:

    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=2.0, stiffness=0, friction=ss.coulomb(0.3), normal=2.0 * 9.81, v0=3.0)
    >>> many = ss.solve_many(block, {"oscillator.friction.coulomb.force": [0.1, 0.2, 0.4]}, t_end=9, final=True)
    >>> many.x.round(3)
    array([4.587, 2.294, 1.147])
    """
    model = model_of(model)
    chosen = used_settings(model, t_end, scheme, step, rtol, atol, seed)
    lists = _varied(model, vary, y0)
    wanted, times = _wanted(t, events, final)
    names = _names(columns)
    goes_on = choice("errors", errors, ("raise", "nan")) == "nan"
    count = len(lists[0][1])
    asked = _Asked(lists, wanted, names, goes_on, count)
    if executor is None:
        left = _solved(model, chosen, asked, 0, progress)
    else:
        check_executor(executor)
        ranges = share(count, PARTS_PER_WORKER * workers(executor))
        parts = [(model, chosen, asked.part(a, b), a) for a, b in ranges]
        left = _joined(run_parts(executor, _solved, parts, progress, [b - a for a, b in ranges]))
    if len(left["failed"]) == count:
        # There are no columns then. The first motion says what is wrong.
        _solved(model, chosen, asked.part(0, 1)._replace(goes_on=False))
    motions = Motions(count, times, left)
    if len(motions.warned):
        few = f"{len(motions.warned)} of {count} motions should not be read without their warnings; the first: {motions.warnings[0]}"
        warn([few], MotionWarning)
    return motions

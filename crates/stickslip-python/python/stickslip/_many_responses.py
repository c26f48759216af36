"""Responses of one model for many sets of its parameters."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._arguments import Array, Number, Numbers, Scheme, choice, described, read_only, whole
from ._errors import InputError, MotionWarning, suggesting, suggestion, warn
from ._executors import values_of
from ._load import ModelLike, model_of
from ._many import _varied
from ._many_orbits import each, spread
from ._model import Model
from ._orbits import Response, _chosen, _options, over
from ._results import Column, Progress
from ._stickslip import run as run_

if TYPE_CHECKING:
    from concurrent.futures import Executor

#: What the table of a response holds.
_COLUMNS = (
    "value",
    "amplitude",
    "max",
    "min",
    "amplitude_y",
    "max_y",
    "min_y",
    "peak",
    "period",
    "stops",
    "stuck_fraction",
    "dissipated",
    "equivalent_damping",
    "transmissibility",
    "multiplier",
    "stable",
    "branch",
    "kind",
)


class Responses:
    """Many responses, as returned by `response_many`: one for each set of parameters of the model.

    Attributes
    ----------
    count : int
        N, the number of responses.
    peak, peak_value : numpy.ndarray, shape (N,)
        The largest amplitude of a stable orbit (m), and the value of the varied parameter there; NaN if no orbit is
        stable.
    rows : numpy.ndarray of int, shape (N,)
        Number of orbits in each response.
    bifurcations : tuple of list
        For each response the pairs (value, kind) of its bifurcations, as in `Response`.
    columns : tuple of str
        The columns that were kept. ``found["amplitude"]`` has the values of all responses one after the other;
        ``found.of(i)`` has the columns of one response.
    failed : dict of int to str
        The responses that could not be computed, by index, with the reason. They have no rows. Empty unless
        ``errors="nan"``.
    warned : numpy.ndarray of int
        Indices of the responses for which there are warnings.
    warnings : tuple of str
        The first twenty of these warnings, with the indices of their responses.

    Examples
    --------
    >>> import stickslip as ss
    >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
    >>> key = "oscillator.force.0.harmonic.angular_frequency"
    >>> found = ss.response_many(model, {"oscillator.friction.coulomb.force": [0.2, 0.4]}, key, (1.1, 1.5), count=10)
    >>> found.count, found.peak_value.tolist(), "amplitude" in found.columns
    (2, [1.1, 1.1], True)
    """

    def __init__(self, found: list[dict[str, Any] | str], columns: tuple[str, ...]) -> None:
        there = [None if isinstance(it, str) else it for it in found]
        self.count = len(found)
        self.columns = columns

        def numbers_(name: str, missing: float, dtype: type) -> Any:
            return read_only(np.array([missing if it is None else it[name] for it in there], dtype=dtype))

        self.peak: Array = numbers_("peak", np.nan, float)
        self.peak_value: Array = numbers_("peak_value", np.nan, float)
        self.rows: npt.NDArray[np.int64] = numbers_("rows", 0, int)
        self.bifurcations: tuple[list[tuple[float, str]], ...] = tuple([] if it is None else it["bifurcations"] for it in there)
        self._ends = np.cumsum(self.rows)
        kept = [it["columns"] for it in there if it is not None]
        self._table = {name: read_only(np.concatenate([it[name] for it in kept])) for name in columns if kept}
        self.failed: dict[int, str] = {i: it for i, it in enumerate(found) if isinstance(it, str)}
        warned = [i for i, it in enumerate(there) if it is not None and it["warnings"]]
        self.warned: npt.NDArray[np.int64] = read_only(np.array(warned, dtype=np.int64))
        worded = [f"response {i}: {said}" for i, it in enumerate(there) if it is not None for said in it["warnings"]]
        self.warnings: tuple[str, ...] = tuple(worded[:20])

    def __getitem__(self, name: str) -> Column:
        if name not in self._table:
            raise InputError(f"there is no column {name!r}{suggestion(str(name), self.columns)}; there are {', '.join(self.columns)}")
        return self._table[name]

    def of(self, i: int) -> dict[str, Column]:
        """The columns of the response with index `i`.

        Examples
        --------
        >>> import stickslip as ss
        >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
        >>> key = "oscillator.force.0.harmonic.angular_frequency"
        >>> found = ss.response_many(model, {"oscillator.friction.coulomb.force": [0.2, 0.4]}, key, (1.1, 1.5), count=10)
        >>> found.of(0)["value"][[0, -1]].tolist()
        [1.1, 1.5]
        """
        i = whole("i", i)
        if i >= self.count:
            raise InputError(f"`i` is {i}; expected a number below {self.count}")
        if i in self.failed:
            raise InputError(f"response {i} could not be computed: {self.failed[i]}")
        end = int(self._ends[i])
        return {name: column[end - int(self.rows[i]) : end] for name, column in self._table.items()}

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} of them failed" if self.failed else ""
        return f"<{self.count} responses of {int(self.rows.sum())} orbits{failed}>"


def _part(
    model: Model,
    values: dict[str, Any],
    options: dict[str, Any],
    columns: tuple[str, ...],
    goes_on: bool,
    lists: list[tuple[str, Array]],
    at: tuple[int, int],
    stop: threading.Event | None = None,
) -> list[dict[str, Any] | str]:
    """The responses for these values of the parameters."""

    def one(given: dict[str, Any]) -> dict[str, Any]:
        found = Response(run_("response", model._checked, given, options, None))
        stable, amplitude = found.stable, found["amplitude"]
        highest = int(np.argmax(np.where(stable, amplitude, -np.inf))) if stable.any() else None
        # The response itself, with its texts and figures, is forgotten.
        return {
            "columns": {name: np.array(found.stable if name == "stable" else found[name]) for name in columns},
            "rows": len(amplitude),
            "peak": np.nan if highest is None else amplitude[highest],
            "peak_value": np.nan if highest is None else found["value"][highest],
            "bifurcations": found.bifurcations,
            "warnings": found.warnings,
        }

    return each("response", one, values, lists, at, goes_on, stop)


@suggesting
def response_many(
    model: ModelLike,
    vary: Mapping[str, Numbers | Number],
    key: str,
    range: tuple[Number, Number],  # noqa: A002 - the word that users look for
    count: int = 200,
    *,
    columns: Sequence[str] = ("value", "amplitude", "stable", "branch"),
    periods: int = 1,
    point: str | None = None,
    within: int = 100,
    scheme: Scheme | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    errors: str = "raise",
    executor: Executor | None = None,
    progress: Progress = None,
) -> Responses:
    """Follows branches of periodic orbits over one parameter of a model, for many sets of its other parameters, on all
    cores and without the interpreter's lock.

    Each response is the one that `response` finds for the same parameters. Only the requested columns of its table are
    kept, at 8 bytes per value.

    Parameters
    ----------
    model : Oscillator or Network
        The model.
    vary : dict of str to array_like, shape (N,)
        Keys of the model file, such as ``"oscillator.mass"``, with one value for each response. A single number is used
        for all responses.
    key, range, count, periods, point, within, scheme, rtol, atol
        As for `response`.
    columns : sequence of str, optional
        Columns to keep for each orbit; any column of `Response`.
    errors : {"raise", "nan"}
        What to do if a response cannot be computed: raise an error at the first one, or continue without it.
    executor : concurrent.futures.Executor, optional
        If given, its workers share the responses; otherwise threads of this process do.
    progress : bool or callable, optional
        As for `ensemble`.

    Returns
    -------
    Responses

    Raises
    ------
    InputError
        If a key, its values or an argument is wrong.
    InputError, SchemeError, UnsolvableError
        If a response cannot be computed; the message begins with its index.

    Examples
    --------
    The largest amplitude of a mass on a spring with a dry-friction damper, driven by a force of 1 N, for three dampers:

    >>> import stickslip as ss
    >>> model = ss.Oscillator(mass=1, stiffness=1, damping=0.1, friction=ss.coulomb(0.1), force=ss.harmonic(1.0, 1.0))
    >>> key = "oscillator.force.0.harmonic.angular_frequency"
    >>> found = ss.response_many(model, {"oscillator.friction.coulomb.force": [0.1, 0.3, 0.5]}, key, (0.8, 1.2), count=20)
    >>> found.peak.round(2)
    array([8.74, 6.16, 3.66])
    """
    model = model_of(model)
    lists = _varied(model, vary, None)
    options = over(model, key, range, count) | _options(periods, point, within)
    if options["key"] in [name for name, _ in lists]:
        raise InputError(f"`{options['key']}` stands in `vary` and is `key`; expected it once")
    if isinstance(columns, str) or not isinstance(columns, Sequence) or not columns:
        raise InputError(f"`columns` is {described(columns)}; expected a list of names such as \"amplitude\"")
    kept = tuple(choice("columns", name, _COLUMNS) if name not in _COLUMNS else name for name in columns)
    values = values_of(_chosen(model, scheme, rtol, atol))
    goes_on = choice("errors", errors, ("raise", "nan")) == "nan"
    responses = Responses(spread(_part, (model, values, options, kept, goes_on), lists, executor, progress), kept)
    if len(responses.failed) == responses.count:
        raise InputError(f"no response of {responses.count} could be computed; the first: {responses.failed[0]}")
    if len(responses.warned):
        few = f"{len(responses.warned)} of {responses.count} responses should not be read without their warnings"
        warn([f"{few}; the first: {responses.warnings[0]}"], MotionWarning)
    return responses


__all__ = ["Responses", "response_many"]

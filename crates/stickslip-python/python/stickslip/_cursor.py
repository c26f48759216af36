"""Runs that are advanced piece by piece, for controllers, reinforcement learning and coupling with other programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arguments import Array, Number, Numbers, Scheme, described, number, numbers, text
from ._errors import InputError, suggesting, suggestion
from ._load import ModelLike, model_of
from ._model import Model
from ._solve import used_settings
from ._stickslip import Cursor as Run
from ._stickslip import CursorState

_PHASES = {-1: "slip-", 0: "stick", 1: "slip+"}


class Cursor:
    """A run in progress, as returned by `cursor`.

    Attributes
    ----------
    time : float
        The present time, s.
    t_end : float
        The latest time to which the run can be advanced, s.
    state : numpy.ndarray
        Displacement (m) and velocity (m/s). For a network, the displacements of all nodes followed by their velocities.
    x, v : float or numpy.ndarray
        Displacement and velocity; arrays for a network.
    phase : str or list of str
        State of the contact: ``stick``, ``slip+`` or ``slip-``; a list if there are several contacts.
    inputs : tuple of str
        Names of the signals that `set_input` can change.
    columns : tuple of str
        Names of the quantities that can be read at the present time, as in ``c["friction"]``.

    Examples
    --------
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)

    >>> run = ss.cursor(block, 9.0)
    >>> run.advance(1.0)
    []
    >>> run.time, run.x, run.v, run.phase
    (1.0, 1.75, 1.5, 'slip+')
    """

    def __init__(self, model: Model, chosen: tuple[tuple[str, Any], ...]) -> None:
        problem = model._problem(chosen)
        try:
            self._run: Run = problem.cursor()
        except TypeError:
            raise InputError("the model holds a Python function; sample it, or tabulate it, for a run in pieces") from None
        self.model = model
        self.scheme: str = problem.scheme
        self.t_end: float = problem.end
        self.inputs: tuple[str, ...] = tuple(self._run.inputs)

    @property
    def time(self) -> float:
        return self._run.time

    @property
    def state(self) -> Array:
        return self._run.state

    @property
    def x(self) -> Any:
        x, _ = np.split(self._run.state, 2)
        return float(x[0]) if self.model.kind not in ("network", "planar") else x

    @property
    def v(self) -> Any:
        _, v = np.split(self._run.state, 2)
        return float(v[0]) if self.model.kind not in ("network", "planar") else v

    @property
    def phase(self) -> Any:
        phases = [_PHASES[code] for code in self._run.phases()]
        if self.model.kind == "planar":
            held = ["stick" if phase == "stick" else "slip" for phase in phases]
            return held[0] if getattr(self.model, "inertia", None) is None else held
        return phases[0] if len(phases) == 1 else phases

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self._run.row())

    def __getitem__(self, name: str) -> float:
        row = dict(self._run.row())
        if name not in row:
            raise InputError(f"the run has no column {described(name)}{suggestion(str(name), row)}; it has {', '.join(row)}")
        return row[name]

    def advance(self, until: Number) -> list[tuple[str, float, str, float, float]]:
        """Advances the run to a later time.

        Parameters
        ----------
        until : float
            Time to advance to, s; between the present time and `t_end`.

        Returns
        -------
        list of tuple
            The events since the last call: kind, time (s), place, displacement (m) and velocity after the event (m/s).

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> run = ss.cursor(block, t_end=10)
        >>> [(what, round(t, 6)) for what, t, *_ in run.advance(10)]
        [('reversal', 3.141593), ('stick', 6.283185)]
        """
        to = number("until", until)
        if not self.time <= to <= self.t_end:
            raise InputError(f"`until` is {to!r}; expected a time from the present one, {self.time!r}, to {self.t_end!r} s")
        return self._run.advance(to)

    def set_state(self, state: Numbers) -> None:
        """Sets the state of the run at the present time.

        Parameters
        ----------
        state : array_like
            Displacements (m), then velocities (m/s), as in `state`.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> run = ss.cursor(block, t_end=10)
        >>> run.set_state([1.0, -0.5])
        >>> run.x, run.v
        (1.0, -0.5)
        """
        found = numbers("state", state)
        count = len(self.state)
        if len(found) != count:
            raise InputError(f"`state` holds {len(found)} numbers; expected {count}: displacements (m), then velocities (m/s)")
        self._run.set_state(np.ascontiguousarray(found))

    def set_input(self, name: str, value: Number, rate: Number = 0.0) -> None:
        """Adds a value to a signal of the model, from the present time until it is set again.

        Parameters
        ----------
        name : str
            One of `inputs`. An oscillator has ``"drive"``, ``"force"``, ``"support"`` and, if the model has a normal
            force, ``"normal"``; a network has names such as ``"force_NODE"`` and ``"reference_CONTROLLER"``.
        value : float
            The value that is added, in the unit of the signal.
        rate : float
            Rate of change of this value, per second.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> run = ss.cursor(block, t_end=10)
        >>> run.set_input("force", 2.25)  # balances the spring
        >>> _ = run.advance(1.0)
        >>> run.x, run.phase
        (2.25, 'stick')
        """
        if text("name", name) not in self.inputs:
            raise InputError(
                f"the model has no input {described(name)}{suggestion(name, self.inputs)}; it has {', '.join(self.inputs)}"
            )
        added = number("value", value), number("rate", rate)
        if not np.isfinite(added).all():
            raise InputError(f"`value` is {added[0]!r} and `rate` {added[1]!r}; expected finite numbers")
        self._run.set_input(name, *added)

    def save(self) -> CursorState:
        """Saves the complete state of the run, for `restore`.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> run = ss.cursor(block, t_end=10)
        >>> saved = run.save()
        >>> _ = run.advance(5.0)
        >>> run.restore(saved)
        >>> run.time
        0.0
        """
        return self._run.save()

    def restore(self, saved: CursorState) -> None:
        """Returns to a state that `save` has saved. From there the run repeats bit for bit.

        Examples
        --------
        >>> import stickslip as ss
        >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)
        >>> run = ss.cursor(block, t_end=10)
        >>> _ = run.advance(1.0)
        >>> saved = run.save()
        >>> events = run.advance(9.0)
        >>> run.restore(saved)
        >>> run.advance(9.0) == events
        True
        """
        if not isinstance(saved, CursorState):
            raise InputError(f"`saved` is {described(saved)}; expected what `save` has returned")
        self._run.restore(saved)

    def __repr__(self) -> str:
        return f"<Cursor of {self.model.kind} by {self.scheme} at {self.time:g} of {self.t_end:g} s>"


@suggesting
def cursor(
    model: ModelLike,
    t_end: Number | None = None,
    scheme: Scheme | None = None,
    *,
    step: Number | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    seed: int | np.random.Generator | None = None,
) -> Cursor:
    """Starts a run that is advanced piece by piece, and whose loads and state can be changed on the way.

    Parameters
    ----------
    model, t_end, scheme, step, rtol, atol, seed
        As for `solve`.

    Returns
    -------
    Cursor

    Examples
    --------
    A controller pulls a block towards x = 1 m, a hundred times a second. Static friction holds the block near there.

    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.static_dynamic(1.2, 1.0))
    >>> c = ss.cursor(block, t_end=20)
    >>> for k in range(1, 1001):
    ...     c.set_input("force", 20.0 * (1.0 - c.x) - 6.0 * c.v)
    ...     _ = c.advance(k / 100)
    >>> c.phase, abs(1.0 - c.x) <= 1.2 / 20.0
    ('stick', True)
    """
    model = model_of(model)
    chosen = used_settings(model, t_end, scheme, step, rtol, atol, seed)
    return Cursor(model, chosen)

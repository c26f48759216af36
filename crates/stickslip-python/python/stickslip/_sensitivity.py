"""Derivatives of motions with respect to numbers of their models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arguments import Array, Number, Numbers, Scheme, described, numbers, read_only
from ._errors import InputError, MotionWarning, suggesting, warn
from ._executors import key_of, values_of
from ._load import ModelLike, model_of
from ._model import Model
from ._path import Path
from ._solve import used_settings
from ._stickslip import energy_rates
from ._stickslip import sensitivity as sensitivity_

#: How far a number is moved to look at one side of it, relative to it; 1 for a number that is 0.
_ASIDE = 1e-7


class Doubt(NamedTuple):
    """An instant at which a motion has no derivative, or one that is not computed.

    Attributes
    ----------
    t : float
        When, s.
    why : str
        Why.
    """

    t: float
    why: str


class Side(NamedTuple):
    """Derivatives on one side of every number.

    Attributes
    ----------
    x, v : numpy.ndarray, shape (T, k)
        As those of `Sensitivity`, with each number moved by 10⁻⁷ of itself to that side.
    """

    x: Array
    v: Array


class EnergyRates(NamedTuple):
    """Derivatives of the energies of a motion with respect to k numbers, J for each unit of them: those of `Energy`.

    Attributes
    ----------
    work, gross_work, kinetic, elastic, friction, viscous, impacts, jumps : numpy.ndarray, shape (k,)
        NaN where there is no derivative.
    worth : dict of str to float
        How far the derivatives with respect to each number are from those by motions at another distance, relative to the largest of
        them, or to the largest energy over the number.
    doubtful : tuple of str
        Why there is no derivative with respect to some number.

    Examples
    --------
    The energy that a block loses until it rests is m v₀²/2, and so v₀²/2 more for each kilogram:

    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> rates = ss.sensitivity(block, ["oscillator.mass"], t_end=9, t=[9.0]).energy
    >>> rates.friction.round(6).tolist(), rates.doubtful
    ([2.0], ())
    """

    work: Array
    gross_work: Array
    kinetic: Array
    elastic: Array
    friction: Array
    viscous: Array
    impacts: Array
    jumps: Array
    worth: dict[str, float]
    doubtful: tuple[str, ...]


class Sensitivity:
    """What `sensitivity` returns: derivatives of a motion with respect to k numbers.

    Attributes
    ----------
    wrt : tuple of str
        The keys of the numbers: the columns of what follows.
    values : numpy.ndarray, shape (k,)
        The numbers themselves.
    t : numpy.ndarray, shape (T,)
        Times, s.
    x, v : numpy.ndarray, shape (T, k) or (T, nodes, k)
        Derivatives of displacement and velocity at these times; at an event, those after it.
    event_times : numpy.ndarray, shape (n, k)
        Derivatives of the times of the events.
    events : numpy.ndarray, structured
        The events themselves, as those of a `Path`.
    path : Path
        The motion.
    doubtful : tuple of Doubt
        Where a derivative does not exist, and why: a contact or a limit that is touched and not crossed, two events at one
        instant. What comes after such an instant is NaN, never a mean of both sides; `below` and `above` have both. Where
        derivatives are differences of motions, the numbers whose differences are not good enough, all of them at t = 0.
    worth : dict of str to float, or None
        Where derivatives are differences of motions with the same events, see `sensitivity`: how far those
        with respect to each number are from those at another distance, relative to the largest. There they are NaN at the instant
        of an event, and where an event lies between the motions.
    sides : dict of str to str
        ``both``, or ``above`` or ``below`` for a number at the end of its range, whose derivative is that on this side.

    Examples
    --------
    A block that slides to rest after m v₀/f = 4 s: twice the friction halves the time, d(m v₀/f)/df = −m v₀/f².

    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> s = ss.sensitivity(block, ["oscillator.friction.coulomb.force"], t_end=9, t=[9.0])
    >>> s.wrt, s.event_times.round(12).tolist(), s.doubtful
    (('oscillator.friction.coulomb.force',), [[-8.0]], ())
    """

    def __init__(self, model: Model, chosen: tuple[tuple[str, Any], ...], wrt: tuple[str, ...], path: Path, t: Array) -> None:
        self._model, self._chosen, self._kept = model, chosen, dict[str, Any]()
        self.wrt, self.path, self.t = wrt, path, t
        (x, v, times), values, sides, doubts, worth = sensitivity_(
            model._checked, values_of(chosen), path._solved(), list(wrt), t
        )
        self.x: Array = read_only(self._shaped(x))
        self.v: Array = read_only(self._shaped(v))
        self.worth: dict[str, float] | None = None if worth is None else dict(zip(wrt, worth))
        self.event_times: Array = read_only(times)
        self.values: Array = read_only(np.array(values))
        self.sides: dict[str, str] = dict(zip(wrt, sides))
        self.doubtful: tuple[Doubt, ...] = tuple(Doubt(*d) for d in doubts)

    def _shaped(self, rows: Array) -> Array:
        """With the nodes of a network as second axis."""
        return rows.reshape(len(self.t), -1, rows.shape[1]) if self._model.kind == "network" else rows

    @property
    def events(self) -> npt.NDArray[np.void]:
        return self.path.events

    @property
    def energy(self) -> EnergyRates:
        """The derivatives of the energies over the whole motion, computed when they are first asked for.

        They are differences of order four of motions that have the same events, twenty for each number, whatever the kind of model.
        """
        if "energy" not in self._kept:
            columns, worth, doubtful = energy_rates(self._model._checked, values_of(self._chosen), list(self.wrt))
            arrays = {name: read_only(column) for name, column in columns}
            self._kept["energy"] = EnergyRates(**arrays, worth=dict(zip(self.wrt, worth)), doubtful=tuple(doubtful))
        found: EnergyRates = self._kept["energy"]
        return found

    @property
    def below(self) -> Side:
        """The derivatives with each number a little smaller."""
        return self._side("below", -_ASIDE)

    @property
    def above(self) -> Side:
        """The derivatives with each number a little larger."""
        return self._side("above", _ASIDE)

    def _side(self, name: str, by: float) -> Side:
        if name not in self._kept:
            columns = []
            for key, value in zip(self.wrt, self.values.tolist()):
                if self.sides[key] not in ("both", name):
                    columns.append(np.full((2, *self.x.shape[:-1]), np.nan))
                    continue
                moved = {**values_of(self._chosen), key: value + by * (abs(value) or 1.0)}
                (x, v, _), *_ = sensitivity_(self._model._checked, moved, None, [key], self.t)
                columns.append(np.stack([self._shaped(x)[..., 0], self._shaped(v)[..., 0]]))
            x, v = np.stack(columns, axis=-1)
            self._kept[name] = Side(read_only(x), read_only(v))
        found: Side = self._kept[name]
        return found

    def __repr__(self) -> str:
        doubts = f", doubtful at {len(self.doubtful)} instants" if self.doubtful else ""
        return f"<Sensitivity of {len(self.t)} states and {len(self.event_times)} events to {', '.join(self.wrt)}{doubts}>"


@suggesting
def sensitivity(
    model: ModelLike,
    wrt: Sequence[str] | str,
    t_end: Number | None = None,
    scheme: Scheme | None = None,
    *,
    t: Numbers | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
) -> Sensitivity:
    """The derivatives of a motion with respect to numbers of its model, through stick and slip and impacts.

    Of an oscillator, and of a network by ``exact``, they are by the variational equation, with the jump that every event makes in them, and
    so are those of what moves as one of these does event by event: a cascade that starts unloaded at 0, a mass that bounces between walls
    that do not move. Elsewhere (machines, other cascades and walls, networks in which nodes without mass jump until friction holds them)
    they are differences of order four of motions that have the same events (exact ones, or by ``adaptive`` at a tolerance of 1e-13), and
    `Sensitivity.worth` says what they are worth.

    Parameters
    ----------
    model : Oscillator, Cascade, Network or Impact
        What moves.
    wrt : sequence of str
        Keys of the model file, such as ``"oscillator.mass"``, ``"oscillator.drive.0.harmonic.amplitude"``,
        ``"oscillator.friction.static-dynamic.static"`` or ``"oscillator.initial.velocity"``.
    t_end, scheme, rtol, atol
        As for `solve`; the scheme is ``exact`` or ``adaptive``.
    t : array_like, shape (T,), optional
        When the derivatives of the state are wanted, s, not decreasing; at events and breakpoints without it.

    Returns
    -------
    Sensitivity

    Raises
    ------
    InputError
        If a key leads to no number of the model, or the model has noise.
    UnsolvableError
        If the scheme takes steps, or a support moves past stops.

    References
    ----------
    Rozenvasser (1967); Leine and Nijmeijer (2004), chapter 7.

    Examples
    --------
    A block that slides to rest goes m v₀²/(2 f) in the time m v₀/f.

    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> s = ss.sensitivity(block, ["oscillator.mass", "oscillator.friction.coulomb.force"], t_end=9, t=[9.0])
    >>> s.x.round(12), s.event_times.round(12)
    (array([[ 4., -8.]]), array([[ 4., -8.]]))

    It loses m v₀²/2 to friction, whatever the force.

    >>> s.energy.friction.round(6) + 0.0
    array([2., 0.])
    """
    model = model_of(model)
    chosen = used_settings(model, t_end, scheme, None, rtol, atol)
    if isinstance(wrt, str):
        wrt = [wrt]
    if not isinstance(wrt, Sequence) or not wrt:
        raise InputError(f"`wrt` is {described(wrt)}; expected a list of keys, such as [\"{model.kind}.mass\"]")
    keys = tuple(key_of("wrt", model, key) for key in wrt)
    path = Path(model, chosen, model._problem(chosen).solve())
    times = path.t if t is None else numbers("t", t, 1)
    found = Sensitivity(model, chosen, keys, path, times)
    if found.doubtful:
        count, first = len(found.doubtful), found.doubtful[0].why
        if found.worth is None:
            said = f"the motion has no derivative at {count} instants; the first: {first}"
        else:
            said = f"the derivatives with respect to {count} of {len(keys)} numbers are not known; the first: {first}"
        warn([said], MotionWarning)
    return found

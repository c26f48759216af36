"""Derivatives of motions with respect to parameters of their models."""

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
    """An instant at which a motion is not differentiable, or at which its derivative is not computed.

    Attributes
    ----------
    t : float
        The instant, s.
    why : str The reason.
    """

    t: float
    why: str


class Side(NamedTuple):
    """One-sided derivatives with respect to every parameter.

    Attributes
    ----------
    x, v : numpy.ndarray, shape (T, k)
        As in `Sensitivity`, with each parameter changed by a relative amount of 10⁻⁷ to that side.
    """

    x: Array
    v: Array


class EnergyRates(NamedTuple):
    """Derivatives of the energies in `Energy` with respect to k parameters, in J per unit of the parameter.

    Attributes
    ----------
    work, gross_work, kinetic, elastic, friction, viscous, impacts, jumps : numpy.ndarray, shape (k,)
        The derivatives; NaN where there is none.
    worth : dict of str to float
        Estimated relative error of the derivatives with respect to each parameter: their change with another step of
        the differences, divided by the largest derivative or by the largest energy over the parameter.
    doubtful : tuple of str
        The reasons why some derivatives do not exist.

    Examples
    --------
    The energy that a sliding block loses until it rests is m v₀²/2. Its derivative with respect to the mass is v₀²/2:

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
    """Derivatives of a motion with respect to k parameters, as returned by `sensitivity`.

    Attributes
    ----------
    wrt : tuple of str
        The keys of the parameters, in the order of the columns below.
    values : numpy.ndarray, shape (k,)
        The values of the parameters.
    t : numpy.ndarray, shape (T,)
        Times, s.
    x, v : numpy.ndarray, shape (T, k) or (T, nodes, k)
        Derivatives of displacement and velocity at these times; at an event, those just after it.
    event_times : numpy.ndarray, shape (n, k)
        Derivatives of the times of the events.
    events : numpy.ndarray, structured
        The events, as in a `Path`.
    path : Path
        The motion.
    doubtful : tuple of Doubt
        Instants at which a derivative does not exist, with the reason: a contact or a limit is touched but not crossed,
        or two events coincide. Derivatives after such an instant are NaN, never an average of the two sides; `below`
        and `above` have the one-sided derivatives. Where derivatives are finite differences, also the parameters for
        which these are not accurate enough, with t = 0.
    worth : dict of str to float, or None
        If derivatives are finite differences (see `sensitivity`): their estimated relative error for each parameter,
        from a second step size. Such derivatives are NaN at the instant of an event, and where an event lies between
        the motions. Otherwise None.
    sides : dict of str to str
        ``both``; or ``above`` or ``below`` for a parameter at the end of its range, where the derivative is one-sided.

    Examples
    --------
    A sliding block comes to rest after m v₀/f = 4 s, so d(m v₀/f)/df = −m v₀/f² = −8 s/N:

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
        """The derivatives of the energies over the whole motion, computed on first use.

        For every kind of model they are finite differences of order four between motions with the same sequence of
        events, twenty for each parameter.
        """
        if "energy" not in self._kept:
            columns, worth, doubtful = energy_rates(self._model._checked, values_of(self._chosen), list(self.wrt))
            arrays = {name: read_only(column) for name, column in columns}
            self._kept["energy"] = EnergyRates(**arrays, worth=dict(zip(self.wrt, worth)), doubtful=tuple(doubtful))
        found: EnergyRates = self._kept["energy"]
        return found

    @property
    def below(self) -> Side:
        """The derivatives on the lower side of each parameter."""
        return self._side("below", -_ASIDE)

    @property
    def above(self) -> Side:
        """The derivatives on the upper side of each parameter."""
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
    """Derivatives of a motion with respect to parameters of its model, through stick, slip and impacts.

    For oscillators, and for networks and cascades solved by ``exact``, the derivatives follow from the variational
    equation and from the jump of the derivatives at every event. The same method covers a mass that bounces between
    fixed walls, which is equivalent to an oscillator. It also covers machines: along their exact motion where all parts
    are linear between events, whether ``exact`` or ``adaptive`` solves them, and otherwise along their motion by
    ``adaptive`` with a tolerance of 1e-13. For all other models (machines whose friction is a table, a function,
    elasto-plastic or of rate and state; machines with gears and a memory other than Dahl's or LuGre's; machines with a
    sampled controller that has a limit or a quantum; moving walls, networks in which massless nodes jump until friction
    holds them), and for numbers that switch a part of a machine on, they are finite differences of order four between
    motions with the same sequence of events, solved by ``exact`` or by ``adaptive`` with a tolerance of 1e-13.
    `Sensitivity.worth` then has their estimated errors.

    Parameters
    ----------
    model : Oscillator, Cascade, Network or Impact
        The model.
    wrt : sequence of str
        Keys of the model file, such as ``"oscillator.mass"``, ``"oscillator.drive.0.harmonic.amplitude"``,
        ``"oscillator.friction.static-dynamic.static"`` or ``"oscillator.initial.velocity"``.
    t_end, scheme, rtol, atol
        As for `solve`; the scheme is ``exact`` or ``adaptive``.
    t : array_like, shape (T,), optional
        Times at which the derivatives of the state are computed, s, not decreasing; by default events and breakpoints.

    Returns
    -------
    Sensitivity

    Raises
    ------
    InputError
        If a key does not lead to a number of the model, or the model has noise.
    UnsolvableError
        If the scheme is a time-stepping scheme, or a support moves past stops.

    References
    ----------
    Rozenvasser (1967); Leine and Nijmeijer (2004), chapter 7.

    Examples
    --------
    A sliding block comes to rest after the distance m v₀²/(2 f) and the time m v₀/f:

    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> s = ss.sensitivity(block, ["oscillator.mass", "oscillator.friction.coulomb.force"], t_end=9, t=[9.0])
    >>> s.x.round(12), s.event_times.round(12)
    (array([[ 4., -8.]]), array([[ 4., -8.]]))

    It loses m v₀²/2 to friction, whatever the friction force:

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

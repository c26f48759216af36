"""Machine parts of a network: stops, gears and controllers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._arguments import Number, described, number, text
from ._errors import InputError, suggesting
from ._model import signal_or_none, without_none
from ._signals import Given, Signal, SignalLike, from_tables


@dataclass(frozen=True)
class Part:
    """A part with its keys as in a model file. Its signals are kept separately."""

    keys: Mapping[str, Any]
    signals: Mapping[str, Signal]

    def _table(self, given: Given) -> dict[str, Any]:
        return {**self.keys, **{key: given.tables(s) for key, s in self.signals.items()}}


@dataclass(frozen=True)
class Stop(Part):
    """A stop of a network: see `stop`."""


@dataclass(frozen=True)
class Gear(Part):
    """A gear of a network: see `gear`."""


@dataclass(frozen=True)
class Controller(Part):
    """A controller of a network: see `controller`."""


def _signals(**given: SignalLike | None) -> dict[str, Signal]:
    made = {key: signal_or_none(key, value) for key, value in given.items()}
    return {key: s for key, s in made.items() if s is not None}


def _numbers(**given: Number | None) -> dict[str, float]:
    return {key: number(key, value) for key, value in given.items() if value is not None}


def _texts(**given: str | None) -> dict[str, str]:
    return {key: text(key, value) for key, value in given.items() if value is not None}


@suggesting
def stop(
    a: str,
    b: str,
    *,
    lower: SignalLike | None = None,
    upper: SignalLike | None = None,
    restitution: Number | None = None,
    stiffness: Number | None = None,
    damping: Number | None = None,
    name: str | None = None,
) -> Stop:
    """A stop between two nodes, or between a node and ``"ground"``, which ensures lower ≤ x_a − x_b ≤ upper.

    Parameters
    ----------
    a, b : str
        Names of nodes.
    lower, upper : Signal, optional
        The bounds, m: numbers, or signals if the bounds move. At least one is needed; both together make a backlash.
    restitution : float, optional
        Makes a rigid stop: coefficient of restitution e, 0 to 1. At an impact the relative velocity is multiplied by
        −e.
    stiffness, damping : float, optional
        Makes a soft stop: k in N/m and c in N·s/m. At a distance p beyond the bound the stop pushes back with max(0, k
        p + c ṗ).
    name : str, optional
        ``stop1``, ``stop2``, … by default.

    Examples
    --------
    A wagon hits a rigid stop at 1 m/s and rebounds at half that speed:

    >>> import stickslip as ss
    >>> wagon = ss.Network(nodes=[ss.node("a", 1.0, v0=1.0)], stops=[ss.stop("a", "ground", upper=1.0, restitution=0.5)])
    >>> float(ss.solve(wagon, 2.0)["x_a"][-1].round(9))
    0.5
    """
    keys: dict[str, Any] = {"between": [text("a", a), text("b", b)], **_texts(name=name)}
    keys |= _numbers(restitution=restitution, stiffness=stiffness, damping=damping)
    return Stop(keys, _signals(lower=lower, upper=upper))


@suggesting
def gear(
    a: str,
    b: str,
    ratio: Number,
    *,
    force: Number | None = None,
    coefficient: Number | None = None,
    forward: Number | None = None,
    backward: Number | None = None,
    name: str | None = None,
) -> Gear:
    """A gear or a lever: x_a = ratio · x_b at every instant, with friction that can grow with the transmitted force.

    Parameters
    ----------
    a, b : str
        Names of nodes: the first side and the second.
    ratio : float
        Displacement of the first node divided by that of the second.
    force : float, optional
        f₀ in the friction f₀ + μ|T| on the first side, N, where T is the force transmitted to the second side.
    coefficient : float, optional
        μ, dimensionless: friction on the first side per newton transmitted to the second.
    forward, backward : float, optional
        μ while the first side moves forward and backward, if it depends on the direction.
    name : str, optional
        ``gear1``, ``gear2``, … by default.

    Examples
    --------
    The motor feels the load's mass divided by the square of the ratio: 1 N acts on 1 + 4/2² = 2 kg:

    >>> import stickslip as ss
    >>> train = ss.Network(
    ...     nodes=[ss.node("motor", 1.0), ss.node("load", 4.0)], gears=[ss.gear("motor", "load", 2.0)], forces={"motor": 1.0}
    ... )
    >>> float(ss.solve(train, 2.0)["x_motor"][-1].round(9))
    1.0
    """
    keys: dict[str, Any] = {"between": [text("a", a), text("b", b)], "ratio": number("ratio", ratio), **_texts(name=name)}
    friction = _numbers(force=force, coefficient=coefficient, forward=forward, backward=backward)
    return Gear({**keys, **({"friction": friction} if friction else {})}, {})


@suggesting
def controller(
    of: str | tuple[str, str],
    on: str,
    *,
    reference: SignalLike | None = None,
    proportional: Number | None = None,
    integral: Number | None = None,
    derivative: Number | None = None,
    filter: Number | None = None,  # noqa: A002 - the key of model files
    state_space: Mapping[str, Any] | None = None,
    quantity: str | None = None,
    limit: Number | None = None,
    anti_windup: str | None = None,
    sample_time: Number | None = None,
    delay: Number | None = None,
    quantum: Number | None = None,
    feed_forward: Mapping[str, Any] | None = None,
    dither: SignalLike | None = None,
    name: str | None = None,
) -> Controller:
    """A controller, whose force on a node follows from a measured quantity: u = P e + I ∫e dt + D ė, e = reference −
    measured.

    Parameters
    ----------
    of : str or tuple of str
        The node that is measured. For a pair of nodes, the difference first minus second is measured; the second may be
        ``"ground"``.
    on : str
        The node on which the force acts.
    reference : Signal, optional
        The reference, m; m/s if the velocity is measured.
    proportional, integral, derivative : float, optional
        P (N/m), I (N/(m·s)) and D (N·s/m).
    filter : float, optional
        Time constant of the derivative, s.
    state_space : dict, optional
        The matrices ``a``, ``b``, ``c``, ``d`` of a linear controller, in place of the gains.
    quantity : str, optional
        The measured quantity, ``"displacement"`` or ``"velocity"``.
    limit : float, optional
        The force is limited to the range from −`limit` to `limit`, N.
    anti_windup : str, optional
        ``"clamp"`` or ``"none"``.
    sample_time, delay : float, optional
        The controller reads the measurement every `sample_time` (s) and acts `delay` (s) later. By default it is
        continuous.
    quantum : float, optional
        Resolution of the sensor: the measurement is rounded to multiples of this, m.
    feed_forward : dict, optional
        Friction compensation that is added to the force: ``{"tanh": {"force": 1.0, "velocity": 0.01}}``, or one with
        ``sign`` or ``stribeck-exponential``.
    dither : Signal, optional
        A signal that is added to the force before the limit is applied, N.
    name : str, optional
        ``c1``, ``c2``, … by default.

    Examples
    --------
    >>> import stickslip as ss
    >>> loop = ss.controller("a", "a", reference=1.0, proportional=4.0, derivative=4.0)
    >>> axis = ss.Network(nodes=[ss.node("a", 1.0)], controllers=[loop])
    >>> float(ss.solve(axis, 20.0)["x_a"][-1].round(6))
    1.0
    """
    keys: dict[str, Any] = _texts(name=name, on=on, quantity=quantity, anti_windup=anti_windup)
    if isinstance(of, (tuple, list)) and len(of) == 2:
        keys["of"] = [text("of[0]", of[0]), text("of[1]", of[1])]
    else:
        keys["of"] = text("of", of)
    keys |= _numbers(proportional=proportional, integral=integral, derivative=derivative, filter=filter, limit=limit)
    keys |= _numbers(sample_time=sample_time, delay=delay, quantum=quantum)
    for key, value in (("state_space", state_space), ("feed_forward", feed_forward)):
        if value is not None and not isinstance(value, Mapping):
            raise InputError(f"`{key}` is {described(value)}; expected a dictionary")
        keys |= without_none(**{key: None if value is None else dict(value)})
    return Controller(keys, _signals(reference=reference, dither=dither))


def read_stop(t: dict[str, Any]) -> Stop:
    """The stop described by a table of a model file."""
    a, b = t.pop("between")
    return stop(a, b, **_read(t, "lower", "upper"))


def read_gear(t: dict[str, Any]) -> Gear:
    """The gear described by a table of a model file."""
    a, b = t.pop("between")
    return gear(a, b, t.pop("ratio"), **t.pop("friction", {}), **t)


def read_controller(t: dict[str, Any]) -> Controller:
    """The controller described by a table of a model file."""
    of = t.pop("of")
    if t.pop("hold", "zero") != "zero":
        raise InputError("a controller has another `hold` than \"zero\"")
    return controller(tuple(of) if isinstance(of, list) else of, t.pop("on"), **_read(t, "reference", "dither"))


def _read(t: dict[str, Any], *signals: str) -> dict[str, Any]:
    return {key: from_tables(key, value) if key in signals else value for key, value in t.items()}

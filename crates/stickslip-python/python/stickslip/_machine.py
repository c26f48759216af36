"""What makes a network a machine: stops, gears and controllers."""

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
    """A part with its keys as in a model file; its signals stand apart."""

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
    """A stop between two nodes, or between a node and ``"ground"``: lower ≤ x_a − x_b ≤ upper.

    Parameters
    ----------
    a, b : str
        Names of nodes.
    lower, upper : Signal, optional
        The bounds, m: numbers, or signals of bounds that move. One of them, or both: a backlash.
    restitution : float, optional
        Rigid, 0 to 1: the velocity at which a bound is met becomes −e times itself.
    stiffness, damping : float, optional
        Soft: beyond the bound by p it pushes with max(0, k p + c ṗ), N/m and N·s/m.
    name : str, optional
        ``stop1``, ``stop2``, … if it is left out.

    Examples
    --------
    A wagon comes to a rigid stop at 1 m/s and goes back at half of that.

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
    """A gear or a lever: x_a = ratio · x_b at every instant, with friction that grows with what it hands on.

    Parameters
    ----------
    a, b : str
        Names of nodes: the first side and the second.
    ratio : float
        Displacement of the first node over that of the second.
    force : float, optional
        f₀ of the friction f₀ + μ|T| on the first side, N; T is the force handed to the second.
    coefficient : float, optional
        μ, 1 = N on the first side for each N on the second.
    forward, backward : float, optional
        μ while the first side moves forward, and backward, where it is not the same.
    name : str, optional
        ``gear1``, ``gear2``, … if it is left out.

    Examples
    --------
    The motor feels the load's inertia over the square of the ratio: 1 N on 1 + 4/2² kg.

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
    """A controller: a force on a node that follows from what is measured, u = P e + I ∫e dt + D ė, e = reference − measured.

    Parameters
    ----------
    of : str or tuple of str
        The node that is measured; of two the first less the second, which may be ``"ground"``.
    on : str
        The node that gets the force.
    reference : Signal, optional
        What is to be reached, m, or m/s of a velocity.
    proportional, integral, derivative : float, optional
        P (N/m), I (N/(m·s)) and D (N·s/m).
    filter : float, optional
        Time constant of the derivative, s.
    state_space : dict, optional
        ``a``, ``b``, ``c``, ``d`` in place of the gains.
    quantity : str, optional
        ``"displacement"`` or ``"velocity"``: what is measured.
    limit : float, optional
        The force stays between −`limit` and `limit`, N.
    anti_windup : str, optional
        ``"clamp"`` or ``"none"``.
    sample_time, delay : float, optional
        It reads every `sample_time`, s, and acts `delay` later; continuous without.
    quantum : float, optional
        What is measured is rounded to multiples of this, m.
    feed_forward : dict, optional
        Added for friction: ``{"tanh": {"force": 1.0, "velocity": 0.01}}``, ``sign`` or ``stribeck-exponential``.
    dither : Signal, optional
        Added before the limit, N.
    name : str, optional
        ``c1``, ``c2``, … if it is left out.

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
    """The stop whose table this is."""
    a, b = t.pop("between")
    return stop(a, b, **_read(t, "lower", "upper"))


def read_gear(t: dict[str, Any]) -> Gear:
    """The gear whose table this is."""
    a, b = t.pop("between")
    return gear(a, b, t.pop("ratio"), **t.pop("friction", {}), **t)


def read_controller(t: dict[str, Any]) -> Controller:
    """The controller whose table this is."""
    of = t.pop("of")
    if t.pop("hold", "zero") != "zero":
        raise InputError("a controller has another `hold` than \"zero\"")
    return controller(tuple(of) if isinstance(of, list) else of, t.pop("on"), **_read(t, "reference", "dither"))


def _read(t: dict[str, Any], *signals: str) -> dict[str, Any]:
    return {key: from_tables(key, value) if key in signals else value for key, value in t.items()}

"""Friction laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _plots
from ._arguments import LARGE, Array, Number, Numbers, described, number, numbers, text
from ._errors import ARGUMENTS, InputError, KeywordError, suggesting
from ._stickslip import Document, check_parts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Laws whose force depends on more than the velocity.
_MEMORY = ("dahl", "lugre", "elasto-plastic", "bouc-wen", "maxwell-slip", "rate-and-state")


class Law:
    """A friction law. The functions `coulomb`, `static_dynamic`, `stribeck`, `stribeck_exponential`,
    `velocity_strengthening`, `cubic`, `ageing`, `table`, `directional` and `law_of` make one without memory; `dahl`,
    `lugre`, `elasto_plastic`, `bouc_wen`, `maxwell_slip` and `rate_and_state` make one with memory.

    The parameters of a law are forces in N. If the model has a normal force, they are coefficients of friction.

    Examples
    --------
    Without memory, the friction in slip is a function of the velocity. At velocity 0 it has no single value, so NaN is
    returned.

    >>> import stickslip as ss
    >>> rubber = ss.stribeck_exponential(2.0, 1.0, 0.1)
    >>> round(rubber(0.1), 6), rubber([-1e9, 0.0, 1e9])
    (1.367879, array([-1., nan,  1.]))
    """

    __slots__ = ("document", "is_sound")

    def __init__(self, document: Mapping[str, Any], is_sound: bool = False) -> None:
        self.document = dict(document)
        # Whether it was checked when it was made, and its numbers are of a usual size: see `Oscillator`.
        self.is_sound = is_sound

    def __call__(self, velocity: Number | Numbers) -> Any:
        """The friction in slip (N, with the sign of the velocity) at a relative velocity or an array of them (m/s); NaN
        at 0.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.coulomb(2.0)(0.1), ss.coulomb(2.0)([-0.1, 0.1]).tolist()
        (2.0, [-2.0, 2.0])
        """
        named = next(iter(self.document))
        if named in _MEMORY:
            raise InputError(f"{self!r} has a memory: its force is no function of the velocity; solve a model with it")
        at = np.asarray(velocity, dtype=float)
        if np.isnan(at).any():
            raise InputError(f"`velocity` is {described(velocity)}; expected numbers, in m/s")
        found = self._slip(np.ascontiguousarray(at.ravel()))
        return found.reshape(at.shape) if at.ndim else float(found[0])

    def _slip(self, velocities: Array) -> Array:
        document = {"oscillator": {"mass": 1.0, "stiffness": 1.0, "friction": self.document}}
        return Document(ARGUMENTS, document, "", {}, {}).read({"end": 1.0}).friction_at(velocities)

    def plot(self, ax: Axes | None = None, *, to: Number = 1.0) -> Axes:
        """Plots the friction in slip for velocities from −`to` to `to` (m/s), on `ax` or on new Matplotlib axes.

        Examples
        --------
        >>> import stickslip as ss
        >>> axes = ss.stribeck_exponential(2.0, 1.0, 0.1).plot(to=0.5)
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('relative velocity (m/s)', 'friction (N)')
        """
        at = np.linspace(-number("to", to), number("to", to), 2001)
        return _plots.curve(ax, at, self(at), "relative velocity (m/s)", "friction (N)")

    def __eq__(self, other: object) -> bool:
        return self.document == other.document if isinstance(other, Law) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Law, (self.document,)

    def __repr__(self) -> str:
        if "forward" in self.document:
            sides = (f"{side}={Law(self.document[side])!r}" for side in ("forward", "backward"))
            return f"directional({', '.join(sides)})"
        ((name, it),) = self.document.items()
        inside = ", ".join(f"{k}={v!r}" for k, v in it.items())
        return f"{name.replace('-', '_')}({inside})"


def law(name: str, value: object) -> Law:
    """`value` as a law."""
    if isinstance(value, Law):
        return value
    raise InputError(f"`{name}` is {described(value)}; expected a friction law such as coulomb(1.0)")


class PythonLaw(Law):
    """A law given by a Python function: see `law_of`."""

    __slots__ = ("force", "kinks", "limit", "slope")

    def __init__(self, force: Any, slope: Any, limit: float | None, kinks: list[float]) -> None:
        super().__init__({"given": {"name": "python"}})
        self.force, self.slope, self.limit, self.kinks = force, slope, limit, kinks

    def _slip(self, velocities: Array) -> Array:
        return np.array([math.copysign(self.force(abs(w)), w) if w else math.nan for w in velocities.tolist()])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PythonLaw):
            return NotImplemented
        return (self.force, self.slope, self.limit, self.kinks) == (other.force, other.slope, other.limit, other.kinks)

    __hash__ = None

    def __reduce__(self) -> tuple[Any, ...]:
        return PythonLaw, (self.force, self.slope, self.limit, self.kinks)

    def __repr__(self) -> str:
        kinks = f", kinks={self.kinks!r}" if self.kinks else ""
        return f"law_of(force={self.force!r}, slope={self.slope!r}, limit={self.limit!r}{kinks})"


def from_table(value: Any) -> Law:
    """The law that a model file's table describes."""
    if not (isinstance(value, Mapping) and (len(value) == 1 or set(value) == {"forward", "backward"})):
        raise InputError(f"`friction` is {described(value)}; expected one friction law")
    return Law(value)


def _usual(name: str, greatest: float, **values: float) -> Law | None:
    """The law without further checks, if 0 ≤ every one of its forces ≤ `greatest` < `LARGE`: then it is certainly
    valid."""
    if all(0.0 <= v <= greatest for v in values.values()) and greatest <= LARGE:
        return Law({name: values}, True)
    return None


def _made(name: str, **values: object) -> Law:
    given = {k: v for k, v in values.items() if v is not None}
    document = {name: {k: v if isinstance(v, (str, list, dict)) else number(k, v) for k, v in given.items()}}
    # What is wrong with a law is said where it is made, not where it is used.
    check_parts({"oscillator": {"friction": document}})
    return Law(document)


@suggesting
def coulomb(force: Number) -> Law:
    """Coulomb friction: the same force at rest and in motion.

    Parameters
    ----------
    force : float
        ≥ 0, N.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.coulomb(1.5)([-0.2, 0.2])
    array([-1.5,  1.5])
    """
    found = number("force", force)
    return _usual("coulomb", LARGE, force=found) or _made("coulomb", force=found)


@suggesting
def static_dynamic(static: Number, dynamic: Number) -> Law:
    """Static and dynamic friction: a breakaway force and a lower sliding force.

    Parameters
    ----------
    static : float
        f_s, N: the contact sticks while the load does not exceed it.
    dynamic : float
        f_d, N, 0 ≤ f_d ≤ f_s: the friction in slip. `kinetic` is accepted too.

    References
    ----------
    Bensoussan et al. (2021), §2.1.

    Examples
    --------
    A block breaks away at 1.2 N and slides at 1 N. A spring of 1 N/m pulls it with a force that grows by 0.1 N/s:

    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.ramp(0.1))
    >>> ss.solve(block, 13.0).events["t"].round(6)
    array([12.])
    """
    found = {"static": number("static", static), "dynamic": number("dynamic", dynamic)}
    return _usual("static-dynamic", found["static"], **found) or _made("static-dynamic", **found)


@suggesting
def stribeck(a: Number, b: Number = 0.0, c: Number = 0.0, d: Number | None = None) -> Law:
    """Friction that falls with speed: ``d / (a|w|³ + b w² + c|w| + 1)``, w the relative velocity.

    Parameters
    ----------
    a : float
        > 0, (s/m)³.
    b, c : float
        ≥ 0, (s/m)² and s/m.
    d : float
        > 0, N: the friction at rest. Required.

    References
    ----------
    Bastien, Bernardin, Lamarque (2013), (1.38). With `a` and `b` near 0 it approaches the law of Leine et al. (1998).

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.stribeck(0.0, c=1.0, d=2.0)([0.0, 1.0, 3.0])
    array([nan, 1. , 0.5])
    """
    if d is None:
        raise KeywordError("stribeck() needs `d`, the friction at rest, a number > 0 in N")
    return _made("stribeck", a=number("a", a), b=number("b", b), c=number("c", c), d=number("d", d))


@suggesting
def stribeck_exponential(
    static: Number, dynamic: Number, velocity: Number, exponent: Number = 1.0, viscous: Number = 0.0
) -> Law:
    """Stribeck friction, ``dynamic + (static − dynamic) exp(−|w/velocity|^exponent) + viscous·|w|``, w the relative
    velocity.

    Parameters
    ----------
    static, dynamic : float
        0 ≤ dynamic ≤ static, N. `kinetic` is accepted for `dynamic`.
    velocity : float
        > 0, m/s.
    exponent : float
        > 0.
    viscous : float
        ≥ 0, N·s/m.

    Examples
    --------
    >>> import stickslip as ss
    >>> round(ss.stribeck_exponential(2.0, 1.0, 0.1, viscous=3.0)(0.1), 6)
    1.667879
    """
    return _made(
        "stribeck-exponential",
        static=number("static", static),
        dynamic=number("dynamic", dynamic),
        velocity=number("velocity", velocity),
        exponent=number("exponent", exponent),
        viscous=number("viscous", viscous),
    )


@suggesting
def velocity_strengthening(slow: Number, fast: Number, rate: Number) -> Law:
    """Friction that rises with speed, as PTFE in sliding bearings: ``fast − (fast − slow) exp(−rate·|w|)``, w the
    relative velocity.

    Parameters
    ----------
    slow, fast : float
        0 ≤ slow ≤ fast, N: the friction at rest and at high speed.
    rate : float
        > 0, s/m.

    References
    ----------
    Constantinou, Mokha and Reinhorn (1990).

    Examples
    --------
    >>> import stickslip as ss
    >>> bearing = ss.velocity_strengthening(0.02, 0.08, 20.0)
    >>> round(bearing(1e-12), 6), round(bearing(9.0), 6)
    (0.02, 0.08)
    """
    return _made(
        "velocity-strengthening",
        slow=number("slow", slow),
        fast=number("fast", fast),
        rate=number("rate", rate),
    )


@suggesting
def dahl(force: Number, stiffness: Number, exponent: Number = 1.0) -> Law:
    """Dahl's law: ``F = stiffness·z``, ``ż = w (1 − stiffness·z·sgn(w)/force)^exponent``, w the relative velocity.

    The contact acts as a bristle with the deflection z, which yields as its force approaches the Coulomb force.
    A law with memory: the solution has the column `z`.

    Parameters
    ----------
    force : float
        > 0, N: the friction after a long slip.
    stiffness : float
        > 0, N/m: the stiffness of the bristle.
    exponent : float
        ≥ 1.

    References
    ----------
    Dahl (1968).

    Examples
    --------
    A bristle of 100 N/m and 1 N yields. After a displacement x it pushes back with 1 − exp(−100 x) N:

    >>> import stickslip as ss
    >>> pushed = ss.Element(friction=ss.dahl(1.0, 100.0), displacement=ss.ramp(0.01))
    >>> path = ss.solve(pushed, t_end=1.0)
    >>> round(float(path["friction"][-1]), 6)
    -0.632121
    """
    return _made(
        "dahl", force=number("force", force), stiffness=number("stiffness", stiffness), exponent=number("exponent", exponent)
    )


@suggesting
def lugre(
    static: Number,
    dynamic: Number,
    velocity: Number | None = None,
    exponent: Number = 2.0,
    *,
    stiffness: Number,
    damping: Number = 0.0,
    viscous: Number = 0.0,
) -> Law:
    """The LuGre law: ``F = stiffness·z + damping·ż + viscous·w``, ``ż = w − stiffness·|w| z/g(w)``,
    ``g = dynamic + (static − dynamic) exp(−|w/velocity|^exponent)``.

    A law with memory: the solution has the column `z`. Under loads that oscillate below the static friction the contact
    drifts.

    Parameters
    ----------
    static, dynamic : float
        0 < dynamic ≤ static, N.
    velocity : float, optional
        > 0, m/s; needed if static > dynamic.
    exponent : float
        > 0.
    stiffness : float
        > 0, N/m: the stiffness of the bristle.
    damping, viscous : float
        ≥ 0, N·s/m. If viscous < damping·(static − dynamic)/dynamic, the law is not passive: it can return more energy
        than it has taken up. `Model.warnings` then says so.

    References
    ----------
    Canudas de Wit, Olsson, Åström, Lischinsky (1995); Barabanov and Ortega (2000).

    Examples
    --------
    At a constant speed of 0.01 m/s, far above v_s, the friction approaches f_d + viscous · v:

    >>> import stickslip as ss
    >>> bristles = ss.lugre(1.5, 1.0, 0.001, stiffness=1e5, damping=300.0, viscous=0.4)
    >>> pushed = ss.Element(friction=bristles, displacement=ss.ramp(0.01))
    >>> round(float(ss.solve(pushed, t_end=1.0)["friction"][-1]), 6)
    -1.004
    """
    return _made("lugre", **_lugre(static, dynamic, velocity, exponent, stiffness, damping, viscous))


def _lugre(static: Any, dynamic: Any, velocity: Any, exponent: Any, stiffness: Any, damping: Any, viscous: Any) -> dict[str, Any]:
    return {
        "static": number("static", static),
        "dynamic": number("dynamic", dynamic),
        "velocity": None if velocity is None else number("velocity", velocity),
        "exponent": number("exponent", exponent),
        "stiffness": number("stiffness", stiffness),
        "damping": number("damping", damping),
        "viscous": number("viscous", viscous),
    }


@suggesting
def elasto_plastic(
    static: Number,
    dynamic: Number,
    velocity: Number | None = None,
    exponent: Number = 2.0,
    *,
    stiffness: Number,
    breakaway: Number | None = None,
    breakaway_share: Number | None = None,
    damping: Number = 0.0,
    viscous: Number = 0.0,
) -> Law:
    """`lugre` with an elastic range: a bristle that is bent by less than `breakaway` does not yield, so the contact
    does not drift.

    Parameters
    ----------
    static, dynamic, velocity, exponent, stiffness, damping, viscous : float
        As for `lugre`.
    breakaway : float
        m, 0 < breakaway < dynamic/stiffness.
    breakaway_share : float
        Instead of `breakaway`, for the gear of a `joint`: the fraction of the limit up to which the bristle is elastic,
        between 0 and 1.

    References
    ----------
    Dupont, Hayward, Armstrong, Altpeter (2002).

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.elasto_plastic(1.5, 1.0, 0.001, stiffness=1e5, damping=300.0, breakaway=5e-6).document["elasto-plastic"]["breakaway"]
    5e-06
    """
    found = _lugre(static, dynamic, velocity, exponent, stiffness, damping, viscous)
    if breakaway_share is not None:
        if breakaway is not None:
            raise InputError("`breakaway` and `breakaway_share` are both given; expected one of them")
        # The law of a gear, which no oscillator has: it is checked where the joint is read.
        found["breakaway_share"] = number("breakaway_share", breakaway_share)
        return Law({"elasto-plastic": {k: v for k, v in found.items() if v is not None}})
    if breakaway is None:
        raise InputError("`breakaway` is missing; expected a length in m, or `breakaway_share` for the gear of a joint")
    return _made("elasto-plastic", **found, breakaway=number("breakaway", breakaway))


@suggesting
def bouc_wen(
    stiffness: Number,
    ratio: Number = 0.0,
    *,
    a: Number = 1.0,
    beta: Number,
    gamma: Number,
    exponent: Number = 1.0,
    loses_strength: Number = 0.0,
    loses_stiffness: Number = 0.0,
) -> Law:
    """The Bouc–Wen hysteretic spring: ``F = ratio·stiffness·x + (1 − ratio)·stiffness·z``,
    ``ż = (a w − ν (beta |w||z|^(n−1) z + gamma w |z|^n))/η``.

    Without degradation ν = η = 1. With degradation the spring loses strength and stiffness as the hysteretic work ε
    grows: ``ε̇ = (1 − ratio)·stiffness·z w``, ``ν = 1 + loses_strength·ε``, ``η = 1 + loses_stiffness·ε``. The solution
    then has the columns `z1`, the deflection (m), and `z2`, the work (J).

    Parameters
    ----------
    stiffness : float
        > 0, N/m.
    ratio : float
        From 0 to 1: the fraction of the stiffness that stays elastic.
    a : float
        > 0.
    beta, gamma : float
        1/mⁿ, beta ≥ 0 and beta + gamma > 0.
    exponent : float
        n ≥ 1.
    loses_strength, loses_stiffness : float, optional
        ≥ 0, 1/J; above 0 needs |gamma| ≤ beta and ratio < 1.

    References
    ----------
    Bouc (1967); Wen (1976); Baber and Wen (1981) for the degradation.

    Examples
    --------
    During loading ż = w (1 − z), so the spring pushes back with 1000 (1 − exp(−x)) N:

    >>> import stickslip as ss
    >>> frame = ss.bouc_wen(1e3, 0.0, beta=0.5, gamma=0.5)
    >>> pushed = ss.Element(friction=frame, displacement=ss.ramp(1e-3))
    >>> round(float(ss.solve(pushed, t_end=1.0)["friction"][-1]), 9)
    -0.999500167
    """
    losses = {
        "strength": number("loses_strength", loses_strength),
        "stiffness": number("loses_stiffness", loses_stiffness),
    }
    worn = losses if any(losses.values()) else None
    return _made(
        "bouc-wen",
        stiffness=number("stiffness", stiffness),
        ratio=number("ratio", ratio),
        a=number("a", a),
        beta=number("beta", beta),
        gamma=number("gamma", gamma),
        exponent=number("exponent", exponent),
        degradation=worn,
    )


@suggesting
def maxwell_slip(
    static: Number,
    dynamic: Number | None = None,
    velocity: Number | None = None,
    exponent: Number = 2.0,
    *,
    stiffness: Numbers,
    weight: Numbers,
    attraction: Number | None = None,
    viscous: Number = 0.0,
) -> Law:
    """The generalised Maxwell-slip law: elements in parallel. Each is a spring up to its share of the friction limit;
    then it slides, and its force is drawn towards that share. The law remembers nested hysteresis loops.

    A law with memory: the solution has the columns `z1`, `z2`, …, and an event `yield` whenever an element begins to
    slide.

    Parameters
    ----------
    static, dynamic : float
        0 < dynamic ≤ static, N: the limit of all elements together, at rest and in fast slip. `dynamic` is `static` by
        default.
    velocity : float, optional
        > 0, m/s; needed if static > dynamic.
    exponent : float
        > 0.
    stiffness : array_like
        > 0, N/m: the stiffness of each element.
    weight : array_like
        > 0: the share of each element in the limit. The shares add up to 1.
    attraction : float, optional
        > 0, N/s: how fast the force of a sliding element follows the limit; needed if static > dynamic.
    viscous : float
        ≥ 0, N·s/m.

    References
    ----------
    Al-Bender, Lampaert, Swevers (2005).

    Examples
    --------
    Before anything slides, both elements are springs; together they have 150 N/m, here over 1 mm:

    >>> import stickslip as ss
    >>> law = ss.maxwell_slip(1.2, 1.0, 0.01, stiffness=[100.0, 50.0], weight=[0.4, 0.6], attraction=100.0)
    >>> pushed = ss.Element(friction=law, displacement=ss.ramp(1e-3))
    >>> round(float(ss.solve(pushed, t_end=1.0)["friction"][-1]), 9)
    -0.15
    """
    return _made(
        "maxwell-slip",
        stiffness=numbers("stiffness", stiffness, 1).tolist(),
        weight=numbers("weight", weight, 1).tolist(),
        static=number("static", static),
        dynamic=number("static", static) if dynamic is None else number("dynamic", dynamic),
        velocity=None if velocity is None else number("velocity", velocity),
        exponent=number("exponent", exponent),
        attraction=None if attraction is None else number("attraction", attraction),
        viscous=number("viscous", viscous),
    )


@suggesting
def rate_and_state(
    coefficient: Number, a: Number, b: Number, *, distance: Number, speed: Number, evolution: str = "ageing"
) -> Law:
    """Rate-and-state friction of rocks: ``μ = a asinh(w e^ψ/(2 speed))``, ``ψ = (coefficient + b
    ln(speed·θ/distance))/a``, where θ is the age of the contact: ``θ̇ = 1 − |w|θ/distance`` (ageing law) or ``θ̇ =
    −(|w|θ/distance) ln(|w|θ/distance)`` (slip law).

    A law with memory. Its parameters are coefficients of friction, so the model needs a `normal` force. The solution
    has θ (s) in the column `z`.

    Parameters
    ----------
    coefficient : float
        > 0: the coefficient of friction in steady slip at `speed`.
    a, b : float
        a > 0 and b ≥ 0: direct effect and evolution effect. If b > a, a slow drive through a soft spring can lead to
        stick-slip.
    distance : float
        > 0, m: the slip over which the state evolves (D_c).
    speed : float
        > 0, m/s: the reference speed.
    evolution : str
        ``"ageing"`` or ``"slip"``.

    References
    ----------
    Dieterich (1979); Ruina (1983); Rice, Ben-Zion (1996).

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.rate_and_state(0.6, 0.01, 0.015, distance=1e-5, speed=1e-6)
    rate_and_state(coefficient=0.6, a=0.01, b=0.015, distance=1e-05, speed=1e-06, evolution='ageing')
    """
    return _made(
        "rate-and-state",
        coefficient=number("coefficient", coefficient),
        a=number("a", a),
        b=number("b", b),
        distance=number("distance", distance),
        speed=number("speed", speed),
        evolution=text("evolution", evolution),
    )


@suggesting
def cubic(static: Number, weakening: Number, strengthening: Number) -> Law:
    """Friction that falls with speed and rises again: ``static − weakening·|w| + strengthening·|w|³``, w the relative
    velocity.

    Parameters
    ----------
    static : float
        ≥ 0, N.
    weakening : float
        ≥ 0, N·s/m.
    strengthening : float
        ≥ 0, N·s³/m³; > 0 if `weakening` is. The smallest friction, at the speed √(weakening / (3 strengthening)), must
        be ≥ 0.

    References
    ----------
    di Bernardo, Kowalczyk and Nordmark (2003), where the parameters are 1.5, 1.5 and 0.45.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.cubic(1.0, 0.5, 0.1)(2.0)
    0.8
    """
    return _made(
        "cubic",
        static=number("static", static),
        weakening=number("weakening", weakening),
        strengthening=number("strengthening", strengthening),
    )


@suggesting
def ageing(
    dynamic: Number | None = None,
    static: Number | None = None,
    time: Number | None = None,
    kind: Literal["exponential", "logarithmic", "power", "table"] = "exponential",
    *,
    exponent: Number | None = None,
    age: Numbers | None = None,
    limit: Numbers | None = None,
) -> Law:
    """Ageing friction: the limit at rest grows with the time at rest.

    Parameters
    ----------
    dynamic : float
        Friction in slip, N, from which the limit at rest starts to grow. With a table it may be left out. `kinetic` is
        accepted too.
    static : float
        > dynamic, N.
    time : float
        > 0, s.
    kind : {"exponential", "logarithmic", "power", "table"}
        How the limit grows with the time τ at rest. It is dynamic + (static − dynamic) g(τ) with g = 1 − exp(−τ/time),
        ln(1 + τ/time) or (τ/time)^exponent; or linear between the points of a table.
    exponent : float
        > 0, for ``"power"``.
    age, limit : array_like, shape (n,)
        For ``"table"``: times at rest from 0 (s) and limits (N), both increasing.

    References
    ----------
    Schatzman, Lamarque, Bastien (1999), (8)–(10).

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.ageing(1.0, 2.0, 10.0)(0.1)  # in a slip
    1.0
    """
    lists = {k: numbers(k, v).tolist() for k, v in (("age", age), ("limit", limit)) if v is not None}
    return _made(
        "ageing",
        dynamic=dynamic,
        static=static,
        time=time,
        kind=text("kind", kind),
        exponent=exponent,
        **lists,
    )


@suggesting
def law_of(
    force: Callable[[float], float],
    slope: tuple[Number, Number] | Callable[[float, float], tuple[float, float]],
    *,
    limit: Number | None = None,
    kinks: Numbers = (),
) -> Law:
    """A law of your own, given as a Python function of the speed; the same in both directions.

    It works with the schemes ``adaptive``, ``euler`` and ``implicit-euler``. Each call needs the interpreter's lock and
    takes about a microsecond, whereas the laws of the library take nanoseconds. For long runs tabulate the function and
    use `table`.

    Parameters
    ----------
    force : callable
        A continuous function from the speed ≥ 0 (m/s) to the friction in slip (N, ≥ 0).
    slope : (float, float) or callable
        Least and greatest slope of `force`, N·s/m; or a function of two speeds lo < hi (hi may be infinite) that
        returns them for this interval, with tighter bounds on shorter intervals. The bounds must hold, because
        solutions and events are found with them.
    limit : float, optional
        Load at which the contact breaks away, N; at least the force at speed 0, which is the default.

    kinks : array_like, shape (n,), optional
        Speeds > 0 (m/s), increasing, at which the slope of `force` jumps. ``adaptive`` treats them as events. A kink
        that is not listed costs dozens of short steps each time the speed passes it.

    Returns
    -------
    Law

    Examples
    --------
    Rubber breaks away at 3 N and slides at 2 N, and less the faster it slides. A spring of 1 N/m pulls with a force
    that grows by 0.1 N/s:

    >>> import stickslip as ss
    >>> rubber = ss.law_of(
    ...     lambda s: 2.0 / (1.0 + s), lambda lo, hi: (-2.0 / (1.0 + lo) ** 2, -2.0 / (1.0 + hi) ** 2), limit=3.0
    ... )
    >>> block = ss.Oscillator(mass=1, stiffness=1, friction=rubber, drive=ss.ramp(0.1))
    >>> ss.solve(block, 31.0, "adaptive").events["t"].round(6)
    array([30.])
    """
    if not callable(force):
        raise InputError(f"`force` is {described(force)}; expected a function of the speed")
    if not callable(slope):
        if not (isinstance(slope, (tuple, list)) and len(slope) == 2):
            raise InputError(f"`slope` is {described(slope)}; expected two numbers, or a function of two speeds")
        slope = (number("slope", slope[0]), number("slope", slope[1]))
        if not (math.isfinite(slope[0]) and math.isfinite(slope[1]) and slope[0] <= slope[1]):
            raise InputError(f"`slope` is {slope!r}; expected the least and the greatest slope, two finite numbers, N·s/m")
    held = None if limit is None else number("limit", limit)
    if held is not None and not (math.isfinite(held) and held >= 0.0):
        raise InputError(f"`limit` is {held!r}; expected a finite number ≥ 0, in N")
    bends = numbers("kinks", kinks).tolist()
    if not all(math.isfinite(k) and k > b for b, k in zip([0.0, *bends], bends)):
        raise InputError(f"`kinks` is {bends!r}; expected finite speeds > 0, increasing, in m/s")
    return PythonLaw(force, slope, held, bends)


@suggesting
def table(velocity: Numbers, force: Numbers) -> Law:
    """Friction from a table of speeds and forces, with linear interpolation.

    Parameters
    ----------
    velocity : array_like, shape (n,)
        Speeds, m/s, increasing; the first point is at rest.
    force : array_like, shape (n,)
        Friction at these speeds, N, ≥ 0.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.table([0.0, 1.0, 3.0], [2.0, 1.0, 2.0])([0.5, 2.0])
    array([1.5, 1.5])
    """
    return _made("table", velocity=numbers("velocity", velocity).tolist(), force=numbers("force", force).tolist())


@suggesting
def directional(forward: Law, backward: Law) -> Law:
    """Different laws for the two directions of slip.

    Parameters
    ----------
    forward, backward : Law
        The laws for relative velocities w > 0 and w < 0.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.directional(ss.coulomb(2.0), ss.coulomb(1.0))([-0.1, 0.1])
    array([-1.,  2.])
    """
    sides = {"forward": law("forward", forward), "backward": law("backward", backward)}
    for name, side in sides.items():
        if "forward" in side.document:
            raise InputError(f"`{name}` is directional itself; expected one plain law for each direction")
    return Law({name: side.document for name, side in sides.items()})

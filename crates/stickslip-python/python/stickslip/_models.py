"""Models with one mass, and problems with several solutions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from . import _laws
from ._arguments import LARGE, Number, Numbers, described, flag, number, numbers, whole
from ._errors import InputError, suggesting_class
from ._laws import Law
from ._model import (
    Model,
    lists,
    put_initial,
    read_signals,
    set_fields,
    set_numbers,
    set_signals,
    signal_or_none,
    started,
    title_of,
    without_none,
)
from ._signals import Given, SignalLike


@suggesting_class
@dataclass(frozen=True, eq=False)
class Stops:
    """Stops on one or both sides of an oscillator, rigid or soft.

    Parameters
    ----------
    lower, upper : float, optional
        Positions of the stops, m; at least one.
    restitution : float, optional
        Coefficient of restitution of rigid stops, 0 to 1.
    stiffness, damping : float, optional
        Stiffness (N/m) and damping (N·s/m) of soft stops.

    Examples
    --------
    A mass hits a rigid stop and rebounds at half its speed:

    >>> import stickslip as ss
    >>> wall = ss.Stops(upper=1.0, restitution=0.5)
    >>> thrown = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.0), v0=1.0, stops=wall)
    >>> float(ss.solve(thrown, 2.0).v[-1])
    -0.5
    """

    lower: float | None = None
    upper: float | None = None
    restitution: float | None = None
    stiffness: float | None = None
    damping: float | None = None

    def __post_init__(self) -> None:
        for name, value in self._given().items():
            set_fields(self, **{name: number(name, value)})

    def _given(self) -> dict[str, Any]:
        return without_none(**{f.name: getattr(self, f.name) for f in dataclasses.fields(self)})


def _stops(value: object) -> Stops | None:
    """`value` as stops."""
    stops = Stops(**value) if isinstance(value, Mapping) else value
    if stops is None or isinstance(stops, Stops):
        return stops
    raise InputError(f"`stops` is {described(stops)}; expected Stops(…)")


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True, init=False)
class Oscillator(Model):
    """One mass on a spring, with dry friction on a support.

    ``m ẍ + F(ẋ − v_s) = K (d(t) − x) − c ẋ + f(t)``, where F is the dry friction.

    Parameters
    ----------
    mass : float
        m > 0, kg.
    stiffness : float or sequence of float
        K ≥ 0, N/m; or the coefficients k₁, k₂, … of a spring force k₁ z + k₂ z² + …, z = x − d.
    friction : Law
        The friction of the contact, such as ``static_dynamic(1.2, 1.0)``.
    damping, quadratic_damping : float
        c ≥ 0, N·s/m, and c₂ ≥ 0, N·s²/m², of the damping force c ẋ + c₂ |ẋ| ẋ.
    bearing_stiffness : float, optional
        K_BP > 0, N/m. The solution then has a column with the displacement z = x + K(d − x)/K_BP.
    drive : Signal, optional
        d(t), displacement of the spring's far end, m.
    force : Signal, optional
        f(t), force on the mass, N.
    support : Signal, optional
        v_s(t), velocity of the support, m/s.
    normal : Signal, optional
        Normal force, N. The parameters of the law are then coefficients of friction.
    normal_slope : float
        s, 1/m: the normal force, or the friction if there is none, is multiplied by max(0, 1 + s x).
    stops : Stops, optional
        Stops that limit the displacement.
    load : callable, optional
        A further force on the mass as a Python function b(x, v, t) in N, such as a nonlinear restoring force, a control
        law or drag. It must be smooth between the breakpoints of the signals. Each call takes microseconds. With
        `rotation` it is a torque that depends on an angle and its rate. To be picklable it must be defined at module
        level.
    x0, v0 : float
        Displacement (m) and velocity (m/s) at t = 0.
    z0 : float, optional
        Initial deflection of the bristle of a law with memory, m.
    rotation : bool
        Whether the model rotates about an axis. `mass` is then a moment of inertia (kg·m²), m becomes rad and N becomes
        N·m; a normal force stays in N.
    title : str, optional
        Title of the figures.

    References
    ----------
    Bensoussan et al. (2021), §2. For moving supports and ageing friction, Schatzman, Lamarque, Bastien (1999).

    Examples
    --------
    >>> import stickslip as ss
    >>> shaw = ss.Oscillator(
    ...     mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.harmonic(6.0, 0.5), x0=6.0
    ... )
    >>> len(ss.solve(shaw, t_end=40).events)
    10

    A restoring force as a Python function, here for a pendulum of 1 m, which comes to rest where friction holds it:

    >>> from math import sin
    >>> pendulum = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), load=lambda x, v, t: -9.81 * sin(x), x0=1.0)
    >>> abs(9.81 * sin(ss.solve(pendulum, t_end=40).x[-1])) < 0.5
    True
    """

    kind: ClassVar[str] = "oscillator"

    mass: Number
    stiffness: Number | Numbers
    friction: Law
    damping: Number = 0.0
    quadratic_damping: Number = 0.0
    bearing_stiffness: Number | None = None
    drive: SignalLike | None = None
    force: SignalLike | None = None
    support: SignalLike | None = None
    normal: SignalLike | None = None
    normal_slope: Number = 0.0
    stops: Stops | None = None
    load: Callable[[float, float, float], float] | None = None
    x0: Number = 0.0
    v0: Number = 0.0
    z0: Number | None = None
    rotation: bool = False
    title: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict, repr=False)
    folder: str = field(default="", repr=False)

    def __init__(
        self,
        *,
        mass: Number,
        stiffness: Number | Numbers,
        friction: Law,
        damping: Number = 0.0,
        quadratic_damping: Number = 0.0,
        bearing_stiffness: Number | None = None,
        drive: SignalLike | None = None,
        force: SignalLike | None = None,
        support: SignalLike | None = None,
        normal: SignalLike | None = None,
        normal_slope: Number = 0.0,
        stops: Stops | None = None,
        load: Callable[[float, float, float], float] | None = None,
        x0: Number = 0.0,
        v0: Number = 0.0,
        z0: Number | None = None,
        rotation: bool = False,
        title: str | None = None,
        run: Mapping[str, Any] | None = None,
        folder: str = "",
    ) -> None:
        # Written by hand, and into the dictionary: loops make many of these, and what a data class does takes three times as long.
        kept = self.__dict__
        kept["mass"], kept["damping"] = number("mass", mass), number("damping", damping)
        kept["quadratic_damping"] = number("quadratic_damping", quadratic_damping)
        kept["normal_slope"] = number("normal_slope", normal_slope)
        kept["x0"], kept["v0"] = number("x0", x0), number("v0", v0)
        kept["z0"] = None if z0 is None else number("z0", z0)
        kept["drive"] = signal_or_none("drive", drive)
        kept["force"] = signal_or_none("force", force)
        kept["support"] = signal_or_none("support", support)
        kept["normal"] = signal_or_none("normal", normal)
        if isinstance(stiffness, (float, int)) or np.ndim(stiffness) == 0:  # type: ignore[arg-type]
            kept["stiffness"] = number("stiffness", stiffness)
        else:
            kept["stiffness"] = tuple(numbers("stiffness", stiffness, 1).tolist())
        kept["bearing_stiffness"] = None if bearing_stiffness is None else number("bearing_stiffness", bearing_stiffness)
        kept["friction"] = _laws.law("friction", friction)
        kept["stops"] = _stops(stops)
        if not (load is None or callable(load)):
            raise InputError(f"`load` is {described(load)}; expected a function of displacement, velocity and time, in N")
        kept["load"] = load
        kept["rotation"] = rotation if rotation is False else flag("rotation", rotation)
        kept["title"] = title_of(title)
        kept["run"], kept["folder"] = {} if run is None else run, folder
        if not self._is_sound():
            self._checked.check()

    def _is_sound(self) -> bool:
        """Whether the model is certainly valid: its law and signals were checked when they were made, and its numbers
        are of usual size. Any other model is checked by the library, which reports errors. Each model is checked again
        when it is solved.
        """
        if not self.friction.is_sound or self.stops is not None or self.normal is not None or self.load is not None:
            return False
        for signal in (self.drive, self.force, self.support):
            if not (signal is None or signal.is_sound):  # type: ignore[union-attr]
                return False
        k: Any = self.stiffness
        return bool(
            type(k) is float
            and 1.0 / LARGE <= self.mass <= LARGE
            and 0.0 <= k <= LARGE
            and 0.0 <= self.damping <= LARGE
            and 0.0 <= self.quadratic_damping <= LARGE
            and -LARGE <= self.x0 <= LARGE
            and -LARGE <= self.v0 <= LARGE
            and self.normal_slope == 0.0
            and self.bearing_stiffness is None
            and self.z0 is None
        )

    def _table(self, given: Given) -> dict[str, Any]:
        stiffness = list(self.stiffness) if isinstance(self.stiffness, tuple) else self.stiffness
        table: dict[str, Any] = {"rotation": True, "inertia": self.mass} if self.rotation else {"mass": self.mass}
        table |= {"stiffness": stiffness, "damping": self.damping}
        if self.quadratic_damping != 0.0:
            table["quadratic_damping"] = self.quadratic_damping
        table |= without_none(bearing_stiffness=self.bearing_stiffness)
        table["friction"] = self.friction.document
        table |= lists(self, given, "drive", "force", "support", "normal")
        if self.normal_slope != 0.0:
            table["normal_slope"] = self.normal_slope
        if self.stops is not None:
            table["stops"] = self.stops._given()
        if self.load is not None:
            table["load"] = {"given": {"name": "python"}}
        put_initial(table, float(self.x0), float(self.v0), None if self.z0 is None else float(self.z0))
        return table

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        out = dict(table)
        if "inertia" in out:
            out["mass"] = out.pop("inertia")
        initial = dict(out.get("initial", {}))
        if "z" in initial:
            out["z0"] = initial.pop("z")
            out["initial"] = initial
        out = started(out)
        if "friction" in out:
            out["friction"] = _laws.from_table(out["friction"])
        return read_signals(out, "drive", "force", "support", "normal")


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Cascade(Model):
    """One mass held by a row of springs and dry-friction elements.

    Parameters
    ----------
    mass : float
        > 0, kg.
    stiffness : array_like, shape (n + 1,)
        Stiffnesses k₀ … kₙ > 0, N/m.
    threshold : array_like, shape (n,)
        Thresholds α₁ … αₙ ≥ 0 of the friction elements, N.
    prestress : array_like, shape (n,), optional
        Initial forces of the friction elements, N.
    force : Signal, optional
        f(t), force on the mass, N.
    displacement : Signal, optional
        Prescribed displacement x(t) of the mass, m, for the quasi-static scheme.
    x0, v0 : float
        Displacement (m) and velocity (m/s) at t = 0.
    title : str, optional
        Title of the figures.

    References
    ----------
    Bastien, Lamarque (2007).

    Examples
    --------
    A spring of 1 N/m in series with an element that sticks up to 0.5 N and has a spring of 2 N/m in parallel. At a
    displacement of 1 m the element has moved by u with 1 − u = 0.5 + 2 u:

    >>> import stickslip as ss
    >>> pulled = ss.Cascade(mass=1, stiffness=[1.0, 2.0], threshold=[0.5], displacement=ss.ramp(1.0))
    >>> round(float(ss.solve(pulled, 1.0, "quasi-static").force[-1]), 12)
    0.833333333333
    """

    kind: ClassVar[str] = "cascade"

    mass: Number
    stiffness: Numbers
    threshold: Numbers
    prestress: Numbers | None = None
    force: SignalLike | None = None
    displacement: SignalLike | None = None
    x0: Number = 0.0
    v0: Number = 0.0
    title: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict, repr=False)
    folder: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        set_numbers(self, "mass", "x0", "v0")
        for name in ("stiffness", "threshold", "prestress"):
            if getattr(self, name) is not None:
                set_fields(self, **{name: tuple(numbers(name, getattr(self, name)).tolist())})
        set_signals(self, "force", "displacement")
        set_fields(self, title=title_of(self.title))
        self._checked.check()

    def _table(self, given: Given) -> dict[str, Any]:
        table: dict[str, Any] = {
            "mass": self.mass,
            "stiffness": list(self.stiffness),
            "threshold": list(self.threshold),
        }
        if self.prestress is not None:
            table["prestress"] = list(self.prestress)
        table |= lists(self, given, "force", "displacement")
        put_initial(table, float(self.x0), float(self.v0))
        return table

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        return read_signals(started(dict(table)), "force", "displacement")


@suggesting_class
@dataclass(frozen=True, eq=False)
class Penalty:
    """Parameters of the schemes ``spring`` and ``yosida``, which replace a rigid wall by a stiff one.

    Parameters
    ----------
    stiffness : float, optional
        Stiffness of the spring, N/m.
    engagement, slack : float, optional
        Distances from the wall at which the spring engages and at which it is relaxed, m.
    lambda_ : float, optional
        Regularisation parameter λ of ``yosida``, m/N.

    Examples
    --------
    The floor is a stiff spring. A ball that arrives at √2 m/s sinks in by √2/100 m:

    >>> import stickslip as ss
    >>> ball = ss.Impact(mass=1, wall=0.0, restitution=1.0, force=ss.constant(-1.0), x0=1.0, penalty=ss.Penalty(stiffness=1e4))
    >>> path = ss.solve(ball, 2.0, "spring")
    >>> round(float(path(2**0.5 + 0.005 * 3.14159)[0]), 3)
    -0.014
    """

    stiffness: float | None = None
    engagement: float | None = None
    slack: float | None = None
    lambda_: float | None = None

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):
            if getattr(self, f.name) is not None:
                set_fields(self, **{f.name: number(f.name, getattr(self, f.name))})

    def _given(self) -> dict[str, Any]:
        names = (f.name for f in dataclasses.fields(self))
        return without_none(**{n.rstrip("_"): getattr(self, n) for n in names})


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Impact(Model):
    """One mass between walls: wall ≤ x ≤ upper_wall.

    Parameters
    ----------
    mass : float
        > 0, kg.
    restitution : float
        Coefficient of restitution, 0 to 1: speed after an impact divided by the speed before.
    wall, upper_wall : Signal or float, optional
        Positions of the walls, m; at least one.
    stiffness, damping : float
        Stiffness (N/m) and damping (N·s/m) of a spring and a damper to x = 0.
    penalty : Penalty, optional
        Parameters of the schemes ``spring`` and ``yosida``.
    force : Signal, optional
        Force on the mass, N.
    x0, v0 : float
        Displacement (m) and velocity (m/s) at t = 0.
    title : str, optional
        Title of the figures.

    References
    ----------
    Bastien, Bernardin, Lamarque (2013), §1.3.

    Examples
    --------
    >>> import stickslip as ss
    >>> ball = ss.Impact(mass=1, restitution=0.5, wall=0, force=-9.81, x0=1.0)
    >>> print(ss.solve(ball, t_end=5).events["event"][-1])
    rest
    """

    kind: ClassVar[str] = "impact"

    mass: Number
    restitution: Number
    wall: SignalLike | None = None
    upper_wall: SignalLike | None = None
    stiffness: Number = 0.0
    damping: Number = 0.0
    penalty: Penalty | None = None
    force: SignalLike | None = None
    x0: Number = 0.0
    v0: Number = 0.0
    title: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict, repr=False)
    folder: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        set_numbers(self, "mass", "restitution", "stiffness", "damping", "x0", "v0")
        set_signals(self, "wall", "upper_wall", "force")
        penalty = self.penalty
        if isinstance(penalty, Mapping):
            penalty = Penalty(**{("lambda_" if k == "lambda" else k): v for k, v in penalty.items()})
        if not (penalty is None or isinstance(penalty, Penalty)):
            raise InputError(f"`penalty` is {described(penalty)}; expected Penalty(…)")
        set_fields(self, penalty=penalty, title=title_of(self.title))
        self._checked.check()

    def _table(self, given: Given) -> dict[str, Any]:
        table: dict[str, Any] = {"mass": self.mass, "stiffness": self.stiffness, "damping": self.damping}
        table["restitution"] = self.restitution
        if self.penalty is not None:
            table["penalty"] = self.penalty._given()
        table |= lists(self, given, "wall", "upper_wall", "force")
        put_initial(table, float(self.x0), float(self.v0))
        return table

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        return read_signals(started(dict(table)), "wall", "upper_wall", "force")


def _pair(name: str, value: object) -> tuple[float, float]:
    """Two numbers: along x and along y."""
    pair = numbers(name, value, 1).tolist()
    if len(pair) != 2:
        raise InputError(f"`{name}` has {len(pair)} numbers; expected two, along x and along y")
    return pair[0], pair[1]


def _square(name: str, value: object) -> tuple[float, ...] | tuple[tuple[float, ...], ...]:
    """Two numbers, or a matrix of two rows."""
    if np.ndim(value) == 1:  # type: ignore[arg-type]
        return _pair(name, value)
    return tuple(tuple(numbers(name, row, 1).tolist()) for row in value)  # type: ignore[attr-defined]


def _listed(value: Any) -> list[Any]:
    """A pair or a matrix as lists, as files have it."""
    return [_listed(v) if isinstance(v, tuple) else v for v in value]


_PLANAR_SIGNALS = ("force_x", "force_y", "base_x", "base_y", "support_x", "support_y", "normal", "moment")


def _rows(name: str, given: Any) -> tuple[dict[str, Any], ...]:
    """Isolators or floors as dictionaries, their friction as a law and their pairs and matrices as lists."""
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise InputError(f"`{name}` is {described(given)}; expected a list of dictionaries")
    rows = []
    for i, row in enumerate(given):
        if not isinstance(row, Mapping):
            raise InputError(f"`{name}[{i}]` is {described(row)}; expected a dictionary")
        made = {key: np.asarray(value).tolist() if isinstance(value, (tuple, np.ndarray)) else value for key, value in row.items()}
        if "friction" in made:
            law = made["friction"]
            made["friction"] = _laws.from_table(law) if isinstance(law, Mapping) else _laws.law("friction", law)
        rows.append(made)
    return tuple(rows)


def _row_tables(rows: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    """The same as files have them."""
    return [{key: value.document if isinstance(value, Law) else value for key, value in row.items()} for row in rows]


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Planar(Model):
    """One mass that slides on a plane, such as a building on isolators; or, with `inertia` and `isolator`, a rigid slab
    that can rotate.

    ``m r̈ + C ṙ + K r = F(t) − m a(t) + R``, where the friction R is limited to a disc (or an ellipse). In slip it acts
    against the sliding velocity; at rest it takes the value that equilibrium needs.

    Parameters
    ----------
    mass : float
        m > 0, kg.
    friction : Law
        `coulomb`, `static_dynamic`, `stribeck_exponential` or `velocity_strengthening`. For a slab, the law of all
        isolators that have none of their own.
    stiffness : array_like, shape (2,) or (2, 2), optional
        k_x and k_y, or the symmetric matrix K, N/m.
    pendulum : dict, optional
        ``{"radius": m, "weight": N}`` in place of `stiffness`: the stiffness is weight/radius in both directions. With
        ``"restoring": "exact"`` the force is weight r/√(radius² − r²).
    damping : array_like, shape (2,) or (2, 2), optional
        c_x and c_y, or the symmetric matrix C, N·s/m.
    ellipse : array_like, shape (2,), optional
        Semi-axes of a friction ellipse along x and y, as multiples of the force of the law.
    force_x, force_y : Signal, optional
        Force on the mass, N.
    base_x, base_y : Signal, optional
        Ground acceleration, m/s². Displacements are relative to the ground.
    base_scale : float
        Factor by which the ground acceleration is multiplied.
    support_x, support_y : Signal, optional
        Velocity of the sliding surface, m/s.
    normal : Signal, optional
        Normal force, N. The parameters of the law are then coefficients of friction.
    pressure : dict, optional
        ``{"reference": N, "scale": N}``: the coefficients of friction are multiplied by exp(−(normal −
        reference)/scale).
    rim : dict, optional
        ``{"radius": m, "stiffness": N/m, "damping": N·s/m}``: a soft rim, which at a distance δ beyond the radius
        pushes the mass back radially with max(0, stiffness δ + damping δ̇). Or ``{"radius": m, "restitution": e}``: a
        rigid rim, at which the radial velocity is multiplied by −e and the tangential velocity stays the same.
    inertia : float, optional
        Moment of inertia of a slab about the vertical axis through its centre of mass, kg·m².
    isolator : list of dict, optional
        The isolators under the slab, with the keys of ``[[planar.isolator]]``: ``{"at": [m, m], "friction": law,
        ...}``.
    floor : list of dict, optional
        Floors above the slab, from the lowest up, with the keys of ``[[planar.floor]]``.
    moment : Signal, optional
        Moment on the slab, N·m.
    x0, v0 : array_like, shape (2,)
        Displacement (m) and velocity (m/s) at t = 0.
    rotation, spin : float
        Initial rotation (rad) and angular velocity (rad/s) of a slab.
    title : str, optional
        Title of the figures.

    Examples
    --------
    A slab on two isolators rotates about its centre at 0.1 rad/s. Friction of 2 · 3 N at 2 m stops it, with an inertia
    of 9 kg·m², after 9 · 0.1/12 = 0.075 s:

    >>> import stickslip as ss
    >>> pads = [{"name": name, "at": [x, 0.0]} for name, x in (("left", -2.0), ("right", 2.0))]
    >>> slab = ss.Planar(mass=4, inertia=9, friction=ss.coulomb(3.0), isolator=pads, spin=0.1)
    >>> turned = ss.solve(slab, t_end=0.1, step=1e-4)
    >>> [(str(e["event"]), str(e["where"]), round(float(e["t"]), 3)) for e in turned.events]
    [('stick', 'left', 0.075), ('stick', 'right', 0.075)]

    A puck of 2 kg slides at 5 m/s against a friction of 5 N. It comes to rest after 2 s and 5 m:

    >>> import stickslip as ss
    >>> puck = ss.Planar(mass=2, friction=ss.coulomb(5.0), v0=[3.0, 4.0])
    >>> path = ss.solve(puck, t_end=3)
    >>> x, y, vx, vy, *friction = path(3.0)
    >>> print(round(path.events["t"][0], 9), round(x, 9), round(y, 9))
    2.0 3.0 4.0
    """

    kind: ClassVar[str] = "planar"

    mass: Number
    friction: Law | None = None
    stiffness: Any = None
    pendulum: Mapping[str, Any] | None = None
    damping: Any = None
    ellipse: Numbers | None = None
    force_x: SignalLike | None = None
    force_y: SignalLike | None = None
    base_x: SignalLike | None = None
    base_y: SignalLike | None = None
    base_scale: Number = 1.0
    support_x: SignalLike | None = None
    support_y: SignalLike | None = None
    normal: SignalLike | None = None
    pressure: Mapping[str, Any] | None = None
    rim: Mapping[str, Any] | None = None
    inertia: Number | None = None
    isolator: Iterable[Mapping[str, Any]] | None = None
    floor: Iterable[Mapping[str, Any]] | None = None
    moment: SignalLike | None = None
    x0: Numbers = (0.0, 0.0)
    v0: Numbers = (0.0, 0.0)
    rotation: Number = 0.0
    spin: Number = 0.0
    title: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict, repr=False)
    folder: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        set_numbers(self, "mass", "base_scale", "rotation", "spin")
        if self.inertia is not None:
            set_numbers(self, "inertia")
        set_signals(self, *_PLANAR_SIGNALS)
        for name in ("isolator", "floor"):
            if getattr(self, name) is not None:
                set_fields(self, **{name: _rows(name, getattr(self, name))})
        for name in ("stiffness", "damping"):
            if getattr(self, name) is not None:
                set_fields(self, **{name: _square(name, getattr(self, name))})
        if self.ellipse is not None:
            set_fields(self, ellipse=_pair("ellipse", self.ellipse))
        set_fields(self, x0=_pair("x0", self.x0), v0=_pair("v0", self.v0))
        if self.friction is not None or not self._is_slab:
            set_fields(self, friction=_laws.law("friction", self.friction))
        set_fields(self, title=title_of(self.title))
        self._checked.check()

    @property
    def _is_slab(self) -> bool:
        return any(part is not None for part in (self.inertia, self.isolator, self.floor, self.moment))

    def _table(self, given: Given) -> dict[str, Any]:
        table: dict[str, Any] = {"mass": self.mass}
        if self.inertia is not None:
            table["inertia"] = self.inertia
        for name in ("isolator", "floor"):
            if getattr(self, name) is not None:
                table[name] = _row_tables(getattr(self, name))
        for name in ("stiffness", "damping", "ellipse"):
            if getattr(self, name) is not None:
                table[name] = _listed(getattr(self, name))
        if self.pendulum is not None:
            table["pendulum"] = dict(self.pendulum)
        if self.pressure is not None:
            table["pressure"] = dict(self.pressure)
        if self.rim is not None:
            table["rim"] = dict(self.rim)
        if self.base_scale != 1.0:
            table["base_scale"] = self.base_scale
        if self.friction is not None:
            table["friction"] = self.friction.document
        table |= lists(self, given, *_PLANAR_SIGNALS)
        table["initial"] = {"displacement": list(self.x0), "velocity": list(self.v0)}
        for name in ("rotation", "spin"):
            if getattr(self, name) != 0.0:
                table["initial"][name] = getattr(self, name)
        return table

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        out = dict(table)
        initial = dict(out.pop("initial", {}))
        out["x0"] = initial.pop("displacement", (0.0, 0.0))
        out["v0"] = initial.pop("velocity", (0.0, 0.0))
        for name in ("rotation", "spin"):
            if name in initial:
                out[name] = initial.pop(name)
        if initial:
            raise InputError(f"unknown key `initial.{next(iter(initial))}`; expected displacement and velocity")
        if "friction" in out:
            out["friction"] = _laws.from_table(out["friction"])
        return read_signals(out, *_PLANAR_SIGNALS)


# --- Ill-posed problems, for `solutions` -----------------------------------------------------------


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Element(Model):
    """A friction contact between two flanges. Another simulator moves the flanges (see `export_fmu`); or a given
    displacement does, for a law with memory (see `solve`).

    Parameters
    ----------
    stiffness : float
        k > 0, stiffness of the contact at rest, N/m (N·m/rad if it rotates). Not with a `displacement`, because the law
        then has its own stiffness.
    friction : Law
        The friction of the contact, such as ``static_dynamic(1.2, 1.0)``, or ``dahl(1.0, 150.0)`` with a `displacement`.
    damping : float
        c ≥ 0, damping of the contact at rest, N·s/m.
    normal : float or Signal, optional
        Normal force ≥ 0, N. The parameters of the law are then coefficients of friction. Must be a number if another
        simulator moves the flanges.
    displacement : Signal, optional
        Displacement x(t) of one flange relative to the other, m.
    z0 : float, optional
        Initial deflection of the bristle, m; with a `displacement`.
    motion : str
        ``"translational"``, or ``"rotational"`` for angles and torques in place of displacements and forces.
    title : str, optional
        Title of the figures.

    Examples
    --------
    >>> import stickslip as ss
    >>> brake = ss.Element(stiffness=1e6, friction=ss.static_dynamic(12.0, 10.0), motion="rotational")
    >>> ss.export_fmu(brake, "brake.fmu", t_end=10)  # doctest: +SKIP
    >>> damper = ss.Element(friction=ss.dahl(1.0, 150.0), displacement=ss.ramp(0.01))
    >>> path = ss.solve(damper, t_end=3)
    >>> round(float(path.friction[-1]), 12)  # −(1 − exp(−4.5))
    -0.988891003462
    """

    kind: ClassVar[str] = "element"

    stiffness: Number | None = None
    friction: Law
    damping: Number = 0.0
    normal: SignalLike | None = None
    displacement: SignalLike | None = None
    z0: Number | None = None
    motion: str = "translational"
    title: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict, repr=False)
    folder: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        set_numbers(self, "damping")
        given = ["stiffness", "z0"] if self.displacement is not None else ["stiffness", "normal"]
        set_numbers(self, *(name for name in given if getattr(self, name) is not None))
        if self.displacement is not None:
            set_signals(self, "displacement", "normal")
        set_fields(self, friction=_laws.law("friction", self.friction), title=title_of(self.title))
        self._checked.check()

    def _table(self, given: Given) -> dict[str, Any]:
        table: dict[str, Any] = without_none(stiffness=self.stiffness)
        if self.displacement is not None:
            table |= {"damping": self.damping} if self.damping != 0.0 else {}
            table |= {"friction": self.friction.document} | lists(self, given, "displacement", "normal")
            return table | ({} if self.z0 is None else {"initial": {"z": self.z0}})
        table |= {"damping": self.damping} | without_none(normal=self.normal)
        return {**table, "motion": self.motion, "friction": self.friction.document}

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        out = dict(table)
        if "displacement" in out:
            initial = dict(out.pop("initial", {}))
            out |= {"z0": initial.pop("z")} if "z" in initial else {}
            if initial:
                raise InputError(f"unknown key `initial.{next(iter(initial))}`; expected z")
            out = read_signals(out, "displacement", "normal")
        if "friction" in out:
            out["friction"] = _laws.from_table(out["friction"])
        return out


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Corner(Model):
    """A point that moves into the corner of a wedge between two elastic walls: see `solutions`.

    Parameters
    ----------
    angle : float
        Angle of the wedge in the figure, rad.
    h : float
        The two motions in the figure start at h and −h.
    angles : int
        Number of angles in the table.

    References
    ----------
    Bastien, Bernardin, Lamarque (2013), §1.3.2.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.solutions(ss.Corner(angle=2.4)).summary["command"]
    'solutions'
    """

    kind: ClassVar[str] = "corner"

    angle: Number = 2.4
    h: Number = 0.05
    angles: int = 720
    title: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict, repr=False)
    folder: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        set_numbers(self, "angle", "h")
        set_fields(self, angles=whole("angles", self.angles, 2))

    def _table(self, given: Given) -> dict[str, Any]:
        return {"angle": self.angle, "h": self.h, "angles": self.angles}

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        return dict(table)


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Schatzman(Model):
    """Schatzman's problem, a smooth force for which there are two motions: see `solutions`.

    Parameters
    ----------
    early, late : float
        The parameters p > q of the bump function exp(−p/s − q/(1 − s)).
    speed : float
        Speed after the last impact, m/s.
    bounces : int
        Number of impacts that are listed and verified.

    References
    ----------
    Schatzman (1978); Bastien, Bernardin, Lamarque (2013), §1.3.2.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.solutions(ss.Schatzman(bounces=10)).summary["command"]
    'solutions'
    """

    kind: ClassVar[str] = "schatzman"

    early: Number = 2.0
    late: Number = 0.5
    speed: Number = 1.0
    bounces: int = 60
    title: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict, repr=False)
    folder: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        set_numbers(self, "early", "late", "speed")
        set_fields(self, bounces=whole("bounces", self.bounces, 1))

    def _table(self, given: Given) -> dict[str, Any]:
        return {"early": self.early, "late": self.late, "speed": self.speed, "bounces": self.bounces}

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        return dict(table)

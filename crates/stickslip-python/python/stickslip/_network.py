"""Networks of masses, springs, dashpots and dry-friction elements along one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ._arguments import Number, Numbers, described, flag, number, numbers, text, unmasked
from ._errors import InputError, suggesting, suggesting_class
from ._laws import Law, from_table, law
from ._machine import Controller, Gear, Stop, read_controller, read_gear, read_stop
from ._matrices import assembled
from ._model import Model, set_fields, signal_or_none, title_of, without_none
from ._signals import Given, Signal, SignalLike, from_tables, signal


@dataclass(frozen=True)
class Node:
    """A node of a network: see `node`."""

    name: str
    mass: float
    x0: float = 0.0
    v0: float = 0.0


@dataclass(frozen=True)
class Spring:
    """A spring of a network: see `spring`."""

    between: tuple[str, str]
    stiffness: float | tuple[float, ...] | None
    sine: tuple[float, float] | None = None
    table: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    play: tuple[float, float] | None = None
    name: str | None = None


@dataclass(frozen=True)
class Dashpot:
    """A dashpot of a network: see `dashpot`."""

    between: tuple[str, str]
    damping: float


@dataclass(frozen=True)
class Slider:
    """A dry-friction element of a network: see `slider`."""

    between: tuple[str, str] | None
    static: float | None
    dynamic: float | None = None
    name: str | None = None
    normal: Signal | None = None
    direction: tuple[float, ...] | None = None
    friction: Law | None = None
    support: Signal | None = None
    z0: float | None = None
    normal_from: dict[str, str | float] | None = None


@suggesting
def node(name: str, mass: Number = 0.0, x0: Number = 0.0, v0: Number = 0.0) -> Node:
    """A node of a network.

    Parameters
    ----------
    name : str
        Name of the node; ``"ground"`` is reserved.
    mass : float
        ≥ 0, kg; a node may have no mass. In a rotating network, the moment of inertia, kg·m².
    x0, v0 : float
        Displacement (m) and velocity (m/s) at t = 0.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.node("a", 2.0, x0=0.1).mass
    2.0
    """
    return Node(text("name", name), number("mass", mass), number("x0", x0), number("v0", v0))


def _ends(a: object, b: object) -> tuple[str, str]:
    return text("a", a), text("b", b)


@suggesting
def spring(
    a: str,
    b: str,
    stiffness: Number | Numbers | None = None,
    *,
    sine: tuple[Number, Number] | None = None,
    table: tuple[Numbers, Numbers] | None = None,
    play: tuple[Number, Number] | None = None,
    name: str | None = None,
) -> Spring:
    """A spring between two nodes, or between a node and ``"ground"``.

    Parameters
    ----------
    a, b : str
        Names of nodes; z = x_a − x_b.
    stiffness : float or sequence of float
        k > 0, N/m; or the coefficients k₁, k₂, … of a spring force k₁ z + k₂ z² + …
    sine : tuple of float, optional
        In place of `stiffness`: A (N) and κ (1/m) of a spring force A sin(κ z).
    table : tuple of sequences of float, optional
        In place of `stiffness`: elongations (m, ascending) and the spring force (N) at each. Interpolation and
        extrapolation are linear.
    play : tuple of float, optional
        The elongations (m) between which the spring force is zero.
    name : str, optional
        Name by which the `normal_from` of a slider can refer to the spring.

    Examples
    --------
    Two equal masses joined by a spring oscillate about their midpoint with ω² = 2 k/m:

    >>> import stickslip as ss
    >>> pair = ss.Network(nodes=[ss.node("a", 1.0, x0=0.5), ss.node("b", 1.0, x0=-0.5)], springs=[ss.spring("a", "b", 2.0)])
    >>> float(ss.solve(pair, 3.141592653589793)["x_a"][-1].round(9))
    0.5
    """
    if sum(given is not None for given in (stiffness, sine, table)) != 1:
        raise InputError("a spring has one of `stiffness`, `sine` and `table`; give one of the three")
    ends = _ends(a, b)
    free = None if play is None else _two("play", play, "the elongations where its free travel begins and ends")
    called = None if name is None else text("name", name)
    if sine is not None:
        return Spring(ends, None, _two("sine", sine, "its amplitude and its wave number"), None, free, called)
    if table is not None:
        if not (isinstance(table, (tuple, list)) and len(table) == 2):
            raise InputError(f"`table` is {described(table)}; expected elongations and forces")
        elongation, force = (tuple(numbers(f"table[{i}]", table[i], 1).tolist()) for i in (0, 1))
        return Spring(ends, None, None, (elongation, force), free, called)
    if np.ndim(stiffness) == 0:  # type: ignore[arg-type]
        return Spring(ends, number("stiffness", stiffness), None, None, free, called)
    return Spring(ends, tuple(numbers("stiffness", stiffness, 1).tolist()), None, None, free, called)


def _two(what: str, pair: object, expected: str) -> tuple[float, float]:
    if not (isinstance(pair, (tuple, list)) and len(pair) == 2):
        raise InputError(f"`{what}` is {described(pair)}; expected {expected}")
    return number(f"{what}[0]", pair[0]), number(f"{what}[1]", pair[1])


@suggesting
def dashpot(a: str, b: str, damping: Number) -> Dashpot:
    """A dashpot between two nodes, or between a node and ``"ground"``; `damping` > 0 in N·s/m.

    Examples
    --------
    >>> import stickslip as ss
    >>> slowed = ss.Network(nodes=[ss.node("a", 1.0, v0=1.0)], dashpots=[ss.dashpot("a", "ground", 2.0)])
    >>> float(ss.solve(slowed, 20.0)["x_a"][-1].round(9))
    0.5
    """
    return Dashpot(_ends(a, b), number("damping", damping))


@suggesting
def slider(
    a: str,
    b: str,
    static: Number | None = None,
    dynamic: Number | None = None,
    *,
    name: str | None = None,
    normal: SignalLike | None = None,
    friction: Law | None = None,
    support: SignalLike | None = None,
    z0: Number | None = None,
    normal_from: dict[str, str | float] | None = None,
) -> Slider:
    """A dry-friction element between two nodes, or between a node and ``"ground"``.

    Parameters
    ----------
    a, b : str
        Names of nodes.
    static : float
        Breakaway force, N.
    dynamic : float, optional
        Sliding force, N; by default the same as `static`. `kinetic` is accepted too.
    name : str, optional
        ``s1``, ``s2``, … by default.
    normal : Signal, optional
        Normal force, N. `static` and `dynamic`, or the parameters of the law, are then coefficients of friction.
    friction : Law, optional
        Any law, with or without memory, in place of `static` and `dynamic`. `rate_and_state` needs `normal` or
        `normal_from`. The network is then solved by ``"adaptive"``, or by ``"exact"`` if the friction is constant.
    support : Signal, optional
        Velocity of the surface under the slider, m/s.
    z0 : float, optional
        For a law with memory: initial deflection of the bristle, m; for `rate_and_state` the initial age of the
        contact, s.
    normal_from : dict, optional
        The part whose force presses the slider: ``{"spring": name}`` or, for a soft stop, ``{"stop": name}``, with an
        optional ``"factor"`` (default 1). This force is added to `normal`; a negative sum counts as zero.

    Examples
    --------
    >>> import stickslip as ss
    >>> block = ss.Network(nodes=[ss.node("a", 1.0, v0=2.0)], sliders=[ss.slider("a", "ground", 0.5)])
    >>> float(ss.solve(block, 9.0)["x_a"][-1])
    4.0
    """
    if (static is None) == (friction is None):
        raise InputError("a slider has either `static` and `dynamic`, or `friction`; give one of the two")
    if friction is not None and dynamic is not None:
        raise InputError("`dynamic` was given with `friction`; leave it out, the law has its own")
    return Slider(
        _ends(a, b),
        None if static is None else number("static", static),
        None if dynamic is None else number("dynamic", dynamic),
        None if name is None else text("name", name),
        signal_or_none("normal", normal),
        friction=None if friction is None else law("friction", friction),
        support=signal_or_none("support", support),
        z0=None if z0 is None else number("z0", z0),
        normal_from=None if normal_from is None else _press(normal_from),
    )


def _press(given: object) -> dict[str, str | float]:
    if not isinstance(given, Mapping):
        raise InputError(f'`normal_from` is {described(given)}; expected a dictionary such as {{"spring": "k", "factor": 1.0}}')
    return dict(given)


def _on(name: str, value: object) -> dict[str, Signal]:
    if not isinstance(value, Mapping):
        raise InputError(f"`{name}` is {described(value)}; expected a dictionary from names of nodes to signals")
    return {text(f"a key of {name}", k): signal(f"{name}[{k!r}]", v) for k, v in value.items()}


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Network(Model):
    """Masses, springs, dashpots and dry-friction elements along one line, or about one axis.

    Parameters
    ----------
    nodes : sequence of Node
        ``node(name, mass, x0, v0)``.
    springs, dashpots, sliders : sequence
        ``spring(a, b, stiffness)``, ``dashpot(a, b, damping)``, ``slider(a, b, static, dynamic)``.
    stops, gears, controllers : sequence
        ``stop(a, b, lower=…, upper=…)``, ``gear(a, b, ratio)``, ``controller(of, on, proportional=…)``. A network with
        such parts is called a machine. ``"exact"`` or ``"adaptive"`` solves it, or in time steps ``"implicit-euler"``
        or ``"theta"``.
    forces : dict of str to Signal
        Forces on nodes, N.
    motions : dict of str to Signal
        Prescribed displacements of nodes, m.
    matrices : dict, optional
        ``mass`` (kg), ``damping`` (N·s/m) and ``stiffness`` (N/m) as symmetric matrices in the order of the nodes. They
        are added to the matrices of the parts: see `from_matrices`.
    rotation : bool
        Whether the network rotates about an axis. Masses are then moments of inertia (kg·m²), m becomes rad and N
        becomes N·m. A normal force stays in N, so a coefficient of it is a lever arm in m.
    title : str, optional
        Title of the figures.

    Examples
    --------
    >>> import stickslip as ss
    >>> net = ss.Network(
    ...     nodes=[ss.node("a", 1.0)],
    ...     springs=[ss.spring("a", "ground", 3.0)],
    ...     sliders=[ss.slider("a", "ground", 1.2, 1.0)],
    ...     forces={"a": ss.harmonic(2.0, 1.0)},
    ... )
    >>> ss.solve(net, t_end=10, scheme="exact").columns
    ('x_a', 'v_a', 'friction_s1')
    """

    kind: ClassVar[str] = "network"

    nodes: Sequence[Node]
    springs: Sequence[Spring] = ()
    dashpots: Sequence[Dashpot] = ()
    sliders: Sequence[Slider] = ()
    stops: Sequence[Stop] = ()
    gears: Sequence[Gear] = ()
    controllers: Sequence[Controller] = ()
    forces: Mapping[str, SignalLike] = field(default_factory=dict)
    motions: Mapping[str, SignalLike] = field(default_factory=dict)
    matrices: Mapping[str, Any] = field(default_factory=dict)
    rotation: bool = False
    title: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict, repr=False)
    folder: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        parts = {"nodes": Node, "springs": Spring, "dashpots": Dashpot, "sliders": Slider}
        parts |= {"stops": Stop, "gears": Gear, "controllers": Controller}
        for name, kind in parts.items():
            found = getattr(self, name)
            if not isinstance(found, (list, tuple)) or not all(isinstance(p, kind) for p in found):
                made = name.rstrip("s")
                raise InputError(f"`{name}` is {described(found)}; expected a list of {made}(…)")
            set_fields(self, **{name: tuple(found)})
        set_fields(self, forces=_on("forces", self.forces), motions=_on("motions", self.motions))
        set_fields(self, matrices=_rows(self.matrices), title=title_of(self.title), rotation=flag("rotation", self.rotation))
        self._checked.check()

    def _table(self, given: Given) -> dict[str, Any]:
        table: dict[str, Any] = {"rotation": True} if self.rotation else {}
        table["node"] = [_node_table(n, self.rotation) for n in self.nodes]
        table["spring"] = [_spring_table(s) for s in self.springs]
        table["dashpot"] = [{"between": list(d.between), "damping": d.damping} for d in self.dashpots]
        table["slider"] = [_slider_table(s, given) for s in self.sliders]
        table |= {"stop": [s._table(given) for s in self.stops], "gear": [g._table(given) for g in self.gears]}
        table["controller"] = [c._table(given) for c in self.controllers]
        for key, on in (("force", self.forces), ("motion", self.motions)):
            table[key] = [{"on": name, **t} for name, s in on.items() for t in given.tables(signal(name, s))]
        table["matrices"] = {name: [list(row) for row in rows] for name, rows in self.matrices.items()}
        return {k: v for k, v in table.items() if v}

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        rest = dict(table)
        try:
            out: dict[str, Any] = {
                "nodes": [_read_node(dict(t)) for t in rest.pop("node", [])],
                "springs": [_read_spring(dict(t)) for t in rest.pop("spring", [])],
                "dashpots": [_read_dashpot(dict(t)) for t in rest.pop("dashpot", [])],
                "sliders": [_read_slider(dict(t)) for t in rest.pop("slider", [])],
                "stops": [read_stop(dict(t)) for t in rest.pop("stop", [])],
                "gears": [read_gear(dict(t)) for t in rest.pop("gear", [])],
                "controllers": [read_controller(dict(t)) for t in rest.pop("controller", [])],
                "forces": _read_on(rest.pop("force", [])),
                "motions": _read_on(rest.pop("motion", [])),
                "matrices": dict(rest.pop("matrices", {})),
            }
        except (KeyError, TypeError, AttributeError) as e:
            raise InputError(f"a part of `network` is incomplete or of the wrong type: {e}") from None
        return {**out, **rest}

    @classmethod
    def from_matrices(
        cls,
        M: Any,
        C: Any = None,
        K: Any = None,
        contacts: Any = None,
        limits: Any = None,
        *,
        forces: Mapping[Any, SignalLike] | None = None,
        names: Sequence[str] | None = None,
        x0: Numbers | None = None,
        v0: Numbers | None = None,
        title: str | None = None,
    ) -> Network:
        """Makes a network from its assembled matrices: ``M ẍ + C ẋ + K x + friction = forces``.

        Parameters
        ----------
        M : array_like or sparse matrix, shape (n, n) or (n,)
            Mass matrix, kg; symmetric, and positive definite on the nodes with mass.
        C, K : array_like or sparse matrix, shape (n, n), optional
            Damping (N·s/m) and stiffness (N/m) matrices, symmetric. If a matrix is that of springs or dashpots along
            one line (no positive entries off the diagonal, row sums ≥ 0), the network gets these springs or dashpots.
        contacts : sequence or array_like, shape (m, n), optional
            The dry-friction elements. For each, a node (against the ground) or a pair of nodes, by index or name. Or a
            matrix with one row per contact, whose slip is that combination of displacements. If a row is not that of a
            node or a pair of nodes, the displacement at the contact replaces that of the node which has the greatest
            weight and which no other contact touches; its columns are ``x_NAME`` and ``v_NAME`` with the name of the
            contact.
        limits : array_like, shape (m,) or (m, 2)
            Breakaway forces, N; sliding forces in a second column, if they differ.
        forces : dict of int or str to Signal, optional
            Forces on nodes, N.
        names : sequence of str, optional
            Names of the nodes; ``n0``, ``n1``, … by default.
        x0, v0 : array_like, shape (n,), optional
            Displacements (m) and velocities (m/s) at t = 0.
        title : str, optional
            Title of the figures.

        Raises
        ------
        InputError
            If a matrix is not symmetric, or the motion would be undetermined because the mass matrix is singular on the
            nodes with mass or nothing holds a massless node.

        Examples
        --------
        >>> import stickslip as ss
        >>> M, K = [1.0, 1.0], [[2.0, -1.0], [-1.0, 1.0]]  # two masses in a row, the first on a spring to the ground
        >>> row = ss.Network.from_matrices(M, None, K, contacts=[0], limits=[0.5], forces={1: ss.harmonic(1.0, 0.7)})
        >>> [node.name for node in row.nodes], len(row.springs), len(row.sliders)
        (['n0', 'n1'], 2, 1)
        """
        found = assembled(M, C, K, contacts, limits, forces=forces or {}, names=names, x0=x0, v0=v0)
        return Network(
            nodes=[Node(*node) for node in found.nodes],
            springs=[Spring(*spring) for spring in found.springs],
            dashpots=[Dashpot(*dashpot) for dashpot in found.dashpots],
            sliders=[Slider(pair, s, d, direction=along) for (pair, along), (s, d) in zip(found.contacts, found.limits)],
            forces=found.forces,
            matrices=found.matrices,
            title=title,
        )


def _rows(matrices: object) -> dict[str, tuple[tuple[float, ...], ...]]:
    if not isinstance(matrices, Mapping):
        raise InputError(f"`matrices` is {described(matrices)}; expected a dictionary of mass, damping and stiffness")
    unknown = set(matrices) - {"mass", "damping", "stiffness"}
    if unknown:
        raise InputError(f"`matrices` has {sorted(unknown)}; expected mass, damping and stiffness")
    try:
        given = {k: np.asarray(unmasked(v), dtype=np.float64) for k, v in matrices.items()}
    except (TypeError, ValueError):
        raise InputError("`matrices` holds something that is not a matrix of numbers") from None
    full = {k: np.diag(v) if v.ndim == 1 else v for k, v in given.items()}
    return {k: tuple(tuple(row) for row in v.tolist()) for k, v in full.items()}


def _node_table(n: Node, rotation: bool) -> dict[str, Any]:
    table: dict[str, Any] = {"name": n.name, "inertia" if rotation else "mass": n.mass}
    if n.x0 != 0.0:
        table["displacement"] = n.x0
    if n.v0 != 0.0:
        table["velocity"] = n.v0
    return table


def _read_node(t: dict[str, Any]) -> Node:
    mass = t.pop("inertia") if "inertia" in t else t.pop("mass", 0.0)
    return node(t.pop("name"), mass, t.pop("displacement", 0.0), t.pop("velocity", 0.0), **t)


def _spring_table(s: Spring) -> dict[str, Any]:
    table: dict[str, Any] = without_none(name=s.name) | {"between": list(s.between)}
    if s.play is not None:
        table["play"] = list(s.play)
    if s.sine is not None:
        return table | {"sine": {"amplitude": s.sine[0], "wave_number": s.sine[1]}}
    if s.table is not None:
        return table | {"table": {"elongation": list(s.table[0]), "force": list(s.table[1])}}
    return table | {"stiffness": list(s.stiffness) if isinstance(s.stiffness, tuple) else s.stiffness}


def _read_spring(t: dict[str, Any]) -> Spring:
    a, b = t.pop("between")
    if "sine" in t:
        t["sine"] = (t["sine"]["amplitude"], t["sine"]["wave_number"])
    if "table" in t:
        t["table"] = (t["table"]["elongation"], t["table"]["force"])
    return spring(a, b, **t)


def _read_dashpot(t: dict[str, Any]) -> Dashpot:
    a, b = t.pop("between")
    return dashpot(a, b, **t)


def _slider_table(s: Slider, given: Given) -> dict[str, Any]:
    table: dict[str, Any] = without_none(name=s.name)
    if s.between is not None:
        table["between"] = list(s.between)
    else:
        table["direction"] = list(s.direction or ())
    table |= without_none(static=s.static, dynamic=s.dynamic, z=s.z0)
    if s.friction is not None:
        table["friction"] = s.friction.document
    if s.normal is not None:
        table["normal"] = given.tables(s.normal)
    if s.support is not None:
        table["support"] = given.tables(s.support)
    if s.normal_from is not None:
        table["normal_from"] = dict(s.normal_from)
    return table


def _read_slider(t: dict[str, Any]) -> Slider:
    for name in ("normal", "support"):
        if name in t:
            t[name] = from_tables(name, t[name])
    if "friction" in t:
        t["friction"] = from_table(t["friction"])
        if "direction" in t:
            raise InputError("a slider along a `direction` has a law; in Python such a slider has two forces")
    if "normal_from" in t and "direction" in t:
        raise InputError("a slider along a `direction` has `normal_from`; in Python such a slider has a signal as its normal force")
    if "z" in t:
        t["z0"] = t.pop("z")
    static, dynamic = t.pop("static", None), t.pop("dynamic", None)
    if "direction" in t:
        along = tuple(float(w) for w in t.pop("direction"))
        if static is None:
            raise InputError("a slider along a `direction` has no `static`; expected its breakaway force, in N")
        return Slider(None, number("static", static), dynamic, t.pop("name", None), t.pop("normal", None), along)
    a, b = t.pop("between")
    return slider(a, b, static, dynamic, **t)


def _read_on(tables: list[dict[str, Any]]) -> dict[str, Signal]:
    out: dict[str, Signal] = {}
    for table in tables:
        rest = {k: v for k, v in table.items() if k != "on"}
        found = from_tables("force", [rest])
        out[table["on"]] = out[table["on"]] + found if table["on"] in out else found
    return out

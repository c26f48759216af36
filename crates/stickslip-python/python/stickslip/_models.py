"""Models: what moves. Each is an immutable description that knows its text as a model file."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from . import _laws, _toml
from ._arguments import Number, Numbers, described, number, numbers, text, whole
from ._errors import ARGUMENTS, InputError, suggesting, suggesting_class, suggestion
from ._laws import Law, PythonLaw
from ._signals import SAMPLES, Samples, Signal, SignalLike, from_tables, signal
from ._stickslip import Document

if TYPE_CHECKING:
    from typing_extensions import Self

#: What `[run]` may hold beside the end and the scheme; see `solve`.
_KEPT = 8


def _set(model: object, **values: object) -> None:
    """Sets fields of a frozen dataclass, from its own `__post_init__`."""
    for name, value in values.items():
        object.__setattr__(model, name, value)


class Given:
    """What a text cannot hold: samples in memory and functions, by the names that stand in the text."""

    def __init__(self) -> None:
        self.samples: dict[str, Samples] = {}
        self.functions: dict[str, Any] = {}

    def tables(self, of: Signal) -> list[dict[str, Any]]:
        """The tables of a signal's list."""
        return [self._table(kind, it) for kind, it in of.terms]

    def _table(self, kind: str, it: Any) -> dict[str, Any]:
        if kind == SAMPLES:
            name = f"samples-{len(self.samples) + 1}"
            self.samples[name] = it
            return {"sampled": {"file": name, "time": "t", "value": "x"}}
        if kind == "function":
            name = f"function-{len(self.functions) + 1}"
            f, breakpoints, bounds = it
            self.functions[name] = (f, list(breakpoints), list(bounds))
            return {"sampled": {"file": name, "time": "t", "value": "x"}}
        return {kind: it}


class Model:
    """A model of any kind. It does not change: `replace` makes another one.

    A model that was read from a file keeps what the file says about the run: `solve` takes the end, the scheme and
    the rest from there unless they are given.
    """

    #: Its table in a model file.
    kind: ClassVar[str]
    title: str | None
    #: `[run]` of the file it was read from.
    run: Mapping[str, Any]
    #: The folder that the names of files in it are relative to.
    folder: str

    def _table(self, given: Given) -> dict[str, Any]:
        """The model's table in a model file."""
        raise NotImplementedError

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of the model whose table this is."""
        raise NotImplementedError

    def _document(self, given: Given) -> dict[str, Any]:
        document: dict[str, Any] = {} if self.title is None else {"title": self.title}
        document[self.kind] = self._table(given)
        if self.run:
            document["run"] = dict(self.run)
        return document

    @functools.cached_property
    def _checked(self) -> Document:
        """The document as the library reads it; made once."""
        given = Given()
        document = _toml.dumps(self._document(given))
        samples = {name: (s.time, s.value) for name, s in given.samples.items()}
        friction = getattr(self, "friction", None)
        laws = {}
        if isinstance(friction, PythonLaw):
            laws["python"] = (friction.force, friction.slope, friction.limit)
        return Document(ARGUMENTS, document, self.folder, samples, {}, given.functions, laws)

    @functools.cached_property
    def _problems(self) -> dict[Any, Any]:
        """Problems that were read lately, by the settings of their runs."""
        return {}

    def _problem(self, settings: tuple[tuple[str, Any], ...]) -> Any:
        """The checked problem under these settings of `[run]`."""
        problems = self._problems
        found = problems.get(settings)
        if found is None:
            found = self._checked.read(dict(settings))
            while len(problems) >= _KEPT:
                problems.pop(next(iter(problems)), None)
            problems[settings] = found
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        _set(self, **state)

    def replace(self, **changes: Any) -> Self:
        """The same model with other arguments.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Impact(mass=1, restitution=0.9, wall=0).replace(restitution=0.5).restitution
        0.5
        """
        known = [f.name for f in dataclasses.fields(self)]  # type: ignore[arg-type]
        for name in changes:
            if name not in known:
                raise InputError(f"{type(self).__name__} has no `{name}`{suggestion(name, known)}")
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def to_dict(self) -> dict[str, Any]:
        """The model as the document of a model file: nested dictionaries.

        Samples in memory stand in it as ``{"samples": Samples}``.
        """

        class Kept(Given):
            def _table(self, kind: str, it: Any) -> dict[str, Any]:
                return {kind: it}

        return self._document(Kept())

    def to_toml(self, file: str | os.PathLike[str] | None = None) -> str:
        """The model as the text of a model file.

        Parameters
        ----------
        file : path-like, optional
            Where to write it. Samples that are held in memory are written beside it, each to a CSV file of its own.

        Returns
        -------
        str
            The text. `load` makes the same model of it.

        Raises
        ------
        InputError
            If the model holds a Python function, or samples in memory and `file` is not given.
        """
        given = Given()
        document = self._document(given)
        if given.functions or isinstance(getattr(self, "friction", None), PythonLaw):
            raise InputError("a model with a Python function has no text: sample the function, or pickle the model")
        if file is None:
            if given.samples:
                raise InputError("the model holds samples in memory; pass file=, and they are written beside that file")
            return _toml.dumps(document)
        path = FilePath(file)
        names = {name: f"{path.stem}-{name}.csv" for name in given.samples}
        for table in _tables_of(document[self.kind]):
            it = table.get("sampled")
            if it and it["file"] in names:
                it["file"] = names[it["file"]]
        for name, samples in given.samples.items():
            samples_to_csv(path.parent / names[name], samples)
        written = _toml.dumps(document)
        path.write_text(written, encoding="utf-8", newline="\n")
        return written

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(repr(self))}</pre>"


def _tables_of(it: Any) -> list[dict[str, Any]]:
    """Every table inside a document's table."""
    if isinstance(it, dict):
        return [it, *(t for v in it.values() for t in _tables_of(v))]
    if isinstance(it, list):
        return [t for v in it for t in _tables_of(v)]
    return []


def samples_to_csv(path: FilePath, samples: Samples) -> None:
    """Writes samples so that they read back to the same numbers."""
    if samples.time[0] != 0.0:
        raise InputError(
            f"samples begin at t = {samples.time[0]!r} s; in a model file times count from the first row, so they "
            "must begin at 0 to be written"
        )
    rows = zip(samples.time.tolist(), samples.value.tolist())
    lines = ["t,x\n", *(f"{t!r},{x!r}\n" for t, x in rows)]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def _signal_or_none(name: str, value: SignalLike | None) -> Signal | None:
    return None if value is None else signal(name, value)


def _title(value: object) -> str | None:
    return None if value is None else text("title", value)


def _without_none(**values: Any) -> dict[str, Any]:
    return {k: v for k, v in values.items() if v is not None}


def _initial(table: dict[str, Any], x0: float, v0: float) -> None:
    if x0 != 0.0 or v0 != 0.0:
        table["initial"] = {"displacement": x0, "velocity": v0}


def _started(table: dict[str, Any]) -> dict[str, Any]:
    """The arguments `x0` and `v0` in place of the table `initial`."""
    initial = dict(table.pop("initial", {}))
    out = {"x0": initial.pop("displacement", 0.0), "v0": initial.pop("velocity", 0.0)}
    if initial:
        raise InputError(f"unknown key `initial.{next(iter(initial))}`; expected displacement and velocity")
    return {**table, **out}


def _scalars(model: Any, *names: str) -> None:
    for name in names:
        _set(model, **{name: number(name, getattr(model, name))})


def _set_signals(model: Any, *names: str) -> None:
    for name in names:
        _set(model, **{name: _signal_or_none(name, getattr(model, name))})


def _lists(model: Any, given: Given, *names: str) -> dict[str, Any]:
    found = ((n, getattr(model, n)) for n in names)
    return {n: given.tables(s) for n, s in found if s is not None}


@suggesting_class
@dataclass(frozen=True, eq=False)
class Stops:
    """What stands in the way of an oscillator on either side: rigid stops, or soft ones.

    Parameters
    ----------
    lower, upper : float, optional
        Positions, m; one at least.
    restitution : float, optional
        0 … 1: the stops are rigid.
    stiffness, damping : float, optional
        N/m and N·s/m: the stops are soft.
    """

    lower: float | None = None
    upper: float | None = None
    restitution: float | None = None
    stiffness: float | None = None
    damping: float | None = None

    def __post_init__(self) -> None:
        for name, value in self._given().items():
            _set(self, **{name: number(name, value)})

    def _given(self) -> dict[str, Any]:
        return _without_none(**{f.name: getattr(self, f.name) for f in dataclasses.fields(self)})


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Oscillator(Model):
    """One mass on a spring, rubbing on a support.

    ``m ẍ + F(ẋ − v_s) = K (d(t) − x) − c ẋ + f(t)``, F the dry friction.

    Parameters
    ----------
    mass : float
        m > 0, kg.
    stiffness : float or sequence of float
        K ≥ 0, N/m; or k₁, k₂, … of the spring force k₁ z + k₂ z² + …, z = x − d.
    friction : Law
        The friction of the contact, such as ``static_dynamic(1.2, 1.0)``.
    damping, quadratic_damping : float
        c ≥ 0, N·s/m, and c₂ ≥ 0, N·s²/m².
    bearing_stiffness : float, optional
        K_BP > 0, N/m: adds the displacement z = x + K(d − x)/K_BP.
    drive : Signal, optional
        d(t), displacement of the spring's far end, m.
    force : Signal, optional
        f(t), force on the mass, N.
    support : Signal, optional
        v_s(t), velocity of the rubbing support, m/s.
    normal : Signal, optional
        Normal force, N: then the numbers of the law are coefficients.
    stops : Stops, optional
        What stands in the way.
    x0, v0 : float
        Displacement (m) and velocity (m/s) at t = 0.
    title : str, optional
        Heading of figures.

    Examples
    --------
    >>> import stickslip as ss
    >>> shaw = ss.Oscillator(
    ...     mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.harmonic(6.0, 0.5), x0=6.0
    ... )
    >>> len(ss.solve(shaw, t_end=40).events)
    10
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
    stops: Stops | None = None
    x0: Number = 0.0
    v0: Number = 0.0
    title: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict, repr=False)
    folder: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        _scalars(self, "mass", "damping", "quadratic_damping", "x0", "v0")
        _set_signals(self, "drive", "force", "support", "normal")
        if np.ndim(self.stiffness) == 0:  # type: ignore[arg-type]
            _scalars(self, "stiffness")
        else:
            _set(self, stiffness=tuple(numbers("stiffness", self.stiffness, 1).tolist()))
        if self.bearing_stiffness is not None:
            _scalars(self, "bearing_stiffness")
        stops = Stops(**self.stops) if isinstance(self.stops, Mapping) else self.stops
        if not (stops is None or isinstance(stops, Stops)):
            raise InputError(f"`stops` is {described(stops)}; expected Stops(…)")
        _set(self, friction=_laws.law("friction", self.friction), stops=stops, title=_title(self.title))
        self._checked.check()

    def _table(self, given: Given) -> dict[str, Any]:
        stiffness = list(self.stiffness) if isinstance(self.stiffness, tuple) else self.stiffness
        table: dict[str, Any] = {"mass": self.mass, "stiffness": stiffness, "damping": self.damping}
        if self.quadratic_damping != 0.0:
            table["quadratic_damping"] = self.quadratic_damping
        table |= _without_none(bearing_stiffness=self.bearing_stiffness)
        table["friction"] = self.friction.document
        table |= _lists(self, given, "drive", "force", "support", "normal")
        if self.stops is not None:
            table["stops"] = self.stops._given()
        _initial(table, float(self.x0), float(self.v0))
        return table

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        out = _started(dict(table))
        if "friction" in out:
            out["friction"] = _laws.from_table(out["friction"])
        return _read_signals(out, "drive", "force", "support", "normal")


def _read_signals(table: dict[str, Any], *names: str) -> dict[str, Any]:
    return {k: from_tables(k, v) if k in names else v for k, v in table.items()}


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Cascade(Model):
    """One mass held by springs and dry-friction elements in a row.

    Parameters
    ----------
    mass : float
        > 0, kg.
    stiffness : array_like, shape (n + 1,)
        k₀ … kₙ > 0, N/m.
    threshold : array_like, shape (n,)
        α₁ … αₙ ≥ 0, N.
    prestress : array_like, shape (n,), optional
        Friction of the elements at t = 0, N.
    force : Signal, optional
        f(t), force on the mass, N.
    displacement : Signal, optional
        x(t) of the mass, m, for the quasi-static scheme.
    x0, v0 : float
        Displacement (m) and velocity (m/s) at t = 0.
    title : str, optional
        Heading of figures.
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
        _scalars(self, "mass", "x0", "v0")
        for name in ("stiffness", "threshold", "prestress"):
            if getattr(self, name) is not None:
                _set(self, **{name: tuple(numbers(name, getattr(self, name)).tolist())})
        _set_signals(self, "force", "displacement")
        _set(self, title=_title(self.title))
        self._checked.check()

    def _table(self, given: Given) -> dict[str, Any]:
        table: dict[str, Any] = {
            "mass": self.mass,
            "stiffness": list(self.stiffness),
            "threshold": list(self.threshold),
        }
        if self.prestress is not None:
            table["prestress"] = list(self.prestress)
        table |= _lists(self, given, "force", "displacement")
        _initial(table, float(self.x0), float(self.v0))
        return table

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        return _read_signals(_started(dict(table)), "force", "displacement")


@suggesting_class
@dataclass(frozen=True, eq=False)
class Penalty:
    """What the schemes ``spring`` and ``yosida`` put in front of a wall.

    Parameters
    ----------
    stiffness : float, optional
        Of the spring, N/m.
    engagement, slack : float, optional
        Distances from the wall at which the spring engages and is slack, m.
    lambda_ : float, optional
        λ of ``yosida``, m/N.
    """

    stiffness: float | None = None
    engagement: float | None = None
    slack: float | None = None
    lambda_: float | None = None

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):
            if getattr(self, f.name) is not None:
                _set(self, **{f.name: number(f.name, getattr(self, f.name))})

    def _given(self) -> dict[str, Any]:
        names = (f.name for f in dataclasses.fields(self))
        return _without_none(**{n.rstrip("_"): getattr(self, n) for n in names})


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Impact(Model):
    """One mass between walls, x ≥ wall and x ≤ upper_wall.

    Parameters
    ----------
    mass : float
        > 0, kg.
    restitution : float
        0 … 1: speed after an impact over speed before.
    wall, upper_wall : Signal or float, optional
        Positions of the walls, m; one at least.
    stiffness, damping : float
        Of a spring to x = 0, N/m and N·s/m.
    penalty : Penalty, optional
        What the schemes ``spring`` and ``yosida`` put in front of the walls.
    force : Signal, optional
        Force on the mass, N.
    x0, v0 : float
        Displacement (m) and velocity (m/s) at t = 0.
    title : str, optional
        Heading of figures.

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
        _scalars(self, "mass", "restitution", "stiffness", "damping", "x0", "v0")
        _set_signals(self, "wall", "upper_wall", "force")
        penalty = self.penalty
        if isinstance(penalty, Mapping):
            penalty = Penalty(**{("lambda_" if k == "lambda" else k): v for k, v in penalty.items()})
        if not (penalty is None or isinstance(penalty, Penalty)):
            raise InputError(f"`penalty` is {described(penalty)}; expected Penalty(…)")
        _set(self, penalty=penalty, title=_title(self.title))
        self._checked.check()

    def _table(self, given: Given) -> dict[str, Any]:
        table: dict[str, Any] = {"mass": self.mass, "stiffness": self.stiffness, "damping": self.damping}
        table["restitution"] = self.restitution
        if self.penalty is not None:
            table["penalty"] = self.penalty._given()
        table |= _lists(self, given, "wall", "upper_wall", "force")
        _initial(table, float(self.x0), float(self.v0))
        return table

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        return _read_signals(_started(dict(table)), "wall", "upper_wall", "force")


# --- Networks --------------------------------------------------------------------------------------


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
    stiffness: float


@dataclass(frozen=True)
class Dashpot:
    """A dashpot of a network: see `dashpot`."""

    between: tuple[str, str]
    damping: float


@dataclass(frozen=True)
class Slider:
    """A dry-friction element of a network: see `slider`."""

    between: tuple[str, str]
    static: float
    dynamic: float | None = None
    name: str | None = None
    normal: Signal | None = None


@suggesting
def node(name: str, mass: Number = 0.0, x0: Number = 0.0, v0: Number = 0.0) -> Node:
    """A node of a network.

    Parameters
    ----------
    name : str
        Its name; ``"ground"`` is taken.
    mass : float
        ≥ 0, kg; a node may have no mass.
    x0, v0 : float
        Displacement (m) and velocity (m/s) at t = 0.
    """
    return Node(text("name", name), number("mass", mass), number("x0", x0), number("v0", v0))


def _ends(a: object, b: object) -> tuple[str, str]:
    return text("a", a), text("b", b)


@suggesting
def spring(a: str, b: str, stiffness: Number) -> Spring:
    """A spring between two nodes, or between a node and ``"ground"``; `stiffness` > 0 in N/m."""
    return Spring(_ends(a, b), number("stiffness", stiffness))


@suggesting
def dashpot(a: str, b: str, damping: Number) -> Dashpot:
    """A dashpot between two nodes, or between a node and ``"ground"``; `damping` > 0 in N·s/m."""
    return Dashpot(_ends(a, b), number("damping", damping))


@suggesting
def slider(
    a: str,
    b: str,
    static: Number,
    dynamic: Number | None = None,
    *,
    name: str | None = None,
    normal: SignalLike | None = None,
) -> Slider:
    """A dry-friction element between two nodes, or between a node and ``"ground"``.

    Parameters
    ----------
    a, b : str
        Names of nodes.
    static : float
        Breakaway force, N.
    dynamic : float, optional
        Sliding force, N; the same as `static` if it is left out.
    name : str, optional
        ``s1``, ``s2``, … if it is left out.
    normal : Signal, optional
        Normal force, N: then `static` and `dynamic` are coefficients.
    """
    return Slider(
        _ends(a, b),
        number("static", static),
        None if dynamic is None else number("dynamic", dynamic),
        None if name is None else text("name", name),
        _signal_or_none("normal", normal),
    )


def _on(name: str, value: object) -> dict[str, Signal]:
    if not isinstance(value, Mapping):
        raise InputError(f"`{name}` is {described(value)}; expected a dictionary from names of nodes to signals")
    return {text(f"a key of {name}", k): signal(f"{name}[{k!r}]", v) for k, v in value.items()}


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Network(Model):
    """Masses, springs, dashpots and dry-friction elements along one line.

    Parameters
    ----------
    nodes : sequence of Node
        ``node(name, mass, x0, v0)``.
    springs, dashpots, sliders : sequence
        ``spring(a, b, stiffness)``, ``dashpot(a, b, damping)``, ``slider(a, b, static, dynamic)``.
    forces : dict of str to Signal
        Forces on nodes, N.
    motions : dict of str to Signal
        Prescribed displacements of nodes, m.
    title : str, optional
        Heading of figures.

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
    forces: Mapping[str, SignalLike] = field(default_factory=dict)
    motions: Mapping[str, SignalLike] = field(default_factory=dict)
    title: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict, repr=False)
    folder: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        parts = {"nodes": Node, "springs": Spring, "dashpots": Dashpot, "sliders": Slider}
        for name, kind in parts.items():
            found = getattr(self, name)
            if not isinstance(found, (list, tuple)) or not all(isinstance(p, kind) for p in found):
                made = name.rstrip("s")
                raise InputError(f"`{name}` is {described(found)}; expected a list of {made}(…)")
            _set(self, **{name: tuple(found)})
        _set(self, forces=_on("forces", self.forces), motions=_on("motions", self.motions))
        _set(self, title=_title(self.title))
        self._checked.check()

    def _table(self, given: Given) -> dict[str, Any]:
        table: dict[str, Any] = {}
        table["node"] = [_node_table(n) for n in self.nodes]
        table["spring"] = [{"between": list(s.between), "stiffness": s.stiffness} for s in self.springs]
        table["dashpot"] = [{"between": list(d.between), "damping": d.damping} for d in self.dashpots]
        table["slider"] = [_slider_table(s, given) for s in self.sliders]
        for key, on in (("force", self.forces), ("motion", self.motions)):
            table[key] = [{"on": name, **t} for name, s in on.items() for t in given.tables(signal(name, s))]
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
                "forces": _read_on(rest.pop("force", [])),
                "motions": _read_on(rest.pop("motion", [])),
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
        """The network whose assembled matrices these are: ``M ẍ + C ẋ + K x + friction = forces``.

        Parameters
        ----------
        M : array_like or sparse matrix, shape (n, n) or (n,)
            Masses, kg; diagonal (lumped).
        C, K : array_like or sparse matrix, shape (n, n), optional
            Damping (N·s/m) and stiffness (N/m): symmetric, no positive entries beside the diagonal, sums of rows
            ≥ 0. What a row's sum leaves holds the node to the ground.
        contacts : sequence or array_like, shape (m, n), optional
            The dry-friction elements: for each a node (against the ground) or a pair of nodes, by their numbers or
            names; or a matrix whose rows hold a 1 at one node and at most one −1 at another.
        limits : array_like, shape (m,) or (m, 2)
            Breakaway forces, N; with a second column the sliding forces.
        forces : dict of int or str to Signal, optional
            Forces on nodes, N.
        names : sequence of str, optional
            Names of the nodes; ``n0``, ``n1``, … without them.
        x0, v0 : array_like, shape (n,), optional
            Displacements (m) and velocities (m/s) at t = 0.
        title : str, optional
            Heading of figures.

        Raises
        ------
        InputError
            If a matrix is none that springs or dashpots along one line make.
        """
        from ._matrices import network

        made: Network = network(
            M, C, K, contacts, limits, forces=forces or {}, names=names, x0=x0, v0=v0, title=title
        )
        return made


def _node_table(n: Node) -> dict[str, Any]:
    table: dict[str, Any] = {"name": n.name, "mass": n.mass}
    if n.x0 != 0.0:
        table["displacement"] = n.x0
    if n.v0 != 0.0:
        table["velocity"] = n.v0
    return table


def _read_node(t: dict[str, Any]) -> Node:
    return node(t.pop("name"), t.pop("mass"), t.pop("displacement", 0.0), t.pop("velocity", 0.0), **t)


def _read_spring(t: dict[str, Any]) -> Spring:
    a, b = t.pop("between")
    return spring(a, b, **t)


def _read_dashpot(t: dict[str, Any]) -> Dashpot:
    a, b = t.pop("between")
    return dashpot(a, b, **t)


def _slider_table(s: Slider, given: Given) -> dict[str, Any]:
    table: dict[str, Any] = _without_none(name=s.name)
    table |= {"between": list(s.between), "static": s.static} | _without_none(dynamic=s.dynamic)
    if s.normal is not None:
        table["normal"] = given.tables(s.normal)
    return table


def _read_slider(t: dict[str, Any]) -> Slider:
    if "normal" in t:
        t["normal"] = from_tables("normal", t["normal"])
    (a, b), static = t.pop("between"), t.pop("static")
    return slider(a, b, static, t.pop("dynamic", None), **t)


def _read_on(tables: list[dict[str, Any]]) -> dict[str, Signal]:
    out: dict[str, Signal] = {}
    for table in tables:
        rest = {k: v for k, v in table.items() if k != "on"}
        found = from_tables("force", [rest])
        out[table["on"]] = out[table["on"]] + found if table["on"] in out else found
    return out


# --- Ill-posed problems, for `solutions` -----------------------------------------------------------


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Corner(Model):
    """A point sent into the corner of a wedge between two elastic walls: see `solutions`.

    Parameters
    ----------
    angle : float
        The wedge that is drawn, rad.
    h : float
        The two motions that are drawn start at h and −h.
    angles : int
        Angles of the table.
    """

    kind: ClassVar[str] = "corner"

    angle: Number = 2.4
    h: Number = 0.05
    angles: int = 720
    title: str | None = None
    run: Mapping[str, Any] = field(default_factory=dict, repr=False)
    folder: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        _scalars(self, "angle", "h")
        _set(self, angles=whole("angles", self.angles, 2))

    def _table(self, given: Given) -> dict[str, Any]:
        return {"angle": self.angle, "h": self.h, "angles": self.angles}

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        return dict(table)


@suggesting_class
@dataclass(frozen=True, eq=False, kw_only=True)
class Schatzman(Model):
    """Schatzman's smooth force with two solutions: see `solutions`.

    Parameters
    ----------
    early, late : float
        p > q of the bump exp(−p/s − q/(1 − s)).
    speed : float
        Speed after the last impact, m/s.
    bounces : int
        Impacts that are listed and verified.
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
        _scalars(self, "early", "late", "speed")
        _set(self, bounces=whole("bounces", self.bounces, 1))

    def _table(self, given: Given) -> dict[str, Any]:
        return {"early": self.early, "late": self.late, "speed": self.speed, "bounces": self.bounces}

    @classmethod
    def _from_table(cls, table: Mapping[str, Any]) -> dict[str, Any]:
        return dict(table)


KINDS: dict[str, type[Model]] = {
    kind.kind: kind for kind in (Oscillator, Cascade, Network, Impact, Corner, Schatzman)
}

"""Signals: functions of time and noise, which can be added with ``+``."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np

from . import _plots
from ._arguments import LARGE, Array, Number, Numbers, Times, choice, described, number, numbers, seconds, text, whole
from ._errors import ARGUMENTS, InputError, suggesting
from ._stickslip import Document, check_parts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What stands in a document for samples that are held in memory: the library asks for them by this name.
SAMPLES = "samples"


class Samples:
    """Times (s) and values of a sampled signal in memory. With `hold` ``"zero"`` each value is kept until the next."""

    __slots__ = ("hold", "time", "value")

    def __init__(self, time: Array, value: Array, hold: str = "linear") -> None:
        self.time, self.value, self.hold = time, value, hold

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Samples):
            return NotImplemented
        same = np.array_equal(self.time, other.time) and np.array_equal(self.value, other.value)
        return same and self.hold == other.hold

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self.time)} samples>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Samples, (self.time, self.value, self.hold)


class Signal:
    """A function of time or noise: a sum of simple terms.

    The terms are made by `constant`, `ramp`, `step`, `harmonic`, `chirp`, `pulses`, `trapezoids`, `sampled`,
    `function`, `white`, `ornstein_uhlenbeck` and `kanai_tajimi`, and are added with ``+``. A plain number stands for a
    constant.

    Examples
    --------
    >>> import stickslip as ss
    >>> pull = ss.ramp(1.0) + 2 * ss.harmonic(0.5, 3.0) + 0.1
    >>> pull
    ramp(rate=1.0, offset=0.0) + harmonic(amplitude=1.0, angular_frequency=3.0, phase=0.0) + constant(0.1)

    A signal can be evaluated as a function of time:

    >>> pull(0.0), pull([0.0, 1.0]).round(6)
    (1.1, array([1.1     , 0.110008]))
    """

    __slots__ = ("is_sound", "terms")
    #: numpy's numbers leave the sum to us.
    __array_ufunc__ = None

    def __init__(self, *terms: tuple[str, Any]) -> None:
        self.terms = terms
        # Whether nothing can be wrong with it anywhere: see `Oscillator`.
        self.is_sound = False

    def __add__(self, other: SignalLike) -> Signal:
        try:
            added = signal("the other signal", other)
        except InputError:
            return NotImplemented
        made = Signal(*self.terms, *added.terms)
        made.is_sound = self.is_sound and added.is_sound and len(made.terms) <= _FEW
        return made

    def __radd__(self, other: SignalLike) -> Signal:
        # sum(signals) begins with 0.
        if isinstance(other, int) and not isinstance(other, bool) and other == 0:
            return self
        try:
            return Signal(*signal("the other signal", other).terms, *self.terms)
        except InputError:
            return NotImplemented

    def __call__(self, t: Number | Numbers) -> Any:
        """The value at a time or an array of times (s); at a jump, the value on its right.

        Examples
        --------
        >>> import stickslip as ss
        >>> load = ss.ramp(2.0) + ss.step(1.0, 0.0, 5.0)
        >>> load(0.5), load([0.5, 1.0]).tolist()
        (6.0, [6.0, 2.0])
        """
        at = np.asarray(t, dtype=float)
        if any(kind in _NOISES for kind, _ in self.terms):
            raise InputError(f"{self!r} is a noise, which has no value at a time; expected a signal without noise")
        if not np.isfinite(at).all():
            raise InputError(f"`t` is {described(t)}; expected finite times, in s")
        found = np.zeros(at.size)
        for kind, it in self.terms:
            if kind == "function":
                found += [it[0](s) for s in at.ravel().tolist()]
        rest = Signal(*(term for term in self.terms if term[0] != "function"))
        if rest.terms and at.size:
            found += evaluated(rest, np.ascontiguousarray(at.ravel()))
        return found.reshape(at.shape) if at.ndim else float(found[0])

    def plot(self, ax: Axes | None = None, *, to: Number = 10.0) -> Axes:
        """Plots the signal from t = 0 to `to` (s), on `ax` or on new Matplotlib axes.

        Examples
        --------
        >>> import stickslip as ss
        >>> axes = ss.harmonic(1.0, 2.0).plot(to=3.0)
        >>> axes.get_xlabel()
        'time (s)'
        """
        at = np.linspace(0.0, number("to", to), 2001)
        return _plots.curve(ax, at, self(at), "time (s)", "signal")

    def __neg__(self) -> Signal:
        return self * -1.0

    def __sub__(self, other: SignalLike) -> Signal:
        try:
            return self + -signal("the other signal", other)
        except InputError:
            return NotImplemented

    def __rsub__(self, other: SignalLike) -> Signal:
        return -self + other

    def __mul__(self, factor: Number) -> Signal:
        by = number("the factor", factor)
        if not math.isfinite(by):
            raise InputError(f"the factor is {by!r}; expected a finite number")
        return Signal(*(_scaled(kind, it, by) for kind, it in self.terms))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Number) -> Signal:
        by = number("the divisor", divisor)
        if by == 0.0:
            raise InputError("the divisor is 0; expected another number")
        return self * (1.0 / by)

    def __eq__(self, other: object) -> bool:
        return self.terms == other.terms if isinstance(other, Signal) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Signal, self.terms

    def __repr__(self) -> str:
        return " + ".join(_written(kind, it) for kind, it in self.terms) or "constant(0.0)"


class Given:
    """What the text of a model cannot hold: samples in memory and functions, by the names used in the text."""

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
            held = {} if it.hold == "linear" else {"hold": it.hold}
            return {"sampled": {"file": name, "time": "t", "value": "x", **held}}
        if kind == "function":
            name = f"function-{len(self.functions) + 1}"
            f, breakpoints, bounds = it
            self.functions[name] = (f, list(breakpoints), list(bounds))
            return {"sampled": {"file": name, "time": "t", "value": "x"}}
        # A copy: names of files in it are changed where it is written elsewhere.
        return {kind: dict(it) if isinstance(it, Mapping) else it}

    def read(
        self,
        document: dict[str, Any],
        folder: str = "",
        laws: dict[str, Any] | None = None,
        loads: dict[str, Any] | None = None,
    ) -> Document:
        """The document of a model as the library reads it, together with what its text cannot hold."""
        samples = {name: (s.time, s.value) for name, s in self.samples.items()}
        return Document(ARGUMENTS, document, folder, samples, {}, self.functions, laws or {}, loads or {})


#: Terms that have no value at a time.
_NOISES = ("white", "ornstein-uhlenbeck", "kanai-tajimi")


def evaluated(known: Signal, times: Array) -> Array:
    """The values of a signal at times, read as a force on a mass."""
    given = Given()
    mass = {"mass": 1.0, "stiffness": 0.0, "friction": {"coulomb": {"force": 0.0}}, "force": given.tables(known)}
    end = max(float(times.max()), 1e-9)
    return given.read({"oscillator": mass}).read({"end": end}).force_at(times)


#: What may be given where a signal is expected: a number is a constant, a list is a sum.
SignalLike = Union[Signal, Number, Sequence[Signal]]


def _written(kind: str, it: Any) -> str:
    name = kind.replace("-", "_")
    if isinstance(it, Mapping):
        return f"{name}({', '.join(f'{k}={v!r}' for k, v in it.items())})"
    if isinstance(it, tuple):
        return f"{name}({', '.join(map(repr, it))})"
    return f"{name}({it!r})"


#: Which numbers of each kind are proportional to its values.
_PROPORTIONAL = {
    "ramp": ("rate", "offset"),
    "step": ("before", "after"),
    "harmonic": ("amplitude",),
    "chirp": ("amplitude",),
    "pulses": ("amplitude", "offset"),
    "trapezoids": ("amplitude", "offset"),
    "sampled": ("scale", "offset"),
    "white": ("intensity",),
    "ornstein-uhlenbeck": ("scale",),
    "kanai-tajimi": ("scale",),
}


def _scaled(kind: str, it: Any, by: float) -> tuple[str, Any]:
    if kind == "constant":
        return kind, it * by
    if kind == SAMPLES:
        return kind, Samples(it.time, it.value * by, it.hold)
    if kind == "function":
        f, breakpoints, bounds = it
        return kind, (_Scaled(f, by), breakpoints, tuple(abs(by) * b for b in bounds))
    if kind == "white" and by <= 0.0:
        raise InputError(f"white noise times {by!r}; expected a factor > 0")
    changed = {k: v * by for k, v in it.items() if k in _PROPORTIONAL[kind]}
    return kind, {**it, **changed}


class _Scaled:
    """A function times a number. Unlike a lambda it can be pickled."""

    def __init__(self, f: Callable[[float], float], by: float) -> None:
        self.f, self.by = f, by

    def __call__(self, t: float) -> float:
        return self.by * self.f(t)


def signal(name: str, value: object) -> Signal:
    """`value` as a signal."""
    if isinstance(value, Signal):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(s, Signal) for s in value):
        return Signal(*(term for s in value for term in s.terms))
    if isinstance(value, (str, bytes, Mapping)) or callable(value):
        hint = "; wrap a function as stickslip.function(f)" if callable(value) else ""
        raise InputError(f"`{name}` is {described(value)}; expected a signal such as harmonic(…), or a number{hint}")
    return constant(number(name, value, "a signal such as harmonic(…), or a number"))


def from_tables(name: str, tables: Any) -> Signal:
    """The signal that a list of a model file's tables describes."""
    if isinstance(tables, (int, float)) and not isinstance(tables, bool):
        return constant(tables)
    if not isinstance(tables, list):
        raise InputError(f"`{name}` is {described(tables)}; expected a list of signals")
    terms = []
    for table in tables:
        if not (isinstance(table, Mapping) and len(table) == 1):
            raise InputError(f"`{name}` holds {described(table)}; expected tables of one key each")
        ((kind, it),) = table.items()
        terms.append((str(kind), dict(it) if isinstance(it, Mapping) else it))
    return Signal(*terms)


#: So many signals of usual size add up to one that is not much larger.
_FEW = 10


def _sound(kind: str, it: Any) -> Signal:
    """A signal that is valid in every place."""
    made = Signal((kind, it))
    made.is_sound = True
    return made


def _checked(kind: str, it: dict[str, Any]) -> Signal:
    """Checks a signal, so that errors are raised where it is made and not where it is used."""
    try:
        check_parts({"oscillator": {"force": [{kind: it}]}})
    except InputError as e:
        # It is in nothing yet.
        said = type(e)(str(e).replace(" in `force`", ""))
        said.help = e.help
        raise said from None
    return Signal((kind, it))


@suggesting
def constant(value: Number) -> Signal:
    """A constant.

    Parameters
    ----------
    value : float
        The value, in the unit of the quantity it is used for, such as m, N or m/s.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.constant(2.0)(7.0)
    2.0
    """
    found = number("value", value)
    if not math.isfinite(found):
        raise InputError(f"`value` is {found!r}; expected a finite number")
    return _sound("constant", found) if abs(found) <= LARGE else Signal(("constant", found))


@suggesting
def ramp(rate: Number, offset: Number = 0.0) -> Signal:
    """A linear function of time, ``offset + rate · t``.

    Parameters
    ----------
    rate : float
        Change per second.
    offset : float
        Value at t = 0.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.ramp(0.5, 1.0)(4.0)
    3.0
    """
    it = {"rate": number("rate", rate), "offset": number("offset", offset)}
    if abs(it["rate"]) <= LARGE and abs(it["offset"]) <= LARGE:
        return _sound("ramp", it)
    return _checked("ramp", it)


@suggesting
def step(time: Number, after: Number, before: Number = 0.0) -> Signal:
    """A jump from `before` to `after` at `time` (s). The jump is an event of the motion.

    Parameters
    ----------
    time : float
        Instant of the jump, s.
    after, before : float
        Values after and before it.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.step(1.0, 5.0)([0.9, 1.0])
    array([0., 5.])
    """
    values = {"time": number("time", time), "before": number("before", before)}
    return _checked("step", {**values, "after": number("after", after)})


@suggesting
def harmonic(amplitude: Number, angular_frequency: Number, phase: Number = 0.0) -> Signal:
    """A harmonic, ``amplitude · cos(angular_frequency · t + phase)``.

    Parameters
    ----------
    amplitude : float
        Amplitude, in the unit of the quantity the signal is used for.
    angular_frequency : float
        ω ≥ 0, rad/s.
    phase : float Phase, rad.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> ss.harmonic(2.0, np.pi)([0.0, 1.0])
    array([ 2., -2.])
    """
    it = {"amplitude": number("amplitude", amplitude)}
    it["angular_frequency"] = number("angular_frequency", angular_frequency)
    it["phase"] = number("phase", phase)
    if 0.0 <= it["angular_frequency"] <= LARGE and abs(it["amplitude"]) <= LARGE and abs(it["phase"]) <= LARGE:
        return _sound("harmonic", it)
    return _checked("harmonic", it)


@suggesting
def chirp(
    amplitude: Number, start: Number, stop: Number, duration: Number, phase: Number = 0.0, sweep: str = "linear"
) -> Signal:
    """A harmonic with a sweep of its frequency: ``amplitude · cos φ(t)`` with φ' = ω(t). ω goes from `start` to `stop`
    within `duration` and then stays constant.

    Parameters
    ----------
    amplitude : float
        Amplitude, in the unit of the quantity the signal is used for.
    start, stop : float
        ω at t = 0 and from t = `duration` on, rad/s; ≥ 0, and > 0 in a logarithmic sweep.
    duration : float
        > 0, s.
    phase : float
        φ at t = 0, rad.
    sweep : {"linear", "logarithmic"}
        Whether ω changes by equal amounts or by equal factors in equal times.

    Notes
    -----
    The motion under a chirp has no closed form. The scheme ``adaptive`` and the time-stepping schemes can solve it.

    Examples
    --------
    From 0 to one revolution per second within 10 s. That makes 5 revolutions, the first of them after √20 s:

    >>> import numpy as np, stickslip as ss
    >>> sweep = ss.chirp(1.0, 0.0, 2 * np.pi, 10.0)
    >>> sweep([0.0, 20**0.5, 10.0]).round(9)
    array([1., 1., 1.])
    """
    it: dict[str, Any] = {"amplitude": number("amplitude", amplitude), "from": number("start", start)}
    it["to"], it["duration"] = number("stop", stop), number("duration", duration)
    it["phase"], it["sweep"] = number("phase", phase), choice("sweep", sweep, ("linear", "logarithmic"))
    return _checked("chirp", it)


def _train(it: dict[str, Any], start: Number, offset: Number, count: int | None) -> dict[str, Any]:
    it["start"], it["offset"] = number("start", start), number("offset", offset)
    if count is not None:
        it["count"] = whole("count", count, 1)
    return it


@suggesting
def pulses(
    amplitude: Number,
    period: Number,
    width: Number,
    *,
    start: Number = 0.0,
    offset: Number = 0.0,
    count: int | None = None,
) -> Signal:
    """A train of pulses with jumps at both edges.

    Parameters
    ----------
    amplitude : float
        Height above `offset`.
    period, width : float
        Period and duration of the pulses, s; 0 < `width` ≤ `period`.
    start : float
        Start of the first one, s.
    offset : float
        Value between the pulses.
    count : int, optional
        Number of pulses, at most 10⁶; by default they continue until the end of the run.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.pulses(2.0, 1.0, 0.25)([0.1, 0.5, 1.1])
    array([2., 0., 2.])
    """
    it = {"amplitude": number("amplitude", amplitude), "period": number("period", period)}
    return _checked("pulses", _train({**it, "width": number("width", width)}, start, offset, count))


@suggesting
def trapezoids(
    amplitude: Number,
    period: Number,
    *,
    rise: Number = 0.0,
    top: Number = 0.0,
    fall: Number = 0.0,
    start: Number = 0.0,
    offset: Number = 0.0,
    count: int | None = None,
) -> Signal:
    """Trapezoidal pulses: each rises within `rise`, stays at the top for `top` and falls within `fall`, once in each
    `period`.

    Parameters
    ----------
    amplitude : float
        Height above `offset`.
    period : float
        Period of the pulses, s.
    rise, top, fall : float
        Durations ≥ 0, s; their sum is > 0 and at most the period. With ``top=0`` the pulses are triangles; ``rise=0``
        or ``fall=0`` is a jump.
    start : float
        Start of the first one, s.
    offset : float
        Value between the pulses.
    count : int, optional
        Number of pulses, at most 10⁶; by default they continue until the end of the run.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.trapezoids(2.0, 4.0, rise=1.0, top=1.0, fall=1.0)([0.5, 1.5, 2.5, 3.5])
    array([1., 2., 1., 0.])
    """
    it = {"amplitude": number("amplitude", amplitude), "period": number("period", period)}
    it["rise"], it["top"], it["fall"] = number("rise", rise), number("top", top), number("fall", fall)
    return _checked("trapezoids", _train(it, start, offset, count))


@suggesting
def sampled(
    time: Times | str,
    value: Numbers | str,
    *,
    file: str | os.PathLike[str] | None = None,
    scale: Number = 1.0,
    offset: Number = 0.0,
    hold: Literal["linear", "zero"] = "linear",
    time_unit: str | None = None,
) -> Signal:
    """A sampled signal, ``scale · value + offset``, interpolated linearly or held between the samples.

    Parameters
    ----------
    time : array_like, shape (n,)
        Increasing times, in seconds of the run or as ``datetime64``, which are counted from the first. With `file`, the
        name of a column, whose times are counted from the first row.
    value : array_like, shape (n,)
        Finite values. With `file`, the name of a column.
    file : path-like, optional
        A CSV file with the two columns, which is read when the model is solved.
    scale, offset : float
        Factor and offset that are applied to the values.
    hold : {"linear", "zero"}
        ``"linear"`` interpolates between the samples. ``"zero"`` keeps each value until the next sample, where the
        signal jumps.
    time_unit : {"s", "min", "h", "d"}, optional
        Unit of numeric times.

    Raises
    ------
    InputError
        If times do not increase, a value is missing, or the lengths differ.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.sampled([0.0, 1.0, 2.0], [0.0, 4.0, 2.0])(1.5)
    3.0
    """
    holds = choice("hold", hold, ("linear", "zero"))
    if file is not None:
        it: dict[str, Any] = {"file": os.fspath(file), "time": text("time", time), "value": text("value", value)}
        it["scale"], it["offset"] = number("scale", scale), number("offset", offset)
        if holds != "linear":
            it["hold"] = holds
        if time_unit is not None:
            it["time_unit"] = text("time_unit", time_unit)
        return Signal(("sampled", it))
    if isinstance(time, str) or isinstance(value, str):
        raise InputError("`time` and `value` are names of columns; pass file= with the file they stand in")
    since, _ = seconds("time", time)
    units = {None: 1.0, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
    if time_unit not in units:
        raise InputError(f"`time_unit` is {described(time_unit)}; expected one of s, min, h, d")
    t, x = since * units[time_unit], numbers("value", value)
    if len(t) != len(x):
        raise InputError(f"`time` holds {len(t)} numbers and `value` {len(x)}; expected as many")
    if len(t) < 2:
        raise InputError(f"`time` holds {len(t)} numbers; expected two or more")
    if not (np.isfinite(t).all() and (np.diff(t) > 0.0).all()):
        row = int(np.flatnonzero(~(np.diff(t) > 0.0))[0]) + 1
        raise InputError(f"`time[{row}]` does not come after the time before it; expected increasing finite times")
    if not np.isfinite(x).all():
        row = int(np.flatnonzero(~np.isfinite(x))[0])
        raise InputError(
            f"`value[{row}]` is {x[row]}; expected a finite number: drop the row, for between samples the signal is linear"
        )
    by, plus = number("scale", scale), number("offset", offset)
    if not (math.isfinite(by) and math.isfinite(plus)):
        raise InputError(f"`scale` is {by!r} and `offset` {plus!r}; expected finite numbers")
    x = x if by == 1.0 else by * x
    x = x if plus == 0.0 else x + plus
    # Copies that nobody else can change: a model stays what it was.
    t, x = t.copy(), x.copy()
    t.flags.writeable = x.flags.writeable = False
    return Signal((SAMPLES, Samples(t, x, holds)))


@suggesting
def function(
    f: Callable[[float], float],
    bounds: tuple[Number, Number, Number],
    *,
    breakpoints: Numbers = (),
) -> Signal:
    """A signal given as a Python function of time.

    It works with ``adaptive`` and the time-stepping schemes, but not with ``exact`` and ``quasi-static``, which need
    closed forms. Each call needs the interpreter's lock and takes about a microsecond, whereas the signals of the
    library take nanoseconds. For long runs sample the function and use `sampled`.

    Parameters
    ----------
    f : callable
        A function from the time (s) to the value. It must always return the same value for the same time, also for
        times slightly beyond the end of the run. To be picklable it must be defined at module level.
    bounds : (float, float, float)
        Bounds on the magnitudes of its first three derivatives between its breakpoints. They must hold, because events
        are found with them.
    breakpoints : array_like, optional
        Increasing times (s) at which the function jumps or has a kink. At a jump it must return the value on the right.

    Returns
    -------
    Signal

    Examples
    --------
    A force t² on a block with a friction of 1 N: it slips from t = 1 s on.

    >>> import stickslip as ss
    >>> pull = ss.function(lambda t: t * t, bounds=(8.0, 2.0, 0.0))
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(1.0), force=pull)
    >>> ss.solve(block, 3.0, "adaptive").events["t"].round(9)
    array([1.])
    """
    if not callable(f):
        raise InputError(f"`f` is {described(f)}; expected a function of time")
    if not (isinstance(bounds, (tuple, list)) and len(bounds) == 3):
        raise InputError(f"`bounds` is {described(bounds)}; expected bounds on the first three derivatives")
    three = tuple(number("bounds", b) for b in bounds)
    if not all(math.isfinite(b) and b >= 0.0 for b in three):
        raise InputError(f"`bounds` is {bounds!r}; expected bounds on magnitudes, finite numbers ≥ 0")
    times = numbers("breakpoints", breakpoints)
    if not (np.isfinite(times).all() and (np.diff(times) > 0.0).all()):
        raise InputError(f"`breakpoints` is {described(breakpoints)}; expected increasing finite times")
    return Signal(("function", (f, tuple(times.tolist()), three)))


@suggesting
def white(intensity: Number) -> Signal:
    """White noise: a force whose impulse over dt is ``intensity · dB``, where B is a standard Brownian motion.

    Parameters
    ----------
    intensity : float
        > 0, N·√s.

    Examples
    --------
    The velocity of a mass without friction is a Brownian motion, so its variance grows in proportion to time:

    >>> import stickslip as ss
    >>> shaken = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.0), force=ss.white(1.0))
    >>> paths = ss.ensemble(shaken, 2.0, step=0.1, paths=4000, seed=1, rows=2)
    >>> bool(abs(paths.var_v[-1] - 2.0) < 0.2)
    True
    """
    return _checked("white", {"intensity": number("intensity", intensity)})


@suggesting
def ornstein_uhlenbeck(rate: Number, intensity: Number, scale: Number = 1.0) -> Signal:
    """Ornstein–Uhlenbeck noise, ``scale · η`` with dη = −`rate` η dt + `intensity` dB, η(0) = 0.

    Parameters
    ----------
    rate : float
        > 0, 1/s.
    intensity : float
        > 0, in the unit of the signal per √s.
    scale : float
        Factor.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.ornstein_uhlenbeck(1.0, 0.5) + 2.0
    ornstein_uhlenbeck(rate=1.0, intensity=0.5, scale=1.0) + constant(2.0)
    """
    it = {"rate": number("rate", rate), "intensity": number("intensity", intensity)}
    return _checked("ornstein-uhlenbeck", {**it, "scale": number("scale", scale)})


@suggesting
def kanai_tajimi(angular_frequency: Number, damping_ratio: Number, intensity: Number, scale: Number = 1.0) -> Signal:
    """Kanai–Tajimi noise, a model of ground acceleration as filtered white noise: ``−scale · (2 ξ ω y + ω² x)`` with dx
    = y dt, dy = −(2 ξ ω y + ω² x) dt + `intensity` dB, starting at rest.

    Parameters
    ----------
    angular_frequency : float
        ω > 0, rad/s.
    damping_ratio : float
        ξ > 0.
    intensity : float
        > 0.
    scale : float
        Factor.

    References
    ----------
    Kanai (1957); Tajimi (1960).

    Examples
    --------
    >>> import stickslip as ss
    >>> soil = ss.kanai_tajimi(15.6, 0.6, 0.4)
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), force=soil)
    >>> ss.ensemble(block, 1.0, step=0.01, paths=64, seed=1, rows=2).paths
    64
    """
    it = {"angular_frequency": number("angular_frequency", angular_frequency)}
    it["damping_ratio"] = number("damping_ratio", damping_ratio)
    it["intensity"] = number("intensity", intensity)
    return _checked("kanai-tajimi", {**it, "scale": number("scale", scale)})

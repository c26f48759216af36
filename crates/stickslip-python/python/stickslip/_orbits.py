"""Steady states: periodic orbits, their stability, and how they change with a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _plots
from ._arguments import Array, Number, Numbers, Scheme, described, number, numbers, text, whole
from ._errors import InputError, suggesting
from ._executors import key_of, run_model
from ._load import ModelLike, model_of
from ._model import Model
from ._results import Column, Progress, Result
from ._solve import used_settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: So many branches are named in the legend of a response.
_NAMED = 6
#: Columns that are sizes, and are drawn on a logarithmic axis where they differ by more than this factor.
_SIZES, _WIDE = ("amplitude", "amplitude_y", "peak"), 100.0
#: Shapes of the kinds of bifurcations that occur.
_MARKERS = ("^", "s", "D", "P", "X")


class Orbit(Result):
    """A periodic orbit.

    The columns of its table over one period, ``t``, ``x``, ``v``, ``friction`` and ``phase``, are attributes too. A
    network has ``t``, and ``x_NAME``, ``v_NAME`` and ``friction_NAME`` for each node and slider.

    Attributes
    ----------
    period : float
        Period, s.
    state : numpy.ndarray or dict
        The state at the start of the period: x (m), its velocity (m/s) and, for ageing friction, the time at rest (s);
        for a network by names of nodes.
    amplitude, max, min : float
        (max − min)/2 of the displacement, its largest and its smallest value, m; for a network those of the node
        `point`. ``summary["amplitudes"]`` has those of every node.
    multipliers : numpy.ndarray
        The Floquet multipliers (complex), largest first.
    stable : bool
        Whether the orbit is stable: nearby motions approach it.
    family : bool
        Whether the orbit belongs to a continuum of orbits.
    stops : int
        Number of sticks in a period.
    stuck_fraction : float
        Fraction of the period in stick.
    dissipated : float
        Energy lost to friction in a period, J.
    equivalent_damping : float or None
        Coefficient of the viscous damper that would dissipate the same energy in a harmonic motion of this amplitude,
        N·s/m.
    transmissibility : float or None
        Transmissibility, if exactly one harmonic acts: for a motion of the base, the amplitude divided by that of the
        base; for a force, half the range of the force on the ground divided by the amplitude of the force. Otherwise
        None.
    others : list of dict
        The other orbits that were found, with the same names.
    complete : bool
        Whether every motion that was followed ended at one of these orbits.

    Examples
    --------
    >>> import stickslip as ss
    >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
    >>> orbit = ss.orbit(model)
    >>> round(orbit.amplitude, 5), orbit.stable, orbit.stops
    (1.48005, True, 0)
    """

    @property
    def period(self) -> float:
        return float(self.summary["period"])

    @property
    def state(self) -> Array | dict[str, Array]:
        state = self.summary["state"]
        return {k: np.array(u) for k, u in state.items()} if isinstance(state, dict) else np.array(state)

    @property
    def amplitude(self) -> float:
        return float(self.summary["amplitude"])

    @property
    def max(self) -> float:
        return float(self.summary["max"])

    @property
    def min(self) -> float:
        return float(self.summary["min"])

    @property
    def multipliers(self) -> Column:
        return np.array([complex(re, im) for re, im in self.summary["multipliers"]])

    @property
    def stable(self) -> bool:
        return bool(self.summary["stable"])

    @property
    def family(self) -> bool:
        return bool(self.summary["family"])

    @property
    def stops(self) -> int:
        return int(self.summary["stops"])

    @property
    def stuck_fraction(self) -> float:
        return float(self.summary["stuck_fraction"])

    @property
    def dissipated(self) -> float:
        return float(self.summary["dissipated"])

    @property
    def equivalent_damping(self) -> float | None:
        found = self.summary["equivalent_damping"]
        return None if found is None else float(found)

    @property
    def transmissibility(self) -> float | None:
        found = self.summary["transmissibility"]
        return None if found is None else float(found)

    @property
    def others(self) -> list[dict[str, Any]]:
        return list(self.summary["others"])

    @property
    def complete(self) -> bool:
        return bool(self.summary["complete"])

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """Plots the orbit in the plane of displacement and velocity.

        Examples
        --------
        >>> import stickslip as ss
        >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
        >>> axes = ss.orbit(model).plot()
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('displacement (m)', 'velocity (m/s)')
        """
        ax = _plots.axes(ax)
        name = f"_{self.summary['point']}" if "point" in self.summary else ""
        x, v = f"x{name}", f"v{name}"
        ax.plot(self[x], self[v], **kwargs)
        units, turning = self.units(), _plots.turns(self.summary["model"])
        ax.set_xlabel(_plots.column_label(x, units[x], turning))
        ax.set_ylabel(_plots.column_label(v, units[v], turning))
        return ax


class Response(Result):
    """Branches of periodic orbits over a parameter, with one row for each orbit.

    Attributes
    ----------
    value, amplitude, max, min : numpy.ndarray
        The parameter, and amplitude, largest and smallest displacement of the orbits, m; along x for a mass on a plane.
    amplitude_y, max_y, min_y, peak : numpy.ndarray
        For a mass on a plane the same along y, and the greatest distance from the origin, m.
    period : numpy.ndarray
        Period, s.
    stops, stuck_fraction, dissipated : numpy.ndarray
        Number of sticks in a period, fraction of the period in stick, energy lost in a period (J).
    equivalent_damping, transmissibility : numpy.ndarray
        As in `Orbit`; NaN where there is none.
    multiplier : numpy.ndarray
        The largest modulus of the Floquet multipliers.
    stable : numpy.ndarray of bool
        Whether the orbit is stable: nearby motions approach it.
    branch : numpy.ndarray
        Numbers of the branches, from 1.
    kind : numpy.ndarray of str
        The kind of bifurcation that was located there, or an empty text.
    bifurcations : list of tuple
        The bifurcations as pairs (value, kind).

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
    >>> found = ss.response(model, "oscillator.force.0.harmonic.angular_frequency", (1.25, 1.5), count=10)
    >>> found.value[0], found.amplitude[0].round(5), bool(found.stable.all())
    (np.float64(1.25), np.float64(1.48005), True)
    """

    @property
    def stable(self) -> Column:
        return np.asarray(self["stable"] == "true")

    @property
    def bifurcations(self) -> list[tuple[float, str]]:
        return [(float(b["value"]), str(b["kind"])) for b in self.summary["bifurcations"]]

    def plot(self, ax: Axes | None = None, *, column: str = "amplitude", **kwargs: Any) -> Axes:
        """Plots a column against the parameter, solid where the orbits are stable and dashed where they are not.

        Bifurcations are marked, with a different marker for each kind.

        Examples
        --------
        >>> import stickslip as ss
        >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
        >>> key = "oscillator.force.0.harmonic.angular_frequency"
        >>> axes = ss.response(model, key, (1.25, 1.5), count=10).plot()
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('angular frequency of force 0 (rad/s)', 'amplitude (m)')
        """
        ax = _plots.axes(ax)
        value, y, stable, kinds = self["value"], self[column], self.stable, self["kind"]
        branches = np.unique(self["branch"])
        named = 1 < len(branches) <= _NAMED
        for i in branches:
            here = self["branch"] == i
            for state, style in ((True, "-"), (False, "--")):
                shown = np.where(stable[here] == state, y[here], np.nan)
                # The first of its lines stands for the branch in the legend, if that is drawn at all.
                own = np.isfinite(shown).any() and (state or not stable[here].any())
                name = f"branch {int(i)}" if named and own else "_"
                ax.plot(value[here], shown, style, **{"color": f"C{int(i) - 1}", "label": name, **kwargs})
        # Next to a resonance without a damper everything else would lie on the axis.
        sizes = y[np.isfinite(y) & (y > 0.0)]
        if column in _SIZES and len(sizes) and sizes.max() > _WIDE * sizes.min():
            ax.set_yscale("log")
        found = [k for k in np.unique(kinds).tolist() if k]
        for i, kind in enumerate(found):
            at = kinds == kind
            ax.plot(value[at], y[at], _MARKERS[i % len(_MARKERS)], color=_plots.ink(ax), markersize=6, label=kind, zorder=3)
        turning = _plots.turns(self.summary["model"])
        ax.set_xlabel(_plots.key_label(str(self.summary["over"]["key"]), turning))
        ax.set_ylabel(_plots.column_label(column, self.units()[column], turning, "response"))
        if named or found:
            _plots.legend(ax)
        return ax


class Basins(Result):
    """Basins of attraction: the periodic orbit to which each initial state of a grid leads, with one row for each
    initial state.

    Attributes
    ----------
    x, v : numpy.ndarray
        The initial states: displacement (m) and velocity (m/s).
    orbit : numpy.ndarray
        The number of the orbit, from 1; 0 if none was reached.
    grid : numpy.ndarray
        The same numbers as a grid, with rows in order of velocity and columns in order of displacement.
    orbits : list of dict
        The orbits, with the names of `Orbit`, their number ``orbit`` and the ``share`` of the initial states that reach
        them.
    complete : bool
        Whether every motion that was followed in the search for orbits ended at one.

    Examples
    --------
    >>> import stickslip as ss
    >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
    >>> found = ss.basins(model, (-1, 1, 3), (-1, 1, 3))
    >>> found.grid.shape, len(found.orbits)
    ((3, 3), 1)
    """

    @property
    def orbits(self) -> list[dict[str, Any]]:
        return list(self.summary["orbits"])

    @property
    def complete(self) -> bool:
        return bool(self.summary["complete"])

    @property
    def grid(self) -> Column:
        shape = (int(self.summary["v"]["count"]), int(self.summary["x"]["count"]))
        return self["orbit"].astype(int).reshape(shape)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """Plots the basins in the plane of initial displacement and velocity, with one colour for each orbit.

        Examples
        --------
        >>> import stickslip as ss
        >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
        >>> axes = ss.basins(model, (-1, 1, 3), (-1, 1, 3)).plot()
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('displacement at the start (m)', 'velocity at the start (m/s)')
        """
        ax = _plots.axes(ax)
        x, v = (np.linspace(s["from"], s["to"], s["count"]) for s in (self.summary["x"], self.summary["v"]))
        reached = np.unique(self.grid).tolist()
        shares = {int(o["orbit"]): float(o["share"]) for o in self.orbits}
        colours, norm, of = _plots.classes(ax, {*reached, *shares})
        ax.pcolormesh(x, v, self.grid, **{"shading": "nearest", "cmap": colours, "norm": norm, **kwargs})
        if not {"cmap", "norm"} & kwargs.keys():
            from matplotlib.patches import Patch

            named = [Patch(color=of[n], label=f"to orbit {n}: {100.0 * share:.3g} %") for n, share in shares.items()]
            if 0 in reached:
                named.append(Patch(color=of[0], label=f"to none: {100.0 * float(self.summary['reached_none']):.3g} %"))
            ax.legend(handles=named)
        turning = _plots.turns(self.summary["model"])
        units = self.units()
        ax.set_xlabel(_plots.label(f"{_plots.words('x', turning)} at the start", units["x"]))
        ax.set_ylabel(_plots.label(f"{_plots.words('v', turning)} at the start", units["v"]))
        return ax


class Hunt(Result):
    """The long-term behaviour of a control loop, with one row for each start or, with `vary`, for each value.

    The columns of the first table are attributes: ``shift``, ``error``, ``outcome``, ``rest_error``, ``time`` and
    ``cycle`` for each start. With `vary` they are the varied parameters, ``hunts``, ``rests``, ``unstable``,
    ``undecided`` (1 or 0), ``period``, ``amplitude``, ``multiplier`` and ``rest_error``.

    Attributes
    ----------
    verdict : str
        ``"hunts"``, ``"rests"``, ``"unstable"`` or ``"undecided"``.
    cycles : list of dict
        The limit cycles, each with ``period`` (s), ``amplitude`` and range of the ``error``, ``multipliers``,
        ``attracts`` and ``events``.
    within : float or None
        The largest error at rest, if every start that was tried came to rest.

    Examples
    --------
    A loop without integral action comes to rest:

    >>> import stickslip as ss
    >>> axis = ss.Network(
    ...     nodes=[ss.node("axis", 1.0)],
    ...     sliders=[ss.slider("axis", "ground", 1.0, 0.7)],
    ...     controllers=[ss.controller("axis", "axis", reference=1.0, proportional=6.5, derivative=3.0)],
    ... )
    >>> found = ss.hunt(axis, t_end=20)
    >>> found.verdict, found.cycles
    ('rests', [])
    """

    @property
    def verdict(self) -> str:
        return str(self.summary["verdict"])

    @property
    def cycles(self) -> list[dict[str, Any]]:
        return list(self.summary["cycles"])

    @property
    def within(self) -> float | None:
        found = self.summary["rest_error"]
        return None if found is None else float(found)


def _chosen(model: Any, scheme: object, rtol: object, atol: object) -> tuple[tuple[str, Any], ...]:
    # An orbit has no end; where the model says none, any will do.
    end = None if "end" in model.run else 1.0
    chosen = used_settings(model, end, scheme, None, rtol, atol, None)
    return chosen


def _options(periods: object, point: object, within: object) -> dict[str, Any]:
    return {
        "periods": whole("periods", periods, 1),
        "point": None if point is None else text("point", point),
        "within": whole("within", within, 1),
    }


@suggesting
def orbit(
    model: ModelLike,
    periods: int = 1,
    scheme: Scheme | None = None,
    *,
    point: str | None = None,
    within: int = 400,
    rtol: Number | None = None,
    atol: Number | None = None,
) -> Orbit:
    """Finds a periodic orbit of a model, without an initial guess: the one to which the model's initial state leads.

    Parameters
    ----------
    model : Oscillator or Network
        The model. Its loads are harmonics; or it is an oscillator with a support or a drive that moves at constant
        velocity.
    periods : int
        Number of periods of the load in one period of the orbit.
    point : str, optional
        The node of a network for which amplitude, max and min are given; by default the first node whose motion is not
        prescribed.
    within : int
        Number of periods of the orbit for which motions are followed in the search for an orbit.
    scheme, rtol, atol
        As for `solve`. The schemes are ``"exact"`` and, for oscillators and machines, ``"adaptive"``.

    Returns
    -------
    Orbit

    Examples
    --------
    >>> import stickslip as ss
    >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
    >>> found = ss.orbit(model)
    >>> round(found.amplitude, 12), found.stable, found.stops
    (1.480049696925, True, 0)
    """
    model = model_of(model)
    options = _options(periods, point, within)
    return Orbit(run_model("orbit", model, _chosen(model, scheme, rtol, atol), options))._told()


@suggesting
def response(
    model: ModelLike,
    key: str,
    range: tuple[Number, Number],  # noqa: A002 - the word that users look for
    count: int = 200,
    *,
    periods: int = 1,
    point: str | None = None,
    within: int = 100,
    second: Mapping[str, Numbers] | None = None,
    scheme: Scheme | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    progress: Progress = None,
) -> Response:
    """Follows branches of periodic orbits over one parameter of the model, with their bifurcations.

    Parameters
    ----------
    model : Oscillator, Network or Planar
        The model.
    key : str
        Key of the parameter that varies, such as ``"oscillator.force.0.harmonic.angular_frequency"``. Keys joined by
        ``+`` get the same value.
    range : tuple of float
        First and last value of the parameter.
    count : int
        Approximate number of orbits on a branch over the whole range.
    periods : int
        Number of periods of the load in one period of the orbits.
    point : str, optional
        As for `orbit`.
    within : int
        Number of periods of the orbit for which motions are followed in the search for branches.
    second : dict of str to array_like, optional
        A second parameter and its values. At each of them the bifurcations over the first parameter are located, in the
        table ``boundaries``. The table ``peaks`` has the largest stable amplitude at each value, and
        ``summary["least_peak"]`` its minimum, also between these values; this gives, for example, the optimal slip load
        of a friction damper. If two curves of bifurcations meet and turn back between two of these values,
        ``summary["turns"]`` has the point.
    scheme, rtol, atol
        As for `orbit`.
    progress : bool or callable, optional
        As for `ensemble`.

    Returns
    -------
    Response

    Examples
    --------
    >>> import stickslip as ss
    >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
    >>> found = ss.response(model, "oscillator.friction.coulomb.force", (0.5, 0.9), count=20)
    >>> [(round(value, 10), kind) for value, kind in found.bifurcations if kind == "stops"]
    [(0.6988211431, 'stops')]
    """
    model = model_of(model)
    options = over(model, key, range, count) | _options(periods, point, within)
    if second is not None:
        if not isinstance(second, Mapping) or len(second) != 1:
            raise InputError(f"`second` is {described(second)}; expected a dictionary with one key and its values")
        name, values = next(iter(second.items()))
        options["second"] = (key_of("second", model, name), numbers(f"second[{name!r}]", values, 1).tolist())
    return Response(run_model("response", model, _chosen(model, scheme, rtol, atol), options, progress))._told()


def over(model: Model, key: str, span: object, count: int) -> dict[str, Any]:
    """The varied parameter of a response and its range."""
    ends = tuple(span) if isinstance(span, (tuple, list, np.ndarray)) else ()
    if len(ends) != 2:
        raise InputError(f"`range` is {described(span)}; expected the first value and the last, two numbers")
    return {
        "key": key_of("key", model, key),
        "range": (number("range[0]", ends[0]), number("range[1]", ends[1])),
        "count": whole("count", count, 2),
    }


def _span(name: str, span: object) -> tuple[float, float, int] | None:
    """First value, last value and number of values."""
    if span is None:
        return None
    parts = tuple(span) if isinstance(span, (tuple, list, np.ndarray)) else ()
    if len(parts) != 3:
        raise InputError(f"`{name}` is {described(span)}; expected (first, last, count)")
    return number(f"{name}[0]", parts[0]), number(f"{name}[1]", parts[1]), whole(f"{name}[2]", parts[2], 1)


@suggesting
def basins(
    model: ModelLike,
    x: tuple[Number, Number, int] | None = None,
    v: tuple[Number, Number, int] | None = None,
    *,
    periods: int = 1,
    within: int = 500,
    scheme: Scheme | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    progress: Progress = None,
) -> Basins:
    """Basins of attraction: finds the periodic orbit to which each initial state of a grid leads, on all cores.

    Parameters
    ----------
    model : Oscillator
        The model, with harmonic loads.
    x, v : tuple of (float, float, int), optional
        The grid of initial displacements (m) and velocities (m/s), each as (first, last, number). By default 101
        values, which reach three typical amplitudes to each side.
    periods : int
        Number of periods of the load in one period of the orbits that are searched for first. Orbits with other periods
        are found if motions lead to them.
    within : int
        Number of periods of the load after which a motion that has not reached an orbit is given up.
    scheme, rtol, atol
        As for `orbit`.
    progress : bool or callable, optional
        As for `ensemble`.

    Returns
    -------
    Basins

    Examples
    --------
    >>> import stickslip as ss
    >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
    >>> found = ss.basins(model, (-2, 2, 5), (-2, 2, 5))
    >>> len(found.orbits), int(found.grid.min()), int(found.grid.max())
    (1, 1, 1)
    """
    model = model_of(model)
    options: dict[str, Any] = {
        "x": _span("x", x),
        "v": _span("v", v),
        "periods": whole("periods", periods, 1),
        "within": whole("within", within, 1),
    }
    return Basins(run_model("basins", model, _chosen(model, scheme, rtol, atol), options, progress))._told()


@suggesting
def hunt(
    model: ModelLike,
    *,
    within: Number | None = None,
    starts: Numbers | None = None,
    vary: Mapping[str, Numbers] | None = None,
    t_end: Number | None = None,
    scheme: Scheme | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    progress: Progress = None,
) -> Hunt:
    """Whether a control loop hunts. Finds its limit cycles; or, if all starts come to rest, the largest error at rest.

    Parameters
    ----------
    model : Network
        A machine with a controller and constant loads.
    within : float, optional
        Time after which a motion is given up, s; by default 100 times the end of the run.
    starts : array_like, optional
        Initial errors of the starts, as multiples of the initial error of the model; by default 1, −1, 0.3, −0.3
        and 0.03.
    vary : dict of str to array_like, optional
        One or two keys of the model file and their values. There is one row for each combination; the first key varies
        fastest.
    t_end, scheme, rtol, atol
        As for `solve`. The schemes are ``"adaptive"`` and, for a loop that is linear between events, ``"exact"``.
    progress : bool or callable, optional
        As for `ensemble`.

    Returns
    -------
    Hunt

    Examples
    --------
    >>> import stickslip as ss
    >>> pid = dict(proportional=6.5, integral=8.5, derivative=3.0)
    >>> axis = ss.Network(
    ...     nodes=[ss.node("axis", 1.0)],
    ...     sliders=[ss.slider("axis", "ground", 1.0, 0.7)],
    ...     controllers=[ss.controller("axis", "axis", reference=1.0, **pid)],
    ... )
    >>> found = ss.hunt(axis, t_end=20)
    >>> found.verdict, round(found.cycles[0]["period"], 6)
    ('hunts', 14.995675)
    """
    model = model_of(model)
    end = None if t_end is None and "end" in model.run else 10.0 if t_end is None else t_end
    chosen = used_settings(model, end, scheme, None, rtol, atol, None)
    options: dict[str, Any] = {"within": None if within is None else number("within", within)}
    if starts is not None:
        options["starts"] = numbers("starts", starts, 1).tolist()
    if vary is not None:
        if not isinstance(vary, Mapping) or not 1 <= len(vary) <= 2:
            raise InputError(f"`vary` is {described(vary)}; expected a dictionary with one or two keys and their values")
        axes = {key_of("vary", model, key): numbers(f"vary[{key!r}]", values, 1) for key, values in vary.items()}
        options["axes"] = [(key, values.tolist()) for key, values in axes.items()]
    return Hunt(run_model("hunt", model, chosen, options, progress))._told()

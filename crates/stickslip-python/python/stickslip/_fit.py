"""The results of fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from . import _plots
from ._arguments import Array, Number, Numbers, Times, number, numbers, seconds
from ._errors import InputError, RecordWarning
from ._laws import static_dynamic
from ._models import Oscillator
from ._results import Result
from ._signals import sampled
from ._solve import solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._model import Model


class MakesModel(Protocol):
    """Turns a fit into a model."""

    def model(self, found: Fit) -> Model:
        """The model with the fitted parameters."""


@dataclass(frozen=True)
class Estimate:
    """An estimated parameter: its value with its uncertainty, or the reason why it cannot be determined.

    Attributes
    ----------
    value : float or None
        The value; None if and only if the parameter is not identifiable.
    unit : str
        Its unit.
    stderr : float or None
        Standard error.
    ci95 : (float, float) or None
        95 % confidence interval.
    identifiable : bool
        Whether the record determines the parameter.
    reason : str or None
        Why the record does not determine it, or under which assumption it does.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> hours = 3600.0 * np.arange(400)
    >>> warm = 10 + 8 * np.sin(hours / 4e4)
    >>> fit = ss.calibrate(hours, warm, 3e-4 * warm)  # moves in proportion to the temperature: nothing sticks
    >>> f_s = fit.parameters["f_s"]
    >>> f_s.value is None, f_s.unit, bool(f_s.reason)
    (True, 'N', True)
    """

    value: float | None
    unit: str
    stderr: float | None
    ci95: tuple[float, float] | None
    identifiable: bool
    reason: str | None = None

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    def __str__(self) -> str:
        if self.value is None:
            return f"unknown ({self.reason})"
        unit = f" {self.unit}" if self.unit not in ("", "1") else ""
        if self.ci95 is None:
            return f"{self.value:.4g}{unit}"
        low, high = self.ci95
        # Two digits of the interval's width, in all three numbers.
        size, width = max(abs(low), abs(high)), high - low
        digits = 4 if not 0.0 < width < size else min(2 + int(np.floor(np.log10(size) - np.log10(width))), 12)
        digits = max(digits, 3)
        return f"{self.value:.{digits}g} [{low:.{digits}g}, {high:.{digits}g}]{unit}"


def estimate_of(found: Mapping[str, Any]) -> Estimate:
    ci95 = found.get("ci95")
    return Estimate(
        value=found.get("value"),
        unit=found.get("unit", ""),
        stderr=found.get("stderr"),
        ci95=(ci95[0], ci95[1]) if ci95 else None,
        identifiable=bool(found.get("identifiable", found.get("value") is not None)),
        reason=found.get("reason"),
    )


def is_estimate(found: object) -> bool:
    return isinstance(found, Mapping) and {"value", "unit"} <= set(found)


#: What a fit of a valve finds, in words.
_VERDICTS = {
    "sticks": "the valve sticks",
    "does-not-stick": "the valve does not stick",
    "undecided": "the record does not decide whether the valve sticks",
    "still": "nothing moves",
}


def _stretches(t: Any, held: Any) -> list[tuple[Any, Any]]:
    """The first and last time of each stretch of rising times over which `held` is true."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], held, [False])).astype(np.int8)))
    return [(t[first], t[after - 1]) for first, after in edges.reshape(-1, 2).tolist()]


#: What fits draw: a column along the axis, what was measured over it, and what was fitted to that. The first whose columns a fit has.
_DRAWN: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("t", "measured", ("fitted", "simulated")),
    ("velocity", "effort", ("friction",)),
    ("displacement", "force", ("fitted",)),
    ("displacement_x", "force_x", ("fitted_x",)),
    ("t", "friction", ("fitted",)),
    ("t", "force", ("model",)),
    ("lag", "correlation", ()),
)
#: What is measured, where its name does not say it.
_SAID = {"friction": "coefficient of friction", "force_x": "force along x", "correlation": "correlation of output and process variable"}
_SAID_OF_UNIT = {
    "m": "displacement",
    "N": "force",
    "m/s": "velocity",
    "rad": "angle",
    "rad/s": "angular velocity",
    "N·m": "torque",
    "1": "coefficient of friction",
}


class Fit(Result):
    """The result of a fit to a record.

    Every estimate in ``summary["fit"]`` is also an attribute. A bearing has `f_s_over_K`, `f_d_over_K`, `rho`, `delta`
    and `kappa`.

    Attributes
    ----------
    parameters : dict of str to Estimate
        The parameters. A bearing has ``z0``, ``K``, ``f_d``, ``f_s`` and ``beta``. Where laws were compared, these are
        the parameters of the best one.
    diagnosis : list of dict
        What was found in the residuals, and what may explain it: ``what``, ``strength``, ``estimate``, ``suggestion``.
    rmse : float
        Root mean square of the residuals.
    t, drive, measured, fitted, x : numpy.ndarray, shape (n,)
        The record and the fitted motion.
    events : dict of str to numpy.ndarray
        The slips of the fitted motion.
    origin : numpy.datetime64 or None
        The instant from which times are counted, if dates were given.
    names, covariance, model
        For a fit by `fit`: the names and covariance matrix of the parameters, and the fitted model.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> hours = 3600.0 * np.arange(400)
    >>> warm = 10 + 8 * np.sin(hours / 4e4)
    >>> fit = ss.calibrate(hours, warm, 3e-4 * warm)
    >>> list(fit.parameters), len(fit.fitted)
    (['z0', 'K', 'f_d', 'f_s', 'beta'], 400)
    """

    origin: np.datetime64 | None = None
    #: What `fit` was asked, from which the fitted model is made.
    _asked: MakesModel | None = None

    _category = RecordWarning

    @property
    def _fit(self) -> dict[str, Any]:
        return self.summary["fit"]  # type: ignore[no-any-return]

    @property
    def parameters(self) -> dict[str, Estimate]:
        found = self._fit.get("parameters")
        if found is None:
            # Where laws are compared, those of the first, which predicts best or is the likeliest.
            laws: list[dict[str, Any]] = self._fit.get("laws") or [{}]
            found = laws[0].get("parameters", {})
        named = found if isinstance(found, Mapping) else {p["name"]: p for p in found}
        return {k: estimate_of(v) for k, v in named.items() if is_estimate(v)}

    @property
    def diagnosis(self) -> list[dict[str, Any]]:
        return list(self._fit.get("diagnosis", []))

    @property
    def events(self) -> dict[str, Any]:
        return self.table("events") if "events" in self.tables else {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = self._fit.get(name) if "summary" in self.__dict__.get("_kept", {}) else None
        if found is not None:
            return estimate_of(found) if is_estimate(found) else found
        return super().__getattr__(name)

    def get_params(self) -> dict[str, float]:
        """The fitted parameters by name; NaN where the record does not determine one.

        Examples
        --------
        ``model.replace`` and `solve_many` accept them; ``fit.model`` already has them.

        >>> import numpy as np
        >>> import stickslip as ss
        >>> hours = 3600.0 * np.arange(400)
        >>> warm = 10 + 8 * np.sin(hours / 4e4)
        >>> fit = ss.calibrate(hours, warm, 3e-4 * warm)  # moves in proportion to the temperature: nothing sticks
        >>> fit.get_params()["f_s"]
        nan
        """
        return {name: float(e) for name, e in self.parameters.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, in the order of the rows of `covariance`."""
        return tuple(self._covariance["names"])

    @property
    def covariance(self) -> Array:
        """Covariance matrix of the fitted parameters, one row for each of `names`, in products of their units. It
        follows from the curvature of the sum of squares, and allows for residuals that are correlated in time. NaN for
        a parameter that the record does not determine.

        Fits of models and of servos have it. The intervals in `parameters` may be wider than the covariances suggest,
        because the sum of squares is not exactly a parabola.
        """
        rows = self._covariance["matrix"]
        found: Array = np.array([[np.nan if c is None else c for c in row] for row in rows], dtype=np.float64)
        return found

    @property
    def _covariance(self) -> dict[str, Any]:
        found = self._fit.get("covariance")
        if not isinstance(found, Mapping):
            raise InputError("this fit has no covariances: fits of models (`fit`) and of servos have them; `parameters` has the intervals")
        return dict(found)

    @property
    def model(self) -> Model:
        """The model with the fitted parameters and the columns of the record as its signals. `solve` then gives the
        fitted motion.

        Raises
        ------
        InputError
            If this is not a fit by `fit`, or the record does not determine a parameter.
        """
        if self._asked is None:
            raise InputError("only a fit by `fit` has the model that was fitted; put `parameters` into a model of yours")
        return self._asked.model(self)

    def predict(self, time: Times, temperature: Numbers, *, x0: Number | None = None) -> Array:
        """Predicts the displacement of a calibrated bearing for another record of temperatures. For fits of other kinds
        the error says what to do instead.

        Parameters
        ----------
        time : array_like, shape (n,)
            Increasing times, s or ``datetime64``.
        temperature : array_like, shape (n,)
            Temperatures, °C. Between the samples they are interpolated linearly, also where readings are missing (NaN). Before the
            first reading and after the last one the displacement is NaN.
        x0 : float, optional
            Displacement of the bearing at the first time, m. By default that of the fitted motion at this time; for
            times after the record, its last displacement.

        Returns
        -------
        numpy.ndarray, shape (n,)
            Displacement z, m.

        Examples
        --------
        >>> import numpy as np
        >>> import stickslip as ss
        >>> time = 1800.0 * np.arange(4800)
        >>> warm = 12 + 5 * np.sin(time / 13751) + 9 * np.sin(time / 237892)
        >>> drive = ss.sampled(time, 3e-4 * warm)
        >>> bearing = ss.Oscillator(mass=1, stiffness=1.9e8, friction=ss.static_dynamic(4.7e5, 4.2e5), drive=drive, x0=3e-4 * warm[0])
        >>> x = ss.solve(bearing, time[-1], "quasi-static")(time)[0]
        >>> fit = ss.calibrate(time, warm, x + 0.095 * (3e-4 * warm - x), bearing_stiffness=2e9)
        >>> fit.predict([0.0, 43200.0, 86400.0], [10.0, 0.0, 10.0], x0=0.003).round(4).tolist()
        [0.003, 0.0018, 0.002]
        """
        self._check_bearing()
        p = {k: e.value for k, e in self.parameters.items()}
        beta, z0 = p.get("beta"), p.get("z0")
        over_K = self.f_s_over_K.value, self.f_d_over_K.value
        if beta is None or z0 is None or None in over_K:
            raise InputError("the record does not fix what a prediction needs: beta, z0, f_s/K and f_d/K")
        t, _ = seconds("time", time, self.origin)
        T = numbers("temperature", temperature)
        if len(t) != len(T) or len(t) < 2:
            raise InputError(f"`time` holds {len(t)} numbers and `temperature` {len(T)}; expected as many, two or more")
        known = np.isfinite(T)
        if np.count_nonzero(known) < 2:
            raise InputError("`temperature` holds fewer than two numbers; expected two or more that are not missing")
        t, T, rows = t[known], T[known], t
        start = self._start(t[0]) if x0 is None else number("x0", x0)
        # A spring of unit stiffness: the path depends on the ratios alone.
        bearing = Oscillator(
            mass=1.0,
            stiffness=1.0,
            friction=static_dynamic(float(over_K[0]), float(over_K[1])),
            drive=sampled(t - t[0], beta * T),
            x0=start,
        )
        inside = (rows >= t[0]) & (rows <= t[-1])
        asked = rows[inside]
        x = solve(bearing, float(t[-1] - t[0]), "quasi-static")(asked - t[0])[0]
        kappa = self.kappa.value if is_estimate(self._fit.get("kappa")) else None
        z: Array = np.full(len(rows), np.nan)
        z[inside] = z0 + x + (kappa or 0.0) * (beta * np.interp(asked, t, T) - x)
        return z

    def _check_bearing(self) -> None:
        """Raises an error unless this is the fit of a bearing: only its motion follows from the temperature alone."""
        if "f_s_over_K" in self._fit:
            return
        kind = str(self._fit.get("kind") or self.summary.get("model", {}).get("kind") or "")
        advice = {
            "pulled-slider": "the slips of a slider follow no law that was fitted: make an Oscillator of its mass and spring, "
            "with drive=ramp(velocity) and friction=static_dynamic(…) of the table of slips, and solve it",
            "rigid-drive": "its force is mass · acceleration + viscous · velocity + friction · sign(velocity), "
            "with the numbers in `parameters`",
            "hysteresis": "its force is a sum of the terms in `parameters`: make an Oscillator or a Network of them and solve it",
            "valve": "a valve has no other input than the record: simulate the loop with the numbers in `parameters`",
        }.get(kind, "give `fit.model`, or your model with the numbers in `parameters`, another drive by `replace`, and solve it")
        said = f"the fit of a {kind.replace('-', ' ')}" if kind else "this fit"
        error = InputError(f"{said} cannot predict from temperatures: that is for bearings\n{advice}")
        error.help = advice
        raise error

    def _start(self, t: float) -> float:
        known = np.isfinite(self["x"])
        at, x = self["t"][known], self["x"][known]
        if not len(at):
            raise InputError("`x0` is missing; the fitted motion is nowhere known")
        if t < at[0] - 1e-9:
            raise InputError("`x0` is missing: the times begin before the record, where the bearing's state is not known")
        return float(x[np.searchsorted(at, t, side="right") - 1])

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """Plots the measurement and, as a thinner line, the fit. Intervals in which a fitted model sticks are shaded.

        The fit of a bearing, a servo or a model is drawn over time; that of a damper or an isolator as a loop of force over
        displacement, friction over speed for `friction_curve`, and the correlation over the lag for `valve`.

        Examples
        --------
        >>> import numpy as np
        >>> import stickslip as ss
        >>> hours = 3600.0 * np.arange(400)
        >>> warm = 10 + 8 * np.sin(hours / 4e4)
        >>> fit = ss.calibrate(hours, warm, 3e-4 * warm)  # moves in proportion to the temperature: nothing sticks
        >>> axes = fit.plot()
        >>> axes.get_ylabel()
        'displacement (m)'
        """
        ax = _plots.axes(ax)
        columns = self._columns(self.tables[0])
        along, measured, fitted = next((kind for kind in _DRAWN if {*kind[:2]} <= {*columns}), _DRAWN[0])
        dated = along == "t" and self.origin is not None
        x = self.origin + (self["t"] * 1e9).astype("timedelta64[ns]") if dated else self[along]
        # Between two records the line is lifted.
        named = next((name for name in ("log", "record") if name in columns), None)
        cuts = np.flatnonzero(self[named][1:] != self[named][:-1]) + 1 if named else np.array([], dtype=np.intp)

        def drawn(values: Any) -> Any:
            return np.insert(values, cuts, np.datetime64("NaT") if values.dtype.kind == "M" else np.nan)

        if measured in columns:
            # Friction over speed is a cloud of points: its rows come in the order of time.
            cloud = along == "velocity"
            look: dict[str, Any] = {"linestyle": "", "marker": ".", "markersize": 4} if cloud else {"linewidth": 2.4}
            # A single line needs no legend.
            name = "measured" if fitted else "_"
            ax.plot(drawn(x), drawn(self[measured]), **{"color": _plots.on(ax, _plots.MEASURED), "label": name, **look})
        for i, name in enumerate(n for n in fitted if n in columns):
            look = {"label": "simulated" if name == "simulated" else "fitted", "linewidth": 0.9, **_plots.dashes(i, kwargs)}
            if i == 0 and measured in columns and not {"c", "color"} & kwargs.keys():
                look["color"] = _plots.on(ax, _plots.MODELLED)
            if along == "velocity":
                # One line for each direction: the friction jumps between them.
                order = np.argsort(x, kind="stable")
                sides = order[x[order] < 0.0], order[x[order] > 0.0]
                ax.plot(np.r_[x[sides[0]], np.nan, x[sides[1]]], np.r_[self[name][sides[0]], np.nan, self[name][sides[1]]], **{**look, **kwargs})
            else:
                ax.plot(drawn(x), drawn(self[name]), **{**look, **kwargs})
        # A bearing sticks nearly always: there is nothing to tell apart.
        if "phase" in columns and "f_s_over_K" not in self._fit and not len(cuts):
            _plots.rests(ax, _stretches(x, self["phase"] == "stick"), "stick")
        units = self.units()
        unit = units.get(measured, "")
        ax.set_ylabel(_plots.label(_SAID.get(measured, _SAID_OF_UNIT.get(unit, "measured")), unit))
        if dated:
            _plots.dates(ax)
        else:
            turning = units.get(along, "").startswith("rad")
            ax.set_xlabel(_plots.column_label(along, units.get(along, ""), turning))
        _plots.legend(ax)
        return ax

    def __repr__(self) -> str:
        estimates = {**self.parameters}
        for name in ("f_s_over_K", "f_d_over_K", "stiction"):
            if is_estimate(self._fit.get(name)):
                estimates[name] = estimate_of(self._fit[name])
        known = [f"{k} = {e}" for k, e in estimates.items() if e.value is not None]
        verdict = _VERDICTS.get(str(self._fit.get("verdict"))) if "stiction" in self._fit else None
        known = known if verdict is None else [verdict, *known]
        warned = f"; {len(self.warnings)} warning{'s' * (len(self.warnings) > 1)}" if self.warnings else ""
        return f"<Fit: {', '.join(known)}{warned}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(f"<tr><td>{escape(k)}</td><td>{escape(str(e))}</td></tr>" for k, e in self.parameters.items())
        return f"<div><table>{rows}</table>{super()._repr_html_()}</div>"

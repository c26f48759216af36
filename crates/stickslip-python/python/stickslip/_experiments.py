"""Friction parameters from experiments with sliders, drives, dampers, isolators, rock, valves and servos, and
friction–speed curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._arguments import Array, Number, Numbers, Times, choice, described, flag, number, numbers, text, whole
from ._calibrate import RECORD, fitted, named, series_of
from ._errors import InputError, suggesting
from ._fit import Fit
from ._laws import Law, PythonLaw
from ._results import Progress

#: What a fit may drive a servo with, by the names in fit files.
_DRIVES = ("goal", "voltage", "current")
_LAWS = ("auto", "viscous", "coulomb", "by-direction", "polynomial", "stribeck")


def _record(data: Any, columns: Mapping[str, Any], time: Any) -> tuple[list[tuple[str, Array]], np.datetime64 | None]:
    """The columns of a record that were given, with its times."""
    given = {name: values for name, values in columns.items() if values is not None}
    found = named(data, time=time, **given)
    times = found.pop("time")
    for name, values in (("time", times), *found.items()):
        if values is None:
            raise InputError(f"`{name}` is missing; expected an array")
    return series_of(found, times)


def _about(title: str | None) -> dict[str, Any]:
    """What the fit file of every record in memory says about it."""
    return {"title": None if title is None else text("title", title), "file": RECORD, "time": "time", "time_unit": "s"}


@suggesting
def pulled_slider(
    time: Times,
    force: Numbers,
    *,
    data: Any = None,
    velocity: Number,
    stiffness: Number,
    mass: Number,
    gravity: Number | None = None,
    false_alarms: Number | None = None,
    title: str | None = None,
) -> Fit:
    """The slips of a slider that is pulled through a spring at constant speed, from a record of the spring force.

    Parameters
    ----------
    time : array_like, shape (n,)
        Evenly spaced times, s or ``datetime64``.
    force : array_like, shape (n,)
        Spring force, N; NaN where it is missing.
    data : frame, optional
        A pandas or Polars data frame, an Arrow table, or a dictionary of columns. `time` and `force` are then names of
        its columns.
    velocity : float
        Speed of the spring's far end, > 0, m/s.
    stiffness : float
        Stiffness of the spring, > 0, N/m.
    mass : float
        Mass of the slider, > 0, kg.
    gravity : float, optional
        Acceleration due to gravity, m/s². If given, coefficients of friction are reported too.
    false_alarms : float, optional
        Number of falsely detected slips that is acceptable in the record.
    title : str, optional
        Title of the report.

    Returns
    -------
    Fit
        With a table of the slips.

    Examples
    --------
    A slider of 0.5 kg is pulled at 0.1 m/s through a spring of 50 N/m. It breaks away at 1.5 N and slides at 1 N.

    >>> import numpy as np, stickslip as ss
    >>> slider = ss.Oscillator(mass=0.5, stiffness=50, friction=ss.static_dynamic(1.5, 1.0), drive=ss.ramp(0.1))
    >>> t = np.arange(0.0, 20.0, 0.005)
    >>> force = 50 * (0.1 * t - ss.solve(slider, 20.0)(t)[0]) + np.random.default_rng(1).normal(0.0, 0.01, len(t))
    >>> fit = ss.pulled_slider(t, force, velocity=0.1, stiffness=50, mass=0.5)
    >>> round(fit.parameters["f_s"].value, 1)
    1.5
    """
    columns, origin = _record(data, {"force": force}, time)
    model = {"kind": "pulled-slider", "velocity": number("velocity", velocity)}
    model |= {"stiffness": number("stiffness", stiffness), "mass": number("mass", mass)}
    model["gravity"] = None if gravity is None else number("gravity", gravity)
    about = _about(title) | {"response": "force", "response_unit": "N"}
    fit = {} if false_alarms is None else {"false_alarms": number("false_alarms", false_alarms)}
    return fitted({"data": about, "model": model, "fit": fit}, columns, origin, {}, None)._told()


@suggesting
def rigid_drive(
    time: Times,
    position: Numbers,
    force: Numbers,
    reference: Numbers | None = None,
    *,
    data: Any = None,
    position_gain: Number | None = None,
    velocity_gain: Number | None = None,
    force_gain: Number | None = None,
    cutoff: Number | None = None,
    parallel_cutoff: Number | None = None,
    title: str | None = None,
) -> Fit:
    """Mass, viscous friction and dry friction of a positioning drive, from a record of its position and force.

    Parameters
    ----------
    time : array_like, shape (n,)
        Evenly spaced times, s or ``datetime64``.
    position : array_like, shape (n,)
        Position, m.
    force : array_like, shape (n,)
        Force of the drive, N; or, if a controller is given, in the unit that `force_gain` converts to N.
    reference : array_like, shape (n,), optional
        Reference position, m. Together with the gains of the controller it allows the record to be simulated too.
    data : frame, optional
        A pandas or Polars data frame, an Arrow table, or a dictionary of columns. `time`, `position`, `force` and
        `reference` are then names of its columns.
    position_gain, velocity_gain, force_gain : float, optional
        Gains of the controller, in 1/s, V·s/m and N/V.
    cutoff, parallel_cutoff : float, optional
        Cutoff frequencies of the filters, Hz.
    title : str, optional
        Title of the report.

    Returns
    -------
    Fit

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.arange(0.0, 20.0, 0.002)
    >>> x = 0.1 * np.sin(1.3 * t) + 0.05 * np.sin(3.1 * t)
    >>> v, a = 0.13 * np.cos(1.3 * t) + 0.155 * np.cos(3.1 * t), -0.169 * np.sin(1.3 * t) - 0.4805 * np.sin(3.1 * t)
    >>> force = 95 * a + 200 * v + 20 * np.sign(v) + np.random.default_rng(1).normal(0.0, 0.5, len(t))
    >>> fit = ss.rigid_drive(t, x, force)
    >>> round(fit.parameters["mass"].value)
    95
    """
    columns, origin = _record(data, {"position": position, "force": force, "reference": reference}, time)
    about = _about(title)
    about |= {"position": "position", "position_unit": "m", "force": "force", "force_unit": "N"}
    about["reference"] = None if reference is None else "reference"
    gains = {"position_gain": position_gain, "velocity_gain": velocity_gain, "force_gain": force_gain}
    controller = {k: number(k, v) for k, v in gains.items() if v is not None}
    model: dict[str, Any] = {"kind": "rigid-drive", "controller": controller or None}
    cut = {"cutoff": cutoff, "parallel_cutoff": parallel_cutoff}
    fit = {k: number(k, v) for k, v in cut.items() if v is not None}
    return fitted({"data": about, "model": model, "fit": fit}, columns, origin, {}, None)._told()


@suggesting
def hysteresis(
    time: Times,
    displacement: Numbers,
    force: Numbers,
    *,
    data: Any = None,
    elements: int | None = None,
    viscous: bool | None = None,
    laws: str | Sequence[str] | None = None,
    title: str | None = None,
) -> Fit:
    """Stiffness, dry friction and viscous friction of a damper or an isolator, from its displacement and force.

    Parameters
    ----------
    time : array_like, shape (n,)
        Increasing times, s or ``datetime64``.
    displacement : array_like, shape (n,)
        Displacement, m; NaN where it is missing.
    force : array_like, shape (n,)
        Force, N, with the sign convention of the displacement; NaN where it is missing.
    data : frame, optional
        A pandas or Polars data frame, an Arrow table, or a dictionary of columns. `time`, `displacement` and `force`
        are then names of its columns.
    elements : int, optional
        Number of thresholds in the grid, 2 or more; 40 by default.
    viscous : bool, optional
        Whether a viscous force is fitted too; True by default.
    laws : str or sequence of str, optional
        Laws with memory to compare, in place of a sum of springs and friction elements: ``"all"``, or a list of
        ``"dahl"``, ``"lugre"``, ``"elasto-plastic"``, ``"bouc-wen"``, ``"maxwell-slip"`` and ``"backlash"``. They are
        compared on cycles that were held out of the fit. `Fit.parameters` are then those of the law that predicts best;
        ``fit.laws`` lists all laws, best first.
    title : str, optional
        Title of the report.

    Returns
    -------
    Fit

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.arange(0.0, 6.0, 0.005)
    >>> x = 0.03 * np.sin(2 * np.pi * 0.7 * t)
    >>> v = 0.03 * 2 * np.pi * 0.7 * np.cos(2 * np.pi * 0.7 * t)
    >>> rng = np.random.default_rng(1)
    >>> fit = ss.hysteresis(t, x, 80.0 * np.sign(v) + 600.0 * v + rng.normal(0.0, 0.5, len(t)))
    >>> print(fit.parameters["friction"])
    80.2 [79.5, 80.9] N

    A spring of 20 kN/m that slides at 80 N, fitted by two laws with memory:

    >>> z, force = 0.0, []
    >>> for way in np.diff(x, prepend=0.0):
    ...     z = min(max(z + way, -4e-3), 4e-3)
    ...     force.append(2e4 * z)
    >>> fit = ss.hysteresis(t, x, force, laws=["dahl", "bouc-wen"])
    >>> [law["law"] for law in fit.laws]
    ['bouc-wen', 'dahl']
    """
    if laws is not None and (elements is not None or viscous is not None):
        raise InputError("`elements` and `viscous` are of the sum of springs and friction elements; leave them out with `laws`")
    columns, origin = _record(data, {"displacement": displacement, "force": force}, time)
    about = _about(title)
    about |= {"displacement": "displacement", "displacement_unit": "m", "force": "force", "force_unit": "N"}
    fit = {
        "elements": None if elements is None else whole("elements", elements, 2),
        "viscous": None if viscous is None else flag("viscous", viscous),
        "laws": laws if laws is None or isinstance(laws, str) else [text("laws", law) for law in laws],
    }
    return fitted({"data": about, "model": {"kind": "hysteresis"}, "fit": fit}, columns, origin, {}, None)._told()


@suggesting
def isolator(
    time: Times,
    x: Numbers,
    y: Numbers,
    force_x: Numbers,
    force_y: Numbers,
    *,
    load: Number | Numbers,
    data: Any = None,
    title: str | None = None,
) -> Fit:
    """μ_slow, μ_fast, rate and stiffness K = W/R of a sliding isolator, from a cyclic test along two axes.

    Parameters
    ----------
    time : array_like, shape (n,)
        Increasing times, s or ``datetime64``.
    x, y : array_like, shape (n,)
        Displacements, m; NaN where one is missing.
    force_x, force_y : array_like, shape (n,)
        Forces, N, with the sign convention of the displacements; NaN where one is missing.
    load : float or array_like, shape (n,)
        Vertical load on the isolator, N.
    data : frame, optional
        A pandas or Polars data frame, an Arrow table, or a dictionary of columns. The other arguments are then names of
        its columns.
    title : str, optional
        Title of the report.

    Returns
    -------
    Fit
        Its `parameters` are ``slow``, ``fast``, ``rate`` (s/m), ``stiffness`` (N/m) and ``offset`` (N along x and y).

    Examples
    --------
    A figure of eight with μ = 0.10 − 0.05 e^(−30 |v|) under 1 MN on a radius of 2 m.

    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.arange(0.0, 20.0, 0.01)
    >>> x, y = 0.1 * np.sin(t), 0.05 * np.sin(2 * t)
    >>> vx, vy = 0.1 * np.cos(t), 0.1 * np.cos(2 * t)
    >>> v = np.hypot(vx, vy)
    >>> mu = 0.10 - 0.05 * np.exp(-30 * v)
    >>> fit = ss.isolator(t, x, y, 5e5 * x + 1e6 * mu * vx / v, 5e5 * y + 1e6 * mu * vy / v, load=1e6)
    >>> round(fit.parameters["fast"].value, 3), round(fit.parameters["stiffness"].value / 1e5, 2)
    (0.1, 5.0)
    """
    named = {"displacement_x": x, "displacement_y": y, "force_x": force_x, "force_y": force_y}
    about = _about(title) | {"displacement_unit": "m", "force_unit": "N"}
    model: dict[str, Any] = {"kind": "isolator"}
    if isinstance(load, str) or np.iterable(load):
        named["normal"] = load
    else:
        model["load"] = number("load", load)
    columns, origin = _record(data, named, time)
    return fitted({"data": about | {name: name for name in named}, "model": model}, columns, origin, {}, None)._told()


@suggesting
def rock_friction(
    time: Times,
    displacement: Numbers,
    friction: Numbers,
    *,
    data: Any = None,
    stiffness: Number | None = None,
    trend: bool | None = None,
    title: str | None = None,
) -> Fit:
    """a, b and D_c of rate-and-state friction from velocity-step or slide–hold–slide tests, with the ageing law and the
    slip law.

    Parameters
    ----------
    time : array_like, shape (n,)
        Increasing times, s or ``datetime64``.
    displacement : array_like, shape (n,)
        Displacement of the load point, m; NaN where it is missing.
    friction : array_like, shape (n,)
        Coefficient of friction; NaN where it is missing.
    data : frame, optional
        A pandas or Polars data frame, an Arrow table, or a dictionary of columns. The other arguments are then names of
        its columns.
    stiffness : float, optional
        Stiffness of the machine divided by the normal stress, 1/m; by default it is fitted.
    trend : bool, optional
        Whether a drift of the friction in proportion to the displacement is fitted; False by default.
    title : str, optional
        Title of the report.

    Returns
    -------
    Fit
        Its `parameters` (``a``, ``b``, ``a_minus_b``, ``distance``, ``stiffness``, ``coefficient``) are those of the
        likelier of the two laws, which ``fit.laws[0]["evolution"]`` names; ``fit.told_apart`` says whether the record
        distinguishes the two.

    Examples
    --------
    A step from 1 to 10 µm/s in a stiff machine: a ln 10 at once, then b ln 10 over D_c = 10 µm.

    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.concatenate([np.arange(0.0, 60.0, 0.5), 60.0 + np.arange(0.0, 20.0, 0.05)])
    >>> x = np.where(t < 60.0, 1e-6 * t, 60e-6 + 1e-5 * (t - 60.0))
    >>> past = np.maximum(t - 60.0, 0.0)
    >>> age = np.log(0.1 + 0.9 * np.exp(-past))
    >>> mu = 0.6 + (0.010 * np.log(10.0) * (t > 60.0)) + 0.012 * age
    >>> fit = ss.rock_friction(t, x, mu, stiffness=1e7)
    >>> fit.laws[0]["evolution"]
    'ageing'
    """
    columns, origin = _record(data, {"displacement": displacement, "friction": friction}, time)
    about = _about(title) | {"displacement": "displacement", "displacement_unit": "m", "friction": "friction"}
    model = {"kind": "rock-friction", "stiffness": None if stiffness is None else number("stiffness", stiffness)}
    fit = {"trend": None if trend is None else flag("trend", trend)}
    return fitted({"data": about, "model": model, "fit": fit}, columns, origin, {}, None)._told()


@suggesting
def valve(
    time: Times,
    output: Numbers,
    process_variable: Numbers,
    setpoint: Numbers | None = None,
    *,
    data: Any = None,
    title: str | None = None,
) -> Fit:
    """Whether the valve of a control loop sticks, and how much.

    Parameters
    ----------
    time : array_like, shape (n,)
        Evenly spaced times, s or ``datetime64``.
    output : array_like, shape (n,)
        Output of the controller, in any unit, such as %.
    process_variable : array_like, shape (n,)
        Process variable, in any unit.
    setpoint : array_like, shape (n,), optional
        Set point, in the unit of the process variable; needed only if it changes.
    data : frame, optional
        A pandas or Polars data frame, an Arrow table, or a dictionary of columns. `time`, `output`, `process_variable`
        and `setpoint` are then names of its columns.
    title : str, optional
        Title of the report.

    Returns
    -------
    Fit

    Examples
    --------
    A loop whose valve moves only when the controller output is 3 % away from its position:

    >>> import numpy as np
    >>> import stickslip as ss
    >>> rng, rows = np.random.default_rng(3), 6000
    >>> at = y = integral = 52.0
    >>> output, measured = np.empty(rows), np.empty(rows)
    >>> for i in range(rows):
    ...     measured[i] = y + rng.normal(0.0, 0.05)
    ...     integral += 0.01 * (50.0 - measured[i])
    ...     output[i] = 0.1 * (50.0 - measured[i]) + integral
    ...     if abs(output[i] - at) > 3.0:
    ...         at = output[i]
    ...     y += (at - y) / 5.0
    >>> fit = ss.valve(np.arange(rows) * 1.0, output, measured)
    >>> fit.summary["fit"]["verdict"]
    'sticks'
    """
    given = {"output": output, "process_variable": process_variable, "setpoint": setpoint}
    columns, origin = _record(data, given, time)
    about = _about(title) | {name: name for name, _ in columns[1:]}
    return fitted({"data": about, "model": {"kind": "valve"}}, columns, origin, {}, None)._told()


@suggesting
def friction_curve(
    velocity: Numbers | None,
    effort: Numbers,
    *,
    data: Any = None,
    time: Times | None = None,
    position: Numbers | None = None,
    weight: Numbers | None = None,
    temperature: Numbers | None = None,
    load: Numbers | None = None,
    velocity_unit: str = "rad/s",
    effort_unit: str = "N·m",
    position_unit: str = "rad",
    load_unit: str | None = None,
    effort_constant: Number | None = None,
    effort_delay: Number | None = None,
    law: str | None = None,
    inertia: bool | None = None,
    gravity: bool | None = None,
    least_velocity: Number | None = None,
    title: str | None = None,
) -> Fit:
    """Friction of a joint or an axis as a function of speed, from its torque or force.

    Parameters
    ----------
    velocity : array_like, shape (n,), or None
        Velocity, in `velocity_unit`. None if it is to be computed from times and positions.
    effort : array_like, shape (n,)
        Torque, force or current of the drive, in `effort_unit`; positive where it drives forwards.
    data : frame, optional
        A pandas or Polars data frame, an Arrow table, or a dictionary of columns. The other arguments are then names of
        its columns.
    time : array_like, shape (n,), optional
        Increasing times, s or ``datetime64``. Without times, each row is a measurement at constant speed.
    position : array_like, shape (n,), optional
        Position, in `position_unit`; needed if there are no velocities, and for gravity.
    weight : array_like, shape (n,), optional
        Weight of each row, such as the duration of the measurement.
    temperature : array_like, shape (n,), optional
        Temperature, °C, with which dry and viscous friction may change.
    load : array_like, shape (n,), optional
        Load, in `load_unit` (by default the unit of the effort), in proportion to which friction may grow.
    velocity_unit, effort_unit, position_unit, load_unit : str, optional
        Units; for a linear axis ``"m/s"``, ``"N"`` and ``"m"``.
    effort_constant : float, optional
        Factor that converts the effort to N·m or N if it is a current, a voltage or a fraction.
    effort_delay : float, optional
        Delay of the recorded effort with respect to the motion, s.
    law : {"auto", "viscous", "coulomb", "by-direction", "polynomial", "stribeck"}, optional
        The friction law. ``"auto"`` (default) takes the simplest one that the record supports.
    inertia : bool, optional
        Whether an inertia is fitted; by default it is if there are times.
    gravity : bool, optional
        Whether gravity on a rotating link is fitted; False by default.
    least_velocity : float, optional
        Rows slower than this are taken to be at rest and are not used, m/s or rad/s; by default it follows from the
        noise.
    title : str, optional
        Title of the report.

    Returns
    -------
    Fit

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> speed = np.tile(np.linspace(0.05, 2.0, 60), 4) * np.repeat([1.0, -1.0, 1.0, -1.0], 60)
    >>> effort = (3.0 + 0.5 * np.abs(speed)) * np.sign(speed) + np.random.default_rng(1).normal(0.0, 0.02, len(speed))
    >>> fit = ss.friction_curve(speed, effort)
    >>> round(fit.parameters["coulomb"].value, 2), round(fit.parameters["viscous"].value, 1)
    (3.0, 0.5)
    """
    given = {"velocity": velocity, "position": position, "effort": effort}
    given |= {"weight": weight, "temperature": temperature, "load": load}
    present = {name: values for name, values in given.items() if values is not None}
    if "effort" not in present:
        raise InputError("`effort` is missing; expected an array")
    about: dict[str, Any] = _about(title) | {name: name for name in present}
    origin = None
    if time is None:
        found = {name: numbers(name, values) for name, values in named(data, **present).items()}
        lengths = {len(values) for values in found.values()}
        if len(lengths) != 1:
            held = ", ".join(f"`{name}` {len(values)}" for name, values in found.items())
            raise InputError(f"the columns hold different numbers of rows: {held}; expected as many in each")
        columns = list(found.items())
        about |= {"time": None, "time_unit": None}
    else:
        columns, origin = _record(data, present, time)
    about["effort_unit"] = text("effort_unit", effort_unit)
    if velocity is not None:
        about["velocity_unit"] = text("velocity_unit", velocity_unit)
    if position is not None:
        about["position_unit"] = text("position_unit", position_unit)
    if load is not None:
        about["load_unit"] = text("load_unit", effort_unit if load_unit is None else load_unit)
    about["effort_constant"] = None if effort_constant is None else number("effort_constant", effort_constant)
    about["effort_delay"] = None if effort_delay is None else number("effort_delay", effort_delay)
    model = {
        "kind": "friction-curve",
        "law": None if law is None else choice("law", law, _LAWS),
        "inertia": None if inertia is None else flag("inertia", inertia),
        "gravity": None if gravity is None else flag("gravity", gravity),
    }
    fit = {"least_velocity": None if least_velocity is None else number("least_velocity", least_velocity)}
    return fitted({"data": about, "model": model, "fit": fit}, columns, origin, {}, None)._told()


@suggesting
def servo(
    logs: Any,
    *,
    drive: str = "goal",
    torque_constant: Number,
    friction: Law,
    unknown: Mapping[str, Any],
    gain: Number | Sequence[Number] | None = None,
    limit: Number | None = None,
    resistance: Number | None = None,
    armature: Number | None = None,
    damping: Number | None = None,
    vertical: Number | None = None,
    load: Mapping[str, Number] | None = None,
    pieces: int | None = None,
    compare: bool | None = None,
    profile: bool | None = None,
    seed: int | None = None,
    title: str | None = None,
    progress: Progress = None,
) -> Fit:
    """Friction of a servo (a motor, a gear with friction and a load), from logs of its shaft angle.

    Parameters
    ----------
    logs : tuple, frame or list of them
        One or several logs of the same servo. A log is a tuple (time, position, drive): times in s or ``datetime64``,
        angles in rad, and the goal in rad, the voltage in V or the current in A. Or it is a pandas or Polars data
        frame, an Arrow table, or a dictionary, with the columns ``time``, ``position``, and ``goal``, ``voltage`` or
        ``current``.
    drive : {"goal", "voltage", "current"}, optional
        What the third column holds.
    torque_constant : float
        Torque at the shaft per ampere, > 0, N·m/A.
    friction : Law
        The friction law, with torques in N·m and velocities in rad/s.
    unknown : dict
        The parameters to fit, by their keys in the fit file, each with its lower and upper bound: ``{"resistance":
        (1.0, 20.0), "friction.coulomb.force": (0.0, 0.1)}``.
    gain : float or sequence of float, optional
        Voltage per radian of position error, V/rad; needed with a goal. One number, or one for each log.
    limit : float, optional
        The largest voltage, V.
    resistance : float, optional
        Resistance of the motor, Ω; 1 by default.
    armature : float, optional
        Inertia of motor and gear, referred to the shaft, kg·m².
    damping : float, optional
        Viscous friction, N·m·s/rad.
    vertical : float, optional
        The shaft angle at which the load hangs straight down, rad.
    load : dict, optional
        ``mass`` (kg) and ``length`` (m) of a pendulum, and additional ``inertia`` (kg·m²).
    pieces : int, optional
        Number of pieces into which each log is split, each with its own initial state.
    compare : bool, optional
        Whether other friction laws are fitted for comparison.
    profile : bool, optional
        Whether the intervals come from the profile of the sum of squares, which is slower.
    seed : int, optional
        Seed of the search.
    title : str, optional
        Title of the report.
    progress : bool or callable, optional
        True shows a progress bar (tqdm). A function is called with the number of parts that are done and the number of
        all parts.

    Returns
    -------
    Fit

    Examples
    --------
    A current drives a load of 0.01 kg·m² against a dry friction of 0.05 N·m:

    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.arange(1500) * 1e-3
    >>> current = 0.6 * np.sin(2 * np.pi * 0.8 * t)
    >>> angle, q, w = np.empty(1500), 0.0, 0.0
    >>> for i in range(1500):
    ...     angle[i] = q
    ...     free = w + 1e-3 * 0.3 * current[i] / 0.011
    ...     w = np.sign(free) * max(abs(free) - 1e-3 * 0.05 / 0.011, 0.0)
    ...     q += 1e-3 * w
    >>> noisy = angle + np.random.default_rng(4).normal(0.0, 1e-4, 1500)
    >>> fit = ss.servo((t, noisy, current), drive="current", torque_constant=0.3, armature=0.001, friction=ss.coulomb(0.03),
    ...                load={"inertia": 0.01}, unknown={"friction.coulomb.force": (0.0, 0.2)}, compare=False, seed=1)
    >>> round(fit.parameters["friction.coulomb.force"].value, 3)
    0.05
    """
    drive = choice("drive", drive, _DRIVES)
    if not isinstance(friction, Law) or isinstance(friction, PythonLaw):
        raise InputError(f"`friction` is {described(friction)}; expected a friction law of this package")
    if not isinstance(unknown, Mapping) or not unknown:
        raise InputError(f"`unknown` is {described(unknown)}; expected a dictionary from keys to pairs (from, to)")
    single = _is_log(logs)
    every = [logs] if single else list(logs) if isinstance(logs, (list, tuple)) else []
    if not every:
        raise InputError(f"`logs` is {described(logs)}; expected (time, position, {drive}), a frame, or a list of them")
    tables: dict[str, list[tuple[str, Array]]] = {}
    origin = None
    for i, log in enumerate(every):
        name = RECORD if len(every) == 1 else f"{RECORD}-{i + 1}"
        try:
            tables[name], origin = _log(log, drive)
        except InputError as wrong:
            if len(every) == 1:
                raise
            raise InputError(f"log {i + 1}: {wrong}") from None
    about: dict[str, Any] = _about(title) | {"position": "position", "position_unit": "rad", drive: drive}
    if len(every) > 1:
        about |= {"file": None, "files": list(tables)}
        origin = None
    numbers_ = {"limit": limit, "resistance": resistance, "armature": armature, "damping": damping, "vertical": vertical}
    model: dict[str, Any] = {"kind": "servo", "torque_constant": number("torque_constant", torque_constant)}
    model |= {name: number(name, value) for name, value in numbers_.items() if value is not None}
    if gain is not None:
        model["gain"] = [float(g) for g in numbers("gain", gain)] if np.iterable(gain) else number("gain", gain)
    if load is not None:
        if not isinstance(load, Mapping):
            raise InputError(f"`load` is {described(load)}; expected a dictionary with mass and length, or inertia")
        model["load"] = {str(name): number(f"load[{name!r}]", value) for name, value in load.items()}
    model["friction"] = friction.document
    fit = {
        "pieces": None if pieces is None else whole("pieces", pieces, 1),
        "compare": None if compare is None else flag("compare", compare),
        "profile": None if profile is None else flag("profile", profile),
        "seed": None if seed is None else whole("seed", seed),
        "unknown": _sought(unknown),
    }
    first = next(iter(tables.values()))
    further = {} if len(every) == 1 else tables
    return fitted({"data": about, "model": model, "fit": fit}, first, origin, {}, progress, further)._told()


def _is_log(log: Any) -> bool:
    """Whether this is one log, and not a list of them."""
    if isinstance(log, (list, tuple)):
        # Three columns of numbers; three logs hold columns of columns, or are frames.
        return len(log) == 3 and not any(_is_frame(column) or np.iterable(_first(column)) for column in log)
    return True


def _is_frame(value: Any) -> bool:
    return isinstance(value, Mapping) or hasattr(value, "columns") or hasattr(value, "column_names")


def _first(column: Any) -> Any:
    """The first entry of a column, or the column where it has none."""
    try:
        return column[0] if len(column) else 0.0
    except (TypeError, KeyError, IndexError):
        return next(iter(column), 0.0) if np.iterable(column) else column


def _log(log: Any, drive: str) -> tuple[list[tuple[str, Array]], np.datetime64 | None]:
    if isinstance(log, (list, tuple)):
        if len(log) != 3:
            raise InputError(f"the log has {len(log)} columns; expected (time, position, {drive})")
        return _record(None, {"position": log[1], drive: log[2]}, log[0])
    return _record(log, {"position": "position", drive: drive}, "time")


def _sought(unknown: Mapping[str, Any]) -> dict[str, Any]:
    """`fit.unknown`: ranges by their keys, which may be paths."""
    out: dict[str, Any] = {}
    for key, span in unknown.items():
        if not isinstance(key, str):
            raise InputError(f"`unknown` has the key {described(key)}; expected a text such as \"resistance\"")
        more: dict[str, Any] = {}
        if isinstance(span, Mapping):
            tied = span.get("tied")
            more = {} if tied is None else {"tied": [tied] if isinstance(tied, str) else list(tied)}
            span = (span.get("from"), span.get("to"))
        if not isinstance(span, (tuple, list)) or len(span) != 2:
            raise InputError(f"`unknown[{key!r}]` is {described(span)}; expected a pair (from, to)")
        low, high = (number(f"unknown[{key!r}]", end) for end in span)
        at = out
        *path, last = key.split(".")
        for part in path:
            at = at.setdefault(part, {})
        at[last] = {"from": low, "to": high, **more}
    return out

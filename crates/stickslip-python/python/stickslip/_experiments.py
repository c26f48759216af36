"""Friction parameters from experiments: pulled sliders and positioning drives."""

from __future__ import annotations

from typing import Any

from ._arguments import Number, Numbers, Times, number
from ._calibrate import RECORD, fitted, series_of
from ._errors import suggesting
from ._fit import Fit


@suggesting
def pulled_slider(
    time: Times,
    force: Numbers,
    *,
    velocity: Number,
    stiffness: Number,
    mass: Number,
    gravity: Number | None = None,
    false_alarms: Number | None = None,
    title: str | None = None,
) -> Fit:
    """Every slip of a slider that a spring pulls at constant speed, from the record of the spring's force.

    Parameters
    ----------
    time : array_like, shape (n,)
        Evenly spaced times, s or ``datetime64``.
    force : array_like, shape (n,)
        Force of the spring, N; NaN where it is missing.
    velocity : float
        Speed of the spring's far end, > 0, m/s.
    stiffness : float
        Of the spring, > 0, N/m.
    mass : float
        Of the slider, > 0, kg.
    gravity : float, optional
        m/s², for coefficients of friction.
    false_alarms : float, optional
        Accepted number of false slips in the record.
    title : str, optional
        Heading of the report.

    Returns
    -------
    Fit
        With a table of the slips.
    """
    columns, origin = series_of({"force": force}, time)
    model = {"kind": "pulled-slider", "velocity": number("velocity", velocity)}
    model |= {"stiffness": number("stiffness", stiffness), "mass": number("mass", mass)}
    model["gravity"] = None if gravity is None else number("gravity", gravity)
    data = {"title": title, "file": RECORD, "time": "time", "time_unit": "s"}
    data |= {"response": "force", "response_unit": "N"}
    fit = {} if false_alarms is None else {"false_alarms": number("false_alarms", false_alarms)}
    return fitted({"data": data, "model": model, "fit": fit}, columns, origin, {}, None)._told()


@suggesting
def rigid_drive(
    time: Times,
    position: Numbers,
    force: Numbers,
    reference: Numbers | None = None,
    *,
    position_gain: Number | None = None,
    velocity_gain: Number | None = None,
    force_gain: Number | None = None,
    cutoff: Number | None = None,
    parallel_cutoff: Number | None = None,
    title: str | None = None,
) -> Fit:
    """Mass, viscous and dry friction of a positioning drive, from a record of its position and force.

    Parameters
    ----------
    time : array_like, shape (n,)
        Evenly spaced times, s or ``datetime64``.
    position : array_like, shape (n,)
        m.
    force : array_like, shape (n,)
        N; in the unit that `force_gain` turns into N, if a controller is given.
    reference : array_like, shape (n,), optional
        Where the drive should be, m; with the gains of the controller the record is simulated too.
    position_gain, velocity_gain, force_gain : float, optional
        Of the controller: 1/s, V·s/m and N/V.
    cutoff, parallel_cutoff : float, optional
        Of the filters, Hz.
    title : str, optional
        Heading of the report.

    Returns
    -------
    Fit
    """
    given = {"position": position, "force": force} | ({} if reference is None else {"reference": reference})
    columns, origin = series_of(given, time)
    data = {"title": title, "file": RECORD, "time": "time", "time_unit": "s"}
    data |= {"position": "position", "position_unit": "m", "force": "force", "force_unit": "N"}
    data["reference"] = None if reference is None else "reference"
    gains = {"position_gain": position_gain, "velocity_gain": velocity_gain, "force_gain": force_gain}
    controller = {k: number(k, v) for k, v in gains.items() if v is not None}
    model: dict[str, Any] = {"kind": "rigid-drive", "controller": controller or None}
    cut = {"cutoff": cutoff, "parallel_cutoff": parallel_cutoff}
    fit = {k: number(k, v) for k, v in cut.items() if v is not None}
    return fitted({"data": data, "model": model, "fit": fit}, columns, origin, {}, None)._told()

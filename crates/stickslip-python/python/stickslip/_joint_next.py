"""After the fit of a joint: the logs to record next, and the motion of the joint step by step."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from ._arguments import Number, described, flag, number, whole
from ._errors import InputError, suggesting
from ._fit import Fit
from ._results import Progress, Result, progress_of
from ._stickslip import JointMotion as Motion
from ._stickslip import design as design_of
from ._stickslip import read_text


class Design(Result):
    """The logs of a servo to record next, as returned by `design`.

    Attributes
    ----------
    log, t, goal, enabled : numpy.ndarray, shape (rows,)
        The trajectories for the controller, row by row: number of the log (1, 2, …), time (s), goal (rad), and 1 while
        the motor is on.
    trajectories : list of dict
        For each log its description (``shape``), the recorded log whose load, mounting and gain it uses (``like``), and
        the ``largest`` expected torque (N·m), speed (rad/s) and angle (rad).
    expected : dict of str to dict
        For each parameter the half-width of its 95 % interval ``now`` and ``then``, and the ``worst`` refit.

    Examples
    --------
    A servo whose goal swings by 0.6 rad, and the log that would tell most about it:

    >>> import numpy as np
    >>> import stickslip as ss
    >>> def made(phase):
    ...     t = np.arange(100) * 0.02
    ...     goal = 0.6 * np.sin(3.0 * t + phase)
    ...     angle, q, w = [], 0.0, 0.0
    ...     for i in range(10000):
    ...         if i % 100 == 0:
    ...             angle.append(q)
    ...         free = w + 2e-4 / 0.014 * (2.0 * (np.interp(2e-4 * i, t, goal) - q) - 1.0 * w)
    ...         w = np.sign(free) * max(abs(free) - 2e-4 / 0.014 * 0.06, 0.0)
    ...         q += 2e-4 * w
    ...     noise = np.random.default_rng(int(phase)).normal(0.0, 1e-3, 100)
    ...     return {"time": t, "goal": goal, "position": np.array(angle) + noise}
    >>> fit = ss.joint([made(0.0), made(1.0)], gain=2.0, torque_constant=1.0, resistance=1.0, armature=0.014,
    ...                friction=ss.coulomb(0.02), unknown={"friction.coulomb.force": (0.0, 0.5)}, terms=False)
    >>> found = ss.design(fit, angle=0.8, seconds=2.0, logs=1)
    >>> len(found.trajectories), set(found.log.tolist())
    (1, {1.0})
    """

    @property
    def _document(self) -> dict[str, Any]:
        return json.loads(self._content("design"))  # type: ignore[no-any-return]

    @property
    def trajectories(self) -> list[dict[str, Any]]:
        return list(self._document["trajectories"])

    @property
    def expected(self) -> dict[str, dict[str, Any]]:
        return dict(self._document["expected"])


@suggesting
def design(
    fit: Fit | str | os.PathLike[str],
    *,
    torque: Number | None = None,
    speed: Number | None = None,
    angle: Number | None = None,
    seconds: Number | None = None,
    logs: int | None = None,
    progress: Progress = None,
) -> Design:
    """Designs the logs of a servo to record next: the trajectories and loads that would best determine what a fit
    leaves uncertain.

    Parameters
    ----------
    fit : Fit or path
        The result of `joint`, or a folder written by ``stickslip calibrate``.
    torque : float, optional
        The largest allowed torque of the motor at the shaft, N·m; by default whatever the motor can give.
    speed : float, optional
        The largest allowed speed, rad/s; by default there is no limit.
    angle : float, optional
        The largest allowed angle to either side of 0, rad; 1 by default.
    seconds : float, optional
        The duration of a log, s; 6 by default.
    logs : int, optional
        The number of logs, 1 to 20; 3 by default.
    progress : bool or callable, optional
        True shows a progress bar (tqdm). A function is called with the number of parts that are done and the number of
        all parts.

    Returns
    -------
    Design

    Raises
    ------
    InputError
        If the fit is not one by `joint`, or no trajectory stays within the limits.

    Examples
    --------
    The logs to record next for the servo of `joint`, whose angles have 1 mrad of noise:

    >>> import numpy as np
    >>> import stickslip as ss
    >>> def made(phase):
    ...     t = np.arange(200) * 0.01
    ...     goal = 0.6 * np.sin(3.0 * t + phase)
    ...     angle, q, w = [], 0.0, 0.0
    ...     for i in range(20000):
    ...         if i % 100 == 0:
    ...             angle.append(q)
    ...         wanted = np.interp(1e-4 * i, t, goal)
    ...         free = w + 1e-4 / 0.014 * (2.0 * (wanted - q) - 1.0 * w)
    ...         w = np.sign(free) * max(abs(free) - 1e-4 / 0.014 * 0.06, 0.0)
    ...         q += 1e-4 * w
    ...     noise = np.random.default_rng(int(phase)).normal(0.0, 1e-3, 200)
    ...     return {"time": t, "goal": goal, "position": np.array(angle) + noise}
    >>> fit = ss.joint([made(0.0), made(1.0)], gain=2.0, torque_constant=1.0, resistance=1.0, armature=0.014,
    ...                friction=ss.coulomb(0.02), unknown={"friction.coulomb.force": (0.0, 0.5)}, terms=False)

    >>> next_ones = ss.design(fit, angle=0.8, seconds=2.0, logs=4)
    >>> expected = next_ones.expected["friction.coulomb.force"]
    >>> expected["then"] < expected["now"], float(abs(next_ones.goal).max()) <= 0.8
    (True, True)
    """
    if isinstance(fit, Fit):
        if "joint" not in fit.summary["fit"]:
            raise InputError("`fit` is not the fit of a servo to many logs; expected what `joint` returned")
        text, table = json.dumps(fit.summary["fit"]), fit._csv("fit")
    elif isinstance(fit, (str, os.PathLike)):
        text, table = (read_text(os.path.join(os.fspath(fit), name)) for name in ("fit.json", "fit.csv"))
    else:
        raise InputError(f"`fit` is {described(fit)}; expected a Fit or a folder of results")
    limits = {"torque": torque, "speed": speed, "angle": angle, "seconds": seconds}
    options: dict[str, Any] = {k: number(k, v) for k, v in limits.items() if v is not None}
    if logs is not None:
        options["logs"] = whole("logs", logs, 1)
    return Design(design_of(text, table, options, progress_of(progress)))


class JointMotion:
    """Simulates a fitted servo, with every term of its model. It receives goals at a fixed rate.

    The simulation reproduces the fit. If it receives the goals of a log at the times of the log's rows, its angles
    equal those in ``fit.csv`` if the drive has a delay of 1.3 ms or more; with a shorter delay they differ by some 1e-5
    rad.

    Parameters
    ----------
    fit : Fit or path
        The result of `joint`, or a folder written by ``stickslip calibrate``.
    step : float
        Time from one goal to the next, s. Between them the goal is interpolated linearly. Transitions between stick and
        slip are located within a step.
    load : dict, optional
        ``inertia`` (kg·m²) and ``gravity_torque`` (N·m); 0 by default.
    gain : float, optional
        Factor of the gain, as in the column ``gain`` of the index; by default the median of the logs.
    supply : float, optional
        Supply voltage, V; by default the median of the logs.
    mounting : int, optional
        Number of the mounting of the load, from 0 in the order of the index.
    goal : float, optional
        The goal of the controller before the start, rad; by default the initial angle.
    angle, speed : float, optional
        Initial angle (rad) and speed (rad/s).

    Examples
    --------
    The servo of `joint` receives a goal of 0.5 rad every 10 ms and comes to rest short of it:

    >>> import numpy as np
    >>> import stickslip as ss
    >>> def made(phase):
    ...     t = np.arange(200) * 0.01
    ...     goal = 0.6 * np.sin(3.0 * t + phase)
    ...     angle, q, w = [], 0.0, 0.0
    ...     for i in range(20000):
    ...         if i % 100 == 0:
    ...             angle.append(q)
    ...         wanted = np.interp(1e-4 * i, t, goal)
    ...         free = w + 1e-4 / 0.014 * (2.0 * (wanted - q) - 1.0 * w)
    ...         w = np.sign(free) * max(abs(free) - 1e-4 / 0.014 * 0.06, 0.0)
    ...         q += 1e-4 * w
    ...     return {"time": t, "goal": goal, "position": np.array(angle)}
    >>> fit = ss.joint([made(0.0), made(1.0)], gain=2.0, torque_constant=1.0, resistance=1.0, armature=0.014,
    ...                friction=ss.coulomb(0.02), unknown={"friction.coulomb.force": (0.0, 0.5)}, terms=False)

    >>> servo = ss.JointMotion(fit, step=0.01)
    >>> for _ in range(1000):
    ...     angle = servo.step(0.5)
    >>> round(angle, 2)
    0.47
    """

    @suggesting
    def __init__(
        self,
        fit: Fit | str | os.PathLike[str],
        *,
        step: Number,
        load: Mapping[str, Number] | None = None,
        gain: Number | None = None,
        supply: Number | None = None,
        mounting: int = 0,
        goal: Number | None = None,
        angle: Number = 0.0,
        speed: Number = 0.0,
    ) -> None:
        if isinstance(fit, Fit):
            found = fit.summary["fit"]
        elif isinstance(fit, (str, os.PathLike)):
            found = json.loads(read_text(os.path.join(os.fspath(fit), "fit.json")))
        else:
            raise InputError(f"`fit` is {described(fit)}; expected a Fit or a folder of results")
        self._every = number("step", step)
        if not 0.0 < self._every <= 1.0:
            raise InputError(f"`step` is {self._every}; expected a time above 0 and of at most 1 s")
        known = dict(load or {})
        inertia, torque = (number(f"load[{k!r}]", known.pop(k, 0.0)) for k in ("inertia", "gravity_torque"))
        if known:
            raise InputError(f"`load` has the key {next(iter(known))!r}; expected inertia and gravity_torque")
        if inertia < 0.0 or torque < 0.0:
            raise InputError(f"`load` is {dict(load or {})}; expected numbers ≥ 0")
        factor = number("gain", found.get("usual_gain", 1.0) if gain is None else gain)
        self._supply = number("supply", found.get("usual_supply", 1.0) if supply is None else supply)
        at = number("angle", angle)
        begins = at if goal is None else number("goal", goal)
        self._motion = Motion(
            json.dumps(found), [inertia, torque, factor], whole("mounting", mounting), [begins, at, number("speed", speed)]
        )

    def step(self, goal: Number, *, supply: Number | None = None, enabled: bool = True) -> float:
        """Advances by one step, during which the goal moves linearly to `goal` (rad), and returns the angle (rad)."""
        volts = self._supply if supply is None else number("supply", supply)
        self._motion.step(self._every, number("goal", goal), volts, flag("enabled", enabled))
        return self._motion.state[1]

    @property
    def time(self) -> float:
        """The present time, s."""
        return self._motion.state[0]

    @property
    def angle(self) -> float:
        """The present angle, rad."""
        return self._motion.state[1]

    @property
    def speed(self) -> float:
        """The present speed, rad/s; exactly 0 while the shaft sticks."""
        return self._motion.state[2]

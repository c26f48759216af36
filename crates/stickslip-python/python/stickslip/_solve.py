"""Solves models."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arguments import Array, Number, Numbers, Scheme, described, flag, number, numbers, seed_of, text, whole
from ._errors import Error, InputError, MotionWarning, naming, suggesting, warn
from ._load import ModelLike, model_of
from ._model import Model
from ._network import Network
from ._path import Path


def settings(
    model: Model,
    t_end: object = None,
    scheme: object = None,
    step: object = None,
    rtol: object = None,
    atol: object = None,
    seed: object = None,
    rows: object = None,
) -> tuple[tuple[str, Any], ...]:
    """Values of `[run]`, checked for their types. Those that are None are left to the model file."""
    out: list[tuple[str, Any]] = []
    if t_end is not None:
        out.append(("end", number("t_end", t_end)))
    elif "end" not in model.run:
        raise InputError("`t_end` is missing; expected the last instant, a number > 0 in s")
    if scheme is not None:
        out.append(("scheme", text("scheme", scheme).replace("_", "-")))
    if step is not None:
        out.append(("step", number("step", step)))
    if rtol is not None:
        out.append(("rtol", number("rtol", rtol)))
    if atol is not None:
        out.append(("atol", number("atol", atol)))
    if seed is not None:
        out.append(("seed", seed_of(seed)))
    if rows is not None:
        out.append(("rows", whole("rows", rows, 2)))
    return tuple(out)


#: Schemes that take no step of their own, and those that take tolerances.
_WITHOUT_STEP = ("exact", "adaptive", "quasi-static", "spring", "yosida", "sign-rk23", "sign-rk45")
_WITH_TOLERANCES = ("adaptive", "sign-rk23", "sign-rk45")


def check_used(model: Model, chosen: tuple[tuple[str, Any], ...], names: Mapping[str, str] | None = None) -> None:
    """Raises an error for a step or a tolerance that the scheme does not use, because it would silently have no effect."""
    given = dict(chosen)
    if not {"step", "rtol", "atol"} & given.keys():
        return
    scheme = given.get("scheme", model.run.get("scheme"))
    if scheme is None or ("step" in given and scheme in _WITHOUT_STEP):
        problem = model._problem(chosen)
        scheme, noisy = problem.scheme, problem.noisy
    else:
        noisy = False
    called = {"step": "step", "rtol": "rtol", "atol": "atol"} | dict(names or {})
    for name in ("rtol", "atol"):
        if name in given and scheme not in _WITH_TOLERANCES:
            raise InputError(
                f"`{called[name]}` was given, but the scheme `{scheme}` has no tolerances\n"
                f'leave it out, or pass {called.get("scheme", "scheme")}="adaptive"'
            )
    if "step" in given and scheme in _WITHOUT_STEP and not noisy:
        raise InputError(
            f"`{called['step']}` was given, but the scheme `{scheme}` takes no steps and the model has no noise\n"
            f'leave it out, or pass a scheme that takes steps, such as {called.get("scheme", "scheme")}="implicit-euler"'
        )


def used_settings(
    model: Model,
    t_end: object = None,
    scheme: object = None,
    step: object = None,
    rtol: object = None,
    atol: object = None,
    seed: object = None,
    rows: object = None,
    *,
    names: Mapping[str, str] | None = None,
) -> tuple[tuple[str, Any], ...]:
    """`settings` after `check_used`; `names` maps them to a function's own argument names."""
    chosen = settings(model, t_end, scheme, step, rtol, atol, seed, rows)
    check_used(model, chosen, names)
    return chosen


@suggesting
def solve(
    model: ModelLike,
    t_end: Number | None = None,
    scheme: Scheme | None = None,
    *,
    step: Number | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    seed: int | np.random.Generator | None = None,
) -> Path:
    """Solves a model from t = 0 to `t_end`.

    Parameters
    ----------
    model : Oscillator, Cascade, Network or Impact
        The model, or anything that `load` accepts.
    t_end : float, optional
        End of the run, s. It may be left out if the model comes from a file that states it.
    scheme : str, optional
        The scheme. By default that of the model file, or else one that suits the model: ``exact`` where closed forms
        exist. `Path.scheme` says which one was used. Oscillators: ``exact``, ``adaptive``, ``euler``,
        ``implicit-euler``, ``theta``, ``quasi-static``, ``sign-euler``, ``sign-implicit``. Cascades: ``exact``,
        ``implicit-euler``, ``hysteresis``, ``theta``, ``quasi-static``. Networks: ``exact``, ``implicit-euler`` (where a step is
        given), ``theta``, ``sign-euler``. Impacts: ``exact``, ``moreau``, ``spring``, ``yosida``.
    step : float, optional
        Step of a time-stepping scheme, s. With noise, also the step with which the path of the noise is generated.
    rtol, atol : float, optional
        Relative and absolute tolerance of ``adaptive``.
    seed : int or numpy.random.Generator, optional
        Seed of the noise. By default the seed of the model file, or 1, so that repeated calls give the same path. A
        generator gives a new path at each call.

    Returns
    -------
    Path
        The motion, its events and its energies.

    Raises
    ------
    InputError
        If the model or an argument is wrong, a step or a tolerance was given that the scheme does not use, or a signal
        does not last until `t_end`.
    SchemeError
        If the scheme does not suit the model.
    UnsolvableError
        If the problem has no solution.

    References
    ----------
    Exact motions: Bensoussan et al. (2021), §2.3. Time-stepping: §3.1 of the same paper and Bastien, Bernardin,
    Lamarque (2013), §1.2.3; for networks and walls Moreau (1988).

    Examples
    --------
    Shaw (1986), figure 8: four slips in forty seconds, three of which reverse once before they end.

    >>> import stickslip as ss
    >>> shaw = ss.Oscillator(
    ...     mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.harmonic(6.0, 0.5), x0=6.0
    ... )
    >>> path = ss.solve(shaw, t_end=40)
    >>> path.energy.relative_defect < 1e-12
    True
    """
    if not isinstance(model, Model):
        model = model_of(model)
    chosen = used_settings(model, t_end, scheme, step, rtol, atol, seed)
    return _solved(model, chosen)


def _solved(model: Model, chosen: tuple[tuple[str, Any], ...]) -> Path:
    path = Path(model, chosen, model._problem(chosen).solve())
    if path.warnings:
        warn(path.warnings, MotionWarning)
    return path


class OdeResult(dict[str, Any]):
    """The result of `solve_ivp`: a dictionary whose keys are also attributes, as in SciPy.

    Attributes
    ----------
    t : numpy.ndarray, shape (n,)
        Times, s.
    y : numpy.ndarray, shape (2, n)
        Displacement and velocity; for a network those of all nodes.
    sol : Path
        The motion at any time, as ``sol(t)``.
    t_events : list of numpy.ndarray
        Times of the events of each kind in `event_kinds`, s.
    y_events : list of numpy.ndarray
        The states at these times.
    event_kinds : tuple of str
        The kinds of events that happened.
    status : int
        0, which means that the end was reached.
    message : str
        The status in words.
    success : bool
        True.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5))
    >>> found = ss.solve_ivp(block, (0, 9), [0.0, 2.0])
    >>> found.event_kinds, found.t_events[0].tolist(), found.y[0, -1].round(12)
    (('stick',), [4.0], np.float64(4.0))
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(f"{k:>{width}}: {v!r}" for k, v in self.items())


def _started(model: Model, y0: object) -> Model:
    """The model with this initial state."""
    y = numbers("y0", y0)
    if not np.isfinite(y).all():
        wrong = int(np.flatnonzero(~np.isfinite(y))[0])
        raise InputError(f"`y0[{wrong}]` is {y[wrong]}; expected a finite number")
    if isinstance(model, Network):
        count = len(model.nodes)
        if len(y) != 2 * count:
            raise InputError(
                f"`y0` holds {len(y)} numbers; expected {2 * count}: the displacements of the {count} nodes, then their velocities"
            )
        nodes = [dataclasses.replace(n, x0=float(x), v0=float(v)) for n, x, v in zip(model.nodes, y[:count], y[count:])]
        return model.replace(nodes=nodes)
    if len(y) != 2:
        raise InputError(f"`y0` holds {len(y)} numbers; expected two: displacement (m) and velocity (m/s)")
    return model.replace(x0=float(y[0]), v0=float(y[1]))


@suggesting
def solve_ivp(
    model: ModelLike,
    t_span: Sequence[Number],
    y0: Numbers | None = None,
    method: Scheme | None = None,
    t_eval: Numbers | None = None,
    dense_output: bool = True,
    events: None = None,
    *,
    rtol: Number | None = None,
    atol: Number | None = None,
    max_step: Number | None = None,
    seed: int | np.random.Generator | None = None,
) -> OdeResult:
    """Solves a model, with the arguments of ``scipy.integrate.solve_ivp`` in the same order.

    Parameters
    ----------
    model : Oscillator, Cascade, Network or Impact
        The model, in place of SciPy's function.
    t_span : (float, float)
        First and last instant, s. The first must be 0.
    y0 : array_like, shape (2,) or (2 * nodes,), optional
        Initial displacement (m) and velocity (m/s); for a network, the displacements of all nodes followed by their
        velocities. By default the initial state of the model.
    method : str, optional
        The scheme: see `solve`.
    t_eval : array_like, shape (n,), optional
        Times at which the motion is returned, s; by default events and breakpoints.
    dense_output : bool
        Accepted for compatibility with SciPy; `sol` is always returned.
    events : None
        Accepted for compatibility with SciPy. The events of the motion are always found, and are in ``t_events``.
    rtol, atol : float, optional
        Relative and absolute tolerance of ``adaptive``.
    max_step : float, optional
        Step of a time-stepping scheme, s.
    seed : int or numpy.random.Generator, optional
        Seed of the noise: see `solve`.

    Returns
    -------
    OdeResult
        With ``t``, ``y``, ``t_events``, ``y_events``, ``sol``, ``status``, ``message`` and ``success``.

    Raises
    ------
    InputError, UnsolvableError
        As `solve`.

    Examples
    --------
    >>> import stickslip as ss
    >>> model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5))
    >>> ss.solve_ivp(model, (0, 10), [2.0, 0.0], t_eval=[0.0, 10.0]).y[0].round(12)
    array([2., 0.])
    """
    try:
        start, end = t_span
    except (TypeError, ValueError):
        raise InputError(f"`t_span` is {described(t_span)}; expected two numbers (0, t_end)") from None
    if number("t_span[0]", start) != 0.0:
        raise InputError(f"`t_span` begins at {start!r}; expected 0: a model's time begins there")
    if events is not None:
        raise InputError("`events` was given; the events of the motion are found without it, and stand in `t_events`")
    flag("dense_output", dense_output)
    if callable(model):
        raise InputError(f"`model` is {described(model)}; expected a model such as Oscillator(…) in the place of a function")
    made = model_of(model)
    if y0 is not None:
        made = _started(made, y0)
    names = {"step": "max_step", "scheme": "method", "t_end": "t_span[1]"}
    with naming(names):
        chosen = used_settings(made, number("t_span[1]", end), method, max_step, rtol, atol, seed, names=names)
        path = _solved(made, chosen)
    if t_eval is None:
        t: Array = path.t
        y = path._table[path._rows("position") + path._rows("velocity")]
    else:
        t, _ = path._at(t_eval)
        y = path(t)
    kinds = tuple(dict.fromkeys(path.events["event"].tolist()))
    t_events: list[npt.NDArray[np.float64]] = [path.events["t"][path.events["event"] == k] for k in kinds]
    return OdeResult(
        t=t,
        y=y,
        sol=path,
        t_events=t_events,
        y_events=[path(at).T for at in t_events],
        event_kinds=kinds,
        nfev=path.counts["steps"],
        status=0,
        message="The solver successfully reached the end of the integration interval.",
        success=True,
    )


__all__ = ["Error", "OdeResult", "solve", "solve_ivp"]

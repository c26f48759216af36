"""Solving."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arguments import Array, Number, Numbers, described, number, text, whole
from ._errors import Error, InputError, suggesting
from ._load import ModelLike, model_of
from ._model import Model
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
    """Values of `[run]`, checked for their types; what is None is left to the model's file."""
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
        out.append(("seed", whole("seed", seed)))
    if rows is not None:
        out.append(("rows", whole("rows", rows, 2)))
    return tuple(out)


@suggesting
def solve(
    model: ModelLike,
    t_end: Number | None = None,
    scheme: str | None = None,
    *,
    step: Number | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    seed: int | None = None,
) -> Path:
    """The motion of a model from t = 0 to `t_end`.

    Parameters
    ----------
    model : Oscillator, Cascade, Network or Impact
        What moves; or what `load` takes.
    t_end : float, optional
        The last instant, s. It may be left out if the model comes from a file that says it.
    scheme : str, optional
        How the motion is advanced. Oscillators: ``exact`` (the default), ``adaptive``, ``euler``,
        ``implicit-euler``, ``quasi-static``, ``sign-euler``, ``sign-implicit``. Cascades: ``exact``,
        ``implicit-euler``, ``hysteresis``, ``quasi-static``. Networks: ``implicit-euler`` (the default), ``theta``,
        ``exact``, ``sign-euler``. Impacts: ``exact``, ``moreau``, ``spring``, ``yosida``.
    step : float, optional
        Step of a time-stepping scheme, s; under noise also the step at which its path is made.
    rtol, atol : float, optional
        Tolerances of ``adaptive``.
    seed : int, optional
        Which path of the noises.

    Returns
    -------
    Path
        The motion, its events and its energies.

    Raises
    ------
    InputError
        If the model or an argument is wrong, or a signal does not last until `t_end`.
    SchemeError
        If the scheme does not suit the model.
    UnsolvableError
        If the problem has no solution.

    References
    ----------
    Exact motions: Bensoussan et al. (2021), §2.3. Time steps: §3.1 there; Bastien, Bernardin, Lamarque (2013),
    §1.2.3; of networks and walls Moreau (1988).

    Examples
    --------
    Shaw (1986), figure 8: four slips in forty seconds, three of which turn once before they end.

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
    chosen = settings(model, t_end, scheme, step, rtol, atol, seed)
    return Path(model, chosen, model._problem(chosen).solve())


class OdeResult(dict[str, Any]):
    """What `solve_ivp` returns: a dictionary whose keys are attributes, as SciPy's.

    Attributes
    ----------
    t : numpy.ndarray, shape (n,)
        Times, s.
    y : numpy.ndarray, shape (2, n)
        Displacement and velocity; of a network those of all nodes.
    sol : Path
        The motion anywhere: ``sol(t)``.
    t_events : list of numpy.ndarray
        Times of the events of each kind in `event_kinds`, s.
    y_events : list of numpy.ndarray
        The states there.
    event_kinds : tuple of str
        The kinds of events that happened.
    status : int
        0: the end was reached.
    message : str
        In words.
    success : bool
        True.
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


@suggesting
def solve_ivp(
    model: ModelLike,
    t_span: Sequence[Number],
    t_eval: Numbers | None = None,
    *,
    method: str | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
    max_step: Number | None = None,
    seed: int | None = None,
    dense_output: bool = True,
) -> OdeResult:
    """The motion of a model, with the look of ``scipy.integrate.solve_ivp``.

    Parameters
    ----------
    model : Oscillator, Cascade, Network or Impact
        What moves; its initial state is part of it.
    t_span : (float, float)
        First and last instant, s. The first is 0.
    t_eval : array_like, shape (n,), optional
        Times at which the motion is wanted; events and breakpoints without it.
    method : str, optional
        The scheme: see `solve`.
    rtol, atol : float, optional
        Tolerances of ``adaptive``.
    max_step : float, optional
        Step of a time-stepping scheme, s.
    seed : int, optional
        Which path of the noises.
    dense_output : bool
        Taken for SciPy's sake: `sol` is always there.

    Returns
    -------
    OdeResult
        With ``t``, ``y``, ``t_events``, ``y_events``, ``sol``, ``status``, ``message`` and ``success``.

    Raises
    ------
    InputError, UnsolvableError
        As `solve`.
    """
    try:
        start, end = t_span
    except (TypeError, ValueError):
        raise InputError(f"`t_span` is {described(t_span)}; expected two numbers (0, t_end)") from None
    if number("t_span[0]", start) != 0.0:
        raise InputError(f"`t_span` begins at {start!r}; expected 0: a model's time begins there")
    path = solve(model, end, method, step=max_step, rtol=rtol, atol=atol, seed=seed)
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

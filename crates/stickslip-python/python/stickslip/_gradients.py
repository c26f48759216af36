"""Gradients of losses: a number that depends on a motion, and its derivatives with respect to numbers of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._arguments import Array, Number, Numbers, described, matrix, number
from ._errors import InputError, suggesting
from ._load import ModelLike, model_of
from ._sensitivity import Doubt, Sensitivity, sensitivity


class Outputs(NamedTuple):
    """What a loss is computed from.

    Attributes
    ----------
    t : numpy.ndarray, shape (T,)
        Times, s.
    x, v : numpy.ndarray, shape (T,)
        Displacement (m) and velocity (m/s) at these times.
    event_times : numpy.ndarray, shape (n,)
        Times of the events, s.
    """

    t: Array
    x: Array
    v: Array
    event_times: Array


class Gradient(NamedTuple):
    """What `value_and_grad` returns.

    Attributes
    ----------
    value : float
        The loss.
    grad : numpy.ndarray, shape (k,)
        Its derivatives with respect to the numbers; NaN where there is none.
    doubtful : tuple of Doubt
        Instants at which the motion has no derivative.
    sensitivity : Sensitivity
        The derivatives of the motion.
    """

    value: float
    grad: Array
    doubtful: tuple[Doubt, ...]
    sensitivity: Sensitivity


@suggesting
def value_and_grad(
    model: ModelLike,
    loss: Callable[[Outputs], tuple[Number, Mapping[str, Any]]],
    wrt: Sequence[str] | str,
    t_end: Number | None = None,
    scheme: str | None = None,
    *,
    t: Numbers | None = None,
    rtol: Number | None = None,
    atol: Number | None = None,
) -> Gradient:
    """A loss of a motion and its gradient with respect to numbers of the model.

    Parameters
    ----------
    model : Oscillator, Cascade or Impact
        What moves.
    loss : callable
        From `Outputs` to the loss and a dictionary of its derivatives with respect to ``x``, ``v`` and ``event_times``; what
        is left out of the dictionary does not enter the loss.
    wrt, t_end, scheme, t, rtol, atol
        As for `sensitivity`.

    Returns
    -------
    Gradient

    Raises
    ------
    InputError
        If the loss returns something else, or what it returns has another shape; and as `sensitivity`.

    Examples
    --------
    How far a block misses 0.3 m, and what to change: it slides x = v₀²/(2 μ g) = 0.408 m, so that ∂x/∂v₀ = v₀/(μ g).

    >>> import stickslip as ss
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), normal=9.81, v0=2.0)
    >>> def miss(out):
    ...     return 0.5 * (out.x[-1] - 0.3) ** 2, {"x": [out.x[-1] - 0.3]}
    >>> found = ss.value_and_grad(block, miss, "oscillator.initial.velocity", t_end=2, t=[2.0])
    >>> round(found.value, 6), found.grad.round(6)
    (0.005805, array([0.043934]))
    """
    model = model_of(model)
    if model.kind == "network":
        raise InputError("losses are there for models of one mass; of a network take ss.sensitivity, which has the derivatives of each node")
    if not callable(loss):
        raise InputError(f"`loss` is {described(loss)}; expected a function of the outputs")
    s = sensitivity(model, wrt, t_end, scheme, t=t, rtol=rtol, atol=atol)
    x, v = s.path(s.t)
    out = Outputs(s.t, x, v, np.asarray(s.events["t"]))
    returned = loss(out)
    if not (isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], Mapping)):
        raise InputError(f"`loss` returned {described(returned)}; expected the loss and a dictionary of its derivatives")
    value, rates = number("the loss", returned[0]), returned[1]
    tables = {"x": s.x, "v": s.v, "event_times": s.event_times}
    grad = np.zeros(len(s.wrt))
    for name, rate in rates.items():
        if name not in tables:
            raise InputError(f"`loss` returned a derivative with respect to {described(name)}; expected {', '.join(tables)}")
        row = matrix(f"the derivative with respect to {name}", rate)
        if row.shape != tables[name].shape[:1]:
            raise InputError(f"the derivative of the loss with respect to {name} has the shape {row.shape}; expected {tables[name].shape[:1]}")
        # What does not enter the loss does not matter: 0 · NaN is left out.
        used = row != 0.0
        grad += row[used] @ tables[name][used]
    return Gradient(value, grad, s.doubtful, s)

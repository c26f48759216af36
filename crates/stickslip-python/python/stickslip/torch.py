"""Motions as functions of PyTorch, with gradients through stick and slip.

This module needs PyTorch, which must be installed separately.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._arguments import Number, Numbers, Scheme
from ._errors import Error
from ._load import ModelLike
from ._simulated import Simulated

try:
    import torch
except ImportError:
    raise Error("stickslip.torch needs PyTorch, which is not installed: pip install torch") from None


def simulator(
    model: ModelLike,
    wrt: Sequence[str] | str,
    t_end: Number | None = None,
    scheme: Scheme | None = None,
    *,
    t: Numbers,
    rtol: Number | None = None,
    atol: Number | None = None,
) -> Callable[[Any], tuple[Any, Any]]:
    """Makes a PyTorch function from parameters of a model to its motion.

    Parameters
    ----------
    model, wrt, t_end, scheme, t, rtol, atol
        As for `sensitivity`. The model must be an `Oscillator`, a `Cascade`, a `Network` or an `Impact`. The parameters
        at the keys `wrt` are the arguments of the function.

    Returns
    -------
    callable
        A function from a tensor of shape (…, k), the values of the parameters, to displacement (m) and velocity (m/s),
        two tensors of shape (…, T), or (…, nodes, T) for a network. The motions of a batch are solved by one call of
        `solve_many`, on all cores. Derivatives are those of `sensitivity`: NaN after an instant at which the motion is
        not differentiable. For samples (``"oscillator.force.0.sampled"``, each value of which is an entry of the tensor)
        and for more than 8 parameters of an `Oscillator` they are computed in reverse mode, as by `value_and_grad`.

    Examples
    --------
    >>> import stickslip as ss, torch
    >>> from stickslip.torch import simulator
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> motion = simulator(block, ["oscillator.friction.coulomb.force"], t_end=9, t=[9.0])
    >>> force = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    >>> motion(force)[0].sum().backward()
    >>> force.grad.round(decimals=9).tolist()
    [-8.0]
    """
    core = Simulated(model, wrt, t_end, scheme, t=t, rtol=rtol, atol=atol)

    class Motion(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
        @staticmethod
        def forward(ctx: Any, p: Any) -> tuple[Any, Any]:
            ctx.save_for_backward(p)
            x, v = core.states(p.detach().cpu().numpy().astype(np.float64))
            return tuple(torch.from_numpy(np.array(y)).to(p) for y in (x, v))  # type: ignore[return-value, unused-ignore]

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator, unused-ignore]
        def backward(ctx: Any, of_x: Any, of_v: Any) -> Any:
            (p,) = ctx.saved_tensors
            at = p.detach().cpu().numpy().astype(np.float64)
            looked = [of.double().cpu().numpy() for of in (of_x, of_v)]
            if core.goes_back:
                grad = core.back(at, *looked)
            else:
                shown = tuple(range(-1 - len(core.shape), -1))
                grad = sum((of[..., None] * y).sum(axis=shown) for of, y in zip(looked, core.rates(at)))
            return torch.from_numpy(np.asarray(grad)).to(p)

    def called(p: Any) -> tuple[Any, Any]:
        x, v = Motion.apply(p)
        return x, v

    return called


__all__ = ["simulator"]

"""Motions as functions of JAX: ``jit``, ``vmap``, ``jvp`` and ``grad`` work, through stick and slip.

This module needs JAX, which must be installed separately. The library computes in double precision. Without
``jax.config.update("jax_enable_x64", True)`` JAX rounds inputs and outputs to single precision.
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
    import jax
    import jax.numpy as jnp
except ImportError:
    raise Error("stickslip.jax needs JAX, which is not installed: pip install jax") from None


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
    """Makes a JAX function from parameters of a model to its motion.

    Parameters
    ----------
    model, wrt, t_end, scheme, t, rtol, atol
        As for `sensitivity`. The model must be an `Oscillator`, a `Cascade`, a `Network` or an `Impact`. The parameters
        at the keys `wrt` are the arguments of the function.

    Returns
    -------
    callable
        A function from an array of shape (k,), the values of the parameters, to displacement (m) and velocity (m/s),
        two arrays of shape (T,), or (nodes, T) for a network. Under ``jax.vmap`` all motions are solved by one call of
        `solve_many`, on all cores. Derivatives are those of `sensitivity`: NaN after an instant at which the motion is
        not differentiable. For samples (``"oscillator.force.0.sampled"``, each value of which is an entry of the array)
        and for more than 8 parameters of an `Oscillator` they are computed in reverse mode, as by `value_and_grad`. Then
        ``jax.grad``, ``jax.vjp`` and ``jax.jacrev`` work, but not ``jax.jvp``.

    Examples
    --------
    >>> import jax, stickslip as ss
    >>> from stickslip.jax import simulator
    >>> block = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), v0=2.0)
    >>> motion = simulator(block, ["oscillator.friction.coulomb.force"], t_end=9, t=[9.0])
    >>> jax.grad(lambda p: motion(p)[0][-1])(jax.numpy.array([0.5])).round(3).tolist()
    [-8.0]
    """
    core = Simulated(model, wrt, t_end, scheme, t=t, rtol=rtol, atol=atol)
    count, last = core.count, len(core.shape)

    def shape(p: Any, *more: int) -> Any:
        return jax.ShapeDtypeStruct((*p.shape[:-1], *more), jnp.result_type(float))  # type: ignore[no-untyped-call, unused-ignore]

    def states(p: Any) -> Any:
        return np.stack(core.states(np.asarray(p, np.float64)), axis=-1 - last)

    def rates(p: Any) -> Any:
        return np.stack(core.rates(np.asarray(p, np.float64)), axis=-2 - last)

    def typed(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda p: f(p).astype(jnp.result_type(float))

    def solved(p: Any) -> Any:
        return jax.pure_callback(typed(states), shape(p, 2, *core.shape), p, vmap_method="expand_dims")

    motion: Any
    if core.goes_back:

        def turned(p: Any, of: Any) -> Any:
            of_x, of_v = np.moveaxis(np.asarray(of, np.float64), -1 - last, 0)
            return core.back(np.asarray(p, np.float64), of_x, of_v).astype(jnp.result_type(float))

        def back(p: Any, of: Any) -> tuple[Any]:
            return (jax.pure_callback(turned, shape(p, count), p, of, vmap_method="expand_dims"),)

        motion = jax.custom_vjp(solved)
        motion.defvjp(lambda p: (motion(p), p), back)
    else:
        motion = jax.custom_jvp(solved)

        @motion.defjvp  # type: ignore[untyped-decorator, unused-ignore]
        def _(primals: Any, tangents: Any) -> Any:
            (p,), (dp,) = primals, tangents
            jacobian = jax.pure_callback(typed(rates), shape(p, 2, *core.shape, count), p, vmap_method="expand_dims")
            return motion(p), jacobian @ dp

    def called(p: Any) -> tuple[Any, Any]:
        both = motion(jnp.asarray(p, jnp.result_type(float)))
        return both[0], both[1]

    return called


__all__ = ["simulator"]

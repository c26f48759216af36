"""Motions and their derivatives for arrays of numbers of any shape: what `stickslip.jax` and `stickslip.torch` call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._arguments import Array, Number, Numbers, described, numbers
from ._errors import InputError
from ._executors import key_of, values_of
from ._load import ModelLike, model_of
from ._many import solve_many
from ._solve import used_settings
from ._stickslip import sensitivity


class Simulated:
    """A model, the numbers of it that vary, and the times at which it is looked at."""

    def __init__(
        self,
        model: ModelLike,
        wrt: Sequence[str] | str,
        t_end: Number | None = None,
        scheme: str | None = None,
        *,
        t: Numbers,
        rtol: Number | None = None,
        atol: Number | None = None,
    ) -> None:
        self._model = model_of(model)
        if self._model.kind != "oscillator":
            raise InputError(f"a simulator takes an Oscillator; this is a model of the kind `{self._model.kind}`")
        wrt = [wrt] if isinstance(wrt, str) else wrt
        if not isinstance(wrt, Sequence) or not wrt:
            raise InputError(f"`wrt` is {described(wrt)}; expected a list of keys, such as [\"oscillator.mass\"]")
        self.wrt = tuple(key_of("wrt", self._model, key) for key in wrt)
        self.t = numbers("t", t, 1)
        self._settings = {"t_end": t_end, "scheme": scheme, "rtol": rtol, "atol": atol}
        self._chosen = used_settings(self._model, t_end, scheme, None, rtol, atol)

    def _rows(self, p: Array) -> Array:
        if p.ndim < 1 or p.shape[-1] != len(self.wrt):
            raise InputError(f"the numbers have the shape {p.shape}; expected (…, {len(self.wrt)}): one for each of {', '.join(self.wrt)}")
        return np.ascontiguousarray(p.reshape(-1, len(self.wrt)))

    def states(self, p: Array) -> tuple[Array, Array]:
        """Displacements and velocities for numbers (…, k): two arrays (…, T)."""
        rows = self._rows(p)
        vary = {key: rows[:, k].copy() for k, key in enumerate(self.wrt)}
        many = solve_many(self._model, vary, t=self.t, columns=["x", "v"], **self._settings)  # type: ignore[arg-type]
        shape = (*p.shape[:-1], len(self.t))
        return many.x.reshape(shape), many.v.reshape(shape)

    def rates(self, p: Array) -> tuple[Array, Array]:
        """Their derivatives: two arrays (…, T, k)."""
        rows, keys = self._rows(p), list(self.wrt)
        out = np.empty((2, len(rows), len(self.t), len(keys)))
        for i, row in enumerate(rows.tolist()):
            values = {**values_of(self._chosen), **dict(zip(keys, row))}
            (x, v, _), *_ = sensitivity(self._model._checked, values, keys, self.t)
            out[0, i], out[1, i] = x, v
        shape = (*p.shape[:-1], len(self.t), len(keys))
        return out[0].reshape(shape), out[1].reshape(shape)

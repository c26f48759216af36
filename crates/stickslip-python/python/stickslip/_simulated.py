"""Motions and their derivatives for arrays of parameters of any shape, for `stickslip.jax` and `stickslip.torch`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._arguments import Array, Number, Numbers, Scheme, numbers
from ._errors import InputError
from ._executors import values_of
from ._gradients import FEW, Unknowns, states_at
from ._load import ModelLike, model_of
from ._many import solve_many
from ._network import Network
from ._path import Path
from ._solve import used_settings
from ._stickslip import sensitivity


class Simulated:
    """A model, its varied parameters, and the times at which its state is computed."""

    def __init__(
        self,
        model: ModelLike,
        wrt: Sequence[str] | str,
        t_end: Number | None = None,
        scheme: Scheme | None = None,
        *,
        t: Numbers,
        rtol: Number | None = None,
        atol: Number | None = None,
    ) -> None:
        self._model = model_of(model)
        if self._model.kind not in ("oscillator", "cascade", "network", "impact"):
            raise InputError(
                f"a simulator takes an Oscillator, a Cascade, a Network or an Impact; this is a model of the kind `{self._model.kind}`"
            )
        self._unknowns = Unknowns(self._model, wrt)
        self.wrt, self.sizes = self._unknowns.wrt, self._unknowns.sizes
        #: How many numbers there are, each value of samples counted.
        self.count = sum(self.sizes)
        self.t = numbers("t", t, 1)
        #: The shape of displacements, and of velocities: one row for each node of a network.
        self.shape = (len(self._model.nodes), len(self.t)) if isinstance(self._model, Network) else (len(self.t),)
        names = [f"_{node.name}" for node in self._model.nodes] if isinstance(self._model, Network) else [""]
        self._columns = [what + name for what in "xv" for name in names]
        self._settings = {"t_end": t_end, "scheme": scheme, "rtol": rtol, "atol": atol}
        self._chosen = used_settings(self._model, t_end, scheme, None, rtol, atol)

    def _rows(self, p: Array) -> Array:
        if p.ndim < 1 or p.shape[-1] != self.count:
            raise InputError(f"the numbers have the shape {p.shape}; expected (…, {self.count}): one for each of {', '.join(self.wrt)}")
        return np.ascontiguousarray(p.reshape(-1, self.count))

    @property
    def goes_back(self) -> bool:
        """Whether derivatives are computed in reverse mode, as for samples and for many parameters of an oscillator."""
        return bool(self._unknowns.samples) or (self.count > FEW and self._model.kind == "oscillator")

    def states(self, p: Array) -> tuple[Array, Array]:
        """Displacements and velocities for parameters (…, k), as two arrays (…, T), or (…, nodes, T) of a network."""
        rows = self._rows(p)
        if self._unknowns.samples:
            return self._states_of_samples(p, rows)
        vary = {key: rows[:, k].copy() for k, key in enumerate(self.wrt)}
        many = solve_many(self._model, vary, t=self.t, columns=self._columns, **self._settings)  # type: ignore[arg-type]
        shape = (*p.shape[:-1], *self.shape)
        return many.x.reshape(shape), many.v.reshape(shape)

    def _states_of_samples(self, p: Array, rows: Array) -> tuple[Array, Array]:
        """The same if each motion has its own signals; they are solved one after the other."""
        out = np.empty((2, len(rows), *self.shape))
        for i, row in enumerate(rows):
            plain, samples = self._unknowns.parted(row)
            model = self._unknowns.model(self._model, samples)
            if plain:
                vary = {key: [value] for key, value in plain.items()}
                many = solve_many(model, vary, t=self.t, columns=self._columns, **self._settings)  # type: ignore[arg-type]
                out[0, i], out[1, i] = many.x[0], many.v[0]
            else:
                out[:, i] = states_at(Path(model, self._chosen, model._problem(self._chosen).solve()), self.t)
        shape = (*p.shape[:-1], *self.shape)
        return out[0].reshape(shape), out[1].reshape(shape)

    def back(self, p: Array, of_x: Array, of_v: Array) -> Array:
        """The gradients (…, k) of losses whose derivatives with respect to displacements and velocities are given, each
        in the shape of `states`."""
        last = len(self.shape)
        lead = np.broadcast_shapes(p.shape[:-1], of_x.shape[:-last], of_v.shape[:-last])
        rows = self._rows(np.broadcast_to(p, (*lead, p.shape[-1])))
        x, v = (np.broadcast_to(of, (*lead, *self.shape)).reshape(-1, *self.shape) for of in (of_x, of_v))
        out = np.empty((len(rows), self.count))
        for i, row in enumerate(rows):
            plain, samples = self._unknowns.parted(row)
            model = self._unknowns.model(self._model, samples)
            looked = (self.t, np.ascontiguousarray(x[i]), np.ascontiguousarray(v[i]), np.zeros(0))
            out[i], *_ = self._unknowns.back(model, {**values_of(self._chosen), **plain}, None, looked)
        return out.reshape(*lead, self.count)

    def rates(self, p: Array) -> tuple[Array, Array]:
        """Derivatives of displacements and velocities, as two arrays in the shape of `states` and k behind it."""
        rows, keys = self._rows(p), list(self.wrt)
        out = np.empty((2, len(rows), *self.shape, len(keys)))
        for i, row in enumerate(rows.tolist()):
            values = {**values_of(self._chosen), **dict(zip(keys, row))}
            (x, v, _), *_ = sensitivity(self._model._checked, values, None, keys, self.t)
            for of, table in zip(out, (x, v)):
                # The nodes at one time come one after the other there.
                of[i] = table if len(self.shape) == 1 else table.reshape(*self.shape[::-1], -1).swapaxes(0, 1)
        shape = (*p.shape[:-1], *self.shape, len(keys))
        return out[0].reshape(shape), out[1].reshape(shape)

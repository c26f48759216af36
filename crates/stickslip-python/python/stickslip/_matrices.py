"""Networks from matrices, as finite-element programs give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arguments import Array, Numbers, described, numbers
from ._errors import InputError
from ._network import Dashpot, Network, Node, Slider, Spring
from ._signals import Signal, SignalLike, signal

#: What is less than this share of a row's largest entry is taken for the rounding of a sum.
_ROUNDING = 1e-9

Entries = tuple["npt.NDArray[np.intp]", "npt.NDArray[np.intp]", Array]


def _entries(name: str, matrix: Any, rows: int | None) -> tuple[Entries, tuple[int, int]]:
    """The entries of a dense or sparse matrix that are not zero: rows, columns, values."""
    if hasattr(matrix, "tocoo"):
        coo = matrix.tocoo()
        coo.sum_duplicates()
        shape, found = coo.shape, (coo.row.astype(np.intp), coo.col.astype(np.intp), coo.data.astype(np.float64))
    else:
        try:
            dense = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"`{name}` is {described(matrix)}; expected a matrix") from None
        if dense.ndim == 1 and name == "M":
            dense = np.diag(dense)
        if dense.ndim != 2:
            raise InputError(f"`{name}` has the shape {dense.shape}; expected two dimensions")
        i, j = np.nonzero(dense)
        shape, found = dense.shape, (i, j, dense[i, j])
    if rows is not None and shape != (rows, rows):
        raise InputError(f"`{name}` has the shape {tuple(shape)}; expected {(rows, rows)}")
    if not np.isfinite(found[2]).all():
        raise InputError(f"`{name}` holds a number that is not finite")
    return found, (int(shape[0]), int(shape[1]))


def _masses(M: Any) -> Array:
    (i, j, m), (rows, columns) = _entries("M", M, None)
    if rows != columns:
        raise InputError(f"`M` has the shape {(rows, columns)}; expected a square matrix")
    if (i != j).any():
        k = int(np.flatnonzero(i != j)[0])
        raise InputError(
            f"`M[{i[k]}, {j[k]}]` is {m[k]!r}; expected a diagonal matrix: lump the masses, "
            "as `numpy.diag(M.sum(axis=1))` does"
        )
    out = np.zeros(rows)
    out[i] = m
    return out


def _branches(name: str, matrix: Any, names: Sequence[str]) -> list[tuple[tuple[str, str], float]]:
    """The springs or dashpots whose assembled matrix this is."""
    if matrix is None:
        return []
    n = len(names)
    (i, j, a), _ = _entries(name, matrix, n)
    diagonal, off = np.zeros(n), {}
    np.add.at(diagonal, i[i == j], a[i == j])
    for r, c, value in zip(i[i != j].tolist(), j[i != j].tolist(), a[i != j].tolist()):
        off[r, c] = value
    out: list[tuple[tuple[str, str], float]] = []
    to_ground = diagonal.copy()
    for (r, c), value in sorted(off.items()):
        other = off.get((c, r), 0.0)
        if abs(value - other) > _ROUNDING * (abs(value) + abs(other)):
            raise InputError(f"`{name}[{r}, {c}]` is {value!r} and `{name}[{c}, {r}]` {other!r}; expected a symmetric matrix")
        to_ground[r] += value
        if r < c:
            if value > 0.0:
                raise InputError(
                    f"`{name}[{r}, {c}]` is {value!r}; expected a number ≤ 0: a matrix that is assembled of springs "
                    "or dashpots along one line has no positive entries beside its diagonal"
                )
            out.append(((names[r], names[c]), -value))
    for r in range(n):
        largest = max(abs(diagonal[r]), 0.0)
        if to_ground[r] < -_ROUNDING * largest:
            raise InputError(
                f"row {r} of `{name}` has the sum {to_ground[r]!r}; expected a sum ≥ 0, what holds the node to the ground"
            )
        if to_ground[r] > _ROUNDING * largest:
            out.append(((names[r], "ground"), float(to_ground[r])))
    return out


def _contacts(contacts: Any, names: Sequence[str]) -> list[tuple[str, str]]:
    """The ends of each contact, from pairs of nodes or from the rows of a matrix of directions."""
    n, known = len(names), {name: name for name in (*names, "ground")}
    if hasattr(contacts, "tocoo") or (isinstance(contacts, np.ndarray) and contacts.ndim == 2 and contacts.shape[1] == n):
        (i, j, a), (rows, columns) = _entries("contacts", contacts, None)
        if columns != n:
            raise InputError(f"`contacts` has the shape {(rows, columns)}; expected {n} columns, one for each node")
        out = []
        for r in range(rows):
            ends = {float(v): names[c] for c, v in zip(j[i == r].tolist(), a[i == r].tolist())}
            if not ends or set(ends) - {1.0, -1.0} or len(ends) != int((i == r).sum()):
                raise InputError(f"row {r} of `contacts` holds other numbers than one 1 and at most one −1")
            out.append((ends.get(1.0, "ground"), ends.get(-1.0, "ground")))
        return out
    out = []
    for k, contact in enumerate(contacts):
        pair = contact if isinstance(contact, (tuple, list)) else (contact, "ground")
        if len(pair) != 2:
            raise InputError(f"`contacts[{k}]` is {described(contact)}; expected a node or a pair of nodes")
        out.append((_name(f"contacts[{k}]", pair[0], names, known), _name(f"contacts[{k}]", pair[1], names, known)))
    return out


def _name(what: str, end: Any, names: Sequence[str], known: Mapping[str, str]) -> str:
    if end is None:
        return "ground"
    if isinstance(end, str) and end in known:
        return end
    if isinstance(end, (int, np.integer)) and not isinstance(end, bool) and 0 <= end < len(names):
        return names[int(end)]
    raise InputError(f"`{what}` names {described(end)}; expected a number from 0 to {len(names) - 1}, a name, or None for the ground")


def _limits(limits: Any, count: int) -> list[tuple[float, float | None]]:
    if limits is None:
        raise InputError("`limits` is missing; expected a breakaway force for each contact, N, or (static, dynamic)")
    found = np.asarray(limits, dtype=np.float64)
    if found.ndim == 0:
        found = np.full(count, float(found))
    if found.shape == (count,):
        return [(float(s), None) for s in found]
    if found.shape == (count, 2):
        return [(float(s), float(d)) for s, d in found]
    raise InputError(f"`limits` has the shape {found.shape}; expected ({count},) or ({count}, 2): static and dynamic, N")


def network(
    M: Any,
    C: Any,
    K: Any,
    contacts: Any,
    limits: Any,
    *,
    forces: Mapping[Any, SignalLike],
    names: Sequence[str] | None,
    x0: Numbers | None,
    v0: Numbers | None,
    title: str | None,
) -> Network:
    """See `Network.from_matrices`."""
    masses = _masses(M)
    n = len(masses)
    called = [f"n{i}" for i in range(n)] if names is None else [str(name) for name in names]
    if len(called) != n:
        raise InputError(f"`names` holds {len(called)} names; expected {n}")
    known = {name: name for name in (*called, "ground")}
    start = [np.zeros(n) if v is None else numbers(k, v) for k, v in (("x0", x0), ("v0", v0))]
    for k, v in zip(("x0", "v0"), start):
        if len(v) != n:
            raise InputError(f"`{k}` holds {len(v)} numbers; expected {n}")
    ends = [] if contacts is None else _contacts(contacts, called)
    of = _limits(limits, len(ends)) if ends else []
    on: dict[str, Signal] = {}
    for key, value in forces.items():
        on[_name("forces", key, called, known)] = signal("forces", value)
    return Network(
        nodes=[Node(name, float(m), float(x), float(v)) for name, m, x, v in zip(called, masses, *start)],
        springs=[Spring(pair, k) for pair, k in _branches("K", K, called)],
        dashpots=[Dashpot(pair, c) for pair, c in _branches("C", C, called)],
        sliders=[Slider(pair, s, d) for pair, (s, d) in zip(ends, of)],
        forces=on,
        title=title,
    )

"""Networks from mass, damping and stiffness matrices, as exported by finite-element programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arguments import Array, Numbers, described, numbers, unmasked
from ._arguments import matrix as matrix_of
from ._errors import InputError
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
            dense = np.asarray(unmasked(matrix), dtype=np.float64)
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


def _symmetric(name: str, matrix: Any, rows: int | None) -> Array:
    """The matrix as a dense array, checked for symmetry."""
    (i, j, a), (n, columns) = _entries(name, matrix, rows)
    if n != columns:
        raise InputError(f"`{name}` has the shape {(n, columns)}; expected a square matrix")
    dense = np.zeros((n, n))
    np.add.at(dense, (i, j), a)
    apart = np.abs(dense - dense.T) > _ROUNDING * (np.abs(dense) + np.abs(dense.T))
    if apart.any():
        r, c = (int(k) for k in np.argwhere(apart)[0])
        raise InputError(
            f"`{name}[{r}, {c}]` is {float(dense[r, c])!r} and `{name}[{c}, {r}]` {float(dense[c, r])!r}; "
            "expected a symmetric matrix"
        )
    return dense


def _branches(matrix: Array, names: Sequence[str]) -> list[tuple[tuple[str, str], float]] | None:
    """The springs or dashpots along one line whose assembled matrix this is, or None if there are none."""
    out: list[tuple[tuple[str, str], float]] = []
    for r, c in zip(*(k.tolist() for k in np.nonzero(np.triu(matrix, 1)))):
        if matrix[r, c] > 0.0:
            return None
        out.append(((names[r], names[c]), float(-matrix[r, c])))
    to_ground, largest = matrix.sum(axis=1), np.abs(np.diag(matrix))
    if (to_ground < -_ROUNDING * largest).any():
        return None
    for r in np.flatnonzero(to_ground > _ROUNDING * largest).tolist():
        out.append(((names[r], "ground"), float(to_ground[r])))
    return out


#: The ends of a contact, or its direction.
Ends = tuple["tuple[str, str] | None", "tuple[float, ...] | None"]


def _contacts(contacts: Any, names: Sequence[str]) -> list[Ends]:
    """The ends of each contact, from pairs of nodes or from the rows of a matrix of directions."""
    n, known = len(names), {name: name for name in (*names, "ground")}
    if hasattr(contacts, "tocoo") or (isinstance(contacts, np.ndarray) and contacts.ndim == 2 and contacts.shape[1] == n):
        (i, j, a), (rows, columns) = _entries("contacts", contacts, None)
        if columns != n:
            raise InputError(f"`contacts` has the shape {(rows, columns)}; expected {n} columns, one for each node")
        out: list[Ends] = []
        for r in range(rows):
            weights = np.zeros(n)
            np.add.at(weights, j[i == r], a[i == r])
            ends = {float(w): names[c] for c, w in enumerate(weights) if w != 0.0}
            if not ends:
                raise InputError(f"row {r} of `contacts` holds zeros only")
            if set(ends) - {1.0, -1.0} or len(ends) != int((weights != 0.0).sum()):
                out.append((None, tuple(weights.tolist())))
            else:
                out.append(((ends.get(1.0, "ground"), ends.get(-1.0, "ground")), None))
        return out
    out = []
    for k, contact in enumerate(contacts):
        pair = contact if isinstance(contact, (tuple, list)) else (contact, "ground")
        if len(pair) != 2:
            raise InputError(f"`contacts[{k}]` is {described(contact)}; expected a node or a pair of nodes")
        one, other = (_name(f"contacts[{k}]", end, names, known) for end in pair)
        out.append(((one, other), None))
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
    found = matrix_of("limits", limits)
    if found.ndim == 0:
        found = np.full(count, float(found))
    if found.shape == (count,):
        return [(float(s), None) for s in found]
    if found.shape == (count, 2):
        return [(float(s), float(d)) for s, d in found]
    raise InputError(f"`limits` has the shape {found.shape}; expected ({count},) or ({count}, 2): static and dynamic, N")


class Assembled(NamedTuple):
    """The parts of a network, from its matrices."""

    #: Name, mass (kg), displacement (m) and velocity (m/s) of each node.
    nodes: list[tuple[str, float, float, float]]
    #: Ends and stiffness, N/m, of each spring along one line.
    springs: list[tuple[tuple[str, str], float]]
    #: Ends and damping, N·s/m.
    dashpots: list[tuple[tuple[str, str], float]]
    contacts: list[Ends]
    #: Static and dynamic friction of each contact, N.
    limits: list[tuple[float, float | None]]
    forces: dict[str, Signal]
    #: The matrices that are those of no masses, springs or dashpots along one line.
    matrices: dict[str, Array]


def assembled(
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
) -> Assembled:
    """See `Network.from_matrices`."""
    mass = _symmetric("M", M, None)
    n = len(mass)
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
    full: dict[str, Array] = {}
    parts: dict[str, list[tuple[tuple[str, str], float]]] = {}
    masses = np.diag(mass)
    if np.count_nonzero(mass - np.diag(masses)) > 0:
        masses, full["mass"] = np.zeros(n), mass
    for name, key, matrix in (("C", "damping", C), ("K", "stiffness", K)):
        dense = np.zeros((n, n)) if matrix is None else _symmetric(name, matrix, n)
        found = _branches(dense, called)
        parts[key] = found or []
        if found is None:
            full[key] = dense
    nodes = [(name, float(m), float(x), float(v)) for name, m, x, v in zip(called, masses, *start)]
    return Assembled(nodes, parts["stiffness"], parts["damping"], ends, of, on, full)

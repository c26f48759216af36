"""Checks the types of arguments. The library checks their ranges."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from ._errors import InputError

#: A number, of Python or of numpy.
Number = Union[float, int, "np.floating[Any]", "np.integer[Any]"]
#: Numbers in a list, a tuple or an array.
Numbers = Union[Sequence[Number], "npt.NDArray[Any]"]
#: Times: numbers of seconds, or ``datetime64``.
Times = Union[Sequence[Any], "npt.NDArray[Any]"]

Array = npt.NDArray[np.float64]

#: Schemes that advance a motion; which of them suit a model is said where one does not.
Scheme = Literal[
    "exact",
    "adaptive",
    "euler",
    "implicit-euler",
    "theta",
    "quasi-static",
    "sign-euler",
    "sign-implicit",
    "sign-rk23",
    "sign-rk45",
    "moreau",
    "spring",
    "yosida",
    "hysteresis",
]

#: Numbers up to this size, and masses down to its inverse, are far from any that a model cannot hold.
LARGE = 1e15


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """`array`, made read-only, because the same array is returned at every access."""
    array.flags.writeable = False
    return array


def described(value: object) -> str:
    """A short description of any value, for messages."""
    text = repr(value)
    text = text if len(text) <= 60 else text[:57] + "…"
    return f"{text} ({type(value).__name__})"


def unmasked(value: object) -> Any:
    """`value`, with NaN where an array of numpy is masked (NaT where it holds times).

    The data below a mask may be anything. DuckDB, for one, leaves them undefined where a value is missing.
    """
    if not isinstance(value, np.ma.MaskedArray):
        return value
    held: Any = value.astype(np.float64) if value.dtype.kind in "biu" else value
    if held.dtype.kind in "mM":
        return held.filled(np.array("NaT", held.dtype)[()])
    return held.filled(np.nan) if held.dtype.kind in "fcO" else held.filled()


def number(name: str, value: object, expected: str = "a number") -> float:
    """`value` as a float."""
    kind = type(value)
    if kind is float:
        return value  # type: ignore[return-value]
    if kind is int and -(2**53) <= value <= 2**53:  # type: ignore[operator]
        return float(value)  # type: ignore[arg-type]
    if isinstance(value, np.ma.MaskedArray):
        raise InputError(f"`{name}` is a masked value; expected {expected}")
    if isinstance(value, np.ndarray) and value.ndim > 0:
        raise InputError(f"`{name}` is an array of the shape {value.shape}; expected {expected}")
    if isinstance(value, (bool, np.bool_, str, bytes, complex)) or value is None:
        raise InputError(f"`{name}` is {described(value)}; expected {expected}")
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        raise InputError(f"`{name}` is too large; expected {expected}") from None
    except (TypeError, ValueError):
        raise InputError(f"`{name}` is {described(value)}; expected {expected}") from None


def whole(name: str, value: object, least: int = 0) -> int:
    """`value` as a whole number."""
    if not isinstance(value, (bool, np.bool_)):
        try:
            found = value.__index__()  # type: ignore[attr-defined]
        except (AttributeError, TypeError):
            found = None
        # A file holds whole numbers of 63 bits.
        if found is not None and least <= found < 2**63:
            return int(found)
    raise InputError(f"`{name}` is {described(value)}; expected a whole number ≥ {least}, below 2⁶³")


def numbers(name: str, value: object, least: int = 0) -> Array:
    """`value` as a one-dimensional array of floats."""
    expected = "a one-dimensional list or array of numbers"
    try:
        found = np.ascontiguousarray(unmasked(value))
    except (TypeError, ValueError):
        raise InputError(f"`{name}` is {described(value)}; expected {expected}") from None
    if found.dtype.kind == "O":
        found = _of_objects(value, found)
    # What is no sequence becomes an array of one number: that is not meant.
    shape = found.shape if np.iterable(value) else ()
    if len(shape) != 1:
        raise InputError(f"`{name}` has the shape {shape}; expected {expected}")
    if found.dtype.kind not in "fiu":
        if found.size:
            raise InputError(f"`{name}` holds {found.dtype}; expected {expected}")
        found = found.astype(np.float64)
    if len(found) < least:
        raise InputError(f"`{name}` holds {len(found)} numbers; expected {least} or more")
    return found.astype(np.float64, copy=False)


def _of_objects(value: object, found: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers that stand in an array as objects, NaN for None and what pandas calls NA; or the array as it is."""
    first = next((x for x in found.ravel().tolist() if x is not None), None)
    if hasattr(first, "year") or hasattr(first, "total_seconds"):
        # Dates and durations, which pandas would count in nanoseconds.
        return found
    if hasattr(value, "to_numpy"):
        try:
            return np.ascontiguousarray(value.to_numpy(dtype=np.float64, na_value=np.nan))
        except (TypeError, ValueError):
            return found

    def one(x: Any) -> float:
        if x is None or x is np.ma.masked:
            return np.nan
        # Decimal and Fraction are numbers too: databases give them.
        if isinstance(x, (bool, np.bool_, str, bytes, complex)):
            raise TypeError
        return float(x)

    try:
        return np.array([one(x) for x in found.ravel().tolist()]).reshape(found.shape)
    except (TypeError, ValueError, OverflowError):
        return found


def _calendar(name: str, value: Any, found: npt.NDArray[Any]) -> npt.NDArray[np.datetime64]:
    """Dates that stand in an array as objects, those with a time zone as instants (UTC)."""
    if getattr(getattr(value, "dt", None), "tz", None) is not None:
        # A series of pandas.
        return np.asarray(value.dt.tz_convert(None))
    if getattr(value, "tz", None) is not None and hasattr(value, "tz_convert"):
        # An index of pandas.
        return np.asarray(value.tz_convert(None))

    def one(t: Any) -> tuple[bool, Any]:
        if getattr(t, "tzinfo", None) is None:
            return False, t
        if hasattr(t, "tz_convert"):
            return True, t.tz_convert(None).to_datetime64()
        return True, t.astimezone(datetime.timezone.utc).replace(tzinfo=None)

    pairs = [one(t) for t in found.ravel().tolist()]
    if any(z for z, _ in pairs) and not all(z or t is None for z, t in pairs):
        raise InputError(f"`{name}` holds times with and without a time zone; expected one kind")
    try:
        return np.array([t for _, t in pairs], dtype="datetime64[ns]").reshape(found.shape)
    except (TypeError, ValueError):
        raise InputError(f"`{name}` holds {described(found.flat[0])}; expected seconds or datetime64") from None


def seconds(name: str, value: object, origin: np.datetime64 | None = None) -> tuple[Array, np.datetime64 | None]:
    """Times as seconds.

    Dates (``datetime64``, or objects of pandas that become such) are counted from `origin`, or from the first one. That
    origin is returned too.
    """
    masked = np.ma.getmaskarray(value) if isinstance(value, np.ma.MaskedArray) else None
    if masked is not None and masked.any():
        row = int(np.flatnonzero(masked)[0])
        raise InputError(f"`{name}[{row}]` is masked; expected a time in every row: drop such rows")
    try:
        found = np.asarray(unmasked(value))
    except (TypeError, ValueError):
        raise InputError(f"`{name}` is {described(value)}; expected times") from None
    if found.dtype.kind == "O" and found.size:
        plain = _of_objects(value, found)
        found = _calendar(name, value, found) if plain.dtype.kind == "O" else plain
    if found.dtype.kind == "m":
        return np.asarray(found / np.timedelta64(1, "s"), dtype=np.float64), None
    if found.dtype.kind != "M":
        return numbers(name, found if np.iterable(value) else value), None
    if found.ndim != 1:
        raise InputError(f"`{name}` has the shape {found.shape}; expected one dimension")
    if np.isnat(found).any():
        row = int(np.flatnonzero(np.isnat(found))[0])
        raise InputError(f"`{name}[{row}]` is not a time (NaT); drop such rows")
    if origin is None and len(found):
        origin = found[0]
    since = found if origin is None else found - origin
    return np.asarray(since / np.timedelta64(1, "s"), dtype=np.float64), origin


def choice(name: str, value: object, choices: Sequence[str]) -> str:
    """One of `choices`; underscores and hyphens are taken as the same."""
    from ._errors import suggestion

    word = value.replace("_", "-") if isinstance(value, str) else value
    if isinstance(word, str) and word in choices:
        return word
    near = suggestion(word, choices) if isinstance(word, str) else ""
    raise InputError(f"`{name}` is {described(value)}; expected one of {', '.join(choices)}{near}")


def flag(name: str, value: object) -> bool:
    """`value` as True or False."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise InputError(f"`{name}` is {described(value)}; expected True or False")


def text(name: str, value: object) -> str:
    """`value` as a text that can be written into a file."""
    if not isinstance(value, str):
        raise InputError(f"`{name}` is {described(value)}; expected a text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"`{name}` is the text {ascii(value)}, which is not Unicode") from None
    return value


def path_of(name: str, value: object) -> str:
    """`value` as the path of a file or folder."""
    if isinstance(value, (str, os.PathLike)):
        found = os.fspath(value)
        if isinstance(found, str) and found:
            return found
    raise InputError(f"`{name}` is {described(value)}; expected a path")


def matrix(name: str, value: object) -> Array:
    """`value` as an array of floats of any shape, NaN where it is masked."""
    try:
        return np.asarray(unmasked(value), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"`{name}` is {described(value)}; expected numbers") from None


def seed_of(value: object) -> int:
    """A seed: a whole number, or one drawn from a NumPy generator."""
    if isinstance(value, np.random.Generator):
        return int(value.integers(2**63))
    return whole("seed", value)

"""Arguments as they come, checked for their type; ranges are the library's to check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

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


def described(value: object) -> str:
    """What a value is, for messages: short, whatever it is."""
    text = repr(value)
    text = text if len(text) <= 60 else text[:57] + "…"
    return f"{text} ({type(value).__name__})"


def number(name: str, value: object, expected: str = "a number") -> float:
    """`value` as a float."""
    if type(value) is float:
        return value
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
        found = np.ascontiguousarray(value)
    except (TypeError, ValueError):
        raise InputError(f"`{name}` is {described(value)}; expected {expected}") from None
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


def seconds(name: str, value: object, origin: np.datetime64 | None = None) -> tuple[Array, np.datetime64 | None]:
    """Times as seconds.

    Dates (``datetime64``, or objects of pandas that become such) are counted from `origin`, or from the first
    one; what they were counted from comes with them.
    """
    try:
        found = np.asarray(value)
    except (TypeError, ValueError):
        raise InputError(f"`{name}` is {described(value)}; expected times") from None
    if found.dtype.kind == "O":
        try:
            found = found.astype("datetime64[ns]")
        except (TypeError, ValueError):
            raise InputError(f"`{name}` holds {described(found.flat[0])}; expected seconds or datetime64") from None
    if found.dtype.kind == "m":
        return found / np.timedelta64(1, "s"), None
    if found.dtype.kind != "M":
        return numbers(name, found), None
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
    """One of a few words; underscores and hyphens are the same."""
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
    return value

"""Writes a document as TOML. The library reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ._errors import InputError

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if _BARE.match(name) else quoted(name)


def quoted(text: str) -> str:
    """A text in quotes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"the text {ascii(text)} is not Unicode") from None
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def value(it: Any) -> str:
    """A value on one line."""
    if isinstance(it, bool):
        return "true" if it else "false"
    if isinstance(it, int):
        return str(it)
    if isinstance(it, float):
        # What Python writes reads back as the same number.
        return repr(it)
    if isinstance(it, str):
        return quoted(it)
    if isinstance(it, Mapping):
        inside = ", ".join(f"{key(k)} = {value(v)}" for k, v in it.items())
        return f"{{ {inside} }}" if inside else "{}"
    return "[" + ", ".join(value(v) for v in it) + "]"


def dumps(document: Mapping[str, Any]) -> str:
    """The document: a header for each table at the top, and for each list of tables below it.

    >>> print(dumps({"title": "A", "run": {"end": 2.0}}), end="")
    title = "A"
    <BLANKLINE>
    [run]
    end = 2.0
    """
    lines = [f"{key(k)} = {value(v)}" for k, v in document.items() if not isinstance(v, Mapping)]
    for name, table in document.items():
        if isinstance(table, Mapping):
            if lines:
                lines.append("")
            lines.extend(_table(key(name), table))
    return "\n".join(lines) + "\n"


def _table(name: str, table: Mapping[str, Any]) -> list[str]:
    def is_list(v: Any) -> bool:
        return isinstance(v, (list, tuple)) and bool(v) and all(isinstance(i, Mapping) for i in v)

    lines = [f"[{name}]"]
    lines += [f"{key(k)} = {value(v)}" for k, v in table.items() if not is_list(v)]
    for k, items in table.items():
        if is_list(items):
            for item in items:
                lines += ["", f"[[{name}.{key(k)}]]"]
                lines += [f"{key(i)} = {value(v)}" for i, v in item.items()]
    return lines

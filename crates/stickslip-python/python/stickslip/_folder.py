"""Result folders. Files that this package did not write are never touched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ._arguments import path_of
from ._errors import StickslipWarning, warn
from ._stickslip import Folder


@contextmanager
def opened(folder: str | os.PathLike[str], command: str) -> Iterator[Folder]:
    """A folder for the results of a command. The files appear at `commit`; without it the folder stays as it was."""
    found = Folder(path_of("folder", folder), command)
    left = (
        f"{name}: may come from a run that was killed, but is not as that run wrote it; it stays there"
        for name in found.left
    )
    try:
        warn(left, StickslipWarning)
        yield found
    finally:
        found.abandon()

"""The command-line program: `python -m stickslip`, or `stickslip` where the package is installed."""

from __future__ import annotations

import os
import sys

from ._fmu import _libraries
from ._stickslip import program


def main() -> int:
    """Runs the program with the arguments of this process and returns its exit code.

    Returns
    -------
    int
        0 on success, 1 if the input is wrong, 2 if the command line is wrong, 3 if the problem cannot be solved as
        asked.
    """
    own, _ = _libraries()
    if own:
        # Where the program looks for the library that goes into FMUs.
        os.environ.setdefault("STICKSLIP_FMI_LIBRARY", own[0])
    return program(["stickslip", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

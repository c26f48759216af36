#!/usr/bin/env python3
"""Checks a certificate of stickslip from a checkout, in which nothing need be built:

    pip install python-flint
    python tools/check_certificate.py [--model MODEL.json] [--files FOLDER] certificate.json …

The checker itself is the package `stickslip_checker`, which comes with the wheel.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crates" / "stickslip-python" / "python"))

from stickslip_checker.check import KINDS, Proof, Rejected, check, main, proved, require  # noqa: E402, F401

if __name__ == "__main__":
    sys.exit(main())

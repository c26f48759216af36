#!/usr/bin/env python3
"""Checks a certificate of stickslip without stickslip.

    pip install python-flint
    python check_certificate.py certificate.json …

A certificate claims that the motion of one mass with dry friction, of a cascade or of a mass between walls has exactly the listed
events, each within its bracket, in this order, and no others. This program follows the motion by itself, in ball arithmetic (Arb) of several hundred bits, from the
numbers of the problem alone, and checks every number of the certificate on the way. It accepts only what it can prove.
"""
import json
import sys

from certificates import cascade, impact, oscillator
from certificates.common import Rejected, require
from flint import ctx

KINDS = {"oscillator": oscillator.Motion, "cascade": cascade.Motion, "impact": impact.Motion}


def check(certificate):
    """Raises Rejected if a claim of the certificate is not proved."""
    try:
        require(certificate["certificate"] == "stickslip 2", "the kind of the certificate")
        ctx.prec = 320 + 24 * len(certificate["arcs"])
        KINDS[certificate["problem"].get("kind", "oscillator")](certificate).follow()
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as wrong:
        raise Rejected(f"not in the form of a certificate: {wrong!r}") from wrong


def proved(content):
    """The certificate that these bytes are. Raises Rejected if they are none, or if a claim of it is not proved."""
    try:
        certificate = json.loads(content)
    except (ValueError, RecursionError) as wrong:
        raise Rejected(f"not a file of JSON: {wrong}") from wrong
    check(certificate)
    return certificate


if __name__ == "__main__":
    failed = 0
    for path in sys.argv[1:]:
        try:
            with open(path, "rb") as file:
                proved(file.read())
            print(f"{path}: proved")
        except (Rejected, OSError) as wrong:
            failed += 1
            print(f"{path}: rejected: {wrong}")
    sys.exit(1 if failed else 0)

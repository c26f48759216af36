"""Checks a certificate of stickslip without stickslip.

    pip install python-flint
    python -m stickslip_checker [--model MODEL.json] [--files FOLDER] certificate.json …

A certificate claims that the motion of one mass with dry friction, of a cascade or of a mass between walls has exactly the listed
events, each within its bracket, in this order, and no others. This program follows the motion by itself, in ball arithmetic (Arb) of several
hundred bits, from the numbers of the problem alone, and checks every number of the certificate on the way. It accepts only what it can prove,
and says what that is in words of its own: a certificate holds none.

The problem is compared with the resolved model in the certificate, whose SHA-256 is printed. --model compares that with a model at
hand: a summary.json of the program, or a resolved model. --files reads the files that were sampled from FOLDER, compares their
SHA-256, and their samples with the problem where they are plain numbers.
"""
import argparse
import json
from collections import Counter
from pathlib import Path

from flint import ctx

from . import cascade, form, impact, model, oscillator
from .common import Rejected, require

KINDS = {"oscillator": oscillator.Motion, "cascade": cascade.Motion, "impact": impact.Motion}


class Proof:
    """What is proved."""

    def __init__(self, kind, certificate, binding):
        self.kind, self.certificate, self.binding = kind, certificate, binding

    def claims(self, compared=False):
        """In sentences; `compared`: the model is that of a file that was given."""
        arcs, model = self.certificate["arcs"], self.binding.model
        events = Counter(arc["ending"] for arc in arcs if arc["ending"] not in ("knot", "end"))
        count = sum(events.values())
        kinds = ", ".join(f"{n} {name}" for name, n in sorted(events.items()))
        which = f"exactly {count} event{'s' * (count != 1)} ({kinds}), each between the two times of its bracket, in this order" if count else "no event"
        yield f"From t = 0 to {self.certificate['problem']['end']!r} s the motion of the problem has {which}."
        yield "No other motion solves the problem, and all states and energies lie within their bounds."
        yield f"Model: SHA-256 {model['sha256']}{', that of the model that was given' if compared else ''}."
        for file in model["files"]:
            at_hand = "that of the file that was given" if file["name"] in self.binding.files else "not compared with a file"
            yield f"File {file['name']!r}: SHA-256 {file['sha256']}, {at_hand}."
        if self.binding.uncompared:
            names = ", ".join(map(repr, dict.fromkeys(self.binding.uncompared)))
            yield f"The numbers of the problem are those of the model, but for the samples of {names}, which were not compared."
        else:
            yield "The numbers of the problem are those of the model."


def proved(content, files=None):
    """The proof in these bytes; `files`: the bytes of sampled files by their names. Raises Rejected if a claim is not proved."""
    try:
        kind, certificate = form.read(content)
        binding = model.Binding(kind, certificate, files or {})
        binding.check()
        ctx.prec = 320 + 24 * len(certificate["arcs"])
        KINDS[kind](certificate).follow()
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as wrong:
        raise Rejected(f"not in the form of a certificate: {wrong!r}") from wrong
    return Proof(kind, certificate, binding)


def check(certificate, files=None):
    """The same of a certificate as nested dictionaries."""
    try:
        content = json.dumps(certificate).encode()
    except (TypeError, ValueError, RecursionError) as wrong:
        raise Rejected(f"not in the form of a certificate: {wrong!r}") from wrong
    return proved(content, files)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="stickslip_checker", description=__doc__.split("\n\n")[0], allow_abbrev=False)
    parser.add_argument("certificates", nargs="+", metavar="certificate.json")
    parser.add_argument("--model", metavar="MODEL.json", help="a summary.json of the program, or a resolved model: its SHA-256 is compared")
    parser.add_argument("--files", metavar="FOLDER", help="where the sampled files are: their SHA-256 and their samples are compared")
    options = parser.parse_args(arguments)
    failed = 0
    for path in options.certificates:
        try:
            content = Path(path).read_bytes()
            files = {} if options.files is None else at_hand(content, Path(options.files))
            proof = proved(content, files)
            if options.model is not None:
                found = model.sha256(model.given(Path(options.model).read_bytes()))
                require(found == proof.binding.model["sha256"], f"the certificate is of another model: {options.model} has the SHA-256 {found}")
            print(f"{path}: proved")
            for claim in proof.claims(options.model is not None):
                print(f"  {claim}")
        except (Rejected, OSError) as wrong:
            failed += 1
            print(f"{path}: rejected: {wrong}")
    return 1 if failed else 0


def at_hand(content, folder):
    """The files that the certificate names, from this folder. One that is not there is no reason to accept without it."""
    _, certificate = form.read(content)
    return {file["name"]: (folder / file["name"]).read_bytes() for file in certificate["model"]["files"]}


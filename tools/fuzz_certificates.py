#!/usr/bin/env python3
"""Any bytes as a certificate: the checker proves or rejects them, and two certificates of one problem that it proves agree.

    pip install python-flint atheris
    python tools/fuzz_certificates.py NEW fuzz/corpus/certificates

Guided by coverage (libFuzzer); what is new goes to the folder NEW. A motion that is proved is the only one, so a second proof of
another one would be a defect of the checker: claims are changed here until one is found.
"""
import copy
import json
import random
import sys
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "fuzz" / "corpus" / "certificates"
SEEDS = [path.read_bytes() for path in sorted(CORPUS.glob("*.json"))]

#: What no number, text or list of a certificate is.
STRANGE = (None, True, False, "", "1", [], {}, [[]], 0, 1, -1, 0.0, -0.0, 5e-324, 1e-9, 1e308, float("nan"), float("inf"), 10**400)


def places(value, path=()):
    """The paths to everything in a certificate."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from places(part, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def changed(certificate, chance):
    """The certificate with one part of it changed: a number by a little or much, a part removed, repeated or moved."""
    certificate = copy.deepcopy(certificate)
    everything = list(places(certificate))
    if not everything:
        return chance.choice(STRANGE)
    # The claims rather than the problem, of which there is nothing to compare them with once it is another.
    claims = [p for p in everything if p[0] != "problem"]
    *where, key = chance.choice(claims if claims and chance.random() < 0.9 else everything)
    inner = at(certificate, where)
    what = chance.randrange(6)
    if isinstance(inner[key], float) and what < 4:
        inner[key] += chance.choice((-1, 1)) * 10.0 ** chance.uniform(-17, 1) * max(abs(inner[key]), chance.choice((0.0, 1.0)))
    elif what == 4:
        inner[key] = copy.deepcopy(at(certificate, chance.choice(everything)))
    elif isinstance(inner, list) and what == 5:
        inner.insert(key, copy.deepcopy(inner[key]))
    elif what == 3:
        del inner[key]
    else:
        inner[key] = chance.choice(STRANGE)
    return certificate


def mutated(data, most, seed):
    """For the fuzzer: mostly a certificate with some parts changed, now and then any bytes."""
    import atheris

    chance = random.Random(seed)
    if chance.random() < 0.3:
        data = chance.choice(SEEDS)  # most of what is new is rejected early, and changes of it would be, too
    try:
        certificate = json.loads(data)
    except (ValueError, RecursionError):
        return atheris.Mutate(data, most)
    if chance.random() < 0.1:
        return atheris.Mutate(data, most)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        certificate = changed(certificate, chance)
    return json.dumps(certificate, separators=(",", ":")).encode()[:most]


class Survives:
    """What every input must survive."""

    def __init__(self, checker):
        self.checker, self.proved = checker, {}

    def __call__(self, data):
        try:
            certificate = self.checker.proved(data).certificate
        except self.checker.Rejected as why:
            assert str(why)
            return False
        claims = [(arc["phase"], arc["ending"], arc["from"], arc["to"], arc["x"], arc["v"]) for arc in certificate["arcs"]]
        known = self.proved.setdefault(json.dumps(certificate["problem"], sort_keys=True), claims)
        assert len(known) == len(claims), (known, claims)
        for one, other in zip(known, claims):
            assert one[:2] == other[:2], (one, other)
            for (low, high), (from_, to) in zip(one[2:], other[2:]):
                assert low <= to and from_ <= high, (one, other)
        return True


def main():
    import atheris

    with atheris.instrument_imports(include=["check_certificate", "stickslip_checker"]):
        import check_certificate
    survives = Survives(check_certificate)
    assert SEEDS and all(map(survives, SEEDS))
    atheris.Setup(sys.argv, survives, custom_mutator=mutated)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

"""The form of a certificate: every key known and there once, every number a finite double, nothing else.

A certificate is read by this form alone; what follows the motion sees only what the form let through.
"""
import json
import math
import re

from .common import Rejected, require

FORM = "stickslip 3"


def decoded(content):
    """The JSON in these bytes, with every number a double. A key that comes twice has two values, and none is taken."""
    try:
        text = content.decode("utf-8")
        return json.loads(text, object_pairs_hook=once, parse_int=double, parse_float=double, parse_constant=no_number)
    except (ValueError, RecursionError) as wrong:
        raise Rejected(f"not a file of JSON: {wrong}") from wrong


def once(pairs):
    found = {}
    for key, value in pairs:
        require(key not in found, f"the key {key!r} comes twice")
        found[key] = value
    return found


def double(text):
    value = float(text)
    require(math.isfinite(value), f"the number {text[:40]} is no finite double")
    return value


def no_number(text):
    raise Rejected(f"{text} is no number of JSON")


# --- Shapes: functions of a value and of where it stands that return the value or reject it ----------------------------


def number(value, where):
    require(type(value) is float, f"{where} is not a number")
    return value


def whole(low, high):
    def shape(value, where):
        require(type(value) is float and value.is_integer() and low <= value <= high, f"{where} is not a whole number from {low} to {high}")
        return int(value)

    return shape


def word(*choices):
    def shape(value, where):
        require(isinstance(value, str) and value in choices, f"{where} is not one of {', '.join(choices)}")
        return value

    return shape


def text(pattern):
    def shape(value, where):
        require(isinstance(value, str) and re.fullmatch(pattern, value) is not None, f"{where} is not of the form {pattern}")
        return value

    return shape


def optional(inner):
    return lambda value, where: None if value is None else inner(value, where)


def each(inner, least=0):
    def shape(value, where):
        require(isinstance(value, list) and len(value) >= least, f"{where} is not a list of at least {least}")
        return [inner(part, f"{where}[{i}]") for i, part in enumerate(value)]

    return shape


def row(*inner):
    def shape(value, where):
        require(isinstance(value, list) and len(value) == len(inner), f"{where} is not a list of {len(inner)}")
        return [one(part, f"{where}[{i}]") for i, (one, part) in enumerate(zip(inner, value))]

    return shape


def keys(**inner):
    def shape(value, where):
        require(isinstance(value, dict), f"{where} is not a table")
        for key in value:
            require(key in inner, f"{where} has the key {key!r}, which is not known")
        for key in inner:
            require(key in value, f"{where} lacks the key {key!r}")
        return {key: one(value[key], f"{where}.{key}") for key, one in inner.items()}

    return shape


def pair(value, where):
    low, high = row(number, number)(value, where)
    require(low <= high, f"{where} is not a bound from below and one from above")
    return [low, high]


def table(value, where):
    require(isinstance(value, dict), f"{where} is not a table")
    return value


SIGNAL = keys(pieces=each(row(number, number, optional(number)), 1), harmonics=each(row(number, number, number)))
FORCES = keys(static=number, dynamic=number)
DIGEST = text("[0-9a-f]{64}")

PROBLEMS = {
    "oscillator": keys(
        kind=word("oscillator"), mass=number, stiffness=number, damping=number, friction=keys(ahead=FORCES, back=FORCES),
        drive=SIGNAL, force=SIGNAL, support=SIGNAL, normal=number, x=number, v=number, end=number,
        stops=optional(keys(lower=optional(number), upper=optional(number), restitution=optional(number),
                            stiffness=optional(number), damping=optional(number))),
    ),
    "cascade": keys(
        kind=word("cascade"), mass=optional(number), stiffness=each(number, 2), threshold=each(number, 1), prestress=each(number),
        displacement=optional(SIGNAL), force=optional(SIGNAL), x=number, v=number, end=number,
    ),
    "impact": keys(
        kind=word("impact"), mass=number, stiffness=number, damping=number, restitution=number, force=SIGNAL,
        lower=optional(SIGNAL), upper=optional(SIGNAL), x=number, v=number, end=number,
    ),
}

ENDINGS = {
    "oscillator": ("slip", "jump", "stick", "reversal", "knot", "kick", "impact", "touch", "leave", "end"),
    "cascade": ("yield", "reversal", "jump", "knot", "end"),
    "impact": ("impact", "rest", "release", "kick", "knot", "end"),
}

PHASES = {
    "oscillator": r"stick|slip[+-]",
    "cascade": r"(forwards|at rest|backwards), [0-9]+ slipping",
    "impact": r"flight|lower|upper",
}


def arc(kind):
    shape = dict(
        phase=text(PHASES[kind]), to=pair, x=pair, v=pair, free=optional(row(pair, pair)), ending=word(*ENDINGS[kind]),
        margins=each(number), steps=each(each(row(number, number, whole(-2, 3), number))), **{"from": pair},
    )
    return keys(**shape, **({"force": pair} if kind == "cascade" else {}))


def whole_certificate(kind):
    lost = "impacts" if kind == "impact" else "friction"
    return keys(
        certificate=word(FORM),
        model=keys(sha256=DIGEST, resolved=table, files=each(keys(name=text("(?s).+"), sha256=DIGEST))),
        problem=PROBLEMS[kind], arcs=each(arc(kind), 1), x=pair, v=pair,
        energy=keys(first=pair, last=pair, supplied=pair, **{lost: pair}),
        **(dict(force=pair, elements=each(pair, 1)) if kind == "cascade" else {}),
    )


def read(content):
    """The kind of the model and the certificate in these bytes."""
    document = decoded(content)
    require(isinstance(document, dict), "not a table of JSON")
    require(document.get("certificate") == FORM, f"the form of the certificate is not {FORM!r}")
    problem = document.get("problem")
    kind = problem.get("kind") if isinstance(problem, dict) else None
    require(isinstance(kind, str) and kind in PROBLEMS, "the kind of the model")
    return kind, whole_certificate(kind)(document, "certificate")

#!/usr/bin/env python3
"""False certificates of every kind, which the checker must reject, from the honest ones of fuzz/corpus/certificates.

    pip install python-flint
    python tools/forge_certificates.py

A forgery is made as a liar with a copy of the checker would make it: one thing is changed that matters, and all numbers that follow
from it are filled in by the checker's own arithmetic, so that only the check that is meant stands in its way.
"""
import contextlib
import copy
import functools
import itertools
import json
import math
import random
import sys
from collections import Counter
from pathlib import Path
from unittest import mock

import check_certificate
from stickslip_checker import cascade, common, form, impact, model, oscillator
from flint import arb, ctx

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "fuzz" / "corpus"
HONEST = {path.stem: path for path in sorted((CORPUS / "certificates").glob("*.json"))}
FILES = {path.name: path.read_bytes() for path in sorted((CORPUS / "certificate-models").glob("*.csv"))}
MODULES = (common, oscillator, cascade, impact)


def honest():
    return {name: json.loads(path.read_bytes()) for name, path in HONEST.items()}


def refused(content, files=None):
    """Why these bytes are rejected; nothing if they are proved."""
    try:
        check_certificate.proved(content, files)
    except common.Rejected as why:
        return str(why)
    return None


def written(certificate):
    return json.dumps(certificate).encode()


# --- A liar's copy of the checker ------------------------------------------------------------------------------------------


def bounds(ball):
    return [math.nextafter(float(ball.lower()), -math.inf), math.nextafter(float(ball.upper()), math.inf)]


def fill_pair(ball, pair, *_):
    pair[:] = bounds(ball)


def fill_margins(claimed, true, _):
    claimed[:] = [max(bounds(ball)[0] * (1 - 1e-13), 5e-324) for ball in true]


def least(positive, start, to, order):
    found = [0.0]
    with mock.patch.object(common, "require", lambda holds, why: None):
        c = start + 0.5 * (to - start)
        h = max(arb(c) - start, arb(to) - c, key=float)
        g, slope = positive.at(c, abs(order)), abs(positive.at(c, abs(order) + 1)) * h
        bend = h * h * positive.curve.bound(positive.base + abs(order) + 2, to) / 2
        found = bounds((-g if order < 0 else g) - slope - bend)
    return found[0]


def fill_chain(positive, steps, span, rises, falls):
    """A chain that proves as much of the span as can be proved."""
    start, end = span
    made, last = [], None
    if rises:
        to = end
        for _ in range(40):
            orders = [n for n in range(1, rises + 1) if least(positive, start, to, n) > 0]
            if orders:
                made.append([start, to, orders[0], least(positive, start, to, orders[0])])
                start = to
                break
            to = start + 0.5 * (to - start)
    if falls and start < end:
        begins = start
        for _ in range(40):
            if least(positive, begins, end, -1) > 0:
                last = [begins, end, -1, least(positive, begins, end, -1)]
                break
            begins = end - 0.5 * (end - begins)
    open_ = [(start, last[0] if last else end)]
    while open_ and len(made) < 300:
        a, b = open_.pop()
        if a >= b:
            continue
        value, middle = least(positive, a, b, 0), a + 0.5 * (b - a)
        if value > 0 or not a < middle < b or b - a < 1e-9:
            made.append([a, b, 0, value if value > 0 else 1e-3])
        else:
            open_ += [(middle, b), (a, middle)]
    steps[:] = made + ([last] if last else [])


@contextlib.contextmanager
def lying():
    """The checker fills in what it would compare, and requires nothing."""
    with contextlib.ExitStack() as stack:
        for module in MODULES:
            for name, other in (("require", lambda holds, why: None), ("inside", fill_pair), ("margins", fill_margins)):
                if hasattr(module, name):
                    stack.enter_context(mock.patch.object(module, name, other))
        stack.enter_context(mock.patch.object(common.Positive, "chain", fill_chain))
        stack.enter_context(mock.patch.object(common.Positive, "step", lambda *_: None))
        yield


def filled(certificate):
    """The same with all numbers that follow from its problem and from what it says happens, as far as they can be computed."""
    kind = certificate["problem"]["kind"]
    with lying(), contextlib.suppress(Exception):
        certificate["problem"] = form.PROBLEMS[kind](json.loads(json.dumps(certificate["problem"]), parse_int=float), "problem")
        ctx.prec = 320 + 24 * len(certificate["arcs"])
        check_certificate.KINDS[kind](certificate).follow()
    return certificate


def late(certificate):
    """The same, filled in when it is asked for: that takes long, and of many forgeries only a few may be tried."""
    return functools.partial(filled, copy.deepcopy(certificate))


def bound(certificate):
    """The same with the SHA-256 of the resolved model that it holds."""
    resolved = form.decoded(json.dumps(certificate["model"]["resolved"]).encode())
    certificate["model"]["sha256"] = model.sha256(resolved)
    return certificate


# --- Forgeries: functions of an honest certificate and of chance that give (what was done, the forgery) ---------------------


def events(certificate):
    return [i for i, arc in enumerate(certificate["arcs"]) if arc["ending"] not in ("knot", "end")]


def ended(certificate, i, to):
    """Arc `i` ends at `to`, where the next one begins."""
    arcs = certificate["arcs"]
    arcs[i]["to"] = list(to)
    if i + 1 < len(arcs):
        arcs[i + 1]["from"] = list(to)


def joined(certificate):
    """Each arc begins where the one before ends."""
    for before, after in itertools.pairwise(certificate["arcs"]):
        after["from"] = list(before["to"])
    return certificate


def time(honest, chance):
    for i in events(honest):
        low, high = honest["arcs"][i]["to"]
        for by in (1e-3, -1e-9, 64 * math.ulp(high)):
            forged = copy.deepcopy(honest)
            ended(forged, i, (low + by, high + by))
            yield f"arc {i} ends {by} s later", late(forged)
        for to in ((low - 1e-6, high + 1e-6), (high, low), (low, low), (high + 2, high + 2), (-1.0, -1.0)):
            if to == (low, high):
                continue  # it ends just there
            forged = copy.deepcopy(honest)
            ended(forged, i, to)
            yield f"arc {i} ends at {to}", late(forged)
    end = honest["problem"]["end"]
    for other in (0.9 * end, 1.1 * end, 0.0, -end):
        forged = copy.deepcopy(honest)
        forged["arcs"][-1]["to"] = [other, other]
        yield f"the last arc ends at {other} s", late(forged)
        forged = copy.deepcopy(forged)
        forged["problem"]["end"] = other
        yield f"the run ends at {other} s", late(forged)
    arcs = honest["arcs"]
    for i in range(1, len(arcs) - 1):
        # Back to where it was before, and on from there.
        for j in range(max(i - 2, 0), i):
            forged = copy.deepcopy(honest)
            forged["arcs"][i:i] = copy.deepcopy(arcs[j:i])
            yield f"arcs {j} to {i} happen again", forged
            forged = copy.deepcopy(forged)
            forged["arcs"][i]["from"] = list(arcs[i]["from"])
            yield f"arcs {j} to {i} happen again, joined", late(joined(forged))
        forged = copy.deepcopy(honest)
        back = copy.deepcopy(arcs[i])
        before = arcs[i - 1]["from"][0]
        forged["arcs"].insert(i, back | {"to": [before, before], "ending": "knot"})
        yield f"before arc {i} time goes back to {before} s", late(joined(forged))


def order(honest, chance):
    arcs = honest["arcs"]
    for i in range(len(arcs) - 1):
        forged = copy.deepcopy(honest)
        forged["arcs"][i], forged["arcs"][i + 1] = forged["arcs"][i + 1], forged["arcs"][i]
        yield f"arcs {i} and {i + 1} in the other order", forged
        for key in ("ending", "phase", "to"):
            one, other = arcs[i][key], arcs[i + 1][key]
            if one == other:
                continue
            forged = copy.deepcopy(honest)
            forged["arcs"][i][key], forged["arcs"][i + 1][key] = copy.deepcopy(other), copy.deepcopy(one)
            yield f"{key!r} of arcs {i} and {i + 1} exchanged", late(joined(forged))


def omission(honest, chance):
    arcs = honest["arcs"]
    for i in range(len(arcs) - 1):
        forged = copy.deepcopy(honest)
        del forged["arcs"][i]
        yield f"without arc {i}", copy.deepcopy(forged)
        forged["arcs"][0]["from"] = [0.0, 0.0]
        if arcs[i + 1]["ending"] != "rest" or honest["problem"]["force"]["harmonics"]:
            # Of the bounces before a rest under a constant load one fewer may be named: a rest is infinitely many of them, from any on.
            yield f"without arc {i}, filled in", late(joined(forged))
        forged = copy.deepcopy(honest)
        forged["arcs"][i] |= {"to": list(arcs[i + 1]["to"]), "ending": arcs[i + 1]["ending"]}
        del forged["arcs"][i + 1]
        yield f"arc {i} goes on instead of arc {i + 1}", late(joined(forged))
    for i in range(1, len(arcs)):
        forged = copy.deepcopy(honest)
        end = honest["problem"]["end"]
        forged["arcs"][i:] = []
        forged["arcs"][-1] |= {"to": [end, end], "ending": "end"}
        yield f"nothing happens from arc {i - 1} on", late(forged)
    for i, arc in enumerate(arcs):
        for j in range(len(arc["steps"])):
            forged = copy.deepcopy(honest)
            forged["arcs"][i]["steps"][j] = []
            if arc["steps"][j]:
                yield f"no step {j} of arc {i}", forged
            forged = copy.deepcopy(honest)
            del forged["arcs"][i]["steps"][j]
            yield f"without the chain {j} of arc {i}", forged
            for k in range(len(arc["steps"][j])):
                if k < 2:
                    forged = copy.deepcopy(honest)
                    del forged["arcs"][i]["steps"][j][k]
                    yield f"without step {k} of chain {j} of arc {i}", forged
        for k in range(len(arc["margins"])):
            forged = copy.deepcopy(honest)
            del forged["arcs"][i]["margins"][k]
            yield f"without margin {k} of arc {i}", forged


def duplication(honest, chance):
    arcs = honest["arcs"]
    for i, arc in enumerate(arcs):
        forged = copy.deepcopy(honest)
        forged["arcs"].insert(i, copy.deepcopy(arc))
        yield f"arc {i} twice", forged
        # At an instant where nothing happens.
        middle = 0.5 * (arc["from"][1] + arc["to"][0])
        for ending in ("knot", arc["ending"]):
            forged = copy.deepcopy(honest)
            first = copy.deepcopy(arc) | {"to": [middle, middle], "ending": ending}
            forged["arcs"].insert(i, first)
            yield f"arc {i} in two parts, the first ends as {ending}", late(joined(forged))
        forged = copy.deepcopy(honest)
        forged["arcs"].insert(i + 1, copy.deepcopy(arc) | {"from": list(arc["to"])})
        yield f"after arc {i} one of no length", forged
        for j, steps in enumerate(arc["steps"]):
            if steps:
                forged = copy.deepcopy(honest)
                forged["arcs"][i]["steps"][j].append(steps[-1])
                yield f"the last step of chain {j} of arc {i} twice", forged
            forged = copy.deepcopy(honest)
            forged["arcs"][i]["steps"].append(steps)
            yield f"chain {j} of arc {i} twice", forged
        if arc["margins"]:
            forged = copy.deepcopy(honest)
            forged["arcs"][i]["margins"] *= 2
            yield f"the margins of arc {i} twice", forged


def signals(certificate):
    return [key for key, value in certificate["problem"].items() if isinstance(value, dict) and "pieces" in value]


NAMES = {"lower": "wall", "upper": "upper_wall"}


def pieces(honest, chance):
    """Knots in the brackets of events, as the resolved model then has them, too; and pieces in the wrong order."""
    for key in signals(honest):
        for i in events(honest):
            low, high = honest["arcs"][i]["to"]
            if low == high:
                continue
            for knot in (low, high, math.nextafter(low, high), low - 1e-9):
                for by in (0.1, -0.1):
                    forged = copy.deepcopy(honest)
                    problem, name = forged["problem"][key], NAMES.get(key, key)
                    at = sum(piece[0] <= knot for piece in problem["pieces"])
                    before = problem["pieces"][at - 1]
                    if before[2] is None or before[0] == knot:
                        continue
                    value = before[1] + before[2] * (knot - before[0])
                    problem["pieces"][at:at] = [[knot, value + by, before[2]]]
                    for piece in problem["pieces"][at + 1 :]:
                        piece[1] += by
                    table = forged["model"]["resolved"][problem_kind(forged)]
                    table.setdefault(name, [])
                    if isinstance(table[name], list):
                        table[name].append({"step": {"time": knot, "before": 0.0, "after": by}})
                        yield f"{key} jumps at {knot!r} s by {by}, where arc {i} ends", late(bound(forged))
        forged = copy.deepcopy(honest)
        forged["problem"][key]["pieces"][0][0] = 0.5
        yield f"{key} begins late", late(forged)
        forged = copy.deepcopy(honest)
        forged["problem"][key]["pieces"] *= 2
        yield f"the pieces of {key} twice", late(forged)
        forged = copy.deepcopy(honest)
        forged["problem"][key]["pieces"][-1][2] = None
        yield f"the last piece of {key} leads nowhere", late(forged)
        if len(honest["problem"][key]["pieces"]) > 1:
            forged = copy.deepcopy(honest)
            forged["problem"][key]["pieces"].reverse()
            yield f"the pieces of {key} in the other order", late(forged)
            for j in range(1, len(honest["problem"][key]["pieces"])):
                forged = copy.deepcopy(honest)
                del forged["problem"][key]["pieces"][j]
                yield f"{key} without piece {j}", late(forged)


def problem_kind(certificate):
    return certificate["problem"]["kind"]


def phases(honest, chance):
    kind = problem_kind(honest)
    words = {
        "oscillator": ("stick", "slip+", "slip-"),
        "impact": ("flight", "lower", "upper"),
        "cascade": [f"{way}, {n} slipping" for way in ("forwards", "at rest", "backwards") for n in range(3)],
    }[kind]
    for i, arc in enumerate(honest["arcs"]):
        for word in words:
            if word != arc["phase"]:
                forged = copy.deepcopy(honest)
                forged["arcs"][i]["phase"] = word
                yield f"arc {i} is {word!r}", late(forged)
        for word in form.ENDINGS[kind]:
            if word != arc["ending"]:
                forged = copy.deepcopy(honest)
                forged["arcs"][i]["ending"] = word
                yield f"arc {i} ends as {word!r}", late(forged)


def states(honest, chance):
    """Bounds of states, energies, coefficients, margins and steps that are false or wide."""
    pairs = [("x",), ("v",)] + [("energy", key) for key in honest["energy"]] + [(key,) for key in ("force",) if key in honest]
    pairs += [("elements", i) for i in range(len(honest.get("elements", [])))]
    for i, arc in enumerate(honest["arcs"]):
        pairs += [("arcs", i, key) for key in ("x", "v", "force") if key in arc]
        pairs += [("arcs", i, "free", j) for j in (0, 1) if arc["free"]]
    for path in pairs:
        low, high = at(honest, path)
        size = max(abs(low), abs(high), 1e-3)
        for name, pair in (
            ("higher", [low + 1e-6 * size, high + 1e-6 * size]), ("lower", [low - 1e-6 * size, high - 1e-6 * size]),
            ("wide", [low - size, high + size]), ("turned round", [high, low]),
        ):
            yield f"{name}: {path}", put(honest, path, pair)
    for i, arc in enumerate(honest["arcs"]):
        for j, margin in enumerate(arc["margins"]):
            for other in (0.0, -margin, margin * 1.001, margin * 0.5):
                yield f"margin {j} of arc {i} is {other}", put(honest, ("arcs", i, "margins", j), other)
        for j, steps in enumerate(arc["steps"]):
            if not steps:
                continue
            k = chance.randrange(len(steps))
            start, to, n, value = steps[k]
            for step in ([start, to, n, value * 1.01], [start, to, n, 0.0], [start, to, n, -value], [start, to, n, value * 0.5],
                         [start, to, n + 1, value], [start, to, -n - 1, value], [to, start, n, value], [start, start, n, value],
                         [start + 0.1 * (to - start), to, n, value], [start, to - 0.1 * (to - start), n, value]):
                if step == [start, to, n, value]:
                    continue  # the tenth of a step of a few roundings is none
                yield f"step {k} of chain {j} of arc {i} is {step}", put(honest, ("arcs", i, "steps", j, k), step)


def at(value, path):
    for key in path:
        value = value[key]
    return value


def put(honest, path, value):
    forged = copy.deepcopy(honest)
    *where, key = path
    at(forged, where)[key] = value
    return forged


def places(value, path=()):
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from places(part, (*path, key))


def still_true(problem, path, other):
    """Whether the problem is the same: the rate of a piece that begins with the end of the run, or the beginning of a constant before 0."""
    if len(path) != 4 or path[1] != "pieces" or not isinstance(other, (int, float)):
        return False
    piece, following = at(problem, path[:-1]), at(problem, path[:-2])[path[-2] + 1 :]
    constant = piece[2] == 0 or piece[2] is None and following[0][1] == piece[1]
    return path[-1] == 2 and piece[0] >= problem["end"] or path[-2:] == (0, 0) and constant and other < 0


def others(honest, chance):
    """Another model: law, initial state, end, numbers, loads, with and without the model that the certificate names."""
    kind, forged = problem_kind(honest), None
    numbers = [path for path in places(honest["problem"]) if type(at(honest, ("problem", *path))) is float]
    for path in numbers:
        value = at(honest, ("problem", *path))
        for other in (value * 1.5 + 0.1, -value - 0.1):
            if still_true(honest["problem"], path, other):
                continue
            forged = put(honest, ("problem", *path), other)
            yield f"{path} of the problem is {other}", copy.deepcopy(forged)
            yield f"{path} of the problem is {other}, filled in", late(forged)
    resolved = [p for p in places(honest["model"]["resolved"]) if type(at(honest, ("model", "resolved", *p))) is float]
    for path in resolved:
        if path[-1] in ("seed", "rows", "step", "rtol", "atol"):
            continue
        where = ("model", "resolved", *path)
        other = at(honest, where) * 1.5 + 0.1
        yield f"{path} of the model is {other}", put(honest, where, other)
        massless = kind == "cascade" and path[-1] == "mass" and honest["problem"]["mass"] is None
        if "sampled" not in path and not massless:
            yield f"{path} of the model is {other}, with its SHA-256", bound(put(honest, where, other))
    digest = honest["model"]["sha256"]
    yield "the SHA-256 of another model", put(honest, ("model", "sha256"), digest[::-1])
    yield "the SHA-256 in capitals", put(honest, ("model", "sha256"), digest.upper())
    for key, value in (("quadratic_damping", 5.0), ("normal_slope", 1.0), ("noise", {"white": {"intensity": 1.0}}), ("comment", "")):
        yield f"the model has {key}", bound(put(honest, ("model", "resolved", kind, key), value))
    yield "the model has a table more", bound(put(honest, ("model", "resolved", "network"), {}))
    for scheme in ("euler", "adaptive", "quasi-static" if kind != "cascade" else "hysteresis", None):
        yield f"the scheme is {scheme}", bound(put(honest, ("model", "resolved", "run", "scheme"), scheme))
    if kind == "cascade":
        led = honest["model"]["resolved"]["run"]["scheme"] == "quasi-static"
        yield "the other scheme", bound(put(honest, ("model", "resolved", "run", "scheme"), "exact" if led else "quasi-static"))
    names = [key for key, value in honest["model"]["resolved"][kind].items() if isinstance(value, list) and key in (*signals(honest), *NAMES.values(), "normal")]
    for key in names:
        for signal in ({"white": {"intensity": 1.0}}, {"constant": 0.5}, {"step": {"time": 0.5, "before": 0.0, "after": 1.0}}, {"ramp": {"rate": 0.1, "offset": 0.0}}):
            yield f"{key} of the model has {signal}", bound(put(honest, ("model", "resolved", kind, key), [*at(honest, ("model", "resolved", kind, key)), signal]))
    yield "a file more", put(honest, ("model", "files"), [*honest["model"]["files"], {"name": "other.csv", "sha256": digest}])
    for i, file in enumerate(honest["model"]["files"]):
        yield "another file", put(honest, ("model", "files", i, "sha256"), digest)
        yield "a file twice", put(honest, ("model", "files"), [*honest["model"]["files"], file])
    for name in HONEST:
        other = json.loads(HONEST[name].read_bytes())
        if other["problem"] != honest["problem"]:
            yield f"the problem of {name}", put(honest, ("problem",), other["problem"])
            yield f"the model of {name}", put(honest, ("model",), other["model"])
            if other["problem"]["kind"] == kind:
                forged = put(put(honest, ("problem",), other["problem"]), ("model",), other["model"])
                yield f"problem and model of {name}", late(forged)


def strange(honest, chance):
    """Wrong types, huge numbers, no numbers, in places that are drawn by chance."""
    every = [path for path in places(honest) if path[:2] != ("model", "resolved")]
    for value in (None, True, False, "", "1.0", [], {}, [[]], 1e308, -1e308, 10**400, float("nan"), float("inf"), -float("inf")):
        for path in chance.sample(every, 6):
            old = at(honest, path)
            if old == value and type(old) is type(value) or path[0] == "problem" and still_true(honest["problem"], path[1:], value):
                continue
            yield f"{path} is {value!r:.40}", put(honest, path, value)
    for path in chance.sample(every, 6):
        forged = copy.deepcopy(honest)
        del at(forged, path[:-1])[path[-1]]
        yield f"without {path}", forged
    tables = [(), *(path for path in every if isinstance(at(honest, path), dict))]
    for path in chance.sample(tables, min(6, len(tables))):
        yield f"a key that is not known in {path}", put(honest, (*path, "claim"), "The moon is made of cheese.")


def texts(honest, chance):
    """What only the text of a file shows: keys that come twice, several values, no numbers."""
    text = json.dumps(honest)
    for key in ("problem", "arcs", "certificate", "model", "energy", "x"):
        yield f"{key!r} twice", ("{" + f'"{key}": {json.dumps(honest[key])}, ' + text[1:]).encode()
        yield f"{key!r} twice, the second time another", (text[:-1] + f', "{key}": null' + "}").encode()
    yield "'mass' twice", text.replace('"mass": ', '"mass": 123.0, "mass": ', 1).encode()
    yield "'phase' twice", text.replace('"phase": ', '"phase": "stick", "phase": ', 1).encode()
    yield "two values", (text + text).encode()
    yield "a comma at the end", (text[:-1] + ",}").encode()
    yield "a mark of the order of bytes", b"\xef\xbb\xbf" + text.encode()
    yield "UTF-16", text.encode("utf-16")
    yield "torn", text[:-1].encode()
    yield "no UTF-8", text.encode() + b"\xff"
    for number in ("NaN", "Infinity", "-Infinity", "1e999", "-1e400", "0x1", "1_0", "01", "+1.0", ".5", "١"):
        for key in ("end", "mass"):
            start = text.index(f'"{key}": ') + len(key) + 4
            stop = min(i for i in (text.find(",", start), text.find("}", start)) if i > 0)
            yield f"{key!r} is {number}", (text[:start] + number + text[stop:]).encode()
    for name in ("stickslip 2", "stickslip 4", "", "STICKSLIP 3"):
        yield f"the form {name!r}", written(honest | {"certificate": name})


TABLES = {"x": ("initial", "displacement"), "v": ("initial", "velocity")}


def both(honest, changes):
    """Numbers of the problem and of its model, changed alike: what is said of the motion is then of that model."""
    forged, kind = copy.deepcopy(honest), problem_kind(honest)
    for key, value in changes.items():
        forged["problem"][key] = copy.deepcopy(value)
        table = forged["model"]["resolved"][kind]
        if key == "end":
            forged["model"]["resolved"]["run"]["end"] = value
        elif key == "friction":
            table[key] = {"forward": {"static-dynamic": value["ahead"]}, "backward": {"static-dynamic": value["back"]}}
        elif key == "normal":
            table[key] = [{"constant": value}]
        elif key in ("x", "v"):
            table["initial"][TABLES[key][1]] = value
        elif key == "stops":
            table[key] = {name: number for name, number in value.items() if number is not None}
        elif key in ("lower", "upper"):
            table[NAMES[key]] = []
        elif value is not None:
            table[key] = copy.deepcopy(value)
    return filled(bound(forged))


def short(honest):
    """The same motion, which ends within its first arc."""
    forged = copy.deepcopy(honest)
    first = forged["arcs"][0]
    end = 0.5 * first["to"][0]
    forged["arcs"] = [first | {"to": [end, end], "ending": "end", "margins": []}]
    forged["problem"]["end"] = forged["model"]["resolved"]["run"]["end"] = end
    return filled(bound(forged))


def impossible(honest, chance):
    """Models that no mechanism is of: numbers outside their range, in the problem and in the model."""
    kind, p = problem_kind(honest), honest["problem"]
    changes = [{"end": 0.0}, {"end": -p["end"]}]
    if p["mass"] is not None:
        changes += [{"mass": 0.0}, {"mass": -p["mass"]}]
    if kind != "cascade":
        changes += [{"stiffness": -1.0 - p["stiffness"]}, {"stiffness": -1e-9}, {"damping": -p["damping"] - 0.1}, {"damping": -1e-9}]
    if kind == "oscillator":
        for side in ("ahead", "back"):
            held = p["friction"][side]["static"]
            for law in ({"static": held, "dynamic": 1.5 * held + 0.1}, {"static": held, "dynamic": -0.1}, {"static": -held - 0.1, "dynamic": -held - 0.2}):
                changes.append({"friction": p["friction"] | {side: law}})
        changes += [{"normal": -p["normal"]}, {"normal": -1e-9}]
    if kind == "oscillator" and p["stops"] is not None:
        stops = p["stops"]
        changes += [{"stops": stops | {"lower": stops["upper"], "upper": stops["lower"]}}, {"stops": stops | {"lower": 0.1, "upper": 0.1}}]
        if stops["restitution"] is None:
            changes += [{"stops": stops | other} for other in ({"stiffness": -1.0}, {"stiffness": 0.0}, {"damping": -0.1}, {"damping": 0.3}, {"damping": None})]
            changes += [{"stops": stops | {"restitution": 0.5}}, {"x": stops["upper"], "v": 0.0}, {"x": stops["lower"], "v": 0.0}]
        else:
            changes += [{"stops": stops | {"restitution": e}} for e in (-0.1, 1.1, None)] + [{"stops": stops | {"stiffness": 1.0, "damping": 0.0}}]
            changes += [{"x": end + by} for end, by in ((stops["upper"], 0.1), (stops["lower"], -0.1)) if end is not None]
    if kind == "impact":
        changes += [{"restitution": e} for e in (-0.1, 1.1)] + [{"lower": None, "upper": None}]
    if kind == "cascade":
        k, a = p["stiffness"], p["threshold"]
        changes += [{"stiffness": other} for other in ([-k[0], *k[1:]], [*k[:-1], -k[-1]], [*k[:-1], 0.0], [*k, 1.0], k[:-1])]
        changes += [{"threshold": other} for other in ([-a[0], *a[1:]], [*a, 1.0], a[:-1])]
        changes += [{"prestress": [(a[0] + 0.1) * sign, *[0.0] * (len(a) - 1)]} for sign in (1, -1)] + [{"prestress": [0.0] * (len(a) + 1)}]
        if p["mass"] is None:
            changes.append({"v": 0.5})
    for change in changes:
        yield f"in the problem and in the model: {change}", functools.partial(both, honest, change)
        if "end" not in change:
            # Where nothing happens, nothing else stands in the way.
            yield f"in the problem and in the model, up to the first event: {change}", lambda change=change: both(short(honest), change)
    if kind == "cascade":
        signal = p["force"] or p["displacement"]
        for led in ({"force": signal, "displacement": signal}, {"force": None, "displacement": None}):
            yield f"the problem has {led}", late(put(honest, ("problem",), p | led))
        if p["mass"] is None:
            yield "the problem has a mass", late(put(honest, ("problem", "mass"), 1.0))


def bindings(honest, chance):
    """Models that say what the problem does not, in ways that a comparison of numbers may pass over."""
    kind, p = problem_kind(honest), honest["problem"]
    where = ("model", "resolved", kind)
    table = at(honest, where)
    for key in [key for key, value in table.items() if value == []] + [key for key in ("normal",) if kind == "oscillator" and key not in table]:
        for other in ("", {}, 0.0, False):
            yield f"{key} of the model is {other!r}", bound(put(honest, (*where, key), other))
    for path in [path for path in places(table) if at(table, path) in (0.0, 1.0) and type(at(table, path)) is float]:
        yield f"{path} of the model is a truth value", bound(put(honest, (*where, *path), bool(at(table, path))))
    for path in [path for path in places(table) if type(at(table, path)) is float]:
        yield f"{path} of the model is a text", bound(put(honest, (*where, *path), repr(at(table, path))))
    for path in [path for path in places(table) if isinstance(at(table, path), dict) and path[0] != "penalty"]:
        yield f"{path} of the model says more", bound(put(honest, (*where, *path, "more"), 1.0))
    for path in [path for path in places(table) if path[-1] in ("step", "ramp", "harmonic", "sampled", "constant")]:
        forged = copy.deepcopy(honest)
        signal = at(forged, (*where, *path[:-1]))
        signal["pulse"] = signal.pop(path[-1])
        yield f"{path} of the model is a pulse", bound(forged)
    if "stops" in table:
        forged = copy.deepcopy(honest)
        del forged["model"]["resolved"][kind]["stops"]
        yield "the model has no stops", bound(forged)
    if kind == "cascade" and p["displacement"] is None:
        yield "the model is led", bound(put(honest, (*where, "displacement"), [{"ramp": {"rate": 0.1, "offset": 0.0}}]))
    for path in [path for path in places(table) if path[-1] == "samples"]:
        for by in (-1.0, 1.0):
            yield f"{path} of the model by {by}", bound(put(honest, (*where, *path), at(table, path) + by))


def surplus(honest, chance):
    """Margins, coefficients and steps where there are none, and instants that are no instants."""
    for i, arc in enumerate(honest["arcs"]):
        for margin in (1e-300, 1.0):
            yield f"a margin {margin} more in arc {i}", put(honest, ("arcs", i, "margins"), [*arc["margins"], margin])
        if arc["free"] is None:
            yield f"coefficients of arc {i}", put(honest, ("arcs", i, "free"), [[0.0, 0.0], [0.0, 0.0]])
        else:
            yield f"no coefficients of arc {i}", put(honest, ("arcs", i, "free"), None)
        for j, steps in enumerate(arc["steps"]):
            if not steps:
                step = [arc["from"][0], arc["to"][1], 0, 1e-300]
                yield f"a step in chain {j} of arc {i}", put(honest, ("arcs", i, "steps", j), [step])
        middle = 0.5 * (arc["from"][1] + arc["to"][0])
        for ending in ("knot", "end"):
            forged = copy.deepcopy(honest)
            first = copy.deepcopy(arc) | {"to": [middle, math.nextafter(middle, math.inf)], "ending": ending}
            forged["arcs"].insert(i, first)
            yield f"arc {i} in two parts at no instant, the first ends as {ending}", late(joined(forged))


# --- What no forgery reaches: numbers of which it is not known on which side they are -----------------------------------------


def undecided():
    """What must be refused where a ball of numbers leaves a question open, with what is not open beside it: (what is done, whether it is
    refused). Certificates hold exact numbers, and such balls come only from instants that are hardly ever met."""

    def tried(act):
        try:
            act()
        except common.Rejected:
            return True
        return False

    def nodes():
        return cascade.Nodes({"stiffness": [1.0, 1.0], "threshold": [0.5], "prestress": [], "x": 0.0}, False)

    def slipping():
        row = nodes()
        row.jump(arb(0.75))
        return row

    def departing(v):
        motion = cascade.Motion(honest()["cascade"])
        motion.v = v
        motion.depart(0.0)

    little = arb(0, 1e-90)
    yield "a jump that ends just where a node yields", tried(lambda: nodes().jump(arb(0.5))), True
    yield "a jump that ends before", tried(lambda: nodes().jump(arb(0.25))), False
    yield "a jump that ends behind", tried(lambda: nodes().jump(arb(0.75))), False
    yield "a jump of unknown sign while a node slips", tried(lambda: slipping().jump(arb(0.75) + little)), True
    yield "a jump of unknown sign while none does", tried(lambda: nodes().jump(little)), False
    yield "a velocity of unknown sign", tried(lambda: departing(little)), True
    yield "a velocity of known sign", tried(lambda: departing(arb(1e-3))), False


KINDS = {f.__name__: f for f in (time, order, omission, duplication, pieces, phases, states, others, impossible, bindings, surplus, strange, texts)}


def forgeries(kind, name, certificate):
    """All forgeries of this kind of an honest certificate: what was done, and a function that gives the bytes."""
    for what, forged in KINDS[kind](certificate, random.Random(f"{kind} {name}")):
        if callable(forged):
            yield what, lambda forged=forged: written(forged())
        else:
            content = forged if isinstance(forged, bytes) else written(forged)
            yield what, lambda content=content: content


def main():
    count, proved, why = Counter(), [], Counter()
    for name, certificate in honest().items():
        reason = refused(HONEST[name].read_bytes(), FILES)
        if reason is not None:
            print(f"{name} is honest, and rejected: {reason}")
            return 1
        for kind in KINDS:
            for what, content in forgeries(kind, name, certificate):
                count[kind] += 1
                reason = refused(content(), FILES)
                if reason is None:
                    proved.append(f"{name}, {kind}: {what}")
                else:
                    why[f"{kind}: {reason.split(':')[0][:60]}"] += 1
    for kind, n in count.items():
        print(f"{kind:12} {n:6} forgeries")
    print(*(f"proved: {p}" for p in proved), sep="\n")
    print(f"{count.total()} forgeries, {len(proved)} of them proved")
    if "-v" in sys.argv:
        print(*(f"{n:6} {reason}" for reason, n in why.most_common()), sep="\n")
    return 1 if proved else 0


if __name__ == "__main__":
    sys.exit(main())

"""Derivatives of certified motions: by differences in so many digits that nothing of them is lost.

A number of the model file is moved by ±h, both motions are solved anew from their first instant, and

    f' = (f(h) − f(−h)) / (2 h) + O(h²).

With h about 10⁻¹³ and more than forty digits, truncation and rounding both stand behind the twentieth digit of f'. Everything is done
twice, with other precisions, orders and distances, and the digits to which both agree are what is certified. Where one of the four
motions has other events than the motion itself, it lies at an edge (a touch, a slip that only just begins), and there is no derivative.
"""

import copy

from mpmath import mp, mpf

from signals import exact

#: Digits and order of the motions, and the distance as a power of two.
WAYS = ((48, 40, 46), (43, 36, 43))
#: What a derivative must agree to in both ways.
ENOUGH = 20
#: Numbers that are counts or names of an instant of the whole run, and not of what moves.
NOT_MOVED = ("exponent", "count")
#: So many events have derivatives of their times, and so many states.
MOST_EVENTS = 40
QUARTERS = (3, 6, 9, 12)


def numbers(table, path=()):
    """Where the numbers of a model file stand: lists of keys."""
    found = []
    items = table.items() if isinstance(table, dict) else enumerate(table)
    for key, value in items:
        here = (*path, key)
        if here[0] in ("run", "title") or key in NOT_MOVED or isinstance(value, (str, bool)):
            continue
        found += numbers(value, here) if isinstance(value, (dict, list)) else [here]
    return found


def called(path):
    """What the number is called in a model file."""
    return ".".join(str(k) for k in path)


def moved(document, path, by):
    """The document with one number changed by `by`, a number with all its digits."""
    out = copy.deepcopy(document)
    place = out
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = exact(place[path[-1]]) + by
    return out


def size(document, path):
    """The power of two next to a number, or 1 for zero: what its distance is measured by."""
    place = document
    for key in path:
        place = place[key]
    return mpf(2) ** int(mp.floor(mp.log(abs(exact(place)), 2))) if place else mpf(1)


def shown(run, count):
    """Names of the events, and all that is differentiated: times of events, then displacements and velocities of each state."""
    names = [(e["event"], e["where"]) for e in run.events]
    return names, [e["t"] for e in run.events[:count]] + [y for s in run.states for part in (s[1], s[2]) for y in part]


class Edge(Exception):
    """A motion next to this one has other events."""


def column(solve, document, path, way, wanted, base):
    """The derivatives with respect to one number in one way."""
    digits, order, power = way
    mp.dps = digits
    h = size(document, path) / mpf(2) ** power
    both = []
    for sign in (1, -1):
        names, values = shown(solve(moved(document, path, sign * h), (digits, order), wanted), MOST_EVENTS)
        if names != base:
            raise Edge
        both.append(values)
    return [(a - b) / (2 * h) for a, b in zip(*both)]


def agreement(first, second, events):
    """The digits to which two columns agree, of times and of states, each relative to the largest of its kind."""
    worst = mpf(0)
    for part in (slice(0, events), slice(events, None)):
        largest = max([abs(a) for a in first[part]] + [mpf(0)])
        gap = max([abs(a - b) for a, b in zip(first[part], second[part])] + [mpf(0)])
        if gap:
            worst = max(worst, gap / max(largest, mpf(10) ** -3))
    return 40 if worst == 0 else int(min(40, -mp.log10(worst)))


def derivatives(solve, document, instants, text):
    """The table of a case, and what could not be certified: keys with the digits to which both ways agree.

    `solve(document, (digits, order), instants)` returns names of the nodes and a finished run.
    """
    run = lambda changed, setting, wanted: solve(changed, setting, wanted)[1]
    digits, order, _ = WAYS[1]
    mp.dps = digits
    nodes, base = solve(document, (digits, order), instants)
    names, _ = shown(base, MOST_EVENTS)
    events = min(MOST_EVENTS, len(names))
    columns, edges, unsure, agreed = {}, [], [], 40
    for path in numbers(document):
        key = called(path)
        try:
            one, two = (column(run, document, path, way, instants, names) for way in WAYS)
        except (Edge, AssertionError, RuntimeError, ZeroDivisionError):
            edges.append(key)
            continue
        both = agreement(one, two, events)
        if both < ENOUGH:
            unsure.append((key, both))
            continue
        agreed = min(agreed, both)
        columns[key] = [text(a) for a in one]
    row = lambda i: [c[i] for c in columns.values()]
    states, i = [], events
    for t, *_ in base.states:
        for n, name in enumerate(nodes):
            states.append({"t": repr(float(t)), "where": name, "x": row(i + n), "v": row(i + len(nodes) + n)})
        i += 2 * len(nodes)
    (d1, _, p1), (d2, _, p2) = WAYS
    how = f"differences of motions in {d1} digits at 2^-{p1} of each number, against {d2} digits at 2^-{p2}: {agreed} digits"
    table = {"how": how, "wrt": list(columns), "without": edges + [key for key, _ in unsure], "event_times": [row(i) for i in range(events)], "states": states}
    return table, unsure

"""What binds a certificate to its model: the SHA-256 of the resolved model and of each file that was sampled, and the agreement of the
problem with both.

The resolved model is the model file with every default filled in. Its canonical form is that of RFC 8785 (JSON Canonicalization Scheme):
no white space, keys in the order of their UTF-16 code units, numbers as ECMAScript writes doubles. The SHA-256 is that of its UTF-8.
"""
import bisect
import csv
import hashlib
import json
import math
from fractions import Fraction

from .common import Rejected, require
from .form import decoded

# --- The canonical form -------------------------------------------------------------------------------------------------


def canonical(value):
    if isinstance(value, dict):
        ordered = sorted(value.items(), key=lambda item: item[0].encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(key)}:{canonical(part)}" for key, part in ordered) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return written(value)
    return json.dumps(value, ensure_ascii=False)  # texts, true, false and null


def written(value):
    """A double as ECMAScript writes it: the shortest digits that give it back."""
    if value == 0:
        return "0"
    digits, _, exponent = f"{abs(value)!r}".partition("e")
    before, _, after = digits.partition(".")
    after = "" if after == "0" else after
    point = len(before) + int(exponent or 0)  # where the point stands in the digits
    digits = (before + after).lstrip("0")
    point -= len(before + after) - len(digits)
    digits = digits.rstrip("0")
    n, sign = len(digits), "-" if value < 0 else ""
    if n <= point <= 21:
        return sign + digits + "0" * (point - n)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    tail = "." + digits[1:] if n > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def sha256(resolved):
    return hashlib.sha256(canonical(resolved).encode("utf-8", "surrogatepass")).hexdigest()


def given(content):
    """The resolved model in a file: a summary of the program under the key `model`, or the resolved model itself."""
    document = decoded(content)
    require(isinstance(document, dict), "the model that was given is not a table of JSON")
    inner = document.get("model", document)
    inner = inner.get("resolved", inner) if isinstance(inner, dict) else inner
    require(isinstance(inner, dict), "the model that was given is not a table of JSON")
    return inner


# --- The problem against the resolved model -----------------------------------------------------------------------------


class Binding:
    """Compares the problem of a certificate with the resolved model in it; `files` holds the bytes of those that are at hand."""

    def __init__(self, kind, certificate, files):
        self.kind, self.problem, self.model = kind, certificate["problem"], certificate["model"]
        self.resolved, self.files = self.model["resolved"], files
        self.uncompared = []  # names of samples that nothing here is compared with
        self.table = self.resolved.get(kind)

    def check(self):
        require(sha256(self.resolved) == self.model["sha256"], "the SHA-256 of the model is that of another")
        names = [file["name"] for file in self.model["files"]]
        require(len(set(names)) == len(names), "a file is listed twice")
        for file in self.model["files"]:
            if file["name"] in self.files:
                found = hashlib.sha256(self.files[file["name"]]).hexdigest()
                require(found == file["sha256"], f"{file['name']} is not the file that was read: its SHA-256 is {found}")
        self.only(self.resolved, ("title", self.kind, "run"), "the model")
        require(isinstance(self.table, dict) and isinstance(self.resolved.get("run"), dict), "the resolved model lacks its tables")
        # Python takes true for 1.0.
        require(all(type(part) is not bool for part in parts(self.table)), "the model has a truth value")
        self.same("end", self.resolved["run"].get("end"))
        getattr(self, self.kind)(self.table)
        initial = self.table.get("initial")
        require(isinstance(initial, dict) and set(initial) == {"displacement", "velocity"}, "the initial state of the model")
        self.same("x", initial["displacement"])
        self.same("v", initial["velocity"])
        sampled = self.sampled()
        require(set(names) <= set(sampled), "a file is listed that the model does not name")
        # Samples that were given in memory have no file, and no count in the model.
        read = {name for name, count in sampled.items() if count != 0}
        require(read <= set(names), "a file that was sampled is not listed")

    def only(self, table, known, what):
        for key in table:
            require(key in known, f"{what} has the key {key!r}, of which nothing is proved")

    def same(self, key, value, of=None):
        """The number `key` of the problem is that of the model."""
        ours = (self.problem if of is None else of)[key]
        require(type(value) in (float, type(None)) and ours == value, f"{key!r} of the problem is not that of the model")

    def oscillator(self, table):
        known = ("mass", "stiffness", "damping", "bearing_stiffness", "friction", "drive", "force", "support", "normal", "stops", "initial")
        self.only(table, known, "the model")
        require(self.resolved["run"].get("scheme") == "exact", "the scheme of the model is not exact")
        for key in ("mass", "stiffness", "damping"):
            self.same(key, table.get(key))
        for key in ("drive", "force", "support"):
            self.signal(self.problem[key], table.get(key, []), key)
        for side, law in zip(("ahead", "back"), forces(table.get("friction"))):
            require(law is not None and self.problem["friction"][side] == law, "the friction of the problem is not that of the model")
        normal = table.get("normal", [])
        require(isinstance(normal, list), "the normal force of the model")
        if normal:
            constant = {"pieces": [[0.0, self.problem["normal"], 0.0]], "harmonics": []}
            self.signal(constant, normal, "normal")
        else:
            self.same("normal", 1.0)
        stops, ours = table.get("stops"), self.problem["stops"]
        require((stops is None) == (ours is None), "the stops of the problem are not those of the model")
        if stops is not None:
            require(isinstance(stops, dict), "the stops of the model")
            self.only(stops, ours, "the stops of the model")
            for key in ours:
                self.same(key, stops.get(key), ours)

    def cascade(self, table):
        known = ("mass", "stiffness", "threshold", "prestress", "force", "displacement", "initial")
        self.only(table, known, "the model")
        led = self.resolved["run"].get("scheme") == "quasi-static"
        require(led or self.resolved["run"].get("scheme") == "exact", "the scheme of the model is neither exact nor quasi-static")
        mass = table.get("mass")
        require(type(mass) in (float, type(None)), "the mass of the model is no number")
        self.same("mass", None if led else mass)
        for key in ("stiffness", "threshold", "prestress"):
            require(self.problem[key] == table.get(key, []), f"{key!r} of the problem is not that of the model")
        moved = table.get("displacement", [])
        for key, signals in (("displacement", moved), ("force", table.get("force", []))):
            require(isinstance(signals, list), f"the signals of {key}")
            if self.problem[key] is None:
                require(bool(moved) == (key == "force"), "what is led is not what the model says")
            else:
                self.signal(self.problem[key], signals, key)

    def impact(self, table):
        known = ("mass", "stiffness", "damping", "wall", "upper_wall", "restitution", "penalty", "force", "initial")
        self.only(table, known, "the model")
        require(self.resolved["run"].get("scheme") == "exact", "the scheme of the model is not exact")
        for key in ("mass", "stiffness", "damping", "restitution"):
            self.same(key, table.get(key))
        self.signal(self.problem["force"], table.get("force", []), "force")
        for key, name in (("lower", "wall"), ("upper", "upper_wall")):
            signals = table.get(name, [])
            require((self.problem[key] is None) == (signals == []), f"the {key} wall of the problem is not that of the model")
            if signals:
                self.signal(self.problem[key], signals, key)

    def sampled(self):
        """The names of the files in the model, and how many samples were taken."""
        lists = [part for part in self.table.values() if isinstance(part, list)]
        parts = [signal for part in lists for signal in part if isinstance(signal, dict)]
        return {s["sampled"].get("file"): s["sampled"].get("samples") for s in parts if isinstance(s.get("sampled"), dict)}

    # --- Signals --------------------------------------------------------------------------------------------------------

    def signal(self, ours, signals, what):
        """The pieces and harmonics are the sum of the signals of the model, up to the rounding of sums."""
        require(isinstance(signals, list), f"the signals of {what}")
        harmonics, lines = [], []
        for one in signals:
            require(isinstance(one, dict) and len(one) == 1, f"a signal of {what}")
            (name, numbers), = one.items()
            if name == "harmonic":
                harmonics.append(numbers_of(numbers, ("amplitude", "angular_frequency", "phase"), what))
            elif name == "sampled":
                line = self.samples(numbers, what)
                if line is None:
                    lines = None
                elif lines is not None:
                    lines.append(line)
            elif lines is not None:
                lines.append(straight(name, numbers, what))
            else:
                straight(name, numbers, what)
        require(ours["harmonics"] == harmonics, f"the harmonics of {what} are not those of the model")
        if lines is not None:
            agree(ours["pieces"], lines, self.problem["end"], what)

    def samples(self, table, what):
        """The straight pieces between the samples of a file, where it is at hand and its times and values are plain numbers."""
        require(isinstance(table, dict) and isinstance(table.get("file"), str), f"the samples of {what}")
        self.only(table, ("file", "time", "value", "scale", "offset", "samples", "origin"), f"the samples of {what}")
        name = table["file"]
        points = None
        if any(file["name"] == name for file in self.model["files"]) and name in self.files:
            points = rows_of(self.files[name], table)
        if points is None:
            self.uncompared.append(name)
            return None
        require(len(points) == table.get("samples"), f"{name} has another number of samples")
        scale, offset = table.get("scale"), table.get("offset")
        require(type(scale) is float and type(offset) is float, f"the samples of {what}")
        first = points[0][0]
        return [(Fraction(t - first), Fraction(scale) * Fraction(v) + Fraction(offset)) for t, v in points]


def parts(value):
    """A value and all that is in it."""
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        yield from parts(one)


def numbers_of(table, names, what):
    require(isinstance(table, dict) and set(table) == set(names), f"a signal of {what}")
    require(all(type(table[name]) is float for name in names), f"a signal of {what}")
    return [table[name] for name in names]


def straight(name, numbers, what):
    """Points between which a signal is straight, as (time, value) or, where it jumps or goes on for ever, (time, value, rate)."""
    if name == "constant":
        require(type(numbers) is float, f"a signal of {what}")
        return [(Fraction(0), Fraction(numbers), Fraction(0))]
    if name == "ramp":
        rate, offset = numbers_of(numbers, ("rate", "offset"), what)
        return [(Fraction(0), Fraction(offset), Fraction(rate))]
    require(name == "step", f"{what} has a signal {name!r}, of which nothing is proved")
    time, before, after = numbers_of(numbers, ("time", "before", "after"), what)
    if time <= 0:
        return [(Fraction(0), Fraction(after), Fraction(0))]
    return [(Fraction(0), Fraction(before), Fraction(0)), (Fraction(time), Fraction(after), Fraction(0))]


def forces(friction):
    """The constant forces ahead and back of a law; nothing where it has none."""
    if not isinstance(friction, dict):
        return None, None
    if set(friction) == {"forward", "backward"}:
        return forces(friction["forward"])[0], forces(friction["backward"])[1]
    if len(friction) != 1:
        return None, None
    (name, numbers), = friction.items()
    if isinstance(numbers, dict) and set(numbers) == {"forward", "backward"}:
        return tuple(forces({name: numbers[side]})[0] for side in ("forward", "backward"))
    if name == "coulomb" and isinstance(numbers, dict) and set(numbers) == {"force"}:
        law = {"static": numbers["force"], "dynamic": numbers["force"]}
    elif name == "static-dynamic" and isinstance(numbers, dict) and set(numbers) == {"static", "dynamic"}:
        law = {"static": numbers["static"], "dynamic": numbers["dynamic"]}
    else:
        return None, None
    return law, law


def rows_of(content, table):
    """Times and values of a CSV file of plain numbers with commas and a head; nothing where it is another kind of file."""
    try:
        rows = list(csv.reader(content.decode("utf-8-sig").splitlines()))
        head = [cell.strip() for cell in rows[0]]
        time, value = head.index(table.get("time")), head.index(table.get("value"))
        points = [(float(row[time]), float(row[value])) for row in rows[1:] if row]
    except (ValueError, IndexError):
        return None
    fine = all(math.isfinite(t) and math.isfinite(v) for t, v in points) and all(a[0] < b[0] for a, b in zip(points, points[1:]))
    return points if len(points) > 1 and fine else None


def at(line, t):
    """Value and slope of straight pieces from t on."""
    i = max(bisect.bisect_right(line, t, key=lambda point: point[0]) - 1, 0)
    point = line[i]
    if len(point) == 3:
        rate = point[2]
    elif i + 1 < len(line):
        rate = (line[i + 1][1] - point[1]) / (line[i + 1][0] - point[0])
    else:
        rate = Fraction(0)  # after the last sample
    return point[1] + rate * (t - point[0]), rate


def agree(pieces, lines, end, what):
    """The pieces are the sum of the lines within [0, end), up to the rounding of the sums."""
    times = [Fraction(piece[0]) for piece in pieces]
    knots = {point[0] for line in lines for point in line[1:] if 0 < point[0] < end}
    for knot in knots:
        i = bisect.bisect_left(times, knot)
        near = min(abs(knot - t) for t in times[max(i - 1, 0) : i + 1])
        require(near <= Fraction(1e-12) * (1 + abs(knot)), f"{what} of the model has a knot at {float(knot)} s more")
    size = sum((max(abs(point[1]) + (abs(point[2]) * Fraction(end) if len(point) == 3 else 0) for point in line) for line in lines), Fraction(0))
    for i, (time, value, rate) in enumerate(pieces):
        begin, last = max(times[i], Fraction(0)), times[i + 1] if i + 1 < len(pieces) else Fraction(end)
        if begin >= end or last <= begin:
            continue
        if rate is None:
            require(i + 1 < len(pieces), f"the last piece of {what} leads nowhere")
            slope = (Fraction(pieces[i + 1][1]) - Fraction(value)) / (last - times[i])
        else:
            slope = Fraction(rate)
        # Both ends of what is within the run, a little inside: a knot of a sampled file may be rounded.
        inner = (last - begin) / 1024
        for t in (begin + inner, last - inner):
            true = sum((at(line, t)[0] for line in lines), Fraction(0))
            ours = Fraction(value) + slope * (t - times[i])
            require(abs(true - ours) <= Fraction(1e-12) * size, f"{what} of the problem is not that of the model at {float(t)} s")

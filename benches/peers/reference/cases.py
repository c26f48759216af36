"""The cases of the reference set as Python sees them: `model.toml` and `certified.json`, nothing of the library."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]


class Unsupported(Exception):
    """What a simulator cannot express, in one sentence."""


class Signal:
    """A sum of constants, ramps, harmonics and steps. A step has the side on which `hold` was last called."""

    def __init__(self, tables):
        self.offset = self.rate = self.held = 0.0
        self.harmonics, self.steps, self.white = [], [], 0.0
        for table in tables:
            ((kind, p),) = table.items()
            if kind == "constant":
                self.offset += p
            elif kind == "ramp":
                self.offset += p.get("offset", 0.0)
                self.rate += p["rate"]
            elif kind == "harmonic":
                self.harmonics.append((p["amplitude"], p["angular_frequency"], p.get("phase", 0.0)))
            elif kind == "step":
                self.steps.append((p["time"], p["before"], p["after"]))
            elif kind == "white":
                self.white = p["intensity"]
            else:
                raise ValueError(f"found a signal `{kind}`, expected constant, ramp, harmonic, step or white")
        self.hold(0.0)

    def hold(self, t):
        self.held = sum(after if t >= time else before for time, before, after in self.steps)

    def __call__(self, t):
        wave = sum(a * math.cos(w * t + q) for a, w, q in self.harmonics)
        return self.offset + self.held + self.rate * t + wave

    def derivative(self, t):
        return self.rate - sum(a * w * math.sin(w * t + q) for a, w, q in self.harmonics)


class Law:
    """Friction in one direction: the limit at rest after a time s of rest, and the force at a speed."""

    def __init__(self, table):
        ((self.kind, p),) = table.items()
        self.p = p
        if self.kind == "coulomb":
            self.static = self.dynamic = p["force"]
        elif self.kind == "stribeck":
            self.static = self.dynamic = p["d"]
        else:
            self.static, self.dynamic = p["static"], p["dynamic"]
        #: Two numbers say everything.
        self.two_forces = self.kind in ("coulomb", "static-dynamic", "ageing")

    def limit(self, rest):
        if self.kind != "ageing":
            return self.static
        grown = (rest / self.p["time"]) ** self.p["exponent"]
        return min(self.static, self.dynamic + (self.static - self.dynamic) * grown)

    def force(self, speed):
        p = self.p
        if self.kind == "stribeck":
            return p["d"] / (p["a"] * speed**3 + p["b"] * speed**2 + p["c"] * speed + 1.0)
        if self.kind == "stribeck-exponential":
            peak = (p["static"] - p["dynamic"]) * math.exp(-((speed / p["velocity"]) ** p["exponent"]))
            return p["dynamic"] + peak + p["viscous"] * speed
        return self.dynamic

    def smooth(self, speed, least):
        """The law of tanh(w/least), with the breakaway force as a peak where the law has none itself."""
        u = speed / least
        if not self.two_forces:
            return self.force(speed) * math.tanh(u)
        over = self.static - self.dynamic
        peak = over * math.sqrt(2 * math.e) * math.exp(-min(700.0, u * u / 18)) * u / 3 / math.sqrt(2)
        return self.dynamic * math.tanh(u) + peak


class Case:
    """What all kinds share."""

    def __init__(self, name, document, certified):
        self.name, self.certified = name, certified
        self.end = document["run"]["end"]
        self.unique, self.report = certified["unique"], certified.get("report")
        self.times = sorted({float(s["t"]) for s in certified.get("states", [])})
        self.signals = []

    def pieces(self):
        """Stretches of time without a jump of a load."""
        at = sorted({t for s in self.signals for t, _, _ in s.steps if 0 < t < self.end})
        return list(zip([0.0, *at], [*at, self.end]))

    def hold(self, t):
        for s in self.signals:
            s.hold(t)


class Oscillator(Case):
    """One mass, one friction force against a support, perhaps two stops."""

    kind = "oscillator"

    def __init__(self, name, document, certified):
        super().__init__(name, document, certified)
        o = document["oscillator"]
        self.m, self.c = o["mass"], o.get("damping", 0.0)
        k = o["stiffness"]
        self.polynomial = [float(a) for a in k] if isinstance(k, list) else [float(k)]
        self.k = self.polynomial[0]
        self.drive, self.force, self.support = (Signal(o.get(s, [])) for s in ("drive", "force", "support"))
        self.normal = Signal(o.get("normal", [{"constant": 1.0}]))
        self.signals = [self.drive, self.force, self.support, self.normal]
        f = o["friction"]
        self.forward = Law(f["forward"] if "forward" in f else f)
        self.backward = Law(f["backward"] if "backward" in f else f)
        self.same = "forward" not in f
        self.stops = o.get("stops")
        start = o.get("initial", {})
        self.x0, self.v0 = start.get("displacement", 0.0), start.get("velocity", 0.0)

    @property
    def moving_support(self):
        return self.support(0.0) != 0.0 or bool(self.support.rate or self.support.harmonics)

    @property
    def white(self):
        return self.force.white

    def load(self, t, x, v):
        z = self.drive(t) - x
        # The spring pulls with k₁ e + k₂ e² + …, e = x − d = −z.
        spring = sum(-a * (-z) ** (i + 1) for i, a in enumerate(self.polynomial) if a)
        return spring - self.c * v + self.force(t)

    def law(self, sign):
        return self.forward if sign > 0 else self.backward


class Impact(Case):
    """One mass between rigid walls."""

    kind = "impact"

    def __init__(self, name, document, certified):
        super().__init__(name, document, certified)
        o = document["impact"]
        self.m, self.c, self.k = o["mass"], o.get("damping", 0.0), o.get("stiffness", 0.0)
        self.e, self.force = o["restitution"], Signal(o.get("force", []))
        wall = lambda w: Signal(w if isinstance(w, list) else [{"constant": w}])
        self.walls = {"lower": wall(o["wall"])} if "wall" in o else {}
        if "upper_wall" in o:
            self.walls["upper"] = wall(o["upper_wall"])
        self.signals = [self.force, *self.walls.values()]
        start = o.get("initial", {})
        self.x0, self.v0 = start.get("displacement", 0.0), start.get("velocity", 0.0)

    def load(self, t, x, v):
        return self.force(t) - self.k * x - self.c * v


class Cascade(Case):
    """A mass on a row of elastoplastic elements."""

    kind = "cascade"

    def __init__(self, name, document, certified):
        super().__init__(name, document, certified)
        o = document["cascade"]
        self.m, self.stiffness, self.threshold = o["mass"], np.array(o["stiffness"]), np.array(o["threshold"])
        self.force = Signal(o.get("force", []))
        self.signals = [self.force]


class Network(Case):
    """Masses, springs, dashpots and sliders on a line. Ends are numbers of nodes; the ground has none (-1)."""

    kind = "network"

    def __init__(self, name, document, certified):
        super().__init__(name, document, certified)
        o = document["network"]
        motions = {m["on"]: Signal([{k: v} for k, v in m.items() if k != "on"]) for m in o.get("motion", [])}
        free = [n for n in o["node"] if n["name"] not in motions]
        self.names = [n["name"] for n in free]
        self.mass = np.array([n["mass"] for n in free])
        self.x0 = np.array([n.get("displacement", 0.0) for n in free])
        self.v0 = np.array([n.get("velocity", 0.0) for n in free])
        n = len(free)
        self.stiffness, self.damping = np.zeros((n, n)), np.zeros((n, n))
        #: The force on each free node: (its number, factor, signal).
        self.loads = []
        for spring in o.get("spring", []):
            self._join(self.stiffness, spring["between"], spring["stiffness"], motions)
        for dashpot in o.get("dashpot", []):
            self._join(self.damping, dashpot["between"], dashpot["damping"], {})
        for force in o.get("force", []):
            signal = Signal([{k: v} for k, v in force.items() if k != "on"])
            self.loads.append((self.names.index(force["on"]), 1.0, signal))
        self.signals = [s for _, _, s in self.loads]
        self.sliders = [(s["name"], self._row(s["between"]), s["static"], s["dynamic"]) for s in o["slider"]]

    def _row(self, ends):
        row = np.zeros(len(self.names))
        for end, sign in zip(ends, (1.0, -1.0)):
            if end != "ground":
                row[self.names.index(end)] = sign
        return row

    def _join(self, matrix, ends, value, motions):
        for end, other in (ends, ends[::-1]):
            if end in motions:
                self.loads.append((self.names.index(other), value, motions[end]))
                matrix[self.names.index(other), self.names.index(other)] += value
                return
        row = self._row(ends)
        matrix += value * np.outer(row, row)

    def applied(self, t, x, v):
        force = -self.stiffness @ x - self.damping @ v
        for node, factor, signal in self.loads:
            force[node] += factor * signal(t)
        return force


KINDS = {"oscillator": Oscillator, "impact": Impact, "cascade": Cascade, "network": Network}


def load(name):
    folder = ROOT / "reference" / name
    document = tomllib.loads((folder / "model.toml").read_text())
    certified = json.loads((folder / "certified.json").read_text())
    return next(make(name, document, certified) for kind, make in KINDS.items() if kind in document)


def names():
    return sorted(f.parent.name for f in (ROOT / "reference").glob("*/certified.json"))

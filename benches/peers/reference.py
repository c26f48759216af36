"""Other simulators on cases of the reference set: docs/peers.md.

    cargo xtask peers

Every simulator is set up as its own documentation recommends for friction or for discontinuities; each case takes its best
result of several settings. Times are seconds of the processor (time.process_time), the shortest of the runs of a setting.
All results are scored by `stickslip score`. What is not installed is left out, and said so.
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
import tomllib
from importlib import metadata
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
CASES = ["free-slide", "free-decay", "incline-hold", "pulled-slider", "shaw", "peer-p3", "near-touch-slips"]


class Signal:
    """A sum of constants, ramps and harmonics."""

    def __init__(self, tables):
        self.offset = self.rate = 0.0
        self.harmonics = []
        for table in tables:
            ((kind, p),) = table.items()
            if kind == "constant":
                self.offset += p
            elif kind == "ramp":
                self.offset += p.get("offset", 0.0)
                self.rate += p["rate"]
            else:
                self.harmonics.append((p["amplitude"], p["angular_frequency"], p.get("phase", 0.0)))

    def __call__(self, t):
        return self.offset + self.rate * t + sum(a * math.cos(w * t + q) for a, w, q in self.harmonics)


class Skipped(Exception):
    """A setting that would take too long in this case."""


class Case:
    """One mass of the reference set with one friction law of one or two forces."""

    def __init__(self, name):
        self.name = name
        folder = ROOT / "reference" / name
        document = tomllib.loads((folder / "model.toml").read_text())
        self.certified = json.loads((folder / "certified.json").read_text())
        o = document["oscillator"]
        self.m, self.c, self.k = o["mass"], o.get("damping", 0.0), o["stiffness"]
        self.drive, self.force = Signal(o.get("drive", [])), Signal(o.get("force", []))
        ((kind, p),) = o["friction"].items()
        normal = Signal(o.get("normal", [{"constant": 1.0}])).offset
        self.static = normal * (p["force"] if kind == "coulomb" else p["static"])
        self.dynamic = normal * (p["force"] if kind == "coulomb" else p["dynamic"])
        start = o.get("initial", {})
        self.x0, self.v0 = start.get("displacement", 0.0), start.get("velocity", 0.0)
        self.end = document["run"]["end"]
        self.times = sorted({float(s["t"]) for s in self.certified["states"]})

    def load(self, t, x, v):
        return self.k * (self.drive(t) - x) - self.c * v + self.force(t)


def phases(case, slip, stick):
    """The usual hybrid automaton. `slip` and `stick` integrate one phase: (t, x, v, states, whether it ended)."""
    t, x, v, rows = 0.0, case.x0, case.v0, []
    sign = math.copysign(1.0, v) if v else 0.0
    if not v and abs(case.load(t, x, 0.0)) > case.static:
        sign = math.copysign(1.0, case.load(t, x, 0.0))
    while t < case.end:
        wanted = [s for s in case.times if t < s <= case.end]
        if sign:
            t, x, v, states, ended = slip(t, x, v, sign, wanted)
        else:
            t, states, ended = stick(t, x, wanted)
            states, v = [(s, x, 0.0) for s in states], 0.0
        rows += [("state", s, "", a, b) for s, a, b in states]
        if not ended:
            break
        b = case.load(t, x, 0.0)
        if not sign:
            sign = math.copysign(1.0, b)
            rows.append(("slip", t, "", x, 0.0))
        elif abs(b) <= case.static:
            sign = 0.0
            rows.append(("stick", t, "", x, 0.0))
        else:
            sign = math.copysign(1.0, b)
            rows.append(("reversal", t, "", x, 0.0))
        v = 0.0
        if len(rows) > 5000:
            raise RuntimeError("more than 5000 events")
    return rows


def scipy_events(case, method, rtol, max_step):
    from scipy.integrate import solve_ivp

    options = dict(method=method, rtol=rtol, atol=rtol * 1e-2, dense_output=True, max_step=max_step)

    def run(f, event, t, y, wanted):
        event.terminal = True
        out = solve_ivp(f, (t, case.end), y, events=event, **options)
        ended = out.status == 1
        until = out.t[-1]
        return out, ended, until, [s for s in wanted if s < until or (s == until and not ended)]

    def slip(t, x, v, sign, wanted):
        def f(s, y):
            return [y[1], (case.load(s, y[0], y[1]) - sign * case.dynamic) / case.m]

        def zero(s, y):
            return y[1]

        zero.direction = -sign
        out, ended, until, here = run(f, zero, t, [x, v], wanted)
        states = [(s, *out.sol(s)) for s in here]
        return until, out.y[0, -1], out.y[1, -1], states, ended

    def stick(t, x, wanted):
        def f(s, y):
            return [0.0]

        def limit(s, y):
            return case.static - abs(case.load(s, x, 0.0))

        limit.direction = -1
        out, ended, until, here = run(f, limit, t, [x], wanted)
        return until, here, ended

    return phases(case, slip, stick)


def scipy_tanh(case, speed, rtol):
    """One smooth equation: f tanh(v/speed), with the breakaway force as a peak where there is one."""
    from scipy.integrate import solve_ivp

    over = case.static - case.dynamic

    def f(t, y):
        x, v = y
        u = v / speed
        friction = case.dynamic * math.tanh(u) + over * math.sqrt(2 * math.e) * math.exp(-min(700.0, u * u / 2 / 9)) * u / 3 / math.sqrt(2)
        return [v, (case.load(t, x, v) - friction) / case.m]

    out = solve_ivp(f, (0.0, case.end), [case.x0, case.v0], method="Radau", rtol=rtol, atol=1e-3 * speed * rtol ** 0.5,
                    t_eval=case.times)
    return [("state", t, "", x, v) for t, x, v in zip(out.t, *out.y)]


def cvode(case, method, rtol):
    from sksundae.cvode import CVODE

    def run(f, event, t, y, wanted):
        span = np.array([t, *[s for s in wanted if s > t]])
        if span[-1] < case.end:
            span = np.append(span, case.end)
        out = CVODE(f, method=method, rtol=rtol, atol=rtol * 1e-2, eventsfn=event, num_events=1, max_num_steps=1_000_000).solve(span, np.array(y))
        found = getattr(out, "t_events", None)
        ended = found is not None and len(found) > 0 and found[0] < case.end
        until = float(found[0]) if ended else case.end
        last = out.y_events[0] if ended else out.y[-1]
        states = [(float(s), *row) for s, row in zip(out.t[1:], out.y[1:]) if s < until or (s == until and not ended)]
        return until, last, [s for s in states if s[0] in wanted], ended

    def slip(t, x, v, sign, wanted):
        def f(s, y, yp):
            yp[0], yp[1] = y[1], (case.load(s, y[0], y[1]) - sign * case.dynamic) / case.m

        def zero(s, y, g):
            g[0] = y[1]

        zero.terminal, zero.direction = [True], [int(-sign)]
        until, last, states, ended = run(f, zero, t, [x, v], wanted)
        return until, last[0], last[1], states, ended

    def stick(t, x, wanted):
        def f(s, y, yp):
            yp[0] = 0.0

        def limit(s, y, g):
            g[0] = case.static - abs(case.load(s, x, 0.0))

        limit.terminal, limit.direction = [True], [-1]
        until, _, states, ended = run(f, limit, t, [x], wanted)
        return until, [s[0] for s in states], ended

    return phases(case, slip, stick)


_jitted = {}


def diffrax_events(case, solver, rtol):
    import diffrax
    import jax
    import jax.numpy as jnp
    import optimistix

    jax.config.update("jax_enable_x64", True)
    wave = lambda p, t: p[0] + p[1] * t + p[2] * jnp.cos(p[3] * t + p[4])
    load = lambda t, x, v, a: a["k"] * (wave(a["d"], t) - x) - a["c"] * v + wave(a["f"], t)
    key = (solver, rtol)
    if key not in _jitted:
        def slipping(t, y, a):
            return jnp.array([y[1], (load(t, y[0], y[1], a) - a["s"] * a["fd"]) / a["m"]])

        # Past the start, where the velocity is zero too.
        def stops(t, y, args, **_):
            return jnp.where(t > args["t0"], args["s"] * y[1], 1e-300)

        def slips(t, y, args, **_):
            return args["fs"] - jnp.abs(load(t, y[0], 0.0, args))

        def make(field, condition):
            event = diffrax.Event(condition, optimistix.Newton(1e-13, 1e-13, optimistix.rms_norm), direction=False)
            step = diffrax.PIDController(rtol=rtol, atol=rtol * 1e-2, dtmax=0.1)

            def solve(t0, t1, y, a):
                return diffrax.diffeqsolve(
                    diffrax.ODETerm(field), getattr(diffrax, solver)(), t0, t1, None, y, a, event=event,
                    stepsize_controller=step, max_steps=65536, saveat=diffrax.SaveAt(t1=True, dense=True))

            return jax.jit(solve)

        _jitted[key] = (make(slipping, stops), make(lambda t, y, a: jnp.zeros_like(y), slips))
    slip_solve, stick_solve = _jitted[key]

    def padded(s):
        a, w, q = s.harmonics[0] if s.harmonics else (0.0, 1.0, 0.0)
        return jnp.array([s.offset, s.rate, a, w, q])

    base = {"m": case.m, "c": case.c, "k": case.k, "fd": case.dynamic, "fs": case.static, "d": padded(case.drive), "f": padded(case.force)}

    def run(solve, t, y, sign, wanted):
        out = solve(t, case.end, jnp.array(y), base | {"s": sign, "t0": t})
        until = float(out.ts[-1])
        ended = bool(out.event_mask)
        here = [s for s in wanted if s < until or (s == until and not ended)]
        return out, until, ended, here

    def slip(t, x, v, sign, wanted):
        out, until, ended, here = run(slip_solve, t, [x, v], sign, wanted)
        last = out.ys[-1]
        return until, float(last[0]), float(last[1]), [(s, *map(float, out.evaluate(s))) for s in here], ended

    def stick(t, x, wanted):
        _, until, ended, here = run(stick_solve, t, [x, 0.0], 0.0, wanted)
        return until, here, ended

    return phases(case, slip, stick)


def mujoco(case, step, hard):
    """A slide joint with a spring, a damper and `frictionloss`; the harmonics as applied forces."""
    import mujoco as mj

    if case.static != case.dynamic and case.name != "incline-hold":
        raise NotImplementedError("one friction force only")
    if case.end / step > 500_000:
        raise Skipped
    solver = 'solreffriction="0.0004 1" solimpfriction="0.9999 0.9999 0.001 0.5 2"' if hard else ""
    xml = f"""<mujoco><option timestep="{step}" gravity="0 0 0" integrator="implicitfast" iterations="100" tolerance="1e-12"/>
    <worldbody><body><joint type="slide" axis="1 0 0" stiffness="{case.k}" damping="{case.c}" frictionloss="{case.static}" {solver}/>
    <geom size="0.1" mass="{case.m}"/></body></worldbody></mujoco>"""
    model = mj.MjModel.from_xml_string(xml)
    data = mj.MjData(model)
    data.qpos[0], data.qvel[0] = case.x0, case.v0
    rows, wanted = [], list(case.times)
    before = (0.0, case.x0, case.v0)
    while wanted:
        data.qfrc_applied[0] = case.k * case.drive(data.time) + case.force(data.time)
        mj.mj_step(model, data)
        now = (data.time, data.qpos[0], data.qvel[0])
        while wanted and wanted[0] <= now[0]:
            s = wanted.pop(0)
            share = (s - before[0]) / (now[0] - before[0])
            rows.append(("state", s, "", *(a + share * (b - a) for a, b in zip(before[1:], now[1:]))))
        before = now
    return rows


ENDLESS = math.inf
#: Name, package, whether events are listed, and the settings that are tried.
PEERS = [
    ("SciPy RK45, events", "scipy", True, [lambda c, r=r, h=h: scipy_events(c, "RK45", r, h) for r, h in ((1e-6, ENDLESS), (1e-9, 0.1), (1e-12, 0.1))]),
    ("SciPy DOP853, events", "scipy", True, [lambda c, r=r, h=h: scipy_events(c, "DOP853", r, h) for r, h in ((1e-6, ENDLESS), (1e-10, 0.1), (1e-13, 0.1))]),
    ("SciPy Radau, events", "scipy", True, [lambda c, r=r, h=h: scipy_events(c, "Radau", r, h) for r, h in ((1e-6, ENDLESS), (1e-10, 0.1))]),
    ("SciPy Radau, tanh", "scipy", False, [lambda c, s=s: scipy_tanh(c, s, 1e-8) for s in (1e-3, 1e-5)]),
    ("CVODE, events", "scikit-sundae", True, [lambda c, m=m, r=r: cvode(c, m, r) for m, r in (("BDF", 1e-8), ("Adams", 1e-10), ("Adams", 1e-13))]),
    ("diffrax Dopri8, events", "diffrax", True, [lambda c: diffrax_events(c, "Dopri8", 1e-11)]),
    ("MuJoCo frictionloss", "mujoco", False, [lambda c, h=h, k=k: mujoco(c, h, k) for h, k in ((2e-3, False), (2e-3, True), (2e-4, True))]),
]


def score(program, name, rows):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.csv"
        lines = ["event,t,where,x,v"] + [f"{e},{float(t)!r},{w},{float(x)!r},{float(v)!r}" for e, t, w, x, v in rows]
        file.write_text("\n".join(lines) + "\n")
        out = subprocess.run([program, "score", str(file), "--case", name, "--json"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def best(program, case, settings):
    """The result with the most digits, and fewest wrong events."""
    found, said = None, None
    for simulate in settings:
        try:
            clock = time.process_time()
            rows = simulate(case)
            seconds = time.process_time() - clock
            if seconds < 0.5:
                clock = time.process_time()
                rows = simulate(case)
                seconds = min(seconds, time.process_time() - clock)
        except NotImplementedError as why:
            return None, str(why)
        except Skipped:
            continue
        except Exception as why:  # a peer that fails is a result too
            said = f"{type(why).__name__}: {why}"[:80]
            continue
        s = score(program, case.name, rows)
        s["seconds"] = seconds
        order = (-s["missed"] - s["invented"] - s["states_missing"], s["digits"] or 0.0)
        if found is None or order > found[0]:
            found = (order, s)
    return (found[1] if found else None), said


def cell(s, events, said):
    if s is None:
        return "–" if said == "one friction force only" else "failed"
    digits = s["digits"] if events else s["digits_states"]
    text = f"{digits or 0:.1f}"
    if events and s["missed"] + s["invented"]:
        text += f" ({s['missed']}/{s['invented']})"
    return text


def versions(names):
    found = []
    for name in names:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"{name}: not installed")
    return ", ".join(found)


def figures(results, folder):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "peers"
    import matplotlib.pyplot as plt

    markers = "os^Dv<>P"
    figure, axes = plt.subplots(figsize=(7, 4.2))
    for (name, by_case), marker in zip(results.items(), markers):
        points = [(s["seconds"], s["digits"] if s["events"] else s["digits_states"]) for s in by_case.values() if s]
        points = [(max(t, 1e-6), d or 0) for t, d in points if t is not None]
        axes.plot(*zip(*points), marker, label=name, alpha=0.8) if points else None
    axes.set(xscale="log", xlabel="processor time, s", ylabel="correct digits", ylim=(-0.5, 16.5))
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(folder / "peers-digits.svg", metadata={"Date": None})
    figure, axes = plt.subplots(figsize=(7, 3.6))
    for i, (name, by_case) in enumerate(results.items()):
        creeps = [max(s["creep"], 1e-20) for s in by_case.values() if s]
        axes.plot(creeps, [i] * len(creeps), "|", markersize=14)
    axes.set(xscale="log", xlabel="creep at rest, m/s (left edge: none)", xlim=(5e-21, 10))
    axes.set_yticks(range(len(results)), list(results))
    axes.invert_yaxis()
    figure.tight_layout()
    figure.savefig(folder / "peers-creep.svg", metadata={"Date": None})


def main():
    program, folder = sys.argv[1], ROOT / "docs"
    wanted = sys.argv[2:] or CASES
    cases = [Case(name) for name in wanted]
    ours = json.loads(subprocess.run([program, "score", "--self", "--json", "--quiet"], capture_output=True, text=True, check=True).stdout)
    results = {"stickslip": {s["case"]: s | {"events": True} for s in ours if s["case"] in wanted}}
    notes = []
    for name, package, events, settings in PEERS:
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            notes.append(f"{name}: {package} is not installed.")
            continue
        results[name] = {}
        for case in cases:
            s, said = best(program, case, settings)
            results[name][case.name] = s and s | {"events": events}
            if said:
                notes.append(f"{name}, `{case.name}`: {said}.")
            print(name, case.name, cell(results[name][case.name], events, said), file=sys.stderr, flush=True)
    figures(results, folder)
    (folder / "peers.md").write_text(page(results, cases, notes))


def page(results, cases, notes):
    names = list(results)
    by_case = [[c.name] + [cell(results[n][c.name], results[n][c.name]["events"], None) if results[n][c.name] else "–" for n in names] for c in cases]
    total = lambda n, f: [f(s) for s in results[n].values() if s]
    rows = [
        ["median processor time, s"] + [f"{np.median(total(n, lambda s: s['seconds'])):.1e}" for n in names],
        ["greatest creep at rest, m/s"] + [f"{max(total(n, lambda s: s['creep'])):.1e}" for n in names],
        ["greatest energy from nothing"] + [f"{max(total(n, lambda s: s['energy'])):.1e}" for n in names],
    ]
    line = lambda cells: "| " + " | ".join(cells) + " |"
    table = [line(["case", *names]), line(["---"] * (len(names) + 1)), *map(line, by_case + rows)]
    said = [f"* {n}" for n in dict.fromkeys(notes)]
    return "\n".join([
        "# The reference set on other simulators", "",
        "Written by `cargo xtask peers` (`benches/peers/reference.py`), all runs on one machine in one sitting:",
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        + versions(["numpy", "scipy", "scikit-sundae", "diffrax", "jax", "mujoco"]) + ".", "",
        "Numbers are correct digits, the least of all times of events and all states; in parentheses the events that were missed",
        "and invented. Each peer takes, for each case, the best of several settings (tolerances, step limits, smoothing speeds: see",
        "the script). Those without events list states only, and their digits are those of the states. – means that the peer has no",
        "such model. Times are those of the processor; what a peer compiles first is not counted where a run is repeated.", "",
        *table, "",
        "![Digits against time](peers-digits.svg)", "", "![Creep at rest](peers-creep.svg)", "",
        "How each is set up: the event-driven ones run the usual automaton of stick and slip with terminal events, as the",
        "documentation of `solve_ivp`, `CVODE` and `diffrax.Event` shows; *tanh* replaces the sign by f_d tanh(v/v_s) with a peak at",
        "the breakaway force (the formula of Simscape), v_s = 10⁻³ and 10⁻⁵ m/s; MuJoCo has a slide joint with `frictionloss`, which is one friction force",
        "(in `incline-hold` the static one), with steps of 2 and 0.2 ms, with the default and with stiffer `solimpfriction`.", "",
        "In `near-touch-slips` the load exceeds the limit for three milliseconds, which the settings above step over: with a largest",
        "step of 1 ms, RK45 and DOP853 find all events and have 12.6 digits.", "",
        "stickslip's own times are those of a development build by the wall clock, on the same loaded machine.", "",
        *(["Remarks:", "", *said, ""] if said else []),
    ])


if __name__ == "__main__":
    main()

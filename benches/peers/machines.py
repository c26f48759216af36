"""Five machines on other simulators, as an engineer would write them.

    python machines.py [--program stickslip] [--only NAME]

Prints a table: for each machine and each program its settings, the largest error of its states at five instants over the largest of
those states, the events that it finds, and the processor time. The states are those of an independent program in quadruple
precision (families M2, M3, M4, M7 and M8 of the reference cases of machines), to the digits that it is trusted to.

* `scipy`: solve_ivp, DOP853, one mode after the other with terminal events.
* `mujoco`: joints with frictionloss, limits and tendons as constraints; what MuJoCo has no element for is added in each step.
* `siconos`: Lagrangian system, relays for dry friction and impact laws, Moreau–Jean steps.
* `stickslip`: the program with a model file; its time is that of the whole process, with start and reading.
* `python`: the Python package in this process, as SciPy is: `ss.solve` and the states at the five instants. Several tolerances are tried;
  the one to compare with another program is the coarsest whose error is no greater.

What is not installed is left out and said.
"""

import argparse
import math
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

#: Ends (s), states at five instants (t, then displacements and velocities), numbers of events.
CASES = {
    "drill string": {
        "end": 120.0,
        "events": 35,
        "states": [
            [15.0, 47.53764588136162, 43.01769277710365, 2.96180756650169, 0],
            [30.0, 95.34575211645516, 86.04216118140646, 2.95062886034935, 0.83345664365878],
            [60.0, 192.221994648115, 192.2516351597143, 3.31700956043854, 3.605180746477],
            [90.0, 287.4133926503719, 278.9988065170072, 3.04987097944365, 0.05480274889484],
            [120.0, 384.1299484526967, 383.7637292581427, 3.6265092072206, 5.661196300575],
        ],
    },
    "two stops": {
        "end": 20.0,
        "events": 38,
        "states": [
            [4.0, -0.8888429182292743, -0.7203760678932782, -0.679101233101438, -0.666671457637871],
            [8.0, -0.6896558244457911, -0.5823062508883555, -0.8401076944177817, -0.7144455090160289],
            [12.0, -0.4929042912400275, -0.333301503091366, -0.8776996198366428, -0.6620049455297856],
            [16.0, -0.4089921989029024, -0.276961984233583, -0.8673835600004213, -0.6557806460270627],
            [20.0, -0.371289314754966, -0.2405561932320036, -0.893994499982527, -0.676265183830802],
        ],
    },
    "buffer": {
        "end": 15.0,
        "events": 12,
        "states": [
            [3.0, 0.06942776878628075, -0.3274275064297595],
            [6.0, 0.122942483003386, -0.1605351086768366],
            [9.0, 0.2681732597176068, -0.3895422370966629],
            [12.0, 0.1053278282700019, 1.126433404396179],
            [15.0, -0.3363579555758377, 0.1217310531850062],
        ],
    },
    "sampled PI": {
        "end": 10.0,
        "events": 6,
        "states": [
            [0.7, 0.1659022592319167, 0.5193420926882917],
            [2.3, 1.140523567607574, 0.6281675133734907],
            [4.5, 1.008837778571516, -0.6111267963981406],
            [7.1, 0.6184754040771163, 0.3169782860447878],
            [10.0, 0.950851339119624, 0],
        ],
    },
    "hoist": {
        "end": 20.0,
        "events": 4,
        "states": [
            [1.5, 0.01714285714285714, 0.4285714285714285],
            [3.2, 42.53738095238095, 53.82142857142857],
            [5.0, 94.83364383980258, 0],
            [8.5, -6.180245049086313, -107.9166666666667],
            [20.0, -692.5726061601974, 0],
        ],
    },
}


def sin(a, w, p):
    return lambda t: a * math.sin(w * t + p)


# --- stickslip -------------------------------------------------------------------------------------------------------------------

TOML = {
    "drill string": """
[[network.node]]
name = "a"
mass = 1500.0
velocity = 3.2
[[network.node]]
name = "b"
mass = 350.0
[[network.node]]
name = "table"
mass = 0.0
[[network.motion]]
on = "table"
ramp = { rate = 3.2 }
[[network.spring]]
between = ["a", "table"]
stiffness = 6000.0
[[network.dashpot]]
between = ["a", "table"]
damping = 900.0
[[network.spring]]
between = ["a", "b"]
stiffness = 480.0
[[network.dashpot]]
between = ["a", "b"]
damping = 25.0
[[network.slider]]
name = "rock"
between = ["b", "ground"]
friction.stribeck-exponential = { static = 3900.0, dynamic = 2100.0, velocity = 1.4 }
""",
    "two stops": """
[[network.node]]
name = "a"
mass = 1.4
[[network.node]]
name = "b"
mass = 1.32
[[network.spring]]
between = ["a", "ground"]
stiffness = 0.8
[[network.dashpot]]
between = ["a", "ground"]
damping = 0.11
[[network.spring]]
between = ["b", "ground"]
stiffness = 1.07
[[network.slider]]
name = "guide"
between = ["b", "ground"]
static = 0.4
dynamic = 0.3
[[network.stop]]
name = "play"
between = ["a", "b"]
lower = -0.2
upper = 0.2
restitution = 0.5
[[network.stop]]
name = "wall"
between = ["b", "ground"]
upper = 0.35
restitution = 0.5
[[network.force]]
on = "a"
harmonic = { amplitude = 1.97, angular_frequency = 1.55, phase = -1.3207963267948966 }
""",
    "buffer": """
[[network.node]]
name = "a"
mass = 1.0
[[network.spring]]
between = ["a", "ground"]
stiffness = 1.0
[[network.stop]]
name = "buffer"
between = ["a", "ground"]
upper = 0.2
stiffness = 25.0
damping = 4.0
[[network.force]]
on = "a"
constant = 0.6
[[network.force]]
on = "a"
harmonic = { amplitude = 0.9, angular_frequency = 1.7, phase = -1.5707963267948966 }
""",
    "sampled PI": """
[[network.node]]
name = "a"
mass = 1.0
[[network.dashpot]]
between = ["a", "ground"]
damping = 3.5
[[network.slider]]
name = "guide"
between = ["a", "ground"]
static = 1.2
dynamic = 0.8
[[network.controller]]
name = "pi"
of = "a"
on = "a"
reference = 0.8
proportional = 5.0
integral = 5.0
limit = 3.0
anti_windup = "none"
sample_time = 0.2
delay = 0.2
""",
    "hoist": """
[network]
rotation = true
[[network.node]]
name = "a"
inertia = 0.02
[[network.node]]
name = "b"
inertia = 4.0
[[network.gear]]
name = "worm"
between = ["a", "b"]
ratio = 20.0
friction = { force = 0.15, coefficient = 0.06 }
[[network.force]]
on = "b"
constant = -30.0
[[network.force]]
on = "a"
sampled = { file = "torque.csv", time = "t", value = "tau" }
""",
}


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write(folder, name, keys=""):
    """The model file of a machine in a folder, and the record that one of them needs."""
    file = Path(folder) / "machine.toml"
    file.write_text(f"{TOML[name]}\n[run]\nend = {CASES[name]['end']}\n{keys}\n")
    torque = "".join(f"{t},{tau}\n" for t, tau in zip(*TORQUE))
    (Path(folder) / "torque.csv").write_text("t,tau\n" + torque)
    return file


class Stickslip:
    """The program; rows are asked for at all instants by a fine enough table, one of whose rows each of them is."""

    settings = [("`adaptive`, rtol 1e-12", 'rtol = 1e-12\natol = 1e-12'), ("`adaptive`, rtol 1e-8", 'rtol = 1e-8\natol = 1e-8')]
    steps = [("`theta`, h = 1e-3", 1e-3), ("`theta`, h = 1e-4", 1e-4)]

    def __init__(self, program):
        self.program = program

    def runs(self, name):
        for words, keys in self.settings:
            yield words, lambda keys=keys: self.solve(name, keys)
        for words, h in self.steps:
            if name == "hoist":
                yield words, lambda: None
                continue
            yield words, lambda h=h: self.solve(name, f'scheme = "theta"\nstep = {h}')

    def solve(self, name, keys):
        case = CASES[name]
        with tempfile.TemporaryDirectory() as folder:
            file = write(folder, name, keys)
            # All instants are multiples of a tenth of a second.
            rows = round(10 * case["end"]) + 1
            command = [self.program, "simulate", file, "--rows", str(rows), "--out", Path(folder) / "out", "--quiet"]
            subprocess.run(command, check=True, capture_output=True)
            out = Path(folder) / "out"
            table = np.genfromtxt(out / "trajectory.csv", delimiter=",", names=True)
            # Several things that happen at one instant are one event here.
            listed = np.genfromtxt(out / "events.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
            events = len(set(listed["t"]))
            # The time without tables and figures.
            alone = [self.program, "simulate", file, "--json"]
            before, count = children(), 20
            for _ in range(count):
                subprocess.run(alone, check=True, capture_output=True)
            used = (children() - before) / count
        at = [round(10 * state[0]) for state in case["states"]]
        masses = ["a", "b"] if name in ("drill string", "two stops") else ["a"]
        columns = [f"x_{m}" for m in masses] + [f"v_{m}" for m in masses]
        have = table.dtype.names
        columns = [c if c in have else c.replace("x_", "angle_").replace("v_", "speed_") for c in columns]
        return [[table[c][k] for c in columns] for k in at], events, used


class Package:
    """The Python package, in this process. The model is read before; what is timed is the motion and its states, as for SciPy."""

    settings = [1e-4, 1e-6, 1e-8, 1e-10, 1e-12]

    def runs(self, name):
        for rtol in self.settings:
            yield f"`adaptive`, rtol {rtol:g}", lambda rtol=rtol: self.solve(name, rtol)
        yield "`exact`", lambda: self.solve(name, None)

    def solve(self, name, rtol):
        import stickslip as ss

        case = CASES[name]
        with tempfile.TemporaryDirectory() as folder:
            model = ss.load(write(folder, name))
        masses = 2 if name in ("drill string", "two stops") else 1
        wanted = np.array([state[0] for state in case["states"]])
        how = {"scheme": "exact"} if rtol is None else {"scheme": "adaptive", "rtol": rtol, "atol": rtol}
        before, count = time.process_time(), 20
        for _ in range(count):
            path = ss.solve(model, case["end"], **how)
            rows = path(wanted)
        used = (time.process_time() - before) / count
        # Displacements of all nodes, then velocities; the masses come before what is led.
        nodes = len(rows) // 2
        states = rows[[*range(masses), *range(nodes, nodes + masses)]].T
        return states, len(set(path.events["t"])), used


# --- scipy -----------------------------------------------------------------------------------------------------------------------


class Scipy:
    """One mode after the other. A machine is a class with `begin`, `rates`, `guards` and `until`."""

    settings = [("DOP853, rtol 1e-10", 1e-10), ("DOP853, rtol 1e-6", 1e-6)]

    def runs(self, name):
        for words, rtol in self.settings:
            yield words, lambda rtol=rtol: self.solve(name, rtol)

    def solve(self, name, rtol):
        from scipy.integrate import solve_ivp

        case = CASES[name]
        before = time.process_time()
        machine = MODES[name]()
        t, y, mode = 0.0, list(machine.start), machine.begin(0.0, machine.start)
        wanted = [state[0] for state in case["states"]]
        found, count = {}, 0
        while t < case["end"]:
            stop = min(machine.until(t), case["end"])
            guards = machine.guards(mode)
            functions = []
            for function, direction in guards:
                g = lambda s, u, function=function: function(s, u)
                g.terminal, g.direction = True, direction
                functions.append(g)
            sol = solve_ivp(
                lambda s, u: machine.rates(mode, s, u), (t, stop), y, method="DOP853", rtol=rtol, atol=rtol,
                events=functions, dense_output=True,
            )
            last = sol.t[-1]
            for s in wanted:
                if t < s <= last:
                    found[s] = sol.sol(s)
            hit = next((k for k, times in enumerate(sol.t_events or []) if len(times)), None)
            y = [float(u) for u in sol.y[:, -1]]
            if hit is None:
                mode, y = machine.goes_on(mode, last, y)
            else:
                count += 1
                mode, y = machine.after(mode, hit, last, y)
            # A start on an event would be found again.
            t = last if last > t else last + 1e-12
        used = time.process_time() - before
        return [machine.shown(found[s]) for s in wanted], count, used


class Plain:
    def until(self, t):
        return math.inf

    def goes_on(self, mode, t, y):
        return mode, y

    def shown(self, y):
        return list(y)


class Drill(Plain):
    start = [0.0, 0.0, 3.2, 0.0]

    def pull(self, y):
        return 480 * (y[0] - y[1]) + 25 * (y[2] - y[3])

    def begin(self, t, y):
        return 0

    def rates(self, mode, t, y):
        pull = self.pull(y)
        a = (-6000 * (y[0] - 3.2 * t) - 900 * (y[2] - 3.2) - pull) / 1500
        f = 2100 + 1800 * math.exp(-abs(y[3]) / 1.4)
        b = 0.0 if mode == 0 else (pull - mode * f) / 350
        return [y[2], 0.0 if mode == 0 else y[3], a, b]

    def guards(self, mode):
        if mode == 0:
            return [(lambda t, y: 3900 - abs(self.pull(y)), -1)]
        return [(lambda t, y: mode * y[3], -1)]

    def after(self, mode, hit, t, y):
        pull = self.pull(y)
        if mode == 0:
            return (1 if pull > 0 else -1), y
        y[3] = 0.0
        pull = self.pull(y)
        return (0 if abs(pull) <= 3900 else (1 if pull > 0 else -1)), y


class TwoStops(Plain):
    start = [0.0] * 4

    def begin(self, t, y):
        return 0

    def rates(self, mode, t, y):
        a = (-0.8 * y[0] - 0.11 * y[2] + 1.97 * math.sin(1.55 * t + 0.25)) / 1.4
        b = 0.0 if mode == 0 else (-1.07 * y[1] - 0.3 * mode) / 1.32
        return [y[2], y[3] if mode else 0.0, a, b]

    def guards(self, mode):
        play = [
            (lambda t, y: 0.2 - (y[0] - y[1]), -1),
            (lambda t, y: 0.2 + (y[0] - y[1]), -1),
            (lambda t, y: 0.35 - y[1], -1),
        ]
        slider = (lambda t, y: 0.4 - abs(1.07 * y[1]), -1) if mode == 0 else (lambda t, y: mode * y[3], -1)
        return [*play, slider]

    def after(self, mode, hit, t, y):
        if hit < 2:
            p = -1.5 * (y[2] - y[3]) / (1 / 1.4 + 1 / 1.32)
            y[2] += p / 1.4
            y[3] -= p / 1.32
        elif hit == 2:
            y[3] *= -0.5
        else:
            y[3] = 0.0
        if y[3] == 0.0:
            pull = -1.07 * y[1]
            return (0 if abs(pull) <= 0.4 else math.copysign(1, pull)), y
        return math.copysign(1, y[3]), y


class Buffer(Plain):
    start = [0.0, 0.0]

    def begin(self, t, y):
        return "out"

    def rates(self, mode, t, y):
        p = y[0] - 0.2
        push = 25 * p + 4 * y[1] if mode == "push" else 0.0
        return [y[1], 0.6 + 0.9 * math.sin(1.7 * t) - y[0] - push]

    def guards(self, mode):
        if mode == "out":
            return [(lambda t, y: y[0] - 0.2, 1)]
        if mode == "push":
            return [(lambda t, y: 25 * (y[0] - 0.2) + 4 * y[1], -1)]
        return [(lambda t, y: y[0] - 0.2, -1), (lambda t, y: 25 * (y[0] - 0.2) + 4 * y[1], 1)]

    def after(self, mode, hit, t, y):
        return {"out": "push", "push": "apart", "apart": ["out", "push"][hit]}[mode], y


class SampledPi(Plain):
    start = [0.0, 0.0]

    def __init__(self):
        self.k, self.sum, self.computed, self.applied = 0, 0.0, 0.0, 0.0

    def tick(self, y):
        e = 0.8 - y[0]
        self.sum += 5 * 0.2 * e
        self.applied = self.computed
        self.computed = max(-3.0, min(3.0, 5 * e + self.sum))
        self.k += 1

    def begin(self, t, y):
        self.tick(y)
        return 0

    def until(self, t):
        return 0.2 * self.k

    def rates(self, mode, t, y):
        return [y[1], self.applied - 3.5 * y[1] - 0.8 * mode] if mode else [0.0, 0.0]

    def guards(self, mode):
        return [(lambda t, y: mode * y[1], -1)] if mode else []

    def goes_on(self, mode, t, y):
        self.tick(y)
        if mode == 0 and abs(self.applied) > 1.2:
            return math.copysign(1, self.applied), y
        return mode, y

    def after(self, mode, hit, t, y):
        y[1] = 0.0
        return (0 if abs(self.applied) <= 1.2 else math.copysign(1, self.applied)), y


TORQUE = ([0, 2, 3, 4, 6, 7, 9, 10, 20], [0, 5, 5, 1, 0, -1.5, -1.5, 0, 0])


class Hoist(Plain):
    """The signs of the slip and of the load are part of the mode; the load stays positive here."""

    start = [0.0, 0.0]

    def begin(self, t, y):
        return 0

    def until(self, t):
        return next((s for s in TORQUE[0] if s > t + 1e-9), math.inf)

    def rates(self, mode, t, y):
        if mode == 0:
            return [0.0, 0.0]
        tau = float(np.interp(t, *TORQUE))
        g = 1 / 20 + 0.06 * mode
        return [y[1], (tau - 0.15 * mode - 30 * g) / (0.02 + 4 / 20 * g)]

    def guards(self, mode):
        if mode:
            return [(lambda t, y: mode * y[1], -1)]
        tau = lambda t: float(np.interp(t, *TORQUE))
        return [(lambda t, y: 30 / 20 + 0.15 + 1.8 - tau(t), -1), (lambda t, y: tau(t) - (30 / 20 - 0.15 - 1.8), -1)]

    def after(self, mode, hit, t, y):
        y[1] = 0.0
        return ([1, -1][hit] if mode == 0 else 0), y


MODES = {"drill string": Drill, "two stops": TwoStops, "buffer": Buffer, "sampled PI": SampledPi, "hoist": Hoist}


# --- mujoco ----------------------------------------------------------------------------------------------------------------------

DAMPING_RATIO = 0.2155  # exp(−π ζ/√(1 − ζ²)) = 0.5

MJCF = {
    "drill string": """
  <worldbody>
    <body><joint name="a" type="slide" axis="1 0 0" stiffness="6000" damping="900"/><inertial pos="0 0 0" mass="1500" diaginertia="1 1 1"/></body>
    <body><joint name="b" type="slide" axis="1 0 0" frictionloss="2100"/><inertial pos="0 0 0" mass="350" diaginertia="1 1 1"/></body>
  </worldbody>
  <tendon><fixed stiffness="480" damping="25" springlength="0"><joint joint="a" coef="1"/><joint joint="b" coef="-1"/></fixed></tendon>""",
    "two stops": """
  <worldbody>
    <body><joint name="a" type="slide" axis="1 0 0" stiffness="0.8" damping="0.11"/><inertial pos="0 0 0" mass="1.4" diaginertia="1 1 1"/></body>
    <body><joint name="b" type="slide" axis="1 0 0" stiffness="1.07" frictionloss="0.3" limited="true" range="-10 0.35" solreflimit="{solref}"/><inertial pos="0 0 0" mass="1.32" diaginertia="1 1 1"/></body>
  </worldbody>
  <tendon><fixed limited="true" range="-0.2 0.2" solreflimit="{solref}"><joint joint="a" coef="1"/><joint joint="b" coef="-1"/></fixed></tendon>""",
    "buffer": """
  <worldbody>
    <body><joint name="a" type="slide" axis="1 0 0" stiffness="1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
  </worldbody>""",
    "sampled PI": """
  <worldbody>
    <body><joint name="a" type="slide" axis="1 0 0" damping="3.5" frictionloss="0.8"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
  </worldbody>
  <actuator><motor joint="a"/></actuator>""",
    "hoist": """
  <worldbody>
    <body><joint name="a" type="hinge" axis="1 0 0" frictionloss="0.15"/><inertial pos="0 0 0" mass="1" diaginertia="0.02 0.02 0.02"/></body>
    <body><joint name="b" type="hinge" axis="1 0 0"/><inertial pos="0 0 0" mass="1" diaginertia="4 4 4"/></body>
  </worldbody>
  <equality><joint joint1="b" joint2="a" polycoef="0 0.05 0 0 0"/></equality>""",
}


class Mujoco:
    settings = [("implicitfast, h = 1e-3", 1e-3), ("implicitfast, h = 1e-4", 1e-4)]

    def runs(self, name):
        for words, h in self.settings:
            yield words, lambda h=h: self.solve(name, h)

    def solve(self, name, h):
        import mujoco

        case = CASES[name]
        # The stiffest constraint that this step follows: with the two steps of time constant that MuJoCo allows at least it diverges.
        xml = MJCF[name].format(solref=f"{20 * h} {DAMPING_RATIO}")
        text = f'<mujoco><option timestep="{h}" gravity="0 0 0" integrator="implicitfast"/>{xml}</mujoco>'
        m = mujoco.MjModel.from_xml_string(text)
        d = mujoco.MjData(m)
        if name == "drill string":
            d.qvel[0] = 3.2
        pi = SampledPi()
        period = round(0.2 / h)
        found = []
        wanted = [round(state[0] / h) for state in case["states"]]
        before = time.process_time()
        for k in range(round(case["end"] / h) + 1):
            if k in wanted:
                found.append([*d.qpos, *d.qvel] if name in ("drill string", "two stops") else [d.qpos[0], d.qvel[0]])
            t = k * h
            if name == "drill string":
                d.qfrc_applied[0] = 6000 * 3.2 * t + 900 * 3.2
                # The part of Stribeck's law above the frictionloss falls with the speed: its limit is set in each step.
                m.dof_frictionloss[1] = 2100 + 1800 * math.exp(-abs(d.qvel[1]) / 1.4)
            elif name == "two stops":
                d.qfrc_applied[0] = 1.97 * math.sin(1.55 * t + 0.25)
                m.dof_frictionloss[1] = 0.4 if abs(d.qvel[1]) < 1e-3 else 0.3
            elif name == "buffer":
                p = d.qpos[0] - 0.2
                push = max(0.0, 25 * p + 4 * d.qvel[0]) if p > 0 else 0.0
                d.qfrc_applied[0] = 0.6 + 0.9 * math.sin(1.7 * t) - push
            elif name == "sampled PI":
                if k % period == 0:
                    pi.tick([d.qpos[0]])
                d.ctrl[0] = pi.applied
                m.dof_frictionloss[0] = 1.2 if abs(d.qvel[0]) < 1e-3 else 0.8
            else:
                d.qfrc_applied[:] = [np.interp(t, *TORQUE), -30.0]
                # What the gear hands on, from the step before.
                m.dof_frictionloss[0] = 0.15 + 0.06 * abs(d.qacc[1] * 4 + 30)
            mujoco.mj_step(m, d)
        return found, None, time.process_time() - before


# --- siconos ---------------------------------------------------------------------------------------------------------------------


class Siconos:
    """Moreau–Jean steps. Dry friction is that of a contact with coefficient 1, pressed by the limit of the friction, which is set in
    each step from the velocity, or the load, of the step before; the pressed direction is one more coordinate, the last one. (A
    `RelayNSL` lets half of its limits act while it slides and all of them at rest, in version 4.4.0.)"""

    settings = [("Moreau–Jean, θ = ½, h = 1e-3", 1e-3), ("Moreau–Jean, θ = ½, h = 1e-4", 1e-4)]

    def runs(self, name):
        for words, h in self.settings:
            yield words, lambda h=h: self.solve(name, h)

    def solve(self, name, h):
        import siconos.kernel as sk

        case = CASES[name]
        before = time.process_time()
        m = SICONOS[name]()
        n = len(m.mass)
        rubs = m.limit(m.start[:n], m.start[n:]) > 0
        wide = n + 1 if rubs else n
        pad = lambda rows: np.pad(np.array(rows), (0, wide - n))
        body = sk.LagrangianLinearTIDS(pad(m.start[:n]), pad(m.start[n:]), np.diag([*m.mass, 1.0][:wide]))
        body.setKPtr(pad(m.stiffness))
        body.setCPtr(pad(m.damping))
        model = sk.NonSmoothDynamicalSystem(0.0, case["end"] + 2 * h)
        model.insertDynamicalSystem(body)
        for row, distance in m.gaps:
            relation = sk.LagrangianLinearTIR(pad([row])[:1], np.array([distance]))
            model.link(sk.Interaction(sk.NewtonImpactNSL(0.5), relation), body)
        if rubs:
            rows = np.zeros((2, wide))
            rows[0, n] = rows[1, n - 1] = 1.0
            law = sk.NewtonImpactFrictionNSL(0.0, 0.0, 1.0, 2)
            model.link(sk.Interaction(law, sk.LagrangianLinearTIR(rows)), body)
        problem = sk.GenericMechanical() if m.gaps or not rubs else sk.FrictionContact(2)
        problem.numericsSolverOptions().dparam[0] = 1e-10
        simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0.0, h), sk.MoreauJeanOSI(0.5), problem)
        wanted = [round(state[0] / h) for state in case["states"]]
        period = round(0.2 / h)
        found = []
        for k in range(1, round(case["end"] / h) + 1):
            q, v = body.q()[:n], body.velocity()[:n]
            if name == "sampled PI" and (k - 1) % period == 0:
                m.pi.tick(q)
            # An array that is changed in place is not looked at again.
            force = np.array([*m.force(k * h, q, v), *([-m.limit(q, v)] if rubs else [])])
            body.setFExtPtr(force)
            simulation.computeOneStep()
            if k in wanted:
                found.append([*body.q()[:n], *body.velocity()[:n]])
            simulation.nextStep()
        return found, None, time.process_time() - before


class SiconosDrill:
    mass, start, gaps = [1500.0, 350.0], [0.0, 0.0, 3.2, 0.0], []
    stiffness = [[6480.0, -480.0], [-480.0, 480.0]]
    damping = [[925.0, -25.0], [-25.0, 25.0]]

    def force(self, t, q, v):
        return [6000 * 3.2 * t + 900 * 3.2, 0.0]

    def limit(self, q, v):
        return 2100 + 1800 * math.exp(-abs(v[1]) / 1.4)


class SiconosStops:
    mass, start = [1.4, 1.32], [0.0] * 4
    stiffness, damping = [[0.8, 0.0], [0.0, 1.07]], [[0.11, 0.0], [0.0, 0.0]]
    gaps = [([-1.0, 1.0], 0.2), ([1.0, -1.0], 0.2), ([0.0, -1.0], 0.35)]

    def force(self, t, q, v):
        return [1.97 * math.sin(1.55 * t + 0.25), 0.0]

    def limit(self, q, v):
        return 0.4 if abs(v[1]) < 1e-6 else 0.3


class SiconosBuffer:
    mass, start, gaps = [1.0], [0.0, 0.0], []
    stiffness, damping = [[1.0]], [[0.0]]

    def force(self, t, q, v):
        p = q[0] - 0.2
        return [0.6 + 0.9 * math.sin(1.7 * t) - (max(0.0, 25 * p + 4 * v[0]) if p > 0 else 0.0)]

    def limit(self, q, v):
        return 0.0


class SiconosPi:
    mass, start, gaps = [1.0], [0.0, 0.0], []
    stiffness, damping = [[0.0]], [[3.5]]

    def __init__(self):
        self.pi = SampledPi()

    def force(self, t, q, v):
        return [self.pi.applied]

    def limit(self, q, v):
        return 1.2 if abs(v[0]) < 1e-6 else 0.8


class SiconosHoist:
    """One coordinate; the load of the gear is that of the acceleration before."""

    mass, start, gaps = [0.02 + 4 / 400], [0.0, 0.0], []
    stiffness, damping = [[0.0]], [[0.0]]
    before, now, h = 0.0, 0.0, None

    def force(self, t, q, v):
        if self.h is None:
            self.h = t
        self.before, self.now = self.now, v[0]
        return [float(np.interp(t, *TORQUE)) - 30 / 20]

    def limit(self, q, v):
        a = 0.0 if self.h is None else (self.now - self.before) / self.h
        return 0.15 + 0.06 * abs(4 * a / 20 + 30)


SICONOS = {
    "drill string": SiconosDrill, "two stops": SiconosStops, "buffer": SiconosBuffer, "sampled PI": SiconosPi, "hoist": SiconosHoist,
}


def installed(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="stickslip")
    parser.add_argument("--only")
    parser.add_argument("--peers", default="stickslip,python,scipy,mujoco,siconos")
    options = parser.parse_args()
    peers = {"stickslip": Stickslip(options.program)}
    others = {"python": ("stickslip", Package()), "scipy": ("scipy", Scipy()), "mujoco": ("mujoco", Mujoco()), "siconos": ("siconos", Siconos())}
    for name, (module, peer) in others.items():
        if installed(module):
            peers[name] = peer
        else:
            print(f"{module} is not installed, and left out")
    print("| machine | program | settings | largest error | events | time, ms |\n|---|---|---|---|---|---|")
    for name, case in CASES.items():
        if options.only and options.only != name:
            continue
        for peer, runner in peers.items():
            if peer not in options.peers.split(","):
                continue
            for words, run in runner.runs(name):
                try:
                    got = run()
                except Exception as problem:  # what a peer does is shown, whatever it is
                    said = getattr(problem, "stderr", None) or str(problem).encode()
                    print(f"| {name} | {peer} | {words} | failed: {said.decode()[:300]} | | |")
                    continue
                if got is None:
                    print(f"| {name} | {peer} | {words} | – | – | – |")
                    continue
                states, events, used = got
                count = min(len(states[0]), len(case["states"][0]) - 1)
                error = max(abs(s[i] - w[1 + i]) for s, w in zip(states, case["states"]) for i in range(count))
                size = max(abs(w[1 + i]) for w in case["states"] for i in range(count))
                shown = "–" if events is None else events
                print(f"| {name} | {peer} | {words} | {error / size:.1e} | {shown} | {1e3 * used:.3g} |", flush=True)


if __name__ == "__main__":
    main()

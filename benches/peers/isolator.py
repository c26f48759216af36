"""One isolated mass under one ground motion in two directions: stickslip, OpenSees and MuJoCo, in one run.

    python isolator.py [--program stickslip] [--keep FOLDER]

The building of the guide's page "Isolate a building", 200 t on friction pendulums of radius 2.5 m with a coefficient of 0.06 that does not
depend on the speed (MuJoCo has no other), is shaken for 15 s in two directions and then left alone for 15 s. Printed are the greatest
distance from the origin, the one at the end (residual displacement), how far the mass moves in the last 10 s (creep: nothing acts on it
but the pendulum, within the friction), the greatest distance from the way of stickslip at rtol = 1e-10, and the time that the solution
takes. Peers that are not installed are left out (`openseespy`, which needs libblas.so.3, and `mujoco`).
"""

import argparse
import csv
import math
import subprocess
import tempfile
import time
from pathlib import Path

try:
    from openseespy import opensees
except (ImportError, RuntimeError):  # it needs libblas.so.3 of the system
    opensees = None
try:
    import mujoco
except ImportError:
    mujoco = None

MASS, GRAVITY, RADIUS, MU = 2.0e5, 9.8, 2.5, 0.06
WEIGHT = MASS * GRAVITY
SHAKEN, END, ROWS = 15.0, 30.0, 3001


def ground(t):
    """The acceleration of the ground, m/s²: two waves that swell and die away."""
    if t >= SHAKEN:
        return 0.0, 0.0
    size = math.sin(math.pi * t / SHAKEN) ** 2
    return 1.2 * size * math.sin(2.6 * t), 0.9 * size * math.sin(3.7 * t + 0.5)


def record():
    """Its samples, between which all programs take straight lines: t, a_x, a_y."""
    times = [0.01 * i for i in range(ROWS)]
    return [(t, *ground(t)) for t in times]


def by_stickslip(program, folder, rtol):
    with open(folder / "ground.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["t", "ax", "ay"])
        rows.writerows([repr(x) for x in row] for row in record())
    (folder / "isolator.toml").write_text(f"""
[planar]
mass = {MASS}
pendulum = {{ radius = {RADIUS}, weight = {WEIGHT} }}
friction.coulomb.force = {MU * WEIGHT}
base_x = [{{ sampled = {{ file = "ground.csv", time = "t", value = "ax" }} }}]
base_y = [{{ sampled = {{ file = "ground.csv", time = "t", value = "ay" }} }}]
[run]
end = {END}
rows = {ROWS}
rtol = {rtol}
""")
    out = folder / f"out-{rtol}"
    begun = time.perf_counter()
    subprocess.run([program, "simulate", folder / "isolator.toml", "--out", out], check=True, capture_output=True)
    taken = time.perf_counter() - begun
    with open(out / "trajectory.csv", newline="") as file:
        way = [(float(row["x"]), float(row["y"])) for row in csv.DictReader(file)]
    return way, taken


def by_opensees(step, yields, pendulum):
    """Newmark's method; `yields` is the yield displacement of the bearing, m. A pendulum is singleFPBearing, whose normal force has the
    friction on its slope as well; without, flatSliderBearing and springs W/R, which as `yields` goes to zero is the model of stickslip."""
    ops = opensees
    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    ops.node(1, 0.0, 0.0, 0.0)
    ops.node(2, 0.0, 0.0, 0.0, "-mass", MASS, MASS, MASS, 0.0, 0.0, 0.0)
    ops.fix(1, *[1] * 6)
    ops.fix(2, 0, 0, 0, 1, 1, 1)
    ops.frictionModel("Coulomb", 1, MU)
    ops.uniaxialMaterial("Elastic", 1, 1e10)
    ops.uniaxialMaterial("Elastic", 2, 1e10)
    kind = ("singleFPBearing", 1, 1, 2, 1, RADIUS) if pendulum else ("flatSliderBearing", 1, 1, 2, 1)
    materials = ("-P", 1, "-T", 2, "-My", 2, "-Mz", 2, "-orient", 0, 0, 1, 1, 0, 0, "-iter", 100, 1e-8)
    ops.element(*kind, MU * WEIGHT / yields, *materials)
    if not pendulum:
        ops.uniaxialMaterial("Elastic", 3, WEIGHT / RADIUS)
        ops.element("zeroLength", 2, 1, 2, "-mat", 3, 3, "-dir", 1, 2)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 0.0, 0.0, -WEIGHT, 0.0, 0.0, 0.0)
    for set_up in (lambda: ops.constraints("Plain"), lambda: ops.numberer("Plain"), lambda: ops.system("BandGeneral")):
        set_up()
    ops.test("NormDispIncr", 1e-11, 100)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", 0.1)
    ops.analysis("Static")
    if ops.analyze(10) != 0:
        raise SystemExit("OpenSees does not find the state under the weight")
    ops.loadConst("-time", 0.0)
    samples = record()
    for axis in (1, 2):
        ops.timeSeries("Path", axis + 1, "-dt", 0.01, "-values", *[row[axis] for row in samples])
        ops.pattern("UniformExcitation", axis + 1, axis, "-accel", axis + 1)
    ops.wipeAnalysis()
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", 1e-11, 100)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    way = [(0.0, 0.0)]
    each = round(0.01 / step)
    begun = time.perf_counter()
    for _ in range(ROWS - 1):
        if ops.analyze(each, step) != 0:
            break
        way.append((ops.nodeDisp(2, 1), ops.nodeDisp(2, 2)))
    return way, time.perf_counter() - begun


def by_mujoco(step, softness):
    """A box of 1 kg on a plane, with the elliptic cone: all forces scale with the mass. `softness` is the time constant of its contacts, s:
    0.02 unless it is told otherwise, and 2 steps at least."""
    model = mujoco.MjModel.from_xml_string(f"""
      <mujoco>
        <option timestep="{step}" gravity="0 0 -{GRAVITY}" cone="elliptic" impratio="100" integrator="implicitfast"/>
        <worldbody>
          <geom type="plane" size="5 5 0.1" friction="{MU} 0 0" condim="3" solref="{softness} 1"/>
          <body pos="0 0 0.1">
            <joint name="x" type="slide" axis="1 0 0" stiffness="{GRAVITY / RADIUS}"/>
            <joint name="y" type="slide" axis="0 1 0" stiffness="{GRAVITY / RADIUS}"/>
            <joint name="z" type="slide" axis="0 0 1"/>
            <geom type="box" size="0.1 0.1 0.1" mass="1" friction="{MU} 0 0" condim="3" solref="{softness} 1"/>
          </body>
        </worldbody>
      </mujoco>""")
    data = mujoco.MjData(model)
    for _ in range(round(1.0 / step)):
        mujoco.mj_step(model, data)
    start = [float(data.qpos[0]), float(data.qpos[1])]
    samples = record()
    way = [(0.0, 0.0)]
    each = round(0.01 / step)
    begun = time.perf_counter()
    for (_, *a), (_, *b) in zip(samples, samples[1:]):
        for i in range(each):
            for axis in (0, 1):
                data.qfrc_applied[axis] = -(a[axis] + i / each * (b[axis] - a[axis]))
            mujoco.mj_step(model, data)
        way.append((float(data.qpos[0]) - start[0], float(data.qpos[1]) - start[1]))
    return way, time.perf_counter() - begun


def show(name, way, taken, reference):
    if len(way) < ROWS:
        print(f"{name:46} gave up at {0.01 * (len(way) - 1):.2f} s")
        return
    peak = max(math.hypot(*r) for r in way)
    creep = math.dist(way[-1], way[round((END - 10.0) / 0.01)])
    off = max(math.dist(a, b) for a, b in zip(way, reference))
    print(f"{name:46} {1e3 * peak:12.4f} {1e3 * math.hypot(*way[-1]):12.4f} {1e3 * creep:12.2e} {1e3 * off:12.2e} {taken:9.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="stickslip")
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = asked.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        reference, taken = by_stickslip(asked.program, folder, 1e-10)
        print(f"{'':46} {'peak [mm]':>12} {'residual':>12} {'creep':>12} {'off by':>12} {'time [s]':>9}")
        show("stickslip, rtol = 1e-10, with its files", reference, taken, reference)
        show("stickslip, rtol = 1e-6, with its files", *by_stickslip(asked.program, folder, 1e-6), reference)
    if opensees:
        for yields in (1e-3, 2.5e-4, 5e-5):
            show(f"OpenSees, slider, 1 ms, u_y = {1e3 * yields:g} mm", *by_opensees(1e-3, yields, False), reference)
        show("OpenSees, singleFPBearing, 1 ms, u_y = 0.25 mm", *by_opensees(1e-3, 2.5e-4, True), reference)
    if mujoco:
        for step, softness in ((2e-3, 2e-2), (2e-4, 2e-2), (2e-3, 4e-3), (2e-4, 4e-4)):
            show(f"MuJoCo, {1e3 * step:g} ms, contacts {1e3 * softness:g} ms", *by_mujoco(step, softness), reference)


if __name__ == "__main__":
    main()

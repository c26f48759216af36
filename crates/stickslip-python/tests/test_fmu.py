"""FMUs, looked at and driven by FMPy: they move as `solve` does."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import stickslip as ss

fmpy = pytest.importorskip("fmpy")
from fmpy.fmi2 import FMU2Slave  # noqa: E402
from fmpy.fmi3 import FMU3Slave  # noqa: E402
from fmpy.validation import validate_fmu  # noqa: E402

BOTH = pytest.mark.parametrize("fmi", [2, 3])


def shaw(**changes):
    model = ss.Oscillator(
        mass=1, stiffness=1, friction=ss.static_dynamic(1.2, 1.0), drive=ss.harmonic(6.0, 0.5), x0=6.0, v0=0.0
    )
    return model.replace(**changes) if changes else model


def exported(model, tmp_path, fmi=2, t_end=40.0, name="model"):
    path = tmp_path / f"{name}{fmi}.fmu"
    ss.export_fmu(model, path, fmi=fmi, t_end=t_end)
    return str(path)


def run(path, **options):
    options.setdefault("fmi_type", "CoSimulation")
    return fmpy.simulate_fmu(path, **options)


class Instance:
    """An instance for co-simulation between 0 and 40 s, its variables by their names."""

    def __init__(self, path, tmp_path, start=True):
        self.folder = str(tmp_path / f"unpacked-{Path(path).stem}-{id(self)}")
        fmpy.extract(path, unzipdir=self.folder)
        self.description = fmpy.read_model_description(path)
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        kind = FMU3Slave if self.description.fmiVersion.startswith("3") else FMU2Slave
        self.three = kind is FMU3Slave
        self.messages = []
        self.fmu = kind(
            guid=self.description.guid,
            unzipDirectory=self.folder,
            modelIdentifier=self.description.coSimulation.modelIdentifier,
            instanceName="one",
        )
        self.fmu.instantiate()
        if start:
            self.start()

    def start(self):
        if self.three:
            self.fmu.enterInitializationMode(startTime=0.0, stopTime=40.0)
        else:
            self.fmu.setupExperiment(startTime=0.0, stopTime=40.0)
            self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def get(self, *names):
        read = self.fmu.getFloat64 if self.three else self.fmu.getReal
        return np.array(read([self.references[n] for n in names]))

    def count(self, name):
        read = self.fmu.getInt32 if self.three else self.fmu.getInteger
        return read([self.references[name]])[0]

    def set(self, name, value):
        write = self.fmu.setFloat64 if self.three else self.fmu.setReal
        write([self.references[name]], [value])

    def step(self, at, length):
        return self.fmu.doStep(currentCommunicationPoint=at, communicationStepSize=length)

    def state(self):
        return self.fmu.getFMUState() if self.three else self.fmu.getFMUstate()

    def back(self, state):
        (self.fmu.setFMUState if self.three else self.fmu.setFMUstate)(state)

    def free(self, state):
        (self.fmu.freeFMUState if self.three else self.fmu.freeFMUstate)(state)

    def written(self, state):
        return (self.fmu.serializeFMUState if self.three else self.fmu.serializeFMUstate)(state)

    def read(self, data):
        return (self.fmu.deserializeFMUState if self.three else self.fmu.deSerializeFMUstate)(data)

    def end(self):
        self.fmu.terminate()
        self.fmu.freeInstance()


@BOTH
def test_every_kind_of_model_moves_as_solve_does(fmi, tmp_path):
    cascade = ss.Cascade(
        mass=1, stiffness=[3.0, 2.0, 1.5, 1.0, 0.7], threshold=[0.5, 0.8, 0.3, 1.1], force=ss.harmonic(2.5, 0.9)
    )
    network = ss.load(
        {
            "network": {
                "node": [{"name": "a", "mass": 1.0, "displacement": 2.0}, {"name": "b", "mass": 2.0}],
                "spring": [{"between": ["a", "b"], "stiffness": 3.0}, {"between": ["b", "ground"], "stiffness": 1.0}],
                "slider": [{"name": "s", "between": ["a", "ground"], "static": 0.4, "dynamic": 0.3}],
                "force": [{"on": "b", "harmonic": {"amplitude": 1.0, "angular_frequency": 1.3}}],
            },
            "run": {"end": 20.0, "scheme": "exact"},
        }
    )
    stopped = shaw(stops=ss.Stops(lower=-2.0, upper=6.5, restitution=0.5))
    stribeck = ss.Oscillator(mass=1, stiffness=1, damping=0.01, friction=ss.stribeck(0, 0, 3, 1), x0=5.0)
    stribeck = ss.load({**stribeck.to_dict(), "run": {"end": 20.0, "scheme": "adaptive"}})
    for i, model in enumerate([shaw(), cascade, network, stopped, stribeck]):
        path = exported(model, tmp_path, fmi, 20.0, f"m{i}")
        assert not validate_fmu(path)
        result = run(path, stop_time=20.0, output_interval=0.1)
        ours = ss.solve(model, t_end=20.0)
        names = [n for of in "xv" for n in result.dtype.names if n == of or n.startswith(f"{of}_")]
        moves = np.array([result[n] for n in names])
        assert result["time"][-1] == 20.0
        expected = ours(result["time"])
        assert np.abs(moves - expected[: len(moves)]).max() < 1e-10


@BOTH
def test_counts_phases_and_energy(fmi, tmp_path):
    result = run(exported(shaw(), tmp_path, fmi), stop_time=40.0, output_interval=0.5)
    ours = ss.solve(shaw(), t_end=40.0)
    last = result[-1]
    for name in ("slip", "stick", "reversal"):
        assert last[{"slip": "slips", "stick": "sticks", "reversal": "reversals"}[name]] == sum(
            ours.events["event"] == name
        )
    assert abs(last["energy_lost"] - ours.energy.friction) < 1e-10 * ours.energy.friction
    stick = result["phase"] == 0
    assert stick.any() and not result["v"][stick].any()
    assert np.abs(result["friction"][~stick] + result["phase"][~stick]).max() < 1e-12


@BOTH
def test_inputs_are_held_or_go_on_with_their_rate(fmi, tmp_path):
    still = shaw(drive=ss.constant(0.0), x0=0.0)
    times = np.arange(0.0, 20.25, 0.25)
    values = 3.0 * np.sin(1.3 * times)
    instance = Instance(exported(still, tmp_path, fmi), tmp_path)
    for t, u, w in zip(times[:-1], values, values[1:]):
        instance.set("force", u)
        instance.set("force_rate", (w - u) / 0.25)
        instance.step(t, 0.25)
    linear = ss.solve(still.replace(force=ss.sampled(times, values)), t_end=20.0)
    assert np.abs(instance.get("x", "v") - linear(20.0).ravel()).max() < 1e-10
    instance.end()
    held = Instance(exported(still, tmp_path, fmi, name="held"), tmp_path)
    for t, u in zip(times[:-1], values):
        held.set("force", u)
        held.step(t, 0.25)
    steps = [ss.step(t, b - a) for t, a, b in zip(times[1:-1], values, values[1:])]
    total = ss.constant(values[0])
    for s in steps:
        total = total + s
    want = ss.solve(still.replace(force=total), t_end=20.0)
    assert np.abs(held.get("x", "v") - want(20.0).ravel()).max() < 1e-10
    held.end()


@BOTH
def test_a_state_is_kept_put_back_and_written_down_in_the_middle_of_a_slip(fmi, tmp_path):
    path = exported(shaw(), tmp_path, fmi)
    one, other = Instance(path, tmp_path), Instance(path, tmp_path)
    for k in range(30):
        one.set("force", 0.1 * np.sin(k))
        one.step(0.5 * k, 0.5)
    assert one.count("phase") != 0
    kept, here = one.state(), one.get("x", "v", "energy_lost")
    data = one.written(kept)

    def on(instance):
        for k in range(30, 60):
            instance.set("force", 0.1 * np.cos(k))
            instance.step(0.5 * k, 0.5)
        return instance.get("x", "v", "friction", "energy_lost")

    first = on(one)
    one.back(kept)
    assert (one.get("x", "v", "energy_lost") == here).all()
    assert (on(one) == first).all()
    read = other.read(data)
    other.back(read)
    assert (other.get("x", "v", "energy_lost") == here).all() and (on(other) == first).all()
    for instance, state in ((one, kept), (other, read)):
        instance.free(state)
        instance.end()


@BOTH
def test_steps_may_vary_and_an_instance_can_be_reset(fmi, tmp_path):
    instance, ours = Instance(exported(shaw(), tmp_path, fmi), tmp_path), ss.solve(shaw(), t_end=40.0)
    random = np.random.default_rng(1)
    for _ in range(2):
        t = 0.0
        while t < 39.0:
            h = random.uniform(1e-3, 1.0)
            instance.step(t, h)
            t += h
            assert np.abs(instance.get("x", "v") - ours(t).ravel()).max() < 1e-10
        instance.fmu.reset()
        instance.start()
    instance.end()


@BOTH
def test_parameters_are_the_numbers_of_the_model_file(fmi, tmp_path):
    path = exported(shaw(), tmp_path, fmi)
    variables = {v.name: v for v in fmpy.read_model_description(path).modelVariables}
    mass = variables["oscillator.mass"]
    assert (mass.unit, mass.causality) == ("kg", "parameter") and float(mass.min) > 0
    changed = {
        "oscillator.mass": 2.0,
        "oscillator.damping": 0.1,
        "oscillator.friction.static-dynamic.static": 2.0,
        "oscillator.drive.0.harmonic.amplitude": 5.0,
    }
    result = run(path, stop_time=40.0, output_interval=0.5, start_values=changed)
    model = shaw(mass=2.0, damping=0.1, friction=ss.static_dynamic(2.0, 1.0), drive=ss.harmonic(5.0, 0.5))
    assert np.abs(result["x"] - ss.solve(model, t_end=40.0)(result["time"])[0]).max() < 1e-10


@BOTH
def test_what_cannot_be_is_answered_and_the_instance_lives_on(fmi, tmp_path):
    path = exported(shaw(), tmp_path, fmi)
    instance = Instance(path, tmp_path)
    instance.step(0.0, 1.0)
    refused = pytest.raises(Exception)
    for name, value in (("force", np.nan), ("oscillator.mass", 2.0), ("x", 1.0)):
        with refused:
            instance.set(name, value)
    for at, length in ((1.0, 0.0), (1.0, -1.0), (1.0, np.nan), (7.0, 1.0)):
        with refused:
            instance.step(at, length)
    instance.step(1.0, 1.0)
    assert np.abs(instance.get("x", "v") - ss.solve(shaw(), t_end=40.0)(2.0).ravel()).max() < 1e-10
    instance.end()
    for name, value in (("oscillator.mass", -1.0), ("oscillator.friction.static-dynamic.dynamic", 9.0)):
        with refused:
            run(path, stop_time=1.0, start_values={name: value})
    broken = Path(fmpy.extract(path, unzipdir=str(tmp_path / "broken")))
    (broken / "resources" / "model.toml").unlink()
    with refused:
        run(str(broken), stop_time=1.0)


@BOTH
def test_two_instances_and_a_measured_drive(fmi, tmp_path):
    times = np.linspace(0.0, 40.0, 401)
    driven = shaw(drive=ss.sampled(times, 6.0 * np.cos(0.5 * times)))
    path = exported(driven, tmp_path, fmi)
    assert not validate_fmu(path)
    one, two = Instance(path, tmp_path), Instance(path, tmp_path)
    for k in range(40):
        one.step(float(k), 1.0)
        two.set("force", 0.5)
        two.step(float(k), 1.0)
    assert np.abs(one.get("x", "v") - ss.solve(driven, t_end=40.0)(40.0).ravel()).max() < 1e-10
    pushed = driven.replace(force=0.5)
    assert np.abs(two.get("x", "v") - ss.solve(pushed, t_end=40.0)(40.0).ravel()).max() < 1e-9
    one.end()
    two.end()


@BOTH
def test_model_exchange_to_the_importers_tolerance(fmi, tmp_path):
    for name, law in (("two", ss.static_dynamic(1.2, 1.0)), ("one", ss.coulomb(1.0))):
        model = shaw(friction=law)
        path = exported(model, tmp_path, fmi, name=name)
        result = fmpy.simulate_fmu(
            path, fmi_type="ModelExchange", stop_time=40.0, output_interval=0.5, relative_tolerance=1e-10
        )
        ours = ss.solve(model, t_end=40.0)
        assert np.abs(result["x"] - ours(result["time"])[0]).max() < 1e-6
        stick = result["phase"] == 0
        assert not result["v"][stick].any()
        assert result["slips"][-1] == sum(ours.events["event"] == "slip")
        assert result["sticks"][-1] == sum(ours.events["event"] == "stick")


@BOTH
def test_a_friction_element_between_an_importers_motion_and_the_ground(fmi, tmp_path):
    element = ss.load(
        {
            "cascade": {
                "mass": 1.0,
                "stiffness": [100.0, 50.0, 20.0],
                "threshold": [1.0, 2.0],
                "displacement": [{"constant": 0.0}],
            },
            "run": {"end": 40.0, "scheme": "quasi-static"},
        }
    )
    instance = Instance(exported(element, tmp_path, fmi), tmp_path)
    times = np.arange(0.0, 10.05, 0.05)
    x = 0.3 * np.sin(times)
    force = []
    for t, a, b in zip(times[:-1], x, x[1:]):
        instance.set("displacement", a)
        instance.set("displacement_rate", (b - a) / 0.05)
        instance.step(t, 0.05)
        force.append(instance.get("spring_force")[0])
    whole = ss.Cascade(mass=1, stiffness=[100, 50, 20], threshold=[1, 2], displacement=ss.sampled(times, x))
    path = ss.solve(whole, t_end=10.0, scheme="quasi-static")
    table = path.to_frame()
    expected = np.interp(times[1:], table["t"], table["force"])
    assert np.abs(np.array(force) - expected).max() < 1e-10
    assert instance.get("energy_lost")[0] > 0.1
    instance.end()


IMPORTER = Path(__file__).resolve().parents[2] / "stickslip-fmi" / "tests" / "importer.c"


def test_memory_is_clean(tmp_path):
    if not (shutil.which("cc") and shutil.which("valgrind") and IMPORTER.exists()):
        pytest.skip("there is no C compiler, no valgrind, or this is not a checkout")
    program = str(tmp_path / "importer")
    subprocess.run(["cc", "-o", program, str(IMPORTER), "-ldl", "-lm"], check=True)
    path = exported(shaw(), tmp_path)
    folder = Path(fmpy.extract(path, unzipdir=str(tmp_path / "unpacked")))
    description = fmpy.read_model_description(path)
    references = {v.name: str(v.valueReference) for v in description.modelVariables}
    library = next((folder / "binaries").rglob("model2.*"))
    arguments = [str(library), (folder / "resources").as_uri(), description.guid, references["force"], references["x"]]
    # Optimised code may look at bytes whose value it then ignores: safe Rust has no others that are not set.
    asked = ["--quiet", "--leak-check=full", "--undef-value-errors=no", "--error-exitcode=99"]
    watched = ["valgrind", *asked, program, *arguments]
    done = subprocess.run(watched, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


MODELICA = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "modelica"


def published(name, *columns):
    """Columns of a published run of the Modelica Standard Library (Dymola, tolerance 1e-6)."""
    path = MODELICA / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    table = np.genfromtxt(path, delimiter=",", names=True, deletechars="")
    return [table[c] for c in columns]


@BOTH
def test_published_modelica_runs(fmi, tmp_path):
    brake = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(1.0), normal=ss.step(0.1, 1.0), v0=1.0)
    law = ss.stribeck_exponential(static=15, dynamic=5, velocity=0.5, exponent=1, viscous=1)
    rub = ss.Oscillator(mass=1, stiffness=0, friction=law, force=ss.harmonic(25.0, np.pi / 2, -np.pi / 2))
    rub = ss.load({**rub.to_dict(), "run": {"end": 5.0, "scheme": "adaptive", "rtol": 1e-11}})
    for model, end, name, mass, near in (
        (brake, 3.0, "Translational_Brake.csv", "mass1", 1e-6),
        (rub, 5.0, "Translational_Friction.csv", "stop1", 1e-4),
    ):
        time, x = published(name, "time", f"{mass}.s")
        result = run(exported(model, tmp_path, fmi, end, mass), stop_time=end, output_interval=end / 2000)
        assert np.abs(result["x"] - np.interp(result["time"], time, x)).max() < near
        stick = result["phase"] == 0
        assert stick.any() and not result["v"][stick].any()


SYSTEM = """<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
  xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" name="line" version="1.0">
  <ssd:System name="line">
    <ssd:Connectors>
      <ssd:Connector name="moved" kind="output"><ssc:Real/></ssd:Connector>
      <ssd:Connector name="held" kind="output"><ssc:Real/></ssd:Connector>
    </ssd:Connectors>
    <ssd:Elements>
      <ssd:Component name="drive" source="resources/drive2.fmu" type="application/x-fmu-sharedlibrary">
        <ssd:Connectors>
          <ssd:Connector name="x" kind="output"><ssc:Real/></ssd:Connector>
          <ssd:Connector name="v" kind="output"><ssc:Real/></ssd:Connector>
        </ssd:Connectors>
      </ssd:Component>
      <ssd:Component name="element" source="resources/element2.fmu" type="application/x-fmu-sharedlibrary">
        <ssd:Connectors>
          <ssd:Connector name="displacement" kind="input"><ssc:Real/></ssd:Connector>
          <ssd:Connector name="spring_force" kind="output"><ssc:Real/></ssd:Connector>
        </ssd:Connectors>
      </ssd:Component>
    </ssd:Elements>
    <ssd:Connections>
      <ssd:Connection startElement="drive" startConnector="x" endElement="element" endConnector="displacement"/>
      <ssd:Connection startElement="drive" startConnector="x" endConnector="moved"/>
      <ssd:Connection startElement="element" startConnector="spring_force" endConnector="held"/>
    </ssd:Connections>
  </ssd:System>
</ssd:SystemStructureDescription>
"""


def test_a_system_of_a_drive_and_a_friction_element(tmp_path):
    from zipfile import ZipFile

    from fmpy.ssp.simulation import simulate_ssp

    drive = shaw(friction=ss.coulomb(0.0), drive=ss.constant(0.0), x0=0.3)
    element = {
        "cascade": {
            "mass": 1.0,
            "stiffness": [100.0, 50.0, 20.0],
            "threshold": [1.0, 2.0],
            "displacement": [{"constant": 0.0}],
        },
        "run": {"end": 40.0, "scheme": "quasi-static"},
    }
    with ZipFile(tmp_path / "line.ssp", "w") as archive:
        archive.writestr("SystemStructure.ssd", SYSTEM)
        for model, name in ((drive, "drive"), (ss.load(element), "element")):
            archive.write(exported(model, tmp_path, name=name), f"resources/{name}2.fmu")
    result = simulate_ssp(str(tmp_path / "line.ssp"), stop_time=5.0, step_size=0.01)
    time, moved, held = (result[n] for n in result.dtype.names[:3])
    # FMPy notes the results of a step at its beginning. The drive swings as a cosine; the element holds what it holds when
    # the same corners are prescribed to it.
    assert np.abs(moved[:-1] - 0.3 * np.cos(time[:-1] + 0.01)).max() < 1e-9
    whole = ss.Cascade(
        mass=1, stiffness=[100, 50, 20], threshold=[1, 2], displacement=ss.sampled(time - time[0], moved), x0=0.0
    )
    force = ss.solve(whole, t_end=float(time[-1] - time[0]), scheme="quasi-static").to_frame()
    expected = np.interp(time - time[0], force["t"], force["force"])
    # … one step later, for FMPy hands values on between the steps.
    assert np.abs(held[1:] - expected[:-1]).max() < 1e-9

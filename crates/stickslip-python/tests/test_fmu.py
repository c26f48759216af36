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
    ball = ss.Impact(mass=1, restitution=0.7, wall=0, force=-9.81, x0=1.0)
    for i, model in enumerate([shaw(), cascade, network, stopped, stribeck, ball]):
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
def test_model_exchange_of_rigid_stops_and_cascades(fmi, tmp_path):
    cascade = ss.Cascade(
        mass=1, stiffness=[3.0, 2.0, 1.5, 1.0, 0.7], threshold=[0.5, 0.8, 0.3, 1.1], force=ss.harmonic(2.5, 0.9)
    )
    bouncing = shaw(stops=ss.Stops(lower=-2.0, upper=6.5, restitution=0.5))
    for name, model, counts in (("stops", bouncing, ("impacts",)), ("cascade", cascade, ("yields", "reversals"))):
        path = exported(model, tmp_path, fmi, 20.0, name)
        assert not validate_fmu(path)
        result = fmpy.simulate_fmu(
            path, fmi_type="ModelExchange", stop_time=20.0, output_interval=0.5, relative_tolerance=1e-10
        )
        ours = ss.solve(model, t_end=20.0)
        assert np.abs(result["x"] - ours(result["time"])[0]).max() < 1e-6
        # Bounces at a stop are infinitely many: each run counts them as far as it tells them apart.
        for count in counts:
            expected = sum(ours.events["event"] == count.removesuffix("s"))
            assert result[count][-1] == expected or count == "impacts" and result[count][-1] > 10
        together = run(path, stop_time=20.0, output_interval=0.5)
        assert abs(result["energy_lost"][-1] - together["energy_lost"][-1]) < 1e-5


LAWS = {
    "coulomb": ss.coulomb(1.0),
    "static-dynamic": ss.static_dynamic(1.2, 1.0),
    "stribeck-exponential": ss.stribeck_exponential(static=1.2, dynamic=0.8, velocity=0.05, exponent=1, viscous=0.1),
    "ageing": ss.ageing(1.0, 1.3, 0.5),
    "table": ss.table([0.0, 0.1, 1.0], [1.2, 1.0, 1.1]),
    "one way": ss.directional(ss.coulomb(1.0), ss.coulomb(0.6)),
}


def driven(path, tmp_path, end, step):
    """A mass of 1 kg on a spring of 1 N/m, which this importer moves by small steps beside the element: x and v."""
    instance = Instance(path, tmp_path)
    x, v, force, rows = 0.0, 0.0, 0.0, []
    for k in range(round(end / step)):
        t = k * step
        # The element sees the velocity in the middle of the step, as the leapfrog method has it.
        v += step * (6.0 * np.sin(0.5 * t) - x + force)
        instance.set("velocity", v)
        instance.step(t, step)
        x += step * v
        force = instance.get("friction")[0]
        rows.append((t + step, x, v, instance.get("energy_lost")[0]))
    instance.end()
    return np.array(rows).T


@BOTH
@pytest.mark.parametrize("law", LAWS)
def test_every_law_as_an_element_between_flanges(fmi, law, tmp_path):
    element = ss.Element(stiffness=1e4, damping=20.0, friction=LAWS[law])
    path = exported(element, tmp_path, fmi)
    assert not validate_fmu(path)
    time, x, v, lost = driven(path, tmp_path, 5.0, 2e-3)
    whole = ss.Oscillator(mass=1, stiffness=1, friction=LAWS[law], drive=ss.harmonic(6.0, 0.5, -np.pi / 2))
    expected = ss.solve(whole, t_end=5.0, scheme="adaptive")
    # The spring of the contact gives way by 0.1 mm, and the force is a step late.
    assert np.abs(x - expected(time)[0]).max() < 0.02
    # In a slip the spring is taken as bent by all of the force, the part of the damper included: c |w| F/k at most.
    assert (np.diff(lost) > -20.0 * np.abs(v).max() * 1.3 / 1e4).all()
    assert abs(lost[-1] - expected.energy.friction) < 0.02 * expected.energy.friction


@BOTH
def test_an_element_that_turns_holds_what_it_holds_and_does_not_creep(fmi, tmp_path):
    brake = ss.Element(stiffness=100.0, friction=ss.static_dynamic(1.2, 1.0), normal=2.0, motion="rotational")
    path = exported(brake, tmp_path, fmi)
    description = fmpy.read_model_description(path)
    units = {v.name: v.unit for v in description.modelVariables}
    assert (units["velocity"], units["friction"], units["deflection"]) == ("rad/s", "N·m", "rad")
    assert (units["element.stiffness"], units["normal"]) == ("N·m/rad", "N")
    instance = Instance(path, tmp_path)
    instance.set("velocity", 0.1)
    instance.step(0.0, 0.1)
    assert abs(instance.get("friction")[0] + 1.0) < 1e-13
    instance.set("velocity", 0.0)
    for k in range(1, 200):
        instance.step(0.1 * k, 0.1)
    assert abs(instance.get("friction")[0] + 1.0) < 1e-13, "it holds what it held"
    # The limit of 2.4 N·m is reached where the spring bears it: 14 mrad further on, at 0.1 rad/s after 0.14 s.
    instance.set("velocity", 0.1)
    instance.step(20.0, 0.13)
    assert instance.count("slips") == 0
    instance.step(20.13, 0.02)
    assert instance.count("slips") == 1 and abs(instance.get("friction")[0] + 2.0) < 1e-13
    # With less normal force it holds less, at once.
    instance.set("normal", -1.0)
    instance.step(20.15, 0.01)
    assert abs(instance.get("friction")[0] + 1.0) < 1e-13
    with pytest.raises(Exception):
        instance.set("normal", -3.0)
        instance.step(20.16, 0.01)
    instance.end()


@BOTH
def test_an_element_in_model_exchange(fmi, tmp_path):
    element = ss.Element(stiffness=100.0, friction=ss.static_dynamic(1.2, 1.0))
    path = exported(element, tmp_path, fmi, 10.0)
    times = np.linspace(0.0, 10.0, 10001)
    moved = np.array(list(zip(times, 0.1 * np.sin(times))), dtype=[("time", float), ("velocity", float)])
    options = {"stop_time": 10.0, "output_interval": 0.01, "input": moved}
    stepped = run(path, **options)
    integrated = fmpy.simulate_fmu(path, fmi_type="ModelExchange", relative_tolerance=1e-9, **options)
    assert stepped["slips"][-1] == integrated["slips"][-1] > 2
    assert abs(stepped["energy_lost"][-1] - integrated["energy_lost"][-1]) < 0.02 * stepped["energy_lost"][-1]


def test_a_step_ends_early_at_an_event_where_the_importer_allows_it(tmp_path):
    path = exported(shaw(), tmp_path, 3)
    folder = str(tmp_path / "early")
    fmpy.extract(path, unzipdir=folder)
    description = fmpy.read_model_description(path)
    fmu = FMU3Slave(
        guid=description.guid, unzipDirectory=folder, modelIdentifier=description.coSimulation.modelIdentifier
    )
    fmu.instantiate(earlyReturnAllowed=True)
    fmu.enterInitializationMode(startTime=0.0, stopTime=40.0)
    fmu.exitInitializationMode()
    times, t = [], 0.0
    while t < 40.0:
        _, _, early, t = fmu.doStep(currentCommunicationPoint=t, communicationStepSize=40.0 - t)
        if early:
            times.append(t)
    events = ss.solve(shaw(), t_end=40.0).events["t"]
    assert np.abs(np.array(times) - events).max() < 1e-12
    fmu.terminate()
    fmu.freeInstance()


def test_flanges_are_terminals(tmp_path):
    from zipfile import ZipFile

    from lxml import etree

    schema = Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3TerminalsAndIcons.xsd"
    element = ss.Element(stiffness=1e4, friction=ss.coulomb(1.0), motion="rotational")
    for name, model, members in (
        ("oscillator", shaw(), {"s": "x", "v": "v", "f": "force"}),
        ("element", element, {"w": "velocity", "tau": "friction"}),
    ):
        with ZipFile(exported(model, tmp_path, 3, name=name)) as archive:
            terminals = etree.fromstring(archive.read("terminalsAndIcons/terminalsAndIcons.xml"))
        etree.XMLSchema(etree.parse(str(schema))).assertValid(terminals)
        flange = terminals.find(".//Terminal[@name='flange']")
        assert {m.get("memberName"): m.get("variableName") for m in flange} == members
        known = {v.name for v in fmpy.read_model_description(exported(model, tmp_path, 3, name=name)).modelVariables}
        assert known.issuperset(m.get("variableName") for m in terminals.iter("TerminalMemberVariable"))


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


SLIDING = {"velocity": 0.5, "exponent": 1, "viscous": 1}
PUSHED = ss.harmonic(25.0, np.pi / 2, -np.pi / 2)


def brake():
    return ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(1.0), normal=ss.step(0.1, 1.0), v0=1.0)


def tabulated():
    """The friction of the first mass in 50 points, linear between them."""
    speed = np.linspace(0.0, 12.0, 50)
    law = ss.table(speed.tolist(), (5 + speed + 10 * np.exp(-2 * speed)).tolist())
    return ss.Oscillator(mass=1, stiffness=0, friction=law, force=PUSHED)


def pushed():
    law = ss.stribeck_exponential(static=15, dynamic=5, **SLIDING)
    return ss.Oscillator(mass=1, stiffness=0, friction=law, force=PUSHED)


def stopped():
    """A mass of 1 m length between stops at ±0.9 m, on a spring that is at rest where its middle is at −0.25 m."""
    law = ss.stribeck_exponential(static=8, dynamic=3, **SLIDING)
    stops = ss.Stops(lower=-0.4, upper=0.4, restitution=0.0)
    return ss.Oscillator(mass=1, stiffness=500, friction=law, drive=ss.constant(-0.25), v0=-5.0, stops=stops)


@BOTH
@pytest.mark.parametrize(
    ("make", "name", "mass", "near", "events"),
    [
        (brake, "Translational_Brake.csv", "mass1", 1e-6, (0, 1, 0)),
        (pushed, "Translational_Friction.csv", "stop1", 1e-4, (1, 0, 2)),
        (stopped, "Translational_Friction.csv", "stop2", 1e-5, (0, 1, 6)),
        (tabulated, "Translational_Friction.csv", "mass", 1e-4, (1, 0, 2)),
    ],
)
def test_published_modelica_runs(fmi, make, name, mass, near, events, tmp_path):
    time, x = published(name, "time", f"{mass}.s")
    model, end = make(), float(time[-1])
    model = ss.load({**model.to_dict(), "run": {"end": end, "scheme": "adaptive", "rtol": 1e-11}})
    result = run(exported(model, tmp_path, fmi, end, mass), stop_time=end, output_interval=end / 2000)
    assert np.abs(result["x"] - np.interp(result["time"], time, x)).max() < near
    # Nothing creeps, and the events are those of the published modes.
    stick = result["phase"] == 0
    assert stick.any() and not result["v"][stick].any()
    assert tuple(result[n][-1] for n in ("slips", "sticks", "reversals")) == events
    # What is lost is what is missing.
    energy = 0.5 * result["v"] ** 2 + 0.5 * model.stiffness * (result["x"] + 0.25) ** 2
    force = 25.0 * np.sin(np.pi / 2 * result["time"]) if make in (pushed, tabulated) else 0.0 * result["v"]
    work = np.trapezoid(force * result["v"], result["time"])
    assert abs(energy[-1] - energy[0] + result["energy_lost"][-1] - work) < 1e-5 * max(energy[0], abs(work))


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

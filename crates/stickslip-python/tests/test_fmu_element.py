"""Friction elements between flanges that FMPy moves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fmu_tools import BOTH, Instance, exported, fmpy, run, shaw

import stickslip as ss

from fmpy.validation import validate_fmu


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
    assert (units["velocity"], units["friction"], units["deflection"]) == ("rad/s", "N.m", "rad")
    assert (units["element.stiffness"], units["normal"]) == ("N.m/rad", "N")
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


def system(folder, parts, links, step, end):
    """A system of FMUs as a file (SSP), run by FMPy: `parts` are (name, model, inputs, outputs), `links` (from, to)."""
    from zipfile import ZipFile

    from fmpy.ssp.simulation import simulate_ssp

    def connectors(kind, names):
        return "".join(f'<ssd:Connector name="{n}" kind="{kind}"><ssc:Real/></ssd:Connector>' for n in names)

    def component(name, _, inputs, outputs):
        source = f'source="resources/{name}2.fmu" type="application/x-fmu-sharedlibrary"'
        ends = connectors("input", inputs) + connectors("output", outputs)
        return f'<ssd:Component name="{name}" {source}><ssd:Connectors>{ends}</ssd:Connectors></ssd:Component>'

    def link(one, other):
        (a, b), (c, d) = one.split("."), other.split(".")
        ends = f'startElement="{a}" startConnector="{b}" endElement="{c}" endConnector="{d}"'
        return f"<ssd:Connection {ends}/>"

    structure = f"""<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
  xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" name="line" version="1.0">
  <ssd:System name="line">
    <ssd:Elements>{"".join(component(*p) for p in parts)}</ssd:Elements>
    <ssd:Connections>{"".join(link(*ends) for ends in links)}</ssd:Connections>
  </ssd:System>
</ssd:SystemStructureDescription>
"""
    with ZipFile(folder / "line.ssp", "w") as archive:
        archive.writestr("SystemStructure.ssd", structure)
        for name, model, *_ in parts:
            archive.write(exported(model, folder, name=name), f"resources/{name}2.fmu")
    return simulate_ssp(str(folder / "line.ssp"), stop_time=end, step_size=step)


def test_a_system_of_a_drive_and_a_cascade(tmp_path):
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
    parts = [("drive", drive, [], ["x"]), ("element", ss.load(element), ["displacement"], ["spring_force"])]
    result = system(tmp_path, parts, [("drive.x", "element.displacement")], 0.01, 5.0)
    time, moved, held = (result[n] for n in ("time", "drive.x", "element.spring_force"))
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


def test_a_system_of_a_drive_line_and_a_friction_element(tmp_path):
    """The mass and its spring in one FMU, the friction in another: together they are the oscillator with friction."""
    line = shaw(friction=ss.coulomb(0.0), x0=6.0)
    element = ss.Element(stiffness=1e4, damping=40.0, friction=ss.static_dynamic(1.2, 1.0))
    parts = [("line", line, ["force"], ["x", "v"]), ("element", element, ["velocity"], ["friction"])]
    links = [("line.v", "element.velocity"), ("element.friction", "line.force")]
    step = 1e-3
    result = system(tmp_path, parts, links, step, 12.0)
    # FMPy notes the results of a step at its beginning.
    time, x, v = result["time"] + step, result["line.x"], result["line.v"]
    whole = ss.solve(shaw(), t_end=13.0)
    stuck = whole(time)[1] == 0.0
    # The contact gives way by 0.12 mm, and each hands its values on a step late.
    assert np.abs(x - whole(time)[0]).max() < 0.02
    inside = stuck & np.roll(stuck, 300)
    assert inside.any() and np.abs(v[inside]).max() < 0.01

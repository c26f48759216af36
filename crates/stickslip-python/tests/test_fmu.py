"""FMUs in co-simulation, looked at and driven by FMPy: they move as `solve` does."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from fmu_tools import BOTH, Instance, ball, cascade, exported, fmpy, network, run, shaw

import stickslip as ss

from fmpy.validation import validate_fmu


@BOTH
def test_every_kind_of_model_moves_as_solve_does(fmi, tmp_path):
    stopped = shaw(stops=ss.Stops(lower=-2.0, upper=6.5, restitution=0.5))
    stribeck = ss.Oscillator(mass=1, stiffness=1, damping=0.01, friction=ss.stribeck(0, 0, 3, 1), x0=5.0)
    stribeck = ss.load({**stribeck.to_dict(), "run": {"end": 20.0, "scheme": "adaptive"}})
    for i, model in enumerate([shaw(), cascade(), network(), stopped, stribeck, ball()]):
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
def test_every_law_with_memory_moves_as_solve_does(fmi, tmp_path):
    laws = [
        ss.dahl(1.0, 150.0),
        ss.lugre(1.2, 1.0, 0.05, stiffness=1e3, damping=2.0, viscous=0.4),
        ss.elasto_plastic(1.2, 1.0, 0.05, stiffness=1e3, breakaway=7e-4, damping=2.0, viscous=0.4),
        ss.bouc_wen(1e3, 0.1, beta=5e5, gamma=5e5, exponent=2.0),
        ss.maxwell_slip(1.2, 1.0, 0.05, stiffness=[600.0, 300.0], weight=[0.6, 0.4], attraction=50.0, viscous=0.4),
        ss.rate_and_state(0.5, 0.01, 0.015, distance=1e-4, speed=1e-3),
    ]
    for i, law in enumerate(laws):
        rocky = "rate" in str(law)
        load = {"drive": ss.ramp(0.2)} if rocky else {"force": ss.harmonic(3.0, 4.0)}
        # Of rate and state from a slide on.
        more = {"normal": ss.constant(2.0), "v0": 0.2} if rocky else {}
        model = ss.Oscillator(mass=1, stiffness=25.0, damping=0.5, friction=law, **load, **more)
        result = run(exported(model, tmp_path, fmi, 6.0, f"law{i}"), stop_time=6.0, output_interval=0.05)
        ours = ss.solve(model, t_end=6.0)
        named = [n for n in ours.columns if n in result.dtype.names]
        assert {"x", "v", "friction"} <= set(named)
        at = result["time"]
        assert at[-1] == 6.0
        expected = ours(at)
        assert np.abs(np.array([result["x"], result["v"]]) - expected[:2]).max() < 1e-9, law


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


def test_a_step_ends_early_at_an_event_where_the_importer_allows_it(tmp_path):
    instance = Instance(exported(shaw(), tmp_path, 3), tmp_path, earlyReturnAllowed=True)
    times, t = [], 0.0
    while t < 40.0:
        _, _, early, t = instance.step(t, 40.0 - t)
        if early:
            times.append(t)
    events = ss.solve(shaw(), t_end=40.0).events["t"]
    assert np.abs(np.array(times) - events).max() < 1e-12
    instance.end()


@pytest.mark.parametrize("early", [False, True])
def test_the_importer_is_told_of_every_event_and_may_look_and_stop(early, tmp_path):
    """The intermediate update of FMI 3.0: at each event, with all variables as they are there."""
    path, seen = exported(shaw(), tmp_path, 3), []

    def update(_, time, set_requested, get_allowed, finished, may_return, asked, when):
        assert get_allowed and finished and not set_requested and may_return == early
        assert abs(time - instance.get("time")[0]) == 0.0
        seen.append((time, *instance.get("x", "v")))
        # It asks for an early return at every second event.
        asked[0] = early and len(seen) % 2 == 0
        when[0] = time

    instance = Instance(path, tmp_path, intermediateUpdate=update, earlyReturnAllowed=early)
    t, returns = 0.0, 0
    while t < 40.0:
        _, _, stopped, t = instance.step(t, 40.0 - t)
        returns += stopped
    instance.end()
    ours = ss.solve(shaw(), t_end=40.0)
    time, x, v = np.array(seen).T
    assert np.abs(time - ours.events["t"]).max() < 1e-12
    assert np.abs(x - ours.events["x"]).max() < 1e-10 and np.abs(v - ours.events["v"]).max() < 1e-10
    assert returns == (len(seen) // 2 if early else 0)


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


@BOTH
def test_a_mass_between_walls_takes_a_force_and_moving_walls(fmi, tmp_path):
    model = ss.Impact(mass=1, restitution=0.6, wall=0, force=-9.81, x0=0.4)
    times = np.arange(0.0, 5.05, 0.05)
    force, wall = 3.0 * np.sin(2.0 * times), 0.02 * np.sin(7.0 * times)
    whole = model.replace(force=ss.constant(-9.81) + ss.sampled(times, force), wall=ss.sampled(times, wall))
    ours = ss.solve(whole, t_end=5.0)
    path = exported(model, tmp_path, fmi, 5.0)
    assert not validate_fmu(path)
    instance, seen = Instance(path, tmp_path), set()
    for k, t in enumerate(times[:-1]):
        for name, values in (("force", force), ("wall", wall)):
            instance.set(name, values[k])
            instance.set(f"{name}_rate", (values[k + 1] - values[k]) / 0.05)
        instance.step(t, 0.05)
        # On a wall with corners the velocity has two values there; the displacement has one.
        x = instance.get("x")[0]
        assert abs(x - ours(times[k + 1])[0]) < 1e-10
        # Its phase says whether it lies on the wall, which it does in the end.
        on_wall = instance.count("phase_wall") == 0
        assert not on_wall or abs(x - wall[k + 1]) < 1e-12
        seen.add(on_wall)
    assert seen == {True, False} and on_wall
    lost = ours.energy.viscous + ours.energy.impacts
    assert abs(instance.get("energy_lost")[0] - lost) < 1e-10
    # A wall that jumps over the mass cannot be; the instance says so and lives on.
    instance.set("wall", 100.0)
    with pytest.raises(Exception):
        instance.step(5.0, 0.05)
    instance.end()


@BOTH
def test_stepping_schemes_say_what_they_lose(fmi, tmp_path):
    """To the order of the scheme; of a network and of a cascade."""
    steps = ss.load({**cascade().to_dict(), "run": {"end": 20.0, "scheme": "implicit-euler", "step": 1e-3}})
    for i, (model, exact) in enumerate(
        [(network(scheme="implicit-euler", step=1e-3), network()), (steps, cascade())]
    ):
        result = run(exported(model, tmp_path, fmi, 20.0, f"s{i}"), stop_time=20.0, output_interval=1.0)
        lost = ss.solve(exact, t_end=20.0).energy.friction
        assert abs(result["energy_lost"][-1] - lost) < 0.05 * lost
        assert (np.diff(result["energy_lost"]) >= 0.0).all()


@BOTH
def test_a_network_made_in_python_a_scheme_and_a_step(fmi, tmp_path):
    made = ss.Network(
        nodes=[ss.node("a", 1.0, x0=2.0), ss.node("b", 2.0)],
        springs=[ss.spring("a", "b", 3.0), ss.spring("b", "ground", 1.0)],
        sliders=[ss.slider("a", "ground", 0.4, 0.3, name="s")],
        forces={"b": ss.harmonic(1.0, 1.3)},
    )
    for name, options in (("chosen", {}), ("steps", {"scheme": "implicit-euler", "step": 1e-3})):
        path = tmp_path / f"{name}.fmu"
        ss.export_fmu(made, path, fmi=fmi, t_end=10.0, **options)
        assert not validate_fmu(str(path))
        result = run(str(path), stop_time=10.0, output_interval=0.5)
        ours = ss.solve(made, 10.0, **options)(result["time"])
        assert np.abs(np.array([result["x_a"], result["x_b"]]) - ours[:2]).max() < 1e-10


@BOTH
def test_a_sampled_drive_is_found_by_its_relative_path(fmi, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "d.csv").write_text("t,d\n0,0\n2,3\n10,-1\n")
    sampled = '[[oscillator.drive]]\nsampled = { file = "data/d.csv", time = "t", value = "d", time_unit = "s" }\n'
    text = "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb.force = 0.3\n" + sampled + "[run]\nend = 10.0\n"
    (tmp_path / "m.toml").write_text(text)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    ss.export_fmu("../m.toml", "m.fmu", fmi=fmi)
    result = run(str(tmp_path / "elsewhere" / "m.fmu"), stop_time=10.0, output_interval=0.5)
    assert np.abs(result["x"] - ss.solve("../m.toml")(result["time"])[0]).max() < 1e-10


SAMPLED = 'sampled = { file = "data/d.csv", time = "t", value = "d" }'
OSCILLATOR = "[oscillator]\nmass = 1.0\nstiffness = 2.0\ndamping = 0.1\n"
NODES = '[[network.node]]\nname = "p"\nmass = 0.0\n[[network.node]]\nname = "a"\nmass = 1.5\n'
NODES += '[[network.spring]]\nbetween = ["p", "a"]\nstiffness = 3.0\n[[network.slider]]\nname = "s"\n'
NODES += 'between = ["a", "ground"]\nstatic = 0.4\ndynamic = 0.3\n'
COULOMB = "friction.coulomb.force = 0.3\n"
IMPACT = "[impact]\nmass = 1.0\nrestitution = 0.7\nstiffness = 0.5\n"
# Each place of a sampled signal in a model, the column that is compared, and how it is named there.
PLACES = {
    "force": ("x", OSCILLATOR + COULOMB + "[[oscillator.force]]\n" + SAMPLED),
    "drive": ("x", OSCILLATOR + COULOMB + "[[oscillator.drive]]\n" + SAMPLED),
    "support": ("x", OSCILLATOR + COULOMB + "[[oscillator.support]]\n" + SAMPLED),
    "two signals": ("x", OSCILLATOR + COULOMB + f"[[oscillator.force]]\n{SAMPLED}\n[[oscillator.drive]]\n{SAMPLED}"),
    "and a sine": (
        "x",
        OSCILLATOR
        + COULOMB
        + f"[[oscillator.force]]\n{SAMPLED}\n[[oscillator.force]]\nharmonic = {{ amplitude = 1.0, angular_frequency = 1.3 }}",
    ),
    "scaled": ("x", OSCILLATOR + COULOMB + "[[oscillator.force]]\n" + SAMPLED.replace(" }", ", scale = -2.0, offset = 0.5 }")),
    "sorted": ("x", OSCILLATOR + COULOMB + "[[oscillator.force]]\n" + SAMPLED.replace(" }", ', time_unit = "s", sort = true }')),
    "normal": (
        "x",
        OSCILLATOR
        + "friction.coulomb.force = 0.2\n[[oscillator.normal]]\n"
        + SAMPLED.replace(" }", ", offset = 2.0 }")
        + "\n[[oscillator.force]]\nharmonic = { amplitude = 2.0, angular_frequency = 1.3 }",
    ),
    "network force": ("x_a", NODES + '[[network.motion]]\non = "p"\nramp.rate = 0.1\n[[network.force]]\non = "a"\n' + SAMPLED),
    "network motion": ("x_a", NODES + '[[network.motion]]\non = "p"\n' + SAMPLED),
    "network sum": ("x_a", NODES + f'[[network.motion]]\non = "p"\n{SAMPLED}\n[[network.motion]]\non = "p"\nramp.rate = 0.2'),
    "cascade": ("x", "[cascade]\nmass = 1.0\nstiffness = [3.0, 2.0]\nthreshold = [0.5]\n[[cascade.force]]\n" + SAMPLED),
    "impact": ("x", IMPACT + "wall = -0.5\n[[impact.force]]\n" + SAMPLED),
    "wall": ("x", IMPACT + "initial.displacement = 2.0\n[[impact.force]]\nconstant = -1.0\n[[impact.wall]]\n" + SAMPLED),
}


# An FMU takes seconds to write: all of them by night.
@pytest.mark.parametrize("place", PLACES if "STICKSLIP_NIGHTLY" in os.environ else ["network sum"])
def test_every_sampled_signal_is_found_by_its_relative_path(place, tmp_path, monkeypatch):
    """Neighbours of a drive in a file: from another folder, and the FMU needs no file any more."""
    column, text = PLACES[place]
    (tmp_path / "data").mkdir()
    times = np.array([0.0, 0.7, 2.0, 3.1, 6.0])
    table = tmp_path / "data" / "d.csv"
    table.write_text("t,d\n" + "".join(f"{t},{d}\n" for t, d in zip(times, [0.0, 1.5, -0.8, 1.0, -0.5], strict=True)))
    (tmp_path / "m.toml").write_text(text + "\n[run]\nend = 6.0\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    model = ss.load("../m.toml")
    path = ss.solve(model)
    model.to_toml("copy.toml")
    # By turns from the model and from its file.
    ss.export_fmu(model if list(PLACES).index(place) % 2 else "../m.toml", "m.fmu")
    again = ss.solve("copy.toml")
    table.unlink()
    with pytest.raises(ss.Error, match=r"d\.csv"):
        ss.solve("../m.toml")
    # The state of a network has its nodes first, of which p is the first.
    ours = {"x": 0, "x_a": 1}[column]
    result = run(str(tmp_path / "elsewhere" / "m.fmu"), stop_time=6.0, output_interval=0.25)
    assert np.abs(result[column] - path(result["time"])[ours]).max() < 1e-9
    inside = np.linspace(0.0, 6.0, 25)
    assert np.abs(again(inside)[ours] - path(inside)[ours]).max() < 1e-12
    assert np.ptp(path(inside)[ours]) > 0.05


@BOTH
def test_what_was_zero_is_a_parameter_too(fmi, tmp_path):
    still = shaw(x0=0.0)
    path = exported(still, tmp_path, fmi)
    names = {v.name for v in fmpy.read_model_description(path).modelVariables}
    changed = {"oscillator.initial.displacement": 6.0, "oscillator.initial.velocity": -0.5, "oscillator.damping": 0.1}
    assert changed.keys() <= names
    result = run(path, stop_time=20.0, output_interval=0.5, start_values=changed)
    ours = ss.solve(shaw(x0=6.0, v0=-0.5, damping=0.1), 20.0)
    assert np.abs(result["x"] - ours(result["time"])[0]).max() < 1e-10


@BOTH
def test_units_are_ascii(fmi, tmp_path):
    for i, model in enumerate([shaw(damping=0.1, friction=ss.cubic(1.0, 0.1, 0.2)), cascade(), network(), ball()]):
        scheme = {"scheme": "adaptive"} if i == 0 else {}
        path = tmp_path / f"u{i}.fmu"
        ss.export_fmu(model, path, fmi=fmi, t_end=5.0, **scheme)
        units = {v.name: v.unit for v in fmpy.read_model_description(str(path)).modelVariables if v.unit}
        assert all(unit.isascii() for unit in units.values())
        if i == 0:
            assert units["oscillator.damping"] == "N.s/m"


def test_only_our_own_library_is_taken(tmp_path):
    for name, content in (("text.so", b"no library"), ("elf.so", b"\x7fELF" + bytes(14) + b"\x3e\0" + bytes(2000))):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ss.InputError, match="this"):
            ss.export_fmu(shaw(), tmp_path / "x.fmu", t_end=1.0, libraries={"x86_64-linux": tmp_path / name})
    assert not (tmp_path / "x.fmu").exists()

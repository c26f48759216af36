"""Models, laws and signals: their texts, files and copies."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import stickslip as ss

LAWS = [
    ss.coulomb(1.0),
    ss.static_dynamic(1.2, 1.0),
    ss.stribeck(1.0, 0.5, 0.25, 2.0),
    ss.stribeck_exponential(1.2, 1.0, 0.1, 2.0, 0.05),
    ss.cubic(1.5, 1.5, 0.45),
    ss.ageing(1.0, 1.5, 2.0),
    ss.ageing(1.0, 1.5, 2.0, "logarithmic"),
    ss.ageing(1.0, 1.5, 2.0, "power", exponent=0.5),
    ss.ageing(kind="table", age=[0.0, 1.0, 5.0], limit=[1.0, 1.2, 1.3]),
    ss.table([0.0, 0.5, 1.0], [1.0, 0.8, 0.9]),
    ss.directional(ss.coulomb(1.0), ss.static_dynamic(2.0, 1.5)),
]
SIGNALS = [
    ss.constant(1.5),
    ss.ramp(0.5, -1.0),
    ss.step(2.0, 1.0, 0.5),
    ss.harmonic(0.7, 3.0, 0.1),
    ss.ramp(1.0) + ss.harmonic(0.5, 2.0) - 0.25,
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: next(iter(law.document)))
def test_laws_survive_their_text(law):
    model = ss.Oscillator(mass=1, stiffness=2, friction=law, drive=ss.ramp(1.0), x0=0.1)
    again = ss.load(model.to_toml())
    assert again == model and again.friction == law and again.to_toml() == model.to_toml()
    assert pickle.loads(pickle.dumps(law)) == law and eval(repr(law), vars(ss)) == law


@pytest.mark.parametrize("signal", SIGNALS, ids=repr)
def test_signals_survive_their_text(signal):
    model = ss.Oscillator(mass=1, stiffness=2, friction=ss.coulomb(1.0), force=signal)
    again = ss.load(model.to_toml())
    assert again.force == signal and pickle.loads(pickle.dumps(signal)) == signal
    assert eval(repr(signal), vars(ss)) == signal


@pytest.mark.parametrize("name", ["shaw", "ball", "cascade", "network", "noisy"])
def test_models_survive_texts_pickles_and_copies(name, request, tmp_path):
    model = request.getfixturevalue(name)
    assert ss.load(model.to_toml()) == model
    assert ss.load(model.to_dict()) == model
    assert pickle.loads(pickle.dumps(model)) == model
    assert copy.deepcopy(model) == model
    file = tmp_path / "model.toml"
    assert model.to_toml(file) == file.read_text()
    assert ss.load(file) == model and ss.load(str(file)) == model
    assert model.replace(title="A \"title\"\n") != model


def test_a_file_says_how_it_is_run(tmp_path, shaw):
    file = tmp_path / "m.toml"
    file.write_text(shaw.to_toml() + '\n[run]\nend = 40.0\nscheme = "euler"\nstep = 0.01\n')
    model = ss.load(file)
    assert ss.solve(model).scheme == "euler" and len(ss.solve(model).t) == 4001
    assert ss.solve(file, scheme="exact").events["t"] == pytest.approx(ss.solve(shaw, 40).events["t"])
    assert ss.solve(model, 10).t_end == 10.0 and "[run]" in model.to_toml()


def test_signals_add_up():
    a, b = ss.harmonic(1.0, 2.0), ss.ramp(3.0)
    assert (a + b).terms == a.terms + b.terms and sum([a, b]) == a + b
    assert 2 * a == ss.harmonic(2.0, 2.0) and a / 2 == ss.harmonic(0.5, 2.0) and -b == ss.ramp(-3.0, -0.0)
    assert (1 + a).terms == (("constant", 1.0), *a.terms)
    assert a - b == a + ss.ramp(-3.0, -0.0) and np.float64(2.0) * a == 2 * a and np.float64(1.0) + a == 1.0 + a
    for other in ("x", None, object(), [1.0]):
        with pytest.raises(TypeError):
            a + other


def test_samples_in_memory_are_the_same_as_in_a_file(tmp_path, shaw):
    t = np.linspace(0.0, 40.0, 401)
    d = 6.0 * np.cos(0.5 * t)
    model = shaw.replace(drive=ss.sampled(t, d) + ss.constant(0.0))
    with pytest.raises(ss.InputError, match="file="):
        model.to_toml()
    model.to_toml(tmp_path / "m.toml")
    again = ss.load(tmp_path / "m.toml")
    one, other = ss.solve(model, 40), ss.solve(again, 40)
    assert (one.t == other.t).all() and (one._table == other._table).all()
    assert pickle.loads(pickle.dumps(model)) == model
    csv = tmp_path / "m-samples-1.csv"
    by_name = shaw.replace(drive=ss.sampled("t", "x", file=csv))
    assert (ss.solve(by_name, 40).events == one.events).all()
    with pytest.raises(ss.InputError, match="40"):
        ss.solve(model, 41)


def test_samples_do_not_change_with_their_array():
    t, x = np.array([0.0, 1.0]), np.array([0.0, 2.0])
    signal = ss.sampled(t, x)
    x[1] = 99.0
    assert signal.terms[0][1].value.tolist() == [0.0, 2.0]
    with pytest.raises(ValueError):
        signal.terms[0][1].value[0] = 1.0


def test_dates_count_from_the_first():
    t = np.datetime64("2024-01-01") + np.arange(3) * np.timedelta64(10, "m")
    assert ss.sampled(t, [1.0, 2.0, 3.0]).terms[0][1].time.tolist() == [0.0, 600.0, 1200.0]
    pandas = pytest.importorskip("pandas")
    dates = pandas.date_range("2024-01-01", periods=3, freq="10min")
    assert ss.sampled(dates, [1.0, 2.0, 3.0]).terms[0][1].time.tolist() == [0.0, 600.0, 1200.0]


def test_nothing_changes_a_model(shaw):
    with pytest.raises(AttributeError):
        shaw.mass = 2.0
    with pytest.raises(ss.InputError, match="mass"):
        shaw.replace(mas=2.0)


def test_the_file_formats_of_other_kinds(tmp_path):
    corner = ss.load("[corner]\nangle = 2.0\n")
    assert isinstance(corner, ss.Corner) and corner.angle == 2.0
    assert ss.load(ss.Schatzman(bounces=5).to_toml()) == ss.Schatzman(bounces=5)
    soft = ss.Impact(mass=1, restitution=0.9, wall=0, penalty=ss.Penalty(lambda_=1e-4), x0=1.0)
    assert ss.load(soft.to_toml()) == soft
    stopped = ss.Oscillator(
        mass=1, stiffness=1, friction=ss.coulomb(0.1), stops=ss.Stops(lower=-1.0, restitution=0.5), x0=2.0
    )
    assert ss.load(stopped.to_toml()).stops == stopped.stops or ss.load(stopped.to_toml()) == stopped


def test_kinetic_is_dynamic():
    assert ss.static_dynamic(1.2, kinetic=1.0) == ss.static_dynamic(1.2, 1.0)
    exponential = ss.stribeck_exponential(static=1.2, kinetic=1.0, velocity=0.1)
    assert exponential == ss.stribeck_exponential(1.2, 1.0, 0.1)
    assert ss.ageing(kinetic=1.0, static=2.0, time=3.0) == ss.ageing(1.0, 2.0, 3.0)
    assert ss.slider("a", "ground", 1.2, kinetic=1.0) == ss.slider("a", "ground", 1.2, 1.0)
    with pytest.raises(ss.InputError, match="two names of one force"):
        ss.static_dynamic(static=1.2, dynamic=1.0, kinetic=1.0)


def test_a_normal_force_depends_on_the_displacement():
    # ẍ = −(1 + s x) from v: the mass stops at √(v²/s + 1/s²) − 1/s
    model = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(1.0), normal_slope=0.5, v0=2.0)
    path = ss.solve(model, t_end=5, scheme="adaptive", rtol=1e-12)
    assert path.events["x"][0] == pytest.approx(np.sqrt(12) - 2, abs=1e-10)
    again = ss.load(model.to_toml())
    assert again == model and again.normal_slope == 0.5
    assert "normal_slope" not in ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0)).to_toml()
    with pytest.raises(ss.SchemeError, match="depends on the displacement"):
        ss.solve(model, t_end=5, scheme="exact")


def test_a_machine_has_stops_gears_and_controllers() -> None:
    machine = ss.Network(
        rotation=True,
        nodes=[ss.node("motor", 0.02), ss.node("load", 4.0), ss.node("arm", 1.0, 0.1)],
        springs=[ss.spring("load", "arm", [30.0, 0.0, 2.0]), ss.spring("arm", "ground", sine=(9.0, 1.0))],
        sliders=[ss.slider("arm", "ground", friction=ss.stribeck_exponential(0.5, 0.3, 0.1))],
        stops=[ss.stop("arm", "ground", upper=0.5, stiffness=100.0, damping=1.0, name="buffer")],
        gears=[ss.gear("motor", "load", 20.0, force=0.15, coefficient=0.06, name="worm")],
        controllers=[
            ss.controller(("load", "ground"), "motor", reference=ss.harmonic(0.2, 1.0), proportional=20.0, derivative=3.0, filter=0.05)
        ],
    )
    table = machine.to_dict()["network"]
    assert table["node"][0] == {"name": "motor", "inertia": 0.02} and table["gear"][0]["ratio"] == 20.0
    # What is read back from its own dictionary, and from its text, is the same model.
    again = ss.load(machine.to_dict())
    assert again.to_dict() == machine.to_dict()
    path = ss.solve(machine, t_end=2.0)
    assert path.columns[:2] == ("x_motor", "v_motor") and "force_worm" in path.columns and "gap_buffer" in path.columns
    x = path["x_motor"] - 20.0 * path["x_load"]
    assert np.abs(x).max() < 1e-12


def test_what_turns_has_units_of_an_axis() -> None:
    turning = ss.Oscillator(mass=2.0, stiffness=3.0, friction=ss.coulomb(1.0), force=ss.harmonic(4.0, 1.0), rotation=True)
    assert turning.to_dict()["oscillator"]["inertia"] == 2.0 and ss.load(turning.to_dict()).rotation
    along = turning.replace(rotation=False)
    assert np.array_equal(ss.solve(turning, t_end=9.0).x, ss.solve(along, t_end=9.0).x)
    with pytest.raises(ss.InputError, match="kg·m²"):
        turning.replace(mass=-1.0)
    with pytest.raises(ss.InputError, match="rotation"):
        turning.replace(rotation=1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: ss.stop("a", "ground", upper="far"), "upper"),
        (lambda: ss.gear("a", "b", "2"), "ratio"),
        (lambda: ss.controller("a", "a", proportional=1.0, feed_forward=3.0), "feed_forward"),
        (lambda: ss.spring("a", "b"), "one of `stiffness`"),
        (lambda: ss.Network(nodes=[ss.node("a", 1.0)], stops=[3]), "stop"),
    ],
)
def test_what_is_wrong_with_a_part_is_said(wrong: object, said: str) -> None:
    with pytest.raises(ss.InputError, match=said):
        wrong()  # type: ignore[operator]


def test_a_spring_with_play_leaves_its_mass_alone_within_it() -> None:
    # From 0.5 the mass swings by 0.4 m about the end of the play, crosses it at 0.4 m/s, and swings as far beyond the other end.
    loose = ss.spring("a", "ground", 1.0, play=(-0.1, 0.1))
    path = ss.solve(ss.Network(nodes=[ss.node("a", 1.0, x0=0.5)], springs=[loose]), 8.0)
    for t, x in ((np.pi / 2, 0.1), (np.pi / 2 + 0.25, 0.0), (np.pi + 0.5, -0.5), (2 * np.pi + 1.0, 0.5)):
        assert path(t)[0] == pytest.approx(x, abs=1e-8)


def test_a_spring_by_a_table_is_one_by_its_slope() -> None:
    table = ss.spring("a", "ground", table=([-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0]))
    path = ss.solve(ss.Network(nodes=[ss.node("a", 1.0, x0=0.5)], springs=[table]), 3.0)
    t = np.linspace(0.0, 3.0, 50)
    assert path(t)[0] == pytest.approx(0.5 * np.cos(np.sqrt(2.0) * t), abs=1e-8)


def test_a_slider_is_pressed_by_a_spring(tmp_path) -> None:
    # A spring of 100 N/m, held at 0.1 m, presses with 10 N: a coefficient of 0.5 stops 1 kg at 2 m/s after 0.4 s and 0.4 m.
    model = ss.Network(
        nodes=[ss.node("shoe", 1.0, x0=0.1), ss.node("a", 1.0, v0=2.0)],
        springs=[ss.spring("shoe", "ground", 100.0, name="press")],
        motions={"shoe": 0.1},
        sliders=[ss.slider("a", "ground", friction=ss.coulomb(0.5), normal_from={"spring": "press"})],
    )
    path = ss.solve(model, 1.0)
    stick = path.events[path.events["event"] == "stick"]
    assert stick["t"][0] == pytest.approx(0.4, abs=1e-9)
    assert path["x_a"][-1] == pytest.approx(0.4, abs=1e-9)
    assert pickle.loads(pickle.dumps(model)) == model
    (tmp_path / "pressed.toml").write_text(model.to_toml(), encoding="utf-8")
    assert ss.solve(ss.load(tmp_path / "pressed.toml"), 1.0)["x_a"][-1] == path["x_a"][-1]


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("one of `stiffness`, `sine` and `table`", lambda: ss.spring("a", "b", 1.0, table=([0, 1], [0, 1]))),
        (r"`play\[1\]` is", lambda: ss.spring("a", "b", 1.0, play=(0.0, "x"))),  # type: ignore[arg-type]
        ("`play` is", lambda: ss.spring("a", "b", 1.0, play=3)),  # type: ignore[arg-type]
        ("`normal_from` is", lambda: ss.slider("a", "b", 1.0, normal_from="press")),  # type: ignore[arg-type]
    ],
)
def test_wrong_parts_of_networks_are_told(said, call) -> None:
    with pytest.raises(ss.InputError, match=said):
        call()

"""Laws with memory: the numbers of closed forms, and the way through files and back."""

import copy
import functools
import math

import numpy as np
import pytest

import stickslip as ss


def test_dahl_along_a_given_way_is_its_closed_form():
    damper = ss.Element(friction=ss.dahl(1.0, 150.0), displacement=ss.ramp(0.01))
    path = ss.solve(damper, t_end=3)
    assert np.allclose(path.x, 0.01 * path.t, rtol=0, atol=1e-16)
    assert np.allclose(-path.friction, 1.0 - np.exp(-1.5 * path.t), rtol=0, atol=1e-15)
    assert np.allclose(path.z, -path.friction / 150.0, rtol=0, atol=1e-17)
    # It slips from where its bristle yields nine tenths of the motion.
    (slip,) = path.events
    assert (slip["event"], slip["t"]) == ("slip", pytest.approx(math.log(10.0) / 1.5, abs=1e-14))


@pytest.mark.parametrize(
    "law",
    [
        ss.dahl(1.0, 150.0, 2.0),
        ss.lugre(1.5, 1.0, 0.05, stiffness=1e4, damping=100.0, viscous=0.4),
        ss.elasto_plastic(1.3, 1.0, 0.5, stiffness=1000.0, breakaway=6e-4, damping=30.0, viscous=0.4),
        ss.bouc_wen(2.0, 0.2, beta=0.6, gamma=0.2, exponent=2.0),
        ss.maxwell_slip(1.5, 1.0, 0.05, stiffness=[1e4, 3e3], weight=[0.6, 0.4], attraction=50.0, viscous=0.4),
    ],
)
def test_models_with_memory_come_back_from_their_text(law):
    one = "weight" not in str(law)
    o = ss.Oscillator(mass=1.0, stiffness=25.0, friction=law, drive=ss.ramp(0.2), z0=0.0 if one else None)
    again = ss.load(o.to_toml())
    assert again == o
    path = ss.solve(again, t_end=1)
    assert math.isfinite(path.x[-1])


def test_elements_in_parallel_yield_one_after_the_other():
    # Shares 0.6 and 0.4 of 1 N on 1000 and 200 N/m yield after 0.6 mm and 2 mm.
    law = ss.maxwell_slip(1.0, stiffness=[1000.0, 200.0], weight=[0.6, 0.4])
    path = ss.solve(ss.Element(friction=law, displacement=ss.ramp(1e-3)), t_end=3)
    yields = [e["t"] for e in path.events if e["event"] == "yield"]
    assert yields == pytest.approx([0.6, 2.0], abs=1e-12)
    assert -path.friction[-1] == pytest.approx(1.0, abs=1e-12)


def test_friction_of_rocks_needs_a_normal_force_and_has_an_age():
    law = ss.rate_and_state(0.6, 0.008, 0.012, distance=1e-5, speed=1e-6)
    path = ss.solve(ss.Element(friction=law, displacement=ss.ramp(1e-6), normal=5e6), t_end=100)
    # A steady slide at the speed of reference: θ = D/V, μ = the coefficient.
    assert path.z[-1] == pytest.approx(10.0, rel=1e-9)
    assert -path.friction[-1] == pytest.approx(0.6 * 5e6, rel=1e-7)
    with pytest.raises(ss.InputError, match="normal"):
        ss.Element(friction=law, displacement=ss.ramp(1e-6))


def test_orbits_and_sweeps_over_records_of_a_mass_on_a_plane(tmp_path):
    turning = {"force_x": ss.harmonic(2.0, 1.2), "force_y": ss.harmonic(2.0, 1.2, -math.pi / 2)}
    disc = ss.Planar(mass=1, stiffness=[4.0, 4.0], friction=ss.coulomb(0.5), **turning)
    orbit = ss.orbit(disc)
    assert orbit.stable and orbit.amplitude == pytest.approx(math.sqrt(3.75) / 2.56, abs=1e-9)
    assert math.hypot(orbit["x"][7], orbit["y"][7]) == pytest.approx(orbit.amplitude, abs=1e-9)
    for name, a in (("a", 3.0), ("b", 1.5)):
        (tmp_path / f"{name}.csv").write_text(f"t,a\n0,{a}\n1,{a}\n")
    (tmp_path / "m.toml").write_text(
        "[planar]\nmass = 1.0\nfriction.coulomb.force = 1.0\n"
        "[[planar.base_x]]\nsampled = { file = 'a.csv', time = 't', value = 'a' }\n[run]\nend = 1.0\n"
    )
    records = [tmp_path / "a.csv", tmp_path / "b.csv"]
    swept = ss.sweep(ss.load(tmp_path / "m.toml"), {"planar.base_scale": [1.0, 2.0]}, records=records)
    assert np.allclose(swept["peak"], [1.0, 0.25, 2.5, 1.0], atol=1e-9)


def test_sliders_of_networks_remember():
    law = ss.lugre(1.5, 1.0, 0.05, stiffness=1e3, damping=5.0, viscous=2.5)
    force = ss.harmonic(2.0, 3.0)
    one = ss.Oscillator(mass=1.0, stiffness=25.0, friction=law, force=force, z0=1e-4)
    net = ss.Network(
        nodes=[ss.node("a", 1.0)],
        springs=[ss.spring("a", "ground", 25.0)],
        sliders=[ss.slider("a", "ground", name="s", friction=law, z0=1e-4)],
        forces={"a": force},
    )
    again = ss.load(net.to_toml())
    assert again == net
    a = ss.solve(one, t_end=4, rtol=1e-10, atol=1e-13)
    b = ss.solve(again, t_end=4, rtol=1e-10, atol=1e-13)
    t = np.linspace(0.1, 4, 30)
    assert np.abs(a(t)[0] - b(t)[0]).max() < 1e-8
    assert a.z[-1] == pytest.approx(b["z_s"][-1], abs=1e-8)
    with pytest.raises(ss.InputError, match="either"):
        ss.slider("a", "ground")
    with pytest.raises(ss.InputError, match="leave it out"):
        ss.slider("a", "ground", friction=law, dynamic=1.0)


def test_a_slider_of_rate_and_state_in_a_network(tmp_path):
    law = ss.rate_and_state(0.6, 0.01, 0.015, distance=1e-4, speed=1e-3)
    one = ss.Oscillator(mass=1.0, stiffness=2000.0, friction=law, normal=10.0, drive=ss.ramp(1e-2), z0=0.1)
    net = ss.Network(
        nodes=[ss.node("block", 1.0)],
        springs=[ss.spring("block", "ground", 2000.0)],
        sliders=[ss.slider("block", "ground", name="fault", friction=law, normal=10.0, z0=0.1)],
        forces={"block": ss.ramp(20.0)},
    )
    (tmp_path / "fault.toml").write_text(net.to_toml())
    read = ss.load(tmp_path / "fault.toml")
    assert read == net and ss.load(net.to_dict()) == net
    a = ss.solve(one, t_end=2, rtol=1e-10, atol=1e-13)
    b = ss.solve(read, t_end=2, rtol=1e-10, atol=1e-13)
    assert np.allclose(a["t"], b["t"], rtol=0.0, atol=1e-9)
    for ours, theirs in (("x_block", "x"), ("v_block", "v"), ("friction_fault", "friction")):
        assert np.abs(b[ours] - a[theirs]).max() < 1e-7
    assert np.allclose(b["z_fault"], a["z"], rtol=1e-7, atol=0.0)
    # Until the block slides at 1 mm/s for the first time, after 0.3 s, its contact grows that much older than 0.1 s.
    assert b["z_fault"].min() < 0.02 and b["z_fault"].max() > 0.3 and list(b.events["event"][:2]) == ["slip", "stick"]
    assert set(b.events["where"]) == {"fault"}


def dahls_damper(noise=1e-2):
    """Two waves, and Dahl's bristle of 2 N and 0.5 mm along them."""
    t = np.arange(0.0, 20.0, 0.01)
    x = 5e-3 * np.sin(4.0 * t) + 2e-3 * np.sin(1.3 * t)
    z, f = 0.0, []
    for way in np.diff(x, prepend=x[0]):
        end = 5e-4 * np.sign(way)
        z = end + (z - end) * math.exp(-abs(way) / 5e-4)
        f.append(4e3 * z)
    return t, x, np.array(f) + np.random.default_rng(1).normal(0.0, noise, len(t))


def test_laws_with_memory_are_compared_in_memory():
    t, x, f = dahls_damper()
    fit = ss.hysteresis(t, x, f, laws=["dahl", "maxwell-slip"])
    assert [law["law"] for law in fit.laws] == ["dahl", "maxwell-slip"] and fit.laws[1]["worse"]
    low, high = fit.parameters["force"].ci95
    assert low < 2.0 < high and fit.parameters["stiffness"].value == pytest.approx(4e3, rel=0.02)
    assert fit.get_params()["force"] == fit.parameters["force"].value
    with pytest.raises(ss.InputError, match="leave them out"):
        ss.hysteresis(t, x, f, laws="all", elements=10)
    with pytest.raises(ss.InputError, match="dahls"):
        ss.hysteresis(t, x, f, laws=["dahls"])


@pytest.mark.parametrize("law", ["ageing", "slip"])
def test_a_velocity_step_of_rock(law):
    t = np.concatenate([np.arange(0.0, 60.0, 0.5), 60.0 + np.arange(0.0, 20.0, 0.05)])
    past = np.maximum(t - 60.0, 0.0)
    x = np.where(t < 60.0, 1e-6 * t, 60e-6 + 1e-5 * past)
    # Closed forms in a stiff machine, D_c = 10 µm: ln θ/θ₀ after a step by ten.
    aged = np.log(0.1 + 0.9 * np.exp(-past)) if law == "ageing" else np.log(10.0) * (np.exp(-past) - 1.0)
    mu = 0.6 + 0.010 * np.log(10.0) * (t > 60.0) + 0.012 * aged
    mu += np.random.default_rng(2).normal(0.0, 1e-4, len(t))
    fit = ss.rock_friction(t, x, mu, stiffness=1e7)
    assert fit.laws[0]["evolution"] == law and fit.told_apart
    assert fit.parameters["a_minus_b"].value == pytest.approx(-0.002, abs=1e-4)
    assert fit.parameters["distance"].value == pytest.approx(1e-5, rel=0.05)


def test_maxwell_slip_on_a_network_is_made_of_springs_and_sliders():
    law = ss.maxwell_slip(1.0, stiffness=[600.0, 300.0], weight=[0.6, 0.4])
    force = ss.harmonic(3.0, 4.0)
    one = ss.Oscillator(mass=1.0, stiffness=25.0, damping=0.5, friction=law, force=force)
    net = ss.Network(
        nodes=[ss.node("a", 1.0), ss.node("b", 0.0), ss.node("c", 0.0)],
        springs=[ss.spring("a", "ground", 25.0), ss.spring("a", "b", 600.0), ss.spring("a", "c", 300.0)],
        dashpots=[ss.dashpot("a", "ground", 0.5)],
        sliders=[
            ss.slider("b", "ground", name="first", static=0.6, dynamic=0.6),
            ss.slider("c", "ground", name="second", static=0.4, dynamic=0.4),
        ],
        forces={"a": force},
    )
    a = ss.solve(one, t_end=6, rtol=1e-11, atol=1e-13)
    b = ss.solve(net, t_end=6)
    t = np.linspace(0.0, 6.0, 61)
    assert np.abs(a(t)[0] - b(t)[b.columns.index("x_a")]).max() < 1e-10


LAWS = {
    "dahl": ss.dahl(1.0, 150.0, 1.5),
    "lugre": ss.lugre(1.2, 1.0, 0.05, stiffness=1e3, damping=2.0, viscous=0.5),
    "elastic": ss.elasto_plastic(1.2, 1.0, 0.05, stiffness=1e3, damping=2.0, viscous=0.5, breakaway=0.7e-3),
    "bouc": ss.bouc_wen(1e3, 0.1, beta=5e4, gamma=3e4, exponent=1.7),
    "maxwell": ss.maxwell_slip(1.2, 1.0, 0.05, stiffness=[600.0, 300.0], weight=[0.6, 0.4], attraction=50.0, viscous=0.5),
    "rate": ss.rate_and_state(0.5, 0.01, 0.015, distance=1e-4, speed=1e-3),
}


@pytest.mark.filterwarnings("ignore:the numbers of the friction law")
@pytest.mark.parametrize("law", LAWS)
def test_derivatives_of_motions_with_memory_are_those_of_other_values(law):
    more = {"normal": ss.constant(2.0), "drive": ss.ramp(0.2), "v0": 0.2} if law == "rate" else {"force": ss.harmonic(3.0, 4.0)}
    model = ss.Oscillator(mass=1.0, stiffness=25.0, damping=0.5, friction=LAWS[law], **more)
    ((name, numbers),) = LAWS[law].document.items()
    inner = [f"oscillator.friction.{name}.{k}" for k, v in numbers.items() if isinstance(v, float)]
    keys = ["oscillator.mass", "oscillator.stiffness", *inner]
    tomllib = pytest.importorskip("tomllib")
    t = np.array([0.7, 2.0])
    rates = ss.sensitivity(model, keys, 2.0, t=t)
    assert all(worth < 1e-5 for worth in rates.worth.values())
    document = tomllib.loads(model.to_toml())

    def end(key, share):
        changed = copy.deepcopy(document)
        *tables, last = key.split(".")
        functools.reduce(dict.__getitem__, tables, changed)[last] *= 1.0 + share
        return ss.solve(ss.load(changed), t_end=2.0, rtol=1e-13, atol=1e-15)(t)[0]

    for column, value in zip(rates.x.T, rates.values, strict=True):
        key = keys.pop(0)
        # A difference of order four.
        far, near = (end(key, h) - end(key, -h) for h in (2e-4, 1e-4))
        expected = (8.0 * near - far) / (12e-4 * value)
        assert column == pytest.approx(expected, rel=1e-6, abs=1e-6 * np.abs(expected).max()), key


def test_derivatives_of_a_block_that_dahl_slows_down_are_their_integrals():
    scipy = pytest.importorskip("scipy.integrate")
    # v(x) follows from the work W(x) of the bristle, and t = ∫ dx/v: at a given time dx/dp = v ∫ (∂v/∂p)/v² dx.
    mass, start, force, stiffness = 2.0, 0.3, 1.0, 150.0
    model = ss.Oscillator(mass=mass, stiffness=0, friction=ss.dahl(force, stiffness), v0=start)
    at = 0.4
    reached = float(ss.solve(model, t_end=1.0, rtol=1e-13, atol=1e-15)([at])[0][0])
    bend = force / stiffness

    def work(x):
        return force * (x - bend * (1.0 - np.exp(-x / bend)))

    def speed(x):
        return np.sqrt(start**2 - 2.0 / mass * work(x))

    time = scipy.quad(lambda x: 1.0 / speed(x), 0.0, reached, epsabs=1e-14, epsrel=1e-13)[0]
    assert time == pytest.approx(at, abs=1e-11)
    # ∂(v²)/∂p.
    slopes = {
        "oscillator.mass": lambda x: 2.0 / mass**2 * work(x),
        "oscillator.initial.velocity": lambda x: 2.0 * start,
        "oscillator.friction.dahl.force": lambda x: -2.0 / mass * (x - 2.0 * bend * (1.0 - np.exp(-x / bend)) + x * np.exp(-x / bend)),
        "oscillator.friction.dahl.stiffness": lambda x: -2.0 / mass * (bend**2 * (1.0 - np.exp(-x / bend)) - bend * x * np.exp(-x / bend)),
    }
    rates = ss.sensitivity(model, list(slopes), 1.0, t=[at])
    for found, slope in zip(rates.x[0], slopes.values(), strict=True):
        integral = scipy.quad(lambda x, s=slope: s(x) / (2.0 * speed(x) ** 3), 0.0, reached, epsabs=1e-15, epsrel=1e-12)[0]
        assert found == pytest.approx(speed(reached) * integral, rel=1e-8)


def test_derivatives_of_a_network_whose_slider_remembers_are_those_of_the_oscillator_that_it_is():
    law = LAWS["lugre"]
    force = ss.harmonic(3.0, 4.0)
    one = ss.Oscillator(mass=1.0, stiffness=25.0, friction=law, force=force)
    net = ss.Network(
        nodes=[ss.node("a", 1.0)],
        springs=[ss.spring("a", "ground", 25.0)],
        sliders=[ss.slider("a", "ground", name="s", friction=law)],
        forces={"a": force},
    )
    t = np.array([0.7, 2.0])
    a = ss.sensitivity(one, ["oscillator.mass", "oscillator.friction.lugre.stiffness"], 2.0, t=t)
    b = ss.sensitivity(net, ["network.node.0.mass", "network.slider.0.friction.lugre.stiffness"], 2.0, t=t)
    assert b.x.reshape(2, 2) == pytest.approx(a.x, rel=1e-6)


def test_findings_of_a_law_are_known_when_the_model_is_made():
    def law(viscous):
        return ss.lugre(1.5, 1.0, 0.05, stiffness=1e4, damping=100.0, viscous=viscous)

    def models(friction):
        node = [ss.node("a", 1.0)]
        yield ss.Oscillator(mass=1, stiffness=25, friction=friction)
        yield ss.Element(friction=friction, displacement=ss.ramp(1e-3))
        yield ss.Network(nodes=node, sliders=[ss.slider("a", "ground", name="s", friction=friction)])

    for model in models(law(49.9)):
        assert "viscous ≥ damping·(static − dynamic)/dynamic does not hold (49.9 < 50 N·s/m)" in model.warnings[0]
        assert ss.load(model.to_toml()).warnings == model.warnings
        with pytest.warns(ss.StickslipWarning, match="let it give out energy"):
            ss.solve(model, t_end=0.01)
    for model in models(law(50.0)):
        assert model.warnings == ()
    with pytest.raises(ss.InputError, match="expected ≥ 0"):
        ss.lugre(1.0, 1.0, stiffness=1e4, damping=-1e-9)
    with pytest.raises(ss.InputError, match="beta"):
        ss.bouc_wen(1e3, beta=0.5, gamma=-0.5)
    with pytest.raises(ss.InputError, match="weight"):
        ss.maxwell_slip(1.0, stiffness=[1.0, 1.0], weight=[1.0, 0.0])


def test_both_components_of_an_isolator_with_the_load_in_a_column():
    t = np.arange(0.0, 20.0, 0.01)
    vx, vy = 0.1 * np.cos(t), 0.1 * np.cos(2 * t)
    v = np.hypot(vx, vy)
    load = 1e6 * (1 + 0.1 * np.sin(3 * t))
    friction = load * (0.10 - 0.05 * np.exp(-30 * v)) / v
    frame = {"t": t, "x": 0.1 * np.sin(t), "y": 0.05 * np.sin(2 * t), "N": load}
    frame |= {"fx": 5e5 * frame["x"] + friction * vx, "fy": 5e5 * frame["y"] + friction * vy}
    fit = ss.isolator("t", "x", "y", "fx", "fy", load="N", data=frame)
    for name, truth in (("fast", 0.10), ("slow", 0.05), ("rate", 30.0), ("stiffness", 5e5)):
        assert fit.parameters[name].value == pytest.approx(truth, rel=0.02)

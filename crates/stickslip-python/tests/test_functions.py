"""Laws and signals as functions of Python."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
import stickslip as ss


def square(t):
    return t * t


def sine(t):
    return math.sin(t)


def rubber(s):
    return 2.0 / (1.0 + s)


def slope(lo, hi):
    return -2.0 / (1.0 + lo) ** 2, -2.0 / (1.0 + hi) ** 2


def block(**changes):
    return ss.Oscillator(**{"mass": 1, "stiffness": 0, "friction": ss.coulomb(1.0), **changes})


def test_a_function_of_time_slips_when_it_exceeds_the_limit():
    # v̇ = t² − 1 from t = 1 on.
    model = block(force=ss.function(square, bounds=(6.0, 2.0, 0.0)))
    path = ss.solve(model, 3.0, "adaptive")
    assert path.events["t"] == pytest.approx([1.0], abs=1e-9)
    assert path(2.0)[1] == pytest.approx(4.0 / 3.0, rel=1e-7)


def test_it_is_the_harmonic_that_it_is():
    own = block(stiffness=1.0, friction=ss.coulomb(0.2), force=ss.function(sine, bounds=(1.0, 1.0, 1.0)))
    known = own.replace(force=ss.harmonic(1.0, 1.0, -math.pi / 2))
    one, other = ss.solve(own, 10.0, "adaptive"), ss.solve(known, 10.0, "adaptive")
    assert one.events["event"].tolist() == other.events["event"].tolist()
    assert one.events["t"] == pytest.approx(other.events["t"], abs=1e-6)
    one, other = (ss.solve(m, 10.0, "euler", step=0.01) for m in (own, known))
    assert one.x == pytest.approx(other.x, abs=1e-12)


def test_functions_add_up_and_scale():
    signal = 2.0 * ss.function(sine, bounds=(1.0, 1.0, 1.0)) + 0.1
    known = ss.harmonic(2.0, 1.0, -math.pi / 2) + 0.1
    a, b = (ss.solve(block(stiffness=1.0, force=s), 6.0, "euler", step=0.01) for s in (signal, known))
    assert a.x == pytest.approx(b.x, abs=1e-12)


def test_a_law_of_ones_own_is_the_law_that_it_is():
    own = block(stiffness=1.0, friction=ss.law_of(rubber, slope, limit=3.0), drive=ss.ramp(0.1))
    path = ss.solve(own, 31.0, "adaptive")
    assert path.events["t"][0] == pytest.approx(30.0, abs=1e-9)
    constant = block(stiffness=1.0, friction=ss.law_of(lambda s: 0.5, (0.0, 0.0)), x0=5.2)
    known = constant.replace(friction=ss.coulomb(0.5))
    assert ss.solve(constant, 20.0, "adaptive").events["t"] == pytest.approx(
        ss.solve(known, 20.0, "adaptive").events["t"], abs=1e-7
    )


def worn(s):
    return 1.0 - 2.0 * min(s, 0.2)


def test_a_law_that_names_its_kinks_is_the_table_that_it_is():
    # The table is linear between its points, as the function is.
    known = block(stiffness=1.0, friction=ss.table([0.0, 0.2], [1.0, 0.6]), force=ss.harmonic(1.5, 0.7), x0=0.3)
    own = known.replace(friction=ss.law_of(worn, (-2.0, 0.0), kinks=[0.2]))
    one, other = (ss.solve(m, 30.0, "adaptive", rtol=1e-10) for m in (own, known))
    assert one.events["event"].tolist() == other.events["event"].tolist()
    assert one.events["t"] == pytest.approx(other.events["t"], abs=1e-7)
    assert pickle.loads(pickle.dumps(own)) == own != own.replace(friction=ss.law_of(worn, (-2.0, 0.0)))


def test_closed_forms_refuse_them():
    with pytest.raises(ss.Error):
        ss.solve(block(force=ss.function(square, bounds=(6.0, 2.0, 0.0))), 3.0, "exact")
    with pytest.raises(ss.Error):
        ss.solve(block(stiffness=1.0, friction=ss.law_of(rubber, slope)), 3.0, "exact")


def test_what_they_raise_is_raised():
    class Mine(Exception):
        pass

    def bad(t):
        if t > 1.0:
            raise Mine("at last")
        return 2.0

    for f, error in ((bad, Mine), (lambda t: "x", TypeError), (lambda t: math.nan, ValueError), (lambda: 1.0, TypeError)):
        with pytest.raises(error):
            ss.solve(block(force=ss.function(f, bounds=(10.0, 1.0, 1.0))), 3.0, "adaptive")
    with pytest.raises(Mine):
        ss.solve(block(friction=ss.law_of(lambda s: bad(2.0), (0.0, 0.0))), 3.0, "adaptive")


def test_models_with_functions_have_no_text_but_can_be_pickled():
    model = block(force=ss.function(square, bounds=(6.0, 2.0, 0.0)), friction=ss.law_of(rubber, slope))
    with pytest.raises(ss.InputError, match="no text"):
        model.to_toml()
    copy = pickle.loads(pickle.dumps(model))
    assert copy == model
    assert (ss.solve(copy, 2.0, "euler", step=0.01).x == ss.solve(model, 2.0, "euler", step=0.01).x).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda: ss.function(3, (1, 1, 1)),
        lambda: ss.function(square, (1, 1)),
        lambda: ss.function(square, 3),
        lambda: ss.law_of(3, (0, 0)),
        lambda: ss.law_of(rubber, 3),
        lambda: ss.law_of(rubber, ("a", 1)),
        lambda: ss.law_of(rubber, slope, kinks=[0.0]),
        lambda: ss.law_of(rubber, slope, kinks=[1.0, 0.5]),
        lambda: ss.law_of(rubber, slope, kinks=0.5),
        lambda: block(friction=ss.law_of(lambda s: -1.0, (0.0, 0.0))),
        lambda: block(force=ss.function(square, (1.0, 1.0, 1.0), breakpoints=[2.0, 1.0])),
        lambda: block(force=ss.function(square, (np.nan, 1.0, 1.0))),
    ],
)
def test_what_is_wrong(call):
    with pytest.raises(ss.InputError):
        call()


def pendulum(x, v, t):
    return -9.81 * math.sin(x)


def test_a_restoring_force_of_ones_own_loses_what_friction_takes():
    # From turn to turn g (cos θ₁ − cos θ₀) = f |θ₁ − θ₀| of a pendulum of 1 kg on 1 m, until friction holds it.
    friction = 0.6
    model = block(friction=ss.coulomb(friction), load=pendulum, x0=2.0)
    path = ss.solve(model, 30.0)
    assert path.scheme == "adaptive"
    turns = [2.0, *path.events["x"].tolist()]
    assert len(turns) > 10
    for before, after in zip(turns, turns[1:]):
        assert 9.81 * (math.cos(after) - math.cos(before)) == pytest.approx(friction * abs(after - before), abs=1e-8)
        assert before * after < 0.0
    assert abs(9.81 * math.sin(path.x[-1])) <= friction and path.v[-1] == 0.0


def test_a_restoring_force_of_ones_own_is_the_spring_that_it_is():
    shaken = {"friction": ss.coulomb(0.3), "drive": ss.harmonic(1.0, 1.5), "damping": 0.1, "x0": 1.0}
    known = block(stiffness=4.0, **shaken)
    # The spring's far end moves in the known one.
    own = block(stiffness=0.0, load=lambda x, v, t: 4.0 * (math.cos(1.5 * t) - x), **shaken)
    one, other = (ss.solve(m, 10.0, "adaptive") for m in (own, known))
    assert one.events["event"].tolist() == other.events["event"].tolist()
    assert one.events["t"] == pytest.approx(other.events["t"], abs=1e-8)
    one, other = (ss.solve(m, 10.0, "euler", step=0.01) for m in (own, known))
    assert one.x == pytest.approx(other.x, abs=1e-12)
    many = ss.solve_many(own, {"oscillator.mass": [1.0, 2.0]}, t_end=10.0, final=True)
    heavy = ss.solve(own.replace(mass=2.0), 10.0)
    assert many.x.tolist() == [ss.solve(own, 10.0).x[-1], heavy.x[-1]]


def test_a_restoring_force_that_fails_says_so():
    def failing(x, v, t):
        raise KeyError("no such force")

    with pytest.raises(KeyError, match="no such force"):
        ss.solve(block(load=failing, v0=1.0), 1.0)
    with pytest.raises(ValueError, match="returned NaN for"):
        ss.solve(block(load=lambda x, v, t: math.nan, v0=1.0), 1.0)
    with pytest.raises(ss.InputError, match="`load` is 3.*expected a function of displacement, velocity and time"):
        block(load=3)
    with pytest.raises(ss.InputError, match="load"):
        block(friction=ss.dahl(1.0, 100.0), load=pendulum)


def test_a_model_with_a_restoring_force_of_ones_own_has_no_text(tmp_path):
    model = block(load=pendulum, x0=1.0)
    assert pickle.loads(pickle.dumps(model)) == model and model != block(x0=1.0) and model != model.replace(load=sine)
    with pytest.raises(ss.InputError, match="has no text"):
        model.to_toml()
    with pytest.raises(ss.InputError, match="function"):
        ss.export_fmu(model, tmp_path / "a.fmu", t_end=1.0)
    (tmp_path / "m.toml").write_text('[oscillator]\nmass=1.0\nstiffness=0.0\nfriction.coulomb.force=1.0\nload.given.name="python"\n[run]\nend=1.0\n')
    with pytest.raises(ss.InputError, match="there is no force `python` here"):
        ss.solve(ss.load(tmp_path / "m.toml"))

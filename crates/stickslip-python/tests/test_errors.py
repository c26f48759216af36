"""What is wrong is said in words of Python: the argument, what was found, what was expected."""

from __future__ import annotations

import numpy as np
import pytest
import stickslip as ss


def oscillator(**changes):
    return ss.Oscillator(**{"mass": 1, "stiffness": 1, "friction": ss.coulomb(1.0), **changes})


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: ss.Oscillator(mas=1), "did you mean `mass`"),
        (lambda: oscillator(dampng=1), "did you mean `damping`"),
        (lambda: ss.solve(oscillator(), 4, schem="euler"), "did you mean `scheme`"),
        (lambda: ss.harmonic(1, angular_freqency=2), "did you mean `angular_frequency`"),
        (lambda: ss.static_dynamic(1, dynamc=2), "did you mean `dynamic`"),
        (lambda: ss.Stops(lowr=1), "did you mean `lower`"),
    ],
)
def test_keywords(call, message):
    with pytest.raises(ss.KeywordError, match=message) as e:
        call()
    assert isinstance(e.value, (ss.InputError, TypeError)) and e.value.help


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: oscillator(mass=-1), "`mass` is -1.0; expected a finite number > 0, in kg"),
        (lambda: oscillator(mass=np.nan), "`mass` is NaN|`mass` is nan"),
        (lambda: oscillator(mass="1"), "`mass` is '1'"),
        (lambda: oscillator(mass=None), "`mass` is None"),
        (lambda: oscillator(mass=True), "`mass` is True"),
        (lambda: oscillator(mass=1j), "`mass` is 1j"),
        (lambda: oscillator(mass=10**400), "`mass` is too large"),
        (lambda: oscillator(mass=[1]), "`mass`"),
        (lambda: oscillator(stiffness=[[1.0]]), "`stiffness` has the shape"),
        (lambda: oscillator(stiffness=["a"]), "`stiffness`"),
        (lambda: oscillator(friction=1.0), "`friction` is 1.0"),
        (lambda: oscillator(drive="x"), "`drive` is 'x'"),
        (lambda: oscillator(drive=lambda t: t), "wrap a function"),
        (lambda: oscillator(drive=ss.harmonic(1, -2)), "`angular_frequency` of harmonic"),
        (lambda: oscillator(drive=ss.white(1.0)), "white"),
        (lambda: oscillator(stops=3), "`stops` is 3"),
        (lambda: oscillator(stops=ss.Stops(lower=1.0, upper=0.0, restitution=0.5)), "`lower` of `stops`"),
        (lambda: oscillator(friction=ss.static_dynamic(1.0, 1.2)), "`dynamic` of static_dynamic"),
        (lambda: oscillator(x0=np.inf), "`x0`"),
        (lambda: oscillator(v0=np.nan), "`v0`"),
        (lambda: oscillator(title=3), "`title` is 3"),
        (lambda: oscillator(title="\ud800"), "Unicode"),
        (lambda: ss.solve(oscillator()), "`t_end` is missing"),
        (lambda: ss.solve(oscillator(), -1), "`t_end` is -1.0"),
        (lambda: ss.solve(oscillator(), "4"), "`t_end` is '4'"),
        (lambda: ss.solve(oscillator(), 4, "exat"), "did you mean `exact`"),
        (lambda: ss.solve(oscillator(), 4, "euler"), "`step` is missing"),
        (lambda: ss.solve(oscillator(), 4, "euler", step=1e-9), "`step` is 1e-9 s: that makes 4.000e9 steps"),
        (lambda: ss.solve(oscillator(), 4, seed=-1), "`seed` is -1"),
        (lambda: ss.solve(oscillator(), 4, seed=1.5), "`seed` is 1.5"),
        (lambda: ss.solve(3, 4), "`model` is 3"),
        (lambda: ss.Impact(mass=1, restitution=2, wall=0), "`restitution` is 2.0"),
        (lambda: ss.Impact(mass=1, restitution=0.5), "`wall`"),
        (lambda: ss.Cascade(mass=1, stiffness=[1, 2], threshold=[1, 2, 3]), "stiffness"),
        (lambda: ss.Network(nodes=[ss.node("a", -1.0)]), r"`mass` of `nodes\[0\]`"),
        (lambda: ss.Network(nodes=[ss.node("a", 1.0)], sliders=[ss.slider("a", "b", 1.0)]), "no node `b`"),
        (lambda: ss.Network(nodes=["a"]), "`nodes`"),
        (lambda: ss.Network(nodes=[ss.node("a", 1.0)], forces=[1]), "`forces`"),
        (lambda: ss.load("no such file.toml"), "no such file.toml"),
        (lambda: ss.load({}), "holds no model"),
        (lambda: ss.load({"oscillator": {"mass": 1}}), "`stiffness` is missing|`friction` is missing"),
        (lambda: ss.load({"oscillator": {"mas": 1}}), "did you mean `mass`"),
        (lambda: ss.load(3), "`source` is 3"),
        (lambda: ss.sampled([0, 1], [1]), "`time` holds 2 numbers and `value` 1"),
        (lambda: ss.sampled([0, 0], [1, 2]), r"`time\[1\]`"),
        (lambda: ss.sampled([0, 1], [1, np.nan]), r"`value\[1\]` is nan"),
        (lambda: ss.sampled("t", "x"), "file="),
        (lambda: ss.step("a", 1), "`time` is 'a'"),
        (lambda: ss.stribeck(1.0), "`d`"),
    ],
)
def test_arguments(call, message):
    with pytest.raises(ss.InputError, match=message) as e:
        call()
    text = str(e.value)
    assert isinstance(e.value, ValueError) and "oscillator." not in text and "--" not in text
    assert "[run]" not in text and "<arguments>" not in text


KEY = "oscillator.drive.0.harmonic.angular_frequency"
END = "`t_end` is -1.0; expected a finite number > 0, in s\nchange `t_end` to a finite number > 0, in s"


@pytest.mark.parametrize(
    "call, said",
    [
        # The advice names the argument too, not the key of a model file.
        (lambda m: ss.solve(m, -1.0), END),
        (lambda m: ss.cursor(m, -1.0), END),
        (lambda m: ss.ensemble(m, t_end=-1.0, paths=3), END),
        (lambda m: ss.sensitivity(m, ["oscillator.mass"], -1.0), END),
        (lambda m: ss.export_fmu(m, "no.fmu", t_end=-1.0), END),
        (lambda m: ss.solve_many(m, {"oscillator.mass": [1.0]}, t_end=-1.0, final=True), END),
        (lambda m: m.replace(x0=np.nan), "change `x0` to a finite number, in m"),
        (lambda m: ss.Network(nodes=[ss.node("a", 1.0, v0=np.nan)]), "change `v0` to a finite number"),
        (lambda m: ss.Cascade(mass=1, stiffness=[1, -2], threshold=[1, 2]), "`stiffness[1]` is -2.0"),
        # SciPy's names where the call is SciPy's.
        (lambda m: ss.solve_ivp(m, (0, -1.0)), "change `t_span[1]` to"),
        (lambda m: ss.solve_ivp(m, (0, 4), method="euler"), "pass max_step=0.01"),
        (lambda m: ss.solve_ivp(m, (0, 4), [0.0, np.nan]), "`y0[1]` is nan"),
        # Nobody has seen the file of which an FMU is made.
        (lambda m: ss.export_fmu(m, "no.fmu", t_end=4, scheme="euler"), "`step` is missing; the scheme `euler`"),
        (lambda m: ss.export_fmu(m.replace(force=ss.white(1.0)), "no.fmu", t_end=4), "`step` is missing; the path"),
        # Laws and functions are named as they are called here.
        (lambda m: ss.static_dynamic(1, 2), "use coulomb(…) with one force"),
        (lambda m: ss.static_dynamic(1, 2), "use velocity_strengthening(slow, fast, rate)"),
        (lambda m: ss.hunt(m, t_end=10), "`stickslip.orbit` finds"),
        # What was meant is an argument where arguments are given …
        (lambda m: m.replace(**{"oscillator.stifness": 2}), "did you mean `stiffness`?"),
        (lambda m: m.replace(**{"oscillator.initial.displacement": 2}), "did you mean `x0`?"),
        (lambda m: m.replace(displacement=2), "did you mean `x0`?"),
        (lambda m: m.replace(**{"oscillator.friction.coulomb.force": 2}), "did you mean `friction`?"),
        # … and a key where keys are.
        (lambda m: ss.sensitivity(m, ["oscillator.mas"], 4), "did you mean `oscillator.mass`?"),
        (lambda m: ss.sweep(m, {"oscillator.mas": [1, 2]}, t_end=4), "did you mean `oscillator.mass`?"),
        (lambda m: ss.response(m, KEY[:-1], (1, 2)), f"did you mean `{KEY}`?"),
        (lambda m: ss.response(m, KEY, (-1, 2)), f"`{KEY}` is -1; expected a finite number ≥ 0, in rad/s\nchange `{KEY}`"),
        (lambda m: ss.solve_many(m, {"oscillator.mas": [1.0]}, t_end=4, final=True), "did you mean `oscillator.mass`?"),
        (lambda m: ss.solve_many(m, {"oscillator.mass": [-1.0]}, t_end=4, final=True), "change `oscillator.mass` to"),
    ],
)
def test_messages_use_the_names_of_the_call(call, said):
    with pytest.raises(ss.InputError) as e:
        call(oscillator(drive=ss.harmonic(1.0, 1.3)))
    text = str(e.value)
    assert said in text and "change `end`" not in text and ".toml" not in text and "values given" not in text


def test_a_file_is_wrong_at_a_line(tmp_path):
    file = tmp_path / "m.toml"
    file.write_text("[oscillator]\nmass = 1.0\nstifness = 3.0\n")
    with pytest.raises(ss.InputError, match=r"m\.toml:3:1: unknown key `oscillator\.stifness`; did you mean"):
        ss.load(file)
    file.write_text("this is = = no TOML")
    with pytest.raises(ss.InputError, match=r"m\.toml:1"):
        ss.load(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ss.InputError, match="UTF-8"):
        ss.load(file)
    with pytest.raises(ss.InputError, match="directory"):
        ss.load(tmp_path)


def test_what_cannot_be_solved(shaw, ball):
    weak = shaw.replace(friction=ss.stribeck(1.0, 0.0, 0.0, 1.0))
    with pytest.raises(ss.UnsolvableError):
        ss.solve(weak, 4.0, "exact")
    with pytest.raises(ss.Error):
        ss.solve(ball, 4.0, "euler", step=0.1)
    assert issubclass(ss.SchemeError, ss.UnsolvableError) and issubclass(ss.UnsolvableError, ss.Error)


def test_many_wrong_values_give_clear_errors_and_no_panic():
    wrong = [None, "x", b"x", 1j, [], {}, object(), np.nan, np.inf, -np.inf, -1.0, 10**400, [[1]], np.zeros((2, 2)), lambda: 0]
    for value in wrong:
        for name in ("mass", "stiffness", "damping", "friction", "drive", "normal", "stops", "x0", "bearing_stiffness"):
            try:
                ss.solve(oscillator(**{name: value}), 1.0)
            except ss.Error as e:
                assert str(e)
        for name in ("t_end", "scheme", "step", "rtol", "atol", "seed"):
            try:
                ss.solve(oscillator(), **{"t_end": 1.0, name: value})
            except ss.Error as e:
                assert str(e)


def test_no_private_name_is_suggested():
    path = ss.solve(oscillator(), 4)
    with pytest.raises(AttributeError) as seen:
        path.at  # noqa: B018
    assert "has no `at`" in str(seen.value) and "`_" not in str(seen.value)

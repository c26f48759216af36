"""A model whose numbers are of usual size is not looked at by the library until it is solved; then nothing is wrong with it."""

from __future__ import annotations

import math

import stickslip as ss
from hypothesis import example, given, settings
from hypothesis import strategies as st

NUMBERS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(-2.0, 2.0),
    st.sampled_from([0.0, -0.0, 1e15, 1.1e15, -1e15, 1e-15, 1e-16, 5e-324, 1e308, -1.0]),
)


def made(call):
    try:
        return call(), None
    except ss.InputError as e:
        return None, str(e)


@settings(max_examples=400, deadline=None)
@given(*[NUMBERS] * 10)
@example(1e-15, 1e15, 1e15, 1e15, 1e15, 1e15, 1e15, 1e15, 1e15, 1e15)
@example(1.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
@example(1e-15, 0.0, 1e15, 1e15, 0.0, 1e15, 1e15, 1e15, -1e15, -1e15)
def test_what_is_taken_for_sound_is_sound(m, k, c, c2, fs, fd, a, w, x, v):
    law, _ = made(lambda: ss.static_dynamic(fs, fd))
    signal, _ = made(lambda: sum(5 * [ss.harmonic(a, w, x)]))
    if law is None or signal is None:
        return
    arguments = dict(mass=m, stiffness=k, damping=c, quadratic_damping=c2, x0=x, v0=v)
    model, _ = made(lambda: ss.Oscillator(friction=law, drive=signal, force=ss.ramp(a, x), support=ss.constant(v), **arguments))
    if model is not None and model._is_sound():
        model._checked.check()


@settings(max_examples=200, deadline=None)
@given(*[NUMBERS] * 6)
def test_whatever_is_not_is_refused_by_the_library(m, k, c, f, x, v):
    law, said = made(lambda: ss.coulomb(f))
    assert (law is None) == (not (math.isfinite(f) and f >= 0.0)), said
    if law is None:
        return
    model, said = made(lambda: ss.Oscillator(mass=m, stiffness=k, damping=c, friction=law, x0=x, v0=v))
    wrong = not (all(map(math.isfinite, (m, k, c, x, v))) and m > 0.0 and k >= 0.0 and c >= 0.0)
    assert (model is None) if wrong else (model is not None or "less than 1e140" in said), said


def test_laws_and_signals_are_checked_when_they_are_made():
    assert ss.static_dynamic(1.2, 1.0).is_sound and ss.harmonic(1.0, 2.0).is_sound
    assert not ss.Law({"coulomb": {"force": -1.0}}).is_sound
    _, said = made(lambda: ss.Oscillator(mass=1, stiffness=1, friction=ss.Law({"coulomb": {"force": -1.0}})))
    assert "`force` of coulomb(…)" in said
    _, said = made(lambda: ss.static_dynamic(1.0, 2.0))
    assert said is not None
    _, said = made(lambda: ss.harmonic(1.0, -2.0))
    assert "angular_frequency" in said
    # A sum of too many is looked at, and so is what was changed.
    assert not sum(20 * [ss.constant(1.0)]).is_sound and not (2 * ss.constant(1.0)).is_sound

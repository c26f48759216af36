"""What holds for every model."""

from __future__ import annotations

import numpy as np
import stickslip as ss
from hypothesis import example, given, settings
from hypothesis import strategies as st

positive = st.floats(0.1, 10.0)
any_number = st.floats(-5.0, 5.0)
signals = st.one_of(
    st.builds(ss.harmonic, any_number, st.floats(0.1, 5.0), any_number),
    st.builds(ss.ramp, st.floats(-0.5, 0.5), any_number),
    st.builds(ss.step, st.floats(0.1, 4.0), any_number, any_number),
    st.builds(ss.constant, any_number),
)
sums = st.lists(signals, min_size=1, max_size=3).map(sum)
laws = st.one_of(
    st.builds(ss.coulomb, positive),
    st.tuples(positive, st.floats(0.0, 1.0)).map(lambda p: ss.static_dynamic(p[0], p[0] * p[1])),
)
oscillators = st.builds(
    ss.Oscillator,
    mass=positive,
    stiffness=positive,
    damping=st.floats(0.0, 1.0),
    friction=laws,
    drive=sums,
    force=sums,
    x0=any_number,
    v0=any_number,
)


@settings(max_examples=60, deadline=None)
@given(oscillators)
@example(
    ss.Oscillator(mass=1.375, stiffness=0.125, damping=1.0, friction=ss.coulomb(8.0), force=ss.harmonic(0.5, 1.0), v0=0.125)
)
@example(ss.Oscillator(mass=1.0, stiffness=9.0, friction=ss.coulomb(1.0), x0=5.0))
def test_friction_never_gives_energy_and_the_balance_closes(model):
    try:
        path = ss.solve(model, 5.0)
    except ss.UnsolvableError:
        return
    assert path.energy.friction >= -1e-12 * (1.0 + path.energy.gross_work)
    data = path.sample(201)
    # Rounding of forces and displacements of the order of 1 N and 1 m; of what is stored; and of an arc, which is known about the
    # point at which the spring would balance the friction: under 8 N on a spring of 0.125 N/m that point is 64 m away.
    away = np.abs(data["friction"]).max() ** 2 / model.stiffness
    stored = (0.5 * (model.mass * data["v"] ** 2 + model.stiffness * data["x"] ** 2)).max()
    rounding = 1e-13 + 4 * np.finfo(float).eps * (away + stored)
    assert abs(path.energy.defect) < 1e-10 * path.energy.gross_work + rounding
    slips = data["phase"] != "stick"
    assert (data["friction"][slips] * data["v"][slips] <= 1e-9).all()
    assert (np.diff(path.t) >= 0.0).all() and path.t[0] == 0.0 and path.t[-1] == 5.0


@settings(max_examples=60, deadline=None)
@given(oscillators, st.text(max_size=20))
def test_every_text_is_read_as_the_model_that_it_is(model, title):
    try:
        model = model.replace(title=title)
    except ss.InputError:
        return
    again = ss.load(model.to_toml())
    assert again == model
    assert (ss.solve(again, 1.0).t == ss.solve(model, 1.0).t).all()


@settings(max_examples=30, deadline=None)
@given(oscillators, st.lists(st.floats(0.0, 3.0), max_size=20))
def test_the_motion_does_not_depend_on_the_order_of_times(model, times):
    try:
        path = ss.solve(model, 3.0)
    except ss.UnsolvableError:
        return
    one_by_one = np.array([path(t) for t in times]).reshape(len(times), 2).T
    assert (path(times) == one_by_one).all()

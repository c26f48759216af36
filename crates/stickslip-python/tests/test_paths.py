"""Paths: arrays, the motion anywhere, events, frames, figures, pickles."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import stickslip as ss


def test_arrays_are_views_and_stay_the_same(shaw):
    path = ss.solve(shaw, 40.0)
    assert path.x is not None and path.t is path.t
    assert np.shares_memory(path.x, path.v.base if path.v.base is not None else path.v)
    assert np.shares_memory(path.x, path["x"]) and not path.x.flags.owndata
    assert path.t.shape == path.x.shape == path.v.shape == path.friction.shape == path.phase.shape


def test_ten_million_numbers_come_without_a_copy(shaw):
    path = ss.solve(shaw, 100.0, "euler", step=2e-5)
    assert path.t.size + path._table.size > 10**7
    assert np.shares_memory(path.x, path._table) and np.shares_memory(path["friction"], path._table)


def test_the_motion_is_the_same_at_nodes_and_anywhere(shaw):
    path = ss.solve(shaw, 40.0)
    assert path(path.t).tolist() == [path.x.tolist(), path.v.tolist()]
    assert path(3.0).shape == (2,) and path([]).shape == (2, 0)
    ts = np.random.default_rng(1).uniform(0.0, 40.0, 200)
    order = np.argsort(ts)
    assert (path(ts)[:, order] == path(ts[order])).all()
    assert (path(np.float32(2.0)) == path(2.0)).all()


@pytest.mark.parametrize("ts", [-1.0, 40.1, [1.0, np.nan], np.inf, "now", [[1.0, 2.0]], None, object()])
def test_times_outside_are_refused(shaw, ts):
    with pytest.raises(ss.InputError, match="ts"):
        ss.solve(shaw, 40.0)(ts)


def test_phases_hold_where_the_velocity_says(shaw):
    path = ss.solve(shaw, 40.0)
    data = path.sample(4001)
    assert (data["v"][data["phase"] == "stick"] == 0.0).all()
    assert (data["v"][data["phase"] == "slip+"] > -1e-12).all()
    assert (data["v"][data["phase"] == "slip-"] < 1e-12).all()
    stretches = path.phases()
    assert stretches[0][1] == 0.0 and stretches[-1][2] == 40.0
    assert [b for _, _, b in stretches[:-1]] == [a for _, a, _ in stretches[1:]]


def test_friction_stays_within_its_limits(shaw):
    data = ss.solve(shaw, 40.0).sample(2001)
    sticks = data["phase"] == "stick"
    assert (np.abs(data["friction"][sticks]) <= 1.2 + 1e-12).all()
    assert np.abs(data["friction"][~sticks]) == pytest.approx(1.0)
    # The force of the support on the mass is against the motion.
    assert (data["friction"][~sticks] * data["v"][~sticks] <= 1e-12).all()


def test_events_are_a_structured_array(shaw, ball):
    events = ss.solve(shaw, 40.0).events
    assert events.dtype.names == ("event", "t", "where", "x", "v")
    assert len(events) == 10 and (np.diff(events["t"]) > 0.0).all()
    assert "impulse" in ss.solve(ball, 1.0).events.dtype.names
    assert len(ss.solve(shaw, 0.5).events) == 0


def test_networks_have_a_row_for_each_node(network):
    path = ss.solve(network, 10.0, "exact")
    assert path.columns == ("x_a", "v_a", "x_b", "v_b", "friction_s1")
    assert path.x.shape == path.v.shape == (2, len(path.t))
    assert (path.x[1] == path["x_b"]).all() and np.shares_memory(path.x, path["x_b"])
    assert path.friction.shape == path.phase.shape == (1, len(path.t))
    assert path([1.0, 2.0, 3.0]).shape == (4, 3)
    assert path.places == ("s1",) and path.phases("s1") == path.phases(0)


MACHINE = """
[network]
rotation = true
[[network.node]]
name = "a"
inertia = 1.0
[[network.node]]
name = "b"
inertia = 2.0
[[network.gear]]
name = "worm"
between = ["a", "b"]
ratio = 3.0
friction = { force = 0.1, coefficient = 0.05 }
[[network.spring]]
between = ["b", "ground"]
stiffness = 4.0
[[network.slider]]
name = "brake"
between = ["b", "ground"]
static = 0.2
dynamic = 0.1
[[network.stop]]
name = "left"
between = ["a", "ground"]
lower = -0.3
restitution = 0.5
[[network.stop]]
name = "right"
between = ["b", "ground"]
upper = 0.2
restitution = 0.5
[[network.force]]
on = "a"
harmonic = { amplitude = 2.0, angular_frequency = 1.5 }
"""


def test_machines_have_a_row_for_each_body_and_each_friction():
    path = ss.solve(ss.load(MACHINE), 6.0)
    x, v = ("x_a", "x_b"), ("v_a", "v_b")
    assert path.x.shape == path.v.shape == (2, len(path.t))
    assert (path.x == [path[name] for name in x]).all() and (path.v == [path[name] for name in v]).all()
    frictions = [name for name in path.columns if name.startswith("friction_")]
    assert frictions == ["friction_brake", "friction_worm"]
    assert (path.friction == [path[name] for name in frictions]).all() and path.friction.any()
    assert not path.friction.flags.writeable
    # Stops and gears are places of events, and no sliders.
    assert path.places == ("brake", "left", "right", "worm") and path.phase.shape == (1, len(path.t))
    at = path([1.0, 2.5])
    assert (at == [path.sample([1.0, 2.5])[name] for name in x + v]).all()
    assert np.abs(path["gap_left"] - (path["x_a"] + 0.3)).max() < 1e-12


def test_a_bearing_adds_its_displacement(shaw):
    bearing = shaw.replace(bearing_stiffness=4.0)
    path = ss.solve(bearing, 40.0)
    d = 6.0 * np.cos(0.5 * path.t)
    assert path.z == pytest.approx(path.x + (d - path.x) / 4.0, abs=1e-12)
    assert path.columns[-1] == "z" and path.units["z"] == "m"


def test_columns_that_are_not_there(shaw, ball):
    path = ss.solve(shaw, 1.0)
    with pytest.raises(ss.InputError, match="friction"):
        path["fricton"]
    with pytest.raises(AttributeError, match="friction"):
        path.fricton
    with pytest.raises(AttributeError):
        ss.solve(ball, 1.0).phase
    with pytest.raises(ss.InputError, match="where"):
        ss.solve(ball, 1.0).phases("lowr")


@pytest.mark.parametrize("name", ["shaw", "ball", "cascade", "network"])
def test_a_pickled_path_is_the_same_path(name, request):
    model = request.getfixturevalue(name)
    path = ss.solve(model, 5.0, "exact")
    copy = pickle.loads(pickle.dumps(path))
    assert (copy.t == path.t).all() and (copy._table == path._table).all()
    assert (copy.events == path.events).all() and copy.energy == path.energy
    assert (copy([0.3, 1.7]) == path([0.3, 1.7])).all()
    assert repr(copy) == repr(path) and copy.model == path.model


def test_frames(shaw):
    pandas = pytest.importorskip("pandas")
    path = ss.solve(shaw, 40.0)
    frame = path.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["t", "x", "v", "friction", "phase"] and len(frame) == len(path.t)
    assert len(path.to_frame(101)) == 101 and path.to_frame([1.0, 2.0])["t"].tolist() == [1.0, 2.0]


def test_figures(shaw, network):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    path = ss.solve(shaw, 40.0)
    axes = path.plot(color="red")
    assert axes.get_xlabel() == "time (s)" and axes.lines[0].get_color() == "red"
    assert path.plot(axes, columns="v") is axes
    assert len(ss.solve(network, 5.0, "exact").plot().lines) == 2
    assert "<svg" in path._repr_html_() and "Path of oscillator" in path._repr_html_()
    matplotlib.pyplot.close("all")


def test_representations(shaw):
    path = ss.solve(shaw, 40.0)
    assert repr(path) == "<Path of oscillator by exact, 0 … 40 s: 3 × reversal, 4 × slip, 3 × stick>"
    assert "static_dynamic" in repr(shaw) and "<pre>" in shaw._repr_html_()


def test_warnings_are_told_in_words_of_python():
    # Free decay whose second stop stands exactly at the limit.
    model = ss.Oscillator(mass=1, stiffness=1, friction=ss.static_dynamic(7.5, 1.0), x0=11.5)
    path = ss.solve(model, 20.0)
    assert path.warnings and "--" not in " ".join(path.warnings) and "`stickslip" not in " ".join(path.warnings)


def test_scipys_look(shaw):
    sol = ss.solve_ivp(shaw, (0, 40), t_eval=[1.0, 2.0, 3.0])
    assert sol.t.tolist() == [1.0, 2.0, 3.0] and sol.y.shape == (2, 3)
    assert sol.success and sol.status == 0 and isinstance(sol.message, str)
    assert (sol.sol(2.0) == sol.y[:, 1]).all()
    assert sol.event_kinds == ("slip", "reversal", "stick")
    assert [len(t) for t in sol.t_events] == [4, 3, 3] and sol.y_events[0].shape == (4, 2)
    assert (ss.solve_ivp(shaw, (0, 40)).t == ss.solve(shaw, 40).t).all()
    assert ss.solve_ivp(shaw, (0, 4), method="euler", max_step=0.1).t.size == 41
    for span in ((1, 40), 40, (0, 1, 2), "ab"):
        with pytest.raises(ss.InputError):
            ss.solve_ivp(shaw, span)

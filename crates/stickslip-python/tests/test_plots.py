"""Figures on matplotlib's axes: words and units, what rests, and what is told apart without colours."""

import doctest
import itertools
import math

import numpy as np
import pytest
import stickslip as ss

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402
from matplotlib.colors import to_rgb  # noqa: E402
from stickslip import _plots  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture
def block():
    """ẍ + x = ∓½ from 2.25: it turns at π and sticks for good from 2π on."""
    return ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=2.25)


@pytest.fixture
def forced():
    return ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))


@pytest.fixture
def turning():
    return ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25), rotation=True)


def named(axes):
    return axes.get_xlabel(), axes.get_ylabel()


def entries(axes):
    legend = axes.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


FREQUENCY = "oscillator.force.0.harmonic.angular_frequency"


@pytest.mark.parametrize(
    ("draw", "labels"),
    [
        (lambda m: ss.solve(m, 9.0).plot(), ("time (s)", "displacement (m)")),
        (lambda m: ss.solve(m, 9.0).plot(columns=["x", "v"]), ("time (s)", "displacement, velocity (m, m/s)")),
        (lambda m: ss.solve(m, 9.0).plot(columns="friction"), ("time (s)", "friction (N)")),
        (lambda m: ss.orbit(m).plot(), ("displacement (m)", "velocity (m/s)")),
        (
            lambda m: ss.response(m, FREQUENCY, (1.25, 1.5), count=4).plot(column="stuck_fraction"),
            ("angular frequency of force 0 (rad/s)", "share of the period in stick"),
        ),
        (
            lambda m: ss.response(m, FREQUENCY, (1.25, 1.5), count=4).plot(column="dissipated"),
            ("angular frequency of force 0 (rad/s)", "lost to friction in a period (J)"),
        ),
        (
            lambda m: ss.basins(m, (-1, 1, 3), (-1, 1, 3)).plot(),
            ("displacement at the start (m)", "velocity at the start (m/s)"),
        ),
        (
            lambda m: ss.sweep(m, {"oscillator.stiffness": [1.0, 2.0]}, 9.0).plot(column="end_x"),
            ("stiffness (N/m)", "displacement at the end (m)"),
        ),
        (
            lambda m: ss.sweep(m, {"oscillator.stiffness": [1.0, 2.0], "oscillator.mass": [1.0, 2.0]}, 9.0).plot(),
            ("stiffness (N/m)", "mass (kg)"),
        ),
        (lambda m: ss.converge(m, 9.0, "euler", halvings=2).plot(), ("step h (s)", "error (m and m/s)")),
        (lambda m: ss.converge(m, 9.0, "adaptive").plot(), ("relative tolerance", "error (m and m/s)")),
    ],
)
def test_axes_have_words_and_units(forced, draw, labels):
    axes = draw(forced)
    assert named(axes) == labels
    assert "_" not in "".join(labels) and "." not in "".join(labels)


def test_the_bar_of_a_map_has_a_unit(forced):
    axes = ss.sweep(forced, {"oscillator.stiffness": [1.0, 2.0], "oscillator.mass": [1.0, 2.0]}, 9.0).plot()
    (bar,) = [a for a in axes.figure.axes if a is not axes]
    assert bar.get_ylabel() == "lost to dry friction (J)"


def test_what_turns_has_angles(turning):
    assert named(ss.solve(turning, 9.0).plot()) == ("time (s)", "angle (rad)")
    assert named(ss.orbit(turning).plot()) == ("angle (rad)", "angular velocity (rad/s)")
    swept = ss.sweep(turning, {"oscillator.force.0.harmonic.amplitude": [1.0, 2.0]}, 9.0)
    assert named(swept.plot(column="end_x")) == ("amplitude of torque 0 (N·m)", "angle at the end (rad)")
    assert swept.units()["oscillator.force.0.harmonic.amplitude"] == "N·m"
    assert named(ss.converge(turning, 9.0, "euler", halvings=2).plot())[1] == "error (rad and rad/s)"


def test_rest_is_shaded(block):
    axes = ss.solve(block, 10.0).plot()
    (rest,) = axes.patches
    start, end = rest.get_extents().transformed(axes.transData.inverted()).intervalx
    assert start == pytest.approx(2 * math.pi) and end == pytest.approx(10.0)
    assert entries(axes) == ["stick"]
    # Without a rest nothing is shaded, and there is no legend.
    moving = ss.solve(block, 3.0).plot()
    assert not moving.patches and entries(moving) == []


#: The block in a network, with a stop that it never meets.
STOPPED = """
[[network.node]]
name = "a"
mass = 1.0
displacement = 2.25
[[network.spring]]
between = ["a", "ground"]
stiffness = 1.0
[[network.slider]]
name = "floor"
between = ["a", "ground"]
static = 0.5
dynamic = 0.5
[[network.stop]]
name = "wall"
between = ["a", "ground"]
lower = -9.0
restitution = 0.5
"""


def test_stops_are_no_contacts_that_stick():
    axes = ss.solve(ss.load(STOPPED), 10.0).plot()
    (rest,) = axes.patches
    assert rest.get_extents().transformed(axes.transData.inverted()).intervalx == pytest.approx([2 * math.pi, 10.0])
    assert entries(axes) == ["stick"]
    # Without a slider nothing sticks, at a stop that holds the mass either.
    pressed = STOPPED.replace("lower = -9.0", "lower = 2.25")
    alone = pressed[: pressed.index("[[network.slider]]")] + pressed[pressed.index("[[network.stop]]") :]
    held = ss.solve(ss.load(alone), 10.0)
    assert held["x_a"][-1] == 2.25 and not held.plot().patches


def test_the_angle_of_a_slab_is_no_axis_that_it_turns_about():
    pads = [{"name": "west", "at": [-2.0, 0.0]}, {"name": "east", "at": [2.0, 0.0]}]
    slab = ss.Planar(mass=4, inertia=9, friction=ss.coulomb(3.0), isolator=pads, rotation=0.01)
    assert named(ss.solve(slab, 0.1, step=0.01).plot(columns="x")) == ("time (s)", "displacement along x (m)")
    assert not _plots.turns({"planar": {"rotation": 0.01}}) and _plots.turns({"network": {"rotation": True}})


def test_rest_is_where_all_contacts_stick():
    apart = [(0.0, 1.0), (2.0, 5.0)]
    assert _plots.in_common(apart, [(0.5, 3.0), (4.0, 6.0)]) == [(0.5, 1.0), (2.0, 3.0), (4.0, 5.0)]
    assert _plots.in_common(apart, [(1.0, 2.0)]) == [] and _plots.in_common([], apart) == []
    _, axes = pyplot.subplots()
    assert not _plots.rests(axes, [(k, k + 0.5) for k in range(401)], "stick")


def test_lines_are_told_apart_without_colours(block):
    path = ss.solve(block, 10.0)
    axes = path.plot(columns=["x", "v", "friction"])
    styles = [line.get_linestyle() for line in axes.lines]
    assert len(styles) == len(set(styles)) == 3
    assert entries(axes) == ["displacement", "velocity", "friction", "stick"]
    assert {line.get_linestyle() for line in path.plot(columns=["x", "v"], linestyle=":").lines} == {":"}


def test_an_ensemble_says_what_its_band_is(block):
    shaken = ss.Oscillator(mass=1, stiffness=0, friction=ss.coulomb(0.5), force=ss.white(1.0))
    axes = ss.ensemble(shaken, 2.0, step=0.1, paths=100, seed=1, rows=3).plot(of="v")
    assert named(axes) == ("time (s)", "velocity (m/s)") and entries(axes) == ["mean", "5 % to 95 %"]
    assert isinstance(axes.collections[0], PolyCollection)


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(a, b):
    """As the Web Content Accessibility Guidelines (2.2) define it."""
    low, high = sorted((luminance(a) + 0.05, luminance(b) + 0.05))
    return high / low


@pytest.mark.parametrize(("style", "least"), [("default", 1.25), ("dark_background", 1.2)])
def test_basins_are_classes(style, least):
    """Two orbits of Den Hartog's oscillator, whose colours differ in lightness; none is a shade of the other."""
    model = ss.Oscillator(
        mass=1, stiffness=1, damping=0.2, friction=ss.static_dynamic(1.1, 0.6), force=ss.harmonic(1.0, 1.0)
    )
    found = ss.basins(model, (-2, 2, 9), (-2, 2, 9))
    with pyplot.style.context(style):
        axes = found.plot()
        colours = [_plots.on(axes, both) for both in _plots.CLASSES]
        (mesh,) = axes.collections
        drawn = mesh.to_rgba(mesh.get_array().ravel().astype(int))
        for number, rgba in zip(found.grid.ravel().tolist(), drawn.tolist()):
            assert rgba[:3] == pytest.approx(to_rgb(colours[number - 1] if number else _plots.on(axes, _plots.NO_CLASS)))
        named_colours = [handle.get_facecolor()[:3] for handle in axes.get_legend().get_patches()]
        assert named_colours[: len(found.orbits)] == [to_rgb(colours[o["orbit"] - 1]) for o in found.orbits]
        assert all(text.startswith("to ") and text.endswith("%") for text in entries(axes))
    for a, b in itertools.pairwise(colours[:5]):
        assert contrast(a, b) > least


@pytest.mark.parametrize(("style", "dark"), [("default", False), ("dark_background", True)])
def test_marks_are_seen_on_both_grounds(block, style, dark):
    with pyplot.style.context(style):
        axes = ss.solve(block, 10.0).plot()
        assert _plots.is_dark(axes) is dark
        (dots,) = [line for line in axes.lines if line.get_marker() == "."]
        assert contrast(dots.get_color(), axes.get_facecolor()) > 4.5


def test_a_response_marks_its_bifurcations_and_shows_resonances():
    model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.4), force=ss.harmonic(1.0, 1.25))
    found = ss.response(model, FREQUENCY, (0.3, 1.5), count=20)
    axes = found.plot()
    kinds = {kind for _, kind in found.bifurcations}
    assert kinds and kinds <= set(entries(axes))
    # Without a damper the amplitude grows beyond all bounds at resonance, for friction takes less than the force gives.
    assert axes.get_yscale() == "log" and found.plot(column="period").get_yscale() == "linear"


def test_a_fit_is_a_thin_line_on_a_wide_one():
    hours = 3600.0 * np.arange(400)
    warm = 10 + 8 * np.sin(hours / 4e4)
    axes = ss.calibrate(hours, warm, 3e-4 * warm).plot()
    measured, fitted = axes.lines
    assert named(axes) == ("time (s)", "displacement (m)") and entries(axes) == ["measured", "fitted"]
    assert measured.get_linewidth() > 2 * fitted.get_linewidth() and measured.get_color() != fitted.get_color()


def test_two_motions_on_the_same_axes_name_rest_once(block):
    axes = ss.solve(block, 10.0).plot(label="first")
    ss.solve(block.replace(x0=2.5), 10.0).plot(axes, label="second")
    assert sorted(entries(axes)) == ["first", "second", "stick"]


def test_a_legend_covers_no_line(block):
    axes = ss.solve(block.replace(title="A block"), 10.0).plot(columns=["x", "friction"])
    figure = axes.get_figure()
    figure.canvas.draw()
    legend = axes.get_legend().get_window_extent()
    assert legend.y0 >= axes.get_window_extent().y1
    # The title stands above the legend, and inside the figure.
    title = axes.title.get_window_extent()
    assert title.y0 >= legend.y1 and title.y1 <= figure.bbox.y1


#: What the figure of a fit has along its axes, and in its legend.
DRAWN = {
    "pulled_slider": ("time (s)", "coefficient of friction", ["measured", "stick"]),
    "rigid_drive": ("time (s)", "force (N)", ["measured", "fitted"]),
    "hysteresis": ("displacement (m)", "force (N)", ["measured", "fitted"]),
    "isolator": ("displacement along x (m)", "force along x (N)", ["measured", "fitted"]),
    "rock_friction": ("time (s)", "coefficient of friction", ["measured", "fitted"]),
    "valve": ("lag of the process variable (s)", "correlation of output and process variable", []),
    "friction_curve": ("angular velocity (rad/s)", "torque (N·m)", ["measured", "fitted"]),
    "servo": ("time (s)", "angle (rad)", ["measured", "fitted", "stick"]),
}


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.filterwarnings("ignore::stickslip.RecordWarning")
def test_every_experiment_draws_its_record_and_its_fit(name):
    space = {}
    for example in doctest.DocTestParser().get_examples(getattr(ss, name).__doc__):
        exec(example.source, space)
    axes = space["fit"].plot()
    assert (*named(axes), entries(axes)) == DRAWN[name]
    assert all(np.isfinite(line.get_ydata()).any() for line in axes.get_lines())


def test_the_line_is_lifted_between_two_logs():
    space = {}
    for example in doctest.DocTestParser().get_examples(ss.joint.__doc__):
        exec(example.source, space)
    axes = space["fit"].plot()
    for line in axes.get_lines():
        t = line.get_xdata()
        assert (np.diff(t)[np.isfinite(np.diff(t))] > 0.0).all() and np.isnan(t).sum() == 2

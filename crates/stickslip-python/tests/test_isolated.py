"""A rigid slab on isolators: keys, columns and events in Python."""

import numpy as np
import pytest

import stickslip as ss


def slab(**more):
    pads = [{"name": "west", "at": [-2.0, 0.0]}, {"name": "east", "at": np.array([2.0, 0.0]), "friction": ss.coulomb(3.0)}]
    return ss.Planar(mass=4, inertia=9, friction=ss.coulomb(3.0), isolator=pads, **more)


def test_a_bar_turns_about_the_isolator_that_rests():
    # F at x = e: gives way at 2 f/(1 + e/a), then J_a w' = F (a + e) - 2 a f.
    force, a, e, f = 4.9, 2.0, 0.5, 3.0
    path = ss.solve(slab(force_y=force, moment=force * e), t_end=0.5, step=1e-3)
    assert list(path.columns[:6]) == ["x", "y", "theta", "vx", "vy", "vtheta"]
    assert path.places == ("west", "east")
    spin = (force * (a + e) - 2 * a * f) / (9 + 4 * a * a)
    assert path["vtheta"][-1] == pytest.approx(spin * 0.5, rel=1e-9)
    assert path.phase.shape == (2, len(path.t))
    assert set(path.phase[0]) == {"stick"} and path.phase[1, -1] == "slip"
    assert path.friction.shape == (4, len(path.t))
    assert path.friction[3, -1] == pytest.approx(-f)


def test_events_have_the_place_of_the_isolator():
    events = ss.solve(slab(spin=0.1), t_end=0.2, step=1e-4).events
    assert list(events["where"]) == ["west", "east"]
    assert events["t"] == pytest.approx(9 * 0.1 / 12, abs=2e-4)
    turned = 0.1**2 * 9 / 2 / 12
    assert events["y"] == pytest.approx([-2 * turned, 2 * turned], abs=2e-5)
    assert np.all(events["vy"] == 0)


def test_a_sweep_says_whose_displacement_is_the_greatest():
    pytest.importorskip("matplotlib")
    swept = ss.sweep(slab(force_y=4.9, moment=2.45), {"planar.mass": [4.0, 5.0]}, 0.5, step=1e-3)
    assert swept.plot(column="peak").get_ylabel() == "greatest displacement of an isolator (m)"


def test_it_is_written_and_read_again():
    floor = {"name": "roof", "mass": 1.0, "inertia": 2.0, "stiffness": [9.0, 8.0], "torsion": 5.0}
    model = slab(base_x=ss.harmonic(1.0, 2.0), floor=[floor], rotation=0.01)
    again = ss.load(model.to_toml())
    assert again.to_toml() == model.to_toml()
    path, other = (ss.solve(m, t_end=3.0, step=1e-2) for m in (model, again))
    assert np.array_equal(path["x_roof"], other["x_roof"]) and np.ptp(path["x_roof"]) > 0


def test_a_run_in_pieces():
    model = slab(spin=0.1)
    run = ss.cursor(model, t_end=0.2, step=1e-3)
    run.advance(0.05)
    assert run.phase == ["slip", "slip"]
    run.advance(0.1)
    assert run.phase == ["stick", "stick"] and len(run.x) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rim": {"radius": 1.0, "stiffness": 1.0}}, "a slab has no displacement limit"),
        ({"isolator": []}, "isolators that the slab stands on"),
        ({"normal": 10.0}, "its share of `normal`"),
        ({"isolator": [{"at": [0.0, 0.0], "share": 0.5}]}, "stands without `normal`"),
    ],
)
def test_what_is_wrong_is_told(change, said):
    arguments = {"mass": 4, "inertia": 9, "friction": ss.coulomb(3.0), "isolator": [{"at": [0.0, 0.0]}]}
    with pytest.raises(ss.InputError, match=said):
        ss.Planar(**{**arguments, **change})

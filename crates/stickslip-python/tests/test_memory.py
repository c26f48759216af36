"""Laws with memory: the numbers of closed forms, and the way through files and back."""

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
    ],
)
def test_models_with_memory_come_back_from_their_text(law):
    o = ss.Oscillator(mass=1.0, stiffness=25.0, friction=law, drive=ss.ramp(0.2), z0=0.0)
    again = ss.load(o.to_toml())
    assert again == o
    path = ss.solve(again, t_end=1)
    assert math.isfinite(path.x[-1])

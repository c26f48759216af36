"""What is compared must be set up rightly: the automata and models against closed forms.

`cargo xtask peers` runs this first: python -m unittest tests (in this folder).
"""

from __future__ import annotations

import math
import unittest

import numpy as np

import cases
from automaton import simulate
from peer_scipy import advance_with

ADVANCE = advance_with("DOP853", 1e-12, 0.1)


def events(rows, kind):
    return [r for r in rows if r[0] == kind]


class OneMass(unittest.TestCase):
    def test_a_sliding_block_stops_after_its_momentum_over_the_friction(self):
        rows = simulate(cases.load("free-slide"), ADVANCE)
        ((_, t, _, x, _),) = events(rows, "stick")
        self.assertAlmostEqual(t, 3.0 / 0.75, 10)
        self.assertAlmostEqual(x, -2.0 + 3.0**2 / (2 * 0.75), 10)

    def test_each_half_swing_loses_two_friction_forces_over_the_stiffness(self):
        rows = simulate(cases.load("free-decay"), ADVANCE)
        turns = events(rows, "reversal")
        for i, (_, t, _, x, _) in enumerate(turns):
            self.assertAlmostEqual(t, math.pi * (i + 1), 9)
            self.assertAlmostEqual(abs(x), 11.5 - 2 * (i + 1), 9)

    def test_a_pulled_slider_leaves_when_the_spring_has_the_breakaway_force(self):
        rows = simulate(cases.load("pulled-slider"), ADVANCE)
        self.assertAlmostEqual(events(rows, "slip")[0][1], 1.5 / (4.0 * 0.25), 9)

    def test_a_load_that_jumps_is_held_on_its_side(self):
        case = cases.load("load-steps")
        self.assertEqual([a for a, _ in case.pieces()], [0.0, 1.0, 4.5, 11.0, 19.0])
        case.hold(4.5)
        self.assertEqual(case.force(4.5 - 1e-9), 3.0 - 4.25)

    def test_a_law_has_its_formula(self):
        law = cases.load("belt").forward
        self.assertAlmostEqual(law.force(0.3), 0.5 + 0.5 / math.e + 0.02 * 0.3, 15)
        self.assertEqual(law.limit(7.0), 1.0)


class Others(unittest.TestCase):
    def test_bounces_keep_the_restitution_and_end_at_the_limit_of_the_series(self):
        rows = simulate(cases.load("bouncing-ball"), ADVANCE, 1e-7)
        first, second = events(rows, "impact")[:2]
        self.assertAlmostEqual(first[1], math.sqrt(2 / 9.81), 10)
        self.assertAlmostEqual(second[4] / first[4], 0.5, 9)
        self.assertAlmostEqual(events(rows, "rest")[0][1], 3 * math.sqrt(2 / 9.81), 6)

    def test_an_element_yields_where_its_spring_has_its_threshold(self):
        rows = simulate(cases.load("one-element"), ADVANCE)
        self.assertAlmostEqual(events(rows, "yield")[0][3], 1.0 / 4.0, 10)

    def test_equal_blocks_leave_together(self):
        rows = simulate(cases.load("equal-blocks"), ADVANCE)
        first = events(rows, "slip")[:4]
        self.assertEqual({r[2] for r in first}, {"s1", "s2", "s3", "s4"})
        # The plate pulls each by 2 N/m · 0.25 m/s; the limit is 1 N.
        for r in first:
            self.assertAlmostEqual(r[1], 2.0, 9)

    def test_a_network_is_symmetric_and_rests_on_moving_nodes(self):
        case = cases.load("three-blocks")
        np.testing.assert_array_equal(case.stiffness, case.stiffness.T)
        self.assertAlmostEqual(case.applied(2.0, np.zeros(3), np.zeros(3))[0], 0.05 * 2.0, 15)


if __name__ == "__main__":
    unittest.main()

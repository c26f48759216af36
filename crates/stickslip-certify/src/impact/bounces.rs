//! The end of infinitely many impacts.

use super::Walk;
use crate::ball::{Ball, up};
use stickslip::motion::Touching;

/// The sum of impacts is taken for what is shorter than this share of the time.
const SHORT: f64 = 1e-6;

impl Walk<'_> {
    /// Where the mass has just left the wall and will come to rest by infinitely many impacts within a moment: when, and by how much
    /// the load presses it all the time (N) and another wall is out of the way (m).
    ///
    /// With an acceleration towards the wall between α − δ and α + δ, a flight that begins with the speed u lasts between
    /// 2u/(α + δ) and 2u/(α − δ), and ends with a speed between u/ρ and u ρ, ρ² = (α + δ)/(α − δ).
    pub(super) fn bounces(&mut self, look: f64, end: f64) -> Option<(Ball, Vec<f64>)> {
        let e = self.model.restitution;
        if self.touching != Touching::Flight || self.leaves != 2 || e == 0.0 || e >= 1.0 {
            return None;
        }
        let m = self.medium.mass;
        let c = self.medium.damping.size();
        let k = self.medium.stiffness.size();
        let sign = Ball::from(self.inwards());
        let speed = sign * self.u;
        let load = self.load(self.time.middle(), look);
        let pull = -(sign * load.two::<Ball>(self.time, 0)[0]) / Ball::from(m);
        let rough = 2.0 * speed.value() / (pull.value() * (1.0 - e));
        if !(speed.lower() > 0.0 && pull.lower() > 0.0 && rough < SHORT * self.time.value()) {
            return None;
        }
        // What is used of these is proved below: the sequence is shorter than `span`, and its speeds are below `fastest`.
        let span = 2.0 * rough;
        let fastest = 2.0 * speed.size();
        let until = up((self.time + Ball::from(span)).upper());
        let high = up(fastest * span);
        let varies = up(up(up(load.bound(1, until) * span) + up(c * fastest + k * high)) / m);
        let [weak, strong] = [-varies, varies].map(|d| pull + Ball::from(d));
        let pressed = weak.lower() > 0.0 && until < self.next_knot(look).min(end);
        if !pressed {
            return None;
        }
        let ratio = (strong / weak).sqrt();
        let e = Ball::from(e);
        let left = Ball::ONE - e * ratio;
        let shortest = speed.scaled(2.0) / strong / (Ball::ONE - e / ratio);
        let longest = speed.scaled(2.0) / weak / left;
        let ends =
            left.lower() > 0.0 && longest.upper() < span && (speed * ratio).upper() < fastest;
        if !ends {
            return None;
        }
        let rest = self.time + hull(shortest, longest);
        let known = rest.upper() - rest.lower() < 4.0 * f64::EPSILON * rest.value();
        if !known {
            return None;
        }
        let mut margins = vec![(weak * Ball::from(m)).lower()];
        for i in (0..self.walls.len()).filter(|i| *i != self.frame) {
            let [own, other] = [self.frame, i].map(|i| {
                let curve = self.walls[i].1.curve(Ball::ONE, self.time.middle(), look);
                (curve.two::<Ball>(self.time, 0)[0], curve.bound(1, until))
            });
            let gap = Ball::from(self.walls[i].0.sign()) * (own.0 - other.0);
            margins.push((gap - Ball::from(up(high + up((own.1 + other.1) * span)))).lower());
        }
        let clear = margins.iter().all(|m| *m > 0.0);
        if !clear {
            return None;
        }
        // Σ ½ m (1 − e²) u², the speeds of the impacts between u (e/ρ)ⁿ/e and u (e ρ)ⁿ/e, n = 1, 2, …
        let whole = (Ball::from(m) * speed * speed * (Ball::ONE - e * e)).scaled(0.5);
        let square = ratio * ratio;
        self.lost = self.lost
            + hull(whole / (square - e * e), whole * square / (Ball::ONE - e * e * square));
        Some((rest, margins))
    }

    /// When the next knot of a load or a wall comes, s.
    pub(super) fn next_knot(&self, look: f64) -> f64 {
        let signals = self.walls.iter().map(|w| &w.1).chain([&self.force]);
        signals.map(|p| p.signal.next_breakpoint(look)).fold(f64::INFINITY, f64::min)
    }
}

/// All between two numbers.
fn hull(a: Ball, b: Ball) -> Ball {
    let middle = (a + b).scaled(0.5).middle();
    middle.widened((a - middle).size().max((b - middle).size()))
}

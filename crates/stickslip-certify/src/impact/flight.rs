//! A flight as seen from the wall that the mass left, and where it ends.
//!
//! A flight that begins a little later is nearly the same flight a little later: so what is not known of the instant is carried on beside what is
//! not known of the flight, and many impacts in a row do not spoil each other.

use super::Walk;
use crate::ball::{Ball, up};
use crate::curve::{Curve, ORDERS};
use crate::proof::{Positive, unproved};
use crate::slip::{Start, arc};
use stickslip::error::Error;

/// A flight: from the middle of its beginning exactly, and where the true one is.
pub(super) struct Flight {
    pub middle: Curve,
    pub truth: Curve,
    pub free: [Ball; 2],
    /// All bounds hold until then, s.
    pub until: f64,
    /// Bounds of what the true flight is elsewhere (m) and otherwise fast (m/s) than that from the middle, as long after its beginning.
    apart: [f64; 2],
    /// Of that the part that is not in proportion to the velocity at its beginning.
    rest: [f64; 2],
}

impl Walk<'_> {
    /// The flight from here until `until` (s), on the pieces that hold at `look`.
    pub(super) fn flight(&self, look: f64, until: f64) -> Result<Flight, Error> {
        let time = self.time.middle();
        let r = self.time.radius();
        let load = self.load(time, look);
        let start = Start { time, x: self.y.middle(), v: self.u.middle() };
        let here = Start { time: self.time, x: self.y, v: self.u };
        let (middle, free) = arc(&self.medium, (start, here), &load, until)?;
        let m = self.medium.mass;
        let c = self.medium.damping.size();
        let k = self.medium.stiffness.size();
        let length = up((Ball::from(until) - self.time).size());
        // The true flight less that from the middle, as long after its beginning, is ξ s + η(s) with |ξ| ≤ `v`: η is driven by what
        // the loads differ by, r max |q′|, and by what damper and spring do to the rest. Its energy does not grow by itself.
        let [x, v] = [self.y, self.u].map(Ball::radius);
        let driven = up(load.bound(1, until) * r + c * v) + up(k * up(x + v * length));
        let faster = up(driven * length / m);
        let rest = [up(x + length * faster), faster];
        let apart = [up(v * length + rest[0]), up(v + faster)];
        let mut spread = [0.0; ORDERS];
        spread[0] = up(apart[0] + r * middle.bound(1, until));
        spread[1] = up(apart[1] + r * middle.bound(2, until));
        for n in 2..ORDERS {
            spread[n] = up((c * spread[n - 1] + k * spread[n - 2]) / m);
        }
        let truth = Curve { spread, ..middle.clone() };
        Ok(Flight { middle, truth, free, until, apart, rest })
    }

    /// `flight` as seen from another wall.
    pub(super) fn seen_from(&self, wall: usize, flight: &Curve, look: f64) -> Curve {
        if wall == self.frame {
            return flight.clone();
        }
        let [own, other] = [self.frame, wall].map(|i| &self.walls[i].1);
        let own = own.curve(Ball::ONE, flight.origin, look);
        flight.clone().plus(own).plus(other.curve(-Ball::ONE, flight.origin, look))
    }

    /// When `flight` meets a wall, and the place and velocity there, relative to the wall that it left.
    pub(super) fn land(
        &self,
        wall: usize,
        flight: &Flight,
        (look, end): (f64, f64),
    ) -> Result<([f64; 2], Ball, [Ball; 2]), Error> {
        let seen = self.seen_from(wall, &flight.middle, look);
        let sign = self.walls[wall].0.sign();
        let gap = Positive { curve: &seen, sign, base: 0, shift: Ball::ZERO };
        let (bracket, root, slope) = gap.root(end)?;
        // Seen from another wall, the true flight is elsewhere by how far the walls go in what is not known of its beginning.
        let r = self.time.radius();
        let moved = [wall, self.frame].map(|i| {
            let curve = self.walls[i].1.curve(Ball::ONE, self.time.middle(), look);
            curve.bound(1, end)
        });
        let moved = if wall == self.frame { 0.0 } else { r * (moved[0] + moved[1]) };
        let off = up(1.01 * up(flight.apart[0] + moved) / slope.lower());
        let bend = up(seen.bound(2, bracket[1]).max(flight.middle.bound(2, bracket[1])));
        let last = root.value() + off;
        let known = off * bend < 0.01 * slope.lower() && last < flight.until;
        if !known || last >= self.next_knot(look) {
            return Err(unproved(end));
        }
        let after = root - self.time.middle();
        let time = (self.time + after).widened(off);
        let to = [time.lower().next_down(), time.upper().next_up()];
        let at = root.middle();
        let [y, _] = flight.middle.two::<Ball>(at, 0);
        let [u, a] = flight.middle.two::<Ball>(at, 1);
        let [g, _] = seen.two::<Ball>(at, 1);
        let far = up(root.radius() + off);
        let y = y.widened(up(flight.apart[0] + up(up(u.size() + bend * far) * far)));
        // With g σ + ξ s + … = 0 the velocity is u + a σ + ξ + … = u + ξ (1 − a s/g) + …
        let known = up((Ball::ONE - a * after / g).size() * self.u.radius());
        let late = up(flight.rest[0] + moved + up(self.u.radius() * far) + up(bend * far * far));
        let bent = up(flight.middle.bound(3, to[1]) * far * far);
        let u = u.widened(up(known
            + up((a / g).size() * late)
            + flight.rest[1]
            + bent
            + up(a.size() * root.radius())));
        Ok((to, time, [y, u]))
    }
}

//! Zeno sequences: infinitely many impacts in a finite time, summed.
//!
//! With a constant pull α towards the wall, an impact that leaves the speed u is followed by flights of
//! 2u/α, 2eu/α, 2e²u/α, …: a geometric series. The mass is at rest after
//!
//! ```text
//! S = 2u / (α (1 − e))
//! ```
//!
//! Where the pull varies, the rest of the sequence is summed as soon as its variation over that
//! rest cannot move the end by more than a rounding of the time: the pull α ± δ gives flights between
//! 2u/(α+δ) and 2u/(α−δ), and each impact's speed by at most the factor √((α+δ)/(α−δ)) more or
//! less. Nothing is cut off: until then every impact is found on its own arc.

use super::guard::second_bound;
use super::room::{Relative, Room};
use crate::portable;

/// The flights that follow one impact under a constant pull.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chain {
    /// Time of the impact, s.
    start: f64,
    /// Speed after it, m/s.
    speed: f64,
    /// α, m/s².
    pull: f64,
    /// e.
    restitution: f64,
    /// Which flight this is, from 0.
    flight: i32,
}

impl Chain {
    /// The sequence that begins at `t` with the mass on the wall, leaving it; `None` if it is not
    /// certain to be ballistic, to rounding, until `until` (s).
    pub fn certify(room: &Room, t: f64, r: Relative, e: f64, until: f64) -> Option<Self> {
        let frame = &room.frames[r.frame];
        let m = &*frame.medium;
        let load = frame.load.piece_at(t);
        let [q, q1, _, _] = load.derivatives(t);
        let pull = -frame.wall.sign() * q / m.mass;
        let speed = r.v.abs();
        if pull.is_nan() || pull <= 0.0 || speed <= 0.0 || e >= 1.0 {
            return None;
        }
        let chain = Self { start: t, speed, pull, restitution: e, flight: 0 };
        let span = (2.0 * speed / pull / (1.0 - e)).min(until - t);
        let load_change = span * (q1.abs() + span * second_bound(&load));
        // The height of the first bounce and its speed, twice each for the uncertain pull.
        let height = speed * speed / pull;
        let fastest = 2.0 * speed;
        let varies =
            (load_change + m.damping * fastest + m.stiffness * height) / m.mass / pull / (1.0 - e);
        // The other wall stays out of the way.
        let clear = frame.shifts.iter().flatten().all(|shift| {
            let piece = shift.piece_at(t);
            let [distance, rate, _, _] = piece.derivatives(t);
            let approach = span * (rate.abs() + 0.5 * span * second_bound(&piece));
            distance.abs() - approach > height
        });
        if !clear {
            return None;
        }
        // With a constant pull the sum is exact, however long the sequence is; else the end must not move by a rounding of the time.
        let certain = varies == 0.0 || (varies < 0.1 && 4.0 * varies * span <= f64::EPSILON * t);
        certain.then_some(chain)
    }

    /// Speed at both ends of this flight, m/s.
    pub fn speed(&self) -> f64 {
        self.speed * self.restitution.powi(self.flight)
    }

    /// When this flight begins, s; late ones all at the same instant, as far as the clock can tell.
    fn begin(&self) -> f64 {
        let e = self.restitution;
        // 1 − e^k, also for e next to 1.
        let gone = -portable::exp_m1(f64::from(self.flight) * portable::ln_1p(-(1.0 - e)));
        self.start + 2.0 * self.speed / self.pull * gone / (1.0 - e)
    }

    /// When the mass is at rest, s.
    pub fn rest(&self) -> f64 {
        self.start + 2.0 * self.speed / self.pull / (1.0 - self.restitution)
    }

    /// The flight after this one.
    pub fn next(&self) -> Self {
        Self { flight: self.flight.saturating_add(1), ..*self }
    }

    /// When this flight ends, s; `None` when what is left of the sequence is too short for the clock.
    pub fn end(&self) -> Option<f64> {
        let end = self.next().begin();
        (end < self.rest()).then_some(end)
    }
}

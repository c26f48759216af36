//! The oscillator between two breakpoints, where everything is smooth.

use crate::law::Smooth;
use crate::model::{Oscillator, Wall};
use crate::motion::State;
use crate::signal::Piece;

/// Forces and support on the pieces of the signals that hold at one instant, continued.
pub(super) struct Window<'a> {
    o: &'a Oscillator,
    drive: Piece<'a>,
    force: Piece<'a>,
    pub support: Piece<'a>,
    normal: Option<Piece<'a>>,
    /// Whether the load is linear in x and v but for the bed.
    linear: bool,
    /// The soft stop that the mass is in: position, m, κ, N/m, γ, N·s/m.
    bed: Option<(f64, f64, f64)>,
    /// The direction in which a rigid stop lets the mass not go, 0 without one.
    blocked: f64,
    /// p, s in 1/m and the least value of p + s x, by which the normal force is multiplied.
    pressing: [f64; 3],
    /// The speeds over which the friction is smooth, and is continued so.
    pub speeds: Smooth,
}

/// A slip in progress.
pub(super) struct Slide<'a> {
    pub window: Window<'a>,
    pub side: f64,
    /// When it began, s.
    pub start: f64,
    /// The soft stop that the mass is in, and whether it does not push.
    pub stop: Option<Wall>,
    pub apart: bool,
    /// Whether the contact is open.
    pub open: bool,
}

impl<'a> Window<'a> {
    pub fn new(o: &'a Oscillator, t: f64, stop: Option<Wall>) -> Self {
        let held = o.stops.zip(stop);
        let bed = held.and_then(|(s, wall)| {
            let (stiffness, damping) = s.spring()?;
            Some((s.at(wall)?, stiffness, damping))
        });
        let rigid = held.filter(|(s, _)| s.restitution().is_some());
        Self {
            o,
            drive: o.drive.piece_at(t),
            force: o.force.piece_at(t),
            support: o.support.piece_at(t),
            normal: o.normal.as_ref().map(|n| n.piece_at(t)),
            linear: o.is_linear_in_pieces(),
            bed,
            blocked: rigid.map_or(0.0, |(_, wall)| -wall.sign()),
            pressing: [1.0, o.nonlinear.normal_slope, 0.0],
            speeds: Smooth::EVERYWHERE,
        }
    }

    /// That of a slip in which the contact stays open, or stays closed: smooth beyond the place where it opens.
    pub fn with_contact(self, open: bool) -> Self {
        let s = self.o.nonlinear.normal_slope;
        let pressing = if open { [0.0; 3] } else { [1.0, s, f64::NEG_INFINITY] };
        Self { pressing, ..self }
    }

    /// b(x, v, t), N.
    pub fn load(&self, t: f64, x: f64, v: f64) -> f64 {
        let o = self.o;
        let d = self.drive.value(t);
        let linear = o.stiffness * (d - x) - o.damping * v + self.force.value(t);
        let linear = linear + self.bed.map_or(0.0, |(a, k, c)| k * (a - x) - c * v);
        // A user's force may be as dear as all the rest, so it is not asked where there is none.
        if self.linear { linear } else { linear + o.nonlinear.force(x - d, x, v, t) }
    }

    /// F_n at `x` (m), N.
    pub fn normal(&self, t: f64, x: f64) -> f64 {
        let [p, s, least] = self.pressing;
        self.normal.as_ref().map_or(1.0, |n| n.value(t)) * (p + s * x).max(least)
    }

    /// The acceleration while sliding towards `side`, m/s².
    pub fn acceleration(&self, side: f64, t: f64, x: f64, v: f64) -> f64 {
        // Stages may overshoot the place where the velocity turns: the friction of the phase is continued beyond it, so that the
        // step stays smooth and the event is found inside.
        let w = v - self.support.value(t);
        let magnitude = self.speeds.continued(side * w, |s| self.o.friction.force(side, s));
        let friction = side * self.normal(t, x) * magnitude;
        (self.load(t, x, v) - friction) / self.o.mass
    }

    /// The speeds around `speed` (m/s) over which the friction towards `side` is smooth.
    pub(crate) fn friction_around(&self, side: f64, speed: f64, rising: bool) -> Smooth {
        self.o.friction.smooth_around(side, speed, rising)
    }

    /// Where a mass at `x` at `from` has been carried by `t`.
    pub fn carried(&self, x: f64, from: f64, t: f64) -> State {
        State { x: x + self.support.integral(from, t), v: self.support.value(t) }
    }

    /// limit − side·b (N) for a mass at `x` at `from` that has rested since `since`, and the size of
    /// its terms; just that size towards a rigid stop.
    pub fn margin(&self, side: f64, t: f64, x: f64, from: f64, since: f64) -> (f64, f64) {
        let s = self.carried(x, from, t);
        // On a support that accelerates the friction has to bring up the inertia as well.
        let b = self.load(t, s.x, s.v) - self.o.mass * self.support.derivatives(t)[1];
        let limit = self.normal(t, s.x) * self.o.friction.limit(side, t - since);
        let scale = limit + b.abs() + self.o.stiffness * s.x.abs();
        (if side == self.blocked { scale } else { limit - side * b }, scale)
    }

    /// How much the friction at rest exceeds the friction when sliding begins, towards `side`, N.
    pub fn surplus(&self, side: f64, t: f64, x: f64, since: f64) -> f64 {
        let law = &self.o.friction;
        self.normal(t, x) * (law.limit(side, t - since) - law.force(side, 0.0))
    }
}

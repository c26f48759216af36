//! The oscillator between two breakpoints, where everything is smooth.

use crate::model::Oscillator;
use crate::signal::{Integral, Piece};
use crate::trajectory::State;

/// Forces and support on the pieces of the signals that hold at one instant, continued.
pub(super) struct Window<'a> {
    o: &'a Oscillator,
    drive: Piece<'a>,
    force: Piece<'a>,
    pub support: Piece<'a>,
    normal: Option<Piece<'a>>,
    motion: &'a Integral,
    /// Piece of the support's motion.
    piece: usize,
}

impl<'a> Window<'a> {
    pub fn new(o: &'a Oscillator, motion: &'a Integral, t: f64) -> Self {
        Self {
            o,
            drive: o.drive.piece_at(t),
            force: o.force.piece_at(t),
            support: o.support.piece_at(t),
            normal: o.normal.as_ref().map(|n| n.piece_at(t)),
            motion,
            piece: o.support.piece(t),
        }
    }

    /// b(x, v, t), N.
    fn load(&self, t: f64, x: f64, v: f64) -> f64 {
        let o = self.o;
        let d = self.drive.value(t);
        let linear = o.stiffness * (d - x) - o.damping * v + self.force.value(t);
        if o.is_linear() { linear } else { linear + o.nonlinear.force(x - d, x, v, t) }
    }

    fn normal(&self, t: f64) -> f64 {
        self.normal.as_ref().map_or(1.0, |n| n.value(t))
    }

    /// The acceleration while sliding towards `side`, m/s².
    pub fn acceleration(&self, side: f64, t: f64, x: f64, v: f64) -> f64 {
        let w = v - self.support.value(t);
        let friction = side * self.normal(t) * self.o.friction.force(side, side * w);
        (self.load(t, x, v) - friction) / self.o.mass
    }

    /// Where a mass at `x` at `from` has been carried by `t`.
    pub fn carried(&self, x: f64, from: f64, t: f64) -> State {
        let (now, v) = self.motion.on_piece(self.piece, t);
        State { x: x + (now - self.motion.on_piece(self.piece, from).0), v }
    }

    /// limit − side·b (N) for a mass at `x` at `from` that has rested since `since`, and the size of
    /// its terms.
    pub fn margin(&self, side: f64, t: f64, x: f64, from: f64, since: f64) -> (f64, f64) {
        let s = self.carried(x, from, t);
        let b = self.load(t, s.x, s.v) - self.o.mass * self.support.derivatives(t)[1];
        let limit = self.normal(t) * self.o.friction.limit(side, t - since);
        (limit - side * b, limit + b.abs() + self.o.stiffness * s.x.abs())
    }

    /// How much the friction at rest exceeds the friction when sliding begins, towards `side`, N.
    pub fn surplus(&self, side: f64, t: f64, since: f64) -> f64 {
        let law = &self.o.friction;
        self.normal(t) * (law.limit(side, t - since) - law.force(side, 0.0))
    }
}

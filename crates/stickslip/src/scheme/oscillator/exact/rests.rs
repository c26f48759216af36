//! A mass at rest on its support: what friction must hold. With x = x₀ + ∫ v_s that is
//!
//! ```text
//! b = K (d − x) + f − c v_s − m v̇_s
//! ```
//!
//! It is smooth with known bounds as long as v_s is affine plus harmonics, so every support of that class, a
//! sampled one too, is treated exactly.

use super::System;
use crate::motion::Phase;
use crate::scheme::oscillator::uniqueness;
use crate::signal::Piece;

/// A mass at rest on its support from one instant on: what friction must hold.
pub(super) struct Rests<'a> {
    /// K d + f, N.
    pub load: Piece<'a>,
    /// Whether the support moves, and v_s, m/s.
    pub moves: bool,
    pub support: Piece<'a>,
    /// Since when, s, and what the spring holds there, N.
    pub from: f64,
    pub hold: f64,
    /// m, c, K.
    pub mass: f64,
    pub damping: f64,
    pub stiffness: f64,
}

impl<'a> Rests<'a> {
    /// The load at `t` and its first two derivatives, N, N/s and N/s².
    #[inline]
    pub fn derivatives(&self, t: f64) -> [f64; 3] {
        let p = self.load.derivatives(t);
        if !self.moves {
            return [p[0] - self.hold, p[1], p[2]];
        }
        let [v, a, j, s] = self.support.derivatives(t);
        // The mass goes with its support, and the spring feels the way of both.
        let way = self.support.integral(self.from, t);
        let m = self.mass;
        let c = self.damping;
        let k = self.stiffness;
        [
            p[0] - self.hold - k * way - c * v - m * a,
            p[1] - k * v - c * a - m * j,
            p[2] - k * a - c * j - m * s,
        ]
    }

    /// A bound on the third derivative, N/s³.
    pub(crate) fn third_bound(&self) -> f64 {
        if !self.moves {
            return self.load.third_bound;
        }
        let s = &self.support;
        // Three derivatives of K ∫v_s + c v_s + m v̇_s.
        let of_support = self.stiffness * s.derivative_bound(2)
            + self.damping * s.third_bound
            + self.mass * s.derivative_bound(4);
        self.load.third_bound + of_support
    }

    /// Size of the terms that make the load, N.
    #[inline]
    pub fn scale(&self) -> f64 {
        let at_rest = self.load.scale(self.from) + self.hold.abs();
        if !self.moves {
            return at_rest;
        }
        let s = &self.support;
        let moved = s.affine.rate.abs() + s.derivative_bound(1);
        at_rest + (self.damping * s.scale(self.from) + self.mass * moved)
    }

    /// The load plus what the spring holds at first, as a piece: where the support moves steadily.
    pub(crate) fn as_piece(&self) -> Option<Piece<'a>> {
        let support = &self.support;
        if !self.moves {
            return Some(self.load);
        }
        if !support.harmonics.is_empty() || support.affine.rate != 0.0 {
            return None;
        }
        let mut piece = self.load;
        let v = support.affine.value;
        // A support of constant speed lets the spring force change linearly in time, which is one more affine piece.
        piece.affine.value = piece.affine.at(self.from) - self.damping * v;
        piece.affine.time = self.from;
        piece.affine.rate -= self.stiffness * v;
        Some(piece)
    }
}

impl System {
    /// Notes a slip of phase `was` that has come to rest at `t` while the load is the sliding friction.
    pub(super) fn look_for_graze(&mut self, t: f64, was: Phase, margins: [[f64; 3]; 2]) {
        let side = self.side(was.sign());
        let limit = side.breakaway_at(t);
        let sliding = side.sliding_at(t);
        let load = limit - margins[usize::from(was.sign() < 0.0)][0]; // −∞ towards a rigid stop
        let margin = (load - sliding).abs() / (load.abs() + sliding);
        let near = margin <= uniqueness::GRAZE;
        if near && load != 0.0 && limit > sliding * (1.0 + uniqueness::NEAR) {
            self.doubts.grazes.push((t, margin));
        }
    }
}

//! Sliding in polar velocities, with the length of the way on the surface in place of the time.
//!
//! While a slip dies its direction turns towards the load ever faster, φ̇ ~ 1/|w|: in time that is singular. With
//! dt = |w| ds it is not:
//!
//! ```text
//! dt/ds = |w|,   dr/ds = |w| ṙ,   d ln|w|/ds = g·n,   dφ/ds = g·n⊥,      m g = B + R(n),  n = w/|w|
//! ```
//!
//! The right side is smooth down to |w| = 0, which lies at s = ∞: no step can pass over a rest.

use super::window::{Window, dot, length};
use crate::motion::Poly;
use crate::portable;
use crate::scheme::machine::dormand_prince::Step;

/// Numbers of the state: the time since the start, two displacements since then, ln|w| and the angle from the first direction.
pub(super) const SIZE: usize = 5;

/// A frame of polar velocities: where and when it begins, and the direction from which the angle counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// s.
    pub start: f64,
    /// m.
    pub r: [f64; 2],
    /// A unit vector. What moves along it stays on its line to the last bit.
    pub n: [f64; 2],
}

/// A mass that slides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sliding {
    /// s.
    pub t: f64,
    /// m.
    pub r: [f64; 2],
    /// The sliding velocity, m/s.
    pub w: [f64; 2],
}

impl Frame {
    pub fn new(at: &Sliding) -> Self {
        let speed = length(at.w);
        Self { start: at.t, r: at.r, n: at.w.map(|w| w / speed) }
    }

    /// The state of `at`, with which the frame begins.
    pub fn first(at: &Sliding) -> [f64; SIZE] {
        // ln|w| instead of |w|: a rest lies at −∞, where no step arrives.
        [0.0, 0.0, 0.0, portable::ln(length(at.w)), 0.0]
    }

    /// The direction at this angle.
    fn direction(&self, angle: f64) -> [f64; 2] {
        let (sin, cos) = portable::sin_cos(angle);
        [self.n[0] * cos - self.n[1] * sin, self.n[1] * cos + self.n[0] * sin]
    }

    pub fn sliding(&self, u: &[f64]) -> Sliding {
        let speed = portable::exp(u[3]);
        Sliding {
            t: self.start + u[0],
            r: [self.r[0] + u[1], self.r[1] + u[2]],
            w: self.direction(u[4]).map(|n| n * speed),
        }
    }

    /// du/ds.
    pub fn derivative(&self, window: &Window<'_>, u: &[f64], du: &mut [f64]) {
        let speed = portable::exp(u[3]);
        let n = self.direction(u[4]);
        let t = self.start + u[0];
        let w = n.map(|n| n * speed);
        let load = window.load(t, [self.r[0] + u[1], self.r[1] + u[2]], w);
        // The direction, not the velocity, says where friction points: that of a velocity near zero would have lost its digits.
        let f = window.normal(t) * window.model.friction.force(1.0, speed);
        let across = window.model.ellipse.normal(n);
        let g = [0, 1].map(|i| (load[i] - f * across[i]) / window.model.mass);
        let surface = window.surface(t);
        // By s with dt = |w| ds. The rates of ln|w| and φ in time are g over the speed: by s the speed cancels.
        du[0] = speed;
        du[1] = speed * (w[0] + surface[0]);
        du[2] = speed * (w[1] + surface[1]);
        du[3] = dot(g, n);
        du[4] = n[0] * g[1] - n[1] * g[0];
    }
}

/// A step of the polar flow with its dense output.
#[derive(Debug, Clone)]
pub(super) struct PolarLink {
    pub frame: Frame,
    /// Time at the start and at the end, s since the start of the frame.
    pub times: [f64; 2],
    /// Its length, in units of s.
    pub h: f64,
    pub polys: [Poly; SIZE],
}

impl PolarLink {
    pub fn of(frame: Frame, step: &Step, polys: &[Poly]) -> Self {
        let times = [step.from[0], step.to[0]];
        let polys = std::array::from_fn(|i| polys[i]);
        Self { frame, times, h: step.h, polys }
    }

    /// The fraction of the step at which `tau` (s since the start of the frame) is reached: Newton's method between bounds.
    pub fn fraction(&self, tau: f64) -> f64 {
        let [from, to] = self.times;
        if tau <= from {
            return 0.0;
        }
        if tau >= to {
            return 1.0;
        }
        let mut low = 0.0;
        let mut high = 1.0;
        // A first guess as if the speed stayed the same.
        let mut at = (tau - from) / (to - from);
        for _ in 0..60 {
            let off = self.polys[0].at(at) - tau;
            if off == 0.0 {
                break;
            }
            if off < 0.0 {
                low = at
            } else {
                high = at
            }
            let next = at - off / self.polys[0].slope(at);
            // Where the slip dies the slope goes to zero, and Newton's step may leave the bounds.
            let next = if next > low && next < high { next } else { 0.5 * (low + high) };
            if (next - at).abs() <= 2.0 * f64::EPSILON {
                at = next;
                break;
            }
            at = next;
        }
        at
    }

    /// The mass at the fraction `theta` of the step.
    pub fn at(&self, theta: f64) -> Sliding {
        let u: [f64; SIZE] = std::array::from_fn(|i| self.polys[i].at(theta));
        self.frame.sliding(&u)
    }
}

//! Sliding in Cartesian velocities and in time, where the velocity changes little up to a known instant.
//!
//! ```text
//! dr/dt = w + v_s,      m dw/dt = B + R(w)
//! ```
//!
//! Polar velocities are needed where a slip may die (`polar`), but a step of theirs is measured by the way: one that is to end at a
//! given instant is made several times. Between two samples of a record the velocity changes by little, so that a rest is out of
//! reach, and one step in time ends where the next sample begins.

use super::polar::Sliding;
use super::window::{Window, length};
use crate::motion::Poly;
use crate::scheme::machine::dormand_prince::Step;
use crate::scheme::oscillator::adaptive::Options;

/// Numbers of the state: the place and the sliding velocity.
const SIZE: usize = 4;

/// By what share of itself the velocity may be about to change, or a wave turn (rad), for a step to be tried. Chosen on records of the ground
/// with 50 rows a second and a tolerance of 1e-6, where some nine of ten that are tried are taken.
const TRIED: f64 = 0.6;
/// By what share of itself the velocity may have changed in the middle and at the end: it comes nowhere near zero, where a rest could
/// be passed over.
const TAKEN: f64 = 0.8;

/// A step in time with its dense output.
#[derive(Debug, Clone)]
pub(super) struct CartesianLink {
    /// s.
    pub t: f64,
    /// s.
    pub h: f64,
    polys: [Poly; SIZE],
}

impl CartesianLink {
    /// The mass at the fraction `theta` of the step.
    pub fn at(&self, theta: f64) -> Sliding {
        let [x, y, u, v] = [0, 1, 2, 3].map(|i| self.polys[i].at(theta));
        Sliding { t: self.t + theta * self.h, r: [x, y], w: [u, v] }
    }
}

/// The derivative of place and sliding velocity.
fn derivative(window: &Window<'_>, t: f64, u: &[f64], du: &mut [f64]) {
    let w = [u[2], u[3]];
    let load = window.load(t, [u[0], u[1]], w);
    let friction = window.friction(t, w);
    let surface = window.surface(t);
    for i in 0..2 {
        du[i] = w[i] + surface[i];
        du[2 + i] = (load[i] + friction[i]) / window.model.mass;
    }
}

/// A step in the making; its room is used again.
#[derive(Debug, Clone)]
pub(super) struct InTime {
    step: Step,
    polys: Vec<Poly>,
}

impl Default for InTime {
    fn default() -> Self {
        Self { step: Step::of(SIZE), polys: Vec::with_capacity(SIZE) }
    }
}

impl InTime {
    /// One step from `now` to `until` (s) and the mass at its end, or nothing where the velocity changes too much for one.
    pub fn make(
        &mut self,
        window: &Window<'_>,
        now: &Sliding,
        until: f64,
        options: &Options,
    ) -> Option<(CartesianLink, Sliding)> {
        let &Options { rtol, atol, .. } = options;
        let h = until - now.t;
        if h * window.fastest() > TRIED {
            return None;
        }
        let mut f = |t: f64, u: &[f64], du: &mut [f64]| derivative(window, t, u, du);
        let speed = length(now.w);
        self.step.begin(now.t, &[now.r[0], now.r[1], now.w[0], now.w[1]], &mut f);
        let slope = self.step.slope();
        if h * length([slope[2], slope[3]]) > TRIED * speed {
            return None;
        }
        self.step.make(h, &mut f);
        let to = &self.step.to;
        let next = Sliding { t: until, r: [to[0], to[1]], w: [to[2], to[3]] };
        let place = |i: usize| atol + rtol * now.r[i].abs().max(next.r[i].abs());
        // As in polar velocities, even a velocity below its tolerance keeps its direction to 1e-6.
        let turn = speed * (rtol + atol / speed).min(1e-6);
        let error = self.step.error(&[place(0), place(1), turn, turn]);
        let keeps = |w: [f64; 2]| length([w[0] - now.w[0], w[1] - now.w[1]]) <= TAKEN * speed;
        // An error that is no number accepts nothing.
        if !(error <= 1.0 && keeps(next.w)) {
            return None;
        }
        self.polys.clear();
        self.step.dense(&mut f, &mut self.polys);
        let polys = std::array::from_fn(|i| self.polys[i]);
        let link = CartesianLink { t: now.t, h, polys };
        keeps(link.at(0.5).w).then_some((link, next))
    }
}

//! One step of [the θ-method](super::theta).

use crate::model::{Forces, Oscillator};
use crate::motion::State;
use crate::scheme::oscillator::predictor_step::Predictor;
use crate::signal::Read;

/// The numbers of a step. Whoever advances an oscillator by the θ-method, alone or in lanes, does it by these.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThetaStep {
    pub theta: f64,
    mass: f64,
    damping: f64,
    stiffness: f64,
    /// What V, X, a force (N) and an impulse (N·s) count in p.
    keep: f64,
    pull: f64,
    pub push: f64,
    pub kick: f64,
    /// What V and V⁺ count in X⁺ − X, s.
    old: f64,
    new: f64,
}

impl ThetaStep {
    /// Of `o` with steps `h` (s), ½ ≤ `theta` ≤ 1.
    pub fn new(o: &Oscillator, h: f64, theta: f64) -> Self {
        let m = o.mass;
        let c = o.damping;
        let k = o.stiffness;
        let mass = m + theta * h * (c + theta * h * k);
        // What does not depend on the state is computed once: a step has three products and the law's answer left.
        let later = 1.0 - theta;
        Self {
            theta,
            mass: m,
            damping: c,
            stiffness: k,
            keep: (m - later * h * (c + theta * h * k)) / mass,
            pull: h * k / mass,
            push: h / mass,
            kick: 1.0 / mass,
            old: later * h,
            new: theta * h,
        }
    }

    /// p of the step from (x, v) under the linear `load` K d_θ + f_θ (N), without the velocity of the support.
    #[inline(always)]
    pub fn free(&self, x: f64, v: f64, load: f64) -> f64 {
        self.keep * v + self.push * load - self.pull * x
    }

    /// How far it goes at the velocity `v` before and `next` after the step.
    #[inline(always)]
    pub fn way(&self, v: f64, next: f64) -> f64 {
        self.old * v + self.new * next
    }

    /// A force between its values at the start and at the end of the step.
    #[inline(always)]
    pub fn between(&self, before: f64, after: f64) -> f64 {
        (1.0 - self.theta) * before + self.theta * after
    }

    /// Where forces that are not linear are looked at.
    #[inline(always)]
    pub fn ahead(&self, u: State) -> f64 {
        u.x + self.old * u.v
    }
}

impl Predictor for ThetaStep {
    fn predict<R: Read>(&self, f: &mut Forces<'_, R>, u: State, t: f64, t_next: f64) -> (f64, f64) {
        let at = self.between(t, t_next);
        let (loading, d) = f.loading(at);
        let load = loading + f.nonlinear(d, self.ahead(u), u.v, at);
        (self.free(u.x, u.v, load), self.push)
    }

    fn displacement(&self, u: State, v_next: f64) -> f64 {
        u.x + self.way(u.v, v_next)
    }

    /// h/(m + θhc + θ²h²K) < λ for every h below the smaller root of λθ²K h² − (1 − λθc) h + λm = 0.
    fn step_for(&self, lambda: f64) -> f64 {
        let Self { theta, mass: m, damping: c, stiffness: k, .. } = *self;
        let b = 1.0 - lambda * theta * c;
        let discriminant = b * b - 4.0 * lambda * lambda * theta * theta * k * m;
        if b <= 0.0 || discriminant < 0.0 {
            return f64::INFINITY; // the damping or the stiffness keeps every step single-valued
        }
        2.0 * lambda * m / (b + discriminant.sqrt())
    }
}

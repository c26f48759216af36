//! States on an equidistant grid, as a time-stepping scheme leaves them.

use super::State;

/// The states X_n at t_n = n h, n = 0 … N, joined by straight lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid<S = State> {
    /// h, s.
    pub step: f64,
    /// X_0 … X_N.
    pub states: Vec<S>,
}

/// A state between two others.
pub trait Blend: Copy {
    /// The state at the fraction `s` of the way to `other`.
    fn blend(self, other: Self, s: f64) -> Self;
}

impl Blend for State {
    fn blend(self, other: Self, s: f64) -> Self {
        Self { x: self.x + s * (other.x - self.x), v: self.v + s * (other.v - self.v) }
    }
}

impl<S: Blend> Grid<S> {
    /// The linear interpolant at `t`, the continuous solution of Bensoussan et al. 2021, Remark 6.
    pub fn at(&self, t: f64) -> S {
        let n = ((t / self.step) as usize).min(self.states.len().saturating_sub(2));
        self.states[n].blend(self.states[n + 1], t / self.step - n as f64)
    }
}

impl<S> Grid<S> {
    /// X_n, if `t` is t_n.
    pub fn node(&self, t: f64) -> Option<&S> {
        let n = (t / self.step).round();
        if n * self.step == t { self.states.get(n as usize) } else { None }
    }

    /// N.
    pub fn steps(&self) -> usize {
        self.states.len().saturating_sub(1)
    }
}

/// t_0 … t_N of `steps` steps of length `step` (s); the last step may reach beyond the `end` of the run (s).
pub(crate) fn nodes(steps: usize, step: f64, end: f64) -> Vec<f64> {
    (0..=steps).map(|n| (n as f64 * step).min(end)).collect()
}

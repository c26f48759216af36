//! The motion of a slip as a chain of steps with dense output.

use super::State;
use super::polynomial::{Poly, TERMS};

/// One step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Link {
    pub t: f64,
    pub h: f64,
    pub x: Poly,
    pub v: Poly,
}

/// Adaptive steps in order of time, each a pair of polynomials of degree 7.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dense {
    pub(crate) links: Vec<Link>,
}

impl Dense {
    /// Linear between points in order of time, at least two.
    pub(crate) fn linear(points: &[(f64, State)]) -> Self {
        let line = |a: f64, b: f64| {
            let mut c = [0.0; TERMS];
            (c[0], c[1]) = (a, b - a);
            Poly(c)
        };
        let link = |p: &[(f64, State)]| {
            let (t, a) = p[0];
            let (next, b) = p[1];
            Link { t, h: next - t, x: line(a.x, b.x), v: line(a.v, b.v) }
        };
        Self { links: points.windows(2).map(link).collect() }
    }

    /// State at `t` (s).
    pub fn state(&self, t: f64) -> State {
        let i = self.links.partition_point(|l| l.t <= t).saturating_sub(1);
        let l = &self.links[i];
        let theta = if l.h > 0.0 { (t - l.t) / l.h } else { 0.0 };
        State { x: l.x.at(theta), v: l.v.at(theta) }
    }

    /// The same at several times at once: where one step holds them all, its polynomials are taken side by side.
    pub(crate) fn states<const N: usize>(&self, times: &[f64; N]) -> [State; N] {
        let i = self.links.partition_point(|l| l.t <= times[0]).saturating_sub(1);
        let l = &self.links[i];
        let next = self.links.get(i + 1).map_or(f64::INFINITY, |next| next.t);
        if l.h <= 0.0 || times.iter().any(|&t| t < l.t || t >= next) {
            return times.map(|t| self.state(t));
        }
        let thetas = times.map(|t| (t - l.t) / l.h);
        let x = l.x.at_each(&thetas);
        let v = l.v.at_each(&thetas);
        std::array::from_fn(|k| State { x: x[k], v: v[k] })
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.links.len()
    }

    /// Start and length of step `i`, s.
    pub fn interval(&self, i: usize) -> Option<(f64, f64)> {
        self.links.get(i).map(|l| (l.t, l.h))
    }
}

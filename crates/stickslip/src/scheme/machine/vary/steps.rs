//! The variational equation of a mode, δ̇ = A δ + ∂ₚf(t), by the steps of `exact`: collocation at Radau's seven nodes.

use super::super::flow::Instant;
use super::super::linear::{
    Factors, ITERATES, MOST_DOUBLINGS, RESOLVES, Room, SPARE, rounds, spectral_radius,
};
use super::look::{LARGE, Look};
use crate::numeric::dot;
use crate::portable;
use crate::scheme::collocation::{NODES, RADAU, integrals};

/// Factors that are kept of a mode.
const KEPT: usize = 6;

/// A of a mode, and the steps that were made with it.
#[derive(Debug)]
pub(super) struct Steps {
    n: usize,
    /// By rows.
    a: Vec<f64>,
    radius: f64,
    /// The length of a step that resolves everything, s.
    base: f64,
    /// The power of two by which the last step was longer, and the greatest that does not pass over a wave of a load.
    pub doublings: i32,
    most: i32,
    factors: Vec<(f64, Option<Factors>)>,
}

impl Steps {
    /// Of the mode in which the machine is looked at, whose fastest load has `fastest` rad/s, not longer than `longest` (s).
    pub fn new(
        look: &Look<'_>,
        n: usize,
        t: f64,
        [fastest, longest]: [f64; 2],
        at: &mut Instant,
    ) -> Self {
        let mut y = vec![0.0; n];
        let mut rates = vec![0.0; n];
        let mut a = vec![0.0; n * n];
        for j in 0..n {
            y[j] = LARGE;
            look.rates(t, &y, &mut rates, at);
            y[j] = 0.0;
            for i in 0..n {
                let entry = rates[i] / LARGE;
                // What does not depend on it leaves something below every rounding.
                a[i * n + j] = if entry.abs() > 1e-40 { entry } else { 0.0 };
            }
        }
        let radius = spectral_radius(&a, n);
        let rate = fastest.max(radius);
        let base = if rate > 0.0 { (RESOLVES / rate).min(longest) } else { longest };
        let waves =
            if fastest > 0.0 { portable::ln(1.0 / (fastest * base)) } else { f64::INFINITY };
        let most = (waves / std::f64::consts::LN_2).floor().clamp(0.0, f64::from(MOST_DOUBLINGS));
        Self { n, a, radius, base, doublings: 0, most: most as i32, factors: Vec::new() }
    }

    /// The length of the next step where `left` (s) are left, and whether it is one of the usual ones.
    pub fn length(&self, left: f64) -> (f64, bool) {
        let h = self.base * 2f64.powi(self.doublings);
        if h < left { (h, true) } else { (left, false) }
    }

    /// A step of `h` (s) of each derivative in `rooms`, whose ∂ₚf at the nodes are in `right` there; whether its equations have a solution.
    pub fn step(&mut self, h: f64, rooms: &mut [Room]) -> bool {
        let Self { n, a, radius, factors, .. } = self;
        let n = *n;
        for room in rooms.iter_mut() {
            for i in 0..NODES {
                for p in 0..n {
                    room.right[i * n + p] += dot(&a[p * n..(p + 1) * n], &room.from);
                }
            }
            room.rates.copy_from_slice(&room.right);
        }
        if h * *radius <= ITERATES {
            rooms.iter_mut().for_each(|room| room.iterate(h, a, rounds(h * *radius)));
        } else {
            let place = match factors.iter().position(|f| f.0 == h) {
                Some(place) => place,
                None => {
                    if factors.len() == KEPT {
                        factors.remove(0);
                    }
                    factors.push((h, Factors::new(a, h)));
                    factors.len() - 1
                }
            };
            let Some(factors) = &factors[place].1 else { return false };
            rooms.iter_mut().for_each(|room| room.solve(factors));
        }
        rooms.iter_mut().for_each(Room::resolve);
        true
    }

    /// Whether a step of `h` (s) is to be made anew with half the length; otherwise the next one may be longer.
    pub fn judge(&mut self, h: f64, usual: bool, rooms: &[Room]) -> bool {
        let rough = rooms.iter().map(|room| room.roughness(h, |_| 0.0)).fold(0.0, f64::max);
        if rough > 1.0 && h > self.base {
            // A step that is shorter than the usual ones, because little was left, is one between two of them.
            self.doublings = if usual {
                self.doublings - 1
            } else {
                (portable::ln(h / self.base) / std::f64::consts::LN_2).ceil() as i32 - 1
            };
            return true;
        }
        if usual && rough <= SPARE && self.doublings < self.most {
            self.doublings += 1;
        }
        false
    }
}

/// The derivatives at the share `theta` of a step of `h` (s) that is made.
pub(super) fn within(room: &Room, h: f64, theta: f64, out: &mut [f64]) {
    let whole = integrals(theta);
    for (m, (out, from)) in out.iter_mut().zip(&room.from).enumerate() {
        *out = from + h * dot(&room.terms[m], &whole);
    }
}

/// The derivatives at its end.
pub(super) fn end(room: &Room, h: f64, out: &mut [f64]) {
    let n = room.from.len();
    for (m, (out, from)) in out.iter_mut().zip(&room.from).enumerate() {
        let sum: f64 = (0..NODES).map(|j| RADAU.b[j] * room.rates[j * n + m]).sum();
        *out = from + h * sum;
    }
}

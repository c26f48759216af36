//! Continuous controllers in a step: their inner states at its end, in closed form from what they measure there.
//!
//! ```text
//! q⁺ = q + h (θ e⁺ + (1 − θ) q̇),      (I − h θ A) z⁺ = z + h (θ B e⁺ + (1 − θ) ż)
//! ```
//!
//! with q the integral of gains and z the error behind a filter (A = −1/τ, B = 1/τ) or the states of a state space. An integral
//! that is clamped stands still where it would drive the force beyond the limit.

use crate::model::machine::{Quantity, Rule};
use crate::numeric::invert;
use crate::scheme::machine::control::{BEYOND, CLAMPED, FREE};
use crate::scheme::machine::flow::Instant;
use crate::scheme::machine::parts::{Parts, Place, Window};
use crate::scheme::machine::slots::filters;

/// What the controllers of a machine need for steps of one length.
#[derive(Debug, Clone, Default)]
pub(super) struct Loops {
    /// h θ, s.
    share: f64,
    /// h (1 − θ), s.
    rest: f64,
    /// (I − h θ A)⁻¹ of each state space, by rows; empty of gains.
    inverses: Vec<Vec<f64>>,
    /// The rates of all inner states at the start of the step.
    pub rates: Vec<f64>,
    /// What is known of the states of one controller before its error at the end is, and then with it.
    known: Vec<f64>,
}

impl Loops {
    /// For steps of `h` (s); `None` if a state space has no step of this length.
    pub fn of(parts: &Parts, h: f64, theta: f64) -> Option<Self> {
        let share = h * theta;
        let inverse = |c: usize| {
            let Rule::StateSpace(s) = &parts.control(c).rule else { return Some(Vec::new()) };
            let n = s.b.len();
            let entry = |k: usize| f64::from(u8::from(k / n == k % n)) - share * s.a[k];
            invert((0..n * n).map(entry).collect(), n)
        };
        let continuous = |c: usize| parts.control(c).sampling.is_none();
        let inverses = (0..parts.loops.len())
            .map(|c| if continuous(c) { inverse(c) } else { Some(Vec::new()) })
            .collect::<Option<Vec<_>>>()?;
        Some(Self {
            share,
            rest: h - share,
            inverses,
            rates: vec![0.0; parts.states()],
            known: Vec::new(),
        })
    }

    /// Puts the inner states of the end of the step into `at`, which has those of its start.
    pub fn advance(&mut self, parts: &Parts, t: f64, window: &Window<'_>, at: &mut Instant) {
        for c in 0..parts.loops.len() {
            let slot = parts.loops[c];
            if slot.count == 0 {
                continue;
            }
            let e = parts.deviation(c, t, window, at).value;
            let own = slot.first..slot.first + slot.count;
            let known = &mut self.known;
            known.clear();
            known.extend(own.clone().map(|i| at.states[i] + self.rest * self.rates[i]));
            match &parts.control(c).rule {
                Rule::Pid(g) => {
                    if filters(g) {
                        let by = self.share / g.filter;
                        at.states[slot.first + 1] = (known[1] + by * e) / (1.0 + by);
                    }
                    let sums = if g.integral == 0.0 { 0.0 } else { self.share * e };
                    at.states[slot.first] = known[0] + sums;
                    if limited(parts, c, t, window, at).abs() == CLAMPED {
                        at.states[slot.first] = known[0];
                    }
                }
                Rule::StateSpace(s) => {
                    let n = slot.count;
                    known.iter_mut().zip(&s.b).for_each(|(z, b)| *z += self.share * b * e);
                    for (i, row) in own.zip(self.inverses[c].chunks(n)) {
                        at.states[i] = row.iter().zip(&*known).map(|(a, r)| a * r).sum();
                    }
                }
            }
        }
    }

    /// Shows to `add` what each controller that is not at a limit adds to the matrix of the step: the mass on which it acts, the one
    /// that it measures, and the entry.
    pub fn entries(&self, parts: &Parts, status: &[i8], mut add: impl FnMut(usize, usize, f64)) {
        for (c, controller) in parts.machine.controllers().iter().enumerate() {
            let law = parts.control(c);
            if law.sampling.is_some() || status[parts.status_of(c)] != FREE {
                continue;
            }
            // How the force answers to the error at the end of the step, and to its rate.
            let [mut error, mut rate] = [0.0; 2];
            match &law.rule {
                Rule::Pid(g) => {
                    error += g.proportional + g.integral * self.share;
                    if filters(g) {
                        error += g.derivative / (g.filter + self.share);
                    } else {
                        rate += g.derivative;
                    }
                }
                Rule::StateSpace(s) => {
                    let rows = s.c.iter().zip(self.inverses[c].chunks(s.b.len().max(1)));
                    let answers = rows
                        .map(|(c, row)| c * row.iter().zip(&s.b).map(|(a, b)| a * b).sum::<f64>());
                    error += s.d + self.share * answers.sum::<f64>();
                }
            }
            let by = match law.quantity {
                Quantity::Displacement => self.share * error + rate,
                Quantity::Velocity => error,
            };
            let Place::With(on, ratio) = parts.places[controller.on()] else { continue };
            for (end, sign) in controller.of().into_iter().zip([1.0, -1.0]) {
                if let Some(Place::With(k, measured)) = end.map(|i| parts.places[i]) {
                    add(on, k, self.share * by * ratio * sign * measured);
                }
            }
        }
    }
}

/// What the limit of controller `c` does where the machine is: whether its force would be beyond, and its integral stands still.
fn limited(parts: &Parts, c: usize, t: f64, window: &Window<'_>, at: &Instant) -> i8 {
    let Some(limit) = parts.limit_of(c) else { return FREE };
    let force = parts.wanted(c, t, side(parts, c, t, window), window, at)[0];
    if force.abs() <= limit.force {
        return FREE;
    }
    let upper = if force > 0.0 { 1 } else { -1 };
    let error = parts.deviation(c, t, window, at).value;
    let drives = f64::from(upper) * parts.gains(c).integral * error > 0.0;
    upper * if parts.clamps(c) && drives { CLAMPED } else { BEYOND }
}

/// The sign of the velocity for which controller `c` feeds forward.
fn side(parts: &Parts, c: usize, t: f64, window: &Window<'_>) -> i8 {
    super::rows::sign(parts.expected(c, t, window)[0])
}

/// The statuses of all continuous controllers where the machine is.
pub(super) fn aim(parts: &Parts, t: f64, window: &Window<'_>, at: &Instant, status: &mut [i8]) {
    for c in (0..parts.loops.len()).filter(|c| parts.control(*c).sampling.is_none()) {
        let own = parts.status_of(c);
        status[own] = limited(parts, c, t, window, at);
        status[own + 1] = side(parts, c, t, window);
    }
}

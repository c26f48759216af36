//! The problem of one step: the velocity d of the slab with
//!
//! ```text
//! S d + Σ_k B_kᵀ λ_k = c,      λ_k ∈ h N_k ∂(f_k |E_k ·|)(B_k d)
//! ```
//!
//! Its solution is one of three: the slab rests (d = 0), it turns about one isolator that rests, or all isolators slide. Of laws of one phase
//! exactly one of them solves it. Where friction at rest is larger than in slip several may, and what was before decides: the slab rests
//! where the limits at rest can hold it; an isolator at rest stays so as long as its limit at rest holds it, and which of them leave when the slab
//! breaks away says the motion under a load that grows beyond these limits; what slides comes to rest where the friction of the slip stops it.
//! So a symmetric slab under a symmetric load moves symmetrically.

use super::hold::{Disc, bending, hold, holds_against};
use super::slab::{Cube, Triple, add, dot, lever, solved, times, turn, velocity};
use crate::law::Law;
use crate::model::isolated::Isolator;

/// An isolator in a step.
#[derive(Debug, Clone, Copy)]
struct Contact<'a> {
    disc: Disc,
    law: &'a Law,
    pressed: f64,
}

/// What the slab does at the end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Rests,
    /// It turns about this isolator.
    TurnsAbout(usize),
    Slides,
}

/// The end of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub does: Does,
    /// The velocity of the slab.
    pub d: Triple,
    /// What the equation lacks, relative to its terms.
    pub residual: f64,
}

/// Newton's steps.
const ITERATIONS: usize = 40;
/// A residual, relative to the terms, that is rounding.
const EXACT: f64 = 1e-13;
/// By how much rounding may carry a force over its limit.
const ROUNDING: f64 = 1e-13;

/// The slab in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Problem<'a> {
    /// S and its inverse.
    pub inertia: &'a Cube,
    pub inverse: &'a Cube,
    pub isolators: &'a [Isolator],
    pub discs: &'a [Disc],
    /// h N_k, or h where the law's numbers are forces.
    pub pressed: &'a [f64],
}

impl<'a> Problem<'a> {
    fn contacts(&self) -> impl Iterator<Item = Contact<'a>> + use<'a> {
        let parts = self.isolators.iter().zip(self.discs).zip(self.pressed);
        parts.map(|((isolator, disc), &pressed)| Contact {
            disc: *disc,
            law: &isolator.friction,
            pressed,
        })
    }

    /// Solves it; `impulses` are the λ_k. `before` is what the slab did, and `v` its velocity then.
    pub fn solve(&self, c: Triple, before: Does, v: Triple, impulses: &mut [[f64; 2]]) -> End {
        let free = times(self.inverse, c);
        if c == [0.0; 3] {
            impulses.fill([0.0; 2]);
            return End { does: Does::Rests, d: [0.0; 3], residual: 0.0 };
        }
        let mut first = match before {
            Does::TurnsAbout(k) => Some(k),
            Does::Rests | Does::Slides => None,
        };
        // The free motion shows at once that the discs cannot hold a slab that is fast; one at rest breaks away as `hold` finds.
        let slow = dot(c, free) <= holds_against(self.discs, free) * (1.0 + ROUNDING);
        if slow || before == Does::Rests {
            let held = hold(self.discs, c, free, impulses);
            if held.share <= 1.0 + ROUNDING {
                return End { does: Does::Rests, d: [0.0; 3], residual: 0.0 };
            }
            first = first.or(held.about.filter(|_| before == Does::Rests));
        }
        if let Some((k, d)) = self.about(c, first) {
            self.impulses(d, impulses);
            impulses[k] = self.held(c, d, k);
            return End { does: Does::TurnsAbout(k), d, residual: 0.0 };
        }
        let (d, residual) = self.slide(c, free, v);
        self.impulses(d, impulses);
        End { does: Does::Slides, d, residual }
    }

    /// Those of all isolators that slide.
    fn impulses(&self, d: Triple, impulses: &mut [[f64; 2]]) {
        for (contact, impulse) in self.contacts().zip(impulses) {
            let w = velocity(contact.disc.at, d);
            *impulse = [0.0; 2];
            if w != [0.0; 2] {
                let f = contact.pressed * contact.law.force(1.0, length(w));
                *impulse = contact.disc.ellipse.normal(w).map(|n| f * n);
            }
        }
    }

    /// What isolator `k` holds if the slab moves with `d`, about it.
    fn held(&self, c: Triple, d: Triple, k: usize) -> [f64; 2] {
        let carried = times(self.inertia, d);
        let mut left = [c[0] - carried[0], c[1] - carried[1]];
        for (j, contact) in self.contacts().enumerate() {
            let w = velocity(contact.disc.at, d);
            if j != k && w != [0.0; 2] {
                let f = contact.pressed * contact.law.force(1.0, length(w));
                let n = contact.disc.ellipse.normal(w);
                left = [left[0] - f * n[0], left[1] - f * n[1]];
            }
        }
        left
    }

    /// The isolator about which the slab can turn, and how: `first`, which rests, if its limit at rest holds it; else one that the friction of a
    /// slip at its start holds, which brings to rest what slides.
    fn about(&self, c: Triple, first: Option<usize>) -> Option<(usize, Triple)> {
        let turns = |k: usize, limit: f64| {
            if limit == 0.0 {
                return None;
            }
            let disc = self.discs[k];
            let spin = self.spin(c, k)?;
            let d = turn(disc.at).map(|e| spin * e);
            let used = disc.ellipse.gauge(self.held(c, d, k));
            (used <= limit * (1.0 + ROUNDING)).then_some((k, d))
        };
        first.and_then(|k| turns(k, self.discs[k].limit)).or_else(|| {
            let sliding = self.contacts().map(|c| c.pressed * c.law.force(1.0, 0.0));
            sliding.enumerate().find_map(|(k, limit)| turns(k, limit))
        })
    }

    /// θ̇ ≠ 0 of a turn about isolator `k` that balances the moments about it: the root of a function that rises with the size of θ̇.
    fn spin(&self, c: Triple, k: usize) -> Option<f64> {
        let e = turn(self.discs[k].at);
        let moment = dot(c, e);
        let inertia = dot(e, times(self.inertia, e));
        let resists = |spin: f64| -> f64 {
            let of = |(j, contact): (usize, Contact<'_>)| {
                let arm = velocity(contact.disc.at, e);
                let force = contact.law.force(1.0, spin * length(arm));
                if j == k {
                    0.0
                } else {
                    contact.pressed * force * contact.disc.ellipse.support(arm)
                }
            };
            self.contacts().enumerate().map(of).sum()
        };
        let excess = |spin: f64| moment.abs() - inertia * spin - resists(spin);
        let mut low = 0.0;
        let mut high = moment.abs() / inertia;
        let [mut at_low, mut at_high] = [excess(low), excess(high)];
        if at_low <= 0.0 {
            return None;
        }
        // Secants with halved ends (Illinois), and a halving wherever they are slow; of constant friction the first is the root.
        let mut spin = high;
        for i in 0..200 {
            let secant = (low * at_high - high * at_low) / (at_high - at_low);
            spin = if i % 4 == 3 || !secant.is_finite() { 0.5 * (low + high) } else { secant };
            let at = excess(spin);
            let rounding = 2.0 * f64::EPSILON * moment.abs();
            if at.abs() <= rounding || high - low <= 2.0 * f64::EPSILON * high {
                break;
            }
            if at > 0.0 {
                (low, at_low) = (spin, at);
                at_high *= 0.5;
            } else {
                (high, at_high) = (spin, at);
                at_low *= 0.5;
            }
        }
        (spin > 0.0).then_some(spin * moment.signum())
    }

    /// The motion in which all slide, and what the equation lacks: Newton's method from the velocity before, or along a friction that
    /// is smoothed less and less.
    fn slide(&self, c: Triple, free: Triple, before: Triple) -> (Triple, f64) {
        let scale = dot(c, free);
        let start = if before == [0.0; 3] { free } else { before };
        let (d, lacks) = self.newton(c, start, 0.0);
        if lacks <= EXACT * EXACT * scale {
            return (d, (lacks / scale).sqrt());
        }
        let speed = |d: Triple| {
            let of = |disc: &Disc| disc.ellipse.support(velocity(disc.at, d));
            self.discs
                .iter()
                .map(of)
                .fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), w| (a.min(w), b.max(w)))
        };
        let mut best = (d, lacks);
        let mut smooth = speed(free).1;
        let mut at = free;
        for _ in 0..60 {
            at = self.newton(c, at, smooth).0;
            let (slowest, _) = speed(at);
            if smooth <= 1e-3 * slowest {
                let found = self.newton(c, at, 0.0);
                if found.1 < best.1 {
                    best = found;
                }
                if best.1 <= EXACT * EXACT * scale {
                    break;
                }
            }
            smooth *= 0.2;
        }
        (best.0, (best.1 / scale).sqrt())
    }

    /// Newton's method from `d` with |E w| smoothed to √(|E w|² + s²), and FᵀS⁻¹F of what is lacking.
    fn newton(&self, c: Triple, start: Triple, smooth: f64) -> (Triple, f64) {
        let mut d = start;
        let (mut lacks, mut slopes) = self.lacking(c, d, smooth);
        let merit = |f: Triple| dot(f, times(self.inverse, f));
        let mut size = merit(lacks);
        let scale = dot(c, times(self.inverse, c));
        for _ in 0..ITERATIONS {
            if size <= f64::EPSILON * f64::EPSILON * scale {
                break;
            }
            let Some(step) = solved(&slopes, lacks) else { break };
            let mut part = 1.0;
            let mut better = false;
            for _ in 0..12 {
                let trial = [0, 1, 2].map(|i| d[i] - part * step[i]);
                let (lacks_there, slopes_there) = self.lacking(c, trial, smooth);
                let size_there = merit(lacks_there);
                if size_there < size * (1.0 - 0.1 * part) {
                    (d, lacks, slopes, size) = (trial, lacks_there, slopes_there, size_there);
                    better = true;
                    break;
                }
                part *= 0.5;
            }
            if !better {
                break;
            }
        }
        (d, size)
    }

    /// F = S d + Σ B_kᵀ λ_k − c, and its derivative by d.
    fn lacking(&self, c: Triple, d: Triple, smooth: f64) -> (Triple, Cube) {
        let carried = times(self.inertia, d);
        let mut f = [0, 1, 2].map(|i| carried[i] - c[i]);
        let mut slopes = *self.inertia;
        for contact in self.contacts() {
            let Disc { at, ellipse, .. } = contact.disc;
            let w = velocity(at, d);
            let size = crate::portable::hypot(ellipse.support(w), smooth);
            if size == 0.0 || contact.pressed == 0.0 {
                continue;
            }
            let [ex, ey] = ellipse.0;
            let normal = [ex * ex * w[0] / size, ey * ey * w[1] / size];
            let speed = length(w);
            let force = contact.pressed * contact.law.force(1.0, speed);
            let of = lever(at, normal);
            f = [0, 1, 2].map(|i| f[i] + force * of[i]);
            add(&mut slopes, at, force / size, &bending(ellipse, normal));
            let slope = contact.law.slope_range(1.0, speed, speed).0;
            if slope != 0.0 && speed > 0.0 {
                let outer = [0, 1].map(|i| [0, 1].map(|j| normal[i] * w[j] / speed));
                add(&mut slopes, at, contact.pressed * slope, &outer);
            }
        }
        (f, slopes)
    }
}

/// |w|.
#[inline]
fn length(w: [f64; 2]) -> f64 {
    crate::portable::hypot(w[0], w[1])
}

//! w + λ A(w) ∋ p: the one-step problem of one contact, to machine precision.
//!
//! For p > 0 the solutions are w = 0 if p ≤ λ A(0), and the positive roots of
//! F(w) = w + λ A(w) − p. While λ · sup(−A′) < 1, F increases and the solution is unique. Beyond,
//! velocity weakening can leave three; all are found, with a proof from bounds on A′.

use super::Curve;

/// The outcome of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Relative velocity after the step, m/s; zero means stick.
    pub w: f64,
    /// Whether the step's equation had other solutions. Below h/m = 1/sup(−A′) it has none.
    pub several: bool,
}

impl Step {
    /// The only answer.
    #[inline]
    pub fn only(w: f64) -> Self {
        Self { w, several: false }
    }
}

/// Solutions with w > 0, in increasing order.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Roots {
    values: [f64; Self::MOST],
    count: usize,
}

impl Roots {
    /// More solutions than a curve with a few bends can have; further ones are dropped.
    const MOST: usize = 8;

    /// The roots.
    pub fn as_slice(&self) -> &[f64] {
        &self.values[..self.count]
    }

    /// Adds `w`, unless rounding cannot tell it from the one before.
    fn push(&mut self, w: f64, scale: f64) {
        let double = self.as_slice().last().is_some_and(|last| w - last <= 1e-14 * scale);
        if self.count < Self::MOST && !double {
            self.values[self.count] = w;
            self.count += 1;
        }
    }
}

/// w with p − w ∈ λ A(w); of several solutions the one nearest to `before`.
pub fn resolvent(curve: &impl Curve, p: f64, lambda: f64, before: f64) -> Step {
    let sticks = p.abs() <= lambda * curve.at(0.0);
    if sticks && lambda * curve.weakening() < 1.0 {
        return Step::only(0.0);
    }
    let side = 1f64.copysign(p);
    let roots = sliding_roots(curve, p.abs(), lambda);
    let rest = if sticks { &[0.0][..] } else { &[] };
    let all = rest.iter().chain(roots.as_slice());
    let nearest =
        // The roots are those for p > 0: the velocity before is mirrored with p.
        |a: &f64, b: &f64| (a - side * before).abs().total_cmp(&(b - side * before).abs());
    let several = rest.len() + roots.count > 1;
    // The equation always has a solution: F(0⁺) ≥ 0 is a stick, else F changes sign.
    Step { w: side * all.copied().min_by(nearest).unwrap_or(0.0), several }
}

/// The roots w > 0 of w + λ A(w) = p, p > 0.
pub fn sliding_roots(curve: &impl Curve, p: f64, lambda: f64) -> Roots {
    let f = |w: f64| w + lambda * curve.at(w) - p;
    let mut roots = Roots::default();
    let start = f(0.0);
    // Friction that never helps the motion keeps w below p; a function that does needs more room.
    let mut most = p;
    // The bound ends the search for a law that drives the motion more strongly than w grows.
    while f(most) < 0.0 && most < 1e12 * p {
        most *= 2.0;
    }
    if lambda * curve.weakening() < 1.0 {
        // Otherwise p ≤ λ A(0), and F increases from there: it sticks.
        if start < 0.0 {
            roots.push(polish(curve, p, lambda, 0.0, most), p);
        }
        return roots;
    }
    isolate(curve, p, lambda, most, &mut roots);
    roots
}

/// Depth at which an interval is as short as rounding: a root (or a touch) that no bound resolves.
const DEPTH: u32 = 54;

/// Divides (0, `most`] from left to right until each part is proved free of roots or monotone.
fn isolate(curve: &impl Curve, p: f64, lambda: f64, most: f64, roots: &mut Roots) {
    let f = |w: f64| w + lambda * curve.at(w) - p;
    // Depth-first with the right halves waiting: at most one per level.
    let mut waiting = [(0.0, 0.0, 0u32); DEPTH as usize + 2];
    let mut top = 0;
    let mut current = Some((0.0, most, 0));
    while let Some((lo, hi, depth)) = current {
        let f_lo = f(lo);
        let f_hi = f(hi);
        let (s_lo, s_hi) = curve.slope_range(lo, hi);
        let d_lo = 1.0 + lambda * s_lo;
        let d_hi = 1.0 + lambda * s_hi;
        // F stays within the lines of slope d_lo, d_hi through both ends.
        let width = hi - lo;
        // With one sign at both ends, F would have to come down to zero and go back up within the width,
        // steeper than its slope allows.
        let free = if f_lo.signum() == f_hi.signum() {
            let turn = d_lo.abs().max(d_hi.abs()) * width;
            f_lo.abs() + f_hi.abs() > turn
        } else {
            false
        };
        let monotone = d_lo >= 0.0 || d_hi <= 0.0;
        let crosses = (f_lo < 0.0) != (f_hi < 0.0);
        if !free && !monotone && depth < DEPTH {
            let mid = 0.5 * (lo + hi);
            waiting[top] = (mid, hi, depth + 1);
            top += 1;
            current = Some((lo, mid, depth + 1));
            continue;
        }
        // A touch of zero without a change of sign is no root: an interval at the last depth counts only if the
        // sign changes.
        if crosses {
            roots.push(polish(curve, p, lambda, lo, hi), p);
        }
        current = if top > 0 {
            top -= 1;
            Some(waiting[top])
        } else {
            None
        };
    }
}

/// The root in [lo, hi], where F changes its sign: Newton's method inside a shrinking bracket.
fn polish(curve: &impl Curve, p: f64, lambda: f64, lo: f64, hi: f64) -> f64 {
    let f = |w: f64| w + lambda * curve.at(w) - p;
    let mut a = lo;
    let mut b = hi;
    let rising = f(b) >= 0.0;
    let mut w = 0.5 * (a + b);
    let mut last = b - a;
    for _ in 0..200 {
        let value = f(w);
        if value == 0.0 {
            return w;
        }
        if (value < 0.0) == rising {
            a = w
        } else {
            b = w
        }
        let newton = w - value / (1.0 + lambda * curve.slope(w));
        let step = newton - w;
        // Newton's method can go back and forth where F is flat: a step that does not halve the last one, or
        // leaves the bracket, gives way to bisection.
        let next = if newton > a && newton < b && 2.0 * step.abs() <= last {
            newton
        } else {
            0.5 * (a + b)
        };
        last = (next - w).abs();
        if last <= f64::EPSILON * w || next == a || next == b {
            return next;
        }
        w = next;
    }
    w
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Coulomb, General, Stribeck, StribeckExponential};
    use proptest::prelude::*;

    /// |p − w − λ A(w)| against the rounding of its terms.
    fn residual(curve: &impl Curve, p: f64, lambda: f64, w: f64) -> f64 {
        let force = lambda * curve.at(w.abs());
        let steep = lambda * curve.slope(w.abs()).abs() * w.abs(); // of a rounding of w
        (p.abs() - w.abs() - force).abs() / (p.abs() + force + steep)
    }

    /// Sign changes of F on a dense grid: what isolation must find at least.
    fn crossings(curve: &impl Curve, p: f64, lambda: f64) -> usize {
        let f = |w: f64| w + lambda * curve.at(w) - p;
        let n = 20_000;
        (0..n)
            .filter(|&i| {
                (f(p * i as f64 / n as f64) < 0.0) != (f(p * (i + 1) as f64 / n as f64) < 0.0)
            })
            .count()
    }

    fn check(curve: &impl Curve, p: f64, lambda: f64, before: f64) -> Result<(), TestCaseError> {
        let step = resolvent(curve, p, lambda, before);
        if step.w == 0.0 {
            prop_assert!(p.abs() <= lambda * curve.at(0.0));
        } else {
            prop_assert!(step.w.signum() == p.signum());
            prop_assert!(
                residual(curve, p, lambda, step.w) < 8e-16,
                "{}",
                residual(curve, p, lambda, step.w)
            );
        }
        let roots = sliding_roots(curve, p.abs(), lambda);
        prop_assert!(roots.as_slice().len() >= crossings(curve, p.abs(), lambda));
        prop_assert!(roots.as_slice().windows(2).all(|w| w[0] < w[1]));
        for &w in roots.as_slice() {
            prop_assert!(residual(curve, p.abs(), lambda, w) < 8e-16);
        }
        if lambda * curve.weakening() < 1.0 {
            prop_assert!(!step.several);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn stribeck(a in 0.01f64..2.0, b in 0.0f64..2.0, c in 0.0f64..2.0, p in -5.0f64..5.0, l in 0.01f64..3.0, v in -3.0f64..3.0) {
            check(&Stribeck::new(a, b, c, 1.0).unwrap(), p, l, v)?;
        }

        #[test]
        fn exponential(d in 0.3f64..3.0, ws in 0.05f64..2.0, c in 0.0f64..1.0, p in -5.0f64..5.0, l in 0.01f64..3.0, v in -3.0f64..3.0) {
            check(&StribeckExponential::new(2.0, 0.5, ws, d, c).unwrap(), p, l, v)?;
        }

        #[test]
        fn tables(forces in proptest::collection::vec(0.0f64..3.0, 1..6), p in -5.0f64..5.0, l in 0.01f64..3.0, v in -3.0f64..3.0) {
            let speeds: Vec<f64> = (0..forces.len()).map(|i| 0.4 * i as f64).collect();
            check(&General::table(&speeds, &forces).unwrap(), p, l, v)?;
        }

        /// The general solver on a constant is Coulomb's closed form.
        #[test]
        fn a_constant_function_is_coulomb(f in 0.0f64..3.0, p in -5.0f64..5.0, l in 0.01f64..3.0) {
            let general = General::function(move |_| f, (0.0, 0.0)).unwrap();
            let got = resolvent(&general, p, l, 0.0).w;
            let want = Coulomb::new(f).unwrap().resolvent(p, l);
            prop_assert!((got - want).abs() <= 1e-15 * p.abs());
        }

        /// A linear law A = f + c s: w = (p − λf)/(1 + λc).
        #[test]
        fn a_linear_function_has_a_closed_form(f in 0.0f64..3.0, c in -0.3f64..3.0, p in 0.0f64..5.0, l in 0.01f64..3.0) {
            prop_assume!(1.0 + l * c > 0.05);
            let general = General::function(move |s| f + c * s, (c, c)).unwrap();
            let got = resolvent(&general, p, l, 0.0).w;
            let want = ((p - l * f) / (1.0 + l * c)).max(0.0);
            prop_assert!((got - want).abs() <= 1e-13 * (1.0 + p), "{got} {want}");
        }
    }

    /// At rest p ≤ λ A(0) and nothing slides, where the solution is one; just beyond it does.
    #[test]
    fn nothing_slides_below_the_limit() {
        let law = General::function(|s| 2.0 + s, (1.0, 1.0)).unwrap();
        assert!(sliding_roots(&law, 0.99, 0.5).as_slice().is_empty());
        // w + ½ (2 + w) = 1.3
        let roots = sliding_roots(&law, 1.3, 0.5);
        let [w] = roots.as_slice() else { panic!("one root") };
        assert!((w - 0.2).abs() < 1e-15);
    }

    /// A force that helps the motion lets it go on beyond p: w + ½ (1 − w) = 2 has the root 3.
    #[test]
    fn a_force_that_helps_takes_the_root_beyond_p() {
        let law = General::function(|s| (1.0 - s).max(-3.0), (-1.0, 0.0)).unwrap();
        let roots = sliding_roots(&law, 2.0, 0.5);
        let [w] = roots.as_slice() else { panic!("one root") };
        assert!((w - 3.0).abs() < 1e-14);
        // However far: w − 10¹² = 1.
        let strong = General::function(|s| 1.0 - s.min(1e12), (-1.0, 0.0)).unwrap();
        let roots = sliding_roots(&strong, 2.0, 1.0);
        assert_eq!(roots.as_slice(), [1e12 + 1.0]);
    }

    /// Newton's method, two values for each slope: halving would take more than fifty steps.
    #[test]
    fn a_root_is_polished_in_few_steps() {
        use std::sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        };
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        let law = General::function(
            move |s| {
                counted.fetch_add(1, Ordering::Relaxed);
                1.0 + s.sqrt()
            },
            (0.0, 1e6),
        );
        // w + 1 + √w = 7
        let roots = sliding_roots(&law.unwrap(), 7.0, 1.0);
        assert!((roots.as_slice()[0] - 4.0).abs() < 1e-15);
        assert!(count.load(Ordering::Relaxed) < 40, "{count:?}");
    }

    #[test]
    fn three_solutions_are_told_apart() {
        // A = 1/(s³ + 1), λ = 4: F(w) = w + 4/(w³ + 1) − p has three roots for p in about (2.7, 4).
        let law = Stribeck::new(1.0, 0.0, 0.0, 1.0).unwrap();
        let roots = sliding_roots(&law, 3.5, 4.0);
        assert_eq!(roots.as_slice().len(), 2);
        let from_rest = resolvent(&law, 3.5, 4.0, 0.0);
        assert_eq!((from_rest.w, from_rest.several), (0.0, true)); // 3.5 ≤ 4·A(0)
        let from_speed = resolvent(&law, 3.5, 4.0, 3.0);
        assert!(from_speed.w > 3.0 && from_speed.several);
        // Below h/m = 1/weakening the answer is one.
        let below = 0.999 / law.weakening();
        assert!((0..200).all(|i| !resolvent(&law, 0.02 * f64::from(i), below, 0.0).several));
    }
}

//! From the root of a polynomial to the event of the motion, and how far one is from the other.

use super::dormand_prince::Step;
use crate::motion::Link;
use crate::motion::State;

/// The dense output of a step.
pub(super) fn link(step: &mut Step, a: &impl Fn(f64, f64, f64) -> f64) -> Link {
    let [x, v] = step.dense(a);
    Link { t: step.t, h: step.h, x, v }
}

/// |v̇ − a|·h at two points of the dense output, m/s.
pub(super) fn residual(l: &Link, a: &impl Fn(f64, f64, f64) -> f64) -> f64 {
    let at = |theta: f64| {
        let accelerates = a(l.t + theta * l.h, l.x.at(theta), l.v.at(theta));
        (l.v.slope(theta) - accelerates * l.h).abs()
    };
    at(0.37).max(at(0.71))
}

/// Newton's method on the step itself, from the root `at` of its dense output: of `guard`, which
/// gives a falling value and its rate from time and state.
pub(super) fn polish(
    step: &Step,
    l: &Link,
    a0: f64,
    mut at: f64,
    guard: impl Fn(f64, State) -> (f64, f64),
    a: &impl Fn(f64, f64, f64) -> f64,
) -> (f64, Link) {
    // Three steps of Newton's method: the dense output has left an error of the tolerance, and each step squares it.
    let mut best = (at, *l);
    for _ in 0..3 {
        let h = at - step.t;
        if h <= 1e-3 * step.h {
            break; // a root at the start is where the arc began
        }
        let mut shorter = Step::new(step.t, step.from, a0, h, a);
        let (value, slope) = guard(at, shorter.to);
        best = (at, link(&mut shorter, a));
        let move_by = value / slope;
        if slope >= 0.0
            || move_by.abs() > 1e-2 * step.h
            || move_by.is_nan()
            || move_by.abs() <= f64::EPSILON * at
        {
            break; // a touch, or done
        }
        at -= move_by;
    }
    best
}

/// The root of `f` near `at` in [lo, hi], if a few secant steps stay within `reach` of it.
pub(super) fn secant(f: impl Fn(f64) -> f64, lo: f64, at: f64, hi: f64, reach: f64) -> f64 {
    if at <= lo {
        return at;
    }
    let d = (1e-3 * reach).max(8.0 * f64::EPSILON * at.abs());
    let mut a = (at - d).max(lo);
    let mut b = at;
    let mut fa = f(a);
    let mut fb = f(b);
    for _ in 0..6 {
        if fb == 0.0 || fa == fb {
            break;
        }
        let c = b - fb * (b - a) / (fb - fa);
        if !((c - at).abs() <= reach && c >= lo && c <= hi) {
            return at;
        }
        a = b;
        fa = fb;
        b = c;
        fb = f(b);
        if (b - a).abs() <= 2.0 * f64::EPSILON * b.abs() {
            break;
        }
    }
    b
}

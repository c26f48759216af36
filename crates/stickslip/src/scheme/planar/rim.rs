//! Where a mass meets its rim, and where the rim ceases to push it: roots along the steps of a slip.

use super::Ends;
use super::polar::Sliding;
use super::side::Side;
use super::window::length;
use crate::model::planar::Rim;
use crate::motion::{Poly, TERMS};
use crate::roots::{GivenUp, Touch, first_root};

/// What can end each side of a rim.
fn guards(side: Side) -> &'static [Ends] {
    match side {
        Side::Inside => &[Ends::Meets],
        Side::Pressed => &[Ends::Lets],
        Side::Apart => &[Ends::Leaves, Ends::Pushes],
    }
}

/// How much of a guard its interpolation may miss, of the size of its terms.
const TAIL: f64 = 1e-11;
/// Rounding of a guard, of the size of its terms.
const NOISE: f64 = 1e-14;
/// Halvings of a part of a step whose guards are not interpolated well enough.
const HALVINGS: u32 = 12;

/// A guard, which falls through zero where it ends a motion, and the size of its terms.
fn guard(rim: Rim, what: Ends, at: &Sliding) -> [f64; 2] {
    let depth = rim.depth(at.r);
    let far = rim.radius + depth;
    match what {
        Ends::Meets => [-depth, far],
        Ends::Leaves => [depth, far],
        _ => {
            let speed = length(at.w);
            let size = rim.stiffness * far + rim.damping * speed;
            let push = rim.push(at.r, at.w);
            [if what == Ends::Pushes { -push } else { push }, size]
        }
    }
}

/// The first event at the rim along a step, which begins on `side` and is `along` at each of its fractions: when (s), and what.
///
/// Each guard is interpolated at Chebyshev's points of the step, of halves of it where that does not follow it, and the polynomial is
/// searched with a bound on its third derivative.
pub(super) fn first(
    rim: Rim,
    side: Side,
    along: impl Fn(f64) -> Sliding,
) -> Result<Option<(f64, Ends)>, GivenUp> {
    let mut parts = vec![(0.0, 1.0, 0)];
    while let Some((from, to, halvings)) = parts.pop() {
        let width = to - from;
        let mut found: Option<(f64, Ends)> = None;
        let mut good = true;
        for &what in guards(side) {
            let mut size = 0.0f64;
            let values: [f64; TERMS] = std::array::from_fn(|j| {
                let [value, terms] = guard(rim, what, &along(from + width * Poly::node(j)));
                size = size.max(terms);
                value
            });
            let tail = Poly::tail(&values);
            let least = values.iter().fold(f64::INFINITY, |m, v| m.min(*v));
            let most = values.iter().fold(0.0, |m: f64, v| m.max(*v));
            // What stays far from zero, for all that the interpolation may miss, is not searched.
            if least > 0.5 * most && least > 4.0 * tail {
                continue;
            }
            if tail > TAIL * size && halvings < HALVINGS {
                good = false;
                break;
            }
            let (poly, _) = Poly::interpolate(&values);
            let bound = poly.third_bound(1.0);
            let noise = NOISE * size + f64::MIN_POSITIVE;
            let until = found.map_or(1.0, |f| f.0);
            let jet = |x: f64| [poly.jet(x, 1.0, bound)];
            if let Some(root) = first_root(0.0, until, noise, Touch::Passes, jet)? {
                found = Some((root.at, what));
            }
        }
        if !good {
            let middle = 0.5 * (from + to);
            parts.push((middle, to, halvings + 1));
            parts.push((from, middle, halvings + 1));
        } else if let Some((at, what)) = found {
            return Ok(Some((polish(rim, what, &along, from + width * at, width), what)));
        }
    }
    Ok(None)
}

/// The time of a root near `at` of a step, in a part of it of this `width`, by the secant method on the guard itself, s.
fn polish(rim: Rim, what: Ends, along: impl Fn(f64) -> Sliding, at: f64, width: f64) -> f64 {
    let value = |x: f64| guard(rim, what, &along(x))[0];
    let mut before = (at - 1e-4 * width).max(0.0);
    let mut now = at;
    let mut at_before = value(before);
    for _ in 0..6 {
        let at_now = value(now);
        let next = now - at_now * (now - before) / (at_now - at_before);
        // The interpolation knows the root to its tail: what leads farther is rounding.
        if !next.is_finite() || (next - at).abs() > 1e-4 * width || !(0.0..=1.0).contains(&next) {
            break;
        }
        (before, at_before, now) = (now, at_now, next);
    }
    along(now).t
}

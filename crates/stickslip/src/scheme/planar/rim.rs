//! Where a mass meets its rim, and where the rim ceases to push it: roots along the steps of a slip.

use super::Ends;
use super::polar::Sliding;
use super::side::Side;
use super::window::length;
use crate::model::planar::Cushion;
use crate::motion::{Poly, TERMS};
use crate::roots::{GivenUp, Touch, first_root};

/// What can end each side of a soft rim.
fn guards(side: Side) -> &'static [Ends] {
    match side {
        Side::Inside => &[Ends::Meets],
        Side::Pressed => &[Ends::Lets],
        Side::Apart => &[Ends::Leaves, Ends::Pushes],
        Side::Closed | Side::Bouncing => &[],
    }
}

/// How much of a guard its interpolation may miss, of the size of its terms.
const TAIL: f64 = 1e-11;
/// Rounding of a guard, of the size of its terms.
const NOISE: f64 = 1e-14;
/// How many times that a guard that begins at zero must have risen before it may fall again.
const CLEAR: f64 = 64.0;
/// Halvings of a part of a step whose guards are not interpolated well enough.
const HALVINGS: u32 = 12;

/// A guard of a soft rim, which falls through zero where it ends a motion, and the size of its terms.
fn guard(rim: Cushion, what: Ends, at: &Sliding) -> [f64; 2] {
    let depth = length(at.r) - rim.radius;
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

/// The first event at a soft rim along a step, which begins on `side` and is `along` at each of its fractions: when (s), and what.
pub(super) fn at_soft(
    rim: Cushion,
    side: Side,
    along: impl Fn(f64) -> Sliding,
) -> Result<Option<(f64, Ends)>, GivenUp> {
    first(guards(side), false, |what, at| guard(rim, what, at), along)
}

/// Where a mass inside meets a rigid rim of this `radius` (m), as [`at_soft`]; `leaves` where it has been in contact with it at the start.
pub(super) fn at_rigid(
    radius: f64,
    leaves: bool,
    along: impl Fn(f64) -> Sliding,
) -> Result<Option<(f64, Ends)>, GivenUp> {
    let guard = |_, at: &Sliding| [radius - length(at.r), radius];
    first(&[Ends::Meets], leaves, guard, along)
}

/// How far a guard that is zero at the start of a step stays zero to rounding as it rises: the fraction of the step. Nothing where it
/// falls.
fn sets_out(value: impl Fn(f64) -> [f64; 2]) -> f64 {
    let mut next = 1e-9;
    while next < 1.0 {
        let [value, size] = value(next);
        if value < -CLEAR * NOISE * size {
            return 0.0;
        }
        if value > CLEAR * NOISE * size {
            return next;
        }
        next *= 2.0;
    }
    1.0
}

/// The first of these events along a step that is `along` at each of its fractions: when (s), and which. A `guard` falls through
/// zero where it happens, and comes with the size of its terms. After a contact, where a step may be `fresh`, guards begin at zero.
///
/// Each guard is interpolated at Chebyshev's points of the step, of halves of it where that does not follow it, and the polynomial is
/// searched with a bound on its third derivative.
pub(super) fn first(
    guards: &[Ends],
    fresh: bool,
    guard: impl Fn(Ends, &Sliding) -> [f64; 2],
    along: impl Fn(f64) -> Sliding,
) -> Result<Option<(f64, Ends)>, GivenUp> {
    let mut parts = vec![(0.0, 1.0, 0)];
    while let Some((from, to, halvings)) = parts.pop() {
        let width = to - from;
        let mut found: Option<(f64, Ends)> = None;
        let mut good = true;
        for &what in guards {
            let mut size = 0.0f64;
            let values: [f64; TERMS] = std::array::from_fn(|j| {
                let [value, terms] = guard(what, &along(from + width * Poly::node(j)));
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
            let clear = if fresh { sets_out(|x| guard(what, &along(x))) } else { 0.0 };
            let start = ((clear - from) / width).max(0.0);
            if start >= until {
                continue;
            }
            if let Some(root) = first_root(start, until, noise, Touch::Passes, jet)? {
                found = Some((root.at, what));
            }
        }
        if !good {
            let middle = 0.5 * (from + to);
            parts.push((middle, to, halvings + 1));
            parts.push((from, middle, halvings + 1));
        } else if let Some((at, what)) = found {
            let value = |x: f64| guard(what, &along(x))[0];
            return Ok(Some((along(polish(value, from + width * at, width)).t, what)));
        }
    }
    Ok(None)
}

/// The fraction of a step at which `value` has a root near `at`, in a part of it of this `width`, by the secant method.
fn polish(value: impl Fn(f64) -> f64, at: f64, width: f64) -> f64 {
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
    now
}

//! Where a mass meets its rim, and where the rim ceases to push it: roots along the steps of a slip.

use super::Ends;
use super::polar::Sliding;
use super::slip::Link;
use crate::model::planar::Rim;
use crate::motion::{Poly, TERMS};
use crate::roots::{GivenUp, Touch, first_root};

/// What the rim does to a mass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// Nothing: the mass is inside of it.
    #[default]
    Inside,
    /// It pushes.
    Pressed,
    /// Nothing: the mass is beyond it and comes back faster than it follows.
    Apart,
}

impl Side {
    /// That of a mass at `r` (m) with `v` (m/s).
    pub(super) fn of(rim: Option<Rim>, r: [f64; 2], v: [f64; 2]) -> Self {
        match rim {
            Some(rim) if rim.presses(r, v) => Self::Pressed,
            Some(rim) if rim.depth(r) > 0.0 => Self::Apart,
            _ => Self::Inside,
        }
    }

    /// What can end it.
    fn guards(self) -> &'static [Ends] {
        match self {
            Self::Inside => &[Ends::Meets],
            Self::Pressed => &[Ends::Lets],
            Self::Apart => &[Ends::Leaves, Ends::Pushes],
        }
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
            let speed = super::window::length(at.w);
            let size = rim.stiffness * far + rim.damping * speed;
            let push = rim.push(at.r, at.w);
            [if what == Ends::Pushes { -push } else { push }, size]
        }
    }
}

/// The first event at the rim along `link`, which begins on `side`: when (s), and what.
///
/// Each guard is interpolated at Chebyshev's points of the step, of halves of it where that does not follow it, and the polynomial is
/// searched with a bound on its third derivative.
pub(super) fn first(rim: Rim, side: Side, link: &Link) -> Result<Option<(f64, Ends)>, GivenUp> {
    let mut parts = vec![(0.0, 1.0, 0)];
    while let Some((from, to, halvings)) = parts.pop() {
        let width = to - from;
        let mut found: Option<(f64, Ends)> = None;
        let mut good = true;
        for &what in side.guards() {
            let mut size = 0.0f64;
            let values: [f64; TERMS] = std::array::from_fn(|j| {
                let [value, terms] = guard(rim, what, &link.along(from + width * Poly::node(j)));
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
            return Ok(Some((polish(rim, what, link, from + width * at, width), what)));
        }
    }
    Ok(None)
}

/// The time of a root near `at` of a step, by the secant method on the guard itself, s.
fn polish(rim: Rim, what: Ends, link: &Link, at: f64, width: f64) -> f64 {
    let value = |x: f64| guard(rim, what, &link.along(x))[0];
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
    link.along(now).t
}

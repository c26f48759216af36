//! How far a motion goes, and what friction takes.

use crate::model::Oscillator;
use crate::motion::{Motion, Phase, Segment, State, Stretch, Trajectory};
use crate::numeric::golden;

/// Parts into which a segment is divided where its velocity may change sign inside.
const PARTS: usize = 48;

/// The largest and the smallest displacement on a path, m.
pub(super) fn extremes(o: &Oscillator, path: &Trajectory) -> (f64, f64) {
    let mut least = f64::INFINITY;
    let mut greatest = f64::NEG_INFINITY;
    let mut see = |x: f64| (least, greatest) = (least.min(x), greatest.max(x));
    let turns = !o.support.is_zero();
    for s in path.segments() {
        see(s.arc.state(s.start).x);
        see(s.arc.state(s.end).x);
        let free = s.phase != Phase::Stick || matches!(s.arc, Stretch::Carried { .. });
        if turns && free {
            inner(s, &mut see);
        }
    }
    (greatest, least)
}

/// Shows the displacements at which the velocity changes its sign inside a segment.
fn inner(s: &Segment, see: &mut impl FnMut(f64)) {
    let at = |i: usize| s.start + (s.end - s.start) * (i as f64 / PARTS as f64);
    let mut before = s.arc.state(s.start).v;
    for i in 1..=PARTS {
        let v = s.arc.state(at(i)).v;
        if before * v < 0.0 {
            let root = crossing(|t| s.arc.state(t).v, at(i - 1), at(i));
            see(s.arc.state(root).x);
        }
        before = v;
    }
}

/// Where a quantity changes its sign between two instants, s.
pub(super) fn crossing(quantity: impl Fn(f64) -> f64, mut a: f64, mut b: f64) -> f64 {
    let sign = quantity(a).signum();
    for _ in 0..60 {
        let middle = 0.5 * (a + b);
        if middle <= a || middle >= b {
            break;
        }
        if quantity(middle) * sign > 0.0 { a = middle } else { b = middle }
    }
    0.5 * (a + b)
}

/// The least and the greatest value of a smooth function between two instants, s: the best of a grid of so many parts, refined
/// by golden sections.
pub(super) fn range_of(f: &dyn Fn(f64) -> f64, a: f64, b: f64, parts: usize) -> (f64, f64) {
    let at = |i: usize| a + (b - a) * (i as f64 / parts as f64);
    let values: Vec<f64> = (0..=parts).map(|i| f(at(i))).collect();
    let most = |sign: f64| {
        let best = (0..=parts).max_by(|&i, &j| (sign * values[i]).total_cmp(&(sign * values[j])));
        let i = best.unwrap_or(0);
        let low = at(i.max(1) - 1);
        let high = at((i + 1).min(parts));
        let (_, least) = golden(low, high, 40, |t| -sign * f(t));
        sign * (sign * values[i]).max(-least)
    };
    (most(-1.0), most(1.0))
}

/// Lost to friction along a path, J.
pub(super) fn dissipated(o: &Oscillator, path: &Trajectory) -> f64 {
    let pressed = o.normal.is_some() || o.nonlinear.normal_slope != 0.0;
    let plain = o.support.is_zero() && !pressed;
    let Some(constants) = o.friction.constants().filter(|_| plain) else {
        return path.energy(o).friction;
    };
    path.segments().iter().filter(|s| s.phase != Phase::Stick).fold(0.0, |sum, s| {
        let [State { x: a, .. }, State { x: b, .. }] = [s.start, s.end].map(|t| s.arc.state(t));
        sum + constants[usize::from(s.phase.sign() < 0.0)].1 * (b - a).abs()
    })
}

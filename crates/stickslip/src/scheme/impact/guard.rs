//! When the mass meets a wall, certified.

use super::room::Frame;
use crate::motion::LinearArc;
use crate::motion::State;
use crate::roots::{GivenUp, Jet, Touch, first_root};
use crate::signal::Piece;

/// Which crossing of a distance from the walls ends a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Limit {
    /// Every wall's distance must stay above this, m.
    Above(f64),
    /// The distance from the frame's wall must stay below this, m.
    Below(f64),
}

/// The first crossing on `arc` in [`from`, `to`) after its start, and the frame of the wall.
///
/// `spare`: up to this time after the start the frame's own wall is known to stay clear.
/// `noise`: rounding error of distances, m. A distance that touches the limit to within it without
/// crossing is a **graze** and does not end the motion.
pub(super) fn first_crossing(
    frame: &Frame,
    arc: &LinearArc,
    limit: Limit,
    from: f64,
    to: f64,
    spare: f64,
    noise: f64,
) -> Result<Option<(f64, usize)>, GivenUp> {
    let m = arc.medium();
    let load = arc.load();
    let start = arc.start();
    let curve: f64 = second_bound(&load);
    let shifts = frame.shifts.iter().map(|s| s.as_ref().map(|s| s.piece_at(start)));
    let mut shifts: Vec<Option<Piece<'_>>> = shifts.collect();
    shifts.resize(2, None);
    let own = frame.shifts.iter().position(Option::is_none);
    let walls = frame.shifts.len();
    let eval = |s: f64| {
        let (State { x: y, v }, [p, p1, _]) = arc.loaded(s);
        let a = (p - m.damping * v - m.stiffness * y) / m.mass;
        let j = (p1 - m.damping * a - m.stiffness * v) / m.mass;
        // Energy of the equation for ẏ: (j² + ω² a²)^½ grows no faster than |p″|/m.
        let rotation = m.natural_frequency * a;
        let bound = (j * j + rotation * rotation).sqrt();
        let growth = curve / m.mass;
        let jet = |i: usize| {
            let is_own = own == Some(i);
            // A mass that has just left its own wall is at zero distance from it, to rounding: until `spare` it is known to be clear.
            if i >= walls || (is_own && s < spare) {
                return Jet::NEVER;
            }
            let mut sign = frame.wall.sign();
            let mut d = [y, v, a];
            let mut bound = bound;
            if let Some(shift) = &shifts[i] {
                // Of two walls the other one bounds the room from the other side.
                sign = -sign;
                let [e, e1, e2, _] = shift.derivatives(start + s);
                d = [y + e, v + e1, a + e2];
                bound += shift.third_bound;
            }
            let (scale, offset) = match limit {
                Limit::Above(l) => (sign, -l),
                Limit::Below(l) if is_own => (-sign, l),
                Limit::Below(_) => return Jet::NEVER,
            };
            let [value, first, second] = d.map(|x| scale * x);
            Jet { value: value + offset, first, second, third: 0.0, bound, growth }
        };
        [jet(0), jet(1)]
    };
    let root = first_root(from, to, noise, Touch::Passes, eval)?;
    Ok(root.map(|r| (r.at, r.which)))
}

/// A bound on |p″| along a piece: Σ |A| ω².
pub(super) fn second_bound(piece: &Piece<'_>) -> f64 {
    piece.harmonics.iter().map(|h| h.amplitude.abs() * h.angular_frequency.powi(2)).sum()
}

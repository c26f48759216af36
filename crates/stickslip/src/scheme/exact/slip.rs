//! Where a slip comes to rest.

use crate::roots::{Jet, Touch, first_root};
use crate::scheme::linear::LinearArc;
use crate::trajectory::State;

/// The first time after the start of `arc` at which the velocity, of sign `sign`, is zero, if before
/// `until`. `breakaway`: f_s, N.
pub(super) fn first_rest(arc: &LinearArc, sign: f64, breakaway: f64, until: f64) -> Option<f64> {
    let (m, piece) = (arc.medium(), arc.load());
    let growth = piece.third_bound / m.mass;
    let eval = |t: f64| {
        let State { x, v } = arc.state(t);
        let [p, p1, p2, _] = piece.derivatives(t);
        let mut a = (p - arc.resistance() - m.damping * v - m.stiffness * x) / m.mass;
        if t == arc.start() && v == 0.0 {
            // At rest |b| ≥ f_s, whatever the rounding.
            a = sign * (sign * a).max((breakaway - arc.resistance().abs()) / m.mass);
        }
        let j = (p1 - m.damping * a - m.stiffness * v) / m.mass;
        let snap = (p2 - m.damping * j - m.stiffness * a) / m.mass;
        // Energy of the equation for v″: (snap² + ω² j²)^½ grows no faster than |p‴|/m.
        let rotation = m.natural_frequency * j;
        let bound = (snap * snap + rotation * rotation).sqrt();
        [Jet { value: sign * v, first: sign * a, second: sign * j, bound, growth }]
    };
    first_root(arc.start(), until, 0.0, Touch::Counts, eval).map(|r| r.at)
}

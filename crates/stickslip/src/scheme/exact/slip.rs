//! Where a slip comes to rest.

use crate::motion::LinearArc;
use crate::motion::State;
use crate::roots::{Jet, Touch, first_root};

/// The first time after the start of `arc` at which the velocity, of sign `sign`, is zero, if before
/// `until`. From rest the force that accelerates is at least `least` ≥ 0 (N).
pub(super) fn first_rest(arc: &LinearArc, sign: f64, least: f64, until: f64) -> Option<f64> {
    let m = arc.medium();
    let per_mass = 1.0 / m.mass;
    let (c, k) = (m.damping * per_mass, m.stiffness * per_mass);
    let (start, growth) = (arc.start(), arc.load().third_bound * per_mass);
    let eval = |t: f64| {
        let (State { x, v }, [p, p1, p2]) = arc.loaded(t - start);
        let mut a = (p - m.damping * v - m.stiffness * x) * per_mass;
        if t == start && v == 0.0 {
            a = sign * (sign * a).max(least * per_mass);
        }
        let j = p1 * per_mass - c * a - k * v;
        let snap = p2 * per_mass - c * j - k * a;
        // Energy of the equation for v″: (snap² + ω² j²)^½ grows no faster than |p‴|/m.
        let rotation = m.natural_frequency * j;
        let bound = (snap * snap + rotation * rotation).sqrt();
        [Jet { value: sign * v, first: sign * a, second: sign * j, bound, growth }]
    };
    first_root(start, until, arc.velocity_noise(until), Touch::Counts, eval).map(|r| r.at)
}

//! Where a slip comes to rest.

use crate::motion::LinearArc;
use crate::motion::State;
use crate::roots::{Jet, Touch, first_root};
use crate::signal::Piece;

/// The first time after the start of `arc` at which the velocity relative to the `support`, of sign
/// `sign`, is zero, if before `until`. From rest the force that accelerates is at least `least` ≥ 0 (N).
pub(super) fn first_rest(
    arc: &LinearArc,
    support: Option<Piece<'_>>,
    sign: f64,
    least: f64,
    until: f64,
) -> Option<f64> {
    let m = arc.medium();
    let per_mass = 1.0 / m.mass;
    let (c, k) = (m.damping * per_mass, m.stiffness * per_mass);
    let start = arc.start();
    // Where v⁗ has a bound for the whole arc, v‴ is known and its change is bounded; else its size is.
    let fourth = arc.snap_rate_bound();
    let growth = match fourth {
        Some(bound) => bound + support.as_ref().map_or(0.0, |s| s.derivative_bound(4)),
        None => arc.load().third_bound * per_mass,
    };
    let moves = |t: f64| support.as_ref().map_or([0.0; 4], |s| s.derivatives(t));
    let from_rest = arc.initial().v == moves(start)[0];
    let (wild, noise) = support.as_ref().map_or((0.0, 0.0), |s| {
        (s.third_bound, 4.0 * f64::EPSILON * s.scale(start).max(s.scale(until)))
    });
    let eval = |t: f64| {
        let (State { x, v }, [p, p1, p2]) = arc.loaded(t - start);
        let [s, s1, s2, s3] = moves(t);
        let mut a = (p - m.damping * v - m.stiffness * x) * per_mass;
        let mut w = v - s;
        if t == start && from_rest {
            w = 0.0;
            a = s1 + sign * (sign * (a - s1)).max(least * per_mass);
        }
        let j = p1 * per_mass - c * a - k * v;
        let snap = p2 * per_mass - c * j - k * a;
        let (value, first, second) = (sign * w, sign * (a - s1), sign * (j - s2));
        if fourth.is_some() {
            return [Jet { value, first, second, third: sign * (snap - s3), bound: 0.0, growth }];
        }
        // Energy of the equation for v″: (snap² + ω² j²)^½ grows no faster than |p‴|/m.
        let rotation = m.natural_frequency * j;
        let bound = (snap * snap + rotation * rotation).sqrt() + wild;
        [Jet { value, first, second, third: 0.0, bound, growth }]
    };
    let noise = arc.velocity_noise(until) + noise;
    first_root(start, until, noise, Touch::Counts, eval).map(|r| r.at)
}

//! Where a slip comes to rest.

use crate::motion::LinearArc;
use crate::motion::State;
use crate::roots::{GivenUp, Jet, Touch, first_root};
use crate::signal::Piece;

/// The first time after the start of `arc` at which the velocity relative to the `support`, of sign
/// `sign`, is zero, if before `until`. From rest the force that accelerates is at least `least` ≥ 0 (N).
pub(super) fn first_rest(
    arc: &LinearArc,
    support: Option<Piece<'_>>,
    sign: f64,
    least: f64,
    until: f64,
) -> Result<Option<f64>, GivenUp> {
    let m = arc.medium();
    let per_mass = 1.0 / m.mass;
    let c = m.damping * per_mass;
    let k = m.stiffness * per_mass;
    let start = arc.start();
    // Where v⁗ has a bound for the whole arc, v‴ is known and its change is bounded; else its size is.
    let fourth = arc.snap_rate_bound();
    let growth = match fourth {
        Some(bound) => bound + support.as_ref().map_or(0.0, |s| s.derivative_bound(4)),
        None => arc.load().third_bound * per_mass,
    };
    let moves = |t: f64| support.as_ref().map_or([0.0; 4], |s| s.derivatives(t));
    // At rest the velocity is zero, and the load exceeds the sliding friction by at least what the limit does: the phase has
    // said which way the mass goes, and rounding must not contradict it.
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
        let value = sign * w;
        let first = sign * (a - s1);
        let second = sign * (j - s2);
        if fourth.is_some() {
            return [Jet { value, first, second, third: sign * (snap - s3), bound: 0.0, growth }];
        }
        // Energy of the equation for v″: (snap² + ω² j²)^½ grows no faster than |p‴|/m.
        let rotation = m.natural_frequency * j;
        let bound = (snap * snap + rotation * rotation).sqrt() + wild;
        [Jet { value, first, second, third: 0.0, bound, growth }]
    };
    let known = |until: f64| arc.velocity_noise(until) + noise;
    let coarse = known(until);
    let Some(root) = first_root(start, until, coarse, Touch::Counts, eval)? else {
        return Ok(None);
    };
    let rest = root.at;
    // Without a spring what is known of the velocity, and of the time, is the less the longer the slip could be: look again
    // where it ends, with what is known there.
    let fine = known(rest);
    if fine > 0.1 * coarse {
        return Ok(Some(rest));
    }
    let way = rest - start;
    // A little before the first answer: with the finer noise the root may lie on either side of it.
    let from = rest - 1e-6 * way;
    let near = first_root(from, (rest + way).min(until), fine, Touch::Counts, eval)?;
    let again = match near {
        None => first_root(from, until, fine, Touch::Counts, eval)?,
        found => found,
    };
    Ok(again.map(|r| r.at))
}

/// The first time on `arc` at which a soft stop (κ, N/m, and γ, N·s/m) that lies behind the mass, which slips towards
/// `sign`, ceases to push it, if it `pushes` now, or begins to, if before `until`: the first zero of
///
/// ```text
/// κ δ + γ δ̇,   δ = −sign·y
/// ```
pub(super) fn first_turn(
    arc: &LinearArc,
    kappa: f64,
    gamma: f64,
    sign: f64,
    pushes: bool,
    until: f64,
) -> Result<Option<f64>, GivenUp> {
    let m = arc.medium();
    let per_mass = 1.0 / m.mass;
    let c = m.damping * per_mass;
    let k = m.stiffness * per_mass;
    let start = arc.start();
    let way = if pushes { -sign } else { sign };
    let load = arc.load();
    // Velocities are known to this, and so are displacements in the time in which the arc varies.
    let varies = (until - start).min(1.0 / m.natural_frequency);
    let noise = 2.0 * (gamma + kappa * varies) * arc.velocity_noise(until);
    let fourth = arc.snap_rate_bound().zip(arc.snap_bound());
    let eval = |t: f64| {
        let (State { x, v }, [p, p1, p2]) = arc.loaded(t - start);
        let a = (p - m.damping * v - m.stiffness * x) * per_mass;
        let j = p1 * per_mass - c * a - k * v;
        let snap = p2 * per_mass - c * j - k * a;
        let [value, first, second, third] =
            [[x, v], [v, a], [a, j], [j, snap]].map(|[x, v]| way * (kappa * x + gamma * v));
        // Where the last turn is, the force is zero, whatever the rounding.
        let value = if t == start && value.abs() <= noise { 0.0 } else { value };
        if let Some((snap_rate, snap)) = fourth {
            let growth = kappa * snap + gamma * snap_rate;
            return [Jet { value, first, second, third, bound: 0.0, growth }];
        }
        let (bound, growth) = if m.stiffness == 0.0 {
            // j′ = −c j + p″ and snap′ = −c snap + p‴ (per mass): neither grows faster than what drives it.
            let rates = [2, 3].map(|order| load.derivative_bound(order) * per_mass);
            (kappa * j.abs() + gamma * snap.abs(), kappa * rates[0] + gamma * rates[1])
        } else {
            // Energy of the equation for v″, as in `first_rest`.
            let rotation = m.natural_frequency * j;
            let energy = (snap * snap + rotation * rotation).sqrt();
            let each = kappa / m.natural_frequency + gamma;
            (each * energy, each * load.third_bound * per_mass)
        };
        [Jet { value, first, second, third: 0.0, bound, growth }]
    };
    let root = first_root(start, until, noise, Touch::Passes, eval)?;
    Ok(root.map(|r| r.at))
}

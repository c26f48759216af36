//! Bifurcations of smooth maps, located where theory says.

use std::f64::consts::TAU;
use stickslip::law::Contact;
use stickslip::scheme::oscillator::adaptive::Options as Tolerances;
use stickslip::study::orbit::{Forced, Kind, Method, Options, response};
use stickslip::{Error, Law, Oscillator, Signal, Stops};

/// x″ + c x′ + x = cos ωt against a rigid stop at d with restitution e.
const C: f64 = 0.1;
const D: f64 = 0.3;
const E: f64 = 0.8;

/// 1 + trace + determinant of the derivative of the period map of the orbit with one impact in a period, which is
/// known in closed form (Shaw and Holmes 1983): 0 at a flip. T = 2π/ω is the time between impacts.
fn flips(omega: f64) -> f64 {
    let period = TAU / omega;
    let gain = 1.0 / ((1.0 - omega * omega).powi(2) + (C * omega).powi(2)).sqrt();
    let lag = (C * omega).atan2(1.0 - omega * omega);
    // the free motion over a period
    let (s, w) = (0.5 * C, (1.0 - 0.25 * C * C).sqrt());
    let (decay, sin, cos) = ((-s * period).exp(), (w * period).sin(), (w * period).cos());
    let free = [
        [decay * (cos + s / w * sin), decay * sin / w],
        [-decay * sin / w, decay * (cos - s / w * sin)],
    ];
    let bend = free[0][1] / (1.0 - free[0][0]);
    let kappa = free[1][0] * bend + free[1][1];
    // v after the impact is q sin θ, and d = G cos θ + p sin θ
    let q = (1.0 - kappa) * gain * omega / (1.0 / E + kappa);
    let p = bend * (q + gain * omega);
    let (size, turn) = (gain.hypot(p), p.atan2(gain));
    let found = [1.0, -1.0].map(|side| turn + side * (D / size).acos());
    let theta = found.into_iter().find(|t| q * t.sin() < 0.0).unwrap();
    let (after, before) = (q * theta.sin(), -q * theta.sin() / E);
    let a = |v: f64| (theta + lag).cos() - D - C * v;
    let fall = -(E * a(before) + a(after)) / -before;
    // the impact: δx⁺ = −e δx, δv⁺ = (e a⁻ + a⁺) δx/v⁻ − e δv
    let (trace, det) =
        (-E * free[0][0] + fall * free[0][1] - E * free[1][1], E * E * decay * decay);
    1.0 + trace + det
}

#[test]
fn a_flip_is_where_the_closed_form_has_it() {
    let (mut low, mut high) = (2.03, 2.075);
    assert!(flips(low) * flips(high) < 0.0, "{} {}", flips(low), flips(high));
    while high - low > 1e-13 {
        let middle = 0.5 * (low + high);
        if flips(middle) * flips(low) > 0.0 { low = middle } else { high = middle }
    }
    let make = |omega: f64| -> Result<Forced, Error> {
        let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.0)?)
            .with_damping(C)
            .with_force(Signal::harmonic(1.0, omega, 0.0))
            .with_stops(Stops::rigid(None, Some(D), E));
        Forced::new(&o.into(), TAU / omega, Method::Exact)
    };
    let mut options = Options::new(2.03, 2.075).with_count(12);
    options.seeds = 1;
    let found = response(make, &options).unwrap();
    let at: Vec<_> = found.bifurcations().collect();
    assert!(at.len() == 1 && at[0].1 == Kind::Flip, "{at:?}");
    assert!((at[0].0 - low).abs() < 1e-10, "{at:?} {low}");
}

/// A law that falls with the velocity: f − a w.
#[derive(Debug)]
struct Falling;

impl Contact for Falling {
    fn force(&self, _: f64, w: f64) -> f64 {
        (1.0 - 0.2 * w).max(0.0)
    }

    fn slope_range(&self, _: f64, from: f64, to: f64) -> (f64, f64) {
        (if from < 5.0 { -0.2 } else { 0.0 }, if to < 5.0 { -0.2 } else { 0.0 })
    }
}

/// On a belt that a mass never catches up with, a law that falls by a is a damper −a: the multipliers are those of a
/// linear oscillator, of modulus exp(−(c − a) T/2), and cross the unit circle at c = a.
#[test]
fn a_neimark_sacker_bifurcation_is_where_the_damping_vanishes() {
    let omega = 1.7;
    let make = |c: f64| -> Result<Forced, Error> {
        let o = Oscillator::new(1.0, 1.0, Law::custom("falling", Falling)?)
            .with_damping(c)
            .with_support(Signal::constant(2.0))
            .with_force(Signal::harmonic(0.3, omega, 0.0));
        let tight = Method::Adaptive(Tolerances::tolerance(1e-12).with_atol(1e-14));
        Forced::new(&o.into(), TAU / omega, tight)
    };
    let mut options = Options::new(0.35, 0.1).with_count(6);
    options.seeds = 1;
    let found = response(make, &options).unwrap();
    let at: Vec<_> = found.bifurcations().collect();
    assert!(at.len() == 1 && at[0].1 == Kind::NeimarkSacker, "{at:?}");
    assert!((at[0].0 - 0.2).abs() < 1e-9, "{at:?}");
}

/// Friction α₀ − α₁w + α₂w³ on a belt at V: about steady sliding the damping is c − α₁ + 3α₂V². The orbits of a mass that nothing else drives shrink
/// to steady sliding where it vanishes, V = √((α₁ − c)/3α₂).
#[test]
fn a_self_excited_orbit_ends_in_a_hopf_bifurcation() {
    let (c, a1, a2) = (0.2f64, 1.0, 0.5);
    let make = |v: f64| -> Result<Forced, Error> {
        let o = Oscillator::new(1.0, 1.0, Law::cubic(1.0, a1, a2)?)
            .with_damping(c)
            .with_support(Signal::constant(v))
            .starting_at(1.2, 0.0);
        Forced::by_itself(&o.into(), Method::Best)
    };
    let mut options = Options::new(0.6, 0.9).with_count(30);
    options.seeds = 1;
    let found = response(make, &options).unwrap();
    let end = ((a1 - c) / (3.0 * a2)).sqrt();
    let at: Vec<_> = found.bifurcations().filter(|b| b.1 == Kind::Hopf).collect();
    assert!(at.len() == 1 && (at[0].0 - end).abs() < 1e-9, "{at:?} {end}");
    let points = &found.branches[0].points;
    assert!(found.branches.len() == 1 && points.iter().all(|p| p.value <= at[0].0), "{end}");
    // A² = 4 (α₁ − c − 3α₂V²)/(3α₂) of small orbits, by averaging
    let near = points.iter().rfind(|p| p.orbit.amplitude() > 0.02 && p.kind.is_none()).unwrap();
    let small = (4.0 * (end * end - near.value * near.value)).sqrt();
    assert!((near.orbit.amplitude() / small - 1.0).abs() < 0.02, "{} {small}", near.value);
    assert!(!found.bifurcations().any(|b| b.1 == Kind::Flip));
}

//! Steady sliding next to stick-slip, where stick-slip ceases, and errors that are errors.

use crate::common::{Random, sized};
use std::f64::consts::TAU;
use stickslip::study::orbit::{
    End, Forced, Kind, Leads, Method, Options, Search, orbits, response, search,
};
use stickslip::{Error, Law, Oscillator, Signal, Stops};

/// A mass on a belt, f_s > f_d.
fn belt(damping: f64, speed: f64) -> Oscillator {
    let law = Law::static_dynamic(1.5, 1.0).unwrap();
    Oscillator::new(1.0, 1.0, law).with_damping(damping).with_support(Signal::constant(speed))
}

/// Where x = f_d/k, for the sliding is linear and damped; its rates are −c/2 ± i √(k − c²/4).
#[test]
fn steady_sliding_is_listed_with_its_rates() {
    // Slower than where stick-slip ceases at each damping.
    let given = [(0.05, 0.15), (0.05, 0.25), (0.1, 0.1), (0.2, 0.3), (0.3, 0.05)];
    let mut r = Random(39);
    let others: Vec<_> = (0..8)
        .map(|_| {
            let damping = r.uniform(0.03, 0.3);
            (damping, r.uniform(0.2, 0.9) * ceases(damping))
        })
        .collect();
    for (damping, speed) in given.into_iter().chain(others) {
        let found = orbits(
            &belt(damping, speed).starting_at(0.0, speed).into(),
            Method::Best,
            &Search::default(),
        )
        .unwrap();
        assert_eq!(found.steady.len(), 1, "{damping} {speed}");
        let steady = &found.steady[0];
        assert!(steady.stable && (steady.state[0] - 1.0).abs() < 1e-14);
        let imaginary = (1.0 - 0.25 * damping * damping).sqrt();
        for rate in &steady.rates {
            assert!((rate.re + 0.5 * damping).abs() < 1e-14);
            assert!((rate.im.abs() - imaginary).abs() < 1e-14);
        }
        assert!(found.complete && found.orbits[0].stops == 1);
        assert_eq!(found.leads, Leads::Orbit);
    }
}

/// A start next to steady sliding leads there: within v = c/… of it the motion is a damped spiral that never reaches the belt.
#[test]
fn the_start_leads_where_the_motion_goes() {
    for x in [0.9, 0.95, 0.98, 1.02, 1.1] {
        let o = belt(0.05, 0.15).starting_at(x, 0.0);
        let found = orbits(&o.into(), Method::Best, &Search::default()).unwrap();
        assert_eq!(found.leads, Leads::Steady(0), "{x}");
        assert!(found.complete && !found.orbits.is_empty());
    }
    // Undamped or driven by a falling law, steady sliding is no attractor.
    let law = Law::stribeck(0.0, 0.0, 3.0, 1.0).unwrap();
    let o = Oscillator::new(1.0, 1.0, law).with_support(Signal::constant(0.2));
    let found = orbits(&o.into(), Method::Best, &Search::default()).unwrap();
    assert!(!found.steady[0].stable && found.leads == Leads::Orbit);
    // F(0.2) = 1/1.6.
    assert!((found.steady[0].state[0] - 0.625).abs() < 1e-14);
}

/// Half of the undamped natural frequency: x″ + x = cos t/2 − f sgn x′ has a continuum of orbits of the same amplitude, moved sideways as
/// long as the mass does not stick where it turns, that is up to |F − x| = f at the upper turn: x = F + f. A motion from rest sticks there,
/// a little less in each period, and creeps to the last orbit of the continuum, not to one that lies next to it on its way.
#[test]
fn a_motion_that_creeps_along_a_continuum_comes_to_its_end() {
    for friction in [0.05, 0.1, 0.15, 0.2, 0.3] {
        let load = Signal::harmonic(1.0, 0.5, 0.0);
        let o = Oscillator::new(1.0, 1.0, Law::coulomb(friction).unwrap()).with_force(load);
        let found = orbits(&o.into(), Method::Best, &Search::default()).unwrap();
        let first = &found.orbits[0];
        assert!(first.family && found.leads == Leads::Orbit, "{friction}");
        assert!((first.max - (1.0 + friction)).abs() < 1e-4, "{friction}: {}", first.max);
        // 1/(1 − β²)
        assert!((first.amplitude() - 4.0 / 3.0).abs() < 1e-9, "{friction}: {}", first.amplitude());
    }
}

/// Where nothing but steady sliding is left, the message says so, and where it is.
#[test]
fn a_model_that_only_slides_has_no_orbit() {
    let o = belt(0.2, 0.6);
    let said = orbits(&o.into(), Method::Best, &Search::default()).unwrap_err().to_string();
    assert!(
        said.contains("steady sliding at x = 1 m") && !said.contains("does not repeat"),
        "{said}"
    );
}

/// Where stick-slip ceases on a belt with f_s > f_d: the damped slip that leaves the belt at x = (f_s − c v)/k only just reaches the
/// belt's velocity again. With y = x − f_d/k the slip begins at (y, v) = (D − c v_b, v_b), D = f_s − f_d, and is a spiral: bisection of
/// its closed form.
fn ceases(damping: f64) -> f64 {
    let (zeta, gap) = (0.5 * damping, 0.5);
    let omega = (1.0 - zeta * zeta).sqrt();
    // The largest velocity of a spiral from (y, v) after its first minimum.
    let excess = |belt: f64| {
        let (y, v) = (gap - damping * belt, belt);
        let at = |t: f64| {
            let (s, c) = (omega * t).sin_cos();
            let e = (-zeta * t).exp();
            e * (v * c - (y + zeta * v) / omega * s)
        };
        let mut most = f64::NEG_INFINITY;
        for i in 0..8_000 {
            let t = 3.0 + 4.0 * f64::from(i) / 8_000.0;
            most = most.max(at(t));
        }
        most - belt
    };
    let (mut low, mut high) = (0.01, 2.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}

#[test]
fn a_response_says_where_stick_slip_ceases() {
    for damping in [0.1, 0.12, 0.15, 0.18, 0.2, 0.23, 0.26, 0.3, 0.33, 0.37, 0.4] {
        let right = ceases(damping);
        let make = |speed: f64| Forced::by_itself(&belt(damping, speed).into(), Method::Best);
        let found = response(make, &Options::new(0.5 * right, 1.6 * right).with_count(40)).unwrap();
        assert_eq!(found.branches.len(), 1, "{damping}");
        let ends: Vec<_> = found.branches[0].inner_ends().collect();
        let [(value, end)] = ends[..] else { panic!("{damping}: {ends:?}") };
        assert!((value - right).abs() < 1e-6, "{damping}: {value} {right}");
        assert_eq!(end, End::Bifurcation(Kind::GrazingSliding), "{damping}");
        // Beyond it motions slide steadily: no attractor is missing.
        assert!(found.is_whole() && !found.steady.is_empty() && found.others.is_empty());
    }
    assert!((ceases(0.2) - 0.3401).abs() < 1e-4);
}

/// The same under Stribeck's law, whose friction falls within 2 cm/s: the slip from x = d − f_s/k was integrated on its own (eighth
/// order, 10⁻¹²) and the speed at which it no longer comes to rest found by bisection, 0.442778247 m/s. The slips of slower drives
/// come to rest for a part of the period that goes to zero so slowly that no orbit can be computed in which it is short.
#[test]
fn a_branch_names_the_end_of_stick_slip_under_steep_friction() {
    let law = Law::stribeck_exponential(1.5, 1.0, 0.02, 2.0, 0.0).unwrap();
    let make = |speed: f64| {
        let o = Oscillator::new(1.0, 1.0, law.clone())
            .with_damping(0.2)
            .with_drive(Signal::ramp(speed, 0.0));
        Forced::by_itself(&o.into(), Method::Best)
    };
    let mut options = Options::new(0.4, 0.5).with_count(3);
    options.seeds = sized(2, options.seeds);
    let found = response(make, &options).unwrap();
    let ends: Vec<_> = found.branches.iter().flat_map(|b| b.inner_ends()).collect();
    let [(value, end)] = ends[..] else { panic!("{ends:?}") };
    assert!((value - 0.442_778_247).abs() < 1e-6, "{value}");
    assert_eq!(end, End::Bifurcation(Kind::GrazingSliding));
    assert!(found.is_whole());
}

/// Near resonance a motion takes many periods to settle; that is no other attractor. Den Hartog's amplitude.
#[test]
fn slow_motions_are_waited_for() {
    let (k, force, friction) = (5.0, 10.0, 3.92);
    for omega in [2.25, 2.22, 2.26, 2.2, 2.3] {
        let o = Oscillator::new(1.0, k, Law::coulomb(friction).unwrap())
            .with_force(Signal::harmonic(force, omega, 0.0));
        let forced = Forced::new(&o.into(), TAU / omega, Method::Best).unwrap();
        let mut wanted = Search::default();
        (wanted.starts, wanted.transient, wanted.unstable) = (2, 100, false);
        let found = search(&forced, &wanted).unwrap();
        assert!(found.complete, "{omega}: {:?}", found.others);
        let beta = omega / k.sqrt();
        let (v, u) = (1.0 / (1.0 - beta * beta), (0.5 * TAU / (2.0 * beta)).tan() / beta);
        let f = friction / force;
        let right = (v * v - f * f * u * u).sqrt() * force / k;
        let got = found.orbits[0].amplitude();
        assert!((got - right).abs() < 1e-9 * right, "{omega}: {got} {right}");
    }
}

/// What the scheme cannot treat is said, and not that the motion may be chaotic.
#[test]
fn what_a_scheme_cannot_treat_is_an_error() {
    let falling = || Law::stribeck_exponential(0.4, 0.4, 1.0, 1.0, 0.1).unwrap();
    let driven = |o: Oscillator| o.with_force(Signal::harmonic(1.0, 1.25, 0.0));
    let moved = driven(Oscillator::new(1.0, 1.0, Law::coulomb(0.1).unwrap()))
        .with_stops(Stops::rigid(None, Some(1.0), 0.5))
        .with_support(Signal::constant(0.2));
    let models = [driven(Oscillator::new(1.0, 1.0, falling())), moved];
    for o in models {
        let forced = Forced::new(&o.into(), TAU / 1.25, Method::Exact).unwrap();
        let error = search(&forced, &Search::default()).unwrap_err();
        assert!(matches!(error, Error::Unsuitable { .. }), "{error}");
    }
    let belt = Oscillator::new(1.0, 1.0, falling()).with_support(Signal::constant(0.2));
    let error = orbits(&belt.into(), Method::Exact, &Search::default()).unwrap_err();
    assert!(matches!(error, Error::Unsuitable { .. }), "{error}");
    // Without a named scheme one is chosen: the same amplitude as by Coulomb's law with a damper of the same slope.
    let o = driven(Oscillator::new(1.0, 1.0, falling()));
    let found = orbits(&o.into(), Method::Best, &Search::default()).unwrap();
    assert!((found.orbits[0].amplitude() - 1.265223172).abs() < 1e-8);
}

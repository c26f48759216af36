//! Loads that jump at the first or at the last instant, or were sampled before the run begins.
//!
//! m = K = 1, f_s = 1.2, f_d = 1, pulled with 3 N from t = 0 on: x = 2 (1 − cos t) until it rests at t = π,
//! x = 4, where the load is −1 N: it sticks.

use std::f64::consts::PI;
use stickslip::scheme::cascade;
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::{euler, exact, implicit_euler, quasi_static};
use stickslip::scheme::stochastic::{self, PathId, Rule};
use stickslip::scheme::{impact, network};
use stickslip::study::{ensemble, sweep};
use stickslip::{
    Cascade, EventKind, Impact, Law, Network, Oscillator, Problem, Signal, Trajectory,
};

fn block() -> Oscillator {
    Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0).unwrap())
}

/// 3 N from t = 0 on, written in four ways.
fn pulls() -> Vec<Signal> {
    vec![
        Signal::step(0.0, 0.0, 3.0),
        Signal::step(0.0, -7.0, 3.0) + Signal::harmonic(0.0, 1.0, 0.0),
        Signal::sampled(&[-2.0, -1.0, 20.0], &[0.0, 3.0, 3.0]).unwrap(),
        Signal::stepwise(&[-2.0, -1.0, 0.0, 20.0], &[0.0, -5.0, 3.0, 3.0]).unwrap(),
    ]
}

/// The first event, a stick, and the state at the end.
fn meets(path: &Trajectory, tolerance: f64) {
    let first = path.events()[0];
    assert_eq!(first.kind, EventKind::Stick);
    assert!((first.time - PI).abs() < tolerance, "{}", first.time);
    assert!((path.state(10.0).x - 4.0).abs() < tolerance, "{}", path.state(10.0).x);
    assert_eq!(path.events().len(), 1);
}

#[test]
fn a_load_that_jumps_at_the_start_is_felt() {
    for pull in pulls() {
        let forced = block().with_force(pull.clone());
        let driven = block().with_drive(pull.clone());
        for o in [forced, driven] {
            meets(&exact::solve(&o, 10.0).unwrap(), 1e-13);
            meets(&adaptive::solve(&o, 10.0, Options::default()).unwrap(), 1e-7);
            meets(&euler::solve(&o, 10.0, 1e-4).unwrap(), 1e-3);
            meets(&implicit_euler::solve(&o, 10.0, 1e-4).unwrap(), 1e-3);
            let quasi = quasi_static::solve(&o, 20.0).unwrap();
            // five jumps of 2 (f_s − f_d)/K = 0.4 m in π seconds each, until 3 − x ≤ 1.2 m
            assert!((quasi.state(20.0).x - 2.0).abs() < 1e-12, "{}", quasi.state(20.0).x);
        }
    }
}

#[test]
fn so_do_lanes_and_ensembles() {
    for pull in pulls() {
        let o = block().with_force(pull);
        let path = euler::solve(&o, 10.0, 1e-3).unwrap();
        let lanes = sweep::euler(&[o.clone(), o.clone()], 10.0, 1e-3).unwrap();
        assert!((lanes[1].last.x - path.state(10.0).x).abs() < 1e-12);
        let noisy = Problem::new(o.clone(), 10.0);
        let one = stochastic::solve(&noisy, PathId::default(), 1e-3, Rule::Euler).unwrap();
        assert!((one.state(10.0).x - path.state(10.0).x).abs() < 1e-9);
        let plan = ensemble::Plan::new(noisy, 1e-3, 1).with_rows(2).with_rule(Rule::Euler);
        struct Last(Vec<f64>);
        impl ensemble::Control for Last {
            fn wants_states(&self) -> bool {
                true
            }
            fn states(&mut self, _: u64, states: &[stickslip::State]) {
                self.0.push(states[0].x);
            }
        }
        let mut last = Last(Vec::new());
        ensemble::run(&plan, 0..2, 1, &mut last).unwrap();
        assert!(last.0.iter().all(|x| (x - path.state(10.0).x).abs() < 1e-9), "{:?}", last.0);
    }
}

#[test]
fn so_do_networks_cascades_and_masses_between_walls() {
    for pull in pulls() {
        let n = Network::builder()
            .node("a", 1.0)
            .spring("a", "ground", 1.0)
            .slider("s", "a", "ground", 1.2, 1.0)
            .force("a", pull.clone())
            .build()
            .unwrap();
        let path = network::exact(&n, 10.0).unwrap();
        assert!((path.state(10.0).x[0] - 4.0).abs() < 1e-12);
        assert!((path.events()[0].time - PI).abs() < 1e-12);

        // k₀ = 1, k₁ = 1, α = 1: x = 3 (1 − cos ωt), ω² = 1/2, until the node yields at x = 2.
        let c = Cascade::new(1.0, vec![1.0, 1.0], vec![1.0]).with_force(pull.clone());
        let path = cascade::exact(&c, 10.0).unwrap();
        let first = path.events()[0];
        assert_eq!(first.kind, EventKind::Yield);
        let t = first.time;
        let spring = Cascade::new(1.0, vec![1.0, 1.0], vec![1.0]).with_force(Signal::constant(3.0));
        let same = cascade::exact(&spring, 10.0).unwrap();
        assert!(
            (t - same.events()[0].time).abs() < 1e-13
                && (path.state(10.0).x - same.state(10.0).x).abs() < 1e-11
        );

        // Thrown from the floor with 3 N for a mass of 1 kg: x = 3t²/2.
        let m = Impact::new(1.0, 0.5).with_force(pull).starting_at(0.0, 0.0);
        let path = impact::solve(&m, 2.0).unwrap();
        assert!((path.state(2.0).x - 6.0).abs() < 1e-12, "{}", path.state(2.0).x);
    }
}

/// What jumps at the end belongs to the run: at the last instant the slip has begun, in every scheme that
/// locates events, and nothing before it is touched.
#[test]
fn a_load_that_jumps_at_the_end() {
    let o = block().with_force(Signal::step(2.0, 0.5, 3.0));
    let paths = [
        exact::solve(&o, 2.0).unwrap(),
        adaptive::solve(&o, 2.0, Options::default()).unwrap(),
        euler::solve(&o, 2.0, 0.125).unwrap(),
        implicit_euler::solve(&o, 2.0, 0.125).unwrap(),
    ];
    for path in &paths {
        assert!(path.sample(200).filter(|s| s.0 < 1.8).all(|(_, u, _)| u.x == 0.0 && u.v == 0.0));
    }
    for path in &paths[..2] {
        assert_eq!(path.events().len(), 1);
        let slip = path.events()[0];
        assert_eq!((slip.kind, slip.time, slip.x), (EventKind::Slip, 2.0, 0.0));
    }
    // a support that stops at the end takes the mass nowhere
    let belt = block().with_support(Signal::step(2.0, 0.1, 0.0)).starting_at(0.0, 0.1);
    for path in [
        exact::solve(&belt, 2.0).unwrap(),
        adaptive::solve(&belt, 2.0, Options::default()).unwrap(),
    ] {
        assert!((path.state(2.0).x - 0.2).abs() < 1e-15);
        assert_eq!(path.events().len(), 1);
    }
}

/// A support that jumps at t = 0 moves from the first instant on with what comes after.
#[test]
fn a_support_that_jumps_at_the_start() {
    let o = block().with_support(Signal::step(0.0, 5.0, 0.1));
    // dragged by f_d = 1 N: x = 1 − cos t until ẋ = sin t = 0.1
    let want = 0.1f64.asin();
    for path in
        [exact::solve(&o, 5.0).unwrap(), adaptive::solve(&o, 5.0, Options::default()).unwrap()]
    {
        let stick = path.events()[0];
        assert_eq!(stick.kind, EventKind::Stick);
        assert!((stick.time - want).abs() < 1e-8, "{}", stick.time);
    }
    // and one that sets out from rest as a harmonic, cos(t − π/2), does not slip at the start by 6e-17 m/s
    let o = block().with_support(Signal::harmonic(0.2, 1.0, -0.5 * PI));
    for path in
        [exact::solve(&o, 1.0).unwrap(), adaptive::solve(&o, 1.0, Options::default()).unwrap()]
    {
        assert!(path.events().is_empty(), "{:?}", path.events());
        assert!((path.state(1.0).x - 0.2 * (1.0 - 1f64.cos())).abs() < 1e-15);
    }
}

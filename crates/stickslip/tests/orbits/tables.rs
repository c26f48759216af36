//! Friction laws with kinks: tables.

use crate::common::Random;
use std::f64::consts::TAU;
use stickslip::law::{Contact, General};
use stickslip::scheme::oscillator::adaptive::{self, Options as Tolerances};
use stickslip::study::orbit::tangent::along;
use stickslip::study::orbit::{Forced, Method, Options, Orbit, Search, response, search};
use stickslip::{Error, Law, Oscillator, Signal, State};

/// A sliding bearing per unit of mass, whose friction rises with the speed.
fn bearing(speeds: &[f64], forces: &[f64], omega: f64) -> Oscillator {
    let law = Law::General(General::table(speeds, forces).unwrap());
    Oscillator::new(1.0, 4.459090909, law).with_force(Signal::harmonic(2.943, omega, 0.0))
}

fn rising(omega: f64) -> Oscillator {
    bearing(&[0.0, 0.2, 5.0], &[0.3924, 0.97703404, 0.981], omega)
}

fn orbit_of(o: &Oscillator, omega: f64) -> Orbit {
    let forced = Forced::new(&o.clone().into(), TAU / omega, Method::Best).unwrap();
    search(&forced, &Search::default()).unwrap().orbits.swap_remove(0)
}

/// Amplitudes of stable orbits, those at 2.30 and 2.35 rad/s confirmed by an integration that shares nothing with the library.
#[test]
fn orbits_on_a_table_have_their_amplitudes() {
    let known = [(2.05, 10.41957121), (2.27, 3.813554763), (2.3, 3.180742583), (2.35, 2.481019806)];
    for (omega, amplitude) in known {
        let orbit = orbit_of(&rising(omega), omega);
        assert!((orbit.amplitude() - amplitude).abs() < 2e-9 * amplitude, "{omega}");
        assert!(orbit.stable);
    }
}

/// One branch, whatever the number of points, which comes through the known amplitudes.
#[test]
fn a_response_under_a_table_is_one_branch_whatever_its_points() {
    for count in [5, 12, 25, 50] {
        let make = |omega: f64| -> Result<Forced, Error> {
            Forced::new(&rising(omega).into(), TAU / omega, Method::Best)
        };
        let found = response(make, &Options::new(2.2, 3.0).with_count(count)).unwrap();
        assert_eq!(found.branches.len(), 1, "{count}");
        let points = &found.branches[0].points;
        let ends = [points[0].value, points[points.len() - 1].value];
        assert!((ends[0] - 2.2).abs() < 1e-9 && (ends[1] - 3.0).abs() < 1e-9, "{count} {ends:?}");
        let between = |omega: f64| {
            let i = points.partition_point(|p| p.value < omega);
            (points[i - 1].orbit.amplitude(), points[i].orbit.amplitude())
        };
        for (omega, amplitude) in [(2.27, 3.813554763), (2.35, 2.481019806)] {
            let (before, after) = between(omega);
            assert!(after <= amplitude && amplitude <= before, "{count} {omega}");
        }
        assert!(found.bifurcations().next().is_none());
    }
}

/// A table with many points on straight lines has the motion of the one without them: kinks that are none change nothing.
#[test]
fn points_on_a_line_change_nothing() {
    let few = rising(2.35);
    let line = |s: f64| {
        if s < 0.2 {
            0.3924 + s * (0.97703404 - 0.3924) / 0.2
        } else {
            0.97703404 + (s - 0.2) * (0.981 - 0.97703404) / 4.8
        }
    };
    let mut speeds: Vec<f64> = (0..40).map(|i| 0.005 * f64::from(i)).collect();
    speeds.extend((0..=24).map(|i| 0.2 + 0.2 * f64::from(i)));
    let forces: Vec<f64> = speeds.iter().map(|s| line(*s)).collect();
    let many = bearing(&speeds, &forces, 2.35);
    let end = |o: &Oscillator| {
        adaptive::solve(o, 20.0, Tolerances::tolerance(1e-11)).unwrap().state(20.0)
    };
    let (a, b) = (end(&few), end(&many));
    assert!((a.x - b.x).abs() < 1e-9 && (a.v - b.v).abs() < 1e-9, "{a:?} {b:?}");
}

/// A function that names its kinks has the motions and the orbit of the table that it is.
#[test]
fn a_function_with_its_kinks_is_the_table() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let calls = Arc::new(AtomicUsize::new(0));
    let table = General::table(&[0.0, 0.2, 5.0], &[0.3924, 0.97703404, 0.981]).unwrap();
    let own = |kinks: &[f64]| {
        let (table, calls) = (table.clone(), calls.clone());
        let law = move |s: f64| {
            calls.fetch_add(1, Ordering::Relaxed);
            stickslip::law::Curve::at(&table, s)
        };
        let law = General::function(law, (0.0, 3.0)).unwrap().with_kinks(kinks).unwrap();
        let o = rising(2.3);
        Oscillator::new(1.0, o.stiffness, Law::General(law)).with_force(o.force)
    };
    let told = own(&[0.2, 5.0]);
    let end = |o: &Oscillator| {
        let path = adaptive::solve(o, 20.0, Tolerances::tolerance(1e-11)).unwrap();
        (path.state(20.0), calls.swap(0, Ordering::Relaxed))
    };
    let ((a, _), (b, with), (_, without)) = (end(&rising(2.3)), end(&told), end(&own(&[])));
    assert!((a.x - b.x).abs() < 1e-9 && (a.v - b.v).abs() < 1e-9, "{a:?} {b:?}");
    // Steps over kinks of which nothing is known shorten themselves.
    assert!(with < without, "{with} calls of the law, {without} without kinks");
    let amplitude = orbit_of(&told, 2.3).amplitude();
    assert!((amplitude - 3.180742583).abs() < 2e-9 * amplitude, "{amplitude}");
}

/// The derivative of the end with respect to the start beside differences, over random tables and loads.
#[test]
fn the_derivative_does_not_jump_at_a_kink() {
    let mut random = Random(11);
    let (mut compared, mut worst) = (0, 0.0f64);
    for _ in 0..60 {
        let mut draw = |a: f64, b: f64| random.uniform(a, b);
        let speeds: Vec<f64> = (0..6)
            .map(|i| if i > 0 { 0.25 * (f64::from(i) + draw(-0.3, 0.3)) } else { 0.0 })
            .collect();
        let forces: Vec<f64> = speeds.iter().map(|_| draw(0.1, 0.6)).collect();
        let law = Law::General(General::table(&speeds, &forces).unwrap());
        let o = Oscillator::new(1.0, 1.0, law)
            .with_damping(0.3)
            .with_force(Signal::harmonic(1.5, draw(0.6, 1.6), draw(0.0, TAU)))
            .starting_at(draw(-1.0, 1.0), draw(-1.0, 1.0));
        let solve = |o: &Oscillator| adaptive::solve(o, 7.0, Tolerances::tolerance(1e-12)).unwrap();
        let path = solve(&o);
        let tangent = along(&o, &path);
        let kinds =
            |p: &stickslip::Trajectory| p.events().iter().map(|e| e.kind).collect::<Vec<_>>();
        let State { x, v } = State { x: o.initial.displacement, v: o.initial.velocity };
        let h = 1e-5;
        for k in 0..2 {
            let at = |s: f64| {
                let (dx, dv) = if k == 0 { (s * h, 0.0) } else { (0.0, s * h) };
                solve(&o.clone().starting_at(x + dx, v + dv))
            };
            let (a, b) = (at(-1.0), at(1.0));
            if kinds(&a) != kinds(&path) || kinds(&b) != kinds(&path) {
                continue;
            }
            let (a, b) = (a.state(7.0), b.state(7.0));
            for (i, d) in [b.x - a.x, b.v - a.v].into_iter().enumerate() {
                compared += 1;
                worst = worst.max((tangent.jacobian[i][k] - d / (2.0 * h)).abs());
            }
        }
    }
    assert!(compared > 150 && worst < 2e-5, "{compared} {worst}");
}

/// The speeds around a point of a table, and the friction continued beyond them.
#[test]
fn a_table_knows_its_kinks() {
    let law = Law::General(General::table(&[0.0, 1.0, 3.0], &[2.0, 1.0, 4.0]).unwrap());
    let around = |s: f64, rising: bool| {
        let smooth = law.smooth_around(1.0, s, rising);
        (smooth.from, smooth.to, smooth.continued(10.0, |_| f64::NAN))
    };
    assert_eq!(around(0.5, true), (0.0, 1.0, -8.0));
    assert_eq!(around(1.0, true), (1.0, 3.0, 14.5));
    assert_eq!(around(1.0, false), (0.0, 1.0, -8.0));
    assert_eq!(around(7.0, false), (3.0, f64::INFINITY, 4.0));
    let smooth = Law::coulomb(1.0).unwrap();
    assert!(smooth.smooth_around(1.0, 0.5, true).line.is_none());
    assert_eq!(
        Contact::smooth_around(&General::function(|_| 1.0, (0.0, 0.0)).unwrap(), 1.0, 2.0, true)
            .from,
        0.0
    );
}

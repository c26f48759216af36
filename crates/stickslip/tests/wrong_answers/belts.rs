//! Supports with sampled velocities: knots are no kicks, and the exact scheme takes them.

use super::oracle::{self, Fineness};
use crate::common::Random;
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::{exact, implicit_euler};
use stickslip::{EventKind, Law, Oscillator, Signal, Trajectory};

fn both(o: &Oscillator, end: f64) -> [Trajectory; 2] {
    [exact::solve(o, end).unwrap(), adaptive::solve(o, end, Options::tolerance(1e-12)).unwrap()]
}

/// The belt comes to rest at x = 0.0145 (its way: 0.002 + 0.011 + 0.0015 m), and the load never exceeds 0.9 N.
#[test]
fn a_slow_belt_carries_its_mass_without_a_slip() {
    let belt =
        Signal::sampled(&[0.0, 0.8, 3.0, 3.6, 12.0], &[0.0, 0.005, 0.005, 0.0, 0.0]).unwrap();
    for moved in [belt.clone(), belt.clone() + Signal::constant(7.0) + Signal::constant(-7.0)] {
        let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 0.5).unwrap())
            .with_drive(Signal::constant(0.9))
            .with_support(moved);
        for path in both(&o, 12.0) {
            assert!(path.events().is_empty(), "{:?}", path.events());
            assert!((path.state(12.0).x - 0.0145).abs() < 1e-14, "{}", path.state(12.0).x);
            assert!(path.energy(&o).relative_defect() < 1e-12);
        }
        // the time-stepping scheme agrees
        let steps = implicit_euler::solve(&o, 12.0, 1e-3).unwrap();
        assert!((steps.state(12.0).x - 0.0145).abs() < 1e-5);
    }
}

/// On a belt that accelerates with a, at rest as long as m a + K a t²/2 ≤ f_s; then x″ = f_d − x.
#[test]
fn an_accelerating_belt_in_closed_form() {
    let (a, fs, fd) = (0.3, 1.0, 0.6);
    let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(fs, fd).unwrap())
        .with_support(Signal::ramp(a, 0.0));
    let leaves = (2.0 * (fs - a) / a).sqrt();
    let (x, v) = (0.5 * a * leaves * leaves, a * leaves);
    for path in both(&o, 4.0) {
        let slip = path.events()[0];
        assert_eq!(slip.kind, EventKind::Slip);
        assert!((slip.time - leaves).abs() < 1e-12 && (slip.x - x).abs() < 1e-12);
        assert_eq!(path.events().len(), 1);
        let s = 4.0 - leaves;
        let want = fd + (x - fd) * s.cos() + v * s.sin();
        assert!((path.state(4.0).x - want).abs() < 1e-9, "{} {want}", path.state(4.0).x);
    }
    assert!(
        (exact::solve(&o, 4.0).unwrap().state(4.0).x - {
            let s = 4.0 - leaves;
            fd + (x - fd) * s.cos() + v * s.sin()
        })
        .abs()
            < 1e-13
    );
}

/// Random sampled belts, slow and fast, with drives, dampers and harmonics: the same events and the same
/// end from the exact scheme, the adaptive one and the independent integrator.
#[test]
fn random_sampled_belts() {
    let mut slips = 0;
    for seed in 0..crate::common::problems(60) {
        let r = &mut Random(seed + 77);
        let end = r.uniform(6.0, 15.0);
        let top = if r.chance(0.5) { 0.01 } else { 1.0 };
        let (mut times, mut speeds, mut t) = (vec![0.0], vec![0.0], 0.0);
        while t < end {
            t += r.uniform(0.3, 3.0);
            times.push(t);
            speeds.push(if r.chance(0.3) {
                speeds[speeds.len() - 1]
            } else {
                r.uniform(-top, top)
            });
        }
        let mut belt = Signal::sampled(&times, &speeds).unwrap();
        if r.chance(0.3) {
            belt = belt + Signal::harmonic(0.3 * top, r.uniform(0.5, 4.0), r.uniform(-3.0, 3.0));
        }
        let (fs, ratio) = (r.uniform(0.5, 1.5), r.uniform(0.2, 1.0));
        let (mass, stiffness) = (r.uniform(0.3, 3.0), r.uniform(0.0, 3.0));
        let damping = if r.chance(0.5) { 0.0 } else { r.uniform(0.0, 0.5) };
        let o = Oscillator::new(mass, stiffness, Law::static_dynamic(fs, ratio * fs).unwrap())
            .with_damping(damping)
            .with_drive(Signal::harmonic(r.uniform(0.0, 1.0), r.uniform(0.2, 2.0), 0.3))
            .with_force(Signal::constant(r.uniform(-0.4, 0.4)))
            .with_support(belt);
        let fine = Fineness { step: 1e-3, reach: 0.0, change: 1.0 };
        let want = oracle::solve(&o, &|_, _| ratio * fs, end, fine);
        let kinds: Vec<EventKind> = want.events.iter().map(|e| e.0).collect();
        for (path, tolerance) in both(&o, end).iter().zip([1e-8f64, 1e-7]) {
            let found: Vec<EventKind> = path.events().iter().map(|e| e.kind).collect();
            assert_eq!(found, kinds, "seed {seed}: {:?} {:?}", path.events(), want.events);
            for (e, w) in path.events().iter().zip(&want.events) {
                assert!((e.time - w.1).abs() < tolerance.sqrt(), "seed {seed}: {e:?} {w:?}");
            }
            let last = path.state(end);
            let error = (last.x - want.x).abs().max((last.v - want.v).abs());
            assert!(error < tolerance, "seed {seed}: {error:e}");
            let defect = path.energy(&o).relative_defect();
            assert!(defect < 1e-9, "seed {seed}: {defect:e}");
        }
        slips += kinds.len();
    }
    assert!(slips > 60, "{slips}");
}

/// Without friction and damping x = V sin t, whatever the belt does. The velocity comes back to that of the belt once in each
/// turn, at x = 0, where the load is as far from its limits as rounding leaves it: slips of no length followed one another there
/// for ever.
#[test]
fn a_belt_that_does_not_rub_is_met_again_and_again() {
    for belt in [0.3, 0.5, 0.7, 0.123456, 0.9, 1.0, 17.3, 1e-7] {
        let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.0).unwrap())
            .with_support(Signal::constant(belt))
            .starting_at(0.0, belt);
        let end = 300.0;
        let path = exact::solve(&o, end).unwrap();
        let last = path.state(end);
        assert!((last.x - belt * end.sin()).abs() < 1e-11 * belt, "{belt}: {last:?}");
        assert!((last.v - belt * end.cos()).abs() < 1e-11 * belt, "{belt}: {last:?}");
        // Two events at most at each of the 47 meetings.
        assert!(path.events().len() <= 94, "{belt}: {} events", path.events().len());
    }
}

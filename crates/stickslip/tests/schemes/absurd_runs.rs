//! Runs that nobody waits for, and paths that no machine keeps, are refused at once with the number.

use stickslip::model::Network;
use stickslip::scheme::impact::{self, moreau, penalised, penalised::Penalty};
use stickslip::scheme::oscillator::{exact, quasi_static};
use stickslip::scheme::{cascade, network};
use stickslip::{
    Cascade, Error, Impact, Law, Oscillator, Problem, Scheme, Signal, Trajectory, start,
};

/// The number in the refusal.
fn refused<T>(run: Result<T, Error>) -> f64 {
    match run.err() {
        Some(Error::TooLong { count, most, .. }) if count > most => count,
        other => panic!("{other:?}"),
    }
}

fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-9
}

#[test]
fn too_many_periods() {
    let (fast, periods) = (|| Signal::harmonic(1.0, 1e12, 0.0), 1e12 / std::f64::consts::TAU);
    let n = Network::builder().node("a", 1.0).slider("s", "a", "ground", 0.1, 0.1);
    let n = n.force("a", fast()).build().unwrap();
    assert!(near(refused(network::exact(&n, 1.0)), 1e12 / 1.5));
    let c = Cascade::new(1.0, vec![1.0, 1.0], vec![1.0]).with_force(fast());
    assert!(near(refused(cascade::exact(&c, 1.0)), periods));
    assert!(near(refused(cascade::quasi_static(&c, 1.0)), periods));
    let floor = Impact::new(1.0, 0.5).with_force(fast()).starting_at(1.0, 0.0);
    assert!(near(refused(impact::solve(&floor, 1.0)), periods));
    let soft = Penalty::new(1e6, 0.0, 0.0);
    assert!(near(refused(penalised::solve(&floor, soft, 1.0)), periods));
    // A mass of 1e-300 kg on a spring swings 1e150 times a second.
    let light =
        Cascade::new(1e-300, vec![1.0, 1.0], vec![1.0]).with_force(Signal::harmonic(1.0, 1.0, 0.0));
    assert!(refused(cascade::exact(&light, 1.0)) > 1e149);
    let far =
        Cascade::new(1.0, vec![1.0, 1.0], vec![1.0]).with_force(Signal::harmonic(1.0, 1.0, 0.0));
    assert!(refused(cascade::exact(&far, 1e300)) > 1e299);
    // Oscillators: a run that keeps nothing is refused as one that keeps its path, and slow drives by their waves.
    let o = |mass: f64| {
        Oscillator::new(mass, 1.0, Law::static_dynamic(1.2, 1.0).unwrap()).with_drive(fast())
    };
    let mut kept = Trajectory::default();
    assert!(refused(exact::run(&o(1.0), 1.0, 10, &mut kept)) >= periods);
    assert!(near(refused(quasi_static::solve(&o(1e-30), 1.0)), periods));
    // One that never moves is no work, however long.
    let still = Cascade::new(1.0, vec![1.0, 1.0], vec![1.0]);
    assert!(cascade::exact(&still, 1e12).unwrap().events().is_empty());
}

#[test]
fn too_many_steps_to_keep() {
    let n = Network::builder().node("a", 1.0).slider("s", "a", "ground", 0.1, 0.1);
    let n = n.build().unwrap();
    for run in [
        network::implicit_euler(&n, 1e9, 1e-3),
        network::theta(&n, 1e9, 1e-3, 0.5),
        network::sign_euler(&n, 1e9, 1e-3).map(|r| r.0),
    ] {
        assert!(near(refused(run), 3e12));
    }
    let c = Cascade::new(1.0, vec![1.0, 1.0], vec![1.0]);
    assert!(near(refused(cascade::implicit_euler(&c, 1e9, 1e-3)), 1e12));
    assert!(near(refused(cascade::hysteresis(&c, 1e9, 1e-3)), 1e12));
    let floor = Impact::new(1.0, 0.5).starting_at(1.0, 0.0);
    assert!(near(refused(moreau::solve(&floor, 1e9, 1e-3)), 1e12));
}

/// A run in progress is not refused, but says how much there is to do.
#[test]
fn cursors_know_how_much_is_left() {
    let n = Network::builder().node("a", 2.0).spring("a", "ground", 3.0);
    let n = n.slider("s", "a", "ground", 0.1, 0.1).force("a", Signal::harmonic(1.0, 40.0, 0.0));
    let n = n.build().unwrap();
    let turns = |w: f64, span: f64| w * span / std::f64::consts::TAU;
    let mut cursor = start(&Problem::new(n.clone(), 1e5), &Scheme::Exact).unwrap();
    assert!(near(cursor.effort(1e5).periods, turns(40.0, 1e5)));
    cursor.advance(10.0).unwrap();
    assert!(near(cursor.effort(30.0).periods, turns(40.0, 20.0)));
    assert_eq!(cursor.effort(5.0).periods, 0.0);
    let stepper = start(&Problem::new(n, 1e9), &Scheme::ImplicitEuler { step: 0.5 }).unwrap();
    assert_eq!(stepper.effort(1e9).steps, 2e9);
    let c = Cascade::new(1.0, vec![16.0, 1.0], vec![1.0]).starting_at(0.0, 1.0);
    let cursor = start(&Problem::new(c, 100.0), &Scheme::Exact).unwrap();
    assert!(near(cursor.effort(100.0).periods, turns(4.0, 100.0)));
    let floor = Impact::new(1.0, 0.5).with_force(Signal::harmonic(1.0, 3.0, 0.0));
    let cursor = start(&Problem::new(floor.starting_at(1.0, 0.0), 9.0), &Scheme::Exact).unwrap();
    assert!(near(cursor.effort(9.0).periods, turns(3.0, 9.0)));
}

//! Runs that nobody waits for, and paths that no machine keeps, are refused at once with the number.

use stickslip::model::Network;
use stickslip::scheme::impact::{self, moreau, penalised, penalised::Penalty};
use stickslip::scheme::{cascade, network};
use stickslip::{Cascade, Error, Impact, Signal};

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

//! Loads, normal forces and prescribed motions that jump at the first or the last instant, in every scheme of networks,
//! cascades and masses between walls; and normal forces that become negative.

use stickslip::model::Network;
use stickslip::scheme::impact::{self, moreau, penalised, penalised::Penalty};
use stickslip::scheme::{cascade, network};
use stickslip::{Cascade, Error, EventKind, Impact, Signal, Warning};

const STEP: f64 = 1.0 / 1024.0;

/// A mass of 2 kg on a slider of 1 N.
fn block(breakaway: f64, force: Signal) -> Network {
    Network::builder()
        .node("a", 2.0)
        .slider("s", "a", "ground", breakaway, 1.0)
        .force("a", force)
        .build()
        .unwrap()
}

/// The paths of a network by each of its schemes, with how far they may be off.
fn paths(n: &Network, end: f64) -> Vec<(network::NetworkPath, f64)> {
    vec![
        (network::exact(n, end).unwrap(), 1e-14),
        (network::implicit_euler(n, end, STEP).unwrap(), 4.0 * STEP),
        (network::theta(n, end, STEP, 0.5).unwrap(), 4.0 * STEP),
        (network::sign_euler(n, end, STEP).unwrap().0, 8.0 * STEP),
    ]
}

/// 3 N from the first instant on, written in three ways: x = (3 − 1)/2 · t²/2.
#[test]
fn a_force_on_a_network_that_jumps_at_the_start() {
    let pulls = [
        Signal::step(0.0, -9.0, 3.0),
        Signal::stepwise(&[-1.0, 0.0, 5.0], &[7.0, 3.0, 3.0]).unwrap(),
        Signal::step(-0.5, 0.0, 3.0),
    ];
    for pull in pulls {
        for (path, off) in paths(&block(1.0, pull.clone()), 2.0) {
            assert!((path.state(2.0).x[0] - 2.0).abs() <= off, "{:?}", path.state(2.0));
        }
        // Held by 2 N at rest it breaks away at once.
        for (path, off) in paths_without_sign(&block(2.0, pull), 2.0) {
            assert!((path.state(2.0).x[0] - 2.0).abs() <= off, "{:?}", path.state(2.0));
        }
    }
}

/// A load that jumps at the end has moved nothing; the exact scheme, which locates events, says that slip begins.
#[test]
fn a_force_on_a_network_that_jumps_at_the_end() {
    let n = block(1.0, Signal::step(2.0, 0.5, 30.0));
    for (k, (path, _)) in paths_without_sign(&n, 2.0).into_iter().enumerate() {
        let u = path.state(2.0);
        assert!(u.x[0] == 0.0 && u.v[0] == 0.0, "{u:?}");
        let slips: Vec<_> = path.events().iter().map(|e| (e.kind, e.time)).collect();
        let want = if k == 0 { vec![(EventKind::Slip, 2.0)] } else { vec![] };
        assert_eq!(slips, want);
    }
    // While it slides nothing is felt either: v = t (1.5 − 1)/2.
    let n = block(1.0, Signal::step(2.0, 1.5, 30.0));
    for (path, off) in paths(&n, 2.0) {
        assert!((path.state(2.0).v[0] - 0.5).abs() <= off, "{:?}", path.state(2.0));
    }
}

/// A normal force that jumps at the first and at the last instant: 1 N holds 0.9 N in between.
#[test]
fn a_normal_force_that_jumps_at_both_ends() {
    let normal = Signal::step(0.0, 0.0, 1.0) + Signal::step(2.0, 0.0, -1.0);
    let n = Network::builder()
        .node("a", 2.0)
        .slider("s", "a", "ground", 1.0, 1.0)
        .normal(normal)
        .force("a", Signal::constant(0.9))
        .build()
        .unwrap();
    for (path, _) in paths_without_sign(&n, 2.0) {
        let u = path.state(2.0);
        assert!(u.x[0] == 0.0 && u.v[0] == 0.0, "{u:?}");
    }
}

/// A hand that sets out at 1 m/s from the first instant on drags a massless slider behind it, and stands still at the
/// end: what comes after does not count.
#[test]
fn a_motion_that_jumps_and_bends_at_both_ends() {
    let hand = Signal::stepwise(&[-1.0, 0.0, 2.0, 3.0], &[9.0, 0.0, 7.0, 7.0]).unwrap()
        + Signal::sampled(&[-1.0, 0.0, 2.0, 3.0], &[5.0, 0.0, 2.0, 2.0]).unwrap();
    let n = Network::builder()
        .node("hand", 0.0)
        .motion("hand", hand)
        .node("a", 0.0)
        .spring("hand", "a", 4.0)
        .slider("s", "a", "ground", 2.0, 2.0)
        .build()
        .unwrap();
    for (path, _) in paths_without_sign(&n, 2.0) {
        let u = path.state(2.0);
        // The spring holds 2 N at 0.5 m; then the node moves with the hand.
        assert!((u.x[0] - 2.0).abs() < 1e-12 && (u.x[1] - 1.5).abs() < 1e-12, "{u:?}");
        assert!((u.v[0] - 1.0).abs() < 1e-9 && (u.v[1] - 1.0).abs() < 1e-9, "{u:?}");
    }
}

/// Without the scheme that oscillates about rest.
fn paths_without_sign(n: &Network, end: f64) -> Vec<(network::NetworkPath, f64)> {
    vec![
        (network::exact(n, end).unwrap(), 1e-14),
        (network::implicit_euler(n, end, STEP).unwrap(), 4.0 * STEP),
        (network::theta(n, end, STEP, 0.5).unwrap(), 4.0 * STEP),
    ]
}

/// One spring and a slider of 100 N that never yields: x = 3 (1 − cos t) under 3 N, to the end.
#[test]
fn a_force_on_a_cascade_that_jumps_at_both_ends() {
    let pull = Signal::step(0.0, -9.0, 3.0) + Signal::step(2.0, 0.0, 500.0);
    let c = Cascade::new(1.0, vec![1.0, 1.0], vec![100.0]).with_force(pull);
    let want = 3.0 * (1.0 - 2f64.cos());
    let paths = [
        (cascade::exact(&c, 2.0).unwrap(), 1e-14),
        (cascade::implicit_euler(&c, 2.0, STEP).unwrap(), 8.0 * STEP),
        (cascade::hysteresis(&c, 2.0, STEP).unwrap(), 8.0 * STEP),
    ];
    for (path, off) in paths {
        let u = path.state(2.0);
        assert!((u.x - want).abs() <= off && path.events().is_empty(), "{u:?} {want}");
    }
}

/// Without inertia the jump is passed through at once: 3 N on two springs of 1 N/m in a row, the first node held by 2 N,
/// is 3/1 + (3 − 2)/1 m. At the end the state is that before the jump.
#[test]
fn a_quasi_static_cascade_whose_force_jumps_at_both_ends() {
    let pull = Signal::step(0.0, -9.0, 3.0) + Signal::step(2.0, 0.0, 500.0);
    let c = Cascade::new(1.0, vec![1.0, 1.0], vec![2.0]).with_force(pull);
    let path = cascade::quasi_static(&c, 2.0).unwrap();
    for t in [0.0, 1.0, 2.0] {
        assert!((path.state(t).x - 4.0).abs() < 1e-14, "{:?}", path.state(t));
    }
    let first = path.events()[0];
    assert_eq!((first.kind, first.time), (EventKind::Yield, 0.0));
}

/// Thrown from the floor by 3 N: x = 3t²/2. Pressed onto it by a load that turns at the end, it stays.
#[test]
fn a_force_on_a_mass_on_the_floor_that_jumps() {
    let soft = Penalty::new(1e12, 0.0, 0.0);
    let thrown = Impact::new(1.0, 1.0).with_force(Signal::step(0.0, -9.0, 3.0));
    let thrown = thrown.starting_at(0.0, 0.0);
    let paths = [
        (impact::solve(&thrown, 2.0).unwrap(), 1e-14),
        (moreau::solve(&thrown, 2.0, STEP).unwrap(), 8.0 * STEP),
        (penalised::solve(&thrown, soft, 2.0).unwrap(), 1e-9),
    ];
    for (path, off) in &paths {
        assert!((path.state(2.0).x - 6.0).abs() <= *off, "{:?}", path.state(2.0));
    }
    let pressed = Impact::new(1.0, 0.5).with_force(Signal::step(2.0, -3.0, 50.0));
    let pressed = pressed.starting_at(0.0, 0.0);
    let paths = [
        impact::solve(&pressed, 2.0).unwrap(),
        moreau::solve(&pressed, 2.0, STEP).unwrap(),
        penalised::solve(&pressed, soft, 2.0).unwrap(),
    ];
    for path in &paths {
        let u = path.state(2.0);
        assert!(u.x.abs() < 1e-11 && u.v.abs() < 1e-5, "{u:?}");
    }
}

/// A floor that stands at 0 from the first instant on, and is elsewhere only after the end.
#[test]
fn a_floor_that_jumps_at_both_ends() {
    let floor = Signal::step(0.0, -4.0, 0.0) + Signal::step(2.0, 0.0, 0.125);
    let mut thrown = Impact::new(1.0, 0.5).with_force(Signal::constant(-2.0));
    thrown.lower = Some(floor);
    let thrown = thrown.starting_at(1.0, 0.0);
    // Falls for 1 s, comes with 2 m/s, leaves with 1 m/s, and falls onto the floor again at 2 s.
    let exact = impact::solve(&thrown, 1.75).unwrap();
    assert!((exact.events()[0].time - 1.0).abs() < 1e-14);
    assert!((exact.state(1.75).x - (0.75 - 0.75 * 0.75)).abs() < 1e-14);
    let stepped = moreau::solve(&thrown, 1.75, STEP).unwrap();
    assert!((stepped.state(1.75).x - 0.1875).abs() < 8.0 * STEP);
}

/// 1 + 1.5 cos 2t is negative from t = arccos(−2/3)/2 on: every scheme of networks says so with the instant.
#[test]
fn a_negative_normal_force_on_a_slider_is_refused_with_its_instant() {
    let normal = Signal::constant(1.0) + Signal::harmonic(1.5, 2.0, 0.0);
    let n = Network::builder()
        .node("a", 2.0)
        .slider("s", "a", "ground", 1.0, 1.0)
        .normal(normal)
        .force("a", Signal::constant(0.9))
        .build()
        .unwrap();
    let first = 0.5 * (-2.0f64 / 3.0).acos();
    let refusals = [
        network::exact(&n, 2.0).map(|_| ()),
        network::implicit_euler(&n, 2.0, STEP).map(|_| ()),
        network::theta(&n, 2.0, STEP, 0.5).map(|_| ()),
        network::sign_euler(&n, 2.0, STEP).map(|_| ()),
    ];
    for refused in refusals {
        let Err(Error::NegativeNormalForce { time, value }) = refused else {
            panic!("{refused:?}")
        };
        assert!((time - first).abs() < 1e-14 && value < 0.0, "{time} {value}");
    }
    assert!(network::exact(&n, 0.999 * first).is_ok());
}

/// A massless node at 0 behind a hand at 1 m, spring 4 N/m, slider 2 N: it jumps to ½ m, where the spring pulls with 2 N.
/// Of the spring's 2 J half a joule is left. Every scheme says so; one that starts in balance says nothing.
#[test]
fn a_node_without_mass_that_starts_out_of_balance_is_reported() {
    let network = |start: f64| {
        Network::builder()
            .node("hand", 0.0)
            .motion("hand", Signal::constant(1.0))
            .node("a", 0.0)
            .starting_at("a", start, 0.0)
            .spring("hand", "a", 4.0)
            .slider("s", "a", "ground", 2.0, 2.0)
            .build()
            .unwrap()
    };
    for (path, _) in paths_without_sign(&network(0.0), 1.0) {
        assert!((path.state(1.0).x[1] - 0.5).abs() < 1e-15);
        let [Warning::StartsOutOfBalance { node, distance, energy }] = path.warnings() else {
            panic!("{:?}", path.warnings())
        };
        assert!(node == "a" && (distance - 0.5).abs() < 1e-15 && (energy - 1.5).abs() < 1e-15);
        let said = path.warnings()[0].to_string();
        assert!(said.contains("`a`") && said.contains("0.5 m") && said.contains("1.5 J"), "{said}");
    }
    for (path, _) in paths_without_sign(&network(0.75), 1.0) {
        assert!(path.warnings().is_empty() && path.state(1.0).x[1] == 0.75);
    }
}

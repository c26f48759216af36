//! Certificates of cascades against closed forms, and what must not be certified.

use super::oscillators::{endings, holds};
use std::f64::consts::PI;
use stickslip::{Cascade, Error, Signal};
use stickslip_certify::{Ending, cascade};

/// S₀ = 2, S₁ = 1, S₂ = ½ N/m: on first loading the nodes yield at 0.5 and 1.5 m.
fn two() -> Cascade {
    Cascade::new(1.0, vec![2.0, 2.0, 1.0], vec![1.0, 1.0])
}

/// 1 m/s until 2 m: the work is 0.25 + 1.5 + 1.0625 J; the nodes are then at 0.875 and 0.25 m, each against 1 N.
#[test]
fn first_loading_is_certified() {
    let led = two().with_displacement(Signal::ramp(1.0, 0.0));
    let proof = cascade::certify_quasi_static(&led, 2.0).unwrap();
    assert_eq!(endings(&proof), [Ending::Yield, Ending::Yield, Ending::End]);
    holds(proof.arcs[0].to, 0.5, 1e-15);
    holds(proof.arcs[1].to, 1.5, 1e-15);
    holds(proof.arcs[1].force.unwrap(), 1.0, 1e-15);
    holds(proof.arcs[2].force.unwrap(), 2.0, 2e-15);
    holds(proof.force.unwrap(), 2.25, 2e-15);
    proof.elements.iter().for_each(|w| holds(*w, -1.0, 1e-15));
    holds(proof.energy.friction, 1.125, 1e-14);
    holds(proof.energy.last, 1.6875, 1e-14);
    holds(proof.energy.supplied, 2.8125, 1e-14);
    // The second node is 1 N from its threshold when the first yields.
    assert!(proof.arcs[0].margins[0] > 0.999 && (proof.arcs[0].margins[1] - 1.0).abs() < 1e-14);
}

/// Led by the force, 1 N/s, it comes to the same places: 1 N, 2 N, and 2.25 N at 2 m.
#[test]
fn what_is_led_by_its_force_is_certified() {
    let pushed = two().with_force(Signal::ramp(1.0, 0.0));
    let proof = cascade::certify_quasi_static(&pushed, 2.25).unwrap();
    assert_eq!(endings(&proof), [Ending::Yield, Ending::Yield, Ending::End]);
    holds(proof.arcs[0].to, 1.0, 1e-15);
    holds(proof.arcs[1].to, 2.0, 1e-15);
    holds(proof.arcs[2].x, 1.5, 1e-14);
    holds(proof.arcs[2].v, 2.0, 1e-14);
    holds(proof.x, 2.0, 1e-14);
    holds(proof.energy.friction, 1.125, 1e-14);
}

/// x = 2 cos t: by Masing's rule a node yields 2 r after a turn. A cycle takes Σ 4 κ r (a − r) = 3 + 1.5 J, the first loading 1.125 J.
#[test]
fn a_cycle_is_certified() {
    let led = two().with_displacement(Signal::harmonic(2.0, 1.0, 0.0));
    let proof = cascade::certify_quasi_static(&led, 7.0).unwrap();
    let half = [Ending::Yield, Ending::Yield, Ending::Reversal];
    assert_eq!(endings(&proof), [&half[..], &half[..], &[Ending::End]].concat());
    assert_eq!(proof.arcs[0].phase.direction, -1);
    for (arc, thirds) in proof.arcs.iter().zip(1..7) {
        holds(arc.to, f64::from(thirds) * PI / 3.0, 2e-15);
    }
    holds(proof.arcs[0].force.unwrap(), 2.25, 2e-15);
    holds(proof.arcs[3].force.unwrap(), -2.25, 2e-15);
    holds(proof.energy.friction, 5.625, 1e-13);
}

/// It jumps by 2 m at 1 s, through both yields, rests, and goes back from 2 s on by 1 m a second: yields at 3 and 5 s.
#[test]
fn jumps_and_knots_are_certified() {
    let back = Signal::sampled(&[0.0, 2.0, 6.0], &[0.0, 0.0, -4.0]).unwrap();
    let led = two().with_displacement(Signal::step(1.0, 0.0, 2.0) + back);
    let proof = cascade::certify_quasi_static(&led, 6.0).unwrap();
    let expected = [Ending::Jump, Ending::Knot, Ending::Yield, Ending::Yield, Ending::End];
    assert_eq!(endings(&proof), expected);
    assert_eq!(proof.arcs[1].phase.slipping, 2);
    assert_eq!(proof.arcs[0].to, [1.0, 1.0]);
    holds(proof.arcs[2].to, 3.0, 1e-14);
    holds(proof.arcs[3].to, 5.0, 1e-14);
    holds(proof.force.unwrap(), -2.25, 1e-14);
}

/// 1 kg with 2 m/s on springs of 1 N/m and 1 N: x = 2 sin t until π/6; then about −1 m on ½ N/m, to √10 − 1 m.
#[test]
fn a_mass_on_a_cascade_is_certified() {
    let c = Cascade::new(1.0, vec![1.0, 1.0], vec![1.0]).starting_at(0.0, 2.0);
    let proof = cascade::certify(&c, 4.0).unwrap();
    assert_eq!(endings(&proof)[..2], [Ending::Yield, Ending::Reversal]);
    holds(proof.arcs[0].to, PI / 6.0, 1e-15);
    holds(proof.arcs[1].v, 3f64.sqrt(), 1e-15);
    holds(proof.arcs[1].to, PI / 6.0 + 2f64.sqrt() * (6f64.sqrt() / 2.0).atan(), 1e-14);
    holds(proof.arcs[2].x, 10f64.sqrt() - 1.0, 1e-14);
    // At rest the force is 1 + ½ (√10 − 2) N: all of the 2 J are in the springs or lost.
    let force = 0.5 * 10f64.sqrt();
    holds(proof.arcs[2].force.unwrap(), force, 1e-14);
    holds(proof.energy.first, 2.0, 1e-14);
    holds(proof.energy.supplied, 0.0, 1e-13);
}

/// What turns just where a node yields, and what jumps just to a yield.
#[test]
fn what_cannot_be_proved_is_refused() {
    let refused = |displacement: Signal| {
        let led = two().with_displacement(displacement);
        matches!(cascade::certify_quasi_static(&led, 3.0), Err(Error::Uncertified { .. }))
    };
    assert!(refused(Signal::sampled(&[0.0, 1.5, 3.0], &[0.0, 1.5, 0.0]).unwrap()));
    assert!(refused(Signal::step(1.0, 0.0, 1.5)));
    assert!(!refused(Signal::sampled(&[0.0, 1.5, 3.0], &[0.0, 1.4, 0.0]).unwrap()));
}

/// x = 1 − cos t: from the second cycle on the second node stands just at its threshold where the mass turns at 2 m, and does not move.
#[test]
fn a_drive_that_comes_back_to_where_it_turned_is_certified() {
    let turns = Signal::harmonic(1.0, 1.0, 0.0) + Signal::constant(1.0);
    let led = two().with_displacement(turns);
    // From 2 m: the first node yields 1 m on. Back from 0 m it yields at 1 m, and at 2 m nothing more.
    let proof = cascade::certify_quasi_static(&led, 20.0).unwrap();
    let half = [Ending::Yield, Ending::Reversal];
    assert!(endings(&proof).chunks(2).take(6).all(|c| c == half), "{:?}", endings(&proof));
    let up = Signal::sampled(&[0.0, 2.0, 4.0, 6.0, 8.0], &[0.0, 2.0, 0.0, 2.0, 0.0]).unwrap();
    let proof = cascade::certify_quasi_static(&two().with_displacement(up), 8.0).unwrap();
    let (y, k) = (Ending::Yield, Ending::Knot);
    assert_eq!(endings(&proof), [y, y, k, y, k, y, k, y, Ending::End]);
    // The first loading, and 4 κ₁ r₁ (a − r₁) with a = 1 for each cycle of 2 m: one and a half of them.
    holds(proof.energy.friction, 1.125 + 1.5, 1e-13);
}

/// What is not known of a mass on a cascade does not grow, however many events there are: friction is monotone.
#[test]
fn a_long_motion_is_certified() {
    let c = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1])
        .with_force(Signal::harmonic(2.5, 0.9, 0.0));
    let proof = cascade::certify(&c, 300.0).unwrap();
    assert!(proof.arcs.len() > 300);
    for arc in &proof.arcs {
        assert!(arc.to[1] - arc.to[0] <= 6.0 * f64::EPSILON * arc.to[1]);
        assert!(arc.x[1] - arc.x[0] < 4e-15 && arc.v[1] - arc.v[0] < 4e-15);
    }
}

//! Certificates against closed forms, and what must not be certified. That they are proofs is checked by a program of its own, in
//! ball arithmetic: `tools/check_certificate.py`.

use std::f64::consts::PI;
use stickslip::study::certificate::{CertifiedArc, Ending, certify};
use stickslip::{Error, Law, Oscillator, Phase, Signal};

fn holds([low, high]: [f64; 2], truth: f64, known: f64) {
    // The truth is a double rounded from a closed form.
    let slack = 2.0 * f64::EPSILON * truth.abs();
    assert!(low <= truth + slack && truth - slack <= high, "{truth} is not in [{low}, {high}]");
    assert!(high - low <= known, "[{low}, {high}] is wide");
}

/// Free decay against 1 N from 5.5 m: half periods about ∓1 m end at −3.5, 1.5 and 0.5 m, π s apart.
#[test]
fn free_decay_has_its_events_at_multiples_of_pi() {
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0).unwrap()).starting_at(5.5, 0.0);
    let proof = certify(&o, 12.0).unwrap();
    let endings: Vec<Ending> = proof.arcs.iter().map(|a| a.ending).collect();
    assert_eq!(endings, [Ending::Reversal, Ending::Reversal, Ending::Stick, Ending::End]);
    for (i, (arc, x)) in proof.arcs.iter().zip([5.5, -3.5, 1.5, 0.5]).enumerate() {
        holds(arc.x, x, 1e-14);
        if i < 3 {
            holds(arc.to, PI * (i + 1) as f64, 1e-14);
        }
    }
    // The ways are 9, 5 and 1 m long.
    holds(proof.energy.friction, 15.0, 1e-13);
    holds(proof.energy.supplied, 0.0, 1e-13);
    holds(proof.x, 0.5, 1e-14);
    // −3.5 m: the spring pulls with 3.5 N, 2.5 N more than the limit; at 0.5 m 0.5 N and 1.5 N are left.
    assert!((proof.arcs[0].margins[0] - 2.5).abs() < 1e-13);
    assert!(
        (proof.arcs[2].margins[0] - 1.5).abs() < 1e-13
            && (proof.arcs[2].margins[1] - 0.5).abs() < 1e-13
    );
}

/// A mass without a spring slides against 1 N under 3 N until the load drops at 2 s: v = 2 t, then 4 − s.
#[test]
fn loads_that_jump_are_certified_at_their_knots() {
    let o = Oscillator::new(1.0, 0.0, Law::static_dynamic(1.5, 1.0).unwrap())
        .with_force(Signal::step(1.0, 0.0, 3.0) + Signal::step(3.0, 0.0, -3.0));
    let proof = certify(&o, 10.0).unwrap();
    let endings: Vec<Ending> = proof.arcs.iter().map(|a| a.ending).collect();
    // The load of the first stretch is 0 N, and the stick after the slip lasts.
    assert_eq!(endings, [Ending::Jump, Ending::Knot, Ending::Stick, Ending::End]);
    assert_eq!(proof.arcs[0].to, [1.0, 1.0]);
    holds(proof.arcs[2].v, 4.0, 1e-14);
    holds(proof.arcs[2].to, 7.0, 1e-14);
    holds(proof.x, 12.0, 1e-13);
    assert_eq!(
        proof.arcs.iter().map(|a: &CertifiedArc| a.phase).collect::<Vec<_>>()[1],
        Phase::SlipForward
    );
}

/// A velocity that only touches zero, a load that only touches the limit, and what is not certified yet.
#[test]
fn what_cannot_be_proved_is_refused() {
    let refused =
        |o: &Oscillator, end: f64| matches!(certify(o, end), Err(Error::Uncertified { .. }));
    let law = Law::static_dynamic(2.0, 1.0).unwrap();
    let grazes = Oscillator::new(1.0, 0.0, law.clone())
        .with_force(Signal::ramp(2.0, -1.0))
        .starting_at(0.0, 1.0);
    assert!(refused(&grazes, 3.0));
    let touches =
        Oscillator::new(1.0, 1.0, law.clone()).with_force(Signal::harmonic(2.0, 1.0, -1.0));
    assert!(refused(&touches, 5.0));
    let critical =
        Oscillator { damping: 2.0, ..Oscillator::new(1.0, 1.0, law.clone()).starting_at(5.0, 0.0) };
    assert!(refused(&critical, 5.0));
    let carried = Oscillator { support: Signal::constant(0.1), ..Oscillator::new(1.0, 1.0, law) };
    assert!(refused(&carried, 5.0));
}

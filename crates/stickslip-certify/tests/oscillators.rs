//! Certificates against closed forms, and what must not be certified. That they are proofs is checked by a program of its own, in
//! ball arithmetic: `tools/check_certificate.py`.

use std::f64::consts::PI;
use stickslip::scheme::oscillator::exact;
use stickslip::{Error, Law, Oscillator, Phase, Signal, Stops};
use stickslip_certify::{Certificate, CertifiedArc, Ending, certify};

pub(crate) fn holds([low, high]: [f64; 2], truth: f64, known: f64) {
    // The truth is a double rounded from a closed form.
    let slack = 2.0 * f64::EPSILON * truth.abs();
    assert!(low <= truth + slack && truth - slack <= high, "{truth} is not in [{low}, {high}]");
    assert!(high - low <= known, "[{low}, {high}] is wide");
}

pub(crate) fn endings<P>(proof: &Certificate<P>) -> Vec<Ending> {
    proof.arcs.iter().map(|a| a.ending).collect()
}

/// Free decay against 1 N from 5.5 m: half periods about ∓1 m end at −3.5, 1.5 and 0.5 m, π s apart.
#[test]
fn free_decay_has_its_events_at_multiples_of_pi() {
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0).unwrap()).starting_at(5.5, 0.0);
    let proof = certify(&o, 12.0).unwrap();
    assert_eq!(endings(&proof), [Ending::Reversal, Ending::Reversal, Ending::Stick, Ending::End]);
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
    // The load of the first stretch is 0 N, and the stick after the slip lasts.
    assert_eq!(endings(&proof), [Ending::Jump, Ending::Knot, Ending::Stick, Ending::End]);
    assert_eq!(proof.arcs[0].to, [1.0, 1.0]);
    holds(proof.arcs[2].v, 4.0, 1e-14);
    holds(proof.arcs[2].to, 7.0, 1e-14);
    holds(proof.x, 12.0, 1e-13);
    assert_eq!(
        proof.arcs.iter().map(|a: &CertifiedArc| a.phase).collect::<Vec<_>>()[1],
        Phase::SlipForward
    );
}

/// A velocity that only touches zero, a load that only touches the limit, and bounces without end.
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
    let endless = Oscillator::new(1.0, 0.0, law.clone())
        .with_force(Signal::constant(5.0))
        .with_stops(Stops::rigid(None, Some(1.0), 0.5));
    assert!(refused(&endless, 5.0));
}

/// A refusal names its reason.
#[test]
fn what_is_not_certified_is_named() {
    let o = || Oscillator::new(1.0, 2.0, Law::coulomb(0.5).unwrap());
    let reason = |o: &Oscillator| certify(o, 5.0).unwrap_err().to_string();
    let beside = o().with_force(Signal::harmonic(2.0, 2f64.sqrt(), 0.0));
    assert!(reason(&beside).contains("next to the natural frequency"));
    let pressed = o().with_normal(Signal::harmonic(0.5, 1.0, 0.0) + Signal::constant(1.0));
    assert!(reason(&pressed).contains("a normal force that varies"));
    let bent = o().with_polynomial_stiffness(&[1.0, 0.5]);
    assert!(reason(&bent).contains("nonlinear forces"));
    let at = o().with_stops(Stops::soft(None, Some(0.0), 9.0, 0.0));
    assert!(reason(&at).contains("just where a soft stop begins"));
}

/// From 3 m against 1 N with critical damping: x = 1 + (2 + 2t) e^{−t}, which never comes to rest.
#[test]
fn critical_damping_is_certified() {
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0).unwrap())
        .with_damping(2.0)
        .starting_at(3.0, 0.0);
    let proof = certify(&o, 3.0).unwrap();
    assert_eq!(proof.arcs.len(), 1);
    let free = proof.arcs[0].free.unwrap();
    holds(free[0], 2.0, 1e-14);
    holds(free[1], 2.0, 1e-14);
    holds(proof.x, 1.0 + 8.0 * (-3f64).exp(), 1e-14);
    holds(proof.v, -6.0 * (-3f64).exp(), 1e-14);
    holds(proof.energy.friction, 2.0 - 8.0 * (-3f64).exp(), 1e-13);
}

/// A force of 3 cos 2t N on 1 kg and 4 N/m against 1 N: x = ¾ t sin 2t − ¼ + ¼ cos 2t, at rest where tan 2t = −6t.
#[test]
fn resonance_is_certified() {
    let o = Oscillator::new(1.0, 4.0, Law::coulomb(1.0).unwrap())
        .with_force(Signal::harmonic(3.0, 2.0, 0.0));
    let proof = certify(&o, 10.0).unwrap();
    let mut t = 0.9f64;
    for _ in 0..60 {
        t = 0.5 * (PI - (6.0 * t).atan()); // contracts by at least 5
    }
    assert_eq!(proof.arcs[0].ending, Ending::Reversal);
    holds(proof.arcs[0].to, t, 1e-14);
    let x = 0.75 * t * (2.0 * t).sin() - 0.25 + 0.25 * (2.0 * t).cos();
    holds(proof.arcs[1].x, x, 1e-14);
    assert!(proof.arcs.len() > 5);
}

/// On a belt of 0.1 m/s: it sticks until 12 s and slips for 2 (π − atan 2) s, from 1.2 m to 0.8 m, both at the belt's velocity.
#[test]
fn a_belt_is_certified() {
    let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0).unwrap())
        .with_support(Signal::constant(0.1))
        .starting_at(0.0, 0.1);
    let proof = certify(&o, 20.0).unwrap();
    assert_eq!(endings(&proof), [Ending::Slip, Ending::Stick, Ending::End]);
    let slip = 2.0 * (PI - 2f64.atan());
    holds(proof.arcs[0].to, 12.0, 1e-14);
    holds(proof.arcs[1].to, 12.0 + slip, 1e-14);
    holds(proof.arcs[1].x, 1.2, 1e-14);
    holds(proof.arcs[2].x, 0.8, 1e-14);
    holds(proof.arcs[2].v, 0.1, 1e-14);
    holds(proof.x, 0.8 + 0.1 * (8.0 - slip), 1e-14);
    // As seen from the belt it slips back by 0.1 m/s times the slip, and 0.4 m.
    holds(proof.energy.friction, 0.1 * slip + 0.4, 1e-14);
}

/// A belt that jumps to 3 m/s at 1 s takes the mass along with 1 N: x = s²/2 until 4 s.
#[test]
fn a_belt_that_jumps_is_certified() {
    let o = Oscillator::new(1.0, 0.0, Law::static_dynamic(2.0, 1.0).unwrap())
        .with_support(Signal::step(1.0, 0.0, 3.0));
    let proof = certify(&o, 6.0).unwrap();
    assert_eq!(endings(&proof), [Ending::Kick, Ending::Stick, Ending::End]);
    assert_eq!(proof.arcs[0].to, [1.0, 1.0]);
    holds(proof.arcs[1].to, 4.0, 1e-14);
    holds(proof.arcs[2].x, 4.5, 1e-14);
    holds(proof.x, 10.5, 1e-14);
    holds(proof.energy.friction, 4.5, 1e-14);
    // Knots of a sampled belt that meet but for rounding are no jumps.
    let times = [0.0, 0.1, 0.3, 0.7, 2.0];
    let belt = Signal::sampled(&times, &times.map(|t| 0.1 * t + 0.05)).unwrap();
    let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0).unwrap())
        .with_support(belt)
        .starting_at(0.0, 0.05);
    let proof = certify(&o, 2.0).unwrap();
    assert!(proof.arcs.iter().all(|a| a.phase == Phase::Stick && a.ending != Ending::Kick));
    holds(proof.x, 0.05 * 4.0 + 0.05 * 2.0, 1e-14);
}

/// 1 kg with 5 m/s against 1 N meets a stop at 4.5 m after 1 s with 4 m/s, and leaves it with half of that.
#[test]
fn rigid_stops_are_certified() {
    let free = || Oscillator::new(1.0, 0.0, Law::coulomb(1.0).unwrap()).starting_at(0.0, 5.0);
    let proof =
        |e: f64| certify(&free().with_stops(Stops::rigid(Some(-1.0), Some(4.5), e)), 5.0).unwrap();
    let endings = |p: &Certificate| p.arcs.iter().map(|a| a.ending).collect::<Vec<Ending>>();
    let bounces = proof(0.5);
    assert_eq!(endings(&bounces), [Ending::Impact, Ending::Stick, Ending::End]);
    holds(bounces.arcs[0].to, 1.0, 1e-14);
    holds(bounces.arcs[1].v, -2.0, 1e-14);
    holds(bounces.arcs[1].to, 3.0, 1e-14);
    holds(bounces.x, 2.5, 1e-14);
    holds(bounces.energy.friction, 6.5, 1e-13);
    let stays = proof(0.0);
    assert_eq!(endings(&stays), [Ending::Impact, Ending::End]);
    holds(stays.x, 4.5, 1e-14);
    // Nothing is proved towards the stop, which holds the mass.
    assert!(stays.arcs[1].steps[0].is_empty() && !stays.arcs[1].steps[1].is_empty());
}

/// The same at a spring of 16 N/m: it turns after atan(16)/4 s, at 4.5 − 1/16 + √(1 + 1/256) m.
#[test]
fn soft_stops_are_certified() {
    let o = Oscillator::new(1.0, 0.0, Law::coulomb(1.0).unwrap())
        .starting_at(0.0, 5.0)
        .with_stops(Stops::soft(None, Some(4.5), 16.0, 0.0));
    let proof = certify(&o, 2.0).unwrap();
    assert_eq!(endings(&proof), [Ending::Touch, Ending::Reversal, Ending::Leave, Ending::End]);
    holds(proof.arcs[1].to, 1.0 + 16f64.atan() / 4.0, 1e-14);
    holds(proof.arcs[2].x, 4.5 - 0.0625 + (1.0f64 + 1.0 / 256.0).sqrt(), 1e-14);
}

/// What a certificate takes in units of the run; nothing is asserted of times. With `--ignored --nocapture`.
#[test]
#[ignore = "it measures"]
fn the_price_of_certificates() {
    let shaw = || {
        Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0).unwrap())
            .with_damping(0.05)
            .with_force(Signal::harmonic(3.0, 0.5, 0.0))
    };
    let belt = Signal::constant(0.3) + Signal::harmonic(0.2, 1.1, 0.0);
    let cases = [
        ("plain", shaw()),
        ("critical", shaw().with_damping(2.0)),
        ("resonance", shaw().with_damping(0.0).with_force(Signal::harmonic(1.5, 1.0, 0.0))),
        ("belt", shaw().with_support(belt)),
        ("rigid stops", shaw().with_stops(Stops::rigid(Some(-1.0), Some(1.5), 0.6))),
        ("soft stops", shaw().with_stops(Stops::soft(Some(-1.0), Some(1.5), 20.0, 0.4))),
    ];
    for (name, o) in cases {
        // Single runs, so that nothing else that the machine does is in the shortest.
        let time = |work: &dyn Fn() -> bool| {
            let mut best = f64::INFINITY;
            for _ in 0..300 {
                let begun = std::time::Instant::now();
                assert!(work(), "{name}");
                best = best.min(begun.elapsed().as_secs_f64());
            }
            best
        };
        let run = time(&|| exact::solve(&o, 6.0).is_ok());
        let proof = time(&|| certify(&o, 6.0).is_ok());
        println!("{name}: {:.1}", proof / run);
    }
}

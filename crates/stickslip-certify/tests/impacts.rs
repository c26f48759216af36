//! Certificates of impact models against closed forms, and what must not be certified.

use super::oscillators::{endings, holds};
use stickslip::{Error, Impact, Signal};
use stickslip_certify::{Ending, impact};

/// From 1 m under 8 N on 1 kg: impacts at ½ s, 1 s, 1¼ s, … with half the speed each time, at rest at 1½ s.
#[test]
fn a_bouncing_ball_is_certified() {
    let ball = Impact::new(1.0, 0.5).with_force(Signal::constant(-8.0)).starting_at(1.0, 0.0);
    let proof = impact::certify(&ball, 2.0).unwrap();
    let (mut t, mut u) = (0.5, 2.0);
    let impacts: Vec<_> = proof.arcs.iter().filter(|a| a.ending == Ending::Impact).collect();
    assert!(impacts.len() > 15);
    for (arc, next) in impacts.iter().zip(&proof.arcs[1..]) {
        holds(arc.to, t, 1e-15);
        holds(next.v, u, 1e-15);
        (t, u) = (t + 2.0 * u / 8.0, 0.5 * u);
    }
    let rest = &proof.arcs[impacts.len()];
    assert_eq!(rest.ending, Ending::Rest);
    holds(rest.to, 1.5, 1e-15);
    holds(proof.energy.friction, 8.0, 1e-14);
    holds(proof.energy.supplied, 8.0, 1e-14);
    // Under 8 N all the time.
    assert!(rest.margins[0] <= 8.0 && rest.margins[0] > 7.999);
}

/// Between walls at ±1 m from the middle with 1 m/s: at 1 s, and with half the speed each time at 5 s and 13 s.
#[test]
fn two_walls_are_certified() {
    let walls = [-1.0, 1.0].map(|a| Some(Signal::constant(a)));
    let [lower, upper] = walls;
    let model = Impact::new(2.0, 0.5).between(lower, upper).starting_at(0.0, 1.0);
    let proof = impact::certify(&model, 14.0).unwrap();
    assert_eq!(endings(&proof), [[Ending::Impact; 3].to_vec(), vec![Ending::End]].concat());
    for (arc, t) in proof.arcs.iter().zip([1.0, 5.0, 13.0]) {
        holds(arc.to, t, 1e-14);
    }
    holds(proof.x, 0.875, 1e-14);
    holds(proof.energy.friction, 1.0 - 1.0 / 64.0, 1e-14);
}

/// Seen from a wall that rises by 1 m/s it falls from 1 m with 1 m/s: 4 t² + t = 1, and meets it with √17 m/s.
#[test]
fn a_wall_that_moves_is_certified() {
    let model = Impact::new(1.0, 0.5)
        .between(Some(Signal::ramp(1.0, 0.0)), None)
        .with_force(Signal::constant(-8.0))
        .starting_at(1.0, 0.0);
    let proof = impact::certify(&model, 1.0).unwrap();
    let t = (17f64.sqrt() - 1.0) / 8.0;
    holds(proof.arcs[0].to, t, 1e-15);
    holds(proof.arcs[1].x, t, 1e-15);
    holds(proof.arcs[1].v, 1.0 + 17f64.sqrt() / 2.0, 1e-14);
    assert!((proof.arcs[0].margins[0] - 17f64.sqrt()).abs() < 1e-14);
}

/// At rest on a wall that begins to rise by 1 m/s at 1 s: it leaves it with ½ m/s, and is at rest again ¼ s later. A load of −8 + 4 t N lifts
/// it at 2 s: x = ⅔ s³.
#[test]
fn what_ends_a_contact_is_certified() {
    let pressed = || Impact::new(1.0, 0.5).with_force(Signal::constant(-8.0));
    let rising = Signal::sampled(&[0.0, 1.0, 3.0], &[0.0, 0.0, 2.0]).unwrap();
    let proof = impact::certify(&pressed().between(Some(rising), None), 2.0).unwrap();
    assert_eq!(proof.arcs[0].ending, Ending::Kick);
    holds(proof.arcs[1].v, 1.5, 1e-15);
    let rest = proof.arcs.iter().find(|a| a.ending == Ending::Rest).unwrap();
    holds(rest.to, 1.25, 1e-15);
    holds(proof.x, 1.0, 1e-15);
    let lifted = Impact::new(1.0, 0.5).with_force(Signal::ramp(4.0, -8.0));
    let proof = impact::certify(&lifted, 4.0).unwrap();
    assert_eq!(endings(&proof), [Ending::Release, Ending::End]);
    holds(proof.arcs[0].to, 2.0, 1e-15);
    holds(proof.x, 16.0 / 3.0, 1e-14);
    holds(proof.v, 8.0, 1e-14);
}

/// On a table 0.3 cos 2πt m it comes to rest, and leaves it where 0.3 (2π)² cos 2πt = 9 m/s².
#[test]
fn a_shaken_table_is_certified() {
    let w = 2.0 * std::f64::consts::PI;
    let model = Impact::new(1.0, 0.2)
        .between(Some(Signal::harmonic(0.3, w, 0.0)), None)
        .with_force(Signal::constant(-9.0))
        .starting_at(1.0, 0.0);
    let proof = impact::certify(&model, 5.0).unwrap();
    let found = endings(&proof);
    assert!(found.contains(&Ending::Rest) && found.contains(&Ending::Release));
    let turn = (9.0 / (0.3 * w * w)).acos() / w;
    for arc in proof.arcs.iter().filter(|a| a.ending == Ending::Release) {
        let n = (arc.to[0] + turn).round();
        holds(arc.to, n - turn, 1e-14);
    }
}

/// A flight that only touches a wall, and a mass at rest without a load.
#[test]
fn what_cannot_be_proved_is_refused() {
    let refused = |i: &Impact| matches!(impact::certify(i, 3.0), Err(Error::Uncertified { .. }));
    let free = || Impact::new(1.0, 0.5).with_force(Signal::constant(2.0));
    assert!(refused(&free().starting_at(1.0, -2.0)));
    assert!(refused(&Impact::new(1.0, 0.5)));
}

/// What a certificate takes in units of the run; nothing is asserted of times. With `--ignored --nocapture`.
#[test]
#[ignore = "it measures"]
fn the_price_of_certificates_of_other_kinds() {
    use stickslip::{Cascade, scheme};
    use stickslip_certify::cascade;
    let two = || Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1]);
    let swings = Signal::harmonic(2.5, 0.9, 0.0) + Signal::harmonic(1.5, 2.3, 0.4);
    let (led, moved) = (two().with_displacement(swings.clone()), two().with_force(swings));
    let ball = Impact::new(1.0, 0.9).with_force(Signal::constant(-9.81)).starting_at(1.0, 0.0);
    let table = Impact::new(1.0, 0.4)
        .between(Some(Signal::harmonic(0.3, 6.0, 0.0)), None)
        .with_force(Signal::constant(-9.81))
        .starting_at(1.0, 0.0);
    let time = |work: &dyn Fn() -> bool| {
        let mut best = f64::INFINITY;
        for _ in 0..100 {
            let begun = std::time::Instant::now();
            assert!(work());
            best = best.min(begun.elapsed().as_secs_f64());
        }
        best
    };
    let print = |name: &str, run: f64, proof: f64| println!("{name}: {:.1}", proof / run);
    let run = time(&|| scheme::cascade::quasi_static(&led, 50.0).is_ok());
    print("led", run, time(&|| cascade::certify_quasi_static(&led, 50.0).is_ok()));
    let run = time(&|| scheme::cascade::exact(&moved, 50.0).is_ok());
    print("moved", run, time(&|| cascade::certify(&moved, 50.0).is_ok()));
    for (name, model) in [("ball", ball), ("table", table)] {
        let run = time(&|| scheme::impact::solve(&model, 10.0).is_ok());
        print(name, run, time(&|| impact::certify(&model, 10.0).is_ok()));
    }
}

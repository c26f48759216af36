//! The friction of the gear by hand, and against a search for its acceleration.

use super::{LOAD, WAY, asked, small, twins};
use crate::control::Unwatched;
use crate::joint::gear::{Load, Torques, Way};
use crate::joint::{Slot, Ways, joint};
use crate::statistics::random::Draws;
use stickslip::portable;

/// By hand: |0.5·0.6 − 0.25·0.4| = 0.2 N·m in fast slip, three halves of it at rest, and in between as the law falls.
#[test]
fn the_friction_of_the_load_is_larger_at_rest() {
    let mut of = small().gear;
    let loaded = Way { external: 0.5, motor: 0.25, rest: 0.5, ..WAY };
    of.ways = [loaded, Way { external: 0.75, ..loaded }];
    let torques = Torques { motor: 0.4, external: 0.6 };
    let fall = portable::exp(-0.7 / 0.3);
    // WAY: 0.03 N·m in slip, 0.02 N·m more at rest, 0.3 rad/s, exponent 1, 0.01 N·m·s/rad.
    let sliding = 0.03 + 0.02 * fall + 0.2 * (1.0 + 0.5 * fall) + 0.01 * 0.7;
    assert!((of.sliding(&LOAD, 0.7, &torques) - sliding).abs() < 1e-15);
    assert!((of.hold(1.0, &torques) - (0.05 + 0.3)).abs() < 1e-15);
    // Backwards it is |0.75·0.6 − 0.25·0.4| = 0.35 N·m.
    let backwards = sliding + 0.15 * (1.0 + 0.5 * fall);
    assert!((of.sliding(&LOAD, -0.7, &torques) + backwards).abs() < 1e-15);
    assert!((of.hold(-1.0, &torques) - (0.05 + 0.525)).abs() < 1e-15);
}

/// The acceleration with friction that grows with the transmitted torque, against a search for the root of its equation.
#[test]
fn the_transmitted_torque_fits_its_own_friction() {
    let mut draws = Draws::new(3, 0);
    let mut driven = 0;
    let mut back = 0;
    for _ in 0..2000 {
        let mut of = small().gear;
        let load = Load { inertia: 0.01 * draws.unit(), gravity: 0.0 };
        let [forward, backward] = [(); 2].map(|()| Way {
            driving: 0.8 * draws.unit(),
            back_driven: 0.8 * draws.unit(),
            ..WAY
        });
        of.ways = [forward, backward];
        of.armature = 1e-3 + 0.01 * draws.unit();
        let torques = Torques { motor: draws.signed(), external: draws.signed() };
        let (speed, s) = if draws.unit() < 0.5 { (0.7, 1.0) } else { (-0.7, -1.0) };
        let pushed = of.push(&load, s, speed, &torques, 0.0);
        let found = pushed.force / pushed.inertia;
        let dry = 0.03 + 0.02 * portable::exp(-0.7 / 0.3);
        let rest = |a: f64| {
            let transmitted = load.inertia * a - torques.external;
            let way = if s > 0.0 { forward } else { backward };
            let share = if transmitted * s >= 0.0 { way.driving } else { way.back_driven };
            (of.armature + load.inertia) * a - torques.motor - torques.external
                + s * (dry + share * transmitted.abs())
        };
        // The left side grows with a, for every share is below 1.
        let mut low = -1e5;
        let mut high = 1e5;
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if rest(middle) > 0.0 { high = middle } else { low = middle }
        }
        assert!((found - low).abs() < 1e-9 * (1.0 + low.abs()), "{found} {low}");
        let transmitted = load.inertia * found - torques.external;
        if transmitted * s >= 0.0 { driven += 1 } else { back += 1 }
    }
    assert!(driven > 300 && back > 300, "{driven} {back}");
}

/// A back-driven gear that jams is refused before anything is computed.
#[test]
fn a_gear_that_jams_is_refused() {
    let mut question = asked(twins(2, 1));
    question.joint.set(Slot::BackDriven(Ways::Backward), 3.0);
    let said = joint(&question, &Unwatched).unwrap_err().to_string();
    assert!(said.contains("is not unique"), "{said}");
}

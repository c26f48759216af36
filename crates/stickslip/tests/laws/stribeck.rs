//! The law of Stribeck: how fast it may weaken within a step.

use stickslip::scheme::oscillator::{euler, implicit_euler};
use stickslip::{Law, Oscillator, Signal, Warning};

#[test]
fn too_large_a_step_for_the_weakening_is_told_with_the_one_that_is_not() {
    let law = Law::stribeck(1.0, 0.0, 0.0, 1.0).unwrap();
    let below = 1.0 / law.weakening();
    let o = Oscillator::new(1.0, 0.0, law)
        .with_force(Signal::harmonic(1.5, 0.4, 0.0))
        .starting_at(0.0, 1.0);
    let path = euler::solve(&o, 60.0, 4.0 * below).unwrap();
    let Some(Warning::SeveralSolutions { below: told, count, .. }) = path.warnings().first() else {
        panic!("{:?}", path.warnings())
    };
    assert!(*count > 0 && (told - below).abs() < 1e-12);
    assert_eq!(euler::solve(&o, 60.0, 0.99 * below).unwrap().warnings(), []);
    assert_eq!(implicit_euler::solve(&o, 60.0, 0.99 * below).unwrap().warnings(), []);
    // with damping and a spring the implicit scheme's step may be larger
    let o = o.with_damping(0.3);
    let Some(Warning::SeveralSolutions { below: told, .. }) =
        implicit_euler::solve(&o, 60.0, 4.0 * below).unwrap().warnings().first().cloned()
    else {
        panic!()
    };
    assert!(
        told > below && implicit_euler::solve(&o, 60.0, 0.99 * told).unwrap().warnings().is_empty()
    );
}

//! Ends of motions that rounding once moved: against closed forms, and a series in 64 digits.

use stickslip::scheme::impact;
use stickslip::scheme::oscillator::exact;
use stickslip::{EventKind, Impact, Law, Oscillator, Signal};

/// ẋ = (t − 2)² touches zero after 2 s: the minimum is the root, not the first value within a rounding of zero.
#[test]
fn a_slip_that_ends_in_a_double_root() {
    let o = Oscillator::new(1.0, 0.0, Law::static_dynamic(2.0, 1.0).unwrap())
        .with_force(Signal::ramp(2.0, -3.0))
        .starting_at(0.0, 4.0);
    let path = exact::solve(&o, 4.0).unwrap();
    let [stick, slip] = path.events() else { panic!("{:?}", path.events()) };
    assert_eq!((stick.kind, slip.kind), (EventKind::Stick, EventKind::Slip));
    assert!((stick.time - 2.0).abs() < 1e-14 && (stick.x - 8.0 / 3.0).abs() < 1e-14, "{stick:?}");
    assert!((slip.time - 2.5).abs() < 1e-14, "{slip:?}");
}

/// A short slip at the start of a long run: what is known of its end does not depend on when the run ends.
#[test]
fn a_slip_of_a_third_of_a_second_in_a_run_of_a_million() {
    let o = Oscillator::new(1.0, 0.0, Law::static_dynamic(1.0, 0.75).unwrap())
        .with_force(Signal::harmonic(0.9375, std::f64::consts::TAU, std::f64::consts::FRAC_PI_2))
        .starting_at(0.0, 0.5);
    for end in [1.0, 1e3, 1e6] {
        let path = exact::solve(&o, end).unwrap();
        let [stick] = path.events() else { panic!("{:?}", path.events()) };
        assert!((stick.time / 0.350_391_384_955_664_147 - 1.0).abs() < 1e-15, "{end}: {stick:?}");
        assert!((stick.x / 0.096_051_749_635_482_480_8 - 1.0).abs() < 1e-14, "{end}: {stick:?}");
    }
}

/// x = (2 − t)³ reaches the wall without speed and without acceleration, and the force presses the mass there: one rest.
#[test]
fn a_mass_that_arrives_at_a_wall_without_speed() {
    for (e, scale) in [(0.5, 1.0), (0.0, 1.0), (1.0, 1.0), (0.9, 1e-6), (0.5, 1e6)] {
        let wall = Impact::new(1.0, e)
            .with_force(scale * Signal::ramp(-6.0, 12.0))
            .starting_at(8.0 * scale, -12.0 * scale);
        let path = impact::solve(&wall, 4.0).unwrap();
        let [rest] = path.events() else { panic!("{e}: {:?}", path.events()) };
        assert_eq!((rest.kind, rest.impulse), (EventKind::Rest, 0.0), "{e}");
        assert!((rest.time - 2.0).abs() < 1e-6 && rest.x == 0.0, "{e}: {rest:?}");
    }
    // One that arrives with a little speed, v = −1e-6 m/s, bounces.
    let wall = Impact::new(1.0, 0.5)
        .with_force(Signal::ramp(-6.0, 12.0))
        .starting_at(8.0 + 2e-6, -12.0 - 1e-6);
    let path = impact::solve(&wall, 4.0).unwrap();
    let impacts = path.events().iter().filter(|e| e.kind == EventKind::Impact);
    assert!(impacts.count() > 5);
}

//! Coefficients that fall with the pressure, against closed forms.

use stickslip::model::Planar;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::scheme::planar::{self, euler_steps};
use stickslip::{EventKind, Law, Signal};

/// Under constant N the deceleration is μ N e^{−(N − N₀)/N_s}/m, in every scheme.
#[test]
fn a_puck_stops_after_its_momentum_over_the_friction() {
    let puck = Planar::new(2.0, Law::coulomb(0.2).unwrap())
        .with_normal(Signal::constant(3.0))
        .with_pressure(1.0, 4.0)
        .starting_at([0.0; 2], [0.9, 1.2]);
    let friction = 0.2 * 3.0 * (-0.5f64).exp();
    let stops = 2.0 * 1.5 / friction;
    let far = 2.0 * 1.5 * 1.5 / (2.0 * friction);
    let exact = planar::solve(&puck, 12.0, Options::tolerance(1e-11)).unwrap();
    assert!((exact.events()[0].time - stops).abs() < 1e-9, "{:?} {stops}", exact.events());
    for (path, most) in [
        (exact, 1e-9),
        (euler_steps::euler(&puck, 12.0, 1e-4).unwrap(), 1e-3),
        (euler_steps::implicit_euler(&puck, 12.0, 1e-4).unwrap(), 1e-3),
    ] {
        let x = path.state(12.0).x;
        assert!((x[0] - 0.6 * far).hypot(x[1] - 0.8 * far) < most, "{x:?} {far}");
    }
}

/// N = 1 + t/2 presses ever harder, and the surface holds ever less once N > N_s: N e^{−(N − N₀)/N_s} has its top at N_s = 2 N. A load
/// that friction cannot hold at N = 5 N lets the mass go at t = 8 s, first and in every direction.
#[test]
fn a_growing_pressure_may_let_go() {
    let limit = |n: f64| 0.3 * n * (-(n - 1.0) / 2.0).exp();
    for angle in [0.0f64, 0.7, 4.0] {
        let load = limit(5.0);
        assert!(load < limit(1.0));
        let held = Planar::new(1.0, Law::static_dynamic(0.3, 0.25).unwrap())
            .with_normal(Signal::ramp(0.5, 1.0))
            .with_pressure(1.0, 2.0)
            .with_force([angle.cos(), angle.sin()].map(|n| Signal::constant(load * n)));
        let path = planar::solve(&held, 9.0, Options::default()).unwrap();
        let event = path.events()[0];
        assert!(event.kind == EventKind::Slip && (event.time - 8.0).abs() < 1e-11, "{event:?}");
        // Without the fall of the coefficient the growing pressure holds it.
        let plain = Planar { pressure: None, ..held };
        assert!(planar::solve(&plain, 9.0, Options::default()).unwrap().events().is_empty());
    }
}

#[test]
fn a_pressure_needs_a_normal_force_and_a_scale() {
    let plain = Planar::new(1.0, Law::coulomb(0.3).unwrap()).with_pressure(1.0, 2.0);
    let told = plain.check().unwrap_err().to_string();
    assert!(told.contains("no normal force"), "{told}");
    let pressed = plain.with_normal(Signal::constant(1.0));
    assert!(pressed.check().is_ok());
    assert!(pressed.clone().with_pressure(1.0, 0.0).check().is_err());
    assert!(pressed.clone().with_pressure(-1.0, 1.0).check().is_err());
    assert!(pressed.with_pressure(101.0, 2.0).check().is_err());
}

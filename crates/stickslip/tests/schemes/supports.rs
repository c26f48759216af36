//! Moving supports and normal forces that vary: the schemes against each other and closed forms.

use crate::common::paths::{differences, distance};
use std::f64::consts::PI;
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::{euler, exact, implicit_euler};
use stickslip::{Error, EventKind, Law, Oscillator, Phase, Signal};

/// A mass on a belt of velocity V, f_s > f_d, from the start of a stick.
fn belt(v: f64) -> Oscillator {
    Oscillator::new(2.0, 8.0, Law::static_dynamic(3.0, 2.0).unwrap())
        .with_support(Signal::constant(v))
        .starting_at((2.0 * 2.0 - 3.0) / 8.0, v)
}

/// The cycle in closed form: the stick takes 2(f_s − f_d)/(K V), the slip 2(π − atan((f_s − f_d)ω/(K V)))/ω.
#[test]
fn the_belt_has_its_closed_form() {
    let (v, k, w) = (0.15, 8.0, 2.0f64);
    let stick = 2.0 / (k * v);
    let slip = 2.0 * (PI - (w / (k * v)).atan()) / w;
    let end = 10.0 * (stick + slip);
    for path in [
        exact::solve(&belt(v), end).unwrap(),
        adaptive::solve(&belt(v), end, Options::tolerance(1e-12)).unwrap(),
    ] {
        for (i, e) in path.events().iter().take(19).enumerate() {
            let cycles = (i / 2) as f64;
            let (kind, time, x) = if i % 2 == 0 {
                (EventKind::Slip, cycles * (stick + slip) + stick, 3.0 / k)
            } else {
                (EventKind::Stick, (cycles + 1.0) * (stick + slip), 1.0 / k)
            };
            assert_eq!(e.kind, kind);
            assert!(
                (e.time - time).abs() < 1e-9 && (e.x - x).abs() < 1e-9 && (e.v - v).abs() < 1e-9,
                "{e:?}, expected {time} {x}"
            );
        }
        assert_eq!(path.phase(0.5 * stick), Phase::Stick);
        assert!((path.state(0.5 * stick).v - v).abs() < 1e-15);
    }
}

#[test]
fn supports_of_every_kind_in_both_event_driven_schemes() {
    let base = || {
        Oscillator::new(1.0, 4.0, Law::static_dynamic(1.0, 0.6).unwrap())
            .with_damping(0.1)
            .with_drive(Signal::harmonic(0.5, 0.7, 0.3))
    };
    let supports = [
        Signal::harmonic(0.4, 1.3, 0.2),
        Signal::step(4.0, 0.2, -0.3) + Signal::step(9.0, 0.0, 0.3),
        Signal::step(2.5, 0.0, 0.5) + Signal::harmonic(0.1, 3.0, 0.0),
    ];
    for support in supports {
        let o = base().with_support(support);
        let a = exact::solve(&o, 30.0).unwrap();
        let b = adaptive::solve(&o, 30.0, Options::tolerance(1e-12)).unwrap();
        let (state, time) = differences(&a, &b);
        assert!(state < 1e-8 && time < 1e-8, "{state:e} {time:e}");
        assert!(a.events().len() > 5);
        for pair in a.segments().windows(2) {
            use stickslip::Motion;
            let (p, q) = (pair[0].arc.state(pair[0].end), pair[1].arc.state(pair[1].start));
            assert!((p.x - q.x).abs() + (p.v - q.v).abs() < 1e-12);
        }
        // and both time-stepping schemes converge to it
        for solve in [euler::solve, implicit_euler::solve] {
            let error = |h: f64| distance(&solve(&o, 30.0, h).unwrap(), &a);
            let (coarse, fine) = (error(2e-3), error(2.5e-4));
            assert!(fine < 0.25 * coarse && fine < 5e-3, "{coarse} {fine}");
        }
    }
    // a ramp of the support bends the spring force; both schemes take it
    let o = base().with_support(Signal::ramp(0.05, 0.0));
    let (a, b) = (exact::solve(&o, 30.0), adaptive::solve(&o, 30.0, Options::tolerance(1e-12)));
    let (state, time) = differences(&a.unwrap(), &b.unwrap());
    assert!(state < 1e-8 && time < 1e-8, "{state:e} {time:e}");
    // without a spring it is in the class: constant acceleration of the support drags the mass along
    let o =
        Oscillator::new(2.0, 0.0, Law::coulomb(1.0).unwrap()).with_support(Signal::ramp(0.7, 0.0));
    let path = exact::solve(&o, 4.0).unwrap();
    // 0.7·2 kg > 1 N: it slips at once and accelerates with 1/2
    assert!((path.state(4.0).v - 2.0).abs() < 1e-14 && (path.state(4.0).x - 4.0).abs() < 1e-13);
}

#[test]
fn normal_forces_that_vary() {
    let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(0.5, 0.4).unwrap())
        .with_drive(Signal::harmonic(4.0, 0.5, 0.0))
        .with_normal(
            Signal::constant(2.0) + Signal::harmonic(0.8, 1.7, 0.4) + Signal::step(7.0, 0.0, 0.5),
        )
        .starting_at(4.0, 0.0);
    let a = exact::solve(&o, 40.0).unwrap();
    let b = adaptive::solve(&o, 40.0, Options::tolerance(1e-12)).unwrap();
    let (state, time) = differences(&a, &b);
    assert!(state < 1e-8 && time < 1e-8 && a.events().len() > 8, "{state:e} {time:e}");
    for solve in [euler::solve, implicit_euler::solve] {
        let error = |h: f64| distance(&solve(&o, 40.0, h).unwrap(), &a);
        let (coarse, fine) = (error(4e-3), error(5e-4));
        assert!(fine < 0.2 * coarse, "{coarse} {fine}");
    }
    // a constant one only scales the law
    let scaled = |o: Oscillator| exact::solve(&o, 40.0).unwrap();
    let drive = Signal::harmonic(4.0, 0.5, 0.0);
    let one = scaled(
        Oscillator::new(1.0, 1.0, Law::static_dynamic(0.5, 0.4).unwrap())
            .with_drive(drive.clone())
            .with_normal(Signal::constant(2.0)),
    );
    let two =
        scaled(Oscillator::new(1.0, 1.0, Law::static_dynamic(1.0, 0.8).unwrap()).with_drive(drive));
    assert_eq!(one.events(), two.events());
}

#[test]
fn a_normal_force_that_pulls_is_refused_with_its_time() {
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.5).unwrap());
    let normals = [
        (Signal::ramp(-1.0, 3.0), 3.0),
        (Signal::constant(1.0) + Signal::harmonic(2.0, 0.5, 0.0), 2.0 * (2.0 * PI / 3.0)),
        (Signal::step(2.0, 1.0, -1.0), 2.0),
    ];
    for (normal, when) in normals {
        let o = o.clone().with_normal(normal);
        for result in [
            exact::solve(&o, 10.0),
            euler::solve(&o, 10.0, 0.1),
            adaptive::solve(&o, 10.0, Options::default()),
        ] {
            let Err(Error::NegativeNormalForce { time, value }) = result else {
                panic!("{result:?}")
            };
            assert!((time - when).abs() < 1e-9 && value < 0.0, "{time} {value}");
        }
    }
    // touching zero is allowed
    let o = o.with_normal(Signal::constant(1.0) + Signal::harmonic(1.0, 0.5, 0.0));
    assert!(euler::solve(&o, 10.0, 0.1).is_ok());
}

/// A run that ends with the beginning of a stick, give or take a rounding: its energies add up, and soon.
#[test]
fn the_audit_of_a_run_that_ends_with_an_event() {
    let (v, k, w) = (0.15, 8.0, 2.0f64);
    let end = 3.0 * (2.0 / (k * v) + 2.0 * (PI - (w / (k * v)).atan()) / w);
    for ulps in -4..=4 {
        let end = f64::from_bits(end.to_bits().wrapping_add_signed(ulps));
        let energy = exact::solve(&belt(v), end).unwrap().energy(&belt(v));
        assert!(energy.relative_defect() < 1e-12, "{energy:?}");
    }
}

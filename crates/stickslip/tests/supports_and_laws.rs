//! Moving supports, normal forces and every law: the schemes against each other and closed forms.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::f64::consts::PI;
use stickslip::law::{Ageing, General, Growth};
use stickslip::scheme::adaptive::{self, Options};
use stickslip::scheme::{euler, exact, implicit_euler};
use stickslip::{Error, EventKind, Law, Oscillator, Phase, Signal, Trajectory, Warning};

fn differences(a: &Trajectory, b: &Trajectory) -> (f64, f64) {
    let kinds = |p: &Trajectory| p.events().iter().map(|e| e.kind).collect::<Vec<_>>();
    assert_eq!(kinds(a), kinds(b), "{:?}\n{:?}", a.events(), b.events());
    let times = a.events().iter().zip(b.events()).map(|(a, b)| (a.time - b.time).abs());
    (distance(a, b), times.fold(0.0, f64::max))
}

fn distance(a: &Trajectory, b: &Trajectory) -> f64 {
    let states =
        a.sample(2001).zip(b.sample(2001)).map(|(a, b)| (a.1.x - b.1.x).hypot(a.1.v - b.1.v));
    states.fold(0.0, f64::max)
}

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

#[test]
fn different_forwards_and_backwards() {
    let law = Law::asymmetric(Law::static_dynamic(1.0, 0.7).unwrap(), Law::coulomb(0.4).unwrap())
        .unwrap();
    let o = Oscillator::new(1.0, 1.0, law)
        .with_drive(Signal::harmonic(3.0, 0.4, 0.0))
        .starting_at(2.0, 0.0);
    let a = exact::solve(&o, 60.0).unwrap();
    let b = adaptive::solve(&o, 60.0, Options::tolerance(1e-12)).unwrap();
    let (state, time) = differences(&a, &b);
    assert!(state < 1e-8 && time < 1e-8 && a.events().len() > 8, "{state:e} {time:e}");
    // its mirror image: x → −x with the two laws exchanged
    let mirror =
        Law::asymmetric(Law::coulomb(0.4).unwrap(), Law::static_dynamic(1.0, 0.7).unwrap())
            .unwrap();
    let m = Oscillator::new(1.0, 1.0, mirror)
        .with_drive(Signal::harmonic(-3.0, 0.4, 0.0))
        .starting_at(-2.0, 0.0);
    let c = exact::solve(&m, 60.0).unwrap();
    for (p, q) in a.sample(500).zip(c.sample(500)) {
        assert!((p.1.x + q.1.x).abs() < 1e-12 && (p.1.v + q.1.v).abs() < 1e-12);
    }
}

fn laws() -> Vec<(&'static str, Law)> {
    let speeds: Vec<f64> = (0..40).map(|i| 0.25 * f64::from(i)).collect();
    let forces: Vec<f64> = speeds.iter().map(|s| 0.6 + 0.4 / (1.0 + s) + 0.05 * s).collect();
    vec![
        ("coulomb", Law::coulomb(0.8).unwrap()),
        ("static-dynamic", Law::static_dynamic(1.0, 0.7).unwrap()),
        ("stribeck", Law::stribeck(0.01, 0.2, 0.01, 1.0).unwrap()),
        ("exponential", Law::stribeck_exponential(1.0, 0.6, 0.5, 1.0, 0.1).unwrap()),
        ("gaussian", Law::stribeck_exponential(1.0, 0.6, 0.5, 2.0, 0.0).unwrap()),
        (
            "function",
            Law::General(
                General::function(
                    |s| 0.7 + 0.2 * (-s).exp() + 0.1 * s * s / (1.0 + s),
                    (-0.2, 0.1),
                )
                .unwrap(),
            ),
        ),
        ("table", Law::General(General::table(&speeds, &forces).unwrap())),
        (
            "asymmetric",
            Law::asymmetric(
                Law::coulomb(0.6).unwrap(),
                Law::stribeck(0.01, 0.2, 0.01, 1.0).unwrap(),
            )
            .unwrap(),
        ),
        (
            "ageing",
            Law::Ageing(Ageing::new(0.7, Growth::Exponential { static_: 1.0, time: 1.0 }).unwrap()),
        ),
    ]
}

/// Every time-stepping scheme with every law is of order one, against the adaptive solution.
#[test]
fn order_one_with_every_law() {
    for (name, law) in laws() {
        let o = Oscillator::new(1.0, 1.0, law)
            .with_damping(0.05)
            .with_drive(Signal::harmonic(2.0, 0.6, 0.0))
            .starting_at(1.7, 0.0);
        let truth = adaptive::solve(&o, 12.0, Options::tolerance(1e-11)).unwrap();
        assert!(truth.events().len() >= 2, "{name}: {:?}", truth.events());
        type Solve = fn(&Oscillator, f64, f64) -> Result<Trajectory, Error>;
        let solves: [(&str, Solve); 2] =
            [("euler", euler::solve), ("implicit-euler", implicit_euler::solve)];
        for (scheme, solve) in solves {
            let errors: Vec<f64> = (0..6)
                .map(|j| distance(&solve(&o, 12.0, 0.02 / f64::from(1 << j)).unwrap(), &truth))
                .collect();
            let order = (errors[1] / errors[5]).log2() / 4.0;
            println!(
                "{name:15} {scheme:15} order {order:.3}  errors {:.2e} … {:.2e}",
                errors[0], errors[5]
            );
            // events on a grid make single ratios jump; over four halvings the order shows
            assert!(order > 0.75 && order < 1.35, "{name} {scheme}: {errors:?}");
        }
    }
}

/// The mass on a belt with a velocity-weakening law: amplitude and period of the limit cycle.
fn cycle(path: &Trajectory) -> (f64, f64) {
    let slips: Vec<_> = path.events().iter().filter(|e| e.kind == EventKind::Slip).collect();
    let n = slips.len();
    let (from, to) = (slips[n - 4].time, slips[n - 1].time);
    let (start, end) = path.span();
    let count = 200_001;
    let inside = path.sample(count).filter(|(t, ..)| *t >= from && *t <= to);
    let (lo, hi) = inside
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (_, s, _)| (a.min(s.x), b.max(s.x)));
    assert!(start < end);
    (0.5 * (hi - lo), (to - from) / 3.0)
}

#[test]
fn the_velocity_weakening_belt_has_one_limit_cycle_in_all_schemes() {
    let law = Law::stribeck_exponential(1.0, 0.5, 0.3, 1.0, 0.02).unwrap();
    let o = Oscillator::new(1.0, 1.0, law).with_support(Signal::constant(0.2)).with_damping(0.05);
    let end = 120.0;
    let (a, t) = cycle(&adaptive::solve(&o, end, Options::tolerance(1e-11)).unwrap());
    let (a6, t6) = cycle(&adaptive::solve(&o, end, Options::tolerance(1e-6)).unwrap());
    println!("adaptive: amplitude {a:.9}, period {t:.9}; at 1e-6: {:.1e} {:.1e}", a6 - a, t6 - t);
    assert!((a6 - a).abs() < 1e-4 && (t6 - t).abs() < 1e-4);
    // a limit cycle: another start ends in it
    let (b, s) = cycle(
        &adaptive::solve(&o.clone().starting_at(2.0, -0.5), end, Options::tolerance(1e-11))
            .unwrap(),
    );
    assert!((a - b).abs() < 1e-6 && (t - s).abs() < 1e-6, "{a} {b} {t} {s}");
    for (name, solve) in [
        ("euler", euler::solve as fn(&Oscillator, f64, f64) -> _),
        ("implicit-euler", implicit_euler::solve),
    ] {
        let mut last = f64::INFINITY;
        for h in [4e-3, 2e-3, 1e-3, 5e-4] {
            let path = solve(&o, end, h).unwrap();
            assert_eq!(path.warnings(), []);
            let (b, s) = cycle(&path);
            let error = (a - b).abs().max((t - s).abs());
            println!("{name} h = {h}: amplitude {b:.6}, period {s:.6}, error {error:.1e}");
            assert!(error < 0.75 * last);
            last = error;
        }
        assert!(last < 5e-3);
    }
}

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

#[test]
fn bad_input_is_refused() {
    let law = || Law::coulomb(1.0).unwrap();
    let bad = [
        Oscillator::new(0.0, 1.0, law()),
        Oscillator::new(1.0, 1.0, law()).with_quadratic_damping(-1.0),
        Oscillator::new(1.0, 1.0, law()).with_polynomial_stiffness(&[1.0, f64::NAN]),
        Oscillator::new(1.0, 1.0, law()).with_support(Signal::constant(f64::INFINITY)),
    ];
    for o in bad {
        assert!(
            euler::solve(&o, 1.0, 0.1).is_err()
                && adaptive::solve(&o, 1.0, Options::default()).is_err()
        );
    }
    let fine = Oscillator::new(1.0, 1.0, law());
    assert!(adaptive::solve(&fine, 1.0, Options { rtol: 0.0, ..Options::default() }).is_err());
    assert!(adaptive::solve(&fine, 1.0, Options { atol: -1.0, ..Options::default() }).is_err());
    // a load that is not finite somewhere is an error, not a hang
    let o = Oscillator::new(1.0, 0.0, law()).with_load(|_, _, t| 2.0 / (1.0 - t));
    assert!(adaptive::solve(&o, 2.0, Options::default()).is_err());
    let o =
        Oscillator::new(1.0, 0.0, law()).with_load(|_, _, t| if t > 0.5 { f64::NAN } else { 0.0 });
    assert!(adaptive::solve(&o, 2.0, Options::default()).is_err());
}

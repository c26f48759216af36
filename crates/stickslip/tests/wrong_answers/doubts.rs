//! Free decay from 11.5 m with f_s = 7.5 N, f_d = 1 N, m = K = 1: half periods about ∓1 lead to −9.5 m and to
//! 7.5 m, where the spring pulls with exactly f_s. It may rest there or slip on; every scheme says so.

use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::{euler, exact, implicit_euler};
use stickslip::{Law, Oscillator, Signal, Warning};

#[test]
fn a_slip_that_ends_at_the_breakaway_force_is_reported_by_every_scheme() {
    let o =
        Oscillator::new(1.0, 1.0, Law::static_dynamic(7.5, 1.0).unwrap()).starting_at(11.5, 0.0);
    let instant = 2.0 * std::f64::consts::PI;
    let paths = [
        ("exact", exact::solve(&o, 20.0).unwrap()),
        ("adaptive", adaptive::solve(&o, 20.0, Options::default()).unwrap()),
        ("euler", euler::solve(&o, 20.0, 1e-3).unwrap()),
        ("implicit-euler", implicit_euler::solve(&o, 20.0, 1e-3).unwrap()),
    ];
    for (name, path) in &paths {
        let told = path.warnings().iter().any(|w| match w {
            Warning::NotUnique { from, .. } => (from - instant).abs() < 1e-6,
            Warning::RestsAtLimit { time, .. } => (time - instant).abs() < 0.05,
            _ => false,
        });
        assert!(told, "{name}: {:?}, {:?}", path.warnings(), path.events());
    }
    // and not where it rests clearly inside the limits: from 11.2 m to 7.2 m
    let o = o.starting_at(11.2, 0.0);
    for path in [
        exact::solve(&o, 20.0).unwrap(),
        adaptive::solve(&o, 20.0, Options::default()).unwrap(),
        euler::solve(&o, 20.0, 1e-4).unwrap(),
    ] {
        assert!(path.warnings().is_empty(), "{:?}", path.warnings());
    }
}

/// With f_s = f_d the same decay ends where it must: friction is monotone, so that no other motion begins there (Brézis 1973), and
/// nothing is in doubt. Nor where a load rises just to the limit and falls again.
#[test]
fn where_friction_does_not_drop_nothing_is_in_doubt() {
    let law = Law::coulomb(1.0).unwrap();
    let decay = Oscillator::new(1.0, 1.0, law.clone()).starting_at(5.0, 0.0);
    let touch = Oscillator::new(1.0, 1.0, law).with_force(Signal::harmonic(1.0, 1.0, 0.0));
    for o in [decay, touch] {
        for (name, path) in [
            ("exact", exact::solve(&o, 20.0).unwrap()),
            ("adaptive", adaptive::solve(&o, 20.0, Options::default()).unwrap()),
            ("euler", euler::solve(&o, 20.0, 1e-3).unwrap()),
            ("implicit-euler", implicit_euler::solve(&o, 20.0, 1e-3).unwrap()),
        ] {
            let doubts = path
                .warnings()
                .iter()
                .filter(|w| matches!(w, Warning::NotUnique { .. } | Warning::RestsAtLimit { .. }));
            assert_eq!(doubts.count(), 0, "{name}: {:?}", path.warnings());
        }
    }
}

/// 1 kg slides at f_d = 2 N from 1/2 m/s on under the load 1 N − δ + 1 N/s · t: v = 1/2 − (1 + δ) t + t²/2 falls to −δ, to first
/// order. For δ = 0 it touches zero after 1 s, where the load equals f_d; held by f_s = 3 N the mass then stays for a second, but under
/// a load however little greater it slides on.
#[test]
fn a_slip_that_only_touches_rest_is_reported() {
    let law = Law::static_dynamic(3.0, 2.0).unwrap();
    let o = |less: f64| {
        Oscillator::new(1.0, 0.0, law.clone())
            .with_force(Signal::ramp(1.0, 1.0 - less))
            .starting_at(0.0, 0.5)
    };
    let told = |w: &[Warning]| {
        w.iter().any(|w| matches!(w, Warning::GrazesRest { time } if (time - 1.0).abs() < 1e-2))
    };
    let path = exact::solve(&o(0.0), 1.5).unwrap();
    assert!(told(path.warnings()), "{:?}, {:?}", path.warnings(), path.events());
    let path = adaptive::solve(&o(1e-8), 1.5, Options::default()).unwrap();
    assert!(told(path.warnings()), "{:?}, {:?}", path.warnings(), path.events());
    // Steps stop as soon as f_s can hold the mass within one: at a velocity of about h, where the load is √(2h) from f_d. They
    // know it no better.
    for h in [0.01_f64, 1e-3, 1e-4] {
        let near = |w: &Warning| matches!(w, Warning::GrazesRest { time } if (time - 1.0).abs() < 2.0 * h.sqrt());
        let explicit = euler::solve(&o(0.0), 1.5, h).unwrap();
        let implicit = implicit_euler::solve(&o(0.0), 1.5, h).unwrap();
        for path in [explicit, implicit] {
            assert!(path.warnings().iter().any(near), "{h}: {:?}", path.warnings());
        }
    }
    // The velocity stays above 0.09 m/s.
    for h in [3e-3, 1e-3, 1e-4] {
        let path = implicit_euler::solve(&o(-0.1), 1.5, h).unwrap();
        assert!(path.warnings().is_empty(), "{h}: {:?}", path.warnings());
    }
    for h in [1e-4, 1e-5] {
        let path = euler::solve(&o(0.01), 1.5, h).unwrap();
        assert_eq!((path.events().len(), path.warnings()), (1, &[][..]), "{h}");
    }
    // Slides on, or clearly stops before: nothing is in doubt.
    for less in [-0.01, 0.01] {
        let path = exact::solve(&o(less), 1.5).unwrap();
        assert!(path.warnings().is_empty() && path.events().len() == usize::from(less > 0.0));
    }
}

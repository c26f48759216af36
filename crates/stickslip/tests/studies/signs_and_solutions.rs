//! Bastien, Bernardin, Lamarque 2013, §1.2, and Schatzman, Lamarque, Bastien 1999: the sign function with sign(0) = 0 fails and the
//! inclusion does not; ill-posed problems are reported.

use stickslip::law::{Ageing, Growth};
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::{euler, implicit_euler, sign as usual_sign};
use stickslip::study::{perturb, solutions};
use stickslip::{Error, Law, Oscillator, Phase, Signal, Warning};

/// u̇ + sign u = t, u(0) = 0, as an oscillator without a spring: u is its velocity.
fn ramp() -> Oscillator {
    Oscillator::new(1.0, 0.0, Law::coulomb(1.0).unwrap()).with_force(Signal::ramp(1.0, 0.0))
}

#[test]
fn the_implicit_scheme_with_the_usual_sign_has_no_second_step() {
    let o = ramp();
    let h = 0.01;
    let Err(Error::StepWithoutSolution { step, time, .. }) = usual_sign::sign_implicit(&o, 1.0, h)
    else {
        panic!("a solution where the book has none");
    };
    assert_eq!(step, 2);
    assert_eq!(time, 2.0 * h);
}

#[test]
fn the_inclusion_is_exactly_at_rest_and_of_order_one_after() {
    let o = ramp();
    let error = |h: f64| {
        let path = implicit_euler::solve(&o, 2.0, h).unwrap();
        let mut worst = 0.0f64;
        for (t, s, _) in path.sample((2.0 / h) as usize + 1) {
            if t <= 1.0 {
                assert_eq!(s.v, 0.0);
            }
            // (1.31) of the book: at rest until t = 1, then u = (t − 1)²/2.
            let want = if t <= 1.0 { 0.0 } else { 0.5 * (t - 1.0) * (t - 1.0) };
            worst = worst.max((s.v - want).abs());
        }
        worst
    };
    let errors: Vec<f64> = (0..6).map(|j| error(0.1 / f64::from(1 << j))).collect();
    for pair in errors.windows(2) {
        assert!((pair[0] / pair[1] - 2.0).abs() < 0.1, "{errors:?}");
    }
}

fn ageing(growth: Growth) -> Law {
    Law::Ageing(Ageing::new(1.0, growth).unwrap())
}

/// F = h(t) with h = 1 + t: a power law of exponent one, and a ramp.
fn ill_posed() -> Oscillator {
    let law = ageing(Growth::Power { breakaway: 2.0, time: 1.0, exponent: 1.0 });
    Oscillator::new(1.0, 0.0, law).with_force(Signal::ramp(1.0, 1.0))
}

#[test]
fn scheme_27_has_n_plus_one_solutions() {
    let n = 20;
    let family = solutions::discrete(&ill_posed(), 1.0, 1.0 / n as f64, 1000).unwrap();
    assert_eq!(family.members.len(), n + 1);
    assert!(!family.truncated);
    let d = family.step;
    let h = |t: f64| 1.0 + t;
    for (i, m) in family.members.iter().enumerate() {
        // the latest departures first: none, then step N, N − 1, …, 1
        let expected: Vec<usize> = if i == 0 { vec![] } else { vec![n + 1 - i] };
        assert_eq!(m.leaves, expected);
        // each satisfies (27), and is Z_n = Σ δ(h(t_k) − h(0)) from its departure on
        let leaves = m.leaves.first().copied().unwrap_or(n + 1);
        let mut z = 0.0;
        for (k, s) in m.states.iter().enumerate().skip(1) {
            let t = d * k as f64;
            z = if k < leaves { 0.0 } else { z + d * (h(t) - h(0.0)) };
            assert!((s.v - z).abs() < 1e-14, "{k}");
        }
    }
    let few = solutions::discrete(&ill_posed(), 1.0, 1.0 / n as f64, 5).unwrap();
    assert!(few.truncated && few.members.len() == 5);
}

/// Friction that falls with the velocity: each member satisfies the discrete equation with the friction of its own velocity, and under a load of
/// exactly f_s with a slope without bound at rest there is one for each step at which it may leave (w′ = c√w has w = 0 and w = (ct/2)²). So is
/// there where it falls by more than m/h; where it falls by less the mass stays.
#[test]
fn discrete_solutions_satisfy_their_equation_under_any_law() {
    for (exponent, velocity, load, several) in [
        (0.5, 0.1, 1.2, true),
        (1.0, 0.02, 1.2, true),
        (1.0, 0.02, 1.19, true),
        (1.0, 0.1, 1.2, false),
    ] {
        let friction = |w: f64| 1.0 + 0.2 * (-(w.abs() / velocity).powf(exponent)).exp();
        let law = Law::stribeck_exponential(1.2, 1.0, velocity, exponent, 0.0).unwrap();
        let o = Oscillator::new(1.0, 0.0, law).with_force(Signal::constant(load));
        let family = solutions::discrete(&o, 3.0, 0.15, 1000).unwrap();
        assert_eq!(
            family.members.len() > 20,
            several,
            "{exponent} {load}: {}",
            family.members.len()
        );
        for member in &family.members {
            for pair in member.states.windows(2) {
                let [before, after] = [pair[0].v, pair[1].v];
                let holds = (after - before) / 0.15;
                if after == 0.0 {
                    assert!((load - holds).abs() <= 1.2 + 1e-12, "{exponent} {load} {before}");
                } else {
                    let error = holds - (load - friction(after) * after.signum());
                    assert!(error.abs() < 1e-12, "{exponent} {load}: {before} {after} {error:e}");
                }
            }
        }
    }
}

#[test]
fn the_continuous_family_is_y_u() {
    for growth in [
        Growth::Power { breakaway: 2.0, time: 1.0, exponent: 1.0 },
        Growth::Exponential { breakaway: 2.0, time: 0.5 },
        Growth::Logarithmic { breakaway: 2.0, time: 0.5 },
        Growth::Power { breakaway: 2.0, time: 0.7, exponent: 0.5 },
    ] {
        let law = Ageing::new(1.0, growth.clone()).unwrap();
        let h = law.clone();
        let o = Oscillator::new(1.0, 0.0, Law::Ageing(law.clone()))
            .with_load(move |_, _, t| h.limit(t));
        for u in [0.0, 0.25, 0.5, 0.875] {
            let path = solutions::leaving_at(&o, 2.0, u, Options::tolerance(1e-11)).unwrap();
            let y =
                |t: f64| if t <= u { 0.0 } else { law.primitive(t) - law.primitive(u) - (t - u) };
            // one event, unless it leaves at the very start
            let events: Vec<f64> = path.events().iter().map(|e| e.time).collect();
            assert_eq!(events, if u > 0.0 { vec![u] } else { vec![] }, "{growth:?}");
            for (t, s, _) in path.sample(101) {
                assert!((s.v - y(t)).abs() < 1e-9, "{growth:?} {u} {t}: {} {}", s.v, y(t));
            }
        }
    }
}

#[test]
fn every_scheme_stays_and_says_that_it_need_not() {
    let o = ill_posed();
    let paths = [
        euler::solve(&o, 1.0, 0.01).unwrap(),
        implicit_euler::solve(&o, 1.0, 0.01).unwrap(),
        adaptive::solve(&o, 1.0, Options::default()).unwrap(),
    ];
    for path in paths {
        assert_eq!(path.phases().len(), 1);
        assert_eq!(path.phase(0.5), Phase::Stick);
        assert_eq!(path.warnings(), [Warning::NotUnique { from: 0.0, to: 1.0 }]);
    }
}

#[test]
fn exact_tells_of_loads_at_the_limit() {
    let law = || Law::static_dynamic(1.2, 1.0).unwrap();
    // at the limit from t = 2 on
    let ramp = Signal::sampled(&[0.0, 2.0, 5.0, 6.0], &[0.0, 1.2, 1.2, 0.0]).unwrap();
    let o = Oscillator::new(1.0, 0.0, law()).with_force(ramp);
    for path in [
        stickslip::scheme::oscillator::exact::solve(&o, 6.0).unwrap(),
        adaptive::solve(&o, 6.0, Options::default()).unwrap(),
    ] {
        assert_eq!(path.phases().len(), 1, "{:?}", path.events());
        assert_eq!(path.warnings(), [Warning::NotUnique { from: 2.0, to: 5.0 }]);
    }
    // touching it once a period
    let o = Oscillator::new(1.0, 0.0, law()).with_force(Signal::harmonic(1.2, 1.0, 0.3));
    let path = stickslip::scheme::oscillator::exact::solve(&o, 6.0).unwrap();
    let touches: Vec<f64> = path
        .warnings()
        .iter()
        .map(|w| match w {
            Warning::NotUnique { from, to } if from == to => *from,
            other => panic!("{other:?}"),
        })
        .collect();
    let pi = std::f64::consts::PI;
    assert_eq!(touches.len(), 2);
    assert!(
        (touches[0] - (pi - 0.3)).abs() < 1e-5 && (touches[1] - (2.0 * pi - 0.3)).abs() < 1e-5,
        "{touches:?}"
    );
    // nothing to tell when the load passes the limit
    let o = Oscillator::new(1.0, 1.0, law())
        .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
        .starting_at(6.0, 0.0);
    assert_eq!(stickslip::scheme::oscillator::exact::solve(&o, 40.0).unwrap().warnings(), []);
    // nor for Coulomb's law, whose solution is unique
    let o = Oscillator::new(1.0, 0.0, Law::coulomb(1.2).unwrap()).with_force(Signal::constant(1.2));
    assert_eq!(stickslip::scheme::oscillator::exact::solve(&o, 1.0).unwrap().warnings(), []);
}

/// A load that rises to the limit and turns back at once: at a kink it is there for an instant only.
#[test]
fn every_scheme_tells_of_a_kink_at_the_limit() {
    let told = |peak: f64| {
        let law = Law::static_dynamic(1.2, 1.0).unwrap();
        let tent = Signal::sampled(&[0.0, 2.0, 5.0], &[0.0, peak, 0.0]).unwrap();
        let o = Oscillator::new(1.0, 0.0, law).with_force(tent);
        [
            stickslip::scheme::oscillator::exact::solve(&o, 5.0).unwrap(),
            adaptive::solve(&o, 5.0, Options::default()).unwrap(),
            euler::solve(&o, 5.0, 0.01).unwrap(),
            implicit_euler::solve(&o, 5.0, 0.01).unwrap(),
        ]
        .map(|path| path.warnings().to_vec())
    };
    for warnings in told(1.2) {
        assert_eq!(warnings, [Warning::NotUnique { from: 2.0, to: 2.0 }]);
    }
    for warnings in told(1.2 - 1e-9) {
        assert_eq!(warnings, []);
    }
}

/// Touches, plateaus and kinks at the limit, with a spring: every scheme tells each once, and of nothing else.
#[test]
fn every_scheme_tells_of_every_kind_of_touch() {
    let pi = std::f64::consts::PI;
    let flat = Signal::sampled(&[0.0, 1.0, 3.0, 4.0], &[0.0, 1.2, 1.2, 0.5]).unwrap();
    let tent = Signal::sampled(&[0.0, 1.0, 4.0], &[0.0, 1.2, 0.5]).unwrap();
    let cases = [
        (flat, (1.0, 3.0)),
        (tent, (1.0, 1.0)),
        (Signal::harmonic(1.2, 1.0, 2.0), (pi - 2.0, pi - 2.0)),
    ];
    for (drive, want) in cases {
        let law = Law::static_dynamic(1.2, 1.0).unwrap();
        let o = Oscillator::new(1.0, 1.0, law).with_drive(drive);
        let paths = [
            ("exact", stickslip::scheme::oscillator::exact::solve(&o, 4.0).unwrap()),
            ("adaptive", adaptive::solve(&o, 4.0, Options::default()).unwrap()),
            ("euler", euler::solve(&o, 4.0, 0.01).unwrap()),
            ("implicit-euler", implicit_euler::solve(&o, 4.0, 0.01).unwrap()),
            ("quasi-static", stickslip::scheme::oscillator::quasi_static::solve(&o, 4.0).unwrap()),
        ];
        for (scheme, path) in paths {
            let [Warning::NotUnique { from, to }] = path.warnings() else {
                panic!("{scheme}: {:?}", path.warnings())
            };
            let near = (from - want.0).abs() < 1e-5 && (to - want.1).abs() < 1e-5;
            assert!(near, "{scheme}: {from} {to}, expected {want:?}");
            assert_eq!(path.events(), [], "{scheme}");
        }
    }
}

#[test]
fn the_jump_in_epsilon() {
    let o = ill_posed();
    let epsilons = [1e-1, 1e-3, 1e-6, -1e-6, -1e-3, -1e-1];
    let rows = solutions::jump(&o, 1.0, &epsilons, Options::tolerance(1e-11)).unwrap();
    for row in rows {
        // Y_ε(1) = ∫₀¹ h − h(0) + ε = 1/2 + ε, or 0
        let want = if row.epsilon > 0.0 { 0.5 + row.epsilon } else { 0.0 };
        assert!((row.end.v - want).abs() < 1e-9, "{row:?}");
    }
}

#[test]
fn perturbing_shows_where_paths_part() {
    let solve = |o: &Oscillator| adaptive::solve(o, 1.0, Options::default());
    let ill = perturb::perturb(&ill_posed(), 1e-4, solve).unwrap();
    assert!(ill.parts.is_some_and(|t| t < 2e-3), "{:?}", ill.parts);
    assert!((ill.distance - 0.5f64.hypot(1.0 / 6.0)).abs() < 1e-3, "{}", ill.distance);
    // a well-posed one does not part
    let well = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.0, 0.7).unwrap())
        .with_drive(Signal::harmonic(1.5, 0.3, 0.0));
    let well =
        perturb::perturb(&well, 1e-4, |o| adaptive::solve(o, 50.0, Options::default())).unwrap();
    assert_eq!(well.parts, None);
    assert!(well.closer < 0.1 * well.distance);
}

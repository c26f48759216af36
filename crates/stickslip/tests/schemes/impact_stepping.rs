//! Moreau's scheme and soft walls against rigid impacts.

use std::f64::consts::PI;
use stickslip::scheme::impact::penalised::{self, Penalty};
use stickslip::scheme::impact::{self, moreau};
use stickslip::study::order::{Against, Halving, Softness, table};
use stickslip::{Error, EventKind, Impact, Problem, Scheme, Signal, Touching, Wall, solve};

const G: f64 = 9.81;

fn ball(e: f64) -> Impact {
    Impact::new(1.0, e).with_force(Signal::constant(-G)).starting_at(1.0, 0.0)
}

/// A stop in a harmonically forced, damped oscillator, and a shaken second wall.
fn rig() -> Impact {
    Impact::new(1.3, 0.7)
        .with_spring(5.0, 0.2)
        .with_force(Signal::harmonic(4.0, 3.1, 0.3) + Signal::constant(-1.0))
        .between(
            Some(Signal::constant(-0.4)),
            Some(Signal::harmonic(0.1, 5.0, 0.0) + Signal::constant(0.6)),
        )
        .starting_at(0.1, 0.0)
}

/// Where in a step an impact falls is a matter of chance, and so is the error: it is averaged over steps
/// of nearly the same length.
#[test]
fn moreau_is_of_first_order_across_impacts() {
    for (name, model, end) in
        [("ball", ball(0.8), 4.0), ("elastic", ball(1.0), 2.0), ("rig", rig(), 4.0)]
    {
        let problem = Problem::new(model, end);
        let mean = |h: f64| {
            let errors = (0..24).map(|i| {
                let halving = Halving { step: h * (1.0 + 0.0317 * f64::from(i)), halvings: 0 };
                let moreau = |step| solve(&problem, &Scheme::Moreau { step });
                table(&problem, halving, Against::Exact, moreau).unwrap()[0].error
            });
            errors.sum::<f64>() / 24.0
        };
        let errors = [4e-3, 1e-3, 2.5e-4].map(mean);
        let order = (errors[0] / errors[2]).ln() / 16f64.ln();
        println!("{name}: mean errors {errors:?}, order {order:.3}");
        assert!((0.85..1.2).contains(&order), "{name}: {errors:?}");
        assert!(errors[2] < 0.02, "{name}: {errors:?}");
    }
}

/// Without impacts it is the implicit midpoint rule: second order, and energy kept.
#[test]
fn moreau_without_impacts_is_of_second_order() {
    let free = Impact::new(1.0, 1.0)
        .with_spring(4.0, 0.0)
        .between(Some(Signal::constant(-5.0)), None)
        .starting_at(1.0, 0.0);
    let error = |h: f64| {
        let path = moreau::solve(&free, 10.0, h).unwrap();
        let end = path.state(10.0);
        assert!((end.v * end.v + 4.0 * end.x * end.x - 4.0).abs() < 1e-11);
        (end.x - (20f64).cos()).abs()
    };
    let ratio = error(0.01) / error(0.005);
    assert!((ratio - 4.0).abs() < 0.01, "{ratio}");
}

/// A long stay on a sinking, shaken and kinked wall: the penetration stays what one step makes it.
#[test]
fn moreau_does_not_drift_through_a_wall() {
    let times: Vec<f64> = (0..=400).map(|i| 0.5 * f64::from(i)).collect();
    let kinks: Vec<f64> =
        (0..=400).map(|i| 0.05 * f64::from((i * 7919) % 13) - 0.02 * f64::from(i)).collect();
    let wall = Signal::sampled(&times, &kinks).unwrap() + Signal::harmonic(0.02, 2.0, 0.4);
    let model = Impact::new(2.0, 0.0)
        .with_force(Signal::constant(-200.0))
        .between(Some(wall.clone()), None)
        .starting_at(wall.value(0.0), 0.0);
    let h = 0.01;
    let mut lowest = 0.0f64;
    moreau::run(&model, 200.0, h, |n, u, _| lowest = lowest.min(u.x - wall.value(n as f64 * h)))
        .unwrap();
    let fastest = 13.0 * 0.05 / 0.5 + 1.0;
    assert!(lowest < 0.0 && lowest > -2.0 * h * fastest, "{lowest}");
}

/// Impulses are those of the momentum balance, step by step and in all.
#[test]
fn moreau_reports_the_impulse_of_contacts() {
    let path = moreau::solve(&ball(0.5), 3.0, 1e-3).unwrap();
    // At rest: G h a step; in all: G t.
    assert_eq!(path.phase(2.9), Touching::Contact(Wall::Lower));
    assert!((path.impulse(0.0, 3.0) - 3.0 * G).abs() < 0.02);
    assert!((path.impulse(2.5, 2.6) - 0.1 * G).abs() < 1e-9);
    let exact = impact::solve(&ball(0.5), 3.0).unwrap();
    assert!((path.events()[0].impulse - exact.events()[0].impulse).abs() < 0.02);
    let rest = |p: &stickslip::ImpactPath| {
        p.events().iter().find(|e| e.kind == EventKind::Rest).unwrap().time
    };
    assert!((rest(&path) - rest(&exact)).abs() < 0.02);
}

/// Bastien, Bernardin, Lamarque 2013, §1.3: unit mass from u₀ with v₀ < 0, spring of stiffness K engaged at l, slack at 0.
#[test]
fn the_seeds_spring_bounces_as_the_seed_says() {
    let (u0, v0) = (1.0, -2.0f64);
    for k in [10.0, 1e3, 1e6, 1e10, 1e15] {
        let l = 1.0 / k;
        let model = Impact::new(1.0, 1.0).starting_at(u0, v0);
        let path = penalised::solve(&model, Penalty::spring(k, l), 3.0).unwrap();
        let w = f64::sqrt(k);
        // tan Ω(t₂ − t₁) = v₀/(lΩ), in the second quarter; as long back.
        let quarter = PI - (v0.abs() / (l * w)).atan();
        let (t1, contact) = ((l - u0) / v0, 2.0 * quarter / w);
        let [touch, leave] = path.events() else { panic!("{:?}", path.events()) };
        assert_eq!((touch.kind, leave.kind), (EventKind::Touch, EventKind::Impact));
        assert!((touch.time - t1).abs() < 1e-15);
        assert!((leave.duration - contact).abs() < 1e-13 * contact + 1e-15);
        // Deepest: −ρ with ρ² = l² + v₀²/Ω².
        let deepest = path.state(t1 + 0.5 * contact);
        assert!((deepest.x / l.hypot(v0 / w) + 1.0).abs() < 1e-7, "{deepest:?}");
        assert!((leave.v + v0).abs() < 1e-12);
        assert!((leave.impulse + 2.0 * v0).abs() < 1e-12);
        assert!((path.impulse(0.0, 3.0) + 2.0 * v0).abs() < 1e-12);
    }
}

/// Yosida's regularisation: half a period of √λ in the wall, π √λ, and no loss.
#[test]
fn yosida_stays_half_a_period_in_the_wall() {
    for lambda in [1e-2, 1e-6, 1e-12] {
        let model = Impact::new(1.0, 1.0).starting_at(1.0, -2.0);
        let path = penalised::solve(&model, Penalty::yosida(lambda), 3.0).unwrap();
        let leave = path.events()[1];
        assert!((leave.duration - PI * lambda.sqrt()).abs() < 1e-13 * leave.duration + 2e-16);
        assert!((leave.v - 2.0).abs() < 1e-12);
    }
}

/// The dashpot gives the restitution asked for, exactly, to a mass alone on the wall's spring.
#[test]
fn a_soft_wall_has_the_restitution_asked_for() {
    for e in [0.05, 0.5, 0.95] {
        let model =
            Impact::new(0.7, e).between(None, Some(Signal::constant(0.3))).starting_at(0.0, 1.5);
        let path = penalised::solve(&model, Penalty::yosida(1e-5), 3.0).unwrap();
        let leave = path.events()[1];
        assert!((leave.v / -1.5 - e).abs() < 1e-12, "{leave:?}");
        assert!((leave.impulse + 0.7 * (1.0 + e) * 1.5).abs() < 1e-12);
    }
}

/// A contact lasts a multiple of √(m/κ): so does the delay behind a rigid wall, order ½ in the compliance.
#[test]
fn soft_walls_tend_to_rigid_ones_with_the_square_root_of_their_compliance() {
    let elastic = Impact { restitution: 1.0, damping: 0.0, ..rig() };
    for (name, model, end) in
        [("ball", ball(1.0), 2.5), ("rig", elastic, 2.0), ("damped", rig(), 2.0)]
    {
        for softness in [Softness::Spring, Softness::Yosida] {
            let problem = Problem::new(model.clone(), end);
            let soft = |h| solve(&problem, &Scheme::Penalised(softness.at(h)));
            let halving = Halving { step: 1e-6, halvings: 12 };
            let rows = table(&problem, halving, Against::Exact, soft).unwrap();
            let tail = &rows[8..];
            println!(
                "{name} {softness:?}: {:.3e} … {:.3e}, order {:.4}",
                rows[0].error,
                rows[12].error,
                tail[3].order.unwrap()
            );
            for row in &tail[..4] {
                assert!((row.order.unwrap() - 0.5).abs() < 0.02, "{name} {softness:?}: {rows:?}");
            }
        }
    }
    // The delay itself, for one bounce of the seed's problem: speed times π √λ.
    let model = Impact::new(1.0, 1.0).starting_at(1.0, -2.0);
    let rigid = impact::solve(&model, 3.0).unwrap().state(3.0).x;
    let soft = penalised::solve(&model, Penalty::yosida(1e-10), 3.0).unwrap().state(3.0).x;
    assert!((rigid - soft - 2.0 * PI * 1e-5).abs() < 1e-14);
}

/// Stiffness costs nothing: the number of segments is the number of phases, whatever κ.
#[test]
fn a_stiffer_wall_is_not_more_work() {
    let count = |k: f64| {
        penalised::solve(&ball(1.0), Penalty::yosida(1.0 / k), 4.5).unwrap().segments().len()
    };
    assert_eq!(count(1e4), count(1e14));
}

#[test]
fn a_soft_wall_that_cannot_be_is_said() {
    let solve = |m: &Impact, p: Penalty| penalised::solve(m, p, 1.0).unwrap_err();
    assert!(matches!(solve(&ball(0.0), Penalty::yosida(1e-6)), Error::Unsuitable { .. }));
    for bad in [
        Penalty::yosida(0.0),
        Penalty::yosida(-1.0),
        Penalty::spring(-1.0, 0.1),
        Penalty::spring(1.0, f64::NAN),
    ] {
        assert!(matches!(solve(&ball(1.0), bad), Error::OutOfRange { .. }), "{bad:?}");
    }
    assert!(matches!(moreau::solve(&ball(1.0), 1.0, -0.1), Err(Error::OutOfRange { .. })));
}

//! The exact restoring force of a pendulum, against closed forms and quadratures.

use std::f64::consts::{FRAC_PI_2, PI};
use stickslip::model::Planar;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::scheme::planar::{self, euler_steps};
use stickslip::{Error, EventKind, Law, Problem, Scheme, Signal, solve, start};

const MASS: f64 = 1.3;
const RADIUS: f64 = 2.0;
const WEIGHT: f64 = 5.0;

fn pendulum(law: Law) -> Planar {
    Planar::new(MASS, law).with_bowl(RADIUS, WEIGHT)
}

/// W (R − √(R² − x²)).
fn energy(x: f64) -> f64 {
    WEIGHT * (RADIUS - (RADIUS * RADIUS - x * x).sqrt())
}

/// Where and after how long the mass turns that sets out at `from` (m) along a line against the friction `f` (N): the energy says where, and
/// ∫ dx/v by the midpoint rule in the angle φ of x = middle + half cos φ, of which the integrand is smooth and periodic, says when.
fn half_swing(from: f64, f: f64) -> (f64, f64) {
    let side = from.signum();
    let spare = |x: f64| energy(from) - energy(x) - f * (from - x).abs();
    // Where friction balances the slope nothing more is gained: what is left is spent beyond.
    let mut low = side * RADIUS * f / WEIGHT.hypot(f);
    let mut high = -from;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if spare(middle) > 0.0 { low = middle } else { high = middle }
    }
    let to = 0.5 * (low + high);
    let half = 0.5 * (from - to).abs();
    let count = 40;
    let time: f64 = (0..count)
        .map(|i| {
            let angle = PI * (f64::from(i) + 0.5) / f64::from(count);
            let x = 0.5 * (from + to) + side * half * angle.cos();
            half * angle.sin() / (2.0 * spare(x) / MASS).sqrt()
        })
        .sum();
    (to, time * PI / f64::from(count))
}

/// The turns of a mass released at `from` (m) along a line, as places and times; it rests at the last one.
fn turns(from: f64, f: f64) -> Vec<(f64, f64)> {
    let mut all = vec![half_swing(from, f)];
    loop {
        let (at, time) = all[all.len() - 1];
        // It stays where friction holds what the slope asks for.
        if WEIGHT * at.abs() / (RADIUS * RADIUS - at * at).sqrt() <= f {
            return all;
        }
        let (to, later) = half_swing(at, f);
        all.push((to, time + later));
    }
}

/// Released at 1.9 m of 2 m, where the force is 3.2 times that of small angles.
#[test]
fn swings_turn_where_and_when_the_energy_says() {
    for f in [0.2, 0.7] {
        let expected = turns(1.9, f);
        assert!(expected.len() > 2);
        for angle in [0.0f64, 0.7] {
            let n = [angle.cos(), angle.sin()];
            let released =
                pendulum(Law::coulomb(f).unwrap()).starting_at(n.map(|n| 1.9 * n), [0.0; 2]);
            let path = planar::solve(&released, 40.0, Options::tolerance(1e-12)).unwrap();
            // Off the axes a turn is one only to rounding, and on a disc a speed that comes near zero is no event.
            let last = expected.len() - 1;
            let told = if angle == 0.0 { &expected[..] } else { &expected[last..] };
            let found: Vec<_> = path
                .events()
                .iter()
                .filter(|e| {
                    angle == 0.0 && e.kind == EventKind::Reversal || e.kind == EventKind::Stick
                })
                .collect();
            assert_eq!(found.len(), told.len(), "{:?}", path.events());
            for (event, (at, time)) in found.iter().zip(told) {
                assert!((event.time - time).abs() < 1e-9, "{event:?} {time}");
                let x = path.state(event.time).x;
                assert!((x[0] - at * n[0]).hypot(x[1] - at * n[1]) < 1e-9, "{x:?} {at}");
            }
            assert_eq!(path.state(40.0).v, [0.0; 2]);
            assert!(path.energy().relative_defect() < 1e-11, "{:?}", path.energy());
        }
    }
}

/// Under a force that rotates at ω the mass stays on a circle of radius ρ: F e^{−iφ} = (W/√(R² − ρ²) − m ω²) ρ + i f.
#[test]
fn a_rotating_force_keeps_it_on_its_circle() {
    let f = 0.4;
    let omega = 1.1;
    for rho in [0.3, 1.2, 1.8] {
        let stiffness = WEIGHT / (RADIUS * RADIUS - rho * rho).sqrt() - MASS * omega * omega;
        let force = (stiffness * rho).hypot(f);
        let phi = -f.atan2(stiffness * rho);
        let rotating =
            [Signal::harmonic(force, omega, 0.0), Signal::harmonic(force, omega, -FRAC_PI_2)];
        let place = |t: f64| [rho * (omega * t + phi).cos(), rho * (omega * t + phi).sin()];
        let first = place(0.0);
        let mass = pendulum(Law::coulomb(f).unwrap())
            .with_force(rotating)
            .starting_at(first, [-omega * first[1], omega * first[0]]);
        let path = planar::solve(&mass, 12.0, Options::tolerance(1e-12)).unwrap();
        assert!(path.events().is_empty());
        for t in [3.0, 7.0, 12.0] {
            let (x, want) = (path.state(t).x, place(t));
            let off = (x[0] - want[0]).hypot(x[1] - want[1]);
            assert!(off < 1e-9, "{rho} {t}: {off:.1e}");
        }
        assert!(path.energy().relative_defect() < 1e-11);
    }
}

/// A mass that slides and rests on a bowl, under two waves.
fn shaken() -> Planar {
    let force = [Signal::harmonic(1.6, 1.1, -1.5), Signal::harmonic(1.2, 0.7, -1.5)];
    pendulum(Law::static_dynamic(1.5, 1.35).unwrap())
        .with_force(force)
        .starting_at([1.2, -0.5], [0.0; 2])
}

#[test]
fn both_stepping_schemes_are_of_first_order_on_a_bowl() {
    let end = 15.0;
    let exact = planar::solve(&shaken(), end, Options::tolerance(1e-11)).unwrap();
    assert!(exact.events().len() > 3, "{:?}", exact.events());
    for rule in [euler_steps::euler, euler_steps::implicit_euler] {
        let errors: Vec<f64> = [4e-3, 1e-3, 2.5e-4]
            .map(|h| {
                let path = rule(&shaken(), end, h).unwrap();
                let off = |i: u32| {
                    let t = end * f64::from(i) / 500.0;
                    let [p, q] = [path.state(t).x, exact.state(t).x];
                    (p[0] - q[0]).hypot(p[1] - q[1])
                };
                (1..=500).map(off).sum::<f64>() / 500.0
            })
            .to_vec();
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).log2() / 2.0;
            assert!((0.8..1.25).contains(&order), "order {order:.2} of {errors:?}");
        }
    }
}

/// With springs that are W/R the motion is another, and near the middle it is the same.
#[test]
fn near_the_middle_the_force_is_that_of_small_angles() {
    let law = || Law::coulomb(1e-3).unwrap();
    for (x, most, least) in [(0.02, 1e-5, 1e-9), (1.5, 5.0, 0.2)] {
        let [exact, straight] =
            [pendulum(law()), Planar::new(MASS, law()).with_pendulum(RADIUS, WEIGHT)].map(|p| {
                planar::solve(&p.starting_at([x, 0.0], [0.0; 2]), 5.0, Options::tolerance(1e-11))
            });
        let off = exact.unwrap().state(5.0).x[0] - straight.unwrap().state(5.0).x[0];
        assert!(off.abs() < most && off.abs() > least, "{off}");
    }
}

#[test]
fn what_comes_to_the_edge_is_told() {
    let pushed = pendulum(Law::coulomb(0.1).unwrap()).starting_at([0.0; 2], [3.0, 3.0]);
    let problem = Problem::new(pushed, 5.0);
    for scheme in [
        Scheme::Adaptive(Options::default()),
        Scheme::Euler { step: 1e-3 },
        Scheme::ImplicitEuler { step: 1e-3 },
    ] {
        let solved = solve(&problem, &scheme);
        // m v²/2 = 11.7 J is more than the W R = 10 J that the edge takes: nothing stops it.
        assert!(
            matches!(&solved, Err(Error::NoSolution { time, reason }) if *time < 1.5 && reason.contains("edge")),
            "{}: {:?}",
            scheme.name(),
            solved.err()
        );
        let in_pieces = start(&problem, &scheme).and_then(|mut c| c.advance(5.0).map(|_| ()));
        assert!(in_pieces.is_err());
    }
}

#[test]
fn a_bowl_stands_and_holds_its_mass() {
    let plain = pendulum(Law::coulomb(0.1).unwrap());
    let carried = plain.clone().with_support([Signal::constant(0.1), Signal::default()]);
    let told = carried.check().unwrap_err().to_string();
    assert!(told.contains("base_x"), "{told}");
    assert!(plain.clone().starting_at([1.5, 1.4], [0.0; 2]).check().is_err());
    assert!(plain.clone().starting_at([1.4, 1.4], [0.0; 2]).check().is_ok());
    assert!(plain.clone().with_bowl(0.0, 1.0).check().is_err());
    assert!(plain.with_bowl(1.0, 0.0).check().is_err());
}

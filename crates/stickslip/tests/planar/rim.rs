//! Displacement limits: closed forms, quadratures, the interval's soft stops, and rest against a rim.

use crate::common::Random;
use stickslip::model::{Planar, Stops};
use stickslip::scheme::oscillator;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::scheme::planar::{self, PlanarPath, euler_steps};
use stickslip::{EventKind, Law, Oscillator, Signal};

const MASS: f64 = 1.3;
const RADIUS: f64 = 0.5;
const STIFFNESS: f64 = 30.0;

fn times(path: &PlanarPath, kind: EventKind) -> Vec<f64> {
    path.events().iter().filter(|e| e.kind == kind).map(|e| e.time).collect()
}

/// Along the radius, without friction: δ = (v₀/ω) e^{−d t} sin ω t with d = c/2m, ω² = k/m − d², until k δ + c δ̇ = 0, that is
/// tan ω t = −c ω/(k − c d); then the mass leaves with what it has.
#[test]
fn a_straight_blow_is_that_of_a_spring_and_a_dashpot_that_do_not_pull() {
    let v0 = 1.7;
    for c in [0.0, 2.0, 6.0] {
        let d = 0.5 * c / MASS;
        let omega = (STIFFNESS / MASS - d * d).sqrt();
        let ceases = (c * omega).atan2(-(STIFFNESS - c * d)) / omega;
        let lasts = if c == 0.0 { std::f64::consts::PI / omega } else { ceases };
        let fall = (-d * lasts).exp();
        let (sin, cos) = (omega * lasts).sin_cos();
        let leaves = v0 * fall * (cos - d / omega * sin);
        for angle in [0.0f64, 0.7] {
            let n = [angle.cos(), angle.sin()];
            let mass = Planar::new(MASS, Law::coulomb(0.0).unwrap())
                .with_rim(RADIUS, STIFFNESS, c)
                .starting_at([0.0; 2], n.map(|n| v0 * n));
            let end = RADIUS / v0 + lasts + 0.1;
            let path = planar::solve(&mass, end, Options::tolerance(1e-12)).unwrap();
            let [touch, release] = [EventKind::Touch, EventKind::Release].map(|k| times(&path, k));
            assert!(touch.len() == 1 && release.len() == 1, "{:?}", path.events());
            assert!((touch[0] - RADIUS / v0).abs() < 1e-11, "{touch:?}");
            assert!((release[0] - RADIUS / v0 - lasts).abs() < 1e-10, "{release:?} {lasts}");
            let v = path.state(end).v;
            assert!((v[0] - leaves * n[0]).hypot(v[1] - leaves * n[1]) < 1e-10, "{v:?} {leaves}");
            // Nothing works on it, so that the defect has no size but that of the energy.
            assert!(path.energy().defect().abs() < 1e-11, "{:?}", path.energy());
        }
    }
}

/// Aslant, without friction and dashpot: energy and angular momentum stay, and the time beyond the rim is twice
/// ∫ dr/√(2 (E − k δ²/2)/m − (L/m r)²) from the rim to where the root vanishes, with r = r_max − u², in which the integrand is smooth.
#[test]
fn an_oblique_blow_keeps_its_angular_momentum() {
    let start = [0.1, -0.3];
    let v = [0.8, 1.1];
    let square = v[0] * v[0] + v[1] * v[1];
    let l = start[0] * v[1] - start[1] * v[0];
    let radial = |r: f64| {
        let depth = r - RADIUS;
        square - STIFFNESS / MASS * depth * depth - (l / r) * (l / r)
    };
    let (mut low, mut high) = (RADIUS, 2.0 * RADIUS);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if radial(middle) > 0.0 { low = middle } else { high = middle }
    }
    let top = 0.5 * (low + high);
    let most = (top - RADIUS).sqrt();
    // Simpson's rule; at u = 0 the root of the slope stands for the quotient.
    let e = 1e-5;
    let slope = (radial(top - e) - radial(top + e)) / (2.0 * e);
    let value =
        |u: f64| if u == 0.0 { 2.0 / slope.sqrt() } else { 2.0 * u / radial(top - u * u).sqrt() };
    let count = 400;
    let h = most / f64::from(count);
    let sum: f64 = (0..=count)
        .map(|i| {
            let weight = if i == 0 || i == count {
                1.0
            } else if i % 2 == 1 {
                4.0
            } else {
                2.0
            };
            weight * value(h * f64::from(i))
        })
        .sum();
    let lasts = 2.0 * sum * h / 3.0;
    let mass = Planar::new(MASS, Law::coulomb(0.0).unwrap())
        .with_rim(RADIUS, STIFFNESS, 0.0)
        .starting_at(start, v);
    let path = planar::solve(&mass, 3.0, Options::tolerance(1e-12)).unwrap();
    let [touch, release] = [EventKind::Touch, EventKind::Release].map(|k| times(&path, k));
    assert!(touch.len() > 1 && release.len() > 1, "{:?}", path.events());
    assert!((release[0] - touch[0] - lasts).abs() < 1e-8, "{touch:?} {release:?} {lasts}");
    for t in release {
        let s = path.state(t);
        let far = s.x[0].hypot(s.x[1]);
        let momentum = s.x[0] * s.v[1] - s.x[1] * s.v[0];
        assert!((far - RADIUS).abs() < 1e-11 && (momentum - l).abs() < 1e-10, "{far} {momentum}");
        assert!((s.v[0].hypot(s.v[1]) - square.sqrt()).abs() < 1e-10);
    }
}

/// The plane's rim on a line is a pair of soft stops, and the event "leaves the spring" of a stop without a dashpot is where it
/// ceases to push.
#[test]
fn on_a_line_a_rim_is_two_soft_stops() {
    let mut events = 0;
    let mut compared = 0;
    for seed in 0..80 {
        let mut r = Random(seed);
        let f = r.uniform(0.2, 0.6);
        let law = match r.next() % 3 {
            0 => Law::coulomb(f),
            1 => Law::static_dynamic(f * r.uniform(1.0, 1.5), f),
            _ => Law::velocity_strengthening(f, f * r.uniform(1.01, 2.0), r.uniform(0.5, 5.0)),
        };
        let a = r.uniform(0.2, 0.6);
        let stiffness = r.uniform(5.0, 60.0);
        let damping = if r.chance(0.4) { 0.0 } else { r.uniform(0.5, 5.0) };
        let wave = |r: &mut Random| {
            Signal::harmonic(r.uniform(0.4, 1.2), r.uniform(0.5, 2.0), r.uniform(0.0, 6.0))
        };
        let force = wave(&mut r) + wave(&mut r);
        let mut o = Oscillator::new(r.uniform(0.5, 2.0), r.uniform(0.0, 1.0), law.unwrap())
            .with_damping(r.uniform(0.0, 0.2))
            .with_force(force)
            .starting_at(r.uniform(-0.5, 0.5), r.uniform(-1.0, 1.0));
        o.stops = Some(Stops::soft(Some(-a), Some(a), stiffness, damping));
        let end = 15.0;
        let options = Options::tolerance(1e-11);
        let want = oscillator::adaptive::solve(&o, end, options).unwrap();
        if !want.warnings().is_empty() {
            continue;
        }
        let told: Vec<_> = want
            .events()
            .iter()
            .filter_map(|e| match e.kind {
                EventKind::Impact if damping > 0.0 => None,
                EventKind::Impact => Some((EventKind::Release, e.time)),
                kind => Some((kind, e.time)),
            })
            .collect();
        let plane = Planar::new(o.mass, o.friction.clone())
            .with_stiffness([o.stiffness; 2])
            .with_damping([o.damping; 2])
            .with_force([o.force.clone(), Signal::default()])
            .with_rim(a, stiffness, damping)
            .starting_at([o.initial.displacement, 0.0], [o.initial.velocity, 0.0]);
        let path = planar::solve(&plane, end, options).unwrap();
        let found: Vec<_> = path.events().iter().map(|e| (e.kind, e.time)).collect();
        let kinds = |all: &[(EventKind, f64)]| all.iter().map(|e| e.0).collect::<Vec<_>>();
        assert_eq!(kinds(&found), kinds(&told), "seed {seed}: {found:?} {told:?}");
        for (a, b) in found.iter().zip(&told) {
            assert!((a.1 - b.1).abs() < 1e-8, "seed {seed}: {a:?} {b:?}");
        }
        for i in 0..=100 {
            let t = end * f64::from(i) / 100.0;
            let (u, s) = (want.state(t), path.state(t));
            assert!((s.x[0] - u.x).abs() < 1e-8 && s.x[1] == 0.0, "seed {seed}, {t}: {s:?} {u:?}");
        }
        compared += 1;
        events += told.iter().filter(|e| e.0 == EventKind::Touch).count();
    }
    assert!(compared > 50 && events > 200, "{compared} motions, {events} touches");
}

/// Pressed against the rim by F along a slanted line the mass rests beyond it, with F − k δ inside the disc, to the last bit; and as F
/// falls the rim pushes it off at the instant at which k δ − F = f_s.
#[test]
fn a_mass_rests_against_its_rim_until_the_rim_pushes_it_off() {
    let (f_s, f_d) = (0.5, 0.4);
    let n = [0.6, 0.8];
    let load = |t: f64| if t < 20.0 { 3.0 } else { 3.0 - 0.25 * (t - 20.0) };
    let force = Signal::sampled(&[0.0, 20.0, 32.0], &[3.0, 3.0, 0.0]).unwrap();
    let mass = Planar::new(MASS, Law::static_dynamic(f_s, f_d).unwrap())
        .with_rim(RADIUS, STIFFNESS, 4.0)
        .with_force(n.map(|n| n * force.clone()));
    let path = planar::solve(&mass, 32.0, Options::tolerance(1e-11)).unwrap();
    let sticks = times(&path, EventKind::Stick);
    let rests = sticks[0];
    let at = path.state(rests).x;
    assert!(rests < 20.0 && path.state(19.0).x == at && path.state(19.0).v == [0.0; 2]);
    let depth = at[0].hypot(at[1]) - RADIUS;
    assert!(depth > 0.0 && (3.0 - STIFFNESS * depth).abs() <= f_s, "{depth}");
    let off = times(&path, EventKind::Slip).into_iter().find(|t| *t > 20.0).unwrap();
    let due = 20.0 + (3.0 - (STIFFNESS * depth - f_s)) / 0.25;
    assert!((off - due).abs() < 1e-9, "{off} {due}");
    assert!((load(off) - STIFFNESS * depth + f_s).abs() < 1e-9);
    assert!(path.energy().relative_defect() < 1e-10, "{:?}", path.energy());
    let shown = path.state(19.0).friction;
    let held = STIFFNESS * depth - 3.0;
    assert!((shown[0] - held * n[0]).hypot(shown[1] - held * n[1]) < 1e-11, "{shown:?} {held}");
}

#[test]
fn both_stepping_schemes_are_of_first_order_at_a_rim() {
    let end = 8.0;
    // They begin near their crests, so that the mass meets the rim several times.
    let phase = std::f64::consts::FRAC_PI_2 - 1.5;
    let force = [Signal::harmonic(2.2, 1.1, phase), Signal::harmonic(1.6, 0.7, phase)];
    for damping in [0.0, 3.0] {
        let mass = Planar::new(MASS, Law::static_dynamic(0.6, 0.5).unwrap())
            .with_rim(RADIUS, STIFFNESS, damping)
            .with_force(force.clone())
            .starting_at([0.2, -0.1], [0.5, 0.2]);
        let exact = planar::solve(&mass, end, Options::tolerance(1e-11)).unwrap();
        assert!(times(&exact, EventKind::Touch).len() > 1, "{:?}", exact.events());
        for rule in [euler_steps::euler, euler_steps::implicit_euler] {
            let errors: Vec<f64> = [2e-3, 5e-4, 1.25e-4]
                .map(|h| {
                    let path = rule(&mass, end, h).unwrap();
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
                assert!((0.7..1.35).contains(&order), "order {order:.2} of {errors:?}");
            }
        }
    }
}

#[test]
fn a_rim_has_numbers_in_their_ranges_and_stands() {
    let plain = Planar::new(MASS, Law::coulomb(0.1).unwrap());
    assert!(plain.clone().with_rim(1.0, 1.0, 0.0).check().is_ok());
    for [radius, stiffness, damping] in [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, -1.0]] {
        assert!(plain.clone().with_rim(radius, stiffness, damping).check().is_err());
    }
    let carried = plain.with_rim(1.0, 1.0, 0.0);
    let carried = carried.with_support([Signal::constant(0.1), Signal::default()]);
    let told = carried.check().unwrap_err().to_string();
    assert!(told.contains("rim") && told.contains("base_x"), "{told}");
}

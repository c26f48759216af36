//! On a line the plane's solver is the interval's: whatever the direction of the line.

use crate::common::Random;
use stickslip::model::Planar;
use stickslip::scheme::{oscillator, planar};
use stickslip::{Event, Law, Oscillator, Signal};

/// A law and its name.
fn law(r: &mut Random) -> Law {
    let f = r.uniform(0.3, 1.5);
    match r.next() % 4 {
        0 => Law::coulomb(f),
        1 => Law::static_dynamic(f * r.uniform(1.0, 1.5), f),
        2 => Law::stribeck_exponential(f * r.uniform(1.01, 1.4), f, r.uniform(0.2, 1.0), 1.0, 0.0),
        _ => Law::velocity_strengthening(f, f * r.uniform(1.01, 2.0), r.uniform(0.5, 5.0)),
    }
    .unwrap()
}

/// The oscillator along a line at this angle.
fn along(o: &Oscillator, angle: f64) -> Planar {
    let n = match angle {
        0.0 => [1.0, 0.0],
        _ => [angle.cos(), angle.sin()],
    };
    let both = |s: &Signal| [n[0] * s.clone(), n[1] * s.clone()];
    let vector = |x: f64| [n[0] * x, n[1] * x];
    Planar::new(o.mass, o.friction.clone())
        .with_stiffness([o.stiffness; 2])
        .with_damping([o.damping; 2])
        .with_force(both(&o.force))
        .with_support(both(&o.support))
        .starting_at(vector(o.initial.displacement), vector(o.initial.velocity))
}

#[test]
fn motions_on_a_line_agree_with_the_interval() {
    let mut compared = 0;
    let mut events = 0;
    for seed in 0..200 {
        let mut r = Random(seed);
        let law = law(&mut r);
        let waves = |r: &mut Random, size: f64| {
            Signal::harmonic(size * r.uniform(0.5, 2.0), r.uniform(0.5, 2.0), r.uniform(0.0, 6.0))
        };
        let force = waves(&mut r, 1.0) + waves(&mut r, 0.7);
        let mut o = Oscillator::new(r.uniform(0.5, 2.0), r.uniform(0.0, 2.0), law)
            .with_damping(r.uniform(0.0, 0.3))
            .with_force(force)
            .starting_at(
                r.uniform(-1.0, 1.0),
                if r.chance(0.5) { 0.0 } else { r.uniform(-1.0, 1.0) },
            );
        if r.chance(0.3) {
            o = o.with_support(waves(&mut r, 0.3));
        }
        let end = 15.0;
        let options = oscillator::adaptive::Options::tolerance(1e-11);
        let want = oscillator::adaptive::solve(&o, end, options).unwrap();
        if !want.warnings().is_empty() {
            continue;
        }
        for angle in [0.0, 0.7] {
            let path = planar::solve(&along(&o, angle), end, options).unwrap();
            let kinds = |events: &[Event]| events.iter().map(|e| e.kind).collect::<Vec<_>>();
            assert_eq!(kinds(path.events()), kinds(want.events()), "seed {seed}, angle {angle}");
            let off = path.events().iter().zip(want.events());
            let off = off.map(|(a, b)| (a.time - b.time).abs()).fold(0.0, f64::max);
            assert!(off < 1e-8, "seed {seed}, angle {angle}: {off:.1e}");
            for i in 0..=100 {
                let t = end * f64::from(i) / 100.0;
                let (u, s) = (want.state(t), path.state(t));
                let x = s.x[0] * angle.cos() + s.x[1] * angle.sin();
                let v = s.v[0] * angle.cos() + s.v[1] * angle.sin();
                assert!(
                    (x - u.x).abs() < 1e-8 && (v - u.v).abs() < 1e-7,
                    "seed {seed}, {t}: {x} {u:?}"
                );
                if angle == 0.0 {
                    assert_eq!((s.x[1], s.v[1]), (0.0, 0.0), "what moves along x stays on x");
                }
            }
        }
        compared += 1;
        events += want.events().len();
    }
    println!("{compared} motions, {events} events");
    assert!(compared > 150 && events > 1000, "{compared} {events}");
}

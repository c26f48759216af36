//! Rigid impacts against closed forms.

#![allow(clippy::unwrap_used, reason = "a test")]

use stickslip::scheme::impact;
use stickslip::{Impact, ImpactEvent, ImpactKind, ImpactPath, Signal, Touching, Wall};

const G: f64 = 9.81;

fn ball(e: f64) -> Impact {
    Impact::new(1.0, e).with_force(Signal::constant(-G)).starting_at(1.0, 0.0)
}

fn of_kind(path: &ImpactPath, kind: ImpactKind) -> Vec<ImpactEvent> {
    path.events().iter().filter(|e| e.kind == kind).copied().collect()
}

fn close(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance * want.abs(), "{got} instead of {want}");
}

/// 1 m drop: falls √(2/g), then flights of 2 e^k √(2/g); the rest is a geometric series.
#[test]
fn a_dropped_ball_rests_at_its_accumulation_time() {
    for e in [0.1, 0.5, 0.9, 0.99, 0.999] {
        let fall = (2.0f64 / G).sqrt();
        let rest = fall * (1.0 + e) / (1.0 - e);
        let path = impact::solve(&ball(e), 1.5 * rest).unwrap();
        let impacts = of_kind(&path, ImpactKind::Impact);
        for (k, event) in impacts.iter().enumerate() {
            let power = e.powi(k as i32);
            let speed = (2.0 * G).sqrt() * power;
            close(event.time, fall * (1.0 + 2.0 * e * (1.0 - power) / (1.0 - e)), 1e-13);
            close(event.before, -speed, 1e-12);
            close(event.v, e * speed, 1e-12);
            close(event.impulse, (1.0 + e) * speed, 1e-12);
            assert_eq!((event.x, event.wall), (0.0, Wall::Lower));
        }
        // As many as the clock can tell from the rest: e^k above half a unit in the last place.
        let told = (f64::EPSILON / 4.0).ln() / e.ln();
        assert!((impacts.len() as f64 / told - 1.0).abs() < 0.1, "{} of {told}", impacts.len());
        let rests = of_kind(&path, ImpactKind::Rest);
        assert_eq!(rests.len(), 1);
        close(rests[0].time, rest, 1e-14);
        // After it: at rest, the floor carries the weight; before it: the impulses turned the fall.
        let end = 1.5 * rest;
        assert_eq!(path.phase(end), Touching::Contact(Wall::Lower));
        assert_eq!((path.state(end).x, path.state(end).v), (0.0, 0.0));
        close(path.segment(end).arc.reaction(end), G, 1e-15);
        close(path.impulse(0.0, rest), G * rest, 1e-13);
        close(path.impulse(0.0, end), G * end, 1e-13);
        // Apex of the third bounce.
        let t = 0.5 * (impacts[2].time + impacts[3].time);
        close(path.state(t).x, e.powi(6), 1e-12);
    }
}

/// The times between impacts of an elastic mass on a spring against a wall at its rest position are
/// half periods; against a wall off it, arcs of a circle.
#[test]
fn elastic_impacts_conserve_energy_a_hundred_thousand_times() {
    let (k, wall, amplitude) = (4.0, -0.3, 1.0);
    let o = Impact::new(1.0, 1.0)
        .with_spring(k, 0.0)
        .between(Some(Signal::constant(wall)), None)
        .starting_at(amplitude, 0.0);
    let period = 2.0 * (wall / amplitude).acos() / 2.0;
    let count = 100_000;
    let path = impact::solve(&o, period * (f64::from(count) - 0.25)).unwrap();
    assert_eq!(path.events().len(), count as usize);
    let energy = |x: f64, v: f64| 0.5 * v * v + 0.5 * k * x * x;
    let mut worst = 0.0f64;
    for (i, e) in path.events().iter().enumerate() {
        worst = worst.max((energy(e.x, e.v) / energy(amplitude, 0.0) - 1.0).abs());
        close(e.time, period * (i as f64 + 0.5), 1e-13);
    }
    println!("spring: energy {worst:.1e}");
    assert!(worst < 1e-12, "{worst:e}");

    let path = impact::solve(&ball(1.0), (8.0f64 / G).sqrt() * 1e5).unwrap();
    assert_eq!(path.events().len(), count as usize);
    let energy = |e: &ImpactEvent| (0.5 * e.v * e.v / G - 1.0).abs();
    let worst = path.events().iter().map(energy).fold(0.0, f64::max);
    println!("ball: energy {worst:.1e}");
    assert!(worst < 1e-12, "{worst:e}");

    let two = Impact::new(2.0, 1.0)
        .with_spring(k, 0.0)
        .with_force(Signal::constant(0.7))
        .between(Some(Signal::constant(-1.0)), Some(Signal::constant(0.5)))
        .starting_at(0.2, 3.0);
    let path = impact::solve(&two, 5.5e4).unwrap();
    let energy = |x: f64, v: f64| v * v + 0.5 * k * x * x - 0.7 * x;
    let worst = path.events().iter().map(|e| (energy(e.x, e.v) / energy(0.2, 3.0) - 1.0).abs());
    let worst = worst.fold(0.0, f64::max);
    println!("two walls: {} impacts, energy {worst:.1e}", path.events().len());
    assert!(worst < 1e-12 && path.events().len() > 90_000);
}

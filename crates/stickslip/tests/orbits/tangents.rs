//! The derivative of a motion's end against divided differences.

use crate::common::{Random, problem};
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::exact;
use stickslip::study::orbit::tangent::{Tangent, along};
use stickslip::{Law, Oscillator, Signal, State, Stops, Trajectory};

/// What was compared.
#[derive(Default)]
struct Tally {
    compared: usize,
    rough: usize,
    worst: f64,
}

impl Tally {
    fn print(&self) {
        println!(
            "{} entries compared, worst {:.1e}; {} near a change of the order",
            self.compared, self.worst, self.rough
        );
    }
}

/// Compares the tangent with central differences over two distances; a motion that changes its order of events in
/// between, or comes too near to that, is left out and counted.
fn compare(tally: &mut Tally, o: &Oscillator, solve: impl Fn(&Oscillator) -> Trajectory) {
    let path = solve(o);
    let end = path.span().1;
    let tangent: Tangent = along(o, &path);
    let at = |dx: f64, dv: f64| {
        let mut p = o.clone();
        p.initial.displacement += dx;
        p.initial.velocity += dv;
        let q = solve(&p);
        let kinds: Vec<_> = q.events().iter().map(|e| (e.kind, e.place)).collect();
        (q.state(end), q.phase(end), kinds)
    };
    let kinds: Vec<_> = path.events().iter().map(|e| (e.kind, e.place)).collect();
    for k in 0..2 {
        let size = if k == 0 {
            1e-3 + o.initial.displacement.abs()
        } else {
            1e-3 + o.initial.velocity.abs()
        };
        let mut found = Vec::new();
        for h in [2e-5 * size, 1e-5 * size, 5e-6 * size] {
            let d = |s: f64| if k == 0 { at(s * h, 0.0) } else { at(0.0, s * h) };
            let (a, b) = (d(-1.0), d(1.0));
            let smooth = a.2 == kinds && b.2 == kinds && a.1 == b.1 && a.1 == path.phase(end);
            if !smooth {
                continue;
            }
            let q = |f: fn(&State) -> f64| (f(&b.0) - f(&a.0)) / (2.0 * h);
            found.push([q(|u| u.x), q(|u| u.v)]);
        }
        let [a, b, c] = found[..] else {
            tally.rough += 1;
            continue;
        };
        for i in 0..2 {
            // Richardson: errors h² and h⁴ removed; what is left is known from their difference
            let (r1, r2) = ((4.0 * b[i] - a[i]) / 3.0, (4.0 * c[i] - b[i]) / 3.0);
            let best = (16.0 * r2 - r1) / 15.0;
            let doubt =
                (r2 - r1).abs() + 1e-10 * (1.0 + best.abs()) / (1e-5 * size).min(1.0) * 1e-3;
            let error = (tangent.jacobian[i][k] - best).abs();
            let scale = 1.0 + best.abs();
            if doubt > 1e-4 * scale {
                tally.rough += 1;
                continue;
            }
            tally.compared += 1;
            let relative = error / scale;
            assert!(
                error <= 20.0 * doubt + 2e-6 * scale,
                "entry {i}{k}: {} by the tangent, {best} by differences, doubt {doubt:e}, {:?}\n{o:?}",
                tangent.jacobian[i][k],
                path.events()
            );
            tally.worst = tally.worst.max(relative);
        }
    }
}

/// The same for a motion by adaptive steps.
fn compare_adaptive(tally: &mut Tally, o: &Oscillator) {
    let tight = Options::tolerance(1e-13).with_atol(1e-15);
    compare(tally, o, |o| {
        let mut path = Trajectory::default();
        adaptive::cursor(o, 0.0, 8.0, tight).unwrap().advance(8.0, &mut path).unwrap();
        path
    });
}

fn campaign(count: u64) {
    let mut tally = Tally::default();
    for seed in 0..count {
        let (o, end) = problem(&mut Random(seed));
        compare(&mut tally, &o, |o| exact::solve(o, end.min(12.0)).unwrap());
    }
    tally.print();
    assert!(tally.compared as u64 > 3 * count, "{} of {count}", tally.compared);
}

#[test]
fn closed_forms_have_their_derivative() {
    campaign(300);
}

/// `cargo test --release -p stickslip --test all ten_thousand -- --ignored --nocapture`
#[test]
#[ignore = "a campaign of a minute"]
fn ten_thousand_motions_have_their_derivative() {
    campaign(10_000);
}

/// An oscillator that the generator above does not make: moving supports, stops of both kinds, laws that vary.
fn other(r: &mut Random) -> Oscillator {
    let law = match r.next() % 3 {
        0 => Law::stribeck(0.01, 0.2, 0.5, r.uniform(0.2, 1.0)),
        1 => Law::stribeck_exponential(r.uniform(0.6, 1.0), 0.4, 0.5, 1.0, 0.05),
        _ => Law::static_dynamic(r.uniform(0.5, 0.8), r.uniform(0.2, 0.5)),
    };
    let o = Oscillator::new(r.uniform(0.5, 2.0), r.uniform(0.5, 3.0), law.unwrap())
        .with_damping(r.uniform(0.0, 0.3))
        .with_force(Signal::harmonic(
            r.uniform(0.5, 3.0),
            r.uniform(0.4, 2.0),
            r.uniform(-3.0, 3.0),
        ))
        .starting_at(r.uniform(-1.0, 1.0), r.uniform(-1.0, 1.0));
    match r.next() % 4 {
        0 => o.with_support(Signal::constant(r.uniform(-1.0, 1.0))),
        1 => o.with_support(Signal::harmonic(0.6, 0.9, 0.3)),
        2 => o.with_stops(Stops::soft(
            Some(-1.2),
            Some(1.3),
            r.uniform(1.0, 20.0),
            r.uniform(0.0, 0.4),
        )),
        _ => o.with_stops(Stops::rigid(Some(-1.1), Some(1.2), r.uniform(0.3, 0.9))),
    }
}

#[test]
fn adaptive_motions_have_their_derivative() {
    let mut tally = Tally::default();
    for seed in 0..60 {
        let o = other(&mut Random(1000 + seed));
        compare_adaptive(&mut tally, &o);
    }
    tally.print();
    assert!(tally.compared > 120, "{}", tally.compared);
}

/// Normal forces that depend on the displacement, in contacts that open, on moving supports, in time, and with laws that age.
#[test]
fn motions_under_a_normal_force_with_a_slope_have_their_derivative() {
    let mut tally = Tally::default();
    for seed in 0..80 {
        let r = &mut Random(7000 + seed);
        let mut o = other(r);
        o.stops = None;
        o = o.with_normal_slope(r.uniform(-1.5, 1.5));
        if r.next().is_multiple_of(2) {
            o = o.with_normal(Signal::constant(1.2) + Signal::harmonic(0.7, 0.8, 0.1));
        }
        compare_adaptive(&mut tally, &o);
    }
    tally.print();
    assert!(tally.compared > 160, "{}", tally.compared);
}

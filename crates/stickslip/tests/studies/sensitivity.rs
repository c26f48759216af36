//! Derivatives of a motion with respect to the numbers of its model, against divided differences of the motion.

use stickslip::scheme::oscillator::{adaptive, exact};
use stickslip::study::sensitivity::{Change, Rates, along};
use stickslip::{Law, Oscillator, Signal, State, Trajectory};

/// m, K, c, f_s, f_d, the drive's amplitude, x₀, v₀.
type Numbers = [f64; 8];

const RIG: Numbers = [1.3, 9.0, 0.4, 1.4, 1.0, 0.9, 0.35, 0.8];

fn rig(p: Numbers, law: impl Fn(f64, f64) -> Law) -> Oscillator {
    let times: Vec<f64> = (0..=400).map(|i| 0.05 * f64::from(i)).collect();
    let values: Vec<f64> = times.iter().map(|t| 0.3 * (0.7 * t).sin() + 0.1 * t.cos()).collect();
    Oscillator::new(p[0], p[1], law(p[3], p[4]))
        .with_damping(p[2])
        .with_drive(p[5] * Signal::sampled(&times, &values).unwrap())
        .with_force(Signal::harmonic(2.4 * p[5], 1.9, 0.3))
        .starting_at(p[6], p[7])
}

fn seen(o: &Oscillator, path: &Trajectory, t: f64) -> [f64; 4] {
    let (s, phase) = (path.state(t), path.phase(t));
    let friction = o.friction_force(t, s, phase);
    let a = if s.v == 0.0 { 0.0 } else { (o.load(s.x, s.v, t) + friction) / o.mass };
    [s.x, s.v, a, friction]
}

/// The largest difference to divided differences, relative to the largest derivative of its kind.
fn apart(
    law: &dyn Fn(f64, f64) -> Law,
    solve: &dyn Fn(&Oscillator) -> Trajectory,
    (step, p): (f64, Numbers),
) -> (f64, usize) {
    let make = |k: usize, by: f64| {
        let mut q = p;
        q[k] += by;
        rig(q, law)
    };
    let o = rig(p, law);
    let path = solve(&o);
    // Not where an event comes sooner or later: there the velocity's derivative jumps.
    let far = |t: &f64| path.events().iter().all(|e| (e.time - t).abs() > 1e-3);
    let times: Vec<f64> = (1..150).map(|i| 0.1303 * f64::from(i)).filter(far).collect();
    let pairs: Vec<[Oscillator; 2]> = (0..8).map(|k| [make(k, -step), make(k, step)]).collect();
    let changes: Vec<Change> =
        pairs.iter().map(|[less, more]| Change::Number { less, more, apart: 2.0 * step }).collect();
    let found = along(&o, &path, &changes, &times).unwrap();
    let mut worst = 0.0f64;
    for (k, [less, more]) in pairs.iter().enumerate() {
        let (a, b) = (solve(less), solve(more));
        assert_eq!(a.events().len(), b.events().len());
        let of = |i: usize| found[i * 8 + k];
        for j in 0..4 {
            let rate = |r: Rates| [r.x, r.v, r.a, r.friction][j];
            let most = (0..times.len()).map(|i| rate(of(i)).abs()).fold(1e-3, f64::max);
            for (i, &t) in times.iter().enumerate() {
                let difference = (seen(more, &b, t)[j] - seen(less, &a, t)[j]) / (2.0 * step);
                worst = worst.max((rate(of(i)) - difference).abs() / most);
            }
        }
    }
    (worst, path.events().len())
}

#[test]
fn through_stick_and_slip_in_closed_form() {
    let law = |s, d| Law::static_dynamic(s, d).unwrap();
    let solve = |o: &Oscillator| exact::solve(o, 19.9).unwrap();
    let (worst, events) = apart(&law, &solve, (1e-5, RIG));
    assert!(worst < 2e-5 && events > 10, "{worst} {events}");
}

#[test]
fn through_stick_and_slip_by_adaptive_steps() {
    let law = |s, d| Law::stribeck_exponential(s, d, 0.3, 1.0, 0.05).unwrap();
    let mut options = adaptive::Options::default();
    (options.rtol, options.atol) = (1e-12, 1e-13);
    let solve = |o: &Oscillator| adaptive::solve(o, 19.9, options).unwrap();
    let (worst, events) = apart(&law, &solve, (1e-4, RIG));
    assert!(worst < 1e-4 && events > 10, "{worst} {events}");
}

/// A contact that opens at x < −⅔ m, where nothing rubs.
#[test]
fn through_contacts_that_open() {
    let make = |slope: f64, dynamic: f64| {
        Oscillator::new(1.0, 1.0, Law::coulomb(dynamic).unwrap())
            .with_damping(0.03)
            .with_force(Signal::harmonic(1.9, 1.25, 0.0))
            .with_normal_slope(slope)
            .starting_at(-1.0, 0.5)
    };
    let mut options = adaptive::Options::default();
    (options.rtol, options.atol) = (1e-12, 1e-13);
    let solve = |o: &Oscillator| adaptive::solve(o, 14.0, options).unwrap();
    let (o, by) = (make(1.5, 1.0), 1e-5);
    let pairs =
        [[make(1.5 - by, 1.0), make(1.5 + by, 1.0)], [make(1.5, 1.0 - by), make(1.5, 1.0 + by)]];
    let changes: Vec<Change> =
        pairs.iter().map(|[less, more]| Change::Number { less, more, apart: 2.0 * by }).collect();
    let path = solve(&o);
    let lowest = (0..1400).map(|i| path.state(0.01 * f64::from(i)).x).fold(0.0, f64::min);
    assert!(lowest <= -1.0, "{lowest}");
    let times: Vec<f64> = (1..140).map(|i| 0.0997 * f64::from(i)).collect();
    let found = along(&o, &path, &changes, &times).unwrap();
    for (k, [less, more]) in pairs.iter().enumerate() {
        let (a, b) = (solve(less), solve(more));
        for (i, &t) in times.iter().enumerate() {
            let difference = (b.state(t).x - a.state(t).x) / (2.0 * by);
            let rate = found[2 * i + k].x;
            assert!(
                (rate - difference).abs() < 1e-5 * (1.0 + rate.abs()),
                "{k} {t}: {rate} {difference}"
            );
        }
    }
}

#[test]
fn the_start_counts_as_a_number_of_the_model() {
    let law = |s, d| Law::static_dynamic(s, d).unwrap();
    let o = rig(RIG, law);
    let path = exact::solve(&o, 19.9).unwrap();
    let [less, more] = [-1e-3, 1e-3]
        .map(|h| rig([RIG[0], RIG[1], RIG[2], RIG[3], RIG[4], RIG[5], RIG[6] + h, RIG[7]], law));
    let changes = [
        Change::Number { less: &less, more: &more, apart: 2e-3 },
        Change::Start(State { x: 1.0, v: 0.0 }),
    ];
    let found = along(&o, &path, &changes, &[0.3, 1.0, 5.0]).unwrap();
    for pair in found.chunks(2) {
        assert!((pair[0].x - pair[1].x).abs() < 1e-10, "{pair:?}");
    }
}

#[test]
fn what_it_does_not_reach_is_nothing() {
    let o = rig(RIG, |s, d| Law::static_dynamic(s, d).unwrap()).with_support(Signal::constant(0.1));
    let path = exact::solve(&o, 5.0).unwrap();
    assert!(along(&o, &path, &[], &[1.0]).is_none());
}

//! The three schemes of the oscillator against closed forms, each other and a published run.

use std::f64::consts::PI;
use std::io::Write;
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::{euler, exact, quasi_static};
use stickslip::study::order::{Against, Halving, table};
use stickslip::{EventKind, Law, Oscillator, Phase, Problem, Scheme, Signal, portable, solve};

fn shaw(x0: f64) -> Oscillator {
    Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0).unwrap())
        .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
        .starting_at(x0, 0.0)
}

/// S2, written from the formula with no regard to the library.
fn by_the_formula(
    [m, k, fs, fd]: [f64; 4],
    d: impl Fn(f64) -> f64,
    x0: f64,
    h: f64,
    n: usize,
) -> Vec<(f64, f64)> {
    let mut u = vec![(x0, 0.0)];
    for i in 0..n {
        let (x, v) = u[i];
        let b = k * (d(i as f64 * h) - x);
        let p = v + (h / m) * b;
        let v_next = if p.abs() <= (h / m) * fs { 0.0 } else { p - (h / m) * fd * p.signum() };
        u.push((x + h * v, v_next));
    }
    u
}

#[test]
fn euler_is_the_formula_bit_for_bit() {
    let d = |t: f64| 6.0 * portable::cos(0.5 * t + 0.0);
    for (m, k, fs, fd) in
        [(1.0, 1.0, 1.2, 1.0), (0.7, 3.3, 2.1, 0.4), (2.0, 0.9, 1.0, 1.0), (1.3, 0.5, 0.0, 0.0)]
    {
        let o = Oscillator::new(m, k, Law::static_dynamic(fs, fd).unwrap())
            .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
            .starting_at(1.7, 0.0);
        let mut states = Vec::new();
        euler::run(&o, 20.0, 0.01, |_, u| states.push((u.x, u.v))).unwrap();
        assert_eq!(states, by_the_formula([m, k, fs, fd], d, 1.7, 0.01, 2000));
    }
}

#[test]
fn coulombs_law_and_equal_forces_give_the_same_bits() {
    let run = |law| {
        let mut states = Vec::new();
        let o = Oscillator { friction: law, ..shaw(2.0) };
        euler::run(&o, 20.0, 0.01, |_, u| states.push((u.x, u.v))).unwrap();
        states
    };
    assert_eq!(run(Law::coulomb(1.1).unwrap()), run(Law::static_dynamic(1.1, 1.1).unwrap()));
}

#[test]
fn euler_is_of_order_one_against_itself_and_against_the_truth() {
    let problem = Problem::new(shaw(1.7), 5.0);
    let halving = Halving { step: 0.05, halvings: 7 };
    let table = |against| {
        table(&problem, halving, against, |step| solve(&problem, &Scheme::Euler { step })).unwrap()
    };
    for (against, rows) in [(Against::Itself, 7), (Against::Exact, 8)] {
        let t = table(against);
        assert_eq!(t.len(), rows);
        let order = t[rows - 2].order.unwrap();
        assert!((order - 1.0).abs() < 0.1, "{against:?}: {t:?}");
        assert!(t.windows(2).all(|w| w[1].error < w[0].error));
    }
    // The seed's Table 1 (a), whose x(0) is not given: 1.7 is within 6 % of every line.
    let printed = [0.26284, 0.12984, 0.06295, 0.03125, 0.01557, 0.00777, 0.00395];
    for (row, printed) in table(Against::Itself).iter().zip(printed) {
        assert!((row.error / printed - 1.0).abs() < 0.06, "{row:?} {printed}");
    }
}

#[test]
fn euler_events_come_close_to_the_exact_ones() {
    let (a, b) =
        (exact::solve(&shaw(6.0), 40.0).unwrap(), euler::solve(&shaw(6.0), 40.0, 1e-4).unwrap());
    assert_eq!(a.events().len(), b.events().len());
    for (x, y) in a.events().iter().zip(b.events()) {
        assert_eq!(x.kind, y.kind);
        assert!((x.time - y.time).abs() < 5e-3 && (x.x - y.x).abs() < 5e-3, "{x:?} {y:?}");
    }
}

/// Free decay under Coulomb friction: turning points x₀ − 2jf/K at multiples of the half period,
/// until |x| ≤ f/K.
#[test]
fn free_decay_loses_two_frictions_a_half_turn() {
    let (m, k, f, x0) = (2.5, 4.0, 0.3, 2.0);
    let o = Oscillator::new(m, k, Law::coulomb(f).unwrap()).starting_at(x0, 0.0);
    let path = exact::solve(&o, 100.0).unwrap();
    let half = PI / o.natural_frequency();
    let (mut x, mut j) = (x0, 0.0);
    for e in path.events() {
        j += 1.0;
        x = -(x - 2.0 * f / k * x.signum());
        assert!((e.time - j * half).abs() < 1e-12 * e.time && (e.x - x).abs() < 1e-13);
        assert_eq!(e.kind, if x.abs() <= f / k { EventKind::Stick } else { EventKind::Reversal });
    }
    assert!(x.abs() <= f / k && path.phase(100.0) == Phase::Stick);
}

#[test]
fn the_first_phase_is_decided_at_the_start() {
    let law = Law::static_dynamic(1.0, 0.5).unwrap();
    let phase = |x0, v0, force| {
        let o = Oscillator::new(1.0, 1.0, law.clone()).with_force(force).starting_at(x0, v0);
        exact::solve(&o, 1e-3).unwrap().phase(0.0)
    };
    assert_eq!(phase(0.5, 0.0, Signal::constant(0.0)), Phase::Stick);
    assert_eq!(phase(0.0, 0.0, Signal::constant(1.0)), Phase::Stick); // exactly at the limit, steady
    assert_eq!(phase(0.0, 0.0, Signal::ramp(0.1, 1.0)), Phase::SlipForward); // at the limit, growing
    assert_eq!(phase(0.0, 0.0, Signal::ramp(-0.1, 1.0)), Phase::Stick); // at the limit, falling
    assert_eq!(phase(0.0, 0.0, Signal::ramp(-0.1, -1.0)), Phase::SlipBackward);
    assert_eq!(phase(-1.5, 0.0, Signal::constant(0.0)), Phase::SlipForward);
    assert_eq!(phase(0.0, -1e-9, Signal::constant(0.0)), Phase::SlipBackward);
}

#[test]
fn a_load_that_only_touches_the_limit_does_not_end_the_stick() {
    // b = sin t touches f_s = 1 at every crest; with f_s one rounding less it must slip.
    let o = |fs: f64| {
        Oscillator::new(1.0, 0.0, Law::static_dynamic(fs, 0.5).unwrap())
            .with_force(Signal::harmonic(1.0, 1.0, -PI / 2.0))
    };
    assert_eq!(exact::solve(&o(1.0), 100.0).unwrap().events(), []);
    let slipped = exact::solve(&o(1.0 - 1e-9), 10.0).unwrap();
    let first = slipped.events()[0];
    assert!(first.kind == EventKind::Slip && (first.time - (1.0f64 - 1e-9).asin()).abs() < 1e-6);
}

#[test]
fn a_velocity_that_only_touches_zero_is_at_rest_there() {
    // m v̇ = f(t) − f_d with f = 1 − cos t and f_d = 1 gives v = v₀ − sin t, zero at π/2 for v₀ = 1.
    let o = |fs: f64| {
        Oscillator::new(1.0, 0.0, Law::static_dynamic(fs, 1.0).unwrap())
            .with_force(Signal::constant(1.0) + Signal::harmonic(-1.0, 1.0, 0.0))
            .starting_at(0.0, 1.0)
    };
    // f_s > f_d: it sticks, and stays until the load exceeds f_s at cos t = 1 − f_s.
    let path = exact::solve(&o(1.5), 5.0).unwrap();
    let kinds: Vec<_> = path.events().iter().map(|e| e.kind).collect();
    assert_eq!(kinds[..2], [EventKind::Stick, EventKind::Slip]);
    assert!((path.events()[0].time - PI / 2.0).abs() < 1e-7);
    assert!((path.events()[1].time - (-0.5f64).acos()).abs() < 1e-12);
}

#[test]
fn resonance_critical_damping_and_no_spring_have_their_closed_forms() {
    let free = Law::coulomb(0.0).unwrap();
    type Case = (Oscillator, f64, fn(f64) -> f64);
    let cases: [Case; 4] = [
        // ẍ + x = cos t from rest: x = (t/2) sin t
        (
            Oscillator::new(1.0, 1.0, free.clone()).with_force(Signal::harmonic(1.0, 1.0, 0.0)),
            30.0,
            |t| 0.5 * t * t.sin(),
        ),
        // ẍ + 2ẋ + x = 0 from x = 1: (1 + t) e^{−t}
        (
            Oscillator::new(1.0, 1.0, free.clone()).with_damping(2.0).starting_at(1.0, 0.0),
            5.0,
            |t| (1.0 + t) * (-t).exp(),
        ),
        // ẍ + ẋ = 1 + t from rest: t²/2
        (
            Oscillator::new(1.0, 0.0, free.clone())
                .with_damping(1.0)
                .with_force(Signal::ramp(1.0, 1.0)),
            9.0,
            |t| 0.5 * t * t,
        ),
        // ẍ = t from rest: t³/6
        (Oscillator::new(1.0, 0.0, free.clone()).with_force(Signal::ramp(1.0, 0.0)), 9.0, |t| {
            t.powi(3) / 6.0
        }),
    ];
    for (o, end, x) in cases {
        let path = exact::solve(&o, end).unwrap();
        for (t, u, _) in path.sample(101) {
            assert!((u.x - x(t)).abs() < 1e-12 * (1.0 + x(t).abs()), "{t}: {} {}", u.x, x(t));
        }
    }
}

#[test]
fn mirrored_problems_have_mirrored_solutions() {
    for seed in 0..200 {
        let (o, end) = crate::common::problem(&mut crate::common::Random(seed));
        let mirrored = Oscillator {
            drive: -1.0 * o.drive.clone(),
            force: -1.0 * o.force.clone(),
            initial: stickslip::Initial {
                displacement: -o.initial.displacement,
                velocity: -o.initial.velocity,
            },
            ..o.clone()
        };
        let (a, b) = (exact::solve(&o, end).unwrap(), exact::solve(&mirrored, end).unwrap());
        assert_eq!(a.events().len(), b.events().len(), "{seed}");
        for (e, f) in a.events().iter().zip(b.events()) {
            assert!(
                e.kind == f.kind && (e.time - f.time).abs() < 1e-9 && (e.x + f.x).abs() < 1e-9,
                "{seed}: {e:?} {f:?}"
            );
        }
    }
}

/// The quasi-static scheme against the exact one as the drive slows down: the difference in
/// displacement at the sticks vanishes in proportion to the drive's speed.
#[test]
fn quasi_static_is_the_limit_of_a_slow_drive() {
    let error = |slow: f64| {
        let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.0, 0.7).unwrap())
            .with_drive(Signal::harmonic(3.0, slow, -PI / 2.0));
        let end = 6.0 * PI / slow;
        let (a, b) = (exact::solve(&o, end).unwrap(), quasi_static::solve(&o, end).unwrap());
        let sticks = |p: &stickslip::Trajectory| -> Vec<(f64, f64)> {
            p.events()
                .iter()
                .filter(|e| e.kind == EventKind::Stick)
                .map(|e| (e.time, e.x))
                .collect()
        };
        let (a, b) = (sticks(&a), sticks(&b));
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(p, q)| (p.1 - q.1).abs()).fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(1e-3), error(1e-4));
    assert!(coarse < 0.05 && fine < 0.2 * coarse, "{coarse} {fine}");
}

/// Between two samples the drive is a line: jumps are equidistant in the drive, δ apart.
#[test]
fn quasi_static_jumps_inside_one_sampling_interval() {
    let (k, fs, fd, m) = (2.0, 1.0, 0.8, 1e-6);
    let o = Oscillator::new(m, k, Law::static_dynamic(fs, fd).unwrap())
        .with_drive(Signal::sampled(&[0.0, 10.0, 20.0], &[0.0, 2.0, -2.0]).unwrap());
    let path = quasi_static::solve(&o, 20.0).unwrap();
    let slips: Vec<f64> =
        path.events().iter().filter(|e| e.kind == EventKind::Slip).map(|e| e.time).collect();
    let (reach, jump) = (fs / k, 2.0 * (fs - fd) / k);
    // Up at 0.2 m/s: slips at d = r, r + δ, … ≤ 2; down at 0.4 m/s from the last rest.
    let ups = ((2.0 - reach) / jump).floor() as usize + 1;
    let mut want: Vec<f64> = (0..ups).map(|j| (reach + j as f64 * jump) / 0.2).collect();
    let top = ups as f64 * jump;
    want.extend(
        (0..)
            .map(|j| 10.0 + (2.0 - (top - reach) + j as f64 * jump) / 0.4)
            .take_while(|&t| t < 20.0),
    );
    assert_eq!(slips.len(), want.len());
    for (s, w) in slips.iter().zip(want) {
        assert!((s - w).abs() < 1e-12 * w, "{s} {w}");
    }
}

#[test]
fn equal_forces_are_the_play_operator() {
    let (k, f) = (2.0, 1.0);
    let d = Signal::harmonic(1.5, 0.1, 0.3)
        + Signal::harmonic(0.8, 0.37, 1.0)
        + Signal::ramp(0.01, 0.0);
    let o = Oscillator::new(1e-3, k, Law::coulomb(f).unwrap()).with_drive(d.clone());
    let path = quasi_static::solve(&o, 200.0).unwrap();
    let (mut x, n) = (0.0f64, 400_000);
    for i in 0..=n {
        let t = 200.0 * i as f64 / n as f64;
        x = x.clamp(d.value(t) - f / k, d.value(t) + f / k);
        // the brute-force operator lags by one step at most
        assert!((path.state(t).x - x).abs() < 1e-3, "{t}");
        assert!((d.value(t) - path.state(t).x).abs() <= f / k + 1e-12);
    }
    assert!((path.state(200.0).x - x).abs() < 1e-6);
}

/// A peer's published run (m = K = μ = 1, x₀ = 12, v₀ = 6): ours stops where the closed form does.
#[test]
fn stops_where_the_peers_problem_does() {
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0).unwrap()).starting_at(12.0, 6.0);
    let path = exact::solve(&o, 99.99).unwrap();
    let last = path.events().last().unwrap();
    assert!((last.time - 22.423_556_350_7).abs() < 1e-9 && (last.x - 0.682_178_936_7).abs() < 1e-9);
    let data =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/siconos/FrictionOscillator.ref");
    let Ok(text) = std::fs::read_to_string(data) else {
        let _ = writeln!(std::io::stderr(), "skipped: the peer's file {data} is not here");
        return;
    };
    let (mut dx, mut dv) = (0.0f64, 0.0f64);
    for line in text.lines().skip(1) {
        let row: Vec<f64> = line.split_whitespace().map(|w| w.parse().unwrap()).collect();
        let u = path.state(row[0]);
        (dx, dv) = (dx.max((u.x - row[1]).abs()), dv.max((u.v - row[2]).abs()));
    }
    println!(
        "the peer's run (h = 0.01, θ = ½) differs from the exact solution by {dx:.2e} m, {dv:.2e} m/s at most"
    );
    assert!(dx < 0.03 && dv < 0.03);
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
    assert!(adaptive::solve(&fine, 1.0, Options::tolerance(0.0).with_atol(1e-12)).is_err());
    assert!(adaptive::solve(&fine, 1.0, Options::default().with_atol(-1.0)).is_err());
    // a load that is not finite somewhere is an error, not a hang
    let o = Oscillator::new(1.0, 0.0, law()).with_load(|_, _, t| 2.0 / (1.0 - t));
    assert!(adaptive::solve(&o, 2.0, Options::default()).is_err());
    let o =
        Oscillator::new(1.0, 0.0, law()).with_load(|_, _, t| if t > 0.5 { f64::NAN } else { 0.0 });
    // It is found where it is, without a search for events among what are no numbers.
    match adaptive::solve(&o, 2.0, Options::default()) {
        Err(stickslip::Error::NotFinite { time, .. }) => {
            assert!((time - 0.5).abs() < 1e-6, "{time}")
        }
        other => panic!("{other:?}"),
    }
}

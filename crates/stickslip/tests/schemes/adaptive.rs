//! The adaptive scheme against the exact one, against closed forms, and against published runs.

use crate::common::{Random, problem};
use stickslip::motion::{Motion, Stretch};
use stickslip::numeric::GAUSS;
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::exact;
use stickslip::study::work_precision::{Work, work_precision};
use stickslip::{EventKind, Law, Oscillator, Phase, Signal, Trajectory, Warning};

fn peer_p3() -> Oscillator {
    let drive = Signal::harmonic(1.5, 0.3, -std::f64::consts::FRAC_PI_2);
    Oscillator::new(1.0, 1.0, Law::static_dynamic(1.0, 0.7).unwrap()).with_drive(drive)
}

/// Greatest difference of state and of event times; panics when the events differ in kind.
fn differences(a: &Trajectory, b: &Trajectory) -> (f64, f64) {
    let kinds = |p: &Trajectory| p.events().iter().map(|e| e.kind).collect::<Vec<_>>();
    assert_eq!(kinds(a), kinds(b), "{:?}\n{:?}", a.events(), b.events());
    let times = a.events().iter().zip(b.events()).map(|(a, b)| (a.time - b.time).abs());
    let states = a
        .sample(997)
        .zip(b.sample(997))
        .map(|(a, b)| (a.1.x - b.1.x).abs().max((a.1.v - b.1.v).abs()));
    (states.fold(0.0, f64::max), times.fold(0.0, f64::max))
}

/// The work–precision table: error and event times fall with the tolerance, steps grow like its eighth root.
#[test]
fn agrees_with_exact_at_every_tolerance() {
    let o = peer_p3();
    let rows = work_precision(&o, 200.0, 6, 12).unwrap();
    println!("rtol      state     events    steps");
    for row in &rows {
        let Work { rtol, steps, error, events } = *row;
        let events = events.expect("the same events as exact");
        println!("{rtol:.0e}     {error:.2e}  {events:.2e}  {steps}");
        assert!(error < 300.0 * rtol && events < 1e3 * rtol, "{row:?}");
    }
    let growth = (rows[6].steps as f64 / rows[0].steps as f64).log10() / 6.0;
    assert!((0.05..0.2).contains(&growth), "{growth}");
    let path = adaptive::solve(&o, 200.0, Options::tolerance(1e-9)).unwrap();
    assert_eq!((path.events().len(), path.warnings()), (39, &[][..]));
}

#[test]
fn random_linear_problems_agree_with_exact() {
    let count: u64 = std::env::var("STICKSLIP_PROBLEMS").map_or(150, |n| n.parse().unwrap());
    let (mut compared, mut worst) = (0, 0.0f64);
    for seed in 0..count {
        let (o, end) = problem(&mut Random(seed));
        let exact = exact::solve(&o, end).unwrap();
        let path = adaptive::solve(&o, end, Options::tolerance(1e-10))
            .unwrap_or_else(|e| panic!("problem {seed}: {e}"));
        let kinds = |p: &Trajectory| p.events().iter().map(|e| e.kind).collect::<Vec<_>>();
        if kinds(&exact) != kinds(&path) {
            println!(
                "problem {seed}: {} and {} events, {:?}",
                exact.events().len(),
                path.events().len(),
                path.warnings()
            );
            continue;
        }
        compared += 1;
        let (state, _) = differences(&path, &exact);
        let scale = exact.sample(200).map(|s| s.1.x.abs().max(s.1.v.abs())).fold(1e-3, f64::max);
        worst = worst.max(state / scale);
        if state > 1e-6 * scale {
            println!("problem {seed}: {state:e} of {scale:e}, {} events", exact.events().len());
        }
    }
    println!(
        "{compared} of {count} problems with the same events, worst relative difference {worst:.1e}"
    );
    assert!(compared * 100 >= count * 97);
    assert!(worst < 1e-5);
}

/// Coulomb's free decay: x₀ = 11.5, f = 1, m = K = 1 loses 2 per half period; stops at −0.5, 6π.
#[test]
fn coulombs_free_decay() {
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0).unwrap()).starting_at(11.5, 0.0);
    let path = adaptive::solve(&o, 30.0, Options::tolerance(1e-12)).unwrap();
    let last = path.events().last().unwrap();
    assert_eq!((last.kind, path.events().len()), (EventKind::Stick, 6));
    assert!((last.time - 6.0 * std::f64::consts::PI).abs() < 1e-10, "{last:?}");
    assert!((last.x + 0.5).abs() < 1e-10, "{last:?}");
}

/// (1.31): u̇ + σ(u) ∋ t from rest: 0 until 1, then (t − 1)²/2.
#[test]
fn the_seeds_first_example() {
    let o =
        Oscillator::new(1.0, 0.0, Law::coulomb(1.0).unwrap()).with_force(Signal::ramp(1.0, 0.0));
    let path = adaptive::solve(&o, 2.0, Options::tolerance(1e-12)).unwrap();
    assert_eq!(path.events().len(), 1);
    assert!((path.events()[0].time - 1.0).abs() < 1e-12);
    for (t, s, _) in path.sample(201) {
        let want = if t <= 1.0 { 0.0 } else { 0.5 * (t - 1.0) * (t - 1.0) };
        assert!((s.v - want).abs() < 1e-11, "{t}: {} {want}", s.v);
    }
}

/// Duffing without friction conserves v²/2 + k₁x²/2 + k₃x⁴/4; its period by quadrature.
#[test]
fn duffing_keeps_its_energy() {
    let o = Oscillator::new(1.0, 0.0, Law::coulomb(0.0).unwrap())
        .with_polynomial_stiffness(&[1.0, 0.0, 0.5])
        .starting_at(2.0, 0.0);
    let energy = |x: f64, v: f64| 0.5 * v * v + 0.5 * x * x + 0.125 * x.powi(4);
    let path = adaptive::solve(&o, 20.0, Options::tolerance(1e-12)).unwrap();
    for (t, s, _) in path.sample(300) {
        assert!((energy(s.x, s.v) - energy(2.0, 0.0)).abs() < 1e-9, "{t}");
    }
    // Half the period: v = 0 again; T/2 = ∫ dx/v = 2∫₀^{π/2} dθ/√(1 + ½·½(4 + 4 sin²θ)), x = 2 sin θ
    let n = 64;
    let f = |th: f64| 1.0 / (1.0 + 0.25 * (4.0 + 4.0 * th.sin().powi(2))).sqrt();
    let half: f64 = (0..n).map(|i| f(std::f64::consts::PI * i as f64 / n as f64)).sum::<f64>()
        * std::f64::consts::PI
        / n as f64;
    let first = path.events()[0];
    assert_eq!(first.kind, EventKind::Reversal);
    assert!((first.time - half).abs() < 1e-10, "{} {half}", first.time);
}

/// Quadratic damping alone: v̇ = −c₂v²/m, v = v₀/(1 + c₂v₀t/m).
#[test]
fn quadratic_damping_has_a_closed_form() {
    let o = Oscillator::new(2.0, 0.0, Law::coulomb(0.0).unwrap())
        .with_quadratic_damping(0.5)
        .starting_at(0.0, 3.0);
    let path = adaptive::solve(&o, 10.0, Options::tolerance(1e-12)).unwrap();
    let want = 3.0 / (1.0 + 0.25 * 3.0 * 10.0);
    assert!((path.state(10.0).v - want).abs() < 1e-11);
}

/// A load that is a function: the same problem written with signals and as b(x, v, t).
#[test]
fn a_load_from_rust() {
    let signals = peer_p3().with_damping(0.1);
    let function = Oscillator::new(1.0, 0.0, Law::static_dynamic(1.0, 0.7).unwrap())
        .with_load(|x, v, t| 1.5 * (0.3 * t).sin() - x - 0.1 * v);
    let a = exact::solve(&signals, 100.0).unwrap();
    let b = adaptive::solve(&function, 100.0, Options::tolerance(1e-11)).unwrap();
    let (state, time) = differences(&a, &b);
    assert!(state < 1e-8 && time < 1e-8, "{state} {time}");
    assert!(exact::solve(&function, 1.0).unwrap_err().to_string().contains("adaptive"));
    assert!(b.durations(&Phase::Stick).len() > 5);
}

/// What a step cannot see is told where it shows: spikes of the load between the stages of a step, and
/// between those of its halves, quarters, …
#[test]
fn an_arc_too_wild_for_its_dense_output_is_told() {
    let free = || Oscillator::new(1.0, 0.0, Law::coulomb(0.0).unwrap()).starting_at(0.0, 1.0);
    let smooth = adaptive::solve(&free(), 100.0, Options::default()).unwrap();
    let [segment] = smooth.segments() else { panic!() };
    let Stretch::Dense(dense) = &segment.arc else { panic!() };
    let (t, h) = dense.interval(dense.steps() - 2).unwrap();
    assert_eq!(smooth.warnings(), []);
    let spikes = move |_: f64, _: f64, s: f64| {
        let spike = |k: i32| {
            let part = h * 0.5f64.powi(k);
            let off = (s - (t + 0.37 * part)) / (1e-4 * part);
            (1.0 - off * off).max(0.0)
        };
        1e3 * (0..=14).map(spike).sum::<f64>()
    };
    let path = adaptive::solve(&free().with_load(spikes), 100.0, Options::default()).unwrap();
    let told = path.warnings().iter().find_map(|w| match w {
        Warning::WildArc { time, excess } => Some((*time, *excess)),
        _ => None,
    });
    let (time, excess) = told.unwrap_or_else(|| panic!("{:?}", path.warnings()));
    assert!((time - t).abs() < 1e-9 * t && excess > 1e4, "{time} {excess}, spikes from {t}");
}

/// A load that misses the limit by less than the tolerance can tell says so; a tighter one decides.
#[test]
fn a_near_miss_is_told_and_decided_by_a_tighter_tolerance() {
    let below = Oscillator::new(1.0, 0.0, Law::static_dynamic(1.2, 1.0).unwrap())
        .with_force(Signal::harmonic(1.2 - 1e-9, 1.0, 1.0));
    let near = |path: &Trajectory| {
        path.warnings().iter().filter(|w| matches!(w, Warning::NearMiss { .. })).count()
    };
    let path = adaptive::solve(&below, 3.0, Options::tolerance(1e-9)).unwrap();
    assert_eq!((near(&path), path.events().len()), (1, 0));
    let path = adaptive::solve(&below, 3.0, Options::tolerance(1e-12)).unwrap();
    assert_eq!((path.warnings(), path.events().len()), (&[][..], 0));
}

/// A slip of very many steps is made in parts, so that a run can be stopped in it, and goes on as if it had not been: x =
/// (1 − cos ωt)/ω² on a support so fast that the mass never comes to rest on it.
#[test]
fn a_long_slip_can_be_stopped() {
    use stickslip::scheme::cursor::Advance;
    let (omega, end) = (1e4, 6.0);
    let o = Oscillator::new(1.0, 0.0, Law::coulomb(0.1).unwrap())
        .with_support(Signal::constant(-10.0))
        .with_force(Signal::harmonic(1.0, omega, 0.0) + Signal::constant(0.1));
    let whole = adaptive::solve(&o, end, Options::default()).unwrap();
    let mut cursor = adaptive::cursor(&o, 0.0, end, Options::default()).unwrap();
    let (mut events, mut stops) = (Vec::new(), 0);
    while let Err(error) = cursor.advance_while(end, &mut events, &mut |_| false) {
        assert!(matches!(error, stickslip::Error::Interrupted { .. }), "{error}");
        stops += 1;
    }
    assert!(stops > 0 && cursor.time() == end);
    assert_eq!((events, cursor.state()), (whole.events().to_vec(), whole.state(end)));
    assert!((cursor.state().v - (omega * end).sin() / omega).abs() < 1e-6);
}

/// A list of spring coefficients is a force −(k₁ z + k₂ z² + k₃ z³) on the mass, z = x − d: an even term tells the sign of z. Two
/// motions by an independent integrator (DOP853 at 1e-12), and others against small steps of the classical Runge–Kutta method.
#[test]
fn even_terms_of_a_spring_know_their_sign() {
    let spring = |k: [f64; 3], d: Signal, x0: f64| {
        let mut o = Oscillator::new(1.0, k[0], Law::coulomb(0.0).unwrap())
            .with_drive(d)
            .starting_at(x0, 0.0);
        o.nonlinear.stiffness = vec![k[1], k[2]];
        adaptive::solve(&o, 1.0, Options::tolerance(1e-12)).unwrap()
    };
    let path = spring([1.0, 0.5, 0.0], Signal::default(), 0.5);
    assert!((path.state(1.0).x - 0.22327147).abs() < 1e-8);
    assert!((path.state(1.0).v + 0.48796155).abs() < 1e-8);
    // From 0 with the far end at 0.5 the elongation begins at −0.5, as without a drive from −0.5.
    let driven = spring([1.0, 0.5, 0.0], Signal::constant(0.5), 0.0);
    let free = spring([1.0, 0.5, 0.0], Signal::default(), -0.5);
    assert!((driven.state(1.0).x - 0.5 - free.state(1.0).x).abs() < 1e-10);
    assert!((driven.state(1.0).x - 0.5).abs() > 0.3, "it is another motion than from +0.5");
    let mut r = Random(3);
    for _ in 0..12 {
        let k = [r.uniform(0.5, 2.0), r.uniform(-0.6, 0.6), r.uniform(0.0, 0.4)];
        let (amplitude, w, x0) = (r.uniform(0.1, 0.8), r.uniform(0.5, 3.0), r.uniform(-0.8, 0.8));
        let path = spring(k, Signal::harmonic(amplitude, w, 0.2), x0);
        let a = |t: f64, x: f64| {
            let z = x - amplitude * (w * t + 0.2).cos();
            -(k[0] + (k[1] + k[2] * z) * z) * z
        };
        let (h, mut x, mut v) = (1e-3, x0, 0.0);
        for i in 0..1000 {
            let t = h * f64::from(i);
            let (k1, l1) = (v, a(t, x));
            let (k2, l2) = (v + 0.5 * h * l1, a(t + 0.5 * h, x + 0.5 * h * k1));
            let (k3, l3) = (v + 0.5 * h * l2, a(t + 0.5 * h, x + 0.5 * h * k2));
            let (k4, l4) = (v + h * l3, a(t + h, x + h * k3));
            x += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
            v += h / 6.0 * (l1 + 2.0 * (l2 + l3) + l4);
        }
        assert!((path.state(1.0).x - x).abs() < 1e-9, "{k:?}");
        assert!((path.state(1.0).v - v).abs() < 1e-9, "{k:?}");
    }
}

/// The audit reads states and signals at the eight points of a panel at once. The sum over single points, written out from the
/// public functions, has the same bits: with damping, a load in pieces and a normal force that jumps.
#[test]
fn the_audit_has_the_bits_of_a_sum_over_single_points() {
    let rows: Vec<f64> = (0..=40).map(f64::from).collect();
    let force: Vec<f64> = rows.iter().map(|t| 0.8 * (1.7 * t).sin()).collect();
    let law = Law::stribeck_exponential(1.2, 1.0, 0.5, 1.5, 0.1).unwrap();
    let fastest = 2.0;
    let o = Oscillator::new(1.0, 1.0, law)
        .with_damping(0.05)
        .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
        .with_force(Signal::sampled(&rows, &force).unwrap())
        .with_normal(Signal::step(7.3, 1.0, 1.4) + Signal::harmonic(0.3, fastest, 0.0))
        .starting_at(6.0, 0.0);
    let path = adaptive::solve(&o, 40.0, Options::tolerance(1e-8)).unwrap();
    let [mut work, mut friction, mut viscous] = [0.0; 3];
    let mut panels = 0;
    for s in path.segments() {
        let Stretch::Dense(dense) = &s.arc else { continue };
        let mut start = s.start;
        for (at, h) in (0..dense.steps()).filter_map(|i| dense.interval(i)) {
            let end = (at + h).min(s.end);
            if end <= start {
                continue;
            }
            let parts = (fastest * (end - start)).ceil().max(1.0);
            let place = |i: f64| if i == parts { end } else { start + (end - start) * (i / parts) };
            for i in 0..parts as u32 {
                let (from, to) = (place(f64::from(i)), place(f64::from(i) + 1.0));
                let half = 0.5 * (to - from);
                for (node, weight) in GAUSS {
                    for t in [from + half * (1.0 - node), from + half * (1.0 + node)] {
                        let u = s.arc.state(t);
                        let driven = o.load(u.x, u.v, t) + o.stiffness * u.x + o.damping * u.v;
                        let rubs = o.friction_force(t, u, s.phase);
                        work += half * weight * (driven * u.v);
                        friction += half * weight * (rubs * u.v).abs();
                        viscous += half * weight * o.damping * u.v * u.v;
                    }
                }
                panels += 1;
            }
            start = end;
        }
    }
    let energy = path.energy(&o);
    assert!(panels > 100 && energy.relative_defect() < 1e-6, "{panels} {energy:?}");
    assert_eq!([energy.work, energy.friction, energy.viscous], [work, friction, viscous]);
}

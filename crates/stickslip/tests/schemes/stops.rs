//! Friction and stops together: an oscillator between rigid or soft stops, exact and adaptive.

use crate::common::{Random, problem};
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::{
    euler, exact, implicit_euler, quasi_static, sign as usual_sign,
};
use stickslip::{Error, EventKind, Law, Oscillator, Phase, Signal, Stops, Trajectory, Warning};

fn kinds(path: &Trajectory) -> Vec<EventKind> {
    path.events().iter().map(|e| e.kind).collect()
}

fn close(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance * (1.0 + want.abs()), "{got:?}, expected {want:?}");
}

/// A ball on a rough vertical rail, above a stop: bounces of ratio r = e √((g − μ)/(g + μ)), at rest after
/// the sum of the series.
#[test]
fn bounces_with_friction_end_at_the_sum_of_their_series() {
    for e in [0.5, 0.9, 1.0] {
        bounces_with_friction(e);
    }
}

fn bounces_with_friction(e: f64) {
    let (g, mu) = (9.81, 1.5);
    let ball = Oscillator::new(2.0, 0.0, Law::coulomb(2.0 * mu).unwrap())
        .with_force(Signal::constant(-2.0 * g))
        .with_stops(Stops::rigid(Some(1.0), None, e))
        .starting_at(2.0, 0.0);
    let fall = (2.0 / (g - mu)).sqrt();
    let u = e * (2.0 * (g - mu)).sqrt();
    let r = e * ((g - mu) / (g + mu)).sqrt();
    let rest = fall + u * (1.0 / (g + mu) + 1.0 / ((g + mu) * (g - mu)).sqrt()) / (1.0 - r);
    // A run that ends with the series ends.
    let until = exact::solve(&ball, rest).unwrap();
    assert!((until.state(rest).x - 1.0).abs() < 1e-14);
    for scheme in ["exact", "adaptive"] {
        let path = match scheme {
            "exact" => exact::solve(&ball, 10.0),
            _ => adaptive::solve(&ball, 10.0, Options::tolerance(1e-12)),
        }
        .unwrap();
        let tolerance = if scheme == "exact" { 1e-14 } else { 1e-10 };
        let (first, last) = (path.events()[0], path.events().last().unwrap());
        assert_eq!((first.kind, last.kind), (EventKind::Impact, EventKind::Stick), "{scheme}");
        close(first.time, fall, tolerance);
        close(first.v, u, tolerance);
        close(last.time, rest, tolerance);
        assert_eq!(path.state(9.0).x, 1.0);
        // The impulses and the weight, less what friction took: momentum from rest to rest.
        let impulse: f64 = path.events().iter().map(|e| e.impulse).sum();
        let (mut up, mut t, mut v) = (0.0, fall, u);
        for _ in 0..400 {
            (up, t) = (up + v / (g + mu), t + v / (g + mu) + v * (r / e) / (g - mu));
            v *= r;
        }
        close(impulse, 2.0 * (g * rest - mu * (rest - up) + mu * up), tolerance);
        close(t, rest, 1e-13);
        let energy = path.energy(&ball);
        assert!(energy.relative_defect() < tolerance, "{scheme}: {energy:?}");
        assert!(energy.impacts > 0.0 && energy.friction > 0.0);
    }
}

/// Without friction and damping between two elastic stops energy is kept over 10⁵ impacts.
#[test]
fn elastic_stops_keep_the_energy() {
    let o = Oscillator::new(1.0, 4.0, Law::coulomb(0.0).unwrap())
        .with_stops(Stops::rigid(Some(-0.3), Some(0.5), 1.0))
        .starting_at(0.1, 3.0);
    // ω = 2: the passage between the stops in closed form.
    let (amplitude, w) = ((0.01f64 + 9.0 / 4.0).sqrt(), 2.0);
    let passage = ((0.5 / amplitude).asin() + (0.3 / amplitude).asin()) / w;
    let path = exact::solve(&o, 1e5 * passage).unwrap();
    let impacts: Vec<_> = path.events().iter().filter(|e| e.kind == EventKind::Impact).collect();
    assert!((impacts.len() as i64 - 100_000).abs() <= 1);
    let energy = |x: f64, v: f64| 0.5 * v * v + 2.0 * x * x;
    let start = energy(0.1, 3.0);
    let worst =
        impacts.iter().map(|e| (energy(e.x, e.v) - start).abs() / start).fold(0.0, f64::max);
    println!("worst relative change of the energy over 1e5 impacts {worst:.1e}");
    assert!(worst < 1e-12);
    let first = ((0.5 / amplitude).asin() - (0.1 / amplitude).asin()) / w;
    close(impacts[0].time, first, 1e-14);
    close(impacts.last().unwrap().time, first + (impacts.len() - 1) as f64 * passage, 1e-12);
}

/// An impact of a sliding mass in closed form: uniformly braked to the stop and off it.
#[test]
fn one_impact_in_closed_form() {
    for (e, law) in [(0.5, Law::coulomb(1.0)), (0.5, Law::static_dynamic(1.4, 1.0))] {
        let o = Oscillator::new(2.0, 0.0, law.unwrap())
            .with_stops(Stops::rigid(None, Some(1.0), e))
            .starting_at(0.0, 3.0);
        for path in [
            exact::solve(&o, 20.0).unwrap(),
            adaptive::solve(&o, 20.0, Options::tolerance(1e-12)).unwrap(),
        ] {
            assert_eq!(kinds(&path), [EventKind::Impact, EventKind::Stick]);
            let v = (9.0f64 - 1.0).sqrt(); // a = −1/2 over 1 m
            let [hit, rest] = path.events() else { panic!() };
            close(hit.time, (3.0 - v) / 0.5, 1e-12);
            close(hit.v, -e * v, 1e-12);
            close(hit.impulse, -2.0 * (1.0 + e) * v, 1e-12);
            close(rest.time, hit.time + e * v / 0.5, 1e-12);
            close(rest.x, 1.0 - e * e * v * v, 1e-12);
            let energy = path.energy(&o);
            close(energy.impacts, (1.0 - e * e) * v * v, 1e-11);
            assert!(energy.relative_defect() < 1e-11);
        }
    }
}

/// Pressed to a stop, the stop carries the load; the mass leaves when the load pulls more than f_s.
#[test]
fn a_pressed_mass_leaves_at_the_breakaway_force() {
    let o = Oscillator::new(1.0, 0.0, Law::static_dynamic(0.5, 0.3).unwrap())
        .with_force(Signal::harmonic(2.0, 1.0, 0.0))
        .with_stops(Stops::rigid(None, Some(0.0), 0.0));
    let leave = (-0.25f64).acos();
    for path in [
        exact::solve(&o, 3.0).unwrap(),
        adaptive::solve(&o, 3.0, Options::tolerance(1e-12)).unwrap(),
    ] {
        assert_eq!(kinds(&path), [EventKind::Slip], "{:?}", path.events());
        close(path.events()[0].time, leave, 1e-13);
        assert_eq!(path.phase(0.5), Phase::Stick);
        let at = |t: f64| (path.state(t), path.phase(t));
        let (u, phase) = at(0.5);
        // Force balance at rest: load, friction and stop add to zero; only their share is a rule.
        let (stop, friction) = (o.stop_force(0.5, u, phase), o.friction_force(0.5, u, phase));
        close(stop, -2.0 * 0.5f64.cos(), 1e-15);
        assert_eq!(friction, 0.0);
        let (u, phase) = at(1.7); // cos < 0: friction holds
        assert_eq!(o.stop_force(1.7, u, phase), 0.0);
        close(o.friction_force(1.7, u, phase), -2.0 * 1.7f64.cos(), 1e-15);
        // Then m ẍ = 2 cos t + 0.3: by integrating twice from the departure.
        let (t, t0) = (3.0f64, leave);
        let x =
            -2.0 * (t.cos() - t0.cos()) - 2.0 * t0.sin() * (t - t0) + 0.15 * (t - t0) * (t - t0);
        close(path.state(3.0).x, x, 1e-12);
    }
}

/// A soft stop pushes until its force vanishes and does not pull: with cos θ = ζ the mass is let go after the time
/// 2θ/(ω√(1−ζ²)) with e = exp(−2ζθ/√(1−ζ²)) of its speed, still inside the stop, and coasts out of it.
#[test]
fn a_soft_stop_gives_back_what_its_dashpot_leaves() {
    let (m, k) = (2.0f64, 800.0f64);
    for zeta in [0.02, 0.1, 0.2, 0.5, 0.9, 0.99] {
        let c = 2.0 * zeta * (k * m).sqrt();
        let o = Oscillator::new(m, 0.0, Law::coulomb(0.0).unwrap())
            .with_stops(Stops::soft(Some(-1.0), Some(1.0), k, c))
            .starting_at(0.0, 2.0);
        let (theta, root) = (zeta.acos(), (1.0 - zeta * zeta).sqrt());
        let (e, stay) = ((-2.0 * zeta * theta / root).exp(), 2.0 * theta / (20.0 * root));
        let depth = c * 2.0 * e / k; // κ δ = γ |δ̇|
        for path in [
            exact::solve(&o, 2.5).unwrap(),
            adaptive::solve(&o, 2.5, Options::tolerance(1e-12)).unwrap(),
        ] {
            use EventKind::{Impact, Release, Reversal, Touch};
            assert_eq!(kinds(&path)[..4], [Touch, Reversal, Release, Impact], "{zeta}");
            let [touch, _, release, leave, ..] = path.events() else { panic!() };
            close(touch.time, 0.5, 1e-13);
            close(release.time, 0.5 + stay, 1e-11);
            close(release.x, 1.0 + depth, 1e-11);
            close(release.v, -2.0 * e, 1e-11);
            close(leave.time, 0.5 + stay + depth / (2.0 * e), 1e-11);
            close(leave.v, -2.0 * e, 1e-11);
            close(leave.impulse, -m * 2.0 * (1.0 + e), 1e-11);
            assert_eq!(leave.x, 1.0);
            let energy = path.energy(&o);
            if path.events().len() == 4 {
                close(energy.impacts, 0.5 * m * 4.0 * (1.0 - e * e), 1e-10);
            }
            assert!(energy.relative_defect() < 1e-11, "{zeta}: {energy:?}");
            // It never pulls.
            for (_, u, _) in path.sample(5000) {
                let force = o.stops.unwrap().force(u.x, u.v);
                assert!(force * (u.x - 1.0) <= 0.0 || u.x < -1.0, "{zeta}: {u:?}");
            }
        }
    }
}

/// The overdamped buffer of a wagon, κ = 100 kN/m, γ = 40 kN s/m and m = 2 t: with the roots z of
/// m z² + γ z + κ the motion in the buffer is a sum of two exponentials, and the zero of the force is found by bisection.
#[test]
fn an_overdamped_buffer_lets_the_wagon_go() {
    let (m, k, c) = (2000.0f64, 1e5f64, 4e4f64);
    let o = Oscillator::new(m, 0.0, Law::coulomb(0.0).unwrap())
        .with_stops(Stops::soft(None, Some(1.0), k, c))
        .starting_at(0.0, 1.0);
    let (d, w) = (c / (2.0 * m), ((c / (2.0 * m)).powi(2) - k / m).sqrt());
    let (fast, slow) = (-d - w, -d + w);
    // p = (e^{slow t} − e^{fast t})/(slow − fast).
    let p = |t: f64| ((slow * t).exp() - (fast * t).exp()) / (slow - fast);
    let v = |t: f64| (slow * (slow * t).exp() - fast * (fast * t).exp()) / (slow - fast);
    let (mut lo, mut hi) = (0.0f64, 1.0f64);
    for _ in 0..200 {
        let mid = 0.5 * (lo + hi);
        if k * p(mid) + c * v(mid) > 0.0 { lo = mid } else { hi = mid }
    }
    let speed = v(lo);
    for path in [
        exact::solve(&o, 10.0).unwrap(),
        adaptive::solve(&o, 10.0, Options::tolerance(1e-12)).unwrap(),
    ] {
        let release = path.events().iter().find(|e| e.kind == EventKind::Release).unwrap();
        close(release.time, 1.0 + lo, 1e-11);
        close(release.v, speed, 1e-11);
        close(path.state(10.0).v, -0.08266979656241132, 1e-12);
    }
    for h in [1e-3, 1e-4] {
        for path in [euler::solve(&o, 3.0, h).unwrap(), implicit_euler::solve(&o, 3.0, h).unwrap()]
        {
            close(path.state(3.0).v, speed, 20.0 * h);
        }
    }
}

/// Three motions against a buffer, by an event-driven solver in quadruple precision with two integrators (times of
/// touching, of the vanishing of the force and of leaving; states to 15 digits).
#[test]
fn buffers_push_as_in_the_reference() {
    let free = || Law::coulomb(0.0).unwrap();
    let wagon = |k: f64, c: f64, at: f64| Stops::soft(None, Some(at), k, c);
    let a =
        Oscillator::new(2.0, 0.0, free()).with_stops(wagon(40.0, 3.0, 0.5)).starting_at(0.0, 1.2);
    let b =
        Oscillator::new(2.0, 3.0, free()).with_stops(wagon(40.0, 6.0, 0.5)).starting_at(0.0, 1.2);
    // 0.9 sin(1.7 t) = 0.9 cos(1.7 t − π/2)
    let c = Oscillator::new(1.0, 1.0, free())
        .with_force(
            Signal::constant(0.6) + Signal::harmonic(0.9, 1.7, -std::f64::consts::FRAC_PI_2),
        )
        .with_stops(wagon(25.0, 4.0, 0.2));
    type Instants = &'static [f64];
    type States = &'static [(f64, f64, f64)];
    let cases: [(&Oscillator, f64, Instants, States); 3] = [
        (
            &a,
            3.0,
            &[0.4166666666666667, 1.052801497372872, 1.127801497372872],
            &[
                (0.7, 0.7087907104566892, 0.150129403672352),
                (1.0, 0.5948014984610487, -0.7234738669459114),
                (3.0, -0.8942182221124595, -0.744695725456488),
            ],
        ),
        (
            &b,
            10.0,
            &[
                0.4372711864547466,
                0.8975795262847086,
                1.031590582717987,
                4.939504199558011,
                5.339073711234599,
                5.464583970069262,
                9.743111639470213,
            ],
            &[
                (1.0, 0.5175889097016384, -0.5446511983262303),
                (5.0, 0.5297706856009944, 0.4137009045351737),
                (10.0, 0.5319008382435493, -0.0761741171521222),
            ],
        ),
        (
            &c,
            15.0,
            &[
                0.6701101208769684,
                2.199291791133867,
                2.327864541636389,
                4.669612976652242,
                5.339470068779864,
                5.5336295955221,
                8.377202258829964,
                9.020407469056071,
                9.208436736203417,
                12.08015831189219,
                12.71421877872397,
                12.90009637762512,
            ],
            &[
                (3.0, 0.06942776878628075, -0.3274275064297595),
                (9.0, 0.2681732597176068, -0.3895422370966629),
                (15.0, -0.3363579555758377, 0.1217310531850062),
            ],
        ),
    ];
    for (o, end, times, states) in cases {
        for (path, near) in [
            (exact::solve(o, end).unwrap(), 1e-12),
            (adaptive::solve(o, end, Options::tolerance(1e-12)).unwrap(), 1e-9),
        ] {
            let at_buffer: Vec<f64> =
                path.events().iter().filter(|e| e.place > 0).map(|e| e.time).collect();
            assert_eq!(at_buffer.len(), times.len(), "{at_buffer:?}");
            for (found, right) in at_buffer.iter().zip(times) {
                close(*found, *right, near);
            }
            for &(t, x, v) in states {
                close(path.state(t).x, x, near);
                close(path.state(t).v, v, near);
            }
            assert!(path.energy(o).relative_defect() < 1e-9);
        }
    }
}

/// Random masses on springs with a buffer under loads that press, against the equation with max(0, κ p + γ ṗ) solved by
/// small steps of the classical Runge–Kutta method: releases and touches again while inside included.
#[test]
fn buffers_push_as_small_steps_do() {
    let mut again = 0;
    for seed in 0..40 {
        let mut r = Random(seed + 900);
        let (m, k, c) = (r.uniform(0.5, 2.0), r.uniform(5.0, 60.0), r.uniform(0.5, 12.0));
        let (w, f) = (r.uniform(1.0, 9.0), r.uniform(0.5, 4.0));
        let o = Oscillator::new(m, r.uniform(0.0, 3.0), Law::coulomb(0.0).unwrap())
            .with_force(Signal::constant(0.5 * f) + Signal::harmonic(f, w, 0.3))
            .with_stops(Stops::soft(Some(-2.0), Some(0.3), k, c))
            .starting_at(0.0, r.uniform(-1.0, 1.0));
        let end = 6.0;
        let exact = exact::solve(&o, end).unwrap();
        let near = adaptive::solve(&o, end, Options::tolerance(1e-11)).unwrap();
        // Times inside at which the stop pushes anew.
        let pushes =
            |e: &&stickslip::Event| e.kind == EventKind::Touch && e.x != 0.3 && e.x != -2.0;
        again += exact.events().iter().filter(pushes).count();
        let a = |t: f64, x: f64, v: f64| {
            let push = |p: f64, rate: f64| if p > 0.0 { (k * p + c * rate).max(0.0) } else { 0.0 };
            let load = 0.5 * f + f * (w * t + 0.3).cos() - o.stiffness * x;
            (load - push(x - 0.3, v) + push(-2.0 - x, -v)) / m
        };
        let (steps, mut x, mut v) = (240_000, 0.0, o.initial.velocity);
        let h = end / f64::from(steps);
        let mut worst = 0.0f64;
        for i in 0..steps {
            let t = f64::from(i) * h;
            let k1 = (v, a(t, x, v));
            let k2 = (v + 0.5 * h * k1.1, a(t + 0.5 * h, x + 0.5 * h * k1.0, v + 0.5 * h * k1.1));
            let k3 = (v + 0.5 * h * k2.1, a(t + 0.5 * h, x + 0.5 * h * k2.0, v + 0.5 * h * k2.1));
            let k4 = (v + h * k3.1, a(t + h, x + h * k3.0, v + h * k3.1));
            x += h / 6.0 * (k1.0 + 2.0 * (k2.0 + k3.0) + k4.0);
            v += h / 6.0 * (k1.1 + 2.0 * (k2.1 + k3.1) + k4.1);
            if i % 2000 == 1999 {
                worst = worst.max((exact.state(t + h).x - x).abs());
                assert!((near.state(t + h).x - exact.state(t + h).x).abs() < 1e-7, "{seed} {o:?}");
            }
        }
        assert!(worst < 2e-4, "{seed}: {worst:e}\n{o:?}");
        assert!(exact.energy(&o).relative_defect() < 1e-10, "{seed}: {:?}", exact.energy(&o));
    }
    println!("pushed again while inside: {again}");
    assert!(again > 0);
}

/// As its spring stiffens, a soft stop becomes a rigid one with the restitution of its dashpot: the motion
/// differs by the stay in it, O(K^−½).
#[test]
fn soft_stops_tend_to_rigid_ones() {
    let model = |stops| {
        Oscillator::new(1.0, 1.0, Law::static_dynamic(0.3, 0.2).unwrap())
            .with_drive(Signal::harmonic(2.0, 1.3, 0.0))
            .with_stops(stops)
            .starting_at(0.0, 0.5)
    };
    let e = 0.6f64;
    // The mass is let go with exp(−2ζ acos ζ/√(1−ζ²)) of its speed: by bisection.
    let left = |z: f64| (-2.0 * z * z.acos() / (1.0 - z * z).sqrt()).exp();
    let (mut lo, mut hi) = (0.0f64, 0.99f64);
    for _ in 0..100 {
        let mid = 0.5 * (lo + hi);
        if left(mid) > e { lo = mid } else { hi = mid }
    }
    let zeta = lo;
    let rigid = exact::solve(&model(Stops::rigid(Some(-0.8), Some(0.7), e)), 12.0).unwrap();
    let distance = |k: f64| {
        let c = 2.0 * zeta * k.sqrt();
        let soft = exact::solve(&model(Stops::soft(Some(-0.8), Some(0.7), k, c)), 12.0).unwrap();
        (0..2000)
            .map(|i| 0.006 * f64::from(i))
            .map(|t| (soft.state(t).x - rigid.state(t).x).abs())
            .fold(0.0, f64::max)
    };
    let errors = [1e4, 1e6, 1e8].map(distance);
    println!("soft against rigid: {errors:?}");
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log(100.0);
        assert!((order - 0.5).abs() < 0.08, "{order}");
    }
}

/// Random oscillators between random stops: `adaptive` at 1e-11 follows `exact`, energies close, nothing
/// gets beyond a rigid stop.
#[test]
fn exact_and_adaptive_agree_on_random_problems() {
    let count: u64 = std::env::var("STICKSLIP_PROBLEMS").map_or(150, |n| n.parse().unwrap());
    let (mut compared, mut impacts, mut worst_energy, mut worst) = (0u64, 0, 0.0f64, 0.0f64);
    for seed in 0..count {
        let mut r = Random(seed + 5000);
        let (o, end) = problem(&mut r);
        let (lower, upper) = (
            o.initial.displacement - r.uniform(0.1, 2.0),
            o.initial.displacement + r.uniform(0.1, 2.0),
        );
        let sides = match r.next() % 3 {
            0 => (Some(lower), None),
            1 => (None, Some(upper)),
            _ => (Some(lower), Some(upper)),
        };
        let rigid = r.chance(0.6);
        let stops = if rigid {
            let e = if r.chance(0.3) { 0.0 } else { r.uniform(0.0, 1.0) };
            Stops::rigid(sides.0, sides.1, e)
        } else {
            Stops::soft(sides.0, sides.1, 10f64.powf(r.uniform(0.0, 4.0)), r.uniform(0.0, 3.0))
        };
        let (o, end) = (o.with_stops(stops), end.min(12.0));
        let path = exact::solve(&o, end).unwrap_or_else(|e| panic!("{seed}: {e}\n{o:?}"));
        let energy = path.energy(&o);
        worst_energy = worst_energy.max(energy.relative_defect());
        assert!(energy.relative_defect() < 1e-11, "{seed}: {energy:?}\n{o:?}");
        assert!(energy.friction >= 0.0 && energy.impacts >= -1e-12 * energy.gross_work);
        impacts += path.events().iter().filter(|e| e.kind == EventKind::Impact).count();
        if rigid {
            let outside = |x: f64| {
                sides.0.is_some_and(|a| x < a - 1e-12) || sides.1.is_some_and(|a| x > a + 1e-12)
            };
            assert!(path.sample(5000).all(|(_, u, _)| !outside(u.x)), "{seed}\n{o:?}");
        }
        let near = adaptive::solve(&o, end, Options::tolerance(1e-11));
        let near = near.unwrap_or_else(|e| panic!("{seed}: {e}\n{o:?}"));
        // Where a rounding decides (a graze), paths part for good: those are told, and rare.
        let mut part = 0.0f64;
        let scale = path.sample(400).map(|s| s.1.x.abs()).fold(1.0, f64::max);
        for (t, u, _) in path.sample(400) {
            part = part.max((near.state(t).x - u.x).abs() / scale);
        }
        let told = near
            .warnings()
            .iter()
            .any(|w| matches!(w, Warning::NearMiss { .. } | Warning::NotUnique { .. }));
        if told {
            println!("{seed}: {:?}", near.warnings().first());
        } else {
            compared += 1;
            worst = worst.max(part);
            assert!(
                part < 1e-6,
                "{seed}: {part:e}\n{o:?}\n{:?}\n{:?}",
                path.events(),
                near.events()
            );
        }
    }
    println!(
        "{compared} of {count} compared, {impacts} impacts; worst distance {worst:.1e}, energy defect {worst_energy:.1e}"
    );
    assert!(compared * 5 > count * 4 && impacts as u64 > 2 * count);
}

/// Force-based schemes take soft stops, with their order, and refuse rigid ones by name.
#[test]
fn other_schemes_take_soft_stops_or_say_who_does() {
    let model = |stops| {
        Oscillator::new(1.0, 1.0, Law::static_dynamic(0.6, 0.4).unwrap())
            .with_drive(Signal::harmonic(2.0, 1.0, 0.0))
            .with_stops(stops)
            .starting_at(0.0, 0.0)
    };
    let soft = model(Stops::soft(Some(-0.5), Some(0.5), 50.0, 1.0));
    let exact = exact::solve(&soft, 10.0).unwrap();
    for solve in [euler::solve, implicit_euler::solve] {
        let error = |h: f64| {
            let path = solve(&soft, 10.0, h).unwrap();
            exact.sample(4001).map(|(t, u, _)| (path.state(t).x - u.x).abs()).fold(0.0, f64::max)
        };
        let errors = [2e-3, 1e-3, 5e-4, 2.5e-4].map(error);
        let order = (errors[0] / errors[3]).log2() / 3.0;
        println!("soft stops: {errors:?}, order {order:.2}");
        assert!((order - 1.0).abs() < 0.15, "{errors:?}");
    }
    let rigid = model(Stops::rigid(Some(-0.5), Some(0.5), 0.5));
    let refused = |e: Error| {
        let text = e.to_string();
        assert!(text.contains("exact or adaptive"), "{text}");
    };
    refused(euler::solve(&rigid, 1.0, 0.01).unwrap_err());
    refused(implicit_euler::solve(&rigid, 1.0, 0.01).unwrap_err());
    refused(usual_sign::sign_euler(&rigid, 1.0, 0.01).unwrap_err());
    refused(usual_sign::sign_implicit(&rigid, 1.0, 0.01).unwrap_err());
    refused(quasi_static::solve(&rigid, 1.0).unwrap_err());
    refused(quasi_static::solve(&soft, 1.0).unwrap_err());
}

/// A box of mass m rides on a belt of speed V against a gate at L: it gets under way in V/A, A = f_d/m, hits at
/// V/2A + L/V, bounces with −eʲV, each bounce lasting 2eʲV/A for the belt rubs one way, and stays after
/// 2(V/A) e/(1 − e). The belt slides on under it.
#[test]
fn a_gate_holds_a_box_on_a_belt() {
    use EventKind::{Impact, Rest, Stick};
    let cases = [
        (2.0, 0.8, 11.772, 9.81, 1.0, 0.3),
        (2.0, 0.5, 6.0, 4.0, 1.0, 0.5),
        (1.0, 0.3, 2.0, 2.0, 0.7, 0.0),
        (3.0, 1.2, 20.0, 5.0, 2.5, 0.7),
        (0.5, 0.1, 1.0, 0.9, 0.2, 0.9),
        (4.0, 2.0, 30.0, 10.0, 5.0, 0.1),
    ];
    for (m, belt, fs, fd, gate, e) in cases {
        for way in [1.0, -1.0] {
            let (lower, upper) = if way > 0.0 { (None, Some(gate)) } else { (Some(-gate), None) };
            let o = Oscillator::new(m, 0.0, Law::static_dynamic(fs, fd).unwrap())
                .with_support(Signal::constant(way * belt))
                .with_stops(Stops::rigid(lower, upper, e));
            let a = fd / m;
            let (ride, hit) = (belt / a, 0.5 * belt / a + gate / belt);
            let rest = hit + 2.0 * belt / a * e / (1.0 - e);
            let end = rest + 3.0;
            let path = adaptive::solve(&o, end, Options::tolerance(1e-11)).unwrap();
            assert!(path.warnings().is_empty(), "{:?}", path.warnings());
            let of = |kind| path.events().iter().filter(move |e| e.kind == kind);
            close(of(Stick).next().unwrap().time, ride, 1e-11);
            close(of(Stick).next().unwrap().x, way * 0.5 * belt * ride, 1e-11);
            close(of(Impact).next().unwrap().time, hit, 1e-11);
            let mut j = 0;
            for impact in of(Impact).filter(|i| i.v != 0.0) {
                j += 1;
                close(impact.v, -way * belt * e.powi(j), 1e-9);
            }
            let last = of(Rest).next().unwrap();
            close(last.time, rest, 1e-9);
            assert_eq!(
                (last.x, path.state(end).x, path.state(end).v),
                (way * gate, way * gate, 0.0)
            );
            // The gate carries what the belt drags with; the belt does its work all the time.
            let at = (rest + 1.0, path.state(rest + 1.0), path.phase(rest + 1.0));
            close(o.stop_force(at.0, at.1, at.2), -way * fd, 1e-12);
            close(o.friction_force(at.0, at.1, at.2), way * fd, 1e-12);
            let energy = path.energy(&o);
            close(energy.impacts, 0.5 * m * belt * belt, 1e-8);
            assert!(energy.relative_defect() < 1e-9, "{energy:?}");
        }
    }
}

/// A force that pulls at −r t against a belt's f_d lets the box go at f_d/r, and then v = −r (t − t₀)²/2m. A belt that
/// turns at π/2ω takes the box along if it holds it: with x = L + V (cos ωt/ω …), else it slides under it.
#[test]
fn a_gate_lets_a_box_go() {
    let (m, fd, r) = (2.0, 3.0, 0.5);
    let at_gate = |fs| {
        Oscillator::new(m, 0.0, Law::static_dynamic(fs, fd).unwrap())
            .with_stops(Stops::rigid(None, Some(1.0), 0.4))
            .starting_at(1.0, 0.0)
    };
    let pulled = at_gate(4.0).with_support(Signal::constant(0.6)).with_force(Signal::ramp(-r, 0.0));
    let path = adaptive::solve(&pulled, 8.0, Options::tolerance(1e-12)).unwrap();
    assert_eq!(kinds(&path), [EventKind::Release]);
    close(path.events()[0].time, fd / r, 1e-11);
    for t in [6.5f64, 7.0, 8.0] {
        close(path.state(t).v, -r * (t - 6.0).powi(2) / (2.0 * m), 1e-9);
        close(path.state(t).x, 1.0 - r * (t - 6.0).powi(3) / (6.0 * m), 1e-9);
    }
    // v_s = 0.6 cos 2t: away from the gate from π/4 on, with 1.2 m/s² at most, for which 2.4 N are enough.
    let (speed, w) = (0.6, 2.0);
    let turning = at_gate(4.0).with_support(Signal::harmonic(speed, w, 0.0));
    let path = adaptive::solve(&turning, 2.0, Options::tolerance(1e-12)).unwrap();
    let quarter = std::f64::consts::FRAC_PI_4;
    assert_eq!(kinds(&path)[..2], [EventKind::Stick, EventKind::Release]);
    close(path.events()[0].time, quarter, 1e-11);
    for t in [1.0f64, 1.5, 2.0] {
        close(path.state(t).x, 1.0 + speed / w * ((w * t).sin() - 1.0), 1e-10);
    }
    // The same belt five times as fast takes 12 N to follow: the box lags behind with f_d/m.
    let fast = at_gate(4.0).with_support(Signal::harmonic(speed, 10.0, 0.0));
    let path = adaptive::solve(&fast, 0.3, Options::tolerance(1e-12)).unwrap();
    let turn = std::f64::consts::PI / 20.0;
    let release = path.events().iter().find(|e| e.kind == EventKind::Release).unwrap();
    close(release.time, turn, 1e-11);
    close(path.state(0.2).v, -fd / m * (0.2 - turn), 1e-9);
    // On a belt that moves away a push of more than f_d keeps the box at the gate.
    let pressed =
        at_gate(4.0).with_support(Signal::constant(-0.6)).with_force(Signal::constant(5.0));
    let path = adaptive::solve(&pressed, 3.0, Options::tolerance(1e-12)).unwrap();
    assert!(path.events().is_empty() && path.state(3.0).x == 1.0);
    close(pressed.stop_force(1.0, path.state(1.0), path.phase(1.0)), -2.0, 1e-12);
    // One that comes with the belt hits at once.
    let coming = at_gate(4.0).with_support(Signal::constant(0.6)).starting_at(1.0, 0.6);
    let path = adaptive::solve(&coming, 3.0, Options::tolerance(1e-12)).unwrap();
    assert_eq!((path.events()[0].kind, path.events()[0].time), (EventKind::Impact, 0.0));
    close(path.events()[0].v, -0.24, 1e-15);
    assert!(path.energy(&coming).relative_defect() < 1e-9);
}

/// A belt carries the mass into a soft stop and drags it along there.
#[test]
fn a_belt_carries_the_mass_into_a_soft_stop() {
    let o = Oscillator::new(1.0, 0.0, Law::static_dynamic(2.0, 1.0).unwrap())
        .with_support(Signal::constant(0.5))
        .with_stops(Stops::soft(None, Some(1.0), 10.0, 0.0))
        .starting_at(0.0, 0.5);
    let path = adaptive::solve(&o, 5.0, Options::tolerance(1e-11)).unwrap();
    use EventKind::{Slip, Touch};
    assert_eq!(kinds(&path)[..2], [Touch, Slip]);
    close(path.events()[0].time, 2.0, 1e-12); // 1 m at 0.5 m/s
    close(path.events()[1].time, 2.0 + 0.4, 1e-11); // κ (0.5 τ) = f_s
    assert!(exact::solve(&o, 1.0).unwrap_err().to_string().contains("adaptive"));
}

/// Bad stops are refused with what was found.
#[test]
fn bad_stops_are_refused() {
    let with = |stops| {
        let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0).unwrap()).with_stops(stops);
        exact::solve(&o, 1.0).unwrap_err().to_string()
    };
    assert!(with(Stops::rigid(Some(-1.0), None, 1.5)).contains("restitution of the stops is 1.5"));
    assert!(with(Stops::rigid(Some(-1.0), None, f64::NAN)).contains("restitution"));
    assert!(with(Stops::rigid(None, None, 0.5)).contains("no wall"));
    assert!(with(Stops::rigid(Some(0.5), None, 0.5)).contains("beyond the lower wall"));
    assert!(with(Stops::soft(Some(1.0), Some(-1.0), 1.0, 0.0)).contains("lower < upper"));
    assert!(with(Stops::soft(Some(-1.0), None, 0.0, 0.0)).contains("stiffness of the stops is 0"));
    assert!(with(Stops::soft(Some(-1.0), None, 1.0, -1.0)).contains("damping of the stops"));
    assert!(with(Stops::soft(Some(f64::INFINITY), None, 1.0, 0.0)).contains("position of a stop"));
}

/// A stretched spring presses a damped mass to its only stop: the bounces, down to those of 1e-16 m beside a
/// place of 1.5 m, lose speed as their closed form says, and end.
#[test]
fn bounces_under_a_spring_end_too() {
    let (m, k, a, e, f) = (0.22, 9.0, -1.54, 0.87, 0.023);
    let o = Oscillator::new(m, k, Law::static_dynamic(0.55, f).unwrap())
        .with_damping(0.1)
        .with_stops(Stops::rigid(None, Some(a), e))
        .starting_at(-1.81, -0.35);
    let path = exact::solve(&o, 12.0).unwrap();
    let impacts: Vec<_> = path.events().iter().filter(|e| e.kind == EventKind::Impact).collect();
    let last = path.events().last().unwrap();
    assert_eq!((last.kind, last.x), (EventKind::Stick, a));
    let near = adaptive::solve(&o, 12.0, Options::tolerance(1e-12)).unwrap();
    assert!((near.events().last().unwrap().time - last.time).abs() < 1e-9);
    // The ratio of small bounces: e √((p − f)/(p + f)), p = −K a the spring's pull.
    let p = -k * a;
    let ratio = e * ((p - f) / (p + f)).sqrt();
    let small: Vec<_> =
        impacts.windows(2).filter(|w| w[0].v.abs() < 1e-4 && w[1].v != 0.0).collect();
    assert!(small.len() > 20);
    for pair in small {
        assert!((pair[1].v / pair[0].v - ratio).abs() < 1e-5, "{pair:?}");
    }
    assert!(path.energy(&o).relative_defect() < 1e-12);
}

/// A step that reaches both a stop and, before that, a speed at which the friction jumps by a factor of fifty ends at that speed. Behind
/// it the mass may come to rest before the stop, which then is not met, or meet it more slowly.
///
/// From 10 m/s against 1 N to 5 m/s in 37.5 m; through the steep part of the table, F = 1 + 490 (5 − v), in ∫ v dv/F; and from 4.9 m/s
/// against 50 N.
#[test]
fn a_stop_behind_a_kink_of_the_law_is_met_by_what_comes_after_the_kink() {
    use stickslip::law::General;
    let law =
        || Law::General(General::table(&[0.0, 4.9, 5.0, 20.0], &[50.0, 50.0, 1.0, 1.0]).unwrap());
    let steep = (5.0 + 1.0 / 490.0) * 50f64.ln() / 490.0 - 0.1 / 490.0;
    let last = 37.5 + steep;
    let run = |stop: f64| {
        let o = Oscillator::new(1.0, 0.0, law())
            .with_stops(Stops::rigid(None, Some(stop), 0.5))
            .starting_at(0.0, 10.0);
        adaptive::solve(&o, 8.0, Options::tolerance(1e-10)).unwrap()
    };
    let rests = last + 4.9 * 4.9 / 100.0;
    for stop in [rests + 1e-3, rests + 0.1, rests + 1.0] {
        let path = run(stop);
        assert_eq!(kinds(&path), [EventKind::Stick], "{stop}");
        close(path.state(8.0).x, rests, 1e-8);
    }
    let path = run(last + 0.1);
    let impact = path.events().iter().find(|e| e.kind == EventKind::Impact).unwrap();
    let back = 0.5 * (4.9 * 4.9 - 100.0 * 0.1f64).sqrt();
    close(impact.v, -back, 1e-8);
    close(path.state(8.0).x, last + 0.1 - back * back / 100.0, 1e-8);
}

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

/// A soft stop: half a period in its spring gives the speed back, damped by e^(−πζ/√(1−ζ²)).
#[test]
fn a_soft_stop_gives_back_what_its_dashpot_leaves() {
    let (m, k, zeta) = (2.0f64, 800.0f64, 0.2f64);
    let c = 2.0 * zeta * (k * m).sqrt();
    let o = Oscillator::new(m, 0.0, Law::coulomb(0.0).unwrap())
        .with_stops(Stops::soft(Some(-1.0), Some(1.0), k, c))
        .starting_at(0.0, 2.0);
    let root = (1.0 - zeta * zeta).sqrt();
    let (e, stay) =
        ((-std::f64::consts::PI * zeta / root).exp(), std::f64::consts::PI / (20.0 * root));
    for path in [
        exact::solve(&o, 1.0).unwrap(),
        adaptive::solve(&o, 1.0, Options::tolerance(1e-12)).unwrap(),
    ] {
        use EventKind::{Impact, Reversal, Touch};
        assert_eq!(kinds(&path), [Touch, Reversal, Impact]);
        let [touch, _, leave] = path.events() else { panic!() };
        close(touch.time, 0.5, 1e-13);
        close(leave.time, 0.5 + stay, 1e-12);
        close(leave.v, -2.0 * e, 1e-11);
        close(leave.impulse, -m * 2.0 * (1.0 + e), 1e-11);
        assert_eq!(leave.x, 1.0);
        let energy = path.energy(&o);
        close(energy.impacts, 0.5 * m * 4.0 * (1.0 - e * e), 1e-10);
        assert!(energy.relative_defect() < 1e-11, "{energy:?}");
    }
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
    let decrement = -e.ln() / std::f64::consts::PI;
    let zeta = decrement / decrement.hypot(1.0);
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
    let rigid = Oscillator { stops: Some(Stops::rigid(None, Some(1.0), 0.5)), ..o.clone() };
    assert!(
        adaptive::solve(&rigid, 1.0, Options::default())
            .unwrap_err()
            .to_string()
            .contains("stiffness")
    );
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

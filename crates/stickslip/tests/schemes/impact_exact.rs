//! Rigid impacts against closed forms.

use stickslip::scheme::impact;
use stickslip::{Event, EventKind, Impact, ImpactPath, Signal, Touching, Wall};

const G: f64 = 9.81;

fn ball(e: f64) -> Impact {
    Impact::new(1.0, e).with_force(Signal::constant(-G)).starting_at(1.0, 0.0)
}

fn of_kind(path: &ImpactPath, kind: EventKind) -> Vec<Event> {
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
        let impacts = of_kind(&path, EventKind::Impact);
        for (k, event) in impacts.iter().enumerate() {
            let power = e.powi(k as i32);
            let speed = (2.0 * G).sqrt() * power;
            close(event.time, fall * (1.0 + 2.0 * e * (1.0 - power) / (1.0 - e)), 1e-13);
            close(event.before, -speed, 1e-12);
            close(event.v, e * speed, 1e-12);
            close(event.impulse, (1.0 + e) * speed, 1e-12);
            assert_eq!((event.x, event.place), (0.0, Wall::Lower.index()));
        }
        // As many as the clock can tell from the rest: e^k above half a unit in the last place.
        let told = (f64::EPSILON / 4.0).ln() / e.ln();
        assert!((impacts.len() as f64 / told - 1.0).abs() < 0.1, "{} of {told}", impacts.len());
        let rests = of_kind(&path, EventKind::Rest);
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
    let energy = |e: &Event| (0.5 * e.v * e.v / G - 1.0).abs();
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

/// ẍ + x = A cos(ωt + φ) above a wall at 0, hit once per forcing period. With b = V (1 + e)/(2e), a = b/tan(T/2),
/// the orbit is x = a (cos t − cos ωt) + b sin t − V (1 − e)/(2eω) sin ωt from an impact at t = 0 that leaves the
/// speed V; its Floquet matrix is a rotation by T times the saltation matrix of the impact.
#[test]
fn a_forced_oscillator_keeps_its_periodic_orbit_and_its_multipliers() {
    let (e, w, speed) = (0.8, 2.6, 1.0f64);
    let period = std::f64::consts::TAU / w;
    let b = speed * (1.0 + e) / (2.0 * e);
    let a = b / (0.5 * period).tan();
    let d = -speed * (1.0 - e) / (2.0 * e * w);
    // γ cos(ωt + φ) = −a cos ωt + d sin ωt, and the force is (1 − ω²) times that.
    let force = Signal::harmonic(-a * (1.0 - w * w), w, 0.0)
        + Signal::harmonic(d * (1.0 - w * w), w, -std::f64::consts::FRAC_PI_2);
    let shifted = |t0: f64| {
        Signal::harmonic(-a * (1.0 - w * w), w, w * t0)
            + Signal::harmonic(d * (1.0 - w * w), w, w * t0 - std::f64::consts::FRAC_PI_2)
    };
    let orbit = |t: f64| {
        let (s, c) = t.sin_cos();
        let (sw, cw) = (w * t).sin_cos();
        (a * (c - cw) + b * s + d * sw, a * (w * sw - s) + b * c + d * w * cw)
    };
    let t0 = 0.4 * period;
    let (x0, v0) = orbit(t0);
    let model = Impact::new(1.0, e).with_spring(1.0, 0.0).with_force(shifted(t0));
    let path = impact::solve(&model.clone().starting_at(x0, v0), 20.0 * period).unwrap();
    assert_eq!(path.events().len(), 20);

    // Multipliers: those of S R(T), with the impact's saltation matrix S and the flight's rotation R.
    let acceleration = force.value(0.0);
    let v_in = -speed / e;
    let s = [[-e, 0.0], [(1.0 + e) * acceleration / v_in, -e]];
    let (sin, cos) = period.sin_cos();
    let r = [[cos, sin], [-sin, cos]];
    let trace = s[0][0] * r[0][0] + s[1][0] * r[0][1] + s[1][1] * r[1][1];
    let determinant = e * e;
    let h = 1e-6;
    let at = |dx: f64, dv: f64| {
        let end = impact::solve(&model.clone().starting_at(x0 + dx, v0 + dv), period).unwrap();
        end.state(period)
    };
    let (xp, xm, vp, vm) = (at(h, 0.0), at(-h, 0.0), at(0.0, h), at(0.0, -h));
    let jacobian = [
        [(xp.x - xm.x) / (2.0 * h), (vp.x - vm.x) / (2.0 * h)],
        [(xp.v - xm.v) / (2.0 * h), (vp.v - vm.v) / (2.0 * h)],
    ];
    let got_trace = jacobian[0][0] + jacobian[1][1];
    let got_det = jacobian[0][0] * jacobian[1][1] - jacobian[0][1] * jacobian[1][0];
    assert!((got_trace - trace).abs() < 1e-8, "{got_trace} instead of {trace}");
    assert!((got_det - determinant).abs() < 1e-8, "{got_det} instead of {determinant}");

    // The first ten periods, before the larger multiplier (if any exceeds 1) can act on rounding.
    let half = 0.5 * trace;
    let largest =
        if half * half > determinant { half.abs() + (half * half - determinant).sqrt() } else { e };
    for (n, event) in path.events().iter().take(10).enumerate() {
        let n = n as f64;
        let tolerance = 1e-13 * (1.0 + n) * largest.max(1.0).powf(n + 1.0);
        close(event.time, period * (n + 1.0) - t0, tolerance);
        close(event.v, speed, 20.0 * tolerance);
        close(event.impulse, speed * (1.0 + 1.0 / e), 20.0 * tolerance);
    }
    println!("multipliers: trace {trace:.6}, largest {largest:.6}");
}

/// A table that moves down with more than g lets go of the ball, at the instant the reaction vanishes.
#[test]
fn a_shaken_table_lets_go_where_its_acceleration_is_gravity() {
    let (a, w) = (0.5, 6.0);
    let table = Signal::harmonic(a, w, -std::f64::consts::FRAC_PI_2); // a sin ωt
    let model = Impact::new(2.0, 0.0)
        .with_force(Signal::constant(-2.0 * G))
        .between(Some(table), None)
        .starting_at(0.0, a * w);
    let path = impact::solve(&model, 1.0).unwrap();
    let release = of_kind(&path, EventKind::Release)[0];
    let t = (G / (a * w * w)).asin() / w; // ä = −a ω² sin ωt = −g
    close(release.time, t, 1e-14);
    close(release.x, a * (w * t).sin(), 1e-14);
    close(release.v, a * w * (w * t).cos(), 1e-14);
    close(
        path.segment(0.3 * t).arc.reaction(0.3 * t),
        2.0 * (G - a * w * w * (w * 0.3 * t).sin()),
        1e-13,
    );
    close(path.impulse(0.0, t), 2.0 * (a * w * ((w * t).cos() - 1.0) + G * t), 1e-13);
    // Then free fall until it meets the table again, without bouncing: e = 0.
    let landing = of_kind(&path, EventKind::Impact)[0];
    let s = landing.time - t;
    let fall = release.x + release.v * s - 0.5 * G * s * s;
    assert!((fall - a * (w * landing.time).sin()).abs() < 1e-13);
    close(landing.before, release.v - G * s, 1e-12);
    close(landing.v, a * w * (w * landing.time).cos(), 1e-12);
    // No contact before: the ball is above the table in between.
    for i in 1..1000 {
        let s = s * f64::from(i) / 1000.0;
        let y = release.x + release.v * s - 0.5 * G * s * s - a * (w * (t + s)).sin();
        assert!(y >= -1e-14);
    }
}

/// A wall that comes at speed W throws an elastic mass back at 2W: a ramp, hit from rest.
#[test]
fn a_moving_wall_adds_twice_its_speed() {
    let wall = Signal::ramp(0.7, -1.0);
    let model = Impact::new(3.0, 1.0).between(Some(wall), None).starting_at(0.4, 0.0);
    let path = impact::solve(&model, 5.0).unwrap();
    let e = path.events()[0];
    close(e.time, 2.0, 1e-15);
    close(e.v, 1.4, 1e-15);
    close(e.impulse, 3.0 * 1.4, 1e-15);
    assert_eq!(path.events().len(), 1);
}

/// Fermi's accelerator: between a fixed wall and one that approaches at W, an elastic mass gains 2W a
/// turn; |v| times the width of the room at its impacts on the moving wall is the adiabatic invariant, here exact.
#[test]
fn two_walls_squeeze_and_their_meeting_is_no_solution() {
    let (width, closing) = (1.0, 0.01);
    let model = Impact::new(1.0, 1.0)
        .between(Some(Signal::constant(0.0)), Some(Signal::ramp(-closing, width)))
        .starting_at(0.0, 2.0);
    let path = impact::solve(&model, 60.0).unwrap();
    let (mut t, mut v) = (0.0, 2.0);
    let mut turns = 0;
    for e in path.events().iter().filter(|e| e.place == Wall::Upper.index()) {
        // From the fixed wall at t with v: meets width − closing·s at v (s − t).
        let meet = (width + v * t) / (v + closing);
        close(e.time, meet, 1e-12);
        close(e.v, -(v + 2.0 * closing), 1e-12);
        (t, v) = (meet + e.x / (v + 2.0 * closing), v + 2.0 * closing);
        turns += 1;
    }
    assert!(turns > 100);
    let error = impact::solve(&model, 200.0).unwrap_err();
    assert!(matches!(error, stickslip::Error::WallsMeet { time } if (time - 100.0).abs() < 1e-9));
    assert!(error.to_string().contains("no solution"), "{error}");
}

/// Zeno with a varying pull: a bounce on a table under a force that grows. Reference: the plain sum of
/// flights, each root found by bisection in the differential equation's own closed form, in extended time.
#[test]
fn a_zeno_sequence_under_a_varying_force_ends_where_the_plain_sum_ends() {
    let (e, g, rate) = (0.6, 9.81, 4.0);
    let model = Impact::new(1.0, e).with_force(Signal::ramp(-rate, -g)).starting_at(0.5, 0.0);
    let path = impact::solve(&model, 6.0).unwrap();
    let rest = of_kind(&path, EventKind::Rest)[0].time;
    // y = y0 + u s − (g + rate t) s²/2 − rate s³/6, summed flight by flight in the flights' own time.
    let (mut t, mut u, mut y0, mut total) = (0.0, 0.0, 0.5, 0.0);
    for _ in 0..400 {
        let pull = g + rate * t;
        let y = |s: f64| y0 + s * (u - s * (0.5 * pull + s * rate / 6.0));
        let (mut lo, mut hi) =
            (if y0 > 0.0 { 0.0 } else { u / pull }, 2.0 * u / pull + (2.0 * y0 / pull).sqrt());
        for _ in 0..200 {
            let mid = 0.5 * (lo + hi);
            if y(mid) > 0.0 { lo = mid } else { hi = mid }
        }
        u = -e * (u - lo * (pull + 0.5 * rate * lo));
        (t, y0, total) = (t + lo, 0.0, total + lo);
    }
    close(rest, total, 1e-14);
    close(path.impulse(0.0, rest), g * rest + 0.5 * rate * rest * rest, 1e-13);
}

/// The rule for grazing: a touch with no speed is no impact.
#[test]
fn a_graze_is_no_event() {
    // x = 1 + cos t touches 0 at π, 3π, …
    let model = Impact::new(1.0, 0.5)
        .with_spring(1.0, 0.0)
        .with_force(Signal::constant(1.0))
        .starting_at(2.0, 0.0);
    let path = impact::solve(&model, 50.0).unwrap();
    assert_eq!(path.events(), []);
    close(path.state(50.0).x, 1.0 + 50f64.cos(), 1e-12);
    // A hair deeper is one: speed √(2 d) at depth d.
    let deeper = Impact { lower: Some(Signal::constant(1e-12)), ..model };
    let first = impact::solve(&deeper, 10.0).unwrap().events()[0];
    assert!((first.before + (2e-12f64).sqrt()).abs() < 1e-9, "{first:?}");
}

#[test]
fn rest_at_zero_load_stays_and_a_step_away_leaves() {
    let model = Impact::new(1.0, 0.7).with_force(Signal::step(1.0, 0.0, 2.0));
    let path = impact::solve(&model, 3.0).unwrap();
    let release = path.events()[0];
    assert_eq!((release.kind, release.time), (EventKind::Release, 1.0));
    close(path.state(3.0).x, 4.0, 1e-15);
    // A release where the load only begins to turn: q = t³-free parabola, (t − 1)² / 2 after a ramp.
    let ramp = Impact::new(1.0, 0.7).with_force(Signal::ramp(3.0, -3.0));
    let path = impact::solve(&ramp, 2.0).unwrap();
    assert_eq!(path.events()[0].time, 1.0);
    close(path.state(2.0).x, 0.5, 1e-15);
}

#[test]
fn what_cannot_be_is_said() {
    let text = |m: Impact| impact::solve(&m, 2.0).unwrap_err().to_string();
    for e in [-0.1, 1.1, f64::NAN] {
        assert!(text(ball(e)).contains("the restitution is"));
    }
    assert!(text(ball(0.5).starting_at(-0.1, 0.0)).contains("beyond the lower wall at 0.0 m"));
    let up = ball(0.5).between(None, Some(Signal::constant(0.5)));
    assert!(text(up).contains("beyond the upper wall at 0.5 m"));
    let crossing = ball(0.5).between(Some(Signal::constant(0.0)), Some(Signal::ramp(-1.0, 1.5)));
    assert!(text(crossing).contains("the walls meet at t = 1.5 s"));
    let jump = ball(0.5).between(Some(Signal::step(0.2, 0.0, 5.0)), None);
    assert!(text(jump).contains("no solution beyond t = 0.2 s"));
    assert!(text(ball(0.5).between(None, None)).contains("no wall"));
    let nan = ball(0.5).with_force(Signal::constant(f64::NAN));
    assert!(text(nan).contains("the force is NaN"));
}

/// A force that pulls the mass to one wall does not hide the other, which the bounce reaches first.
#[test]
fn a_bounce_that_reaches_the_other_wall_is_no_zeno_sequence() {
    let room = Impact::new(1.0, 0.8)
        .with_force(Signal::constant(-1.0))
        .between(Some(Signal::constant(0.0)), Some(Signal::constant(2.0)))
        .starting_at(1.0, -5.0);
    let first: Vec<_> = impact::solve(&room, 2.0).unwrap().events().to_vec();
    assert_eq!((first[0].place, first[1].place), (0, 1));
    // Energy between the walls: v² − 2·2 at the upper one.
    close(first[1].before, (first[0].v * first[0].v - 4.0).sqrt(), 1e-14);
    // A lid that comes down on a ball at rest time after time.
    let lid = Signal::sampled(&[0.0, 3.0, 6.0], &[2.0, 0.05, 2.0]).unwrap();
    let under =
        ball(0.95).between(Some(Signal::constant(0.0)), Some(lid.clone())).starting_at(1.0, 0.0);
    let path = impact::solve(&under, 5.9).unwrap();
    assert!(path.events().iter().any(|e| e.place == Wall::Upper.index()));
    for (t, u, _) in path.sample(20_001) {
        assert!(u.x >= -1e-14 && u.x <= lid.value(t) + 1e-12, "{u:?} at {t}");
    }
}

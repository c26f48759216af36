//! The quasi-static scheme with a damper, against closed forms and the exact motion of a slow drive.

use std::f64::consts::PI;
use stickslip::scheme::oscillator::{exact, quasi_static};
use stickslip::{EventKind, Law, Oscillator, Phase, Signal, Trajectory, Warning};

const RAMP: f64 = 1e-3;

fn bearing(damping: f64) -> Oscillator {
    Oscillator::new(1.0, 2.0, Law::static_dynamic(1.0, 0.8).unwrap()).with_damping(damping)
}

fn pulled(damping: f64, speed: f64) -> Oscillator {
    bearing(damping).with_drive(Signal::ramp(speed, 0.0))
}

fn at(path: &Trajectory, kind: EventKind) -> Vec<(f64, f64)> {
    path.events().iter().filter(|e| e.kind == kind).map(|e| (e.time, e.x)).collect()
}

/// (1 + e^{−πζ/√(1−ζ²)}) (f_s − f_d)/K and π/(ω√(1−ζ²)), to rounding.
#[test]
fn a_damper_shortens_the_jump_and_lengthens_the_slip() {
    let omega = 2f64.sqrt();
    for zeta in [0.0, 0.05, 0.2, 0.5, 0.8] {
        let o = pulled(2.0 * zeta * omega, 1e-6);
        let path = quasi_static::solve(&o, 1e6).unwrap();
        let (slips, sticks) = (at(&path, EventKind::Slip), at(&path, EventKind::Stick));
        let shape = (1.0f64 - zeta * zeta).sqrt();
        let jump = (1.0 + (-PI * zeta / shape).exp()) * 0.1;
        assert!(sticks.len() >= 2, "{zeta}");
        for (i, (slip, stick)) in slips.iter().zip(&sticks).enumerate() {
            let done = i as f64 * jump;
            assert!((slip.0 - (0.5 + done) / 1e-6).abs() < 1e-12 * slip.0, "{zeta} {slip:?}");
            assert!((slip.1 - done).abs() < 1e-13, "{zeta} {slip:?}");
            assert!((stick.1 - done - jump).abs() < 1e-13, "{zeta} {stick:?}");
            let duration = PI / (omega * shape);
            assert!((stick.0 - slip.0 - duration).abs() < 1e-9, "{zeta} {slip:?} {stick:?}");
        }
        // The motion inside the slip arrives there.
        let last = path.state(sticks[0].0 - 1e-9);
        assert!((last.x - jump).abs() < 1e-9 && last.v.abs() < 1e-6, "{zeta} {last:?}");
        assert!(path.warnings().is_empty(), "{zeta} {:?}", path.warnings());
        let energy = path.energy(&o);
        assert!(energy.relative_defect().abs() < 1e-5, "{zeta} {energy:?}");
    }
}

/// The exact motion jumps by the same as the drive slows down, and not by 2 (f_s − f_d)/K = 0.2 m.
#[test]
fn damped_jumps_are_those_of_the_exact_motion_under_a_slow_drive() {
    for damping in [0.2, 0.5, 1.2] {
        let error = |speed: f64| {
            let (o, end) = (pulled(damping, speed), 1.0 / speed);
            let (a, b) = (exact::solve(&o, end).unwrap(), quasi_static::solve(&o, end).unwrap());
            let (a, b) = (at(&a, EventKind::Stick), at(&b, EventKind::Stick));
            let (some, more) = (a.len().min(b.len()), a.len().max(b.len()));
            assert!(some > 2 && more - some <= 1, "{damping} {speed}: {a:?} {b:?}");
            a.iter().zip(b).map(|(p, q)| (p.1 - q.1).abs()).fold(0.0, f64::max)
        };
        let (coarse, fine) = (error(RAMP), error(0.1 * RAMP));
        assert!(coarse < 0.02 && fine < 0.15 * coarse, "{damping}: {coarse} {fine}");
    }
}

/// With ζ ≥ 1, or so near to it that the little overshoot is less than what the drive moves meanwhile, the mass slides
/// behind the drive until it turns: as the exact motion, to the lag c v/K.
#[test]
fn a_mass_that_never_comes_to_rest_slides_behind_the_drive() {
    let omega = 2f64.sqrt();
    for zeta in [0.97, 1.0, 1.41, 5.0] {
        let error = |slow: f64| {
            let drive = Signal::harmonic(1.5, slow, -PI / 2.0);
            let o = bearing(2.0 * zeta * omega).with_drive(drive);
            let end = 5.0 * PI / slow;
            let (a, b) = (exact::solve(&o, end).unwrap(), quasi_static::solve(&o, end).unwrap());
            let kinds = |p: &Trajectory| p.events().iter().map(|e| e.kind).collect::<Vec<_>>();
            assert_eq!(kinds(&a), kinds(&b), "{zeta} {slow}");
            assert_eq!(at(&b, EventKind::Stick).len(), 5);
            assert!(b.warnings().is_empty() || zeta < 1.0, "{:?}", b.warnings());
            let far = a.sample(4001).zip(b.sample(4001)).map(|((t, p, _), (_, q, _))| {
                // Not while it jumps: there the start of the slip matters.
                let jumps = at(&a, EventKind::Slip).iter().any(|s| (t - s.0).abs() < 40.0 * zeta);
                if jumps { 0.0 } else { (p.x - q.x).abs() }
            });
            far.fold(0.0, f64::max)
        };
        let (coarse, fine) = (error(1e-3), error(1e-4));
        let lag = 2.0 * zeta / omega * 1.5e-3;
        assert!(coarse < 1.2 * lag && fine < 0.15 * coarse, "{zeta}: {coarse} {fine}, {lag}");
        // Afterwards the spring holds f_d.
        let o = bearing(2.0 * zeta * omega).with_drive(Signal::ramp(1e-4, 0.0));
        let path = quasi_static::solve(&o, 2e4).unwrap();
        assert_eq!(path.events().len(), 1, "{zeta}");
        assert!((path.state(1.5e4).x - (1.5 - 0.4)).abs() < 1e-12, "{zeta}");
    }
}

/// A drive that stands still for a while lets the mass come to rest, to rounding; then f_s holds it again.
#[test]
fn a_pause_of_the_drive() {
    let drive = Signal::sampled(&[0.0, 1e4, 2e4, 3e4], &[0.0, 1.0, 1.0, 2.0]).unwrap();
    for damping in [4.0, 3.0] {
        let o = bearing(damping).with_drive(drive.clone());
        let (a, b) = (exact::solve(&o, 3e4).unwrap(), quasi_static::solve(&o, 3e4).unwrap());
        let kinds = |p: &Trajectory| p.events().iter().map(|e| e.kind).collect::<Vec<_>>();
        assert_eq!(kinds(&a), kinds(&b), "{damping}");
        assert!((a.state(2.9e4).x - b.state(2.9e4).x).abs() < 2e-3, "{damping}");
        assert!((a.state(1.9e4).x - b.state(1.9e4).x).abs() < 2e-3, "{damping}");
    }
}

/// A slip that begins where the drive turns goes its way all the same.
#[test]
fn a_slip_at_the_top_of_the_drive() {
    let top = 0.5 + 1e-7;
    for (damping, way) in [(4.0, 0.1), (0.0, 0.2)] {
        let o = bearing(damping).with_drive(Signal::harmonic(top, 1e-4, -PI / 2.0));
        let path = quasi_static::solve(&o, 2e4).unwrap();
        let sticks = at(&path, EventKind::Stick);
        assert!(sticks.len() == 1 && (sticks[0].1 - way).abs() < 1e-5, "{damping} {sticks:?}");
        let truth = at(&exact::solve(&o, 2e4).unwrap(), EventKind::Stick);
        assert!(truth.len() == 1 && (truth[0].1 - sticks[0].1).abs() < 1e-4, "{truth:?}");
    }
}

fn fast(path: &Trajectory) -> Option<f64> {
    path.warnings().iter().find_map(|w| match w {
        Warning::FastDrive { share, .. } => Some(*share),
        _ => None,
    })
}

/// v π/ω over 2 (f_s − f_d)/K, and with a damper over twice the overshoot.
#[test]
fn a_drive_that_is_too_fast_is_reported() {
    let omega = 2f64.sqrt();
    for (damping, speed) in [(0.0, 0.02), (0.5, 0.01), (4.0, 0.02)] {
        let zeta = 0.5 * damping / omega;
        let shape = (1.0 - zeta * zeta).max(0.0).sqrt();
        let share = match zeta {
            z if z < 1.0 => speed * PI / (omega * shape) / (0.2 * (-PI * zeta / shape).exp()),
            _ => damping * speed / 2.0 / 0.1,
        };
        let path = quasi_static::solve(&pulled(damping, speed), 3.0 / speed).unwrap();
        let found = fast(&path).unwrap_or(0.0);
        assert!((found / share - 1.0).abs() < 1e-9, "{damping}: {found} {share}");
        let slow = 0.099 / share * speed;
        let path = quasi_static::solve(&pulled(damping, slow), 3.0 / slow).unwrap();
        assert_eq!(path.warnings(), [], "{damping}");
    }
    // A jump of the drive is as fast as can be, unless it stays inside the reach.
    let jump = |to: f64| {
        let o = bearing(0.0).with_drive(Signal::step(5.0, 0.0, to));
        fast(&quasi_static::solve(&o, 10.0).unwrap())
    };
    assert!(jump(0.9).is_some_and(|s| (s - 2.0).abs() < 1e-12) && jump(0.49).is_none());
    // Play: over the width of the play, 2 f/K.
    let play = |speed: f64| {
        let o = Oscillator::new(1.0, 2.0, Law::coulomb(1.0).unwrap())
            .with_drive(Signal::ramp(speed, 0.0));
        fast(&quasi_static::solve(&o, 3.0 / speed).unwrap())
    };
    assert!(play(1e-3).is_none() && play(0.1).is_some_and(|s| (s - 0.1 * PI / omega).abs() < 1e-9));
}

/// Inertia decides where a mass goes that starts beyond the limit, unless it is overdamped.
#[test]
fn a_start_beyond_the_limit_is_reported() {
    let warnings = |damping: f64, x: f64, law: Law| {
        let o = Oscillator::new(1.0, 2.0, law).with_damping(damping).starting_at(x, 0.0);
        quasi_static::solve(&o, 100.0).unwrap().warnings().to_vec()
    };
    let law = || Law::static_dynamic(1.0, 0.8).unwrap();
    let beyond = [Warning::StartsBeyondLimit { load: 4.875, limit: 1.0 }];
    assert_eq!(warnings(0.0, 2.4375, law()), beyond);
    assert_eq!(warnings(0.0, -2.4375, law()), beyond);
    assert_eq!(warnings(0.0, 2.4375, Law::coulomb(1.0).unwrap()).first(), beyond.first());
    assert_eq!(warnings(0.0, 0.4, law()), []);
    // Overdamped, the mass creeps to |D − x| = f_d/K, as the exact motion does.
    assert_eq!(warnings(4.0, 2.5, law()), []);
    let o = bearing(4.0).starting_at(2.5, 0.0);
    let (a, b) = (exact::solve(&o, 100.0).unwrap(), quasi_static::solve(&o, 100.0).unwrap());
    assert!((a.state(100.0).x - 0.4).abs() < 1e-9 && (b.state(100.0).x - 0.4).abs() < 1e-12);
    assert_eq!((b.phase(5.0), b.phase(50.0)), (Phase::SlipBackward, Phase::Stick));
}

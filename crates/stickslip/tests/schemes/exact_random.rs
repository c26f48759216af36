//! Random problems: no event missed, the equation of motion satisfied, energy closed.
//!
//! The sample is small by default; `STICKSLIP_PROBLEMS=1000000 STICKSLIP_CAMPAIGN=. cargo test --release -p stickslip
//! --test all exact_random -- --nocapture` is the campaign (see `common/campaign.rs`).

use crate::common::campaign::campaign;
use crate::common::{Random, problem, sized};
use stickslip::motion::{Motion, Segment};
use stickslip::scheme::oscillator::exact;
use stickslip::{EventKind, Oscillator, Phase, State, Trajectory};

/// Points per segment of the brute-force search.
const DENSE: usize = 100;

#[test]
fn every_segment_is_what_it_says() {
    campaign("exact", sized(600, 1000), |seed, tally| {
        let (o, end) = problem(&mut Random(seed));
        let path = exact::solve(&o, end).unwrap_or_else(|e| panic!("problem {seed}: {e}"));
        tally.add("events", path.events().len());
        tally.add("segments", path.segments().len());
        for s in path.segments() {
            check_segment(&o, s).unwrap_or_else(|e| {
                panic!("problem {seed}, {:?} {}..{}: {e}\n{o:?}", s.phase, s.start, s.end)
            });
        }
        check_events(&o, &path).unwrap_or_else(|e| panic!("problem {seed}: {e}\n{o:?}"));
        let energy = path.energy(&o);
        assert!(energy.friction >= 0.0 && energy.viscous >= 0.0);
        // Energies are differences of stored ones: what a rounding of those is, no audit can see.
        let stored_at = |u: State| o.stiffness * u.x * u.x + o.mass * u.v * u.v;
        let stored = stored_at(path.state(0.0)) + stored_at(path.state(end)) + force_scale(&o, 1.0);
        let (defect, turnover) =
            (energy.defect().abs(), energy.gross_work + energy.friction + energy.viscous);
        let relative = (defect - 1e-15 * stored).max(0.0) / turnover.max(f64::MIN_POSITIVE);
        tally.worst("relative defect of the energy", relative, seed);
        assert!(
            defect <= 1e-12 * turnover + 1e-14 * stored,
            "problem {seed}: {energy:?} {defect:e}\n{o:?}"
        );
    });
}

/// Size of the forces in play, N.
fn force_scale(o: &Oscillator, x: f64) -> f64 {
    let load = o.load_signal();
    let affine = load.knots().iter().map(|k| k.value.abs()).fold(0.0, f64::max);
    let ramp = load.knots().iter().map(|k| k.rate.abs()).fold(0.0, f64::max);
    let waves: f64 = load.harmonics().iter().map(|h| h.amplitude.abs()).sum();
    affine
        + ramp
        + waves
        + o.stiffness * (x.abs() + o.initial.displacement.abs())
        + o.friction.breakaway()
        + 1e-3
}

/// Dense search inside one segment: the phase never lapses, and the state obeys the equation.
fn check_segment(o: &Oscillator, s: &Segment) -> Result<(), String> {
    let length = s.end - s.start;
    let scale = force_scale(o, s.arc.state(s.start).x);
    let load = o.load_signal();
    let piece = load.piece_at(s.start);
    let at = |t: f64| s.arc.state(t);
    let b = |t: f64| piece.derivatives(t)[0] - o.stiffness * at(t).x - o.damping * at(t).v;
    // Somewhere else in each segment.
    let offset = (s.start * 1e3).fract().abs();
    for i in 0..DENSE {
        let t = s.start + length * (i as f64 + offset) / DENSE as f64;
        if t <= s.start {
            continue;
        }
        if s.phase == Phase::Stick {
            let excess = b(t).abs() - o.friction.breakaway();
            if at(t).v != 0.0 || excess > 1e-12 * scale {
                return Err(format!("stick at t = {t} with |b| − f_s = {excess:e}"));
            }
            continue;
        }
        let along = s.phase.sign() * at(t).v;
        let speed_scale = scale / o.mass * length.min(1.0) + along.abs();
        if along < -1e-13 * speed_scale - 1e-15 * scale * (1.0 / o.mass + 1.0) {
            return Err(format!("slip at t = {t} with velocity {along:e} along it"));
        }
    }
    if s.phase == Phase::Stick {
        return Ok(());
    }
    let (got, want) = (at(s.end), taylor(o, s));
    let (dx, dv) = ((got.x - want.x).abs(), (got.v - want.v).abs());
    let time = length.min(1.0);
    let (x_scale, v_scale) =
        (got.x.abs() + scale / o.mass * time * time, got.v.abs() + scale / o.mass * time);
    if dx > 1e-11 * (x_scale + v_scale * time)
        || dv > 1e-11 * (v_scale + x_scale * o.natural_frequency())
    {
        return Err(format!("ends at {got:?}, but by power series at {want:?}"));
    }
    Ok(())
}

/// The end of a slip by power series in short steps: x_{k+2} (k+1)(k+2) m = F_k − c (k+1) x_{k+1} − K x_k.
fn taylor(o: &Oscillator, s: &Segment) -> State {
    const ORDER: usize = 24;
    let load = o.load_signal();
    let affine = load.piece_at(s.start).affine;
    let fastest =
        load.harmonics().iter().map(|h| h.angular_frequency).fold(o.damping / o.mass, f64::max);
    let count = ((s.end - s.start) * fastest.max(o.natural_frequency()) * 2.0).ceil().max(1.0);
    let h = (s.end - s.start) / count;
    let mut u = s.arc.state(s.start);
    for n in 0..count as usize {
        let t = s.start + n as f64 * h;
        let mut force = [0.0; ORDER];
        force[0] = affine.at(t) - s.phase.sign() * o.friction.sliding();
        force[1] = affine.rate;
        for w in load.harmonics() {
            let (sin, cos) = w.angle(t).sin_cos();
            let mut scale = w.amplitude;
            for (k, f) in force.iter_mut().enumerate() {
                *f += scale * [cos, -sin, -cos, sin][k % 4];
                scale *= w.angular_frequency / (k + 1) as f64;
            }
        }
        let mut x = [0.0; ORDER + 2];
        (x[0], x[1]) = (u.x, u.v);
        for k in 0..ORDER {
            let k1 = (k + 1) as f64;
            x[k + 2] = (force[k] - o.damping * k1 * x[k + 1] - o.stiffness * x[k])
                / (o.mass * k1 * (k1 + 1.0));
        }
        u.x = x.iter().rev().fold(0.0, |sum, c| sum * h + c);
        u.v = x.iter().enumerate().skip(1).rev().fold(0.0, |sum, (k, c)| sum * h + k as f64 * c);
    }
    u
}

/// States are continuous across segments; every event is where the law puts it.
fn check_events(o: &Oscillator, path: &Trajectory) -> Result<(), String> {
    for pair in path.segments().windows(2) {
        let (a, b) = (pair[0].arc.state(pair[0].end), pair[1].arc.state(pair[1].start));
        let jump = (a.x - b.x).abs() + (a.v - b.v).abs();
        if pair[0].end != pair[1].start
            || jump > 1e-12 * (force_scale(o, a.x) / o.mass + a.x.abs() + a.v.abs())
        {
            return Err(format!("the state jumps by {jump:e} at t = {}", pair[0].end));
        }
    }
    for e in path.events() {
        let scale = force_scale(o, e.x);
        let load = o.load_signal();
        let b = load.value(e.time) - o.stiffness * e.x;
        let before = load.value(e.time - 1e-9 * e.time.abs().max(1.0)) - o.stiffness * e.x;
        let excess = b.abs() - o.friction.breakaway();
        let jumped = (b - before).abs() > 1e-6 * scale;
        let fine = match e.kind {
            EventKind::Slip => jumped || excess.abs() < 1e-12 * scale,
            EventKind::Stick => excess < 1e-12 * scale,
            EventKind::Reversal => excess > -1e-12 * scale,
            _ => false, // there are no stops
        };
        if !fine {
            return Err(format!("{e:?} with |b| − f_s = {excess:e}"));
        }
    }
    Ok(())
}

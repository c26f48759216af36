//! Figures of an oscillator's motion, as SVG.

use super::{POINTS, Solved};
use crate::heading::Heading;
use stickslip::{EventKind, Model, Motion, Oscillator, Phase, State, Trajectory};
use stickslip_report::compose::{self, EventPoint};

/// More stick phases than this would be a grey page.
const MOST_BANDS: usize = 1000;
/// More events than this could not be named legibly.
const MOST_NAMES: usize = 24;

/// A motion as columns, with both sides of every event.
struct Curves {
    t: Vec<f64>,
    x: Vec<f64>,
    v: Vec<f64>,
    /// Empty where it is 0 throughout.
    drive: Vec<f64>,
    load: Vec<f64>,
    friction: Vec<f64>,
    stop: Vec<f64>,
}

impl Curves {
    fn of(oscillator: &Oscillator, path: &Trajectory) -> Self {
        let (start, end) = path.span();
        let step = (end - start) / POINTS as f64;
        let mut t = Vec::new();
        let mut x = Vec::new();
        let mut v = Vec::new();
        let mut drive = Vec::new();
        let mut load = Vec::new();
        let mut supported = Vec::new();
        let mut stop = Vec::new();
        let mut point = |time: f64, state: State, phase: Phase| {
            t.push(time);
            x.push(state.x);
            v.push(state.v);
            drive.push(oscillator.drive.value(time));
            if oscillator.stops.is_some() {
                stop.push(oscillator.stop_force(time, state, phase));
            }
            load.push(oscillator.load(state.x, state.v, time));
            // 𝔽 of the law stands on the left of the equation of motion.
            supported.push(-oscillator.friction_force(time, state, phase));
        };
        let rigid = oscillator.stops.is_some_and(|s| s.restitution().is_some());
        for (i, s) in path.segments().iter().enumerate() {
            point(s.start, s.arc.state(s.start), s.phase);
            let first = ((s.start - start) / step).floor() as usize + 1;
            let inside = (first..).map(|k| start + step * k as f64).take_while(|t| *t < s.end);
            for time in inside.skip_while(|t| *t <= s.start) {
                point(time, s.arc.state(time), s.phase);
            }
            point(s.end, s.arc.state(s.end), s.phase);
            // The velocity is interrupted where a stop makes it jump.
            let next = path.segments().get(i + 1).map(|n| n.arc.state(n.start).v);
            if rigid && next.is_some_and(|v| v != s.arc.state(s.end).v) {
                point(s.end, State { x: f64::NAN, v: f64::NAN }, s.phase);
            }
        }
        // The end of the spring stands still: nothing drives the mass there.
        if drive.iter().all(|d| *d == 0.0) {
            drive.clear();
        }
        Self { t, x, v, drive, load, friction: supported, stop }
    }
}

fn kind(kind: EventKind) -> compose::EventKind {
    match kind {
        EventKind::Slip => compose::EventKind::Slip,
        EventKind::Stick => compose::EventKind::Stick,
        EventKind::Reversal => compose::EventKind::Reversal,
        EventKind::Impact => compose::EventKind::Impact,
        EventKind::Touch => compose::EventKind::Touch,
        // A stop that begins to hold the mass, or lets it go.
        EventKind::Rest | EventKind::Release => compose::EventKind::Touch,
        // An oscillator has no others.
        _ => compose::EventKind::Slip,
    }
}

fn limit(oscillator: &Oscillator) -> Option<(f64, f64)> {
    Some((oscillator.friction.breakaway(), oscillator.friction.sliding()))
}

/// Draws a solution of an oscillator.
fn drawn(s: &Solved, draw: fn(&Heading, &Oscillator, &Trajectory) -> String) -> String {
    match (&s.problem.model, s.solution.oscillator()) {
        (Model::Oscillator(o), Some(path)) => draw(&s.heading, o, path),
        _ => String::new(),
    }
}

/// [`motion`] of a solution.
pub fn motion_of(s: &Solved) -> String {
    drawn(s, motion)
}

/// [`planes`] of a solution.
pub fn planes_of(s: &Solved) -> String {
    drawn(s, planes)
}

/// Displacement, velocity and forces against time: stick phases shaded, events marked.
pub fn motion(heading: &Heading, oscillator: &Oscillator, path: &Trajectory) -> String {
    let curves = Curves::of(oscillator, path);
    let phases = path.phases().into_iter();
    let stick: Vec<_> =
        phases.filter(|p| p.0 == Phase::Stick).map(|(_, from, to)| (from, to)).collect();
    let events: Vec<_> = path
        .events()
        .iter()
        .map(|e| EventPoint { kind: kind(e.kind), t: e.time, x: e.x })
        .collect();
    let stops: Vec<f64> =
        oscillator.stops.iter().flat_map(|s| [s.lower, s.upper]).flatten().collect();
    let timeline = compose::Timeline {
        title: heading.title(),
        t: &curves.t,
        x: &curves.x,
        drive: &curves.drive,
        v: &curves.v,
        load: &curves.load,
        friction: &curves.friction,
        limit: limit(oscillator),
        stops: &stops,
        stop_force: &curves.stop,
        stick: if stick.len() <= MOST_BANDS { &stick } else { &[] },
        events: &events,
        name_events: events.len() <= MOST_NAMES,
    };
    heading.on(timeline.figure()).to_svg()
}

/// Load against velocity, displacement against drive.
pub fn planes(heading: &Heading, oscillator: &Oscillator, path: &Trajectory) -> String {
    let curves = Curves::of(oscillator, path);
    let events: Vec<_> = path
        .events()
        .iter()
        .map(|e| EventPoint { kind: kind(e.kind), t: oscillator.drive.value(e.time), x: e.x })
        .collect();
    let planes = compose::Planes {
        title: heading.title(),
        v: &curves.v,
        load: &curves.load,
        drive: &curves.drive,
        x: &curves.x,
        limit: limit(oscillator),
        events: &events,
    };
    heading.on(planes.figure()).to_svg()
}

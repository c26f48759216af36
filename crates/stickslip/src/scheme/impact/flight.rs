//! A motion until it crosses a distance from a wall.

use super::guard::{Limit, first_crossing, second_bound};
use super::room::{Frame, Relative, Room};
use crate::motion::State;
use crate::motion::{LinearArc, Medium};
use crate::portable;
use crate::roots::GivenUp;
use std::sync::Arc;

/// The end of a motion at a wall.
#[derive(Debug, Clone, Copy)]
pub struct Landing {
    /// When, s.
    pub(super) time: f64,
    /// What the rounding of `time` left out, s: handed on, so that equal flights do not drift.
    pub(super) carry: f64,
    /// Place and velocity in the frame of the wall met.
    pub(super) at: Relative,
}

/// What a motion is about to do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task<'a> {
    /// Free, or with a wall's spring and dashpot.
    pub medium: &'a Arc<Medium>,
    /// Constant force against the motion's direction +x, N.
    pub resistance: f64,
    /// What ends it.
    pub limit: Limit,
    /// It starts at rest on the wall, and the load that pressed it is just turning: its acceleration
    /// is exactly zero.
    pub released: bool,
    /// Latest end, s.
    pub until: f64,
    /// The true start is so much after `t`, s: less than a rounding.
    pub carry: f64,
}

/// Follows the mass from `r` at `t`. The arc is made for short spans first: a bounce of 1e-8 s is
/// found with all its digits, however far away `until` is.
pub(super) fn follow(
    room: &Room,
    t: f64,
    r: Relative,
    task: Task<'_>,
) -> Result<(LinearArc, Option<Landing>), GivenUp> {
    let frame = &room.frames[r.frame];
    let initial = State { x: r.y, v: r.v };
    let medium = task.medium;
    let load = frame.load.piece_at(t);
    let p = load.derivatives(t);
    let balance = p[0] - medium.damping * r.v - medium.stiffness * r.y;
    let resistance = if task.released { balance } else { task.resistance };
    let acceleration = (balance - resistance) / medium.mass;
    let length = task.until - t;

    let spare = if task.released {
        let jerk = frame.wall.sign() * p[1] / medium.mass;
        clear_after_release(medium, jerk, p[2], second_bound(&load), frame).min(length)
    } else {
        0.0
    };
    // A search over the whole flight would bound its noise by the longest way; a short window keeps a small bounce sharp.
    let mut window = first_window(frame, initial, acceleration, task, medium).min(length);
    let mut from = 0.0;
    loop {
        let to = if from < spare { spare } else { window.max(from) };
        let arc =
            LinearArc::new(medium, &frame.load, frame.load_piece, t, initial, resistance, t + to);
        let travel = initial.v.abs() * to + 0.5 * acceleration.abs() * to * to;
        let swing = if medium.stiffness > 0.0 {
            let w = medium.natural_frequency;
            (initial.v.abs() + acceleration.abs() / w) / w
        } else {
            f64::INFINITY
        };
        let noise = 4.0 * f64::EPSILON * (initial.x.abs() + travel.min(swing));
        let crossing = first_crossing(frame, &arc, task.limit, from, to, spare, noise)?;
        if let Some((s, wall)) = crossing {
            let landing = land(room, t, Crossing { s, frame: r.frame, wall }, &arc, task);
            return Ok((arc, Some(landing)));
        }
        if to >= length {
            return Ok((arc, None));
        }
        from = to;
        // Longer by far each time, so that a flight to the end of the run takes a handful of windows.
        window = (8.0 * to).min(length);
    }
}

/// A span in which the mass is likely to cross the limit, if it can tell, s.
fn first_window(frame: &Frame, at: State, a: f64, task: Task<'_>, medium: &Medium) -> f64 {
    let sign = frame.wall.sign();
    let (distance, direction) = match task.limit {
        Limit::Above(l) => (sign * at.x - l, sign),
        Limit::Below(l) => (l - sign * at.x, -sign),
    };
    let u = direction * at.v;
    let a = direction * a;
    let d = distance.max(0.0);
    let parabola = if a < 0.0 {
        (u + (u * u - 2.0 * a * d).sqrt()) / -a
    } else if u < 0.0 {
        d / -u
    } else {
        f64::INFINITY
    };
    let swing = if medium.stiffness > 0.0 { 4.0 / medium.natural_frequency } else { f64::INFINITY };
    let forcing =
        frame.load.harmonics().iter().map(|h| 4.0 / h.angular_frequency).fold(swing, f64::min);
    let window = (2.0 * parabola).min(forcing);
    if window > 0.0 { window } else { forcing }
}

/// How long a release is certain to last: y ≥ j s³/6 − B s⁴/24 with B ≥ |y⁗|.
fn clear_after_release(m: &Medium, jerk: f64, p2: f64, curve: f64, frame: &Frame) -> f64 {
    let snap = (p2 - m.damping * frame.wall.sign() * jerk) / m.mass;
    let w = m.natural_frequency;
    if jerk > 0.0 {
        let growth =
            curve * frame.load.harmonics().iter().map(|h| h.angular_frequency).fold(0.0, f64::max);
        let bound = portable::hypot(snap, w * jerk) + (growth / m.mass * jerk).sqrt();
        return 0.5 * jerk / bound;
    }
    // The load only curves away: y begins with the fourth power of s.
    let rate = frame.load.harmonics().iter().map(|h| h.angular_frequency).fold(w, f64::max);
    1e-3 / (rate + m.damping / m.mass)
}

/// Where a motion crosses its limit.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    /// When, in seconds from the start of the motion.
    s: f64,
    /// The wall in whose frame the motion is, and the one that is met.
    frame: usize,
    wall: usize,
}

/// The state at the crossing, in the frame of the wall met; the motion starts at `t`.
fn land(room: &Room, t: f64, crossing: Crossing, arc: &LinearArc, task: Task<'_>) -> Landing {
    let Crossing { s, frame, wall } = crossing;
    let Task { limit, carry, .. } = task;
    let (State { x, v }, [p, ..]) = arc.loaded(s);
    let mut at = room.change(t + s, Relative { frame, y: x, v }, wall);
    let sign = room.frames[wall].wall.sign();
    let level = match limit {
        Limit::Above(l) | Limit::Below(l) => sign * l,
    };
    // One Newton step from the root found to the crossing itself.
    let m = arc.medium();
    let a = (p - m.damping * v - m.stiffness * x) / m.mass;
    let mut span = carry + s;
    let late = (at.y - level) / at.v;
    // Only where the velocity hardly changes on the rest of the way: near a graze a step of Newton's method would lead astray.
    if (a * late).abs() <= 1e-9 * at.v.abs() {
        at.v -= a * late;
        span -= late;
    }
    at.y = level;
    let time = t + span;
    Landing { time, carry: span - (time - t), at }
}

//! Moreau's time-stepping: impulses instead of forces, velocities instead of places.
//!
//! With x_m = x_n + (h/2) v_n, t_m = t_n + h/2 and the wall's velocity W = (a(t_n + h) − a(t_n))/h,
//!
//! ```text
//! (m + h c/2 + h² K/4) v̂ = (m − h c/2 − h² K/4) v_n + h (f(t_m) − K x_n)
//! if x_m is at or beyond a wall:   0 ≤ (v⁺ − W) + e (v_n − W)  ⟂  P ≥ 0      (else P = 0)
//! v⁺ = v̂ + P/(m + h c/2 + h² K/4),        x⁺ = x_m + (h/2) v⁺
//! ```
//!
//! (written for the lower wall). It knows no events, so it never fails on a Zeno sequence; it is of first
//! order. A sustained contact keeps its place: x − a moves by (h/2)(W_{n−1} − W_n) a step, a
//! telescoping sum. Sources: Moreau 1988; Jean 1999 (θ = ½); Bastien,
//! Bernardin, Lamarque 2013, §1.3.

use crate::error::Error;
use crate::grid::{kept_count, step_count};
use crate::interrupt::Interrupt;
use crate::model::{Impact, Wall};
use crate::motion::{
    Event, EventKind, Grid, ImpactArc, ImpactGrid, ImpactPath, Segment, State, Touching,
};
use crate::signal::{Cursor, Signal};
use std::sync::Arc;

/// Solves `impact` on [0, `end`] (s) with steps `step` (s); first order.
pub fn solve(impact: &Impact, end: f64, step: f64) -> Result<ImpactPath, Error> {
    let count = kept_count(end, step)?;
    let (mut states, mut impulses) = (Vec::with_capacity(count + 1), Vec::with_capacity(count + 1));
    let mut by = Vec::with_capacity(count + 1);
    run(impact, end, step, |_, state, impulse| {
        states.push(state);
        impulses.push(impulse[0] + impulse[1]);
        by.push(impulse);
    })?;
    Ok(phases(ImpactGrid { grid: Grid { step, states }, impulses }, &by, end))
}

/// The same, streaming (n, state at t_n, impulses of the lower and the upper wall in the step that
/// ends there, N·s), n = 0 … N, to `observe` and keeping nothing.
pub fn run(
    impact: &Impact,
    end: f64,
    step: f64,
    mut observe: impl FnMut(usize, State, [f64; 2]),
) -> Result<(), Error> {
    impact.check_until(end)?;
    let count = step_count(end, step)?;
    let Impact { mass: m, damping: c, stiffness: k, restitution: e, .. } = *impact;
    let h = step;
    let resistance = 0.5 * h * c + 0.25 * h * h * k;
    let inertia = m + resistance;
    let mut force = impact.force.cursor();
    let mut walls = Wall::ALL.map(|w| impact.wall(w).map(|s| Follower::new(w, s)));

    let mut u = State { x: impact.initial.displacement, v: impact.initial.velocity };
    observe(0, u, [0.0; 2]);
    let interrupt = Interrupt::current();
    for steps in interrupt.ranges(count) {
        for n in steps {
            let t = n as f64 * h;
            let middle = u.x + 0.5 * h * u.v;
            let free =
                ((m - resistance) * u.v + h * (force.value(t + 0.5 * h) - k * u.x)) / inertia;
            let mut v = free;
            let mut impulses = [0.0; 2];
            for (wall, impulse) in walls.iter_mut().zip(&mut impulses) {
                let Some(wall) = wall else { continue };
                let (at, speed) = wall.step(t, h);
                let sign = wall.sign;
                if sign * (middle - at) > 0.0 {
                    continue;
                }
                let least = speed - e * (u.v - speed);
                if sign * (v - least) < 0.0 {
                    *impulse = inertia * (least - v);
                    v = least;
                }
            }
            u = State { x: middle + 0.5 * h * v, v };
            if !(u.x.is_finite() && u.v.is_finite()) {
                return Err(Error::NotFinite { time: t + h, step: h });
            }
            observe(n + 1, u, impulses);
        }
    }
    interrupt.check(end)
}

/// A wall, read step by step.
struct Follower<'a> {
    sign: f64,
    cursor: Cursor<'a>,
    /// a at the start of the step.
    now: f64,
}

impl<'a> Follower<'a> {
    fn new(wall: Wall, signal: &'a Signal) -> Self {
        Self { sign: wall.sign(), cursor: signal.cursor(), now: signal.value(0.0) }
    }

    /// a at the middle of the step from `t`, and its mean velocity over the step.
    fn step(&mut self, t: f64, h: f64) -> (f64, f64) {
        let middle = self.cursor.value(t + 0.5 * h);
        let next = self.cursor.value(t + h);
        let speed = (next - self.now) / h;
        self.now = next;
        (middle, speed)
    }
}

/// Reads phases and events off a grid: an impulse after a step without is an impact; impulses in
/// three steps or more in a row are a contact.
fn phases(steps: ImpactGrid, by: &[[f64; 2]], end: f64) -> ImpactPath {
    let touched = |n: usize| match by[n] {
        [p, _] if p != 0.0 => Some(Wall::Lower),
        [_, p] if p != 0.0 => Some(Wall::Upper),
        _ => None,
    };
    let last = steps.grid.steps();
    let h = steps.grid.step;
    let steps = Arc::new(steps);
    let mut path = ImpactPath::default();
    let (mut start, mut phase) = (0.0, Touching::Flight);
    let change = |path: &mut ImpactPath, start: &mut f64, phase: &mut Touching, next, n: usize| {
        let t = (n as f64 * h).min(end);
        if t > *start {
            let arc = ImpactArc::Steps(steps.clone());
            path.push(Segment { phase: *phase, start: *start, end: t, arc });
        }
        (*start, *phase) = (t, next);
    };
    let mut n = 1;
    while n <= last {
        let Some(wall) = touched(n) else {
            n += 1;
            continue;
        };
        let run = (n..=last).take_while(|&i| touched(i) == Some(wall)).count();
        let event = |kind, i: usize| {
            let State { x, v } = steps.grid.states[i];
            let before = steps.grid.states[i.saturating_sub(1)].v;
            let impulse = steps.impulses[i];
            Event {
                duration: h,
                ..Event::impact(
                    kind,
                    (i as f64 * h).min(end),
                    wall.index(),
                    (x, [before, v]),
                    impulse,
                )
            }
        };
        if run < 3 {
            (n..n + run).for_each(|i| path.record(event(EventKind::Impact, i)));
        } else {
            path.record(event(EventKind::Impact, n));
            change(&mut path, &mut start, &mut phase, Touching::Contact(wall), n);
            path.record(Event { impulse: 0.0, ..event(EventKind::Rest, n) });
            if n + run <= last {
                change(&mut path, &mut start, &mut phase, Touching::Flight, n + run - 1);
                path.record(Event { impulse: 0.0, ..event(EventKind::Release, n + run - 1) });
            }
        }
        n += run;
    }
    if end > start {
        path.push(Segment { phase, start, end, arc: ImpactArc::Steps(steps) });
    }
    path
}

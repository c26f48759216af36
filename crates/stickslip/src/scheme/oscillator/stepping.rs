//! What the time-stepping schemes share for laws and supports beyond the plain ones: one step is
//! w⁺ = the law's answer to (p, λ), with w = v − v_s the velocity relative to the support.

use super::uniqueness;
use crate::error::Error;
use crate::grid::kept_count;
use crate::interrupt::Interrupt;
use crate::model::{Forces, Oscillator};
use crate::motion::{Event, EventKind, Grid, Phase, Segment, State, Stretch, Trajectory, Warning};
use crate::signal::Signal;
use std::sync::Arc;

/// How p and λ come from the forces.
pub(crate) trait Predictor {
    /// p (m/s, absolute velocity) and λ (s/kg) of the step from `u` at `t` to `t_next`.
    fn predict(&self, f: &mut Forces<'_>, u: State, t: f64, t_next: f64) -> (f64, f64);

    /// X⁺ from X, V and V⁺.
    fn displacement(&self, u: State, v_next: f64) -> f64;

    /// The step h, s, that gives λ.
    fn step_for(&self, lambda: f64) -> f64;
}

/// The path of a scheme that writes the state at every node, with what leaves doubts about it. The room is made before: a list
/// that might grow takes the state out of its registers at every step.
pub(crate) fn path(
    o: &Oscillator,
    end: f64,
    step: f64,
    advance: impl FnOnce(&mut [State]) -> Result<Option<Warning>, Error>,
) -> Result<Trajectory, Error> {
    o.check_until(end)?;
    let (count, interrupt) = (kept_count(end, step)? + 1, Interrupt::current());
    let mut states = Vec::with_capacity(count);
    // Piece by piece: to touch gigabytes takes a second, in which somebody may ask to stop.
    interrupt.ranges(count).for_each(|piece| states.resize(piece.end, State::default()));
    interrupt.check(0.0)?;
    let warning = advance(&mut states)?;
    let mut path = phases(Grid { step, states }, end, &o.support);
    warning.into_iter().for_each(|w| path.warn(w));
    uniqueness::examine_all(o, &mut path);
    uniqueness::examine_rests(o, &mut path, uniqueness::of_steps(o, step));
    uniqueness::examine_grazes(o, &mut path, uniqueness::graze_of_steps(o, step));
    uniqueness::examine_touches(o, &mut path, step);
    Ok(path)
}

/// Marches `count` steps `h`, streaming to `observe`; the last state, and what to warn of.
pub(crate) fn march(
    o: &Oscillator,
    predictor: &impl Predictor,
    count: usize,
    h: f64,
    mut observe: impl FnMut(usize, State),
) -> (State, Option<Warning>) {
    let law = &o.friction;
    let mut forces = Forces::new(o);
    let mut u = State { x: o.initial.displacement, v: o.initial.velocity };
    let mut w = u.v - forces.support(0.0);
    let mut rests_since = 0.0; // meaningful while w = 0
    let (mut several, mut first, mut pressing) = (0, 0.0, 0.0f64);
    observe(0, u);
    for steps in Interrupt::current().ranges(count) {
        for n in steps {
            let (t, t_next) = (n as f64 * h, (n + 1) as f64 * h);
            let (p, lambda) = predictor.predict(&mut forces, u, t, t_next);
            let support = forces.support(t_next);
            let lambda = lambda * forces.normal(u.x, t_next);
            // b(t⁺, w) of Schatzman, Lamarque, Bastien 1999, (7): the age counts if the mass rested all through the step.
            let age = if w == 0.0 { t_next - rests_since } else { 0.0 };
            let step = law.step(p - support, lambda, age, w);
            if step.several {
                if several == 0 {
                    first = t_next;
                }
                several += 1;
                pressing = pressing.max(o.nonlinear.pressing(u.x));
            }
            if step.w == 0.0 && w != 0.0 {
                rests_since = t_next;
            }
            w = step.w;
            let v = w + support;
            u = State { x: predictor.displacement(u, v), v };
            observe(n + 1, u);
        }
    }
    let warning = (several > 0).then(|| {
        let normal = o.normal.as_ref().map_or(1.0, |n| n.largest(count as f64 * h));
        let below = predictor.step_for(1.0 / (law.weakening() * normal * pressing));
        Warning::SeveralSolutions { count: several, first, below }
    });
    (u, warning)
}

/// Errors of a finished march, one that was stopped included.
pub(crate) fn check_finite(last: State, end: f64, step: f64) -> Result<(), Error> {
    Interrupt::current().check(end)?;
    if last.x.is_finite() && last.v.is_finite() {
        Ok(())
    } else {
        Err(Error::NotFinite { time: end, step })
    }
}

/// Nodes that are looked at together.
const TOGETHER: usize = 16;

/// Reads the phases off a grid: stick where two neighbouring relative velocities are zero. A slip
/// begins at the last node at rest, a stick at the first one.
pub(crate) fn phases(grid: Grid, end: f64, support: &Signal) -> Trajectory {
    let h = grid.step;
    let grid = Arc::new(grid);
    let mut path = Trajectory::default();
    let moves = !support.is_zero();
    let mut cursor = support.cursor();
    let mut relative = |n: usize| {
        let v = grid.states[n].v;
        if moves { v - cursor.value(n as f64 * h) } else { v }
    };
    let phase_of = |a: f64, b: f64| {
        if a == 0.0 && b == 0.0 { Phase::Stick } else { Phase::slip(if b != 0.0 { b } else { a }) }
    };
    let (mut a, mut b) = (relative(0), relative(1));
    let (mut start, mut phase) = (0.0, phase_of(a, b));
    let mut n = 1;
    while n + 1 < grid.states.len() {
        // Many nodes at a time, where none leaves the phase.
        if !moves && n.is_multiple_of(TOGETHER) && n + TOGETHER < grid.states.len() {
            let (up, down) = (phase.sign() > 0.0, phase.sign() < 0.0);
            let goes_on = |u: &State| ((u.v > 0.0) == up) & ((u.v < 0.0) == down);
            if grid.states[n..=n + TOGETHER].iter().fold(true, |all, u| all & goes_on(u)) {
                n += TOGETHER;
                b = grid.states[n].v;
                continue;
            }
        }
        (a, b) = (b, relative(n + 1));
        let (t, next, state) = (n as f64 * h, phase_of(a, b), grid.states[n]);
        n += 1;
        if next == phase || t >= end {
            continue;
        }
        path.push(Segment { phase, start, end: t, arc: Stretch::Steps(grid.clone()) });
        if let Some(kind) = EventKind::between(phase, next) {
            path.record(Event::new(kind, t, 0, state));
        }
        (start, phase) = (t, next);
    }
    path.push(Segment { phase, start, end, arc: Stretch::Steps(grid) });
    path
}

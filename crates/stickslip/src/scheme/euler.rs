//! The Euler scheme of the extended variational inequality (seed 000 §3.1, §3.2).

use crate::error::{Error, require};
use crate::law::{Contact, Law};
use crate::model::Oscillator;
use crate::signal::Cursor;
use crate::trajectory::{Arc, Event, EventKind, Grid, Phase, Segment, State, Trajectory};
use std::sync::Arc as Shared;

/// Number of steps of length `step` that cover [0, `end`].
pub fn step_count(end: f64, step: f64) -> Result<usize, Error> {
    require("the step", step, step > 0.0, "a finite step > 0 s")?;
    require("the end of the run", end, end > 0.0, "a finite time > 0 s")?;
    let n = end / step;
    require(
        "the number of steps, end/step,",
        n,
        n < 1e15,
        "at most 1e15 steps: a larger step or an earlier end",
    )?;
    // A quotient that is whole but for rounding is meant to be whole.
    Ok(if (n - n.round()).abs() <= 1e-9 * n { n.round() as usize } else { n.ceil() as usize }
        .max(1))
}

/// Solves `oscillator` on [0, `end`] (s) with steps `step` (s); first order. The last step may
/// reach beyond `end` when `end` is not a multiple of `step`; the path then ends at `end`.
pub fn solve(oscillator: &Oscillator, end: f64, step: f64) -> Result<Trajectory, Error> {
    let count = step_count(end, step)?;
    let mut states = Vec::with_capacity(count + 1);
    run(oscillator, end, step, |_, state| states.push(state))?;
    Ok(phases(Grid { step, states }, end))
}

/// The same, streaming (n, X_n, V_n), n = 0 … N, to `observe` and keeping nothing.
pub fn run(
    oscillator: &Oscillator,
    end: f64,
    step: f64,
    observe: impl FnMut(usize, State),
) -> Result<(), Error> {
    oscillator.check_until(end)?;
    let count = step_count(end, step)?;
    let last = match (oscillator.friction, oscillator.damping == 0.0) {
        (Law::Coulomb(law), true) => march::<_, false>(oscillator, law, count, step, observe),
        (Law::Coulomb(law), false) => march::<_, true>(oscillator, law, count, step, observe),
        (Law::StaticDynamic(law), true) => march::<_, false>(oscillator, law, count, step, observe),
        (Law::StaticDynamic(law), false) => march::<_, true>(oscillator, law, count, step, observe),
    };
    if last.x.is_finite() && last.v.is_finite() {
        Ok(())
    } else {
        Err(Error::NotFinite { time: end, step })
    }
}

/// X⁺ = X + h V;  p = V + (h/m) b(X, V, t);  V⁺ = the law's answer to p.
/// `DAMPED` only spares the undamped case two operations on the critical path.
fn march<C: Contact, const DAMPED: bool>(
    o: &Oscillator,
    law: C,
    count: usize,
    h: f64,
    mut observe: impl FnMut(usize, State),
) -> State {
    let (k, c, h_over_m) = (o.stiffness, o.damping, h / o.mass);
    let mut drive = o.drive.cursor();
    let mut force: Cursor<'_> = o.force.cursor();
    let mut u = State { x: o.initial.displacement, v: o.initial.velocity };
    observe(0, u);
    for n in 0..count {
        let t = n as f64 * h;
        let spring = k * (drive.value(t) - u.x);
        let b = if DAMPED { spring - c * u.v } else { spring } + force.value(t);
        let p = u.v + h_over_m * b;
        u = State { x: u.x + h * u.v, v: law.advance(p, h_over_m) };
        observe(n + 1, u);
    }
    u
}

/// Reads the phases off a grid: stick where two neighbouring velocities are zero. A slip begins at
/// the last node at rest, a stick at the first one.
pub(crate) fn phases(grid: Grid, end: f64) -> Trajectory {
    let h = grid.step;
    let grid = Shared::new(grid);
    let mut path = Trajectory::default();
    let phase_of = |n: usize| {
        let (a, b) = (grid.states[n].v, grid.states[n + 1].v);
        if a == 0.0 && b == 0.0 { Phase::Stick } else { Phase::slip(if b != 0.0 { b } else { a }) }
    };
    let (mut start, mut phase) = (0.0, phase_of(0));
    for n in 1..grid.states.len() - 1 {
        let (t, next, state) = (n as f64 * h, phase_of(n), grid.states[n]);
        if next == phase || t >= end {
            continue;
        }
        path.push(Segment { phase, start, end: t, arc: Arc::Steps(grid.clone()) });
        let kind = match (phase, next) {
            (Phase::Stick, _) => EventKind::Slip,
            (_, Phase::Stick) => EventKind::Stick,
            _ => EventKind::Reversal,
        };
        path.record(Event { kind, time: t, x: state.x, v: state.v });
        (start, phase) = (t, next);
    }
    path.push(Segment { phase, start, end, arc: Arc::Steps(grid) });
    path
}

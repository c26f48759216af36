//! The Euler scheme of the extended variational inequality (seed 000 §3.1, §3.2).

use crate::error::{Error, require};
use crate::law::{Contact, Law};
use crate::model::{Forces, Oscillator};
use crate::scheme::stepping::{self, Predictor};
use crate::scheme::uniqueness;
use crate::signal::{Cursor, Signal};
use crate::trajectory::{Grid, State, Trajectory, Warning};

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
///
/// Serves every law, moving supports and normal forces: friction is implicit in the relative
/// velocity, everything else explicit. With velocity weakening the step's equation has one solution
/// for h < m/sup(−A′); beyond, the path carries a [`Warning::SeveralSolutions`] with that step.
pub fn solve(oscillator: &Oscillator, end: f64, step: f64) -> Result<Trajectory, Error> {
    let count = step_count(end, step)?;
    let mut states = Vec::with_capacity(count + 1);
    let warning = advance(oscillator, end, step, |_, state| states.push(state))?;
    let mut path = stepping::phases(Grid { step, states }, end, &oscillator.support);
    warning.into_iter().for_each(|w| path.warn(w));
    uniqueness::examine_all(oscillator, &mut path);
    Ok(path)
}

/// The same, streaming (n, X_n, V_n), n = 0 … N, to `observe` and keeping nothing.
pub fn run(
    oscillator: &Oscillator,
    end: f64,
    step: f64,
    observe: impl FnMut(usize, State),
) -> Result<(), Error> {
    advance(oscillator, end, step, observe).map(|_| ())
}

fn advance(
    oscillator: &Oscillator,
    end: f64,
    step: f64,
    observe: impl FnMut(usize, State),
) -> Result<Option<Warning>, Error> {
    oscillator.check_until(end)?;
    let count = step_count(end, step)?;
    let o = oscillator;
    let plain = o.is_plain();
    let (last, warning) = match (&o.friction, o.damping == 0.0) {
        (Law::Coulomb(l), true) if plain => (march::<_, false>(o, *l, count, step, observe), None),
        (Law::Coulomb(l), false) if plain => (march::<_, true>(o, *l, count, step, observe), None),
        (Law::StaticDynamic(l), true) if plain => {
            (march::<_, false>(o, *l, count, step, observe), None)
        }
        (Law::StaticDynamic(l), false) if plain => {
            (march::<_, true>(o, *l, count, step, observe), None)
        }
        _ => stepping::march(o, &Explicit { m: o.mass, h: step }, count, step, observe),
    };
    stepping::check_finite(last, end, step)?;
    Ok(warning)
}

/// p = V + (h/m) b(X, V, t), λ = h/m; X⁺ = X + h V.
struct Explicit {
    m: f64,
    h: f64,
}

impl Predictor for Explicit {
    fn predict(&self, f: &mut Forces<'_>, u: State, t: f64, _: f64) -> (f64, f64) {
        let h_over_m = self.h / self.m;
        (u.v + h_over_m * f.load(u.x, u.v, t), h_over_m)
    }

    fn displacement(&self, u: State, _: f64) -> f64 {
        u.x + self.h * u.v
    }

    fn step_for(&self, lambda: f64) -> f64 {
        lambda * self.m
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

/// The phases of a grid on the ground.
#[allow(dead_code, reason = "for schemes that make their own grids")]
pub(crate) fn phases(grid: Grid, end: f64) -> Trajectory {
    stepping::phases(grid, end, &Signal::default())
}

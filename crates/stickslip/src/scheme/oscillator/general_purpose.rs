//! Two general-purpose adaptive solvers on the equation with the usual sign (Bastien, Bernardin, Lamarque 2013, §1.2.2,
//! Figs. 1.6, 1.7): the Runge–Kutta pairs 3(2) of Bogacki and Shampine and 5(4) of Dormand and Prince, with the step control
//! of MATLAB's ode23 and ode45, which made those figures (Shampine, Reichelt 1997). They step across events they do not
//! know of, and oscillate about rest.

use crate::error::{Error, Obstacle, require};
use crate::interrupt::Interrupt;
use crate::model::Oscillator;
use crate::motion::{Dense, Event, EventKind, Segment, State, Stretch, Trajectory};
use crate::portable;
use crate::scheme::oscillator::predictor_step::phase_between;
use crate::scheme::oscillator::sign::usual_friction;
use std::sync::Arc;

/// Which solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Solver {
    /// Bogacki–Shampine 3(2), MATLAB's ode23.
    Rk23,
    /// Dormand–Prince 5(4), MATLAB's ode45.
    Rk45,
}

impl Solver {
    /// The name of its scheme in files: `sign-rk23` or `sign-rk45`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rk23 => "sign-rk23",
            Self::Rk45 => "sign-rk45",
        }
    }

    fn pair(self) -> &'static Pair {
        match self {
            Self::Rk23 => &PAIR_32,
            Self::Rk45 => &PAIR_54,
        }
    }
}

/// Steps after which a run is given up. Near rest the steps shrink to the absolute tolerance over
/// the friction's jump, so tight tolerances mean millions of them.
const MOST_STEPS: usize = 2_000_000;

/// An explicit Runge–Kutta pair whose last stage is the first of the next step.
struct Pair {
    /// Instant of each stage after the first, in steps.
    c: &'static [f64],
    /// Weights of the earlier stages in each stage; the last row is the step itself.
    a: &'static [&'static [f64]],
    /// The difference of the two orders' weights.
    e: &'static [f64],
    /// One over the order of the error of a step.
    power: f64,
    /// The least factor by which the first refused try of a step shortens the next.
    least: f64,
}

/// Bogacki, Shampine 1989.
const PAIR_32: Pair = Pair {
    c: &[0.5, 0.75, 1.0],
    a: &[&[0.5], &[0.0, 0.75], &[2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0]],
    e: &[-5.0 / 72.0, 1.0 / 12.0, 1.0 / 9.0, -1.0 / 8.0],
    power: 1.0 / 3.0,
    least: 0.5,
};

/// Dormand, Prince 1980.
const PAIR_54: Pair = Pair {
    c: &[0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    a: &[
        &[0.2],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
        &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    ],
    e: &[
        71.0 / 57600.0,
        0.0,
        -71.0 / 16695.0,
        71.0 / 1920.0,
        -17253.0 / 339200.0,
        22.0 / 525.0,
        -1.0 / 40.0,
    ],
    power: 0.2,
    least: 0.1,
};

/// ẋ and v̇ with the usual sign.
fn slope(o: &Oscillator, t: f64, u: State) -> State {
    // A jump of the right-hand side that the solver is told nothing of: that is what this scheme shows.
    let friction = usual_friction(o, u.v - o.support.value(t), o.normal_force(u.x, t));
    State { x: u.v, v: (o.load(u.x, u.v, t) - friction) / o.mass }
}

/// `u` after a time `h` along the weighted `slopes`.
fn along(u: State, h: f64, weights: &[f64], slopes: &[State]) -> State {
    let sum =
        |of: fn(&State) -> f64| -> f64 { weights.iter().zip(slopes).map(|(w, s)| w * of(s)).sum() };
    State { x: u.x + h * sum(|s| s.x), v: u.v + h * sum(|s| s.v) }
}

/// The largest of the two components of `d` in units of the larger of |a|, |b| and the threshold.
fn relative(d: State, a: State, b: State, threshold: f64) -> f64 {
    let one = |d: f64, a: f64, b: f64| d.abs() / a.abs().max(b.abs()).max(threshold);
    one(d.x, a.x, b.x).max(one(d.v, a.v, b.v))
}

/// Solves with the solver's own steps. `rtol` and `atol` (m and m/s) mean what they mean to MATLAB, whose defaults are 1e-3
/// and 1e-6. The path is linear between the steps; its events are where the velocity of the steps changes its sign.
///
/// # Errors
/// [`Error::Unsuitable`] where the steps become too short or too many, and for rigid stops; the model's own errors.
///
/// ```
/// use stickslip::{Law, Oscillator, scheme::oscillator::general_purpose::{self, Solver}};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Each half swing against 1 N loses 2 m: 5.5, −3.5, 1.5, and at 0.5 m friction holds.
/// let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?).starting_at(5.5, 0.0);
/// let path = general_purpose::solve(&o, 4.0, Solver::Rk45, 1e-6, 1e-9)?;
/// // on the way back from −3.5 m, reached after π s, it swings about −1 m
/// let back = 2.5 * (4.0 - std::f64::consts::PI).cos();
/// assert!((path.state(4.0).x + 1.0 + back).abs() < 1e-2);
/// # Ok(()) }
/// ```
pub fn solve(
    o: &Oscillator,
    end: f64,
    solver: Solver,
    rtol: f64,
    atol: f64,
) -> Result<Trajectory, Error> {
    o.check_until(end)?;
    o.refuse_rigid_stops(solver.name())?;
    require("the relative tolerance", rtol, rtol > 0.0, "a positive number")?;
    require("the absolute tolerance", atol, atol > 0.0, "a positive number")?;
    let points = march(o, end, solver, rtol, atol)?;
    Ok(path(o, &points, end))
}

/// The steps from 0 to `end` (s), controlled as in Shampine, Reichelt, SIAM J. Sci. Comput. 18 (1997) 1.
fn march(
    o: &Oscillator,
    end: f64,
    solver: Solver,
    rtol: f64,
    atol: f64,
) -> Result<Vec<(f64, State)>, Error> {
    let pair = solver.pair();
    // Components below it are held to atol, all others to rtol: so all errors are compared with rtol alone.
    let threshold = atol / rtol;
    let mut u = State::from(o.initial);
    let mut slopes = vec![State::default(); pair.e.len()];
    slopes[0] = slope(o, 0.0, u);
    // The first step of those solvers changes the state by 0.8 rtol^power of its size, if the slope stays what it is.
    let rate = relative(slopes[0], u, u, threshold) / (0.8 * portable::pow(rtol, pair.power));
    let longest = 0.1 * end;
    let mut h = if longest * rate > 1.0 { 1.0 / rate } else { longest };
    let mut t = 0.0;
    let mut points = vec![(0.0, u)];
    let mut failed = false;
    let interrupt = Interrupt::current();
    while t < end {
        interrupt.check(t)?;
        // Below that t + h has too few digits of h.
        let shortest = 16.0 * f64::EPSILON * t;
        h = h.clamp(shortest, longest.max(shortest));
        // A last step may be a tenth longer, so that no tiny one is left to do.
        let last = 1.1 * h >= end - t;
        if last {
            h = end - t;
        }
        let mut next = u;
        for (stage, (&c, weights)) in pair.c.iter().zip(pair.a).enumerate() {
            next = along(u, h, weights, &slopes[..=stage]);
            // The last row is the step itself: its slope belongs to the estimator and begins the next step.
            slopes[stage + 1] = slope(o, t + c * h, next);
        }
        let defect = along(State::default(), h, pair.e, &slopes);
        let error = relative(defect, u, next, threshold);
        if error > rtol || error.is_nan() {
            if h <= shortest || points.len() > MOST_STEPS {
                return Err(given_up(solver, t, points.len() - 1));
            }
            // The first refusal trusts the order of the method; a second one shows that the order does not hold here,
            // and halves.
            let factor = (0.8 * portable::pow(rtol / error, pair.power)).max(pair.least);
            h *= if failed || error.is_nan() { 0.5 } else { factor };
            failed = true;
            continue;
        }
        if points.len() > MOST_STEPS {
            return Err(given_up(solver, t, points.len() - 1));
        }
        t = if last { end } else { t + h };
        u = next;
        points.push((t, u));
        slopes[0] = slopes[pair.e.len() - 1];
        // After a refusal the step does not grow, and it never grows more than fivefold.
        if !failed {
            h /= (1.25 * portable::pow(error / rtol, pair.power)).max(0.2);
        }
        failed = false;
    }
    Ok(points)
}

fn given_up(solver: Solver, t: f64, steps: usize) -> Error {
    let reason = Obstacle::GaveUp { time: t, steps };
    Error::Unsuitable { scheme: solver.name(), reason }
}

/// The steps as a path, in phases of one sign of the relative velocity.
fn path(o: &Oscillator, points: &[(f64, State)], end: f64) -> Trajectory {
    let mut path = Trajectory::default();
    let w = |p: &(f64, State)| p.1.v - o.support.value(p.0);
    // These solvers know no rest, so a phase is read off the signs at both ends of a step.
    let phase_of = |i: usize| phase_between(w(&points[i]), w(&points[i + 1]));
    let segment = |phase, from: usize, to: usize, end: f64| {
        let arc = Stretch::Dense(Arc::new(Dense::linear(&points[from..=to])));
        Segment { phase, start: points[from].0, end, arc }
    };
    let mut first = 0;
    let mut phase = phase_of(0);
    for (i, &(t, State { x, v })) in points.iter().enumerate().take(points.len() - 1).skip(1) {
        let next = phase_of(i);
        if next == phase || t >= end {
            continue;
        }
        path.push(segment(phase, first, i, t));
        if let Some(kind) = EventKind::between(phase, next) {
            path.record(Event::new(kind, t, 0, State { x, v }));
        }
        first = i;
        phase = next;
    }
    path.push(segment(phase, first, points.len() - 1, end));
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::signal::Signal;

    /// u̇ + sign u = t, u(0) = 0, as an oscillator without a spring: u is its velocity.
    fn ramp() -> Oscillator {
        Oscillator::new(1.0, 0.0, Law::coulomb(1.0).unwrap()).with_force(Signal::ramp(1.0, 0.0))
    }

    /// Every step belongs to one segment, so that what looks at all of them looks once.
    #[test]
    fn each_step_lies_in_one_segment() {
        let o = ramp();
        let steps = march(&o, 2.0, Solver::Rk23, 1e-3, 1e-6).unwrap().len() - 1;
        let path = solve(&o, 2.0, Solver::Rk23, 1e-3, 1e-6).unwrap();
        assert!(path.segments().len() > 10);
        assert_eq!(path.segments().iter().map(|s| s.arc.steps()).sum::<usize>(), steps);
    }

    /// Figs. 1.6, 1.7: both oscillate on [0, 1], the more precise run less; beyond 1 all is well.
    #[test]
    fn both_oscillate_as_in_the_book() {
        let o = ramp();
        let amplitude = |solver, rtol, atol| {
            let path = solve(&o, 2.0, solver, rtol, atol).unwrap();
            let inside = path.sample(2001).filter(|(t, ..)| *t <= 1.0);
            let amplitude = inside.map(|(_, s, _)| s.v.abs()).fold(0.0, f64::max);
            let changes = path.events().iter().filter(|e| e.time < 1.0).count();
            let late = path.sample(2001).filter(|(t, ..)| *t > 1.1);
            // (1.31) of the book: u = (t − 1)²/2 from t = 1 on.
            let want = |t: f64| 0.5 * (t - 1.0) * (t - 1.0);
            let error = late.map(|(t, s, _)| (s.v - want(t)).abs()).fold(0.0, f64::max);
            println!(
                "{solver:?} {rtol:e}: amplitude {amplitude:.1e}, {changes} sign changes, error after {error:.1e}"
            );
            (amplitude, changes, error)
        };
        for solver in [Solver::Rk23, Solver::Rk45] {
            let (rough, changes, error) = amplitude(solver, 1e-2, 1e-5);
            assert!(rough > 1e-9 && changes > 10 && error < 0.2);
            let (fine, changes, _) = amplitude(solver, 1e-3, 1e-6);
            assert!(fine > 0.0 && fine < rough && changes > 10);
        }
    }
}

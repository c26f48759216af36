//! Two general-purpose adaptive solvers on the equation with the usual sign (Bastien, Bernardin, Lamarque 2013, §1.2.2,
//! Figs. 1.6, 1.7): Runge–Kutta 3(2) and 5(4), from the library `ivp`. They step across events they
//! do not know of, and oscillate about rest.

use crate::error::Error;
use crate::model::Oscillator;
use crate::motion::{Dense, Event, EventKind, Phase, Segment, State, Stretch, Trajectory};
use crate::scheme::oscillator::sign::usual_friction;
use ivp::prelude::{FirstOrderSystem, Ivp, Method};
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
}

/// Steps after which a run is given up. Near rest the steps shrink to the absolute tolerance over
/// the friction's jump, so tight tolerances mean millions of them.
const MOST_STEPS: usize = 2_000_000;

struct Equation<'a>(&'a Oscillator);

impl FirstOrderSystem for Equation<'_> {
    fn derivative(&self, t: f64, u: &[f64], du: &mut [f64]) {
        let (o, x, v) = (self.0, u[0], u[1]);
        let w = v - o.support.value(t);
        du[0] = v;
        du[1] = (o.load(x, v, t) - usual_friction(o, w, o.normal_force(t))) / o.mass;
    }
}

/// Solves with the solver's own steps; `rtol`, `atol` as MATLAB means them (1e-3, 1e-6 there). The
/// path is linear between the steps; its events are where the velocity of the steps changes sign.
///
/// # Errors
/// If a number is outside its range, a signal too short, or the solver gives up.
pub fn solve(
    o: &Oscillator,
    end: f64,
    solver: Solver,
    rtol: f64,
    atol: f64,
) -> Result<Trajectory, Error> {
    o.check_until(end)?;
    o.refuse_rigid_stops("sign-rk23, sign-rk45")?;
    let name = solver.name();
    let method = match solver {
        Solver::Rk23 => Method::RK23,
        Solver::Rk45 => Method::DOPRI5,
    };
    let failed = |reason: String| Error::Unsuitable { scheme: name, reason };
    let start = [o.initial.displacement, o.initial.velocity];
    let solution = Ivp::first_order(&Equation(o), 0.0, end, &start)
        .method(method)
        .rtol(rtol)
        .atol(atol)
        .max_steps(MOST_STEPS)
        .solve()
        .map_err(|e| failed(format!("the solver refused the problem: {e}")))?;
    let points: Vec<(f64, State)> =
        solution.iter().map(|(t, u)| (t, State { x: u[0], v: u[1] })).collect();
    match points.last() {
        Some(last) if last.0 >= end * (1.0 - 1e-12) && points.len() > 1 => {
            Ok(path(o, &points, end))
        }
        last => {
            let t = last.map_or(0.0, |l| l.0);
            let status = &solution.status;
            Err(failed(format!(
                "the library's solver gave up at t = {t} s after {} steps ({status:?}), as such solvers may at the jump of the \
                 usual sign; loosen rtol and atol to see it oscillate, or use adaptive, which knows the events",
                points.len().saturating_sub(1)
            )))
        }
    }
}

/// The steps as a path, in phases of one sign of the relative velocity.
fn path(o: &Oscillator, points: &[(f64, State)], end: f64) -> Trajectory {
    let dense = Arc::new(Dense::linear(points));
    let mut path = Trajectory::default();
    let w = |p: &(f64, State)| p.1.v - o.support.value(p.0);
    let phase_of = |i: usize| {
        let (a, b) = (w(&points[i]), w(&points[i + 1]));
        if a == 0.0 && b == 0.0 { Phase::Stick } else { Phase::slip(if b != 0.0 { b } else { a }) }
    };
    let (mut start, mut phase) = (0.0, phase_of(0));
    for (i, &(t, State { x, v })) in points.iter().enumerate().take(points.len() - 1).skip(1) {
        let next = phase_of(i);
        if next == phase || t >= end {
            continue;
        }
        path.push(Segment { phase, start, end: t, arc: Stretch::Dense(dense.clone()) });
        let kind = match (phase, next) {
            (Phase::Stick, _) => EventKind::Slip,
            (_, Phase::Stick) => EventKind::Stick,
            _ => EventKind::Reversal,
        };
        path.record(Event::new(kind, t, 0, State { x, v }));
        (start, phase) = (t, next);
    }
    path.push(Segment { phase, start, end, arc: Stretch::Dense(dense) });
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::sign;

    /// Figs. 1.6, 1.7: both oscillate on [0, 1], the more precise run less; beyond 1 all is well.
    #[test]
    fn both_oscillate_as_in_the_book() {
        let o = sign::problem().unwrap();
        let amplitude = |solver, rtol, atol| {
            let path = solve(&o, 2.0, solver, rtol, atol).unwrap();
            let inside = path.sample(2001).filter(|(t, ..)| *t <= 1.0);
            let amplitude = inside.map(|(_, s, _)| s.v.abs()).fold(0.0, f64::max);
            let changes = path.events().iter().filter(|e| e.time < 1.0).count();
            let late = path.sample(2001).filter(|(t, ..)| *t > 1.1);
            let error =
                late.map(|(t, s, _)| (s.v - sign::exact_velocity(t)).abs()).fold(0.0, f64::max);
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

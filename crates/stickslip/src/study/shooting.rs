//! Periodic motions by shooting: of a mass on a plane and of a contact with memory, under loads that repeat.
//!
//! The state after a period of the loads is a function P of the state before. The model's own motion is followed until it
//! all but repeats, and Newton's method on P(u) − u = 0 does the rest. The derivative of P is made of differences of
//! motions, so that its eigenvalues, the multipliers of the orbit, are known to some 1e-5. Between two rests P is smooth;
//! where a mass comes to rest on the way, its velocity is forgotten and P has a smaller rank, which Newton's method allows.
//!
//! ```
//! use stickslip::law::memory::Dahl;
//! use stickslip::model::Hysteretic;
//! use stickslip::study::orbit::{Search, TIGHT};
//! use stickslip::study::shooting::repeating;
//! use stickslip::Signal;
//! # fn main() -> Result<(), stickslip::Error> {
//! // A way ±A: the loop of Dahl's law ends at F_c tanh(σ A/F_c), and forgets its start by e^(−4 σ A/F_c).
//! let (force, stiffness, way) = (1.0, 150.0, 0.004);
//! let led = Hysteretic::led(Dahl::new(force, stiffness, 1.0)?, Signal::harmonic(way, 3.0, 0.0));
//! let orbit = repeating(&led.into(), TIGHT, &Search::default())?;
//! assert!((orbit.multipliers[0].re - (-4.0 * stiffness * way / force).exp()).abs() < 1e-5);
//! # Ok(()) }
//! ```

mod response;

pub use response::responding;

use super::orbit::{Driven, Multiplier, Search, driven};
use super::parallel::map;
use crate::error::Error;
use crate::model::hysteretic::{Carrier, Hysteretic};
use crate::model::{Model, Problem};
use crate::numeric::{Matrix, golden, modulus};
use crate::scheme::oscillator::adaptive::Options;
use crate::solution::{Role, Scheme, Solution, solve};

/// A periodic motion.
#[derive(Debug)]
#[non_exhaustive]
pub struct Repeating {
    /// Its period, s.
    pub period: f64,
    /// Periods of the load in it.
    pub periods: usize,
    /// Names of the numbers of the state.
    pub names: Vec<String>,
    /// The state at its start.
    pub state: Vec<f64>,
    /// The model, starting there.
    pub model: Model,
    /// Its multipliers, the largest first.
    pub multipliers: Vec<Multiplier>,
    /// Whether motions near it come to it, or, where it is one of a continuum, to one next to it.
    pub stable: bool,
    /// Whether it is one of a continuum of motions that repeat: a multiplier is 1.
    pub family: bool,
    /// How far the end of a period is from its start, relative to typical sizes.
    pub residual: f64,
    /// One period.
    pub solution: Solution,
}

/// States nearer to each other, relative to typical sizes, are the same: Newton's method ends.
const SAME: f64 = 1e-10;
/// A motion that repeats this well is at its orbit, which Newton's method then finds to rounding.
const SETTLED: f64 = 1e-6;
/// Newton's method is tried after so many periods and their multiples.
const PATIENCE: usize = 20;
/// An orbit this near, relative to typical sizes, is taken to be the one that a motion comes to.
const NEAR: f64 = 0.05;
/// Newton's steps before a start is given up.
const STEPS: usize = 12;
/// Differences of states, relative to typical sizes, of which the derivative is made.
const DIFFERENCE: f64 = 1e-6;
/// How near to 1 a multiplier is that counts as 1: what differences resolve.
const NEUTRAL: f64 = 2e-5;
/// Relative singular values that count as zero.
const SINGULAR: f64 = 1e-7;
/// The most periods that are tried for a motion that does not repeat as asked.
const LONGEST: usize = 12;
/// How well it must repeat after them.
const REPEATS: f64 = 1e-4;
/// Instants of a period at which sizes and extremes are looked for.
const LOOKS: usize = 512;

/// The motion of `model` that repeats and to which its initial state leads: of a mass on a plane, or of a contact with memory.
/// Each passage is solved by adaptive steps with `options`; [`TIGHT`](super::orbit::TIGHT) ones are right.
///
/// # Errors
/// [`Error::NoOrbit`] if nothing that repeats acts on the model, or its motion does not come to repeat within the periods of
/// the search; and what the solver meets.
pub fn repeating(model: &Model, options: Options, wanted: &Search) -> Result<Repeating, Error> {
    let Driven::Every(period) = driven(model)? else {
        return no_orbit(
            "no load that repeats acts on the model, and the cycles that a motion of this kind makes by itself are not found",
        );
    };
    let mut shooting = Shooting::new(model, period * wanted.periods as f64, options)?;
    let mut states = vec![shooting.start()];
    for k in 1..=wanted.transient {
        let before = &states[states.len() - 1];
        let (u, solution) = shooting.after(before)?;
        shooting.learn(&solution);
        let off = shooting.size(&u, before);
        let tried = off <= SETTLED || k.is_multiple_of(PATIENCE);
        let found = if tried { shooting.newton(&u)? } else { None };
        if let Some(fixed) = found
            && (off <= SETTLED || shooting.size(&fixed.state, &u) <= NEAR)
        {
            let orbit = shooting.repeating(fixed, wanted.periods)?;
            // A motion does not come to an orbit that pushes it away, however near it passes.
            if orbit.stable || off <= SAME {
                return Ok(orbit);
            }
        }
        states.push(u);
        if states.len() > 1 + LONGEST {
            states.remove(0);
        }
    }
    no_orbit(shooting.nothing(&states, wanted))
}

fn no_orbit<T>(reason: impl Into<String>) -> Result<T, Error> {
    Err(Error::NoOrbit { reason: reason.into() })
}

/// The least and the greatest value of a column of `solution`, between its instants by golden sections.
#[doc(hidden)]
pub fn extremes(solution: &Solution, column: usize) -> [f64; 2] {
    let high = peak(solution, |row| row[column]).1;
    let low = -peak(solution, |row| -row[column]).1;
    [low, high]
}

/// When `of` a row is greatest, s, and how great it is: looked for at the nodes and at equal distances, then by golden sections.
#[doc(hidden)]
pub fn peak(solution: &Solution, of: impl Fn(&[f64]) -> f64) -> (f64, f64) {
    let mut row = vec![0.0; solution.columns().len()];
    let mut rows = solution.rows();
    peak_of(solution, |t| {
        rows.at(t, &mut row);
        of(&row)
    })
}

/// The same of a function of the time, s.
pub(super) fn peak_of(solution: &Solution, mut of: impl FnMut(f64) -> f64) -> (f64, f64) {
    let mut times: Vec<f64> = solution.equally_spaced(LOOKS).chain(solution.nodes()).collect();
    times.sort_by(f64::total_cmp);
    let values: Vec<f64> = times.iter().map(|&t| of(t)).collect();
    let Some(best) = (0..values.len()).max_by(|&i, &j| values[i].total_cmp(&values[j])) else {
        return (0.0, f64::NAN);
    };
    let low = times[best.saturating_sub(1)];
    let high = times[(best + 1).min(times.len() - 1)];
    let (at, least) = golden(low, high, 40, |t| -of(t));
    if -least > values[best] { (at, -least) } else { (times[best], values[best]) }
}

/// The state after a period as a function of the state before.
struct Shooting<'a> {
    model: &'a Model,
    /// The period, s.
    time: f64,
    scheme: Scheme,
    /// The columns of a solution that are numbers of the state, and their names.
    columns: Vec<usize>,
    names: Vec<String>,
    /// What each of them is: displacements in a plane are of one size, and velocities.
    roles: Vec<Role>,
    /// Typical sizes.
    scale: Vec<f64>,
}

/// A state that comes back.
struct Fixed {
    state: Vec<f64>,
    jacobian: Matrix,
    residual: f64,
    solution: Solution,
}

impl<'a> Shooting<'a> {
    fn new(model: &'a Model, time: f64, options: Options) -> Result<Self, Error> {
        let scheme = Scheme::Adaptive(options);
        let wanted = |role: Role| match (role, model) {
            (Role::Memory, _) => true,
            (Role::Position, Model::Hysteretic(h)) => h.body().is_some(),
            // Without a mass the velocity follows from the balance of forces.
            (Role::Velocity, Model::Hysteretic(h)) => h.body().is_some_and(|b| b.mass > 0.0),
            (Role::Position | Role::Velocity, Model::Planar(_)) => true,
            _ => false,
        };
        let first = solve(&Problem::new(model.clone(), time), &scheme)?;
        let all: Vec<_> = first.columns().iter().enumerate().filter(|c| wanted(c.1.role)).collect();
        let columns = all.iter().map(|c| c.0).collect();
        let names = all.iter().map(|c| c.1.name.to_string()).collect();
        let roles: Vec<Role> = all.iter().map(|c| c.1.role).collect();
        let scale = vec![0.0; roles.len()];
        let mut shooting = Self { model, time, scheme, columns, names, roles, scale };
        shooting.learn(&first);
        Ok(shooting)
    }

    /// The model's own initial state.
    fn start(&self) -> Vec<f64> {
        match self.model {
            Model::Planar(p) => p.displacement.into_iter().chain(p.velocity).collect(),
            Model::Hysteretic(h) => {
                let initial = h.body().map(|b| (b.initial, b.mass));
                let place = initial.map(|(i, _)| i.displacement);
                let speed = initial.filter(|i| i.1 > 0.0).map(|i| i.0.velocity);
                place.into_iter().chain(speed).chain(h.memory.iter().copied()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The model, starting in the state `u`.
    fn starting(&self, u: &[f64]) -> Model {
        match self.model {
            Model::Planar(p) => p.clone().starting_at([u[0], u[1]], [u[2], u[3]]).into(),
            Model::Hysteretic(h) => {
                let mut h: Hysteretic = h.clone();
                let mut taken = 0;
                if let Carrier::Mass(body) = &mut h.carrier {
                    body.initial.displacement = u[0];
                    body.initial.velocity = body.support.value(0.0);
                    taken = 1;
                    if body.mass > 0.0 {
                        body.initial.velocity = u[1];
                        taken = 2;
                    }
                }
                h.memory = u[taken..].to_vec();
                h.into()
            }
            other => other.clone(),
        }
    }

    /// The state after a period from `u`, and the motion.
    fn after(&self, u: &[f64]) -> Result<(Vec<f64>, Solution), Error> {
        let solution = solve(&Problem::new(self.starting(u), self.time), &self.scheme)?;
        let mut row = vec![0.0; solution.columns().len()];
        solution.row(solution.span().1, &mut row);
        if solution.span().1 < self.time {
            return no_orbit(format!(
                "the normal force falls below zero at t = {} s, and what follows is another motion",
                solution.span().1
            ));
        }
        Ok((self.columns.iter().map(|&c| row[c]).collect(), solution))
    }

    /// Takes the largest sizes on the way for typical ones.
    fn learn(&mut self, solution: &Solution) {
        let mut row = vec![0.0; solution.columns().len()];
        let mut rows = solution.rows();
        for t in solution.equally_spaced(LOOKS / 8) {
            rows.at(t, &mut row);
            for (i, &c) in self.columns.iter().enumerate() {
                self.scale[i] = self.scale[i].max(row[c].abs());
            }
        }
        for role in [Role::Position, Role::Velocity] {
            let of = |i: &usize| self.roles[*i] == role;
            let all: Vec<usize> = (0..self.scale.len()).filter(of).collect();
            let largest = all.iter().fold(0.0f64, |m, &i| m.max(self.scale[i]));
            all.iter().for_each(|&i| self.scale[i] = largest);
        }
    }

    /// The size of number `i`: of what is always zero 1.
    fn typical(&self, i: usize) -> f64 {
        if self.scale[i] > 0.0 { self.scale[i] } else { 1.0 }
    }

    /// The distance of two states, relative to typical sizes.
    fn size(&self, a: &[f64], b: &[f64]) -> f64 {
        let off = |i: usize| ((a[i] - b[i]) / self.typical(i)).abs();
        (0..a.len()).map(off).fold(0.0, f64::max)
    }

    /// The derivative of the state after a period, in typical sizes. Where a state beyond `u` cannot be (a bristle at its
    /// limit), one on the other side of it is taken.
    fn jacobian(&self, u: &[f64], end: &[f64]) -> Result<Matrix, Error> {
        let n = u.len();
        let columns = map(n, |j| {
            let by = DIFFERENCE * self.typical(j);
            let moved = |by: f64| {
                let mut w = u.to_vec();
                w[j] += by;
                self.after(&w).map(|(end, _)| (end, by))
            };
            let (to, by) = moved(by).or_else(|e| match e {
                Error::Interrupted { .. } => Err(e),
                _ => moved(-by),
            })?;
            let slope = |i: usize| (to[i] - end[i]) / by * self.typical(j) / self.typical(i);
            Ok::<_, Error>((0..n).map(slope).collect::<Vec<f64>>())
        })?;
        Ok(Matrix::from_fn(n, |i, j| columns[j][i]))
    }

    /// Newton's method from `start`; nothing where it leads nowhere.
    fn newton(&self, start: &[f64]) -> Result<Option<Fixed>, Error> {
        let mut u = start.to_vec();
        let mut best: Option<Fixed> = None;
        for _ in 0..STEPS {
            let passage = self.after(&u).and_then(|(end, solution)| {
                let jacobian = self.jacobian(&u, &end)?;
                Ok((end, solution, jacobian))
            });
            let (end, solution, jacobian) = match passage {
                Ok(passage) => passage,
                Err(e @ Error::Interrupted { .. }) => return Err(e),
                Err(_) => break, // a state that cannot be, on the way from a start that is too far off
            };
            let residual = self.size(&end, &u);
            let n = u.len();
            let right: Vec<f64> = (0..n).map(|i| (u[i] - end[i]) / self.typical(i)).collect();
            let of = |i: usize, j: usize| jacobian.at(i, j) - f64::from(u8::from(i == j));
            let (step, _) = Matrix::from_fn(n, of).solve(&right, SINGULAR);
            let state = u.clone();
            (0..n).for_each(|i| u[i] += step[i] * self.typical(i));
            let better = best.as_ref().is_none_or(|b| residual < b.residual);
            if better {
                best = Some(Fixed { state, jacobian, residual, solution });
            }
            if residual <= SAME || !better {
                break;
            }
        }
        Ok(best.filter(|b| b.residual <= SAME))
    }

    /// What is to be said of a state that comes back.
    fn repeating(&self, fixed: Fixed, periods: usize) -> Result<Repeating, Error> {
        let mut multipliers = fixed.jacobian.eigenvalues();
        multipliers.sort_by(|a, b| modulus(*b).total_cmp(&modulus(*a)));
        let neutral = |m: &Multiplier| modulus(*m - 1.0) <= NEUTRAL;
        let family = multipliers.iter().any(neutral);
        let stable = multipliers.iter().all(|m| modulus(*m) < 1.0 - NEUTRAL || neutral(m));
        Ok(Repeating {
            period: self.time,
            periods,
            names: self.names.clone(),
            model: self.starting(&fixed.state),
            state: fixed.state,
            multipliers,
            stable,
            family,
            residual: fixed.residual,
            solution: fixed.solution,
        })
    }

    /// Why there is no orbit.
    fn nothing(&self, states: &[Vec<f64>], wanted: &Search) -> String {
        let last = &states[states.len() - 1];
        let repeats = |k: &usize| self.size(last, &states[states.len() - 1 - k]) <= REPEATS;
        let n = wanted.periods;
        match (2..states.len()).find(repeats) {
            Some(k) => format!(
                "the motion from the model's initial state does not repeat after {n} period{} of the load, but after {}: ask for \
                 an orbit of {} periods",
                if n == 1 { "" } else { "s" },
                n * k,
                n * k
            ),
            None => format!(
                "the motion from the model's initial state did not come to repeat within {} periods of the load: it may be slow \
                 to settle (then follow it over more periods), quasi-periodic or chaotic",
                n * wanted.transient
            ),
        }
    }
}

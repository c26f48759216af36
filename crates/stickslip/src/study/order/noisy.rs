//! Empirical strong order under noise (Bensoussan et al. 2021, §3.3.3, Table 1 b; Bastien, Bernardin, Lamarque 2013, §1.4).
//!
//! Paths are refined, not drawn again: with h/2 for h the noise goes through the same points. So
//! ‖u^h − u^{h/2}‖ is a number for each path, and its mean over paths a strong error.

use super::{Halving, Row, with_orders};
use crate::error::{Error, require};
use crate::grid::step_count;
use crate::model::Problem;
use crate::scheme::stochastic::{PathId, Rule, Walker};
use crate::study::parallel::map;

/// One line of the table over many paths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoisyRow {
    /// Step, mean error over the paths, its ratio to the next and the order.
    pub row: Row,
    /// Standard deviation of the error from path to path.
    pub spread: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoisyStudy<'a> {
    /// What moves.
    pub problem: &'a Problem,
    /// How the paths advance in a step.
    pub rule: Rule,
    /// Seed of the paths.
    pub seed: u64,
    /// Number of paths, from path 0 on.
    pub paths: u64,
    /// The steps: so many rows as halvings.
    pub halving: Halving,
    /// Where two paths are compared.
    pub norm: Norm,
}

/// Where two paths are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Norm {
    /// At all times, linear between nodes: the norm of Bensoussan et al. 2021.
    #[default]
    Interpolants,
    /// At the nodes of the coarser path. Under white noise the velocity is as rough as Brownian
    /// motion between nodes, which no interpolant sees: there this norm measures the scheme, the
    /// other one the interpolation (order ½ with a logarithm).
    Nodes,
}

impl NoisyStudy<'_> {
    /// The table: sup over the run of the Euclidean distance between the paths at h and h/2, in x of
    /// every point and ẋ of those with mass, averaged over the paths. The same bits on one thread or many.
    ///
    /// # Errors
    /// If the problem is not well posed, or a step does not fit the run.
    pub fn table(&self) -> Result<Vec<NoisyRow>, Error> {
        Ok(self.summary(&self.errors()?))
    }

    /// The errors behind the table, path by path and by halvings: for who compares one path with the others.
    ///
    /// # Errors
    /// As [`table`](Self::table).
    pub fn errors(&self) -> Result<Vec<Vec<f64>>, Error> {
        require("the number of paths", self.paths as f64, self.paths > 0, "1 or more")?;
        let halvings = self.halving.halvings;
        require("the number of halvings", f64::from(halvings), halvings < 32, "31 or less")?;
        let walker = |j: u32| Walker::new(self.problem, self.halving.step(j), self.rule);
        let walkers = (0..=halvings).map(walker).collect::<Result<Vec<_>, Error>>()?;
        map(self.paths as usize, |path| self.path(path as u64, &walkers))
    }

    /// The table of these errors.
    pub fn summary(&self, errors: &[Vec<f64>]) -> Vec<NoisyRow> {
        let halvings = self.halving.halvings;
        let n = errors.len() as f64;
        let column = |j: usize| errors.iter().map(move |e| e[j]);
        let means: Vec<(f64, f64)> = (0..halvings)
            .map(|j| (self.halving.step(j), column(j as usize).sum::<f64>() / n))
            .collect();
        let rows = with_orders(&means).into_iter().enumerate();
        rows.map(|(j, row)| {
            let squares: f64 = column(j).map(|e| (e - row.error).powi(2)).sum();
            let spread = (squares / (n - 1.0).max(1.0)).sqrt();
            NoisyRow { row, spread, standard_error: spread / n.sqrt() }
        })
        .collect()
    }

    /// The errors of one path, by halvings; `walkers` have the step and its halves.
    fn path(&self, path: u64, walkers: &[Walker<'_>]) -> Result<Vec<f64>, Error> {
        let id = PathId { seed: self.seed, path };
        let masses = self.problem.model.have_mass();
        // A row of numbers for each time: x of every point, and v of those with mass.
        let width = masses.len() + masses.iter().filter(|m| **m).count();
        let solve = |j: u32| {
            let steps = step_count(self.problem.end, self.halving.step(j))?;
            let mut rows = Vec::with_capacity((steps + 1) * width);
            walkers[j as usize].clone().walk(id, |_, states, _| {
                rows.extend(states.iter().map(|u| u.x));
                rows.extend(states.iter().zip(&masses).filter(|p| *p.1).map(|p| p.0.v));
            })?;
            Ok::<_, Error>(rows)
        };
        let mut coarse = solve(0)?;
        let mut errors = Vec::with_capacity(self.halving.halvings as usize);
        for j in 0..self.halving.halvings {
            let fine = solve(j + 1)?;
            let u = coarse.chunks_exact(width);
            let w = fine.chunks_exact(width);
            errors.push(match self.norm {
                Norm::Interpolants => distance(u, w),
                Norm::Nodes => {
                    u.zip(w.step_by(2)).fold(0.0, |worst: f64, (u, w)| worst.max(away(u, u, w)))
                }
            });
            coarse = fine;
        }
        Ok(errors)
    }
}

/// Euclidean distance of the middle of `a` and `b` to `c`.
fn away(a: &[f64], b: &[f64], c: &[f64]) -> f64 {
    let squares = a.iter().zip(b).zip(c).map(|((a, b), c)| (0.5 * a + 0.5 * b - c).powi(2));
    squares.sum::<f64>().sqrt()
}

/// sup of |u − w| over the nodes of the finer grid, which has twice the nodes: between them both are
/// linear, so it is the sup over all times.
fn distance<'a>(
    coarse: impl ExactSizeIterator<Item = &'a [f64]>,
    fine: impl Iterator<Item = &'a [f64]>,
) -> f64 {
    let mut worst: f64 = 0.0;
    let mut coarse = coarse.peekable();
    let mut left: &[f64] = &[];
    for (i, w) in fine.enumerate() {
        let right = match i % 2 {
            0 => coarse.next().inspect(|u| left = u),
            _ => coarse.peek().copied(),
        };
        let Some(right) = right else { break };
        worst = worst.max(away(left, right, w));
    }
    worst
}

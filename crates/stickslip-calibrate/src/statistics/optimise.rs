//! Population optimisers behind one small trait.
//!
//! The error of a whole generation costs little more than that of one candidate, because sixteen paths
//! run side by side. So an optimiser is asked for all its candidates at once, and told all their
//! errors at once. Crates that call an objective one point at a time (basin 3.2's `cost_batch` does,
//! on several threads) cannot be given lanes: that is why this one is our own.

use crate::statistics::random::Draws;

/// An optimiser over the unit cube that works in generations.
pub trait Optimiser {
    /// The next candidates.
    fn ask(&mut self) -> Vec<Vec<f64>>;
    /// Their errors, in the same order; NaN counts as worst.
    fn tell(&mut self, candidates: Vec<Vec<f64>>, errors: &[f64]);
    /// The best so far with its error.
    fn best(&self) -> (&[f64], f64);
    /// Whether the members have come together so closely that there is nothing left to try.
    fn settled(&self) -> bool;
}

/// Differential evolution, current-to-best/1/bin, with scale and crossover drawn anew for every
/// candidate (Storn, Price 1997; the draws as in Brest et al. 2006).
#[derive(Debug, Clone)]
pub struct DifferentialEvolution {
    members: Vec<Vec<f64>>,
    errors: Vec<f64>,
    best: usize,
    size: usize,
    dimension: usize,
    /// The members' errors are to be asked for.
    fresh: bool,
    draws: Draws,
}

/// Errors that differ by less than this share are the same.
const SETTLED: f64 = 1e-9;

impl DifferentialEvolution {
    /// `size` members in `dimension` dimensions.
    pub fn new(dimension: usize, size: usize, draws: Draws) -> Self {
        let members = Vec::new();
        let errors = Vec::new();
        Self { members, errors, best: 0, size, dimension, fresh: false, draws }
    }

    /// The errors of the members, which candidates in the same order must not exceed; none before the first are told.
    pub fn errors(&self) -> &[f64] {
        &self.errors
    }

    /// The objective changes: the members stay, their errors are asked for again.
    pub fn forget(&mut self) {
        self.fresh = true;
    }
}

impl Optimiser for DifferentialEvolution {
    fn ask(&mut self) -> Vec<Vec<f64>> {
        let draws = &mut self.draws;
        if self.members.is_empty() {
            let member = |_| (0..self.dimension).map(|_| draws.unit()).collect();
            return (0..self.size).map(member).collect();
        }
        // The old places are their own candidates, so that their errors under the new objective come with the
        // next `tell`.
        if self.fresh {
            return self.members.clone();
        }
        let mut out = Vec::with_capacity(self.size);
        for own in &self.members {
            let mut other = || &self.members[(draws.unit() * self.size as f64) as usize];
            let a = other();
            let b = other();
            let c = other();
            let scale = 0.4 + 0.55 * draws.unit();
            // A quarter of the moves go towards the best: faster; the others do not: less often led astray.
            let greedy = draws.unit() < 0.25;
            let crossover = 0.5 + 0.5 * draws.unit();
            let sure = (draws.unit() * self.dimension as f64) as usize;
            let best = &self.members[self.best];
            let mut candidate = own.clone();
            for j in 0..self.dimension {
                // At least one coordinate is taken from the move, otherwise a candidate could be its parent.
                if j != sure && draws.unit() >= crossover {
                    continue;
                }
                let base = if greedy { own[j] + scale * (best[j] - own[j]) } else { c[j] };
                let x = base + scale * (a[j] - b[j]);
                // Put back at random: members would pile up on the boundary and draw the others there.
                candidate[j] = if (0.0..=1.0).contains(&x) { x } else { draws.unit() };
            }
            out.push(candidate);
        }
        out
    }

    fn tell(&mut self, candidates: Vec<Vec<f64>>, errors: &[f64]) {
        if self.members.is_empty() || self.fresh {
            self.fresh = false;
            self.errors =
                errors.iter().map(|e| if e.is_nan() { f64::INFINITY } else { *e }).collect();
            self.members = candidates;
        } else {
            for (i, (candidate, &error)) in candidates.into_iter().zip(errors).enumerate() {
                // Equal errors are accepted, so that members keep moving on a plateau.
                if error <= self.errors[i] {
                    (self.members[i], self.errors[i]) = (candidate, error);
                }
            }
        }
        let by_error = |a: &usize, b: &usize| self.errors[*a].total_cmp(&self.errors[*b]);
        self.best = (0..self.errors.len()).min_by(by_error).unwrap_or(0);
    }

    fn best(&self) -> (&[f64], f64) {
        let member = self.members.get(self.best).map_or(&[][..], |m| m);
        (member, self.errors.get(self.best).copied().unwrap_or(f64::INFINITY))
    }

    fn settled(&self) -> bool {
        let worst = self.errors.iter().copied().fold(0.0, f64::max);
        worst <= (1.0 + SETTLED) * self.best().1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_minimum_of_rosenbrocks_valley_and_of_a_rugged_bowl() {
        let rosenbrock = |x: &[f64]| {
            let (x, y) = (4.0 * x[0] - 2.0, 4.0 * x[1] - 2.0);
            100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2)
        };
        let rugged = |x: &[f64]| {
            x.iter().map(|x| 10.0 * (x - 0.3)).map(|x| x * x + 3.0 - 3.0 * (6.0 * x).cos()).sum()
        };
        let run = |f: &dyn Fn(&[f64]) -> f64, dimension: usize| {
            let mut de = DifferentialEvolution::new(dimension, 48, Draws::new(3, 0));
            for _ in 0..300 {
                let candidates = de.ask();
                let errors: Vec<f64> = candidates.iter().map(|x| f(x)).collect();
                de.tell(candidates, &errors);
            }
            de.best().1
        };
        assert!(run(&rosenbrock, 2) < 1e-8);
        assert!(run(&rugged, 5) < 1e-6);
    }
}

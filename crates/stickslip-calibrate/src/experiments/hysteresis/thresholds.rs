//! Elements whose thresholds the record chooses.
//!
//! Over a fixed grid an element whose threshold lies between two of the grid is given as both. One of them slides a little earlier
//! and the other a little later, which rounds the corners of the loop: the squares are least with too much friction and too little
//! damping (0.1 to 0.2 % on a grid of 40), alike in every block of the record, so that no block tells. Noise, too, makes small elements,
//! and as none is negative they add up.
//!
//! So neighbours of the grid are joined, and their thresholds move to where the squares are least, by Gauss and Newton: a stop whose
//! threshold grows is stretched by as much more in the direction of its last slide. An element goes if the record does not miss it, by the
//! criterion of Schwarz (1978) for two numbers: N ln of the squares grows by no more than 2 ln N, where N residuals count each for
//! itself. If the elements that stay explain less than the grid by the same criterion, the grid stays.

use super::judge::UNSEEN;
use super::linear::{Device, Path, counted, total};
use crate::statistics::nonnegative::Normal;
use stickslip::portable;

/// Steps of a search, and the parts of a step that are tried.
const STEPS: usize = 12;
const PARTS: [f64; 3] = [1.0, 0.5, 0.25];
/// A threshold moves by no more than this share of itself at once.
const FARTHEST: f64 = 0.3;
/// Squares that fall by less than this share have settled.
const SETTLED: f64 = 1e-6;
/// Thresholds stay above that of the rigid element times this.
const ABOVE: f64 = 1.2;
/// Rows that a search needs; of more it takes one in every few.
const ENOUGH: usize = 20_000;
/// Squares below this share of those of the force are rounding.
const ROUNDING: f64 = 1e-12;

/// Of so many rows a search takes one in so many.
pub fn one_in(rows: usize) -> usize {
    (rows / ENOUGH).max(1)
}

/// A record to choose thresholds for.
pub struct Choice<'a> {
    pub path: &'a Path,
    pub viscous: bool,
    /// The first row that counts.
    pub first: usize,
    /// NaN in rows that do not count.
    pub forces: &'a [f64],
    /// Rows over which the residuals are alike.
    pub together: f64,
}

/// Elements that were tried.
struct Tried {
    grid: Vec<f64>,
    normal: Normal,
    squares: f64,
}

impl Choice<'_> {
    /// The thresholds of the elements that the record needs, the rigid one first, from the numbers over a grid; none where the grid
    /// explains more.
    pub fn thresholds(&self, grid: &[f64], numbers: &[f64]) -> Option<Vec<f64>> {
        self.by_few(&|choice| choice.chosen(grid, numbers)).ok().map(|chosen| chosen.grid)
    }

    /// What the same choice by the rows that it looks at gives, without the others.
    fn by_few<R>(&self, of: &dyn Fn(&Choice<'_>) -> R) -> R {
        let every = self.every();
        let counts = (self.first..self.forces.len()).filter(|&n| !self.forces[n].is_nan());
        let rows: Vec<usize> = counts.step_by(every).collect();
        let Some(path) = self.path.few(&rows) else { return of(self) };
        let forces: Vec<f64> = rows.iter().map(|&n| self.forces[n]).collect();
        let together = (self.together / every as f64).max(1.0);
        of(&Choice { path: &path, viscous: self.viscous, first: 0, forces: &forces, together })
    }

    /// The squares that are left, those of each element more by the criterion: it compares other devices of the same rows.
    pub fn left(&self, grid: &[f64], numbers: &[f64]) -> f64 {
        let count_of = |grid: &[f64]| (grid.len() - 1) as f64;
        self.by_few(&|choice| {
            let (elements, squares) = match choice.chosen(grid, numbers) {
                Ok(chosen) => (count_of(&chosen.grid), chosen.squares),
                Err(squares) => (used(grid, numbers), squares),
            };
            squares * portable::exp(elements * choice.price() / choice.count())
        })
    }

    /// The elements that the record needs, or else the squares that the grid leaves.
    fn chosen(&self, grid: &[f64], numbers: &[f64]) -> Result<Tried, f64> {
        let most = grid[grid.len() - 1];
        let on_grid = self.squares_of(&self.device(grid, false));
        let start = joined(grid, numbers);
        // Elements at the end of the grid hardly slide, and where they stand cannot be seen.
        if start.len() < 2 || at_the_end(grid, numbers) > UNSEEN {
            return Err(on_grid);
        }
        let mut best = self.settled(self.tried(start), most);
        while let Some(fewer) = self.without_one(&best, most) {
            best = fewer;
        }
        // The grid has more elements, and each must be worth the price of its two numbers.
        let fewer = used(grid, numbers) - (best.grid.len() - 1) as f64;
        if self.loss(on_grid, best.squares) <= fewer * self.price() {
            Ok(best)
        } else {
            Err(on_grid)
        }
    }

    fn device<'d>(&'d self, grid: &'d [f64], moving: bool) -> Device<'d> {
        Device { path: self.path, grid, viscous: self.viscous, moving }
    }

    fn every(&self) -> usize {
        one_in(counted(&self.forces[self.first..]))
    }

    /// Residuals that count each for itself.
    fn count(&self) -> f64 {
        let rows = counted(&self.forces[self.first..]) as f64;
        rows / self.together.max(self.every() as f64)
    }

    /// What two numbers more must be worth.
    fn price(&self) -> f64 {
        2.0 * portable::ln(self.count())
    }

    /// How much less is explained where squares of `more` are left for `less`.
    fn loss(&self, less: f64, more: f64) -> f64 {
        let rounding =
            ROUNDING * self.forces.iter().filter(|f| f.is_finite()).map(|f| f * f).sum::<f64>();
        self.count() * portable::ln((more + rounding) / (less + rounding))
    }

    fn normal(&self, device: &Device<'_>) -> Normal {
        total(&device.blocks(self.first, self.forces, self.every()))
    }

    fn squares_of(&self, device: &Device<'_>) -> f64 {
        let normal = self.normal(device);
        normal.squares(&normal.nonnegative())
    }

    fn tried(&self, grid: Vec<f64>) -> Tried {
        let device = self.device(&grid, true);
        let normal = self.normal(&device);
        let fixed: Vec<usize> = (0..device.fixed()).collect();
        let fixed = normal.part(&fixed);
        let squares = fixed.squares(&fixed.nonnegative());
        Tried { grid, normal, squares }
    }

    /// Where the squares are least nearby.
    fn settled(&self, mut tried: Tried, most: f64) -> Tried {
        for _ in 0..STEPS {
            let by = tried.step();
            let part = |part: f64| {
                // Where nearly nothing is resolved the least may lie above the most.
                let least = ABOVE * tried.grid[0];
                let to = |(r, by): (&f64, &f64)| (r + part * by).min(most).max(least);
                let moved = tried.grid[1..].iter().zip(&by).map(to);
                self.tried(std::iter::once(tried.grid[0]).chain(moved).collect())
            };
            let Some(better) = PARTS.into_iter().map(part).find(|t| t.squares < tried.squares)
            else {
                break;
            };
            let settled = better.squares > (1.0 - SETTLED) * tried.squares;
            tried = better;
            if settled {
                break;
            }
        }
        tried
    }

    /// Without the element that is missed least, if the record does not miss it.
    fn without_one(&self, tried: &Tried, most: f64) -> Option<Tried> {
        let device = self.device(&tried.grid, true);
        // Which element is missed least is judged with the thresholds of the others where they are; only after it has
        // gone are these moved.
        let left = |j: usize| {
            let others: Vec<usize> = (0..device.fixed()).filter(|i| *i != j).collect();
            let normal = tried.normal.part(&others);
            normal.squares(&normal.nonnegative())
        };
        let least = (1..tried.grid.len()).map(|j| (j, left(j)));
        let (least, _) = least.min_by(|a, b| a.1.total_cmp(&b.1))?;
        let mut grid = tried.grid.clone();
        grid.remove(least);
        let fewer = self.settled(self.tried(grid), most);
        (self.loss(tried.squares, fewer.squares) <= self.price()).then_some(fewer)
    }
}

impl Tried {
    /// By how much each threshold is to move.
    fn step(&self) -> Vec<f64> {
        let numbers = self.normal.nonnegative();
        let count = self.grid.len() - 1;
        let fixed = self.grid.len() + 4;
        let stiff = numbers[1..=count].iter().fold(0.0f64, |m, k| m.max(*k));
        let by = |j: usize| {
            // No number may be negative: a threshold that grows and one that shrinks have a column each.
            let force = numbers[fixed + j] - numbers[fixed + count + j];
            let most = FARTHEST * self.grid[j + 1];
            // An element without a stiffness may stand anywhere.
            (force / numbers[j + 1].max(1e-12 * (stiff + 1.0))).clamp(-most, most)
        };
        (0..count).map(by).collect()
    }
}

/// The share of the friction in the last two elements of the grid.
fn at_the_end(grid: &[f64], numbers: &[f64]) -> f64 {
    let forces: Vec<f64> = grid.iter().zip(numbers).map(|(r, k)| r * k).collect();
    forces[grid.len() - 2..].iter().sum::<f64>() / forces.iter().sum::<f64>()
}

/// Elements of the grid that have a force, but for the rigid one.
fn used(grid: &[f64], numbers: &[f64]) -> f64 {
    numbers[1..grid.len()].iter().filter(|k| **k > 0.0).count() as f64
}

/// The thresholds of the grid that have a force, the rigid one first; two neighbours are one, with the stiffness and the force of both.
fn joined(grid: &[f64], numbers: &[f64]) -> Vec<f64> {
    let mut out = vec![grid[0]];
    let mut j = 1;
    while j < grid.len() {
        if numbers[j] > 0.0 {
            let next = if j + 1 < grid.len() { numbers[j + 1] } else { 0.0 };
            if next > 0.0 {
                out.push((numbers[j] * grid[j] + next * grid[j + 1]) / (numbers[j] + next));
                j += 1;
            } else {
                out.push(grid[j]);
            }
        }
        j += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    /// A saw of other heights, whose turns are rows.
    fn motion() -> (Vec<f64>, Vec<f64>) {
        let heights = [1.0f64, -0.8, 0.9, -1.0, 0.5, -0.7, 1.0, -1.0, 0.8, -0.9, 1.0];
        let mut x = vec![0.0];
        let mut from = 0.0f64;
        for to in heights {
            let rows = ((to - from).abs() * 100.0).round();
            x.extend((1..=rows as usize).map(|i| from + (to - from) * i as f64 / rows));
            from = to;
        }
        ((0..x.len()).map(|i| i as f64).collect(), x)
    }

    /// The forces of elements, each of a threshold and a stiffness.
    fn forces(x: &[f64], elements: &[(f64, f64)]) -> Vec<f64> {
        let mut stretch = vec![0.0f64; elements.len()];
        let mut before = x[0];
        x.iter()
            .map(|&x| {
                let each = stretch.iter_mut().zip(elements);
                let force = each.map(|(s, (r, k))| {
                    *s = (*s + x - before).clamp(-r, *r);
                    k * *s
                });
                let force = force.sum::<f64>() + 3.0 * x;
                before = x;
                force
            })
            .collect()
    }

    fn found(elements: &[(f64, f64)], noise: f64) -> (Vec<f64>, Option<Vec<f64>>) {
        let (t, x) = motion();
        let mut draws = Draws::new(1, 2);
        let force: Vec<f64> =
            forces(&x, elements).into_iter().map(|f| f + noise * draws.normal()).collect();
        let rows: Vec<usize> = (0..x.len()).collect();
        let path = Path::new(&t, &x, &rows);
        let grid: Vec<f64> =
            (0..30).map(|j| 1e-2 * portable::pow(80.0, f64::from(j) / 29.0)).collect();
        let device = Device { path: &path, grid: &grid, viscous: true, moving: false };
        let numbers = total(&device.blocks(path.first, &force, 1)).nonnegative();
        let first = path.first;
        let choice = Choice { path: &path, viscous: true, first, forces: &force, together: 1.0 };
        let chosen = choice.thresholds(&grid, &numbers);
        (grid, chosen)
    }

    /// Elements between the thresholds of the grid are found where they are, exactly without noise, and no others with it. The error
    /// of a threshold with noise σ: σ/(k √n), with n rows; ten times that is allowed.
    #[test]
    fn elements_between_thresholds_are_found() {
        let truth = [(0.0371, 20.0), (0.233, 5.0)];
        for (noise, near) in [(0.0, 1e-6), (0.01, 0.01)] {
            let (grid, chosen) = found(&truth, noise);
            let chosen = chosen.unwrap();
            assert_eq!(chosen.len(), 3, "{chosen:?}");
            assert_eq!(chosen[0], grid[0]);
            for (r, (truth, _)) in chosen[1..].iter().zip(truth) {
                assert!((r / truth - 1.0).abs() < near, "{noise}: {r} for {truth}");
            }
        }
    }

    /// A device that slides at a hundred thresholds without noise is no sum of a few: the grid stays, or as many elements as it had.
    #[test]
    fn many_elements_are_not_made_few() {
        let all: Vec<(f64, f64)> = (0..100).map(|j| (0.03 + 0.003 * f64::from(j), 0.2)).collect();
        let (_, chosen) = found(&all, 0.0);
        assert!(chosen.as_ref().is_none_or(|c| c.len() > 10), "{chosen:?}");
        // Where nothing slides there is nothing to choose.
        assert_eq!(found(&[], 0.0).1, None);
    }
}

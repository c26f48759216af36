//! Draws from the likelihood around a minimum.
//!
//! With little noise the likelihood is a handful of cells, with much noise it is thousands. Three things serve both:
//!
//! 1. **settle**: from the minimum over cell walls to better neighbours, until there is none;
//! 2. **sweeps** of an ensemble of walkers (Goodman, Weare 2010): stretch and difference moves, which take the
//!    ensemble's own shape, steps of the first cell's shape at many scales, which cross walls, and moves of the
//!    starting states; at first the likelihood is flattened (tempered), so that walkers pass worse cells;
//! 3. **refresh**: while walkers share few cells, each is put at a uniform place in its own (`cell`): no evaluation
//!    needed, and no part of a cell is left out.

use stickslip::lanes::LANES;

use crate::bearing::intervals::uncertainty::Spread;
use crate::bearing::search::cell::{Cell, Vector, along, coordinates, direction};
use crate::bearing::search::point::{Point, Scored, better, score, seen};
use crate::bearing::search::prepared::{Prepared, Track};
use crate::statistics::random::Draws;
use stickslip::portable;

/// Walkers, in two halves that fill the lanes.
const WALKERS: usize = 4 * LANES;
const HALF: usize = WALKERS / 2;
/// Sweeps over all walkers: tempered, settling, kept.
const SWEEPS: [usize; 3] = [24, 16, 40];
/// The same where a part of the draws is wanted.
pub const FEW_SWEEPS: [usize; 3] = [10, 8, 12];
/// Share of the log-likelihood at the first sweep.
const FLATTENED: f64 = 0.03;
/// Walkers are refreshed every so many sweeps, in so many steps, if they share at most so many cells.
const REFRESH: (usize, usize, usize) = (8, 8, 16);
/// Largest stretch.
const STRETCH: f64 = 2.0;
/// Chords whose ends are tried in one round of settling, and rounds at most.
const SETTLE: (usize, usize) = (24, 40);
/// Steps are up to 2 to this power times as long as the first cell, and down to the inverse.
const SCALES: f64 = 6.0;
/// Points within this of the best log-likelihood are remembered for the profiles.
const REMEMBERED: f64 = 15.0;

/// A point at other coordinates, with the starting states of `like`.
fn moved(track: &Track, y: Vector, like: &Point) -> Point {
    let delta = seen(y[1].abs(), track);
    Point { sliding: y[0].abs(), delta, lattice: y[2], starts: like.starts.clone() }
}

/// Another starting state for one stretch, near or far: a symmetric move, reflected at ±1.
fn restarted(p: &Point, draws: &mut Draws) -> Point {
    let mut starts = p.starts.to_vec();
    let s = ((draws.unit() * starts.len() as f64) as usize).min(starts.len() - 1);
    let reach = portable::pow(2.0, 1.0 - 9.0 * draws.unit());
    let u = starts[s] + reach * draws.signed();
    starts[s] = if u > 1.0 {
        2.0 - u
    } else if u < -1.0 {
        -2.0 - u
    } else {
        u
    };
    Point { starts: starts.into(), ..p.clone() }
}

/// What is explored.
struct Explorer<'a> {
    track: &'a Track,
    /// n/τ.
    effective: f64,
    draws: Draws,
    best: Scored,
    visited: Vec<Scored>,
    evaluations: usize,
}

/// Explores the likelihood around the best of some minima; `tau` is the residuals' autocorrelation
/// time.
pub fn explore(prepared: &Prepared, minima: &[Scored], tau: f64, seed: u64) -> Spread {
    explore_for(prepared, minima, tau, seed, SWEEPS)
}

/// [`explore`] with other numbers of sweeps.
pub fn explore_for(
    prepared: &Prepared,
    minima: &[Scored],
    tau: f64,
    seed: u64,
    sweeps: [usize; 3],
) -> Spread {
    let track = &prepared.full;
    let n = track.record.weight();
    let draws = Draws::new(seed, u64::MAX);
    let best = minima[0].clone();
    let visited = Vec::new();
    let effective = n / tau;
    let mut explorer = Explorer { track, effective, draws, best, visited, evaluations: 0 };
    let mut walkers = explorer.begin(minima);
    let axes = explorer.axes();
    let [tempered, settling, keeping] = sweeps;
    let mut kept = Vec::with_capacity(WALKERS * keeping);
    for sweep in 0..tempered + settling + keeping {
        if prepared.stopped() {
            break;
        }
        // From a likelihood that is nearly flat to the true one, so that walkers cross worse cells while they still can.
        let share = (sweep as f64 / tempered as f64).min(1.0);
        if sweep == tempered {
            explorer.rescue(&mut walkers);
        }
        explorer.sweep(&mut walkers, portable::pow(FLATTENED, 1.0 - share), &axes, sweep);
        if sweep >= tempered + settling {
            if sweep % REFRESH.0 == 0 {
                explorer.refresh(&mut walkers);
            }
            kept.extend(walkers.iter().cloned());
        }
    }
    let centre = explorer.middle();
    explorer.visited.push(centre.clone());
    let mut visited = std::mem::take(&mut explorer.visited);
    // The best may have been found late: what was near the best of its time is looked at once more.
    visited.retain(|s| explorer.below(s) < REMEMBERED);
    // Six numbers were fitted: three of the path, three of the line.
    let freedom = (effective - 6.0).max(1.0) / effective;
    let variance = centre.line.rss / n / freedom * tau;
    let draws = kept;
    let evaluations = explorer.evaluations;
    let replicas = None;
    let timed = None;
    Spread { centre, draws, visited, timed, replicas, tau, variance, effective, evaluations }
}

impl Explorer<'_> {
    /// How far a point's log-likelihood is below the best's: ½ (n/τ) ln(rss/rss_best).
    fn below(&self, s: &Scored) -> f64 {
        let floor = self.track.floor;
        0.5 * self.effective * portable::log((s.line.rss + floor) / (self.best.line.rss + floor))
    }

    fn score(&mut self, points: Vec<Point>) -> Vec<Scored> {
        self.evaluations += points.len();
        score(self.track, points)
    }

    /// Over the walls of cells to better ones, until no neighbour is better.
    fn settle(&mut self, mut from: Scored) -> Scored {
        for _ in 0..SETTLE.1 {
            let Some(cell) = Cell::of(self.track, &from.point, &mut self.draws) else { break };
            let around = cell.neighbours(self.track, SETTLE.0, &mut self.draws);
            let around = self.score(around);
            let found = around.iter().cloned().fold(from.clone(), better);
            self.visited.extend(around);
            if found.line.rss >= from.line.rss {
                break;
            }
            from = found;
        }
        from
    }

    /// Walkers in the best cells that the minima lead to, by volume and likelihood.
    fn begin(&mut self, minima: &[Scored]) -> Vec<Scored> {
        let near: Vec<Scored> =
            minima.iter().filter(|s| self.below(s) < 4.0 * REMEMBERED).cloned().collect();
        let settled: Vec<Scored> = near.into_iter().map(|s| self.settle(s)).collect();
        self.best = settled.iter().cloned().fold(self.best.clone(), better);
        let mut homes = Vec::new();
        for s in settled {
            let cell = Cell::of(self.track, &s.point, &mut self.draws);
            let volume = cell.as_ref().map_or(1.0, Cell::volume);
            homes.push((volume * portable::exp(-self.below(&s)), s, cell));
        }
        // Walkers are shared out evenly over the summed weights, from one random offset: each home gets its share to within one.
        let step = homes.iter().map(|h| h.0).sum::<f64>() / WALKERS as f64;
        let mut at = step * self.draws.unit();
        let mut sum = 0.0;
        let mut walkers = Vec::with_capacity(WALKERS);
        for (weight, s, cell) in &homes {
            sum += weight;
            while at < sum && walkers.len() < WALKERS {
                walkers.push(self.inside(&s.point, cell.as_ref()));
                at += step;
            }
        }
        while walkers.len() < WALKERS {
            walkers.push(self.best.point.clone());
        }
        self.score(walkers)
    }

    /// A uniform place in the cell of `p`; without a cell, where it is.
    fn inside(&mut self, p: &Point, cell: Option<&Cell>) -> Point {
        let Some(cell) = cell else { return p.clone() };
        let y = cell.walk(coordinates(p), REFRESH.1, &mut self.draws);
        cell.point(self.track, y)
    }

    /// The shape of steps: that of the best cell; for a path without one, shares of ρ and of the range.
    fn axes(&mut self) -> [Vector; 3] {
        let Point { sliding, .. } = self.best.point;
        let fine = 1e-3 * self.track.range;
        Cell::of(self.track, &self.best.point, &mut self.draws)
            .map_or([[1e-3 * sliding, 0.0, 0.0], [0.0, fine, 0.0], [0.0, 0.0, fine]], |c| c.axes)
    }

    /// One move of every walker; `power` flattens the likelihood.
    fn sweep(&mut self, walkers: &mut [Scored], power: f64, axes: &[Vector; 3], sweep: usize) {
        let track = self.track;
        for half in [0, HALF] {
            // One half moves relative to the other, which stands still meanwhile: moved together they would not keep to the likelihood.
            let mut factors = [1.0; HALF];
            let mut points = Vec::with_capacity(HALF);
            for (l, factor) in factors.iter_mut().enumerate() {
                let own = &walkers[half + l].point;
                let draws = &mut self.draws;
                // A walker of the other half.
                let mut other = || {
                    let other = HALF - half + (draws.unit() * HALF as f64) as usize;
                    coordinates(&walkers[other].point)
                };
                let z = other();
                let w = other();
                let y = coordinates(own);
                points.push(match (sweep + l) % 6 {
                    0 => restarted(own, draws),
                    1 => {
                        let by = 0.3 + 0.7 * draws.unit();
                        moved(track, [0, 1, 2].map(|i| y[i] + by * (z[i] - w[i])), own)
                    }
                    // Stretches keep an ensemble in the plane that it lies in; these do not.
                    2 | 3 => {
                        let size = portable::pow(2.0, SCALES * draws.signed());
                        moved(track, along(y, size, direction(axes, draws)), own)
                    }
                    _ => {
                        // Goodman and Weare's density 1/√z on [1/2, 2]. Three coordinates are stretched, hence the factor z² in the acceptance.
                        let root = 1.0 + (STRETCH - 1.0) * draws.unit();
                        let stretch = root * root / STRETCH;
                        *factor = stretch * stretch;
                        moved(track, [0, 1, 2].map(|i| z[i] + stretch * (y[i] - z[i])), own)
                    }
                });
            }
            for (l, s) in self.score(points).into_iter().enumerate() {
                let gain = power * (self.below(&walkers[half + l]) - self.below(&s));
                if self.draws.unit() < factors[l] * portable::exp(gain) {
                    walkers[half + l] = s.clone();
                }
                self.best = better(self.best.clone(), s.clone());
                if self.below(&s) < REMEMBERED {
                    self.visited.push(s);
                }
            }
        }
    }

    /// Walkers that tempering left behind, where the likelihood has nothing, start again from others.
    fn rescue(&mut self, walkers: &mut [Scored]) {
        let mut good: Vec<Scored> =
            walkers.iter().filter(|s| self.below(s) < REMEMBERED).cloned().collect();
        if good.is_empty() {
            good.push(self.best.clone());
        }
        for i in 0..walkers.len() {
            if self.below(&walkers[i]) >= REMEMBERED {
                walkers[i] = good[(self.draws.unit() * good.len() as f64) as usize].clone();
            }
        }
    }

    /// Uniform places in the walkers' own cells, if those are few.
    fn refresh(&mut self, walkers: &mut Vec<Scored>) {
        let mut cells: Vec<Cell> = Vec::new();
        let mut points = Vec::with_capacity(WALKERS);
        for s in walkers.iter() {
            let y = coordinates(&s.point);
            if !cells.iter().any(|c| c.holds(y)) {
                // The walkers are in many cells, and then moves mix them by themselves.
                if cells.len() == REFRESH.2 {
                    return;
                }
                cells.extend(Cell::of(self.track, &s.point, &mut self.draws));
            }
            points.push(self.inside(&s.point, cells.iter().find(|c| c.holds(y))));
        }
        *walkers = self.score(points);
        self.visited.extend(walkers.iter().cloned());
    }

    /// The middle of the best cell: cells are convex, so it lies inside.
    fn middle(&mut self) -> Scored {
        let best = self.best.clone();
        let Some(cell) = Cell::of(self.track, &best.point, &mut self.draws) else { return best };
        let count = 64;
        let mut y = cell.inside;
        let mut mean = [0.0; 3];
        for _ in 0..count {
            y = cell.walk(y, 2, &mut self.draws);
            mean = along(mean, 1.0 / f64::from(count), y);
        }
        let found = self.score(vec![cell.point(self.track, mean)]);
        found.into_iter().find(|s| self.below(s).abs() < 1e-6).unwrap_or(best)
    }
}

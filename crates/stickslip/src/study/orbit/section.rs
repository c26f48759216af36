//! Poincaré sections, Lyapunov exponents and basins of attraction.

use super::forced::{Forced, difference};
use super::found::Orbit;
use super::passage::{last, path, starting_at};
use crate::error::Error;
use crate::study::parallel::map;

/// Periods that are solved in one run.
const BLOCK: usize = 32;

impl Forced {
    /// The states after each of `count` periods from `u`; fewer if the motion ends.
    ///
    /// # Errors
    /// As the solver's.
    pub fn states(&self, u: &[f64], count: usize) -> Result<Vec<[f64; 2]>, Error> {
        let (mut all, mut u) = (Vec::with_capacity(count), [u[0], u[1]]);
        while all.len() < count {
            let n = BLOCK.min(count - all.len());
            let end = self.period * n as f64;
            let motion = path(&starting_at(&self.model, &u), end, self.method)?;
            for k in 1..n {
                let s = motion.state(self.period * k as f64);
                all.push([s.x, s.v]);
            }
            let s = last(&motion);
            u = [s.x, s.v];
            all.push(u);
        }
        Ok(all)
    }

    /// The Lyapunov exponents of the motion from `u`, 1/s, the largest first: the mean growth of small differences
    /// over `count` periods after `transient` ones. −∞ where a stick forgets a direction altogether.
    ///
    /// # Errors
    /// As the solver's.
    pub fn lyapunov(&self, u: &[f64], transient: usize, count: usize) -> Result<[f64; 2], Error> {
        let start = self.states(u, transient)?;
        let mut u = start.last().map_or_else(|| u.to_vec(), |s| s.to_vec());
        let mut frame = [[1.0, 0.0], [0.0, 1.0]];
        let mut sums = [0.0; 2];
        for _ in 0..count {
            let p = self.passage(&u, 1)?;
            let scaled = |i: usize, j: usize| p.jacobian.at(i, j) * self.scale[j] / self.scale[i];
            let moved = frame.map(|e| [0, 1].map(|i| scaled(i, 0) * e[0] + scaled(i, 1) * e[1]));
            let first = moved[0][0].hypot(moved[0][1]);
            if first == 0.0 {
                return Ok([f64::NEG_INFINITY; 2]);
            }
            let e = moved[0].map(|x| x / first);
            let area = e[0] * moved[1][1] - e[1] * moved[1][0];
            sums[0] += first.ln();
            sums[1] += area.abs().ln();
            frame = [e, [-e[1], e[0]]];
            u = p.end;
        }
        let time = self.period * count as f64;
        Ok([sums[0] / time, sums[1] / time])
    }
}

/// A grid of starting states, and to which orbit each leads.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Basins {
    /// The first and the last displacement, m, and their number.
    pub x: (f64, f64, usize),
    /// The first and the last velocity, m/s, and their number.
    pub v: (f64, f64, usize),
    /// For each start, the displacements varying fastest: the number of the orbit from 1, 0 where none was reached.
    pub reached: Vec<u32>,
}

/// How near to an orbit a motion must come to count as on it, relative to typical sizes.
const THERE: f64 = 1e-4;

/// Which of the stable `orbits` the starts of a grid lead to within `periods` periods, over all cores.
///
/// # Errors
/// If a range is not one.
pub fn basins(
    forced: &Forced,
    orbits: &[Orbit],
    (x, v): ((f64, f64, usize), (f64, f64, usize)),
    periods: usize,
) -> Result<Basins, Error> {
    for (from, to, count) in [x, v] {
        let fine = from.is_finite() && to.is_finite() && count > 0;
        crate::error::require(
            "the number of starts",
            count as f64,
            fine,
            "1 or more, between finite numbers",
        )?;
    }
    let targets = targets(forced, orbits)?;
    let value = |(from, to, count): (f64, f64, usize), i: usize| match count {
        1 => from,
        _ => from + (to - from) * (i as f64 / (count - 1) as f64),
    };
    let rows = map(v.2, |j| {
        let row = (0..x.2).map(|i| reach(forced, &targets, [value(x, i), value(v, j)], periods));
        Ok::<_, Error>(row.collect::<Vec<u32>>())
    })?;
    Ok(Basins { x, v, reached: rows.into_iter().flatten().collect() })
}

/// The states of the stable orbits after each period of the load, with their numbers.
fn targets(forced: &Forced, orbits: &[Orbit]) -> Result<Vec<(Vec<f64>, u32)>, Error> {
    let mut all = Vec::new();
    for (i, orbit) in orbits.iter().enumerate().filter(|o| o.1.stable) {
        let states = forced.states(&orbit.state, orbit.periods.max(1))?;
        all.extend(states.into_iter().map(|s| (s.to_vec(), i as u32 + 1)));
    }
    Ok(all)
}

fn reach(forced: &Forced, targets: &[(Vec<f64>, u32)], start: [f64; 2], periods: usize) -> u32 {
    let (mut u, mut done, mut block) = (start, 0, 4);
    while done < periods {
        let n = block.min(periods - done);
        let end = forced.period * n as f64;
        let Ok(motion) = path(&starting_at(&forced.model, &u), end, forced.method) else {
            return 0;
        };
        let s = last(&motion);
        (u, done, block) = ([s.x, s.v], done + n, (2 * block).min(BLOCK));
        let near = |t: &&(Vec<f64>, u32)| forced.size(&difference(&t.0, &u)) <= THERE;
        if let Some((_, number)) = targets.iter().find(near) {
            return *number;
        }
    }
    0
}

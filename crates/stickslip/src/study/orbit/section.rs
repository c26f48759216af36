//! Poincaré sections and Lyapunov exponents.

use super::forced::Forced;
use super::runner::Runner;
use crate::error::Error;
use crate::portable;

/// Periods that are solved in one run.
const BLOCK: usize = 32;
/// Periods in which the directions of small differences settle.
const TURNING: usize = 50;

impl Forced {
    /// The states after each of `count` periods from `u`.
    ///
    /// # Errors
    /// As the solver's.
    pub fn states(&self, u: &[f64], count: usize) -> Result<Vec<[f64; 2]>, Error> {
        let mut all = Vec::with_capacity(count);
        let mut u = [u[0], u[1]];
        let ready = Runner::new(self, BLOCK.min(count.max(1)))?;
        while all.len() < count {
            let mut run = ready.starting_at(u)?;
            for k in 1..=BLOCK.min(count - all.len()) {
                u = run.advance(self.period * k as f64)?;
                all.push(u);
            }
        }
        Ok(all)
    }

    /// The Lyapunov exponents of the motion from `u`, 1/s, the largest first: the mean growth of small differences
    /// over `count` periods after `transient` ones. −∞ where a stick forgets a direction altogether.
    ///
    /// # Errors
    /// As the solver's.
    pub fn lyapunov(&self, u: &[f64], transient: usize, count: usize) -> Result<[f64; 2], Error> {
        // The last periods of the transient turn the directions to where they belong.
        let turning = TURNING.min(transient);
        let start = self.states(u, transient - turning)?;
        let mut u = start.last().map_or_else(|| u.to_vec(), |s| s.to_vec());
        let mut frame = [[1.0, 0.0], [0.0, 1.0]];
        let mut sums = [0.0; 2];
        for i in 0..turning + count {
            let p = self.passage(&u, 1)?;
            let scaled = |i: usize, j: usize| p.jacobian.at(i, j) * self.scale[j] / self.scale[i];
            let moved = frame.map(|e| [0, 1].map(|i| scaled(i, 0) * e[0] + scaled(i, 1) * e[1]));
            let first = portable::hypot(moved[0][0], moved[0][1]);
            if first == 0.0 {
                return Ok([f64::NEG_INFINITY; 2]);
            }
            let e = moved[0].map(|x| x / first);
            let area = e[0] * moved[1][1] - e[1] * moved[1][0];
            if i >= turning {
                sums[0] += portable::log(first);
                sums[1] += portable::log(area.abs());
            }
            frame = [e, [-e[1], e[0]]];
            u = p.end;
        }
        let time = self.period * count as f64;
        let [a, b] = sums.map(|s| s / time);
        // Where both are alike, a finite time may have them in the other order.
        Ok(if a < b { [b, a] } else { [a, b] })
    }
}

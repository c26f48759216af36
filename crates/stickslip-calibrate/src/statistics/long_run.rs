//! The long-run variance of a series: n times the variance of its mean, where neighbours resemble each other.
//!
//! The equal-weighted cosine estimator (Müller 2007; Lazarus, Lewis, Stock and Watson 2018): the series is projected on the
//! first B cosines, whose squares are each an estimate with one degree of freedom, and their mean has B. So a mean over its error
//! has Student's distribution with B degrees, where the usual sums over a few lags promise a normal one and too narrow intervals.

use stickslip::portable;

/// B is this times n^(2/3): what Lazarus, Lewis, Stock and Watson recommend.
const COSINES: f64 = 0.41;
/// More cosines than this make Student's t narrower by less than half a percent.
const MOST: usize = 256;
/// Neighbouring rows are added up to so many sums for each cosine. Within such a sum the fastest cosine turns by π/8, and its
/// square is lost by 1 %.
const SUMS: usize = 8;

/// What the cosines need of `n` rows.
#[derive(Debug, Clone, Copy)]
pub struct Cosines {
    rows: usize,
    /// B, the degrees of freedom.
    pub count: usize,
    /// Rows in one sum.
    together: usize,
}

impl Cosines {
    /// Of so many rows, one at least.
    pub fn of(rows: usize) -> Self {
        let wished = (COSINES * portable::pow(rows as f64, 2.0 / 3.0)) as usize;
        let count = wished.clamp(1, MOST);
        Self { rows, count, together: (rows / (SUMS * count)).max(1) }
    }

    /// Σ_t u_t √(2/n) cos(π j (t + ½)/n) for j = 1 to B.
    pub fn project(&self, u: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut sums = vec![0.0; self.rows.div_ceil(self.together)];
        u.enumerate().for_each(|(t, u)| sums[t / self.together] += u);
        let scale = (2.0 / self.rows as f64).sqrt();
        let mut out = vec![0.0; self.count];
        for (s, u) in sums.iter().enumerate() {
            let first = s * self.together;
            let last = (first + self.together).min(self.rows);
            let middle = 0.5 * (first + last) as f64;
            let cosine = portable::cos(std::f64::consts::PI * middle / self.rows as f64);
            // cos((j + 1)α) = 2 cos α cos(jα) − cos((j − 1)α): no cosine of its own for each of them.
            let mut before = 1.0;
            let mut now = cosine;
            for projection in &mut out {
                *projection += scale * u * now;
                let next = 2.0 * cosine * now - before;
                before = now;
                now = next;
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;
    use crate::statistics::stats::square;

    /// The long-run variance of an autoregression with unit shocks is 1/(1 − φ)². The mean of B squares has a standard
    /// error of √(2/B), and 20 series one of a √20th.
    #[test]
    fn the_long_run_variance_of_an_autoregression() {
        for (phi, rows) in [(0.0, 3000), (0.7, 3000), (0.7, 40_000)] {
            let cosines = Cosines::of(rows);
            let one = |seed: u64| {
                let mut draws = Draws::new(seed, 7);
                let mut state = 0.0;
                let series = (0..rows).map(|_| {
                    state = phi * state + draws.normal();
                    state
                });
                square(&cosines.project(series)) / cosines.count as f64
            };
            let found = (0..20).map(one).sum::<f64>() / 20.0;
            let truth = 1.0 / (1.0 - phi) / (1.0 - phi);
            let error = (2.0 / cosines.count as f64 / 20.0).sqrt();
            // A bias of the curvature of the spectrum at 0, (π B/n)²/6 · 2φ/(1 − φ)², and of the sums.
            let fastest = std::f64::consts::PI * cosines.count as f64 / rows as f64;
            let bias = fastest * fastest / 3.0 * phi / (1.0 - phi) / (1.0 - phi) + 0.01;
            assert!(
                (found / truth - 1.0).abs() < 3.0 * error + bias,
                "{phi} {rows}: {found} for {truth}"
            );
        }
    }

    /// A cosine of the set comes out as itself, and no other does.
    #[test]
    fn cosines_are_orthogonal() {
        for rows in [1, 7, 300, 100_000] {
            let cosines = Cosines::of(rows);
            let j = cosines.count;
            let turn = std::f64::consts::PI * j as f64 / rows as f64;
            let scale = (2.0 / rows as f64).sqrt();
            let wave = (0..rows).map(|t| scale * portable::cos(turn * (t as f64 + 0.5)));
            let found = cosines.project(wave);
            assert!((found[j - 1] - 1.0).abs() < 0.011 || rows == 1, "{rows}: {found:?}");
            assert!(found[..j - 1].iter().all(|f| f.abs() < 0.011), "{rows}: {found:?}");
        }
    }
}

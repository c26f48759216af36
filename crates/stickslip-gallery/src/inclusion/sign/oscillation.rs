//! u̇ + sign u = F(t), F = t, u(0) = 0 with the usual sign (Bastien, Bernardin, Lamarque 2013, §1.2.2, Figs. 1.3–1.5): how the
//! explicit scheme oscillates about rest.

use stickslip::scheme::oscillator::sign::run_sign_euler;
use stickslip::{Law, Oscillator, Signal, portable};
use stickslip_file::Result;

/// The problem as an oscillator without a spring: u is its velocity.
fn problem() -> Result<Oscillator> {
    Ok(Oscillator::new(1.0, 0.0, Law::coulomb(1.0)?).with_force(Signal::ramp(1.0, 0.0)))
}

/// u(t) of the inclusion, (1.31): 0 until t = 1, then (t − 1)²/2.
pub fn exact_velocity(t: f64) -> f64 {
    if t <= 1.0 { 0.0 } else { 0.5 * (t - 1.0) * (t - 1.0) }
}

/// Statistics of one run of the explicit scheme with the usual sign over [0, 1], h = 1/N.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Oscillation {
    /// N.
    pub steps: usize,
    /// max |u_n/h|, 0 ≤ n ≤ N; ≤ 2 by (1.23).
    pub most: f64,
    /// min |u_n/h|, 2 ≤ n ≤ N.
    pub least: f64,
    /// P(N): how many n in {2, …, N − 1} have u_n u_{n+1} < 0.
    pub changes: usize,
}

/// One run.
fn oscillation(steps: usize) -> Result<Oscillation> {
    let end = 1.0;
    let h = end / steps as f64;
    let mut most = 0.0f64;
    let mut least = f64::INFINITY;
    let mut changes = 0;
    let mut last = 0.0;
    run_sign_euler(&problem()?, end, h, |n, u| {
        most = most.max((u.v / h).abs());
        if n >= 2 {
            least = least.min((u.v / h).abs());
        }
        if n >= 3 && last * u.v < 0.0 {
            changes += 1;
        }
        last = u.v;
    })?;
    Ok(Oscillation { steps, most, least, changes })
}

/// Runs for `count` values of N, equally spaced in log N from 10^`from` to 10^`to`.
pub fn oscillations(from: f64, to: f64, count: usize) -> Result<Vec<Oscillation>> {
    let exponent = |i: usize| from + (to - from) * i as f64 / (count.max(2) - 1) as f64;
    let mut steps: Vec<usize> =
        (0..count).map(|i| portable::pow(10.0, exponent(i)).round() as usize).collect();
    steps.dedup();
    steps.into_iter().map(oscillation).collect()
}

/// A straight line through points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Slope.
    pub slope: f64,
    /// Value at 0.
    pub intercept: f64,
    /// r.
    pub correlation: f64,
}

/// Least squares of P(N) over N.
pub fn line(runs: &[Oscillation]) -> Line {
    let n = runs.len() as f64;
    let points = || runs.iter().map(|r| (r.steps as f64, r.changes as f64));
    let (mx, my) = points().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (sxx, sxy, syy) = points().fold((0.0, 0.0, 0.0), |(a, b, c), (x, y)| {
        let dx = x - mx;
        let dy = y - my;
        (a + dx * dx, b + dx * dy, c + dy * dy)
    });
    let slope = sxy / sxx;
    Line { slope, intercept: my - slope * mx, correlation: sxy / (sxx * syy).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_explicit_scheme_oscillates_as_the_book_says() {
        let runs = oscillations(1.0, 5.5, 60).unwrap();
        for r in &runs {
            assert!(r.most <= 2.0 + 1e-9, "{r:?}");
            assert!(r.changes <= r.steps - 2);
        }
        let line = line(&runs);
        println!(
            "P(N) = {:.10} N {:+.4}, r = {:.13}",
            line.slope, line.intercept, line.correlation
        );
        // the book: 0.5000000232 N − 1.3748, r = 0.9999999999074
        assert!((line.slope - 0.5000000232).abs() < 1e-5);
        assert!((line.intercept + 1.3748).abs() < 1.0);
        assert!(line.correlation > 0.999999999);
    }
}

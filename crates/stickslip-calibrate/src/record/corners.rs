//! Corners of a motion: rows next to which the velocity jumps. A difference across one is the rate of neither side.

use crate::statistics::stats::{median, square};

/// A velocity that changes in a row by more than this share of its usual size, and by so many times more than two rows away, jumps.
const JUMPS: f64 = 0.25;
const SUDDENLY: f64 = 4.0;

/// The rows next to which the velocity jumps: it changes there from one row to the next, and hardly before and after. Where a motion
/// bends, rows two away change alike.
pub fn corners(t: &[f64], x: &[f64], rows: &[usize]) -> Vec<bool> {
    let rate = |w: &[usize]| (x[w[1]] - x[w[0]]) / (t[w[1]] - t[w[0]]);
    let rates: Vec<f64> = rows.windows(2).map(rate).collect();
    let usual = (square(&rates) / rates.len() as f64).sqrt();
    let change = |n: usize| (rates[n] - rates[n - 1]).abs();
    let jumps = |n: usize| {
        // At the ends of a record there is nothing to compare with.
        let is_inside = n > 2 && n + 3 < rows.len();
        is_inside && change(n) > (JUMPS * usual).max(SUDDENLY * change(n - 2).max(change(n + 2)))
    };
    (0..rows.len()).map(jumps).collect()
}

/// The velocity is known well enough for that if its noise from row to row is below this share of its usual size.
const QUIET: f64 = 0.05;
/// Rows that are skipped from one to the next where it is not: the first number that is enough.
const STRIDES: [usize; 5] = [1, 2, 4, 8, 16];

/// The same of readings with noise, `step` apart in time: all rows between two neighbours of a jump. Nothing where noise hides them.
pub fn among_noise(x: &[f64], step: f64, noise: f64) -> Vec<bool> {
    let t: Vec<f64> = (0..x.len()).map(|i| step * i as f64).collect();
    let mut out = vec![false; x.len()];
    for stride in STRIDES {
        let rows: Vec<usize> = (0..x.len()).step_by(stride).collect();
        let apart = stride as f64 * step;
        let rate = |w: &[usize]| ((x[w[1]] - x[w[0]]) / apart).abs();
        let mut rates: Vec<f64> = rows.windows(2).map(rate).collect();
        // Of a difference of two readings.
        if std::f64::consts::SQRT_2 * noise / apart > QUIET * median(&mut rates) {
            continue;
        }
        for (n, _) in corners(&t, x, &rows).into_iter().enumerate().filter(|c| c.1) {
            out[rows[n - 1]..=rows[n + 1]].fill(true);
        }
        break;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;
    use stickslip::portable;

    /// A saw jumps next to each turn, at two rows where it turns between rows and at one where it turns at a row; a sine bends, however
    /// few rows it has.
    #[test]
    fn a_saw_has_corners_and_a_sine_has_none() {
        let rows: Vec<usize> = (0..400).collect();
        let t: Vec<f64> = rows.iter().map(|&i| 0.01 * i as f64).collect();
        let saw = |i: usize, shift: f64| ((i as f64 + shift) / 50.0 % 2.0 - 1.0).abs();
        for (shift, at) in [(0.3, [0, 1]), (0.6, [0, 1]), (0.0, [0, 0])] {
            let x: Vec<f64> = rows.iter().map(|&i| saw(i, shift)).collect();
            let found = corners(&t, &x, &rows);
            // The turns are at 50 k − shift: after the row 49 and before the row 50, or at the row 50 itself.
            let from = if shift == 0.0 { 50 } else { 49 };
            for (n, corner) in found.iter().enumerate() {
                let place = (n + 50 - from % 50) % 50;
                let inside = n > 2 && n + 3 < 400;
                assert!(!inside || *corner == at.contains(&place), "{shift} {n} {corner}");
            }
        }
        for per_wave in [12.0, 50.0, 200.0] {
            let wave = |&i: &usize| (std::f64::consts::TAU * i as f64 / per_wave).sin();
            let x: Vec<f64> = rows.iter().map(wave).collect();
            assert!(!corners(&t, &x, &rows).contains(&true), "{per_wave}");
        }
    }

    /// With noise the same corners are found, to a few rows, and a sine still has none.
    #[test]
    fn noise_hides_no_corner_and_makes_none() {
        let mut draws = Draws::new(6, 2);
        let mut noisy = |at: &dyn Fn(f64) -> f64, noise: f64| -> Vec<f64> {
            (0..2000).map(|i| at(0.01 * f64::from(i)) + noise * draws.normal()).collect()
        };
        let saw = |t: f64| 0.5 * ((t / 0.5 + 0.006).rem_euclid(2.0) - 1.0).abs();
        for noise in [0.0, 1e-4, 1e-3] {
            let found = among_noise(&noisy(&saw, noise), 0.01, noise);
            for (n, corner) in found.iter().enumerate() {
                let rows = (n as f64 + 0.3).rem_euclid(50.0);
                let rows = rows.min(50.0 - rows);
                assert!(!corner || rows < 17.0, "{noise}: {n}");
                let inside = n > 40 && n < 1960;
                assert!(!inside || *corner || rows > 1.0, "{noise}: {n}");
            }
        }
        for noise in [0.0, 1e-4, 1e-3, 1e-2] {
            let wave = noisy(&|t| portable::sin(3.0 * t), noise);
            assert!(!among_noise(&wave, 0.01, noise).contains(&true), "{noise}");
        }
    }
}

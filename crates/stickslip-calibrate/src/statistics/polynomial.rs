//! Derivatives of a column by polynomials through its neighbours, and where no polynomial follows it.

use crate::parallel;
use crate::statistics::stats::median;

/// A step in time longer than so many usual ones is a gap, over which nothing is differentiated.
const GAP: f64 = 3.5;
/// Rows on either side from which the noise of the readings is told.
pub const NEAR: usize = 4;
/// The median of χ² with 2 `NEAR` + 1 − 5 degrees of freedom.
const MEDIAN_OF_SQUARES: f64 = 3.356_694;
/// What a polynomial leaves is more than noise if its squares exceed those of noise by so many of their standard deviations,
const BEYOND: f64 = 6.0;
/// and if it is this share of what the reading usually moves within half the window. Of a straight line that turns back in the middle of it
/// the polynomial leaves 3 %, of a sine of twenty rows 0.1 %.
const SHARE: f64 = 0.005;

/// The usual time between rows, s.
pub fn usual_step(time: &[f64]) -> f64 {
    median(&mut time.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>())
}

/// First and second derivative of `values` at each time, by a polynomial of degree four through `m` rows on either side (Savitzky and Golay
/// 1964, here for times as they are), and the sum of squares that it leaves. A parabola would need fewer rows, but it flattens the tops of
/// a motion, and with them the inertia. NaN within `m` rows of an end or a gap.
pub fn local(time: &[f64], values: &[f64], m: usize) -> Vec<[f64; 3]> {
    local_in_few(time, values, m, 1)
}

/// The same at the first of so many rows each.
pub fn local_in_few(time: &[f64], values: &[f64], m: usize, every: usize) -> Vec<[f64; 3]> {
    let longest = GAP * usual_step(time);
    // Running counts of gaps: two rows with the same count have none between them.
    let mut gaps = vec![0usize; time.len()];
    for i in 1..time.len() {
        let gap = time[i] - time[i - 1] > longest || values[i].is_nan() || values[i - 1].is_nan();
        gaps[i] = gaps[i - 1] + usize::from(gap);
    }
    let at = |row: usize| {
        let i = row * every;
        let first = i.wrapping_sub(m);
        let last = i + m;
        if i < m || last >= time.len() || gaps[last] != gaps[first] {
            return [f64::NAN; 3];
        }
        polynomial(&time[first..=last], &values[first..=last], time[i])
    };
    parallel::each_row(time.len().div_ceil(every), at)
}

/// Coefficients of the polynomial.
const WIDE: usize = 5;

/// Slope, curvature and the squares that are left, at `t`, of the polynomial that fits best.
fn polynomial(time: &[f64], values: &[f64], t: f64) -> [f64; 3] {
    // In units of half the window, from its middle, so that the powers are of one size.
    let scale = (time[time.len() - 1] - time[0]) * 0.5;
    // The common level is taken off, or the squares of large readings would cancel.
    let middle = values[values.len() / 2];
    let mut sums = [0.0f64; 2 * WIDE - 1];
    let mut right = [0.0f64; WIDE];
    let mut squares = 0.0;
    for (a, b) in time.iter().zip(values) {
        let u = (a - t) / scale;
        let r = b - middle;
        let mut power = 1.0;
        for k in 0..2 * WIDE - 1 {
            sums[k] += power;
            if k < WIDE {
                right[k] += power * r;
            }
            power *= u;
        }
        squares += r * r;
    }
    let given = right;
    solve(&sums, &mut right);
    // By the normal equations Σr² falls by the product of solution and right-hand side.
    let explained: f64 = given.iter().zip(&right).map(|(a, b)| a * b).sum();
    [right[1] / scale, 2.0 * right[2] / (scale * scale), (squares - explained).max(0.0)]
}

/// The normal equations of a polynomial, from the sums of the powers. They are positive definite: Gauss's elimination needs no exchange of
/// rows.
fn solve(sums: &[f64; 2 * WIDE - 1], right: &mut [f64; WIDE]) {
    let mut a = [[0.0f64; WIDE]; WIDE];
    for (i, row) in a.iter_mut().enumerate() {
        row.copy_from_slice(&sums[i..i + WIDE]);
    }
    for k in 0..WIDE {
        for i in k + 1..WIDE {
            let factor = a[i][k] / a[k][k];
            for j in k..WIDE {
                a[i][j] -= factor * a[k][j];
            }
            right[i] -= factor * right[k];
        }
    }
    for k in (0..WIDE).rev() {
        let known: f64 = (k + 1..WIDE).map(|j| a[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / a[k][k];
    }
}

/// Standard deviations of slope and curvature for readings with one of 1, `step` (s) apart.
pub fn noise_of_derivatives(m: usize, step: f64) -> [f64; 2] {
    let scale = m as f64 * step;
    let mut sums = [0.0f64; 2 * WIDE - 1];
    for i in 0..=2 * m {
        let u = (i as f64 - m as f64) / m as f64;
        (0..2 * WIDE - 1).for_each(|k| sums[k] += u.powi(k as i32));
    }
    // The variance of a coefficient is its own element of the inverse.
    let variance = |k: usize| {
        let mut unit = [0.0; WIDE];
        unit[k] = 1.0;
        solve(&sums, &mut unit);
        unit[k]
    };
    [variance(1).sqrt() / scale, 2.0 * variance(2).sqrt() / (scale * scale)]
}

/// The weights with which a derivative by [`local`], of `order` 1 or 2, averages the derivatives at the rows within `m` of each (Peano's
/// kernel), for rows that are evenly apart. They add up to 1. Where the derivative jumps, that of `local` goes from one side to the other
/// over the window; what is averaged with these weights goes with it.
pub fn averaged_by(m: usize, order: usize) -> Vec<f64> {
    let time: Vec<f64> = (0..=2 * m).map(|i| i as f64 - m as f64).collect();
    let weight = |i: usize| {
        let mut unit = vec![0.0; 2 * m + 1];
        unit[i] = 1.0;
        polynomial(&time, &unit, 0.0)[order - 1]
    };
    let weights: Vec<f64> = (0..=2 * m).map(weight).collect();
    // Σ w(t) x(t) = ∫ k(s) x″(s) ds with k(s) = Σ w(t) (t − s) over the rows after s; for a first derivative k(s) = Σ w(t), which
    // jumps at each row, so that the mean of both sides counts there.
    let kernel = |j: usize| match order {
        1 => weights[j + 1..].iter().sum::<f64>() + 0.5 * weights[j],
        _ => (j + 1..=2 * m).map(|i| weights[i] * (time[i] - time[j])).sum(),
    };
    (0..=2 * m).map(kernel).collect()
}

/// The standard deviation of the noise of the readings, from what polynomials through [`NEAR`] rows on either side leave.
pub fn noise_of_readings(near: &[[f64; 3]]) -> f64 {
    let mut squares: Vec<f64> = near.iter().map(|d| d[2]).filter(|s| s.is_finite()).collect();
    // The median, since near a reversal the polynomial leaves more than noise.
    (median(&mut squares) / MEDIAN_OF_SQUARES).sqrt()
}

/// The standard deviation of what rounding to the last digit, the smallest difference of neighbours, makes of readings. Where a coarse sensor
/// stands still most of the time, the polynomials leave nothing there.
pub fn rounding(values: &[f64]) -> f64 {
    let steps = values.windows(2).map(|w| (w[1] - w[0]).abs()).filter(|d| *d > 0.0);
    let digit = steps.fold(f64::INFINITY, f64::min);
    if digit.is_finite() { digit / 12f64.sqrt() } else { 0.0 }
}

/// The rows at which the polynomial through `m` rows on either side does not follow the readings, by the squares that it leaves: within
/// the window a velocity jumps, and the derivatives belong to neither side of it. `moves` is what the reading usually moves within
/// half the window. Nothing where most rows are so: then the window is too wide for the motion, and no single row is to blame.
pub fn unfollowed(derived: &[[f64; 3]], m: usize, noise: f64, moves: f64) -> Vec<bool> {
    let freedom = (2 * m + 1 - WIDE) as f64;
    let by_noise = noise * noise * (freedom + BEYOND * (2.0 * freedom).sqrt());
    let by_motion = freedom * (SHARE * moves).powi(2);
    let jumps: Vec<bool> = derived.iter().map(|d| d[2] > by_noise + by_motion).collect();
    let count = jumps.iter().filter(|j| **j).count();
    if 2 * count > jumps.len() { vec![false; jumps.len()] } else { jumps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;
    use stickslip::portable::sin;

    const STEP: f64 = 0.01;

    fn derived(at: impl Fn(f64) -> f64, noise: f64, m: usize) -> Vec<[f64; 3]> {
        let mut draws = Draws::new(3, 8);
        let time: Vec<f64> = (0..2000).map(|i| STEP * f64::from(i)).collect();
        let values: Vec<f64> = time.iter().map(|t| at(*t) + noise * draws.normal()).collect();
        local(&time, &values, m)
    }

    /// Next to a turn of a triangle no polynomial follows it, and nowhere else; a sine is followed, however few rows it has.
    #[test]
    fn corners_are_not_followed_and_bends_are() {
        // One metre per second, with a turn every half second, between two rows.
        let saw = |t: f64| 0.5 * (((t + 0.003) / 0.5 + 1.0).rem_euclid(2.0) - 1.0).abs();
        for (m, noise) in [(4, 0.0), (8, 0.0), (8, 2e-4), (8, 4e-4)] {
            let moves = m as f64 * STEP;
            let found = unfollowed(&derived(saw, noise, m), m, noise, moves);
            for (i, jump) in found.iter().enumerate().take(2000 - m).skip(m) {
                let since = (STEP * i as f64 + 0.003).rem_euclid(0.5).min(0.5 - 1e-12);
                let rows = since.min(0.5 - since) / STEP;
                assert!(!(*jump && rows > m as f64), "{m} {noise}: row {i}");
                assert!(*jump || rows > 0.25 * m as f64, "{m} {noise}: row {i}");
            }
        }
        for per_wave in [20.0, 50.0, 300.0] {
            let turn = std::f64::consts::TAU / (per_wave * STEP);
            let usual = turn * 0.5f64.sqrt();
            for noise in [0.0, 1e-4, 1e-2] {
                let found = derived(|t| sin(turn * t), noise, NEAR);
                let moves = usual * NEAR as f64 * STEP;
                let found = unfollowed(&found, NEAR, noise, moves);
                // Six standard deviations of χ² with four degrees of freedom come once in a thousand.
                let most = if noise > 0.0 { 8 } else { 0 };
                let count = found.iter().filter(|j| **j).count();
                assert!(count <= most, "{per_wave} {noise}: {count}");
            }
        }
    }

    /// By calculus: constants are averaged to themselves. Of a motion whose acceleration jumps from 0 to 1 at a row, where it is ½, or whose
    /// velocity jumps so between two rows, the polynomial gives the averages, wherever it stands.
    #[test]
    fn derivatives_are_averages_of_derivatives() {
        for m in [2, 4, 16, 64] {
            let time: Vec<f64> = (0..400).map(|i| STEP * f64::from(i)).collect();
            for (order, row) in [(1, 200.5), (2, 200.0)] {
                let weights = averaged_by(m, order);
                assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{m} {order}");
                let jumps = |t: &f64| (t - STEP * row).max(0.0).powi(order as i32) / order as f64;
                let values: Vec<f64> = time.iter().map(jumps).collect();
                let found = local(&time, &values, m);
                let side = |i: usize| 0.5 + 0.5 * (i as f64).total_cmp(&row) as i32 as f64;
                for i in 200 - m..=200 + m {
                    let average: f64 = (0..=2 * m).map(|j| weights[j] * side(i + j - m)).sum();
                    let off = found[i][order - 1] - average;
                    assert!(off.abs() < 1e-9, "{m} {order} {i}: {off}");
                }
            }
        }
    }
}

//! A displacement whose noise turns it back between rows.
//!
//! A friction element turns with every reversal of the displacement. Where noise makes some, at slow motion and around turns, it loses
//! force that the device does not lose, the more the slower the motion is: too much friction and too little damping come out, alike
//! in every block of the record. In the rates of the displacement the same noise makes too little of the damping. So a displacement
//! whose noise turns it, or is felt by a damper, is replaced by local parabolas, each over as many rows as it
//! follows to within the noise: the largest window whose squares are those of noise (Lepski 1990), so that corners of the motion stay.

use crate::statistics::stats::{mean, robust};

/// More changes of direction than so many for each turn of the motion are made by noise.
const TURNED: f64 = 1.1;
/// And so many turns more, for a record of a few.
const FEW: usize = 2;
/// Noise of the rates makes damping too small by its share of their variance: more than this is too much.
const OF_THE_RATES: f64 = 0.002;
/// Rows on either side that are tried.
const WINDOWS: [usize; 8] = [2, 3, 4, 6, 8, 12, 16, WIDEST];
const WIDEST: usize = 24;
/// Standard deviations by which the squares of a window may exceed those of noise.
const MORE: f64 = 5.0;

/// Rows on either side whose windows are compared.
const NEIGHBOURS: usize = 4;

/// A displacement without its noise.
pub struct Smooth {
    /// The displacement; as it was where it is not among the rows.
    pub displacement: Vec<f64>,
    /// The standard deviation of the noise, m.
    pub noise: f64,
    /// Rows on either side, as is usual.
    pub rows: usize,
}

/// The noise of readings from their fifth differences: 1 + 25 + 100 + 100 + 25 + 1 times its variance. A motion that is sampled with few
/// rows from turn to turn leaves much less in them than in the third.
fn noise_of(at: &[f64]) -> f64 {
    let fifth = at.windows(6).map(|w| w[5] - w[0] - 5.0 * (w[4] - w[1]) + 10.0 * (w[3] - w[2]));
    robust(fifth) / 252f64.sqrt()
}

/// Whether a damper would feel the noise: how fast the motion is must vary by much more than noise makes of it.
fn is_felt(at: &[f64], noise: f64) -> bool {
    // Over two rows, in steps of a row, the noise of a rate has half the variance of that of a reading.
    let speeds: Vec<f64> = at.windows(3).map(|w| 0.5 * (w[2] - w[0]).abs()).collect();
    let middle = mean(&speeds);
    let variance = speeds.iter().map(|v| (v - middle).powi(2)).sum::<f64>() / speeds.len() as f64;
    0.5 * noise * noise > OF_THE_RATES * variance
}

/// The displacement at some rows by local parabolas, if noise turns it more often than the motion does, or is felt in its rates.
pub fn smooth(t: &[f64], x: &[f64], rows: &[usize], turns: usize) -> Option<Smooth> {
    let at: Vec<f64> = rows.iter().map(|&i| x[i]).collect();
    let steps: Vec<f64> = at.windows(2).map(|w| w[1] - w[0]).filter(|d| *d != 0.0).collect();
    let changes = steps.windows(2).filter(|w| w[0] * w[1] < 0.0).count();
    let noise = noise_of(&at);
    let is_turned = changes as f64 > TURNED * (turns + FEW) as f64;
    if noise.is_nan() || noise <= 0.0 || !(is_turned || is_felt(&at, noise)) {
        return None;
    }
    let window = |n: usize, half: usize| {
        let rows_of = n.saturating_sub(half)..(n + half + 1).min(rows.len());
        let scale = t[rows[rows_of.end - 1]] - t[rows[rows_of.start]];
        let mut points = [(0.0, 0.0); 2 * WIDEST + 1];
        let points = &mut points[..rows_of.len()];
        for (point, k) in points.iter_mut().zip(rows_of) {
            *point = ((t[rows[k]] - t[rows[n]]) / scale, at[k]);
        }
        parabola(points)
    };
    let widest = |n: usize| {
        let fits = |half: &usize| {
            let found = window(n, *half);
            // Squares of noise have a mean of 1 and a variance of 2 for each row that is free.
            found.is_some_and(|(_, squares, free)| {
                squares <= noise * noise * (free + MORE * (2.0 * free).sqrt())
            })
        };
        WINDOWS.into_iter().take_while(fits).last().unwrap_or(0)
    };
    let halves = crate::parallel::each_row(rows.len(), widest);
    // A window that ends early by chance would leave its noise in one row: as its neighbours do.
    let usual = |n: usize| {
        let near = n.saturating_sub(NEIGHBOURS)..(n + NEIGHBOURS + 1).min(rows.len());
        let mut near = halves[near].to_vec();
        near.sort_unstable();
        near[near.len() / 2]
    };
    let own: Vec<usize> = (0..rows.len()).map(usual).collect();
    let value = |n: usize| window(n, own[n]).filter(|_| own[n] > 0).map_or(at[n], |w| w.0);
    let mut displacement = x.to_vec();
    rows.iter()
        .zip(crate::parallel::each_row(rows.len(), value))
        .for_each(|(&i, v)| displacement[i] = v);
    let mut all = own.clone();
    all.sort_unstable();
    Some(Smooth { displacement, noise, rows: all[all.len() / 2] })
}

/// The value at 0 of the parabola of least squares through points, the squares that it leaves, and points less numbers.
fn parabola(points: &[(f64, f64)]) -> Option<(f64, f64, f64)> {
    let mut sums = [0.0; 5];
    let mut right = [0.0; 3];
    // About their mean, so that squares of small differences of large numbers keep their digits.
    let count = points.len() as f64;
    let middle = points.iter().map(|p| p.1).sum::<f64>() / count;
    for &(s, y) in points {
        let powers = [1.0, s, s * s, s * s * s, s * s * s * s];
        sums.iter_mut().zip(powers).for_each(|(sum, p)| *sum += p);
        right.iter_mut().zip(powers).for_each(|(sum, p)| *sum += p * (y - middle));
    }
    let [n, a, b, c, d] = sums;
    let minors = [b * d - c * c, a * d - b * c, a * c - b * b];
    let whole = n * minors[0] - a * minors[1] + b * minors[2];
    if count < 4.0 || whole.is_nan() || whole <= 0.0 {
        return None;
    }
    let [p, q, r] = right;
    let at_0 = (p * minors[0] - q * minors[1] + r * minors[2]) / whole;
    let slope = (-p * minors[1] + q * (n * d - b * b) - r * (n * c - a * b)) / whole;
    let bend = (p * minors[2] - q * (n * c - a * b) + r * (n * b - a * a)) / whole;
    let left = points.iter().map(|(s, y)| y - middle - at_0 - s * (slope + s * bend));
    Some((middle + at_0, left.map(|l| l * l).sum(), count - 3.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    /// A parabola is given back, whatever the times.
    #[test]
    fn a_parabola_is_a_parabola() {
        let points = [-0.7f64, -0.2, 0.0, 0.05, 0.6].map(|s| (s, 3.0 - 2.0 * s + 0.5 * s * s));
        let (value, squares, free) = parabola(&points).unwrap();
        assert!((value - 3.0).abs() < 1e-12 && squares < 1e-24 && free == 2.0, "{value} {squares}");
    }

    /// What stays of noise σ in the middle of a parabola over 2h + 1 rows is σ √(9/(4 (2h + 1))) for large h: below half for h ≥ 5.
    /// A saw keeps its corners: nowhere more than the noise itself could be is lost.
    #[test]
    fn noise_goes_and_corners_stay() {
        let saw = |i: usize| (i as f64 / 200.0 % 2.0 - 1.0).abs();
        let mut draws = Draws::new(5, 1);
        let t: Vec<f64> = (0..4000).map(|i| 0.01 * i as f64).collect();
        let noise = 4e-3;
        let x: Vec<f64> = (0..4000).map(|i| saw(i) + noise * draws.normal()).collect();
        let rows: Vec<usize> = (0..4000).collect();
        let found = smooth(&t, &x, &rows, 21).unwrap();
        assert!((found.noise / noise - 1.0).abs() < 0.1, "{}", found.noise);
        let off = |i: usize| found.displacement[i] - saw(i);
        let rms = (rows.iter().map(|&i| off(i).powi(2)).sum::<f64>() / 4000.0).sqrt();
        assert!(rms < 0.5 * noise, "{rms}");
        let worst = rows.iter().map(|&i| off(i).abs()).fold(0.0, f64::max);
        assert!(worst < 4.0 * noise, "{worst}");
        // A motion that noise does not turn stays as it is.
        let clean: Vec<f64> = (0..4000).map(saw).collect();
        assert!(smooth(&t, &clean, &rows, 21).is_none());
    }
}

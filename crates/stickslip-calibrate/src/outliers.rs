//! Spikes: which rows are left out, by a rule that is stated.
//!
//! A spike is one sample, or a few, far from its neighbours; a slip is a step, and stays. Before the fit a
//! value is a spike if it differs from the median of the seven around it by more than
//! max(threshold, 10) robust standard deviations of such differences (Hampel 1974): medians keep steps.
//! After the fit a response is left out if its residual is more than `threshold` robust standard
//! deviations from zero, unless it is within four rows of a slip, where the path may be a little late. A robust standard deviation is 1.4826 times the median of the absolute
//! values. If more than 1 % of the values would go, they are no spikes and all stay.

/// Half the window of the median.
const REACH: usize = 3;
/// More than this share are no spikes.
const MOST: f64 = 0.01;
/// Before the fit, at least so many robust standard deviations.
const LEAST: f64 = 10.0;
/// A window this many times longer than usual spans a gap.
const WIDEST: f64 = 2.0;
/// Makes the median of absolute values a standard deviation, for a normal law.
const TO_SIGMA: f64 = 1.4826;

/// Rows of `values` (NaN: missing) that are spikes against their neighbours, in order.
pub fn spikes(time: &[f64], values: &[f64], threshold: f64) -> Vec<usize> {
    let rows: Vec<usize> = (0..values.len()).filter(|&i| !values[i].is_nan()).collect();
    if rows.len() < 8 * REACH {
        return Vec::new();
    }
    let whole = (time[rows[rows.len() - 1]] - time[rows[0]]) / (rows.len() - 1) as f64;
    let apart = |k: usize| {
        let from = k.saturating_sub(REACH).min(rows.len() - 2 * REACH - 1);
        // Across a gap anything may have happened: no judgement.
        if time[rows[from + 2 * REACH]] - time[rows[from]] > WIDEST * whole * (2 * REACH) as f64 {
            return f64::NAN;
        }
        let mut window: [f64; 2 * REACH + 1] = std::array::from_fn(|j| values[rows[from + j]]);
        let (_, middle, _) = window.select_nth_unstable_by(REACH, f64::total_cmp);
        values[rows[k]] - *middle
    };
    let differences: Vec<f64> = (0..rows.len()).map(apart).collect();
    pick(&differences, threshold.max(LEAST)).into_iter().map(|k| rows[k]).collect()
}

/// Indices of residuals (NaN: none) beyond the threshold.
///
/// Four or more in a row are no spike: there the path is wrong, and leaving them out would hide it.
pub fn beyond(residuals: &[f64], threshold: f64) -> Vec<usize> {
    let far = pick(residuals, threshold);
    let runs = far.chunk_by(|a, b| b - a == 1);
    runs.filter(|run| run.len() <= REACH).flatten().copied().collect()
}

fn pick(values: &[f64], threshold: f64) -> Vec<usize> {
    let mut sizes: Vec<f64> = values.iter().filter(|v| !v.is_nan()).map(|v| v.abs()).collect();
    if sizes.is_empty() {
        return Vec::new();
    }
    let middle = sizes.len() / 2;
    let sigma = TO_SIGMA * *sizes.select_nth_unstable_by(middle, f64::total_cmp).1;
    // Most differences are exactly 0 where the record is rounded coarsely: no scale, no rule.
    if sigma <= 0.0 {
        return Vec::new();
    }
    let far: Vec<usize> =
        (0..values.len()).filter(|&i| values[i].abs() > threshold * sigma).collect();
    if far.len() as f64 > MOST * sizes.len() as f64 { Vec::new() } else { far }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps, drift and noise stay; three spikes go, one of them two samples long.
    #[test]
    fn spikes_go_and_steps_stay() {
        let mut draws = crate::draw::Draws::new(4, 4);
        let mut values: Vec<f64> = (0..1000)
            .map(|i| 1e-3 * f64::from(i) + f64::from(i > 500) * 9.0 + 0.1 * draws.normal())
            .collect();
        values[33] = f64::NAN;
        for (row, by) in [(100, 5.0), (700, -4.0), (701, -4.0), (999, 30.0)] {
            values[row] += by;
        }
        let time: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(spikes(&time, &values, 6.0), [100, 700, 701, 999]);
        assert!(spikes(&time[..10], &values[..10], 6.0).is_empty());
        // A gap with another level behind it is none.
        let gap: Vec<f64> = (0..1000).map(|i| f64::from(i) + f64::from(i >= 400) * 300.0).collect();
        let level: Vec<f64> =
            (0..1000).map(|i| f64::from(i >= 402) * 9.0 + 0.1 * draws.normal()).collect();
        assert!(spikes(&gap, &level, 6.0).is_empty());
        // A fifth of the record cannot be spikes.
        let many: Vec<f64> = (0..1000)
            .map(|i| f64::from(u8::from(i % 5 == 0)) * 9.0 + 0.1 * draws.normal())
            .collect();
        assert!(spikes(&time, &many, 6.0).is_empty());
        assert!(beyond(&[0.0; 50], 6.0).is_empty());
    }
}

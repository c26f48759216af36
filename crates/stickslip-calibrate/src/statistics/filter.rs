//! Filters without delay, and the quantile of the normal law.

use crate::control::go_on;
use crate::error::Error;
use stickslip::portable;

/// Samples between two looks at whether somebody has asked to stop.
const BETWEEN: usize = 1 << 16;

/// Running median over `width` (odd) samples, shorter at the ends; NaN where the window's middle is
/// missing, and missing values elsewhere in the window are left out.
pub fn running_median(values: &[f64], width: usize) -> Result<Vec<f64>, Error> {
    let half = width / 2;
    let mut window: Vec<f64> = Vec::with_capacity(width + 1);
    let put = |window: &mut Vec<f64>, v: f64| {
        if !v.is_nan() {
            window.insert(window.partition_point(|w| *w < v), v);
        }
    };
    // The first half window is in before the first row is asked for; each row then adds one at the right.
    values.iter().take(half).for_each(|&v| put(&mut window, v));
    (0..values.len())
        .map(|i| {
            if i % BETWEEN == 0 {
                go_on()?;
            }
            if let Some(&v) = values.get(i + half) {
                put(&mut window, v);
            }
            // NaN was never put in, so that there is nothing to take out.
            if let Some(v) = i.checked_sub(half + 1).map(|j| values[j]).filter(|v| !v.is_nan()) {
                window.remove(window.partition_point(|w| *w < v));
            }
            let n = window.len();
            let known = !values[i].is_nan() && n > 0;
            Ok(if known { 0.5 * (window[(n - 1) / 2] + window[n / 2]) } else { f64::NAN })
        })
        .collect()
}

/// Mean over `width` (odd) samples; NaN where the window holds a missing value or leaves the record.
pub fn running_mean(values: &[f64], width: usize) -> Vec<f64> {
    let half = width / 2;
    let mut out = vec![f64::NAN; values.len()];
    let mut present = values.iter().filter(|v| !v.is_nan());
    // Sums up to each sample, from a level near the values so that little is lost to rounding.
    let level = present.next().copied().unwrap_or(0.0);
    let mut sums = Vec::with_capacity(values.len() + 1);
    sums.push((0.0, 0usize));
    let mut sum = 0.0;
    let mut holes = 0;
    for v in values {
        if v.is_nan() {
            holes += 1
        } else {
            sum += v - level
        }
        sums.push((sum, holes));
    }
    for (i, ends) in sums.windows(width + 1).enumerate() {
        let first = ends[0];
        let last = ends[width];
        // The number of holes up to both ends is the same where there is none between them.
        if first.1 == last.1 {
            out[i + half] = level + (last.0 - first.0) / width as f64;
        }
    }
    out
}

/// Second-order section of a digital filter, transposed direct form II.
#[derive(Debug, Clone, Copy)]
struct Section {
    b: [f64; 3],
    a: [f64; 2],
}

/// A section in use, on several columns side by side.
struct Running<const N: usize> {
    section: Section,
    z1: [f64; N],
    z2: [f64; N],
}

impl<const N: usize> Running<N> {
    /// At rest on these values: gain 1 for constants.
    fn on(section: Section, first: [f64; N]) -> Self {
        let [_, b1, b2] = section.b;
        let [a1, a2] = section.a;
        let z2 = first.map(|first| (b2 - a2) * first);
        let z1 = std::array::from_fn(|l| (b1 - a1) * first[l] + z2[l]);
        Self { section, z1, z2 }
    }

    fn next(&mut self, v: [f64; N]) -> [f64; N] {
        let [b0, b1, b2] = self.section.b;
        let [a1, a2] = self.section.a;
        let mut out = [0.0; N];
        for l in 0..N {
            let y = b0 * v[l] + self.z1[l];
            self.z1[l] = b1 * v[l] - a1 * y + self.z2[l];
            self.z2[l] = b2 * v[l] - a2 * y;
            out[l] = y;
        }
        out
    }
}

/// Both sections, one after the other at each row: while the processor waits for what one of them needs of the row before, it works on
/// the other one, and on the other columns.
fn pass<'v, const N: usize>(
    sections: [Section; 2],
    values: impl Iterator<Item = &'v mut [f64; N]>,
) {
    let mut values = values;
    let Some(first) = values.next() else { return };
    let mut one = Running::on(sections[0], *first);
    let between = one.next(*first);
    let mut two = Running::on(sections[1], between);
    *first = two.next(between);
    for v in values {
        *v = two.next(one.next(*v));
    }
}

/// Butterworth low-pass of order 4 run forwards and backwards: no delay, gain 1/(1 + r⁸) with
/// r = tan(πf·step)/tan(π·`cutoff`·step), so ½ at the cut-off (bilinear transform; Oppenheim and
/// Schafer). `cutoff` in Hz, below half the sampling rate. The record is continued beyond both ends
/// by its reflection through the end point.
pub fn zero_phase(values: &[f64], cutoff: f64, step: f64) -> Result<Vec<f64>, Error> {
    let out = zero_phases(values.len(), |i| [values[i]], cutoff, step)?;
    Ok(out.into_iter().map(|[v]| v).collect())
}

/// The same of several columns side by side, `at` the rows 0 to `rows` − 1: each as if it were alone.
pub fn zero_phases<const N: usize>(
    rows: usize,
    at: impl Fn(usize) -> [f64; N],
    cutoff: f64,
    step: f64,
) -> Result<Vec<[f64; N]>, Error> {
    go_on()?;
    let n = rows;
    let pad = ((10.0 / (cutoff * step)).ceil() as usize).min(n.saturating_sub(1));
    let mut long = Vec::with_capacity(n + 2 * pad);
    // Reflected through the end point, value and slope go on, and the filter, which starts at rest, has settled
    // where the record begins.
    let through = |end: usize, i: usize| -> [f64; N] {
        let [end, value] = [at(end), at(i)];
        std::array::from_fn(|l| 2.0 * end[l] - value[l])
    };
    long.extend((1..=pad).rev().map(|i| through(0, i)));
    long.extend((0..n).map(&at));
    long.extend((1..=pad).map(|i| through(n - 1, n - 1 - i)));
    let c = 1.0 / portable::tan(std::f64::consts::PI * cutoff * step);
    let sections = [1.0, 3.0].map(|k: f64| {
        // Poles at angles π/8 and 3π/8 from the negative real axis: 1/Q = 2 cos of it.
        let damping = 2.0 * portable::cos(k * std::f64::consts::PI / 8.0);
        let b0 = 1.0 / (1.0 + damping * c + c * c);
        let a = [2.0 * (1.0 - c * c) * b0, (1.0 - damping * c + c * c) * b0];
        Section { b: [b0, 2.0 * b0, b0], a }
    });
    // Forwards and backwards the delays cancel and the gain is squared.
    pass(sections, long.iter_mut());
    pass(sections, long.iter_mut().rev());
    long.truncate(pad + n);
    long.drain(..pad);
    Ok(long)
}

/// Central differences over five points, (8 (x₁ − x₋₁) − (x₂ − x₋₂))/(12 step): an error of (ω step)⁴/30 for a
/// sine. Over fewer points near the ends.
pub fn derivative(values: &[f64], step: f64) -> Vec<f64> {
    let n = values.len();
    let at = |i: usize| {
        if i >= 2 && i + 2 < n {
            let near = values[i + 1] - values[i - 1];
            let far = values[i + 2] - values[i - 2];
            return (8.0 * near - far) / (12.0 * step);
        }
        let a = i.saturating_sub(1);
        let b = (i + 1).min(n - 1);
        if a == b { 0.0 } else { (values[b] - values[a]) / ((b - a) as f64 * step) }
    };
    (0..n).map(at).collect()
}

/// z with P(N(0,1) > z) = `tail`, for 0 < `tail` < ½: Acklam's rational approximation (2003),
/// relative error below 1.2·10⁻⁹.
pub fn normal_quantile(tail: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969683028665376e1,
        2.209460984245205e2,
        -2.759285104469687e2,
        1.38357751867269e2,
        -3.066479806614716e1,
        2.506628277459239,
    ];
    const B: [f64; 5] = [
        -5.447609879822406e1,
        1.615858368580409e2,
        -1.556989798598866e2,
        6.680131188771972e1,
        -1.328068155288572e1,
    ];
    const C: [f64; 6] = [
        -7.784894002430293e-3,
        -3.223964580411365e-1,
        -2.400758277161838,
        -2.549732539343734,
        4.374664141464968,
        2.938163982698783,
    ];
    const D: [f64; 4] =
        [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416];
    let poly = |c: &[f64], x: f64| c.iter().fold(0.0, |s, c| s * x + c);
    // The tail has a fit of its own in √(−2 ln p), in which the quantile is nearly straight.
    if tail < 0.02425 {
        let q = (-2.0 * portable::log(tail)).sqrt();
        -poly(&C, q) / (poly(&D, q) * q + 1.0)
    } else {
        let q = 0.5 - tail;
        let r = q * q;
        poly(&A, r) * q / (poly(&B, r) * r + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from Abramowitz and Stegun, Table 26.5, and from 30-digit arithmetic.
    #[test]
    fn quantiles() {
        for (tail, z) in
            [(0.025, 1.959963984540054), (1e-6, 4.753424308822899), (1e-8, 5.612001244174788)]
        {
            assert!((normal_quantile(tail) / z - 1.0).abs() < 2e-9, "{tail}");
        }
        assert!(normal_quantile(0.4) > 0.0 && normal_quantile(0.4) < 0.2534);
    }

    #[test]
    fn medians_against_sorting() {
        let values: Vec<f64> =
            (0..200).map(|i| if i == 50 { f64::NAN } else { (f64::from(i) * 7.3).sin() }).collect();
        let fast = running_median(&values, 7).unwrap();
        for i in 0..200usize {
            let window = &values[i.saturating_sub(3)..(i + 4).min(200)];
            let mut window: Vec<f64> = window.iter().copied().filter(|v| !v.is_nan()).collect();
            window.sort_unstable_by(f64::total_cmp);
            let n = window.len();
            let slow = 0.5 * (window[(n - 1) / 2] + window[n / 2]);
            assert!(if i == 50 { fast[i].is_nan() } else { fast[i] == slow }, "{i}");
        }
    }

    /// The gain 1/(1 + r⁸) of the theory, and no delay, on sines.
    #[test]
    fn butterworth_forwards_and_backwards() {
        let step = 1e-3;
        let cutoff = 50.0;
        for f in [5.0, 30.0, 50.0, 70.0] {
            let sine: Vec<f64> = (0..4000)
                .map(|i| (std::f64::consts::TAU * f * step * f64::from(i)).sin())
                .collect();
            let out = zero_phase(&sine, cutoff, step).unwrap();
            let r = (std::f64::consts::PI * f * step).tan()
                / (std::f64::consts::PI * cutoff * step).tan();
            let gain = 1.0 / (1.0 + r.powi(8));
            for i in 1000..3000 {
                assert!((out[i] - gain * sine[i]).abs() < 1e-6, "{f} Hz at {i}");
            }
        }
        // Side by side with others each comes out as alone, to the last bit.
        let columns: [Vec<f64>; 3] =
            [1.0, 2.7, 9.1].map(|w| (0..900).map(|i| (0.01 * w * f64::from(i)).sin()).collect());
        let of = |i: usize| columns.each_ref().map(|c| c[i]);
        let both = zero_phases(900, of, cutoff, step).unwrap();
        for (l, column) in columns.iter().enumerate() {
            let alone = zero_phase(column, cutoff, step).unwrap();
            assert!(both.iter().zip(&alone).all(|(a, b)| a[l].to_bits() == b.to_bits()), "{l}");
        }
        let line: Vec<f64> = (0..500).map(|i| 2.0 + 0.5 * f64::from(i)).collect();
        let out = zero_phase(&line, cutoff, step).unwrap();
        assert!(line.iter().zip(&out).all(|(a, b)| (a - b).abs() < 1e-6));
    }
}

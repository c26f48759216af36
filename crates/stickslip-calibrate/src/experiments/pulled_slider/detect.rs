//! Finding slips in noise, with a stated rate of false alarms.
//!
//! The spring force of a slider that moves no faster than its far end cannot fall: F' = k(V − v) ≥ 0.
//! A slip is a fall. With T = π√(m/k), the time a slip takes, the statistic at sample i is
//!
//! ```text
//! D_i = F̄(i + T/2) − F̄(i − T/2),     F̄ = mean over w = T/4 of the running median over T/8 (at most 61 samples)
//! ```
//!
//! and a slip is wherever D_i < −θ. The median removes single spikes. Under "no slip" D_i has a mean ≥ 0
//! and, for independent noise of standard deviation σ, a variance ≤ 2 (π/2) σ²/w, since a median has at
//! most π/2 times the variance of a mean. With
//!
//! ```text
//! θ = z s,     z = Φ⁻¹(1 − α/N),     s = max(σ √(π/w), s₊)
//! ```
//!
//! the expected number of samples of a record of N samples without slips that raise a false alarm is at
//! most α, and so is the probability of any. σ comes from the second differences of the record (median of
//! their size / (0.6745 √6)), to which slips and slopes add nothing. s₊ is there for noise that is *not* independent (hum, drift):
//! the spread of D itself above its most frequent value c, where slips never are:
//! median(D − c : D > c)/0.6745, with c at most the rise kVT of a stick.

use crate::control::go_on;
use crate::error::Error;
use crate::statistics::filter::{normal_quantile, running_mean, running_median};
use crate::statistics::stats::{mean, median};
use serde::Serialize;

/// Median of |N(0,1)|.
const HALF: f64 = 0.674_489_750_196_081_7;
/// Longest running median, samples: spikes are shorter.
const LONGEST_MEDIAN: usize = 61;

/// How slips were told from noise.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detection {
    /// θ = z s, and how it was found, in words.
    pub formula: &'static str,
    /// α: expected number of false alarms in a record of this length without slips.
    pub false_alarms: f64,
    /// N: samples that were tested.
    pub samples: usize,
    /// z = Φ⁻¹(1 − α/N).
    pub z: f64,
    /// σ: standard deviation of the noise of one sample, F/(m g).
    pub noise: f64,
    /// s: standard deviation of the statistic D without slips, F/(m g).
    pub spread: f64,
    /// θ: a fall greater than this is a slip, F/(m g).
    pub threshold: f64,
    /// T = π√(m/k), samples.
    pub lag: usize,
    /// w, samples.
    pub window: usize,
    /// Width of the running median, samples.
    pub median: usize,
    /// Whether noise that is not independent set s.
    pub coloured: bool,
}

/// The record made ready, and where it falls.
#[derive(Debug, Clone)]
pub struct Falls {
    /// Running median: spikes are gone.
    pub clean: Vec<f64>,
    /// D; NaN at the ends and around holes.
    pub fall: Vec<f64>,
    /// Stretches of samples with D < −θ: first and one past the last.
    pub found: Vec<(usize, usize)>,
    /// How.
    pub detection: Detection,
}

/// Looks for slips. `force` is F/(m g) on an even grid, `lag` = T in samples, `rise` = k V T/(m g).
///
/// # Errors
/// If somebody has asked to stop.
pub fn find(force: &[f64], lag: usize, rise: f64, false_alarms: f64) -> Result<Falls, Error> {
    let odd = |n: usize, least: usize| (n / 2 * 2 + 1).max(least);
    let width = odd(lag / 8, 3).min(LONGEST_MEDIAN);
    let window = odd(lag / 4, 3);
    let clean = running_median(force, width)?;
    go_on()?;
    let smooth = running_mean(&clean, window);
    let half = lag / 2;
    let mut fall = vec![f64::NAN; force.len()];
    for i in half..force.len().saturating_sub(half) {
        fall[i] = smooth[i + half] - smooth[i - half];
    }
    let mut tested: Vec<f64> = fall.iter().copied().filter(|d| !d.is_nan()).collect();
    let samples = tested.len();
    go_on()?;
    let noise = white(force);
    go_on()?;
    let independent = noise * (std::f64::consts::PI / window as f64).sqrt();
    let observed = above(&mut tested, rise);
    let spread = independent.max(observed);
    go_on()?;
    let z = normal_quantile((false_alarms / samples.max(1) as f64).min(0.49));
    let threshold = z * spread;
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (i, &d) in fall.iter().enumerate() {
        // A noiseless record has θ = 0 up to rounding: a fall must still be one.
        if d < -threshold && d < -1e-9 * rise {
            match found.last_mut() {
                // Noise can lift D above −θ for a moment: within half a window that is the same slip.
                Some(last) if i <= last.1 + window / 2 => last.1 = i + 1,
                _ => found.push((i, i + 1)),
            }
        }
    }
    let detection = Detection {
        formula: "a fall of more than z s within T, z = Φ⁻¹(1 − α/N), s = max(σ √(π/w), s₊)",
        false_alarms,
        samples,
        z,
        noise,
        spread,
        threshold,
        lag,
        window,
        median: width,
        coloured: observed > 1.2 * independent,
    };
    Ok(Falls { clean, fall, found, detection })
}

/// σ of independent noise from second differences.
fn white(force: &[f64]) -> f64 {
    let second = force.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).abs());
    let mut second: Vec<f64> = second.filter(|d| !d.is_nan()).collect();
    let middle = median(&mut second);
    if middle > 0.0 {
        return middle / (HALF * 6f64.sqrt());
    }
    // A coarsely quantised record repeats itself more often than not: half a step rounds to ±.
    let smallest = second.iter().copied().filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { smallest / 12f64.sqrt() } else { 0.0 }
}

/// Standard deviation of what lies above the most frequent value, or above `most` if that is less.
fn above(values: &mut [f64], most: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    // The half-sample mode (Bickel and Frühwirth 2006): the shortest half, again and again.
    let mut part = &values[..];
    while part.len() > 3 {
        let half = part.len().div_ceil(2);
        let width = |i: &usize| part[i + half - 1] - part[*i];
        let first = (0..=part.len() - half).min_by(|a, b| width(a).total_cmp(&width(b)));
        let first = first.unwrap_or(0);
        part = &part[first..first + half];
    }
    let mode = if part.is_empty() { 0.0 } else { mean(part) };
    let from = mode.min(most);
    let mut upper: Vec<f64> = values.iter().filter(|v| **v > from).map(|v| v - from).collect();
    if upper.is_empty() { 0.0 } else { median(&mut upper) / HALF }
}

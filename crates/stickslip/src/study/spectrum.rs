//! Power spectrum of a response: how its variance is spread over frequencies.
//!
//! Welch's method (1967): the series is cut into segments that overlap by half, each is freed of its
//! mean and weighted with Hann's window w, and the squared magnitudes of their Fourier transforms
//! are averaged,
//!
//! ```text
//! S(f_k) = 2 Δt / Σ wₙ² · ⟨|Σ wₙ (uₙ − ū) e^{−2πi kn/L}|²⟩,      f_k = k/(L Δt)
//! ```
//!
//! one-sided, in the response's unit squared per Hz, so that Σ S Δf is the variance. Frequencies
//! below 1/(L Δt) are not seen.

use super::ensemble::Plan;
use super::fourier::Fourier;
use crate::error::{Error, require};
use crate::portable;
use crate::scheme::stochastic::{PathId, Walker};
use crate::study::parallel::map;
use num_complex::Complex64;
use std::f64::consts::TAU;

/// Longest segment, in samples.
const LONGEST: usize = 1 << 14;
/// Most samples of all paths that are looked at.
const MOST: usize = 1 << 24;
/// Most paths that are looked at.
const PATHS: usize = 64;

/// Averages the spectra of segments of one length.
pub struct Welch {
    step: f64,
    window: Vec<f64>,
    fourier: Fourier,
}

impl Welch {
    /// For series sampled every `step` (s) and `length` samples in a segment, 4 or more and even.
    ///
    /// # Errors
    /// If a number is outside its range.
    pub fn new(step: f64, length: usize) -> Result<Self, Error> {
        require("the sampling interval", step, step > 0.0, "a finite interval > 0 s")?;
        let even = length >= 4 && length.is_multiple_of(2);
        require("the length of a segment", length as f64, even, "an even number of samples ≥ 4")?;
        let hann = |n: usize| 0.5 - 0.5 * portable::cos(TAU * n as f64 / length as f64);
        Ok(Self { step, window: (0..length).map(hann).collect(), fourier: Fourier::new(length) })
    }

    /// Segments for `paths` series of `samples`: long ones see low frequencies, many average well.
    /// With eight paths or more there are enough of them.
    ///
    /// # Errors
    /// If a number is outside its range.
    pub fn for_length(step: f64, samples: usize, paths: usize) -> Result<Self, Error> {
        let most = if paths >= 8 { samples } else { samples / 4 };
        Self::new(step, 1 << most.clamp(4, LONGEST).ilog2())
    }

    /// Frequencies of the spectrum, Hz: from the first above 0 to half the sampling rate.
    pub fn frequencies(&self) -> Vec<f64> {
        let length = self.window.len();
        (1..=length / 2).map(|k| k as f64 / (length as f64 * self.step)).collect()
    }

    /// S at [`frequencies`](Self::frequencies), unit²/Hz; a series shorter than a segment is an error.
    ///
    /// # Errors
    /// If the series is shorter than a segment.
    pub fn density(&self, values: &[f64]) -> Result<Vec<f64>, Error> {
        let length = self.window.len();
        let enough = values.len() >= length;
        require("the number of samples", values.len() as f64, enough, "at least a segment's")?;
        let mut sum = vec![0.0; length / 2];
        let mut segment = vec![Complex64::default(); length];
        let mut room = Vec::new();
        let mut count = 0.0;
        for from in (0..=values.len() - length).step_by(length / 2) {
            let part = &values[from..from + length];
            let mean = part.iter().sum::<f64>() / length as f64;
            for ((z, u), w) in segment.iter_mut().zip(part).zip(&self.window) {
                *z = Complex64::from(w * (u - mean));
            }
            self.fourier.transform(&mut segment, &mut room);
            for (s, z) in sum.iter_mut().zip(&segment[1..]) {
                *s += z.norm_sqr();
            }
            count += 1.0;
        }
        let weight: f64 = self.window.iter().map(|w| w * w).sum();
        let scale = 2.0 * self.step / (weight * count);
        sum.iter_mut().for_each(|s| *s *= scale);
        // At half the sampling rate both sides are one.
        if let Some(last) = sum.last_mut() {
            *last *= 0.5;
        }
        Ok(sum)
    }
}

/// The mean spectra of one point.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Density {
    /// The point's name; none where it is the only one.
    pub name: String,
    /// Of its displacement, m²/Hz.
    pub x: Vec<f64>,
    /// Of its velocity, (m/s)²/Hz.
    pub v: Vec<f64>,
}

/// The mean spectrum of some paths.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Spectrum {
    /// How many paths: from path 0 on.
    pub paths: usize,
    /// Hz.
    pub frequency: Vec<f64>,
    /// By points of the model.
    pub points: Vec<Density>,
}

impl Spectrum {
    /// Whether its lists are equally long: what a file holds may be damaged.
    pub fn is_whole(&self) -> bool {
        let n = self.frequency.len();
        self.points.iter().all(|p| p.x.len() == n && p.v.len() == n)
    }

    /// Of the first paths of a plan, 64 unless they are long, over the whole run: the start is in it.
    /// `None` where the runs are shorter than 16 steps. The same bits on one thread or many.
    ///
    /// # Errors
    /// As [`Plan::check`], and what a path meets on the way.
    pub fn of(plan: &Plan) -> Result<Option<Self>, Error> {
        let samples = plan.steps()? + 1;
        if samples < 16 {
            return Ok(None);
        }
        let names = plan.problem.points();
        let paths = (MOST / samples / names.len().max(1)).clamp(1, PATHS);
        let welch = Welch::for_length(plan.step, samples, paths)?;
        let walker = Walker::new(&plan.problem, plan.step, plan.rule)?;
        let one = |path: usize| {
            let mut series = vec![Vec::with_capacity(samples); 2 * names.len()];
            let id = PathId { seed: plan.seed, path: path as u64 };
            walker.clone().walk(id, |_, states, _| {
                for (pair, u) in series.chunks_exact_mut(2).zip(states) {
                    pair[0].push(u.x);
                    pair[1].push(u.v);
                }
            })?;
            series.iter().map(|s| welch.density(s)).collect::<Result<Vec<_>, Error>>()
        };
        let all = map(paths, one)?;
        let mean = |which: usize| {
            let mut sum = vec![0.0; welch.frequencies().len()];
            for path in &all {
                sum.iter_mut().zip(&path[which]).for_each(|(s, d)| *s += d);
            }
            sum.iter_mut().for_each(|s| *s /= paths as f64);
            sum
        };
        let density =
            |(i, name): (usize, String)| Density { name, x: mean(2 * i), v: mean(2 * i + 1) };
        let points = names.into_iter().enumerate().map(density).collect();
        Ok(Some(Self { paths, frequency: welch.frequencies(), points }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::model::{Oscillator, Place, Problem};
    use crate::signal::noise::Noise;

    #[test]
    fn a_cosine_has_its_variance_at_its_frequency() {
        let step = 0.01;
        let length = 512;
        let k = 40.0;
        let f = k / (length as f64 * step);
        let u: Vec<f64> =
            (0..4096).map(|n| 7.0 + 3.0 * (TAU * f * n as f64 * step).cos()).collect();
        let welch = Welch::new(step, length).unwrap();
        let s = welch.density(&u).unwrap();
        let df = 1.0 / (length as f64 * step);
        assert!((s.iter().sum::<f64>() * df - 4.5).abs() < 1e-9);
        let peak = (0..s.len()).max_by(|&a, &b| s[a].total_cmp(&s[b])).unwrap();
        assert!((welch.frequencies()[peak] - f).abs() < 1e-12);
        // Hann's window leaks to its two neighbours only.
        assert!(s.iter().enumerate().all(|(i, s)| i.abs_diff(peak) <= 1 || *s < 1e-20));
    }

    /// Without friction, white noise through a damped oscillator has S = 2σ²/|K − mω² + icω|², and
    /// ω² times that for the velocity.
    #[test]
    fn white_noise_through_a_linear_oscillator() {
        let m = 1.5;
        let k = 60.0;
        let c = 4.0;
        let sigma = 0.7;
        let o = Oscillator::new(m, k, Law::coulomb(0.0).unwrap()).with_damping(c);
        let white = Noise::White { intensity: sigma };
        let problem = Problem::new(o, 160.0).with_noise(Place::Force, white);
        let spectrum = Spectrum::of(&Plan::new(problem, 0.001, 3)).unwrap().unwrap();
        assert_eq!(spectrum.paths, 64);
        for (i, &f) in spectrum.frequency.iter().enumerate().filter(|p| (0.3..5.0).contains(p.1)) {
            let w = TAU * f;
            let exact = 2.0 * sigma * sigma / ((k - m * w * w).powi(2) + (c * w).powi(2));
            // 64 paths of 18 segments: 3 % spread.
            let Density { x, v, .. } = &spectrum.points[0];
            assert!((x[i] / exact - 1.0).abs() < 0.16, "{f} {} {exact}", x[i]);
            assert!((v[i] / (w * w * exact) - 1.0).abs() < 0.16);
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(Welch::new(0.0, 64).is_err() && Welch::new(0.1, 7).is_err());
        assert!(Welch::new(0.1, 64).unwrap().density(&[0.0; 63]).is_err());
        let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0).unwrap());
        let short = Plan { rows: 2, ..Plan::new(Problem::new(o, 1.0), 0.1, 1) };
        assert_eq!(Spectrum::of(&short).unwrap(), None);
    }
}

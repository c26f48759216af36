//! Random functions of time, each path a fixed function of (seed, path, channel).
//!
//! | noise | law | state |
//! |---|---|---|
//! | white | force impulse over dt is σ dB | B |
//! | Ornstein–Uhlenbeck | dη = −r η dt + σ dB, η(0) = 0, signal s η | η |
//! | Kanai–Tajimi | dx = y dt, dy = −(2ξω y + ω² x) dt + σ dB from rest, signal −s (2ξω y + ω² x) | (x, y) |
//!
//! All are **exact in law** on any grid t_n = n h, jointly at all its points, and **refinable**: with
//! h/2 for h the path goes through the same points, to the last bit, because both grids are levels
//! of one dyadic tree of conditional laws (the module `tree`). The numbers come from a counter-based
//! generator (`philox`), so a path does not depend on who else is computed, in what order, on how
//! many threads or with which instructions.

mod filter;
mod grid;
mod normal;
mod philox;
mod reader;
mod source;
mod tree;

#[doc(hidden)]
pub use grid::Dyadic;
#[doc(hidden)]
pub use normal::{Address, normal_pair};
#[doc(hidden)]
pub use philox::philox4x32;
#[doc(hidden)]
pub use reader::Reader;

pub(crate) use filter::Filter;
pub(crate) use grid::CHUNK;
pub(crate) use source::{Scratch, Source, SourceState, Target};
pub(crate) use tree::{Group, normals};

use crate::error::{Error, require};

/// Which path of an ensemble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathId {
    /// Seed of the ensemble.
    pub seed: u64,
    /// Number in it, < 2⁴⁰.
    pub path: u64,
}

impl PathId {
    /// The address of noise number `channel` of the path.
    pub fn address(self, channel: u8) -> Address {
        Address { seed: self.seed, path: self.path, channel }
    }
}

/// A stationary noise and its numbers. B is a standard Brownian motion.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Noise {
    /// A force whose impulse over dt is σ dB.
    White {
        /// σ > 0, N·√s.
        intensity: f64,
    },
    /// dη = −r η dt + σ dB, η(0) = 0; the signal is s η. Its variance tends to s²σ²/(2r).
    OrnsteinUhlenbeck {
        /// r > 0, 1/s.
        rate: f64,
        /// σ > 0.
        intensity: f64,
        /// s.
        scale: f64,
    },
    /// White noise through a damped oscillator, as the ground filters an earthquake (Kanai 1957,
    /// Tajimi 1960): dx = y dt, dy = −(2ξω y + ω² x) dt + σ dB from rest; the signal is
    /// −s (2ξω y + ω² x). Its variance tends to s²σ²ω (1 + 4ξ²)/(4ξ).
    KanaiTajimi {
        /// ω > 0, rad/s.
        angular_frequency: f64,
        /// ξ > 0.
        damping_ratio: f64,
        /// σ > 0.
        intensity: f64,
        /// s.
        scale: f64,
    },
}

impl Noise {
    /// Whether it is white, so that only its impulses exist.
    pub fn is_white(&self) -> bool {
        matches!(self, Self::White { .. })
    }

    /// The noise times `factor`.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        match self {
            // The law of white noise does not know a sign.
            Self::White { intensity } => Self::White { intensity: intensity * factor.abs() },
            Self::OrnsteinUhlenbeck { rate, intensity, scale } => {
                Self::OrnsteinUhlenbeck { rate, intensity, scale: scale * factor }
            }
            Self::KanaiTajimi { angular_frequency, damping_ratio, intensity, scale } => {
                let scale = scale * factor;
                Self::KanaiTajimi { angular_frequency, damping_ratio, intensity, scale }
            }
        }
    }

    /// Checks every number.
    ///
    /// # Errors
    /// With the first number that is outside its range.
    pub fn check(&self) -> Result<(), Error> {
        let positive = |what, found: f64, expected| require(what, found, found > 0.0, expected);
        match *self {
            Self::White { intensity } => {
                positive("the intensity of the white noise", intensity, "a finite number > 0 N·√s")
            }
            Self::OrnsteinUhlenbeck { rate, intensity, scale } => {
                positive(
                    "the rate of the Ornstein–Uhlenbeck noise",
                    rate,
                    "a finite rate > 0 1/s",
                )?;
                positive(
                    "the intensity of the Ornstein–Uhlenbeck noise",
                    intensity,
                    "a finite number > 0 (signal's unit/√s); for no noise leave the signal out",
                )?;
                require("the scale of the Ornstein–Uhlenbeck noise", scale, true, "a finite number")
            }
            Self::KanaiTajimi { angular_frequency, damping_ratio, intensity, scale } => {
                positive(
                    "the angular frequency of the Kanai–Tajimi noise",
                    angular_frequency,
                    "a finite frequency > 0 rad/s",
                )?;
                positive(
                    "the damping ratio of the Kanai–Tajimi noise",
                    damping_ratio,
                    "a finite number > 0",
                )?;
                positive(
                    "the intensity of the Kanai–Tajimi noise",
                    intensity,
                    "a finite number > 0; for no noise leave the signal out",
                )?;
                require("the scale of the Kanai–Tajimi noise", scale, true, "a finite number")
            }
        }
    }

    /// The fastest rate of the filter, 1/s: r, or the larger of ω and 2ξω; 0 for white noise.
    pub fn fastest_rate(&self) -> f64 {
        match *self {
            Self::White { .. } => 0.0,
            Self::OrnsteinUhlenbeck { rate, .. } => rate,
            Self::KanaiTajimi { angular_frequency: w, damping_ratio, .. } => {
                w * (2.0 * damping_ratio).max(1.0)
            }
        }
    }

    /// What users should know if the step (s) is too coarse to see the filter's correlation. The
    /// noise at the grid's points is exact all the same; what is lost lies between them.
    pub fn warning(&self, step: f64) -> Option<String> {
        let rate = self.fastest_rate();
        (rate * step > 0.5).then(|| {
            format!(
                "the step {step} s is coarse for the noise, whose correlation lasts {:.3} s: neighbouring \
                 values are nearly independent, and what the noise does between them is lost; \
                 expected a step of {:.3} s or less",
                1.0 / rate,
                0.1 / rate
            )
        })
    }

    /// Variance of the signal long after the start; none for white noise.
    pub fn stationary_variance(&self) -> Option<f64> {
        match *self {
            Self::White { .. } => None,
            Self::OrnsteinUhlenbeck { rate, intensity, scale } => {
                Some((scale * intensity).powi(2) / (2.0 * rate))
            }
            Self::KanaiTajimi { angular_frequency: w, damping_ratio: z, intensity, scale } => {
                Some((scale * intensity).powi(2) * w * (1.0 + 4.0 * z * z) / (4.0 * z))
            }
        }
    }
}

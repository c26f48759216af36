//! What a fit knows of a joint, and on what it was recorded: all that a design of further logs needs.

use super::gear::Load;
use super::logs::Log;
use super::question::Above;
use super::search::Sought;
use serde::{Deserialize, Serialize};

/// What a fit knows of its numbers, and on what they were recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// Keys of the numbers that were sought.
    pub names: Vec<String>,
    /// What was sought.
    pub sought: Vec<Sought>,
    /// For a friction at rest: what it stands above; its slot is static − dynamic.
    pub above: Vec<Option<Above>>,
    /// Inverse of the covariance of the numbers in the slots, row by row; 0 along what no log shows.
    pub precision: Vec<f64>,
    /// φ, rad²: the covariance is about this much times the inverse of the curvature of the loss.
    pub spread: f64,
    /// What the fitted logs were recorded on.
    pub rigs: Vec<Recorded>,
}

/// How a log was recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Its file.
    pub file: String,
    /// The load.
    pub load: Load,
    /// Which mounting of a load it is.
    pub mounting: usize,
    /// The log's own factor of the gain.
    pub gain: f64,
    /// Its first supply, V, where there is one.
    pub supply: Option<f64>,
    /// Mean time between two rows, s.
    pub period: f64,
    /// Whether the motor was switched off at times.
    pub off: bool,
}

impl Recorded {
    /// Of a log.
    pub fn of(file: &str, log: &Log) -> Self {
        let rows = log.time.len();
        Self {
            file: file.to_owned(),
            load: log.load,
            mounting: log.mounting,
            gain: log.gain,
            supply: log.supply.first().copied(),
            // The clocks of logs jitter, and a planned log needs one period: the mean keeps its length.
            period: (log.time[rows - 1] - log.time[0]) / (rows - 1) as f64,
            off: log.enabled.iter().any(|on| !on),
        }
    }
}

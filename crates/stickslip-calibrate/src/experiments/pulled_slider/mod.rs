//! A slider pulled through a spring at constant speed: every slip of a record of the spring force.
//!
//! ```text
//! m ẍ + friction = F,     F = k (V t − x)            stick: F' = kV;   slip at F = f_s; f_d while it slips
//! ```
//!
//! A slip lasts π√(m/k) and ends at F = 2 f_d − f_s (Bensoussan et al. 2021 §2.3.4, Remark 5), so a record of F
//! shows f_s and f_d of every single slip: no model is fitted. [`slider`] finds the slips
//! ([`Detection`] says how, and how often it errs), measures each ([`Slip`]) and sums up.

mod detect;
mod slip;
mod statistics;

pub use detect::Detection;
pub use slip::Slip;
pub use statistics::{Ageing, Distribution};

use crate::error::Error;
use crate::record::logger::{clipped, noisy_inside};
use crate::record::uniform::Uniform;
use crate::statistics::estimate::Estimate;
use serde::Serialize;

/// Fewest samples in a slip.
const FEWEST: usize = 8;
/// Above this spring forces in units of the weight are hardly friction.
const IMPLAUSIBLE: f64 = 3.0;

/// What is known of the rig.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PulledSlider {
    /// V: speed of the far end of the spring, m/s.
    pub velocity: f64,
    /// k, N/m.
    pub stiffness: f64,
    /// m, kg.
    pub mass: f64,
    /// g, m/s².
    pub gravity: f64,
    /// α: expected number of false alarms in a record without slips.
    pub false_alarms: f64,
}

/// Standard gravity, m/s² (CGPM 1901).
pub const GRAVITY: f64 = 9.806_65;
/// The usual α.
pub const FALSE_ALARMS: f64 = 0.01;

impl PulledSlider {
    fn check(&self) -> Result<(), Error> {
        let all = [
            ("the velocity", self.velocity, "a finite number > 0, in m/s"),
            ("the stiffness", self.stiffness, "a finite number > 0, in N/m"),
            ("the mass", self.mass, "a finite number > 0, in kg"),
            ("gravity", self.gravity, "a finite number > 0, in m/s²"),
        ];
        for (what, found, expected) in all {
            if !(found > 0.0 && found.is_finite()) {
                return Err(Error::OutOfRange { what, found, expected });
            }
        }
        if self.false_alarms > 0.0 && self.false_alarms <= 1.0 {
            return Ok(());
        }
        let what = "the number of false alarms";
        let found = self.false_alarms;
        Err(Error::OutOfRange { what, found, expected: "a number > 0 and at most 1" })
    }

    /// π√(m/k), s.
    pub fn slip_duration(&self) -> f64 {
        std::f64::consts::PI * (self.mass / self.stiffness).sqrt()
    }

    /// k V/(m g), 1/s.
    pub fn stick_slope(&self) -> f64 {
        self.stiffness * self.velocity / (self.mass * self.gravity)
    }
}

/// What the slips share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SliderParameters {
    /// μ_s: mean over the slips.
    pub mu_s: Estimate,
    /// μ_d: mean over the slips.
    pub mu_d: Estimate,
    /// f_s = μ_s m g, N.
    pub f_s: Estimate,
    /// f_d = μ_d m g, N.
    pub f_d: Estimate,
    /// Median slope of the sticks over kV/(m g): 1 in theory.
    pub stick_slope_ratio: Estimate,
    /// Mean duration of the slips over π√(m/k): 1 in theory at low speed.
    pub slip_duration_ratio: Estimate,
}

/// The distributions over the slips, in the units of [`Slip`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // the names are those of `Slip`
pub struct Distributions {
    pub mu_s: Distribution,
    pub mu_d: Distribution,
    pub bottom: Distribution,
    pub drop: Distribution,
    pub waiting: Distribution,
    pub duration: Distribution,
    pub stick_slope_ratio: Distribution,
}

/// A record of slips.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SliderFit {
    /// Whether a slip was found.
    pub slips_seen: bool,
    /// What the slips share.
    pub parameters: SliderParameters,
    /// Number of slips.
    pub slips: usize,
    /// Slips for each second.
    pub rate: f64,
    /// How they were told from noise.
    pub detection: Detection,
    /// What theory says: π√(m/k), s.
    pub theory_slip_duration: f64,
    /// The same with the far end moving on, (π + 2 arctan(kV/(ω(f_s − f_d))))/ω, s; none without slips.
    pub theory_slip_duration_at_speed: Option<f64>,
    /// kV/(m g), 1/s.
    pub theory_stick_slope: f64,
    /// Over the slips; `None` without any.
    pub distributions: Option<Distributions>,
    /// How μ_s goes with the waiting time and with time.
    pub ageing: Ageing,
    /// Samples on the even grid.
    pub samples: usize,
    /// Samples that are missing and were not bridged.
    pub missing: usize,
    /// Time between samples, s.
    pub step: f64,
    /// Computing time, s. This crate has no clock: the caller fills it in.
    pub seconds: f64,
    /// What the reader should know.
    pub warnings: Vec<String>,
    /// Each slip.
    #[serde(skip)]
    pub events: Vec<Slip>,
    /// The record without its spikes, one value for each row that was given.
    #[serde(skip)]
    pub clean: Vec<f64>,
}

impl SliderFit {
    /// No friction force is known, and why.
    fn without_forces(&mut self, why: String) {
        let p = &mut self.parameters;
        for e in [&mut p.mu_s, &mut p.mu_d, &mut p.f_s, &mut p.f_d] {
            *e = Estimate::unknown(e.unit, why.clone());
        }
        self.warnings.push(why);
    }
}

/// Finds and measures the slips of a record: `time` in s, evenly spaced; `force` = F/(m g), NaN where
/// missing. Holes of at most a quarter of a slip are bridged; over longer ones no slip is looked for.
pub fn slider(time: &[f64], force: &[f64], rig: &PulledSlider) -> Result<SliderFit, Error> {
    rig.check()?;
    let slip = rig.slip_duration();
    // Across a longer hole a slip could pass unseen.
    let bridge = |step: f64| (0.25 * slip / step) as usize;
    let record = Uniform::new(time, &[("force", force)], bridge)?;
    let values = &record.columns[0];
    // All that follows counts in samples of one slip.
    let lag = (slip / record.step).round() as usize;
    if lag < FEWEST {
        return Err(Error::TooCoarse { step: record.step, slip, needed: FEWEST });
    }
    // Less than ten slips' time leaves nothing to tell noise from slips by.
    if values.len() < 10 * lag {
        return Err(Error::TooShort { length: record.step * values.len() as f64, slip });
    }
    // By so much the force rises in a stick while a slip would last: the largest rise that is no noise.
    let rise = rig.stick_slope() * slip;
    let falls = detect::find(values, lag, rise, rig.false_alarms)?;
    let rig_view = slip::Rig {
        clean: &falls.clean,
        grid: (record.start, record.step),
        lag,
        rate: rig.stick_slope(),
    };
    let (events, shares) = rig_view.measure(&falls.found, &falls.fall);
    let mut fit = statistics::sum_up(rig, &record, falls.detection, events);
    statistics::doubt(&mut fit, shares);
    let cut = clipped(force);
    let share = cut.iter().filter(|c| **c).count() as f64 / force.len() as f64;
    if share > 0.0 && noisy_inside(force, &cut) {
        fit.without_forces(format!(
            "the force stands at the end of its range in {:.0} % of the rows, as of an amplifier that is cut off: slips begin or end there, and \
             no friction force is known; record it over its whole range",
            100.0 * share
        ));
    }
    if let Some((at, by)) = statistics::jump(values, &fit, lag) {
        let row = record.places.partition_point(|p| *p < at) + 1;
        fit.without_forces(format!(
            "row {row}: the force jumps by {by:.4} of the weight from one row to the next, and stays there, where a slip takes {lag} rows: a \
             counter that starts anew at the end of its range, another gain or sign of the sensor from there on, or a rig that was \
             touched; fit the parts before and after it separately"
        ));
    }
    // Back from the even grid to the rows of the file.
    fit.clean = record.places.iter().map(|&p| falls.clean[p]).collect();
    // The median, so that spikes and slips do not decide about the unit.
    let largest = values.iter().filter(|v| !v.is_nan()).map(|v| v.abs());
    let largest = crate::statistics::stats::median(&mut largest.collect::<Vec<_>>());
    if !(1e-3..=IMPLAUSIBLE).contains(&largest) {
        fit.warnings.push(format!(
            "the force is usually {largest:.3e} of the weight m g; friction is expected between 0.01 and 1: check \
             the unit of the force (N, or 1 for F/(m g)), the mass (kg) and the columns"
        ));
    }
    if record.missing > 0 {
        fit.warnings.push(format!(
            "{} samples are missing in holes longer than a quarter of a slip; no slip is looked for across them",
            record.missing
        ));
    }
    Ok(fit)
}

//! Friction of rock: velocity steps and slide–hold–slide to a, b, D_c, the law of evolution, and the stiffness of the machine.
//!
//! ```text
//! μ = μ₀ + a ln(V/V₀) + b ln(V₀ θ/D_c) + c x        μ̇ = k (V_l − V)
//! ```
//!
//! Both laws of evolution are fitted by least squares along the place of the load point, with a start in steady slide. Standard
//! errors are those of the curvature with residuals that remember their neighbours; the laws are compared by the likelihood of
//! as many residuals as are independent.

mod clock;
mod motion;
mod search;
mod verdict;

use crate::error::Error;
use crate::record::entry::{Column, Holds, entered};
use crate::record::readings::Readings;
use crate::statistics::estimate::Estimate;
pub use motion::Evolution;
use serde::Serialize;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RockFriction {
    /// k by the normal stress, 1/m, if it is known.
    pub stiffness: Option<f64>,
    /// Whether μ may drift in proportion to the displacement.
    pub trend: bool,
}

/// What one law of evolution gives.
#[derive(Debug, Clone, Serialize)]
pub struct EvolutionFit {
    /// `ageing` or `slip`.
    pub evolution: &'static str,
    /// What was found.
    pub parameters: RockParameters,
    /// Root mean square of what is left of μ.
    pub rmse: f64,
    /// μ, for each row; NaN where there is none.
    #[serde(skip)]
    pub fitted: Vec<f64>,
}

/// What is known of a contact.
#[derive(Debug, Clone, Serialize)]
pub struct RockParameters {
    /// Direct effect.
    pub a: Estimate,
    /// Effect of the state.
    pub b: Estimate,
    /// a − b: below 0 it weakens with speed.
    pub a_minus_b: Estimate,
    /// D_c, m.
    pub distance: Estimate,
    /// k, 1/m; `None` where it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Estimate>,
    /// μ at V₀ in steady slide.
    pub coefficient: Estimate,
    /// c, 1/m; `None` unless it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trend: Option<Estimate>,
}

/// What came out.
#[derive(Debug, Clone, Serialize)]
pub struct RockFit {
    /// Both laws, the more likely one first.
    pub laws: Vec<EvolutionFit>,
    /// 2 ln of the ratio of their likelihoods.
    pub likelihood_ratio: f64,
    /// Whether the record tells the laws apart.
    pub told_apart: bool,
    /// V₀, m/s: the speed at the start.
    pub speed: f64,
    /// Rows that were fitted.
    pub samples: usize,
    /// Over how many rows residuals are alike.
    pub together: f64,
    /// Computing only, s.
    pub seconds: f64,
    /// One sentence each.
    pub warnings: Vec<String>,
}

/// Fewest rows.
const FEWEST: usize = 50;
/// Rows at the start whose slope is the speed of the steady slide before anything changes.
const START: usize = 8;
/// More of the rows than this in which the friction is cut off leave too little of it.
const CUT: f64 = 0.25;
/// The load point's speed must change by this factor.
const CHANGES: f64 = 1.5;

/// Finds the contact behind a record: times (s, increasing), places of the load point (m) and coefficients of friction, NaN where one
/// is missing.
///
/// # Errors
/// If columns differ in length, times do not increase, there are fewer than 50 rows, the load point does not move on at the start, its
/// speed never changes, or no numbers follow the record.
///
/// ```
/// use stickslip_calibrate::rock_friction::{RockFriction, rock_friction};
/// // The closed form of a step from 1 to 10 µm/s of a stiff machine: a = 0.01, b = 0.015, D_c = 10 µm, ageing law.
/// let (mut t, mut x, mut mu) = (Vec::new(), Vec::new(), Vec::new());
/// for i in 0..400 {
///     let now: f64 = 0.02 * f64::from(i);
///     let after = (now - 2.0).max(0.0);
///     let theta: f64 = 1.0 + 9.0 * (-after).exp();
///     t.push(now);
///     x.push(1e-6 * now.min(2.0) + 1e-5 * after);
///     let step = if now > 2.0 { 0.01 * 10f64.ln() + 0.015 * (theta / 10.0).ln() } else { 0.0 };
///     mu.push(0.6 + step);
/// }
/// let found = rock_friction(&t, &x, &mu, &RockFriction { stiffness: Some(2e6), trend: false })?;
/// let best = &found.laws[0];
/// assert_eq!(best.evolution, "ageing");
/// assert!((best.parameters.distance.value.unwrap() - 1e-5).abs() < 2e-7);
/// # Ok::<(), stickslip_calibrate::Error>(())
/// ```
pub fn rock_friction(
    time: &[f64],
    place: &[f64],
    friction: &[f64],
    asked: &RockFriction,
) -> Result<RockFit, Error> {
    checked(time, place, friction)?;
    let columns = [("displacement", place, Holds::Motion), ("friction", friction, Holds::Force)]
        .map(|(name, values, holds)| Column { name, values, holds });
    let entry = entered(Some(time), &columns)?;
    let [place, friction] = [0, 1].map(|k| &*entry.columns[k]);
    let rows = whole(place, friction)?;
    let columns = [("displacement", place, Holds::Motion), ("friction", friction, Holds::Force)]
        .map(|(name, values, holds)| Column { name, values, holds });
    let readings = Readings::of(&rows, &columns)?;
    let record = Seen::of(time, [place, friction], &readings);
    if record.at.len() < FEWEST {
        return Err(Error::TooFewSamples { found: record.at.len(), needed: FEWEST });
    }
    let start = record.start()?;
    record.changes(start)?;
    let mut fit = verdict::found(&record, start, asked, time.len())?;
    let mut warnings = [entry.said, entry.doubts, readings.said].concat();
    warnings.append(&mut fit.warnings);
    if readings.lost > CUT {
        warnings.push(format!(
            "the friction is cut off in {:.0} % of the rows: too few are left for reliable numbers",
            100.0 * readings.lost
        ));
    }
    Ok(RockFit { warnings, ..fit })
}

/// A record without what its logger held, cut off or lost.
struct Seen {
    /// The rows by which the motion of the load point is known: which of the record they are, their times and places.
    rows: Vec<usize>,
    time: Vec<f64>,
    place: Vec<f64>,
    /// Which of these rows hold a friction that counts, and it.
    at: Vec<usize>,
    friction: Vec<f64>,
}

impl Seen {
    fn of(time: &[f64], [place, friction]: [&[f64]; 2], readings: &Readings) -> Self {
        let rows = readings.moving.clone();
        let at: Vec<usize> = (0..rows.len()).filter(|&k| readings.counts[rows[k]]).collect();
        Self {
            time: rows.iter().map(|&i| time[i]).collect(),
            place: rows.iter().map(|&i| place[i]).collect(),
            friction: at.iter().map(|&k| friction[rows[k]]).collect(),
            at,
            rows,
        }
    }

    /// What a list of one value for each row holds at those that count.
    fn counted(&self, values: &[f64]) -> Vec<f64> {
        self.at.iter().map(|&k| values[k]).collect()
    }

    /// The speed of the load point at the start, m/s.
    fn start(&self) -> Result<f64, Error> {
        // Over several rows: the place of a load point is often rounded to more than it moves within one.
        let last = START.min(self.time.len() - 1);
        let speed = (self.place[last] - self.place[0]) / (self.time[last] - self.time[0]);
        if speed > 0.0 {
            return Ok(speed);
        }
        Err(Error::Unfit(format!(
            "the load point moves at {speed:e} m/s over the first {START} rows; expected a steady slide forwards before the first step or \
             hold: begin the record there"
        )))
    }

    /// An error unless the load point's speed changes for long enough to be more than the noise of its place.
    fn changes(&self, start: f64) -> Result<(), Error> {
        // Over a fiftieth of the record, since between single rows the rounding of the place alone changes the speed by
        // more than any factor.
        let width = (self.time.len() / 50).max(START);
        let speeds = (0..self.time.len() - width).map(|i| {
            (self.place[i + width] - self.place[i]) / (self.time[i + width] - self.time[i])
        });
        let changed = speeds.into_iter().any(|v| v > CHANGES * start || v < start / CHANGES);
        if changed {
            return Ok(());
        }
        Err(Error::Unfit(
            "the speed of the load point never changes by a factor of 1.5 or more; expected velocity steps, or holds: a steady slide \
             shows neither a nor b"
                .to_owned(),
        ))
    }
}

/// Columns of one length, at times that increase.
fn checked(time: &[f64], place: &[f64], friction: &[f64]) -> Result<(), Error> {
    for (column, found) in [("displacement", place.len()), ("friction", friction.len())] {
        if found != time.len() {
            return Err(Error::ColumnLength { column, found, times: time.len() });
        }
    }
    if let Some(i) = (1..time.len()).find(|&i| time[i] <= time[i - 1] || time[i].is_nan()) {
        return Err(Error::TimesNotIncreasing { row: i + 1, found: time[i], before: time[i - 1] });
    }
    Ok(())
}

/// The rows that hold everything.
fn whole(place: &[f64], friction: &[f64]) -> Result<Vec<usize>, Error> {
    let rows: Vec<usize> =
        (0..place.len()).filter(|&i| place[i].is_finite() && friction[i].is_finite()).collect();
    if rows.len() < FEWEST {
        return Err(Error::TooFewSamples { found: rows.len(), needed: FEWEST });
    }
    Ok(rows)
}

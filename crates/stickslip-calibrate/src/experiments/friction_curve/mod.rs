//! Friction against speed: torque or force of a joint or an axis, one row for a sample or for a dwell at constant speed.
//!
//! ```text
//! τ = J a + g_s sin q + g_c cos q + o + F(v)
//!
//! viscous       F = c v
//! coulomb       F = F_c sgn v + c v
//! by-direction  F = F_c± sgn v + c± v                          one pair for each direction
//! polynomial    F = F_c sgn v + c v + c₂ v|v| + c₃ v³
//! stribeck      F = (F_c + (F_s − F_c) exp(−(|v|/v_s)^δ)) sgn v + c v      δ = 1 or 2
//! ```
//!
//! J is the inertia and is fitted where the record has times and the acceleration varies; g_s and g_c are gravity on a turning
//! link, where they are asked for. A column of loads adds μ|load| sgn v, a column of temperatures lets F_c and c change in
//! proportion to T − mean(T). All of it is linear but v_s and δ, which are searched on a grid and then refined
//! (Bona and Indri 2005; Olsson et al. 1998 for the laws).
//!
//! Rows at rest hold no friction of motion and are left out, and rows so near to a jump of the velocity that no difference is their own. Standard errors come from leaving out one block of the record after
//! the other (Künsch 1989), so that they hold for residuals that resemble their neighbours. Laws are compared by Schwarz's
//! criterion, in which such neighbours count as one, and by what each law misses on the half of the record that it was not fitted to.

mod clock;
mod entry;
mod laws;
mod products;
mod rows;
mod solve;
mod verdict;

pub use laws::Shape;
pub use verdict::{Answer, Candidate};

use crate::error::Error;
use crate::models::Named;
use laws::Design;
use rows::Rows;
use serde::{Serialize, Serializer};
use solve::{FoundCurve, candidates};

/// The columns of a record, NaN where a value is missing. Either the velocity or the position is needed; the position needs times.
#[derive(Debug, Clone, Copy, Default)]
pub struct Record<'a> {
    /// Times, s, increasing; without them each row is a dwell of its own.
    pub time: Option<&'a [f64]>,
    /// Velocity, m/s or rad/s.
    pub velocity: Option<&'a [f64]>,
    /// Position, m or rad.
    pub position: Option<&'a [f64]>,
    /// Force or torque that moves the joint, N or N·m.
    pub effort: &'a [f64],
    /// How much each row counts, such as the length of its dwell, s.
    pub weight: Option<&'a [f64]>,
    /// Temperature, °C.
    pub temperature: Option<&'a [f64]>,
    /// Load on the contact, N or N·m.
    pub load: Option<&'a [f64]>,
}

/// Along a line or about an axis: which units the numbers have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// m and N.
    #[default]
    Translation,
    /// rad and N·m.
    Rotation,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The law; `None` chooses the simplest one that the record supports.
    pub law: Option<Shape>,
    /// Whether an inertia is fitted where the record has times.
    pub inertia: bool,
    /// Whether gravity on a turning link is fitted; needs positions.
    pub gravity: bool,
    /// Rows slower than this are at rest, m/s or rad/s; `None` finds it from the noise of the velocity.
    pub least_velocity: Option<f64>,
    /// By how much the effort was recorded later than the motion, s.
    pub effort_delay: f64,
    /// The units.
    pub motion: Motion,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            law: None,
            inertia: true,
            gravity: false,
            least_velocity: None,
            effort_delay: 0.0,
            motion: Motion::Translation,
        }
    }
}

/// Rows that do not count, by their reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// A value is missing, or the row stands at a gap over which no velocity can be formed.
    pub missing: usize,
    /// The velocity jumps so near to the row that no velocity, or no acceleration, is the row's own.
    pub corners: usize,
    /// The joint is at rest or slower than `least_velocity`.
    pub rest: usize,
    /// Far outside what all others say.
    pub outliers: usize,
}

/// The friction that was found.
#[derive(Debug, Clone, Serialize)]
pub struct FrictionCurveFit {
    /// The law.
    pub law: Shape,
    /// Its numbers and those of inertia, gravity and offset, by name.
    #[serde(serialize_with = "by_name")]
    pub parameters: Vec<Named>,
    /// Root mean square of what is left, N or N·m.
    pub rmse: f64,
    /// The same as a share of the effort about its mean.
    pub relative: f64,
    /// Rows that count as one: autocorrelation time of the residuals.
    pub autocorrelation: f64,
    /// The laws on this record.
    pub candidates: Vec<Candidate>,
    /// What they say.
    pub answers: Vec<Answer>,
    /// Whether nothing speaks against the numbers.
    pub plausible: bool,
    /// Slowest and fastest speed that counts, m/s or rad/s.
    pub speeds: [f64; 2],
    /// Slower rows count as rest, m/s or rad/s.
    pub least_velocity: f64,
    /// The temperature at which dry and viscous friction are given, °C, where there is a column of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_temperature: Option<f64>,
    /// Rows that count.
    pub samples: usize,
    /// Rows that do not.
    pub left_out: LeftOut,
    /// Units of speed and effort.
    pub motion: Motion,
    /// Computing only, s.
    pub seconds: f64,
    /// One sentence each.
    pub warnings: Vec<String>,
    /// The record and the fit.
    #[serde(skip)]
    pub curves: Curves,
}

fn by_name<S: Serializer>(all: &[Named], s: S) -> Result<S::Ok, S::Error> {
    s.collect_map(all.iter().map(|n| (&n.name, &n.estimate)))
}

/// What figures and tables show, one entry for each row of the record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curves {
    /// Velocity as it was used.
    pub velocity: Vec<f64>,
    /// What is fitted of the effort; NaN where the row does not count.
    pub fitted: Vec<f64>,
    /// Effort less inertia, gravity and offset: the friction that was measured.
    pub friction: Vec<f64>,
    /// Velocities, and the friction of the law there.
    pub law: Vec<(f64, f64)>,
}

/// Finds the friction behind a record of effort and speed.
///
/// ```
/// use stickslip_calibrate::friction_curve::{Asked, Record, friction_curve};
/// // Dwells at 24 speeds: 2 N of dry friction and 3 N·s/m.
/// let v: Vec<f64> = (-12..=12).filter(|i| *i != 0).map(|i| 0.05 * f64::from(i)).collect();
/// let noise = |i: usize| 1e-3 * ((7 * i % 11) as f64 - 5.0);
/// let force: Vec<f64> = v.iter().enumerate().map(|(i, v)| 2.0 * v.signum() + 3.0 * v + noise(i)).collect();
/// let record = Record { velocity: Some(&v), effort: &force, ..Record::default() };
/// let found = friction_curve(&record, &Asked::default())?;
/// let dry = found.parameters.iter().find(|p| p.name == "coulomb").unwrap();
/// assert!((dry.estimate.value.unwrap() - 2.0).abs() < 0.01);
/// # Ok::<(), stickslip_calibrate::Error>(())
/// ```
///
/// # Errors
/// If columns differ in length, times do not increase, neither velocity nor position is given, the effort never changes, fewer than 12 rows
/// move, or the record cannot tell the law that was asked for from a simpler one.
pub fn friction_curve(record: &Record<'_>, asked: &Asked) -> Result<FrictionCurveFit, Error> {
    let entered = entry::Entry::of(record, asked)?;
    let record = &entered.record();
    let mut rows = Rows::of(record, asked)?;
    let mut design = Design::of(&rows, asked);
    let mut all = candidates(&rows, &design);
    // An effort that is clipped makes outliers of the rows that are not, and one that is late of those next to each reversal.
    let clipped = verdict::clipped(&rows.effort);
    let late = all.last().and_then(|richest| verdict::delay(&rows, richest));
    // Rows that all others contradict would bend every law; they are counted, shown and left out once.
    let residuals = all.last().map_or_else(Vec::new, |richest| richest.residuals(&rows));
    let inertia = all.last().map_or(0.0, FoundCurve::inertia);
    let clocks = all.last().and_then(|richest| clock::found(record, asked, &rows, richest));
    let in_time = late.is_none() && clocks.is_none();
    if clipped.is_none() && in_time && rows.drop_outliers(&residuals, inertia) {
        // Without the outliers, even the range of speeds may be another.
        design = Design::of(&rows, asked);
        all = candidates(&rows, &design);
    }
    if asked.law.is_some_and(|law| design.terms(law).is_none()) {
        // Another law in its place would be an answer to another question.
        return Err(Error::Undetermined {
            what: "this record cannot tell the law that was asked for from a simpler one",
            expected: "rows at several speeds, and for a law by direction in both directions",
        });
    }
    let compared = verdict::compare(&rows, &all);
    let chosen = verdict::chosen(&all, &compared.answers, asked.law);
    let mut fit = assembled(&rows, &design, chosen, asked);
    fit.candidates = compared.candidates;
    fit.answers = compared.answers;
    let mut doubts = entered.doubts.clone();
    doubts.extend(clocks.and_then(|late| clock::said(record, asked, &fit, late)));
    doubts.extend(clock::another_gain(record, &rows, chosen, &fit.parameters));
    fit.warnings.clone_from(&entered.said);
    verdict::judge(
        &mut fit,
        &rows,
        chosen,
        verdict::Seen { doubts, clipped, wraps: entered.wraps },
    );
    Ok(fit)
}

/// The fit of one law, with everything that is shown of it.
fn assembled(rows: &Rows, design: &Design, chosen: &FoundCurve, asked: &Asked) -> FrictionCurveFit {
    let residuals = chosen.residuals(rows);
    let count = residuals.len() as f64;
    let rmse = (crate::statistics::stats::square(&residuals) / count).sqrt();
    let spread = crate::statistics::stats::sd(&rows.effort);
    let mut curves = Curves {
        velocity: rows.all_velocities.clone(),
        fitted: vec![f64::NAN; rows.all_velocities.len()],
        friction: vec![f64::NAN; rows.all_velocities.len()],
        law: Vec::new(),
    };
    // Rows that do not count keep NaN, so that the curves have the rows of the record.
    for (n, &i) in rows.index.iter().enumerate() {
        let fitted = rows.effort[n] - residuals[n];
        curves.fitted[i] = fitted;
        curves.friction[i] = rows.effort[n] - chosen.besides_friction(rows, n);
    }
    curves.law = chosen.curve(rows, design);
    FrictionCurveFit {
        law: chosen.shape,
        parameters: chosen.parameters(rows, design, asked.motion),
        rmse,
        relative: if spread > 0.0 { rmse / spread } else { 0.0 },
        autocorrelation: chosen.together(rows),
        candidates: Vec::new(),
        answers: Vec::new(),
        plausible: true,
        speeds: rows.speeds(),
        least_velocity: rows.least_velocity,
        mean_temperature: rows.temperature.is_some().then_some(rows.mean_temperature),
        samples: rows.index.len(),
        left_out: rows.left_out,
        motion: asked.motion,
        seconds: 0.0,
        warnings: Vec::new(),
        curves,
    }
}

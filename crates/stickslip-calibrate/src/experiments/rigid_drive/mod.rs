//! A rigid drive: mass, viscous and dry friction from its position and force.
//!
//! ```text
//! M a + F_v v + F_c sign v + O = force
//! ```
//!
//! (the inverse dynamic model with least squares of robotics; Janot, Gautier and Brunot 2019 for the EMPS
//! benchmark). Velocity and acceleration are five-point central differences of the position after a
//! Butterworth filter of order 4 run forwards and backwards with cut-off f₁; the force and sign v go through
//! the same filter. All columns are then low-passed once more in the same way at f₂ ("parallel filtering",
//! which leaves a linear model as it is) and thinned to 2 f₂ rows each second. Rows at rest, where dry
//! friction may be anything up to its limit, are left out, and so are rows within the reach of a jump of the velocity, whose force is over
//! between two samples.
//!
//! Rests shorter than two rows (a reversal under load has one) are not seen, and bias M by up to a percent on
//! simulated drives; the intervals know of scatter only. Leaving out every row near a reversal would halve the bias
//! there, but on the measured EMPS drive, whose friction is no straight line near v = 0, it moves F_v by 2 %.

mod between;
mod clock;
mod falling;
mod logged;
mod simulate;
mod verdict;

pub use falling::Falling;
pub use simulate::{Comparison, Controller};

use crate::control::go_on;
use crate::error::Error;
use crate::record::corners::among_noise;
use crate::record::entry::{Column, Entered, Holds, entered};
use crate::record::play::Play;
use crate::record::uniform::Uniform;
use crate::statistics::estimate::Estimate;
use crate::statistics::filter::{derivative, zero_phase, zero_phases};
use crate::statistics::polynomial::{NEAR, local, noise_of_readings, rounding};
use crate::statistics::regress::{Regression, Solved, solve_noisy};
use crate::statistics::stats::{mean, sd, square};
use logged::Logged;
use serde::Serialize;

/// Longest hole that is bridged, samples.
const BRIDGED: usize = 5;
/// At rest: slower than this share of the greatest speed.
const REST: f64 = 0.002;
/// Rows that hold less than this share of the squared acceleration, because the others stand next to jumps of the velocity, show no mass.
const SHOWN: f64 = 0.05;
/// Fewest breakaways for a number.
const BREAKAWAYS: usize = 5;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RigidDrive {
    /// f₁, Hz; a tenth of the sampling rate if none.
    pub cutoff: Option<f64>,
    /// f₂, Hz; a fifth of f₁ if none.
    pub parallel: Option<f64>,
    /// The controller of the drive, for a simulation of the closed loop.
    pub controller: Option<Controller>,
}

/// A fitted drive.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DriveParameters {
    /// M, kg.
    pub mass: Estimate,
    /// F_v, N·s/m.
    pub viscous: Estimate,
    /// F_c, N.
    pub coulomb: Estimate,
    /// O, N.
    pub offset: Estimate,
    /// Force at which the drive leaves rest, N.
    pub breakaway: Estimate,
}

/// How velocity and acceleration were made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Filtering {
    /// In words.
    pub method: &'static str,
    /// f₁, Hz.
    pub cutoff: f64,
    /// f₂, Hz.
    pub parallel: f64,
    /// Samples for each row of the least squares.
    pub thinning: usize,
}

/// What comes out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DriveFit {
    /// M, F_v, F_c, offset, breakaway.
    pub parameters: DriveParameters,
    /// By how much the force comes later than the position says, s; negative: earlier.
    pub delay: Estimate,
    /// How the friction falls with the velocity, if it does: then F_c and F_v are those of a law with this part.
    pub falling: Option<Falling>,
    /// Whether the numbers agree with each other and with what drives can do; if not, the warnings say why.
    pub believable: bool,
    /// How the derivatives were made.
    pub filtering: Filtering,
    /// Rows of the least squares.
    pub rows: usize,
    /// Rows left out at rest.
    pub resting: usize,
    /// Rows left out because the velocity jumps within the reach of their filters.
    pub next_to_corners: usize,
    /// Root mean square of the residual force, N.
    pub rmse: f64,
    /// ‖residual‖/‖force‖ over the rows of the least squares.
    pub relative_residual: f64,
    /// Autocorrelation time of the residuals, rows.
    pub autocorrelation: f64,
    /// The record against simulations with the found parameters.
    pub simulations: Vec<Comparison>,
    /// Samples.
    pub samples: usize,
    /// Samples that were missing and bridged.
    pub bridged: usize,
    /// Time between samples, s.
    pub step: f64,
    /// Computing time, s. This crate has no clock: the caller fills it in.
    pub seconds: f64,
    /// What the reader should know.
    pub warnings: Vec<String>,
    /// Curves on the even grid.
    #[serde(skip)]
    pub curves: Curves,
}

/// Curves over the even grid of samples.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curves {
    /// Times, s.
    pub time: Vec<f64>,
    /// Position, m.
    pub position: Vec<f64>,
    /// Velocity, m/s.
    pub velocity: Vec<f64>,
    /// Acceleration, m/s².
    pub acceleration: Vec<f64>,
    /// Measured force, N.
    pub force: Vec<f64>,
    /// M a + F_v v + F_c sign v + O, and what falls, N.
    pub model: Vec<f64>,
    /// Times of the rows of the least squares, s.
    pub row_time: Vec<f64>,
    /// Their residuals, N.
    pub row_residual: Vec<f64>,
}

/// What follows from the position of a drive.
struct Derived {
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
    /// The velocity whose sign is that of the dry friction.
    slow: Vec<f64>,
}

impl Derived {
    fn of(record: &Uniform, [f1, f2]: [f64; 2], logged: &Logged) -> Result<Self, Error> {
        let smooth = zero_phase(&record.columns[0], f1, record.step)?;
        let velocity = derivative(&smooth, record.step);
        let acceleration = derivative(&velocity, record.step);
        let slow = logged.way(record, [&velocity, &acceleration], [f1, f2])?;
        Ok(Self { velocity, acceleration, slow })
    }
}

/// The sign of each of these.
fn signs_of(velocity: &[f64]) -> Vec<f64> {
    velocity.iter().map(|v| v.signum()).collect()
}

/// What is measured of a drive, on an even grid, with everything that the least squares needs.
struct Signals {
    record: Uniform,
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
    sign: Vec<f64>,
    /// Samples at rest.
    rest: Vec<bool>,
    cutoffs: (f64, f64),
    thinning: usize,
    /// Samples of the rows of the least squares, and how many rows were left out at rest and next to jumps of the velocity.
    rows: Vec<usize>,
    resting: usize,
    next_to_corners: usize,
    /// The share of the squared acceleration that the rows hold, of that of all rows in motion.
    shown: f64,
    /// The rows at which a held position or a held force is new.
    positions: Option<Vec<usize>>,
    forces: Option<Vec<usize>>,
}

impl Signals {
    fn new(record: Uniform, asked: &RigidDrive, logged: &Logged) -> Result<Self, Error> {
        let step = record.step;
        let (f1, f2) = cutoffs(asked, step, logged.hold)?;
        let Derived { velocity, acceleration, slow } = Derived::of(&record, [f1, f2], logged)?;
        let sign = signs_of(&slow);
        let fastest = velocity.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        // Nothing above f₂ is left of the columns, so that 2 f₂ rows a second hold all there is.
        let thinning = ((0.5 / (f2 * step)).round() as usize).max(1);
        // That velocity: noise would end a rest too early.
        let rest = resting(&slow, REST * fastest, thinning);
        // The filters have not seen enough near the ends.
        let margin = (1.0 / (f2 * step)).ceil() as usize;
        let all: Vec<usize> =
            (margin..velocity.len().saturating_sub(margin)).step_by(thinning).collect();
        let moving: Vec<usize> =
            // At rest friction takes any value up to its limit, and the filters spread this over their reach.
            all.iter().copied().filter(|&i| clear(&rest, i, 2 * thinning)).collect();
        let resting = all.len() - moving.len();
        // The force that makes a velocity jump is over between two samples, and its acceleration is not.
        let corners = if logged.positions.is_some() {
            // A curve that was laid through held values has no corners of its own.
            vec![false; velocity.len()]
        } else {
            corners(&record.columns[0], step)
        };
        let rows: Vec<usize> =
            moving.iter().copied().filter(|&i| clear(&corners, i, 2 * thinning)).collect();
        let next_to_corners = moving.len() - rows.len();
        let low = zero_phase(&acceleration, f2, step)?;
        let squares = |rows: &[usize]| rows.iter().map(|&i| low[i] * low[i]).sum::<f64>();
        let shown = squares(&rows) / squares(&moving);
        let cutoffs = (f1, f2);
        let Logged { positions, forces, .. } = logged.clone();
        Ok(Self {
            record,
            velocity,
            acceleration,
            sign,
            rest,
            cutoffs,
            thinning,
            rows,
            resting,
            next_to_corners,
            shown,
            positions,
            forces,
        })
    }

    /// The same rows with another position: what a fit leaves out near reversals stays out.
    fn with_position(&self, position: Vec<f64>, logged: &Logged) -> Result<Self, Error> {
        let Uniform { start, step, bridged, missing, .. } = self.record;
        let columns = vec![position, self.record.columns[1].clone()];
        let record = Uniform { start, step, columns, bridged, missing, places: Vec::new() };
        let (f1, f2) = self.cutoffs;
        let Derived { velocity, acceleration, slow } = Derived::of(&record, [f1, f2], logged)?;
        Ok(Self {
            record,
            velocity,
            acceleration,
            sign: signs_of(&slow),
            rest: self.rest.clone(),
            rows: self.rows.clone(),
            positions: self.positions.clone(),
            forces: self.forces.clone(),
            ..*self
        })
    }

    /// The same, refused where every row stands next to a jump of the velocity.
    fn refused_without_rows(self) -> Result<Self, Error> {
        if self.rows.is_empty() && self.next_to_corners > 0 {
            return Err(Error::Undetermined {
                what: "so many velocities jump that every row has one within the reach of its filters",
                expected: "a motion whose velocity changes within several rows: sample faster, or move more smoothly",
            });
        }
        Ok(self)
    }

    /// A column through the slower filter.
    fn slow(&self, values: &[f64]) -> Result<Vec<f64>, Error> {
        zero_phase(values, self.cutoffs.1, self.record.step)
    }

    /// What the slower filter has left of a column, at the rows of the least squares, `late` samples later.
    fn at_rows(&self, low: &[f64], late: isize) -> Vec<f64> {
        let last = low.len() - 1;
        // A delay at an end of the record repeats the last value rather than lose the row.
        self.rows.iter().map(|&i| low[i.saturating_add_signed(late).min(last)]).collect()
    }

    /// What is not made of the filtered position goes through its filter too.
    fn early(&self, values: &[f64]) -> Result<Vec<f64>, Error> {
        zero_phase(values, self.cutoffs.0, self.record.step)
    }

    /// The measured force through both filters.
    fn measured(&self) -> Result<Vec<f64>, Error> {
        self.slow(&self.early(&self.record.columns[1])?)
    }

    /// Acceleration, velocity, sign of the velocity and 1.
    fn matrix(&self) -> Result<[Vec<f64>; 4], Error> {
        // The velocity has gone through the first filter with the position; its sign, like the force, has not
        // yet.
        let sign = self.early(&self.as_force(&self.sign))?;
        let acceleration = self.as_force(&self.acceleration);
        let velocity = self.as_force(&self.velocity);
        let all = |i: usize| [acceleration[i], velocity[i], sign[i]];
        let low = zero_phases(sign.len(), all, self.cutoffs.1, self.record.step)?;
        let [acceleration, velocity, sign] = self.lanes_at_rows(&low);
        let one = vec![1.0; self.rows.len()];
        Ok([acceleration, velocity, sign, one])
    }

    /// Columns that stand side by side, at the rows of the least squares.
    fn lanes_at_rows<const N: usize>(&self, low: &[[f64; N]]) -> [Vec<f64>; N] {
        std::array::from_fn(|l| self.rows.iter().map(|&i| low[i][l]).collect())
    }

    /// Whether all rows have the same sign of the velocity.
    fn is_one_way(&self) -> bool {
        let first = self.rows.first().map_or(0.0, |&i| self.sign[i]);
        self.rows.iter().all(|&i| self.sign[i] == first)
    }

    /// The least squares of all rows. In one direction the sign of the velocity is a constant, and has no coefficient of its own.
    fn solved(&self, matrix: &[Vec<f64>; 4], y: &[f64], noise: &[f64]) -> Option<Regression> {
        if !self.is_one_way() {
            return solve_noisy(matrix, y, noise).map(Solved::with_errors);
        }
        let [acceleration, velocity, _, one] = matrix.clone();
        let columns = [acceleration, velocity, one];
        let mut fit = solve_noisy(&columns, y, noise)?.with_errors();
        fit.coefficients.insert(2, 0.0);
        fit.errors.insert(2, f64::INFINITY);
        fit.freedom.insert(2, 1.0);
        Some(fit)
    }

    /// The least squares with another position, over the same rows.
    fn fitted(
        &self,
        position: Vec<f64>,
        logged: &Logged,
        falling: Option<&Falling>,
        y: &[f64],
    ) -> Result<Option<Regression>, Error> {
        let other = self.with_position(position, logged)?;
        let mut columns = other.matrix()?.to_vec();
        if let Some(falling) = falling {
            columns.extend(other.falls(falling)?);
        }
        let noise = other.noise_of_position(&columns[0])?.variances;
        Ok(solve_noisy(&columns, y, &noise).map(Solved::with_errors))
    }

    /// The coefficients of [`Self::matrix`], and the force of a breakaway.
    fn parameters(&self, fit: &Regression) -> Result<DriveParameters, Error> {
        if self.is_one_way() {
            return Ok(one_way(fit));
        }
        Ok(DriveParameters {
            mass: fit.estimate(0, "kg"),
            viscous: fit.estimate(1, "N·s/m"),
            coulomb: fit.estimate(2, "N"),
            offset: fit.estimate(3, "N"),
            breakaway: self.breakaway([0, 1, 2, 3].map(|i| fit.coefficients[i]))?,
        })
    }

    /// Without the mass, where nearly all of the acceleration is next to jumps of the velocity: what makes it jump is not in the record.
    fn without_unseen_mass(&self, found: DriveParameters) -> DriveParameters {
        if self.next_to_corners == 0 || self.shown > SHOWN {
            return found;
        }
        let why = format!(
            "{:.0} % of the squared acceleration is next to jumps of the velocity, whose forces are over between two rows",
            100.0 * (1.0 - self.shown)
        );
        DriveParameters { mass: Estimate::unknown("kg", why), ..found }
    }

    /// The force at which the drive leaves its rests.
    fn breakaway(&self, [m, _, _, o]: [f64; 4]) -> Result<Estimate, Error> {
        // What remains of the force at rest is the friction that holds the drive.
        let still = |i: usize| self.record.columns[1][i] - m * self.acceleration[i] - o;
        let friction: Vec<f64> = (0..self.velocity.len()).map(still).collect();
        Ok(breakaways(&self.early(&friction)?, &self.velocity, &self.rest, self.thinning))
    }
}

/// The record on an even grid; refused if it has holes.
fn even(
    time: &[f64],
    position: &[f64],
    force: &[f64],
    reference: Option<&[f64]>,
) -> Result<Uniform, Error> {
    let mut columns = vec![("position", position), ("force", force)];
    columns.extend(reference.map(|r| ("reference", r)));
    let record = Uniform::new(time, &columns, |_| BRIDGED)?;
    for (column, (name, _)) in record.columns.iter().zip(&columns) {
        if let Some(first) = column.iter().position(|v| v.is_nan()) {
            let samples = column[first..].iter().take_while(|v| v.is_nan()).count();
            // The hole is told by the row of the file before it, not by the place on the even grid.
            let row = record.places.partition_point(|p| *p < first);
            return Err(Error::Hole { row, column: name, samples, most: BRIDGED });
        }
    }
    Ok(record)
}

/// Position and force without what no instrument has measured.
fn looked_at<'a>(
    time: &[f64],
    position: &'a [f64],
    force: &'a [f64],
) -> Result<Entered<'a>, Error> {
    for (column, values) in [("position", position), ("force", force)] {
        if values.len() != time.len() {
            return Err(Error::ColumnLength { column, found: values.len(), times: time.len() });
        }
    }
    let columns = [("position", position, Holds::Motion), ("force", force, Holds::Force)];
    let columns = columns.map(|(name, values, holds)| Column { name, values, holds });
    let mut whole = entered(Some(time), &columns)?;
    if let Some(play) = Play::of(&whole.columns[0], &whole.columns[1]) {
        whole.said.push(play.said(["position", "force"], "m"));
        play.take_off(&mut whole.columns[0]);
    }
    Ok(whole)
}

/// Fits a drive: `time` in s, evenly spaced; `position` in m; `force` in N; `reference` (m) is what the
/// controller was told to follow, if there is one.
///
/// # Errors
/// If the record is not evenly sampled, has holes, or cannot tell the four parameters apart, or a cut-off or gain is
/// out of its range.
pub fn drive(
    time: &[f64],
    position: &[f64],
    force: &[f64],
    reference: Option<&[f64]>,
    asked: &RigidDrive,
) -> Result<DriveFit, Error> {
    asked.controller.map_or(Ok(()), |c| c.check())?;
    let whole = looked_at(time, position, force)?;
    let [position, force] = [0, 1].map(|k| &*whole.columns[k]);
    let mut record = even(time, position, force, reference)?;
    // Before anything is filtered: a value that is held or cut off would be smeared over its neighbours.
    let logged = logged::logged(&mut record)?;
    let mut signals = Signals::new(record, asked, &logged)?.refused_without_rows()?;
    signals.without_cut(&logged.cut);
    let matrix = signals.matrix()?;
    let measured = signals.measured()?;
    let mut y = signals.at_rows(&measured, 0);
    let noisy = signals.noise_of_position(&matrix[0])?;
    let plain = signals.solved(&matrix, &y, &noisy.variances).ok_or(Error::Undetermined {
        what: "mass, viscous friction, dry friction and offset cannot be told apart by this record",
        expected: "motion in both directions at several speeds with acceleration, longer than the filter",
    })?;
    let mut warnings: Vec<String> =
        [&whole.said, &whole.doubts, &logged.warnings].into_iter().flatten().cloned().collect();
    let mut certain = noisy.said.is_none() && !logged.too_much() && whole.doubts.is_empty();
    warnings.extend(noisy.said);
    // In one direction nothing that has the sign of the velocity can be told from a constant force.
    let one_way = signals.is_one_way();
    let variances = noisy.variances;
    let law = |law: Option<&Falling>,
               own: &Signals,
               columns: &[Vec<f64>],
               fit: &Regression,
               y: &[f64]| {
        let again = |position| own.fitted(position, &logged, law, y);
        own.between(columns, y, &variances, fit, &again)
    };
    let (falls, loose) = if one_way {
        (None, None)
    } else {
        let loose = law(None, &signals, &matrix, &plain, &y)?;
        let falls = signals.falling(&matrix, &y, variances)?;
        // Near reversals, play and soft couplings look like a friction that falls; what explains more is taken.
        let more = |found: &falling::FallingFit| {
            loose.as_ref().is_none_or(|b| b.explains < found.falling.explains)
        };
        (falls.filter(more), loose)
    };
    let (falling, parameters, fit) = match falls {
        Some(found) => {
            // The numbers are those of the rows without a reversal, and so must be the residuals and their
            // force.
            signals.rows = found.rows;
            y = signals.at_rows(&measured, 0);
            (Some(found.falling), found.parameters, found.fit)
        }
        None => (None, signals.parameters(&plain)?, plain),
    };
    let parameters = signals.without_unseen_mass(parameters);
    go_on()?;
    // With the law that was found: what a friction that falls leaves at reversals looks like a delay.
    let mut columns = signals.matrix()?.to_vec();
    if let Some(falling) = &falling {
        columns.extend(signals.falls(falling)?);
    }
    let (delay, late) =
        verdict::delay(&columns, signals.record.step, |late| signals.at_rows(&measured, late));
    let between = match &falling {
        Some(falling) => law(Some(falling), &signals, &columns, &fit, &y)?,
        None => loose,
    };
    let between = between.map(|b| b.said(late.map(|left| (delay.value.unwrap_or(0.0), left))));
    let found = [0, 1, 2, 3].map(|i| fit.coefficients[i]);
    // Another way in which the two come apart in time: where one clock runs faster, no delay is right for all of the record.
    if let Some(said) = signals.clocks_said(&parameters, &logged, falling.as_ref(), &measured)? {
        certain = false;
        warnings.push(said);
    }
    if let Some(said) = signals.gain_said(&parameters, falling.as_ref(), &measured)? {
        certain = false;
        warnings.push(said);
    }
    signs(&parameters, &mut warnings);
    warnings.extend(parameters.coulomb.reason.clone().filter(|_| one_way));
    go_on()?;
    let mut simulations = Vec::new();
    // The simulations know Coulomb's law only.
    match &falling {
        None => simulate::both(
            &signals.record,
            &signals.velocity,
            simulated(found, &parameters),
            asked.controller.as_ref(),
            &mut simulations,
            &mut warnings,
        ),
        Some(falling) => warnings.push(falling.said()),
    }
    go_on()?;
    let rss = square(&fit.residuals);
    let relative_residual = (rss / square(&y)).sqrt();
    let seen = verdict::Seen {
        relative_residual,
        velocity: &signals.velocity,
        acceleration: &signals.acceleration,
        simulations: &simulations,
        delay: &delay,
        // A delay shorter than the slower sensor's own step is not counted.
        step: signals.record.step * logged.hold as f64,
        autocorrelation: fit.autocorrelation,
        between,
    };
    let believable = seen.judge(&mut warnings) && certain;
    Ok(DriveFit {
        parameters,
        delay,
        believable,
        filtering: signals.filtering(),
        rows: signals.rows.len(),
        resting: signals.resting,
        next_to_corners: signals.next_to_corners,
        rmse: (rss / signals.rows.len() as f64).sqrt(),
        relative_residual,
        autocorrelation: fit.autocorrelation,
        simulations,
        samples: signals.velocity.len(),
        bridged: signals.record.bridged,
        step: signals.record.step,
        seconds: 0.0,
        warnings,
        curves: signals.curves(found, falling.as_ref(), fit.residuals),
        falling,
    })
}

impl Signals {
    fn filtering(&self) -> Filtering {
        Filtering {
            method: "Butterworth of order 4, forwards and backwards, cut-off f₁; five-point differences; all columns and the \
                     force once more at f₂; thinned",
            cutoff: self.cutoffs.0,
            parallel: self.cutoffs.1,
            thinning: self.thinning,
        }
    }

    /// Everything over time, with the model's force.
    fn curves(
        self,
        [m, fv, fc, o]: [f64; 4],
        falling: Option<&Falling>,
        row_residual: Vec<f64>,
    ) -> Curves {
        let Self { record, velocity, acceleration, sign, rows, .. } = self;
        let time: Vec<f64> =
            (0..velocity.len()).map(|i| record.start + record.step * i as f64).collect();
        let more = |v: f64| falling.map_or(0.0, |f| f.force(v));
        let force = |i: usize| {
            m * acceleration[i] + fv * velocity[i] + fc * sign[i] + o + more(velocity[i])
        };
        Curves {
            row_time: rows.iter().map(|&i| time[i]).collect(),
            row_residual,
            position: record.columns[0].clone(),
            force: record.columns[1].clone(),
            model: (0..velocity.len()).map(force).collect(),
            time,
            velocity,
            acceleration,
        }
    }
}

fn cutoffs(asked: &RigidDrive, step: f64, hold: usize) -> Result<(f64, f64), Error> {
    let rate = 1.0 / step;
    // A held column has new values only at the slower rate.
    let f1 = asked.cutoff.unwrap_or(0.1 * rate / hold as f64);
    let f2 = asked.parallel.unwrap_or(0.2 * f1);
    if !(f1 > 0.0 && f1 < 0.45 * rate) {
        let expected = "a frequency > 0 and below 0.45 of the sampling rate, in Hz: lower it, or sample faster";
        return Err(Error::OutOfRange {
            what: "the cut-off of the derivatives",
            found: f1,
            expected,
        });
    }
    if f2 > 0.0 && f2 <= f1 {
        return Ok((f1, f2));
    }
    let expected = "a frequency > 0 and at most the cut-off of the derivatives, in Hz";
    Err(Error::OutOfRange { what: "the cut-off of the parallel filter", found: f2, expected })
}

/// What is known of a drive that moves in one direction only: of dry friction and offset their sum.
fn one_way(fit: &Regression) -> DriveParameters {
    let sum = fit.coefficients[3];
    let half = fit.half(3);
    let why = format!(
        "the drive moves in one direction only, so that dry friction F_c and the offset O are one: together they are {sum:.4} N (95 %: \
         {:.4} to {:.4} N)",
        sum - half,
        sum + half
    );
    DriveParameters {
        mass: fit.estimate(0, "kg"),
        viscous: fit.estimate(1, "N·s/m"),
        coulomb: Estimate::unknown("N", why.clone()),
        offset: Estimate::unknown("N", why.clone()),
        breakaway: Estimate::unknown("N", why),
    }
}

/// Samples next to which the velocity jumps, as far as the noise of the position lets it be seen.
fn corners(position: &[f64], step: f64) -> Vec<bool> {
    let time: Vec<f64> = (0..position.len()).map(|i| step * i as f64).collect();
    let noise = noise_of_readings(&local(&time, position, NEAR));
    among_noise(position, step, noise.max(rounding(position)))
}

/// Samples at rest: slower than `slow` for at least two rows of the least squares on end.
fn resting(velocity: &[f64], slow: f64, thinning: usize) -> Vec<bool> {
    let mut rest = vec![false; velocity.len()];
    let mut i = 0;
    // Shorter rests than the rows of the least squares cannot be told from a reversal.
    while i < velocity.len() {
        let still = velocity[i..].iter().take_while(|v| v.abs() < slow).count();
        if still >= 2 * thinning {
            rest[i..i + still].fill(true);
        }
        // Past the whole stretch, or past the one sample that moves.
        i += still.max(1);
    }
    rest
}

/// Whether no sample within `reach` of `i`, as far as the filter looks, is at rest.
fn clear(rest: &[bool], i: usize, reach: usize) -> bool {
    rest[i.saturating_sub(reach)..(i + reach + 1).min(rest.len())].iter().all(|r| !r)
}

/// The greatest |force − M a − offset| in the last quarter of each rest: the force at which it ends.
fn breakaways(friction: &[f64], velocity: &[f64], rest: &[bool], thinning: usize) -> Estimate {
    let mut peaks: Vec<f64> = Vec::new();
    let mut begin = None;
    for (i, &still) in rest.iter().enumerate() {
        match (begin, still) {
            // A rest at the end of the record that nothing ends shows no breakaway.
            (None, true) => begin = Some(i),
            (Some(first), false) => {
                // The force points the way the drive then goes, or it was not friction that held it.
                let way = velocity[(i + thinning).min(velocity.len() - 1)].signum();
                let last = first + 3 * (i - first) / 4..i;
                // `max` passes over the NaN it starts from.
                let peak = friction[last].iter().map(|f| way * f).fold(f64::NAN, f64::max);
                peaks.extend((peak > 0.0).then_some(peak));
                begin = None;
            }
            _ => {}
        }
    }
    if peaks.len() < BREAKAWAYS {
        let why = format!(
            "the drive leaves rest {} times; expected at least {BREAKAWAYS}: add pauses to the motion",
            peaks.len()
        );
        return Estimate::unknown("N", why);
    }
    Estimate::known(mean(&peaks), sd(&peaks) / (peaks.len() as f64).sqrt(), "N")
}

/// The numbers of the simulations. Without friction half of the records give a little less than none: what its interval allows to be zero
/// is simulated as zero.
fn simulated([mass, viscous, coulomb, offset]: [f64; 4], known: &DriveParameters) -> [f64; 4] {
    let none = |value: f64, e: &Estimate| {
        let may_be = e.ci95.is_some_and(|[low, high]| low <= 0.0 && high >= 0.0);
        if value < 0.0 && may_be { 0.0 } else { value }
    };
    [mass, none(viscous, &known.viscous), none(coulomb, &known.coulomb), offset]
}

/// Parameters that are negative, or cannot be told from zero.
fn signs(p: &DriveParameters, warnings: &mut Vec<String>) {
    for (name, e, symbol) in [
        ("mass", &p.mass, "M"),
        ("viscous friction", &p.viscous, "F_v"),
        ("dry friction", &p.coulomb, "F_c"),
    ] {
        let Some(value) = e.value else { continue };
        let error = e.stderr.unwrap_or(0.0);
        let [low, high] = e.ci95.unwrap_or([value; 2]);
        if high < 0.0 {
            warnings.push(format!(
                "the {name} {symbol} comes out negative, {value:.4} {}: check that force and position count in the same \
                 direction, and their units (N, m)",
                e.unit
            ));
        } else if low < 0.0 {
            warnings.push(format!(
                "the {name} {symbol} = {value:.4} ± {error:.4} {} cannot be told from zero by this record",
                e.unit
            ));
        }
    }
}

//! What the logger of a drive did to its columns: values that are held, forces that are cut off, positions that wrap.

use super::{Signals, clear};
use crate::error::Error;
use crate::record::entry::saturated;
use crate::record::logger::{clipped, fresh, held, noisy_inside};
use crate::record::uniform::Uniform;
use crate::statistics::filter::{derivative, zero_phase};
use crate::statistics::stats::{roughness, scatter, square};
use std::borrow::Cow;

/// More of the squared acceleration than this from the noise of the position makes the mass too small by as much.
const NOISY: f64 = 0.02;
/// More of the rows than this that are cut off leave no drive to speak of.
const CUT: f64 = 0.25;

/// The velocity whose sign is used may have lost so many times what noise makes of it,
const AS_NOISE: f64 = 2.0;
/// or so much that a reversal moves by this share of a row.
const OF_A_ROW: f64 = 0.25;

/// What was seen.
#[derive(Clone)]
pub(super) struct Logged {
    /// Rows for which the slower column holds its values; 1 if none does.
    pub hold: usize,
    /// The rows at which a held position is new.
    pub positions: Option<Vec<usize>>,
    /// The rows at which a held force is new.
    pub forces: Option<Vec<usize>>,
    /// Rows at which the force is cut off.
    pub cut: Vec<bool>,
    /// Their share.
    pub share: f64,
    /// What the reader should know.
    pub warnings: Vec<String>,
}

/// Looks at position and force, and brings back the values between those that are held.
pub(super) fn logged(record: &mut Uniform) -> Result<Logged, Error> {
    let mut said = Vec::new();
    let cut = clipped(&record.columns[1]);
    let rows = cut.iter().filter(|c| **c).count();
    // A force that repeats its values inside its range too may be held or coarse, which is no cut-off.
    let (cut, share) = if rows > 0 && noisy_inside(&record.columns[1], &cut) {
        let share = rows as f64 / cut.len() as f64;
        said.push(format!(
            "the force stands at the end of its range in {:.0} % of the rows, as of an amplifier that is cut off: rows near them \
             were left out{}",
            100.0 * share,
            if share > CUT { ", and too few are left for reliable numbers" } else { "" }
        ));
        (cut, share)
    } else {
        (vec![false; cut.len()], 0.0)
    };
    let ends = saturated(&record.columns[0], &record.columns[1]);
    let stands = ends.iter().filter(|e| **e).count();
    if stands > 0 {
        said.push(format!(
            "the position stands at an end of its range in {:.0} % of the rows while the force still changes, as of a sensor that is cut off: rows \
             near them were left out",
            100.0 * stands as f64 / ends.len() as f64
        ));
    }
    let cut = cut.iter().zip(&ends).map(|(force, position)| *force || *position).collect();
    let mut hold = 1;
    let mut knots = [None, None];
    for ((column, name), knots) in
        record.columns.iter_mut().zip(["position", "force"]).zip(&mut knots)
    {
        let Some(rows) = held(column) else { continue };
        // The slower of the two columns limits what the filters may pass.
        hold = hold.max(rows);
        let at = new_values(column, rows);
        // A straight line between two values of the position would bend it at each of them only, and make its acceleration too small; a
        // force may jump, so that no curve is known between its values.
        let how = if name == "position" {
            on_curve(column, &at);
            "a smooth curve through the new values was used"
        } else {
            on_lines(column, &at);
            "straight lines from one new value to the next were used, as for the model"
        };
        *knots = Some(at);
        said.push(format!(
            "each value of the {name} stands for about {rows} rows, as of a slower sensor whose last value is held: {how}, and the \
             cut-offs are those of the slower sensor"
        ));
    }
    let [positions, forces] = knots;
    Ok(Logged { hold, positions, forces, cut, share, warnings: said })
}

/// The rows at which a column that holds each value for `hold` rows is new, or was renewed with the same value: where nothing
/// moves, runs of equal values are longer.
fn new_values(column: &[f64], hold: usize) -> Vec<usize> {
    let new = fresh(column);
    let mut at: Vec<usize> = Vec::new();
    for i in 0..column.len() {
        let since = at.last().map_or(hold, |last| i - last);
        // One row of grace, for rates that are no multiples; from then on every `hold` rows.
        let again = since > hold && column[i..].iter().take(hold).all(|v| *v == column[i]);
        if new[i] || again {
            at.push(i);
        }
    }
    at
}

/// Straight lines between the values of a column at some rows.
pub(super) fn on_lines(column: &mut [f64], knots: &[usize]) {
    for ends in knots.windows(2) {
        let [from, to] = [ends[0], ends[1]];
        let start = column[from];
        let end = column[to];
        let rows = (to - from) as f64;
        for i in from + 1..to {
            column[i] = start + (end - start) * (i - from) as f64 / rows;
        }
    }
    hold_last(column, knots);
}

/// After the last new value nothing is known: it is held.
fn hold_last(column: &mut [f64], knots: &[usize]) {
    if let Some(&last) = knots.last() {
        let value = column[last];
        column[last..].fill(value);
    }
}

/// The natural cubic spline through the values of a column at some rows: of all curves through them the one of least bending (de Boor
/// 1978, chapter IV). Its error falls with the fourth power of the distance of the rows.
fn on_curve(column: &mut [f64], knots: &[usize]) {
    let n = knots.len();
    if n < 3 {
        return on_lines(column, knots);
    }
    let width: Vec<f64> = knots.windows(2).map(|k| (k[1] - k[0]) as f64).collect();
    let value: Vec<f64> = knots.iter().map(|k| column[*k]).collect();
    let slope: Vec<f64> =
        value.windows(2).zip(&width).map(|(v, width)| (v[1] - v[0]) / width).collect();
    // Second derivatives at the inner rows: a tridiagonal system, solved from both ends of the elimination (Thomas).
    let mut upper = vec![0.0; n];
    let mut bend = vec![0.0; n];
    for k in 1..n - 1 {
        let pivot = 2.0 * (width[k - 1] + width[k]) - width[k - 1] * upper[k - 1];
        upper[k] = width[k] / pivot;
        bend[k] = (6.0 * (slope[k] - slope[k - 1]) - width[k - 1] * bend[k - 1]) / pivot;
    }
    for k in (1..n - 1).rev() {
        bend[k] -= upper[k] * bend[k + 1];
    }
    for (k, ends) in knots.windows(2).enumerate() {
        let h = width[k];
        let first = slope[k] - h * (2.0 * bend[k] + bend[k + 1]) / 6.0;
        for i in ends[0] + 1..ends[1] {
            let s = (i - ends[0]) as f64;
            let third = (bend[k + 1] - bend[k]) / (6.0 * h);
            column[i] = value[k] + s * (first + s * (0.5 * bend[k] + s * third));
        }
    }
    hold_last(column, knots);
}

/// The readings of a column: all rows, or those at which a held one is new.
fn readings(column: &[f64], new: Option<&[usize]>) -> Vec<f64> {
    new.map_or_else(|| column.to_vec(), |at| at.iter().map(|i| column[*i]).collect())
}

/// The velocity that the first filter makes of a position of 1 m in one row and 0 in all others.
fn one_reading([f1, f2]: [f64; 2], step: f64) -> Result<Vec<f64>, Error> {
    // By then the response of both filters to a single reading has died away.
    let reach = (4.0 / (f2 * step)).ceil() as usize;
    let mut pulse = vec![0.0; 2 * reach + 1];
    pulse[reach] = 1.0;
    Ok(derivative(&zero_phase(&pulse, f1, step)?, step))
}

/// Noise of the position in what is made of it.
pub(super) struct NoiseOfPosition {
    /// Variance of the noise in one row of acceleration and of velocity, to be taken out of the least squares; 0 where there is too much
    /// to know it well enough.
    pub variances: [f64; 2],
    /// What the reader should know where that is too much.
    pub said: Option<String>,
}

impl Logged {
    /// Whether so much is cut off that the numbers are not to be used.
    pub fn too_much(&self) -> bool {
        self.share > CUT
    }

    /// The velocity whose sign is that of the dry friction: through the slowest filter between both cut-offs that takes no motion away.
    /// That of the faster cut-off flutters for some rows at each reversal where there is noise, which doubles the errors of all
    /// numbers; where the motion itself is faster than the slower cut-off, that one puts the reversals elsewhere.
    pub fn way(
        &self,
        record: &Uniform,
        [velocity, acceleration]: [&[f64]; 2],
        [f1, f2]: [f64; 2],
    ) -> Result<Vec<f64>, Error> {
        let step = record.step;
        let read = readings(&record.columns[0], self.positions.as_deref());
        let each = record.columns[0].len() as f64 / read.len() as f64;
        let noise = each.sqrt() * scatter(&read);
        let once = one_reading([f1, f2], step)?;
        let rows = velocity.len() as f64;
        let moved = OF_A_ROW * step * (square(acceleration) / rows).sqrt();
        let mut cutoff = f2;
        while cutoff < 0.9 * f1 {
            let slow = zero_phase(velocity, cutoff, step)?;
            let less = |all: &[f64], slow: &[f64]| {
                all.iter().zip(slow).map(|(a, s)| (a - s).powi(2)).sum::<f64>()
            };
            let lost = (less(velocity, &slow) / rows).sqrt();
            let expected = noise * less(&once, &zero_phase(&once, cutoff, step)?).sqrt();
            if lost <= (AS_NOISE * expected).max(moved) {
                return Ok(slow);
            }
            cutoff *= 1.5;
        }
        Ok(velocity.to_vec())
    }
}

impl Signals {
    /// The same straight lines as in a held force, for a column of the model.
    pub(super) fn as_force<'c>(&self, column: &'c [f64]) -> Cow<'c, [f64]> {
        let Some(knots) = &self.forces else { return Cow::Borrowed(column) };
        let mut own = column.to_vec();
        on_lines(&mut own, knots);
        Cow::Owned(own)
    }

    /// The rows whose filters see no force that is cut off.
    pub(super) fn without_cut(&mut self, cut: &[bool]) {
        // As far as the filter of a row looks to either side.
        let reach = 2 * self.thinning;
        self.rows.retain(|&i| clear(cut, i, reach));
    }

    /// What noise of the position, rounding included, makes of acceleration and velocity: the mass comes out too small by its
    /// share of the squared acceleration (errors in variables). The noise of one reading goes through the same filters.
    pub(super) fn noise_of_position(&self, acceleration: &[f64]) -> Result<NoiseOfPosition, Error> {
        let (f1, f2) = self.cutoffs;
        let step = self.record.step;
        let once = one_reading([f1, f2], step)?;
        // White noise comes out with the sum of the squares of the response to one reading.
        let gain = |of: &[f64]| zero_phase(of, f2, step).map(|through| square(&through));
        // Between the readings of a slower sensor there is a curve: the readings alone show their noise, and each stands for as many rows.
        let read = readings(&self.record.columns[0], self.positions.as_deref());
        let each = self.record.columns[0].len() as f64 / read.len() as f64;
        let noise = roughness(&read);
        let gains = [each * gain(&derivative(&once, step))?, each * gain(&once)?];
        let share = gains[0] * noise * noise * acceleration.len() as f64 / square(acceleration);
        if share <= NOISY {
            let known = scatter(&read);
            let variances = gains.map(|g| g * known * known);
            return Ok(NoiseOfPosition { variances, said: None });
        }
        let said = format!(
            "the position is known to {noise:.1e} m, which makes {:.0} % of the squared acceleration: the mass comes out too \
             small by about as much; lower `cutoff` and `parallel_cutoff`",
            100.0 * share.min(1.0)
        );
        Ok(NoiseOfPosition { variances: [0.0; 2], said: Some(said) })
    }
}

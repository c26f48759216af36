//! What the logger of a drive did to its columns: values that are held, forces that are cut off, positions that wrap.

use super::{Signals, clear};
use crate::error::Error;
use crate::record::logger::{clipped, fresh, held, noisy_inside, wraps};
use crate::record::uniform::Uniform;
use crate::statistics::filter::{derivative, zero_phase};
use crate::statistics::stats::{roughness, scatter, square};

/// More of the squared acceleration than this from the noise of the position makes the mass too small by as much.
const NOISY: f64 = 0.02;
/// More of the rows than this that are cut off leave no drive to speak of.
const CUT: f64 = 0.25;

/// What was seen.
pub(super) struct Logged {
    /// Rows for which the slower column holds its values; 1 if none does.
    pub hold: usize,
    /// Rows at which the force is cut off.
    pub cut: Vec<bool>,
    /// Their share.
    pub share: f64,
    /// What the reader should know.
    pub warnings: Vec<String>,
}

/// Looks at position and force, and brings back the values between those that are held, on straight lines from one new value
/// to the next.
pub(super) fn logged(record: &mut Uniform) -> Result<Logged, Error> {
    let mut said = Vec::new();
    // The filters would turn each jump into a huge acceleration.
    if let Some((row, jump)) = wraps(&record.columns[0]) {
        return Err(Error::Unfit(format!(
            "row {}: the position jumps by {jump:.4} m from one row to the next, again and again, as of an encoder that starts \
             anew after each turn: unwrap it",
            record.places.partition_point(|p| *p < row) + 1
        )));
    }
    let cut = clipped(&record.columns[1]);
    let rows = cut.iter().filter(|c| **c).count();
    // A force that repeats its values inside its range too may be held or coarse, which is no cut-off.
    let (cut, share) = if rows > 0 && noisy_inside(&record.columns[1], &cut) {
        let share = rows as f64 / cut.len() as f64;
        said.push(format!(
            "the force stands at the end of its range in {:.0} % of the rows, as of an amplifier that is cut off: rows near them \
             were left out{}",
            100.0 * share,
            if share > CUT { ", and too few are left to believe these numbers" } else { "" }
        ));
        (cut, share)
    } else {
        (vec![false; cut.len()], 0.0)
    };
    let mut hold = 1;
    for (column, name) in record.columns.iter_mut().zip(["position", "force"]) {
        let Some(rows) = held(column) else { continue };
        // The slower of the two columns limits what the filters may pass.
        hold = hold.max(rows);
        between(column);
        said.push(format!(
            "each value of the {name} stands for about {rows} rows, as of a slower sensor whose last value is held: straight lines \
             from one new value to the next were used, and the cut-offs are those of the slower sensor"
        ));
    }
    Ok(Logged { hold, cut, share, warnings: said })
}

/// Straight lines between the first rows of the runs of equal values.
fn between(column: &mut [f64]) {
    let new = fresh(column);
    let mut from = 0;
    for to in (1..column.len()).filter(|i| new[*i]) {
        let start = column[from];
        let end = column[to];
        let rows = (to - from) as f64;
        for i in from + 1..to {
            column[i] = start + (end - start) * (i - from) as f64 / rows;
        }
        from = to;
    }
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
}

impl Signals {
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
        // By then the response of both filters to a single reading has died away.
        let reach = (4.0 / (f2 * step)).ceil() as usize;
        let mut pulse = vec![0.0; 2 * reach + 1];
        pulse[reach] = 1.0;
        let once = derivative(&zero_phase(&pulse, f1, step)?, step);
        // White noise comes out with the sum of the squares of the response to one reading.
        let gain = |of: &[f64]| zero_phase(of, f2, step).map(|through| square(&through));
        let noise = roughness(&self.record.columns[0]);
        let gains = [gain(&derivative(&once, step))?, gain(&once)?];
        let share = gains[0] * noise * noise * acceleration.len() as f64 / square(acceleration);
        if share <= NOISY {
            let known = scatter(&self.record.columns[0]);
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

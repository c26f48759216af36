//! Rows that are means over the time between them, rather than readings.
//!
//! A slip is over before the next reading: the response stands before it or after it. A mean over an interval with a slip lies
//! in between, anywhere. The fitted path jumps at the row that suits the mean best, so that up to half of the jump is left there.

use crate::bearing::fit::Fit;
use crate::record::series::Series;
use crate::statistics::stats::robust;

/// What is left next to a slip counts as a part of its jump between these shares of it,
const PART: [f64; 2] = [0.2, 0.8];
/// and above so many standard deviations of the noise.
const CLEAR: f64 = 4.0;
/// Slips of which this much or more of the jump is noise say nothing.
const HIDDEN: f64 = 0.35;
/// Fewest slips that say something, and the share of them that shows a part.
const FEWEST: usize = 8;
const SHARE: f64 = 0.25;
/// Rows on either side of a slip that are looked at.
const NEXT: usize = 2;

/// The slips that could show a part of their jump, and those that do.
fn parts(series: &Series, fit: &Fit) -> [usize; 2] {
    let (time, response) = (series.time(), series.response());
    let left: Vec<f64> = response.iter().zip(&fit.curve.fitted).map(|(z, f)| z - f).collect();
    let noise = robust(left.iter().copied().filter(|r| r.is_finite()));
    let kappa = fit.kappa.value.unwrap_or(0.0);
    let mut count = [0; 2];
    for slip in &fit.events {
        let jump = ((slip.to - slip.from) * (1.0 - kappa)).abs();
        let least = PART[0].max(CLEAR * noise / jump);
        if least.is_nan() || least > HIDDEN {
            continue;
        }
        let row = time.partition_point(|t| *t < slip.time);
        let near = row.saturating_sub(NEXT)..(row + NEXT).min(left.len());
        let most = left[near].iter().fold(0.0, |m: f64, r| m.max(r.abs())) / jump;
        count[0] += 1;
        count[1] += usize::from((least..PART[1]).contains(&most));
    }
    count
}

/// Numbers are withheld where the rows are means, and it is said: of sixteen synthetic records of hourly and two-hourly means the
/// interval of f_s/K held the truth in two.
pub fn means(series: &Series, fit: &mut Fit) {
    let [slips, parts] = parts(series, fit);
    if slips < FEWEST || (parts as f64) < SHARE * slips as f64 {
        return;
    }
    let said = format!(
        "at {parts} of {slips} slips the response stands between before and after, as means over the time between rows do and \
         readings do not: the swings that make it slip are cut off in the means, so that no number of the \
         friction is given; record readings, or means over less time"
    );
    fit.refuse(&said);
    fit.warnings.push(said);
}

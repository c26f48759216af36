//! Rows that are means over the time between them, rather than readings, and those of a logger with a dead band.
//!
//! A slip is over before the next reading: the response stands before it or after it. A mean over an interval with a slip lies
//! in between, anywhere. The fitted path jumps at the row that suits the mean best, so that up to half of the jump is left there.

use crate::bearing::finding::Logged;
use crate::bearing::fit::Fit;
use crate::record::logger::dead_band;
use crate::record::series::Series;
use crate::statistics::stats::{TO_SIGMA, median_of_many};

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
    let time = series.time();
    let response = series.response();
    // Without a list of them, which of a long record would take as much as a column.
    let left = |rows: std::ops::Range<usize>| {
        response[rows.clone()].iter().zip(&fit.curve.fitted[rows]).map(|(z, f)| (z - f).abs())
    };
    let rows = response.len().min(fit.curve.fitted.len());
    let noise = TO_SIGMA * median_of_many(left(0..rows).filter(|r| r.is_finite()));
    let kappa = fit.kappa.value.unwrap_or(0.0);
    let mut count = [0; 2];
    for slip in &fit.events {
        // Of a jump in x the elastic part (1 − κ) shows in the response.
        let jump = ((slip.to - slip.from) * (1.0 - kappa)).abs();
        // Neither a small part of the jump nor what noise makes of it counts.
        let least = PART[0].max(CLEAR * noise / jump);
        if least.is_nan() || least > HIDDEN {
            continue;
        }
        let row = time.partition_point(|t| *t < slip.time);
        // The row of the slip and those next to it: the path jumps where the mean suits it best.
        let near = row.saturating_sub(NEXT)..(row + NEXT).min(rows);
        let most = left(near).fold(0.0, f64::max) / jump;
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
         readings do not: means smooth out the swings that make it slip, so that no number of the \
         friction is given; say over what time the means are taken, or record readings"
    );
    fit.refuse(&said);
    fit.remark(Logged::Means, said);
}

/// A dead band of more than this share of a jump hides it, as rounding does, and one of more than this share of the travel at
/// breakaway moves the instants of slips too far: of 29 synthetic records with bands of 0.1 and 0.3 mm and of 0.5 and 1 K that were
/// given numbers the interval of f_s/K held the truth in 28, of 13 with bands of 0.6 mm and 2 K in 5. The limits were chosen on these.
const OF_JUMP: f64 = 0.6;
const OF_TRAVEL: f64 = 0.15;

/// Says that a logger writes a column only when it has moved by a dead band, and withholds numbers where that is much.
pub fn banded(series: &Series, fit: &mut Fit) {
    let scale = fit.parameters.beta.value.map_or(f64::NAN, f64::abs);
    for (column, values, unit, per_degree) in
        // Jump and travel are in the unit of the drive; β makes metres of them for the response.
        [("drive", series.drive(), "K", 1.0), ("response", series.response(), "mm", scale)]
    {
        let Some(band) = dead_band(values) else { continue };
        let [jump, travel] =
            [&fit.delta, &fit.rho].map(|e| e.value.map_or(f64::NAN, |v| v * per_degree));
        let shown = if unit == "mm" { 1e3 * band } else { band };
        // Of a fit without numbers nothing is to be withheld.
        let much = band > OF_JUMP * jump || band > OF_TRAVEL * travel;
        let said = format!(
            "the {column} is written only when it has moved by {shown:.3} {unit}, as of a logger with a dead band{}; log it at \
             fixed times",
            if much {
                ": too much to tell the friction"
            } else {
                ", so that slips come earlier or later than it says"
            }
        );
        if much {
            fit.refuse(&said);
        }
        fit.remark(Logged::DeadBand, said);
    }
}

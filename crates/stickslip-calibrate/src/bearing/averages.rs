//! Records whose rows are means over an interval, as their owner says.
//!
//! The mean of the response over an interval is
//!
//! ```text
//! z̄ = z₀ + β(1 − κ) ξ̄ + βκ T̄,
//! ```
//!
//! with the means of the path ξ and of the drive. Between two slips ξ stands still: over an interval without a slip the row is what
//! the response was at the instant at which the drive equals its mean, and there is one such instant, since the drive is continuous. Over an
//! interval with a slip ξ̄ lies anywhere between the two levels; such a row says only that there was a slip, and does not count.
//!
//! What drives the path is the temperature inside the intervals. It is rebuilt as a parabola in each with the right mean and with the
//! same value on both sides of every boundary (Colella and Woodward 1984, eq. 1.6), which follows the swings of a day; what is
//! faster is lost. If the temperature moves by s from one interval to the next like a random walk, its greatest value exceeds
//! that of the parabolas by 0.50 s on average, with a standard deviation of 0.22 s to 0.24 s (10⁵ intervals made by an independent
//! program). A bearing slips at the greatest values: its thresholds are that much larger than they seem, or not at all where
//! the temperature is smooth, and the intervals reach from one to the other.

use crate::bearing::finding::{Finding, Logged, What};
use crate::bearing::fit::Fit;
use crate::bearing::judge::{Judged, Judgement, judged};
use crate::bearing::options::Options;
use crate::bearing::search::curve::Curve;
use crate::bearing::search::prepared::Prepared;
use crate::error::Error;
use crate::record::lag::{Lag, Shift};
use crate::record::series::Series;
use crate::statistics::estimate::Estimate;
use crate::statistics::stats::{TO_SIGMA, median, robust};
use stickslip::portable;

/// Rows whose distance exceeds the interval by less than this share touch each other.
const TOUCHING: f64 = 0.02;
/// Next to a slip a row does not count from so many standard deviations of the noise on, up to this share of the jump.
const CLEAR: f64 = 4.0;
const PART: f64 = 0.9;
/// So many rows on either side.
const NEXT: usize = 2;
/// What means hide of the greatest values of a random walk, in parts of its step from one interval to the next: the mean and two
/// standard deviations of the mean of a few slips.
const HIDDEN: f64 = 0.6;
/// Their standard deviation is 0.24 of that step.
const SCATTER: f64 = 0.24 / HIDDEN;
/// Third differences of the means of a random walk have this variance, in squares of its step.
const THIRD: f64 = 8.0 / 3.0;
/// More than this share of ρ hidden, or of the rows with a slip, is too slow a record.
const MOST: f64 = 0.1;
const CROWDED: f64 = 0.3;

/// A record of means with its drive inside the intervals.
#[derive(Clone)]
pub struct Unfolded {
    /// Of its samples, s.
    pub time: Vec<f64>,
    /// With the extremes inside the intervals.
    pub drive: Vec<f64>,
    /// NaN but at the middles.
    pub response: Vec<f64>,
    /// The sample of each row at which the drive equals its mean.
    middle: Vec<usize>,
    /// One past the last sample of each row.
    ends: Vec<usize>,
}

/// The drive inside an interval: from one end to the other, with this mean.
struct Parabola {
    left: f64,
    rise: f64,
    bend: f64,
}

impl Parabola {
    fn new([left, right]: [f64; 2], mean: f64) -> Self {
        Self { left, rise: right - left, bend: 6.0 * (mean - 0.5 * (left + right)) }
    }

    /// At a share of the interval.
    fn at(&self, s: f64) -> f64 {
        self.left + s * (self.rise + self.bend * (1.0 - s))
    }

    /// Where it turns inside the interval.
    fn turn(&self) -> Option<f64> {
        (self.rise.abs() < self.bend.abs()).then(|| 0.5 + 0.5 * self.rise / self.bend)
    }

    /// Where it first equals `mean`: −bend s² + (rise + bend) s + left − mean = 0.
    fn crossing(&self, mean: f64) -> f64 {
        let linear = self.rise + self.bend;
        let constant = self.left - mean;
        let root = (linear * linear + 4.0 * self.bend * constant).max(0.0).sqrt();
        // Both roots without cancellation.
        let q = -0.5 * (linear + root.copysign(linear));
        let roots = [q / -self.bend, constant / q];
        let inside = roots.into_iter().filter(|s| (0.0..=1.0).contains(s));
        let first = inside.fold(f64::INFINITY, f64::min);
        // A drive that stands still equals its mean everywhere.
        if first.is_finite() { first } else { 0.5 }
    }
}

/// The value of the drive at the boundary after row `k`, if the next one touches it.
fn boundary(series: &Series, k: usize, length: f64) -> Option<f64> {
    let time = series.time();
    let drive = series.drive();
    let mean = |i: usize| drive.get(i).copied().filter(|t| !t.is_nan());
    let touch = |i: usize| time[i + 1] - time[i] < (1.0 + TOUCHING) * length;
    let next = |i: usize| (i + 1 < time.len() && touch(i)).then(|| mean(i + 1)).flatten();
    let here = mean(k)?;
    let after = next(k)?;
    let before = (k > 0 && touch(k - 1)).then(|| mean(k - 1)).flatten();
    Some(match (before, next(k + 1)) {
        (Some(before), Some(later)) => (7.0 * (here + after) - before - later) / 12.0,
        _ => 0.5 * (here + after),
    })
}

impl Unfolded {
    /// Of rows that are means over the `length` (s) before their times.
    fn of(series: &Series, length: f64) -> Self {
        let time = series.time();
        let drive = series.drive();
        let response = series.response();
        let rows = time.len();
        let mut out = Self {
            time: Vec::with_capacity(3 * rows),
            drive: Vec::with_capacity(3 * rows),
            response: Vec::with_capacity(3 * rows),
            middle: Vec::with_capacity(rows),
            ends: Vec::with_capacity(rows),
        };
        let mut before = None;
        for k in 0..rows {
            let mean = drive[k];
            let after = boundary(series, k, length);
            let begin = time[k] - length;
            if mean.is_nan() {
                out.middle.push(out.time.len());
                out.add(begin + 0.5 * length, mean, response[k]);
                out.ends.push(out.time.len());
                before = after;
                continue;
            }
            // Next to a gap the drive goes on as it does on the other side.
            let edges = match (before, after) {
                (Some(a), Some(b)) => [a, b],
                (Some(a), None) => [a, 2.0 * mean - a],
                (None, Some(b)) => [2.0 * mean - b, b],
                (None, None) => [mean, mean],
            };
            let shape = Parabola::new(edges, mean);
            let crossing = shape.crossing(mean);
            // The value at the beginning is that at the end of the row before, where they touch.
            let begins = before.is_none().then_some(0.0);
            let mut shares: Vec<f64> =
                begins.into_iter().chain([crossing, 1.0]).chain(shape.turn()).collect();
            shares.sort_by(f64::total_cmp);
            shares.dedup_by(|a, b| *a - *b < 1e-6 && *a != crossing);
            for s in shares {
                let at = begin + s * length;
                // Two samples at one time would be none: by rounding a boundary may come twice.
                if out.time.last().is_some_and(|last| at <= last + 1e-9 * length) && s != crossing {
                    continue;
                }
                if s == crossing {
                    out.middle.push(out.time.len());
                }
                let shown = if s == crossing { response[k] } else { f64::NAN };
                out.add(at, if s == crossing { mean } else { shape.at(s) }, shown);
            }
            out.ends.push(out.time.len());
            before = after;
        }
        out
    }

    /// The same without the rows in which a fitted path slips.
    pub fn without_slips(series: &Series, length: f64, curve: &Curve) -> Self {
        let slips: Vec<usize> = (0..curve.phase.len()).filter(|k| curve.phase[*k] != 0).collect();
        Self::of(series, length).without(&slips)
    }

    fn add(&mut self, time: f64, drive: f64, response: f64) {
        // A crossing at a boundary stands just behind it.
        let last = self.time.last().copied().unwrap_or(f64::NEG_INFINITY);
        self.time.push(if time > last { time } else { last + 1e-6 * last.abs().max(1.0) });
        self.drive.push(drive);
        self.response.push(response);
    }

    fn series(&self) -> Result<Series<'_>, Error> {
        Series::new(&self.time, &self.drive, &self.response)
    }

    /// The samples of a row.
    fn samples(&self, row: usize) -> std::ops::Range<usize> {
        row.checked_sub(1).map_or(0, |r| self.ends[r])..self.ends[row]
    }

    /// The same without the responses of some rows.
    fn without(&self, rows: &[usize]) -> Self {
        let mut out = self.clone();
        rows.iter().for_each(|&k| out.response[out.middle[k]] = f64::NAN);
        out
    }

    /// Rows that do not count: those with a slip, and those next to one that stand between two levels; and those next to one that stand on
    /// another level than the path.
    fn between(&self, fit: &Fit) -> [Vec<usize>; 2] {
        let rows = self.ends.len();
        let slips: Vec<bool> = (0..rows)
            .map(|k| fit.curve.phase[self.samples(k)].iter().any(|phase| *phase != 0))
            .collect();
        let left =
            |k: usize| (self.response[self.middle[k]] - fit.curve.fitted[self.middle[k]]).abs();
        let noise = robust((0..rows).map(left).filter(|r| r.is_finite()));
        let share = 1.0 - fit.kappa.value.unwrap_or(0.0);
        let mut jumps: Vec<f64> =
            fit.events.iter().map(|e| (e.to - e.from).abs() * share).collect();
        let jump = median(&mut jumps);
        let near =
            |k: usize| slips[k.saturating_sub(NEXT)..(k + NEXT + 1).min(rows)].contains(&true);
        let off = |k: usize| near(k) && left(k) > CLEAR * noise;
        let between = |k: &usize| slips[*k] || (off(*k) && left(*k) < PART * jump);
        let (some, others): (Vec<usize>, Vec<usize>) = (0..rows).partition(between);
        [some, others.into_iter().filter(|k| off(*k)).collect()]
    }
}

/// Refuses what cannot be asked for together with means.
pub fn check(series: &Series, options: &Options) -> Result<(), Error> {
    let Some(found) = options.average else { return Ok(()) };
    let what = "the interval of the means";
    if !(found.is_finite() && found > 0.0) {
        return Err(Error::OutOfRange { what, found, expected: "a time > 0 s" });
    }
    if found > (1.0 + TOUCHING) * series.usual_step() {
        let expected = "the time between rows at most: means over intervals that overlap hide where a slip was";
        return Err(Error::OutOfRange { what, found, expected });
    }
    let with = match options {
        Options { lag: Lag::Fitted, .. } => "a lag that is fitted",
        Options { shift: Shift::Fitted, .. } => "a shift that is fitted",
        Options { tolerance: Some(_), .. } => "a response between whose rows lines are drawn",
        _ => return Ok(()),
    };
    Err(Error::Together { what: "rows that are means", with })
}

/// [`judged`] of a record whose rows are means over `length` s.
pub fn judged_means(job: &Judged, length: f64) -> Result<Judgement, Error> {
    let series = job.series;
    let max_gap = job.options.max_gap.or_else(|| Some(Prepared::usual_gap(series)));
    let hidden = hidden(series, length);
    // What the means hide scatters from slip to slip like noise of the drive.
    let drive_noise = job.options.drive_noise.or(Some(SCATTER * hidden));
    let options = Options { max_gap, drive_noise, ..job.options.clone() };
    let whole = Unfolded::of(series, length);
    // The first fit says where the slips are. A path with half the jump would follow rows that stand half-way.
    let plain = Options { diagnose: false, bootstrap: 0, ..options.clone() };
    let found = job.of(&whole.without(&half_way(series)), &plain)?;
    let [between, mistimed] = match found.fit.friction_seen {
        true => whole.between(&found.fit),
        false => Default::default(),
    };
    let known = series.complete().count();
    let counts = |k: &&usize| !series.response()[**k].is_nan() && !series.drive()[**k].is_nan();
    let slipping = between.iter().filter(counts).count();
    let fine = whole.without(&between);
    let crowded = slipping as f64 > CROWDED * known as f64 || fine.series().is_err();
    let fine = if crowded { whole } else { fine };
    let Judgement { mut fit, late, number } = explained(job, &fine, &mistimed, &options)?;
    let row = |sample: usize| fine.ends.partition_point(|end| *end <= sample);
    let late = late.into_iter().map(row).collect();
    let fitted = means_of(&fine, &fit, length, series.time());
    let of = |values: &[f64]| fine.middle.iter().map(|&i| values[i]).collect::<Vec<f64>>();
    let signs = |k: usize| fit.curve.phase[fine.samples(k)].iter().find(|p| **p != 0);
    let phase = (0..fine.ends.len()).map(|k| signs(k).copied().unwrap_or(0)).collect();
    fit.curve = Curve { drive: of(&fit.curve.drive), x: of(&fit.curve.x), fitted, phase };
    (fit.samples, fit.missing) = (known, series.time().len() - known);
    fit.near = None;
    Means { length, hidden, slipping, crowded }.said(&mut fit);
    Ok(Judgement { fit, late, number })
}

/// The fit of a record, and what explains its residuals. What the means hide makes slips come early, and each leaves a jump in some row: no
/// other reading of the record is looked for on account of these.
fn explained(
    job: &Judged,
    fine: &Unfolded,
    mistimed: &[usize],
    options: &Options,
) -> Result<Judgement, Error> {
    let rest = fine.without(mistimed);
    if !options.diagnose || rest.series().is_err() {
        return job.of(fine, options);
    }
    let Judgement { fit: other, late, number } = job.of(&rest, options)?;
    let length = options.average.unwrap_or(0.0);
    let within =
        |f: &Finding| f.estimate.as_ref().and_then(|e| e.value).is_some_and(|s| s.abs() < length);
    let allowed = |f: &Finding| match f.what {
        What::Thermometer | What::Rounding => true,
        // Means do not show when something happens within them.
        What::Lag | What::Shift => within(f),
        _ => false,
    };
    let plain = other.diagnosis.is_empty() && mistimed.is_empty();
    if plain || !other.friction_seen || other.is_divided() || !other.diagnosis.iter().all(allowed) {
        return Ok(Judgement { fit: other, late, number });
    }
    let mut found = job.of(fine, &Options { diagnose: false, ..options.clone() })?;
    found.fit.residuals_are_noise = other.residuals_are_noise;
    found.fit.looked_for = other.looked_for;
    Ok(found)
}

impl Judged<'_> {
    /// The fit of an unfolded record.
    fn of(&self, fine: &Unfolded, options: &Options) -> Result<Judgement, Error> {
        judged(&Judged { series: &fine.series()?, options, ..*self })
    }
}

/// Rows that stand half-way between their neighbours, where these are apart.
fn half_way(series: &Series) -> Vec<usize> {
    let z = series.response();
    let step = |k: usize| z[k] - z[k - 1];
    let usual = robust((1..z.len()).map(step).filter(|d| d.is_finite()));
    let clear = |d: f64| d.abs() > CLEAR * usual;
    let between = |k: &usize| step(*k) * step(k + 1) > 0.0 && clear(step(*k)) && clear(step(k + 1));
    (1..z.len().saturating_sub(1)).filter(between).collect()
}

/// The means of the fitted response over the intervals.
fn means_of(fine: &Unfolded, fit: &Fit, length: f64, time: &[f64]) -> Vec<f64> {
    let mut fitted: Vec<f64> = fine.middle.iter().map(|&i| fit.curve.fitted[i]).collect();
    let share = 1.0 - fit.kappa.value.unwrap_or(0.0);
    for slip in &fit.events {
        let row = time.partition_point(|t| *t < slip.time);
        let Some(value) = fitted.get_mut(row) else { continue };
        let jump = share * (slip.to - slip.from);
        let after = ((time[row] - slip.time) / length).clamp(0.0, 1.0);
        // At its middle the row has the whole jump behind it, or before it.
        let whole = if slip.time <= fine.time[fine.middle[row]] { 1.0 } else { 0.0 };
        *value += jump * (after - whole);
    }
    fitted
}

/// By how much the greatest values of the drive may exceed those that the means show, in its unit.
fn hidden(series: &Series, length: f64) -> f64 {
    let time = series.time();
    let drive = series.drive();
    let touching = |w: usize| {
        time[w + 3] - time[w] < 3.0 * (1.0 + TOUCHING) * length
            && drive[w..w + 4].iter().all(|t| !t.is_nan())
    };
    let third = |w: usize| (drive[w + 3] - drive[w] - 3.0 * (drive[w + 2] - drive[w + 1])).abs();
    let mut all: Vec<f64> =
        (0..time.len().saturating_sub(3)).filter(|w| touching(*w)).map(third).collect();
    // Between intervals that do not touch the drive is seen too seldom for means to matter.
    if all.is_empty() {
        return 0.0;
    }
    HIDDEN * TO_SIGMA * median(&mut all) / THIRD.sqrt()
}

/// Means over intervals, and what they hide of a bearing.
struct Means {
    /// Of an interval, s.
    length: f64,
    /// By how much the drive may swing more than they show, in its unit.
    hidden: f64,
    /// Rows that hold a slip.
    slipping: usize,
    /// Whether these are too many.
    crowded: bool,
}

impl Means {
    /// Lets what they hide into the intervals, or refuses the numbers, and says so.
    fn said(&self, fit: &mut Fit) {
        let Self { length, hidden, slipping, crowded } = *self;
        let hours = length / 3600.0;
        let over = if hours < 1.0 {
            format!("{:.0} min", 60.0 * hours)
        } else {
            format!("{} h", readable(hours))
        };
        if crowded {
            let said = format!(
                "the rows are means over {over}, and {slipping} of {} hold a slip: too many to tell what the bearing does between \
                 slips; record means over less time, or readings",
                fit.samples
            );
            fit.refuse(&said);
            fit.warnings.push(said);
            return;
        }
        let Some(rho) = fit.rho.value else { return };
        if hidden > MOST * rho {
            let said = format!(
                "the rows are means over {over}, within which the temperature may swing by {hidden:.2} °C more than they show, {:.0} % of \
                 what it takes to make the bearing slip: record means over less time, or readings",
                100.0 * hidden / rho
            );
            fit.refuse(&said);
            fit.warnings.push(said);
            return;
        }
        let beta = fit.parameters.beta.value.map_or(0.0, f64::abs);
        let stiffness = fit.parameters.K.value.unwrap_or(0.0);
        let p = &mut fit.parameters;
        for (e, by) in [
            (&mut fit.rho, hidden),
            (&mut fit.f_s_over_K, hidden * beta),
            (&mut fit.f_d_over_K, hidden * beta),
            (&mut p.f_s, hidden * beta * stiffness),
            (&mut p.f_d, hidden * beta * stiffness),
        ] {
            upwards(e, by);
        }
        fit.logged.push(Logged::Means);
        fit.notice(format!(
            "the rows are means over {over}, as the file says: {slipping} of {} hold a slip and do not count, and the intervals of f_s and f_d \
             reach upwards by the {hidden:.2} °C that the temperature may swing within the means",
            fit.samples
        ));
    }
}

/// To three digits at most.
fn readable(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// Lets an interval reach further up.
fn upwards(e: &mut Estimate, by: f64) {
    if let Some([_, high]) = &mut e.ci95 {
        *high += by;
    }
    e.stderr = e.stderr.map(|s| portable::hypot(s, 0.5 * by));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integral over the interval, by Simpson's rule, which is exact for parabolas.
    fn mean(p: &Parabola) -> f64 {
        (p.at(0.0) + 4.0 * p.at(0.5) + p.at(1.0)) / 6.0
    }

    #[test]
    fn a_parabola_has_its_ends_its_mean_and_the_instant_of_it() {
        for (ends, of) in [
            ([1.0, 3.0], 2.0),
            ([1.0, 3.0], 2.4),
            ([3.0, 1.0], 0.2),
            ([2.0, 2.0], 2.0),
            ([2.0, 2.0], 5.0),
            ([-1.0, 4.0], -3.0),
        ] {
            let p = Parabola::new(ends, of);
            let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{ends:?} {of}: {a} {b}");
            near(p.at(0.0), ends[0]);
            near(p.at(1.0), ends[1]);
            near(mean(&p), of);
            near(p.at(p.crossing(of)), of);
            if let Some(s) = p.turn() {
                assert!(s > 0.0 && s < 1.0);
                near(p.at(s - 1e-3), p.at(s + 1e-3));
            }
        }
    }

    /// Means of a wave over a twelfth of it: the rebuilt wave reaches its crests, which the means miss by 1.1 %.
    #[test]
    fn the_crests_of_a_wave_are_rebuilt() {
        let w = std::f64::consts::TAU / 12.0;
        let phase = 0.3;
        let time: Vec<f64> = (1..=240).map(f64::from).collect();
        let drive: Vec<f64> = time
            .iter()
            .map(|t| ((w * (t - 1.0) + phase).cos() - (w * t + phase).cos()) / w)
            .collect();
        let response: Vec<f64> = drive.iter().map(|t| 0.3 * t).collect();
        let series = Series::new(&time, &drive, &response).unwrap();
        let fine = Unfolded::of(&series, 1.0);
        assert!(fine.time.windows(2).all(|p| p[1] > p[0]));
        let far = fine.time.iter().zip(&fine.drive).skip(9).take(400);
        let worst = far.map(|(t, d)| (d - (w * t + phase).sin()).abs()).fold(0.0, f64::max);
        assert!(worst < 3e-3, "{worst}");
        let most = fine.drive.iter().copied().fold(0.0, f64::max);
        let of_means = drive.iter().copied().fold(0.0, f64::max);
        assert!((most - 1.0).abs() < 2e-3 && of_means < 0.99, "{most} {of_means}");
        // Each row is seen once, at the instant of its mean.
        assert_eq!(fine.middle.len(), drive.len());
        assert!(fine.middle.iter().zip(&drive).all(|(i, t)| fine.drive[*i] == *t));
        let seen = fine.response.iter().filter(|z| z.is_finite()).count();
        assert_eq!(seen, drive.len());
    }

    /// The steps of a random walk of 1 an hour: six tenths of it.
    #[test]
    fn what_means_of_a_walk_hide_is_known() {
        let mut draws = crate::statistics::random::Draws::new(5, 6);
        let mut x = 0.0;
        let mut means = || {
            let mut sum = 0.0;
            (0..50).for_each(|_| {
                x += draws.normal() / 50f64.sqrt();
                sum += x;
            });
            sum / 50.0
        };
        let drive: Vec<f64> = (0..20_000).map(|_| means()).collect();
        let time: Vec<f64> = (1..=20_000).map(f64::from).collect();
        let series = Series::new(&time, &drive, &drive).unwrap();
        let found = hidden(&series, 1.0);
        assert!((found / 0.6 - 1.0).abs() < 0.03, "{found}");
    }
}

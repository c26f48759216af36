//! What the reader of a fit should know, in sentences.

use crate::bearing::case::{BELIEVABLE, SUSPICIOUS};
use crate::bearing::clean::Clean;
use crate::bearing::finding::{Finding, Logged, Remedy, What};
use crate::bearing::fit::{Fit, NO_FRICTION};
use crate::bearing::intervals::sizes::Sizes;
use crate::bearing::intervals::thermometer::TAILS;
use crate::record::filling;
use crate::record::logger::held_readings;
use crate::record::series::Series;
use crate::statistics::estimate::Estimate;

/// Rows of spikes that are listed.
const LISTED: usize = 1000;
/// Less than this share of the range of the response is no residual.
const ROUNDING: f64 = 1e-9;
/// From this share of spikes on the reader is warned.
const MANY: f64 = 0.002;
/// Spikes, codes and interpolated rows.
pub fn left_out(fit: &mut Fit, series: &Series, clean: Clean) {
    let mut rows = clean.left_out;
    rows.sort_unstable();
    fit.outliers = rows.len();
    let coded: usize = clean.sentinels.iter().map(|s| s.count).sum();
    // A spike is counted as left out, not as missing.
    fit.missing -= rows.len().min(fit.missing);
    fit.interpolated = clean.interpolated;
    let share = |count: usize| count as f64 / series.time().len() as f64;
    if !rows.is_empty() {
        let count = rows.len();
        let said = match count {
            1 => "1 value is a spike and was left out; its row is listed in the result".to_owned(),
            _ => format!(
                "{count} values are spikes and were left out; their rows are listed in the result"
            ),
        };
        // A few are counted and listed; many are a finding.
        if share(count) > MANY {
            fit.diagnosis.push(counted(What::Spikes, share(count), count, said.clone(), None));
            fit.warnings.push(said);
        }
    }
    if clean.too_many > 0 {
        crowded(fit, clean.too_many, share(clean.too_many));
    }
    if clean.carried > 0 {
        let said = format!(
            "{} values of the response ({:.0} %) repeat the one before to the last digit, as of a logger that carries the last \
             reading forward where one is missing: they were left out",
            clean.carried,
            100.0 * share(clean.carried)
        );
        fit.remark(Logged::Carried, said);
    }
    if clean.filled > 0 {
        let said = format!(
            "{} values of the response ({:.0} %) lie on straight lines between others, although the drive does not: they were \
             filled in between readings, and were left out",
            clean.filled,
            100.0 * share(clean.filled)
        );
        fit.remark(Logged::FilledIn, said);
    }
    if clean.lines {
        let said = "the response runs along straight lines, although the drive does not: it was filled in between readings of which \
                    hardly any stands in the table, so that no number of the friction is given; give the readings themselves, at \
                    their own times";
        fit.refuse(said);
        fit.remark(Logged::FilledIn, said.to_owned());
    }
    if coded > 0 {
        let codes: Vec<f64> = clean.sentinels.iter().map(|s| s.value).collect();
        let each = clean.sentinels.iter().map(|s| {
            format!(
                "{}{} in {} row{} of the {}",
                s.value,
                if s.column == "response" { " m" } else { "" },
                s.count,
                if s.count == 1 { "" } else { "s" },
                s.column
            )
        });
        let said = format!(
            "{} repeats exactly, far outside of everything else: taken as codes for missing values and left out; declare \
             them as missing",
            each.collect::<Vec<_>>().join(", ")
        );
        fit.warnings.push(said.clone());
        let finding =
            counted(What::Sentinels, share(coded), coded, said, Some(Remedy::Missing(codes)));
        fit.diagnosis.push(finding);
    }
    fit.sentinels = clean.sentinels;
    rows.truncate(LISTED);
    fit.outlier_rows = rows.into_iter().map(|r| r + 1).collect();
}

/// What lines of the drive cut off does harm if it moves the response by this share of what the fit leaves.
const CUT: f64 = 0.25;

/// A drive that was read less often than the response, and filled in by lines between readings or by the last one. What it did between
/// them is cut off: where that would have moved the response by some of what the fit leaves, and the residuals are alike over rows, the
/// bearing slipped at other times than the table says.
pub fn sparse_drive(fit: &mut Fit, series: &Series) {
    let drive = series.drive();
    let (begins, change) = if let Some(lines) = filling::drawn(series.time(), drive) {
        let percent = 100.0 * lines.rows as f64 / drive.len() as f64;
        let begins = format!(
            "{} values of the drive ({percent:.0} %) lie on straight lines between others, as filled in between readings",
            lines.rows
        );
        (begins, lines.bend)
    } else if let Some((rows, change)) = held_readings(drive) {
        let begins = format!(
            "each value of the drive stands for about {rows} rows, as of a thermometer that is read less often"
        );
        (begins, change)
    } else {
        return;
    };
    let cut = change * spread(series.response()) / spread(drive);
    let said = if fit.autocorrelation > SUSPICIOUS && cut > CUT * fit.rmse {
        let said = format!(
            "{begins}: what it did between them is not in the record, and the residuals are more than noise, so that no number of the \
             friction is given; give readings of the drive that are as frequent as those of the response"
        );
        fit.refuse(&said);
        said
    } else {
        format!("{begins}; the residuals show no harm of it")
    };
    fit.remark(Logged::FilledIn, said);
}

/// The standard deviation of what is there.
fn spread(values: &[f64]) -> f64 {
    let seen = || values.iter().filter(|v| v.is_finite());
    let count = seen().count() as f64;
    let mean = seen().sum::<f64>() / count;
    (seen().map(|v| (v - mean) * (v - mean)).sum::<f64>() / count).sqrt()
}

/// More spikes than can be left out.
fn crowded(fit: &mut Fit, count: usize, share: f64) {
    let said = format!(
        "{count} values of the response ({:.0} %) stand out like spikes, too many to be left out: nothing can be said of \
         the friction until they are removed, or declared as missing",
        100.0 * share
    );
    fit.refuse(&said);
    fit.warnings.push(said.clone());
    // It comes first: nothing else can be said before it is dealt with.
    fit.diagnosis.insert(0, counted(What::Spikes, share, count, said, None));
}

fn counted(
    what: What,
    strength: f64,
    count: usize,
    said: String,
    remedy: Option<Remedy>,
) -> Finding {
    let estimate = Some(Estimate::known(count as f64, 0.0, "1"));
    Finding { what, strength, estimate, time: None, suggestion: said, remedy }
}

/// Where something else hides the friction, it is not said that there is none.
fn hidden(fit: &mut Fit) {
    let other = |f: &&Finding| {
        matches!(
            f.what,
            What::Step
                | What::Drift
                | What::Creep
                | What::Lag
                | What::Shift
                | What::Change
                | What::Gain
                | What::Expansion
        )
    };
    if fit.friction_seen {
        return;
    }
    // No other finding hides the friction; whether the test could have shown it is another question.
    let Some(what) = fit.diagnosis.first().filter(other).map(|f| f.what.name()) else {
        powerless(fit);
        return;
    };
    let said = format!(
        "the friction cannot be told while the record shows something else, which the findings name ({what}): allow for \
         it first"
    );
    undecided(fit, &said);
}

/// Whether there is friction is not known, and why.
fn undecided(fit: &mut Fit, said: &str) {
    fit.refuse(said);
    fit.parameters.z0 = Estimate::unknown("m", said);
    fit.friction_denied = false;
    // The warning that denies friction would contradict this one.
    fit.warnings.iter_mut().filter(|w| *w == NO_FRICTION).for_each(|w| *w = said.to_owned());
}

/// A test that could not have succeeded is no evidence. Friction is accepted if it brings (n/τ) ln(rss₀/rss) of [`BELIEVABLE`]:
/// of fewer independent readings than that it would have to explain two thirds of the squared residual.
fn powerless(fit: &mut Fit) {
    let tau = fit.autocorrelation;
    let readings = fit.samples as f64 / fit.autocorrelation;
    // The rounding of a computer is alike over rows, too.
    let ends = |m: [f64; 2], v: &f64| [m[0].min(*v), m[1].max(*v)];
    let [low, high] = fit.curve.fitted.iter().fold([f64::INFINITY, f64::NEG_INFINITY], ends);
    let nothing = fit.rmse_without_friction < ROUNDING * (high - low);
    if tau <= SUSPICIOUS || readings >= BELIEVABLE || nothing {
        return;
    }
    let said = format!(
        "whether there is friction cannot be told: a straight line leaves {:.3} mm, alike over {tau:.0} rows, so that the record \
         counts as {readings:.0} readings; something else moves the response, such as creep, a gain, unit or sign that changed",
        1e3 * fit.rmse_without_friction
    );
    undecided(fit, &said);
}

/// The strongest explanation becomes a warning.
pub fn explained(fit: &mut Fit) {
    hidden(fit);
    if let Some(first) = fit.diagnosis.first() {
        let share = 100.0 * first.strength;
        let said = match first.what {
            // These have been allowed for in the intervals; all others were not applied.
            What::Thermometer | What::Rounding => first.suggestion.clone(),
            _ => format!(
                "{} (this explains {share:.0} % of the excess residual; it was not applied)",
                first.suggestion
            ),
        };
        let also: Vec<String> =
            fit.diagnosis.iter().skip(1).map(|f| f.what.name().to_owned()).collect();
        fit.warnings.push(if also.is_empty() {
            said
        } else {
            format!("{said}; nearly as good: {}", also.join(", "))
        });
    }
}

/// Residuals of which a few are much larger than the others, and nothing says why.
fn few_large(sizes: &Sizes, slips: usize) -> Option<String> {
    let [rmse, most] = sizes.residuals;
    let mistimed = sizes.mistimed.is_some_and(|m| m.many(slips));
    // Residuals of this kind have a known cause: slips at the wrong time, rounding, or a finding.
    let unexplained = !sizes.explained && !mistimed && sizes.rounding.is_none();
    (unexplained && most > 0.0 && rmse > TAILS * most).then(|| {
        format!(
            "most residuals are about {:.3} mm, but their rms is {:.3} mm: some values are no measurements, or something \
             happens that is not in the model; look at the residuals",
            1e3 * most,
            1e3 * rmse
        )
    })
}

/// Noise of the drive and rounding.
pub fn errors(fit: &mut Fit, sizes: &Sizes) {
    fit.drive_noise = sizes.drive;
    if sizes.drive.is_none() {
        fit.warnings.push(
            "how noisy the drive is cannot be told from this record, and the intervals do not allow for it: state its noise \
             if it is known"
                .to_owned(),
        );
    }
    // Where readings are too coarse to show the slips, they do not show their instants either.
    let hidden = sizes.rounding.is_some_and(|r| r.hides);
    if let (Some(mistimed), Some(sigma), false) = (sizes.mistimed, sizes.drive, sizes.explained)
        && mistimed.many(fit.slips)
        && !hidden
    {
        let rows = mistimed.rows;
        let allowed = match sizes.wander {
            Some(by) => format!(
                "the intervals allow for such a noise, but not for a drive that goes beyond its readings between them (here by up to {by:.3} on \
                 average), which would make slips come early, too, and would mean that f_s is larger: record more often"
            ),
            None => "the intervals allow for it".to_owned(),
        };
        fit.diagnosis.push(Finding {
            what: What::Thermometer,
            strength: (rows as f64 / fit.slips.max(1) as f64).min(1.0),
            estimate: Some(Estimate::known(sigma, 0.0, "K")),
            time: None,
            suggestion: format!(
                "in {rows} rows the slips come earlier or later than the drive says, as with a noise of {sigma:.3} in the drive: {allowed}"
            ),
            remedy: Some(Remedy::DriveNoise(sigma)),
        });
    }
    fit.warnings.extend(few_large(sizes, fit.slips));
    let Some(rounding) = sizes.rounding else { return };
    fit.rounding = Some(rounding.step);
    let said = format!(
        "the response is rounded to {:.3} mm, which is {}: {}",
        1e3 * rounding.step,
        if rounding.hides {
            "more than 60 % of what a slip moves it"
        } else {
            "more than its noise"
        },
        if rounding.hides {
            "too coarse to tell the friction"
        } else {
            "the intervals allow for it"
        }
    );
    // The jumps are lost between two readings.
    if rounding.hides {
        fit.refuse(&said);
    }
    fit.diagnosis.push(Finding {
        what: What::Rounding,
        strength: 1.0,
        estimate: Some(Estimate::known(rounding.step, 0.0, "m")),
        time: None,
        suggestion: said,
        remedy: None,
    });
}

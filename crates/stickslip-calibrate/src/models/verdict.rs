//! What speaks against the numbers of a fit.

use super::least_squares::Least;
use super::report::ModelFit;
use super::setup::Setup;
use crate::statistics::memory::likeness;

/// More of what was measured than this share is not explained: then the model is wrong, or a unit.
const UNEXPLAINED: f64 = 0.5;
/// What a fit leaves and that lasts this many rows is no noise, however small it is: of twelve right models the residuals lasted one row.
const SYSTEMATIC: f64 = 2.0;
/// Nor is what is so many times the noise of the readings.
const LARGE: f64 = 1.3;
/// Nor are residuals that resemble their neighbours so many standard errors more than white ones: a model that lacks little leaves
/// some that last for a part of a row only, and its numbers may miss by several half-widths nevertheless.
const ALIKE: f64 = 3.5;
/// By how much the BIC of another law must lie below that of the fitted one.
const STRONG: f64 = 10.0;
/// And what share of it the other law may leave at most: the numbers of a criterion alone say nothing of the fit.
const LESS: f64 = 0.98;

/// Says what speaks against the numbers.
pub fn judge(report: &mut ModelFit, setup: &Setup<'_>, least: &Least) {
    let mut warnings = Vec::new();
    let left = setup.leftovers(&least.residuals);
    for (m, left) in report.measured.iter().zip(&left) {
        let percent = 100.0 * m.relative;
        if m.relative > UNEXPLAINED {
            warnings.push(format!(
                "the model leaves {percent:.0} % of the measured {} unexplained: these numbers cannot be trusted; check the \
                 units, the ranges of the unknowns and that the model is of what was measured",
                m.what
            ));
            continue;
        }
        // Residuals that last, or that exceed the noise, are a part of the motion which the model lacks.
        if report.autocorrelation > SYSTEMATIC || m.rmse > LARGE * m.noise {
            warnings.push(format!(
                "the residuals of the measured {} ({percent:.1} % of it, {:.3e} {} rms) are {:.1} times the noise of its \
                 readings and alike over {:.0} rows: the model leaves something out, which the intervals do not cover",
                m.what, m.rmse, m.unit, m.rmse / m.noise.max(f64::MIN_POSITIVE), report.autocorrelation
            ));
            continue;
        }
        let likeness = likeness(std::slice::from_ref(left), ALIKE);
        if likeness > ALIKE {
            warnings.push(format!(
                "the residuals of the measured {} ({percent:.1} % of it, {:.3e} {} rms) resemble their neighbours more than \
                 chance allows (the sum of their first autocorrelations is {likeness:.1} standard errors above zero; up to {ALIKE} may \
                 be chance): the model leaves something out, which the intervals do not cover",
                m.what, m.rmse, m.unit
            ));
        }
    }
    for (k, u) in setup.question.unknowns.iter().enumerate() {
        let [low, high] = setup.bounds[k];
        let p = least.p[k];
        // A bound that the fit has reached is met up to rounding only.
        let near = 1e-6 * (high - low);
        let at_low = p <= low + near;
        if at_low && (u.above.is_some() || low == 0.0) {
            continue; // Nothing of it: that is an answer, not a bound in the way.
        }
        if at_low || p >= high - near {
            warnings.push(format!(
                "`{}` lies at the {} of its range, {:.4e} {}: widen the range, or look for what else is wrong",
                u.name,
                if at_low { "lower end" } else { "upper end" },
                setup.values(&least.p)[k],
                u.unit
            ));
        }
    }
    warnings.extend(better_law(report));
    // Records are pieces in any case; more than these are a sign only where nobody asked for them.
    if report.pieces > 1 + setup.question.breaks.len() && setup.question.pieces.is_none() {
        warnings.push(format!(
            "no single motion follows the whole record, so it was fitted in {} pieces with starts of their own: a slip comes \
             too early or too late somewhere, or the motion forgets its start",
            report.pieces
        ));
    }
    report.plausible = warnings.is_empty();
    report.warnings = warnings;
}

/// Another friction law that explains the same rows far better than the fitted one.
fn better_law(report: &ModelFit) -> Option<String> {
    let comparison = report.comparison.as_ref()?;
    let best = comparison.candidates.iter().min_by(|a, b| a.bic.total_cmp(&b.bic))?;
    let by = comparison.fitted_bic - best.bic;
    // On thousands of rows a criterion finds any difference strong: the other law must also leave visibly less.
    (by > STRONG && best.relative < LESS * comparison.fitted_relative).then(|| {
        format!(
            "the friction law `{}` leaves {:.2} % where the fitted one leaves {:.2} % (ΔBIC = {:.0}): the fitted numbers are those \
             of the wrong law; fit that one",
            best.law,
            100.0 * best.relative,
            100.0 * comparison.fitted_relative,
            -by
        )
    })
}

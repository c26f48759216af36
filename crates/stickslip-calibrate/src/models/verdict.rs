//! What speaks against the numbers of a fit.

use super::least_squares::Least;
use super::report::ModelFit;
use super::setup::Setup;
use crate::statistics::memory::likeness;
use crate::statistics::stats::unsorted_quantile;

/// More of what was measured than this share is not explained: then the model is wrong, or a unit.
const UNEXPLAINED: f64 = 0.5;
/// What a fit leaves and that lasts this many rows is no noise, however small it is: of twelve right models the residuals lasted one row.
const SYSTEMATIC: f64 = 2.0;
/// Nor is what is so many times the noise of the readings.
const LARGE: f64 = 1.3;
/// Nor are residuals that resemble their neighbours so many standard errors more than white ones: a model that lacks little leaves
/// some that last for a part of a row only, and its numbers may miss by several half-widths nevertheless.
const ALIKE: f64 = 3.5;
/// Rounding to steps errs by half a step at most. Where this share of the residuals is below so many steps, no more is left than that.
const ROUNDED: [f64; 2] = [0.98, 0.6];
/// By how much the BIC of another law must lie below that of the fitted one.
const STRONG: f64 = 10.0;
/// And what share of it the other law may leave at most: the numbers of a criterion alone say nothing of the fit.
const LESS: f64 = 0.98;

/// Says what speaks against the numbers.
pub fn judge(report: &mut ModelFit, setup: &Setup<'_>, least: &Least) {
    let mut warnings = Vec::new();
    let left = setup.leftovers(&least.residuals);
    for (j, (m, left)) in report.measured.iter().zip(&left).enumerate() {
        let percent = 100.0 * m.relative;
        if m.relative > UNEXPLAINED {
            warnings.push(format!(
                "the model leaves {percent:.0} % of the measured {} unexplained: these numbers cannot be trusted; check the \
                 units, the ranges of the unknowns and that the model is of what was measured",
                m.what
            ));
            continue;
        }
        // The errors of rounding last while the motion is slow or rests, whatever the model is.
        if is_rounding(&setup.question.sensors[j].values, left, setup.sigma[j]) {
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

/// Whether the residuals, in units of `sigma`, are no more than the rounding of the readings leaves.
fn is_rounding(values: &[f64], left: &[f64], sigma: f64) -> bool {
    let [share, most] = ROUNDED;
    let mut sizes: Vec<f64> =
        left.iter().map(|r| r.abs() * sigma).filter(|r| r.is_finite()).collect();
    step_of_rounding(values)
        .is_some_and(|step| !sizes.is_empty() && unsorted_quantile(&mut sizes, share) < most * step)
}

/// The step to multiples of which readings are rounded, where nearly all of their changes are such multiples.
fn step_of_rounding(values: &[f64]) -> Option<f64> {
    let changes = values.windows(2).map(|w| (w[1] - w[0]).abs()).filter(|c| *c > 0.0);
    let step = changes.clone().fold(f64::INFINITY, f64::min);
    let is_whole = |c: &f64| (c / step - (c / step).round()).abs() < 0.05;
    let [whole, all] = [changes.clone().filter(is_whole).count(), changes.count()];
    (step.is_finite() && 10 * whole >= 9 * all).then_some(step)
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

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::portable;

    /// A slow swing that is read in steps of 0.01: what rounding leaves lasts for many rows and is no sign, half a step more is one, and
    /// readings that are not rounded have no step.
    #[test]
    fn what_rounding_leaves_is_no_sign() {
        let swing: Vec<f64> = (0..2000).map(|i| portable::sin(0.003 * f64::from(i))).collect();
        let read: Vec<f64> = swing.iter().map(|x| (x / 0.01).round() * 0.01).collect();
        let left = |off: f64| -> Vec<f64> {
            read.iter().zip(&swing).map(|(read, x)| (read - x) / 0.02 + off / 0.02).collect()
        };
        assert!(is_rounding(&read, &left(0.0), 0.02));
        assert!(!is_rounding(&read, &left(0.005), 0.02));
        assert_eq!(step_of_rounding(&swing), None);
        assert!((step_of_rounding(&read).unwrap() - 0.01).abs() < 1e-12);
        assert_eq!(step_of_rounding(&[1.0; 5]), None);
    }
}

//! What speaks against the numbers of a fit.

use super::least_squares::Least;
use super::report::ModelFit;
use super::setup::Setup;

/// More of what was measured than this share is not explained: then the model is wrong, or a unit.
const UNEXPLAINED: f64 = 0.5;
/// What is left over and lasts this many rows while it is this many times the noise is no noise.
const SYSTEMATIC: (f64, f64) = (2.0, 1.3);

/// Says what speaks against the numbers.
pub fn judge(report: &mut ModelFit, setup: &Setup<'_>, least: &Least) {
    let mut warnings = Vec::new();
    let mut believed = true;
    for m in &report.measured {
        let percent = 100.0 * m.relative;
        if m.relative > UNEXPLAINED {
            believed = false;
            warnings.push(format!(
                "the model leaves {percent:.0} % of the measured {} unexplained: these numbers cannot be believed; check the \
                 units, the ranges of the unknowns and that the model is of what was measured",
                m.what
            ));
        } else if report.autocorrelation > SYSTEMATIC.0 && m.rmse > SYSTEMATIC.1 * m.noise {
            warnings.push(format!(
                "what the model leaves of the measured {} ({percent:.1} % of it, {:.3e} {} rms) is {:.1} times the noise of its \
                 readings and lasts {:.0} rows: the model leaves something out, which the intervals do not cover",
                m.what, m.rmse, m.unit, m.rmse / m.noise.max(f64::MIN_POSITIVE), report.autocorrelation
            ));
        }
    }
    for (k, u) in setup.question.unknowns.iter().enumerate() {
        let ([low, high], p) = (setup.bounds[k], least.p[k]);
        let near = 1e-6 * (high - low);
        let at_low = p <= low + near;
        if at_low && (u.above.is_some() || low == 0.0) {
            continue; // Nothing of it: that is an answer, not a bound in the way.
        }
        if at_low || p >= high - near {
            believed = false;
            warnings.push(format!(
                "`{}` lies at the {} of its range, {:.4e} {}: widen the range, or look for what else is wrong",
                u.name,
                if at_low { "lower end" } else { "upper end" },
                setup.values(&least.p)[k],
                u.unit
            ));
        }
    }
    if report.pieces > 1 + setup.question.breaks.len() && setup.question.pieces.is_none() {
        warnings.push(format!(
            "no single motion follows the whole record, so it was fitted in {} pieces with starts of their own: a slip comes \
             too early or too late somewhere, or the motion forgets its start",
            report.pieces
        ));
    }
    report.believed = believed && warnings.is_empty();
    report.warnings = warnings;
}

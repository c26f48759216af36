//! What the comparison is worth, and what the records show of a bristle.

use super::path::Path;
use super::{LawFit, LawsFit};
use crate::statistics::estimate::{Estimate, digits};
use crate::statistics::stats::{mean, sd, student};
use stickslip::portable;

/// A bristle of fewer rows than this is passed between two rows.
const ROWS: f64 = 2.0;
/// Rows on its length with which it would be seen well.
const WANTED: f64 = 10.0;
/// More than this share of the force is not explained by any law.
const UNEXPLAINED: f64 = 0.1;

/// What a record shows in which the bristles are passed.
const KNOWN: [&str; 5] = ["force", "static", "dynamic", "offset", "spring"];

/// Laws by how well they predict, with what is not known of them taken back.
pub fn judged(mut laws: Vec<LawFit>, paths: &[&Path], samples: usize, cycles: usize) -> LawsFit {
    laws.sort_by(|a, b| a.held_out.total_cmp(&b.held_out));
    let first = laws[0].squares.clone();
    laws.iter_mut().skip(1).for_each(|law| law.worse = is_worse(&law.squares, &first));
    // One record that is fine enough shows the bristle for all.
    let step = paths.iter().map(|p| p.step).fold(f64::INFINITY, f64::min);
    let mut warnings = Vec::new();
    for law in &mut laws {
        unseen(law, step, &mut warnings);
    }
    let best = &laws[0];
    if best.relative > UNEXPLAINED {
        warnings.push(format!(
            "the law that predicts best, `{}`, leaves {:.0} % of the force of cycles that it has not seen: the device does something \
             that it leaves out, and its intervals do not cover that",
            best.law,
            100.0 * best.relative
        ));
    }
    LawsFit { laws, samples, cycles, seconds: 0.0, warnings }
}

/// Whether cycles tell that one law predicts worse than another: Student's test of the logarithms of the ratios of their squares, so
/// that one cycle which none of them predicts does not decide.
fn is_worse(other: &[f64], best: &[f64]) -> bool {
    let both = other.iter().zip(best).filter(|(o, b)| **o > 0.0 && **b > 0.0);
    let by: Vec<f64> = both.map(|(o, b)| portable::ln(o / b)).collect();
    if by.len() < 2 {
        return false;
    }
    let error = sd(&by) / (by.len() as f64).sqrt();
    mean(&by) > student(by.len() - 1) * error
}

/// Takes back the stiffness of a bristle that the rows pass, and says which motion would show it.
fn unseen(law: &mut LawFit, step: f64, warnings: &mut Vec<String>) {
    let Some(bristle) = &law.bristle else { return };
    let passed = bristle.value.is_none_or(|length| length < ROWS * step);
    if !passed {
        return;
    }
    let length = bristle.value.unwrap_or(ROWS * step).min(ROWS * step);
    let said = format!(
        "this record does not show the bristle of `{}`: one row after a turn the motion has gone {} m",
        law.law,
        digits(step)
    );
    for parameter in &mut law.parameters {
        if !KNOWN.contains(&parameter.name) {
            let unit = parameter.estimate.unit;
            parameter.estimate = Estimate::unknown(unit, said.clone());
        }
    }
    warnings.push(format!(
        "{said}; cycles of some {} m, with {WANTED:.0} rows or more on that length, would show it",
        digits(length)
    ));
}

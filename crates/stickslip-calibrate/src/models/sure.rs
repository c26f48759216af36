//! How sure the numbers are: intervals, what the record does not fix, and what it fixes nevertheless.

use super::apart::Columns;
use super::least_squares::{Ends, Least, Misfit, least_below};
use super::report::Combination;
use super::setup::Setup;
use crate::statistics::estimate::Estimate;
use crate::statistics::regress::regress;
use stickslip::portable;

/// Half the width of a 95 % interval in standard errors.
pub const NORMAL: f64 = 1.959_964;
/// A squared sine of the angle to the others below this: the number is not seen apart from them.
const BLIND: f64 = 1e-7;
/// Correlation beyond which two numbers are worth a word about their ratio.
const TOGETHER: f64 = 0.95;

/// What the curvature says about the numbers at the least squares.
#[derive(Debug, Clone)]
pub struct Curvature {
    /// Standard errors; NaN where the record does not fix the number, 0 of one that changes nothing. Where they are known by few
    /// degrees of freedom, they are wider by Student's t over a normal quantile, so that NORMAL of them are half an interval.
    pub errors: Vec<f64>,
    /// Correlations of those that are fixed.
    pub correlations: Vec<Vec<f64>>,
    /// Autocorrelation time of the residuals, rows.
    pub together: f64,
    /// For each number that is not fixed, those with which it goes.
    pub with: Vec<Vec<usize>>,
    /// Changes of several numbers that change nothing: each number and its change, the last one by −1.
    pub unseen: Vec<Vec<(usize, f64)>>,
    /// Standard errors if the last numbers of those changes were known.
    pub held: Vec<f64>,
}

/// Standard errors that allow for residuals which remember their neighbours.
pub fn curvature(columns: &[Vec<f64>], residuals: &[f64]) -> Curvature {
    let count = columns.len();
    let mut all = Curvature {
        errors: vec![f64::NAN; count],
        correlations: vec![vec![0.0; count]; count],
        together: crate::statistics::memory::autocorrelation_time(&[residuals.to_vec()]),
        with: vec![Vec::new(); count],
        unseen: Vec::new(),
        held: vec![f64::NAN; count],
    };
    let each = Columns::new(columns);
    let mut seen: Vec<usize> = Vec::new();
    for k in 0..count {
        if each.square(k) == 0.0 {
            continue;
        }
        // Column after column, like a factorisation with pivots in their order: one that lies in the span of
        // those before it adds nothing.
        let (sine, on) = each.apart(k, &seen);
        if sine > BLIND {
            seen.push(k);
            continue;
        }
        // What this one can be traded for is not fixed either.
        let size = |i: usize| each.square(i).sqrt();
        let traded = seen.iter().copied().zip(on.iter().copied());
        let mut unseen: Vec<(usize, f64)> =
            // What takes a thousandth part or less in the trade is rounding.
            traded.filter(|(i, b)| b.abs() * size(*i) > 1e-3 * size(k)).collect();
        unseen.push((k, -1.0));
        for &(m, _) in &unseen {
            all.with[m].extend(unseen.iter().map(|o| o.0).filter(|o| *o != m));
        }
        all.unseen.push(unseen);
    }
    let chosen: Vec<Vec<f64>> = seen.iter().map(|&i| columns[i].clone()).collect();
    // The errors of the rest, with the unseen directions held.
    let Some(fit) = regress(&chosen, residuals) else { return all };
    for (a, &i) in seen.iter().enumerate() {
        // No less than independent residuals would leave: a number that one row fixes leaves nothing there.
        let others: Vec<usize> = seen.iter().copied().filter(|s| *s != i).collect();
        let alone = each.square(i) * each.apart(i, &others).0;
        let naive =
            (crate::statistics::stats::square(residuals) / residuals.len() as f64 / alone).sqrt();
        let error = (fit.half(a) / NORMAL).max(naive);
        all.held[i] = error;
        if all.with[i].is_empty() {
            all.errors[i] = error;
        }
        for &j in &seen[..a] {
            let rest: Vec<usize> = seen.iter().copied().filter(|s| *s != i && *s != j).collect();
            let r = each.correlation(i, j, &rest);
            (all.correlations[i][j], all.correlations[j][i]) = (r, r);
        }
    }
    all
}

/// Columns of derivatives with respect to the values: one that another stands above moves alone.
pub fn by_values(setup: &Setup<'_>, columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut out = columns.to_vec();
    for (i, u) in setup.question.unknowns.iter().enumerate() {
        if let Some(j) = u.above {
            for (a, b) in out[j].iter_mut().zip(&columns[i]) {
                *a -= b;
            }
        }
    }
    out
}

/// What is known of number `k`, whose value is `value`; `name` says what each number is called.
pub fn estimate(
    name: &dyn Fn(usize) -> String,
    unit: &'static str,
    value: f64,
    range: [f64; 2],
    found: &Curvature,
    k: usize,
) -> Estimate {
    let error = found.errors[k];
    if !found.with[k].is_empty() {
        let others: Vec<String> = found.with[k].iter().map(|i| format!("`{}`", name(*i))).collect();
        return Estimate::unknown(
            unit,
            format!(
                "the record shows it only together with {}: give one of them",
                others.join(", ")
            ),
        );
    }
    if !error.is_finite() {
        return Estimate::unknown(unit, "nothing that was measured depends on it");
    }
    let [low, high] = range;
    let ends = [(value - NORMAL * error).max(low), (value + NORMAL * error).min(high)];
    // An interval that covers what was allowed says only what was known before.
    if ends[1] - ends[0] > 0.9 * (high - low) {
        let reason = format!(
            "the record allows {:.4e} to {:.4e} {unit}: nearly the whole range that was allowed",
            ends[0], ends[1]
        );
        return Estimate::unknown(unit, reason);
    }
    Estimate::within(value, error, ends, unit)
}

/// Products and ratios that the record fixes better than the numbers in them.
pub fn combinations(names: &[String], values: &[f64], found: &Curvature) -> Vec<Combination> {
    let mut out = Vec::new();
    let count = names.len();
    let numbers = Numbers { names, values };
    for unseen in &found.unseen {
        out.extend(numbers.untraded(unseen, found));
    }
    for i in 0..count {
        for j in 0..i {
            let r = found.correlations[i][j];
            let relative = |k: usize| found.errors[k] / values[k].abs();
            let a = relative(i);
            let b = relative(j);
            if r.abs() < TOGETHER || !(a * b).is_finite() || a * b == 0.0 {
                continue;
            }
            let sign = r.signum() * (values[i] * values[j]).signum();
            let q = sign * a / b;
            // A product of odd powers is nobody's question.
            if simple(q).is_none_or(|s| s.abs() != 1.0) {
                continue;
            }
            // For correlated a and b with equal relative errors the ratio has the variance 2a²(1 − |r|).
            let error = (2.0 * a * a * (1.0 - r.abs())).sqrt();
            out.push(numbers.ratio(i, j, q, error));
        }
    }
    out
}

/// Numbers that may be known in combinations only.
struct Numbers<'a> {
    names: &'a [String],
    values: &'a [f64],
}

impl Numbers<'_> {
    /// Ratios that a change which is not seen leaves as they are: along it ln p_i and ln p_j keep the ratio q of their changes. Of
    /// two numbers that is their ratio; of more, those with a simple q, since another q holds only nearby: from angles of a servo
    /// k/R is known, and of its damping c only c + k²/R.
    fn untraded(&self, unseen: &[(usize, f64)], found: &Curvature) -> Vec<Combination> {
        let Self { names, values } = *self;
        let there = |(i, _): &&(usize, f64)| *i < names.len() && values[*i] != 0.0;
        let all: Vec<(usize, f64)> = unseen.iter().filter(there).copied().collect();
        // The last one is held where the others have errors.
        let held = unseen.last().map_or(usize::MAX, |l| l.0);
        let mut out = Vec::new();
        for (place, &(i, by)) in all.iter().enumerate() {
            let rate = by / values[i];
            // One of those after it is enough: the others follow. The last first, which has no error.
            let pair = all[place + 1..].iter().rev().find(|(j, b)| {
                let q = rate / (b / values[*j]);
                unseen.len() == 2 || simple(q).is_some()
            });
            let Some(&(j, b)) = pair else { continue };
            let q = rate / (b / values[j]);
            let relative = |k: usize| if k == held { 0.0 } else { found.held[k] / values[k].abs() };
            let a = relative(i);
            let b = q * relative(j);
            let sign = (values[i] * values[j]).signum();
            let square = a * a + b * b - 2.0 * sign * a * b * found.correlations[i][j];
            out.push(self.ratio(i, j, q, square.max(0.0).sqrt()));
        }
        out
    }

    /// p_i/p_j^q.
    fn ratio(&self, i: usize, j: usize, q: f64, relative_error: f64) -> Combination {
        let Self { names, values } = *self;
        let q = simple(q).unwrap_or((q * 100.0).round() / 100.0);
        let what = match q {
            1.0 => format!("{} / {}", names[i], names[j]),
            -1.0 => format!("{} · {}", names[i], names[j]),
            _ if q > 0.0 => format!("{} / {}^{q}", names[i], names[j]),
            _ => format!("{} · {}^{}", names[i], names[j], -q),
        };
        Combination {
            what,
            value: values[i].abs() / portable::pow(values[j].abs(), q),
            relative_error,
        }
    }
}

/// A power that people write, if this is nearly one.
fn simple(q: f64) -> Option<f64> {
    [-2.0, -1.0, -0.5, 0.5, 1.0, 2.0].into_iter().find(|s: &f64| (s - q).abs() < 0.05 * s.abs())
}

/// Of one residual of n, what a step of a profile changes at least.
const PRECISE: f64 = 0.01;
/// Steps outwards that a profile takes at most, and least-squares steps in each.
const OUTWARD: usize = 12;
const INNER: usize = 6;
/// A place between two others is no nearer to either of them than this share of their distance; one at which the root of the
/// squares' rise is more than so many times that at the level says no more than one where it is so.
const EDGE: f64 = 0.2;
const STEEP: f64 = 3.0;
/// The squares rise by less than this share of what the curvature says at the end of its interval: it is too narrow.
const FLAT: f64 = 0.9;

/// Σ r² at the ends of the 95 % interval of number `k`, whose standard error is `error`, if they are as the curvature says.
fn level(least: &Least, k: usize, error: f64) -> f64 {
    let columns = Columns::new(&least.columns);
    let square = columns.square(k) * columns.apart(k, &columns.others(k)).0;
    // With residuals that do not remember: what `error` has more than this widens the level.
    let naive = (least.rss / least.residuals.len() as f64 / square).sqrt();
    // χ² with one degree of freedom, times what the memory of the residuals adds to the variance.
    least.rss * (1.0 + (NORMAL * error / naive).powi(2) / least.residuals.len() as f64)
}

/// Number `k` changed by `by`, and the others with it so that the squares rise least as the curvature has them; `None`
/// outside the bounds.
pub fn beside(setup: &Setup<'_>, least: &Least, k: usize, by: f64) -> Option<Vec<f64>> {
    let columns = Columns::new(&least.columns);
    let others = columns.others(k);
    let on = columns.without(k, &others).1;
    let mut p = least.p.clone();
    p[k] += by;
    for (&i, c) in others.iter().zip(&on) {
        p[i] -= by * c;
    }
    p.iter().zip(&setup.bounds).all(|(v, [low, high])| v >= low && v <= high).then_some(p)
}

/// Whether the squares rise at both ends of the interval of number `k` at least as the curvature says. Where a force is seen only in
/// the times of a few slips, they do not.
pub fn parabolic(setup: &Setup<'_>, least: &Least, found: &Curvature, k: usize) -> bool {
    let error = found.errors[k];
    let rise = level(least, k, error) - least.rss;
    let as_told = |way: f64| {
        // An interval that ends at a bound is for others to speak of.
        let Some(p) = beside(setup, least, k, way * NORMAL * error) else { return true };
        let rss =
            setup.residuals(&p).map_or(f64::INFINITY, |r| crate::statistics::stats::square(&r));
        rss - least.rss > FLAT * rise
    };
    as_told(-1.0) && as_told(1.0)
}

/// The interval of number `k` in which the squares, made least over all other numbers, stay below the level at which the
/// curvature puts the 95 % bound of that number.
pub fn profile(setup: &Setup<'_>, least: &Least, k: usize, error: f64) -> Option<[f64; 2]> {
    let level = level(least, k, error);
    let mut held = setup.in_pieces(&rows(setup), setup.free_starts);
    held.sigma.clone_from(&setup.sigma);
    let [low, high] = setup.bounds[k];
    let mut end = |way: f64| {
        // Where the squares stand on a parabola, their root is a straight line.
        let root = |rss: f64| ((rss - least.rss).max(0.0) / (level - least.rss)).sqrt();
        let mut near = (least.p[k], 0.0);
        let mut far = None::<(f64, f64)>;
        let mut inside = least.p.clone();
        let mut reach = NORMAL * error;
        for _ in 0..OUTWARD {
            let at = match far {
                None => near.0 + way * reach,
                Some(far) => {
                    // The secant of the root, which is nearly straight.
                    let share = (1.0 - near.1) / (far.1 - near.1).max(f64::MIN_POSITIVE);
                    near.0 + share.clamp(EDGE, 1.0 - EDGE) * (far.0 - near.0)
                }
            };
            let at = at.clamp(low, high);
            held.bounds.clone_from(&setup.bounds);
            held.bounds[k] = [at, at];
            // From where the curvature has the others, which is nearly right.
            let start = beside(setup, least, k, at - least.p[k]).unwrap_or_else(|| inside.clone());
            let settled = PRECISE / least.residuals.len() as f64;
            let ends = Ends { enough: level, settled, ..Ends::after(INNER) };
            let (p, rss) = least_below(&held, &start, ends)?;
            if rss < level {
                (near, inside) = ((at, root(rss)), p);
                reach *= 1.5;
                if at == low || at == high {
                    break;
                }
            } else {
                far = Some((at, root(rss).min(STEEP)));
            }
            // Two bounds this near to each other fix the end well enough: its middle is taken.
            if far.is_some_and(|f| (f.0 - near.0).abs() < 0.2 * error) {
                break;
            }
        }
        Some(far.map_or(near.0, |f| 0.5 * (near.0 + f.0)))
    };
    Some([end(-1.0)?, end(1.0)?])
}

fn rows(setup: &Setup<'_>) -> Vec<std::ops::Range<usize>> {
    setup.pieces.iter().map(|p| p.rows.clone()).collect()
}

/// A value that lies so near to an end of its interval, as a share of it, stands on a slope that is flat up to the other end.
const LOPSIDED: f64 = 0.1;

/// Unknown, with the interval as the reason, where the value stands at one end of an interval that reaches far to the other
/// side, and both ends differ by more than a little: the record excludes none of the values in between.
pub fn unless_open(e: Estimate, range: [f64; 2]) -> Estimate {
    let (Some(value), Some([low, high])) = (e.value, e.ci95) else { return e };
    let width = high - low;
    let lopsided = (value - low).min(high - value) < LOPSIDED * width;
    // At a bound of its range a number is known from one side: that is an answer.
    let bounded = low <= range[0] || high >= range[1];
    if !lopsided || bounded || width < 0.05 * value.abs() {
        return e;
    }
    let said = format!(
        "the record does not exclude any value from {low:.4} to {high:.4} {} (95 %), and the best of them is close to an end",
        e.unit
    );
    Estimate::unknown(e.unit, said)
}

/// An estimate with the ends of its profile, if there is one, and the standard error that would give them: a force that only
/// has to be large enough, or small enough, is known from one side. A profile does not make an interval narrower: between
/// many small minima its ends may stand at one that is too near.
pub fn widened(e: Estimate, ends: Option<[f64; 2]>) -> Estimate {
    match (e.value, e.stderr, ends) {
        (Some(value), Some(error), Some([low, high])) => {
            let [from, to] = e.ci95.unwrap_or([low, high]);
            let [low, high] = [low.min(from), high.max(to)];
            let error = error.max((high - low) / (2.0 * NORMAL));
            Estimate::within(value, error, [low, high], e.unit)
        }
        _ => e,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The friction at rest of a servo that never shows it: 0.0237 N·m in an interval from 0.0124 to 0.0239, where the truth is 0.018.
    /// Inside its interval a value is one, and so is one that a bound of its range, or a narrow interval, holds at an end.
    #[test]
    fn a_value_at_the_end_of_a_wide_interval_is_none() {
        let of = |value: f64, ends: [f64; 2]| Estimate::within(value, 0.003, ends, "N·m");
        let said = |value: f64, ends: [f64; 2], range: [f64; 2]| {
            let e = unless_open(of(value, ends), range);
            assert!(e.value.is_some() || e.ci95.is_none(), "{e:?}");
            e.reason
        };
        let servo = [0.0124, 0.0239];
        let reason = said(0.0237, servo, [0.0, 1.0]).unwrap();
        assert!(reason.contains("any value from 0.0124 to 0.0239 N·m (95 %)"), "{reason}");
        assert!(said(0.0126, servo, [0.0, 1.0]).is_some());
        for (value, ends, range) in [
            (0.018, servo, [0.0, 1.0]),
            (0.0237, servo, [0.0, 0.0239]),
            (0.0237, servo, [0.0124, 1.0]),
            (0.0237, [0.0232, 0.02371], [0.0, 1.0]),
        ] {
            assert_eq!(said(value, ends, range), None, "{value} in {ends:?} of {range:?}");
        }
    }
}

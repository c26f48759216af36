//! How sure the numbers of a joint are, and what the logs do not tell apart: from the curvature of the loss at the answer and
//! from what single logs pull. A minimum far from the answer is not looked at here.

use super::logs::Log;
use super::question::{Above, Question, Unknown};
use super::repetitions::Repetition;
use super::search::{Part, in_blocks, sum};
use super::terms::off;
use super::verdict::{Named, Undetermined};
use super::{Joint, Slot};
use crate::statistics::estimate::{Estimate, digits};
use crate::statistics::stats::student;
use stickslip::numeric::{cholesky, modes, solve_lower, solve_transposed};

/// A direction in which the numbers are known to less than this share of themselves is not determined.
const UNSURE: f64 = 0.25;
/// With fewer logs than unknowns each log is cut into so many observations. Otherwise a log is one: while the shaft rests, the
/// rounding of the encoder is the same in all rows, and errors of neighbouring pieces go together.
const BLOCKS: usize = 10;

/// How sure the numbers are, in the directions of the curvature. Numbers are counted in shares of themselves there.
pub struct Sure {
    /// What a number is counted in: its size, or a tenth of its range where that is larger.
    scale: Vec<f64>,
    directions: Vec<Direction>,
    /// Inverse of the covariance, 0 along what the logs do not see, row by row.
    pub precision: Vec<f64>,
    /// Mean of the jackknife's variance times the curvature along the directions that the logs see: the covariance is about this
    /// much times the inverse of the curvature.
    pub spread: f64,
    /// Covariance of the scaled numbers without the directions that the logs do not see, row by row.
    covariance: Vec<f64>,
    /// Half of a 95 % interval in standard errors: Student's, for as many observations as there are.
    quantile: f64,
    /// Observations in each log.
    pub blocks: usize,
}

/// A direction in which numbers change together.
struct Direction {
    shape: Vec<f64>,
    /// How much less the logs say of it than of what they know best.
    ratio: f64,
    /// Standard error of a step along it; infinite where the logs do not see it.
    error: f64,
}

/// Less than this of what is known best is rounding.
const UNSEEN: f64 = 1e-5;
/// What is added to a curvature, as a share, before what one cluster says is taken from it.
const ALONE: f64 = 1e-3;
/// A number takes part in a direction with more than this share of the largest part.
const TAKES_PART: f64 = 0.1;

impl Sure {
    /// The jackknife over clusters: how far the answer moves when one of them is left out, (H − H_c)⁻¹ g_c, squared and summed,
    /// times (G − 1)/G. A cluster is a log with its repetitions, whose errors go together (Liang and Zeger 1986). The sandwich of
    /// White (1980) leaves out H_c: a log that says much of a number also bends the answer to its own error, and with few logs the
    /// intervals are too narrow (Bell and McCaffrey 2002, whose CR3 this is).
    pub fn of(
        question: &Question,
        joint: &Joint,
        starts: &[[f64; 2]],
        near: &[Option<Repetition>],
    ) -> Self {
        let n = question.unknowns.len();
        let scale: Vec<f64> = question
            .unknowns
            .iter()
            .map(|u| joint.get(u.slot).abs().max(0.1 * (u.range[1] - u.range[0])))
            .collect();
        let (clusters, blocks) = clusters(question, joint, starts, near);
        let all = sum(&clusters);
        let quantile = student(clusters.len().saturating_sub(1));
        let mut scaled = vec![0.0; n * n];
        let mut unit = vec![0.0; n * n];
        for a in 0..n {
            unit[a * n + a] = 1.0;
            for b in 0..n {
                scaled[a * n + b] = all.curvature[a * n + b] * scale[a] * scale[b];
            }
        }
        let nothing = vec![0.0; n * n];
        let mut sure = Self {
            scale,
            directions: Vec::new(),
            precision: nothing.clone(),
            spread: 0.0,
            covariance: nothing,
            quantile,
            blocks,
        };
        let Some(found) = modes(&unit, &scaled, n) else { return sure };
        let most = found.squares.iter().fold(0.0, |m: f64, s| m.max(*s)).max(f64::MIN_POSITIVE);
        let shape = |k: usize| -> Vec<f64> { (0..n).map(|i| found.shapes[i * n + k]).collect() };
        let seen: Vec<usize> =
            (0..n).filter(|&k| found.squares[k] > UNSEEN * UNSEEN * most).collect();
        let basis = Basis { shapes: &found.shapes, scale: &sure.scale, n, seen: &seen };
        let squares: Vec<f64> = seen.iter().map(|&k| found.squares[k]).collect();
        let steps: Vec<Vec<f64>> =
            clusters.iter().map(|c| basis.step_without(c, &squares)).collect();
        let count = clusters.len() as f64;
        let between = |a: usize, b: usize| {
            (count - 1.0) / count * steps.iter().map(|s| s[a] * s[b]).sum::<f64>()
        };
        for (a, &k) in seen.iter().enumerate() {
            for (b, &l) in seen.iter().enumerate() {
                let together = between(a, b);
                for i in 0..n {
                    for j in 0..n {
                        sure.covariance[i * n + j] +=
                            found.shapes[i * n + k] * together * found.shapes[j * n + l];
                    }
                }
            }
        }
        let along = |a: usize| between(a, a) * squares[a];
        sure.spread = (0..seen.len()).map(along).sum::<f64>() / seen.len().max(1) as f64;
        sure.precision = basis.precision(&between);
        for k in 0..n {
            let error = seen.iter().position(|s| *s == k).map(|a| between(a, a).sqrt());
            sure.directions.push(Direction {
                shape: shape(k),
                ratio: (found.squares[k].max(0.0) / most).sqrt(),
                error: error.unwrap_or(f64::INFINITY),
            });
        }
        sure
    }

    /// The end of the 95 % interval of a compliance; none where no log sees it.
    pub fn compliance_at_most(&self, question: &Question, joint: &Joint) -> Option<f64> {
        let i = question.unknowns.iter().position(|u| u.slot == Slot::Compliance)?;
        let unseen = |d: &Direction| d.error.is_infinite() && d.takes_part(i);
        if self.directions.is_empty() || self.directions.iter().any(unseen) {
            return None;
        }
        let variance = self.covariance[i * self.scale.len() + i] * self.scale[i] * self.scale[i];
        Some(joint.get(Slot::Compliance) + self.quantile * variance.max(0.0).sqrt())
    }

    pub fn parameters(&self, question: &Question, joint: &Joint) -> Vec<Named> {
        let n = self.scale.len();
        let at = |a: usize, b: usize| self.covariance[a * n + b] * self.scale[a] * self.scale[b];
        let one = |(i, u): (usize, &Unknown)| {
            let name = u.name.clone();
            let unseen = |d: &&Direction| d.error.is_infinite() && d.takes_part(i);
            // Along a direction that no log sees every number that takes part may have any value.
            if self.directions.is_empty() || self.directions.iter().any(|d| unseen(&d)) {
                let reason = "these logs show it only together with others, or not at all";
                return Named { name, estimate: Estimate::unknown(u.unit, reason) };
            }
            let value = joint.get(u.slot);
            let mut shown = value;
            let mut variance = at(i, i);
            match u.above {
                Some(Above::Unknown(j)) => {
                    shown += joint.get(question.unknowns[j].slot);
                    variance += 2.0 * at(i, j) + at(j, j);
                }
                Some(Above::Known(below)) => shown += below,
                None => {}
            }
            let error = variance.max(0.0).sqrt();
            let half = self.quantile * error;
            if u.slot == Slot::Compliance && value - half <= u.range[0] {
                return Named { name, estimate: not_below(1.0 / (value + half), u.unit) };
            }
            if u.slot == Slot::Compliance {
                shown = 1.0 / value;
                let ends = [1.0 / (value + half), 1.0 / (value - half)];
                let estimate = Estimate::within(shown, error * shown * shown, ends, u.unit);
                return Named { name, estimate: at_softest(estimate, u) };
            }
            let [low, high] = u.range;
            let inside = low < value && value < high;
            if inside && value - half <= low && value + half >= high {
                // The range of a friction at rest is that of what it is above the friction in slip.
                let [low, high] = [low, high].map(|end| digits(end + (shown - value)));
                let reason =
                    format!("these logs allow every value from {low} to {high}, the whole range");
                return Named { name, estimate: Estimate::unknown(u.unit, reason) };
            }
            let mut estimate = Estimate::within(shown, error, [shown - half, shown + half], u.unit);
            let end = if value <= low { low } else { high };
            // At the end at which its term is off a number is an answer: the logs show no such term. At any other end
            // the range was too narrow.
            if !inside && off(u.slot).is_none_or(|o| o.0 != end) {
                // The range of a friction at rest is that of what it is above the friction in slip.
                let end = if u.above.is_some() { format!("{shown:.4}") } else { format!("{end}") };
                estimate.reason = Some(format!(
                    "it stands at the end of its range, {end}, where no interval holds"
                ));
            }
            Named { name, estimate }
        };
        question.unknowns.iter().enumerate().map(one).collect()
    }

    /// Directions in which the numbers are known to less than a quarter of themselves.
    pub fn undetermined(&self, question: &Question) -> Vec<Undetermined> {
        let unsure = self.directions.iter().filter(|d| d.error > UNSURE);
        let one = |d: &Direction| {
            let named: Vec<&str> = question
                .unknowns
                .iter()
                .enumerate()
                .filter(|(i, _)| d.takes_part(*i))
                .map(|(_, u)| u.name.as_str())
                .collect();
            let reason = match named.as_slice() {
                [one] => format!("the logs hardly show `{one}`"),
                _ => format!(
                    "the logs hardly tell {} apart: changed together they leave the error as it is",
                    named.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
                ),
            };
            Undetermined { combination: named.join(" : "), ratio: d.ratio, reason }
        };
        unsure.map(one).collect()
    }
}

/// A stiffness of which only the lower end is known.
pub fn not_below(least: f64, unit: &'static str) -> Estimate {
    let said = format!("these logs show only that it is at least {} {unit}", digits(least));
    Estimate::unknown(unit, said)
}

/// A stiffness that stands at the lower end of its range is said to.
fn at_softest(mut estimate: Estimate, u: &Unknown) -> Estimate {
    let least = 1.0 / u.range[1];
    if estimate.value.is_some_and(|value| value <= least) {
        estimate.reason =
            Some(format!("it stands at the end of its range, {least}, where no interval holds"));
    }
    estimate
}

/// Directions of the curvature that the logs see.
struct Basis<'a> {
    shapes: &'a [f64],
    scale: &'a [f64],
    n: usize,
    seen: &'a [usize],
}

impl Basis<'_> {
    /// The inverse of the covariance `between` the directions, in the numbers themselves.
    fn precision(&self, between: &dyn Fn(usize, usize) -> f64) -> Vec<f64> {
        let n = self.n;
        let m = self.seen.len();
        let scale: Vec<f64> = (0..m).map(|a| between(a, a).sqrt().max(f64::MIN_POSITIVE)).collect();
        let mut matrix = vec![0.0; m * m];
        for a in 0..m {
            for b in 0..m {
                matrix[a * m + b] = between(a, b) / (scale[a] * scale[b]);
            }
            // With fewer observations than numbers the covariance has directions without errors: they are not known better for it.
            matrix[a * m + a] += ALONE;
        }
        let mut all = vec![0.0; n * n];
        let Some(lower) = cholesky(&matrix, m) else { return all };
        // L⁻¹ times each number's part in the directions.
        let part = |i: usize| {
            let along = |a: usize| self.shapes[i * n + self.seen[a]] / (scale[a] * self.scale[i]);
            let mut part: Vec<f64> = (0..m).map(along).collect();
            solve_lower(&lower, &mut part);
            part
        };
        let parts: Vec<Vec<f64>> = (0..n).map(part).collect();
        for i in 0..n {
            for j in 0..n {
                all[i * n + j] = parts[i].iter().zip(&parts[j]).map(|(a, b)| a * b).sum();
            }
        }
        all
    }

    /// How far the answer moves along each direction, whose curvatures are `squares`, when a cluster is left out.
    fn step_without(&self, cluster: &Part, squares: &[f64]) -> Vec<f64> {
        let n = self.n;
        let m = self.seen.len();
        let along = |i: usize, k: usize| self.shapes[i * n + self.seen[k]] * self.scale[i];
        let mut pull: Vec<f64> =
            (0..m).map(|k| (0..n).map(|i| along(i, k) * cluster.gradient[i]).sum()).collect();
        let mut rest = vec![0.0; m * m];
        for a in 0..m {
            for b in 0..m {
                let mut own = 0.0;
                for i in 0..n {
                    let row = (0..n).map(|j| cluster.curvature[i * n + j] * along(j, b));
                    own += along(i, a) * row.sum::<f64>();
                }
                rest[a * m + b] = -own;
            }
            // A direction that this cluster alone shows is not lost altogether.
            rest[a * m + a] += squares[a] * (1.0 + ALONE);
        }
        match cholesky(&rest, m) {
            Some(lower) => {
                solve_lower(&lower, &mut pull);
                solve_transposed(&lower, &mut pull);
            }
            // This cluster holds up the whole curvature: without it the answer may lie far away, but not without bound.
            None => pull.iter_mut().zip(squares).for_each(|(p, s)| *p /= s * ALONE),
        }
        pull
    }
}

impl Direction {
    fn takes_part(&self, i: usize) -> bool {
        let largest = self.shape.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
        self.shape[i].abs() > TAKES_PART * largest
    }
}

/// What each observation says: a log with its repetitions, or blocks of logs where these are few.
fn clusters(
    question: &Question,
    joint: &Joint,
    starts: &[[f64; 2]],
    near: &[Option<Repetition>],
) -> (Vec<Part>, usize) {
    let slots: Vec<Slot> = question.unknowns.iter().map(|u| u.slot).collect();
    let which: Vec<usize> =
        (0..question.logs.len()).filter(|&i| !question.logs[i].held_out).collect();
    let logs: Vec<&Log> = which.iter().map(|&i| &question.logs[i].log).collect();
    // The first of several repetitions names their cluster.
    let first = |at: usize| near[which[at]].map_or(which[at], |r| r.first);
    let mut names: Vec<usize> = (0..which.len()).map(first).collect();
    names.sort_unstable();
    names.dedup();
    let blocks = if names.len() < slots.len() { BLOCKS } else { 1 };
    let mut all: Vec<(usize, Part)> = Vec::new();
    for (at, of_log) in in_blocks(joint, &slots, &logs, starts, blocks).into_iter().enumerate() {
        for (block, part) in of_log.into_iter().enumerate() {
            // The same block of all repetitions is one observation.
            let name = first(at) * BLOCKS + block;
            match all.iter_mut().find(|c| c.0 == name) {
                Some((_, total)) => total.add(&part),
                None => all.push((name, part)),
            }
        }
    }
    (all.into_iter().map(|c| c.1).collect(), blocks)
}

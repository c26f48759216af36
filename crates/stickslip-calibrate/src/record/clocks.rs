//! Clocks of two instruments that run apart.
//!
//! ```text
//! F_seen(t) = F(t − d(t)),   d(t) = d₀ + d₁ (t − t_m)        t_m: the middle of the record
//! ```
//!
//! d₀ and d₁ are sought by Gauss and Newton: the columns of the fit, those times t − t_m, and dF/dt with and without t − t_m. With the
//! columns times t − t_m a friction, a mass or a spring that grows along the record takes its own part: where a damper is the only force
//! next to a mass, a shift in time and a change of the damper are one, and nothing is found. Standard errors allow for residuals that
//! resemble their neighbours (`regress`). The positions are then taken at t − d(t), and the next step begins from there.

use crate::statistics::regress::solve;
use crate::statistics::stats::{median, square};

/// A rate counts that is so many standard errors from nothing, with the clocks put right.
const SURE: f64 = 5.0;
/// From so many on it is sought. With the clocks as they are it looks smaller than it is: what they make of the corners of the force swells the
/// standard errors, and the fit has taken a part of it for elements that are not there. What was no more than suspected must then be surer: the
/// standard errors have few degrees of freedom, and a record that is tried at other clocks has more chances to show a rate by accident.
const SUSPECT: f64 = 2.0;
const SURER: f64 = 8.0;
/// Steps of the search; it has settled where a step is below this share of a standard error.
const STEPS: usize = 16;
const SETTLED: f64 = 0.3;
/// By how much larger the rate may be than where a search got stuck.
const AGAIN: [f64; 3] = [1.0, 1.4, 2.0];
/// Clocks are known where the last step is smaller.
const KNOWN: f64 = 1.0;
/// No clock is so bad.
const MOST: f64 = 0.02;
/// Rows that a step looks at; of more, one in every few.
const ENOUGH: usize = 50_000;

/// How much later than the motion a force is recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clocks {
    /// The middle of the record, s.
    pub middle: f64,
    /// d₀, s.
    pub late: f64,
    /// d₁.
    pub rate: f64,
}

impl Clocks {
    /// Of a record from `first` to `last`, s: alike.
    pub fn alike(first: f64, last: f64) -> Self {
        Self { middle: 0.5 * (first + last), late: 0.0, rate: 0.0 }
    }

    /// d(t).
    pub fn late_at(&self, t: f64) -> f64 {
        self.late + self.rate * (t - self.middle)
    }

    /// In words, where they do not run apart. What comes late may as well come through a slow sensor; what comes early has nothing of its own to
    /// explain it, so that the other one is named.
    pub fn late_said(&self, names: [&str; 2]) -> String {
        let [motion, force] = names;
        let [late, other] = if self.late > 0.0 { [force, motion] } else { [motion, force] };
        let by = self.late.abs();
        let by = if by < 1.0 { format!("{:.3} ms", 1e3 * by) } else { format!("{by:.3} s") };
        format!("the {late} comes {by} later than the {other}, or through a slow sensor or filter")
    }

    /// In words, of a record of so many seconds.
    pub fn said(&self, names: [&str; 2], lasts: f64) -> String {
        let [motion, force] = names;
        format!(
            "the clocks of {motion} and {force} run apart by {:.0} ppm, {:.2} ms from the beginning of the record to its end: the {force} \
             comes {} than the {motion} as time passes",
            1e6 * self.rate.abs(),
            1e3 * (self.rate * lasts).abs(),
            if self.rate > 0.0 { "later and later" } else { "earlier and earlier" }
        )
    }
}

/// What a step of the search looks at: rows of a fit.
pub struct Look {
    /// Columns of what the fit seeks, one value for each row.
    pub columns: Vec<Vec<f64>>,
    pub force: Vec<f64>,
    /// dF/dt of the fit.
    pub slope: Vec<f64>,
    pub time: Vec<f64>,
    /// Whether what the fit seeks may grow along the record. Where a few events tell all numbers, growing ones would explain any clock.
    pub may_grow: bool,
}

/// What a step finds.
#[derive(Debug, Clone, Copy)]
struct Step {
    late: f64,
    rate: f64,
    /// Standard errors of both.
    errors: [f64; 2],
    /// Mean square of what is left at the clocks where it begins.
    left: f64,
}

impl Step {
    /// How far it moves, in standard errors.
    fn by(&self) -> f64 {
        (self.late / self.errors[0]).abs().max((self.rate / self.errors[1]).abs())
    }

    /// Whether anything is to be moved by more than so many standard errors: a delay alone hides a rate, where it is longer than the corners of
    /// the force.
    fn is_far(&self, times: f64) -> bool {
        self.late.abs() > times * self.errors[0] || self.rate.abs() > times * self.errors[1]
    }
}

/// Over a step so many times the usual one no slope is known.
const GAP: f64 = 3.5;

impl Look {
    /// Of least squares that are not linear: their derivatives stand for the columns, and what is left for the force. Rows at the ends and next to
    /// holes have no slope.
    pub fn around(
        time: &[f64],
        fitted: &[f64],
        left: &[f64],
        columns: &[impl AsRef<[f64]>],
    ) -> Self {
        let mut steps: Vec<f64> = time.windows(2).map(|t| t[1] - t[0]).collect();
        let usual = median(&mut steps);
        let is_near = |k: usize| time[k + 1] - time[k - 1] <= 2.0 * GAP * usual;
        let rows: Vec<usize> = (1..time.len().max(1) - 1).filter(|k| is_near(*k)).collect();
        let of = |values: &[f64]| rows.iter().map(|&k| values[k]).collect::<Vec<f64>>();
        let slope = |k: &usize| (fitted[k + 1] - fitted[k - 1]) / (time[k + 1] - time[k - 1]);
        Self {
            columns: columns.iter().map(|c| of(c.as_ref())).collect(),
            force: of(left),
            slope: rows.iter().map(slope).collect(),
            time: of(time),
            may_grow: true,
        }
    }

    /// Both, with the same columns.
    pub fn and(mut self, mut other: Self) -> Self {
        self.columns.iter_mut().zip(&mut other.columns).for_each(|(a, b)| a.append(b));
        self.force.append(&mut other.force);
        self.slope.append(&mut other.slope);
        self.time.append(&mut other.time);
        self
    }

    /// One row in every few, of very many.
    pub fn thinned(self) -> Self {
        let every = self.time.len().div_ceil(ENOUGH);
        if every < 2 {
            return self;
        }
        let few = |values: Vec<f64>| values.into_iter().step_by(every).collect::<Vec<f64>>();
        Self {
            columns: self.columns.into_iter().map(few).collect(),
            force: few(self.force),
            slope: few(self.slope),
            time: few(self.time),
            may_grow: self.may_grow,
        }
    }

    /// With rates, or with a delay alone.
    fn step(self, middle: f64, with_rate: bool) -> Option<Step> {
        let Self { columns, force, slope, time, may_grow } = self.thinned();
        let half = time.iter().fold(0.0f64, |m, t| m.max((t - middle).abs()));
        if half <= 0.0 {
            return None;
        }
        let far: Vec<f64> = time.iter().map(|t| (t - middle) / half).collect();
        let times = |c: &Vec<f64>| c.iter().zip(&far).map(|(c, t)| c * t).collect::<Vec<f64>>();
        let later: Vec<f64> = slope.iter().map(|s| -s).collect();
        let grows: Vec<Vec<f64>> =
            if may_grow { columns.iter().map(times).collect() } else { Vec::new() };
        let mut all: Vec<Vec<f64>> =
            columns.into_iter().chain(grows).filter(|c| square(c) > 0.0).collect();
        // What these clocks leave is told without a step to others, which takes a part of it for itself.
        let left = square(&solve(&all, &force)?.residuals) / force.len() as f64;
        let place = all.len();
        if with_rate {
            all.push(times(&later));
        }
        all.push(later);
        let fit = solve(&all, &force)?;
        let last = all.len() - 1;
        // The errors of the others, which may be many, are not needed.
        let sought = if with_rate { vec![last, place] } else { vec![last] };
        let errors = fit.errors(&sought);
        let [late, of_late] = [fit.coefficients[last], errors[0]];
        let [rate, of_rate] = match with_rate {
            true => [fit.coefficients[place] / half, errors[1] / half],
            false => [0.0, f64::INFINITY],
        };
        let is_known = late.is_finite() && rate.is_finite() && of_late > 0.0 && of_rate > 0.0;
        is_known.then_some(Step { late, rate, errors: [of_late, of_rate], left })
    }
}

/// What is found of the clocks, for sure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Found {
    /// They run apart, by so much that is known well enough to be put right, or not.
    Apart(Clocks, bool),
    /// One is late, all along the record.
    Late(Clocks),
    /// They may run apart or be late by so much, which is not sure.
    Perhaps(Clocks),
}

impl Found {
    /// In words, where it was allowed for, of a record of so many seconds.
    pub fn said(&self, names: [&str; 2], lasts: f64) -> String {
        match self {
            Self::Apart(clocks, is_known) => format!(
                "{}, which {}: set the clocks from one source, or record both with one instrument",
                clocks.said(names, lasts),
                if *is_known {
                    "was allowed for"
                } else {
                    "is not known well enough to be put right"
                }
            ),
            Self::Late(clocks) | Self::Perhaps(clocks) => {
                format!(
                    "{}, which was allowed for: correct the times of one of them, or filter both alike",
                    clocks.late_said(names)
                )
            }
        }
    }

    pub fn clocks(&self) -> &Clocks {
        match self {
            Self::Apart(clocks, _) | Self::Late(clocks) | Self::Perhaps(clocks) => clocks,
        }
    }
}

/// What the clocks do, if that is sure; `look` is a fit with positions at other times.
pub fn found(alike: Clocks, look: impl Fn(&Clocks) -> Option<Look>) -> Option<Found> {
    sought(alike, look).filter(|found| !matches!(found, Found::Perhaps(_)))
}

/// The same, or what they may do where that is not sure.
pub fn sought(alike: Clocks, look: impl Fn(&Clocks) -> Option<Look>) -> Option<Found> {
    let mut clocks = alike;
    let rows = look(&clocks)?;
    let begins = *rows.time.first()?;
    let as_given = rows.step(clocks.middle, true)?;
    if !as_given.is_far(SUSPECT) {
        return None;
    }
    let sure = if as_given.is_far(SURE) { SURE } else { SURER };
    let mut last = settled(&mut clocks, as_given, true, &look)?;
    if last.by() > KNOWN && clocks.rate.abs() > sure * last.errors[1] {
        (clocks, last) = set_at(begins, clocks, last, &look);
    }
    if last.left < as_given.left && clocks.rate.abs() > sure * last.errors[1] {
        return Some(Found::Apart(clocks, last.by() <= KNOWN));
    }
    let is_better = last.left < as_given.left && last.by() <= KNOWN;
    let perhaps = is_better.then_some(Found::Perhaps(clocks));
    if clocks.late.abs() <= sure * last.errors[0] && !as_given.is_far(SURE) {
        return perhaps;
    }
    // Without a rate that is sure, the delay is that of a record without any.
    clocks.rate = 0.0;
    let first = look(&clocks)?.step(clocks.middle, false)?;
    let last = settled(&mut clocks, first, false, &look)?;
    let is_sure = last.left < as_given.left && clocks.late.abs() > sure * last.errors[0];
    if is_sure { Some(Found::Late(clocks)) } else { perhaps }
}

/// The search once more where it got stuck: from clocks that were set alike when the record `begins`, as loggers that are switched on together
/// are. There a delay and a rate go together, which steps of both, each on its own, reach slowly or not at all.
fn set_at(
    begins: f64,
    clocks: Clocks,
    last: Step,
    look: &impl Fn(&Clocks) -> Option<Look>,
) -> (Clocks, Step) {
    let start = |times: f64| {
        let rate = times * clocks.rate;
        let start = Clocks { late: rate * (clocks.middle - begins), rate, ..clocks };
        Some((start, look(&start)?.step(start.middle, true)?))
    };
    let found = AGAIN.into_iter().filter_map(start);
    let found = found.min_by(|a, b| a.1.left.total_cmp(&b.1.left)).and_then(|(mut start, step)| {
        let step = settled(&mut start, step, true, look)?;
        Some((start, step))
    });
    found.filter(|f| f.1.left < last.left).unwrap_or((clocks, last))
}

/// Moves the clocks to where nothing is to be moved, or else to the least that was found on the way there: the step that is left.
fn settled(
    clocks: &mut Clocks,
    first: Step,
    with_rate: bool,
    look: &impl Fn(&Clocks) -> Option<Look>,
) -> Option<Step> {
    let mut best = (*clocks, first);
    let mut now = *clocks;
    let mut step = first;
    for _ in 0..STEPS {
        now.late += step.late;
        now.rate += step.rate;
        if now.rate.abs() > MOST {
            break;
        }
        let next = look(&now)?.step(now.middle, with_rate)?;
        if next.left < best.1.left {
            best = (now, next);
        }
        if next.by() <= SETTLED {
            break;
        }
        // A fit that takes a part of the shift for its own comes nearer by the same share each time: the sum of all that follow
        // (Aitken 1926).
        let ahead = |before: f64, now: f64| {
            let share = now / before;
            if share > 0.2 && share < 0.9 { now / (1.0 - share) } else { now }
        };
        let [late, rate] = [ahead(step.late, next.late), ahead(step.rate, next.rate)];
        step = Step { late, rate, ..next };
    }
    *clocks = best.0;
    Some(best.1)
}

/// The values of a motion `by(t)` s before the times of some rows; NaN where there are none. Cubic between rows.
pub fn earlier(t: &[f64], x: &[f64], rows: &[usize], by: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut out = vec![f64::NAN; t.len()];
    let n = rows.len();
    // The first row after the time that is sought: from one row to the next it moves by a few rows at most.
    let mut k = 0;
    for &i in rows {
        let at = t[i] - by(t[i]);
        while k < n && t[rows[k]] <= at {
            k += 1;
        }
        while k > 0 && t[rows[k - 1]] > at {
            k -= 1;
        }
        if k == 0 || k >= n {
            continue;
        }
        let a = rows[k - 1];
        let b = rows[k];
        let width = t[b] - t[a];
        let share = (at - t[a]) / width;
        // Slopes over two intervals, as of Catmull and Rom, so that the curve has no corners at the rows.
        let slope = |l: usize, r: usize| (x[r] - x[l]) / (t[r] - t[l]) * width;
        let before = if k >= 2 { slope(rows[k - 2], b) } else { x[b] - x[a] };
        let after = if k + 1 < n { slope(a, rows[k + 1]) } else { x[b] - x[a] };
        let s2 = share * share;
        let s3 = share * share * share;
        out[i] = (2.0 * s3 - 3.0 * s2 + 1.0) * x[a]
            + (s3 - 2.0 * s2 + share) * before
            + (3.0 * s2 - 2.0 * s3) * x[b]
            + (s3 - s2) * after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    /// Dry friction and a mass under two sines, whose force is recorded with a clock of its own: noise that one row in ten shares.
    fn twin(rate: f64, grows: f64, seed: u64) -> Option<Found> {
        let mut draws = Draws::new(seed, 11);
        let n = 4000;
        let step = 0.005;
        let moves = |t: f64| {
            let [a, b] = [(1.3 * t).sin_cos(), (3.1 * t).sin_cos()];
            [a.0 + 0.3 * b.0, 1.3 * a.1 + 0.93 * b.1, -1.69 * a.0 - 2.883 * b.0]
        };
        let sign = |v: f64| (v / 0.05).tanh();
        let t: Vec<f64> = (0..n).map(|i| step * f64::from(i)).collect();
        let mut noise = 0.0;
        let last = step * f64::from(n);
        let force: Vec<f64> = t
            .iter()
            .map(|t| {
                let at = t - rate * t;
                let [_, v, a] = moves(at);
                noise = 0.9 * noise + 0.02 * draws.normal();
                0.5 * a + (2.0 + grows * (at / last - 0.5)) * v + sign(v) + noise
            })
            .collect();
        found(Clocks::alike(0.0, last), |clocks| {
            let at: Vec<[f64; 3]> = t.iter().map(|t| moves(t - clocks.late_at(*t))).collect();
            let column = |of: fn(&[f64; 3]) -> f64| at.iter().map(of).collect::<Vec<f64>>();
            let columns =
                vec![column(|m| m[2]), column(|m| m[1]), column(|m| (m[1] / 0.05).tanh())];
            let whole = solve(&columns, &force)?;
            let fitted: Vec<f64> = force.iter().zip(&whole.residuals).map(|(f, r)| f - r).collect();
            let slope = (0..fitted.len())
                .map(|i| {
                    let [a, b] = [i.saturating_sub(1), (i + 1).min(fitted.len() - 1)];
                    (fitted[b] - fitted[a]) / (t[b] - t[a])
                })
                .collect();
            Some(Look { columns, force: force.clone(), slope, time: t.clone(), may_grow: true })
        })
    }

    /// Rates are found to a fifth, and none where there is none, also where the damper grows along the record by a half.
    #[test]
    fn rates_are_found_and_growing_dampers_are_not_taken_for_them() {
        for (k, rate) in [1e-3, -1e-3, 2e-3, -2e-3].into_iter().enumerate() {
            let clocks = *twin(rate, 0.0, k as u64).unwrap().clocks();
            assert!((clocks.rate / rate - 1.0).abs() < 0.2, "{rate}: {clocks:?}");
            let both = *twin(rate, 0.5, k as u64).unwrap().clocks();
            assert!((both.rate / rate - 1.0).abs() < 0.2, "{rate}: {both:?}");
        }
        for seed in 10..60 {
            assert_eq!(twin(0.0, 0.0, seed), None, "{seed}");
            assert_eq!(twin(0.0, 1.0, seed), None, "{seed}");
        }
    }
}

//! Controller output and process variable of a control loop: does the valve stick, and how much?
//!
//! A loop that oscillates because its valve sticks has a controller output whose cross-correlation with the process
//! variable is odd about lag 0, one that is driven from outside an even one (Horch 1999). With ρ(τ) the correlation,
//! ρ_m its largest magnitude within half a period, and τ₋, τ₊ the lags of its first zeros on either side:
//!
//! ```text
//! Δρ = (ρ_m − |ρ(0)|)/(ρ_m + |ρ(0)|),      Δτ = |τ₊ − τ₋|/(τ₊ + τ₋)
//! ```
//!
//! Both above 2/3: the valve sticks; both below 1/3: it does not (the bounds of Horch). The index is 1 − |ρ(0)|/ρ_m.
//! For self-regulating processes. Two things the correlation alone does not tell:
//!
//! - A controller whose integral action dominates shifts any disturbance by nearly a quarter of a period, and the correlation
//!   is odd though nothing sticks. Then process variable over output is an ellipse. Over a valve that sticks it has corners:
//!   y_i = α u_i + β u_(i−q), with q rows a quarter of a period, leaves more than noise. A process variable that is rounded to steps
//!   of more than 0.77 of its standard deviation has corners of its own: there the record does not decide.
//! - The correlation can be even because a valve rests all the time. That a valve does not stick is said only where the zeros of the
//!   autocorrelation of the output are evenly spaced, as those of an oscillation are: their mean distance at least 3 standard
//!   deviations (Thornhill, Huang, Zhang 2003).
//!
//! - A loop that wanders, follows a ramp or beats between two frequencies has an odd correlation, too. What tells a valve that
//!   sticks is the same whether it cycles regularly or not: each time the process variable changes sides, the output has moved
//!   by the same width, and the process variable jumps. With w_k the moves of the output between crossings, taken positive
//!   where the output moves towards the side to which the process variable goes: mean w ≥ 3 sd w over five or more, and
//!   the median time from half its range on one side to half on the other is at most a quarter of the time between crossings. A
//!   sine takes 2 asin(1/2)/π = 1/3, a triangle 1/2, a square wave nothing.
//!
//! A load with corners of its own that comes at an even period passes all of these. Behind a valve that sticks the process is led by a
//! signal of two levels, of which it shows what a lag and a delay leave: y ≈ c + g LP(s), s = ±1 between the changes of sides. What that
//! leaves of the variance of the process variable, noise apart, is at most 6.5 %. Sawtooths, pulses, batches and waves with
//! harmonics leave more. A triangle under fast integral action does not: its slopes are the two levels.
//!
//! Three equal moves are enough where the process variable jumps within a tenth of the time between them and then stays on its
//! side, so that slow cycles are seen within two periods. Proportional action turns the phase back, so that the indices of a valve
//! that sticks fall between the bounds of Horch. There the same evidence decides, with corners: of 2,160 synthetic loops whose valve
//! moves freely one was said to stick (`tests/valves.rs`, seeds from 47,000,000).
//!
//! Where one of these fails, the record does not decide. What none of them can tell from a valve that sticks is a load that is
//! switched to and fro as a square wave at an even period, and one that rises and falls as a triangle does.

use crate::error::Error;
use crate::record::entry::{Column, Holds, entered};
use crate::statistics::estimate::Estimate;
use crate::statistics::regress::solve;
use crate::statistics::stats::{mean, median, nth, roughness, rounding, sd, square};
use serde::Serialize;
use stickslip::portable;
use stickslip::study::correlation::Correlations;

/// What was found of a loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValveFit {
    /// From 0, no sign of stiction, to 1.
    pub index: f64,
    /// `sticks`, `does-not-stick`, `undecided`, or `still` where nothing moves.
    pub verdict: &'static str,
    /// Δρ and Δτ.
    pub oddness: [f64; 2],
    /// Period of the oscillation, s.
    pub period: Option<f64>,
    /// By how much the output must change before the process follows, in its unit: the width of the loop of process
    /// variable over output at its middle.
    pub stiction: Estimate,
    /// Rows that count.
    pub samples: usize,
    /// Computing only, s.
    pub seconds: f64,
    /// One sentence each.
    pub warnings: Vec<String>,
    /// Lags, s, and the correlation there.
    #[serde(skip)]
    pub correlation: Vec<(f64, f64)>,
}

const FEWEST: usize = 100;
/// The longest lag, as a share of the record.
const LONGEST: f64 = 0.25;
/// Horch's bounds.
const BOUNDS: [f64; 2] = [1.0 / 3.0, 2.0 / 3.0];
/// Fewest crossings each way for the width of the loop.
const CROSSINGS: usize = 3;
/// Mean distance of the zeros of the autocorrelation over their standard deviation: an oscillation is regular above it.
const REGULAR: f64 = 3.0;
/// Fewest distances that this is judged by.
const DISTANCES: usize = 3;
/// Fewest moves of the output between crossings by which a dead zone is called the same throughout.
const MOVES: usize = 5;
/// Of fewer moves, so many at least are enough if their mean is so many of their standard deviations, if the process variable takes
/// no larger share of the time between them than this to change sides, and stands far out for this share of all rows. Chosen on valves and
/// loops of `model_twins` (seeds 91000 to 91599) and of `tests/valves.rs` (83,000,000 to 83,000,099).
const FEW_MOVES: usize = 3;
const SAME: f64 = 8.0;
const SHARP: f64 = 0.1;
const STAYS: f64 = 0.75;
/// The longest time from one side to the other, as a share of the time between crossings, that is called a jump.
const JUMP: f64 = 0.25;
/// A process variable of which an ellipse leaves less than this share of its variance, noise apart, has no corners. Of a square
/// wave over a triangle it leaves a quarter.
const CORNERS: f64 = 0.05;

/// The share of the variance of a process variable behind a valve that sticks which two levels behind a lag and a delay leave.
const LEFT: f64 = 0.065;
/// Lags and delays that are tried, as shares of the time between changes of sides.
const LAGS: [f64; 7] = [0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6];
const DELAYS: [f64; 6] = [0.0, 0.02, 0.05, 0.1, 0.2, 0.3];

/// Looks at a loop: times (s, evenly spaced), controller output, process variable, and the setpoint if it changes.
///
/// ```
/// use stickslip_calibrate::valve::valve;
/// // An integrating controller and a valve that jumps: a triangle, and a square wave a quarter of a period later.
/// let t: Vec<f64> = (0..800).map(|i| 10.0 * f64::from(i)).collect();
/// let phase = |t: f64| (t / 500.0).rem_euclid(1.0);
/// let output: Vec<f64> = t.iter().map(|t| 50.0 + 2.0 * (2.0 * phase(*t) - 1.0).abs()).collect();
/// let noise = |t: f64| 0.01 * (0.7 * t % 11.0);
/// let flow: Vec<f64> = t.iter().map(|t| noise(*t) + if phase(*t) < 0.5 { 40.0 } else { 41.0 }).collect();
/// let found = valve(&t, &output, &flow, None)?;
/// assert_eq!(found.verdict, "sticks");
/// # Ok::<(), stickslip_calibrate::Error>(())
/// ```
///
/// # Errors
/// If the columns differ in length or fewer than 100 rows hold values.
pub fn valve(
    time: &[f64],
    output: &[f64],
    process: &[f64],
    setpoint: Option<&[f64]>,
) -> Result<ValveFit, Error> {
    let columns = [Some(output), Some(process), setpoint];
    checked(time, columns)?;
    let named = [("output", output), ("process variable", process)].map(|(name, values)| Column {
        name,
        values,
        holds: Holds::Signal,
    });
    let entry = entered(Some(time), &named)?;
    let [output, process] = [0, 1].map(|k| &*entry.columns[k]);
    let rows = whole(time, [Some(output), Some(process), setpoint])?;
    let step = (time[rows[rows.len() - 1]] - time[rows[0]]) / (rows.len() - 1) as f64;
    let u = centred(rows.iter().map(|&i| output[i]).collect());
    // With a setpoint it is the deviation that the controller sees.
    let y = centred(rows.iter().map(|&i| process[i] - setpoint.map_or(0.0, |s| s[i])).collect());
    let mut found = ValveFit {
        index: 0.0,
        verdict: "still",
        oddness: [0.0; 2],
        period: None,
        stiction: Estimate::unknown("%", "the loop does not oscillate"),
        samples: rows.len(),
        seconds: 0.0,
        warnings: [entry.said, entry.doubts].concat(),
        correlation: Vec::new(),
    };
    let largest = |values: &[f64]| rows.iter().fold(0.0f64, |m, &i| m.max(values[i].abs()));
    let of_setpoint = setpoint.map_or(0.0, largest);
    // A column at rest has rounding of its level left, whose correlations mean nothing.
    if rests(&u, largest(output)) || rests(&y, largest(process).max(of_setpoint)) {
        found.warnings.push(
            "the output or the process variable does not move: a valve that is stuck for good, a closed loop that rests, or a \
             sensor that is off"
                .to_owned(),
        );
        return Ok(found);
    }
    look(&mut found, &u, &y, step);
    Ok(found)
}

/// Columns of one length.
fn checked(time: &[f64], columns: [Option<&[f64]>; 3]) -> Result<(), Error> {
    for (column, values) in ["output", "process variable", "setpoint"].into_iter().zip(columns) {
        if let Some(found) = values.map(<[f64]>::len).filter(|n| *n != time.len()) {
            return Err(Error::ColumnLength { column, found, times: time.len() });
        }
    }
    Ok(())
}

/// The rows that hold everything.
fn whole(time: &[f64], columns: [Option<&[f64]>; 3]) -> Result<Vec<usize>, Error> {
    let there = |i: &usize| columns.iter().flatten().all(|c| c[*i].is_finite());
    let rows: Vec<usize> = (0..time.len()).filter(there).collect();
    if rows.len() < FEWEST {
        return Err(Error::TooFewSamples { found: rows.len(), needed: FEWEST });
    }
    Ok(rows)
}

/// What output and process variable, both about their means, say; `step` is the time between rows, s.
fn look(found: &mut ValveFit, u: &[f64], y: &[f64], step: f64) {
    let longest = (LONGEST * u.len() as f64) as usize;
    let correlations = Correlations::of(u, y);
    let rho = |lag: isize| correlations.cross(lag);
    let own = &correlations.own;
    let half = half_period(own, longest);
    found.period = half.map(|h| 2.0 * h as f64 * step);
    // Beyond half a period the next extremes of the oscillation follow.
    let within = half.unwrap_or(longest) as isize;
    let largest = (-within..=within).map(|l| rho(l).abs()).fold(0.0, f64::max);
    let centre = rho(0).abs();
    found.index = 1.0 - centre / largest;
    // Away from lag 0 to the first change of sign; without one the zero counts as beyond the record's reach.
    let zero = |way: isize| {
        let start = rho(0);
        (1..=longest as isize)
            .find(|l| rho(way * l) * start <= 0.0)
            .map_or(longest as f64, |l| l as f64)
    };
    let before = zero(-1);
    let after = zero(1);
    found.oddness =
        [(largest - centre) / (largest + centre), (after - before).abs() / (after + before)];
    let [even, odd] = BOUNDS;
    let crossings = Crossings::of(u, y);
    let is_odd = found.oddness.iter().all(|o| *o > odd);
    // An ellipse needs a period; for it half of the record may be looked through.
    let corners = corners(u, y, half_period(own, own.len()));
    // What speaks against a verdict stands before it: the first arm that fits decides.
    let (verdict, doubt) = match found.oddness {
        _ if is_odd && corners.is_none() => (
            "undecided",
            "the output does not come back to its middle within half of the record: a random drift or a ramp has the same phase; take a \
             longer record of an oscillation, or put the controller into manual",
        ),
        _ if is_odd && is_coarse(y) => (
            "undecided",
            "the process variable is rounded so coarsely that a jump cannot be told from a glide; record it in finer steps, or put the \
             controller into manual and see whether the oscillation stops",
        ),
        _ if is_odd && corners.is_some_and(|share| share < CORNERS) => (
            "undecided",
            "process variable over output is an ellipse: strong integral action shifts any disturbance like this, so the phase is \
             no sign of stiction; put the controller into manual and see whether the oscillation stops",
        ),
        _ if is_odd => crossings.doubt(y).map_or(("sticks", ""), |doubt| ("undecided", doubt)),
        [a, b] if a < even && b < even && !regular(own) => (
            "undecided",
            "the loop does not oscillate regularly, so that a valve that rests cannot be told from one that does not stick; take \
             a longer record of an oscillation",
        ),
        [a, b] if a < even && b < even => ("does-not-stick", ""),
        _ if corners.is_some_and(|share| share >= CORNERS)
            && !is_coarse(y)
            && crossings.doubt(y).is_none() =>
        {
            ("sticks", "")
        }
        _ => (
            "undecided",
            "the phase between output and process variable is between that of a valve that sticks and that of a disturbance; put \
             the controller into manual and see whether the oscillation stops",
        ),
    };
    found.verdict = verdict;
    found.warnings.extend(Some(doubt.to_owned()).filter(|d| !d.is_empty()));
    found.stiction = match found.verdict {
        "sticks" => crossings.width(),
        _ => Estimate::unknown("%", "only a loop whose valve sticks shows how much"),
    };
    let lags = -(longest as isize)..=longest as isize;
    found.correlation = lags.map(|l| (l as f64 * step, rho(l))).collect();
}

/// Whether values about their mean differ by no more than the rounding of the largest of them.
fn rests(values: &[f64], largest: f64) -> bool {
    let most = values.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    let least = values.iter().fold(f64::INFINITY, |m, v| m.min(*v));
    most - least <= 4.0 * f64::EPSILON * largest
}

fn centred(mut values: Vec<f64>) -> Vec<f64> {
    let middle = mean(&values);
    values.iter_mut().for_each(|v| *v -= middle);
    values
}

/// Rows of half a period, from the autocorrelation: twice its first zero, if that is half of `longest` or less.
fn half_period(own: &[f64], longest: usize) -> Option<usize> {
    // The first zero of an oscillation's autocorrelation is a quarter of its period away.
    (1..=longest / 2).find(|&l| own[l] <= 0.0).map(|l| 2 * l)
}

/// Whether the zeros of an autocorrelation are as evenly spaced as those of an oscillation.
fn regular(own: &[f64]) -> bool {
    let changes = |l: &usize| (own[*l] <= 0.0) != (own[l - 1] <= 0.0);
    let zeros: Vec<usize> = (1..own.len() / 2).filter(changes).collect();
    let apart: Vec<f64> = zeros.windows(2).map(|z| (z[1] - z[0]) as f64).collect();
    apart.len() >= DISTANCES && mean(&apart) >= REGULAR * sd(&apart)
}

/// Whether the rounding of values about their mean is as large a share of their variance as the corners that are looked for.
fn is_coarse(y: &[f64]) -> bool {
    y.len() as f64 * rounding(y).powi(2) >= CORNERS * square(y)
}

/// The share of the variance of `y` that no ellipse over `u` explains, noise apart; none without a period.
fn corners(u: &[f64], y: &[f64], half: Option<usize>) -> Option<f64> {
    let quarter = (half? / 2).max(1);
    // The output and the same a quarter of a period before are the axes of any ellipse.
    let columns = [u[quarter..].to_vec(), u[..u.len() - quarter].to_vec()];
    let y = &y[quarter..];
    let fit = solve(&columns, y)?;
    // Noise of the readings is no corner.
    let noise = y.len() as f64 * roughness(y).powi(2);
    Some((square(&fit.residuals) - noise).max(0.0) / square(y))
}

/// A width of fewer standard errors is not told from nothing.
const CLEAR: f64 = 5.0;
/// The standard error of a median over that of a mean, of normal values.
const MEDIAN: f64 = 1.25;
/// How far beyond its middle the process variable must go before a crossing counts, as a share of half its range: noise about
/// the middle crosses it back and forth.
const BEYOND: f64 = 0.5;
/// Its range lies between these quantiles.
const ENDS: [f64; 2] = [0.05, 0.95];

/// One change of sides of the process variable.
struct Crossing {
    /// 1 upwards, −1 downwards.
    way: f64,
    /// Where the output was when the valve moved.
    level: f64,
    /// By how much the output moved while this could have been, which bounds the error of `level`.
    step: f64,
    /// The row at which the process variable left its side.
    row: usize,
    /// Rows from the last one far out on one side to the first on the other.
    rows: usize,
}

/// All changes of sides.
struct Crossings {
    all: Vec<Crossing>,
    /// The share of the rows in which the process variable stands far out on one side.
    far_out: f64,
}

impl Crossings {
    /// The output moves on between two rows, and turns when the process variable does. The valve has moved before that is seen
    /// in the middle of the range: with a lag τ, 0.69 τ before, and 0.4 τ before a crossing a quarter of the range is still
    /// missing. So twice as far back the valve had not moved, and the output is taken from the middle of what it was since.
    fn of(u: &[f64], y: &[f64]) -> Self {
        let [low, high] = ENDS.map(|q| nth(&mut y.to_vec(), q));
        let middle = 0.5 * (low + high);
        let far = BEYOND * 0.5 * (high - low);
        let mut all = Vec::new();
        // On which side it was last seen far out, at which row, and the row at which it left that side.
        let mut side = 0.0;
        let mut last = 0usize;
        let mut left = None;
        for i in 1..y.len() {
            let beyond = y[i] - middle;
            if beyond * side <= 0.0 {
                left = left.or(Some(i));
            }
            if beyond.abs() < far {
                continue;
            }
            if beyond * side < 0.0 {
                let row: usize = left.unwrap_or(i);
                let since = &u[(2 * last + 1).saturating_sub(row)..=row];
                let most = since.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
                let least = since.iter().fold(f64::INFINITY, |m, v| m.min(*v));
                let level = 0.5 * (most + least);
                let step = most - least;
                all.push(Crossing { way: -side, level, step, row, rows: i - last });
            }
            (side, last, left) = (beyond.signum(), i, None);
        }
        let out = y.iter().filter(|v| (**v - middle).abs() >= far).count();
        Self { all, far_out: out as f64 / y.len() as f64 }
    }

    /// Why the crossings are not those of a valve that sticks; `y` is the process variable about its mean.
    fn doubt(&self, y: &[f64]) -> Option<&'static str> {
        let moves: Vec<f64> =
            // Positive where the output goes the way that the process variable then follows.
            self.all.windows(2).map(|c| (c[1].level - c[0].level) * c[1].way).collect();
        if moves.len() < MOVES && !self.few_suffice(&moves) {
            return Some(
                "the process variable changes sides fewer than six times: a random drift, a ramp or single steps have the same phase; \
                 take a longer record of an oscillation, or put the controller into manual",
            );
        }
        if mean(&moves).abs() < REGULAR * sd(&moves) {
            return Some(
                "the output moves by a different amount before each change of sides of the process variable, whereas a dead zone always takes the same: a random drift has the same phase; take a longer record of an oscillation, or put the \
                 controller into manual",
            );
        }
        if self.gliding() > JUMP {
            return Some(
                "the process variable glides from side to side, whereas after a valve that sticks it jumps: two disturbances that beat have the same phase; put the controller into manual and see whether the oscillation stops",
            );
        }
        (self.left_by_two_levels(y) > LEFT).then_some(
            "the process variable does not follow two levels of the valve, between which it stands still if it sticks: a load with corners of its own has the same phase; put the controller into manual and see whether the oscillation stops",
        )
    }

    /// The share of the variance of `y` that two levels, which change where `y` changes sides, leave behind the best of some lags and delays,
    /// noise apart.
    fn left_by_two_levels(&self, y: &[f64]) -> f64 {
        let apart = self.all.windows(2).map(|c| (c[1].row - c[0].row) as f64);
        let apart = median(&mut apart.collect::<Vec<f64>>());
        let mut levels = vec![-self.all[0].way; y.len()];
        for (k, crossing) in self.all.iter().enumerate() {
            let end = self.all.get(k + 1).map_or(y.len(), |next| next.row);
            levels[crossing.row..end].fill(crossing.way);
        }
        let noise = roughness(y).powi(2);
        let mut least = 1.0;
        for lag in LAGS.map(|share| share * apart) {
            let keeps = if lag > 0.0 { portable::exp(-1.0 / lag) } else { 0.0 };
            let mut now = levels[0];
            let filtered: Vec<f64> = levels
                .iter()
                .map(|level| {
                    now = keeps * now + (1.0 - keeps) * level;
                    now
                })
                .collect();
            for delay in DELAYS {
                // The valve has jumped before that is seen in the middle of the range.
                let early = (delay * apart + 0.35 * lag).round() as usize;
                // Where the first change is seen, what was before is not known.
                let from = self.all[0].row;
                let Some(shown) = filtered.get(from + early..) else { continue };
                let y = &y[from..from + shown.len()];
                let [middle, height] = [mean(y), mean(shown)];
                let pairs = || y.iter().zip(shown).map(|(y, s)| (y - middle, s - height));
                let both: f64 = pairs().map(|(y, s)| y * s).sum();
                let [own, other] = pairs().fold([0.0; 2], |[a, b], (y, s)| [a + y * y, b + s * s]);
                let rest = own - both * both / other;
                let noise = noise * y.len() as f64;
                if own > 0.0 && other > 0.0 {
                    least = f64::min(least, (rest - noise).max(0.0) / own);
                }
            }
        }
        least
    }

    /// Time from far out on one side to far out on the other, over the time between changes of sides.
    fn gliding(&self) -> f64 {
        let mut rows: Vec<f64> = self.all.iter().map(|c| c.rows as f64).collect();
        let apart = self.all.windows(2).map(|c| (c[1].row - c[0].row) as f64);
        median(&mut rows) / median(&mut apart.collect::<Vec<f64>>())
    }

    /// Whether a few moves are enough: they are all the same, and the process variable jumps and then stays, as no step of the setpoint
    /// makes it do, after which it comes back.
    fn few_suffice(&self, moves: &[f64]) -> bool {
        moves.len() >= FEW_MOVES
            && mean(moves).abs() >= SAME * sd(moves)
            && self.gliding() <= SHARP
            && self.far_out >= STAYS
    }

    /// The width of the loop at the middle of the range of the process variable.
    fn width(&self) -> Estimate {
        let levels = |way: f64| {
            self.all.iter().filter(|c| c.way == way).map(|c| c.level).collect::<Vec<f64>>()
        };
        let [mut up, mut down] = [1.0, -1.0].map(levels);
        if up.len() < CROSSINGS || down.len() < CROSSINGS {
            return Estimate::unknown("%", "the process variable crosses its middle too seldom");
        }
        // The variance of a mean of these levels.
        let error = |v: &[f64]| sd(v).powi(2) / v.len() as f64;
        let step = median(&mut self.all.iter().map(|c| c.step).collect::<Vec<f64>>());
        // Of two medians; the width itself lies anywhere within a step, which bounds its error.
        let scatter = MEDIAN * (error(&up) + error(&down)).sqrt();
        let sigma = (scatter * scatter + step * step / 3.0).sqrt();
        let width = (median(&mut up) - median(&mut down)).abs();
        if width < CLEAR * sigma {
            return Estimate::unknown("%", "the width of the loop is lost in its scatter");
        }
        // 95 % of a value that lies anywhere within ± a step lies within 0.95 of it.
        let half = ((1.96 * scatter).powi(2) + (0.95 * step).powi(2)).sqrt();
        Estimate::within(width, sigma, [width - half, width + half], "%")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sine over a sine is an ellipse; where no period is known nothing is said of corners.
    #[test]
    fn without_a_period_no_ellipse_is_seen() {
        let wave = |shift: f64| -> Vec<f64> {
            (0..400).map(|i| portable::sin(0.1 * f64::from(i) + shift)).collect()
        };
        let u = wave(0.0);
        let y = wave(1.5);
        assert!(corners(&u, &y, Some(31)).unwrap() < CORNERS);
        assert_eq!(corners(&u, &y, None), None);
        let rising: Vec<f64> = (0..400).map(f64::from).collect();
        assert_eq!(half_period(&[1.0; 200], 200), None);
        // Of a square wave over a sine an ellipse leaves 1 − 8/π²; a little noise tells that its two values are no rounding.
        let noise = |i: usize| 1e-3 * ((7 * i) % 11) as f64;
        let square: Vec<f64> = y.iter().enumerate().map(|(i, y)| y.signum() + noise(i)).collect();
        let share = corners(&u, &square, Some(31)).unwrap();
        assert!((share - 0.19).abs() < 0.03, "{share}");
        assert!(!rests(&rising, 399.0) && rests(&[0.1; 9], 0.1));
    }

    /// A sine that is rounded to two or three values looks like the jumps of a valve; rounded to nine it is an ellipse. The step is
    /// coarse from √(12 · 0.05) of the standard deviation on: 0.6 of the amplitude of a sine.
    #[test]
    fn a_coarse_process_variable_says_nothing_of_corners() {
        let wave = |shift: f64| -> Vec<f64> {
            (0..2000).map(|i| portable::sin(0.1 * f64::from(i) + shift)).collect()
        };
        let time: Vec<f64> = (0..2000).map(f64::from).collect();
        let found = |y: &[f64]| valve(&time, &wave(0.0), y, None).unwrap();
        let rounded = |step: f64| -> Vec<f64> {
            wave(1.5).iter().map(|y| step * (y / step).round()).collect()
        };
        let of_two: Vec<f64> = wave(1.5).iter().map(|y| y.signum()).collect();
        for y in [of_two, rounded(1.0), rounded(0.7)] {
            let found = found(&y);
            assert_eq!(found.verdict, "undecided");
            assert!(found.warnings[0].contains("rounded so coarsely"), "{:?}", found.warnings);
        }
        for step in [0.25, 0.01] {
            let found = found(&rounded(step));
            assert!(found.warnings[0].contains("ellipse"), "{step}: {:?}", found.warnings);
        }
    }
}

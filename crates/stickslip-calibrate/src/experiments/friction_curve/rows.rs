//! The rows of the record that count: velocities and accelerations, and which rows stand still.

use super::{Asked, LeftOut, Motion, Record};
use crate::error::Error;
use crate::statistics::polynomial::{
    NEAR, averaged_by, local, local_in_few, noise_of_derivatives, noise_of_readings, rounding,
    unfollowed, usual_step,
};
use crate::statistics::stats::{median, quantile, robust, square, unsorted_quantile};
use std::f64::consts::{PI, TAU};
use stickslip::portable;

/// Stretches of very many rows by which a search finds its way, and rows of each.
const FEWER: usize = 50;
const STRETCH: usize = 1000;
/// Fewest rows that move.
const FEWEST: usize = 12;
/// The most blocks into which the rows are divided, and the fewest rows of one.
const BLOCKS: usize = 12;
const BLOCK: usize = 2;
/// Rows on either side over which a velocity is formed from positions, or an acceleration from velocities: the first number that keeps
/// the noise of both low enough, or else the last.
const WINDOWS: [usize; 6] = [2, 4, 8, 16, 32, 64];
/// Rows that tell which of these; of more, one in every few.
const ENOUGH: usize = 30_000;
/// The noise of a velocity is low enough below this share of the fastest, and that of an acceleration below this share of its own
/// root mean square. What it still adds to the square of the acceleration is taken off again.
const QUIET: [f64; 2] = [0.005, 0.1];
/// Rows that hold less than this share of the squared acceleration, because the others stand next to jumps of the velocity, show no inertia.
const SHOWN: f64 = 0.1;
/// A velocity within so many standard deviations of its noise has no sign that can be trusted.
const SIGNS: f64 = 4.0;
/// No more than this share of the rows is taken for outliers; with more of them, they are what the joint does.
const FEW: f64 = 0.02;
/// How many robust standard deviations an outlier is away.
const FAR: f64 = 6.0;

/// Rows that count, column by column.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Where each stands in the record.
    pub index: Vec<usize>,
    pub velocity: Vec<f64>,
    pub effort: Vec<f64>,
    pub weight: Vec<f64>,
    /// Without times there is none.
    pub acceleration: Option<Vec<f64>>,
    /// The variance that the noise of the record gives it.
    pub noise_of_acceleration: f64,
    /// The weights with which it averages the accelerations of the rows around each; 1 alone where there is none.
    pub averaged_by: Vec<f64>,
    /// Sine and cosine of the position, where gravity is asked for.
    pub gravity: Option<[Vec<f64>; 2]>,
    /// Less its mean.
    pub temperature: Option<Vec<f64>>,
    /// Its mean, °C.
    pub mean_temperature: f64,
    pub load: Option<Vec<f64>>,
    /// Velocity and effort of every row of the record, NaN where there is none.
    pub all_velocities: Vec<f64>,
    pub all_efforts: Vec<f64>,
    /// Slower rows are at rest.
    pub least_velocity: f64,
    /// To which block each row belongs: one half of the blocks is fitted and the other predicted, and for intervals one after
    /// the other is left out.
    pub block: Vec<usize>,
    /// How many blocks there are.
    pub blocks: usize,
    /// Whether the rows follow each other in time.
    pub in_time: bool,
    /// The usual time between rows, s.
    pub step: f64,
    pub left_out: LeftOut,
}

/// Velocity and acceleration, NaN where they cannot be formed, and the standard deviation of their noise.
struct Kinematics {
    velocity: Vec<f64>,
    acceleration: Option<Vec<f64>>,
    noise: [f64; 2],
    /// The weights with which the acceleration averages those of the rows around each; 1 alone where there is none.
    averaged_by: Vec<f64>,
    /// Whether the velocity jumps so near to a row that none of these derivatives is the row's own.
    corners: Vec<bool>,
}

impl Kinematics {
    /// Of velocities that count as they are, with their noise.
    fn of(velocity: Vec<f64>, noise: f64) -> Self {
        let corners = vec![false; velocity.len()];
        Self { velocity, acceleration: None, noise: [noise, 0.0], averaged_by: vec![1.0], corners }
    }

    /// Whether a longer window is not needed; a velocity that is `given` has the noise that it has.
    fn is_quiet(&self, given: bool) -> bool {
        let sizes =
            |values: &[f64]| values.iter().copied().filter(|v| v.is_finite()).collect::<Vec<_>>();
        let velocity = given || {
            let mut speeds: Vec<f64> = sizes(&self.velocity).iter().map(|v| v.abs()).collect();
            // The 95th percentile: one reading that is wrong must not pass for the fastest speed.
            self.noise[0] <= QUIET[0] * unsorted_quantile(&mut speeds, 0.95)
        };
        let acceleration = self.acceleration.as_ref().is_none_or(|a| {
            let known = sizes(a);
            let total = square(&known) / known.len() as f64;
            // The noise is in the total too: what is more than it is the motion's own acceleration.
            let own = self.noise[1] * self.noise[1];
            own <= QUIET[1] * QUIET[1] * (total - own)
        });
        velocity && acceleration
    }
}

impl Rows {
    pub fn of(record: &Record<'_>, asked: &Asked) -> Result<Self, Error> {
        let count = record.effort.len();
        let effort = match record.time {
            Some(time) if asked.effort_delay != 0.0 => {
                later(time, record.effort, asked.effort_delay)
            }
            _ => record.effort.to_vec(),
        };
        let whole = Whole { record, asked, effort, position: record.position, count };
        let mut rows = whole.moving(whole.kinematics()?);
        if rows.index.len() < FEWEST {
            let found = rows.index.len();
            return Err(Error::TooFewValues { column: "joint in motion", found, needed: FEWEST });
        }
        rows.divide();
        Ok(rows)
    }

    /// Slowest and fastest speed.
    pub fn speeds(&self) -> [f64; 2] {
        let speeds = self.velocity.iter().map(|v| v.abs());
        [speeds.clone().fold(f64::INFINITY, f64::min), speeds.fold(0.0, f64::max)]
    }

    /// How the speed varies over its median: between its 5th and 95th percentile.
    pub fn variation(&self) -> f64 {
        let mut speeds: Vec<f64> = self.velocity.iter().map(|v| v.abs()).collect();
        speeds.sort_unstable_by(f64::total_cmp);
        (quantile(&speeds, 0.95) - quantile(&speeds, 0.05)) / quantile(&speeds, 0.5)
    }

    /// The share of rows that move forwards.
    pub fn forwards(&self) -> f64 {
        self.velocity.iter().filter(|v| **v > 0.0).count() as f64 / self.velocity.len() as f64
    }

    /// Whether the `m` rows on either side of row `n` all count, so that they follow each other without a break.
    pub fn has_around(&self, n: usize, m: usize) -> bool {
        n >= m && n + m < self.index.len() && self.index[n + m] - self.index[n - m] == 2 * m
    }

    /// How far the acceleration of a row may be from that at its instant: as far as it changes over the rows that it averages.
    fn blur_of_acceleration(&self, n: usize) -> f64 {
        let m = self.averaged_by.len() / 2;
        let Some(all) = &self.acceleration else { return 0.0 };
        let near = &all[n.saturating_sub(m)..(n + m + 1).min(all.len())];
        let [low, high] = near
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &a| [low.min(a), high.max(a)]);
        high - low
    }

    /// Leaves out rows whose residuals are far larger than all others, if they are few; whether there were any. Where the
    /// acceleration jumps nearby, what an `inertia` makes of its blur is no error of the effort.
    pub fn drop_outliers(&mut self, residuals: &[f64], inertia: f64) -> bool {
        let limit = FAR * robust(residuals.iter().copied());
        let is_far = |(n, r): (usize, &f64)| {
            r.abs() > limit && r.abs() > limit + inertia.abs() * self.blur_of_acceleration(n)
        };
        let far: Vec<bool> = residuals.iter().enumerate().map(is_far).collect();
        let found = far.iter().filter(|f| **f).count();
        // So many rows far out are no errors of reading but something that the law lacks.
        if found == 0 || found as f64 > FEW * far.len() as f64 || far.len() - found < FEWEST {
            return false;
        }
        self.left_out.outliers = found;
        let mut keep = far.iter().map(|f| !f);
        self.index.retain(|_| keep.next() == Some(true));
        let columns = [
            Some(&mut self.velocity),
            Some(&mut self.effort),
            Some(&mut self.weight),
            self.acceleration.as_mut(),
            self.temperature.as_mut(),
            self.load.as_mut(),
        ];
        let gravity = self.gravity.iter_mut().flatten();
        for column in columns.into_iter().flatten().chain(gravity) {
            let mut keep = far.iter().map(|f| !f);
            column.retain(|_| keep.next() == Some(true));
        }
        self.divide();
        true
    }

    /// Stretches all along very many rows, in the blocks in which they are.
    pub fn few(&self) -> Option<Self> {
        let rows = self.index.len();
        if rows <= FEWER * STRETCH {
            return None;
        }
        let starts = (0..FEWER).map(|k| k * (rows - STRETCH) / (FEWER - 1));
        let kept: Vec<usize> = starts.flat_map(|start| start..start + STRETCH).collect();
        let of = |values: &[f64]| kept.iter().map(|&n| values[n]).collect::<Vec<f64>>();
        Some(Self {
            index: kept.iter().map(|&n| self.index[n]).collect(),
            velocity: of(&self.velocity),
            effort: of(&self.effort),
            weight: of(&self.weight),
            acceleration: self.acceleration.as_deref().map(of),
            averaged_by: self.averaged_by.clone(),
            gravity: self.gravity.as_ref().map(|both| [of(&both[0]), of(&both[1])]),
            temperature: self.temperature.as_deref().map(of),
            load: self.load.as_deref().map(of),
            all_velocities: Vec::new(),
            all_efforts: Vec::new(),
            block: kept.iter().map(|&n| self.block[n]).collect(),
            ..*self
        })
    }

    /// Divides the rows into blocks. Rows of a record are neighbours in time. Dwells without times come in any order, often
    /// forwards and backwards in turn or load after load, so counting them off would put all that move one way into the same
    /// half: each run of dwells of neighbouring velocities is dealt out over all blocks instead, every run from another one on.
    fn divide(&mut self) {
        let n = self.index.len();
        let count = (n / BLOCK).clamp(1, BLOCKS);
        self.blocks = count;
        // In time, blocks are stretches of the record, so that neighbours that resemble each other fall into
        // one.
        self.block = (0..n).map(|row| row * count / n).collect();
        if self.in_time {
            return;
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|a, b| self.velocity[*a].total_cmp(&self.velocity[*b]));
        for (rank, row) in order.into_iter().enumerate() {
            self.block[row] = (rank + scattered(rank / count)) % count;
        }
    }
}

/// A number that looks random, the same for the same `n` on every machine (multiplicative hashing, Knuth 1998, §6.4).
fn scattered(n: usize) -> usize {
    ((n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as usize
}

/// Columns of one length, and times that increase.
pub fn check(record: &Record<'_>) -> Result<(), Error> {
    let times = record.effort.len();
    let columns = [
        ("time", record.time),
        ("velocity", record.velocity),
        ("position", record.position),
        ("weight", record.weight),
        ("temperature", record.temperature),
        ("load", record.load),
    ];
    for (column, values) in columns {
        if let Some(found) = values.map(<[f64]>::len).filter(|n| *n != times) {
            return Err(Error::ColumnLength { column, found, times });
        }
    }
    if let Some(time) = record.time
        && let Some(i) = (1..time.len()).find(|&i| time[i].is_nan() || time[i] <= time[i - 1])
    {
        return Err(Error::TimesNotIncreasing { row: i + 1, found: time[i], before: time[i - 1] });
    }
    if let Some(weights) = record.weight
        && let Some(&found) = weights.iter().find(|w| **w < 0.0 || w.is_infinite())
    {
        return Err(Error::OutOfRange {
            what: "a weight", found, expected: "a finite number ≥ 0"
        });
    }
    match (record.velocity, record.position, record.time) {
        (Some(_), _, _) | (None, Some(_), Some(_)) => Ok(()),
        _ => Err(Error::Undetermined {
            what: "the record has no velocity",
            expected: "a column of velocities, or one of positions with their times",
        }),
    }
}

/// Positions without the jumps of an angle that begins anew after a turn, and how many there were.
pub fn unwrapped(position: Option<&[f64]>, motion: Motion) -> (Option<Vec<f64>>, usize) {
    let Some(position) = position else { return (None, 0) };
    let mut out = position.to_vec();
    if motion == Motion::Translation {
        return (Some(out), 0);
    }
    let mut steps: Vec<f64> = position.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    steps.retain(|s| s.is_finite());
    // Only where a usual step is far below half a turn is a jump of nearly a turn no motion.
    let slow = median(&mut steps) < 0.1 * PI;
    // The shift takes back every jump so far.
    let mut shift = 0.0;
    let mut wraps = 0;
    for i in 1..out.len() {
        let jump = position[i] - position[i - 1];
        if slow && jump.abs() > 0.75 * TAU {
            shift -= TAU.copysign(jump);
            wraps += 1;
        }
        out[i] += shift;
    }
    (Some(out), wraps)
}

/// The effort that was recorded `delay` (s) after each instant, linear between rows.
fn later(time: &[f64], effort: &[f64], delay: f64) -> Vec<f64> {
    let mut k = 0;
    let at = |t: f64| {
        while k + 1 < time.len() && time[k + 1] < t {
            k += 1;
        }
        while k > 0 && time[k] > t {
            k -= 1;
        }
        // Before the first and after the last row nothing was recorded.
        let (Some(&a), Some(&b)) = (time.get(k), time.get(k + 1)) else { return f64::NAN };
        if t < a || t > b {
            return f64::NAN;
        }
        effort[k] + (effort[k + 1] - effort[k]) * ((t - a) / (b - a))
    };
    time.iter().map(|t| t + delay).map(at).collect()
}

/// The record with everything that does not depend on how velocities are formed.
struct Whole<'a> {
    record: &'a Record<'a>,
    asked: &'a Asked,
    effort: Vec<f64>,
    position: Option<&'a [f64]>,
    count: usize,
}

impl Whole<'_> {
    /// Velocity and acceleration of every row.
    fn kinematics(&self) -> Result<Kinematics, Error> {
        let given = self.record.velocity;
        let Some(time) = self.record.time else {
            let velocity = given.unwrap_or_default().to_vec();
            return Ok(Kinematics::of(velocity, f64::NAN));
        };
        let readings = given.or(self.position).unwrap_or_default();
        // Too short a record even for the noise of the readings.
        if self.count <= 2 * NEAR {
            return Err(Error::TooFewSamples { found: self.count, needed: FEWEST });
        }
        let near = local(time, readings, NEAR);
        let noise = noise_of_readings(&near);
        // Without an inertia no acceleration is needed: the velocities count as they are.
        if let (Some(velocity), false) = (given, self.asked.inertia) {
            return Ok(Kinematics::of(velocity.to_vec(), noise));
        }
        let windows = WINDOWS.into_iter().filter(|m| 2 * m < self.count);
        // Some rows of many tell which window it takes: all windows of all rows of a record that needs the widest, as noise does, would take
        // longer than the fit.
        let every = self.count.div_ceil(ENOUGH);
        let told = (every > 1).then(|| {
            let is_quiet = |m: &usize| {
                let few = local_in_few(time, readings, *m, every);
                self.through(time, readings, *m, noise, &few).is_quiet(given.is_some())
            };
            windows.clone().find(is_quiet).or_else(|| windows.clone().next_back())
        });
        let told = told.flatten();
        let mut found = None;
        for m in windows.filter(|m| told.is_none_or(|told| told == *m)) {
            let derived = local(time, readings, m);
            let next = self.through(time, readings, m, noise, &derived);
            let quiet = told.is_some() || next.is_quiet(given.is_some());
            found = Some((next, m, derived));
            // Where no window is quiet enough the widest is taken; the noise that remains is taken off later.
            if quiet {
                break;
            }
        }
        let (mut found, m, derived) =
            found.ok_or(Error::TooFewSamples { found: self.count, needed: FEWEST })?;
        let known: Vec<f64> = found.velocity.iter().copied().filter(|v| v.is_finite()).collect();
        let usual = (square(&known) / known.len() as f64).sqrt();
        // Five rows lie on a polynomial of degree four, whatever they are: of so few, more are asked.
        let (m, derived) = if m < NEAR { (NEAR, near) } else { (m, derived) };
        let moves = if given.is_some() { usual } else { usual * m as f64 * usual_step(time) };
        found.corners = unfollowed(&derived, m, noise.max(rounding(readings)), moves);
        Ok(found)
    }

    /// Velocity and acceleration by polynomials through `m` rows on either side of readings with this noise.
    fn through(
        &self,
        time: &[f64],
        readings: &[f64],
        m: usize,
        noise: f64,
        derived: &[[f64; 3]],
    ) -> Kinematics {
        let noises = noise_of_derivatives(m, usual_step(time)).map(|factor| factor * noise);
        let of = |k: usize| derived.iter().map(|d| d[k]).collect::<Vec<f64>>();
        // Velocities are differentiated once, positions twice.
        if self.record.velocity.is_some() {
            return Kinematics {
                velocity: readings.to_vec(),
                acceleration: Some(of(0)),
                noise: [noise, noises[0]],
                averaged_by: averaged_by(m, 1),
                corners: Vec::new(),
            };
        }
        let inertia = self.asked.inertia;
        Kinematics {
            velocity: of(0),
            acceleration: inertia.then(|| of(1)),
            noise: noises,
            averaged_by: if inertia { averaged_by(m, 2) } else { vec![1.0] },
            corners: Vec::new(),
        }
    }

    /// The rows that are complete and move.
    fn moving(&self, kinematics: Kinematics) -> Rows {
        let Kinematics { velocity, acceleration, noise, averaged_by, corners } = kinematics;
        let record = self.record;
        let acceleration_at = |i: usize| acceleration.as_ref().map_or(0.0, |a: &Vec<f64>| a[i]);
        let complete = |i: usize| {
            let values = [
                velocity[i],
                self.effort[i],
                acceleration_at(i),
                record.weight.map_or(1.0, |w| w[i]),
                record.temperature.map_or(0.0, |t| t[i]),
                record.load.map_or(0.0, |l| l[i]),
                // A position is needed only where gravity is fitted: elsewhere a missing one costs no row.
                if self.asked.gravity { self.position.map_or(0.0, |q| q[i]) } else { 0.0 },
            ];
            values.iter().all(|v| v.is_finite())
        };
        let complete: Vec<usize> = (0..self.count).filter(|&i| complete(i)).collect();
        let known: Vec<usize> = complete.iter().copied().filter(|&i| !corners[i]).collect();
        let seen: Vec<f64> = known.iter().map(|&i| velocity[i]).collect();
        let least = self.asked.least_velocity.unwrap_or_else(|| self.least(&seen, noise[0]));
        // What makes a velocity jump is over between two rows: where nearly all of the acceleration is next to jumps, the rest shows none.
        let squares =
            |rows: &[usize]| rows.iter().map(|&i| acceleration_at(i).powi(2)).sum::<f64>();
        let unseen = squares(&known) < SHOWN * squares(&complete);
        let index: Vec<usize> =
            known.iter().copied().filter(|&i| velocity[i].abs() > least).collect();
        let pick = |values: &[f64]| index.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        // Less its mean, so that the dry and viscous friction are those at the mean temperature.
        let mut temperature = record.temperature.map(pick);
        let mut mean_temperature = 0.0;
        if let Some(values) = &mut temperature {
            mean_temperature = values.iter().sum::<f64>() / values.len().max(1) as f64;
            values.iter_mut().for_each(|t| *t -= mean_temperature);
        }
        let left_out = LeftOut {
            missing: self.count - complete.len(),
            corners: complete.len() - known.len(),
            rest: known.len() - index.len(),
            outliers: 0,
        };
        Rows {
            velocity: pick(&velocity),
            effort: pick(&self.effort),
            weight: record.weight.map_or_else(|| vec![1.0; index.len()], pick),
            acceleration: acceleration.as_deref().filter(|_| !unseen).map(pick),
            noise_of_acceleration: noise[1] * noise[1],
            averaged_by: if unseen { vec![1.0] } else { averaged_by },
            gravity: self.position.filter(|_| self.asked.gravity).map(|q| {
                let of = |part: fn(f64) -> f64| index.iter().map(|&i| part(q[i])).collect();
                [of(portable::sin), of(portable::cos)]
            }),
            temperature,
            mean_temperature,
            load: record.load.map(pick),
            all_velocities: velocity,
            all_efforts: self.effort.clone(),
            least_velocity: least,
            block: Vec::new(),
            blocks: 0,
            in_time: record.time.is_some(),
            step: record.time.map_or(f64::NAN, usual_step),
            left_out,
            index,
        }
    }

    /// Below which speed the sign of the velocity is noise.
    fn least(&self, velocity: &[f64], noise: f64) -> f64 {
        let mut speeds: Vec<f64> = velocity.iter().map(|v| v.abs()).collect();
        speeds.sort_unstable_by(f64::total_cmp);
        let fastest = quantile(&speeds, 0.95);
        if self.record.time.is_none() {
            return 1e-3 * fastest; // A dwell is an average, and its own noise cannot be seen.
        }
        // Whatever the noise says, neither slow creep near rest nor most of the motion may decide the sign.
        (SIGNS * noise).clamp(2e-3 * fastest, 0.2 * fastest)
    }
}

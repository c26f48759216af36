//! Cyclic tests of a sliding isolator, with two components, to μ_slow, μ_fast, their rate, and the stiffness.
//!
//! ```text
//! F = o + K r + N μ(|v|) v/|v|,      μ = μ_fast − (μ_fast − μ_slow) e^(−rate |v|)
//! ```
//!
//! (Constantinou, Mokha, Reinhorn 1990; the law `velocity-strengthening` of models.) r and F have two components, K is W/R of a friction
//! pendulum, N the load on the isolator. Near a turn the direction of the friction is that of a velocity that is hardly known: rows slower
//! than a share of the fastest do not count. Standard errors from the curvature, with residuals that remember their neighbours.

mod clock;

use super::curvature::Curvature;
use crate::error::Error;
use crate::models::least_squares::{Least, Misfit, least_squares};
use crate::record::entry::{Column, Holds, entered, in_range};
use crate::record::readings::Readings;
use crate::record::steady::{Change, another_gain, gain_said};
use crate::statistics::estimate::Estimate;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::stats::{roughness, square};
use serde::Serialize;
use std::borrow::Cow;
use stickslip::portable;

/// A test: times (s, increasing), displacements (m) and forces (N) along x and y, and the load on the isolator (N); NaN where one is
/// missing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test<'a> {
    /// Times, s.
    pub time: &'a [f64],
    /// Displacements, m.
    pub displacement: [&'a [f64]; 2],
    /// Forces, N.
    pub force: [&'a [f64]; 2],
    /// The load, N.
    pub normal: &'a [f64],
}

/// What came out.
#[derive(Debug, Clone, Serialize)]
pub struct IsolatorFit {
    /// What is known of it.
    pub parameters: IsolatorParameters,
    /// Root mean square of what is left of both forces, N.
    pub rmse: f64,
    /// The same as a share of the root mean square of the forces.
    pub relative: f64,
    /// The speeds of the rows that count, m/s: the least and the greatest.
    pub speeds: [f64; 2],
    /// Rows that count.
    pub samples: usize,
    /// Rows at turns and at rest, which do not.
    pub slow_rows: usize,
    /// Computing only, s.
    pub seconds: f64,
    /// One sentence each.
    pub warnings: Vec<String>,
    /// Fitted forces along x and y, N; NaN where a row does not count.
    #[serde(skip)]
    pub fitted: [Vec<f64>; 2],
}

/// What is known of an isolator.
#[derive(Debug, Clone, Serialize)]
pub struct IsolatorParameters {
    /// μ_slow.
    pub slow: Estimate,
    /// μ_fast.
    pub fast: Estimate,
    /// s/m.
    pub rate: Estimate,
    /// K, N/m.
    pub stiffness: Estimate,
    /// o along x and y, N.
    pub offset: [Estimate; 2],
}

/// Fewest rows that count.
const FEWEST: usize = 50;
/// Rows slower than this share of the fastest are turns.
const SLOW: f64 = 0.1;
/// Over the rows of a velocity the slowest that count move by so many times the noise of the displacement: what that turns a direction by
/// takes away less than a thousandth of the friction.
const CLEAR: f64 = 60.0;
/// The most rows on either side over which a velocity is taken.
const WIDEST: usize = 50;
/// Where μ may lie, and the rate by the greatest speed.
const COEFFICIENTS: [f64; 2] = [1e-4, 2.0];
const RATES: [f64; 2] = [0.1, 300.0];
/// Rates by the greatest speed from which searches begin.
const STARTS: [f64; 3] = [1.0, 5.0, 25.0];
const STEPS: usize = 80;
/// Rows by which the minima are found.
const ENOUGH: usize = 20_000;
/// Rows by which another gain of the forces is sought.
const SHOWN: usize = 100_000;
const STEP: f64 = 1e-5;
/// Residuals so many times the noise, and so large a share of the force, are no noise.
const SYSTEMATIC: [f64; 2] = [1.5, 0.03];

/// An isolator that leaves more than this share of the forces explains nothing of them.
const NOTHING: f64 = 0.9;
/// More of the rows than this in which a force is cut off leave no friction to speak of.
const CUT: f64 = 0.25;

/// The rows by which the motion is known, and those of them that count.
#[derive(Clone)]
struct Rows {
    time: Vec<f64>,
    /// Over how many rows on either side velocities are taken.
    width: usize,
    place: Vec<[f64; 2]>,
    speed: Vec<f64>,
    direction: Vec<[f64; 2]>,
    normal: Vec<f64>,
    /// Which of these count, and which rows of the test they are.
    counts: Vec<usize>,
    at: Vec<usize>,
    force: Vec<[f64; 2]>,
    /// The mean load of the rows that count, N.
    load: f64,
    fastest: f64,
    slow: usize,
    /// Time constant of the sensor of the forces, s; 0 where there is none.
    lag: f64,
}

/// Finds the isolator behind a test.
///
/// # Errors
/// If columns differ in length, times do not increase, fewer than 50 rows are faster than a tenth of the fastest, nothing moves, or
/// the load is not above zero.
///
/// ```
/// use stickslip_calibrate::isolator::{Test, isolator};
/// // μ from 0.05 to 0.10 with 30 s/m, 1 MN on a radius of 2 m, along a figure of eight.
/// let t: Vec<f64> = (0..2000).map(|i| 0.01 * f64::from(i)).collect();
/// let at = |t: f64| [0.1 * t.sin(), 0.05 * (2.0 * t).sin()];
/// let speed = |t: f64| [0.1 * t.cos(), 0.1 * (2.0 * t).cos()];
/// let force = |t: f64, i: usize| {
///     let v = speed(t);
///     let s = v[0].hypot(v[1]);
///     0.5e6 * at(t)[i] + 1e6 * (0.10 - 0.05 * (-30.0 * s).exp()) * v[i] / s
/// };
/// let [x, y] = [0, 1].map(|i| t.iter().map(|&t| at(t)[i]).collect::<Vec<f64>>());
/// let [fx, fy] = [0, 1].map(|i| t.iter().map(|&t| force(t, i)).collect::<Vec<f64>>());
/// let normal = vec![1e6; t.len()];
/// let test = Test { time: &t, displacement: [&x, &y], force: [&fx, &fy], normal: &normal };
/// let p = isolator(&test)?.parameters;
/// assert!((p.fast.value.unwrap() - 0.10).abs() < 1e-4 && (p.slow.value.unwrap() - 0.05).abs() < 1e-3);
/// assert!((p.stiffness.value.unwrap() - 0.5e6).abs() < 500.0);
/// # Ok::<(), stickslip_calibrate::Error>(())
/// ```
pub fn isolator(test: &Test<'_>) -> Result<IsolatorFit, Error> {
    test.check()?;
    let mut entry = entered(Some(test.time), &test.columns())?;
    let columns = std::mem::take(&mut entry.columns);
    let test = &test.with(&columns);
    let [x, y, along_x, along_y, _] = test.columns();
    for (motion, force) in [(x, along_x), (y, along_y)] {
        in_range(motion.name, motion.values, force.values)?;
    }
    let readings = Readings::of(&test.whole()?, &[x, y, along_x, along_y])?;
    let rows = Rows::of(test, &readings, None)?;
    let best = rows.searched()?;
    let mut fit = rows.told(test, &best);
    let mut warnings = [entry.said, entry.doubts, readings.said.clone()].concat();
    // Each clock that is tried is a fit, and of forces that are no isolator's none is better than another.
    if fit.relative < NOTHING
        && let Some((said, aligned)) = clock::aligned(test, &readings, &rows, &best, &fit)
    {
        warnings.push(said);
        fit = aligned;
    }
    warnings.append(&mut fit.warnings);
    if readings.lost > CUT {
        warnings.push(format!(
            "a force is cut off in {:.0} % of the rows: too few are left for reliable numbers",
            100.0 * readings.lost
        ));
    }
    Ok(IsolatorFit { warnings, ..fit })
}

impl<'a> Test<'a> {
    /// What it holds, by name.
    fn columns(&self) -> [Column<'a>; 5] {
        let [x, y] = self.displacement;
        let [along_x, along_y] = self.force;
        [
            ("displacement along x", x, Holds::Motion),
            ("displacement along y", y, Holds::Motion),
            ("force along x", along_x, Holds::Force),
            ("force along y", along_y, Holds::Force),
            ("load", self.normal, Holds::Force),
        ]
        .map(|(name, values, holds)| Column { name, values, holds })
    }

    /// The same with other columns, in the order of [`Self::columns`].
    fn with<'b>(&self, columns: &'b [Cow<'_, [f64]>]) -> Test<'b>
    where
        'a: 'b,
    {
        let at = |k: usize| &*columns[k];
        Test { time: self.time, displacement: [at(0), at(1)], force: [at(2), at(3)], normal: at(4) }
    }

    fn check(&self) -> Result<(), Error> {
        let time = self.time;
        for Column { name: column, values, .. } in self.columns() {
            if values.len() != time.len() {
                return Err(Error::ColumnLength { column, found: values.len(), times: time.len() });
            }
        }
        if let Some(i) = (1..time.len()).find(|&i| time[i] <= time[i - 1] || time[i].is_nan()) {
            return Err(Error::TimesNotIncreasing {
                row: i + 1,
                found: time[i],
                before: time[i - 1],
            });
        }
        Ok(())
    }

    /// The rows that hold everything.
    fn whole(&self) -> Result<Vec<usize>, Error> {
        let columns = self.columns();
        let whole: Vec<usize> = (0..self.time.len())
            .filter(|&i| columns.iter().all(|c| c.values[i].is_finite()))
            .collect();
        if whole.len() < FEWEST {
            return Err(Error::TooFewSamples { found: whole.len(), needed: FEWEST });
        }
        if let Some(&i) = whole.iter().find(|&&i| self.normal[i] <= 0.0) {
            return Err(Error::Unfit(format!(
                "row {}: the load on the isolator is {} N; expected a load > 0 N, pressing it together",
                i + 1,
                self.normal[i]
            )));
        }
        Ok(whole)
    }
}

impl Rows {
    /// With velocities over so many rows on either side, or as many as the noise of the displacements asks for.
    fn of(test: &Test<'_>, readings: &Readings, width: Option<usize>) -> Result<Self, Error> {
        let Test { time, displacement, force, normal } = *test;
        // From all rows of the motion: those that do not count in the fit, at turns, still tell the velocity of their
        // neighbours.
        let is_known = |i: &usize| displacement.iter().all(|x| x[*i].is_finite());
        let moving: Vec<usize> = readings.moving.iter().copied().filter(is_known).collect();
        if moving.len() < FEWEST {
            return Err(Error::TooFewSamples { found: moving.len(), needed: FEWEST });
        }
        let places = displacement.map(|x| moving.iter().map(|&i| x[i]).collect::<Vec<f64>>());
        let width = width.unwrap_or_else(|| wide_enough(&places));
        let times: Vec<f64> = moving.iter().map(|&i| time[i]).collect();
        let velocity = velocities(&times, &places, width);
        let speeds: Vec<f64> = velocity.iter().map(|v| portable::hypot(v[0], v[1])).collect();
        let fastest = speeds.iter().copied().fold(0.0, f64::max);
        if fastest <= 0.0 {
            return Err(Error::Constant {
                column: "displacement",
                value: displacement[0][moving[0]],
            });
        }
        let is_whole = |k: &usize| readings.counts[moving[*k]];
        let whole: Vec<usize> = (0..moving.len()).filter(is_whole).collect();
        let counts: Vec<usize> =
            whole.iter().copied().filter(|&k| speeds[k] > SLOW * fastest).collect();
        if counts.len() < FEWEST {
            return Err(Error::TooFewSamples { found: counts.len(), needed: FEWEST });
        }
        let at: Vec<usize> = counts.iter().map(|&k| moving[k]).collect();
        let ahead = |v: &[f64; 2], speed: f64| v.map(|v| if speed > 0.0 { v / speed } else { 0.0 });
        // Between two loads that were read the last one acts on.
        let mut acts = normal[at[0]];
        let loads = moving.iter().map(|&i| {
            acts = if normal[i].is_finite() { normal[i] } else { acts };
            acts
        });
        Ok(Self {
            time: times,
            width,
            place: (0..moving.len()).map(|k| [places[0][k], places[1][k]]).collect(),
            direction: velocity.iter().zip(&speeds).map(|(v, s)| ahead(v, *s)).collect(),
            normal: loads.collect(),
            force: at.iter().map(|&i| force.map(|f| f[i])).collect(),
            load: at.iter().map(|&i| normal[i]).sum::<f64>() / at.len() as f64,
            slow: whole.len() - counts.len(),
            speed: speeds,
            counts,
            at,
            fastest,
            lag: 0.0,
        })
    }

    /// Where the best of several searches ends.
    fn searched(&self) -> Result<Least, Error> {
        let mut best: Option<Least> = None;
        // |F|/N holds the spring too, but a start need be right only to a factor of a few.
        let usual = self.force.iter().map(|f| portable::hypot(f[0], f[1])).sum::<f64>();
        let mu = (usual / (self.load * self.at.len() as f64)).clamp(0.01, 0.5);
        // One in every few of many rows tells where the minima are: only the last steps need them all.
        let few = self.few();
        let few = few.as_ref();
        for rate in STARTS {
            let logs = [0.5 * mu, mu, rate / self.fastest].map(portable::ln);
            let start = [&logs[..], &[0.0, 0.0, 0.0]].concat();
            let found = least_squares(few.unwrap_or(self), &start, STEPS);
            // A search that was stopped returns nothing either, and must not be reported as a record that no isolator
            // explains.
            if self.stop() {
                return Err(Error::Interrupted);
            }
            if let Some(found) = found
                && best.as_ref().is_none_or(|b| found.rss < b.rss)
            {
                best = Some(found);
            }
        }
        let best = match few {
            None => best,
            Some(_) => best.and_then(|best| least_squares(self, &best.p, STEPS)),
        };
        if self.stop() {
            return Err(Error::Interrupted);
        }
        best.ok_or_else(|| {
            Error::Unfit(
                "no isolator gives these forces: check that displacements and forces belong together"
                    .to_owned(),
            )
        })
    }

    /// One in every few of the rows that count, where there are very many.
    fn few(&self) -> Option<Self> {
        let every = self.counts.len().div_ceil(ENOUGH);
        let of = |rows: &[usize]| rows.iter().copied().step_by(every).collect::<Vec<usize>>();
        (every > 1).then(|| Self {
            counts: of(&self.counts),
            at: of(&self.at),
            force: self.force.iter().copied().step_by(every).collect(),
            ..self.clone()
        })
    }

    /// The forces with these coordinates: ln μ_slow, ln μ_fast, ln rate, K/N (1/m, of the mean load), and o by the mean load.
    fn forces(&self, p: &[f64]) -> Vec<f64> {
        let [slow, fast, rate] = [p[0], p[1], p[2]].map(portable::exp);
        let force = |k: usize| {
            let mu = fast - (fast - slow) * portable::exp(-rate * self.speed[k]);
            // By the mean load: the bounds then hold for isolators of any size.
            let spring = |i: usize| self.load * (p[3] * self.place[k][i] + p[4 + i]);
            [0, 1].map(|i| spring(i) + self.normal[k] * mu * self.direction[k][i])
        };
        if self.lag <= 0.0 {
            return self.counts.iter().flat_map(|&k| force(k)).collect();
        }
        // A sensor of first order, y' = (F − y)/τ, to which each step shows the mean of its ends.
        let mut seen = Vec::with_capacity(self.time.len());
        let mut before = force(0);
        let mut y = before;
        for k in 0..self.time.len() {
            let now = force(k);
            let step = if k == 0 { 0.0 } else { self.time[k] - self.time[k - 1] };
            let keep = portable::exp(-step / self.lag);
            y = [0, 1].map(|i| keep * y[i] + (1.0 - keep) * 0.5 * (now[i] + before[i]));
            before = now;
            seen.push(y);
        }
        self.counts.iter().flat_map(|&k| seen[k]).collect()
    }

    /// How the forces change with each coordinate, where no sensor is slow.
    fn slopes(&self, p: &[f64]) -> Vec<Vec<f64>> {
        let [slow, fast, rate] = [p[0], p[1], p[2]].map(portable::exp);
        let mut all: [Vec<f64>; 6] =
            std::array::from_fn(|_| Vec::with_capacity(2 * self.counts.len()));
        for &k in &self.counts {
            let way = rate * self.speed[k];
            let falls = portable::exp(-way);
            // Of μ = fast − (fast − slow) exp(−rate v), by the logarithms of slow, fast and rate.
            let friction = [slow * falls, fast * (1.0 - falls), (fast - slow) * way * falls];
            for i in [0, 1] {
                let along = self.normal[k] * self.direction[k][i];
                all.iter_mut().zip(friction).for_each(|(column, f)| column.push(along * f));
                all[3].push(self.load * self.place[k][i]);
                all[4].push(if i == 0 { self.load } else { 0.0 });
                all[5].push(if i == 1 { self.load } else { 0.0 });
            }
        }
        all.into()
    }

    /// Of both components, one after the other.
    fn another_gain(&self, test: &Test<'_>, best: &Least) -> Option<(f64, f64)> {
        // Of very many rows some show it as well.
        let every = self.at.len().div_ceil(SHOWN);
        let rows = || (0..self.at.len()).step_by(every);
        let both = |of: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            [0, 1].into_iter().flat_map(|i| rows().map(move |k| of(k, i))).collect()
        };
        let left = both(&|k, i| best.residuals[2 * k + i]);
        let fitted = both(&|k, i| self.force[k][i] - best.residuals[2 * k + i]);
        let time = both(&|k, _| test.time[self.at[k]]);
        let columns: Vec<Vec<f64>> =
            best.columns.iter().map(|c| both(&|k, i| c[2 * k + i])).collect();
        another_gain(&time, &fitted, &left, &columns)
    }

    fn told(&self, test: &Test<'_>, best: &Least) -> IsolatorFit {
        let size = self.force.iter().map(|f| f[0] * f[0] + f[1] * f[1]).sum::<f64>();
        // Both components of a row stand next to each other: each has a memory of its own.
        let one = |i: usize| best.residuals.iter().skip(i).step_by(2).copied().collect::<Vec<_>>();
        let parts = [one(0), one(1)];
        let together = autocorrelation_time(&parts).max(1.0);
        let all = Curvature::new(best, (0..best.p.len()).collect(), together);
        // At one speed all numbers of the friction say the same: one of them stands for it, and the springs are known next to it.
        let one_speed = !all.covariance(3, 3).is_finite();
        let curvature =
            if one_speed { Curvature::new(best, vec![1, 3, 4, 5], together) } else { all };
        let coefficient = |k: usize, unit: &'static str| match one_speed {
            true => Estimate::unknown(unit, "the record does not show it"),
            false => curvature.by_log(k, unit),
        };
        let load = self.load;
        let loaded = |k: usize, unit: &'static str| {
            let e = curvature.plain(k, unit);
            let scaled = |v: f64| load * v;
            Estimate {
                value: e.value.map(scaled),
                stderr: e.stderr.map(scaled),
                ci95: e.ci95.map(|ends| ends.map(scaled)),
                ..e
            }
        };
        let parameters = IsolatorParameters {
            slow: coefficient(0, "1"),
            fast: coefficient(1, "1"),
            rate: coefficient(2, "s/m"),
            stiffness: loaded(3, "N/m"),
            offset: [loaded(4, "N"), loaded(5, "N")],
        };
        let rmse = (best.rss / best.residuals.len() as f64).sqrt();
        let mut fitted = [vec![f64::NAN; test.time.len()], vec![f64::NAN; test.time.len()]];
        for (k, &row) in self.at.iter().enumerate() {
            for i in [0, 1] {
                fitted[i][row] = self.force[k][i] - best.residuals[2 * k + i];
            }
        }
        let relative = (best.rss / size).sqrt();
        let noise = [0, 1].map(|i| roughness(test.force[i]));
        let noise = (square(&noise) / 2.0).sqrt();
        let mut warnings = Vec::new();
        let [times, share] = SYSTEMATIC;
        // Forces that are nothing but noise have as much of it as is left.
        if relative >= NOTHING {
            warnings.push(format!(
                "the isolator leaves {:.1} % of the forces, so that hardly any of them belongs to the displacements: check that forces and \
                 displacements are of the same test, and at the same times",
                100.0 * relative
            ));
        } else if rmse > times * noise && relative > share {
            warnings.push(format!(
                "the isolator leaves {:.1} % of the forces, more than their noise: heating, a load that is not measured, or another law, \
                 which the intervals do not cover",
                100.0 * relative
            ));
        }
        if let Some((start, gain)) = self.another_gain(test, best) {
            let change = Change { start, gain, part: None };
            warnings.push(gain_said("the forces are", &change));
        }
        let slowest = self.counts.iter().map(|&k| self.speed[k]).fold(f64::INFINITY, f64::min);
        IsolatorFit {
            parameters,
            rmse,
            relative,
            speeds: [slowest, self.fastest],
            samples: self.at.len(),
            slow_rows: self.slow,
            seconds: 0.0,
            warnings,
            fitted,
        }
    }
}

/// Over how many rows on either side velocities are taken: as many as the noise of the displacements asks for.
fn wide_enough(places: &[Vec<f64>; 2]) -> usize {
    let rows = places[0].len();
    let noise = roughness(&places[0]).max(roughness(&places[1]));
    let way = |width: usize| {
        let steps = (0..rows - width).map(|k| {
            let [x, y] = [0, 1].map(|i| places[i][k + width] - places[i][k]);
            portable::hypot(x, y)
        });
        steps.fold(0.0, f64::max)
    };
    // Of a short record no more than a quarter, or the velocity would be a mean over the whole motion.
    let most = WIDEST.min((rows - 1) / 4).max(1);
    // Rows of the slowest speed that counts move by this share of the farthest way over as many rows. The narrowest
    // width is taken that stands clear of the noise: a wider one blurs the direction where the path bends.
    (1..most).find(|&w| SLOW * way(2 * w) > CLEAR * noise).unwrap_or(most)
}

/// The velocities at some times, over so many rows on either side.
fn velocities(time: &[f64], places: &[Vec<f64>; 2], width: usize) -> Vec<[f64; 2]> {
    let at = |k: usize| {
        let a = k.saturating_sub(width);
        let b = (k + width).min(time.len() - 1);
        [0, 1].map(|i| (places[i][b] - places[i][a]) / (time[b] - time[a]))
    };
    (0..time.len()).map(at).collect()
}

impl Misfit for Rows {
    type Seen = Vec<f64>;

    fn bounds(&self) -> Vec<[f64; 2]> {
        let mu = COEFFICIENTS.map(portable::ln);
        let rate = RATES.map(|r| portable::ln(r / self.fastest));
        // K/N up to a radius of a micrometre, offsets up to the load itself: no isolator comes near, and the search
        // stays finite.
        vec![mu, mu, rate, [0.0, 1e6], [-1.0, 1.0], [-1.0, 1.0]]
    }

    fn see(&self, p: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let forces = self.forces(p);
        let left = self.force.iter().flatten().zip(&forces).map(|(f, g)| f - g).collect();
        Some((forces, left))
    }

    fn columns(&self, p: &[f64], _: &Vec<f64>) -> Option<Vec<Vec<f64>>> {
        if self.lag <= 0.0 {
            return Some(self.slopes(p));
        }
        let column = |k: usize| {
            let moved = |by: f64| {
                let mut there = p.to_vec();
                there[k] += by;
                self.forces(&there)
            };
            // Central differences. Coordinates are logarithms or shares of the load, so that one step serves all.
            let up = moved(STEP);
            let down = moved(-STEP);
            up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * STEP)).collect()
        };
        Some((0..p.len()).map(column).collect())
    }

    fn stop(&self) -> bool {
        stickslip::Interrupt::current().is_requested()
    }
}

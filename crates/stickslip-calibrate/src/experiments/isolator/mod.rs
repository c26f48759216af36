//! Cyclic tests of a sliding isolator, with two components, to μ_slow, μ_fast, their rate, and the stiffness.
//!
//! ```text
//! F = o + K r + N μ(|v|) v/|v|,      μ = μ_fast − (μ_fast − μ_slow) e^(−rate |v|)
//! ```
//!
//! (Constantinou, Mokha, Reinhorn 1990; the law `velocity-strengthening` of models.) r and F have two components, K is W/R of a friction
//! pendulum, N the load on the isolator. Near a turn the direction of the friction is that of a velocity that is hardly known: rows slower
//! than a share of the fastest do not count. Standard errors from the curvature, with residuals that remember their neighbours.

use super::curvature::Curvature;
use crate::error::Error;
use crate::models::least_squares::{Least, Misfit, least_squares};
use crate::statistics::estimate::Estimate;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::stats::{roughness, square};
use serde::Serialize;
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
const STEP: f64 = 1e-5;
/// Residuals so many times the noise, and so large a share of the force, are no noise.
const SYSTEMATIC: [f64; 2] = [1.5, 0.03];

/// The rows that count.
struct Rows {
    /// Which of the test they are.
    at: Vec<usize>,
    place: Vec<[f64; 2]>,
    speed: Vec<f64>,
    direction: Vec<[f64; 2]>,
    force: Vec<[f64; 2]>,
    normal: Vec<f64>,
    fastest: f64,
    slow: usize,
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
    let rows = Rows::of(test)?;
    let size = rows.force.iter().map(|f| f[0] * f[0] + f[1] * f[1]).sum::<f64>();
    let mut best: Option<Least> = None;
    // |F|/N holds the spring too, but a start need be right only to a factor of a few.
    let usual = rows.force.iter().zip(&rows.normal).map(|(f, n)| portable::hypot(f[0], f[1]) / n);
    let mu = (usual.sum::<f64>() / rows.at.len() as f64).clamp(0.01, 0.5);
    for rate in STARTS {
        let logs = [0.5 * mu, mu, rate / rows.fastest].map(portable::ln);
        let start = [&logs[..], &[0.0, 0.0, 0.0]].concat();
        let found = least_squares(&rows, &start, STEPS);
        // A search that was stopped returns nothing either, and must not be reported as a record that no isolator
        // explains.
        if rows.stop() {
            return Err(Error::Interrupted);
        }
        if let Some(found) = found
            && best.as_ref().is_none_or(|b| found.rss < b.rss)
        {
            best = Some(found);
        }
    }
    let best = best.ok_or_else(|| {
        Error::Unfit(
            "no isolator gives these forces: check that displacements and forces belong together"
                .to_owned(),
        )
    })?;
    Ok(rows.told(test, &best, size))
}

impl Rows {
    fn of(test: &Test<'_>) -> Result<Self, Error> {
        let Test { time, displacement, force, normal } = *test;
        let columns = [
            ("displacement along x", displacement[0]),
            ("displacement along y", displacement[1]),
            ("force along x", force[0]),
            ("force along y", force[1]),
            ("load", normal),
        ];
        for (column, values) in columns {
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
        let whole: Vec<usize> = (0..time.len())
            .filter(|&i| columns.iter().all(|(_, values)| values[i].is_finite()))
            .collect();
        if whole.len() < FEWEST {
            return Err(Error::TooFewSamples { found: whole.len(), needed: FEWEST });
        }
        if let Some(&i) = whole.iter().find(|&&i| normal[i] <= 0.0) {
            return Err(Error::Unfit(format!(
                "row {}: the load on the isolator is {} N; expected a load > 0 N, pressing it together",
                i + 1,
                normal[i]
            )));
        }
        // From all whole rows: those that do not count in the fit, at turns, still tell the velocity of their
        // neighbours.
        let velocity = velocities(time, displacement, &whole);
        let speeds: Vec<f64> = velocity.iter().map(|v| portable::hypot(v[0], v[1])).collect();
        let fastest = speeds.iter().copied().fold(0.0, f64::max);
        if fastest <= 0.0 {
            return Err(Error::Constant {
                column: "displacement",
                value: displacement[0][whole[0]],
            });
        }
        let counts: Vec<usize> = (0..whole.len()).filter(|&k| speeds[k] > SLOW * fastest).collect();
        if counts.len() < FEWEST {
            return Err(Error::TooFewSamples { found: counts.len(), needed: FEWEST });
        }
        let both = |of: [&[f64]; 2]| counts.iter().map(|&k| of.map(|v| v[whole[k]])).collect();
        Ok(Self {
            at: counts.iter().map(|&k| whole[k]).collect(),
            place: both(displacement),
            force: both(force),
            speed: counts.iter().map(|&k| speeds[k]).collect(),
            direction: counts.iter().map(|&k| velocity[k].map(|v| v / speeds[k])).collect(),
            normal: counts.iter().map(|&k| normal[whole[k]]).collect(),
            fastest,
            slow: whole.len() - counts.len(),
        })
    }

    /// The forces with these coordinates: ln μ_slow, ln μ_fast, ln rate, K/N (1/m, of the mean load), and o by the mean load.
    fn forces(&self, p: &[f64]) -> Vec<f64> {
        let [slow, fast, rate] = [p[0], p[1], p[2]].map(portable::exp);
        let load = self.normal.iter().sum::<f64>() / self.normal.len() as f64;
        let mut out = Vec::with_capacity(2 * self.at.len());
        for k in 0..self.at.len() {
            let mu = fast - (fast - slow) * portable::exp(-rate * self.speed[k]);
            for i in [0, 1] {
                // By the mean load: the bounds then hold for isolators of any size.
                let spring = load * (p[3] * self.place[k][i] + p[4 + i]);
                out.push(spring + self.normal[k] * mu * self.direction[k][i]);
            }
        }
        out
    }

    fn told(&self, test: &Test<'_>, best: &Least, size: f64) -> IsolatorFit {
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
        let load = self.normal.iter().sum::<f64>() / self.normal.len() as f64;
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
        if rmse > times * noise && relative > share {
            warnings.push(format!(
                "the isolator leaves {:.1} % of the forces, more than their noise: heating, a load that is not measured, or another law, \
                 which the intervals do not cover",
                100.0 * relative
            ));
        }
        let slowest = self.speed.iter().copied().fold(f64::INFINITY, f64::min);
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

/// The velocities of some rows: over as many neighbours as the noise of the displacements asks for.
fn velocities(time: &[f64], place: [&[f64]; 2], rows: &[usize]) -> Vec<[f64; 2]> {
    let of = |i: usize| rows.iter().map(|&r| place[i][r]).collect::<Vec<f64>>();
    let both = [of(0), of(1)];
    let noise = roughness(&both[0]).max(roughness(&both[1]));
    let way = |width: usize| {
        let steps = (0..rows.len() - width).map(|k| {
            portable::hypot(both[0][k + width] - both[0][k], both[1][k + width] - both[1][k])
        });
        steps.fold(0.0, f64::max)
    };
    // Of a short record no more than a quarter, or the velocity would be a mean over the whole motion.
    let most = WIDEST.min((rows.len() - 1) / 4).max(1);
    // Rows of the slowest speed that counts move by this share of the farthest way over as many rows. The narrowest
    // width is taken that stands clear of the noise: a wider one blurs the direction where the path bends.
    let width = (1..most).find(|&w| SLOW * way(2 * w) > CLEAR * noise).unwrap_or(most);
    let at = |k: usize| {
        let a = k.saturating_sub(width);
        let b = (k + width).min(rows.len() - 1);
        let h = time[rows[b]] - time[rows[a]];
        [0, 1].map(|i| (both[i][b] - both[i][a]) / h)
    };
    (0..rows.len()).map(at).collect()
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

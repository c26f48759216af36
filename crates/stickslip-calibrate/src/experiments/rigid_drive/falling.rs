//! A friction that falls with the velocity: F(v) = (F_c + ΔF s(|v|/v_s)) sign v + F_v v with s falling from 1 to 0.
//!
//! Near a reversal the filters smear the sign of the velocity, and a drive under control rests there for moments too short to
//! be seen. Both look like a friction that falls within a tiny velocity. So whether it falls is decided by the rows alone whose
//! filters see no reversal; and there it must fall by more than three standard errors.

use super::{DriveParameters, Signals, clear};
use crate::error::Error;
use crate::statistics::estimate::Estimate;
use crate::statistics::filter::zero_phases;
use crate::statistics::regress::{Regression, Solved, solve_noisy};
use crate::statistics::stats::square;
use serde::Serialize;
use stickslip::portable::{exp, ln};

/// Shares of the largest velocity within which a friction may fall: from here, by this factor, so many.
const SHARES: (f64, f64, i32) = (0.003, 1.3, 20);
/// So many of them go through the filters side by side: a part of all.
const SIDE_BY_SIDE: usize = 4;
const _: () = assert!((SHARES.2 as usize).is_multiple_of(SIDE_BY_SIDE));
/// What it must bring: rows that count as one, less the numbers that are sought, times the logarithm of the ratio of the
/// squares. Twenty of a χ² of three degrees of freedom come once in six thousand records; it is looked for among sixty laws,
/// most of them alike.
const EVIDENT: f64 = 20.0;
/// The numbers that are sought: of the plain law, how much, within what, and in which way.
const SOUGHT: f64 = 7.0;
/// So many standard errors it must fall by.
const SURE: f64 = 3.0;
/// A way of falling that leaves so little more is as likely: 95 % of a χ² of one degree of freedom.
const LIKELY: f64 = 3.84;
/// Steps of Gauss and Newton for v_s.
const STEPS: usize = 12;

/// A friction that falls.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Falling {
    /// ΔF, N: how much larger it is at the least velocity.
    pub by: Estimate,
    /// v_s, m/s.
    pub within: Estimate,
    /// s(|v|/v_s).
    pub shape: &'static str,
    /// The share of the squared residual that it explains.
    pub explains: f64,
}

impl Falling {
    /// By how much the force at a velocity (m/s) is larger than F_c sign v + F_v v, N.
    pub fn force(&self, velocity: f64) -> f64 {
        let (Some(by), Some(within)) = (self.by.value, self.within.value) else { return 0.0 };
        let shape = SHAPES.iter().find(|s| s.words == self.shape);
        shape.map_or(0.0, |s| by * (s.of)(velocity.abs() / within)) * velocity.signum()
    }

    /// In words.
    pub(super) fn said(&self) -> String {
        format!(
            "the friction falls with the velocity, by {:.3} N within {:.2e} m/s, which explains {:.0} % of the squared residual of \
             F_c + F_v v: F_c and F_v are those of a law with this part, by the rows whose filters see no reversal, and their intervals reach over three ways \
             of falling; no motion was simulated",
            self.by.value.unwrap_or(0.0),
            self.within.value.unwrap_or(0.0),
            100.0 * self.explains
        )
    }
}

/// A velocity v_s and a function of |v|/v_s.
type Shaped = (f64, fn(f64) -> f64);

/// A way in which a friction may fall: s(z) with z = |v|/v_s, and z s′(z).
struct Shape {
    words: &'static str,
    of: fn(f64) -> f64,
    bend: fn(f64) -> f64,
}

const SHAPES: [Shape; 3] = [
    Shape { words: "exp(−|v|/v_s)", of: |z| exp(-z), bend: |z| -z * exp(-z) },
    Shape { words: "exp(−(v/v_s)²)", of: |z| exp(-z * z), bend: |z| -2.0 * z * z * exp(-z * z) },
    Shape {
        words: "1/(1 + |v|/v_s)",
        of: |z| 1.0 / (1.0 + z),
        bend: |z| -z / ((1.0 + z) * (1.0 + z)),
    },
];

/// One way of falling at some v_s.
struct Tried {
    shape: &'static str,
    within: f64,
    law: Regression,
    /// Halves of the intervals with one column more, how the force changes with ln v_s, so that they allow for the error of v_s.
    halves: Vec<f64>,
    /// By how much that column says that ln v_s is off: s(|v|/v_s) changes by −z s′ d ln v_s.
    step: f64,
}

impl Tried {
    fn left(&self) -> f64 {
        square(&self.law.residuals)
    }
}

/// What is found where a friction falls: all over the rows whose filters see no reversal.
pub(super) struct FallingFit {
    pub falling: Falling,
    pub parameters: DriveParameters,
    pub fit: Regression,
    /// Samples of those rows.
    pub rows: Vec<usize>,
}

/// The least squares that a fall is added to, over the rows whose filters see no reversal.
struct Plain {
    matrix: [Vec<f64>; 4],
    y: Vec<f64>,
    /// Which of all rows these are.
    steady: Vec<usize>,
    /// Variances of the noise in acceleration and velocity.
    noise: [f64; 2],
}

impl Plain {
    fn columns(&self, more: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let pick = |v: &Vec<f64>| self.steady.iter().map(|&k| v[k]).collect::<Vec<f64>>();
        self.matrix.iter().cloned().chain(more.iter().map(pick)).collect()
    }

    fn with(&self, more: &[Vec<f64>]) -> Option<Regression> {
        solve_noisy(&self.columns(more), &self.y, &self.noise).map(Solved::with_errors)
    }

    /// What the law with these columns leaves of the squares.
    fn left(&self, more: &[Vec<f64>]) -> Option<f64> {
        let columns = self.columns(more);
        solve_noisy(&columns, &self.y, &self.noise).map(|fit| square(&fit.residuals))
    }
}

impl Signals {
    /// Columns of the least squares from functions of |v|/v_s that have the sign of v: v_s and function of each.
    fn parts<const N: usize>(&self, of: [Shaped; N]) -> Result<[Vec<f64>; N], Error> {
        let column = |(within, of): Shaped| {
            let one = |(v, s): (&f64, &f64)| s * of(v.abs() / within);
            let column: Vec<f64> = self.velocity.iter().zip(&self.sign).map(one).collect();
            self.as_force(&column).into_owned()
        };
        let (f1, f2) = self.cutoffs;
        let step = self.record.step;
        let rows = self.velocity.len();
        let early = {
            let columns = of.map(column);
            zero_phases(rows, |i| columns.each_ref().map(|c| c[i]), f1, step)?
        };
        Ok(self.lanes_at_rows(&zero_phases(rows, |i| early[i], f2, step)?))
    }

    /// One of them.
    fn part(&self, within: f64, of: fn(f64) -> f64) -> Result<Vec<f64>, Error> {
        self.parts([(within, of)]).map(|[part]| part)
    }

    /// The column of what falls, over the rows of the least squares.
    pub(super) fn falls(&self, falling: &Falling) -> Result<Option<Vec<f64>>, Error> {
        let shape = SHAPES.iter().find(|s| s.words == falling.shape);
        let Some((shape, within)) = shape.zip(falling.within.value) else { return Ok(None) };
        self.part(within, shape.of).map(Some)
    }

    /// What falls and the parameters with it; `None` if nothing shows that it does.
    pub(super) fn falling(
        &self,
        matrix: &[Vec<f64>; 4],
        y: &[f64],
        noise: [f64; 2],
    ) -> Result<Option<FallingFit>, Error> {
        // A reversal lies between two samples; it is marked at the first.
        let turns: Vec<bool> = self.sign.windows(2).map(|s| s[0] != s[1]).chain([false]).collect();
        let quiet = |k: &usize| clear(&turns, self.rows[*k], 2 * self.thinning);
        let steady: Vec<usize> = (0..self.rows.len()).filter(quiet).collect();
        let pick = |v: &[f64]| steady.iter().map(|&k| v[k]).collect::<Vec<f64>>();
        let plain = Plain { matrix: matrix.each_ref().map(|c| pick(c)), y: pick(y), steady, noise };
        // The law without a fall, over the same rows: the gain must not come from leaving rows out.
        let Some(simple) = plain.left(&[]) else { return Ok(None) };
        let fastest = self.velocity.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        // In equal factors, since the scale over which a friction falls is not known to a power of ten.
        let at = |k: usize| SHARES.0 * SHARES.1.powi(k as i32) * fastest;
        let all = SHARES.2 as usize;
        let some = |(shape, first): (&Shape, usize)| -> Result<Vec<Option<f64>>, Error> {
            let parts: [_; SIDE_BY_SIDE] =
                self.parts(std::array::from_fn(|l| (at(first + l), shape.of)))?;
            Ok(parts.into_iter().map(|part| plain.left(&[part])).collect())
        };
        let firsts = (0..all).step_by(SIDE_BY_SIDE);
        let tasks =
            SHAPES.iter().flat_map(|shape| firsts.clone().map(move |k| (shape, k))).collect();
        let found = crate::parallel::try_map(tasks, some)?.concat();
        let mut starts = Vec::new();
        let mut least: Option<(f64, &Shape, f64)> = None;
        for (shape, found) in SHAPES.iter().zip(found.chunks(all)) {
            let mut best: Option<(f64, f64)> = None;
            for (k, left) in found.iter().enumerate() {
                let Some(left) = *left else { continue };
                if best.is_none_or(|b| left < b.0) {
                    best = Some((left, at(k)));
                }
            }
            let Some((left, within)) = best else { continue };
            starts.push((shape, within));
            if least.is_none_or(|l| left < l.0) {
                least = Some((left, shape, within));
            }
        }
        let Some((left, shape, within)) = least else { return Ok(None) };
        let Some(fit) = plain.with(&[self.part(within, shape.of)?]) else { return Ok(None) };
        // Residuals that resemble their neighbours count as one row, here as in the standard errors.
        let rows = plain.steady.len() as f64 / fit.autocorrelation.max(1.0) - SOUGHT;
        let sure = fit.coefficients[4] > SURE * fit.errors[4];
        if !(sure && rows * ln(simple / left) > EVIDENT) {
            return Ok(None);
        }
        let tried =
            crate::parallel::try_map(starts, |(shape, start)| self.descend(&plain, shape, start))?;
        let tried: Vec<Tried> = tried.into_iter().flatten().collect();
        self.gathered(&tried, &plain)
    }

    /// The best v_s of a way of falling, from a start; `None` where it leaves the velocities of the record.
    fn descend(&self, plain: &Plain, shape: &Shape, start: f64) -> Result<Option<Tried>, Error> {
        let at = |within: f64| -> Result<Option<Tried>, Error> {
            let [part, bend] = self.parts([(within, shape.of), (within, shape.bend)])?;
            // The law at this v_s, and once more with how it changes with v_s: the one leaves the residuals,
            // the other the step and the errors.
            let Some(law) = plain.with(std::slice::from_ref(&part)) else { return Ok(None) };
            let Some(free) = plain.with(&[part, bend]) else { return Ok(None) };
            let falls = law.coefficients[4];
            let step = -free.coefficients[5] / falls;
            let halves = (0..6).map(|k| free.half(k)).collect();
            let tried = Tried { shape: shape.words, within, law, halves, step };
            // A friction that rises near rest is not what is looked for.
            Ok((falls > 0.0 && step.is_finite()).then_some(tried))
        };
        let Some(mut best) = at(start)? else { return Ok(None) };
        let mut share = 1.0;
        for _ in 0..STEPS {
            // In ln v_s, and by no more than a factor of 1.5: further away the tangent says little.
            let step = share * best.step.clamp(-0.4, 0.4);
            if step.abs() < 1e-3 {
                break;
            }
            match at(best.within * exp(step))? {
                Some(next) if next.left() < best.left() => {
                    best = next;
                    share = 1.0;
                }
                _ => share *= 0.5,
            }
        }
        Ok(Some(best))
    }

    /// The best way of falling, with intervals that reach over all that are as likely.
    fn gathered(&self, tried: &[Tried], plain: &Plain) -> Result<Option<FallingFit>, Error> {
        let Some(best) = tried.iter().min_by(|a, b| a.left().total_cmp(&b.left())) else {
            return Ok(None);
        };
        let rows = plain.y.len() as f64 / best.law.autocorrelation.max(1.0);
        // Which way it falls is mostly not seen: the record hardly tells an exponential from a hyperbola.
        let likely: Vec<&Tried> =
            tried.iter().filter(|t| rows * ln(t.left() / best.left()) <= LIKELY).collect();
        let over = |value: f64, ends: &dyn Fn(&Tried) -> [f64; 2], unit| {
            let hull = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
            let all = likely.iter().map(|t| ends(t)).reduce(hull);
            let [low, high] = all.unwrap_or([value; 2]);
            // A 95 % interval is 2 · 1.96 standard errors wide.
            Estimate::within(value, (high - low) / 3.92, [low, high], unit)
        };
        let of = |k: usize, unit| {
            let ends = |t: &Tried| {
                let value = t.law.coefficients[k];
                [value - t.halves[k], value + t.halves[k]]
            };
            over(best.law.coefficients[k], &ends, unit)
        };
        let found = [0, 1, 2, 3].map(|k| best.law.coefficients[k]);
        let parameters = DriveParameters {
            mass: of(0, "kg"),
            viscous: of(1, "N·s/m"),
            coulomb: of(2, "N"),
            offset: of(3, "N"),
            breakaway: self.breakaway(found)?,
        };
        let speeds = |t: &Tried| {
            // The last coefficient is −ΔF d ln v_s, and half its interval that of ln v_s times ΔF.
            let far = t.halves[5] / t.law.coefficients[4];
            [t.within * exp(-far), t.within * exp(far)]
        };
        let simple = plain.left(&[]).unwrap_or(f64::INFINITY);
        let falling = Falling {
            by: of(4, "N"),
            within: over(best.within, &speeds, "m/s"),
            shape: best.shape,
            explains: 1.0 - best.left() / simple,
        };
        let rows = plain.steady.iter().map(|&k| self.rows[k]).collect();
        Ok(Some(FallingFit { falling, parameters, fit: best.law.clone(), rows }))
    }
}

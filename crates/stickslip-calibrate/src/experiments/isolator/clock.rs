//! Clocks of displacements and forces that run apart, or are late. The load has the clock and the sensor of the forces.

use super::{IsolatorFit, IsolatorParameters, Rows, STEPS, Test};
use crate::models::least_squares::{Least, least_squares};
use crate::record::clocks::{self, Clocks, Found, Look, earlier};
use crate::record::readings::Readings;
use crate::statistics::estimate::Estimate;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::stats::square;
use stickslip::numeric::golden;
use stickslip::portable;

/// 2 ln of a ratio of likelihoods from which on it is told that no slow sensor is the cause: a chance of 1 in 1000 for both alike.
const APART: f64 = 14.0;
/// Time constants that are looked at, as shares of the delay that leaves least.
const CONSTANTS: [f64; 2] = [0.3, 2.0];
const SECTIONS: usize = 12;

/// What is said, and what comes out, where the clocks are put right, or the sensor of the forces allowed for, if that moves a number out of
/// its interval.
pub fn aligned(
    test: &Test<'_>,
    readings: &Readings,
    rows: &Rows,
    best: &Least,
    fit: &IsolatorFit,
) -> Option<(String, IsolatorFit)> {
    let at = |clocks: &Clocks| -> Option<(Rows, Least)> {
        let by = |t: f64| clocks.late_at(t);
        let [x, y] = test.displacement.map(|v| earlier(test.time, v, &readings.moving, by));
        let moved = Test { displacement: [&x, &y], ..*test };
        // Interpolation takes noise away, which must not narrow what velocities are taken over.
        let rows = Rows::of(&moved, readings, Some(rows.width)).ok()?;
        let least = least_squares(&rows, &best.p, STEPS)?;
        Some((rows, least))
    };
    let [first, last] = [rows.at.first(), rows.at.last()].map(|i| i.map_or(0.0, |&i| test.time[i]));
    let found = clocks::found(Clocks::alike(first, last), |clocks| {
        if clocks.rate == 0.0 && clocks.late == 0.0 {
            return Some(look(test, rows, best));
        }
        let (rows, least) = at(clocks)?;
        Some(look(test, &rows, &least))
    })?;
    let (moved, least) = at(found.clocks())?;
    let mut other = moved.told(test, &least);
    let mut said = found.said(["displacement", "force"], last - first);
    if let Found::Late(clocks) = found
        && clocks.late > 0.0
        && let Some((slow, behind)) = rows.behind_a_sensor(best, clocks.late)
    {
        let ratio = likelier((&slow, &behind), (&moved, &least));
        let delay =
            format!("the force comes {:.3} ms later than the displacement", 1e3 * clocks.late);
        if ratio < -APART {
            said = format!("{delay}, which was allowed for: correct the times of one of them");
        } else {
            // A sensor takes noise away, and so it is never for sure.
            said = format!(
                "{delay}, or through a slow sensor or filter with a time constant of {:.3} ms: both were allowed for; correct the times of one of \
                 them, or filter both alike",
                1e3 * slow.lag
            );
            let mut through = slow.told(test, &behind);
            if ratio > 0.0 {
                std::mem::swap(&mut other, &mut through);
            }
            other.parameters.reach(&through.parameters);
        }
    }
    let differ = numbers(&fit.parameters)
        .iter()
        .zip(&numbers(&other.parameters))
        .any(|(a, b)| a.excludes(b));
    differ.then_some((said, other))
}

/// 2 ln of how much likelier the first fit is, by the fast rows that both have; both have as many numbers.
fn likelier(one: (&Rows, &Least), other: (&Rows, &Least)) -> f64 {
    let left = |(own, least): (&Rows, &Least), other: &Rows| -> Vec<f64> {
        let both = |k: &usize| {
            let there = other.at.binary_search(&own.at[*k]);
            own.is_fast(*k) && there.is_ok_and(|there| other.is_fast(there))
        };
        let rows = (0..own.at.len()).filter(both);
        rows.flat_map(|k| [least.residuals[2 * k], least.residuals[2 * k + 1]]).collect()
    };
    let own = left(one, other.0);
    let there = left(other, one.0);
    let independent = own.len() as f64 / autocorrelation_time(&[&own]).max(1.0);
    independent * portable::ln(square(&there) / square(&own))
}

/// The numbers that the clocks may move.
fn numbers(p: &IsolatorParameters) -> [&Estimate; 4] {
    [&p.slow, &p.fast, &p.rate, &p.stiffness]
}

impl IsolatorParameters {
    fn reach(&mut self, other: &Self) {
        let own = [&mut self.slow, &mut self.fast, &mut self.rate, &mut self.stiffness];
        own.into_iter().zip(numbers(other)).for_each(|(e, other)| e.reach(other));
    }
}

impl Rows {
    /// The loads so many seconds later: those that act where the load comes through the sensor of the forces.
    fn later_loads(&self, by: f64) -> Vec<f64> {
        let last = self.time.len() - 1;
        let load = |t: &f64| {
            let at = (t + by).min(self.time[last]);
            let k = self.time.partition_point(|s| *s < at).clamp(1, last);
            let share = (at - self.time[k - 1]) / (self.time[k] - self.time[k - 1]);
            self.normal[k - 1] + share * (self.normal[k] - self.normal[k - 1])
        };
        self.time.iter().map(load).collect()
    }

    /// The same rows, and the least, with the time constant of a sensor of the forces that leaves least; about this long.
    fn behind_a_sensor(&self, best: &Least, about: f64) -> Option<(Self, Least)> {
        let at = |share: f64| -> Option<(Self, Least)> {
            let lag = share * about;
            let slow = Self { lag, normal: self.later_loads(lag), ..self.clone() };
            let least = least_squares(&slow, &best.p, STEPS)?;
            Some((slow, least))
        };
        let left = |share: f64| at(share).map_or(f64::INFINITY, |found| found.1.rss);
        let [low, high] = CONSTANTS;
        let (share, _) = golden(low, high, SECTIONS, left);
        at(share)
    }
}

/// Rows slower than this share of the fastest say little of clocks: there the force turns with its direction within few rows.
const FAST: f64 = 0.3;

impl Rows {
    /// Whether a row, by its place among those that count, is clear of turns.
    fn is_fast(&self, k: usize) -> bool {
        self.speed[self.counts[k]] > FAST * self.fastest
    }
}

/// Both components, one after the other: each resembles its own neighbours.
fn look(test: &Test<'_>, rows: &Rows, least: &Least) -> Look {
    let fast: Vec<usize> = (0..rows.at.len()).filter(|k| rows.is_fast(*k)).collect();
    let time: Vec<f64> = fast.iter().map(|&k| test.time[rows.at[k]]).collect();
    let one = |i: usize| {
        let of = |both: &[f64]| fast.iter().map(|k| both[2 * k + i]).collect::<Vec<f64>>();
        let left = of(&least.residuals);
        let fitted: Vec<f64> =
            fast.iter().zip(&left).map(|(k, left)| rows.force[*k][i] - left).collect();
        let columns: Vec<Vec<f64>> = least.columns.iter().map(|c| of(c)).collect();
        Look::around(&time, &fitted, &left, &columns)
    };
    one(0).and(one(1))
}

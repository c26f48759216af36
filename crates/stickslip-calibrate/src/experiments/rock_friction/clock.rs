//! Clocks of displacement and friction that run apart, or are late.

use super::search::{Against, STEPS, parameters, together};
use super::{RockParameters, Seen};
use crate::models::least_squares::{Least, least_squares};
use crate::record::clocks::{self, Clocks, Found, Look};

/// A record whose load point stands at the times of the friction.
pub struct Aligned {
    pub found: Found,
    pub record: Seen,
}

/// Of the squares that are left clocks must explain this share: what no contact explains is explained a little by any delay.
const EXPLAINED: f64 = 0.05;

/// The record with the clocks put right, where they run apart and that moves a number out of its interval.
pub fn aligned(against: &Against<'_>, best: &Least) -> Option<Aligned> {
    let record = against.record;
    let at = |clocks: &Clocks| -> Option<(Seen, Least)> {
        let moved = record.earlier(clocks);
        let least = least_squares(&Against { record: &moved, ..*against }, &best.p, STEPS)?;
        Some((moved, least))
    };
    let [first, last] = [record.time[0], record.time[record.time.len() - 1]];
    let found = clocks::found(Clocks::alike(first, last), |clocks| {
        if clocks.rate == 0.0 && clocks.late == 0.0 {
            return Some(look(against, best));
        }
        let (moved, least) = at(clocks)?;
        Some(look(&Against { record: &moved, ..*against }, &least))
    })?;
    let (moved, least) = at(found.clocks())?;
    let of = |against: &Against<'_>, least: &Least| {
        let RockParameters { a, b, distance, stiffness, .. } =
            parameters(against, least, together(least));
        [Some(a), Some(b), Some(distance), stiffness]
    };
    let other = of(&Against { record: &moved, ..*against }, &least);
    let pairs = of(against, best).into_iter().zip(other).filter_map(|(a, b)| a.zip(b));
    let differ = pairs.into_iter().any(|(a, b)| a.excludes(&b));
    let explains = least.rss < (1.0 - EXPLAINED) * best.rss;
    (differ && explains).then_some(Aligned { found, record: moved })
}

fn look(against: &Against<'_>, least: &Least) -> Look {
    let record = against.record;
    let left = &least.residuals;
    let fitted: Vec<f64> = record.friction.iter().zip(left).map(|(f, r)| f - r).collect();
    let free: Vec<&Vec<f64>> =
        (0..least.columns.len()).filter(|&k| against.free(k)).map(|k| &least.columns[k]).collect();
    let look = Look::around(&record.counted(&record.time), &fitted, left, &free);
    Look { may_grow: false, ..look }
}

impl Seen {
    /// The same with the load point where it was `clocks` before. Between rows, and beyond the first and the last, it moves straight on: a curve
    /// would overshoot where its speed steps.
    fn earlier(&self, clocks: &Clocks) -> Self {
        let last = self.time.len() - 1;
        let place = self.time.iter().map(|t| {
            let at = t - clocks.late_at(*t);
            let k = self.time.partition_point(|s| *s <= at).clamp(1, last);
            let share = (at - self.time[k - 1]) / (self.time[k] - self.time[k - 1]);
            self.place[k - 1] + share * (self.place[k] - self.place[k - 1])
        });
        Self {
            place: place.collect(),
            rows: self.rows.clone(),
            time: self.time.clone(),
            at: self.at.clone(),
            friction: self.friction.clone(),
        }
    }
}

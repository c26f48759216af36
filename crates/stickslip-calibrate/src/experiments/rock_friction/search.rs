//! The search for the numbers of both laws of evolution.

use super::super::curvature::Curvature;
use super::motion::{Contact, Evolution};
use super::{RockFriction, RockParameters, Seen};
use crate::error::Error;
use crate::models::least_squares::{Least, Misfit, least_squares};
use crate::parallel::each;
use crate::statistics::estimate::Estimate;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::stats::square;
use stickslip::portable;

/// Where a and b may lie.
const EFFECTS: [f64; 2] = [1e-5, 0.2];
/// D_c by the length of the record, and k times D_c by the effects.
const DISTANCES: [f64; 2] = [1e-6, 1.0];
const STIFF: [f64; 2] = [1e-2, 1e5];
/// Places from which searches may begin: D_c as a share of the way, b/a, and the stiffness by that at which a contact of this effect
/// becomes unstable.
const DISTANCE_STARTS: [f64; 6] = [0.001, 0.004, 0.01, 0.03, 0.08, 0.2];
const RATIO_STARTS: [f64; 3] = [0.4, 0.9, 1.5];
const STIFF_STARTS: [f64; 3] = [0.7, 2.0, 6.0];
/// How many of them do.
const SEARCHES: usize = 4;
/// Steps of a motion, with the stiffness given and sought: a soft machine that slips again and again is given up where it is sought.
const MOST: [usize; 2] = [400_000, 40_000];
pub(super) const STEPS: usize = 80;
const STEP: f64 = 1e-5;

/// Coordinates: ln a, ln b, ln D_c, ln k, μ₀ and c.
pub(super) struct Against<'a> {
    pub record: &'a Seen,
    pub evolution: Evolution,
    pub start: f64,
    pub asked: &'a RockFriction,
    /// Way of the load point, m.
    pub way: f64,
}

impl Against<'_> {
    fn contact(&self, p: &[f64]) -> Contact {
        Contact {
            evolution: self.evolution,
            a: portable::exp(p[0]),
            b: portable::exp(p[1]),
            distance: portable::exp(p[2]),
            stiffness: self.asked.stiffness.unwrap_or_else(|| portable::exp(p[3])),
            speed: self.start,
        }
    }

    /// μ in each row that counts.
    pub fn friction(&self, p: &[f64]) -> Option<Vec<f64>> {
        let Seen { time, place, .. } = self.record;
        let most = MOST[usize::from(self.free(3))];
        let mut mu = self.contact(p).follow(time, place, most)?;
        mu.iter_mut().zip(place).for_each(|(mu, x)| *mu += p[4] + p[5] * (x - place[0]));
        Some(self.record.counted(&mu))
    }

    pub fn free(&self, k: usize) -> bool {
        match k {
            3 => self.asked.stiffness.is_none(),
            5 => self.asked.trend,
            _ => true,
        }
    }
}

impl Misfit for Against<'_> {
    type Seen = Vec<f64>;

    fn bounds(&self) -> Vec<[f64; 2]> {
        let logs = |range: [f64; 2]| range.map(portable::ln);
        let most = 10.0 / self.way;
        // What is given has a range without width, so that every coordinate keeps its place.
        let known = self.asked.stiffness.map(|k| [portable::ln(k); 2]);
        vec![
            logs(EFFECTS),
            logs(EFFECTS),
            logs(DISTANCES.map(|d| d * self.way)),
            known.unwrap_or_else(|| logs(STIFF.map(|s| s / self.way))),
            // μ₀ is linear, and its least squares find it from anywhere: a range that only keeps it finite.
            [-10.0, 10.0],
            if self.asked.trend { [-most, most] } else { [0.0, 0.0] },
        ]
    }

    fn see(&self, p: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let mu = self.friction(p)?;
        let left = self.record.friction.iter().zip(&mu).map(|(f, g)| f - g).collect();
        Some((mu, left))
    }

    fn columns(&self, p: &[f64], seen: &Vec<f64>) -> Option<Vec<Vec<f64>>> {
        let place = &self.record.place;
        let column = |k: usize| {
            if !self.free(k) {
                return Some(vec![0.0; seen.len()]);
            }
            // μ₀ and c are linear in the prediction: their columns are exact and cost no motion.
            if k == 4 {
                return Some(vec![1.0; seen.len()]);
            }
            if k == 5 {
                let ways: Vec<f64> = place.iter().map(|x| x - place[0]).collect();
                return Some(self.record.counted(&ways));
            }
            let moved = |by: f64| {
                let mut there = p.to_vec();
                there[k] += by;
                self.friction(&there)
            };
            let [up, down] = [moved(STEP)?, moved(-STEP)?];
            Some(up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * STEP)).collect())
        };
        (0..p.len()).map(column).collect()
    }

    fn stop(&self) -> bool {
        stickslip::Interrupt::current().is_requested()
    }
}

/// Over how many rows the residuals of a fit are alike.
pub(super) fn together(least: &Least) -> f64 {
    autocorrelation_time(std::slice::from_ref(&least.residuals)).max(1.0)
}

/// Where the best of all searches ends.
pub(super) fn nearest(against: &Against<'_>) -> Result<Least, Error> {
    let friction = &against.record.friction;
    let high = friction.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let low = friction.iter().copied().fold(f64::INFINITY, f64::min);
    // Of steps by a factor of ten, whose direct effect is a ln 10.
    let effect = (0.4 * (high - low)).clamp(2.0 * EFFECTS[0], 0.5 * EFFECTS[1]);
    let mut starts = Vec::new();
    for distance in DISTANCE_STARTS.map(|d| d * against.way) {
        for b in RATIO_STARTS {
            let known = against.asked.stiffness;
            let sought = STIFF_STARTS.map(|s| s * effect / distance);
            for stiffness in known.map_or(sought.to_vec(), |k| vec![k]) {
                let logs = [effect, b * effect, distance, stiffness].map(portable::ln);
                // In steady slide at V₀, where a record begins, μ is μ₀.
                starts.push([&logs[..], &[friction[0], 0.0]].concat());
            }
        }
    }
    // The squares at the starts cost one motion each, a search a hundred.
    let squares =
        each(starts.len(), |i| against.residuals(&starts[i]).map_or(f64::INFINITY, |r| square(&r)));
    let mut order: Vec<usize> = (0..starts.len()).collect();
    order.sort_by(|a, b| squares[*a].total_cmp(&squares[*b]));
    order.truncate(SEARCHES);
    let ends = each(order.len(), |i| least_squares(against, &starts[order[i]], STEPS));
    if against.stop() {
        return Err(Error::Interrupted);
    }
    let best = ends.into_iter().flatten().min_by(|a, b| a.rss.total_cmp(&b.rss));
    best.ok_or_else(|| Error::Unfit(why_nothing_follows(against, high - low)))
}

/// Why no contact follows a record whose friction has this range.
fn why_nothing_follows(against: &Against<'_>, range: f64) -> String {
    let back = against.record.place.windows(2).map(|p| p[0] - p[1]).fold(0.0, f64::max);
    match against.asked.stiffness {
        // A contact that slides forwards alone leaves the machine to take it all: k times the way.
        Some(k) if k * back > range => format!(
            "the load point goes back by up to {back:.1e} m between two rows, and a machine of {k:.1e} /m takes {:.1e} off the friction \
             there, whose whole range is {range:.1e}; expected places that only go on: give those that were commanded, or smooth them, or \
             check the stiffness, which is by the normal stress (1/m)",
            k * back
        ),
        _ => "no contact of rate and state follows this record without running away; check the unit of the displacement and the \
              stiffness of the machine, which is by the normal stress (1/m)"
            .to_owned(),
    }
}

/// The numbers with their errors; a − b has that of the difference.
pub(super) fn parameters(against: &Against<'_>, least: &Least, together: f64) -> RockParameters {
    let free = (0..least.p.len()).filter(|&k| against.free(k)).collect();
    let curvature = Curvature::new(least, free, together);
    let [a, b] = [0, 1].map(|k| portable::exp(least.p[k]));
    let [aa, bb, ab] = [(0, 0), (1, 1), (0, 1)].map(|(i, j)| curvature.covariance(i, j));
    let difference = a * a * aa + b * b * bb - 2.0 * a * b * ab;
    RockParameters {
        a: curvature.by_log(0, "1"),
        b: curvature.by_log(1, "1"),
        a_minus_b: Estimate::known(a - b, difference.max(0.0).sqrt(), "1"),
        distance: curvature.by_log(2, "m"),
        stiffness: against.free(3).then(|| curvature.by_log(3, "1/m")),
        coefficient: curvature.plain(4, "1"),
        trend: against.free(5).then(|| curvature.plain(5, "1/m")),
    }
}

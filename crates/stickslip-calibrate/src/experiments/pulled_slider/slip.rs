//! What each slip says.
//!
//! During a slip the force is F = f_d + R cos θ with θ' = √(k/m), θ from −φ to π + φ, where
//! sin φ = kV/(ωR) allows for the far end moving on; before and after it the slider sticks and F rises
//! straight. From f_d = (top + bottom)/2, exactly (the energy of y = F − f_d is the same at both ends,
//! where ẏ = kV), follows S4's μ_d = (top + bottom)/2; μ_s = top.
//!
//! Times come from where the force crosses 80 % and 20 % of the way down, which for a cosine are
//! 1.2870 rad apart; top and bottom from straight lines through the sticks on both sides, continued to
//! these times, so that neither noise nor the rounding of the peak biases them.
//!
//! A damper makes the slip end higher: with the damping ratio ζ and Δ = f_s − f_d the force is
//! f_d + Δ e^(−ζωt) (cos ω_d t + ζ/√(1 − ζ²) sin ω_d t), ω_d = ω √(1 − ζ²), which ends at f_d − qΔ with q = e^(−πζ/√(1 − ζ²)).
//! Of the time between 80 % and 20 % of the way down, less than half is then above the middle: see [`damping`].

use crate::statistics::filter::running_mean;
use crate::statistics::stats::Line;
use serde::Serialize;
use stickslip::portable;

/// acos(−0.6) − acos(0.6): from 80 % to 20 % of a cosine's fall.
const MIDDLE: f64 = 1.287_002_217_586_569_5;
/// Bound on sin φ.
const STEEPEST: f64 = 0.8;
/// Fewest samples of a stick for a line through it.
const LINE: usize = 6;

/// One slip. Forces are F/(m g).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Slip {
    /// When it begins, s.
    pub time: f64,
    /// When it ends, s.
    pub end: f64,
    /// Force at breakaway: μ_s.
    pub top: f64,
    /// Force as the next stick begins.
    pub bottom: f64,
    /// μ_d = (top + bottom)/2.
    pub mu_d: f64,
    /// Duration, s: allows for the far end moving on during the slip.
    pub duration: f64,
    /// Time at rest before, s; none for the first slip and after a hole.
    pub waiting: Option<f64>,
    /// Slope of the force while it stuck before, 1/s.
    pub slope: Option<f64>,
}

/// The record as samples, and what is known of the rig.
pub struct Rig<'a> {
    /// Running median of F/(m g).
    pub clean: &'a [f64],
    /// Time of sample 0 and between samples, s.
    pub grid: (f64, f64),
    /// T = π√(m/k), samples.
    pub lag: usize,
    /// k V/(m g), 1/s.
    pub rate: f64,
}

/// A slip while it is measured; times in samples.
#[derive(Debug, Clone, Copy)]
struct Rough {
    start: f64,
    end: f64,
    high: f64,
    low: f64,
}

impl Rig<'_> {
    /// Measures the slips around the falls; falls that turn out not to cross their own middle are left out. Also the shares of the
    /// time between 80 % and 20 % of the way down that are above the middle.
    pub fn measure(&self, falls: &[(usize, usize)], statistic: &[f64]) -> (Vec<Slip>, Vec<f64>) {
        let window = (self.lag / 8 / 2 * 2 + 1).max(1);
        let smooth = running_mean(self.clean, window);
        let centre = |&(a, b): &(usize, usize)| {
            (a..b).min_by(|i, j| statistic[*i].total_cmp(&statistic[*j])).unwrap_or(a)
        };
        let centres: Vec<usize> = falls.iter().map(centre).collect();
        let mut rough: Vec<Rough> = Vec::new();
        for (i, &c) in centres.iter().enumerate() {
            // A slip has its top after the middle of the stick before, and its bottom before that of the next.
            let before = i.checked_sub(1).map_or(0, |j| (centres[j] + c).div_ceil(2));
            let after = centres.get(i + 1).map_or(smooth.len(), |&n| (n + c) / 2);
            // Half of the longest slip that `STEEPEST` allows is 0.8 T: twice that leaves room for a centre in noise.
            let reach = 3 * self.lag / 2 + 1;
            let from = before.max(c.saturating_sub(reach));
            let to = after.min(c + reach + 1);
            let high = (from..=c).max_by(|a, b| order(smooth[*a], smooth[*b]));
            let low = (c..to).max_by(|a, b| order(-smooth[*a], -smooth[*b]));
            if let (Some(high), Some(low)) = (high, low) {
                rough.extend(self.shape(&smooth, high..low, smooth[high], smooth[low], 1.0));
            }
        }
        // Lines through the sticks give better ends, and these better times. They do not know of the smoothing, which flattens the
        // cosine: without this share slips began 0.4 % of their length too early, and many of them missed μ_s by their kV.
        let kept = kept_of_a_cosine(window, std::f64::consts::PI / self.lag as f64);
        let mut ends = self.ends(&rough);
        for _ in 0..2 {
            for (r, (top, bottom)) in rough.iter_mut().zip(&ends) {
                let middle = 0.5 * (top + bottom);
                let half = 0.5 * (top - bottom);
                let pace = self.lag as f64 / std::f64::consts::PI;
                // At both ends ẏ = kV: the radius of the cosine is larger than half the way from top to bottom.
                let radius = portable::hypot(half, self.rate * self.grid.1 * pace);
                let end = (r.end.ceil() as usize).min(smooth.len() - 1);
                let span = r.start.max(0.0) as usize..end;
                let better = self.shape(&smooth, span, middle + radius, middle - radius, kept);
                if let Some(better) = better {
                    *r = better;
                }
            }
            ends = self.ends(&rough);
        }
        let shares = rough.iter().zip(&ends).filter_map(|(r, (top, bottom))| {
            let end = (r.end.ceil() as usize).min(smooth.len() - 1);
            let within = r.start.max(0.0) as usize..end;
            let level = |share: f64| 0.5 * (top + bottom) + kept * (share - 0.5) * (top - bottom);
            let [upper, middle, lower] =
                [0.8, 0.5, 0.2].map(|share| crosses(&smooth, within.clone(), level(share)));
            let (upper, lower) = (upper?, lower?);
            (lower > upper).then_some((middle? - upper) / (lower - upper))
        });
        let shares = shares.collect();
        (self.slips(&rough, &ends), shares)
    }

    /// Times of a slip whose force falls from `high` to `low` (the extremes) within some samples, of which smoothing has kept a share.
    fn shape(
        &self,
        smooth: &[f64],
        within: std::ops::Range<usize>,
        high: f64,
        low: f64,
        kept: f64,
    ) -> Option<Rough> {
        let cross = |share: f64| {
            let level = 0.5 * (low + high) + kept * (share - 0.5) * (high - low);
            crosses(smooth, within.clone(), level)
        };
        let upper = cross(0.8)?;
        let lower = cross(0.2)?;
        if lower <= upper || high <= low {
            return None;
        }
        let pace = (lower - upper) / MIDDLE;
        let centre = 0.5 * (upper + lower);
        let half = pace * (std::f64::consts::FRAC_PI_2 + self.phase(0.5 * (high - low)));
        Some(Rough { start: centre - half, end: centre + half, high, low })
    }

    /// φ of a slip of half-height `radius`, with √(m/k) as the rig says: that of a single slip is too uncertain,
    /// and an error in it would feed on itself. It is bounded where slips are lost in the motion of the far end.
    fn phase(&self, radius: f64) -> f64 {
        let pace = self.lag as f64 / std::f64::consts::PI;
        portable::asin((self.rate * self.grid.1 * pace / radius).clamp(0.0, STEEPEST))
    }

    /// Top and bottom of each slip.
    fn ends(&self, rough: &[Rough]) -> Vec<(f64, f64)> {
        let near = 4 * self.lag;
        rough
            .iter()
            .enumerate()
            .map(|(i, r)| {
                let before = i.checked_sub(1).map_or(0.0, |j| rough[j].end);
                let after = rough.get(i + 1).map_or(self.clean.len() as f64, |n| n.start);
                // The extremes of the slip itself lie beyond its ends by R(1 − cos φ).
                let middle = 0.5 * (r.high + r.low);
                let radius = 0.5 * (r.high - r.low);
                let cosine = portable::cos(self.phase(radius));
                let inside = |v: &f64| (v - middle).abs() < 1.2 * radius;
                let top =
                    self.line(before.max(r.start - near as f64), r.start).map(|l| l.at(r.start));
                let bottom = self.line(r.end, after.min(r.end + near as f64)).map(|l| l.at(r.end));
                (
                    top.filter(|v| inside(v) && *v > middle).unwrap_or(middle + radius * cosine),
                    bottom.filter(|v| inside(v) && *v < middle).unwrap_or(middle - radius * cosine),
                )
            })
            .collect()
    }

    fn slips(&self, rough: &[Rough], ends: &[(f64, f64)]) -> Vec<Slip> {
        let (start, step) = self.grid;
        let mut slips = Vec::with_capacity(rough.len());
        for (i, (r, &(top, bottom))) in rough.iter().zip(ends).enumerate() {
            let before = i.checked_sub(1).map(|j| rough[j].end);
            let stick = before.filter(|b| {
                let span = b.max(0.0) as usize..(r.start.max(0.0) as usize).min(self.clean.len());
                r.start > *b && span.clone().all(|k| !self.clean[k].is_nan())
            });
            slips.push(Slip {
                time: start + step * r.start,
                end: start + step * r.end,
                top,
                bottom,
                mu_d: 0.5 * (top + bottom),
                duration: step * (r.end - r.start),
                waiting: stick.map(|b| step * (r.start - b)),
                slope: stick.and_then(|b| self.line(b, r.start)).map(|l| l.slope / step),
            });
        }
        // A fall without any height is noise that the refined lines have shown.
        slips.retain(|s| s.top > s.bottom);
        slips
    }

    /// The straight line through the samples strictly between two times; none if they are too few.
    fn line(&self, from: f64, to: f64) -> Option<Line> {
        // The median rounds the corners between stick and slip: keep away from them where there is room.
        let trim = if to - from > self.lag as f64 { 1 + self.lag / 16 } else { 1 };
        let first = from.max(0.0).ceil() as usize + trim;
        let last = (to.max(0.0).floor() as usize).saturating_sub(trim - 1).min(self.clean.len());
        let mut points = Vec::new();
        for i in first..last {
            let y = self.clean[i];
            if !y.is_nan() {
                points.push((i as f64, y));
            }
        }
        if points.len() < LINE {
            return None;
        }
        Some(Line::through(&points))
    }
}

/// When a force falls through a level: the middle of all crossings, because noise makes several.
fn crosses(smooth: &[f64], within: std::ops::Range<usize>, level: f64) -> Option<f64> {
    let mut all = (within.start..within.end.min(smooth.len() - 1))
        .filter(|&i| smooth[i] >= level && smooth[i + 1] < level);
    let first = all.next()?;
    let last = all.next_back().unwrap_or(first);
    let at = |i: usize| i as f64 + (smooth[i] - level) / (smooth[i] - smooth[i + 1]);
    Some(0.5 * (at(first) + at(last)))
}

/// The largest damping ratio that is looked for.
pub const MOST_DAMPED: f64 = 0.7;

/// How far below f_d a slip with this damping ratio ends, over Δ: q.
pub fn overshoot(damping: f64) -> f64 {
    portable::exp(-std::f64::consts::PI * damping / (1.0 - damping * damping).sqrt())
}

/// The share of the time between 80 % and 20 % of the way down that is above the middle, of a slip with this damping ratio.
fn above_middle(damping: f64) -> f64 {
    let root = (1.0 - damping * damping).sqrt();
    let q = overshoot(damping);
    // The share of the way that is left, as a function of the angle ω_d t.
    let left = |angle: f64| {
        let wave = portable::cos(angle) + damping / root * portable::sin(angle);
        (portable::exp(-damping / root * angle) * wave + q) / (1.0 + q)
    };
    let [upper, middle, lower] = [0.8, 0.5, 0.2].map(|share| {
        let [mut from, mut to] = [0.0, std::f64::consts::PI];
        for _ in 0..60 {
            let angle = 0.5 * (from + to);
            if left(angle) > share { from = angle } else { to = angle }
        }
        from
    });
    (middle - upper) / (lower - upper)
}

/// The damping ratio of slips that are above their middle for this share of the time between 80 % and 20 % of the way down; 0 of half
/// of it or more.
pub fn damping(share: f64) -> f64 {
    let [mut from, mut to] = [0.0, MOST_DAMPED];
    for _ in 0..50 {
        let ratio = 0.5 * (from + to);
        if above_middle(ratio) > share { from = ratio } else { to = ratio }
    }
    from
}

/// The share of a cosine of so many radians a sample that a running mean over a window leaves.
fn kept_of_a_cosine(window: usize, pace: f64) -> f64 {
    let width = window as f64;
    portable::sin(0.5 * width * pace) / (width * portable::sin(0.5 * pace))
}

/// Missing values come last in the search for a greatest value.
fn order(a: f64, b: f64) -> std::cmp::Ordering {
    let key = |v: f64| if v.is_nan() { f64::NEG_INFINITY } else { v };
    key(a).total_cmp(&key(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_mean_keeps_its_share_of_a_cosine() {
        let pace = std::f64::consts::PI / 40.0;
        let wave: Vec<f64> = (0..400).map(|i| portable::cos(pace * f64::from(i))).collect();
        for window in [1, 5, 11] {
            let smooth = running_mean(&wave, window);
            let share = kept_of_a_cosine(window, pace);
            for i in 20..380 {
                assert!((smooth[i] - share * wave[i]).abs() < 1e-12, "{window} {i}");
            }
        }
    }
}

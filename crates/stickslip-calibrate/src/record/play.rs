//! Play between the two places at which motion and force of a record are measured.
//!
//! ```text
//! x_seen = x + ½ p sign F        p: play
//! ```
//!
//! Where the force changes its sign the motion that is seen jumps by p from one row to the next, and a delay of the force, a softer spring or a
//! gravity would be made of that. The jump is what a step has more than the four around it say, of which a parabola is made:
//!
//! ```text
//! e = d₀ − (4 (d₋₁ + d₁) − d₋₂ − d₂)/6        b = d₂ − 2 d₁ + 2 d₋₁ − d₋₂
//! ```
//!
//! b, which no parabola has, is as large as e or larger where the velocity jumps, as at the turns of a triangular motion: there is no e.
//! In nearly all changes of sign the largest e within a few rows must be alike, and clear of the largest in as many rows elsewhere.

use crate::statistics::estimate::digits;
use crate::statistics::stats::{nth, roughness};
use std::borrow::Cow;

/// Fewer changes of sign show no play.
const FEWEST: usize = 6;
/// A force has changed its sign when it is so many times its noise beyond zero; the jump is so many rows away at most.
const BEYOND: f64 = 3.0;
const NEAR: usize = 2;
/// Three jumps of four are larger than so many times what all but one in twenty windows elsewhere hold,
const CLEAR: f64 = 4.0;
/// and the middle half of them is alike but for this share.
const ALIKE: f64 = 0.6;
/// Smaller shares of the range are rounding.
const ROUNDING: f64 = 1e-6;
/// Rows between a window and others elsewhere.
const ELSEWHERE: [isize; 4] = [-23, -11, 11, 23];

/// The force changes its sign.
struct Change {
    /// The last row before and the first row after.
    rows: [usize; 2],
    side: f64,
}

/// By how much a motion jumps where a force changes its sign, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Play {
    pub size: f64,
    /// The first row after each jump, and the sign of the force from there on.
    jumps: Vec<(usize, f64)>,
}

impl Play {
    /// Of a motion and a force, NaN where a value is missing.
    pub fn of(motion: &[f64], force: &[f64]) -> Option<Self> {
        let changes = changes(force);
        if changes.len() < FEWEST {
            return None;
        }
        let largest = |first: isize, last: isize, side: f64| -> Option<(usize, f64)> {
            let rows = usize::try_from(first).ok()?..=usize::try_from(last).ok()?;
            if *rows.end() >= motion.len() {
                return None;
            }
            let all = rows.map(|i| (i, side * extra(motion, i)));
            all.max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let near = NEAR as isize;
        let around = |c: &Change| [c.rows[0] as isize + 1 - near, c.rows[1] as isize + near];
        let mut sizes = Vec::new();
        let mut jumps = Vec::new();
        let mut elsewhere = Vec::new();
        for c in &changes {
            let [first, last] = around(c);
            let Some((row, size)) = largest(first, last, c.side) else { continue };
            sizes.push(size);
            jumps.push((row, size, c));
            elsewhere.extend(largest(first, last, -c.side));
            let away = ELSEWHERE.into_iter();
            let by = |k: isize| k + k.signum() * (last - first);
            elsewhere.extend(away.filter_map(|k| largest(first + by(k), last + by(k), c.side)));
        }
        let [low, size, high] = [0.25, 0.5, 0.75].map(|p| nth(&mut sizes, p));
        let mut elsewhere: Vec<f64> = elsewhere.into_iter().map(|e| e.1).collect();
        let others = nth(&mut elsewhere, 0.95).max(0.0);
        let known = motion.iter().filter(|x| x.is_finite());
        let [least, most] =
            known.fold([f64::INFINITY, f64::NEG_INFINITY], |m, v| [m[0].min(*v), m[1].max(*v)]);
        let is_alike = low > ALIKE * size && size > ALIKE * high;
        let is_clear = low > CLEAR * others && low > ROUNDING * (most - least);
        // Where a jump is not seen, the force tells when it has happened.
        let at = |(row, own, c): (usize, f64, &Change)| {
            (if own > 0.5 * size { row } else { c.rows[1] }, c.side)
        };
        (is_alike && is_clear).then(|| Self { size, jumps: jumps.into_iter().map(at).collect() })
    }

    /// Takes the play off a motion.
    pub fn take_off(&self, motion: &mut Cow<'_, [f64]>) {
        let Some((_, first)) = self.jumps.first() else { return };
        let own = motion.to_mut();
        let mut side = -first;
        let mut from = 0;
        for &(row, next) in &self.jumps {
            own[from..row.max(from)].iter_mut().for_each(|x| *x -= 0.5 * side * self.size);
            from = row.max(from);
            side = next;
        }
        own[from..].iter_mut().for_each(|x| *x -= 0.5 * side * self.size);
    }

    /// What is said of it.
    pub fn said(&self, [motion, force]: [&str; 2], unit: &str) -> String {
        let (factor, unit) = if unit == "m" { (1e3, "mm") } else { (1.0, unit) };
        format!(
            "the {motion} jumps by {} {unit} where the {force} changes its sign, {} times, as of play between the places at which the two are \
             measured, which was allowed for: measure both at one part",
            digits(factor * self.size),
            self.jumps.len()
        )
    }
}

/// Where a force changes its sign, noise apart.
fn changes(force: &[f64]) -> Vec<Change> {
    let least = BEYOND * roughness(force);
    let mut out = Vec::new();
    let mut last: Option<(usize, f64)> = None;
    for (i, f) in force.iter().enumerate().filter(|f| f.1.abs() > least) {
        let side = f.signum();
        if let Some((before, was)) = last
            && was != side
        {
            out.push(Change { rows: [before, i], side });
        }
        last = Some((i, side));
    }
    out
}

/// By how much the step up to a row is larger than those around it say.
fn extra(motion: &[f64], i: usize) -> f64 {
    if i < 3 || i + 2 >= motion.len() {
        return 0.0;
    }
    let step = |k: usize| motion[k] - motion[k - 1];
    let [a, b, c, d] = [i - 2, i - 1, i + 1, i + 2].map(step);
    let by = step(i) - (4.0 * (b + c) - a - d) / 6.0;
    let bends = d - 2.0 * c + 2.0 * b - a;
    if bends.abs() < by.abs() { by } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    /// A spring and dry friction under two sines, or under a triangle, where the spring is strong enough to turn the force within a stroke.
    fn record(play: f64, triangle: bool) -> (Vec<f64>, Vec<f64>) {
        let mut draws = Draws::new(7, 3);
        (0..4000)
            .map(|i| {
                let t = 0.02 * f64::from(i);
                let (x, v) = if triangle {
                    let phase = (0.2 * t).rem_euclid(2.0);
                    ((phase - 1.0).abs() - 0.5, if phase < 1.0 { -1.0 } else { 1.0 })
                } else {
                    (t.sin() + 0.3 * (2.7 * t).sin(), t.cos() + 0.81 * (2.7 * t).cos())
                };
                // At the turn of a triangle the velocity jumps, and no play could be told there.
                let spring = if triangle { 3.0 } else { 0.5 };
                let force = spring * x + v.signum();
                let seen = x + 0.5 * play * force.signum();
                (seen + 1e-4 * draws.normal(), force + 0.01 * draws.normal())
            })
            .unzip()
    }

    /// Its size is found to what the noise of a mean of jumps leaves, and what is taken off is what was put on.
    #[test]
    fn play_is_found_and_taken_off() {
        for triangle in [false, true] {
            let (clean, _) = record(0.0, triangle);
            let (seen, force) = record(0.005, triangle);
            let found = Play::of(&seen, &force).unwrap();
            assert!((found.size / 0.005 - 1.0).abs() < 0.05, "{}", found.size);
            let mut off = Cow::from(&seen);
            found.take_off(&mut off);
            let far = off.iter().zip(&clean).filter(|(a, b)| (*a - *b).abs() > 3e-4).count();
            assert!(far <= 3, "{far}");
        }
    }

    /// No play is found where there is none: of sines and triangles, of a coarse encoder, and of one that holds its values.
    #[test]
    fn motions_that_do_not_jump_have_none() {
        for triangle in [false, true] {
            let (x, force) = record(0.0, triangle);
            assert_eq!(Play::of(&x, &force), None);
            let coarse: Vec<f64> = x.iter().map(|x| (200.0 * x).round() / 200.0).collect();
            assert_eq!(Play::of(&coarse, &force), None);
            let held: Vec<f64> = (0..x.len()).map(|i| x[i / 4 * 4]).collect();
            assert_eq!(Play::of(&held, &force), None);
        }
    }
}

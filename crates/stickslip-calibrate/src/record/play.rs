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
//! b, which no parabola has, is as large as e or larger where the velocity jumps, as at the turns of a triangular motion. There a step without
//! play lies between those before it and those after it, as the turn is early or late between two rows: the jump is at least what it has more than
//! either, and in the middle what it has more than their mean. In nearly all changes of sign the largest e within a few rows must be alike, and clear of the largest in as many rows elsewhere.

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
        let largest = |first: isize, last: isize, side: f64| -> Option<(usize, Extra)> {
            let rows = usize::try_from(first).ok()?..=usize::try_from(last).ok()?;
            if *rows.end() >= motion.len() {
                return None;
            }
            let all = rows.map(|i| (i, extra(motion, i).towards(side)));
            all.max_by(|a, b| a.1.least.total_cmp(&b.1.least))
        };
        let near = NEAR as isize;
        let around = |c: &Change| [c.rows[0] as isize + 1 - near, c.rows[1] as isize + near];
        let mut sizes = Vec::new();
        let mut least_sizes = Vec::new();
        let mut jumps = Vec::new();
        let mut elsewhere = Vec::new();
        for c in &changes {
            let [first, last] = around(c);
            let Some((row, extra)) = largest(first, last, c.side) else { continue };
            sizes.push(extra.middle);
            least_sizes.push(extra.least);
            jumps.push((row, extra.middle, c));
            elsewhere.extend(largest(first, last, -c.side));
            let away = ELSEWHERE.into_iter();
            let by = |k: isize| k + k.signum() * (last - first);
            elsewhere.extend(away.filter_map(|k| largest(first + by(k), last + by(k), c.side)));
        }
        let [low, size, high] = [0.25, 0.5, 0.75].map(|p| nth(&mut sizes, p));
        let at_least = nth(&mut least_sizes, 0.25);
        let mut elsewhere: Vec<f64> = elsewhere.into_iter().map(|e| e.1.least).collect();
        let others = nth(&mut elsewhere, 0.95).max(0.0);
        let known = motion.iter().filter(|x| x.is_finite());
        let [least, most] =
            known.fold([f64::INFINITY, f64::NEG_INFINITY], |m, v| [m[0].min(*v), m[1].max(*v)]);
        let is_alike = low > ALIKE * size && size > ALIKE * high;
        let is_clear = at_least > CLEAR * others && at_least > ROUNDING * (most - least);
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

/// By how much a step is larger than those around it say.
struct Extra {
    /// At least, and what is as likely too little as too much.
    least: f64,
    middle: f64,
}

impl Extra {
    /// In this direction.
    fn towards(self, side: f64) -> Self {
        Self { least: side * self.least, middle: side * self.middle }
    }
}

/// By how much the step up to a row is larger than those around it say.
fn extra(motion: &[f64], i: usize) -> Extra {
    let none = Extra { least: 0.0, middle: 0.0 };
    if i < 3 || i + 2 >= motion.len() {
        return none;
    }
    let step = |k: usize| motion[k] - motion[k - 1];
    let own = step(i);
    let [a, b, c, d] = [i - 2, i - 1, i + 1, i + 2].map(step);
    let by = own - (4.0 * (b + c) - a - d) / 6.0;
    let bends = d - 2.0 * c + 2.0 * b - a;
    if bends.abs() < by.abs() {
        return Extra { least: by, middle: by };
    }
    let [before, after] = [0.5 * (a + b), 0.5 * (c + d)];
    let middle = own - 0.5 * (before + after);
    let least = if own > before.max(after) {
        own - before.max(after)
    } else if own < before.min(after) {
        own - before.min(after)
    } else {
        return none;
    };
    Extra { least, middle }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    /// How a device is moved.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Moved {
        BySines,
        /// By a triangle, and a spring that is strong enough to turn the force within a stroke.
        ByTriangle,
        /// The same with a weak one: the force turns with the motion.
        TurnedByTriangle,
    }

    const ALL: [Moved; 3] = [Moved::BySines, Moved::ByTriangle, Moved::TurnedByTriangle];
    /// How far a triangle moves from row to row.
    const STEP: f64 = 0.004_07;

    /// A spring and dry friction.
    fn record(play: f64, moved: Moved) -> (Vec<f64>, Vec<f64>) {
        let mut draws = Draws::new(7, 3);
        (0..4000)
            .map(|i| {
                let t = 0.02 * f64::from(i);
                let (x, v) = match moved {
                    Moved::BySines => {
                        (t.sin() + 0.3 * (2.7 * t).sin(), t.cos() + 0.81 * (2.7 * t).cos())
                    }
                    Moved::ByTriangle | Moved::TurnedByTriangle => {
                        let phase = (STEP * f64::from(i)).rem_euclid(2.0);
                        ((phase - 1.0).abs() - 0.5, if phase < 1.0 { -1.0 } else { 1.0 })
                    }
                };
                let spring = if moved == Moved::ByTriangle { 3.0 } else { 0.5 };
                let force = spring * x + v.signum();
                let seen = x + 0.5 * play * force.signum();
                (seen + 1e-4 * draws.normal(), force + 0.01 * draws.normal())
            })
            .unzip()
    }

    /// Its size is found to what the noise of a mean of jumps leaves, or to a part of the step from row to row where the motion turns there, and
    /// what is taken off is what was put on.
    #[test]
    fn play_is_found_and_taken_off() {
        for (moved, play, off_by) in [
            (Moved::BySines, 0.005, 2.5e-4),
            (Moved::ByTriangle, 0.005, 2.5e-4),
            (Moved::TurnedByTriangle, 0.02, 0.5 * STEP),
        ] {
            let (clean, _) = record(0.0, moved);
            let (seen, force) = record(play, moved);
            let found = Play::of(&seen, &force).unwrap();
            assert!((found.size - play).abs() < off_by, "{moved:?}: {}", found.size);
            let mut off = Cow::from(&seen);
            found.take_off(&mut off);
            let rest = 3e-4 + 0.5 * off_by;
            let far = off.iter().zip(&clean).filter(|(a, b)| (*a - *b).abs() > rest).count();
            assert!(far <= 3, "{moved:?}: {far}");
        }
    }

    /// No play is found where there is none: of sines and triangles, of a coarse encoder, and of one that holds its values; nor less than a
    /// triangle moves from row to row, which may be its turn.
    #[test]
    fn motions_that_do_not_jump_have_none() {
        for moved in ALL {
            let (x, force) = record(0.0, moved);
            assert_eq!(Play::of(&x, &force), None, "{moved:?}");
            let coarse: Vec<f64> = x.iter().map(|x| (200.0 * x).round() / 200.0).collect();
            assert_eq!(Play::of(&coarse, &force), None, "{moved:?}");
            let held: Vec<f64> = (0..x.len()).map(|i| x[i / 4 * 4]).collect();
            assert_eq!(Play::of(&held, &force), None, "{moved:?}");
        }
        let (x, force) = record(STEP, Moved::TurnedByTriangle);
        assert_eq!(Play::of(&x, &force), None);
    }
}

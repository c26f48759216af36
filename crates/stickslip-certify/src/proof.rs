//! Proofs that a function has one sign: chains of steps, and brackets that hold exactly one root.

use super::ball::{Ball, up};
use super::curve::Curve;
use super::near::{Near, Number};
use super::slip::refused;
use stickslip::error::{Error, Short};

/// One step of a proof: on [`from`, `to`] the derivative number `order` of a function is at least `least`; with `falls`, minus
/// that derivative is.
///
/// The function is the velocity relative to the support in the direction of a slip, or the distance of the load at rest from the limit on one side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProofStep {
    /// Start, s.
    pub from: f64,
    /// End, s.
    pub to: f64,
    /// 0: the function itself.
    pub order: usize,
    /// Whether minus the derivative is meant.
    pub falls: bool,
    /// The bound, greater than 0. With the midpoint c and h = (to − from)/2, |g(c)| − |g′(c)| h − ½ h² max |g″|.
    pub least: f64,
}

/// g = `sign`·(derivative number `base` of the curve) + `shift`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Positive<'a> {
    pub curve: &'a Curve,
    pub sign: f64,
    pub base: usize,
    pub shift: Ball,
}

/// Halvings after which a proof is given up.
const HALVINGS: usize = 60;
/// Steps of one arc after which it is.
const MOST_STEPS: usize = 5_000;

impl Positive<'_> {
    /// Derivatives `n` and `n` + 1 at `t`.
    pub fn two<N: Number>(&self, t: Ball, n: usize) -> [N; 2] {
        let sign = N::of(Ball::from(self.sign));
        let [g, h] = self.curve.two::<N>(t, self.base + n).map(|d| sign * d);
        [if n == 0 { g + N::of(self.shift) } else { g }, h]
    }

    /// The step over [`from`, `to`], if it proves something.
    pub fn step(&self, [from, to]: [f64; 2], order: usize, falls: bool) -> Option<ProofStep> {
        let centre = from + 0.5 * (to - from);
        let half = up((centre - from).max(to - centre));
        let [g, g1] = self.two::<Near>(Ball::from(centre), order);
        let value = if falls { Near::of(Ball::ZERO) - g } else { g };
        let second = self.curve.bound(self.base + order + 2, to);
        let least = (value.lower() - up(g1.size() * half + 0.5 * half * half * second)).next_down();
        (least > 0.0).then_some(ProofStep { from, to, order, falls, least })
    }

    /// The longest step of lengths halved from [`from`, `to`] that proves something, at the start or (`falls`) at the end.
    fn longest(
        &self,
        [from, to]: [f64; 2],
        falls: bool,
        highest: usize,
    ) -> Result<ProofStep, Error> {
        let mut length = to - from;
        for _ in 0..HALVINGS {
            let span =
                if falls { [(to - length).max(from), to] } else { [from, (from + length).min(to)] };
            if let Some(step) = (1..=highest).find_map(|n| self.step(span, n, falls)) {
                return Ok(step);
            }
            length *= 0.5;
        }
        Err(unproved(if falls { to } else { from }))
    }

    /// g > 0 in (`from`, `to`): with `rises` > 0 it is 0 at or after `from` and leaves it upwards by a derivative of that order at
    /// most, those before it being ≥ 0; with `falls` it has its root next to `to`, where it falls.
    pub fn chain(
        &self,
        [from, to]: [f64; 2],
        rises: usize,
        falls: bool,
    ) -> Result<Vec<ProofStep>, Error> {
        let mut steps = Vec::new();
        let mut open = from;
        if rises > 0 {
            let first = self.longest([from, to], false, rises)?;
            open = first.to;
            steps.push(first);
        }
        let last = if falls && open < to { Some(self.longest([open, to], true, 1)?) } else { None };
        let mut left = vec![[open, last.map_or(to, |l| l.from)]];
        while let Some([a, b]) = left.pop() {
            if a >= b {
                continue;
            }
            let middle = a + 0.5 * (b - a);
            match self.step([a, b], 0, false) {
                Some(step) => steps.push(step),
                None if middle <= a || middle >= b || steps.len() + left.len() > MOST_STEPS => {
                    return Err(unproved(a));
                }
                None => left.extend([[middle, b], [a, middle]]),
            }
        }
        steps.extend(last);
        Ok(steps)
    }

    /// The root next to `guess` (s): neighbouring doubles between which g falls through zero, the root itself, and −g′ there.
    pub fn root(&self, guess: f64) -> Result<([f64; 2], Ball, Ball), Error> {
        let [g, g1] = self.two::<Ball>(Ball::from(guess), 0);
        let middle = (Ball::from(guess) - g / g1).middle();
        let [g, g1] = self.two::<Ball>(middle, 0);
        let mut low = middle.value().next_down();
        let mut high = middle.value().next_up();
        let mut widen = high - low;
        for _ in 0..40 {
            let slope = g1.widened(up(up(high - low) * self.curve.bound(self.base + 2, high)));
            // The mean value theorem at both ends.
            let [above, below] = [low, high].map(|t| g + slope * (Ball::from(t) - middle));
            if slope.upper() < 0.0 && above.lower() > 0.0 && below.upper() < 0.0 {
                return Ok(([low, high], middle - g / slope, -slope));
            }
            (low, high, widen) = (low - widen, high + widen, 2.0 * widen);
        }
        Err(unproved(guess))
    }
}

/// The error of a proof that is not found.
pub(super) fn unproved(time: f64) -> Error {
    refused(&format!(
        "no proof was found near t = {} s; the load or the velocity may touch its limit there: end the run before",
        Short(time)
    ))
}

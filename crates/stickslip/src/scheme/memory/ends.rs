//! What ends a motion, and where.

use super::collocation::{Step, Unsolved};
use super::flow::Flow;

/// What ends a motion before the loads do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// The velocity turns.
    Turns,
    /// A part of the law leaves its region.
    Leaves(usize),
    /// The velocity changes over its decades faster than time is resolved.
    Leaps,
    /// Nothing: the list of steps is long enough.
    Pauses,
}

impl Ends {
    /// Of margin number `i`.
    fn of(i: usize) -> Self {
        i.checked_sub(1).map_or(Self::Turns, Self::Leaves)
    }
}

/// Parts of a step at whose ends the margins are looked at.
const LOOKS: usize = 10;
/// Halvings of a part in the search for a root.
const HALVINGS: usize = 60;
/// Corrections of a step whose end is an event.
const CORRECTIONS: usize = 8;

/// Looks for the ends of a motion in its steps, with room for that.
#[derive(Debug, Clone)]
pub(super) struct Search {
    /// The margins at the looks, look by look.
    margins: Vec<f64>,
    width: usize,
    y: Vec<f64>,
    at: Vec<f64>,
}

/// Where a margin ends, over the step.
#[derive(Debug, Clone, Copy)]
struct Root {
    which: usize,
    theta: f64,
}

impl Search {
    pub fn of(flow: &Flow<'_>, size: usize) -> Self {
        let width = 1 + flow.law.parts();
        Self {
            margins: vec![0.0; width * (LOOKS + 1)],
            width,
            y: vec![0.0; size],
            at: vec![0.0; width],
        }
    }

    fn margin(&mut self, flow: &Flow<'_>, step: &Step, theta: f64, which: usize) -> f64 {
        for (m, y) in self.y.iter_mut().enumerate() {
            *y = step.number(m, theta);
        }
        flow.margins(step.t + theta * step.h, &self.y, &mut self.at);
        self.at[which]
    }

    /// The first margin that ends inside `step`. At the start of a motion (`fresh`) a margin that begins at its end only ends
    /// again once it has been left.
    fn first(&mut self, flow: &Flow<'_>, step: &Step, fresh: bool) -> Option<Root> {
        for k in 0..=LOOKS {
            // All margins come from one state, and are kept for every search.
            let theta = k as f64 / LOOKS as f64;
            self.margin(flow, step, theta, 0);
            self.margins[k * self.width..(k + 1) * self.width].copy_from_slice(&self.at);
        }
        let mut first: Option<Root> = None;
        for which in 0..self.width {
            if let Some(theta) = self.root(flow, step, which, fresh)
                && first.is_none_or(|f| theta < f.theta)
            {
                first = Some(Root { which, theta });
            }
        }
        first
    }

    /// Where margin number `which` first falls below zero.
    fn root(&mut self, flow: &Flow<'_>, step: &Step, which: usize, fresh: bool) -> Option<f64> {
        let look = |s: &Self, k: usize| s.margins[k * s.width + which];
        let part = 1.0 / LOOKS as f64;
        // At the start of a motion a margin may lie below zero by rounding, and rise: only if it goes on
        // falling has it ended.
        if look(self, 0) < 0.0 && (!fresh || look(self, 1) < 0.0) {
            return Some(0.0);
        }
        for k in 1..=LOOKS {
            let a = look(self, k - 1);
            let b = look(self, k);
            if b < 0.0 {
                let from = part * (k - 1) as f64;
                let to = part * k as f64;
                // From the end of a margin it first rises: there is a top in between.
                let from = if a > 0.0 { from } else { self.top(flow, step, which, [from, to])? };
                return Some(self.halve(flow, step, which, [from, to]));
            }
            if k < LOOKS && b < a && b <= look(self, k + 1) {
                // A dip between the looks.
                let span = [part * (k - 1) as f64, part * (k + 1) as f64];
                if let Some(below) = self.dip(flow, step, which, span) {
                    return Some(self.halve(flow, step, which, [span[0], below]));
                }
            }
        }
        None
    }

    /// A place where the margin is positive between two at which it is not, or the first of them.
    fn top(
        &mut self,
        flow: &Flow<'_>,
        step: &Step,
        which: usize,
        [from, to]: [f64; 2],
    ) -> Option<f64> {
        // The margin leaves its end at the start of the part and soon ends again: the top lies near the start.
        let inside = |k: usize| from + (to - from) * 0.5f64.powi(k as i32);
        let found = (1..20).map(inside).find(|theta| self.margin(flow, step, *theta, which) > 0.0);
        found.or(Some(from))
    }

    /// A place inside a dip at which the margin is negative.
    fn dip(
        &mut self,
        flow: &Flow<'_>,
        step: &Step,
        which: usize,
        [mut a, mut b]: [f64; 2],
    ) -> Option<f64> {
        const GOLDEN: f64 = 0.381_966_011_250_105_1;
        let mut p = a + GOLDEN * (b - a);
        let mut q = b - GOLDEN * (b - a);
        let mut at = [p, q].map(|theta| self.margin(flow, step, theta, which));
        for _ in 0..24 {
            if at[0] < 0.0 {
                return Some(p);
            }
            if at[1] < 0.0 {
                return Some(q);
            }
            if at[0] < at[1] {
                b = q;
                q = p;
                p = a + GOLDEN * (b - a);
                at = [self.margin(flow, step, p, which), at[0]];
            } else {
                a = p;
                p = q;
                q = b - GOLDEN * (b - a);
                at = [at[1], self.margin(flow, step, q, which)];
            }
        }
        None
    }

    fn halve(
        &mut self,
        flow: &Flow<'_>,
        step: &Step,
        which: usize,
        [mut a, mut b]: [f64; 2],
    ) -> f64 {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (a + b);
            if middle <= a || middle >= b {
                break;
            }
            // The end is where the margin is below zero, so that the next motion need not find it again.
            if self.margin(flow, step, middle, which) < 0.0 { b = middle } else { a = middle }
        }
        b
    }

    /// What ends the motion inside `step`, which is then made anew so that it ends there.
    ///
    /// # Errors
    /// If the shortened step is not solved.
    pub fn end(
        &mut self,
        flow: &Flow<'_>,
        step: &mut Step,
        fresh: bool,
    ) -> Result<Option<Ends>, Unsolved> {
        let Some(Root { which, theta }) = self.first(flow, step, fresh) else { return Ok(None) };
        let whole = step.h;
        // It was over before it began.
        if theta == 0.0 {
            step.h = 0.0;
            return Ok(Some(Ends::of(which)));
        }
        // Newton's method on the step itself has this slope of the polynomials for all of its corrections.
        let about = 1e-4 * theta;
        let [before, after] =
            [theta - about, theta + about].map(|theta| self.margin(flow, step, theta, which));
        let slope = (after - before) / (2.0 * about * whole);
        let mut h = theta * whole;
        let mut last = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            let guess = step.clone();
            // Solved anew with the new length, since polynomials of a longer step would leave their error at
            // the event.
            step.make(h, Some(&guess), flow)?;
            let margin = self.margin(flow, step, 1.0, which);
            let change = -margin / slope;
            // Newton's corrections fall until rounding makes them.
            if !change.is_finite() || change.abs() >= 0.5 * last || change == 0.0 {
                break;
            }
            last = change.abs();
            if last <= 4.0 * f64::EPSILON * h || (h + change) <= 0.0 || h + change > 2.0 * whole {
                break;
            }
            h += change;
        }
        Ok(Some(Ends::of(which)))
    }
}

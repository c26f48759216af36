//! What rubs and what pushes in a step: rows that act on each other.

use crate::law::Law;
use crate::numeric::invert;

/// What a slider brings to a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rub<'a> {
    pub law: &'a Law,
    /// The step times what the numbers of the law are multiplied by, s or N·s.
    pub weight: f64,
    /// How long it has rested at the end of the step if it rests, s.
    pub age: f64,
    /// Its sliding speed before, m/s, and which way it slid.
    pub before: f64,
    pub was: i8,
}

/// What a row asks of its velocity r and of the impulse p along it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asked<'a> {
    /// −p is the friction at r, times the step.
    Rubs(Rub<'a>),
    /// r ≥ 0, p ≥ 0, and one of them vanishes.
    Pushes,
}

/// Where a slider is whose law holds more at rest than it drags with.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Turn {
    /// By its limit.
    Held,
    /// By its friction in motion: it slid that way before.
    Slides(i8),
    /// The same, broken away in this step.
    Free,
}

/// The rows of a step: r = W p + q.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    /// W, by rows.
    pub compliance: Vec<f64>,
    pub q: Vec<f64>,
    /// The impulses, N·s; where the search begins, then what was found.
    pub p: Vec<f64>,
    /// The velocities, m/s.
    pub r: Vec<f64>,
    turn: Vec<Turn>,
}

impl Rows {
    /// Finds p and r for what is `asked`; whether they were found. Sliders whose law holds more at rest than in motion go by the
    /// rule of the other schemes: one at rest is held by its limit, one that slides drags with its friction; one that would stop
    /// or turn is held by its limit from there on, and only when no other does are those that broke away released, all together.
    pub fn solve(&mut self, asked: &[Asked<'_>]) -> bool {
        self.turn.clear();
        self.turn.extend(asked.iter().map(|a| match a {
            Asked::Rubs(rub) if rub.was != 0 => Turn::Slides(rub.was),
            _ => Turn::Held,
        }));
        self.r.clear();
        self.r.resize(asked.len(), 0.0);
        let mut solved = self.sweep(asked);
        // Each slider changes twice at most, so that the rounds come to an end.
        while self.stop(asked) || self.release(asked) {
            solved = self.sweep(asked);
        }
        solved
    }

    /// Holds what has stopped or turned; whether any has turned, so that the solution is no longer one.
    fn stop(&mut self, asked: &[Asked<'_>]) -> bool {
        let mut turned = false;
        for (e, turn) in self.turn.iter_mut().enumerate() {
            let Turn::Slides(was) = *turn else { continue };
            if is_rule(&asked[e]) && sign(self.r[e]) != was {
                turned |= sign(self.r[e]) == -was;
                *turn = Turn::Held;
            }
        }
        turned
    }

    /// Lets what has broken away go on with the friction of its motion; whether any has.
    fn release(&mut self, asked: &[Asked<'_>]) -> bool {
        let mut released = false;
        for (e, turn) in self.turn.iter_mut().enumerate() {
            if is_rule(&asked[e]) && *turn == Turn::Held && self.r[e] != 0.0 {
                released = true;
                *turn = Turn::Free;
            }
        }
        released
    }

    /// Gauss–Seidel sweeps, each row by its own law; every now and then what is held is balanced at once. Whether nothing
    /// changes any more.
    fn sweep(&mut self, asked: &[Asked<'_>]) -> bool {
        let m = asked.len();
        for sweep in 0..MOST_SWEEPS {
            let mut settled = true;
            for (e, asked) in asked.iter().enumerate() {
                let row = &self.compliance[e * m..(e + 1) * m];
                let own = row[e];
                let mut free = self.q[e];
                let mut size = free.abs();
                for (f, (w, p)) in row.iter().zip(&self.p).enumerate() {
                    if f != e {
                        free += w * p;
                        size += (w * p).abs();
                    }
                }
                let r = answer(asked, self.turn[e], free, own);
                let p = if own > 0.0 { (r - free) / own } else { given(asked, r) };
                settled &= own * (p - self.p[e]).abs() <= SETTLED * (size + own * p.abs());
                (self.r[e], self.p[e]) = (r, p);
            }
            if settled {
                return true;
            }
            if sweep % BALANCES == BALANCES - 1 {
                self.balance(asked);
            }
        }
        false
    }

    /// Takes away the velocities of everything that is held, by one solution for all of it. What is found is a proposal: the
    /// sweeps that follow judge it.
    fn balance(&mut self, asked: &[Asked<'_>]) {
        let m = asked.len();
        let holds = |e: &usize| match asked[*e] {
            Asked::Rubs(rub) => self.r[*e] == 0.0 && rub.weight > 0.0,
            Asked::Pushes => self.p[*e] > 0.0,
        };
        let held: Vec<usize> = (0..m).filter(holds).collect();
        let n = held.len();
        let mut block = Vec::with_capacity(n * n);
        for e in &held {
            block.extend(held.iter().map(|f| self.compliance[e * m + f]));
        }
        let Some(inverse) = invert(block, n) else { return };
        let row = |e: usize| &self.compliance[e * m..(e + 1) * m];
        let left: Vec<f64> = held
            .iter()
            .map(|&e| self.q[e] + row(e).iter().zip(&self.p).map(|(w, p)| w * p).sum::<f64>())
            .collect();
        let size = self.p.iter().fold(0.0, |m: f64, p| m.max(p.abs()));
        let step: Vec<f64> =
            (0..n).map(|i| -(0..n).map(|j| inverse[i * n + j] * left[j]).sum::<f64>()).collect();
        // Rows that others make up have an inverse of rounding.
        if step.iter().all(|s| s.abs() <= 10.0 * size) {
            held.iter().zip(step).for_each(|(e, s)| self.p[*e] += s);
        }
    }
}

/// The velocity of a row that moves at `free` without its own impulse, which changes it by `own` times itself.
fn answer(asked: &Asked<'_>, turn: Turn, free: f64, own: f64) -> f64 {
    let Asked::Rubs(rub) = asked else { return free.max(0.0) };
    let lambda = own * rub.weight;
    if lambda <= 0.0 {
        return free;
    }
    if !rub.law.is_rule() {
        return rub.law.step(free, lambda, rub.age, rub.before).w;
    }
    match turn {
        Turn::Held => {
            let side = 1f64.copysign(free);
            let most = lambda * rub.law.limit(side, rub.age);
            if free.abs() <= most { 0.0 } else { free - side * most }
        }
        Turn::Slides(_) | Turn::Free => rub.law.slide(free, lambda, rub.before).w,
    }
}

/// The impulse of a row that no impulse moves, because all of its motion is given.
fn given(asked: &Asked<'_>, r: f64) -> f64 {
    match asked {
        Asked::Rubs(rub) if r != 0.0 => {
            let side = r.signum();
            -side * rub.weight * rub.law.force(side, r.abs())
        }
        _ => 0.0,
    }
}

fn is_rule(asked: &Asked<'_>) -> bool {
    matches!(asked, Asked::Rubs(rub) if rub.law.is_rule())
}

/// −1, 0 or 1.
pub(super) fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// An impulse is settled where it changes by less than this share of what makes it.
const SETTLED: f64 = 1e-15;
/// Sweeps between two balances, and after which the search is given up.
const BALANCES: usize = 16;
const MOST_SWEEPS: usize = 4000;

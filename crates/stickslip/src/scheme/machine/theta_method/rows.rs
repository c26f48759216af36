//! What rubs and what pushes in a step: rows that act on each other.

use super::bristles::{Bend, Laws};
use crate::model::machine::GearFriction;
use crate::numeric::invert_into;
use crate::scheme::two_phases::Stage;

/// What a slider brings to a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rub {
    /// Its number.
    pub slider: usize,
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
pub(super) enum Asked {
    /// −p is the friction at r, times the step.
    Rubs(Rub),
    /// The same by a law with memory.
    Bends(Bend),
    /// −p is the friction of the gear of this number among [`Rows::grips`].
    Grips(usize),
    /// r ≥ 0, p ≥ 0, and one of them vanishes.
    Pushes,
}

/// A gear in a step: its friction is f₀ + μ |T|, and T follows from the impulses of all rows.
#[derive(Debug, Clone)]
pub(super) struct Grip {
    pub friction: GearFriction,
    /// s.
    pub h: f64,
    /// T without the impulses, N, and what each of them adds to it, 1/s.
    pub load: f64,
    pub by: Vec<f64>,
}

impl Grip {
    /// T under these impulses, N.
    pub fn handed(&self, p: &[f64]) -> f64 {
        self.load + self.by.iter().zip(p).map(|(b, p)| b * p).sum::<f64>()
    }

    /// The greatest impulse of the friction against a motion to `side` under the load `t` (N).
    fn most(&self, side: f64, t: f64) -> f64 {
        self.h * (self.friction.force + self.friction.coefficient(side) * t.abs())
    }

    /// The velocity of row `e`, which moves at `free` without its own impulse and is changed by `own` times it, and that impulse.
    /// There is one motion where h μ |B| < 1, B being what its impulse adds to T.
    fn answer(&self, e: usize, p: &[f64], [free, own]: [f64; 2]) -> [f64; 2] {
        let b = self.by[e];
        let load = self.handed(p) - b * p[e];
        let held = -free / own;
        let t = load + b * held;
        if -self.most(1.0, t) <= held && held <= self.most(-1.0, t) {
            return [0.0, held];
        }
        let side = 1f64.copysign(free);
        for side in [side, -side] {
            let p = self.drag(side, load, b);
            let r = free + own * p;
            if r * side > 0.0 {
                return [r, p];
            }
        }
        // Between rest and slip by rounding.
        [0.0, held]
    }

    /// The impulse of the friction where the gear slides to `side` and T = `load` + `b` p.
    fn drag(&self, side: f64, load: f64, b: f64) -> f64 {
        let GearFriction { force, .. } = self.friction;
        let mu = self.friction.coefficient(side);
        // p = −s h (f₀ + μ σ T) for either sign σ of T.
        let of = |sign: f64| {
            let slope = side * self.h * mu * sign;
            (-side * self.h * force - slope * load) / (1.0 + slope * b)
        };
        let [up, down] = [of(1.0), of(-1.0)];
        // The sign that agrees with itself; by rounding neither may, next to T = 0.
        if load + b * up >= -(load + b * down) { up } else { down }
    }
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
    /// The gears with friction.
    pub grips: Vec<Grip>,
    /// What a row has no rule for is held.
    stage: Vec<Stage<i8>>,
    /// Where each row would move without its own impulse when it was answered last, in bits, and by which formula.
    answered: Vec<Option<(u64, Stage<i8>)>>,
    block: Block,
}

/// What is held, for a balance of all of it.
#[derive(Debug, Clone, Default)]
struct Block {
    held: Vec<usize>,
    /// W of these rows, which its inversion destroys, and the inverse.
    compliance: Vec<f64>,
    inverse: Vec<f64>,
    /// The velocity that each has, m/s, and what takes it away, N·s.
    left: Vec<f64>,
    step: Vec<f64>,
}

impl Rows {
    /// Finds p and r for what is `asked`; whether they were found. Sliders whose law holds more at rest than in motion go by the
    /// rule of [two phases](crate::scheme::two_phases).
    pub fn solve(&mut self, asked: &[Asked], laws: &Laws<'_>) -> bool {
        self.stage.clear();
        self.stage.extend(asked.iter().map(|a| match a {
            Asked::Rubs(rub) => Stage::after(rub.was),
            _ => Stage::Held,
        }));
        self.r.clear();
        self.r.resize(asked.len(), 0.0);
        self.answered.clear();
        self.answered.resize(asked.len(), None);
        let mut solved = self.sweep(asked, laws);
        self.rest(asked, laws);
        while self.stop(asked, laws) || self.release(asked, laws) {
            solved = self.sweep(asked, laws);
            self.rest(asked, laws);
        }
        solved
    }

    /// Takes away the velocities of rounding. Where sliders that hold the same masses share a load, the sweeps may leave one of them at its
    /// limit, moving by the rounding of what the others do; it would break away and drag with less than it holds.
    fn rest(&mut self, asked: &[Asked], laws: &Laws<'_>) {
        let m = asked.len();
        for (e, asked) in asked.iter().enumerate() {
            if self.stage[e] == Stage::Held && self.r[e] != 0.0 && is_rule(asked, laws) {
                let row = &self.compliance[e * m..(e + 1) * m];
                let terms = row.iter().zip(&self.p).map(|(w, p)| (w * p).abs());
                if self.r[e].abs() <= STILL * (self.q[e].abs() + terms.sum::<f64>()) {
                    self.r[e] = 0.0;
                }
            }
        }
    }

    /// Holds what has stopped or turned; whether any has turned, so that the solution is no longer one.
    fn stop(&mut self, asked: &[Asked], laws: &Laws<'_>) -> bool {
        let mut turned = false;
        for (e, stage) in self.stage.iter_mut().enumerate() {
            let now = sign(self.r[e]);
            if stage.stops(now) && is_rule(&asked[e], laws) {
                turned |= stage.turns(now);
                *stage = Stage::Held;
            }
        }
        turned
    }

    /// Lets what has broken away go on with the friction of its motion; whether any has.
    fn release(&mut self, asked: &[Asked], laws: &Laws<'_>) -> bool {
        let mut released = false;
        for (e, stage) in self.stage.iter_mut().enumerate() {
            if stage.breaks_away(sign(self.r[e])) && is_rule(&asked[e], laws) {
                released = true;
                *stage = Stage::BrokenAway;
            }
        }
        released
    }

    /// Gauss–Seidel sweeps, each row by its own law; every now and then what is held is balanced at once. Whether nothing
    /// changes any more.
    fn sweep(&mut self, asked: &[Asked], laws: &Laws<'_>) -> bool {
        let m = asked.len();
        let fastest = self.q.iter().fold(0.0, |m: f64, q| m.max(q.abs()));
        for sweep in 0..MOST_SWEEPS {
            let mut settled = true;
            // Late, velocities are compared with the greatest one, too: rows that hold the same mass disagree by its rounding.
            let [most, largest] =
                if sweep < LONG { [SETTLED, 0.0] } else { [NEARLY_SETTLED, fastest] };
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
                // A law is costly to ask, and the last sweeps change few rows.
                let question = Some((free.to_bits(), self.stage[e]));
                let [r, p] = if let Asked::Grips(g) = asked {
                    self.grips[*g].answer(e, &self.p, [free, own])
                } else {
                    let r = if self.answered[e] == question {
                        self.r[e]
                    } else {
                        answer(asked, laws, self.stage[e], [free, own])
                    };
                    self.answered[e] = question;
                    [r, if own > 0.0 { (r - free) / own } else { given(asked, laws, r) }]
                };
                settled &=
                    own * (p - self.p[e]).abs() <= most * (size + own * p.abs()).max(largest);
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
    fn balance(&mut self, asked: &[Asked]) {
        let m = asked.len();
        let mut block = std::mem::take(&mut self.block);
        let Block { held, compliance, inverse, left, step } = &mut block;
        let holds = |e: &usize| match asked[*e] {
            Asked::Rubs(rub) => self.r[*e] == 0.0 && rub.weight > 0.0,
            // A bristle gives way however little it is pushed.
            Asked::Bends(_) => false,
            Asked::Grips(_) => self.r[*e] == 0.0,
            Asked::Pushes => self.p[*e] > 0.0,
        };
        held.clear();
        held.extend((0..m).filter(holds));
        let n = held.len();
        compliance.clear();
        for e in &*held {
            compliance.extend(held.iter().map(|f| self.compliance[e * m + f]));
        }
        if invert_into(compliance, n, inverse) {
            let row = |e: usize| &self.compliance[e * m..(e + 1) * m];
            left.clear();
            left.extend(
                held.iter().map(|&e| {
                    self.q[e] + row(e).iter().zip(&self.p).map(|(w, p)| w * p).sum::<f64>()
                }),
            );
            let size = self.p.iter().fold(0.0, |m: f64, p| m.max(p.abs()));
            step.clear();
            step.extend((0..n).map(|i| -(0..n).map(|j| inverse[i * n + j] * left[j]).sum::<f64>()));
            // Rows that others make up have an inverse of rounding.
            if step.iter().all(|s| s.abs() <= 10.0 * size) {
                held.iter().zip(&*step).for_each(|(e, s)| self.p[*e] += s);
            }
        }
        self.block = block;
    }
}

/// The velocity of a row that moves at `free` without its own impulse, which changes it by `own` times itself.
fn answer(asked: &Asked, laws: &Laws<'_>, stage: Stage<i8>, [free, own]: [f64; 2]) -> f64 {
    let rub = match asked {
        Asked::Rubs(rub) => rub,
        Asked::Bends(bend) => return laws.slides(bend, [free, own]),
        // A gear has an answer of its own: see [`Grip::answer`].
        Asked::Pushes | Asked::Grips(_) => return free.max(0.0),
    };
    let lambda = own * rub.weight;
    if lambda <= 0.0 {
        return free;
    }
    let law = laws.of(rub.slider);
    if !law.is_rule() {
        return law.step(free, lambda, rub.age, rub.before).w;
    }
    match stage {
        Stage::Held => {
            let side = 1f64.copysign(free);
            let most = lambda * law.limit(side, rub.age);
            if free.abs() <= most { 0.0 } else { free - side * most }
        }
        Stage::Slides(_) | Stage::BrokenAway => law.slide(free, lambda, rub.before).w,
    }
}

/// The impulse of a row that no impulse moves, because all of its motion is given.
fn given(asked: &Asked, laws: &Laws<'_>, r: f64) -> f64 {
    match asked {
        Asked::Rubs(rub) if r != 0.0 => {
            let side = r.signum();
            -side * rub.weight * laws.of(rub.slider).force(side, r.abs())
        }
        Asked::Bends(bend) => -bend.weight * laws.bent(bend, r),
        _ => 0.0,
    }
}

fn is_rule(asked: &Asked, laws: &Laws<'_>) -> bool {
    matches!(asked, Asked::Rubs(rub) if laws.of(rub.slider).is_rule())
}

/// −1, 0 or 1.
pub(super) fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// An impulse is settled where it changes by less than this share of what makes it.
const SETTLED: f64 = 1e-15;
/// The same after [`LONG`] sweeps: the velocities of curved laws are right to a few roundings, and sweeps may go round among these.
const NEARLY_SETTLED: f64 = 1e-13;
const LONG: usize = 200;
/// A velocity below this share of its terms is rounding, and what the sweeps have left.
const STILL: f64 = 1e-13;
/// Sweeps between two balances, and after which the search is given up.
const BALANCES: usize = 16;
const MOST_SWEEPS: usize = 4000;

//! Solution sets of ill-posed problems (Schatzman, Lamarque, Bastien 1999).
//!
//! Where a contact holds more at rest than in motion, the inclusion
//!
//! ```text
//! m ẍ + σ(ẋ) h(t − b(t, ẋ)) ∋ f(t, x, ẋ)
//! ```
//!
//! can be satisfied both by staying and by leaving: at each step of the scheme (27) there at
//! which h(0) < |p|/λ ≤ h(age). The rule of the other schemes, stick as long as the limit allows,
//! picks one solution; here all are listed.

use crate::error::{Error, Obstacle};
use crate::grid::step_count;
use crate::law::Law;
use crate::model::{Forces, Oscillator};
use crate::motion::{State, Trajectory};
use crate::scheme::oscillator::adaptive::{self, Options};
use crate::signal::Signal;

/// A discrete solution: at which steps it left although it could have stayed, or stayed.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// n of the first value Z_n ≠ 0 after each departure that was a choice.
    pub leaves: Vec<usize>,
    /// (X_n, V_n), n = 0 … N.
    pub states: Vec<State>,
}

/// All discrete solutions, in the order of their departures, latest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// δ, s.
    pub step: f64,
    /// The solutions.
    pub members: Vec<Member>,
    /// Whether there are more than the limit that was passed.
    pub truncated: bool,
}

/// All solutions of the implicit scheme (27) on [0, `end`] with steps `step`, at most `limit`.
///
/// # Errors
/// If a number is outside its range, or a signal too short.
pub fn discrete(o: &Oscillator, end: f64, step: f64, limit: usize) -> Result<Family, Error> {
    o.check_until(end)?;
    if o.has_rigid_stops() {
        let what = "the set of all solutions of the implicit scheme";
        let reason = Obstacle::RigidStops.to_string();
        return Err(Error::NotOffered { what, reason });
    }
    let count = step_count(end, step)?;
    let start = Node {
        n: 0,
        u: State::from(o.initial),
        since: 0.0,
        leaves: Vec::new(),
        states: Vec::new(),
    };
    let mut waiting = vec![start];
    let mut family = Family { step, members: Vec::new(), truncated: false };
    while let Some(mut node) = waiting.pop() {
        if family.members.len() == limit {
            family.truncated = true;
            break;
        }
        node.states.push(node.u);
        let mut forces = Forces::new(o);
        while node.n < count {
            let branches = node.advance(o, &mut forces, step);
            // Depth first: the branches that left wait, so the latest departures come first.
            for other in branches {
                if waiting.len() + family.members.len() < limit + 1 {
                    waiting.push(other);
                } else {
                    family.truncated = true;
                }
            }
            node.states.push(node.u);
        }
        family.members.push(Member { leaves: node.leaves, states: node.states });
    }
    Ok(family)
}

/// A solution in the making.
#[derive(Clone)]
struct Node {
    n: usize,
    u: State,
    since: f64,
    leaves: Vec<usize>,
    states: Vec<State>,
}

impl Node {
    /// One step of (27); where both staying and leaving solve it, this stays and the others leave.
    fn advance(&mut self, o: &Oscillator, forces: &mut Forces<'_>, h: f64) -> Vec<Node> {
        let t = self.n as f64 * h;
        let next = (self.n + 1) as f64 * h;
        let w = self.u.v - o.support.value(t);
        let (loading, d) = forces.loading(next);
        let mass = o.mass + h * (o.damping + h * o.stiffness);
        let b = loading + forces.nonlinear(d, self.u.x, self.u.v, next) - o.stiffness * self.u.x;
        let support = forces.support(next);
        let p = (o.mass * self.u.v + h * b) / mass - support;
        let lambda = h / mass * forces.normal(self.u.x, next);
        let age = if w == 0.0 { next - self.since } else { 0.0 };
        let stay = o.friction.step(p, lambda, age, w).w;
        let mut others = slides(&o.friction, p, lambda);
        others
            .retain(|slide| (slide - stay).abs() > 1e-9 * slide.abs() && slide * p > 1e-12 * p * p);
        // Friction that weakens may let a contact slide on that could rest as well.
        if stay != 0.0 && p.abs() <= lambda * o.friction.limit(p, age) {
            others.push(0.0);
        }
        let others = others.into_iter().map(|slide| {
            let mut left = self.clone();
            // A choice between two ways of sliding is no departure.
            if stay == 0.0 {
                left.leaves.push(self.n + 1);
            }
            left.arrive(next, slide + support, slide, w, h);
            left
        });
        let others = others.collect();
        self.arrive(next, stay + support, stay, w, h);
        others
    }

    fn arrive(&mut self, t: f64, v: f64, w: f64, before: f64, h: f64) {
        if w == 0.0 && before != 0.0 {
            self.since = t;
        }
        self.u = State { x: self.u.x + h * v, v };
        self.n += 1;
    }
}

/// Speeds below this share of the largest are rest.
const SLOWEST: f64 = 1e-12;

/// Parts of the speeds that are looked at before all that are left are taken for monotone, whatever the bounds say: friction
/// that falls exactly as fast as p − w has bounds that decide nothing however short the part.
const MOST_PARTS: usize = 10_000;

/// All velocities w ≠ 0 with w + λ f(w) = p, where f is the friction while sliding: with the sign of p, and no larger. One for
/// friction that does not depend on the velocity; where it weakens fast enough there may be several.
///
/// Where the bounds of f′ leave p − w − λ f(w) monotone there is one root between ends of different sign, and none otherwise;
/// where they do not, each half of the speeds is looked at in turn.
fn slides(law: &Law, p: f64, lambda: f64) -> Vec<f64> {
    let size = p.abs();
    if size == 0.0 {
        return Vec::new();
    }
    if law.slope_range(p, 0.0, size) == (0.0, 0.0) {
        return vec![p - (lambda * law.force(p, 0.0)).copysign(p)];
    }
    let left = |speed: f64| size - lambda * law.force(p, speed) - speed;
    let slowest = SLOWEST * size;
    let mut found = Vec::new();
    // In the order of the speeds, slowest first.
    let mut waiting = vec![[slowest, size]];
    let mut parts = 0;
    while let Some([low, high]) = waiting.pop() {
        parts += 1;
        let (least, most) = law.slope_range(p, low, high);
        let is_monotone = 1.0 + lambda * least >= 0.0 || 1.0 + lambda * most <= 0.0;
        let is_short = high - low <= 4.0 * f64::EPSILON * high || parts > MOST_PARTS;
        if !is_monotone && !is_short {
            // Friction weakens over decades of speed, which halves in the logarithm share out evenly.
            let middle = low.sqrt() * high.sqrt();
            waiting.extend([[middle, high], [low, middle]]);
            continue;
        }
        let falls = left(low) > 0.0;
        if falls == (left(high) > 0.0) {
            continue;
        }
        let speed = halved(low, high, |speed| (left(speed) > 0.0) == falls);
        found.push(speed.copysign(p));
    }
    found
}

/// Where, between two speeds, what is true of the lower one ceases to be true.
fn halved(mut low: f64, mut high: f64, as_low: impl Fn(f64) -> bool) -> f64 {
    while high - low > 4.0 * f64::EPSILON * high {
        let middle = 0.5 * (low + high);
        *(if as_low(middle) { &mut low } else { &mut high }) = middle;
    }
    0.5 * (low + high)
}

/// The member of the continuous family that stays until `u` (s) and then leaves, if sliding friction
/// lets it: y_u of Schatzman, Lamarque, Bastien 1999, (20).
///
/// # Errors
/// As the scheme `adaptive`.
pub fn leaving_at(o: &Oscillator, end: f64, u: f64, options: Options) -> Result<Trajectory, Error> {
    adaptive::solve(o, end, options.leaving_at(u))
}

/// One line of the jump in ε: the end state with the force f + ε.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jump {
    /// ε, N.
    pub epsilon: f64,
    /// State at the end of the run.
    pub end: State,
}

/// The end state for f + ε, each ε of `epsilons` (N): continuous data, discontinuous solution.
///
/// # Errors
/// As the scheme `adaptive`.
pub fn jump(
    o: &Oscillator,
    end: f64,
    epsilons: &[f64],
    options: Options,
) -> Result<Vec<Jump>, Error> {
    let one = |&epsilon: &f64| {
        let path = adaptive::solve(&perturbed(o, epsilon), end, options)?;
        Ok(Jump { epsilon, end: path.state(end) })
    };
    epsilons.iter().map(one).collect()
}

/// The same oscillator with the force f + ε.
pub fn perturbed(o: &Oscillator, epsilon: f64) -> Oscillator {
    let mut p = o.clone();
    p.force = p.force + Signal::constant(epsilon);
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of w + 4/(1 + w) = p there are no roots for p < 3, one for p > 4, two between: those of a quadratic equation.
    #[test]
    fn velocities_however_near_each_other_are_found() {
        let law = Law::stribeck(0.0, 0.0, 1.0, 4.0).unwrap();
        assert!(slides(&law, 3.0 - 1e-6, 1.0).is_empty());
        assert_eq!(slides(&law, 5.0, 1.0).len(), 1);
        for beyond in [1e-9f64, 1e-6, 1e-3, 0.5] {
            let half = 0.5 * (2.0 + beyond);
            let apart = 0.5 * (8.0 * beyond + beyond * beyond).sqrt();
            for side in [1.0, -1.0] {
                let found = slides(&law, side * (3.0 + beyond), 1.0);
                assert_eq!(found.len(), 2, "{beyond}: {found:?}");
                for (found, exact) in found.iter().zip([half - apart, half + apart]) {
                    assert!((side * found - exact).abs() < 1e-10, "{beyond}: {found} {exact}");
                }
            }
        }
    }
}

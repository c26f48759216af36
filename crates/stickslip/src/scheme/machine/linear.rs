//! The steps of `exact`: between two events a machine of linear parts is u̇ = A u + b(t), and is followed to rounding.
//!
//! A step is collocation at Radau's seven nodes. Its equations are linear and are solved at once. Its polynomials of degree 7 are the
//! motion to some 10⁻¹⁵ where it is no longer than a seventh of 1/ρ, ρ the largest modulus of an eigenvalue of A, or the frequency of the
//! fastest load if that is greater: nothing in the motion is faster. Where the fast parts have died out or were never excited, which
//! the last coefficients of the polynomials show, steps are longer by powers of two, of which the factors are kept.
//!
//! No step ends at an event or where a signal bends. It reaches beyond it, along the equations that hold before it, and only the part up to
//! there is used. So steps have few lengths, whose factors are made once, and the search for an event needs no further steps.

use super::System;
use super::dormand_prince::Dense;
use super::flow::{Flow, Instant};
use super::guards::{Ends, Search, Stepper};
use crate::error::{Error, Obstacle};
use crate::model::Machine;
use crate::model::machine::{Curve, FeedForward};
use crate::motion::{Poly, TERMS};
use crate::numeric::{Matrix, dot, lu};
use crate::portable;
use crate::scheme::collocation::{NODES, RADAU, antiderivatives};
use crate::scheme::event_loop::{Failure, Hit};
use crate::signal::Signal;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Its name in errors.
pub(super) const SCHEME: &str = "exact";

/// A step of this share of 1/ρ describes what oscillates with ρ to some 10⁻¹⁵ by polynomials of degree 7.
pub(super) const RESOLVES: f64 = 0.14;
/// The coefficients of P₆ and P₅ in the rates of such a step, over the size of the motion and the length of the step.
const LAST: f64 = 1.6e-12;
const BEFORE: f64 = 2.5e-10;
/// A step whose coefficients are this share of those may be twice as long: the sixth one grows with the seventh power.
pub(super) const SPARE: f64 = 0.005;
/// Powers of two by which a step may be longer or shorter.
pub(super) const MOST_DOUBLINGS: i32 = 60;
/// The end of a flight in the first part of a step is looked for in a shorter one, in which its height is no rounding.
const EARLY: f64 = 1.0 / 16.0;
/// The greatest h ρ of steps that are solved by inserting; longer ones take factors of a matrix of seven times the numbers of the state.
pub(super) const ITERATES: f64 = 0.6;
/// What is left of the first error then: far below rounding, since the state may have other sizes than the modes.
const LEFT: f64 = 1e-20;
/// Modes that are kept, and factors of each.
const KEPT: usize = 16;
const KEPT_FACTORS: usize = 4;

/// What of `machine` is not linear between events, as a clause; `None` where everything is.
pub(crate) fn obstacle(machine: &Machine) -> Option<&'static str> {
    let by_speed = machine.frictions().iter().any(|f| f.law.constants().is_none());
    let feeds = |f: &FeedForward| !matches!(f, FeedForward::Sign { .. });
    let mut laws = machine.controllers().iter().map(|c| &c.law);
    if machine.has_memory() {
        Some("the friction of a slider has memory")
    } else if by_speed {
        Some("the friction of a slider depends on the speed or the time at rest")
    } else if machine.springs().iter().any(|s| is_curved(&s.curve)) {
        Some("the force of a spring bends with its elongation")
    } else if laws.any(|law| law.feed_forward.as_ref().is_some_and(feeds)) {
        Some("a controller feeds forward a friction that depends on the speed")
    } else if machine.signals().any(Signal::has_functions) {
        Some("a load is a function without a closed form")
    } else {
        None
    }
}

/// Whether the pull of a spring is not linear on its pieces.
pub(super) fn is_curved(curve: &Curve) -> bool {
    match curve {
        Curve::Powers(powers) => powers.iter().skip(1).any(|k| *k != 0.0),
        Curve::Sine { .. } => true,
        Curve::Table(_) => false,
        Curve::Play { beyond, .. } => is_curved(beyond),
    }
}

/// Refuses what is not linear.
pub(super) fn check(machine: &Machine) -> Result<(), Error> {
    match obstacle(machine) {
        None => Ok(()),
        Some(part) => {
            let schemes = "`adaptive` treats it, and most machines `implicit-euler` and `theta`";
            let reason = Obstacle::Part { part, schemes };
            Err(Error::Unsuitable { scheme: SCHEME, reason })
        }
    }
}

/// A of a mode, and the steps that were made with it.
#[derive(Debug, Clone)]
struct Known {
    status: Box<[i8]>,
    pieces: Box<[u32]>,
    /// By rows.
    a: Vec<f64>,
    /// The largest modulus of its eigenvalues, 1/s.
    radius: f64,
    /// The length of a step that resolves everything, s.
    base: f64,
    /// The power of two by which the last step was longer, and the greatest that does not pass over a wave of a load.
    doublings: i32,
    most: i32,
    /// The factors of steps that are longer by these powers of two; none where the matrix is singular.
    factors: BTreeMap<i32, Option<Factors>>,
}

/// The factors of 1 − h a ⊗ A, by nodes and then by numbers of the state; A may differ from node to node.
#[derive(Debug, Clone)]
pub(super) struct Factors {
    lu: Vec<f64>,
    pivots: Vec<usize>,
}

/// What a run by `exact` keeps from motion to motion.
#[derive(Debug, Clone, Default)]
pub(super) struct Linear {
    /// The fastest load, rad/s.
    fastest: f64,
    known: Vec<Known>,
}

impl Linear {
    /// For this machine.
    pub fn of(machine: &Machine) -> Self {
        let fastest = machine.signals().map(Signal::fastest).fold(0.0, f64::max);
        Self { fastest, known: Vec::new() }
    }

    /// The mode of `flow`, whose steps need not be longer than `longest` (s).
    fn mode(&mut self, flow: &Flow<'_>, at: &mut Instant, t: f64, longest: f64) -> &mut Known {
        let own = |k: &Known| k.status[..] == *flow.mode.status && k.pieces[..] == *flow.pieces;
        let place = match self.known.iter().position(own) {
            Some(place) => place,
            None => {
                if self.known.len() == KEPT {
                    self.known.remove(0);
                }
                self.known.push(Known::new(flow, at, t, self.fastest, longest));
                self.known.len() - 1
            }
        };
        &mut self.known[place]
    }
}

impl Known {
    fn new(flow: &Flow<'_>, at: &mut Instant, t: f64, fastest: f64, longest: f64) -> Self {
        let n = flow.size();
        let mut u = vec![0.0; n];
        let mut du = vec![0.0; n];
        let mut a = vec![0.0; n * n];
        // Next to a number as large as this one b(t) is below rounding.
        let large = 2f64.powi(200);
        for j in 0..n {
            u[j] = large;
            flow.derivative(t, &u, &mut du, at);
            u[j] = 0.0;
            for i in 0..n {
                a[i * n + j] = du[i] / large;
            }
        }
        let radius = spectral_radius(&a, n);
        let rate = fastest.max(radius);
        let base = if rate > 0.0 { (RESOLVES / rate).min(longest) } else { longest };
        let waves =
            if fastest > 0.0 { portable::ln(1.0 / (fastest * base)) } else { f64::INFINITY };
        let most = (waves / std::f64::consts::LN_2).floor().clamp(0.0, MOST_DOUBLINGS as f64);
        Self {
            status: flow.mode.status.clone().into(),
            pieces: flow.pieces.into(),
            a,
            radius,
            base,
            doublings: 0,
            most: most as i32,
            factors: BTreeMap::new(),
        }
    }

    fn length(&self, doublings: i32) -> f64 {
        self.base * 2f64.powi(doublings)
    }

    /// A step of that length from `t` (s), in `room`; whether its equations have a solution.
    fn step(
        &mut self,
        doublings: i32,
        flow: &Flow<'_>,
        at: &mut Instant,
        t: f64,
        room: &mut Room,
    ) -> bool {
        let h = self.length(doublings);
        room.set_out(flow, at, [t, h], &self.a);
        if h * self.radius <= ITERATES {
            room.iterate(h, &self.a, rounds(h * self.radius));
        } else {
            if self.factors.len() == KEPT_FACTORS && !self.factors.contains_key(&doublings) {
                self.factors.clear();
            }
            let Self { a, factors, .. } = self;
            let factors = factors.entry(doublings).or_insert_with(|| Factors::new(|_| a, h));
            let Some(factors) = factors else { return false };
            room.solve(factors);
        }
        room.resolve();
        true
    }
}

impl Factors {
    pub fn new<'a>(a: impl Fn(usize) -> &'a [f64], h: f64) -> Option<Self> {
        let n = a(0).len().isqrt();
        let m = NODES * n;
        let mut matrix = vec![0.0; m * m];
        for (i, weights) in RADAU.a.iter().enumerate() {
            let a = a(i);
            for p in 0..n {
                let row = (i * n + p) * m;
                for (j, weight) in weights.iter().enumerate() {
                    for q in 0..n {
                        matrix[row + j * n + q] = -h * weight * a[p * n + q];
                    }
                }
                matrix[row + i * n + p] += 1.0;
            }
        }
        let mut pivots = vec![0; m];
        let regular = lu::factor(&mut matrix, &mut pivots, &mut vec![0.0; m]);
        regular.then_some(Self { lu: matrix, pivots })
    }
}

/// An upper bound of the largest modulus of an eigenvalue that is hardly greater: ‖A^64‖^(1/64).
pub(super) fn spectral_radius(a: &[f64], n: usize) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let mut power = Matrix::from_fn(n, |i, j| a[i * n + j]);
    let mut logarithm = 0.0;
    let mut exponent = 1.0;
    for _ in 0..6 {
        let largest = power.largest();
        if largest == 0.0 {
            return 0.0;
        }
        // Scaled to 1, so that no square overflows.
        logarithm += portable::ln(largest) / exponent;
        power = power.scaled(1.0 / largest);
        power = power.times(&power);
        exponent *= 2.0;
    }
    let norm = n as f64 * power.largest();
    if norm == 0.0 { 0.0 } else { portable::exp(logarithm + portable::ln(norm) / exponent) }
}

/// Rounds after which (h ρ)^k/k!, by which they converge, is nothing.
pub(super) fn rounds(reach: f64) -> u32 {
    let mut left = 1.0;
    let mut k = 0;
    while left > LEFT {
        k += 1;
        left *= reach / f64::from(k);
    }
    // One for what does not depend on the state at all.
    k + 1
}

/// Rounds of which aᵏ1 is known: more than [`ITERATES`] asks for.
const MOST_ROUNDS: usize = 32;

/// aᵏ1 at Radau's nodes for k = 0, 1, …
static ONES: LazyLock<Vec<[f64; NODES]>> = LazyLock::new(|| {
    let next = |ones: &[f64; NODES]| Some(RADAU.a.map(|row| dot(&row, ones)));
    std::iter::successors(Some([1.0; NODES]), next).take(MOST_ROUNDS).collect()
});

/// A step: the state at its start, its rates at the nodes in Legendre's polynomials, and the sizes that say how well they resolve it.
#[derive(Debug)]
pub(super) struct Room {
    n: usize,
    pub from: Vec<f64>,
    /// The rates at the nodes, node by node, the right-hand sides of their equations, and what the state changes by up to each node.
    pub rates: Vec<f64>,
    pub right: Vec<f64>,
    ways: Vec<f64>,
    /// Their coefficients in Legendre's polynomials, number by number.
    pub terms: Vec<[f64; NODES]>,
    zero: Vec<f64>,
}

impl Room {
    pub fn of(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        let nodes = || vec![0.0; NODES * n];
        Self {
            n,
            from: zeros(),
            rates: nodes(),
            right: nodes(),
            ways: nodes(),
            terms: vec![[0.0; NODES]; n],
            zero: zeros(),
        }
    }

    /// The rates of a step of `h` (s) from `t` (s) if nothing changed in it but the loads: the right-hand side of its equations.
    fn set_out(&mut self, flow: &Flow<'_>, at: &mut Instant, [t, h]: [f64; 2], a: &[f64]) {
        let n = self.n;
        for (i, c) in RADAU.c.iter().enumerate() {
            let right = &mut self.right[i * n..(i + 1) * n];
            flow.derivative(t + c * h, &self.zero, right, at);
            for (p, rate) in right.iter_mut().enumerate() {
                *rate += dot(&a[p * n..(p + 1) * n], &self.from);
            }
        }
        self.rates.copy_from_slice(&self.right);
    }

    /// Solves by inserting the rates into their own equations so many times.
    pub fn iterate(&mut self, h: f64, a: &[f64], rounds: u32) {
        let n = self.n;
        for _ in 0..rounds {
            // By what the state changes up to each node, from the rates of the round before.
            for (i, weights) in RADAU.a.iter().enumerate() {
                for m in 0..n {
                    let sum: f64 = (0..NODES).map(|j| weights[j] * self.rates[j * n + m]).sum();
                    self.ways[i * n + m] = h * sum;
                }
            }
            for i in 0..NODES {
                let way = &self.ways[i * n..(i + 1) * n];
                for p in 0..n {
                    self.rates[i * n + p] =
                        self.right[i * n + p] + dot(&a[p * n..(p + 1) * n], way);
                }
            }
        }
    }

    /// Whether the right-hand sides at all nodes are one, as those of a change under no load are.
    pub fn is_even(&self) -> bool {
        let first = &self.right[..self.n];
        self.right.chunks(self.n.max(1)).all(|right| right == first)
    }

    /// The same as [`iterate`](Self::iterate) where the right-hand sides r at all nodes are one, but for rounding: the rates are
    /// Σ (h a ⊗ A)ᵏ (1 ⊗ r) = Σ aᵏ1 ⊗ hᵏAᵏr, for which one product with A does for all nodes.
    pub fn iterate_even(&mut self, h: f64, a: &[f64], rounds: u32) {
        let n = self.n;
        let Self { right, rates, ways, .. } = self;
        // hᵏAᵏr and room for the next one.
        let (now, rest) = ways.split_at_mut(n);
        let next = &mut rest[..n];
        now.copy_from_slice(&right[..n]);
        for shares in ONES.iter().skip(1).take(rounds as usize) {
            for (p, next) in next.iter_mut().enumerate() {
                *next = h * dot(&a[p * n..(p + 1) * n], now);
            }
            now.copy_from_slice(next);
            for (rates, share) in rates.chunks_mut(n.max(1)).zip(shares) {
                rates.iter_mut().zip(&*now).for_each(|(rate, way)| *rate += share * way);
            }
        }
    }

    /// Solves with these factors.
    pub fn solve(&mut self, factors: &Factors) {
        self.rates.copy_from_slice(&self.right);
        lu::solve(&factors.lu, &factors.pivots, &mut self.rates);
    }

    /// The rates in Legendre's polynomials.
    pub fn resolve(&mut self) {
        let n = self.n;
        for (m, terms) in self.terms.iter_mut().enumerate() {
            for (k, term) in terms.iter_mut().enumerate() {
                let sum: f64 = (0..NODES)
                    .map(|j| RADAU.b[j] * RADAU.legendre[k][j] * self.rates[j * n + m])
                    .sum();
                *term = (2 * k + 1) as f64 * sum;
            }
        }
    }

    /// The last coefficients over those of a step that resolves its motion: ≤ 1 where this one does.
    /// `place` is what each number of the state is counted from.
    pub fn roughness(&self, h: f64, place: impl Fn(usize) -> f64) -> f64 {
        let mut worst = 0.0f64;
        for (m, terms) in self.terms.iter().enumerate() {
            let place = place(m);
            let rates = self.rates.iter().skip(m).step_by(self.n);
            let fastest = rates.fold(0.0, |m: f64, r| m.max(r.abs()));
            // What passes zero has the size that its rate gives it.
            let size = (place + self.from[m]).abs() + h * fastest / RESOLVES;
            if size > 0.0 {
                let last = (h * terms[NODES - 1]).abs() / (LAST * size);
                let before = (h * terms[NODES - 2]).abs() / (BEFORE * size);
                worst = worst.max(last).max(before);
            }
        }
        worst
    }

    /// The polynomials of the state over a step of `h` (s).
    fn dense(&self, h: f64, polys: &mut Vec<Poly>) {
        polys.clear();
        polys.extend(self.terms.iter().zip(&self.from).map(|(terms, from)| {
            let mut powers = [0.0; TERMS];
            powers[0] = *from;
            // By Legendre's polynomials, whose high coefficients are small: rounding would grow with those of powers.
            for (term, whole) in terms.iter().zip(antiderivatives()) {
                for (power, w) in powers[1..].iter_mut().zip(whole) {
                    *power += h * term * w;
                }
            }
            Poly(powers)
        }));
    }
}

impl System {
    /// Steps of the linear equations from `start` until something ends the motion, or `until` (s).
    pub(super) fn glide(
        &mut self,
        linear: &mut Linear,
        s: &mut Stepper<'_>,
        mut dense: Dense,
        [start, until]: [f64; 2],
    ) -> Result<(Dense, Option<Hit<Ends>>), Failure> {
        let known = linear.mode(&s.flow, &mut s.at, start, self.end);
        let mut room = Room::of(s.flow.size());
        room.from.copy_from_slice(dense.first());
        let mut t = start;
        let mut doublings = known.doublings;
        while t < until {
            self.interrupt.check(t)?;
            // No longer than what is left.
            let usual = doublings;
            while doublings > -MOST_DOUBLINGS && known.length(doublings - 1) >= until - t {
                doublings -= 1;
            }
            let h = known.length(doublings);
            let solved = known.step(doublings, &s.flow, &mut s.at, t, &mut room);
            let mode = s.flow.mode;
            let x0 = s.flow.x0;
            let place = |m: usize| if m < mode.groups { x0[mode.first[m]] } else { 0.0 };
            let rough = room.roughness(h, place);
            if !(solved && rough.is_finite()) {
                return Err(Failure::Met(Error::NotFinite { time: t, step: h }));
            }
            if rough > 1.0 && doublings > 0 {
                doublings -= 1;
                continue;
            }
            room.dense(h, &mut s.polys);
            s.step.t = t;
            s.step.h = h;
            s.watch();
            let Search { found, good, near, stay } = s.search(until)?;
            let can_shorten = doublings > -MOST_DOUBLINGS && h > 64.0 * self.shortest(t);
            if !good && can_shorten && doublings > 0 {
                doublings -= 1;
                continue;
            }
            if let Some((k, at)) = found
                && at > t
                && at - t < EARLY * h
                && can_shorten
                && s.watched.flies[k]
            {
                doublings -= 4;
                continue;
            }
            self.note_near(s, &near, &stay);
            if let Some((k, at)) = found {
                let what = s.watched.guards[k];
                let time = s.settle_on(k, at);
                if time > t {
                    dense.push(t, h, &s.polys);
                }
                return Ok((dense, Some(Hit { time, what })));
            }
            dense.push(t, h, &s.polys);
            t += h;
            if doublings == usual {
                known.doublings = doublings;
            }
            if rough <= SPARE && doublings < known.most {
                doublings += 1;
            }
            room.from.iter_mut().zip(&s.polys).for_each(|(u, p)| *u = p.at(1.0));
            if dense.steps.len() >= super::guards::MOST_STEPS && t < until {
                return Ok((dense, Some(Hit { time: t, what: Ends::Pauses })));
            }
        }
        Ok((dense, None))
    }
}

impl Stepper<'_> {
    /// Newton's method on the guard itself, from the root `at` of the interpolation of guard number `k`: the time of the event (s).
    fn settle_on(&mut self, k: usize, mut at: f64) -> f64 {
        let start = self.step.t;
        let h = self.step.h;
        let (poly, _) = Poly::interpolate(&self.watched.values[k]);
        let value = |s: &mut Self, at: f64| {
            let theta = (at - start) / h;
            s.u.iter_mut().zip(&s.polys).for_each(|(u, p)| *u = p.at(theta));
            s.flow.kinematics(at, &s.u, &mut s.at);
            s.flow.dynamics(at, &mut s.at);
            s.guard(k, at)[0]
        };
        for _ in 0..3 {
            let slope = poly.slope((at - start) / h) / h;
            let by = value(self, at) / slope;
            let done = slope >= 0.0 || by.is_nan() || by.abs() > 1e-2 * h;
            if done || by.abs() <= f64::EPSILON * at.abs() || at - by <= start {
                break; // a touch, or as near as times are
            }
            at -= by;
        }
        // A speed that is still of the old sign by a rounding would not let its slip end.
        if matches!(self.watched.guards[k], Ends::Rests(_)) {
            for _ in 0..3 {
                if at <= start || value(self, at) <= 0.0 {
                    break;
                }
                at = at.next_up();
            }
        }
        at
    }
}

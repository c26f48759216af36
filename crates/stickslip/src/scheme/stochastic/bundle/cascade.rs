//! Cascades side by side.
//!
//! The projection on the limits of the elements is that of a rate-independent system whose mass moves one way during a
//! step, so it is the play of each element ([`Clamps`]), and no system is solved. Scheme (4.1) and the θ-method with θ = ½ are
//!
//! ```text
//! (4.1)  X⁺ = X + h V,                V⁺ = V + (h/m)(F(t) + noise − f) + ΔL/m
//! θ = ½  X⁺ = X + h (V + V⁺)/2,       V⁺ = V + (h/m)(F(t + h/2) + noise − (f + f⁺)/2) + ΔL/m
//! p_j⁺ = clamp(p_j, X⁺ − r_j, X⁺ + r_j),    f⁺ = Σ κ_j (X⁺ − p_j⁺) + κ_∞ X⁺
//! Δv_i = (1/S_{i−1}) Σ_{j≥i} κ_j Δp_j
//! ```
//!
//! With θ = ½ the force f⁺ enters X⁺ = X + (h/2)(V + V*) − (h²/4m) f⁺(X⁺), where V* is V⁺ without it. It is taken there by its tangent,
//! f + k (X⁺ − X), with k = κ_∞ and the κ_j of the elements that did not yield in the step before, so that the elements are gone
//! through once; V⁺ has the force that is. In a step in which an element begins or ceases to yield, X⁺ is off by (h²/4m) Δk (X⁺ − X), of
//! the order h³, which is little beside the h² that the instant of the yield is off by.
//!
//! The last line is how far node i slides: while the first j nodes slip, node i follows the mass by 1 − S_j/S_{i−1},
//! which is that sum's share of each play.

use super::noises::Noises;
use super::{Contact, Lane, Request, Rule};
use crate::error::Error;
use crate::hysteresis::{Clamps, Sweep};
use crate::instructions::{Instructions, Kernel, dispatch_narrow};
use crate::model::{Cascade, Problem};
use crate::motion::State;
use crate::signal::noise::{CHUNK, Group};
use crate::signal::{Cursor, Signal};

/// The numbers of one element.
#[derive(Debug, Clone, Copy)]
struct Element {
    /// r_j, m.
    reach: f64,
    /// κ_j, N/m.
    weight: f64,
    /// 1/S_{j−1}, m/N.
    compliance: f64,
    /// p_j at the start, m.
    play: f64,
}

/// `N` paths of a cascade.
#[derive(Debug, Clone)]
pub(crate) struct Cascades<'a, const N: usize> {
    on: Instructions,
    h: f64,
    mass: f64,
    /// Where in a step F is looked at, as a part of the step; 0 is scheme (4.1).
    at: f64,
    level: f64,
    /// κ_∞, N/m.
    remaining: f64,
    elements: Vec<Element>,
    /// x, ẋ and f at the start.
    start: [f64; 3],
    signal: &'a Signal,
    cursor: Cursor<'a>,
    /// F at the points of the chunk, N.
    known: [f64; CHUNK],
    noises: Noises<N>,
    /// Steps done.
    done: u64,
    x: Lane<N>,
    v: Lane<N>,
    force: Lane<N>,
    /// 1 + (h²/4m) k, k being the stiffness of what did not yield in the last step.
    inertia: Lane<N>,
    passage: Lane<N>,
    plays: Vec<Lane<N>>,
    pub contacts: Vec<Contact<N>>,
}

impl<'a, const N: usize> Cascades<'a, N> {
    pub fn new(problem: &Problem, c: &'a Cascade, request: Request) -> Result<Self, Error> {
        let backbone = c.backbone();
        let clamps = Clamps::new(c);
        let weights = backbone.weights();
        let element = |j: usize| Element {
            reach: backbone.breakpoints()[j],
            weight: weights[j],
            compliance: 1.0 / backbone.stiffness()[j],
            play: clamps.plays()[j],
        };
        let n = c.elements();
        Ok(Self {
            on: request.on,
            h: request.step,
            mass: c.mass,
            // Scheme (4.1) looks at the start of the step, where its spring force is.
            at: if request.rule == Rule::Theta { 0.5 } else { 0.0 },
            level: request.level,
            remaining: backbone.stiffness()[n],
            elements: (0..n).map(element).collect(),
            start: [c.initial.displacement, c.initial.velocity, Sweep::new(c).force()],
            signal: &c.force,
            cursor: c.force.cursor(),
            known: [0.0; CHUNK],
            noises: Noises::new(&problem.noises, request.step)?,
            done: 0,
            x: [0.0; N],
            v: [0.0; N],
            force: [0.0; N],
            inertia: [0.0; N],
            passage: [0.0; N],
            plays: vec![[0.0; N]; n],
            contacts: c.threshold.iter().map(|alpha| Contact::new(1.0, *alpha)).collect(),
        })
    }

    pub fn restart(&mut self, group: Group<N>, used: usize) {
        self.noises.restart(group);
        self.cursor = self.signal.cursor();
        self.done = 0;
        let [x, v, force] = self.start;
        self.x = [x; N];
        self.v = [v; N];
        self.force = [force; N];
        // Nothing has yielded before the first step: every element counts with its stiffness.
        let whole = self.elements.iter().fold(self.remaining, |sum, e| sum + e.weight);
        self.inertia = [1.0 + 0.25 * self.h * self.h / self.mass * whole; N];
        self.passage = [if x.abs() > self.level { 0.0 } else { f64::INFINITY }; N];
        self.plays.iter_mut().zip(&self.elements).for_each(|(p, e)| *p = [e.play; N]);
        // The elements have no mass, so that they rest until the mass has moved.
        self.contacts.iter_mut().for_each(|c| c.restart(used, true));
    }

    pub fn advance(&mut self, stop: u64) {
        while self.done < stop {
            let first = self.done % CHUNK as u64;
            if first == 0 {
                let chunk = self.done / CHUNK as u64;
                self.noises.make(self.on, chunk);
                self.cursor.fill(self.on, self.done as f64 + self.at, self.h, &mut self.known);
            }
            let count = (CHUNK as u64 - first).min(stop - self.done);
            let on = self.on;
            let first = first as usize;
            let middle = self.at > 0.0;
            let paths = &mut *self;
            let count = count as usize;
            match (middle, N) {
                (true, 1) => March::<true, N> { paths, first, count }.run(),
                (false, 1) => March::<false, N> { paths, first, count }.run(),
                (true, _) => dispatch_narrow(on, March::<true, N> { paths, first, count }),
                (false, _) => dispatch_narrow(on, March::<false, N> { paths, first, count }),
            }
            self.done += count as u64;
        }
    }

    pub fn state(&self, lane: usize) -> State {
        State { x: self.x[lane], v: self.v[lane] }
    }

    pub fn passage(&self, lane: usize) -> f64 {
        self.passage[lane]
    }
}

/// Some steps of a chunk, by θ = ½ or by scheme (4.1).
struct March<'m, 'a, const MIDDLE: bool, const N: usize> {
    paths: &'m mut Cascades<'a, N>,
    first: usize,
    count: usize,
}

impl<const MIDDLE: bool, const N: usize> Kernel for March<'_, '_, MIDDLE, N> {
    #[inline(always)]
    fn run(self) {
        let Self { paths, first, count } = self;
        let Cascades { h, mass, level, remaining, elements, known, noises, done, .. } = paths;
        let h = *h;
        let level = *level;
        let remaining = *remaining;
        let h_over_m = h / *mass;
        let inverse_mass = 1.0 / *mass;
        let plays = &mut paths.plays[..];
        let contacts = &mut paths.contacts[..];
        let ahead = 0.25 * h * h_over_m;
        let unyielding = 1.0 + ahead * remaining;
        for i in first..first + count {
            let number = (*done + (i - first) as u64 + 1) as f64;
            let mut x = paths.x;
            let mut v = paths.v;
            // Scheme (4.1) goes with the velocity before, so the place after the step is known at once.
            if !MIDDLE {
                for l in 0..N {
                    x[l] += h * v[l];
                }
            }
            // The velocity after the step, in the middle without the force at its end.
            let start = v;
            let share = if MIDDLE { 0.5 } else { 1.0 };
            for l in 0..N {
                v[l] += h_over_m * (known[i] - share * paths.force[l]);
            }
            for c in &noises.channels {
                if c.white {
                    for l in 0..N {
                        v[l] += inverse_mass * c.values[i][l];
                    }
                } else if MIDDLE {
                    for l in 0..N {
                        v[l] += h_over_m * (0.5 * (c.values[i][l] + c.values[i + 1][l]));
                    }
                } else {
                    for l in 0..N {
                        v[l] += h_over_m * c.values[i][l];
                    }
                }
            }
            if MIDDLE {
                for l in 0..N {
                    // The force at the end by its tangent: its value before the step, and the stiffness of what did
                    // not yield then.
                    let free = 0.5 * h * (start[l] + v[l]) - ahead * paths.force[l];
                    x[l] += free / paths.inertia[l];
                }
            }
            let mut force = [0.0; N];
            let mut sum = [0.0; N];
            let mut inertia = [unyielding; N];
            for l in 0..N {
                force[l] = remaining * x[l];
            }
            // From the last to the first, since node i slides by the sum over all elements from i on.
            let each = elements.iter().zip(plays.iter_mut()).zip(contacts.iter_mut()).rev();
            for ((e, play), contact) in each {
                let mut p = *play;
                let mut slide = [0.0; N];
                let stiff = ahead * e.weight;
                for l in 0..N {
                    let low = x[l] - e.reach;
                    let high = x[l] + e.reach;
                    let new = if p[l] > low { p[l] } else { low };
                    let new = if new < high { new } else { high };
                    // A play that stays to the last bit has not yielded, since the clamp returns it as it is.
                    let moved = new - p[l];
                    sum[l] += e.weight * moved;
                    force[l] += e.weight * (x[l] - new);
                    slide[l] = e.compliance * sum[l];
                    if MIDDLE {
                        // Zero is added instead of nothing, so that all lanes do the same.
                        inertia[l] += if moved == 0.0 { stiff } else { 0.0 };
                    }
                    p[l] = new;
                }
                *play = p;
                // A node without mass has no velocity: it rests after the step if it did not slide in it.
                contact.follow(number, &slide, &slide, None);
            }
            if MIDDLE {
                for l in 0..N {
                    // The other half of the spring force, as it is at the place that was found, not by its tangent.
                    v[l] -= 0.5 * h_over_m * force[l];
                }
                paths.inertia = inertia;
            }
            paths.x = x;
            paths.v = v;
            paths.force = force;
            if level < f64::INFINITY {
                pass(&x, level, number, &mut paths.passage);
            }
        }
    }
}

/// Notes the lanes in which |x| is over the level for the first time.
#[inline(always)]
pub(super) fn pass<const N: usize>(x: &Lane<N>, level: f64, number: f64, passage: &mut Lane<N>) {
    for l in 0..N {
        let passed = if x[l].abs() > level { number } else { f64::INFINITY };
        passage[l] = if passed < passage[l] { passed } else { passage[l] };
    }
}

//! Cascades side by side.
//!
//! The projection of scheme (4.1) is that of a rate-independent system whose mass moves one way during a step, so it is
//! the play of each element ([`Clamps`]), and no system is solved:
//!
//! ```text
//! X⁺ = X + h V,    V⁺ = V + (h/m)(F(t) + noise − f) + ΔL/m
//! p_j⁺ = clamp(p_j, X⁺ − r_j, X⁺ + r_j),    f⁺ = Σ κ_j (X⁺ − p_j⁺) + κ_∞ X⁺
//! Δv_i = (1/S_{i−1}) Σ_{j≥i} κ_j Δp_j
//! ```
//!
//! The last line is how far node i slides: while the first j nodes slip, node i follows the mass by 1 − S_j/S_{i−1},
//! which is that sum's share of each play.

use super::noises::Noises;
use super::{Contact, Lane, Request};
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
    passage: Lane<N>,
    plays: Vec<Lane<N>>,
    pub contacts: Vec<Contact<N>>,
}

impl<'a, const N: usize> Cascades<'a, N> {
    pub fn new(problem: &Problem, c: &'a Cascade, request: Request) -> Result<Self, Error> {
        let (backbone, clamps) = (c.backbone(), Clamps::new(c));
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
        (self.x, self.v, self.force) = ([x; N], [v; N], [force; N]);
        self.passage = [if x.abs() > self.level { 0.0 } else { f64::INFINITY }; N];
        self.plays.iter_mut().zip(&self.elements).for_each(|(p, e)| *p = [e.play; N]);
        self.contacts.iter_mut().for_each(|c| c.restart(used, true));
    }

    pub fn advance(&mut self, stop: u64) {
        while self.done < stop {
            let first = self.done % CHUNK as u64;
            if first == 0 {
                let chunk = self.done / CHUNK as u64;
                self.noises.make(self.on, chunk);
                self.cursor.fill(self.on, self.done, self.h, &mut self.known);
            }
            let count = (CHUNK as u64 - first).min(stop - self.done);
            let (on, first) = (self.on, first as usize);
            let march = March { paths: self, first, count: count as usize };
            if N == 1 {
                march.run()
            } else {
                dispatch_narrow(on, march)
            }
            self.done += count;
        }
    }

    pub fn state(&self, lane: usize) -> State {
        State { x: self.x[lane], v: self.v[lane] }
    }

    pub fn passage(&self, lane: usize) -> f64 {
        self.passage[lane]
    }
}

/// Some steps of a chunk.
struct March<'m, 'a, const N: usize> {
    paths: &'m mut Cascades<'a, N>,
    first: usize,
    count: usize,
}

impl<const N: usize> Kernel for March<'_, '_, N> {
    #[inline(always)]
    fn run(self) {
        let Self { paths, first, count } = self;
        let Cascades { h, mass, level, remaining, elements, known, noises, done, .. } = paths;
        let (h, level, remaining) = (*h, *level, *remaining);
        let (h_over_m, inverse_mass) = (h / *mass, 1.0 / *mass);
        let (plays, contacts) = (&mut paths.plays[..], &mut paths.contacts[..]);
        for i in first..first + count {
            let number = (*done + (i - first) as u64 + 1) as f64;
            let (mut x, mut v) = (paths.x, paths.v);
            for l in 0..N {
                x[l] += h * v[l];
                v[l] += h_over_m * (known[i] - paths.force[l]);
            }
            for c in &noises.channels {
                let (push, factor) = (&c.values[i], if c.white { inverse_mass } else { h_over_m });
                for l in 0..N {
                    v[l] += factor * push[l];
                }
            }
            let (mut force, mut sum) = ([0.0; N], [0.0; N]);
            for l in 0..N {
                force[l] = remaining * x[l];
            }
            let each = elements.iter().zip(plays.iter_mut()).zip(contacts.iter_mut()).rev();
            for ((e, play), contact) in each {
                let (mut p, mut slide) = (*play, [0.0; N]);
                for l in 0..N {
                    let (low, high) = (x[l] - e.reach, x[l] + e.reach);
                    let new = if p[l] > low { p[l] } else { low };
                    let new = if new < high { new } else { high };
                    sum[l] += e.weight * (new - p[l]);
                    force[l] += e.weight * (x[l] - new);
                    slide[l] = e.compliance * sum[l];
                    p[l] = new;
                }
                *play = p;
                contact.follow(number, &slide, None);
            }
            (paths.x, paths.v, paths.force) = (x, v, force);
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

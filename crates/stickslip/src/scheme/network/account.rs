//! What a run of a time-stepping scheme cost, and where its energy went.

use super::convex_step::Kinematics;
use crate::model::Network;
use crate::model::network::{Ends, Link};
use crate::motion::{Counts, Energy};
use crate::onestep::pieces;
use std::ops::Range;
use std::sync::Arc;

/// What a run cost and where its energy went.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NetworkRun {
    /// What it cost.
    pub counts: Counts,
    /// The energies.
    pub energy: Energy,
}

/// What a streaming scheme shows of a step: n, x, ẋ, λ, slip.
pub(super) type Observe<'a> = &'a mut dyn FnMut(usize, &[f64], &[f64], &[f64], &[i8]);

/// Kinetic and elastic energy, J. Long sums are taken in pieces.
pub(super) fn stored(network: &Network, u: &Kinematics) -> (f64, f64) {
    let nodes = network.nodes();
    let springs = network.springs();
    let kinetic = |_, piece: Range<usize>| -> f64 {
        let all = nodes[piece.clone()].iter().zip(&u.v[piece]);
        all.map(|(n, v)| 0.5 * n.mass * v * v).sum()
    };
    let elastic = |_, piece: Range<usize>| -> f64 {
        let stretch = |s: &Link| stretch(&u.x, s.between());
        let energy = |d: f64, k: f64| 0.5 * k * d * d;
        springs[piece].iter().map(|s| energy(stretch(s), s.coefficient)).sum()
    };
    let add = |a: f64, b: f64| a + b;
    let shared = network.shared_masses().iter();
    // In ½ v·M v a pair stands twice, above and below the diagonal, so that its ½ cancels.
    let shared = shared.map(|s| s.mass * u.v[s.between[0]] * u.v[s.between[1]]);
    let kinetic = shared.fold(pieces(0, 0..nodes.len(), &kinetic, &add), add);
    (kinetic, pieces(0, 0..springs.len(), &elastic, &add))
}

/// u_a − u_b.
pub(super) fn stretch(u: &[f64], [a, b]: [Option<usize>; 2]) -> f64 {
    a.map_or(0.0, |i| u[i]) - b.map_or(0.0, |i| u[i])
}

/// Energy lost in dashpots and sliders in a step of length `h` (s), J, `lambda` being the friction of each slider, N.
pub(super) fn lost(network: &Network, [from, to]: [&Kinematics; 2], lambda: &[f64], h: f64) -> f64 {
    let slide = |between| stretch(&to.x, between) - stretch(&from.x, between);
    // The steps know the mean rate only, slide/h: the loss over the step is c (slide/h)² h.
    let damped = network.dashpots().iter().map(|d| d.coefficient * slide(d.between()).powi(2) / h);
    let rubbed = network.sliders().iter().zip(lambda).map(|(s, l)| l * slide(s.between()));
    damped.sum::<f64>() + rubbed.sum::<f64>()
}

/// A step as the audit sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'a> {
    pub from: &'a Kinematics,
    pub to: &'a Kinematics,
    /// The nodes that loads act on, with their forces before and after, N.
    pub forces: &'a [(usize, f64, f64)],
    /// Friction of each slider, N.
    pub lambda: &'a [f64],
    /// Its length, s.
    pub h: f64,
}

/// One end of a branch in a step: its place before and after, m, and whether it is prescribed. That of the ground is 0.
#[derive(Default)]
struct End {
    from: f64,
    to: f64,
    moved: bool,
}

impl End {
    /// The work of a prescribed end against a branch force `f` (positive pulls the first end towards the second), N·m.
    fn work(&self, f: f64) -> f64 {
        if self.moved { f * (self.to - self.from) } else { 0.0 }
    }
}

/// What does work in a network.
#[derive(Debug, Clone)]
pub(super) struct Account<'a> {
    network: &'a Network,
    sliders: Arc<[Ends]>,
    /// Whether each node is prescribed, and whether any is.
    moved: Vec<bool>,
    any_moved: bool,
}

impl<'a> Account<'a> {
    /// Of `network`, whose sliders have these ends.
    pub fn new(network: &'a Network, sliders: Arc<[Ends]>) -> Self {
        let moved: Vec<bool> = network.nodes().iter().map(|n| n.motion.is_some()).collect();
        let any_moved = moved.contains(&true);
        Self { network, sliders, moved, any_moved }
    }

    /// Adds the energies of `step`: forces by the trapezoidal rule, friction and damping as the step has
    /// them. A prescribed node works against all that pulls at it. Long sums are taken in pieces, the first of which
    /// goes on with what there was.
    pub fn add(&self, step: Step<'_>, e: &mut Energy) {
        // All of one length, so that each place is compared with it once.
        let n = self.moved.len();
        let from = &step.from.x[..n];
        let to = &step.to.x[..n];
        let moved = &self.moved[..n];
        let at = |i: usize| match moved.get(i) {
            Some(&moved) => End { from: from[i], to: to[i], moved },
            None => End::default(),
        };
        let ends = |places: [usize; 2]| places.map(at);
        // A load on a prescribed node is taken up by what leads the node: the two works cancel, and neither is
        // counted.
        for &(i, before, after) in step.forces.iter().filter(|f| !at(f.0).moved) {
            e.work += 0.5 * (before + after) * (to[i] - from[i]);
        }
        // Springs do work where a node is prescribed.
        // Between free nodes what a spring takes is in its stored energy, which is counted at both ends of the run only.
        let springs = if self.any_moved { self.network.springs() } else { &[] };
        sum(springs.len(), e, |piece, e| {
            for s in &springs[piece] {
                let [a, b] = ends(s.places());
                if a.moved | b.moved {
                    let f = 0.5 * s.coefficient * ((a.from - b.from) + (a.to - b.to));
                    e.work += a.work(f) - b.work(f);
                }
            }
        });
        let dashpots = self.network.dashpots();
        sum(dashpots.len(), e, |piece, e| {
            for d in &dashpots[piece] {
                let [a, b] = ends(d.places());
                let slide = (a.to - b.to) - (a.from - b.from);
                let f = d.coefficient * slide / step.h;
                e.viscous += f * slide;
                e.work += a.work(f) - b.work(f);
            }
        });
        let sliders = &self.sliders[..];
        let lambda = step.lambda;
        sum(sliders.len().min(lambda.len()), e, |piece, e| {
            for (s, l) in sliders[piece.clone()].iter().zip(&lambda[piece]) {
                let [a, b] = ends(s.places());
                e.friction += l * ((a.to - b.to) - (a.from - b.from));
                if a.moved | b.moved {
                    e.work += a.work(*l) - b.work(*l);
                }
            }
        });
    }
}

/// Lets `add` go on with the work and the losses in `e` over `count` branches. In pieces it takes sums of their own, which
/// are added in the order of the pieces; one piece has the bits of a loop.
fn sum(count: usize, e: &mut Energy, add: impl Fn(Range<usize>, &mut Energy) + Sync) {
    let before = *e;
    let piece = |_, piece: Range<usize>| {
        let mut e = if piece.start == 0 { before } else { Energy::default() };
        add(piece, &mut e);
        e
    };
    let join = |a: Energy, b: Energy| Energy {
        work: a.work + b.work,
        friction: a.friction + b.friction,
        viscous: a.viscous + b.viscous,
        ..a
    };
    *e = pieces(0, 0..count, &piece, &join);
}

//! What of a step depends on the network, its length and θ only.

use super::reach::Reach;
use crate::error::Error;
use crate::model::Network;
use crate::model::network::{Ends, Link, Shared};
use crate::onestep::{Chain, Element, Sparse, cuthill_mckee};
use std::sync::Arc;

/// The number of an unknown or of a slider.
pub(super) type Index = u32;

/// No unknown, or no slider.
pub(super) const NONE: Index = Index::MAX;

/// The part of a step that depends on the network, h and θ only: it is made once and shared by every path. A network may
/// have millions of nodes: what is read in every step stands in arrays of its own.
#[derive(Debug)]
pub(super) struct Layout {
    pub h: f64,
    pub theta: f64,
    /// The free nodes without mass, whose θ is 1.
    pub light: Vec<bool>,
    pub mass: Vec<f64>,
    /// What of their masses nodes share.
    pub shared: Vec<Shared>,
    /// The unknown of each node, or [`NONE`].
    pub unknown: Vec<Index>,
    /// The node of each unknown.
    pub node: Vec<Index>,
    pub sliders: Arc<[Ends]>,
    /// Of each dashpot whether it is taken at the end of the step.
    pub implicit: Vec<bool>,
    /// Of each slider whether the first unknown is its second end.
    pub flipped: Vec<bool>,
    pub breakaway: Vec<f64>,
    pub dynamic: Vec<f64>,
    pub two_phase: bool,
    /// Of each piece of the nodes what touches it.
    pub near: Near,
}

/// Which links the pieces of a long network go through; the motion of a prescribed node needs none.
#[derive(Debug, Default)]
pub(super) struct Near {
    pub shared: Reach,
    pub springs: Reach,
    pub dashpots: Reach,
}

/// The one-step problem with its order of elimination, and the solution found last.
#[derive(Debug, Clone)]
pub(super) enum Solver {
    Chain(Box<Chain>),
    Sparse(Box<Sparse>),
}

impl Layout {
    pub fn new(network: &Network, h: f64, theta: f64) -> Self {
        let nodes = network.nodes();
        let free = |i: usize| nodes.get(i).is_some_and(|n| n.motion.is_none());
        let light: Vec<bool> = nodes.iter().map(|n| n.motion.is_none() && n.mass == 0.0).collect();
        let at_end = |d: &Link| d.places().into_iter().any(|i| light.get(i) == Some(&true));
        let sliders: Arc<[Ends]> = network.sliders().iter().map(|s| s.ends()).collect();
        let (breakaway, dynamic): (Vec<f64>, Vec<f64>) =
            network.sliders().iter().map(|s| (s.breakaway, s.dynamic)).unzip();
        let mut layout = Self {
            h,
            theta,
            mass: nodes.iter().map(|n| n.mass).collect(),
            shared: network.shared_masses().to_vec(),
            unknown: vec![NONE; nodes.len()],
            node: Vec::new(),
            implicit: network.dashpots().iter().map(at_end).collect(),
            flipped: sliders.iter().map(|s| !free(s.places()[0])).collect(),
            sliders,
            light,
            two_phase: breakaway != dynamic,
            breakaway,
            dynamic,
            near: Near::default(),
        };
        layout.number(network, free);
        let links = |links: &[Link]| layout.reach(links.iter().map(Link::places));
        // Only now, for a link reaches a piece by its unknowns, which have just been numbered.
        layout.near = Near {
            shared: layout.reach(layout.shared.iter().map(|s| s.between)),
            springs: links(network.springs()),
            dashpots: links(network.dashpots()),
        };
        layout
    }

    /// What of a list the pieces of the nodes need, by the ends of each entry.
    fn reach(&self, ends: impl ExactSizeIterator<Item = [usize; 2]>) -> Reach {
        // The impulse on a prescribed node is never read. Were it counted, a belt under every mass would tie each
        // piece of the nodes to the links of all others.
        let free = |i: usize| if self.unknown(i).is_some() { i } else { usize::MAX };
        Reach::new(self.unknown.len(), ends.map(|ends| ends.map(free)))
    }

    /// Whether the nodes can be cut into pieces that need little more than their share of the links.
    pub(crate) fn is_local(&self) -> bool {
        let Near { shared, springs, dashpots } = &self.near;
        shared.is_local() && springs.is_local() && dashpots.is_local()
    }

    /// Numbers the unknowns in an order that keeps a chain a chain.
    fn number(&mut self, network: &Network, free: impl Fn(usize) -> bool) {
        self.node = (0..self.mass.len()).filter(|&i| free(i)).map(|i| i as Index).collect();
        self.place();
        let links = || network.springs().iter().chain(network.dashpots()).map(Link::places);
        let shared = || self.shared.iter().map(|s| s.between);
        let joined = || links().chain(self.sliders.iter().map(|s| s.places())).chain(shared());
        // A row of masses comes in its order mostly: then its matrix is tridiagonal as it stands.
        if self.is_row(joined()) {
            return;
        }
        let pairs: Vec<(usize, usize)> =
            joined().filter(|&[a, b]| free(a) && free(b)).map(|[a, b]| (a, b)).collect();
        let order = cuthill_mckee(self.mass.len(), &pairs).into_iter().filter(|&i| free(i));
        self.node = order.map(|i| i as Index).collect();
        self.place();
    }

    /// Notes the unknown of each node.
    fn place(&mut self) {
        for (k, &i) in self.node.iter().enumerate() {
            self.unknown[i as usize] = k as Index;
        }
    }

    /// Whether the ends that are `joined` join each unknown with the next one and no others: then the order stays as it is.
    fn is_row(&self, joined: impl Iterator<Item = [usize; 2]>) -> bool {
        let mut with_next = vec![false; self.node.len()];
        for ends in joined {
            if let [Some(i), Some(j)] = ends.map(|i| self.unknown(i)) {
                if i.abs_diff(j) != 1 {
                    return false;
                }
                with_next[i.min(j)] = true;
            }
        }
        // The last unknown has no next one.
        with_next.pop();
        with_next.iter().all(|w| *w)
    }

    /// θ of a node.
    #[inline(always)]
    pub fn theta(&self, i: usize) -> f64 {
        if self.light.get(i) == Some(&true) { 1.0 } else { self.theta }
    }

    /// The unknown at the place `i` in a list of all nodes and the ground, if there is one.
    #[inline(always)]
    pub fn unknown(&self, i: usize) -> Option<usize> {
        self.unknown.get(i).filter(|k| **k != NONE).map(|k| *k as usize)
    }

    /// The ends of slider `e`, the first unknown first.
    #[inline(always)]
    pub fn slider(&self, e: usize) -> [usize; 2] {
        let [a, b] = self.sliders[e].places();
        if self.flipped[e] { [b, a] } else { [a, b] }
    }

    /// Shows the entries of A between unknowns, (i, j) with i ≤ j; repeated ones are meant to be summed.
    fn entries(&self, network: &Network, mut see: impl FnMut(usize, usize, f64)) {
        self.node.iter().enumerate().for_each(|(k, &i)| see(k, k, self.mass[i as usize]));
        for s in &self.shared {
            if let [Some(i), Some(j)] = s.between.map(|i| self.unknown(i)) {
                see(i.min(j), i.max(j), s.mass);
            }
        }
        let mut add = |ends: [usize; 2], aa: f64, bb: f64, ab: f64| {
            let [a, b] = ends.map(|i| self.unknown(i));
            a.into_iter().for_each(|k| see(k, k, aa));
            b.into_iter().for_each(|k| see(k, k, bb));
            if let (Some(i), Some(j)) = (a, b) {
                see(i.min(j), i.max(j), -ab);
            }
        };
        for s in network.springs() {
            // h² Θ K Θ: each end brings its own θ, which keeps A symmetric where only one of them is without mass.
            let k = s.coefficient;
            let [ta, tb] = s.places().map(|i| self.h * self.theta(i));
            add(s.places(), k * ta * ta, k * tb * tb, k * ta * tb);
        }
        for (s, implicit) in network.dashpots().iter().zip(&self.implicit) {
            let w = s.coefficient * self.h * if *implicit { 1.0 } else { self.theta };
            add(s.places(), w, w, w);
        }
    }
}

/// The solver for a chain where the network is one, else the general one; where the limit of each slider stands in it.
pub(super) fn solver(network: &Network, layout: &Layout) -> Result<(Solver, Vec<Index>), Error> {
    let n = layout.node.len();
    if let Some(place) = places_on_chain(layout)
        && let Some((diagonal, coupling)) = tridiagonal(network, layout)
    {
        let beside =
            |i: usize| coupling.get(i).unwrap_or(&0.0) + if i > 0 { coupling[i - 1] } else { 0.0 };
        let joined = coupling.iter().all(|c| *c >= 0.0);
        // The solver of chains asks for a diagonally dominant matrix with couplings of one sign, which masses and springs of
        // positive stiffness make; anything else is left to the general one.
        if joined && (0..n).all(|i| diagonal[i] >= beside(i)) {
            return Ok((Solver::Chain(Box::new(Chain::new(diagonal, coupling)?)), place));
        }
    }
    let element = |e: usize| {
        let [first, second] = layout.slider(e).map(|i| layout.unknown(i));
        // A network refuses a slider whose ends are both prescribed, so the first end is always an unknown.
        Element { a: first.unwrap_or(0), b: second }
    };
    let elements: Vec<Element> = (0..layout.flipped.len()).map(element).collect();
    let mut entries = Vec::new();
    layout.entries(network, |i, j, v| entries.push((i, j, v)));
    let place = (0..elements.len() as Index).collect();
    Ok((Solver::Sparse(Box::new(Sparse::new(n, &entries, elements))), place))
}

/// The diagonal of A and what stands beside it, with the other sign; `None` where others than neighbours are joined.
fn tridiagonal(network: &Network, layout: &Layout) -> Option<(Vec<f64>, Vec<f64>)> {
    let n = layout.node.len();
    // Without any free node there is no chain, and the subtraction below ends the search.
    let mut diagonal = vec![0.0; n];
    let mut coupling = vec![0.0; n.checked_sub(1)?];
    let mut neighbours = true;
    layout.entries(network, |i, j, v| match j - i {
        0 => diagonal[i] += v,
        1 => coupling[i] -= v,
        _ => neighbours = false,
    });
    neighbours.then_some((diagonal, coupling))
}

/// The unknown of each slider where each unknown has at most one slider, to the ground; `None` for any other network.
fn places_on_chain(layout: &Layout) -> Option<Vec<Index>> {
    let mut taken = vec![false; layout.node.len()];
    let place = |e: usize| {
        let [free, held] = layout.slider(e);
        let to_ground = held >= layout.unknown.len();
        let k = layout.unknown(free).filter(|&k| to_ground && !taken[k])?;
        taken[k] = true;
        Some(k as Index)
    };
    (0..layout.flipped.len()).map(place).collect()
}

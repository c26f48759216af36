//! Which sliders can only give way together.
//!
//! Sliders that stick join nodes into clusters. Where they form loops, their forces are not unique; whether they can
//! hold is. Forces λ_e within the limits that balance the loads F_i exist if and only if no cut is overloaded,
//!
//! ```text
//! |Σ_{i∈U} F_i| ≤ Σ_{e∈δU} f_s,e N_e        for every part U of a cluster, δU the sliders between U and the rest
//! ```
//!
//! (Gale 1957, on flows in networks), and it is enough to look at parts that hang together and leave a rest that does.
//! When a cut is at its limit every slider in it is, whatever the others carry, and the part U breaks away as a whole.
//! In a tree every slider is a cut of its own.

use super::parts::{Parts, Sets, unsuitable};
use crate::error::{Error, Obstacle};
use std::cmp::Reverse;

/// Parts of one cluster that are looked at before it is given up.
const MOST_PARTS: usize = 50_000;

/// The sliders between a part of a cluster and the rest.
#[derive(Debug, Clone)]
pub(super) struct Cut {
    /// Slider, and 1 where its first end is in the part, −1 where its second is.
    pub sliders: Vec<(usize, i8)>,
    /// Its number, or that of the loops it goes through: cuts of the same loops share sliders.
    pub block: usize,
}

/// The clusters of a slip pattern.
#[derive(Debug, Clone)]
pub(super) struct Clusters {
    /// For each node one that it moves with anyhow.
    pub alike: Vec<usize>,
    /// The set of each node.
    pub set: Vec<usize>,
    /// A node of each set: a prescribed one if there is one.
    pub roots: Vec<usize>,
    /// Sliders of a spanning tree of each, from the leaves to the roots: slider, child, parent.
    pub tree: Vec<(usize, usize, usize)>,
    pub cuts: Vec<Cut>,
    /// Sliders in loops.
    pub looped: Vec<usize>,
    /// Sliders that cannot stick, because both their ends go with prescribed nodes that move differently.
    pub torn: Vec<usize>,
}

/// A spanning tree of each cluster.
struct Tree {
    /// From the leaves to the roots: slider, child, parent.
    edges: Vec<(usize, usize, usize)>,
    /// Of each node the slider to its parent, and the parent; and how far it is from the root.
    up: Vec<Option<(usize, usize)>>,
    depth: Vec<usize>,
}

impl Tree {
    /// Breadth first from the `roots`; `around` each node its sliders with their other ends.
    fn new(roots: &[usize], around: &[Vec<(usize, usize)>]) -> Self {
        let nodes = around.len();
        let mut edges = Vec::new();
        let mut up = vec![None; nodes];
        let mut depth = vec![0; nodes];
        for &root in roots {
            // The list of edges is the queue as well: the child of each edge is visited in its turn.
            let mut next = edges.len();
            let mut at = root;
            loop {
                for &(e, j) in &around[at] {
                    // The root has no way up and would look like a node not reached yet.
                    if j != root && up[j].is_none() {
                        (up[j], depth[j]) = (Some((e, at)), depth[at] + 1);
                        edges.push((e, j, at));
                    }
                }
                let Some(&(_, child, _)) = edges.get(next) else { break };
                at = child;
                next += 1;
            }
        }
        edges.reverse();
        Self { edges, up, depth }
    }
}

impl Clusters {
    /// Those of the sliders that stick, `signs` 0. `alike` names for each node one that it moves with anyhow.
    pub fn new(parts: &Parts, signs: &[i8], alike: Vec<usize>) -> Result<Self, Error> {
        let nodes = parts.ground + 1;
        let mut sets = Sets::new(nodes);
        (0..nodes).for_each(|i| sets.join(i, alike[i]));
        // The prescribed node that leads each set: two sets with different leaders cannot become one.
        let mut leader: Vec<Option<usize>> = vec![None; nodes];
        for i in (0..nodes).filter(|&i| parts.given[i]) {
            leader[sets.root(i)] = Some(alike[i]);
        }
        let mut around: Vec<Vec<(usize, usize)>> = vec![Vec::new(); nodes];
        let mut torn = Vec::new();
        let mut sticking = Vec::new();
        for (e, c) in parts.contacts.iter().enumerate().filter(|c| signs[c.0] == 0) {
            let a = sets.root(c.a);
            let b = sets.root(c.b);
            if let (Some(p), Some(q)) = (leader[a], leader[b])
                && p != q
            {
                torn.push(e);
                continue;
            }
            // Taken before the sets are joined, which changes the root that the leader is noted at.
            let leads = leader[a].or(leader[b]);
            sets.join(a, b);
            leader[sets.root(a)] = leads;
            sticking.push(e);
            around[alike[c.a]].push((e, alike[c.b]));
            around[alike[c.b]].push((e, alike[c.a]));
        }
        // Clusters are numbered by their roots: what is given if there is such a node, else any.
        let mut number = vec![usize::MAX; nodes];
        let mut roots: Vec<usize> = Vec::new();
        for pass in [true, false] {
            for i in (0..nodes).filter(|&i| parts.given[i] == pass && alike[i] == i) {
                let set = sets.root(i);
                if number[set] == usize::MAX {
                    number[set] = roots.len();
                    roots.push(i);
                }
            }
        }
        let set = (0..nodes).map(|i| number[sets.root(i)]).collect();
        let Tree { edges, up, depth } = Tree::new(&roots, &around);
        let tree = edges;
        let cuts = Vec::new();
        let looped = Vec::new();
        let mut clusters = Self { alike, set, roots, tree, cuts, looped, torn };
        clusters.cut(parts, &sticking, &up, &depth)?;
        Ok(clusters)
    }

    /// Finds the cuts: of a slider in no loop its own, of sliders whose loops hang together all.
    fn cut(
        &mut self,
        parts: &Parts,
        sticking: &[usize],
        up: &[Option<(usize, usize)>],
        depth: &[usize],
    ) -> Result<(), Error> {
        let alike = self.alike.clone();
        let ends = |e: usize| (alike[parts.contacts[e].a], alike[parts.contacts[e].b]);
        let mut blocks = Sets::new(parts.contacts.len());
        for &e in sticking {
            // A slider beside the tree closes a loop with the ways of its ends up the tree.
            let (mut a, mut b) = ends(e);
            let in_tree = |i: usize| up[i].is_some_and(|u| u.0 == e);
            if in_tree(a) || in_tree(b) {
                continue;
            }
            while a != b {
                if depth[a] < depth[b] {
                    std::mem::swap(&mut a, &mut b);
                }
                let Some((above, parent)) = up[a] else { break };
                blocks.join(above, e);
                a = parent;
            }
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); parts.contacts.len()];
        sticking.iter().for_each(|&e| members[blocks.root(e)].push(e));
        for (block, sliders) in members.iter().enumerate() {
            match sliders[..] {
                [] => {}
                [e] => {
                    let (a, _) = ends(e);
                    // The part is what hangs below the slider in the tree: its first end is there if the slider leads
                    // up from it.
                    let down = up[a].is_some_and(|u| u.0 == e);
                    self.cuts.push(Cut { sliders: vec![(e, if down { 1 } else { -1 })], block });
                }
                _ => {
                    self.looped.extend(sliders);
                    self.parts_of(parts, sliders, &ends, block)?;
                }
            }
        }
        Ok(())
    }

    /// The cuts of `sliders` whose loops hang together.
    fn parts_of(
        &mut self,
        parts: &Parts,
        sliders: &[usize],
        ends: &dyn Fn(usize) -> (usize, usize),
        block: usize,
    ) -> Result<(), Error> {
        let mut nodes: Vec<usize> = sliders.iter().flat_map(|&e| [ends(e).0, ends(e).1]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        // The busiest first: parts without it, such as the ground, are the fewest.
        let busy =
            |i: &usize| sliders.iter().filter(|&&e| ends(e).0 == *i || ends(e).1 == *i).count();
        nodes.sort_by_cached_key(|i| Reverse(busy(i)));
        let too_many = || {
            let first = sliders.iter().take(5);
            let names = first.map(|&e| parts.contacts[e].name.to_string()).collect();
            unsuitable(Obstacle::TooManyLoops { sliders: names, more: sliders.len() > 5 })
        };
        // Parts are sets of bits; so many nodes in loops would have too many parts anyway.
        if nodes.len() > u128::BITS as usize {
            return Err(too_many());
        }
        let bit = |i: usize| 1u128 << nodes.iter().position(|n| *n == i).unwrap_or(0);
        let mut beside = vec![0u128; nodes.len()];
        for &e in sliders {
            let a = bit(ends(e).0);
            let b = bit(ends(e).1);
            beside[a.trailing_zeros() as usize] |= b;
            beside[b.trailing_zeros() as usize] |= a;
        }
        // There are at least two nodes here, as many as a loop needs, so the shift is less than the width.
        let all = u128::MAX >> (u128::BITS as usize - nodes.len());
        // The part that is without the first node stands for both.
        let mut found = Vec::new();
        let mut budget = MOST_PARTS;
        for first in 1..nodes.len() {
            // Each part is grown from its lowest node only, so that none is found twice.
            let without = (1u128 << first) | ((1u128 << first) - 1);
            grow(1u128 << first, without, &beside, &mut budget, &mut |part| {
                if hangs_together(all & !part, &beside) {
                    found.push(part);
                }
            });
        }
        // The search may have ended early, and a cut that it missed would never give way.
        if budget == 0 {
            return Err(too_many());
        }
        for part in found {
            let side = |e: usize| match (part & bit(ends(e).0) != 0, part & bit(ends(e).1) != 0) {
                (true, false) => Some((e, 1)),
                (false, true) => Some((e, -1)),
                _ => None,
            };
            let sliders = sliders.iter().filter_map(|&e| side(e)).collect();
            self.cuts.push(Cut { sliders, block });
        }
        Ok(())
    }
}

/// The neighbours of a set.
fn around(set: u128, beside: &[u128]) -> u128 {
    let mut left = set;
    let mut sum = 0;
    while left != 0 {
        sum |= beside[left.trailing_zeros() as usize];
        left &= left - 1;
    }
    sum & !set
}

fn hangs_together(set: u128, beside: &[u128]) -> bool {
    let mut reached = set & set.wrapping_neg();
    loop {
        let more = around(reached, beside) & set;
        if more == 0 {
            return reached == set;
        }
        reached |= more;
    }
}

/// Visits every set that hangs together, has `set` in it and nothing of `without`, once.
fn grow(
    set: u128,
    mut without: u128,
    beside: &[u128],
    budget: &mut usize,
    visit: &mut dyn FnMut(u128),
) {
    if *budget == 0 {
        return;
    }
    *budget -= 1;
    visit(set);
    let mut next = around(set, beside) & !without;
    while next != 0 {
        let one = next & next.wrapping_neg();
        next &= !one;
        grow(set | one, without, beside, budget, visit);
        // All sets with this node have been visited: the next ones do without it.
        without |= one;
    }
}

//! A small network as lanes want it: one unknown for each node, and one slider at most for each unknown.
//!
//! Where the sliders, the ground and the prescribed nodes form a forest, take for the unknown of a node its velocity
//! relative to the node that its slider joins it to:
//!
//! ```text
//! w = T y + u,    TᵀAT y + h λ = Tᵀ (r − A u),    A = M + h ΘC + h² ΘKΘ
//! ```
//!
//! u is the velocity of the prescribed node at the root of the tree. Then what sticks is y_i = 0, and the velocities at both
//! ends of what sticks are equal to the last bit. Θ is that of the θ-method for every network: θ for a node with mass, 1 for one
//! without, which is in balance at the end of the step; dashpots that touch one are taken there.

use crate::model::Network;
use crate::model::network::Slider;
use crate::onestep::cuthill_mckee;

/// The most unknowns.
const MOST: usize = 32;

/// What the velocity of an unknown is relative to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Parent {
    /// The ground.
    Fixed,
    /// A prescribed node, by its number among them.
    Moved(usize),
    /// Another unknown.
    Free(usize),
}

/// Where a node of the network is found.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Unknown(usize),
    Moved(usize),
}

/// A slider of an unknown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rubs {
    /// Its number in the network.
    pub slider: usize,
    /// h f_s and h f_d, N·s, without the normal force.
    pub held: f64,
    pub sliding: f64,
    /// What the velocity at the end of the step counts in the way that it slides: θ, or 1 where an end has no mass.
    pub theta: f64,
}

impl Rubs {
    /// Of slider number `e` with steps `h` (s).
    fn new(e: usize, slider: &Slider, h: f64, theta: f64) -> Self {
        Self { slider: e, held: h * slider.breakaway, sliding: h * slider.dynamic, theta }
    }
}

/// One unknown and its node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknown {
    pub node: usize,
    pub parent: Parent,
    pub rubs: Option<Rubs>,
    /// m, kg.
    pub mass: f64,
    /// θ.
    pub theta: f64,
    /// h (1 − θ) and h θ, s: what the velocities before and after the step count in its way.
    pub old: f64,
    pub new: f64,
    /// h times the stiffness of its springs to what does not move freely, N·s/m.
    pub anchored: f64,
    /// What its velocity before the step takes through dashpots to what does not move freely, N·s/m · s.
    pub damped: f64,
}

/// A network with steps of one length.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// In the order of elimination.
    pub unknowns: Vec<Unknown>,
    /// Unknowns with a free parent, parents first.
    pub below: Vec<(usize, usize)>,
    /// Springs between unknowns and h k, N·s/m.
    pub springs: Vec<(usize, usize, f64)>,
    /// Dashpots between unknowns and what of h c counts before the step, N·s/m · s; those of which nothing does are left out.
    pub dashpots: Vec<(usize, usize, f64)>,
    /// How far from the diagonal the matrix TᵀAT goes, and its rows: `band` entries before the diagonal, and that.
    pub band: usize,
    pub matrix: Vec<f64>,
    /// The nodes of the network.
    pub places: Vec<Place>,
    /// The prescribed ones.
    pub moved: Vec<usize>,
    /// By prescribed node and unknown: h k of what joins them, and what its velocities at the end and at the start of the
    /// step give to the right-hand side.
    pub by_place: Vec<f64>,
    pub by_velocity: Vec<f64>,
    pub by_velocity_before: Vec<f64>,
    pub two_phase: bool,
}

/// An order of the unknowns in which the matrix has a narrow band.
struct Banded {
    /// The unknowns in that order.
    order: Vec<usize>,
    /// The place of each of them in it.
    at: Vec<usize>,
    /// How far from the diagonal the matrix goes then.
    band: usize,
}

impl Banded {
    /// For a symmetric matrix of `n` rows, by its entries that are not zero (Cuthill and McKee 1969).
    fn new(matrix: &[f64], n: usize) -> Self {
        let far = |&(i, j): &(usize, usize)| i < j && matrix[i * n + j] != 0.0;
        let pairs: Vec<_> = (0..n * n).map(|e| (e / n, e % n)).filter(far).collect();
        // Of TᵀAT, not of A: what a slider joins stands together there, whatever the springs do.
        let order = cuthill_mckee(n, &pairs);
        let mut at = vec![0; n];
        order.iter().enumerate().for_each(|(k, &i)| at[i] = k);
        let band = pairs.iter().map(|&(i, j)| at[i].abs_diff(at[j])).max().unwrap_or(0);
        Self { order, at, band }
    }
}

/// The forest that the sliders form; by free nodes, in the order of the network.
struct Forest {
    parent: Vec<Parent>,
    slider: Vec<Option<usize>>,
    /// Free nodes, each after its parent.
    order: Vec<usize>,
}

impl Layout {
    /// Of `network` with steps `h` (s) of the θ-method, if it is small, its sliders form a forest and no two nodes share mass.
    pub fn new(network: &Network, h: f64, theta: f64) -> Option<Self> {
        let nodes = network.nodes();
        let mut moved = Vec::new();
        let mut free = Vec::new();
        let mut places = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            let (list, place): (&mut Vec<usize>, fn(usize) -> Place) = match node.motion {
                Some(_) => (&mut moved, Place::Moved),
                None => (&mut free, Place::Unknown),
            };
            places.push(place(list.len()));
            list.push(i);
        }
        let n = free.len();
        if n == 0 || n > MOST || !network.shared_masses().is_empty() {
            return None;
        }
        let forest = Forest::new(network, &places, n)?;
        let mut dense = vec![0.0; n * n];
        let mut by_place = vec![0.0; moved.len() * n];
        let mut by_velocity = by_place.clone();
        let mut by_velocity_before = by_place.clone();
        let mut springs = Vec::new();
        let mut dashpots = Vec::new();
        let mut anchored = vec![0.0; n];
        let mut damped = vec![0.0; n];
        let theta_of = |k: usize| if nodes[free[k]].mass == 0.0 { 1.0 } else { theta };
        for (k, &i) in free.iter().enumerate() {
            dense[k * n + k] = nodes[i].mass;
        }
        let links = network.springs().iter().map(|s| (s, true));
        for (link, spring) in links.chain(network.dashpots().iter().map(|s| (s, false))) {
            let c = link.coefficient;
            let [a, b] = link.between().map(|i| i.map(|i| places[i]));
            // Where θ = 1 all nodes are taken at the end of the step, and it makes no difference whether they have
            // mass.
            let light = |p| matches!(p, Some(Place::Unknown(k)) if theta_of(k) == 1.0);
            // Of a dashpot, what counts at the end of the step.
            let end = if light(a) || light(b) { 1.0 } else { theta };
            for (this, other) in [(a, b), (b, a)] {
                let Some(Place::Unknown(k)) = this else { continue };
                // As in A above: a spring brings the θ of both ends, a dashpot the one that both of its ends share.
                let entry = |j: usize| match spring {
                    true => h * theta_of(k) * (h * theta_of(j)) * c,
                    false => h * end * c,
                };
                dense[k * n + k] += entry(k);
                match other {
                    Some(Place::Unknown(j)) => dense[k * n + j] -= entry(j),
                    // The place of a prescribed node is known: it goes to the right-hand side instead of the matrix.
                    Some(Place::Moved(m)) if spring => by_place[m * n + k] += h * c,
                    Some(Place::Moved(m)) => {
                        by_velocity[m * n + k] += h * end * c;
                        by_velocity_before[m * n + k] += h * (1.0 - end) * c;
                    }
                    None => {}
                }
                if !matches!(other, Some(Place::Unknown(_))) {
                    let list = if spring { &mut anchored } else { &mut damped };
                    list[k] += if spring { h * c } else { h * (1.0 - end) * c };
                }
            }
            if let (Some(Place::Unknown(a)), Some(Place::Unknown(b))) = (a, b) {
                if spring {
                    springs.push((a, b, h * c));
                } else if end < 1.0 {
                    // A dashpot that is taken at the end of the step leaves nothing for the velocities before it.
                    dashpots.push((a, b, h * (1.0 - end) * c));
                }
            }
        }
        // With A itself, before it becomes TᵀAT: the velocities of prescribed nodes enter by A u.
        forest.carry(&dense, &mut by_velocity);
        let reduced = forest.reduce(dense);
        let Banded { order, at, band } = Banded::new(&reduced, n);
        let row = |k: usize| {
            let order = &order;
            let reduced = &reduced;
            (0..=band).map(move |d| {
                // The first rows have fewer entries before the diagonal than the band is wide: zeros fill them up.
                (k + d).checked_sub(band).map_or(0.0, |j| reduced[order[k] * n + order[j]])
            })
        };
        let by_order = |list: &[f64]| {
            list.chunks(n).flat_map(|of| order.iter().map(|&i| of[i])).collect::<Vec<_>>()
        };
        let sliders = network.sliders();
        let weight = |p: Option<usize>| match p.map(|i| places[i]) {
            Some(Place::Unknown(k)) => theta_of(k),
            _ => theta,
        };
        // If either end has no mass the whole contact is taken at the end of the step.
        let ends = |e: usize| sliders[e].between().map(weight).into_iter().fold(theta, f64::max);
        let rubs = |e: usize| Rubs::new(e, &sliders[e], h, ends(e));
        let unknown = |&i: &usize| Unknown {
            node: free[i],
            parent: match forest.parent[i] {
                Parent::Free(j) => Parent::Free(at[j]),
                other => other,
            },
            rubs: forest.slider[i].map(rubs),
            mass: nodes[free[i]].mass,
            theta: theta_of(i),
            old: (1.0 - theta_of(i)) * h,
            new: theta_of(i) * h,
            anchored: anchored[i],
            damped: damped[i],
        };
        let below = forest.order.iter().filter_map(|&i| match forest.parent[i] {
            Parent::Free(j) => Some((at[i], at[j])),
            _ => None,
        });
        let place = |p: &Place| match p {
            Place::Unknown(k) => Place::Unknown(at[*k]),
            Place::Moved(m) => Place::Moved(*m),
        };
        Some(Self {
            unknowns: order.iter().map(unknown).collect(),
            below: below.collect(),
            springs: springs.iter().map(|&(a, b, c)| (at[a], at[b], c)).collect(),
            dashpots: dashpots.iter().map(|&(a, b, c)| (at[a], at[b], c)).collect(),
            band,
            matrix: (0..n).flat_map(row).collect(),
            places: places.iter().map(place).collect(),
            by_place: by_order(&by_place),
            by_velocity: by_order(&by_velocity),
            by_velocity_before: by_order(&by_velocity_before),
            moved,
            two_phase: sliders.iter().any(|s| s.breakaway != s.dynamic),
        })
    }

    /// Entries (i, j), i ≤ j, of the matrix.
    pub fn entries(&self) -> Vec<(usize, usize, f64)> {
        let width = self.band + 1;
        let entry = |(e, &value): (usize, &f64)| {
            let i = e / width;
            let d = e % width;
            Some(((i + d).checked_sub(self.band)?, i, value))
        };
        self.matrix.iter().enumerate().filter_map(entry).collect()
    }
}

impl Forest {
    /// Of the sliders between `n` free nodes and others; `None` if they form a circle.
    fn new(network: &Network, places: &[Place], n: usize) -> Option<Self> {
        let mut forest =
            Self { parent: vec![Parent::Fixed; n], slider: vec![None; n], order: Vec::new() };
        let sliders = network.sliders();
        let ends = |e: usize| sliders[e].between().map(|i| i.map(|i| places[i]));
        let mut reached = vec![false; n];
        let mut used = vec![false; sliders.len()];
        // From what does not move freely outwards; then from the first node of each part that is left.
        for root in 0..=n {
            let mut from = forest.order.len();
            if root == 0 {
                for e in 0..sliders.len() {
                    let (k, parent) = match ends(e) {
                        [Some(Place::Unknown(_)), Some(Place::Unknown(_))] => continue,
                        [Some(Place::Unknown(k)), other] | [other, Some(Place::Unknown(k))] => {
                            let moved = |p| if let Place::Moved(m) = p { Some(m) } else { None };
                            (k, other.and_then(moved).map_or(Parent::Fixed, Parent::Moved))
                        }
                        _ => return None,
                    };
                    // A second slider from one node to what does not move freely closes a circle.
                    if std::mem::replace(&mut reached[k], true) {
                        return None;
                    }
                    used[e] = true;
                    (forest.parent[k], forest.slider[k]) = (parent, Some(e));
                    forest.order.push(k);
                }
            } else if !std::mem::replace(&mut reached[root - 1], true) {
                forest.order.push(root - 1);
            }
            while let Some(&i) = forest.order.get(from) {
                from += 1;
                for e in 0..sliders.len() {
                    let [Some(Place::Unknown(a)), Some(Place::Unknown(b))] = ends(e) else {
                        continue;
                    };
                    // The slider on which this node was reached leads back to its parent, and closes no circle.
                    if used[e] || (a != i && b != i) {
                        continue;
                    }
                    let other = if a == i { b } else { a };
                    if std::mem::replace(&mut reached[other], true) {
                        return None;
                    }
                    used[e] = true;
                    (forest.parent[other], forest.slider[other]) = (Parent::Free(i), Some(e));
                    forest.order.push(other);
                }
            }
        }
        Some(forest)
    }

    /// Takes A u off what the velocities of prescribed nodes give, u the motion of the trees that stand on them.
    fn carry(&self, a: &[f64], by_velocity: &mut [f64]) {
        let n = self.parent.len();
        for (m, given) in by_velocity.chunks_mut(n).enumerate() {
            let mut rides = vec![false; n];
            for &i in &self.order {
                rides[i] = match self.parent[i] {
                    // Only trees that stand on this prescribed node ride on it.
                    Parent::Moved(root) => root == m,
                    Parent::Free(j) => rides[j],
                    Parent::Fixed => false,
                };
            }
            for (i, given) in given.iter_mut().enumerate() {
                *given -= (0..n).filter(|&j| rides[j]).map(|j| a[i * n + j]).sum::<f64>();
            }
        }
    }

    /// TᵀAT.
    fn reduce(&self, mut a: Vec<f64>) -> Vec<f64> {
        let n = self.parent.len();
        // Leaves first, so that what a node gathers is passed on.
        for &i in self.order.iter().rev() {
            let Parent::Free(j) = self.parent[i] else { continue };
            (0..n).for_each(|k| a[j * n + k] += a[i * n + k]);
            (0..n).for_each(|k| a[k * n + j] += a[k * n + i]);
        }
        a
    }
}

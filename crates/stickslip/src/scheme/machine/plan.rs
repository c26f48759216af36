//! What every stage of a step looks at, laid out once in flat lists.
//!
//! A step of order 8 takes fifteen looks at the forces, and the audit of energy eight more. So that each of them is a few short
//! loops, the links between nodes are numbers here, the ground among them, and what a force on a mass does to the groups of a mode
//! is a list without zeros.

use crate::model::{Machine, network};

/// A linear spring or dashpot. The ground is the number behind that of the last node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub ends: [usize; 2],
    pub coefficient: f64,
}

impl Link {
    /// The difference of its ends, u_a − u_b, by one number for each node and a zero for the ground.
    #[inline]
    pub fn stretch(&self, u: &[f64]) -> f64 {
        let [a, b] = self.ends;
        u[a] - u[b]
    }

    /// Adds to the forces on nodes that it pulls its ends together with `f` (N).
    #[inline]
    pub fn pull(&self, force: &mut [f64], f: f64) {
        let [a, b] = self.ends;
        force[a] -= f;
        force[b] += f;
    }
}

/// The parts of a machine that link two nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Links {
    pub springs: Vec<Link>,
    pub dashpots: Vec<Link>,
    /// The sliders whose law has no memory: their rows, with their ends.
    pub sliders: Vec<(usize, Link)>,
    /// The velocity of the surface under each slider, by its number among what is given, if it moves.
    pub supports: Vec<Option<usize>>,
}

impl Links {
    /// Those of `machine`, whose surfaces have these numbers.
    pub fn of(machine: &Machine, supports: Vec<Option<usize>>) -> Self {
        let network = machine.network();
        let ground = network.nodes().len();
        let link = |between: [Option<usize>; 2], coefficient: f64| Link {
            ends: between.map(|end| end.unwrap_or(ground)),
            coefficient,
        };
        let links = |all: &[network::Link]| {
            all.iter().map(|part| link(part.between(), part.coefficient)).collect()
        };
        let sliders = network.sliders().iter().enumerate();
        let plain = sliders.filter(|(e, _)| machine.frictions()[*e].bristle.is_none());
        Self {
            springs: links(network.springs()),
            dashpots: links(network.dashpots()),
            sliders: plain.map(|(e, slider)| (e, link(slider.between(), 1.0))).collect(),
            supports,
        }
    }
}

/// What a force on a mass adds to the acceleration of a group, over the force.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    pub mass: usize,
    pub group: usize,
    pub weight: f64,
}

/// What the accelerations of a mode are made of.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    /// Mass by mass, and without zeros: most pairs of groups have no common inertia.
    pub answers: Vec<Answer>,
    /// Whether a mass is carried by what moves as it is given.
    pub led: bool,
}

impl Plan {
    /// Adds a mass that moves `ratio` times as fast as its group, by the inverse of the mass matrix of the groups.
    pub fn add(&mut self, mass: usize, group: usize, ratio: f64, inverse: &[f64]) {
        let groups = inverse.len().isqrt();
        for g in 0..groups {
            let weight = inverse[g * groups + group] * ratio;
            if weight != 0.0 {
                self.answers.push(Answer { mass, group: g, weight });
            }
        }
    }
}

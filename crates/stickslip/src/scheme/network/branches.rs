//! What joins the nodes of a network, in arrays that a step reads once: a node itself, with its name and loads, is many
//! times as long.

use crate::model::Network;
use crate::model::network::Link;

/// The number of a node; the ground is the one after the last.
pub(super) type Index = u32;

/// A spring, N/m, or a dashpot, N·s/m.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branch {
    pub between: [Index; 2],
    pub coefficient: f64,
}

/// Springs, dashpots and the ends of the sliders, in the order of the network.
#[derive(Debug)]
pub(super) struct Branches {
    pub springs: Vec<Branch>,
    pub dashpots: Vec<Branch>,
    pub sliders: Vec<[Index; 2]>,
}

impl Branches {
    /// Of `network`.
    pub fn new(network: &Network) -> Self {
        let ground = network.nodes().len();
        let ends = |between: [Option<usize>; 2]| between.map(|e| e.unwrap_or(ground) as Index);
        let branch = |l: &Link| Branch { between: ends(l.between), coefficient: l.coefficient };
        Self {
            springs: network.springs().iter().map(branch).collect(),
            dashpots: network.dashpots().iter().map(branch).collect(),
            sliders: network.sliders().iter().map(|s| ends(s.between)).collect(),
        }
    }
}

/// The ends as places in a list of all nodes and the ground.
#[inline(always)]
pub(super) fn ends(between: [Index; 2]) -> [usize; 2] {
    between.map(|i| i as usize)
}

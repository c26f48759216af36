//! Masses joined by springs, dashpots and dry-friction contacts.

mod assemblies;
mod builder;
mod directions;
mod ends;
mod matrices;
mod name;
mod posed;

pub use crate::error::{Part, PartKind};
pub use builder::NetworkBuilder;
pub(crate) use ends::Ends;
pub use matrices::Matrices;
pub use name::Name;
pub use posed::Remark;

use super::Inlet;
use crate::signal::Signal;

/// A point that moves along one line.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its name, unique.
    pub name: Name,
    /// m ≥ 0, kg; 0 for a massless node. The entry on the diagonal of the mass matrix.
    pub mass: f64,
    /// x(0), m.
    pub displacement: f64,
    /// ẋ(0), m/s; of a node with mass.
    pub velocity: f64,
    /// x(t), m, where it is prescribed.
    pub motion: Option<Signal>,
    /// F(t), N.
    pub force: Signal,
}

/// A spring or a dashpot between two nodes, or a node and the ground (`None`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    ends: Ends,
    /// k, N/m, or c, N·s/m; negative only where it comes from a matrix.
    pub coefficient: f64,
}

impl Link {
    fn new(between: [Option<usize>; 2], coefficient: f64) -> Self {
        Self { ends: Ends::new(between), coefficient }
    }

    /// Its ends.
    #[inline(always)]
    pub fn between(&self) -> [Option<usize>; 2] {
        self.ends.nodes()
    }

    /// The places of its ends in a list of all nodes; that of the ground is behind the end of any list.
    #[inline(always)]
    pub(crate) fn places(&self) -> [usize; 2] {
        self.ends.places()
    }
}

/// Mass that two nodes share: an entry of the mass matrix beside its diagonal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shared {
    /// The nodes, the one with the smaller number first.
    pub between: [usize; 2],
    /// M_ij, kg; it may be negative.
    pub mass: f64,
}

/// A dry-friction contact between two nodes, or a node and the ground (`None`).
#[derive(Debug, Clone, PartialEq)]
pub struct Slider {
    /// Its name, unique.
    pub name: Name,
    ends: Ends,
    /// f_s, N, or a coefficient where `normal` is given.
    pub breakaway: f64,
    /// f_d ≤ f_s, N, or a coefficient.
    pub dynamic: f64,
    /// N(t) ≥ 0, N.
    pub normal: Option<Signal>,
}

impl Slider {
    /// Its ends; the friction on the first is −λ, on the second +λ.
    #[inline(always)]
    pub fn between(&self) -> [Option<usize>; 2] {
        self.ends.nodes()
    }

    /// Its ends, as a list of many sliders has them.
    pub(crate) fn ends(&self) -> Ends {
        self.ends
    }

    /// What f_s and f_d are multiplied by at `t`; where it touches zero, rounding makes it no less.
    pub fn normal_at(&self, t: f64) -> f64 {
        self.normal.as_ref().map_or(1.0, |n| n.value(t).max(0.0))
    }
}

/// Nodes on a line, springs, dashpots and sliders between them:
///
/// ```text
/// M ẍ + C ẋ + K x + Gᵀλ = F(t),     λ_e = f_d σ((Gẋ)_e) in slip,  |λ_e| ≤ f_s in stick
/// ```
///
/// Made by a [`NetworkBuilder`], which checks that the problem is well posed.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    nodes: Vec<Node>,
    springs: Vec<Link>,
    dashpots: Vec<Link>,
    sliders: Vec<Slider>,
    shared: Vec<Shared>,
    remarks: Vec<Remark>,
}

impl Network {
    /// An empty network to be filled.
    pub fn builder() -> NetworkBuilder {
        NetworkBuilder::default()
    }

    /// The nodes, in the order in which they were given.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The springs.
    pub fn springs(&self) -> &[Link] {
        &self.springs
    }

    /// The dashpots.
    pub fn dashpots(&self) -> &[Link] {
        &self.dashpots
    }

    /// The sliders.
    pub fn sliders(&self) -> &[Slider] {
        &self.sliders
    }

    /// The masses that nodes share: the mass matrix beside its diagonal.
    pub fn shared_masses(&self) -> &[Shared] {
        &self.shared
    }

    /// What is allowed but worth knowing, such as friction forces that are not unique.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// The force on node number `node`, N, if there is one.
    pub(crate) fn force_on(&mut self, node: usize) -> Option<&mut Signal> {
        self.nodes.get_mut(node).map(|n| &mut n.force)
    }

    /// The signal at an inlet, if the network has one there.
    pub(super) fn at_inlet(&mut self, inlet: Inlet) -> Option<&mut Signal> {
        match inlet {
            Inlet::NodeForce(i) => self.force_on(i),
            Inlet::NodeMotion(i) => self.nodes.get_mut(i)?.motion.as_mut(),
            Inlet::SliderNormal(i) => self.sliders.get_mut(i)?.normal.as_mut(),
            _ => None,
        }
    }

    /// Adds a force on node number `node`, N.
    #[cfg(test)]
    pub(crate) fn push(&mut self, node: usize, force: Signal) {
        let node = &mut self.nodes[node];
        node.force = std::mem::take(&mut node.force) + force;
    }

    /// Checks that the signals cover [0, end] (s) and that no normal force is negative there.
    ///
    /// # Errors
    /// If a signal is too short, or with the first instant at which a normal force is negative.
    pub fn check_until(&self, end: f64) -> Result<(), crate::Error> {
        crate::error::require("the end of the run", end, end > 0.0, "a finite time > 0 s")?;
        for node in &self.nodes {
            node.force.require_domain("force", 0.0, end)?;
            if let Some(m) = &node.motion {
                m.require_domain("motion", 0.0, end)?;
            }
        }
        for normal in self.sliders.iter().filter_map(|s| s.normal.as_ref()) {
            normal.require_domain("normal force", 0.0, end)?;
            normal.require_pressing(0.0, end)?;
        }
        Ok(())
    }
}

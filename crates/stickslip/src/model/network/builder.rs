//! Putting a network together.

use super::{Link, Network, Node, Part, PartKind, Slider, posed};
use crate::error::Error;
use crate::signal::Signal;
use std::collections::{HashMap, HashSet};

/// Collects nodes and what joins them; mistakes are told by [`build`](Self::build).
///
/// ```
/// use stickslip::{Signal, model::Network};
/// # fn main() -> Result<(), stickslip::Error> {
/// let network = Network::builder()
///     .node("a", 1.0)
///     .node("b", 2.0)
///     .spring("a", "b", 3.0)
///     .dashpot("a", "ground", 0.1)
///     .slider("s1", "a", "ground", 1.2, 1.0)
///     .force("b", Signal::harmonic(1.0, 1.0, 0.0))
///     .build()?;
/// assert!(network.remarks().is_empty());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct NetworkBuilder {
    nodes: Vec<Node>,
    springs: Vec<(String, String, f64)>,
    dashpots: Vec<(String, String, f64)>,
    sliders: Vec<(String, String, Slider)>,
    forces: Vec<(String, Signal)>,
    motions: Vec<(String, Signal)>,
    states: Vec<(String, f64, f64)>,
}

impl NetworkBuilder {
    /// A node with `mass` ≥ 0 (kg), at rest at 0.
    pub fn node(mut self, name: impl Into<String>, mass: f64) -> Self {
        self.nodes.push(Node {
            name: name.into(),
            mass,
            displacement: 0.0,
            velocity: 0.0,
            motion: None,
            force: Signal::default(),
        });
        self
    }

    /// State of node `on` at t = 0: m, m/s.
    pub fn starting_at(mut self, on: impl Into<String>, displacement: f64, velocity: f64) -> Self {
        self.states.push((on.into(), displacement, velocity));
        self
    }

    /// A spring, N/m, between two nodes or a node and `"ground"`.
    pub fn spring(mut self, a: impl Into<String>, b: impl Into<String>, stiffness: f64) -> Self {
        self.springs.push((a.into(), b.into(), stiffness));
        self
    }

    /// A dashpot, N·s/m.
    pub fn dashpot(mut self, a: impl Into<String>, b: impl Into<String>, damping: f64) -> Self {
        self.dashpots.push((a.into(), b.into(), damping));
        self
    }

    /// A slider with breakaway force `breakaway` and sliding force `dynamic`, N.
    pub fn slider(
        mut self,
        name: impl Into<String>,
        a: impl Into<String>,
        b: impl Into<String>,
        breakaway: f64,
        dynamic: f64,
    ) -> Self {
        let (name, between) = (name.into(), [None, None]);
        let slider = Slider { name, between, breakaway, dynamic, normal: None };
        self.sliders.push((a.into(), b.into(), slider));
        self
    }

    /// A normal force N(t) on the slider given last; its numbers are coefficients then.
    pub fn normal(mut self, normal: Signal) -> Self {
        if let Some(last) = self.sliders.last_mut() {
            last.2.normal = Some(normal);
        }
        self
    }

    /// A force F(t), N, on a node; several are summed.
    pub fn force(mut self, on: impl Into<String>, force: Signal) -> Self {
        self.forces.push((on.into(), force));
        self
    }

    /// The displacement x(t), m, of a node.
    pub fn motion(mut self, on: impl Into<String>, motion: Signal) -> Self {
        self.motions.push((on.into(), motion));
        self
    }

    /// Checks everything and makes the network.
    pub fn build(self) -> Result<Network, Error> {
        let mut nodes = self.nodes;
        let names: Vec<String> = nodes.iter().map(|n| n.name.clone()).collect();
        if names.is_empty() {
            let expected = "one or more nodes";
            return Err(Error::WrongLength { what: "node", found: 0, expected });
        }
        unique(PartKind::Node, &names)?;
        if let Some(i) = names.iter().position(|n| n == GROUND) {
            return Err(Error::BadNetwork {
                place: Part::new(PartKind::Node, i, GROUND, "name"),
                reason: "this name is the fixed ground".into(),
                remedy: "give the node another name".into(),
            });
        }
        let index: HashMap<&str, usize> =
            names.iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
        let find = |place: Part, name: &str| {
            index.get(name).copied().ok_or_else(|| unknown(&names, place, name))
        };
        for (k, (on, x, v)) in self.states.into_iter().enumerate() {
            let i = find(Part::new(PartKind::State, k, &on, "on"), &on)?;
            (nodes[i].displacement, nodes[i].velocity) = (x, v);
        }
        for (k, (on, force)) in self.forces.into_iter().enumerate() {
            let i = find(Part::new(PartKind::Force, k, &on, "on"), &on)?;
            nodes[i].force = std::mem::take(&mut nodes[i].force) + force;
        }
        for (k, (on, motion)) in self.motions.into_iter().enumerate() {
            let place = Part::new(PartKind::Motion, k, &on, "on");
            let i = find(place.clone(), &on)?;
            if nodes[i].motion.replace(motion).is_some() {
                return Err(Error::BadNetwork {
                    place,
                    reason: format!("the motion of node `{on}` is prescribed twice"),
                    remedy: "keep one, or add the two signals".into(),
                });
            }
        }
        let end = |kind: PartKind, index: usize, part: &str, name: &str| {
            let place = || Part::new(kind, index, part, "between");
            if name == GROUND { Ok(None) } else { find(place(), name).map(Some) }
        };
        let links = |kind: PartKind, list: Vec<(String, String, f64)>| {
            let link = |(i, (a, b, coefficient)): (usize, (String, String, f64))| {
                Ok(Link { between: [end(kind, i, "", &a)?, end(kind, i, "", &b)?], coefficient })
            };
            list.into_iter().enumerate().map(link).collect::<Result<Vec<_>, Error>>()
        };
        let springs = links(PartKind::Spring, self.springs)?;
        let dashpots = links(PartKind::Dashpot, self.dashpots)?;
        let slider = |(i, (a, b, slider)): (usize, (String, String, Slider))| {
            let end = |name: &str| end(PartKind::Slider, i, &slider.name, name);
            Ok(Slider { between: [end(&a)?, end(&b)?], ..slider })
        };
        let sliders =
            self.sliders.into_iter().enumerate().map(slider).collect::<Result<Vec<_>, Error>>()?;
        let names: Vec<String> = sliders.iter().map(|s| s.name.clone()).collect();
        unique(PartKind::Slider, &names)?;
        let mut network = Network { nodes, springs, dashpots, sliders, remarks: Vec::new() };
        network.remarks = posed::check(&network)?;
        Ok(network)
    }
}

/// The name of what does not move.
const GROUND: &str = "ground";

/// No name may come twice.
fn unique(kind: PartKind, names: &[String]) -> Result<(), Error> {
    let mut seen = HashSet::new();
    let Some(again) = names.iter().position(|n| !seen.insert(n)) else { return Ok(()) };
    let place = Part::new(kind, again, &names[again], "name");
    let what = if kind == PartKind::Node { "nodes" } else { "sliders" };
    Err(Error::BadNetwork {
        place,
        reason: format!("two {what} have this name"),
        remedy: "give each a name of its own".into(),
    })
}

fn unknown(names: &[String], place: Part, name: &str) -> Error {
    let shown: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    Error::BadNetwork {
        place,
        reason: format!("there is no node `{name}`"),
        remedy: format!("name one of: {}{more}, {GROUND}", shown.join(", ")),
    }
}

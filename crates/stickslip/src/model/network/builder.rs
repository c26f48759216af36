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
    ///
    /// # Errors
    /// If there is no node, a name is unknown or comes twice, a motion is prescribed twice, a number is outside its
    /// range, or the problem is not well posed.
    pub fn build(self) -> Result<Network, Error> {
        let Self { mut nodes, states, forces, motions, springs, dashpots, sliders } = self;
        let names = Names::new(&nodes)?;
        for (k, (on, x, v)) in states.into_iter().enumerate() {
            let i = names.find(Part::new(PartKind::State, k, &on, "on"), &on)?;
            (nodes[i].displacement, nodes[i].velocity) = (x, v);
        }
        for (k, (on, force)) in forces.into_iter().enumerate() {
            let i = names.find(Part::new(PartKind::Force, k, &on, "on"), &on)?;
            nodes[i].force = std::mem::take(&mut nodes[i].force) + force;
        }
        for (k, (on, motion)) in motions.into_iter().enumerate() {
            let place = Part::new(PartKind::Motion, k, &on, "on");
            let i = names.find(place.clone(), &on)?;
            if nodes[i].motion.replace(motion).is_some() {
                return Err(Error::BadNetwork {
                    place,
                    reason: format!("the motion of node `{on}` is prescribed twice"),
                    remedy: "keep one, or add the two signals".into(),
                });
            }
        }
        let springs = names.links(PartKind::Spring, springs)?;
        let dashpots = names.links(PartKind::Dashpot, dashpots)?;
        let slider = |(i, (a, b, slider)): (usize, (String, String, Slider))| {
            let between = names.ends(PartKind::Slider, (i, &slider.name), [&a, &b])?;
            Ok(Slider { between, ..slider })
        };
        let sliders =
            sliders.into_iter().enumerate().map(slider).collect::<Result<Vec<_>, Error>>()?;
        unique(PartKind::Slider, &sliders.iter().map(|s| s.name.clone()).collect::<Vec<_>>())?;
        let mut network = Network { nodes, springs, dashpots, sliders, remarks: Vec::new() };
        network.remarks = posed::check(&network)?;
        Ok(network)
    }
}

/// The nodes by their names.
struct Names {
    all: Vec<String>,
    index: HashMap<String, usize>,
}

impl Names {
    fn new(nodes: &[Node]) -> Result<Self, Error> {
        let all: Vec<String> = nodes.iter().map(|n| n.name.clone()).collect();
        if all.is_empty() {
            let expected = "one or more nodes";
            return Err(Error::WrongLength { what: "node", found: 0, expected });
        }
        unique(PartKind::Node, &all)?;
        if let Some(i) = all.iter().position(|n| n == GROUND) {
            return Err(Error::BadNetwork {
                place: Part::new(PartKind::Node, i, GROUND, "name"),
                reason: "this name is the fixed ground".into(),
                remedy: "give the node another name".into(),
            });
        }
        let index = all.iter().enumerate().map(|(i, n)| (n.clone(), i)).collect();
        Ok(Self { all, index })
    }

    /// The number of the node `name`, which stands at `place`.
    fn find(&self, place: Part, name: &str) -> Result<usize, Error> {
        self.index.get(name).copied().ok_or_else(|| unknown(&self.all, place, name))
    }

    /// The two ends of part number `index` of a kind, which has this name.
    fn ends(
        &self,
        kind: PartKind,
        (index, part): (usize, &str),
        names: [&str; 2],
    ) -> Result<[Option<usize>; 2], Error> {
        let end = |name: &str| match name {
            GROUND => Ok(None),
            _ => self.find(Part::new(kind, index, part, "between"), name).map(Some),
        };
        Ok([end(names[0])?, end(names[1])?])
    }

    /// Springs or dashpots.
    fn links(&self, kind: PartKind, list: Vec<(String, String, f64)>) -> Result<Vec<Link>, Error> {
        let link = |(i, (a, b, coefficient)): (usize, (String, String, f64))| {
            Ok(Link { between: self.ends(kind, (i, ""), [&a, &b])?, coefficient })
        };
        list.into_iter().enumerate().map(link).collect()
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

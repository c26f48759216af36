//! Putting a network together.

use super::directions::{self, Along};
use super::name::Index;
use super::{Ends, Link, Matrices, Name, Network, Node, Part, PartKind, Slider, matrices, posed};
use crate::error::Error;
use crate::signal::Signal;

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
    names: Names,
    /// The ends of springs, dashpots and sliders are the numbers of names until all nodes are known.
    springs: Vec<Link>,
    dashpots: Vec<Link>,
    sliders: Vec<Slider>,
    /// The sliders that act on a sum of the displacements of nodes with these weights.
    along: Vec<(usize, Vec<(Number, f64)>)>,
    matrices: Matrices,
    forces: Vec<(Number, Signal)>,
    motions: Vec<(Number, Signal)>,
    states: Vec<(Number, f64, f64)>,
    unjoined: bool,
}

/// The number of a name of a node, which may not be there yet.
type Number = usize;

/// Every name of a node that was given, in the order of the numbers: a name may be given many times, and there may be
/// millions.
#[derive(Debug, Clone, Default)]
struct Names {
    names: Vec<Name>,
    index: Index,
}

impl Names {
    fn number(&mut self, name: impl Into<Name>) -> Number {
        let name = name.into();
        let next = self.names.len();
        let known = self.index.add(&name, next, |i| &self.names[i]);
        known.unwrap_or_else(|| {
            self.names.push(name);
            next
        })
    }

    fn link(&mut self, a: impl Into<Name>, b: impl Into<Name>, coefficient: f64) -> Link {
        Link::new([Some(self.number(a)), Some(self.number(b))], coefficient)
    }
}

impl NetworkBuilder {
    /// Nodes may stand alone: what joins them is added to the [`Machine`](crate::model::Machine) that the network becomes.
    pub fn unjoined(mut self) -> Self {
        self.unjoined = true;
        self
    }

    /// A node with `mass` ≥ 0 (kg), at rest at 0.
    pub fn node(mut self, name: impl Into<Name>, mass: f64) -> Self {
        let name = name.into();
        self.names.number(&name);
        self.nodes.push(Node {
            name,
            mass,
            displacement: 0.0,
            velocity: 0.0,
            motion: None,
            force: Signal::default(),
        });
        self
    }

    /// State of node `on` at t = 0: m, m/s.
    pub fn starting_at(mut self, on: impl Into<Name>, displacement: f64, velocity: f64) -> Self {
        self.states.push((self.names.number(on), displacement, velocity));
        self
    }

    /// A spring, N/m, between two nodes or a node and `"ground"`.
    pub fn spring(mut self, a: impl Into<Name>, b: impl Into<Name>, stiffness: f64) -> Self {
        self.springs.push(self.names.link(a, b, stiffness));
        self
    }

    /// A dashpot, N·s/m.
    pub fn dashpot(mut self, a: impl Into<Name>, b: impl Into<Name>, damping: f64) -> Self {
        self.dashpots.push(self.names.link(a, b, damping));
        self
    }

    /// A slider with breakaway force `breakaway` and sliding force `dynamic`, N.
    pub fn slider(
        mut self,
        name: impl Into<Name>,
        a: impl Into<Name>,
        b: impl Into<Name>,
        breakaway: f64,
        dynamic: f64,
    ) -> Self {
        let ends = Ends::new([Some(self.names.number(a)), Some(self.names.number(b))]);
        self.sliders.push(Slider { name: name.into(), ends, breakaway, dynamic, normal: None });
        self
    }

    /// A slider whose slip is the sum of the displacements of several nodes with these weights, as a contact at an angle
    /// or one on the modes of a structure has it. Where this is not the displacement of one node or the difference of two,
    /// the displacement at the contact takes the place of the node with the greatest weight that no other slider touches:
    /// it has the name of the slider, and that node is no longer in the network.
    pub fn slider_along<'a>(
        mut self,
        name: impl Into<Name>,
        direction: impl IntoIterator<Item = (&'a str, f64)>,
        breakaway: f64,
        dynamic: f64,
    ) -> Self {
        let ends = Ends::new([None, None]);
        let number = |(node, weight): (&str, f64)| (self.names.number(node), weight);
        self.along.push((self.sliders.len(), direction.into_iter().map(number).collect()));
        self.sliders.push(Slider { name: name.into(), ends, breakaway, dynamic, normal: None });
        self
    }

    /// Mass, damping and stiffness as matrices, rows of numbers in the order of the nodes. They are added to the masses,
    /// dashpots and springs.
    ///
    /// ```
    /// use stickslip::model::{Network, network::Matrices};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// let matrices = Matrices {
    ///     mass: vec![vec![2.0, 0.5], vec![0.5, 1.0]],
    ///     stiffness: vec![vec![3.0, 1.0], vec![1.0, 2.0]],
    ///     ..Matrices::default()
    /// };
    /// let network = Network::builder()
    ///     .node("a", 0.0)
    ///     .node("b", 0.0)
    ///     .matrices(matrices)
    ///     .slider_along("contact", [("a", 0.6), ("b", 0.8)], 1.0, 0.8)
    ///     .build()?;
    /// // The displacement at the contact has taken the place of `b`.
    /// assert_eq!(network.nodes()[1].name, "contact");
    /// # Ok(()) }
    /// ```
    pub fn matrices(mut self, matrices: Matrices) -> Self {
        self.matrices = matrices;
        self
    }

    /// A normal force N(t) on the slider given last; its numbers are coefficients then.
    pub fn normal(mut self, normal: Signal) -> Self {
        if let Some(last) = self.sliders.last_mut() {
            last.normal = Some(normal);
        }
        self
    }

    /// A force F(t), N, on a node; several are summed.
    pub fn force(mut self, on: impl Into<Name>, force: Signal) -> Self {
        self.forces.push((self.names.number(on), force));
        self
    }

    /// The displacement x(t), m, of a node; several are summed.
    pub fn motion(mut self, on: impl Into<Name>, motion: Signal) -> Self {
        self.motions.push((self.names.number(on), motion));
        self
    }

    /// Checks everything and makes the network.
    ///
    /// # Errors
    /// If there is no node, a name is unknown or comes twice, a number is outside its
    /// range, or the problem is not well posed.
    pub fn build(self) -> Result<Network, Error> {
        let Self {
            mut nodes,
            names,
            states,
            forces,
            motions,
            mut springs,
            mut dashpots,
            mut sliders,
            along,
            matrices,
            unjoined,
        } = self;
        let names = Places::new(&nodes, names)?;
        for (k, (on, x, v)) in states.into_iter().enumerate() {
            let i = names.on(PartKind::State, k, on)?;
            (nodes[i].displacement, nodes[i].velocity) = (x, v);
        }
        for (k, (on, force)) in forces.into_iter().enumerate() {
            let node = &mut nodes[names.on(PartKind::Force, k, on)?];
            node.force = std::mem::take(&mut node.force) + force;
        }
        for (k, (on, motion)) in motions.into_iter().enumerate() {
            let node = &mut nodes[names.on(PartKind::Motion, k, on)?];
            // Like forces, several are summed: a belt's speed and its ripple.
            node.motion = Some(match node.motion.take() {
                Some(other) => other + motion,
                None => motion,
            });
        }
        names.links(PartKind::Spring, &mut springs)?;
        names.links(PartKind::Dashpot, &mut dashpots)?;
        let along = names.sliders(&mut sliders, along)?;
        drop(names);
        let shared = Vec::new();
        let remarks = Vec::new();
        let mut network = Network { nodes, springs, dashpots, sliders, shared, remarks };
        posed::check_parts(&network)?;
        matrices.add_to(&mut network)?;
        if !along.is_empty() {
            directions::resolve(&mut network, along)?;
            unique(PartKind::Node, network.nodes.len(), |i| &network.nodes[i].name)?;
        }
        matrices::check(&network)?;
        network.remarks = posed::check(&network, unjoined)?;
        Ok(network)
    }
}

/// The nodes by the numbers of their names.
struct Places {
    names: Names,
    /// The node that has the name, or [`NONE`].
    node: Vec<u32>,
    /// How many nodes there are.
    nodes: usize,
    /// The names of the first nodes, for messages.
    first: Vec<Name>,
    ground: Option<Number>,
}

/// No node.
const NONE: u32 = u32::MAX;

impl Places {
    fn new(nodes: &[Node], names: Names) -> Result<Self, Error> {
        if nodes.is_empty() {
            let expected = "one or more nodes";
            return Err(Error::WrongLength { what: "node", found: 0, expected });
        }
        if names.names.len() >= NONE as usize {
            let found = names.names.len();
            let expected = "fewer than 2³² names of nodes";
            return Err(Error::WrongLength { what: "node", found, expected });
        }
        let number = |name: &str| names.index.find(name, |i| &names.names[i]);
        let mut node = vec![NONE; names.names.len()];
        for (i, n) in nodes.iter().enumerate() {
            let Some(place) = number(&n.name).map(|k| &mut node[k]) else { continue };
            if *place != NONE {
                return Err(twice(PartKind::Node, i, &n.name));
            }
            *place = i as u32;
        }
        let ground = number(GROUND);
        if let Some(i) = ground.map(|k| node[k]).filter(|i| *i != NONE) {
            return Err(Error::BadNetwork {
                place: Part::new(PartKind::Node, i as usize, GROUND, "name"),
                reason: "this name is the fixed ground".into(),
                remedy: "give the node another name".into(),
            });
        }
        let first = nodes.iter().take(SHOWN + 1).map(|n| n.name.clone()).collect();
        Ok(Self { names, node, nodes: nodes.len(), first, ground })
    }

    /// The node with this name, which stands at `place`.
    fn find(&self, place: impl Fn(&str) -> Part, name: Number) -> Result<usize, Error> {
        let node = self.node[name];
        if node == NONE {
            let name = &self.names.names[name];
            return Err(unknown(&self.first, place(name), name));
        }
        Ok(node as usize)
    }

    /// The node that part number `index` of a kind acts on.
    fn on(&self, kind: PartKind, index: usize, name: Number) -> Result<usize, Error> {
        self.find(|name| Part::new(kind, index, name, "on"), name)
    }

    /// The two ends of part number `index` of a kind, which has this name.
    fn ends(&self, kind: PartKind, index: usize, part: &str, names: Ends) -> Result<Ends, Error> {
        let [a, b] = names.places().map(|name| match self.ground {
            Some(ground) if ground == name => Ok(None),
            _ => self.find(|_| Part::new(kind, index, part, "between"), name).map(Some),
        });
        Ok(Ends::new([a?, b?]))
    }

    /// Finds the ends of the sliders, and the weights of those along directions.
    fn sliders(
        &self,
        sliders: &mut [Slider],
        along: Vec<(usize, Vec<(Number, f64)>)>,
    ) -> Result<Vec<Along>, Error> {
        let mut along = along.into_iter().peekable();
        let mut left = Vec::new();
        for (index, slider) in sliders.iter_mut().enumerate() {
            let name = &*slider.name;
            slider.ends = match along.next_if(|a| a.0 == index) {
                None => self.ends(PartKind::Slider, index, name, slider.ends)?,
                Some((_, direction)) => {
                    let weights = self.weights(index, name, &direction)?;
                    Ends::new(between(&weights).unwrap_or_else(|| {
                        left.push(Along { index, weights });
                        [None, None]
                    }))
                }
            };
        }
        unique(PartKind::Slider, sliders.len(), |e| &sliders[e].name)?;
        Ok(left)
    }

    /// The weight of each node in the direction of slider number `index`, which has this name.
    fn weights(
        &self,
        index: usize,
        name: &str,
        direction: &[(Number, f64)],
    ) -> Result<Vec<f64>, Error> {
        let place = Part::new(PartKind::Slider, index, name, "direction");
        let mut weights = vec![0.0; self.nodes];
        for (node, weight) in direction {
            weights[self.find(|_| place.clone(), *node)?] += weight;
        }
        if weights.iter().any(|w| !w.is_finite()) || weights.iter().all(|w| *w == 0.0) {
            return Err(Error::BadNetwork {
                place,
                reason: "its direction has no weight, or one that is not finite".into(),
                remedy: "give each node that the slip depends on a finite weight other than 0"
                    .into(),
            });
        }
        Ok(weights)
    }

    /// Finds the ends of springs or dashpots.
    fn links(&self, kind: PartKind, list: &mut [Link]) -> Result<(), Error> {
        for (i, link) in list.iter_mut().enumerate() {
            link.ends = self.ends(kind, i, "", link.ends)?;
        }
        Ok(())
    }
}

/// The ends of a slider along a direction that is the displacement of one node or the difference of two.
fn between(weights: &[f64]) -> Option<[Option<usize>; 2]> {
    let of = |weight: f64| weights.iter().position(|w| *w == weight);
    let count = weights.iter().filter(|w| **w != 0.0).count();
    match (of(1.0), of(-1.0)) {
        (a @ Some(_), b @ Some(_)) if count == 2 => Some([a, b]),
        (a, b) if count == 1 && a.or(b).is_some() => Some([a, b]),
        _ => None,
    }
}

/// The name of what does not move.
const GROUND: &str = "ground";

/// No name of `count` parts may come twice.
fn unique<'a>(
    kind: PartKind,
    count: usize,
    name: impl Fn(usize) -> &'a str + Copy,
) -> Result<(), Error> {
    let mut index = Index::default();
    match (0..count).find(|&i| index.add(name(i), i, name).is_some()) {
        None => Ok(()),
        Some(again) => Err(twice(kind, again, name(again))),
    }
}

/// Part number `index` of a kind has a name that one before it has.
fn twice(kind: PartKind, index: usize, name: &str) -> Error {
    let what = if kind == PartKind::Node { "nodes" } else { "sliders" };
    Error::BadNetwork {
        place: Part::new(kind, index, name, "name"),
        reason: format!("two {what} have this name"),
        remedy: "give each a name of its own".into(),
    }
}

/// So many names of nodes are shown where one is unknown.
const SHOWN: usize = 8;

fn unknown(names: &[Name], place: Part, name: &str) -> Error {
    let shown: Vec<&str> = names.iter().take(SHOWN).map(Name::as_str).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    Error::BadNetwork {
        place,
        reason: format!("there is no node `{name}`"),
        remedy: format!("name one of: {}{more}, {GROUND}", shown.join(", ")),
    }
}

//! Putting a network together.

use super::directions::{self, Along};
use super::{Link, Matrices, Network, Node, Part, PartKind, Slider, matrices, posed};
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
    names: Names,
    springs: Vec<(Name, Name, f64)>,
    dashpots: Vec<(Name, Name, f64)>,
    sliders: Vec<(Ends, Slider)>,
    matrices: Matrices,
    forces: Vec<(Name, Signal)>,
    motions: Vec<(Name, Signal)>,
    states: Vec<(Name, f64, f64)>,
}

/// The number of a name of a node, which may not be there yet.
type Name = u32;

/// Every name of a node that was given, with its number: a name may be given many times, and there may be millions.
#[derive(Debug, Clone, Default)]
struct Names(HashMap<String, Name>);

impl Names {
    fn number(&mut self, name: impl Into<String>) -> Name {
        let next = self.0.len() as Name;
        *self.0.entry(name.into()).or_insert(next)
    }

    /// Found by looking at all: it is wanted for messages.
    fn name(&self, number: Name) -> &str {
        let found = self.0.iter().find(|(_, n)| **n == number);
        found.map_or("", |(name, _)| name)
    }
}

/// What a slider acts on.
#[derive(Debug, Clone)]
enum Ends {
    /// The difference of two nodes.
    Between(Name, Name),
    /// The sum of the displacements of nodes with these weights.
    Along(Vec<(Name, f64)>),
}

impl NetworkBuilder {
    /// A node with `mass` ≥ 0 (kg), at rest at 0.
    pub fn node(mut self, name: impl Into<String>, mass: f64) -> Self {
        let name = name.into();
        self.names.number(name.as_str());
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
    pub fn starting_at(mut self, on: impl Into<String>, displacement: f64, velocity: f64) -> Self {
        self.states.push((self.names.number(on), displacement, velocity));
        self
    }

    /// A spring, N/m, between two nodes or a node and `"ground"`.
    pub fn spring(mut self, a: impl Into<String>, b: impl Into<String>, stiffness: f64) -> Self {
        let ends = (self.names.number(a), self.names.number(b));
        self.springs.push((ends.0, ends.1, stiffness));
        self
    }

    /// A dashpot, N·s/m.
    pub fn dashpot(mut self, a: impl Into<String>, b: impl Into<String>, damping: f64) -> Self {
        let ends = (self.names.number(a), self.names.number(b));
        self.dashpots.push((ends.0, ends.1, damping));
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
        let ends = Ends::Between(self.names.number(a), self.names.number(b));
        self.sliders.push((ends, slider));
        self
    }

    /// A slider whose slip is the sum of the displacements of several nodes with these weights, as a contact at an angle
    /// or one on the modes of a structure has it. Where this is not the displacement of one node or the difference of two,
    /// the displacement at the contact takes the place of the node with the greatest weight that no other slider touches:
    /// it has the name of the slider, and that node is no longer in the network.
    pub fn slider_along<'a>(
        mut self,
        name: impl Into<String>,
        direction: impl IntoIterator<Item = (&'a str, f64)>,
        breakaway: f64,
        dynamic: f64,
    ) -> Self {
        let (name, between) = (name.into(), [None, None]);
        let slider = Slider { name, between, breakaway, dynamic, normal: None };
        let number = |(node, weight): (&str, f64)| (self.names.number(node), weight);
        let direction = direction.into_iter().map(number).collect();
        self.sliders.push((Ends::Along(direction), slider));
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
            last.1.normal = Some(normal);
        }
        self
    }

    /// A force F(t), N, on a node; several are summed.
    pub fn force(mut self, on: impl Into<String>, force: Signal) -> Self {
        self.forces.push((self.names.number(on), force));
        self
    }

    /// The displacement x(t), m, of a node.
    pub fn motion(mut self, on: impl Into<String>, motion: Signal) -> Self {
        self.motions.push((self.names.number(on), motion));
        self
    }

    /// Checks everything and makes the network.
    ///
    /// # Errors
    /// If there is no node, a name is unknown or comes twice, a motion is prescribed twice, a number is outside its
    /// range, or the problem is not well posed.
    pub fn build(self) -> Result<Network, Error> {
        let Self {
            mut nodes,
            names,
            states,
            forces,
            motions,
            springs,
            dashpots,
            sliders,
            matrices,
        } = self;
        let names = Places::new(&nodes, &names)?;
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
            if node.motion.replace(motion).is_some() {
                return Err(Error::BadNetwork {
                    place: Part::new(PartKind::Motion, k, &node.name, "on"),
                    reason: format!("the motion of node `{}` is prescribed twice", node.name),
                    remedy: "keep one, or add the two signals".into(),
                });
            }
        }
        let springs = names.links(PartKind::Spring, springs)?;
        let dashpots = names.links(PartKind::Dashpot, dashpots)?;
        let (sliders, along) = names.sliders(sliders)?;
        drop(names);
        let (shared, remarks) = (Vec::new(), Vec::new());
        let mut network = Network { nodes, springs, dashpots, sliders, shared, remarks };
        posed::check_parts(&network)?;
        matrices.add_to(&mut network)?;
        directions::resolve(&mut network, along)?;
        unique(PartKind::Node, network.nodes.iter().map(|n| &n.name[..]))?;
        matrices::check(&network)?;
        network.remarks = posed::check(&network)?;
        Ok(network)
    }
}

/// The nodes by the numbers of their names.
struct Places<'a> {
    names: &'a Names,
    /// How many nodes there are.
    nodes: usize,
    /// The node that has the name.
    node: Vec<Option<usize>>,
    /// The names of the first nodes, for messages.
    first: Vec<String>,
}

impl<'a> Places<'a> {
    fn new(nodes: &[Node], names: &'a Names) -> Result<Self, Error> {
        if nodes.is_empty() {
            let expected = "one or more nodes";
            return Err(Error::WrongLength { what: "node", found: 0, expected });
        }
        if names.0.len() >= Name::MAX as usize {
            let (found, expected) = (names.0.len(), "fewer than 2³² names of nodes");
            return Err(Error::WrongLength { what: "node", found, expected });
        }
        unique(PartKind::Node, nodes.iter().map(|n| &n.name[..]))?;
        if let Some(i) = nodes.iter().position(|n| n.name == GROUND) {
            return Err(Error::BadNetwork {
                place: Part::new(PartKind::Node, i, GROUND, "name"),
                reason: "this name is the fixed ground".into(),
                remedy: "give the node another name".into(),
            });
        }
        let mut node = vec![None; names.0.len()];
        for (i, n) in nodes.iter().enumerate() {
            node[names.0[&n.name] as usize] = Some(i);
        }
        let first = nodes.iter().take(SHOWN + 1).map(|n| n.name.clone()).collect();
        Ok(Self { names, nodes: nodes.len(), node, first })
    }

    /// The node with this name, which stands at `place`.
    fn find(&self, place: impl Fn(&str) -> Part, name: Name) -> Result<usize, Error> {
        self.node[name as usize].ok_or_else(|| {
            let name = self.names.name(name);
            unknown(&self.first, place(name), name)
        })
    }

    /// The node that part number `index` of a kind acts on.
    fn on(&self, kind: PartKind, index: usize, name: Name) -> Result<usize, Error> {
        self.find(|name| Part::new(kind, index, name, "on"), name)
    }

    /// The two ends of part number `index` of a kind, which has this name.
    fn ends(
        &self,
        kind: PartKind,
        (index, part): (usize, &str),
        names: [Name; 2],
    ) -> Result<[Option<usize>; 2], Error> {
        let ground = self.names.0.get(GROUND);
        let end = |name: Name| match ground {
            Some(ground) if *ground == name => Ok(None),
            _ => self.find(|_| Part::new(kind, index, part, "between"), name).map(Some),
        };
        Ok([end(names[0])?, end(names[1])?])
    }

    /// The sliders, and those of them along directions.
    fn sliders(&self, given: Vec<(Ends, Slider)>) -> Result<(Vec<Slider>, Vec<Along>), Error> {
        let (mut sliders, mut along): (Vec<Slider>, _) = (Vec::new(), Vec::new());
        for (index, (ends, slider)) in given.into_iter().enumerate() {
            let between = match ends {
                Ends::Between(a, b) => {
                    self.ends(PartKind::Slider, (index, &slider.name), [a, b])?
                }
                Ends::Along(direction) => {
                    let weights = self.weights((index, &slider.name), &direction)?;
                    between(&weights).unwrap_or_else(|| {
                        along.push(Along { index, weights });
                        [None, None]
                    })
                }
            };
            sliders.push(Slider { between, ..slider });
        }
        unique(PartKind::Slider, sliders.iter().map(|s| &s.name[..]))?;
        Ok((sliders, along))
    }

    /// The weight of each node in the direction of slider number `index`, which has this name.
    fn weights(
        &self,
        (index, name): (usize, &str),
        direction: &[(Name, f64)],
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

    /// Springs or dashpots.
    fn links(&self, kind: PartKind, list: Vec<(Name, Name, f64)>) -> Result<Vec<Link>, Error> {
        let link = |(i, (a, b, coefficient)): (usize, (Name, Name, f64))| {
            Ok(Link { between: self.ends(kind, (i, ""), [a, b])?, coefficient })
        };
        list.into_iter().enumerate().map(link).collect()
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

/// No name may come twice.
fn unique<'a>(kind: PartKind, names: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut seen = HashSet::new();
    let Some((again, name)) = names.enumerate().find(|(_, n)| !seen.insert(*n)) else {
        return Ok(());
    };
    let place = Part::new(kind, again, name, "name");
    let what = if kind == PartKind::Node { "nodes" } else { "sliders" };
    Err(Error::BadNetwork {
        place,
        reason: format!("two {what} have this name"),
        remedy: "give each a name of its own".into(),
    })
}

/// So many names of nodes are shown where one is unknown.
const SHOWN: usize = 8;

fn unknown(names: &[String], place: Part, name: &str) -> Error {
    let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    Error::BadNetwork {
        place,
        reason: format!("there is no node `{name}`"),
        remedy: format!("name one of: {}{more}, {GROUND}", shown.join(", ")),
    }
}

//! A machine as its scheme sees it: rows of relative velocities over masses, and the signals in them.

use super::loads::Mesh;
use super::pieces::Bends;
use super::plan::Links;
pub(super) use super::plan::Place;
use super::slots::{Bristled, Slot, bristled, slots};
use super::unsuitable;
use crate::error::{Error, Obstacle};
use crate::model::machine::{ControlLaw, GearFriction, Trains};
use crate::model::network::{Node, Slider};
use crate::model::{Bumper, Machine};
use crate::numeric::inverse;
use crate::signal::{Piece, Signal};

/// A motion that is given as a function of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    /// The displacement of a node.
    Motion(usize),
    /// The velocity of the surface under a slider.
    Support(usize),
    /// The position of the bound of a stop, the upper one if so.
    Bound(usize, bool),
    /// How far a gear opens, which is never.
    Opening,
}

/// One side of a stop: its gap is side·(z − bound), and opens with the velocity of its row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    pub stop: usize,
    /// 1 below, −1 above.
    pub side: f64,
    pub bumper: Bumper,
}

impl Contact {
    /// Its bound as something given.
    pub fn bound(&self) -> Given {
        Given::Bound(self.stop, self.side < 0.0)
    }
}

/// A contact that is closed and pushes, one that is open, a soft one that pushes, and one that was entered and does not.
pub(super) const CLOSED: i8 = 0;
pub(super) const OPEN: i8 = 1;
pub(super) const PUSHES: i8 = 2;
pub(super) const APART: i8 = 3;

/// The relative velocity at a slider, Σ c ẋ over masses and Σ c g over given velocities.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    /// The masses, by their numbers among the free ones.
    pub masses: Vec<(usize, f64)>,
    /// What is given, by its number in [`Parts::given`].
    pub given: Vec<(usize, f64)>,
}

impl Row {
    /// Adds `c` times the velocity of mass `i`.
    fn add(&mut self, i: usize, c: f64) {
        match self.masses.iter_mut().find(|m| m.0 == i) {
            Some(m) => m.1 += c,
            None => self.masses.push((i, c)),
        }
    }

    /// Its value for these velocities of the masses and of what is given.
    #[inline]
    pub fn value(&self, v: &[f64], given: impl Fn(usize) -> f64) -> f64 {
        // Plain loops: these lists have one or two entries, and every stage asks for many of them.
        let mut masses = 0.0;
        for (i, c) in &self.masses {
            masses += c * v[*i];
        }
        let mut led = 0.0;
        for (g, c) in &self.given {
            led += c * given(*g);
        }
        masses + led
    }

    /// Its value for these velocities of the masses alone.
    pub fn of_masses(&self, v: &[f64]) -> f64 {
        self.masses.iter().map(|(i, c)| c * v[*i]).sum()
    }
}

/// What of a machine does not change.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    pub machine: Machine,
    /// How each node moves.
    pub places: Vec<Place>,
    /// The node whose displacement is that of each free mass.
    pub node_of: Vec<usize>,
    /// The mass matrix of the free masses, by rows, and its inverse.
    pub mass: Vec<f64>,
    pub inverse: Vec<f64>,
    /// What moves as it is given.
    pub given: Vec<Given>,
    /// The relative velocity at each slider, then that of the first side of each gear with friction, then that with which
    /// each contact opens.
    pub rows: Vec<Row>,
    /// How many rows rub: sliders and gears with friction.
    pub sliders: usize,
    pub contacts: Vec<Contact>,
    /// The inner states of each controller.
    pub loops: Vec<Slot>,
    /// The sliders with memory.
    pub bristles: Vec<Bristled>,
    /// What gears join, and each gear.
    pub trains: Trains,
    pub meshes: Vec<Mesh>,
    /// What is made of pieces.
    pub bends: Bends,
    /// What links nodes.
    pub links: Links,
}

impl Parts {
    /// Of `machine`.
    ///
    /// # Errors
    /// If the mass matrix is not positive definite, or the prescribed motion of a node jumps.
    pub fn new(machine: &Machine) -> Result<Self, Error> {
        let network = machine.network();
        let nodes = network.nodes();
        let mut places = Vec::with_capacity(nodes.len());
        let mut node_of = Vec::new();
        let mut given = Vec::new();
        let trains = machine.trains()?;
        // A train stands where the node does that stands for it.
        let mut of_root = vec![Place::With(0, 1.0); nodes.len()];
        for (i, node) in nodes.iter().enumerate().filter(|(i, _)| trains.root[*i] == *i) {
            if let Some(motion) = &node.motion {
                // A velocity that jumps is a kink; a displacement that jumps would need an infinite force.
                refuse_jumps(motion, &node.name)?;
                of_root[i] = Place::Led(given.len(), 1.0);
                given.push(Given::Motion(i));
            } else {
                of_root[i] = Place::With(node_of.len(), 1.0);
                node_of.push(i);
            }
        }
        for (root, ratio) in trains.root.iter().zip(&trains.ratio) {
            places.push(match of_root[*root] {
                Place::With(k, _) => Place::With(k, *ratio),
                Place::Led(g, _) => Place::Led(g, *ratio),
            });
        }
        let n = node_of.len();
        let mut mass = vec![0.0; n * n];
        for (node, place) in nodes.iter().zip(&places) {
            if let Place::With(k, ratio) = place {
                // A node that turns ratio times as fast as its train has ratio² times its inertia there.
                mass[k * n + k] += ratio * ratio * node.mass;
            }
        }
        // A node with a prescribed motion, or that gears join to one, has no shared mass: the model refuses it.
        for s in network.shared_masses() {
            if let [Place::With(a, p), Place::With(b, q)] = s.between.map(|i| places[i]) {
                mass[a * n + b] += p * q * s.mass;
                mass[b * n + a] += p * q * s.mass;
            }
        }
        let inverse = inverse(&mass, n).ok_or_else(|| unsuitable(Obstacle::Inertia))?;
        let mut parts = Self {
            machine: machine.clone(),
            places,
            node_of,
            mass,
            inverse,
            given,
            rows: Vec::new(),
            sliders: network.sliders().len(),
            contacts: Vec::new(),
            loops: slots(machine.controllers().iter().map(|c| &c.law)),
            bristles: Vec::new(),
            trains,
            meshes: Vec::new(),
            bends: Bends::of(machine),
            links: Links::default(),
        };
        // First the gears, since every row may open with one of them.
        parts.add_meshes();
        let first: usize = parts.loops.iter().map(|s| s.count).sum();
        parts.bristles = bristled(machine, first);
        for e in 0..network.sliders().len() {
            // w = ẋ_a − ẋ_b − v_s: a surface that does not move needs no signal.
            let mut row = parts.between(network.sliders()[e].between());
            if !machine.frictions()[e].support.is_zero() {
                row.given.push((parts.given.len(), -1.0));
                parts.given.push(Given::Support(e));
            }
            parts.rows.push(row);
        }
        for g in 0..parts.meshes.len() {
            if machine.gears()[g].friction.is_some() {
                parts.meshes[g].row = Some(parts.rows.len());
                parts.rows.push(parts.between([Some(parts.meshes[g].first), None]));
            }
        }
        // From here on gears with friction are rows that rub as well, and contacts follow behind.
        parts.sliders = parts.rows.len();
        parts.add_contacts();
        let support = |e: usize| parts.given.iter().position(|g| *g == Given::Support(e));
        let supports = (0..network.sliders().len()).map(support).collect();
        parts.links = Links::of(machine, &parts.places, supports);
        Ok(parts)
    }

    /// Adds every gear, before the rows, in which it may open.
    fn add_meshes(&mut self) {
        for gear in self.machine.gears() {
            let none = GearFriction { force: 0.0, forward: 0.0, backward: 0.0 };
            self.meshes.push(Mesh {
                first: gear.nodes()[0],
                opening: self.given.len(),
                row: None,
                friction: gear.friction.unwrap_or(none),
            });
            self.given.push(Given::Opening);
        }
    }

    /// Adds both sides of every stop.
    fn add_contacts(&mut self) {
        for k in 0..self.machine.stops().len() {
            let stop = &self.machine.stops()[k];
            let bumper = stop.bumper;
            for (bound, side) in [(&stop.lower, 1.0), (&stop.upper, -1.0)] {
                if bound.is_some() {
                    self.contacts.push(Contact { stop: k, side, bumper });
                }
            }
        }
        for contact in self.contacts.clone() {
            let mut row = self.between(self.machine.stops()[contact.stop].between());
            // A gap opens where z grows above a lower bound, and where it falls below an upper one.
            row.masses.iter_mut().chain(&mut row.given).for_each(|c| c.1 *= contact.side);
            row.given.push((self.given.len(), -contact.side));
            self.given.push(contact.bound());
            self.rows.push(row);
        }
    }

    /// The velocity of one end relative to the other.
    fn between(&self, ends: [Option<usize>; 2]) -> Row {
        let mut row = Row::default();
        for (end, sign) in ends.into_iter().zip([1.0, -1.0]) {
            let Some(i) = end else { continue };
            match self.places[i] {
                Place::With(k, ratio) => row.add(k, sign * ratio),
                Place::Led(g, ratio) => row.given.push((g, sign * ratio)),
            }
            for (mesh, side) in self.meshes.iter().zip(&self.trains.sides) {
                if let Some((_, rate)) = side.iter().find(|s| s.0 == i) {
                    row.given.push((mesh.opening, sign * rate));
                }
            }
        }
        // Two nodes of one train may have the same velocity: the row knows nothing of it then.
        row.masses.retain(|m| m.1 != 0.0);
        // A gear that opens with both ends of a row does not open the row.
        let mut given: Vec<(usize, f64)> = Vec::new();
        for (g, c) in row.given {
            match given.iter_mut().find(|k| k.0 == g) {
                Some(k) => k.1 += c,
                None => given.push((g, c)),
            }
        }
        row.given = given.into_iter().filter(|g| g.1 != 0.0).collect();
        row
    }

    /// Free masses.
    pub fn masses(&self) -> usize {
        self.node_of.len()
    }

    /// The signal of something given.
    pub fn signal(&self, given: Given) -> Option<&Signal> {
        match given {
            Given::Motion(i) => self.machine.network().nodes()[i].motion.as_ref(),
            Given::Support(e) => Some(&self.machine.frictions()[e].support),
            Given::Bound(k, upper) => {
                let stop = &self.machine.stops()[k];
                if upper { stop.upper.as_ref() } else { stop.lower.as_ref() }
            }
            Given::Opening => None,
        }
    }

    /// The smooth functions that the signals are from `t` (s) on.
    pub fn window(&self, t: f64) -> Window<'_> {
        Lists::default().window(self, t)
    }
}

/// A node that is led cannot be elsewhere at once.
fn refuse_jumps(motion: &Signal, node: &str) -> Result<(), Error> {
    let jump = motion.knots().windows(2).find(|k| {
        let [before, after] = [k[0].at(k[1].time), k[1].value];
        // A jump of nothing but rounding is none.
        (after - before).abs() > 1e-9 * before.abs().max(after.abs())
    });
    match jump {
        None => Ok(()),
        Some(k) => Err(unsuitable(Obstacle::Jump {
            node: node.to_owned(),
            time: k[1].time,
            remedy: "lead the node there by a ramp",
        })),
    }
}

/// What is given, from the start of a window on.
#[derive(Debug, Clone, Copy)]
pub(super) struct GivenPiece<'a> {
    piece: Piece<'a>,
    /// Whether the signal is a displacement; otherwise it is a velocity.
    displacement: bool,
    start: f64,
    /// The signal at the start.
    at_start: f64,
    /// The velocity, m/s, where it is constant.
    steady: Option<f64>,
}

impl<'a> GivenPiece<'a> {
    /// From `start` (s) on.
    fn new(piece: Piece<'a>, displacement: bool, start: f64) -> Self {
        let steady = match piece.line() {
            Some(line) if displacement => Some(line.rate),
            Some(line) if line.rate == 0.0 => Some(line.at(start)),
            _ => None,
        };
        Self { piece, displacement, start, at_start: piece.value(start), steady }
    }

    /// The signal at `t` (s), continued beyond the window.
    #[inline]
    pub fn value(&self, t: f64) -> f64 {
        self.piece.value(t)
    }

    /// Whether its velocity is constant.
    pub fn is_steady(&self) -> bool {
        self.steady.is_some()
    }

    /// Whether it stands still.
    pub fn stands(&self) -> bool {
        self.steady == Some(0.0)
    }

    /// The displacement at `t` (s) of what is given as one, m: at a jump the one before, where the window is.
    pub fn place(&self, t: f64) -> f64 {
        self.at_start + (self.piece.value(t) - self.at_start)
    }

    /// The way since the start of the window (m), the velocity and the acceleration at `t` (s).
    #[inline]
    pub fn at(&self, t: f64) -> [f64; 3] {
        // Most surfaces and bounds move steadily or not at all.
        if let Some(speed) = self.steady {
            return [speed * (t - self.start), speed, 0.0];
        }
        self.unsteady(t)
    }

    fn unsteady(&self, t: f64) -> [f64; 3] {
        if let Some(line) = self.piece.line() {
            let length = t - self.start;
            return [length * line.at(self.start + 0.5 * length), line.at(t), line.rate];
        }
        let [value, first, second, _] = self.piece.derivatives(t);
        if self.displacement {
            // Ways since the start, not displacements: a small way keeps its digits next to a large
            // displacement.
            [self.piece.change(self.start, t), first, second]
        } else {
            [self.piece.integral(self.start, t), value, first]
        }
    }
}

/// What a signal is that of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// What is given, by its number in [`Parts::given`].
    Given(usize),
    /// The force on a node.
    Force(usize),
    /// The normal force of a slider.
    Normal(usize),
    /// What a controller follows, and what is added to its force.
    Reference(usize),
    Dither(usize),
}

/// The signals between two breakpoints.
#[derive(Debug, Clone, Default)]
pub(super) struct Window<'a> {
    pub given: Vec<GivenPiece<'a>>,
    /// Forces on nodes.
    pub forces: Vec<(usize, Piece<'a>)>,
    /// Normal forces of sliders.
    pub normals: Vec<Option<Piece<'a>>>,
    /// What each controller follows, and what is added to its force.
    pub references: Vec<Piece<'a>>,
    pub dithers: Vec<Piece<'a>>,
}

impl Window<'_> {
    /// What the numbers of a slider's law are multiplied by at `t` (s).
    pub fn normal(&self, slider: usize, t: f64) -> f64 {
        match self.normals.get(slider) {
            // A normal force below zero lifts off: no friction.
            Some(Some(normal)) => normal.value(t).max(0.0),
            _ => 1.0,
        }
    }

    /// The normal force of a slider that the machine presses in addition, and its rate.
    pub fn own_normal(&self, slider: usize, t: f64) -> [f64; 2] {
        let normal = self.normals.get(slider).copied().flatten();
        normal.map_or([0.0; 2], |n| {
            let [value, rate, ..] = n.derivatives(t);
            [value, rate]
        })
    }
}

/// The memory of a window that is over, for the next one: steps have a window each.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists(Window<'static>);

impl Lists {
    /// The signals of `parts` from `t` (s) on.
    pub fn window<'a>(&mut self, parts: &'a Parts, t: f64) -> Window<'a> {
        self.window_by(parts, t, |_, signal| signal.piece_at(t))
    }

    /// The same of the pieces that `piece` says.
    pub fn window_by<'a>(
        &mut self,
        parts: &'a Parts,
        t: f64,
        piece: impl Fn(Source, &'a Signal) -> Piece<'a>,
    ) -> Window<'a> {
        let mut window = emptied(std::mem::take(&mut self.0));
        let network = parts.machine.network();
        let zero = Piece::constant(0.0);
        window.given.extend(parts.given.iter().enumerate().map(|(i, g)| {
            let piece = parts.signal(*g).map_or(zero, |s| piece(Source::Given(i), s));
            let displacement = !matches!(g, Given::Support(_));
            GivenPiece::new(piece, displacement, t)
        }));
        let forces = network.nodes().iter().enumerate().filter(|(_, node)| !node.force.is_zero());
        let force = |(i, node): (usize, &'a Node)| (i, piece(Source::Force(i), &node.force));
        window.forces.extend(forces.map(force));
        let normals = network.sliders().iter().enumerate();
        let normal =
            |(e, s): (usize, &'a Slider)| s.normal.as_ref().map(|n| piece(Source::Normal(e), n));
        window.normals.extend(normals.map(normal));
        let laws = || parts.machine.controllers().iter().map(|c| &c.law).enumerate();
        let reference =
            |(c, law): (usize, &'a ControlLaw)| piece(Source::Reference(c), &law.reference);
        window.references.extend(laws().map(reference));
        window.dithers.extend(laws().map(|(c, law)| piece(Source::Dither(c), &law.dither)));
        window
    }

    /// Takes the memory of a window that is no longer needed.
    pub fn keep(&mut self, window: Window<'_>) {
        self.0 = emptied(window);
    }
}

/// An empty window in the memory of another one.
fn emptied<'a>(window: Window<'_>) -> Window<'a> {
    /// A list that is collected from its own elements stays where it is; of its elements none is left.
    fn list<A, B>(mut list: Vec<A>) -> Vec<B> {
        list.clear();
        list.into_iter().map_while(|_| None).collect()
    }
    Window {
        given: list(window.given),
        forces: list(window.forces),
        normals: list(window.normals),
        references: list(window.references),
        dithers: list(window.dithers),
    }
}

impl Parts {
    /// J M⁻¹ Jᵀ of these rows, by rows.
    pub fn compliance(&self, rows: &[usize]) -> Vec<f64> {
        let pairs = rows.iter().flat_map(|e| rows.iter().map(|f| self.compliance_of(*e, *f)));
        pairs.collect()
    }

    /// The velocity that an impulse of 1 N·s along row `f` gives to row `e`, m/s.
    pub fn compliance_of(&self, e: usize, f: usize) -> f64 {
        let n = self.masses();
        let mut sum = 0.0;
        for (i, c) in &self.rows[e].masses {
            for (j, d) in &self.rows[f].masses {
                sum += c * d * self.inverse[i * n + j];
            }
        }
        sum
    }
}

/// A relative velocity below this share of its terms is zero.
pub(super) const ZERO: f64 = 1e-13;

/// The relative velocity of a row and the size of its terms.
pub(super) fn speed(row: &Row, v: &[f64], given: &[f64]) -> [f64; 2] {
    let masses = row.masses.iter().map(|(i, c)| c * v[*i]);
    let terms = masses.chain(row.given.iter().map(|(g, c)| c * given[*g]));
    [terms.clone().sum(), terms.map(f64::abs).sum()]
}

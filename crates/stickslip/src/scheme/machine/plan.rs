//! What every stage of a step looks at, laid out once in flat lists.
//!
//! A step of order 8 takes fifteen looks at the forces, and the audit of energy at least five more. So that each of them is a few short
//! loops, the links between nodes are numbers here, the ground among them, and what a force on a mass does to the groups of a mode
//! is a list without zeros.

use crate::law::Law;
use crate::model::machine::Friction;
use crate::model::{Machine, network};

/// How a node moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// With a free mass, at this ratio.
    With(usize, f64),
    /// As it is given, by its number among what is given, at this ratio.
    Led(usize, f64),
}

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

/// What the numbers of a slider's law are multiplied by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pressed {
    /// By nothing: its law has forces.
    Once,
    /// By a normal force that is given.
    Given,
    /// By forces of the machine as well.
    ByMachine,
}

/// A slider whose law has no memory.
#[derive(Debug, Clone)]
pub(super) struct Rub {
    pub row: usize,
    pub ends: Link,
    pub law: Law,
    pub pressed: Pressed,
}

/// Whether neighbouring motions part where a slider stands between rest and slip.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AtWill {
    /// Where it rests at its limit: it holds more than it slides with.
    pub rests: bool,
    /// Where its slip comes to zero: so it does, or its friction falls infinitely fast as it sets out.
    pub slips: bool,
}

/// The relative velocity at a slider whose ends are different free masses or the ground, u_a − u_b − v_s.
#[derive(Debug, Clone, Copy)]
pub(super) struct Across {
    pub ends: [usize; 2],
    /// The velocity of the surface by its number among what is given, if it moves.
    pub surface: Option<usize>,
}

impl Across {
    /// Its value for these velocities of nodes and of what is given, and the size of its terms.
    #[inline]
    pub fn speed(&self, node_v: &[f64], given: &[[f64; 3]]) -> [f64; 2] {
        let [a, b] = self.ends.map(|i| node_v[i]);
        let surface = self.surface.map_or(0.0, |g| given[g][1]);
        [a - b - surface, a.abs() + b.abs() + surface.abs()]
    }
}

/// A node that moves with a mass, at this ratio.
#[derive(Debug, Clone, Copy)]
pub(super) struct Follower {
    pub node: usize,
    pub mass: usize,
    pub ratio: f64,
}

/// A node that moves as something given, by its number, at this ratio.
#[derive(Debug, Clone, Copy)]
pub(super) struct Led {
    pub node: usize,
    pub given: usize,
    pub ratio: f64,
}

/// The parts of a machine that link two nodes, and nodes to masses.
#[derive(Debug, Clone, Default)]
pub(super) struct Links {
    pub springs: Vec<Link>,
    pub dashpots: Vec<Link>,
    pub sliders: Vec<Rub>,
    /// What is known of the law of each slider, nothing where it has memory.
    pub at_will: Vec<AtWill>,
    /// The velocity of the surface under each slider, by its number among what is given, if it moves.
    pub supports: Vec<Option<usize>>,
    /// The relative velocity of each slider without its row, where it follows from two nodes.
    pub across: Vec<Option<Across>>,
    /// The nodes that move with masses, and whether each of all nodes is a mass of its own.
    pub followers: Vec<Follower>,
    pub alone: bool,
    /// The nodes that are led.
    pub led: Vec<Led>,
}

impl Links {
    /// Those of `machine`, whose nodes are at these places and whose surfaces have these numbers.
    pub fn of(machine: &Machine, places: &[Place], supports: Vec<Option<usize>>) -> Self {
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
        let plain = sliders.clone().filter(|(e, _)| machine.frictions()[*e].bristle.is_none());
        let pressed = |e: usize| match (&machine.frictions()[e].press, &network.sliders()[e].normal)
        {
            (Some(_), _) => Pressed::ByMachine,
            (None, Some(_)) => Pressed::Given,
            (None, None) => Pressed::Once,
        };
        let mass = |end: Option<usize>| match end.map(|i| places[i]) {
            None => Some(None),
            Some(Place::With(k, _)) => Some(Some(k)),
            Some(Place::Led(..)) => None,
        };
        // Ends that belong to one train have one velocity, and a row what is left of it.
        let across = |(e, slider): (usize, &network::Slider)| match slider.between().map(mass) {
            [Some(a), Some(b)] if a != b => {
                Some(Across { ends: link(slider.between(), 1.0).ends, surface: supports[e] })
            }
            _ => None,
        };
        let at_will = |f: &Friction| match f.bristle {
            None => AtWill { rests: f.law.is_rule(), slips: f.law.leaves_at_will() },
            Some(_) => AtWill::default(),
        };
        let rub = |(row, slider): (usize, &network::Slider)| Rub {
            row,
            ends: link(slider.between(), 1.0),
            law: machine.frictions()[row].law.clone(),
            pressed: pressed(row),
        };
        let all = places.iter().enumerate();
        let followers: Vec<Follower> = all
            .clone()
            .filter_map(|(node, place)| match *place {
                Place::With(mass, ratio) => Some(Follower { node, mass, ratio }),
                Place::Led(..) => None,
            })
            .collect();
        let led = all.filter_map(|(node, place)| match *place {
            Place::Led(given, ratio) => Some(Led { node, given, ratio }),
            Place::With(..) => None,
        });
        let own = |f: &Follower| f.node == f.mass && f.ratio == 1.0;
        Self {
            springs: links(network.springs()),
            dashpots: links(network.dashpots()),
            sliders: plain.map(rub).collect(),
            at_will: machine.frictions().iter().map(at_will).collect(),
            alone: followers.len() == places.len() && followers.iter().all(own),
            led: led.collect(),
            across: sliders.map(across).collect(),
            followers,
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
    /// Whether nothing carries a mass: each is a group of its own.
    pub alone: bool,
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

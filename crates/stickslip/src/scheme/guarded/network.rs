//! A network that is integrated from outside.
//!
//! The indicators are the guards of [`Guarded`]: in slip the velocity of a slider, in stick how far its load is from the
//! limit ahead and back. Nodes that stick together have one velocity, the mean by their masses of what the integrator has
//! integrated: nothing creeps.

use super::{Equations, Known, Shared, Unknown};
use crate::model::network::Network;
use crate::scheme::network::{Guarded, Quantity, Rates};
use crate::{Error, Event, Model};

/// A network that somebody else integrates. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct NetworkMotion {
    guarded: Guarded,
    /// The nodes whose displacements, and those whose velocities, are states.
    places: Vec<usize>,
    masses: Vec<usize>,
    /// Displacements and velocities of all nodes, as the integrator has them.
    x: Vec<f64>,
    v: Vec<f64>,
    /// Energy lost so far, J.
    lost: f64,
    events: Vec<Event>,
}

impl NetworkMotion {
    /// The network `n` at t = 0.
    ///
    /// # Errors
    /// If a load is not finite or a normal force is negative, or nothing can move under them.
    pub fn new(n: &Network, at: &Shared) -> Result<Self, Error> {
        let under = at.model()?;
        let guarded = Guarded::new(under.as_ref().and_then(Model::as_network).unwrap_or(n))?;
        let places: Vec<usize> =
            (0..n.nodes().len()).filter(|i| n.nodes()[*i].motion.is_none()).collect();
        let masses = places.iter().copied().filter(|i| n.nodes()[*i].mass > 0.0).collect();
        let lost = 0.0;
        let events = Vec::new();
        let mut motion =
            Self { guarded, places, masses, x: Vec::new(), v: Vec::new(), lost, events };
        motion.take_state();
        Ok(motion)
    }

    /// Where the nodes are after an event.
    fn take_state(&mut self) {
        let state = self.guarded.state();
        (self.x, self.v) = (state.x, state.v);
    }

    /// What the derivatives of the states are of these rates.
    fn of_states(&self, rates: &Rates, out: &mut [f64]) {
        let v = self.places.iter().map(|i| rates.v[*i]);
        let a = self.masses.iter().map(|i| rates.a[*i]);
        out.iter_mut().zip(v.chain(a).chain([rates.lost])).for_each(|(to, from)| *to = from);
    }

    /// What a variable is, that everything may depend on.
    fn quantity(&self, at: &Shared, known: Known) -> Option<Quantity> {
        if let Known::Value(i) = known {
            let node = i / 2;
            return (node < self.x.len()).then_some(match i % 2 {
                0 => Quantity::Displacement(node),
                _ => Quantity::Velocity(node),
            });
        }
        let (input, value, rate) = at.input_with(known)?;
        Some(Quantity::Load { inlet: at.inlet(input)?, value, rate })
    }
}

impl Equations for NetworkMotion {
    /// Puts the nodes where the integrator has them now.
    fn moved(&mut self, at: &Shared) -> Result<(), Error> {
        self.guarded.set(at.time, &self.x, &self.v);
        Ok(())
    }

    fn load(&mut self, at: &Shared) -> Result<(), Error> {
        match at.model()? {
            Some(Model::Network(n)) => self.guarded.change(&n),
            _ => Ok(()),
        }
    }

    fn states(&self, out: &mut [f64]) {
        let x = self.places.iter().map(|i| self.x[*i]);
        let v = self.masses.iter().map(|i| self.v[*i]);
        out.iter_mut().zip(x.chain(v).chain([self.lost])).for_each(|(to, from)| *to = from);
    }

    fn set_states(&mut self, states: &[f64]) {
        let (x, v) = states.split_at(self.places.len());
        self.places.iter().zip(x).for_each(|(i, x)| self.x[*i] = *x);
        self.masses.iter().zip(v).for_each(|(i, v)| self.v[*i] = *v);
        self.lost = states[states.len() - 1];
    }

    fn derivatives(&self, _at: &Shared, out: &mut [f64]) {
        self.of_states(&self.guarded.rates(), out);
    }

    fn indicators(&self, _at: &Shared, out: &mut [f64]) {
        self.guarded.guards(out);
    }

    fn update(&mut self, at: &mut Shared) -> Result<bool, Error> {
        let mut was = vec![0.0; self.places.len() + self.masses.len() + 1];
        let mut is = was.clone();
        self.states(&mut was);
        self.guarded.next(&mut self.events)?;
        self.events.drain(..).for_each(|e| at.counts.add(e.kind));
        self.take_state();
        self.states(&mut is);
        Ok(is != was)
    }

    fn partial(&self, at: &Shared, unknown: Unknown, known: Known) -> Option<f64> {
        if known == Known::Lost {
            return Some(0.0);
        }
        let with = self.guarded.rates_with(self.quantity(at, known)?)?;
        let nodes = self.x.len();
        match unknown {
            Unknown::Derivative(k) => {
                let mut all = vec![0.0; self.places.len() + self.masses.len() + 1];
                self.of_states(&with, &mut all);
                all.get(k).copied()
            }
            Unknown::Value(i) if i >= 2 * nodes => with.friction.get(i - 2 * nodes).copied(),
            Unknown::Value(i) if i % 2 == 1 => with.v.get(i / 2).copied(),
            _ => None,
        }
    }

    fn row(&self, _at: &Shared, out: &mut Vec<f64>) {
        let state = self.guarded.state();
        out.extend(state.x.iter().zip(&state.v).flat_map(|(x, v)| [*x, *v]));
        out.extend(state.friction);
    }

    fn lost(&self, _at: &Shared) -> f64 {
        self.lost
    }

    fn phase(&self, _at: &Shared, contact: usize) -> i32 {
        self.guarded.signs().get(contact).map_or(0, |s| i32::from(*s))
    }

    fn numbers(&self) -> Vec<f64> {
        let signs = self.guarded.signs().iter().map(|s| f64::from(*s));
        let own = std::iter::once(self.lost).chain(signs);
        own.chain(self.x.iter().chain(&self.v).copied()).collect()
    }

    fn put_back(&mut self, at: &Shared, numbers: &[f64]) -> bool {
        let nodes = self.x.len();
        let sliders = self.guarded.signs().len();
        let [lost, rest @ ..] = numbers else { return false };
        if rest.len() != sliders + 2 * nodes {
            return false;
        }
        let (signs, state) = rest.split_at(sliders);
        let signs: Vec<i8> = signs.iter().map(|s| *s as i8).collect();
        let (x, v) = state.split_at(nodes);
        (self.x, self.v) = (x.to_vec(), v.to_vec());
        self.lost = *lost;
        self.guarded.set(at.time, &self.x, &self.v);
        self.guarded.set_signs(&signs).is_ok()
    }
}

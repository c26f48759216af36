//! Models that are also moved by noise.

use super::{Cascade, Network, NoiseOn, Oscillator, Place};
use crate::error::{Error, require};
use crate::law::Law;
use crate::signal::noise::{Address, Noise, PathId};

/// An oscillator with noises: channel number i of a path's address is noise number i here.
#[derive(Debug, Clone, PartialEq)]
pub struct NoisyOscillator {
    /// The oscillator with its deterministic signals.
    pub oscillator: Oscillator,
    /// What else acts on it.
    pub noises: Vec<(Place, Noise)>,
}

impl NoisyOscillator {
    /// The oscillator without any noise yet.
    pub fn new(oscillator: Oscillator) -> Self {
        Self { oscillator, noises: Vec::new() }
    }

    /// With one more noise.
    pub fn with_noise(mut self, place: Place, noise: Noise) -> Self {
        self.noises.push((place, noise));
        self
    }

    /// The scalar inclusion du + f σ(u) dt ∋ dL from u(0) = `start` (S18 and S19 with f = 1): a unit
    /// mass without a spring, its velocity u, its friction `force` f, and L a noise.
    pub fn inclusion(start: f64, force: f64, load: Noise) -> Result<Self, Error> {
        let mass = Oscillator::new(1.0, 0.0, Law::coulomb(force)?).starting_at(0.0, start);
        Ok(Self::new(mass).with_noise(Place::Force, load))
    }

    /// Whether the lanes can take it: two constant forces, a linear load, a support that moves at
    /// most by noise.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.oscillator.friction, Law::Coulomb(_) | Law::StaticDynamic(_))
            && self.oscillator.is_plain()
    }

    /// Checks every number, and that the signals cover [0, end] (s).
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        self.oscillator.check_until(end)?;
        self.oscillator.refuse_rigid_stops("ensemble")?;
        check_count(self.noises.len())?;
        self.noises.iter().try_for_each(|&(place, noise)| NoiseOn { place, noise }.check())
    }
}

/// A cascade with noises on its mass: channel number i of a path's address is noise number i here.
#[derive(Debug, Clone, PartialEq)]
pub struct NoisyCascade {
    /// The cascade with its deterministic force.
    pub cascade: Cascade,
    /// What else acts on the mass, N (white noise: impulses, N·s).
    pub noises: Vec<Noise>,
}

impl NoisyCascade {
    /// Checks every number, and that the signals cover [0, end] (s).
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        self.cascade.check_until(end)?;
        check_count(self.noises.len())?;
        self.noises.iter().try_for_each(Noise::check)
    }

    /// The cascade with the noises of one path made known every `step` (s): see
    /// [`Noise::realize`].
    pub fn known(&self, id: PathId, end: f64, step: f64) -> Result<Cascade, Error> {
        self.check_until(end)?;
        let mut cascade = self.cascade.clone();
        for (channel, noise) in self.noises.iter().enumerate() {
            cascade.force = cascade.force + noise.realize(address(id, channel), end, step)?;
        }
        Ok(cascade)
    }
}

/// A network with noises on its nodes: channel number i of a path's address is noise number i here.
#[derive(Debug, Clone, PartialEq)]
pub struct NoisyNetwork {
    /// The network with its deterministic forces.
    pub network: Network,
    /// The node and what else acts on it, N (white noise: impulses, N·s).
    pub noises: Vec<(usize, Noise)>,
}

impl NoisyNetwork {
    /// Checks every number, and that the signals cover [0, end] (s).
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        self.network.check_until(end)?;
        check_count(self.noises.len())?;
        let nodes = self.network.nodes().len();
        for (node, noise) in &self.noises {
            noise.check()?;
            let known = *node < nodes;
            require("the number of a noise's node", *node as f64, known, "one of the nodes")?;
        }
        Ok(())
    }

    /// The network with the noises of one path made known every `step` (s): see [`Noise::realize`].
    pub fn known(&self, id: PathId, end: f64, step: f64) -> Result<Network, Error> {
        self.check_until(end)?;
        let mut network = self.network.clone();
        for (channel, (node, noise)) in self.noises.iter().enumerate() {
            network.push(*node, noise.realize(address(id, channel), end, step)?);
        }
        Ok(network)
    }
}

/// A channel is a byte.
fn check_count(count: usize) -> Result<(), Error> {
    require("the number of noises", count as f64, count < 256, "255 at most")
}

fn address(id: PathId, channel: usize) -> Address {
    Address { seed: id.seed, path: id.path, channel: channel as u8 }
}

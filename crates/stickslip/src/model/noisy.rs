//! An oscillator that is also moved by noise.

use super::Oscillator;
use crate::error::{Error, require};
use crate::law::Law;
use crate::signal::noise::Noise;

/// Where a noise acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It moves the far end of the spring, m.
    Drive,
    /// It is a force on the mass, N (white noise: impulses, N·s).
    Force,
    /// It is the velocity of the rubbing support, m/s: friction sees ẋ minus it.
    Support,
}

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

    /// Refuses what the lanes cannot take.
    pub(crate) fn require_plain(&self) -> Result<(), Error> {
        if self.is_plain() {
            return Ok(());
        }
        Err(Error::Unsuitable {
            scheme: "ensemble",
            reason: "in an ensemble friction must be coulomb or static-dynamic, the load linear without stops, the normal \
                     force constant in the law, and the support may move only by noise; single paths \
                     take every law"
                .into(),
        })
    }

    /// Checks every number, and that the signals cover [0, end] (s).
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        self.oscillator.check_until(end)?;
        self.oscillator.refuse_rigid_stops("ensemble")?;
        let count = self.noises.len();
        require("the number of noises", count as f64, count < 256, "255 at most")?;
        for (place, noise) in &self.noises {
            noise.check()?;
            if noise.is_white() && *place != Place::Force {
                return Err(Error::Unsuitable {
                    scheme: "of every kind",
                    reason: "white noise has no values at instants, so it cannot be a drive or the \
                             motion of a support; make it a force, or filter it (Ornstein–Uhlenbeck)"
                        .into(),
                });
            }
        }
        Ok(())
    }
}

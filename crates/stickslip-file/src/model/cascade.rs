//! `[cascade]`: one mass held by springs and dry-friction elements in a row.

use super::oscillator::Initial;
use super::signal::{self, Signal};
use crate::diagnostic::Result;
use crate::reader::{Table, any, not_negative, positive};
use crate::reading::Gathered;
use serde::Serialize;

/// A cascade, as written in a file.
#[derive(Debug, Clone, Serialize)]
pub struct Cascade {
    mass: f64,
    stiffness: Vec<f64>,
    threshold: Vec<f64>,
    /// W(0), N.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    prestress: Vec<f64>,
    force: Vec<Signal>,
    /// x(t) of the mass, for the quasi-static scheme.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    displacement: Vec<Signal>,
    initial: Initial,
}

const KEYS: [&str; 7] =
    ["mass", "stiffness", "threshold", "prestress", "force", "displacement", "initial"];

impl Cascade {
    /// Reads `[cascade]`; with it comes the library's cascade, without noises.
    pub fn read(root: &Table<'_>, gathered: &mut Gathered) -> Result<(Self, stickslip::Cascade)> {
        let t = root.table("cascade", &KEYS)?;
        let initial = Initial::read(&t)?;
        let prestress =
            if t.has("prestress") { t.numbers("prestress", any("N"))? } else { Vec::new() };
        let cascade = Self {
            mass: t.number("mass", positive("kg"))?,
            stiffness: t.numbers("stiffness", positive("N/m"))?,
            threshold: t.numbers("threshold", not_negative("N"))?,
            prestress,
            force: signal::read_noisy(&t, "force", "N", gathered)?,
            displacement: signal::read(&t, "displacement", "m", gathered)?,
            initial,
        };
        let built = cascade.build()?;
        // Lengths and the box belong to the table as a whole.
        built.check().map_err(|e| {
            t.fault(format!("`cascade`: {e}"))
                .help("compare stiffness k0 … kn with threshold alpha1 … alphan")
        })?;
        Ok((cascade, built))
    }

    /// Every signal of the model.
    pub fn signals(&self) -> impl Iterator<Item = &Signal> {
        self.force.iter().chain(&self.displacement)
    }

    /// The noises on the force.
    pub fn noises(&self) -> impl Iterator<Item = stickslip::Noise> + '_ {
        signal::noises(&self.force)
    }

    /// The library's cascade, without noises.
    fn build(&self) -> Result<stickslip::Cascade> {
        let x = self.initial.displacement;
        let v = self.initial.velocity;
        let cascade =
            stickslip::Cascade::new(self.mass, self.stiffness.clone(), self.threshold.clone())
                .with_prestress(self.prestress.clone())
                .with_force(signal::sum(&self.force)?)
                .starting_at(x, v);
        Ok(match self.displacement.is_empty() {
            true => cascade,
            false => cascade.with_displacement(signal::sum(&self.displacement)?),
        })
    }
}

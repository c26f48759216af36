//! `lugre = { static, dynamic, velocity, exponent, stiffness, damping, viscous }`.

use crate::diagnostic::Result;
use crate::model::friction::static_dynamic::forces;
use crate::reader::{Table, Variant, any, not_negative, positive};
use serde::Serialize;
use stickslip::law::memory::{self, StribeckLimit};

/// F = stiffness·z + damping·ż + viscous·w, ż = w − stiffness·|w| z/g(w),
/// g = dynamic + (static − dynamic) exp(−|w/velocity|^exponent).
#[derive(Debug, Clone, Serialize)]
pub struct Lugre {
    #[serde(rename = "static")]
    breakaway: f64,
    dynamic: f64,
    velocity: f64,
    exponent: f64,
    pub stiffness: f64,
    pub damping: f64,
    pub viscous: f64,
}

/// Its keys.
pub const KEYS: [&str; 7] =
    ["static", "dynamic", "velocity", "exponent", "stiffness", "damping", "viscous"];

impl Lugre {
    pub fn read(law: &Variant<'_>) -> Result<Self> {
        Self::of(&law.table(&KEYS)?)
    }

    /// Reads the numbers that it shares with the elasto-plastic law.
    pub fn of(t: &Table<'_>) -> Result<Self> {
        let (breakaway, dynamic) = forces(t)?;
        // Without a fall there is nothing that the Stribeck velocity could be the velocity of.
        let falls = breakaway > dynamic || t.has("velocity");
        Ok(Self {
            breakaway,
            dynamic,
            velocity: if falls { t.number("velocity", positive("m/s"))? } else { 1.0 },
            exponent: t.number_or("exponent", positive(""), 2.0)?,
            stiffness: t.number("stiffness", positive("N/m"))?,
            damping: t.number_or("damping", any("N·s/m"), 0.0)?,
            viscous: t.number_or("viscous", not_negative("N·s/m"), 0.0)?,
        })
    }

    /// The limit of its bristle.
    pub fn limit(&self) -> Result<StribeckLimit, stickslip::Error> {
        StribeckLimit::new(self.breakaway, self.dynamic, self.velocity, self.exponent)
    }

    pub fn build(&self) -> Result<memory::Memory, stickslip::Error> {
        let limit = self.limit()?;
        memory::Lugre::new(limit, self.stiffness, self.damping, self.viscous).map(Into::into)
    }
}

//! `ornstein-uhlenbeck = { rate, intensity, scale }`.

use crate::diagnostic::Result;
use crate::reader::{Variant, any, positive};
use serde::Serialize;

/// scale · η with dη = −rate η dt + intensity dB, η(0) = 0.
#[derive(Debug, Clone, Serialize)]
pub struct OrnsteinUhlenbeck {
    rate: f64,
    intensity: f64,
    scale: f64,
}

impl OrnsteinUhlenbeck {
    /// Reads the signal's numbers.
    pub fn read(signal: &Variant<'_>) -> Result<Self> {
        let t = signal.table(&["rate", "intensity", "scale"])?;
        Ok(Self {
            rate: t.number("rate", positive("1/s"))?,
            intensity: t.number("intensity", positive("1/√s of the signal's unit"))?,
            scale: t.number_or("scale", any(""), 1.0)?,
        })
    }

    /// The library's noise.
    pub fn build(&self) -> stickslip::Noise {
        let Self { rate, intensity, scale } = *self;
        stickslip::Noise::OrnsteinUhlenbeck { rate, intensity, scale }
    }
}

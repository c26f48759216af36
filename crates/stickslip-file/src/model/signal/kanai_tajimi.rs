//! `kanai-tajimi = { angular_frequency, damping_ratio, intensity, scale }`.

use crate::diagnostic::Result;
use crate::reader::{Variant, any, positive};
use serde::Serialize;

/// −scale · (2 ξ ω y + ω² x) with dx = y dt, dy = −(2 ξ ω y + ω² x) dt + intensity dB from rest.
#[derive(Debug, Clone, Serialize)]
pub struct KanaiTajimi {
    angular_frequency: f64,
    damping_ratio: f64,
    intensity: f64,
    scale: f64,
}

impl KanaiTajimi {
    /// Reads the signal's numbers.
    pub fn read(signal: &Variant<'_>) -> Result<Self> {
        let t = signal.table(&["angular_frequency", "damping_ratio", "intensity", "scale"])?;
        Ok(Self {
            angular_frequency: t.number("angular_frequency", positive("rad/s"))?,
            damping_ratio: t.number("damping_ratio", positive(""))?,
            intensity: t.number("intensity", positive("1/√s of the filter's velocity"))?,
            scale: t.number_or("scale", any(""), 1.0)?,
        })
    }

    /// The library's noise.
    pub fn build(&self) -> stickslip::Noise {
        let Self { angular_frequency, damping_ratio, intensity, scale } = *self;
        stickslip::Noise::KanaiTajimi { angular_frequency, damping_ratio, intensity, scale }
    }
}

//! `chirp = { amplitude, from, to, duration, phase, sweep }`: a harmonic whose frequency is swept.

use crate::diagnostic::Result;
use crate::reader::{Quantity, Variant, any, not_negative, positive};
use serde::Serialize;
use stickslip::signal as library;

/// As [`stickslip::signal::Chirp`].
#[derive(Debug, Clone, Serialize)]
pub struct Chirp {
    amplitude: f64,
    from: f64,
    to: f64,
    duration: f64,
    phase: f64,
    sweep: Sweep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Sweep {
    Linear,
    Logarithmic,
}

impl Chirp {
    /// Reads the signal's numbers.
    pub fn read(signal: &Variant<'_>, unit: &'static str) -> Result<Self> {
        let t = signal.table(&["amplitude", "from", "to", "duration", "phase", "sweep"])?;
        let words = [("linear", Sweep::Linear), ("logarithmic", Sweep::Logarithmic)];
        let sweep = t.choice("sweep", "sweep", &words)?.map_or(Sweep::Linear, |s| s.value);
        let frequency: Quantity = match sweep {
            Sweep::Linear => not_negative("rad/s"),
            Sweep::Logarithmic => positive("rad/s"),
        };
        Ok(Self {
            amplitude: t.number("amplitude", any(unit))?,
            from: t.number("from", frequency)?,
            to: t.number("to", frequency)?,
            duration: t.number("duration", positive("s"))?,
            phase: t.number_or("phase", any("rad"), 0.0)?,
            sweep,
        })
    }

    /// The library's signal.
    pub fn build(&self) -> Result<stickslip::Signal, stickslip::Error> {
        let Self { amplitude, from, to, duration, phase, sweep } = *self;
        let sweep = match sweep {
            Sweep::Linear => library::Sweep::Linear,
            Sweep::Logarithmic => library::Sweep::Logarithmic,
        };
        let chirp = library::Chirp { amplitude, from, to, duration, phase, sweep };
        stickslip::Signal::chirp(chirp)
    }
}

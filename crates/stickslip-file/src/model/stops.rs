//! `[oscillator.stops]`: what stands in the way on either side.

use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{Table, any, not_negative, positive};
use serde::Serialize;

const KEYS: [&str; 5] = ["lower", "upper", "restitution", "stiffness", "damping"];

/// Rigid stops with a restitution, or soft ones with a stiffness.
#[derive(Debug, Clone, Serialize)]
pub struct Stops {
    /// m.
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<f64>,
    /// m.
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<f64>,
    #[serde(flatten)]
    bumper: Bumper,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum Bumper {
    Rigid { restitution: f64 },
    Soft { stiffness: f64, damping: f64 },
}

impl Bumper {
    /// Reads what a stop is made of.
    pub fn read(t: &Table<'_>) -> Result<Self> {
        let restitution = t.number_opt("restitution", not_negative(""))?;
        let stiffness = t.number_opt("stiffness", positive("N/m"))?;
        let damping = t.number_opt("damping", not_negative("N·s/m"))?;
        Ok(match (restitution, stiffness, damping) {
            (Some(e), None, None) if e.value <= 1.0 => Bumper::Rigid { restitution: e.value },
            (Some(e), None, None) => {
                let message = format!(
                    "`{}` is {:?}; expected a number from 0 to 1",
                    t.path_of("restitution"),
                    e.value
                );
                return Err(Diagnostic::at(&e.place, message)
                    .help("0: the mass stays at the stop; 1: it keeps its speed"));
            }
            (None, Some(k), c) => {
                Bumper::Soft { stiffness: k.value, damping: c.map_or(0.0, |c| c.value) }
            }
            (Some(_), Some(other), _) | (Some(_), None, Some(other)) => {
                let message = format!(
                    "`{}` has both a restitution and a spring; expected one of them",
                    t.path()
                );
                return Err(Diagnostic::at(&other.place, message).help(
                    "`restitution` makes the stops rigid; `stiffness` and `damping` make them soft",
                ));
            }
            (None, None, _) => {
                let unit = t.unit("N/m");
                let expected = format!(
                    "a number from 0 to 1 (rigid stops), or `stiffness` in {unit} (soft ones)"
                );
                return Err(t.missing("restitution", &expected));
            }
        })
    }

    /// The library's.
    pub fn build(self) -> stickslip::Bumper {
        match self {
            Self::Rigid { restitution } => stickslip::Bumper::Rigid { restitution },
            Self::Soft { stiffness, damping } => stickslip::Bumper::Soft { stiffness, damping },
        }
    }
}

impl Stops {
    /// Reads `stops` of an oscillator, if it is there.
    pub fn read(oscillator: &Table<'_>) -> Result<Option<Self>> {
        let Some(t) = oscillator.table_opt("stops", &KEYS)? else { return Ok(None) };
        let place = |key| t.number_opt(key, any("m"));
        let lower = place("lower")?;
        let upper = place("upper")?;
        let unit = t.unit("m");
        match (&lower, &upper) {
            (None, None) => {
                let expected =
                    format!("the position of a stop (x ≥ lower or x ≤ upper), in {unit}");
                return Err(t.missing("lower", &expected));
            }
            (Some(a), Some(b)) if a.value >= b.value => {
                let message = format!(
                    "`{}` is {:?} {unit}, not below `upper` = {:?} {unit}; expected lower < upper",
                    t.path_of("lower"),
                    a.value,
                    b.value
                );
                return Err(Diagnostic::at(&a.place, message).help("swap the two"));
            }
            _ => {}
        }
        let bumper = Bumper::read(&t)?;
        let value = |p: Option<crate::place::Placed<f64>>| p.map(|p| p.value);
        Ok(Some(Self { lower: value(lower), upper: value(upper), bumper }))
    }

    /// The library's stops.
    pub fn build(&self) -> stickslip::Stops {
        let Self { lower, upper, bumper } = *self;
        match bumper {
            Bumper::Rigid { restitution } => stickslip::Stops::rigid(lower, upper, restitution),
            Bumper::Soft { stiffness, damping } => {
                stickslip::Stops::soft(lower, upper, stiffness, damping)
            }
        }
    }
}

//! `stribeck-exponential = { static, dynamic, velocity, exponent, viscous }`.

use crate::diagnostic::Result;
use crate::model::slot::Field;
use crate::reader::{Variant, not_negative, positive};
use serde::Serialize;
use stickslip::Law;

/// dynamic + (static − dynamic) exp(−|w/velocity|^exponent) + viscous·|w|.
#[derive(Debug, Clone, Serialize)]
pub struct StribeckExponential {
    #[serde(rename = "static")]
    breakaway: f64,
    dynamic: f64,
    velocity: f64,
    exponent: f64,
    viscous: f64,
}

impl super::Numbers for StribeckExponential {
    fn read(law: &Variant<'_>) -> Result<Self> {
        let t = law.table(&["static", "dynamic", "velocity", "exponent", "viscous"])?;
        let (breakaway, dynamic) = super::static_dynamic::forces(&t)?;
        Ok(Self {
            breakaway,
            dynamic,
            velocity: t.number("velocity", positive("m/s"))?,
            exponent: t.number_or("exponent", positive(""), 1.0)?,
            viscous: t.number_or("viscous", not_negative("N·s/m"), 0.0)?,
        })
    }

    fn slot(key: &str) -> Option<Field<Self>> {
        Some(match key {
            "static" => |law| &mut law.breakaway,
            "dynamic" => |law| &mut law.dynamic,
            "velocity" => |law| &mut law.velocity,
            "exponent" => |law| &mut law.exponent,
            "viscous" => |law| &mut law.viscous,
            _ => return None,
        })
    }

    fn build(&self) -> Result<Law, stickslip::Error> {
        let Self { breakaway, dynamic, velocity, exponent, viscous } = *self;
        Law::stribeck_exponential(breakaway, dynamic, velocity, exponent, viscous)
    }
}

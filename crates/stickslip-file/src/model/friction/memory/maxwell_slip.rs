//! `maxwell-slip = { stiffness = […], weight = […], static, dynamic, velocity, exponent, attraction, viscous }`.

use crate::diagnostic::Result;
use crate::model::friction::static_dynamic::forces;
use crate::reader::{Variant, not_negative, positive};
use serde::Serialize;
use stickslip::law::memory::{self, StribeckLimit};

/// Elements in parallel: each sticks as a spring up to its weight of the limit, which falls with the speed, and then slides
/// at a force that the limit attracts.
#[derive(Debug, Clone, Serialize)]
pub struct MaxwellSlip {
    stiffness: Vec<f64>,
    weight: Vec<f64>,
    #[serde(rename = "static")]
    breakaway: f64,
    dynamic: f64,
    velocity: f64,
    exponent: f64,
    attraction: f64,
    viscous: f64,
}

const KEYS: [&str; 8] =
    ["stiffness", "weight", "static", "dynamic", "velocity", "exponent", "attraction", "viscous"];

impl MaxwellSlip {
    pub fn read(law: &Variant<'_>) -> Result<Self> {
        let t = law.table(&KEYS)?;
        let (breakaway, dynamic) = forces(&t)?;
        let falls = breakaway > dynamic;
        // Without a fall there is nothing that a Stribeck velocity or an attraction would do.
        let velocity =
            if falls || t.has("velocity") { t.number("velocity", positive("m/s"))? } else { 1.0 };
        let attraction = if falls {
            t.number("attraction", positive("N/s"))?
        } else {
            t.number_or("attraction", not_negative("N/s"), 0.0)?
        };
        Ok(Self {
            stiffness: t.numbers("stiffness", positive("N/m"))?,
            weight: t.numbers("weight", positive(""))?,
            breakaway,
            dynamic,
            velocity,
            exponent: t.number_or("exponent", positive(""), 2.0)?,
            attraction,
            viscous: t.number_or("viscous", not_negative("N·s/m"), 0.0)?,
        })
    }

    pub fn build(&self) -> Result<memory::Memory, stickslip::Error> {
        let Self { breakaway, dynamic, velocity, exponent, .. } = *self;
        let limit = StribeckLimit::new(breakaway, dynamic, velocity, exponent)?;
        let stiffness = self.stiffness.clone();
        let weight = self.weight.clone();
        memory::MaxwellSlip::new(limit, stiffness, weight, self.attraction, self.viscous)
            .map(Into::into)
    }
}

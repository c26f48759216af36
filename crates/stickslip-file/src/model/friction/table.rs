//! `table = { velocity = […], force = […] }`: any friction, linear between the points.

use crate::diagnostic::Result;
use crate::reader::{Variant, not_negative};
use serde::Serialize;
use stickslip::Law;
use stickslip::law::General;

/// Friction against speed; the first point is at rest.
#[derive(Debug, Clone, Serialize)]
pub struct Table {
    velocity: Vec<f64>,
    force: Vec<f64>,
}

impl super::Numbers for Table {
    fn read(law: &Variant<'_>) -> Result<Self> {
        let t = law.table(&["velocity", "force"])?;
        Ok(Self {
            velocity: t.increasing("velocity", not_negative("m/s"))?,
            force: t.numbers("force", not_negative("N"))?,
        })
    }

    fn build(&self) -> Result<Law, stickslip::Error> {
        General::table(&self.velocity, &self.force).map(Law::General)
    }
}

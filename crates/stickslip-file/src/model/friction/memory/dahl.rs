//! `dahl = { force, stiffness, exponent }`.

use crate::diagnostic::Result;
use crate::reader::{Variant, positive};
use serde::Serialize;
use stickslip::law::memory;

/// F = stiffness·z, ż = w (1 − stiffness·z·sgn(w)/force)^exponent.
#[derive(Debug, Clone, Serialize)]
pub struct Dahl {
    force: f64,
    stiffness: f64,
    exponent: f64,
}

impl Dahl {
    pub fn read(law: &Variant<'_>) -> Result<Self> {
        let t = law.table(&["force", "stiffness", "exponent"])?;
        Ok(Self {
            force: t.number("force", positive("N"))?,
            stiffness: t.number("stiffness", positive("N/m"))?,
            exponent: t.number_or("exponent", positive(""), 1.0)?,
        })
    }

    pub fn build(&self) -> Result<memory::Memory, stickslip::Error> {
        memory::Dahl::new(self.force, self.stiffness, self.exponent).map(Into::into)
    }
}

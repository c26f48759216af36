//! `coulomb = { force }`.

use crate::diagnostic::Result;
use crate::reader::{Variant, not_negative};
use serde::Serialize;
use stickslip::Law;

/// One force at rest and in motion.
#[derive(Debug, Clone, Serialize)]
pub struct Coulomb {
    force: f64,
}

impl super::Numbers for Coulomb {
    fn read(law: &Variant<'_>) -> Result<Self> {
        Ok(Self { force: law.table(&["force"])?.number("force", not_negative("N"))? })
    }

    fn build(&self) -> Result<Law, stickslip::Error> {
        Law::coulomb(self.force)
    }
}

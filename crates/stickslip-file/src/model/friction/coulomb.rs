//! `coulomb = { force }`.

use crate::diagnostic::Result;
use crate::model::slot::Field;
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

    fn slot(key: &str) -> Option<Field<Self>> {
        Some(match key {
            "force" => |law| &mut law.force,
            _ => return None,
        })
    }

    fn build(&self) -> Result<Law, stickslip::Error> {
        Law::coulomb(self.force)
    }
}

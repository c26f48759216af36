//! `cubic = { static, weakening, strengthening }`: static − weakening·|w| + strengthening·|w|³.

use crate::diagnostic::Result;
use crate::model::slot::Field;
use crate::reader::{Variant, not_negative};
use serde::Serialize;
use stickslip::Law;

/// The law of di Bernardo, Kowalczyk and Nordmark.
#[derive(Debug, Clone, Serialize)]
pub struct Cubic {
    #[serde(rename = "static")]
    breakaway: f64,
    weakening: f64,
    strengthening: f64,
}

impl super::Numbers for Cubic {
    fn read(law: &Variant<'_>) -> Result<Self> {
        let t = law.table(&["static", "weakening", "strengthening"])?;
        Ok(Self {
            breakaway: t.number("static", not_negative("N"))?,
            weakening: t.number("weakening", not_negative("N·s/m"))?,
            strengthening: t.number("strengthening", not_negative("N·s³/m³"))?,
        })
    }

    fn slot(key: &str) -> Option<Field<Self>> {
        Some(match key {
            "static" => |law| &mut law.breakaway,
            "weakening" => |law| &mut law.weakening,
            "strengthening" => |law| &mut law.strengthening,
            _ => return None,
        })
    }

    fn build(&self) -> Result<Law, stickslip::Error> {
        Law::cubic(self.breakaway, self.weakening, self.strengthening)
    }
}

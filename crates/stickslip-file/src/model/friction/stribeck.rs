//! `stribeck = { a, b, c, d }`: d/(a|w|³ + b w² + c|w| + 1).

use crate::diagnostic::Result;
use crate::model::slot::Field;
use crate::reader::{Variant, not_negative, positive};
use serde::Serialize;
use stickslip::Law;

/// The formula (1.38) of Stribeck's law.
#[derive(Debug, Clone, Serialize)]
pub struct Stribeck {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
}

impl super::Numbers for Stribeck {
    fn read(law: &Variant<'_>) -> Result<Self> {
        let t = law.table(&["a", "b", "c", "d"])?;
        Ok(Self {
            a: t.number("a", not_negative("(s/m)³"))?,
            b: t.number_or("b", not_negative("(s/m)²"), 0.0)?,
            c: t.number_or("c", not_negative("s/m"), 0.0)?,
            d: t.number("d", positive("N"))?,
        })
    }

    fn slot(key: &str) -> Option<Field<Self>> {
        Some(match key {
            "a" => |law| &mut law.a,
            "b" => |law| &mut law.b,
            "c" => |law| &mut law.c,
            "d" => |law| &mut law.d,
            _ => return None,
        })
    }

    fn build(&self) -> Result<Law, stickslip::Error> {
        Law::stribeck(self.a, self.b, self.c, self.d)
    }
}

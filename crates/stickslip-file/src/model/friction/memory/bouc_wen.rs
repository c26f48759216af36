//! `bouc-wen = { stiffness, ratio, a, beta, gamma, exponent }`.

use crate::diagnostic::Result;
use crate::reader::{Variant, any, not_negative, positive};
use serde::Serialize;
use stickslip::law::memory::{self, Shape};

/// F = ratio·stiffness·x + (1 − ratio)·stiffness·z, ż = a w − beta |w||z|^(n−1) z − gamma w |z|^n.
#[derive(Debug, Clone, Serialize)]
pub struct BoucWen {
    stiffness: f64,
    ratio: f64,
    a: f64,
    beta: f64,
    gamma: f64,
    exponent: f64,
}

impl BoucWen {
    pub fn read(law: &Variant<'_>) -> Result<Self> {
        let t = law.table(&["stiffness", "ratio", "a", "beta", "gamma", "exponent"])?;
        Ok(Self {
            stiffness: t.number("stiffness", positive("N/m"))?,
            ratio: t.number_or("ratio", not_negative(""), 0.0)?,
            a: t.number_or("a", positive(""), 1.0)?,
            beta: t.number("beta", not_negative("1/mⁿ"))?,
            gamma: t.number("gamma", any("1/mⁿ"))?,
            exponent: t.number_or("exponent", positive(""), 1.0)?,
        })
    }

    pub fn build(&self) -> Result<memory::Memory, stickslip::Error> {
        let Self { stiffness, ratio, a, beta, gamma, exponent } = *self;
        memory::BoucWen::new(stiffness, ratio, Shape { a, beta, gamma, exponent }).map(Into::into)
    }
}

//! `bouc-wen = { stiffness, ratio, a, beta, gamma, exponent, degradation = { strength, stiffness } }`.

use crate::diagnostic::Result;
use crate::reader::{Table, Variant, any, not_negative, positive};
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
    #[serde(skip_serializing_if = "Option::is_none")]
    degradation: Option<Degradation>,
}

/// What its bound and its stiffness lose with the work that is done on it, 1/J.
#[derive(Debug, Clone, Copy, Serialize)]
struct Degradation {
    strength: f64,
    stiffness: f64,
}

impl Degradation {
    fn read(t: &Table<'_>) -> Result<Self> {
        Ok(Self {
            strength: t.number_or("strength", not_negative("1/J"), 0.0)?,
            stiffness: t.number_or("stiffness", not_negative("1/J"), 0.0)?,
        })
    }
}

impl BoucWen {
    pub fn read(law: &Variant<'_>) -> Result<Self> {
        let t =
            law.table(&["stiffness", "ratio", "a", "beta", "gamma", "exponent", "degradation"])?;
        let degradation = t.table_opt("degradation", &["strength", "stiffness"])?;
        Ok(Self {
            stiffness: t.number("stiffness", positive("N/m"))?,
            ratio: t.number_or("ratio", not_negative(""), 0.0)?,
            a: t.number_or("a", positive(""), 1.0)?,
            beta: t.number("beta", not_negative("1/mⁿ"))?,
            gamma: t.number("gamma", any("1/mⁿ"))?,
            exponent: t.number_or("exponent", positive(""), 1.0)?,
            degradation: degradation.map(|d| Degradation::read(&d)).transpose()?,
        })
    }

    pub fn build(&self) -> Result<memory::Memory, stickslip::Error> {
        let Self { stiffness, ratio, a, beta, gamma, exponent, degradation } = *self;
        let law = memory::BoucWen::new(stiffness, ratio, Shape { a, beta, gamma, exponent })?;
        let Some(Degradation { strength, stiffness }) = degradation else { return Ok(law.into()) };
        law.degrading(memory::Degradation { strength, stiffness }).map(Into::into)
    }
}

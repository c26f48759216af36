//! Laws with memory, one file each.

mod bouc_wen;
mod dahl;
mod elasto_plastic;
mod lugre;
mod maxwell_slip;
mod rate_and_state;

use crate::diagnostic::{Diagnostic, Result};
use crate::reader::Table;
use serde::Serialize;
use stickslip::law::memory::Memory;

/// Their names in files.
pub const LAWS: [&str; 6] =
    ["dahl", "lugre", "elasto-plastic", "bouc-wen", "maxwell-slip", "rate-and-state"];

/// A law with memory, as written in a file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remembering {
    /// A bristle that yields as its force approaches Coulomb's.
    Dahl(dahl::Dahl),
    /// A bristle with damping and Stribeck's limit.
    Lugre(lugre::Lugre),
    /// The same with an elastic range.
    ElastoPlastic(elasto_plastic::ElastoPlastic),
    /// A hysteretic spring.
    BoucWen(bouc_wen::BoucWen),
    /// Elements in parallel.
    MaxwellSlip(maxwell_slip::MaxwellSlip),
    /// A contact that ages.
    RateAndState(rate_and_state::RateAndState),
}

impl Remembering {
    /// Whether the friction of `model` is one of these.
    pub fn is_in(model: &Table<'_>) -> bool {
        model.holds("friction", &LAWS)
    }

    /// Reads `friction` of a model.
    pub fn read(model: &Table<'_>) -> Result<Self> {
        let law = model.one_of("friction", "friction law with memory", &LAWS)?;
        Ok(match law.name {
            "dahl" => Self::Dahl(dahl::Dahl::read(&law)?),
            "lugre" => Self::Lugre(lugre::Lugre::read(&law)?),
            "elasto-plastic" => Self::ElastoPlastic(elasto_plastic::ElastoPlastic::read(&law)?),
            "maxwell-slip" => Self::MaxwellSlip(maxwell_slip::MaxwellSlip::read(&law)?),
            "rate-and-state" => Self::RateAndState(rate_and_state::RateAndState::read(&law)?),
            _ => Self::BoucWen(bouc_wen::BoucWen::read(&law)?),
        })
    }

    /// What the unit of its numbers is.
    pub fn unit(&self) -> &'static str {
        if matches!(self, Self::RateAndState(_)) { "s" } else { "m" }
    }

    /// The library's law.
    pub fn build(&self) -> Result<Memory, stickslip::Error> {
        match self {
            Self::Dahl(law) => law.build(),
            Self::Lugre(law) => law.build(),
            Self::ElastoPlastic(law) => law.build(),
            Self::BoucWen(law) => law.build(),
            Self::MaxwellSlip(law) => law.build(),
            Self::RateAndState(law) => law.build(),
        }
    }

    /// An error if the friction of `model`, which knows none of them, is one of these.
    pub fn refuse(model: &Table<'_>) -> Result<()> {
        let of = |law: &&&str| model.holds("friction", &[**law]);
        let Some(law) = LAWS.iter().find(of) else { return Ok(()) };
        let message = format!(
            "the law `{law}` has memory, which contacts of this kind of model do not keep yet"
        );
        Err(Diagnostic::at(model.place_of("friction"), message).help(
            "use it in an [oscillator], on a slider of a [network], or in an [element] with a `displacement`; or take a law without memory here",
        ))
    }
}

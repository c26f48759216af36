//! `friction`: the law of a contact, one file each.

mod coulomb;
mod static_dynamic;

use super::reader::Table;
use crate::fault::Result;
use serde::Serialize;
use stickslip::Law;

/// A friction law, as written in a file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Friction {
    /// One force.
    Coulomb(coulomb::Coulomb),
    /// Breakaway and sliding force.
    StaticDynamic(static_dynamic::StaticDynamic),
}

const LAWS: [&str; 2] = ["coulomb", "static-dynamic"];

impl Friction {
    /// Reads `friction` of a model.
    pub fn read(model: &Table<'_>) -> Result<Self> {
        let law = model.one_of("friction", "friction law", &LAWS)?;
        Ok(match law.name {
            "coulomb" => Self::Coulomb(coulomb::Coulomb::read(&law)?),
            _ => Self::StaticDynamic(static_dynamic::StaticDynamic::read(&law)?),
        })
    }

    /// The library's law.
    pub fn build(&self) -> Result<Law, stickslip::Error> {
        match self {
            Self::Coulomb(law) => law.build(),
            Self::StaticDynamic(law) => law.build(),
        }
    }
}

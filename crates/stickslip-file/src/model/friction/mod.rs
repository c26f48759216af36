//! `friction`: the law of a contact, one file each.
//!
//! A law may be written for each direction: `coulomb = { forward = { … }, backward = { … } }`, or with
//! different laws `friction.forward.coulomb = { … }`, `friction.backward.stribeck = { … }`.

mod ageing;
mod coulomb;
mod cubic;
pub mod memory;
mod static_dynamic;
mod stribeck;
mod stribeck_exponential;
mod table;
mod velocity_strengthening;

use crate::diagnostic::{Diagnostic, Result};
use crate::model::slot::{Field, Slot};
use crate::reader::{DIRECTIONS, Table, Variant};
use crate::resources::Resources;
use serde::Serialize;
use stickslip::Law;

/// The numbers of one law in a file.
pub trait Numbers: Sized {
    /// Reads them.
    fn read(law: &Variant<'_>) -> Result<Self>;
    /// The number at a key; nothing where the law is read again to change it.
    fn slot(_key: &str) -> Option<Field<Self>> {
        None
    }
    /// The library's law.
    fn build(&self) -> Result<Law, stickslip::Error>;
}

/// A friction law, as written in a file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Friction {
    /// One force.
    Coulomb(Sided<coulomb::Coulomb>),
    /// Breakaway and sliding force.
    StaticDynamic(Sided<static_dynamic::StaticDynamic>),
    /// Formula (1.38).
    Stribeck(Sided<stribeck::Stribeck>),
    /// A fall and a rise.
    Cubic(Sided<cubic::Cubic>),
    /// An exponential fall and a viscous part.
    StribeckExponential(Sided<stribeck_exponential::StribeckExponential>),
    /// An exponential rise.
    VelocityStrengthening(Sided<velocity_strengthening::VelocityStrengthening>),
    /// A limit that grows at rest.
    Ageing(Sided<ageing::Ageing>),
    /// Points.
    Table(Sided<table::Table>),
    /// A law of the program that reads the file.
    Given(Given),
    /// Another law for each direction.
    #[serde(untagged)]
    Each {
        /// For w > 0.
        forward: Box<Friction>,
        /// For w < 0.
        backward: Box<Friction>,
    },
}

/// A law that no file can hold, by its name.
#[derive(Debug, Clone, Serialize)]
pub struct Given {
    name: String,
    #[serde(skip)]
    law: Law,
}

/// The numbers of a law, the same or others in both directions.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Sided<L> {
    /// The same.
    Both(L),
    /// Others.
    Each {
        /// For w > 0.
        forward: L,
        /// For w < 0.
        backward: L,
    },
}

impl<L: Numbers + 'static> Sided<L> {
    /// The number at these keys below the name of the law.
    fn slot(&self, keys: &[&str]) -> Option<Slot<Self>> {
        match (self, keys) {
            (Self::Both(_), [key]) => {
                let field = L::slot(key)?;
                Some(Box::new(move |it| match it {
                    Self::Both(law) => Some(field(law)),
                    Self::Each { .. } => None,
                }))
            }
            (Self::Each { .. }, [direction, key]) => {
                let field = L::slot(key)?;
                let ahead = *direction == DIRECTIONS[0];
                Some(Box::new(move |it| match it {
                    Self::Each { forward, .. } if ahead => Some(field(forward)),
                    Self::Each { backward, .. } => Some(field(backward)),
                    Self::Both(_) => None,
                }))
            }
            _ => None,
        }
    }

    fn read(law: &Variant<'_>) -> Result<Self> {
        Ok(match law.directions()? {
            None => Self::Both(L::read(law)?),
            Some([ahead, back]) => {
                Self::Each { forward: L::read(&ahead)?, backward: L::read(&back)? }
            }
        })
    }

    fn build(&self) -> Result<Law, stickslip::Error> {
        match self {
            Self::Both(law) => law.build(),
            Self::Each { forward, backward } => {
                Law::asymmetric(forward.build()?, backward.build()?)
            }
        }
    }
}

const LAWS: [&str; 8] = [
    "coulomb",
    "static-dynamic",
    "stribeck",
    "stribeck-exponential",
    "velocity-strengthening",
    "cubic",
    "ageing",
    "table",
];

impl Friction {
    /// Reads `friction` of a model.
    pub fn read(model: &Table<'_>, resources: &dyn Resources) -> Result<Self> {
        if model.holds("friction", &["given"]) {
            let friction = model.table("friction", &["given"])?;
            let name = friction.table("given", &["name"])?.text("name", "the name of a law")?;
            let unknown =
                || Diagnostic::at(&name.place, format!("there is no law `{}` here", name.value));
            let law = resources.law(&name.value).ok_or_else(unknown)?;
            return Ok(Self::Given(Given { name: name.value, law }));
        }
        memory::Remembering::refuse(model)?;
        if model.holds("friction", &DIRECTIONS) {
            let each = model.table("friction", &DIRECTIONS)?;
            let side = |key| {
                each.one_of(key, "friction law", &LAWS).and_then(|l| Self::of(&l)).map(Box::new)
            };
            return Ok(Self::Each {
                forward: side(DIRECTIONS[0])?,
                backward: side(DIRECTIONS[1])?,
            });
        }
        let known = [&LAWS[..], &memory::LAWS].concat();
        Self::of(&model.one_of("friction", "friction law", &known)?)
    }

    fn of(law: &Variant<'_>) -> Result<Self> {
        Ok(match law.name {
            "coulomb" => Self::Coulomb(Sided::read(law)?),
            "stribeck" => Self::Stribeck(Sided::read(law)?),
            "stribeck-exponential" => Self::StribeckExponential(Sided::read(law)?),
            "velocity-strengthening" => Self::VelocityStrengthening(Sided::read(law)?),
            "cubic" => Self::Cubic(Sided::read(law)?),
            "ageing" => Self::Ageing(Sided::read(law)?),
            "table" => Self::Table(Sided::read(law)?),
            _ => Self::StaticDynamic(Sided::read(law)?),
        })
    }

    /// The number at these keys below `friction`; nothing of laws that are lists of numbers or come from elsewhere.
    pub fn slot(&self, keys: &[&str]) -> Option<Slot<Self>> {
        // The first key is the name of the law, which the variant knows.
        let numbers = keys.get(1..)?;
        macro_rules! inside {
            ($variant:ident, $law:expr) => {{
                let inner = $law.slot(numbers)?;
                Some(Box::new(move |it: &mut Self| match it {
                    Self::$variant(law) => inner(law),
                    _ => None,
                }))
            }};
        }
        match self {
            Self::Coulomb(law) => inside!(Coulomb, law),
            Self::StaticDynamic(law) => inside!(StaticDynamic, law),
            Self::Stribeck(law) => inside!(Stribeck, law),
            Self::StribeckExponential(law) => inside!(StribeckExponential, law),
            Self::VelocityStrengthening(law) => inside!(VelocityStrengthening, law),
            Self::Cubic(law) => inside!(Cubic, law),
            Self::Ageing(_) | Self::Table(_) | Self::Given(_) => None,
            Self::Each { forward, backward } => {
                let ahead = *keys.first()? == DIRECTIONS[0];
                let inner = if ahead { forward } else { backward }.slot(numbers)?;
                Some(Box::new(move |it| match it {
                    Self::Each { forward, .. } if ahead => inner(forward),
                    Self::Each { backward, .. } => inner(backward),
                    _ => None,
                }))
            }
        }
    }

    /// The library's law.
    pub fn build(&self) -> Result<Law, stickslip::Error> {
        match self {
            Self::Coulomb(law) => law.build(),
            Self::StaticDynamic(law) => law.build(),
            Self::Stribeck(law) => law.build(),
            Self::StribeckExponential(law) => law.build(),
            Self::VelocityStrengthening(law) => law.build(),
            Self::Cubic(law) => law.build(),
            Self::Ageing(law) => law.build(),
            Self::Table(law) => law.build(),
            Self::Given(given) => Ok(given.law.clone()),
            Self::Each { forward, backward } => {
                Law::asymmetric(forward.build()?, backward.build()?)
            }
        }
    }
}

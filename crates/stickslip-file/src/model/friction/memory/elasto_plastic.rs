//! `elasto-plastic = { …lugre…, breakaway }`.

use super::lugre::{KEYS, Lugre};
use crate::diagnostic::Result;
use crate::reader::{Variant, positive};
use serde::Serialize;
use stickslip::law::memory;

/// As `lugre`, and elastic while the bristle is bent by less than `breakaway`.
#[derive(Debug, Clone, Serialize)]
pub struct ElastoPlastic {
    #[serde(flatten)]
    lugre: Lugre,
    breakaway: f64,
}

impl ElastoPlastic {
    pub fn read(law: &Variant<'_>) -> Result<Self> {
        let t = law.table(&[&KEYS[..], &["breakaway"]].concat())?;
        Ok(Self { lugre: Lugre::of(&t)?, breakaway: t.number("breakaway", positive("m"))? })
    }

    pub fn build(&self) -> Result<memory::Memory, stickslip::Error> {
        let Lugre { stiffness, damping, viscous, .. } = self.lugre;
        let limit = self.lugre.limit()?;
        memory::ElastoPlastic::new(limit, stiffness, damping, viscous, self.breakaway)
            .map(Into::into)
    }
}

//! Model files: each table has a file of its own here with its keys, units and ranges. To add a law
//! or a signal, add a file beside the others and its name to the list in `friction/mod.rs` or
//! `signal/mod.rs`.

mod cascade;
mod controller;
mod element;
mod file;
pub(crate) mod friction;
mod gear;
mod hysteretic;
mod ill_posed;
mod impact;
mod isolated;
mod kind;
mod network;
mod numbers;
mod oscillator;
mod planar;
mod run;
mod signal;
mod slot;
mod stops;
mod template;

use crate::diagnostic::Result;
use crate::document::Document;
use crate::reader::Table;
use crate::reading::Reading;
pub use element::ElementFile;
pub use file::{ModelFile, Posed};
pub use ill_posed::{CornerModel, SchatzmanModel};
pub use kind::ModelKind;
pub use numbers::{numbers, without_units};
pub use run::{MOST_STEPS, Rows, Run};
pub(crate) use template::Template;

/// Checks the friction law and the signals that stand below `oscillator.friction` and `oscillator.force` of a document, which
/// need not hold anything else: for those who make the parts of a model one by one.
///
/// # Errors
/// What is wrong with the first of them.
pub fn check_parts(document: &Document, reading: &Reading) -> Result<()> {
    let mut gathered = crate::reading::Gathered::new(reading, document);
    let root = Table::root(document.root(), &["oscillator"])?;
    let parts = root.table("oscillator", &["friction", "force"])?;
    if friction::memory::Remembering::is_in(&parts) {
        friction::memory::Remembering::read(&parts)?.build()?;
    } else if parts.has("friction") {
        friction::Friction::read(&parts, reading.resources())?.build()?;
    }
    for part in signal::read_noisy(&parts, "force", "", &mut gathered)? {
        part.build()?;
    }
    Ok(())
}

/// The schemes of all models, by their names in files.
pub fn scheme_names() -> Vec<&'static str> {
    use stickslip::Model as M;
    let mut names: Vec<&'static str> = Vec::new();
    for name in [M::OSCILLATOR, &run::COMPARED, M::IMPACT, M::CASCADE, M::NETWORK].concat() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

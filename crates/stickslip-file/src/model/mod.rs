//! Model files: each table has a file of its own here with its keys, units and ranges. To add a law
//! or a signal, add a file beside the others and its name to the list in `friction/mod.rs` or
//! `signal/mod.rs`.

mod cascade;
mod element;
mod file;
pub(crate) mod friction;
mod ill_posed;
mod impact;
mod kind;
mod network;
mod numbers;
mod oscillator;
mod run;
mod signal;
mod stops;

pub use element::ElementFile;
pub use file::ModelFile;
pub use ill_posed::{CornerModel, SchatzmanModel};
pub use kind::Kind;
pub use numbers::numbers;
pub use run::{MOST_STEPS, Rows, Run};

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

//! Model files: each table has a file of its own here with its keys, units and ranges. To add a law
//! or a signal, add a file beside the others and its name to the list in `friction/mod.rs` or
//! `signal/mod.rs`.

mod cascade;
mod file;
mod friction;
mod ill_posed;
mod impact;
mod kind;
mod network;
mod oscillator;
mod run;
mod schedule;
mod signal;
mod stops;

pub use cascade::{CascadeModel, Scheme as CascadeScheme};
pub use file::ModelFile;
pub use ill_posed::{CornerModel, SchatzmanModel};
pub use impact::{ImpactModel, ImpactScheme};
pub use kind::{Kind, Model};
pub use network::{NetworkModel, Scheme as NetworkScheme};
pub use oscillator::Scheme;
pub use run::{MOST_STEPS, Rows, Run, Schemes};

/// The schemes of all models, by their names in files.
pub fn scheme_names() -> Vec<&'static str> {
    let oscillator = Scheme::ALL.iter().map(|s| s.0);
    let impact = ImpactScheme::ALL.iter().map(|s| s.0);
    let cascade = CascadeScheme::ALL.iter().map(|s| s.0);
    let network = NetworkScheme::ALL.iter().map(|s| s.0);
    let mut names: Vec<_> = oscillator.chain(impact).chain(cascade).chain(network).collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|n| seen.insert(*n));
    names
}

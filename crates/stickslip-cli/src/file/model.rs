//! A model file: a title, one model, `[run]`.

use super::oscillator::Oscillator;
use super::reader::Table;
use super::run::Run;
use super::{Gathered, Node};
use crate::fault::{Fault, Result};
use serde::Serialize;

const KEYS: [&str; 3] = ["title", "oscillator", "run"];

/// A model file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct Model {
    /// Heading of figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What moves.
    pub oscillator: Oscillator,
    /// How it is advanced.
    pub run: Run,
}

impl Model {
    /// Reads a document; the series it names are read too.
    pub fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        if let Some(entry) = document.get("fit").or_else(|| document.get("data")) {
            return Err(Fault::at(
                &entry.key_place,
                "this is a fit file; expected a model file with [oscillator] and [run]",
            )
            .help("`stickslip calibrate` takes fit files"));
        }
        let root = Table::root(document, &KEYS)?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        // The run first: it is short, and reading the model may mean reading large files.
        let run = root.has("oscillator").then(|| Run::read(&root)).transpose()?;
        let oscillator = Oscillator::read(&root, gathered)?;
        let run = run.map_or_else(|| Run::read(&root), Ok)?;
        let signals = oscillator.drive.iter().chain(&oscillator.force);
        for signal in signals {
            signal.check_covers(&run.end)?;
        }
        Ok(Self { title, oscillator, run })
    }
}

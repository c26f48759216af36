//! What results become: one file per exporter.

pub mod cascade;
pub mod convergence;
pub mod corner;
pub mod drive;
pub mod ensemble;
mod estimates;
pub mod events;
pub mod figures;
pub mod fit;
pub mod gallery;
pub mod impact;
pub mod impact_figures;
pub mod network;
mod output;
pub mod partial;
pub mod perturbation;
pub mod schatzman;
pub mod slider;
mod slips;
pub mod solutions;
pub mod spectrum;
pub mod summary;
pub mod sweep;
pub mod text;
pub mod trajectory;

pub use output::{Output, Patience, clean_up_when_interrupted};

use crate::fault::Result;
use crate::screen::{self, Screen};
use std::io::{self, Write};

/// Writes one file, or the table on standard output.
pub type Writer = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

/// The results of a command, ready to be written in any form.
pub struct Product {
    /// What users should know now that it is solved.
    pub remarks: Vec<String>,
    /// `summary.json`.
    pub summary: serde_json::Value,
    /// Tables for people.
    pub text: Writer,
    /// The other files by their names.
    pub files: Vec<(&'static str, Writer)>,
}

/// Delivers to a directory, or prints tables; with `json`, prints the summary.
pub fn deliver(
    product: Product,
    output: Option<Output>,
    json: bool,
    screen: &Screen,
) -> Result<()> {
    let Product { remarks, summary, text, files } = product;
    remarks.iter().for_each(|r| screen.warn(r));
    let summary = move |w: &mut dyn Write| {
        serde_json::to_writer_pretty(&mut *w, &summary)?;
        writeln!(w)
    };
    if let Some(mut output) = output {
        for (name, write) in files {
            output.write(name, write)?;
        }
        output.write("summary.json", &summary)?;
        let written = output.commit()?;
        screen.note(&written);
    } else if !json && !screen.quiet {
        screen::print(text)?;
    }
    if json { screen::print(&summary) } else { Ok(()) }
}

/// A name as a CSV cell: quoted where it must be.
fn cell(prefix: &str, name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{prefix}{}\"", name.replace('"', "\"\""))
    } else {
        format!("{prefix}{name}")
    }
}

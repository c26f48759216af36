//! What users write: model files and fit files.
//!
//! `read` makes a document of a file and its overrides; each table has a file of its own here with
//! its keys, units and ranges. To add a law or a signal, add a file beside the others and its name
//! to the list in `friction/mod.rs` or `signal/mod.rs`; to add a model, add a file beside
//! `oscillator.rs`, a `Kind`, and a job in `commands/simulate/`.

mod cascade;
mod drive;
mod experiment;
mod fit;
mod friction;
mod ill_posed;
mod impact;
mod model;
mod network;
mod node;
mod oscillator;
mod overrides;
mod reader;
mod run;
mod settings;
mod signal;
mod slider;
mod stops;

pub use cascade::{CascadeModel, Scheme as CascadeScheme};
pub use drive::DriveFile;
pub use experiment::kind;
pub use fit::{Fit, seconds_in};
pub use ill_posed::{CornerModel, SchatzmanModel};
pub use impact::{ImpactModel, ImpactScheme};
pub use model::{Kind, Model};
pub use network::{NetworkModel, Scheme as NetworkScheme};
pub use node::{Node, Value};
pub use oscillator::Scheme;
pub use overrides::Override;
pub use reader::Placed;
pub use run::{MOST_STEPS, Rows, Run, Schemes};
pub use slider::SliderFile;

use crate::fault::{Fault, Result, Source};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longest model file: nobody writes more by hand, and a mistaken path is soon noticed.
const LONGEST: u64 = 16 << 20;

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

/// What is gathered while a file is read.
#[derive(Debug, Default)]
pub struct Gathered {
    /// The folder that relative paths start from.
    pub folder: PathBuf,
    /// Files that were read beside the model file.
    pub inputs: Vec<PathBuf>,
    /// What users should know.
    pub warnings: Vec<String>,
}

/// The document in `path` with `overrides` put in.
pub fn read(path: &Path, overrides: &[Override]) -> Result<(Node, Gathered)> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let (mut document, mut gathered) =
        parse(&path.display().to_string(), read_text(path)?, folder)?;
    for o in overrides {
        o.apply(&mut document)?;
    }
    gathered.inputs.push(path.to_path_buf());
    Ok((document, gathered))
}

/// The document in `text`, called `name` in messages; paths in it start from `folder`.
pub fn parse(name: &str, text: String, folder: &Path) -> Result<(Node, Gathered)> {
    let document = Node::parse(&Arc::new(Source { name: name.to_owned(), text }))?;
    Ok((document, Gathered { folder: folder.to_path_buf(), ..Gathered::default() }))
}

fn read_text(path: &Path) -> Result<String> {
    let name = path.display();
    let mut bytes = Vec::new();
    open(path)?
        .take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Fault::new(format!("{name}: cannot be read: {e}")))?;
    if bytes.len() as u64 > LONGEST {
        return Err(Fault::new(format!(
            "{name}: longer than 16 MiB; expected a model or fit file"
        ))
        .help(
            "give the TOML file that describes the problem; measured series stay in \
                 files of their own, named in it",
        ));
    }
    if bytes.starts_with(&[0xEF, 0xBB, 0xBF]) {
        bytes.drain(..3);
    }
    let text = String::from_utf8(bytes).map_err(|e| {
        let line = e.as_bytes()[..e.utf8_error().valid_up_to()].split(|&b| b == b'\n').count();
        Fault::new(format!("{name}, line {line}: not UTF-8 text; expected a TOML file"))
            .help("save the file as UTF-8")
    })?;
    if text.trim().is_empty() {
        return Err(Fault::new(format!("{name}: the file is empty; expected a model")).help(
            "`stickslip new simulate FILE` or `stickslip new calibrate FILE` writes \
                 one to start from",
        ));
    }
    Ok(text)
}

/// Opens a file for reading; a directory, a missing or an unreadable file is told apart.
pub fn open(path: &Path) -> Result<File> {
    let name = path.display();
    if path.is_dir() {
        return Err(Fault::new(format!("{name}: is a directory; expected a file"))
            .help("give the path of a file in it"));
    }
    File::open(path).map_err(|e| {
        let help = match e.kind() {
            std::io::ErrorKind::NotFound => {
                "check the path; paths in a file are relative to the folder of that file"
            }
            std::io::ErrorKind::PermissionDenied => "allow reading it: chmod u+r",
            _ => "check the path and the disk",
        };
        Fault::new(format!("{name}: cannot be opened: {e}")).help(help)
    })
}

//! Model files and fit files of the file system.

pub use stickslip_file::fit::{DriveFile, Fit, SliderFile, kind, seconds_in};
pub use stickslip_file::model::*;
pub use stickslip_file::{Gathered, Node, Override, Value};

use crate::fault::Result;
use std::path::Path;
use stickslip_file::{Document, Paths, Reading};

/// The document in `path` with `overrides` put in.
pub fn read(path: &Path, overrides: &[Override]) -> Result<(Node, Gathered)> {
    let reading = Reading::new(Paths);
    let document = reading.document(&path.display().to_string(), overrides)?;
    Ok((document.root().clone(), Gathered::new(&reading, &document)))
}

/// The document in `text`, called `name` in messages; paths in it start from `folder`.
pub fn parse(name: &str, text: String, folder: &Path) -> Result<(Node, Gathered)> {
    let document = Document::parse(&folder.join(name).display().to_string(), text)?;
    let mut gathered = Gathered::new(&Reading::new(Paths), &document);
    gathered.inputs.clear();
    Ok((document.root().clone(), gathered))
}

//! Fit files: a record, what is fitted to it, and how.

mod data;
mod drive;
mod experiment;
mod record;
mod settings;
mod slider;

pub use data::{Data, Shift};
pub use drive::{DriveFile, Gains};
pub use experiment::{Columns, kind};
pub use record::{Fit, Kind};
pub use settings::{Method, Settings};
pub use slider::SliderFile;

use crate::diagnostic::Result;
use crate::document::Document;
use crate::reading::{Gathered, Reading};

/// What a fit file of any kind says, with its records.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FitFile {
    /// What is fitted to what.
    pub records: Records,
    /// Files that were read, the fit file first.
    pub inputs: Vec<String>,
    /// What users should know.
    pub warnings: Vec<String>,
}

/// The records of a fit file, by its kind.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)] // there is one to a file
pub enum Records {
    /// Bearings moved by the temperature of a deck.
    Bearings {
        /// Heading of the report.
        title: Option<String>,
        /// One for each record.
        fits: Vec<Fit>,
    },
    /// A slider pulled through a spring.
    Slider(SliderFile),
    /// A drive whose force is measured.
    Drive(DriveFile),
}

impl FitFile {
    /// Reads a fit file and its records.
    ///
    /// # Errors
    /// Where the file or a record is wrong.
    pub fn read(document: &Document, reading: &Reading) -> Result<Self> {
        let mut gathered = Gathered::new(reading, document);
        let root = document.root();
        let records = match kind(root) {
            Some("pulled-slider") => Records::Slider(SliderFile::read(root, &mut gathered)?),
            Some("rigid-drive") => Records::Drive(DriveFile::read(root, &mut gathered)?),
            _ => {
                let (title, fits) = Fit::read(root, &mut gathered)?;
                Records::Bearings { title, fits }
            }
        };
        let inputs = gathered.inputs.iter().map(|p| p.display().to_string()).collect();
        Ok(Self { records, inputs, warnings: gathered.warnings })
    }
}

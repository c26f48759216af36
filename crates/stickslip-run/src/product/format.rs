//! In which format tables are written.

use super::Table;
use std::io::{self, Write};
use stickslip_file::{Diagnostic, Remedy, Result};

/// A format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values.
    #[default]
    Csv,
    /// Parquet: typed columns, compressed by zstd, with the units in the metadata.
    Parquet,
}

impl Format {
    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }

    /// Whether tables can be written in it here.
    pub fn is_available(self) -> bool {
        self == Self::Csv || cfg!(feature = "parquet")
    }

    /// Refuses a format that is not built in.
    ///
    /// # Errors
    /// Where this program was built without Parquet.
    pub fn check(self) -> Result<()> {
        if self.is_available() {
            return Ok(());
        }
        let said = "Parquet was asked for, but this program cannot write it; expected CSV";
        let fault = Diagnostic::command_line(said).help("leave the format out");
        Err(fault.with_remedy(Remedy::Parquet))
    }
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let known = [Self::Csv, Self::Parquet].into_iter().find(|f| f.ending() == text);
        known.ok_or_else(|| format!("`{text}` is no format of tables; expected csv or parquet"))
    }
}

impl Table {
    /// Writes the table in a format.
    ///
    /// # Errors
    /// Where `w` fails, or the format is not built in.
    pub fn write(&self, format: Format, w: &mut (dyn Write + Send)) -> io::Result<()> {
        match format {
            Format::Csv => self.write_csv(w),
            #[cfg(feature = "parquet")]
            Format::Parquet => super::parquet::write(self, w),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

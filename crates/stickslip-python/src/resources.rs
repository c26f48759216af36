//! Where the files of a document come from: its folder, and what Python holds in memory.

use jiff::Timestamp;
use jiff::tz::Offset;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;
use std::io::{self, BufRead, Read};
use std::path::PathBuf;
use std::sync::Arc;
use stickslip::model::Load;
use stickslip::{Law, Signal};
use stickslip_file::{Paths, Pieces, Resources};

/// What a text cannot hold, by the names that stand in it, and a folder for the rest.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Names of files start from here.
    pub folder: PathBuf,
    /// Signals in memory.
    pub signals: HashMap<String, Signal>,
    /// Laws of Python.
    pub laws: HashMap<String, Law>,
    /// Forces of Python.
    pub loads: HashMap<String, Load>,
    /// Files in memory.
    pub files: HashMap<String, Held>,
}

impl Resources for Given {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        match self.files.get(name) {
            Some(Held::Bytes(bytes)) => Ok(Cow::Borrowed(bytes)),
            Some(held) => {
                let mut bytes = Vec::new();
                held.open().read_to_end(&mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
            None => Paths.read(name),
        }
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        match self.files.get(name) {
            Some(held) => Ok(held.open()),
            None => Paths.open(name),
        }
    }

    fn exists(&self, name: &str) -> bool {
        self.files.contains_key(name) || Paths.exists(name)
    }

    fn pieces(&self, name: &str) -> io::Result<Option<Box<dyn Pieces>>> {
        if self.files.contains_key(name) { Ok(None) } else { Paths.pieces(name) }
    }

    fn version(&self, name: &str) -> Option<u64> {
        if self.files.contains_key(name) { None } else { Paths.version(name) }
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        Paths.list(folder)
    }

    fn resolve(&self, _beside: &str, name: &str) -> String {
        if self.signals.contains_key(name) || self.files.contains_key(name) {
            return name.to_owned();
        }
        self.folder.join(name).display().to_string()
    }

    fn is_held(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    fn signal(&self, name: &str) -> Option<Signal> {
        self.signals.get(name).cloned()
    }

    fn law(&self, name: &str) -> Option<Law> {
        self.laws.get(name).cloned()
    }

    fn load(&self, name: &str) -> Option<Load> {
        self.loads.get(name).cloned()
    }
}

/// A file that Python holds in memory.
#[derive(Debug, Clone)]
pub enum Held {
    /// Its bytes.
    Bytes(Arc<[u8]>),
    /// Columns by their names: a CSV file that is written as it is read.
    Columns(Arc<[(String, Values)]>),
}

/// The values of a column.
#[derive(Debug, Clone)]
pub enum Values {
    /// Numbers; NaN is an empty field.
    Numbers(Vec<f64>),
    /// Dates without a zone, in µs since 1970.
    Dates(Vec<i64>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Dates(dates) => dates.len(),
        }
    }

    /// Writes the field of a row: it reads back as it is.
    fn write(&self, row: usize, text: &mut String) {
        // A string never refuses.
        let _ = match self {
            Self::Numbers(numbers) if numbers[row].is_nan() => Ok(()),
            Self::Numbers(numbers) => write!(text, "{:?}", numbers[row]),
            Self::Dates(dates) => match Timestamp::from_microsecond(dates[row]) {
                Ok(date) => write!(text, "{}", Offset::UTC.to_datetime(date)),
                // Beyond the year 9999: a field that is no time, which the reader names.
                Err(_) => write!(text, "{} µs", dates[row]),
            },
        };
    }
}

/// A name as a field of a CSV file.
fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

impl Held {
    fn open(&self) -> Box<dyn BufRead + '_> {
        match self {
            Self::Bytes(bytes) => Box::new(&**bytes),
            Self::Columns(columns) => Box::new(Rows::new(columns)),
        }
    }
}

/// Rows written at a time.
const ROWS: usize = 4096;

/// Columns as the text of a CSV file.
struct Rows<'a> {
    columns: &'a [(String, Values)],
    /// The next row, of so many.
    row: usize,
    rows: usize,
    /// What has been written and not yet read: `text` from `at` on.
    text: String,
    at: usize,
}

impl<'a> Rows<'a> {
    fn new(columns: &'a [(String, Values)]) -> Self {
        let names: Vec<String> = columns.iter().map(|c| quoted(&c.0)).collect();
        let rows = columns.iter().map(|c| c.1.len()).min().unwrap_or(0);
        Self { columns, row: 0, rows, text: names.join(",") + "\n", at: 0 }
    }

    /// The next rows.
    fn write(&mut self) {
        self.text.clear();
        self.at = 0;
        let end = (self.row + ROWS).min(self.rows);
        for row in std::mem::replace(&mut self.row, end)..end {
            for (i, (_, values)) in self.columns.iter().enumerate() {
                if i > 0 {
                    self.text.push(',');
                }
                values.write(row, &mut self.text);
            }
            self.text.push('\n');
        }
    }
}

impl BufRead for Rows<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.text.len() {
            self.write();
        }
        Ok(&self.text.as_bytes()[self.at..])
    }

    fn consume(&mut self, read: usize) {
        self.at += read;
    }
}

impl Read for Rows<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut held = self.fill_buf()?;
        let read = held.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

//! Where the files of a document come from: its folder, and what Python holds in memory.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;
use std::io::{self, BufRead};
use std::path::PathBuf;
use std::sync::Arc;
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
    /// Files in memory.
    pub files: HashMap<String, Arc<[u8]>>,
}

impl Resources for Given {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        match self.files.get(name) {
            Some(bytes) => Ok(Cow::Borrowed(bytes)),
            None => Paths.read(name),
        }
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        match self.files.get(name) {
            Some(bytes) => Ok(Box::new(&**bytes)),
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

    fn signal(&self, name: &str) -> Option<Signal> {
        self.signals.get(name).cloned()
    }

    fn law(&self, name: &str) -> Option<Law> {
        self.laws.get(name).cloned()
    }
}

/// Columns as the text of a CSV file, in which every number reads back as it is; NaN is an empty field.
pub fn csv(columns: &[(String, Vec<f64>)]) -> Arc<[u8]> {
    let names: Vec<&str> = columns.iter().map(|c| c.0.as_str()).collect();
    let mut text = names.join(",") + "\n";
    let rows = columns.iter().map(|c| c.1.len()).min().unwrap_or(0);
    for row in 0..rows {
        for (i, (_, values)) in columns.iter().enumerate() {
            if i > 0 {
                text.push(',');
            }
            if !values[row].is_nan() {
                // A string never refuses.
                let _ = write!(text, "{:?}", values[row]);
            }
        }
        text.push('\n');
    }
    text.into_bytes().into()
}

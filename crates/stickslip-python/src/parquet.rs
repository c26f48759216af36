//! Parquet files as the text of CSV files, by the libraries that the user's Python has.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator};
use std::io::{self, BufRead, Read};

/// Whether a file is one by its name.
pub fn is_parquet(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".parquet")
}

/// The module that knows those libraries.
fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    PyModule::import(py, "stickslip._parquet")
}

/// Whether there is a library.
pub fn is_there() -> bool {
    let asked = |py: Python<'_>| module(py)?.getattr("is_there")?.call0()?.extract::<bool>();
    Python::attach(asked).unwrap_or(false)
}

/// Opens the file at this path.
pub fn open(path: &str) -> io::Result<Lines> {
    // A missing file, a folder and one that may not be read are told apart as for other files.
    stickslip_file::regular::open(std::path::Path::new(path))?;
    let opened = |py: Python<'_>| -> PyResult<Py<PyIterator>> {
        Ok(module(py)?.getattr("lines")?.call1((path,))?.try_iter()?.unbind())
    };
    let batches = Python::attach(opened).map_err(failed)?;
    Ok(Lines { batches, text: Vec::new(), at: 0 })
}

fn failed(e: PyErr) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, Python::attach(|py| e.value(py).to_string()))
}

/// The text, a batch of rows at a time.
pub struct Lines {
    batches: Py<PyIterator>,
    /// What has been written and not yet read: `text` from `at` on.
    text: Vec<u8>,
    at: usize,
}

impl BufRead for Lines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.text.len() {
            self.text.clear();
            self.at = 0;
            Python::attach(|py| -> PyResult<()> {
                if let Some(batch) = self.batches.bind(py).clone().next() {
                    self.text.extend_from_slice(batch?.cast::<PyBytes>()?.as_bytes());
                }
                Ok(())
            })
            .map_err(failed)?;
        }
        Ok(&self.text[self.at..])
    }

    fn consume(&mut self, read: usize) {
        self.at += read;
    }
}

impl Read for Lines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut held = self.fill_buf()?;
        let read = held.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

//! Where results go: folders and single files, in which nothing is touched that this package did not write.

use crate::errors::of_file;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use stickslip_run::directory::{self, Directory, Older};

/// A folder that results of a command are being written to. Its files appear together, at its `commit`.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct Folder(Mutex<Option<Directory>>);

impl Folder {
    fn open(&self) -> MutexGuard<'_, Option<Directory>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("the files of this folder have been written")
}

#[pymethods]
impl Folder {
    /// Makes the folder if need be, and checks that the results of `command` may be written there.
    #[new]
    fn new(py: Python<'_>, folder: PathBuf, command: &str) -> PyResult<Self> {
        let prepared = py.detach(|| Directory::prepare(&folder, command));
        Ok(Self(Mutex::new(Some(prepared.map_err(|e| of_file(py, &e))?))))
    }

    /// Files that a killed run may have left there.
    #[getter]
    fn left(&self) -> Vec<String> {
        self.open().iter().flat_map(|d| d.left().to_vec()).collect()
    }

    /// The names of the files so far, and of the summary.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.open().iter().flat_map(|d| d.names()).map(str::to_owned).collect()
    }

    /// Writes one file under a temporary name.
    fn write(&self, py: Python<'_>, name: &str, content: &[u8]) -> PyResult<()> {
        let write = || {
            let mut open = self.open();
            open.as_mut().map(|d| d.write(name, |file| file.write_all(content)))
        };
        py.detach(write).ok_or_else(ended)?.map_err(|e| of_file(py, &e))
    }

    /// Gives the files their names. `inputs` must not be replaced.
    fn commit(&self, py: Python<'_>, inputs: Vec<String>) -> PyResult<()> {
        let directory = self.open().take().ok_or_else(ended)?;
        py.detach(|| directory.commit(&inputs)).map(drop).map_err(|e| of_file(py, &e))
    }

    /// Gives up: the folder stays as it was.
    fn abandon(&self, py: Python<'_>) {
        let directory = self.open().take();
        py.detach(|| drop(directory));
    }
}

/// Writes a file that appears whole. An older one is replaced if it is the same, if this package made it and nobody has
/// changed it, or if `overwrite` asks for it; a link is never followed.
#[pyfunction]
pub fn write_file(
    py: Python<'_>,
    path: PathBuf,
    content: &[u8],
    inputs: Vec<String>,
    overwrite: bool,
) -> PyResult<()> {
    let same = |older: &[u8]| older == content || stickslip_run::fmu::is_ours(older);
    let older = if overwrite { Older::Any } else { Older::Ours(&same) };
    let written = py.detach(|| directory::replace(&path, content, &inputs, older));
    written.map_err(|e| of_file(py, &e))
}

/// Raises the error that `write_file` would raise. Without `content`, an existing file must be an FMU that this package
/// made.
#[pyfunction]
pub fn check_file(
    py: Python<'_>,
    path: PathBuf,
    content: Option<&[u8]>,
    inputs: Vec<String>,
    overwrite: bool,
) -> PyResult<()> {
    let same =
        |older: &[u8]| content.is_some_and(|c| c == older) || stickslip_run::fmu::is_ours(older);
    let older = if overwrite { Older::Any } else { Older::Ours(&same) };
    let checked = py.detach(|| directory::check_one(&path, &inputs, older));
    checked.map(drop).map_err(|e| of_file(py, &e))
}

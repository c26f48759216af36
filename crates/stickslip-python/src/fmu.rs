//! Models as FMUs.

use crate::errors::Failure;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use stickslip_file::{Override, Paths, Reading, Value};
use stickslip_run::fmu::{Package, Version};
use stickslip_run::{Fmu, Input};

/// The FMU of the model file at `path`, with `end` in place of its own, and libraries of platforms by their files; that
/// of this platform is the first that there is in `beside`. Also the files that were read, and the warnings of the model.
#[pyfunction]
pub fn fmu<'py>(
    py: Python<'py>,
    path: &str,
    end: Option<f64>,
    version: u8,
    libraries: Vec<(String, String)>,
    beside: Vec<String>,
) -> PyResult<Packed<'py>> {
    let made = || -> Result<Package, Failure> {
        let reading = Reading::new(Paths);
        let end = end.map(|end| Override::of("<arguments>", "run.end", Value::from(end)));
        let document = reading.document(path, &end.transpose()?.into_iter().collect::<Vec<_>>())?;
        let options = options(version, libraries, beside);
        Ok(stickslip_run::fmu(&options, &Input::new(&document, &reading))?)
    };
    packed(py, py.detach(made))
}

/// The FMU of the fitted servo in the folder of results at `path`; the other arguments and what is returned are those of `fmu`.
#[pyfunction]
pub fn joint_fmu<'py>(
    py: Python<'py>,
    path: &str,
    version: u8,
    libraries: Vec<(String, String)>,
    beside: Vec<String>,
) -> PyResult<Packed<'py>> {
    let options = options(version, libraries, beside);
    let made =
        || -> Result<Package, Failure> { Ok(stickslip_run::joint_fmu(&options, &Paths, path)?) };
    packed(py, py.detach(made))
}

fn options(version: u8, libraries: Vec<(String, String)>, beside: Vec<String>) -> Fmu {
    let mut options = Fmu::default();
    options.version = Version::numbered(version).unwrap_or_default();
    (options.libraries, options.beside) = (libraries, beside);
    options
}

/// An FMU, the files that were read, and the warnings.
type Packed<'py> = (Bound<'py, PyBytes>, Vec<String>, Vec<String>);

fn packed(py: Python<'_>, made: Result<Package, Failure>) -> PyResult<Packed<'_>> {
    let package = made.map_err(|e| e.into_err(py))?;
    Ok((PyBytes::new(py, &package.bytes), package.inputs, package.warnings))
}

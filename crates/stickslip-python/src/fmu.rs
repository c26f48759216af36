//! Models as FMUs.

use crate::errors::Failure;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use stickslip_file::{Override, Paths, Reading, Value};
use stickslip_run::{Fmu, Input, fmu::Version};

/// The FMU of the model file at `path`, with `end` in place of its own, and libraries of platforms by their files; that
/// of this platform is the first that there is in `beside`. Also the files that were read.
#[pyfunction]
pub fn fmu<'py>(
    py: Python<'py>,
    path: &str,
    end: Option<f64>,
    version: u8,
    libraries: Vec<(String, String)>,
    beside: Vec<String>,
) -> PyResult<(Bound<'py, PyBytes>, Vec<String>)> {
    let made = || -> Result<(Vec<u8>, Vec<String>), Failure> {
        let reading = Reading::new(Paths);
        let end = end.map(|end| Override::of("<arguments>", "run.end", Value::from(end)));
        let document = reading.document(path, &end.transpose()?.into_iter().collect::<Vec<_>>())?;
        let mut options = Fmu::default();
        options.version = Version::numbered(version).unwrap_or_default();
        (options.libraries, options.beside) = (libraries, beside);
        let package = stickslip_run::fmu(&options, &Input::new(&document, &reading))?;
        Ok((package.bytes, package.inputs))
    };
    let (bytes, inputs) = py.detach(made).map_err(|e| e.into_err(py))?;
    Ok((PyBytes::new(py, &bytes), inputs))
}

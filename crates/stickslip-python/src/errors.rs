//! Errors and warnings of the library as Python's: `stickslip._errors` finds the words.

use pyo3::prelude::*;
use pyo3::types::PyModule;
use stickslip_file::{Diagnostic, FailureKind, Remedy};

/// Something that went wrong, before it is an exception.
#[derive(Debug)]
pub enum Failure {
    /// The document is wrong.
    Document(Diagnostic),
    /// The library refused, or found no solution.
    Library(stickslip::Error),
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Document(diagnostic)
    }
}

impl From<stickslip::Error> for Failure {
    fn from(error: stickslip::Error) -> Self {
        Self::Library(error)
    }
}

impl Failure {
    /// The exception.
    pub fn into_err(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Document(d) => diagnostic(py, &d),
            Self::Library(e) => {
                let kind = match e.kind() {
                    stickslip::Kind::Input => "input",
                    stickslip::Kind::Unsolvable => "unsolvable",
                    stickslip::Kind::Scheme => "scheme",
                };
                made(py, Parts { kind, message: e.to_string(), ..Parts::default() })
            }
        }
    }
}

/// What an exception is made of.
#[derive(Default)]
struct Parts {
    kind: &'static str,
    message: String,
    help: Option<String>,
    remedy: Option<String>,
    /// Name, line and column.
    place: Option<(String, usize, usize)>,
    names_keys: bool,
}

fn made(py: Python<'_>, parts: Parts) -> PyErr {
    let Parts { kind, message, help, remedy, place, names_keys } = parts;
    let make = || {
        let error = PyModule::import(py, "stickslip._errors")?.getattr("error")?;
        error.call1((kind, message, help, remedy, place, names_keys))
    };
    match make() {
        Ok(exception) => PyErr::from_value(exception),
        Err(e) => e,
    }
}

/// The exception for a file or folder that cannot be written.
pub fn of_file(py: Python<'_>, d: &Diagnostic) -> PyErr {
    let help = d.help_text().map(str::to_owned);
    // Of the remedies only this one is about a file that is to be written.
    let remedy = matches!(d.remedy(), Some(Remedy::Overwrite)).then(|| "overwrite".to_owned());
    let message = d.message().to_owned();
    made(py, Parts { kind: "file", message, help, remedy, ..Parts::default() })
}

fn diagnostic(py: Python<'_>, d: &Diagnostic) -> PyErr {
    let kind = match d.kind() {
        FailureKind::Input | FailureKind::CommandLine => "input",
        FailureKind::Unsolvable => "unsolvable",
        FailureKind::Interrupted => return pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
    };
    let place = d.place().map(|p| {
        let (line, column) = p.position();
        (p.source.name.clone(), line, column)
    });
    let help = d.help_text().map(str::to_owned);
    let remedy = d.remedy().and_then(|r| match r {
        // The advice is to add a line with this key, which reads `pass KEY=…` in Python.
        Remedy::Option(_) if help.is_some() => None,
        other => remedy(other),
    });
    let message = d.message().to_owned();
    made(py, Parts { kind, message, help, remedy, place, names_keys: d.names_keys() })
}

/// The name that `stickslip._errors` knows a remedy by, or its words.
fn remedy(remedy: &Remedy) -> Option<String> {
    Some(match remedy {
        Remedy::Calibrate => "calibrate".to_owned(),
        Remedy::Simulate => "simulate".to_owned(),
        Remedy::Solutions => "list-solutions".to_owned(),
        Remedy::Option(key) => format!("pass {key}=…"),
        Remedy::Scheme(name) => format!("pass scheme=\"{name}\""),
        Remedy::Resume => "pass resume=True".to_owned(),
        Remedy::Parquet => "parquet".to_owned(),
        Remedy::Library => "fmu-library".to_owned(),
        _ => return None,
    })
}

/// A warning in words, with what helps.
pub fn remark(py: Python<'_>, text: &str, remedy: Option<stickslip::Remedy>) -> PyResult<String> {
    use stickslip::Remedy as R;
    // The text names the other remedies itself.
    let remedy = match remedy {
        Some(R::Perturb) => "perturb",
        Some(R::ListSolutions) => "list-solutions",
        _ => return Ok(text.to_owned()),
    };
    let words = PyModule::import(py, "stickslip._errors")?.getattr("warning")?;
    words.call1((text, remedy))?.extract()
}

//! `_stickslip`: what the Python package asks of the library.
//!
//! A thin translation: documents in, solved problems out. The typed layer in `python/stickslip` makes the
//! documents and the objects that people use; the mathematics is the library's.

// The macros of pyo3 expand to such paths.
#![allow(unused_qualifications)]

mod attended;
mod callables;
mod cursor;
mod document;
mod errors;
mod fmu;
mod folder;
mod joint;
mod many;
mod product;
mod program;
mod read;
mod reference;
mod resources;
mod sensitivity;
mod solution;

use pyo3::prelude::*;
use std::borrow::Cow;

/// The text without terminal control sequences and without marks that change the reading direction.
#[pyfunction]
fn plain(text: &str) -> Cow<'_, str> {
    stickslip_file::plain(text)
}

/// The name and the unit of the number at a key of a model; `rotation` of one that turns about an axis.
#[pyfunction]
fn key_in_words(key: &str, rotation: bool) -> (String, &'static str) {
    stickslip_run::export::key::named(&stickslip_run::Heading::new("", rotation), key)
}

/// The words for a column of a table along an axis; none of a column that its own name says.
#[pyfunction]
fn column_in_words(table: &str, column: &str) -> Option<&'static str> {
    stickslip_run::export::said::column(table, column)
}

/// What is called `straight` along a line, in the words of a model that turns about an axis.
#[pyfunction]
fn turned(straight: &str) -> String {
    stickslip_run::Heading::new("", true).name(straight)
}

/// The extension module.
#[pymodule(gil_used = false)]
mod _stickslip {
    #[pymodule_export]
    use crate::cursor::{Cursor, CursorState};
    #[pymodule_export]
    use crate::document::{Document, Problem, check_parts, read_text};
    #[pymodule_export]
    use crate::fmu::{fmu, joint_fmu};
    #[pymodule_export]
    use crate::folder::{Folder, check_file, write_file};
    #[pymodule_export]
    use crate::joint::{JointMotion, design};
    #[pymodule_export]
    use crate::many::{ManyMotions, solve_many};
    #[pymodule_export]
    use crate::product::{Product, merge, run};
    #[pymodule_export]
    use crate::program::program;
    #[pymodule_export]
    use crate::reference::{reference_cases, reference_own, reference_score};
    #[pymodule_export]
    use crate::sensitivity::{derivatives, energy_rates, gradient};
    #[pymodule_export]
    use crate::solution::Solution;
    #[pymodule_export]
    use crate::{column_in_words, key_in_words, plain, turned};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(m: &Bound<'_, PyModule>) -> PyResult<()> {
        m.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

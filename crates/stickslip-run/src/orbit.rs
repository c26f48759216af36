//! A periodic orbit of a model: where it is, whether it is stable, and what it costs.

use crate::context::Context;
use crate::export;
use crate::input::{self, Input};
use crate::product::Product;
use crate::summary::Head;
use stickslip::Scheme;
use stickslip::study::orbit::{Method, Search, TIGHT, orbits};
use stickslip_file::{Diagnostic, Document, ModelFile, Reading, Result};

/// What is asked of a periodic orbit beside the model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Orbit {
    /// Periods of the load in a period of the orbit; 1.
    pub periods: usize,
}

impl Default for Orbit {
    fn default() -> Self {
        Self { periods: 1 }
    }
}

/// Finds the periodic orbits of a model: first the one to which its initial state leads.
///
/// # Errors
/// Where the model is wrong, or has no such orbit.
pub fn orbit(options: &Orbit, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let model = model(input.document, input.reading)?;
    let method = method(&model)?;
    context.warn_all(&model.warnings);
    let mut search = Search::default();
    search.periods = options.periods.max(1);
    let (found, seconds) = context.timed(|| orbits(&model.problem.model, method, &search));
    let found = found?;
    let head = Head::of(
        "orbit",
        &model.resolved,
        (model.run.scheme.name(), model.run.seed),
        seconds,
        &model.warnings,
    );
    let product = export::orbit::product(&head, &input::title(&model), &model, found)
        .map_err(Diagnostic::unsolvable)?;
    Ok(Product { inputs: model.inputs, ..product })
}

/// Reads a model whose file need not say until when it runs: an orbit has no end.
pub(crate) fn model(document: &Document, reading: &Reading) -> Result<ModelFile> {
    let run = document.root().get("run");
    if run.is_some_and(|run| run.node.get("end").is_some()) {
        return ModelFile::read(document, reading);
    }
    let mut document = document.clone();
    document.set("run.end", 1.0)?;
    ModelFile::read(&document, reading)
}

/// How orbits of a model are computed: by the scheme of its file, adaptive steps at tight tolerances.
///
/// # Errors
/// If that scheme is neither `exact` nor `adaptive`, or the model has noise.
pub(crate) fn method(model: &ModelFile) -> Result<Method> {
    if !model.problem.noises.is_empty() {
        return Err(Diagnostic::new("the model has noise, under which no motion repeats")
            .help("leave out the noise"));
    }
    match model.run.scheme {
        Scheme::Exact => Ok(Method::Exact),
        Scheme::Adaptive(options) => {
            let mut tight = options;
            tight.rtol = options.rtol.min(TIGHT.rtol);
            tight.atol = options.atol.min(TIGHT.atol);
            Ok(Method::Adaptive(tight))
        }
        other => Err(Diagnostic::new(format!(
            "orbits are found by the schemes exact and adaptive, and the scheme of the model is {}",
            other.name()
        ))
        .help("choose one of the two")),
    }
}

//! The proof of an exact run.

use crate::context::Context;
use crate::export::certificate as export;
use crate::input::{Applies, Input, oscillator};
use crate::product::Product;
use crate::summary::Head;
use serde_json::Value;
use stickslip::Scheme;
use stickslip::study::certificate::certify as prove;
use stickslip_file::{Diagnostic, ModelFile, Result};

/// Solves a model exactly and proves what it finds, in a form that can be checked without this library.
///
/// # Errors
/// Where the model is wrong, is not solved exactly, or cannot be certified.
pub fn certify(input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let model = input.model()?;
    input.check(&Applies { scheme: model.run.scheme.name(), ..Applies::default() })?;
    context.warn_all(&model.warnings);
    let (proved, seconds) = context.timed(|| certificate(&model));
    let document = proved?;
    let head = Head::of(
        "certify",
        &model.resolved,
        (model.run.scheme.name(), model.run.seed),
        seconds,
        &model.warnings,
    );
    Ok(Product { inputs: model.inputs.clone(), ..export::product(&head, document) })
}

/// The certificate of a model as a document.
///
/// # Errors
/// As [`certify`].
pub fn certificate(model: &ModelFile) -> Result<Value> {
    let o = oscillator(model)?;
    if !model.problem.noises.is_empty() {
        return Err(Diagnostic::new(
            "the model has noise, whose paths are computed in steps; only exact runs are certified",
        )
        .help("leave out the noise"));
    }
    if model.run.scheme != Scheme::Exact {
        let name = model.run.scheme.name();
        return Err(Diagnostic::new(format!(
            "only exact runs are certified, and the scheme of the model is {name}"
        ))
        .help("take the scheme exact"));
    }
    let end = model.problem.end;
    Ok(export::document(o, end, &prove(o, end)?))
}

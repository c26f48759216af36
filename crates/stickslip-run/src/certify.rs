//! The proof of an exact run.

use crate::context::Context;
use crate::export::certificate as export;
use crate::input::{Applies, Input};
use crate::product::Product;
use crate::summary::carried_out;
use serde_json::Value;
use stickslip::{Model, Scheme};
use stickslip_certify::{cascade, certify as prove, impact};
use stickslip_file::{Diagnostic, ModelFile, Result};

/// Solves a model exactly and proves what it finds, in a form that can be checked without this library.
///
/// # Errors
/// Where the model is wrong, is not solved exactly, or cannot be certified.
pub fn certify(input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    // The files whose SHA-256 the certificate gives are those that the motion is computed from: each is read once, here.
    let reading = input.reading.witnessing();
    let model = Input { reading: &reading, ..*input }.model()?;
    input.check(&Applies { scheme: model.run.scheme.name(), ..Applies::default() })?;
    let (document, head) = carried_out("certify", &model, context, || certificate(&model))?;
    Ok(Product { inputs: model.inputs.clone(), ..export::product(&head, document) })
}

/// The certificate of a model as a document.
///
/// # Errors
/// As [`certify`].
pub fn certificate(model: &ModelFile) -> Result<Value> {
    if !model.problem.noises.is_empty() {
        return Err(Diagnostic::new(
            "the model has noise, whose paths are computed in steps; only exact runs are certified",
        )
        .help("leave out the noise"));
    }
    let end = model.problem.end;
    let scheme = &model.run.scheme;
    let certified = match (&model.problem.model, scheme) {
        (Model::Network(_), _) => return Err(Diagnostic::new(
            "networks are not certified: their motions are sums of modes, of whose frequencies and shapes no bounds are proved",
        )
        .help("a network of one node can be written as an [oscillator], a chain of elements as a [cascade]")),
        (Model::Oscillator(o), Scheme::Exact) => export::oscillator(o, end, prove(o, end)?),
        (Model::Cascade(c), Scheme::Exact) => export::cascade(c, false, end, cascade::certify(c, end)?),
        (Model::Cascade(c), Scheme::QuasiStatic) => {
            export::cascade(c, true, end, cascade::certify_quasi_static(c, end)?)
        }
        (Model::Impact(i), Scheme::Exact) => export::impact(i, end, impact::certify(i, end)?),
        (Model::Hysteretic(h), _) => return Err(Diagnostic::new(format!(
            "only exact runs are certified, and this contact is solved by steps to a tolerance: {}", h.beyond_oscillators()
        ))),
        (Model::Planar(_), _) => return Err(Diagnostic::new(
            "only exact runs are certified, and a mass on a plane is solved by steps to a tolerance"
        )),
        (Model::Isolated(_), _) => return Err(Diagnostic::new(
            "only exact runs are certified, and a slab on isolators is solved by steps, of time or to a tolerance"
        )),
        (Model::Machine(m), _) => return Err(Diagnostic::new(format!(
            "only exact runs are certified, and this network is solved by steps to a tolerance: {}", m.beyond_networks()
        ))),
        (model, _) => {
            let exact = if matches!(model, Model::Cascade(_)) { "exact or quasi-static" } else { "exact" };
            return Err(Diagnostic::new(format!(
                "only exact runs are certified, and the scheme of the model is {}", scheme.name()
            ))
            .help(format!("take the scheme {exact}")));
        }
    };
    Ok(certified.of(&model.resolved, &model.files))
}

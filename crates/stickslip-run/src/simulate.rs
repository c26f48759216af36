//! One motion of whatever a model file describes.

use crate::context::Context;
use crate::export::motion::{self, Solved};
use crate::export::perturbation;
use crate::heading::Heading;
use crate::input::{self, Applies, Input};
use crate::number::short;
use crate::product::{Lazy, Product, Remark, printed};
use crate::summary::carried_out;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use stickslip::study::perturb::{Perturbation, perturb};
use stickslip::{Model as Moves, Problem, Trajectory, solve};
use stickslip_file::{Diagnostic, ModelFile, Remedy, Result};

/// What is asked of a simulation beside the model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, clap::Args)]
#[group(skip)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Simulate {
    /// Also solve with the force ± EPS (N) and report when the solutions separate.
    #[arg(long, value_name = "EPS", value_parser = crate::typed::epsilon, allow_negative_numbers = true)]
    pub perturb: Option<f64>,
}

/// Solves a model. Noises are taken from path 0 of the seed, known at every step.
///
/// # Errors
/// Where the model or an option is wrong, or the scheme cannot solve it.
pub fn simulate(options: &Simulate, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let model = input.model()?;
    input.check(&Applies::to_motion(&model))?;
    if options.perturb.is_some() && model.problem.kind() != "oscillator" {
        return Err(Diagnostic::command_line(format!(
            "a perturbation of the force was asked for; it applies to an [oscillator], and this is a [{}]",
            model.problem.kind()
        ))
        .with_remedy(Remedy::Omit("perturb")));
    }
    let (solved, head) = carried_out("simulate", &model, context, || solved(&model))?;
    let solved = Arc::new(solved);
    let mut remarks: Vec<Remark> = solved.solution.warnings.iter().map(Remark::from).collect();
    let perturbed = options.perturb.map(|e| perturbed(&model, &solved.problem, e)).transpose()?;
    let unit = solved.heading.unit("N");
    remarks.extend(perturbed.as_ref().and_then(|p| discontinuous(p, unit)).map(Remark::from));
    let texts = remarks.iter().map(|r| &r.text);
    let warnings: Vec<String> = model.warnings.iter().chain(texts).cloned().collect();
    let mut summary = head.warning(&warnings).with(motion::summary(&solved));
    if let Some(chosen) = &solved.chosen {
        summary["scheme_chosen"] = json!(chosen);
    }
    if let Some(p) = &perturbed {
        summary["perturbation"] = perturbation_summary(p);
    }
    let mut product = motion::product(summary, &solved).remarks(remarks);
    if let (Some(p), Some(path)) = (perturbed, solved.solution.oscillator()) {
        product = with_perturbation(product, &solved.heading, path, Arc::new(p));
    }
    Ok(Product { inputs: model.inputs, ..product })
}

/// The model solved by its scheme.
pub(crate) fn solved(model: &ModelFile) -> Result<Solved> {
    let problem = model.known()?;
    let mut solution = solve(&problem, &model.run.scheme)?;
    if !model.problem.noises.is_empty() {
        solution = solution.as_one_path_of_many();
    }
    Ok(Solved {
        heading: input::heading(model),
        scheme: model.run.scheme.name(),
        chosen: model.run.chosen(),
        problem,
        solution,
        rows: model.run.rows,
        bearing_stiffness: model.bearing_stiffness,
    })
}

fn perturbed(model: &ModelFile, problem: &Problem, epsilon: f64) -> Result<Perturbation> {
    let Moves::Oscillator(oscillator) = &problem.model else {
        return Err(Diagnostic::unsolvable("only the force on an oscillator can be perturbed"));
    };
    Ok(perturb(oscillator, epsilon, |o| input::path(model, o))?)
}

/// What users should know of a solution that does not depend continuously on the force.
fn discontinuous(p: &Perturbation, unit: &str) -> Option<String> {
    let epsilon = short(p.epsilon);
    let t = short(p.parts?);
    Some(format!(
        "with the force ± {epsilon} {unit} the paths part at t = {t} s, and a smaller perturbation does not bring them \
         together: the solution does not depend continuously on the force there"
    ))
}

fn perturbation_summary(p: &Perturbation) -> Value {
    json!({
        "epsilon": p.epsilon, "distance": p.distance, "distance_at_epsilon_16": p.closer,
        "continuous": p.parts.is_none(), "parts_at": p.parts,
    })
}

fn with_perturbation(
    product: Product,
    heading: &Heading,
    path: &Trajectory,
    p: Arc<Perturbation>,
) -> Product {
    let drawn = p.clone();
    let heading = heading.clone();
    let said = p.clone();
    let before = product.text.clone();
    let unit = heading.unit("N");
    let text = Lazy::new(move || before.get() + &printed(|w| perturbation::text(w, &said, unit)));
    let product = Product { text, ..product };
    let product = product.table(perturbation::table(&Arc::new(path.clone()), &p));
    let product = heading.units_of(product);
    product.figure("perturbation", move || perturbation::figure(&heading, &drawn))
}

//! The empirical order of a time-stepping scheme, or what a tolerance of the adaptive scheme costs
//! and gives.

mod orders;
mod work_precision;

use crate::context::Context;
use crate::export::convergence::Orders;
use crate::input::{Applies, Input};
use crate::number::short;
use crate::product::{Lazy, Product, printed};
use crate::summary::{Head, carried_out};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use std::sync::Arc;
use stickslip::Scheme;
use stickslip::study::order::Against;
use stickslip_file::model::MOST_STEPS;
use stickslip_file::{Diagnostic, ModelFile, Remedy, Result};

/// How often the step is halved, unless something else is asked for.
const HALVINGS: u32 = 7;
/// Paths to average over, unless something else is asked for.
const PATHS: u64 = 100;

/// What is asked of a convergence table beside the model.
#[derive(Debug, Clone, PartialEq, Deserialize, clap::Args)]
#[group(skip)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Converge {
    /// Number of halvings of the step; with --scheme adaptive, number of tolerances.
    #[arg(long, value_name = "N", default_value_t = HALVINGS, value_parser = clap::value_parser!(u32).range(1..=24))]
    pub halvings: u32,
    /// What the scheme is compared with [default: self; impacts: exact].
    #[serde(deserialize_with = "against")]
    #[arg(long, value_name = "WHAT", value_parser = crate::typed::against())]
    pub against: Option<Against>,
    /// Number of sample paths to average over, for models with noise [default: 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub paths: Option<u64>,
    /// The scheme that was asked for by name beside the file, if any.
    #[arg(skip)]
    pub scheme: Option<String>,
}

/// What a scheme is compared with, by its name.
fn against<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<Against>, D::Error> {
    let name = Option::<String>::deserialize(from)?;
    match name.as_deref() {
        None => Ok(None),
        Some("self") => Ok(Some(Against::Itself)),
        Some("exact") => Ok(Some(Against::Exact)),
        Some(other) => {
            Err(D::Error::custom(format!("`against` is `{other}`; expected self or exact")))
        }
    }
}

impl Default for Converge {
    fn default() -> Self {
        Self { halvings: HALVINGS, against: None, paths: None, scheme: None }
    }
}

/// Halves the step of the model's scheme and measures the errors.
///
/// # Errors
/// Where the model or an option is wrong, and for problems without one solution.
pub fn converge(options: &Converge, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let mut model = input.model()?;
    let noisy = !model.problem.noises.is_empty();
    if options.paths.is_some() && !noisy {
        return Err(Diagnostic::command_line(
            "a number of paths was given; the model has no noise, so all its paths are the same",
        )
        .with_remedy(Remedy::Omit("paths")));
    }
    let tolerances =
        options.scheme.as_deref() == Some("adaptive") && model.problem.kind() == "oscillator";
    let soft = matches!(model.run.scheme, Scheme::Penalised(_));
    let scheme = model.run.scheme.name();
    input.check(&Applies { scheme, step: !tolerances && !soft, ..Applies::default() })?;
    if tolerances {
        return match noisy {
            false => work_precision::product(options, model, context),
            true => Err(Diagnostic::command_line(
                "the scheme adaptive was asked for, and the model has noise; expected a time-stepping scheme",
            )
            .help("or take `theta`")
            .with_remedy(Remedy::Omit("scheme"))),
        };
    }
    stepping(&mut model, options)?;
    let coarsest = coarsest(&mut model, options)?;
    if noisy {
        orders::check_noisy(&model, options)?;
    } else if model.problem.kind() == "impact" && options.against == Some(Against::Itself) {
        return Err(Diagnostic::command_line(
            "a comparison with the scheme itself was asked for; impacts are compared with the exact solution only",
        )
        .with_remedy(Remedy::Omit("against")));
    }
    let (found, head) = carried_out("converge", &model, context, || match noisy {
        true => orders::noisy(&model, options, coarsest),
        false => orders::known(&model, options, coarsest),
    })?;
    let product = product(options, &model, found, &head);
    Ok(Product { inputs: model.inputs, ..product })
}

fn product(
    options: &Converge,
    model: &ModelFile,
    found: Orders,
    head: &Head<'_, serde_json::Value>,
) -> Product {
    let head = Head { scheme: found.scheme, ..*head };
    let mut more = json!({ "against": found.against, "halvings": options.halvings });
    if !model.problem.noises.is_empty() {
        more["paths"] = options.paths.unwrap_or(PATHS).into();
        more["at_nodes"] = model.problem.has_white_noise().into();
    }
    more["table"] = found.json().into();
    let summary = head.with(more);
    let found = Arc::new(found);
    let said = found.clone();
    let drawn = found.clone();
    let product = Product::new(summary, Lazy::new(move || printed(|w| said.text(w))))
        .table(found.table())
        .figure("convergence", move || drawn.figure());
    found.heading.units_of(product)
}

/// Turns a scheme without steps into the usual one with steps.
fn stepping(model: &mut ModelFile, options: &Converge) -> Result<()> {
    if matches!(model.run.scheme, Scheme::Penalised(_)) || model.run.scheme.step().is_some() {
        return Ok(());
    }
    let noisy = !model.problem.noises.is_empty();
    if noisy && !model.run.scheme_named {
        // Paths under noise have a usual scheme of their own.
        return Ok(());
    }
    let usual = match model.problem.kind() {
        _ if noisy => Scheme::Theta { step: 0.0, theta: 0.5 },
        "oscillator" => Scheme::Euler { step: 0.0 },
        "impact" => Scheme::Moreau { step: 0.0 },
        _ => Scheme::ImplicitEuler { step: 0.0 },
    };
    if let Some(asked) = &options.scheme {
        return Err(Diagnostic::command_line(format!(
            "the scheme {asked} was asked for; it has no step to halve; expected a time-stepping scheme"
        ))
        .help(format!("or take `{}`", usual.name()))
        .with_remedy(Remedy::Omit("scheme")));
    }
    model.warnings.push(format!(
        "the scheme `{}` has no step to halve; the order of `{}` is measured instead",
        model.run.scheme.name(),
        usual.name()
    ));
    model.run.scheme = usual;
    Ok(())
}

/// The coarsest step, s; of soft walls the largest compliance, m/N.
fn coarsest(model: &mut ModelFile, options: &Converge) -> Result<f64> {
    if let Scheme::Penalised(penalty) = model.run.scheme {
        return Ok(1.0 / penalty.stiffness);
    }
    let end = model.problem.end;
    let step = model.run.step.unwrap_or(end / 100.0);
    if model.run.step.is_none() {
        model.warnings.push(format!(
            "`run.step` is not given; the table begins with end/100 = {} s",
            short(step)
        ));
    }
    let n = options.halvings;
    let most = end / step * 2f64.powi(n as i32);
    if most > MOST_STEPS {
        return Err(Diagnostic::new(format!(
            "the step is halved {n} times: the smallest step {step}/2^{n} s means {most:.3e} steps; \
             expected at most {MOST_STEPS:e}"
        ))
        .help("halve less often, or start from a larger step"));
    }
    Ok(step)
}

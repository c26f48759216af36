//! Tables of orders for every kind of model.

use super::{Converge, PATHS};
use crate::ensemble::rule;
use crate::export::convergence::{Line, Orders};
use crate::input::{self, random};
use crate::number::short;
use stickslip::portable;
use stickslip::study::order::noisy::{NoisyRow, NoisyStudy, Norm};
use stickslip::study::order::{Against, Halving, Row, Softness, table};
use stickslip::{Model, Scheme, solve};
use stickslip_file::{Diagnostic, ModelFile, Remedy, Result};

/// Refuses what has no meaning under noise.
pub fn check_noisy(model: &ModelFile, options: &Converge) -> Result<()> {
    if options.against == Some(Against::Exact) {
        return Err(Diagnostic::command_line(
            "a comparison with the exact solution was asked for; the model has noise, so there is no closed form",
        )
        .help("each path is compared with itself at half the step")
        .with_remedy(Remedy::Omit("against")));
    }
    rule(model, options.scheme.as_deref()).map(|_| ())
}

/// The mean over many paths, each compared with itself at half the step.
pub fn noisy(model: &ModelFile, options: &Converge, step: f64) -> Result<Orders> {
    let problem = random(&model.problem)?;
    let seed = model.run.seed;
    let paths = options.paths.unwrap_or(PATHS);
    let rule = rule(model, options.scheme.as_deref())?;
    // White noise is rough between nodes: there an interpolant measures itself.
    let norm = if problem.has_white_noise() { Norm::Nodes } else { Norm::Interpolants };
    let study = NoisyStudy {
        problem,
        rule,
        seed,
        paths,
        halving: Halving { step, halvings: options.halvings },
        norm,
    };
    let rows = study.table()?;
    let line = |r: &NoisyRow| Line { row: r.row, scatter: Some((r.spread, r.standard_error)) };
    let scheme = rule.name();
    Ok(Orders {
        heading: input::heading(model),
        scheme,
        against: "self",
        what: format!(
            "{scheme} against itself at half the step, mean of {paths} paths of random seed {seed}, 0 to {} s",
            short(problem.end)
        ),
        parameter: ("h", "s"),
        error: "m and m/s",
        order: 1.0,
        note: None,
        lines: rows.iter().map(line).collect(),
    })
}

/// A model without noise against itself or the exact solution.
pub fn known(model: &ModelFile, options: &Converge, coarsest: f64) -> Result<Orders> {
    let impact = model.problem.kind() == "impact";
    let against = if impact { Against::Exact } else { options.against.unwrap_or(Against::Itself) };
    let rows = rows(model, against, Halving { step: coarsest, halvings: options.halvings })?;
    let name = model.run.scheme.name();
    let end = short(model.problem.end);
    let soft = matches!(model.run.scheme, Scheme::Penalised(_));
    let norm = if model.problem.model.velocities_jump() { ": sup |x| + mean |v|" } else { "" };
    let other = match against {
        Against::Itself => "itself at half the step",
        Against::Exact if impact => "rigid walls",
        Against::Exact => "the exact solution",
    };
    let what = format!("{name} against {other}, 0 to {end} s{norm}");
    let note = match rows.as_slice() {
        [first, .., last] if impact && !soft => Some(format!(
            "order over all rows {:.2}; single rows scatter, since an impact may fall anywhere inside a step",
            portable::log(first.error / last.error) / portable::log(first.h / last.h)
        )),
        _ => None,
    };
    Ok(Orders {
        heading: input::heading(model),
        scheme: name,
        against: if against == Against::Itself { "self" } else { "exact" },
        what,
        parameter: if soft { ("1/stiffness", "m/N") } else { ("h", "s") },
        error: unit(&model.problem.model),
        order: if soft { 0.5 } else { 1.0 },
        note,
        lines: rows.into_iter().map(Line::from).collect(),
    })
}

/// The unit of the distance of two motions of a model along a line.
fn unit(model: &Model) -> &'static str {
    match model {
        Model::Hysteretic(contact) if contact.body().is_none() => "N",
        Model::Isolated(_) => "m, rad and their rates",
        _ => "m and m/s",
    }
}

fn rows(model: &ModelFile, against: Against, halving: Halving) -> Result<Vec<Row>> {
    let problem = &model.problem;
    let scheme = |step: f64| match model.run.scheme {
        Scheme::ImplicitEuler { .. } => Scheme::ImplicitEuler { step },
        Scheme::Theta { theta, .. } => Scheme::Theta { step, theta },
        Scheme::Hysteresis { .. } => Scheme::Hysteresis { step },
        Scheme::Moreau { .. } => Scheme::Moreau { step },
        Scheme::SignEuler { .. } => Scheme::SignEuler { step },
        Scheme::SignImplicit { .. } => Scheme::SignImplicit { step },
        Scheme::Penalised(_) if model.run.scheme.name() == "spring" => {
            Scheme::Penalised(Softness::Spring.at(step))
        }
        Scheme::Penalised(_) => Scheme::Penalised(Softness::Yosida.at(step)),
        _ => Scheme::Euler { step },
    };
    Ok(table(problem, halving, against, |step| solve(problem, &scheme(step)))?)
}

//! Tables of orders for every kind of model.

use super::{Converge, PATHS};
use crate::export::convergence::{Line, Orders};
use crate::input::Model;
use stickslip::scheme::stochastic::Rule;
use stickslip::scheme::{cascade, euler, implicit_euler, naive, network};
use stickslip::study::assembly::{CascadeStepper, NetworkStepper, cascade_table, network_table};
use stickslip::study::convergence::{Against, Row, Stepper, table_of};
use stickslip::study::impact::{Softness, moreau_table, penalty_table};
use stickslip::study::noisy::{NoisyStudy, Norm};
use stickslip::{Model as Moves, Scheme};
use stickslip_file::{Diagnostic, Remedy, Result};

/// Refuses what has no meaning under noise.
pub fn check_noisy(model: &Model, options: &Converge) -> Result<()> {
    if options.against == Some(Against::Exact) {
        return Err(Diagnostic::command_line(
            "a comparison with the exact solution was asked for; the model has noise, so there is no closed form",
        )
        .help("each path is compared with itself at half the step")
        .with_remedy(Remedy::Omit("against")));
    }
    let (found, own) = (model.scheme.name(), model.subject()?.scheme(Rule::Law));
    if found == own {
        return Ok(());
    }
    Err(Diagnostic::new(format!(
        "the scheme is {found}, and the model has noise; paths under noise advance by {own}"
    ))
    .help(format!("write scheme = \"{own}\" in [run]")))
}

/// The mean over many paths, each compared with itself at half the step.
pub fn noisy(model: &Model, options: &Converge, step: f64) -> Result<Orders> {
    let (problem, subject, seed) = (&model.problem, model.subject()?, model.seed);
    let paths = options.paths.unwrap_or(PATHS);
    // White noise is rough between nodes: there an interpolant measures itself.
    let norm = if problem.has_white_noise() { Norm::Nodes } else { Norm::Interpolants };
    let study = NoisyStudy {
        model: &subject,
        rule: Rule::Law,
        seed,
        paths,
        end: problem.end,
        step,
        halvings: options.halvings,
        norm,
    };
    let rows = study.table()?;
    let line = |r: &stickslip::study::noisy::NoisyRow| Line {
        row: r.row,
        scatter: Some((r.spread, r.standard_error)),
    };
    let scheme = subject.scheme(Rule::Law);
    Ok(Orders {
        title: model.title.clone(),
        scheme,
        against: "self",
        what: format!(
            "{scheme} against itself at half the step, mean of {paths} paths of seed {seed}, 0 to {:?} s",
            problem.end
        ),
        parameter: ("h", "s"),
        order: 1.0,
        note: None,
        lines: rows.iter().map(line).collect(),
    })
}

/// A model without noise against itself or the exact solution.
pub fn known(model: &Model, options: &Converge, coarsest: f64) -> Result<Orders> {
    let impact = model.problem.kind() == "impact";
    let against = if impact { Against::Exact } else { options.against.unwrap_or(Against::Itself) };
    let rows = rows(model, against, (coarsest, options.halvings))?;
    let (name, end) = (model.scheme.name(), model.problem.end);
    let soft = matches!(model.scheme, Scheme::Penalised(_));
    let what = match against {
        Against::Itself => format!("{name} against itself at half the step, 0 to {end:?} s"),
        Against::Exact if impact => {
            format!("{name} against rigid walls, 0 to {end:?} s: sup |x| + mean |v|")
        }
        Against::Exact => format!("{name} against the exact solution, 0 to {end:?} s"),
    };
    let note = match rows.as_slice() {
        [first, .., last] if impact && !soft => Some(format!(
            "order over all rows {:.2}; single rows scatter, since an impact may fall anywhere inside a step",
            (first.error / last.error).ln() / (first.h / last.h).ln()
        )),
        _ => None,
    };
    Ok(Orders {
        title: model.title.clone(),
        scheme: name,
        against: if against == Against::Itself { "self" } else { "exact" },
        what,
        parameter: if soft { ("1/stiffness", "m/N") } else { ("h", "s") },
        order: if soft { 0.5 } else { 1.0 },
        note,
        lines: rows.into_iter().map(Line::from).collect(),
    })
}

fn rows(model: &Model, against: Against, (h, n): (f64, u32)) -> Result<Vec<Row>> {
    let (end, scheme) = (model.problem.end, model.scheme);
    Ok(match (&model.problem.model, scheme) {
        (Moves::Oscillator(o), _) => {
            let stepper: Stepper = match scheme {
                Scheme::ImplicitEuler { .. } => implicit_euler::solve,
                Scheme::SignEuler { .. } => naive::sign_euler,
                Scheme::SignImplicit { .. } => naive::sign_implicit,
                _ => euler::solve,
            };
            table_of(stepper, o, end, h, n, against)?
        }
        (Moves::Cascade(c), _) => {
            let stepper: CascadeStepper = match scheme {
                Scheme::Hysteresis { .. } => cascade::hysteresis,
                _ => cascade::implicit_euler,
            };
            cascade_table(stepper, c, end, (h, n), against)?
        }
        (Moves::Network(net), _) => {
            let stepper: NetworkStepper = match scheme {
                Scheme::Theta { .. } => |n, end, h| network::theta(n, end, h, 0.5),
                Scheme::SignEuler { .. } => |n, end, h| Ok(network::sign_euler(n, end, h)?.0),
                _ => network::implicit_euler,
            };
            network_table(stepper, net, end, (h, n), against)?
        }
        (Moves::Impact(i), Scheme::Penalised(_)) => {
            let soft = if scheme.name() == "spring" { Softness::Spring } else { Softness::Yosida };
            penalty_table(i, end, soft, h, n)?
        }
        (Moves::Impact(i), _) => moreau_table(i, end, h, n)?,
        (other, _) => {
            return Err(Diagnostic::unsolvable(format!(
                "there is no table of orders for a model of the kind {}",
                other.kind()
            )));
        }
    })
}

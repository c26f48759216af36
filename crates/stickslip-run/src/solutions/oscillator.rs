//! Solutions of an oscillator, in two meanings of the word.
//!
//! *With the rule*: the mass stays at rest as long as the load does not exceed the static friction force. That is one
//! motion, the one that a simulation computes; it is in doubt where it is not continuous in the data. *Without the
//! rule*: whatever satisfies the inequality, which lets the mass leave at any instant at which the load exceeds the
//! kinetic friction force. All of these are listed, of the discrete problem, beside members of the continuous family.

use super::Solutions;
use crate::context::Context;
use crate::export::solutions::{self as export, OscillatorSolutions};
use crate::input::{self, Applies, Input};
use crate::number::short;
use crate::product::{Lazy, Product, printed};
use crate::summary::{Head, carried_out};
use serde_json::{Value, json};
use std::sync::Arc;
use stickslip::scheme::oscillator::adaptive;
use stickslip::study::solutions::{self, Jump};
use stickslip::{Oscillator, Trajectory, Warning};
use stickslip_file::{Diagnostic, ModelFile, Remedy, Result};

/// Members of the continuous family that are shown for each interval.
const MEMBERS: usize = 5;
/// The search stops after this many solutions, unless more are asked for.
const LIMIT: usize = 1000;

fn find(model: &ModelFile, step: f64, limit: usize) -> Result<OscillatorSolutions> {
    let o = input::oscillator(model)?;
    let end = model.problem.end;
    let options = model.run.tolerances();
    let family = solutions::discrete(o, end, step, limit)?;
    let stays = adaptive::solve(o, end, options)?;
    let doubts = doubts(model, o, &stays);
    let interval = |w: &Warning| match w {
        Warning::NotUnique { from, to } => Some((*from, *to)),
        _ => None,
    };
    let degenerate: Vec<(f64, f64)> = doubts.iter().filter_map(interval).collect();
    let mut continuous = Vec::new();
    for &(from, to) in &degenerate {
        let count = if from == to { 1 } else { MEMBERS };
        for k in 0..count {
            let u = from + (to - from) * k as f64 / count as f64;
            continuous.push((u, solutions::leaving_at(o, end, u, options)?));
        }
    }
    let sizes = [1e-1, 1e-2, 1e-3, 1e-4, 1e-6];
    let scale = o.friction.breakaway().max(f64::MIN_POSITIVE)
        * o.normal_force(o.initial.displacement, 0.0).max(1e-3);
    let below = sizes.iter().map(|e| -e * scale);
    let above = sizes.iter().rev().map(|e| e * scale);
    let epsilons: Vec<f64> = below.chain(above).collect();
    let jump = solutions::jump(o, end, &epsilons, options)?;
    Ok(OscillatorSolutions {
        title: input::heading(model).title().to_owned(),
        family,
        single_below: (!o.friction.leaves_at_will()).then(|| o.mass / o.friction.weakening()),
        doubts,
        degenerate,
        continuous,
        jump,
    })
}

/// Where the motion with the rule is not continuous in the data: what a simulation of the file reports, or where its
/// scheme does not take the model, what the adaptive scheme reports.
fn doubts(model: &ModelFile, o: &Oscillator, stays: &Trajectory) -> Vec<Warning> {
    let own = input::path(model, o);
    let warnings = own.as_ref().map_or(stays.warnings(), |path| path.warnings());
    let doubtful = |w: &&Warning| {
        use Warning::{GrazesRest, NotUnique, RestsAtLimit};
        matches!(w, NotUnique { .. } | RestsAtLimit { .. } | GrazesRest { .. })
    };
    warnings.iter().filter(doubtful).cloned().collect()
}

/// Every solution of the discrete problem, and members of the continuous families.
pub fn solutions(options: &Solutions, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let mut model = input.model()?;
    if !model.problem.noises.is_empty() {
        return Err(Diagnostic::unsolvable(
            "this model has noise; expected one without, whose solutions can be listed",
        )
        .with_remedy(Remedy::Simulate));
    }
    input.check(&Applies {
        scheme: "implicit-euler",
        step: true,
        tolerances: true,
        ..Applies::default()
    })?;
    let limit = options.limit.unwrap_or(LIMIT);
    let step = model.run.step.unwrap_or(model.problem.end / 20.0);
    if model.run.step.is_none() {
        let said = format!(
            "`run.step` is not given; the discrete problem takes end/20 = {} s",
            short(step)
        );
        model.warnings.push(said);
    }
    let (found, head) = carried_out("solutions", &model, context, || find(&model, step, limit))?;
    let found = Arc::new(found);
    let mut remarks = Vec::new();
    if found.family.truncated {
        remarks.push(format!(
            "without the rule there are more than {limit} discrete solutions; the first {limit} are listed. Raise the limit or \
             take a larger `run.step` to list all of them"
        ));
    }
    let warnings: Vec<String> = model.warnings.iter().chain(&remarks).cloned().collect();
    let head = Head { scheme: "implicit-euler", ..head }.warning(&warnings);
    let summary = head.with(summary(&found));
    let make = |of: fn(&OscillatorSolutions) -> String| {
        let found = found.clone();
        move || of(&found)
    };
    let text = Lazy::new(make(|f| printed(|w| export::text(w, f))));
    let product = Product::new(summary, text)
        .table(export::discrete(&found))
        .table(export::family(&found))
        .table(export::jump(&found))
        .figure("solutions", make(export::figure))
        .figure("jump", make(export::jump_figure));
    Ok(Product { inputs: model.inputs, ..product.remarks(remarks) })
}

fn summary(found: &OscillatorSolutions) -> Value {
    let h = found.family.step;
    let leaves = |m: &solutions::Member| m.leaves.iter().map(|&n| n as f64 * h).collect::<Vec<_>>();
    let jump = |j: &Jump| json!({ "epsilon": j.epsilon, "x": j.end.x, "v": j.end.v });
    json!({
        "step": h,
        "unique": found.doubts.is_empty(),
        "doubts": found.doubts.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "solutions": found.family.members.len(),
        "truncated": found.family.truncated,
        "leaves": found.family.members.iter().map(leaves).collect::<Vec<_>>(),
        "degenerate": found.degenerate,
        "jump": found.jump.iter().map(jump).collect::<Vec<_>>(),
    })
}

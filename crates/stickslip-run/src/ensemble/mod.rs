//! Many paths of one model with noise, and their statistics.

pub mod merge;
pub mod partial;

use crate::context::Context;
use crate::export;
use crate::input::{Applies, Input, random};
use crate::product::Product;
use crate::summary::Head;
use partial::Partial;
use std::ops::Range;
use stickslip::scheme::stochastic::{Rule, scheme_name};
use stickslip::study::ensemble::{Control, Plan, run};
use stickslip::{Problem, State};
use stickslip_file::model::Rows;
use stickslip_file::{Diagnostic, Kind, ModelFile, Remedy, Result};

/// Rows of the table, unless the model says otherwise.
const ROWS: usize = 201;
/// The most rows of all points together: each keeps histograms.
const MOST_ROWS: usize = 10_001;

/// What is asked of an ensemble beside the model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ensemble {
    /// Which paths: 0..n, or a part to be merged with others.
    pub paths: Range<u64>,
    /// Threads; 0 takes one for each core. The result is the same to the last bit.
    pub threads: usize,
    /// Keep the state of every path at the end.
    pub states: bool,
    /// Level whose first passage by |x| is timed, m.
    pub level: Option<f64>,
    /// Take friction from the sign of the last step's velocity, for comparison.
    pub explicit_sign: bool,
    /// Quantiles beside 5, 50 and 95 %, as shares.
    pub quantiles: Vec<f64>,
    /// The scheme that was asked for by name, if any: it must be the one in which paths advance.
    pub scheme: Option<String>,
}

impl Ensemble {
    /// These paths, on all cores.
    pub fn new(paths: Range<u64>) -> Self {
        Self {
            paths,
            threads: 0,
            states: false,
            level: None,
            explicit_sign: false,
            quantiles: Vec::new(),
            scheme: None,
        }
    }
}

/// The plan of an ensemble: the step must be given. Without `rows` the usual number is taken.
pub(crate) fn plan(model: &ModelFile, rows: Option<usize>) -> Result<Plan> {
    let problem = random(&model.problem)?;
    let points = problem.points().len().max(1);
    let plan = Plan::new(problem.clone(), model.run.needed_step("an ensemble")?, model.run.seed);
    let most = (MOST_ROWS / points).max(2).min(plan.steps()? + 1);
    let rows = rows.unwrap_or(ROWS.min(most));
    if !(2..=most).contains(&rows) {
        return Err(Diagnostic::new(format!(
            "`run.rows` is {rows} for an ensemble; expected 2 to {most} rows"
        ))
        .help("statistics are kept for every point in each row, at most one row for each step"));
    }
    Ok(plan.with_rows(rows))
}

/// Refuses a scheme that was asked for by name and is not the one in which paths advance.
pub(crate) fn check_scheme(problem: &Problem, asked: Option<&str>) -> Result<()> {
    let own = scheme_name(&problem.model, Rule::Law);
    match asked.filter(|s| *s != own) {
        None => Ok(()),
        Some(s) => Err(Diagnostic::command_line(format!(
            "the scheme {s} was asked for; the paths of an ensemble advance by {own}"
        ))
        .help("a single path can be simulated exactly between its events")
        .with_remedy(Remedy::Omit("scheme"))),
    }
}

/// Shows how far it is, keeps states if they are wanted, and stops when asked.
struct Watch<'a> {
    total: u64,
    context: &'a Context<'a>,
    /// By paths, then points.
    states: Option<Vec<State>>,
}

impl Control for Watch<'_> {
    fn proceed(&mut self, done: u64) -> bool {
        (self.context.progress)(done, self.total);
        !(self.context.cancelled)()
    }

    fn wants_states(&self) -> bool {
        self.states.is_some()
    }

    fn states(&mut self, _: u64, states: &[State]) {
        if let Some(all) = &mut self.states {
            all.extend_from_slice(states);
        }
    }
}

/// Runs the paths. When it is cancelled it returns those that are complete, as an interrupted
/// product.
///
/// # Errors
/// Where the model or an option is wrong, where a path cannot be computed, and where it is cancelled
/// before the first paths are complete.
pub fn ensemble(options: &Ensemble, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let mut model = input.model()?;
    let problem = random(&model.problem)?;
    check_scheme(problem, options.scheme.as_deref())?;
    let scheme = scheme_name(&problem.model, Rule::Law);
    let noisy = !problem.noises.is_empty();
    input.check(&Applies { scheme, step: true, tolerances: false, rows: true })?;
    if !noisy {
        let said = "this model has no noise: all paths are equal";
        if model.run.step.is_none() {
            return Err(Diagnostic::new(said)
                .help("add a noise to the model, or simulate its one path")
                .with_remedy(Remedy::Simulate));
        }
        model.warnings.push(said.to_owned());
    }
    let usual = plan(&model, None)?;
    let usual = match model.run.rows {
        _ if !model.run.rows_given => usual,
        Rows::Count(n) => plan(&model, Some(n))?,
        Rows::Steps => plan(&model, Some(usual.steps()? + 1))?,
    };
    let rule = if options.explicit_sign { Rule::ExplicitSign } else { Rule::Law };
    let plan = usual.with_rule(rule);
    let plan = options.level.map_or(plan.clone(), |level| plan.with_level(level));
    plan.check()?;
    context.warn_all(&model.warnings);
    let paths = options.paths.clone();
    let total = paths.end - paths.start;
    let mut watch = Watch { total, context, states: options.states.then(Vec::new) };
    let (found, seconds) = context.timed(|| run(&plan, paths.clone(), options.threads, &mut watch));
    let found = found?;
    if found.count() == 0 {
        return Err(Diagnostic::of(Kind::Interrupted, "interrupted before any path was complete")
            .help("run it again"));
    }
    let interrupted = found.count() < total;
    let remarks = remarks(&paths, found.count(), found.inexact);
    let partial = Partial::new(model.resolved, &plan, found)?;
    let how = (partial.scheme.as_str(), plan.seed);
    let warnings: Vec<_> = model.warnings.iter().chain(&remarks).cloned().collect();
    let head = Head::of("ensemble", &partial.model, how, seconds, &warnings);
    let mut summary = head.with(export::ensemble::summary(&partial));
    if interrupted {
        summary["interrupted"] = true.into();
    }
    let states = watch.states.take().unwrap_or_default();
    let product = export::ensemble::product(partial, options.quantiles.clone(), summary, states);
    Ok(Product { interrupted, inputs: model.inputs, ..product.remarks(remarks) })
}

fn remarks(paths: &Range<u64>, count: u64, inexact: u64) -> Vec<String> {
    let mut remarks = Vec::new();
    let done = paths.start + count;
    if done < paths.end {
        remarks.push(format!(
            "interrupted: paths {}..{done} are complete and kept; run paths {done}..{} and merge both parts",
            paths.start, paths.end
        ));
    }
    if inexact > 0 {
        remarks.push(format!(
            "{inexact} steps of all paths were not solved to the tolerance of the one-step problem; take a smaller step"
        ));
    }
    remarks
}

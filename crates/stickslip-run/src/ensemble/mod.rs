//! Many paths of one model with noise, and their statistics.

pub mod merge;
pub(crate) mod partial;

use crate::context::Context;
use crate::export;
use crate::input::{Applies, Input, random};
use crate::part::Part;
use crate::product::Product;
use crate::summary::Head;
pub use partial::SomePaths;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::ops::Range;
use stickslip::State;
use stickslip::scheme::stochastic::{self, Rule};
use stickslip::study::ensemble::{Control, Plan, run};
use stickslip_file::model::Rows;
use stickslip_file::{Diagnostic, FailureKind, ModelFile, Remedy, Result};

/// Rows of the table, unless the model says otherwise.
const ROWS: usize = 201;
/// The most rows of all points together: each keeps histograms.
const MOST_ROWS: usize = 10_001;

/// Of a model without noise.
const EQUAL: &str = "this model has no noise: all paths are equal";

/// What is asked of an ensemble beside the model.
#[derive(Debug, Clone, PartialEq, Deserialize, clap::Args)]
#[group(skip)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Ensemble {
    /// Number of sample paths, or a range FROM..TO to be merged with others by `stickslip merge`.
    #[serde(deserialize_with = "between")]
    #[arg(long, value_name = "N|FROM..TO", value_parser = crate::typed::paths, allow_hyphen_values = true)]
    pub paths: Range<u64>,
    /// Run part K of N only, to be merged with the others by `stickslip merge`.
    #[arg(long, value_name = "K/N")]
    pub part: Option<Part>,
    /// Number of threads (default: one for each core); the result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Write the state of every path at the end to final.csv.
    #[serde(rename = "final")]
    #[arg(long = "final")]
    pub states: bool,
    /// Report when |x| first exceeds this level, m.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub level: Option<f64>,
    /// Use sign(previous velocity) for comparison; this oscillates.
    #[arg(long)]
    pub explicit_sign: bool,
    /// More quantiles for ensemble.csv in addition to 5, 50 and 95 %, as shares: --quantiles 0.01,0.99.
    #[arg(long, value_name = "P,…", value_delimiter = ',', value_parser = crate::typed::share)]
    pub quantiles: Vec<f64>,
    /// The scheme that was asked for by name beside the file, if any.
    #[arg(skip)]
    pub scheme: Option<String>,
}

impl Default for Ensemble {
    fn default() -> Self {
        Self::new(0..1)
    }
}

/// The first path, and the one after the last.
fn between<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Range<u64>, D::Error> {
    let (from, to) = <(u64, u64)>::deserialize(from)?;
    if from < to {
        return Ok(from..to);
    }
    Err(D::Error::custom(format!("there are no paths from {from} to {to}; expected FROM < TO")))
}

impl Ensemble {
    /// These paths, on all cores.
    pub fn new(paths: Range<u64>) -> Self {
        Self {
            paths,
            part: None,
            threads: None,
            states: false,
            level: None,
            explicit_sign: false,
            quantiles: Vec::new(),
            scheme: None,
        }
    }

    /// The paths that are run.
    fn range(&self) -> Range<u64> {
        let Range { start, end } = self.paths.clone();
        let share = self.part.map_or(0..end - start, |p| p.range(end - start));
        start + share.start..start + share.end
    }
}

/// The plan of an ensemble whose paths advance by `rule`: the step must be given. Without `rows` the usual number is taken.
pub(crate) fn plan(model: &ModelFile, rule: Rule, rows: Option<usize>) -> Result<Plan> {
    let problem = random(&model.problem)?;
    let points = problem.points().len().max(1);
    let plan = Plan::new(problem.clone(), model.run.needed_step("an ensemble")?, model.run.seed);
    let plan = plan.with_rule(rule);
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

/// How paths of `model` advance under noise: by the scheme that the file names or that was `asked` for beside it, and by
/// the usual one of the model where none is named, which is the θ-method for all but contacts with memory. A scheme without steps is refused; it is not replaced by another one.
pub(crate) fn rule(model: &ModelFile, asked: Option<&str>) -> Result<Rule> {
    let problem = random(&model.problem)?;
    if !model.run.scheme_named {
        return Ok(Rule::of(&problem.model).first().copied().unwrap_or_default());
    }
    if let Some(rule) = model.run.scheme.rule() {
        return Ok(rule);
    }
    let names: Vec<_> =
        Rule::of(&problem.model).iter().map(|r| format!("`{}`", r.name())).collect();
    let named = asked.unwrap_or_else(|| model.run.scheme.name());
    let why = match named {
        "exact" | "adaptive" => "which solves one known motion from event to event",
        "hysteresis" => "whose steps are those of `implicit-euler`",
        "quasi-static" => "which has no inertia",
        _ => "which is there for comparison",
    };
    let said = format!(
        "the scheme is `{named}`, {why}; under noise paths advance in steps, by {}",
        names.join(", ")
    );
    let help = "leave the scheme out of the file: both mean `theta`, which has the right variances at any step that \
                resolves the motion, and one path can be simulated by any scheme";
    Err(match asked {
        Some(_) => Diagnostic::command_line(said)
            .help("one path can be simulated by any scheme")
            .with_remedy(Remedy::Omit("scheme")),
        None => Diagnostic::new(said).help(help).with_remedy(Remedy::Scheme("theta")),
    })
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
    let noisy = !random(&model.problem)?.noises.is_empty();
    let in_steps = !model.run.scheme_named || model.run.scheme.rule().is_some();
    if !noisy && (model.run.step.is_none() || !in_steps) {
        return Err(Diagnostic::new(EQUAL)
            .help("add a noise to the model, or simulate its one path")
            .with_remedy(Remedy::Simulate));
    }
    let rule = match rule(&model, options.scheme.as_deref())? {
        _ if options.explicit_sign => Rule::ExplicitSign,
        rule => rule,
    };
    let scheme = rule.name();
    input.check(&Applies { scheme, step: true, tolerances: false, rows: true })?;
    if !noisy {
        model.warnings.push(EQUAL.to_owned());
    }
    let usual = plan(&model, rule, None)?;
    let usual = match model.run.rows {
        _ if !model.run.rows_given => usual,
        Rows::Count(n) => plan(&model, rule, Some(n))?,
        Rows::Steps => plan(&model, rule, Some(usual.steps()? + 1))?,
    };
    let plan = options.level.map_or(usual.clone(), |level| usual.with_level(level));
    plan.check()?;
    model.warnings.extend(stochastic::warnings(&plan.problem, plan.step, rule));
    context.warn_all(&model.warnings);
    let paths = options.range();
    let threads = options.threads.map_or(0, usize::from);
    let total = paths.end - paths.start;
    let mut watch = Watch { total, context, states: options.states.then(Vec::new) };
    let (found, seconds) = context.timed(|| run(&plan, paths.clone(), threads, &mut watch));
    let found = found?;
    if found.count() == 0 {
        return Err(Diagnostic::of(
            FailureKind::Interrupted,
            "interrupted before any path was complete",
        )
        .help("run it again"));
    }
    let interrupted = found.count() < total;
    let remarks = remarks(&paths, found.count(), found.inexact);
    let partial = SomePaths::new(model.resolved, &plan, found)?;
    let warnings: Vec<_> = model.warnings.iter().chain(&remarks).cloned().collect();
    let head = Head::of("ensemble", &partial.model, &partial.scheme, plan.seed)
        .after(seconds)
        .warning(&warnings);
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

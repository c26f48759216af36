//! `stickslip ensemble`: many paths of one model with noise.

use super::Job;
use super::simulate::oscillator;
use crate::args::Ensemble;
use crate::export::partial::Partial;
use crate::export::{self, Patience, Product, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{self, CascadeModel, Gathered, Kind, NetworkModel, Node, Run, Schemes};
use crate::screen;
use serde::Serialize;
use serde_json::Value;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;
use stickslip::Problem;
use stickslip::State;
use stickslip::scheme::stochastic::{Rule, scheme_name};
use stickslip::study::ensemble::{Control, Plan, run};

/// Rows of ensemble.csv, unless --rows says otherwise.
const ROWS: usize = 201;
/// The most rows of all points together: each keeps histograms.
const MOST_ROWS: usize = 10_001;

/// A model whose paths can be computed, of any kind that advances in steps.
pub struct Model {
    /// The file with every default filled in.
    pub file: Value,
    /// What moves.
    pub subject: Problem,
    /// Files read and remarks.
    pub gathered: Gathered,
    step: Option<f64>,
    /// Seed of the paths.
    pub seed: u64,
}

impl Model {
    /// Reads and checks the document of a model file.
    pub fn read(document: &Node, mut gathered: Gathered) -> Result<Self> {
        match Kind::of(document)? {
            Kind::Oscillator => {
                let s = oscillator::read(document, gathered)?;
                let subject = s.noisy();
                Ok(Self::new(&s.model, &s.model.run, subject, s.gathered))
            }
            Kind::Cascade => {
                let (model, noisy) = CascadeModel::read(document, &mut gathered)?;
                Ok(Self::new(&model, &model.run, noisy, gathered))
            }
            Kind::Network => {
                let (model, noisy) = NetworkModel::read(document, &mut gathered)?;
                Ok(Self::new(&model, &model.run, noisy, gathered))
            }
            Kind::Impact | Kind::Corner | Kind::Schatzman => Err(Fault::new(
                "paths are computed of an [oscillator], a [cascade] or a [network]; this is another model",
            )
            .help("`stickslip simulate` or `stickslip solutions` takes it")),
        }
    }

    fn new<T: Schemes>(
        file: &impl Serialize,
        run: &Run<T>,
        subject: Problem,
        gathered: Gathered,
    ) -> Self {
        let file = serde_json::to_value(file).unwrap_or_default();
        let step = run.step.as_ref().map(|s| s.value);
        Self { file, subject, gathered, step, seed: run.seed }
    }

    /// The plan of an ensemble: the step must be given.
    pub fn plan(&self, rows: Option<usize>) -> Result<Plan> {
        let Some(step) = self.step else {
            return Err(Fault::new("`run.step` is missing; an ensemble advances in steps, in s")
                .help("add a line `step = 0.01` to [run], or give --step"));
        };
        let plan = Plan::new(self.subject.clone(), step, self.seed);
        let points = self.subject.points().len().max(1);
        let most = (MOST_ROWS / points).max(2).min(plan.steps()? + 1);
        let rows = rows.unwrap_or(ROWS.min(most));
        if !(2..=most).contains(&rows) {
            return Err(Fault::command_line(format!("--rows {rows}: expected 2 to {most} rows"))
                .help("rows are times at which statistics are kept of every point, at most one for each step"));
        }
        Ok(Plan { rows, ..plan })
    }

    /// Refuses a scheme on the command line that is not the one in which paths advance.
    pub fn check_scheme(&self, asked: Option<&str>) -> Result<()> {
        let own = scheme_name(&self.subject.model, Rule::Law);
        match asked.filter(|s| *s != own) {
            None => Ok(()),
            Some(s) => Err(Fault::command_line(format!(
                "--scheme {s}: paths of an ensemble advance by {own}"
            ))
            .help(
                "leave --scheme out; `stickslip simulate --scheme exact` follows one path by events",
            )),
        }
    }
}

/// An ensemble to be run.
pub struct Paths {
    model: Model,
    plan: Plan,
    paths: Range<u64>,
    threads: usize,
    states: bool,
    quantiles: Vec<f64>,
}

/// Reads and checks a model file and which paths are wanted.
pub fn read(args: &Ensemble) -> Result<Paths> {
    let (document, gathered) = file::read(&args.problem.file, &args.problem.overrides()?)?;
    let mut model = Model::read(&document, gathered)?;
    model.check_scheme(args.problem.scheme.as_deref())?;
    if model.subject.noises.is_empty() {
        let said = "the model has no noise: all paths are the same";
        model.gathered.warnings.push(said.to_owned());
    }
    let rows = match args.problem.rows {
        None => None,
        Some(crate::args::Rows::Count(n)) => Some(usize::try_from(n).unwrap_or(0)),
        Some(crate::args::Rows::Steps) => Some(model.plan(None)?.steps()? + 1),
    };
    let rule = if args.explicit_sign { Rule::ExplicitSign } else { Rule::Law };
    let plan = Plan { level: args.level, rule, ..model.plan(rows)? };
    plan.check()?;
    let threads = args.threads.map_or(0, usize::from);
    let (states, quantiles) = (args.states, args.quantiles.clone());
    Ok(Paths { model, plan, paths: args.paths.clone(), threads, states, quantiles })
}

/// Shows how far it is, keeps states if they are wanted, and stops when asked.
struct Watch {
    total: u64,
    patience: Patience,
    /// By paths, then points.
    states: Option<Vec<State>>,
}

impl Control for Watch {
    fn proceed(&mut self, done: u64) -> bool {
        screen::advance(done, self.total);
        !self.patience.is_over()
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

impl Job for Paths {
    fn title(&self) -> &'static str {
        "running paths"
    }

    fn inputs(&self) -> &[PathBuf] {
        &self.model.gathered.inputs
    }

    fn warnings(&self) -> &[String] {
        &self.model.gathered.warnings
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let Self { model, plan, paths, threads, states, quantiles } = *self;
        let clock = Instant::now();
        let mut watch = Watch {
            total: paths.end - paths.start,
            patience: Patience::new(),
            states: states.then(Vec::new),
        };
        let ensemble = run(&plan, paths.clone(), threads, &mut watch)?;
        let seconds = clock.elapsed().as_secs_f64();
        let done = paths.start + ensemble.count();
        if ensemble.count() == 0 {
            return Err(Fault::new("interrupted before any path was complete").help("run it again"));
        }
        let mut remarks = Vec::new();
        if done < paths.end {
            remarks.push(format!(
                "interrupted: paths {}..{done} are complete and kept; run --paths {done}..{} and put both \
                 together with `stickslip merge`",
                paths.start, paths.end
            ));
        }
        if ensemble.inexact > 0 {
            remarks.push(format!(
                "{} steps of all paths were not solved to the tolerance of the one-step problem; take a smaller step",
                ensemble.inexact
            ));
        }
        let partial = Partial::new(model.file, &plan, ensemble)?;
        let how = (partial.scheme.as_str(), plan.seed);
        let warnings = &model.gathered.warnings;
        let head = Head::of("ensemble", &partial.model, how, seconds, warnings);
        let summary = head.with(export::ensemble::summary(&partial));
        let states = watch.states.take().unwrap_or_default();
        Ok(export::ensemble::product(partial, quantiles, summary, remarks, states))
    }
}

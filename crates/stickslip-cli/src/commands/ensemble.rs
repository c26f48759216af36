//! `stickslip ensemble`: many paths of one model with noise.

use super::Job;
use super::simulate::oscillator::{self, Simulation};
use crate::args::Ensemble;
use crate::export::partial::Partial;
use crate::export::{self, Patience, Product, summary::Head};
use crate::fault::{Fault, Result};
use crate::file;
use crate::screen;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;
use stickslip::State;
use stickslip::scheme::stochastic::Rule;
use stickslip::study::ensemble::{Control, Plan, run};

/// Rows of ensemble.csv, unless --rows says otherwise.
const ROWS: usize = 201;
/// The most rows: each keeps histograms.
const MOST_ROWS: usize = 10_001;

/// An ensemble to be run.
pub struct Paths {
    simulation: Simulation,
    plan: Plan,
    paths: Range<u64>,
    threads: usize,
    states: bool,
    quantiles: Vec<f64>,
}

/// The plan of an ensemble of a model: its step must be given.
pub fn plan(simulation: &Simulation, rows: Option<usize>) -> Result<Plan> {
    let run = &simulation.model.run;
    let Some(step) = &run.step else {
        return Err(Fault::new("`run.step` is missing; an ensemble advances in steps, in s")
            .help("add a line `step = 0.01` to [run], or give --step"));
    };
    let plan = Plan::new(simulation.noisy(), run.end.value, step.value, run.seed);
    let most = MOST_ROWS.min(plan.steps()? + 1);
    let rows = rows.unwrap_or(ROWS.min(most));
    if !(2..=most).contains(&rows) {
        return Err(Fault::command_line(format!("--rows {rows}: expected 2 to {most} rows"))
            .help("rows are times at which statistics are kept, at most one for each step"));
    }
    Ok(Plan { rows, ..plan })
}

/// Refuses a scheme that is not `euler` on the command line.
pub fn check_scheme(scheme: Option<&str>) -> Result<()> {
    match scheme.filter(|s| *s != "euler") {
        None => Ok(()),
        Some(s) => Err(Fault::command_line(format!(
            "--scheme {s}: paths of an ensemble advance by euler"
        ))
        .help(
            "leave --scheme out; `stickslip simulate --scheme exact` follows one path by events",
        )),
    }
}

/// Reads and checks a model file and which paths are wanted.
pub fn read(args: &Ensemble) -> Result<Paths> {
    check_scheme(args.problem.scheme.as_deref())?;
    let (document, gathered) = file::read(&args.problem.file, &args.problem.overrides()?)?;
    let mut simulation = oscillator::read(&document, gathered)?;
    if simulation.noises.is_empty() {
        let said = "the model has no noise: all paths are the same";
        simulation.gathered.warnings.push(said.to_owned());
    }
    let rows = match args.problem.rows {
        None => None,
        Some(crate::args::Rows::Count(n)) => Some(usize::try_from(n).unwrap_or(0)),
        Some(crate::args::Rows::Steps) => Some(plan(&simulation, None)?.steps()? + 1),
    };
    let rule = if args.explicit_sign { Rule::ExplicitSign } else { Rule::Law };
    let plan = Plan { level: args.level, rule, ..plan(&simulation, rows)? };
    plan.check()?;
    let threads = args.threads.map_or(0, usize::from);
    let (states, quantiles) = (args.states, args.quantiles.clone());
    Ok(Paths { simulation, plan, paths: args.paths.clone(), threads, states, quantiles })
}

/// Shows how far it is, keeps states if they are wanted, and stops when asked.
struct Watch {
    total: u64,
    patience: Patience,
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

    fn state(&mut self, _: u64, state: State) {
        if let Some(states) = &mut self.states {
            states.push(state);
        }
    }
}

impl Job for Paths {
    fn title(&self) -> &'static str {
        "running paths"
    }

    fn inputs(&self) -> &[PathBuf] {
        self.simulation.inputs()
    }

    fn warnings(&self) -> &[String] {
        self.simulation.warnings()
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let Self { simulation, plan, paths, threads, states, quantiles } = *self;
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
        let model = serde_json::to_value(&simulation.model).unwrap_or_default();
        let partial = Partial::new(model, &plan, ensemble)?;
        let warnings = &simulation.gathered.warnings;
        let scheme = if plan.rule == Rule::Law { "euler" } else { "sign-euler" };
        let head = Head::of("ensemble", &partial.model, (scheme, plan.seed), seconds, warnings);
        let summary = head.with(export::ensemble::summary(&partial));
        let states = watch.states.take().unwrap_or_default();
        Ok(export::ensemble::product(partial, quantiles, summary, remarks, states))
    }
}

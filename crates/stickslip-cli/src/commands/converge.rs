//! `stickslip converge`: the empirical order of the time-stepping scheme, or what a tolerance of
//! `adaptive` costs and gives.

use super::Job;
use super::simulate::oscillator::{self, Simulation};
use super::{converge_assembly, converge_impact, converge_noisy, work_precision};
use crate::args::{self, Converge};
use crate::export::{self, Product, Writer, figures, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{self, Gathered, Kind, MOST_STEPS, Model, Node, Scheme, Schemes};
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::study::order::{Against, Halving, Row, table};
use stickslip::{Problem, solve};

/// A table to be made.
pub struct Study {
    simulation: Simulation,
    scheme: Scheme,
    step: f64,
    halvings: u32,
    against: Against,
}

/// Reads and checks a model file; the study depends on what moves.
pub fn read(args: &Converge) -> Result<Box<dyn Job>> {
    let (document, gathered) = file::read(&args.problem.file, &args.problem.overrides()?)?;
    Ok(match Kind::of(&document)? {
        Kind::Impact => Box::new(converge_impact::read(args, &document, gathered)?),
        Kind::Oscillator if args.problem.scheme.as_deref() == Some(Scheme::Adaptive.name()) => {
            Box::new(tolerances(args, &document, gathered)?)
        }
        Kind::Oscillator => oscillator(args, &document, gathered)?,
        Kind::Cascade => converge_assembly::cascade(args, &document, gathered)?,
        Kind::Network => converge_assembly::network(args, &document, gathered)?,
        Kind::Corner | Kind::Schatzman => {
            return Err(Fault::new(
                "this problem has more than one solution; `converge` needs one",
            )
            .help("`stickslip solutions` lists them"));
        }
    })
}

/// A scheme that has tolerances, not a step.
fn tolerances(
    args: &Converge,
    document: &Node,
    gathered: Gathered,
) -> Result<work_precision::Study> {
    let simulation = oscillator::read(document, gathered)?;
    if simulation.noises.is_empty() {
        return Ok(work_precision::Study { simulation, rows: args.halvings });
    }
    Err(Fault::command_line(
        "--scheme adaptive: the model has noise; expected a time-stepping scheme",
    )
    .help("leave --scheme out, or give --scheme euler"))
}

/// Checks the steps asked for.
fn oscillator(args: &Converge, document: &Node, gathered: Gathered) -> Result<Box<dyn Job>> {
    let mut simulation = oscillator::read(document, gathered)?;
    let run = &simulation.model.run;
    let scheme = match (args.problem.scheme.as_deref(), run.scheme.stepper()) {
        (_, Some(_)) => run.scheme,
        (None, None) => Scheme::Euler, // the file's scheme has no step
        (Some(asked), None) => {
            return Err(Fault::command_line(format!(
                "--scheme {asked}: has no step to halve; expected a time-stepping scheme"
            ))
            .help("leave --scheme out, or give --scheme euler, implicit-euler or adaptive (its tolerances)"));
        }
    };
    let step = match &run.step {
        Some(step) => step.value,
        None => {
            let step = run.end.value / 100.0;
            let said =
                format!("`run.step` is not given: the table begins with end/100 = {step:?} s");
            simulation.gathered.warnings.push(said);
            step
        }
    };
    let most = run.end.value / step * 2f64.powi(args.halvings as i32);
    if most > MOST_STEPS {
        let n = args.halvings;
        return Err(Fault::new(format!(
            "--halvings {n}: the smallest step {step}/2^{n} s means {most:.3e} steps; \
                 expected at most {MOST_STEPS:e}"
        ))
        .help("halve less often, or start from a larger step"));
    }
    let against = match args.against {
        args::Against::Itself => Against::Itself,
        args::Against::Exact => Against::Exact,
    };
    if !simulation.noises.is_empty() {
        let subject = simulation.noisy();
        let Simulation { model, gathered, .. } = simulation;
        return Ok(Box::new(converge_noisy::Study::new(
            args,
            (&model, &model.title, &model.run),
            subject,
            step,
            gathered,
        )?));
    }
    Ok(Box::new(Study { simulation, scheme, step, halvings: args.halvings, against }))
}

impl Job for Study {
    fn title(&self) -> &'static str {
        "halving the step"
    }

    fn inputs(&self) -> &[PathBuf] {
        self.simulation.inputs()
    }

    fn warnings(&self) -> &[String] {
        self.simulation.warnings()
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let Simulation { model, oscillator, gathered, .. } = self.simulation;
        let name = self.scheme.name();
        let clock = Instant::now();
        let end = model.run.end.value;
        let problem = Problem::new(oscillator, end);
        let halving = Halving { step: self.step, halvings: self.halvings };
        let rows = table(&problem, halving, self.against, |step| {
            let scheme = match self.scheme {
                Scheme::ImplicitEuler => stickslip::Scheme::ImplicitEuler { step },
                Scheme::SignEuler => stickslip::Scheme::SignEuler { step },
                Scheme::SignImplicit => stickslip::Scheme::SignImplicit { step },
                _ => stickslip::Scheme::Euler { step },
            };
            solve(&problem, &scheme)
        })?;
        let seconds = clock.elapsed().as_secs_f64();

        let (against, what) = match self.against {
            Against::Itself => ("self", format!("{name} against itself at half the step")),
            Against::Exact => ("exact", format!("{name} against the exact solution")),
        };
        let lines: Vec<_> = rows
            .iter()
            .map(|r| json!({ "h": r.h, "error": r.error, "ratio": r.ratio, "order": r.order }))
            .collect();
        let summary =
            Head::of("converge", &model, (name, model.run.seed), seconds, &gathered.warnings)
                .with(json!({ "against": against, "halvings": self.halvings, "table": lines }));
        let solved = Rc::new((model, rows));
        let export = |write: fn(&mut dyn Write, &Model, &str, &[Row]) -> io::Result<()>| -> Writer {
            let solved = solved.clone();
            Box::new(move |w| write(w, &solved.0, name, &solved.1))
        };
        let files = vec![
            ("convergence.csv", export(|w, _, _, rows| export::convergence::write(w, rows))),
            (
                "convergence.svg",
                export(|w, model, name, rows| {
                    figures::convergence(w, model.title.as_deref(), name, rows)
                }),
            ),
        ];
        let text = Box::new(move |w: &mut dyn Write| {
            export::text::convergence(w, (solved.0.title.as_deref(), end), &what, &solved.1)
        });
        Ok(Product { remarks: Vec::new(), summary, files, text })
    }
}

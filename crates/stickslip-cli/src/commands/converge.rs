//! `stickslip converge`: the empirical order of the time-stepping scheme.

use super::Job;
use super::converge_impact;
use super::simulate::oscillator::{self, Simulation};
use crate::args::{self, Converge};
use crate::export::{self, Product, Writer, figures, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{self, Gathered, Kind, MOST_STEPS, Model, Node};
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::study::convergence::{Against, Row, table};

/// A table to be made.
pub struct Study {
    simulation: Simulation,
    step: f64,
    halvings: u32,
    against: Against,
}

/// Reads and checks a model file; the study depends on what moves.
pub fn read(args: &Converge) -> Result<Box<dyn Job>> {
    let (document, gathered) = file::read(&args.problem.file, &args.problem.overrides()?)?;
    Ok(match Kind::of(&document)? {
        Kind::Impact => Box::new(converge_impact::read(args, &document, gathered)?),
        Kind::Oscillator => Box::new(oscillator(args, &document, gathered)?),
    })
}

/// Checks the steps asked for.
fn oscillator(args: &Converge, document: &Node, gathered: Gathered) -> Result<Study> {
    if let Some(scheme) = args.problem.scheme.as_deref().filter(|s| *s != "euler") {
        return Err(Fault::command_line(format!(
            "--scheme {scheme}: has no step to halve; expected a time-stepping scheme"
        ))
        .help("leave --scheme out, or give --scheme euler"));
    }
    let mut simulation = oscillator::read(document, gathered)?;
    let run = &simulation.model.run;
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
    Ok(Study { simulation, step, halvings: args.halvings, against })
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
        let Simulation { model, oscillator, gathered } = self.simulation;
        let clock = Instant::now();
        let rows = table(&oscillator, model.run.end.value, self.step, self.halvings, self.against)?;
        let seconds = clock.elapsed().as_secs_f64();

        let (against, what) = match self.against {
            Against::Itself => ("self", "euler against itself at half the step"),
            Against::Exact => ("exact", "euler against the exact solution"),
        };
        let lines: Vec<_> = rows
            .iter()
            .map(|r| json!({ "h": r.h, "error": r.error, "ratio": r.ratio, "order": r.order }))
            .collect();
        let summary =
            Head::of("converge", &model, ("euler", model.run.seed), seconds, &gathered.warnings)
                .with(json!({ "against": against, "halvings": self.halvings, "table": lines }));
        let solved = Rc::new((model, rows));
        let export = |write: fn(&mut dyn Write, &Model, &[Row]) -> io::Result<()>| -> Writer {
            let solved = solved.clone();
            Box::new(move |w| write(w, &solved.0, &solved.1))
        };
        let files = vec![
            ("convergence.csv", export(|w, _, rows| export::convergence::write(w, rows))),
            ("convergence.svg", export(|w, m, rows| figures::convergence(w, m, "euler", rows))),
        ];
        let text = Box::new(move |w: &mut dyn Write| {
            export::text::convergence(w, &solved.0, what, &solved.1)
        });
        Ok(Product { remarks: Vec::new(), summary, files, text })
    }
}

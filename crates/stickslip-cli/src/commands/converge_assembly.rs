//! `stickslip converge` for cascades and networks.

use super::{Job, converge_noisy};
use crate::args::{self, Converge};
use crate::export::{self, Product, Writer, figures, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{
    CascadeModel, CascadeScheme, Gathered, MOST_STEPS, NetworkModel, NetworkScheme, Node, Run,
    Schemes,
};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::study::order::{Against, Halving, Row, table};
use stickslip::{Problem, Scheme, solve};

/// A table to be made.
pub struct Study {
    model: Model,
    step: f64,
    halvings: u32,
    against: Against,
    gathered: Gathered,
}

enum Model {
    Cascade(CascadeModel, Problem),
    Network(NetworkModel, Problem),
}

/// Reads and checks the document of a cascade.
pub fn cascade(args: &Converge, document: &Node, mut gathered: Gathered) -> Result<Box<dyn Job>> {
    let (mut model, noisy) = CascadeModel::read(document, &mut gathered)?;
    let step = halved(args, &mut model.run, CascadeScheme::ImplicitEuler, &mut gathered)?;
    if noisy.noises.is_empty() {
        let model = Model::Cascade(model, noisy);
        return Ok(Box::new(Study::new(args, model, step, gathered)));
    }
    let file = (&model, &model.title, &model.run);
    noisy_only_by(CascadeScheme::ImplicitEuler, &model.run)?;
    Ok(Box::new(converge_noisy::Study::new(args, file, noisy, step, gathered)?))
}

/// Reads and checks the document of a network.
pub fn network(args: &Converge, document: &Node, mut gathered: Gathered) -> Result<Box<dyn Job>> {
    let (mut model, noisy) = NetworkModel::read(document, &mut gathered)?;
    let step = halved(args, &mut model.run, NetworkScheme::ImplicitEuler, &mut gathered)?;
    if noisy.noises.is_empty() {
        let model = Model::Network(model, noisy);
        return Ok(Box::new(Study::new(args, model, step, gathered)));
    }
    let file = (&model, &model.title, &model.run);
    noisy_only_by(NetworkScheme::ImplicitEuler, &model.run)?;
    Ok(Box::new(converge_noisy::Study::new(args, file, noisy, step, gathered)?))
}

/// Refuses a scheme in which paths under noise do not advance.
fn noisy_only_by<T: Schemes>(scheme: T, run: &Run<T>) -> Result<()> {
    if run.scheme == scheme {
        return Ok(());
    }
    let (found, own) = (run.scheme.name(), scheme.name());
    Err(Fault::new(format!(
        "the scheme is {found}, and the model has noise; paths under noise advance by {own}"
    ))
    .help(format!("give --scheme {own}, or write scheme = \"{own}\" in [run]")))
}

/// Turns a scheme without steps into `stepping`; the first step.
fn halved<T: Schemes>(
    args: &Converge,
    run: &mut Run<T>,
    stepping: T,
    gathered: &mut Gathered,
) -> Result<f64> {
    if !run.scheme.steps() {
        if let Some(asked) = &args.problem.scheme {
            let said =
                format!("--scheme {asked}: has no step to halve; expected a time-stepping scheme");
            let name = stepping.name();
            return Err(Fault::command_line(said)
                .help(format!("leave --scheme out, or give --scheme {name}")));
        }
        run.scheme = stepping;
    }
    let end = run.end.value;
    let step = match &run.step {
        Some(step) => step.value,
        None => {
            let step = end / 100.0;
            gathered.warnings.push(format!(
                "`run.step` is not given: the table begins with end/100 = {step:?} s"
            ));
            step
        }
    };
    let most = end / step * 2f64.powi(args.halvings as i32);
    if most > MOST_STEPS {
        let n = args.halvings;
        return Err(Fault::new(format!(
            "--halvings {n}: the smallest step {step}/2^{n} s means {most:.3e} steps; expected at most {MOST_STEPS:e}"
        ))
        .help("halve less often, or start from a larger step"));
    }
    Ok(step)
}

impl Study {
    fn new(args: &Converge, model: Model, step: f64, gathered: Gathered) -> Self {
        let against = match args.against {
            args::Against::Itself => Against::Itself,
            args::Against::Exact => Against::Exact,
        };
        Self { model, step, halvings: args.halvings, against, gathered }
    }

    fn rows(&self) -> Result<Vec<Row>> {
        let halving = Halving { step: self.step, halvings: self.halvings };
        Ok(match &self.model {
            Model::Cascade(model, problem) => {
                table(problem, halving, self.against, |step| match model.run.scheme {
                    CascadeScheme::Hysteresis => solve(problem, &Scheme::Hysteresis { step }),
                    _ => solve(problem, &Scheme::ImplicitEuler { step }),
                })?
            }
            Model::Network(model, problem) => {
                table(problem, halving, self.against, |step| match model.run.scheme {
                    NetworkScheme::Theta => solve(problem, &Scheme::Theta { step, theta: 0.5 }),
                    NetworkScheme::SignEuler => solve(problem, &Scheme::SignEuler { step }),
                    NetworkScheme::ImplicitEuler | NetworkScheme::Exact => {
                        solve(problem, &Scheme::ImplicitEuler { step })
                    }
                })?
            }
        })
    }

    fn product<F: Serialize, T: Schemes>(
        &self,
        (model, title, run): (&F, &Option<String>, &Run<T>),
        rows: Vec<Row>,
        seconds: f64,
    ) -> Product {
        let (name, end) = (run.scheme.name(), run.end.value);
        let (against, what) = match self.against {
            Against::Itself => ("self", format!("{name} against itself at half the step")),
            Against::Exact => ("exact", format!("{name} against the exact solution")),
        };
        let lines: Vec<_> = rows
            .iter()
            .map(|r| json!({ "h": r.h, "error": r.error, "ratio": r.ratio, "order": r.order }))
            .collect();
        let summary =
            Head::of("converge", model, (name, run.seed), seconds, &self.gathered.warnings)
                .with(json!({ "against": against, "halvings": self.halvings, "table": lines }));
        let (title, rows) = (Rc::new(title.clone()), Rc::new(rows));
        let (heading, table) = (title.clone(), rows.clone());
        let text: Writer = Box::new(move |w| {
            export::text::convergence(w, (heading.as_deref(), end), &what, &table)
        });
        let table = rows.clone();
        let files: Vec<(&'static str, Writer)> = vec![
            ("convergence.csv", Box::new(move |w| export::convergence::write(w, &table))),
            (
                "convergence.svg",
                Box::new(move |w| figures::convergence(w, title.as_deref(), name, &rows)),
            ),
        ];
        Product { remarks: Vec::new(), summary, files, text }
    }
}

impl Job for Study {
    fn title(&self) -> &'static str {
        "halving the step"
    }

    fn inputs(&self) -> &[PathBuf] {
        &self.gathered.inputs
    }

    fn warnings(&self) -> &[String] {
        &self.gathered.warnings
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let clock = Instant::now();
        let rows = self.rows()?;
        let seconds = clock.elapsed().as_secs_f64();
        Ok(match &self.model {
            Model::Cascade(m, _) => self.product((m, &m.title, &m.run), rows, seconds),
            Model::Network(m, _) => self.product((m, &m.title, &m.run), rows, seconds),
        })
    }
}

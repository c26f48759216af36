//! `stickslip converge` under noise: the strong order, paths refined and not drawn again.

use super::Job;
use crate::args::{self, Converge};
use crate::export::{self, Product, Writer, figures, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{Gathered, Run, Schemes};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::Problem;
use stickslip::scheme::stochastic::{Rule, scheme_name};
use stickslip::study::order::noisy::{NoisyRow, NoisyStudy, Norm};
use stickslip::study::order::{Halving, Row};

/// A table to be made: the mean over many paths, each compared with itself at half the step.
pub struct Study {
    file: Value,
    title: Option<String>,
    subject: Problem,
    gathered: Gathered,
    seed: u64,
    end: f64,
    step: f64,
    halvings: u32,
    paths: u64,
}

impl Study {
    /// Of a model that has noise, and the step to begin with.
    pub fn new<T: Schemes>(
        args: &Converge,
        (file, title, run): (&impl Serialize, &Option<String>, &Run<T>),
        subject: Problem,
        step: f64,
        gathered: Gathered,
    ) -> Result<Self> {
        if matches!(args.against, args::Against::Exact) {
            return Err(Fault::command_line(
                "--against exact: the model has noise, whose motion is in no closed form; expected --against self",
            )
            .help("leave --against out: each path is compared with itself at half the step"));
        }
        let file = serde_json::to_value(file).unwrap_or_default();
        let (title, seed, end) = (title.clone(), run.seed, run.end.value);
        let (halvings, paths) = (args.halvings, args.paths);
        Ok(Self { file, title, subject, gathered, seed, end, step, halvings, paths })
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
        let Self { file, title, subject, gathered, seed, end, step, halvings, paths } = *self;
        // White noise is rough between nodes: there an interpolant measures itself.
        let rough = subject.has_white_noise();
        let norm = if rough { Norm::Nodes } else { Norm::Interpolants };
        let (problem, rule) = (&subject, Rule::Law);
        let name = scheme_name(&subject.model, rule);
        let halving = Halving { step, halvings };
        let clock = Instant::now();
        let rows = NoisyStudy { problem, rule, seed, paths, halving, norm }.table()?;
        let seconds = clock.elapsed().as_secs_f64();
        let lines: Vec<_> = rows
            .iter()
            .map(|NoisyRow { row: r, spread, standard_error }| {
                json!({ "h": r.h, "error": r.error, "ratio": r.ratio, "order": r.order,
                        "spread": spread, "standard_error": standard_error })
            })
            .collect();
        let head = Head::of("converge", &file, (name, seed), seconds, &gathered.warnings);
        let summary = head.with(json!({
            "against": "self", "halvings": halvings, "paths": paths, "at_nodes": rough, "table": lines,
        }));
        let what =
            format!("{name} against itself at half the step, mean of {paths} paths of seed {seed}");
        let means: Vec<Row> = rows.iter().map(|r| r.row).collect();
        let solved = Rc::new((title, rows, means));
        let (figure, table) = (solved.clone(), solved.clone());
        let files: Vec<(&'static str, Writer)> = vec![
            ("convergence.csv", Box::new(move |w| export::convergence::write_noisy(w, &table.1))),
            (
                "convergence.svg",
                Box::new(move |w| figures::convergence(w, figure.0.as_deref(), name, &figure.2)),
            ),
        ];
        let text = Box::new(move |w: &mut dyn std::io::Write| {
            export::text::convergence(w, (solved.0.as_deref(), end), &what, &solved.2)
        });
        Ok(Product { remarks: Vec::new(), summary, files, text })
    }
}

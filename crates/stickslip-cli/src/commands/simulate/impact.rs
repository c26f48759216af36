//! One motion of a mass between walls.

use crate::commands::Job;
use crate::export::{self, Product, Writer, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{Gathered, ImpactModel, ImpactScheme, Node, Schemes};
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::scheme::impact::{self, moreau, penalised};
use stickslip::{Impact, ImpactPath};

/// A model that is ready to be solved.
pub struct Simulation {
    /// The file with every default filled in.
    pub model: ImpactModel,
    /// What moves.
    pub impact: Impact,
    /// Files read and remarks.
    pub gathered: Gathered,
}

/// Reads and checks the document of a model file.
pub fn read(document: &Node, mut gathered: Gathered) -> Result<Simulation> {
    let model = ImpactModel::read(document, &mut gathered)?;
    let impact = model.impact.build()?;
    Ok(Simulation { model, impact, gathered })
}

impl Simulation {
    fn path(&self) -> Result<ImpactPath> {
        let (m, run) = (&self.impact, &self.model.run);
        let end = run.end.value;
        let path = match (run.scheme, &run.step) {
            (ImpactScheme::Exact, _) => impact::solve(m, end),
            (ImpactScheme::Moreau, Some(step)) => moreau::solve(m, end, step.value),
            (ImpactScheme::Moreau, None) => return Err(Fault::new("`run.step` is missing")),
            (soft, _) => penalised::solve(m, self.model.impact.penalty(soft)?, end),
        };
        Ok(path?)
    }
}

impl Job for Simulation {
    fn title(&self) -> &'static str {
        "simulating"
    }

    fn inputs(&self) -> &[PathBuf] {
        &self.gathered.inputs
    }

    fn warnings(&self) -> &[String] {
        &self.gathered.warnings
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let clock = Instant::now();
        let path = self.path()?;
        let seconds = clock.elapsed().as_secs_f64();
        let (run, warnings) = (&self.model.run, &self.gathered.warnings);
        let how = (run.scheme.name(), run.seed);
        let head = Head::of("simulate", &self.model, how, seconds, warnings);
        let summary = head.with(export::impact::summary(&path, &self.impact));

        let solved = Rc::new((self, path));
        let export = |write: fn(&mut dyn Write, &Self, &ImpactPath) -> io::Result<()>| -> Writer {
            let solved = solved.clone();
            Box::new(move |w| write(w, &solved.0, &solved.1))
        };
        let files = vec![
            (
                "trajectory.csv",
                export(|w, s, path| export::impact::trajectory(w, path, s.model.run.rows)),
            ),
            ("events.csv", export(|w, _, path| export::impact::events(w, path))),
            (
                "motion.svg",
                export(|w, s, path| export::impact_figures::motion(w, &s.model, &s.impact, path)),
            ),
            (
                "bounces.svg",
                export(|w, s, path| export::impact_figures::bounces(w, &s.model, &s.impact, path)),
            ),
            ("plane.svg", export(|w, s, path| export::impact_figures::plane(w, &s.model, path))),
        ];
        let text = export(|w, s, path| export::impact::text(w, &s.model, &s.impact, path));
        Ok(Product { remarks: Vec::new(), summary, files, text })
    }
}

//! One motion of a cascade.

use crate::commands::Job;
use crate::export::{Product, Writer, cascade as export, summary::Head};
use crate::fault::{Fault, Result, warned};
use crate::file::{CascadeModel, CascadeScheme, Gathered, Node, Schemes};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::Cascade;
use stickslip::scheme::cascade::{self, CascadePath};

/// A cascade that is ready to be solved.
pub struct Simulation {
    model: CascadeModel,
    cascade: Cascade,
    gathered: Gathered,
}

/// A cascade that has been solved.
pub struct Solved {
    /// The file with every default filled in.
    pub model: CascadeModel,
    /// What moved.
    pub cascade: Cascade,
    /// How.
    pub path: CascadePath,
}

/// Reads and checks the document of a model file.
pub fn read(document: &Node, mut gathered: Gathered) -> Result<Simulation> {
    let (model, noisy) = CascadeModel::read(document, &mut gathered)?;
    let cascade = model.known(noisy)?;
    Ok(Simulation { model, cascade, gathered })
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
        let Self { model, cascade, gathered } = *self;
        let (c, end) = (&cascade, model.run.end.value);
        let step = || {
            let step = model.run.step.as_ref().map(|s| s.value);
            step.ok_or_else(|| Fault::new("`run.step` is missing"))
        };
        let mut remarks: Vec<String> = Vec::new();
        let clock = Instant::now();
        let path = match model.run.scheme {
            CascadeScheme::Exact => cascade::exact(c, end)?,
            CascadeScheme::ImplicitEuler => {
                let (path, counts) = cascade::solve_implicit_euler(c, end, step()?)?;
                remarks.extend(counts.warning().iter().map(warned));
                path
            }
            CascadeScheme::Hysteresis => cascade::hysteresis(c, end, step()?)?,
            CascadeScheme::QuasiStatic => cascade::quasi_static(c, end)?,
        };
        let seconds = clock.elapsed().as_secs_f64();
        let how = (model.run.scheme.name(), model.run.seed);
        let warnings: Vec<String> = gathered.warnings.iter().chain(&remarks).cloned().collect();
        let head = Head::of("simulate", &model, how, seconds, &warnings);
        let summary = head.with(export::summary(&cascade, &path));
        let solved = Rc::new(Solved { model, cascade, path });
        let write = |write: export::Export| -> Writer {
            let solved = solved.clone();
            Box::new(move |w| write(w, &solved))
        };
        let files = vec![
            ("trajectory.csv", write(export::trajectory)),
            ("events.csv", write(export::events)),
            ("motion.svg", write(export::motion)),
            ("loops.svg", write(export::loops)),
            ("slips.svg", write(export::slips)),
        ];
        Ok(Product { remarks, summary, files, text: write(export::text) })
    }
}

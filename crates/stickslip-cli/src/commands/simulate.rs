//! `stickslip simulate`: one motion.

use super::Job;
use crate::args::Problem;
use crate::export::{self, Product, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{self, Gathered, Model, Scheme};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::scheme::{euler, exact, quasi_static};
use stickslip::{Oscillator, Trajectory};

/// A model that is ready to be solved.
pub struct Simulation {
    /// The file with every default filled in.
    pub model: Model,
    /// What moves.
    pub oscillator: Oscillator,
    /// Files read and remarks.
    pub gathered: Gathered,
}

/// Reads and checks a model file.
pub fn read(problem: &Problem) -> Result<Simulation> {
    let (document, mut gathered) = file::read(&problem.file, &problem.overrides()?)?;
    let model = Model::read(&document, &mut gathered)?;
    let oscillator = model.oscillator.build()?;
    Ok(Simulation { model, oscillator, gathered })
}

impl Simulation {
    fn path(&self) -> Result<Trajectory> {
        let (o, run) = (&self.oscillator, &self.model.run);
        let end = run.end.value;
        let path = match (run.scheme, &run.step) {
            (Scheme::Exact, _) => exact::solve(o, end),
            (Scheme::QuasiStatic, _) => quasi_static::solve(o, end),
            (Scheme::Euler, Some(step)) => euler::solve(o, end, step.value),
            (Scheme::Euler, None) => return Err(Fault::new("`run.step` is missing")),
        };
        Ok(path?)
    }

    fn steps(&self) -> Option<usize> {
        let step =
            self.model.run.step.as_ref().filter(|_| self.model.run.scheme == Scheme::Euler)?;
        euler::step_count(self.model.run.end.value, step.value).ok()
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
        let (scheme, warnings) = (self.model.run.scheme.name(), &self.gathered.warnings);
        let head = Head::of("simulate", &self.model, scheme, seconds, warnings);
        let summary = head.with(export::summary::motion(&path, &self.oscillator, self.steps()));

        let (this, path): (Rc<Self>, _) = (Rc::from(self), Rc::new(path));
        let trajectory = {
            let (this, path) = (this.clone(), path.clone());
            move |w: &mut dyn std::io::Write| {
                let bearing = this.model.oscillator.bearing_stiffness;
                export::trajectory::write(w, &this.oscillator, &path, this.model.run.rows, bearing)
            }
        };
        let events = {
            let path = path.clone();
            move |w: &mut dyn std::io::Write| export::events::write(w, path.events())
        };
        Ok(Product {
            summary,
            files: vec![("trajectory.csv", Box::new(trajectory)), ("events.csv", Box::new(events))],
            text: Box::new(move |w| {
                export::text::simulation(w, &this.model, &this.oscillator, &path)
            }),
        })
    }
}

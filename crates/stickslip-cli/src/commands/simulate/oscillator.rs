//! One motion of an oscillator.

use crate::commands::Job;
use crate::export::{self, Product, Writer, figures, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{Gathered, Model, Node, Scheme, Schemes};
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::scheme::stochastic::{self, PathId};
use stickslip::scheme::{euler, exact, quasi_static};
use stickslip::{Noise, NoisyOscillator, Oscillator, Place, Trajectory};

/// A model that is ready to be solved.
pub struct Simulation {
    /// The file with every default filled in.
    pub model: Model,
    /// What moves, without noise.
    pub oscillator: Oscillator,
    /// The noises on it.
    pub noises: Vec<(Place, Noise)>,
    /// Files read and remarks.
    pub gathered: Gathered,
}

/// Reads and checks the document of a model file.
pub fn read(document: &Node, mut gathered: Gathered) -> Result<Simulation> {
    let model = Model::read(document, &mut gathered)?;
    let (oscillator, noises) = (model.oscillator.build()?, model.oscillator.noises());
    let step = model.run.step.as_ref().map(|s| s.value);
    gathered
        .warnings
        .extend(step.iter().flat_map(|&h| noises.iter().filter_map(move |n| n.1.warning(h))));
    Ok(Simulation { model, oscillator, noises, gathered })
}

impl Simulation {
    /// What moves, noises included.
    pub fn noisy(&self) -> NoisyOscillator {
        NoisyOscillator { oscillator: self.oscillator.clone(), noises: self.noises.clone() }
    }

    /// Path 0 of the seed, its noises made known at every step.
    fn with_known_noise(mut self) -> Result<Self> {
        if self.noises.is_empty() {
            return Ok(self);
        }
        let run = &self.model.run;
        let Some(step) = &run.step else {
            return Err(Fault::new("`run.step` is missing; the path of a noise is made at every step")
                .help("add a line `step = 0.01` to [run], or give --step; halving it refines the same path"));
        };
        let id = PathId { seed: run.seed, path: 0 };
        self.oscillator = stochastic::refined(&self.noisy(), id, run.end.value, step.value)?;
        Ok(self)
    }

    /// The motion, without noise.
    pub fn path(&self) -> Result<Trajectory> {
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
        let this = self.with_known_noise()?;
        let path = this.path()?;
        let seconds = clock.elapsed().as_secs_f64();
        let (run, warnings) = (&this.model.run, &this.gathered.warnings);
        let how = (run.scheme.name(), run.seed);
        let head = Head::of("simulate", &this.model, how, seconds, warnings);
        let summary = head.with(export::summary::motion(&path, &this.oscillator, this.steps()));

        // Every exporter gets the solution, and nothing is written before all are asked to.
        let solved = Rc::new((this, path));
        let export = |write: fn(&mut dyn Write, &Self, &Trajectory) -> io::Result<()>| -> Writer {
            let solved = solved.clone();
            Box::new(move |w| write(w, &solved.0, &solved.1))
        };
        let files = vec![
            ("trajectory.csv", export(trajectory)),
            ("events.csv", export(|w, _, path| export::events::write(w, path.events()))),
            ("motion.svg", export(|w, s, path| figures::motion(w, &s.model, &s.oscillator, path))),
            ("planes.svg", export(|w, s, path| figures::planes(w, &s.model, &s.oscillator, path))),
        ];
        let text = export(|w, s, path| export::text::simulation(w, &s.model, &s.oscillator, path));
        Ok(Product { remarks: Vec::new(), summary, files, text })
    }
}

fn trajectory(w: &mut dyn Write, s: &Simulation, path: &Trajectory) -> io::Result<()> {
    let (rows, bearing) = (s.model.run.rows, s.model.oscillator.bearing_stiffness);
    export::trajectory::write(w, &s.oscillator, path, rows, bearing)
}

//! One motion of an oscillator.

use crate::commands::Job;
use crate::export::{self, Product, Writer, figures, summary::Head};
use crate::fault::{Result, warned};
use crate::file::{Gathered, Model, Node, Scheme, Schemes};
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::scheme::adaptive::{self, Options};
use stickslip::scheme::general_purpose::{self, Solver};
use stickslip::scheme::stochastic;
use stickslip::scheme::{euler, exact, quasi_static};
use stickslip::study::perturb::{Perturbation, perturb};
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
    /// ε of `--perturb`, N.
    pub epsilon: Option<f64>,
}

/// Reads and checks the document of a model file.
pub fn read(document: &Node, mut gathered: Gathered) -> Result<Simulation> {
    let model = Model::read(document, &mut gathered)?;
    let (oscillator, noises) = (model.oscillator.build()?, model.oscillator.noises());
    gathered.warnings.extend(model.run.coarse(noises.iter().map(|n| &n.1)));
    Ok(Simulation { model, oscillator, noises, gathered, epsilon: None })
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
        let (id, step) = self.model.run.path()?;
        self.oscillator = stochastic::refined(&self.noisy(), id, self.model.run.end.value, step)?;
        Ok(self)
    }

    /// To be solved with the force ± `epsilon` (N) too.
    pub fn perturbed_by(self, epsilon: Option<f64>) -> Self {
        Self { epsilon, ..self }
    }

    /// Solves `o` as the model's `[run]` asks.
    pub fn path(&self, o: &Oscillator) -> Result<Trajectory, stickslip::Error> {
        let run = &self.model.run;
        let end = run.end.value;
        if let (Some(solve), Some(step)) = (run.scheme.stepper(), &run.step) {
            return solve(o, end, step.value);
        }
        // What MATLAB's solvers begin with.
        let (rtol, atol) = (run.rtol.unwrap_or(1e-3), run.atol.unwrap_or(1e-6));
        match run.scheme {
            Scheme::QuasiStatic => quasi_static::solve(o, end),
            Scheme::Adaptive => adaptive::solve(o, end, self.options()),
            Scheme::SignRk23 => general_purpose::solve(o, end, Solver::Rk23, rtol, atol),
            Scheme::SignRk45 => general_purpose::solve(o, end, Solver::Rk45, rtol, atol),
            // The stepping schemes are refused without a step when the file is read.
            _ => exact::solve(o, end),
        }
    }

    /// Tolerances of `adaptive`.
    pub fn options(&self) -> Options {
        let (run, usual) = (&self.model.run, Options::default());
        let rtol = run.rtol.unwrap_or(usual.rtol);
        Options { rtol, atol: run.atol.unwrap_or(1e-3 * rtol), ..usual }
    }

    fn steps(&self) -> Option<usize> {
        let run = &self.model.run;
        let step = run.step.as_ref().filter(|_| run.scheme.stepper().is_some())?;
        euler::step_count(run.end.value, step.value).ok()
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
        let path = this.path(&this.oscillator)?;
        let seconds = clock.elapsed().as_secs_f64();
        let perturbed =
            this.epsilon.map(|e| perturb(&this.oscillator, e, |o| this.path(o))).transpose()?;
        let mut remarks: Vec<String> = path.warnings().iter().map(warned).collect();
        if let Some(Perturbation { epsilon, parts: Some(t), .. }) = &perturbed {
            remarks.push(format!(
                "with the force ± {epsilon:?} N the paths part at t = {t:?} s, and a smaller perturbation does not bring them \
                 together: the solution does not depend continuously on the force there"
            ));
        }
        let warnings: Vec<String> =
            this.gathered.warnings.iter().chain(&remarks).cloned().collect();
        let run = &this.model.run;
        let how = (run.scheme.name(), run.seed);
        let head = Head::of("simulate", &this.model, how, seconds, &warnings);
        let mut summary = head.with(export::summary::motion(&path, &this.oscillator, this.steps()));
        if let (Some(p), Some(all)) = (&perturbed, summary.as_object_mut()) {
            let found = json!({
                "epsilon": p.epsilon, "distance": p.distance, "distance_at_epsilon_16": p.closer,
                "continuous": p.parts.is_none(), "parts_at": p.parts,
            });
            all.insert("perturbation".to_owned(), found);
        }

        // Every exporter gets the solution, and nothing is written before all are asked to.
        let with_perturbation = perturbed.is_some();
        let solved = Rc::new((this, path, perturbed));
        let export = |write: fn(&mut dyn Write, &Self, &Trajectory) -> io::Result<()>| -> Writer {
            let solved = solved.clone();
            Box::new(move |w| write(w, &solved.0, &solved.1))
        };
        let mut files = vec![
            ("trajectory.csv", export(trajectory)),
            (
                "events.csv",
                export(|w, s, path| export::events::write(w, &s.oscillator, path.events())),
            ),
            ("motion.svg", export(|w, s, path| figures::motion(w, &s.model, &s.oscillator, path))),
            ("planes.svg", export(|w, s, path| figures::planes(w, &s.model, &s.oscillator, path))),
        ];
        if with_perturbation {
            let (table, figure) = (solved.clone(), solved.clone());
            files.push((
                "perturbation.csv",
                Box::new(move |w| export::perturbation::write(w, &table.1, table.2.as_ref())),
            ));
            files.push((
                "perturbation.svg",
                Box::new(move |w| {
                    export::perturbation::figure(w, &figure.0.model, figure.2.as_ref())
                }),
            ));
        }
        let text = Box::new(move |w: &mut dyn Write| {
            export::text::simulation(w, &solved.0.model, &solved.0.oscillator, &solved.1)?;
            solved.2.as_ref().map_or(Ok(()), |p| export::perturbation::text(w, p))
        });
        Ok(Product { remarks, summary, files, text })
    }
}

fn trajectory(w: &mut dyn Write, s: &Simulation, path: &Trajectory) -> io::Result<()> {
    let (rows, bearing) = (s.model.run.rows, s.model.oscillator.bearing_stiffness);
    export::trajectory::write(w, &s.oscillator, path, rows, bearing)
}

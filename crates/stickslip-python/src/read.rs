//! From a document to a checked problem and its scheme.

use crate::errors::Failure;
use stickslip::scheme::adaptive::Options;
use stickslip::{Model, NoiseOn, PathId, Problem, Scheme, Solution};
use stickslip_file::model::{
    CascadeModel, CascadeScheme, CornerModel, ImpactModel, ImpactScheme, Kind, NetworkModel,
    NetworkScheme, Run, SchatzmanModel, Scheme as OscillatorScheme, Schemes,
};
use stickslip_file::{Diagnostic, Document, Gathered, Override, Reading, Value};

/// A checked problem and how it is solved.
pub struct Read {
    /// What is to be solved.
    pub problem: Problem,
    /// How.
    pub scheme: Scheme,
    /// Seed of the noises.
    pub seed: u64,
    /// Step at which noises are made known, s.
    pub step: Option<f64>,
    /// K_BP of an oscillator, N/m.
    pub bearing_stiffness: Option<f64>,
    /// What users should know.
    pub warnings: Vec<String>,
}

/// A bearing between the mass and the ground.
pub struct Bearing<'a> {
    oscillator: &'a stickslip::Oscillator,
    stiffness: f64,
}

impl Bearing<'_> {
    /// z = x + K (d − x)/K_BP at `t`, m.
    pub fn displacement(&self, t: f64, x: f64) -> f64 {
        x + self.oscillator.stiffness * (self.oscillator.drive.value(t) - x) / self.stiffness
    }
}

impl Read {
    /// The bearing, if its stiffness is known.
    pub fn bearing(&self) -> Option<Bearing<'_>> {
        match (&self.problem.model, self.bearing_stiffness) {
            (Model::Oscillator(oscillator), Some(stiffness)) => {
                Some(Bearing { oscillator, stiffness })
            }
            _ => None,
        }
    }

    /// Solves it; of a noisy problem path 0 of the seed.
    pub fn solve(&self) -> Result<Solution, Failure> {
        if self.problem.noises.is_empty() {
            return Ok(stickslip::solve(&self.problem, &self.scheme)?);
        }
        let step = self.step.ok_or_else(|| {
            Diagnostic::new("`run.step` is missing; the path of a noise is made at every step")
                .help("add a line `step = 0.01` to [run]")
        })?;
        let id = PathId { seed: self.seed, path: 0 };
        Ok(stickslip::solve(&self.problem.known(id, step)?, &self.scheme)?)
    }
}

/// Checks a document's model, whatever stands in its `[run]`.
pub fn check(document: &Document, reading: &Reading) -> Result<(), Failure> {
    let kind = Kind::of(document.root())?;
    let mut document = document.clone();
    if !matches!(kind, Kind::Corner | Kind::Schatzman) {
        // Any end that every signal covers.
        let end = Value::Number { number: f64::MIN_POSITIVE, whole: None };
        let entry = Override::option("", "", ("run", "end"), end);
        document = replaced_run(&document, &entry)?;
    }
    let mut gathered = Gathered::new(reading, &document);
    let root = document.root();
    match kind {
        Kind::Corner => CornerModel::read(root).map(drop)?,
        Kind::Schatzman => SchatzmanModel::read(root).map(drop)?,
        Kind::Oscillator => {
            stickslip_file::model::Model::read(root, &mut gathered)?
                .oscillator
                .build()
                .map(drop)?;
        }
        Kind::Cascade => CascadeModel::read(root, &mut gathered).map(drop)?,
        Kind::Network => NetworkModel::read(root, &mut gathered).map(drop)?,
        Kind::Impact => ImpactModel::read(root, &mut gathered)?.impact.build().map(drop)?,
    }
    Ok(())
}

/// The document with a `[run]` that holds nothing but the end.
fn replaced_run(document: &Document, end: &Override) -> Result<Document, Diagnostic> {
    let mut document = document.clone();
    let empty = Override::of("", "run", Value::Table(Vec::new()))?;
    document.apply(&empty)?;
    document.apply(end)?;
    Ok(document)
}

/// Reads a document.
pub fn read(document: &Document, reading: &Reading) -> Result<Read, Failure> {
    let mut gathered = Gathered::new(reading, document);
    let root = document.root();
    let mut read = match Kind::of(root)? {
        Kind::Oscillator => {
            let file = stickslip_file::model::Model::read(root, &mut gathered)?;
            let noises = file.oscillator.noises();
            let noises: Vec<_> =
                noises.into_iter().map(|(place, noise)| NoiseOn { place, noise }).collect();
            gathered.warnings.extend(file.run.coarse(noises.iter().map(|n| &n.noise)));
            let model = file.oscillator.build()?;
            let bearing = file.oscillator.bearing_stiffness;
            let read = made(Model::from(model), noises, &file.run, oscillator(&file.run)?);
            Read { bearing_stiffness: bearing, ..read }
        }
        Kind::Cascade => {
            let (file, noisy) = CascadeModel::read(root, &mut gathered)?;
            let on = |noise| NoiseOn { place: stickslip::Place::Force, noise };
            let noises = noisy.noises.into_iter().map(on).collect();
            let step = step_of(&file.run);
            let scheme = match file.run.scheme {
                CascadeScheme::Exact => Scheme::Exact,
                CascadeScheme::ImplicitEuler => Scheme::ImplicitEuler { step: step? },
                CascadeScheme::Hysteresis => Scheme::Hysteresis { step: step? },
                CascadeScheme::QuasiStatic => Scheme::QuasiStatic,
            };
            made(Model::from(noisy.cascade), noises, &file.run, scheme)
        }
        Kind::Network => {
            let (file, noisy) = NetworkModel::read(root, &mut gathered)?;
            let on = |(node, noise)| NoiseOn { place: stickslip::Place::Node(node), noise };
            let noises = noisy.noises.into_iter().map(on).collect();
            let step = step_of(&file.run);
            let scheme = match file.run.scheme {
                NetworkScheme::ImplicitEuler => Scheme::ImplicitEuler { step: step? },
                NetworkScheme::Theta => Scheme::Theta { step: step?, theta: 0.5 },
                NetworkScheme::Exact => Scheme::Exact,
                NetworkScheme::SignEuler => Scheme::SignEuler { step: step? },
            };
            made(Model::from(noisy.network), noises, &file.run, scheme)
        }
        Kind::Impact => {
            let file = ImpactModel::read(root, &mut gathered)?;
            let scheme = match file.run.scheme {
                ImpactScheme::Exact => Scheme::Exact,
                ImpactScheme::Moreau => Scheme::Moreau { step: step_of(&file.run)? },
                soft => Scheme::Penalised(file.impact.penalty(soft)?),
            };
            made(Model::from(file.impact.build()?), Vec::new(), &file.run, scheme)
        }
        Kind::Corner | Kind::Schatzman => {
            return Err(Diagnostic::new("this problem has several solutions and no run").into());
        }
    };
    read.problem.check()?;
    read.warnings = gathered.warnings;
    Ok(read)
}

fn made<T: Schemes>(model: Model, noises: Vec<NoiseOn>, run: &Run<T>, scheme: Scheme) -> Read {
    Read {
        problem: Problem { model, noises, end: run.end.value },
        scheme,
        seed: run.seed,
        step: run.step.as_ref().map(|s| s.value),
        bearing_stiffness: None,
        warnings: Vec::new(),
    }
}

fn step_of<T: Schemes>(run: &Run<T>) -> Result<f64, Failure> {
    let missing = || {
        Diagnostic::new(format!(
            "`run.step` is missing; the scheme `{}` needs a step > 0, in s",
            run.scheme.name()
        ))
        .help("add a line `step = 0.01` to [run]")
    };
    Ok(run.step.as_ref().ok_or_else(missing)?.value)
}

fn oscillator(run: &Run<OscillatorScheme>) -> Result<Scheme, Failure> {
    use OscillatorScheme as S;
    Ok(match run.scheme {
        S::Exact => Scheme::Exact,
        S::Adaptive => {
            let usual = Options::default();
            let rtol = run.rtol.unwrap_or(usual.rtol);
            Scheme::Adaptive(Options { rtol, atol: run.atol.unwrap_or(1e-3 * rtol), ..usual })
        }
        S::Euler => Scheme::Euler { step: step_of(run)? },
        S::ImplicitEuler => Scheme::ImplicitEuler { step: step_of(run)? },
        S::QuasiStatic => Scheme::QuasiStatic,
        S::SignEuler => Scheme::SignEuler { step: step_of(run)? },
        S::SignImplicit => Scheme::SignImplicit { step: step_of(run)? },
        S::SignRk23 | S::SignRk45 => {
            return Err(Diagnostic::new(format!(
                "the scheme `{}` is there for comparison in the command line only",
                run.scheme.name()
            ))
            .into());
        }
    })
}

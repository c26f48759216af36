//! What a run is given: a document and where the files that it names come from.

use serde::Serialize;
use serde_json::Value;
use stickslip::scheme::adaptive::Options;
use stickslip::scheme::general_purpose::Solver;
use stickslip::scheme::stochastic::Subject;
use stickslip::{
    Error, NoiseOn, NoisyCascade, NoisyNetwork, NoisyOscillator, Oscillator, PathId, Place,
    Problem, Scheme, Trajectory, solve,
};
use stickslip_file::model::{
    self as file, CascadeModel, CascadeScheme, ImpactModel, ImpactScheme, Kind, NetworkModel,
    NetworkScheme, Rows, Run, Schemes,
};
use stickslip_file::{Diagnostic, Document, Gathered, Reading, Remedy, Result};

/// A model file or fit file, parsed but not yet read, and where the files that it names come from.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The file.
    pub document: &'a Document,
    /// Where other files come from.
    pub reading: &'a Reading,
}

impl<'a> Input<'a> {
    /// This document.
    pub fn new(document: &'a Document, reading: &'a Reading) -> Self {
        Self { document, reading }
    }

    /// What is gathered while it is read: nothing yet.
    pub(crate) fn gathered(&self) -> Gathered {
        Gathered::new(self.reading, self.document)
    }
}

/// A model that has been read: a problem, how it is to be solved, and what else the file says.
#[derive(Debug, Clone)]
pub struct Model {
    /// The file with every default filled in.
    pub file: Value,
    /// Heading of figures; empty where there is none.
    pub title: String,
    /// What moves, its noises included.
    pub problem: Problem,
    /// How.
    pub scheme: Scheme,
    /// Rows of the trajectory.
    pub rows: Rows,
    /// Whether the file gives them.
    pub rows_given: bool,
    /// h, s, if the file gives it.
    pub step: Option<f64>,
    /// Seed of whatever is random.
    pub seed: u64,
    /// Tolerances of the adaptive scheme.
    pub tolerances: Options,
    /// K_BP of an oscillator, N/m.
    pub bearing_stiffness: Option<f64>,
    /// Files read and warnings.
    pub gathered: Gathered,
}

impl Model {
    /// Reads and checks a model file of any kind that has one motion.
    ///
    /// # Errors
    /// Where the file, or one that it names, is wrong; where the problem has several solutions.
    pub fn read(input: &Input<'_>) -> Result<Self> {
        match Kind::of(input.document.root())? {
            Kind::Oscillator => Self::oscillator(input),
            Kind::Cascade => Self::cascade(input),
            Kind::Network => Self::network(input),
            Kind::Impact => Self::impact(input),
            Kind::Corner | Kind::Schatzman => Err(Diagnostic::new(
                "this problem has more than one solution, so there is no single motion",
            )
            .with_remedy(Remedy::Solutions)),
        }
    }

    fn oscillator(input: &Input<'_>) -> Result<Self> {
        let mut gathered = input.gathered();
        let model = file::Model::read(input.document.root(), &mut gathered)?;
        let mut problem = Problem::new(model.oscillator.build()?, model.run.end.value);
        for (place, noise) in model.oscillator.noises() {
            problem = problem.with_noise(place, noise);
        }
        gathered.warnings.extend(model.run.coarse(problem.noises.iter().map(|n| &n.noise)));
        let usual = Options::default();
        let rtol = model.run.rtol.unwrap_or(usual.rtol);
        let tolerances = Options { rtol, atol: model.run.atol.unwrap_or(1e-3 * rtol), ..usual };
        let step = model.run.step.as_ref().map_or(f64::NAN, |s| s.value);
        // What MATLAB's solvers begin with.
        let (rtol, atol) = (model.run.rtol.unwrap_or(1e-3), model.run.atol.unwrap_or(1e-6));
        let scheme = match model.run.scheme {
            file::Scheme::Exact => Scheme::Exact,
            file::Scheme::Adaptive => Scheme::Adaptive(tolerances),
            file::Scheme::Euler => Scheme::Euler { step },
            file::Scheme::ImplicitEuler => Scheme::ImplicitEuler { step },
            file::Scheme::QuasiStatic => Scheme::QuasiStatic,
            file::Scheme::SignEuler => Scheme::SignEuler { step },
            file::Scheme::SignImplicit => Scheme::SignImplicit { step },
            file::Scheme::SignRk23 => Scheme::GeneralPurpose { solver: Solver::Rk23, rtol, atol },
            file::Scheme::SignRk45 => Scheme::GeneralPurpose { solver: Solver::Rk45, rtol, atol },
        };
        let bearing_stiffness = model.oscillator.bearing_stiffness;
        let this = Self::of(input, &model, (&model.title, &model.run), (problem, scheme));
        Ok(Self { tolerances, bearing_stiffness, gathered, ..this })
    }

    fn cascade(input: &Input<'_>) -> Result<Self> {
        let mut gathered = input.gathered();
        let (model, noisy) = CascadeModel::read(input.document.root(), &mut gathered)?;
        let mut problem = Problem::new(noisy.cascade, model.run.end.value);
        for noise in noisy.noises {
            problem = problem.with_noise(Place::Force, noise);
        }
        let step = model.run.step.as_ref().map_or(f64::NAN, |s| s.value);
        let scheme = match model.run.scheme {
            CascadeScheme::Exact => Scheme::Exact,
            CascadeScheme::ImplicitEuler => Scheme::ImplicitEuler { step },
            CascadeScheme::Hysteresis => Scheme::Hysteresis { step },
            CascadeScheme::QuasiStatic => Scheme::QuasiStatic,
        };
        let this = Self::of(input, &model, (&model.title, &model.run), (problem, scheme));
        Ok(Self { gathered, ..this })
    }

    fn network(input: &Input<'_>) -> Result<Self> {
        let mut gathered = input.gathered();
        let (model, noisy) = NetworkModel::read(input.document.root(), &mut gathered)?;
        let mut problem = Problem::new(noisy.network, model.run.end.value);
        for (node, noise) in noisy.noises {
            problem = problem.with_noise(Place::Node(node), noise);
        }
        let step = model.run.step.as_ref().map_or(f64::NAN, |s| s.value);
        let scheme = match model.run.scheme {
            NetworkScheme::Exact => Scheme::Exact,
            NetworkScheme::ImplicitEuler => Scheme::ImplicitEuler { step },
            NetworkScheme::Theta => Scheme::Theta { step, theta: 0.5 },
            NetworkScheme::SignEuler => Scheme::SignEuler { step },
        };
        let this = Self::of(input, &model, (&model.title, &model.run), (problem, scheme));
        Ok(Self { gathered, ..this })
    }

    fn impact(input: &Input<'_>) -> Result<Self> {
        let mut gathered = input.gathered();
        let model = ImpactModel::read(input.document.root(), &mut gathered)?;
        let problem = Problem::new(model.impact.build()?, model.run.end.value);
        let step = model.run.step.as_ref().map_or(f64::NAN, |s| s.value);
        let scheme = match model.run.scheme {
            ImpactScheme::Exact => Scheme::Exact,
            ImpactScheme::Moreau => Scheme::Moreau { step },
            soft => Scheme::Penalised(model.impact.penalty(soft)?),
        };
        let this = Self::of(input, &model, (&model.title, &model.run), (problem, scheme));
        Ok(Self { gathered, ..this })
    }

    fn of<T: Schemes>(
        input: &Input<'_>,
        file: &impl Serialize,
        (title, run): (&Option<String>, &Run<T>),
        (problem, scheme): (Problem, Scheme),
    ) -> Self {
        let rows = input.document.root().get("run").and_then(|r| r.node.get("rows"));
        Self {
            file: serde_json::to_value(file).unwrap_or_default(),
            title: title.clone().unwrap_or_default(),
            problem,
            scheme,
            rows: run.rows,
            rows_given: rows.is_some(),
            step: run.step.as_ref().map(|s| s.value),
            seed: run.seed,
            tolerances: Options::default(),
            bearing_stiffness: None,
            gathered: input.gathered(),
        }
    }

    /// The step, which a path with noise needs.
    ///
    /// # Errors
    /// Where the file gives none.
    pub fn needed_step(&self) -> Result<f64> {
        self.step.ok_or_else(|| {
            Diagnostic::new("`run.step` is missing; paths with noise advance in steps, in s")
                .help("add a line `step = 0.01` to [run]")
                .with_remedy(Remedy::Option("step"))
        })
    }

    /// The problem with the noises of path 0 known at every step.
    ///
    /// # Errors
    /// Where there is noise and no step.
    pub fn known(&self) -> Result<Problem> {
        if self.problem.noises.is_empty() {
            return Ok(self.problem.clone());
        }
        let path = PathId { seed: self.seed, path: 0 };
        Ok(self.problem.known(path, self.needed_step()?)?)
    }

    /// What moves under noise, as ensembles take it.
    ///
    /// # Errors
    /// For kinds of model without ensembles.
    pub fn subject(&self) -> Result<Subject> {
        let noises = || self.problem.noises.iter();
        Ok(match &self.problem.model {
            stickslip::Model::Oscillator(o) => Subject::from(NoisyOscillator {
                oscillator: o.clone(),
                noises: noises().map(|n| (n.place, n.noise)).collect(),
            }),
            stickslip::Model::Cascade(c) => Subject::from(NoisyCascade {
                cascade: c.clone(),
                noises: noises().map(|n| n.noise).collect(),
            }),
            stickslip::Model::Network(n) => {
                let on = |n: &NoiseOn| match n.place {
                    Place::Node(node) => (node, n.noise),
                    _ => (0, n.noise),
                };
                Subject::from(NoisyNetwork {
                    network: n.clone(),
                    noises: noises().map(on).collect(),
                })
            }
            _ => {
                return Err(Diagnostic::new(
                    "ensembles are supported for [oscillator], [cascade] and [network] models only",
                )
                .with_remedy(Remedy::Simulate));
            }
        })
    }

    /// The oscillator, if it is one.
    ///
    /// # Errors
    /// If it is another kind of model.
    pub fn moves(&self) -> Result<&Oscillator> {
        match &self.problem.model {
            stickslip::Model::Oscillator(o) => Ok(o),
            _ => Err(Diagnostic::new("expected an [oscillator]")),
        }
    }

    /// An oscillator, to be solved as the file's.
    ///
    /// # Errors
    /// Where the scheme cannot solve it.
    pub fn path(&self, o: &Oscillator) -> Result<Trajectory, Error> {
        let problem = Problem::new(o.clone(), self.problem.end);
        let solution = solve(&problem, &self.scheme)?;
        Ok(solution.oscillator().cloned().unwrap_or_default())
    }
}

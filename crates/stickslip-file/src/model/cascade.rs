//! `[cascade]`: one mass held by springs and dry-friction elements in a row.

use super::run::{Run, Schemes};
use super::signal::{self, Signal};
use crate::diagnostic::Result;
use crate::node::Node;
use crate::reader::{Table, any, not_negative, positive};
use crate::reading::Gathered;
use serde::Serialize;
use stickslip::{Place, Problem};

/// How a cascade is advanced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Closed-form arcs between yields and turning points.
    Exact,
    /// Projection on the box of thresholds in every step.
    ImplicitEuler,
    /// The same steps by clamps.
    Hysteresis,
    /// Without inertia.
    QuasiStatic,
}

impl Schemes for Scheme {
    const ALL: &'static [(&'static str, Self)] = &[
        ("exact", Self::Exact),
        ("implicit-euler", Self::ImplicitEuler),
        ("hysteresis", Self::Hysteresis),
        ("quasi-static", Self::QuasiStatic),
    ];

    fn steps(self) -> bool {
        matches!(self, Self::ImplicitEuler | Self::Hysteresis)
    }
}

#[derive(Debug, Clone, Copy, Serialize)]
struct Initial {
    displacement: f64,
    velocity: f64,
}

/// A cascade, as written in a file.
#[derive(Debug, Clone, Serialize)]
pub struct Cascade {
    mass: f64,
    stiffness: Vec<f64>,
    threshold: Vec<f64>,
    /// W(0), N.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    prestress: Vec<f64>,
    force: Vec<Signal>,
    /// x(t) of the mass, for the quasi-static scheme.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    displacement: Vec<Signal>,
    initial: Initial,
}

/// A cascade's file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct CascadeModel {
    /// Heading of figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What moves.
    pub cascade: Cascade,
    /// How it is advanced.
    pub run: Run<Scheme>,
}

const KEYS: [&str; 7] =
    ["mass", "stiffness", "threshold", "prestress", "force", "displacement", "initial"];

impl CascadeModel {
    /// Reads a document; the series it names are read too. With it comes the library's cascade with
    /// its noises.
    pub fn read(document: &Node, gathered: &mut Gathered) -> Result<(Self, Problem)> {
        let root = Table::root(document, &["title", "cascade", "run"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let run: Run<Scheme> = Run::read(&root)?;
        let (cascade, built) = Cascade::read(&root, gathered)?;
        for signal in cascade.signals() {
            signal.check_covers(&run.end)?;
        }
        let noises: Vec<_> = cascade.noises().collect();
        gathered.warnings.extend(run.coarse(noises.iter()));
        let noisy = |p: Problem, noise| p.with_noise(Place::Force, noise);
        let problem = noises.into_iter().fold(Problem::new(built, run.end.value), noisy);
        Ok((Self { title, cascade, run }, problem))
    }
}

impl CascadeModel {
    /// The cascade under path 0 of the seed.
    pub fn known(&self, noisy: Problem) -> Result<Problem> {
        if noisy.noises.is_empty() {
            return Ok(noisy);
        }
        let (id, step) = self.run.path()?;
        Ok(noisy.known(id, step)?)
    }
}

impl Cascade {
    /// Reads `[cascade]`; with it comes the library's cascade, without noises.
    pub fn read(root: &Table<'_>, gathered: &mut Gathered) -> Result<(Self, stickslip::Cascade)> {
        let t = root.table("cascade", &KEYS)?;
        let initial = match t.table_opt("initial", &["displacement", "velocity"])? {
            None => Initial { displacement: 0.0, velocity: 0.0 },
            Some(t) => Initial {
                displacement: t.number_or("displacement", any("m"), 0.0)?,
                velocity: t.number_or("velocity", any("m/s"), 0.0)?,
            },
        };
        let prestress =
            if t.has("prestress") { t.numbers("prestress", any("N"))? } else { Vec::new() };
        let cascade = Self {
            mass: t.number("mass", positive("kg"))?,
            stiffness: t.numbers("stiffness", positive("N/m"))?,
            threshold: t.numbers("threshold", not_negative("N"))?,
            prestress,
            force: signal::read_noisy(&t, "force", "N", gathered)?,
            displacement: signal::read(&t, "displacement", "m", gathered)?,
            initial,
        };
        let built = cascade.build()?;
        // Lengths and the box belong to the table as a whole.
        built.check().map_err(|e| {
            t.fault(format!("`cascade`: {e}"))
                .help("compare stiffness k0 … kn with threshold alpha1 … alphan")
        })?;
        Ok((cascade, built))
    }

    /// Every signal of the model.
    pub fn signals(&self) -> impl Iterator<Item = &Signal> {
        self.force.iter().chain(&self.displacement)
    }

    /// The noises on the force.
    pub fn noises(&self) -> impl Iterator<Item = stickslip::Noise> + '_ {
        signal::noises(&self.force)
    }

    /// The library's cascade, without noises.
    fn build(&self) -> Result<stickslip::Cascade> {
        let (x, v) = (self.initial.displacement, self.initial.velocity);
        let cascade =
            stickslip::Cascade::new(self.mass, self.stiffness.clone(), self.threshold.clone())
                .with_prestress(self.prestress.clone())
                .with_force(signal::sum(&self.force)?)
                .starting_at(x, v);
        Ok(match self.displacement.is_empty() {
            true => cascade,
            false => cascade.with_displacement(signal::sum(&self.displacement)?),
        })
    }
}

//! `[run]`: how long, by which scheme, with which output.

use super::reader::{Placed, Table, positive};
use crate::fault::{Fault, Result};
use serde::{Serialize, Serializer};
use stickslip::scheme::{euler, implicit_euler, naive};
use stickslip::study::convergence::Stepper;

const KEYS: [&str; 7] = ["end", "scheme", "step", "rtol", "atol", "rows", "seed"];

/// The most steps or rows of one run: their states must fit into memory.
pub const MOST_STEPS: f64 = 1e8;

/// How the motion is advanced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Closed-form arcs between certified events.
    Exact,
    /// Runge–Kutta arcs to a tolerance, events on their dense output.
    Adaptive,
    /// The Euler scheme of the extended variational inequality.
    Euler,
    /// Implicit Euler for the inclusion.
    ImplicitEuler,
    /// Jumps of a slowly driven spring.
    QuasiStatic,
    /// Explicit Euler with the usual sign: oscillates.
    SignEuler,
    /// Implicit Euler with the usual sign: soon without a solution.
    SignImplicit,
    /// A general-purpose Runge–Kutta 3(2) with the usual sign.
    #[serde(rename = "sign-rk23")]
    SignRk23,
    /// A general-purpose Runge–Kutta 5(4) with the usual sign.
    #[serde(rename = "sign-rk45")]
    SignRk45,
}

/// Every scheme by its name in files.
pub const SCHEMES: [(&str, Scheme); 9] = [
    ("exact", Scheme::Exact),
    ("adaptive", Scheme::Adaptive),
    ("euler", Scheme::Euler),
    ("implicit-euler", Scheme::ImplicitEuler),
    ("quasi-static", Scheme::QuasiStatic),
    ("sign-euler", Scheme::SignEuler),
    ("sign-implicit", Scheme::SignImplicit),
    ("sign-rk23", Scheme::SignRk23),
    ("sign-rk45", Scheme::SignRk45),
];

impl Scheme {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        SCHEMES.iter().find(|s| s.1 == self).map_or("", |s| s.0)
    }

    /// The scheme as a function of the step, if it has one.
    pub fn stepper(self) -> Option<Stepper> {
        Some(match self {
            Self::Euler => euler::solve,
            Self::ImplicitEuler => implicit_euler::solve,
            Self::SignEuler => naive::sign_euler,
            Self::SignImplicit => naive::sign_implicit,
            _ => return None,
        })
    }
}

/// Rows of `trajectory.csv`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rows {
    /// So many, equally spaced.
    Count(usize),
    /// One for every step of the scheme.
    Steps,
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(n) => s.serialize_u64(*n as u64),
            Self::Steps => s.serialize_str("steps"),
        }
    }
}

fn value<S: Serializer>(placed: &Placed<f64>, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_f64(placed.value)
}

fn value_opt<S: Serializer>(placed: &Option<Placed<f64>>, s: S) -> Result<S::Ok, S::Error> {
    placed.as_ref().map(|p| p.value).serialize(s)
}

/// How long, by which scheme, with which output.
#[derive(Debug, Clone, Serialize)]
pub struct Run {
    /// Last instant, s; the first is 0.
    #[serde(serialize_with = "value")]
    pub end: Placed<f64>,
    /// How the motion is advanced.
    pub scheme: Scheme,
    /// h, s.
    #[serde(serialize_with = "value_opt")]
    pub step: Option<Placed<f64>>,
    /// Relative and absolute tolerance of the adaptive schemes; without them each takes its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtol: Option<f64>,
    /// See `rtol`; m and m/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atol: Option<f64>,
    /// Rows of `trajectory.csv`.
    pub rows: Rows,
    /// Seed of whatever is random.
    pub seed: u64,
}

impl Run {
    /// Reads `[run]`.
    pub fn read(root: &Table<'_>) -> Result<Self> {
        let t = root.table("run", &KEYS)?;
        let expected = "a finite number > 0, in s";
        let end = t.number_opt("end", positive("s"))?.ok_or_else(|| t.missing("end", expected))?;
        let step = t.number_opt("step", positive("s"))?;
        let scheme = t.choice("scheme", "scheme", &SCHEMES)?;
        let rows = match t.whole_or_word("rows", "steps", 2, MOST_STEPS as u64)? {
            None => Rows::Count(2001),
            Some(None) => Rows::Steps,
            Some(Some(n)) => Rows::Count(n as usize),
        };
        let seed = t.whole_or("seed", 0, 1)?;
        let rtol = t.number_opt("rtol", positive(""))?.map(|n| n.value);
        let atol = t.number_opt("atol", positive("m and m/s"))?.map(|n| n.value);
        if let Some(step) = &step {
            check_step(step, end.value)?;
        } else if let Some(s) = scheme.as_ref().filter(|s| s.value.stepper().is_some()) {
            let name = s.value.name();
            return Err(Fault::at(
                &s.place,
                format!("`run.step` is missing; the scheme `{name}` needs a step > 0, in s"),
            )
            .help("add a line `step = 0.01` to [run], or give --step"));
        }
        let scheme = scheme.map_or(Scheme::Exact, |s| s.value);
        Ok(Self { end, scheme, step, rtol, atol, rows, seed })
    }
}

fn check_step(step: &Placed<f64>, end: f64) -> Result<()> {
    let (h, steps) = (step.value, end / step.value);
    if steps > MOST_STEPS {
        return Err(Fault::at(
            &step.place,
            format!(
                "`run.step` is {h:?} s: {steps:.3e} steps until {end:?} s; expected at \
                 most {MOST_STEPS:e}"
            ),
        )
        .help("take a larger step or a shorter run"));
    }
    if h > end {
        return Err(Fault::at(
            &step.place,
            format!("`run.step` is {h:?} s, longer than the run of {end:?} s"),
        )
        .help("take a step well below `run.end`"));
    }
    Ok(())
}

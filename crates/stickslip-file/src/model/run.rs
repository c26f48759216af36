//! `[run]`: how long, by which scheme, with which output.

use crate::diagnostic::{Diagnostic, Remedy, Result};
use crate::place::Placed;
use crate::reader::{Table, positive};
use serde::{Serialize, Serializer};
use stickslip::scheme::stochastic::PathId;

const KEYS: [&str; 7] = ["end", "scheme", "step", "rows", "seed", "rtol", "atol"];

/// The most steps or rows of one run: their states must fit into memory.
pub const MOST_STEPS: f64 = 1e8;

/// The schemes of one kind of model.
pub trait Schemes: Copy + PartialEq + 'static {
    /// Every scheme by its name in files; the first is the default.
    const ALL: &'static [(&'static str, Self)];

    /// Whether `run` may hold `rtol` and `atol`.
    const TOLERANCES: bool = false;

    /// Whether it needs `run.step`.
    fn steps(self) -> bool;

    /// Its name in files.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|s| s.1 == self).map_or("", |s| s.0)
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

fn scheme_name<T: Schemes, S: Serializer>(scheme: &T, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(scheme.name())
}

/// How long, by which scheme, with which output.
#[derive(Debug, Clone, Serialize)]
pub struct Run<T: Schemes> {
    /// Last instant, s; the first is 0.
    #[serde(serialize_with = "value")]
    pub end: Placed<f64>,
    /// How the motion is advanced.
    #[serde(serialize_with = "scheme_name")]
    pub scheme: T,
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

impl<T: Schemes> Run<T> {
    /// Reads `[run]`.
    pub fn read(root: &Table<'_>) -> Result<Self> {
        let t = root.table("run", if T::TOLERANCES { &KEYS } else { &KEYS[..5] })?;
        let expected = "a finite number > 0, in s";
        let end = t.number_opt("end", positive("s"))?.ok_or_else(|| t.missing("end", expected))?;
        let step = t.number_opt("step", positive("s"))?;
        let scheme = t.choice("scheme", "scheme", T::ALL)?;
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
        } else if let Some(s) = scheme.as_ref().filter(|s| s.value.steps()) {
            return Err(Diagnostic::at(
                &s.place,
                format!(
                    "`run.step` is missing; the scheme `{}` needs a step > 0, in s",
                    s.value.name()
                ),
            )
            .help("add a line `step = 0.01` to [run]")
            .with_remedy(Remedy::Option("step")));
        }
        let scheme = scheme.map_or(T::ALL[0].1, |s| s.value);
        Ok(Self { end, scheme, step, rtol, atol, rows, seed })
    }
}

impl<T: Schemes> Run<T> {
    /// Path 0 of the seed and the step at which its noises are made known.
    pub fn path(&self) -> Result<(PathId, f64)> {
        let step = self.step.as_ref().ok_or_else(|| {
            Diagnostic::new("`run.step` is missing; the path of a noise is made at every step")
                .help("add a line `step = 0.01` to [run]")
                .with_remedy(Remedy::Option("step"))
        })?;
        Ok((PathId { seed: self.seed, path: 0 }, step.value))
    }

    /// What the step is too coarse for among `noises`.
    pub fn coarse<'a>(
        &self,
        noises: impl Iterator<Item = &'a stickslip::Noise>,
    ) -> impl Iterator<Item = String> {
        let step = self.step.as_ref().map(|s| s.value);
        noises.filter_map(move |n| n.warning(step?))
    }
}

fn check_step(step: &Placed<f64>, end: f64) -> Result<()> {
    let (h, steps) = (step.value, end / step.value);
    if steps > MOST_STEPS {
        return Err(Diagnostic::at(
            &step.place,
            format!(
                "`run.step` is {h:?} s: {steps:.3e} steps until {end:?} s; expected at \
                 most {MOST_STEPS:e}"
            ),
        )
        .help("take a larger step or a shorter run"));
    }
    if h > end {
        return Err(Diagnostic::at(
            &step.place,
            format!("`run.step` is {h:?} s, longer than the run of {end:?} s"),
        )
        .help("take a step well below `run.end`"));
    }
    Ok(())
}

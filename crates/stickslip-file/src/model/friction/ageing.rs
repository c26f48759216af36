//! `ageing = { dynamic, static, time, kind, … }`: friction at rest that grows with the time at rest.

use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{Table, Variant, not_negative, positive};
use serde::Serialize;
use stickslip::Law;
use stickslip::law::{self, Growth};

/// The sliding force, and how the limit at rest grows from it.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Ageing {
    /// dynamic + (static − dynamic)(1 − exp(−age/time)).
    Exponential(Numbers),
    /// dynamic + (static − dynamic) ln(1 + age/time).
    Logarithmic(Numbers),
    /// dynamic + (static − dynamic)(age/time)^exponent.
    Power {
        /// The other numbers.
        #[serde(flatten)]
        numbers: Numbers,
        /// > 0.
        exponent: f64,
    },
    /// Linear between points.
    Table {
        /// The first limit, N.
        dynamic: f64,
        /// Ages, s, from 0.
        age: Vec<f64>,
        /// Limits, N.
        limit: Vec<f64>,
    },
}

/// What the formulas share.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Numbers {
    dynamic: f64,
    #[serde(rename = "static")]
    breakaway: f64,
    time: f64,
}

#[derive(Clone, Copy)]
enum AgeingKind {
    Exponential,
    Logarithmic,
    Power,
    Table,
}

const KINDS: [(&str, AgeingKind); 4] = [
    ("exponential", AgeingKind::Exponential),
    ("logarithmic", AgeingKind::Logarithmic),
    ("power", AgeingKind::Power),
    ("table", AgeingKind::Table),
];

fn numbers(t: &Table<'_>) -> Result<Numbers> {
    let dynamic = t.number("dynamic", not_negative("N"))?;
    let Some(breakaway) = t.number_opt("static", not_negative("N"))? else {
        return Err(t.missing("static", "a finite number > `dynamic`, in N"));
    };
    if breakaway.value <= dynamic {
        let path = t.path_of("static");
        let found = breakaway.value;
        let message = format!(
            "`{path}` is {found}, not above `dynamic` = {dynamic}; expected a limit that grows, in N"
        );
        return Err(Diagnostic::at(&breakaway.place, message)
            .help("raise `static`, or use friction.coulomb for a constant limit"));
    }
    Ok(Numbers { dynamic, breakaway: breakaway.value, time: t.number("time", positive("s"))? })
}

impl super::Numbers for Ageing {
    fn read(law: &Variant<'_>) -> Result<Self> {
        let t = law.table(&["dynamic", "static", "time", "kind", "exponent", "age", "limit"])?;
        let kind = t.choice("kind", "kind of ageing", &KINDS)?;
        let kind = kind
            .map(|k| k.value)
            .ok_or_else(|| t.missing("kind", "one of exponential, logarithmic, power, table"))?;
        let only = |known: &[&str]| law.table(known).map(|_| ());
        Ok(match kind {
            AgeingKind::Exponential | AgeingKind::Logarithmic => {
                only(&["dynamic", "static", "time", "kind"])?;
                let numbers = numbers(&t)?;
                if let AgeingKind::Exponential = kind {
                    Self::Exponential(numbers)
                } else {
                    Self::Logarithmic(numbers)
                }
            }
            AgeingKind::Power => {
                only(&["dynamic", "static", "time", "kind", "exponent"])?;
                Self::Power { numbers: numbers(&t)?, exponent: t.number("exponent", positive(""))? }
            }
            AgeingKind::Table => {
                only(&["dynamic", "kind", "age", "limit"])?;
                let age = t.increasing("age", not_negative("s"))?;
                let limit = t.increasing("limit", not_negative("N"))?;
                let first = limit.first().copied().unwrap_or(0.0);
                Self::Table {
                    dynamic: t.number_or("dynamic", not_negative("N"), first)?,
                    age,
                    limit,
                }
            }
        })
    }

    fn build(&self) -> Result<Law, stickslip::Error> {
        let (dynamic, growth) = match self {
            Self::Exponential(n) => {
                (n.dynamic, Growth::Exponential { breakaway: n.breakaway, time: n.time })
            }
            Self::Logarithmic(n) => {
                (n.dynamic, Growth::Logarithmic { breakaway: n.breakaway, time: n.time })
            }
            Self::Power { numbers: n, exponent } => (
                n.dynamic,
                Growth::Power { breakaway: n.breakaway, time: n.time, exponent: *exponent },
            ),
            Self::Table { dynamic, age, limit } => {
                // Checks the lengths; the points then need only begin at `dynamic`.
                law::Ageing::table(age, limit)?;
                (*dynamic, Growth::Table(age.iter().copied().zip(limit.iter().copied()).collect()))
            }
        };
        law::Ageing::new(dynamic, growth).map(Law::Ageing)
    }
}

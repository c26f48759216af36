//! What is certified of a case: the numbers of `certified.json`.

use serde::{Deserialize, Deserializer};

/// How hard a case is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// One mass, few events, closed forms.
    Lower,
    /// What an engineer meets.
    Average,
    /// Long, stiff, nonlinear, or with several contacts.
    Higher,
    /// Multiple roots, touches, problems without a solution or with many.
    Adversarial,
}

impl Grade {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Average => "average",
            Self::Higher => "higher",
            Self::Adversarial => "adversarial",
        }
    }
}

/// A certified number: its decimals, read as the nearest double.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(serde::de::Error::custom)
}

/// A row of a table of events or states.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Row {
    /// The kind of the event; empty for a state.
    #[serde(default)]
    pub event: String,
    /// When, s.
    #[serde(deserialize_with = "number")]
    pub t: f64,
    /// The node, contact, wall or element; empty where there is only one.
    pub r#where: String,
    /// Displacement, m.
    #[serde(deserialize_with = "number")]
    pub x: f64,
    /// Velocity, m/s.
    #[serde(deserialize_with = "number")]
    pub v: f64,
}

/// A stretch of time in which a node does not move.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Rest {
    /// The node.
    pub r#where: String,
    /// From, s.
    #[serde(deserialize_with = "number")]
    pub from: f64,
    /// To, s.
    #[serde(deserialize_with = "number")]
    pub to: f64,
}

/// A share of the mechanical energy: half of `weight` times the square of a sum.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Term {
    /// A mass, kg, or a stiffness, N/m.
    pub weight: f64,
    /// `x` or `v`.
    pub of: String,
    /// The nodes with their signs.
    pub nodes: std::collections::BTreeMap<String, f64>,
}

/// Certified numbers, one with respect to each number of the model file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct Numbers(pub Vec<f64>);

impl From<Vec<String>> for Numbers {
    /// Their decimals, read as the nearest doubles; what is no number is NaN, which no result meets.
    fn from(texts: Vec<String>) -> Self {
        Self(texts.iter().map(|t| t.parse().unwrap_or(f64::NAN)).collect())
    }
}

/// Derivatives of the state of a node.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Rates {
    /// When, s.
    #[serde(deserialize_with = "number")]
    pub t: f64,
    /// The node; empty where there is only one.
    pub r#where: String,
    /// Of its displacement, m for each unit of the number.
    pub x: Numbers,
    /// Of its velocity, m/s for each unit of the number.
    pub v: Numbers,
}

/// Derivatives of a motion with respect to numbers of its model file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Derivatives {
    /// The keys of the numbers.
    pub wrt: Vec<String>,
    /// Numbers at an edge, with respect to which there is no derivative.
    pub without: Vec<String>,
    /// Of the times of the first events, s for each unit of the number.
    pub event_times: Vec<Numbers>,
    /// Of the states at some of the instants.
    pub states: Vec<Rates>,
}

/// What must be reported of a problem without exactly one solution.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Report {
    /// `not-unique` or `no-solution`.
    pub what: String,
    /// From when on, s.
    #[serde(deserialize_with = "number")]
    pub from: f64,
}

/// A point of a distribution function.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Probability {
    /// Velocity, m/s.
    #[serde(deserialize_with = "number")]
    pub v: f64,
    /// Probability of a smaller one.
    #[serde(deserialize_with = "number")]
    pub probability: f64,
}

/// The law of the velocity at an instant.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Law {
    /// When, s.
    #[serde(deserialize_with = "number")]
    pub t: f64,
    /// Points of the distribution function.
    pub distribution: Vec<Probability>,
}

/// Everything that is certified of a case.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Certified {
    /// The name of the case.
    pub case: String,
    /// How hard it is.
    pub grade: Grade,
    /// One line.
    pub title: String,
    /// The last instant, s.
    pub end: f64,
    /// Whether it has exactly one solution, which is certified.
    pub unique: bool,
    /// Digits that are certified.
    #[serde(default)]
    pub digits: u32,
    /// Events in order of time.
    #[serde(default)]
    pub events: Vec<Row>,
    /// Kinds of events that are not counted in stretches of time: kind, from, to (s).
    #[serde(default)]
    pub uncounted: Vec<(String, String, String)>,
    /// Instants at which a root of this order is located.
    #[serde(default)]
    pub multiple: Vec<(String, f64)>,
    /// Stretches at rest.
    #[serde(default)]
    pub rests: Vec<Rest>,
    /// States of all nodes at certain instants.
    #[serde(default)]
    pub states: Vec<Row>,
    /// The mechanical energy.
    #[serde(default)]
    pub energy: Vec<Term>,
    /// Derivatives with respect to the numbers of the model file, where they are certified.
    pub derivatives: Option<Derivatives>,
    /// What must be reported, if the case is ill-posed.
    pub report: Option<Report>,
    /// The law of its velocity, if the case is random.
    pub law: Option<Law>,
}

impl Certified {
    /// The instants at which states are certified, s, in order.
    pub fn times(&self) -> Vec<f64> {
        let mut times: Vec<f64> = self.states.iter().map(|s| s.t).collect();
        times.dedup();
        times
    }

    /// The order of the root at the event at `t` (s): 1 unless the case says otherwise.
    pub(crate) fn order(&self, t: f64) -> f64 {
        let here = |at: &str| at.parse() == Ok(t);
        self.multiple.iter().find(|(at, _)| here(at)).map_or(1.0, |(_, order)| *order)
    }

    /// Whether events of this kind are not counted at `t` (s).
    pub(crate) fn does_not_count(&self, kind: &str, t: f64) -> bool {
        let within = |from: &str, to: &str| match (from.parse::<f64>(), to.parse::<f64>()) {
            (Ok(from), Ok(to)) => from <= t && t <= to,
            _ => false,
        };
        self.uncounted.iter().any(|(k, from, to)| k == kind && within(from, to))
    }
}

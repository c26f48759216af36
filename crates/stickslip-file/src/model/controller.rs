//! `[[network.controller]]`: forces that follow from what is measured.

use super::signal::{self, Signal};
use crate::diagnostic::{Diagnostic, Result};
use crate::node::Value;
use crate::reader::{Table, any, not_negative, positive};
use crate::reading::Gathered;
use serde::Serialize;
use stickslip::Error;
use stickslip::model::Machine;
use stickslip::model::machine as library;

/// Keys of `[[network.controller]]`.
pub(super) const KEYS: [&str; 18] = [
    "name",
    "of",
    "quantity",
    "on",
    "reference",
    "proportional",
    "integral",
    "derivative",
    "filter",
    "state_space",
    "limit",
    "anti_windup",
    "sample_time",
    "delay",
    "hold",
    "quantum",
    "feed_forward",
    "dither",
];

/// What only means something where another key stands.
const DEPEND: [(&str, &str); 5] = [
    ("filter", "derivative"),
    ("anti_windup", "limit"),
    ("delay", "sample_time"),
    ("hold", "sample_time"),
    ("quantum", "sample_time"),
];

const GAINS: [&str; 3] = ["proportional", "integral", "derivative"];

const MEASURED: &str =
    "the name of a node, or two names of nodes, of which the second may be \"ground\"";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Quantity {
    Displacement,
    Velocity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum AntiWindup {
    Clamp,
    None,
}

/// How the force follows from the error.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Rule {
    Gains { proportional: f64, integral: f64, derivative: f64, filter: f64 },
    States { state_space: StateSpace },
}

/// ẋ = A x + B e, u = C x + D e.
#[derive(Debug, Clone, Serialize)]
struct StateSpace {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    c: Vec<f64>,
    d: f64,
}

#[derive(Debug, Clone, Serialize)]
struct Limit {
    limit: f64,
    anti_windup: AntiWindup,
}

#[derive(Debug, Clone, Serialize)]
struct Sampling {
    sample_time: f64,
    delay: f64,
    quantum: f64,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
enum FeedForward {
    Sign {
        force: f64,
    },
    Tanh {
        force: f64,
        velocity: f64,
    },
    StribeckExponential {
        #[serde(rename = "static")]
        breakaway: f64,
        dynamic: f64,
        velocity: f64,
        exponent: f64,
    },
}

/// A controller, as written in a file.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Controller {
    name: String,
    of: [String; 2],
    quantity: Quantity,
    on: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reference: Vec<Signal>,
    #[serde(flatten)]
    rule: Rule,
    #[serde(flatten)]
    limit: Option<Limit>,
    #[serde(flatten)]
    sampling: Option<Sampling>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feed_forward: Option<FeedForward>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dither: Vec<Signal>,
}

impl Controller {
    /// Reads controller number `i`.
    pub(super) fn read(t: &Table<'_>, i: usize, gathered: &mut Gathered) -> Result<Self> {
        let given = t.text_opt("name", "a name")?;
        let words = [("displacement", Quantity::Displacement), ("velocity", Quantity::Velocity)];
        let quantity = t.choice("quantity", "quantity", &words)?;
        let quantity = quantity.map_or(Quantity::Displacement, |q| q.value);
        let unit = if quantity == Quantity::Displacement { "m" } else { "m/s" };
        let of = match t.items("of") {
            one if one.len() < 2 => [t.text("of", MEASURED)?.value, "ground".to_owned()],
            _ => t.pair("of", MEASURED)?,
        };
        let rule = Rule::read(t, quantity)?;
        let read = Self {
            name: given.map_or_else(|| format!("c{}", i + 1), |n| n.value),
            of,
            quantity,
            on: t.text("on", "the name of the node that gets the force")?.value,
            reference: signal::read_or_number(t, "reference", unit, gathered)?,
            limit: Limit::read(t, &rule)?,
            rule,
            sampling: Sampling::read(t, unit)?,
            feed_forward: FeedForward::read(t)?,
            dither: signal::read(t, "dither", "N", gathered)?,
        };
        depends(t)?;
        Ok(read)
    }

    /// Its signals.
    pub(super) fn signals(&self) -> impl Iterator<Item = &Signal> {
        self.reference.iter().chain(&self.dither)
    }

    /// The machine with it.
    pub(super) fn add_to(&self, machine: Machine) -> Result<Machine, Error> {
        let mut law = match &self.rule {
            Rule::Gains { proportional, integral, derivative, filter } => {
                library::ControlLaw::pid(library::Gains {
                    proportional: *proportional,
                    integral: *integral,
                    derivative: *derivative,
                    filter: *filter,
                })
            }
            Rule::States { state_space: s } => {
                library::ControlLaw::state_space(library::StateSpace {
                    a: s.a.concat(),
                    b: s.b.clone(),
                    c: s.c.clone(),
                    d: s.d,
                })
            }
        };
        if self.quantity == Quantity::Velocity {
            law = law.measuring(library::Quantity::Velocity);
        }
        law = law.following(signal::sum(&self.reference)?).dithered(signal::sum(&self.dither)?);
        if let Some(Limit { limit, anti_windup }) = self.limit {
            let anti_windup = match anti_windup {
                AntiWindup::Clamp => library::AntiWindup::Clamp,
                AntiWindup::None => library::AntiWindup::None,
            };
            law = law.limited(limit, anti_windup);
        }
        if let Some(Sampling { sample_time: time, delay, quantum }) = self.sampling {
            law = law.sampled(library::Sampling { time, delay, quantum });
        }
        if let Some(feed_forward) = &self.feed_forward {
            law = law.feeding_forward(feed_forward.build());
        }
        machine.with_controller(&self.name, [&self.of[0], &self.of[1]], &self.on, law)
    }
}

impl Rule {
    fn read(t: &Table<'_>, quantity: Quantity) -> Result<Self> {
        if let Some(s) = t.table_opt("state_space", &["a", "b", "c", "d"])? {
            if let Some(key) = GAINS.into_iter().find(|k| t.has(k)) {
                let message = format!(
                    "a controller has both `state_space` and `{key}`; expected one of the two"
                );
                return Err(Diagnostic::at(t.place_of(key), message)
                    .help("write the gains as states, or make two controllers of them"));
            }
            return Ok(Self::States { state_space: StateSpace::read(&s)? });
        }
        let states = GAINS.into_iter().chain(["feed_forward", "dither"]);
        if !states.into_iter().any(|k| t.has(k)) {
            let expected = "`proportional`, `integral`, `derivative`, or `state_space`";
            return Err(t.missing("proportional", expected));
        }
        let [p, i, d] = match quantity {
            Quantity::Displacement => ["N/m", "N/(m·s)", "N·s/m"],
            Quantity::Velocity => ["N·s/m", "N/m", "N·s²/m"],
        };
        Ok(Self::Gains {
            proportional: t.number_or("proportional", any(p), 0.0)?,
            integral: t.number_or("integral", any(i), 0.0)?,
            derivative: t.number_or("derivative", any(d), 0.0)?,
            filter: t.number_or("filter", not_negative("s"), 0.0)?,
        })
    }
}

impl StateSpace {
    fn read(t: &Table<'_>) -> Result<Self> {
        let d = if t.has("d") && !t.has_number("d") {
            let [one] = line(t, "d")?[..] else {
                let message = format!(
                    "`{}` has not one number; a controller has one error and one force",
                    t.path_of("d")
                );
                return Err(
                    Diagnostic::at(t.place_of("d"), message).help("write d = 1.0, or d = [[1.0]]")
                );
            };
            one
        } else {
            t.number_or("d", any(""), 0.0)?
        };
        Ok(Self { a: t.matrix("a", any(""))?, b: line(t, "b")?, c: line(t, "c")?, d })
    }
}

/// An error at the first key that has no meaning without another one, which is not there.
fn depends(t: &Table<'_>) -> Result<()> {
    match DEPEND.into_iter().find(|(key, other)| t.has(key) && !t.has(other)) {
        None => Ok(()),
        Some((key, other)) => {
            let message = format!("`{key}` has no meaning without `{other}`");
            Err(Diagnostic::at(t.place_of(key), message)
                .help(format!("add `{other}`, or leave `{key}` out")))
        }
    }
}

/// The numbers of a matrix with one row or one column: a list of numbers, or of rows.
fn line(t: &Table<'_>, key: &str) -> Result<Vec<f64>> {
    match t.items(key).first().map(|n| &n.value) {
        Some(Value::Array(_)) => Ok(t.matrix(key, any(""))?.concat()),
        _ => t.numbers(key, any("")),
    }
}

impl Limit {
    fn read(t: &Table<'_>, rule: &Rule) -> Result<Option<Self>> {
        let limit = t.number_opt("limit", positive("N"))?;
        let words = [("clamp", AntiWindup::Clamp), ("none", AntiWindup::None)];
        let chosen = t.choice("anti_windup", "way to keep the integral from winding up", &words)?;
        let Some(limit) = limit else { return Ok(None) };
        // Only gains have an integral.
        let usual = match rule {
            Rule::Gains { .. } => AntiWindup::Clamp,
            Rule::States { .. } => AntiWindup::None,
        };
        Ok(Some(Self { limit: limit.value, anti_windup: chosen.map_or(usual, |c| c.value) }))
    }
}

impl Sampling {
    fn read(t: &Table<'_>, unit: &'static str) -> Result<Option<Self>> {
        let time = t.number_opt("sample_time", positive("s"))?;
        t.choice("hold", "hold", &[("zero", ())])?;
        let delay = t.number_or("delay", not_negative("s"), 0.0)?;
        let quantum = t.number_or("quantum", not_negative(unit), 0.0)?;
        Ok(time.map(|time| Self { sample_time: time.value, delay, quantum }))
    }
}

impl FeedForward {
    fn read(t: &Table<'_>) -> Result<Option<Self>> {
        if !t.has("feed_forward") {
            return Ok(None);
        }
        let known = ["sign", "tanh", "stribeck-exponential"];
        let one = t.one_of("feed_forward", "feed-forward", &known)?;
        Ok(Some(match one.name {
            "sign" => Self::Sign { force: one.table(&["force"])?.number("force", any("N"))? },
            "tanh" => {
                let t = one.table(&["force", "velocity"])?;
                let force = t.number("force", any("N"))?;
                Self::Tanh { force, velocity: t.number("velocity", positive("m/s"))? }
            }
            _ => {
                let t = one.table(&["static", "dynamic", "velocity", "exponent"])?;
                Self::StribeckExponential {
                    breakaway: t.number("static", any("N"))?,
                    dynamic: t.number("dynamic", any("N"))?,
                    velocity: t.number("velocity", positive("m/s"))?,
                    exponent: t.number_or("exponent", positive(""), 1.0)?,
                }
            }
        }))
    }

    fn build(&self) -> library::FeedForward {
        match *self {
            Self::Sign { force } => library::FeedForward::Sign { force },
            Self::Tanh { force, velocity } => library::FeedForward::Tanh { force, velocity },
            Self::StribeckExponential { breakaway, dynamic, velocity, exponent } => {
                library::FeedForward::Stribeck { breakaway, dynamic, velocity, exponent }
            }
        }
    }
}

//! `[[network.slider]]`: what rubs, what presses it, and between which ends or along which direction.

use super::ENDS;
use crate::diagnostic::{Diagnostic, Result};
use crate::model::friction::Friction;
use crate::model::friction::memory::Remembering;
use crate::model::hysteretic::Remembered;
use crate::model::signal::Signal;
use crate::reader::{Table, any, not_negative};
use crate::reading::Gathered;
use serde::Serialize;
use stickslip::Law;

/// Keys of `[[network.slider]]`.
pub const KEYS: [&str; 10] = [
    "name",
    "between",
    "direction",
    "static",
    "dynamic",
    "friction",
    "normal",
    "normal_from",
    "support",
    "z",
];
#[derive(Debug, Clone, Serialize)]
pub struct Slider {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub direction: Vec<f64>,
    #[serde(flatten)]
    pub rubs: Rubs,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub normal: Vec<Signal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normal_from: Option<Press>,
    /// v_s(t): the signals that are summed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub support: Vec<Signal>,
}

/// The part that presses a slider.
#[derive(Debug, Clone, Serialize)]
pub struct Press {
    #[serde(flatten)]
    pub by: Presser,
    pub factor: f64,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Presser {
    Spring(String),
    Stop(String),
}

impl Press {
    pub fn read(t: &Table<'_>) -> Result<Option<Self>> {
        let Some(t) = t.table_opt("normal_from", &["spring", "stop", "factor"])? else {
            return Ok(None);
        };
        let by = match (t.text_opt("spring", "a name")?, t.text_opt("stop", "a name")?) {
            (Some(spring), None) => Presser::Spring(spring.value),
            (None, Some(stop)) => Presser::Stop(stop.value),
            (Some(_), Some(_)) => {
                let message = "both a spring and a stop press a slider; expected one of the two";
                let help = "leave one out; a slider for each may be on the same node";
                return Err(Diagnostic::at(t.place_of("stop"), message).help(help));
            }
            (None, None) => {
                return Err(
                    t.missing("spring", "the name of a spring, or `stop`: that of a soft stop")
                );
            }
        };
        Ok(Some(Self { by, factor: t.number_or("factor", any(""), 1.0)? }))
    }
}

/// What rubs in a slider.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Rubs {
    /// Two forces.
    Plainly {
        #[serde(rename = "static")]
        breakaway: f64,
        dynamic: f64,
    },
    /// By a law.
    By { friction: Friction },
    /// By a law with memory.
    Remembers {
        friction: Remembering,
        /// What it remembers at t = 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        z: Option<Remembered>,
    },
}

impl Rubs {
    pub fn read(t: &Table<'_>, gathered: &Gathered) -> Result<Self> {
        // What it says must make sense by itself, before it is said that nothing here remembers it.
        if !Remembering::is_in(t) && Remembered::read(t, "m")?.is_some() {
            let message = "a slider has `z`, which only laws with memory start from";
            return Err(Diagnostic::at(t.place_of("z"), message)
                .help("leave it out, or take a law with memory, such as lugre"));
        }
        if t.has("friction") {
            if let Some(key) = ["static", "dynamic"].into_iter().find(|k| t.has(k)) {
                let message =
                    format!("a slider has both `friction` and `{key}`; expected one of the two");
                return Err(Diagnostic::at(t.place_of(key), message)
                    .help("`static` and `dynamic` stand for friction.static-dynamic"));
            }
            if Remembering::is_in(t) {
                let friction = Remembering::read(t)?;
                let z = Remembered::read(t, friction.unit())?;
                return Ok(Self::Remembers { friction, z });
            }
            return Ok(Self::By { friction: Friction::read(t, gathered.reading.resources())? });
        }
        let breakaway = t.number("static", not_negative("N"))?;
        let dynamic = t.number_or("dynamic", not_negative("N"), breakaway)?;
        Ok(Self::Plainly { breakaway, dynamic })
    }

    /// Its law; none where it is stated by its two forces.
    pub fn law(&self) -> Result<Option<Law>> {
        match self {
            Self::Plainly { .. } | Self::Remembers { .. } => Ok(None),
            Self::By { friction } => Ok(Some(friction.build()?)),
        }
    }

    /// The two forces of a network's slider, N, if they are all that there is to it. Of another law these are greatest.
    pub fn forces(&self, law: Option<&Law>) -> ([f64; 2], bool) {
        match (self, law.map(Law::constants)) {
            (Self::Plainly { breakaway, dynamic }, _) => ([*breakaway, *dynamic], true),
            (Self::By { .. }, Some(Some([forward, backward]))) if forward == backward => {
                ([forward.0, forward.1], true)
            }
            (Self::By { .. }, _) => (law.map_or([0.0; 2], |l| [l.breakaway(); 2]), false),
            (Self::Remembers { .. }, _) => ([0.0; 2], false),
        }
    }
}

/// The ends of a slider that is not along a direction.
pub fn between(t: &Table<'_>) -> Result<Option<[String; 2]>> {
    if t.has("direction") && !t.has("between") {
        return Ok(None);
    }
    t.pair("between", ENDS).map(Some)
}

/// The direction of a slider, for `count` nodes; empty where it is between two ends.
pub fn direction(t: &Table<'_>, count: usize) -> Result<Vec<f64>> {
    if !t.has("direction") {
        return Ok(Vec::new());
    }
    let found = t.numbers("direction", any(""))?;
    if t.has("between") {
        let message = "a slider has both `between` and `direction`; expected one of the two";
        return Err(Diagnostic::at(t.place_of("direction"), message).help("leave one out"));
    }
    if found.len() == count {
        return Ok(found);
    }
    let message = format!(
        "`direction` has {} numbers; expected one for each of the {count} nodes",
        found.len()
    );
    Err(Diagnostic::at(t.place_of("direction"), message).help(
        "give the weights in the order of the nodes, 0 for those that the slip does not depend on",
    ))
}

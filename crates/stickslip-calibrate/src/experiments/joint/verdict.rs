//! What the logs say of a joint: how well it fits, how sure its numbers are, what the logs do not tell apart.

use super::Joint;
use super::known::Known;
use crate::statistics::estimate::Estimate;
use serde::{Deserialize, Serialize, Serializer};

/// Everything that comes out.
#[derive(Debug, Clone, Serialize)]
pub struct Fit {
    /// Each unknown under its key.
    #[serde(serialize_with = "by_name")]
    pub parameters: Vec<Named>,
    /// Mean absolute errors of the angle.
    pub error: Errors,
    /// What the logs do not tell apart.
    pub undetermined: Vec<Undetermined>,
    /// Whether the logs show that the gear yields before it slips, where a stiffness of the bristle was sought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bristle: Option<BristleSeen>,
    /// What each term is worth.
    pub terms: Vec<Term>,
    /// The joint as simulators have it, and what that costs.
    pub simplified: Vec<Simplified>,
    /// The middle of the logs' own factors of the gain.
    pub usual_gain: f64,
    /// The middle of their supplies, V; 1 where the gain is in V/rad.
    pub usual_supply: f64,
    /// Held-out error by column of the index and value in it.
    pub by: Vec<Group>,
    /// Every log.
    pub logs: Vec<OfLog>,
    /// Rows that count.
    pub samples: usize,
    /// Rows left out because their angle stands alone.
    pub spikes: usize,
    /// Passes over the logs.
    pub evaluations: usize,
    /// Time of computing, s.
    pub seconds: f64,
    /// What users should know.
    pub warnings: Vec<String>,
    /// How the errors of the numbers go together, and on what they were recorded: what a design of further logs needs.
    pub known: Known,
    /// Measured − fitted at the rows of each log that was fitted, from the start that was found along with the numbers, rad;
    /// NaN where nothing was measured, empty for a log that was held out.
    #[serde(skip)]
    pub errors: Vec<Vec<f64>>,
    /// The angles that the fitted joint has at the rows of each log, rad.
    #[serde(skip)]
    pub angles: Vec<Vec<f64>>,
    /// The fitted joint, every number of it; what is infinite is written as null.
    pub joint: Joint,
}

/// An unknown that was found.
#[derive(Debug, Clone)]
pub struct Named {
    /// Its key.
    pub name: String,
    /// The number.
    pub estimate: Estimate,
}

/// As a map from keys.
fn by_name<S: Serializer>(all: &[Named], s: S) -> Result<S::Ok, S::Error> {
    s.collect_map(all.iter().map(|n| (&n.name, &n.estimate)))
}

/// Mean absolute errors, rad.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Errors {
    /// On the logs that were fitted.
    pub fitted: f64,
    /// On those that were held out.
    pub held_out: Option<f64>,
    /// What repetitions of one log differ by: no model of the goal alone can do much better.
    pub repeatability: Option<f64>,
}

/// A combination of unknowns along which the error hardly changes near the answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Undetermined {
    /// As `a : b`, the unknowns that change together.
    pub combination: String,
    /// How much less the logs say of it than of what they know best: 0 where they say nothing.
    pub ratio: f64,
    /// One sentence.
    pub reason: String,
}

/// Whether logs show that a gear yields before it slips.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BristleSeen {
    /// Whether the error of a rigid gear is larger by more than a hundredth; if not, the joint that was found is rigid.
    pub seen: bool,
    /// σ₀ is not below this, N·m/rad, with 97.5 %; none where the logs exclude nothing.
    pub stiffness_at_least: Option<f64>,
    /// The error with the bristle, held out where logs were, rad.
    pub error_with: f64,
    /// The same of a rigid gear, everything else fitted anew, rad.
    pub error_without: f64,
    /// One sentence.
    pub reason: String,
}

/// A term of the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Term {
    /// Its key.
    pub term: String,
    /// The error, held out where logs were, when everything else is fitted without it, rad.
    pub error_without: f64,
    /// The same with every term, on the same logs, rad.
    pub error_with: f64,
    /// Whether the error grows by more than a hundredth without it.
    pub earns_its_place: bool,
}

/// LuGre's friction as MuJoCo's `dcmotor` has it: both ways the same, its limit falling with the square of the speed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SimplifiedBristle {
    /// σ₀, N·m/rad.
    pub stiffness: f64,
    /// σ₁, N·m·s/rad.
    pub damping: f64,
    /// Friction at rest, N·m; that in slip is `friction`.
    #[serde(rename = "static")]
    pub at_rest: f64,
    /// Within which speed it falls, rad/s.
    pub velocity: f64,
}

/// A joint with Coulomb's friction and viscous friction alone, both ways the same, which most simulators know, and a drive
/// without start offset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Simplified {
    /// `with-drive`: the goals that are sent are delayed and limited in speed outside the simulator; `alone`: they are not; `lugre`:
    /// as `with-drive`, with a bristle besides.
    pub what: &'static str,
    /// Coulomb's friction, N·m.
    pub friction: f64,
    /// Viscous friction without the counter-voltage, N·m·s/rad.
    pub viscous: f64,
    /// The bristle of `lugre`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bristle: Option<SimplifiedBristle>,
    /// Mean absolute error, held out where logs were, rad.
    pub error: f64,
}

/// The error of some logs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// The column of the index.
    pub column: String,
    /// Its value.
    pub value: String,
    /// Mean absolute error, rad.
    pub error: f64,
    /// Logs.
    pub logs: usize,
}

/// One log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfLog {
    /// Its file.
    pub file: String,
    /// Whether it was held out.
    pub held_out: bool,
    /// Mean absolute error, rad.
    pub error: f64,
    /// What it differs from the nearest repetition by, rad.
    pub repeatability: Option<f64>,
    /// Rows left out.
    pub spikes: usize,
}

/// The logs that would best determine what is not known yet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Design {
    /// In the order of their worth.
    pub trajectories: Vec<Planned>,
    /// What is known of each number that was sought, now and then.
    pub expected: Vec<Expected>,
    /// Logs that were looked at.
    pub candidates: usize,
    /// Those of them that would go beyond the limits.
    pub refused: usize,
}

/// A log to record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Planned {
    /// In words.
    pub shape: String,
    /// A log that has the load, the mounting and the gain to use.
    pub like: String,
    /// The log's own factor of the gain.
    pub gain: f64,
    /// Of the load, kg·m².
    pub inertia: f64,
    /// Of the load, N·m.
    pub gravity_torque: f64,
    /// Largest torque of the motor (N·m), speed (rad/s) and angle (rad) over the joints within the present errors.
    pub largest: [f64; 3],
    /// s.
    #[serde(skip)]
    pub time: Vec<f64>,
    /// rad.
    #[serde(skip)]
    pub goal: Vec<f64>,
    /// Whether the motor is on; empty where it always is.
    #[serde(skip)]
    pub enabled: Vec<bool>,
}

/// How well a number is known, of a friction at rest that number itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Expected {
    /// Half of the 95 % interval with the logs that there are; where they say nothing, that of the range.
    pub now: f64,
    /// The same with the designed logs: from what refits are off by.
    pub then: f64,
    /// The most that a refit was off by.
    pub worst: f64,
}

//! The cases: their files, which are part of the program.

use crate::certified::Certified;
use stickslip_file::{Diagnostic, Remedy, Result, did_you_mean};

/// A case of the set: its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// The model file.
    pub model: &'static str,
    /// The problem in formulas, what to return, and what usually goes wrong.
    pub statement: &'static str,
    /// The certified numbers as JSON.
    pub json: &'static str,
}

macro_rules! files {
    ($($name:literal)*) => {
        [$(Case {
            name: $name,
            model: include_str!(concat!("../", $name, "/model.toml")),
            statement: include_str!(concat!("../", $name, "/statement.md")),
            json: include_str!(concat!("../", $name, "/certified.json")),
        }),*]
    };
}

/// All cases, the easy ones first.
#[rustfmt::skip]
pub const CASES: [Case; 88] = files![
    "free-decay" "free-slide" "viscous-decay" "critical-damping" "overdamped" "incline-hold"
    "incline-load-hold" "pulled-slider" "asymmetric" "damped-drive" "five-bounces" "one-element"
    "buffer" "gate-opens" "gate-opens-early" "pd-rests"
    "shaw" "peer-p3" "two-sided-decay" "resonance" "pulsating-normal" "belt-two-forces" "feeder"
    "load-steps" "two-frequencies" "cascade-four" "two-blocks" "bouncing-ball" "two-walls"
    "between-stops"
    "two-ways" "pushed-apart" "buffer-again" "buffer-driven" "gate-bounces" "gate-retreats"
    "sampled-pd" "sampled-pi" "sampled-follows" "worm-gear" "driven-back"
    "belt" "belt-hyperbolic" "stribeck-force" "stribeck-stops" "stribeck-gauss" "stribeck-formula"
    "duffing" "three-blocks" "equal-blocks" "stacked-blocks" "drive-line" "cascade-ten"
    "spring-wall-rest" "plastic-wall" "light-mass" "heavy-mass" "mass-ratio" "million-cycles"
    "near-touch-slips" "near-touch-stays" "near-stop-passes" "near-stop-sticks"
    "stribeck-train" "stribeck-train-exponential" "stribeck-twins" "drill-string" "drill-bit"
    "backlash" "backlash-and-wall" "plastic-backlash" "piling-bounces" "pid-hunts"
    "pid-hunts-filtered" "pid-hunts-stribeck" "flanks-change"
    "double-root-stop" "triple-root-rest" "grazing-slip" "grazing-load" "ageing-above"
    "ageing-below" "ageing-ill-posed" "limit-held" "limit-touched" "limit-touched-network"
    "walls-meet" "brownian"
];

impl Case {
    /// The certified numbers.
    ///
    /// # Errors
    /// None as long as the files are those of the generator.
    pub fn certified(&self) -> Result<Certified> {
        serde_json::from_str(self.json).map_err(|e| {
            Diagnostic::new(format!("the certified numbers of `{}` are damaged: {e}", self.name))
        })
    }
}

/// The case `name`; capitals and underscores are read as small letters and hyphens.
///
/// # Errors
/// If there is none.
///
/// ```
/// let shaw = stickslip_reference::find("shaw")?;
/// assert_eq!(shaw.certified()?.events.len(), 10);
/// # Ok::<(), stickslip_file::Diagnostic>(())
/// ```
pub fn find(name: &str) -> Result<&'static Case> {
    let plain = name.to_ascii_lowercase().replace('_', "-");
    CASES.iter().find(|c| c.name == plain).ok_or_else(|| {
        let near = did_you_mean(name, CASES.iter().map(|c| c.name));
        Diagnostic::command_line(format!("the reference set has no case `{name}`{near}"))
            .with_remedy(Remedy::Cases)
    })
}

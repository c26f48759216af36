//! The `fit.json` of a servo that was fitted to many logs, as what goes on from it reads it: the export to simulators, the design
//! of further logs, the motion step by step.

use serde::Deserialize;
use std::collections::BTreeMap;
use stickslip_calibrate::joint::{Joint, Known};
use stickslip_file::{Diagnostic, Result};

/// What such a file says, as far as somebody asks for it. Only the joint is always there.
#[derive(Debug, Clone, Deserialize)]
pub struct JointFit {
    /// Every number of the fitted joint.
    pub joint: Joint,
    /// How well its numbers are known.
    pub known: Option<Known>,
    /// What was sought, under its key.
    #[serde(default)]
    pub parameters: BTreeMap<String, Found>,
    pub error: Option<Errors>,
    #[serde(default)]
    pub simplified: Vec<Simplified>,
    /// The middle of the logs' own factors of the gain, and of their supplies, V.
    pub usual_gain: Option<f64>,
    pub usual_supply: Option<f64>,
}

/// A number that was sought.
#[derive(Debug, Clone, Deserialize)]
pub struct Found {
    pub value: Option<f64>,
    #[serde(default)]
    pub unit: String,
}

/// Mean absolute errors of the angle, rad.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Errors {
    pub fitted: Option<f64>,
    pub held_out: Option<f64>,
}

/// A joint with dry and viscous friction alone.
#[derive(Debug, Clone, Deserialize)]
pub struct Simplified {
    pub what: String,
    pub friction: f64,
    pub viscous: f64,
    pub error: f64,
}

/// What to name where a folder is asked for.
pub const HELP: &str = "name the folder that `stickslip calibrate FIT.toml --out DIR` wrote, FIT.toml with an index of logs";

impl JointFit {
    /// Reads the bytes of a file of this name.
    ///
    /// # Errors
    /// Where they are no JSON, or not the fit of a servo to many logs.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self> {
        let fit: serde_json::Value = serde_json::from_slice(bytes)
            .map_err(|e| Diagnostic::new(format!("{name}: is not JSON: {e}")).help(HELP))?;
        serde_json::from_value(fit).map_err(|_| no_fit(name))
    }

    /// The simplified joint of this kind.
    pub fn simplified(&self, what: &str) -> Option<&Simplified> {
        self.simplified.iter().find(|s| s.what == what)
    }
}

/// A file that is not what it should be.
pub fn no_fit(name: &str) -> Diagnostic {
    let said = format!("{name}: is not the fit of a servo to many logs by this version");
    Diagnostic::new(said).help(HELP)
}

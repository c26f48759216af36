//! The `fit.json` of a servo that was fitted to many logs, as what goes on from it reads it: the export to simulators, the design
//! of further logs, the motion step by step.

use crate::diagnostic::{Diagnostic, Result};
use crate::resources::Resources;
use serde::Deserialize;
use std::collections::BTreeMap;
use stickslip_calibrate::joint::{Joint, Known, SimplifiedBristle};

/// What such a file says, as far as somebody asks for it. Only the joint is always there.
#[derive(Debug, Clone, Deserialize)]
pub struct JointFit {
    /// Every number of the fitted joint.
    pub joint: Joint,
    /// How well its numbers are known.
    pub known: Option<Known>,
    /// What was sought, under its key.
    #[serde(default)]
    pub parameters: BTreeMap<String, SoughtNumber>,
    /// How well it follows the logs.
    pub error: Option<Errors>,
    /// Joints of fewer terms.
    #[serde(default)]
    pub simplified: Vec<Simplified>,
    /// The middle of the logs' own factors of the gain.
    pub usual_gain: Option<f64>,
    /// The middle of their supplies, V.
    pub usual_supply: Option<f64>,
}

/// A number that was sought.
#[derive(Debug, Clone, Deserialize)]
pub struct SoughtNumber {
    /// Nothing where the logs do not tell it.
    pub value: Option<f64>,
    /// Empty where it has none.
    #[serde(default)]
    pub unit: String,
}

/// Mean absolute errors of the angle, rad.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Errors {
    /// Over the logs that were fitted.
    pub fitted: Option<f64>,
    /// Over those that were held out.
    pub held_out: Option<f64>,
}

/// A joint with dry and viscous friction alone.
#[derive(Debug, Clone, Deserialize)]
pub struct Simplified {
    /// `alone`, `with-drive` where the goals are delayed and limited, `lugre` where there is a bristle besides.
    pub what: String,
    /// N·m.
    pub friction: f64,
    /// N·m·s/rad.
    pub viscous: f64,
    /// Of `lugre`.
    pub bristle: Option<SimplifiedBristle>,
    /// Mean absolute error of the angle, rad.
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

    /// Where it stands in the folder `folder` of results.
    pub fn path_in(folder: &str) -> String {
        format!("{}/fit.json", folder.trim_end_matches('/'))
    }

    /// The path and the bytes of that in the folder `folder` of results.
    ///
    /// # Errors
    /// Where they cannot be read.
    pub fn bytes_in(from: &dyn Resources, folder: &str) -> Result<(String, Vec<u8>)> {
        let name = Self::path_in(folder);
        let failed = |e| Diagnostic::new(format!("{name}: cannot be read: {e}")).help(HELP);
        let bytes = from.read(&name).map_err(failed)?.into_owned();
        Ok((name, bytes))
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

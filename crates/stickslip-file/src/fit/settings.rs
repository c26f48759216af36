//! `[fit]`: how a record is fitted.

use crate::diagnostic::{Diagnostic, Result};
use crate::place::Placed;
use crate::reader::{Table, positive};
use crate::table::Clock;
use crate::units::duration;
use serde::Serialize;
use stickslip_calibrate::{Creep, Lag, Method as Search, Options, Trend};

/// How it is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Two-dimensional search with linear least squares inside.
    Global,
    /// All five parameters by independent evolutionary runs.
    Evolution,
}

/// Residuals beyond so many robust standard deviations are spikes.
const OUTLIERS: f64 = 6.0;

/// `[fit]` with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct Settings {
    /// How the least error is looked for.
    pub method: Method,
    /// Independent runs of the evolution.
    pub runs: u64,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the reading may drift.
    pub drift: bool,
    /// Whether it may creep.
    pub creep: bool,
    /// When the reading may have been reset, s.
    pub steps: Vec<f64>,
    /// Time constant of the deck, s; `None` and not `lag_fitted`: no lag.
    pub lag: Option<f64>,
    /// Whether the time constant is fitted.
    pub lag_fitted: bool,
    /// Whether what the fit leaves over is searched for an explanation.
    pub diagnose: bool,
    /// Spikes beyond so many robust standard deviations are left out.
    pub outliers: Option<f64>,
    /// Replicates of the bootstrap.
    pub bootstrap: u64,
}

impl Settings {
    /// The keys of `[fit]`.
    pub const KEYS: [&'static str; 9] =
        ["method", "runs", "seed", "trend", "steps", "lag", "diagnose", "outliers", "bootstrap"];

    /// Reads `[fit]`, if there is one; times of steps are those of `clock`, and are left for later without one.
    pub fn read(table: Option<&Table<'_>>, clock: Option<&Clock>) -> Result<Self> {
        let mut all = Self {
            method: Method::Global,
            runs: 10,
            seed: 1,
            drift: false,
            creep: false,
            steps: Vec::new(),
            lag: None,
            lag_fitted: false,
            diagnose: true,
            outliers: Some(OUTLIERS),
            bootstrap: 0,
        };
        let Some(t) = table else { return Ok(all) };
        let methods = [("global", Method::Global), ("evolution", Method::Evolution)];
        if let Some(method) = t.choice("method", "method", &methods)? {
            all.method = method.value;
        }
        (all.runs, all.seed) = (t.whole_or("runs", 1, 10)?, t.whole_or("seed", 0, 1)?);
        all.bootstrap = t.whole_or("bootstrap", 0, 0)?;
        all.diagnose = t.flag_or("diagnose", true)?;
        let trends = [("none", [false, false]), ("drift", [true, false]), ("creep", [false, true])];
        if let Some(trend) = t.choice("trend", "trend", &trends)? {
            [all.drift, all.creep] = trend.value;
        }
        for step in t.texts("steps", "times at which the reading may have been reset")? {
            if let Some(clock) = clock {
                let at = clock.seconds(step.value.trim());
                all.steps.push(at.map_err(|(m, h)| Diagnostic::at(&step.place, m).help(h))?);
            }
        }
        let lag = t.text_opt("lag", "\"none\", \"fit\" or a duration such as \"4h\"")?;
        match lag {
            Some(Placed { value, .. }) if value == "none" => {}
            Some(Placed { value, .. }) if value == "fit" => all.lag_fitted = true,
            Some(text) => all.lag = Some(duration(&text)?),
            None => {}
        }
        all.outliers = match t.text_opt("outliers", "a number, or \"keep\"") {
            Ok(Some(Placed { value, .. })) if value == "keep" => None,
            _ => Some(t.number_or("outliers", positive("robust standard deviations"), OUTLIERS)?),
        };
        Ok(all)
    }

    /// As the library takes them.
    pub fn options(&self, max_gap: Option<f64>) -> Options {
        let runs = usize::try_from(self.runs).unwrap_or(usize::MAX);
        Options {
            method: match self.method {
                Method::Global => Search::Global,
                Method::Evolution => Search::Evolution { runs },
            },
            max_gap,
            seed: self.seed,
            trend: Trend {
                drift: self.drift,
                creep: if self.creep { Creep::Fitted } else { Creep::None },
                steps: self.steps.clone(),
            },
            lag: match self.lag {
                Some(seconds) => Lag::Fixed(seconds),
                None if self.lag_fitted => Lag::Fitted,
                None => Lag::None,
            },
            diagnose: self.diagnose,
            outliers: self.outliers,
            bootstrap: usize::try_from(self.bootstrap).unwrap_or(usize::MAX),
            ..Options::default()
        }
    }
}

//! What was looked for in a record and not found.

use super::Fitted;
use stickslip_calibrate::{Logged, What};

/// How a fit says that something is there.
#[derive(Clone, Copy)]
enum Says {
    /// By a finding.
    Finding(What),
    /// By a warning of how the record was made.
    Warning(Logged),
}

/// What every fit looks for.
const ALWAYS: [(&str, Says); 10] = [
    ("spikes", Says::Finding(What::Spikes)),
    ("codes for missing values", Says::Finding(What::Sentinels)),
    ("values that are carried forward", Says::Warning(Logged::Carried)),
    ("values between readings that were filled in", Says::Warning(Logged::FilledIn)),
    ("a dead band", Says::Warning(Logged::DeadBand)),
    ("a sensor that is stuck", Says::Warning(Logged::Stuck)),
    ("rounding that matters", Says::Finding(What::Rounding)),
    ("rows that are means", Says::Warning(Logged::Means)),
    ("a temperature that comes late", Says::Warning(Logged::LateDrive)),
    ("an expansion that no deck has", Says::Warning(Logged::Expansion)),
];

/// What explains residuals that are more than noise.
const READINGS: [(What, &str); 9] = [
    (What::Step, "a step of the reading"),
    (What::Drift, "a drift of the reading"),
    (What::Creep, "a creep of the reading"),
    (What::Lag, "a lag of the deck"),
    (What::Shift, "a shift of the clocks"),
    (What::Change, "a change of the friction"),
    (What::Gain, "another gain, unit or sign"),
    (What::Expansion, "another expansion"),
    (What::Viscous, "damping in place of dry friction"),
];

/// Two sentences, or as many as there is something to say.
pub fn sentences(fitted: &Fitted) -> Vec<String> {
    let fit = &fitted.fit;
    let named = |what: What| fit.diagnosis.iter().any(|f| f.what == what);
    let listed = |items: Vec<&str>| match items.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => items.concat(),
    };
    let is_there = |says: Says| match says {
        // A few spikes are counted, and are no finding.
        Says::Finding(What::Spikes) => named(What::Spikes) || fit.outliers > 0,
        Says::Finding(what) => named(what),
        Says::Warning(of) => fit.logged.contains(&of),
    };
    let absent = ALWAYS.iter().filter(|(_, says)| !is_there(*says));
    let absent: Vec<&str> = absent.map(|a| a.0).collect();
    let open = READINGS.iter().filter(|(what, _)| !named(*what)).filter(|(what, _)| {
        // A lag or a shift that is fitted or given, or a trend, is a part of the model, and no explanation of its own.
        match what {
            What::Lag => fit.lag.is_none(),
            What::Shift => fit.shift.is_none(),
            What::Creep => fit.trend.as_ref().is_none_or(|t| t.creep.is_none()),
            What::Drift => fit.trend.as_ref().is_none_or(|t| t.drift.is_none()),
            _ => true,
        }
    });
    let tried = open.clone().filter(|(what, _)| fit.looked_for.contains(what));
    let tried: Vec<&str> = tried.map(|r| r.1).collect();
    let open: Vec<&str> = open.map(|r| r.1).collect();
    let mut said = Vec::new();
    if !absent.is_empty() {
        said.push(format!("Looked for and not found: {}.", listed(absent)));
    }
    match fit.residuals_are_noise {
        Some(true) => said.push(format!(
            "The residuals are noise as far as can be seen: {} had nothing to explain.",
            listed(open)
        )),
        Some(false) if !tried.is_empty() => said.push(format!(
            "The residuals are more than noise. Not found to explain them: {}.",
            listed(tried)
        )),
        Some(false) => {}
        None => said.push("What else is in the residuals was not looked for.".to_owned()),
    }
    said
}

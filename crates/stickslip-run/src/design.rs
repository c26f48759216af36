//! The logs of a servo to record next: what a fit leaves open, and the trajectories within limits that would tell it.

use crate::calibrate::Watch;
use crate::context::Context;
use crate::export;
use crate::product::Product;
use crate::summary::Head;
use serde::Deserialize;
use serde_json::json;
use stickslip_calibrate::Error;
use stickslip_calibrate::joint::{self, Joined, Known, Limits};
use stickslip_file::joint_fit::{HELP, JointFit, no_fit};
use stickslip_file::{Diagnostic, FailureKind, Reading, Remedy, Result};

/// Within what the next logs are to be recorded.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, clap::Args)]
#[group(skip)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Design {
    /// Largest torque of the motor at the shaft, N·m [default: what the motor can give].
    #[arg(long, value_name = "N·M")]
    pub torque: Option<f64>,
    /// Largest speed, rad/s [default: no limit].
    #[arg(long, value_name = "RAD/S")]
    pub speed: Option<f64>,
    /// Largest angle to either side of 0, rad [default: 1].
    #[arg(long, value_name = "RAD")]
    pub angle: Option<f64>,
    /// Length of a log, s [default: 6].
    #[arg(long, value_name = "S")]
    pub seconds: Option<f64>,
    /// How many logs [default: 3].
    #[arg(long, value_name = "N")]
    pub logs: Option<usize>,
}

/// Most logs of one design, and the longest one, s.
const MOST: usize = 20;
const LONGEST: f64 = 600.0;

impl Design {
    fn limits(&self) -> Result<Limits> {
        let seconds = above_0(["seconds", "length of a log", "s"], self.seconds, 6.0)?;
        if seconds > LONGEST {
            let said = format!("the length of a log is {seconds} s; expected at most {LONGEST} s");
            return Err(Diagnostic::command_line(said).help("ask for more logs instead"));
        }
        let logs = self.logs.unwrap_or(3);
        if !(1..=MOST).contains(&logs) {
            let said = format!("the number of logs is {logs}; expected 1 to {MOST}");
            return Err(Diagnostic::command_line(said).help("record these, fit, and design again"));
        }
        let angle = above_0(["angle", "largest angle", "rad"], self.angle, 1.0)?;
        if !angle.is_finite() {
            let said =
                "the largest angle is infinite; expected the angle that the arm may reach, rad";
            return Err(Diagnostic::command_line(said).help("give a number, such as 1.2"));
        }
        Ok(Limits {
            torque: above_0(["torque", "largest torque", "N·m"], self.torque, f64::INFINITY)?,
            speed: above_0(["speed", "largest speed", "rad/s"], self.speed, f64::INFINITY)?,
            angle,
            seconds,
            logs,
        })
    }
}

/// The value of an option, by its name, what it is and its unit; its default where it is not given.
fn above_0(
    [option, what, unit]: [&'static str; 3],
    value: Option<f64>,
    default: f64,
) -> Result<f64> {
    let value = value.unwrap_or(default);
    if value > 0.0 {
        return Ok(value);
    }
    let said = format!("the {what} is {value} {unit}; expected a number above 0");
    Err(Diagnostic::command_line(said).with_remedy(Remedy::Omit(option)))
}

/// The logs to record next, for the fit in the folder `folder` of results.
///
/// # Errors
/// Where an option is wrong, the folder holds no fit of a servo to many logs, or no trajectory stays within the limits.
pub fn design(
    options: &Design,
    folder: &str,
    reading: &Reading,
    context: &Context<'_>,
) -> Result<Product> {
    let limits = options.limits()?;
    let folder = folder.trim_end_matches('/');
    let fit_name = format!("{folder}/fit.json");
    let table_name = format!("{folder}/fit.csv");
    let fit = JointFit::read(&fit_name, text(reading, &fit_name)?.as_bytes())?;
    let errors = errors(&text(reading, &table_name)?);
    let found = fit.known.as_ref().and_then(|known| named(&fit, known).map(|named| (known, named)));
    let (known, named) = found.ok_or_else(|| no_fit(&fit_name))?;
    let found = Joined { joint: fit.joint, known: known.clone(), errors };
    let watch = Watch::whole(context);
    let (made, seconds) = context.timed(|| joint::design(&found, &limits, &watch));
    let made = made.map_err(|e| refused(&fit_name, &e))?;
    let asked = json!({ "fit": folder, "torque": options.torque, "speed": options.speed, "angle": limits.angle,
        "seconds": limits.seconds, "logs": limits.logs });
    let head = Head::of("design", &asked, "expected information", 1).after(seconds);
    let summary = head.with(json!({ "candidates": made.candidates, "refused": made.refused }));
    let inputs = vec![fit_name, table_name];
    Ok(Product {
        inputs,
        ..export::design::export(summary, export::design::Planned { made, named })
    })
}

fn text(reading: &Reading, name: &str) -> Result<String> {
    let bytes = reading.resources().read(name);
    let bytes =
        bytes.map_err(|e| Diagnostic::new(format!("{name}: cannot be read: {e}")).help(HELP))?;
    String::from_utf8(bytes.to_vec())
        .map_err(|_| Diagnostic::new(format!("{name}: is not a text")).help(HELP))
}

fn refused(name: &str, e: &Error) -> Diagnostic {
    let said = format!("{name}: {e}");
    match e {
        Error::Interrupted => Diagnostic::of(FailureKind::Interrupted, said),
        _ => Diagnostic::unsolvable(said),
    }
}

/// The errors of each log that was fitted: the last column of `fit.csv`, which is empty for a log that was held out.
fn errors(table: &str) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<f64>> = Vec::new();
    let mut last = None;
    for line in table.lines().skip(1) {
        // The file of a log may have commas in its name, the five numbers after it have none.
        let cells: Vec<&str> = line.rsplitn(6, ',').collect();
        let [error, _, measured, _, _, log] = cells.as_slice() else { continue };
        if error.is_empty() && !measured.is_empty() {
            continue;
        }
        if last != Some(*log) {
            all.push(Vec::new());
            last = Some(*log);
        }
        if let Some(of) = all.last_mut() {
            of.push(error.parse().unwrap_or(f64::NAN));
        }
    }
    // Of a log that was held out nothing but rows without an angle are left.
    all.retain(|of| of.iter().any(|e| e.is_finite()));
    all
}

/// The keys and units of the numbers, in the order in which they were sought.
fn named(fit: &JointFit, known: &Known) -> Option<Vec<(String, String)>> {
    let unit = |name: &String| Some((name.clone(), fit.parameters.get(name)?.unit.clone()));
    let named: Vec<(String, String)> = known.names.iter().map(unit).collect::<Option<_>>()?;
    (named.len() == known.sought.len()).then_some(named)
}

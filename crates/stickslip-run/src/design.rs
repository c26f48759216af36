//! The logs of a servo to record next: what a fit leaves open, and the trajectories within limits that would tell it.

use crate::calibrate::Watch;
use crate::context::Context;
use crate::export;
use crate::product::Product;
use crate::summary::Head;
use serde::Deserialize;
use serde_json::{Value, json};
use stickslip_calibrate::Error;
use stickslip_calibrate::joint::drive::Drive;
use stickslip_calibrate::joint::gear::{Gear, Way};
use stickslip_calibrate::joint::{self, Joined, Joint, Limits, MOUNTINGS};
use stickslip_file::{Diagnostic, Kind, Reading, Remedy, Result};

/// Within what the next logs are to be recorded.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[cfg_attr(feature = "command-line", derive(clap::Args), group(skip))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Design {
    /// Largest torque of the motor at the shaft, N·m [default: what the motor can give].
    #[cfg_attr(feature = "command-line", arg(long, value_name = "N·M"))]
    pub torque: Option<f64>,
    /// Largest speed, rad/s [default: any].
    #[cfg_attr(feature = "command-line", arg(long, value_name = "RAD/S"))]
    pub speed: Option<f64>,
    /// Largest angle to either side of 0, rad [default: 1].
    #[cfg_attr(feature = "command-line", arg(long, value_name = "RAD"))]
    pub angle: Option<f64>,
    /// Length of a log, s [default: 6].
    #[cfg_attr(feature = "command-line", arg(long, value_name = "S"))]
    pub seconds: Option<f64>,
    /// How many logs [default: 3].
    #[cfg_attr(feature = "command-line", arg(long, value_name = "N"))]
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
    let fit: Value = serde_json::from_str(&text(reading, &fit_name)?)
        .map_err(|e| Diagnostic::new(format!("{fit_name}: is not JSON: {e}")).help(HELP))?;
    let errors = errors(&text(reading, &table_name)?);
    let no_fit = || {
        let said = format!("{fit_name}: is not the fit of a servo to many logs by this version");
        Diagnostic::new(said).help(HELP)
    };
    let found = joined(&fit, errors).ok_or_else(no_fit)?;
    let named = named(&fit).filter(|n| n.len() == found.known.sought.len()).ok_or_else(no_fit)?;
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

const HELP: &str = "name the folder that `stickslip calibrate FIT.toml --out DIR` wrote, FIT.toml with an index of logs";

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
        Error::Interrupted => Diagnostic::of(Kind::Interrupted, said),
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
fn named(fit: &Value) -> Option<Vec<(String, String)>> {
    let order = fit.pointer("/known/names")?.as_array()?;
    let parameters = fit.get("parameters")?;
    let one = |name: &Value| {
        let name = name.as_str()?;
        let unit = parameters.get(name)?.get("unit")?.as_str()?;
        Some((name.to_owned(), unit.to_owned()))
    };
    order.iter().map(one).collect()
}

fn joined(fit: &Value, errors: Vec<Vec<f64>>) -> Option<Joined> {
    let joint = joint_of(fit.get("joint")?)?;
    let known = serde_json::from_value(fit.get("known")?.clone()).ok()?;
    Some(Joined { joint, known, errors })
}

/// A joint as `fit.json` holds it; what is infinite is null there.
pub fn joint_of(value: &Value) -> Option<Joint> {
    let drive = value.get("drive")?;
    let gear = value.get("gear")?;
    let number = |of: &Value, key: &str| of.get(key).and_then(Value::as_f64);
    let of_drive = |key: &str| number(drive, key);
    let of_gear = |key: &str| number(gear, key);
    let ways: Vec<Way> = gear
        .get("ways")?
        .as_array()?
        .iter()
        .map(|way| {
            Some(Way {
                dynamic: number(way, "dynamic")?,
                drop: number(way, "drop")?,
                velocity: number(way, "velocity")?,
                exponent: number(way, "exponent")?,
                viscous: number(way, "viscous")?,
            })
        })
        .collect::<Option<_>>()?;
    let vertical = match value.get("vertical")? {
        Value::Array(all) => {
            let all: Vec<f64> = all.iter().map(Value::as_f64).collect::<Option<_>>()?;
            all.try_into().ok()?
        }
        one => [one.as_f64()?; MOUNTINGS],
    };
    Some(Joint {
        drive: Drive {
            gain: of_drive("gain")?,
            delay: of_drive("delay")?,
            speed_limit: of_drive("speed_limit").unwrap_or(f64::INFINITY),
            start: of_drive("start")?,
            derivative: of_drive("derivative")?,
            limit: of_drive("limit").unwrap_or(f64::INFINITY),
            torque_constant: of_drive("torque_constant")?,
            resistance: of_drive("resistance")?,
            tick: of_drive("tick")?,
            current: drive.get("current")?.as_bool()?,
        },
        gear: Gear {
            ways: ways.try_into().ok()?,
            quadratic: of_gear("quadratic")?,
            external: of_gear("external")?,
            motor: of_gear("motor")?,
            rest: of_gear("rest")?,
            driving: of_gear("driving")?,
            back_driven: of_gear("back_driven")?,
            armature: of_gear("armature")?,
        },
        vertical,
    })
}

//! A fitted servo as part of another simulator: its numbers under keys, and what it does with others in their place.

use crate::asked::{Number, Range};
use crate::diagnostic::{Diagnostic, Result};
use crate::joint_fit::{JointFit, no_fit};
use crate::joint_motion::{Begin, JointMotion};
use serde_json::Value;
use stickslip_calibrate::joint::{Joint, MOUNTINGS};

/// The name of the fit among the resources of an FMU.
pub const FIT: &str = "fit.json";
/// Where a simulation ends by default, s.
pub const END: f64 = 10.0;

/// A number of a joint: the key, its unit, what it may be, and what it is.
type Known = (&'static str, &'static str, Range, &'static str);

use Range::{Any, NotNegative, Positive};

/// The numbers of a joint by the last parts of their keys.
#[rustfmt::skip]
const KNOWN: [Known; 26] = [
    ("gain", "", NotNegative, "duty for each radian with a supply, V for each radian without, times `factor_of_gain`"),
    ("delay", "s", NotNegative, "from goal to motion"),
    ("speed_limit", "rad/s", NotNegative, "the largest speed at which the goal moves"),
    ("start", "", Any, "what is added to the duty or the voltage in the direction of the error"),
    ("derivative", "", Any, "duty or V for each rad/s, against the motion"),
    ("limit", "", NotNegative, "the largest duty or voltage"),
    ("torque_constant", "N·m/A", Positive, "torque constant at the shaft"),
    ("resistance", "Ω", Positive, "resistance of the motor"),
    ("tick", "s", NotNegative, "time between two outputs of the controller; 0 where it does not matter"),
    ("dynamic", "N·m", NotNegative, "friction in fast slip, before viscous friction"),
    ("drop", "N·m", Any, "how much larger the friction is at rest"),
    ("velocity", "rad/s", Positive, "within which the friction falls"),
    ("exponent", "", Positive, "of the fall"),
    ("viscous", "N·m·s/rad", NotNegative, "viscous friction"),
    ("quadratic", "N·m·s²/rad²", NotNegative, "friction that grows with the square of the speed"),
    ("external", "", Any, "growth with the torque of the load"),
    ("motor", "", Any, "growth with the torque of the motor"),
    ("rest", "", Any, "how much more of this growth there is at rest"),
    ("driving", "", NotNegative, "growth with the torque that the gear transmits where the motor drives"),
    ("back_driven", "", NotNegative, "growth with the torque that the gear transmits where the load drives"),
    ("armature", "kg·m²", NotNegative, "inertia of motor and gear at the shaft"),
    ("backlash", "rad", NotNegative, "how far the arm turns while the motor stands still"),
    ("compliance", "rad/(N·m)", NotNegative, "of the bristle, the inverse of its stiffness; 0 where the gear does not yield"),
    ("bristle_damping", "N·m·s/rad", NotNegative, "damping of the bristle"),
    ("breakaway_share", "", NotNegative, "share of its limit up to which the bristle is elastic; 0 where it yields from the beginning"),
    ("vertical", "rad", Any, "angle at which the load hangs"),
];

/// The numbers beside those of the joint: what it moves, and where it begins.
#[rustfmt::skip]
const AROUND: [Known; 6] = [
    ("load.inertia", "kg·m²", NotNegative, "of the load"),
    ("load.gravity_torque", "N·m", NotNegative, "m g l of the load"),
    ("factor_of_gain", "", Any, "factor of the gain, as the column `gain` of the index"),
    ("mounting", "", NotNegative, "which mounting of the load, from 0 in the order of the index"),
    ("initial.angle", "rad", Any, "angle at the start"),
    ("initial.speed", "rad/s", Any, "speed at the start"),
];

/// A fitted servo for another simulator.
#[derive(Debug, Clone)]
pub struct JointUnit {
    /// The numbers of the joint as they stand in the file.
    joint: Value,
    begin: Begin,
    /// V, at which the controller works where nobody says otherwise.
    pub supply: f64,
}

impl JointUnit {
    /// That of the bytes of a `fit.json` called `name`.
    ///
    /// # Errors
    /// Where they are not the fit of a servo to many logs.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self> {
        let fit = JointFit::read(name, bytes)?;
        let all: Value = serde_json::from_slice(bytes).map_err(|_| no_fit(name))?;
        let joint = all.get("joint").cloned().ok_or_else(|| no_fit(name))?;
        let gain = fit.usual_gain.unwrap_or(1.0);
        let begin = Begin {
            inertia: 0.0,
            gravity_torque: 0.0,
            gain,
            mounting: 0,
            goal: 0.0,
            angle: 0.0,
            speed: 0.0,
        };
        Ok(Self { joint, begin, supply: fit.usual_supply.unwrap_or(1.0) })
    }

    /// Its numbers with what each is: what it moves and where it begins, then those of the joint, each under its key in the
    /// file. What is infinite there has no number.
    pub fn numbers(&self) -> Vec<(Number, String)> {
        let number = |(path, value): (&str, f64), (_, unit, range, _): Known| Number {
            path: path.to_owned(),
            value,
            unit,
            range,
            whole: path == "mounting",
            place: None,
        };
        let b = &self.begin;
        let values = [b.inertia, b.gravity_torque, b.gain, b.mounting as f64, b.angle, b.speed];
        let around = AROUND.into_iter().zip(values);
        let mut all: Vec<_> = around
            .map(|(known, value)| (number((known.0, value), known), known.3.to_owned()))
            .collect();
        let mut found = Vec::new();
        leaves(&self.joint, "", &mut found);
        for (path, value) in found {
            // The last part of the key that is a name: `vertical.3`, `gear.ways.0.dynamic`.
            let name = path.split('.').rfind(|part| part.parse::<usize>().is_err());
            let Some(known) = KNOWN.into_iter().find(|k| Some(k.0) == name) else { continue };
            let way = match () {
                () if path.contains("ways.0") => ", forwards",
                () if path.contains("ways.1") => ", backwards",
                () => "",
            };
            all.push((number((&path, value), known), format!("{}{way}", known.3)));
        }
        all
    }

    /// The same servo with these numbers in the places of its own.
    ///
    /// # Errors
    /// Where there is no such number.
    pub fn with<'a>(&self, values: impl IntoIterator<Item = (&'a str, f64)>) -> Result<Self> {
        let mut made = self.clone();
        for (key, value) in values {
            made.put(key, value)?;
        }
        Ok(made)
    }

    fn put(&mut self, key: &str, value: f64) -> Result<()> {
        let b = &mut self.begin;
        match key {
            "load.inertia" => b.inertia = value,
            "load.gravity_torque" => b.gravity_torque = value,
            "factor_of_gain" => b.gain = value,
            "mounting" => {
                if value.fract() != 0.0 || !(0.0..MOUNTINGS as f64).contains(&value) {
                    let said = format!(
                        "`mounting` is {value}; expected a whole number from 0 to {}",
                        MOUNTINGS - 1
                    );
                    return Err(Diagnostic::new(said)
                        .help("mountings are counted in the order of the index"));
                }
                b.mounting = value as usize;
            }
            "initial.angle" => b.angle = value,
            "initial.speed" => b.speed = value,
            _ => {
                let pointer = format!("/{}", key.replace('.', "/"));
                let place = self.joint.pointer_mut(&pointer).filter(|v| v.is_number());
                let none =
                    || Diagnostic::new(format!("the fit has no number `{key}`")).naming_keys();
                *place.ok_or_else(none)? = Value::from(value);
            }
        }
        Ok(())
    }

    /// Its motion, which begins with a goal, rad, that the controller has had for long.
    ///
    /// # Errors
    /// Where the joint has no unique acceleration with its load.
    pub fn motion(&self, goal: f64) -> Result<JointMotion> {
        let joint: Joint = serde_json::from_value(self.joint.clone()).map_err(|_| no_fit(FIT))?;
        JointMotion::of(joint, &Begin { goal, ..self.begin })
    }
}

/// The numbers below `value` with their keys.
fn leaves(value: &Value, path: &str, found: &mut Vec<(String, f64)>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, v)| leaves(v, &below(key), found)),
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(i, v)| leaves(v, &below(&i.to_string()), found));
        }
        Value::Number(n) => found.extend(n.as_f64().map(|n| (path.to_owned(), n))),
        _ => {}
    }
}

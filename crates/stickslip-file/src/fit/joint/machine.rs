//! `[model]`: the drive of a joint, its gear, and the load as far as all logs have the same.

use super::gear::{FRICTION, gear};
use crate::asked::Asked;
use crate::diagnostic::{Diagnostic, Result};
use crate::node::Node;
use crate::place::Placed;
use crate::reader::{Table, any, not_negative, positive};
use stickslip_calibrate::joint::drive::Drive;
use stickslip_calibrate::joint::gear::{Gear, Load};
use stickslip_calibrate::joint::{Joint, MOUNTINGS};

pub const MODEL: [&str; 14] = [
    "kind",
    "control",
    "gain",
    "limit",
    "torque_constant",
    "resistance",
    "armature",
    "damping",
    "vertical",
    "drive",
    "friction",
    "load",
    "backlash",
    "encoder",
];
const DRIVE: [&str; 5] = ["delay", "speed_limit", "start", "derivative", "tick"];
const LOAD: [&str; 4] = ["inertia", "mass", "length", "gravity_torque"];
/// Gravity, m/s².
const GRAVITY: f64 = 9.806_65;
/// A tick below this, s, is none.
const SHORTEST_TICK: f64 = 1e-3;

/// What `[model]` says, before it is known which logs there are.
pub struct Machine {
    pub joint: Joint,
    pub load: LoadKeys,
    /// Whether `gain` is given.
    pub gain: bool,
}

/// The keys of a load, as far as they are given.
#[derive(Clone, Copy, Default)]
pub struct LoadKeys {
    pub inertia: Option<f64>,
    pub mass: Option<f64>,
    pub length: Option<f64>,
    pub gravity_torque: Option<f64>,
}

impl LoadKeys {
    /// J and m g l. Where inertia and gravity are both given, mass and length add nothing: they only name the load.
    pub fn load(self) -> Load {
        let mass = self.mass.unwrap_or(0.0);
        let length = self.length.unwrap_or(0.0);
        let of_mass = if self.inertia.is_some() && self.gravity_torque.is_some() {
            0.0
        } else {
            mass * length * length
        };
        Load {
            inertia: self.inertia.unwrap_or(0.0) + of_mass,
            gravity: self.gravity_torque.unwrap_or(mass * GRAVITY * length),
        }
    }
}

impl Machine {
    pub fn read(node: &Node, asked: Option<&Asked>, duty: bool) -> Result<Self> {
        let t = Table::root(node, &MODEL)?.asking(asked);
        let backlash = t.number_or("backlash", not_negative("rad"), 0.0)?;
        let encoder_at_motor = encoder(&t)?;
        let control = current(&t)?;
        if let (true, Some(control)) = (duty, &control) {
            let message = "`control` is \"current\", and `supply` is given: a current that is controlled does not depend on the supply";
            return Err(Diagnostic::at(&control.place, message)
                .help("remove `supply`, and give `gain` in A/rad"));
        }
        if control.is_some() && t.has("resistance") {
            let message = "`resistance` has no effect where the drive controls the current";
            return Err(Diagnostic::at(t.place_of("resistance"), message).help("remove it"));
        }
        let drive = drive(&t, duty, control.is_some())?;
        let damping = t.number_or("damping", not_negative("N·m·s/rad"), 0.0)?;
        let armature = t.number_or("armature", not_negative("kg·m²"), 0.0)?;
        let vertical = t.number_or("vertical", any("rad"), 0.0)?;
        let friction = t.table("friction", &FRICTION)?;
        let has_viscous = ["stribeck-exponential", "lugre", "elasto-plastic"];
        if t.has("damping") && has_viscous.into_iter().any(|law| friction.has(law)) {
            let message = "`damping` and the `viscous` of the friction law are the same friction; expected one of them";
            return Err(Diagnostic::at(t.place_of("damping"), message)
                .help("add it to `viscous` and remove `damping`"));
        }
        let gear = Gear { backlash, encoder_at_motor, ..gear(&t, armature, damping)? };
        let load = t.table_or_empty("load", &LOAD)?;
        let opt = |key: &str, what| load.number_opt(key, what).map(|n| n.map(|n| n.value));
        let load = LoadKeys {
            inertia: opt("inertia", not_negative("kg·m²"))?,
            mass: opt("mass", not_negative("kg"))?,
            length: opt("length", not_negative("m"))?,
            gravity_torque: opt("gravity_torque", not_negative("N·m"))?,
        };
        Ok(Self {
            joint: Joint { drive, gear, vertical: [vertical; MOUNTINGS] },
            load,
            gain: t.has("gain"),
        })
    }

    /// What the gain is in, for each radian.
    pub fn gain_unit(&self, duty: bool) -> &'static str {
        match (self.joint.drive.current, duty) {
            (true, _) => "A",
            (_, true) => "duty",
            _ => "V",
        }
    }
}

/// The drive. Its gain is in duty where there is a supply, in A/rad where it controls the current, else in V/rad.
fn drive(t: &Table<'_>, duty: bool, current: bool) -> Result<Drive> {
    let drive = t.table_or_empty("drive", &DRIVE)?;
    let [gain_unit, limit_unit, each_speed] = match (current, duty) {
        (true, _) => ["A/rad", "A", "A·s/rad"],
        (_, true) => ["1/rad", "", "s/rad"],
        _ => ["V/rad", "V", "V·s/rad"],
    };
    let limit = if duty { 1.0 } else { f64::INFINITY };
    let tick = drive.number_or("tick", not_negative("s"), 0.0)?;
    if tick > 0.0 && tick < SHORTEST_TICK {
        let message = format!("`tick` is {tick} s; expected 0 or at least {SHORTEST_TICK} s");
        return Err(Diagnostic::at(drive.place_of("tick"), message)
                .help("leave it out: an output that is held for so short a time is as good as one that is not"));
    }
    Ok(Drive {
        gain: t.number_or("gain", positive(gain_unit), 1.0)?,
        delay: drive.number_or("delay", not_negative("s"), 0.0)?,
        speed_limit: drive.number_or("speed_limit", positive("rad/s"), f64::INFINITY)?,
        start: drive.number_or("start", not_negative(limit_unit), 0.0)?,
        derivative: drive.number_or("derivative", not_negative(each_speed), 0.0)?,
        limit: t.number_or("limit", positive(limit_unit), limit)?,
        torque_constant: t.number("torque_constant", positive("N·m/A"))?,
        resistance: t.number_or("resistance", positive("Ω"), 1.0)?,
        tick,
        current,
    })
}

/// Whether the encoder sees the motor. Which side it sees matters where there is a backlash.
fn encoder(t: &Table<'_>) -> Result<bool> {
    let Some(encoder) = t.text_opt("encoder", "`output` or `motor`")? else { return Ok(false) };
    if !t.has("backlash") {
        let message = "`encoder` has no effect without a backlash";
        return Err(Diagnostic::at(&encoder.place, message)
            .help("give `backlash`, which may be 0.0 where it is sought, or remove `encoder`"));
    }
    match encoder.value.as_str() {
        "output" => Ok(false),
        "motor" => Ok(true),
        other => {
            let message = format!("`encoder` is \"{other}\"; expected \"output\" or \"motor\"");
            Err(Diagnostic::at(&encoder.place, message)
                .help("an encoder on the shaft of the arm is one of the output"))
        }
    }
}

/// The text that says that the drive controls the current, if it does.
pub fn current(t: &Table<'_>) -> Result<Option<Placed<String>>> {
    let Some(control) = t.text_opt("control", "`voltage` or `current`")? else { return Ok(None) };
    match control.value.as_str() {
        "voltage" => Ok(None),
        "current" => Ok(Some(control)),
        other => {
            let message = format!("`control` is \"{other}\"; expected \"voltage\" or \"current\"");
            Err(Diagnostic::at(&control.place, message)
                .help("a controller that gives a torque is one of the current, with torque_constant = 1.0"))
        }
    }
}

//! Where the numbers that are sought stand in a joint.

use super::super::model::Free;
use super::gear::LAWS;
use crate::diagnostic::{Diagnostic, Result};
use crate::reader::Table;
use stickslip_calibrate::joint::{Above, Joint, Slot, Unknown, Ways};

/// Where each unknown stands in the joint.
pub fn sought(unknown: &[Free], fit: &Table<'_>, joint: &Joint) -> Result<Vec<Unknown>> {
    let at = |key: &str| unknown.iter().position(|u| u.key == key);
    let mut all = Vec::new();
    for u in unknown {
        let place = fit.place_of("unknown");
        if let Some(other) = u.tied.first() {
            let message =
                format!("`{}` is tied to `{other}`; numbers of a servo are not tied", u.key);
            return Err(Diagnostic::at(place, message).help("remove `tied`"));
        }
        let Some(slot) = slot(&u.key) else {
            let message =
                format!("`{}` cannot be sought: it differs from log to log, or is fixed", u.key);
            return Err(Diagnostic::at(place, message).help("give it in [model] or in the index"));
        };
        let mut range = [u.from, u.to];
        let mut above = None;
        if let (Some(law), Slot::Drop(ways)) = (u.key.strip_suffix(".static"), slot) {
            above = Some(match at(&format!("{law}.dynamic")) {
                Some(j) => Above::Unknown(j),
                None => Above::Known(joint.get(Slot::Dynamic(ways))),
            });
            range = match above {
                Some(Above::Known(dynamic)) => {
                    [(u.from - dynamic).max(0.0), (u.to - dynamic).max(0.0)]
                }
                _ => [0.0, u.to],
            };
        }
        if slot == Slot::Compliance {
            range = [1.0 / u.to, 1.0 / u.from];
        }
        all.push(Unknown { name: u.key.clone(), unit: u.unit, slot, range, above });
    }
    Ok(all)
}

/// The slot of a key of `[model]`.
pub fn slot(key: &str) -> Option<Slot> {
    let of_law = |law: &str| {
        let rest = key.strip_prefix("friction.")?;
        rest.strip_prefix(law)?.strip_prefix('.')
    };
    if let Some(number) = LAWS.into_iter().find_map(of_law) {
        return of_friction(number);
    }
    if let Some(number) = key.strip_prefix("friction.load.") {
        return of_load(number);
    }
    Some(match key {
        "gain" => Slot::Gain,
        "limit" => Slot::Limit,
        "torque_constant" => Slot::TorqueConstant,
        "resistance" => Slot::Resistance,
        "armature" => Slot::Armature,
        "backlash" => Slot::Backlash,
        "damping" => Slot::Viscous(Ways::Both),
        "vertical" => Slot::Vertical(None),
        "friction.quadratic" => Slot::Quadratic(Ways::Both),
        "friction.quadratic.forward" => Slot::Quadratic(Ways::Forward),
        "friction.quadratic.backward" => Slot::Quadratic(Ways::Backward),
        "drive.delay" => Slot::Delay,
        "drive.speed_limit" => Slot::SpeedLimit,
        "drive.start" => Slot::Start,
        "drive.derivative" => Slot::Derivative,
        _ => return None,
    })
}

/// The direction above a number, if there is one, and the number.
fn directed(number: &str) -> (Ways, &str) {
    match number.split_once('.') {
        Some(("forward", number)) => (Ways::Forward, number),
        Some(("backward", number)) => (Ways::Backward, number),
        _ => (Ways::Both, number),
    }
}

/// The slot of a number of the load.
fn of_load(number: &str) -> Option<Slot> {
    let (ways, number) = directed(number);
    match number {
        "external" => Some(Slot::External(ways)),
        "motor" => Some(Slot::Motor(ways)),
        "rest" => Some(Slot::Rest(ways)),
        "transmitted" => Some(Slot::Transmitted(ways)),
        "transmitted.driving" => Some(Slot::Driving(ways)),
        "transmitted.back_driven" => Some(Slot::BackDriven(ways)),
        _ => None,
    }
}

/// The slot of a number of a law, which may stand below a direction.
fn of_friction(number: &str) -> Option<Slot> {
    let (ways, number) = directed(number);
    match number {
        "force" | "dynamic" => Some(Slot::Dynamic(ways)),
        "static" => Some(Slot::Drop(ways)),
        "velocity" => Some(Slot::Velocity(ways)),
        "exponent" => Some(Slot::Exponent(ways)),
        "viscous" => Some(Slot::Viscous(ways)),
        "stiffness" => Some(Slot::Compliance),
        "damping" => Some(Slot::BristleDamping),
        "breakaway_share" => Some(Slot::BreakawayShare),
        _ => None,
    }
}

//! Which numbers belong to which term of the model, and how a term is switched off.

use super::Slot;

/// The number with which a term is off, and what is not sought then either.
pub fn off(slot: Slot) -> Option<(f64, Vec<Slot>)> {
    match slot {
        Slot::SpeedLimit => Some((f64::INFINITY, Vec::new())),
        Slot::Delay
        | Slot::Start
        | Slot::Derivative
        | Slot::Quadratic(_)
        | Slot::External(_)
        | Slot::Motor(_)
        | Slot::Rest(_)
        | Slot::Driving(_)
        | Slot::BackDriven(_)
        | Slot::Transmitted(_)
        | Slot::Vertical(None)
        | Slot::Viscous(_)
        | Slot::Backlash
        | Slot::BristleDamping
        | Slot::BreakawayShare
        | Slot::Dynamic(_) => Some((0.0, Vec::new())),
        // A gear that does not yield has no bristle to damp, nor one that could be elastic.
        Slot::Compliance => Some((0.0, vec![Slot::BristleDamping, Slot::BreakawayShare])),
        // Without a fall nothing shows within which speed it happens, or how.
        Slot::Drop(ways) => Some((0.0, vec![Slot::Velocity(ways), Slot::Exponent(ways)])),
        // A joint without a gain, a motor or an armature is none: these are no terms that could be left out.
        _ => None,
    }
}

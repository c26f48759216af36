//! What the library finds wrong with a network, at the line of the file that says so.

use super::Network;
use super::matrices;
use super::spring::Spring;
use crate::diagnostic::Diagnostic;
use crate::reader::Table;
use crate::units::about_an_axis;
use stickslip::Error;
use stickslip::model::network::PartKind;

/// What is wrong with a network, at the line that says so.
fn placed(t: &Table<'_>, error: Error) -> Diagnostic {
    let Error::BadNetwork { place, reason, remedy } = error else {
        return t.fault(error.to_string());
    };
    if place.kind == PartKind::Matrix {
        let table = t.table("matrices", &matrices::KEYS);
        let message = format!("{place}: {reason}");
        let found = table.map(|m| m.fault_in(place.property, place.index, "", message.clone()));
        return found.unwrap_or_else(|_| t.fault(message)).help(remedy);
    }
    let list = match place.kind {
        PartKind::Node | PartKind::State | PartKind::Matrix => "node",
        PartKind::Spring => "spring",
        PartKind::Dashpot => "dashpot",
        PartKind::Slider => "slider",
        PartKind::Stop => "stop",
        PartKind::Controller => "controller",
        PartKind::Gear => "gear",
        PartKind::Force => "force",
        PartKind::Motion => "motion",
    };
    t.fault_in(list, place.index, place.property, format!("{place}: {reason}")).help(remedy)
}

/// What the library says of a network along a line, in the units of an axis. Names stand in backticks and stay.
fn said_about_an_axis(reason: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_end_matches([',', ';', '.', ':', ')']);
        let turned = match bare {
            "mass" => Some("inertia"),
            unit => about_an_axis(unit),
        };
        turned.map_or_else(|| word.to_owned(), |t| format!("{t}{}", &word[bare.len()..]))
    };
    reason.split(' ').map(word).collect::<Vec<_>>().join(" ")
}
impl Network {
    /// What is wrong with it, at the line that says so. Springs are numbered among the linear ones, or among the others.
    pub(super) fn placed(&self, t: &Table<'_>, mut error: Error, linear: bool) -> Diagnostic {
        if let Error::BadNetwork { place, .. } = &mut error
            && place.kind == PartKind::Spring
        {
            let of = |s: &(usize, &Spring)| self.is_linear(s.1) == linear;
            let nth = self.spring.iter().enumerate().filter(of).nth(place.index);
            place.index = nth.map_or(place.index, |s| s.0);
        }
        if let Error::BadNetwork { reason, .. } = &mut error
            && self.rotation
        {
            *reason = said_about_an_axis(reason);
        }
        placed(t, error)
    }
}

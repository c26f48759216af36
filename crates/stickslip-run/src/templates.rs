//! Commented files to start from, one for every kind of model and of record.

use crate::synthetic::Record;

/// What stands in a template for its own name.
const FILE: &str = "FILE";
/// What stands in a template for the sentence about its record.
const RECORD: &str = "RECORD";

/// A template: what it is for, and the synthetic record that it names.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Template {
    /// What it is asked for by.
    pub name: &'static str,
    /// What it holds.
    pub about: &'static str,
    /// The study that it is for, and what that needs to know beside the file: `ensemble --paths 1000`.
    pub command: &'static str,
    /// The synthetic record that it is written with, if it fits one.
    pub record: Option<Record>,
    text: &'static str,
}

/// Every template.
pub const ALL: [Template; 25] = [
    model(
        "simulate",
        "A mass on a spring with dry friction",
        "simulate",
        include_str!("../templates/simulate.toml"),
    ),
    model(
        "ensemble",
        "The same under noise",
        "ensemble --paths 1000",
        include_str!("../templates/ensemble.toml"),
    ),
    model(
        "sweep",
        "A model to solve over a range of its numbers",
        "sweep --vary oscillator.stiffness=0.5:2:16",
        include_str!("../templates/sweep.toml"),
    ),
    model(
        "solutions",
        "A problem whose solution is in doubt",
        "solutions",
        include_str!("../templates/solutions.toml"),
    ),
    model(
        "network",
        "Nodes, springs, dashpots and sliders",
        "simulate",
        include_str!("../templates/network.toml"),
    ),
    model(
        "loop",
        "A mass with friction under a controller: does it hunt?",
        "hunt",
        include_str!("../templates/loop.toml"),
    ),
    model(
        "cascade",
        "One mass on a row of springs and friction elements",
        "simulate",
        include_str!("../templates/cascade.toml"),
    ),
    model("impact", "One mass between walls", "simulate", include_str!("../templates/impact.toml")),
    model(
        "planar",
        "One mass that slides on a plane, such as a building on isolators",
        "simulate",
        include_str!("../templates/planar.toml"),
    ),
    model(
        "isolated",
        "A rigid slab on isolators that may turn, with floors above it",
        "simulate",
        include_str!("../templates/isolated.toml"),
    ),
    model(
        "corner",
        "A point sent into a corner",
        "solutions",
        include_str!("../templates/corner.toml"),
    ),
    model(
        "schatzman",
        "A smooth force with two solutions",
        "solutions",
        include_str!("../templates/schatzman.toml"),
    ),
    fit(
        "calibrate",
        "Temperature and displacement of a bridge bearing",
        Record::BEARING,
        include_str!("../templates/calibrate.toml"),
    ),
    fit(
        "pulled-slider",
        "Spring force of a slider that is pulled at constant speed",
        Record::SLIDER,
        include_str!("../templates/pulled-slider.toml"),
    ),
    fit(
        "rigid-drive",
        "Position and force of a positioning axis",
        Record::DRIVE,
        include_str!("../templates/rigid-drive.toml"),
    ),
    fit(
        "base-driven",
        "A mass on a shaken frame; any model fits any record in this way",
        Record::RIG,
        include_str!("../templates/base-driven.toml"),
    ),
    fit(
        "servo",
        "A motor with a gear that rubs, and its load, from logs of its angle",
        Record::SERVO,
        include_str!("../templates/servo.toml"),
    ),
    fit(
        "servo-logs",
        "The servo of a robot, from many logs with an index: drive, gear and load, held-out error, export to simulators",
        Record::INDEX,
        include_str!("../templates/servo-logs.toml"),
    ),
    fit(
        "hysteresis",
        "Displacement and force of a damper or an isolator",
        Record::DAMPER,
        include_str!("../templates/hysteresis.toml"),
    ),
    fit(
        "hysteresis-laws",
        "The same record: which law with memory predicts it, and with which numbers?",
        Record::DAMPER,
        include_str!("../templates/hysteresis-laws.toml"),
    ),
    fit(
        "isolator",
        "Cyclic test of a sliding isolator along x and y",
        Record::ISOLATOR,
        include_str!("../templates/isolator.toml"),
    ),
    fit(
        "rock-friction",
        "Friction of rock under velocity steps and slide–hold–slide",
        Record::ROCK,
        include_str!("../templates/rock-friction.toml"),
    ),
    fit(
        "valve",
        "Output and process variable of a control loop: does its valve stick?",
        Record::LOOP,
        include_str!("../templates/valve.toml"),
    ),
    fit(
        "friction-curve",
        "Effort and motion of a joint or an axis: friction against speed",
        Record::JOINT,
        include_str!("../templates/friction-curve.toml"),
    ),
    Template {
        command: "fleet",
        ..fit(
            "fleet",
            "Many bearings, and which of them to look at first",
            Record::BRIDGE,
            include_str!("../templates/fleet.toml"),
        )
    },
];

const fn model(
    name: &'static str,
    about: &'static str,
    command: &'static str,
    text: &'static str,
) -> Template {
    Template { name, about, command, record: None, text }
}

const fn fit(
    name: &'static str,
    about: &'static str,
    record: Record,
    text: &'static str,
) -> Template {
    Template { name, about, command: "calibrate", record: Some(record), text }
}

/// The template called `name`.
pub fn find(name: &str) -> Option<Template> {
    ALL.into_iter().find(|t| t.name == name)
}

impl Template {
    /// The text on its own: its record is built in, so that it runs as it is.
    #[must_use]
    pub fn printed(&self) -> String {
        let usual = if self.record.is_some() { "fit.toml" } else { "model.toml" };
        let text = self.text.replace(FILE, usual);
        let Some(record) = self.record else { return text };
        let said = format!(
            "`{}` is a synthetic record that is built in, so that this file runs as it is. Put the\n\
             # path of your own table in its place.",
            record.built_in()
        );
        let own = record.name;
        let other = record.built_in();
        text.replace(&format!("\"{own}\""), &format!("\"{other}\"")).replace(RECORD, &said)
    }

    /// The text as the file `name`, with its record beside it.
    #[must_use]
    pub fn written(&self, name: &str) -> String {
        let text = self.text.replace(FILE, name);
        let Some(record) = self.record else { return text };
        let said = format!(
            "`{}` next to this file is a synthetic record to try it with. Put your own in its place.",
            record.name
        );
        text.replace(RECORD, &said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_different() {
        for template in ALL {
            assert_eq!(find(template.name).map(|t| t.about), Some(template.about));
            assert!(
                !template.printed().contains(RECORD)
                    && !template.written("a.toml").contains(RECORD)
            );
        }
    }
}

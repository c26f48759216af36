//! A fit file of `kind = "pulled-slider"`.

use super::experiment::{Columns, keys};
use crate::diagnostic::{Diagnostic, Result};
use crate::node::Node;
use crate::reader::{Table, positive};
use crate::reading::Gathered;
use crate::stated::{Dimension, Says};
use serde::Serialize;
use stickslip_calibrate::pulled_slider::{FALSE_ALARMS, GRAVITY, PulledSlider};

/// The file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct SliderFile {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is fitted.
    pub kind: &'static str,
    /// The record; its only column is the spring force as F/(m g).
    pub data: Columns,
    /// Column of the spring force.
    pub response: String,
    /// V, m/s.
    pub velocity: f64,
    /// k, N/m.
    pub stiffness: f64,
    /// m, kg.
    pub mass: f64,
    /// g, m/s².
    pub gravity: f64,
    /// α: expected number of false alarms.
    pub false_alarms: f64,
}

impl SliderFile {
    /// Reads a document and the record it names.
    pub(super) fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        let root = Table::root(document, &["title", "data", "model", "fit"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let model = root.table("model", &["kind", "velocity", "stiffness", "mass", "gravity"])?;
        let velocity = model.number("velocity", positive("m/s"))?;
        let stiffness = model.number("stiffness", positive("N/m"))?;
        let mass = model.number("mass", positive("kg"))?;
        let gravity = model.number_or("gravity", positive("m/s²"), GRAVITY)?;
        let mut false_alarms = FALSE_ALARMS;
        if let Some(t) = root.table_opt("fit", &["false_alarms"])? {
            let expected = positive("false alarms in a record without slips (at most 1)");
            if let Some(found) = t.number_opt("false_alarms", expected)? {
                if found.value > 1.0 {
                    let message = format!(
                        "`fit.false_alarms` is {:?}; expected a number > 0 and at most 1",
                        found.value
                    );
                    return Err(Diagnostic::at(&found.place, message).help(
                        "it is the expected number of false slips in a record without any: 0.01 is usual",
                    ));
                }
                false_alarms = found.value;
            }
        }
        let t = root.table("data", &keys(&["response", "response_unit"]))?;
        let response = t.text("response", "the name of the column of the spring force")?;
        let weight = mass * gravity;
        let unit = t.unit_like("response_unit", "unit of force", &["N", "1"], &["N", "mN", "1"])?;
        let expected = "the unit of the response: \"N\", \"mN\", or \"1\" for force/(m g)";
        let (which, unit) = unit.ok_or_else(|| t.missing("response_unit", expected))?.value;
        let unit = if which == 0 { unit.factor / weight } else { unit.factor };
        let dimension = if which == 0 { Dimension::Force } else { Dimension::Number };
        let factor = if which == 0 { unit * weight } else { unit };
        let says = [Says::factor(dimension, factor, "response_unit")];
        let mut data = Columns::read(&t, std::slice::from_ref(&response), &says, gathered)?;
        data.values.iter_mut().flatten().for_each(|v| *v *= unit);
        let response = response.value;
        let kind = "pulled-slider";
        Ok(Self { title, kind, data, response, velocity, stiffness, mass, gravity, false_alarms })
    }

    /// The rig.
    pub fn rig(&self) -> PulledSlider {
        let Self { velocity, stiffness, mass, gravity, false_alarms, .. } = *self;
        PulledSlider { velocity, stiffness, mass, gravity, false_alarms }
    }
}

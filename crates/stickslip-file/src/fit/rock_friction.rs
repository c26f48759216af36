//! A fit file of `kind = "rock-friction"`.

use super::experiment::{Columns, keys};
use crate::diagnostic::Result;
use crate::node::Node;
use crate::reader::{Table, positive};
use crate::reading::Gathered;
use crate::stated::{Dimension, Says};
use serde::Serialize;
use stickslip_calibrate::rock_friction::RockFriction;

/// The file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct RockFrictionFile {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is fitted.
    pub kind: &'static str,
    /// The record; its columns are the place of the load point (m) and the coefficient of friction.
    pub data: Columns,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Stiffness of the machine by the normal stress, 1/m, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Whether the friction may drift with the displacement.
    pub trend: bool,
}

impl RockFrictionFile {
    /// Reads a document and the record it names.
    pub(super) fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        let root = Table::root(document, &["title", "data", "model", "fit"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let model = root.table("model", &["kind", "stiffness"])?;
        let stiffness = model.number_opt("stiffness", positive("1/m"))?.map(|k| k.value);
        let trend = match root.table_opt("fit", &["trend"])? {
            Some(fit) => fit.flag_or("trend", false)?,
            None => false,
        };
        let t = root.table("data", &keys(&["displacement", "displacement_unit", "friction"]))?;
        let names = vec![
            t.text("displacement", "the name of the column of places of the load point")?,
            t.text("friction", "the name of the column of coefficients of friction")?,
        ];
        let length = t.length("displacement_unit")?;
        let expected = "the unit of the displacement: m, cm, mm or um";
        let length = length.ok_or_else(|| t.missing("displacement_unit", expected))?.value;
        let says = [
            Says::factor(Dimension::Length, length, "displacement_unit"),
            Says::factor(Dimension::Number, 1.0, "friction"),
        ];
        let mut data = Columns::read(&t, &names, &says, gathered)?;
        data.values[0].iter_mut().for_each(|v| *v *= length);
        let columns = names.into_iter().map(|n| n.value).collect();
        Ok(Self { title, kind: "rock-friction", data, columns, stiffness, trend })
    }

    /// What is asked of the fit.
    pub fn asked(&self) -> RockFriction {
        RockFriction { stiffness: self.stiffness, trend: self.trend }
    }
}

//! A fit file of `kind = "hysteresis"`.

use super::experiment::{Columns, keys};
use crate::diagnostic::Result;
use crate::node::Node;
use crate::reader::Table;
use crate::reading::Gathered;
use crate::stated::{Dimension, Says};
use serde::Serialize;
use stickslip_calibrate::hysteresis::Hysteresis;

/// The file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct HysteresisFile {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is fitted.
    pub kind: &'static str,
    /// The record; its columns are displacement (m) and force (N).
    pub data: Columns,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Thresholds of the grid.
    pub elements: u64,
    /// Whether there may be a viscous force.
    pub viscous: bool,
}

impl HysteresisFile {
    /// Reads a document and the record it names.
    pub(super) fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        let root = Table::root(document, &["title", "data", "model", "fit"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        root.table("model", &["kind"])?;
        let mut elements = 40;
        let mut viscous = true;
        if let Some(t) = root.table_opt("fit", &["elements", "viscous"])? {
            elements = t.whole_or("elements", 2, elements)?.min(1000);
            viscous = t.flag_or("viscous", viscous)?;
        }
        let own = ["displacement", "displacement_unit", "force", "force_unit"];
        let t = root.table("data", &keys(&own))?;
        let names = vec![
            t.text("displacement", "the name of the column of displacements")?,
            t.text("force", "the name of the column of forces")?,
        ];
        let length = t.length("displacement_unit")?;
        let expected = "the unit of the displacement: m, cm, mm or um";
        let length = length.ok_or_else(|| t.missing("displacement_unit", expected))?.value;
        let force = t.force("force_unit")?.unwrap_or(1.0);
        let says = [
            Says::factor(Dimension::Length, length, "displacement_unit"),
            Says::factor(Dimension::Force, force, "force_unit"),
        ];
        let mut data = Columns::read(&t, &names, &says, gathered)?;
        for (values, unit) in data.values.iter_mut().zip([length, force]) {
            values.iter_mut().for_each(|v| *v *= unit);
        }
        let columns = names.into_iter().map(|n| n.value).collect();
        Ok(Self { title, kind: "hysteresis", data, columns, elements, viscous })
    }

    /// What is asked of the fit.
    pub fn asked(&self) -> Hysteresis {
        let elements = usize::try_from(self.elements).unwrap_or(usize::MAX);
        Hysteresis { elements, viscous: self.viscous }
    }
}

//! A fit file of `kind = "rigid-drive"`.

use super::experiment::{Columns, keys};
use crate::diagnostic::Result;
use crate::node::Node;
use crate::reader::{Table, positive};
use crate::reading::Gathered;
use crate::stated::{Dimension, Says};
use serde::Serialize;
use stickslip_calibrate::rigid_drive::{Controller, RigidDrive};

/// The gains of a controller: force = force_gain · velocity_gain · (position_gain · (reference − x) − ẋ).
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Gains {
    /// k_p, 1/s.
    pub position_gain: f64,
    /// k_v, V·s/m.
    pub velocity_gain: f64,
    /// N/V.
    pub force_gain: f64,
}

/// The file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct DriveFile {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is fitted.
    pub kind: &'static str,
    /// The record; its columns are position (m), force (N) and perhaps the reference (m).
    pub data: Columns,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The controller, if it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<Gains>,
    /// Cut-off of the derivatives, Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cutoff: Option<f64>,
    /// Cut-off of the parallel filter, Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_cutoff: Option<f64>,
}

impl DriveFile {
    /// Reads a document and the record it names.
    pub(super) fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        let root = Table::root(document, &["title", "data", "model", "fit"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let model = root.table("model", &["kind", "controller"])?;
        let gains = ["position_gain", "velocity_gain", "force_gain"];
        let controller = match model.table_opt("controller", &gains)? {
            None => None,
            Some(t) => Some(Gains {
                position_gain: t.number("position_gain", positive("1/s"))?,
                velocity_gain: t.number("velocity_gain", positive("V·s/m"))?,
                force_gain: t.number_or("force_gain", positive("N/V"), 1.0)?,
            }),
        };
        let mut cutoff = None;
        let mut parallel_cutoff = None;
        if let Some(t) = root.table_opt("fit", &["cutoff", "parallel_cutoff"])? {
            cutoff = t.number_opt("cutoff", positive("Hz"))?.map(|n| n.value);
            parallel_cutoff = t.number_opt("parallel_cutoff", positive("Hz"))?.map(|n| n.value);
        }
        let own = ["position", "position_unit", "force", "force_unit", "reference"];
        let t = root.table("data", &keys(&own))?;
        let mut names = vec![
            t.text("position", "the name of the column of positions")?,
            t.text("force", "the name of the column of forces")?,
        ];
        names.extend(t.text_opt("reference", "the name of the column of reference positions")?);
        if controller.is_some() && names.len() < 3 {
            return Err(t.missing(
                "reference",
                "the name of the column that [model.controller] follows, in position_unit",
            ));
        }
        let length = t.length("position_unit")?;
        let expected = "the unit of the position and the reference: m, cm, mm or um";
        let length = length.ok_or_else(|| t.missing("position_unit", expected))?.value;
        let force = t.force("force_unit")?.unwrap_or(1.0);
        let position = Says::factor(Dimension::Length, length, "position_unit");
        let says = [position, Says::factor(Dimension::Force, force, "force_unit"), position];
        let mut data = Columns::read(&t, &names, &says, gathered)?;
        for (values, unit) in data.values.iter_mut().zip([length, force, length]) {
            values.iter_mut().for_each(|v| *v *= unit);
        }
        let columns = names.into_iter().map(|n| n.value).collect();
        Ok(Self { title, kind: "rigid-drive", data, columns, controller, cutoff, parallel_cutoff })
    }

    /// What is asked of the fit.
    pub fn asked(&self) -> RigidDrive {
        let controller = self.controller.map(|g| Controller {
            position: g.position_gain,
            velocity: g.velocity_gain,
            gain: g.force_gain,
        });
        RigidDrive { cutoff: self.cutoff, parallel: self.parallel_cutoff, controller }
    }
}

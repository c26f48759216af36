//! A fit file of `kind = "isolator"`.

use super::experiment::{Columns, keys};
use crate::diagnostic::{Diagnostic, Result};
use crate::node::Node;
use crate::reader::{Table, positive};
use crate::reading::Gathered;
use crate::stated::{Dimension, Says};
use serde::Serialize;
use stickslip_calibrate::isolator::Test;

/// The file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct IsolatorFile {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is fitted.
    pub kind: &'static str,
    /// The record; its columns are displacements along x and y (m), forces along x and y (N), and the load (N) where it is one.
    pub data: Columns,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The load on the isolator, N, if it is no column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// The load of each row, N.
    #[serde(skip)]
    normal: Vec<f64>,
}

/// Keys of `[data]` of this kind.
const OWN: [&str; 7] = [
    "displacement_x",
    "displacement_y",
    "displacement_unit",
    "force_x",
    "force_y",
    "normal",
    "force_unit",
];

impl IsolatorFile {
    /// Reads a document and the record it names.
    pub(super) fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        let root = Table::root(document, &["title", "data", "model"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let model = root.table("model", &["kind", "load"])?;
        let load = model.number_opt("load", positive("N"))?;
        let t = root.table("data", &keys(&OWN))?;
        let mut names = Vec::new();
        for key in ["displacement_x", "displacement_y", "force_x", "force_y"] {
            names.push(t.text(key, "the name of a column")?);
        }
        let normal = t.text_opt("normal", "the name of the column of the load")?;
        match (&load, &normal) {
            (Some(load), Some(_)) => {
                let message = "both `model.load` and `data.normal` are given; expected one of them";
                return Err(Diagnostic::at(&load.place, message)
                    .help("keep the column if the load was measured, and the number if not"));
            }
            (None, None) => {
                return Err(model
                    .missing("load", "the load on the isolator in N, or a column `data.normal`"));
            }
            _ => {}
        }
        names.extend(normal);
        let length = t.length("displacement_unit")?;
        let expected = "the unit of the displacements: m, cm, mm or um";
        let length = length.ok_or_else(|| t.missing("displacement_unit", expected))?.value;
        let force = t.force("force_unit")?.unwrap_or(1.0);
        let along = Says::factor(Dimension::Length, length, "displacement_unit");
        let across = Says::factor(Dimension::Force, force, "force_unit");
        let says = [along, along, across, across, across];
        let mut data = Columns::read_any(&t, &names, &says, gathered)?;
        for (values, unit) in data.values.iter_mut().zip([length, length, force, force, force]) {
            values.iter_mut().for_each(|v| *v *= unit);
        }
        let load = load.map(|l| l.value);
        let constant = || vec![load.unwrap_or(f64::NAN); data.seconds.len()];
        let normal = data.values.get(4).cloned().unwrap_or_else(constant);
        let columns = names.into_iter().map(|n| n.value).collect();
        Ok(Self { title, kind: "isolator", data, columns, load, normal })
    }

    /// The test as the library takes it.
    pub fn test(&self) -> Test<'_> {
        let of = |i: usize| self.data.values[i].as_slice();
        Test {
            time: &self.data.seconds,
            displacement: [of(0), of(1)],
            force: [of(2), of(3)],
            normal: &self.normal,
        }
    }
}

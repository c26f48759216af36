//! A fit file of `kind = "valve"`.

use super::experiment::{Columns, keys};
use crate::diagnostic::Result;
use crate::node::Node;
use crate::reader::Table;
use crate::reading::Gathered;
use serde::Serialize;

/// The file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct ValveFile {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is fitted.
    pub kind: &'static str,
    /// The record; its columns are controller output, process variable and perhaps setpoint, in their own units.
    pub data: Columns,
    /// Names of the columns.
    pub columns: Vec<String>,
}

impl ValveFile {
    /// Reads a document and the record it names.
    pub(super) fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        let root = Table::root(document, &["title", "data", "model"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        root.table("model", &["kind"])?;
        let t = root.table("data", &keys(&["output", "process_variable", "setpoint"]))?;
        let mut names = vec![
            t.text("output", "the name of the column of the controller's output")?,
            t.text("process_variable", "the name of the column of the process variable")?,
        ];
        names.extend(t.text_opt("setpoint", "the name of the column of the setpoint")?);
        let data = Columns::read_any(&t, &names, &[], gathered)?;
        let columns = names.into_iter().map(|n| n.value).collect();
        Ok(Self { title, kind: "valve", data, columns })
    }
}

//! A fit file of `kind = "hysteresis"` whose `[fit]` names laws with memory.

use super::experiment::{Columns, keys};
use super::there::are_there;
use crate::diagnostic::{Diagnostic, Result};
use crate::node::Node;
use crate::place::Placed;
use crate::reader::Table;
use crate::reading::Gathered;
use crate::stated::{Dimension, Says};
use serde::Serialize;
use stickslip_calibrate::hysteresis::laws::{Law, Record};

/// The file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct LawsFile {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is fitted.
    pub kind: &'static str,
    /// The records that are fitted; their columns are displacement (m) and force (N).
    pub data: Vec<Columns>,
    /// Records that are only predicted.
    pub predicted: Vec<Columns>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The laws that are compared.
    pub laws: Vec<&'static str>,
    #[serde(skip)]
    asked: Vec<Law>,
}

/// Keys of `[data]` of this kind.
const OWN: [&str; 6] =
    ["files", "predict", "displacement", "displacement_unit", "force", "force_unit"];

impl LawsFile {
    /// Whether a document of this kind asks for laws.
    pub(super) fn is(root: &Node) -> bool {
        let fit = root.get("fit").map(|e| &e.node);
        fit.and_then(|fit| fit.get("laws")).is_some()
    }

    /// Reads a document and the records that it names.
    pub(super) fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        let root = Table::root(document, &["title", "data", "model", "fit"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        root.table("model", &["kind"])?;
        let fit = root.table("fit", &["laws"])?;
        let asked = laws(&fit)?;
        let t = root.table("data", &keys(&OWN))?;
        let names = vec![
            t.text("displacement", "the name of the column of displacements")?,
            t.text("force", "the name of the column of forces")?,
        ];
        let fitted = files(&t)?;
        let all = |files: &[Placed<String>], gathered: &mut Gathered| {
            files.iter().map(|file| columns(&t, &names, file, gathered)).collect::<Result<Vec<_>>>()
        };
        let held = t.texts("predict", "paths of tables that are only predicted")?;
        if let Some(both) = held.iter().find(|h| fitted.iter().any(|f| f.value == h.value)) {
            let message = format!(
                "`{}` is in the records that are fitted and in those that are only predicted; expected other files",
                both.value
            );
            return Err(Diagnostic::at(&both.place, message).help("name it once"));
        }
        are_there(&[fitted.as_slice(), &held].concat(), gathered)?;
        let data = all(&fitted, gathered)?;
        let predicted = all(&held, gathered)?;
        let columns = names.into_iter().map(|n| n.value).collect();
        let laws = asked.iter().map(|l| l.name()).collect();
        Ok(Self { title, kind: "hysteresis", data, predicted, columns, laws, asked })
    }

    /// The records as the library takes them.
    pub fn records(&self) -> Vec<Record<'_>> {
        let fitted = self.data.iter().map(|columns| (columns, false));
        let all = fitted.chain(self.predicted.iter().map(|columns| (columns, true)));
        all.map(|(columns, held)| Record {
            name: &columns.file,
            time: &columns.seconds,
            displacement: &columns.values[0],
            force: &columns.values[1],
            held,
        })
        .collect()
    }

    /// The laws that are compared.
    pub fn asked(&self) -> &[Law] {
        &self.asked
    }
}

/// The laws of `[fit]`.
fn laws(fit: &Table<'_>) -> Result<Vec<Law>> {
    let all = Law::all();
    let known = all.map(Law::name).join(", ");
    let expected = format!("names of laws: {known}, or \"all\"");
    let named = fit.texts("laws", &expected)?;
    if named.len() == 1 && named[0].value == "all" {
        return Ok(all.into());
    }
    let mut found = Vec::new();
    for name in &named {
        let Some(law) = all.into_iter().find(|l| l.name() == name.value) else {
            let message = format!("`fit.laws` holds `{}`; expected {expected}", name.value);
            return Err(Diagnostic::at(&name.place, message)
                .help("write names from this list, as in laws = [\"dahl\", \"lugre\"]"));
        };
        if found.contains(&law) {
            let message =
                format!("`fit.laws` names `{}` twice; expected each law once", name.value);
            return Err(Diagnostic::at(&name.place, message).help("remove one of them"));
        }
        found.push(law);
    }
    if found.is_empty() {
        return Err(Diagnostic::at(
            fit.place_of("laws"),
            "`fit.laws` is empty; expected one law or more",
        )
        .help(format!("write one of {known}")));
    }
    Ok(found)
}

/// The tables that are fitted: `file`, or `files`.
fn files(t: &Table<'_>) -> Result<Vec<Placed<String>>> {
    let many = t.texts("files", "paths of tables that are fitted together")?;
    match (t.text_opt("file", "the path of a CSV file")?, many.is_empty()) {
        (Some(one), true) => Ok(vec![one]),
        (None, false) => Ok(many),
        (Some(one), false) => {
            let message = "both `data.file` and `data.files` are given; expected one of them";
            Err(Diagnostic::at(&one.place, message).help("put the file into the list"))
        }
        (None, true) => Err(t.missing("file", "the path of a table, or `files`, a list of them")),
    }
}

/// One record in SI units.
fn columns(
    t: &Table<'_>,
    names: &[Placed<String>],
    file: &Placed<String>,
    gathered: &mut Gathered,
) -> Result<Columns> {
    let length = t.length("displacement_unit")?;
    let expected = "the unit of the displacement: m, cm, mm or um";
    let length = length.ok_or_else(|| t.missing("displacement_unit", expected))?.value;
    let force = t.force("force_unit")?.unwrap_or(1.0);
    let says = [
        Says::factor(Dimension::Length, length, "displacement_unit"),
        Says::factor(Dimension::Force, force, "force_unit"),
    ];
    let mut data = Columns::read_file(t, file, names, &says, gathered)?;
    for (values, unit) in data.values.iter_mut().zip([length, force]) {
        values.iter_mut().for_each(|v| *v *= unit);
    }
    Ok(data)
}

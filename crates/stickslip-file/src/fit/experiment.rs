//! What the fit files of experiments share: a record of named columns.

use super::record::cut;
use crate::diagnostic::{Diagnostic, Result};
use crate::node::{Node, Value};
use crate::place::Placed;
use crate::reader::Table;
use crate::reading::Gathered;
use crate::table::{Record, Sheet, TIME_UNITS};
use serde::Serialize;

/// Keys of `[data]` that every experiment knows, before its own columns.
pub const COMMON: [&str; 5] = ["file", "time", "time_unit", "start", "end"];

/// Units of length by their names, in m.
pub const LENGTHS: [(&str, f64); 4] = [("m", 1.0), ("cm", 1e-2), ("mm", 1e-3), ("um", 1e-6)];

/// A record that was read.
#[derive(Debug, Clone, Serialize)]
pub struct Columns {
    /// The file, as written.
    pub file: String,
    /// The first time of the file: t = 0.
    pub origin: String,
    /// Times, s.
    #[serde(skip)]
    pub seconds: Vec<f64>,
    /// One list for each column, as in the file; NaN where missing.
    #[serde(skip)]
    pub values: Vec<Vec<f64>>,
}

/// The word after `kind` in `[model]`, if there is one: it says which reader the file is for.
pub fn kind(document: &Node) -> Option<&str> {
    match &document.get("model")?.node.get("kind")?.node.value {
        Value::Text(word) => Some(word),
        _ => None,
    }
}

impl Columns {
    /// Reads the columns of the table `[data]`.
    pub fn read(t: &Table<'_>, names: &[Placed<String>], gathered: &mut Gathered) -> Result<Self> {
        let file = t.text("file", "the path of a CSV file")?;
        let time = t.text("time", "the name of the column of times")?;
        let unit = t.choice("time_unit", "unit of time", &TIME_UNITS)?.map(|u| u.value);
        let start = t.text_opt("start", "a time in quotes")?;
        let end = t.text_opt("end", "a time in quotes")?;
        let path = gathered.input(&file.value);
        let reading = gathered.reading.clone();
        let sheet = Sheet::open(reading.resources(), &path).map_err(|f| f.or_at(&file.place))?;
        let columns = names.iter().map(|n| sheet.column(n)).collect::<Result<Vec<_>>>()?;
        let time_column = sheet.column(&time)?;
        let mut record = sheet.read(time_column, unit, &columns)?;
        gathered.warnings.append(&mut record.warnings);
        cut(&mut record, start.as_ref(), end.as_ref())?;
        for (name, values) in names.iter().zip(&record.values) {
            let message = match values.iter().find(|v| !v.is_nan()) {
                None => format!("{path}: the column `{}` holds no number", name.value),
                Some(first) if values.iter().all(|v| v.is_nan() || v == first) => format!(
                    "{path}: the column `{}` is {first} in every row; expected a series that changes",
                    name.value
                ),
                Some(_) => continue,
            };
            return Err(Diagnostic::at(&name.place, message)
                .help("check that the right column is named and that the sensor works"));
        }
        let origin = record.clock.origin();
        let Record { seconds, values, .. } = record;
        Ok(Self { file: file.value, origin, seconds, values })
    }
}

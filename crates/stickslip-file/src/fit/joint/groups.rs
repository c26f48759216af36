//! Which logs belong together by the columns of their index: those that are held out, those of one mounting of the load, and
//! those whose errors are shown together.

use super::index::{PER_LOG, Row, values_of};
use crate::diagnostic::{Diagnostic, Result};
use crate::node::Value;
use crate::place::Placed;
use crate::reader::Table;
use serde::Serialize;
use stickslip_calibrate::joint::{Above, MOUNTINGS, Slot, Unknown};

/// A column of the index with more values than this is no label of groups.
const VALUES: usize = 12;

/// The logs that are scored and not fitted: those with one of these values in this column of the index.
#[derive(Debug, Clone, Serialize)]
pub struct HoldOut {
    /// A column of the index.
    pub column: String,
    /// Values of it.
    pub values: Vec<String>,
}

/// Takes the columns with many values from the labels, by which errors are grouped, and names those that serve nothing else.
pub fn without_groups(rows: &mut [Row], hold_out: Option<&HoldOut>) -> Vec<String> {
    let columns: Vec<String> =
        rows.first().map_or(Vec::new(), |r| r.labels.iter().map(|l| l.0.clone()).collect());
    let is_of_many = |column: &String| {
        let labels = rows.iter().flat_map(|r| &r.labels).filter(|l| l.0 == *column);
        let mut values: Vec<&str> = labels.map(|l| l.1.as_str()).collect();
        values.sort_unstable();
        values.dedup();
        values.len() > VALUES && values.len() * 2 > rows.len()
    };
    let many: Vec<String> = columns.into_iter().filter(is_of_many).collect();
    rows.iter_mut().for_each(|r| r.labels.retain(|l| !many.contains(&l.0)));
    let is_used =
        |c: &String| PER_LOG.contains(&c.as_str()) || hold_out.is_some_and(|h| h.column == *c);
    many.into_iter().filter(|c| !is_used(c)).collect()
}

/// Whether two cells are the same text or the same number.
fn same(a: &str, b: &str) -> bool {
    a == b || a.parse::<f64>().ok().zip(b.parse::<f64>().ok()).is_some_and(|(a, b)| a == b)
}

/// The mountings of the load: logs with one value in a column of the index were recorded without taking the load off.
pub struct Mountings {
    pub column: Placed<String>,
    /// The values of the column.
    values: Vec<String>,
    /// Which of them each log has.
    pub of: Vec<usize>,
}

impl Mountings {
    pub fn read(t: &Table<'_>, rows: &[Row]) -> Result<Option<Self>> {
        let Some(column) = t.text_opt("mounting", "the name of a column of the index")? else {
            return Ok(None);
        };
        let help = "name a column of the index that tells the mountings of the load apart";
        let values = values_of(rows, &column, help)?;
        if values.len() > MOUNTINGS {
            let message = format!(
                "the column `{}` has {} values; expected at most {MOUNTINGS} mountings",
                column.value,
                values.len()
            );
            return Err(Diagnostic::at(&column.place, message).help(
                "name a column that differs only where the load was taken off and put on again",
            ));
        }
        let mut of = Vec::with_capacity(rows.len());
        for row in rows {
            let label = row.label(&column.value).filter(|label| !label.trim().is_empty());
            let Some(mounting) = values.iter().position(|v| label == Some(v.as_str())) else {
                let file = &row.file.value;
                let message =
                    format!("the index has nothing in the column `{}` of {file}", column.value);
                return Err(Diagnostic::at(&column.place, message)
                    .help("say of each log which mounting of the load it was taken with"));
            };
            of.push(mounting);
        }
        Ok(Some(Self { column, values, of }))
    }

    /// In place of one angle at which the load hangs, one for each mounting that a fitted log shows.
    pub fn with_verticals(&self, sought: Vec<Unknown>, held: &[bool]) -> Result<Vec<Unknown>> {
        let Some(at) = sought.iter().position(|u| u.slot == Slot::Vertical(None)) else {
            let message = "`mounting` says which logs share the angle at which the load hangs, and `vertical` is not sought";
            return Err(Diagnostic::at(&self.column.place, message).help(
                "seek it: [fit.unknown] vertical = { from = -0.2, to = 0.2 }; or remove `mounting`",
            ));
        };
        let is_shown = |m: &usize| self.of.iter().zip(held).any(|(of, held)| of == m && !held);
        // The angles go to the end; an unknown behind the one that goes away moves up, and what stands above it follows.
        let mut all = sought;
        let whole = all.remove(at);
        for u in &mut all {
            if let Some(Above::Unknown(below)) = &mut u.above {
                *below -= usize::from(*below > at);
            }
        }
        for m in (0..self.values.len()).filter(is_shown) {
            let name = format!("{}[{}]", whole.name, self.values[m]);
            all.push(Unknown { name, slot: Slot::Vertical(Some(m)), ..whole.clone() });
        }
        Ok(all)
    }
}

impl HoldOut {
    pub fn read(fit: &Table<'_>, rows: &[Row]) -> Result<Option<Self>> {
        let Some(t) = fit.table_opt("hold_out", &["column", "values"])? else { return Ok(None) };
        let column = t.text("column", "the name of a column of the index")?;
        let help = "name a column of the index by which logs are held out";
        let known = values_of(rows, &column, help)?;
        let wanted: Vec<Placed<String>> = t
            .items("values")
            .into_iter()
            .map(|node| match &node.value {
                Value::Text(text) => Ok(Placed { value: text.clone(), place: node.place.clone() }),
                Value::Number { number, .. } => {
                    Ok(Placed { value: format!("{number}"), place: node.place.clone() })
                }
                other => Err(Diagnostic::at(
                    &node.place,
                    format!("`values` holds {}; expected numbers and texts", other.describe()),
                )),
            })
            .collect::<Result<_>>()?;
        if wanted.is_empty() {
            return Err(t.missing("values", "a list of values of this column"));
        }
        for value in &wanted {
            if !known.iter().any(|k| same(k, &value.value)) {
                let message = format!("no row of the index has {} = {}", column.value, value.value);
                return Err(Diagnostic::at(&value.place, message)
                    .help(format!("values of this column: {}", known.join(", "))));
            }
        }
        let values = wanted.into_iter().map(|w| w.value).collect();
        let found = Self { column: column.value, values };
        if rows.iter().all(|r| found.holds(r)) {
            return Err(Diagnostic::at(&column.place, "every log is held out")
                .help("leave at least one value for the fit"));
        }
        Ok(Some(found))
    }

    pub fn holds(&self, row: &Row) -> bool {
        let label = row.label(&self.column);
        label.is_some_and(|label| self.values.iter().any(|v| same(v, label)))
    }
}

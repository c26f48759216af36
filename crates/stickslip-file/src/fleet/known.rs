//! `[bearings]`: the table of what is known of each bearing.

use super::Member;
use crate::diagnostic::{Diagnostic, Result};
use crate::fit::Bearing;
use crate::place::Placed;
use crate::reader::Table;
use crate::reading::Gathered;
use crate::table::texts;
use crate::units::Unit;
use std::collections::HashMap;

/// The keys of `[bearings]`.
pub const KEYS: [&str; 2] = ["file", "bearing"];
/// The columns that are used beside the name of the bearing.
const COLUMNS: [&str; 5] =
    ["name", "bearing_stiffness", "bearing_stiffness_error", "response_unit", "installed"];

/// The rows of the table: the bearing first, then the columns that are used, which stand in `used`.
struct Sheet {
    rows: Vec<Vec<String>>,
    used: Vec<&'static str>,
    unused: Vec<String>,
}

impl Sheet {
    fn read(name: &str, column: &Placed<String>, gathered: &Gathered) -> Result<Self> {
        let mut sheet = Self { rows: Vec::new(), used: Vec::new(), unused: Vec::new() };
        let mut used = Vec::new();
        let mut unused = Vec::new();
        let mut choose = |header: &[String]| {
            let first = crate::table::column(name, header, column)?;
            let mut all = vec![first];
            for (i, h) in header.iter().enumerate().filter(|(i, _)| *i != first) {
                match COLUMNS.iter().find(|c| *c == h) {
                    Some(what) => {
                        used.push(*what);
                        all.push(i);
                    }
                    None => unused.push(h.clone()),
                }
            }
            Ok(all)
        };
        let mut see = |row: &[String]| {
            sheet.rows.push(row.to_vec());
            Ok(())
        };
        texts(gathered.reading.resources(), name, column, &mut choose, &mut see)?;
        (sheet.used, sheet.unused) = (used, unused);
        Ok(sheet)
    }
}

/// Puts what the table says into the members of the fleet.
pub fn read(t: &Table<'_>, members: &mut [Member], gathered: &mut Gathered) -> Result<()> {
    let file = t.text("file", "the path of the table of bearings, CSV or Parquet")?;
    let column = t.text_opt("bearing", "the name of its column of bearings")?;
    let column =
        column.unwrap_or_else(|| Placed { value: "bearing".to_owned(), place: file.place.clone() });
    let name = gathered.input(&file.value);
    let Sheet { rows, used, unused } = Sheet::read(&name, &column, gathered)?;
    let places: HashMap<String, usize> =
        members.iter().enumerate().map(|(i, m)| (m.name.clone(), i)).collect();
    let mut seen = vec![false; members.len()];
    let mut unknown = 0;
    for (i, row) in rows.iter().enumerate() {
        let [bearing, fields @ ..] = row.as_slice() else { continue };
        let Some(&at) = places.get(bearing) else {
            unknown += 1;
            continue;
        };
        let wrong = |(message, help): (String, &str)| {
            Diagnostic::new(format!("{name}, row {}: {message}", i + 1)).help(help)
        };
        if std::mem::replace(&mut seen[at], true) {
            let message = format!("the bearing `{bearing}` comes a second time");
            return Err(wrong((message, "keep one row for each bearing")));
        }
        for (what, field) in used.iter().zip(fields).filter(|f| !f.1.is_empty()) {
            set(&mut members[at], what, field, &file).map_err(wrong)?;
        }
    }
    let missing = seen.iter().filter(|s| !**s).count();
    let mut say = |count: usize, what: &str| {
        if count > 0 {
            gathered.warnings.push(format!("{name}: {count} {what}"));
        }
    };
    say(missing, "bearings of the fleet have no row there");
    say(unknown, "rows are for bearings that have no record");
    if !unused.is_empty() {
        gathered.warnings.push(format!("{name}: not used: {}", unused.join(", ")));
    }
    Ok(())
}

/// Sets one value of a bearing.
fn set(
    member: &mut Member,
    what: &str,
    field: &str,
    file: &Placed<String>,
) -> std::result::Result<(), (String, &'static str)> {
    let stiffness = || {
        let found = field.parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
        found.ok_or_else(|| {
            (
                format!("the column `{what}` holds `{field}`; expected a number > 0, in N/m"),
                "correct the value, or leave it empty",
            )
        })
    };
    match what {
        "name" => member.title = Some(field.to_owned()),
        "bearing_stiffness" => member.bearing.stiffness = Some(stiffness()?),
        "bearing_stiffness_error" => member.bearing.error = Some(stiffness()?),
        "response_unit" => {
            let unit = Unit::parse(field).filter(|u| u.one_of(&["m"]).is_some()).map(|u| u.factor);
            member.response_unit = Some(unit.ok_or_else(|| {
                (
                    format!("`{field}` is not a unit of length"),
                    "write one of: m, cm, mm, um, in, ft, mil",
                )
            })?);
        }
        _ => {
            let place = file.place.clone();
            member.installed = Some(Placed { value: field.to_owned(), place });
        }
    }
    Ok(())
}

/// The bearing of a member: its own numbers, or else those of the whole fleet.
pub fn bearing(own: Bearing, usual: Bearing) -> Bearing {
    match own.stiffness {
        Some(_) => own,
        None => Bearing { error: own.error.or(usual.error), ..usual },
    }
}

//! The logs: those of an index, or the files of `[data]`.

use super::machine::LoadKeys;
use super::slots::slot;
use crate::diagnostic::{Diagnostic, Result};
use crate::place::Placed;
use crate::reader::Table;
use crate::reading::Gathered;
use crate::table::texts;

/// Columns of the index that stand for keys of `[model]`.
pub const PER_LOG: [&str; 5] =
    ["gain", "load.inertia", "load.mass", "load.length", "load.gravity_torque"];

/// A row of the index.
pub struct Row {
    pub file: Placed<String>,
    pub load: LoadKeys,
    pub gain: Option<f64>,
    /// Every other column and what it holds.
    pub labels: Vec<(String, String)>,
}

/// The logs: those of the index, or the files of `[data]`.
pub fn rows(t: &Table<'_>, usual: LoadKeys, gathered: &mut Gathered) -> Result<Vec<Row>> {
    let Some(index) = t.text_opt("index", "the path of the table of logs")? else {
        let files = t.texts("files", "the paths of the logs")?;
        let files =
            if files.is_empty() { vec![t.text("file", "the path of a log")?] } else { files };
        let row = |file| Row { file, load: usual, gain: None, labels: Vec::new() };
        let rows: Vec<Row> = files.into_iter().map(row).collect();
        return named_once("files", rows);
    };
    if let Some(other) = ["file", "files"].into_iter().find(|k| t.has(k)) {
        let message = format!("both `index` and `{other}` are given; expected one of them");
        return Err(Diagnostic::at(t.place_of(other), message).help("the index names the logs"));
    }
    let known = Placed { value: "file".to_owned(), place: index.place.clone() };
    let name = gathered.input(&index.value);
    let mut header = Vec::new();
    let mut cells = Vec::new();
    let mut choose = |all: &[String]| {
        crate::table::column(&name, all, &known)?;
        header = all.to_vec();
        Ok((0..all.len()).collect())
    };
    let mut see = |row: &[String]| {
        cells.push(row.to_vec());
        Ok(())
    };
    texts(gathered.reading.resources(), &name, &known, &mut choose, &mut see)?;
    check_columns(&header, &index)?;
    let folder = index.value.rsplit_once('/').map(|f| f.0.to_owned());
    let of = |(number, row): (usize, &Vec<String>)| {
        index_row(&header, row, usual, &index, folder.as_deref()).map_err(|(message, help)| {
            Diagnostic::at(&index.place, format!("{name}, row {}: {message}", number + 1))
                .help(help)
        })
    };
    let rows: Vec<Row> = cells.iter().enumerate().map(of).collect::<Result<_>>()?;
    if rows.is_empty() {
        return Err(Diagnostic::at(&index.place, format!("{name}: no row names a log"))
            .help("write one row for each log, its path in the column `file`"));
    }
    named_once(&name, rows)
}

/// A log that is named twice would count as two observations, and as a repetition that agrees to the last bit.
fn named_once(list: &str, rows: Vec<Row>) -> Result<Vec<Row>> {
    for (i, row) in rows.iter().enumerate() {
        let Some(first) = rows[..i].iter().position(|r| r.file.value == row.file.value) else {
            continue;
        };
        let message = format!(
            "{list}: rows {} and {} name the same log, {}; expected each log once",
            first + 1,
            i + 1,
            row.file.value
        );
        return Err(Diagnostic::at(&row.file.place, message).help("remove one of them"));
    }
    Ok(rows)
}

/// A column that is called like a number of the whole joint would be dropped silently, and of two with the same name one.
fn check_columns(header: &[String], index: &Placed<String>) -> Result<()> {
    let twice = (1..header.len()).find(|&i| header[..i].contains(&header[i]));
    if let Some(i) = twice {
        let message = format!("the index has two columns `{}`; expected one", header[i]);
        return Err(Diagnostic::at(&index.place, message).help("rename or remove one of them"));
    }
    let whole = |h: &&String| {
        !PER_LOG.contains(&h.as_str())
            && (slot(h).is_some() || h.starts_with("load.") || h.starts_with("drive."))
    };
    match header.iter().find(whole) {
        None => Ok(()),
        Some(column) => {
            let message =
                format!("the index has a column `{column}`, which cannot differ from log to log");
            Err(Diagnostic::at(&index.place, message)
                .help(format!("columns that may differ: {}", PER_LOG.join(", "))))
        }
    }
}

fn index_row(
    header: &[String],
    row: &[String],
    usual: LoadKeys,
    index: &Placed<String>,
    folder: Option<&str>,
) -> std::result::Result<Row, (String, &'static str)> {
    let place = index.place.clone();
    let file = Placed { value: String::new(), place };
    let mut found = Row { file, load: usual, gain: None, labels: Vec::new() };
    for (column, cell) in header.iter().zip(row) {
        let number = || {
            let read = cell.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
            read.map(Some).ok_or_else(|| {
                (
                    format!("the column `{column}` holds `{cell}`; expected a number ≥ 0"),
                    "correct the value; columns are named as keys of [model]",
                )
            })
        };
        match column.as_str() {
            "file" if cell.is_empty() => {
                return Err(("the column `file` is empty".to_owned(), "name the log"));
            }
            "file" => {
                found.file.value = match folder {
                    Some(folder) if !cell.starts_with('/') => format!("{folder}/{cell}"),
                    _ => cell.clone(),
                };
            }
            "gain" => found.gain = number()?,
            "load.inertia" => found.load.inertia = number()?,
            "load.mass" => found.load.mass = number()?,
            "load.length" => found.load.length = number()?,
            "load.gravity_torque" => found.load.gravity_torque = number()?,
            _ => {}
        }
        if column != "file" {
            found.labels.push((column.clone(), cell.clone()));
        }
    }
    if found.gain == Some(0.0) {
        return Err(("the column `gain` is 0; expected a number > 0".to_owned(), "correct it"));
    }
    Ok(found)
}

impl Row {
    /// What a column of the index holds for this log.
    pub fn label(&self, column: &str) -> Option<&str> {
        self.labels.iter().find(|l| l.0 == column).map(|l| l.1.as_str())
    }
}

/// What a column of the index holds, each value once.
pub fn values_of(rows: &[Row], column: &Placed<String>, help: &'static str) -> Result<Vec<String>> {
    let value_of = |row: &Row| row.label(&column.value).map(str::to_owned);
    let known = unique(rows.iter().filter_map(value_of).collect());
    if known.is_empty() {
        let message = format!("the index has no column `{}`", column.value);
        return Err(Diagnostic::at(&column.place, message).help(help));
    }
    Ok(known)
}

/// Each text once, in the order in which it came.
pub fn unique(texts: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

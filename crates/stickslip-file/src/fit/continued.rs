//! Files that continue each other: one record, in order of time. A gap between two files is a gap of the record.

use crate::diagnostic::{Diagnostic, Result};
use crate::glob;
use crate::place::Placed;
use crate::reader::Table;
use crate::reading::Gathered;
use crate::resources::open;
use crate::table::Record;

/// Where the rows of a record come from: a file, its first row in the record, and how many of its rows stand in the file before.
#[derive(Debug, Clone)]
struct Part {
    file: String,
    first: usize,
    left_out: usize,
}

/// The files of a record, in order of time.
#[derive(Debug, Clone)]
pub struct Parts {
    all: Vec<Part>,
    /// Rows that were cut off before the first one of the record.
    cut: usize,
}

impl Parts {
    /// One file.
    pub fn one(file: &str) -> Self {
        Self { all: vec![Part { file: file.to_owned(), first: 0, left_out: 0 }], cut: 0 }
    }

    /// So many rows were cut off at the beginning.
    pub fn cut(&mut self, rows: usize) {
        self.cut += rows;
    }

    /// How the record is called: its file, or the first and the last of them.
    pub fn name(&self) -> String {
        match self.all.as_slice() {
            [first, .., last] => format!("{} … {}", first.file, last.file),
            [only] => only.file.clone(),
            [] => String::new(),
        }
    }

    /// File and row, from 1, of a row of the record, from 0.
    pub fn at(&self, row: usize) -> String {
        let row = row + self.cut;
        let after = self.all.partition_point(|p| p.first <= row);
        match self.all.get(after.saturating_sub(1)) {
            Some(part) => format!("{}: row {}", part.file, row - part.first + part.left_out + 1),
            None => format!("row {}", row + 1),
        }
    }
}

/// The files that `files` of a table names, if it does.
///
/// # Errors
/// Where `file` is given as well, or a pattern fits no file.
pub fn named(t: &Table<'_>, gathered: &Gathered) -> Result<Option<Vec<Placed<String>>>> {
    if !t.has("files") {
        return Ok(None);
    }
    let expected = "the paths of tables that continue each other";
    let patterns = t.texts("files", expected)?;
    if patterns.is_empty() {
        return Err(t.missing("files", expected));
    }
    if let Some(other) = ["file", "drive_file", "response_file"].into_iter().find(|k| t.has(k)) {
        let message = format!(
            "both `{}` and `{}` are given; expected one of them",
            t.path_of(other),
            t.path_of("files")
        );
        return Err(Diagnostic::at(t.place_of("files"), message)
            .help("`files` names tables that continue each other, which are read as one record"));
    }
    let files = glob::files(&patterns, gathered)?;
    // The last of many may be the one that is missing: that is told before the others are read.
    for file in &files {
        open(gathered.reading.resources(), &file.value).map_err(|f| f.or_at(&file.place))?;
    }
    Ok(Some(files))
}

/// Reads every file by `read`, and puts the records together in order of time; those in rows without times (not `timed`) in the
/// order of the list.
///
/// # Errors
/// As `read`; where times cannot be compared, files overlap with other values, or a column comes in different units.
pub fn together(
    files: &[Placed<String>],
    columns: &[&str],
    timed: bool,
    mut read: impl FnMut(&Placed<String>) -> Result<Record>,
) -> Result<(Record, Parts)> {
    let mut all = Vec::with_capacity(files.len());
    for file in files {
        all.push((file, read(file)?));
    }
    let mut records = ordered(all, timed)?.into_iter();
    let Some((first, mut record)) = records.next() else {
        return Err(Diagnostic::new("no file is named"));
    };
    let mut parts = Parts::one(&first.value);
    for (file, mut later) in records {
        agree([&record, &later], columns, &parts.name(), file)?;
        let first = record.seconds.len();
        let left_out = if timed {
            record.append(&later).map_err(|(message, _)| {
                let message = format!("{}: {message}", file.value);
                Diagnostic::at(&file.place, message).help(
                    "name files that continue each other, so that each row is in one of them; records of several bearings are \
                     a fleet, and logs whose clocks start anew need times that go on",
                )
            })?;
            later.seconds.len() - (record.seconds.len() - first)
        } else {
            let next = record.seconds.last().map_or(0.0, |t| t + 1.0);
            record.seconds.extend(later.seconds.iter().map(|t| t + next));
            record.values.iter_mut().zip(&later.values).for_each(|(a, b)| a.extend(b));
            0
        };
        if left_out > 0 {
            record.notices.push(format!(
                "{}: {left_out} row{} that the file before holds as well: taken once",
                file.value,
                if left_out == 1 { "" } else { "s" }
            ));
        }
        for (unit, new) in record.units.iter_mut().zip(&later.units) {
            if unit.is_none() {
                unit.clone_from(new);
            }
        }
        record.warnings.append(&mut later.warnings);
        record.notices.append(&mut later.notices);
        parts.all.push(Part { file: file.value.clone(), first, left_out });
    }
    Ok((record, parts))
}

/// By their first times.
fn ordered(
    all: Vec<(&Placed<String>, Record)>,
    timed: bool,
) -> Result<Vec<(&Placed<String>, Record)>> {
    let Some((first, start)) = all.first().filter(|_| timed) else { return Ok(all) };
    let mut order = Vec::with_capacity(all.len());
    for (i, (file, record)) in all.iter().enumerate() {
        let begins = record.clock.after(&start.clock).ok_or_else(|| {
            let message = format!(
                "the times of `{}` and of `{}` are written in ways that cannot be compared",
                first.value, file.value
            );
            Diagnostic::at(&file.place, message).help(
                "write the times of all files in one way; `time_zone` says where times without a zone belong",
            )
        })?;
        order.push((begins, i));
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut all: Vec<Option<_>> = all.into_iter().map(Some).collect();
    Ok(order.into_iter().filter_map(|(_, i)| all[i].take()).collect())
}

/// A column has one unit, wherever a file states it.
fn agree(
    [record, later]: [&Record; 2],
    columns: &[&str],
    before: &str,
    file: &Placed<String>,
) -> Result<()> {
    for ((a, b), column) in record.units.iter().zip(&later.units).zip(columns) {
        let (Some(a), Some(b)) = (a, b) else { continue };
        if a != b {
            let message = format!(
                "{}: the unit of the column `{column}` is `{b}`, and `{a}` in {before}; expected one unit",
                file.value
            );
            return Err(Diagnostic::at(&file.place, message)
                .help("write the column in one unit in all files that are one record"));
        }
    }
    Ok(())
}

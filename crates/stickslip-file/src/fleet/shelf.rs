//! Records of a fleet, read together where they lie together.

use super::{FleetFile, Form, asked, known};
use crate::diagnostic::{Diagnostic, Result};
use crate::fit::{Asked, Bearing, Data, Fit, FitKind, Settings, joined};
use crate::place::Placed;
use crate::resources::Resources;
use crate::table::{self, By, Record};
use std::ops::Range;

/// The records of a group of bearings.
#[derive(Debug)]
pub struct Shelf<'a> {
    fleet: &'a FleetFile,
    group: Range<usize>,
    /// One for each bearing of the group, with nothing in it where no table has a row of the bearing; empty where records are
    /// read one by one.
    records: Vec<Result<Option<Record>>>,
}

impl<'a> Shelf<'a> {
    pub(super) fn new(fleet: &'a FleetFile, group: Range<usize>) -> Result<Self> {
        let files = fleet.form.files();
        let read = |file: &Placed<String>| match &fleet.form {
            Form::Apart(_) => Ok(Vec::new()),
            Form::Long(_, column) => long(fleet, file, column, &group),
            Form::Wide(_, responses) => wide(fleet, file, &responses[group.clone()]),
        };
        let mut records: Vec<Result<Option<Record>>> = Vec::new();
        if !matches!(fleet.form, Form::Apart(_)) {
            for file in files {
                let resources = fleet.reading.resources();
                let new = unchanging(resources, &file.value, || read(file))?;
                if records.is_empty() {
                    records = new;
                    continue;
                }
                for (all, new) in records.iter_mut().zip(new) {
                    append(all, new, &file.value);
                }
            }
        }
        Ok(Self { fleet, group, records })
    }

    /// The record of bearing `i` of the fleet and how it is fitted, with what is to be said of it.
    ///
    /// # Errors
    /// Where its record is missing, wrong or too short.
    pub fn fit(&self, i: usize) -> Result<(Fit, Vec<String>)> {
        let fleet = self.fleet;
        let root = fleet.root()?;
        let data = fleet.data()?;
        let mut asked = asked(&data, fleet.form.response(i))?;
        let member = &fleet.members[i];
        asked.response_unit = member.response_unit.unwrap_or(asked.response_unit);
        asked.start = asked.start.or_else(|| member.installed.clone());
        let (file, record) = self.record(i, &asked)?;
        let warnings = record.warnings.clone();
        let (record, drive_file) = match &fleet.drive {
            None => (record, None),
            Some((drive_file, drive)) => {
                let record = joined(&mut asked, drive, record, [drive_file, &file])?;
                (record, Some(drive_file.clone()))
            }
        };
        let shown = match fleet.form {
            Form::Apart(_) => file.value.clone(),
            _ => format!("{}, {}", file.value, member.name),
        };
        let files = (file, drive_file);
        let data = Data::of_record(asked, record, files, &shown)?;
        let settings = root.table_opt("fit", &Settings::KEYS)?;
        let settings = Settings::read(settings.as_ref(), Some(&data.clock))?;
        let Bearing { stiffness, error } = known::bearing(member.bearing, fleet.bearing);
        let fit = Fit {
            title: Some(member.title.clone().unwrap_or_else(|| member.name.clone())),
            data,
            kind: FitKind::ThermalBearing,
            bearing_stiffness: stiffness,
            bearing_stiffness_error: error.filter(|_| stiffness.is_some()),
            settings,
        };
        Ok((fit, warnings))
    }

    fn record(&self, i: usize, asked: &Asked) -> Result<(Placed<String>, Record)> {
        let fleet = self.fleet;
        if let Form::Apart(files) = &fleet.form {
            let file = files[i].clone();
            let wanted = fleet.wanted(asked, &file, std::slice::from_ref(&asked.response));
            let resources = fleet.reading.resources();
            let read = || table::read(resources, &file.value, &wanted, &asked.manner);
            let record = unchanging(resources, &file.value, read)?;
            return Ok((file, record));
        }
        let files = fleet.form.files();
        let found = i.checked_sub(self.group.start).and_then(|k| self.records.get(k));
        let not_read = || Diagnostic::new(format!("{}: not read", fleet.members[i].name));
        let record = found.cloned().ok_or_else(not_read)??.ok_or_else(|| {
            let table = &files[files.len() - 1].value;
            Diagnostic::new(format!("{table}: the table has no row of this series"))
                .help("check that the whole table was exported")
        })?;
        Ok((files[0].clone(), record))
    }
}

/// Reads a file, a second time if it changed meanwhile.
pub fn unchanging<T>(
    resources: &dyn Resources,
    name: &str,
    mut read: impl FnMut() -> Result<T>,
) -> Result<T> {
    let version = || resources.version(name);
    for _ in 0..2 {
        let before = version();
        let found = read();
        if version() == before {
            return found;
        }
    }
    Err(Diagnostic::new(format!("{name}: the file changed while it was read"))
        .help("run it again when nothing writes to the file"))
}

/// Appends the record of another table; a bearing may be missing in some of them. What was wrong first stays.
fn append(all: &mut Result<Option<Record>>, new: Result<Option<Record>>, name: &str) {
    let Ok(before) = all else { return };
    match (before, new) {
        (_, Err(e)) => *all = Err(e),
        (_, Ok(None)) => {}
        (None, Ok(new)) => *all = Ok(new),
        (Some(record), Ok(Some(new))) => {
            if let Err((message, help)) = record.append(&new) {
                *all = Err(Diagnostic::new(format!("{name}: {message}")).help(help));
            }
        }
    }
}

/// The records of bearings that a column of a table names.
fn long(
    fleet: &FleetFile,
    file: &Placed<String>,
    column: &Placed<String>,
    group: &Range<usize>,
) -> Result<Vec<Result<Option<Record>>>> {
    let asked = asked(&fleet.data()?, None)?;
    let wanted = fleet.wanted(&asked, file, std::slice::from_ref(&asked.response));
    let names = group.clone().enumerate().map(|(k, i)| (fleet.members[i].name.clone(), k));
    let by = By { column: column.clone(), names: names.collect() };
    table::read_each(fleet.reading.resources(), &file.value, &wanted, &asked.manner, &by)
}

/// The records of bearings that have a column each. Where one of them is wrong, halves are read alone.
fn wide(
    fleet: &FleetFile,
    file: &Placed<String>,
    responses: &[Placed<String>],
) -> Result<Vec<Result<Option<Record>>>> {
    let asked = asked(&fleet.data()?, responses.first())?;
    let wanted = fleet.wanted(&asked, file, responses);
    let read = table::read(fleet.reading.resources(), &file.value, &wanted, &asked.manner);
    let own = usize::from(fleet.drive.is_none());
    match read {
        Ok(Record { seconds, values, units, clock, warnings, notices }) => Ok((own..values.len())
            .map(|k| {
                let columns = (0..own).chain([k]);
                Ok(Some(Record {
                    seconds: seconds.clone(),
                    values: columns.clone().map(|c| values[c].clone()).collect(),
                    units: columns.map(|c| units[c].clone()).collect(),
                    clock: clock.clone(),
                    warnings: warnings.clone(),
                    notices: notices.clone(),
                }))
            })
            .collect()),
        Err(e) if responses.len() <= 1 => Ok(vec![Err(e)]),
        Err(_) => {
            let (first, second) = responses.split_at(responses.len() / 2);
            let mut all = wide(fleet, file, first)?;
            all.extend(wide(fleet, file, second)?);
            Ok(all)
        }
    }
}

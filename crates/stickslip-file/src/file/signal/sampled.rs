//! `sampled = { file, time, value, scale, offset, time_unit }`: a measured series.
//!
//! Times are counted from the first sample: t = 0 is the first row of the file. Between samples
//! the signal is linear.

use crate::fault::{Fault, Result};
use crate::file::Gathered;
use crate::file::reader::{Placed, Variant, any};
use crate::table::{Sheet, TIME_UNITS, last};
use serde::Serialize;

const KEYS: [&str; 6] = ["file", "time", "value", "scale", "offset", "time_unit"];

/// scale · (column `value`) + offset.
#[derive(Debug, Clone, Serialize)]
pub struct Sampled {
    file: String,
    time: String,
    value: String,
    scale: f64,
    offset: f64,
    samples: usize,
    /// The first time of the file: t = 0.
    origin: String,
    #[serde(skip)]
    points: (Vec<f64>, Vec<f64>),
}

impl Sampled {
    /// Reads the signal's keys and its file.
    pub fn read(signal: &Variant<'_>, gathered: &mut Gathered) -> Result<Self> {
        let t = signal.table(&KEYS)?;
        let file = t.text("file", "the path of a CSV file")?;
        let time = t.text("time", "the name of the column of times")?;
        let value = t.text("value", "the name of the column of values")?;
        let (scale, offset) =
            (t.number_or("scale", any(""), 1.0)?, t.number_or("offset", any(""), 0.0)?);
        let unit = t.choice("time_unit", "unit of time", &TIME_UNITS)?;

        let path = gathered.folder.join(&file.value);
        let sheet = Sheet::open(&path).map_err(|f| f.or_at(&file.place))?;
        gathered.inputs.push(path.clone());
        let columns = (sheet.column(&time)?, sheet.column(&value)?);
        let record = sheet.read(columns.0, unit.map(|u| u.value), &[columns.1])?;
        gathered.warnings.extend(record.warnings);
        let values =
            record.values.into_iter().flatten().map(|v| scale * v + offset).collect::<Vec<_>>();
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            let message = format!(
                "{}, row {}, column `{}`: the value is missing; expected a number in \
                 every row of a drive or force",
                path.display(),
                i + 1,
                value.value
            );
            return Err(Fault::new(message)
                .help("remove the row: between the rows that remain the signal is linear"));
        }
        if values.len() < 2 {
            return Err(Fault::new(format!("{}: one row; expected two or more", path.display()))
                .help("use `constant` for a signal that does not change"));
        }
        let origin = record.clock.origin();
        if origin.parse::<f64>().is_ok_and(|t| t != 0.0) {
            let name = path.display();
            gathered
                .warnings
                .push(format!("{name}: t = 0 is the first row, whose time is {origin}"));
        }
        Ok(Self {
            file: file.value,
            time: time.value,
            value: value.value,
            scale,
            offset,
            samples: values.len(),
            origin,
            points: (record.seconds, values),
        })
    }

    /// The library's signal.
    pub fn build(&self) -> Result<stickslip::Signal, stickslip::Error> {
        stickslip::Signal::sampled(&self.points.0, &self.points.1)
    }

    /// Checks that the series lasts until the end of the run.
    pub fn check_covers(&self, end: &Placed<f64>) -> Result<()> {
        let last = last(&self.points.0);
        if end.value <= last * (1.0 + 1e-9) {
            return Ok(());
        }
        let message = format!(
            "the run ends at {:?} s, but `{}` has samples only until {last:?} s",
            end.value, self.file
        );
        Err(Fault::at(&end.place, message)
            .help(format!("set `run.end` to {last:?} or less, or extend the series")))
    }
}

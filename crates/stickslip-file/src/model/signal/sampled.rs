//! `sampled = { file, time, value, scale, offset, hold, time_unit }`: a measured series.
//!
//! Times are counted from the first sample: t = 0 is the first row of the file. Between samples
//! the signal is linear, or keeps the value of the last one.

use crate::diagnostic::{Diagnostic, Result};
use crate::number::short;
use crate::place::Placed;
use crate::reader::{Variant, any};
use crate::reading::Gathered;
use crate::source::{self, keys_with};
use crate::table::{self, Record, Wanted, last};
use serde::Serialize;
use std::sync::Arc;

/// Keys beside those that say how the table is written.
const KEYS: [&str; 5] = ["file", "value", "scale", "offset", "hold"];

/// scale · (column `value`) + offset.
#[derive(Debug, Clone, Serialize)]
pub struct Sampled {
    file: String,
    time: String,
    value: String,
    scale: f64,
    offset: f64,
    #[serde(skip_serializing_if = "Hold::is_linear")]
    hold: Hold,
    samples: usize,
    /// The first time of the file: t = 0.
    origin: String,
    #[serde(skip)]
    points: Points,
}

/// What the signal is between samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Hold {
    /// A straight line from one to the next.
    Linear,
    /// The value of the last one.
    Zero,
}

impl Hold {
    fn is_linear(&self) -> bool {
        *self == Self::Linear
    }
}

/// Where the values come from.
#[derive(Debug, Clone)]
enum Points {
    /// A file, as it is there; shared by all models that use it.
    Read(Arc<Record>),
    /// A program that holds them, as a signal.
    Given(stickslip::Signal),
}

impl Sampled {
    /// Reads the signal's keys and its file.
    pub fn read(signal: &Variant<'_>, gathered: &mut Gathered) -> Result<Self> {
        let t = signal.table(&keys_with(&KEYS))?;
        let file = t.text("file", "the path of a CSV file")?;
        let time = source::time(&t)?;
        let value = t.text("value", "the name of the column of values")?;
        let scale = t.number_or("scale", any(""), 1.0)?;
        let offset = t.number_or("offset", any(""), 0.0)?;
        let words = [("linear", Hold::Linear), ("zero", Hold::Zero)];
        let hold = t.choice("hold", "hold", &words)?.map_or(Hold::Linear, |h| h.value);
        let manner = source::manner(&t)?;

        if let Some(given) = gathered.reading.resources().signal(&file.value) {
            return Ok(Self {
                file: file.value,
                time: time.iter().map(|t| t.value.as_str()).collect::<Vec<_>>().join(" "),
                value: value.value,
                scale,
                offset,
                hold,
                samples: 0,
                origin: "0".to_owned(),
                points: Points::Given(given),
            });
        }
        let path = gathered.input(&file.value);
        let names: Vec<_> = time.iter().map(|t| t.value.clone()).collect();
        let key = format!("{path}\0{names:?}\0{}\0{manner:?}", value.value);
        let reading = gathered.reading.clone();
        let record = reading.series(key, || {
            let place = file.place.clone();
            let columns = vec![value.clone()];
            table::read(
                reading.resources(),
                &path,
                &Wanted { place, time, columns, says: Vec::new() },
                &manner,
            )
        })?;
        gathered.warnings.extend(record.notices.iter().chain(&record.warnings).cloned());
        let known = gathered.digests.iter().any(|(name, _)| *name == file.value);
        if let Some(digest) = gathered.reading.digest(&path).filter(|_| !known) {
            gathered.digests.push((file.value.clone(), digest));
        }
        check(&path, &value.value, &record, |v| scale * v + offset)?;
        let origin = record.clock.origin();
        if origin.parse::<f64>().is_ok_and(|t| t != 0.0) {
            gathered
                .warnings
                .push(format!("{path}: t = 0 is the first row, whose time is {origin}"));
        }
        Ok(Self {
            file: file.value,
            time: names.join(" "),
            value: value.value,
            scale,
            offset,
            hold,
            samples: record.seconds.len(),
            origin,
            points: Points::Read(record),
        })
    }

    /// The library's signal.
    pub fn build(&self) -> Result<stickslip::Signal, stickslip::Error> {
        match &self.points {
            Points::Read(record) => {
                let values = record.values[0].iter().map(|v| self.scale * v + self.offset);
                let values = values.collect::<Vec<_>>();
                match self.hold {
                    Hold::Linear => stickslip::Signal::sampled(&record.seconds, &values),
                    Hold::Zero => stickslip::Signal::stepwise(&record.seconds, &values),
                }
            }
            Points::Given(signal) if self.hold.is_linear() => Ok(signal.clone()),
            Points::Given(signal) => {
                let knots = signal.knots().iter();
                let (times, values): (Vec<f64>, Vec<f64>) =
                    knots.map(|k| (k.time, k.value)).unzip();
                stickslip::Signal::stepwise(&times, &values)
            }
        }
    }

    /// Checks that the series lasts until the end of the run.
    pub fn check_covers(&self, end: &Placed<f64>) -> Result<()> {
        // The library checks a signal that was given, with the model.
        let Points::Read(record) = &self.points else { return Ok(()) };
        let last = last(&record.seconds);
        if end.value <= last * (1.0 + 1e-9) {
            return Ok(());
        }
        let message = format!(
            "the run ends at {} s, but `{}` has samples only until {} s",
            short(end.value),
            self.file,
            short(last)
        );
        let help = format!("set `run.end` to {last:?} or less, or extend the series");
        // A separator or a unit that was taken for another may be the reason.
        let help = match record.notices.as_slice() {
            [] => help,
            remarks => format!("{help} ({})", remarks.join("; ")),
        };
        Err(Diagnostic::at(&end.place, message).help(help))
    }
}

/// Checks that there are two rows or more, and a finite value in each.
fn check(path: &str, column: &str, record: &Record, value: impl Fn(f64) -> f64) -> Result<()> {
    if let Some(i) = record.values[0].iter().position(|v| !value(*v).is_finite()) {
        let row = i + 1;
        return Err(Diagnostic::new(format!(
            "{path}, row {row}, column `{column}`: the value is missing; expected a number in every row of a drive or force"
        ))
        .help("remove the row: between the rows that remain the signal is linear"));
    }
    if record.seconds.len() < 2 {
        return Err(Diagnostic::new(format!("{path}: one row; expected two or more"))
            .help("use `constant` for a signal that does not change"));
    }
    Ok(())
}

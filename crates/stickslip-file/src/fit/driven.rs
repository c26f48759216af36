//! Columns of a record in the place of signals of a model.

use super::experiment::Columns;
use crate::diagnostic::{Diagnostic, Result};
use crate::document::Document;
use crate::node::{Node, Value};
use crate::overrides::Override;
use crate::place::Placed;
use crate::reading::Reading;
use crate::resources::Resources;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, BufRead};
use stickslip::Signal;
use stickslip_calibrate::models::Sought;

/// A number of a sensor: known, or sought in a range.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum Setting {
    /// Known.
    Known(f64),
    /// Sought.
    Within {
        /// The least value.
        from: f64,
        /// The largest.
        to: f64,
    },
}

impl Setting {
    /// As the library takes it.
    pub(super) fn sought(self) -> Sought {
        match self {
            Self::Known(v) => Sought::Known(v),
            Self::Within { from, to } => Sought::Within([from, to]),
        }
    }
}

/// A column of the record, and what it has to do with the model.
#[derive(Debug, Clone, Serialize)]
pub struct Channel {
    /// The signal that it drives, by its key; or what it measures.
    pub what: String,
    /// Its column.
    pub column: String,
    /// What makes SI units of it.
    pub unit: f64,
    /// The unit that has then.
    pub si: &'static str,
    /// Factor of the sensor.
    pub gain: Setting,
    /// What the sensor adds, SI.
    pub offset: Setting,
    /// How late the sensor is, s.
    pub delay: Setting,
    /// The length of the interval of which each row is the mean, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<f64>,
}

/// What stands for column `i` where the model names a series.
fn stand_in(i: usize) -> String {
    format!("driving column {i}")
}

/// Whether the signal is a column of the record instead of a file.
pub(super) fn is_stand_in(name: &str) -> bool {
    name.contains("driving column ")
}

/// Replaces a signal of the model by a column.
pub(super) fn put(document: &mut Document, channel: &Placed<String>, i: usize) -> Result<()> {
    let path = channel.value.as_str();
    let series =
        format!("{{ sampled = {{ file = \"{}\", time = \"t\", value = \"v\" }} }}", stand_in(i));
    let is_entry = path.rsplit('.').next().is_some_and(|last| last.parse::<usize>().is_ok());
    let (parent, index) = path.rsplit_once('.').filter(|_| is_entry).unwrap_or((path, "0"));
    let there = is_entry && find(document.root(), parent).is_some();
    if !is_entry && !["drive", "force", "support", "normal"].iter().any(|k| path.ends_with(k))
        || index.is_empty()
    {
        return Err(no_signal(channel));
    }
    let text = match find(document.root(), path).and_then(|entry| entry.get("on")) {
        // A force on a node, or the motion of one, keeps its node.
        Some(on) => {
            let Value::Text(on) = &on.node.value else { return Err(no_signal(channel)) };
            let inside = series.trim_start_matches("{ ");
            format!("{path} = {{ on = {on:?}, {inside}")
        }
        None if path.starts_with("network.") && !path.contains(".slider.") => {
            return Err(no_signal(channel));
        }
        None if there => format!("{path} = {series}"),
        None => format!("{parent} = [{series}]"),
    };
    let value = Override::parse("the columns that drive the model", &text)?;
    document.apply(&value).map_err(|e| e.or_at(&channel.place))
}

fn no_signal(channel: &Placed<String>) -> Diagnostic {
    let said = format!("`{}` is no signal of a model", channel.value);
    Diagnostic::at(&channel.place, said).naming_keys().help(
        "name a list of signals such as \"oscillator.drive\" or \"oscillator.force\", or one of its entries such as \
         \"network.force.0\"",
    )
}

fn find<'a>(mut node: &'a Node, path: &str) -> Option<&'a Node> {
    for key in path.split('.') {
        node = match &node.value {
            Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
            _ => &node.get(key)?.node,
        };
    }
    Some(node)
}

/// The columns that drive, as signals, with the numbers that their sensors have: those of `tuned`, each the number of a
/// column and of gain, offset or delay, or else those that are known.
pub(super) fn signals(
    record: &Columns,
    drive: &[Channel],
    tuned: &[(usize, usize, f64)],
) -> Result<Vec<Signal>> {
    let one = |(i, channel): (usize, &Channel)| {
        let number = |which: usize, setting: Setting| {
            let set = tuned.iter().find(|t| (t.0, t.1) == (i, which)).map(|t| t.2);
            set.unwrap_or(match setting {
                Setting::Known(v) => v,
                Setting::Within { from, to } => 0.5 * (from + to),
            })
        };
        let [gain, offset, delay] =
            [(0, channel.gain), (1, channel.offset), (2, channel.delay)].map(|(w, s)| number(w, s));
        // The sensor shows gain · d(t − delay) + offset.
        let mut times: Vec<f64> = record.seconds.iter().map(|t| t - delay).collect();
        let mut values: Vec<f64> = record.values[i].iter().map(|v| (v - offset) / gain).collect();
        if delay != 0.0 {
            let ends = [times[0].min(0.0) - 1.0, times[times.len() - 1] + delay.abs() + 1.0];
            let edges = [values[0], values[values.len() - 1]];
            times.insert(0, ends[0]);
            values.insert(0, edges[0]);
            times.push(ends[1]);
            values.push(edges[1]);
        }
        Ok(Signal::sampled(&times, &values)?)
    };
    drive.iter().enumerate().map(one).collect()
}

/// Files as they are, and the columns that drive.
pub(super) fn driven(reading: &Reading, signals: &[Signal]) -> Reading {
    Reading::new(Driven { reading: reading.clone(), signals: signals.to_vec() })
}

/// Files as they are, and the columns that drive.
struct Driven {
    reading: Reading,
    signals: Vec<Signal>,
}

impl Resources for Driven {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        self.reading.resources().read(name)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        self.reading.resources().open(name)
    }

    fn signal(&self, name: &str) -> Option<Signal> {
        let own = (0..self.signals.len()).find(|i| stand_in(*i) == name);
        own.map(|i| self.signals[i].clone()).or_else(|| self.reading.resources().signal(name))
    }

    fn law(&self, name: &str) -> Option<stickslip::Law> {
        self.reading.resources().law(name)
    }

    fn load(&self, name: &str) -> Option<stickslip::model::Load> {
        self.reading.resources().load(name)
    }

    fn resolve(&self, beside: &str, name: &str) -> String {
        self.reading.resources().resolve(beside, name)
    }
}

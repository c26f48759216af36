//! A fit file: the data, the model, the method.

use super::data::Data;
use super::settings::Settings;
use crate::diagnostic::{Diagnostic, Remedy, Result};
use crate::node::Node;
use crate::reader::{Table, positive};
use crate::reading::Gathered;
use crate::source::keys_with;
use serde::Serialize;
use stickslip_calibrate::{Options, Shift};

const KEYS: [&str; 5] = ["title", "data", "record", "model", "fit"];
/// What `[data]` may hold beside the keys that say how the table is written.
const DATA: [&str; 13] = [
    "file",
    "drive_file",
    "response_file",
    "drive",
    "drive_unit",
    "response",
    "response_unit",
    "start",
    "end",
    "max_gap",
    "shift",
    "drive_noise",
    "tolerance",
];
/// What `[[record]]` may hold in addition: its own name and bearing.
const RECORD: [&str; 2] = ["title", "bearing_stiffness"];

/// Keys of `[model]` of any kind.
const MODEL: [&str; 7] =
    ["kind", "bearing_stiffness", "velocity", "stiffness", "mass", "gravity", "controller"];

/// What is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A bearing moved by the temperature of a deck: d = βT.
    ThermalBearing,
    /// Read by `SliderFile`.
    PulledSlider,
    /// Read by `DriveFile`.
    RigidDrive,
}

/// Every kind of fit file.
const KINDS: [(&str, Kind); 3] = [
    ("thermal-bearing", Kind::ThermalBearing),
    ("pulled-slider", Kind::PulledSlider),
    ("rigid-drive", Kind::RigidDrive),
];

/// A fit file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct Fit {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The measured series.
    pub data: Data,
    /// What is fitted.
    pub kind: Kind,
    /// K_BP, N/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearing_stiffness: Option<f64>,
    /// How it is fitted.
    #[serde(flatten)]
    pub settings: Settings,
}

impl Fit {
    /// Reads a document and the series it names: its title, and a fit for each record.
    pub(super) fn read(
        document: &Node,
        gathered: &mut Gathered,
    ) -> Result<(Option<String>, Vec<Self>)> {
        if let Some(entry) = document.get("oscillator").or_else(|| document.get("run")) {
            return Err(Diagnostic::at(
                &entry.key_place,
                "this is a model file; expected a fit file with [data], [model] and [fit]",
            )
            .with_remedy(Remedy::Simulate));
        }
        let root = Table::root(document, &KEYS)?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        // A kind that does not exist is the first thing to say, before its keys are called unknown.
        root.table("model", &MODEL)?.choice("kind", "kind of model", &KINDS)?;
        let model = root.table("model", &["kind", "bearing_stiffness"])?;
        let kind = model.choice("kind", "kind of model", &KINDS)?;
        let kind = kind.ok_or_else(|| {
            model.missing("kind", "a kind of model: thermal-bearing, pulled-slider or rigid-drive")
        })?;
        let kind = kind.value;
        let bearing = model.number_opt("bearing_stiffness", positive("N/m"))?.map(|n| n.value);
        let settings = root.table_opt("fit", &Settings::KEYS)?;
        let settings = |data: &Data| Settings::read(settings.as_ref(), &data.clock);

        let mut all = Vec::new();
        let known = keys_with(&DATA);
        let of_records: Vec<_> = known.iter().copied().chain(RECORD).collect();
        let records = root.tables("record", &of_records)?;
        for t in &records {
            let title = t.text_opt("title", "the name of the record")?.map(|t| t.value);
            let own = t.number_opt("bearing_stiffness", positive("N/m"))?.map(|n| n.value);
            for data in Data::read(t, gathered)? {
                let (title, settings) = (title.clone(), settings(&data)?);
                let bearing_stiffness = own.or(bearing);
                all.push(Self { title, data, kind, bearing_stiffness, settings });
            }
        }
        if records.is_empty() || root.has("data") {
            for data in Data::read(&root.table("data", &known)?, gathered)? {
                let settings = settings(&data)?;
                let bearing_stiffness = bearing;
                all.push(Self { title: None, data, kind, bearing_stiffness, settings });
            }
        }
        Ok((title, all))
    }

    /// How the record is fitted, as the library takes it.
    pub fn options(&self) -> Options {
        let shift = match self.data.shift {
            None => Shift::None,
            Some(super::Shift::Fixed(seconds)) => Shift::Fixed(seconds),
            Some(super::Shift::Fitted) => Shift::Fitted,
        };
        let Data { drive_noise, tolerance, max_gap, .. } = self.data;
        Options { shift, drive_noise, tolerance, ..self.settings.options(max_gap) }
    }
}

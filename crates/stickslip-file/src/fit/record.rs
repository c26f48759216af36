//! A fit file: the data, the model, the method.

use super::data::{Asked, Data};
use super::settings::Settings;
use crate::diagnostic::{Diagnostic, Remedy, Result};
use crate::node::{Node, Value};
use crate::reader::{Table, positive};
use crate::reading::Gathered;
use crate::source::keys_with;
use serde::Serialize;
use stickslip_calibrate::{Options, Shift};

const KEYS: [&str; 5] = ["title", "data", "record", "model", "fit"];
/// What `[data]` may hold beside the keys that say how the table is written.
pub(crate) const DATA: [&str; 15] = [
    "file",
    "files",
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
    "average",
];
/// What `[[record]]` may hold in addition: its own name and bearing.
const RECORD: [&str; 3] = ["title", BEARING[0], BEARING[1]];
/// What is known of the bearing.
const BEARING: [&str; 2] = ["bearing_stiffness", "bearing_stiffness_error"];

/// What is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FitKind {
    /// A bearing moved by the temperature of a deck: d = βT.
    ThermalBearing,
    /// Read by `SliderFile`.
    PulledSlider,
    /// Read by `DriveFile`.
    RigidDrive,
    /// Read by `AnyModelFile`.
    Model,
    /// Read by `HysteresisFile`.
    Hysteresis,
    /// Read by `ServoFile`.
    Servo,
    /// Read by `ValveFile`.
    Valve,
    /// Read by `FrictionCurveFile`.
    FrictionCurve,
    /// Read by `RockFrictionFile`.
    RockFriction,
    /// Read by `IsolatorFile`.
    Isolator,
}

/// Every kind of fit file.
const KINDS: [(&str, FitKind); 10] = [
    ("thermal-bearing", FitKind::ThermalBearing),
    ("pulled-slider", FitKind::PulledSlider),
    ("rigid-drive", FitKind::RigidDrive),
    ("model", FitKind::Model),
    ("hysteresis", FitKind::Hysteresis),
    ("servo", FitKind::Servo),
    ("valve", FitKind::Valve),
    ("friction-curve", FitKind::FrictionCurve),
    ("rock-friction", FitKind::RockFriction),
    ("isolator", FitKind::Isolator),
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
    pub kind: FitKind,
    /// K_BP, N/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearing_stiffness: Option<f64>,
    /// Its standard error, N/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearing_stiffness_error: Option<f64>,
    /// How it is fitted.
    #[serde(flatten)]
    pub settings: Settings,
}

/// K_BP and its standard error, N/m.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bearing {
    pub stiffness: Option<f64>,
    pub error: Option<f64>,
}

impl Bearing {
    /// The keys of a table that say it.
    pub const KEYS: [&'static str; 2] = BEARING;

    /// As a table says it.
    pub fn read(t: &Table<'_>) -> Result<Self> {
        let [stiffness, error] = BEARING.map(|key| t.number_opt(key, positive("N/m")));
        Ok(Self { stiffness: stiffness?.map(|n| n.value), error: error?.map(|n| n.value) })
    }

    /// That of a record: its own, or else the `usual` one.
    fn of_record(t: &Table<'_>, usual: Self) -> Result<Self> {
        let own = Self::read(t)?;
        let found = match own.stiffness {
            Some(_) => own,
            None => Self { error: own.error.or(usual.error), ..usual },
        };
        found.whole(t)?;
        Ok(found)
    }

    /// An error of nothing is a mistake.
    pub fn whole(&self, t: &Table<'_>) -> Result<()> {
        if self.error.is_some() && self.stiffness.is_none() {
            return Err(t.missing(BEARING[0], "the stiffness that has this error, in N/m"));
        }
        Ok(())
    }
}

impl Fit {
    /// Reads a document and the series it names: its title, and a fit for each record.
    pub(super) fn read(
        document: &Node,
        gathered: &mut Gathered,
    ) -> Result<(Option<String>, Vec<Self>)> {
        // In a fit file such a key, which an override may have put there, is an unknown key.
        let is_fit = document.get("data").or_else(|| document.get("record")).is_some();
        let of_model = document.get("oscillator").or_else(|| document.get("run"));
        if let Some(entry) = of_model.filter(|_| !is_fit) {
            return Err(Diagnostic::at(
                &entry.key_place,
                "this is a model file; expected a fit file with [data], [model] and [fit]",
            )
            .with_remedy(Remedy::Simulate));
        }
        let root = Table::root(document, &KEYS)?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        // A kind that does not exist is the first thing to say, whatever stands beside it.
        let given: Vec<&str> = match document.get("model").map(|e| &e.node.value) {
            Some(Value::Table(entries)) => entries.iter().map(|e| e.key.as_str()).collect(),
            _ => Vec::new(),
        };
        if let Some(model) = root.table_opt("model", &given)? {
            model.choice("kind", "kind of model", &KINDS)?;
        }
        let model = root.table("model", &["kind", BEARING[0], BEARING[1]])?;
        let kind = model.choice("kind", "kind of model", &KINDS)?;
        let kind = kind.ok_or_else(|| {
            model.missing(
                "kind",
                "a kind of model: thermal-bearing, pulled-slider, rigid-drive, model, hysteresis, servo, valve, friction-curve, rock-friction or isolator",
            )
        })?;
        let kind = kind.value;
        let bearing = Bearing::read(&model)?;
        bearing.whole(&model)?;
        let settings = root.table_opt("fit", &Settings::KEYS)?;
        // What needs no record is checked before a long one is read.
        Settings::read(settings.as_ref(), None)?;
        let one = |title: Option<String>, data: Data, bearing: Bearing| -> Result<Self> {
            let settings = Settings::read(settings.as_ref(), Some(&data.clock))?;
            let Bearing { stiffness: bearing_stiffness, error: bearing_stiffness_error } = bearing;
            Ok(Self { title, data, kind, bearing_stiffness, bearing_stiffness_error, settings })
        };

        let mut all = Vec::new();
        let known = keys_with(&DATA);
        let of_records: Vec<_> = known.iter().copied().chain(RECORD).collect();
        let records = root.tables("record", &of_records)?;
        for t in &records {
            Asked::read(t)?;
            Bearing::of_record(t, bearing)?;
        }
        for t in &records {
            let title = t.text_opt("title", "the name of the record")?.map(|t| t.value);
            let bearing = Bearing::of_record(t, bearing)?;
            for data in Data::read(t, gathered)? {
                all.push(one(title.clone(), data, bearing)?);
            }
        }
        if records.is_empty() || root.has("data") {
            for data in Data::read(&root.table("data", &known)?, gathered)? {
                all.push(one(None, data, bearing)?);
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
        let Data { drive_noise, tolerance, average, max_gap, .. } = self.data;
        Options { shift, drive_noise, tolerance, average, ..self.settings.options(max_gap) }
    }
}

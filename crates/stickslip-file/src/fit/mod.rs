//! Fit files: a record, what is fitted to it, and how.

mod average;
mod continued;
mod damper;
mod data;
mod draft;
mod drive;
mod driven;
mod experiment;
mod friction_curve;
mod isolator;
mod joint;
mod memory_laws;
mod model;
mod record;
mod rock_friction;
mod servo;
mod settings;
mod slider;
mod there;
mod valve;

pub use damper::HysteresisFile;
pub(crate) use data::{Asked, joined};
pub use data::{Data, Shift};
pub use draft::{Draft, Sketch};
pub use drive::{DriveFile, Gains};
pub use driven::{Channel, Setting};
pub use experiment::Columns;
pub use friction_curve::FrictionCurveFile;
pub use isolator::IsolatorFile;
pub use joint::JointFile;
pub use memory_laws::LawsFile;
pub use model::{AnyModelFile, Free, ModelFamily};
pub(crate) use record::{Bearing, DATA as DATA_KEYS};
pub use record::{Fit, FitKind};
pub use rock_friction::RockFrictionFile;
pub use servo::{Machine, ServoFamily, ServoFile};
pub use settings::{Method, Settings};
pub use slider::SliderFile;
pub use valve::ValveFile;

use crate::diagnostic::Result;
use crate::document::Document;
use crate::reading::{Gathered, Reading};

/// What a fit file of any kind says, with its records.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FitFile {
    /// What is fitted to what.
    pub records: Records,
    /// Files that were read, the fit file first.
    pub inputs: Vec<String>,
    /// What users should know.
    pub warnings: Vec<String>,
    /// How the tables are written: footnotes, which change no verdict.
    pub notices: Vec<String>,
}

/// The records of a fit file, by its kind.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)] // there is one to a file
pub enum Records {
    /// Bearings moved by the temperature of a deck.
    Bearings {
        /// Heading of the report.
        title: Option<String>,
        /// One for each record.
        fits: Vec<Fit>,
    },
    /// A slider pulled through a spring.
    Slider(SliderFile),
    /// A drive whose force is measured.
    Drive(DriveFile),
    /// Any model.
    Model(AnyModelFile),
    /// A damper or an isolator.
    Hysteresis(HysteresisFile),
    /// The same, with laws with memory.
    Laws(LawsFile),
    /// Logs of a servo.
    Servo(ServoFile),
    /// Many logs of a servo.
    Joint(JointFile),
    /// A control loop with a valve.
    Valve(ValveFile),
    /// Both components of an isolator.
    Isolator(IsolatorFile),
    /// Velocity steps and holds of rock.
    Rock(RockFrictionFile),
    /// Friction against speed.
    FrictionCurve(FrictionCurveFile),
}

impl FitFile {
    /// Reads a fit file of any kind and its records.
    ///
    /// ```
    /// use std::fmt::Write;
    /// use stickslip_file::{Document, FitFile, Memory, Reading};
    /// let mut record = "t,force\n".to_owned();
    /// for i in 0..200 {
    ///     let _ = writeln!(record, "{i},{}", i % 50);
    /// }
    /// let text = "[data]\nfile = \"force.csv\"\ntime = \"t\"\ntime_unit = \"s\"\n\
    ///             response = \"force\"\nresponse_unit = \"mN\"\n[model]\nkind = \"pulled-slider\"\n\
    ///             velocity = 5e-5\nstiffness = 170.0\nmass = 0.03\n";
    /// let document = Document::parse("fit.toml", text)?;
    /// let reading = Reading::new(Memory::default().with("force.csv", record));
    /// let file = FitFile::read(&document, &reading)?;
    /// assert_eq!((file.kind(), file.inputs.len()), ("pulled-slider", 2));
    /// # Ok::<(), stickslip_file::Diagnostic>(())
    /// ```
    ///
    /// # Errors
    /// Where the file or a record is wrong.
    pub fn read(document: &Document, reading: &Reading) -> Result<Self> {
        let mut gathered = Gathered::new(reading, document);
        let root = document.root();
        let records = match experiment::kind(root) {
            Some("pulled-slider") => Records::Slider(SliderFile::read(root, &mut gathered)?),
            Some("rigid-drive") => Records::Drive(DriveFile::read(root, &mut gathered)?),
            Some("hysteresis") if LawsFile::is(root) => {
                Records::Laws(LawsFile::read(root, &mut gathered)?)
            }
            Some("hysteresis") => Records::Hysteresis(HysteresisFile::read(root, &mut gathered)?),
            Some("valve") => Records::Valve(ValveFile::read(root, &mut gathered)?),
            Some("isolator") => Records::Isolator(IsolatorFile::read(root, &mut gathered)?),
            Some("rock-friction") => Records::Rock(RockFrictionFile::read(root, &mut gathered)?),
            Some("friction-curve") => {
                Records::FrictionCurve(FrictionCurveFile::read(root, &mut gathered)?)
            }
            Some("servo") if JointFile::is(root) => {
                Records::Joint(JointFile::read(root, &mut gathered)?)
            }
            Some("servo") => Records::Servo(ServoFile::read(root, &mut gathered)?),
            Some("model") => Records::Model(AnyModelFile::read(root, &mut gathered)?),
            _ => {
                let (title, fits) = Fit::read(root, &mut gathered)?;
                Records::Bearings { title, fits }
            }
        };
        let inputs = gathered.inputs.iter().map(|p| p.display().to_string()).collect();
        Ok(Self { records, inputs, warnings: gathered.warnings, notices: gathered.notices })
    }

    /// Its kind, as `[model]` names it.
    pub fn kind(&self) -> &'static str {
        match &self.records {
            Records::Bearings { .. } => "thermal-bearing",
            Records::Slider(_) => "pulled-slider",
            Records::Drive(_) => "rigid-drive",
            Records::Model(_) => "model",
            Records::Hysteresis(_) | Records::Laws(_) => "hysteresis",
            Records::Servo(_) | Records::Joint(_) => "servo",
            Records::Isolator(_) => "isolator",
            Records::Rock(_) => "rock-friction",
            Records::Valve(_) => "valve",
            Records::FrictionCurve(_) => "friction-curve",
        }
    }
}

//! Fit files: a record, what is fitted to it, and how.

mod drive;
mod experiment;
mod record;
mod settings;
mod slider;

pub use drive::{DriveFile, Gains};
pub use experiment::{Columns, kind};
pub use record::{Data, Fit, Kind, Method, seconds_in};
pub use settings::Settings;
pub use slider::SliderFile;

//! Fit files: a record, what is fitted to it, and how.

mod data;
mod drive;
mod experiment;
mod record;
mod settings;
mod slider;

pub use data::{Data, Shift};
pub use drive::{DriveFile, Gains};
pub use experiment::{Columns, kind};
pub use record::{Fit, Kind};
pub use settings::{Method, Settings};
pub use slider::SliderFile;

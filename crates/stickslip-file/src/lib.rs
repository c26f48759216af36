//! What users write: model files, fit files and tables of measurements, read into checked problems.

mod asked;
mod diagnostic;
mod document;
pub mod interface;
mod node;
pub mod number;
mod overrides;
mod place;
mod reader;
mod reading;
mod resources;
mod source;
mod units;

pub mod fit;
pub mod model;
pub mod table;

pub use asked::Parameter;
pub use diagnostic::{Diagnostic, Kind, Remedy, Result, did_you_mean};
pub use document::Document;
pub use fit::FitFile;
pub use model::ModelFile;
pub use node::{Entry, Node, Value};
pub use overrides::Override;
pub use place::{Place, Placed, Source};
pub use reading::Reading;
#[cfg(feature = "fs")]
pub use resources::Paths;
pub use resources::{Cached, Memory, Resources};
pub use units::seconds_in;

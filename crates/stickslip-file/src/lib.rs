//! What users write: model files, fit files and tables of measurements, read into checked problems.

mod asked;
mod diagnostic;
mod document;
mod files;
mod glob;
mod hints;
pub mod interface;
pub mod joint_fit;
pub mod joint_motion;
pub mod joint_unit;
mod journal;
mod node;
pub mod number;
mod overrides;
mod place;
mod plain;
mod reader;
mod reading;
pub mod regular;
mod resources;
mod sha256;
mod source;
mod stated;
mod units;
mod varied;
mod witness;

pub mod fit;
pub mod fleet;
pub mod model;
pub mod table;

pub use asked::{Number, Range};
pub use diagnostic::{Diagnostic, FailureKind, Remedy, Result, did_you_mean, shortened};
pub use document::Document;
pub use files::{Files, Folder};
pub use fit::FitFile;
pub use fleet::FleetFile;
pub use journal::{Forgotten, Journal, JournalFile, journal_in, summed, whole_lines};
pub use model::{ModelFile, Posed};
pub use node::{Entry, Node, Value};
pub use overrides::Override;
pub use place::{Place, Placed, Source};
pub use plain::plain;
pub use reading::Reading;
pub use resources::{Cached, Memory, Paths, Pieces, Resources};
pub use sha256::Sha256;
pub use units::{about_an_axis, in_si, seconds_in, windows_in};
pub use varied::{Varied, VariedModel, joined};

/// Whether this thread is inside the reader of Parquet, where a panic becomes an error of the file. A program whose hook for panics asks
/// for this prints nothing of them.
pub fn is_reading_parquet() -> bool {
    #[cfg(feature = "parquet")]
    return stickslip_parquet::is_reading();
    #[cfg(not(feature = "parquet"))]
    return false;
}

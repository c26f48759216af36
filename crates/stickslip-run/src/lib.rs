//! From a checked problem to its results as data.
//!
//! Each function takes plain options, an [`Input`] (a model file or fit file and where the files that
//! it names come from) and a [`Context`] (clock, progress, cancelling), and returns a [`Product`]: a
//! summary, tables with named columns and units, figures, pages and a text for people. No command
//! reads or writes a file by itself, knows a terminal, or looks at a clock; `directory` writes a product to a folder.
//!
//! ```
//! use stickslip_file::{Document, Memory, Reading};
//! use stickslip_run::{Context, Input, Simulate, simulate};
//! # fn main() -> Result<(), stickslip_file::Diagnostic> {
//! let document = Document::parse(
//!     "ball.toml",
//!     "[impact]\nmass = 1.0\nwall = 0.0\nrestitution = 0.5\n\
//!      [[impact.force]]\nconstant = -9.81\n\
//!      [impact.initial]\ndisplacement = 1.0\n\
//!      [run]\nend = 1.0\n",
//! )?;
//! let reading = Reading::new(Memory::default());
//! let product =
//!     simulate(&Simulate::default(), &Input::new(&document, &reading), &Context::silent())?;
//! let times = product.table_named("events").and_then(|t| t.numbers("t")).unwrap_or_default();
//! assert!((times[0] - (2.0f64 / 9.81).sqrt()).abs() < 1e-12);
//! # Ok(()) }
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests compare with the C library"))]

pub mod asked;
mod axis;
pub mod basins;
pub mod calibrate;
mod canonical;
pub mod certify;
mod context;
pub mod converge;
mod design;
pub mod directory;
mod each;
pub mod ensemble;
pub mod export;
mod fingerprint;
pub mod fleet;
pub mod fmu;
mod heading;
pub mod hunt;
mod input;
pub mod joint;
pub mod many;
pub mod orbit;
mod part;
mod partial;
pub mod product;
pub mod response;
mod scene;
mod section;
pub mod sensitivity;
pub mod sentences;
pub mod shown;
pub mod simulate;
pub mod solutions;
mod summary;
pub mod sweep;
pub mod synthetic;
pub mod templates;
mod typed;

pub use asked::Asked;
pub use axis::{Axis, Values, span_of};
pub use basins::{Basins, basins};
pub use calibrate::{Calibrate, calibrate};
pub use canonical::canonical;
pub use certify::{certificate, certify};
pub use context::Context;
pub use converge::{Converge, converge};
pub use design::{Design, design};
pub use each::each_of;
pub use ensemble::merge::{Merge, merge, merge_paths};
pub use ensemble::{Ensemble, ensemble};
pub use fleet::{Fleet, Reports, fleet};
pub use fmu::{Fmu, fmu, joint_fmu};
pub use heading::Heading;
pub use hunt::{Hunt, hunt};
pub use input::{Input, oscillator, path};
pub use joint::{JointFormat, joint_export};
pub use orbit::{Orbit, orbit};
pub use part::Part;
pub use product::{Cell, Column, Format, Lazy, Named, Product, Remark, Table};
pub use response::{Response, response};
pub use scene::Scene;
pub use shown::Shown;
pub use simulate::{Simulate, simulate};
pub use solutions::{Solutions, solutions};
pub use stickslip_file::joint_motion::{Begin, JointMotion};
pub use sweep::{Sweep, sweep};

use stickslip_file::number;

//! The figures that stickslip shows, from plain slices.
//!
//! Each is a small struct of data with one method, `figure()`. Where slices differ in length the shorter
//! one counts; empty data give an empty figure.

mod convergence;
mod fit;
mod planes;
mod residuals;
mod surface;
mod timeline;

pub use convergence::{Convergence, Errors};
pub use fit::Fit;
pub use planes::Planes;
pub use residuals::{Residuals, autocorrelation, greatest, histogram};
pub use surface::Surface;
pub use timeline::{EventKind, EventPoint, Timeline};

//! Figures (SVG) and self-contained HTML reports.
//!
//! Everything here turns numbers into text: nothing reads a file, a clock or a network, so it builds for
//! the browser too.
//!
//! * [`figure`]: panels, axes, marks; one `to_svg()`;
//! * [`compose`]: the figures that stickslip shows, from slices of data;
//! * [`html`]: a page with text, tables, figures and interactive time series, in one file. The plots are
//!   drawn by uPlot 1.6.32 (Leon Sorokin, MIT), kept with its licence in `vendor/uplot`.
//!
//! ```
//! use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
//! let t: Vec<f64> = (0..1000).map(|i| 0.01 * f64::from(i)).collect();
//! let x: Vec<f64> = t.iter().map(|t| t.cos()).collect();
//! let panel = Panel::new(Axis::linear("time", "s").tight(), Axis::linear("x", "m"))
//!     .line(&t, &x, Style::new(Ink::Blue).label("free oscillation"));
//! let svg = Figure::new().panel(panel).to_svg();
//! assert!(svg.starts_with("<svg"));
//! ```

mod base64;
pub mod compose;
pub mod figure;
pub mod html;

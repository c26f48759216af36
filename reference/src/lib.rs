//! The reference set of dry friction: motions certified to 20 digits by a program that shares nothing with the
//! library, and the score of any simulator against them.
//!
//! Each [`Case`] is a model file, its statement in formulas, and certified numbers: events, states at certain
//! instants, stretches at rest. A simulator returns a table of [`Results`]; its [`Score`] is the number of correct
//! digits, the events that it missed or invented, what creeps at rest, and energy that comes from nothing.
//!
//! ```
//! use stickslip_reference::{find, own};
//! use stickslip_run::Context;
//! let score = own(find("shaw")?, &Context::silent())?;
//! assert_eq!((score.missed, score.invented, score.creep), (0, 0, 0.0));
//! assert!(score.digits.is_some_and(|d| d > 12.0));
//! # Ok::<(), stickslip_file::Diagnostic>(())
//! ```

mod bits;
pub mod certified;
mod digits;
mod matching;
mod ours;
mod product;
mod rates;
mod results;
mod score;
mod set;

pub use bits::{Bits, bits};
pub use certified::{Certified, Grade};
pub use ours::results as own_results;
pub use product::{list, of_ourselves, of_results, own, show};
pub use results::{Entry, Results};
pub use score::{Counts, Score, score};
pub use set::{CASES, Case, find};

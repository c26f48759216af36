//! The first root of a function, with a proof that none came before it.
//!
//! Watching the sign of a function between steps misses roots that come in pairs. Here each step is
//! as long as a bound on the third derivative proves the function positive, and not longer:
//!
//! ```text
//! g(s + δ) ≥ g + g′ δ + g″ δ²/2 − B δ³/6 − G δ⁴/24      where |g‴(s + δ)| ≤ B + G δ
//! ```
//!
//! Its first root is never beyond the first root of `g`, and comes closer to it by the third
//! power of the distance: a Newton iteration that cannot overshoot.

mod bracket;
mod first;
mod jet;

pub use bracket::increasing_root;
pub use first::{GivenUp, MAX_EVALUATIONS, Root, Touch, first_root};
pub use jet::Jet;

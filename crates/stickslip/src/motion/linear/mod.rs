//! Linear oscillators in closed form: the arcs between the events of every exact scheme.

mod arc;
mod divided;
mod free;
mod medium;
mod response;

pub use arc::LinearArc;
pub(crate) use medium::Medium;
pub(crate) use response::{Pair, Responses};

//! Linear oscillators in closed form: the arcs between the events of every exact scheme.

mod arc;
mod divided;
mod free;
mod medium;

pub use arc::LinearArc;
pub(crate) use medium::Medium;

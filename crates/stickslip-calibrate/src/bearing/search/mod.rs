//! The path of a bearing through its record, and the search for the best one.

pub(crate) mod cell;
pub(crate) mod curve;
pub(crate) mod evolution;
pub(crate) mod global;
pub(crate) mod linear;
pub(crate) mod motion;
pub(crate) mod point;
pub(crate) mod prepared;

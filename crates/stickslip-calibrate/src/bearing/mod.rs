//! A bearing that temperature drives: its record cleaned, searched, explained and judged.
//!
//! `calibrate` is the whole of it, `windows` its change over time. How a path is found stands in `search`; how sure it
//! is, in `intervals`.

pub(crate) mod intervals;
pub(crate) mod search;

pub(crate) mod assemble;
pub(crate) mod averages;
pub(crate) mod calibrate;
pub(crate) mod case;
pub(crate) mod changes;
pub(crate) mod clean;
pub(crate) mod creep;
pub(crate) mod dating;
pub(crate) mod delay;
pub(crate) mod diagnosis;
pub(crate) mod finding;
pub(crate) mod fit;
pub(crate) mod gain;
pub(crate) mod judge;
pub(crate) mod means;
pub(crate) mod near;
pub(crate) mod options;
pub(crate) mod outliers;
pub(crate) mod ramp;
pub(crate) mod remarks;
pub(crate) mod residuals;
pub(crate) mod segments;
pub(crate) mod two;
pub(crate) mod viscous;
pub(crate) mod windows;

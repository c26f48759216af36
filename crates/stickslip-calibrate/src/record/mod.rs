//! A measured record and what its instruments did to it, before any model looks at it.

pub(crate) mod clocks;
pub(crate) mod corners;
pub(crate) mod entry;
pub(crate) mod filling;
pub(crate) mod lag;
pub(crate) mod logger;
pub(crate) mod parts;
pub(crate) mod plausible;
pub(crate) mod play;
pub(crate) mod readings;
pub(crate) mod sampling;
pub(crate) mod sentinels;
pub(crate) mod series;
pub(crate) mod steady;
pub(crate) mod stuck;
pub(crate) mod trend;
pub(crate) mod uniform;

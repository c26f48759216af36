//! Numbers from samples, whatever they are samples of: moments, regressions, filters, random draws, tests.

pub(crate) mod discovery;
pub(crate) mod estimate;
pub(crate) mod filter;
pub(crate) mod long_run;
pub(crate) mod memory;
pub(crate) mod nonnegative;
pub(crate) mod optimise;
pub(crate) mod polynomial;
pub(crate) mod random;
pub(crate) mod regress;
pub(crate) mod stats;

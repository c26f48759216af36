//! How sure the fit of a bearing is: likelihood, profiles, bootstrap, the instants of slips, errors of the instruments.

pub(crate) mod bootstrap;
pub(crate) mod explore;
pub(crate) mod levels;
pub(crate) mod profile;
pub(crate) mod quantity;
pub(crate) mod replicas;
pub(crate) mod rounding;
pub(crate) mod sizes;
pub(crate) mod thermometer;
pub(crate) mod timing;
pub(crate) mod uncertainty;

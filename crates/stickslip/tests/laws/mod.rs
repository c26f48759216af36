//! The laws of friction, one file a law.

mod ageing;
mod asymmetric;
mod every_law;
mod stribeck;
mod stribeck_exponential;

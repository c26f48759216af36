//! Periodic orbits against closed forms, published numbers and differences.

mod ageing;
mod ageing_networks;
mod beam;
mod campaign;
mod forced;
mod grazing;
mod impacts;
mod machines;
mod networks;
mod normal;
mod others;
mod responses;
mod sliding;
mod smooth;
mod steady;
mod tables;
mod tangents;
mod transmitted;

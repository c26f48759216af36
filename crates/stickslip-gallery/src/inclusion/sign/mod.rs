//! Figs. 1.3 to 1.5: what the sign function with sign(0) = 0 does.

mod changes;
mod extremes;
mod implicit;
mod oscillates;
mod oscillation;

pub use changes::run as changes;
pub use extremes::run as extremes;
pub use implicit::run as implicit;
pub use oscillates::run as oscillates;
pub use oscillation::exact_velocity;

use super::Work;
use oscillation::{Oscillation, oscillations};
use stickslip_file::Result;

const MODEL: &str = include_str!("../../../models/sign.toml");

fn runs() -> Result<Vec<Oscillation>> {
    oscillations(1.0, 5.5, 120)
}

fn numbers(values: impl Iterator<Item = usize>) -> Vec<f64> {
    values.map(|n| n as f64).collect()
}

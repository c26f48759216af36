//! A law with memory that is none of the library's.

use super::Remembers;
use std::sync::Arc;

/// A law of yours: whatever implements [`Remembers`].
///
/// Two are equal if their [`canonical`](Remembers::canonical) texts are: put all their numbers into it.
///
/// ```
/// use stickslip::law::memory::{Memory, Own, Remembers, Run};
/// use stickslip::model::Hysteretic;
/// use stickslip::scheme::{memory, oscillator::adaptive::Options};
/// use stickslip::{Error, Signal};
///
/// /// A spring of k (N/m) that relaxes within τ (s): ż = w − z/τ, F = k z.
/// #[derive(Debug)]
/// struct Relaxes { k: f64, tau: f64 }
///
/// impl Remembers for Relaxes {
///     fn scale(&self, _: usize) -> f64 { 1e-3 }
///     fn check_state(&self, _: &[f64]) -> Result<(), Error> { Ok(()) }
///     // One formula for all: one part, which never leaves its region.
///     fn enter(&self, _: f64, _: f64, _: &[f64], _: bool, regions: &mut [u8]) { regions.fill(0) }
///     fn margins(&self, _: Run<'_>, _: f64, _: &[f64], margins: &mut [f64]) { margins.fill(1.0) }
///     fn leave(&self, _: usize, region: u8) -> u8 { region }
///     fn slips(&self, _: &[u8]) -> bool { false }
///     fn rates(&self, _: Run<'_>, w: f64, z: &[f64], rates: &mut [f64]) { rates[0] = w - z[0] / self.tau }
///     fn force(&self, _: f64, _: f64, z: &[f64], _: &[f64]) -> f64 { self.k * z[0] }
///     fn canonical(&self) -> String { format!("relaxes {:?}, {:?}", self.k, self.tau) }
/// }
///
/// # fn main() -> Result<(), Error> {
/// let law: Memory = Own::new(Relaxes { k: 100.0, tau: 0.5 }).into();
/// let led = Hysteretic::led(law, Signal::ramp(0.01, 0.0));
/// let path = memory::solve(&led, 2.0, Options::tolerance(1e-12))?;
/// // z = V τ (1 − e^(−t/τ)) under a ramp of V.
/// let z = 0.01 * 0.5 * (1.0 - (-2.0f64 / 0.5).exp());
/// assert!((path.state(2.0).friction + 100.0 * z).abs() < 1e-10);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Own(Arc<dyn Remembers + Send + Sync>);

impl Own {
    /// This law.
    pub fn new(law: impl Remembers + Send + Sync + 'static) -> Self {
        Self(Arc::new(law))
    }

    /// What it says.
    pub fn law(&self) -> &dyn Remembers {
        &*self.0
    }
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.0.canonical() == other.0.canonical()
    }
}

//! What every run by adaptive steps is asked at its end: whether its energies close.

use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::motion::{Energy, Motion, Path, Warning};

/// Relative defect of the energies over the tolerance beyond which the run says so.
const AUDIT: f64 = 1e3;

/// Adds a warning to `path`, which ends at `end` (s), if its `energy` does not close to what the relative tolerance `rtol` explains.
///
/// # Errors
/// [`Error::Interrupted`] if somebody has asked to stop: the sums may then have ended early.
pub(super) fn audit<M: Motion>(
    path: &mut Path<M>,
    energy: &Energy,
    end: f64,
    rtol: f64,
) -> Result<(), Error> {
    let defect = energy.relative_defect();
    Interrupt::current().check(end)?;
    path.keep_energy(*energy);
    if defect > AUDIT * rtol {
        path.warn(Warning::EnergyDefect { defect });
    }
    Ok(())
}

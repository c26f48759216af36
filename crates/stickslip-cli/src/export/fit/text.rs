//! The result of a calibration for people at a terminal.

use super::Fitted;
use std::io::{self, Write};

/// Parameters with their standard errors, or why they cannot be known.
pub fn table(w: &mut dyn Write, fitted: &Fitted) -> io::Result<()> {
    let fit = &fitted.fit;
    writeln!(w, "{}", fitted.title())?;
    writeln!(
        w,
        "{} samples ({} incomplete), {} slips, residual {:.3e} m rms ({:.3e} m without friction)\n",
        fit.samples, fit.missing, fit.slips, fit.rmse, fit.rmse_without_friction
    )?;
    writeln!(w, "{:<7} {:>14} {:>12}  {:<5} 95 % interval", "", "value", "std. error", "unit")?;
    for (name, _, e) in fitted.estimates() {
        match (e.value, e.stderr, e.ci95) {
            (Some(value), Some(error), Some([low, high])) => writeln!(
                w,
                "{name:<7} {value:>14.6e} {error:>12.2e}  {:<5} {low:.6e} … {high:.6e}",
                e.unit
            )?,
            _ => {
                let why = e.reason.as_deref().unwrap_or("not fixed by this record");
                writeln!(w, "{name:<7} {:>14} {:>12}  {:<5} {why}", "unknown", "", e.unit)?;
            }
        }
    }
    Ok(())
}

//! The result of a calibration for people at a terminal.

use super::{Fitted, sure};
use crate::export::estimates::lines;
use std::fmt::{self, Write};

/// Parameters with their standard errors, or why they cannot be known.
pub fn table(w: &mut dyn Write, fitted: &Fitted) -> fmt::Result {
    let fit = &fitted.fit;
    writeln!(w, "{}", fitted.title())?;
    writeln!(
        w,
        "{} samples ({} incomplete), {} slips, residual {:.3e} m rms ({:.3e} m without friction)\n",
        fit.samples, fit.missing, fit.slips, fit.rmse, fit.rmse_without_friction
    )?;
    lines(w, &fitted.estimates())?;
    if let Some(lag) = &fit.lag {
        match (lag.value, lag.ci95) {
            (Some(v), Some([a, b])) => writeln!(
                w,
                "\nthe deck lags by {:.2} h (95 %: {:.2} … {:.2} h)",
                v / 3600.0,
                a / 3600.0,
                b / 3600.0
            )?,
            (Some(v), None) => writeln!(w, "\nthe deck lags by {:.2} h, as given", v / 3600.0)?,
            (None, _) => writeln!(w, "\nno lag of the deck seen")?,
        }
    }
    runs(w, fitted)?;
    changes(w, fitted)
}

/// Table 2 of the paper.
fn runs(w: &mut dyn Write, fitted: &Fitted) -> fmt::Result {
    let rows = sure::runs(fitted);
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(
        w,
        "\n{:<15} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}",
        "run", "z0 (m)", "K (N/m)", "f_d (N)", "f_s (N)", "beta (m/K)", "rmse (m)"
    )?;
    let maybe = |v: Option<f64>| v.map_or("unknown".to_owned(), |v| format!("{v:.3e}"));
    for (name, r) in rows {
        let [k, d, s] = [r.K, r.f_d, r.f_s].map(maybe);
        writeln!(
            w,
            "{name:<15} {:>11.3e} {k:>11} {d:>11} {s:>11} {:>11.3e} {:>11.3e}",
            r.z0, r.beta, r.rmse
        )?;
    }
    Ok(())
}

/// Significant changes over time.
fn changes(w: &mut dyn Write, fitted: &Fitted) -> fmt::Result {
    let Some(all) = &fitted.windows else { return Ok(()) };
    writeln!(w, "\n{} windows, {} significant changes", all.windows.len(), all.alarms.len())?;
    for a in &all.alarms {
        writeln!(
            w,
            "window {} (from day {:.1}): {} is {:.4e}, usually {:.4e} ({:+.1} standard errors)",
            a.window,
            all.windows[a.window].from / 86_400.0,
            a.name,
            a.value,
            a.usual,
            a.deviations
        )?;
    }
    Ok(())
}

//! The result of a calibration for people at a terminal.

use super::{Fitted, UNITS, findings, looked, page, sure};
use crate::export::estimates::{flat, lines};
use std::fmt::{self, Write};
use stickslip_report::html::number;

/// Parameters with their standard errors, or why they cannot be known.
pub fn table(w: &mut dyn Write, fitted: &Fitted) -> fmt::Result {
    let fit = &fitted.fit;
    writeln!(w, "{}", fitted.title())?;
    page::found(fitted).iter().try_for_each(|line| writeln!(w, "{}", flat(line)))?;
    looked::sentences(fitted).iter().try_for_each(|line| writeln!(w, "{line}"))?;
    writeln!(
        w,
        "\n{} samples ({} incomplete), {} slips of the fitted path, residual {} mm rms ({} mm without friction)\n",
        fit.samples,
        fit.missing,
        fit.slips,
        flat(&number(1e3 * fit.rmse, 3)),
        flat(&number(1e3 * fit.rmse_without_friction, 3))
    )?;
    lines(w, &fitted.estimates(), UNITS)?;
    if let Some(said) = page::stiffness(fitted) {
        writeln!(w, "\n{}", flat(&said))?;
    }
    if fit.outliers > 0 {
        let n = fit.outliers;
        let what = if n == 1 {
            "1 value left out as a spike".to_owned()
        } else {
            format!("{n} values left out as spikes")
        };
        writeln!(w, "\n{what}")?;
    }
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
    if let Some(said) = page::shift(fitted) {
        writeln!(w, "\n{}", flat(&said))?;
    }
    findings::text(w, fitted)?;
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

/// A change of friction and the path before it have so many unknowns.
const FEWEST_SLIPS: usize = 8;

/// Significant changes over time.
fn changes(w: &mut dyn Write, fitted: &Fitted) -> fmt::Result {
    let Some(all) = &fitted.windows else { return Ok(()) };
    let known = all.windows.iter().filter(|w| findings::is_known(w)).count();
    writeln!(w, "\n{} windows, {known} of them with an estimate", all.windows.len())?;
    for sentence in findings::sentences(fitted, &all.changes) {
        writeln!(w, "{sentence}")?;
    }
    if known == 0 {
        writeln!(w, "no window determines a parameter, so there is nothing to compare")?;
    } else if all.changes.is_empty() && fitted.fit.slips < FEWEST_SLIPS {
        writeln!(w, "with fewer than eight slips no change of the friction can be seen")?;
    } else if all.changes.is_empty() {
        writeln!(w, "no change of the friction was found")?;
    }
    if known > 0 && !all.are_compared() {
        writeln!(
            w,
            "fewer than four windows with six slips or more know a parameter: windows were not compared"
        )?;
    }
    for a in &all.alarms {
        writeln!(
            w,
            "window {} (from {}): {} is {:.4e}, usually {:.4e} ({:+.1} standard errors)",
            a.window,
            fitted.when(all.windows[a.window].from),
            a.name,
            a.value,
            a.usual,
            a.deviations
        )?;
    }
    Ok(())
}

//! A measured stick-slip record.

use super::super::verdict::Tolerance::Relative;
use super::Work;
use stickslip_calibrate::pulled_slider;
use stickslip_file::fit::Records;
use stickslip_file::{Diagnostic, Result};
use stickslip_run::export::slider::{Seen, figures};

pub fn run(w: &mut Work) -> Result<()> {
    if w.measured("stickslip_paper/k168Nm_v42.csv").is_none() {
        return Ok(());
    }
    let Records::Slider(file) =
        w.records("slider.toml", include_str!("../../models/slider.toml"))?
    else {
        return Err(Diagnostic::new("slider.toml: another kind of record"));
    };
    let fit = pulled_slider::slider(&file.data.seconds, &file.data.values[0], &file.rig())
        .map_err(|e| Diagnostic::new(e.to_string()))?;
    let value = |e: &stickslip_calibrate::Estimate| e.value.unwrap_or(f64::NAN);
    let p = &fit.parameters;
    let crude = "another detector on the same record";
    let times = &file.data.seconds;
    let span = times.last().zip(times.first()).map_or(f64::NAN, |(b, a)| b - a);
    let period = span / fit.slips as f64;
    w.verdict("mean time between slips, s", (1.494, crude), period, Relative(0.15));
    w.verdict("μ_{s}", (0.322, crude), value(&p.mu_s), Relative(0.01));
    w.verdict("μ_{d}", (0.305, crude), value(&p.mu_d), Relative(0.02));
    w.verdict(
        "slope of the force in stick over kV/(m g)",
        (1.0, "theory"),
        value(&p.stick_slope_ratio),
        Relative(0.08),
    );
    // The slow ends of a slip drown in the noise and the median filter: 0.86 of it is seen.
    w.verdict(
        "duration of a slip over π√(m/k)",
        (1.0, "theory; the slow ends are not seen"),
        value(&p.slip_duration_ratio),
        Relative(0.18),
    );
    w.remark(format!(
        "Detection: {} at a threshold of {:.4}; {} slips a second. {}",
        fit.detection.formula,
        fit.detection.threshold,
        number(fit.rate),
        fit.ageing.caution
    ));
    let seen = Seen { file, fit, warnings: Vec::new() };
    w.figure(
        "slider.svg",
        &figures::slips(&seen),
        "Static and sliding friction of every slip along the record.",
    );
    w.figure(
        "slider-distributions.svg",
        &figures::distributions(&seen),
        "What the slips show, with the theory where there is one.",
    );
    w.command("stickslip calibrate gallery/slider.toml --set data.file=stickslip_paper/k168Nm_v42.csv --out slider");
    Ok(())
}

fn number(x: f64) -> String {
    stickslip_report::html::number(x, 3)
}

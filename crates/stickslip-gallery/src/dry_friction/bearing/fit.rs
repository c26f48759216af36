//! Figs. 4 and 5.

use super::{SYMBOLS, TRUTH, Work, estimates, fitted, record, standard_errors};
use crate::twin::{self, Record};
use crate::verdict::Tolerance::{Absolute, AtLeast, Relative};
use stickslip_calibrate::{Fit, Method};
use stickslip_file::Result;
use stickslip_report::compose;
use stickslip_report::figure::Axis;

pub fn run(w: &mut Work) -> Result<()> {
    let record = record(w)?;
    let fit = fitted(&record, Method::Global)?;
    curves(w, &record, &fit);
    let known = estimates(&fit);
    let errors = standard_errors(&fit);
    for (j, name) in SYMBOLS.into_iter().enumerate() {
        w.verdict(
            format!("{name} over its truth"),
            (1.0, "what made the record; twice the standard error"),
            known[j] / TRUTH[j],
            Absolute(2.0 * errors[j] / TRUTH[j].abs()),
        );
    }
    // The width of a loop: 2 f_s/(K β) in temperature between break-aways on the two ways.
    let ratio = fit.f_s_over_K.value.unwrap_or(f64::NAN);
    w.verdict(
        "width of the loops, 2f_{s}/(Kβ), K",
        (2.0 * twin::STATIC / twin::STIFFNESS / twin::BETA, "what made the record"),
        2.0 * ratio / known[4],
        Relative(0.003),
    );
    w.verdict(
        "rmse without friction over rmse with it",
        (5.0, "friction is needed"),
        fit.rmse_without_friction / fit.rmse,
        AtLeast,
    );
    w.command("stickslip calibrate gallery/bearing.toml --set fit.method=global --out bearing");
    Ok(())
}

/// Measured and fitted displacement, over time and against temperature.
fn curves(w: &mut Work, record: &Record, fit: &Fit) {
    let millimetres = |v: &[f64]| -> Vec<f64> { v.iter().map(|z| 1e3 * z).collect() };
    let measured = millimetres(&record.displacement);
    let model = millimetres(&fit.curve.fitted);
    let over_time = compose::Fit {
        title: "",
        time: Axis::calendar(twin::START),
        t: &record.time,
        drive: &record.temperature,
        drive_name: ("T", "°C"),
        measured: &measured,
        fitted: &model,
        response_name: ("z", "mm"),
        zooms: Some([40.0, 215.0].map(|d| (86_400.0 * d, 86_400.0 * (d + 60.0)))),
    };
    w.figure("bearing-fit.svg", &over_time.over_time(), "Displacement, measured (wide) and fitted (thin), above the temperature; two enlargements of two months.");
    // March and April 2016: days 213 to 274 after 2015-08-01.
    let part = 213 * 144..274 * 144;
    let spring = compose::Fit {
        drive: &record.temperature[part.clone()],
        measured: &measured[part.clone()],
        fitted: &model[part.clone()],
        t: &record.time[part.clone()],
        ..over_time.clone()
    };
    w.figure(
        "bearing-loops.svg",
        &spring.plane(),
        "Displacement against temperature in March and April: hysteresis loops.",
    );

    w.verdict(
        "rmse of the fit, mm",
        (1e3 * twin::NOISE, "the noise put in"),
        1e3 * fit.rmse,
        Relative(0.01),
    );
    w.verdict(
        "height of the loops in March and April, fitted, mm",
        (range(&measured[part.clone()]), "measured"),
        range(&model[part.clone()]),
        Relative(0.05),
    );
}

/// Largest minus smallest.
fn range(v: &[f64]) -> f64 {
    let (low, high) =
        v.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &x| (a.min(x), b.max(x)));
    high - low
}

//! A measured year of temperature.

use super::super::twin::{self, Record};
use super::super::verdict::Tolerance::{AtLeast, Equal, Relative};
use super::Work;
use stickslip_calibrate::{Fit, Options, Series, ThermalBearing, calibrate};
use stickslip_file::{Diagnostic, Result};
use stickslip_report::compose;
use stickslip_report::figure::Axis;

const NAME: &str = "temperature_dtu/temperature_10min.csv";

/// Unix seconds and °C (NaN where missing).
fn read(bytes: &[u8]) -> Result<(Vec<f64>, Vec<f64>)> {
    let failed = |e: &dyn std::fmt::Display| Diagnostic::new(format!("{NAME}: {e}"));
    let mut reader = csv::Reader::from_reader(bytes);
    let mut time = Vec::new();
    let mut value = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|e| failed(&e))?;
        let [at, t] = [0, 1].map(|i| row.get(i).unwrap_or_default());
        let stamp: jiff::Timestamp = at.parse().map_err(|e| failed(&e))?;
        time.push(stamp.as_second() as f64);
        value.push(t.parse().unwrap_or(f64::NAN));
    }
    Ok((time, value))
}

pub fn run(w: &mut Work) -> Result<()> {
    let Some(bytes) = w.measured(NAME) else { return Ok(()) };
    let (stamps, temperature) = read(&bytes)?;
    let start = stamps.first().copied().unwrap_or_default();
    let time: Vec<f64> = stamps.iter().map(|t| t - start).collect();
    let missing = temperature.iter().filter(|t| !t.is_finite()).count();
    let record = twin::answer(time, temperature)?;
    w.file("temperature.toml", include_str!("../../models/temperature.toml"));
    w.file("temperature.csv", record.csv(start)?);
    let named = |e: stickslip_calibrate::Error| Diagnostic::new(e.to_string());
    let series =
        Series::new(&record.time, &record.temperature, &record.displacement).map_err(named)?;
    let model = ThermalBearing { bearing_stiffness: Some(twin::BEARING), ..Default::default() };
    let fit = calibrate(&series, &model, &Options::default()).map_err(named)?;

    w.verdict(
        "days of record",
        (343.0, "344 days"),
        record.time.last().map_or(0.0, |t| t / 86_400.0),
        AtLeast,
    );
    w.verdict(
        "rows without a temperature, counted by the fit",
        (missing as f64, "counted here"),
        fit.missing as f64,
        Equal,
    );
    let p = &fit.parameters;
    let all = [
        ("z_{0}", &p.z0, twin::ZERO, 0.01),
        ("K", &p.K, twin::STIFFNESS, 0.02),
        ("f_{d}", &p.f_d, twin::DYNAMIC, 0.02),
        ("f_{s}", &p.f_s, twin::STATIC, 0.02),
        ("β", &p.beta, twin::BETA, 0.01),
    ];
    for (name, e, truth, tolerance) in all {
        let over = e.value.unwrap_or(f64::NAN) / truth;
        w.verdict(
            format!("{name} over its truth"),
            (1.0, "what made the record"),
            over,
            Relative(tolerance),
        );
    }
    w.verdict(
        "rmse of the fit, mm",
        (1e3 * twin::NOISE, "the noise put in"),
        1e3 * fit.rmse,
        Relative(0.03),
    );
    draw(w, &record, &fit, start);
    w.remark("The temperature is measured. The displacement is synthetic: the model's, with 0.05 mm of noise.");
    w.command("stickslip calibrate gallery/temperature.toml --out temperature");
    Ok(())
}

/// Temperature, and both displacements.
fn draw(w: &mut Work, record: &Record, fit: &Fit, start: f64) {
    let millimetres = |v: &[f64]| -> Vec<f64> { v.iter().map(|z| 1e3 * z).collect() };
    let measured = millimetres(&record.displacement);
    let fitted = millimetres(&fit.curve.fitted);
    let figures = compose::Fit {
        title: "",
        time: Axis::calendar(start),
        t: &record.time,
        drive: &record.temperature,
        drive_name: ("T", "°C"),
        measured: &measured,
        fitted: &fitted,
        response_name: ("z", "mm"),
        zooms: None,
    };
    w.figure(
        "temperature.svg",
        &figures.over_time(),
        "The measured temperature below; the synthetic displacement and its fit above.",
    );
}

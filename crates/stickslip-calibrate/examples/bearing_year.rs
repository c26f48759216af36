//! How much friction is in a bridge bearing, from a year of temperature and displacement, and whether it changed.
//!
//! `cargo run --release -p stickslip-calibrate --example bearing_year [TABLE]`: without a table, of the bundled record.

use std::error::Error;
use stickslip_calibrate::{Estimate, Options, Series, ThermalBearing, calibrate, changes};

/// Days before each month of a year without a leap day.
const BEFORE: [u32; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/// Seconds since the beginning of the year of a time such as 2013-05-01T06:00:00Z.
fn seconds(text: &str) -> Option<f64> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<u32>().ok();
    let days =
        BEFORE.get(number(5..7)?.checked_sub(1)? as usize)? + number(8..10)?.checked_sub(1)?;
    let hours = 24 * days + number(11..13)?;
    Some(f64::from(60 * hours + number(14..16)?) * 60.0)
}

fn said(name: &str, factor: f64, unit: &str, estimate: &Estimate) -> String {
    match (estimate.value, estimate.ci95, &estimate.reason) {
        (Some(value), Some([low, high]), _) => {
            format!(
                "{name} = {:.4} {unit} ({:.4} to {:.4})",
                factor * value,
                factor * low,
                factor * high
            )
        }
        (_, _, reason) => format!("{name} is not known: {}", reason.as_deref().unwrap_or("")),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let bundled = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bearing-year/bearing.csv");
    let table = std::fs::read_to_string(std::env::args().nth(1).as_deref().unwrap_or(bundled))?;
    let mut time = Vec::new();
    let mut temperature = Vec::new();
    let mut displacement = Vec::new();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [at, degrees, millimetres] = cells.as_slice() else {
            return Err(format!("three columns are expected: {line}").into());
        };
        time.push(seconds(at).ok_or_else(|| format!("no time: {at}"))?);
        // An empty cell is a reading that is missing.
        temperature.push(degrees.parse().unwrap_or(f64::NAN));
        displacement.push(millimetres.parse().map_or(f64::NAN, |mm: f64| 1e-3 * mm));
    }

    let series = Series::new(&time, &temperature, &displacement)?;
    let model = ThermalBearing { bearing_stiffness: Some(2.0e9), ..Default::default() };
    let options = Options { max_gap: Some(6.0 * 3600.0), ..Options::default() };
    let fit = calibrate(&series, &model, &options)?;

    println!("{} rows, {} slips", fit.samples, fit.slips);
    println!("{}", said("f_s", 1e-3, "kN", &fit.parameters.f_s));
    println!("{}", said("f_d", 1e-3, "kN", &fit.parameters.f_d));
    println!("{}", said("K", 1e-6, "kN/mm", &fit.parameters.K));
    println!("{}", said("beta", 1e3, "mm/°C", &fit.parameters.beta));
    for warning in &fit.warnings {
        println!("warning: {warning}");
    }
    for change in changes(&series, &options, &fit)? {
        println!(
            "the friction changed by a factor of {:.3} on day {:.0}",
            change.ratio,
            change.time / 86_400.0
        );
    }
    Ok(())
}

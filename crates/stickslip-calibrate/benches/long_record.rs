//! How long the calibration of a long record takes, and how much memory.
//!
//! `cargo bench -p stickslip-calibrate --bench long_record -- [rows] [f_s in kN] [noise in mm]`
//!
//! A made-up year of temperature, every ten minutes, repeated until there are enough rows; the friction of the other studies, unless
//! `f_s` is given: a small one gives many slips. Prints the time on as many threads as `RAYON_NUM_THREADS` says, the slips, and on Linux
//! the most memory that was in use, with that of the three columns of the record itself.

#![allow(
    clippy::disallowed_methods,
    reason = "records that are made up may differ in the last digit"
)]
#![allow(clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::twin::bearing;
use common::{Truth, respond, weather};
use stickslip_calibrate::{Series, ThermalBearing, calibrate};

/// The most memory so far, MB.
fn peak() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn main() {
    // Cargo adds a flag of its own.
    let given: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let number = |i: usize| given.get(i).and_then(|n| n.parse::<f64>().ok());
    let rows = number(0).unwrap_or(43_200.0) as usize;
    let truth = bearing();
    let by = number(1).map_or(1.0, |f| 1e3 * f / truth.breakaway);
    let truth = Truth { breakaway: by * truth.breakaway, dynamic: by * truth.dynamic, ..truth };
    let (time, drive) = weather(rows, 600.0, 1);
    let response = respond(&truth, &drive, 1e-3 * number(2).unwrap_or(0.05), 2);
    let before = peak();
    let start = std::time::Instant::now();
    let series = Series::new(&time, &drive, &response).unwrap();
    let model = ThermalBearing { bearing_stiffness: Some(truth.bearing), ..Default::default() };
    let fit = calibrate(&series, &model, &Default::default()).unwrap();
    let time = start.elapsed();
    println!(
        "{rows} rows, {} slips: {:.3} s; f_s/K {:.6} mm (truth {:.6}); {} findings",
        fit.slips,
        time.as_secs_f64(),
        1e3 * fit.f_s_over_K.value.unwrap_or(f64::NAN),
        1e3 * truth.breakaway / truth.stiffness,
        fit.diagnosis.len()
    );
    let threads = rayon::current_num_threads();
    println!("calibration, threads: {threads} | rows | {rows} | {:e}", time.as_secs_f64());
    if let (Some(before), Some(after)) = (before, peak()) {
        println!("at most {after:.0} MB in use, {before:.0} MB before the calibration");
    }
}

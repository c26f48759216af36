//! A synthetic record of a monitored bridge bearing: weather, and the response of a bearing of known parameters.
//!
//! The parameters are the means of Table 2 of Bensoussan et al. (2021), in the units that make them consistent. The
//! answer is rounded as an instrument would, so the CSV file and the columns here hold the same.

use std::f64::consts::TAU;
use std::fmt::Write;
use stickslip::scheme::oscillator::quasi_static;
use stickslip::signal::noise::Address;
use stickslip::{Law, Noise, Oscillator, Signal};
use stickslip_file::{Diagnostic, Result};

/// K_BP, K, N/m; f_s, f_d, N; β, m/K; z₀, m.
pub const BEARING: f64 = 2.0e9;
pub const STIFFNESS: f64 = 1.89e8;
pub const STATIC: f64 = 0.47e6;
pub const DYNAMIC: f64 = 0.42e6;
pub const BETA: f64 = 3.06e-4;
pub const ZERO: f64 = 9.67e-3;
/// Standard deviation of the instrument, m.
pub const NOISE: f64 = 0.05e-3;
/// Time between rows, s: six rows an hour, as in the paper.
pub const STEP: f64 = 600.0;
/// Days.
pub const DAYS: usize = 300;
/// 2015-08-01, Unix seconds.
pub const START: f64 = 1_438_387_200.0;

/// The columns of a record.
pub struct Record {
    /// s after the first row.
    pub time: Vec<f64>,
    /// °C; NaN where it is missing.
    pub temperature: Vec<f64>,
    /// m.
    pub displacement: Vec<f64>,
}

/// 300 days of made-up weather: the year, days of changing strength, and fronts (Ornstein–Uhlenbeck).
pub fn weather() -> Result<Vec<f64>> {
    let rows = DAYS * 144;
    let day = 86_400.0;
    // Fronts pass in two days and move the temperature by 3 °C (standard deviation).
    let fronts = Noise::OrnsteinUhlenbeck { rate: 1.0 / (2.0 * day), intensity: 1.0, scale: 1.0 };
    let scale = 3.0 * (2.0 / (2.0 * day)).sqrt();
    let fronts =
        fronts.realize(Address { seed: 7, ..Address::default() }, STEP * rows as f64, STEP)?;
    let temperature = |i: usize| {
        let t = STEP * i as f64;
        let year = 10.5 * (TAU * (t / day + 15.0) / 365.0).cos();
        let swing =
            3.5 + 1.5 * (TAU * t / (9.3 * day)).sin() + 1.5 * (TAU * t / (365.0 * day)).cos();
        let value = 12.5 + year + swing * (TAU * t / day - 2.6).cos() + scale * fronts.value(t);
        (value * 100.0).round() / 100.0
    };
    Ok((0..rows).map(temperature).collect())
}

/// What the bearing's sensor shows: z₀ + x + K(βT − x)/K_BP, with noise, to the micrometre. Missing
/// temperatures are bridged for the bearing, and stay missing in the record.
pub fn answer(time: Vec<f64>, temperature: Vec<f64>) -> Result<Record> {
    let known: Vec<usize> = (0..time.len()).filter(|&i| temperature[i].is_finite()).collect();
    let [times, ends]: [Vec<f64>; 2] = [
        known.iter().map(|&i| time[i]).collect(),
        known.iter().map(|&i| BETA * temperature[i]).collect(),
    ];
    let (Some(&first), Some(&last)) = (ends.first(), times.last()) else {
        return Err(Diagnostic::new("the record of temperatures is empty"));
    };
    let bearing = Oscillator::new(1.0, STIFFNESS, Law::static_dynamic(STATIC, DYNAMIC)?)
        .with_drive(Signal::sampled(&times, &ends)?)
        .starting_at(first, 0.0);
    let path = quasi_static::solve(&bearing, last)?;
    let noise = Address { seed: 11, ..Address::default() };
    let row = |i: usize| {
        let x = path.state(time[i]).x;
        let d = bearing.drive.value(time[i].min(last));
        let z = ZERO + x + STIFFNESS * (d - x) / BEARING + NOISE * noise.normals(0, i as u64).0;
        (z * 1e6).round() / 1e6
    };
    let displacement = (0..time.len()).map(row).collect();
    Ok(Record { time, temperature, displacement })
}

impl Record {
    /// `time,temperature,displacement`: UTC, °C, mm; `start` in Unix seconds.
    pub fn csv(&self, start: f64) -> Result<String> {
        let mut out = String::from("time,temperature,displacement\n");
        for ((t, temperature), z) in self.time.iter().zip(&self.temperature).zip(&self.displacement)
        {
            let stamp = jiff::Timestamp::from_second((start + t) as i64)
                .map_err(|e| Diagnostic::new(format!("a time of the record: {e}")))?;
            match temperature.is_finite() {
                true => writeln!(out, "{stamp},{temperature:.2},{:.3}", 1e3 * z),
                false => writeln!(out, "{stamp},,{:.3}", 1e3 * z),
            }
            .map_err(|e| Diagnostic::new(e.to_string()))?;
        }
        Ok(out)
    }
}

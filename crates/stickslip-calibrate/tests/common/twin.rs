//! Twin records: a bearing with known friction under a given temperature, and what dataloggers do to such records.
#![allow(dead_code)]

use super::{Noise, Truth, respond, shared, weather};

/// A record as it comes from a datalogger.
#[derive(Debug, Clone)]
pub struct Record {
    pub time: Vec<f64>,
    pub drive: Vec<f64>,
    pub response: Vec<f64>,
    pub truth: Truth,
}

pub const HOUR: f64 = 3600.0;
pub const DAY: f64 = 86_400.0;

/// The bearing of the study.
pub fn bearing() -> Truth {
    Truth {
        z0: 9.67e-3,
        stiffness: 1.89e8,
        dynamic: 4.2e5,
        breakaway: 4.7e5,
        beta: 3e-4,
        bearing: 2e9,
        start: 0.3,
    }
}

/// The measured temperature, °C every ten minutes, with single missing values bridged; `None` where the
/// public records are not at hand.
pub fn measured() -> Option<Vec<f64>> {
    let text = std::fs::read_to_string(shared("temperature_dtu/temperature_10min.csv")?).ok()?;
    let mut last = None;
    let values = text.lines().skip(1).filter_map(|l| {
        last = l.split(',').nth(1).and_then(|v| v.parse().ok()).or(last);
        last
    });
    Some(values.collect())
}

/// `days` of temperature every `step` s: measured, from another day of the year for each `seed`, or made up.
pub fn temperature(
    measured: Option<&[f64]>,
    days: f64,
    step: f64,
    seed: u64,
) -> (Vec<f64>, Vec<f64>) {
    let count = (days * DAY / step) as usize;
    let Some(all) = measured else { return weather(count, step, seed) };
    let every = (step / 600.0).round().max(1.0) as usize;
    let span = (count * every).min(all.len());
    let room = all.len() - span;
    let from = if room == 0 { 0 } else { (seed as usize * 7919) % room };
    let drive: Vec<f64> = all[from..from + span].iter().step_by(every).copied().collect();
    ((0..drive.len()).map(|i| step * i as f64).collect(), drive)
}

impl Record {
    /// White noise of standard deviation `noise` m on the response of `truth`.
    pub fn new(truth: Truth, (time, drive): (Vec<f64>, Vec<f64>), noise: f64, seed: u64) -> Self {
        let response = respond(&truth, &drive, noise, 1000 + seed);
        Self { time, drive, response, truth }
    }

    /// The response comes `rows` later (or, negative, earlier) than it happened.
    pub fn shifted(mut self, rows: i64) -> Self {
        let n = self.response.len() as i64;
        let old = self.response.clone();
        for i in 0..n {
            let from = i - rows;
            self.response[i as usize] =
                if (0..n).contains(&from) { old[from as usize] } else { f64::NAN };
        }
        self
    }

    /// Noise of `sigma` K on what the thermometer says.
    pub fn thermometer(mut self, sigma: f64, seed: u64) -> Self {
        let mut draw = Noise::new(seed + 31);
        self.drive.iter_mut().for_each(|t| *t += sigma * draw.normal());
        self
    }

    /// The response as multiples of `step` m.
    pub fn rounded(mut self, step: f64) -> Self {
        self.response.iter_mut().for_each(|z| *z = (*z / step).round() * step);
        self
    }

    /// `size` m more from `share` of the record on.
    pub fn reset(mut self, size: f64, share: f64) -> Self {
        let from = (share * self.time.len() as f64) as usize;
        self.response[from..].iter_mut().for_each(|z| *z += size);
        self
    }

    /// `rate` m more each year.
    pub fn drifting(mut self, rate: f64) -> Self {
        let first = self.time[0];
        for (z, t) in self.response.iter_mut().zip(&self.time) {
            *z += rate * (t - first) / (365.25 * DAY);
        }
        self
    }

    /// The value `code` in `share` of the rows of the response.
    pub fn sentinels(mut self, code: f64, share: f64, seed: u64) -> Self {
        let mut draw = Noise::new(seed + 57);
        for z in &mut self.response {
            if draw.unit() < share {
                *z = code;
            }
        }
        self
    }

    /// Spikes of 2 to 10 mm of either sign in `share` of the rows.
    pub fn spiked(mut self, share: f64, seed: u64) -> Self {
        let mut draw = Noise::new(seed + 71);
        for z in &mut self.response {
            if draw.unit() < share {
                let size = 2e-3 + 8e-3 * draw.unit();
                *z += if draw.unit() < 0.5 { size } else { -size };
            }
        }
        self
    }

    /// Nothing in `share` of the rows of the response.
    pub fn holes(mut self, share: f64, seed: u64) -> Self {
        let mut draw = Noise::new(seed + 93);
        for z in &mut self.response {
            if draw.unit() < share {
                *z = f64::NAN;
            }
        }
        self
    }
}

/// The deck behind the air, with time constant `constant` s, by sixty small steps between two samples.
pub fn behind(air: &[f64], step: f64, constant: f64) -> Vec<f64> {
    let mut state = air[0];
    let mut deck = Vec::with_capacity(air.len());
    for pair in air.windows(2) {
        deck.push(state);
        for k in 0..60 {
            let t = pair[0] + (pair[1] - pair[0]) * (f64::from(k) + 0.5) / 60.0;
            state += (t - state) * (1.0 - (-step / 60.0 / constant).exp());
        }
    }
    deck.push(state);
    deck
}

/// Another friction, `factor` times the first, from `share` of the record on.
pub fn changed(
    truth: Truth,
    drive: &[f64],
    factor: f64,
    share: f64,
    noise: f64,
    seed: u64,
) -> Vec<f64> {
    let from = (share * drive.len() as f64) as usize;
    varying(truth, drive, |i| if i < from { 1.0 } else { factor }, noise, seed)
}

/// Friction that is `factor` times that of `truth` in each row.
pub fn varying(
    truth: Truth,
    drive: &[f64],
    factor: impl Fn(usize) -> f64,
    noise: f64,
    seed: u64,
) -> Vec<f64> {
    let Truth { z0, stiffness: k, dynamic, breakaway, beta, bearing, start } = truth;
    let mut x = beta * drive[0] + start * breakaway / k;
    let mut sensor = Noise::new(seed);
    drive
        .iter()
        .enumerate()
        .map(|(i, &t)| {
            let by = factor(i);
            let (breakaway, dynamic) = (by * breakaway, by * dynamic);
            let mut force = k * (beta * t - x);
            while force.abs() > breakaway {
                x += 2.0 * (breakaway - dynamic) / k * force.signum();
                force = k * (beta * t - x);
            }
            z0 + x + force / bearing + noise * sensor.normal()
        })
        .collect()
}

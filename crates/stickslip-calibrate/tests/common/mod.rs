//! Records with known parameters, made by code that shares nothing with the library.
#![allow(dead_code)] // each test file uses a part

pub mod asked;

pub mod twin;

use std::path::{Path, PathBuf};

/// Parameters of a bearing; the mean row of Bensoussan et al. 2021, Table 2, by default.
#[derive(Debug, Clone, Copy)]
pub struct Truth {
    pub z0: f64,
    pub stiffness: f64,
    pub dynamic: f64,
    pub breakaway: f64,
    pub beta: f64,
    pub bearing: f64,
    /// Start: x = β T(0) + start · f_s/K, start in [−1, 1].
    pub start: f64,
}

impl Default for Truth {
    fn default() -> Self {
        Self {
            z0: 9.67e-3,
            stiffness: 1.89e8,
            dynamic: 0.42e6,
            breakaway: 0.47e6,
            beta: 3.06e-4,
            bearing: 2.0e9,
            start: 0.3,
        }
    }
}

/// One of two sizes of a test: the usual one, or with `STICKSLIP_NIGHTLY` set the one of the night, which sees rarer faults.
pub fn sized<T>(usual: T, nightly: T) -> T {
    if std::env::var_os("STICKSLIP_NIGHTLY").is_some() { nightly } else { usual }
}

/// A generator of its own: multiply with carry, sums of twelve for normals.
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493) | 1)
    }

    pub fn unit(&mut self) -> f64 {
        let (x, c) = (self.0 & 0xffff_ffff, self.0 >> 32);
        self.0 = x.wrapping_mul(4_294_957_665).wrapping_add(c);
        (self.0 & 0xffff_ffff) as f64 / 4_294_967_296.0
    }

    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

/// `count` samples `step` s apart: a year, a day and weather.
pub fn weather(count: usize, step: f64, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let (mut noise, mut slow) = (Noise::new(seed), 0.0);
    let keep = (-step / (2.0 * 86_400.0)).exp();
    let mut temperature = Vec::new();
    for i in 0..count {
        let day = i as f64 * step / 86_400.0;
        slow = keep * slow + 3.5 * (1.0 - keep * keep).sqrt() * noise.normal();
        let year = -9.0 * (std::f64::consts::TAU * (day + 20.0) / 365.25).cos();
        let sun = -4.0 * (std::f64::consts::TAU * (day + 0.1)).cos();
        temperature.push(11.0 + year + sun + slow + 0.05 * noise.normal());
    }
    ((0..count).map(|i| i as f64 * step).collect(), temperature)
}

/// The displacement: breaks away whenever the spring force exceeds f_s, and overshoots to where the
/// spring pushes back with f_s − 2(f_s − f_d). In forces and metres, as in the paper.
pub fn respond(truth: &Truth, temperature: &[f64], noise: f64, seed: u64) -> Vec<f64> {
    let Truth { z0, stiffness: k, dynamic, breakaway, beta, bearing, start } = *truth;
    let mut x = beta * temperature[0] + start * breakaway / k;
    let mut sensor = Noise::new(seed);
    let mut out = Vec::new();
    for &t in temperature {
        let mut force = k * (beta * t - x);
        while force.abs() > breakaway {
            if breakaway > dynamic {
                x += 2.0 * (breakaway - dynamic) / k * force.signum();
            } else {
                x = beta * t - breakaway / k * force.signum();
                break;
            }
            force = k * (beta * t - x);
        }
        let force = k * (beta * t - x);
        out.push(z0 + x + force / bearing + noise * sensor.normal());
    }
    out
}

/// A file of public records, if it is there: below the folder STICKSLIP_DATA, or else `../shared/data`
/// beside the workspace.
pub fn shared(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("STICKSLIP_DATA").map_or_else(beside, PathBuf::from).join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no shared data ({name})");
    None
}

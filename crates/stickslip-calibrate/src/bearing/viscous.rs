//! Is it dry friction? The alternatives are bearings without any: an elastic one that creeps or is damped.
//!
//! A viscous bearing K(βT − x) = c ẋ follows the drive with the time constant θ = c/K:
//!
//! ```text
//! z = c + a T_θ + b T,     θ dT_θ/dt = T − T_θ
//! ```
//!
//! with a straight line through two columns for each θ. What it leaves is compared with what dry friction leaves.

use crate::record::lag::lagged;
use crate::record::series::Series;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::stats::robust;

/// Time constants: from a quarter of the usual step on, each three halves of the one before, up to a fifth of the record.
const RATIO: f64 = 1.5;
const MOST: f64 = 0.2;
/// A longer record is judged by so many rows from its first one on.
const ROWS: usize = 50_000;

/// The best bearing without dry friction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viscous {
    /// θ, s.
    pub constant: f64,
    /// Mean squared residual, m².
    pub square: f64,
    /// Autocorrelation time of the residuals.
    pub tau: f64,
    /// Robust variance of the residuals, m².
    pub robust: f64,
}

/// Fits it.
pub fn fit(series: &Series, max_gap: f64) -> Option<Viscous> {
    let n = series.time().len().min(ROWS);
    let time = &series.time()[..n];
    let drive = &series.drive()[..n];
    let response = &series.response()[..n];
    let length = time[n - 1] - time[0];
    let mut constant = 0.25 * series.usual_step();
    let mut best: Option<(f64, f64, [f64; 3])> = None;
    while constant < MOST * length {
        let behind = lagged(time, drive, constant, max_gap);
        if let Some((square, line)) = line(&behind, drive, response)
            && best.is_none_or(|b| square < b.1)
        {
            best = Some((constant, square, line));
        }
        constant *= RATIO;
    }
    let (constant, square, [c, a, b]) = best?;
    // The memory of the residuals is asked only of the best, since it costs more than the line.
    let behind = lagged(time, drive, constant, max_gap);
    let left: Vec<f64> = (0..n).map(|i| response[i] - c - a * behind[i] - b * drive[i]).collect();
    let robust = robust(left.iter().copied().filter(|r| !r.is_nan())).powi(2);
    Some(Viscous { constant, square, tau: autocorrelation_time(&[left]), robust })
}

/// Mean squared residual of z over (1, x, y), and the coefficients.
fn line(x: &[f64], y: &[f64], z: &[f64]) -> Option<(f64, [f64; 3])> {
    let rows = || (0..z.len()).filter(|&i| !(x[i].is_nan() || y[i].is_nan() || z[i].is_nan()));
    let mut n = 0.0;
    let mut m = [0.0; 3];
    for i in rows() {
        n += 1.0;
        m = [m[0] + x[i], m[1] + y[i], m[2] + z[i]];
    }
    let m = m.map(|v| v / n);
    let mut s = [0.0; 6];
    for i in rows() {
        let x = x[i] - m[0];
        let y = y[i] - m[1];
        let z = z[i] - m[2];
        for (s, v) in s.iter_mut().zip([x * x, x * y, y * y, x * z, y * z, z * z]) {
            *s += v;
        }
    }
    let [xx, xy, yy, xz, yz, zz] = s;
    let determinant = xx * yy - xy * xy;
    // A time constant so short, or so long, that the lagged drive is the drive, or nothing, has no line of its
    // own.
    if n < 10.0 || determinant <= 1e-9 * xx * yy {
        return None;
    }
    let a = (yy * xz - xy * yz) / determinant;
    let b = (xx * yz - xy * xz) / determinant;
    Some(((zz - a * xz - b * yz).max(0.0) / n, [m[2] - a * m[0] - b * m[1], a, b]))
}

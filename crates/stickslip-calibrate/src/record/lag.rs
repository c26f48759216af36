//! The deck is not as warm as the air: a first-order lag.
//!
//! ```text
//! θ dT_d/dt = T − T_d        θ: time constant, s; T_d: what drives the bearing
//! ```
//!
//! solved exactly for a drive that is linear between samples. Where the drive is missing for longer than
//! `max_gap`, T_d restarts at T: for some θ after that, and at the beginning, it is not yet right.

use stickslip::portable;

/// Whether the drive reaches the bearing at once.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Lag {
    /// At once.
    #[default]
    None,
    /// With this time constant, s.
    Fixed(f64),
    /// With a time constant that is fitted.
    Fitted,
}

/// Whether the clocks of drive and response agree.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Shift {
    /// They do.
    #[default]
    None,
    /// The response comes so much later than the drive, s; negative: earlier.
    Fixed(f64),
    /// By a time that is fitted.
    Fitted,
}

/// The drive behind a lag of time constant `constant` > 0 s; NaN stays NaN.
pub fn lagged(time: &[f64], drive: &[f64], constant: f64, max_gap: f64) -> Vec<f64> {
    let mut out = vec![f64::NAN; drive.len()];
    let mut last: Option<(f64, f64, f64)> = None;
    // The exponential of a step is that of the step before, in most records.
    let mut decay = (f64::NAN, f64::NAN);
    for i in 0..drive.len() {
        let t = time[i];
        let value = drive[i];
        if value.is_nan() {
            continue;
        }
        let state = match last {
            Some((t0, v0, s0)) if t - t0 <= max_gap => {
                // A drive v₀ + r(t − t₀) makes T_d = v − rθ + (s₀ − v₀ + rθ) e^{−(t − t₀)/θ}.
                let h = (t - t0) / constant;
                let behind = (value - v0) / h;
                if h != decay.0 {
                    decay = (h, portable::exp(-h));
                }
                value - behind + (s0 - v0 + behind) * decay.1
            }
            _ => value,
        };
        out[i] = state;
        last = Some((t, value, state));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_and_a_step_are_followed_exactly() {
        let time: Vec<f64> = (0..100).map(|i| 600.0 * f64::from(i)).collect();
        let ramp: Vec<f64> = time.iter().map(|t| 2.0 + 1e-3 * t).collect();
        let found = lagged(&time, &ramp, 7200.0, 1e9);
        for (t, found) in time.iter().zip(&found) {
            let exact = 2.0 + 1e-3 * (t - 7200.0 * (1.0 - (-t / 7200.0).exp()));
            assert!((found - exact).abs() < 1e-12);
        }
        let mut held = vec![1.0; 100];
        held[5] = f64::NAN;
        let found = lagged(&time, &held, 7200.0, 1e9);
        assert!(found[5].is_nan() && found[99] == 1.0);
    }
}

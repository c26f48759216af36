//! What the arcs of one oscillator have in common.

use crate::numeric::natural_frequency;
use crate::portable;
use crate::signal::Harmonic;

/// m ẍ + c ẋ + K x: its free modes and its gain at each harmonic of the load.
#[derive(Debug, Clone)]
pub(crate) struct Medium {
    pub mass: f64,
    pub damping: f64,
    pub stiffness: f64,
    /// Roots of m z² + c z + K.
    pub modes: Modes,
    /// 1/(K − mν² + icν) for each harmonic: real and imaginary part, m/N.
    pub gains: Vec<(f64, f64)>,
    /// Whether modes and harmonics are far enough apart for the sum of modes to be accurate.
    pub separated: bool,
    /// √(K/m), rad/s.
    pub natural_frequency: f64,
}

/// The roots of the characteristic polynomial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Modes {
    /// −decay ± i·frequency.
    Oscillating { decay: f64, frequency: f64 },
    /// −slow, −fast.
    Decaying { slow: f64, fast: f64 },
}

/// Relative distance of modes below which differences of exponentials lose more than two digits.
const APART: f64 = 0.05;

impl Medium {
    pub fn new(mass: f64, damping: f64, stiffness: f64, harmonics: &[Harmonic]) -> Self {
        let natural_frequency = natural_frequency(stiffness, mass);
        let decay = 0.5 * damping / mass;
        // (ω − λ)(ω + λ): no cancellation beyond that of the data
        let discriminant = (natural_frequency - decay) * (natural_frequency + decay);
        let modes = if discriminant > 0.0 {
            Modes::Oscillating { decay, frequency: discriminant.sqrt() }
        } else {
            let fast = decay + (-discriminant).sqrt();
            let slow = if fast > 0.0 { stiffness / mass / fast } else { 0.0 };
            Modes::Decaying { slow, fast }
        };
        let gain = |h: &Harmonic| {
            let w = h.angular_frequency;
            let re = mass * (natural_frequency - w) * (natural_frequency + w);
            let im = damping * w;
            let norm = re * re + im * im;
            (re / norm, -im / norm)
        };
        let separated = discriminant.abs() > APART * APART * (natural_frequency + decay).powi(2)
            && stiffness > 0.0
            && harmonics.iter().all(|h| {
                let w = h.angular_frequency;
                let re = mass * (natural_frequency - w) * (natural_frequency + w);
                let im = damping * w;
                portable::hypot(re, im) > APART * (stiffness + mass * w * w)
            });
        let gains = harmonics.iter().map(gain).collect();
        Self { mass, damping, stiffness, modes, gains, separated, natural_frequency }
    }
}

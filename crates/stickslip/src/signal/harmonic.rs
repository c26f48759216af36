//! `A cos(ωt + φ)`.

use super::Signal;
use crate::portable;
use std::f64::consts::TAU;

/// One harmonic, `amplitude · cos(angular_frequency · t + phase)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Harmonic {
    /// A.
    pub amplitude: f64,
    /// ω > 0, rad/s.
    pub angular_frequency: f64,
    /// φ, rad.
    pub phase: f64,
}

impl Harmonic {
    /// ωt + φ.
    #[inline]
    pub fn angle(&self, t: f64) -> f64 {
        self.angular_frequency * t + self.phase
    }

    /// A cos(ωt + φ).
    #[inline]
    pub fn value(&self, t: f64) -> f64 {
        self.amplitude * portable::cos(self.angle(t))
    }

    /// −A ω sin(ωt + φ).
    #[inline]
    pub fn derivative(&self, t: f64) -> f64 {
        -self.amplitude * self.angular_frequency * portable::sin(self.angle(t))
    }
}

impl Signal {
    /// `s(t) = amplitude · cos(angular_frequency · t + phase)`.
    pub fn harmonic(amplitude: f64, angular_frequency: f64, phase: f64) -> Self {
        let phase = reduced(phase);
        let (w, p) = if angular_frequency < 0.0 {
            (-angular_frequency, -phase)
        } else {
            (angular_frequency, phase)
        };
        if w == 0.0 {
            return Self::constant(amplitude * portable::cos(p));
        }
        let wave = Harmonic { amplitude, angular_frequency: w, phase: p };
        let waves = if amplitude != 0.0 { vec![wave] } else { Vec::new() };
        let zero = Self::default();
        Self::new(zero.parts.knots.clone(), waves, zero.parts.domain)
    }
}

/// A phase within one turn of 0: what lies beyond would take digits from every angle ωt + φ. The multiple
/// of 2π is taken off exactly, with 2π to 160 bits.
fn reduced(phase: f64) -> f64 {
    const TURN: [f64; 3] = [TAU, 2.449_293_598_294_706_4e-16, -5.989_539_619_436_679_3e-33];
    if !phase.is_finite() || phase.abs() <= TAU {
        return phase;
    }
    if phase.abs() > 1e15 {
        let (sin, cos) = portable::sin_cos(phase);
        return portable::atan2(sin, cos);
    }
    let turns = (phase / TAU).round();
    let most = turns * TURN[0];
    let rest = turns.mul_add(TURN[0], -most);
    (phase - most) - (rest + turns.mul_add(TURN[1], turns * TURN[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// cos 10⁹ and cos 10¹² from 30-digit arithmetic and cos 10²².
    #[test]
    fn a_large_phase_costs_no_digits() {
        for (phase, want) in [
            (1e9, 0.837_887_181_363_902_3),
            (-1e9, 0.837_887_181_363_902_3),
            (1e22, 0.523_214_785_395_138_9),
            (1e3, 0.562_379_076_290_703),
        ] {
            let s = Signal::harmonic(1.0, 3.0, phase);
            assert!((s.value(0.0) - want).abs() < 3e-16, "{phase}: {} {want}", s.value(0.0));
            assert!(s.harmonics()[0].phase.abs() <= TAU);
        }
        assert_eq!(Signal::harmonic(1.0, 3.0, 4.5).harmonics()[0].phase, 4.5);
    }

    #[test]
    fn the_sign_of_the_frequency_does_not_matter_to_a_cosine() {
        let a = Signal::harmonic(2.0, 3.0, 0.5);
        let b = Signal::harmonic(2.0, -3.0, -0.5);
        assert_eq!(a, b);
        assert_eq!(Signal::harmonic(2.0, 0.0, 0.5), Signal::constant(2.0 * 0.5f64.cos()));
    }
}

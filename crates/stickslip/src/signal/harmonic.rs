//! `A cos(ωt + φ)`.

use super::Signal;

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
        self.amplitude * self.angle(t).cos()
    }

    /// −A ω sin(ωt + φ).
    #[inline]
    pub fn derivative(&self, t: f64) -> f64 {
        -self.amplitude * self.angular_frequency * self.angle(t).sin()
    }
}

impl Signal {
    /// `s(t) = amplitude · cos(angular_frequency · t + phase)`.
    pub fn harmonic(amplitude: f64, angular_frequency: f64, phase: f64) -> Self {
        let (w, p) = if angular_frequency < 0.0 {
            (-angular_frequency, -phase)
        } else {
            (angular_frequency, phase)
        };
        if w == 0.0 {
            return Self::constant(amplitude * p.cos());
        }
        let mut s = Self::default();
        if amplitude != 0.0 {
            s.harmonics.push(Harmonic { amplitude, angular_frequency: w, phase: p });
        }
        Self::new(s.knots, s.harmonics, s.domain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_of_the_frequency_does_not_matter_to_a_cosine() {
        let (a, b) = (Signal::harmonic(2.0, 3.0, 0.5), Signal::harmonic(2.0, -3.0, -0.5));
        assert_eq!(a, b);
        assert_eq!(Signal::harmonic(2.0, 0.0, 0.5), Signal::constant(2.0 * 0.5f64.cos()));
    }
}

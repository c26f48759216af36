//! The force at which bristles yield, as it falls with the speed.

use crate::error::{Error, Short, require};
use crate::portable;

/// g(w) = f_d + (f_s − f_d) exp(−|w/v_s|^δ), N.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StribeckLimit {
    breakaway: f64,
    dynamic: f64,
    velocity: f64,
    exponent: f64,
}

impl StribeckLimit {
    /// From f_s ≥ f_d > 0, N, v_s > 0, m/s, and δ > 0.
    ///
    /// # Errors
    /// If a number is outside its range, or f_d exceeds f_s.
    pub fn new(breakaway: f64, dynamic: f64, velocity: f64, exponent: f64) -> Result<Self, Error> {
        require(
            "the dynamic friction",
            dynamic,
            dynamic > 0.0,
            "a finite force > 0 N: bristles yield at it",
        )?;
        require("the static friction", breakaway, true, "a finite force, N")?;
        if dynamic > breakaway {
            return Err(Error::DynamicAboveStatic { breakaway, dynamic });
        }
        require("the Stribeck velocity", velocity, velocity > 0.0, "a finite velocity > 0 m/s")?;
        require("the exponent", exponent, exponent > 0.0, "a finite number > 0")?;
        Ok(Self { breakaway, dynamic, velocity, exponent })
    }

    /// f_s, N.
    pub fn breakaway(&self) -> f64 {
        self.breakaway
    }

    /// f_d, N.
    pub fn dynamic(&self) -> f64 {
        self.dynamic
    }

    /// g at the velocity `w` (m/s), N.
    pub fn at(&self, w: f64) -> f64 {
        if self.is_constant() {
            return self.dynamic;
        }
        let ratio = (w / self.velocity).abs();
        let power =
            if self.exponent == 2.0 { ratio * ratio } else { portable::pow(ratio, self.exponent) };
        self.dynamic + (self.breakaway - self.dynamic) * portable::exp(-power)
    }

    /// Whether it is the same at every speed.
    pub fn is_constant(&self) -> bool {
        self.breakaway == self.dynamic
    }

    /// The inequality that a bristle of damping σ₁ under this limit violates if it can give out energy.
    ///
    /// With the stored energy σ₀z²/2 the rest of F·w is σ₀²z²|w|/g + w²(σ₁ + σ₂ − σ₁ σ₀|z|/g) ≥ w²(σ₂ − σ₁ (f_s − f_d)/f_d), for
    /// σ₀|z| ≤ f_s and g ≥ f_d (Barabanov and Ortega 2000).
    pub(super) fn active(&self, damping: f64, viscous: f64) -> Option<String> {
        let need = damping * (self.breakaway - self.dynamic) / self.dynamic;
        (viscous < need).then(|| {
            format!(
                "viscous ≥ damping·(static − dynamic)/dynamic does not hold ({} < {} N·s/m)",
                Short(viscous),
                Short(need)
            )
        })
    }

    pub(super) fn canonical(&self) -> String {
        let Self { breakaway, dynamic, velocity, exponent } = self;
        format!("{breakaway:?}, {dynamic:?}, {velocity:?}, {exponent:?}")
    }
}

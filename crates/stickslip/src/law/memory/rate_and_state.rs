//! Rate and state (J. H. Dieterich 1979, A. Ruina 1983; the regularised form of J. R. Rice and Y. Ben-Zion 1996).

use super::{Remembers, Run, Way};
use crate::error::{Error, require};
use crate::portable;
use std::f64::consts::LN_2;

/// The coefficient of friction μ = a asinh(w e^ψ/2V₀), ψ = (μ₀ + b ln(V₀ θ/D_c))/a, and the age θ (s) of the contact.
///
/// For |w| e^ψ ≫ V₀ it is μ₀ + a ln(|w|/V₀) + b ln(V₀ θ/D_c) to rounding; at rest it is continuous.
///
/// ```text
/// ageing:  θ̇ = 1 − |w| θ/D_c              slip:  θ̇ = −(|w| θ/D_c) ln(|w| θ/D_c)
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateAndState {
    coefficient: f64,
    a: f64,
    b: f64,
    distance: f64,
    speed: f64,
    evolution: Evolution,
}

/// How the age of a contact changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evolution {
    /// It grows at rest (Dieterich).
    Ageing,
    /// It changes in slip only (Ruina).
    Slip,
}

/// The numbers of the friction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Direct {
    /// μ₀ > 0: the steady coefficient at V₀.
    pub coefficient: f64,
    /// a > 0.
    pub a: f64,
    /// b ≥ 0.
    pub b: f64,
}

impl RateAndState {
    /// From μ₀, a and b, D_c > 0, m, and V₀ > 0, m/s.
    ///
    /// # Errors
    /// If a number is outside its range.
    pub fn new(
        direct: Direct,
        distance: f64,
        speed: f64,
        evolution: Evolution,
    ) -> Result<Self, Error> {
        let Direct { coefficient, a, b } = direct;
        require("the coefficient", coefficient, coefficient > 0.0, "a finite number > 0")?;
        require("a", a, a > 0.0, "a finite number > 0")?;
        require("b", b, b >= 0.0, "a finite number ≥ 0")?;
        require("the distance", distance, distance > 0.0, "a finite distance > 0 m")?;
        require("the speed", speed, speed > 0.0, "a finite speed > 0 m/s")?;
        Ok(Self { coefficient, a, b, distance, speed, evolution })
    }

    /// a.
    pub fn direct(&self) -> f64 {
        self.a
    }

    /// (b − a)/D_c: times the normal force the stiffness below which a steady slide is unstable, 1/m.
    pub fn critical_stiffness(&self) -> f64 {
        (self.b - self.a) / self.distance
    }

    /// V₀, m/s.
    pub(crate) fn reference(&self) -> f64 {
        self.speed
    }

    /// ψ of an age by its logarithm.
    pub(crate) fn psi(&self, ln_age: f64) -> f64 {
        (self.coefficient + self.b * (ln_age + portable::ln(self.speed / self.distance))) / self.a
    }

    /// dψ/d ln θ.
    pub(crate) fn psi_slope(&self) -> f64 {
        self.b / self.a
    }

    /// w at the friction a·u: 2 V₀ e^−ψ sinh u, m/s.
    pub(crate) fn velocity(&self, u: f64, psi: f64) -> f64 {
        if u.abs() < 1.0 {
            return self.speed * portable::exp(-psi) * (portable::exp_m1(u) - portable::exp_m1(-u));
        }
        // e^±u alone may be beyond the numbers where the product is not.
        self.speed * (portable::exp(u - psi) - portable::exp(-u - psi))
    }

    /// du/dw at this u and age, s/m.
    pub(crate) fn steepness(&self, u: f64, psi: f64) -> f64 {
        let r = u.abs();
        let ln_cosh = r + portable::ln_1p(portable::exp(-2.0 * r)) - LN_2;
        portable::exp(psi - ln_cosh) / (2.0 * self.speed)
    }

    /// ∂w/∂u at this u and age and its derivative by u, m/s: finite however great ∂u/∂w is.
    pub(crate) fn spread(&self, u: f64, psi: f64) -> [f64; 2] {
        let r = u.abs();
        let ln_cosh = r + portable::ln_1p(portable::exp(-2.0 * r)) - LN_2;
        let spread = 2.0 * self.speed * portable::exp(ln_cosh - psi);
        [spread, spread * portable::tanh(u)]
    }

    /// u = asinh(w e^ψ/2V₀).
    pub(crate) fn level(&self, w: f64, psi: f64) -> f64 {
        if w == 0.0 {
            return 0.0;
        }
        let ln = portable::ln(w.abs() / (2.0 * self.speed)) + psi;
        // asinh e^q = q + ln(1 + √(1 + e^−2q)); for small e^q by the other form, without cancellation.
        let size = if ln > 0.0 {
            ln + portable::ln(1.0 + (1.0 + portable::exp(-2.0 * ln)).sqrt())
        } else {
            let x = portable::exp(ln);
            portable::ln_1p(x + x * x / (1.0 + (1.0 + x * x).sqrt()))
        };
        size.copysign(w)
    }

    /// d ln θ/dt at the velocity `w` (m/s), 1/s.
    pub(crate) fn ln_age_rate(&self, w: f64, ln_age: f64) -> f64 {
        let pace = w.abs() / self.distance;
        match self.evolution {
            Evolution::Ageing => portable::exp(-ln_age) - pace,
            Evolution::Slip if pace == 0.0 => 0.0,
            Evolution::Slip => -pace * (portable::ln(pace) + ln_age),
        }
    }
}

/// Speeds this near to V₀, relative to it, are V₀.
const SAME: f64 = 1e-14;
const SLOW: u8 = 0;
const FAST: u8 = 1;

impl Remembers for RateAndState {
    fn unit(&self, _: usize) -> &'static str {
        "s"
    }

    /// The age of a steady slide at V₀.
    fn fresh(&self, _: usize) -> f64 {
        self.distance / self.speed
    }

    fn scale(&self, _: usize) -> f64 {
        self.distance / self.speed
    }

    fn check_state(&self, z: &[f64]) -> Result<(), Error> {
        require("the initial age z", z[0], z[0] > 0.0, "a finite age > 0 s")
    }

    fn as_rate_and_state(&self) -> Option<&RateAndState> {
        Some(self)
    }

    fn enter(&self, _: f64, speed: f64, _: &[f64], _: bool, regions: &mut [u8]) {
        regions[0] = if speed > self.speed { FAST } else { SLOW };
    }

    fn margins(&self, run: Run<'_>, w: f64, _: &[f64], margins: &mut [f64]) {
        let ratio = w.abs() / self.speed;
        // At V₀ itself, where a test may hold it for long, it goes on as it came.
        let beyond = if run.regions[0] == SLOW { 1.0 - ratio } else { ratio - 1.0 };
        margins[0] = beyond + SAME;
    }

    fn leave(&self, _: usize, region: u8) -> u8 {
        1 - region
    }

    fn slips(&self, regions: &[u8]) -> bool {
        regions[0] == FAST
    }

    fn rates(&self, _: Run<'_>, w: f64, z: &[f64], rates: &mut [f64]) {
        rates[0] = z[0] * self.ln_age_rate(w, portable::ln(z[0]));
    }

    fn force(&self, _: f64, w: f64, z: &[f64], _: &[f64]) -> f64 {
        self.a * self.level(w, self.psi(portable::ln(z[0])))
    }

    fn flows(&self, steady: bool) -> bool {
        steady
    }

    fn flow(&self, way: Way, z: &mut [f64]) {
        let pace = if way.time > 0.0 { (way.length / way.time).abs() / self.distance } else { 0.0 };
        match self.evolution {
            Evolution::Ageing => {
                // θ e^−x + t (1 − e^−x)/x: the steady age 1/pace, of which almost all would cancel in a slow slide, is not formed,
                // and neither is the change of θ, in which a short steady age would be lost next to a long one.
                let x = pace * way.time;
                let fades = portable::exp_m1(-x);
                let grown = if x > 0.0 { -fades / x } else { 1.0 };
                z[0] = z[0] * portable::exp(-x) + way.time * grown;
            }
            Evolution::Slip if pace == 0.0 => {}
            Evolution::Slip => {
                let fades = portable::ln(pace * z[0]) * portable::exp(-pace * way.time);
                z[0] = portable::exp(fades) / pace;
            }
        }
    }

    fn canonical(&self) -> String {
        let Self { coefficient, a, b, distance, speed, evolution } = self;
        format!(
            "rate-and-state {coefficient:?}, {a:?}, {b:?}, {distance:?}, {speed:?}, {evolution:?}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// θ = θ₀ + t at rest, and in a slide so slow that t/θ_steady is below rounding; towards D_c/w in a fast one.
    #[test]
    fn the_age_grows_with_the_time_however_slow_the_slide() {
        let law = RateAndState::new(
            Direct { coefficient: 0.6, a: 0.008, b: 0.012 },
            1e-5,
            1e-6,
            Evolution::Ageing,
        )
        .unwrap();
        for speed in [0.0, 1e-320, 1e-200, 1e-30, 1e-23] {
            let mut z = [10.0];
            law.flow(Way { length: 0.5 * speed, time: 0.5 }, &mut z);
            assert!((z[0] - 10.5).abs() < 1e-14, "{speed}: {}", z[0]);
        }
        let mut z = [10.0];
        law.flow(Way { length: 1.0, time: 1.0 }, &mut z);
        assert!((z[0] / 1e-5 - 1.0).abs() < 1e-14, "{}", z[0]);
    }
}

//! The Bouc–Wen law (R. Bouc 1967; Y.-K. Wen, *Method for random vibration of hysteretic systems*, 1976).

use super::{Remembers, Run, Way, YIELDS, bad, within};
use crate::error::{Error, require};
use crate::portable;

/// F = α k x + (1 − α) k z, ż = w (A − |z|^n (γ + β sgn(w z))).
///
/// It gives back no more than it was given: unbent it goes by dz/dx = A − (γ − β) |z|^n, which returns
/// E(z) = (1 − α) k ∫ z dz/(A − (γ − β) |z|^n), and to bend it takes that and more, β being above 0.
///
/// With degradation (T. T. Baber, Y.-K. Wen, *Random vibration of hysteretic, degrading systems*, 1981) it remembers the work ε that was done
/// on it, too, and becomes weaker and softer:
///
/// ```text
/// ż = w (A − ν |z|^n (γ + β sgn(w z)))/η,   ε̇ = (1 − α) k z w,   ν = 1 + δ_ν ε,   η = 1 + δ_η ε
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoucWen {
    stiffness: f64,
    ratio: f64,
    a: f64,
    beta: f64,
    gamma: f64,
    exponent: f64,
    /// δ_ν and δ_η, 1/J.
    degradation: Degradation,
}

/// How fast a hysteretic spring degrades with the work that is done on it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Degradation {
    /// δ_ν ≥ 0, 1/J: what its bound loses.
    pub strength: f64,
    /// δ_η ≥ 0, 1/J: what its stiffness loses.
    pub stiffness: f64,
}

impl BoucWen {
    /// From k > 0, N/m, α of [0, 1], and A > 0, β ≥ 0 and γ (1/mⁿ), n ≥ 1, with β + γ > 0.
    ///
    /// # Errors
    /// If a number is outside its range.
    pub fn new(stiffness: f64, ratio: f64, shape: Shape) -> Result<Self, Error> {
        let Shape { a, beta, gamma, exponent } = shape;
        require("the stiffness", stiffness, stiffness > 0.0, "a finite stiffness > 0 N/m")?;
        require("the ratio", ratio, (0.0..=1.0).contains(&ratio), "a number from 0 to 1")?;
        require("a", a, a > 0.0, "a finite number > 0")?;
        // With β < 0 a bristle that is bent back could run away.
        require("beta", beta, beta >= 0.0, "a finite number ≥ 0, 1/mⁿ")?;
        require("gamma", gamma, true, "a finite number, 1/mⁿ")?;
        require("the exponent", exponent, exponent >= 1.0, "a finite number ≥ 1")?;
        if beta + gamma <= 0.0 {
            let sum = beta + gamma;
            let reason = format!(
                "beta + gamma is {sum:?}; expected > 0: otherwise nothing bounds z, and the force grows without end"
            );
            return Err(bad("bouc-wen", reason));
        }
        let degradation = Degradation::default();
        Ok(Self { stiffness, ratio, a, beta, gamma, exponent, degradation })
    }

    /// The same, degrading.
    ///
    /// # Errors
    /// If a number is negative; or, where one is not 0, if |γ| > β or α = 1: u = ln η − δ_η (1 − α) k z²/2A never falls if |γ| ≤ β, so
    /// that ε, which is (e^u − 1)/δ_η once z is back at 0, never falls below 0.
    pub fn degrading(self, degradation: Degradation) -> Result<Self, Error> {
        let Degradation { strength, stiffness } = degradation;
        let expected = "a finite number ≥ 0, 1/J";
        require("the degradation of the strength", strength, strength >= 0.0, expected)?;
        require("the degradation of the stiffness", stiffness, stiffness >= 0.0, expected)?;
        let Self { ratio, beta, gamma, .. } = self;
        if degradation != Degradation::default() && gamma.abs() > beta {
            let reason = format!(
                "|gamma| is {:?} and beta {beta:?}; expected |gamma| ≤ beta where it degrades: otherwise it could give back more than it \
                 was given",
                gamma.abs()
            );
            return Err(bad("bouc-wen", reason));
        }
        if degradation != Degradation::default() && ratio == 1.0 {
            let reason = "the ratio is 1; expected < 1 where it degrades: all of it is elastic";
            return Err(bad("bouc-wen", reason));
        }
        Ok(Self { degradation, ..self })
    }

    /// ν and η of what it remembers.
    fn worn(&self, z: &[f64]) -> [f64; 2] {
        let Degradation { strength, stiffness } = self.degradation;
        z.get(1).map_or([1.0; 2], |work| [1.0 + strength * work, 1.0 + stiffness * work])
    }

    /// (1 − α) k, N/m.
    fn hysteretic(&self) -> f64 {
        (1.0 - self.ratio) * self.stiffness
    }

    /// α, the share of the stiffness that is elastic.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// γ + β sgn(w z) for a bristle bent to the side `bent`.
    fn fades(&self, side: f64, bent: f64) -> f64 {
        self.gamma + self.beta * side * bent
    }

    /// |z|^n of `r` = |z|, continued beyond 0.
    fn power(&self, r: f64) -> f64 {
        match self.exponent {
            1.0 => r,
            2.0 => r * r,
            n => portable::pow(r.abs(), n).copysign(r),
        }
    }

    /// +1 or −1: to which side the bristle is bent in a region.
    fn bent(regions: &[u8]) -> f64 {
        if regions[1] == 0 { 1.0 } else { -1.0 }
    }

    /// One stretch in which z keeps its sign, `way` (m) at most; what of it is left, and z at its end.
    fn stretch(&self, side: f64, way: f64, z: f64) -> (f64, f64) {
        // In y = s·z, dy/d|x| = A − q |y|^n, and y grows until β + γ bounds it.
        let y = side * z;
        let q = self.gamma + self.beta * if y >= 0.0 { 1.0 } else { -1.0 };
        if y >= 0.0 {
            return (0.0, side * self.along(y, q, way));
        }
        // |y| = r falls: dr/d|x| = −(A − q r^n). It reaches 0 after a way, which turned round leads there from 0.
        let back = self.way_from_zero(-y, q);
        if back > way { (0.0, -side * self.along(-y, q, -way)) } else { (way - back, 0.0) }
    }

    /// y after `way` (m) from `y` ≥ 0 with dy/dx = A − q y^n, n = 1 or 2.
    fn along(&self, y: f64, q: f64, way: f64) -> f64 {
        let a = self.a;
        if q == 0.0 {
            return y + a * way;
        }
        if self.exponent == 1.0 {
            return y - (y - a / q) * -portable::exp_m1(-q * way);
        }
        let root = (a * q.abs()).sqrt();
        let t = if q > 0.0 { portable::tanh(root * way) } else { portable::tan(root * way) };
        let unit = root / q.abs();
        let u = y / unit;
        unit * (u + t) / (1.0 + q.signum() * u * t)
    }

    /// The way (m) from 0 to `r` ≥ 0.
    fn way_from_zero(&self, r: f64, q: f64) -> f64 {
        let a = self.a;
        if q == 0.0 {
            return r / a;
        }
        if self.exponent == 1.0 {
            return -portable::ln_1p(-q * r / a) / q;
        }
        let root = (a * q.abs()).sqrt();
        let u = r * root / a;
        if q > 0.0 {
            0.5 * (portable::ln_1p(u) - portable::ln_1p(-u)) / root
        } else {
            portable::atan(u) / root
        }
    }
}

/// The numbers that make the loop's shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// A > 0.
    pub a: f64,
    /// β ≥ 0, 1/mⁿ.
    pub beta: f64,
    /// γ, 1/mⁿ.
    pub gamma: f64,
    /// n ≥ 1.
    pub exponent: f64,
}

impl BoucWen {
    /// z after a way, without degradation: in closed form for n = 1 and 2; with another n the power of z that z itself is multiplied
    /// by stays what it is.
    fn follow(&self, way: Way, z: &mut f64) {
        if self.flows(true) {
            return self.flow(way, std::slice::from_mut(z));
        }
        let side = way.side();
        let length = way.length.abs();
        let y = side * *z;
        let bent = if y >= 0.0 { 1.0 } else { -1.0 };
        let fades = self.fades(1.0, bent);
        // dy/dx = A − fades |y|^n, and |y|^n = bent |y|^(n−1) y.
        let power = if y == 0.0 { 0.0 } else { portable::pow(y.abs(), self.exponent - 1.0) };
        let rate = bent * fades * power;
        let q = rate * length;
        let next = y * portable::exp(-q) + self.a * length * super::relaxed(q);
        let bound = self.scale(0);
        *z = side * if y <= bound { next.min(bound) } else { next };
    }
}

impl Remembers for BoucWen {
    /// z, and with degradation ε.
    fn states(&self) -> usize {
        if self.degradation == Degradation::default() { 1 } else { 2 }
    }

    fn unit(&self, state: usize) -> &'static str {
        ["m", "J"][state]
    }

    /// (A/(β + γ))^(1/n), and the work of that deflection.
    fn scale(&self, state: usize) -> f64 {
        let bound = portable::pow(self.a / (self.beta + self.gamma), 1.0 / self.exponent);
        if state == 0 { bound } else { self.hysteretic() * bound * bound }
    }

    fn check_state(&self, z: &[f64]) -> Result<(), Error> {
        within(z[0], self.scale(0))?;
        let Some(&work) = z.get(1) else { return Ok(()) };
        require("the work `z` that was done on it", work, work >= 0.0, "a finite work ≥ 0 J")?;
        // Back at z = 0 it has at least this; a bound that has lost everything would be none.
        let [_, eta] = self.worn(z);
        let left = work - 0.5 * eta * self.hysteretic() * z[0] * z[0] / self.a;
        if 1.0 + self.degradation.strength * left > 0.0 {
            return Ok(());
        }
        let reason = format!(
            "it starts at z = {:?} m with the work {work:?} J; expected that of the deflection at least: on its way back it would \
             lose all its degradation and more",
            z[0]
        );
        Err(Error::BadState { reason })
    }

    fn parts(&self) -> usize {
        2
    }

    fn enter(&self, side: f64, _: f64, z: &[f64], slips: bool, regions: &mut [u8]) {
        regions[0] = u8::from(slips);
        // From 0 it is bent the way it goes.
        regions[1] = u8::from(if z[0] == 0.0 { side < 0.0 } else { z[0] < 0.0 });
    }

    fn margins(&self, run: Run<'_>, _: f64, z: &[f64], margins: &mut [f64]) {
        let bent = Self::bent(run.regions);
        let [nu, _] = self.worn(z);
        let yields = nu * self.power(bent * z[0]) * self.fades(run.side, bent) / self.a;
        let bends = run.side == bent && run.regions[0] == 0;
        margins[0] = if bends { YIELDS - yields } else { 1.0 };
        margins[1] = bent * z[0] / self.scale(0);
    }

    fn leave(&self, part: usize, region: u8) -> u8 {
        if part == 0 { 1 } else { 1 - region }
    }

    fn slips(&self, regions: &[u8]) -> bool {
        regions[0] == 1
    }

    fn rates(&self, run: Run<'_>, w: f64, z: &[f64], rates: &mut [f64]) {
        let bent = Self::bent(run.regions);
        let [nu, eta] = self.worn(z);
        rates[0] = w * (self.a - nu * self.power(bent * z[0]) * self.fades(run.side, bent)) / eta;
        if let Some(power) = rates.get_mut(1) {
            *power = self.hysteretic() * z[0] * w;
        }
    }

    fn force(&self, x: f64, _: f64, z: &[f64], _: &[f64]) -> f64 {
        self.stiffness * (self.ratio * x + (1.0 - self.ratio) * z[0])
    }

    fn flows(&self, _: bool) -> bool {
        self.states() == 1 && (self.exponent == 1.0 || self.exponent == 2.0)
    }

    /// Exponentials for n = 1, tanh and tan for n = 2.
    fn flow(&self, way: Way, z: &mut [f64]) {
        let (left, at) = self.stretch(way.side(), way.length.abs(), z[0]);
        z[0] = if left > 0.0 { self.stretch(way.side(), left, 0.0).1 } else { at };
    }

    /// The degradation stays what it is over the step.
    fn stride(&self, way: Way, _: bool, _: &[u8], z: &mut [f64]) {
        let [bent, work] = z else { return self.follow(way, &mut z[0]) };
        let before = *bent;
        let [nu, eta] = self.worn(&[before, *work]);
        let Self { a, beta, gamma, .. } = *self;
        let now = Self {
            a: a / eta,
            beta: beta * nu / eta,
            gamma: gamma * nu / eta,
            degradation: Degradation::default(),
            ..*self
        };
        now.follow(way, bent);
        *work += 0.5 * self.hysteretic() * (before + *bent) * way.length;
    }

    fn canonical(&self) -> String {
        let Self { stiffness, ratio, a, beta, gamma, exponent, degradation } = self;
        let law =
            format!("bouc-wen {stiffness:?}, {ratio:?}, {a:?}, {beta:?}, {gamma:?}, {exponent:?}");
        let Degradation { strength, stiffness } = degradation;
        if self.states() == 1 { law } else { format!("{law}, {strength:?}, {stiffness:?}") }
    }
}

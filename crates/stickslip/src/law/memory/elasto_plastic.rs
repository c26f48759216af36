//! The elasto-plastic law (P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, *Single state elastoplastic friction models*, 2002).

use super::lugre::Bristle;
use super::{Remembers, Run, StribeckLimit, Way, bad, within};
use crate::error::Error;
use crate::portable;
use std::f64::consts::{FRAC_PI_2, PI};

/// F = σ₀ z + σ₁ ż + σ₂ w, ż = w (1 − α s σ₀ z/g(w)), s = sgn w, with the yielding share
///
/// ```text
/// α = 0                                          up to s z = z_b: the bristle is elastic, and nothing drifts
/// α = ½ + ½ sin(π (|z| − (z_s + z_b)/2)/(z_s − z_b))   between z_b and z_s = g(w)/σ₀
/// α = 1                                          beyond
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElastoPlastic {
    limit: StribeckLimit,
    bristle: Bristle,
    /// z_b, m.
    breakaway: f64,
}

const ELASTIC: u8 = 0;
const MIXED: u8 = 1;
const PLASTIC: u8 = 2;
/// A deflection this near to z_s, relative to it, stays on the side from where it came: a steady slide, whose deflection is z_s to rounding,
/// would change sides at every step, and α differs there by no more than (π SAME)²/4.
const SAME: f64 = 1e-6;

impl ElastoPlastic {
    /// From the limit, σ₀ > 0, N/m, σ₁ ≥ 0 and σ₂ ≥ 0, N·s/m, and z_b, m, with 0 < z_b < f_d/σ₀.
    ///
    /// # Errors
    /// If a number is outside its range.
    pub fn new(
        limit: StribeckLimit,
        stiffness: f64,
        damping: f64,
        viscous: f64,
        breakaway: f64,
    ) -> Result<Self, Error> {
        let bristle = Bristle::new("elasto-plastic", stiffness, damping, viscous)?;
        let most = limit.dynamic() / stiffness;
        if !(breakaway > 0.0 && breakaway < most) {
            let reason = format!(
                "the elastic range `breakaway` is {breakaway:?} m; expected 0 < breakaway < dynamic/stiffness = {most:?} m: \
                 beyond it the contact would slide before its bristle yields"
            );
            return Err(bad("elasto-plastic", reason));
        }
        Ok(Self { limit, bristle, breakaway })
    }

    /// z_s at the velocity `w` (m/s), m: what the bristle is bent by while the contact slides on.
    pub fn steady(&self, w: f64) -> f64 {
        self.limit.at(w) / self.bristle.stiffness
    }

    /// z_b, m.
    pub fn breakaway(&self) -> f64 {
        self.breakaway
    }

    /// dz/dx of a bristle that is bent by `bent` = s z (m) where z_s is `steady` (m).
    pub fn follows(&self, bent: f64, steady: f64) -> f64 {
        1.0 - self.yields(self.region(bent, steady), bent, steady) * bent / steady
    }

    fn region(&self, bent: f64, steady: f64) -> u8 {
        if bent <= self.breakaway {
            ELASTIC
        } else if bent < steady {
            MIXED
        } else {
            PLASTIC
        }
    }

    /// α of a bristle bent by `bent` = s z (m).
    fn yields(&self, region: u8, bent: f64, steady: f64) -> f64 {
        match region {
            ELASTIC => 0.0,
            PLASTIC => 1.0,
            _ => {
                let part = (bent - self.breakaway) / (steady - self.breakaway);
                // Stages of a step may look beyond the ends of the region.
                0.5 + 0.5 * portable::sin(PI * part.clamp(-0.5, 1.5) - FRAC_PI_2)
            }
        }
    }
}

impl Remembers for ElastoPlastic {
    fn scale(&self, _: usize) -> f64 {
        self.limit.breakaway() / self.bristle.stiffness
    }

    fn check_state(&self, z: &[f64]) -> Result<(), Error> {
        within(z[0], self.scale(0))
    }

    fn enter(&self, side: f64, speed: f64, z: &[f64], _: bool, regions: &mut [u8]) {
        regions[0] = self.region(side * z[0], self.steady(speed));
    }

    fn margins(&self, run: Run<'_>, w: f64, z: &[f64], margins: &mut [f64]) {
        let bent = run.side * z[0];
        margins[0] = match run.regions[0] {
            ELASTIC => self.breakaway - bent,
            MIXED => self.steady(w) * (1.0 + SAME) - bent,
            _ => bent - self.steady(w) * (1.0 - SAME),
        } / self.breakaway;
    }

    fn leave(&self, _: usize, region: u8) -> u8 {
        if region == MIXED { PLASTIC } else { MIXED }
    }

    fn slips(&self, regions: &[u8]) -> bool {
        regions[0] != ELASTIC
    }

    fn rates(&self, run: Run<'_>, w: f64, z: &[f64], rates: &mut [f64]) {
        let bent = run.side * z[0];
        let steady = self.steady(w);
        rates[0] = w * (1.0 - self.yields(run.regions[0], bent, steady) * bent / steady);
    }

    fn force(&self, _: f64, w: f64, z: &[f64], rates: &[f64]) -> f64 {
        self.bristle.force(w, z[0], rates[0])
    }

    /// Elastic up to `breakaway`; from there with the share at which the bristle arrives, an exponential.
    fn stride(&self, way: Way, _: bool, _: &[u8], z: &mut [f64]) {
        let side = way.side();
        let length = way.length.abs();
        let elastic = length.min((self.breakaway - side * z[0]).max(0.0));
        let bent = side * z[0] + elastic;
        let left = length - elastic;
        let w = if way.time > 0.0 { way.length / way.time } else { 0.0 };
        let steady = self.steady(w);
        // Half of the way further, without yielding: the share in the middle, to first order.
        let middle = (bent + 0.5 * left).min(steady.max(bent));
        let region = if middle >= steady { PLASTIC } else { MIXED };
        let rate = if left > 0.0 { self.yields(region, middle, steady) / steady } else { 0.0 };
        // dy/d|x| = 1 − rate·y
        let q = rate * left;
        z[0] = side * (bent * portable::exp(-q) + left * super::relaxed(q));
    }

    fn active(&self) -> Option<String> {
        self.limit.active(self.bristle.damping, self.bristle.viscous)
    }

    fn canonical(&self) -> String {
        let limit = self.limit.canonical();
        let bristle = self.bristle.canonical();
        format!("elasto-plastic {limit}, {bristle}, {:?}", self.breakaway)
    }
}

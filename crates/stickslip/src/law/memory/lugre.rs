//! LuGre (C. Canudas de Wit, H. Olsson, K. J. Åström, P. Lischinsky, *A new model for control of systems with friction*, 1995).

use super::{Remembers, Run, StribeckLimit, Way, YIELDS, bad, within};
use crate::error::{Error, require};
use crate::portable;

/// F = σ₀ z + σ₁ ż + σ₂ w, ż = w − σ₀ |w| z/g(w), g of [`StribeckLimit`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lugre {
    limit: StribeckLimit,
    bristle: Bristle,
}

/// What a bristle with damping bears.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bristle {
    /// σ₀ > 0, N/m.
    pub stiffness: f64,
    /// σ₁ ≥ 0, N·s/m.
    pub damping: f64,
    /// σ₂ ≥ 0, N·s/m.
    pub viscous: f64,
}

impl Bristle {
    /// # Errors
    /// If a number of the law `name` is outside its range.
    pub fn new(name: &str, stiffness: f64, damping: f64, viscous: f64) -> Result<Self, Error> {
        require(
            "the stiffness of the bristle",
            stiffness,
            stiffness > 0.0,
            "a finite stiffness > 0 N/m",
        )?;
        require("the viscous friction", viscous, viscous >= 0.0, "a finite number ≥ 0 N·s/m")?;
        require("the damping of the bristle", damping, true, "a finite number, N·s/m")?;
        if damping < 0.0 {
            let reason = format!(
                "the damping of the bristle is {damping:?} N·s/m; expected ≥ 0: a negative one feeds every small oscillation \
                 with energy"
            );
            return Err(bad(name, reason));
        }
        Ok(Self { stiffness, damping, viscous })
    }

    pub fn force(&self, w: f64, z: f64, rate: f64) -> f64 {
        self.stiffness * z + self.damping * rate + self.viscous * w
    }

    pub fn canonical(&self) -> String {
        let Self { stiffness, damping, viscous } = self;
        format!("{stiffness:?}, {damping:?}, {viscous:?}")
    }
}

impl Lugre {
    /// From the limit, σ₀ > 0, N/m, σ₁ ≥ 0 and σ₂ ≥ 0, N·s/m.
    ///
    /// # Errors
    /// If a number is outside its range.
    pub fn new(
        limit: StribeckLimit,
        stiffness: f64,
        damping: f64,
        viscous: f64,
    ) -> Result<Self, Error> {
        Ok(Self { limit, bristle: Bristle::new("lugre", stiffness, damping, viscous)? })
    }

    /// The share of the motion that the bristle yields: s σ₀ z/g.
    fn yields(&self, side: f64, w: f64, z: f64) -> f64 {
        side * self.bristle.stiffness * z / self.limit.at(w)
    }
}

impl Remembers for Lugre {
    fn scale(&self, _: usize) -> f64 {
        self.limit.breakaway() / self.bristle.stiffness
    }

    fn check_state(&self, z: &[f64]) -> Result<(), Error> {
        within(z[0], self.scale(0))
    }

    fn enter(&self, _: f64, _: f64, _: &[f64], slips: bool, regions: &mut [u8]) {
        regions[0] = u8::from(slips);
    }

    fn margins(&self, run: Run<'_>, w: f64, z: &[f64], margins: &mut [f64]) {
        let slips = run.regions[0] == 1;
        margins[0] = if slips { 1.0 } else { YIELDS - self.yields(run.side, w, z[0]) };
    }

    fn leave(&self, _: usize, _: u8) -> u8 {
        1
    }

    fn slips(&self, regions: &[u8]) -> bool {
        regions[0] == 1
    }

    fn rates(&self, run: Run<'_>, w: f64, z: &[f64], rates: &mut [f64]) {
        rates[0] = w * (1.0 - self.yields(run.side, w, z[0]));
    }

    fn force(&self, _: f64, w: f64, z: &[f64], rates: &[f64]) -> f64 {
        self.bristle.force(w, z[0], rates[0])
    }

    fn flows(&self, steady: bool) -> bool {
        steady || self.limit.is_constant()
    }

    /// z goes exponentially to s g/σ₀ with the way, as long as g is constant.
    fn flow(&self, way: Way, z: &mut [f64]) {
        let w = if way.time > 0.0 { way.length / way.time } else { 0.0 };
        let steady = way.side() * self.limit.at(w) / self.bristle.stiffness;
        z[0] = steady + (z[0] - steady) * portable::exp(-(way.length / steady).abs());
    }

    fn active(&self) -> Option<String> {
        self.limit.active(self.bristle.damping, self.bristle.viscous)
    }

    fn canonical(&self) -> String {
        format!("lugre {}, {}", self.limit.canonical(), self.bristle.canonical())
    }
}

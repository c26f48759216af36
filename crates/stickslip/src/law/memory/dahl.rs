//! Dahl's law (P. R. Dahl, *A solid friction model*, 1968).

use super::{Remembers, Run, Way, YIELDS, within};
use crate::error::{Error, require};
use crate::portable;

/// F = σ z, ż = w (1 − s σ z/F_c)^δ, s = sgn w: rate independent, without a Stribeck effect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dahl {
    force: f64,
    stiffness: f64,
    exponent: f64,
}

impl Dahl {
    /// From F_c > 0, N, σ > 0, N/m, and δ ≥ 1.
    ///
    /// # Errors
    /// If a number is outside its range. (With δ < 1 the force would reach F_c after a finite way, with a kink there.)
    pub fn new(force: f64, stiffness: f64, exponent: f64) -> Result<Self, Error> {
        require("the force", force, force > 0.0, "a finite force > 0 N")?;
        require(
            "the stiffness of the bristle",
            stiffness,
            stiffness > 0.0,
            "a finite stiffness > 0 N/m",
        )?;
        require("the exponent", exponent, exponent >= 1.0, "a finite number ≥ 1")?;
        Ok(Self { force, stiffness, exponent })
    }

    /// What the bristle can still take up: 1 − s σ z/F_c.
    fn free(&self, side: f64, z: f64) -> f64 {
        1.0 - side * self.stiffness * z / self.force
    }

    /// ż/w.
    fn follows(&self, side: f64, z: f64) -> f64 {
        let u = self.free(side, z);
        if self.exponent == 1.0 { u } else { portable::pow(u.max(0.0), self.exponent) }
    }
}

impl Remembers for Dahl {
    fn scale(&self, _: usize) -> f64 {
        self.force / self.stiffness
    }

    fn check_state(&self, z: &[f64]) -> Result<(), Error> {
        within(z[0], self.scale(0))
    }

    fn enter(&self, _: f64, _: f64, _: &[f64], slips: bool, regions: &mut [u8]) {
        regions[0] = u8::from(slips);
    }

    fn margins(&self, run: Run<'_>, _: f64, z: &[f64], margins: &mut [f64]) {
        let slips = run.regions[0] == 1;
        margins[0] = if slips { 1.0 } else { self.follows(run.side, z[0]) - (1.0 - YIELDS) };
    }

    fn leave(&self, _: usize, _: u8) -> u8 {
        1
    }

    fn slips(&self, regions: &[u8]) -> bool {
        regions[0] == 1
    }

    fn rates(&self, run: Run<'_>, w: f64, z: &[f64], rates: &mut [f64]) {
        rates[0] = w * self.follows(run.side, z[0]);
    }

    fn force(&self, _: f64, _: f64, z: &[f64], _: &[f64]) -> f64 {
        self.stiffness * z[0]
    }

    fn flows(&self, _: bool) -> bool {
        true
    }

    /// u = 1 − s σ z/F_c: u = u₀ exp(−q) for δ = 1, u^(1−δ) = u₀^(1−δ) + (δ − 1) q otherwise, q = σ |Δx|/F_c.
    fn flow(&self, way: Way, z: &mut [f64]) {
        let side = way.side();
        let q = self.stiffness * way.length.abs() / self.force;
        let u = self.free(side, z[0]).max(0.0);
        let more = self.exponent - 1.0;
        let taken = if more == 0.0 {
            u * portable::exp(-q)
        } else if more == 1.0 {
            u / (1.0 + u * q)
        } else {
            // The same, with a base that stays finite as u goes to 0.
            u * portable::pow(1.0 + more * q * portable::pow(u, more), -1.0 / more)
        };
        z[0] = side * (1.0 - taken) * self.force / self.stiffness;
    }

    fn canonical(&self) -> String {
        let Self { force, stiffness, exponent } = self;
        format!("dahl {force:?}, {stiffness:?}, {exponent:?}")
    }
}

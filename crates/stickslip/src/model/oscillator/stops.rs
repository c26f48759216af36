//! Stops on either side of an oscillator (Bastien, Bernardin, Lamarque 2013, §1.3 beside §1.2).

use super::Wall;
use crate::error::{Error, require};

/// What a stop does to the mass that meets it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Bumper {
    /// The velocity u becomes −e u.
    Rigid {
        /// e ∈ [0, 1].
        restitution: f64,
    },
    /// Beyond the stop by δ the mass feels max(0, κ δ + γ δ̇) back: a stop pushes and never pulls.
    Soft {
        /// κ > 0, N/m.
        stiffness: f64,
        /// γ ≥ 0, N·s/m.
        damping: f64,
    },
}

/// lower ≤ x ≤ upper: strictly if the stops are rigid, by a spring beyond them if they are soft.
///
/// A mass at rest on the ground against a rigid stop is held by both, and statics determines only the
/// sum of the two forces. Rule: what presses the mass to the stop is carried by the stop. (A soft stop
/// that becomes infinitely stiff leaves any share within ± the friction's limit of this one.)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stops {
    /// a₋, m.
    pub lower: Option<f64>,
    /// a₊ > a₋, m.
    pub upper: Option<f64>,
    /// What both are made of.
    pub bumper: Bumper,
}

impl Stops {
    /// Rigid stops at these positions (m), at least one, with restitution e ∈ [0, 1].
    pub fn rigid(lower: Option<f64>, upper: Option<f64>, restitution: f64) -> Self {
        Self { lower, upper, bumper: Bumper::Rigid { restitution } }
    }

    /// Springs κ (N/m) with dashpots γ (N·s/m), slack at these positions (m), at least one.
    pub fn soft(lower: Option<f64>, upper: Option<f64>, stiffness: f64, damping: f64) -> Self {
        Self { lower, upper, bumper: Bumper::Soft { stiffness, damping } }
    }

    /// Position of a stop, m.
    pub fn at(&self, wall: Wall) -> Option<f64> {
        match wall {
            Wall::Lower => self.lower,
            Wall::Upper => self.upper,
        }
    }

    /// e, if the stops are rigid.
    pub fn restitution(&self) -> Option<f64> {
        match self.bumper {
            Bumper::Rigid { restitution } => Some(restitution),
            Bumper::Soft { .. } => None,
        }
    }

    /// κ (N/m) and γ (N·s/m), if the stops are soft.
    pub fn spring(&self) -> Option<(f64, f64)> {
        match self.bumper {
            Bumper::Rigid { .. } => None,
            Bumper::Soft { stiffness, damping } => Some((stiffness, damping)),
        }
    }

    /// The stop that a mass at `x` (m) is at or beyond.
    pub fn touched(&self, x: f64) -> Option<Wall> {
        Wall::ALL.into_iter().find(|w| self.at(*w).is_some_and(|a| w.sign() * (x - a) <= 0.0))
    }

    /// x − a beyond the stop that the mass is beyond, m (0 between them).
    fn depth(&self, x: f64) -> f64 {
        match (self.lower, self.upper) {
            (Some(a), _) if x < a => x - a,
            (_, Some(a)) if x > a => x - a,
            _ => 0.0,
        }
    }

    /// The force of soft stops on a mass at `x` (m) with `v` (m/s), N: that of spring and dashpot where it pushes the mass
    /// back, 0 where it would pull. 0 for rigid ones.
    pub fn force(&self, x: f64, v: f64) -> f64 {
        let depth = self.depth(x);
        match self.spring() {
            Some((stiffness, damping)) if depth != 0.0 => {
                let force = -stiffness * depth - damping * v;
                if force * depth < 0.0 { force } else { 0.0 }
            }
            _ => 0.0,
        }
    }

    /// Whether a mass at `x` (m) with `v` (m/s) leaves a soft stop faster than the stop follows, so that the stop does not
    /// push it.
    pub(crate) fn is_apart(&self, x: f64, v: f64) -> bool {
        self.depth(x) != 0.0 && self.force(x, v) == 0.0
    }

    /// Energy in the springs at `x` (m), J.
    pub(crate) fn energy(&self, x: f64) -> f64 {
        self.spring().map_or(0.0, |(stiffness, _)| 0.5 * stiffness * self.depth(x).powi(2))
    }

    /// Power lost in the dashpots, W. Where the stop does not push, its own spring relaxes against its dashpot and loses
    /// what it holds, ½ κ δ², as the mass takes δ back: that is κ δ |δ̇|, which is γ δ̇² just where the pushing ends.
    pub fn loss(&self, x: f64, v: f64) -> f64 {
        let depth = self.depth(x);
        match self.spring() {
            Some((_, damping)) if depth != 0.0 && self.force(x, v) != 0.0 => damping * v * v,
            Some((stiffness, _)) => stiffness * (depth * v).abs(),
            None => 0.0,
        }
    }

    /// Checks every number, and that a mass starting at `x` (m) is not beyond a rigid stop.
    pub(crate) fn check(&self, x: f64) -> Result<(), Error> {
        match self.bumper {
            Bumper::Rigid { restitution: e } => require(
                "the restitution of the stops",
                e,
                (0.0..=1.0).contains(&e),
                "a number from 0 (all speed lost) to 1 (none)",
            )?,
            Bumper::Soft { stiffness, damping } => {
                let k = stiffness;
                let c = damping;
                require("the stiffness of the stops", k, k > 0.0, "a finite stiffness > 0 N/m")?;
                require("the damping of the stops", c, c >= 0.0, "a finite damping ≥ 0 N·s/m")?;
            }
        }
        if self.lower.is_none() && self.upper.is_none() {
            return Err(Error::NoWall);
        }
        for wall in Wall::ALL {
            let Some(at) = self.at(wall) else { continue };
            require("the position of a stop", at, true, "a finite position, m")?;
            if self.restitution().is_some() && wall.sign() * (x - at) < 0.0 {
                return Err(Error::BeyondWall { x, wall: wall.name(), at });
            }
        }
        match (self.lower, self.upper) {
            (Some(lower), Some(upper)) if lower >= upper => Err(Error::StopsCross { lower, upper }),
            _ => Ok(()),
        }
    }
}

//! Places on a rigid rim, and a step along it.

use super::polar::Sliding;
use crate::model::planar::Rim;
use crate::motion::Poly;
use crate::portable;

/// The unit vector along a rim, against the clock, at `r` ≠ 0.
pub(super) fn along(r: [f64; 2]) -> [f64; 2] {
    let n = Rim::outward(r);
    [-n[1], n[0]]
}

/// The place `arc` (m) against the clock along a rim of this `radius` (m) from the place `r` at it, m.
pub(super) fn turned(r: [f64; 2], arc: f64, radius: f64) -> [f64; 2] {
    let (sin, cos) = portable::sin_cos(arc / radius);
    [r[0] * cos - r[1] * sin, r[1] * cos + r[0] * sin]
}

/// A step along a rim with its dense output.
#[derive(Debug, Clone)]
pub(super) struct AlongLink {
    /// Its start and its length, s.
    pub t: f64,
    pub h: f64,
    /// Where it begins, m.
    pub r: [f64; 2],
    pub radius: f64,
    /// Length of the arc (m) and speed (m/s) against the clock.
    pub arc: Poly,
    pub speed: Poly,
}

impl AlongLink {
    /// The mass at the fraction `theta` of it.
    pub fn at(&self, theta: f64) -> Sliding {
        let r = turned(self.r, self.arc.at(theta), self.radius);
        let speed = self.speed.at(theta);
        Sliding { t: self.t + theta * self.h, r, w: along(r).map(|x| speed * x) }
    }
}

//! Stops between two nodes, or a node and the ground.

use super::bad;
use crate::error::{Error, Part};
use crate::model::Bumper;
use crate::model::network::{Ends, Name};
use crate::signal::Signal;

/// A gap below this share of the displacements that make it is zero where a run begins.
pub(crate) const FITS: f64 = 1e-12;

/// A stop: lower(t) ≤ x_first − x_second ≤ upper(t), strictly if it is rigid, by a spring beyond if it is soft.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// Its name, unique among stops and sliders.
    pub name: Name,
    pub(super) ends: Ends,
    /// Where it stands below, m.
    pub lower: Option<Signal>,
    /// Where it stands above, m.
    pub upper: Option<Signal>,
    /// What it is made of.
    pub bumper: Bumper,
}

impl Stop {
    /// Its ends: the first, and the second, relative to which the first is stopped.
    pub fn between(&self) -> [Option<usize>; 2] {
        self.ends.nodes()
    }

    /// An error at `place` unless its numbers are in their ranges.
    pub(super) fn check(&self, place: &impl Fn(&'static str) -> Part) -> Result<(), Error> {
        let wrong =
            |property, reason: String, remedy: &str| Err(bad(place(property), reason, remedy));
        if self.lower.is_none() && self.upper.is_none() {
            return wrong(
                "lower",
                "it stops nothing".into(),
                "give `lower`, `upper` or both, in m",
            );
        }
        for bound in self.lower.iter().chain(&self.upper) {
            bound.check("the position of a stop")?;
        }
        if let (Some(a), Some(b)) = (&self.lower, &self.upper) {
            let low = a.value(0.0);
            let high = b.value(0.0);
            if low >= high {
                let reason = format!("its lower bound {low} m is not below its upper one {high} m");
                return wrong("lower", reason, "swap the two");
            }
        }
        match self.bumper {
            Bumper::Rigid { restitution: e } if !(0.0..=1.0).contains(&e) => {
                let reason = format!("its restitution is {e}; expected a number from 0 to 1");
                wrong("restitution", reason, "0: what meets stays together; 1: it keeps its speed")
            }
            Bumper::Soft { stiffness: k, .. } if !(k > 0.0 && k.is_finite()) => {
                let reason = format!("its stiffness is {k}; expected a finite number > 0 N/m");
                wrong("stiffness", reason, "give `restitution` for a rigid stop")
            }
            Bumper::Soft { damping: c, .. } if !(c >= 0.0 && c.is_finite()) => {
                let reason = format!("its damping is {c}; expected a finite number ≥ 0 N·s/m");
                wrong("damping", reason, "leave it out if there is none")
            }
            _ => Ok(()),
        }
    }
}

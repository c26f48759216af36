//! The joint of a robot: a servo with its drive, its gear that rubs, and a load, from many logs of its angle.
//!
//! ```text
//! (J_L + Jₐ) θ̈ = τₘ + τₑ − friction(θ̇, τₘ, τₑ, θ̈),      τₑ = −m g l sin(θ − θ₀)
//! ```
//!
//! What the drive does is in `drive`, the friction in `gear`, the step of the motion in `motion`.

mod conclude;
pub mod drive;
pub mod dual;
pub mod gear;
mod identify;
pub mod logs;
pub mod motion;
mod question;
mod repetitions;
mod search;
mod sure;
mod terms;
mod verdict;

pub use identify::joint;
pub use question::{Above, Given, Question, Unknown};
pub use verdict::{Errors, Fit, Group, Named, OfLog, Simplified, Term, Undetermined};

use drive::Drive;
use dual::Real;
use gear::{Gear, Way};
use serde::Serialize;

/// The numbers of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Joint<R = f64> {
    /// From goal to torque.
    pub drive: Drive<R>,
    /// Friction.
    pub gear: Gear<R>,
    /// θ₀, the angle at which the load hangs, rad.
    pub vertical: R,
}

/// One way of motion, or both with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ways {
    /// θ̇ > 0.
    Forward,
    /// θ̇ < 0.
    Backward,
    /// Both.
    Both,
}

/// Where a number of a joint stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names of the fields")]
pub enum Slot {
    Gain,
    Delay,
    SpeedLimit,
    Start,
    Derivative,
    Limit,
    TorqueConstant,
    Resistance,
    Armature,
    Vertical,
    Dynamic(Ways),
    /// static − dynamic.
    Drop(Ways),
    Velocity(Ways),
    Exponent(Ways),
    Viscous(Ways),
    Quadratic,
    External,
    Motor,
    Driving,
    BackDriven,
    /// Driving and back-driven alike.
    Transmitted,
}

impl<R: Real> Joint<R> {
    /// The number in this slot.
    pub fn get(&self, slot: Slot) -> R {
        let mut copy = *self;
        let mut found = R::of(0.0);
        copy.each(slot, |r| found = *r);
        found
    }

    /// Puts a number into a slot.
    pub fn set(&mut self, slot: Slot, value: R) {
        self.each(slot, |r| *r = value);
    }

    /// Every number that a slot stands for.
    fn each(&mut self, slot: Slot, mut visit: impl FnMut(&mut R)) {
        let (drive, gear) = (&mut self.drive, &mut self.gear);
        let mut ways = |which: Ways, field: fn(&mut Way<R>) -> &mut R| {
            let [forward, backward] = &mut gear.ways;
            if which != Ways::Backward {
                visit(field(forward));
            }
            if which != Ways::Forward {
                visit(field(backward));
            }
        };
        match slot {
            Slot::Dynamic(w) => return ways(w, |way| &mut way.dynamic),
            Slot::Drop(w) => return ways(w, |way| &mut way.drop),
            Slot::Velocity(w) => return ways(w, |way| &mut way.velocity),
            Slot::Exponent(w) => return ways(w, |way| &mut way.exponent),
            Slot::Viscous(w) => return ways(w, |way| &mut way.viscous),
            _ => {}
        }
        match slot {
            Slot::Gain => visit(&mut drive.gain),
            Slot::Delay => visit(&mut drive.delay),
            Slot::SpeedLimit => visit(&mut drive.speed_limit),
            Slot::Start => visit(&mut drive.start),
            Slot::Derivative => visit(&mut drive.derivative),
            Slot::Limit => visit(&mut drive.limit),
            Slot::TorqueConstant => visit(&mut drive.torque_constant),
            Slot::Resistance => visit(&mut drive.resistance),
            Slot::Armature => visit(&mut gear.armature),
            Slot::Vertical => visit(&mut self.vertical),
            Slot::Quadratic => visit(&mut gear.quadratic),
            Slot::External => visit(&mut gear.external),
            Slot::Motor => visit(&mut gear.motor),
            Slot::Driving => visit(&mut gear.driving),
            Slot::BackDriven => visit(&mut gear.back_driven),
            Slot::Transmitted => {
                visit(&mut gear.driving);
                visit(&mut gear.back_driven);
            }
            _ => {}
        }
    }
}

impl Joint {
    /// The same joint, its numbers as constants of another kind.
    pub fn lifted<R: Real>(&self) -> Joint<R> {
        let of = R::of;
        let (d, g) = (&self.drive, &self.gear);
        let way = |w: &Way| Way {
            dynamic: of(w.dynamic),
            drop: of(w.drop),
            velocity: of(w.velocity),
            exponent: of(w.exponent),
            viscous: of(w.viscous),
        };
        Joint {
            drive: Drive {
                gain: of(d.gain),
                delay: of(d.delay),
                speed_limit: of(d.speed_limit),
                start: of(d.start),
                derivative: of(d.derivative),
                limit: of(d.limit),
                torque_constant: of(d.torque_constant),
                resistance: of(d.resistance),
            },
            gear: Gear {
                ways: [way(&g.ways[0]), way(&g.ways[1])],
                quadratic: of(g.quadratic),
                external: of(g.external),
                motor: of(g.motor),
                driving: of(g.driving),
                back_driven: of(g.back_driven),
                armature: of(g.armature),
            },
            vertical: of(self.vertical),
        }
    }
}

#[cfg(test)]
mod tests;

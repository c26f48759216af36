//! The joint of a robot: a servo with its drive, its gear that rubs, and a load, from many logs of its angle.
//!
//! ```text
//! (J_L + Jₐ) θ̈ = τₘ + τₑ − friction(θ̇, τₘ, τₑ, θ̈),      τₑ = −m g l sin(θ − θ₀)
//! ```
//!
//! What the drive does is in `drive`, the friction in `gear`, what a backlash adds in `play` and what a bristle adds in `bristle`, the
//! step of the motion in `shaft` and `motion`.

mod bristle;
mod conclude;
mod design;
pub mod drive;
pub mod dual;
pub mod gear;
mod goal;
mod identify;
mod known;
mod leap;
pub mod logs;
pub mod motion;
mod play;
mod question;
mod repetitions;
mod search;
mod shaft;
mod sure;
mod terms;
mod verdict;

pub use design::{Joined, Limits, design};
pub use identify::joint;
pub use known::{Known, Recorded};
pub use question::{Above, Given, Question, Unknown};
pub use search::Sought;
pub use verdict::{
    BristleSeen, Design, Errors, Expected, Fit, Group, Named, OfLog, Planned, Simplified,
    SimplifiedBristle, Term, Undetermined,
};

use drive::Drive;
use dual::Real;
use gear::{Gear, Way};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Loads that are mounted at angles of their own, at most.
pub const MOUNTINGS: usize = 8;

/// The numbers of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "R: Serialize + PartialEq",
    deserialize = "R: Deserialize<'de> + Copy + From<f64>"
))]
pub struct Joint<R = f64> {
    /// From goal to torque.
    pub drive: Drive<R>,
    /// Friction.
    pub gear: Gear<R>,
    /// θ₀, the angle at which the load hangs, rad, for each mounting: a load that is taken off and put on again, or another
    /// one, hangs a step of a spline or the play of its screws elsewhere.
    #[serde(serialize_with = "one_or_each", deserialize_with = "each_or_one")]
    pub vertical: [R; MOUNTINGS],
}

/// One number where they are all the same.
fn one_or_each<R: Serialize + PartialEq, S: Serializer>(
    all: &[R; MOUNTINGS],
    s: S,
) -> Result<S::Ok, S::Error> {
    // Most joints have one mounting: their files hold one angle and not eight times the same.
    if all.iter().all(|v| *v == all[0]) { all[0].serialize(s) } else { all.serialize(s) }
}

/// One number for all, or one for each.
fn each_or_one<'de, R: Deserialize<'de> + Copy, D: Deserializer<'de>>(
    d: D,
) -> Result<[R; MOUNTINGS], D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Verticals<R> {
        One(R),
        Each([R; MOUNTINGS]),
    }
    Ok(match Verticals::deserialize(d)? {
        Verticals::One(angle) => [angle; MOUNTINGS],
        Verticals::Each(angles) => angles,
    })
}

/// One way of motion, or both with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ways {
    /// θ̇ > 0.
    Forward,
    /// θ̇ < 0.
    Backward,
    /// Both.
    Both,
}

/// Where a number of a joint stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    Backlash,
    /// 1/σ₀ of the bristle.
    Compliance,
    /// σ₁ of the bristle.
    BristleDamping,
    /// β of the bristle.
    BreakawayShare,
    /// Of one mounting, or of all alike.
    Vertical(Option<usize>),
    Dynamic(Ways),
    /// static − dynamic.
    Drop(Ways),
    Velocity(Ways),
    Exponent(Ways),
    Viscous(Ways),
    Quadratic(Ways),
    External(Ways),
    Motor(Ways),
    Rest(Ways),
    Driving(Ways),
    BackDriven(Ways),
    /// Driving and back-driven alike.
    Transmitted(Ways),
}

impl<R: Real> Joint<R> {
    /// The number in this slot.
    pub fn get(&self, slot: Slot) -> R {
        // `each` holds the only list of slots, and it visits what may be changed: reading takes a copy. Where a slot
        // stands for several numbers they are alike, and the last one is read.
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
        let drive = &mut self.drive;
        let gear = &mut self.gear;
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
            // `ways` borrows the gear and `visit`. Its last use is in this match, so the drive and the mountings have
            // one of their own.
            Slot::Dynamic(w) => return ways(w, |way| &mut way.dynamic),
            Slot::Drop(w) => return ways(w, |way| &mut way.drop),
            Slot::Velocity(w) => return ways(w, |way| &mut way.velocity),
            Slot::Exponent(w) => return ways(w, |way| &mut way.exponent),
            Slot::Viscous(w) => return ways(w, |way| &mut way.viscous),
            Slot::Quadratic(w) => return ways(w, |way| &mut way.quadratic),
            Slot::External(w) => return ways(w, |way| &mut way.external),
            Slot::Motor(w) => return ways(w, |way| &mut way.motor),
            Slot::Rest(w) => return ways(w, |way| &mut way.rest),
            Slot::Driving(w) => return ways(w, |way| &mut way.driving),
            Slot::BackDriven(w) => return ways(w, |way| &mut way.back_driven),
            Slot::Transmitted(w) => {
                ways(w, |way| &mut way.driving);
                return ways(w, |way| &mut way.back_driven);
            }
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
            Slot::Backlash => visit(&mut gear.backlash),
            Slot::Compliance => visit(&mut gear.compliance),
            Slot::BristleDamping => visit(&mut gear.bristle_damping),
            Slot::BreakawayShare => visit(&mut gear.breakaway_share),
            Slot::Vertical(None) => self.vertical.iter_mut().for_each(visit),
            Slot::Vertical(Some(mounting)) => {
                // A mounting beyond the last is refused by `Question::check` with the name of its log; here it is
                // ignored rather than a panic.
                self.vertical.get_mut(mounting).into_iter().for_each(visit);
            }
            _ => {}
        }
    }
}

impl Joint {
    /// The same joint, its numbers as constants of another kind.
    pub fn lifted<R: Real>(&self) -> Joint<R> {
        let of = R::of;
        let d = &self.drive;
        let g = &self.gear;
        let way = |w: &Way| Way {
            dynamic: of(w.dynamic),
            drop: of(w.drop),
            velocity: of(w.velocity),
            exponent: of(w.exponent),
            viscous: of(w.viscous),
            quadratic: of(w.quadratic),
            external: of(w.external),
            motor: of(w.motor),
            rest: of(w.rest),
            driving: of(w.driving),
            back_driven: of(w.back_driven),
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
                // A tick cannot be sought: where it moves, the duty leaps, and a leap has no derivative.
                tick: d.tick,
                current: d.current,
            },
            gear: Gear {
                ways: [way(&g.ways[0]), way(&g.ways[1])],
                armature: of(g.armature),
                backlash: of(g.backlash),
                compliance: of(g.compliance),
                bristle_damping: of(g.bristle_damping),
                breakaway_share: of(g.breakaway_share),
                encoder_at_motor: g.encoder_at_motor,
            },
            vertical: self.vertical.map(of),
        }
    }
}

#[cfg(test)]
mod tests;

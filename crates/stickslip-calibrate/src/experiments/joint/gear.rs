//! The friction of the gear, and how it grows with what the gear carries.
//!
//! ```text
//! F(θ̇) = dynamic + (static − dynamic) exp(−(|θ̇|/velocity)^exponent) + viscous |θ̇| + quadratic θ̇²
//! L    = |external τₑ − motor τₘ| (1 + rest exp(−(|θ̇|/velocity)^exponent))      quasi-static: τₑ gravity, τₘ the motor's torque
//! T    = J_L θ̈ − τₑ                                                    what the gear hands on to the load
//! friction = F + L + μ |T|        μ = driving where T points along the motion, back_driven where it points against it
//! ```
//!
//! Every number but the armature is one of each way of motion.
//!
//! The form L is that of Duclusaud, Passault, Padois and Ly (2024), arXiv 2410.08650: without `rest` one coefficient for each
//! torque, with it both are larger at rest, as the friction without a load is. With μ the acceleration
//! stands on both sides. With N the sum of τₘ, τₑ and what depends on the speed, s = sign θ̇, σ = sign T and J = J_L + Jₐ
//!
//! ```text
//! (J + sσμ J_L) θ̈ = N − s(F + L) + sσμ τₑ,      T (J + sσμ J_L) = J_L (N − s(F + L)) − J τₑ
//! ```
//!
//! so the sign of T is that of the right side, and unique, as long as μ J_L < J for a back-driven gear. Beyond that a gear
//! jams or has two accelerations: such numbers are refused.
//!
//! With a compliance of the bristle F + L is the torque at which the bristle yields, and no longer the friction itself: see
//! `bristle`.

use super::dual::Real;
use serde::{Deserialize, Serialize};
use stickslip::portable;

/// The friction one way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Way<R = f64> {
    /// N·m, in fast sliding, before viscous friction.
    pub dynamic: R,
    /// static − dynamic, N·m: what the friction at rest is more. Off: 0.
    pub drop: R,
    /// rad/s, within which the friction falls.
    pub velocity: R,
    /// Of the fall; a constant of the fit.
    pub exponent: R,
    /// N·m·s/rad.
    pub viscous: R,
    /// N·m·s²/rad². Off: 0.
    pub quadratic: R,
    /// Growth with the external torque. Off: 0.
    pub external: R,
    /// Growth with the motor's torque. Off: 0.
    pub motor: R,
    /// How much more of L there is at rest than in fast slip, as a share. Off: 0.
    pub rest: R,
    /// μ where the motor drives the load. Off: 0.
    pub driving: R,
    /// μ where the load drives the motor. Off: 0.
    pub back_driven: R,
}

/// The friction of the gear, and its backlash.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "R: Deserialize<'de> + From<f64>"))]
pub struct Gear<R = f64> {
    /// Forwards (θ̇ > 0), then backwards.
    pub ways: [Way<R>; 2],
    /// Jₐ, kg·m², of motor and gear at the shaft.
    pub armature: R,
    /// b, rad, at the shaft: how far the arm turns while the motor stands still. Off: 0.
    #[serde(default = "none")]
    pub backlash: R,
    /// 1/σ₀, rad/(N·m): by how much the gear yields before it slips. Off: 0. The stiffness itself would be infinite for a rigid
    /// gear; how far the shaft gives way is proportional to the compliance.
    #[serde(default = "none")]
    pub compliance: R,
    /// σ₁, N·m·s/rad: what damps the bristle. Without a compliance it has no effect.
    #[serde(default = "none")]
    pub bristle_damping: R,
    /// β, the share of the torque at which the bristle yields up to which it is elastic. Off: 0, where it yields from the
    /// beginning.
    #[serde(default = "none")]
    pub breakaway_share: R,
    /// Whether the encoder sees the motor instead of the arm. Without a backlash that is the same.
    #[serde(default)]
    pub encoder_at_motor: bool,
}

/// A bristle yields at this torque at least, N·m: the way over which it yields is not 0 where a search tries a gear without
/// friction.
const LEAST: f64 = 1e-9;

/// What files of earlier versions do not have is off.
fn none<R: From<f64>>() -> R {
    R::from(0.0)
}

/// The load of one log.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// J_L, kg·m².
    pub inertia: f64,
    /// m g l, N·m.
    pub gravity: f64,
}

/// Torques on the shaft, N·m, along positive angles.
#[derive(Debug, Clone, Copy)]
pub struct Torques<R> {
    /// τₘ.
    pub motor: R,
    /// τₑ.
    pub external: R,
}

/// What moves a shaft that slips: θ̈ = force/inertia, to which the part of the damping comes.
#[derive(Debug, Clone, Copy)]
pub struct Push<R> {
    /// N·m.
    pub force: R,
    /// kg·m².
    pub inertia: R,
}

impl<R: Real> Way<R> {
    /// exp(−(|θ̇|/velocity)^exponent).
    #[inline]
    fn fall(&self, speed: R) -> R {
        let ratio = speed.abs() * self.velocity.inverse();
        let x = ratio.value();
        let e = self.exponent.value();
        // At rest the slope of a power below 1 is infinite, and what it is multiplied with is 0.
        let power = if x > 0.0 {
            // The two usual exponents without a power: this is computed twice in every step.
            let p = if e == 1.0 {
                x
            } else if e == 2.0 {
                x * x
            } else {
                portable::pow(x, e)
            };
            ratio.map(p, e * p / x)
        } else {
            R::of(0.0)
        };
        let fall = portable::exp(-power.value());
        power.map(fall, -fall)
    }

    /// At rest.
    #[inline]
    pub fn at_rest(&self) -> R {
        self.dynamic + self.drop
    }

    /// Without the linear viscous part and without what grows with the transmitted torque.
    #[inline]
    fn without_damping(&self, speed: R, torques: &Torques<R>) -> R {
        let dry = self.dry(speed, torques);
        if self.quadratic.is_off() {
            return dry;
        }
        dry + self.quadratic * speed * speed
    }

    /// What does not grow with the speed: dynamic + (static − dynamic) exp(…) + L.
    #[inline]
    fn dry(&self, speed: R, torques: &Torques<R>) -> R {
        let fall = match self.drop.is_off() && self.rest.is_off() {
            true => R::of(0.0),
            false => self.fall(speed),
        };
        self.dynamic + self.drop * fall + self.quasi_static(torques, fall)
    }

    /// L, N·m; `fall` is 1 at rest.
    #[inline]
    fn quasi_static(&self, torques: &Torques<R>, fall: R) -> R {
        if self.external.is_off() && self.motor.is_off() {
            return R::of(0.0);
        }
        let sliding = (self.external * torques.external - self.motor * torques.motor).abs();
        if self.rest.is_off() { sliding } else { sliding * (R::of(1.0) + self.rest * fall) }
    }

    /// μ for a motion in the direction `s` of this way while the gear hands on a torque of this sign.
    #[inline]
    fn share(&self, s: f64, transmitted: f64) -> R {
        // Where T is 0 there is nothing to multiply, and either will do.
        if s * transmitted >= 0.0 { self.driving } else { self.back_driven }
    }
}

impl<R: Real> Gear<R> {
    /// The friction in direction `s`.
    #[inline]
    pub fn way(&self, s: f64) -> &Way<R> {
        &self.ways[usize::from(s < 0.0)]
    }

    /// What holds the shaft at rest against a push in direction `s`, N·m.
    #[inline]
    pub fn hold(&self, s: f64, torques: &Torques<R>) -> R {
        let way = self.way(s);
        // T of a load that does not accelerate.
        let transmitted = -torques.external;
        let share = way.share(s, transmitted.value());
        way.at_rest() + way.quasi_static(torques, R::of(1.0)) + share * transmitted.abs()
    }

    /// The torque at which a bristle yields to a motion in direction `s`, N·m, above 0.
    #[inline]
    pub fn limit(&self, s: f64, speed: R, torques: &Torques<R>) -> R {
        let dry = self.way(s).dry(speed, torques);
        if dry.value() < LEAST { R::of(LEAST) } else { dry }
    }

    /// What moves the shaft while it slips in direction `s`, before the damping, which is `damped` (N·m) at this speed.
    #[inline]
    pub fn push(&self, load: &Load, s: f64, speed: R, torques: &Torques<R>, damped: R) -> Push<R> {
        let way = self.way(s);
        let dry = way.without_damping(speed, torques);
        let free = torques.motor + torques.external - dry.times(s);
        let inertia = self.armature + R::of(load.inertia);
        // Without these the acceleration is explicit, and the damping is no concern of this function.
        if way.driving.is_off() && way.back_driven.is_off() {
            return Push { force: free, inertia };
        }
        // The second formula above: its left side has the sign of T as long as the gear is well posed. The step takes
        // the damping implicitly, so only this sign needs it here.
        let sign =
            (free - damped).value() * load.inertia - inertia.value() * torques.external.value();
        let sigma = if sign < 0.0 { -1.0 } else { 1.0 };
        let share = way.share(s, sigma).times(s * sigma);
        Push {
            force: free + share * torques.external,
            inertia: inertia + share.times(load.inertia),
        }
    }

    /// Whether the acceleration is unique for this load.
    pub fn is_well_posed(&self, load: &Load) -> bool {
        let largest = self.largest_back_driven();
        largest * load.inertia < self.armature.value() + load.inertia
    }

    /// The larger μ of the two ways where the load drives the motor.
    pub fn largest_back_driven(&self) -> f64 {
        let [forward, backward] = &self.ways;
        forward.back_driven.value().max(backward.back_driven.value())
    }
}

impl Gear {
    /// Why the motion is not known with a bristle: what was found, and what is expected.
    pub fn refuses_bristle(&self) -> Option<&'static str> {
        let is_shared = |way: &Way| way.driving > 0.0 || way.back_driven > 0.0;
        if self.compliance <= 0.0 {
            None
        } else if self.breakaway_share >= 1.0 {
            Some(
                "a bristle that is elastic up to its limit does not yield before it; expected a share below 1",
            )
        } else if self.backlash > 0.0 {
            Some(
                "a gear with a bristle that yields (`lugre`, `dahl`, `elasto-plastic`) has no backlash in this model; expected `backlash` of 0, or \
                 another friction law",
            )
        } else if self.ways.iter().any(is_shared) {
            Some(
                "a bristle that yields (`lugre`, `dahl`, `elasto-plastic`) does not yield to the torque that the gear transmits in this model; \
                 expected `transmitted` of 0, or another friction law",
            )
        } else {
            None
        }
    }

    /// Why the bristle may give out energy, where it may: viscous ≥ σ₁ (static − dynamic)/dynamic has to hold each way (Barabanov
    /// and Ortega 2000), with the friction of the load at its largest share of both.
    pub fn is_active(&self) -> Option<String> {
        let need = |way: &Way| {
            let falls = [way.drop / way.dynamic.max(LEAST), way.rest];
            let of_load = way.external > 0.0 || way.motor > 0.0;
            self.bristle_damping * if of_load { falls[0].max(falls[1]) } else { falls[0] }
        };
        let worst =
            self.ways.iter().find(|way| self.compliance > 0.0 && way.viscous < need(way))?;
        Some(format!(
            "the damping of the bristle may feed motions with energy: viscous ≥ damping·(static − dynamic)/dynamic does not hold \
             ({:.3} < {:.3} N·m·s/rad)",
            worst.viscous,
            need(worst)
        ))
    }

    /// Why the motion across a backlash is not determined with this load: what was found, and what is expected.
    pub fn refuses_backlash(&self, load: &Load) -> Option<&'static str> {
        let is_shared = |way: &Way| way.driving > 0.0 || way.back_driven > 0.0;
        if self.backlash <= 0.0 {
            None
        } else if self.armature <= 0.0 {
            Some(
                "with a backlash the motor turns alone at times, and its armature is 0 kg·m²; expected one above 0",
            )
        } else if load.inertia <= 0.0 {
            Some(
                "with a backlash the arm turns alone at times, and the inertia of the load is 0 kg·m²; expected one above 0",
            )
        } else if self.ways.iter().any(is_shared) {
            Some(
                "friction of the torque that the gear transmits is an impulse where the teeth of a backlash meet, which this \
                 model does not have; expected `transmitted` of 0, or `backlash` of 0",
            )
        } else {
            None
        }
    }

    /// The friction at an even speed, N·m, with the sign of the speed.
    pub fn sliding(&self, load: &Load, speed: f64, torques: &Torques<f64>) -> f64 {
        let s = if speed < 0.0 { -1.0 } else { 1.0 };
        let damped = self.way(s).viscous * speed;
        let pushed = self.push(load, s, speed, torques, damped);
        torques.motor + torques.external - pushed.force + damped
    }
}

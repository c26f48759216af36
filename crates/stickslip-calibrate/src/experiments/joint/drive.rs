//! The drive of a joint: what comes between the goal that is sent and the torque of the motor.
//!
//! ```text
//! r˙ = clip(goal(t − delay) − r, ± speed_limit per second)      the goal that the controller follows
//! d  = clip(gain (r − θ) + start e/(|e| + ε) − derivative θ̇, ± limit),      e = r − θ
//! u  = supply · d                                               or u = d where there is no supply
//! τ  = (k/R) (u − k θ̇)      or τ = k u where the drive controls the current;      0 while the motor is switched off
//! ```
//!
//! With a tick u is computed at its multiples, counted from the first row of a log, and held until the next. A motor that is switched
//! off is open: no current, no counter-voltage.

use super::dual::Real;
use serde::{Deserialize, Deserializer, Serialize};

/// ε, rad: within it the start offset of the duty grows from 0 to its value. A third of the step of a 12-bit encoder.
pub const START_WITHIN: f64 = 5e-4;

/// The numbers of the drive. Each term is off at its neutral value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "R: Deserialize<'de> + From<f64>"))]
pub struct Drive<R = f64> {
    /// Duty for each radian with a supply, V/rad without. Multiplied by the log's own factor.
    pub gain: R,
    /// From goal to motion, s. Off: 0.
    pub delay: R,
    /// The largest speed at which the goal moves, rad/s. Off: infinite.
    #[serde(deserialize_with = "or_infinite")]
    pub speed_limit: R,
    /// What is added to the duty (or V) in the direction of the error. Off: 0.
    pub start: R,
    /// Duty (or V) for each rad/s, against the motion. Off: 0.
    pub derivative: R,
    /// The largest duty (or voltage). Off: infinite.
    #[serde(deserialize_with = "or_infinite")]
    pub limit: R,
    /// k, N·m/A or V·s/rad, at the shaft.
    pub torque_constant: R,
    /// R, Ω.
    pub resistance: R,
    /// Time between two outputs of the controller, s; 0 where it is so short that it does not matter.
    pub tick: f64,
    /// Whether the drive controls the current: u is in A then, and there is no counter-voltage.
    pub current: bool,
}

/// What is infinite is null in JSON.
fn or_infinite<'de, R: Deserialize<'de> + From<f64>, D: Deserializer<'de>>(
    d: D,
) -> Result<R, D::Error> {
    let read = Option::<R>::deserialize(d)?;
    Ok(read.unwrap_or_else(|| R::from(f64::INFINITY)))
}

/// What the drive is told at one instant.
#[derive(Debug, Clone, Copy)]
pub struct Order<R> {
    /// r: the goal as the controller follows it, rad.
    pub goal: R,
    /// The log's own factor of the gain.
    pub gain: f64,
}

impl<R: Real> Drive<R> {
    /// d; u itself where there is no supply.
    #[inline]
    pub fn duty(&self, order: &Order<R>, angle: R, speed: R) -> R {
        let error = order.goal - angle;
        let mut duty = (self.gain * error).times(order.gain);
        if !self.start.is_off() {
            let e = error.value();
            let scale = 1.0 / (e.abs() + START_WITHIN);
            // e/(|e| + ε) with its derivative ε/(|e| + ε)². A bare sign would leap where the goal is met, and the loss
            // would leap with it.
            duty = duty + self.start * error.map(e * scale, START_WITHIN * scale * scale);
        }
        if !self.derivative.is_off() {
            duty = duty - self.derivative * speed;
        }
        // The limit comes last: a drive limits the sum of all terms, not each of them.
        duty.clamp(-self.limit, self.limit)
    }

    /// k/R, N·m/V; k, N·m/A, where the current is controlled.
    #[inline]
    pub fn per_volt(&self) -> R {
        if self.current {
            return self.torque_constant;
        }
        self.torque_constant * self.resistance.inverse()
    }

    /// k²/R, N·m·s/rad, by which the counter-voltage brakes; 0 where the current is controlled.
    #[inline]
    pub fn braking(&self) -> R {
        if self.current { R::of(0.0) } else { self.per_volt() * self.torque_constant }
    }
}

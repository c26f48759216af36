//! The drive of a joint: what comes between the goal that is sent and the torque of the motor.
//!
//! ```text
//! r˙ = clip(goal(t − delay) − r, ± speed_limit per second)      the goal that the controller follows
//! d  = clip(gain (r − θ) + start e/(|e| + ε) − derivative θ̇, ± limit),      e = r − θ
//! u  = supply · d                                               or u = d where there is no supply
//! τ  = (k/R) (u − k θ̇)                                          0 while the motor is switched off
//! ```
//!
//! A motor that is switched off is open: no current, no counter-voltage.

use super::dual::Real;
use serde::Serialize;

/// ε, rad: within it the start offset of the duty grows from 0 to its value. A third of the step of a 12-bit encoder.
pub const START_WITHIN: f64 = 5e-4;

/// The numbers of the drive. Each term is off at its neutral value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Drive<R = f64> {
    /// Duty for each radian with a supply, V/rad without. Multiplied by the log's own factor.
    pub gain: R,
    /// From goal to motion, s. Off: 0.
    pub delay: R,
    /// The largest speed at which the goal moves, rad/s. Off: infinite.
    pub speed_limit: R,
    /// What is added to the duty (or V) in the direction of the error. Off: 0.
    pub start: R,
    /// Duty (or V) for each rad/s, against the motion. Off: 0.
    pub derivative: R,
    /// The largest duty (or voltage). Off: infinite.
    pub limit: R,
    /// k, N·m/A or V·s/rad, at the shaft.
    pub torque_constant: R,
    /// R, Ω.
    pub resistance: R,
}

/// What the drive is told at one instant.
#[derive(Debug, Clone, Copy)]
pub struct Order<R> {
    /// r: the goal as the controller follows it, rad.
    pub goal: R,
    /// V; 1 where the gain is in V/rad.
    pub supply: f64,
    /// The log's own factor of the gain.
    pub gain: f64,
    /// Whether the motor is on.
    pub enabled: bool,
}

impl<R: Real> Drive<R> {
    /// The voltage, V.
    #[inline]
    pub fn voltage(&self, order: &Order<R>, angle: R, speed: R) -> R {
        let error = order.goal - angle;
        let mut duty = (self.gain * error).times(order.gain);
        if !self.start.is_off() {
            let e = error.value();
            let scale = 1.0 / (e.abs() + START_WITHIN);
            duty = duty + self.start * error.map(e * scale, START_WITHIN * scale * scale);
        }
        if !self.derivative.is_off() {
            duty = duty - self.derivative * speed;
        }
        duty.clamp(-self.limit, self.limit).times(order.supply)
    }

    /// k/R, N·m/V.
    #[inline]
    pub fn per_volt(&self) -> R {
        self.torque_constant * self.resistance.inverse()
    }
}

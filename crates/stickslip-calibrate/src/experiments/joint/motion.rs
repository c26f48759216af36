//! The motion of a joint over a log, with its derivatives.
//!
//! Between two rows of the log the time is cut into equal steps. In a step the shaft sticks, or slips one way; where it
//! comes to rest or breaks away within a step, the instant is located and the rest of the step goes on from there, so that
//! the motion, and with it the derivative, is continuous in every number. A step of slip is a midpoint rule of second order
//! whose linear damping, the counter-voltage included, is implicit: no value of an unknown makes it unstable by damping.
//! Rest is exact: a shaft that sticks keeps its angle to the last bit.

use super::Joint;
use super::drive::Order;
use super::dual::Real;
use super::gear::{Load, Push, Torques};
use super::goal::Followed;
use super::logs::Log;

use stickslip::portable;

/// The longest step, s. Halved, the angles of the tests change by less than a tenth of an encoder's step.
pub const STEP: f64 = 2.6e-3;
/// Sticks and slips within one step before the step is taken as it is.
const TURNS: usize = 6;

/// Angle and speed of the shaft.
#[derive(Debug, Clone, Copy)]
pub struct State<R> {
    /// rad.
    pub angle: R,
    /// rad/s; exactly 0 at rest.
    pub speed: R,
}

/// One step: how the goal moves in it, and what does not change.
struct Step<'a, R> {
    joint: &'a Joint<R>,
    load: &'a Load,
    /// θ₀.
    vertical: R,
    per_volt: R,
    /// Supply, gain and switch.
    supply: f64,
    gain: f64,
    enabled: bool,
    /// r at the end of the step, and how fast it moves, rad/s.
    goal: R,
    goal_speed: R,
}

impl<R: Real> Step<'_, R> {
    /// r, `left` seconds before the end of the step.
    fn goal(&self, left: R) -> R {
        self.goal - self.goal_speed * left
    }

    /// The torque of gravity.
    #[inline]
    fn external(&self, angle: R) -> R {
        let from = angle - self.vertical;
        let (sin, cos) = portable::sin_cos(from.value());
        from.map(sin, cos).times(-self.load.gravity)
    }

    /// The torque of the motor without its counter-voltage.
    #[inline]
    fn driven(&self, angle: R, speed: R, goal: R) -> R {
        if !self.enabled {
            return R::of(0.0);
        }
        let supply = self.supply;
        let gain = self.gain;
        let enabled = self.enabled;
        let order = Order { goal, supply, gain, enabled };
        self.per_volt * self.joint.drive.voltage(&order, angle, speed)
    }

    /// Torques at rest.
    fn at_rest(&self, angle: R, left: R) -> Torques<R> {
        let motor = self.driven(angle, R::of(0.0), self.goal(left));
        Torques { motor, external: self.external(angle) }
    }

    /// N·m for each rad/s, in direction `s`.
    #[inline]
    fn damping(&self, s: f64) -> R {
        let viscous = self.joint.gear.ways[usize::from(s < 0.0)].viscous;
        if self.enabled {
            viscous + self.per_volt * self.joint.drive.torque_constant
        } else {
            viscous
        }
    }

    /// What moves the shaft in direction `s`, the damping left out.
    #[inline]
    fn push(&self, at: State<R>, goal: R, s: f64, damping: R) -> Push<R> {
        let driven = self.driven(at.angle, at.speed, goal);
        let external = self.external(at.angle);
        let gear = &self.joint.gear;
        let motor = if self.enabled && !gear.motor.is_off() {
            // The friction of the motor's torque counts the counter-voltage; the sum of forces has it in the damping.
            driven - self.per_volt * self.joint.drive.torque_constant * at.speed
        } else {
            driven
        };
        let pushed =
            gear.push(self.load, s, at.speed, &Torques { motor, external }, damping * at.speed);
        Push { force: pushed.force + driven - motor, inertia: pushed.inertia }
    }

    /// Slip in direction `s` over `time`, the last `left` seconds of the step.
    fn slip(&self, at: State<R>, s: f64, left: R) -> State<R> {
        let half = left.times(0.5);
        let damping = self.damping(s);
        let forward = |from: R, push: &Push<R>, time: R| {
            let each = time * push.inertia.inverse();
            (from + each * push.force) * (R::of(1.0) + each * damping).inverse()
        };
        let first = self.push(at, self.goal(left), s, damping);
        let middle =
            State { angle: at.angle + half * at.speed, speed: forward(at.speed, &first, half) };
        let push = self.push(middle, self.goal(half), s, damping);
        let mean = forward(at.speed, &push, half);
        State { angle: at.angle + left * mean, speed: mean + mean - at.speed }
    }

    /// The state at the end of the step of `length` seconds.
    fn advance(&self, mut at: State<R>, length: f64) -> State<R> {
        let mut left = R::of(length);
        for _ in 0..TURNS {
            let mut s = at.speed.value().signum();
            if at.speed.value() == 0.0 {
                let Some((direction, rest)) = self.breakaway(at.angle, left) else { return at };
                s = direction;
                left = rest;
            }
            let next = self.slip(at, s, left);
            if s * next.speed.value() >= 0.0 {
                return next;
            }
            if at.speed.value() == 0.0 {
                // Breakaway was found, and the shaft does not move that way: it is at the limit of what holds it.
                return at;
            }
            // The speed falls evenly over a step; it is 0 at this share of it.
            let stops = left * at.speed * (at.speed - next.speed).inverse();
            at.angle = at.angle + (at.speed * stops).times(0.5);
            at.speed = R::of(0.0);
            left = left - stops;
        }
        at
    }

    /// The direction in which a shaft at rest breaks away within the last `left` seconds, and what is left of them then.
    fn breakaway(&self, angle: R, left: R) -> Option<(f64, R)> {
        let over = |left: R, s: f64| {
            let torques = self.at_rest(angle, left);
            (torques.motor + torques.external).times(s) - self.joint.gear.hold(s, &torques)
        };
        let side = |left: R| {
            let torques = self.at_rest(angle, left);
            (torques.motor + torques.external).value().signum()
        };
        let s = side(left);
        if over(left, s).value() > 0.0 {
            return Some((s, left));
        }
        let s = side(R::of(0.0));
        let before = over(left, s);
        let after = over(R::of(0.0), s);
        if after.value() <= 0.0 {
            return None;
        }
        Some((s, left * after * (after - before).inverse()))
    }
}

/// The angle at each row of the log from a start (rad, rad/s) on, written to `angles`.
pub fn replay<R: Real>(joint: &Joint<R>, log: &Log, start: [R; 2], angles: &mut Vec<R>) {
    angles.clear();
    let [angle, speed] = start;
    let mut at = State { angle, speed };
    let mut goal = Followed::of(&joint.drive, log);
    let mut followed = R::of(log.goal[0]);
    let per_volt = joint.drive.per_volt();
    let mut anchors = log.anchors.iter().peekable();
    angles.push(at.angle);
    for i in 1..log.time.len() {
        let from = log.time[i - 1];
        let to = log.time[i];
        let steps = ((to - from) / STEP).ceil().max(1.0);
        let length = (to - from) / steps;
        for k in 0..steps as usize {
            let end = from + length * (k + 1) as f64;
            let before = followed;
            let half = 0.5 * length;
            followed = goal.mean(end - half, end + half);
            let step = Step {
                joint,
                load: &log.load,
                vertical: joint.vertical[log.mounting],
                per_volt,
                // Supply and switch are read where they act: they have no delay.
                supply: log.supply.get(i - 1).copied().unwrap_or(1.0),
                gain: log.gain,
                enabled: log.enabled.get(i - 1).copied().unwrap_or(true),
                goal: followed,
                goal_speed: (followed - before).times(1.0 / length),
            };
            at = step.advance(at, length);
        }
        angles.push(at.angle);
        if let Some(anchor) = anchors.next_if(|a| a.row == i) {
            let [angle, speed] = anchor.state;
            at = State { angle: R::of(angle), speed: R::of(speed) };
        }
    }
}

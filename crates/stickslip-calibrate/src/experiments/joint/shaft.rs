//! One step of the motion of a joint whose motor and arm are one shaft.
//!
//! In a step the shaft sticks, or slips one way; where it comes to rest or breaks away within a step, the instant is located and
//! the rest of the step goes on from there, so that the motion, and with it the derivative, is continuous in every number. A step
//! of slip is a midpoint rule of second order whose linear damping, the counter-voltage included, is implicit: no value of an
//! unknown makes it unstable by damping. Rest is exact: a shaft that sticks keeps its angle to the last bit.

use super::Joint;
use super::drive::Order;
use super::dual::Real;
use super::gear::{Load, Push, Torques};
use stickslip::portable;

/// Sticks and slips within one step before the step is taken as it is.
const TURNS: usize = 6;

/// Angle and speed of the shaft.
#[derive(Debug, Clone, Copy)]
pub struct ShaftState<R> {
    /// rad.
    pub angle: R,
    /// rad/s; exactly 0 at rest.
    pub speed: R,
}

/// One step: how the goal moves in it, and what does not change.
#[derive(Clone, Copy)]
pub struct ShaftStep<'a, R> {
    pub joint: &'a Joint<R>,
    pub load: &'a Load,
    /// θ₀.
    pub vertical: R,
    pub per_volt: R,
    /// k²/R while the motor is on.
    pub braking: R,
    /// The duty that is held until the next tick, where there is one.
    pub held: Option<R>,
    /// Supply, gain and switch.
    pub supply: f64,
    pub gain: f64,
    pub enabled: bool,
    /// r at the end of the step, and how fast it moves, rad/s.
    pub goal: R,
    pub goal_speed: R,
}

impl ShaftStep<'_, f64> {
    /// What the motor gives, N·m, at its own speed (rad/s), where angle and speed are measured to be `at`.
    pub fn torque(&self, at: ShaftState<f64>, motor: f64) -> f64 {
        let driven = self.driven(at.angle, at.speed, self.goal);
        if self.enabled { driven - self.braking * motor } else { driven }
    }
}

impl<R: Real> ShaftStep<'_, R> {
    /// r, `left` seconds before the end of the step.
    pub fn goal(&self, left: R) -> R {
        self.goal - self.goal_speed * left
    }

    /// The torque of gravity.
    #[inline]
    pub fn external(&self, angle: R) -> R {
        let from = angle - self.vertical;
        let (sin, cos) = portable::sin_cos(from.value());
        from.map(sin, cos).times(-self.load.gravity)
    }

    /// The torque of the motor without its counter-voltage.
    #[inline]
    pub fn driven(&self, angle: R, speed: R, goal: R) -> R {
        if !self.enabled {
            return R::of(0.0);
        }
        // Between ticks the duty stands, whatever the angle does meanwhile; a controller without ticks answers at once.
        let duty = self.held.unwrap_or_else(|| {
            let order = Order { goal, gain: self.gain };
            self.joint.drive.duty(&order, angle, speed)
        });
        self.per_volt * duty.times(self.supply)
    }

    /// Torques at rest.
    pub fn at_rest(&self, angle: R, left: R) -> Torques<R> {
        let motor = self.driven(angle, R::of(0.0), self.goal(left));
        Torques { motor, external: self.external(angle) }
    }

    /// N·m for each rad/s, in direction `s`.
    #[inline]
    pub fn damping(&self, s: f64) -> R {
        let viscous = self.joint.gear.way(s).viscous;
        if self.enabled { viscous + self.braking } else { viscous }
    }

    /// What moves the shaft in direction `s`, the damping left out.
    #[inline]
    pub fn push(&self, at: ShaftState<R>, goal: R, s: f64, damping: R) -> Push<R> {
        let driven = self.driven(at.angle, at.speed, goal);
        let external = self.external(at.angle);
        let gear = &self.joint.gear;
        let motor = if self.enabled && !gear.way(s).motor.is_off() {
            // The friction of the motor's torque counts the counter-voltage; the sum of forces has it in the damping.
            driven - self.braking * at.speed
        } else {
            driven
        };
        let pushed =
            gear.push(self.load, s, at.speed, &Torques { motor, external }, damping * at.speed);
        Push { force: pushed.force + driven - motor, inertia: pushed.inertia }
    }

    /// Slip in direction `s` over the last `left` seconds of the step.
    fn slip(&self, at: ShaftState<R>, s: f64, left: R) -> ShaftState<R> {
        self.slip_for(at, s, left, left)
    }

    /// Slip in direction `s` over `time`, which begins `left` seconds before the end of the step.
    pub fn slip_for(&self, at: ShaftState<R>, s: f64, left: R, time: R) -> ShaftState<R> {
        let half = time.times(0.5);
        let damping = self.damping(s);
        let forward = |from: R, push: &Push<R>, time: R| {
            let each = time * push.inertia.inverse();
            (from + each * push.force) * (R::of(1.0) + each * damping).inverse()
        };
        let first = self.push(at, self.goal(left), s, damping);
        let middle = ShaftState {
            angle: at.angle + half * at.speed,
            speed: forward(at.speed, &first, half),
        };
        let push = self.push(middle, self.goal(left - half), s, damping);
        // The speed in the middle, from the forces in the middle. Twice it less the speed at the beginning is the speed
        // at the end: that keeps the second order while the damping stays implicit.
        let mean = forward(at.speed, &push, half);
        ShaftState { angle: at.angle + time * mean, speed: mean + mean - at.speed }
    }

    /// The state at the end of the step of `length` seconds.
    pub fn advance(&self, mut at: ShaftState<R>, length: f64) -> ShaftState<R> {
        let mut left = R::of(length);
        for _ in 0..TURNS {
            let mut s = at.speed.value().signum();
            if at.speed.value() == 0.0 {
                // A shaft that is held forgets its speed: what breaks away later does so from rest, whatever it began with.
                at.speed = R::of(0.0);
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
    pub fn breakaway(&self, angle: R, left: R) -> Option<(f64, R)> {
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
        // It is held at first. If the push at the end is more than what holds it, it breaks away where the excess, taken
        // as straight in time, is 0: an instant that moves smoothly with every number.
        let before = over(left, s);
        let after = over(R::of(0.0), s);
        if after.value() <= 0.0 {
            return None;
        }
        Some((s, left * after * (after - before).inverse()))
    }
}

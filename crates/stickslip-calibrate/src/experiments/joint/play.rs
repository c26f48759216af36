//! The motion of a joint whose gear has a backlash: two bodies that push one another at either flank of a gap, or fly apart.
//!
//! ```text
//! φ motor and gear, θ arm, both at the shaft:                      |φ − θ| ≤ b/2
//! flight:  Jₐ φ̈ = τₘ − friction(φ̇),      J_L θ̈ = τₑ
//! flank:   φ − θ = ± b/2,  (Jₐ + J_L) θ̈ = τₘ + τₑ − friction(θ̇),      as long as ± T ≥ 0,  T = J_L θ̈ − τₑ
//! blow:    θ̇⁺ = φ̇⁺ = (Jₐ φ̇ + J_L θ̇)/(Jₐ + J_L)
//! ```
//!
//! The whole friction is at the motor, where a gear with a high ratio has it. The arm leaves a flank when the torque T that is handed
//! on would have to pull, and after a blow the two go on together: greased teeth do not bounce. The controller follows the side
//! that the encoder sees. Friction that grows with the torque of gravity grows with it in flight as well: without that there would
//! be two motions, or none, where T passes through 0. Friction that grows with T itself would act in a blow like an impulse, on which
//! nothing is known: the two together are refused.
//!
//! A log does not say on which flank the arm lies at first. It is taken to lie on the one to which gravity presses it; without
//! gravity, and where a piece of a log begins, on the one to which T of a joint without backlash presses it; and in the middle of
//! the gap where neither does.
//!
//! Blows, stops and breakaways are located within a step, so that the motion and its derivatives are continuous in every number. Where an
//! arm leaves a flank both sides have the same acceleration, and nothing depends on the instant to first order.

use super::dual::Real;
use super::gear::{Gear, Torques};
use super::shaft::{ShaftState, ShaftStep};

/// Flights, sticks and slips within one step before the rest of it is done without a gap.
const TURNS: usize = 24;
/// A part of a flight is at most this share of a step: a flight lasts some steps, over which the width of the gap grows like the third
/// power of the time, and the backlash is known as well as that width.
const PART: f64 = 0.25;
/// A blow at less than this, rad/s, is no event that could be located.
const GRAZES: f64 = 1e-9;

/// Angles, rad, that differ by less are the same.
const ROUNDING: f64 = 1e-13;

/// How motor and arm stand to one another.
#[derive(Debug, Clone, Copy)]
pub struct Play<R> {
    /// 1 where the motor can push the arm forwards, −1 backwards, 0 in flight.
    flank: f64,
    /// φ − θ, rad.
    gap: R,
    /// Of the side that the encoder does not see, rad/s.
    speed: R,
}

/// Both sides in flight.
#[derive(Clone, Copy)]
struct Two<R> {
    motor: ShaftState<R>,
    arm: ShaftState<R>,
}

/// Both sides at the end of a part of the flight, and how long it lasts.
struct Flown<R> {
    end: Two<R>,
    time: R,
}

/// A blow: at which flank, after what time.
struct Blow<R> {
    flank: f64,
    time: R,
}

impl Play<f64> {
    /// Everything that changes.
    pub fn numbers(self) -> [f64; 3] {
        [self.flank, self.gap, self.speed]
    }

    /// The same from these numbers; `None` where it has not begun.
    pub fn of_numbers([flank, gap, speed]: [f64; 3]) -> Option<Self> {
        (!flank.is_nan()).then_some(Self { flank, gap, speed })
    }
}

impl<R: Real> Play<R> {
    /// Whether a gear has a backlash. One of 0 has no derivative: the time of flight grows with its root.
    pub fn is_in(gear: &Gear<R>) -> bool {
        gear.backlash.value() > 0.0
    }

    /// The flank on which the arm lies at the beginning of a step of `length` seconds, of a log or (`moving`) within one.
    pub fn begins(step: &ShaftStep<'_, R>, at: ShaftState<R>, length: f64, moving: bool) -> Self {
        let weight = -step.external(at.angle);
        let handed_on = match at.speed.value() {
            speed if speed != 0.0 && (moving || weight.value() == 0.0) => {
                handed_on(step, at, speed.signum(), R::of(length))
            }
            _ => weight,
        };
        let flank = match handed_on.value() {
            0.0 => 0.0,
            torque => torque.signum(),
        };
        Self { flank, gap: step.joint.gear.backlash.times(0.5 * flank), speed: at.speed }
    }

    /// The speed of the motor, where it is not the one that is measured.
    pub fn motor(&self, gear: &Gear<R>) -> Option<R> {
        (self.flank == 0.0 && !gear.encoder_at_motor).then_some(self.speed)
    }

    /// The side that the encoder sees at the end of the step of `length` seconds.
    pub fn advance(
        &mut self,
        step: &ShaftStep<'_, R>,
        mut at: ShaftState<R>,
        length: f64,
    ) -> ShaftState<R> {
        let mut left = R::of(length);
        for _ in 0..TURNS {
            if left.value() <= 0.0 {
                return at;
            }
            (at, left) = match self.flank {
                0.0 => self.in_flight(step, at, left, R::of(PART * length)),
                _ => self.at_flank(step, at, left),
            };
        }
        // More events than any motion has: a contact that opens and closes within the rounding of its torque.
        if self.flank == 0.0 {
            let flank = if self.gap.value() < 0.0 { -1.0 } else { 1.0 };
            at = self.meet(step, &self.both(step, at), flank);
        }
        self.engaged(step).advance(at, left.value())
    }

    /// The step as that of one shaft: seen from the motor the load hangs half a backlash further on.
    fn engaged<'a>(&self, step: &ShaftStep<'a, R>) -> ShaftStep<'a, R> {
        match step.joint.gear.encoder_at_motor {
            true => ShaftStep { vertical: step.vertical + self.gap, ..*step },
            false => *step,
        }
    }

    /// Goes on while the arm lies on a flank, as far as one stick or slip lasts. Returns what is left of the step.
    fn at_flank(
        &mut self,
        step: &ShaftStep<'_, R>,
        mut at: ShaftState<R>,
        mut left: R,
    ) -> (ShaftState<R>, R) {
        let one = self.engaged(step);
        let leaves = |torque: R| torque.value() * self.flank < 0.0;
        let mut s = at.speed.value().signum();
        if at.speed.value() == 0.0 {
            at.speed = R::of(0.0);
            let breaks = one.breakaway(at.angle, left);
            // A shaft that is held hands on the weight alone, and the arm falls off a flank to which its weight does not
            // press it. One that breaks away at once hands on what the push says, below.
            let waits = breaks.is_none_or(|(_, rest)| rest.value() < left.value());
            if waits && leaves(-one.external(at.angle)) {
                return (self.leave(at), left);
            }
            let Some((direction, rest)) = breaks else { return (at, R::of(0.0)) };
            s = direction;
            left = rest;
        }
        let first = handed_on(&one, at, s, left);
        if leaves(first) {
            return (self.leave(at), left);
        }
        let mut time = left;
        let mut next = one.slip_for(at, s, left, left);
        if s * next.speed.value() < 0.0 {
            if at.speed.value() == 0.0 {
                // It is at the limit of what holds it.
                return (at, R::of(0.0));
            }
            (next, time) = stopped(at, next, left);
        }
        let last = handed_on(&one, next, s, left - time);
        if leaves(last) {
            // Where T, taken as straight in time, is 0. No better instant is needed: both sides have the same
            // acceleration there.
            time = time * first * (first - last).inverse();
            next = one.slip_for(at, s, left, time);
            next = self.leave(next);
        }
        (next, left - time)
    }

    /// The arm leaves its flank.
    fn leave(&mut self, at: ShaftState<R>) -> ShaftState<R> {
        self.flank = 0.0;
        self.speed = at.speed;
        at
    }

    /// Motor and arm in flight, one of which is measured.
    fn both(&self, step: &ShaftStep<'_, R>, at: ShaftState<R>) -> Two<R> {
        let other = |angle| ShaftState { angle, speed: self.speed };
        match step.joint.gear.encoder_at_motor {
            true => Two { motor: at, arm: other(at.angle - self.gap) },
            false => Two { motor: other(at.angle + self.gap), arm: at },
        }
    }

    /// The two meet at a flank and go on together.
    fn meet(&mut self, step: &ShaftStep<'_, R>, two: &Two<R>, flank: f64) -> ShaftState<R> {
        let gear = &step.joint.gear;
        let load = step.load.inertia;
        // The momentum stays: a blow is so short that neither gravity nor friction counts in it.
        let momentum = gear.armature * two.motor.speed + two.arm.speed.times(load);
        let speed = momentum * (gear.armature + R::of(load)).inverse();
        self.flank = flank;
        self.gap = gear.backlash.times(0.5 * flank);
        self.speed = speed;
        ShaftState { angle: two.seen(step).angle, speed }
    }

    /// Goes on in flight for `part`, or as far as one stick or slip of the motor lasts. Returns what is left of the step.
    fn in_flight(
        &mut self,
        step: &ShaftStep<'_, R>,
        at: ShaftState<R>,
        left: R,
        part: R,
    ) -> (ShaftState<R>, R) {
        let mut two = self.both(step, at);
        let mut left = left;
        let mut part = if part.value() < left.value() { part } else { left };
        let mut s = two.motor.speed.value().signum();
        if two.motor.speed.value() == 0.0 {
            two.motor.speed = R::of(0.0);
            let breaks = two.breakaway(step, left, part);
            let waits = breaks.map_or(part, |(_, waits)| waits);
            if waits.value() > 0.0 {
                let flown = two.stuck(step, waits);
                if let Some(blow) = self.blow(step, &two, &flown) {
                    let end = two.stuck(step, blow.time).end;
                    return (self.meet(step, &end, blow.flank), left - blow.time);
                }
                two = flown.end;
                (left, part) = (left - waits, part - waits);
            }
            let seen = self.go_on(step, &two);
            let Some((direction, _)) = breaks else { return (seen, left) };
            s = direction;
        }
        let flown = two.slipping(step, s, left, part);
        if let Some(blow) = self.blow(step, &two, &flown) {
            let end = two.slip(step, s, left, blow.time);
            return (self.meet(step, &end, blow.flank), left - blow.time);
        }
        (self.go_on(step, &flown.end), left - flown.time)
    }

    /// Still in flight.
    fn go_on(&mut self, step: &ShaftStep<'_, R>, two: &Two<R>) -> ShaftState<R> {
        self.gap = two.motor.angle - two.arm.angle;
        let at_motor = step.joint.gear.encoder_at_motor;
        self.speed = if at_motor { two.arm.speed } else { two.motor.speed };
        two.seen(step)
    }

    /// The first blow in a part of the flight, the gap a parabola in time: through its width and its speed at the beginning, and its
    /// width at the end.
    fn blow(&self, step: &ShaftStep<'_, R>, two: &Two<R>, flown: &Flown<R>) -> Option<Blow<R>> {
        let half = step.joint.gear.backlash.times(0.5);
        let time = flown.time;
        let speed = two.motor.speed - two.arm.speed;
        let end = flown.end.motor.angle - flown.end.arm.angle;
        let each = time.inverse();
        let bend = (end - self.gap - speed * time) * each * each;
        let at = |flank: f64| {
            let [c, b, a] = [self.gap.times(flank) - half, speed.times(flank), bend.times(flank)];
            let [c0, b0, a0] = [c, b, a].map(R::value);
            // Not a number where the parabola does not reach the flank: every comparison with it is then false. The root
            // in the form −2c/(b + √…) neither cancels nor divides by a bend that may be 0.
            let root = (b0 * b0 - 4.0 * a0 * c0).sqrt();
            // Outwards through the flank; two that have just parted are at it and do not come nearer.
            let after = (-2.0 * c0 / (b0 + root)).max(0.0);
            let parted = c0.abs() < ROUNDING && b0 <= 0.0;
            if !parted && b0 + root > 0.0 && after <= time.value() {
                // The value is known; its derivatives follow from the width at that instant by the speed at which the
                // gap closes there.
                let over = c + (b + a.times(after)).times(after);
                let closes = if root > GRAZES { 1.0 / root } else { 0.0 };
                return Some(Blow { flank, time: R::of(after) + over.map(0.0, -closes) });
            }
            // Through the flank without a speed to tell when: they have hardly parted.
            let beyond = end.value() * flank - half.value() > ROUNDING;
            beyond.then_some(Blow { flank, time })
        };
        match (at(1.0), at(-1.0)) {
            (Some(a), Some(b)) if b.time.value() < a.time.value() => Some(b),
            (None, b) => b,
            (a, _) => a,
        }
    }
}

impl<R: Real> Two<R> {
    /// The side that the encoder sees.
    fn seen(&self, step: &ShaftStep<'_, R>) -> ShaftState<R> {
        if step.joint.gear.encoder_at_motor { self.motor } else { self.arm }
    }

    /// The motor's torque without its counter-voltage, and that of gravity, `left` seconds before the end of the step.
    fn torques(&self, step: &ShaftStep<'_, R>, left: R) -> Torques<R> {
        let seen = self.seen(step);
        let motor = step.driven(seen.angle, seen.speed, step.goal(left));
        Torques { motor, external: step.external(self.arm.angle) }
    }

    /// The arm falls freely.
    fn fall(&self, step: &ShaftStep<'_, R>, time: R) -> ShaftState<R> {
        let arm = self.arm;
        let half = time.times(0.5);
        let push = step.external(arm.angle + half * arm.speed).times(1.0 / step.load.inertia);
        let mean = arm.speed + half * push;
        ShaftState { angle: arm.angle + time * mean, speed: mean + mean - arm.speed }
    }

    /// The motor sticks, the arm falls.
    fn stuck(&self, step: &ShaftStep<'_, R>, time: R) -> Flown<R> {
        Flown { end: Self { arm: self.fall(step, time), ..*self }, time }
    }

    /// The direction in which a motor at rest breaks away within `part`, which begins `left` seconds before the end of the step, and
    /// after how long.
    fn breakaway(&self, step: &ShaftStep<'_, R>, left: R, part: R) -> Option<(f64, R)> {
        let over = |two: &Self, left: R, s: Option<f64>| {
            let torques = two.torques(step, left);
            let s = s.unwrap_or(torques.motor.value().signum());
            (s, torques.motor.times(s) - step.joint.gear.hold(s, &torques))
        };
        let (s, before) = over(self, left, None);
        if before.value() > 0.0 {
            return Some((s, R::of(0.0)));
        }
        let (s, after) = over(&self.stuck(step, part).end, left - part, None);
        if after.value() <= 0.0 {
            return None;
        }
        let (_, before) = over(self, left, Some(s));
        Some((s, part * before * (before - after).inverse()))
    }

    /// What moves the motor in direction `s`, the damping left out, N·m.
    fn push(&self, step: &ShaftStep<'_, R>, s: f64, left: R, damping: R) -> R {
        let torques = self.torques(step, left);
        let gear = &step.joint.gear;
        let speed = self.motor.speed;
        let counter = match step.enabled && !gear.way(s).motor.is_off() {
            true => step.braking * speed,
            false => R::of(0.0),
        };
        let with = Torques { motor: torques.motor - counter, ..torques };
        let pushed = gear.push(step.load, s, speed, &with, damping * speed);
        pushed.force + counter - torques.external
    }

    /// The motor slips in direction `s` over `time`, which begins `left` seconds before the end of the step; the arm falls.
    fn slip(&self, step: &ShaftStep<'_, R>, s: f64, left: R, time: R) -> Self {
        let half = time.times(0.5);
        let damping = step.damping(s);
        let inertia = step.joint.gear.armature.inverse();
        let each = half * inertia;
        let forward =
            |push: R| (self.motor.speed + each * push) * (R::of(1.0) + each * damping).inverse();
        let first = forward(self.push(step, s, left, damping));
        let motor = ShaftState { angle: self.motor.angle + half * self.motor.speed, speed: first };
        let middle = Self { motor, arm: self.fall(step, half) };
        let mean = forward(middle.push(step, s, left - half, damping));
        let motor = ShaftState {
            angle: self.motor.angle + time * mean,
            speed: mean + mean - self.motor.speed,
        };
        Self { motor, arm: self.fall(step, time) }
    }

    /// The motor slips in direction `s` for `part`, which begins `left` seconds before the end of the step, or until it stops.
    fn slipping(&self, step: &ShaftStep<'_, R>, s: f64, left: R, part: R) -> Flown<R> {
        let end = self.slip(step, s, left, part);
        if s * end.motor.speed.value() >= 0.0 {
            return Flown { end, time: part };
        }
        if self.motor.speed.value() == 0.0 {
            // It is at the limit of what holds it.
            return self.stuck(step, part);
        }
        let (motor, time) = stopped(self.motor, end.motor, part);
        Flown { end: Self { motor, arm: self.fall(step, time) }, time }
    }
}

/// A side that turns round within `left` seconds stops: where, and when. Its speed falls evenly.
fn stopped<R: Real>(at: ShaftState<R>, next: ShaftState<R>, left: R) -> (ShaftState<R>, R) {
    let time = left * at.speed * (at.speed - next.speed).inverse();
    let angle = at.angle + (at.speed * time).times(0.5);
    (ShaftState { angle, speed: R::of(0.0) }, time)
}

/// T, which one shaft that slips in direction `s` hands on to the load, `left` seconds before the end of the step.
fn handed_on<R: Real>(step: &ShaftStep<'_, R>, at: ShaftState<R>, s: f64, left: R) -> R {
    let damping = step.damping(s);
    let push = step.push(at, step.goal(left), s, damping);
    let acceleration = (push.force - damping * at.speed) * push.inertia.inverse();
    acceleration.times(step.load.inertia) - step.external(at.angle)
}

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
/// Times that differ by less, s, are the same.
const SAME: f64 = 1e-9;
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
    /// k²/R while the motor is on.
    braking: R,
    /// The duty that is held until the next tick, where there is one.
    held: Option<R>,
    /// Supply, gain and switch.
    supply: f64,
    gain: f64,
    enabled: bool,
    /// r at the end of the step, and how fast it moves, rad/s.
    goal: R,
    goal_speed: R,
}

impl Step<'_, f64> {
    /// What the motor gives, N·m.
    fn torque(&self, at: State<f64>) -> f64 {
        let driven = self.driven(at.angle, at.speed, self.goal);
        if self.enabled { driven - self.braking * at.speed } else { driven }
    }
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
        let duty = self.held.unwrap_or_else(|| {
            let order = Order { goal, gain: self.gain };
            self.joint.drive.duty(&order, angle, speed)
        });
        self.per_volt * duty.times(self.supply)
    }

    /// Torques at rest.
    fn at_rest(&self, angle: R, left: R) -> Torques<R> {
        let motor = self.driven(angle, R::of(0.0), self.goal(left));
        Torques { motor, external: self.external(angle) }
    }

    /// N·m for each rad/s, in direction `s`.
    #[inline]
    fn damping(&self, s: f64) -> R {
        let viscous = self.joint.gear.way(s).viscous;
        if self.enabled { viscous + self.braking } else { viscous }
    }

    /// What moves the shaft in direction `s`, the damping left out.
    #[inline]
    fn push(&self, at: State<R>, goal: R, s: f64, damping: R) -> Push<R> {
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

/// What a servo is told from one row to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Told {
    /// Times of the two rows, s.
    pub time: [f64; 2],
    /// Goals at the two rows, rad; straight between them.
    pub goal: [f64; 2],
    /// V; 1 where the gain is in V/rad.
    pub supply: f64,
    /// Whether the motor is on.
    pub enabled: bool,
}

impl Told {
    /// What a log says between row `i − 1` and row `i`. Supply and switch are read where they act: they have no delay.
    fn of(log: &Log, i: usize) -> Self {
        Self {
            time: [log.time[i - 1], log.time[i]],
            goal: [log.goal[i - 1], log.goal[i]],
            supply: log.supply.get(i - 1).copied().unwrap_or(1.0),
            enabled: log.enabled.get(i - 1).copied().unwrap_or(true),
        }
    }
}

/// What the joint of a log moves, and by what its goals are multiplied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rig {
    /// The load.
    pub load: Load,
    /// Which mounting of a load it is, below [`super::MOUNTINGS`].
    pub mounting: usize,
    /// The log's own factor of the gain.
    pub gain: f64,
}

impl Rig {
    fn of(log: &Log) -> Self {
        Self { load: log.load, mounting: log.mounting, gain: log.gain }
    }
}

/// A joint in motion.
#[derive(Debug, Clone)]
pub struct Running<R = f64> {
    joint: Joint<R>,
    rig: Rig,
    per_volt: R,
    braking: R,
    goal: Followed<R>,
    followed: R,
    /// The duty of the last tick.
    held: Option<R>,
    /// Ticks that are over.
    ticks: u64,
    /// Where the shaft is.
    pub at: State<R>,
}

impl<R: Real> Running<R> {
    /// A joint whose controller has had the goal `goal`, rad, for long.
    pub fn of(joint: Joint<R>, rig: Rig, goal: f64, at: State<R>) -> Self {
        Self::following(joint, rig, Followed::resting(goal), at)
    }

    fn following(joint: Joint<R>, rig: Rig, goal: Followed<R>, at: State<R>) -> Self {
        let followed = goal.begins();
        let per_volt = joint.drive.per_volt();
        let braking = joint.drive.braking();
        Self { joint, rig, per_volt, braking, goal, followed, held: None, ticks: 0, at }
    }

    /// Goes on to the next row. What was told before goes on where this begins.
    pub fn hear(&mut self, told: &Told) {
        self.goal.hear(&self.joint.drive, told.time, told.goal);
        self.advance(told, |_, _| {});
    }

    /// Goes on to the next row with goals that are known already; `look` sees the end of each step.
    fn advance(&mut self, told: &Told, mut look: impl FnMut(&Step<'_, R>, State<R>)) {
        let [mut from, to] = told.time;
        let tick = self.joint.drive.tick;
        while from < to {
            let mut end = to;
            if tick > 0.0 {
                self.hold(from + SAME);
                end = to.min(self.ticks as f64 * tick);
            }
            self.go(told, [from, end], &mut look);
            from = end;
        }
    }

    /// Computes the duty anew where the time of the next tick has come.
    fn hold(&mut self, now: f64) {
        if self.ticks as f64 * self.joint.drive.tick > now {
            return;
        }
        let order = Order { goal: self.followed, gain: self.rig.gain };
        self.held = Some(self.joint.drive.duty(&order, self.at.angle, self.at.speed));
        // Not the same tick again, where the time is so large that the quotient is rounded below it.
        self.ticks = ((now / self.joint.drive.tick) as u64).max(self.ticks) + 1;
    }

    /// Goes on from one time to another, between which no tick is.
    fn go(
        &mut self,
        told: &Told,
        [from, to]: [f64; 2],
        look: &mut impl FnMut(&Step<'_, R>, State<R>),
    ) {
        let steps = ((to - from) / STEP).ceil().max(1.0);
        let length = (to - from) / steps;
        for k in 0..steps as usize {
            let end = from + length * (k + 1) as f64;
            let before = self.followed;
            let half = 0.5 * length;
            self.followed = self.goal.mean(end - half, end + half);
            let step = Step {
                joint: &self.joint,
                load: &self.rig.load,
                vertical: self.joint.vertical[self.rig.mounting],
                per_volt: self.per_volt,
                braking: self.braking,
                held: self.held,
                supply: told.supply,
                gain: self.rig.gain,
                enabled: told.enabled,
                goal: self.followed,
                goal_speed: (self.followed - before).times(1.0 / length),
            };
            self.at = step.advance(self.at, length);
            look(&step, self.at);
        }
    }
}

impl Running {
    /// Everything that changes as it goes on; a duty that is not held is not a number.
    pub fn numbers(&self) -> Vec<f64> {
        let State { angle, speed } = self.at;
        let held = self.held.unwrap_or(f64::NAN);
        let mut all = vec![angle, speed, self.followed, held, self.ticks as f64];
        all.extend(self.goal.numbers());
        all
    }

    /// Puts back what [`numbers`](Self::numbers) has given; nothing where the numbers are no such.
    pub fn put_back(&mut self, numbers: &[f64]) -> Option<()> {
        let ([angle, speed, followed, held, ticks], goal) = numbers.split_first_chunk::<5>()?;
        self.goal = Followed::of_numbers(goal)?;
        self.at = State { angle: *angle, speed: *speed };
        self.followed = *followed;
        self.held = Some(*held).filter(|duty| !duty.is_nan());
        self.ticks = *ticks as u64;
        Some(())
    }
}

/// The largest values of a motion.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Largest {
    /// Torque of the motor at the shaft, N·m.
    pub torque: f64,
    /// rad/s.
    pub speed: f64,
    /// Angle, rad.
    pub angle: f64,
}

/// The angle at each row of the log from its own start on, written to `angles`, and the largest values at the ends of all steps.
pub fn replay_largest(joint: &Joint, log: &Log, angles: &mut Vec<f64>) -> Largest {
    let mut largest = Largest::default();
    follow(joint, log, log.start, angles, |step, at| {
        largest.torque = largest.torque.max(step.torque(at).abs());
        largest.speed = largest.speed.max(at.speed.abs());
        largest.angle = largest.angle.max(at.angle.abs());
    });
    largest
}

/// The angle at each row of the log from a start (rad, rad/s) on, written to `angles`.
pub fn replay<R: Real>(joint: &Joint<R>, log: &Log, start: [R; 2], angles: &mut Vec<R>) {
    follow(joint, log, start, angles, |_, _| {});
}

fn follow<R: Real>(
    joint: &Joint<R>,
    log: &Log,
    [angle, speed]: [R; 2],
    angles: &mut Vec<R>,
    mut look: impl FnMut(&Step<'_, R>, State<R>),
) {
    angles.clear();
    let goal = Followed::of(&joint.drive, log);
    let mut running = Running::following(*joint, Rig::of(log), goal, State { angle, speed });
    let mut anchors = log.anchors.iter().peekable();
    angles.push(angle);
    for i in 1..log.time.len() {
        running.advance(&Told::of(log, i), &mut look);
        angles.push(running.at.angle);
        if let Some(anchor) = anchors.next_if(|a| a.row == i) {
            let [angle, speed] = anchor.state;
            running.at = State { angle: R::of(angle), speed: R::of(speed) };
        }
    }
}

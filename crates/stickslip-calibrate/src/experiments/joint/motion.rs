//! The motion of a joint over a log, with its derivatives.
//!
//! Between two rows of the log the time is cut into equal steps; what is done in a step stands in `shaft`, in `play` where
//! the gear has a backlash, and in `bristle` where it yields before it slips.

use super::Joint;
use super::bristle::Bristle;
use super::drive::Order;
use super::dual::Real;
use super::gear::Load;
use super::goal::Followed;
use super::logs::Log;
use super::play::Play;
use super::shaft::ShaftStep;

pub use super::shaft::ShaftState;

/// The longest step, s. Halved, the angles of the tests change by less than a tenth of an encoder's step. Where there is a backlash it is
/// half of that: a motor alone is lighter than with its arm, and the logs tell a backlash to a hundredth of such a step. So it is where
/// the gear yields, for it does so within few steps.
pub const STEP: f64 = 2.6e-3;
/// Times that differ by less, s, are the same.
const SAME: f64 = 1e-9;

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
    /// How motor and arm stand to one another where the gear has a backlash; `None` before the first step.
    play: Option<Play<R>>,
    /// How the bristle is bent where the gear has one; `None` before the first step.
    bristle: Option<Bristle<R>>,
    /// Whether the motion began anew within a log.
    anchored: bool,
    /// Where the side is that the encoder sees.
    pub at: ShaftState<R>,
}

impl<R: Real> Running<R> {
    /// A joint whose controller has had the goal `goal`, rad, for long.
    pub fn of(joint: Joint<R>, rig: Rig, goal: f64, at: ShaftState<R>) -> Self {
        Self::following(joint, rig, Followed::resting(goal), at)
    }

    fn following(joint: Joint<R>, rig: Rig, goal: Followed<R>, at: ShaftState<R>) -> Self {
        let followed = goal.begins();
        let per_volt = joint.drive.per_volt();
        let braking = joint.drive.braking();
        Self {
            joint,
            rig,
            per_volt,
            braking,
            goal,
            followed,
            held: None,
            ticks: 0,
            play: None,
            bristle: None,
            anchored: false,
            at,
        }
    }

    /// Goes on to the next row. What was told before goes on where this begins.
    pub fn hear(&mut self, told: &Told) {
        self.goal.hear(&self.joint.drive, told.time, told.goal);
        self.advance(told, |_, _, _| {});
    }

    /// Goes on to the next row with goals that are known already; `look` sees the end of each step, with the speed of the motor.
    fn advance(&mut self, told: &Told, mut look: impl FnMut(&ShaftStep<'_, R>, ShaftState<R>, R)) {
        let [mut from, to] = told.time;
        let tick = self.joint.drive.tick;
        while from < to {
            let mut end = to;
            if tick > 0.0 {
                // Rows are often recorded at the ticks. Rounding may put such a tick just behind its row, and without
                // this margin a piece of 10⁻¹⁷ s would follow with the old duty.
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
        look: &mut impl FnMut(&ShaftStep<'_, R>, ShaftState<R>, R),
    ) {
        let gear = &self.joint.gear;
        let is_halved = Play::is_in(gear) || Bristle::is_in(gear);
        let longest = if is_halved { 0.5 * STEP } else { STEP };
        let steps = ((to - from) / longest).ceil().max(1.0);
        let length = (to - from) / steps;
        for k in 0..steps as usize {
            let end = from + length * (k + 1) as f64;
            let before = self.followed;
            let half = 0.5 * length;
            // The goal of a step runs straight from the mean around its beginning to the mean around its end: a mean has
            // no corner in the delay, a value at an instant has one at every row (see `goal`).
            self.followed = self.goal.mean(end - half, end + half);
            let step = ShaftStep {
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
            let mut motor = None;
            if Play::is_in(&self.joint.gear) {
                let moving = self.anchored;
                let play =
                    self.play.get_or_insert_with(|| Play::begins(&step, self.at, length, moving));
                self.at = play.advance(&step, self.at, length);
                motor = play.motor(&self.joint.gear);
            } else if Bristle::is_in(&self.joint.gear) {
                let bristle =
                    self.bristle.get_or_insert_with(|| Bristle::begins(&step, self.at, length));
                self.at = bristle.advance(&step, self.at, length);
            } else {
                self.at = step.advance(self.at, length);
            }
            look(&step, self.at, motor.unwrap_or(self.at.speed));
        }
    }
}

impl Running {
    /// Everything that changes as it goes on; a duty that is not held, and a play or a bristle that has not begun, is not a number.
    pub fn numbers(&self) -> Vec<f64> {
        let ShaftState { angle, speed } = self.at;
        let held = self.held.unwrap_or(f64::NAN);
        let mut all = vec![angle, speed, self.followed, held, self.ticks as f64];
        all.extend(self.play.map_or([f64::NAN; 3], Play::numbers));
        all.push(self.bristle.map_or(f64::NAN, |bristle| bristle.torque));
        all.extend(self.goal.numbers());
        all
    }

    /// Puts back what [`numbers`](Self::numbers) has given; nothing where the numbers are no such.
    pub fn put_back(&mut self, numbers: &[f64]) -> Option<()> {
        let ([angle, speed, followed, held, ticks], rest) = numbers.split_first_chunk::<5>()?;
        let (play, rest) = rest.split_first_chunk::<3>()?;
        let ([torque], goal) = rest.split_first_chunk::<1>()?;
        self.goal = Followed::of_numbers(goal)?;
        self.at = ShaftState { angle: *angle, speed: *speed };
        self.followed = *followed;
        self.held = Some(*held).filter(|duty| !duty.is_nan());
        self.ticks = *ticks as u64;
        self.play = Play::of_numbers(*play);
        self.bristle = (!torque.is_nan()).then_some(Bristle { torque: *torque });
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
    follow(joint, log, log.start, angles, |step, at, motor| {
        // The counter-voltage is that of the motor, which turns at a speed of its own while the teeth of a backlash are
        // apart.
        largest.torque = largest.torque.max(step.torque(at, motor).abs());
        largest.speed = largest.speed.max(at.speed.abs());
        largest.angle = largest.angle.max(at.angle.abs());
    });
    largest
}

/// The angle at each row of the log from a start (rad, rad/s) on, written to `angles`.
pub fn replay<R: Real>(joint: &Joint<R>, log: &Log, start: [R; 2], angles: &mut Vec<R>) {
    follow(joint, log, start, angles, |_, _, _| {});
}

fn follow<R: Real>(
    joint: &Joint<R>,
    log: &Log,
    [angle, speed]: [R; 2],
    angles: &mut Vec<R>,
    mut look: impl FnMut(&ShaftStep<'_, R>, ShaftState<R>, R),
) {
    angles.clear();
    let goal = Followed::of(&joint.drive, log);
    let mut running = Running::following(*joint, Rig::of(log), goal, ShaftState { angle, speed });
    let mut anchors = log.anchors.iter().peekable();
    angles.push(angle);
    for i in 1..log.time.len() {
        running.advance(&Told::of(log, i), &mut look);
        angles.push(running.at.angle);
        // The angle of the row itself is still that of the motion that led to it, so every row is compared with a
        // prediction. Only what follows starts from what was measured.
        if let Some(anchor) = anchors.next_if(|a| a.row == i) {
            let [angle, speed] = anchor.state;
            running.at = ShaftState { angle: R::of(angle), speed: R::of(speed) };
            // What was measured does not say on which flank the arm lies, nor how a bristle is bent; `Play::begins` and
            // `Bristle::begins` decide again.
            running.play = None;
            running.bristle = None;
            running.anchored = true;
        }
    }
}

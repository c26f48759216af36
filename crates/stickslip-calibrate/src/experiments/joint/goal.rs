//! The goal that the controller follows: that of the log after the delay, with its speed limited.
//!
//! The goal is straight between rows, so what follows it is straight between corners: rows after the delay, and instants at which
//! it meets the goal. The corners are known exactly, with their derivatives. The motion takes means over its steps: a value at one instant would
//! have a corner in the delay wherever a row passes that instant, in all logs at once where rows are even, and a search would
//! end in it; a mean has none.

use super::drive::Drive;
use super::dual::Real;
use super::logs::Log;

/// Corners that lie behind are given up when there are more of them.
const KEPT: usize = 4096;

/// From a corner on the goal changes evenly.
#[derive(Debug, Clone, Copy)]
struct Corner<R> {
    /// s.
    time: R,
    /// rad.
    goal: R,
    /// rad/s.
    slope: R,
}

/// The goal as the controller follows it.
#[derive(Debug, Clone)]
pub struct Followed<R> {
    corners: Vec<Corner<R>>,
    /// The corner before the last time that was asked for.
    at: usize,
    /// Where it is when the last goal that was told has been delayed, rad.
    reached: R,
}

impl<R: Real> Followed<R> {
    /// A goal that has not moved for long.
    pub fn resting(goal: f64) -> Self {
        let reached = R::of(goal);
        let mut made = Self { corners: Vec::new(), at: 0, reached };
        made.push(R::of(f64::NEG_INFINITY), reached, R::of(0.0));
        made
    }

    /// That of a log. Before the first row, after the delay, it is that of the first row.
    pub fn of(drive: &Drive<R>, log: &Log) -> Self {
        let mut made = Self::resting(log.goal[0]);
        made.corners.reserve(2 * log.time.len());
        for (times, goals) in log.time.windows(2).zip(log.goal.windows(2)) {
            made.hear(drive, [times[0], times[1]], [goals[0], goals[1]]);
        }
        let end = R::of(log.time[log.time.len() - 1]) + drive.delay;
        made.push(end, made.reached, R::of(0.0));
        made
    }

    /// Everything that changes as it goes on: the number of the corner, where it ends, and the corners.
    pub fn numbers(&self) -> Vec<f64> {
        let mut all = vec![self.at as f64, self.reached.value()];
        let corners = self.corners.iter();
        all.extend(corners.flat_map(|c| [c.time, c.goal, c.slope].map(|r| r.value())));
        all
    }

    /// The same from these numbers; nothing where they are not such.
    pub fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let ([at, reached], corners) = numbers.split_first_chunk::<2>()?;
        let (corners, []) = corners.as_chunks::<3>() else { return None };
        let of = |[time, goal, slope]: [f64; 3]| Corner {
            time: R::of(time),
            goal: R::of(goal),
            slope: R::of(slope),
        };
        let at = *at as usize;
        let is_one = at < corners.len();
        let corners = corners.iter().map(|c| of(*c)).collect();
        is_one.then_some(Self { corners, at, reached: R::of(*reached) })
    }

    /// Where it begins, rad.
    pub fn begins(&self) -> R {
        self.corners[0].goal
    }

    /// Goes on by what is told from one row to the next.
    pub fn hear(&mut self, drive: &Drive<R>, [from, to]: [f64; 2], goals: [f64; 2]) {
        if self.at > KEPT {
            self.corners.drain(..self.at);
            self.at = 0;
        }
        let asked = Asked { goals, length: to - from };
        self.reached = self.follow(drive, &asked, R::of(from) + drive.delay, self.reached);
    }

    fn push(&mut self, time: R, goal: R, slope: R) {
        self.corners.push(Corner { time, goal, slope });
    }

    /// Follows the goal from one row to the next, from `time` on; returns where it ends.
    fn follow(&mut self, drive: &Drive<R>, asked: &Asked, time: R, goal: R) -> R {
        let Asked { goals, length } = *asked;
        let slope = (goals[1] - goals[0]) / length;
        let fastest = drive.speed_limit;
        let keeps_up = slope.abs() <= fastest.value();
        let gap = R::of(goals[0]) - goal;
        // Without a limit the controller follows a jump at once.
        if keeps_up && (gap.value() == 0.0 || fastest.value() == f64::INFINITY) {
            self.push(time, R::of(goals[0]), R::of(slope));
            return R::of(goals[1]);
        }
        // On the goal, which runs faster than the limit allows, the goal says the direction; away from it the gap does.
        let towards = if gap.value() == 0.0 { slope.signum() } else { gap.value().signum() };
        let moves = fastest.times(towards);
        self.push(time, goal, moves);
        // The gap closes at this rate; it does where what follows is the faster one.
        let closes = fastest - R::of(towards * slope);
        let meets = gap.abs() * closes.inverse();
        if closes.value() <= 0.0 || meets.value() >= length || gap.value() == 0.0 {
            return goal + moves.times(length);
        }
        let met = goal + moves * meets;
        if keeps_up {
            self.push(time + meets, met, R::of(slope));
            return R::of(goals[1]);
        }
        // The goal runs away to the other side.
        self.push(time + meets, met, -moves);
        met - moves * (R::of(length) - meets)
    }

    /// The mean over the time from `from` to `to`; times do not fall from call to call.
    pub fn mean(&mut self, from: f64, to: f64) -> R {
        while self.corners.get(self.at + 1).is_some_and(|c| c.time.value() <= from) {
            self.at += 1;
        }
        let mut corner = self.corners[self.at];
        let mut begins = R::of(from);
        let mut area = R::of(0.0);
        for next in &self.corners[self.at + 1..] {
            if next.time.value() >= to {
                break;
            }
            area = area + corner.area(begins, next.time);
            begins = next.time;
            corner = *next;
        }
        area = area + corner.area(begins, R::of(to));
        area.times(1.0 / (to - from))
    }
}

/// What a log asks for between two rows.
#[derive(Clone, Copy)]
struct Asked {
    /// rad.
    goals: [f64; 2],
    /// s.
    length: f64,
}

impl<R: Real> Corner<R> {
    /// ∫ of the goal, with the slope of this corner.
    fn area(&self, from: R, to: R) -> R {
        let length = to - from;
        // The first corner lies at −∞, and −∞ times a slope of 0 is not a number.
        if self.slope.is_off() {
            return self.goal * length;
        }
        let middle = (from + to).times(0.5) - self.time;
        (self.goal + self.slope * middle) * length
    }
}

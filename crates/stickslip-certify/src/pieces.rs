//! A signal of straight pieces and harmonics with the slopes that its numbers mean: pieces that meet lead straight from knot
//! to knot, whatever the rounding of their rates.

use super::ball::Ball;
use super::curve::{Curve, ORDERS, Wave};
use super::functions::sin_cos;
use stickslip::signal::Signal;

/// value + rate·(t − time) from `time` on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub time: f64,
    pub value: Ball,
    pub rate: Ball,
}

impl Line {
    /// The value at `t`; exactly at its beginning, and where it is constant.
    pub fn at(&self, t: Ball) -> Ball {
        if t == Ball::from(self.time) || self.rate == Ball::ZERO {
            return self.value;
        }
        self.value + self.rate * (t - Ball::from(self.time))
    }
}

/// The pieces of a signal without functions of users.
#[derive(Debug, Clone)]
pub(super) struct Pieces<'a> {
    pub signal: &'a Signal,
    pub lines: Vec<Line>,
    jumps: Vec<(f64, f64)>,
}

impl<'a> Pieces<'a> {
    pub fn new(signal: &'a Signal) -> Self {
        let knots = signal.knots();
        let jumps = signal.jumps();
        let lines = knots.iter().enumerate().map(|(i, k)| {
            let [time, value] = [k.time, k.value].map(Ball::from);
            let meets = knots.get(i + 1).filter(|n| !jumps.iter().any(|j| j.0 == n.time));
            let rate = match meets {
                Some(next) if next.value == k.value => Ball::ZERO,
                Some(next) => (Ball::from(next.value) - value) / (Ball::from(next.time) - time),
                None => Ball::from(k.rate),
            };
            Line { time: k.time, value, rate }
        });
        Self { signal, lines: lines.collect(), jumps }
    }

    /// The straight piece that holds at `look` (s).
    pub fn line(&self, look: f64) -> &Line {
        &self.lines[self.signal.piece(look)]
    }

    /// The value at `t` on the piece that holds at `look` (s).
    pub fn at(&self, t: Ball, look: f64) -> Ball {
        let line = self.line(look).at(t);
        self.signal.harmonics().iter().fold(line, |sum, h| {
            let [a, w, phase] = [h.amplitude, h.angular_frequency, h.phase].map(Ball::from);
            sum + a * sin_cos(w * t + phase).1
        })
    }

    /// `factor` times the signal as a curve from `origin` on, on the piece that holds at `look` (s).
    pub fn curve(&self, factor: Ball, origin: Ball, look: f64) -> Curve {
        let line = self.line(look);
        let cubic = [factor * line.at(origin), factor * line.rate, Ball::ZERO, Ball::ZERO];
        let wave = |h| factor_wave(factor, h);
        let waves = self.signal.harmonics().iter().map(wave).collect();
        Curve { origin, cubic, waves, spread: [0.0; ORDERS] }
    }

    /// The greatest (`side` = 1) or least (−1) value of what swings on the piece that holds at `look` (s), or the value at the knot that
    /// the straight piece leads to, as a sum of two doubles, if it is one.
    pub fn extreme(&self, look: f64, side: f64) -> Option<[f64; 2]> {
        let piece = self.signal.piece(look);
        let knots = self.signal.knots();
        let line = &self.lines[piece];
        match self.signal.harmonics() {
            [] => knots.get(piece + 1).filter(|k| !self.jumps(k.time)).map(|k| [k.value, 0.0]),
            [h] if line.rate == Ball::ZERO => Some([knots[piece].value, side * h.amplitude.abs()]),
            _ => None,
        }
    }

    /// The value at `t`, a knot of a signal of straight pieces or the beginning of one that swings, as a sum of two doubles.
    pub fn exactly(&self, t: f64) -> Option<[f64; 2]> {
        let piece = self.signal.piece(t);
        let knot = self.signal.knots()[piece];
        let line = &self.lines[piece];
        match self.signal.harmonics() {
            [] if knot.time == t => Some([knot.value, 0.0]),
            [h] if line.rate == Ball::ZERO && t == 0.0 && h.phase == 0.0 => {
                Some([knot.value, h.amplitude])
            }
            _ => None,
        }
    }

    /// Whether the signal does not change on the piece that holds at `look` (s).
    pub fn is_constant(&self, look: f64) -> bool {
        self.line(look).rate == Ball::ZERO && self.signal.harmonics().is_empty()
    }

    /// Whether a straight piece begins at `t`.
    pub fn is_knot(&self, t: f64) -> bool {
        let piece = self.signal.piece(t);
        piece > 0 && self.lines[piece].time == t
    }

    /// Whether the signal jumps at `t`.
    pub fn jumps(&self, t: f64) -> bool {
        self.jumps.iter().any(|j| j.0 == t)
    }

    /// Whether nothing has a knot inside an arc from `from` (s, at the latest) to `end`, which was looked at from `start` on.
    pub fn is_smooth(&self, from: f64, [start, end]: [f64; 2]) -> bool {
        is_smooth(self.signal, from, [start, end])
    }
}

fn factor_wave(factor: Ball, h: &stickslip::signal::Harmonic) -> Wave {
    Wave::of_harmonic(h, [factor * Ball::from(h.amplitude), Ball::ZERO])
}

/// Whether `s` has no knot inside an arc from `from` (s, at the latest) to `end`, which was looked at from `start` on.
pub(super) fn is_smooth(s: &Signal, from: f64, [start, end]: [f64; 2]) -> bool {
    let piece = s.piece(start);
    (piece == 0 || s.knots()[piece].time <= from) && s.next_breakpoint(start) >= end
}

//! A support that moves: its way and its velocity with proved errors.
//!
//! The motion is followed as seen from the support, y = x − ∫ v_s: there it is that of a mass on a fixed ground under the load
//! K d + f − m v̇_s − c v_s − K ∫ v_s.

use super::ball::Ball;
use super::curve::{Curve, Wave};
use super::pieces::{Line, Pieces};
use super::slip::{Medium, refused};
use stickslip::error::Error;
use stickslip::signal::Signal;

/// The support's velocity v_s and its way since t = 0.
#[derive(Debug, Clone)]
pub(super) struct Ground<'a> {
    velocity: Pieces<'a>,
    /// The way at the beginning of each straight piece, m, but for harmonics.
    ways: Vec<Ball>,
    /// Of each harmonic: A/ω, m.
    swings: Vec<Ball>,
    /// −Σ A/ω sin φ, m.
    offset: Ball,
}

/// The way of a support that is at `way` where `line` begins, at `t`.
fn way_at(line: &Line, way: Ball, t: Ball) -> Ball {
    if t == Ball::from(line.time) {
        return way; // exactly
    }
    let s = t - Ball::from(line.time);
    if line.rate == Ball::ZERO {
        return way + line.value * s;
    }
    way + (line.value + (line.rate * s).scaled(0.5)) * s
}

impl<'a> Ground<'a> {
    /// Of a support with this velocity.
    pub fn new(signal: &'a Signal) -> Result<Self, Error> {
        let velocity = Pieces::new(signal);
        let mut ways: Vec<Ball> = Vec::with_capacity(velocity.lines.len());
        for (i, line) in velocity.lines.iter().enumerate() {
            ways.push(match ways.last() {
                Some(before) => way_at(&velocity.lines[i - 1], *before, Ball::from(line.time)),
                None if line.time == 0.0 => Ball::ZERO,
                None => -way_at(line, Ball::ZERO, Ball::ZERO),
            });
        }
        let first = signal.piece(0.0);
        let at_first = way_at(&velocity.lines[first], ways[first], Ball::ZERO);
        if first > 0 {
            ways.iter_mut().for_each(|w| *w = *w - at_first);
        }
        let swing = |h: &stickslip::signal::Harmonic| {
            Ball::from(h.amplitude) / Ball::from(h.angular_frequency)
        };
        let swings: Vec<Ball> = signal.harmonics().iter().map(swing).collect();
        if !swings.iter().all(|w| w.size() < f64::INFINITY) {
            return Err(refused("the support swings with a frequency that is almost zero"));
        }
        let offset = signal.harmonics().iter().zip(&swings).fold(Ball::ZERO, |sum, (h, a)| {
            sum - *a * super::functions::sin_cos(Ball::from(h.phase)).0
        });
        Ok(Self { velocity, ways, swings, offset })
    }

    /// Way (m) and velocity (m/s) at `t` on the piece that holds at `look` (s).
    pub fn at(&self, t: Ball, look: f64) -> [Ball; 2] {
        let i = self.velocity.signal.piece(look);
        let line = &self.velocity.lines[i];
        let [mut way, mut velocity] = [way_at(line, self.ways[i], t), line.at(t)];
        if self.swings.is_empty() {
            return [way, velocity];
        }
        way = way + self.offset;
        for (h, a) in self.velocity.signal.harmonics().iter().zip(&self.swings) {
            let angle = Ball::from(h.angular_frequency) * t + Ball::from(h.phase);
            let (sin, cos) = super::functions::sin_cos(angle);
            way = way + *a * sin;
            velocity = velocity + Ball::from(h.amplitude) * cos;
        }
        [way, velocity]
    }

    /// By how much the velocity jumps at `t`, m/s: the pieces on both sides there.
    pub fn jump(&self, t: f64) -> Option<Ball> {
        if !self.velocity.jumps(t) {
            return None;
        }
        let after = self.velocity.signal.piece(t);
        let [before, after] =
            [after.checked_sub(1)?, after].map(|i| self.velocity.lines[i].at(Ball::from(t)));
        Some(after - before)
    }

    /// Adds −m v̇_s − c v_s − K ∫ v_s to `load`, on the piece that holds at `look`.
    pub fn add_to(&self, load: &mut Curve, medium: &Medium, look: f64) {
        let i = self.velocity.signal.piece(look);
        let line = &self.velocity.lines[i];
        let [way, velocity] = [way_at(line, self.ways[i], load.origin), line.at(load.origin)];
        let c = medium.damping;
        let k = medium.stiffness;
        let m = Ball::from(medium.mass);
        let cubic = &mut load.cubic;
        cubic[0] = cubic[0] - m * line.rate - c * velocity - k * (way + self.offset);
        cubic[1] = cubic[1] - c * line.rate - k * velocity;
        cubic[2] = cubic[2] - (k * line.rate).scaled(0.5);
        for (h, a) in self.velocity.signal.harmonics().iter().zip(&self.swings) {
            let [amplitude, w] = [h.amplitude, h.angular_frequency].map(Ball::from);
            load.waves.push(Wave::of_harmonic(h, [-(c * amplitude), *a * (m * w * w - k)]));
        }
    }
}

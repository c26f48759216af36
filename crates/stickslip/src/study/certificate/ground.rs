//! A support that moves: its way and its velocity with proved errors.
//!
//! The motion is followed as seen from the support, y = x − ∫ v_s: there it is that of a mass on a fixed ground under the load
//! K d + f − m v̇_s − c v_s − K ∫ v_s.

use super::ball::Ball;
use super::curve::{Curve, Wave};
use super::slip::{Medium, refused};
use crate::error::Error;
use crate::signal::Signal;

/// The support's velocity v_s and its way since t = 0.
#[derive(Debug, Clone)]
pub(super) struct Ground<'a> {
    signal: &'a Signal,
    pieces: Vec<Piece>,
    /// Of each harmonic: A/ω, m.
    ways: Vec<Ball>,
    /// −Σ A/ω sin φ, m.
    offset: Ball,
    jumps: Vec<(f64, f64)>,
}

/// v_s = value + rate·(t − time) from `time` on, but for harmonics, and the way there.
#[derive(Debug, Clone, Copy)]
struct Piece {
    time: f64,
    way: Ball,
    value: Ball,
    rate: Ball,
}

impl Piece {
    /// Way and velocity at `t`.
    fn at(&self, t: Ball) -> [Ball; 2] {
        if t == Ball::from(self.time) {
            return [self.way, self.value]; // exactly
        }
        let s = t - Ball::from(self.time);
        if self.rate == Ball::ZERO {
            return [self.way + self.value * s, self.value];
        }
        let grown = self.rate * s;
        [self.way + (self.value + grown.scaled(0.5)) * s, self.value + grown]
    }
}

impl<'a> Ground<'a> {
    /// Of a support with this velocity.
    pub fn new(signal: &'a Signal) -> Result<Self, Error> {
        let (knots, jumps) = (signal.knots(), signal.jumps());
        let mut pieces: Vec<Piece> = Vec::with_capacity(knots.len());
        for (i, k) in knots.iter().enumerate() {
            let [time, value] = [k.time, k.value].map(Ball::from);
            // Pieces that meet are straight lines from knot to knot: their rates are rounded.
            let meets = knots.get(i + 1).filter(|n| !jumps.iter().any(|j| j.0 == n.time));
            let rate = match meets {
                Some(next) if next.value == k.value => Ball::ZERO,
                Some(next) => (Ball::from(next.value) - value) / (Ball::from(next.time) - time),
                None => Ball::from(k.rate),
            };
            let mut piece = Piece { time: k.time, way: Ball::ZERO, value, rate };
            piece.way = match pieces.last() {
                Some(before) => before.at(time)[0],
                None if k.time == 0.0 => Ball::ZERO,
                None => -piece.at(Ball::ZERO)[0],
            };
            pieces.push(piece);
        }
        let first = signal.piece(0.0);
        let at_first = pieces[first].at(Ball::ZERO)[0];
        if first > 0 {
            pieces.iter_mut().for_each(|p| p.way = p.way - at_first);
        }
        let way =
            |h: &crate::signal::Harmonic| Ball::from(h.amplitude) / Ball::from(h.angular_frequency);
        let ways: Vec<Ball> = signal.harmonics().iter().map(way).collect();
        if !ways.iter().all(|w| w.size() < f64::INFINITY) {
            return Err(refused("the support swings with a frequency that is almost zero"));
        }
        let offset = signal.harmonics().iter().zip(&ways).fold(Ball::ZERO, |sum, (h, way)| {
            sum - *way * super::functions::sin_cos(Ball::from(h.phase)).0
        });
        Ok(Self { signal, pieces, ways, offset, jumps })
    }

    /// Way (m) and velocity (m/s) at `t` on the piece that holds at `look` (s).
    pub fn at(&self, t: Ball, look: f64) -> [Ball; 2] {
        let [mut way, mut velocity] = self.pieces[self.signal.piece(look)].at(t);
        if self.ways.is_empty() {
            return [way, velocity];
        }
        way = way + self.offset;
        for (h, a) in self.signal.harmonics().iter().zip(&self.ways) {
            let angle = Ball::from(h.angular_frequency) * t + Ball::from(h.phase);
            let (sin, cos) = super::functions::sin_cos(angle);
            way = way + *a * sin;
            velocity = velocity + Ball::from(h.amplitude) * cos;
        }
        [way, velocity]
    }

    /// By how much the velocity jumps at `t`, m/s: the pieces on both sides there.
    pub fn jump(&self, t: f64) -> Option<Ball> {
        self.jumps.iter().find(|j| j.0 == t)?;
        let after = self.signal.piece(t);
        let [before, after] =
            [after.checked_sub(1)?, after].map(|i| self.pieces[i].at(Ball::from(t))[1]);
        Some(after - before)
    }

    /// Adds −m v̇_s − c v_s − K ∫ v_s to `load`, on the piece that holds at `look`.
    pub fn add_to(&self, load: &mut Curve, medium: &Medium, look: f64) {
        let piece = self.pieces[self.signal.piece(look)];
        let [way, velocity] = piece.at(load.origin);
        let (c, k) = (medium.damping, medium.stiffness);
        let m = Ball::from(medium.mass);
        let cubic = &mut load.cubic;
        cubic[0] = cubic[0] - m * piece.rate - c * velocity - k * (way + self.offset);
        cubic[1] = cubic[1] - c * piece.rate - k * velocity;
        cubic[2] = cubic[2] - (k * piece.rate).scaled(0.5);
        for (h, a) in self.signal.harmonics().iter().zip(&self.ways) {
            let [amplitude, w] = [h.amplitude, h.angular_frequency].map(Ball::from);
            load.waves.push(Wave::of_harmonic(h, [-(c * amplitude), *a * (m * w * w - k)]));
        }
    }
}

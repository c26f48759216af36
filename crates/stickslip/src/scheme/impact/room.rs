//! The room between the walls: one frame per wall, in which that wall is at rest at zero.
//!
//! A bounce of height 1e-17 m above a wall at 1 m cannot be told from zero in x, but it can in
//! y = x − a(t), which obeys the same equation with another load:
//!
//! ```text
//! m ÿ + c ẏ + K y = q(t),      q = f − m ä − c ȧ − K a
//! ```

use crate::model::{Impact, Wall};
use crate::motion::Medium;
use crate::motion::{State, wall_state};
use crate::signal::Signal;
use std::sync::Arc;

/// What a wall that is given in pieces jumps or turns by, relative to its size, without doing so: the pieces carry the
/// rounding errors of who gives them.
const CONTINUOUS: f64 = 1e-12;

/// The motion as one wall sees it.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub wall: Wall,
    /// a(t), m.
    pub position: Arc<Signal>,
    /// q(t), N.
    pub load: Arc<Signal>,
    pub medium: Arc<Medium>,
    /// For each wall of the room, its frame's y minus this one's: a − a_other. `None`: this wall.
    pub shifts: Vec<Option<Signal>>,
    /// Affine pieces of `position` and `load` in use.
    pub position_piece: usize,
    pub load_piece: usize,
}

/// Where the mass is, in the frame of one wall.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relative {
    /// Index of the frame.
    pub frame: usize,
    /// y, m.
    pub y: f64,
    /// ẏ, m/s.
    pub v: f64,
}

#[derive(Debug, Clone)]
pub(super) struct Room {
    /// One or two.
    pub frames: Vec<Frame>,
    /// Times at which some load or wall is not smooth, s.
    breaks: Vec<f64>,
    next_break: usize,
}

impl Room {
    pub fn new(model: &Impact) -> Self {
        let walls: Vec<(Wall, &Signal)> =
            Wall::ALL.iter().filter_map(|&w| Some((w, model.wall(w)?))).collect();
        let mut breaks: Vec<f64> = walls
            .iter()
            .map(|w| w.1)
            .chain([&model.force])
            .flat_map(|s| s.knots()[1..].iter().map(|k| k.time))
            // A break at 0 or before is read from its right by then.
            .filter(|&t| t > 0.0)
            .collect();
        breaks.sort_unstable_by(f64::total_cmp);
        breaks.dedup();
        let frame = |&(wall, position): &(Wall, &Signal)| {
            let m = model.mass;
            let c = model.damping;
            let k = model.stiffness;
            let first = position.differentiated();
            let second = first.differentiated();
            // In the frame of a wall that accelerates the mass feels its own inertia, and damper and spring pull at the wall's motion.
            let pulls = -m * second + -c * first + -k * position.clone();
            let load = model.force.clone() + pulls;
            let shift = |&(other, at): &(Wall, &Signal)| {
                (other != wall).then(|| position.clone() + -1.0 * at.clone())
            };
            Frame {
                wall,
                medium: Arc::new(Medium::new(m, c, k, load.harmonics())),
                position_piece: position.piece(0.0),
                load_piece: load.piece(0.0),
                load: Arc::new(load),
                shifts: walls.iter().map(shift).collect(),
                position: Arc::new(position.clone()),
            }
        };
        Self { frames: walls.iter().map(frame).collect(), breaks, next_break: 0 }
    }

    /// The next time after `t` at which something is not smooth, s (+∞ for none).
    pub(crate) fn smooth_until(&mut self, t: f64) -> f64 {
        while self.breaks.get(self.next_break).is_some_and(|&b| b <= t) {
            self.next_break += 1;
        }
        self.breaks.get(self.next_break).copied().unwrap_or(f64::INFINITY)
    }

    /// The mass at (x, v), in the frame whose wall is nearest.
    pub fn enter(&self, t: f64, state: State) -> Relative {
        let relative = |frame: usize| {
            let a = self.wall_state(frame, t);
            Relative { frame, y: state.x - a.x, v: state.v - a.v }
        };
        let first = relative(0);
        let last = relative(self.frames.len() - 1);
        // The nearest wall's frame has the most digits for the bounce that comes first.
        let mut near = if last.y.abs() < first.y.abs() { last } else { first };
        let size = self.frames[near.frame].position.piece_at(t).scale(t);
        if near.y.abs() <= 4.0 * f64::EPSILON * (state.x.abs() + size) {
            // Set down on the wall: place and wall carry roundings of their own.
            near.y = 0.0;
        }
        near
    }

    /// Position and velocity of a wall at `t`, on its piece in use.
    pub(crate) fn wall_state(&self, frame: usize, t: f64) -> State {
        let f = &self.frames[frame];
        wall_state(&f.position, f.position_piece, t)
    }

    /// The same motion in another frame.
    pub fn change(&self, t: f64, r: Relative, frame: usize) -> Relative {
        if frame == r.frame {
            return r;
        }
        let from = self.wall_state(r.frame, t);
        let to = self.wall_state(frame, t);
        Relative { frame, y: r.y + (from.x - to.x), v: r.v + (from.v - to.v) }
    }

    /// Reads every wall and load to the right of `t`; the mass keeps its place and velocity, so those
    /// relative to a wall that jumps or turns change.
    pub fn cross(&mut self, t: f64, r: Relative) -> Relative {
        let mut out = r;
        for (i, f) in self.frames.iter_mut().enumerate() {
            let left = f.position.knots()[f.position_piece];
            f.position_piece = f.position.piece(t);
            f.load_piece = f.load.piece(t);
            let right = f.position.knots()[f.position_piece];
            if i != r.frame || left == right {
                continue;
            }
            // Only in the frame that the mass is in do its numbers change.
            // What is continuous but for rounding is meant to be continuous.
            let jump = left.at(t) - right.at(t);
            let size = left.value.abs() + left.at(t).abs() + right.value.abs();
            if jump.abs() > 16.0 * f64::EPSILON * size {
                out.y += jump;
            }
            let turn = left.rate - right.rate;
            if turn.abs() > 64.0 * f64::EPSILON * (left.rate.abs() + right.rate.abs()) {
                out.v += turn;
            }
        }
        out
    }

    /// The mass at `r` in the room `before`, whose walls were elsewhere or moved otherwise up to `t`: it keeps its place and
    /// velocity. What is continuous but for rounding is meant to be continuous.
    pub(crate) fn take_over(&mut self, t: f64, before: &Self, r: Relative) -> Relative {
        let mut out = r;
        for (i, f) in self.frames.iter_mut().enumerate() {
            f.position_piece = f.position.piece(t);
            f.load_piece = f.load.piece(t);
            if i != r.frame {
                continue;
            }
            let was = before.wall_state(i, t);
            let is = wall_state(&f.position, f.position_piece, t);
            // The mass keeps its place, so relative to the wall it moves by what the wall does, the other way.
            let jump = was.x - is.x;
            let turn = was.v - is.v;
            let speed = was.v.abs() + is.v.abs();
            if jump.abs() > CONTINUOUS * (f.position.piece_at(t).scale(t) + speed * t) {
                out.y += jump;
            }
            if turn.abs() > CONTINUOUS * speed {
                out.v += turn;
            }
        }
        out
    }

    /// The fastest harmonic of the loads, rad/s.
    pub fn fastest(&self) -> f64 {
        let harmonics = self.frames.iter().flat_map(|f| f.load.harmonics());
        harmonics.map(|h| h.angular_frequency).fold(0.0, f64::max)
    }

    /// The wall that the mass is beyond at `t`, but for rounding, if any.
    pub fn beyond(&self, t: f64, r: Relative) -> Option<Wall> {
        let frames = self.frames.iter().enumerate();
        frames.map(|(i, f)| (i, f.wall)).find_map(|(i, wall)| {
            let there = self.change(t, r, i);
            let rounding = 64.0 * f64::EPSILON * (r.y.abs() + self.wall_state(i, t).x.abs());
            (wall.sign() * there.y < -rounding).then_some(wall)
        })
    }
}

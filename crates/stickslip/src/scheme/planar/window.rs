//! A planar model between two breakpoints of its signals, where everything is smooth.

use super::side::Side;
use crate::model::Planar;
use crate::model::planar::{Cushion, Ellipse, Rim, Square};
use crate::model::planar_times as times;
use crate::signal::Piece;

/// The signals on the pieces that hold at one instant, continued.
#[derive(Debug)]
pub(super) struct Window<'a> {
    pub model: &'a Planar,
    force: [Piece<'a>; 2],
    base: [Piece<'a>; 2],
    support: [Piece<'a>; 2],
    normal: Option<Piece<'a>>,
    /// Whether the surface moves.
    pub moves: bool,
    /// What the rim does throughout; nothing where place and velocity say.
    side: Option<Side>,
}

impl<'a> Window<'a> {
    pub fn new(model: &'a Planar, t: f64) -> Self {
        let of = |s: &'a [crate::signal::Signal; 2]| [s[0].piece_at(t), s[1].piece_at(t)];
        Self {
            model,
            force: of(&model.force),
            base: of(&model.base),
            support: of(&model.support),
            normal: model.normal.as_ref().map(|n| n.piece_at(t)),
            moves: model.support.iter().any(|s| !s.is_zero()),
            side: None,
        }
    }

    /// One in which the rim does this throughout, so that everything is smooth beyond the event that ends it.
    pub fn on(model: &'a Planar, t: f64, side: Side) -> Self {
        Self { side: Some(side), ..Self::new(model, t) }
    }

    /// Whether a mass at `r` (m) is in contact with a rigid rim; in time steps it is a little beyond it then.
    pub fn is_closed(&self, r: [f64; 2]) -> bool {
        match self.side {
            Some(side) => matches!(side, Side::Closed | Side::Bouncing),
            None => self.model.rigid_rim().is_some_and(|(rim, _)| rim.depth(r) > 0.0),
        }
    }

    /// The soft rim where it pushes a mass at `r` (m) with `v` (m/s).
    #[inline]
    pub fn pressing(&self, r: [f64; 2], v: [f64; 2]) -> Option<Cushion> {
        let rim = self.model.cushion()?;
        let presses = self.side.map_or_else(|| rim.presses(r, v), |side| side == Side::Pressed);
        presses.then_some(rim)
    }

    /// What the law is multiplied by: N(t), with the factor by which the coefficient falls with it; 1 where the law's numbers are
    /// forces.
    #[inline]
    pub fn normal(&self, t: f64) -> f64 {
        let Some(normal) = &self.normal else { return 1.0 };
        let n = normal.value(t);
        self.model.pressure.map_or(n, |p| p.presses(n))
    }

    /// v_s(t), m/s.
    #[inline]
    pub fn surface(&self, t: f64) -> [f64; 2] {
        if self.moves { [self.support[0].value(t), self.support[1].value(t)] } else { [0.0; 2] }
    }

    /// F(t) − m a(t), N.
    #[inline]
    pub fn given(&self, t: f64) -> [f64; 2] {
        let m = self.model.mass;
        [0, 1].map(|i| self.force[i].value(t) - m * self.base[i].value(t))
    }

    /// B = F − m a − K r − C ṙ − m v̇_s: what drives the sliding velocity w besides friction, m ẇ = B + R, N.
    #[inline]
    pub fn load(&self, t: f64, r: [f64; 2], w: [f64; 2]) -> [f64; 2] {
        let m = self.model;
        let given = self.given(t);
        let spring = m.restoring(r);
        let plain = |v: [f64; 2]| {
            let damper = times(&m.damping, v);
            let b = [0, 1].map(|i| given[i] - spring[i] - damper[i]);
            let Some(rim) = self.pressing(r, v) else { return b };
            let push = rim.push(r, v);
            let n = Rim::outward(r);
            [0, 1].map(|i| b[i] - push * n[i])
        };
        if !self.moves {
            return plain(w);
        }
        let s = [0, 1].map(|i| self.support[i].derivatives(t));
        // Springs and dampers act on the velocity in space, which is w and that of the surface.
        let b = plain([w[0] + s[0][0], w[1] + s[1][0]]);
        // m ẇ = m v̇ − m v̇_s: in the frame of the surface its acceleration is a load.
        [0, 1].map(|i| b[i] - m.mass * s[i][1])
    }

    /// How the forces of springs, bowl and rim grow with the place, and those of dampers and rim with the velocity, N/m and N·s/m.
    pub fn slopes(&self, r: [f64; 2], v: [f64; 2]) -> [Square; 2] {
        let own = [self.model.tangent(r), self.model.damping];
        let Some(rim) = self.pressing(r, v) else { return own };
        let more = rim.slopes(r, v);
        [0, 1].map(|k| [0, 1].map(|i| [0, 1].map(|j| own[k][i][j] + more[k][i][j])))
    }

    /// The friction at a sliding velocity w ≠ 0, N.
    #[inline]
    pub fn friction(&self, t: f64, w: [f64; 2]) -> [f64; 2] {
        let speed = length(w);
        let f = self.normal(t) * self.model.friction.force(1.0, speed);
        match self.model.ellipse == Ellipse::DISC {
            true => w.map(|w| -f * (w / speed)),
            false => self.model.ellipse.normal(w).map(|n| -f * n),
        }
    }

    /// Where the surface has carried by `t` what was at `r` at `from`.
    pub fn carried(&self, r: [f64; 2], from: f64, t: f64) -> [f64; 2] {
        if !self.moves {
            return r;
        }
        [0, 1].map(|i| r[i] + self.support[i].integral(from, t))
    }

    /// B of a mass that rests since `from`, when it was at `r`, along x and y: value, first and second derivative at `t`, N, N/s,
    /// N/s², and a bound on the third over the piece.
    pub fn load_at_rest(&self, r: [f64; 2], from: f64, t: f64) -> [[f64; 4]; 2] {
        let m = self.model;
        let carried = self.carried(r, from, t);
        // The place, the velocity and the derivatives of it, of what the surface carries, and a bound on the next.
        let motion = [0, 1].map(|i| {
            let [v, a, j, s] = if self.moves { self.support[i].derivatives(t) } else { [0.0; 4] };
            let next = if self.moves { self.support[i].derivative_bound(4) } else { 0.0 };
            let user = if self.moves { self.support[i].third_bound } else { 0.0 };
            ([carried[i], v, a, j, s], [user, next])
        });
        [0, 1].map(|i| {
            let f = self.force[i].derivatives(t);
            let a = self.base[i].derivatives(t);
            let mut out = [0.0; 4];
            for (d, cell) in out.iter_mut().enumerate().take(3) {
                *cell = f[d] - m.mass * (a[d] + motion[i].0[d + 2]);
                for (j, moved) in motion.iter().enumerate() {
                    *cell -= m.stiffness[i][j] * moved.0[d] + m.damping[i][j] * moved.0[d + 1];
                }
            }
            // The third derivative: that of the way is the second of the velocity, and that of the acceleration
            // its fourth.
            out[3] =
                self.force[i].third_bound + m.mass * (self.base[i].third_bound + motion[i].1[1]);
            for (j, moved) in motion.iter().enumerate() {
                let acceleration = self.support[j].derivative_bound(2);
                out[3] += m.stiffness[i][j].abs() * if self.moves { acceleration } else { 0.0 };
                out[3] += m.damping[i][j].abs() * moved.1[0];
            }
            // A bowl stands, so that its force on what rests is constant.
            if let Some(bowl) = m.bowl {
                out[0] -= bowl.secant(carried) * carried[i];
            }
            if let Some(rim) = self.pressing(carried, [0.0; 2]) {
                out[0] -= rim.push(carried, [0.0; 2]) * Rim::outward(carried)[i];
            }
            out
        })
    }

    /// [`normal`](Self::normal) and its first and second derivative.
    pub fn normal_derivatives(&self, t: f64) -> [f64; 3] {
        let Some(normal) = &self.normal else { return [1.0, 0.0, 0.0] };
        let [value, first, second, _] = normal.derivatives(t);
        let plain = [value, first, second];
        self.model.pressure.map_or(plain, |p| p.derivatives(plain))
    }

    /// Bounds on [`normal`](Self::normal) and its first three derivatives over [`from`, `to`], s.
    pub fn largest_normal(&self, from: f64, to: f64) -> [f64; 4] {
        let Some(normal) = &self.normal else { return [1.0, 0.0, 0.0, 0.0] };
        let plain = largest(normal, from, to);
        self.model.pressure.map_or(plain, |p| p.bounds(least(normal, from, to), plain))
    }

    /// Bounds on the magnitude of B at rest and of its first two derivatives over [`from`, `to`] (s), along x and y.
    pub fn largest_at_rest(&self, r: [f64; 2], from: f64, to: f64) -> [[f64; 3]; 2] {
        let m = self.model;
        let surface = [0, 1].map(|i| match self.moves {
            true => largest(&self.support[i], from, to),
            false => [0.0; 4],
        });
        // From one end to the next the surface carries the mass no farther than it moves at its fastest.
        let reach = [0, 1].map(|i| r[i].abs() + (to - from) * surface[i][0]);
        [0, 1].map(|i| {
            let f = largest(&self.force[i], from, to);
            let a = largest(&self.base[i], from, to);
            [0, 1, 2].map(|d| {
                let mut sum = f[d] + m.mass * (a[d] + surface[i][d + 1]);
                for j in 0..2 {
                    let moved = if d == 0 { reach[j] } else { surface[j][d - 1] };
                    sum += m.stiffness[i][j].abs() * moved + m.damping[i][j].abs() * surface[j][d];
                }
                if let (0, Some(bowl)) = (d, m.bowl) {
                    sum += bowl.secant(r) * r[i].abs();
                }
                if let (0, Some(rim)) = (d, self.pressing(r, [0.0; 2])) {
                    sum += rim.push(r, [0.0; 2]).abs();
                }
                sum
            })
        })
    }

    /// The highest angular frequency of the waves, rad/s.
    pub fn fastest(&self) -> f64 {
        self.model.signals().map(crate::signal::Signal::fastest).fold(0.0, f64::max)
    }
}

/// Bounds on a signal and its first three derivatives over [`from`, `to`] (s): a straight line is largest at an end, waves at
/// their crests all at once.
fn largest(signal: &Piece<'_>, from: f64, to: f64) -> [f64; 4] {
    let first = signal.affine.rate.abs() + signal.derivative_bound(1);
    let value = signal.scale(from).max(signal.scale(to));
    // Of a user's function only the value at an instant and bounds on its derivatives are known.
    let of_functions = if signal.functions.terms.is_empty() { 0.0 } else { first * (to - from) };
    [value + of_functions, first, signal.derivative_bound(2), signal.third_bound]
}

/// A bound from below on a normal force, which presses, over [`from`, `to`] (s): a straight line is least at an end, and waves go
/// down by their amplitudes.
fn least(normal: &Piece<'_>, from: f64, to: f64) -> f64 {
    if !normal.functions.terms.is_empty() {
        return 0.0;
    }
    let waves: f64 = normal.harmonics.iter().map(|h| h.amplitude.abs()).sum();
    (normal.affine.at(from).min(normal.affine.at(to)) - waves).max(0.0)
}

/// |u|.
#[inline]
pub(super) fn length(u: [f64; 2]) -> f64 {
    let square = u[0] * u[0] + u[1] * u[1];
    // Where no square can have overflowed or vanished.
    if (1e-280..1e280).contains(&square) {
        return square.sqrt();
    }
    crate::portable::hypot(u[0], u[1])
}

/// u · w.
#[inline]
pub(super) fn dot(u: [f64; 2], w: [f64; 2]) -> f64 {
    u[0] * w[0] + u[1] * w[1]
}

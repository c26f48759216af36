//! The path of a mass between walls.

use super::{Event, Grid, LinearArc, Motion, Path, State, Wall};
use crate::signal::Signal;
use std::fmt;
use std::sync::Arc;

/// Whether the mass touches a wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touching {
    /// Free.
    Flight,
    /// Pressed to a wall (rigid: at rest against it; penalised: inside its spring).
    Contact(Wall),
}

impl Touching {
    /// `flight`, `lower` or `upper`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flight => "flight",
            Self::Contact(wall) => wall.name(),
        }
    }
}

impl fmt::Display for Touching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A motion on closed-form arcs, in the coordinate y = x − a(t) relative to a wall.
#[derive(Debug, Clone)]
pub struct WallArc {
    /// a(t), m.
    pub(crate) wall: Arc<Signal>,
    /// Its affine piece in use.
    pub(crate) piece: usize,
    /// y(t).
    pub(crate) arc: LinearArc,
    /// The spring and dashpot of a penalised wall, if the mass is in it.
    pub(crate) spring: Option<WallSpring>,
}

/// A wall's spring and dashpot: its force on the mass is −κ (y − rest) − γ ẏ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WallSpring {
    /// κ, N/m.
    pub stiffness: f64,
    /// γ, N·s/m.
    pub damping: f64,
    /// y at which the spring is slack, m.
    pub rest: f64,
}

/// A sustained contact with a rigid wall: x = a(t), reaction −q(t).
#[derive(Debug, Clone)]
pub struct PressedArc {
    pub(crate) wall: Arc<Signal>,
    pub(crate) wall_piece: usize,
    /// q(t): the force that would accelerate the mass relative to the wall, N.
    pub(crate) load: Arc<Signal>,
    pub(crate) load_piece: usize,
}

/// States and impulses on an equidistant grid, as `moreau` leaves them.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactGrid {
    /// x_n and v_n at t_n = n h, n = 0 … N.
    pub grid: Grid,
    /// Impulse of the walls on the mass in the step that ends at t_n, N·s.
    pub impulses: Vec<f64>,
}

/// The motion inside a segment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ImpactArc {
    /// Free, or inside a penalised wall.
    Linear(Box<WallArc>),
    /// At rest against a rigid wall.
    Pressed(Box<PressedArc>),
    /// Steps of a time-stepping scheme.
    Steps(Arc<ImpactGrid>),
}

/// The path of a mass between walls.
pub type ImpactPath = Path<ImpactArc>;

/// a and a′ at `t` on one affine piece of a wall.
pub(crate) fn wall_state(wall: &Signal, piece: usize, t: f64) -> State {
    let affine = wall.knots()[piece];
    wall.harmonics().iter().fold(State { x: affine.at(t), v: affine.rate }, |s, h| State {
        x: s.x + h.value(t),
        v: s.v + h.derivative(t),
    })
}

impl WallArc {
    fn state(&self, t: f64) -> State {
        let a = wall_state(&self.wall, self.piece, t);
        let y = self.arc.state(t);
        State { x: a.x + y.x, v: a.v + y.v }
    }

    /// ∫ of the wall's force from the start of the arc over `s` seconds, N·s.
    pub(crate) fn impulse(&self, s: f64) -> f64 {
        let Some(spring) = self.spring else { return 0.0 };
        let travel = self.arc.after(s).x - self.arc.initial().x;
        -spring.stiffness * (self.arc.displacement_integral(s) - spring.rest * s)
            - spring.damping * travel
    }
}

impl Motion for ImpactArc {
    type Phase = Touching;
    type State = State;
    type Event = Event;

    fn state(&self, t: f64) -> State {
        match self {
            Self::Linear(arc) => arc.state(t),
            Self::Pressed(arc) => wall_state(&arc.wall, arc.wall_piece, t),
            Self::Steps(steps) => steps.grid.at(t),
        }
    }

    fn impulse(&self, from: f64, to: f64) -> f64 {
        self.impulse(from, to)
    }
}

impl ImpactArc {
    /// Force of the walls on the mass at `t`, N; impulses of impacts are events, not forces. Of a
    /// time-stepping scheme: the mean over the step.
    pub fn reaction(&self, t: f64) -> f64 {
        match self {
            Self::Linear(arc) => arc.spring.map_or(0.0, |spring| {
                let y = arc.arc.state(t);
                -spring.stiffness * (y.x - spring.rest) - spring.damping * y.v
            }),
            Self::Pressed(arc) => -wall_state(&arc.load, arc.load_piece, t).x,
            Self::Steps(steps) => {
                let h = steps.grid.step;
                let n = ((t / h) as usize + 1).min(steps.impulses.len() - 1);
                steps.impulses[n] / h
            }
        }
    }

    /// Impulse of the walls on the mass from `from` to `to` (s, inside the segment), N·s; impulses of
    /// rigid impacts are events and not in it.
    pub fn impulse(&self, from: f64, to: f64) -> f64 {
        match self {
            Self::Linear(arc) => {
                let start = arc.arc.start();
                arc.impulse(to - start) - arc.impulse(from - start)
            }
            Self::Pressed(arc) => {
                let mut piece = arc.load.piece_at(from);
                piece.affine = arc.load.knots()[arc.load_piece];
                -piece.integral(from, to)
            }
            Self::Steps(steps) => {
                // Each step's impulse belongs to its end.
                let node = |t: f64| (t / steps.grid.step * (1.0 + 4.0 * f64::EPSILON)) as usize;
                let last = node(to).min(steps.impulses.len() - 1);
                steps.impulses.get(node(from) + 1..=last).map_or(0.0, |p| p.iter().sum())
            }
        }
    }
}

impl ImpactPath {
    /// Impulse of the walls on the mass from just after `from` until `to` (s) inclusive, N·s: of
    /// contacts and impacts. Together with the other forces' it makes the change of momentum.
    pub fn impulse(&self, from: f64, to: f64) -> f64 {
        let first = self.index(from);
        let segments = self.segments()[first..].iter().take_while(|s| s.start < to);
        let spread: f64 = segments.map(|s| s.arc.impulse(from.max(s.start), to.min(s.end))).sum();
        let early = self.events().partition_point(|e| e.time <= from);
        let events = self.events()[early..].iter().take_while(|e| e.time <= to);
        spread + events.filter(|e| e.duration == 0.0).map(|e| e.impulse).sum::<f64>()
    }
}

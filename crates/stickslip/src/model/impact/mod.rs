//! One mass between walls (Bastien, Bernardin, Lamarque 2013, §1.3).

mod audit;

pub(crate) use audit::lost_in_segment;

use super::{Initial, Wall};
use crate::error::{Error, require};
use crate::interrupt::Interrupt;
use crate::roots::{GivenUp, Jet, Touch, first_root};
use crate::signal::Signal;

/// `m ẍ + c ẋ + K x = f(t) + reactions`, with a_lower(t) ≤ x ≤ a_upper(t); an impact turns the velocity
/// u relative to the wall into −e u.
#[derive(Debug, Clone, PartialEq)]
pub struct Impact {
    /// m > 0, kg.
    pub mass: f64,
    /// K ≥ 0, N/m: a spring to x = 0.
    pub stiffness: f64,
    /// c ≥ 0, N·s/m.
    pub damping: f64,
    /// f(t), force on the mass, N.
    pub force: Signal,
    /// a_lower(t), m.
    pub lower: Option<Signal>,
    /// a_upper(t), m.
    pub upper: Option<Signal>,
    /// e ∈ [0, 1].
    pub restitution: f64,
    /// State at t = 0.
    pub initial: Initial,
}

impl Impact {
    /// A free mass (kg) above a wall at x = 0, with the given restitution, at rest on the wall.
    pub fn new(mass: f64, restitution: f64) -> Self {
        Self {
            mass,
            stiffness: 0.0,
            damping: 0.0,
            force: Signal::default(),
            lower: Some(Signal::default()),
            upper: None,
            restitution,
            initial: Initial::default(),
        }
    }

    /// With a spring K (N/m) to x = 0 and a damper c (N·s/m).
    pub fn with_spring(self, stiffness: f64, damping: f64) -> Self {
        Self { stiffness, damping, ..self }
    }

    /// With a force f(t) on the mass, N.
    pub fn with_force(self, force: Signal) -> Self {
        Self { force, ..self }
    }

    /// Between these walls (m), at least one of them.
    pub fn between(self, lower: Option<Signal>, upper: Option<Signal>) -> Self {
        Self { lower, upper, ..self }
    }

    /// Starting from `displacement` (m) and `velocity` (m/s) at t = 0.
    pub fn starting_at(self, displacement: f64, velocity: f64) -> Self {
        Self { initial: Initial { displacement, velocity }, ..self }
    }

    /// The position of a wall, m.
    pub fn wall(&self, wall: Wall) -> Option<&Signal> {
        match wall {
            Wall::Lower => self.lower.as_ref(),
            Wall::Upper => self.upper.as_ref(),
        }
    }

    /// Checks every number, and that the start is inside; each `solve` calls it first.
    ///
    /// # Errors
    /// With the first number that is outside its range, and if there is no wall or the mass starts beyond one.
    pub fn check(&self) -> Result<(), Error> {
        let Self { mass: m, stiffness: k, damping: c, restitution: e, .. } = *self;
        require("the mass", m, m > 0.0, "a finite mass > 0 kg")?;
        require("the stiffness", k, k >= 0.0, "a finite stiffness ≥ 0 N/m")?;
        require("the damping", c, c >= 0.0, "a finite damping ≥ 0 N·s/m")?;
        require(
            "the restitution",
            e,
            (0.0..=1.0).contains(&e),
            "a number from 0 (all speed lost) to 1 (none)",
        )?;
        let Initial { displacement: x, velocity } = self.initial;
        require("the initial displacement", x, true, "a finite displacement, m")?;
        require("the initial velocity", velocity, true, "a finite velocity, m/s")?;
        self.force.check("the force")?;
        if self.lower.is_none() && self.upper.is_none() {
            return Err(Error::NoWall);
        }
        for wall in Wall::ALL {
            let Some(signal) = self.wall(wall) else { continue };
            signal.check("the wall")?;
            let at = signal.value(0.0);
            let rounding = 4.0 * f64::EPSILON * (x.abs() + signal.piece_at(0.0).scale(0.0));
            if wall.sign() * (x - at) < -rounding {
                return Err(Error::BeyondWall { x, wall: wall.name(), at });
            }
        }
        Ok(())
    }

    /// [`check`](Self::check), that the signals cover [0, end] (s), and that the walls leave room.
    ///
    /// # Errors
    /// As [`check`](Self::check), and if a signal is too short.
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        self.check()?;
        require("the end of the run", end, end > 0.0, "a finite time > 0 s")?;
        self.force.require_domain("force", 0.0, end)?;
        for signal in self.lower.iter().chain(&self.upper) {
            signal.require_domain("wall", 0.0, end)?;
        }
        match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) => {
                let width = upper.clone() + -1.0 * lower.clone();
                match first_not_positive(&width, end) {
                    Ok(None) => Ok(()),
                    Ok(Some(time)) => Err(Error::WallsMeet { time }),
                    Err(GivenUp) => {
                        Err(Interrupt::of_search(0.0, "the room between the walls".into()))
                    }
                }
            }
            _ => Ok(()),
        }
    }
}

/// The first time in [0, `end`] at which the signal is not positive; `Ok(None)` certifies that it is.
fn first_not_positive(signal: &Signal, end: f64) -> Result<Option<f64>, GivenUp> {
    let mut from = 0.0;
    while from < end {
        let piece = signal.piece_at(from);
        let to = signal.next_breakpoint(from).min(end);
        if piece.derivatives(from)[0] <= 0.0 {
            return Ok(Some(from));
        }
        let root = first_root(from, to, 0.0, Touch::Counts, |t| {
            let [value, first, second, _] = piece.derivatives(t);
            [Jet { value, first, second, third: 0.0, bound: piece.third_bound, growth: 0.0 }]
        })?;
        if let Some(root) = root {
            return Ok(Some(root.at));
        }
        if piece.derivatives(to)[0] <= 0.0 {
            return Ok(Some(to));
        }
        from = to;
    }
    Ok(None)
}

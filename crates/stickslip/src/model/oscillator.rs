//! One mass on a spring, with dry friction (seeds 000 and 001).

use crate::error::{Error, require};
use crate::law::Law;
use crate::signal::Signal;

/// State at t = 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Initial {
    /// x(0), m.
    pub displacement: f64,
    /// ẋ(0), m/s.
    pub velocity: f64,
}

/// `m ẍ + F(ẋ) = K (d(t) − x) − c ẋ + f(t)`, with friction `F`.
#[derive(Debug, Clone, PartialEq)]
pub struct Oscillator {
    /// m > 0, kg.
    pub mass: f64,
    /// K ≥ 0, N/m.
    pub stiffness: f64,
    /// c ≥ 0, N·s/m.
    pub damping: f64,
    /// The friction law.
    pub friction: Law,
    /// d(t), displacement of the spring's far end, m.
    pub drive: Signal,
    /// f(t), force on the mass, N.
    pub force: Signal,
    /// State at t = 0.
    pub initial: Initial,
}

impl Oscillator {
    /// A mass (kg) on a spring (N/m) with the given friction: undamped, undriven, at rest at 0.
    pub fn new(mass: f64, stiffness: f64, friction: Law) -> Self {
        let (drive, force) = (Signal::default(), Signal::default());
        Self { mass, stiffness, damping: 0.0, friction, drive, force, initial: Initial::default() }
    }

    /// With viscous damping c, N·s/m.
    pub fn with_damping(self, damping: f64) -> Self {
        Self { damping, ..self }
    }

    /// With the spring's far end moved by d(t), m.
    pub fn with_drive(self, drive: Signal) -> Self {
        Self { drive, ..self }
    }

    /// With a force f(t) on the mass, N.
    pub fn with_force(self, force: Signal) -> Self {
        Self { force, ..self }
    }

    /// Starting from `displacement` (m) and `velocity` (m/s) at t = 0.
    pub fn starting_at(self, displacement: f64, velocity: f64) -> Self {
        Self { initial: Initial { displacement, velocity }, ..self }
    }

    /// Checks every number; each `solve` calls it first.
    pub fn check(&self) -> Result<(), Error> {
        require("the mass", self.mass, self.mass > 0.0, "a finite mass > 0 kg")?;
        require(
            "the stiffness",
            self.stiffness,
            self.stiffness >= 0.0,
            "a finite stiffness ≥ 0 N/m",
        )?;
        require("the damping", self.damping, self.damping >= 0.0, "a finite damping ≥ 0 N·s/m")?;
        let Initial { displacement, velocity } = self.initial;
        require("the initial displacement", displacement, true, "a finite displacement, m")?;
        require("the initial velocity", velocity, true, "a finite velocity, m/s")?;
        self.drive.check("the drive")?;
        self.force.check("the force")
    }

    /// [`check`](Self::check), and that the signals cover [0, end] (s).
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        self.check()?;
        require("the end of the run", end, end > 0.0, "a finite time > 0 s")?;
        self.drive.require_domain("drive", 0.0, end)?;
        self.force.require_domain("force", 0.0, end)
    }

    /// K d(t) + f(t), N: the part of the load that depends on time alone.
    pub fn load_signal(&self) -> Signal {
        self.stiffness * self.drive.clone() + self.force.clone()
    }

    /// b = K (d − x) − c v + f, N.
    pub fn load(&self, x: f64, v: f64, t: f64) -> f64 {
        self.stiffness * (self.drive.value(t) - x) - self.damping * v + self.force.value(t)
    }

    /// ω = √(K/m), rad/s.
    pub fn natural_frequency(&self) -> f64 {
        (self.stiffness / self.mass).sqrt()
    }
}

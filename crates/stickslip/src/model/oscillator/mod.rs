//! One mass on a spring, with dry friction on a support that may move (Bensoussan et al. 2021; Schatzman, Lamarque, Bastien 1999).

mod audit;
mod effort;
mod forces;
mod stops;

pub use effort::Effort;
pub(crate) use forces::Forces;
pub use forces::{Load, Nonlinear};
pub use stops::{Bumper, Stops};

use super::{Initial, Wall};
use crate::error::{Error, Obstacle, require};
use crate::law::Law;
use crate::motion::{Phase, State};
use crate::numeric::natural_frequency;
use crate::signal::Signal;

/// `m ẍ + F(ẋ − v_s) = K (d(t) − x) − c ẋ + f(t) + …`, with friction `F` against a support of velocity
/// v_s(t); `…` are [`Nonlinear`] forces.
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
    /// v_s(t), velocity of the support that rubs, m/s.
    pub support: Signal,
    /// F_n(t) ≥ 0, normal force, N: then the law's numbers are coefficients (1 = N per N).
    pub normal: Option<Signal>,
    /// Forces that are not linear in x and v.
    pub nonlinear: Nonlinear,
    /// What stands in the way.
    pub stops: Option<Stops>,
    /// State at t = 0.
    pub initial: Initial,
}

impl Oscillator {
    /// A mass (kg) on a spring (N/m) with the given friction: undamped, undriven, at rest at 0.
    pub fn new(mass: f64, stiffness: f64, friction: Law) -> Self {
        Self {
            mass,
            stiffness,
            damping: 0.0,
            friction,
            drive: Signal::default(),
            force: Signal::default(),
            support: Signal::default(),
            normal: None,
            nonlinear: Nonlinear::default(),
            stops: None,
            initial: Initial::default(),
        }
    }

    /// What a gauge beside a bearing of stiffness K_BP (N/m) shows while the mass is at `x` (m):
    /// z = x + K (d − x)/K_BP, m (Bensoussan et al. 2021 §4).
    pub fn bearing_displacement(&self, t: f64, x: f64, bearing_stiffness: f64) -> f64 {
        x + self.stiffness * (self.drive.value(t) - x) / bearing_stiffness
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

    /// Rubbing on a support that moves with velocity v_s(t), m/s.
    pub fn with_support(self, support: Signal) -> Self {
        Self { support, ..self }
    }

    /// Pressed on the support by F_n(t), N: the law's numbers become coefficients.
    pub fn with_normal(self, normal: Signal) -> Self {
        Self { normal: Some(normal), ..self }
    }

    /// With a spring force −(k₁ z + k₂ z² + k₃ z³ + …), z = x − d: k₁ replaces the stiffness.
    pub fn with_polynomial_stiffness(mut self, k: &[f64]) -> Self {
        self.stiffness = k.first().copied().unwrap_or(0.0);
        self.nonlinear.stiffness = k.get(1..).unwrap_or(&[]).to_vec();
        self
    }

    /// With quadratic damping −c₂ v|v|, N·s²/m².
    pub fn with_quadratic_damping(mut self, damping: f64) -> Self {
        self.nonlinear.damping = damping;
        self
    }

    /// With a normal force that depends on the displacement: F_n(t)·max(0, 1 + s x), s in 1/m.
    pub fn with_normal_slope(mut self, slope: f64) -> Self {
        self.nonlinear.normal_slope = slope;
        self
    }

    /// With a further load b(x, v, t), in m, m/s, s and N.
    pub fn with_load(mut self, b: impl Fn(f64, f64, f64) -> f64 + Send + Sync + 'static) -> Self {
        self.nonlinear.load = Some(Load::new(b));
        self
    }

    /// Between stops.
    pub fn with_stops(self, stops: Stops) -> Self {
        Self { stops: Some(stops), ..self }
    }

    /// Starting from `displacement` (m) and `velocity` (m/s) at t = 0.
    pub fn starting_at(self, displacement: f64, velocity: f64) -> Self {
        Self { initial: Initial { displacement, velocity }, ..self }
    }

    /// Checks every number; each `solve` calls it first.
    ///
    /// # Errors
    /// With the first number that is outside its range.
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
        require(
            "the quadratic damping",
            self.nonlinear.damping,
            self.nonlinear.damping >= 0.0,
            "a finite number ≥ 0 N·s²/m²",
        )?;
        let slope = self.nonlinear.normal_slope;
        require("the slope of the normal force", slope, true, "a finite number, 1/m")?;
        for &k in &self.nonlinear.stiffness {
            require("a coefficient of the stiffness", k, true, "a finite number, N/mⁿ")?;
        }
        self.stops.map_or(Ok(()), |s| s.check(displacement))?;
        self.drive.check("the drive")?;
        self.force.check("the force")?;
        self.support.check("the support")?;
        self.normal.as_ref().map_or(Ok(()), |n| n.check("the normal force"))
    }

    /// [`check`](Self::check), and that the signals cover [0, end] (s).
    ///
    /// # Errors
    /// As [`check`](Self::check), if a signal is too short or the normal force is negative somewhere.
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        self.check()?;
        require("the end of the run", end, end > 0.0, "a finite time > 0 s")?;
        self.drive.require_domain("drive", 0.0, end)?;
        self.force.require_domain("force", 0.0, end)?;
        self.support.require_domain("support", 0.0, end)?;
        self.check_magnitudes(end)?;
        if let Some(normal) = &self.normal {
            normal.require_domain("normal force", 0.0, end)?;
            normal.require_pressing(0.0, end)?;
        }
        Ok(())
    }

    /// Whether the load is linear in x and v.
    pub fn is_linear(&self) -> bool {
        self.nonlinear.is_none() && self.stops.is_none()
    }

    /// Whether the load is linear in x and v between the stops, and beyond soft ones.
    pub fn is_linear_in_pieces(&self) -> bool {
        self.nonlinear.is_none()
    }

    /// Refuses stops that `scheme` does not know.
    pub(crate) fn refuse_stops(&self, scheme: &'static str) -> Result<(), Error> {
        self.stops.map_or(Ok(()), |_| Err(Error::Unsuitable { scheme, reason: Obstacle::Stops }))
    }

    /// Whether it has rigid stops.
    pub(crate) fn has_rigid_stops(&self) -> bool {
        self.stops.is_some_and(|s| s.restitution().is_some())
    }

    /// Refuses rigid stops: a scheme of forces knows no impulse.
    pub(crate) fn refuse_rigid_stops(&self, scheme: &'static str) -> Result<(), Error> {
        if self.has_rigid_stops() {
            return Err(Error::Unsuitable { scheme, reason: Obstacle::RigidStops });
        }
        Ok(())
    }

    /// Whether the mass rubs on the ground with forces that do not depend on time, under loads in closed form.
    pub fn is_plain(&self) -> bool {
        let known = !self.drive.has_functions() && !self.force.has_functions();
        self.support.is_zero() && self.normal.is_none() && self.is_linear() && known
    }

    /// Refuses users' functions of time, of which `scheme` knows no closed form.
    pub(crate) fn require_closed_forms(&self, scheme: &'static str) -> Result<(), Error> {
        self.drive.require_closed_form("drive", scheme)?;
        self.force.require_closed_form("force", scheme)?;
        self.support.require_closed_form("support's velocity", scheme)?;
        self.normal.as_ref().map_or(Ok(()), |n| n.require_closed_form("normal force", scheme))
    }

    /// K d(t) + f(t), N: the part of the load that depends on time alone.
    pub fn load_signal(&self) -> Signal {
        self.stiffness * self.drive.clone() + self.force.clone()
    }

    /// The same in place of `load`.
    pub(crate) fn put_load_signal(&self, load: &mut Signal) {
        load.set_sum(self.stiffness, &self.drive, &self.force);
    }

    /// b = K (d − x) − c v + f, the nonlinear forces and those of soft stops, N.
    pub fn load(&self, x: f64, v: f64, t: f64) -> f64 {
        self.load_under(self.drive.value(t), self.force.value(t), State { x, v }, t)
    }

    /// The same where d (m) and f (N) are known.
    pub(crate) fn load_under(&self, d: f64, f: f64, State { x, v }: State, t: f64) -> f64 {
        let linear = self.stiffness * (d - x) - self.damping * v + f;
        if self.is_linear() {
            return linear;
        }
        let stops = self.stops.map_or(0.0, |s| s.force(x, v));
        linear + self.nonlinear.force(x - d, x, v, t) + stops
    }

    /// F_n of a mass at `x` (m), N; a factor, 1 without a slope, when the law's numbers are forces.
    pub fn normal_force(&self, x: f64, t: f64) -> f64 {
        self.normal.as_ref().map_or(1.0, |n| n.value(t)) * self.nonlinear.pressing(x)
    }

    /// b − m v̇_s, N: what friction must hold to keep the mass at `x` (m) on its support.
    pub fn load_at_rest(&self, x: f64, t: f64) -> f64 {
        let v = self.support.value(t);
        let a = self.support.derivative(t);
        self.load(x, v, t) - self.mass * a
    }

    /// The force of the support on the mass, N: it holds the load in stick and opposes a slip.
    pub fn friction_force(&self, t: f64, state: State, phase: Phase) -> f64 {
        let side = phase.sign();
        if phase == Phase::Stick {
            let b = self.load_at_rest(state.x, t);
            return if self.is_blocked(state.x, b) { 0.0 } else { 0.0 - b };
        }
        let normal = self.normal.as_ref().map_or(1.0, |n| n.value(t));
        self.sliding_friction(side, state.x, state.v - self.support.value(t), normal)
    }

    /// The same on a mass at `x` (m) that slides towards `side` with the relative velocity `w` (m/s) under the normal force
    /// `normal`, without its slope (N, or 1).
    pub(crate) fn sliding_friction(&self, side: f64, x: f64, w: f64, normal: f64) -> f64 {
        let speed = (side * w).max(0.0);
        0.0 - side * (normal * self.nonlinear.pressing(x)) * self.friction.force(side, speed)
    }

    /// The force of the stops on the mass, N (rigid ones: while it rests there, without the impulses).
    pub fn stop_force(&self, t: f64, state: State, phase: Phase) -> f64 {
        let State { x, v } = state;
        let b = match phase {
            Phase::Stick => self.load_at_rest(x, t),
            _ => self.load(x, v, t),
        };
        match self.stops {
            Some(stops) if stops.spring().is_some() => stops.force(x, v),
            Some(_) if phase == Phase::Stick && self.is_blocked(x, b) => 0.0 - b,
            // A support rubs past a mass that a rigid stop holds.
            Some(_) if v == 0.0 && !self.support.is_zero() => {
                let force = b + self.friction_force(t, state, phase);
                if self.is_blocked(x, force) { 0.0 - force } else { 0.0 }
            }
            _ => 0.0,
        }
    }

    /// The rigid stop that a mass at `x` (m) is at.
    pub(crate) fn rigid_stop(&self, x: f64) -> Option<Wall> {
        self.stops.filter(|s| s.restitution().is_some()).and_then(|s| s.touched(x))
    }

    /// Whether a rigid stop keeps a mass at `x` (m) from going the way of `side`.
    pub(crate) fn is_blocked(&self, x: f64, side: f64) -> bool {
        self.rigid_stop(x).is_some_and(|wall| wall.sign() * side < 0.0)
    }

    /// ω = √(K/m), rad/s.
    pub fn natural_frequency(&self) -> f64 {
        natural_frequency(self.stiffness, self.mass)
    }
}

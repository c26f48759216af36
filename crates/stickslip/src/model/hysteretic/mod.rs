//! One contact whose law has memory: under a mass on a spring, or between flanges whose displacement is given.

mod signals;

use super::Initial;
use crate::error::{Error, require};
use crate::law::memory::{Memory, Remembers};
use crate::numeric::natural_frequency;
use crate::signal::Signal;

/// A contact with memory and what moves it.
///
/// ```text
/// m ẍ = K (d(t) − x) − c ẋ + f(t) − F          a mass, w = ẋ − v_s(t)
/// x = x(t) as given                            a displacement, w = ẋ
/// F = N(t) · R(x, w, z, ż),  ż = Z(w, z)
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Hysteretic {
    /// The law.
    pub law: Memory,
    /// What moves it.
    pub carrier: Carrier,
    /// N(t) ≥ 0, normal force, N: then the law's forces are coefficients.
    pub normal: Option<Signal>,
    /// z at t = 0.
    pub memory: Vec<f64>,
}

/// What moves a contact.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // there is one to a model
pub enum Carrier {
    /// A mass.
    Mass(Body),
    /// A given displacement of one flange against the other, m.
    Led(Signal),
}

/// A mass on a spring.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// m > 0, kg; of rate and state ≥ 0.
    pub mass: f64,
    /// K ≥ 0, N/m.
    pub stiffness: f64,
    /// c ≥ 0, N·s/m.
    pub damping: f64,
    /// d(t), displacement of the spring's far end, m.
    pub drive: Signal,
    /// f(t), force on the mass, N.
    pub force: Signal,
    /// v_s(t), velocity of the support that rubs, m/s.
    pub support: Signal,
    /// State at t = 0.
    pub initial: Initial,
}

impl Body {
    /// A mass (kg) on a spring (N/m): undamped, undriven, at rest at 0.
    pub fn new(mass: f64, stiffness: f64) -> Self {
        Self {
            mass,
            stiffness,
            damping: 0.0,
            drive: Signal::default(),
            force: Signal::default(),
            support: Signal::default(),
            initial: Initial::default(),
        }
    }

    /// The mass may be 0 where the friction is a function of the velocity at every instant (`massless`).
    fn check(&self, massless: bool) -> Result<(), Error> {
        if massless {
            require("the mass", self.mass, self.mass >= 0.0, "a finite mass ≥ 0 kg")?;
        } else {
            require("the mass", self.mass, self.mass > 0.0, "a finite mass > 0 kg")?;
        }
        let expected = "a finite stiffness ≥ 0 N/m";
        require("the stiffness", self.stiffness, self.stiffness >= 0.0, expected)?;
        require("the damping", self.damping, self.damping >= 0.0, "a finite damping ≥ 0 N·s/m")?;
        let Initial { displacement, velocity } = self.initial;
        require("the initial displacement", displacement, true, "a finite displacement, m")?;
        require("the initial velocity", velocity, true, "a finite velocity, m/s")
    }
}

impl Hysteretic {
    /// A contact that remembers nothing (z = 0; of rate and state the age of a steady slide at V₀), without a normal force.
    pub fn new(law: impl Into<Memory>, carrier: Carrier) -> Self {
        let law = law.into();
        let memory = (0..law.law().states()).map(|i| law.law().fresh(i)).collect();
        Self { law, carrier, normal: None, memory }
    }

    /// Under a mass.
    pub fn carrying(law: impl Into<Memory>, body: Body) -> Self {
        Self::new(law, Carrier::Mass(body))
    }

    /// Between flanges that are displaced as given, m.
    pub fn led(law: impl Into<Memory>, displacement: Signal) -> Self {
        Self::new(law, Carrier::Led(displacement))
    }

    /// Pressed by N(t), N.
    pub fn with_normal(self, normal: Signal) -> Self {
        Self { normal: Some(normal), ..self }
    }

    /// Remembering z at t = 0.
    pub fn remembering(self, memory: impl Into<Vec<f64>>) -> Self {
        Self { memory: memory.into(), ..self }
    }

    /// The law.
    pub fn law(&self) -> &dyn Remembers {
        self.law.law()
    }

    /// The mass, if there is one.
    pub fn body(&self) -> Option<&Body> {
        if let Carrier::Mass(body) = &self.carrier { Some(body) } else { None }
    }

    /// The angular frequency of the mass on its spring, rad/s: 0 where there is no mass, and under friction of rate and state,
    /// which lets nothing swing between two slips.
    pub(crate) fn swings(&self) -> f64 {
        match self.body() {
            Some(b) if b.mass > 0.0 && self.law().as_rate_and_state().is_none() => {
                natural_frequency(b.stiffness, b.mass)
            }
            _ => 0.0,
        }
    }

    /// Checks every number.
    ///
    /// # Errors
    /// With the first that is outside its range.
    pub fn check(&self) -> Result<(), Error> {
        let states = self.law().states();
        if self.memory.len() != states {
            let what = "the initial z";
            let found = self.memory.len();
            return Err(Error::WrongLength {
                what,
                found,
                expected: "one for each number that the law remembers",
            });
        }
        for &z in &self.memory {
            require("the initial z", z, true, "a finite number")?;
        }
        self.law().check_state(&self.memory)?;
        if self.law().as_rate_and_state().is_some() && self.normal.is_none() {
            let reason = "its numbers are coefficients, and there is no normal force; expected `normal`, in N (or in Pa, with a \
                          mass and a stiffness for each m²)";
            return Err(Error::BadLaw { name: "rate-and-state".into(), reason: reason.into() });
        }
        if let Carrier::Mass(body) = &self.carrier {
            body.check(self.law().as_rate_and_state().is_some())?;
            self.check_support(body)?;
        }
        self.signals().into_iter().try_for_each(|(what, s)| s.check(what))
    }

    /// An error where the law has a spring of its own to the ground and the support moves.
    fn check_support(&self, body: &Body) -> Result<(), Error> {
        let Memory::BoucWen(law) = &self.law else { return Ok(()) };
        if body.support.is_zero() || law.ratio() == 0.0 {
            return Ok(());
        }
        let reason = "the elastic part ratio·k·x of bouc-wen is that of a spring to the ground, which a moving support does not \
                      carry along; set ratio = 0 and give the oscillator a stiffness";
        Err(Error::BadLaw { name: "bouc-wen".into(), reason: reason.into() })
    }

    /// [`check`](Self::check), and that the signals cover [0, end] (s).
    ///
    /// # Errors
    /// As [`check`](Self::check), if a signal is too short or the normal force is negative somewhere.
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        self.check()?;
        require("the end of the run", end, end > 0.0, "a finite time > 0 s")?;
        for (what, signal) in self.signals() {
            signal.require_domain(what, 0.0, end)?;
        }
        if let Carrier::Led(displacement) = &self.carrier {
            let steps = |t: &f64| {
                let [before, after] = [displacement.value_before(*t), displacement.value(*t)];
                (after - before).abs() > 1e-9 * (after.abs() + before.abs())
            };
            if let Some(t) = displacement.breakpoints(0.0, end).find(steps) {
                let reason = format!(
                    "the displacement jumps at t = {t:?} s, and what the contact remembers of a jump depends on the way; \
                     lead it there by a ramp"
                );
                return Err(Error::BadLaw { name: "with memory".into(), reason });
            }
        }
        self.normal.as_ref().map_or(Ok(()), |n| n.require_pressing(0.0, end))
    }

    /// What stands in the way of the schemes for laws without memory, in words.
    pub fn beyond_oscillators(&self) -> &'static str {
        "the friction has memory"
    }
}

//! `[oscillator]`: one mass on a spring, with dry friction.

use super::Gathered;
use super::friction::Friction;
use super::reader::{Table, any, not_negative, positive};
use super::run::Schemes;
use super::signal::{self, Signal};
use crate::fault::Result;
use serde::Serialize;

const KEYS: [&str; 8] =
    ["mass", "stiffness", "damping", "bearing_stiffness", "friction", "drive", "force", "initial"];

/// How an oscillator is advanced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Closed-form arcs between certified events.
    Exact,
    /// The Euler scheme of the extended variational inequality.
    Euler,
    /// Jumps of a slowly driven spring.
    QuasiStatic,
}

impl Schemes for Scheme {
    const ALL: &'static [(&'static str, Self)] =
        &[("exact", Self::Exact), ("euler", Self::Euler), ("quasi-static", Self::QuasiStatic)];

    fn steps(self) -> bool {
        self == Self::Euler
    }
}

/// The state at t = 0.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Initial {
    displacement: f64,
    velocity: f64,
}

/// One mass on a spring, as written in a file.
#[derive(Debug, Clone, Serialize)]
pub struct Oscillator {
    mass: f64,
    stiffness: f64,
    damping: f64,
    /// K_BP, N/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearing_stiffness: Option<f64>,
    friction: Friction,
    /// d(t): the signals that are summed.
    pub drive: Vec<Signal>,
    /// f(t): the signals that are summed.
    pub force: Vec<Signal>,
    initial: Initial,
}

impl Oscillator {
    /// Reads `[oscillator]`.
    pub fn read(root: &Table<'_>, gathered: &mut Gathered) -> Result<Self> {
        let t = root.table("oscillator", &KEYS)?;
        let initial = match t.table_opt("initial", &["displacement", "velocity"])? {
            None => Initial { displacement: 0.0, velocity: 0.0 },
            Some(t) => Initial {
                displacement: t.number_or("displacement", any("m"), 0.0)?,
                velocity: t.number_or("velocity", any("m/s"), 0.0)?,
            },
        };
        Ok(Self {
            mass: t.number("mass", positive("kg"))?,
            stiffness: t.number("stiffness", not_negative("N/m"))?,
            damping: t.number_or("damping", not_negative("N·s/m"), 0.0)?,
            bearing_stiffness: t.number_opt("bearing_stiffness", positive("N/m"))?.map(|n| n.value),
            friction: Friction::read(&t)?,
            drive: signal::read(&t, "drive", "m", gathered)?,
            force: signal::read(&t, "force", "N", gathered)?,
            initial,
        })
    }

    /// The noises: those of the drive first, then those of the force.
    pub fn noises(&self) -> Vec<(stickslip::Place, stickslip::Noise)> {
        let of = |signals: &[Signal], place| {
            signals.iter().filter_map(Signal::noise).map(|n| (place, n)).collect::<Vec<_>>()
        };
        let mut all = of(&self.drive, stickslip::Place::Drive);
        all.extend(of(&self.force, stickslip::Place::Force));
        all
    }

    /// The library's oscillator, without its noises.
    pub fn build(&self) -> Result<stickslip::Oscillator> {
        let sum = |signals: &[Signal]| signals.iter().map(Signal::build).sum::<Result<_, _>>();
        let oscillator =
            stickslip::Oscillator::new(self.mass, self.stiffness, self.friction.build()?)
                .with_damping(self.damping)
                .with_drive(sum(&self.drive)?)
                .with_force(sum(&self.force)?)
                .starting_at(self.initial.displacement, self.initial.velocity);
        oscillator.check()?;
        Ok(oscillator)
    }
}

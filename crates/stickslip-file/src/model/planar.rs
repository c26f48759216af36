//! `[planar]`: one mass that slides on a plane.

use super::friction::Friction;
use super::signal::{self, Signal};
use super::stops::Bumper;
use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{Quantity, Table, any, not_negative, positive};
use crate::reading::Gathered;
use serde::Serialize;
use stickslip::{NoiseOn, Place};

const KEYS: [&str; 17] = [
    "mass",
    "stiffness",
    "pendulum",
    "damping",
    "friction",
    "ellipse",
    "force_x",
    "force_y",
    "base_x",
    "base_y",
    "base_scale",
    "support_x",
    "support_y",
    "normal",
    "pressure",
    "rim",
    "initial",
];

/// The state at t = 0.
#[derive(Debug, Clone, Copy, Serialize)]
struct Initial {
    /// m.
    displacement: [f64; 2],
    /// m/s.
    velocity: [f64; 2],
}

/// A sliding surface that is part of a sphere.
#[derive(Debug, Clone, Copy, Serialize)]
struct Pendulum {
    /// m.
    radius: f64,
    /// N.
    weight: f64,
    restoring: Restoring,
}

/// How the surface pulls the mass back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Restoring {
    /// W r/R.
    SmallAngle,
    /// W r/√(R² − |r|²).
    Exact,
}

/// How the coefficient of friction falls with the normal force.
#[derive(Debug, Clone, Copy, Serialize)]
struct Pressure {
    /// N.
    reference: f64,
    /// N.
    scale: f64,
}

/// What limits the displacement.
#[derive(Debug, Clone, Copy, Serialize)]
struct Rim {
    /// m.
    radius: f64,
    #[serde(flatten)]
    bumper: Bumper,
}

/// One mass on a plane, as written in a file.
#[derive(Debug, Clone, Serialize)]
pub struct Planar {
    mass: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stiffness: Option<[[f64; 2]; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pendulum: Option<Pendulum>,
    damping: [[f64; 2]; 2],
    friction: Friction,
    ellipse: [f64; 2],
    force_x: Vec<Signal>,
    force_y: Vec<Signal>,
    base_x: Vec<Signal>,
    base_y: Vec<Signal>,
    /// What the accelerations of the ground are multiplied by.
    base_scale: f64,
    support_x: Vec<Signal>,
    support_y: Vec<Signal>,
    /// Without any the law's numbers are forces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    normal: Vec<Signal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pressure: Option<Pressure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rim: Option<Rim>,
    initial: Initial,
}

/// `[planar.pendulum]`, if there is one.
fn pendulum(t: &Table<'_>) -> Result<Option<Pendulum>> {
    let Some(p) = t.table_opt("pendulum", &["radius", "weight", "restoring"])? else {
        return Ok(None);
    };
    if t.has("stiffness") {
        let message = "`planar.pendulum` stands with `planar.stiffness`; expected one of them: a pendulum has the \
                       stiffness weight/radius";
        return Err(Diagnostic::at(t.place_of("pendulum"), message)
            .help("leave one of them out; add up what both would give"));
    }
    let words = [("small-angle", Restoring::SmallAngle), ("exact", Restoring::Exact)];
    let chosen = p.choice("restoring", "restoring force", &words)?;
    Ok(Some(Pendulum {
        radius: p.number("radius", positive("m"))?,
        weight: p.number("weight", positive("N"))?,
        restoring: chosen.map_or(Restoring::SmallAngle, |c| c.value),
    }))
}

/// `[planar.pressure]`, if there is one: only where something presses.
fn pressure(t: &Table<'_>) -> Result<Option<Pressure>> {
    let Some(p) = t.table_opt("pressure", &["reference", "scale"])? else { return Ok(None) };
    if !t.has("normal") {
        let message = "`planar.pressure` stands without `planar.normal`; expected a normal force in N, with which the \
                       numbers of the law are coefficients that fall with it";
        return Err(Diagnostic::at(t.place_of("pressure"), message)
            .help("add [[planar.normal]] with `constant = 1.96e6`, in N"));
    }
    Ok(Some(Pressure {
        reference: p.number("reference", not_negative("N"))?,
        scale: p.number("scale", positive("N"))?,
    }))
}

/// The two numbers of the list `key`.
pub(super) fn pair(t: &Table<'_>, key: &str, what: Quantity) -> Result<[f64; 2]> {
    let numbers = t.numbers(key, what)?;
    numbers.as_slice().try_into().map_err(|_| {
        let message = format!(
            "`{}` has {} numbers; expected two, along x and along y",
            t.path_of(key),
            numbers.len()
        );
        Diagnostic::at(t.place_of(key), message)
    })
}

/// [`pair`], or this where the key is absent.
pub(super) fn pair_or(
    t: &Table<'_>,
    key: &str,
    what: Quantity,
    default: [f64; 2],
) -> Result<[f64; 2]> {
    if t.has(key) { pair(t, key, what) } else { Ok(default) }
}

/// [`square`], or zero where the key is absent.
pub(super) fn matrix_or(t: &Table<'_>, key: &str, unit: &'static str) -> Result<[[f64; 2]; 2]> {
    if t.has(key) { square(t, key, unit) } else { Ok([[0.0; 2]; 2]) }
}

/// The matrix at `key`: two numbers are its diagonal.
fn square(t: &Table<'_>, key: &str, unit: &'static str) -> Result<[[f64; 2]; 2]> {
    let Some(rows) = t.rows(key, any(unit))? else {
        let [a, b] = pair(t, key, not_negative(unit))?;
        return Ok([[a, 0.0], [0.0, b]]);
    };
    let place = t.place_of(key);
    let path = t.path_of(key);
    let [[a, b], [c, d]] = match rows.as_slice() {
        [first, second] if first.len() == 2 && second.len() == 2 => {
            [[first[0], first[1]], [second[0], second[1]]]
        }
        _ => {
            let message =
                format!("`{path}` is not a 2 × 2 matrix; expected two rows of two numbers");
            return Err(Diagnostic::at(place, message)
                .help(format!("write `{key} = [[3.0, 0.5], [0.5, 2.0]]`, in {unit}")));
        }
    };
    if b != c {
        let message = format!(
            "`{path}` is not symmetric: {b:?} right above and {c:?} left below; expected the same number"
        );
        return Err(Diagnostic::at(place, message));
    }
    if a < 0.0 || d < 0.0 || b * b > a * d * (1.0 + 1e-12) {
        let message = format!(
            "`{path}` lets energy out: expected [[a, b], [b, d]] with a ≥ 0, d ≥ 0 and b² ≤ a d, in {unit}"
        );
        return Err(Diagnostic::at(place, message));
    }
    Ok([[a, b], [c, d]])
}

/// `[planar.rim]`, if there is one.
fn rim(t: &Table<'_>) -> Result<Option<Rim>> {
    let keys = ["radius", "restitution", "stiffness", "damping"];
    let Some(rim) = t.table_opt("rim", &keys)? else { return Ok(None) };
    let radius = rim.number("radius", positive("m"))?;
    Ok(Some(Rim { radius, bumper: Bumper::read(&rim)? }))
}

/// The noises of a model in a plane; those of the ground are multiplied by `scale`.
pub(super) fn plane_noises(
    forces: [&Vec<Signal>; 2],
    ground: [&Vec<Signal>; 2],
    scale: f64,
) -> Vec<NoiseOn> {
    let of = |lists: [&Vec<Signal>; 2], place: fn(usize) -> Place, factor: f64| {
        let lists = lists.into_iter().enumerate();
        let noises = lists.flat_map(move |(axis, list)| {
            let noises = signal::noises(list).filter(move |_| factor != 0.0);
            noises.map(move |noise| NoiseOn { place: place(axis), noise: noise.scaled(factor) })
        });
        noises.collect::<Vec<_>>()
    };
    [of(forces, Place::PlaneForce, 1.0), of(ground, Place::PlaneBase, scale)].concat()
}

impl Planar {
    /// Reads `[planar]`.
    pub fn read(root: &Table<'_>, gathered: &mut Gathered) -> Result<Self> {
        let t = root.table("planar", &KEYS)?;
        let start = t.table_or_empty("initial", &["displacement", "velocity"])?;
        let initial = Initial {
            displacement: pair_or(&start, "displacement", any("m"), [0.0; 2])?,
            velocity: pair_or(&start, "velocity", any("m/s"), [0.0; 2])?,
        };
        let pendulum = pendulum(&t)?;
        let matrix = |key, unit| t.has(key).then(|| square(&t, key, unit)).transpose();
        let stiffness = matrix("stiffness", "N/m")?;
        let stiffness = if pendulum.is_none() { stiffness.or(Some([[0.0; 2]; 2])) } else { None };
        let damping = matrix("damping", "N·s/m")?.unwrap_or_default();
        // What is random has values over time, which only loads may be.
        let mut noisy = |key, unit| signal::read_noisy(&t, key, unit, gathered);
        let [force_x, force_y] = [noisy("force_x", "N")?, noisy("force_y", "N")?];
        let [base_x, base_y] = [noisy("base_x", "m/s²")?, noisy("base_y", "m/s²")?];
        let mut signals = |key, unit| signal::read(&t, key, unit, gathered);
        Ok(Self {
            mass: t.number("mass", positive("kg"))?,
            stiffness,
            pendulum,
            damping,
            ellipse: pair_or(&t, "ellipse", positive(""), [1.0; 2])?,
            force_x,
            force_y,
            base_x,
            base_y,
            base_scale: t.number_or("base_scale", any(""), 1.0)?,
            support_x: signals("support_x", "m/s")?,
            support_y: signals("support_y", "m/s")?,
            normal: signals("normal", "N")?,
            pressure: pressure(&t)?,
            rim: rim(&t)?,
            friction: Friction::read(&t, gathered.reading.resources())?,
            initial,
        })
    }

    /// Every signal of the model.
    pub fn signals(&self) -> impl Iterator<Item = &Signal> {
        let forces = self.force_x.iter().chain(&self.force_y);
        let ground = self.base_x.iter().chain(&self.base_y);
        let surface = self.support_x.iter().chain(&self.support_y);
        forces.chain(ground).chain(surface).chain(&self.normal)
    }

    /// The noises: those of the forces along x and y, then those of the ground.
    pub fn noises(&self) -> Vec<NoiseOn> {
        plane_noises([&self.force_x, &self.force_y], [&self.base_x, &self.base_y], self.base_scale)
    }

    /// The library's model.
    pub fn build(&self) -> Result<stickslip::model::Planar> {
        let sum = signal::sum;
        let ground = |s: &[Signal]| Ok::<_, Diagnostic>(self.base_scale * sum(s)?);
        let mut planar = stickslip::model::Planar::new(self.mass, self.friction.build()?)
            .with_damping_matrix(self.damping)
            .with_ellipse(self.ellipse)
            .with_force([sum(&self.force_x)?, sum(&self.force_y)?])
            .with_base([ground(&self.base_x)?, ground(&self.base_y)?])
            .with_support([sum(&self.support_x)?, sum(&self.support_y)?])
            .starting_at(self.initial.displacement, self.initial.velocity);
        if let Some(Pendulum { radius, weight, restoring }) = self.pendulum {
            planar = match restoring {
                Restoring::SmallAngle => planar.with_pendulum(radius, weight),
                Restoring::Exact => planar.with_bowl(radius, weight),
            };
        } else if let Some(stiffness) = self.stiffness {
            planar = planar.with_stiffness_matrix(stiffness);
        }
        if !self.normal.is_empty() {
            planar = planar.with_normal(sum(&self.normal)?);
        }
        if let Some(Pressure { reference, scale }) = self.pressure {
            planar = planar.with_pressure(reference, scale);
        }
        if let Some(Rim { radius, bumper }) = self.rim {
            planar.rim = Some(stickslip::model::planar::Rim { radius, bumper: bumper.build() });
        }
        planar.check()?;
        Ok(planar)
    }
}

//! `[planar]` with `inertia` and `[[planar.isolator]]`: a rigid slab on isolators, with floors above it.

use super::friction::Friction;
use super::planar::{matrix_or, pair, pair_or, plane_noises};
use super::signal::{self, Signal};
use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{Table, any, not_negative, positive};
use crate::reading::Gathered;
use crate::resources::Resources;
use serde::Serialize;
use stickslip::NoiseOn;
use stickslip::model::isolated as built;
use stickslip::model::planar::Square;

/// The keys of one mass that a slab does not have, and what it has in their place.
const OF_ONE_MASS: [(&str, &str); 8] = [
    ("stiffness", "each isolator has its own: `stiffness` or `pendulum` in [[planar.isolator]]"),
    ("pendulum", "each isolator has its own: `pendulum` in [[planar.isolator]]"),
    ("damping", "each isolator has its own: `damping` in [[planar.isolator]]"),
    ("ellipse", "each isolator has its own: `ellipse` in [[planar.isolator]]"),
    ("pressure", "give each isolator the coefficients of its own pressure"),
    ("rim", "a slab has no displacement limit"),
    ("support_x", "give the motion as accelerations of the ground, `base_x`"),
    ("support_y", "give the motion as accelerations of the ground, `base_y`"),
];

const KEYS: [&str; 13] = [
    "mass",
    "inertia",
    "friction",
    "isolator",
    "floor",
    "force_x",
    "force_y",
    "moment",
    "base_x",
    "base_y",
    "base_scale",
    "normal",
    "initial",
];

const ISOLATOR: [&str; 8] =
    ["name", "at", "stiffness", "pendulum", "damping", "friction", "ellipse", "share"];

const FLOOR: [&str; 9] = [
    "name",
    "mass",
    "inertia",
    "at",
    "stiffness",
    "stiffness_at",
    "torsion",
    "damping",
    "torsion_damping",
];

/// The keys by which a planar model is a slab.
pub const SLAB: [&str; 4] = ["isolator", "inertia", "floor", "moment"];

#[derive(Debug, Clone, Serialize)]
struct Initial {
    /// m.
    displacement: [f64; 2],
    /// m/s.
    velocity: [f64; 2],
    /// rad.
    rotation: f64,
    /// rad/s.
    spin: f64,
}

/// A spherical surface, for small angles.
#[derive(Debug, Clone, Copy, Serialize)]
struct Pendulum {
    /// m.
    radius: f64,
    /// N.
    weight: f64,
}

#[derive(Debug, Clone, Serialize)]
struct Isolator {
    name: String,
    at: [f64; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    pendulum: Option<Pendulum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stiffness: Option<[[f64; 2]; 2]>,
    damping: [[f64; 2]; 2],
    friction: Friction,
    ellipse: [f64; 2],
    /// Only where there is a normal force.
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
}

#[derive(Debug, Clone, Serialize)]
struct Floor {
    name: String,
    mass: f64,
    inertia: f64,
    at: [f64; 2],
    stiffness: [[f64; 2]; 2],
    stiffness_at: [f64; 2],
    torsion: f64,
    damping: [[f64; 2]; 2],
    torsion_damping: f64,
}

/// A slab on isolators, as written in a file.
#[derive(Debug, Clone, Serialize)]
pub struct Isolated {
    mass: f64,
    inertia: f64,
    isolator: Vec<Isolator>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    floor: Vec<Floor>,
    force_x: Vec<Signal>,
    force_y: Vec<Signal>,
    moment: Vec<Signal>,
    base_x: Vec<Signal>,
    base_y: Vec<Signal>,
    /// What the accelerations of the ground are multiplied by.
    base_scale: f64,
    /// Without any the laws' numbers are forces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    normal: Vec<Signal>,
    initial: Initial,
}

/// The spring of an isolator: its own stiffness, or that of a pendulum.
fn spring(t: &Table<'_>) -> Result<(Option<Pendulum>, Option<Square>)> {
    let Some(p) = t.table_opt("pendulum", &["radius", "weight"])? else {
        return Ok((None, Some(matrix_or(t, "stiffness", "N/m")?)));
    };
    if t.has("stiffness") {
        let message = format!(
            "`{}` stands with `{}`; expected one of them: a pendulum has the stiffness weight/radius",
            t.path_of("pendulum"),
            t.path_of("stiffness")
        );
        return Err(Diagnostic::at(t.place_of("pendulum"), message)
            .help("leave one of them out; add up what both would give"));
    }
    let radius = p.number("radius", positive("m"))?;
    Ok((Some(Pendulum { radius, weight: p.number("weight", positive("N"))? }), None))
}

/// A name that can stand in columns, or the `usual` one.
fn name(t: &Table<'_>, usual: String) -> Result<String> {
    let Some(name) = t.text_opt("name", "a name")? else { return Ok(usual) };
    if name.value.is_empty() || name.value.contains([',', '"', '\n', '\r']) {
        let message = format!(
            "`{}` is {:?}; expected a name without commas, quotes and line breaks, for it stands in the names of columns",
            t.path_of("name"),
            name.value
        );
        return Err(Diagnostic::at(&name.place, message).help("write `name = \"north east\"`"));
    }
    Ok(name.value)
}

impl Isolator {
    fn read(
        t: &Table<'_>,
        i: usize,
        (root, resources): (&Table<'_>, &dyn Resources),
    ) -> Result<Self> {
        let (pendulum, stiffness) = spring(t)?;
        let pressed = root.has("normal");
        // A law of all isolators stands in [planar].
        let own = t.has("friction") || !root.has("friction");
        let of = if own { t.clone().coefficients(pressed) } else { root.clone() };
        let share = match (pressed, t.has("share")) {
            (true, true) => Some(t.number("share", not_negative(""))?),
            (true, false) => {
                return Err(t.missing("share", "its share of `planar.normal`, such as 0.25"));
            }
            (false, true) => {
                let message = format!(
                    "`{}` stands without `planar.normal`; expected a normal force in N, of which it is the share",
                    t.path_of("share")
                );
                return Err(Diagnostic::at(t.place_of("share"), message).help(
                    "add [[planar.normal]] with `constant = 1.96e6`, in N; the numbers of the laws are coefficients then",
                ));
            }
            (false, false) => None,
        };
        Ok(Self {
            name: name(t, format!("{}", i + 1))?,
            at: pair(t, "at", any("m"))?,
            pendulum,
            stiffness,
            damping: matrix_or(t, "damping", "N·s/m")?,
            friction: Friction::read(&of, resources)?,
            ellipse: pair_or(t, "ellipse", positive(""), [1.0; 2])?,
            share,
        })
    }

    fn build(&self) -> Result<built::Isolator> {
        let law = self.friction.build()?;
        let mut isolator = built::Isolator::new(self.name.as_str(), self.at, law)
            .with_damping(self.damping)
            .with_ellipse(self.ellipse)
            .with_share(self.share.unwrap_or(0.0));
        if let Some(Pendulum { radius, weight }) = self.pendulum {
            isolator = isolator.with_pendulum(radius, weight);
        } else if let Some(stiffness) = self.stiffness {
            isolator = isolator.with_stiffness(stiffness);
        }
        Ok(isolator)
    }
}

impl Floor {
    fn read(t: &Table<'_>, i: usize) -> Result<Self> {
        Ok(Self {
            name: name(t, format!("floor{}", i + 1))?,
            mass: t.number("mass", positive("kg"))?,
            inertia: t.number("inertia", positive("kg·m²"))?,
            at: pair_or(t, "at", any("m"), [0.0; 2])?,
            stiffness: {
                // A floor that nothing holds is a fault of the file.
                if !t.has("stiffness") {
                    let expected =
                        "the stiffness of the storey below, N/m: `[k_x, k_y]` or a matrix";
                    return Err(t.missing("stiffness", expected));
                }
                matrix_or(t, "stiffness", "N/m")?
            },
            stiffness_at: pair_or(t, "stiffness_at", any("m"), [0.0; 2])?,
            torsion: t.number("torsion", not_negative("N·m/rad"))?,
            damping: matrix_or(t, "damping", "N·s/m")?,
            torsion_damping: t.number_or("torsion_damping", not_negative("N·m·s/rad"), 0.0)?,
        })
    }

    fn build(&self) -> built::Floor {
        built::Floor {
            at: self.at,
            stiffness_at: self.stiffness_at,
            damping: self.damping,
            torsion_damping: self.torsion_damping,
            ..built::Floor::new(
                self.name.as_str(),
                [self.mass, self.inertia],
                self.stiffness,
                self.torsion,
            )
        }
    }
}

/// An error where two isolators, or two floors, have one name: columns and events are told apart by it.
fn check_names<'a>(
    t: &Table<'_>,
    key: &str,
    names: impl Iterator<Item = &'a String>,
) -> Result<()> {
    let mut seen: Vec<&String> = Vec::new();
    for (i, name) in names.enumerate() {
        if seen.contains(&name) {
            let message = format!(
                "two tables [[{}]] have the name {name:?}; expected a name of its own for each",
                t.path_of(key)
            );
            return Err(t.fault_in(key, i, "name", message));
        }
        seen.push(name);
    }
    Ok(())
}

/// The keys of planar models of both kinds.
fn known_by_any() -> Vec<&'static str> {
    KEYS.into_iter().chain(OF_ONE_MASS.map(|k| k.0)).collect()
}

impl Isolated {
    /// Reads `[planar]` of a slab.
    pub fn read(root: &Table<'_>, gathered: &mut Gathered) -> Result<Self> {
        for (key, instead) in OF_ONE_MASS {
            if root.reaches(&["planar"], &[key]) {
                let t = Table::inside(root.open("planar")?, "planar".to_owned(), &known_by_any())?;
                let message = format!(
                    "`{}` is of one mass on a plane, and this is a slab on isolators: {instead}",
                    t.path_of(key)
                );
                return Err(Diagnostic::at(t.place_of(key), message).help(
                    "leave it out, or leave out `inertia`, `moment`, `isolator` and `floor`",
                ));
            }
        }
        let t = root.table("planar", &KEYS)?;
        let rows = t.tables("isolator", &ISOLATOR)?;
        if rows.is_empty() {
            return Err(t.missing("isolator", "isolators that the slab stands on"));
        }
        if t.has("friction") && rows.iter().all(|row| row.has("friction")) {
            let message = "`planar.friction` is the law of isolators without one of their own, and each has its own";
            return Err(Diagnostic::at(t.place_of("friction"), message).help(
                "leave it out, or leave out the `friction` of isolators that have this law",
            ));
        }
        let resources = gathered.reading.resources();
        let isolator: Vec<_> = rows
            .iter()
            .enumerate()
            .map(|(i, row)| Isolator::read(row, i, (&t, resources)))
            .collect::<Result<_>>()?;
        let floors = t.tables("floor", &FLOOR)?;
        let floor: Vec<_> =
            floors.iter().enumerate().map(|(i, row)| Floor::read(row, i)).collect::<Result<_>>()?;
        check_names(&t, "isolator", isolator.iter().map(|i| &i.name))?;
        check_names(&t, "floor", floor.iter().map(|f| &f.name))?;
        let start =
            t.table_or_empty("initial", &["displacement", "velocity", "rotation", "spin"])?;
        let initial = Initial {
            displacement: pair_or(&start, "displacement", any("m"), [0.0; 2])?,
            velocity: pair_or(&start, "velocity", any("m/s"), [0.0; 2])?,
            rotation: start.number_or("rotation", any("rad"), 0.0)?,
            spin: start.number_or("spin", any("rad/s"), 0.0)?,
        };
        // What is random has values over time, which only loads may be.
        let mut noisy = |key, unit| signal::read_noisy(&t, key, unit, gathered);
        let [force_x, force_y] = [noisy("force_x", "N")?, noisy("force_y", "N")?];
        let [base_x, base_y] = [noisy("base_x", "m/s²")?, noisy("base_y", "m/s²")?];
        let mut signals = |key, unit| signal::read(&t, key, unit, gathered);
        Ok(Self {
            mass: t.number("mass", positive("kg"))?,
            inertia: t.number("inertia", positive("kg·m²"))?,
            isolator,
            floor,
            force_x,
            force_y,
            moment: signals("moment", "N·m")?,
            base_x,
            base_y,
            base_scale: t.number_or("base_scale", any(""), 1.0)?,
            normal: signals("normal", "N")?,
            initial,
        })
    }

    /// Every signal of the model.
    pub fn signals(&self) -> impl Iterator<Item = &Signal> {
        let forces = self.force_x.iter().chain(&self.force_y).chain(&self.moment);
        forces.chain(&self.base_x).chain(&self.base_y).chain(&self.normal)
    }

    /// The noises: those of the forces along x and y, then those of the ground.
    pub fn noises(&self) -> Vec<NoiseOn> {
        plane_noises([&self.force_x, &self.force_y], [&self.base_x, &self.base_y], self.base_scale)
    }

    /// The library's model.
    pub fn build(&self) -> Result<built::Isolated> {
        let sum = signal::sum;
        let ground = |s: &[Signal]| Ok::<_, Diagnostic>(self.base_scale * sum(s)?);
        let isolators = self.isolator.iter().map(Isolator::build).collect::<Result<_>>()?;
        let Initial { displacement, velocity, rotation, spin } = self.initial;
        let mut slab = built::Isolated::new(self.mass, self.inertia, isolators)
            .with_floors(self.floor.iter().map(Floor::build).collect())
            .with_force([sum(&self.force_x)?, sum(&self.force_y)?])
            .with_moment(sum(&self.moment)?)
            .with_base([ground(&self.base_x)?, ground(&self.base_y)?])
            .starting_at(displacement, velocity)
            .turning(rotation, spin);
        if !self.normal.is_empty() {
            slab = slab.with_normal(sum(&self.normal)?);
        }
        slab.check()?;
        Ok(slab)
    }
}

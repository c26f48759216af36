//! `[oscillator]`: one mass on a spring, with dry friction.

use super::friction::Friction;
use super::signal::{self, Signal};
use super::slot::{Field, Slot, always};
use super::stops::Stops;
use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{Table, any, not_negative, positive};
use crate::reading::Gathered;
use crate::resources::Resources;
use serde::Serialize;
use stickslip::model::Load;

const KEYS: [&str; 17] = [
    "motion",
    "rotation",
    "mass",
    "inertia",
    "stiffness",
    "damping",
    "quadratic_damping",
    "bearing_stiffness",
    "friction",
    "drive",
    "force",
    "support",
    "normal",
    "normal_slope",
    "stops",
    "load",
    "initial",
];

/// The state at t = 0.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Initial {
    /// x(0), m.
    pub displacement: f64,
    /// ẋ(0), m/s.
    pub velocity: f64,
}

impl Initial {
    /// Reads `initial` of a model; at rest at 0 without it.
    pub fn read(model: &Table<'_>) -> Result<Self> {
        Self::of(&model.table_or_empty("initial", &["displacement", "velocity"])?)
    }

    /// Reads the numbers of the table itself.
    pub fn of(t: &Table<'_>) -> Result<Self> {
        Ok(Self {
            displacement: t.number_or("displacement", any("m"), 0.0)?,
            velocity: t.number_or("velocity", any("m/s"), 0.0)?,
        })
    }

    /// The library's.
    pub fn build(self) -> stickslip::Initial {
        stickslip::Initial { displacement: self.displacement, velocity: self.velocity }
    }
}

/// One mass on a spring, as written in a file.
#[derive(Debug, Clone, Serialize)]
pub struct Oscillator {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rotation: bool,
    mass: f64,
    /// k₁, or k₁, k₂, … of a polynomial.
    #[serde(serialize_with = "stiffness")]
    stiffness: Vec<f64>,
    damping: f64,
    #[serde(skip_serializing_if = "is_zero")]
    quadratic_damping: f64,
    /// K_BP, N/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearing_stiffness: Option<f64>,
    friction: Friction,
    /// d(t): the signals that are summed.
    pub drive: Vec<Signal>,
    /// f(t): the signals that are summed.
    pub force: Vec<Signal>,
    /// v_s(t): the signals that are summed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    support: Vec<Signal>,
    /// F_n(t): the signals that are summed; without any the law's numbers are forces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    normal: Vec<Signal>,
    /// s of F_n·max(0, 1 + s x), 1/m.
    #[serde(skip_serializing_if = "is_zero")]
    normal_slope: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stops: Option<Stops>,
    /// A force of the program that reads the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    load: Option<Given>,
    initial: Initial,
}

/// b(x, v, t), which no text can hold, by its name: `load.given = { name }`.
#[derive(Debug, Clone, Serialize)]
struct Given {
    name: String,
    #[serde(skip)]
    load: Load,
}

impl Given {
    fn read(model: &Table<'_>, resources: &dyn Resources) -> Result<Option<Self>> {
        let Some(load) = model.table_opt("load", &["given"])? else { return Ok(None) };
        let given = load.table("given", &["name"])?;
        let name = given.text("name", "the name of a force")?;
        let unknown = || {
            let message = format!(
                "there is no force `{}` here: only a program or Python can give one; write `force`, `stiffness` or `stops` for \
                 the forces that a file can hold",
                name.value
            );
            Diagnostic::at(&name.place, message)
        };
        let load = resources.load(&name.value).ok_or_else(unknown)?;
        Ok(Some(Self { name: name.value, load }))
    }
}

fn stiffness<S: serde::Serializer>(k: &[f64], s: S) -> Result<S::Ok, S::Error> {
    match k {
        [one] => s.serialize_f64(*one),
        all => all.serialize(s),
    }
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl Oscillator {
    /// Reads `[oscillator]`.
    pub fn read(root: &Table<'_>, gathered: &mut Gathered) -> Result<Self> {
        let t = root.table("oscillator", &KEYS)?.rotating_as_told(false)?;
        let initial = Initial::read(&t)?;
        Ok(Self {
            rotation: t.turns(),
            mass: t.number(t.inertial_key()?, positive("kg"))?,
            stiffness: t.number_or_numbers("stiffness", not_negative("N/m"), any("N/mⁿ"))?,
            damping: t.number_or("damping", not_negative("N·s/m"), 0.0)?,
            quadratic_damping: t.number_or("quadratic_damping", not_negative("N·s²/m²"), 0.0)?,
            bearing_stiffness: t.number_opt("bearing_stiffness", positive("N/m"))?.map(|n| n.value),
            friction: Friction::read(&t, gathered.reading.resources())?,
            drive: signal::read_noisy(&t, "drive", "m", gathered)?,
            force: signal::read_noisy(&t, "force", "N", gathered)?,
            support: signal::read_noisy(&t, "support", "m/s", gathered)?,
            normal: signal::read(&t, "normal", "N", gathered)?,
            normal_slope: t.number_or("normal_slope", any("1/m"), 0.0)?,
            stops: Stops::read(&t)?,
            load: Given::read(&t, gathered.reading.resources())?,
            initial,
        })
    }

    /// The number at these keys below `oscillator`; nothing where the file is read again to change it.
    pub fn slot(&mut self, keys: &[&str]) -> Option<Slot<Self>> {
        let field: Field<Self> = match keys {
            ["mass" | "inertia"] => |o| &mut o.mass,
            ["damping"] => |o| &mut o.damping,
            ["quadratic_damping"] => |o| &mut o.quadratic_damping,
            ["normal_slope"] => |o| &mut o.normal_slope,
            ["initial", "displacement"] => |o| &mut o.initial.displacement,
            ["initial", "velocity"] => |o| &mut o.initial.velocity,
            ["bearing_stiffness"] => return Some(Box::new(|o| o.bearing_stiffness.as_mut())),
            ["stiffness", rest @ ..] => {
                let i = rest.first().map_or(Ok(0), |i| i.parse::<usize>()).ok()?;
                return Some(Box::new(move |o| o.stiffness.get_mut(i)));
            }
            ["friction", rest @ ..] => {
                let inner = self.friction.slot(rest)?;
                return Some(Box::new(move |o| inner(&mut o.friction)));
            }
            [list, rest @ ..] => return self.slot_of_signal(list, rest),
            [] => return None,
        };
        Some(always(field))
    }

    fn slot_of_signal(&mut self, list: &str, keys: &[&str]) -> Option<Slot<Self>> {
        let pick: fn(&mut Self) -> &mut Vec<Signal> = match list {
            "drive" => |o| &mut o.drive,
            "force" => |o| &mut o.force,
            "support" => |o| &mut o.support,
            "normal" => |o| &mut o.normal,
            _ => return None,
        };
        let (first, rest) = keys.split_first()?;
        let i: usize = first.parse().ok()?;
        let inner = pick(self).get(i)?.slot(rest)?;
        Some(Box::new(move |o| inner(pick(o).get_mut(i)?)))
    }

    /// Every signal of the model.
    pub fn signals(&self) -> impl Iterator<Item = &Signal> {
        self.drive.iter().chain(&self.force).chain(&self.support).chain(&self.normal)
    }

    /// The noises: those of the drive first, then those of the force, then those of the support.
    pub fn noises(&self) -> Vec<(stickslip::Place, stickslip::Noise)> {
        let of = |signals: &[Signal], place| {
            signals.iter().filter_map(Signal::noise).map(|n| (place, n)).collect::<Vec<_>>()
        };
        let mut all = of(&self.drive, stickslip::Place::Drive);
        all.extend(of(&self.force, stickslip::Place::Force));
        all.extend(of(&self.support, stickslip::Place::Support));
        all
    }

    /// The library's oscillator, without its noises.
    pub fn build(&self) -> Result<stickslip::Oscillator> {
        let sum = |signals: &[Signal]| signals.iter().map(Signal::build).sum::<Result<_, _>>();
        let mut oscillator = stickslip::Oscillator::new(self.mass, 0.0, self.friction.build()?)
            .with_polynomial_stiffness(&self.stiffness)
            .with_damping(self.damping)
            .with_normal_slope(self.normal_slope)
            .with_quadratic_damping(self.quadratic_damping)
            .with_drive(sum(&self.drive)?)
            .with_force(sum(&self.force)?)
            .with_support(sum(&self.support)?)
            .starting_at(self.initial.displacement, self.initial.velocity);
        if !self.normal.is_empty() {
            oscillator = oscillator.with_normal(sum(&self.normal)?);
        }
        oscillator.stops = self.stops.as_ref().map(Stops::build);
        oscillator.nonlinear.load = self.load.as_ref().map(|given| given.load.clone());
        oscillator.check()?;
        Ok(oscillator)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Document, Memory, ModelFile, Reading};

    fn read(text: &str) -> Result<ModelFile, String> {
        let document = Document::parse("m.toml", text).unwrap();
        ModelFile::read(&document, &Reading::new(Memory::default())).map_err(|d| d.to_string())
    }

    /// Who reads the file may have a force of its own; nobody else does.
    #[test]
    fn a_force_may_be_given_by_the_reader() {
        struct Own;
        impl crate::Resources for Own {
            fn read(&self, name: &str) -> std::io::Result<std::borrow::Cow<'_, [u8]>> {
                Memory::default().read(name).map(|bytes| bytes.into_owned().into())
            }
            fn load(&self, name: &str) -> Option<stickslip::model::Load> {
                (name == "own")
                    .then(|| stickslip::model::Load::new(|x, v, t| x + 10.0 * v + 100.0 * t))
            }
        }
        let text = "[oscillator]\nmass = 1.0\nstiffness = 0.0\nfriction.coulomb = { force = 1.0 }\n\
                    load.given = { name = \"own\" }\n[run]\nend = 1.0\n";
        let document = Document::parse("m.toml", text).unwrap();
        let file = ModelFile::read(&document, &Reading::new(Own)).unwrap();
        let stickslip::Model::Oscillator(o) = &file.problem.model else { panic!() };
        assert_eq!(o.nonlinear.load.as_ref().unwrap().at(1.0, 2.0, 3.0), 321.0);
        assert_eq!(file.resolved["oscillator"]["load"]["name"], "own");
        let message = read(text).unwrap_err();
        assert!(
            message.contains("m.toml:5") && message.contains("there is no force `own` here"),
            "{message}"
        );
    }

    #[test]
    fn an_oscillator_may_turn() {
        let turning = "[oscillator]\nrotation = true\ninertia = \"5 kg·cm^2\"\nstiffness = \"2 N·m/deg\"\n\
                       damping = \"3 mNm*s/rad\"\nfriction.stribeck-exponential = { static = \"4 N·m\", dynamic = 3.0, velocity = \"1 rpm\" }\n\
                       [[oscillator.drive]]\nramp = { rate = \"30 deg/s\" }\n\
                       [oscillator.stops]\nupper = \"1 rev\"\nrestitution = 0.5\n[run]\nend = 1.0\n";
        let file = read(turning).unwrap();
        let stickslip::Model::Oscillator(o) = &file.problem.model else { panic!() };
        let degree = std::f64::consts::PI / 180.0;
        assert!(file.rotation && file.resolved["oscillator"]["inertia"] == 5e-4);
        assert!((o.mass - 5e-4).abs() < 1e-18 && (o.damping - 3e-3).abs() < 1e-17);
        assert!((o.stiffness - 2.0 / degree).abs() < 1e-12);
        assert!((o.drive.derivative(0.0) - 30.0 * degree).abs() < 1e-15);
        let told = |from: &str, to: &str, what: &str| {
            let message = read(&turning.replace(from, to)).unwrap_err();
            assert!(message.contains(what), "{message}");
        };
        told("\"5 kg·cm^2\"", "\"5 kg\"", "in kg·m²");
        told("\"1 rpm\"", "\"1 mm/s\"", "in rad/s");
        told("upper = \"1 rev\"\n", "", "in rad");
        told("upper = \"1 rev\"", "upper = 1.0\nlower = 2.0", "2.0 rad, not below");
        told("rotation = true\n", "", "about an axis");
        let word = read(&turning.replace("rotation = true", "motion = \"rotation\"")).unwrap();
        assert!(word.rotation && word.resolved == file.resolved);
        told("rotation = true", "motion = \"translation\"", "about an axis");
        told("rotation = true", "rotation = true\nmotion = \"translation\"", "contradict");
        told("rotation = true", "motion = \"turning\"", "unknown motion");
        let memory = turning
            .replace("stribeck-exponential = { static = \"4 N·m\", dynamic = 3.0, velocity = \"1 rpm\" }", "dahl = { force = \"4 N·m\", stiffness = \"1 N·m/rad\" }")
            .replace("[oscillator.stops]\nupper = \"1 rev\"\nrestitution = 0.5\n", "");
        let file = read(&memory).unwrap();
        assert!(file.rotation && file.resolved["oscillator"]["inertia"] == 5e-4);
    }
}

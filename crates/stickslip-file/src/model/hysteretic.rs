//! Contacts with memory: `[oscillator]` with such a law, and `[element]` whose displacement is given.

use super::friction::memory::Remembering;
use super::oscillator::Initial;
use super::signal::{self, Signal};
use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{Table, any, not_negative, positive};
use crate::reading::Gathered;
use serde::Serialize;
use stickslip::model::hysteretic::{self, Body};
use stickslip::{Noise, Place};

const OSCILLATOR: [&str; 12] = [
    "motion",
    "rotation",
    "mass",
    "inertia",
    "stiffness",
    "damping",
    "friction",
    "drive",
    "force",
    "support",
    "normal",
    "initial",
];
/// Keys of an oscillator that laws with memory do not go with.
const WITHOUT: [&str; 5] =
    ["quadratic_damping", "bearing_stiffness", "normal_slope", "stops", "load"];
const ELEMENT: [&str; 4] = ["friction", "displacement", "normal", "initial"];

/// A contact with memory, as written in a file.
#[derive(Debug, Clone, Serialize)]
pub struct Hysteretic {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rotation: bool,
    #[serde(flatten)]
    carrier: Carrier,
    friction: Remembering,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    normal: Vec<Signal>,
    initial: Start,
}

/// What moves it.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Carrier {
    Mass {
        mass: f64,
        stiffness: f64,
        damping: f64,
        drive: Vec<Signal>,
        force: Vec<Signal>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        support: Vec<Signal>,
    },
    Led {
        displacement: Vec<Signal>,
    },
}

/// The state at t = 0.
#[derive(Debug, Clone, Serialize)]
struct Start {
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    mass: Option<Initial>,
    #[serde(skip_serializing_if = "Option::is_none")]
    z: Option<Remembered>,
}

/// One number, or a list of them.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(super) enum Remembered {
    One(f64),
    Each(Vec<f64>),
}

impl Remembered {
    /// Reads `z` of a table, if it has one.
    pub(super) fn read(t: &Table<'_>, unit: &'static str) -> Result<Option<Self>> {
        if !t.has("z") {
            return Ok(None);
        }
        let z = t.number_or_numbers("z", any(unit), any(unit))?;
        Ok(Some(if let [one] = z[..] { Self::One(one) } else { Self::Each(z) }))
    }

    /// All of them.
    pub(super) fn numbers(&self) -> &[f64] {
        match self {
            Self::One(z) => std::slice::from_ref(z),
            Self::Each(z) => z,
        }
    }
}

impl Hysteretic {
    /// Reads `[oscillator]`.
    pub fn oscillator(root: &Table<'_>, gathered: &mut Gathered) -> Result<Self> {
        let t = root.table("oscillator", &[&OSCILLATOR[..], &WITHOUT].concat())?;
        let t = t.rotating_as_told(false)?;
        let friction = Remembering::read(&t)?;
        if let Some(key) = WITHOUT.into_iter().find(|k| t.has(k)) {
            let message = format!("`{key}` does not go with a law that has memory");
            return Err(Diagnostic::at(t.place_of(key), message)
                .help("leave it out, or take a law without memory"));
        }
        let initial = t.table_or_empty("initial", &["displacement", "velocity", "z"])?;
        let mass = Some(Initial::of(&initial)?);
        // Without a mass only a law that is a function of the velocity at every instant moves.
        let massless = matches!(friction, Remembering::RateAndState(_));
        let mass_range = if massless { not_negative("kg") } else { positive("kg") };
        Ok(Self {
            rotation: t.turns(),
            carrier: Carrier::Mass {
                mass: t.number(t.inertial_key()?, mass_range)?,
                stiffness: t.number("stiffness", not_negative("N/m"))?,
                damping: t.number_or("damping", not_negative("N·s/m"), 0.0)?,
                drive: signal::read_noisy(&t, "drive", "m", gathered)?,
                force: signal::read_noisy(&t, "force", "N", gathered)?,
                support: signal::read_noisy(&t, "support", "m/s", gathered)?,
            },
            normal: signal::read(&t, "normal", "N", gathered)?,
            initial: Start { mass, z: Remembered::read(&initial, friction.unit())? },
            friction,
        })
    }

    /// Reads `[element]`.
    pub fn element(root: &Table<'_>, gathered: &mut Gathered) -> Result<Self> {
        let t = root.table("element", &ELEMENT)?;
        let friction = Remembering::read(&t)?;
        let initial = t.table_or_empty("initial", &["z"])?;
        Ok(Self {
            rotation: false,
            carrier: Carrier::Led {
                displacement: signal::read(&t, "displacement", "m", gathered)?,
            },
            normal: signal::read(&t, "normal", "N", gathered)?,
            initial: Start { mass: None, z: Remembered::read(&initial, friction.unit())? },
            friction,
        })
    }

    /// Every signal of the model.
    pub fn signals(&self) -> impl Iterator<Item = &Signal> {
        let own: Vec<&Vec<Signal>> = match &self.carrier {
            Carrier::Mass { drive, force, support, .. } => vec![drive, force, support],
            Carrier::Led { displacement } => vec![displacement],
        };
        own.into_iter().flatten().chain(&self.normal)
    }

    /// The noises: those of the drive first, then those of the force, then those of the support.
    pub fn noises(&self) -> Vec<(Place, Noise)> {
        let Carrier::Mass { drive, force, support, .. } = &self.carrier else { return Vec::new() };
        let of = |(signals, place): (&Vec<Signal>, Place)| {
            signals.iter().filter_map(Signal::noise).map(|n| (place, n)).collect::<Vec<_>>()
        };
        [(drive, Place::Drive), (force, Place::Force), (support, Place::Support)]
            .into_iter()
            .flat_map(of)
            .collect()
    }

    /// The library's model, without its noises.
    pub fn build(&self) -> Result<stickslip::model::Hysteretic> {
        let sum = |signals: &[Signal]| signals.iter().map(Signal::build).sum::<Result<_, _>>();
        let carrier = match &self.carrier {
            Carrier::Mass { mass, stiffness, damping, drive, force, support } => {
                let initial = self.initial.mass.unwrap_or_default();
                hysteretic::Carrier::Mass(Body {
                    mass: *mass,
                    stiffness: *stiffness,
                    damping: *damping,
                    drive: sum(drive)?,
                    force: sum(force)?,
                    support: sum(support)?,
                    initial: initial.build(),
                })
            }
            Carrier::Led { displacement } => hysteretic::Carrier::Led(sum(displacement)?),
        };
        let mut model = stickslip::model::Hysteretic::new(self.friction.build()?, carrier);
        model = match &self.initial.z {
            None => model,
            Some(z) => model.remembering(z.numbers()),
        };
        if !self.normal.is_empty() {
            model = model.with_normal(sum(&self.normal)?);
        }
        model.check()?;
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Document, Memory, ModelFile, Reading, Result};

    fn read(text: &str) -> Result<ModelFile> {
        let document = Document::parse("m.toml", text)?;
        ModelFile::read(&document, &Reading::new(Memory::default()))
    }

    fn oscillator(more: &str) -> Result<ModelFile> {
        read(&format!("[oscillator]\nmass = 1.0\nstiffness = 25.0\n{more}\n[run]\nend = 1.0\n"))
    }

    #[test]
    fn every_law_is_read_with_what_it_remembers() {
        let element = "initial.z = [1e-4, 0.0]\nfriction.maxwell-slip = { stiffness = [600.0, 400.0], \
                       weight = [0.4, 0.6], static = 1.0, dynamic = 1.0 }";
        let file = oscillator(element).unwrap();
        let model = file.problem.model.as_hysteretic().unwrap();
        assert_eq!(
            (model.memory.as_slice(), file.run.scheme.name()),
            (&[1e-4, 0.0][..], "adaptive")
        );
        // Without a start the age is that of a steady slide at the reference speed.
        let rock = "normal = [{ constant = 5e6 }]\nfriction.rate-and-state = { coefficient = 0.6, a = 0.008, \
                    b = 0.012, distance = 1e-5, speed = 1e-6 }";
        let file = oscillator(rock).unwrap();
        let age = file.problem.model.as_hysteretic().unwrap().memory[0];
        assert!((age - 10.0).abs() < 1e-12, "{age}");
        let led = read(
            "[element]\nfriction.dahl = { force = 1.0, stiffness = 150.0 }\n\
             [[element.displacement]]\nramp = { rate = 0.01 }\n[run]\nend = 1.0\n",
        );
        assert!(led.unwrap().problem.model.as_hysteretic().unwrap().body().is_none());
    }

    /// A slider of rate and state in a network is the contact of an oscillator: the same motion, and the age under the slider's name.
    #[test]
    fn a_slider_of_rate_and_state_is_read() {
        let law = "friction.rate-and-state = { coefficient = 0.6, a = 0.01, b = 0.015, distance = 1e-4, speed = 1e-3 }";
        let network = |more: &str| {
            read(&format!(
                "[[network.node]]\nname = \"block\"\nmass = 1.0\n[[network.spring]]\nbetween = [\"block\", \"ground\"]\n\
                 stiffness = 2000.0\n[[network.force]]\non = \"block\"\nramp.rate = 20.0\n[[network.slider]]\nname = \"fault\"\n\
                 between = [\"block\", \"ground\"]\n{law}\n{more}\n[run]\nend = 1.0\n"
            ))
        };
        let file = network("z = 0.1\nnormal = [{ constant = 10.0 }]").unwrap();
        let found = stickslip::solve(&file.problem, &file.run.scheme).unwrap();
        let one = "[oscillator]\nmass = 1.0\nstiffness = 2000.0\ninitial.z = 0.1\nnormal = [{ constant = 10.0 }]\n\
                   drive = [{ ramp.rate = 1e-2 }]\n";
        let one = read(&format!("{one}{law}\n[run]\nend = 1.0\n")).unwrap();
        let wanted = stickslip::solve(&one.problem, &one.run.scheme).unwrap();
        let row = |s: &stickslip::Solution, names: [&str; 4], t: f64| {
            let columns = s.columns();
            let mut all = vec![0.0; columns.len()];
            s.row(t, &mut all);
            names.map(|name| all[columns.iter().position(|c| c.name == name).unwrap()])
        };
        let mut fastest = 0.0f64;
        for k in 0..=50 {
            let t = 0.02 * f64::from(k);
            let [x, v, f, z] = row(&found, ["x_block", "v_block", "friction_fault", "z_fault"], t);
            let [a, b, c, age] = row(&wanted, ["x", "v", "friction", "z"], t);
            assert!((x - a).abs() < 1e-9 && (v - b).abs() < 1e-7 && (f - c).abs() < 1e-6, "{t}");
            assert!((z / age - 1.0).abs() < 1e-6, "{t}: {z} {age}");
            fastest = fastest.max(v);
        }
        assert!(fastest > 1e-2, "{fastest}");
        let said = network("z = -1.0\nnormal = [{ constant = 10.0 }]").unwrap_err().to_string();
        assert!(said.contains("expected a finite age > 0 s"), "{said}");
        let said = match network("") {
            Err(e) => e.to_string(),
            Ok(file) => stickslip::solve(&file.problem, &file.run.scheme).unwrap_err().to_string(),
        };
        assert!(said.contains("it has no normal force"), "{said}");
    }

    #[test]
    fn what_does_not_go_with_memory_is_refused_with_its_reason() {
        let dahl = "friction.dahl = { force = 1.0, stiffness = 150.0 }";
        let said = |text: Result<ModelFile>| text.unwrap_err().to_string();
        let stops =
            said(oscillator(&format!("{dahl}\nstops = {{ lower = -1.0, restitution = 0.5 }}")));
        assert!(stops.contains("`stops` does not go with a law that has memory"), "{stops}");
        let exact = "[oscillator]\nmass = 1.0\nstiffness = 25.0\nfriction.dahl = { force = 1.0, stiffness = 150.0 }\n\
                     [run]\nend = 1.0\nscheme = \"exact\"\n";
        let exact = read(exact).unwrap();
        let refused = stickslip::solve(&exact.problem, &exact.run.scheme).unwrap_err().to_string();
        assert!(refused.contains("the friction has memory; `adaptive`"), "{refused}");
        let network = "[[network.node]]\nname = \"a\"\nmass = 1.0\n[[network.slider]]\nname = \"s\"\n\
                       between = [\"a\", \"ground\"]\nfriction.lugre = { static = 1.0, dynamic = 1.0, stiffness = 1e3 }\n\
                       [run]\nend = 1.0\n";
        assert!(read(network).is_ok(), "sliders of networks remember, too");
        let negative =
            "friction.lugre = { static = 1.0, dynamic = 1.0, stiffness = 1e3, damping = -1.0 }";
        let negative = said(oscillator(negative));
        assert!(negative.contains("expected ≥ 0"), "{negative}");
        let naked = "friction.rate-and-state = { coefficient = 0.6, a = 0.008, b = 0.012, distance = 1e-5, speed = 1e-6 }";
        let naked = said(oscillator(naked));
        assert!(naked.contains("expected `normal`"), "{naked}");
    }
}

//! `[[network.…]]`: nodes, springs, dashpots, sliders, forces, motions, and matrices.

use super::controller::{self, Controller};
use super::friction::Friction;
use super::friction::memory::Remembering;
use super::gear::{self, Gear};
use super::hysteretic::Remembered;
use super::signal::{self, Signal};
use super::stops::Bumper;
use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{Table, any, not_negative, positive};
use crate::reading::Gathered;
use crate::units::about_an_axis;
use serde::Serialize;
use stickslip::model::machine::Curve;
use stickslip::model::network::{Matrices as BuiltMatrices, PartKind};
use stickslip::model::{Machine, Network as Built, NetworkBuilder};
use stickslip::{Error, Law, Model};

#[derive(Debug, Clone, Serialize)]
struct Node {
    name: String,
    mass: f64,
    displacement: f64,
    velocity: f64,
}

#[derive(Debug, Clone, Serialize)]
struct Spring {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    between: [String; 2],
    #[serde(flatten)]
    pull: Pull,
    /// Where its free travel begins and ends, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    play: Option<[f64; 2]>,
}

impl Spring {
    fn read(t: &Table<'_>) -> Result<Self> {
        let pull = Pull::read(t)?;
        let play = if t.has("play") { Some(play(t, &pull)?) } else { None };
        let name = t.text_opt("name", "a name")?.map(|n| n.value);
        Ok(Self { name, between: t.pair("between", ENDS)?, pull, play })
    }

    /// Its pull, for a machine.
    fn curve(&self) -> Result<Curve, Error> {
        let curve = match &self.pull {
            Pull::Linear(stiffness) => Curve::Powers(vec![*stiffness]),
            Pull::Powers(powers) => Curve::Powers(powers.clone()),
            Pull::Sine { amplitude, wave_number } => {
                Curve::Sine { amplitude: *amplitude, wave_number: *wave_number }
            }
            Pull::Table { elongation, force } => Curve::table(elongation, force)?,
        };
        Ok(self.play.map_or(curve.clone(), |travel| curve.with_play(travel)))
    }
}

/// The free travel of a spring that pulls like this.
fn play(t: &Table<'_>, pull: &Pull) -> Result<[f64; 2]> {
    if matches!(pull, Pull::Table { .. }) {
        let message = "a spring has both `table` and `play`; expected one of the two";
        let help = "write the free travel into the table: two points with the force 0";
        return Err(Diagnostic::at(t.place_of("play"), message).help(help));
    }
    let found = t.numbers("play", any("m"))?;
    if let [lower, upper] = found[..]
        && lower <= upper
    {
        return Ok([lower, upper]);
    }
    let unit = t.unit("m");
    let message = format!(
        "`{}` is {found:?}; expected two numbers in ascending order, in {unit}",
        t.path_of("play")
    );
    let help = "the spring does not pull from the first elongation to the second: `play = [-0.001, 0.001]`";
    Err(Diagnostic::at(t.place_of("play"), message).help(help))
}

/// What a spring pulls with.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Pull {
    /// k z.
    #[serde(rename = "stiffness")]
    Linear(f64),
    /// k₁ z + k₂ z² + …
    #[serde(rename = "stiffness")]
    Powers(Vec<f64>),
    /// A sin(κ z).
    Sine { amplitude: f64, wave_number: f64 },
    /// Linear between points.
    Table { elongation: Vec<f64>, force: Vec<f64> },
}

impl Pull {
    fn read(t: &Table<'_>) -> Result<Self> {
        let table = t.table_opt("table", &["elongation", "force"])?;
        let sine = t.table_opt("sine", &["amplitude", "wave_number"])?;
        let given = ["stiffness", "sine", "table"].into_iter().filter(|k| t.has(k));
        if let [one, other, ..] = given.collect::<Vec<_>>()[..] {
            let message =
                format!("a spring has both `{one}` and `{other}`; expected one of the two");
            let place = t.place_of(other);
            return Err(Diagnostic::at(place, message).help("make two springs of them"));
        }
        if let Some(table) = table {
            let elongation = table.increasing("elongation", any("m"))?;
            let force = table.numbers("force", any("N"))?;
            let [n, m] = [elongation.len(), force.len()];
            if n != m || n < 2 {
                let message = format!(
                    "`{}` has {n} elongations and {m} forces; expected two or more, as many of each",
                    t.path_of("table")
                );
                return Err(Diagnostic::at(table.place_of("force"), message)
                    .help("give each elongation its force"));
            }
            return Ok(Self::Table { elongation, force });
        }
        if let Some(sine) = sine {
            let amplitude = sine.number("amplitude", any("N"))?;
            return Ok(Self::Sine {
                amplitude,
                wave_number: sine.number("wave_number", any("1/m"))?,
            });
        }
        if t.has("stiffness") && !t.has_number("stiffness") {
            return Ok(Self::Powers(t.numbers("stiffness", any("N/m, N/m², …"))?));
        }
        Ok(Self::Linear(t.number("stiffness", positive("N/m"))?))
    }
}

#[derive(Debug, Clone, Serialize)]
struct Dashpot {
    between: [String; 2],
    damping: f64,
}

#[derive(Debug, Clone, Serialize)]
struct Slider {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    between: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    direction: Vec<f64>,
    #[serde(flatten)]
    rubs: Rubs,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    normal: Vec<Signal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    normal_from: Option<Press>,
    /// v_s(t): the signals that are summed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    support: Vec<Signal>,
}

/// The part that presses a slider.
#[derive(Debug, Clone, Serialize)]
struct Press {
    #[serde(flatten)]
    by: Presser,
    factor: f64,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Presser {
    Spring(String),
    Stop(String),
}

impl Press {
    fn read(t: &Table<'_>) -> Result<Option<Self>> {
        let Some(t) = t.table_opt("normal_from", &["spring", "stop", "factor"])? else {
            return Ok(None);
        };
        let by = match (t.text_opt("spring", "a name")?, t.text_opt("stop", "a name")?) {
            (Some(spring), None) => Presser::Spring(spring.value),
            (None, Some(stop)) => Presser::Stop(stop.value),
            (Some(_), Some(_)) => {
                let message = "both a spring and a stop press a slider; expected one of the two";
                let help = "leave one out; a slider for each may be on the same node";
                return Err(Diagnostic::at(t.place_of("stop"), message).help(help));
            }
            (None, None) => {
                return Err(
                    t.missing("spring", "the name of a spring, or `stop`: that of a soft stop")
                );
            }
        };
        Ok(Some(Self { by, factor: t.number_or("factor", any(""), 1.0)? }))
    }
}

/// What rubs in a slider.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Rubs {
    /// Two forces.
    Plainly {
        #[serde(rename = "static")]
        breakaway: f64,
        dynamic: f64,
    },
    /// By a law.
    By { friction: Friction },
    /// By a law with memory.
    Remembers {
        friction: Remembering,
        /// What it remembers at t = 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        z: Option<Remembered>,
    },
}

impl Rubs {
    fn read(t: &Table<'_>, gathered: &Gathered) -> Result<Self> {
        // What it says must make sense by itself, before it is said that nothing here remembers it.
        if !Remembering::is_in(t) && Remembered::read(t, "m")?.is_some() {
            let message = "a slider has `z`, which only laws with memory start from";
            return Err(Diagnostic::at(t.place_of("z"), message)
                .help("leave it out, or take a law with memory, such as lugre"));
        }
        if t.has("friction") {
            if let Some(key) = ["static", "dynamic"].into_iter().find(|k| t.has(k)) {
                let message =
                    format!("a slider has both `friction` and `{key}`; expected one of the two");
                return Err(Diagnostic::at(t.place_of(key), message)
                    .help("`static` and `dynamic` stand for friction.static-dynamic"));
            }
            if Remembering::is_in(t) {
                let friction = Remembering::read(t)?;
                let z = Remembered::read(t, friction.unit())?;
                return Ok(Self::Remembers { friction, z });
            }
            return Ok(Self::By { friction: Friction::read(t, gathered.reading.resources())? });
        }
        let breakaway = t.number("static", not_negative("N"))?;
        let dynamic = t.number_or("dynamic", not_negative("N"), breakaway)?;
        Ok(Self::Plainly { breakaway, dynamic })
    }

    /// Its law; none where it is stated by its two forces.
    fn law(&self) -> Result<Option<Law>> {
        match self {
            Self::Plainly { .. } | Self::Remembers { .. } => Ok(None),
            Self::By { friction } => Ok(Some(friction.build()?)),
        }
    }

    /// The two forces of a network's slider, N, if they are all that there is to it. Of another law these are greatest.
    fn forces(&self, law: Option<&Law>) -> ([f64; 2], bool) {
        match (self, law.map(Law::constants)) {
            (Self::Plainly { breakaway, dynamic }, _) => ([*breakaway, *dynamic], true),
            (Self::By { .. }, Some(Some([forward, backward]))) if forward == backward => {
                ([forward.0, forward.1], true)
            }
            (Self::By { .. }, _) => (law.map_or([0.0; 2], |l| [l.breakaway(); 2]), false),
            (Self::Remembers { .. }, _) => ([0.0; 2], false),
        }
    }
}

#[derive(Debug, Clone, Serialize)]
struct On {
    on: String,
    #[serde(flatten)]
    signal: Signal,
}

/// A stop between two ends.
#[derive(Debug, Clone, Serialize)]
struct Stop {
    name: String,
    between: [String; 2],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lower: Vec<Signal>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    upper: Vec<Signal>,
    #[serde(flatten)]
    bumper: Bumper,
}

impl Stop {
    /// Reads stop number `i`.
    fn read(t: &Table<'_>, i: usize, gathered: &mut Gathered) -> Result<Self> {
        let given = t.text_opt("name", "a name")?;
        let mut bound = |key: &str| {
            if !t.has(key) {
                return Ok(Vec::new());
            }
            let signals = signal::read_or_number(t, key, "m", gathered)?;
            if signals.is_empty() {
                let message = format!("`{}` is an empty list", t.path_of(key));
                return Err(Diagnostic::at(t.place_of(key), message).help(format!(
                    "leave `{key}` out where nothing stops, or give a number, in {}",
                    t.unit("m")
                )));
            }
            Ok(signals)
        };
        let lower = bound("lower")?;
        let upper = bound("upper")?;
        if lower.is_empty() && upper.is_empty() {
            let unit = t.unit("m");
            let expected =
                format!("a number, in {unit}, or a list of signals: lower ≤ x_first − x_second");
            return Err(t.missing("lower", &expected));
        }
        Ok(Self {
            name: given.map_or_else(|| format!("stop{}", i + 1), |n| n.value),
            between: t.pair("between", ENDS)?,
            lower,
            upper,
            bumper: Bumper::read(t)?,
        })
    }
}

/// Keys of `[[network.stop]]`.
const STOP: [&str; 7] =
    ["name", "between", "lower", "upper", "restitution", "stiffness", "damping"];

/// Rows of numbers, in the order of the nodes.
#[derive(Debug, Clone, Serialize)]
struct Matrices {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mass: Vec<Vec<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damping: Vec<Vec<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stiffness: Vec<Vec<f64>>,
}

impl Matrices {
    fn read(t: &Table<'_>) -> Result<Option<Self>> {
        let Some(t) = t.table_opt("matrices", &MATRICES)? else { return Ok(None) };
        let mass = t.matrix("mass", any("kg"))?;
        let damping = t.matrix("damping", any("N·s/m"))?;
        Ok(Some(Self { mass, damping, stiffness: t.matrix("stiffness", any("N/m"))? }))
    }
}

/// A network, as written in a file.
#[derive(Debug, Clone, Serialize)]
pub struct Network {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rotation: bool,
    node: Vec<Node>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrices: Option<Matrices>,
    spring: Vec<Spring>,
    dashpot: Vec<Dashpot>,
    slider: Vec<Slider>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stop: Vec<Stop>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    controller: Vec<Controller>,
    gear: Vec<Gear>,
    force: Vec<On>,
    motion: Vec<On>,
}

/// What is wrong with a network, at the line that says so.
fn placed(t: &Table<'_>, error: Error) -> Diagnostic {
    let Error::BadNetwork { place, reason, remedy } = error else {
        return t.fault(error.to_string());
    };
    if place.kind == PartKind::Matrix {
        let table = t.table("matrices", &MATRICES);
        let message = format!("{place}: {reason}");
        let found = table.map(|m| m.fault_in(place.property, place.index, "", message.clone()));
        return found.unwrap_or_else(|_| t.fault(message)).help(remedy);
    }
    let list = match place.kind {
        PartKind::Node | PartKind::State | PartKind::Matrix => "node",
        PartKind::Spring => "spring",
        PartKind::Dashpot => "dashpot",
        PartKind::Slider => "slider",
        PartKind::Stop => "stop",
        PartKind::Controller => "controller",
        PartKind::Gear => "gear",
        PartKind::Force => "force",
        PartKind::Motion => "motion",
    };
    t.fault_in(list, place.index, place.property, format!("{place}: {reason}")).help(remedy)
}

/// What the library says of a network along a line, in the units of an axis. Names stand in backticks and stay.
fn said_about_an_axis(reason: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_end_matches([',', ';', '.', ':', ')']);
        let turned = match bare {
            "mass" => Some("inertia"),
            unit => about_an_axis(unit),
        };
        turned.map_or_else(|| word.to_owned(), |t| format!("{t}{}", &word[bare.len()..]))
    };
    reason.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Keys of `[network]`.
pub const KEYS: [&str; 11] = [
    "rotation",
    "node",
    "spring",
    "dashpot",
    "slider",
    "stop",
    "gear",
    "controller",
    "force",
    "motion",
    "matrices",
];

/// Keys of `[[network.slider]]`.
const SLIDER: [&str; 10] = [
    "name",
    "between",
    "direction",
    "static",
    "dynamic",
    "friction",
    "normal",
    "normal_from",
    "support",
    "z",
];

/// Keys of `[network.matrices]`.
const MATRICES: [&str; 3] = ["mass", "damping", "stiffness"];

const ENDS: &str = "two names of nodes, or one and \"ground\"";

/// The ends of a slider that is not along a direction.
fn between(t: &Table<'_>) -> Result<Option<[String; 2]>> {
    if t.has("direction") && !t.has("between") {
        return Ok(None);
    }
    t.pair("between", ENDS).map(Some)
}

/// The direction of a slider, for `count` nodes; empty where it is between two ends.
fn direction(t: &Table<'_>, count: usize) -> Result<Vec<f64>> {
    if !t.has("direction") {
        return Ok(Vec::new());
    }
    let found = t.numbers("direction", any(""))?;
    if t.has("between") {
        let message = "a slider has both `between` and `direction`; expected one of the two";
        return Err(Diagnostic::at(t.place_of("direction"), message).help("leave one out"));
    }
    if found.len() == count {
        return Ok(found);
    }
    let message = format!(
        "`direction` has {} numbers; expected one for each of the {count} nodes",
        found.len()
    );
    Err(Diagnostic::at(t.place_of("direction"), message).help(
        "give the weights in the order of the nodes, 0 for those that the slip does not depend on",
    ))
}

impl Network {
    /// Reads `[network]`.
    pub fn read(t: &Table<'_>, gathered: &mut Gathered) -> Result<Self> {
        let name = |t: &Table<'_>, key: &str| t.text(key, "a name").map(|n| n.value);
        let t = &t.clone().rotating_as_told()?;
        let nodes = t.tables("node", &["name", "mass", "inertia", "displacement", "velocity"])?;
        let matrices = Matrices::read(t)?;
        let node = |t: &Table<'_>| {
            let mass = not_negative("kg");
            Ok(Node {
                name: name(t, "name")?,
                mass: match &matrices {
                    Some(_) => t.number_or(t.inertial_key()?, mass, 0.0)?,
                    None => t.number(t.inertial_key()?, mass)?,
                },
                displacement: t.number_or("displacement", any("m"), 0.0)?,
                velocity: t.number_or("velocity", any("m/s"), 0.0)?,
            })
        };
        let springs =
            t.tables("spring", &["name", "between", "stiffness", "sine", "table", "play"])?;
        let dashpots = t.tables("dashpot", &["between", "damping"])?;
        let dashpot = |t: &Table<'_>| {
            let damping = t.number("damping", positive("N·s/m"))?;
            Ok(Dashpot { between: t.pair("between", ENDS)?, damping })
        };
        let count = nodes.len();
        let sliders = t.tables("slider", &SLIDER)?;
        let slider = sliders
            .iter()
            .enumerate()
            .map(|(i, t)| {
                // With a normal force they are coefficients.
                let pressed = t.has("normal") || t.has("normal_from");
                let rubs = Rubs::read(&t.clone().coefficients(pressed), gathered)?;
                let given = t.text_opt("name", "a name")?;
                Ok(Slider {
                    name: given.map_or_else(|| format!("s{}", i + 1), |n| n.value),
                    between: between(t)?,
                    direction: direction(t, count)?,
                    rubs,
                    normal: signal::read(t, "normal", "N", gathered)?,
                    normal_from: Press::read(t)?,
                    support: signal::read(t, "support", "m/s", gathered)?,
                })
            })
            .collect::<Result<_>>()?;
        let stops = t.tables("stop", &STOP)?;
        let stop = stops.iter().enumerate();
        let stop = stop.map(|(i, t)| Stop::read(t, i, gathered)).collect::<Result<_>>()?;
        let controllers = t.tables("controller", &controller::KEYS)?;
        let controllers = controllers.iter().enumerate();
        let controller =
            controllers.map(|(i, t)| Controller::read(t, i, gathered)).collect::<Result<_>>()?;
        let gears = t.tables("gear", &gear::KEYS)?;
        let gear = gears.iter().enumerate();
        let gear = gear.map(|(i, t)| Gear::read(t, i)).collect::<Result<_>>()?;
        let mut on = |key: &str, unit: &'static str| {
            let kinds = signal::kinds(key).iter().copied();
            let tables = t.tables(key, &std::iter::once("on").chain(kinds).collect::<Vec<_>>())?;
            let one = |t: &Table<'_>| {
                let signal = signal::beside(t, &["on"], key, unit, gathered)?;
                Ok(On { on: name(t, "on")?, signal })
            };
            tables.iter().map(one).collect::<Result<Vec<_>>>()
        };
        let force = on("force", "N")?;
        let motion = on("motion", "m")?;
        Ok(Self {
            rotation: t.flag_or("rotation", false)?,
            node: nodes.iter().map(node).collect::<Result<_>>()?,
            spring: springs.iter().map(Spring::read).collect::<Result<_>>()?,
            dashpot: dashpots.iter().map(dashpot).collect::<Result<_>>()?,
            matrices,
            slider,
            stop,
            controller,
            gear,
            force,
            motion,
        })
    }

    /// Every signal of the model.
    pub fn signals(&self) -> impl Iterator<Item = &Signal> {
        let on = self.force.iter().chain(&self.motion).map(|o| &o.signal);
        let sliders = self.slider.iter().flat_map(|s| s.normal.iter().chain(&s.support));
        let stops = self.stop.iter().flat_map(|s| s.lower.iter().chain(&s.upper));
        on.chain(sliders).chain(stops).chain(self.controller.iter().flat_map(Controller::signals))
    }

    /// The library's network, without noises, or the machine that it is where a network cannot hold all of it or
    /// `adaptive` is asked for; `t` is the table that it was read from.
    pub fn build(&self, t: &Table<'_>, adaptive: bool, gathered: &mut Gathered) -> Result<Model> {
        let laws = self.slider.iter().map(|s| s.rubs.law()).collect::<Result<Vec<_>>>()?;
        let network = self.network(t, &laws, gathered)?;
        let plain = |s: &Slider, law: &Option<Law>| {
            s.support.is_empty() && s.normal_from.is_none() && s.rubs.forces(law.as_ref()).1
        };
        let plain = self.slider.iter().zip(&laws).all(|(s, law)| plain(s, law));
        let plain = plain && self.stop.is_empty() && self.controller.is_empty();
        let plain = plain && self.gear.is_empty();
        if plain && !adaptive && self.spring.iter().all(|s| self.is_linear(s)) {
            return Ok(network.into());
        }
        self.machine(network, laws).map(Model::from).map_err(|e| self.placed(t, e, false))
    }

    /// The machine of a network.
    fn machine(&self, network: Built, laws: Vec<Option<Law>>) -> Result<Machine, Error> {
        let mut machine = Machine::geared(network, self.gear.iter().map(Gear::build))?;
        for (s, law) in self.slider.iter().zip(laws) {
            if let Some(law) = law {
                machine = machine.with_law(&s.name, law)?;
            }
            if let Rubs::Remembers { friction, z } = &s.rubs {
                let remembered = z.as_ref().map_or(&[][..], Remembered::numbers).iter().copied();
                machine = machine.with_memory(&s.name, friction.build()?, remembered)?;
            }
            if !s.support.is_empty() {
                machine = machine.with_support(&s.name, signal::sum(&s.support)?)?;
            }
        }
        for s in &self.spring {
            if self.is_linear(s) {
                continue;
            }
            let between = [&*s.between[0], &*s.between[1]];
            machine = match &s.name {
                Some(name) => machine.with_named_spring(name, between, s.curve()?)?,
                None => machine.with_spring(between, s.curve()?)?,
            };
        }
        for s in &self.stop {
            let bound = |signals: &[Signal]| match signals {
                [] => Ok(None),
                some => signal::sum(some).map(Some),
            };
            let bounds = [bound(&s.lower)?, bound(&s.upper)?];
            let between = [&*s.between[0], &*s.between[1]];
            machine = machine.with_stop(&s.name, between, bounds, s.bumper.build())?;
        }
        for s in &self.slider {
            let Some(press) = &s.normal_from else { continue };
            machine = match &press.by {
                Presser::Spring(by) => machine.pressed_by_spring(&s.name, by, press.factor)?,
                Presser::Stop(by) => machine.pressed_by_stop(&s.name, by, press.factor)?,
            };
        }
        for c in &self.controller {
            machine = c.add_to(machine)?;
        }
        machine.check_joined()?;
        Ok(machine)
    }

    /// Whether the library's network itself holds this spring: the machine holds those that are not linear, and those by which
    /// sliders are pressed.
    fn is_linear(&self, s: &Spring) -> bool {
        let presses = |slider: &Slider| {
            let by = slider.normal_from.as_ref().map(|p| &p.by);
            matches!(by, Some(Presser::Spring(name)) if s.name.as_ref() == Some(name))
        };
        let plain = matches!(s.pull, Pull::Linear(_)) && s.play.is_none();
        plain && !self.slider.iter().any(presses)
    }

    /// What is wrong with it, at the line that says so. Springs are numbered among the linear ones, or among the others.
    fn placed(&self, t: &Table<'_>, mut error: Error, linear: bool) -> Diagnostic {
        if let Error::BadNetwork { place, .. } = &mut error
            && place.kind == PartKind::Spring
        {
            let of = |s: &(usize, &Spring)| self.is_linear(s.1) == linear;
            let nth = self.spring.iter().enumerate().filter(of).nth(place.index);
            place.index = nth.map_or(place.index, |s| s.0);
        }
        if let Error::BadNetwork { reason, .. } = &mut error
            && self.rotation
        {
            *reason = said_about_an_axis(reason);
        }
        placed(t, error)
    }

    /// The library's network with what it can hold.
    fn network(
        &self,
        t: &Table<'_>,
        laws: &[Option<Law>],
        gathered: &mut Gathered,
    ) -> Result<Built> {
        let built = self.builder(laws)?.build().map_err(|e| self.placed(t, e, true))?;
        for (i, f) in self.force.iter().enumerate().filter(|f| f.1.signal.noise().is_some()) {
            if built.nodes().iter().all(|n| n.name != f.on) {
                let name = &f.on;
                let message = format!(
                    "a noise acts on node `{name}`, but the displacement at a contact along a direction has taken its place"
                );
                let help = "give another node the greatest weight in the direction of that contact";
                return Err(t.fault_in("force", i, "on", message).help(help));
            }
        }
        gathered.warnings.extend(built.remarks().iter().map(ToString::to_string));
        Ok(built)
    }

    /// The noises, each with the node that it acts on.
    pub fn noises(&self, model: &Model) -> Vec<(usize, stickslip::Noise)> {
        let names = model.points();
        let node = |f: &On| names.iter().position(|n| *n == f.on);
        self.force.iter().filter_map(|f| node(f).zip(f.signal.noise())).collect()
    }

    /// Without noises.
    fn builder(&self, laws: &[Option<Law>]) -> Result<NetworkBuilder> {
        let mut b = Built::builder();
        // What only a machine has may be all that joins a node: that is looked at when the machine is complete.
        let more = !self.stop.is_empty() || !self.controller.is_empty() || !self.gear.is_empty();
        if more || !self.spring.iter().all(|s| self.is_linear(s)) {
            b = b.unjoined();
        }
        for n in &self.node {
            b = b.node(&n.name, n.mass).starting_at(&n.name, n.displacement, n.velocity);
        }
        if let Some(m) = &self.matrices {
            let mass = m.mass.clone();
            let damping = m.damping.clone();
            b = b.matrices(BuiltMatrices { mass, damping, stiffness: m.stiffness.clone() });
        }
        for s in self.spring.iter().filter(|s| self.is_linear(s)) {
            if let Pull::Linear(stiffness) = s.pull {
                b = b.spring(&s.between[0], &s.between[1], stiffness);
            }
        }
        for d in &self.dashpot {
            b = b.dashpot(&d.between[0], &d.between[1], d.damping);
        }
        for (s, law) in self.slider.iter().zip(laws) {
            let ([breakaway, dynamic], _) = s.rubs.forces(law.as_ref());
            b = match &s.between {
                Some([one, other]) => b.slider(&s.name, one, other, breakaway, dynamic),
                None => {
                    let names = self.node.iter().map(|n| n.name.as_str());
                    let along = names.zip(s.direction.iter().copied()).filter(|w| w.1 != 0.0);
                    b.slider_along(&s.name, along, breakaway, dynamic)
                }
            };
            if !s.normal.is_empty() {
                b = b.normal(signal::sum(&s.normal)?);
            }
        }
        for f in &self.force {
            b = b.force(&f.on, f.signal.build()?);
        }
        for m in &self.motion {
            b = b.motion(&m.on, m.signal.build()?);
        }
        Ok(b)
    }
}

#[cfg(test)]
mod tests {
    use crate::model::ModelFile;
    use crate::{Document, Memory, Reading};

    const MATRICES: &str =
        "mass = [[2.0, 0.5], [0.5, 1.0]]\nstiffness = [[3.0, 1.0], [1.0, 2.0]]\n";

    fn read(matrices: &str, slider: &str) -> Result<stickslip::model::Network, String> {
        let text = format!(
            "[[network.node]]\nname = \"a\"\n[[network.node]]\nname = \"b\"\n\
             [network.matrices]\n{matrices}[[network.slider]]\nstatic = 1.0\n{slider}[run]\nend = 1.0\nscheme = \"exact\"\n"
        );
        let document = Document::parse("m.toml", &text).map_err(|d| d.message().to_owned())?;
        let reading = Reading::new(Memory::default());
        let file = ModelFile::read(&document, &reading).map_err(|d| d.message().to_owned())?;
        match &file.problem.model {
            stickslip::Model::Network(n) => Ok(n.clone()),
            _ => Err("another kind".into()),
        }
    }

    #[test]
    fn matrices_and_directions_are_read() {
        let n = read(MATRICES, "between = [\"a\", \"ground\"]\n").unwrap();
        assert_eq!((n.nodes()[0].mass, n.shared_masses()[0].mass), (2.0, 0.5));
        let n = read("mass = [2.0, 1.0]\n", "direction = [0.6, 0.8]\n").unwrap();
        // x_b = (y − 0.6 x_a)/0.8
        assert!((n.nodes()[0].mass - (2.0 + 0.75 * 0.75)).abs() < 1e-14);
        assert_eq!(n.nodes()[1].name, "s1");
    }

    #[test]
    fn what_is_wrong_with_matrices_is_said() {
        let free = "between = [\"a\", \"ground\"]\n";
        let told = |m: &str, s: &str, what: &str| {
            let message = read(m, s).unwrap_err();
            assert!(message.contains(what), "{message}");
        };
        told("mass = [[1.0, 2.0], [2.0, 1.0]]\n", free, "kinetic energy");
        told("mass = [[1.0, 0.2], [0.3, 1.0]]\n", free, "row 2 of the mass matrix");
        told("mass = [[1.0, 0.2]]\n", free, "1 rows");
        told("mass = [[1.0], 2.0]\n", free, "a row of numbers");
        told("mass = 3.0\n", free, "a list of rows");
        told(MATRICES, "direction = [1.0]\n", "1 numbers");
        told(MATRICES, &format!("{free}direction = [1.0, 0.0]\n"), "both");
        told(MATRICES, "", "between");
    }

    fn model(parts: &str, run: &str) -> Result<stickslip::Model, String> {
        let text = format!(
            "[[network.node]]\nname = \"a\"\nmass = 1.0\n[[network.node]]\nname = \"b\"\nmass = 2.0\n\
             [[network.spring]]\nbetween = [\"a\", \"b\"]\nstiffness = 1.0\n{parts}[run]\nend = 1.0\n{run}"
        );
        let document = Document::parse("m.toml", &text).map_err(|d| d.message().to_owned())?;
        let file = ModelFile::read(&document, &Reading::new(Memory::default()));
        file.map(|f| f.problem.model).map_err(|d| d.message().to_owned())
    }

    const SLIDER: &str = "[[network.slider]]\nname = \"s\"\nbetween = [\"a\", \"ground\"]\n";
    const STOP: &str = "[[network.stop]]\nname = \"gap\"\nbetween = [\"a\", \"b\"]\n";

    const CONTROLLER: &str = "[[network.controller]]\nof = \"a\"\non = \"a\"\n";

    /// Every key of a spring of pieces, and of what presses a slider, gets to the library.
    #[test]
    fn springs_of_pieces_and_pressed_sliders_are_read() {
        use stickslip::model::machine::{Curve, Press, Presser};
        let of = |parts: &str| match model(parts, "") {
            Ok(stickslip::Model::Machine(m)) => m,
            other => panic!("{other:?}"),
        };
        let ends = "[[network.spring]]\nbetween = [\"b\", \"ground\"]\n";
        let m = of(&format!(
            "{ends}name = \"k\"\nstiffness = 3.0\nplay = [-0.1, 0.2]\n\
             {ends}table = {{ elongation = [0.0, \"5 mm\"], force = [1.0, \"2 kN\"] }}\n\
             {SLIDER}static = 0.3\nnormal_from = {{ spring = \"k\", factor = -2.0 }}\n"
        ));
        assert_eq!(m.springs()[0].curve, Curve::Powers(vec![3.0]).with_play([-0.1, 0.2]));
        assert_eq!(m.springs()[1].curve, Curve::table(&[0.0, 5e-3], &[1.0, 2e3]).unwrap());
        let press = m.frictions()[0].press;
        assert_eq!(press, Some(Press { by: Presser::Spring(0), factor: -2.0 }));
        // A linear spring stays with the network, unless it presses a slider.
        let named = format!("{ends}name = \"k\"\nstiffness = 3.0\n{SLIDER}static = 0.3\n");
        assert!(matches!(model(&named, "").unwrap(), stickslip::Model::Network(_)));
        let m = of(&format!("{named}normal_from.spring = \"k\"\n"));
        assert_eq!((m.network().springs().len(), m.springs().len()), (1, 1));
        let m = of(&format!(
            "{STOP}upper = 0.1\nstiffness = 9.0\n{SLIDER}static = 0.3\nnormal_from.stop = \"gap\"\n"
        ));
        let press = m.frictions()[0].press;
        assert_eq!(press, Some(Press { by: Presser::Stop(0), factor: 1.0 }));
    }

    #[test]
    fn what_is_wrong_with_springs_of_pieces_and_pressed_sliders_is_said() {
        let told = |parts: &str, what: &str| {
            let message = model(parts, "").unwrap_err();
            assert!(message.contains(what), "{message}");
        };
        let ends = "[[network.spring]]\nbetween = [\"b\", \"ground\"]\n";
        told(&format!("{ends}stiffness = 1.0\nplay = [0.2, 0.1]\n"), "ascending");
        told(&format!("{ends}stiffness = 1.0\nplay = [0.2]\n"), "two numbers");
        let table = "table = { elongation = [0.0, 1.0], force = [0.0, 1.0] }\n";
        told(&format!("{ends}{table}play = [0.1, 0.2]\n"), "both `table` and `play`");
        told(&format!("{ends}{table}stiffness = 1.0\n"), "both `stiffness` and `table`");
        told(
            &format!("{ends}table = {{ elongation = [0.0, 1.0], force = [0.0] }}\n"),
            "2 elongations and 1 forces",
        );
        told(
            &format!("{ends}table = {{ elongation = [0.0, 0.0], force = [0.0, 1.0] }}\n"),
            "increasing",
        );
        let pressed = |by: &str| format!("{SLIDER}static = 0.3\nnormal_from = {{ {by} }}\n");
        told(&pressed("spring = \"k\""), "no spring of the name `k`");
        told(&pressed("factor = 2.0"), "the name of a spring");
        told(&pressed("spring = \"k\", stop = \"gap\""), "one of the two");
        let rigid = format!("{STOP}upper = 0.1\nrestitution = 0.5\n");
        told(&format!("{rigid}{}", pressed("stop = \"gap\"")), "rigid");
        let soft = format!("{STOP}upper = 0.1\nstiffness = 5.0\n");
        told(
            &format!("{soft}{}", pressed("stop = \"gap\", factor = -1.0")),
            "expected a finite number > 0",
        );
    }

    /// Every key of a controller gets to the library.
    #[test]
    fn controllers_are_read() {
        use stickslip::model::machine::{
            AntiWindup, FeedForward, Gains, Limit, Quantity, Rule, Sampling, StateSpace,
        };
        let of = |parts: &str| match model(parts, "").unwrap() {
            stickslip::Model::Machine(m) => m.controllers()[0].clone(),
            _ => panic!("no machine"),
        };
        let c = of("[[network.controller]]\nname = \"pid\"\nof = [\"a\", \"b\"]\non = \"b\"\n\
             quantity = \"velocity\"\nreference = 0.5\nproportional = 1.0\nintegral = 2.0\n\
             derivative = 3.0\nfilter = 0.1\nlimit = 4.0\nsample_time = 0.2\ndelay = 0.3\n\
             hold = \"zero\"\nquantum = 0.01\nfeed_forward.tanh = { force = 0.7, velocity = 0.2 }\n\
             dither = [{ harmonic = { amplitude = 0.1, angular_frequency = 9.0 } }]\n");
        assert_eq!((&*c.name, c.of(), c.on()), ("pid", [Some(0), Some(1)], 1));
        assert_eq!(c.law.quantity, Quantity::Velocity);
        assert_eq!(c.law.reference.as_constant(), Some(0.5));
        let gains = Gains { proportional: 1.0, integral: 2.0, derivative: 3.0, filter: 0.1 };
        assert_eq!(c.law.rule, Rule::Pid(gains));
        let limit = Limit { force: 4.0, anti_windup: AntiWindup::Clamp };
        assert_eq!(c.law.limit, Some(limit));
        let sampling = Sampling { time: 0.2, delay: 0.3, quantum: 0.01 };
        assert_eq!(c.law.sampling, Some(sampling));
        assert_eq!(c.law.feed_forward, Some(FeedForward::Tanh { force: 0.7, velocity: 0.2 }));
        assert_eq!(c.law.dither.harmonics()[0].angular_frequency, 9.0);
        let c = of(&format!(
            "{CONTROLLER}state_space = {{ a = [[-1.0, 2.0], [0.0, -3.0]], b = [[1.0], [4.0]], c = [0.5, 0.6], d = [[7.0]] }}\nlimit = 2.0\n"
        ));
        let states = StateSpace {
            a: vec![-1.0, 2.0, 0.0, -3.0],
            b: vec![1.0, 4.0],
            c: vec![0.5, 0.6],
            d: 7.0,
        };
        assert_eq!(c.law.rule, Rule::StateSpace(states));
        assert_eq!(c.law.limit.map(|l| l.anti_windup), Some(AntiWindup::None));
    }

    #[test]
    fn what_is_wrong_with_a_controller_is_said() {
        let told = |keys: &str, what: &str| {
            let message = model(&format!("{CONTROLLER}{keys}"), "").unwrap_err();
            assert!(message.contains(what), "{message}");
        };
        told("", "proportional");
        told("proportional = 1.0\nfilter = 0.1\n", "without `derivative`");
        told("proportional = 1.0\ndelay = 0.1\n", "without `sample_time`");
        told("proportional = 1.0\nanti_windup = \"none\"\n", "without `limit`");
        told("proportional = 1.0\nstate_space = { a = [], b = [], c = [], d = 1.0 }\n", "both");
        told("state_space = { a = [[1.0]], b = [1.0, 2.0], c = [1.0] }\n", "2 in B");
        told(
            "state_space = { a = [[1.0]], b = [1.0], c = [1.0], d = [[1.0, 2.0]] }\n",
            "one force",
        );
        told("derivative = 1.0\nquantity = \"velocity\"\n", "acceleration");
        told("proportional = 1.0\nsample_time = 1.0\nhold = \"first\"\n", "first");
        told("proportional = 1.0\nfeed_forward.tanh = { force = 1.0 }\n", "velocity");
        let elsewhere = "[[network.controller]]\nof = \"a\"\non = \"ground\"\nproportional = 1.0\n";
        assert!(model(elsewhere, "").unwrap_err().contains("ground"));
    }

    /// A shaft and what is the same along a line: numbers, model, and messages in other units.
    #[test]
    fn a_network_may_turn() {
        let turning = "[network]\nrotation = true\n[[network.node]]\nname = \"m\"\ninertia = \"20 kg*cm^2\"\nvelocity = \"30 rpm\"\n\
             [[network.node]]\nname = \"b\"\ninertia = 0.5\n\
             [[network.spring]]\nbetween = [\"m\", \"b\"]\nstiffness = [\"3 N·m/deg\", 0.0, \"2 N·m/rad^3\"]\n\
             [[network.slider]]\nbetween = [\"b\", \"ground\"]\nsupport = [{ constant = \"1 rad/s\" }]\n\
             normal = [{ constant = \"2 kN\" }]\nstatic = \"30 mm\"\n\
             [[network.stop]]\nbetween = [\"m\", \"b\"]\nupper = \"90 deg\"\nstiffness = \"1 N·m/rad\"\n\
             [[network.controller]]\nof = \"m\"\non = \"m\"\nproportional = \"2 N·m/rad\"\nintegral = \"3 N·m/(rad·s)\"\nlimit = \"4 N·m\"\n\
             [[network.force]]\non = \"m\"\nconstant = \"5 N·m\"\n[run]\nend = 1.0\n";
        let pi = std::f64::consts::PI;
        let along = turning
            .replace("rotation = true\n", "")
            .replace("inertia", "mass")
            .replace("\"20 kg*cm^2\"", "2e-3")
            .replace("\"30 rpm\"", &format!("{:?}", 30.0 * (std::f64::consts::TAU / 60.0)))
            .replace("\"3 N·m/deg\"", &format!("{:?}", 3.0 * (1.0 / (pi / 180.0))))
            .replace("\"2 N·m/rad^3\"", "2.0")
            .replace("\"1 rad/s\"", "1.0")
            .replace("\"2 kN\"", "2000.0")
            .replace("\"30 mm\"", "0.03")
            .replace("\"90 deg\"", &format!("{:?}", 90.0 * (pi / 180.0)))
            .replace("\"1 N·m/rad\"", "1.0")
            .replace("\"2 N·m/rad\"", "2.0")
            .replace("\"3 N·m/(rad·s)\"", "3.0")
            .replace("\"4 N·m\"", "4.0")
            .replace("\"5 N·m\"", "5.0");
        let of = |text: &str| {
            let document = Document::parse("m.toml", text).unwrap();
            ModelFile::read(&document, &Reading::new(Memory::default())).map_err(|d| d.to_string())
        };
        let a = of(turning).unwrap();
        let b = of(&along).unwrap();
        assert_eq!((a.rotation, b.rotation), (true, false));
        assert_eq!(format!("{:?}", a.problem.model), format!("{:?}", b.problem.model));
        let nodes = &a.resolved["network"]["node"];
        assert_eq!((&nodes[0]["inertia"], nodes[0].get("mass")), (&2e-3.into(), None));
        // Its own summary is a model file again.
        assert!(a.resolved["network"]["rotation"].as_bool().unwrap());
        let told = |from: &str, to: &str, what: &[&str]| {
            let message = of(&turning.replace(from, to)).unwrap_err();
            assert!(what.iter().all(|w| message.contains(w)), "{message}");
        };
        told("\"20 kg*cm^2\"", "\"2 kg\"", &["kg·m²"]);
        told("\"3 N·m/deg\"", "\"3 N/m\"", &["N·m/rad"]);
        told("\"90 deg\"", "\"5 mm\"", &["in rad"]);
        told("upper = \"90 deg\"\n", "", &["in rad"]);
        told("\"2 kN\"", "\"2 N·m\"", &["in N"]);
        told("inertia = 0.5", "inertia = -0.5", &["network.node.1.inertia", "kg·m²"]);
        told("inertia = 0.5\n", "", &["`network.node.1.inertia` is missing"]);
        told("inertia = 0.5", "inertia = 0.5\nmass = 0.5", &["both"]);
        let straight = "[[network.node]]\nname = \"m\"\ninertia = 1.0\n[run]\nend = 1.0\n";
        let message = of(straight).unwrap_err();
        assert!(message.contains("`network.node.0.inertia` is for a motion about an axis"));
        // What the library finds, in the units of the file: a name that is a unit stays.
        told("inertia = 0.5", "inertia = 0.0\nvelocity = 2.0", &["node `b`: it has no inertia"]);
    }

    /// A network stays one as long as it can hold everything.
    #[test]
    fn a_network_becomes_a_machine_where_it_must() {
        let plain = format!("{SLIDER}friction.coulomb = {{ force = 1.0 }}\n");
        let forces = match model(&plain, "").unwrap() {
            stickslip::Model::Network(n) => n.sliders()[0].breakaway,
            _ => f64::NAN,
        };
        assert_eq!(forces, 1.0);
        let law =
            "friction.stribeck-exponential = { static = 1.0, dynamic = 0.5, velocity = 0.1 }\n";
        for parts in [
            format!("{SLIDER}{law}"),
            format!("{SLIDER}static = 1.0\nsupport = [{{ constant = 0.5 }}]\n"),
            format!("{STOP}upper = 0.5\nrestitution = 0.5\n"),
            format!("{STOP}lower = [{{ ramp = {{ rate = -0.1 }} }}]\nstiffness = 10.0\n"),
            format!("{CONTROLLER}proportional = 1.0\n"),
            "[[network.spring]]\nbetween = [\"a\", \"ground\"]\nstiffness = [0.0, 1.0]\n".to_owned(),
            "[[network.spring]]\nbetween = [\"a\", \"ground\"]\nsine = { amplitude = 1.0, wave_number = 2.0 }\n"
                .to_owned(),
        ] {
            assert_eq!(model(&parts, "").unwrap().kind(), "machine", "{parts}");
        }
        assert_eq!(model("", "scheme = \"adaptive\"\nrtol = 1e-10\n").unwrap().kind(), "machine");
    }

    #[test]
    fn what_is_wrong_with_a_machine_is_said() {
        let told = |parts: String, run: &str, what: &str| {
            let message = model(&parts, run).unwrap_err();
            assert!(message.contains(what), "{message}");
        };
        told(format!("{STOP}restitution = 0.5\n"), "", "lower");
        told(
            format!("{STOP}upper = []\nrestitution = 0.5\n"),
            "",
            "`network.stop.0.upper` is an empty",
        );
        told(
            format!("{STOP}lower = []\nupper = 1.0\nrestitution = 0.5\n"),
            "",
            "`network.stop.0.lower` is an empty",
        );
        told(format!("{STOP}upper = 1.0\n"), "", "restitution");
        told(format!("{STOP}upper = 1.0\nrestitution = 1.5\n"), "", "0 to 1");
        told(format!("{STOP}upper = 1.0\nlower = 2.0\nrestitution = 0.5\n"), "", "below");
        told(format!("{STOP}upper = 1.0\nrestitution = 0.5\nstiffness = 3.0\n"), "", "both");
        told(format!("{SLIDER}static = 1.0\nfriction.coulomb = {{ force = 1.0 }}\n"), "", "both");
        told(String::new(), "rtol = 1e-9\n", "adaptive");
        told(
            STOP.replace("\"b\"", "\"c\"") + "upper = 1.0\nrestitution = 0.5\n",
            "",
            "no node `c`",
        );
    }
}

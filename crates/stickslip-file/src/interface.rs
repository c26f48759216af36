//! What other simulators may set and see of a model: the variables of an FMU.

use crate::asked::Number;
use crate::diagnostic::Result;
use crate::document::Document;
use crate::joint_unit::{self, JointUnit};
use crate::model::{ElementFile, ModelFile, ModelKind};
use crate::reading::Reading;
use crate::units::about_an_axis;
use stickslip::model::{Inlet, Loads, Machine};
use stickslip::scheme::guarded::{MachineStates, machine_states};
use stickslip::{Column, EventKind, Model, Role, Wall, start};

/// What a variable stands for. Numbers count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Meaning {
    /// The time.
    Time,
    /// What is added to this signal of the model.
    Input(usize),
    /// How fast that changes until it is set again.
    Rate(usize),
    /// This number of the model file.
    Parameter(usize),
    /// This number of the solution.
    Output(usize),
    /// What this contact does: −1, 0, 1.
    Phase(usize),
    /// Events of this kind so far.
    Count(EventKind),
    /// Energy lost so far.
    Lost,
    /// This state, which is no number of the solution, where the importer integrates.
    Inner(usize),
    /// The derivative of this state, where the importer integrates.
    Derivative(usize),
    /// What changes its sign at an event, where the importer integrates.
    Indicator(usize),
}

/// A variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name, unique.
    pub name: String,
    /// What it stands for.
    pub meaning: Meaning,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// Its value at the start, where it is given from outside.
    pub start: Option<f64>,
    /// The least value that may be given, if there is one.
    pub least: Option<f64>,
    /// Whether a parameter may be set while the model moves: the numbers of its signals, which other programs change by
    /// its inputs as well. Those of noises are drawn from beforehand; masses, springs and laws are what a run has been
    /// prepared for; and initial values are of the start alone.
    pub tunable: bool,
    /// One line about it.
    pub description: String,
}

impl Variable {
    /// Whether its values are whole numbers.
    pub fn is_whole(&self) -> bool {
        matches!(self.meaning, Meaning::Phase(_) | Meaning::Count(_))
    }

    /// Whether the model computes it.
    pub fn is_output(&self) -> bool {
        use Meaning::{Count, Lost, Output, Phase};
        matches!(self.meaning, Output(_) | Phase(_) | Count(_) | Lost)
    }
}

/// What becomes part of another simulator.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Exported {
    /// A model that moves.
    Model(Box<ModelFile>),
    /// A contact that the other simulator moves.
    Element(Box<ElementFile>),
    /// A fitted servo that is told goals.
    Joint(Box<JointUnit>),
}

impl Exported {
    /// Reads a model file or an element, and what others may set and see of it.
    ///
    /// # Errors
    /// Where the file, or one that it names, is wrong, or its scheme cannot solve the problem.
    pub fn read(document: &Document, reading: &Reading) -> Result<(Self, Interface)> {
        if Self::is_moved_by_others(document)? {
            let (file, parameters) = ElementFile::read(document, reading)?;
            let interface = Interface::of_element(&file, &parameters);
            return Ok((Self::Element(Box::new(file)), interface));
        }
        let (file, parameters) = ModelFile::read_with_parameters(document, reading)?;
        let interface = Interface::of(&file, &parameters)?;
        Ok((Self::Model(Box::new(file)), interface))
    }

    /// Whether a file describes a contact that the other simulator moves.
    ///
    /// # Errors
    /// Where it describes no model at all.
    pub fn is_moved_by_others(document: &Document) -> Result<bool> {
        Ok(ModelKind::of(document.root())?.is_moved_by_others(document.root()))
    }

    /// Where a simulation ends by default, s.
    pub fn end(&self) -> f64 {
        match self {
            Self::Model(file) => file.run.end,
            Self::Element(file) => file.end,
            Self::Joint(_) => joint_unit::END,
        }
    }

    /// The heading that the file gives.
    pub fn title(&self) -> Option<&str> {
        match self {
            Self::Model(file) => file.title.as_deref(),
            Self::Element(file) => file.title.as_deref(),
            Self::Joint(_) => None,
        }
    }

    /// What its motions should not be read without, as far as the file tells.
    pub fn warnings(&self) -> &[String] {
        match self {
            Self::Model(file) => &file.warnings,
            Self::Element(_) | Self::Joint(_) => &[],
        }
    }
}

/// Every variable of a model, always in the same order: its number is its reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// The variables; the first is the time.
    pub variables: Vec<Variable>,
    /// The states where the importer integrates, by their references; [`Meaning::Derivative`] counts them.
    pub states: Vec<usize>,
}

impl Interface {
    /// Whether an importer can integrate it.
    pub fn is_exchanged(&self) -> bool {
        let counts = |v: &Variable| matches!(v.meaning, Meaning::Indicator(_));
        !self.states.is_empty() || self.variables.iter().any(counts)
    }

    /// That of a model file with these parameters.
    ///
    /// # Errors
    /// Where the scheme of the file cannot solve the problem.
    pub fn of(file: &ModelFile, parameters: &[Number]) -> Result<Self> {
        let problem = file.known()?;
        let mut cursor = start(&problem, &file.run.scheme)?;
        let model = &problem.model;
        let mut all = vec![variable("time", Meaning::Time, "s", "time")];
        all.extend(inputs(model));
        all.extend(outputs(cursor.columns()));
        all.extend(phases(model));
        all.extend(kinds(model).iter().map(|(name, kind)| {
            variable(name, Meaning::Count(*kind), "", "events of this kind so far")
        }));
        let counted = cursor.count_losses();
        if counted {
            let what = match model {
                Model::Impact(_) => "energy lost so far to the damper and at the walls",
                _ => "energy lost so far to friction, dampers and stops",
            };
            all.push(variable("energy_lost", Meaning::Lost, "J", what));
        }
        // The energy lost is a state where the model counts it. A machine counts it in time steps only, which nobody else takes.
        let whole = counted != matches!(model, Model::Machine(_));
        let states = match whole && problem.noises.is_empty() {
            true => integrated(&mut all, model),
            false => Vec::new(),
        };
        if file.rotation {
            all.iter_mut().for_each(turn);
        }
        // Those of the file have its units already.
        all.extend(given(parameters).map(|v| Variable { tunable: is_of_a_signal(&v.name), ..v }));
        Ok(Self { variables: all, states })
    }

    /// That of an element with these parameters.
    pub fn of_element(file: &ElementFile, parameters: &[Number]) -> Self {
        let mut all = vec![variable("time", Meaning::Time, "s", "time")];
        let value = "of the moving flange relative to the other";
        let velocity = Variable {
            start: Some(0.0),
            ..variable("velocity", Meaning::Input(0), "m/s", &format!("velocity {value}"))
        };
        let what = "how fast `velocity` changes until it is set again";
        let rate = variable("velocity_rate", Meaning::Rate(0), "m/s²", what);
        all.extend([velocity, Variable { start: Some(0.0), ..rate }]);
        if file.element.normal.is_some() {
            let what = "added to the normal force of the file, held until it is set again";
            let input = variable("normal", Meaning::Input(1), "N", what);
            let what = "how fast `normal` changes until it is set again";
            let rate = variable("normal_rate", Meaning::Rate(1), "N/s", what);
            all.extend([input, rate].map(|v| Variable { start: Some(0.0), ..v }));
        }
        let outputs = [
            ("friction", "N", "force of the contact on the moving flange, against its motion"),
            ("deflection", "m", "what the spring of the contact has given way by"),
            ("work", "J", "work done on the element so far"),
        ];
        let of = |(i, (name, unit, what)): (usize, (&str, &str, &str))| {
            variable(name, Meaning::Output(i), unit, what)
        };
        all.extend(outputs.into_iter().enumerate().map(of));
        let what = "what the contact does: 0 sticks, 1 slips forwards, -1 slips backwards";
        all.push(variable("phase", Meaning::Phase(0), "", what));
        for (name, kind) in [("slips", EventKind::Slip), ("sticks", EventKind::Stick)] {
            all.push(variable(name, Meaning::Count(kind), "", "events of this kind so far"));
        }
        let what = "energy lost so far: the work less what the spring of the contact has stored";
        all.push(variable("energy_lost", Meaning::Lost, "J", what));
        let states = exchanged(&mut all, &[("deflection", "m/s"), ("work", "W")], 2);
        all.extend(given(parameters));
        if file.rotational {
            all.iter_mut().for_each(turn);
        }
        Self { variables: all, states }
    }

    /// That of a fitted servo.
    pub fn of_joint(joint: &JointUnit) -> Self {
        let input = |name: &str, i: usize, unit: &str, start: f64, what: &str| Variable {
            start: Some(start),
            ..variable(name, Meaning::Input(i), unit, what)
        };
        let held = "held until it is set again";
        let goal = format!(
            "what the controller is told, {held}; at the start it has been told so for long"
        );
        let pace = "how fast `goal` changes until it is set again";
        let supply = format!("voltage of the supply, {held}; 1 where the gain is in V/rad");
        let switch = format!("the motor is on where this is above 0.5, and off elsewhere, {held}");
        let mut all = vec![
            variable("time", Meaning::Time, "s", "time"),
            input("goal", 0, "rad", 0.0, &goal),
            Variable { start: Some(0.0), ..variable("goal_rate", Meaning::Rate(0), "rad/s", pace) },
            input("supply", 1, "V", joint.supply, &supply),
            input("enabled", 2, "", 1.0, &switch),
            variable("position", Meaning::Output(0), "rad", "angle of the shaft"),
            variable(
                "velocity",
                Meaning::Output(1),
                "rad/s",
                "speed of the shaft; exactly 0 while it sticks",
            ),
        ];
        all.extend(joint.numbers().into_iter().enumerate().map(|(i, (number, what))| Variable {
            start: Some(number.value),
            least: number.least().filter(|least| number.value >= *least),
            ..variable(&number.path, Meaning::Parameter(i), number.unit, &what)
        }));
        Self { variables: all, states: Vec::new() }
    }

    /// A text that another model file's interface does not share: it changes with the model file and with the variables.
    pub fn token(&self, model: &str) -> String {
        let names = self.variables.iter().flat_map(|v| v.name.bytes().chain([0]));
        let fold = |seed: u64| {
            let bytes = model.bytes().chain([0]).chain(names.clone());
            bytes.fold(seed, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
        };
        format!("{{{:016x}{:016x}}}", fold(0xcbf2_9ce4_8422_2325), fold(0x6c62_272e_07bb_0142))
    }
}

/// What each contact does: those with friction, then stops or walls.
fn phases(model: &Model) -> Vec<Variable> {
    let what = "what the contact does: 0 sticks, 1 slips forwards, -1 slips backwards";
    let contacts = model.contacts().into_iter().enumerate();
    let mut all: Vec<Variable> = contacts
        .map(|(i, name)| variable(&beside("phase", &name), Meaning::Phase(i), "", what))
        .collect();
    for wall in Wall::ALL {
        let (name, number) = match (model, wall) {
            (Model::Oscillator(o), _) if o.stops.is_some_and(|s| s.at(wall).is_some()) => {
                (format!("{}_stop", wall.name()), wall.stop_place())
            }
            (Model::Impact(i), Wall::Lower) if i.wall(wall).is_some() => {
                (Inlet::LowerWall.to_string(), wall.index())
            }
            (Model::Impact(i), Wall::Upper) if i.wall(wall).is_some() => {
                (Inlet::UpperWall.to_string(), wall.index())
            }
            _ => continue,
        };
        let what = match wall {
            Wall::Lower => "0 where the mass stays at it, 1 where it is away from it, above",
            Wall::Upper => "0 where the mass stays at it, -1 where it is away from it, below",
        };
        all.push(variable(&beside("phase", &name), Meaning::Phase(number), "", what));
    }
    all
}

/// Adds what an importer that integrates needs of a model: the references of its states. None where it cannot.
fn integrated(all: &mut Vec<Variable>, model: &Model) -> Vec<usize> {
    let [x, v, lost] = [("x", "m/s"), ("v", "m/s²"), ("energy_lost", "W")];
    match model {
        Model::Oscillator(o) => {
            exchanged(all, &[x, v, lost], if o.stops.is_some() { 4 } else { 2 })
        }
        Model::Cascade(c) if c.displacement.is_some() => exchanged(all, &[], 3),
        Model::Cascade(_) => exchanged(all, &[x, v], 2),
        Model::Network(n) => {
            let free = || n.nodes().iter().filter(|node| node.motion.is_none());
            let places = free().map(|node| (format!("x_{}", node.name), x.1));
            let masses = free().filter(|node| node.mass > 0.0);
            let named: Vec<_> =
                places.chain(masses.map(|node| (format!("v_{}", node.name), v.1))).collect();
            let named = named.iter().map(|(name, unit)| (name.as_str(), *unit)).chain([lost]);
            exchanged(all, &named.collect::<Vec<_>>(), 2 * n.sliders().len())
        }
        Model::Impact(_) => exchanged(all, &[x, v, lost], 3),
        // What no importer can integrate is exported for co-simulation.
        Model::Machine(m) => machine_states(m).map_or(Vec::new(), |of| machine(all, m, &of)),
        _ => Vec::new(),
    }
}

/// The states of a machine, with variables for those that are no numbers of its solution.
fn machine(all: &mut Vec<Variable>, m: &Machine, of: &MachineStates) -> Vec<usize> {
    let nodes = m.network().nodes();
    let called = |what: &str, unit| {
        let one = |i: &usize| (format!("{what}_{}", nodes[*i].name), unit);
        of.nodes.iter().map(one).collect::<Vec<(String, &str)>>()
    };
    let mut named = [called("x", "m/s"), called("v", "m/s²")].concat();
    // A controller and a slider may have one name.
    let controllers = of.controllers.iter().map(|one| ("state", one));
    let sliders = of.sliders.iter().map(|one| ("memory", one));
    for (stem, (name, count)) in controllers.chain(sliders) {
        for i in 1..=*count {
            let own = format!("{stem}_{name}_{i}");
            let what = "what a controller or a law with memory remembers, for model exchange";
            all.push(variable(&own, Meaning::Inner(named.len()), "", what));
            named.push((own, ""));
        }
    }
    let named: Vec<(&str, &str)> =
        named.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
    exchanged(all, &named, of.guards)
}

/// Adds the derivatives of the states called so, and event indicators: the references of the states.
fn exchanged(all: &mut Vec<Variable>, named: &[(&str, &str)], indicators: usize) -> Vec<usize> {
    let place = |(name, _): &(&str, &str)| all.iter().position(|v| v.name == *name);
    let states = named.iter().filter_map(place).collect();
    all.extend(named.iter().enumerate().map(|(i, (name, unit))| {
        let what = "derivative of a state, for model exchange";
        variable(&format!("der({name})"), Meaning::Derivative(i), unit, what)
    }));
    all.extend((0..indicators).map(|i| {
        let what = "changes its sign at an event, for model exchange";
        variable(&format!("event_indicator_{}", i + 1), Meaning::Indicator(i), "", what)
    }));
    states
}

/// The parameters: numbers of the file.
fn given(parameters: &[Number]) -> impl Iterator<Item = Variable> + '_ {
    parameters.iter().enumerate().map(|(i, p)| Variable {
        start: Some(p.value),
        least: p.least(),
        ..variable(&p.path, Meaning::Parameter(i), p.unit, "as in the model file")
    })
}

/// Whether a number belongs to a signal at an inlet: `oscillator.drive.0.harmonic.amplitude`, `network.force.1.constant.value`.
fn is_of_a_signal(path: &str) -> bool {
    const NOISES: [&str; 3] = ["white", "ornstein-uhlenbeck", "kanai-tajimi"];
    let parts: Vec<&str> = path.split('.').collect();
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let Some(at) = parts.windows(2).rposition(|w| SIGNALS.contains(&w[0]) && is_number(w[1]))
    else {
        return false;
    };
    !parts[at..].iter().any(|part| NOISES.contains(part))
}

/// The lists of signals in model files.
const SIGNALS: [&str; 8] =
    ["drive", "force", "support", "normal", "displacement", "motion", "lower", "upper"];

/// The unit of the same quantity where angles take the place of displacements; a force that presses stays one.
fn turn(v: &mut Variable) {
    let presses = v.name.contains("normal");
    if let Some(turned) = about_an_axis(&v.unit).filter(|_| !presses) {
        v.unit = turned.to_owned();
    }
}

fn variable(name: &str, meaning: Meaning, unit: &str, description: &str) -> Variable {
    let name = name.to_owned();
    let unit = unit.to_owned();
    let description = description.to_owned();
    Variable { name, meaning, unit, start: None, least: None, tunable: false, description }
}

/// `what`, or `what_NAME` where there is a name.
fn beside(what: &str, name: &str) -> String {
    if name.is_empty() { what.to_owned() } else { format!("{what}_{name}") }
}

/// The name of an inlet.
pub fn inlet_name(model: &Model, inlet: Inlet) -> String {
    let what = inlet.to_string();
    match (model.network_in(), inlet) {
        (Some(n), Inlet::NodeForce(i) | Inlet::NodeMotion(i)) => beside(&what, &n.nodes()[i].name),
        (Some(n), Inlet::SliderNormal(i) | Inlet::SliderSupport(i)) => {
            beside(&what, &n.sliders()[i].name)
        }
        (_, Inlet::Reference(i, _)) => {
            let controller = model.as_machine().and_then(|m| m.controllers().get(i));
            beside(&what, controller.map_or("", |c| &c.name))
        }
        _ => what,
    }
}

fn inputs(model: &Model) -> Vec<Variable> {
    let loads = Loads::of(model);
    let of = |(i, inlet): (usize, &Inlet)| {
        let name = inlet_name(model, *inlet);
        let unit = inlet.unit();
        let rate = if unit.contains('/') { format!("{unit}2") } else { format!("{unit}/s") };
        let rate = rate.replace("m/s2", "m/s²");
        let named = format!("{name}_rate");
        let value = "added to the model's own signal, held until it is set again";
        let pace = format!("how fast `{name}` changes until it is set again");
        [
            Variable { start: Some(0.0), ..variable(&name, Meaning::Input(i), unit, value) },
            Variable { start: Some(0.0), ..variable(&named, Meaning::Rate(i), &rate, &pace) },
        ]
    };
    loads.inlets().iter().enumerate().flat_map(of).collect()
}

/// The columns of a solution; the force of a cascade's first spring has a name that its input does not have.
fn outputs(columns: &[Column]) -> impl Iterator<Item = Variable> + '_ {
    columns.iter().enumerate().map(|(i, c)| {
        let name = if c.name == "force" { "spring_force" } else { &c.name };
        let what = match c.role {
            Role::Position | Role::Place => "displacement",
            Role::Gap => "gap",
            Role::Velocity => "velocity",
            Role::Force => "force",
            Role::Memory => "what the contact remembers",
            _ => "impulse in the last step",
        };
        variable(name, Meaning::Output(i), c.unit, what)
    })
}

/// The kinds of events that a model has, by the names of their counts.
fn kinds(model: &Model) -> &'static [(&'static str, EventKind)] {
    const SLIDES: [(&str, EventKind); 3] = [
        ("slips", EventKind::Slip),
        ("sticks", EventKind::Stick),
        ("reversals", EventKind::Reversal),
    ];
    const STOPPED: [(&str, EventKind); 4] =
        [SLIDES[0], SLIDES[1], SLIDES[2], ("impacts", EventKind::Impact)];
    const YIELDING: [(&str, EventKind); 4] =
        [SLIDES[0], SLIDES[1], SLIDES[2], ("yields", EventKind::Yield)];
    const TOUCHING: [(&str, EventKind); 6] = [
        SLIDES[0],
        SLIDES[1],
        SLIDES[2],
        ("impacts", EventKind::Impact),
        ("contacts", EventKind::Contact),
        ("releases", EventKind::Release),
    ];
    const RIMMED: [(&str, EventKind); 6] = [
        SLIDES[0],
        SLIDES[1],
        SLIDES[2],
        ("impacts", EventKind::Impact),
        ("touches", EventKind::Touch),
        ("releases", EventKind::Release),
    ];
    const GEARED: [(&str, EventKind); 4] =
        [SLIDES[0], SLIDES[1], SLIDES[2], ("load_reversals", EventKind::LoadReversal)];
    const ALL: [(&str, EventKind); 7] = [
        SLIDES[0],
        SLIDES[1],
        SLIDES[2],
        TOUCHING[3],
        TOUCHING[4],
        TOUCHING[5],
        ("load_reversals", EventKind::LoadReversal),
    ];
    match model {
        Model::Machine(m) => match (m.stops().is_empty(), m.has_loads()) {
            (true, false) => &SLIDES,
            (true, true) => &GEARED,
            (false, false) => &TOUCHING,
            (false, true) => &ALL,
        },
        Model::Oscillator(o) if o.stops.is_some() => &STOPPED,
        Model::Planar(p) if p.rim.is_some() => &RIMMED,
        Model::Hysteretic(h) if h.law().elements() > 0 => &YIELDING,
        Model::Cascade(_) => &[("yields", EventKind::Yield), ("reversals", EventKind::Reversal)],
        Model::Impact(_) => &[
            ("impacts", EventKind::Impact),
            ("rests", EventKind::Rest),
            ("releases", EventKind::Release),
        ],
        _ => &SLIDES,
    }
}

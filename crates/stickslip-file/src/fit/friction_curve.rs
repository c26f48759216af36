//! A fit file of `kind = "friction-curve"`.

use super::experiment::{Columns, keys};
use crate::diagnostic::{Diagnostic, Result};
use crate::node::Node;
use crate::place::Placed;
use crate::reader::{Table, any, positive};
use crate::reading::Gathered;
use crate::stated::{Dimension, Says};
use crate::units::{TEMPERATURES, Unit};
use serde::Serialize;
use std::f64::consts::TAU;
use stickslip_calibrate::friction_curve::{Asked, Motion, Record, Shape};

/// Units of velocity that a message offers: along a line, and about an axis.
const SPEEDS: [&str; 8] = ["m/s", "mm/s", "mm/min", "m/min", "rad/s", "deg/s", "rpm", "1/min"];
/// Units of effort that a message offers: forces, torques, and what a drive reports instead, which `effort_constant` turns into
/// one of them.
const EFFORTS: [&str; 9] = ["N", "kN", "N·m", "mN·m", "A", "mA", "V", "1", "%"];
/// Likewise of positions.
const POSITIONS: [&str; 6] = ["m", "mm", "um", "rad", "deg", "rev"];
const MOTIONS: [Motion; 2] = [Motion::Translation, Motion::Rotation];

const SHAPES: [(&str, Option<Shape>); 6] = [
    ("auto", None),
    ("viscous", Some(Shape::Viscous)),
    ("coulomb", Some(Shape::Coulomb)),
    ("by-direction", Some(Shape::ByDirection)),
    ("polynomial", Some(Shape::Polynomial)),
    ("stribeck", Some(Shape::Stribeck)),
];
const OWN: [&str; 13] = [
    "velocity",
    "velocity_unit",
    "position",
    "position_unit",
    "effort",
    "effort_unit",
    "effort_constant",
    "effort_delay",
    "weight",
    "temperature",
    "temperature_unit",
    "load",
    "load_unit",
];

/// What a column of the record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Effort,
    Velocity,
    Position,
    Weight,
    Temperature,
    Load,
}

/// The file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct FrictionCurveFile {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is fitted.
    pub kind: &'static str,
    /// The record, in m or rad, N or N·m, °C.
    pub data: Columns,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Whether the rows have times.
    pub timed: bool,
    /// N or N·m for each unit of the column of efforts.
    pub effort_constant: f64,
    /// By how much the effort was recorded later than the motion, s.
    pub effort_delay: f64,
    /// The law, `auto` where it is chosen by the record.
    pub law: &'static str,
    /// Whether an inertia is fitted.
    pub inertia: bool,
    /// Whether gravity on a turning link is fitted.
    pub gravity: bool,
    /// Slower rows are at rest, m/s or rad/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_velocity: Option<f64>,
    /// Along a line or about an axis.
    pub motion: Motion,
    #[serde(skip)]
    roles: Vec<Role>,
}

/// Columns in the order in which they are read, with what they are and what makes SI units of them.
struct Wanted {
    names: Vec<Placed<String>>,
    roles: Vec<Role>,
    factors: Vec<(f64, f64)>,
    says: Vec<Option<Says>>,
}

impl Wanted {
    /// A factor, and what is added before it; what the fit file says of the unit.
    fn add(
        &mut self,
        name: Placed<String>,
        role: Role,
        (factor, says): ((f64, f64), Option<Says>),
    ) {
        self.says.push(says);
        self.names.push(name);
        self.roles.push(role);
        self.factors.push(factor);
    }
}

impl FrictionCurveFile {
    /// Reads a document and the record it names.
    pub(super) fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        let root = Table::root(document, &["title", "data", "model", "fit"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let model = root.table("model", &["kind", "law", "inertia", "gravity"])?;
        let law = model.choice("law", "law of friction", &SHAPES)?.and_then(|l| l.value);
        let gravity = model.flag_or("gravity", false)?;
        let t = root.table("data", &keys(&OWN))?;
        let timed = t.has("time");
        let inertia = model.flag_or("inertia", timed)?;
        let (wanted, motion, effort_constant) = columns(&t)?;
        let has = |role: Role| wanted.roles.contains(&role);
        if !timed && !has(Role::Velocity) {
            return Err(t.missing(
                "time",
                "the name of the column of times, from which velocities are formed",
            ));
        }
        if !timed && (inertia || t.has("effort_delay")) {
            let message = "an inertia or a delay of the effort needs the times of the rows";
            return Err(t.missing("time", "the name of the column of times").help(message));
        }
        if gravity && !(has(Role::Position) && motion == Motion::Rotation) {
            return Err(t.missing(
                "position",
                "the name of the column of angles, which gravity depends on",
            ));
        }
        let effort_delay = t.number_or("effort_delay", any("s"), 0.0)?;
        let mut least_velocity = None;
        if let Some(fit) = root.table_opt("fit", &["least_velocity"])? {
            let unit = if motion == Motion::Rotation { "rad/s" } else { "m/s" };
            least_velocity = fit.number_opt("least_velocity", positive(unit))?.map(|n| n.value);
        }
        let read = if timed { Columns::read_any } else { Columns::read_counted };
        let mut data = read(&t, &wanted.names, &wanted.says, gathered)?;
        for (values, (factor, before)) in data.values.iter_mut().zip(&wanted.factors) {
            values.iter_mut().for_each(|v| *v = (*v + before) * factor);
        }
        let Wanted { names, roles, .. } = wanted;
        Ok(Self {
            title,
            kind: "friction-curve",
            data,
            columns: names.into_iter().map(|n| n.value).collect(),
            timed,
            effort_constant,
            effort_delay,
            law: law.map_or("auto", Shape::name),
            inertia,
            gravity,
            least_velocity,
            motion,
            roles,
        })
    }

    fn column(&self, role: Role) -> Option<&[f64]> {
        let at = self.roles.iter().position(|r| *r == role)?;
        Some(&self.data.values[at])
    }

    /// The record.
    pub fn record(&self) -> Record<'_> {
        Record {
            time: self.timed.then_some(self.data.seconds.as_slice()),
            velocity: self.column(Role::Velocity),
            position: self.column(Role::Position),
            effort: self.column(Role::Effort).unwrap_or_default(),
            weight: self.column(Role::Weight),
            temperature: self.column(Role::Temperature),
            load: self.column(Role::Load),
        }
    }

    /// What is asked of the fit.
    pub fn asked(&self) -> Asked {
        let law = SHAPES.iter().find(|s| s.0 == self.law).and_then(|s| s.1);
        Asked {
            law,
            inertia: self.inertia,
            gravity: self.gravity,
            least_velocity: self.least_velocity,
            effort_delay: self.effort_delay,
            motion: self.motion,
        }
    }
}

/// The columns that `[data]` names, along which kind of motion, and N or N·m for each unit of effort.
fn columns(t: &Table<'_>) -> Result<(Wanted, Motion, f64)> {
    let mut wanted =
        Wanted { names: Vec::new(), roles: Vec::new(), factors: Vec::new(), says: Vec::new() };
    let effort = t.text("effort", "the name of the column of forces, torques or currents")?;
    let like = ["N", "N·m", "A", "V", "1"];
    let unit = t.unit_like("effort_unit", "unit of effort", &like, &EFFORTS)?;
    let unit = unit.ok_or_else(|| {
        t.missing("effort_unit", "the unit of the effort: N, kN, N·m, A, or another one")
    })?;
    let constant = t.number_opt("effort_constant", positive("N or N·m for each unit of effort"))?;
    let (which, Unit { factor, .. }) = unit.value;
    let of_effort = MOTIONS.get(which).copied();
    if of_effort.is_none() && constant.is_none() {
        return Err(t.missing("effort_constant", "N or N·m for each A, V or unit of the effort"));
    }
    let constant = constant.map_or(1.0, |c| c.value);
    let said = |like: &str, factor: f64, key: &'static str| {
        Dimension::of(like).and_then(|dimension| Says::factor(dimension, factor, key))
    };
    let says = said(like[which], factor, "effort_unit");
    wanted.add(effort, Role::Effort, ((factor * constant, 0.0), says));
    let mut motions: Vec<Placed<Motion>> = Vec::new();
    motions.extend(of_effort.map(|value| Placed { value, place: unit.place.clone() }));
    if let Some(velocity) = t.text_opt("velocity", "the name of the column of velocities")? {
        let unit = t.unit_like("velocity_unit", "unit of velocity", &["m/s", "rad/s"], &SPEEDS)?;
        let expected = "the unit of the velocity: m/s, mm/s, rad/s, deg/s, rpm";
        let unit = unit.ok_or_else(|| t.missing("velocity_unit", expected))?;
        let (which, speed) = unit.value;
        motions.push(Placed { value: MOTIONS[which], place: unit.place.clone() });
        // A rate of nothing, as 1/min, is one of turns.
        let turns = if which == 1 && !speed.has_angles() { TAU } else { 1.0 };
        let factor = turns * speed.factor;
        let says = said(["m/s", "rad/s"][which], factor, "velocity_unit");
        wanted.add(velocity, Role::Velocity, ((factor, 0.0), says));
    }
    if let Some(position) = t.text_opt("position", "the name of the column of positions")? {
        let unit = t.unit_like("position_unit", "unit of position", &["m", "rad"], &POSITIONS)?;
        let expected = "the unit of the position: m, mm, rad, deg, rev";
        let unit = unit.ok_or_else(|| t.missing("position_unit", expected))?;
        motions.push(Placed { value: MOTIONS[unit.value.0], place: unit.place.clone() });
        let factor = unit.value.1.factor;
        let says = said(["m", "rad"][unit.value.0], factor, "position_unit");
        wanted.add(position, Role::Position, ((factor, 0.0), says));
    }
    if wanted.roles.len() == 1 {
        return Err(t.missing("velocity", "the name of the column of velocities, or `position`"));
    }
    let motion = motions.last().map_or(Motion::Translation, |m| m.value);
    if let Some(other) = motions.iter().find(|m| m.value != motion) {
        let message =
            "this unit belongs to a motion along a line and another one to a motion about an axis";
        return Err(Diagnostic::at(&other.place, message)
            .help("give forces with m, mm or m/s, and torques with rad, deg or rpm"));
    }
    if let Some(weight) = t.text_opt("weight", "the name of the column of weights")? {
        wanted.add(weight, Role::Weight, ((1.0, 0.0), None));
    }
    if let Some(temperature) =
        t.text_opt("temperature", "the name of the column of temperatures")?
    {
        let unit = t.choice("temperature_unit", "unit of temperature", &TEMPERATURES)?;
        let scale = unit.map_or((1.0, 0.0), |u| u.value);
        let key = "temperature_unit";
        let says = Says { dimension: Dimension::Temperature, scale, key };
        wanted.add(temperature, Role::Temperature, (scale, Some(says)));
    }
    if let Some(load) = t.text_opt("load", "the name of the column of loads")? {
        let usual = ["N", "kN", "N·m", "kN·m"];
        let unit = t.unit_like("load_unit", "unit of the load", &["N", "N·m"], &usual)?;
        let expected = "the unit of the load: N, kN, N·m";
        let unit = unit.ok_or_else(|| t.missing("load_unit", expected))?;
        let factor = unit.value.1.factor;
        let says = said(["N", "N·m"][unit.value.0], factor, "load_unit");
        wanted.add(load, Role::Load, ((factor, 0.0), says));
    }
    Ok((wanted, motion, constant))
}

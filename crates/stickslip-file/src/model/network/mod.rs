//! `[network]`: nodes, and what joins, rubs, stops and moves them. What joins them stands in a file of its own for each kind.

mod build;
mod matrices;
mod place;
mod slider;
mod spring;
mod stop;
#[cfg(test)]
mod tests;

use super::controller::{self, Controller};
use super::gear::{self, Gear};
use super::signal::{self, Signal};
use crate::diagnostic::Result;
use crate::reader::{Table, any, not_negative, positive};
use crate::reading::Gathered;
use matrices::Matrices;
use serde::Serialize;
use slider::{Press, Rubs, Slider};
use spring::{Dashpot, Spring};
use stickslip::Model;
use stop::Stop;

#[derive(Debug, Clone, Serialize)]
struct Node {
    name: String,
    mass: f64,
    displacement: f64,
    velocity: f64,
}
#[derive(Debug, Clone, Serialize)]
struct On {
    on: String,
    #[serde(flatten)]
    signal: Signal,
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
const ENDS: &str = "two names of nodes, or one and \"ground\"";
impl Network {
    /// Reads `[network]`.
    pub fn read(t: &Table<'_>, gathered: &mut Gathered) -> Result<Self> {
        let name = |t: &Table<'_>, key: &str| t.text(key, "a name").map(|n| n.value);
        let t = &t.clone().rotating_as_told(true)?;
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
        let sliders = t.tables("slider", &slider::KEYS)?;
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
                    between: slider::between(t)?,
                    direction: slider::direction(t, count)?,
                    rubs,
                    normal: signal::read(t, "normal", "N", gathered)?,
                    normal_from: Press::read(t)?,
                    support: signal::read(t, "support", "m/s", gathered)?,
                })
            })
            .collect::<Result<_>>()?;
        let stops = t.tables("stop", &stop::KEYS)?;
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
            // A word says whether the network turns; it gives no node a motion.
            if !t.is_list(key) {
                return Ok(Vec::new());
            }
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
            rotation: t.turns(),
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
    /// The noises, each with the node that it acts on.
    pub fn noises(&self, model: &Model) -> Vec<(usize, stickslip::Noise)> {
        let names = model.points();
        let node = |f: &On| names.iter().position(|n| *n == f.on);
        self.force.iter().filter_map(|f| node(f).zip(f.signal.noise())).collect()
    }
}

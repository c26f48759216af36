//! `[[network.…]]`: nodes, springs, dashpots, sliders, forces, motions.

use super::signal::{self, Signal};
use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{Table, any, not_negative, positive};
use crate::reading::Gathered;
use serde::Serialize;
use stickslip::Error;
use stickslip::model::network::PartKind;
use stickslip::model::{Network as Built, NetworkBuilder};

#[derive(Debug, Clone, Serialize)]
struct Node {
    name: String,
    mass: f64,
    displacement: f64,
    velocity: f64,
}

#[derive(Debug, Clone, Serialize)]
struct Spring {
    between: [String; 2],
    stiffness: f64,
}

#[derive(Debug, Clone, Serialize)]
struct Dashpot {
    between: [String; 2],
    damping: f64,
}

#[derive(Debug, Clone, Serialize)]
struct Slider {
    name: String,
    between: [String; 2],
    #[serde(rename = "static")]
    breakaway: f64,
    dynamic: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    normal: Vec<Signal>,
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
    node: Vec<Node>,
    spring: Vec<Spring>,
    dashpot: Vec<Dashpot>,
    slider: Vec<Slider>,
    force: Vec<On>,
    motion: Vec<On>,
}

/// What is wrong with a network, at the line that says so.
fn placed(t: &Table<'_>, error: Error) -> Diagnostic {
    let Error::BadNetwork { place, reason, remedy } = error else {
        return t.fault(error.to_string());
    };
    let list = match place.kind {
        PartKind::Node | PartKind::State => "node",
        PartKind::Spring => "spring",
        PartKind::Dashpot => "dashpot",
        PartKind::Slider => "slider",
        PartKind::Force => "force",
        PartKind::Motion => "motion",
    };
    t.fault_in(list, place.index, place.property, format!("{place}: {reason}")).help(remedy)
}

/// Keys of `[network]`.
pub const KEYS: [&str; 6] = ["node", "spring", "dashpot", "slider", "force", "motion"];

const ENDS: &str = "two names of nodes, or one and \"ground\"";

impl Network {
    /// Reads `[network]`.
    pub fn read(t: &Table<'_>, gathered: &mut Gathered) -> Result<Self> {
        let name = |t: &Table<'_>, key: &str| t.text(key, "a name").map(|n| n.value);
        let nodes = t.tables("node", &["name", "mass", "displacement", "velocity"])?;
        let node = |t: &Table<'_>| {
            Ok(Node {
                name: name(t, "name")?,
                mass: t.number("mass", not_negative("kg"))?,
                displacement: t.number_or("displacement", any("m"), 0.0)?,
                velocity: t.number_or("velocity", any("m/s"), 0.0)?,
            })
        };
        let springs = t.tables("spring", &["between", "stiffness"])?;
        let spring = |t: &Table<'_>| {
            let stiffness = t.number("stiffness", positive("N/m"))?;
            Ok(Spring { between: t.pair("between", ENDS)?, stiffness })
        };
        let dashpots = t.tables("dashpot", &["between", "damping"])?;
        let dashpot = |t: &Table<'_>| {
            let damping = t.number("damping", positive("N·s/m"))?;
            Ok(Dashpot { between: t.pair("between", ENDS)?, damping })
        };
        let sliders = t.tables("slider", &["name", "between", "static", "dynamic", "normal"])?;
        let slider = sliders
            .iter()
            .enumerate()
            .map(|(i, t)| {
                let breakaway = t.number("static", not_negative("N"))?;
                let given = t.text_opt("name", "a name")?;
                Ok(Slider {
                    name: given.map_or_else(|| format!("s{}", i + 1), |n| n.value),
                    between: t.pair("between", ENDS)?,
                    breakaway,
                    dynamic: t.number_or("dynamic", not_negative("N"), breakaway)?,
                    normal: signal::read(t, "normal", "N", gathered)?,
                })
            })
            .collect::<Result<_>>()?;
        let mut on = |key: &str, unit: &'static str| {
            let kinds = signal::kinds(key).iter().copied();
            let tables = t.tables(key, &std::iter::once("on").chain(kinds).collect::<Vec<_>>())?;
            let one = |t: &Table<'_>| {
                let signal = signal::beside(t, &["on"], key, unit, gathered)?;
                Ok(On { on: name(t, "on")?, signal })
            };
            tables.iter().map(one).collect::<Result<Vec<_>>>()
        };
        let (force, motion) = (on("force", "N")?, on("motion", "m")?);
        Ok(Self {
            node: nodes.iter().map(node).collect::<Result<_>>()?,
            spring: springs.iter().map(spring).collect::<Result<_>>()?,
            dashpot: dashpots.iter().map(dashpot).collect::<Result<_>>()?,
            slider,
            force,
            motion,
        })
    }

    /// Every signal of the model.
    pub fn signals(&self) -> impl Iterator<Item = &Signal> {
        let on = self.force.iter().chain(&self.motion).map(|o| &o.signal);
        on.chain(self.slider.iter().flat_map(|s| &s.normal))
    }

    /// The library's network, without noises; `t` is the table that it was read from.
    pub fn build(&self, t: &Table<'_>, gathered: &mut Gathered) -> Result<Built> {
        let built = self.builder()?.build().map_err(|e| placed(t, e))?;
        gathered.warnings.extend(built.remarks().iter().map(ToString::to_string));
        Ok(built)
    }

    /// The noises, each with the node that it acts on.
    pub fn noises(&self, built: &Built) -> Vec<(usize, stickslip::Noise)> {
        let node = |f: &On| built.nodes().iter().position(|n| n.name == f.on);
        self.force.iter().filter_map(|f| node(f).zip(f.signal.noise())).collect()
    }

    /// Without noises.
    fn builder(&self) -> Result<NetworkBuilder> {
        let mut b = Built::builder();
        for n in &self.node {
            b = b.node(&n.name, n.mass).starting_at(&n.name, n.displacement, n.velocity);
        }
        for s in &self.spring {
            b = b.spring(&s.between[0], &s.between[1], s.stiffness);
        }
        for d in &self.dashpot {
            b = b.dashpot(&d.between[0], &d.between[1], d.damping);
        }
        for s in &self.slider {
            b = b.slider(&s.name, &s.between[0], &s.between[1], s.breakaway, s.dynamic);
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

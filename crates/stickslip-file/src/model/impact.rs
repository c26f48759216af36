//! `[impact]`: one mass between walls.

use super::oscillator::Initial;
use super::signal::{self, Signal};
use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{Table, any, not_negative, positive};
use crate::reading::Gathered;
use serde::Serialize;
use stickslip::scheme::impact::penalised;

const KEYS: [&str; 9] = [
    "mass",
    "stiffness",
    "damping",
    "wall",
    "upper_wall",
    "restitution",
    "penalty",
    "force",
    "initial",
];

/// `[impact.penalty]`: what the schemes `spring` and `yosida` put in front of a wall.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Penalty {
    /// N/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    stiffness: Option<f64>,
    /// Distance from the wall at which the spring engages, m; 1/stiffness if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    engagement: Option<f64>,
    /// Distance from the wall at which the spring is slack, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    slack: Option<f64>,
    /// λ of `yosida`, m/N.
    #[serde(skip_serializing_if = "Option::is_none")]
    lambda: Option<f64>,
}

/// One mass between walls, as written in a file.
#[derive(Debug, Clone, Serialize)]
pub struct Impact {
    mass: f64,
    stiffness: f64,
    damping: f64,
    /// Position of the lower wall: the signals that are summed; none without such a wall.
    wall: Vec<Signal>,
    upper_wall: Vec<Signal>,
    restitution: f64,
    penalty: Penalty,
    force: Vec<Signal>,
    initial: Initial,
}

impl Impact {
    /// Reads `[impact]`.
    pub fn read(root: &Table<'_>, gathered: &mut Gathered) -> Result<Self> {
        let t = root.table("impact", &KEYS)?;
        let penalty = Penalty::read(&t)?;
        let restitution = t.number_opt("restitution", not_negative(""))?;
        let restitution =
            restitution.ok_or_else(|| t.missing("restitution", "a number from 0 to 1"))?;
        if restitution.value > 1.0 {
            let message = format!(
                "`impact.restitution` is {:?}; expected a number from 0 to 1",
                restitution.value
            );
            return Err(Diagnostic::at(&restitution.place, message)
                .help("0: the mass stays at the wall; 1: it keeps its speed"));
        }
        let wall = signal::read_or_number(&t, "wall", "m", gathered)?;
        let upper_wall = signal::read_or_number(&t, "upper_wall", "m", gathered)?;
        if wall.is_empty() && upper_wall.is_empty() {
            return Err(t.missing(
                "wall",
                "the position of the wall (x ≥ wall), a number in m or a list of signals",
            ));
        }
        Ok(Self {
            mass: t.number("mass", positive("kg"))?,
            stiffness: t.number_or("stiffness", not_negative("N/m"), 0.0)?,
            damping: t.number_or("damping", not_negative("N·s/m"), 0.0)?,
            wall,
            upper_wall,
            restitution: restitution.value,
            penalty,
            force: signal::read(&t, "force", "N", gathered)?,
            initial: Initial::read(&t)?,
        })
    }

    /// The library's model.
    pub fn build(&self) -> Result<stickslip::Impact> {
        let sum = |signals: &[Signal]| signals.iter().map(Signal::build).sum::<Result<_, _>>();
        let wall = |signals: &[Signal]| (!signals.is_empty()).then(|| sum(signals)).transpose();
        let impact = stickslip::Impact::new(self.mass, self.restitution)
            .with_spring(self.stiffness, self.damping)
            .with_force(sum(&self.force)?)
            .between(wall(&self.wall)?, wall(&self.upper_wall)?)
            .starting_at(self.initial.displacement, self.initial.velocity);
        impact.check()?;
        Ok(impact)
    }

    /// Every signal of the model.
    pub fn signals(&self) -> impl Iterator<Item = &Signal> {
        self.wall.iter().chain(&self.upper_wall).chain(&self.force)
    }
}

/// What stands in front of the walls under the scheme `name`.
pub fn penalty(root: &Table<'_>, name: &'static str) -> Result<penalised::Penalty> {
    let t = root.table("impact", &KEYS)?;
    let place = if t.has("penalty") { t.place_of("penalty") } else { t.place() };
    Penalty::read(&t)?.build(name).map_err(|e| e.or_at(place))
}

impl Penalty {
    fn read(impact: &Table<'_>) -> Result<Self> {
        let keys = ["stiffness", "engagement", "slack", "lambda"];
        let Some(p) = impact.table_opt("penalty", &keys)? else { return Ok(Self::default()) };
        Ok(Self {
            stiffness: p.number_opt("stiffness", positive("N/m"))?.map(|n| n.value),
            engagement: p.number_opt("engagement", not_negative("m"))?.map(|n| n.value),
            slack: p.number_opt("slack", any("m"))?.map(|n| n.value),
            lambda: p.number_opt("lambda", positive("m/N"))?.map(|n| n.value),
        })
    }

    fn build(&self, scheme: &str) -> Result<penalised::Penalty> {
        let missing = |key: &str, what: &str| {
            Diagnostic::new(format!(
                "`impact.penalty.{key}` is missing; the scheme `{scheme}` needs {what}"
            ))
            .help(format!("add a table [impact.penalty] with a line `{key} = …`"))
        };
        match (scheme, self.stiffness, self.lambda) {
            ("yosida", _, Some(lambda)) => Ok(penalised::Penalty::yosida(lambda)),
            ("yosida", ..) => Err(missing("lambda", "a number > 0, in m/N")),
            (_, Some(stiffness), _) => {
                let engagement = self.engagement.unwrap_or(1.0 / stiffness);
                let rest = self.slack.unwrap_or(0.0);
                Ok(penalised::Penalty::new(stiffness, engagement, rest))
            }
            _ => Err(missing("stiffness", "a number > 0, in N/m")),
        }
    }
}

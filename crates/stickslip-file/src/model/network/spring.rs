//! What joins two nodes and does not rub: springs and dashpots.

use super::ENDS;
use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{Table, any, positive};
use serde::Serialize;
use stickslip::Error;
use stickslip::model::machine::Curve;

#[derive(Debug, Clone, Serialize)]
pub struct Spring {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub between: [String; 2],
    #[serde(flatten)]
    pub pull: Pull,
    /// Where its free travel begins and ends, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<[f64; 2]>,
}

impl Spring {
    pub fn read(t: &Table<'_>) -> Result<Self> {
        let pull = Pull::read(t)?;
        let play = if t.has("play") { Some(play(t, &pull)?) } else { None };
        let name = t.text_opt("name", "a name")?.map(|n| n.value);
        Ok(Self { name, between: t.pair("between", ENDS)?, pull, play })
    }

    /// Its pull, for a machine.
    pub fn curve(&self) -> Result<Curve, Error> {
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
pub fn play(t: &Table<'_>, pull: &Pull) -> Result<[f64; 2]> {
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
pub enum Pull {
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
    pub fn read(t: &Table<'_>) -> Result<Self> {
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
pub struct Dashpot {
    pub between: [String; 2],
    pub damping: f64,
}

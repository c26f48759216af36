//! `[[network.gear]]`: x_first = ratio · x_second, with friction that grows with what is handed on.

use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{Table, any, not_negative};
use serde::Serialize;
use stickslip::model::machine::{GearBetween, GearFriction};

/// A gear or a lever between two nodes.
#[derive(Debug, Clone, Serialize)]
pub struct Gear {
    pub name: String,
    between: [String; 2],
    ratio: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    friction: Option<Friction>,
}

/// f₀ + μ |T| on the first side.
#[derive(Debug, Clone, Copy, Serialize)]
struct Friction {
    force: f64,
    #[serde(flatten)]
    grows: Grows,
}

/// μ, in both directions or in each.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
enum Grows {
    Alike { coefficient: f64 },
    ByDirection { forward: f64, backward: f64 },
}

/// Keys of `[[network.gear]]`.
pub const KEYS: [&str; 4] = ["name", "between", "ratio", "friction"];

impl Friction {
    fn read(t: &Table<'_>) -> Result<Option<Self>> {
        let Some(t) = t.table_opt("friction", &["force", "coefficient", "forward", "backward"])?
        else {
            return Ok(None);
        };
        let force = t.number_or("force", not_negative("N"), 0.0)?;
        let by_direction = ["forward", "backward"].into_iter().find(|k| t.has(k));
        let grows = match by_direction {
            None => {
                Grows::Alike { coefficient: t.number_or("coefficient", not_negative(""), 0.0)? }
            }
            Some(key) if t.has("coefficient") => {
                let message = format!(
                    "the friction of a gear has both `coefficient` and `{key}`; expected one for both directions, or \
                     `forward` and `backward`"
                );
                return Err(
                    Diagnostic::at(t.place_of(key), message).help("leave `coefficient` out")
                );
            }
            Some(_) => Grows::ByDirection {
                forward: t.number("forward", not_negative(""))?,
                backward: t.number("backward", not_negative(""))?,
            },
        };
        Ok(Some(Self { force, grows }))
    }

    fn build(self) -> GearFriction {
        let [forward, backward] = match self.grows {
            Grows::Alike { coefficient } => [coefficient; 2],
            Grows::ByDirection { forward, backward } => [forward, backward],
        };
        GearFriction { force: self.force, forward, backward }
    }
}

impl Gear {
    /// Reads gear number `i`.
    pub fn read(t: &Table<'_>, i: usize) -> Result<Self> {
        let given = t.text_opt("name", "a name")?;
        Ok(Self {
            name: given.map_or_else(|| format!("gear{}", i + 1), |n| n.value),
            between: t.pair("between", "two names of nodes")?,
            ratio: t
                .number("ratio", any("displacement of the first node over that of the second"))?,
            friction: Friction::read(t)?,
        })
    }

    /// As the library takes it.
    pub fn build(&self) -> GearBetween<'_> {
        GearBetween {
            name: &self.name,
            between: [&self.between[0], &self.between[1]],
            ratio: self.ratio,
            friction: self.friction.map(Friction::build),
        }
    }
}

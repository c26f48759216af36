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

/// f₀ + μ |T| on the first side, μ by its direction.
#[derive(Debug, Clone, Copy, Serialize)]
struct Friction {
    force: f64,
    forward: f64,
    backward: f64,
}

/// Keys of `[[network.gear]]`.
pub const KEYS: [&str; 4] = ["name", "between", "ratio", "friction"];

impl Friction {
    fn read(t: &Table<'_>) -> Result<Option<Self>> {
        let known = ["force", "coefficient", "forward", "backward"];
        let Some(t) = t.table_opt("friction", &known)? else { return Ok(None) };
        if known[1..].iter().all(|key| t.has(key)) {
            let message = "the friction of a gear has `coefficient`, `forward` and `backward`; expected `coefficient`, \
                           or what differs from it in one direction";
            return Err(Diagnostic::at(t.place_of("coefficient"), message)
                .help("leave `coefficient` out: it is used for neither direction"));
        }
        let coefficient = t.number_or("coefficient", not_negative(""), 0.0)?;
        Ok(Some(Self {
            force: t.number_or("force", not_negative("N"), 0.0)?,
            forward: t.number_or("forward", not_negative(""), coefficient)?,
            backward: t.number_or("backward", not_negative(""), coefficient)?,
        }))
    }

    fn build(self) -> GearFriction {
        let Self { force, forward, backward } = self;
        GearFriction { force, forward, backward }
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

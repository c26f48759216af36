//! `rate-and-state = { coefficient, a, b, distance, speed, evolution }`, with `normal`.

use crate::diagnostic::Result;
use crate::reader::{Variant, not_negative, positive};
use serde::{Serialize, Serializer};
use stickslip::law::memory::{self, Direct, Evolution};

/// μ = a asinh(w e^ψ/2·speed), ψ = (coefficient + b ln(speed·z/distance))/a, and the age z of the contact.
#[derive(Debug, Clone, Serialize)]
pub struct RateAndState {
    coefficient: f64,
    a: f64,
    b: f64,
    distance: f64,
    speed: f64,
    #[serde(serialize_with = "word")]
    evolution: Evolution,
}

const EVOLUTIONS: [(&str, Evolution); 2] =
    [("ageing", Evolution::Ageing), ("slip", Evolution::Slip)];

fn word<S: Serializer>(evolution: &Evolution, s: S) -> Result<S::Ok, S::Error> {
    let word = EVOLUTIONS.iter().find(|e| e.1 == *evolution).map_or("", |e| e.0);
    s.serialize_str(word)
}

impl RateAndState {
    pub fn read(law: &Variant<'_>) -> Result<Self> {
        let t = law.table(&["coefficient", "a", "b", "distance", "speed", "evolution"])?;
        Ok(Self {
            coefficient: t.number("coefficient", positive(""))?,
            a: t.number("a", positive(""))?,
            b: t.number("b", not_negative(""))?,
            distance: t.number("distance", positive("m"))?,
            speed: t.number("speed", positive("m/s"))?,
            evolution: t
                .choice("evolution", "evolution", &EVOLUTIONS)?
                .map_or(Evolution::Ageing, |e| e.value),
        })
    }

    pub fn build(&self) -> Result<memory::Memory, stickslip::Error> {
        let Self { coefficient, a, b, distance, speed, evolution } = *self;
        memory::RateAndState::new(Direct { coefficient, a, b }, distance, speed, evolution)
            .map(Into::into)
    }
}

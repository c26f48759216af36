//! Signals: lists of one-key tables that are summed, one file per kind.

mod constant;
mod harmonic;
mod kanai_tajimi;
mod ornstein_uhlenbeck;
mod ramp;
mod sampled;
mod step;
mod white;

use crate::diagnostic::Result;
use crate::model::slot::Slot;
use crate::place::Placed;
use crate::reader::{Table, Variant, any};
use crate::reading::Gathered;
use serde::Serialize;

/// A signal, as written in a file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signal {
    /// `constant = 2.0`.
    Constant(constant::Constant),
    /// `ramp = { rate, offset }`.
    Ramp(ramp::Ramp),
    /// `step = { time, before, after }`.
    Step(step::Step),
    /// `harmonic = { amplitude, angular_frequency, phase }`.
    Harmonic(harmonic::Harmonic),
    /// `sampled = { file, time, value, … }`.
    Sampled(sampled::Sampled),
    /// `white = { intensity }`.
    White(white::White),
    /// `ornstein-uhlenbeck = { rate, intensity, scale }`.
    OrnsteinUhlenbeck(ornstein_uhlenbeck::OrnsteinUhlenbeck),
    /// `kanai-tajimi = { angular_frequency, damping_ratio, intensity, scale }`.
    KanaiTajimi(kanai_tajimi::KanaiTajimi),
}

/// What has a value at every instant.
const SIGNALS: [&str; 5] = ["constant", "ramp", "step", "harmonic", "sampled"];

/// The same, and noises, for the models that take them.
const SIGNALS_AND_NOISES: [&str; 8] = [
    "constant",
    "ramp",
    "step",
    "harmonic",
    "sampled",
    "white",
    "ornstein-uhlenbeck",
    "kanai-tajimi",
];

/// Reads the list `key` of a model; its values are in `unit`.
pub fn read(
    model: &Table<'_>,
    key: &str,
    unit: &'static str,
    gathered: &mut Gathered,
) -> Result<Vec<Signal>> {
    let list = model.list_of(key, "signal", &SIGNALS)?;
    list.iter().map(|signal| one(signal, key, unit, gathered)).collect()
}

/// The list `key` of a model that takes noises too.
pub fn read_noisy(
    model: &Table<'_>,
    key: &str,
    unit: &'static str,
    gathered: &mut Gathered,
) -> Result<Vec<Signal>> {
    let list = model.list_of(key, "signal", &SIGNALS_AND_NOISES)?;
    list.iter().map(|signal| one(signal, key, unit, gathered)).collect()
}

/// What signals the tables of the list `key` may hold: a force may be a noise.
pub fn kinds(key: &str) -> &'static [&'static str] {
    if key == "force" { &SIGNALS_AND_NOISES } else { &SIGNALS }
}

/// The signal of a table in the list `key` that has other keys `others` too.
pub fn beside(
    table: &Table<'_>,
    others: &[&str],
    key: &str,
    unit: &'static str,
    gathered: &mut Gathered,
) -> Result<Signal> {
    one(&table.variant_beside(others, "signal", kinds(key))?, key, unit, gathered)
}

fn one(
    signal: &Variant<'_>,
    key: &str,
    unit: &'static str,
    gathered: &mut Gathered,
) -> Result<Signal> {
    Ok(match signal.name {
        "constant" => Signal::Constant(constant::Constant::read(signal, unit)?),
        "ramp" => Signal::Ramp(ramp::Ramp::read(signal, unit)?),
        "step" => Signal::Step(step::Step::read(signal, unit)?),
        "harmonic" => Signal::Harmonic(harmonic::Harmonic::read(signal, unit)?),
        "white" => Signal::White(white::White::read(signal, key)?),
        "ornstein-uhlenbeck" => {
            Signal::OrnsteinUhlenbeck(ornstein_uhlenbeck::OrnsteinUhlenbeck::read(signal)?)
        }
        "kanai-tajimi" => Signal::KanaiTajimi(kanai_tajimi::KanaiTajimi::read(signal)?),
        _ => Signal::Sampled(sampled::Sampled::read(signal, gathered)?),
    })
}

/// The sum of signals in the library.
pub fn sum(signals: &[Signal]) -> Result<stickslip::Signal, stickslip::Error> {
    signals.iter().map(Signal::build).sum()
}

/// The noises among signals, in the library.
pub fn noises(signals: &[Signal]) -> impl Iterator<Item = stickslip::Noise> + '_ {
    signals.iter().filter_map(Signal::noise)
}

/// [`read`] for a key that may hold a number instead: a constant.
pub fn read_or_number(
    model: &Table<'_>,
    key: &str,
    unit: &'static str,
    gathered: &mut Gathered,
) -> Result<Vec<Signal>> {
    if !model.has_number(key) {
        return read(model, key, unit, gathered);
    }
    let value = model.number(key, any(unit))?;
    Ok(vec![Signal::Constant(constant::Constant::of(value))])
}

impl Signal {
    /// The number at these keys; nothing of samples and noises.
    pub fn slot(&self, keys: &[&str]) -> Option<Slot<Self>> {
        macro_rules! inside {
            ($variant:ident, $kind:ty) => {{
                let field = <$kind>::slot(keys.get(1)?)?;
                Some(Box::new(move |it: &mut Self| match it {
                    Self::$variant(signal) => Some(field(signal)),
                    _ => None,
                }))
            }};
        }
        match self {
            Self::Constant(_) => Some(Box::new(|it| match it {
                Self::Constant(signal) => Some(signal.value()),
                _ => None,
            })),
            Self::Ramp(_) => inside!(Ramp, ramp::Ramp),
            Self::Step(_) => inside!(Step, step::Step),
            Self::Harmonic(_) => inside!(Harmonic, harmonic::Harmonic),
            Self::Sampled(_)
            | Self::White(_)
            | Self::OrnsteinUhlenbeck(_)
            | Self::KanaiTajimi(_) => None,
        }
    }

    /// The library's signal; of a noise, whose path is chosen later, 0.
    pub fn build(&self) -> Result<stickslip::Signal, stickslip::Error> {
        Ok(match self {
            Self::Constant(s) => s.build(),
            Self::Ramp(s) => s.build(),
            Self::Step(s) => s.build(),
            Self::Harmonic(s) => s.build(),
            Self::Sampled(s) => s.build()?,
            Self::White(_) | Self::OrnsteinUhlenbeck(_) | Self::KanaiTajimi(_) => {
                stickslip::Signal::default()
            }
        })
    }

    /// The library's noise, if it is one.
    pub fn noise(&self) -> Option<stickslip::Noise> {
        match self {
            Self::White(s) => Some(s.build()),
            Self::OrnsteinUhlenbeck(s) => Some(s.build()),
            Self::KanaiTajimi(s) => Some(s.build()),
            _ => None,
        }
    }

    /// Checks that the signal is defined until the end of the run.
    pub fn check_covers(&self, end: &Placed<f64>) -> Result<()> {
        match self {
            Self::Sampled(s) => s.check_covers(end),
            _ => Ok(()),
        }
    }
}

//! The periodic orbits of a model, whatever drives it.

use super::forced::{Forced, of_other_kind};
use super::passage::Method;
use super::period::{Driven, driven, moving_frame};
use super::search::{Found, Search, attractors, search};
use super::self_excited::self_excited;
use crate::error::Error;
use crate::model::Model;

/// The periodic orbits of `model` that are found from a set of starts: of a driven model those whose period is the
/// asked for number of periods of what drives it, of another those that it moves on by itself.
///
/// # Errors
/// [`Error::NoOrbit`] if there is none, or the drive does not repeat; and what the solver meets.
///
/// ```
/// use stickslip::study::orbit::{Method, Search, orbits};
/// use stickslip::{Law, Oscillator, Signal};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Leine, van Campen, de Kraker and van den Steen 1998: a mass on a belt
/// let law = Law::stribeck(0.0, 0.0, 3.0, 1.0)?;
/// let belt = Oscillator::new(1.0, 1.0, law).with_support(Signal::constant(0.2));
/// let found = orbits(&belt.into(), Method::Best, &Search::default())?;
/// assert!((found.orbits[0].period - 12.001031294831).abs() < 1e-9);
/// # Ok(()) }
/// ```
pub fn orbits(model: &Model, method: Method, wanted: &Search) -> Result<Found, Error> {
    orbits_at(model, 0, method, wanted)
}

/// The same, the amplitudes being those of node number `node` of a network.
///
/// # Errors
/// As [`orbits`].
pub fn orbits_at(
    model: &Model,
    node: usize,
    method: Method,
    wanted: &Search,
) -> Result<Found, Error> {
    match period_of(model)? {
        Driven::Every(period) => {
            search(&Forced::new(model, period, method)?.looked_at(node), wanted)
        }
        Driven::ByItself => match model {
            Model::Network(_) | Model::Machine(_) => {
                attractors(&Forced::by_itself(model, method)?.looked_at(node), wanted)
            }
            _ => self_excited(&Forced::new(model, 1.0, method)?, wanted),
        },
    }
}

/// The period of what drives `model`, as seen from the far end of its spring if that runs away.
///
/// # Errors
/// [`Error::NoOrbit`] if it does not repeat, or orbits of models of this kind are not known.
pub fn period_of(model: &Model) -> Result<Driven, Error> {
    match model {
        Model::Oscillator(o) => driven(&moving_frame(o)?.0.into()),
        Model::Network(_) | Model::Machine(_) => driven(model),
        _ => Err(of_other_kind(model)),
    }
}

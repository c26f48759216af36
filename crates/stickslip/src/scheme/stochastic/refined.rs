//! The event-driven alternative: the exact motion under a piecewise linear refinement of the path.

use super::PathId;
use crate::error::Error;
use crate::model::{NoisyOscillator, Oscillator, Place};
use crate::signal::noise::Address;

/// The model with the noises of one path made known: each is replaced by the piecewise linear
/// function through its values every `step` (s), white noise by its mean force over each step, for
/// [`exact`](crate::scheme::exact), [`quasi_static`](crate::scheme::quasi_static) and every other scheme
/// that needs functions of time. With smaller steps it goes through the same points and more
/// between them. [`euler`](crate::scheme::euler) with the same step then does what
/// [`run`](super::run) does, but for rounding.
///
/// A support that moves so has ramps of velocity, which not every scheme takes: `adaptive` and the
/// time-stepping ones do.
pub fn refined(
    model: &NoisyOscillator,
    id: PathId,
    end: f64,
    step: f64,
) -> Result<Oscillator, Error> {
    model.check_until(end)?;
    let mut o = model.oscillator.clone();
    for (channel, (place, noise)) in model.noises.iter().enumerate() {
        let address = Address { seed: id.seed, path: id.path, channel: channel as u8 };
        let signal = noise.realize(address, end, step)?;
        match place {
            Place::Drive => o.drive = o.drive + signal,
            Place::Force => o.force = o.force + signal,
            Place::Support => o.support = o.support + signal,
            Place::Node(_) => {} // an oscillator has no nodes
        }
    }
    Ok(o)
}

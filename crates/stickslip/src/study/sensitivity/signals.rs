//! How the signals of a model change with a number of it.

use super::number::Number;
use crate::signal::{Harmonic, Knot, Signal, SignalRate};
use std::f64::consts::TAU;

/// The derivative of a signal with respect to a number, by the same signal of the models aside: nothing where the number does not
/// enter it, an error where its parts are others there.
pub(super) fn signal_rate<'a>(
    own: &'a Signal,
    number: &Number<&Signal>,
) -> Result<Option<SignalRate<'a>>, ()> {
    if number.models().all(|s| *s == own) {
        return Ok(None);
    }
    let waves = own.harmonics().len();
    let knots = own.knots().len();
    // Of a function, such as a chirp, nothing says how it changes. Knots that pass each other have changed places.
    // With distances d and 2 d that shows in the time between them, whichever of the two is the first to pass.
    let near = |s: &Signal| {
        let apart = |of: &Signal, i: usize| of.knots()[i].time - of.knots()[i - 1].time;
        (1..knots).all(|i| (apart(s, i) - apart(own, i)).abs() <= 0.5 * apart(own, i))
    };
    let alike = |s: &&Signal| {
        s.harmonics().len() == waves
            && s.knots().len() == knots
            && s.shares_functions(own)
            && near(s)
    };
    if !number.models().all(alike) {
        return Err(());
    }
    let wave = |i: usize, of: fn(&Harmonic) -> f64| number.rate(&own, |s| of(&s.harmonics()[i]));
    let turn = |i: usize| {
        // Phases are kept within a turn, so those of the models aside may have come round.
        let here = own.harmonics()[i].phase;
        number.rate(&own, |s| {
            let apart = s.harmonics()[i].phase - here;
            apart - TAU * (apart / TAU).round()
        })
    };
    let waves = (0..waves)
        .map(|i| [wave(i, |h| h.amplitude), wave(i, |h| h.angular_frequency), turn(i)])
        .collect();
    let knot = |i: usize, of: fn(&Knot) -> f64| number.rate(&own, |s| of(&s.knots()[i]));
    let knots = (0..knots)
        .map(|i| [knot(i, |k| k.time), knot(i, |k| k.value), knot(i, |k| k.rate)])
        .collect();
    Ok(Some(SignalRate::new(own, waves, knots)))
}

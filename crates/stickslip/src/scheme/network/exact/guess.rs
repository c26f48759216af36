//! A slip pattern from one short implicit step.
//!
//! The step's problem is convex and solved as a whole, so it finds what pivoting, one change after the other, may
//! miss. It decides to the length of the step only: the pattern is a guess, to be verified by the germs.

use super::parts::Parts;
use crate::error::Error;
use crate::scheme::network::step::{Given, Kinematics, Stepper};
use crate::signal::Signal;

/// Replaces `signs` by what an implicit step from `state` at `t` makes of them; it is `short` of the fastest time of
/// the network. What slips before, or has broken
/// away, is held by f_d.
pub(super) fn pattern(
    parts: &Parts,
    t: f64,
    short: f64,
    state: &Kinematics,
    signs: &mut [i8],
) -> Result<(), Error> {
    let h = short * parts.fastest_time();
    let mut stepper = Stepper::new(&parts.network, h, 1.0)?;
    let at = t + h;
    let force = |(i, f): &(usize, _)| (*i, Signal::value(f, at), Signal::value(f, at));
    let forces: Vec<_> = parts.forces.iter().map(force).collect();
    let motion: Vec<_> =
        parts.motions.iter().map(|(i, m)| (*i, m.value(at), m.derivative(at))).collect();
    let normal: Vec<f64> = parts.contacts.iter().map(|c| c.normal(at).0[0]).collect();
    stepper.signs.copy_from_slice(signs);
    let given = Given { forces: &forces, motion: &motion, normal: &normal };
    stepper.advance(&parts.network, (state, &mut state.clone()), &given);
    signs.copy_from_slice(&stepper.signs);
    Ok(())
}

//! Derivatives of the motion of a machine with respect to numbers of it.

use super::derivatives::unsuitable;
use super::doubt::Doubt;
use super::network::NetworkDerivatives;
use super::number::Number;
use crate::error::Error;
use crate::model::Machine;
use crate::motion::Event;
use crate::scheme::machine::{Aside, vary};
use crate::signal::Signal;

/// The derivatives of the motion of `machine` up to `end` (s) with respect to `numbers`, at `times` (s, not decreasing) and of the times of
/// its events, which are given with them. The motion is that of `exact` where the machine is linear between events, and elsewhere that of
/// `adaptive` at a tolerance of 10⁻¹³.
///
/// Between events a machine is u′ = f(t, u), and the derivative obeys δ′ = ∂f δ + ∂ₚf. At an event h = 0 its time changes by
/// ∂t = −(∂h·δ + ∂ₚh)/ḣ, and the derivative jumps by the map of the event: what comes to rest is held,
/// impacts turn velocities, ticks read. Where that map has a kink, where an event is touched and not crossed, or where two events at one
/// instant move by different times, there is no derivative: the instant is listed, and what comes after it is NaN.
///
/// ```
/// use stickslip::model::{Bumper, Machine, Network};
/// use stickslip::study::sensitivity::{Number, machine_derivatives};
/// use stickslip::{Error, Signal};
/// // A ball that falls from 1 m is at the floor at t = √(2/g), and rises by e² of it.
/// let ball = |g: f64| {
///     let network = Network::builder()
///         .unjoined()
///         .node("ball", 1.0)
///         .starting_at("ball", 1.0, 0.0)
///         .force("ball", Signal::constant(-g))
///         .build()?;
///     let floor = [Some(Signal::constant(0.0)), None];
///     let rigid = Bumper::Rigid { restitution: 0.5 };
///     Machine::new(network)?.with_stop("floor", ["ball", "ground"], floor, rigid)
/// };
/// let (own, number) = (ball(2.0)?, Number::around(2.0, ball)?);
/// let (found, events) = machine_derivatives(&own, &[number.of(Some).unwrap()], &[0.5], 1.2)?;
/// // ∂t/∂g = −t/(2g), and x = 1 − g t²/2 before.
/// assert!((events[0].time - 1.0).abs() < 1e-14);
/// assert!((found.event_times[0] + 0.25).abs() < 1e-12 && (found.x[0] + 0.125).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOffered`] for friction by tables, by laws of users, elasto-plastic or of rate and state, for a memory other than those of Dahl and LuGre in a
/// machine with gears, for sampled controllers with a limit or a quantum, and for numbers that switch a part of the machine on or off; otherwise those of the motion.
pub fn machine_derivatives(
    machine: &Machine,
    numbers: &[Number<&Machine>],
    times: &[f64],
    end: f64,
) -> Result<(NetworkDerivatives, Vec<Event>), Error> {
    let asides: Vec<Aside<'_>> = numbers.iter().map(aside).collect();
    let found = vary(machine, end, &asides, times)?.ok_or_else(refused)?;
    let derivatives = NetworkDerivatives {
        x: found.x,
        v: found.v,
        event_times: found.event_times,
        doubtful: found.gaps.into_iter().map(Doubt::from).collect(),
    };
    Ok((derivatives, found.events))
}

/// How much nearer than those of [`Number::around`] the models have to be whose differences give derivatives of the motion of `machine` up to
/// `end` (s): a power of two. A wave of another frequency comes away from its own with the time.
#[doc(hidden)]
pub fn machine_distance(machine: &Machine, end: f64) -> f64 {
    let fastest = machine.signals().map(Signal::fastest).fold(0.0, f64::max);
    let turns = fastest * end / ANGLE;
    let mut distance = 1.0;
    while turns.is_finite() && turns * distance > 1.0 {
        distance *= 0.5;
    }
    distance
}

/// The angle that waves may have made until differences between models 0.1 % apart miss some 10⁻¹¹ of their derivatives, rad.
const ANGLE: f64 = 5.0;

/// Why there are none.
fn refused() -> Error {
    unsuitable(
        "a number switches a part of the machine on or off, its friction has corners or another memory than Dahl's or LuGre's, or an event is of another kind",
    )
}

fn aside<'a>(number: &Number<&'a Machine>) -> Aside<'a> {
    let pair = |(weight, a, b): (f64, &&'a Machine, Option<&&'a Machine>)| (weight, *a, b.copied());
    Aside { pairs: number.pairs().map(pair).collect() }
}

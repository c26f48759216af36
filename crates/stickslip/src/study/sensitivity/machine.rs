//! Derivatives of the motion of a machine with respect to numbers of it.

use super::derivatives::unsuitable;
use super::doubt::Doubt;
use super::network::{NetworkDerivatives, NetworkLoss};
use super::number::Number;
use super::reverse::{Gradient, check_events};
use super::samples::Samples;
use crate::error::Error;
use crate::model::{Inlet, Machine};
use crate::motion::Event;
use crate::scheme::looked::Looked;
use crate::scheme::machine::{Aside, SampleList, gradient, vary};
use crate::signal::{Knot, Signal};

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

/// The gradient of a loss that looks at the motion of `machine` up to `end` (s), with respect to `numbers` and to the values of `samples`, and
/// the events of the motion.
///
/// Numbers are followed along the motion, as by [`machine_derivatives`]. Of samples only two of each list act between two of their
/// times, so the state and these two are followed from one event or sample to the next, and then the loss is taken back over these maps: what it
/// costs hardly depends on how many samples there are.
///
/// ```
/// use stickslip::model::{Inlet, Machine, Network};
/// use stickslip::study::sensitivity::{NetworkLoss, Samples, machine_gradient};
/// use stickslip::Signal;
/// # fn main() -> Result<(), stickslip::Error> {
/// // A mass that a force pushes: x(2) = ∫ (2 − t) F(t) dt, of samples at 0, 1 and 2 s.
/// let times = [0.0, 1.0, 2.0];
/// let force = Signal::sampled(&times, &[1.0, 2.0, 3.0])?;
/// let network = Network::builder().unjoined().node("a", 1.0).force("a", force).build()?;
/// let samples = Samples { of: Inlet::NodeForce(0), times: &times, held: false };
/// let loss = NetworkLoss { times: &[2.0], x: &[1.0], v: &[0.0], event_times: &[] };
/// let (found, _) = machine_gradient(&Machine::new(network)?, &[], &[samples], &loss, 2.0)?;
/// let exact = [5.0 / 6.0, 1.0, 1.0 / 6.0];
/// assert!(found.samples[0].iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-13));
/// # Ok(()) }
/// ```
///
/// # Errors
/// Those of [`machine_derivatives`]; [`Error::NotOffered`] for samples without any value, of a prescribed motion, or of a signal that is
/// none of the machine's [inlets](crate::Model::inlets); [`Error::BadLoss`] where a list of the loss has another length than what it looks at.
pub fn machine_gradient(
    machine: &Machine,
    numbers: &[Number<&Machine>],
    samples: &[Samples<'_>],
    loss: &NetworkLoss<'_>,
    end: f64,
) -> Result<(Gradient, Vec<Event>), Error> {
    let nodes = machine.network().nodes().len();
    loss.check(nodes, None)?;
    samples.iter().try_for_each(Samples::check)?;
    let own = seen(machine, samples);
    let others = |number: &Number<&Machine>| number.of(|m| Some(seen(m, samples)));
    let mut all: Vec<Number<Machine>> = numbers.iter().filter_map(others).collect();
    for list in samples {
        let starts = moved(&own, list, end, |knot, share, length| {
            knot.value += 1.0 - share;
            knot.rate -= 1.0 / length;
        })?;
        all.push(starts);
        if !list.held {
            let ends = moved(&own, list, end, |knot, share, length| {
                knot.value += share;
                knot.rate += 1.0 / length;
            })?;
            all.push(ends);
        }
    }
    let seen: Vec<_> = all.iter().filter_map(|n| n.of(Some)).collect();
    let asides: Vec<Aside<'_>> = seen.iter().map(aside).collect();
    let lists: Vec<SampleList<'_>> =
        samples.iter().map(|s| SampleList { times: s.times, held: s.held }).collect();
    let NetworkLoss { times, x, v, event_times } = *loss;
    let found = gradient(&own, end, &asides, &lists, Looked { times, x, v, event_times })?;
    let found = found.ok_or_else(refused)?;
    check_events(event_times, found.events.len())?;
    let gradient = Gradient {
        numbers: found.numbers,
        samples: found.samples,
        doubtful: found.gaps.into_iter().map(Doubt::from).collect(),
    };
    Ok((gradient, found.events))
}

/// The machine in which every signal with samples is there: one that is zero throughout counts as none, and has a value below every rounding
/// here.
fn seen(machine: &Machine, samples: &[Samples<'_>]) -> Machine {
    let mut machine = machine.clone();
    for list in samples {
        if let Some(signal) = machine.at_inlet(list.of)
            && signal.is_zero()
        {
            signal.bend_pieces(|knot| knot.value = f64::MIN_POSITIVE);
        }
    }
    machine
}

/// How the machine depends on a number by which the signal of these samples is changed so: its knot, where that is between the samples
/// around it, as a share of the time between them, and that time, s.
fn moved(
    machine: &Machine,
    list: &Samples<'_>,
    end: f64,
    by: impl Fn(&mut Knot, f64, f64),
) -> Result<Number<Machine>, Error> {
    let mut own = machine.clone();
    // The pieces of the signal are changed one by one, and a prescribed motion must not jump.
    let jumps = matches!(list.of, Inlet::NodeMotion(_));
    let signal = own.at_inlet(list.of).filter(|_| !jumps).ok_or_else(|| {
        unsuitable(
            "samples of machines are those of the force on a node, of the normal force of a slider, of the velocity of the surface under \
             it, or of the reference of a controller",
        )
    })?;
    let model = |more: f64| -> Result<Machine, Error> {
        let mut changed = machine.clone();
        if let Some(signal) = changed.at_inlet(list.of) {
            signal.bend_pieces(|knot| {
                let at = list.times.partition_point(|t| *t <= knot.time).saturating_sub(1);
                let next = list.times.get(at + 1).filter(|_| !list.held);
                let length = next.map_or(f64::INFINITY, |next| next - list.times[at]);
                let mut unit = Knot { time: knot.time, value: 0.0, rate: 0.0 };
                by(&mut unit, (knot.time - list.times[at]) / length, length);
                knot.value += more * unit.value;
                knot.rate += more * unit.rate;
            });
        }
        changed.check_until(end)?;
        Ok(changed)
    };
    let size = signal.largest_magnitude(end);
    let size = if size > f64::MIN_POSITIVE { size } else { 1.0 };
    match list.of {
        // Not by so much that the machine begins to move otherwise, and by enough to be told from rounding.
        Inlet::NodeForce(_) => Ok(Number::linear(size / 1024.0, model(size / 1024.0)?)),
        // Friction with memory is not linear in them, nor are controllers with a limit.
        _ => Number::near(0.0, size, model),
    }
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

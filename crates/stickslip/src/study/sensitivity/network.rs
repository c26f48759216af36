//! Derivatives of the exact motion of a network with respect to numbers of it.

use super::derivatives::unsuitable;
use super::doubt::Doubt;
use super::number::Number;
use super::partial::other_parts;
use super::reverse::{Gradient, check_events, check_order};
use super::samples::Samples;
use super::signals::signal_rate;
use crate::error::Error;
use crate::model::network::Node;
use crate::model::{Inlet, Network};
use crate::scheme::looked::Looked;
use crate::scheme::network::NetworkPath;
use crate::scheme::network::exact::{Change, Sampled, gradient, vary};
use crate::signal::{Signal, SignalRate};

/// Derivatives of a motion of a network with respect to some numbers.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct NetworkDerivatives {
    /// Of the displacements: those of the first node at the first time with respect to every number, of the second node, …, then those at
    /// the second time, ….
    pub x: Vec<f64>,
    /// Of the velocities, in the same order.
    pub v: Vec<f64>,
    /// Of the times of the events: those with respect to every number of the first event, of the second, ….
    pub event_times: Vec<f64>,
    /// Where a derivative does not exist. From such an instant on those that it concerns are NaN.
    pub doubtful: Vec<Doubt>,
}

/// The derivatives of `path`, the exact motion of `network`, with respect to `numbers`, at `times` (s, not decreasing) and of the times of
/// its events.
///
/// Between events the network is linear, and so is the equation that the derivative obeys: the power series of both have the same
/// recurrence. At an event the derivative jumps as that of an oscillator does, see [`derivatives`](super::derivatives()); what sticks together
/// afterwards has one velocity. Where two events at one instant move by different times, an event is touched and not crossed, or a load is
/// at its limit where a slip ends, there is no derivative: the instant is listed, and what comes after it is NaN.
///
/// ```
/// use stickslip::study::sensitivity::{Number, network_derivatives};
/// use stickslip::{model::Network, scheme::network};
/// // Two masses on a spring, of which one slides to rest.
/// let model = |force: f64| {
///     Network::builder()
///         .node("a", 1.0)
///         .starting_at("a", 0.0, 2.0)
///         .slider("s", "a", "ground", force, force)
///         .build()
/// };
/// let (n, number) = (model(1.0)?, Number::around(1.0, model)?);
/// let path = network::exact(&n, 3.0)?;
/// let found = network_derivatives(&n, &path, &[number.of(|n| Some(n)).unwrap()], &[1.0, 3.0])?;
/// // At t* = v₀/f, x = v₀²/(2 f).
/// assert!((found.x[0] + 0.5).abs() < 1e-14 && (found.x[1] + 2.0).abs() < 1e-14);
/// assert!((found.event_times[0] + 2.0).abs() < 1e-14);
/// # Ok::<(), stickslip::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOffered`] for paths of other schemes, numbers that switch a part of the network on or off, and networks so stiff that their
/// motion is found by their modes over times in which the derivative is not.
pub fn network_derivatives(
    network: &Network,
    path: &NetworkPath,
    numbers: &[Number<&Network>],
    times: &[f64],
) -> Result<NetworkDerivatives, Error> {
    let changes = numbers.iter().map(|n| change(network, n)).collect::<Result<Vec<_>, _>>()?;
    let found = vary(path, &changes, times).ok_or_else(too_stiff)?;
    Ok(NetworkDerivatives {
        x: found.x,
        v: found.v,
        event_times: found.event_times,
        doubtful: found.gaps.into_iter().map(Doubt::from).collect(),
    })
}

fn too_stiff() -> Error {
    unsuitable("the path is not one of the scheme exact, or the network is too stiff for it")
}

/// The derivatives of a loss with respect to what the motion of a network or a machine shows.
#[derive(Debug, Clone, Copy)]
pub struct NetworkLoss<'a> {
    /// Times at which the loss looks at the state, s, not decreasing.
    pub times: &'a [f64],
    /// Its derivatives with respect to the displacement of each node at the first time, at the second, ….
    pub x: &'a [f64],
    /// The same with respect to the velocities.
    pub v: &'a [f64],
    /// Its derivatives with respect to the times of the events, one for each event; empty where it does not look at them.
    pub event_times: &'a [f64],
}

impl NetworkLoss<'_> {
    /// That its lists fit a motion of so many `nodes`, and the events of one where these are known.
    pub(super) fn check(&self, nodes: usize, events: Option<usize>) -> Result<(), Error> {
        let expected = nodes * self.times.len();
        for (of, list) in [("displacements", self.x), ("velocities", self.v)] {
            if list.len() != expected {
                let reason = format!(
                    "it has {} derivatives with respect to {of}; expected {expected}, one for each node at each of its times",
                    list.len()
                );
                return Err(Error::BadLoss { reason });
            }
        }
        check_order(self.times)?;
        events.map_or(Ok(()), |count| check_events(self.event_times, count))
    }
}

/// The gradient of a loss that looks at `path`, the exact motion of `network`, with respect to `numbers` and to the values of `samples`: what
/// [`network_derivatives`] gives, multiplied by the derivatives of the loss, by one walk back whose cost hardly depends on how many
/// numbers there are.
///
/// An arc of a network is a power series, whose terms follow from each other by linear steps with matrices that are symmetric. The same steps,
/// turned round, lead from what a loss makes of the end of the arc to what it makes of its beginning and of every load on the way. Events
/// are turned round as those of an oscillator are, see [`gradient`](super::gradient()).
///
/// ```
/// use stickslip::model::{Inlet, Network};
/// use stickslip::scheme::network;
/// use stickslip::study::sensitivity::{NetworkLoss, Samples, network_gradient};
/// use stickslip::Signal;
/// // A node without mass between a spring and a dashpot: c x' = F − k x, and x(2) = ∫ exp(−k (2 − t)/c) F/c dt.
/// let times = [0.0, 1.0, 2.0];
/// let network = Network::builder()
///     .node("a", 0.0)
///     .spring("a", "ground", 1.0)
///     .dashpot("a", "ground", 1.0)
///     .force("a", Signal::sampled(&times, &[1.0, 2.0, 3.0])?)
///     .build()?;
/// let path = network::exact(&network, 2.0)?;
/// let samples = [Samples { of: Inlet::NodeForce(0), times: &times, held: false }];
/// let loss = NetworkLoss { times: &[2.0], x: &[1.0], v: &[0.0], event_times: &[] };
/// let found = network_gradient(&network, &path, &[], &samples, &loss)?;
/// // Of the last sample ∫₁² exp(t − 2) (t − 1) dt = 1/e.
/// assert!((found.samples[0][2] - (-1f64).exp()).abs() < 1e-15);
/// # Ok::<(), stickslip::Error>(())
/// ```
///
/// # Errors
/// Those of [`network_derivatives`]; [`Error::NotOffered`] for samples of another signal than the force on a node or the normal force of a
/// slider or without any value; [`Error::BadLoss`] where a list of the loss has another length than what it looks at.
pub fn network_gradient(
    network: &Network,
    path: &NetworkPath,
    numbers: &[Number<&Network>],
    samples: &[Samples<'_>],
    loss: &NetworkLoss<'_>,
) -> Result<Gradient, Error> {
    loss.check(network.nodes().len(), Some(path.events().len()))?;
    let changes = numbers.iter().map(|n| change(network, n)).collect::<Result<Vec<_>, _>>()?;
    let lists = samples.iter().map(|list| sampled(network, list)).collect::<Result<Vec<_>, _>>()?;
    let NetworkLoss { times, x, v, event_times } = *loss;
    let looked = Looked { times, x, v, event_times };
    let found = gradient(path, &changes, &lists, looked).ok_or_else(too_stiff)?;
    Ok(Gradient {
        numbers: found.numbers,
        samples: found.samples,
        doubtful: found.gaps.into_iter().map(Doubt::from).collect(),
    })
}

/// Samples of a signal that the network has.
fn sampled<'a>(network: &Network, list: &Samples<'a>) -> Result<Sampled<'a>, Error> {
    list.check()?;
    let known = match list.of {
        Inlet::NodeForce(i) => network.nodes().get(i).is_some_and(|n| n.motion.is_none()),
        Inlet::SliderNormal(e) => network.sliders().get(e).is_some_and(|s| s.normal.is_some()),
        _ => false,
    };
    let Samples { of, times, held } = *list;
    known.then_some(Sampled { of, times, held }).ok_or_else(|| {
        unsuitable("samples of networks are those of the force on a node or of the normal force of a slider")
    })
}

/// What a number changes in a network.
fn change<'a>(own: &'a Network, number: &Number<&Network>) -> Result<Change<'a>, Error> {
    if !number.models().all(|n| is_alike(own, n)) {
        return Err(other_parts());
    }
    let list = |count: usize, of: &dyn Fn(&Network, usize) -> f64| -> Vec<(usize, f64)> {
        let rate = |i: usize| (i, number.rate(&own, |n| of(n, i)));
        (0..count).map(rate).filter(|(_, r)| *r != 0.0).collect()
    };
    let nodes = own.nodes();
    let sliders = own.sliders().len();
    let start = |i: usize| {
        let of = |of: fn(&Node) -> f64| number.rate(&own, |n| of(&n.nodes()[i]));
        [of(|n| n.displacement), of(|n| n.velocity)]
    };
    Ok(Change {
        start: (0..nodes.len()).map(start).collect(),
        masses: list(nodes.len(), &|n, i| {
            let node = &n.nodes()[i];
            if node.motion.is_some() { 0.0 } else { node.mass }
        }),
        shared: list(own.shared_masses().len(), &|n, i| n.shared_masses()[i].mass),
        springs: list(own.springs().len(), &|n, i| n.springs()[i].coefficient),
        dashpots: list(own.dashpots().len(), &|n, i| n.dashpots()[i].coefficient),
        breakaway: list(sliders, &|n, i| n.sliders()[i].breakaway),
        dynamic: list(sliders, &|n, i| n.sliders()[i].dynamic),
        forces: rates(own, number, nodes.len(), |n, i| Some(&n.nodes()[i].force))?,
        motions: rates(own, number, nodes.len(), |n, i| n.nodes()[i].motion.as_ref())?,
        normals: rates(own, number, sliders, |n, i| n.sliders()[i].normal.as_ref())?,
    })
}

/// Whether two networks have the same parts.
fn is_alike(a: &Network, b: &Network) -> bool {
    let links = |n: &Network| -> Vec<_> {
        let links = n.springs().iter().chain(n.dashpots()).map(|l| l.between());
        links.chain(n.sliders().iter().map(|s| s.between())).collect()
    };
    let counts = |n: &Network| [n.nodes().len(), n.springs().len(), n.shared_masses().len()];
    let shared = |n: &Network| n.shared_masses().iter().map(|s| s.between).collect::<Vec<_>>();
    let signals = |n: &Network| -> Vec<bool> {
        let motions = n.nodes().iter().map(|n| n.motion.is_some());
        motions.chain(n.sliders().iter().map(|s| s.normal.is_some())).collect()
    };
    // Whether a node has mass decides how it moves, if its motion is not given.
    let heavy = |n: &Network| {
        n.nodes().iter().map(|n| n.mass > 0.0 && n.motion.is_none()).collect::<Vec<_>>()
    };
    counts(a) == counts(b)
        && links(a) == links(b)
        && shared(a) == shared(b)
        && signals(a) == signals(b)
        && heavy(a) == heavy(b)
}

/// Those signals of some kind that change.
fn rates<'a>(
    own: &'a Network,
    number: &Number<&Network>,
    count: usize,
    of: impl Fn(&Network, usize) -> Option<&Signal>,
) -> Result<Vec<(usize, SignalRate<'a>)>, Error> {
    let mut out = Vec::new();
    for i in 0..count {
        let Some(signal) = of(own, i) else { continue };
        let Some(aside) = number.of(|n| of(n, i)) else { return Err(other_parts()) };
        if let Some(rate) = signal_rate(signal, &aside).map_err(|()| other_parts())? {
            out.push((i, rate));
        }
    }
    Ok(out)
}

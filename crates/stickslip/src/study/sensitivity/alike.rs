//! Derivatives of motions of masses between walls and of cascades: those of a model that moves alike, whose derivatives are known.
//!
//! | model | moves as |
//! |---|---|
//! | a mass between walls that stand | an oscillator without friction between rigid stops |
//! | a cascade that starts unloaded at 0 | a network of its mass and of nodes without mass |
//!
//! Where a model moves like none of these, or one of its events is none of theirs, there is no answer here.

use super::derivatives::unsuitable;
use super::network::{NetworkDerivatives, NetworkLoss, network_derivatives, network_gradient};
use super::reverse::{Gradient, Loss, check_events, gradient};
use super::{Number, Samples, derivatives};
use crate::error::Error;
use crate::law::Law;
use crate::model::{Cascade, Impact, Inlet, Network, Oscillator, Stops};
use crate::motion::{CascadePath, Event, EventKind, State};
use crate::scheme::network;
use crate::scheme::oscillator::exact;
use crate::signal::Signal;

/// Instants of one event in both motions differ by less than this share of them.
const SAME: f64 = 1e-9;

fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * (1.0 + b)
}

/// What is known of the event at `t` (s).
fn at<'a>(known: &[(f64, &'a [f64])], t: f64) -> Option<&'a [f64]> {
    known.iter().find(|k| is_same(k.0, t)).map(|k| k.1)
}

/// A mass between walls that do not move is an oscillator without friction between rigid stops.
fn oscillator(impact: &Impact) -> Option<Oscillator> {
    let place = |wall: &Option<Signal>| match wall {
        Some(wall) => wall.as_constant().map(Some),
        None => Some(None),
    };
    let stops = Stops::rigid(place(&impact.lower)?, place(&impact.upper)?, impact.restitution);
    let start = impact.initial;
    Some(
        Oscillator::new(impact.mass, impact.stiffness, Law::coulomb(0.0).ok()?)
            .with_damping(impact.damping)
            .with_force(impact.force.clone())
            .with_stops(stops)
            .starting_at(start.displacement, start.velocity),
    )
}

/// The derivatives of the exact motion of `impact` up to `end` (s), whose events are `events`, with respect to `numbers`, at `times`
/// (s, not decreasing) and of the times of the events; `None` where a wall moves, the mass comes to rest at a wall, or a derivative does
/// not exist.
///
/// ```
/// use stickslip::scheme::impact;
/// use stickslip::study::sensitivity::{Number, impact_derivatives};
/// use stickslip::{Error, Impact, Signal};
/// // A ball that falls from 1 m is at the floor at t = √(2/g).
/// let ball = |g: f64| {
///     let mut ball = Impact::new(1.0, 0.8);
///     ball.force = Signal::constant(-g);
///     ball.initial.displacement = 1.0;
///     Ok::<_, Error>(ball)
/// };
/// let (own, number) = (ball(2.0)?, Number::around(2.0, ball)?);
/// let path = impact::solve(&own, 1.2)?;
/// let found = impact_derivatives(&own, path.events(), &[number], &[0.5], 1.2).unwrap();
/// // ∂t/∂g = −t/(2g), and x = 1 − g t²/2 before.
/// assert!((found.event_times[0] + 0.25).abs() < 1e-13 && (found.x[0] + 0.125).abs() < 1e-13);
/// # Ok::<(), Error>(())
/// ```
pub fn impact_derivatives(
    impact: &Impact,
    events: &[Event],
    numbers: &[Number<Impact>],
    times: &[f64],
    end: f64,
) -> Option<NetworkDerivatives> {
    // How long what rests at a wall stays there is not asked of the oscillator.
    if events.iter().any(|e| e.kind != EventKind::Impact) {
        return None;
    }
    let own = oscillator(impact)?;
    let alike = numbers.iter().map(|n| n.of(oscillator)).collect::<Option<Vec<_>>>()?;
    let path = exact::solve(&own, end).ok()?;
    let seen: Vec<_> = alike.iter().filter_map(|n| n.of(Some)).collect();
    let found = derivatives(&own, &path, &seen, times).ok()?;
    if !found.doubtful.is_empty() {
        return None;
    }
    let rates = found.event_times.chunks(numbers.len().max(1));
    let known: Vec<(f64, &[f64])> = path.events().iter().map(|e| e.time).zip(rates).collect();
    let mut event_times = Vec::new();
    for e in events {
        event_times.extend_from_slice(at(&known, e.time)?);
    }
    Some(NetworkDerivatives {
        x: found.states.iter().map(|u| u.x).collect(),
        v: found.states.iter().map(|u| u.v).collect(),
        event_times,
        doubtful: Vec::new(),
    })
}

/// The gradient of a loss that looks at the exact motion of `impact` up to `end` (s), whose events are `events`, with respect to `numbers` and to
/// the values of `samples` of its force: that of the oscillator that moves alike, see [`gradient`].
///
/// ```
/// use stickslip::model::Inlet;
/// use stickslip::scheme::impact;
/// use stickslip::study::sensitivity::{Loss, Samples, impact_gradient};
/// use stickslip::{Error, Impact, Signal};
/// // A ball of 2 kg that falls from 1 m, and what each sample of its weight does to the time at which it is at the floor: x = 1 + ∫ (t − s) F(s)/m ds.
/// let times = [0.0, 1.0, 2.0];
/// let mut ball = Impact::new(2.0, 0.8);
/// ball.force = Signal::sampled(&times, &[-4.0, -4.0, -4.0])?;
/// ball.initial.displacement = 1.0;
/// let path = impact::solve(&ball, 1.5)?;
/// let loss = Loss { times: &[], states: &[], event_times: &[1.0] };
/// let samples = [Samples { of: Inlet::Force, times: &times, held: false }];
/// let found = impact_gradient(&ball, path.events(), &[], &samples, &loss, 1.5)?;
/// // At t = 1 s and v = −2 m/s: ∂t = −∂x/v, and ∂x = ∫ (1 − s) (1 − s)/m ds = 1/6 of the first sample, ∫ (1 − s) s/m ds = 1/12 of the second.
/// let exact = [1.0 / 12.0, 1.0 / 24.0, 0.0];
/// assert!(found.samples[0].iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-13));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOffered`] where a wall moves, the mass comes to rest at a wall, infinitely many bounces end, and for samples of something else; otherwise
/// those of [`gradient`].
pub fn impact_gradient(
    impact: &Impact,
    events: &[Event],
    numbers: &[Number<Impact>],
    samples: &[Samples<'_>],
    loss: &Loss<'_>,
    end: f64,
) -> Result<Gradient, Error> {
    if events.iter().any(|e| e.kind != EventKind::Impact) {
        return Err(unsuitable("the mass comes to rest at a wall"));
    }
    if samples.iter().any(|s| s.of != Inlet::Force) {
        return Err(unsuitable("samples of a mass between walls are those of its force"));
    }
    let moves = || unsuitable("a wall moves");
    let own = oscillator(impact).ok_or_else(moves)?;
    let alike: Option<Vec<_>> = numbers.iter().map(|n| n.of(oscillator)).collect();
    let alike = alike.ok_or_else(moves)?;
    let seen: Vec<_> = alike.iter().filter_map(|n| n.of(Some)).collect();
    let path = exact::solve(&own, end)?;
    // The oscillator lists more than its impacts, such as where it turns.
    let impacts = path.events().iter().enumerate().filter(|(_, e)| e.kind == EventKind::Impact);
    let impacts: Vec<(usize, f64)> = impacts.map(|(place, e)| (place, e.time)).collect();
    let alike = events.iter().zip(&impacts).all(|(e, (_, time))| is_same(*time, e.time));
    if !alike || impacts.len() != events.len() {
        return Err(unsuitable("the oscillator that moves alike has other impacts"));
    }
    check_events(loss.event_times, events.len())?;
    let mut event_times = vec![0.0; path.events().len()];
    for ((place, _), weight) in impacts.iter().zip(loss.event_times) {
        event_times[*place] = *weight;
    }
    gradient(&own, &path, &seen, samples, &Loss { event_times: &event_times, ..*loss })
}

/// A cascade that starts unloaded at 0 is a network of its mass and nodes without mass.
fn network_of(cascade: &Cascade) -> Option<Network> {
    let loaded = cascade.prestress.iter().any(|w| *w != 0.0);
    if loaded || cascade.initial.displacement != 0.0 || cascade.displacement.is_some() {
        return None;
    }
    Network::cascade(cascade).build().ok()
}

/// The derivatives of the mass of `cascade` along `path`, its exact motion up to `end` (s) with these `events`, as those of [`impact_derivatives`]; `None`
/// where it starts under load or away from 0, or a derivative does not exist.
pub fn cascade_derivatives(
    cascade: &Cascade,
    path: &CascadePath,
    events: &[Event],
    numbers: &[Number<Cascade>],
    times: &[f64],
    end: f64,
) -> Option<NetworkDerivatives> {
    let own = network_of(cascade)?;
    let alike = numbers.iter().map(|n| n.of(network_of)).collect::<Option<Vec<_>>>()?;
    let moved = network::exact(&own, end).ok()?;
    let seen: Vec<_> = alike.iter().filter_map(|n| n.of(Some)).collect();
    let count = numbers.len().max(1);
    let found = network_derivatives(&own, &moved, &seen, times).ok()?;
    let instants: Vec<f64> = events.iter().map(|e| e.time).collect();
    let turning = network_derivatives(&own, &moved, &seen, &instants).ok()?;
    if !found.doubtful.is_empty() || !turning.doubtful.is_empty() {
        return None;
    }
    let nodes = own.nodes().len();
    // The mass is the first node.
    let mass = |all: &[f64]| -> Vec<f64> {
        all.chunks(count * nodes).flat_map(|row| row[..count].to_vec()).collect()
    };
    let of_v = mass(&turning.v);
    let mut event_times = Vec::new();
    for (e, of_v) in events.iter().zip(of_v.chunks(count)) {
        if e.kind == EventKind::Reversal {
            // The network does not list where its mass turns: there v = 0, so that ∂t = −∂v/a.
            let a = acceleration(cascade, path, e)?;
            event_times.extend(of_v.iter().map(|v| -v / a));
            continue;
        }
        let rates = found.event_times.chunks(count);
        let known: Vec<(f64, &[f64])> = moved
            .events()
            .iter()
            .zip(rates)
            .filter(|(s, _)| is_yielding(s, e))
            .map(|(s, r)| (s.time, r))
            .collect();
        event_times.extend_from_slice(at(&known, e.time)?);
    }
    Some(NetworkDerivatives {
        x: mass(&found.x),
        v: mass(&found.v),
        event_times,
        doubtful: Vec::new(),
    })
}

/// The gradient of a loss that looks at the mass of `cascade` along `path`, its exact motion up to `end` (s) with these `events`, with respect to
/// `numbers` and to the values of `samples` of its force: that of the network that moves alike, see [`network_gradient`].
///
/// ```
/// use stickslip::model::Inlet;
/// use stickslip::scheme::cascade;
/// use stickslip::study::sensitivity::{Loss, Samples, cascade_gradient};
/// use stickslip::{Cascade, Error, Signal, State};
/// // As long as no element yields the first spring holds the mass: x(2) = ∫ sin(ω (2 − t)) F(t)/(m ω) dt with ω² = K/m.
/// let times = [0.0, 2.0];
/// let mut held = Cascade::new(1.0, vec![4.0, 1.0], vec![9.0]);
/// held.force = Signal::sampled(&times, &[1.0, 1.0])?;
/// let path = cascade::exact(&held, 2.0)?;
/// let loss = Loss { times: &[2.0], states: &[State { x: 1.0, v: 0.0 }], event_times: &[] };
/// let samples = [Samples { of: Inlet::Force, times: &times, held: false }];
/// let found = cascade_gradient(&held, &path, path.events(), &[], &samples, &loss, 2.0)?;
/// // Both together move the force: ∂x = (1 − cos 2ω)/K.
/// let both: f64 = found.samples[0].iter().sum();
/// assert!((both - (1.0 - 4f64.cos()) / 4.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOffered`] for a cascade that starts under load or away from 0 or whose displacement is given, where the mass turns just as its load jumps,
/// and for samples of something else than its force; otherwise those of [`network_gradient`].
pub fn cascade_gradient(
    cascade: &Cascade,
    path: &CascadePath,
    events: &[Event],
    numbers: &[Number<Cascade>],
    samples: &[Samples<'_>],
    loss: &Loss<'_>,
    end: f64,
) -> Result<Gradient, Error> {
    let starts = || unsuitable("the cascade starts under load or away from 0, or is led");
    let own = network_of(cascade).ok_or_else(starts)?;
    let alike: Option<Vec<_>> = numbers.iter().map(|n| n.of(network_of)).collect();
    let alike = alike.ok_or_else(starts)?;
    let seen: Vec<_> = alike.iter().filter_map(|n| n.of(Some)).collect();
    if samples.iter().any(|s| s.of != Inlet::Force) {
        return Err(unsuitable("samples of a cascade are those of its force"));
    }
    // The mass is the first node.
    let lists: Vec<_> = samples.iter().map(|s| Samples { of: Inlet::NodeForce(0), ..*s }).collect();
    loss.check(events.len())?;
    let moved = network::exact(&own, end)?;
    let mut looks: Vec<(f64, State)> =
        loss.times.iter().copied().zip(loss.states.iter().copied()).collect();
    let mut event_times = vec![0.0; moved.events().len()];
    for (e, weight) in events.iter().zip(loss.event_times).filter(|e| *e.1 != 0.0) {
        if e.kind == EventKind::Reversal {
            // As forward: ∂t = −∂v/a.
            let a = acceleration(cascade, path, e)
                .ok_or_else(|| unsuitable("the mass turns just as its load jumps"))?;
            looks.push((e.time, State { x: 0.0, v: -weight / a }));
            continue;
        }
        let place =
            moved.events().iter().position(|s| is_yielding(s, e) && is_same(s.time, e.time));
        let place = place.ok_or_else(|| {
            unsuitable("the network that moves as the cascade does has other events")
        })?;
        event_times[place] += weight;
    }
    looks.sort_by(|a, b| a.0.total_cmp(&b.0));
    let nodes = own.nodes().len();
    let of_mass = |of: fn(&State) -> f64| -> Vec<f64> {
        let row = |u: &(f64, State)| [of(&u.1)].into_iter().chain(vec![0.0; nodes - 1]);
        looks.iter().flat_map(row).collect()
    };
    let times: Vec<f64> = looks.iter().map(|l| l.0).collect();
    let looked = NetworkLoss {
        times: &times,
        x: &of_mass(|u| u.x),
        v: &of_mass(|u| u.v),
        event_times: &event_times,
    };
    network_gradient(&own, &moved, &seen, &lists, &looked)
}

/// Whether an event of the network is that of the cascade.
fn is_yielding(of_network: &Event, of_cascade: &Event) -> bool {
    of_network.kind == EventKind::Slip && of_network.place + 1 == of_cascade.place
}

/// The acceleration of the mass at an event, m/s²; `None` where it is nothing, or jumps.
fn acceleration(cascade: &Cascade, path: &CascadePath, e: &Event) -> Option<f64> {
    // A load that jumps just then leaves the instant without a derivative.
    let jumps = cascade.force.knots().iter().any(|k| k.time == e.time);
    let a = (cascade.force.value(e.time) - path.state(e.time).force) / cascade.mass;
    (!jumps && a != 0.0).then_some(a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::scheme::impact;

    /// x₀ + v₀ t + f t²/2 above a wall at 0, where f pulls away from it.
    fn thrown(x: f64, v: f64, f: f64, restitution: f64) -> Impact {
        let mut mass = Impact::new(1.0, restitution);
        mass.force = Signal::constant(f);
        mass.initial.displacement = x;
        mass.initial.velocity = v;
        mass
    }

    /// A mass that is thrown at a wall and pulled away from it: at t* it has the speed u towards the wall, and leaves with e u. With e = 0
    /// it leaves from rest, and ∂x/∂v₀ = −f (t − t*) ∂t*/∂v₀.
    #[test]
    fn a_mass_that_is_pulled_away_from_a_wall() {
        let [x, v, f, t] = [1.0, -2.0, 1.0, 2.0];
        let speed: f64 = v * v - 2.0 * f * x;
        let u = speed.sqrt();
        let hit = (-v - u) / f;
        // By v₀: u = √(v₀² − 2 f x₀), t* = (−v₀ − u)/f.
        let of_u = v / u;
        let of_hit = (-1.0 - of_u) / f;
        for e in [0.0, 0.3] {
            let own = thrown(x, v, f, e);
            let number = Number::around(v, |v| Ok::<_, Error>(thrown(x, v, f, e))).unwrap();
            let path = impact::solve(&own, t).unwrap();
            let found = impact_derivatives(&own, path.events(), &[number], &[t], t);
            let after = t - hit;
            let of_x = e * of_u * after - (e * u + f * after) * of_hit;
            let of_v = e * of_u - f * of_hit;
            // What is not known here is found by differences of motions elsewhere: no answer is no wrong one.
            let found = found.unwrap_or_else(|| panic!("{e}: {:?}", path.events()));
            assert!((found.event_times[0] - of_hit).abs() < 1e-12, "{e}: {:?}", found.event_times);
            assert!((found.x[0] - of_x).abs() < 1e-12, "{e}: {} {of_x}", found.x[0]);
            assert!((found.v[0] - of_v).abs() < 1e-12, "{e}: {} {of_v}", found.v[0]);
        }
    }
}

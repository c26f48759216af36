//! Derivatives of motions of masses between walls and of cascades: those of a model that moves alike, whose derivatives are known.
//!
//! | model | moves as |
//! |---|---|
//! | a mass between walls that stand | an oscillator without friction between rigid stops |
//! | a cascade that starts unloaded at 0 | a network of its mass and of nodes without mass |
//!
//! Where a model moves like none of these, or one of its events is none of theirs, there is no answer here.

use super::network::{NetworkDerivatives, network_derivatives};
use super::{Number, derivatives};
use crate::law::Law;
use crate::model::{Cascade, Impact, Network, Oscillator, Stops};
use crate::motion::{CascadePath, Event, EventKind};
use crate::scheme::network;
use crate::scheme::oscillator::exact;
use crate::signal::Signal;

/// Instants of one event in both motions differ by less than this share of them.
const SAME: f64 = 1e-9;

/// What is known of the event at `t` (s).
fn at<'a>(known: &[(f64, &'a [f64])], t: f64) -> Option<&'a [f64]> {
    known.iter().find(|k| (k.0 - t).abs() <= SAME * (1.0 + t)).map(|k| k.1)
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
        let slides = |s: &Event| s.kind == EventKind::Slip && s.place + 1 == e.place;
        let rates = found.event_times.chunks(count);
        let known: Vec<(f64, &[f64])> = moved
            .events()
            .iter()
            .zip(rates)
            .filter(|(s, _)| slides(s))
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

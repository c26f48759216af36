//! Derivatives of motions of a mass between walls that stand: those of the oscillator without friction between rigid stops that moves
//! alike.
//!
//! Where a wall moves, or the mass comes to rest at one, there is no answer here.

use super::derivatives::unsuitable;
use super::network::NetworkDerivatives;
use super::reverse::{Gradient, Loss, check_events, gradient};
use super::{Number, Samples, derivatives};
use crate::error::Error;
use crate::law::Law;
use crate::model::{Impact, Inlet, Oscillator, Stops};
use crate::motion::{Event, EventKind};
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

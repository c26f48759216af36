//! What an orbit is about to do: which of its events it is nearest to losing or gaining.

use super::extremes::extremes;
use super::forced::Forced;
use super::kind::Kind;
use super::local::{Limit, Local};
use super::passage::{path, starting_at};
use crate::model::Oscillator;
use crate::motion::{Motion, Phase, Segment, Trajectory};
use crate::numeric::golden;

/// Parts into which a phase is divided.
const PARTS: usize = 64;
/// Golden sections around a minimum: to the rounding of its place.
const SECTIONS: usize = 60;
/// Distances below this, relative to what is typical, are near.
const NEAR: f64 = 1e-3;
/// Periods of the last orbit in which a motion that stick-slip has left must not come to rest.
const WATCHED: f64 = 3.0;

/// The bifurcation that the motion is nearest to, if it is near one.
pub(super) fn kind(o: &Oscillator, path: &Trajectory) -> Option<Kind> {
    let fastest =
        path.segments().iter().flat_map(|s| speeds(o, s)).fold(0.0f64, |a, w| a.max(w.abs()));
    let mut best: Option<(f64, Kind)> = None;
    let mut see = |distance: f64, kind: Kind| {
        if best.is_none_or(|b| distance < b.0) {
            best = Some((distance, kind));
        }
    };
    let pairs = path.segments().windows(2).map(|w| (&w[0], w[1].phase));
    if let Some(room) = room(o, path) {
        see(room, Kind::Grazing);
    }
    for (s, next) in pairs.chain(path.segments().last().map(|s| (s, s.phase))) {
        if s.phase == Phase::Stick {
            if let Some(m) = least_margin(o, s) {
                see(m, Kind::AddingSliding);
            }
            continue;
        }
        if let Some(w) = least_speed(o, s) {
            see(w / fastest, Kind::GrazingSliding);
        }
        if next != s.phase {
            arrival(o, s, &mut see);
        }
    }
    best.filter(|b| b.0 <= NEAR).map(|b| b.1)
}

/// Whether the motion of a model that nothing drives no longer comes to rest `beyond` the last orbit of a branch, which does, from
/// its state `u`. Where friction falls fast with the speed, the end of the slip depends on the parameter so much that the last orbit
/// that can be computed may still be at rest for a part of its period.
pub(super) fn slips_on(beyond: &Forced, last: &Trajectory, u: &[f64]) -> bool {
    let Ok(o) = beyond.oscillator() else { return false };
    let (start, end) = last.span();
    let comes_to_rest =
        |p: &Trajectory| p.segments().iter().any(|s| s.phase == Phase::Stick && s.start > start);
    let next = path(&starting_at(o, u), 0.0, WATCHED * (end - start), beyond.method);
    comes_to_rest(last) && next.is_ok_and(|p| !comes_to_rest(&p))
}

/// The least distance from a rigid stop that the motion does not touch, relative to how far it moves.
fn room(o: &Oscillator, path: &Trajectory) -> Option<f64> {
    let stops = o.stops.as_ref()?;
    stops.restitution()?;
    let (max, min) = extremes(o, path);
    let gaps = [stops.upper.map(|u| u - max), stops.lower.map(|l| min - l)];
    gaps.into_iter().flatten().filter(|g| *g > 0.0).map(|g| g / (max - min)).reduce(f64::min)
}

fn times(s: &Segment) -> impl Iterator<Item = f64> + '_ {
    (0..=PARTS).map(|i| s.start + (s.end - s.start) * (i as f64 / PARTS as f64))
}

/// Velocities relative to the support, m/s.
fn speeds<'a>(o: &'a Oscillator, s: &'a Segment) -> impl Iterator<Item = f64> + 'a {
    let support = o.support.piece_at(s.start);
    times(s).map(move |t| s.arc.state(t).v - support.derivatives(t)[0])
}

/// The least of the minima of `f` inside a segment, found on a grid and refined by golden sections.
fn least(s: &Segment, f: impl Fn(f64) -> f64) -> Option<f64> {
    let (t, values): (Vec<f64>, Vec<f64>) = times(s).map(|t| (t, f(t))).unzip();
    let minima = (1..PARTS).filter(|&i| values[i] < values[i - 1] && values[i] <= values[i + 1]);
    let refined = minima.map(|i| {
        let (_, least) = golden(t[i - 1], t[i + 1], SECTIONS, &f);
        least
    });
    refined.fold(None, |least: Option<f64>, m| Some(least.map_or(m, |l| l.min(m))))
}

/// The least speed at which a slip slows down without coming to rest, m/s.
fn least_speed(o: &Oscillator, s: &Segment) -> Option<f64> {
    let support = o.support.piece_at(s.start);
    let side = s.phase.sign();
    least(s, |t| side * (s.arc.state(t).v - support.derivatives(t)[0])).map(f64::abs)
}

/// The least distance from the limits inside a stick, relative to the limit.
fn least_margin(o: &Oscillator, s: &Segment) -> Option<f64> {
    let local = Local::new(o, s.start, s.arc.state(s.start).x);
    let margin = |t: f64, side: f64| {
        let x = s.arc.state(t).x;
        let (b, _) = local.at_rest(t, x);
        let limit = local.limit(side, t, x, t - s.start).value;
        (limit - side * b) / limit.max(f64::MIN_POSITIVE)
    };
    least(s, |t| margin(t, 1.0).min(margin(t, -1.0))).map(f64::abs)
}

/// The distance of the load from the limit where a slip comes to rest, relative to the limit.
fn arrival(o: &Oscillator, s: &Segment, see: &mut impl FnMut(f64, Kind)) {
    let x = s.arc.state(s.end).x;
    let local = Local::new(o, s.start, x);
    let side = -s.phase.sign();
    let (b, rate) = local.at_rest(s.end, x);
    let Limit { value: limit, rate: climbs, .. } = local.limit(side, s.end, x, 0.0);
    // A slip that only just comes to rest arrives with no acceleration: a stick that begins there is about to vanish.
    let [_, pulls, _] = local.support(s.end);
    let at = s.arc.state(s.end);
    let brakes = local.mass() * (local.acceleration(s.phase.sign(), s.end, x, at.v) - pulls);
    let load = b.abs() + limit;
    see(brakes.abs() / load.max(f64::MIN_POSITIVE), Kind::GrazingSliding);
    let beyond = (side * b - limit).abs() / limit.max(f64::MIN_POSITIVE);
    let out = side * rate - climbs > 0.0;
    see(beyond, if out { Kind::CrossingSliding } else { Kind::SwitchingSliding });
}

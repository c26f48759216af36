//! Orbits that a model moves on by itself: on a belt, say. Their period is not known beforehand.

use super::forced::{Fixed, Forced, difference};
use super::found::{Orbit, is_stable};
use super::local::{Limit, Local};
use super::passage::{Passage, age, last, passage, path, starting_at};
use super::search::{Found, Leads, Search, lost, undriven};
use super::sliding::Steady;
use super::unit::{NOTHING_BRINGS_IT_BACK, unit};
use crate::error::Error;
use crate::model::Oscillator;
use crate::motion::{EventKind, Motion, Phase, Segment, State, Trajectory};
use num_complex::Complex64;

/// Free periods of the mass in the window in which returns are looked for.
const WINDOW: f64 = 60.0;
/// Free periods that a motion is followed before, at most.
const TRANSIENT: f64 = 150.0;
/// The most returns to the section in a period.
const LONGEST: usize = 12;
/// Returns nearer to each other, relative to typical sizes, are the same.
const SAME: f64 = 1e-6;
/// Motions smaller than this, relative to typical sizes, do not count.
const STILL: f64 = 1e-7;
/// Newton's steps.
const STEPS: usize = 12;
/// How near to 1 a multiplier must be for a continuum to be looked for, and how far beside an orbit, in typical sizes.
const NEUTRAL: f64 = 1e-7;
const BESIDE: f64 = 1e-3;

/// Where a motion returns to.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Section {
    /// A stick ends towards this side.
    Breakaway(i8),
    /// The velocity becomes positive: the displacement is least.
    Turn,
}

/// A return to the section.
#[derive(Debug, Clone, Copy)]
struct Return {
    t: f64,
    x: f64,
}

/// The orbits that motions of `forced`, whose period means nothing, come to.
pub(super) fn self_excited(forced: &Forced, search: &Search) -> Result<Found, Error> {
    let o = forced.oscillator()?;
    let free = unit(o).ok_or_else(|| Error::NoOrbit { reason: NOTHING_BRINGS_IT_BACK.into() })?;
    let belt = o.support.value(0.0);
    let l = forced.scale[0];
    let mut starts = vec![forced.start()];
    if search.starts > 1 {
        starts.extend([vec![0.0, belt], vec![3.0 * l, 0.0], vec![-3.0 * l, 0.0]]);
    }
    let mut found = Found::empty();
    // The equation of steady sliding is solved, whether a motion comes to it or not.
    if let Some(steady) = Steady::of(o, 0.0) {
        // Without damping motions about it swing for ever, as long as they are slower than the support.
        let swings = steady.rates.iter().all(|r| r.re.abs() <= NEUTRAL * r.im.abs());
        if swings && let Some(rate) = steady.rates.first() {
            starts.push(vec![steady.state[0] + 0.5 * belt.abs() / rate.im.abs(), 0.0]);
        }
        found.see(forced, steady);
    }
    for (i, start) in starts.iter().enumerate() {
        let came = settle(forced, start, free, i == 0)?;
        if i == 0 {
            found.leads = match &came {
                Came::Orbit(_) => Leads::Orbit,
                Came::Sliding(steady) => Leads::Steady(found.see(forced, steady.clone())),
                Came::Nothing => Leads::Unsettled,
            };
        }
        match came {
            Came::Orbit(orbit) => {
                let orbit = *orbit;
                // Of a continuum one is listed.
                let alike = |o: &Orbit| o.family && orbit.family && o.pattern == orbit.pattern;
                let same = |o: &Orbit| {
                    (o.period - orbit.period).abs() <= SAME * o.period
                        && (alike(o) || forced.size(&difference(&o.state, &orbit.state)) <= SAME)
                };
                if !found.orbits.iter().any(same) {
                    found.orbits.push(orbit);
                }
            }
            Came::Sliding(steady) => {
                found.see(forced, steady);
            }
            Came::Nothing => {
                found.complete = false;
                found.others.push(0);
            }
        }
    }
    found.others.dedup();
    if found.orbits.is_empty() {
        return Err(Error::NoOrbit { reason: undriven(forced, &found) });
    }
    Ok(found)
}

/// What a motion comes to.
enum Came {
    Orbit(Box<Orbit>),
    Sliding(Steady),
    Nothing,
}

/// What the motion from `start` comes to; `own` says whether it is the model's own.
fn settle(forced: &Forced, start: &[f64], free: f64, own: bool) -> Result<Came, Error> {
    let o = forced.oscillator()?;
    let run = |u: &[f64], end: f64| path(&starting_at(o, u), 0.0, end, forced.method);
    let settled = run(start, TRANSIENT * free).and_then(|before| {
        let State { x, v } = last(&before);
        Ok(([x, v], run(&[x, v], WINDOW * free)?))
    });
    let (u, window) = match settled {
        Ok(settled) => settled,
        Err(e) => {
            lost(e, own)?;
            return Ok(Came::Nothing);
        }
    };
    if let Some(orbit) = repeats(forced, &window) {
        return Ok(Came::Orbit(Box::new(orbit)));
    }
    let steady = Steady::of(o, u[0]).filter(|s| s.attracts(forced, &u));
    Ok(steady.map_or(Came::Nothing, Came::Sliding))
}

/// The stable orbit that a motion is on, if it is on one.
fn repeats(forced: &Forced, window: &Trajectory) -> Option<Orbit> {
    let (section, returns) = returns(forced, window)?;
    let (end, count) = returns.split_last().map(|(last, before)| (last, before.len()))?;
    let k = (1..=LONGEST.min(count))
        .find(|k| (returns[count - k].x - end.x).abs() <= 1e3 * SAME * forced.scale[0])?;
    let period = end.t - returns[count - k].t;
    refine(forced, section, (end.x, period), k)
}

/// The section that a motion comes back to, and when and where it does.
fn returns(forced: &Forced, window: &Trajectory) -> Option<(Section, Vec<Return>)> {
    // A slip may last for the whole window, a whole number of periods: their number and that of the instants have no common factor.
    let instants = |s: &Segment| {
        let start = s.start;
        let length = s.end - s.start;
        (0..=97).map(move |i| start + length * f64::from(i) / 97.0)
    };
    let places = window.segments().iter().flat_map(|s| instants(s).map(|t| s.arc.state(t).x));
    let (a, b) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    if b - a <= STILL * forced.scale[0] {
        return None;
    }
    let side = window.segments().windows(2).rev().find_map(|w| {
        (w[0].phase == Phase::Stick && w[1].phase != Phase::Stick).then(|| w[1].phase.sign() as i8)
    });
    let section = side.map_or(Section::Turn, Section::Breakaway);
    let all = section.of(window, 0.0, unit(forced.oscillator().ok()?)?);
    (all.len() > 1).then_some((section, all))
}

impl Section {
    /// The k-th return of the motion that starts on the section at `x` (m), until `end` (s).
    fn returned(self, forced: &Forced, x: f64, end: f64, k: usize) -> Option<Return> {
        let o = forced.oscillator().ok()?;
        let velocity = if self == Self::Turn { 0.0 } else { o.support.value(0.0) };
        let mut start = vec![x, velocity];
        start.resize(forced.scale.len(), 0.0);
        let path = path(&starting_at(o, &start), 0.0, end, forced.method).ok()?;
        self.of(&path, 0.01 * end, end / (1.5 * k as f64)).get(k - 1).copied()
    }

    /// The returns of a motion, whose period is about `unit` (s), after `from` (s).
    fn of(self, path: &Trajectory, from: f64, unit: f64) -> Vec<Return> {
        match self {
            Self::Breakaway(side) => {
                let slips =
                    path.events().iter().filter(|e| e.kind == EventKind::Slip && e.time > from);
                let towards = |t: f64| path.segment(t).phase.sign() as i8 == side;
                // An event at the very end has no segment after it.
                let end = path.span().1;
                let here = slips.filter(|e| e.time >= end || towards(e.time));
                here.map(|e| Return { t: e.time, x: e.x }).collect()
            }
            Self::Turn => turns(path, unit).into_iter().filter(|r| r.t > from).collect(),
        }
    }
}

impl Section {
    /// How a change of the displacement on the section comes back after `passage`, at `back`.
    ///
    /// At a turn the velocity is zero, and a shift in time does not change the displacement. Where a stick ends is a matter of the law
    /// alone, unless friction ages: then the limit h(x, t − since) = 0 moves the end of the stick by δt = −(h_x δx − h_a δsince)/ḣ, and the
    /// support takes the mass along meanwhile.
    fn multiplier(self, o: &Oscillator, passage: &Passage, back: Return) -> f64 {
        let Self::Breakaway(side) = self else { return passage.jacobian.at(0, 0) };
        if !o.friction.ages() {
            return 0.0;
        }
        let side = f64::from(side);
        let t = back.t;
        let local = Local::new(o, t, back.x);
        let [s, ..] = local.support(t);
        let (_, rate) = local.at_rest(t, back.x);
        let Limit { rate: climbs, ages, along, .. } =
            local.limit(side, t, back.x, age(&passage.path, 0.0));
        let dx = passage.jacobian.at(0, 0);
        let dage = passage.jacobian.at(2, 0);
        let dt = -((side * local.load_slopes(t, back.x, s).0 - along) * dx - ages * dage)
            / (side * rate - climbs);
        dx + s * dt
    }
}

/// Where the velocity becomes positive. `unit` is about a period, s.
fn turns(path: &Trajectory, unit: f64) -> Vec<Return> {
    const PARTS: f64 = 64.0;
    let mut all = Vec::new();
    for s in path.segments() {
        // A slip may last for the whole path, and turns twice in each period.
        let parts = (PARTS * ((s.end - s.start) / unit).max(1.0)).ceil();
        let at = |i: usize| s.start + (s.end - s.start) * (i as f64 / parts);
        let v = |t: f64| s.arc.state(t).v;
        for i in 0..parts as usize {
            let mut a = at(i);
            let mut b = at(i + 1);
            if !(v(a) <= 0.0 && v(b) > 0.0) {
                continue;
            }
            for _ in 0..80 {
                let middle = 0.5 * (a + b);
                if middle <= a || middle >= b {
                    break;
                }
                if v(middle) <= 0.0 { a = middle } else { b = middle }
            }
            // Of a rounding the end of one slip and the beginning of the next may both show the same turn.
            if all.last().is_none_or(|r: &Return| a - r.t > SAME * unit) {
                all.push(Return { t: a, x: s.arc.state(a).x });
            }
        }
    }
    all
}

/// Newton's method for the point of the section that comes back with its k-th return.
fn refine(forced: &Forced, section: Section, guess: (f64, f64), k: usize) -> Option<Orbit> {
    let o = forced.oscillator().ok()?;
    let (mut x, mut period) = guess;
    let velocity = if section == Section::Turn { 0.0 } else { o.support.value(0.0) };
    let mut best: Option<(Fixed, f64, f64)> = None;
    for _ in 0..STEPS {
        let mut start = vec![x, velocity];
        start.resize(forced.scale.len(), 0.0);
        let Ok(longer) = path(&starting_at(o, &start), 0.0, 1.5 * period, forced.method) else {
            break;
        };
        let Some(back) = section.of(&longer, 0.01 * period, period / k as f64).get(k - 1).copied()
        else {
            break;
        };
        let Ok(passage) = passage(o, &start, back.t, forced.method) else { break };
        let multiplier = section.multiplier(o, &passage, back);
        let residual = (back.x - x).abs() / forced.scale[0];
        let fixed = Fixed { state: start, passage, residual };
        if best.as_ref().is_some_and(|b| residual >= b.0.residual) {
            break;
        }
        best = Some((fixed, back.t, multiplier));
        period = back.t;
        // Of a continuum each point comes back to itself, and there is nothing to correct.
        let step = (back.x - x) / (1.0 - multiplier);
        if residual <= 1e-2 * forced.accepted() || !step.is_finite() {
            break;
        }
        x += step;
    }
    let (fixed, period, multiplier) = best.filter(|b| b.0.residual <= forced.accepted())?;
    let multipliers = vec![Complex64::from(multiplier)];
    let there = Forced { period, ..forced.clone() };
    let family = (multiplier - 1.0).abs() <= NEUTRAL
        && [BESIDE, -BESIDE].iter().any(|part| {
            let beside = fixed.state[0] + part * forced.scale[0];
            section
                .returned(forced, beside, 1.5 * period, k)
                .is_some_and(|back| (back.x - beside).abs() <= forced.accepted() * forced.scale[0])
        });
    let stable = is_stable(&multipliers, family);
    let residual = fixed.residual;
    let orbit = Orbit::described(&there, fixed.state, fixed.passage, 1, multipliers, residual);
    Some(Orbit { periods: 0, ..orbit.with_stability(stable, family) })
}

//! Branches of orbits over a parameter, with their bifurcations.

use super::curve::{Curve, Spot, WEIGHT};
use super::forced::{Forced, difference};
use super::found::{Orbit, is_stable};
use super::kind::Kind;
use super::near;
use super::search::{Found, Search, all, nothing};
use crate::error::{Error, require};
use std::slice;

/// How a response is followed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The first value of the parameter and the last.
    pub range: (f64, f64),
    /// About how many points a branch has over the whole range; 200.
    pub count: usize,
    /// Periods of the load in a period of the orbits; 1.
    pub periods: usize,
    /// At how many values of the parameter attractors are searched for; 5.
    pub seeds: usize,
    /// How they are searched for there.
    pub search: Search,
    /// Values of the parameter and states near orbits that are known there. The branches through them are followed too; with some,
    /// `seeds` may be 0.
    pub known: Vec<(f64, Vec<f64>)>,
    /// How much changes of the state count beside those of the parameter over its range, relative to what is usual; 1. Over a very
    /// narrow range a branch turns back where its states differ by little, and is followed through that with more.
    pub weight: f64,
    /// Points of a branch, in multiples of `count`, after which it is given up; 50.
    pub rounds: usize,
}

impl Options {
    /// Over this range.
    pub fn new(from: f64, to: f64) -> Self {
        let search = Search { starts: 2, transient: 100, unstable: false, ..Search::default() };
        Self {
            range: (from, to),
            count: 200,
            periods: 1,
            seeds: 5,
            search,
            known: Vec::new(),
            weight: 1.0,
            rounds: ROUNDS,
        }
    }

    /// With about so many points.
    pub fn with_count(self, count: usize) -> Self {
        Self { count, ..self }
    }

    /// Of orbits of so many periods of the load.
    pub fn with_periods(self, periods: usize) -> Self {
        Self { periods, ..self }
    }

    pub(in crate::study) fn check(&self) -> Result<(), Error> {
        let (from, to) = self.range;
        require("the first value of the parameter", from, true, "a finite number")?;
        require(
            "the last value of the parameter",
            to,
            to != from,
            "a finite number that is not the first",
        )?;
        require("the number of points", self.count as f64, self.count >= 2, "2 or more")?;
        require("the number of periods", self.periods as f64, self.periods > 0, "1 or more")
    }
}

/// An orbit on a branch.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Point {
    /// The parameter.
    pub value: f64,
    /// The orbit.
    pub orbit: Orbit,
    /// The bifurcation that was located there.
    pub kind: Option<Kind>,
}

/// How a branch ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum End {
    /// At an end of the range.
    Range,
    /// At a bifurcation inside the range, which was named.
    Bifurcation(Kind),
    /// Its orbits grow beyond all bounds.
    Unbounded,
    /// It comes back to where it began, or to a branch that is known.
    Joined,
    /// It was given up after a great many points.
    Unfinished,
    /// It could not be followed any further, for a reason that is not known.
    #[default]
    Lost,
}

/// Orbits that go over into each other.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Branch {
    /// In their order along the branch.
    pub points: Vec<Point>,
    /// How it ends where its points begin, and where they end.
    pub ends: [End; 2],
}

impl Branch {
    /// The ends inside the range: the value of the parameter there, and how it ends.
    pub fn inner_ends(&self) -> impl Iterator<Item = (f64, End)> + '_ {
        let places = [self.points.first(), self.points.last()];
        let ends = places.into_iter().zip(self.ends);
        ends.filter_map(|(p, end)| Some((p?.value, end))).filter(|(_, end)| *end != End::Range)
    }
}

/// What a response consists of.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Response {
    /// The branches.
    pub branches: Vec<Branch>,
    /// Values of the parameter at which some motion repeats after another number of periods than was asked for, and that
    /// number: attractors that no branch shows.
    pub others: Vec<(f64, usize)>,
    /// Values of the parameter at which some motion had not settled when it was given up.
    pub unsettled: Vec<f64>,
    /// Values of the parameter at which some motion comes to steady sliding.
    pub steady: Vec<f64>,
}

impl Response {
    /// Whether nothing was lost: each branch was followed from one end of the range to the other, or as far as there is one, and
    /// each motion that was followed came to one of them or to steady sliding.
    pub fn is_whole(&self) -> bool {
        let lost = |b: &Branch| b.inner_ends().any(|e| matches!(e.1, End::Lost | End::Unfinished));
        self.others.is_empty() && self.unsettled.is_empty() && !self.branches.iter().any(lost)
    }

    /// Takes down what a search found besides orbits.
    fn note(&mut self, value: f64, found: &Found) {
        let repeats = found.others.iter().filter(|n| **n > 0);
        self.others.extend(repeats.map(|n| (value, *n)));
        if found.others.contains(&0) {
            self.unsettled.push(value);
        }
        if !found.steady.is_empty() {
            self.steady.push(value);
        }
    }

    /// The bifurcations of all branches.
    pub fn bifurcations(&self) -> impl Iterator<Item = (f64, Kind)> + '_ {
        let points = self.branches.iter().flat_map(|b| &b.points);
        points.filter_map(|p| Some((p.value, p.kind?)))
    }
}

/// States nearer to each other, relative to typical sizes, are one orbit.
const SAME: f64 = 1e-5;
/// The shortest step along a branch, relative to the longest.
const SHORTEST: f64 = 1e-3;
/// Points of one branch, relative to those over the range, after which it is given up.
const ROUNDS: usize = 50;
/// Points at the beginning of a branch to one of which it comes back if it goes round: they are longer than a step.
const BEGINNING: usize = 8;
/// So far beside a continuum of orbits, as a part of the range, an isolated one is looked for.
const ASIDE: f64 = 1e-3;
/// Orbits smaller than this, in typical sizes, are about to vanish.
const SMALL: f64 = 1e-2;
/// How far beyond the last orbit of a branch a motion is followed, in lengths of the range.
const BEYOND: f64 = 1e-6;
/// How near to 1 a multiplier of a continuum is.
const NEUTRAL: f64 = 1e-7;
/// States beyond this, in typical sizes, are on their way to infinity.
const FAR: f64 = 1e3;

/// The branches of orbits through the attractors of `make`, the model and its period at each value of the parameter.
///
/// # Errors
/// The first error of `make`; [`Error::NoOrbit`] if there is no orbit anywhere.
pub fn response<E: From<Error>>(
    make: impl Fn(f64) -> Result<Forced, E> + Sync,
    options: &Options,
) -> Result<Response, E> {
    options.check()?;
    let (from, to) = options.range;
    let maker = |v: f64| make(v).ok();
    let mut response = Response::default();
    let mut scale = Vec::new();
    let mut failure = None;
    let seeds = options.seeds.max(usize::from(options.known.is_empty()));
    for i in 0..seeds + options.known.len() {
        let given = i.checked_sub(seeds).map(|k| &options.known[k]);
        let value = given.map_or_else(|| seed(options, i), |g| g.0);
        let forced = make(value)?;
        if scale.is_empty() {
            scale.clone_from(&forced.scale);
        }
        let found: Found = match given {
            Some((_, state)) => Ok::<_, Error>(near_to(&forced, state, options.periods)),
            None => {
                let wanted = Search { periods: options.periods, ..options.search.clone() };
                all(&forced, &wanted).inspect(|found| {
                    if found.orbits.is_empty() {
                        let reason = nothing(&forced, &wanted, found);
                        failure = failure.take().or(Some(Error::NoOrbit { reason }));
                    }
                })
            }
        }?;
        response.note(value, &found);
        let periods = options.periods;
        let range = (from, to);
        let scale = scale.clone();
        let weight = WEIGHT * options.weight;
        let curve = Curve { make: &maker, periods, range, scale, weight, own: weight };
        for orbit in &found.orbits {
            let mut images = images(&forced, orbit, options.periods);
            if !images.any(|o| known(&curve, &response.branches, &forced, value, &o)) {
                let aside = orbit.family.then(|| aside(&curve, value, orbit)).flatten();
                let (forced, value, orbit) =
                    aside.as_ref().map_or((&forced, value, orbit), |a| (&a.0, a.1, &a.2));
                let next = branch(&curve, options, forced, value, orbit, &response);
                response.branches.extend(next);
            }
        }
    }
    match (response.branches.is_empty(), failure) {
        (true, Some(e)) => Err(e.into()),
        _ => Ok(response),
    }
}

/// The orbit that Newton's method finds from a state, if it finds one.
fn near_to(forced: &Forced, state: &[f64], periods: usize) -> Found {
    let fixed = forced.newton(state, periods);
    let orbits = fixed.map(|f| Orbit::of(forced, f, periods)).into_iter().collect();
    Found { orbits, ..Found::empty() }
}

/// An isolated orbit a little further on than one of a continuum.
///
/// Where there is a continuum at one value of the parameter only, such as at half of an undamped natural frequency, a branch goes through
/// one of its orbits, and not through the one to which a motion happened to come.
fn aside(curve: &Curve<'_>, value: f64, orbit: &Orbit) -> Option<(Forced, f64, Orbit)> {
    let (from, to) = curve.range;
    let step = if value == to { -ASIDE } else { ASIDE };
    let value = value + step * (to - from);
    let forced = (curve.make)(value)?;
    let fixed = forced.newton(&orbit.state, curve.periods)?;
    let orbit = Orbit::of(&forced, fixed, curve.periods);
    (!orbit.family).then_some((forced, value, orbit))
}

/// The values at which attractors are searched for: the first, the last, and those between.
fn seed(options: &Options, i: usize) -> f64 {
    let (from, to) = options.range;
    match i {
        0 => from,
        1 => to,
        _ => from + (to - from) * (i - 1) as f64 / (options.seeds - 1) as f64,
    }
}

/// The same orbit from each period of the load on, or from each of its returns to the section.
fn images(forced: &Forced, orbit: &Orbit, periods: usize) -> impl Iterator<Item = Orbit> {
    (0..periods).filter_map(|k| {
        let state = match k {
            0 => orbit.state.clone(),
            _ => forced.advance(&orbit.state, k).ok()?,
        };
        Some(Orbit { state, ..orbit.clone() })
    })
}

/// Whether an orbit lies on a branch that is known.
fn known(
    curve: &Curve<'_>,
    branches: &[Branch],
    forced: &Forced,
    value: f64,
    orbit: &Orbit,
) -> bool {
    branches.iter().any(|b| {
        b.points.windows(2).any(|w| {
            let p = &w[0];
            let q = &w[1];
            let low = p.value.min(q.value);
            let high = p.value.max(q.value);
            if value < low || value > high {
                return false;
            }
            let share = if high > low { (value - p.value) / (q.value - p.value) } else { 0.0 };
            let near: Vec<f64> = p
                .orbit
                .state
                .iter()
                .zip(&q.orbit.state)
                .map(|(a, b)| a + share * (b - a))
                .collect();
            let fixed = forced.newton(&near, curve.periods);
            fixed.is_some_and(|f| {
                // Of a continuum one orbit stands for all.
                let alike = orbit.family && f.passage.pattern == orbit.pattern;
                alike || forced.size(&difference(&f.state, &orbit.state)) <= SAME
            })
        })
    })
}

/// The branch through an orbit, both ways.
fn branch(
    curve: &Curve<'_>,
    options: &Options,
    forced: &Forced,
    value: f64,
    orbit: &Orbit,
    known: &Response,
) -> Option<Branch> {
    let fixed = forced.newton(&orbit.state, curve.periods)?;
    let mut points = Vec::new();
    let mut ends = [End::Range; 2];
    let (from, to) = options.range;
    let towards = (to - from).signum();
    if value != from {
        let went = match curve.begin(&fixed, value, -towards) {
            Some(first) => follow(curve, options, first, &mut points, &known.branches),
            None => Went::Until(End::Lost),
        };
        points.reverse();
        match went {
            Went::Round => return Some(Branch { points, ends: [End::Joined; 2] }),
            Went::Until(end) => ends[0] = end,
        }
        points.pop();
    }
    let first = curve.begin(&fixed, value, towards)?;
    if value == to {
        points.extend(point(curve, &first, None));
    } else {
        ends[1] = match follow(curve, options, first, &mut points, &known.branches) {
            Went::Until(end) => end,
            Went::Round => End::Joined,
        };
    }
    Some(Branch { points, ends })
}

/// How far a branch was followed.
enum Went {
    /// As far as this.
    Until(End),
    /// Back to where it began: it is closed.
    Round,
}

/// The points of a branch from its first one on, as long as it stays in the range and comes to no branch that is known; and how
/// it ends.
fn follow(
    curve: &Curve<'_>,
    options: &Options,
    first: Spot,
    points: &mut Vec<Point>,
    branches: &[Branch],
) -> Went {
    let longest = 1.0 / (options.count - 1) as f64;
    let (from, to) = options.range;
    let low = from.min(to);
    let high = from.max(to);
    let mut at = first;
    let mut step = longest;
    points.extend(point(curve, &at, None));
    let begin = points.len();
    let mut beginning = None;
    while points.len() - begin < options.rounds.saturating_mul(options.count) {
        let curve = &curve.near(&mut at);
        if curve.size(&at.z) > FAR {
            return Went::Until(End::Unbounded);
        }
        let Some((next, taken)) = advance(curve, &at, &mut step, longest) else {
            return Went::Until(end(curve, &at, step, points));
        };
        let value = curve.value(&next.z);
        let outside = value < low || value > high;
        let next = if outside {
            match arrive(curve, &at, &next, value.clamp(low, high)) {
                Some(last) => last,
                None => return Went::Until(End::Lost),
            }
        } else {
            next
        };
        let Some(located) = curve.bifurcations(&at, &next) else {
            // The branch turns back or ends in between, and the corrector has come to another one.
            step = 0.3 * taken;
            if step >= SHORTEST * longest {
                continue;
            }
            return Went::Until(end(curve, &at, taken, points));
        };
        for b in located {
            points.extend(point(curve, &b.spot, Some(b.kind)));
        }
        points.extend(point(curve, &next, None));
        if outside {
            return Went::Until(End::Range);
        }
        if is_on(curve, branches, &next) {
            return Went::Until(End::Joined);
        }
        if beginning.is_none() && points.len() - begin > 2 * BEGINNING {
            let first = points[begin - 1..begin + BEGINNING].to_vec();
            beginning = Some(Branch { points: first, ..Branch::default() });
        }
        if beginning.as_ref().is_some_and(|first| is_on(curve, slice::from_ref(first), &next)) {
            return Went::Round;
        }
        at = next;
    }
    Went::Until(End::Unfinished)
}

/// Whether a point lies on a branch that is known.
fn is_on(curve: &Curve<'_>, branches: &[Branch], spot: &Spot) -> bool {
    let value = curve.value(&spot.z);
    let covers = |b: &Branch| {
        let mut pairs = b.points.windows(2);
        pairs.any(|w| (w[0].value - value) * (w[1].value - value) <= 0.0)
    };
    if !branches.iter().any(covers) {
        return false;
    }
    let Some(forced) = (curve.make)(value) else { return false };
    // Of a continuum no two orbits are told apart.
    let neutral = spot.multipliers.iter().any(|m| crate::numeric::modulus(m - 1.0) <= NEUTRAL);
    let Some(here) = point(curve, spot, None).filter(|_| !neutral) else { return false };
    let mut images = images(&forced, &here.orbit, curve.periods);
    images.any(|o| known(curve, branches, &forced, value, &o))
}

/// The next point and the step to it, halved until the corrector succeeds and the branch does not turn too far.
fn advance(curve: &Curve<'_>, at: &Spot, step: &mut f64, longest: f64) -> Option<(Spot, f64)> {
    while *step >= SHORTEST * longest {
        let guess = curve.ahead(&at.z, &at.along, *step);
        if let Some(next) = curve.correct(&guess, &at.along) {
            let turned = curve.product(&next.along, &at.along);
            if turned > 0.8 || *step < 2.0 * SHORTEST * longest && turned > 0.0 {
                let taken = *step;
                *step = (1.7 * *step).min(longest);
                return Some((next, taken));
            }
        }
        *step *= 0.5;
    }
    None
}

/// The point at the end of the range, between the last point inside and the first outside.
fn arrive(curve: &Curve<'_>, a: &Spot, b: &Spot, value: f64) -> Option<Spot> {
    let n = curve.scale.len();
    let p = curve.value(&a.z);
    let q = curve.value(&b.z);
    let share = (value - p) / (q - p);
    let mut guess: Vec<f64> = a.z.iter().zip(&b.z).map(|(a, b)| a + share * (b - a)).collect();
    guess[n] = curve.place(&[], value)[0];
    let mut across = vec![0.0; n + 1];
    across[n] = 1.0f64.copysign(q - p);
    curve.correct(&guess, &across)
}

/// Where a branch ends inside the range: the last orbit that can be reached, and what happens there.
fn end(curve: &Curve<'_>, at: &Spot, step: f64, points: &mut Vec<Point>) -> End {
    let n = curve.scale.len();
    let mut low = 0.0;
    let mut high = 2.0 * step;
    let mut last = at.clone();
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        match curve.correct(&curve.ahead(&at.z, &at.along, middle), &at.along) {
            Some(s) if s.passage.pattern == at.passage.pattern => (low, last) = (middle, s),
            _ => high = middle,
        }
    }
    let Some(forced) = (curve.make)(curve.value(&last.z)) else { return End::Lost };
    if forced.section.is_some()
        && let Some(hopf) = shrinks(curve, at, &last)
    {
        points.push(hopf);
        return End::Bifurcation(Kind::Hopf);
    }
    // The last orbit may lie behind a fold: what comes before it is looked for as between any two points. Where something is there
    // that cannot be located, the last orbit that is known to lie on this branch is the one before it.
    let Some(located) = curve.bifurcations(at, &last) else { return End::Lost };
    for b in located {
        points.extend(point(curve, &b.spot, Some(b.kind)));
    }
    let kind = forced.oscillator().ok().and_then(|o| near::kind(o, &last.passage.path));
    let ceases = || {
        let beyond = (curve.make)(curve.value(&curve.ahead(&last.z, &at.along, BEYOND)))?;
        near::slips_on(&beyond, &last.passage.path, &curve.state(&last.z[..n]))
            .then_some(Kind::GrazingSliding)
    };
    let kind = kind.or_else(|| forced.section.and_then(|_| ceases()));
    points.extend(point(curve, &last, kind));
    kind.map_or(End::Lost, End::Bifurcation)
}

/// Where orbits that nothing drives shrink to steady sliding, if those from one point to another do: there the square of the amplitude
/// is linear in the parameter.
fn shrinks(curve: &Curve<'_>, at: &Spot, last: &Spot) -> Option<Point> {
    let d: Vec<f64> = last.z.iter().zip(&at.z).map(|(b, a)| b - a).collect();
    let middle = curve.correct(&curve.ahead(&at.z, &d, 0.5), &at.along);
    let middle = middle.as_ref().filter(|m| m.z != last.z).unwrap_or(at);
    let p = point(curve, middle, None)?;
    let q = point(curve, last, Some(Kind::Hopf))?;
    let [a, b] = [&p, &q].map(|p| p.orbit.amplitude());
    let value = q.value + (q.value - p.value) * b * b / (a * a - b * b);
    let small = b <= SMALL * curve.scale[0] && b < a && q.orbit.stops == 0;
    (small && value.is_finite()).then_some(Point { value, ..q })
}

/// What is to be said of a point.
fn point(curve: &Curve<'_>, spot: &Spot, kind: Option<Kind>) -> Option<Point> {
    let value = curve.value(&spot.z);
    let forced = (curve.make)(value)?;
    let orbit = Orbit::on_branch(&forced, curve, spot);
    Some(Point { value, orbit, kind })
}

impl Orbit {
    /// The orbit at a point of a branch. Whether it is one of a continuum is not looked for: a multiplier 1 does not make
    /// it unstable.
    fn on_branch(forced: &Forced, curve: &Curve<'_>, spot: &Spot) -> Self {
        let multipliers = spot.multipliers.clone();
        let residual = spot.residual;
        let state = curve.state(&spot.z);
        let stable = is_stable(&multipliers, true);
        Self::described(forced, state, spot.passage.clone(), curve.periods, multipliers, residual)
            .with_stability(stable, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Contact;
    use crate::model::Oscillator;
    use crate::scheme::oscillator::adaptive::Options as Tolerances;
    use crate::signal::Signal;
    use crate::study::orbit::Method;
    use crate::{Error, Law};
    use std::f64::consts::TAU;

    /// A law that falls with the velocity: f − a w.
    #[derive(Debug)]
    struct Falling;

    const FALL: f64 = 0.2;

    impl Contact for Falling {
        fn force(&self, _: f64, w: f64) -> f64 {
            (1.0 - FALL * w).max(0.0)
        }

        fn slope_range(&self, _: f64, from: f64, to: f64) -> (f64, f64) {
            (if from < 5.0 { -FALL } else { 0.0 }, if to < 5.0 { -FALL } else { 0.0 })
        }
    }

    /// A mass on a belt under a force of slow period: its velocity comes near that of the belt and does not reach it, so that the law is a
    /// damper −a, and the velocity has the amplitude F ω/|k − m ω² + i ω (c − a)|.
    fn driven(damping: f64) -> Result<Forced, Error> {
        let omega = 0.1f64;
        let fastest = 0.3 * omega / (1.0 - omega * omega);
        let o = Oscillator::new(1.0, 1.0, Law::custom("falling", Falling)?)
            .with_damping(damping)
            .with_support(Signal::constant(1.0003 * fastest))
            .with_force(Signal::harmonic(0.3, omega, 0.0));
        let tight = Method::Adaptive(Tolerances::tolerance(1e-12).with_atol(1e-14));
        Forced::new(&o.into(), TAU / omega, tight)
    }

    /// At c = a two multipliers leave the unit circle. Where no orbit can be computed around that value, the branch is lost before it; the
    /// orbits behind it, which nearly graze the belt's velocity, are not its end at a bifurcation that is named.
    #[test]
    fn a_branch_is_lost_before_a_bifurcation_that_cannot_be_located() {
        let step = 0.2;
        let ended = |hole: f64| {
            let make = |c: f64| driven(c).ok().filter(|_| (c - FALL).abs() >= hole);
            let forced = make(0.22).unwrap();
            let scale = forced.scale.clone();
            let range = (0.1, 0.3);
            let curve =
                Curve { make: &make, periods: 1, range, scale, weight: WEIGHT, own: WEIGHT };
            let fixed = forced.newton(&forced.start(), 1).unwrap();
            let at = curve.begin(&fixed, 0.22, -1.0).unwrap();
            let mut points = Vec::new();
            let end = end(&curve, &at, step, &mut points);
            let values = points.iter().map(|p| (p.value, p.kind)).collect::<Vec<_>>();
            (end, values)
        };
        // Without a hole the bifurcation is located, at c = a, and what lies behind it is 2 steps of 0.2 of the range away.
        let (end, values) = ended(0.0);
        let [(first, kind), (last, _)] = values[..] else { panic!("{values:?}") };
        assert!((first - FALL).abs() < 1e-8 && kind == Some(Kind::NeimarkSacker), "{values:?}");
        assert!((last - 0.14).abs() < 1e-3, "{values:?}");
        assert_eq!(end, End::Bifurcation(Kind::GrazingSliding));
        let (end, values) = ended(0.005);
        assert!(values.is_empty() && end == End::Lost, "{end:?} {values:?}");
    }
}

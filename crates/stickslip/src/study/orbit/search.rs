//! Periodic orbits without a guess: motions are followed until they repeat, and Newton's method does the rest.

use super::arrival::{Approach, Arrival};
use super::forced::{Forced, difference};
use super::found::Orbit;
use super::sliding::Steady;
use crate::error::Error;
use crate::study::parallel::map;

/// What is looked for, and how far.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Search {
    /// Periods of the load in a period of the orbit; 1.
    pub periods: usize,
    /// Motions are followed over at most so many periods of the orbit; 400.
    pub transient: usize,
    /// Starts along each axis beside the model's own initial state: n × n of them; 5.
    pub starts: usize,
    /// Whether Newton's method is tried from the starts themselves, which finds unstable orbits too; true.
    pub unstable: bool,
}

impl Default for Search {
    fn default() -> Self {
        Self { periods: 1, transient: 400, starts: 5, unstable: true }
    }
}

/// What a search found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Found {
    /// The orbits; first the one to which the model's initial state leads, if `leads` says so, then the stable ones, then the
    /// others. Of a continuum of orbits one is listed.
    pub orbits: Vec<Orbit>,
    /// Steady sliding of a model that nothing drives: states in which nothing changes but what moves along.
    pub steady: Vec<Steady>,
    /// To what the model's initial state leads.
    pub leads: Leads,
    /// Whether every motion that was followed ended at one of the orbits or slides steadily. It is no proof that no motion from
    /// another start comes to another one.
    pub complete: bool,
    /// Of the motions that did not: their numbers of periods after which they do repeat, 0 where they do not within 12.
    pub others: Vec<usize>,
}

/// To what the motion from the initial state of a model leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Leads {
    /// To the first orbit of the list.
    Orbit,
    /// To steady sliding: its number in the list.
    Steady(usize),
    /// To a motion that repeats after this number of periods of the load, which is not the one that was asked for.
    After(usize),
    /// It had not settled when it was given up.
    Unsettled,
}

impl Found {
    pub(super) fn empty() -> Self {
        let leads = Leads::Unsettled;
        Self { orbits: Vec::new(), steady: Vec::new(), leads, complete: true, others: Vec::new() }
    }

    /// The number of a state of steady sliding in the list, to which it is added if it is new.
    pub(super) fn see(&mut self, forced: &Forced, steady: Steady) -> usize {
        let same = |s: &Steady| forced.size(&difference(&s.state, &steady.state)) <= SAME_STEADY;
        match self.steady.iter().position(same) {
            Some(i) => i,
            None => {
                self.steady.push(steady);
                self.steady.len() - 1
            }
        }
    }
}

/// States of steady sliding nearer to each other, relative to typical sizes, are the same.
const SAME_STEADY: f64 = 1e-3;
/// A motion that comes nearer to a stable orbit from block to block is followed this many times longer.
const PATIENCE: usize = 50;

/// States nearer to each other, relative to typical sizes, are the same.
const SAME: f64 = 1e-6;
/// Motions this near to a stable orbit may be on their way to it, which [`Arrival`] decides.
const NEAR: f64 = 0.05;
/// An orbit of a continuum this near to a motion, relative to typical sizes, is the one to which the motion comes.
const ALONGSIDE: f64 = 1e-5;
/// Orbits with a smaller transversality touch an event.
const GRAZING: f64 = 1e-6;
/// The most periods that are tried for a motion that does not repeat as asked.
const LONGEST: usize = 12;

/// Why there is no orbit of a model that nothing drives.
pub(super) fn undriven(forced: &Forced, found: &Found) -> String {
    match found.steady.iter().find(|s| s.stable) {
        Some(s) if found.complete => format!(
            "nothing drives the model, and every motion that was followed comes to steady sliding at {}",
            s.place(forced)
        ),
        Some(s) => format!(
            "nothing drives the model, and the motions that were followed come to steady sliding at {}, come to rest or do not repeat",
            s.place(forced)
        ),
        None => "nothing drives the model, and every motion that was followed comes to rest, slides steadily or does not repeat".into(),
    }
}

/// Where a motion ends.
enum Outcome {
    At(Box<Orbit>),
    /// It slides steadily.
    Slides(Steady),
    /// It repeats after so many periods, or not at all (0).
    Elsewhere(usize),
    /// It did not repeat, and was last seen next to a stable orbit without coming to it.
    Passes(Box<Orbit>),
}

/// What an error on the way of one motion means: that of a motion which cannot be followed further is its end, and that of the
/// model, or of the model's own motion, is the answer.
pub(super) fn lost(e: Error, own: bool) -> Result<(), Error> {
    match e {
        // It comes to rest, or is unbounded.
        Error::NoOrbit { .. } | Error::NotFinite { .. } => Ok(()),
        Error::Unsuitable { .. }
        | Error::NotOffered { .. }
        | Error::Interrupted { .. }
        | Error::TooLong { .. } => Err(e),
        e if own || e.kind() == crate::error::Kind::Input => Err(e),
        _ => Ok(()),
    }
}

/// The periodic orbits that are found from a set of starts.
///
/// # Errors
/// [`Error::NoOrbit`] if there is none, saying what was found instead.
///
/// ```
/// use stickslip::study::orbit::{Forced, Method, Search, search};
/// use stickslip::{Law, Oscillator, Signal};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Den Hartog 1931: at ω = 0.5 ω_n the mass stops twice a period where f/A is large enough.
/// let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.5)?).with_force(Signal::harmonic(1.0, 0.7, 0.0));
/// let period = std::f64::consts::TAU / 0.7;
/// let found = search(&Forced::new(&o.into(), period, Method::Best)?, &Search::default())?;
/// assert!(found.complete && found.orbits[0].stable);
/// # Ok(()) }
/// ```
pub fn search(forced: &Forced, search: &Search) -> Result<Found, Error> {
    let found = all(forced, search)?;
    if found.orbits.is_empty() {
        return Err(Error::NoOrbit { reason: nothing(forced, search, &found) });
    }
    Ok(found)
}

/// The orbits that a search finds and, where some motions repeat after other numbers of periods, the stable orbits of
/// those periods too: what motions of the model come to, as far as that is periodic.
///
/// # Errors
/// [`Error::NoOrbit`] if there is none.
pub fn attractors(forced: &Forced, wanted: &Search) -> Result<Found, Error> {
    let mut found = all(forced, wanted)?;
    found.complete = !found.others.contains(&0);
    let longer: Vec<usize> = found.others.iter().copied().filter(|n| *n > 0).collect();
    if forced.section.is_some() {
        found.others.retain(|n| *n == 0); // how often an orbit comes through the section is no matter
    }
    for periods in longer {
        let wanted = Search { periods, unstable: false, ..wanted.clone() };
        let more = all(forced, &wanted)?;
        let own = found.leads == Leads::After(periods) && more.leads == Leads::Orbit;
        for (i, orbit) in more.orbits.into_iter().enumerate() {
            let known = found.orbits.iter().position(|o| passes(forced, o, &orbit));
            let number = match known {
                Some(number) => number,
                None if orbit.stable => {
                    found.orbits.push(orbit);
                    found.orbits.len() - 1
                }
                None => continue,
            };
            if own && i == 0 {
                // What the model's own start leads to comes first, however often it meets the section or the load's period.
                let first = found.orbits.remove(number);
                found.orbits.insert(0, first);
                found.leads = Leads::Orbit;
            }
        }
    }
    if found.orbits.is_empty() {
        return Err(Error::NoOrbit { reason: nothing(forced, wanted, &found) });
    }
    Ok(found)
}

/// Whether `orbit` starts on `known`, after whatever period of the load.
fn passes(forced: &Forced, known: &Orbit, orbit: &Orbit) -> bool {
    let near = |u: &[f64]| {
        u.len() == orbit.state.len() && forced.size(&difference(u, &orbit.state)) <= SAME
    };
    let mut u = known.state.clone();
    let most = if forced.section.is_some() { LONGEST } else { known.periods.max(1) };
    near(&u)
        || (1..most).any(|_| {
            u = forced.advance(&u, 1).unwrap_or_default();
            near(&u)
        })
}

/// The same, whether there are any or not.
pub(super) fn all(forced: &Forced, search: &Search) -> Result<Found, Error> {
    let starts = starts(forced, search.starts);
    // The model's own start comes first: what it leads to spares the others Newton's method on their way there.
    let own = starts.first().map(|u| follow(forced, u, search, true, None)).transpose()?;
    let known = match &own {
        Some(Outcome::At(orbit)) => Some(orbit.state.clone()),
        _ => None,
    };
    let others = starts.get(1..).unwrap_or_default();
    let from = |i: usize| follow(forced, &others[i], search, false, known.as_deref());
    let others = map(others.len(), from)?;
    let outcomes: Vec<Outcome> = own.into_iter().chain(others).collect();
    let mut found = Found::empty();
    let own = usize::from(matches!(outcomes.first(), Some(Outcome::At(_))));
    if let Some(first) = outcomes.first() {
        found.leads = match first {
            Outcome::At(_) => Leads::Orbit,
            Outcome::Slides(_) => Leads::Steady(0),
            Outcome::Elsewhere(0) | Outcome::Passes(_) => Leads::Unsettled,
            Outcome::Elsewhere(n) => Leads::After(*n),
        };
    }
    for outcome in outcomes {
        match outcome {
            Outcome::At(orbit) => add(forced, &mut found.orbits, own, *orbit),
            Outcome::Slides(steady) => {
                found.see(forced, steady);
            }
            Outcome::Elsewhere(n) => {
                found.complete = false;
                found.others.push(n);
            }
            Outcome::Passes(orbit) => {
                found.complete = false;
                found.others.push(0);
                add(forced, &mut found.orbits, own, *orbit);
            }
        }
    }
    if search.unstable {
        let more = map(starts.len(), |i| {
            let fixed = forced.newton(&starts[i], search.periods);
            Ok::<_, Error>(fixed.map(|f| Orbit::of(forced, f, search.periods)))
        })?;
        more.into_iter().flatten().for_each(|o| add(forced, &mut found.orbits, own, o));
    }
    // The sort is stable: what the model's own start leads to stays first.
    if let Some(rest) = found.orbits.get_mut(own..) {
        rest.sort_by_key(|o| !o.stable);
    }
    found.others.sort_unstable();
    found.others.dedup();
    Ok(found)
}

/// Why there is no orbit.
pub(super) fn nothing(forced: &Forced, search: &Search, found: &Found) -> String {
    if forced.section.is_some() {
        return undriven(forced, found);
    }
    let n = search.periods;
    match found.others.iter().find(|k| **k > 0) {
        Some(k) => format!(
            "no motion that was followed repeats after {n} period{} of the load; some repeat after {k}: ask for an orbit of {k} periods",
            if n == 1 { "" } else { "s" }
        ),
        None => format!(
            "no motion that was followed over {} periods repeats after {LONGEST} periods or fewer: it may be chaotic, \
             quasi-periodic, unbounded or slow to settle (then follow it over more periods)",
            n * search.transient
        ),
    }
}

/// The model's initial state, and a grid around the origin of the frame.
fn starts(forced: &Forced, n: usize) -> Vec<Vec<f64>> {
    let mut all = vec![forced.start()];
    let Ok(o) = forced.oscillator() else {
        // Displacements of all nodes that are spread evenly (Kronecker's sequence), at rest.
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        let free = forced.scale.len();
        let keeps = forced.is_machine();
        let first = all[0].clone();
        let spread = (1..=if n > 1 { n } else { 0 }).map(|k| {
            let part = |i: usize| (k as f64 * golden.powi(i as i32 % 7 + 1)).fract() - 0.5;
            let n = forced.displacements();
            // What contacts and controllers remember is as in the model: no contact has the age 0.
            let start = |i: usize| match i {
                _ if i < n => 4.0 * part(i) * forced.scale[i],
                _ if keeps && i >= 2 * n => first[i],
                _ => 0.0,
            };
            (0..free).map(start).collect()
        });
        all.extend(spread.filter(|u: &Vec<f64>| forced.allows(u)));
        return all;
    };
    let at = |i: usize, size: f64| match n {
        0 | 1 => 0.0,
        _ => 3.0 * size * (2.0 * i as f64 / (n - 1) as f64 - 1.0),
    };
    let support = o.support.value(0.0);
    for i in 0..n {
        for j in 0..n {
            let mut u = vec![at(i, forced.scale[0]), support + at(j, forced.scale[1])];
            u.resize(forced.scale.len(), 0.0);
            let outside = o.stops.is_some_and(|s| s.check(u[0]).is_err());
            if !outside {
                all.push(u);
            }
        }
    }
    all
}

/// How the distance of a motion from a known orbit changes while it is followed.
struct Way<'a> {
    orbit: &'a [f64],
    nearest: f64,
}

impl Way<'_> {
    /// Whether the motion, now at `u`, is on its way to the orbit: nearer than before, but not near yet.
    fn goes_on(&mut self, forced: &Forced, u: &[f64]) -> bool {
        let apart = forced.size(&difference(self.orbit, u)) / forced.size(self.orbit).max(1.0);
        let nearer = apart < self.nearest;
        self.nearest = self.nearest.min(apart);
        nearer && apart > NEAR
    }
}

/// Follows the motion from `u` until Newton's method finds an orbit next to it. `own` says whether it is the model's own start;
/// `known` is a state on the orbit to which that one leads, for the others.
fn follow(
    forced: &Forced,
    u: &[f64],
    search: &Search,
    own: bool,
    known: Option<&[f64]>,
) -> Result<Outcome, Error> {
    let mut u = u.to_vec();
    let mut done = 0;
    let mut block = 4;
    let mut nearest = f64::INFINITY;
    let mut approaches = false;
    let mut passed = None;
    let mut known = known.map(|orbit| Way { orbit, nearest: f64::INFINITY });
    while done < search.transient || approaches && done < PATIENCE * search.transient {
        let next = match forced.advance(&u, block * search.periods) {
            Ok(next) if next.iter().all(|u| u.is_finite()) => next,
            Ok(_) => return Ok(Outcome::Elsewhere(0)),
            Err(e) => {
                lost(e, own)?;
                return Ok(steadily(forced, &u).map_or(Outcome::Elsewhere(0), Outcome::Slides));
            }
        };
        (u, done, block) = (next, done + block, (2 * block).min(32));
        // Newton's method costs as much as dozens of periods. A motion that comes nearer to the known orbit from block to block
        // does not need it before it is there; one that turns away to another orbit stops coming nearer.
        if known.as_mut().is_some_and(|k| k.goes_on(forced, &u)) {
            approaches = true;
            continue;
        }
        let Some(Heading { orbit, apart, arrival }) = heading_for(forced, &u, search.periods)
        else {
            approaches = false;
            continue;
        };
        // Near resonance, for one, a motion takes thousands of periods to settle.
        (approaches, nearest) = (apart < nearest, apart.min(nearest));
        if apart <= NEAR {
            match arrival.follow(forced, &u, PATIENCE * search.transient) {
                Approach::Comes if own && orbit.family => {
                    let most = PATIENCE * search.transient;
                    return Ok(Outcome::At(Box::new(along(
                        forced,
                        u,
                        search.periods,
                        orbit,
                        most,
                    ))));
                }
                Approach::Comes => return Ok(Outcome::At(Box::new(orbit))),
                Approach::Open { after, count } => (u, done) = (after, done + count),
                Approach::Lost => {}
            }
            passed = Some(orbit);
        }
    }
    if let Some(steady) = steadily(forced, &u) {
        return Ok(Outcome::Slides(steady));
    }
    let near = |n: usize| {
        let found = heading_for(forced, &u, n).filter(|h| h.apart <= NEAR)?;
        let most = (search.transient * search.periods / n).max(1);
        let comes = matches!(found.arrival.follow(forced, &u, most), Approach::Comes);
        comes.then_some((n, found.orbit))
    };
    // Of an orbit of a few periods it has been seen already that the motion does not come to it.
    let of_fewer = |orbit: &Orbit, n: usize| {
        (1..n).filter(|k| n.is_multiple_of(*k)).any(|k| {
            let after = forced.advance(&orbit.state, k).unwrap_or_default();
            after.len() == orbit.state.len()
                && forced.size(&difference(&after, &orbit.state)) <= SAME
        })
    };
    let new = |n: usize| near(n).filter(|found| !of_fewer(&found.1, n));
    Ok(match (1..=LONGEST).find_map(new) {
        // What repeats after a part of the period that was asked for repeats after that too.
        Some((n, _)) if search.periods.is_multiple_of(n) => match near(search.periods) {
            Some((_, orbit)) => Outcome::At(Box::new(orbit)),
            None => Outcome::Elsewhere(n),
        },
        Some((n, _)) => Outcome::Elsewhere(n),
        None => passed.map_or(Outcome::Elsewhere(0), |orbit| Outcome::Passes(Box::new(orbit))),
    })
}

/// Of a continuum of orbits the one to which the motion at `u` comes, which is next to `orbit` of them.
///
/// A motion that sticks on its way creeps to the last orbit of a continuum that does not stick: its distance δ from there falls as
/// δ′ = δ − c δ^{3/2}, and Newton's method, from farther away, goes past the edge to one of the orbits within. So it is followed for
/// longer and longer, until the orbit that is found is where the motion is, or is not found nearer to it any more.
fn along(forced: &Forced, mut u: Vec<f64>, periods: usize, mut orbit: Orbit, most: usize) -> Orbit {
    let size = forced.size(&orbit.state).max(1.0);
    let mut apart = forced.size(&difference(&orbit.state, &u)) / size;
    let mut block = 32;
    let mut done = 0;
    while apart > ALONGSIDE && done + block <= most {
        let Ok(next) = forced.advance(&u, block * periods) else { break };
        (u, done, block) = (next, done + block, 2 * block);
        let Some(heading) = heading_for(forced, &u, periods) else { break };
        if !heading.orbit.family || heading.apart >= apart {
            break;
        }
        (apart, orbit) = (heading.apart, heading.orbit);
    }
    orbit
}

/// Steady sliding that a motion at `u` has come to, if nothing drives the model.
fn steadily(forced: &Forced, u: &[f64]) -> Option<Steady> {
    forced.section?;
    match forced.oscillator() {
        Ok(o) => Steady::of(o, u[0]).filter(|s| s.attracts(forced, u)),
        Err(_) => Steady::reached(forced, u),
    }
}

/// The stable orbit that Newton's method finds from a motion.
struct Heading {
    orbit: Orbit,
    /// How far away it is, relative to the greater of typical sizes and its own.
    apart: f64,
    arrival: Arrival,
}

/// The stable orbit that Newton's method finds from a motion at `u`.
fn heading_for(forced: &Forced, u: &[f64], periods: usize) -> Option<Heading> {
    let fixed = forced.newton(u, periods)?;
    let apart = forced.size(&difference(&fixed.state, u)) / forced.size(&fixed.state).max(1.0);
    let arrival = Arrival::at(forced, &fixed, periods);
    let orbit = Orbit::of(forced, fixed, periods);
    let arrival = arrival.of_a_family(orbit.family);
    orbit.stable.then_some(Heading { orbit, apart, arrival })
}

/// Adds an orbit unless it is known, or one of a continuum that is: then one that grazes an event gives way to one that does not,
/// but for the first `kept` orbits, to which the model's own start leads.
fn add(forced: &Forced, orbits: &mut Vec<Orbit>, kept: usize, orbit: Orbit) {
    let of_its_continuum = |o: &Orbit| {
        o.family && orbit.family && (o.pattern == orbit.pattern || between(forced, o, &orbit))
    };
    // From each period of the load on it is the same orbit.
    if orbits.iter().any(|o| passes(forced, o, &orbit)) {
        return;
    }
    match orbits.iter().position(of_its_continuum) {
        Some(i) if orbits[i].transversality < GRAZING && orbit.transversality >= GRAZING => {
            if i >= kept {
                orbits[i] = orbit;
            }
        }
        Some(_) => {}
        None => orbits.push(orbit),
    }
}

/// Whether what lies half way between two orbits is an orbit too.
fn between(forced: &Forced, a: &Orbit, b: &Orbit) -> bool {
    if a.periods != b.periods || forced.section.is_some() {
        return false;
    }
    let half: Vec<f64> = a.state.iter().zip(&b.state).map(|(a, b)| 0.5 * (a + b)).collect();
    let end = forced.advance(&half, a.periods);
    end.is_ok_and(|end| forced.size(&difference(&end, &half)) <= SAME)
}

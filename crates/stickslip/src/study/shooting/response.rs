//! Branches of motions that repeat, of a mass on a plane and of a contact with memory, followed over a parameter.
//!
//! Newton's method goes on from the orbit at one value of the parameter to that at the next, from where a straight line through
//! the last two points leads; where it fails, by shorter steps. A branch that turns back is lost there: what lies beyond is found
//! from the motions of the model's own initial state at the next values, and followed both ways.

use super::{Repeating, Shooting, extremes, repeating};
use crate::error::Error;
use crate::model::Model;
use crate::motion::{EventKind, Trajectory};
use crate::numeric::modulus;
use crate::scheme::oscillator::adaptive::Options;
use crate::solution::{Role, Solution};
use crate::study::orbit::{Branch, Driven, End, InPlane, Kind, Orbit, Point, Response, driven};
use crate::study::orbit::{Multiplier, Options as Wanted};
use crate::study::sweep::Measures;
use std::mem::take;

/// Halvings of a step between two values before a branch is lost.
const HALVINGS: usize = 6;
/// An orbit farther from where it was expected, relative to typical sizes, belongs to another branch.
const APART: f64 = 0.3;
/// Orbits nearer to each other, relative to typical sizes, are the same.
const SAME: f64 = 1e-5;
/// Halvings of the interval in which a bifurcation is located: to 1e-6 of a step, beyond which differences do not resolve.
const LOCATED: usize = 20;
/// How far from 1 the modulus of a multiplier may be where it is said to cross the unit circle: where it jumps across, nothing is
/// known of what happens there.
const CROSSES: f64 = 0.01;
/// Instants at which a motion is compared with its mirror image.
const LOOKS: usize = 16;
/// How far, relative to its amplitude, a motion is from its mirror image if it is its own.
const MIRRORED: f64 = 1e-3;
/// How far, relative to typical sizes, the mirror image of an orbit is from repeating where it is an orbit too.
const IMAGE: f64 = 1e-4;

/// The branches of motions that repeat to which the initial states of `make` lead, the model at each value of the parameter:
/// a contact with memory or a mass on a plane. Each passage is solved by adaptive steps with `solver`.
///
/// ```
/// use stickslip::law::memory::Dahl;
/// use stickslip::model::Hysteretic;
/// use stickslip::study::{orbit, orbit::TIGHT, shooting::responding};
/// use stickslip::{Error, Signal};
/// # fn main() -> Result<(), Error> {
/// // The loop of Dahl's law over a way ±A loses 4 F (A − ℓ tanh(A/ℓ)) in a period, ℓ = F/σ.
/// let law = Dahl::new(1.0, 150.0, 1.0)?;
/// let led = |way: f64| Ok::<_, Error>(Hysteretic::led(law.clone(), Signal::harmonic(way, 3.0, 0.0)).into());
/// let found = responding(led, TIGHT, &orbit::Options::new(0.004, 0.008).with_count(3))?;
/// let last = &found.branches[0].points[2];
/// let length: f64 = 1.0 / 150.0;
/// let lost = 4.0 * (0.008 - length * (0.008 / length).tanh());
/// assert!((last.orbit.dissipated - lost).abs() < 1e-9 && last.orbit.stable);
/// # Ok(()) }
/// ```
///
/// # Errors
/// The first error of `make`; [`Error::NoOrbit`] if there is no such motion anywhere.
pub fn responding<E: From<Error>>(
    make: impl Fn(f64) -> Result<Model, E>,
    solver: Options,
    wanted: &Wanted,
) -> Result<Response, E> {
    wanted.check()?;
    let over = Over { make: &make, solver, wanted };
    let last = wanted.count - 1;
    let mut response = Response::default();
    let mut failure = None;
    let mut i = 0;
    while i <= last {
        let Some(first) = over.attractor(i, &mut response, &mut failure)? else {
            i += 1;
            continue;
        };
        i = 1 + over.branch(i, first, &mut response)?;
    }
    // What else there may be at the other end of the range, and where nothing that is known is stable.
    over.further(last, &mut response, &mut failure)?;
    let mut looked = vec![false; 1 + last];
    while let Some(i) = over.unstable(&looked, &response) {
        looked[i] = true;
        over.further(i, &mut response, &mut failure)?;
    }
    match (response.branches.is_empty(), failure) {
        (true, Some(e)) => Err(E::from(e)),
        _ => Ok(response),
    }
}

/// The model over its parameter.
struct Over<'a, M> {
    make: &'a M,
    solver: Options,
    wanted: &'a Wanted,
}

/// An orbit at a value of the parameter.
#[derive(Clone)]
struct Place {
    value: f64,
    orbit: Orbit,
    /// Whether the motion is its own mirror image.
    mirrored: bool,
    /// The middles of the ranges of its displacements, m.
    middle: Vec<f64>,
}

impl<M: Fn(f64) -> Result<Model, E>, E: From<Error>> Over<'_, M> {
    fn value(&self, i: usize) -> f64 {
        let (from, to) = self.wanted.range;
        let last = self.wanted.count - 1;
        if i == last { to } else { from + (to - from) * i as f64 / last as f64 }
    }

    /// The orbit to which the initial state leads at value number `i`; what is found in its place is taken down.
    fn attractor(
        &self,
        i: usize,
        response: &mut Response,
        failure: &mut Option<Error>,
    ) -> Result<Option<Place>, E> {
        let value = self.value(i);
        let mut search = self.wanted.search.clone();
        search.periods = self.wanted.periods;
        match repeating(&(self.make)(value)?, self.solver, &search) {
            Ok(found) => Ok(Some(Place::of(value, found))),
            Err(e @ Error::NoOrbit { .. }) => {
                if !response.unsettled.contains(&value) {
                    response.unsettled.push(value);
                }
                *failure = failure.take().or(Some(e));
                Ok(None)
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Follows the branch through the orbit to which the initial state leads at value number `i`, unless it is known.
    fn further(
        &self,
        i: usize,
        response: &mut Response,
        failure: &mut Option<Error>,
    ) -> Result<(), E> {
        if let Some(first) = self.attractor(i, response, failure)?
            && !self.is_known(&first, response)
        {
            self.branch(i, first, response)?;
        }
        Ok(())
    }

    /// A value, in the middle of some at which all known orbits are unstable and that were not `looked` at.
    fn unstable(&self, looked: &[bool], response: &Response) -> Option<usize> {
        let points = || response.branches.iter().flat_map(|b| &b.points);
        let stable = |i: usize| points().any(|p| p.value == self.value(i) && p.orbit.stable);
        let wanted = |i: usize| !looked[i] && !response.unsettled.contains(&self.value(i));
        let first = (0..looked.len()).find(|&i| wanted(i) && !stable(i))?;
        let until = (first..looked.len()).find(|&i| !wanted(i) || stable(i));
        Some((first + until.unwrap_or(looked.len()) - 1) / 2)
    }

    /// Follows the branch through an orbit at value number `i` both ways; the last value up to which it was followed.
    fn branch(&self, i: usize, first: Place, response: &mut Response) -> Result<usize, E> {
        let last = self.wanted.count - 1;
        let mut back = vec![first.clone()];
        let mut ends = [End::Range; 2];
        for k in (0..i).rev() {
            if !self.go_on(&mut back, self.value(k))? {
                ends[0] = End::Lost;
                break;
            }
            if back.last().is_some_and(|p| self.is_known(p, response)) {
                ends[0] = End::Joined;
                break;
            }
        }
        let mut points = back;
        points.reverse();
        let mut reached = i;
        for k in i + 1..=last {
            if !self.go_on(&mut points, self.value(k))? {
                ends[1] = End::Lost;
                break;
            }
            reached = k;
        }
        response.branches.extend(self.with_bifurcations(points, ends)?);
        Ok(reached)
    }

    /// Adds the orbit at `value` to a branch, with others between where the way there is long.
    fn go_on(&self, points: &mut Vec<Place>, value: f64) -> Result<bool, E> {
        let begun = points.len();
        let mut halved = 0;
        let mut next = value;
        loop {
            match self.near(points, next)? {
                Some(found) => {
                    points.push(found);
                    if next == value {
                        return Ok(true);
                    }
                    next = value;
                }
                None if halved < HALVINGS * (1 + points.len() - begun) => {
                    halved += 1;
                    next = 0.5 * (points[points.len() - 1].value + next);
                }
                None => return Ok(false),
            }
        }
    }

    /// The orbit at `value` to which the last ones of a branch lead.
    fn near(&self, points: &[Place], value: f64) -> Result<Option<Place>, E> {
        let Some(last) = points.last() else { return Ok(None) };
        let model = (self.make)(value)?;
        let period = match driven(&model)? {
            Driven::Every(period) => period * self.wanted.periods as f64,
            Driven::ByItself => return Ok(None),
        };
        let mut shooting = Shooting::new(&model, period, self.solver)?;
        // What lies on the straight line may be no state (a bristle beyond its limit): then the last one is.
        let starts = [ahead(points, value), last.orbit.state.clone()];
        for start in starts {
            let Ok((_, motion)) = shooting.after(&start) else { continue };
            shooting.learn(&motion);
            let found = shooting.newton(&start)?;
            let found = found.filter(|f| shooting.size(&f.state, &start) <= APART);
            if let Some(fixed) = found {
                let place = Place::of(value, shooting.repeating(fixed, self.wanted.periods)?);
                if place.mirrored == last.mirrored || !self.breaks_away(last, &place)? {
                    return Ok(Some(place));
                }
            }
        }
        Ok(None)
    }

    /// Whether two orbits, of which one is its own mirror image, belong to different branches. In a model that is the same for both
    /// sides such orbits go over into others of that kind; in another one an orbit may be its own image at one value only.
    fn breaks_away(&self, a: &Place, b: &Place) -> Result<bool, E> {
        let (own, lopsided) = if a.mirrored { (a, b) } else { (b, a) };
        let model = (self.make)(lopsided.value)?;
        let period = lopsided.orbit.period;
        let Ok((half_later, _)) =
            Shooting::new(&model, 0.5 * period, self.solver)?.after(&lopsided.orbit.state)
        else {
            return Ok(true);
        };
        let shooting = Shooting::new(&model, period, self.solver)?;
        let mut middles = own.middle.iter();
        let image: Vec<f64> = half_later
            .iter()
            .zip(&shooting.roles)
            .map(|(u, role)| match role {
                Role::Position => 2.0 * middles.next().unwrap_or(&0.0) - u,
                _ => -u,
            })
            .collect();
        let repeats = shooting.after(&image).map(|(end, _)| shooting.size(&end, &image));
        Ok(repeats.is_ok_and(|off| off <= IMAGE))
    }

    /// Whether an orbit is one of those that were followed.
    fn is_known(&self, place: &Place, response: &Response) -> bool {
        let same = |p: &Point| {
            let all = p.orbit.state.iter().zip(&place.orbit.state);
            let size = p.orbit.state.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
            p.value == place.value && all.into_iter().all(|(a, b)| (a - b).abs() <= SAME * size)
        };
        response.branches.iter().flat_map(|b| &b.points).any(same)
    }

    /// The points of a branch, and between them where its stability changes. Where that cannot be located, something lies between
    /// that is not known, and the branch is lost on both sides of it.
    fn with_bifurcations(&self, places: Vec<Place>, ends: [End; 2]) -> Result<Vec<Branch>, E> {
        let mut whole: Vec<Branch> = Vec::new();
        let mut points: Vec<Point> = Vec::with_capacity(places.len());
        let mut begin = ends[0];
        for (k, place) in places.iter().enumerate() {
            if k > 0 && places[k - 1].orbit.stable != place.orbit.stable {
                match self.located(&places[k - 1], place)? {
                    Some(bifurcation) => points.push(bifurcation),
                    None => {
                        whole.push(Branch { points: take(&mut points), ends: [begin, End::Lost] });
                        begin = End::Lost;
                    }
                }
            }
            points.push(Point { value: place.value, orbit: place.orbit.clone(), kind: None });
        }
        whole.push(Branch { points, ends: [begin, ends[1]] });
        Ok(whole)
    }

    /// Where the stability changes between two orbits, by halving; nothing where the orbits between them are not found, or where no
    /// multiplier crosses the unit circle.
    fn located(&self, a: &Place, b: &Place) -> Result<Option<Point>, E> {
        let mut between = [a.clone(), b.clone()];
        for _ in 0..LOCATED {
            let middle = 0.5 * (between[0].value + between[1].value);
            let Some(found) = self.across(&between, middle)? else { return Ok(None) };
            between = found;
        }
        let [a, b] = between;
        let unstable = if a.orbit.stable { b } else { a };
        let crosses = (unstable.orbit.multiplier() - 1.0).abs() <= CROSSES;
        let kind = kind(&unstable).filter(|_| crosses);
        Ok(kind.map(|kind| Point {
            value: unstable.value,
            orbit: unstable.orbit,
            kind: Some(kind),
        }))
    }

    /// Two orbits, at most half as far apart, between which the stability changes as between these: one of them at `middle`, or both
    /// on the way there by shorter steps, from either side.
    fn across(&self, ends: &[Place; 2], middle: f64) -> Result<Option<[Place; 2]>, E> {
        let [a, b] = ends;
        if let Some(found) = self.near(ends, middle)? {
            let first = found.orbit.stable == a.orbit.stable;
            return Ok(Some(if first { [found, b.clone()] } else { [a.clone(), found] }));
        }
        for (from, to) in [(a, b), (b, a)] {
            let mut way = vec![from.clone()];
            if !self.go_on(&mut way, middle)? {
                continue;
            }
            way.push(to.clone());
            let changes = |w: &[Place]| w[0].orbit.stable != w[1].orbit.stable;
            let found = way.windows(2).find(|w| changes(w)).map(|w| [w[0].clone(), w[1].clone()]);
            return Ok(found.map(|[c, d]| if from.value == a.value { [c, d] } else { [d, c] }));
        }
        Ok(None)
    }
}

/// The state on the straight line through the last two points of a branch.
fn ahead(points: &[Place], value: f64) -> Vec<f64> {
    let last = &points[points.len() - 1];
    let before = points.len().checked_sub(2).map(|k| &points[k]);
    let Some(before) = before.filter(|b| b.value != last.value) else {
        return last.orbit.state.clone();
    };
    let share = (value - last.value) / (last.value - before.value);
    let both = last.orbit.state.iter().zip(&before.orbit.state);
    both.map(|(a, b)| a + share * (a - b)).collect()
}

/// What happens where the multiplier farthest out of the unit circle leaves it.
fn kind(place: &Place) -> Option<Kind> {
    let first: &Multiplier = place.orbit.multipliers.first()?;
    Some(if first.im.abs() > 1e-3 * modulus(*first) {
        Kind::NeimarkSacker
    } else if first.re < 0.0 {
        Kind::Flip
    } else if place.mirrored {
        Kind::SymmetryBreaking
    } else {
        Kind::Branching
    })
}

/// Whether a motion is its own mirror image: half a period later all displacements, given with their ranges, are on the other side
/// of their middles.
fn is_mirrored(solution: &Solution, ranges: &[(usize, [f64; 2])]) -> bool {
    let (start, end) = solution.span();
    let size = ranges.iter().fold(0.0f64, |m, (_, [min, max])| m.max(max - min));
    let mut row = vec![0.0; solution.columns().len()];
    let mut half_later = vec![0.0; row.len()];
    (0..LOOKS).all(|k| {
        let share = 0.5 * k as f64 / LOOKS as f64;
        solution.row(start + share * (end - start), &mut row);
        solution.row(start + (share + 0.5) * (end - start), &mut half_later);
        let off = |(c, [min, max]): &(usize, [f64; 2])| row[*c] + half_later[*c] - (max + min);
        ranges.iter().all(|range| off(range).abs() <= MIRRORED * size)
    })
}

impl Place {
    fn of(value: f64, found: Repeating) -> Self {
        let solution = &found.solution;
        let columns = solution.columns().iter().enumerate();
        let places = columns.filter(|c| c.1.role == Role::Position).map(|c| c.0);
        let ranges: Vec<_> = places.map(|column| (column, extremes(solution, column))).collect();
        let measures = Measures::of_solution(solution);
        let [min, max] = ranges.first().map_or([0.0; 2], |r| r.1);
        let plane = measures.peak.zip(ranges.get(1));
        let plane =
            plane.map(|(peak, (_, [min_y, max_y]))| InPlane { min_y: *min_y, max_y: *max_y, peak });
        let mirrored = is_mirrored(solution, &ranges);
        let orbit = Orbit {
            period: found.period,
            periods: found.periods,
            state: found.state,
            drift: 0.0,
            multipliers: found.multipliers,
            stable: found.stable,
            family: found.family,
            max,
            min,
            plane,
            stops: solution.count(EventKind::Stick),
            stuck_fraction: measures.stick_share,
            dissipated: measures.dissipated,
            transmissibility: None,
            pattern: Vec::new(),
            transversality: f64::NAN,
            residual: found.residual,
            path: Trajectory::default(),
            network: None,
            machine: None,
        };
        let middle = ranges.iter().map(|(_, [min, max])| 0.5 * (min + max)).collect();
        Self { value, orbit, mirrored, middle }
    }
}

//! Many runs side by side: parameters over a grid.

use super::ensemble::{self, Ensemble, Plan};
use super::parallel::map;
use super::shooting::{peak, peak_of};
use crate::error::{Error, Obstacle, require};
use crate::grid::step_count;
#[doc(hidden)]
pub use crate::lanes::Counted;
use crate::lanes::sweep::LANES;
use crate::lanes::{Instructions, sweep};
use crate::law::Law;
use crate::model::{Oscillator, Problem};
use crate::motion::{EventKind, Phase};
use crate::portable;
use crate::scheme::stochastic::Rule;
use crate::solution::{Role, Scheme, Solution, solve};

/// The values of one parameter: `count` of them, equally spaced from `from` to `to`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// How many, ends included; 1: only the first.
    pub count: usize,
}

impl Span {
    /// Checks the numbers.
    ///
    /// # Errors
    /// With the first number that is outside its range.
    pub fn check(&self) -> Result<(), Error> {
        require("the first value of the sweep", self.from, true, "a finite number")?;
        require("the last value of the sweep", self.to, true, "a finite number")?;
        require("the number of values", self.count as f64, self.count > 0, "1 or more")
    }

    /// Value number `i`; the last is `to` itself.
    pub fn value(&self, i: usize) -> f64 {
        if i > 0 && i + 1 == self.count {
            return self.to;
        }
        let last = self.count.saturating_sub(1).max(1) as f64;
        self.from + (self.to - self.from) * (i as f64 / last)
    }
}

/// What is measured of the motion at one point, or the mean over paths where there is noise.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// Slips of all contacts, those among them in which the run begins.
    pub slips: f64,
    /// Share of time in stick, the mean over the contacts; of a mass between walls, at rest on one of them.
    pub stick_share: f64,
    /// Lost to dry friction, J.
    pub dissipated: f64,
    /// Impacts on walls and stops.
    pub impacts: f64,
    /// Lost at walls and stops, J; what moving walls give counts negative.
    pub lost_in_impacts: f64,
    /// The greatest distance of a mass on a plane from the origin, m; of a slab, that of any isolator from where it is centred; of
    /// other models nothing.
    pub peak: Option<f64>,
    /// This distance at the end, m.
    pub residual: Option<f64>,
    /// What each point of the model is at the end.
    pub ends: Vec<End>,
}

/// What one point of a model is at the end of the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct End {
    /// Its displacement, or the mean of it, m.
    pub mean: f64,
    /// The standard deviation of it, m; 0 without noise.
    pub deviation: f64,
}

impl Measures {
    /// Of one motion.
    pub fn of_solution(s: &Solution) -> Self {
        let (start, end) = s.span();
        let mut slips = 0;
        let mut stick = 0.0;
        let mut contacts = s.contact_places();
        // The sum of nothing is −0, which would be printed so.
        let of = |phases: &[(Phase, f64, f64)]| -> f64 {
            phases.iter().filter(|p| p.0 == Phase::Stick).map(|p| p.2 - p.1).sum::<f64>() + 0.0
        };
        for place in contacts.clone() {
            let phases = s.phases(place);
            stick += of(&phases);
            // From a stick, or from the start on; where the direction turns the slip is the same.
            let begins = |pair: &&[(Phase, f64, f64)]| pair[0].0 == Phase::Stick;
            slips += phases.windows(2).filter(begins).count();
            slips += usize::from(phases.first().is_some_and(|p| p.0 != Phase::Stick));
        }
        // Walls take the place of contacts; a machine whose only places are stops and gears has none.
        if s.impact().is_some() {
            contacts = 0..1;
            stick = (0..s.places().len()).map(|wall| of(&s.phases(wall))).sum();
        }
        let impacts = s.count(EventKind::Impact);
        let energy = s.energy();
        let mut row = vec![0.0; s.columns().len()];
        s.row(end, &mut row);
        let places = s.columns().iter().zip(&row).filter(|c| c.0.role == Role::Position);
        let plane = s.planar().is_some() || s.isolated().is_some();
        Self {
            slips: slips as f64,
            stick_share: stick / (end - start) / contacts.len().max(1) as f64,
            dissipated: energy.friction,
            impacts: impacts as f64,
            lost_in_impacts: energy.impacts,
            peak: plane.then(|| farthest(s)),
            residual: plane.then(|| away(s, &row)),
            ends: places.map(|(_, x)| End { mean: *x, deviation: 0.0 }).collect(),
        }
    }

    /// Means over paths.
    pub fn of_ensemble(e: &Ensemble) -> Self {
        let sticks: f64 = e.contacts.iter().map(|c| c.stick_share.mean()).sum();
        let lasts = e.points.iter().filter_map(|p| p.rows.last());
        Self {
            slips: e.contacts.iter().map(|c| c.slips.mean()).sum(),
            stick_share: sticks / e.contacts.len().max(1) as f64,
            dissipated: e.dissipated.mean(),
            impacts: 0.0,
            lost_in_impacts: 0.0,
            peak: None,
            residual: None,
            ends: lasts
                .map(|r| End { mean: r.x.mean(), deviation: r.x.variance().sqrt() })
                .collect(),
        }
    }

    /// Of one motion of so many `steps` in lanes.
    fn of_lane(o: &Oscillator, c: &Counted, steps: f64) -> Self {
        Self {
            slips: c.slips as f64,
            stick_share: c.stick as f64 / steps,
            dissipated: o.friction.sliding() * c.slid,
            impacts: 0.0,
            lost_in_impacts: 0.0,
            peak: None,
            residual: None,
            ends: vec![End { mean: c.last.x, deviation: 0.0 }],
        }
    }
}

/// The greatest distance of a mass on a plane from the origin, m; of a slab, that of any isolator from where it is centred.
fn farthest(s: &Solution) -> f64 {
    match s.planar() {
        // The place alone: friction, which a row has as well, costs several times as much.
        Some(path) => {
            peak_of(s, |t| {
                let [x, y] = path.place(t);
                portable::hypot(x, y)
            })
            .1
        }
        None => peak(s, |row| away(s, row)).1,
    }
}

/// This distance in a row of the columns, m.
fn away(s: &Solution, row: &[f64]) -> f64 {
    let Some(path) = s.isolated() else { return portable::hypot(row[0], row[1]) };
    let isolators = path.segments().first().map_or(&[][..], |s| &s.arc.model().isolators);
    // The slab stands first.
    let place = |at: [f64; 2]| portable::hypot(row[0] - row[2] * at[1], row[1] + row[2] * at[0]);
    isolators.iter().map(|i| place(i.at)).fold(0.0, f64::max)
}

/// One point of a sweep: a problem, and how it is solved.
#[derive(Debug, Clone)]
pub struct Point {
    problem: Problem,
    how: How,
}

#[derive(Debug, Clone, Copy)]
enum How {
    Solved(Scheme),
    Paths { rule: Rule, step: f64, paths: u64, seed: u64 },
}

impl Point {
    /// The motion of a problem by a scheme.
    pub fn solved(problem: Problem, scheme: Scheme) -> Self {
        Self { problem, how: How::Solved(scheme) }
    }

    /// The mean over the first `paths` paths of a plan.
    pub fn paths(plan: &Plan, paths: u64) -> Self {
        let Plan { rule, step, seed, .. } = *plan;
        Self { problem: plan.problem.clone(), how: How::Paths { rule, step, paths, seed } }
    }

    fn measures(&self) -> Result<Measures, Error> {
        match self.how {
            How::Solved(scheme) => Ok(Measures::of_solution(&solve(&self.problem, &scheme)?)),
            How::Paths { rule, step, paths, seed } => {
                let plan = Plan { rows: 2, rule, ..Plan::new(self.problem.clone(), step, seed) };
                Ok(Measures::of_ensemble(&ensemble::run(&plan, 0..paths, 0, &mut ())?))
            }
        }
    }

    /// The oscillator, its end and its step, where it can go side by side with others.
    fn in_lanes(&self) -> Option<(&Oscillator, f64, f64)> {
        let How::Solved(Scheme::Euler { step }) = self.how else { return None };
        let o = self.problem.model.as_oscillator().filter(|o| fits_lanes(o))?;
        self.problem.noises.is_empty().then_some((o, self.problem.end, step))
    }
}

/// What is measured at `count` points, in their order; `point` makes each when it is solved, so few of them are held
/// at a time. The points are spread over the cores. With `lanes` they are made and solved in groups, in which plain
/// oscillators under Euler's scheme go side by side.
///
/// # Errors
/// One of those of the points.
pub fn measure<E: From<Error> + Send>(
    count: usize,
    lanes: bool,
    point: impl Fn(usize) -> Result<Point, E> + Send + Sync,
) -> Result<Vec<Measures>, E> {
    let size = if lanes { lanes_for(count) } else { 1 };
    let groups = map(count.div_ceil(size), |group| {
        let points = group * size..count.min((group + 1) * size);
        let points = points.map(&point).collect::<Result<Vec<_>, E>>()?;
        Ok::<_, E>(of_group(&points)?)
    })?;
    Ok(groups.into_iter().flatten().collect())
}

/// How many of `count` oscillators go side by side, so that no core is left without.
fn lanes_for(count: usize) -> usize {
    count.div_ceil(super::parallel::threads(0)).clamp(1, LANES)
}

/// What is measured at some points, in their order.
fn of_group(points: &[Point]) -> Result<Vec<Measures>, Error> {
    let mut all: Vec<Option<Measures>> = vec![None; points.len()];
    side_by_side(points, &mut all)?;
    let rest = |(p, done): (&Point, Option<Measures>)| done.map_or_else(|| p.measures(), Ok);
    points.iter().zip(all).map(rest).collect()
}

/// Measures those points that go in lanes, those with the same end and step together.
fn side_by_side(points: &[Point], all: &mut [Option<Measures>]) -> Result<(), Error> {
    let lane = |(i, p): (usize, &'_ Point)| p.in_lanes().map(|(_, end, step)| (i, end, step));
    let mut left: Vec<(usize, f64, f64)> = points.iter().enumerate().filter_map(lane).collect();
    while let Some(&(first, end, step)) = left.first() {
        let (group, others): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|p| (p.1, p.2) == (end, step) || p.0 == first);
        let models: Vec<&Oscillator> =
            group.iter().filter_map(|p| Some(points[p.0].in_lanes()?.0)).collect();
        let counted = euler_group(&models, end, step)?;
        let steps = step_count(end, step)? as f64;
        for ((p, o), c) in group.into_iter().zip(models).zip(&counted) {
            all[p.0] = Some(Measures::of_lane(o, c, steps));
        }
        left = others;
    }
    Ok(())
}

/// A grid of parameters, and how each of its points is solved.
///
/// A point's problem is made when it is solved, so a sweep holds few of them at a time, however many points there
/// are. Whoever makes them sees how far the sweep is, and ends it by returning an error.
///
/// ```
/// use stickslip::study::sweep::{Span, Sweep};
/// use stickslip::{Error, Law, Oscillator, Problem, Scheme, Signal};
/// # fn main() -> Result<(), Error> {
/// let amplitude = Span { from: 0.5, to: 3.0, count: 6 };
/// let static_friction = Span { from: 1.0, to: 2.0, count: 3 };
/// let sweep = Sweep::new(vec![amplitude, static_friction], Scheme::Exact);
/// let measures = sweep.run(|p| {
///     let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(p[1], 1.0)?);
///     Ok::<_, Error>(Problem::new(o.with_drive(Signal::harmonic(p[0], 0.5, 0.0)), 40.0))
/// })?;
/// assert_eq!(measures.len(), 18);
/// assert!(measures[0].stick_share == 1.0 && measures[5].stick_share < 0.9);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// The parameters; the first varies fastest.
    pub spans: Vec<Span>,
    /// How each point is solved. Under noise its step is that of the paths.
    pub scheme: Scheme,
    /// Paths of each point that has noise; 100.
    pub paths: u64,
    /// Seed of the paths; 1.
    pub seed: u64,
}

impl Sweep {
    /// Over all combinations of the values of `spans`.
    pub fn new(spans: Vec<Span>, scheme: Scheme) -> Self {
        Self { spans, scheme, paths: 100, seed: 1 }
    }

    /// With so many paths of this seed for each point that has noise.
    pub fn with_paths(self, paths: u64, seed: u64) -> Self {
        Self { paths, seed, ..self }
    }

    /// Number of points; none if there are more than a number can count.
    pub fn count(&self) -> Option<usize> {
        self.spans.iter().try_fold(1usize, |n, s| n.checked_mul(s.count))
    }

    /// The values of the parameters at point `i`.
    pub fn values(&self, mut i: usize) -> Vec<f64> {
        let value = |s: &Span| {
            let value = s.value(i % s.count);
            i /= s.count;
            value
        };
        self.spans.iter().map(value).collect()
    }

    /// What is measured at every point, in their order: `point` makes the problem of given values. Points without
    /// noise are spread over the cores; plain oscillators go side by side in lanes where the scheme is Euler's.
    ///
    /// # Errors
    /// If a span is not one, and the first error of a point.
    pub fn run<E: From<Error> + Send>(
        &self,
        point: impl Fn(&[f64]) -> Result<Problem, E> + Send + Sync,
    ) -> Result<Vec<Measures>, E> {
        self.spans.iter().try_for_each(Span::check)?;
        let count = self.count().ok_or_else(too_many)?;
        measure(count, matches!(self.scheme, Scheme::Euler { .. }), |i| {
            Ok(self.point(point(&self.values(i))?)?)
        })
    }

    /// The same, but each solution is handed to `measure`. Noises must have been made known.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with<T: Send, E: From<Error> + Send>(
        &self,
        point: impl Fn(&[f64]) -> Result<Problem, E> + Send + Sync,
        measure: impl Fn(&Problem, &Solution) -> T + Send + Sync,
    ) -> Result<Vec<T>, E> {
        self.spans.iter().try_for_each(Span::check)?;
        map(self.count().ok_or_else(too_many)?, |i| {
            let problem = point(&self.values(i))?;
            let solution = solve(&problem, &self.scheme)?;
            Ok(measure(&problem, &solution))
        })
    }

    /// A problem with how it is solved.
    fn point(&self, problem: Problem) -> Result<Point, Error> {
        if problem.noises.is_empty() {
            return Ok(Point::solved(problem, self.scheme));
        }
        let steps = self.scheme.rule().zip(self.scheme.step());
        let (rule, step) = steps.ok_or_else(|| Error::Unsuitable {
            scheme: self.scheme.name(),
            reason: Obstacle::NoiseWithoutSteps,
        })?;
        let plan = Plan::new(problem, step, self.seed).with_rule(rule);
        Ok(Point::paths(&plan, self.paths))
    }
}

fn too_many() -> Error {
    let what = "the number of points of the sweep";
    let expected = "fewer values";
    Error::OutOfRange { what, found: f64::INFINITY, expected }
}

/// Whether [`euler`] takes it: two constant forces, equal both ways, on resting ground, under a load
/// that is linear in x and v.
#[doc(hidden)]
pub fn fits_lanes(o: &Oscillator) -> bool {
    matches!(o.friction, Law::Coulomb(_) | Law::StaticDynamic(_)) && o.is_plain()
}

/// The Euler scheme for many oscillators on [0, `end`] with steps `step` (s), side by side in lanes
/// and over all cores: the bits of [the Euler scheme](crate::scheme::oscillator::euler) for each.
///
/// # Errors
/// If a model is not well posed, or not one that [`fits_lanes`].
#[doc(hidden)]
pub fn euler(models: &[Oscillator], end: f64, step: f64) -> Result<Vec<Counted>, Error> {
    let groups: Vec<&[Oscillator]> = models.chunks(lanes_for(models.len())).collect();
    let counted = map(groups.len(), |g| {
        let group: Vec<&Oscillator> = groups[g].iter().collect();
        euler_group(&group, end, step)
    })?;
    Ok(counted.into_iter().flatten().collect())
}

/// The same for at most [`LANES`] oscillators.
fn euler_group(models: &[&Oscillator], end: f64, step: f64) -> Result<Vec<Counted>, Error> {
    step_count(end, step)?;
    for o in models {
        o.check_until(end)?;
        if !fits_lanes(o) {
            let reason = "friction must be coulomb or static-dynamic on resting ground, and the load \
                          linear; solve the points one by one";
            return Err(Error::NotOffered {
                what: "the Euler scheme in lanes",
                reason: reason.into(),
            });
        }
    }
    let counted = sweep::run(Instructions::best(), models, end, step);
    match counted.iter().all(|c| c.last.x.is_finite() && c.last.v.is_finite()) {
        true => Ok(counted),
        false => Err(Error::NotFinite { time: end, step }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme;
    use crate::signal::Signal;

    /// Eighty-three oscillators, with loads of their own and with one for all: every lane has the bits of the scalar
    /// scheme, on every instruction set, and the counts of its trajectory.
    #[test]
    fn every_lane_is_the_scalar_scheme() {
        let sampled = Signal::sampled(&[0.0, 7.0, 31.0], &[1.0, -4.0, 5.0]).unwrap();
        let common = Signal::harmonic(4.0, 0.7, 0.1) + sampled.clone();
        let model = |i: usize| {
            let z = i as f64;
            let law = Law::static_dynamic(1.2 + 0.02 * z, 1.0 + 0.01 * z).unwrap();
            let o = Oscillator::new(1.0 + 0.1 * z, 1.0 + 0.03 * z, law);
            let o = if i.is_multiple_of(3) { o.with_damping(0.02 * z) } else { o };
            o.starting_at(0.3 * z, if i.is_multiple_of(2) { 0.0 } else { -0.4 })
        };
        let own = |i: usize| {
            let z = i as f64;
            let drive = Signal::harmonic(6.0 - 0.1 * z, 0.5, 0.1 * z) + sampled.clone();
            let o = model(i).with_drive(drive);
            if i.is_multiple_of(4) { o.with_force(Signal::harmonic(0.4, 2.0, 0.0)) } else { o }
        };
        check_lanes(&(0..83).map(own).collect::<Vec<_>>());
        check_lanes(&(0..83).map(|i| model(i).with_drive(common.clone())).collect::<Vec<_>>());
        let belt = own(0).with_support(Signal::constant(1.0));
        assert!(!fits_lanes(&belt) && euler(&[belt], 30.0, 0.013).is_err());
    }

    fn check_lanes(models: &[Oscillator]) {
        let end = 30.0;
        let h = 0.013;
        let all = euler(models, end, h).unwrap();
        for on in [Instructions::Portable, Instructions::Avx2, Instructions::Avx512] {
            let group: Vec<&Oscillator> = models[..LANES].iter().collect();
            if on.available() {
                assert_eq!(sweep::run(on, &group, end, h), all[..LANES]);
            }
        }
        for (o, c) in models.iter().zip(&all) {
            let mut states = Vec::new();
            scheme::oscillator::euler::run(o, end, h, |_, u| states.push(u)).unwrap();
            let last = states[states.len() - 1];
            assert_eq!(
                (c.last.x.to_bits(), c.last.v.to_bits()),
                (last.x.to_bits(), last.v.to_bits())
            );
            let whole = (states.len() - 1) as f64 * h;
            let path = scheme::oscillator::euler::solve(o, whole, h).unwrap();
            let slips = path.events().iter().filter(|e| e.kind == EventKind::Slip).count();
            // One that the run begins in has no event.
            let slip_first = path.segments().first().is_some_and(|s| s.phase != Phase::Stick);
            let told = path.events().iter().any(|e| e.kind == EventKind::Slip && e.time == 0.0);
            assert_eq!(c.slips, slips as u64 + u64::from(slip_first && !told));
            let stick: f64 = path.durations(&Phase::Stick).iter().sum();
            assert!((c.stick as f64 * h - stick).abs() < 1e-9);
            let slid: f64 = states.windows(2).map(|w| (w[1].x - w[0].x).abs()).sum();
            assert!((c.slid - slid).abs() < 1e-9 * slid);
        }
    }

    #[test]
    fn values_include_both_ends_and_results_come_in_order() {
        let span = Span { from: -1.0, to: 0.7, count: 18 };
        assert_eq!((span.value(0), span.value(17)), (-1.0, 0.7));
        assert!((span.value(10) - 0.0).abs() < 1e-15);
        assert_eq!(Span { from: 2.0, to: 9.0, count: 1 }.value(0), 2.0);
        assert!(Span { from: 0.0, to: f64::NAN, count: 3 }.check().is_err());
        assert!(Span { from: 0.0, to: 1.0, count: 0 }.check().is_err());
        let squares = map(100, |i| Ok::<_, ()>(i * i)).unwrap();
        assert!(squares.into_iter().eq((0..100).map(|i| i * i)));
        assert_eq!(map(10, |i| if i == 7 { Err("seven") } else { Ok(i) }), Err("seven"));
    }
}

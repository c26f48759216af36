//! What every scheme returns for every model: one [`Solution`], by one verb, [`solve`].
//!
//! The schemes are typed; types are erased here, once, above them. A kind of model shows its solutions by the six
//! methods of the trait `Shown`; whoever writes tables, figures and summaries needs no others.

mod cascade;
mod choice;
mod cursor;
mod hysteretic;
mod impact;
mod isolated;
mod machine;
mod network;
mod oscillator;
mod planar;
mod scheme;

pub use choice::Choice;
pub use cursor::{Cursor, Remaining, RunState, start};
pub use scheme::Scheme;

pub use crate::scheme::impact::penalised::Penalty;
#[doc(hidden)]
pub use crate::scheme::isolated::{
    IsolatedArc, IsolatedGrid, IsolatedPath, IsolatedPhase, IsolatedState,
};
#[doc(hidden)]
pub use crate::scheme::machine::{MachineArc, MachinePath, MachineState};
#[doc(hidden)]
pub use crate::scheme::memory::{MemoryArc, MemoryPath, MemoryState};
pub use crate::scheme::network::NetworkPath;
pub use crate::scheme::oscillator::adaptive::Options as Tolerances;
pub use crate::scheme::oscillator::general_purpose::Solver;
#[doc(hidden)]
pub use crate::scheme::planar::{PlanarArc, PlanarPath};
pub use crate::scheme::stochastic::Rule;

use crate::error::{Error, Obstacle};
use crate::interrupt::Interrupt;
use crate::model::{Model, Problem};
use crate::motion::{
    CascadePath, Counts, Energy, Event, EventKind, ImpactPath, Motion, Path, Phase, Trajectory,
    Warning, nodes,
};
use crate::scheme::event_loop::with_most_events;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

/// A named number that a solution has at every instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name in files.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// What it is.
    pub role: Role,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// The displacement of a body that moves: one for each velocity, in the same order.
    Position,
    /// A velocity.
    Velocity,
    /// A force.
    Force,
    /// An impulse since the row before.
    Impulse,
    /// What a contact remembers: the deflection of a bristle, or an age.
    Memory,
    /// Where something is that has no motion of its own, such as an isolator under a slab.
    Place,
    /// The distance between a body and what stops it.
    Gap,
}

impl Column {
    fn new(name: impl Into<String>, role: Role) -> Self {
        let unit = match role {
            Role::Position | Role::Memory | Role::Place | Role::Gap => "m",
            Role::Velocity => "m/s",
            Role::Force => "N",
            Role::Impulse => "N·s",
        };
        Self { name: name.into(), unit, role }
    }
}

/// Solves `problem` by `scheme`.
///
/// # Errors
/// If the problem is not well posed ([`Kind::Input`](crate::error::Kind)), has no solution, or does not suit the
/// scheme. Noises must have been made known first: see [`Problem::known`].
///
/// ```
/// use stickslip::{Cascade, Problem, Scheme, Signal, solve};
/// # fn main() -> Result<(), stickslip::Error> {
/// let c = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1])
///     .with_force(Signal::harmonic(2.5, 0.9, 0.0));
/// let solution = solve(&Problem::new(c, 20.0), &Scheme::Exact)?;
/// assert_eq!(solution.events.len(), 28);
/// let names: Vec<_> = solution.columns().iter().map(|c| c.name.as_str()).collect();
/// assert_eq!(names, ["x", "v", "force", "w1", "w2", "w3", "w4"]);
/// # Ok(()) }
/// ```
pub fn solve(problem: &Problem, scheme: &Scheme) -> Result<Solution, Error> {
    refuse_noises(problem, scheme)?;
    let mut solution = with_most_events(problem.most_events, || match &problem.model {
        Model::Oscillator(o) => oscillator::solve(o, problem.end, scheme),
        Model::Cascade(c) => cascade::solve(c, problem.end, scheme),
        Model::Network(n) => network::solve(n, problem.end, scheme),
        Model::Impact(i) => impact::solve(i, problem.end, scheme),
        Model::Machine(m) => machine::solve(m, problem.end, scheme),
        Model::Planar(p) => planar::solve(p, problem.end, scheme),
        Model::Hysteretic(h) => hysteretic::solve(h, problem.end, scheme),
        Model::Isolated(i) => isolated::solve(i, problem.end, scheme),
    })?;
    if let Some(step) = scheme.step() {
        solution.weigh(step);
    }
    Interrupt::current().check(problem.end)?; // the energies may have ended early
    Ok(solution)
}

/// The motion of [`solve`] with all its bits and perhaps fewer warnings: for fits, which try thousands of motions and tell of none.
///
/// # Errors
/// As [`solve`], but for what an audit of the finished motion finds.
#[doc(hidden)]
pub fn unexamined(problem: &Problem, scheme: &Scheme) -> Result<Solution, Error> {
    let Model::Oscillator(o) = &problem.model else { return solve(problem, scheme) };
    refuse_noises(problem, scheme)?;
    let solution =
        with_most_events(problem.most_events, || oscillator::unexamined(o, problem.end, scheme))?;
    Interrupt::current().check(problem.end)?;
    Ok(solution)
}

/// Time steps lose or make some energy, a share of the energy that passes through the system, which shrinks with the
/// step. Above this the motion is another one.
const UNBALANCED: f64 = 0.1;

/// An error if there are noises that have not been made known.
fn refuse_noises(problem: &Problem, scheme: &Scheme) -> Result<(), Error> {
    if problem.noises.is_empty() {
        return Ok(());
    }
    Err(Error::Unsuitable { scheme: scheme.name(), reason: Obstacle::UnknownNoise })
}

/// Reads the rows of a solution one after the other.
type Reader<'a> = Box<dyn FnMut(f64, &mut [f64]) + 'a>;

/// What a path of any kind shows.
trait Shown: Send + Sync {
    /// Named numbers at every instant.
    fn columns(&self) -> Vec<Column>;

    /// How many they are, where that is known without their names.
    fn width(&self) -> Option<usize> {
        None
    }

    /// Reads them at times that do not go back.
    fn reader(&self) -> Reader<'_>;

    /// The places of its events, by their names.
    fn places(&self) -> Vec<String>;

    /// What a place does: uninterrupted stretches in one phase, with their starts and ends (s).
    fn phases(&self, place: usize) -> Vec<(Phase, f64, f64)>;

    /// Where the work went.
    fn energy(&self) -> Energy;

    /// The nodes of a stepping scheme, or the ends of the segments, s.
    fn nodes(&self) -> Vec<f64>;

    /// First and last instant, s.
    fn span(&self) -> (f64, f64);
}

/// A path with the model that it is a path of.
#[derive(Debug)]
struct Solved<K, M: Motion> {
    model: K,
    path: Path<M>,
}

/// A path of each kind.
#[derive(Debug)]
enum Body {
    Oscillator(oscillator::Body),
    Cascade(cascade::Body),
    Network(network::Body),
    Impact(impact::Body),
    Machine(machine::Body),
    SteppedMachine(machine::Stepped),
    Planar(planar::Body),
    Hysteretic(hysteretic::Body),
    Isolated(isolated::Body),
}

/// A motion of any model, by any scheme.
#[derive(Debug)]
pub struct Solution {
    /// What happened, in order of time.
    pub events: Vec<Event>,
    /// What it should not be read without.
    pub warnings: Vec<Warning>,
    /// What it cost.
    pub counts: Counts,
    body: Box<Body>,
    /// Their names are made when somebody asks for them: of many motions only the first is asked.
    columns: OnceLock<Vec<Column>>,
    places: OnceLock<Vec<String>>,
    /// Where the work went, if it is known already.
    energy: Option<Energy>,
}

impl Solution {
    fn new(body: Body, counts: Counts) -> Self {
        fn parts<M: Motion<Event = Event>>(path: &Path<M>) -> (Vec<Event>, Vec<Warning>, usize) {
            (path.events().to_vec(), path.warnings().to_vec(), path.segments().len())
        }
        let (events, mut warnings, segments) = match &body {
            Body::Oscillator(b) => parts(&b.path),
            Body::Cascade(b) => parts(&b.path),
            Body::Network(b) => parts(&b.solved.path),
            Body::Impact(b) => parts(&b.path),
            Body::Machine(b) => parts(&b.path),
            Body::SteppedMachine(b) => parts(&b.solved.path),
            Body::Planar(b) => parts(&b.path),
            Body::Hysteretic(b) => parts(&b.path),
            Body::Isolated(b) => parts(&b.path),
        };
        warnings.extend(counts.warning());
        // In order of time; what is about the whole run stands after what has a time.
        let time = |w: &Warning| w.time().unwrap_or(f64::INFINITY);
        warnings.sort_by(|a, b| time(a).total_cmp(&time(b)));
        let counts = Counts { segments, ..counts };
        let (columns, places) = (OnceLock::new(), OnceLock::new());
        Self { events, warnings, counts, body: Box::new(body), columns, places, energy: None }
    }

    /// Leaves out what is true of this path of a noise alone: see [`Warning::is_sensitive_instant`].
    pub fn as_one_path_of_many(mut self) -> Self {
        self.warnings.retain(|w| !w.is_sensitive_instant());
        self
    }

    /// Warns where steps of `step` (s) are too long for the motion, by its energies.
    fn weigh(&mut self, step: f64) {
        let energy = self.energy();
        let defect = energy.relative_defect();
        if defect > UNBALANCED {
            self.warnings.push(Warning::LongSteps { step, defect });
        }
        self.energy = Some(energy);
    }

    /// The numbers that it has at every instant, in the order of [`row`](Self::row); the time is not among them.
    pub fn columns(&self) -> &[Column] {
        self.columns.get_or_init(|| self.body.shown().columns())
    }

    /// How many numbers that are.
    #[doc(hidden)]
    pub fn width(&self) -> usize {
        self.body.shown().width().unwrap_or_else(|| self.columns().len())
    }

    /// The columns at `t` (s); an impulse counts from the start. For many rows see [`rows`](Self::rows).
    ///
    /// # Panics
    /// If `out` is not as long as there are columns.
    pub fn row(&self, t: f64, out: &mut [f64]) {
        self.rows().at(t, out);
    }

    /// Reads rows in order of time.
    pub fn rows(&self) -> Rows<'_> {
        let shown = self.body.shown();
        Rows { shown, reader: shown.reader(), last: f64::NEG_INFINITY, width: self.width() }
    }

    /// First and last instant, s.
    pub fn span(&self) -> (f64, f64) {
        self.body.shown().span()
    }

    /// The times of a stepping scheme's nodes; of an event-driven scheme the ends of its segments, s.
    pub fn nodes(&self) -> Vec<f64> {
        self.body.shown().nodes()
    }

    /// `count` equally spaced times over the whole span, s.
    pub fn equally_spaced(&self, count: usize) -> impl Iterator<Item = f64> + use<> {
        let (start, end) = self.span();
        let last = count.saturating_sub(1).max(1) as f64;
        (0..count).map(move |k| {
            if k as f64 == last { end } else { start + (end - start) * (k as f64 / last) }
        })
    }

    /// Names of the places of its events: `places()[event.place]`. Of an oscillator a contact without a name,
    /// then `lower` and `upper` if it has stops; of a cascade `mass`, then the elements' numbers from 1; of a
    /// network its sliders; of a slab its isolators; of an impact model `lower` and `upper`; of a mass on a plane a contact without a name.
    pub fn places(&self) -> &[String] {
        self.places.get_or_init(|| self.body.shown().places())
    }

    /// Which of the places are contacts with friction.
    pub fn contact_places(&self) -> Range<usize> {
        match &*self.body {
            Body::Oscillator(_) | Body::Planar(_) | Body::Hysteretic(_) => 0..1,
            Body::Cascade(_) => 1..self.places().len(),
            Body::Network(_) | Body::Isolated(_) => 0..self.places().len(),
            Body::Machine(b) => 0..b.model.network().sliders().len(),
            Body::SteppedMachine(b) => 0..b.solved.model.network().sliders().len(),
            Body::Impact(_) => 0..0,
        }
    }

    /// What a place does: uninterrupted stretches in one phase, with their starts and ends (s). The mass of a
    /// cascade sticks where it is at rest. A wall knows stretches of stick only, in which the mass stays at it.
    pub fn phases(&self, place: usize) -> Vec<(Phase, f64, f64)> {
        self.body.shown().phases(place)
    }

    /// Number of events of one kind.
    pub fn count(&self, kind: EventKind) -> usize {
        self.events.iter().filter(|e| e.kind == kind).count()
    }

    /// Where the work went.
    pub fn energy(&self) -> Energy {
        self.energy.unwrap_or_else(|| self.body.shown().energy())
    }

    /// The path of an oscillator.
    pub fn oscillator(&self) -> Option<&Trajectory> {
        if let Body::Oscillator(b) = &*self.body { Some(&b.path) } else { None }
    }

    /// The path of a cascade.
    pub fn cascade(&self) -> Option<&CascadePath> {
        if let Body::Cascade(b) = &*self.body { Some(&b.path) } else { None }
    }

    /// The path of a network.
    pub fn network(&self) -> Option<&NetworkPath> {
        if let Body::Network(b) = &*self.body { Some(&b.solved.path) } else { None }
    }

    /// The path of a machine, by `adaptive`.
    #[doc(hidden)]
    pub fn machine(&self) -> Option<&MachinePath> {
        if let Body::Machine(b) = &*self.body { Some(&b.path) } else { None }
    }

    /// The states of a machine, by any scheme.
    pub(crate) fn machine_states(&self) -> Option<Box<dyn Fn(f64) -> MachineState + '_>> {
        match &*self.body {
            Body::Machine(b) => Some(Box::new(|t| b.path.state(t))),
            Body::SteppedMachine(b) => Some(Box::new(|t| b.solved.path.state(t))),
            _ => None,
        }
    }

    /// The path of a mass on a plane.
    #[doc(hidden)]
    pub fn planar(&self) -> Option<&PlanarPath> {
        if let Body::Planar(b) = &*self.body { Some(&b.path) } else { None }
    }

    /// The path of a slab on isolators.
    #[doc(hidden)]
    pub fn isolated(&self) -> Option<&IsolatedPath> {
        if let Body::Isolated(b) = &*self.body { Some(&b.path) } else { None }
    }

    /// The path of a contact with memory.
    #[doc(hidden)]
    pub fn hysteretic(&self) -> Option<&MemoryPath> {
        if let Body::Hysteretic(b) = &*self.body { Some(&b.path) } else { None }
    }

    /// The path of a mass between walls.
    pub fn impact(&self) -> Option<&ImpactPath> {
        if let Body::Impact(b) = &*self.body { Some(&b.path) } else { None }
    }
}

impl Body {
    fn shown(&self) -> &dyn Shown {
        match self {
            Self::Oscillator(b) => b,
            Self::Cascade(b) => b,
            Self::Network(b) => b,
            Self::Impact(b) => b,
            Self::Machine(b) => b,
            Self::SteppedMachine(b) => b,
            Self::Planar(b) => b,
            Self::Hysteretic(b) => b,
            Self::Isolated(b) => b,
        }
    }
}

/// Reads the rows of a solution. In order of time it is quick; going back, it begins anew.
pub struct Rows<'a> {
    shown: &'a dyn Shown,
    reader: Reader<'a>,
    last: f64,
    width: usize,
}

impl Rows<'_> {
    /// The columns at `t` (s). An impulse is that since the row before.
    ///
    /// # Panics
    /// If `out` is not as long as there are columns.
    pub fn at(&mut self, t: f64, out: &mut [f64]) {
        assert_eq!(out.len(), self.width, "a row has as many numbers as there are columns");
        if t < self.last {
            self.reader = self.shown.reader();
        }
        self.last = t;
        (self.reader)(t, out);
    }
}

impl fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("last", &self.last).finish_non_exhaustive()
    }
}

/// The nodes of a stepping scheme with so many steps of this length (s), or the ends of the segments, s.
fn instants<M: Motion>(path: &Path<M>, steps: Option<(usize, f64)>) -> Vec<f64> {
    match steps {
        Some((count, step)) => nodes(count, step, path.span().1),
        None => path.ends(),
    }
}

/// Joins neighbouring stretches in one phase.
fn joined(stretches: impl Iterator<Item = (Phase, f64, f64)>) -> Vec<(Phase, f64, f64)> {
    let mut out: Vec<(Phase, f64, f64)> = Vec::new();
    for s in stretches {
        match out.last_mut() {
            Some(last) if last.0 == s.0 && last.2 == s.1 => last.2 = s.2,
            _ => out.push(s),
        }
    }
    out
}

//! One cursor for every model and scheme: a run that is advanced at the pace of whoever needs it.

mod cascade;
mod effort;
mod hysteretic;
mod impact;
mod isolated;
mod machine;
mod network;
mod oscillator;
mod planar;

use super::scheme::refuse;
use super::{Column, Scheme};
use crate::error::{Error, require};
use crate::model::{Model, Problem};
use crate::motion::{Event, Phase, State};
use crate::scheme::cursor::Advance;
use std::fmt;
use std::sync::Arc;

pub use effort::Remaining;

/// Begins a run of `problem` by `scheme` that is advanced step by step.
///
/// # Errors
/// As [`solve`](crate::solve), but a run is not refused for being long: its end may be far away, and
/// [`Cursor::effort`] says how much there is to do. (Quasi-static jumps, which are all found at once, and exact networks are.)
///
/// ```
/// use stickslip::{Law, Oscillator, Problem, Scheme, Signal, solve, start};
/// # fn main() -> Result<(), stickslip::Error> {
/// let shaw = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?)
///     .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
///     .starting_at(6.0, 0.0);
/// let problem = Problem::new(shaw, 40.0);
/// let mut cursor = start(&problem, &Scheme::Exact)?;
/// let mut events = cursor.advance(17.0)?.to_vec();
/// let middle = cursor.state();
/// events.extend(cursor.advance(40.0)?);
/// assert_eq!(events, solve(&problem, &Scheme::Exact)?.events);
///
/// // Back to 17 s, and on from there with the mass at rest.
/// let mut other = middle.clone();
/// other.points[0].v = 0.0;
/// cursor.set_state(&other)?;
/// assert_eq!((cursor.time(), cursor.state().points[0].v), (17.0, 0.0));
/// # Ok(()) }
/// ```
pub fn start(problem: &Problem, scheme: &Scheme) -> Result<Cursor, Error> {
    super::refuse_noises(problem, scheme)?;
    let (run, pending) = match &problem.model {
        Model::Oscillator(o) => oscillator::start(o, problem.end, scheme)?,
        Model::Cascade(c) => cascade::start(c, problem.end, scheme)?,
        Model::Network(n) => network::start(n, problem.end, scheme)?,
        Model::Impact(i) => impact::start(i, problem.end, scheme)?,
        Model::Machine(m) => machine::start(m, problem.end, scheme)?,
        Model::Planar(p) => planar::start(p, problem.end, scheme)?,
        Model::Hysteretic(h) => hysteretic::start(h, problem.end, scheme)?,
        Model::Isolated(i) => isolated::start(i, problem.end, scheme)?,
    };
    let columns = match &problem.model {
        Model::Oscillator(o) => super::oscillator::columns(o),
        Model::Cascade(c) => super::cascade::columns(c),
        Model::Network(n) => super::network::columns(n),
        Model::Impact(i) => super::impact::columns(i),
        Model::Machine(m) => super::machine::columns(m),
        Model::Planar(_) => super::planar::columns(),
        Model::Hysteretic(h) => super::hysteretic::columns(h),
        Model::Isolated(i) => super::isolated::columns(i),
    };
    let scheme = *scheme;
    let events = Vec::new();
    let end = problem.end;
    let problem = Arc::new(problem.clone());
    Ok(Cursor { problem, scheme, columns, run, end, pending, events, failed: None })
}

/// A run in progress, and what happens at its start.
type Begun = (Box<dyn Run>, Vec<Event>);

/// A run in progress of any model and scheme. It is not printed whole: that would keep the printing of every scheme in every program.
trait Run: Send + Sync {
    /// A copy that goes on like the original.
    fn copy(&self) -> Box<dyn Run>;

    /// Where it is, s.
    fn time(&self) -> f64;

    /// On to `until` (s): see [`Advance::advance_while`].
    fn advance(
        &mut self,
        until: f64,
        events: &mut Vec<Event>,
        goes_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Error>;

    /// Displacement and velocity of every point.
    fn points(&self) -> Vec<State>;

    /// The columns at the present time.
    fn row(&self, out: &mut [f64]);

    /// What every contact does.
    fn phases(&self) -> Vec<Phase>;

    /// Goes on with other `points`, the present time and everything else being the same.
    fn place(&mut self, points: &[State]) -> Result<(), Error>;

    /// Goes on to `end` (s) under the signals of `model`.
    fn change(&mut self, model: &Model, end: f64, events: &mut Vec<Event>) -> Result<(), Error>;

    /// See [`Advance::count_losses`].
    fn count_losses(&mut self) -> bool;

    /// See [`Advance::lost`].
    fn lost(&self) -> f64;
}

impl fmt::Debug for dyn Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("time", &self.time()).finish_non_exhaustive()
    }
}

/// What a kind of model shows of a typed run.
trait View<C: Advance>: Clone + fmt::Debug + Send + Sync + 'static {
    /// Displacement and velocity of every point in a state.
    fn points(&self, state: C::State) -> Vec<State>;

    /// The columns at the present time.
    fn row(&self, cursor: &C, out: &mut [f64]);

    /// What every contact does in a phase.
    fn phases(&self, phase: C::Phase) -> Vec<Phase>;

    /// The state with these points, which is now `now`.
    fn state(&self, points: &[State], now: C::State) -> Result<C::State, Error>;

    /// Takes the signals of `model`.
    fn change(&mut self, model: &Model) {
        let _ = model;
    }
}

/// A typed run of a model.
#[derive(Debug, Clone)]
struct Typed<V, C> {
    view: V,
    cursor: C,
}

impl<V, C> Run for Typed<V, C>
where
    C: Advance + Clone + fmt::Debug + Send + Sync + 'static,
    V: View<C>,
{
    fn copy(&self) -> Box<dyn Run> {
        Box::new(self.clone())
    }

    fn time(&self) -> f64 {
        self.cursor.time()
    }

    fn advance(
        &mut self,
        until: f64,
        events: &mut Vec<Event>,
        goes_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Error> {
        self.cursor.advance_while(until, events, goes_on)
    }

    fn points(&self) -> Vec<State> {
        self.view.points(self.cursor.state())
    }

    fn row(&self, out: &mut [f64]) {
        self.view.row(&self.cursor, out);
    }

    fn phases(&self) -> Vec<Phase> {
        self.view.phases(self.cursor.phase())
    }

    fn place(&mut self, points: &[State]) -> Result<(), Error> {
        let state = self.view.state(points, self.cursor.state())?;
        self.cursor.set_state(state)
    }

    fn change(&mut self, model: &Model, end: f64, events: &mut Vec<Event>) -> Result<(), Error> {
        self.cursor.change(model, end, events)?;
        self.view.change(model);
        Ok(())
    }

    fn count_losses(&mut self) -> bool {
        self.cursor.count_losses()
    }

    fn lost(&self) -> f64 {
        self.cursor.lost()
    }
}

/// A typed run, ready to be advanced.
fn begun<V, C>(view: V, cursor: C) -> Box<dyn Run>
where
    C: Advance + Clone + fmt::Debug + Send + Sync + 'static,
    V: View<C>,
{
    Box::new(Typed { view, cursor })
}

/// A run in progress of any model by any scheme, made by [`start`].
///
/// It advances to any later time, shows what happens on the way and how the model is then, and can be taken back: its
/// [`state`](Self::state) is complete. However a run is cut into pieces, it has the same events as one call of
/// [`solve`](crate::solve), to the last bit. A clone goes on like the original.
#[derive(Debug)]
pub struct Cursor {
    problem: Arc<Problem>,
    scheme: Scheme,
    columns: Vec<Column>,
    run: Box<dyn Run>,
    /// The end of the run, s.
    end: f64,
    /// Events at the start that have not been shown yet.
    pending: Vec<Event>,
    /// What happened during the last advance.
    events: Vec<Event>,
    /// Why it cannot be advanced any further.
    failed: Option<Error>,
}

/// Everything that decides how a run goes on from an instant: the motion, the phases, the memory of the contacts and of
/// the scheme. It belongs to the problem and the scheme that it was taken from.
///
/// The points may be changed before it is put back: the run then goes on from there. What moves relative to its contact
/// slips, and what does not sticks if the contact can hold it; times at rest count anew. The elements of a cascade
/// follow the mass to its new place without turning on the way.
#[derive(Debug)]
pub struct RunState {
    /// Displacement (m) and velocity (m/s) of every point, in the order of [`Model::points`].
    pub points: Vec<State>,
    problem: Arc<Problem>,
    scheme: Scheme,
    run: Box<dyn Run>,
    end: f64,
    pending: Vec<Event>,
}

impl Clone for Cursor {
    fn clone(&self) -> Self {
        Self {
            problem: self.problem.clone(),
            scheme: self.scheme,
            columns: self.columns.clone(),
            run: self.run.copy(),
            end: self.end,
            pending: self.pending.clone(),
            events: self.events.clone(),
            failed: self.failed.clone(),
        }
    }
}

impl Clone for RunState {
    fn clone(&self) -> Self {
        Self {
            points: self.points.clone(),
            problem: self.problem.clone(),
            scheme: self.scheme,
            run: self.run.copy(),
            end: self.end,
            pending: self.pending.clone(),
        }
    }
}

impl RunState {
    /// When it was taken, s.
    pub fn time(&self) -> f64 {
        self.run.time()
    }
}

impl Cursor {
    /// Where the run is, s.
    pub fn time(&self) -> f64 {
        self.run.time()
    }

    /// The latest time to which it can be advanced, s.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// What is solved, as it was at the start.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// How it is advanced.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Advances to `until` (s); what happened since, up to and including that instant.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if `until` lies before the present time or beyond the end; otherwise what the scheme meets
    /// on the way, again and again until another state is set. What happened before an error is in
    /// [`events`](Self::events).
    pub fn advance(&mut self, until: f64) -> Result<&[Event], Error> {
        self.advance_while(until, |_| true)
    }

    /// Advances to `until` (s) as long as `goes_on` says so: it is asked now and then with the time reached (s).
    ///
    /// # Errors
    /// As [`advance`](Self::advance), and [`Error::Interrupted`] if `goes_on` says no. The run then stands at the time
    /// reached and can be advanced further.
    ///
    /// ```
    /// use stickslip::{Error, Law, Oscillator, Problem, Scheme, Signal, start};
    /// # fn main() -> Result<(), Error> {
    /// let shaw = Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?)
    ///     .with_drive(Signal::harmonic(6.0, 0.5, 0.0));
    /// let mut cursor = start(&Problem::new(shaw, 400.0), &Scheme::Euler { step: 1e-3 })?;
    /// let stopped = cursor.advance_while(400.0, |t| t < 100.0).map(|_| ());
    /// assert!(matches!(stopped, Err(Error::Interrupted { .. })));
    /// assert!((100.0..101.0).contains(&cursor.time()));
    /// # Ok(()) }
    /// ```
    pub fn advance_while(
        &mut self,
        until: f64,
        mut goes_on: impl FnMut(f64) -> bool,
    ) -> Result<&[Event], Error> {
        self.events.clear();
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let now = self.time();
        let end = self.end();
        let inside = now <= until && until <= end;
        let expected = "a time from the present one to the end, s";
        require("the time to advance to", until, inside, expected)?;
        self.events.append(&mut self.pending);
        let advanced = self.run.advance(until, &mut self.events, &mut goes_on);
        if let Err(error) = advanced {
            if !matches!(error, Error::Interrupted { .. }) {
                self.failed = Some(error.clone());
            }
            return Err(error);
        }
        Ok(&self.events)
    }

    /// What happened during the last advance.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The numbers that the run has at every instant, in the order of [`row`](Self::row): those of
    /// [`Solution::columns`](crate::Solution::columns).
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns at the present time; an impulse counts from the beginning of the last advance.
    ///
    /// # Panics
    /// If `out` is not as long as there are columns.
    pub fn row(&self, out: &mut [f64]) {
        assert_eq!(out.len(), self.columns.len(), "a row has as many numbers as there are columns");
        self.run.row(out);
    }

    /// What every contact does at the present time, in the order of [`Model::contacts`]. A mass between walls has two, the
    /// lower and the upper wall: it sticks while it stays at one, and is else free to go into the room.
    pub fn phases(&self) -> Vec<Phase> {
        self.run.phases()
    }

    /// Everything that decides how the run goes on: put back, now or later, it goes on with the same bits.
    pub fn state(&self) -> RunState {
        RunState {
            points: self.run.points(),
            problem: self.problem.clone(),
            scheme: self.scheme,
            run: self.run.copy(),
            end: self.end,
            pending: self.pending.clone(),
        }
    }

    /// Goes on from `state`, at the time at which it was taken. The events of the last advance are forgotten.
    ///
    /// # Errors
    /// [`Error::BadState`] if the state was taken from another problem or scheme, or its points cannot be as they are
    /// said to be; [`Error::BeyondWall`] beyond a rigid stop or wall; [`Error::OutOfRange`] for changed points at the
    /// end of the run. The cursor is then as it was.
    pub fn set_state(&mut self, state: &RunState) -> Result<(), Error> {
        let same = Arc::ptr_eq(&self.problem, &state.problem) || self.problem == state.problem;
        if !same || self.scheme != state.scheme {
            let reason = "it was taken from another problem or scheme; expected one of this run";
            return Err(Error::BadState { reason: reason.into() });
        }
        let mut run = state.run.copy();
        let points = state.run.points();
        if state.points.len() != points.len() {
            let found = state.points.len();
            let expected = points.len();
            let reason = format!("it has {found} points; expected {expected}, as the model has");
            return Err(Error::BadState { reason });
        }
        let bits = |u: &State| [u.x.to_bits(), u.v.to_bits()];
        if state.points.iter().map(bits).ne(points.iter().map(bits)) {
            if let Some(u) = state.points.iter().find(|u| !(u.x.is_finite() && u.v.is_finite())) {
                let reason = format!("{} m and {} m/s are not both finite numbers", u.x, u.v);
                return Err(Error::BadState { reason });
            }
            run.place(&state.points)?;
        }
        (self.run, self.pending, self.failed) = (run, state.pending.clone(), None);
        self.end = state.end;
        self.events.clear();
        Ok(())
    }

    /// Goes on from the present time to `end` (s at the latest) under the signals of `model`, which is otherwise the model
    /// that is being solved: the motion, its phases and its memory go on. What happens at once is returned, and with it
    /// what happened at the start and has not been shown yet. Loads that others prescribe in pieces come from
    /// [`Loads`](crate::model::Loads).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if `end` is not after the present time, [`Error::Unsuitable`] where the signals of such a run
    /// cannot be changed on the way. The run is then as it was.
    ///
    /// ```
    /// use stickslip::model::Loads;
    /// use stickslip::{EventKind, Law, Oscillator, Problem, Scheme, start};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// let problem = Problem::new(Oscillator::new(1.0, 0.0, Law::coulomb(1.0)?), 9.0);
    /// let (mut cursor, loads) = (start(&problem, &Scheme::Exact)?, Loads::of(&problem.model));
    /// cursor.advance(1.0)?;
    /// // From 1 s on a force of 1.5 N + 0.5 N/s · (t − 1 s): more than friction holds.
    /// let pulled = loads.from(1.0, 2.0, &[[0.0; 2], [1.5, 0.5], [0.0; 2]])?;
    /// assert_eq!(cursor.change(&pulled, 2.0)?[0].kind, EventKind::Slip);
    /// cursor.advance(2.0)?;
    /// assert!((cursor.state().points[0].v - 0.75).abs() < 1e-15); // ∫ (0.5 + 0.5 s) ds over 1 s
    /// # Ok(()) }
    /// ```
    pub fn change(&mut self, model: &Model, end: f64) -> Result<&[Event], Error> {
        self.events.clear();
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.run.change(model, end, &mut self.events)?;
        self.events.splice(..0, self.pending.drain(..));
        self.end = end;
        Ok(&self.events)
    }

    /// Counts from now on what is lost; whether the scheme can.
    pub fn count_losses(&mut self) -> bool {
        self.run.count_losses()
    }

    /// Energy lost to friction, dampers and soft stops since it has been counted, J; of rigid stops see
    /// [`Event::impulse`].
    pub fn lost(&self) -> f64 {
        self.run.lost()
    }
}

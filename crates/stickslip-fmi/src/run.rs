//! The motion of one instance in co-simulation.

use crate::history::History;
use std::sync::Arc;
use stickslip::model::Loads;
use stickslip::scheme::guarded::{Added, at_stop};
use stickslip::{
    Cursor, Error, EventKind, Interrupt, Model, Phase, Problem, Remaining, Scheme, Wall, start,
};

/// The most periods of the fastest motion or load, and the most steps in time, that are done in one step of the importer:
/// a second of work.
const MOST_PERIODS: f64 = 1e6;
const MOST_STEPS: f64 = 1e7;
/// So many times as much is done to lead an instance back to a state that was kept.
const REPLAYED: f64 = 10.0;

/// What is solved, and how.
#[derive(Debug)]
struct Task {
    problem: Problem,
    scheme: Scheme,
}

/// The model's own signals.
#[derive(Debug)]
pub struct Own {
    loads: Loads,
    /// Until when they are defined, s.
    defined: f64,
}

impl Own {
    /// Those of a model.
    pub fn of(model: &Model) -> Self {
        let loads = Loads::of(model);
        let defined = loads.own().iter().map(|s| s.domain().1).fold(f64::INFINITY, f64::min);
        Self { loads, defined }
    }
}

/// Signals that were tuned, and after how many changes of the loads.
pub type Tuned = (usize, Own);

/// A run in progress. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct Run {
    task: Arc<Task>,
    own: Arc<Own>,
    /// Whether the cursor does not know these signals yet.
    is_tuned: bool,
    cursor: Cursor,
    /// The model under the present loads, and what is added to its signals: kept, so that a step allocates nothing.
    model: Model,
    add: Vec<[f64; 2]>,
    /// What is added at each inlet, and what the cursor knows of it.
    pub inputs: Vec<Added>,
    loaded: Vec<Added>,
    /// How far the cursor is sent when nothing changes, s.
    horizon: f64,
    /// Events of each kind so far, in the order of [`EventKind::ALL`].
    counts: [i32; EventKind::ALL.len()],
    /// Energy lost at rigid stops so far, J.
    in_impacts: f64,
    history: History,
    /// The longest step that was found to be short enough, s.
    longest: f64,
}

impl Run {
    /// The run of `problem` by `scheme` from 0 on, with `inputs` added to its signals.
    ///
    /// # Errors
    /// If the problem is not well posed, does not suit the scheme or takes no such inputs.
    pub fn new(problem: Problem, scheme: Scheme, inputs: Vec<Added>) -> Result<Self, Error> {
        let own = Own::of(&problem.model);
        let mut cursor = start(&problem, &scheme)?;
        cursor.count_losses();
        let horizon = problem.end;
        let loaded = vec![Added::default(); inputs.len()];
        let add = vec![[0.0; 2]; inputs.len()];
        let model = own.loads.from(0.0, horizon, &add)?;
        let task = Arc::new(Task { problem, scheme });
        let own = Arc::new(own);
        let counts = [0; EventKind::ALL.len()];
        let in_impacts = 0.0;
        let history = History::default();
        let mut run = Self {
            task,
            own,
            is_tuned: false,
            cursor,
            model,
            add,
            inputs,
            loaded,
            horizon,
            counts,
            in_impacts,
            history,
            longest: 0.0,
        };
        run.prepare(horizon)?;
        Ok(run)
    }

    /// Takes other signals of its own from the present time on.
    ///
    /// # Errors
    /// If the run cannot continue under them: then nothing has changed.
    pub fn tune(&mut self, own: Own) -> Result<(), Error> {
        let now = self.time();
        let horizon = self.horizon.max(self.time().next_up());
        let add: Vec<[f64; 2]> = self.inputs.iter().map(|i| [i.at(now), i.rate]).collect();
        self.model = own.loads.from(now, horizon.min(own.loads.next_breakpoint(now)), &add)?;
        (self.own, self.is_tuned) = (Arc::new(own), true);
        Ok(())
    }

    /// How many changes of the loads there were so far.
    pub fn changes(&self) -> usize {
        self.history.count()
    }

    /// The same run as it was at `now` (s) after the changes of `history`, with signals that were `tuned` in between.
    ///
    /// # Errors
    /// If it is not a history of this run.
    pub fn replayed(
        &self,
        history: &[f64],
        tuned: Vec<Tuned>,
        inputs: Vec<Added>,
        now: f64,
    ) -> Result<Self, Error> {
        let wrong = || Error::BadState { reason: "it is not a state of this model".into() };
        let changes = History::changes(history, inputs.len()).ok_or_else(wrong)?;
        let problem = self.task.problem.clone();
        let scheme = self.task.scheme;
        let mut run = Self::new(problem, scheme, vec![Added::default(); inputs.len()])?;
        let last = changes.iter().map(|c| c.time).fold(now, f64::max);
        if run.too_much(last / REPLAYED).is_some() {
            let reason =
                "the model would have to be led there through more than 1e7 periods or 1e8 steps";
            return Err(Error::BadState { reason: reason.into() });
        }
        let mut tuned = tuned.into_iter().peekable();
        for change in &changes {
            run.cursor.advance(change.time)?;
            run.note();
            while let Some((_, own)) = tuned.next_if(|(after, _)| *after <= run.changes()) {
                run.model = own.loads.from(change.time, change.end, &change.add)?;
                run.own = Arc::new(own);
            }
            run.add.clone_from(&change.add);
            run.change(change.time, change.end)?;
            let held = |a: &[f64; 2]| Added { value: a[0], rate: a[1], since: change.time };
            run.loaded = change.add.iter().map(held).collect();
        }
        run.cursor.advance(now)?;
        run.note();
        for (_, own) in tuned {
            run.tune(own)?;
        }
        run.horizon = self.horizon;
        run.inputs = inputs;
        Ok(run)
    }

    /// Where the run is, s.
    pub fn time(&self) -> f64 {
        self.cursor.time()
    }

    /// The changes of the loads so far; `None` if there were too many to be kept.
    pub fn history(&self) -> Option<Vec<f64>> {
        self.history.numbers()
    }

    /// What a step to `until` (s) would have to do if that is too much for one; what it costs to find out is saved for steps
    /// that are no longer than one before.
    pub fn too_much(&mut self, until: f64) -> Option<Remaining> {
        let step = until - self.time();
        if step <= self.longest {
            return None;
        }
        let work = self.cursor.effort_of(step);
        if work.periods > MOST_PERIODS || work.steps > MOST_STEPS {
            return Some(work);
        }
        self.longest = step;
        None
    }

    /// Advances to `until` (s); with `to_event` only to the first event on the way. Whether it has stopped there.
    ///
    /// # Errors
    /// What the scheme meets on the way.
    pub fn advance(&mut self, until: f64, to_event: bool) -> Result<bool, Error> {
        // The last step may lead a rounding beyond the end.
        let beyond = until - self.horizon;
        let until = if beyond.abs() < 1e-9 * (until - self.time()) { self.horizon } else { until };
        if until > self.horizon {
            self.horizon = 2.0 * until;
        }
        loop {
            let mut happened = self.prepare(until)?;
            if !(to_event && happened) {
                let to = until.min(self.cursor.end());
                match self.cursor.advance_while(to, |_| !to_event) {
                    Err(error) if Interrupt::current().is_requested() => return Err(error),
                    Ok(_) | Err(Error::Interrupted { .. }) => happened = self.note(),
                    Err(error) => return Err(error),
                }
            }
            if self.time() >= until {
                return Ok(false);
            }
            if to_event && happened {
                return Ok(true);
            }
        }
    }

    /// Puts new loads before the cursor if there are any, or if it is at the end of those that it has; whether something
    /// happens at once.
    fn prepare(&mut self, until: f64) -> Result<bool, Error> {
        let now = self.time();
        let new = |(a, b): (&Added, &Added)| a.rate != b.rate || a.at(now) != b.at(now);
        let differs = self.inputs.iter().zip(&self.loaded).any(new);
        if !differs && !self.is_tuned && now < self.cursor.end() {
            return Ok(false);
        }
        let steady = !differs && self.inputs.iter().all(|i| i.rate == 0.0);
        let far = if steady { self.horizon.max(until) } else { until };
        let smooth = self.own.loads.next_breakpoint(now).min(self.own.defined);
        for (to, input) in self.add.iter_mut().zip(&self.inputs) {
            *to = [input.at(now), input.rate];
        }
        self.change(now, far.min(smooth))?;
        self.loaded.clone_from(&self.inputs);
        self.is_tuned = false;
        Ok(self.note())
    }

    /// Puts what is to be added before the cursor, from `time` to `end` (s) at the latest.
    fn change(&mut self, time: f64, end: f64) -> Result<(), Error> {
        self.own.loads.put(&mut self.model, time, end, &self.add)?;
        self.cursor.change(&self.model, end)?;
        self.history.push(time, end, &self.add);
        Ok(())
    }

    /// Counts the events of the last advance; whether there were any.
    fn note(&mut self) -> bool {
        let mass = match &self.task.problem.model {
            Model::Oscillator(o) => o.mass,
            Model::Impact(i) => i.mass,
            _ => 0.0,
        };
        for event in self.cursor.events() {
            if let Some(i) = EventKind::ALL.iter().position(|k| *k == event.kind) {
                self.counts[i] = self.counts[i].saturating_add(1);
            }
            // What is soft takes its time, and the cursor has counted what is lost in it.
            if event.duration == 0.0 {
                let v = event.before;
                let w = event.v;
                self.in_impacts += 0.5 * mass * (v - w) * (v + w);
            }
        }
        !self.cursor.events().is_empty()
    }

    /// The numbers of the solution at the present time.
    pub fn row(&self, out: &mut Vec<f64>) {
        out.resize(self.cursor.columns().len(), 0.0);
        self.cursor.row(out);
    }

    /// What each contact does.
    pub fn phase(&self, contact: usize) -> i32 {
        if let (Model::Oscillator(o), Some(stop)) =
            (&self.task.problem.model, Wall::ALL.into_iter().find(|w| w.stop_place() == contact))
        {
            let mut row = Vec::new();
            self.row(&mut row);
            let phase = self.cursor.phases().first().copied().unwrap_or(Phase::Stick);
            return at_stop(o, row[0], phase, stop);
        }
        self.cursor.phases().get(contact).map_or(0, |p| match p {
            Phase::Stick => 0,
            slip => slip.sign() as i32,
        })
    }

    /// Events of a kind so far.
    pub fn count(&self, kind: EventKind) -> i32 {
        EventKind::ALL.iter().position(|k| *k == kind).map_or(0, |i| self.counts[i])
    }

    /// Energy lost so far, J.
    pub fn lost(&self) -> f64 {
        self.cursor.lost() + self.in_impacts
    }
}

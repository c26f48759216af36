//! Runs of oscillators in progress.

use super::{Begun, Run};
use crate::error::{Error, require};
use crate::model::Oscillator;
use crate::motion::{Event, Phase, State, Trajectory};
use crate::scheme::cursor::Advance;
use crate::scheme::oscillator::{adaptive, euler, exact, implicit_euler, quasi_static};
use crate::solution::Scheme;
use std::fmt;
use std::sync::Arc;

pub(super) fn start(o: &Oscillator, end: f64, scheme: &Scheme) -> Result<Begun, Error> {
    Ok(match *scheme {
        Scheme::Exact => begun(o, exact::cursor(o, 0.0, end)?),
        Scheme::Adaptive(options) => begun(o, adaptive::cursor(o, 0.0, end, options)?),
        Scheme::Euler { step } => begun(o, euler::cursor(o, (0.0, end), step)?),
        Scheme::ImplicitEuler { step } => begun(o, implicit_euler::cursor(o, (0.0, end), step)?),
        _ => begun(o, Recorded::new(o, *scheme, [0.0, end])?),
    })
}

fn begun<C>(o: &Oscillator, cursor: C) -> Begun
where
    C: Advance<State = State, Phase = Phase> + Clone + fmt::Debug + Send + Sync + 'static,
{
    (Box::new(OscillatorRun { model: Arc::new(o.clone()), cursor }), Vec::new())
}

/// A run of an oscillator.
#[derive(Debug, Clone)]
struct OscillatorRun<C> {
    model: Arc<Oscillator>,
    cursor: C,
}

impl<C> Run for OscillatorRun<C>
where
    C: Advance<State = State, Phase = Phase> + Clone + fmt::Debug + Send + Sync + 'static,
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
        vec![self.cursor.state()]
    }

    fn row(&self, out: &mut [f64]) {
        let (t, state, phase) = (self.cursor.time(), self.cursor.state(), self.cursor.phase());
        super::super::oscillator::fill(&self.model, t, (state, phase), out);
    }

    fn phases(&self) -> Vec<Phase> {
        vec![self.cursor.phase()]
    }

    fn place(&mut self, points: &[State]) -> Result<(), Error> {
        self.cursor.set_state(points[0])
    }
}

/// The run of a scheme that finds all of its path at once, shown bit by bit.
#[derive(Debug, Clone)]
struct Recorded {
    o: Arc<Oscillator>,
    scheme: Scheme,
    path: Arc<Trajectory>,
    /// Events shown so far.
    shown: usize,
    time: f64,
    end: f64,
}

impl Recorded {
    fn new(o: &Oscillator, scheme: Scheme, [start, end]: [f64; 2]) -> Result<Self, Error> {
        let path = match scheme {
            Scheme::QuasiStatic => quasi_static::solve_from(o, [start, end])?,
            _ if start == 0.0 => super::super::oscillator::path(o, end, &scheme)?,
            _ => {
                let reason = format!("the scheme {} cannot set out again", scheme.name());
                return Err(Error::BadState { reason });
            }
        };
        let (o, path) = (Arc::new(o.clone()), Arc::new(path));
        Ok(Self { o, scheme, path, shown: 0, time: start, end })
    }
}

impl Advance for Recorded {
    type State = State;
    type Phase = Phase;

    fn time(&self) -> f64 {
        self.time
    }

    fn end(&self) -> f64 {
        self.end
    }

    fn state(&self) -> State {
        self.path.state(self.time)
    }

    fn phase(&self) -> Phase {
        self.path.phase(self.time)
    }

    fn advance_while(
        &mut self,
        until: f64,
        events: &mut Vec<Event>,
        goes_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Error> {
        let inside = self.time <= until && until <= self.end;
        let expected = "a time from the present one to the end, s";
        require("the time to advance to", until, inside, expected)?;
        while let Some(event) = self.path.events().get(self.shown).filter(|e| e.time <= until) {
            events.push(*event);
            self.shown += 1;
            self.time = event.time;
            if !goes_on(self.time) {
                return Err(Error::Interrupted { time: self.time });
            }
        }
        self.time = until;
        Ok(())
    }

    fn set_state(&mut self, State { x, v }: State) -> Result<(), Error> {
        let t = self.time;
        require("the present time", t, t < self.end, "a time before the end of the run, s")?;
        let o = (*self.o).clone().starting_at(x, v);
        *self = Self::new(&o, self.scheme, [t, self.end])?;
        Ok(())
    }
}

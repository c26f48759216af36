//! Runs of oscillators in progress.

use super::{Begun, View, begun};
use crate::error::{Error, require};
use crate::model::{Model, Oscillator};
use crate::motion::{Event, Phase, State, Trajectory};
use crate::scheme::cursor::Advance;
use crate::scheme::oscillator::{adaptive, euler, exact, implicit_euler, quasi_static, theta};
use crate::solution::Scheme;
use crate::solution::oscillator::{fill, path};
use std::sync::Arc;

pub(super) fn start(o: &Oscillator, end: f64, scheme: &Scheme) -> Result<Begun, Error> {
    let view = OscillatorView(Arc::new(o.clone()));
    let run = match *scheme {
        Scheme::Exact => begun(view, exact::cursor(o, 0.0, end)?),
        Scheme::Adaptive(options) => begun(view, adaptive::cursor(o, 0.0, end, options)?),
        Scheme::Euler { step } => begun(view, euler::cursor(o, 0.0, end, step)?),
        Scheme::ImplicitEuler { step } => begun(view, implicit_euler::cursor(o, 0.0, end, step)?),
        Scheme::Theta { step, theta } => begun(view, theta::cursor(o, 0.0, end, step, theta)?),
        _ => begun(view, Recorded::new(o, *scheme, [0.0, end])?),
    };
    Ok((run, Vec::new()))
}

#[derive(Debug, Clone)]
struct OscillatorView(Arc<Oscillator>);

impl<C: Advance<State = State, Phase = Phase>> View<C> for OscillatorView {
    fn points(&self, state: State) -> Vec<State> {
        vec![state]
    }

    fn row(&self, cursor: &C, out: &mut [f64]) {
        fill(&self.0, cursor.time(), cursor.state(), cursor.phase(), out);
    }

    fn phases(&self, phase: Phase) -> Vec<Phase> {
        vec![phase]
    }

    fn state(&self, points: &[State], _: State) -> Result<State, Error> {
        Ok(points[0])
    }

    fn change(&mut self, model: &Model) {
        if let Model::Oscillator(o) = model {
            Arc::make_mut(&mut self.0).take_signals(o);
        }
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
            _ if start == 0.0 => path(o, end, &scheme)?,
            _ => {
                let reason = format!("the scheme {} cannot set out again", scheme.name());
                return Err(Error::BadState { reason });
            }
        };
        let o = Arc::new(o.clone());
        let path = Arc::new(path);
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

//! Runs of cascades in progress.

use super::{Begun, Run, refuse};
use crate::error::Error;
use crate::hysteresis::Sweep;
use crate::model::{Cascade, Model};
use crate::motion::{CascadePhase, CascadeState, Event, Phase, State};
use crate::scheme::cascade::{
    CascadeSteps, ExactSystem, QuasiStaticSystem, exact_cursor, hysteresis_cursor,
    implicit_euler_cursor, quasi_static_cursor,
};
use crate::scheme::cursor::{Advance, Cursor};
use crate::scheme::stepper::Stepper;
use crate::solution::Scheme;
use std::fmt;

pub(super) fn start(c: &Cascade, end: f64, scheme: &Scheme) -> Result<Begun, Error> {
    let n = c.elements();
    Ok(match *scheme {
        Scheme::Exact => begun(n, exact_cursor(c, end)?, Vec::new()),
        Scheme::ImplicitEuler { step } => {
            begun(n, implicit_euler_cursor(c, end, step)?, Vec::new())
        }
        Scheme::Hysteresis { step } => begun(n, hysteresis_cursor(c, end, step)?, Vec::new()),
        Scheme::QuasiStatic => {
            let (cursor, events) = quasi_static_cursor(c, end)?;
            begun(n, cursor, events)
        }
        _ => return Err(refuse(scheme, "cascade", Model::CASCADE)),
    })
}

fn begun<C>(elements: usize, cursor: C, events: Vec<Event>) -> Begun
where
    C: Elements + Clone + fmt::Debug + Send + Sync + 'static,
{
    (Box::new(CascadeRun { elements, cursor }), events)
}

/// What can be advanced and knows the elements of a cascade.
trait Elements: Advance<State = CascadeState, Phase = CascadePhase> {
    /// The elements as the mass comes to `x` (m).
    fn elements_at(&self, x: f64) -> Sweep;
}

impl Elements for Cursor<ExactSystem> {
    fn elements_at(&self, x: f64) -> Sweep {
        self.system().elements_at(x)
    }
}

impl Elements for Cursor<QuasiStaticSystem> {
    fn elements_at(&self, x: f64) -> Sweep {
        self.system().elements_at(x)
    }
}

impl<S: CascadeSteps> Elements for Stepper<S> {
    fn elements_at(&self, x: f64) -> Sweep {
        self.scheme().elements_at(x)
    }
}

/// A run of a cascade.
#[derive(Debug, Clone)]
struct CascadeRun<C> {
    elements: usize,
    cursor: C,
}

impl<C> Run for CascadeRun<C>
where
    C: Elements + Clone + fmt::Debug + Send + Sync + 'static,
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
        let CascadeState { x, v, .. } = self.cursor.state();
        vec![State { x, v }]
    }

    fn row(&self, out: &mut [f64]) {
        let CascadeState { x, v, force } = self.cursor.state();
        out[..3].copy_from_slice(&[x, v, force]);
        for (w, pull) in out[3..].iter_mut().zip(self.cursor.elements_at(x).pulls()) {
            *w = -pull;
        }
    }

    fn phases(&self) -> Vec<Phase> {
        let CascadePhase { direction, slipping } = self.cursor.phase();
        let slips = |i| if i < slipping { Phase::of_sign(direction) } else { Phase::Stick };
        (0..self.elements).map(slips).collect()
    }

    fn place(&mut self, points: &[State]) -> Result<(), Error> {
        let State { x, v } = points[0];
        self.cursor.set_state(CascadeState { x, v, force: f64::NAN })
    }
}

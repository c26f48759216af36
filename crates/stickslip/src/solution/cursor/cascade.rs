//! Runs of cascades in progress.

use super::{Begun, View, begun, refuse};
use crate::error::Error;
use crate::hysteresis::Sweep;
use crate::model::{Cascade, Model};
use crate::motion::{CascadePhase, CascadeState, Phase, State};
use crate::scheme::cascade::{
    CascadeSteps, ExactSystem, QuasiStaticSystem, exact_cursor, hysteresis_cursor,
    implicit_euler_cursor, quasi_static_cursor, theta_cursor,
};
use crate::scheme::cursor::{Advance, Cursor};
use crate::scheme::stepper::Stepper;
use crate::solution::Scheme;
use crate::solution::cascade::other_theta;

pub(super) fn start(c: &Cascade, end: f64, scheme: &Scheme) -> Result<Begun, Error> {
    let view = CascadeView { elements: c.elements() };
    let run = match *scheme {
        Scheme::Exact => begun(view, exact_cursor(c, end)?),
        Scheme::ImplicitEuler { step } => begun(view, implicit_euler_cursor(c, end, step)?),
        Scheme::Theta { step, theta: 0.5 } => begun(view, theta_cursor(c, end, step)?),
        Scheme::Theta { .. } => return Err(other_theta()),
        Scheme::Hysteresis { step } => begun(view, hysteresis_cursor(c, end, step)?),
        Scheme::QuasiStatic => {
            let (cursor, events) = quasi_static_cursor(c, end)?;
            return Ok((begun(view, cursor), events));
        }
        _ => return Err(refuse(scheme, "cascade", Model::CASCADE)),
    };
    Ok((run, Vec::new()))
}

/// What can be advanced and knows the elements of a cascade.
trait Elements: Advance<State = CascadeState, Phase = CascadePhase> {
    /// The elements as the mass comes to `x` (m).
    fn elements_at(&self, x: f64) -> Sweep;
}

impl Elements for Cursor<ExactSystem> {
    fn elements_at(&self, x: f64) -> Sweep {
        self.system().elements().moved_to(x)
    }
}

impl Elements for Cursor<QuasiStaticSystem> {
    fn elements_at(&self, x: f64) -> Sweep {
        self.system().elements().moved_to(x)
    }
}

impl<S: CascadeSteps> Elements for Stepper<S> {
    fn elements_at(&self, x: f64) -> Sweep {
        self.scheme().elements_at(x)
    }
}

#[derive(Debug, Clone)]
struct CascadeView {
    elements: usize,
}

impl<C: Elements> View<C> for CascadeView {
    fn points(&self, CascadeState { x, v, .. }: CascadeState) -> Vec<State> {
        vec![State { x, v }]
    }

    fn row(&self, cursor: &C, out: &mut [f64]) {
        let CascadeState { x, v, force } = cursor.state();
        out[..3].copy_from_slice(&[x, v, force]);
        for (w, pull) in out[3..].iter_mut().zip(cursor.elements_at(x).pulls()) {
            *w = -pull;
        }
    }

    fn phases(&self, CascadePhase { direction, slipping }: CascadePhase) -> Vec<Phase> {
        let slips = |i| if i < slipping { Phase::of_sign(direction) } else { Phase::Stick };
        (0..self.elements).map(slips).collect()
    }

    fn state(&self, points: &[State], now: CascadeState) -> Result<CascadeState, Error> {
        let State { x, v } = points[0];
        Ok(CascadeState { x, v, ..now })
    }
}

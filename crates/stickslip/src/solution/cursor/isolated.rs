//! Runs of slabs on isolators in progress.

use super::{Begun, View, begun, refuse};
use crate::error::Error;
use crate::model::{Isolated, Model};
use crate::motion::{Phase, State};
use crate::scheme::cursor::Advance;
use crate::scheme::isolated::{self, IsolatedPhase, IsolatedState};
use crate::solution::Scheme;
use crate::solution::isolated::fill;
use std::sync::Arc;

pub(super) fn start(model: &Isolated, end: f64, scheme: &Scheme) -> Result<Begun, Error> {
    let view = IsolatedView { model: Arc::new(model.clone()) };
    let run = match *scheme {
        Scheme::Adaptive(options) => begun(view, isolated::adaptive_cursor(model, end, options)?),
        Scheme::ImplicitEuler { step } => begun(view, isolated::cursor(model, end, step)?),
        _ => return Err(refuse(scheme, "isolated", Model::ISOLATED)),
    };
    Ok((run, Vec::new()))
}

#[derive(Debug, Clone)]
struct IsolatedView {
    model: Arc<Isolated>,
}

impl<C: Advance<State = IsolatedState, Phase = IsolatedPhase>> View<C> for IsolatedView {
    fn points(&self, state: IsolatedState) -> Vec<State> {
        state.q.iter().zip(&state.v).map(|(&x, &v)| State { x, v }).collect()
    }

    fn row(&self, cursor: &C, out: &mut [f64]) {
        fill(&self.model, &cursor.state(), out);
    }

    fn phases(&self, phase: IsolatedPhase) -> Vec<Phase> {
        let of = |rests: &bool| if *rests { Phase::Stick } else { Phase::SlipForward };
        phase.iter().map(of).collect()
    }

    fn state(&self, points: &[State], now: IsolatedState) -> Result<IsolatedState, Error> {
        let q = points.iter().map(|p| p.x).collect();
        let v = points.iter().map(|p| p.v).collect();
        Ok(IsolatedState { q, v, ..now })
    }
}

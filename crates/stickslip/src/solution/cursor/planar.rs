//! Runs of masses on a plane in progress.

use super::{Begun, View, begun, refuse};
use crate::error::Error;
use crate::model::{Model, Planar};
use crate::motion::{Phase, PlanarPhase, PlanarState, State};
use crate::scheme::cursor::Advance;
use crate::scheme::planar::{self, euler_steps};
use crate::solution::Scheme;
use crate::solution::planar::fill;

pub(super) fn start(p: &Planar, end: f64, scheme: &Scheme) -> Result<Begun, Error> {
    let run = match *scheme {
        Scheme::Adaptive(options) => begun(PlanarView, planar::cursor(p, end, options)?),
        Scheme::Euler { step } => {
            begun(PlanarView, euler_steps::cursor(p, end, step, euler_steps::Rule::Euler)?)
        }
        Scheme::ImplicitEuler { step } => {
            begun(PlanarView, euler_steps::cursor(p, end, step, euler_steps::Rule::ImplicitEuler)?)
        }
        _ => return Err(refuse(scheme, "planar", Model::PLANAR)),
    };
    Ok((run, Vec::new()))
}

#[derive(Debug, Clone)]
struct PlanarView;

impl<C: Advance<State = PlanarState, Phase = PlanarPhase>> View<C> for PlanarView {
    fn points(&self, state: PlanarState) -> Vec<State> {
        [0, 1].map(|i| State { x: state.x[i], v: state.v[i] }).to_vec()
    }

    fn row(&self, cursor: &C, out: &mut [f64]) {
        fill(&cursor.state(), out);
    }

    fn phases(&self, phase: PlanarPhase) -> Vec<Phase> {
        vec![phase.into()]
    }

    fn state(&self, points: &[State], now: PlanarState) -> Result<PlanarState, Error> {
        let x = [points[0].x, points[1].x];
        let v = [points[0].v, points[1].v];
        Ok(PlanarState { x, v, ..now })
    }
}

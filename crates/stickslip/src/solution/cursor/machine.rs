//! Runs of machines in progress.

use super::{Begun, View, begun};
use crate::error::Error;
use crate::model::{Machine, Model};
use crate::motion::{NetworkPhase, Phase, State};
use crate::scheme::cursor::Advance;
use crate::scheme::machine::{self, MachineState};
use crate::solution::Scheme;
use crate::solution::machine::{fill, refuse};
use std::sync::Arc;

pub(super) fn start(m: &Machine, end: f64, scheme: &Scheme) -> Result<Begun, Error> {
    if let Some((step, theta)) = scheme.weighted() {
        let view = MachineView(Arc::new(m.clone()));
        return Ok((begun(view, machine::theta_method::cursor(m, end, step, theta)?), Vec::new()));
    }
    let cursor = match *scheme {
        Scheme::Exact => machine::exact_cursor(m, end)?,
        Scheme::Adaptive(options) => machine::cursor(m, end, options)?,
        _ => return Err(refuse(m, scheme)),
    };
    Ok((begun(MachineView(Arc::new(m.clone())), cursor), Vec::new()))
}

#[derive(Debug, Clone)]
struct MachineView(Arc<Machine>);

impl<C: Advance<State = MachineState, Phase = NetworkPhase>> View<C> for MachineView {
    fn points(&self, MachineState { x, v, .. }: MachineState) -> Vec<State> {
        x.into_iter().zip(v).map(|(x, v)| State { x, v }).collect()
    }

    fn row(&self, cursor: &C, out: &mut [f64]) {
        fill(&self.0, &cursor.state(), out);
    }

    fn phases(&self, phase: NetworkPhase) -> Vec<Phase> {
        machine::phases(&self.0, &phase)
    }

    /// Only what moves by itself can be put elsewhere.
    fn state(&self, points: &[State], now: MachineState) -> Result<MachineState, Error> {
        for (i, node) in self.0.network().nodes().iter().enumerate() {
            let moved = points[i].x != now.x[i] || points[i].v != now.v[i];
            if node.motion.is_some() && moved {
                let reason = format!("node `{}` follows a prescribed motion", node.name);
                return Err(Error::BadState { reason });
            }
        }
        self.0.check_together(points)?;
        let (x, v) = points.iter().map(|u| (u.x, u.v)).unzip();
        // What is put elsewhere begins to rest there.
        Ok(MachineState { x, v, rested: Vec::new(), ..now })
    }

    fn change(&mut self, model: &Model) {
        if let Model::Machine(m) = model {
            self.0 = Arc::new(m.clone());
        }
    }
}

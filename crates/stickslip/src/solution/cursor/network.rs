//! Runs of networks in progress.

use super::{Begun, Run, refuse};
use crate::error::Error;
use crate::model::{Model, Network};
use crate::motion::{Event, NetworkPhase, NetworkState, Phase, State};
use crate::scheme::cursor::Advance;
use crate::scheme::network;
use crate::solution::Scheme;
use std::fmt;
use std::sync::Arc;

pub(super) fn start(n: &Network, end: f64, scheme: &Scheme) -> Result<Begun, Error> {
    Ok(match *scheme {
        Scheme::Exact => begun(n, network::exact_cursor(n, end)?),
        Scheme::ImplicitEuler { step } => begun(n, network::cursor(n, end, step, 1.0)?),
        Scheme::Theta { step, theta } => begun(n, network::cursor(n, end, step, theta)?),
        Scheme::SignEuler { step } => begun(n, network::sign_cursor(n, end, step)?),
        _ => return Err(refuse(scheme, "network", Model::NETWORK)),
    })
}

fn begun<C>(n: &Network, cursor: C) -> Begun
where
    C: Advance<State = NetworkState, Phase = NetworkPhase> + Clone + fmt::Debug,
    C: Send + Sync + 'static,
{
    (Box::new(NetworkRun { network: Arc::new(n.clone()), cursor }), Vec::new())
}

/// A run of a network.
#[derive(Debug, Clone)]
struct NetworkRun<C> {
    network: Arc<Network>,
    cursor: C,
}

impl<C> NetworkRun<C>
where
    C: Advance<State = NetworkState, Phase = NetworkPhase>,
{
    /// Only what moves by itself can be put elsewhere.
    fn check(&self, points: &[State], now: &NetworkState) -> Result<(), Error> {
        for (i, node) in self.network.nodes().iter().enumerate() {
            let (moved, kicked) = (points[i].x != now.x[i], points[i].v != now.v[i]);
            let reason = match &node.motion {
                Some(_) if moved || kicked => "follows a prescribed motion",
                None if node.mass == 0.0 && kicked => {
                    "has no mass, so the forces decide its velocity"
                }
                _ => continue,
            };
            return Err(Error::BadState { reason: format!("node `{}` {reason}", node.name) });
        }
        Ok(())
    }
}

impl<C> Run for NetworkRun<C>
where
    C: Advance<State = NetworkState, Phase = NetworkPhase> + Clone + fmt::Debug,
    C: Send + Sync + 'static,
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
        let NetworkState { x, v, .. } = self.cursor.state();
        x.into_iter().zip(v).map(|(x, v)| State { x, v }).collect()
    }

    fn row(&self, out: &mut [f64]) {
        super::super::network::fill(&self.cursor.state(), out);
    }

    fn phases(&self) -> Vec<Phase> {
        self.cursor.phase().iter().map(|sign| Phase::of_sign(*sign)).collect()
    }

    fn place(&mut self, points: &[State]) -> Result<(), Error> {
        let now = self.cursor.state();
        self.check(points, &now)?;
        let (x, v) = points.iter().map(|u| (u.x, u.v)).unzip();
        self.cursor.set_state(NetworkState { x, v, ..now })
    }
}

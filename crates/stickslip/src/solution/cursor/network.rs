//! Runs of networks in progress.

use super::{Begun, View, begun, refuse};
use crate::error::Error;
use crate::model::{Model, Network};
use crate::motion::{NetworkPhase, NetworkState, Phase, State};
use crate::scheme::cursor::Advance;
use crate::scheme::network;
use crate::solution::Scheme;
use crate::solution::network::fill;
use std::sync::Arc;

pub(super) fn start(n: &Network, end: f64, scheme: &Scheme) -> Result<Begun, Error> {
    let view = NetworkView(Arc::new(n.clone()));
    let run = match *scheme {
        Scheme::Exact => begun(view, network::exact_cursor(n, end)?),
        Scheme::ImplicitEuler { step } => begun(view, network::cursor(n, end, step, 1.0)?),
        Scheme::Theta { step, theta } => begun(view, network::cursor(n, end, step, theta)?),
        Scheme::SignEuler { step } => begun(view, network::sign_cursor(n, end, step)?),
        _ => return Err(refuse(scheme, "network", Model::NETWORK)),
    };
    Ok((run, Vec::new()))
}

#[derive(Debug, Clone)]
struct NetworkView(Arc<Network>);

impl<C: Advance<State = NetworkState, Phase = NetworkPhase>> View<C> for NetworkView {
    fn points(&self, NetworkState { x, v, .. }: NetworkState) -> Vec<State> {
        x.into_iter().zip(v).map(|(x, v)| State { x, v }).collect()
    }

    fn row(&self, cursor: &C, out: &mut [f64]) {
        fill(&cursor.state(), out);
    }

    fn phases(&self, phase: NetworkPhase) -> Vec<Phase> {
        phase.iter().map(|sign| Phase::of_sign(*sign)).collect()
    }

    /// Only what moves by itself can be put elsewhere.
    fn state(&self, points: &[State], now: NetworkState) -> Result<NetworkState, Error> {
        for (i, node) in self.0.nodes().iter().enumerate() {
            let moved = points[i].x != now.x[i];
            let kicked = points[i].v != now.v[i];
            let reason = match &node.motion {
                Some(_) if moved || kicked => "follows a prescribed motion",
                None if node.mass == 0.0 && kicked => {
                    "has no mass, so the forces decide its velocity"
                }
                _ => continue,
            };
            return Err(Error::BadState { reason: format!("node `{}` {reason}", node.name) });
        }
        let (x, v) = points.iter().map(|u| (u.x, u.v)).unzip();
        Ok(NetworkState { x, v, ..now })
    }

    fn change(&mut self, model: &Model) {
        if let Model::Network(n) = model {
            self.0 = Arc::new(n.clone());
        }
    }
}

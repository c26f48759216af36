//! Runs of masses between walls in progress.

use super::{Begun, View, begun, refuse};
use crate::error::Error;
use crate::model::{Impact, Model};
use crate::motion::{Phase, State, Touching, Wall};
use crate::scheme::cursor::Advance;
use crate::scheme::impact::{self, moreau, penalised};
use crate::solution::Scheme;

pub(super) fn start(i: &Impact, end: f64, scheme: &Scheme) -> Result<Begun, Error> {
    let run = match *scheme {
        Scheme::Exact => {
            let (cursor, events) = impact::cursor(i, end)?;
            return Ok((begun(ImpactView, cursor), events));
        }
        Scheme::Moreau { step } => begun(ImpactView, moreau::cursor(i, end, step)?),
        Scheme::Penalised(p) => begun(ImpactView, penalised::cursor(i, p, end)?),
        _ => return Err(refuse(scheme, "impact", Model::IMPACT)),
    };
    Ok((run, Vec::new()))
}

#[derive(Debug, Clone)]
struct ImpactView;

impl<C: Advance<State = State, Phase = Touching>> View<C> for ImpactView {
    fn points(&self, state: State) -> Vec<State> {
        vec![state]
    }

    fn row(&self, cursor: &C, out: &mut [f64]) {
        let State { x, v } = cursor.state();
        out.copy_from_slice(&[x, v, cursor.impulse() + 0.0]); // −0 is no impulse either
    }

    fn phases(&self, touching: Touching) -> Vec<Phase> {
        let phase = |wall: Wall| match touching {
            Touching::Contact(at) if at == wall => Phase::Stick,
            _ => Phase::slip(wall.sign()),
        };
        Wall::ALL.map(phase).to_vec()
    }

    fn state(&self, points: &[State], _: State) -> Result<State, Error> {
        Ok(points[0])
    }
}

//! Runs of contacts with memory in progress.

use super::{Begun, View, begun};
use crate::error::{Error, Obstacle};
use crate::model::Hysteretic;
use crate::motion::{Phase, State};
use crate::scheme::cursor::Advance;
use crate::scheme::memory::{self, MemoryState};
use crate::solution::Scheme;
use crate::solution::hysteretic::{fill, refuse};

pub(super) fn start(h: &Hysteretic, end: f64, scheme: &Scheme) -> Result<Begun, Error> {
    let options = match *scheme {
        Scheme::Adaptive(options) => options,
        Scheme::ImplicitEuler { .. } => {
            let reason = Obstacle::NotInPieces { part: h.beyond_oscillators() };
            return Err(Error::Unsuitable { scheme: scheme.name(), reason });
        }
        _ => return Err(refuse(h, scheme)),
    };
    let led = h.body().is_none();
    Ok((begun(MemoryView { led }, memory::cursor(h, end, options)?), Vec::new()))
}

#[derive(Debug, Clone)]
struct MemoryView {
    /// Whether its displacement is given.
    led: bool,
}

impl<C: Advance<State = MemoryState, Phase = Phase>> View<C> for MemoryView {
    fn points(&self, MemoryState { x, v, .. }: MemoryState) -> Vec<State> {
        vec![State { x, v }]
    }

    fn row(&self, cursor: &C, out: &mut [f64]) {
        fill(&cursor.state(), out);
    }

    fn phases(&self, phase: Phase) -> Vec<Phase> {
        vec![phase]
    }

    /// What the contact remembers stays what it is.
    fn state(&self, points: &[State], now: MemoryState) -> Result<MemoryState, Error> {
        let State { x, v } = points[0];
        if self.led && (x != now.x || v != now.v) {
            let reason = "the displacement of the element is prescribed".into();
            return Err(Error::BadState { reason });
        }
        Ok(MemoryState { x, v, ..now })
    }
}

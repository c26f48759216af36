//! A motion that is followed and not kept.

use super::forced::Forced;
use super::passage::Method;
use crate::error::Error;
use crate::motion::{Motion, Segment, State};
use crate::scheme::cursor::Cursor;
use crate::scheme::event_loop::Observer;
use crate::scheme::oscillator::{adaptive, exact};

/// A run of one of the two solvers, from whatever state.
#[derive(Debug, Clone)]
pub(super) enum Runner {
    Exact(Box<Cursor<exact::System>>),
    Adaptive(Box<Cursor<adaptive::System>>),
}

/// Keeps nothing.
struct Nobody;

impl<M: Motion> Observer<M> for Nobody {
    fn segment(&mut self, _: Segment<M>) {}

    fn event(&mut self, _: M::Event) {}
}

impl Runner {
    /// Ready to follow motions of `forced` over so many periods.
    pub fn new(forced: &Forced, periods: usize) -> Result<Self, Error> {
        let o = forced.oscillator()?;
        let end = forced.period * periods as f64;
        if o.friction.ages() {
            let what = "a map of displacement and velocity, as of sections, exponents and basins,";
            let reason = "the friction ages, so that the displacement and the velocity alone do not tell how the motion continues; \
                          use `orbit` or `response`, which carry the age along";
            return Err(Error::NotOffered { what, reason: reason.into() });
        }
        Ok(match forced.method.resolved(o) {
            Method::Adaptive(options) => {
                Self::Adaptive(Box::new(adaptive::cursor(o, 0.0, end, options)?))
            }
            _ => Self::Exact(Box::new(exact::cursor(o, 0.0, end)?)),
        })
    }

    /// The motion that starts at `u` at t = 0.
    pub fn starting_at(&self, u: [f64; 2]) -> Result<Self, Error> {
        let mut run = self.clone();
        let u = State { x: u[0], v: u[1] };
        match &mut run {
            Self::Exact(cursor) => cursor.set_state(u)?,
            Self::Adaptive(cursor) => cursor.set_state(u)?,
        }
        Ok(run)
    }

    /// The state at `t` (s), which is not before the one that was asked for last.
    pub fn advance(&mut self, t: f64) -> Result<[f64; 2], Error> {
        let State { x, v } = match self {
            Self::Exact(cursor) => {
                cursor.advance(t, &mut Nobody)?;
                cursor.state()
            }
            Self::Adaptive(cursor) => {
                cursor.advance(t, &mut Nobody)?;
                cursor.state()
            }
        };
        if x.is_finite() && v.is_finite() {
            return Ok([x, v]);
        }
        Err(Error::NotFinite { time: t, step: 0.0 })
    }
}

//! Paths of cascades and networks side by side, one in each lane.
//!
//! All lanes do the same operations in the same order, so a path has the same bits in any lane, with any
//! number of lanes and on any instruction set. One lane is the scalar scheme ([`Walker`](super::Walker)).

mod cascade;
mod contact;
mod layout;
mod network;
mod noises;
mod pattern;
mod single;

pub(crate) use contact::{Contact, Tally};

use super::Rule;
use crate::error::Error;
use crate::instructions::Instructions;
use crate::model::{Model, Problem};
use crate::motion::State;
use crate::signal::noise::Group;
use cascade::Cascades;
use network::Networks;

/// Numbers of one kind, one for each path.
type Lane<const N: usize> = [f64; N];

/// `N` paths side by side.
#[derive(Debug, Clone)]
pub(crate) enum Bundle<'a, const N: usize> {
    Cascade(Box<Cascades<'a, N>>),
    Network(Box<Networks<'a, N>>),
}

/// What a bundle is asked for beside the problem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    /// h, s.
    pub step: f64,
    /// How the paths advance.
    pub rule: Rule,
    /// |x| to be passed, m; +∞: none.
    pub level: f64,
    /// Which instructions; no bit depends on it.
    pub on: Instructions,
}

impl<'a, const N: usize> Bundle<'a, N> {
    /// For paths of `problem`, which has been checked; `None` where they cannot go side by side: oscillators have
    /// lanes of their own, and of networks large ones, those whose sliders form a circle and those whose nodes share mass
    /// go by the solvers for every network.
    ///
    /// # Errors
    /// If the step does not fit the run or the noise.
    pub fn new(problem: &'a Problem, request: Request) -> Result<Option<Self>, Error> {
        // Oscillators have lanes of their own, and the usual sign has no resolvent whose pattern lanes could share.
        Ok(match (&problem.model, request.rule) {
            (Model::Cascade(c), Rule::Theta | Rule::ImplicitEuler) => {
                Some(Self::Cascade(Box::new(Cascades::new(problem, c, request)?)))
            }
            (Model::Network(n), Rule::Theta | Rule::ImplicitEuler) => {
                Networks::new(problem, n, request)?.map(|n| Self::Network(Box::new(n)))
            }
            _ => None,
        })
    }

    /// Goes back to t = 0 with the paths of `group`, the first `used` of which count.
    pub fn restart(&mut self, group: Group<N>, used: usize) {
        match self {
            Self::Cascade(c) => c.restart(group, used),
            Self::Network(n) => n.restart(group, used),
        }
    }

    /// Advances to step number `stop`, which is no less than the last and no more than the number of steps.
    pub fn advance(&mut self, stop: u64) {
        match self {
            Self::Cascade(c) => c.advance(stop),
            Self::Network(n) => n.advance(stop),
        }
    }

    /// State of point number `point` in a lane.
    pub fn state(&self, point: usize, lane: usize) -> State {
        match self {
            // The mass is the only point of a cascade.
            Self::Cascade(c) => c.state(lane),
            Self::Network(n) => n.state(point, lane),
        }
    }

    /// First step at which |x| of a point is over the level; +∞: none yet.
    pub fn passage(&self, point: usize, lane: usize) -> f64 {
        match self {
            Self::Cascade(c) => c.passage(lane),
            Self::Network(n) => n.passage(point, lane),
        }
    }

    /// How many contacts there are.
    pub(crate) fn contact_count(&self) -> usize {
        match self {
            Self::Cascade(c) => c.contacts.len(),
            Self::Network(n) => n.contacts.len(),
        }
    }

    /// What contact number `e` of the model has done.
    pub fn contact(&mut self, e: usize) -> &mut Contact<N> {
        match self {
            Self::Cascade(c) => &mut c.contacts[e],
            Self::Network(n) => &mut n.contacts[e],
        }
    }

    /// Steps that were not solved to their tolerance.
    pub fn inexact(&self, lane: usize) -> u64 {
        match self {
            // Each element has a closed form: no step of a cascade is solved by iterations.
            Self::Cascade(_) => 0,
            Self::Network(n) => n.inexact(lane),
        }
    }
}

/// 1 or 0.
#[inline(always)]
fn flag(b: bool) -> f64 {
    if b { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests;

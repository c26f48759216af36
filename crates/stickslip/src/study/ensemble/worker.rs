//! Who computes paths: in lanes where the model has them, otherwise one after the other.

use super::bundles;
use super::lanes::{BATCH, Lanes, Shared};
use super::path_summary::{Follower, PathSummary};
use super::plan::Plan;
use super::sink::Sink;
use crate::error::Error;
use crate::lanes::Instructions;
use crate::lanes::oscillators::LANES;
use crate::scheme::stochastic::{Bundle, PathId, Request, Walker};

/// How paths of a plan are computed.
#[derive(Debug)]
pub(super) enum Method<'a> {
    /// Oscillators side by side.
    Lanes(Shared<'a>),
    /// Other models side by side.
    Bundles(&'a Plan, Box<Bundle<'a, LANES>>),
    /// One after the other.
    Single(&'a Plan, Box<Walker<'a>>),
}

impl<'a> Method<'a> {
    pub fn new(plan: &'a Plan, on: Instructions) -> Result<Self, Error> {
        let problem = &plan.problem;
        let step = plan.step;
        let rule = plan.rule;
        if let Some(model) = problem.noisy_oscillator().filter(|m| m.is_plain()) {
            return Ok(Self::Lanes(Shared::new(plan, model, on)?));
        }
        let request = Request { step, rule, level: plan.level.unwrap_or(f64::INFINITY), on };
        Ok(match Bundle::new(problem, request)? {
            Some(bundle) => Self::Bundles(plan, Box::new(bundle)),
            None => Self::Single(plan, Box::new(Walker::new(problem, step, rule)?)),
        })
    }

    /// Paths that are best computed together.
    pub fn batch(&self) -> u64 {
        match self {
            Self::Lanes(_) => BATCH,
            Self::Bundles(..) => LANES as u64,
            Self::Single(..) => 1,
        }
    }

    /// The least that costs no more than less.
    pub fn least(&self) -> u64 {
        match self {
            Self::Lanes(_) | Self::Bundles(..) => LANES as u64,
            Self::Single(..) => 1,
        }
    }

    /// A worker of one thread.
    pub fn worker(&'a self) -> Worker<'a> {
        match self {
            Self::Lanes(shared) => Worker::Lanes(Box::new(Lanes::new(shared))),
            Self::Bundles(plan, bundle) => Worker::Bundles(plan, bundle.clone()),
            Self::Single(plan, walker) => Worker::Single(plan, walker.clone()),
        }
    }
}

/// One thread's.
#[derive(Debug)]
pub(super) enum Worker<'a> {
    Lanes(Box<Lanes<'a>>),
    Bundles(&'a Plan, Box<Bundle<'a, LANES>>),
    Single(&'a Plan, Box<Walker<'a>>),
}

impl Worker<'_> {
    /// Runs paths `first` … `first + count − 1`, at most a batch.
    pub fn run(&mut self, first: u64, count: u64, sink: &mut Sink<'_>) -> Result<(), Error> {
        match self {
            Self::Lanes(lanes) => {
                lanes.run(first, count, sink);
                Ok(())
            }
            Self::Bundles(plan, bundle) => {
                bundles::run(plan, plan.steps()? as u64, bundle, first, count, sink);
                Ok(())
            }
            Self::Single(plan, walker) => {
                (0..count).try_for_each(|i| single(plan, walker, first + i, i as usize, sink))
            }
        }
    }
}

/// Follows path number `path`, which is number `i` of its batch.
fn single(
    plan: &Plan,
    walker: &mut Walker<'_>,
    path: u64,
    i: usize,
    sink: &mut Sink<'_>,
) -> Result<(), Error> {
    let steps = plan.steps()?;
    let level = plan.level.unwrap_or(f64::INFINITY);
    let mut followers: Vec<Follower> = Vec::new();
    let mut row = 0;
    let mut whole = PathSummary { path, ..PathSummary::default() };
    let id = PathId { seed: plan.seed, path };
    let inexact = walker.walk(id, |n, states, contacts| {
        if n == 0 {
            followers.extend(contacts.iter().map(Follower::start));
            whole.passages.resize(states.len(), f64::INFINITY);
            whole.states.extend_from_slice(states);
        } else {
            for ((f, step), d) in followers.iter_mut().zip(contacts).zip(&mut *sink.durations) {
                f.follow(n as u64, step, d);
            }
        }
        for (passage, u) in whole.passages.iter_mut().zip(states) {
            if u.x.abs() > level {
                *passage = passage.min(n as f64);
            }
        }
        if row < plan.rows && plan.step_of_row(row, steps) == n as u64 {
            for (p, u) in states.iter().enumerate() {
                sink.looks.put(row, p, i, *u);
            }
            for (c, step) in contacts.iter().enumerate() {
                sink.looks.rest(row, c, u64::from(step.rests));
            }
            row += 1;
        }
        if n == steps {
            whole.states.copy_from_slice(states);
        }
    })?;
    whole.inexact = inexact as u64;
    whole.contacts.extend(followers.into_iter().map(|f| f.finish(steps as u64)));
    (sink.whole)(&whole);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::model::{Network, Place, Problem};
    use crate::scheme::network::PREPARATIONS;
    use crate::signal::noise::Noise;
    use crate::study::ensemble::{Plan, run};

    /// Ordering and analysing the matrix of a network is done once for all paths, the pilot's and every worker's too.
    #[test]
    fn a_network_is_prepared_once() {
        // A slider in a circle of sliders, so that the paths go one after the other.
        let network = Network::burridge_knopoff(5, 1.0, 20.0, 1.0, (1.0, 0.6), 0.5);
        let network = network.slider("between", "b1", "b2", 0.2, 0.2).build().unwrap();
        let white = Noise::White { intensity: 0.8 };
        let problem = Problem::new(network, 1.0).with_noise(Place::Node(2), white);
        let before = PREPARATIONS.with(std::cell::Cell::get);
        let plan = Plan { rows: 3, ..Plan::new(problem, 0.02, 3) };
        let ensemble = run(&plan, 0..100, 1, &mut ()).unwrap();
        assert_eq!(ensemble.count(), 100);
        assert_eq!(PREPARATIONS.with(std::cell::Cell::get) - before, 1);
    }
}

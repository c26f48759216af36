//! Running an ensemble: waves of batches over threads.

use super::Ensemble;
use super::path_summary::PathSummary;
use super::pilot::Pilot;
use super::plan::Plan;
use super::row_buffer::RowBuffer;
use super::sink::Sink;
use super::worker::{Method, Worker};
use crate::error::{Error, require};
use crate::lanes::Durations;
use crate::lanes::Instructions;
use crate::motion::State;
use crate::study::parallel as pool;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Path-steps between two looks at the clock by whoever controls the run: in lanes, and one by one.
const WAVE: [u64; 2] = [1 << 26, 1 << 19];
/// A path's number has 40 bits.
const MOST_PATHS: u64 = 1 << 40;

/// How a run is watched and steered.
pub trait Control {
    /// So many paths are complete; `false` ends the run there, keeping them.
    fn proceed(&mut self, done: u64) -> bool {
        let _ = done;
        true
    }

    /// Whether final states are wanted.
    fn wants_states(&self) -> bool {
        false
    }

    /// The states of path `path` at the end, by points; in order of paths.
    fn states(&mut self, path: u64, states: &[State]) {
        let _ = (path, states);
    }
}

impl Control for () {}

/// A thread's worker and what it has seen.
struct ThreadState<'a> {
    worker: Worker<'a>,
    batch: usize,
    seen: Ensemble,
    looks: RowBuffer,
    durations: Vec<Durations>,
    /// States at the end with their paths.
    states: Vec<(u64, Vec<State>)>,
    error: Option<Error>,
}

/// Statistics of `paths` of `plan` on `threads` threads (0: all of the pool's; without the feature
/// `parallel` always one). Interrupted by `control`, it holds the paths completed until then.
///
/// # Errors
/// As [`Plan::check`], and what a path meets on the way.
pub fn run(
    plan: &Plan,
    paths: Range<u64>,
    threads: usize,
    control: &mut impl Control,
) -> Result<Ensemble, Error> {
    run_on(Instructions::best(), plan, paths, threads, control)
}

/// [`run`] with chosen instructions; the result is the same to the last bit.
pub(crate) fn run_on(
    on: Instructions,
    plan: &Plan,
    paths: Range<u64>,
    threads: usize,
    control: &mut impl Control,
) -> Result<Ensemble, Error> {
    plan.check()?;
    let count = paths.end as f64 - paths.start as f64;
    require("the number of paths", count, count > 0.0, "1 or more")?;
    let last = paths.end as f64;
    require("the number of the last path", last, paths.end <= MOST_PATHS, "2⁴⁰ or less")?;

    let steps = plan.steps()? as u64;
    let method = Method::new(plan, on)?;
    let threads = pool::threads(threads);
    let Some(pilot) = Pilot::run(plan, &method, threads, || control.proceed(0))? else {
        // Interrupted before it began.
        return Ok(Ensemble::empty(plan));
    };
    let mut result = Ensemble::new(plan, &pilot);
    let wants_states = control.wants_states();
    let batch = method.batch();
    let mut at_work: Vec<ThreadState<'_>> =
        (0..threads).map(|_| ThreadState::new(plan, &method, &result)).collect();
    let wave =
        batch * (WAVE[usize::from(batch == 1)] / steps).div_ceil(batch).max(at_work.len() as u64);
    let mut from = paths.start;
    while from < paths.end && control.proceed(from - paths.start) {
        let to = (from + wave).min(paths.end);
        run_wave(plan, &mut at_work, from..to, wants_states)?;
        if wants_states {
            let mut states: Vec<_> = at_work.iter_mut().flat_map(|h| h.states.drain(..)).collect();
            states.sort_by_key(|s| s.0);
            states.iter().for_each(|s| control.states(s.0, &s.1));
        }
        from = to;
    }
    control.proceed(from - paths.start);
    for thread in &mut at_work {
        thread.count(plan)?;
        result.absorb(&thread.seen);
        for (contact, d) in result.contacts.iter_mut().zip(&thread.durations) {
            contact.slip_steps.merge(d);
        }
    }
    result.include(paths.start..from);
    Ok(result)
}

/// Runs all of `paths`, in batches that the threads take one after the other.
fn run_wave(
    plan: &Plan,
    at_work: &mut [ThreadState<'_>],
    paths: Range<u64>,
    wants_states: bool,
) -> Result<(), Error> {
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    pool::each(at_work, |thread| {
        let batch = thread.batch as u64;
        while !stop.load(Ordering::Relaxed) {
            let first = paths.start + batch * next.fetch_add(1, Ordering::Relaxed);
            if first >= paths.end {
                break;
            }
            if let Err(e) = thread.run(plan, first, batch.min(paths.end - first), wants_states) {
                thread.error = Some(e);
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    at_work.iter_mut().find_map(|h| h.error.take()).map_or(Ok(()), Err)
}

impl<'a> ThreadState<'a> {
    /// At the beginning; `result` is what will be counted.
    fn new(plan: &Plan, method: &'a Method<'_>, result: &Ensemble) -> Self {
        let points = result.points.len();
        let contacts = result.contacts.len();
        let batch = method.batch() as usize;
        Self {
            worker: method.worker(),
            batch,
            seen: result.clone(),
            looks: RowBuffer::new(plan.rows, points, contacts, batch),
            durations: vec![Durations::default(); contacts],
            states: Vec::new(),
            error: None,
        }
    }

    fn run(&mut self, plan: &Plan, first: u64, count: u64, keep: bool) -> Result<(), Error> {
        let Self { worker, seen, looks, durations, states, .. } = self;
        let steps = plan.steps()? as f64;
        let mut finite = true;
        let mut whole = |w: &PathSummary| {
            finite &= w.states.iter().all(|u| u.x.is_finite() && u.v.is_finite());
            if finite {
                seen.whole(steps, plan.step, w);
            }
            if keep {
                states.push((w.path, w.states.clone()));
            }
        };
        worker.run(first, count, &mut Sink { looks, durations, whole: &mut whole })?;
        if !finite {
            return Err(Error::NotFinite { time: plan.problem.end, step: plan.step });
        }
        if self.looks.hold(count as usize, self.batch) { Ok(()) } else { self.count(plan) }
    }

    /// Counts what is held.
    fn count(&mut self, plan: &Plan) -> Result<(), Error> {
        match self.looks.count(&mut self.seen) {
            true => Ok(()),
            false => Err(Error::NotFinite { time: plan.problem.end, step: plan.step }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::model::{Oscillator, Place, Problem};
    use crate::scheme::stochastic::{self, PathId, Rule};
    use crate::signal::Signal;
    use crate::signal::noise::Noise;

    fn plan() -> Plan {
        let law = Law::static_dynamic(1.2, 1.0).unwrap();
        let shaw = Oscillator::new(1.0, 1.0, law).with_drive(Signal::harmonic(6.0, 0.5, 0.0));
        let ou = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 1.0, scale: 1.5 };
        let problem = Problem::new(shaw.starting_at(6.0, 0.0), 12.0).with_noise(Place::Drive, ou);
        Plan { level: Some(5.0), rows: 14, ..Plan::new(problem, 0.05, 42) }
    }

    /// Same bits on one thread and two, on every instruction set, in one part or merged from three cut
    /// anywhere, in any order.
    #[test]
    fn the_same_bits_however_it_is_run() {
        let plan = plan();
        let whole = run(&plan, 0..300, 1, &mut ()).unwrap();
        assert_eq!(whole, run(&plan, 0..300, 2, &mut ()).unwrap());
        for on in [Instructions::Portable, Instructions::Avx2, Instructions::Avx512] {
            if on.available() {
                assert_eq!(whole, run_on(on, &plan, 0..300, 0, &mut ()).unwrap());
            }
        }
        let part = |r: Range<u64>| run(&plan, r, 0, &mut ()).unwrap();
        let mut merged = part(101..137);
        merged.merge(&part(137..300)).unwrap();
        merged.merge(&part(0..101)).unwrap();
        assert_eq!(merged, whole);
        assert_eq!(
            (merged.count(), merged.paths().len(), merged.paths()[0].clone()),
            (300, 1, 0..300)
        );
    }

    /// Rows and histories are those of the paths computed one by one by the scalar reference.
    #[test]
    fn statistics_are_those_of_the_scalar_paths() {
        let plan = plan();
        let n = 70u64;
        let e = run(&plan, 0..n, 0, &mut ()).unwrap();
        let paths: Vec<Vec<State>> = (0..n)
            .map(|path| {
                let mut states = Vec::new();
                let id = PathId { seed: 42, path };
                stochastic::run(&plan.problem, id, 0.05, Rule::Theta, |_, u| states.push(u))
                    .unwrap();
                states
            })
            .collect();
        let ([point], [contact]) = (&e.points[..], &e.contacts[..]) else { panic!("one of each") };
        for (r, row) in point.rows.iter().enumerate() {
            let i = (plan.time_of_row(r) / 0.05).round() as usize;
            let mean = paths.iter().map(|p| p[i].x).sum::<f64>() / n as f64;
            let var = paths.iter().map(|p| (p[i].x - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
            assert!((row.x.mean() - mean).abs() < 1e-12, "{r}");
            assert!((row.x.variance() - var).abs() < 1e-12);
            let rest = paths.iter().filter(|p| p[i].v == 0.0).count();
            assert_eq!(contact.stick_fraction(r), rest as f64 / n as f64);
            let mut x: Vec<f64> = paths.iter().map(|p| p[i].x).collect();
            x.sort_unstable_by(f64::total_cmp);
            let spread = x[69] - x[0];
            assert!(
                (row.x.quantile(0.5) - 0.5 * (x[34] + x[35])).abs()
                    <= 0.5 * (x[35] - x[34]) + 1e-3 * spread
            );
        }
        let slid: f64 =
            paths.iter().map(|p| p.windows(2).map(|w| (w[1].x - w[0].x).abs()).sum::<f64>()).sum();
        assert!((contact.slid.mean() - slid / n as f64).abs() < 1e-10);
        let passed = paths.iter().filter(|p| p.iter().any(|u| u.x.abs() > 5.0)).count();
        assert_eq!(point.passage.count(), passed as u64);
    }

    #[test]
    fn interruption_keeps_what_is_complete_and_states_come_in_order() {
        #[derive(Default)]
        struct Stop(Vec<u64>);
        impl Control for Stop {
            fn proceed(&mut self, done: u64) -> bool {
                done == 0
            }
            fn wants_states(&self) -> bool {
                true
            }
            fn states(&mut self, path: u64, _: &[State]) {
                self.0.push(path);
            }
        }
        let long =
            Plan { rows: 2, problem: Problem { end: 120_000.0, ..plan().problem }, ..plan() };
        let mut stop = Stop::default();
        let part = run(&long, 5..10_000, 0, &mut stop).unwrap();
        let done = part.count();
        assert!(0 < done && done < 9995);
        assert_eq!((part.paths().len(), part.paths()[0].clone()), (1, 5..5 + done));
        assert!(stop.0.iter().copied().eq(5..5 + done));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let a = plan();
        let b = Plan { seed: 43, ..plan() };
        let part = |p: &Plan, r: Range<u64>| run(p, r, 1, &mut ());
        let mut first = part(&a, 0..10).unwrap();
        assert!(first.merge(&part(&b, 10..20).unwrap()).is_err());
        assert!(first.merge(&part(&a, 9..12).unwrap()).is_err());
        assert!(first.merge(&part(&a, 10..12).unwrap()).is_ok());
        assert!(part(&a, 3..3).is_err());
        assert!(part(&Plan { rows: 1, ..plan() }, 0..3).is_err());
        assert!(part(&Plan { step: -0.1, ..plan() }, 0..3).is_err());
        assert!(part(&Plan { level: Some(-1.0), ..plan() }, 0..3).is_err());
    }
}

//! What the first paths tell about where histograms should look.

use super::distribution::Frame;
use super::path_summary::PathSummary;
use super::plan::Plan;
use super::row_buffer::RowBuffer;
use super::sink::Sink;
use super::worker::{Method, Worker};
use crate::error::Error;
use crate::lanes::Durations;
use crate::study::parallel as pool;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many paths are looked at first.
const PATHS: u64 = 64;

/// Smallest and largest of some numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    low: f64,
    high: f64,
}

impl Default for Extent {
    fn default() -> Self {
        Self { low: f64::MAX, high: f64::MIN }
    }
}

impl Extent {
    fn add(&mut self, x: f64) {
        self.low = self.low.min(x);
        self.high = self.high.max(x);
    }

    fn join(&mut self, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }

    fn of(numbers: &[f64]) -> Self {
        let mut extent = Self::default();
        numbers.iter().for_each(|&x| extent.add(x));
        extent
    }

    /// Where to look.
    pub fn frame(&self) -> Frame {
        if self.low > self.high {
            Frame { from: 0.0, to: 0.0 }
        } else {
            Frame::around(self.low, self.high)
        }
    }
}

/// Displacement and velocity by rows.
pub(super) type Rows = Vec<(Extent, Extent)>;

/// Of one contact.
#[derive(Debug, Clone, Default)]
pub(super) struct Extents {
    pub slips: Extent,
    pub largest: Extent,
    pub slid: Extent,
    pub dissipated: Extent,
}

/// Of the first paths.
#[derive(Debug, Clone)]
pub(super) struct Pilot {
    pub points: Vec<Rows>,
    pub contacts: Vec<Extents>,
    pub dissipated: Extent,
}

impl Pilot {
    /// Of no paths.
    pub fn nothing(rows: usize, points: usize, contacts: usize) -> Self {
        let none = vec![(Extent::default(), Extent::default()); rows];
        let contacts = vec![Extents::default(); contacts];
        Self { points: vec![none; points], contacts, dissipated: Extent::default() }
    }

    /// Runs paths 0 to 63 on `threads` threads, or gives up when `proceed` says no.
    pub fn run(
        plan: &Plan,
        method: &Method<'_>,
        threads: usize,
        mut proceed: impl FnMut() -> bool,
    ) -> Result<Option<Self>, Error> {
        // Without noise they are all the same.
        let piece = method.least();
        let paths = if plan.problem.noises.is_empty() { piece } else { PATHS };
        let mut threads_at_work: Vec<ThreadState<'_>> =
            (0..threads).map(|_| ThreadState::new(plan, method)).collect();
        let mut from = 0;
        while from < paths {
            if !proceed() {
                return Ok(None);
            }
            // A piece for each thread.
            let to = (from + piece * threads as u64).min(paths);
            let next = AtomicU64::new(from);
            pool::each(&mut threads_at_work, |thread| {
                let first = next.fetch_add(piece, Ordering::Relaxed);
                if first < to {
                    thread.run(first, piece.min(to - first));
                }
            });
            from = to;
        }
        let points = plan.problem.points().len();
        let contacts = plan.problem.contacts().len();
        let mut all = Self::nothing(plan.rows, points, contacts);
        for thread in threads_at_work {
            all.join(&thread.finish(plan)?);
        }
        let finite = |e: &Extent| e.low.is_finite() && e.high.is_finite();
        if !all.points.iter().flatten().all(|(x, v)| finite(x) && finite(v)) {
            return Err(Error::NotFinite { time: plan.problem.end, step: plan.step });
        }
        Ok(Some(all))
    }

    fn join(&mut self, other: &Self) {
        let rows = self.points.iter_mut().flatten().zip(other.points.iter().flatten());
        rows.for_each(|(a, b)| {
            a.0.join(&b.0);
            a.1.join(&b.1);
        });
        for (a, b) in self.contacts.iter_mut().zip(&other.contacts) {
            a.slips.join(&b.slips);
            a.largest.join(&b.largest);
            a.slid.join(&b.slid);
            a.dissipated.join(&b.dissipated);
        }
        self.dissipated.join(&other.dissipated);
    }
}

/// What one thread has seen.
struct ThreadState<'a> {
    worker: Worker<'a>,
    looks: RowBuffer,
    durations: Vec<Durations>,
    seen: Pilot,
    error: Option<Error>,
}

impl<'a> ThreadState<'a> {
    fn new(plan: &Plan, method: &'a Method<'_>) -> Self {
        let points = plan.problem.points().len();
        let contacts = plan.problem.contacts().len();
        Self {
            worker: method.worker(),
            looks: RowBuffer::new(plan.rows, points, contacts, PATHS as usize),
            durations: vec![Durations::default(); contacts],
            seen: Pilot::nothing(plan.rows, points, contacts),
            error: None,
        }
    }

    fn run(&mut self, first: u64, count: u64) {
        let Self { worker, looks, durations, seen, error } = self;
        let mut observe = |w: &PathSummary| {
            seen.dissipated.add(w.dissipated());
            for (e, c) in seen.contacts.iter_mut().zip(&w.contacts) {
                e.slips.add(c.slips as f64);
                e.largest.add(c.largest);
                e.slid.add(c.slid);
                e.dissipated.add(c.dissipated);
            }
        };
        match worker.run(first, count, &mut Sink { looks, durations, whole: &mut observe }) {
            Ok(()) => {
                looks.hold(count as usize, 0);
            }
            Err(e) => *error = Some(e),
        }
    }

    fn finish(mut self, plan: &Plan) -> Result<Pilot, Error> {
        if let Some(e) = self.error {
            return Err(e);
        }
        for (p, rows) in self.seen.points.iter_mut().enumerate() {
            for (r, row) in rows.iter_mut().enumerate().take(plan.rows) {
                let (x, v) = self.looks.column(r, p);
                *row = (Extent::of(x), Extent::of(v));
            }
        }
        Ok(self.seen)
    }
}

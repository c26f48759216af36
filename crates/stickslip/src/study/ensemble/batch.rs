//! Sixty-four paths at a time.

use super::plan::Plan;
use crate::error::Error;
use crate::lanes::Instructions;
use crate::lanes::oscillators::{Constants, LANES, Paths, advance, make};
use crate::scheme::stochastic::{Gust, Load, Strands};
use crate::signal::noise::{CHUNK, Group};

/// Groups in a batch: the known part of the load is computed once for all of them.
const GROUPS: usize = 4;
/// Paths in a batch.
pub(super) const BATCH: u64 = (GROUPS * LANES) as u64;

/// Longest table of the known load, in chunks: a megabyte.
const LONGEST_TABLE: u64 = (1 << 17) / CHUNK as u64;

/// The known load of all chunks, if that is not too long; otherwise every batch makes it again.
pub(super) fn table(load: &Load, steps: usize) -> Vec<[f64; CHUNK]> {
    let chunks = steps.div_ceil(CHUNK) as u64;
    let mut known = load.known();
    let chunks = if chunks <= LONGEST_TABLE { chunks } else { 0 };
    (0..chunks).map(|chunk| *known.chunk(chunk)).collect()
}

/// What one path is at a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub x: f64,
    pub v: f64,
    pub rest: bool,
}

/// What one path has been, at its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Whole {
    pub path: u64,
    pub x: f64,
    pub v: f64,
    /// In steps.
    pub stick: f64,
    pub slips: f64,
    pub largest: f64,
    pub slid: f64,
    /// In steps; +∞ for never.
    pub passage: f64,
}

/// Computes batches; keeps its memory from one to the next.
#[derive(Debug)]
pub(super) struct Worker<'a> {
    plan: &'a Plan,
    load: &'a Load,
    table: &'a [[f64; CHUNK]],
    constants: Constants,
    steps: u64,
    on: Instructions,
    groups: Vec<(Strands<LANES>, Paths)>,
    gust: Box<Gust<LANES>>,
}

impl<'a> Worker<'a> {
    pub fn new(
        plan: &'a Plan,
        load: &'a Load,
        table: &'a [[f64; CHUNK]],
        on: Instructions,
    ) -> Result<Self, Error> {
        let level = plan.level.unwrap_or(f64::INFINITY);
        let constants = Constants::new(&plan.model, load, plan.rule, level);
        let start = Paths::new(&plan.model, level);
        let groups = (0..GROUPS).map(|_| (load.strands(), start)).collect();
        Ok(Self {
            plan,
            load,
            table,
            constants,
            steps: plan.steps()? as u64,
            on,
            groups,
            gust: Box::new(Gust::new()),
        })
    }

    /// Runs paths `first` … `first + count − 1`, at most 64: `look` sees each at each row, `whole` each
    /// at its end.
    pub fn run(
        &mut self,
        first: u64,
        count: u64,
        mut look: impl FnMut(usize, Look),
        mut whole: impl FnMut(Whole),
    ) {
        let level = self.plan.level.unwrap_or(f64::INFINITY);
        let used = (count as usize).div_ceil(LANES);
        let start = Paths::new(&self.plan.model, level);
        self.groups.iter_mut().for_each(|g| g.1 = start);
        let mut show = |row: usize, g: usize, p: &Paths| {
            let here = (count as usize - g * LANES).min(LANES);
            for l in 0..here {
                look(row, Look { x: p.x[l], v: p.v[l], rest: p.rest[l] != 0.0 });
            }
        };
        for g in 0..used {
            show(0, g, &start);
        }
        let mut known = self.load.known();
        let mut row = 1; // the next
        for chunk in 0..self.steps.div_ceil(CHUNK as u64) {
            let known = match self.table.get(chunk as usize) {
                Some(known) => known,
                None => known.chunk(chunk),
            };
            let from = chunk * CHUNK as u64;
            let to = (from + CHUNK as u64).min(self.steps);
            let mut after = row;
            for (g, (strands, paths)) in self.groups[..used].iter_mut().enumerate() {
                let path = first + (g * LANES) as u64;
                let group =
                    Group { seed: self.plan.seed, paths: std::array::from_fn(|l| path + l as u64) };
                make(self.on, self.load, &group, chunk, strands, &mut self.gust);
                let mut at = from;
                after = row;
                loop {
                    let stop = self.plan.step_of_row(after, self.steps as usize).min(to);
                    let steps = (at - from) as usize..(stop - from) as usize;
                    advance(self.on, &self.constants, known, &self.gust, from, steps, paths);
                    at = stop;
                    if after >= self.plan.rows
                        || self.plan.step_of_row(after, self.steps as usize) > to
                    {
                        break;
                    }
                    show(after, g, paths);
                    after += 1;
                }
            }
            row = after;
        }
        for (g, (_, p)) in self.groups[..used].iter().enumerate() {
            for l in 0..(count as usize - g * LANES).min(LANES) {
                whole(Whole {
                    path: first + (g * LANES + l) as u64,
                    x: p.x[l],
                    v: p.v[l],
                    stick: p.stick[l],
                    slips: p.slips[l],
                    largest: p.largest[l],
                    slid: p.slid[l],
                    passage: p.passage[l],
                });
            }
        }
    }
}

//! Sixty-four paths of a plain oscillator at a time.

use super::path_summary::{Counted, PathSummary};
use super::plan::Plan;
use super::row_buffer::RowBuffer;
use super::sink::Sink;
use crate::error::Error;
use crate::lanes::Instructions;
use crate::lanes::oscillators::{Constants, LANES, Pass, Paths, Slips, advance};
use crate::model::NoisyOscillator;
use crate::motion::State;
use crate::scheme::stochastic::{Load, NoiseChunk, NoiseStates};
use crate::signal::noise::{CHUNK, Group};

/// Groups in a batch: the known part of the load is computed once for all of them.
const GROUPS: usize = 4;
/// Paths in a batch.
pub(super) const BATCH: u64 = (GROUPS * LANES) as u64;

/// Longest table of the known load, in chunks: a megabyte.
const LONGEST_TABLE: u64 = (1 << 17) / CHUNK as u64;

/// What all threads share.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    plan: &'a Plan,
    model: NoisyOscillator<'a>,
    load: Load,
    /// The known load of all chunks, if that is not too long; otherwise every batch makes it again.
    table: Vec<[f64; CHUNK]>,
    steps: u64,
    on: Instructions,
}

impl<'a> Shared<'a> {
    pub fn new(
        plan: &'a Plan,
        model: NoisyOscillator<'a>,
        on: Instructions,
    ) -> Result<Self, Error> {
        let load = Load::new(&model, plan.step, plan.rule)?;
        let steps = plan.steps()? as u64;
        let chunks = steps.div_ceil(CHUNK as u64);
        let mut known = load.known();
        let chunks = if chunks <= LONGEST_TABLE { chunks } else { 0 };
        let table = (0..chunks).map(|chunk| *known.chunk(chunk)).collect();
        Ok(Self { plan, model, load, table, steps, on })
    }
}

/// Computes batches; keeps its memory from one to the next.
#[derive(Debug)]
pub(super) struct Lanes<'a> {
    shared: &'a Shared<'a>,
    constants: Constants,
    groups: Vec<Members>,
    noise: Box<NoiseChunk<LANES>>,
}

/// The paths of one group.
#[derive(Debug)]
struct Members {
    states_of_noise: NoiseStates<LANES>,
    paths: Paths,
    slips: Slips,
}

impl<'a> Lanes<'a> {
    pub fn new(shared: &'a Shared<'a>) -> Self {
        let level = shared.plan.level.unwrap_or(f64::INFINITY);
        let constants = Constants::new(&shared.model, &shared.load, shared.plan.rule, level);
        let paths = Paths::new(&shared.model, level);
        let members = || Members {
            states_of_noise: shared.load.states_of_noise(),
            paths,
            slips: Slips::new(),
        };
        let groups = (0..GROUPS).map(|_| members()).collect();
        Self { shared, constants, groups, noise: Box::new(NoiseChunk::new()) }
    }

    /// Runs paths `first` … `first + count − 1`, at most 64.
    pub fn run(&mut self, first: u64, count: u64, sink: &mut Sink<'_>) {
        let Shared { plan, model, load, table, steps, on } = self.shared;
        let count = count as usize;
        let steps = *steps;
        let used = count.div_ceil(LANES);
        let start = Paths::new(model, plan.level.unwrap_or(f64::INFINITY));
        for (g, members) in self.groups[..used].iter_mut().enumerate() {
            members.paths = start;
            members.slips.restart((count - g * LANES).min(LANES));
            show(sink.looks, 0, g, members);
        }
        let mut known = load.known();
        let mut row = 1; // the next
        for chunk in 0..steps.div_ceil(CHUNK as u64) {
            let known = match table.get(chunk as usize) {
                Some(known) => known,
                None => known.chunk(chunk),
            };
            let from = chunk * CHUNK as u64;
            let to = (from + CHUNK as u64).min(steps);
            let mut after = row;
            for (g, members) in self.groups[..used].iter_mut().enumerate() {
                let path = first + (g * LANES) as u64;
                let group =
                    Group { seed: plan.seed, paths: std::array::from_fn(|l| path + l as u64) };
                load.make(*on, &group, chunk, &mut members.states_of_noise, &mut self.noise);
                let mut at = from;
                after = row;
                loop {
                    let next = plan.step_of_row(after, steps as usize);
                    let stop = next.min(to);
                    let part = (at - from) as usize..(stop - from) as usize;
                    let Members { paths, slips, .. } = members;
                    let pass = Pass {
                        constants: &self.constants,
                        known,
                        load: &self.noise,
                        first: from,
                        steps: part,
                        paths,
                        slips,
                    };
                    advance(*on, pass);
                    at = stop;
                    if after >= plan.rows || next > to {
                        break;
                    }
                    show(sink.looks, after, g, members);
                    after += 1;
                }
            }
            row = after;
        }
        self.finish(first, used, sink);
    }

    /// Shows the whole of each path of the groups that were `used`.
    fn finish(&mut self, first: u64, used: usize, sink: &mut Sink<'_>) {
        let sliding = self.shared.model.oscillator.friction.sliding();
        let mut whole = PathSummary::default();
        for (g, Members { paths, slips, .. }) in self.groups[..used].iter_mut().enumerate() {
            slips.finish(&self.constants, paths, self.shared.steps);
            for l in 0..slips.used {
                let counted = Counted {
                    moving: slips.moving[l],
                    slips: slips.count[l],
                    largest: slips.largest[l],
                    slid: paths.slid[l],
                    dissipated: sliding * paths.slid[l],
                };
                whole.path = first + (g * LANES + l) as u64;
                whole.states = vec![State { x: paths.x[l], v: paths.v[l] }];
                whole.passages = vec![paths.passage[l]];
                whole.contacts = vec![counted];
                (sink.whole)(&whole);
            }
            sink.durations[0].merge(&std::mem::take(&mut slips.durations));
        }
    }
}

/// Group `g` at a row.
fn show(looks: &mut RowBuffer, row: usize, g: usize, Members { paths, slips, .. }: &Members) {
    let mut resting = 0;
    for l in 0..slips.used {
        looks.put(row, 0, g * LANES + l, State { x: paths.x[l], v: paths.v[l] });
        resting += u64::from(paths.rest[l] != 0.0);
    }
    looks.rest(row, 0, resting);
}

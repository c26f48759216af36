//! Oscillators with different numbers side by side: [the Euler scheme](crate::scheme::oscillator::euler) in every
//! lane, to the last bit, with what a sweep wants to know.
//!
//! One step waits for the one before, and sixteen lanes leave a processor idle most of that time: up to four blocks of
//! sixteen go through each step together. The loads are evaluated before they are used, for many steps at once.

use super::{Instructions, Kernel, dispatch};
use crate::grid::step_count;
use crate::model::Oscillator;
use crate::motion::State;
use crate::signal::{Cursor, Signal};

/// Oscillators that go through a step together, at most.
pub(crate) const LANES: usize = 64;
/// Those that stand together in memory: two vectors of the widest kind.
const WIDTH: usize = 16;
/// Steps whose loads are made before they are used: they stay in the cache.
const STEPS: usize = 64;

type Lane = [f64; WIDTH];

/// What is counted of one motion.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counted {
    /// State after the last step.
    pub last: State,
    /// Slips that a stick came before.
    pub slips: u64,
    /// Steps in stick.
    pub stick: u64,
    /// Σ|X⁺ − X|, m.
    pub slid: f64,
}

/// Advances 1 to [`LANES`] oscillators with two constant forces (f_s, f_d) on resting ground and
/// under linear loads: callers check that.
pub(crate) fn run(on: Instructions, models: &[&Oscillator], end: f64, h: f64) -> Vec<Counted> {
    let Ok(count) = step_count(end, h) else { return Vec::new() };
    let mut blocks: Vec<Block> = models.chunks(WIDTH).map(|m| Block::new(m, h)).collect();
    let mut drive = Load::new(models.iter().map(|o| &o.drive));
    let mut force = Load::new(models.iter().map(|o| &o.force));
    let shared = drive.is_shared() && force.is_shared();
    for from in (0..count).step_by(STEPS) {
        let times = Times { first: from as u64, steps: STEPS.min(count - from), h };
        drive.make(on, times, (!shared).then_some(models.len()));
        force.make(on, times, (!shared).then_some(models.len()));
        let march = March { times, drive: &drive, force: &force, blocks: &mut blocks };
        if shared {
            dispatch(on, Shared(march));
        } else {
            dispatch(on, Each(march));
        }
    }
    (0..models.len()).map(|i| blocks[i / WIDTH].counted(i % WIDTH)).collect()
}

/// Some steps of a run: number of the first, how many, and how long (s) each is.
#[derive(Clone, Copy)]
struct Times {
    first: u64,
    steps: usize,
    h: f64,
}

/// Sixteen oscillators: their numbers, states and counts; counts are whole numbers of steps.
struct Block {
    k: Lane,
    c: Lane,
    h_over_m: Lane,
    /// (h/m) f_s and (h/m) f_d.
    limit: Lane,
    sliding: Lane,
    x: Lane,
    v: Lane,
    /// 1 where the last step was a stick.
    stuck: Lane,
    stick: Lane,
    slips: Lane,
    slid: Lane,
}

impl Block {
    /// At the start; lanes left over follow the last model.
    fn new(models: &[&Oscillator], h: f64) -> Self {
        let lane = |value: &dyn Fn(&Oscillator) -> f64| -> Lane {
            std::array::from_fn(|l| value(models[l.min(models.len() - 1)]))
        };
        let none = [0.0; WIDTH];
        Self {
            k: lane(&|o| o.stiffness),
            c: lane(&|o| o.damping),
            h_over_m: lane(&|o| h / o.mass),
            limit: lane(&|o| h / o.mass * o.friction.breakaway()),
            sliding: lane(&|o| h / o.mass * o.friction.sliding()),
            x: lane(&|o| o.initial.displacement),
            v: lane(&|o| o.initial.velocity),
            // At rest it sticks, for counting, until it slips; where it moves from the start the first step is that of a slip.
            stuck: [1.0; WIDTH],
            stick: none,
            slips: none,
            slid: none,
        }
    }

    fn counted(&self, l: usize) -> Counted {
        Counted {
            last: State { x: self.x[l], v: self.v[l] },
            slips: self.slips[l] as u64,
            stick: self.stick[l] as u64,
            slid: self.slid[l],
        }
    }

    /// X⁺ = X + h V;  p = V + (h/m) b;  V⁺ = 0 if |p| ≤ (h/m) f_s, else p − (h/m) f_d sign p;  with the
    /// drive and the force of lane l.
    #[inline(always)]
    fn step(&mut self, h: f64, drive: impl Fn(usize) -> f64, force: impl Fn(usize) -> f64) {
        for l in 0..WIDTH {
            let x = self.x[l];
            let v = self.v[l];
            let b = self.k[l] * (drive(l) - x) - self.c[l] * v + force(l);
            let p = v + self.h_over_m[l] * b;
            let slipping = p - self.sliding[l].copysign(p);
            let new_v = if p.abs() <= self.limit[l] { 0.0 } else { slipping };
            let slide = h * v;
            let stuck = if v == 0.0 && new_v == 0.0 { 1.0 } else { 0.0 };
            self.stick[l] += stuck;
            self.slips[l] += if stuck < self.stuck[l] { 1.0 } else { 0.0 };
            self.slid[l] += slide.abs();
            (self.x[l], self.v[l], self.stuck[l]) = (x + slide, new_v, stuck);
        }
    }
}

/// A signal of each oscillator at some steps; one that all share is read once.
struct Load<'a> {
    cursors: Vec<Cursor<'a>>,
    /// Of all oscillators, or of the one that was read last.
    one: [f64; STEPS],
    /// By blocks, and within them by steps; empty where one is enough.
    lanes: Vec<[Lane; STEPS]>,
}

impl<'a> Load<'a> {
    fn new(signals: impl Iterator<Item = &'a Signal> + Clone) -> Self {
        let first = signals.clone().next();
        let shared = signals.clone().all(|s| Some(s) == first);
        let read = if shared { 1 } else { LANES };
        let cursors = signals.take(read).map(Signal::cursor).collect();
        Self { cursors, one: [0.0; STEPS], lanes: Vec::new() }
    }

    fn is_shared(&self) -> bool {
        self.cursors.len() == 1
    }

    /// The values at the next steps, in the lanes of so many oscillators if they are wanted there.
    fn make(&mut self, on: Instructions, times: Times, lanes: Option<usize>) {
        let blocks = lanes.map_or(0, |n| n.div_ceil(WIDTH));
        self.lanes.resize(blocks, [[0.0; WIDTH]; STEPS]);
        let shared = self.is_shared();
        let one = &mut self.one[..times.steps];
        for (i, cursor) in self.cursors.iter_mut().enumerate() {
            cursor.fill(on, times.first as f64, times.h, one);
            if shared {
                let spread = |block: &mut [Lane; STEPS]| {
                    block.iter_mut().zip(&*one).for_each(|(lane, &x)| *lane = [x; WIDTH]);
                };
                self.lanes.iter_mut().for_each(spread);
            } else if let Some(block) = self.lanes.get_mut(i / WIDTH) {
                block.iter_mut().zip(&*one).for_each(|(lane, &x)| lane[i % WIDTH] = x);
            }
        }
    }
}

struct March<'a> {
    times: Times,
    drive: &'a Load<'a>,
    force: &'a Load<'a>,
    blocks: &'a mut [Block],
}

/// All lanes have the same loads.
struct Shared<'a>(March<'a>);

impl Kernel for Shared<'_> {
    #[inline(always)]
    fn run(self) {
        let March { times, drive, force, blocks } = self.0;
        for (&d, &f) in drive.one.iter().zip(&force.one).take(times.steps) {
            blocks.iter_mut().for_each(|b| b.step(times.h, |_| d, |_| f));
        }
    }
}

/// Each lane has its own.
struct Each<'a>(March<'a>);

impl Kernel for Each<'_> {
    #[inline(always)]
    fn run(self) {
        let March { times, drive, force, blocks } = self.0;
        for n in 0..times.steps {
            for ((b, d), f) in blocks.iter_mut().zip(&drive.lanes).zip(&force.lanes) {
                b.step(times.h, |l| d[n][l], |l| f[n][l]);
            }
        }
    }
}

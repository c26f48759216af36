//! Oscillators with different numbers side by side: [the Euler scheme](crate::scheme::oscillator::euler) in every
//! lane, to the last bit, with what a sweep wants to know.

use super::oscillators::LANES;
use super::{Instructions, Kernel, dispatch};
use crate::grid::step_count;
use crate::model::Oscillator;
use crate::motion::State;
use crate::signal::Signal;

type Lane = [f64; LANES];

/// Steps whose loads are made before they are used: they stay in the cache.
const BLOCK: usize = 256;

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

/// The numbers of a group.
struct Constants {
    h: f64,
    k: Lane,
    c: Lane,
    h_over_m: Lane,
    /// (h/m) f_s and (h/m) f_d.
    limit: Lane,
    sliding: Lane,
}

/// States and counts; counts are whole numbers of steps.
#[derive(Clone, Copy)]
struct Group {
    x: Lane,
    v: Lane,
    /// 1 where the last step was a stick.
    stuck: Lane,
    stick: Lane,
    slips: Lane,
    slid: Lane,
}

/// Advances 1 to [`LANES`] oscillators with two constant forces (f_s, f_d) on resting ground and
/// under linear loads: callers check that.
pub(crate) fn run(on: Instructions, models: &[&Oscillator], end: f64, step: f64) -> Vec<Counted> {
    let Ok(count) = step_count(end, step) else { return Vec::new() };
    // Lanes left over follow the last model.
    let of = |l: usize| models[l.min(models.len() - 1)];
    let lane =
        |value: &dyn Fn(&Oscillator) -> f64| -> Lane { std::array::from_fn(|l| value(of(l))) };
    let h_over_m = lane(&|o| step / o.mass);
    let constants = Constants {
        h: step,
        k: lane(&|o| o.stiffness),
        c: lane(&|o| o.damping),
        h_over_m,
        limit: lane(&|o| step / o.mass * o.friction.breakaway()),
        sliding: lane(&|o| step / o.mass * o.friction.sliding()),
    };
    let mut group = Group {
        x: lane(&|o| o.initial.displacement),
        v: lane(&|o| o.initial.velocity),
        stuck: [0.0; LANES],
        stick: [0.0; LANES],
        slips: [0.0; LANES],
        slid: [0.0; LANES],
    };
    let drives: Vec<&Signal> = (0..LANES).map(|l| &of(l).drive).collect();
    let forces: Vec<&Signal> = (0..LANES).map(|l| &of(l).force).collect();
    let (mut drives, mut forces) = (Loads::new(&drives), Loads::new(&forces));
    for from in (0..count).step_by(BLOCK) {
        let steps = BLOCK.min(count - from);
        drives.fill(from, steps, step);
        forces.fill(from, steps, step);
        let (drive, force) = (&drives.values[..steps], &forces.values[..steps]);
        dispatch(on, March { constants: &constants, drive, force, group: &mut group });
    }
    (0..models.len())
        .map(|l| Counted {
            last: State { x: group.x[l], v: group.v[l] },
            slips: group.slips[l] as u64,
            stick: group.stick[l] as u64,
            slid: group.slid[l],
        })
        .collect()
}

/// Signals of the lanes, read step by step; one that all share is read once.
struct Loads<'a> {
    cursors: Vec<crate::signal::Cursor<'a>>,
    values: Vec<Lane>,
}

impl<'a> Loads<'a> {
    fn new(signals: &[&'a Signal]) -> Self {
        let shared = signals.iter().all(|s| *s == signals[0]);
        let read = if shared { &signals[..1] } else { signals };
        let cursors = read.iter().map(|s| s.cursor()).collect();
        Self { cursors, values: vec![[0.0; LANES]; BLOCK] }
    }

    fn fill(&mut self, from: usize, steps: usize, h: f64) {
        for (i, values) in self.values[..steps].iter_mut().enumerate() {
            let t = (from + i) as f64 * h;
            if let [one] = self.cursors.as_mut_slice() {
                *values = [one.value(t); LANES];
            } else {
                values.iter_mut().zip(&mut self.cursors).for_each(|(v, c)| *v = c.value(t));
            }
        }
    }
}

struct March<'a> {
    constants: &'a Constants,
    drive: &'a [Lane],
    force: &'a [Lane],
    group: &'a mut Group,
}

impl Kernel for March<'_> {
    /// X⁺ = X + h V;  p = V + (h/m) b;  V⁺ = 0 if |p| ≤ (h/m) f_s, else p − (h/m) f_d sign p.
    #[inline(always)]
    fn run(self) {
        let Constants { h, k, c, h_over_m, limit, sliding } = self.constants;
        let mut s = *self.group;
        for (d, f) in self.drive.iter().zip(self.force) {
            for l in 0..LANES {
                let (x, v) = (s.x[l], s.v[l]);
                let b = k[l] * (d[l] - x) - c[l] * v + f[l];
                let p = v + h_over_m[l] * b;
                let slipping = p - sliding[l].copysign(p);
                let new_v = if p.abs() <= limit[l] { 0.0 } else { slipping };
                let slide = h * v;
                let stuck = if v == 0.0 && new_v == 0.0 { 1.0 } else { 0.0 };
                s.stick[l] += stuck;
                s.slips[l] += if stuck < s.stuck[l] { 1.0 } else { 0.0 };
                s.slid[l] += slide.abs();
                (s.x[l], s.v[l], s.stuck[l]) = (x + slide, new_v, stuck);
            }
        }
        *self.group = s;
    }
}

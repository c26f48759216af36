//! Noisy oscillators side by side: [`scheme::stochastic::run`](crate::scheme::stochastic::run) in
//! every lane, to the last bit, with what an ensemble wants to know about each path.

use super::{Durations, Instructions, Kernel, dispatch, dispatch_narrow};
use crate::model::NoisyOscillator;
use crate::scheme::oscillator::theta_step::ThetaStep;
use crate::scheme::stochastic::{Load, NoiseChunk, Rule, sign};
use crate::signal::noise::CHUNK;
use std::ops::Range;

/// Paths in one group: two vectors of the widest kind, so that one works while the other waits.
pub(crate) const LANES: usize = 16;

type Lane = [f64; LANES];

/// The numbers of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Constants {
    h: f64,
    k: f64,
    c: f64,
    h_over_m: f64,
    inverse_mass: f64,
    /// Of the θ-method, where the rule is that.
    middle: ThetaStep,
    /// Velocities that f_s and f_d give in a step, m/s.
    limit: f64,
    sliding: f64,
    /// |x| to be passed, m.
    level: f64,
    variant: Variant,
}

/// How a step is made: by the kernel's number.
const THETA: u8 = 0;
const EULER: u8 = 1;
const SIGN: u8 = 2;

/// What the kernel must look at. The common cases have kernels of their own; the others look at
/// everything, for impulses and velocities of 0 change nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Variant {
    method: u8,
    impulse: bool,
    support: bool,
    level: bool,
}

impl Constants {
    pub fn new(model: &NoisyOscillator<'_>, load: &Load, rule: Rule, level: f64) -> Self {
        let o = model.oscillator;
        let h_over_m = load.step / o.mass;
        let middle = ThetaStep::new(o, load.step, rule.theta().unwrap_or(0.5));
        let (method, lambda) = match rule {
            Rule::Theta | Rule::ImplicitEuler => (THETA, middle.push),
            Rule::Euler => (EULER, h_over_m),
            Rule::ExplicitSign => (SIGN, h_over_m),
        };
        // Two constant forces: other laws do not go in lanes.
        let f_s = o.friction.breakaway();
        let f_d = o.friction.sliding();
        Self {
            h: load.step,
            k: o.stiffness,
            c: o.damping,
            h_over_m,
            inverse_mass: 1.0 / o.mass,
            middle,
            limit: lambda * f_s,
            sliding: lambda * f_d,
            level,
            variant: Variant {
                method,
                impulse: load.has_impulses(),
                support: load.has_support(),
                level: level < f64::INFINITY,
            },
        }
    }
}

/// The paths of one group: states, and what is counted in every step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paths {
    pub x: Lane,
    pub v: Lane,
    /// 1 where the contact is at rest now.
    pub rest: Lane,
    /// 1 where the last step was a stick.
    stuck: Lane,
    /// ∫ w dt of the sliding velocity w, m; where that is ẋ, x stands for it.
    y: Lane,
    /// ∫ |w| dt, m.
    pub slid: Lane,
    /// Sliding up to the end of the last stick, m, and number of that step (−∞: it slid from the start);
    /// written when a slip is under way.
    from: Lane,
    began: Lane,
    /// First n with |X_n| > level (+∞: none yet).
    pub passage: Lane,
}

/// What is counted when a slip ends, which is seldom.
#[derive(Debug, Clone)]
pub(crate) struct Slips {
    /// How many of the lanes are paths.
    pub used: usize,
    /// Slips, that which a path begins in among them.
    pub count: [u64; LANES],
    /// Steps that were not stick.
    pub moving: [u64; LANES],
    /// Largest magnitude of a slip, from one stick to the next or to the end, m.
    pub largest: Lane,
    /// Durations of those that have ended.
    pub durations: Durations,
}

impl Slips {
    /// None yet.
    pub fn new() -> Self {
        let durations = Durations::default();
        Self {
            used: LANES,
            count: [0; LANES],
            moving: [0; LANES],
            largest: [0.0; LANES],
            durations,
        }
    }

    /// For the next paths; their durations are added to the ones there are.
    pub fn restart(&mut self, used: usize) {
        (self.used, self.count, self.moving) = (used, [0; LANES], [0; LANES]);
        self.largest = [0.0; LANES];
    }

    /// Slips that ended with step `number`, the first stick after them, if there are any: of way `y − from`.
    fn count_ended(&mut self, s: &Paths, was: &Lane, y: &Lane, number: u64) {
        for l in (0..self.used).filter(|&l| s.stuck[l] > was[l]) {
            self.largest[l] = self.largest[l].max((y[l] - s.from[l]).abs());
            let steps = number - 1 - s.began[l] as u64;
            self.moving[l] += steps;
            self.count[l] += 1;
            self.durations.add(steps);
        }
    }

    /// The run is over after `steps`: a slip under way is counted with its way so far, but how long it lasts is not known.
    pub fn finish(&mut self, constants: &Constants, paths: &Paths, steps: u64) {
        let y = if constants.variant.support { &paths.y } else { &paths.x };
        for l in (0..self.used).filter(|&l| paths.stuck[l] == 0.0) {
            let began = paths.began[l] as u64;
            self.moving[l] += steps - began;
            self.count[l] += u64::from(began < steps);
            self.largest[l] = self.largest[l].max((y[l] - paths.from[l]).abs());
        }
    }
}

impl Paths {
    /// At t = 0.
    pub fn new(model: &NoisyOscillator<'_>, level: f64) -> Self {
        let start = model.oscillator.initial;
        let zero = [0.0; LANES];
        let beyond = if start.displacement.abs() > level { 0.0 } else { f64::INFINITY };
        // A path at rest at the start sticks, for counting, until it slips.
        let rests = start.velocity == 0.0;
        Self {
            x: [start.displacement; LANES],
            v: [start.velocity; LANES],
            rest: [flag(rests); LANES],
            stuck: [flag(rests); LANES],
            y: [start.displacement; LANES],
            slid: zero,
            from: [start.displacement; LANES],
            began: zero,
            passage: [beyond; LANES],
        }
    }
}

#[inline(always)]
fn flag(b: bool) -> f64 {
    if b { 1.0 } else { 0.0 }
}

/// Advances the paths of `pass`.
pub(crate) fn advance(on: Instructions, pass: Pass<'_>) {
    let Variant { method, impulse, support, level } = pass.constants.variant;
    match (method, impulse, support, level) {
        (THETA, false, false, false) => dispatch(on, March::<THETA, false, false, false>(pass)),
        (THETA, true, false, false) => dispatch(on, March::<THETA, true, false, false>(pass)),
        (THETA, _, _, _) => dispatch_narrow(on, March::<THETA, true, true, true>(pass)),
        (EULER, false, false, false) => dispatch(on, March::<EULER, false, false, false>(pass)),
        (EULER, true, false, false) => dispatch(on, March::<EULER, true, false, false>(pass)),
        (EULER, _, _, _) => dispatch_narrow(on, March::<EULER, true, true, true>(pass)),
        _ => dispatch_narrow(on, March::<SIGN, true, true, true>(pass)),
    }
}

/// Some steps of one chunk, for the paths of one group.
pub(crate) struct Pass<'a> {
    pub constants: &'a Constants,
    /// The load that is known, N, at the steps of the chunk, and its noise.
    pub known: &'a [f64; CHUNK],
    pub load: &'a NoiseChunk<LANES>,
    /// The number of the chunk's first step in the run.
    pub first: u64,
    /// Which steps of the chunk.
    pub steps: Range<usize>,
    pub paths: &'a mut Paths,
    pub slips: &'a mut Slips,
}

struct March<'a, const METHOD: u8, const IMPULSE: bool, const SUPPORT: bool, const LEVEL: bool>(
    Pass<'a>,
);

impl<const METHOD: u8, const IMPULSE: bool, const SUPPORT: bool, const LEVEL: bool> Kernel
    for March<'_, METHOD, IMPULSE, SUPPORT, LEVEL>
{
    #[inline(always)]
    fn run(self) {
        let Pass { constants, known, load, first, steps, paths, slips } = self.0;
        let Constants { h, k, c, h_over_m, inverse_mass, middle, limit, sliding, level, .. } =
            *constants;
        let mut from = steps.start;
        while from < steps.end {
            let mut next = steps.end;
            // Until a slip ends, all is in registers: nothing is called in between.
            let mut s = *paths;
            let mut was = paths.stuck;
            for i in from..steps.end {
                let number = (first + i as u64 + 1) as f64;
                let force = &load.force[i];
                let force_after = &load.force[i + 1];
                let impulse = &load.impulse[i];
                let before = &load.support[i];
                let after = &load.support[i + 1];
                let mut ended = 0u64;
                for l in 0..LANES {
                    let x = s.x[l];
                    let v = s.v[l];
                    was[l] = s.stuck[l];
                    let y = if SUPPORT { s.y[l] } else { x };
                    s.from[l] = if was[l] != 0.0 { y } else { s.from[l] };
                    s.began[l] = if was[l] != 0.0 { number - 1.0 } else { s.began[l] };
                    let mut p = if METHOD == THETA {
                        let load = known[i] + middle.between(force[l], force_after[l]);
                        middle.free(x, v, load)
                    } else {
                        let b = known[i] + force[l] - k * x - c * v;
                        v + h_over_m * b
                    };
                    if IMPULSE {
                        let kick = if METHOD == THETA { middle.kick } else { inverse_mass };
                        p += kick * impulse[l];
                    }
                    let w = if SUPPORT { v - before[l] } else { v };
                    let (new_w, new_v) = if METHOD == SIGN {
                        let new = p - sliding * sign(w);
                        (if SUPPORT { new - after[l] } else { new }, new)
                    } else {
                        let q = if SUPPORT { p - after[l] } else { p };
                        let slipping = q - sliding.copysign(q);
                        let new = if q.abs() <= limit { 0.0 } else { slipping };
                        (new, if SUPPORT { new + after[l] } else { new })
                    };
                    let way = if METHOD == THETA { middle.way(v, new_v) } else { h * v };
                    let new_x = x + way;
                    let rest = flag(new_w == 0.0);
                    let stuck = s.rest[l] * rest;
                    let slide = if METHOD == THETA { middle.way(w, new_w) } else { h * w };
                    if SUPPORT {
                        s.y[l] = y + slide;
                    }
                    s.slid[l] += slide.abs();
                    ended |= u64::from(stuck > was[l]);
                    if LEVEL {
                        let passed = if new_x.abs() > level { number } else { f64::INFINITY };
                        s.passage[l] = if passed < s.passage[l] { passed } else { s.passage[l] };
                    }
                    (s.x[l], s.v[l], s.rest[l], s.stuck[l]) = (new_x, new_v, rest, stuck);
                }
                if ended != 0 {
                    next = i + 1;
                    break;
                }
            }
            *paths = s;
            slips.count_ended(&s, &was, if SUPPORT { &s.y } else { &s.x }, first + next as u64);
            from = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::model::{Oscillator, Place, Problem};
    use crate::motion::{EventKind, Phase, State, Trajectory};
    use crate::scheme::stochastic::{self, PathId};
    use crate::signal::Signal;
    use crate::signal::noise::{Group, Noise};
    use crate::study::inclusion;

    /// Of 1001 steps, s.
    const END: f64 = 1001.0 * 0.02;

    fn models() -> Vec<Problem> {
        let ou = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 1.0, scale: 1.5 };
        let ground = Noise::KanaiTajimi {
            angular_frequency: 4.0,
            damping_ratio: 0.5,
            intensity: 0.6,
            scale: 1.0,
        };
        let two_phase = Law::static_dynamic(1.2, 1.0).unwrap();
        let shaw = Oscillator::new(1.3, 0.9, two_phase)
            .with_drive(Signal::harmonic(6.0, 0.5, 0.2) + Signal::ramp(0.1, 0.0))
            .starting_at(0.5, -0.2);
        let base = Problem::new(shaw.clone(), END).with_noise(Place::Drive, ou);
        let white = Noise::White { intensity: 0.8 };
        vec![
            base.clone(),
            base.clone().with_noise(Place::Force, white),
            base.clone().with_noise(Place::Support, ground).with_noise(Place::Force, white),
            Problem::new(shaw.with_damping(0.3), END).with_noise(Place::Force, ground),
            inclusion::problem(0.0, 1.0, white, END).unwrap(),
        ]
    }

    fn group(steps: u64, problem: &Problem, rule: Rule, on: Instructions) -> (Paths, Slips) {
        let model = problem.noisy_oscillator().unwrap();
        let load = Load::new(&model, 0.02, rule).unwrap();
        let constants = Constants::new(&model, &load, rule, 2.0);
        let mut paths = Paths::new(&model, 2.0);
        let mut slips = Slips::new();
        let mut states_of_noise = load.states_of_noise();
        let mut noise = NoiseChunk::new();
        let mut known = load.known();
        let group = Group { seed: 11, paths: std::array::from_fn(|l| 100 + l as u64) };
        for chunk in 0..steps.div_ceil(CHUNK as u64) {
            load.make(on, &group, chunk, &mut states_of_noise, &mut noise);
            let known = known.chunk(chunk);
            let first = chunk * CHUNK as u64;
            let last = (steps - first).min(CHUNK as u64) as usize;
            // in two parts, as rows of statistics would cut it
            for steps in [0..last / 3, last / 3..last] {
                advance(
                    on,
                    Pass {
                        constants: &constants,
                        known,
                        load: &noise,
                        first,
                        steps,
                        paths: &mut paths,
                        slips: &mut slips,
                    },
                );
            }
        }
        slips.finish(&constants, &paths, steps);
        (paths, slips)
    }

    #[test]
    fn every_lane_is_the_scalar_path_on_every_instruction_set() {
        let sets = [Instructions::Portable, Instructions::Avx2, Instructions::Avx512];
        for (m, model) in models().iter().enumerate() {
            for rule in Rule::ALL {
                for on in sets.into_iter().filter(|i| i.available()) {
                    let paths = group(1001, model, rule, on).0;
                    for l in 0..LANES {
                        let id = PathId { seed: 11, path: 100 + l as u64 };
                        let mut last = State::default();
                        stochastic::run(model, id, 0.02, rule, |_, u| last = u).unwrap();
                        let got = (paths.x[l].to_bits(), paths.v[l].to_bits());
                        let want = (last.x.to_bits(), last.v.to_bits());
                        assert_eq!(got, want, "model {m} {rule:?} {on:?} lane {l}");
                    }
                }
            }
        }
    }

    /// The largest displacement from one stick to the next, or to the end, m.
    fn largest_slip(path: &Trajectory) -> f64 {
        let mut largest = 0.0f64;
        let mut from = None;
        for s in path.segments() {
            match s.phase {
                Phase::Stick => {
                    let x = path.state(s.start).x;
                    if let Some(start) = from {
                        largest = largest.max(f64::abs(x - start));
                    }
                    from = Some(path.state(s.end).x);
                }
                _ if from.is_none() => from = Some(path.state(s.start).x),
                _ => {}
            }
        }
        let end = path.segments().last().map_or(0.0, |s| s.end);
        from.map_or(largest, |start| largest.max(f64::abs(path.state(end).x - start)))
    }

    /// Counts against the phases that are read off the whole path.
    #[test]
    fn counts_agree_with_the_trajectory() {
        let models = models();
        let cases = [0, 1, 3].into_iter().flat_map(|m| [(m, Rule::Theta), (m, Rule::Euler)]);
        for (m, rule) in cases {
            let model = &models[m];
            let (paths, counted) = group(1001, model, rule, Instructions::best());
            let mut ended = 0;
            let mut slipping = 0.0;
            for l in 0..LANES {
                let id = PathId { seed: 11, path: 100 + l as u64 };
                let path = stochastic::solve(model, id, 0.02, rule).unwrap();
                let stick: f64 = path.durations(&Phase::Stick).iter().sum();
                let moving = counted.moving[l] as f64 * 0.02;
                assert!((END - moving - stick).abs() < 1e-9);
                let slips = path.events().iter().filter(|e| e.kind == EventKind::Slip);
                // One that the path begins in has no event.
                let slip_first = path.segments().first().is_some_and(|s| s.phase != Phase::Stick);
                let told = path.events().iter().any(|e| e.kind == EventKind::Slip && e.time == 0.0);
                let moves = slip_first && !told;
                assert_eq!(counted.count[l], slips.count() as u64 + u64::from(moves));
                // Durations from each slip to the next stick; reversals are within a slip.
                let mut since = moves.then_some(0.0);
                for e in path.events() {
                    match e.kind {
                        EventKind::Slip => since = Some(e.time),
                        EventKind::Stick => {
                            if let Some(t) = since.take() {
                                (ended, slipping) = (ended + 1, slipping + e.time - t);
                            }
                        }
                        _ => {}
                    }
                }
                let largest = largest_slip(&path);
                let mut slid = 0.0;
                let mut passage = f64::INFINITY;
                let mut before = None::<State>;
                stochastic::run(model, id, 0.02, rule, |n, u| {
                    if let Some(b) = before {
                        slid += f64::abs(u.x - b.x);
                    }
                    if u.x.abs() > 2.0 {
                        passage = passage.min(n as f64);
                    }
                    before = Some(u);
                })
                .unwrap();
                assert!(
                    (counted.largest[l] - largest).abs() < 1e-9,
                    "{} {largest}",
                    counted.largest[l]
                );
                assert!((paths.slid[l] - slid).abs() < 1e-9);
                assert_eq!(paths.passage[l], passage);
            }
            let n = counted.durations.count();
            let mean = if n == 0 { 0.0 } else { counted.durations.mean() * 0.02 };
            assert_eq!(n, ended);
            assert!((n as f64 * mean - slipping).abs() < 1e-7);
        }
    }
}

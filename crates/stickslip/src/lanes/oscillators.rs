//! Noisy oscillators side by side: [`scheme::stochastic::run`](crate::scheme::stochastic::run) in
//! every lane, to the last bit, with what an ensemble wants to know about each path.

use super::{Instructions, Kernel, dispatch};
use crate::model::NoisyOscillator;
use crate::scheme::stochastic::{Gust, Load, Rule, Strands, sign};
use crate::signal::noise::{CHUNK, Group};
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
    /// (h/m) f_s and (h/m) f_d.
    limit: f64,
    sliding: f64,
    /// |x| to be passed, m.
    level: f64,
    variant: Variant,
}

/// What the kernel must look at. The common cases have kernels of their own; the others look at
/// everything, for impulses and velocities of 0 change nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Variant {
    explicit: bool,
    impulse: bool,
    support: bool,
    level: bool,
}

impl Constants {
    pub fn new(model: &NoisyOscillator, load: &Load, rule: Rule, level: f64) -> Self {
        let o = &model.oscillator;
        let h_over_m = load.step / o.mass;
        // Two constant forces: `NoisyOscillator::check_until` refuses other laws.
        let (f_s, f_d) = (o.friction.breakaway(), o.friction.sliding());
        Self {
            h: load.step,
            k: o.stiffness,
            c: o.damping,
            h_over_m,
            inverse_mass: 1.0 / o.mass,
            limit: h_over_m * f_s,
            sliding: h_over_m * f_d,
            level,
            variant: Variant {
                explicit: rule == Rule::ExplicitSign,
                impulse: load.has_impulses(),
                support: load.has_support(),
                level: level < f64::INFINITY,
            },
        }
    }
}

/// The paths of one group: states and what has been counted. Counts are whole numbers of steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paths {
    pub x: Lane,
    pub v: Lane,
    /// 1 where the contact is at rest now.
    pub rest: Lane,
    /// 1 where the last step was a stick.
    stuck: Lane,
    /// Steps in stick.
    pub stick: Lane,
    /// Slips begun.
    pub slips: Lane,
    /// Sliding since the last stick, m, and its largest magnitude over all slips that have ended.
    net: Lane,
    pub largest: Lane,
    /// ∫|w| dt of the sliding velocity w, m.
    pub slid: Lane,
    /// First n with |X_n| > level (+∞: none yet).
    pub passage: Lane,
}

impl Paths {
    /// At t = 0.
    pub fn new(model: &NoisyOscillator, level: f64) -> Self {
        let start = model.oscillator.initial;
        let zero = [0.0; LANES];
        let beyond = if start.displacement.abs() > level { 0.0 } else { f64::INFINITY };
        Self {
            x: [start.displacement; LANES],
            v: [start.velocity; LANES],
            rest: [flag(start.velocity == 0.0); LANES],
            // A path at rest at the start sticks, for counting, until it slips.
            stuck: [flag(start.velocity == 0.0); LANES],
            stick: zero,
            slips: zero,
            net: zero,
            largest: zero,
            slid: zero,
            passage: [beyond; LANES],
        }
    }
}

#[inline(always)]
fn flag(b: bool) -> f64 {
    if b { 1.0 } else { 0.0 }
}

/// Makes the random load of chunk number `chunk`.
pub(crate) fn make(
    on: Instructions,
    load: &Load,
    group: &Group<LANES>,
    chunk: u64,
    strands: &mut Strands<LANES>,
    out: &mut Gust<LANES>,
) {
    dispatch(on, Make { load, group, chunk, strands, out });
}

struct Make<'a> {
    load: &'a Load,
    group: &'a Group<LANES>,
    chunk: u64,
    strands: &'a mut Strands<LANES>,
    out: &'a mut Gust<LANES>,
}

impl Kernel for Make<'_> {
    #[inline(always)]
    fn run(self) {
        self.load.make(self.group, self.chunk, self.strands, self.out);
    }
}

/// Advances the paths over `steps` of the chunk, whose first step is number `first` of the run.
pub(crate) fn advance(
    on: Instructions,
    constants: &Constants,
    known: &[f64; CHUNK],
    load: &Gust<LANES>,
    first: u64,
    steps: Range<usize>,
    paths: &mut Paths,
) {
    let pass = Pass { constants, known, load, first, steps, paths };
    let Variant { explicit, impulse, support, level } = constants.variant;
    match (explicit, impulse, support, level) {
        (false, false, false, false) => dispatch(on, March::<false, false, false, false>(pass)),
        (false, true, false, false) => dispatch(on, March::<false, true, false, false>(pass)),
        (false, _, _, _) => dispatch(on, March::<false, true, true, true>(pass)),
        (true, _, _, _) => dispatch(on, March::<true, true, true, true>(pass)),
    }
}

struct Pass<'a> {
    constants: &'a Constants,
    known: &'a [f64; CHUNK],
    load: &'a Gust<LANES>,
    first: u64,
    steps: Range<usize>,
    paths: &'a mut Paths,
}

struct March<'a, const EXPLICIT: bool, const IMPULSE: bool, const SUPPORT: bool, const LEVEL: bool>(
    Pass<'a>,
);

impl<const EXPLICIT: bool, const IMPULSE: bool, const SUPPORT: bool, const LEVEL: bool> Kernel
    for March<'_, EXPLICIT, IMPULSE, SUPPORT, LEVEL>
{
    #[inline(always)]
    fn run(self) {
        let Pass { constants, known, load, first, steps, paths } = self.0;
        let Constants { h, k, c, h_over_m, inverse_mass, limit, sliding, level, .. } = *constants;
        let mut s = *paths;
        for i in steps {
            let number = (first + i as u64 + 1) as f64;
            let (force, impulse) = (&load.force[i], &load.impulse[i]);
            let (before, after) = (&load.support[i], &load.support[i + 1]);
            for l in 0..LANES {
                let (x, v) = (s.x[l], s.v[l]);
                let b = known[i] + force[l] - k * x - c * v;
                let mut p = v + h_over_m * b;
                if IMPULSE {
                    p += inverse_mass * impulse[l];
                }
                let w = if SUPPORT { v - before[l] } else { v };
                let (new_w, new_v) = if EXPLICIT {
                    let new = p - sliding * sign(w);
                    (if SUPPORT { new - after[l] } else { new }, new)
                } else {
                    let q = if SUPPORT { p - after[l] } else { p };
                    let slipping = q - sliding.copysign(q);
                    let new = if q.abs() <= limit { 0.0 } else { slipping };
                    (new, if SUPPORT { new + after[l] } else { new })
                };
                let new_x = x + h * v;
                let rest = flag(new_w == 0.0);
                let stuck = s.rest[l] * rest;
                let slide = h * w;
                s.stick[l] += stuck;
                s.slips[l] += if stuck < s.stuck[l] { 1.0 } else { 0.0 };
                let ended = s.net[l].abs() * stuck;
                s.largest[l] = if ended > s.largest[l] { ended } else { s.largest[l] };
                s.net[l] = if stuck != 0.0 { 0.0 } else { s.net[l] + slide };
                s.slid[l] += slide.abs();
                if LEVEL {
                    let passed = if new_x.abs() > level { number } else { f64::INFINITY };
                    s.passage[l] = if passed < s.passage[l] { passed } else { s.passage[l] };
                }
                (s.x[l], s.v[l], s.rest[l], s.stuck[l]) = (new_x, new_v, rest, stuck);
            }
        }
        *paths = s;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::model::{Oscillator, Place};
    use crate::scheme::stochastic::{self, PathId};
    use crate::signal::Signal;
    use crate::signal::noise::Noise;
    use crate::trajectory::{EventKind, Phase, State};

    fn models() -> Vec<NoisyOscillator> {
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
        let base = NoisyOscillator::new(shaw.clone()).with_noise(Place::Drive, ou);
        let white = Noise::White { intensity: 0.8 };
        vec![
            base.clone(),
            base.clone().with_noise(Place::Force, white),
            base.clone().with_noise(Place::Support, ground).with_noise(Place::Force, white),
            NoisyOscillator::new(shaw.with_damping(0.3)).with_noise(Place::Force, ground),
            NoisyOscillator::inclusion(0.0, 1.0, white).unwrap(),
        ]
    }

    fn group(steps: u64, model: &NoisyOscillator, rule: Rule, on: Instructions) -> Paths {
        let load = Load::new(model, 0.02).unwrap();
        let constants = Constants::new(model, &load, rule, 2.0);
        let mut paths = Paths::new(model, 2.0);
        let (mut strands, mut gust, mut known) = (load.strands(), Gust::new(), load.known());
        let group = Group { seed: 11, paths: std::array::from_fn(|l| 100 + l as u64) };
        for chunk in 0..steps.div_ceil(CHUNK as u64) {
            make(on, &load, &group, chunk, &mut strands, &mut gust);
            let known = known.chunk(chunk);
            let first = chunk * CHUNK as u64;
            let last = (steps - first).min(CHUNK as u64) as usize;
            // in two parts, as rows of statistics would cut it
            advance(on, &constants, known, &gust, first, 0..last / 3, &mut paths);
            advance(on, &constants, known, &gust, first, last / 3..last, &mut paths);
        }
        paths
    }

    #[test]
    fn every_lane_is_the_scalar_path_on_every_instruction_set() {
        let sets = [Instructions::Portable, Instructions::Avx2, Instructions::Avx512];
        for (m, model) in models().iter().enumerate() {
            for rule in [Rule::Law, Rule::ExplicitSign] {
                for on in sets.into_iter().filter(|i| i.available()) {
                    let paths = group(1001, model, rule, on);
                    for l in 0..LANES {
                        let id = PathId { seed: 11, path: 100 + l as u64 };
                        let mut last = State::default();
                        let end = 1001.0 * 0.02;
                        stochastic::run(model, id, end, 0.02, rule, |_, u| last = u).unwrap();
                        let got = (paths.x[l].to_bits(), paths.v[l].to_bits());
                        let want = (last.x.to_bits(), last.v.to_bits());
                        assert_eq!(got, want, "model {m} {rule:?} {on:?} lane {l}");
                    }
                }
            }
        }
    }

    /// Counts against the phases that are read off the whole path.
    #[test]
    fn counts_agree_with_the_trajectory() {
        for model in [&models()[0], &models()[1], &models()[3]] {
            let paths = group(1001, model, Rule::Law, Instructions::best());
            for l in 0..LANES {
                let id = PathId { seed: 11, path: 100 + l as u64 };
                let path = stochastic::solve(model, id, 1001.0 * 0.02, 0.02, Rule::Law).unwrap();
                let stick: f64 = path.durations(&Phase::Stick).iter().sum();
                assert!((paths.stick[l] * 0.02 - stick).abs() < 1e-9);
                let slips = path.events().iter().filter(|e| e.kind == EventKind::Slip).count();
                assert_eq!(paths.slips[l], slips as f64);
                // Sizes of slips: displacement from one stick to the next.
                let (mut largest, mut slid, mut from) = (0.0f64, 0.0, None);
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
                let mut passage = f64::INFINITY;
                let mut before = None::<State>;
                stochastic::run(model, id, 1001.0 * 0.02, 0.02, Rule::Law, |n, u| {
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
                    (paths.largest[l] - largest).abs() < 1e-9,
                    "{} {largest}",
                    paths.largest[l]
                );
                assert!((paths.slid[l] - slid).abs() < 1e-9);
                assert_eq!(paths.passage[l], passage);
            }
        }
    }
}

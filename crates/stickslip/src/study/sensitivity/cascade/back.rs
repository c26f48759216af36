//! The gradient of a loss of the exact motion of a cascade: one walk back along it.
//!
//! Along a leg λ = ∂L/∂(x, v) goes back by the transposed propagator, and every newton of the load at t gains λ_v/m. What the plays
//! gain is kept until the turn at which they were left behind.

use super::rates::Rates;
use super::{Chain, Leg, Reaches, cascade_derivatives, ends};
use crate::error::Error;
use crate::model::{Cascade, Inlet};
use crate::motion::{CascadePath, Event, EventKind, State};
use crate::scheme::looked::Looked;
use crate::study::sensitivity::derivatives::unsuitable;
use crate::study::sensitivity::doubt::{Doubt, Why};
use crate::study::sensitivity::number::Number;
use crate::study::sensitivity::reverse::{Gradient, Loss};
use crate::study::sensitivity::samples::{Samples, spread};
use crate::study::sensitivity::sums::SignalSums;

/// The gradient of a loss that looks at the mass of `cascade` along `path`, its exact motion, with respect to `numbers` and to the values of
/// `samples` of its force: what [`cascade_derivatives`] gives, multiplied by the derivatives of the loss, by one walk back whose cost hardly
/// depends on how many numbers there are.
///
/// ```
/// use stickslip::model::Inlet;
/// use stickslip::scheme::cascade;
/// use stickslip::study::sensitivity::{Loss, Samples, cascade_gradient};
/// use stickslip::{Cascade, Error, Signal, State};
/// // As long as no element yields the first spring holds the mass: x(2) = ∫ sin(ω (2 − t)) F(t)/(m ω) dt with ω² = K/m.
/// let times = [0.0, 2.0];
/// let mut held = Cascade::new(1.0, vec![4.0, 1.0], vec![9.0]);
/// held.force = Signal::sampled(&times, &[1.0, 1.0])?;
/// let path = cascade::exact(&held, 2.0)?;
/// let loss = Loss { times: &[2.0], states: &[State { x: 1.0, v: 0.0 }], event_times: &[] };
/// let samples = [Samples { of: Inlet::Force, times: &times, held: false }];
/// let found = cascade_gradient(&held, &path, &[], &samples, &loss)?;
/// // Both together move the force: ∂x = (1 − cos 2ω)/K.
/// let both: f64 = found.samples[0].iter().sum();
/// assert!((both - (1.0 - 4f64.cos()) / 4.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Those of [`cascade_derivatives`]; [`Error::NotOffered`] for samples of something else than its force, or without any value;
/// [`Error::BadLoss`] where a list of the loss has another length than what it looks at.
pub fn cascade_gradient(
    cascade: &Cascade,
    path: &CascadePath,
    numbers: &[Number<Cascade>],
    samples: &[Samples<'_>],
    loss: &Loss<'_>,
) -> Result<Gradient, Error> {
    loss.check(path.events().len())?;
    for list in samples {
        list.check()?;
        if list.of != Inlet::Force {
            return Err(unsuitable("samples of a cascade are those of its force"));
        }
    }
    let chain = Chain::new(cascade);
    let rates = numbers.iter().map(|n| Rates::new(&chain, n)).collect::<Result<Vec<_>, _>>()?;
    let wanted = !samples.is_empty() || rates.iter().any(|r| r.force.is_some());
    let n = cascade.elements();
    let mut back = Back {
        now: State::default(),
        plays: vec![0.0; n],
        sums: Sums {
            mass: 0.0,
            stiffness: vec![0.0; n + 1],
            held: vec![0.0; n + 1],
            reach: vec![0.0; n],
            force: SignalSums::new(&cascade.force, wanted),
            moved: vec![0.0; numbers.len()],
        },
        rates,
        poisoned: false,
        parted: None,
        doubtful: Vec::new(),
        course: Course::new(&chain, path)?,
        chain,
    };
    back.along(path, loss)?;
    let mut out = back.finished(samples);
    if let (Some(_), false) = (back.parted, numbers.is_empty()) {
        // Whether an element stays at its limit depends on how the state changes with each number, which only the way forward knows.
        let ahead = cascade_derivatives(cascade, path, numbers, loss.times)?;
        let [x, v] = [|u: &State| u.x, |u: &State| u.v]
            .map(|of: fn(&State) -> f64| loss.states.iter().map(of).collect::<Vec<_>>());
        let looked = Looked { times: loss.times, x: &x, v: &v, event_times: loss.event_times };
        let found = [&ahead.x[..], &ahead.v, &ahead.event_times];
        out.numbers = (0..numbers.len()).map(|k| looked.along(k, numbers.len(), found)).collect();
        out.doubtful.extend(ahead.doubtful);
    }
    out.doubtful.sort_by(|a, b| a.time.total_cmp(&b.time));
    out.doubtful.dedup();
    Ok(out)
}

/// The plays along the motion, as the way back meets them.
struct Course {
    /// Those where the motion ends, m.
    last: Vec<f64>,
    /// Those that each turn sets, as they were before, the first of an instant first.
    overwritten: Vec<f64>,
    /// The elements that are just at their limit where a segment ends in a turn.
    met: Vec<(usize, Vec<usize>)>,
}

impl Course {
    fn new(chain: &Chain<'_>, path: &CascadePath) -> Result<Self, Error> {
        let mut out = Self { last: chain.plays.clone(), overwritten: vec![], met: vec![] };
        let segments = path.segments();
        for (i, pair) in segments.windows(2).enumerate() {
            let (leg, next) = (Leg::new(chain, &pair[0])?, Leg::new(chain, &pair[1])?);
            if !leg.turns_before(&next) {
                continue;
            }
            let x = leg.at(leg.segment.end).0.x;
            let met = chain.just_met(&out.last, leg.way, x);
            if !met.is_empty() {
                out.met.push((i, met));
            }
            out.overwritten.extend_from_slice(&out.last[..leg.slipping]);
            for (p, r) in out.last.iter_mut().zip(&chain.reach).take(leg.slipping) {
                *p = x - leg.way * r;
            }
        }
        Ok(out)
    }
}

/// ∂L with respect to the numbers of a [`Chain`].
struct Sums {
    mass: f64,
    stiffness: Vec<f64>,
    held: Vec<f64>,
    reach: Vec<f64>,
    force: SignalSums,
    /// What each number gains by breakpoints that it moves.
    moved: Vec<f64>,
}

struct Back<'a> {
    chain: Chain<'a>,
    rates: Vec<Rates<'a>>,
    course: Course,
    /// λ: ∂L with respect to the state, and to the plays that stick.
    now: State,
    plays: Vec<f64>,
    sums: Sums,
    /// Whether the loss looks at what has no derivative.
    poisoned: bool,
    /// An instant at which an element may or may not stay at its limit, s.
    parted: Option<f64>,
    doubtful: Vec<Doubt>,
}

impl Back<'_> {
    fn along(&mut self, path: &CascadePath, loss: &Loss<'_>) -> Result<(), Error> {
        self.look_past(path, loss);
        let segments = path.segments();
        let mut next: Option<Leg<'_>> = None;
        let mut left = loss.times.len();
        let ends = ends(path);
        for (i, s) in segments.iter().enumerate().rev() {
            let leg = Leg::new(&self.chain, s)?;
            let events = ends[i]..ends[i + 1];
            let weights = loss.event_times.get(events.clone()).unwrap_or(&[]);
            self.pass((i, &leg), next.as_ref(), (&path.events()[events], weights));
            let looked = if i == 0 { 0 } else { loss.times.partition_point(|t| *t < s.start) };
            let mut at = s.end;
            while left > looked {
                left -= 1;
                let to = loss.times[left].clamp(s.start, s.end);
                self.follow(&leg, [to, at]);
                at = to;
                self.now.x += loss.states[left].x;
                self.now.v += loss.states[left].v;
            }
            self.follow(&leg, [s.start, at]);
            self.begin(&leg);
            next = Some(leg);
        }
        for (e, _) in path.events()[..ends[0]].iter().zip(loss.event_times).filter(|e| *e.1 != 0.0)
        {
            self.at_start(e);
        }
        Ok(())
    }

    /// What the loss looks at where the path itself warns that there is no derivative.
    fn look_past(&mut self, path: &CascadePath, loss: &Loss<'_>) {
        let mut lost = f64::INFINITY;
        for w in path.warnings().iter().filter(|w| w.parts_neighbours()) {
            if let Some(time) = w.time() {
                lost = lost.min(time);
                self.doubt(time, Why::Warned(w.clone()));
            }
        }
        let states = loss.times.iter().zip(loss.states);
        let late = states.filter(|s| *s.0 >= lost).any(|(_, u)| *u != State::default());
        let events = path.events().iter().zip(loss.event_times);
        self.poisoned |= late || events.filter(|e| e.0.time > lost).any(|(_, w)| *w != 0.0);
    }

    fn doubt(&mut self, time: f64, why: Why) {
        self.doubtful.push(Doubt { time, why });
    }

    fn follow(&mut self, leg: &Leg<'_>, span: [f64; 2]) {
        if span[1] <= span[0] || self.now == State::default() {
            return;
        }
        let parts = leg.parts(&self.chain, span);
        let half = parts.half;
        let whole = leg.propagator(2.0 * half);
        let from = leg.segment.start;
        // ∫ λ_v/m dt, and the same times x.
        let (mut pushed, mut stretched) = (0.0, 0.0);
        for i in (0..parts.count).rev() {
            let State { x, v } = self.now;
            for (node, weight) in parts.nodes {
                let later = leg.propagator(half * (1.0 - node));
                let by = 2.0 * half * weight * (x * later[0][1] + v * later[1][1]) / leg.mass;
                let t = parts.middle(i) + half * node;
                let (u, a) = leg.at(t);
                pushed += by;
                stretched += by * u.x;
                self.sums.mass -= by * a;
                self.sums.force.add(&self.chain.own.force, from, t, by);
            }
            self.now = State {
                x: whole[0][0] * x + whole[1][0] * v,
                v: whole[0][1] * x + whole[1][1] * v,
            };
        }
        let first = leg.slipping;
        self.sums.stiffness[first] -= stretched;
        self.sums.held[first] -= leg.way * pushed;
        for j in first..self.plays.len() {
            // κ_j = S_{j−1} − S_j
            let by = self.course.last[j] * pushed;
            self.sums.stiffness[j] += by;
            self.sums.stiffness[j + 1] -= by;
            self.plays[j] += self.chain.weight[j] * pushed;
        }
    }

    /// The end of segment `i` and what happens there, with the derivatives of the loss with respect to the times of these events.
    fn pass(
        &mut self,
        (i, leg): (usize, &Leg<'_>),
        next: Option<&Leg<'_>>,
        (events, weights): (&[Event], &[f64]),
    ) {
        let t = leg.segment.end;
        if let Some(next) = next.filter(|n| leg.turns_before(n)) {
            self.turn(i, leg, next);
        }
        let instant = leg.end(&self.chain, next);
        if instant.jumps != 0.0 {
            for (sum, rates) in self.sums.moved.iter_mut().zip(&self.rates) {
                *sum -= self.now.v * instant.jumps * rates.breakpoint(t);
            }
        }
        let all = events.iter().zip(weights).filter(|e| *e.1 != 0.0);
        let all: Vec<_> = all.map(|(e, weight)| (instant.reaches(e), *weight)).collect();
        for (reaches, weight) in all {
            match reaches {
                Reaches::Limit(j, speed) => {
                    let by = weight / speed;
                    self.now.x -= leg.way * by;
                    self.plays[j] += leg.way * by;
                    self.sums.reach[j] += by;
                }
                Reaches::Rest(a) => self.now.v -= weight / a,
                Reaches::Nothing(why) => {
                    self.poisoned = true;
                    self.doubt(t, why);
                }
            }
        }
    }

    /// Plays that the turn leaves behind are where the mass is then.
    fn turn(&mut self, i: usize, leg: &Leg<'_>, next: &Leg<'_>) {
        if let Some((_, met)) = self.course.met.pop_if(|m| m.0 == i)
            && met.iter().any(|j| self.plays[*j] != 0.0)
        {
            self.parted = Some(next.segment.start);
        }
        for (j, of_play) in self.plays.iter_mut().enumerate().take(leg.slipping) {
            self.now.x += *of_play;
            self.sums.reach[j] -= leg.way * *of_play;
            *of_play = 0.0;
        }
        let before =
            self.course.overwritten.split_off(self.course.overwritten.len() - leg.slipping);
        self.course.last[..leg.slipping].copy_from_slice(&before);
    }

    /// The start of a leg: at rest a push either way has another effect, unless no element is at its limit.
    fn begin(&mut self, leg: &Leg<'_>) {
        if leg.way != 0.0 || self.now == State::default() {
            return;
        }
        let (u, _) = leg.at(leg.segment.start);
        if leg.slipping > 0 || !self.chain.is_inside(&self.course.last, u.x) {
            self.poisoned = true;
            self.doubt(leg.segment.start, Why::StartsAtRest);
        }
    }

    /// An element that gives way at the start does so whatever the numbers are, or has no derivative.
    fn at_start(&mut self, e: &Event) {
        let j = e.place.wrapping_sub(1);
        let moves = |r: &Rates<'_>| e.kind != EventKind::Yield || !r.stays(j);
        let moved: Vec<bool> = self.rates.iter().map(moves).collect();
        for (sum, _) in self.sums.moved.iter_mut().zip(&moved).filter(|m| *m.1) {
            *sum = f64::NAN;
        }
        if moved.contains(&true) {
            self.doubt(e.time, Why::StartsAtRest);
        }
    }

    fn finished(&mut self, samples: &[Samples<'_>]) -> Gradient {
        let sums = &self.sums;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let number = |(rates, moved): (&Rates<'_>, &f64)| {
            moved
                + sums.mass * rates.mass
                + dot(&sums.stiffness, &rates.stiffness)
                + dot(&sums.held, &rates.held)
                + dot(&sums.reach, &rates.reach)
                + dot(&self.plays, &rates.plays)
                + sums.force.of(rates.force.as_ref())
                + self.now.x * rates.start.x
                + self.now.v * rates.start.v
        };
        let mut out = Gradient {
            numbers: self.rates.iter().zip(&sums.moved).map(number).collect(),
            samples: samples
                .iter()
                .map(|s| spread(&self.chain.own.force, &sums.force, s))
                .collect(),
            doubtful: std::mem::take(&mut self.doubtful),
        };
        let parted = self.parted.filter(|_| !samples.is_empty());
        if let Some(time) = parted {
            out.doubtful.push(Doubt { time, why: Why::Grazes });
        }
        if self.poisoned {
            out.numbers.fill(f64::NAN);
        }
        if self.poisoned || parted.is_some() {
            out.samples.iter_mut().for_each(|s| s.fill(f64::NAN));
        }
        out
    }
}

//! The gradient of a loss of the exact motion of a network: one walk back along it.
//!
//! With λ = ∂L/∂(x, ẋ) at an instant, an arc takes λ back by the transposed recurrence of its series (`Mode::turn`), which also tells what
//! each load does to the loss. At an event, with μ the derivative of the loss with respect to its time t* and h what reaches zero there,
//!
//! ```text
//! τ = μ + λ⁺·(ẋ⁻ − ẋ⁺, ẍ⁻ − ẍ⁺)        λ⁻ = λ⁺ − (∂h)ᵀ τ/ḣ        ∂L/∂p += −∂ₚh τ/ḣ
//! ```
//!
//! and before that what sticks together afterwards hands its λ on by the transposed balance of momentum (`Mode::turn_join`).
//! Instants without a derivative are those of the way forward (`vary`), and are told as there.

use super::change::Change;
use super::mode::{Mode, Series};
use super::nominal::{AGREE, About, EQUAL, Guard, MOST_PARTS, Nominal, RATES};
use super::power::{ORDER, STRETCH, needed, radius};
use super::tangent::Reached;
use super::turn::{Adjoint, Pace};
use super::variation::vary;
use crate::model::Inlet;
use crate::motion::Segment;
use crate::scheme::gap::Gap;
use crate::scheme::looked::Looked;
use crate::scheme::network::{NetworkArc, NetworkPath};
use std::ops::Range;

/// Samples of the force on a node or of the normal force of a slider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sampled<'a> {
    pub of: Inlet,
    /// When they are, s, increasing.
    pub times: &'a [f64],
    /// Whether a value holds until the next; else the signal is linear between them.
    pub held: bool,
}

/// The gradient of a loss.
#[derive(Debug, Default)]
pub(crate) struct Gained {
    pub numbers: Vec<f64>,
    pub samples: Vec<Vec<f64>>,
    pub gaps: Vec<(f64, Gap)>,
}

impl Gained {
    fn doubt(&mut self, t: f64, why: Gap) {
        if !self.gaps.contains(&(t, why.clone())) {
            self.gaps.push((t, why));
        }
    }
}

struct Back<'a> {
    changes: &'a [Change<'a>],
    lists: &'a [Sampled<'a>],
    looked: Looked<'a>,
    /// ∂L with respect to x and ẋ of each node and the ground.
    x: Vec<f64>,
    v: Vec<f64>,
    /// The numbers with respect to which there is no derivative, and whether there is none at all.
    lost: Vec<bool>,
    poisoned: bool,
    /// An instant at which several events stay together under some changes of the state and part under others, if there is one, s.
    parted: Option<f64>,
    /// Whether they may part with some number.
    unsure: bool,
    room: Series,
    adjoint: Adjoint,
    /// How fast the patterns that have been met are, and what they are known by.
    paces: Vec<(Vec<i8>, Pace)>,
    out: Gained,
}

/// What one of the events at an instant makes of a loss that looks at when it happens.
struct Gains {
    x: Vec<f64>,
    v: Vec<f64>,
    /// And with respect to each number, and how large what is summed there may be.
    numbers: Vec<f64>,
    sizes: Vec<f64>,
    /// Of each list what its value and its slope do.
    samples: Vec<[f64; 2]>,
}

/// The gradient of a loss of `path`, an exact motion, with respect to some numbers and samples; nothing where an arc is too stiff to be
/// followed, or the path is of another scheme.
pub(crate) fn gradient(
    path: &NetworkPath,
    changes: &[Change<'_>],
    lists: &[Sampled<'_>],
    looked: Looked<'_>,
) -> Option<Gained> {
    let segments = path.segments();
    let last = segments.last()?;
    let mode = &exact(last)?.mode;
    let nodes = mode.parts.ground + 1;
    let mut back = Back {
        changes,
        lists,
        looked,
        x: vec![0.0; nodes],
        v: vec![0.0; nodes],
        lost: vec![false; changes.len()],
        poisoned: false,
        parted: None,
        unsure: false,
        room: Series::new(&mode.parts),
        adjoint: Adjoint::new(mode),
        paces: Vec::new(),
        out: Gained {
            numbers: vec![0.0; changes.len()],
            samples: lists.iter().map(|list| vec![0.0; list.times.len()]).collect(),
            gaps: Vec::new(),
        },
    };
    back.along(path)?;
    let mut out = back.out;
    if back.poisoned {
        out.numbers.fill(f64::NAN);
    }
    let lost = out.numbers.iter_mut().zip(&back.lost).filter(|n| *n.1);
    lost.for_each(|(number, _)| *number = f64::NAN);
    let count = changes.len();
    if count > 0 && (back.unsure || back.parted.is_some()) {
        // Whether the events part depends on how the state changes with each number, which only the way forward knows.
        let found = vary(path, changes, looked.times)?;
        let rates = [&found.x[..], &found.v, &found.event_times];
        out.numbers = (0..count).map(|k| looked.along(k, count, rates)).collect();
        found.gaps.into_iter().for_each(|(t, why)| out.doubt(t, why));
    }
    if let Some(t) = back.parted.filter(|_| !lists.is_empty()) {
        out.doubt(t, Gap::Together);
        out.samples.iter_mut().for_each(|s| s.fill(f64::NAN));
    }
    if back.poisoned {
        out.samples.iter_mut().for_each(|s| s.fill(f64::NAN));
    }
    out.gaps.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(out)
}

fn exact(s: &Segment<NetworkArc>) -> Option<&super::arc::ExactArc> {
    if let NetworkArc::Exact(arc) = &s.arc { Some(arc) } else { None }
}

impl Back<'_> {
    fn along(&mut self, path: &NetworkPath) -> Option<()> {
        let segments = path.segments();
        let events = path.events();
        let begun = |i: usize| events.partition_point(|e| e.time <= segments[i].start);
        let last = segments.len() - 1;
        // Events at the very end have no motion after them.
        self.poisoned = self.weights(begun(last)..events.len()).iter().any(|w| *w != 0.0);
        let mut here = Nominal::new(exact(&segments[last])?, &segments[last]);
        let mut left = self.looked.times.len();
        for i in (0..=last).rev() {
            let first = match i {
                0 => 0,
                _ => self.looked.times.partition_point(|t| *t < here.start),
            };
            self.follow(&here, first..left)?;
            left = first;
            let from = if i == 0 { f64::NEG_INFINITY } else { segments[i - 1].end };
            for w in path.warnings().iter().filter(|w| w.parts_neighbours()) {
                if let Some(time) = w.time().filter(|t| *t < here.end && *t >= from) {
                    let depends = self.depends();
                    self.lose(time, Gap::Warned(w.clone()), depends);
                }
            }
            if i > 0 {
                let before = Nominal::new(exact(&segments[i - 1])?, &segments[i - 1]);
                self.pass(&before, &here, begun(i - 1)..begun(i));
                here = before;
            }
        }
        let at_start = self.weights(0..begun(0)).iter().any(|w| *w != 0.0);
        self.begin(&here);
        self.poisoned |= at_start;
        Some(())
    }

    /// What the loss makes of the times of these events.
    fn weights(&self, events: Range<usize>) -> &[f64] {
        self.looked.event_times.get(events).unwrap_or(&[])
    }

    /// Whether what has been walked along depends on the state.
    fn depends(&self) -> bool {
        self.x.iter().chain(&self.v).any(|l| *l != 0.0)
    }

    /// There is no derivative from `t` on, of a loss that `depends` on what comes then.
    fn lose(&mut self, t: f64, why: Gap, depends: bool) {
        self.poisoned |= depends;
        self.out.doubt(t, why);
    }

    /// The same with respect to number `k`.
    fn lose_one(&mut self, k: usize, t: f64, why: Gap) {
        self.lost[k] |= self.depends();
        self.lose(t, why, false);
    }
}

// --- Along an arc -----------------------------------------------------------------------------------

impl Back<'_> {
    /// Back along an arc, in which the loss looks at those of its times.
    fn follow(&mut self, here: &Nominal<'_>, mut looks: Range<usize>) -> Option<()> {
        if looks.is_empty() && !self.depends() {
            return Some(());
        }
        let mode = &*here.arc.mode;
        let pace = self.pace(mode);
        let mut to = here.end;
        for _ in 0..MOST_PARTS {
            let reach = radius(self.paces[pace].1.series());
            let mut from = if to - here.start <= STRETCH * reach { here.start } else { to - reach };
            for list in self.lists {
                // On each part one piece of every signal with samples.
                let before = list.times.partition_point(|t| *t < to);
                from = list.times[..before].last().map_or(from, |t| t.max(from));
            }
            if from >= to && to > here.start {
                return None;
            }
            let first = match from == here.start {
                true => looks.start,
                false => {
                    self.looked.times[looks.clone()].partition_point(|t| *t < from) + looks.start
                }
            };
            self.part(here, pace, [from, to], first..looks.end);
            if from == here.start {
                return Some(());
            }
            (to, looks.end) = (from, first);
        }
        None
    }

    /// Back over a part of an arc.
    fn part(&mut self, here: &Nominal<'_>, pace: usize, [from, to]: [f64; 2], looks: Range<usize>) {
        let mode = &*here.arc.mode;
        let tau = to - from;
        let mut order = needed(self.paces[pace].1.series(), tau);
        let about = (!self.changes.is_empty()).then(|| here.about(from));
        if let Some(about) = &about {
            // A wave that is not there yet shows in no series of the motion.
            let waves = mode.parts.fastest > 0.0;
            order = if waves { ORDER } else { order.max(needed(&about.x, tau)) };
        }
        let adjoint = &mut self.adjoint;
        adjoint.clear();
        for (i, of) in self.x.iter().zip(&self.v).enumerate() {
            adjoint.look(i, tau, [*of.0, *of.1], order);
        }
        let nodes = mode.parts.ground;
        for i in looks {
            let by = (self.looked.times[i] - from).clamp(0.0, tau);
            for node in 0..nodes {
                let at = i * nodes + node;
                adjoint.look(node, by, [self.looked.x[at], self.looked.v[at]], order);
            }
        }
        mode.turn(order, false, adjoint);
        if let Some(about) = &about {
            for (change, number) in self.changes.iter().zip(&mut self.out.numbers) {
                if !change.is_idle(mode) {
                    *number += loads(change, here, about, &mut self.room, adjoint, order);
                }
            }
        }
        for (list, out) in self.lists.iter().zip(&mut self.out.samples) {
            let at = list.times.partition_point(|t| *t <= from).saturating_sub(1);
            list.add(out, at, from, list.gained(mode, adjoint));
        }
        self.take(mode);
    }

    /// What the recurrence has been turned into: ∂L with respect to the state.
    fn take(&mut self, mode: &Mode) {
        for (i, x) in self.adjoint.x.iter().enumerate() {
            let given = mode.parts.given[i];
            (self.x[i], self.v[i]) = if given { (0.0, 0.0) } else { (x.0[0], x.0[1]) };
        }
    }

    /// Which of the paces is that of the mode.
    fn pace(&mut self, mode: &Mode) -> usize {
        if let Some(place) = self.paces.iter().position(|p| p.0 == mode.signs) {
            return place;
        }
        let pace = Pace::of(mode, &mut self.room);
        self.paces.push((mode.signs.clone(), pace));
        self.paces.len() - 1
    }
}

/// What a number gains by the loads that it changes.
fn loads(
    change: &Change<'_>,
    here: &Nominal<'_>,
    about: &About<'_>,
    room: &mut Series,
    adjoint: &Adjoint,
    order: usize,
) -> f64 {
    room.clear();
    change.push(&here.arc.mode, about, here.start, room);
    adjoint.dot(&here.arc.mode, room, order)
}

impl Sampled<'_> {
    /// What the value and the slope of the signal do to the loss.
    fn gained(&self, mode: &Mode, adjoint: &Adjoint) -> [f64; 2] {
        let of = |i: usize| adjoint.rest[i].0;
        match self.of {
            Inlet::NodeForce(i) => [of(i)[0], of(i)[1]],
            Inlet::SliderNormal(e) => {
                let c = &mode.parts.contacts[e];
                let by = f64::from(mode.signs[e]) * mode.sliding[e];
                [0, 1].map(|k| by * (of(c.b)[k] - of(c.a)[k]))
            }
            _ => [0.0; 2],
        }
    }

    /// Hands on what the value and the slope of the signal at `t` do, on the piece that begins with sample `at`.
    fn add(&self, out: &mut [f64], at: usize, t: f64, [of_value, of_slope]: [f64; 2]) {
        let Some(next) = self.times.get(at + 1).filter(|_| !self.held) else {
            out[at] += of_value;
            return;
        };
        let length = next - self.times[at];
        let share = (t - self.times[at]) / length;
        out[at] += of_value * (1.0 - share) - of_slope / length;
        out[at + 1] += of_value * share + of_slope / length;
    }
}

// --- At an instant ----------------------------------------------------------------------------------

impl Back<'_> {
    /// From an arc to the one before it, at the instant of these events.
    fn pass(&mut self, b: &Nominal<'_>, n: &Nominal<'_>, events: Range<usize>) {
        let t = n.start;
        let passage = b.passage(n);
        let looked = self.weights(events);
        let of_time: f64 = looked.iter().sum();
        let depends = self.depends() || looked.iter().any(|w| *w != 0.0);
        for why in &passage.gaps {
            self.lose(t, why.clone(), depends);
        }
        for k in 0..self.changes.len() {
            if !self.changes[k].leads_alike(n) {
                self.lose_one(k, t, Gap::Together);
            }
        }
        if passage.joins() {
            self.v = n.arc.mode.turn_join(&self.v);
        }
        self.take_given(n);
        let moved: Vec<f64> = self.changes.iter().map(|c| c.breakpoint(t)).collect();
        if passage.goes_on && moved.iter().all(|m| *m == 0.0) {
            return;
        }
        let of_jump = |i: usize| {
            let [v, a] = b.jump(n, i);
            v * self.x[i] + a * self.v[i]
        };
        let later = of_time + (0..n.arc.mode.parts.ground).map(of_jump).sum::<f64>();
        if passage.guards.is_empty() {
            self.out.numbers.iter_mut().zip(moved).for_each(|(number, m)| *number += later * m);
        } else if later != 0.0 {
            self.happen(b, t, &passage.guards, later);
        }
    }

    /// What prescribed nodes do with each number from the start of an arc on.
    fn take_given(&mut self, n: &Nominal<'_>) {
        let parts = &n.arc.mode.parts;
        for i in (0..=parts.ground).filter(|&i| parts.given[i]) {
            for (change, number) in self.changes.iter().zip(&mut self.out.numbers) {
                let [x, v] = change.given(n, i);
                *number += x * self.x[i] + v * self.v[i];
            }
            (self.x[i], self.v[i]) = (0.0, 0.0);
        }
    }

    /// An event of which the loss makes `later` for each second by which it is later.
    fn happen(&mut self, b: &Nominal<'_>, t: f64, guards: &[Guard], later: f64) {
        let about = b.about(t);
        let all: Vec<Gains> = guards.iter().map(|g| self.guarded(b, &about, g, later)).collect();
        let Some((first, others)) = all.split_first() else { return };
        // Derivatives with respect to what is of different units are compared over the time in which something changes.
        let time = b.arc.mode.parts.fastest_time();
        let later_by = |by: f64, of: &[f64]| of.iter().map(|x| x / by).collect::<Vec<f64>>();
        for other in others {
            let state = |g: &Gains| [&g.x[..], &later_by(time, &g.v)].concat();
            let of_samples = |g: &Gains| {
                g.samples.iter().map(|[value, slope]| [*value, slope / time]).collect::<Vec<_>>()
            };
            let samples = of_samples(first);
            let mut lists = samples.iter().zip(of_samples(other));
            if parts(&state(first), &state(other)) || lists.any(|(a, b)| parts(a, &b)) {
                self.parted = Some(t);
            }
            for k in 0..self.changes.len() {
                let rounding = EQUAL * first.sizes[k].max(other.sizes[k]);
                let [a, b] = [first, other].map(|g| g.numbers[k]);
                self.unsure |= (a - b).abs() > rounding && parts(&[a], &[b]);
            }
        }
        for (own, of) in [(&mut self.x, &first.x), (&mut self.v, &first.v)] {
            own.iter_mut().zip(of).for_each(|(own, of)| *own += of);
        }
        self.out.numbers.iter_mut().zip(&first.numbers).for_each(|(own, of)| *own += of);
        for ((list, out), of) in self.lists.iter().zip(&mut self.out.samples).zip(&first.samples) {
            // The piece before the instant, for that is where the event is approached.
            let at = list.times.partition_point(|s| *s < t).saturating_sub(1);
            list.add(out, at, t, *of);
        }
    }

    /// The same of one of what reaches zero then.
    fn guarded(&mut self, b: &Nominal<'_>, about: &About<'_>, guard: &Guard, later: f64) -> Gains {
        let mode = &*b.arc.mode;
        let by = -later / guard.rate;
        let adjoint = &mut self.adjoint;
        adjoint.clear();
        // ∂h: that of `Mode::value`.
        match guard.reached {
            Reached::Speed(e) => {
                let c = &mode.parts.contacts[e];
                let by = f64::from(mode.signs[e]) * by;
                adjoint.x[c.a].0[1] += by;
                adjoint.x[c.b].0[1] -= by;
            }
            Reached::Margin(i, side) => {
                for &(e, way) in &mode.clusters.cuts[i].sliders {
                    adjoint.lambda[e].0[0] -= f64::from(way * side) * by;
                }
            }
        }
        mode.turn(RATES, true, adjoint);
        let mut numbers = Vec::with_capacity(self.changes.len());
        let mut sizes = Vec::with_capacity(self.changes.len());
        for change in self.changes {
            let of_loads = loads(change, b, about, &mut self.room, adjoint, RATES);
            let of_limit = by * change.limit(mode, &guard.reached, about, b.start);
            numbers.push(of_loads + of_limit);
            sizes.push(adjoint.size(&self.room, mode.parts.fastest_time(), RATES) + of_limit.abs());
        }
        let samples = self.lists.iter().map(|list| {
            let [value, slope] = list.gained(mode, adjoint);
            let mut of_limit = 0.0;
            if let (Inlet::SliderNormal(own), Reached::Margin(i, _)) = (list.of, guard.reached) {
                let held = mode.clusters.cuts[i].sliders.iter().filter(|s| s.0 == own).count();
                of_limit = by * held as f64 * mode.parts.contacts[own].breakaway;
            }
            [value + of_limit, slope]
        });
        let samples = samples.collect();
        let free = |i: usize| if mode.parts.given[i] { 0.0 } else { 1.0 };
        let of = |k: usize| adjoint.x.iter().enumerate().map(|(i, x)| free(i) * x.0[k]).collect();
        Gains { x: of(0), v: of(1), numbers, sizes, samples }
    }

    /// The start: what rests together moves together.
    fn begin(&mut self, n: &Nominal<'_>) {
        let t = n.start;
        let parts = &n.arc.mode.parts;
        for k in 0..self.changes.len() {
            let change = &self.changes[k];
            let of = |i: usize| -> Vec<f64> {
                let free = change.start.iter().enumerate();
                let free = free.map(|(node, s)| match parts.given[node] {
                    true => change.given(n, node)[i],
                    false => s[i],
                });
                free.chain([0.0]).collect()
            };
            if change.pushes(n, [&of(0), &of(1)], &mut self.room) {
                self.lose_one(k, t, Gap::StartsAtRest);
            }
        }
        for why in n.gaps_at_start() {
            let depends = self.depends();
            self.lose(t, why, depends);
        }
        self.v = n.arc.mode.turn_join(&self.v);
        self.take_given(n);
        for (change, number) in self.changes.iter().zip(&mut self.out.numbers) {
            let of = change.start.iter().zip(self.x.iter().zip(&self.v));
            *number += of.map(|(s, (x, v))| s[0] * x + s[1] * v).sum::<f64>();
        }
    }
}

/// Whether two lists of derivatives are not the same.
fn parts(a: &[f64], b: &[f64]) -> bool {
    let largest = a.iter().chain(b).fold(0.0, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).any(|(a, b)| (a - b).abs() > AGREE * largest)
}

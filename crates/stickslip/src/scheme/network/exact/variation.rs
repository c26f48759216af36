//! How the exact motion of a network changes with numbers of it.
//!
//! With δ the derivative of the motion at a fixed time with respect to a number p, and h what reaches zero at an event (the velocity of
//! a slider that comes to rest, the distance of a cut from its limit):
//!
//! ```text
//! arc          M δẍ + C δẋ + K δx + Gᵀδλ = ∂ₚF − ∂ₚM ẍ − ∂ₚC ẋ − ∂ₚK x,     δλ = ± ∂ₚ(f_d N) in slip
//! event        δt = −(h(δ) + ∂ₚh)/ḣ,   δx ← δx + (ẋ⁻ − ẋ⁺) δt,   δẋ ← δẋ + (ẍ⁻ − ẍ⁺) δt
//! ```
//!
//! An arc is linear, so its derivative obeys the same equations under other loads, and is the same power series. What sticks together
//! after an event has one velocity; what nodes without mass do follows from the balance of forces.

use super::arc::ExactArc;
use super::cuts::Cut;
use super::mode::{ClusterMotion, Mode, Series};
use super::power::{ORDER, Power, radius};
use super::tangent::Reached;
use crate::motion::{Event, Segment, Warning};
use crate::scheme::gap::Gap;
use crate::scheme::network::{NetworkArc, NetworkPath};
use crate::signal::SignalRate;
use std::borrow::Cow;

/// How everything in the equations of a network changes with a number.
#[derive(Debug, Default)]
pub(crate) struct Change<'a> {
    /// Displacement and velocity of each node at the start.
    pub start: Vec<[f64; 2]>,
    /// Of what changes alone: its index, and by how much.
    pub masses: Vec<(usize, f64)>,
    pub shared: Vec<(usize, f64)>,
    pub springs: Vec<(usize, f64)>,
    pub dashpots: Vec<(usize, f64)>,
    pub breakaway: Vec<(usize, f64)>,
    pub dynamic: Vec<(usize, f64)>,
    /// By nodes.
    pub forces: Vec<(usize, SignalRate<'a>)>,
    pub motions: Vec<(usize, SignalRate<'a>)>,
    /// By sliders.
    pub normals: Vec<(usize, SignalRate<'a>)>,
}

/// Derivatives of a motion.
#[derive(Debug, Default)]
pub(crate) struct Variation {
    /// Of x and ẋ: those of the first node at the first time with respect to every number, of the second node, …, at the second time, ….
    pub x: Vec<f64>,
    pub v: Vec<f64>,
    /// Of the times of the events.
    pub event_times: Vec<f64>,
    /// When there is none, and why.
    pub gaps: Vec<(f64, Gap)>,
}

/// What differs by less than this share of its size is taken for equal.
const EQUAL: f64 = 1e-9;
/// An event is met to this share of what reaches zero there, however inexactly its instant is known.
const MET: f64 = 1e-6;
/// Times of one event by several guards agree to this share of the largest.
const AGREE: f64 = 1e-6;
/// Parts of one arc after which it is not followed any further.
const MOST_PARTS: usize = 20_000;
/// Beyond the radius of a series by this factor its last terms are 28 times as large: still a rounding.
const STRETCH: f64 = 1.15;
/// A series that is cut where its last terms are below this share of the largest.
const SMALL: f64 = 0.1 * f64::EPSILON;
/// The order of series that show forces and how fast these change.
const RATES: usize = 4;

/// An arc of the motion with its series.
struct Nominal<'a> {
    arc: &'a ExactArc,
    series: Series,
    start: f64,
    end: f64,
}

/// The motion about an instant: x of each node and N of each slider.
struct About<'a> {
    t: f64,
    x: Cow<'a, [Power]>,
    normal: Cow<'a, [Power]>,
}

/// A small change of x and ẋ of each node and the ground.
#[derive(Debug, Clone)]
struct Small {
    x: Vec<f64>,
    v: Vec<f64>,
    /// Whether there is none any longer.
    lost: bool,
}

struct Walk<'a> {
    changes: &'a [Change<'a>],
    now: Vec<Small>,
    room: Series,
    nodes: usize,
    out: Variation,
}

/// The derivatives of `path`, an exact one, with respect to some numbers at `times` (s, not decreasing); nothing where an arc is too
/// stiff to be followed, or the path is of another scheme.
pub(crate) fn vary(path: &NetworkPath, changes: &[Change<'_>], times: &[f64]) -> Option<Variation> {
    let exact = |s: &'_ Segment<NetworkArc>| matches!(s.arc, NetworkArc::Exact(_));
    let first = path.segments().first().filter(|_| path.segments().iter().all(exact))?;
    let NetworkArc::Exact(arc) = &first.arc else { return None };
    let nodes = arc.mode.parts.ground;
    let of = |c: &Change<'_>, i: usize| c.start.iter().map(|s| s[i]).chain([0.0]).collect();
    let mut walk = Walk {
        changes,
        now: changes.iter().map(|c| Small { x: of(c, 0), v: of(c, 1), lost: false }).collect(),
        room: Series::new(&arc.mode.parts),
        nodes,
        out: Variation {
            x: vec![f64::NAN; times.len() * nodes * changes.len()],
            v: vec![f64::NAN; times.len() * nodes * changes.len()],
            ..Variation::default()
        },
    };
    let mut warned: Vec<&Warning> =
        path.warnings().iter().filter(|w| w.parts_neighbours()).collect();
    let mut events = path.events();
    let mut left = 0..times.len();
    let mut before: Option<Nominal<'_>> = None;
    for (i, s) in path.segments().iter().enumerate() {
        let NetworkArc::Exact(arc) = &s.arc else { return None };
        let here = Nominal { arc, series: arc.series(), start: s.start, end: s.end };
        let count = events.iter().take_while(|e| e.time <= s.start).count();
        let (now, later) = events.split_at(count);
        events = later;
        match &before {
            None => walk.begin(&here, now),
            Some(b) => walk.pass(b, &here, now),
        }
        warned.retain(|w| !walk.warns(w, s.end));
        let last = i + 1 == path.segments().len();
        let until = times.partition_point(|t| *t < s.end || last);
        let inside = left.start..until.max(left.start);
        left.start = inside.end;
        for k in 0..changes.len() {
            walk.follow(k, &here, times, inside.clone())?;
        }
        before = Some(here);
    }
    walk.out.event_times.resize(path.events().len() * changes.len(), f64::NAN);
    Some(walk.out)
}

impl Walk<'_> {
    /// There is no derivative from `t` on, with respect to number `k` or to all.
    fn lose(&mut self, t: f64, why: Gap, k: Option<usize>) {
        let all = self.now.iter_mut().enumerate();
        all.filter(|(i, _)| k.is_none_or(|k| k == *i)).for_each(|(_, d)| d.lost = true);
        if !self.out.gaps.contains(&(t, why.clone())) {
            self.out.gaps.push((t, why));
        }
    }

    /// Whether a warning is of a time before `end`, so that it has been taken account of.
    fn warns(&mut self, w: &Warning, end: f64) -> bool {
        let Some(time) = w.time().filter(|t| *t < end) else { return false };
        self.lose(time, Gap::Warned(w.clone()), None);
        true
    }
}

// --- Along an arc -----------------------------------------------------------------------------------

impl Walk<'_> {
    /// Number `k` along an arc, reading off what is asked for at those of the `times` that are `inside`.
    fn follow(
        &mut self,
        k: usize,
        here: &Nominal<'_>,
        times: &[f64],
        inside: std::ops::Range<usize>,
    ) -> Option<()> {
        if self.now[k].lost {
            return Some(());
        }
        let mode = &here.arc.mode;
        let change = &self.changes[k];
        if change.is_idle(mode) && self.now[k].is_none() {
            // Nothing has come of it so far, as of a limit that was not reached yet.
            let count = self.changes.len();
            for at in inside.flat_map(|i| (0..self.nodes).map(move |node| (i, node))) {
                let at = (at.0 * self.nodes + at.1) * count + k;
                (self.out.x[at], self.out.v[at]) = (0.0, 0.0);
            }
            return Some(());
        }
        let mut about = here.about(here.start);
        let mut wanted = inside;
        for _ in 0..MOST_PARTS {
            let small = &mut self.now[k];
            let room = &mut self.room;
            let left = here.end - about.t;
            let fill = |last: usize, x: &[f64], v: &[f64], room: &mut Series| {
                let given = |s: &mut Series| push(change, mode, &about, here.start, s);
                mode.vary_with(x, v, last, room, given);
            };
            // Short arcs, as those between samples, need few terms.
            let order = needed(&about.x, left);
            fill(order, &small.x, &small.v, room);
            if order < ORDER && !is_short(&room.x, order, left) {
                fill(ORDER, &small.x, &small.v, room);
            }
            let reach = radius(&room.x);
            let ends = left <= STRETCH * reach || is_short(&room.x, order, left);
            let tau = if ends { left } else { reach };
            while let Some(i) = wanted.clone().next().filter(|i| ends || times[*i] < about.t + tau)
            {
                let by = (times[i] - about.t).clamp(0.0, tau);
                for node in 0..self.nodes {
                    let at = (i * self.nodes + node) * self.changes.len() + k;
                    self.out.x[at] = room.x[node].at(by);
                    self.out.v[at] = room.x[node].derivative().at(by);
                }
                wanted.start += 1;
            }
            for (i, x) in room.x.iter().enumerate() {
                (small.x[i], small.v[i]) = (x.at(tau), x.derivative().at(tau));
            }
            if ends {
                return Some(());
            }
            let t = about.t + tau;
            if t == about.t || tau.is_nan() {
                return None;
            }
            about = here.about(t);
        }
        None
    }
}

impl Nominal<'_> {
    /// The motion about another instant of the arc.
    fn about(&self, t: f64) -> About<'_> {
        let by = t - self.start;
        let x = &self.series.x[..];
        let normal = &self.series.normal[..];
        if by == 0.0 {
            return About { t, x: x.into(), normal: normal.into() };
        }
        let all = |of: &[Power]| of.iter().map(|p| shifted(p, by)).collect::<Vec<_>>().into();
        About { t, x: all(x), normal: all(normal) }
    }
}

/// The same polynomial about a point that is `by` farther on.
fn shifted(p: &Power, by: f64) -> Power {
    let mut c = *p;
    for first in 0..ORDER {
        for k in (first..ORDER).rev() {
            c.0[k] += by * c.0[k + 1];
        }
    }
    c
}

/// The largest terms of each order at `tau`.
fn sizes(x: &[Power], tau: f64) -> [f64; ORDER + 1] {
    let mut power = 1.0;
    std::array::from_fn(|k| {
        let size = x.iter().fold(0.0, |m: f64, x| m.max(x.0[k].abs())) * power;
        power *= tau;
        size
    })
}

/// How many terms the series needs up to `tau`, and a few more.
fn needed(x: &[Power], tau: f64) -> usize {
    let sizes = sizes(x, tau);
    let largest = sizes[1..].iter().fold(0.0, |m: f64, s| m.max(*s));
    let last = (0..=ORDER).rev().find(|k| sizes[*k] > SMALL * largest).unwrap_or(0);
    (last + 4).clamp(8, ORDER)
}

/// Whether the last two of the terms up to order `last` are below a rounding at `tau`.
fn is_short(x: &[Power], last: usize, tau: f64) -> bool {
    let sizes = sizes(x, tau);
    let largest = sizes.iter().fold(0.0, |m: f64, s| m.max(*s));
    sizes[last].max(sizes[last - 1]) <= SMALL * largest
}

/// What a number does to the loads along the motion.
fn push(change: &Change<'_>, mode: &Mode, about: &About<'_>, from: f64, s: &mut Series) {
    let parts = &mode.parts;
    for (i, rate) in &change.motions {
        rate.add_series(from, about.t, &mut s.x[*i].0);
    }
    for (i, rate) in &change.forces {
        rate.add_series(from, about.t, &mut s.rest[*i].0);
    }
    let velocity = |p: &Power| p.derivative();
    let acceleration = |p: &Power| p.derivative().derivative();
    for (i, m) in &change.masses {
        s.rest[*i] = s.rest[*i].plus(-m, &acceleration(&about.x[*i]));
    }
    for (i, m) in &change.shared {
        let [a, b] = parts.shared[*i].between;
        s.rest[a] = s.rest[a].plus(-m, &acceleration(&about.x[b]));
        s.rest[b] = s.rest[b].plus(-m, &acceleration(&about.x[a]));
    }
    for (i, k) in &change.springs {
        let b = &parts.springs[*i];
        let stretch = about.x[b.a].plus(-1.0, &about.x[b.b]);
        s.rest[b.a] = s.rest[b.a].plus(-k, &stretch);
        s.rest[b.b] = s.rest[b.b].plus(*k, &stretch);
    }
    for (i, c) in &change.dashpots {
        let b = &parts.dashpots[*i];
        let rate = velocity(&about.x[b.a].plus(-1.0, &about.x[b.b]));
        s.rest[b.a] = s.rest[b.a].plus(-c, &rate);
        s.rest[b.b] = s.rest[b.b].plus(*c, &rate);
    }
    let mut slides = |e: usize, by: f64, of: &Power| {
        if mode.signs[e] == 0 {
            return;
        }
        let c = &parts.contacts[e];
        let by = f64::from(mode.signs[e]) * by;
        s.lambda[e] = s.lambda[e].plus(by, of);
        s.rest[c.a] = s.rest[c.a].plus(-by, of);
        s.rest[c.b] = s.rest[c.b].plus(by, of);
    };
    for (e, f) in &change.dynamic {
        slides(*e, *f, &about.normal[*e]);
    }
    for (e, rate) in &change.normals {
        let mut normal = Power::ZERO;
        rate.add_series(from, about.t, &mut normal.0);
        slides(*e, mode.sliding[*e], &normal);
    }
}

// --- At an instant ----------------------------------------------------------------------------------

/// What reaches zero at an event, and how fast.
struct Guard {
    reached: Reached,
    rate: f64,
    /// Whether a slider changes its phase by it; else its event is the next one, at the same instant.
    changes: bool,
}

impl Walk<'_> {
    /// The start: what rests together moves together.
    fn begin(&mut self, n: &Nominal<'_>, events: &[Event]) {
        let t = n.start;
        self.out.event_times.resize(events.len() * self.now.len(), f64::NAN);
        let parts = &n.arc.mode.parts;
        let nodes = parts.network.nodes();
        let places: Vec<f64> = nodes.iter().map(|n| n.displacement).chain([0.0]).collect();
        for k in 0..self.now.len() {
            self.take_given(k, n);
            if self.pushes(k, n) {
                self.lose(t, Gap::StartsAtRest, Some(k));
            }
            self.join(k, n);
        }
        if n.jumps_from(&places) {
            self.lose(t, Gap::Jumps, None);
        }
        if n.is_at_limit(&vec![0; n.arc.mode.signs.len()], &[]) {
            self.lose(t, Gap::AtLimit, None);
        }
    }

    /// What prescribed nodes do to number `k` from the start of an arc on.
    fn take_given(&mut self, k: usize, n: &Nominal<'_>) {
        let parts = &n.arc.mode.parts;
        let small = &mut self.now[k];
        for i in (0..=parts.ground).filter(|&i| parts.given[i]) {
            let mut first = [0.0; RATES];
            for (_, rate) in self.changes[k].motions.iter().filter(|m| m.0 == i) {
                rate.add_series(n.start, n.start, &mut first);
            }
            (small.x[i], small.v[i]) = (first[0], first[1]);
        }
    }

    /// What sticks together has one velocity.
    fn join(&mut self, k: usize, n: &Nominal<'_>) {
        let small = &mut self.now[k];
        let exact = vec![0.0; small.v.len()];
        small.v = n.arc.mode.join(&small.v, &exact).velocity;
    }

    /// Whether number `k` pushes at the start what rests there, so that a push the other way has another effect. One that stops at
    /// once does not count: a cluster whose sliders would all stop it takes it as a whole.
    fn pushes(&mut self, k: usize, n: &Nominal<'_>) -> bool {
        let mode = &n.arc.mode;
        let small = &self.now[k];
        let parts = &mode.parts;
        let joined = mode.join(&small.v, &vec![0.0; small.v.len()]).velocity;
        let heavy = |i: usize| parts.mass[i] > 0.0 && !parts.given[i];
        let pushed: Vec<usize> = (0..parts.ground)
            .filter(|&i| heavy(i) && small.v[i] != joined[i])
            .map(|i| mode.clusters.set[i])
            .collect();
        let stops = |e: usize| {
            let c = &parts.contacts[e];
            let sliding = c.dynamic * n.series.normal[e].0[0];
            !mode.clusters.looped.contains(&e)
                && n.series.lambda[e].0[0].abs() < sliding * (1.0 - EQUAL)
        };
        for (e, c) in parts.contacts.iter().enumerate().filter(|c| mode.signs[c.0] == 0) {
            if pushed.contains(&mode.clusters.set[c.a]) && !stops(e) {
                return true;
            }
        }
        let about = n.about(n.start);
        let given = |s: &mut Series| push(&self.changes[k], mode, &about, n.start, s);
        mode.vary_with(&small.x, &joined, RATES, &mut self.room, given);
        let slow = |e: usize| {
            let c = &parts.contacts[e];
            let [a, b] = [c.a, c.b].map(|i| n.series.x[i].0[1]);
            let rubs = c.dynamic.max(c.breakaway) * n.series.normal[e].0[0] > 0.0;
            rubs && (a - b).abs() <= EQUAL * (a.abs() + b.abs())
                && self.room.slip(c.a, c.b).0[0] != 0.0
        };
        (0..mode.signs.len()).any(|e| mode.signs[e] != 0 && slow(e))
    }

    /// From one arc to the next, at the instant of these events.
    fn pass(&mut self, b: &Nominal<'_>, n: &Nominal<'_>, events: &[Event]) {
        let t = n.start;
        let mode = &n.arc.mode;
        let breaks = mode.parts.breakpoints.binary_search_by(|at| at.total_cmp(&t)).is_ok();
        let goes_on = b.arc.mode.signs == mode.signs;
        let moved: Vec<f64> = self.changes.iter().map(|c| c.breakpoint(t)).collect();
        let (guards, why) = if goes_on { (Vec::new(), b.touches()) } else { b.guards(n) };
        if let Some(why) = why {
            self.lose(t, why, None);
        }
        if !goes_on && (guards.is_empty() != breaks) {
            // Nothing tells why sliders change their phase, or two things do.
            self.lose(t, Gap::Together, None);
        }
        if (!goes_on || breaks) && n.is_at_limit(&b.arc.mode.signs, &b.pending(&guards)) {
            self.lose(t, Gap::AtLimit, None);
        }
        let was: Vec<f64> = b.series.x.iter().map(|x| x.at(t - b.start)).collect();
        if !goes_on && n.jumps_from(&was) {
            self.lose(t, Gap::Jumps, None);
        }
        let late: Vec<f64> = if guards.is_empty() { moved } else { self.late(b, t, &guards) };
        if !goes_on || late.iter().any(|l| *l != 0.0) {
            self.jump(b, n, &late);
        }
        for k in 0..self.now.len() {
            self.take_given(k, n);
            if !goes_on || breaks {
                self.join(k, n);
            }
            if !self.now[k].lost && !self.leads_alike(k, n) {
                self.lose(t, Gap::Together, Some(k));
            }
        }
        for _ in events {
            let of = |(d, l): (&Small, &f64)| if d.lost { f64::NAN } else { *l };
            self.out.event_times.extend(self.now.iter().zip(&late).map(of));
        }
    }

    /// Whether prescribed nodes that move as one still do so with another value of number `k`.
    fn leads_alike(&self, k: usize, n: &Nominal<'_>) -> bool {
        let motions = &self.changes[k].motions;
        if motions.is_empty() {
            return true;
        }
        let rate = |i: usize| {
            let mut first = [0.0; RATES];
            motions
                .iter()
                .filter(|m| m.0 == i)
                .for_each(|m| m.1.add_series(n.start, n.start, &mut first));
            [first[1], first[2], first[3]]
        };
        let mode = &n.arc.mode;
        let alike = &mode.clusters.alike;
        let stick = |i: usize| {
            let mut contacts = mode.parts.contacts.iter().zip(&mode.signs);
            contacts.any(|(c, s)| *s == 0 && mode.clusters.set[c.a] == mode.clusters.set[i])
        };
        (0..mode.parts.ground)
            .filter(|&i| mode.parts.given[i] && alike[i] != i && stick(i))
            .all(|i| rate(i) == rate(alike[i]))
    }

    /// By how much the event comes later with each number.
    fn late(&mut self, b: &Nominal<'_>, t: f64, guards: &[Guard]) -> Vec<f64> {
        let about = b.about(t);
        let mode = &b.arc.mode;
        let mut out = Vec::with_capacity(self.now.len());
        for k in 0..self.now.len() {
            if self.now[k].lost {
                out.push(f64::NAN);
                continue;
            }
            let change = &self.changes[k];
            let given = |s: &mut Series| push(change, mode, &about, b.start, s);
            let small = &self.now[k];
            mode.vary_with(&small.x, &small.v, RATES, &mut self.room, given);
            let late: Vec<f64> = guards
                .iter()
                .map(|g| {
                    let own = change.limit(mode, &g.reached, &about, b.start);
                    -(mode.value(&self.room, &g.reached, 0.0).0 + own) / g.rate
                })
                .collect();
            let largest = late.iter().fold(0.0, |m: f64, l| m.max(l.abs()));
            if late.iter().any(|l| (l - late[0]).abs() > AGREE * largest) {
                self.lose(t, Gap::Together, Some(k));
            }
            out.push(late[0]);
        }
        out
    }

    /// The jump of the changes where the motion has another velocity or acceleration from the event on.
    fn jump(&mut self, b: &Nominal<'_>, n: &Nominal<'_>, late: &[f64]) {
        let tau = n.start - b.start;
        for i in 0..self.nodes {
            let before = b.series.x[i].derivative();
            let after = &n.series.x[i].0;
            let jump = [before.at(tau) - after[1], before.derivative().at(tau) - 2.0 * after[2]];
            for (d, late) in self.now.iter_mut().zip(late).filter(|d| !d.0.lost) {
                d.x[i] += jump[0] * late;
                d.v[i] += jump[1] * late;
            }
        }
    }
}

impl Small {
    /// Whether nothing changes.
    fn is_none(&self) -> bool {
        self.x.iter().chain(&self.v).all(|u| *u == 0.0)
    }
}

impl Change<'_> {
    /// Whether it is no load on the motion in this mode.
    fn is_idle(&self, mode: &Mode) -> bool {
        let alone = [&self.masses, &self.shared, &self.springs, &self.dashpots];
        let signals = [&self.forces, &self.motions, &self.normals];
        alone.iter().all(|l| l.is_empty())
            && signals.iter().all(|l| l.is_empty())
            && self.dynamic.iter().all(|(e, _)| mode.signs[*e] == 0)
    }

    /// By how much the breakpoint of the signals at `t` comes later, s.
    fn breakpoint(&self, t: f64) -> f64 {
        let all = self.forces.iter().chain(&self.motions).chain(&self.normals);
        all.filter_map(|(_, r)| r.breakpoint(t)).find(|moved| *moved != 0.0).unwrap_or(0.0)
    }

    /// What it adds to the limit of a cut.
    fn limit(&self, mode: &Mode, reached: &Reached, about: &About<'_>, from: f64) -> f64 {
        let Reached::Margin(i, _) = *reached else { return 0.0 };
        let mut sum = 0.0;
        for &(e, _) in &mode.clusters.cuts[i].sliders {
            let own = self.breakaway.iter().filter(|b| b.0 == e);
            sum += own.map(|b| b.1 * about.normal[e].0[0]).sum::<f64>();
            for (_, rate) in self.normals.iter().filter(|n| n.0 == e) {
                let mut first = [0.0; RATES];
                rate.add_series(from, about.t, &mut first);
                sum += mode.parts.contacts[e].breakaway * first[0];
            }
        }
        sum
    }
}

impl Nominal<'_> {
    /// What reaches zero at the end of the arc, where `n` begins in other phases, and why there is no derivative.
    fn guards(&self, n: &Nominal<'_>) -> (Vec<Guard>, Option<Gap>) {
        let tau = n.start - self.start;
        let mode = &self.arc.mode;
        let [from, to] = [&mode.signs, &n.arc.mode.signs];
        let slow = (0..from.len()).filter(|e| from[*e] != 0);
        let slow = slow.map(|e| (from[e] != to[e], Reached::Speed(e)));
        let cuts = mode.clusters.cuts.iter().enumerate();
        let loose = cuts.flat_map(|(i, c)| {
            let opens = |side: i8| c.sliders.iter().all(|&(e, way)| to[e] == side * way);
            [1, -1].map(|side| (opens(side), Reached::Margin(i, side)))
        });
        let mut found: Vec<(f64, Guard)> = Vec::new();
        let mut why = None;
        for (changes, reached) in slow.chain(loose) {
            let (value, rate, sizes) = mode.measured(&self.series, &reached, tau);
            // Without friction there is no limit that could be reached.
            if sizes.0 == 0.0 {
                continue;
            }
            let near = value.abs() / sizes.0;
            if near >= if changes { MET } else { EQUAL } {
                continue;
            }
            if rate >= -EQUAL * sizes.1 {
                why = Some(if changes { Gap::Grazes } else { Gap::Together });
            }
            found.push((near, Guard { reached, rate, changes }));
        }
        found.sort_by(|a, b| b.1.changes.cmp(&a.1.changes).then(a.0.total_cmp(&b.0)));
        // What is farther from zero than the first changes because the first does.
        let guards = found.into_iter().enumerate().filter(|(i, g)| *i == 0 || g.0 < EQUAL);
        let guards: Vec<Guard> = guards.map(|g| g.1.1).collect();
        if guards.first().is_some_and(|g| !g.changes) {
            // Something else has changed the phases, and this comes with it.
            why = Some(Gap::Together);
        }
        (guards, why)
    }

    /// Sliders whose event is the next one, at the same instant.
    fn pending(&self, guards: &[Guard]) -> Vec<usize> {
        let sliders = |g: &Guard| match g.reached {
            Reached::Speed(e) => vec![e],
            Reached::Margin(i, _) => {
                self.arc.mode.clusters.cuts[i].sliders.iter().map(|s| s.0).collect()
            }
        };
        guards.iter().filter(|g| !g.changes).flat_map(sliders).collect()
    }

    /// Why there is no derivative where the arc ends although nothing changes: the velocity of a slip has touched zero.
    fn touches(&self) -> Option<Gap> {
        let mode = &self.arc.mode;
        let tau = self.end - self.start;
        let slips = (0..mode.signs.len()).filter(|e| mode.signs[*e] != 0);
        let mut touching = slips.filter(|e| {
            let c = &mode.parts.contacts[*e];
            let [a, b] = [c.a, c.b].map(|i| self.series.x[i].derivative());
            (a.at(tau) - b.at(tau)).abs() < 1e-3 * EQUAL * (a.size(tau) + b.size(tau))
        });
        touching.next().map(|_| Gap::Grazes)
    }

    /// Whether what sticks from the start of the arc on is at its limit there. Sliders that slid that way `before` are where nodes have
    /// no mass, for there the force does not jump when the slip ends.
    /// Those that are `pending` give way next.
    fn is_at_limit(&self, before: &[i8], pending: &[usize]) -> bool {
        let mode = &self.arc.mode;
        let cuts = mode.clusters.cuts.iter().enumerate();
        let slid = |c: &Cut, side: i8| c.sliders.iter().all(|&(e, way)| before[e] == side * way);
        let mut sides = cuts.flat_map(|(i, c)| [1, -1].map(|side| (i, c, side)));
        sides.any(|(i, c, side)| {
            if slid(c, side) || c.sliders.iter().all(|(e, _)| pending.contains(e)) {
                return false;
            }
            let (value, _, sizes) = mode.measured(&self.series, &Reached::Margin(i, side), 0.0);
            sizes.0 > 0.0 && value.abs() < EQUAL * sizes.0
        })
    }

    /// Whether nodes without mass jump from these places in a way that a balance of forces alone does not tell.
    fn jumps_from(&self, places: &[f64]) -> bool {
        let mode = &self.arc.mode;
        let parts = &mode.parts;
        let free = |i: &usize| parts.mass[*i] == 0.0 && !parts.given[*i];
        let size = places.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let jump = |i: usize| self.series.x[i].0[0] - places[i];
        let alike = |a: f64, b: f64| (a - b).abs() <= EQUAL * size;
        let mut first: Vec<Option<f64>> = vec![None; parts.ground + 1];
        (0..parts.ground).filter(free).any(|i| match mode.rests_on_springs(i) {
            // All nodes that move as one by their springs jump by the same.
            Some(vertex) => !alike(jump(i), *first[vertex].get_or_insert(jump(i))),
            None => !alike(jump(i), 0.0),
        })
    }
}

impl Mode {
    /// The number of the set of nodes without mass that springs alone hold in place, if node `i` is in one.
    fn rests_on_springs(&self, i: usize) -> Option<usize> {
        (self.motion[self.clusters.set[i]] == ClusterMotion::Massless)
            .then(|| self.statics.vertex[i])?
    }
}

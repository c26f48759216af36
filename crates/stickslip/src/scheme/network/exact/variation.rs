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

use super::change::Change;
use super::mode::Series;
use super::nominal::{AGREE, Guard, MOST_PARTS, Nominal, RATES};
use super::power::{ORDER, STRETCH, is_short, needed, radius};
use crate::motion::{Event, Segment, Warning};
use crate::scheme::gap::Gap;
use crate::scheme::network::{NetworkArc, NetworkPath};

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
        let here = Nominal::new(arc, s);
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
                let given = |s: &mut Series| change.push(mode, &about, here.start, s);
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

// --- At an instant ----------------------------------------------------------------------------------

impl Walk<'_> {
    /// The start: what rests together moves together.
    fn begin(&mut self, n: &Nominal<'_>, events: &[Event]) {
        let t = n.start;
        self.out.event_times.resize(events.len() * self.now.len(), f64::NAN);
        for k in 0..self.now.len() {
            self.take_given(k, n);
            let small = &self.now[k];
            if self.changes[k].pushes(n, [&small.x, &small.v], &mut self.room) {
                self.lose(t, Gap::StartsAtRest, Some(k));
            }
            self.join(k, n);
        }
        for why in n.gaps_at_start() {
            self.lose(t, why, None);
        }
    }

    /// What prescribed nodes do to number `k` from the start of an arc on.
    fn take_given(&mut self, k: usize, n: &Nominal<'_>) {
        let parts = &n.arc.mode.parts;
        let small = &mut self.now[k];
        for i in (0..=parts.ground).filter(|&i| parts.given[i]) {
            [small.x[i], small.v[i]] = self.changes[k].given(n, i);
        }
    }

    /// What sticks together has one velocity.
    fn join(&mut self, k: usize, n: &Nominal<'_>) {
        let small = &mut self.now[k];
        let exact = vec![0.0; small.v.len()];
        small.v = n.arc.mode.join(&small.v, &exact).velocity;
    }

    /// From one arc to the next, at the instant of these events.
    fn pass(&mut self, b: &Nominal<'_>, n: &Nominal<'_>, events: &[Event]) {
        let t = n.start;
        let passage = b.passage(n);
        for why in &passage.gaps {
            self.lose(t, why.clone(), None);
        }
        let moved: Vec<f64> = self.changes.iter().map(|c| c.breakpoint(t)).collect();
        let guards = &passage.guards;
        let late: Vec<f64> = if guards.is_empty() { moved } else { self.late(b, t, guards) };
        if !passage.goes_on || late.iter().any(|l| *l != 0.0) {
            self.jump(b, n, &late);
        }
        for k in 0..self.now.len() {
            self.take_given(k, n);
            if passage.joins() {
                self.join(k, n);
            }
            if !self.now[k].lost && !self.changes[k].leads_alike(n) {
                self.lose(t, Gap::Together, Some(k));
            }
        }
        for _ in events {
            let of = |(d, l): (&Small, &f64)| if d.lost { f64::NAN } else { *l };
            self.out.event_times.extend(self.now.iter().zip(&late).map(of));
        }
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
            let given = |s: &mut Series| change.push(mode, &about, b.start, s);
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
        for i in 0..self.nodes {
            let jump = b.jump(n, i);
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

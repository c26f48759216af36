//! Small networks side by side: the θ-method with the impulses of white noises and, of other noises, their values at both ends
//! of the step. θ = 1 is implicit Euler.

use super::cascade::pass;
use super::layout::{Layout, Parent, Place, Unknown};
use super::noises::Noises;
use super::pattern::Pattern;
use super::{Contact, Lane, Request};
use crate::error::Error;
use crate::instructions::{Instructions, Kernel, dispatch_narrow};
use crate::model::{Network, Problem};
use crate::motion::State;
use crate::scheme::network::just_before;
use crate::signal::noise::{CHUNK, Group};
use crate::signal::{Cursor, Signal};

/// `N` paths of a network.
#[derive(Debug, Clone)]
pub(crate) struct Networks<'a, const N: usize> {
    on: Instructions,
    h: f64,
    level: f64,
    /// The number of steps.
    steps: u64,
    layout: Layout,
    network: &'a Network,
    given: Given<'a>,
    noises: Noises<N>,
    /// Steps done.
    done: u64,
    /// By unknowns: of their nodes.
    x: Vec<Lane<N>>,
    v: Vec<Lane<N>>,
    /// By unknowns: the velocity that its slider sees, before the step.
    slip: Vec<Lane<N>>,
    passage: Vec<Lane<N>>,
    /// Of prescribed nodes.
    moved: Vec<State>,
    moved_passage: Vec<f64>,
    pattern: Pattern<N>,
    /// Of the network's sliders.
    pub contacts: Vec<Contact<N>>,
}

/// What is known of a chunk of steps.
#[derive(Debug, Clone)]
struct Given<'a> {
    /// Unknowns with a known force.
    forces: Vec<(usize, &'a Signal, Cursor<'a>)>,
    motions: Vec<&'a Signal>,
    normals: Vec<(usize, &'a Signal, Cursor<'a>)>,
    /// By steps: what is added to the right-hand side of each unknown, N·s; prescribed nodes at the end; factors of the
    /// sliders' forces.
    base: Vec<f64>,
    moved: Vec<State>,
    normal: Vec<f64>,
}

impl<'a> Given<'a> {
    fn new(network: &'a Network, layout: &Layout) -> Self {
        let nodes = network.nodes();
        let sliders = network.sliders();
        let zero = Signal::default();
        let force = |(k, u): (usize, &Unknown)| {
            let signal = &nodes[u.node].force;
            (*signal != zero).then(|| (k, signal, signal.cursor()))
        };
        let normals = sliders.iter().enumerate();
        let normals = normals.filter_map(|(e, s)| s.normal.as_ref().map(|n| (e, n, n.cursor())));
        Self {
            forces: layout.unknowns.iter().enumerate().filter_map(force).collect(),
            motions: layout.moved.iter().filter_map(|&i| nodes[i].motion.as_ref()).collect(),
            normals: normals.collect(),
            base: vec![0.0; CHUNK * layout.unknowns.len()],
            moved: vec![State::default(); CHUNK * layout.moved.len()],
            normal: vec![1.0; CHUNK * sliders.len()],
        }
    }

    fn restart(&mut self) {
        self.forces.iter_mut().for_each(|(_, signal, cursor)| *cursor = signal.cursor());
        self.normals.iter_mut().for_each(|(_, signal, cursor)| *cursor = signal.cursor());
    }

    /// Reads `count` steps of length `h` (s) after the first `done`, prescribed nodes being as they are `before` these. Signals may jump or bend at the ends of a step: what
    /// counts is their course inside.
    #[inline(never)]
    fn read(&mut self, layout: &Layout, done: u64, count: usize, h: f64, before: &[State]) {
        let Self { forces, motions, normals, base, moved, normal } = self;
        // What was written at the start, zeros and ones, holds for every chunk.
        if forces.is_empty() && motions.is_empty() && normals.is_empty() {
            return;
        }
        let n = layout.unknowns.len();
        let p = motions.len();
        let m = normal.len() / CHUNK;
        for i in 0..count {
            let start = (done + i as u64) as f64 * h;
            let t = (done + i as u64 + 1) as f64 * h;
            let base = &mut base[i * n..(i + 1) * n];
            base.fill(0.0);
            for (k, _, force) in forces.iter_mut() {
                let theta = layout.unknowns[*k].theta;
                let starts = force.value(start);
                // In order of time: the reader does not go back, and the value at the end is that with which the
                // force arrives there.
                base[*k] = h * (theta * force.before(t) + (1.0 - theta) * starts);
            }
            for (j, motion) in motions.iter().enumerate() {
                let (x, v) = just_before(motion, t);
                // The step before the first of a chunk stands in another chunk, which has been overwritten.
                let was = if i == 0 { before[j] } else { moved[(i - 1) * p + j] };
                moved[i * p + j] = State { x, v };
                for (k, u) in layout.unknowns.iter().enumerate() {
                    let e = j * n + k;
                    let place = u.theta * x + (1.0 - u.theta) * was.x;
                    base[k] += layout.by_place[e] * place
                        + layout.by_velocity[e] * v
                        + layout.by_velocity_before[e] * was.v;
                }
            }
            for (e, _, force) in normals.iter_mut() {
                normal[i * m + *e] = force.before(t).max(0.0);
            }
        }
    }
}

impl<'a, const N: usize> Networks<'a, N> {
    /// `None` where the network does not go in lanes: see [`Layout::new`].
    pub fn new(
        problem: &Problem,
        network: &'a Network,
        request: Request,
    ) -> Result<Option<Self>, Error> {
        let theta = request.rule.theta().unwrap_or(1.0);
        let Some(layout) = Layout::new(network, request.step, theta) else { return Ok(None) };
        let n = layout.unknowns.len();
        let mut noises = Noises::new(&problem.noises, request.step)?;
        // What acts on a prescribed node moves nothing.
        noises.channels.retain_mut(|c| match layout.places[c.node] {
            Place::Unknown(k) => {
                c.node = k;
                true
            }
            Place::Moved(_) => false,
        });
        Ok(Some(Self {
            on: request.on,
            h: request.step,
            level: request.level,
            steps: crate::grid::step_count(problem.end, request.step)? as u64,
            given: Given::new(network, &layout),
            network,
            noises,
            done: 0,
            x: vec![[0.0; N]; n],
            v: vec![[0.0; N]; n],
            slip: vec![[0.0; N]; n],
            passage: vec![[0.0; N]; n],
            moved: vec![State::default(); layout.moved.len()],
            moved_passage: vec![0.0; layout.moved.len()],
            pattern: Pattern::new(&layout, network.sliders().iter().any(|s| s.normal.is_some())),
            // Ways are counted in velocities and multiplied by h once, at the end.
            contacts: vec![Contact::new(request.step, 0.0); network.sliders().len()],
            layout,
        }))
    }

    pub fn restart(&mut self, group: Group<N>, used: usize) {
        self.noises.restart(group);
        self.given.restart();
        self.done = 0;
        for (state, motion) in self.moved.iter_mut().zip(&self.given.motions) {
            *state = State { x: motion.value(0.0), v: motion.derivative(0.0) };
        }
        let nodes = self.network.nodes();
        // A path that begins beyond the level has passed it at step 0.
        let passed = |x: f64| if x.abs() > self.level { 0.0 } else { f64::INFINITY };
        for (k, u) in self.layout.unknowns.iter().enumerate() {
            let node = &nodes[u.node];
            (self.x[k], self.v[k]) = ([node.displacement; N], [node.velocity; N]);
            self.passage[k] = [passed(node.displacement); N];
        }
        self.moved_passage = self.moved.iter().map(|u| passed(u.x)).collect();
        let velocity = |k: usize| nodes[self.layout.unknowns[k].node].velocity;
        let slip = |k: usize| match self.layout.unknowns[k].parent {
            Parent::Fixed => velocity(k),
            Parent::Moved(m) => velocity(k) - self.moved[m].v,
            Parent::Free(j) => velocity(k) - velocity(j),
        };
        self.slip = (0..self.x.len()).map(|k| [slip(k); N]).collect();
        let sign = |k: usize| {
            let way = slip(k);
            // Without a slider an unknown always counts as one that slips, whatever its sign: 0 puts no friction on
            // it.
            let none = self.layout.unknowns[k].rubs.is_none() || way == 0.0;
            if none { 0.0 } else { 1f64.copysign(way) }
        };
        self.pattern.restart(&self.layout, (0..self.x.len()).map(sign));
        for (k, u) in self.layout.unknowns.iter().enumerate() {
            if let Some(rubs) = &u.rubs {
                self.contacts[rubs.slider].restart(used, sign(k) == 0.0);
            }
        }
    }

    pub fn advance(&mut self, stop: u64) {
        while self.done < stop {
            let first = self.done % CHUNK as u64;
            if first == 0 {
                // A signal need not be known beyond the end of the run.
                let count = (self.steps - self.done).min(CHUNK as u64) as usize;
                self.noises.make(self.on, self.done / CHUNK as u64);
                self.given.read(&self.layout, self.done, count, self.h, &self.moved);
            }
            let count = (CHUNK as u64 - first).min(stop - self.done);
            let last = (first + count) as usize;
            let first = first as usize;
            let on = self.on;
            let march = March { paths: self, first, last };
            if N == 1 {
                march.run();
            } else {
                dispatch_narrow(on, march);
            }
            self.done += count;
            let moved = self.layout.moved.len();
            // The next chunk overwrites these, and its first step needs them.
            self.moved.copy_from_slice(&self.given.moved[(last - 1) * moved..last * moved]);
        }
    }

    pub fn state(&self, point: usize, lane: usize) -> State {
        match self.layout.places[point] {
            Place::Unknown(k) => State { x: self.x[k][lane], v: self.v[k][lane] },
            Place::Moved(m) => self.moved[m],
        }
    }

    pub fn passage(&self, point: usize, lane: usize) -> f64 {
        match self.layout.places[point] {
            Place::Unknown(k) => self.passage[k][lane],
            Place::Moved(m) => self.moved_passage[m],
        }
    }

    pub fn inexact(&self, lane: usize) -> u64 {
        self.pattern.inexact[lane]
    }

    /// Corrects no pattern.
    #[cfg(test)]
    pub(crate) fn give_away_at_once(&mut self) {
        self.pattern.single.most = 0;
    }

    /// b of step `i` of the chunk.
    #[inline(always)]
    fn load(&mut self, i: usize) {
        let Self { layout, given, noises, x, v, .. } = self;
        let n = layout.unknowns.len();
        let b = &mut self.pattern.b[..];
        let base = &given.base[i * n..(i + 1) * n];
        for (k, u) in layout.unknowns.iter().enumerate() {
            let x = &x[k];
            let v = &v[k];
            let known = base[k];
            // Of h θ k X⁺ + h (1 − θ) k X what is known: h k (X + θ (1 − θ) h V).
            let ahead = u.theta * u.old;
            let mut r = [0.0; N];
            for l in 0..N {
                let place = x[l] + ahead * v[l];
                r[l] = (u.mass - u.damped) * v[l] + (known - u.anchored * place);
            }
            b[k] = r;
        }
        for &(from, to, stiffness) in &layout.springs {
            let mut one = b[from];
            let mut other = b[to];
            let y = &x[to];
            let x = &x[from];
            let w = &v[to];
            let v = &v[from];
            let first = &layout.unknowns[from];
            let second = &layout.unknowns[to];
            for l in 0..N {
                let now = x[l] - y[l];
                let drift = first.old * v[l] - second.old * w[l];
                // Each end by its own θ, the drift being what both do by their velocities before.
                one[l] -= stiffness * (now + first.theta * drift);
                other[l] += stiffness * (now + second.theta * drift);
            }
            (b[from], b[to]) = (one, other);
        }
        for &(from, to, damping) in &layout.dashpots {
            let mut one = b[from];
            let mut other = b[to];
            let w = &v[to];
            let v = &v[from];
            for l in 0..N {
                let pull = damping * (v[l] - w[l]);
                one[l] -= pull;
                other[l] += pull;
            }
            (b[from], b[to]) = (one, other);
        }
        for c in &noises.channels {
            let mut r = b[c.node];
            if c.white {
                for l in 0..N {
                    r[l] += c.values[i][l];
                }
            } else {
                let before = &c.values[i];
                let after = &c.values[i + 1];
                // The values at both ends, weighted as all forces are; the impulse of white noise has no ends.
                let Unknown { old, new, .. } = layout.unknowns[c.node];
                for l in 0..N {
                    r[l] += new * after[l] + old * before[l];
                }
            }
            b[c.node] = r;
        }
        // Tᵀ: what acts on a node acts on all that it rides on. Children come first, so that a parent passes on the
        // whole.
        for &(k, parent) in layout.below.iter().rev() {
            let mut r = b[parent];
            let child = b[k];
            for l in 0..N {
                r[l] += child[l];
            }
            b[parent] = r;
        }
    }

    /// Velocities and places from y; `number` is that of the step, the first is 1.
    #[inline(always)]
    fn store(&mut self, i: usize, number: f64) {
        let Self { layout, given, x, v, slip, pattern, contacts, .. } = self;
        let moved = &given.moved[i * layout.moved.len()..];
        for (k, u) in layout.unknowns.iter().enumerate() {
            let x = &mut x[k];
            let v = &v[k];
            for l in 0..N {
                // Before the velocities are replaced, of which X⁺ takes (1 − θ) h.
                x[l] += u.old * v[l];
            }
        }
        for (k, u) in layout.unknowns.iter().enumerate() {
            let mut w = pattern.y[k];
            if let Some(rubs) = &u.rubs {
                let mut way = [0.0; N];
                for l in 0..N {
                    way[l] = (1.0 - rubs.theta) * slip[k][l] + rubs.theta * w[l];
                }
                contacts[rubs.slider].follow(number, &way, &w, Some(&pattern.alpha[k]));
                slip[k] = w;
            }
            // y is relative to the parent: first the roots of the trees get the velocity of what they stand on, then
            // the others that of their parents, from the roots outwards.
            if let Parent::Moved(m) = u.parent {
                let with = moved[m].v;
                for l in 0..N {
                    w[l] += with;
                }
            }
            v[k] = w;
        }
        for &(k, parent) in &layout.below {
            let mut w = v[k];
            let with = v[parent];
            for l in 0..N {
                w[l] += with[l];
            }
            v[k] = w;
        }
        for (u, (x, v)) in layout.unknowns.iter().zip(x.iter_mut().zip(v.iter())) {
            for l in 0..N {
                x[l] += u.new * v[l];
            }
        }
    }
}

/// Some steps of a chunk, which are compiled for wide vectors, too. One path alone has nothing to put side by side.
struct March<'m, 'a, const N: usize> {
    paths: &'m mut Networks<'a, N>,
    first: usize,
    last: usize,
}

impl<const N: usize> Kernel for March<'_, '_, N> {
    #[inline(always)]
    fn run(self) {
        let Self { paths, first, last } = self;
        let contacts = paths.contacts.len();
        for i in first..last {
            let number = (paths.done + (i - first) as u64 + 1) as f64;
            paths.load(i);
            let normal = &paths.given.normal[i * contacts..(i + 1) * contacts];
            paths.pattern.solve(&paths.layout, normal);
            paths.store(i, number);
            if paths.level < f64::INFINITY {
                paths.note_passages(i, number);
            }
        }
    }
}

impl<const N: usize> Networks<'_, N> {
    /// Which points have passed the level in step `i` of the chunk.
    #[inline(always)]
    fn note_passages(&mut self, i: usize, number: f64) {
        for (x, passage) in self.x.iter().zip(&mut self.passage) {
            pass(x, self.level, number, passage);
        }
        let moved = &self.given.moved[i * self.layout.moved.len()..];
        for (u, passage) in moved.iter().zip(&mut self.moved_passage) {
            // A prescribed node moves alike in all lanes.
            if u.x.abs() > self.level {
                *passage = passage.min(number);
            }
        }
    }
}

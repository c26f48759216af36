//! The path of a slab on isolators.

use super::assembly::{Loads, Matrices, loads};
use super::collocation::Links;
use super::reduced::{Reduced, Window};
use super::slab::velocity;
use crate::interrupt::Interrupt;
use crate::model::isolated::Isolated;
use crate::motion::{Energy, Event, EventKind, Motion, Path, Segment, State};
use crate::numeric::GAUSS;
use std::sync::Arc;

/// A slab with its floors at one instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IsolatedState {
    /// (x, y, θ) of the slab, then of each floor, m and rad.
    pub q: Vec<f64>,
    /// Their rates, m/s and rad/s.
    pub v: Vec<f64>,
    /// The friction of each isolator on the slab along x and y, N.
    pub friction: Vec<[f64; 2]>,
}

impl IsolatedState {
    /// The displacement of a place `at` (m) of the slab, m.
    pub fn displacement(&self, at: [f64; 2]) -> [f64; 2] {
        velocity(at, [self.q[0], self.q[1], self.q[2]])
    }

    /// The velocity of a place `at` (m) of the slab, m/s.
    pub fn velocity(&self, at: [f64; 2]) -> [f64; 2] {
        velocity(at, [self.v[0], self.v[1], self.v[2]])
    }
}

/// Which isolators rest.
pub type IsolatedPhase = Arc<[bool]>;

/// The path of a slab on isolators.
pub type IsolatedPath = Path<IsolatedArc>;

/// States on an equidistant grid, one row for each t_n = n h.
#[derive(Debug, Clone, PartialEq)]
pub struct IsolatedGrid {
    /// h, s.
    pub step: f64,
    bodies: usize,
    isolators: usize,
    rows: Vec<f64>,
    rests: Vec<bool>,
}

impl IsolatedGrid {
    pub(super) fn new(step: f64, bodies: usize, isolators: usize, count: usize) -> Self {
        let rows = Vec::with_capacity((count + 1) * (6 * bodies + 2 * isolators));
        let rests = Vec::with_capacity((count + 1) * isolators);
        Self { step, bodies, isolators, rows, rests }
    }

    pub(super) fn push(&mut self, q: &[f64], v: &[f64], friction: &[[f64; 2]], rests: &[bool]) {
        self.rows.extend_from_slice(q);
        self.rows.extend_from_slice(v);
        self.rows.extend_from_slice(friction.as_flattened());
        self.rests.extend_from_slice(rests);
    }

    /// At the start the friction is that of the first step.
    pub(super) fn settle(&mut self) {
        let width = self.width();
        let from = 6 * self.bodies;
        self.rows.copy_within(width + from..2 * width, from);
    }

    fn width(&self) -> usize {
        6 * self.bodies + 2 * self.isolators
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        (self.rows.len() / self.width()).saturating_sub(1)
    }

    fn row(&self, n: usize) -> &[f64] {
        let width = self.width();
        &self.rows[n * width..(n + 1) * width]
    }

    fn rests(&self, n: usize) -> &[bool] {
        &self.rests[n * self.isolators..(n + 1) * self.isolators]
    }

    /// Which isolators rest throughout step n, from node n on.
    fn phase(&self, n: usize) -> IsolatedPhase {
        self.rests(n).iter().zip(self.rests(n + 1)).map(|(a, b)| *a && *b).collect()
    }

    /// Linear interpolation between the steps at `t`; the friction is that of the step.
    pub fn at(&self, t: f64) -> IsolatedState {
        // A time that is a node but for its rounding is meant to be the node.
        let q = t / self.step;
        let node = q.round();
        let q = if (q - node).abs() <= 1e-9 { node } else { q };
        let n = (q as usize).min(self.steps() - 1);
        let a = self.row(n);
        let b = self.row(n + 1);
        let s = q - n as f64;
        let mix = |i: usize| a[i] + s * (b[i] - a[i]);
        let size = 3 * self.bodies;
        let friction = &if s > 0.0 { b } else { a }[2 * size..];
        IsolatedState {
            q: (0..size).map(mix).collect(),
            v: (size..2 * size).map(mix).collect(),
            friction: friction.chunks_exact(2).map(|f| [f[0], f[1]]).collect(),
        }
    }
}

/// A slab on isolators between two events.
#[derive(Debug, Clone)]
pub struct IsolatedArc {
    pub(super) model: Arc<Isolated>,
    pub(super) course: Course,
}

/// How it goes.
#[derive(Debug, Clone)]
pub(super) enum Course {
    /// Between the nodes of a stepping scheme.
    Steps(Arc<IsolatedGrid>),
    /// By collocation.
    Glide(Arc<Glide>),
}

/// A smooth motion between two events.
#[derive(Debug)]
pub(super) struct Glide {
    pub reduced: Reduced,
    pub links: Links,
}

impl Glide {
    /// Places and velocities at `t`, s.
    pub fn at(&self, t: f64) -> (Vec<f64>, Vec<f64>) {
        let n = self.reduced.size();
        let mut y = vec![0.0; n];
        let mut z = vec![0.0; n];
        if let Some((i, x)) = self.links.place(t) {
            self.links.at(i, x, &mut y, &mut z);
        }
        let mut q = vec![0.0; self.reduced.from.len()];
        let mut v = q.clone();
        self.reduced.state(&y, &z, &mut q, &mut v);
        (q, v)
    }

    /// The state at `t` (s), under the signals of `window`.
    fn state(&self, window: &Window<'_>, t: f64) -> IsolatedState {
        let (q, v) = self.at(t);
        let mut friction = vec![[0.0; 2]; self.reduced.model.isolators.len()];
        let spin_rate = self.reduced.spin_rate(window, t, &q, &v);
        self.reduced.forces(window, t, [&q, &v], spin_rate, &mut friction);
        IsolatedState { q, v, friction }
    }
}

impl IsolatedArc {
    /// What moves.
    pub fn model(&self) -> &Isolated {
        &self.model
    }

    /// The steps of a stepping scheme, if it is one's.
    pub fn grid(&self) -> Option<&IsolatedGrid> {
        match &self.course {
            Course::Steps(grid) => Some(grid),
            Course::Glide(_) => None,
        }
    }

    /// Number of steps between two events.
    pub(crate) fn steps(&self) -> usize {
        match &self.course {
            Course::Steps(_) => 0,
            Course::Glide(glide) => glide.links.count(),
        }
    }
}

impl Motion for IsolatedArc {
    type Phase = IsolatedPhase;
    type State = IsolatedState;
    type Event = Event;

    fn state(&self, t: f64) -> IsolatedState {
        match &self.course {
            Course::Steps(grid) => grid.at(t),
            Course::Glide(glide) => glide.state(&Window::new(&self.model, glide.reduced.start), t),
        }
    }
}

/// What happens between two steps in which an isolator rests or not.
pub(super) fn between(before: bool, after: bool) -> Option<EventKind> {
    match (before, after) {
        (true, false) => Some(EventKind::Slip),
        (false, true) => Some(EventKind::Stick),
        _ => None,
    }
}

/// The path over a grid, with its phases and events.
pub(super) fn path(model: Arc<Isolated>, grid: Arc<IsolatedGrid>, end: f64) -> IsolatedPath {
    let mut path = IsolatedPath::default();
    let last = grid.steps();
    let mut start = 0.0;
    let mut now = grid.phase(0);
    for n in 1..=last {
        let next = if n < last { grid.phase(n) } else { Arc::from([]) };
        if next == now {
            continue;
        }
        let stop = if n == last { end } else { n as f64 * grid.step };
        let arc = IsolatedArc { model: model.clone(), course: Course::Steps(grid.clone()) };
        path.push(Segment { phase: now.clone(), start, end: stop, arc });
        start = stop;
        if n == last {
            break;
        }
        let state = grid.at(stop);
        for (k, isolator) in model.isolators.iter().enumerate() {
            let Some(kind) = between(now[k], next[k]) else { continue };
            let x = state.displacement(isolator.at)[0];
            let v = state.velocity(isolator.at)[0];
            path.record(Event::new(kind, stop, k, State { x, v }));
        }
        now = next;
    }
    path
}

impl IsolatedPath {
    /// Where the work went, J: of steps the sums of what acts at their ends. The work of the ground is that of −M ι a on the motion relative to it.
    pub fn energy(&self) -> Energy {
        self.audited().unwrap_or_else(|| self.summed())
    }

    /// The same, summed over the path.
    fn summed(&self) -> Energy {
        let (Some(first), Some(last)) = (self.segments().first(), self.segments().last()) else {
            return Energy::default();
        };
        let powers = Powers { model: &first.arc.model, matrices: &Matrices::new(&first.arc.model) };
        let before = powers.stored(&first.arc.state(first.start));
        let after = powers.stored(&last.arc.state(last.end));
        let mut energy = Energy {
            kinetic: after[0] - before[0],
            elastic: after[1] - before[1],
            ..Energy::default()
        };
        let end = self.span().1;
        // All segments of a stepping scheme share one grid.
        if let Course::Steps(grid) = &first.arc.course {
            for n in Interrupt::parts_of(0..grid.steps()) {
                let next = (n + 1) as f64 * grid.step;
                let span = next.min(end) - n as f64 * grid.step;
                powers.add(&mut energy, span, &loads(powers.model, next), &grid.at(next));
            }
            return energy.if_complete();
        }
        for segment in Interrupt::parts_of(self.segments()) {
            let Course::Glide(glide) = &segment.arc.course else { continue };
            let window = Window::new(powers.model, glide.reduced.start);
            for [start, h] in &glide.links.times {
                // A segment may end inside a step.
                let h = h.min(segment.end - start);
                for (node, weight) in GAUSS {
                    for x in [-node, node].map(|node| 0.5 * (1.0 + node)) {
                        let t = start + x * h;
                        let state = glide.state(&window, t);
                        powers.add(&mut energy, 0.5 * weight * h, &window.loads(t), &state);
                    }
                }
            }
        }
        energy.if_complete()
    }
}

/// What is done at one instant.
struct Powers<'a> {
    model: &'a Isolated,
    matrices: &'a Matrices,
}

impl Powers<'_> {
    fn form(matrix: &[f64], u: &[f64]) -> f64 {
        let size = u.len();
        let row = |i: usize| crate::numeric::dot(&matrix[i * size..(i + 1) * size], u);
        (0..size).map(|i| u[i] * row(i)).sum()
    }

    /// The energy of motion and of springs, J.
    fn stored(&self, s: &IsolatedState) -> [f64; 2] {
        let kinetic: f64 = self.matrices.mass.iter().zip(&s.v).map(|(m, v)| 0.5 * m * v * v).sum();
        [kinetic, 0.5 * Self::form(&self.matrices.stiffness, &s.q)]
    }

    /// Adds `span` (s) of what is done in `state` under `loads`.
    fn add(&self, energy: &mut Energy, span: f64, loads: &Loads, state: &IsolatedState) {
        let all = self.matrices.mass.iter().zip(&state.v).enumerate();
        let work: f64 = all.map(|(i, (m, v))| loads.on(i, *m) * v).sum();
        energy.work += span * work;
        energy.gross_work += span * work.abs();
        energy.viscous += span * Self::form(&self.matrices.damping, &state.v);
        let friction = self.model.isolators.iter().zip(&state.friction).map(|(isolator, f)| {
            let w = state.velocity(isolator.at);
            f[0] * w[0] + f[1] * w[1]
        });
        energy.friction -= span * friction.sum::<f64>();
    }
}

//! The path of a slab on isolators.

use super::assembly::{Assembly, loads};
use super::slab::velocity;
use crate::interrupt::Interrupt;
use crate::model::isolated::Isolated;
use crate::motion::{Energy, Event, EventKind, Motion, Path, Segment, State};
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
    model: Arc<Isolated>,
    grid: Arc<IsolatedGrid>,
}

impl IsolatedArc {
    /// What moves.
    pub fn model(&self) -> &Isolated {
        &self.model
    }

    /// The steps.
    pub fn grid(&self) -> &IsolatedGrid {
        &self.grid
    }
}

impl Motion for IsolatedArc {
    type Phase = IsolatedPhase;
    type State = IsolatedState;
    type Event = Event;

    fn state(&self, t: f64) -> IsolatedState {
        self.grid.at(t)
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
        let arc = IsolatedArc { model: model.clone(), grid: grid.clone() };
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
    /// Where the work went, J: sums over the steps of what acts at their ends. The work of the ground is that of −M ι a on the motion relative to it.
    pub fn energy(&self) -> Energy {
        let Some(first) = self.segments().first() else { return Energy::default() };
        let IsolatedArc { model, grid } = &first.arc;
        // The step has no part in M, C and K.
        let Ok(assembly) = Assembly::new(model, grid.step) else { return Energy::default() };
        let end = self.span().1;
        let form = |matrix: &[f64], u: &[f64]| -> f64 {
            let size = u.len();
            let row = |i: usize| crate::numeric::dot(&matrix[i * size..(i + 1) * size], u);
            (0..size).map(|i| u[i] * row(i)).sum()
        };
        let stored = |s: &IsolatedState| {
            let kinetic: f64 = assembly.mass.iter().zip(&s.v).map(|(m, v)| 0.5 * m * v * v).sum();
            [kinetic, 0.5 * form(&assembly.stiffness, &s.q)]
        };
        let [before, after] = [stored(&grid.at(0.0)), stored(&grid.at(end))];
        let mut energy = Energy {
            kinetic: after[0] - before[0],
            elastic: after[1] - before[1],
            ..Energy::default()
        };
        for n in Interrupt::parts_of(0..grid.steps()) {
            let next = (n + 1) as f64 * grid.step;
            let state = grid.at(next);
            let span = next.min(end) - n as f64 * grid.step;
            let loads = loads(model, next);
            let work: f64 = assembly
                .mass
                .iter()
                .zip(&state.v)
                .enumerate()
                .map(|(i, (m, v))| loads.on(i, *m) * v)
                .sum();
            energy.work += span * work;
            energy.gross_work += span * work.abs();
            energy.viscous += span * form(&assembly.damping, &state.v);
            let friction = model.isolators.iter().zip(&state.friction).map(|(isolator, f)| {
                let w = state.velocity(isolator.at);
                f[0] * w[0] + f[1] * w[1]
            });
            energy.friction -= span * friction.sum::<f64>();
        }
        energy.if_complete()
    }
}

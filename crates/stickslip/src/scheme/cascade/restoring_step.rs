//! The time-stepping schemes: Bastien, Lamarque 2007, (4.1), with two ways to the same projection.

use crate::error::{Error, Obstacle};
use crate::grid::{kept_count, step_count};
use crate::hysteresis::{Clamps, Elements, Sweep};
use crate::interrupt::Interrupt;
use crate::model::Cascade;
use crate::motion::Segment;
use crate::motion::{
    CascadeArc, CascadeGrid, CascadePath, CascadePhase, CascadeState, Counts, Event, EventKind,
    State,
};
use crate::onestep::{Chain, Status, in_pieces};
use crate::signal::Read;
use std::sync::Arc;

/// What answers a move of the mass with a force.
pub(super) trait Restoring: Sized {
    /// The elements of a cascade as they are at first.
    fn of(elements: &Elements<'_>) -> Result<Self, Error>;

    /// Where in a step the load is looked at, as a part of the step.
    const AT: f64 = 0.0;

    /// The force after a move by `dx` (m) to `x` (m), N.
    fn advance(&mut self, x: f64, dx: f64) -> f64;

    /// X⁺ = X + h V;  V⁺ = V + (h/m)(F(t) − f(X));  f⁺ by the projection after the move X⁺ − X.
    #[inline]
    fn next(&mut self, u: CascadeState, load: f64, [h, h_over_m]: [f64; 2]) -> CascadeState {
        let x = u.x + h * u.v;
        // With the force before the move: only the projection is implicit.
        let v = u.v + h_over_m * (load - u.force);
        CascadeState { x, v, force: self.advance(x, h * u.v) }
    }
}

impl Restoring for Clamps {
    fn of(elements: &Elements<'_>) -> Result<Self, Error> {
        Ok(Self::new(elements.clone()))
    }

    fn advance(&mut self, x: f64, _: f64) -> f64 {
        Self::advance(self, x)
    }
}

/// The θ-method with θ = ½, the force by n clamps.
#[derive(Debug, Clone)]
pub(super) struct Middle {
    clamps: Clamps,
    /// Of what did not yield in the last step, N/m.
    stiffness: f64,
}

impl Restoring for Middle {
    fn of(elements: &Elements<'_>) -> Result<Self, Error> {
        let clamps = Clamps::new(elements.clone());
        // Nothing has yielded before the first step.
        let stiffness = clamps.whole();
        Ok(Self { clamps, stiffness })
    }

    const AT: f64 = 0.5;

    fn advance(&mut self, x: f64, _: f64) -> f64 {
        let force;
        (force, self.stiffness) = self.clamps.advance_with_tangent(x);
        force
    }

    /// X⁺ = X + h (V + V⁺)/2;  V⁺ = V + (h/m)(F(t + h/2) − (f + f⁺)/2). In X⁺ the force f⁺ is taken by the tangent of the step before,
    /// f + k (X⁺ − X), which is right wherever no element begins or ceases to yield; where one does, X⁺ is off by (h²/4m) Δk (X⁺ − X).
    /// In V⁺ it is the force that the elements have at X⁺.
    fn next(&mut self, u: CascadeState, load: f64, [h, h_over_m]: [f64; 2]) -> CascadeState {
        let ahead = 0.25 * h * h_over_m;
        // V⁺ but for its share of f⁺, which is not known before X⁺.
        let v = u.v + h_over_m * (load - 0.5 * u.force);
        let free = 0.5 * h * (u.v + v) - ahead * u.force;
        // The tangent makes this a division instead of an equation with a branch for each element.
        let dx = free / (1.0 + ahead * self.stiffness);
        let x = u.x + dx;
        let force = self.advance(x, dx);
        CascadeState { x, v: v - 0.5 * h_over_m * force, force }
    }
}

/// W⁺ + K P = Y = W − k₀ dx e₁,  P ∈ N_C(W⁺),  V⁺ = V − P.
#[derive(Debug, Clone)]
pub(super) struct Projection {
    k0: f64,
    chain: Chain,
    /// W, N.
    w: Vec<f64>,
    alpha: Vec<f64>,
    /// v₁, m.
    v1: f64,
    counts: Counts,
}

impl Restoring for Projection {
    fn of(elements: &Elements<'_>) -> Result<Self, Error> {
        let k = elements.stiffness;
        let n = elements.threshold.len();
        // 𝐊: each node between two springs, and k₁ … k_{n−1} between neighbours; k₀ and k_n lead out of the row.
        let diagonal = k.windows(2).map(|k| k[0] + k[1]).collect();
        let chain = Chain::new(diagonal, k[1..n].to_vec())?;
        let start = Sweep::new(elements.clone());
        let k0 = k[0];
        Ok(Self {
            k0,
            chain,
            w: start.pulls().iter().map(|q| -q).collect(),
            alpha: elements.threshold.to_vec(),
            // f = k₀ (x − v₁), solved for v₁.
            v1: start.displacement() - start.force() / k0,
            counts: Counts::default(),
        })
    }

    fn advance(&mut self, x: f64, dx: f64) -> f64 {
        // W + h (−k₀ ẋ e₁): the mass pulls at the first node only.
        self.w[0] -= self.k0 * dx;
        let outcome = self.chain.solve(&self.w, &self.alpha);
        self.counts.steps += 1;
        self.counts.iterations += outcome.iterations;
        self.counts.fallbacks += usize::from(outcome.status != Status::ActiveSet);
        self.counts.inexact += usize::from(outcome.status == Status::Inexact);
        self.counts.note_residual(outcome.relative_residual());
        let lambda = self.chain.lambda();
        let alpha = &self.alpha;
        // λ is W⁺ up to the rounding of the solve. In the next step a W outside its box would count as one that has
        // slipped.
        let into_the_box = |first: usize, w: &mut [f64]| {
            for ((w, l), a) in w.iter_mut().zip(&lambda[first..]).zip(&alpha[first..]) {
                *w = if *l > *a {
                    *a
                } else if *l < -*a {
                    -*a
                } else {
                    *l
                };
            }
        };
        in_pieces(&mut self.w[..], &into_the_box);
        // Kept as a sum of slips; v₁ = x − f/k₀ would lose what cancels in the difference.
        self.v1 -= self.chain.p()[0];
        self.k0 * (x - self.v1)
    }
}

/// Solves `cascade` on [0, `end`] (s) with steps `step` (s) by scheme (4.1), the projection by a
/// primal–dual active set with tridiagonal solves. First order.
///
/// # Errors
/// If a number is outside its range, a signal too short, the displacement is prescribed, or the motion leaves the range of finite numbers.
pub fn implicit_euler(cascade: &Cascade, end: f64, step: f64) -> Result<CascadePath, Error> {
    Ok(solve_implicit_euler(cascade, end, step)?.0)
}

/// The same with what it cost.
///
/// # Errors
/// As [`implicit_euler`].
pub fn solve_implicit_euler(
    cascade: &Cascade,
    end: f64,
    step: f64,
) -> Result<(CascadePath, Counts), Error> {
    let mut states = Vec::with_capacity(kept_count(end, step)? + 1);
    let counts = run_implicit_euler(cascade, end, step, |_, u, _| states.push(u))?;
    Ok((phases(cascade, CascadeGrid { step, states }, end), counts))
}

/// The same, streaming n, the state and W at t_n, n = 0 … N, to `observe`; nothing is kept, and nothing
/// allocated after the start.
///
/// # Errors
/// As [`implicit_euler`].
pub fn run_implicit_euler(
    cascade: &Cascade,
    end: f64,
    step: f64,
    mut observe: impl FnMut(usize, CascadeState, &[f64]),
) -> Result<Counts, Error> {
    walk_implicit_euler(cascade, end, step, |n, u, w, _| observe(n, u, w))
}

/// The same with how far each element slid in the step before, m.
pub(crate) fn walk_implicit_euler(
    cascade: &Cascade,
    end: f64,
    step: f64,
    mut observe: impl FnMut(usize, CascadeState, &[f64], &[f64]),
) -> Result<Counts, Error> {
    check(cascade, end, "implicit-euler")?;
    let mut projection = Projection::of(&cascade.into())?;
    march(cascade, end, step, &mut projection, |n, u, p| observe(n, u, &p.w, p.chain.p()))?;
    // The state may be finite although a solve on the way was not.
    if projection.counts.worst_residual.is_finite() {
        Ok(projection.counts)
    } else {
        Err(Error::NotFinite { time: end, step })
    }
}

/// The same time steps with the force by n clamps: no system is solved.
///
/// # Errors
/// As [`implicit_euler`].
pub fn hysteresis(cascade: &Cascade, end: f64, step: f64) -> Result<CascadePath, Error> {
    let mut states = Vec::with_capacity(kept_count(end, step)? + 1);
    run_hysteresis(cascade, end, step, |_, u| states.push(u))?;
    Ok(phases(cascade, CascadeGrid { step, states }, end))
}

/// The same, streaming to `observe`.
///
/// # Errors
/// As [`implicit_euler`].
pub fn run_hysteresis(
    cascade: &Cascade,
    end: f64,
    step: f64,
    mut observe: impl FnMut(usize, CascadeState),
) -> Result<(), Error> {
    check(cascade, end, "hysteresis")?;
    march(cascade, end, step, &mut Clamps::new(cascade), |n, u, _| observe(n, u))
}

/// The θ-method with θ = ½, the force by n clamps: second order between yields and turning points, and at them of first.
///
/// # Errors
/// As [`implicit_euler`].
pub fn theta(cascade: &Cascade, end: f64, step: f64) -> Result<CascadePath, Error> {
    let mut states = Vec::with_capacity(kept_count(end, step)? + 1);
    check(cascade, end, "theta")?;
    let mut elements = Middle::of(&cascade.into())?;
    march(cascade, end, step, &mut elements, |_, u, _| states.push(u))?;
    Ok(phases(cascade, CascadeGrid { step, states }, end))
}

pub(super) fn check(cascade: &Cascade, end: f64, scheme: &'static str) -> Result<(), Error> {
    cascade.check_until(end)?;
    if cascade.displacement.is_some() {
        return Err(Error::Unsuitable { scheme, reason: Obstacle::Prescribed });
    }
    Ok(())
}

/// The state at t = 0.
pub(super) fn at_start(c: &Cascade) -> CascadeState {
    let force = Sweep::new(c).force();
    CascadeState { x: c.initial.displacement, v: c.initial.velocity, force }
}

/// The load of a step over [t, t_next] (s), where `R` looks at it.
pub(super) fn load<R: Restoring>(force: &mut impl Read, [t, t_next]: [f64; 2]) -> f64 {
    force.value(t + R::AT * (t_next - t))
}

/// All steps, one after the other.
fn march<R: Restoring>(
    c: &Cascade,
    end: f64,
    h: f64,
    elements: &mut R,
    mut observe: impl FnMut(usize, CascadeState, &R),
) -> Result<(), Error> {
    let count = step_count(end, h)?;
    let h_over_m = h / c.mass;
    let mut force = c.force.cursor();
    let mut u = at_start(c);
    observe(0, u, elements);
    let interrupt = Interrupt::current();
    for steps in interrupt.ranges(count) {
        for n in steps {
            let load = load::<R>(&mut force, [n as f64 * h, (n + 1) as f64 * h]);
            u = elements.next(u, load, [h, h_over_m]);
            observe(n + 1, u, elements);
        }
    }
    interrupt.check(end)?;
    if u.x.is_finite() && u.v.is_finite() && u.force.is_finite() {
        Ok(())
    } else {
        Err(Error::NotFinite { time: end, step: h })
    }
}

/// Sees yields and turning points from node to node.
#[derive(Debug, Clone)]
pub(super) struct Detector {
    /// The elements at the node that was passed last, one yield after the other.
    pub seen: Sweep,
}

impl Detector {
    /// The mass sets out at `t` (s) from the node `from`, at which the elements are, to `to`: whether it turns there.
    pub fn leave(&self, t: f64, from: &CascadeState, to: &CascadeState, events: &mut Vec<Event>) {
        // The elements know which way they went last, also where the mass has stood still in between.
        if (to.x - from.x) * self.seen.direction() < 0.0 {
            let CascadeState { x, v, .. } = *from;
            events.push(Event::new(EventKind::Reversal, t, 0, State { x, v }));
        }
    }

    /// The mass arrives at `t` (s) at the node `to`, adding what yields on its way.
    pub fn pass(&mut self, t: f64, to: &CascadeState, events: &mut Vec<Event>) {
        let CascadeState { x, v, .. } = *to;
        self.seen.advance_with(x, |elements| {
            events.push(Event::new(EventKind::Yield, t, elements.slipping(), State { x, v }));
        });
    }

    /// The phase of the step that the mass has just passed from `from` to `to`.
    pub fn phase(&self, from: &CascadeState, to: &CascadeState) -> CascadePhase {
        let direction = (to.x > from.x) as i8 - (to.x < from.x) as i8;
        CascadePhase { direction, slipping: self.seen.slipping() }
    }
}

/// The path over a grid, with its phases and events, each at the node that ends its step.
fn phases(cascade: &Cascade, grid: CascadeGrid, end: f64) -> CascadePath {
    let h = grid.step;
    let grid = Arc::new(grid);
    let mut path = CascadePath::default();
    // The scheme itself does not look for yields: the elements are led through its nodes once more, one yield at a
    // time.
    let mut detector = Detector { seen: Sweep::new(cascade) };
    let mut events = Vec::new();
    let mut start = 0.0;
    let mut phase = CascadePhase { direction: 0, slipping: 0 };
    for (n, step) in grid.states.windows(2).enumerate() {
        let begins = n as f64 * h;
        let [from, to] = step else { continue };
        if n > 0 {
            detector.leave(begins, from, to, &mut events); // how it sets out at first is no event
        }
        // The last step may reach beyond the end, and an event must not.
        detector.pass(((n + 1) as f64 * h).min(end), to, &mut events);
        if !events.is_empty() {
            events.drain(..).for_each(|e| path.record(e));
        }
        let next = detector.phase(from, to);
        if next != phase {
            if n > 0 {
                let arc = CascadeArc::Steps(grid.clone());
                path.push(Segment { phase, start, end: begins, arc });
                start = begins;
            }
            phase = next;
        }
    }
    path.push(Segment { phase, start, end, arc: CascadeArc::Steps(grid) });
    path
}
